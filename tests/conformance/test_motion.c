/*
  Every scheme follows prescribed motions: the end of a bar against the solution of d'Alembert, with its energy balance; a base whose velocity jumps within a step; a table that vibrates, in space and in
  its own frame. An orbit of a bouncing ball in closed form.
*/
#include <math.h>
#include "core/window.h"
#include "promises.h"

#define OMEGA (2 * PETSC_PI * 5e3)
#define SPEED 5e3 /* m/s, of waves */

static const char *const bar = "bodies:\n"
                               "  bar:\n"
                               "    type: bar\n"
                               "    mesh: {line: {from: [0, 0, 0], to: [1 m, 0, 0], elements: 20}}\n"
                               "    material: {density: 1e4 kg/m^3, young: 250 GPa}\n"
                               "    section: {area: 1e-4 m^2}\n"
                               "    mass: lumped\n"
                               "supports: {end: {at: bar.left, motion: [{acceleration: [2e6 m/s^2, 0, 0], time: {harmonic: {frequency: 5 kHz}}}]}}\n"
                               "limits: {stretch: 10}\n"
                               "scheme: {type: half_explicit, step: 1 us}\n"
                               "time: {end: 0.4 ms}\n";

/* The motion of the end from rest; the other end has twice that of L/c earlier until the wave is back. */
static PetscReal moved(PetscReal t)
{
  return 2e6 / (OMEGA * OMEGA) * (OMEGA * t - PetscSinReal(OMEGA * t));
}

static void to_the_end(TestRun *test)
{
  assert_int_equal(NsRunStart(test->run), 0);
  while (!NsRunIsAtEnd(test->run)) {
    NsStepOutcome outcome;
    assert_int_equal(NsRunStep(test->run, &outcome), 0);
    if (!outcome.done) fail_msg("%s", outcome.reason);
  }
  assert_int_equal(NsSchemeComplete(NsRunScheme(test->run), NsRunState(test->run)), 0);
  assert_int_equal(NsLedgerClose(NsRunLedger(test->run), NsRunModel(test->run), NsRunState(test->run)), 0);
}

/* The relative error of the free end; *numerical: of the energy, over the work. */
static PetscReal wave(const Promise *promise, PetscReal step, const char *elements, PetscReal *numerical)
{
  TestRun         test  = promise_open(bar, promise, step, elements);
  const PetscReal exact = 2 * moved(0.4e-3 - 1 / SPEED);
  PetscScalar     u;

  to_the_end(&test);
  const PetscInt  last   = NsRunModel(test.run)->unknowns - 1;
  const NsLedger *ledger = NsRunLedger(test.run);
  assert_int_equal(VecGetValues(NsRunState(test.run)->q, 1, &last, &u), 0);
  assert_true(ledger->external > 0);
  *numerical = PetscAbsReal(ledger->numerical) / ledger->external;
  test_run_close(&test);
  return PetscAbsReal(u / exact - 1);
}

/* By half the step and twice the elements; a mesh of this size has an error of 4e-3 by itself. */
static void a_bar_follows_its_end(void **state)
{
  (void)state;
  EACH_PROMISE(promise)
  {
    PetscReal numerical[2];
    if (!promise->bodies || promise->mass || promise_gives(promise)) continue;
    promise_print(promise);
    const PetscReal coarse = wave(promise, 4e-6, "", &numerical[0]);
    const PetscReal fine   = wave(promise, 2e-6, "bodies.bar.mesh.line.elements=40", &numerical[1]);
    const PetscReal order  = promise->order > 1 ? 3 : 1.6;
    if (!(coarse < (promise->order > 1 ? 0.01 : 0.1)) || !(fine < coarse / order)) fail_msg("%s: errors %g, %g", promise->scheme, coarse, fine);
    const PetscReal closed = promise_adapts(promise) ? 5e-4 : 1e-4; /* by their tolerance */
    if (promise->order > 1 && !(numerical[0] < 4e-3 && (numerical[1] < numerical[0] / 3 || numerical[1] < closed)))
      fail_msg("%s: energy errors %g, %g of the work", promise->scheme, numerical[0], numerical[1]);
  }
}

/* What dampers take from a bar whose end is moved, and from one on a base that moves as much. */
static PetscReal dissipated(const Promise *promise, const char *moved_by)
{
  char      text[1000];
  PetscReal damping;

  (void)snprintf(text, sizeof(text),
    "bodies: {bar: {type: bar, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 10}}, material: {density: 1e4, young: 250 GPa}, section: {area: 1e-4}, mass: lumped, damping: {rayleigh: "
    "{stiffness: 10 us}}}}\n"
    "%s: [{acceleration: [1e5 m/s^2, 0, 0], time: {harmonic: {frequency: 5 kHz}}}]%s\n"
    "limits: {stretch: 10}\nscheme: {type: half_explicit, step: 1 us}\ntime: {end: 0.3 ms}\n",
    moved_by, *moved_by == 's' ? "}}\n" : "\nsupports: {end: {at: bar.left}}");
  TestRun test = promise_open(text, promise, 1e-6, "");
  to_the_end(&test);
  damping = NsRunLedger(test.run)->damping;
  test_run_close(&test);
  return damping;
}

static void dampers_take_as_much_as_on_a_base(void **state)
{
  (void)state;
  EACH_PROMISE(promise)
  {
    if (!promise->bodies || promise->mass || promise_gives(promise)) continue;
    promise_print(promise);
    const PetscReal by_support = dissipated(promise, "supports: {end: {at: bar.left, motion"), by_base = dissipated(promise, "base");
    if (!(by_base > 0 && PetscAbsReal(by_support / by_base - 1) < 0.02)) fail_msg("%s: %g J, on a base %g J", promise->scheme, by_support, by_base);
  }
}

/* A free mass stays where it is: relative to the base it has minus its motion. */
static const char *const free_mass = "bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1]}}\n"
                                     "base: [{displacement: [1 m, 0, 0], time: {table: [[0, 0], [1.013 ms, 0], [2.513 ms, 3], [2.524 ms, 2.5]]}},"
                                     " {velocity: [0, 1 m/s, 0], time: {step: {start: 0.317 ms, end: 2.11 ms}}},"
                                     " {acceleration: [0, 0, 1e3 m/s^2], from: 0.35 ms, until: 1.85 ms, ramp: 0.25 ms}]\n"
                                     "limits: {stretch: 10}\n"
                                     "scheme: {type: half_explicit, step: 100 us}\n"
                                     "time: {end: %s}\n";

static void a_base_has_the_impulse_of_its_jumps(void **state)
{
  static const struct {
    const char *end;
    PetscReal   vx, vy;
  } cases[] = {{"2 ms", -2000, -1}, {"4 ms", 0, 0}};

  (void)state;
  EACH_WITH_MASS(promise)
  {
    if (!strcmp(promise->scheme, "position_level") || promise_type(promise)->adapts) continue;
    promise_print(promise);
    for (int k = 0; k < 2; k++) {
      char        text[1024];
      PetscScalar v[3];
      snprintf(text, sizeof(text), free_mass, cases[k].end);
      TestRun test = promise_open(text, promise, 100e-6, "");
      to_the_end(&test);
      assert_int_equal(VecGetValues(NsRunState(test.run)->v, 3, (PetscInt[3]){0, 1, 2}, v), 0);
      const PetscReal allowed = promise_type(promise)->implicit ? 1e-2 : 1e-8; /* implicit ones forget their first accelerations like 2^-n */
      if (!(PetscAbsReal(v[0] - cases[k].vx) < allowed * 2000) || !(PetscAbsReal(v[1] - cases[k].vy) < allowed))
        fail_msg("%s %s, %s: velocity (%.9g, %.9g) m/s", promise->scheme, promise->option, cases[k].end, v[0], v[1]);
      if (!(PetscAbsReal(v[2] + 1.25) < allowed))
        fail_msg("%s %s, %s: velocity %.9g m/s after the window", promise->scheme, promise->option, cases[k].end, v[2]);
      test_run_close(&test);
    }
  }
}

/* A ball on a vibrating table: in space with a table that moves, and on the table, which is shaken. */
static const char *const ball = "bodies: {mass: {type: rigid, at: [0, 0, 1 mm], mass: 2 kg, inertia: [1, 1, 1]}}\n"
                                "gravity: [0, 0, -10 m/s^2]\n"
                                "%s\n"
                                "contacts: {table: {between: [mass.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1]%s}}], restitution: %g}}\n"
                                "scheme: {type: half_explicit, step: 100 us}\n"
                                "limits: {energy: 100, stretch: 10}\n"
                                "time: {end: 0.2 s}\n";

/* Between 10 ms and 150 ms with ramps of 20 ms: the displacement of the table at t for the acceleration a sin(w s). */
static PetscReal windowed(PetscReal a, PetscReal w, PetscReal t)
{
  const NsWindow  window = {.from = 0.01, .until = 0.15, .ramp = 0.02};
  const PetscInt  n      = 20000;
  const PetscReal h      = t / (PetscReal)n;
  PetscReal       sum    = 0;

  for (PetscInt i = 0; i < n; i++) {
    const PetscReal s = h * ((PetscReal)i + 0.5);
    sum += h * (t - s) * a * PetscSinReal(w * s) * NsWindowFactor(&window, s);
  }
  return sum;
}

static PetscReal height(const Promise *promise, PetscReal step, PetscBool in_space, PetscReal restitution, PetscBool has_window, NsLedger *ledger)
{
  const PetscReal w = 2 * PETSC_PI * 8, t = 0.2;
  const PetscInt  z = 2;
  char            text[2048], motion[256];
  PetscScalar     q;

  snprintf(motion, sizeof(motion), "%s: [{acceleration: [0, 0, 8 m/s^2], time: {harmonic: {frequency: 8 Hz}}%s}]", in_space ? ", motion" : "base",
    has_window ? ", from: 10 ms, until: 150 ms, ramp: 20 ms" : "");
  snprintf(text, sizeof(text), ball, in_space ? "" : motion, in_space ? motion : "", restitution);
  TestRun test = promise_open(text, promise, step, "");
  to_the_end(&test);
  assert_int_equal(VecGetValues(NsRunState(test.run)->q, 1, &z, &q), 0);
  *ledger = *NsRunLedger(test.run);
  test_run_close(&test);
  if (!in_space) return q;
  return q - (has_window ? windowed(8, w, t) : 8 / (w * w) * (w * t - PetscSinReal(w * t)));
}

/* Equal up to the error of the step: the ball bounces, or comes to rest on the table and is taken along. */
static void a_table_vibrates(void **state)
{
  (void)state;
  EACH_WITH_MASS(promise)
  {
    if (!strcmp(promise->scheme, "position_level") || promise_gives(promise)) continue;
    promise_print(promise);
    for (int k = 0; k < 3; k++) {
      NsLedger        ledger;
      const PetscReal restitution = k == 1 ? 0 : 0.5, step = 100e-6;
      const PetscReal fixed = height(promise, step, PETSC_FALSE, restitution, k == 2, &ledger),
                      moves = height(promise, step, PETSC_TRUE, restitution, k == 2, &ledger);
      if (!(PetscAbsReal(moves - fixed) < (promise->order > 1 ? 1e-4 : 3e-4)))
        fail_msg("%s %s, e = %g: %.6g m above a table that moves, %.6g m above one that is shaken", promise->scheme, promise->option, restitution,
          moves, fixed);
      if (promise->order > 1 && k < 2 && !(PetscAbsReal(ledger.numerical) < 0.05 * PetscAbsReal(ledger.external)))
        fail_msg("%s %s: energy error %g J of %g J of work", promise->scheme, promise->option, ledger.numerical, ledger.external);
    }
  }
}

/* It is hit once in each period T where the table has the velocity g T/2 (1 - e)/(1 + e): the ball is where it was after each period. */
static void a_ball_stays_on_its_orbit(void **state)
{
  static const char *const config =
    "bodies: {ball: {type: rigid, at: [0, 0, 0.26596850992989 mm], mass: 10 g, inertia: [1, 1, 1],"
    " initial: {velocity: [0, 0, 0.1962 m/s]}}}\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "contacts: {table: {restitution: 0.8, between: [ball.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1],"
    " motion: [{displacement: [0, 0, 0.3 mm], time: {harmonic: {frequency: 25 Hz, phase: 62.44432152996642 deg}}}]}}]}}\n"
    "scheme: {type: half_explicit, step: 1 ms}\n"
    "time: {end: 0.42 s}\n";
  const PetscReal middle = 9.81 * 0.02 * 0.02 / 2; /* m: half a period after a hit the ball is at its highest */

  (void)state;
  EACH_PROMISE(promise)
  {
    const PetscInt z = 2;
    PetscScalar    q;
    if (!promise_meets(promise)) continue;
    TestRun test = promise_open(config, promise, 1e-3, "");
    to_the_end(&test);
    assert_int_equal(VecGetValues(NsRunState(test.run)->q, 1, &z, &q), 0);
    if (!(PetscAbsReal(q - middle) < 1e-7)) fail_msg("%s %s: %.12g m, exact %.12g", promise->scheme, promise->option, q, middle);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {promise_test(a_bar_follows_its_end), promise_test(dampers_take_as_much_as_on_a_base),
  promise_test(a_base_has_the_impulse_of_its_jumps), promise_test(a_table_vibrates), promise_test(a_ball_stays_on_its_orbit)};
TEST_MAIN(tests)
