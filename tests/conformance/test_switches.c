/*
  Parts that begin to act or stop acting: springs, contacts and unbalances with `from` and `until`, by every scheme; the energy that they take or bring; the penetration of a contact that begins too late.
*/
#include <math.h>
#include "promises.h"

#define STEP 1e-3

static const char *const spring = "bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1], initial: {velocity: [1 m/s, 0, 0]}}}\n"
                                  "springs: {cord: {between: [mass.center, ground], stiffness: 200 N/m, direction: [1, 0, 0], %s}}\n"
                                  "scheme: {type: half_explicit, step: 1 ms}\n"
                                  "time: {end: 0.3 s}\n";
static const char *const floor_ = "gravity: [0, 0, -10 m/s^2]\n"
                                  "bodies: {mass: {type: rigid, at: [0, 0, %s], mass: 2 kg, inertia: [1, 1, 1]}}\n"
                                  "contacts: {floor: {between: [mass.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], %s}}\n"
                                  "scheme: {type: half_explicit, step: 1 ms}\n"
                                  "limits: {penetration: 1 m}\n"
                                  "time: {end: 0.3 s}\n";

static void near(PetscReal value, PetscReal wanted, PetscReal tolerance)
{
  if (!(PetscAbsReal(value - wanted) <= tolerance)) fail_msg("%.12g, not %.12g within %g", value, wanted, tolerance);
}

/* Of the body with mass along its k-th direction. */
static void look(TestRun *test, PetscInt k, PetscReal *q, PetscReal *v)
{
  assert_int_equal(NsSchemeComplete(NsRunScheme(test->run), NsRunState(test->run)), 0);
  assert_int_equal(VecGetValues(NsRunState(test->run)->q, 1, &k, q), 0);
  assert_int_equal(VecGetValues(NsRunState(test->run)->v, 1, &k, v), 0);
}

static NsStepOutcome step_to(TestRun *test, PetscReal t)
{
  NsStepOutcome outcome = {.done = PETSC_TRUE};

  while (outcome.done && NsRunState(test->run)->t < t - 1e-9) assert_int_equal(NsRunStep(test->run, &outcome), 0);
  return outcome;
}

static void go_to(TestRun *test, PetscReal t)
{
  const NsStepOutcome outcome = step_to(test, t);

  if (!outcome.done) fail_msg("%s", outcome.reason);
  near(NsRunState(test->run)->t, t, 1e-12);
}

static PetscReal numerical(TestRun *test)
{
  assert_int_equal(NsLedgerClose(NsRunLedger(test->run), NsRunModel(test->run), NsRunState(test->run)), 0);
  return NsRunLedger(test->run)->numerical;
}

/* Schemes that have it: two_step refuses, modal has linear springs alone, position_level no loads. */
static PetscBool takes_part(const Promise *promise)
{
  const NsSchemeType *type = promise_type(promise);

  return !promise_gives(promise) && strcmp(promise->scheme, "position_level") && (!type->varies || type->adapts);
}

/* sin(10 t)/10 until 0.1 s, then straight on; the energy of the spring has left. */
static void a_spring_is_released(void **state)
{
  (void)state;
  EACH_WITH_MASS(promise)
  {
    PetscReal q, v, last;
    char      text[1024];
    if (!takes_part(promise)) continue;
    promise_print(promise);
    snprintf(text, sizeof(text), spring, "until: 0.1 s");
    TestRun test = promise_open(text, promise, STEP, "");
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 0.1);
    look(&test, 0, &q, &v);
    const PetscReal allowed = promise->order > 1 ? 1e-3 : 0.02, before = numerical(&test);
    near(q, PetscSinReal(1) / 10, allowed / 10);
    go_to(&test, 0.3);
    look(&test, 0, &last, &v);
    near(v, PetscCosReal(1), allowed);
    near(last, q + 0.2 * PetscCosReal(1), allowed);
    near(NsRunLedger(test.run)->switched, -100 * q * q, 1e-12);
    if (!(PetscAbsReal(numerical(&test) - before) < 1e-3 * allowed)) fail_msg("numerical energy error %g J, %g J before", numerical(&test), before);
    test_run_close(&test);
  }
}

/* t until 0.1 s, then as a vibration from there; the spring brings its energy along. */
static void a_spring_is_engaged(void **state)
{
  (void)state;
  EACH_WITH_MASS(promise)
  {
    PetscReal q, v;
    char      text[1024];
    if (!takes_part(promise)) continue;
    promise_print(promise);
    snprintf(text, sizeof(text), spring, "from: 0.1 s");
    TestRun test = promise_open(text, promise, STEP, "");
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 0.3);
    look(&test, 0, &q, &v);
    const PetscReal allowed = promise->order > 1 ? 1e-3 : 0.02;
    near(q, 0.1 * PetscCosReal(2) + PetscSinReal(2) / 10, 2 * allowed);
    near(v, -PetscSinReal(2) + PetscCosReal(2), 20 * allowed);
    near(NsRunLedger(test.run)->switched, 1, 1e-9);
    assert_true(PetscAbsReal(numerical(&test)) < 10 * allowed);
    test_run_close(&test);
  }
}

static void a_floor_is_taken_away(void **state)
{
  (void)state;
  EACH_WITH_MASS(promise)
  {
    PetscReal q, v;
    char      text[1024];
    if (!takes_part(promise)) continue;
    promise_print(promise);
    snprintf(text, sizeof(text), floor_, "0", "until: 0.1 s");
    TestRun test = promise_open(text, promise, STEP, "");
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 0.1);
    look(&test, 2, &q, &v);
    near(q, 0, promise->rest == 0 ? 1e-9 : 2e-3);
    go_to(&test, 0.3);
    look(&test, 2, &q, &v);
    near(v, -2, 2.1e-2);
    near(q, -0.2, promise->order > 1 ? 5e-3 : 1e-2);
    assert_true(NsContactReports(NsRunContact(test.run))[0].force[0] == 0);
    assert_true(PetscAbsReal(numerical(&test)) < 0.1);
    test_run_close(&test);
  }
}

/* The floor acts from 0.1 s on: a mass above it then lands, one below it ends the run with a penetration. */
static void a_floor_begins(void **state)
{
  (void)state;
  EACH_WITH_MASS(promise)
  {
    PetscReal q, v;
    char      text[1024];
    if (!takes_part(promise)) continue;
    promise_print(promise);
    snprintf(text, sizeof(text), floor_, "0.2 m", "from: 0.1 s");
    TestRun test = promise_open(text, promise, STEP, "");
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 0.3);
    look(&test, 2, &q, &v);
    near(q, -0.2, 3e-3);
    near(v, 0, 2e-2);
    test_run_close(&test);
    snprintf(text, sizeof(text), floor_, "10 mm", "from: 0.1 s");
    test = promise_open(text, promise, STEP, "");
    assert_int_equal(NsRunStart(test.run), 0);
    const NsStepOutcome outcome = step_to(&test, 0.3);
    assert_false(outcome.done);
    assert_non_null(strstr(outcome.reason, "contact 'floor' begins to act with a penetration of 0.0"));
    near(NsRunState(test.run)->t, 0.1, 1e-12);
    test_run_close(&test);
  }
}

/* It hangs on its support until 0.1 s, then it falls. */
static void a_support_lets_go(void **state)
{
  static const char *const text = "gravity: [0, 0, -10 m/s^2]\n"
                                  "bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1], initial: {velocity: [0, 0, 1 m/s]}}}\n"
                                  "supports: {hook: {at: mass.center, fix: displacements, until: 0.1 s}}\n"
                                  "scheme: {type: half_explicit, step: 1 ms}\n"
                                  "time: {end: 0.3 s}\n";

  (void)state;
  EACH_WITH_MASS(promise)
  {
    PetscReal q, v;
    char      name[NS_CANDIDATE_NAME];
    if (!takes_part(promise)) continue;
    promise_print(promise);
    TestRun test = promise_open(text, promise, STEP, "");
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 0.1);
    look(&test, 2, &q, &v);
    near(q, 0, promise->rest == 0 ? 1e-9 : 2e-3);
    assert_string_equal(NsCandidateName(&NsRunModel(test.run)->candidate[2], name), "hook.z");
    if (!strcmp(promise->scheme, "half_explicit")) near(NsContactReports(NsRunContact(test.run))[2].force[0], 20, 1e-9);
    go_to(&test, 0.3);
    look(&test, 2, &q, &v);
    near(v, -2, 2.1e-2);
    near(q, -0.2, 1e-2);
    near(NsRunLedger(test.run)->switched, 0, 1e-12);
    assert_true(PetscAbsReal(numerical(&test)) < 0.1);
    test_run_close(&test);
  }
}

/* A support that moves takes the mass along until 0.1 s. */
static void a_shaker_lets_go(void **state)
{
  static const char *const schemes[] = {
    "half_explicit, step: 0.1 ms", "moreau_jean, step: 0.1 ms", "generalised_alpha, step: 0.1 ms", "event_driven_hem5, step: 10 ms"};

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    char      text[1024];
    PetscReal q, v;
    snprintf(text, sizeof(text),
      "bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1]}}\n"
      "supports: {shaker: {at: mass.center, fix: [x, y, z], until: 0.1 s, motion: [{displacement: [0, 0, 0.1 m], time: {harmonic: {frequency: 10 rad/s}}}]}}\n"
      "scheme: {type: %s}\ntime: {end: 0.3 s}\n",
      schemes[s]);
    TestRun test = test_run_open(text, NULL);
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 0.3);
    look(&test, 2, &q, &v);
    near(v, PetscCosReal(1), 1e-3);
    near(q, 0.1 * PetscSinReal(1) + 0.2 * PetscCosReal(1), 1e-3);
    assert_true(PetscAbsReal(numerical(&test)) < 2e-3);
    test_run_close(&test);
  }
}

/* Before its release, a clamp with `until` gives the same motion as one without. */
static void a_clamp_holds(void **state)
{
  PetscReal tip[2][6], size = 0;

  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[1024];
    snprintf(text, sizeof(text),
      "bodies: {beam: {type: beam, mesh: {line: {from: [0, 0, 0], to: [0.3 m, 0, 0], elements: 4}}, mass: lumped,\n"
      "  material: {density: 7850 kg/m^3, young: 210 GPa}, section: {rectangle: {width: 20 mm, height: 5 mm}}}}\n"
      "supports: {clamp: {at: beam.left%s}}\n"
      "loads: {pull: {at: beam.right, force: [10 N, 20 N, 30 N], moment: [1 N m, 2 N m, 3 N m]}}\n"
      "scheme: {type: half_explicit, step: 2 us}\ntime: {end: 2 ms}\n",
      k ? ", until: 1 s" : "");
    TestRun test = test_run_open(text, NULL);
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 2e-3);
    const PetscInt n = NsRunModel(test.run)->unknowns;
    assert_int_equal(n, k ? 30 : 24);
    for (int i = 0; i < 6; i++) tip[k][i] = NsVecRead(NsRunState(test.run)->q)[n - 6 + i];
    test_run_close(&test);
  }
  for (int i = 0; i < 6; i++) size = PetscMax(size, PetscAbsReal(tip[0][i]));
  for (int i = 0; i < 6; i++) near(tip[1][i], tip[0][i], 1e-9 * size);
}

/* A stiff rotor on soft bearings: x'' + w^2 x = m e Omega^2/M cos(Omega t) from 0.1 s on. */
static void a_blade_is_lost(void **state)
{
  static const char *const schemes[] = {
    "half_explicit, step: 2 us", "moreau_jean, step: 100 us", "generalised_alpha, step: 100 us", "modal, step: 100 us"};
  const PetscReal spin = 300, k = 8e5, t1 = 0.1, t = 0.15;

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    char      text[1024];
    PetscReal largest = 0;
    snprintf(text, sizeof(text),
      "bodies: {shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [0.2 m, 0, 0], elements: 2}}, spin: 300 rad/s,\n"
      "  material: {density: 7850 kg/m^3, young: 210 GPa}, section: {circle: {radius: 50 mm}}}}\n"
      "bearings: {a: {between: [shaft.left, ground], stiffness: 0.4 MN/m}, b: {between: [shaft.right, ground], stiffness: 0.4 MN/m}}\n"
      "unbalances: {blade: {at: shaft@0.5, mass_eccentricity: 1e-3 kg m, from: 0.1 s}}\n"
      "scheme: {type: %s}\ntime: {end: 0.15 s}\n",
      schemes[s]);
    TestRun test = test_run_open(text, NULL);
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, t);
    assert_int_equal(NsSchemeComplete(NsRunScheme(test.run), NsRunState(test.run)), 0);
    const PetscReal  M = NsRunModel(test.run)->mass_total, w = PetscSqrtReal(k / M), f = 1e-3 * spin * spin / M / (w * w - spin * spin);
    const PetscReal  h = t - t1, c = PetscCosReal(spin * t1), d = PetscSinReal(spin * t1);
    const PetscReal  exact  = f * (PetscCosReal(spin * t) - c * PetscCosReal(w * h) + spin / w * d * PetscSinReal(w * h));
    const PetscInt   n      = NsRunModel(test.run)->unknowns;
    const PetscReal *values = NsVecRead(NsRunState(test.run)->q);
    for (PetscInt i = 0; i < n; i++) largest = PetscMax(largest, PetscAbsReal(values[i]));
    PetscBool found = PETSC_FALSE;
    for (PetscInt i = 0; i < n; i++) found = found || PetscAbsReal(values[i] - exact) < 0.02 * PetscAbsReal(f);
    if (!found) fail_msg("%s: no DOF at %g m, the largest %g m", schemes[s], exact, largest);
    assert_true(PetscAbsReal(numerical(&test)) < 0.01 * PetscAbsReal(NsRunLedger(test.run)->now.kinetic));
    test_run_close(&test);
  }
}

/* A wall is taken away while a bar presses on it: what has no inertia springs back at once, and its energy, EA (v/c)^2 h/2 = 0.0196 J of one element h, leaves with the wall. */
static void a_pressed_wall_is_taken_away(void **state)
{
  static const char *const schemes[] = {
    "bodies.bar.mass=redistributed", "scheme.type=massless_contact", "bodies.bar.mass=lumped", "scheme.type=modal"};

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {schemes[2 * k], schemes[2 * k + 1], NULL};
    TestRun           test  = test_run_open(
                 "bodies: {bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 20}}, material: {density: 7850 kg/m^3, young: 210 GPa},\n"
                            "  section: {area: 1 cm^2}, initial: {velocity: [-1 m/s, 0, 0]}}}\n"
                            "contacts: {wall: {between: [bar.left, {plane: {point: [-0.1 mm, 0, 0], normal: [1, 0, 0]}}], until: 0.3 ms}}\n"
                            "scheme: {type: half_explicit, step: 1 us}\ntime: {end: 1 ms}\n",
                 set);
    assert_int_equal(NsRunStart(test.run), 0);
    go_to(&test, 1e-3);
    const NsSwitches *switches = &NsRunModel(test.run)->switches;
    near(switches->item[0].energy, -0.0196, 2e-3);
    near(NsRunLedger(test.run)->switched, switches->item[0].energy, 1e-12);
    assert_int_equal(NsSchemeComplete(NsRunScheme(test.run), NsRunState(test.run)), 0);
    near(numerical(&test), 0, 1e-4);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {promise_test(a_spring_is_released), promise_test(a_spring_is_engaged), promise_test(a_floor_is_taken_away),
  promise_test(a_floor_begins), promise_test(a_support_lets_go), cmocka_unit_test(a_shaker_lets_go), cmocka_unit_test(a_clamp_holds),
  cmocka_unit_test(a_blade_is_lost), cmocka_unit_test(a_pressed_wall_is_taken_away)};
TEST_MAIN(tests)
