/*
  Words of command lines that need no config: `explain KEY`, values of options (counts, speeds, FROM:TO:N).

  Each line of the input is a word. Promises: a refusal has a message; what is accepted is in its range.
*/
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "cli/arguments.h"
#include "cli/explain.h"
#include "percuss/settings.h"

static void explain(const char *word)
{
  char  *text[2] = {NULL, NULL};
  size_t size[2] = {0, 0};
  FILE  *out = open_memstream(&text[0], &size[0]), *err = open_memstream(&text[1], &size[1]);
  int    code;

  if (!out || !err) FuzzFinding("no memory for a page");
  code = NsExplain(&NsTable_Config, word, out, err);
  fclose(out);
  fclose(err);
  FuzzExpect(code == 0 || code == 2, "explain %s: exit code %d", word, code);
  FuzzExpect(size[code ? 1 : 0] > 0 && size[code ? 0 : 1] == 0, "explain %s: code %d with %zu bytes of text and %zu of complaint", word, code,
    size[0], size[1]);
  free(text[0]);
  free(text[1]);
}

static void read_options(const char *word)
{
  const NsCommandOption option = {"--fuzz", "VALUE", word};
  NsSpeedRange          range  = {-1, -1, 0};
  long                  count  = 7;
  double                speed  = 0;

  if (NsOptionCount("fuzz", &option, 1, 1000, &count)) FuzzExpect(count >= 1 && count <= 1000, "'%s': count %ld", word, count);
  if (NsOptionSpeed("fuzz", &option, &speed)) FuzzExpect(speed == speed, "'%s' is no speed", word);
  if (NsOptionRange("fuzz", &option, &range))
    FuzzExpect(
      range.from >= 0 && range.from < range.to && range.count >= 2, "'%s': %ld speeds from %g to %g", word, range.count, range.from, range.to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena *arena = NsArenaCreate();
  char    *text = FuzzText(data, size, arena), *more = NULL;

  for (char *word = strtok_r(text, "\n", &more); word; word = strtok_r(NULL, "\n", &more)) {
    read_options(word);
    explain(word);
  }
  NsArenaDestroy(&arena);
  return 0;
}
