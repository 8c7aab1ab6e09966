/*
  A step that cannot be done leaves everything as it was, over every scheme: state, time, reports, ledger. What fails is a contact without a solution: one freedom
  against a slope of 45 degrees, jammed by friction (mu = 2), yet told to bounce.
*/
#include "promises.h"

static const char *const jammed = "gravity: [0, -10, 0]\n"
                                  "bodies:\n"
                                  "  bar:\n"
                                  "    type: bar\n"
                                  "    mesh: {line: {from: [1.0005 mm, 0, 0], to: [1.0010005, 0, 0], elements: 2}}\n"
                                  "    material: {density: 1000, young: 1 GPa}\n"
                                  "    section: {area: 1 cm^2}\n"
                                  "    damping: {rayleigh: {mass: 2 1/s, stiffness: 0 s}}\n"
                                  "    initial: {velocity: [-1, 0, 0]}\n"
                                  "loads: {push: {at: bar.right, force: [-5, 0, 0]}}\n"
                                  "contacts:\n"
                                  "  slope: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 1, 0]}}], friction: 2, restitution: 0.5}\n"
                                  "scheme: {type: half_explicit, step: 1 us}\n"
                                  "time: {end: 5 ms}\n";

static void copy(Vec from, PetscReal to[3])
{
  const PetscScalar *value;

  CHECK(VecGetArrayRead(from, &value));
  for (int i = 0; i < 3; i++) to[i] = value[i];
  CHECK(VecRestoreArrayRead(from, &value));
}

static void a_failed_step_changes_nothing(void **state)
{
  (void)state;
  EACH_WITH_MASS(p) /* without mass nothing jams here: the bar is elastic, and has no restitution */
  {
    TestRun         test;
    NsStepOutcome   outcome = {.done = PETSC_TRUE};
    PetscReal       q[2][3], v[2][3], t = 0;
    NsLedger        ledger = {.initial = 0};
    NsContactReport report = {.gap = 0};
    char            reason[sizeof(outcome.reason)];
    if (!p->bodies || !p->friction || promise_gives(p) || strstr(p->option, "always")) continue; /* always: forces stop it first, and they can */
    test = promise_open(jammed, p, 1e-6, "");
    while (outcome.done && test.run->state.t < 2e-3) {
      copy(test.run->state.q, q[0]);
      copy(test.run->state.v, v[0]);
      t      = test.run->state.t;
      ledger = test.run->ledger;
      report = NsContactReports(test.run->contact)[0];
      CHECK(NsSchemeStep(test.run->scheme, &test.run->state, test.run->step, &outcome));
    }
    print_message("  %s %s: %s\n", p->scheme, p->option, outcome.done ? "no step failed" : outcome.reason);
    assert_false(outcome.done);
    strcpy(reason, outcome.reason);
    for (int again = 0; again < 2; again++) {
      copy(test.run->state.q, q[1]);
      copy(test.run->state.v, v[1]);
      assert_memory_equal(q[0], q[1], sizeof(q[0]));
      assert_memory_equal(v[0], v[1], sizeof(v[0]));
      assert_memory_equal(&t, &test.run->state.t, sizeof(t));
      assert_memory_equal(&ledger, &test.run->ledger, sizeof(ledger));
      assert_memory_equal(&report, &NsContactReports(test.run->contact)[0], sizeof(report));
      CHECK(NsSchemeStep(test.run->scheme, &test.run->state, test.run->step, &outcome)); /* and it fails once more, in the same way */
      assert_false(outcome.done);
      assert_string_equal(outcome.reason, reason);
    }
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {promise_test(a_failed_step_changes_nothing)};
TEST_MAIN(tests)
