/*
  VTK files byte by byte, the series, and what happens when there is no room. tests/tools/vtk_strict.py and check_vtk.py judge the same files.
*/
#include "fake_run.h"
#include "output/vtk.h"
#include <petscsys.h>
#include <sys/stat.h>

static int python(const char *script, const char *arguments)
{
  char command[2048];

  snprintf(command, sizeof(command), "PATH=/usr/bin:$PATH python3 %s/tests/tools/%s %s >&2", PERCUSS_SOURCE_DIR, script, arguments);
  return system(command);
}

/* A number of a file: big endian. */
static double big_double(const char *bytes)
{
  uint64_t word = 0;
  double   value;

  for (int i = 0; i < 8; i++) word = word << 8 | (unsigned char)bytes[i];
  memcpy(&value, &word, 8);
  return value;
}

static int big_int(const char *bytes)
{
  uint32_t word = 0;

  for (int i = 0; i < 4; i++) word = word << 8 | (unsigned char)bytes[i];
  return (int)word;
}

/* What follows a line of this text, which must be there exactly once. */
static const char *after(const char *file, size_t size, const char *line)
{
  const char *found = memmem(file, size, line, strlen(line));

  if (!found) fail_msg("no line '%s'", line);
  assert_null(memmem(found + 1, (size_t)(file + size - found - 1), line, strlen(line)));
  return found + strlen(line);
}

/* Arrays of the tests' own files. */
typedef struct {
  const PetscReal *displacement, *radius, *moment, *tensor;
  const PetscInt  *body;
} Values;

static const NsVtkArray points_of[] = {
  {"displacement", NS_VTK_VECTORS, "m", "", offsetof(Values, displacement)}, {"radius", NS_VTK_SCALARS, "m", "", offsetof(Values, radius)}, {NULL}};
static const NsVtkArray cells_of[] = {{"body", NS_VTK_INTEGERS, "", "", offsetof(Values, body)},
  {"moment", NS_VTK_VECTORS, "N m", "", offsetof(Values, moment)}, {"tensor", NS_VTK_TENSORS, "Pa", "", offsetof(Values, tensor)}, {NULL}};
static const NsVtkType  type_of    = {"a.vtk", "points", points_of, cells_of};

/* A picture of the tests under this name: a grid, or without a scene a cloud. */
static PetscBool write_picture(NsVtk *vtk, const char *name, const NsScene *scene, PetscInt points, const PetscReal *x, const Values *values)
{
  return NsVtkWrite(vtk, &(NsVtkPicture){.name = name,
                           .title              = "two\npoints \xc3\xa9",
                           .time               = 0.1,
                           .step               = 12,
                           .scene              = scene,
                           .points             = points,
                           .x                  = x,
                           .type               = &type_of,
                           .values             = values});
}

/* Under its name there is the whole picture or nothing. */
static void test_half_picture(void **state)
{
  enum { POINTS = 40000 }; /* larger than the buffer */
  FakeRun    fake;
  NsVtk      vtk;
  PetscReal *x = calloc(3 * POINTS, sizeof(*x));

  (void)state;
  fake_create(&fake);
  NsVtkCreate(&vtk, &fake.run.sink, &NsVtkFormat_Legacy);
  for (int round = 0; round < 2; round++) {
    assert_true(write_picture(&vtk, "a.vtk", NULL, POINTS, x, &(Values){.displacement = x}));
    assert_int_equal(access(NsSinkPath(&fake.run.sink, "a.vtk"), F_OK), 0);
    assert_int_equal(access(NsSinkPath(&fake.run.sink, "a.vtk.part"), F_OK), -1);
  }
  assert_true(NsFolderClaim(NsFileFolder(&fake.run.sink), "b.vtk"));
  assert_int_equal(mkdir(NsSinkPath(&fake.run.sink, "b.vtk"), 0777), 0); /* in the way of the name */
  assert_false(write_picture(&vtk, "b.vtk", NULL, 1, x, &(Values){.displacement = x}));
  assert_int_equal(access(NsSinkPath(&fake.run.sink, "b.vtk.part"), F_OK), -1);
  assert_int_equal(NsRunExit(&fake.run), NS_EXIT_FAILED);
  assert_non_null(strstr(fake.run.sink.failure, "b.vtk: Is a directory"));
  free(x);
  fake_destroy(&fake);
}

static void test_grid(void **state)
{
  FakeRun     fake;
  NsVtk       vtk;
  size_t      size;
  char       *file;
  const char *p;
  PetscReal   x[6] = {0, 0, 0, 1, 2, -0.1}, value[2] = {1.5, -2.5};
  PetscInt    cell[2] = {0, 1}, number = -7;
  NsCellKind  kind = NS_CELL_LINE;

  (void)state;
  fake_create(&fake);
  NsVtkCreate(&vtk, &fake.run.sink, &NsVtkFormat_Legacy);
  const NsScene scene = {.points = 2, .cells = 1, .x = x, .kind = &kind, .cell = cell};
  assert_true(write_picture(&vtk, "a.vtk", &scene, 0, NULL, &(Values){.radius = value, .body = &number, .moment = x + 3}));
  file = fake_read(fake.directory, "a.vtk", &size);
  assert_int_equal(
    strncmp(file, "# vtk DataFile Version 3.0\ntwo?points ??\nBINARY\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 2\nTimeValue 1 1 double\n", 112), 0);
  assert_true(big_double(after(file, size, "TimeValue 1 1 double\n")) == 0.1);
  assert_true(big_double(after(file, size, "\nCYCLE 1 1 double\n")) == 12);
  p = after(file, size, "\nPOINTS 2 double\n");
  for (int i = 0; i < 6; i++) assert_true(big_double(p + 8 * i) == x[i]);
  p = after(file, size, "\nCELLS 1 3\n");
  assert_int_equal(big_int(p), 2);
  assert_int_equal(big_int(p + 4), 0);
  assert_int_equal(big_int(p + 8), 1);
  assert_int_equal(big_int(after(file, size, "\nCELL_TYPES 1\n")), 3);
  p = after(file, size, "\nPOINT_DATA 2\nSCALARS radius double 1\nLOOKUP_TABLE default\n");
  assert_true(big_double(p + 8) == -2.5);
  assert_int_equal(big_int(after(file, size, "\nCELL_DATA 1\nSCALARS body int 1\nLOOKUP_TABLE default\n")), -7);
  p = after(file, size, "\nVECTORS moment double\n");
  assert_true(big_double(p + 16) == -0.1);
  assert_int_equal(p + 24 + 1 - file, (long)size);
  assert_int_equal(file[size - 1], '\n');
  free(file);
  assert_int_equal(python("vtk_strict.py", NsSinkPath(&fake.run.sink, "a.vtk")), 0);
  fake_destroy(&fake);
}

/* A cell of each kind, one after the other, with tensors. */
static void test_cells(void **state)
{
  NsCellKind kind[] = {NS_CELL_VERTEX, NS_CELL_LINE, NS_CELL_TRIANGLE, NS_CELL_QUAD, NS_CELL_TETRA, NS_CELL_HEXAHEDRON, NS_CELL_QUADRATIC_TETRA};
  static const int ends[] = {1, 2, 3, 4, 4, 8, 10};
  enum { CELLS = PETSC_STATIC_ARRAY_LENGTH(kind), POINTS = 10 };
  PetscReal   x[3 * POINTS] = {0}, tensor[9 * CELLS];
  PetscInt    cell[CELLS * NS_CELL_POINTS], at = 0;
  FakeRun     fake;
  NsVtk       vtk;
  size_t      size;
  char       *file;
  const char *p;

  (void)state;
  for (int c = 0; c < CELLS; c++) {
    assert_int_equal(NsCellPoints(kind[c]), ends[c]);
    for (int k = 0; k < ends[c]; k++) cell[at++] = POINTS - 1 - k;
  }
  for (int i = 0; i < 9 * CELLS; i++) tensor[i] = i;
  fake_create(&fake);
  NsVtkCreate(&vtk, &fake.run.sink, &NsVtkFormat_Legacy);
  const NsScene scene = {.points = POINTS, .cells = CELLS, .x = x, .kind = kind, .cell = cell};
  assert_true(write_picture(&vtk, "a.vtk", &scene, 0, NULL, &(Values){.displacement = x, .tensor = tensor}));
  file = fake_read(fake.directory, "a.vtk", &size);
  p    = after(file, size, "\nCELLS 7 39\n");
  for (int c = 0; c < CELLS; c++) {
    assert_int_equal(big_int(p), ends[c]);
    for (int k = 0; k < ends[c]; k++) assert_int_equal(big_int(p + 4 * (k + 1)), POINTS - 1 - k);
    p += 4 * (ends[c] + 1);
  }
  p = after(file, size, "\nCELL_TYPES 7\n");
  for (int c = 0; c < CELLS; c++) assert_int_equal(big_int(p + 4 * c), (int)kind[c]);
  p = after(file, size, "\nTENSORS tensor double\n");
  for (int i = 0; i < 9 * CELLS; i++) assert_true(big_double(p + 8 * i) == i);
  free(file);
  assert_int_equal(python("vtk_strict.py", NsSinkPath(&fake.run.sink, "a.vtk")), 0);
  fake_destroy(&fake);
}

/* VTK reads the same from files of both formats: grids with cells of every kind, grids without cells, clouds, also empty ones. */
static void test_formats(void **state)
{
  NsCellKind kind[] = {NS_CELL_VERTEX, NS_CELL_LINE, NS_CELL_TRIANGLE, NS_CELL_QUAD, NS_CELL_TETRA, NS_CELL_HEXAHEDRON, NS_CELL_QUADRATIC_TETRA};
  enum { CELLS = PETSC_STATIC_ARRAY_LENGTH(kind), POINTS = 10 };
  const NsVtkFormat *const format[] = {&NsVtkFormat_Legacy, &NsVtkFormat_Xml};
  PetscReal                x[3 * POINTS], tensor[9 * CELLS];
  PetscInt                 cell[CELLS * NS_CELL_POINTS], body[CELLS], at = 0;
  FakeRun                  fake;
  NsVtk                    vtk[2];

  (void)state;
  for (int c = 0; c < CELLS; c++) {
    for (int k = 0; k < NsCellPoints(kind[c]); k++) cell[at++] = POINTS - 1 - k;
    body[c] = c - 3;
  }
  for (int i = 0; i < 3 * POINTS; i++) x[i] = 0.1 * i;
  for (int i = 0; i < 9 * CELLS; i++) tensor[i] = i - 0.3;
  fake_create(&fake);
  const NsScene scene[] = {{.points = POINTS, .cells = CELLS, .x = x, .kind = kind, .cell = cell}, {.points = POINTS, .x = x}};
  const Values  values  = {.displacement = x, .radius = x + 7, .body = body, .moment = tensor, .tensor = tensor};
  for (int f = 0; f < 2; f++) {
    NsVtkCreate(&vtk[f], &fake.run.sink, format[f]);
    const char *const end = NsVtkFormatNames[f];
    assert_true(write_picture(&vtk[f], NsArenaPrint(fake.run.arena, "cells.%s", end), &scene[0], 0, NULL, &values));
    assert_true(write_picture(&vtk[f], NsArenaPrint(fake.run.arena, "points.%s", end), &scene[1], 0, NULL, &values));
    assert_true(write_picture(&vtk[f], NsArenaPrint(fake.run.arena, "cloud.%s", end), NULL, POINTS, x, &values));
    assert_true(write_picture(&vtk[f], NsArenaPrint(fake.run.arena, "empty.%s", end), NULL, 0, x, &values));
  }
  assert_int_equal(python("vtk_same.py", fake.directory), 0);
  fake_destroy(&fake);
}

/* Points without cells are drawn as vertices; a cloud may be empty; blocks may be longer than the buffer. */
static void test_sizes(void **state)
{
  FakeRun        fake;
  NsVtk          vtk;
  const PetscInt n        = 100000;
  PetscReal     *x        = calloc(3 * (size_t)n, sizeof(*x));
  const PetscInt points[] = {1, 0, n};

  (void)state;
  fake_create(&fake);
  NsVtkCreate(&vtk, &fake.run.sink, &NsVtkFormat_Legacy);
  for (int i = 0; i < 3; i++) {
    for (int grid = 0; grid < 2; grid++) {
      const NsScene scene = {.points = points[i], .x = x};
      assert_true(write_picture(
        &vtk, NsArenaPrint(fake.run.arena, "%d%d.vtk", i, grid), grid ? &scene : NULL, points[i], x, &(Values){.displacement = x, .radius = x}));
    }
  }
  assert_int_equal(python("vtk_strict.py", NsSinkPath(&fake.run.sink, "*.vtk")), 0);
  assert_true(NsVtkFits(&NsVtkFormat_Legacy, 1000000, 1000000));
  assert_false(NsVtkFits(&NsVtkFormat_Legacy, 1 << 30, 10));
  assert_false(NsVtkFits(&NsVtkFormat_Legacy, 10, 1 << 30));
  assert_true(NsVtkFits(&NsVtkFormat_Xml, 1 << 30, 1 << 30));
  free(x);
  fake_destroy(&fake);
}

static void test_series(void **state)
{
  FakeRun fake;
  char   *text;

  (void)state;
  fake_create(&fake);
  fake.frames.every = 3;
  fake_open(&fake);
  for (PetscInt64 step = 0; step <= fake.run.steps; step++) {
    fake.report[0].state    = step % 2 ? NS_CLOSED : NS_OPEN;
    fake.report[0].force[0] = step % 2 ? 3.25 : 0;
    fake.report[1].state    = step == 6 ? NS_SLIP : NS_OPEN;
    fake.report[1].force[0] = step == 6 ? 1e-3 : 0;
    fake.report[1].force[1] = step == 6 ? -1e-4 : 0;
    fake_write(&fake, step);
    if (step == 0) { /* a run that is killed now opens */
      text = fake_read(fake.directory, "fake bar.vtk.series", NULL);
      assert_string_equal(text, "{\"file-series-version\":\"1.0\",\"files\":[\n{\"name\":\"frames/fake bar_000000.vtk\",\"time\":0}\n]}\n");
      free(text);
    }
  }
  fake_close(&fake);
  assert_string_equal(fake.run.sink.failure, "");
  text = fake_read(fake.directory, "fake bar.vtk.series", NULL);
  assert_string_equal(text, "{\"file-series-version\":\"1.0\",\"files\":[\n{\"name\":\"frames/fake bar_000000.vtk\",\"time\":0},\n"
                            "{\"name\":\"frames/fake bar_000001.vtk\",\"time\":0.375},\n{\"name\":\"frames/fake bar_000002.vtk\",\"time\":0.75},\n"
                            "{\"name\":\"frames/fake bar_000003.vtk\",\"time\":1}\n]}\n");
  free(text);
  text = fake_read(fake.directory, "fake bar_contacts.vtk.series", NULL);
  assert_non_null(strstr(text, "{\"name\":\"frames/contacts_000003.vtk\",\"time\":1}\n]}\n"));
  free(text);
  assert_int_equal(python("check_vtk.py", fake.directory), 0);
  fake_destroy(&fake);
}

static PetscErrorCode beam_fields(NsModel *model, PetscReal t, Vec q, Vec v, Vec a, NsFields *fields)
{
  PetscFunctionBegin;
  PetscCall(fake_fields(model, t, q, v, a, fields));
  for (PetscInt i = 0; i < 3 * model->scene.points; i++) fields->rotation[i] = 0.01 * (double)i;
  for (PetscInt i = 0; i < 3 * model->scene.cells; i++) {
    fields->section_force[i]  = (double)i;
    fields->section_moment[i] = -0.5 * (double)i;
  }
  PetscFunctionReturn(0);
}

/* Beams: rotations, section forces and moments, a cell that only draws, a vertex for the point that no line reaches. Without beams these arrays are missing. */
static void test_beams(void **state)
{
  static NsCellKind kind[] = {NS_CELL_LINE, NS_CELL_LINE, NS_CELL_VERTEX};
  static PetscInt   cell[] = {0, 1, 1, 2, 3}, body[] = {0, 0, 1}, element[] = {0, -1, 0};
  static const int  words[] = {2, 0, 1, 2, 1, 2, 1, 3}, types[] = {3, 3, 1};
  FakeRun           fake;
  size_t            size;
  char             *file;
  const char       *p;

  (void)state;
  for (int beams = 0; beams < 2; beams++) {
    fake_create(&fake);
    fake.model.scene.kind      = kind;
    fake.model.scene.cell      = cell;
    fake.model.scene.body      = body;
    fake.model.scene.element   = element;
    fake.model.scene.rotations = fake.model.scene.beams = beams;
    if (beams) fake.model.view.fields = beam_fields;
    fake_open(&fake);
    for (PetscInt64 step = 0; step <= fake.run.steps; step++) fake_write(&fake, step);
    fake_close(&fake);
    assert_string_equal(fake.run.sink.failure, "");
    file = fake_read(fake.directory, "frames/fake bar_000001.vtk", &size);
    assert_int_equal(memmem(file, size, "VECTORS rotation double\n", 24) != NULL, beams);
    assert_int_equal(memmem(file, size, "section_", 8) != NULL, beams);
    p = after(file, size, "\nCELLS 3 8\n");
    for (int i = 0; i < 8; i++) assert_int_equal(big_int(p + 4 * i), words[i]);
    p = after(file, size, "\nCELL_TYPES 3\n");
    for (int i = 0; i < 3; i++) assert_int_equal(big_int(p + 4 * i), types[i]);
    p = after(file, size, "\nSCALARS element int 1\nLOOKUP_TABLE default\n");
    for (int i = 0; i < 3; i++) assert_int_equal(big_int(p + 4 * i), element[i]);
    if (beams) {
      p = after(file, size, "\nVECTORS rotation double\n");
      for (int i = 0; i < 12; i++) assert_true(big_double(p + 8 * i) == 0.01 * i);
      p = after(file, size, "\nVECTORS section_force double\n");
      for (int i = 0; i < 9; i++) assert_true(big_double(p + 8 * i) == i);
      p = after(file, size, "\nVECTORS section_moment double\n");
      for (int i = 0; i < 9; i++) assert_true(big_double(p + 8 * i) == -0.5 * i);
    }
    free(file);
    assert_int_equal(python("check_vtk.py", fake.directory), 0);
    fake_destroy(&fake);
  }
}

/* The checker must see a wrong figure, a short file, and a missing frame. */
static void test_checker_can_fail(void **state)
{
  FakeRun fake;
  char   *text;
  FILE   *file;

  (void)state;
  fake_create(&fake);
  fake_open(&fake);
  for (PetscInt64 step = 0; step <= fake.run.steps; step++) fake_write(&fake, step);
  fake_close(&fake);
  assert_int_equal(python("check_vtk.py", fake.directory), 0);

  text = fake_read(fake.directory, "history.csv", NULL);
  file = fopen(NsSinkPath(&fake.run.sink, "history.csv"), "w");
  for (char *p = text; *p; p++) fputc(*p == '7' ? '1' : *p, file);
  fclose(file);
  assert_int_not_equal(python("check_vtk.py", fake.directory), 0);
  file = fopen(NsSinkPath(&fake.run.sink, "history.csv"), "w");
  fputs(text, file);
  fclose(file);
  assert_int_equal(python("check_vtk.py", fake.directory), 0);
  free(text);

  assert_int_equal(truncate(NsSinkPath(&fake.run.sink, "frames/fake bar_000003.vtk"), 500), 0);
  assert_int_not_equal(python("check_vtk.py", fake.directory), 0);
  assert_int_equal(unlink(NsSinkPath(&fake.run.sink, "frames/fake bar_000003.vtk")), 0);
  assert_int_not_equal(python("check_vtk.py", fake.directory), 0);
  fake_destroy(&fake);
}

/* A frame that cannot be written stops the run with its name and leaves neither a file nor an entry in the series. */
static void test_frame_fails(void **state)
{
  FakeRun     fake;
  char       *text, expected[256];
  const char *path;

  (void)state;
  fake_create(&fake);
  fake_open(&fake);
  fake_write(&fake, 0);
  path = NsSinkPath(&fake.run.sink, "frames/fake bar_000001.vtk");
  assert_int_equal(mkdir(path, 0777), 0); /* in the way of the next one */
  fake_write(&fake, 1);
  snprintf(expected, sizeof(expected), "cannot write %s: Is a directory", path);
  assert_string_equal(fake.run.sink.failure, expected);
  assert_int_equal(NsRunExit(&fake.run), NS_EXIT_FAILED);
  fake_close(&fake);
  assert_string_equal(fake.run.sink.failure, expected); /* the first failure is the one that is reported */
  text = fake_read(fake.directory, "fake bar.vtk.series", NULL);
  assert_null(strstr(text, "000001"));
  free(text);
  assert_int_equal(rmdir(path), 0);
  fake_destroy(&fake);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cells),
    cmocka_unit_test(test_grid),
    cmocka_unit_test(test_half_picture),
    cmocka_unit_test(test_formats),
    cmocka_unit_test(test_sizes),
    cmocka_unit_test(test_series),
    cmocka_unit_test(test_beams),
    cmocka_unit_test(test_checker_can_fail),
    cmocka_unit_test(test_frame_fails),
  };
  return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
