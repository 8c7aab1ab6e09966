/*
  Slider-crank with a coordinate for the slider and two joints: forces and rates of the joints, order and drift of the half-explicit scheme.

  [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and
  bilateral constraints, 3.1.1: lengths 1 m and 2 m, three masses of 1 kg, start (0, 0, 3), (8, -4, 0), 2 s. Rods are homogeneous.
*/
#include "crank_motion.h"
#include "held_motion.h"

extern const NsMechanism NsMechanism_SliderCrankTwoJoints;

#define SAMPLES 21 /* each 0.1 s to 2 s */

static const CrankSizes sizes = {1, 2, 1, 1, 1, 1.0 / 12, 4.0 / 12};

/* alpha1, alpha2, x and their rates at the samples. */
static void exact(PetscReal (*q)[6], PetscInt steps_each)
{
  const PetscReal energy = 8.0 * 8.0 * crank_inertia(&sizes, 0) / 2 + crank_potential(&sizes, 0);
  PetscReal       a      = 0;

  assert_near(energy, 64.0 / 3, 1e-14);
  for (int i = 0; i < SAMPLES; i++) {
    const PetscReal b = crank_rod(&sizes, a), rate = crank_speed(&sizes, a, energy);
    q[i][0] = a;
    q[i][1] = b;
    q[i][2] = sizes.l1 * PetscCosReal(a) + sizes.l2 * PetscCosReal(b);
    q[i][3] = rate;
    q[i][4] = crank_rod_rate(&sizes, a) * rate;
    q[i][5] = crank_slider_rate(&sizes, a) * rate;
    a       = crank_advance(&sizes, energy, a, 0.1, steps_each);
  }
}

static Held crank_at_its_start(void)
{
  static const double parameters[] = {1, 2, 1, 1, 1, 0, 0};

  return (Held){
    .m = &NsMechanism_SliderCrankTwoJoints, .c = {parameters, {0, -9.81, 0}}, .n = 3, .helds = 2, .held = {0, 1}, .q = {0, 0, 3}, .v = {8, -4, 0}};
}

/* The mechanism's own functions against the energy integral, which does not depend on the joints. */
static void gaps_rows_and_rates_fit_the_motion(void **state)
{
  static PetscReal q[SAMPLES][6], finer[SAMPLES][6];
  Held             h = crank_at_its_start();

  (void)state;
  exact(q, 1000);
  exact(finer, 2000);
  for (int i = 0; i < 6; i++) assert_near(q[SAMPLES - 1][i], finer[SAMPLES - 1][i], 1e-10);
  print_message("  at 2 s: alpha1 %.10f, alpha2 %.10f, x %.10f\n", q[SAMPLES - 1][0], q[SAMPLES - 1][1], q[SAMPLES - 1][2]);
  for (int i = 0; i < SAMPLES; i++) {
    for (int k = 0; k < 3; k++) {
      assert_near(h.q[k], q[i][k], 1e-9);
      assert_near(h.v[k], q[i][3 + k], 1e-8);
    }
    for (int k = 0; k < 2; k++) assert_near(held_gap(&h, k), 0, 1e-10);
    assert_near(held_energy(&h), 64.0 / 3, 1e-9);
    for (int k = 0; k < 1000; k++) held_step(&h, 1e-4);
  }
}

typedef struct {
  PetscReal error[2], drift[2], energy, force; /* of coordinates and of rates, at the samples; of both gaps; J; N, of both joints, at the end */
} Figures;

static Figures run_crank(const char *scheme, PetscReal step, PetscReal (*reference)[6])
{
  char    text[512];
  Figures f    = {{0}, {0}, 0, 0};
  Held    held = crank_at_its_start();

  snprintf(text, sizeof(text),
    "gravity: [0, -9.81, 0]\n"
    "bodies: {crank: {type: slider_crank_two_joints}}\n"
    "scheme: {type: %s, step: %.17g}\n"
    "time: {end: 2}\n",
    scheme, step);
  TestRun         test  = test_run_open(text, NULL);
  NsRun          *run   = test.run;
  const PetscInt  each  = (PetscInt)(0.1 / step + 0.5);
  const PetscReal start = run->ledger.initial;
  for (PetscInt i = 1; i <= run->steps; i++) {
    test_step(run);
    for (int k = 0; k < 2; k++) f.drift[k] = PetscMax(f.drift[k], PetscAbsReal(NsContactReports(run->contact)[k].gap));
    if (i % each) continue;
    const PetscScalar *q, *v;
    CHECK(VecGetArrayRead(run->state.q, &q));
    CHECK(VecGetArrayRead(run->state.v, &v));
    for (int k = 0; k < 3; k++) {
      f.error[0] = PetscMax(f.error[0], PetscAbsReal(q[k] - reference[i / each][k]));
      f.error[1] = PetscMax(f.error[1], PetscAbsReal(v[k] - reference[i / each][3 + k]));
    }
    CHECK(VecRestoreArrayRead(run->state.q, &q));
    CHECK(VecRestoreArrayRead(run->state.v, &v));
    CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
    f.energy = PetscMax(f.energy, PetscAbsReal(run->ledger.now.kinetic + run->ledger.now.potential - start));
  }
  for (int k = 0; k < 20000; k++) held_step(&held, 1e-4);
  for (int k = 0; k < 2; k++) f.force = PetscMax(f.force, PetscAbsReal(NsContactReports(run->contact)[k].force[0] - held.lambda[k]));
  print_message("  %s, step %g: errors %.3e %.3e, drift %.3e %.3e m, energy %.3e J, forces %.2e N of %.4f, %.4f\n", scheme, step, f.error[0],
    f.error[1], f.drift[0], f.drift[1], f.energy, f.force, held.lambda[0], held.lambda[1]);
  test_run_close(&test);
  return f;
}

/* Everything but forces is of order 2; forces are the means over half a step, of order 1. */
static void half_explicit_is_of_order_two(void **state)
{
  static PetscReal reference[SAMPLES][6];

  (void)state;
  exact(reference, 2000);
  const Figures coarse = run_crank("half_explicit", 1e-3, reference), fine = run_crank("half_explicit", 1e-4, reference);
  for (int k = 0; k < 2; k++) {
    assert_near(PetscLog10Real(coarse.error[k] / fine.error[k]), 2, 0.1);
    assert_near(PetscLog10Real(coarse.drift[k] / fine.drift[k]), 2, 0.1);
  }
  assert_near(PetscLog10Real(coarse.energy / fine.energy), 2, 0.1);
  assert_near(PetscLog10Real(coarse.force / fine.force), 1, 0.1);
  assert_true(
    fine.error[0] < 5e-6 && fine.error[1] < 3e-5 && fine.drift[0] < 6e-8 && fine.drift[1] < 4e-8 && fine.energy < 1e-5 && fine.force < 5e-3);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(gaps_rows_and_rates_fit_the_motion),
  cmocka_unit_test(half_explicit_is_of_order_two),
};
TEST_MAIN(tests)
