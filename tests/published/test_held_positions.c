/*
  `positions: held` (src/scheme/position.h): closed contacts and joints of velocity schemes on g = 0, where surfaces are curved.

  Without it they drift. A body that slides with the angular rate w in a bore, its centre on a circle of radius R, steps of dt:
      half-explicit   gdot = -R w (w dt)^3/8:  v_a is tangent at q0 + dt v0, v1 at q1; the mean of both misses the chord by that
      Moreau          gdot = -R w (w dt)/2 (midpoint), -R w (w dt) (Moreau-Jean on linear models, which take W at q0)
*/
#include <stdio.h>
#include "support.h"

#define ROTOR PERCUSS_SOURCE_DIR "/configs/rotor_in_safety_bearing.yaml"

/* A disc that slides without weight in a bore of 60 mm, its centre on a circle of R = 10 mm with w = 100 rad/s. */
static const char *const hollow =
  "bodies:\n"
  "  disc:\n"
  "    type: rigid\n"
  "    at: [0, 0, -10 mm]\n"
  "    mass: 1 kg\n"
  "    inertia: [1.25e-3, 6.25e-4, 6.25e-4]\n"
  "    radius: 50 mm\n"
  "    initial: {velocity: [0, 1 m/s, 0]}\n"
  "supports:\n"
  "  plane: {at: disc.center, fix: [x, ry, rz]}\n"
  "contacts:\n"
  "  hollow:\n"
  "    between: [{node: disc.center, radius: 50 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 60 mm, side: inside}}]\n"
  "scheme: {type: half_explicit, step: 50 us}\n"
  "time: {end: 10 ms}\n";

/* The same disc rolls down a round hill of 40 mm: its centre is on a circle of 90 mm. */
static const char *const hill =
  "gravity: [0, 0, -9.81 m/s^2]\n"
  "bodies:\n"
  "  disc:\n"
  "    type: rigid\n"
  "    at: [0, 0.9 mm, 89.995499887 mm]\n"
  "    mass: 1 kg\n"
  "    inertia: [1.25e-3, 6.25e-4, 6.25e-4]\n"
  "    radius: 50 mm\n"
  "supports:\n"
  "  plane: {at: disc.center, fix: [x, ry, rz]}\n"
  "contacts:\n"
  "  hill:\n"
  "    between: [{node: disc.center, radius: 50 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 40 mm, side: outside}}]\n"
  "    friction: 100\n"
  "    gap_tolerance: 10 nm\n"
  "scheme: {type: half_explicit, step: 50 us}\n"
  "time: {end: 1}\n";

static const char *const schemes[] = {"half_explicit", "half_explicit_two_step", "moreau_midpoint", "moreau_jean"};
#define SCHEMES (sizeof(schemes) / sizeof(schemes[0]))

static TestRun open_case(const char *text, const char *scheme, PetscReal step, const char *positions, const char *more, const char *extra)
{
  char              set[128];
  const char *const sets[] = {set, more, extra, NULL};

  snprintf(set, sizeof(set), "scheme={type: %s, step: %.17g, positions: %s}", scheme, step, positions);
  return test_run_open(text, sets);
}

static TestRun open_rotor(const char *scheme, const char *positions, const char *friction, const char *end)
{
  char         text[16384], extra[64];
  FILE        *file = fopen(ROTOR, "r");
  const size_t size = file ? fread(text, 1, sizeof(text), file) : 0;
  TestRun      test;

  assert_true(file && size < sizeof(text));
  fclose(file);
  text[size] = 0;
  snprintf(extra, sizeof(extra), "contacts.rub.friction=%s", friction);
  test = open_case(text, scheme, 5e-6, positions, end, extra);
  return test;
}

/* Runs to the end; the largest |gap| of what is closed. */
static PetscReal largest_gap(TestRun *test)
{
  const NsContact *contact = test->run->contact;
  PetscReal        largest = 0;

  while (test_runs(test->run)) {
    test_step(test->run);
    for (PetscInt i = 0; i < NsContactModel(contact)->candidates; i++)
      if (NsContactReports(contact)[i].state != NS_OPEN) largest = PetscMax(largest, PetscAbsReal(NsContactReports(contact)[i].gap));
  }
  return largest;
}

static void the_rotor_stays_on_its_bearing(void **state)
{
  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    for (int mu = 0; mu < 2; mu++) {
      const char *const friction = mu ? "0.01" : "0";
      PetscReal         gap[2], energy[2];
      for (int held = 0; held < 2; held++) {
        TestRun   test = open_rotor(schemes[s], held ? "held" : "free", friction, "time.end=50 ms");
        NsLedger *l    = &test.run->ledger;
        gap[held]      = largest_gap(&test);
        CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
        energy[held] = l->numerical;
        test_run_close(&test);
      }
      print_message("  %s, mu = %s: |gap| %.1e m free, %.1e m held; the scheme's own energy %.2e J, %.2e J\n", schemes[s], friction, gap[0], gap[1],
        energy[0], energy[1]);
      assert_true(gap[0] > 5e-9); /* up to its gap_tolerance, 10 nm, or the penetration of a step */
      assert_true(gap[1] < 1e-14);
      assert_near(energy[1], energy[0], 2e-3); /* of 1208 J, at the instant in which the drive ends */
    }
  }
}

/* Half a second of it with friction: the spin is what it was, and Moreau's friction works as the half-explicit schemes' does, on the circle where it should be. */
static void half_a_second_of_the_rotor(void **state)
{
  PetscReal friction[SCHEMES - 1][2];

  (void)state;
  for (size_t s = 0; s < SCHEMES - 1; s++) {
    for (int held = 0; held < 2; held++) {
      TestRun            test = open_rotor(schemes[s], held ? "held" : "free", "0.01", "time.end=0.5");
      NsLedger          *l    = &test.run->ledger;
      const PetscScalar *v;
      NsProbe            wheel;
      PetscBool          found;
      PetscReal          gap = largest_gap(&test), spin = 0;
      char               why[256];
      CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
      CHECK(test.run->model->view.probe(test.run->model, "shaft.wheel", &wheel, &found, why, sizeof(why)));
      CHECK(VecGetArrayRead(test.run->state.v, &v));
      for (PetscInt c = 0; c < wheel.columns; c++)
        if (!strcmp(wheel.column[c].suffix, "wx")) spin = NsProbeColumnSum(&wheel.column[c], 0, v, v);
      CHECK(VecRestoreArrayRead(test.run->state.v, &v));
      print_message("  %s, %s: spin %.3f rad/s, |gap| %.1e m, friction %.4f J, the scheme's own %.2e J\n", schemes[s], held ? "held" : "free", spin,
        gap, l->friction, l->numerical);
      assert_near(spin, 298.53, 0.05);
      if (held) assert_true(gap < 1e-14);
      friction[s][held] = l->friction;
      test_run_close(&test);
    }
  }
  assert_near(friction[2][1], friction[0][1], 0.003);
  assert_true(friction[2][0] < friction[0][0] - 0.015); /* 5 um beside it */
}

/* The formulas of drift, and none where positions are held. */
static void a_disc_in_a_bore(void **state)
{
  const PetscReal R = 0.01, w = 100, dt = 50e-6, end = 0.01;
  const PetscReal half_explicit = R * w * PetscPowReal(w * dt, 3) / 8, moreau = R * w * w * dt / 2;
  const PetscReal rate[SCHEMES] = {half_explicit, half_explicit, moreau, 2 * moreau};

  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun   test = open_case(hollow, schemes[s], dt, "free", NULL, NULL);
    PetscReal gap  = largest_gap(&test);
    print_message("  %s: %.4e m, expected %.4e m\n", schemes[s], gap, rate[s] * end);
    assert_near(gap, rate[s] * end, 0.02 * rate[s] * end); /* w and R change while it drifts */
    test_run_close(&test);
    test = open_case(hollow, schemes[s], dt, "held", NULL, NULL);
    gap  = largest_gap(&test);
    assert_int_equal(NsContactReports(test.run->contact)[0].state, NS_CLOSED);
    assert_true(gap < 1e-16);
    test_run_close(&test);
  }
}

/* Joints of the slider-crank without clearance, and what that costs in energy: 0.1 s at 0.1 ms. */
static void joints_of_a_slider_crank(void **state)
{
  static const char *const crank = "gravity: [0, -9.81, 0]\n"
                                   "bodies: {crank: {type: slider_crank_bilateral}}\n"
                                   "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                   "time: {end: 0.1}\n";

  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    PetscReal gap[2], energy[2];
    for (int held = 0; held < 2; held++) {
      TestRun test = open_case(crank, schemes[s], 1e-4, held ? "held" : "free", NULL, NULL);
      gap[held]    = largest_gap(&test);
      CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
      energy[held] = test.run->ledger.numerical / test.run->ledger.initial;
      test_run_close(&test);
    }
    print_message("  %s: %.2e m free, %.2e m held; energy by %.2e, %.2e of itself\n", schemes[s], gap[0], gap[1], energy[0], energy[1]);
    assert_true(gap[0] > 1e-6 && gap[1] < 1e-14);
    assert_near(energy[1], energy[0], 0.01);
  }
}

/* With clearance and e = 0.4: what presses in two steps running is on its gap; impacts that bounce keep the penetration of their step. */
static void lasting_contacts_of_a_slider_crank(void **state)
{
  static const char *const crank = "gravity: [0, -9.81, 0]\n"
                                   "bodies: {crank: {type: slider_crank, contact: {restitution: 0.4, friction: 0.01}}}\n"
                                   "scheme: {type: half_explicit, step: 50 us}\n"
                                   "time: {end: 0.1}\n";

  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun          test    = open_case(crank, schemes[s], 5e-5, "held", NULL, NULL);
    const NsContact *contact = test.run->contact;
    PetscInt         lasting = 0;
    while (test_runs(test.run)) {
      test_step(test.run);
      for (PetscInt i = 0; i < NsContactModel(contact)->candidates; i++) {
        const NsContactReport *now = &NsContactReports(contact)[i], *before = &NsContactLastReports(contact)[i];
        if (!(now->force[0] + now->impulse[0] > 0 && before->force[0] + before->impulse[0] > 0) || now->impact || before->impact) continue;
        lasting++;
        if (PetscAbsReal(now->gap) > 1e-14) fail_msg("%s: gap %g at %g s", schemes[s], now->gap, test.run->state.t);
      }
    }
    print_message("  %s: %d contacts lasted in a step\n", schemes[s], (int)lasting);
    assert_true(lasting > 100);
    test_run_close(&test);
  }
}

/* Rod and ring of a pendulum, e = 0.5: the rod never leaves its length. */
static void a_pendulum_in_a_ring(void **state)
{
  static const char *const pendulum = "gravity: [0, -9.81, 0]\n"
                                      "bodies: {pendulum: {type: pendulum_in_ring, contact: {restitution: 0.5}}}\n"
                                      "scheme: {type: half_explicit, step: 2 ms}\n"
                                      "time: {end: 5}\n";

  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun   test = open_case(pendulum, schemes[s], 2e-3, "held", NULL, NULL);
    PetscReal rod  = 0;
    while (test_runs(test.run)) {
      test_step(test.run);
      rod = PetscMax(rod, PetscAbsReal(NsContactReports(test.run->contact)[0].gap));
    }
    assert_true(rod < 1e-14);
    test_run_close(&test);
  }
}

/* Over an edge, where two contacts of one normal and different curvatures are closed at once: as equations they contradict each other. */
static void a_point_over_an_edge(void **state)
{
  static const char *const edge = "gravity: [0, -9.81, 0]\n"
                                  "bodies: {point: {type: edge, initial: {x: -50 mm, vx: 4.7 m/s}}}\n"
                                  "scheme: {type: half_explicit, step: 0.1 ms}\n"
                                  "time: {end: 50 ms}\n";

  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun            test = open_case(edge, schemes[s], 1e-4, "held", NULL, NULL);
    const PetscScalar *q;
    assert_true(largest_gap(&test) < 2e-15);
    CHECK(VecGetArrayRead(test.run->state.q, &q));
    assert_near(q[0], 0.180256135, s == 1 ? 2e-4 : 2e-5); /* two steps: it does not end at 50 ms */
    CHECK(VecRestoreArrayRead(test.run->state.q, &q));
    test_run_close(&test);
  }
}

/*
  Down a hill: on a convex surface a forecast sees the contact open. A solid disc (J = m r^2/2) that rolls from phi0 at rest leaves where the normal force vanishes:
  m g cos phi = m v^2/s and 3/4 v^2 = g s (cos phi0 - cos phi): cos phi = 4/7 cos phi0. A contact that has opened is not pulled back.
*/
static void a_disc_on_a_hill(void **state)
{
  const PetscReal leaves = 4.0 / 7 * PetscSqrtReal(1 - 1e-4);

  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun            test   = open_case(hill, schemes[s], 50e-6, "held", NULL, NULL);
    NsContactReport   *report = NULL;
    PetscReal          gap    = 0;
    const PetscScalar *q;
    PetscReal          cosine;
    do {
      test_step(test.run);
      report = &NsContactReports(test.run->contact)[0];
      if (report->state != NS_OPEN) gap = PetscMax(gap, PetscAbsReal(report->gap));
    } while (report->state != NS_OPEN && test_runs(test.run));
    CHECK(VecGetArrayRead(test.run->state.q, &q));
    print_message("  %s: leaves at %.6f s, gap %.1e\n", schemes[s], test.run->state.t, gap);
    cosine = (q[1] + 0.089995499887) / 0.09;
    CHECK(VecRestoreArrayRead(test.run->state.q, &q));
    assert_true(gap < 1e-15);
    assert_near(cosine, leaves, 2e-3);
    test_run_close(&test);
  }
}

/* What lies on the floor is closed from the first report on. */
static void a_disc_that_lies(void **state)
{
  (void)state;
  for (size_t s = 0; s < SCHEMES; s++) {
    TestRun test = open_case(hollow, schemes[s], 50e-6, "held", NULL, NULL);
    assert_int_equal(NsContactReports(test.run->contact)[0].state, NS_CLOSED);
    CHECK(NsContactEndStep(test.run->contact, &test.run->state));
    assert_int_equal(NsContactReports(test.run->contact)[0].state, NS_CLOSED);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(the_rotor_stays_on_its_bearing),
  cmocka_unit_test(half_a_second_of_the_rotor),
  cmocka_unit_test(a_disc_in_a_bore),
  cmocka_unit_test(a_disc_that_lies),
  cmocka_unit_test(a_disc_on_a_hill),
  cmocka_unit_test(joints_of_a_slider_crank),
  cmocka_unit_test(lasting_contacts_of_a_slider_crank),
  cmocka_unit_test(a_pendulum_in_a_ring),
  cmocka_unit_test(a_point_over_an_edge),
};
TEST_MAIN(tests)
