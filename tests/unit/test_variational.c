/*
  The variational scheme where theory says more of it than of others: for constant mass it is Moreau's midpoint scheme; with a mass that varies its energy stays, and its
  order too; a joint costs both.
*/
#include "mechanism/dense.h"
#include "support.h"
#include <math.h>

/* ---- constant mass ---- */

static const char *const hitting_bar = "gravity: [-9.81, 0, 0]\n"
                                       "bodies:\n"
                                       "  bar:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [10.5 um, 0, 0], to: [1.0000105, 0, 0], elements: 10}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {area: 3 cm^2}\n"
                                       "    initial: {velocity: [-0.1, 0, 0]}\n"
                                       "loads: {push: {at: bar.right, force: [-200, 0, 0]}}\n"
                                       "contacts:\n"
                                       "  wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}], restitution: 0.5}\n"
                                       "scheme: {type: variational, step: 2 us}\n"
                                       "time: {end: 1 ms}\n";

/* to = a x + b y of states of the same size. */
static void combine(Vec to, PetscReal a, Vec x, PetscReal b, Vec y)
{
  CHECK(VecCopy(x, to));
  CHECK(VecAXPBY(to, b, a, y));
}

static void expect_equal(Vec a, Vec b, PetscReal tolerance)
{
  PetscReal size, distance;

  CHECK(VecNorm(b, NORM_INFINITY, &size));
  CHECK(VecAXPY(a, -1, b));
  CHECK(VecNorm(a, NORM_INFINITY, &distance));
  assert_near(distance / size, 0, tolerance);
}

/* Moreau's midpoints are the nodes: from the middle of the first element on, with the velocity there, it goes the same way, through impact and contact. */
static void equals_moreau_with_constant_mass(void **state)
{
  const char *const set[] = {"scheme.type=moreau_midpoint", NULL};
  TestRun           test = test_run_open(hitting_bar, NULL), moreau = test_run_open(hitting_bar, set);
  const PetscReal   dt     = test.run->step;
  PetscInt          closed = 0;
  Vec               q[3], u, middle;

  (void)state;
  CHECK(NsVecsCreate(test.run->model, &q[0], &q[1], &q[2], &u, &middle, NULL));
  for (int k = 0; k < 2; k++) {
    CHECK(VecCopy(test.run->state.q, q[k]));
    test_step(test.run);
  }
  for (PetscInt64 i = 0; i < 400; i++) { /* q_k, q_{k+1}, q_{k+2} */
    CHECK(VecCopy(test.run->state.q, q[2]));
    combine(u, -1 / dt, q[0], 1 / dt, q[1]);
    combine(middle, 0.5, q[0], 0.5, q[1]);
    if (i == 0) {
      CHECK(VecCopy(u, moreau.run->state.v));
      CHECK(VecCopy(middle, moreau.run->state.q));
    }
    expect_equal(u, moreau.run->state.v, 1e-9);
    expect_equal(middle, moreau.run->state.q, 1e-11);
    if (NsContactReports(moreau.run->contact)[0].impulse[0] > 0) closed++;
    test_step(moreau.run);
    test_step(test.run);
    CHECK(VecCopy(q[1], q[0]));
    CHECK(VecCopy(q[2], q[1]));
  }
  assert_true(closed > 50);
  assert_near(test.run->ledger.impact, moreau.run->ledger.impact, 2e-3 * moreau.run->ledger.impact); /* half a step apart */
  CHECK(NsVecsDestroy(&q[0], &q[1], &q[2], &u, &middle, NULL));
  test_run_close(&moreau);
  test_run_close(&test);
}

/* ---- mass that varies ---- */

/* A notch as wide as the room: nothing but free flight of three angles. */
static const char *const flying_crank  = "gravity: [0, -9.81, 0]\n"
                                         "bodies: {crank: {type: slider_crank, clearance: 1 m}}\n"
                                         "scheme: {type: %s, step: %.17g}\n"
                                         "time: {end: %.17g}\n";
static const char *const jointed_crank = "gravity: [0, -9.81, 0]\n"
                                         "bodies: {crank: {type: slider_crank_bilateral}}\n"
                                         "scheme: {type: %s, step: %.17g}\n"
                                         "time: {end: %.17g}\n";

typedef struct {
  PetscReal q[2];   /* at the end */
  PetscReal energy; /* J: gained at the end */
  PetscReal off[2]; /* J: most beside the start, in the first tenth and in all */
  PetscReal gap;    /* m: most that a contact or joint is open inwards */
} Motion;

static Motion run_crank(const char *config, const char *scheme, PetscReal step, PetscReal end)
{
  Motion             m = {{0}};
  char               text[512];
  const PetscScalar *q;

  snprintf(text, sizeof(text), config, scheme, step, end);
  TestRun test = test_run_open(text, NULL);
  for (PetscInt64 i = 1; i <= test.run->steps; i++) {
    assert_false(test_step(test.run).impulsive && config == flying_crank);
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    m.energy = test.run->ledger.now.kinetic + test.run->ledger.now.potential - test.run->ledger.initial;
    m.off[1] = PetscMax(m.off[1], PetscAbsReal(m.energy));
    m.gap    = PetscMax(m.gap, PetscAbsReal(NsContactReports(test.run->contact)[0].gap));
    if (10 * i == test.run->steps) m.off[0] = m.off[1];
  }
  CHECK(VecGetArrayRead(test.run->state.q, &q));
  m.q[0] = q[0];
  m.q[1] = q[1];
  CHECK(VecRestoreArrayRead(test.run->state.q, &q));
  test_run_close(&test);
  return m;
}

static PetscReal order_of(const char *config, const char *scheme, PetscReal step, PetscReal end)
{
  Motion    m[3];
  PetscReal coarse, fine;

  for (int k = 0; k < 3; k++) m[k] = run_crank(config, scheme, step / (1 << k), end);
  coarse = hypot(m[0].q[0] - m[1].q[0], m[0].q[1] - m[1].q[1]);
  fine   = hypot(m[1].q[0] - m[2].q[0], m[1].q[1] - m[2].q[1]);
  return PetscLog2Real(coarse / fine);
}

/* Order 2 where Moreau's has order 1; the same motion as that of a scheme of another kind. */
static void free_flight_is_of_second_order(void **state)
{
  const Motion m = run_crank(flying_crank, "variational", 1e-5, 0.05), other = run_crank(flying_crank, "half_explicit", 1e-5, 0.05);

  (void)state;
  assert_near(order_of(flying_crank, "variational", 4e-5, 0.05), 2, 0.05);
  assert_near(order_of(flying_crank, "moreau_midpoint", 4e-6, 0.05), 1, 0.1);
  for (int i = 0; i < 2; i++) assert_near(m.q[i], other.q[i], 1e-4);
}

/* Over 10 s, 300 turns: 14 mJ beside 7.5 J at 0.1 ms, no more than in the first second, and a quarter of it with half the step. Moreau's loses 5.6 J. */
static void free_flight_conserves_the_energy(void **state)
{
  const Motion m = run_crank(flying_crank, "variational", 1e-4, 10), fine = run_crank(flying_crank, "variational", 5e-5, 10),
               moreau = run_crank(flying_crank, "moreau_midpoint", 1e-4, 10);

  (void)state;
  print_message(
    "  %.2e J, in the first second %.2e J; at half the step %.2e J; moreau_midpoint %.2f J\n", m.off[1], m.off[0], fine.off[1], moreau.energy);
  assert_near(m.off[1], 0.01364, 1e-4);
  assert_true(m.off[1] < 1.05 * m.off[0]);
  assert_near(m.off[1] / fine.off[1], 4, 0.1);
  assert_true(moreau.energy < -5);
}

static PetscInt64 asked;
static void (*rate_of_the_mass)(const NsMechanismCase *c, const double *q, const double *v, double *y);

static void counted_massrate(const NsMechanismCase *c, const double *q, const double *v, double *y)
{
  asked++;
  rate_of_the_mass(c, q, v, y);
}

/* Each iteration computes the rate of the mass once, and each node once more: on the spring pendulum at most three in any step, also in
   impacts; on the slider-crank, where products of speeds are larger, three as a rule. */
static void few_iterations(void **state)
{
  static const struct {
    const char *body, *step;
    PetscInt64  most;
    PetscReal   mean;
  } table[] = {
    {"spring_pendulum, contact: {restitution: 1}", "2 ms", 3, 3}, {"slider_crank, contact: {restitution: 0.4, friction: 0.01}", "0.1 ms", 5, 3.5}};

  (void)state;
  for (size_t s = 0; s < sizeof(table) / sizeof(table[0]); s++) {
    PetscInt64 most = 0, sum = 0;
    char       text[512];
    snprintf(text, sizeof(text), "gravity: [0, -9.81, 0]\nbodies: {it: {type: %s}}\nscheme: {type: variational, step: %s}\ntime: {end: 10}\n",
      table[s].body, table[s].step);
    TestRun     test    = test_run_open(text, NULL);
    NsDense    *dense   = test.run->model->data;
    NsMechanism counted = *dense->m;
    rate_of_the_mass    = counted.massrate;
    counted.massrate    = counted_massrate;
    dense->m            = &counted;
    test_step(test.run); /* two nodes */
    for (int i = 0; i < 4000; i++) {
      asked = 0;
      test_step(test.run);
      sum += asked - 1;
      if (asked - 1 > most) most = asked - 1;
    }
    print_message("  %s: %.2f rounds a step, at most %d\n", table[s].body, (PetscReal)sum / 4000, (int)most);
    assert_true(sum >= 2 * 4000 && (PetscReal)sum <= table[s].mean * 4000 && most <= table[s].most);
    test_run_close(&test);
  }
}

/*
  A joint is held at the node where its step begins: W(q_k)' u_k = 0. So it drifts by order 1, and each step takes what moved along the turning normal: energy falls, by
  order 1 too, 0.18 J in 1 s at 0.1 ms. Moreau's, with gyroscopic forces at the old velocity, loses 2.85 J.
*/
static void joints_are_of_first_order(void **state)
{
  const Motion m = run_crank(jointed_crank, "variational", 1e-4, 1), fine = run_crank(jointed_crank, "variational", 5e-5, 1),
               moreau = run_crank(jointed_crank, "moreau_midpoint", 1e-4, 1);

  (void)state;
  print_message("  %.4f J, %.4f J at half the step; moreau_midpoint %.3f J; drift %.0f um\n", m.energy, fine.energy, moreau.energy, 1e6 * m.gap);
  assert_near(order_of(jointed_crank, "variational", 2e-5, 0.1), 1, 0.1);
  assert_true(m.energy < 0 && m.energy > -0.19);
  assert_near(m.energy / fine.energy, 2, 0.1);
  assert_near(m.gap / fine.gap, 2, 0.1);
  assert_near(moreau.energy, -2.853, 1e-3);
}

/* A rotor of free spin with unbalance: (dM/dt) v against differences of M v, and order 2 of all that moves. */
static const char *const rotor = "gravity: [0, 2, -9.81]\n"
                                 "bodies:\n"
                                 "  shaft:\n"
                                 "    type: rotor\n"
                                 "    mesh: {line: {from: [0, 0, 0], to: [0.6, 0, 0], elements: 3}, nodes: {disc: 0.2}}\n"
                                 "    material: {density: 7800, young: 210 GPa, shear_modulus: 80 GPa}\n"
                                 "    section: {circle: {radius: 10 mm}}\n"
                                 "    spin: {free: 300 rad/s}\n"
                                 "discs: {wheel: {at: shaft.disc, mass: 4, polar_inertia: 0.02, diametral_inertia: 0.012}}\n"
                                 "unbalances: {mark: {at: shaft.disc, mass_eccentricity: 2e-3, phase: 40 deg}}\n"
                                 "bearings:\n"
                                 "  left: {between: [shaft.left, ground], stiffness: 2e6}\n"
                                 "  right: {between: [shaft.right, ground], stiffness: 1e6}\n"
                                 "scheme: {type: variational, step: 4 us}\n"
                                 "time: {end: 20 ms}\n";

static void mass_rate_of_unbalances(void **state)
{
  TestRun         test  = test_run_open(rotor, NULL);
  NsModel        *model = test.run->model;
  const PetscReal h     = 1e-6;
  Vec             q, v, y, side[2];
  PetscReal       size;

  (void)state;
  CHECK(NsVecsCreate(model, &q, &v, &y, &side[0], &side[1], NULL));
  for (PetscInt i = 0; i < model->unknowns; i++) {
    CHECK(VecSetValue(v, i, 10 * cos(1.7 * (double)i), INSERT_VALUES));
    CHECK(VecSetValue(q, i, 0.3 * cos(2.3 * (double)i), INSERT_VALUES));
  }
  for (int k = 0; k < 2; k++) {
    CHECK(VecWAXPY(y, k ? h : -h, v, q));
    CHECK(NsModelMult(model, 0, y, v, side[k]));
  }
  CHECK(VecAXPBY(side[0], 0.5 / h, -0.5 / h, side[1]));
  CHECK(NsModelMassRate(model, 0, q, v, y));
  CHECK(VecNorm(y, NORM_INFINITY, &size));
  assert_true(size > 1e-3);
  expect_equal(side[0], y, 1e-6);
  CHECK(NsVecsDestroy(&q, &v, &y, &side[0], &side[1], NULL));
  test_run_close(&test);
}

static void rotors_with_unbalance_keep_order_and_energy(void **state)
{
  static const char *const steps[] = {"scheme.step=8 us", "scheme.step=4 us", "scheme.step=2 us"};
  TestRun                  test[3];
  PetscReal                energy[3], distance[2];

  (void)state;
  for (int k = 0; k < 3; k++) {
    const char *const set[] = {steps[k], NULL};
    test[k]                 = test_run_open(rotor, set);
    for (PetscInt64 i = 0; i < test[k].run->steps; i++) {
      test_step(test[k].run);
      CHECK(NsLedgerClose(&test[k].run->ledger, test[k].run->model, &test[k].run->state));
    }
    energy[k] = test[k].run->ledger.numerical_max;
  }
  for (int k = 0; k < 2; k++) {
    CHECK(VecAXPY(test[k].run->state.q, -1, test[k + 1].run->state.q));
    CHECK(VecNorm(test[k].run->state.q, NORM_2, &distance[k]));
  }
  print_message("  energy off by %.1e, %.1e, %.1e J of %.1f J\n", energy[0], energy[1], energy[2], test[0].run->ledger.initial);
  assert_near(PetscLog2Real(distance[0] / distance[1]), 2, 0.1);
  for (int k = 0; k < 2; k++) assert_near(energy[k] / energy[k + 1], 4, 0.4);
  for (int k = 0; k < 3; k++) test_run_close(&test[k]);
}

/* The first step has two nodes: a ball of 1 kg that touches the floor of its box with 1 m/s takes 1 N s and half a step's weight at the first, a step's weight at the second.
   The report has their sum, the ledger the loss. */
static void a_start_in_contact_reports_both_nodes(void **state)
{
  static const char *const text = "gravity: [0, -10, 0]\n"
                                  "bodies: {ball: {type: ball_in_box, initial: {x: 2 m, y: 1 m, vy: -1 m/s}}}\n"
                                  "scheme: {type: variational, step: 1 ms}\n"
                                  "time: {end: 1}\n";
  TestRun                  test = test_run_open(text, NULL);
  const NsContactReport   *report;
  PetscReal                speed;

  (void)state;
  assert_true(test_step(test.run).impulsive);
  report = &NsContactReports(test.run->contact)[1];
  assert_near(report->impulse[0], 1 + 0.005 + 0.01, 1e-14);
  assert_near(report->velocity_before[0], -1, 1e-14);
  assert_near(report->velocity_after[0], 0, 1e-14);
  assert_near(report->energy_lost, 0.5 * 1.005, 1e-14);
  CHECK(VecNorm(test.run->state.v, NORM_INFINITY, &speed));
  assert_near(speed, 0, 1e-14);
  assert_false(test_step(test.run).impulsive);
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  assert_near(test.run->ledger.impact, 0.5, 0.0026);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(a_start_in_contact_reports_both_nodes),
  cmocka_unit_test(equals_moreau_with_constant_mass),
  cmocka_unit_test(free_flight_is_of_second_order),
  cmocka_unit_test(free_flight_conserves_the_energy),
  cmocka_unit_test(few_iterations),
  cmocka_unit_test(joints_are_of_first_order),
  cmocka_unit_test(mass_rate_of_unbalances),
  cmocka_unit_test(rotors_with_unbalance_keep_order_and_energy),
};
TEST_MAIN(tests)
