/* The command line, read by a command's table of options. */
#include <ctype.h>
#include <limits.h>
#include <string.h>
#include "command.h"

static NsOption no_options[] = {{NULL}};

static NsOption *options_of(const NsCommand *command)
{
  return command->options ? command->options : no_options;
}

/* How many words there must be, and may be: "RUN RUN [RUN]" are 2 to 3, "[KEY | schemes]..." any number. */
static void count_words(const char *words, int *least, int *most)
{
  bool optional = false;

  *least = *most = 0;
  for (const char *p = words; *p; p++) {
    optional = *p == '[' || (optional && *p != ']');
    if (*p == '[') ++*most;
    if (!optional && isupper((unsigned char)*p) && (p == words || p[-1] == ' ')) ++*least;
  }
  *most = strstr(words, "...") ? INT_MAX : *most + *least;
}

static bool report_unknown_option(const NsCommand *command, const char *word, NsArena *arena)
{
  const NsOption *options = options_of(command);
  const char    **names;
  int             count = 0;

  while (options[count].name) count++;
  names = NsArenaAlloc(arena, sizeof(*names) * (size_t)(count + 1));
  for (int i = 0; i < count; i++) names[i] = options[i].name;
  fprintf(stderr, "percuss %s: unknown option '%s'%s\n  options:", command->name, word, NsDidYouMean(NsNearestWord(word, names)));
  for (int i = 0; i < count; i++) fprintf(stderr, " %s", names[i]);
  fprintf(stderr, "%s\n", count ? "" : " none");
  return false;
}

/* Reads the option argv[*i], "--out DIR" or "--out=DIR", and its value. */
static bool read_option(NsArguments *arguments, int argc, char **argv, int *i, const char **set)
{
  const char *word = argv[*i], *equals = strncmp(word, "--", 2) ? NULL : strchr(word, '='), *value = equals ? equals + 1 : NULL;
  NsOption   *option = options_of(arguments->command);

  if (equals) word = NsArenaCopy(arguments->arena, word, (size_t)(equals - word));
  while (option->name && strcmp(option->name, word)) option++;
  if (!option->name) return report_unknown_option(arguments->command, word, arguments->arena);
  if (!option->takes && value) {
    fprintf(stderr, "percuss %s: %s takes no value\n", arguments->command->name, word);
    return false;
  }
  if (option->takes && !value && *i + 1 < argc) value = argv[++*i];
  if (option->takes && (!value || !*value)) {
    fprintf(stderr, "percuss %s: %s needs a value: %s %s\n", arguments->command->name, word, word, option->takes);
    return false;
  }
  option->value = option->takes ? value : "";
  if (!strcmp(word, "--set")) set[arguments->options.sets++] = value;
  return true;
}

static bool read_petsc_options(NsArguments *arguments, int count, char **word)
{
  if (!arguments->command->petsc && count > 0) {
    fprintf(stderr, "percuss %s: takes no PETSc options\n", arguments->command->name);
    return false;
  }
  if (count > 0 && word[0][0] != '-') {
    fprintf(stderr, "percuss %s: after '--' come PETSc options, which begin with '-'; '%s' does not\n", arguments->command->name, word[0]);
    return false;
  }
  arguments->options.petsc_option  = (const char *const *)word;
  arguments->options.petsc_options = count;
  return true;
}

static const char *value_of(const NsCommand *command, const char *name)
{
  const NsOption *option = options_of(command);

  while (option->name && strcmp(option->name, name)) option++;
  return option->name ? option->value : NULL;
}

static bool check_words(const NsArguments *arguments)
{
  const NsCommand *command = arguments->command;
  int              least, most;

  count_words(command->words, &least, &most);
  if (arguments->words > most) {
    fprintf(stderr, "percuss %s: unexpected argument '%s'\n", command->name, arguments->word[most]);
    NsHelpShort(command, stderr);
    return false;
  }
  if (arguments->words < least) {
    fprintf(stderr, "percuss %s: missing argument %.*s\n", command->name, (int)strcspn(command->words, " "), command->words);
    NsHelpShort(command, stderr);
    return false;
  }
  for (const NsOption *option = options_of(command); option->name; option++) {
    if (!option->required || option->value) continue;
    fprintf(stderr, "percuss %s: missing option %s %s\n", command->name, option->name, option->takes);
    NsHelpShort(command, stderr);
    return false;
  }
  return true;
}

bool NsArgumentsRead(const NsCommand *command, int argc, char **argv, NsArena *arena, NsArguments *arguments)
{
  const char  **set     = NsArenaAlloc(arena, sizeof(*set) * (size_t)argc);
  NsRunOptions *options = &arguments->options;

  *arguments   = (NsArguments){.command = command, .arena = arena, .word = NsArenaAlloc(arena, sizeof(*arguments->word) * (size_t)(argc + 1))};
  options->set = set;
  for (NsOption *option = options_of(command); option->name; option++) option->value = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--")) {
      if (!read_petsc_options(arguments, argc - i - 1, argv + i + 1)) return false;
      break;
    }
    if (argv[i][0] != '-' || !argv[i][1])
      arguments->word[arguments->words++] = argv[i];
    else if (!read_option(arguments, argc, argv, &i, set))
      return false;
  }
  options->config_path = arguments->word[0];
  options->directory   = value_of(command, "--out");
  options->overwrite   = value_of(command, "--overwrite") != NULL;
  options->quiet       = value_of(command, "--quiet") != NULL;
  options->force       = value_of(command, "--force") != NULL;
  options->trust       = value_of(command, "--trust") != NULL;
  options->resume      = value_of(command, "--resume") != NULL;
  options->report      = value_of(command, "--report") != NULL;
  return check_words(arguments);
}
