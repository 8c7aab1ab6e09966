/*
  The half-explicit scheme with steps of chosen length (src/scheme/half_explicit_adaptive.c): work against steps of one length at the same accuracy, where steps end, and how long
  they are. bench_adaptive has the tables.
*/
#include <stdio.h>
#include "output/settings.h"
#include "motion.h"
#include "support.h"

#define ROTOR       "rotor_in_safety_bearing"
#define ROTOR_TRUTH "half_explicit_adaptive, step: 0.1 us, tolerance: 1, impact_step: 1 ns, positions: held"

/* A config of the repository with a scheme, and with other settings, NULL-terminated. */
static TestRun open_config(const char *name, const char *scheme, const char *const *more)
{
  char        text[16384], path[512], type[256];
  const char *set[6] = {type};
  FILE       *file;
  size_t      size;

  for (int i = 0; more && more[i]; i++) set[i + 1] = more[i];
  snprintf(path, sizeof(path), PERCUSS_SOURCE_DIR "/configs/%s.yaml", name);
  snprintf(type, sizeof(type), "scheme={type: %s}", scheme);
  file = fopen(path, "r");
  size = file ? fread(text, 1, sizeof(text), file) : 0;
  assert_true(file && size < sizeof(text));
  fclose(file);
  text[size] = 0;
  return test_run_open(text, set);
}

/* Of the rotor the journal; a contact is closed where it touches, not 10 nm before. */
static void follow(const char *name, const char *scheme, double end, Motion *motion)
{
  static const char *const of_rotor[] = {"contacts.rub.gap_tolerance=1e-11",
    "output.orbits.stations={journal: {at: shaft.left, offset: [9.5 mm, 0, 0], relative_to: housing.center}}", NULL};
  const PetscBool          rotor      = strcmp(name, ROTOR) ? PETSC_FALSE : PETSC_TRUE;
  TestRun                  test       = open_config(name, scheme, rotor ? of_rotor : NULL);
  NsStation                station;
  PetscBool                found = PETSC_TRUE;
  const char              *failed;
  char                     why[256];

  if (rotor)
    CHECK(test.run->model->view.station(test.run->model, NsOrbitStations(test.run->config.output)->items, &station, &found, why, sizeof(why)));
  assert_true(found);
  CHECK(motion_follow(test.run, rotor ? &station : NULL, end, motion, &failed));
  if (failed) fail_msg("%s: %s", scheme, failed);
  test_run_close(&test);
}

/* The mean error of steps of five lengths about this one: where in its step an impact falls is by chance. */
static double one_length(const char *name, double end, const Motion *exact, double step, const char *positions, PetscInt64 *steps)
{
  static Motion motion;
  double        sum = 0, largest;

  *steps = 0;
  for (int k = -2; k <= 2; k++) {
    char scheme[128];
    snprintf(scheme, sizeof(scheme), "half_explicit, step: %.17g, positions: %s", step * (1 + 0.0382 * k), positions);
    follow(name, scheme, end, &motion);
    sum += motion_distance(&motion, exact, &largest);
    if (k == 0) *steps = motion.tried;
  }
  return sum / 5;
}

/* Errs less than steps of one length, with at most this share of them. */
static void compare(const char *name, double end, const char *reference, double step, const char *adaptive, double share)
{
  static Motion exact, chosen;
  PetscInt64    steps;
  double        error[2], largest;

  if (reference)
    follow(name, reference, end, &exact);
  else
    motion_of_ball(end, &exact);
  error[0] = one_length(name, end, &exact, step, "free", &steps);
  follow(name, adaptive, end, &chosen);
  error[1] = motion_distance(&chosen, &exact, &largest);
  print_message("  %s: error %.2e of %.2e by %lld steps of one length, %.2e by %lld\n", name, error[0], largest, (long long)steps, error[1],
    (long long)chosen.tried);
  assert_true(error[1] < error[0]);
  assert_true((double)chosen.tried <= share * (double)steps);
}

/* To 1 nm of a clearance of 0.1 mm. At 0.1 um steps of one length are as good: it is the ringing of the shaft, then, that errs, all the time and not at impacts. */
static void orbit_of_the_rotor(void **state)
{
  (void)state;
  compare(ROTOR, 0.015, ROTOR_TRUTH, 0.09e-6, "half_explicit_adaptive, step: 1 ms, tolerance: 2e-9, impact_step: 5 ns", 1.0 / 3);
}

/* Steps of one length, e = 0: much of the error is what impacts leave of a step's way; positions: held takes it away. */
static void orbit_of_the_rotor_held(void **state)
{
  static Motion exact;
  PetscInt64    steps;
  double        error[2];

  (void)state;
  follow(ROTOR, ROTOR_TRUTH, 0.015, &exact);
  for (int k = 0; k < 2; k++) error[k] = one_length(ROTOR, 0.015, &exact, 0.5e-6, k ? "held" : "free", &steps);
  print_message("  %.2e m free, %.2e m held\n", error[0], error[1]);
  assert_true(error[1] < 4e-9 && error[1] < error[0] / 2);
}

static void bounces_of_a_ball(void **state)
{
  (void)state;
  compare("bouncing_ball", 1.3, NULL, 10e-6, "half_explicit_adaptive, step: 50 ms, impact_step: 10 us", 0.001);
}

static void slider_crank(void **state)
{
  (void)state;
  compare("slider_crank", 0.05, "half_explicit_adaptive, step: 1 us, tolerance: 1, impact_step: 1 ns", 5e-6,
    "half_explicit_adaptive, step: 1 ms, tolerance: 1e-7, impact_step: 10 ns", 1.0 / 7);
}

static void elastic_bar(void **state)
{
  (void)state;
  compare("elastic_bar", 0.6e-3, "half_explicit_adaptive, step: 10 ns, tolerance: 1, impact_step: 0.1 ns", 0.1e-6,
    "half_explicit_adaptive, step: 1 ms, tolerance: 1e-5", 1.0 / 10);
}

/* Of the rotor: never above 0.7 of the limit; a step that has an impact is of the shortest, and so is the next, unless it ends the run; the longest are long. */
static void lengths_of_steps(void **state)
{
  TestRun test = open_config(
    "rotor_in_safety_bearing", "half_explicit_adaptive, step: 1 ms, tolerance: 1e-5, impact_step: 0.2 us", (const char *[]){"time.end=20 ms", NULL});
  const PetscReal limit   = test.run->scheme->step_limit;
  PetscReal       longest = 0;
  PetscInt        impacts = 0;
  NsCounter       counter[NS_COUNTERS];
  PetscBool       after = PETSC_FALSE;

  (void)state;
  assert_near(limit, 14.4e-6, 0.2e-6);
  while (test_runs(test.run)) {
    const PetscReal     before  = test.run->state.t;
    const NsStepOutcome outcome = test_step(test.run);
    const PetscReal     length  = test.run->state.t - before;
    longest                     = PetscMax(longest, length);
    assert_true(length <= 0.7 * limit * (1 + 1e-9));
    if (outcome.impulsive || after) assert_true(length <= 0.2e-6 * (1 + 1e-9));
    after = outcome.impulsive;
    impacts += outcome.impulsive ? 1 : 0;
  }
  assert_near(test.run->state.t, 0.02, 1e-13);
  assert_true(longest > 0.69 * limit && impacts >= 10);
  assert_int_equal(test.run->scheme->type->count(test.run->scheme, counter), 2);
  assert_int_equal(counter[0].value - counter[1].value, test.run->figures.steps);
  print_message("  %d impacts, %d steps, %d tried\n", (int)impacts, (int)test.run->figures.steps, (int)counter[0].value);
  test_run_close(&test);
}

/* Steps of two lengths in turn can grow below the limit of each: with 0.9 of it allowed, tolerance 1e-2 had an energy error of 147 J, with an external work of 196 J. */
static void steps_that_change_do_not_grow(void **state)
{
  static const char *const tolerances[] = {"1e-4", "1e-3", "3e-3", "1e-2", "1e-1"};

  (void)state;
  for (int i = 0; i < 5; i++) {
    char scheme[96];
    snprintf(scheme, sizeof(scheme), "half_explicit_adaptive, step: 1 ms, tolerance: %s", tolerances[i]);
    TestRun test = open_config("rotor_in_safety_bearing", scheme, (const char *[]){"time.end=20 ms", NULL});
    for (int step = 0; test_runs(test.run); step++) {
      test_step(test.run);
      if (step % 10 == 0) CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    }
    print_message("  tolerance %s: %d steps make %.2g J\n", tolerances[i], (int)test.run->figures.steps, test.run->ledger.numerical_max);
    assert_true(test.run->ledger.numerical_max < 0.05);
    test_run_close(&test);
  }
}

/* Each impact of the ball is found within an impact_step, its penetration so deep at most. */
static void penetration_of_a_ball(void **state)
{
  static const PetscReal steps[] = {1e-3, 1e-5, 1e-7};

  (void)state;
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    const PetscReal first = PetscSqrtReal(2 / 9.81);
    PetscReal       met   = 0;
    char            scheme[128];
    snprintf(scheme, sizeof(scheme), "half_explicit_adaptive, step: 50 ms, impact_step: %g", steps[i]);
    TestRun test = open_config("bouncing_ball", scheme, (const char *[]){"time.end=1.3", NULL});
    while (test_runs(test.run)) {
      const NsStepOutcome outcome = test_step(test.run);
      if (outcome.impulsive && met == 0) met = test.run->state.t;
      assert_true(-NsContactReports(test.run->contact)[0].gap <= 4.43 * steps[i]);
    }
    assert_true(met >= first - 1e-15 && met <= first + steps[i]);
    test_run_close(&test);
  }
}

/* A tolerance that no step can keep: steps are the shortest, and the run goes on. */
static void tolerance_below_rounding(void **state)
{
  TestRun test =
    open_config("slider_crank", "half_explicit_adaptive, step: 1 ms, tolerance: 1e-30, impact_step: 50 us", (const char *[]){"time.end=10 ms", NULL});

  (void)state;
  while (test_runs(test.run)) test_step(test.run);
  assert_in_range(test.run->figures.steps, 200, 220);
  test_run_close(&test);
}

static const char *const sliding = "gravity: [0, 0, -10]\n"
                                   "bodies: {block: {type: rigid, at: [0, 0, 0], mass: 1, inertia: [1, 1, 1], initial: {velocity: [1, 0, 0]}}}\n"
                                   "supports: {guide: {at: block.center, fix: [y, rx, ry, rz]}}\n"
                                   "contacts: {floor: {between: [block.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], friction: 0.3}}\n"
                                   "scheme: {type: half_explicit_adaptive, step: 10 ms}\n"
                                   "time: {end: 0.5}\n";

/* Friction jumps where slip ends: a block of 1 m/s stops after v^2/(2 mu g) = 1/6 m, to within the tolerance of a step. Without control of the jump it is 3.3e-5 m off. */
static void slip_that_ends(void **state)
{
  static const PetscReal   tolerance[] = {1e-5, 1e-6, 1e-8};
  static const char *const steps[] = {"10 ms", "7 ms", "3 ms"}, *const positions[] = {"free", "held"};

  (void)state;
  for (int i = 0; i < 18; i++) {
    char type[128];
    snprintf(type, sizeof(type), "scheme={type: half_explicit_adaptive, step: %s, tolerance: %g, positions: %s}", steps[i % 3], tolerance[i / 3 % 3],
      positions[i / 9]);
    TestRun test = test_run_open(sliding, (const char *[]){type, NULL});
    while (test_runs(test.run)) test_step(test.run);
    PetscReal x;
    CHECK(NsModelLargest(test.run->model, test.run->state.q, &x));
    assert_near(x, 1. / 6, 3 * tolerance[i / 3 % 3] / 6);
    assert_true(test.run->figures.steps < 190); /* and not by short steps all along: 0.5 s are 167 of 3 ms */
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(slip_that_ends),
  cmocka_unit_test(orbit_of_the_rotor),
  cmocka_unit_test(orbit_of_the_rotor_held),
  cmocka_unit_test(bounces_of_a_ball),
  cmocka_unit_test(slider_crank),
  cmocka_unit_test(elastic_bar),
  cmocka_unit_test(lengths_of_steps),
  cmocka_unit_test(steps_that_change_do_not_grow),
  cmocka_unit_test(penetration_of_a_ball),
  cmocka_unit_test(tolerance_below_rounding),
};
TEST_MAIN(tests)
