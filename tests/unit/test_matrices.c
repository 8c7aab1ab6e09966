/*
  Bodies given by matrices: those of a bar of hexahedra (meshes/cantilever_matrices.py) are the same body as `type: solid` of the same elements, in modes, runs with contact and friction, and
  whatever the kind of file; the bound of the highest frequency holds; mistakes are found.
*/
#include "support.h"
#include <stdio.h>
#include "fe/matrices/matrices.h"
#include "fe/model/fe.h"

#define MESHES PERCUSS_SOURCE_DIR "/meshes/cantilever"

#define FILES \
  "    stiffness: " MESHES ".sti\n    mass: " MESHES ".mas\n    unknowns: " MESHES ".dof\n    nodes: {file: " MESHES \
  ".inp, names: {corner: 25}}\n    units: {length: 1 mm, mass: 1 t}\n"
#define SOLID \
  "bodies:\n  bar:\n    type: solid\n    formulation: standard\n    mesh: {box: {from: [0, 0, 0], to: [120 mm, 10 mm, 10 mm], cells: [6, 1, 1]}}\n" \
  "    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}\nsupports: {foot: {at: bar.left}}\n"
#define END "scheme: {type: moreau_jean, step: 1 us}\ntime: {end: 0.5 ms}\n"

static NsFe *fe_of(const TestRun *test)
{
  return test->run->model->data;
}

static void modes_are_those_of_the_solid(void **state)
{
  TestRun      test[2] = {test_run_open(SOLID END, NULL), test_run_open("bodies:\n  bar:\n    type: matrices\n" FILES END, NULL)};
  NsModelModes modes[2];

  (void)state;
  for (int k = 0; k < 2; k++) {
    assert_int_equal(test[k].run->model->unknowns, 72);
    CHECK(NsFeModes(test[k].run->model, 72, &modes[k]));
    assert_int_equal(modes[k].count, 72);
  }
  for (int i = 0; i < 72; i++) assert_near(modes[1].omega[i] / modes[0].omega[i], 1, 1e-9);
  assert_near(test[1].run->model->mass_total, 0.0832, 1e-9); /* less what is clamped: of 0.0936 kg */
  for (int k = 0; k < 2; k++) {
    CHECK(NsModelModesDestroy(&modes[k]));
    test_run_close(&test[k]);
  }
}

/* Energies at the end. */
static NsEnergy energy_after(const char *head, const char *tip, const char *edge, const char *scheme)
{
  char text[3000];

  assert_true(snprintf(text, sizeof(text),
                "%sloads: {blow: {at: %s, force: [0, -250 N, 100 N], time: {pulse: {duration: 1 ms}}}}\n"
                "contacts: {stop: {between: [%s, {plane: {point: [0, -20 um, 0], normal: [0, 1, 0]}}], friction: 0.2}}\n%s\ntime: {end: 0.5 ms}\n",
                head, tip, edge, scheme) < (int)sizeof(text));
  TestRun  test = test_run_open(text, NULL);
  NsEnergy energy;
  while (test_runs(test.run)) (void)test_step(test.run);
  CHECK(NsModelEnergy(test.run->model, test.run->state.t, test.run->state.q, test.run->state.v, &energy));
  test_run_close(&test);
  return energy;
}

static void runs_are_those_of_the_solid(void **state)
{
  static const char *const schemes[] = {"scheme: {type: moreau_jean, step: 1 us}", "scheme: {type: modal, modes: 40, step: 1 us}",
    "scheme: {type: half_explicit, step: 0.2 us}", "scheme: {type: generalised_alpha, step: 1 us}"};
  static const char        foot[]    = "bodies:\n  bar:\n    type: matrices\n" FILES "    damping: {rayleigh: {mass: 20 1/s, stiffness: 0.1 us}}\n";
  char                     solid[1000];

  (void)state;
  (void)snprintf(solid, sizeof(solid), "%s", SOLID);
  char *supports = strstr(solid, "supports");
  (void)snprintf(supports, sizeof(solid) - (size_t)(supports - solid),
    "    damping: {rayleigh: {mass: 20 1/s, stiffness: 0.1 us}}\nsupports: {foot: {at: bar.left}}\n");
  for (int s = 0; s < 4; s++) {
    const NsEnergy a = energy_after(solid, "bar.right", "bar.right", schemes[s]), b = energy_after(foot, "bar.TIP", "bar.TIP", schemes[s]);
    assert_true(a.kinetic > 1e-3 && a.elastic > 1e-3);
    assert_near(b.kinetic / a.kinetic, 1, 1e-5); /* rounding, grown by a dozen impacts */
    assert_near(b.elastic / a.elastic, 1, 1e-5);
  }
}

/* ---- kinds of files ----------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  int    count, n;
  long   node[72];
  int    direction[72], row[4000], column[4000];
  double value[4000];
} Copy;

static void read_copy(const char *name, Copy *copy)
{
  char  path[512];
  FILE *file;

  copy->count = copy->n = 0;
  file                  = fopen(MESHES ".dof", "r");
  while (fscanf(file, "%ld.%d", &copy->node[copy->n], &copy->direction[copy->n]) == 2) copy->n++;
  fclose(file);
  (void)snprintf(path, sizeof(path), "%s.%s", MESHES, name);
  file = fopen(path, "r");
  while (copy->count < 4000 && fscanf(file, "%d %d %lf", &copy->row[copy->count], &copy->column[copy->count], &copy->value[copy->count]) == 3)
    copy->count++;
  fclose(file);
}

static void write_market(const Copy *copy, const char *path, int general)
{
  FILE *file = fopen(path, "w");
  int   both = 0;

  for (int k = 0; k < copy->count; k++) both += copy->row[k] != copy->column[k];
  fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%% comment\n%d %d %d\n", general ? "general" : "symmetric", copy->n, copy->n,
    copy->count + (general ? both : 0));
  for (int k = 0; k < copy->count; k++) {
    fprintf(file, "%d %d %.17g\n", copy->column[k], copy->row[k], copy->value[k]);
    if (general && copy->row[k] != copy->column[k]) fprintf(file, "%d %d %.17g\n", copy->row[k], copy->column[k], copy->value[k]);
  }
  fclose(file);
}

static void write_array(const Copy *copy, const char *path)
{
  static double full[72][72];
  FILE         *file = fopen(path, "w");

  for (int k = 0; k < copy->count; k++) full[copy->row[k] - 1][copy->column[k] - 1] = full[copy->column[k] - 1][copy->row[k] - 1] = copy->value[k];
  fprintf(file, "%%%%MatrixMarket matrix array real general\n%d %d\n", copy->n, copy->n);
  for (int k = 0; k < copy->n * copy->n; k++) fprintf(file, "%.17g\n", full[k / copy->n][k % copy->n]);
  fclose(file);
}

static void write_abaqus(const Copy *copy, const char *path)
{
  FILE *file = fopen(path, "w");

  fprintf(file, "*MATRIX INPUT, NAME=X\n");
  for (int k = 0; k < copy->count; k++) {
    const int i = copy->row[k] - 1, j = copy->column[k] - 1;
    fprintf(file, "%ld,%d, %ld,%d, %.16e\n", copy->node[j], copy->direction[j], copy->node[i], copy->direction[i], copy->value[k]);
  }
  fclose(file);
}

/* As Ansys writes it: one number a line, or several without blanks between them. */
static void write_harwell_boeing(const Copy *copy, const char *path, int dense)
{
  FILE *file = fopen(path, "w");
  int   at   = 0;

  fprintf(file, "Stiffness, kN\n%14d%14d%14d%14d%14d\nRSA           %14d%14d%14d%14d\n%-16s%-16s%-20s%-20s\n", 3, 1, 1, 1, 0, copy->n, copy->n,
    copy->count, 0, dense ? "(10I4)" : "(1I9)", dense ? "(10I4)" : "(1I9)", dense ? "(1P,3E24.16)" : "(1PD26.18)", "");
  for (int column = 1; column <= copy->n + 1; column++) { /* sorted by columns: the rows of one column follow each other */
    int before = 0;
    for (int k = 0; k < copy->count; k++) before += copy->column[k] < column;
    fprintf(file, dense ? "%4d" : "%9d\n", before + 1);
    if (dense && ++at % 10 == 0) fputc('\n', file);
  }
  for (int part = 0; part < 2; part++) {
    if (dense) fputc('\n', file);
    for (int column = 1, at_value = 0; column <= copy->n; column++) {
      for (int k = 0; k < copy->count; k++) {
        if (copy->column[k] != column) continue;
        if (part)
          fprintf(file, dense ? "%24.16E" : "%26.18E\n", copy->value[k]);
        else
          fprintf(file, dense ? "%4d" : "%9d\n", copy->row[k]);
        if (dense && ++at_value % (part ? 3 : 10) == 0) fputc('\n', file);
      }
    }
  }
  fclose(file);
}

static void write_mapping(const Copy *copy, const char *path)
{
  static const char *const word[] = {"UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"};
  FILE                    *file   = fopen(path, "w");

  fprintf(file, " Matrix Eqn     Node     DOF\n");
  for (int i = 0; i < copy->n; i++) fprintf(file, "%10d%10ld     %s\n", i + 1, copy->node[i], word[copy->direction[i] - 1]);
  fclose(file);
}

static void kinds_of_files_agree(void **state)
{
  static Copy copy[2];
  double      omega[7][5];

  (void)state;
  read_copy("sti", &copy[0]);
  read_copy("mas", &copy[1]);
  assert_int_equal(copy[0].n, 72);
  for (int kind = 0; kind < 7; kind++) {
    char folder[] = "/tmp/percuss_matrices_XXXXXX", path[3][100], text[2000];
    assert_non_null(mkdtemp(folder));
    for (int m = 0; m < 2; m++) {
      (void)snprintf(path[m], sizeof(path[m]), "%s/%s", folder, m ? "mass" : "stiffness");
      if (kind == 1 || kind == 2) write_market(&copy[m], path[m], kind == 2);
      if (kind == 3) write_array(&copy[m], path[m]);
      if (kind == 4) write_abaqus(&copy[m], path[m]);
      if (kind > 4) write_harwell_boeing(&copy[m], path[m], kind == 6);
    }
    (void)snprintf(path[2], sizeof(path[2]), "%s/mapping", folder);
    write_mapping(&copy[0], path[2]);
    (void)snprintf(text, sizeof(text),
      "bodies:\n  bar:\n    type: matrices\n    stiffness: %s\n    mass: %s\n%s%s%s    nodes: " MESHES
      ".inp\n    units: {length: 1 mm, mass: 1 t}\n" END,
      kind ? path[0] : MESHES ".sti", kind ? path[1] : MESHES ".mas", kind == 4 ? "" : "    unknowns: ",
      kind < 4   ? MESHES ".dof"
      : kind > 4 ? path[2]
                 : "",
      kind == 4 ? "" : "\n");
    TestRun      test = test_run_open(text, NULL);
    NsModelModes modes;
    CHECK(NsFeModes(test.run->model, 5, &modes));
    for (int i = 0; i < 5; i++) omega[kind][i] = modes.omega[i];
    for (int i = 0; i < 5; i++) assert_near(omega[kind][i] / omega[0][i], 1, 1e-10);
    CHECK(NsModelModesDestroy(&modes));
    test_run_close(&test);
    for (int m = 0; m < 3; m++) unlink(path[m]);
    rmdir(folder);
  }
}

static void the_bound_holds(void **state)
{
  TestRun test = test_run_open(
    "bodies:\n  bar:\n    type: matrices\n" FILES
    "springs: {s: {between: [bar.corner, ground], direction: [1, 0, 0], stiffness: 1e9 N/m}}\nmasses: {m: {at: bar.corner, mass: 1 g}}\n" END,
    NULL);
  NsBound      omega, rate;
  NsModelModes modes;

  (void)state;
  CHECK(NsFeFrequencyBound(test.run->model, 0, &omega, &rate));
  CHECK(NsFeModes(test.run->model, 72, &modes));
  assert_true(omega.value >= modes.omega[71]);
  assert_true(omega.value <= 6 * modes.omega[71]);
  CHECK(NsModelModesDestroy(&modes));
  test_run_close(&test);
}

/* The consistent mass of a long chain of bars: half of its diagonal is certain. By a factor, and of many DOF by Lanczos. */
static void share_of_consistent_mass(void **state)
{
  static PetscInt  start[6002], column[3 * 6001];
  static PetscReal mass[3 * 6001], stiffness[3 * 6001];

  (void)state;
  for (int n = 600; n <= 6000; n += 5400) {
    NsMatrixBounds bounds;
    PetscInt       at = 0;
    for (int i = 0; i < n; i++) {
      start[i] = at;
      for (int j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); j++, at++) {
        column[at]    = j;
        mass[at]      = i == j ? 4 : 1;
        stiffness[at] = i == j ? 2 : -1;
      }
    }
    start[n]         = at;
    const NsSparse M = {n, NULL, start, column, mass}, K = {n, NULL, start, column, stiffness}, C = {0};
    CHECK(NsMatrixFindBounds(&M, &C, &C, &K, &bounds));
    assert_true(bounds.share <= 0.5 + 1e-4 && bounds.share > 0.49); /* exactly 1 - cos(pi/(n + 1))/2 */
    assert_true(bounds.omega * bounds.omega >= 2 - 1e-9 && bounds.omega * bounds.omega < 2.1);
    for (int i = 0; i < at; i++) mass[i] = mass[i] > 2 ? 1.99 : 1; /* indefinite */
    CHECK(NsMatrixFindBounds(&M, &C, &C, &K, &bounds));
    assert_true(bounds.share == 0);
  }
}

/* The energy of couplings is x'Kx/2, that of K x, also far from where the body was. */
static void energy_is_that_of_the_matrix(void **state)
{
  TestRun  test  = test_run_open("bodies:\n  bar:\n    type: matrices\n" FILES END, NULL);
  NsModel *model = test.run->model;
  NsEnergy energy;
  Vec      h;

  (void)state;
  CHECK(NsVecsCreate(model, &h, NULL));
  for (int i = 0; i < 72; i++) NsVecArray(test.run->state.q)[i] = 1e-6 * sin(1 + 7.3 * i);
  CHECK(NsModelEnergy(model, 0, test.run->state.q, test.run->state.v, &energy));
  CHECK(NsModelForce(model, 0, test.run->state.q, test.run->state.v, h));
  double product = 0;
  for (int i = 0; i < 72; i++) product -= NsVecRead(h)[i] * NsVecRead(test.run->state.q)[i];
  assert_near(energy.elastic / (product / 2), 1, 1e-12);
  assert_int_equal(fe_of(&test)->unknowns, 72);
  CHECK(NsVecsDestroy(&h, NULL));
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(modes_are_those_of_the_solid),
  cmocka_unit_test(runs_are_those_of_the_solid),
  cmocka_unit_test(kinds_of_files_agree),
  cmocka_unit_test(the_bound_holds),
  cmocka_unit_test(share_of_consistent_mass),
  cmocka_unit_test(energy_is_that_of_the_matrix),
};

TEST_MAIN(tests)
