/*
  The bouncing ball with the schemes of [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact: Moreau-Jean, naive projection,
  projection and activation.

  m = 1 kg, g = 9.81 m/s^2, from rest at 1 m: first impact at sqrt(2/g) = 0.4515 s.
*/
#include "support.h"

static TestRun open_ball(const char *scheme, PetscReal step, PetscReal end, PetscReal gravity, const char *ball)
{
  char text[512];

  snprintf(text, sizeof(text),
    "gravity: [0, %.17g, 0]\n"
    "bodies:\n"
    "  ball: {type: bouncing_ball, %s}\n"
    "scheme: {type: %s, step: %.17g}\n"
    "time: {end: %.17g}\n",
    -gravity, ball, scheme, step, end);
  return test_run_open(text, NULL);
}

static void state_of(const NsRun *run, PetscReal *q, PetscReal *v)
{
  const PetscScalar *value;

  CHECK(VecGetArrayRead(run->state.q, &value));
  *q = value[0];
  CHECK(VecRestoreArrayRead(run->state.q, &value));
  CHECK(VecGetArrayRead(run->state.v, &value));
  *v = value[0];
  CHECK(VecRestoreArrayRead(run->state.v, &value));
}

static PetscReal energy_of(const NsRun *run)
{
  NsEnergy energy;

  CHECK(NsModelEnergy(run->model, run->state.t, run->state.q, run->state.v, &energy));
  return energy.kinetic + energy.potential;
}

/* An independent implementation, dt = 0.01 s, 2 s, columns t, q, v, P, E, e = 0.618: the same digits, but for rounding. The combined scheme was run as printed. */
static void trajectories(void **state)
{
  static const struct {
    const char *scheme, *file;
  } table[] = {
    {"moreau_jean", "ball_moreau_jean.csv"},
    {"moreau_jean, theta: 1", "ball_moreau_jean_theta1.csv"},
    {"projection_naive", "ball_projection_naive.csv"},
    {"projection_naive, metric: identity", "ball_projection_naive.csv"},
    {"projection_combined, variant: printed", "ball_projection_combined.csv"},
    {"generalised_alpha", "ball_generalised_alpha.csv"},
    {"generalised_alpha_velocity", "ball_generalised_alpha_velocity.csv"},
  };

  (void)state;
  for (size_t s = 0; s < sizeof(table) / sizeof(table[0]); s++) {
    TestRun   test = open_ball(table[s].scheme, 0.01, 2, 9.81, "contact: {restitution: 0.618}");
    char      path[512];
    double    given[5];
    int       rows = 0;
    PetscReal off  = 0;
    snprintf(path, sizeof(path), "%s/tests/published/%s", PERCUSS_SOURCE_DIR, table[s].file);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "t,q,v,P,E"), 0);
    while (fscanf(file, "%lf,%lf,%lf,%lf,%lf", &given[0], &given[1], &given[2], &given[3], &given[4]) == 5) {
      if (rows++ > 0) test_step(test.run);
      PetscReal made[5] = {test.run->state.t, 0, 0, NsContactReports(test.run->contact)[0].impulse[0], energy_of(test.run)};
      state_of(test.run, &made[1], &made[2]);
      for (int k = 0; k < 5; k++) off = PetscMax(off, PetscAbsReal(made[k] - given[k]));
    }
    fclose(file);
    test_run_close(&test);
    print_message("  %s: %.1e\n", table[s].scheme, off);
    assert_int_equal(rows, 201);
    assert_true(off < 1e-13);
  }
}

/* What a run of 2 s with e = 0.5 does at contact. */
typedef struct {
  PetscInt  approaching;     /* steps that end at g = 0 and go on approaching */
  PetscReal fastest, at_end; /* m/s: of them; greatest speed in the last ten steps */
  PetscReal deepest, gain;   /* m; J, most in a step */
} Contact;

static Contact run_ball(const char *scheme, PetscReal step)
{
  TestRun         test   = open_ball(scheme, step, 2, 9.81, "contact: {restitution: 0.5}");
  const PetscReal closed = 1e-12;
  Contact         c      = {0};
  PetscReal       energy = energy_of(test.run), q, v;

  for (PetscInt64 i = 1; i <= test.run->steps; i++) {
    const PetscReal before = energy;
    test_step(test.run);
    state_of(test.run, &q, &v);
    energy    = energy_of(test.run);
    c.gain    = PetscMax(c.gain, energy - before);
    c.deepest = PetscMax(c.deepest, -q);
    if (i > test.run->steps - 10) c.at_end = PetscMax(c.at_end, PetscAbsReal(v));
    if (PetscAbsReal(q) > closed || v > -1e-12) continue;
    c.approaching++;
    c.fastest = PetscMax(c.fastest, -v);
  }
  test_run_close(&test);
  print_message("  %s: %d steps approach, at %.4g m/s; speed at rest %.3g m/s; penetration %.2g m; gain %.2g J\n", scheme, (int)c.approaching,
    c.fastest, c.at_end, c.deepest, c.gain);
  return c;
}

/*
  What naive projection does, as an independent implementation counted it: 967 steps with the forecast at a quarter of the step; half of the step, the default, has one more. The
  first impact's approach velocity, sqrt(2 g), is among them; at rest the ball flutters, with g dt/(1 + e) downwards. Projection and activation: none, and rest. As printed
  it has a dozen: after its last bounces the ball opens, falls back within the step, and is given -e u0.
*/
static void projected_contacts(void **state)
{
  static const struct {
    const char *scheme;
    PetscInt    approaching;
  } table[] = {{"projection_naive, gamma: 0.25", 967}, {"projection_naive", 968}, {"projection_naive, metric: identity", 968}};

  (void)state;
  for (int s = 0; s < 3; s++) {
    const Contact naive = run_ball(table[s].scheme, 1.0 / 3000), coarse = run_ball(table[s].scheme, 0.01);
    assert_int_equal(naive.approaching, table[s].approaching);
    assert_near(naive.fastest, 4.43, 5e-3);
    assert_near(naive.at_end, 9.81 / 3000 / 1.5, 1e-12);
    assert_near(naive.at_end, 0.00218, 5e-6);
    assert_near(naive.gain, 6.2e-3, 1e-4);
    assert_near(coarse.gain, 5.53e-2, 1e-4);
    assert_true(naive.deepest < 1e-15);
  }
  const Contact combined = run_ball("projection_combined", 1.0 / 3000), printed = run_ball("projection_combined, variant: printed", 1.0 / 3000),
                plain = run_ball("moreau_jean", 1.0 / 3000);
  assert_int_equal(combined.approaching, 0);
  assert_true(combined.at_end < 1e-15 && combined.deepest < 1e-15 && combined.gain < 1e-14);
  assert_in_range(printed.approaching, 1, 20); /* which, is decided by rounding: with e = 0.5 the last bounces come to the floor at ends of steps */
  assert_true(printed.fastest > 1e-6 && printed.fastest < 1e-3);
  assert_true(printed.at_end < 1e-15 && printed.deepest < 1e-15);
  assert_true(plain.deepest > 1e-4 && plain.at_end < 1e-15);
}

/* Deepest penetration of a ball that falls at 1 m/s without weight, over starts that put the floor anywhere in a step. */
static PetscReal deepest(PetscReal theta, PetscReal gamma, PetscReal e)
{
  const int places = 20;
  PetscReal most   = 0, q, v;
  char      scheme[128], ball[128];

  snprintf(scheme, sizeof(scheme), "moreau_jean, theta: %.17g, gamma: %.17g", theta, gamma);
  for (int k = 0; k < places; k++) {
    snprintf(ball, sizeof(ball), "contact: {restitution: %.17g}, initial: {y: %.17g, vy: -1}", e, 0.01 * (2 + (k + 0.01) / places));
    TestRun test = open_ball(scheme, 0.01, 0.08, 0, ball);
    for (PetscInt64 i = 0; i < test.run->steps; i++) {
      test_step(test.run);
      state_of(test.run, &q, &v);
      most = PetscMax(most, -q);
    }
    test_run_close(&test);
  }
  return most;
}

/* pen <= dt |u^-| ((1 - gamma) + max(0, (1 - theta) - theta e)), which is met: the floor may lie anywhere in a step. */
static void penetration_of_moreau_jean(void **state)
{
  (void)state;
  for (int i = 0; i <= 4; i++) {
    for (int j = 0; j <= 4; j++) {
      for (int k = 0; k <= 4; k++) {
        const PetscReal theta = 0.25 * i, gamma = 0.25 * j, e = 0.25 * k;
        const PetscReal bound = 0.01 * ((1 - gamma) + PetscMax(0, (1 - theta) - theta * e)), most = deepest(theta, gamma, e);
        if (!(most <= bound * (1 + 1e-12) + 1e-15 && most >= bound - 0.06 * 0.01))
          fail_msg("theta = %g, gamma = %g, e = %g: %g m, bound %g m", theta, gamma, e, most, bound);
      }
    }
  }
}

/* A ball that comes into a corner at 45 degrees is given back by both walls, each with its restitution. */
static void corner(void **state)
{
  static const char *const schemes[] = {"projection_combined", "projection_naive", "projection_combined, theta: 1"};
  static const PetscReal   e[]       = {0.3, 0.61, 0.77};

  (void)state;
  for (size_t k = 0; k < 3 * sizeof(schemes) / sizeof(schemes[0]); k++) {
    char               text[512];
    const PetscScalar *v;
    snprintf(text, sizeof(text),
      "bodies: {ball: {type: ball_in_box, radius: 0.2 m, contact: {restitution: %g}, initial: {x: 1 m, y: 1 m, vx: -10 m/s, vy: -10 m/s}}}\n"
      "scheme: {type: %s, step: 1 ms}\n"
      "time: {end: 0.15 s}\n",
      e[k % 3], schemes[k / 3]);
    TestRun test = test_run_open(text, NULL);
    while (test_runs(test.run)) test_step(test.run);
    CHECK(VecGetArrayRead(test.run->state.v, &v));
    for (int i = 0; i < 2; i++) assert_near(v[i], 10 * e[k % 3], 1e-12);
    CHECK(VecRestoreArrayRead(test.run->state.v, &v));
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(corner),
  cmocka_unit_test(trajectories),
  cmocka_unit_test(projected_contacts),
  cmocka_unit_test(penetration_of_moreau_jean),
};
TEST_MAIN(tests)
