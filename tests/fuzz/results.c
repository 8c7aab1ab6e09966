/*
  What runs left, read back: run.json, config.yaml and tables, for `percuss run RESULTS`, `percuss compare` and `percuss study`.

  The input is the text of several files, each behind a line "=== a/NAME" or "=== b/NAME"; what b has not it has from a. Promises: what is not read has a message; a table's
  columns are whole; two directories that are the same are alike to `compare`.
*/
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/command.h"
#include "cli/repeat.h"
#include "study/study.h"

enum { TABLES = 5 };
static const char *const tables[TABLES] = {"history.csv", "orbits.csv", "contacts.csv", "energy.csv", "events.csv"};

static const char *path_of(int side, const char *name, NsArena *arena)
{
  return NsArenaPrint(arena, "%s/%c%s%s", FuzzFolder(), side ? 'b' : 'a', *name ? "/" : "", name);
}

static void write_file(const char *path, const char *text, size_t size)
{
  FILE *file = fopen(path, "wb");

  if (!file || fwrite(text, 1, size, file) != size || fclose(file)) FuzzFinding("cannot write %s", path);
}

static bool is_name(const char *name, size_t size)
{
  static const char *const others[] = {"run.json", "config.yaml", "some.csv"};

  for (int i = 0; i < TABLES + 3; i++) {
    const char *known = i < TABLES ? tables[i] : others[i - TABLES];

    if (strlen(known) == size && !memcmp(known, name, size)) return true;
  }
  return false;
}

/* Whether both sides have the same files. */
static bool write_files(const char *text, size_t size, NsArena *arena)
{
  const char *end  = text + size, *next;
  bool        same = true;

  FuzzEmptyFolder();
  for (int side = 0; side < 2; side++) (void)mkdir(path_of(side, "", arena), 0700);
  for (int side = 0; side < 2; side++) { /* first a, and of both */
    for (const char *p = text; p && p < end; p = next) {
      const char  *line = memchr(p, '\n', (size_t)(end - p));
      const size_t head = line ? (size_t)(line - p) : (size_t)(end - p);
      const char  *body = line ? line + 1 : end;

      next                = memmem(body, (size_t)(end - body), "=== ", 4);
      const size_t length = (size_t)((next ? next : end) - body);
      if (head < 7 || memcmp(p, "=== ", 4) || p[4] != (side ? 'b' : 'a') || p[5] != '/' || !is_name(p + 6, head - 6)) continue;
      const char *name = NsArenaCopy(arena, p + 6, head - 6);
      for (int to = side; to < 2; to++) write_file(path_of(to, name, arena), body, length);
      same = same && !side;
    }
  }
  return same;
}

static void check_table(const char *path, NsArena *arena)
{
  NsDiag              *diag  = NsDiagCreate(arena);
  const NsResultTable *table = NsResultTableRead(path, arena, diag);

  FuzzExpect(!table == (NsDiagErrors(diag) > 0), "%s: the verdict and the messages disagree", path);
  for (int c = 0; table && c < table->columns; c++) {
    const NsResultColumn *column = &table->column[c];

    FuzzExpect(column->name && !column->numbers != !column->words, "%s: column %d has numbers and words, or neither", path, c);
    for (long i = 0; i < table->rows && column->words; i++) FuzzExpect(column->words[i], "%s: no word in column %d, row %ld", path, c, i);
    FuzzExpect(NsResultTableColumn(table, column->name), "%s: column '%s' is not found", path, column->name);
  }
  (void)FuzzMessages(diag, arena);
}

/* As far as `percuss run RESULTS` goes before the config is read. */
static bool repeat(const char *path, NsArena *arena)
{
  NsDiag            *diag    = NsDiagCreate(arena);
  NsRunOptions       options = {.config_path = path};
  const NsRunRecord *record  = NsRepeatLook(path, arena, diag);
  const bool         good    = record && !NsDiagErrors(diag);

  if (good && NsRepeatPrepare(record, "run", &options, arena, diag)) {
    for (int i = 0; i < options.petsc_options; i++) FuzzExpect(options.petsc_option[i], "an option of PETSc that is none");
    FuzzExpect(options.config_path && options.directory, "results without config or directory");
    FuzzCheck(NsRepeatWarn(record, diag));
  }
  (void)FuzzMessages(diag, arena);
  return good;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  FuzzStartPetsc();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  NsArena    *arena   = NsArenaCreate();
  const bool  same    = write_files(FuzzText(data, size, arena), size, arena);
  char       *words[] = {(char[]){"compare"}, (char *)path_of(0, "", arena), (char *)path_of(1, "", arena), NULL};
  struct stat status;
  const char *message = "";
  double      seconds;

  for (int i = 0; i <= TABLES; i++) {
    const char *path = path_of(0, i < TABLES ? tables[i] : "some.csv", arena);

    if (!stat(path, &status)) check_table(path, arena);
  }
  if (repeat(path_of(0, "", arena), arena)) {
    NsArguments arguments;
    const int   code = NsArgumentsRead(&NsCommand_Compare, 3, words, arena, &arguments) ? NsCommand_Compare.call(&arguments) : NS_EXIT_INPUT;

    FuzzExpect(code >= 0 && code <= 2, "compare: exit code %d", code);
    FuzzExpect(!same || code != 1, "compare: results differ from themselves");
  }
  (void)repeat(path_of(1, "config.yaml", arena), arena);
  FuzzExpect(NsStudyLook(path_of(0, "", arena), arena, &message, &seconds) != NS_ROW_FAILED || *message, "a row of a study fails without reason");
  NsArenaDestroy(&arena);
  return 0;
}
