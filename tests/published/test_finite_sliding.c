/*
  Finite sliding over flexible bodies: a block past many elements in the plane and in space, a point that leaves the edge, against rigid bodies.
*/
#include "support.h"
#include <stdio.h>

#define STEEL "material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}"

/* Impulses over the steps so far: normal, and along the first two tangents. */
static void add_impulses(const TestRun *test, double P[3])
{
  for (PetscInt i = 0; i < test->run->model->candidates; i++) {
    const NsContactReport *report = &NsContactReports(test->run->contact)[i];
    for (int k = 0; k < 3; k++) P[k] += report->force[k] * NsRunTimeStep(test->run) + report->impulse[k];
  }
}

/* A block at v0 under a load N for the time T: momenta, the work of friction, and the ledger; friction mu. */
static void check_block(const char *text, double mu, double N, double mass, double v0, double most_off)
{
  TestRun      test = test_run_open(text, NULL);
  double       P[3] = {0, 0, 0}, start;
  const double T = test.run->config.time->end, path = v0 * T - mu * N / mass * T * T / 2;

  start = test.run->ledger.initial;
  assert_false(test.run->model->flat_contacts);
  while (test_runs(test.run)) {
    (void)test_step(test.run);
    add_impulses(&test, P);
  }
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  const double rubbed = hypot(P[1], P[2]), work = test.run->ledger.friction;
  print_message("  normal impulse %.6g, friction %.6g, its work %.6g of those of rigid bodies; energy error %.2g of the start\n", P[0] / (N * T),
    rubbed / (mu * N * T), work / (mu * N * path), test.run->ledger.numerical / start);
  assert_near(P[0] / (N * T), 1, most_off);
  assert_near(rubbed / (mu * P[0]), 1, 1e-4);
  assert_near(work / (mu * P[0] / T * path), 1, most_off);
  assert_near(test.run->ledger.numerical / start, 0, most_off / 100);
  test_run_close(&test);
}

static void block_in_the_plane(void **state)
{
  char text[8000];

  (void)state;
  test_read_config("block_slides.yaml", text, sizeof(text));
  check_block(text, 0.1, 50e3, 11.7, 60, 1e-3);
}

/* Obliquely over the faces, with friction in two directions. */
static void block_in_space(void **state)
{
  static const struct {
    const char *scheme, *mass;
    double      most_off;
  } wanted[] = {{"half_explicit, step: 0.3 us", "lumped", 0.02}, {"moreau_jean, step: 1 us", "consistent", 0.02}};

  (void)state;
  for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
    char text[3000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n"
      "  base: {type: solid, " STEEL ", mass: %s, mesh: {box: {from: [-20 mm, -8 mm, -14 mm], to: [28 mm, 0, 22 mm], cells: [12, 2, 9]}}}\n"
      "  block: {type: solid, " STEEL ", mass: %s, mesh: {box: {from: [-10 mm, 0, -8 mm], to: [10 mm, 10 mm, 8 mm], cells: [6, 3, 5]}}, "
      "initial: {velocity: [32 m/s, 0, 24 m/s]}}\n"
      "supports: {foot: {at: base.bottom}}\nloads: {press: {on: block.top, pressure: 10 MPa}}\n"
      "contacts: {joint: {between: [{surface: block.bottom}, {surface: base.top}], friction: 0.05}}\n"
      "start: static\nscheme: {type: %s}\ntime: {end: 0.3 ms}\n",
      wanted[i].mass, wanted[i].mass, wanted[i].scheme);
    check_block(text, 0.05, 3200, 7800 * 3.2e-6, 40, wanted[i].most_off);
  }
}

/* A point slides 49.8 mm (with the rim of 0.1 mm) to the end of the base, v^2 = v0^2 - 2 mu F s/m, and falls from there. */
static void point_leaves_the_edge(void **state)
{
  const double s = 0.0498, v = sqrt(400 - 2 * 0.2 * 100 * s / 0.1), left = (20 - v) / (0.2 * 100 / 0.1), fall = 2.6e-3 - left;
  double       P[3] = {0, 0, 0};
  TestRun      test =
    test_run_open("bodies:\n"
                  "  base: {type: solid, state: plane_strain, thickness: 10 mm, " STEEL
                  ", mass: lumped, mesh: {box: {from: [0, -20 mm, 0], to: [100 mm, 0, 0], cells: [20, 4, 0]}}}\n"
                  "  ball: {type: rigid, at: [50.3 mm, 0, 0], mass: 0.1 kg, inertia: [1e-4, 1e-4, 1e-4], initial: {velocity: [20 m/s, 0, 0]}}\n"
                  "supports: {foot: {at: base.bottom}, plane: {at: ball.center, fix: [z, rx, ry, rz]}}\n"
                  "loads: {press: {at: ball.center, force: [0, -100 N, 0]}}\n"
                  "contacts: {joint: {between: [ball.center, {surface: base.top}], friction: 0.2}}\n"
                  "scheme: {type: half_explicit, step: 0.3 us}\ntime: {end: 2.6 ms}\n",
      NULL);

  (void)state;
  while (test_runs(test.run)) {
    (void)test_step(test.run);
    add_impulses(&test, P);
  }
  print_message("  impulse %.6g of F t, friction work %.6g of mu F s\n", P[0] / (100 * left), test.run->ledger.friction / (0.2 * 100 * s));
  assert_near(P[0] / (100 * left), 1, 0.01); /* it leaves with the velocity of its last bounce */
  assert_near(test.run->ledger.friction / (0.2 * 100 * s), 1, 0.01);
  assert_int_equal(NsContactReports(test.run->contact)[0].state, NS_OPEN);
  assert_near(NsContactReports(test.run->contact)[0].gap, v * fall, 1e-5); /* beyond the rim the distance to it */
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(block_in_the_plane),
  cmocka_unit_test(block_in_space),
  cmocka_unit_test(point_leaves_the_edge),
};
TEST_MAIN(tests)
