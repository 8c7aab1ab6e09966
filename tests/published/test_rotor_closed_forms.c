/*
  Contacts of rigid bodies, rotors and beams whose answer is known in closed form: a bouncing disc, a disc that spins down in a bore, a rotor that
  rubs all round its bearing, a block on a belt, a cradle of balls, a beam that comes to rest on a stop.
*/
#include "dense.h"

/* Impact times of a drop from h with e = 1/2 are t1 (1 + 2 e + 2 e^2 + ...): 0.04515, 0.0903, 0.11288 s; bouncing is over at t1 (1 + e)/(1 - e). */
static void bouncing_disc(void **state)
{
  static const char *const config =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  disc: {type: rigid, at: [0, 0, 30 mm], mass: 1, inertia: [2e-4, 1e-4, 1e-4]}\n"
    "contacts: {floor: {between: [{node: disc.center, radius: 20 mm}, {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}], restitution: 0.5}}\n"
    "scheme: {type: half_explicit, step: 2 us}\n"
    "time: {end: 0.14}\n";
  TestRun         test  = test_run_open(config, NULL);
  const PetscReal first = PetscSqrtReal(0.02 / 9.81), expected[] = {first, 2 * first, 2.5 * first};
  PetscReal       last  = 0;
  int             found = 0;

  (void)state;
  for (PetscInt64 i = 0; i < test.run->steps; i++) {
    const PetscReal before = probe_now(&test, "disc.center", "vz");
    test_step(test.run);
    if (before < -1e-9 && probe_now(&test, "disc.center", "vz") >= 0) {
      if (found < 3) assert_near(test.run->state.t, expected[found], 5e-6);
      found++;
      last = test.run->state.t;
    }
  }
  assert_true(found > 5);
  assert_near(last, 3 * first, 2e-4);
  assert_near(probe_now(&test, "disc.center", "vz"), 0, 1e-12);
  assert_near(probe_now(&test, "disc.center", "uz"), -0.01, 1e-6);
  test_run_close(&test);
}

/*
  A disc of radius r spins with Omega in a hollow and slides: it stands off the bottom by atan mu, N = m g/sqrt(1 + mu^2), and stops at
  J Omega sqrt(1 + mu^2)/(mu m g r).
  It starts in that place. The stop is extrapolated from the speed at 2 s, which falls linearly.
*/
static void spin_down_in_a_bore(void **state)
{
  char            config[2000];
  const PetscReal mu = 0.1, c = 1 / PetscSqrtReal(1 + mu * mu), clearance = 0.01, J = 1 * 0.05 * 0.05 / 2;
  const PetscReal N = 9.81 * c, stop = J * 100 / (c * mu * 9.81 * 0.05);

  (void)state;
  assert_near(N, 9.761315, 1e-6);
  assert_near(stop, 2.561130, 1e-6);
  for (int turn = 1; turn >= -1; turn -= 2) {
    snprintf(config, sizeof(config),
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  disc: {type: rigid, at: [0, 0, 0], mass: 1, inertia: [%.17g, 1e-3, 1e-3], radius: 50 mm, initial: {displacement: [0, %.17g, %.17g], "
      "angular_velocity: [%d rad/s, 0, 0]}}\n"
      "supports: {plane: {at: disc.center, fix: [x, ry, rz]}}\n"
      "contacts: {rub: {between: [{node: disc.center, radius: 50 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 60 mm, "
      "side: inside}}], friction: 0.1, gap_tolerance: 1 nm}}\n"
      "scheme: {type: half_explicit, step: 0.5 ms}\n"
      "time: {end: 3}\n",
      J, -turn * clearance * mu * c, -clearance * c, 100 * turn);
    TestRun test = test_run_open(config, NULL);
    while (test.run->state.t < 2 - 1e-9) {
      test_step(test.run);
      assert_relative(NsContactReports(test.run->contact)[0].force[0], N, 1e-6);
      assert_relative(PetscAbsReal(NsContactReports(test.run->contact)[0].force[1]), mu * N, 1e-6);
    }
    const PetscReal speed = turn * probe_now(&test, "disc.center", "wx"), t = test.run->state.t;
    assert_relative(t * 100 / (100 - speed), stop, 1e-6);
    while (test.run->state.t < 2.7) test_step(test.run);
    /* then it rolls in the bore like a pendulum, by no more than what it had to come down */
    assert_true(PetscAbsReal(probe_now(&test, "disc.center", "wx")) < 1.2 * clearance * mu * PetscSqrtReal(9.81 / (1.5 * clearance)) / 0.05);
    test_run_close(&test);
  }
}

/*
  m = 1, k = 1e4, c = 10, r0 = 1e-3 (the clearance), e = 5e-4, Omega = 120, mu = 0.1: (k r0 - m Omega^2 r0 + N)^2 + (c Omega r0 + mu N)^2 = (m e
  Omega^2)^2.
*/
static const PetscReal r0 = 1e-3, omega = 120;

static PetscReal rub_force(PetscReal *lead)
{
  const PetscReal a = 1e4 * r0 - omega * omega * r0, b = 10 * omega * r0, F = 5e-4 * omega * omega, mu = 0.1;
  const PetscReal half = (a + mu * b) / (1 + mu * mu), N = -half + PetscSqrtReal(half * half - (a * a + b * b - F * F) / (1 + mu * mu));

  assert_near(N, 11.21545, 1e-5);
  *lead = atan2(b + mu * N, a + N);
  return N;
}

/* Sum of normal forces over the contacts stays N, and the centre goes round with the speed. */
static void check_rub(const TestRun *test, const char *place, PetscReal N, PetscReal tolerance)
{
  for (PetscInt64 i = 0; i < test->run->steps; i++) {
    PetscReal force[2] = {0, 0};
    test_step(test->run);
    CHECK(NsLedgerClose(&test->run->ledger, test->run->model, &test->run->state));
    for (PetscInt c = 0; c < test->run->model->candidates; c++) {
      for (int k = 0; k < 2; k++) force[k] += PetscAbsReal(NsContactReports(test->run->contact)[c].force[k]);
    }
    assert_relative(force[0], N, tolerance);
    assert_relative(force[1], 0.1 * N, tolerance);
  }
  /* the rub takes mu N times the slip, what drives the surface included; the ledger closes */
  assert_true(test->run->ledger.friction > 0.1 * N * 120 * 0.02 * 0.12 * 0.9);
  assert_near(test->run->ledger.numerical_max, 0, 1e-6 * test->run->ledger.friction);
  assert_near(probe_now(test, place, "uy"), r0 * PetscCosReal(omega * test->run->state.t), 1e-8);
  assert_near(probe_now(test, place, "uz"), r0 * PetscSinReal(omega * test->run->state.t), 1e-8);
}

/* A rigid body on springs, driven by two harmonic forces; the bore rotates backwards, so that friction always acts against the whirl. */
static void full_rub_of_a_rigid_body(void **state)
{
  char            config[2000];
  PetscReal       lead;
  const PetscReal N = rub_force(&lead), F = 5e-4 * omega * omega;

  (void)state;
  snprintf(config, sizeof(config),
    "bodies: {mass: {type: rigid, at: [0, 0, 0], mass: 1, inertia: [1, 1, 1], initial: {displacement: [0, 1 mm, 0], velocity: [0, 0, %.17g]}}}\n"
    "supports: {plane: {at: mass.center, fix: [x, rotations]}}\n"
    "bearings: {shaft: {between: [mass.center, ground], stiffness: 1e4, damping: 10}}\n"
    "loads:\n"
    "  y: {at: mass.center, force: [0, %.17g, 0], time: {harmonic: {frequency: 120 rad/s, phase: %.17g rad}}}\n"
    "  z: {at: mass.center, force: [0, 0, %.17g], time: {harmonic: {frequency: 120 rad/s, phase: %.17g rad}}}\n"
    "contacts: {rub: {between: [{node: mass.center, radius: 20 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 21 mm, side: inside, "
    "spin: -500 rad/s}}], friction: 0.1, gap_tolerance: 1 nm}}\n"
    "scheme: {type: half_explicit, step: 10 us}\n"
    "time: {end: 0.12}\n",
    r0 * omega, F, lead + PETSC_PI / 2, F, lead);
  TestRun test = test_run_open(config, NULL);
  check_rub(&test, "mass.center", N, 1e-5);
  test_run_close(&test);
}

/* The same as a rotor of prescribed spin with an unbalance: half of everything at each end of a shaft whose ends do not tilt. */
static void full_rub_of_a_rotor(void **state)
{
  static const char *const spins[] = {"120 rad/s", "{table: [[0, 120 rad/s], [1, 120 rad/s]]}"};
  char                     config[3000];
  PetscReal                lead;
  const PetscReal          N = rub_force(&lead), shaft = 7800 * PETSC_PI * 1e-6 * 0.1;

  (void)state;
  for (int k = 0; k < 2; k++) {
    snprintf(config, sizeof(config),
      "bodies:\n"
      "  shaft:\n"
      "    type: rotor\n"
      "    mesh: {line: {from: [0, 0, 0], to: [0.1, 0, 0], elements: 1}}\n"
      "    material: {density: 7800, young: 210 GPa}\n"
      "    section: {circle: {radius: 1 mm}}\n"
      "    spin: %s\n"
      "    initial: {displacement: [0, 1 mm, 0], velocity: [0, 0, %.17g]}\n"
      "supports: {plane: {at: shaft.all, fix: rotations}}\n"
      "masses: {ends: {at: shaft.all, mass: %.17g}}\n"
      "unbalances: {left: {at: shaft.left, mass_eccentricity: 2.5e-4, phase: %.17g rad}, right: {at: shaft.right, mass_eccentricity: 2.5e-4, "
      "phase: %.17g rad}}\n"
      "bearings: {left: {between: [shaft.left, ground], stiffness: 5e3, damping: 5}, right: {between: [shaft.right, ground], stiffness: 5e3, "
      "damping: 5}}\n"
      "contacts: {rub: {between: [{node: shaft.all, radius: 20 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 21 mm, "
      "side: inside}}], friction: 0.1, gap_tolerance: 1 nm}}\n"
      "scheme: {type: half_explicit, step: 10 us}\n"
      "time: {end: 0.12}\n",
      spins[k], r0 * omega, 0.5 - shaft / 2, lead, lead);
    TestRun test = test_run_open(config, NULL);
    check_rub(&test, "shaft.left", N, 1e-5);
    test_run_close(&test);
  }
}

/*
  A block on a belt, held by a spring: it sticks until k x = mu m g, then x = mu m g/k + (v/w) sin w(t - t1), which meets the belt's speed once a turn
  without sticking for a while. m = 2, k = 200, mu = 0.3, v = 0.5.
*/
static void block_on_a_belt(void **state)
{
  static const char *const config =
    "gravity: [0, 0, -10]\n"
    "bodies: {block: {type: rigid, at: [0, 0, 0], mass: 2, inertia: [1, 1, 1], initial: {velocity: [0.5, 0, 0]}}}\n"
    "supports: {straight: {at: block.center, fix: rotations}}\n"
    "springs: {wall: {between: [block.center, ground], stiffness: 200, direction: [1, 0, 0]}}\n"
    "contacts: {belt: {between: [block.center, {plane: {point: [0, 0, 0], normal: [0, 0, 1], velocity: [0.5, 0, 0]}}], friction: 0.3}}\n"
    "scheme: {type: half_explicit, step: 0.1 ms}\n"
    "time: {end: 0.7}\n";
  TestRun         test  = test_run_open(config, NULL);
  const PetscReal still = 0.3 * 2 * 10 / 200., first = still / 0.5, w = 10;

  (void)state;
  for (PetscInt64 i = 0; i < test.run->steps; i++) {
    test_step(test.run);
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    const PetscReal t = test.run->state.t, x = t < first ? 0.5 * t : still + 0.5 / w * PetscSinReal(w * (t - first));
    assert_near(probe_now(&test, "block.center", "ux"), x, 2e-5);
    assert_relative(NsContactReports(test.run->contact)[0].force[0], 20, 1e-9);
    assert_int_equal(NsContactReports(test.run->contact)[0].state, t < first - 2e-4   ? NS_STICK
                                                                   : t > first + 2e-3 ? NS_SLIP
                                                                                      : NsContactReports(test.run->contact)[0].state);
  }
  assert_near(test.run->ledger.numerical_max, 0, 1e-3 * test.run->ledger.initial);
  test_run_close(&test);
}

/* Balls with gaps between them, e = 1: the last takes all; e = 0: all go on together with a third. */
static void cradle_of_balls(void **state)
{
  static const char *const config =
    "bodies:\n"
    "  a: {type: rigid, at: [0, 0, 0], mass: 1, inertia: [1, 1, 1], initial: {velocity: [0.6, 0.8, 0]}}\n"
    "  b: {type: rigid, at: [66 mm, 88 mm, 0], mass: 1, inertia: [1, 1, 1]}\n"
    "  c: {type: rigid, at: [132 mm, 176 mm, 0], mass: 1, inertia: [1, 1, 1]}\n"
    "contacts:\n"
    "  ab: {between: [{node: a.center, radius: 50 mm}, {sphere: {on: b.center, radius: 50 mm, side: outside}}], restitution: 1}\n"
    "  bc: {between: [{node: b.center, radius: 50 mm}, {sphere: {on: c.center, radius: 50 mm, side: outside}}], restitution: 1}\n"
    "scheme: {type: half_explicit, step: 1 ms}\n"
    "time: {end: 0.1}\n";
  static const char *const plastic[] = {"contacts.ab.restitution=0", "contacts.bc.restitution=0", NULL};
  static const char *const balls[]   = {"a.center", "b.center", "c.center"};

  (void)state;
  for (int k = 0; k < 2; k++) {
    TestRun test = test_run_open(config, k ? plastic : NULL);
    run_to_end(&test);
    for (int i = 0; i < 3; i++) {
      const PetscReal v = k ? 1. / 3 : i == 2;
      assert_near(probe_now(&test, balls[i], "vx"), 0.6 * v, 1e-12);
      assert_near(probe_now(&test, balls[i], "vy"), 0.8 * v, 1e-12);
    }
    assert_near(test.run->ledger.impact, k ? 1. / 3 : 0, 1e-12);
    assert_near(test.run->ledger.numerical_max, 0, 1e-12);
    test_run_close(&test);
  }
}

/* A cantilever falls on a stop under its tip and comes to rest: on the stop lie 3/8 of the weight, less 3 EI/L^3 times the way down to it. */
static void beam_on_a_stop(void **state)
{
  static const char *const config =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  beam:\n"
    "    type: beam\n"
    "    dimension: 2\n"
    "    theory: euler_bernoulli\n"
    "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 6}}\n"
    "    material: {density: 7800, young: 210 GPa}\n"
    "    section: {rectangle: {width: 20 mm, height: 10 mm}}\n"
    "    damping: {rayleigh: {mass: 30 1/s}}\n"
    "supports: {clamp: {at: beam.left}}\n"
    "contacts: {stop: {between: [beam.right, {plane: {point: [0, -0.2 mm, 0], normal: [0, 1, 0]}}], restitution: 0.3}}\n"
    "scheme: {type: half_explicit, step: 10 us}\n"
    "time: {end: 1}\n";
  TestRun         test = test_run_open(config, NULL);
  const PetscReal EI = 210e9 * 0.02 * 1e-6 / 12, weight = 7800 * 2e-4 * 9.81;

  (void)state;
  run_to_end(&test);
  assert_relative(NsContactReports(test.run->contact)[0].force[0], 0.375 * weight - 2e-4 * 3 * EI, 1e-4);
  assert_near(probe_now(&test, "beam.right", "uy"), -2e-4, 1e-6);
  assert_relative(probe_now(&test, "beam.right", "rz"), -2e-4 * 1.5 + weight / (48 * EI), 1e-2);
  assert_near(test.run->ledger.numerical_max, 0, 1e-2 * test.run->ledger.damping);
  test_run_close(&test);
}

/* A ball that touches but for rounding may start: 0.06 - 0.05 is not 0.01 to the last bit. Also where no body has a length of its own. */
static void touching_at_the_start_is_no_penetration(void **state)
{
  static const char *const config =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {disc: {type: rigid, at: [0, 0, 0], mass: 1, inertia: [1e-3, 1e-3, 1e-3], initial: {displacement: [0, %.17g, %.17g]}}}\n"
    "contacts: {rub: {between: [{node: disc.center, radius: 50 mm}, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 60 mm, "
    "side: inside}}], gap_tolerance: 1 nm}}\n"
    "scheme: {type: half_explicit, step: 0.5 ms}\n"
    "time: {end: 1 ms}\n";
  char text[2000];

  (void)state;
  for (int k = 0; k < 20; k++) {
    snprintf(text, sizeof(text), config, 0.01 * PetscSinReal(k), 0.01 * PetscCosReal(k));
    TestRun test = test_run_open(text, NULL);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(bouncing_disc),
  cmocka_unit_test(spin_down_in_a_bore),
  cmocka_unit_test(full_rub_of_a_rigid_body),
  cmocka_unit_test(full_rub_of_a_rotor),
  cmocka_unit_test(block_on_a_belt),
  cmocka_unit_test(cradle_of_balls),
  cmocka_unit_test(beam_on_a_stop),
  cmocka_unit_test(touching_at_the_start_is_no_penetration),
};
TEST_MAIN(tests)
