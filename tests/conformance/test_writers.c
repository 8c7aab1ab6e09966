/*
  What every writer keeps: its tables have columns with unit and meaning, its files have names of their own, what it writes fits its columns, --overwrite removes all of it, `compare` and
  the guide know its tables. A mistake is named by the writer, its file and its column.
*/
#include <ftw.h>
#include "store.h"
#include "../unit/fake_run.h"
#include "output/folder.h"
#include "results/columns.h"

/* A table that is registered, of each in turn. */
#define FOR_EACH_TABLE(type) for (int number_ = 0; ((type) = NsCsvTypeAt(number_)); number_++)

/* One that the config would take, too. */
static void check_unit(const char *file, const char *name, const char *unit)
{
  char        text[64];
  NsDimension dimension;
  double      value;

  if (!unit || !*unit || !strcmp(unit, NS_UNIT_UNKNOWN) || !strcmp(unit, NS_UNIT_OF_PROBE)) return;
  snprintf(text, sizeof(text), "1 %.*s", (int)(strstr(unit, " or ") ? strstr(unit, " or ") - unit : (long)strlen(unit)), unit); /* "m or rad" */
  if (!NsParseAnyQuantity(text, &dimension, &value)) fail_msg("%s: '%s' has the unit '%s', which is none", file, name, unit);
}

static void test_tables_are_described(void **state)
{
  const NsCsvType *type, *other;

  (void)state;
  FOR_EACH_TABLE(type)
  {
    const NsColumn *column = type->column;
    if (!strstr(type->file, ".csv") || strchr(type->file, '/')) fail_msg("'%s': a table is NAME.csv", type->file);
    if (!type->about || !*type->about) fail_msg("%s: `about` does not say what a row is", type->file);
    for (int i = 0; (other = NsCsvTypeAt(i)); i++) {
      if (other != type && !strcmp(other->file, type->file)) fail_msg("%s: two writers have a table of this name", type->file);
    }
    if (type->kind != NS_CSV_ANALYSIS && strcmp(column->name, "time"))
      fail_msg("%s: the first column is not time but '%s'", type->file, column->name);
    if (type->subject && (!type->row || !type->stride)) fail_msg("%s: a table with subjects needs `row` and `stride`", type->file);
    for (; column->name; column++) {
      if (!column->meaning || !*column->meaning) fail_msg("%s: column '%s' has no meaning", type->file, column->name);
      if (NsColumnFind(type, column->name) != column && !strpbrk(column->name, "[*?"))
        fail_msg("%s: column '%s' is there twice, or an earlier pattern matches it", type->file, column->name);
      if (column->unit && column->optional && !column->needs) fail_msg("%s: column '%s' is optional and always there", type->file, column->name);
      check_unit(type->file, column->name, column->unit);
    }
  }
}

static void check_arrays(const NsVtkType *type, const NsVtkArray *array)
{
  for (; array->name; array++) {
    if (strpbrk(array->name, " \t\n")) fail_msg("%s: readers do not accept blanks in '%s'", type->file, array->name);
    if (!array->unit || !array->meaning || !*array->meaning) fail_msg("%s: array '%s' has no unit or no meaning", type->file, array->name);
    check_unit(type->file, array->name, array->unit);
  }
}

static void test_frames_are_described(void **state)
{
  const NsVtkType *type;

  (void)state;
  for (int i = 0; (type = NsVtkTypeAt(i)); i++) {
    if (!type->about || !*type->about) fail_msg("%s: `about` does not say what its points and cells are", type->file);
    check_arrays(type, type->point);
    if (type->cell) check_arrays(type, type->cell);
  }
}

static void test_types_are_whole(void **state)
{
  (void)state;
  for (int i = 0; NsWriterTypes[i]; i++) {
    const NsWriterType *type = NsWriterTypes[i];
    if (!type->name || !*type->name) fail_msg("writer number %d of src/output/list.h has no name", i);
    if (!type->write && !type->observe) fail_msg("writer '%s' neither writes nor observes", type->name);
    if (type->due && !type->write) fail_msg("writer '%s' is due and has no `write`", type->name);
    for (int k = 0; k < i; k++) {
      if (!strcmp(NsWriterTypes[k]->name, type->name)) fail_msg("two writers are named '%s'", type->name);
    }
  }
}

/* Settings of a mapping begin with `every` where NsEverySettings has it. */
static void test_keys_begin_with_every(void **state)
{
  (void)state;
  for (const NsKey *key = NsTable_Output.keys; key->name; key++) {
    const NsKey *every = key->table ? key->table->keys : NULL;
    if (!key->table) continue;
    while (every->name && strcmp(every->name, "every")) every++;
    if (!every->name || every->kind != NS_KEY_INTEGER || every->offset != offsetof(NsEverySettings, every))
      fail_msg("output.%s: the struct of its table does not begin with `where` and `every`", key->name);
  }
}

static int fields_of(const char *line)
{
  bool quoted = false;
  int  fields = 1;

  for (; *line && *line != '\n'; line++) {
    if (*line == '"') quoted = !quoted;
    fields += *line == ',' && !quoted;
  }
  return fields;
}

/* A rotor and two contacts, with every writer; rows come every third step. */
static void open_fake(FakeRun *fake, const char *directory)
{
  static NsStationSettings station = {.at = "shaft.left"};
  static const char       *names[] = {"disc", NULL};

  fake_create(fake);
  fake_set_every(fake, 3);
  fake->orbits.stations    = (NsList){.count = 1, .names = names, .items = &station};
  fake->spins              = PETSC_TRUE;
  fake->spin_rate          = 20;
  fake->model.view.station = fake_station;
  fake->model.view.spin    = fake_spin;
  if (directory) {
    assert_int_equal(rmdir(fake->directory), 0);
    (void)snprintf(fake->directory, sizeof(fake->directory), "%s", directory);
    fake->run.sink.resumes = PETSC_TRUE;
  }
  fake_open(fake);
}

/* The largest of all reports are in steps that have no row. */
static void write_steps(FakeRun *fake, PetscInt64 first, PetscInt64 last)
{
  for (PetscInt64 step = first; step <= last; step++) {
    for (int i = 0; i < FAKE_CANDIDATES; i++) {
      NsContactReport *report = &fake->report[i];
      report->state           = (step + i) % 2 ? NS_SLIP : NS_OPEN;
      report->impact          = (step + i) % 3 == 0;
      report->gap             = -1e-6 * (PetscReal)(8 - step);
      for (int d = 0; d < 3; d++) report->force[d] = report->impulse[d] = report->velocity_after[d] = step % 3 ? 0.1 * (PetscReal)(10 - step) : 0.01;
    }
    fake->run.ledger.friction += 0.1;
    fake_write(fake, step);
  }
}

/* Of a row: numbers that are finite, and no empty field but where the column allows it. */
static void check_numbers(const NsCsvType *type, const char *header, const char *row)
{
  char name[64], *end;

  for (;; header++, row++) {
    const size_t length = strcspn(header, ",\n");
    (void)snprintf(name, sizeof(name), "%.*s", (int)length, header);
    const NsColumn *column = NsColumnFind(type, name);
    if (column->unit && !(column->optional && (*row == ',' || *row == '\n'))) {
      const double value = strtod(row, &end);
      if (end == row || !isfinite(value)) fail_msg("%s: column '%s' has the value '%.*s'", type->file, name, (int)strcspn(row, ",\n"), row);
    }
    header += length;
    for (bool quoted = false; *row && *row != '\n' && (quoted || *row != ','); row++) quoted ^= *row == '"';
    if (*header != ',' || *row != ',') return;
  }
}

/* Header and rows of a table that was written. */
static void check_written(const NsCsvType *type, const char *text)
{
  const int header = fields_of(text);
  char      name[64];
  int       row = 1;

  for (const char *at = text; *at && *at != '\n'; at += strcspn(at, ",\n"), at += *at == ',') {
    const size_t length = strcspn(at, ",\n");
    (void)snprintf(name, sizeof(name), "%.*s", (int)length, at);
    if (!NsColumnFind(type, name)) fail_msg("%s: the header has '%s', which is no column of its table", type->file, name);
    if (!NsColumnUnit(type->file, name) && !NsColumnOfWords(type->file, name)) fail_msg("%s: '%s' has no unit for readers", type->file, name);
  }
  for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n'), row++) {
    if (fields_of(line + 1) != header) fail_msg("%s: row %d has %d fields, and the header %d", type->file, row, fields_of(line + 1), header);
    check_numbers(type, text, line + 1);
  }
}

static int files_left;

static int count_left(const char *path, const struct stat *status, int type, struct FTW *place)
{
  (void)status;
  if (type == FTW_F || place->level > 0) {
    print_error("left by --overwrite: %s\n", path);
    files_left++;
  }
  return 0;
}

/* A run with every writer: all of its tables are written as they say, and --overwrite leaves nothing. */
static void test_what_is_written_is_removed(void **state)
{
  FakeRun fake;

  (void)state;
  open_fake(&fake, NULL);
  write_steps(&fake, 0, fake.run.steps);
  fake_close(&fake);
  assert_string_equal(fake.run.sink.failure, "");
  for (int i = 0; NsWriterTypes[i]; i++) {
    for (int k = 0; NsWriterTypes[i]->csv[k]; k++) {
      const NsCsvType *type = NsWriterTypes[i]->csv[k];
      if (access(NsSinkPath(&fake.run.sink, "%s", type->file), R_OK))
        fail_msg("writer '%s' has not written its %s", NsWriterTypes[i]->name, type->file);
      char *text = fake_read(fake.directory, type->file, NULL);
      check_written(type, text);
      free(text);
    }
  }
  assert_true(NsFolderClean(fake.run.sink.folder));
  assert_int_equal(unlink(NsSinkPath(&fake.run.sink, NS_FOLDER_LIST)), 0);
  files_left = 0;
  assert_int_equal(nftw(fake.directory, count_left, 8, FTW_DEPTH | FTW_PHYS), 0);
  if (files_left) fail_msg("%d files were made and not claimed, so that --overwrite leaves them", files_left);
  fake_destroy(&fake);
}

/* ---- resumed runs ------------------------------------------------------------------------------------------------------------------------------ */

/* A run that goes on from its history between two rows writes the rest of its tables once more, to the last byte. */
static void test_resumed_tables_are_the_same(void **state)
{
  FakeRun         fake, resumed;
  NsContactReport before[FAKE_CANDIDATES];
  Store           store = {NULL};
  char           *whole[16];
  int             tables = 0;

  (void)state;
  open_fake(&fake, NULL);
  write_steps(&fake, 0, 4);
  memcpy(before, fake.before, sizeof(before));
  NsArchive archive = {.reading = PETSC_FALSE, .move = put, .context = &store};
  for (int i = 0; i < fake.run.writers; i++) assert_int_equal(NsWriterSerialize(fake.run.writer[i], &archive), 0);
  write_steps(&fake, 5, fake.run.steps);
  fake_close(&fake);
  for (int i = 0; i < fake.run.writers; i++) {
    for (int k = 0; fake.run.writer[i]->type->csv[k]; k++, tables++) {
      assert_in_range(tables, 0, 15);
      whole[tables] = fake_read(fake.directory, fake.run.writer[i]->type->csv[k]->file, NULL);
    }
  }

  open_fake(&resumed, fake.directory);
  memcpy(resumed.before, before, sizeof(before));
  archive.reading = PETSC_TRUE;
  archive.move    = get;
  for (int i = 0; i < resumed.run.writers; i++) assert_int_equal(NsWriterSerialize(resumed.run.writer[i], &archive), 0);
  assert_string_equal(archive.problem, "");
  resumed.run.ledger.friction = 0.5;
  write_steps(&resumed, 5, resumed.run.steps);
  fake_close(&resumed);
  assert_string_equal(resumed.run.sink.failure, "");
  tables = 0;
  for (int i = 0; i < resumed.run.writers; i++) {
    for (int k = 0; resumed.run.writer[i]->type->csv[k]; k++, tables++) {
      const char *file = resumed.run.writer[i]->type->csv[k]->file;
      char       *text = fake_read(resumed.directory, file, NULL);
      if (strcmp(text, whole[tables])) {
        print_error("%s\n%s", whole[tables], text);
        fail_msg(
          "writer '%s': %s of a resumed run differs; what it keeps between two rows belongs in `serialize`", resumed.run.writer[i]->type->name, file);
      }
      free(text);
      free(whole[tables]);
    }
  }
  free(store.byte);
  fake_destroy(&resumed);
  fake_destroy(&fake);
}

static void find_arrays(const char *guide, const NsVtkType *type, const NsVtkArray *array)
{
  char quoted[80];

  for (; array && array->name; array++) {
    (void)snprintf(quoted, sizeof(quoted), "`%s`", array->name);
    if (!strstr(guide, quoted)) fail_msg("docs/guide/results.md does not explain array `%s` of %s", array->name, type->file);
  }
}

/* Of each table the guide has a heading or a word, and of each column its name; of frames the names of arrays. */
static void test_the_guide_has_all_columns(void **state)
{
  const char      *path = PERCUSS_SOURCE_DIR "/docs/guide/results.md";
  FILE            *file = fopen(path, "r");
  char            *text = calloc(1, 1 << 20);
  const NsCsvType *type;
  const NsVtkType *frame;

  (void)state;
  assert_non_null(file);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  FOR_EACH_TABLE(type)
  {
    if (!strstr(text, type->file)) fail_msg("docs/guide/results.md does not mention %s", type->file);
    for (const NsColumn *column = type->column; column->name && type->kind != NS_CSV_ANALYSIS; column++) {
      char        quoted[80];
      const char *digit = strpbrk(column->name, "0123456789");
      if (strpbrk(column->name, "[*?")) continue; /* names of the model's choice */
      (void)snprintf(quoted, sizeof(quoted), "`%s`", column->name);
      if (strstr(text, quoted)) continue;
      (void)snprintf(quoted, sizeof(quoted), "`_%s`", digit ? digit : ""); /* `friction_force_1`, `_2` */
      if (!digit || !strstr(text, quoted)) fail_msg("docs/guide/results.md does not explain column `%s` of %s", column->name, type->file);
    }
  }
  for (int i = 0; (frame = NsVtkTypeAt(i)); i++) {
    find_arrays(text, frame, frame->point);
    find_arrays(text, frame, frame->cell);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tables_are_described),
    cmocka_unit_test(test_frames_are_described),
    cmocka_unit_test(test_types_are_whole),
    cmocka_unit_test(test_keys_begin_with_every),
    cmocka_unit_test(test_what_is_written_is_removed),
    cmocka_unit_test(test_resumed_tables_are_the_same),
    cmocka_unit_test(test_the_guide_has_all_columns),
  };
  return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
