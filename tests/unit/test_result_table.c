/* Tables read back: every bit, rows cut in the middle, and files that are not tables. */
#include "reader.h"
#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/decimal.h"
#include "results/columns.h"
#include "results/table.h"

static NsArena *arena;
static NsDiag  *diag;
static char     folder[64];

static int setup(void **state)
{
  (void)state;
  arena = NsArenaCreate();
  diag  = NsDiagCreate(arena);
  strcpy(folder, "/tmp/percuss_table_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
  (void)state;
  NsArenaDestroy(&arena);
  return rmdir(folder);
}

static const NsResultTable *read_bytes(const char *name, const char *bytes, size_t size)
{
  const char          *path = NsArenaPrint(arena, "%s/%s", folder, name);
  FILE                *file = fopen(path, "wb");
  const NsResultTable *table;

  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  table = NsResultTableRead(path, arena, diag);
  assert_int_equal(unlink(path), 0);
  return table;
}

static const NsResultTable *read_text(const char *name, const char *text)
{
  return read_bytes(name, text, strlen(text));
}

static const NsResultTable *good(const char *name, const char *text)
{
  const NsResultTable *table = read_text(name, text);

  if (!table) fail_msg("%s", printed(diag, arena));
  assert_int_equal(NsDiagErrors(diag), 0);
  return table;
}

static void refuses(const char *name, const char *text, const char *expected)
{
  const char *message;

  if (read_text(name, text)) fail_msg("accepted: %s", text);
  message = printed(diag, arena);
  if (!strstr(message, expected)) fail_msg("said: %s\nexpected: %s", message, expected);
}

static void numbers_come_back_to_the_last_bit(void **state)
{
  enum { COUNT = 2000 };
  const double         rare[] = {0, -0.0, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 0.1, 1.0 / 3, 1e-7, INFINITY, -INFINITY, 123456789012345678.0};
  const int            rares  = (int)(sizeof(rare) / sizeof(*rare));
  double               value[COUNT];
  char                *text   = NsArenaAlloc(arena, (size_t)COUNT * 40 + 100);
  size_t               used   = (size_t)sprintf(text, "time,kinetic\n");
  unsigned long        random = 12345;
  const NsResultTable *table;

  (void)state;
  for (int i = 0; i < COUNT; i++) {
    union {
      unsigned long bits;
      double        x;
    } any;
    do {
      random   = random * 6364136223846793005ul + 1442695040888963407ul;
      any.bits = random;
    } while (isnan(any.x));
    value[i] = i < rares ? rare[i] : any.x;
    used += (size_t)sprintf(text + used, "%d,", i);
    used += (size_t)NsDecimal(value[i], text + used);
    text[used++] = '\n';
  }
  table = read_bytes("energy.csv", text, used);
  assert_non_null(table);
  assert_int_equal(table->rows, COUNT);
  assert_false(table->unfinished);
  for (int i = 0; i < COUNT; i++) {
    assert_memory_equal(&table->column[1].numbers[i], &value[i], sizeof(double));
    assert_true(table->column[0].numbers[i] == i);
  }
}

static void words_units_and_quotes(void **state)
{
  const NsResultTable *table =
    good("contacts.csv", "time,wall.gap,wall.state,\"a \"\"b\"\", c.friction_impulse_2\"\n0,1,open,nan\n1,-2.5e-07,closed,\n");

  (void)state;
  assert_int_equal(table->columns, 4);
  assert_int_equal(table->rows, 2);
  assert_string_equal(table->column[0].unit, "s");
  assert_string_equal(table->column[1].unit, "m");
  assert_string_equal(table->column[3].name, "a \"b\", c.friction_impulse_2");
  assert_string_equal(table->column[3].unit, "N s");
  assert_null(table->column[2].numbers);
  assert_null(table->column[1].words);
  assert_string_equal(table->column[2].words[0], "open");
  assert_string_equal(table->column[2].words[1], "closed");
  assert_true(isnan(table->column[3].numbers[0]) && isnan(table->column[3].numbers[1]));
  assert_true(table->column[1].numbers[1] == -2.5e-7);
  assert_ptr_equal(NsResultTableColumn(table, "wall.gap"), &table->column[1]);
  assert_null(NsResultTableColumn(table, "wall"));
  table = good("events.csv", "time,contact,event\n0,12,impact\n1,\"12\",slip\n2,\"x,\"\"y\",slip\n");
  assert_string_equal(table->column[1].words[0], "12"); /* a contact whose name is a number */
  assert_string_equal(table->column[1].words[1], "12");
  assert_string_equal(table->column[1].words[2], "x,\"y");
  table = good("history.csv", "time,bar@0.5.ux,block.s\r\n0,1,2\r\n");
  assert_string_equal(table->column[1].unit, "m");
  assert_null(table->column[2].unit);
  assert_true(table->column[2].numbers[0] == 2);
  table = good("study.csv", "h,scheme,error\n1e-3,half_explicit,0.1\n,moreau_jean,\n"); /* unknown name: by the content */
  assert_non_null(table->column[1].words);
  assert_non_null(table->column[0].numbers);
  assert_true(isnan(table->column[2].numbers[1]));
}

static void a_last_row_that_is_not_whole_is_left_out(void **state)
{
  static const char    text[] = "time,kinetic,elastic\n0,1,2\n1,10,20\n";
  const NsResultTable *table;

  (void)state;
  for (size_t size = 0; size < strlen(text); size++) {
    const char *end  = memchr(text, '\n', size);
    const long  rows = end && memchr(end + 1, '\n', size - (size_t)(end + 1 - text)) ? 1 : 0;

    table = read_bytes("energy.csv", text, size);
    if (!table) fail_msg("%d bytes: %s", (int)size, printed(diag, arena));
    assert_int_equal(table->rows, rows);
    assert_int_equal(table->unfinished, text[size ? size - 1 : 0] != '\n');
    assert_int_equal(table->columns, memchr(text, '\n', size) ? 3 : 0);
  }
  table = read_bytes("energy.csv", "time,kinetic\n0,1\n1,\0\0\0\0", 23); /* a machine that went down */
  assert_int_equal(table->rows, 1);
  assert_true(table->unfinished);
  table = read_bytes("energy.csv", "time,kinetic\n0,1\n\0\0\0\0", 21);
  assert_int_equal(table->rows, 1);
  assert_true(table->unfinished);
}

static void invalid_tables_are_refused(void **state)
{
  (void)state;
  refuses("energy.csv", "t,kinetic\n0,1\n", "energy.csv:1:1: error: not a table energy.csv of percuss: its first column must be 'time'");
  refuses("modes.csv", "time,re\n0,1\n", "its first column must be 'mode'");
  refuses("energy.csv", "time,kinetic\n0,1\n1,2,3\n2,1\n", "energy.csv:3:1: error: 3 values in this row, but 2 names in the first line");
  refuses("energy.csv", "time,kinetic\n0\n1,2\n", "energy.csv:2:1: error: 1 value in this row");
  refuses("energy.csv", "time,kinetic\n0,1\n\n1,2\n", "energy.csv:3:1: error: 1 value in this row");
  refuses("energy.csv", "time,kinetic\n0,1,5\n1,0\n", "energy.csv:2:1: error: 3 values");
  refuses("energy.csv", "time,kinetic\n0,0x1p3\n1,0\n", "energy.csv:2:3: error: expected a number here, in column 'kinetic'");
  refuses("energy.csv", "time,kinetic\n0, 1\n1,0\n", "energy.csv:2:3: error: expected a number");
  refuses("energy.csv", "time,kinetic\n0,1-2\n1,0\n", "energy.csv:2:3: error: expected a number");
  refuses("energy.csv", "time,kinetic\n0,\"1\"\n1,0\n", "energy.csv:2:3: error: expected a number");
  refuses("energy.csv", "time,kinetic\n0,1;2\n", "energy.csv:2:3: error: expected a number");
  refuses("events.csv", "time,contact\n0,\"a\"b\n1,c\n", "events.csv:2:3: error: an unterminated quote");
  refuses("events.csv", "time,contact\n0,\"a\n1,c\n", "events.csv:2:3: error: an unterminated quote");
  refuses("study.csv", "0,1\n1,2\n", "study.csv:1:1: error: not a table of percuss: expected names of columns here, not numbers");
  refuses("study.csv", "a,,b\n1,2,3\n", "study.csv:1:3: error: not a table of percuss: expected names of columns here");
  refuses("study.csv", "a,\"b\n1,2\n", "study.csv:1:3: error: an unterminated quote, or text between a quote and the next comma");
  refuses("study.csv", "hello", "study.csv:1:1: error: not a table of percuss");
  refuses("energy.csv", "hello", "energy.csv:1:1: error: not a table of percuss");
  assert_null(read_bytes("energy.csv", "time\0kinetic\n", 13));
  assert_non_null(strstr(printed(diag, arena), "it contains bytes that are not text"));
  assert_null(NsResultTableRead("/tmp/percuss_no_such_file.csv", arena, diag));
  assert_non_null(strstr(printed(diag, arena), "cannot read /tmp/percuss_no_such_file.csv: No such file"));
  assert_null(NsResultTableRead(folder, arena, diag));
  assert_non_null(strstr(printed(diag, arena), "Is a directory"));
  const char *pipe = NsArenaPrint(arena, "%s/energy.csv", folder); /* without a writer: must not block */
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_null(NsResultTableRead(pipe, arena, diag));
  assert_non_null(strstr(printed(diag, arena), "energy.csv: not a regular file"));
  assert_int_equal(unlink(pipe), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(numbers_come_back_to_the_last_bit, setup, teardown),
    cmocka_unit_test_setup_teardown(words_units_and_quotes, setup, teardown),
    cmocka_unit_test_setup_teardown(a_last_row_that_is_not_whole_is_left_out, setup, teardown),
    cmocka_unit_test_setup_teardown(invalid_tables_are_refused, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
