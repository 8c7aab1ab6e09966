#include "usage.h"
#include <string.h>
#include "cli.h"

const NsCommand NsCommands[] = {
#define NS_COMMAND(name, Name, arguments, about) {#name, NsCommand##Name, arguments, about},
#include "list.h"
#undef NS_COMMAND
  {NULL, NULL, NULL, NULL},
};

bool NsUsageIsOption(const NsUsageWord *word)
{
  return word->name[0] == '-';
}

static void copy(char to[NS_USAGE_TEXT], const char *from, size_t length)
{
  (void)snprintf(to, NS_USAGE_TEXT, "%.*s", (int)length, from);
}

/* "CONFIG [--out DIR] [--set KEY=VALUE]... --speeds FROM:TO:N [-- PETSc options]": what follows an option before the bracket closes, or directly, is its value. */
int NsUsageRead(const NsCommand *command, NsUsageWord word[NS_USAGE_WORDS])
{
  NsUsageWord *option = NULL; /* that may still get a value */
  int          count  = 0;

  for (const char *p = command->arguments; *p && count < NS_USAGE_WORDS;) {
    const size_t length = strcspn(p, " []|");

    if (!length) {
      if (*p == ']' || *p == '|') option = NULL;
      p++;
      continue;
    }
    if (!strncmp(p, "...", 3)) {
      if (count) word[count - 1].repeats = true;
    } else if (length == 2 && !strncmp(p, "--", 2)) {
      break;
    } else if (option && p[0] != '-') {
      copy(option->value, p, length);
      option = NULL;
    } else {
      word[count] = (NsUsageWord){.repeats = false};
      copy(word[count].name, p, length);
      option = NsUsageIsOption(&word[count]) ? &word[count] : NULL;
      count++;
    }
    p += length;
  }
  return count;
}
