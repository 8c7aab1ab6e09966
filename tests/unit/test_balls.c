/* Balls against balls: an oblique impact of two, against its closed form. */
#include "support.h"

static const char two[] = "bodies:\n"
                          "  pair:\n"
                          "    type: balls\n"
                          "    mesh: {line: {from: [0, 0, 0], to: [30 mm, 0, 0], elements: 1}}\n"
                          "    radius: 10 mm\n"
                          "    density: 1000\n"
                          "  third:\n"
                          "    type: balls\n"
                          "    mesh: {line: {from: [0, 1 m, 0], to: [0, 2 m, 0], elements: 1}}\n"
                          "    radius: 10 mm\n"
                          "    density: 1000\n"
                          "    initial: {velocity: [0, -2, 0], angular_velocity: [0, 0, 5 rad/s]}\n"
                          "contacts:\n"
                          "  hit: {between: [{node: third.all, radius: 10 mm}, {node: pair.all, radius: 10 mm}], restitution: 0.6, friction: %g}\n"
                          "scheme: {type: moreau_jean, theta: 0.5, step: 0.1 ms}\n"
                          "time: {end: 1}\n";

/*
  third.left falls on pair.left along the line of centres, n = (0, 1, 0), spinning with w = 5 rad/s: with the mass m of each and J = 2/5 m r^2,

      P_N = (1 + e) m v/2,     sticking P_T = m u_T/7 with u_T = r w,     slipping P_T = mu P_N
*/
static void check_impact(PetscReal friction)
{
  const PetscReal m = 4.0 / 3 * PETSC_PI * 1e-6 * 1000, r = 0.01, v = 2, w = 5, e = 0.6;
  const PetscReal normal = (1 + e) * m * v / 2, tangential = PetscMin(m * r * w / 7, friction * normal);
  char            text[2048];
  PetscInt        hits = 0;

  (void)snprintf(text, sizeof(text), two, friction);
  TestRun test = test_run_open(text, NULL);
  assert_int_equal(test.run->model->candidates, 4);
  assert_near(test.run->model->mass_total + 0, 4 * m, 1e-12 * m);
  for (int step = 0; step < 6000; step++) {
    test_step(test.run);
    for (PetscInt i = 0; i < 4; i++) {
      const NsContactReport *report = &NsContactReports(test.run->contact)[i];
      if (report->impulse[0] == 0) continue;
      char name[NS_CANDIDATE_NAME];
      hits++;
      assert_string_equal(NsCandidateName(&test.run->model->candidate[i], name), "hit.1-1"); /* the first ball of each set */
      assert_near(report->impulse[0], normal, 1e-12 * normal);
      assert_near(hypot(report->impulse[1], report->impulse[2]), tangential, 1e-12 * normal);
    }
  }
  assert_int_equal(hits, 1);
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  assert_near(test.run->ledger.numerical, 0, 1e-12 * m * v * v);
  assert_near(test.run->ledger.impact, (1 - e * e) * m * v * v / 4, 1e-12 * m * v * v);
  test_run_close(&test);
}

static void two_balls_meet(void **state)
{
  static const PetscReal frictions[] = {0, 1e-3, 0.4};

  (void)state;
  for (int k = 0; k < 3; k++) check_impact(frictions[k]);
}

static const char around[] = "bodies:\n"
                             "  pair:\n"
                             "    type: balls\n"
                             "    mesh: {line: {from: [0, 0, 0], to: [18 m, 7.4 m, 3.6 m], elements: 300}}\n"
                             "    radius: 10 mm\n"
                             "    density: 1000\n"
                             "  third:\n"
                             "    type: balls\n"
                             "    mesh: {line: {from: [%g, %g, %g], to: [%g, %g, %g], elements: 1}}\n"
                             "    radius: 10 mm\n"
                             "    density: 1000\n"
                             "    initial: {velocity: [%g, %g, %g]}\n"
                             "contacts:\n"
                             "  hit: {between: [{node: third.all, radius: 10 mm}, {node: pair.all, radius: 10 mm}], near_pairs: 3}\n"
                             "scheme: {type: moreau_jean, theta: 0.5, step: 0.1 ms}\n"
                             "time: {end: 20 ms}\n";

/* From each side, along axes and diagonals: the grid of cells, which are many for so many balls, is looked at all around a ball. */
static void balls_come_from_everywhere(void **state)
{
  const PetscReal m = 4.0 / 3 * PETSC_PI * 1e-6 * 1000;

  (void)state;
  for (int k = 0; k < 27; k++) {
    const PetscReal d[3]   = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    const PetscReal length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), a = 0.03 / length, b = 1 / length, v = -2 / length;
    PetscReal       impulse = 0;
    char            text[2048];
    if (k == 13) continue;
    (void)snprintf(text, sizeof(text), around, a * d[0], a * d[1], a * d[2], b * d[0], b * d[1], b * d[2], v * d[0], v * d[1], v * d[2]);
    TestRun test = test_run_open(text, NULL);
    while (test_runs(test.run)) {
      test_step(test.run);
      for (PetscInt i = 0; i < test.run->model->candidates; i++) impulse += NsContactReports(test.run->contact)[i].impulse[0];
    }
    assert_near(impulse, m * 2 / 2, 1e-5 * m); /* %g */
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(two_balls_meet), cmocka_unit_test(balls_come_from_everywhere)};
TEST_MAIN(tests)
