/*
  Every scheme has the impulse of loads that jump or bend within its steps: pulses shorter than a step, steps that begin and end between two instants, kinks of tables.
*/
#include <math.h>
#include "promises.h"

#define STEP 100e-6

/* A free mass; the time function of the force is inserted. */
static const char *const body = "bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1]}}\n"
                                "loads: {push: {at: mass.center, force: [1 MN, 0, 0], time: {%s}}}\n"
                                "scheme: {type: half_explicit, step: 100 us}\n"
                                "time: {end: 4 ms}\n";

typedef struct {
  const char *time;
  PetscReal   impulse; /* N s, over 4 ms */
} Case;

static const Case cases[] = {
  {"pulse: {duration: 50 us}", 1e6 * 2 / PETSC_PI * 50e-6},
  {"pulse: {start: 1013 us, duration: 30 us}", 1e6 * 2 / PETSC_PI * 30e-6},
  {"pulse: {start: 1025 us, duration: 170 us}", 1e6 * 2 / PETSC_PI * 170e-6},
  {"step: {start: 110 us, end: 190 us}", 1e6 * 80e-6},
  {"step: {start: 1 ms, end: 1.5 ms}", 1e6 * 500e-6},
  {"step: {start: 0.97 ms, end: 1.51 ms}", 1e6 * 540e-6},
  {"burst: {frequency: 5 kHz, cycles: 1.5, start: 1.02 ms}", -1e6 * 0.4 / (PETSC_PI * 5e3)},
  {"table: [[0, 0], [20 us, 0], [30 us, 2], [45 us, 0]]", 1e6 * 25e-6},
  {"table: [[0.3 ms, 1], [0.31 ms, -3], [0.32 ms, 0]]", 1e6 * (300e-6 - 10e-6 - 15e-6)},
};

static void check(const Promise *promise, const Case *load)
{
  char        text[1024];
  TestRun     test;
  PetscScalar v;
  PetscInt    first = 0;

  snprintf(text, sizeof(text), body, load->time);
  test = promise_open(text, promise, STEP, "");
  assert_int_equal(NsRunStart(test.run), 0);
  while (!NsRunIsAtEnd(test.run)) {
    NsStepOutcome outcome;
    assert_int_equal(NsRunStep(test.run, &outcome), 0);
    if (!outcome.done) fail_msg("%s %s: %s", promise->scheme, promise->option, outcome.reason);
  }
  assert_int_equal(NsSchemeComplete(NsRunScheme(test.run), NsRunState(test.run)), 0);
  assert_int_equal(VecGetValues(NsRunState(test.run)->v, 1, &first, &v), 0);
  /* Steps of chosen length have the quadrature of their method; implicit ones forget their first accelerations like 2^-n. */
  const PetscReal allowed = promise_type(promise)->adapts ? 0.01 : promise_type(promise)->implicit ? 1e-6 : 1e-9;
  if (!(PetscAbsReal(2 * v - load->impulse) <= allowed * PetscMax(PetscAbsReal(load->impulse), 1e6 * STEP)))
    fail_msg("%s %s, %s: impulse %.9g N s, exact %.9g", promise->scheme, promise->option, load->time, 2 * v, load->impulse);
  NsLedger *ledger = NsRunLedger(test.run);
  assert_int_equal(NsLedgerClose(ledger, NsRunModel(test.run), NsRunState(test.run)), 0);
  if (promise_type(promise)->adapts || promise->order < 2) {
    test_run_close(&test);
    return;
  }
  const PetscReal lost = promise_type(promise)->implicit ? 0.05 : 1e-6; /* those of alpha take a part of what is rough */
  if (!(PetscAbsReal(ledger->numerical) <= lost * ledger->now.kinetic))
    fail_msg("%s %s, %s: numerical energy error %g J of %g", promise->scheme, promise->option, load->time, ledger->numerical, ledger->now.kinetic);
  test_run_close(&test);
}

static void every_scheme_has_the_impulse(void **state)
{
  (void)state;
  EACH_WITH_MASS(promise)
  {
    if (!strcmp(promise->scheme, "position_level")) continue; /* for mechanisms with joints: no loads */
    promise_print(promise);
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) check(promise, &cases[k]);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_scheme_has_the_impulse)};
TEST_MAIN(tests)
