/*
  A constant mass matrix that is declared to vary: schemes factor it anew at each step, and treat all contacts as coupled. The motion stays the same, to rounding.

  A block falls onto one corner, rolls over it, which slides, and lands on the other: in that step the first corner has a force that the impact replaces.
*/
#include <math.h>
#include "promises.h"

static const char *const block =
  "gravity: [0, -9.81, 0]\n"
  "bodies:\n"
  "  block: {type: rigid, at: [0, 21 mm, 0], mass: 1 kg, inertia: [0.01, 0.01, 0.001], initial: {velocity: [0.3 m/s, 0, 0], angular_velocity: [0, 0, 1 rad/s]}}\n"
  "supports:\n"
  "  plane: {at: block.center, fix: [z, rx, ry]}\n"
  "contacts:\n"
  "  left: {between: [{node: block.center, offset: [-30 mm, -20 mm, 0]}, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.2}\n"
  "  right: {between: [{node: block.center, offset: [30 mm, -20.5 mm, 0]}, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.2}\n"
  "scheme: {type: half_explicit, step: 100 us}\n"
  "time: {end: 0.08}\n";

typedef struct {
  PetscReal q[6], v[6];
  int       impulsive, together; /* steps with an impulse; of these, with the other corner closed before */
} Motion;

static void land(const Promise *promise, PetscBool varies, Motion *motion)
{
  TestRun            test = promise_open(block, promise, 1e-4, "");
  NsRun             *run  = test.run;
  const PetscScalar *array;

  *motion = (Motion){.impulsive = 0};
  if (varies) {
    run->model->constant_mass = PETSC_FALSE;
    CHECK(NsSchemeDestroy(&run->scheme));
    CHECK(NsSchemeCreate(&run->config.scheme, run->model, run->contact, &run->ledger, &run->scheme));
    run->scheme->step_limit = run->stability.step_limit;
    CHECK(NsRunStart(run));
  }
  while (test_runs(run)) {
    const NsContactReport *report = NsContactReports(run->contact);
    const PetscBool        closed = report[0].state != NS_OPEN || report[1].state != NS_OPEN;
    const NsStepOutcome    now    = test_step(run);
    motion->impulsive += now.impulsive ? 1 : 0;
    motion->together += now.impulsive && closed ? 1 : 0;
  }
  CHECK(VecGetArrayRead(run->state.q, &array));
  for (int k = 0; k < 3; k++) motion->q[k] = array[k];
  CHECK(VecRestoreArrayRead(run->state.q, &array));
  CHECK(VecGetArrayRead(run->state.v, &array));
  for (int k = 0; k < 3; k++) motion->v[k] = array[k];
  CHECK(VecRestoreArrayRead(run->state.v, &array));
  test_run_close(&test);
}

static void the_motion_is_the_same(void **state)
{
  static const char *const schemes[][2] = {{"half_explicit", ""}, {"half_explicit", "scheme.decide=always"},
    {"half_explicit", "scheme.decide=at_prediction"}, {"half_explicit", "scheme.restitution_of=all_closed"}, {"half_explicit_two_step", ""},
    {"half_explicit_two_step", "scheme.decide=once"}, {"moreau_midpoint", ""}};

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    const Promise promise = {.scheme = schemes[s][0], .option = schemes[s][1]};
    Motion        constant, varying;
    land(&promise, PETSC_FALSE, &constant);
    land(&promise, PETSC_TRUE, &varying);
    print_message("  %s %s: %d impulsive steps, %d with a closed contact; off by %g m/s\n", promise.scheme, promise.option, constant.impulsive,
      constant.together, fabs(constant.v[0] - varying.v[0]));
    if (s == 0) assert_true(constant.together >= 1);
    assert_int_equal(varying.impulsive, constant.impulsive);
    for (int k = 0; k < 3; k++) {
      assert_near(varying.q[k], constant.q[k], 1e-12);
      assert_near(varying.v[k], constant.v[k], 1e-10);
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(the_motion_is_the_same)};
TEST_MAIN(tests)
