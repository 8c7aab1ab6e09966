/*
  A ball falls from 1 m on a floor: [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, example (b).

  m = 1 kg, g = 9.81 m/s^2. First impact at t1 = sqrt(2/g) = 0.451523640986 s, with s = g t1; then bounces with e^k s that last 2 e^k t1; all over at t1 (1 + e)/(1 - e).
*/
#include "support.h"

#define G 9.81

static TestRun open_ball(const char *scheme, PetscReal step, PetscReal e, PetscReal end)
{
  char text[512];

  snprintf(text, sizeof(text),
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  ball: {type: bouncing_ball, contact: {restitution: %.17g}}\n"
    "scheme: {type: %s, step: %.17g}\n"
    "time: {end: %.17g}\n",
    e, scheme, step, end);
  return test_run_open(text, NULL);
}

static PetscReal value_of(Vec x)
{
  const PetscScalar *value;
  PetscReal          result;

  CHECK(VecGetArrayRead(x, &value));
  result = value[0];
  CHECK(VecRestoreArrayRead(x, &value));
  return result;
}

/*
  Step by step against an independent implementation: t, q, v, P, E in bouncing_ball_schatzman_paoli.csv, e = 0.618, dt = 0.01. The velocity v_k = (q_{k+1} - q_{k-1})/(2 dt) and the
  impulse P_k that leads from q_k to q_{k+1} stand beside t_k, as the scheme here shows them; E is of q_k and v_k. There positions are carried along and lose digits in their
  differences, here velocities: they agree to 1e-12 m and 1e-11 m/s.
*/
static void schatzman_paoli_step_by_step(void **state)
{
  TestRun   test = open_ball("schatzman_paoli", 0.01, 0.618, 2);
  FILE     *file = fopen(PERCUSS_SOURCE_DIR "/tests/published/bouncing_ball_schatzman_paoli.csv", "r");
  double    t, q, v, P, E;
  PetscReal off[4] = {0};
  int       rows   = 0;
  NsRun    *run    = test.run;

  (void)state;
  assert_non_null(file);
  assert_int_equal(fscanf(file, "t,q,v,P,E\n"), 0);
  for (; fscanf(file, "%lf,%lf,%lf,%lf,%lf\n", &t, &q, &v, &P, &E) == 5; rows++) {
    if (rows > 0) test_step(run);
    CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
    assert_near(run->state.t, t, 1e-12);
    off[0] = PetscMax(off[0], PetscAbsReal(value_of(run->state.q) - q));
    off[1] = PetscMax(off[1], PetscAbsReal(value_of(run->state.v) - v));
    off[2] = PetscMax(off[2], PetscAbsReal(NsContactReports(run->contact)[0].impulse[0] - P));
    off[3] = PetscMax(off[3], PetscAbsReal(run->ledger.now.kinetic + run->ledger.now.potential - E));
  }
  fclose(file);
  print_message("  off by %.1e m, %.1e m/s, %.1e N s, %.1e J\n", off[0], off[1], off[2], off[3]);
  assert_int_equal(rows, 201);
  assert_near(off[0], 0, 1e-12);
  for (int i = 1; i < 4; i++) assert_near(off[i], 0, 1e-11);
  test_run_close(&test);
}

/* The velocity of the ball that bounces with e = 1/2, from the closed form. */
static PetscReal exact_velocity(PetscReal t)
{
  const PetscReal e     = 0.5;
  PetscReal       begin = PetscSqrtReal(2 / G), speed = e * G * begin;

  if (t < begin) return -G * t;
  while (t >= begin + 2 * speed / G) {
    begin += 2 * speed / G;
    speed *= e;
  }
  return speed - G * (t - begin);
}
/* dt sum |v_k - v(t_k)| over the first three impacts. */
static PetscReal velocity_error(const char *scheme, PetscReal step)
{
  TestRun   test = open_ball(scheme, step, 0.5, 1.2);
  PetscReal sum  = 0;

  while (test.run->state.t < 1.2 - 1e-6 * step) {
    const PetscReal before = test.run->state.t;
    test_step(test.run);
    sum += (test.run->state.t - before) * PetscAbsReal(value_of(test.run->state.v) - exact_velocity(test.run->state.t));
  }
  test_run_close(&test);
  return sum;
}

#define OCTAVES 6
#define STEPS   24 /* in each */

/*
  Schemes that go through impacts without looking for their times are of order 1, in the velocity over all steps together ([C]: "no theoretical proof"; here 0.8 to 1.2).
  Where in its step an impact falls is by chance, and makes the error of one step length anything between nothing and twice its mean: means over many lengths are
  compared, from 4 ms downwards, octave by octave.
*/
static void velocity_has_order_one(void **state)
{
  TestRun model = open_ball("half_explicit", 1e-3, 0.5, 1);

  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    PetscReal slope = 0, mean = 0, weight = 0;
    if ((*type)->refuses && (*type)->refuses(model.run->model, NULL)) continue;
    if ((*type)->sheet.order_impacts > 1) continue; /* looks for the times of impacts */
    for (int octave = 0; octave < OCTAVES; octave++) {
      const PetscReal x = octave - (OCTAVES - 1) / 2.0;
      mean              = 0;
      for (int k = 0; k < STEPS; k++)
        mean += velocity_error((*type)->variant.name, 4e-3 * PetscPowReal(2, -octave - fmod(0.6180339887 * k, 1))) / STEPS;
      slope -= x * PetscLog2Real(mean);
      weight += x * x;
    }
    print_message("  %s: order %.2f, %.1e m at about 0.1 ms\n", (*type)->variant.name, slope / weight, mean);
    assert_near(slope / weight, 1, 0.2);
  }
  test_run_close(&model);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(schatzman_paoli_step_by_step),
  cmocka_unit_test(velocity_has_order_one),
};
TEST_MAIN(tests)
