/*
  Event-driven schemes against closed forms and the figures of [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth
  multibody systems with unilateral and bilateral constraints: times of events, impulses of impacts, who is held after them.
*/
#include "support.h"

#define G 9.81

static const char *const schemes[] = {"event_driven_hem5, tolerance: 1e-12", "event_driven_rkf45, tolerance: 1e-12",
  "event_driven_alpha, tolerance: 1e-12", "event_driven_hem5, tolerance: 1e-12, select: moreau_jean"};
#define SCHEMES (sizeof(schemes) / sizeof(schemes[0]))

/* A mechanism under gravity along -y. */
static TestRun open_model(const char *scheme, PetscReal step, const char *body, PetscReal end)
{
  char text[1024];

  snprintf(text, sizeof(text), "gravity: [0, -9.81, 0]\nbodies:\n  it: {%s}\nscheme: {type: %s, step: %.17g}\ntime: {end: %.17g}\n", body, scheme,
    step, end);
  return test_run_open(text, NULL);
}

static PetscReal entry(Vec x, PetscInt i)
{
  const PetscScalar *a;
  PetscReal          value;

  CHECK(VecGetArrayRead(x, &a));
  value = a[i];
  CHECK(VecRestoreArrayRead(x, &a));
  return value;
}

/* Impacts of a ball with e = 1/2 from 1 m: t1 = sqrt(2/g), then 2 v/g apart, v halved each time, until 3 t1 = 1.354570922957 s; the last ones are those that velocity_tolerance
   still lets bounce. Then it lies: no motion, its weight as force. */
static void ball_comes_to_rest(void **state)
{
  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun                test   = open_model(schemes[s], 0.1, "type: bouncing_ball, contact: {restitution: 0.5}, initial: {y: 1 m}", 2);
    const NsContactReport *floor  = test.run->contact->report;
    PetscReal              expect = PetscSqrtReal(2 / G), speed = G * expect;
    int                    count = 0;
    assert_near(expect, 0.4515236409857309, 1e-15);
    while (test_runs(test.run)) {
      test_step(test.run);
      floor = test.run->contact->report;
      if (!floor->impact) continue;
      assert_near(test.run->state.t, expect, 1e-9);
      speed /= 2;
      expect += 2 * speed / G;
      count++;
    }
    print_message("  %s: %d impacts\n", schemes[s], count);
    assert_true(count >= 15 && count <= 30);
    assert_near(expect, 1.3545709229571927, 1e-5);
    assert_near(entry(test.run->state.v, 0), 0, 0);
    assert_near(entry(test.run->state.q, 0), 0, 1e-12);
    assert_near(floor->force[0], G, 1e-12);
    test_run_close(&test);
  }
}

/* [E] 3.1.2: the block falls on its second corner; the figures are those of test_rocking_block.c. */
#define BLOCK "type: rocking_block, contact: {restitution: %g}, initial: {x: 0.033493649053890406 m, y: 0.5580127018922193 m, theta: 60 deg}"
static const PetscReal times[3] = {0.587477974574, 0.89156696927, 1.041296183295}, impulses[2] = {0.60240251, 1.46297753};
enum { LEFT, RIGHT };

/* At an impact of the right corner both corners have impulses. */
static void block_meets_its_impacts(void **state)
{
  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    for (int bounces = 0; bounces < 2; bounces++) {
      char body[256];
      snprintf(body, sizeof(body), BLOCK, bounces ? 0.5 : 0.0);
      TestRun test  = open_model(schemes[s], 1e-2, body, 1.1);
      int     count = 0;
      while (test_runs(test.run)) {
        test_step(test.run);
        const NsContactReport *report = test.run->contact->report;
        if (report[RIGHT].impulse[0] == 0) continue;
        assert_true(count < (bounces ? 3 : 1));
        assert_near(test.run->state.t, times[count], 1e-8);
        if (count++ > 0) continue;
        assert_near(report[RIGHT].velocity_before[0], -4.13076009, 1e-8);
        for (int k = LEFT; k <= RIGHT && !bounces; k++) {
          assert_near(report[k].impulse[0], impulses[k], 1e-8);
          assert_true(report[k].impact);
        }
      }
      assert_int_equal(count, bounces ? 3 : 1);
      test_run_close(&test);
    }
  }
}

/* [E] 4: of two floors that touch at an edge the one that carries is held behind it; held both, forces come to 1e10 N. */
static void edge_is_passed(void **state)
{
  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun                test   = open_model(schemes[s], 1e-3, "type: edge, initial: {x: -0.05 m, vx: 4.7 m/s}", 0.05);
    const NsContactReport *report = test.run->contact->report;
    PetscBool              behind = PETSC_FALSE;
    while (test_runs(test.run)) {
      test_step(test.run);
      report                = test.run->contact->report;
      const PetscBool first = !behind && report[1].force[0] != 0 ? PETSC_TRUE : PETSC_FALSE;
      behind                = behind || first ? PETSC_TRUE : PETSC_FALSE;
      if (first) {
        assert_near(test.run->state.t, 0.05 / 4.7, 1e-7); /* the gap of the curved floor touches 0 there, with no rate */
        assert_near(report[1].force[0], 53.99, 1e-5);
      }
      assert_near(report[0].force[0], behind ? 0 : G, 1e-9);
    }
    assert_true(behind);
    assert_near(entry(test.run->state.q, 0), 0.180256134724, 1e-9);
    assert_near(entry(test.run->state.v, 0), 4.357181873959, 1e-8);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(ball_comes_to_rest),
  cmocka_unit_test(block_meets_its_impacts),
  cmocka_unit_test(edge_is_passed),
};
TEST_MAIN(tests)
