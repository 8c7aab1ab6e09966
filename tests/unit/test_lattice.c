/* The dropped lattice of configs/lattice_drop.yaml from inside: masses, first impact, momentum, symmetry, energy; and a frame of beams on the same mesh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <slepcsys.h>
#include <stdint.h>
#include <cmocka.h>
#include "fe/elements/beam.h"
#include "fe/model/fe.h"
#include "fe/backend/backend.h"
#include "run/private.h"

static NsArena *arena;
static NsDiag  *diag;

/* The config with these overrides, ready to step; n of them, NULL-terminated. */
static NsRun *start(const char *const *set)
{
  NsRunOptions options = {.config_path = PERCUSS_SOURCE_DIR "/configs/lattice_drop.yaml", .set = set};
  NsRun       *run;

  arena = NsArenaCreate();
  diag  = NsDiagCreate(arena);
  while (set[options.sets]) options.sets++;
  assert_int_equal(NsRunCreate(&options, arena, diag, &run), 0);
  NsDiagPrint(diag, stderr, false);
  assert_int_equal(NsDiagErrors(diag), 0);
  assert_int_equal(NsLedgerOpen(&run->ledger, run->model, &run->state), 0);
  assert_int_equal(NsContactBeginStep(run->contact), 0);
  assert_int_equal(NsContactEndStep(run->contact, &run->state), 0);
  assert_int_equal(NsSchemeStart(run->scheme, &run->state), 0);
  return run;
}

static void end(NsRun *run)
{
  assert_int_equal(NsRunDestroy(&run), 0);
  NsArenaDestroy(&arena);
}

/* Momentum along y, kg m/s. */
static double momentum(NsRun *run)
{
  const NsFe      *fe  = run->model->data;
  double           sum = 0;
  Vec              p;
  const PetscReal *values;

  assert_int_equal(VecDuplicate(run->state.v, &p), 0);
  assert_int_equal(NsModelMult(run->model, run->state.t, run->state.q, run->state.v, p), 0);
  assert_int_equal(VecGetArrayRead(p, &values), 0);
  for (PetscInt node = 0; node < fe->nodes; node++) sum += values[NsFeNodeUnknowns(fe, node)[1]];
  assert_int_equal(VecRestoreArrayRead(p, &values), 0);
  assert_int_equal(VecDestroy(&p), 0);
  return sum;
}

/* Mass of the lattice, and that which its bars leave at the bottom, from the drawing. */
static void masses(const NsRun *run, double *whole, double *bottom)
{
  const NsFe     *fe      = run->model->data;
  const double    density = 2700 * PETSC_PI * 0.002 * 0.002;
  const NsMesh   *mesh    = fe->body[0].mesh;
  const PetscReal floor_y = 1e-3;

  *whole = *bottom = 0;
  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscReal *a = mesh->x + 3 * mesh->connection[2 * e], *b = mesh->x + 3 * mesh->connection[2 * e + 1];
    const double     m = density * sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
    *whole += m;
    *bottom += m / 2 * ((a[1] == floor_y) + (b[1] == floor_y));
  }
}

static void step(NsRun *run, PetscInt64 number)
{
  NsStepOutcome outcome;

  assert_int_equal(NsSchemeStep(run->scheme, &run->state, run->step, &outcome), 0);
  assert_true(outcome.done);
  run->state.t = NsRunTime(run, number);
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g instead of %.17g", value, expected);
}

/* All nodes of the bottom stop at once: the loss is their kinetic energy. Then nothing is lost any more, and what the scheme makes stays small. */
static void first_impact_dissipates_the_energy_of_the_bottom(void **state)
{
  NsRun *run = start((const char *const[]){NULL});
  double whole, bottom;

  (void)state;
  masses(run, &whole, &bottom);
  assert_near(run->model->mass_total, whole, 1e-12 * whole);
  assert_int_equal(run->model->candidates, 81);
  for (PetscInt64 i = 1; i <= run->steps; i++) step(run, i);
  assert_int_equal(NsLedgerClose(&run->ledger, run->model, &run->state), 0);
  /* from 1 m/s over 1 mm; the impact comes up to a step late */
  assert_near(run->ledger.impact, bottom / 2 * (1 + 2 * 9.81 * 1e-3), 1e-4 * run->ledger.impact);
  assert_true(fabs(run->ledger.numerical) < 1e-3 * run->ledger.initial);
  end(run);
}

/* With percussions alone each step's are the change of momentum but for the weight. The lattice and the plane are symmetric: so is the motion. */
static void momentum_is_that_of_the_reactions(void **state)
{
  NsRun        *run  = start((const char *const[]){"scheme={type: moreau_midpoint, step: 2 us}", NULL});
  const NsFe   *fe   = run->model->data;
  const NsMesh *mesh = fe->body[0].mesh;
  double        whole, bottom, before = momentum(run), given = 0, largest = 0;

  (void)state;
  masses(run, &whole, &bottom);
  for (PetscInt64 i = 1; i <= run->steps; i++) {
    step(run, i);
    for (PetscInt c = 0; c < run->model->candidates; c++) given += NsContactReports(run->contact)[c].impulse[0];
    if (i % 50) continue;
    const double after = momentum(run);
    assert_near(after - before, given - whole * 9.81 * run->state.t, 1e-11 * whole);
  }
  assert_true(given > whole); /* it bounces: more than what stops it */

  const NsMeshSet *left = NsMeshNodeSet(mesh, "left");
  const PetscReal *v;
  assert_int_equal(VecGetArrayRead(run->state.v, &v), 0);
  for (PetscInt k = 0; k < left->count; k++) {
    const PetscReal *a = mesh->x + 3 * left->items[k];
    for (PetscInt i = 0; i < mesh->nodes; i++) {
      const PetscReal *b = mesh->x + 3 * i;
      if (b[0] != 0.4 || b[1] != a[1] || b[2] != a[2]) continue;
      const PetscInt *m = NsFeNodeUnknowns(fe, left->items[k]), *n = NsFeNodeUnknowns(fe, i);
      assert_near(v[m[0]], -v[n[0]], 1e-9);
      assert_near(v[m[1]], v[n[1]], 1e-9);
      assert_near(v[m[2]], v[n[2]], 1e-9);
      largest = fmax(largest, fabs(v[m[0]]));
    }
  }
  assert_true(largest > 1e-3); /* and it was no rigid flight */
  assert_int_equal(VecRestoreArrayRead(run->state.v, &v), 0);
  end(run);
}

/* Stiff joints need no braces. Elements that are alike share their matrices, in whatever order they come. */
static void frame_of_beams(void **state)
{
  NsRun      *run   = start((const char *const[]){
           "bodies.lattice={type: beam, mesh: {lattice: {from: [0, 1 mm, 0], to: [0.4 m, 0.301 m, 0.2 m], cells: [4, 3, 4]}}, material: {density: 2700 kg/m^3, "
                  "young: 70 GPa, poisson: 0.3}, section: {circle: {radius: 2 mm}}, mass: lumped, initial: {velocity: [0, -1 m/s, 0]}}",
           "scheme={type: moreau_midpoint, step: 0.5 us}", "time.end=1.5 ms", NULL});
  const NsFe *fe    = run->model->data;
  double      given = 0, before = momentum(run);
  PetscInt    kinds = 0;

  (void)state;
  assert_int_equal(fe->elements, 4 * 20 + 3 * 25 + 4 * 20);
  for (PetscInt i = 0; i < fe->elements; i++) {
    PetscInt k = 0;
    while (k < i && ((const NsBeamElement *)fe->element[k].data)->matrices != ((const NsBeamElement *)fe->element[i].data)->matrices) k++;
    kinds += k == i;
  }
  assert_int_equal(kinds, 2); /* 0.1 m along x and y, 0.05 m along z */
  for (PetscInt64 i = 1; i <= run->steps; i++) {
    step(run, i);
    for (PetscInt c = 0; c < run->model->candidates; c++) given += NsContactReports(run->contact)[c].impulse[0];
  }
  assert_near(momentum(run) - before, given - run->model->mass_total * 9.81 * run->state.t, 1e-11 * run->model->mass_total);
  assert_true(given > 0);
  end(run);
}

/* Too wide to be factored for its highest mode: the value lies above what power iteration has reached, by little, and below the bound of one element. */
static void highest_frequency_of_a_wide_lattice(void **state)
{
  NsRun *run =
    start((const char *const[]){"bodies.lattice.mesh.lattice={from: [0, 1 mm, 0], to: [0.8 m, 0.801 m, 0.8 m], cells: [16, 16, 16], braces: faces}",
      "contacts.ground.between.0=lattice.left_bottom_back", NULL});
  NsBound   bound, rate;
  PetscReal omega, damping, size, quotient = 0;
  Mat       M, C, G, K;
  Vec       x, y, mass;

  (void)state;
  assert_int_equal(run->model->analysis.frequency_bound(run->model, 0, &bound, &rate), 0);
  assert_int_equal(run->model->analysis.highest_mode(run->model, 0, &omega, &damping), 0);
  assert_true(omega < bound.value * (1 - 1e-3)); /* else the eigensolver has found nothing */
  assert_int_equal(NsFeAssemble(run->model->data, NULL, &M, &C, &G, &K), 0);
  assert_int_equal(VecDuplicate(run->state.v, &x), 0);
  assert_int_equal(VecDuplicate(x, &y), 0);
  assert_int_equal(VecDuplicate(x, &mass), 0);
  assert_int_equal(MatGetDiagonal(M, mass), 0); /* lumped: it is nothing else */
  assert_int_equal(VecSetRandom(x, NULL), 0);
  for (int i = 0; i < 2000; i++) {
    assert_int_equal(MatMult(K, x, y), 0);
    assert_int_equal(VecPointwiseDivide(y, y, mass), 0);
    assert_int_equal(VecNormalize(y, &size), 0);
    assert_int_equal(VecCopy(y, x), 0);
  }
  assert_int_equal(MatMult(K, x, y), 0);
  assert_int_equal(VecDot(x, y, &quotient), 0);
  assert_int_equal(VecPointwiseMult(y, mass, x), 0);
  assert_int_equal(VecDot(x, y, &size), 0);
  assert_true(omega >= sqrt(quotient / size) * (1 - 1e-9));
  assert_near(omega, sqrt(quotient / size), 2e-3 * omega);
  assert_int_equal(VecDestroy(&x), 0);
  assert_int_equal(VecDestroy(&y), 0);
  assert_int_equal(VecDestroy(&mass), 0);
  assert_int_equal(MatDestroy(&M), 0);
  assert_int_equal(MatDestroy(&K), 0);
  end(run);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(first_impact_dissipates_the_energy_of_the_bottom),
    cmocka_unit_test(momentum_is_that_of_the_reactions),
    cmocka_unit_test(frame_of_beams),
    cmocka_unit_test(highest_frequency_of_a_wide_lattice),
  };
  int failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (SlepcFinalize()) return 1;
  return failed;
}
