/*
  Words of command lines, as far as they are read before a config: options and their values (counts, speeds, FROM:TO:N), `explain KEY`.

  Each line of the input is a word. Promises: what is accepted is in its range and there; `explain` prints a page or a complaint.
*/
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "cli/command.h"
#include "cli/explain.h"
#include "percuss/settings.h"

enum { MOST_WORDS = 12 };

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
  const NsOption option = {.name = "--fuzz", .takes = "VALUE", .value = word};
  NsSpeedRange   range  = {-1, -1, 0};
  long           count  = 7;
  double         speed  = 0;

  if (NsOptionCount("fuzz", &option, 1, 1000, &count)) FuzzExpect(count >= 1 && count <= 1000, "'%s': count %ld", word, count);
  if (NsOptionSpeed("fuzz", &option, &speed)) FuzzExpect(speed == speed, "'%s' is no speed", word);
  if (NsOptionRange("fuzz", &option, &range))
    FuzzExpect(
      range.from >= 0 && range.from < range.to && range.count >= 2, "'%s': %ld speeds from %g to %g", word, range.count, range.from, range.to);
}

/* All of them as one command line. */
static void read_line(int argc, char **argv, NsArena *arena)
{
  NsOption        options[] = {{.name = "--speed", .takes = "SPEED"}, {.name = "--campbell", .takes = "FROM:TO:N"}, NS_OPTION_OUT, NS_OPTION_SET,
           NS_OPTION_OVERWRITE, NS_OPTION_QUIET, NS_OPTION_FORCE, {NULL}};
  const NsCommand config    = {.name = "fuzz", .words = "CONFIG", .options = options, .petsc = true},
                  runs      = {.name = "fuzz", .words = "RUN [RUN]", .options = options};
  NsArguments arguments;

  if (NsArgumentsRead(&config, argc, argv, arena, &arguments)) {
    const NsRunOptions *read = &arguments.options;

    FuzzExpect(read->config_path && (*read->config_path != '-' || !read->config_path[1]), "'%s' is taken for a config", read->config_path);
    for (int i = 0; i < read->sets; i++) FuzzExpect(read->set[i] && *read->set[i], "--set without value");
  }
  if (!NsArgumentsRead(&runs, argc, argv, arena, &arguments)) return;
  FuzzExpect(arguments.words >= 1 && arguments.words <= 2, "%d words of 1 to 2", arguments.words);
  for (int i = 0; i < arguments.words; i++) FuzzExpect(arguments.word[i], "a word is NULL");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena *arena = NsArenaCreate();
  char    *text = FuzzText(data, size, arena), *more = NULL, *argv[MOST_WORDS + 1] = {(char[]){"fuzz"}};
  int      argc = 1;

  for (char *word = strtok_r(text, "\n", &more); word; word = strtok_r(NULL, "\n", &more)) {
    if (argc < MOST_WORDS) argv[argc++] = word;
    read_options(word);
    explain(word);
  }
  read_line(argc, argv, arena);
  NsArenaDestroy(&arena);
  return 0;
}
