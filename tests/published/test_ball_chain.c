/*
  Balls in a row: [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, example (c).

  Touching ones that the first hits with v = 1 m/s share one impact: with Newton's law on all contacts, u+ = -e u-, the balls 2 .. n leave with (1 + e)/n and the first with
  (1 + e)/n - e. With gaps there is one impact after the other: e = 1 hands the velocity on.
*/
#include "support.h"

#define MOST 16

/* Keys of the chain, then of its contact; "" or ", key: value". */
static TestRun open_chain(const char *scheme, int balls, PetscReal e, const char *keys, const char *contact)
{
  char text[1024];

  snprintf(text, sizeof(text),
    "bodies:\n"
    "  row: {type: ball_chain, balls: %d%s, contact: {restitution: %.17g%s}}\n"
    "scheme: {type: %s, step: 1 ms}\n"
    "time: {end: 0.1}\n",
    balls, keys, e, contact, scheme);
  return test_run_open(text, NULL);
}

/* v at the end. */
static void run_chain(const char *scheme, int balls, PetscReal e, const char *keys, const char *contact, PetscReal v[MOST])
{
  TestRun            test = open_chain(scheme, balls, e, keys, contact);
  const PetscScalar *value;

  assert_int_equal(test.run->model->unknowns, balls);
  assert_int_equal(test.run->model->candidates, balls - 1);
  while (test.run->state.t < 0.1 - 1e-9) test_step(test.run);
  CHECK(VecGetArrayRead(test.run->state.v, &value));
  for (int i = 0; i < balls; i++) v[i] = value[i];
  CHECK(VecRestoreArrayRead(test.run->state.v, &value));
  test_run_close(&test);
}

/* Every scheme that moves the chain, with its defaults; then keys that say what bounces. Restitution of newly closed contacts alone is enough here: the others are at rest. */
static const char *const options[] = {"half_explicit, restitution_of: all_closed", "half_explicit_adaptive, restitution_of: all_closed",
  "half_explicit, decide: at_prediction", "half_explicit_two_step, decide: once", "half_explicit_acceleration, restitution_of: all_closed",
  "explicit_velocity, free_force: included", "moreau_jean_explicit, approach: end", "ggl_unified, project: active", "ggl_unified, project: none"};
#define OPTIONS (sizeof(options) / sizeof(options[0]))

static void each_scheme(void (*check)(const char *scheme))
{
  TestRun model = open_chain("half_explicit", 3, 0, "", "");

  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    if ((*type)->refuses && (*type)->refuses(model.run->model, NULL)) continue;
    print_message("  %s\n", (*type)->variant.name);
    check((*type)->variant.name);
  }
  for (size_t i = 0; i < OPTIONS; i++) check(options[i]);
  test_run_close(&model);
}

static void expect_shared(const PetscReal v[], int balls, PetscReal e)
{
  for (int i = 0; i < balls; i++) assert_near(v[i], (1 + e) / balls - (i == 0 ? e : 0), 1e-12);
}

/* e = 1: -1/3, 2/3, 2/3; 1/2: 0, 1/2, 1/2; 0: 1/3, 1/3, 1/3. From touch, and from a way off. */
static void check_touching(const char *scheme)
{
  static const int balls[] = {2, 3, 16};
  PetscReal        v[MOST];

  for (int n = 0; n < 3; n++) {
    for (int e = 0; e <= 2; e++) {
      run_chain(scheme, balls[n], e / 2.0, ", initial: {v1: 1 m/s}", "", v);
      expect_shared(v, balls[n], e / 2.0);
      run_chain(scheme, balls[n], e / 2.0, ", initial: {v1: 1 m/s, x1: -10.3 mm}", "", v);
      expect_shared(v, balls[n], e / 2.0);
    }
  }
}

static void touching_balls_share_an_impact(void **state)
{
  (void)state;
  each_scheme(check_touching);
}

/* 1.3 mm apart: more than a step's way. */
static void check_apart(const char *scheme)
{
  static const int balls[] = {2, 3, 16};
  PetscReal        v[MOST];

  for (int n = 0; n < 3; n++) {
    run_chain(scheme, balls[n], 1, ", gap: 1.3 mm, initial: {v1: 1 m/s}", "", v);
    for (int i = 0; i < balls[n]; i++) assert_near(v[i], i == balls[n] - 1, 1e-12);
  }
}

static void balls_with_gaps_pass_the_velocity_on(void **state)
{
  (void)state;
  each_scheme(check_apart);
}

/*
  The gap of touching balls is rounding where they have moved: 5 balls pushed together over gaps of 0.8 m, whose second one is 2e-16 m. The length's 1e-15, 1e-16 m, is not enough
  for it, and ball 2 is hit alone, a step before the others; a tolerance of 1e-12 m makes one impact of it.
*/
static void check_rounding(const char *scheme)
{
  static const char *const together = ", gap: 0.8 m, initial: {v1: 1 m/s, x1: 3.2, x2: 2.4, x3: 1.6, x4: 0.8}";
  PetscReal                v[MOST];

  run_chain(scheme, 5, 1, together, ", gap_tolerance: 1e-12 m", v);
  expect_shared(v, 5, 1);
}

static void rounding_is_within_the_tolerance(void **state)
{
  PetscReal v[MOST];

  (void)state;
  run_chain("half_explicit", 5, 1, ", gap: 0.8 m, initial: {v1: 1 m/s, x1: 3.2, x2: 2.4, x3: 1.6, x4: 0.8}", "", v);
  assert_true(PetscAbsReal(v[0] + 0.6) > 0.1);
  each_scheme(check_rounding);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(touching_balls_share_an_impact),
  cmocka_unit_test(balls_with_gaps_pass_the_velocity_on),
  cmocka_unit_test(rounding_is_within_the_tolerance),
};
TEST_MAIN(tests)
