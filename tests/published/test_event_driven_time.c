/*
  Event-driven schemes with long steps: what happens within one and makes no error of it. Loads that jump, bend and swing while a body rests; gaps that come and go between two looks;
  bodies that never move; the first instant and the last. All in closed form, or by looking at a closed form closely.
*/
#include "event_runs.h"

#define G 9.81

static const char *const schemes[] = {"event_driven_hem5", "event_driven_rkf45", "event_driven_alpha"};
#define EACH_SCHEME(s) for (size_t s = 0; s < sizeof(schemes) / sizeof(schemes[0]); s++)

static EventRun it; /* large */

/* ---- loads -------------------------------------------------------------------------------------------------------------------------------------------- */

static void open_pushed(const char *scheme, PetscReal step, const char *time)
{
  char text[512];

  snprintf(text, sizeof(text),
    "bodies: {body: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1]}}\n"
    "loads: {push: {at: body.center, force: [100 N, 0, 0], time: {%s}}}\n",
    time);
  event_open(&it, scheme, step, 1, text);
}

/* 100 N on 1 kg for some ms, while it rests: momentum and place at 1 s. What is linear in time is exact, also in steps that are not controlled. */
static void a_push_within_a_step(void **state)
{
  static const struct {
    const char *time;
    PetscReal   velocity, place;
    PetscBool   exact;
  } pushes[] = {
    {"step: {start: 0.6 s, end: 0.61 s}", 1, 0.005 + 0.39, PETSC_TRUE},
    {"step: {start: 0.97 s}", 3, 0.045, PETSC_TRUE},
    {"table: [[0.6, 0], [0.605, 1], [0.61, 0]]", 0.5, 0.5 * (0.005 + 0.39), PETSC_TRUE},
    {"table: [[0.6, 0], [0.6000000000000001, 1], [0.7, 1], [0.7000000000000001, 0]]", 10, 3.5, PETSC_TRUE},
    {"pulse: {start: 0.6 s, duration: 10 ms}", 2 / PETSC_PI, 2 / PETSC_PI * (0.005 + 0.39), PETSC_FALSE},
  };

  (void)state;
  EACH_SCHEME(s)
  {
    for (size_t k = 0; k < sizeof(pushes) / sizeof(pushes[0]); k++) {
      for (int fixed = 0; fixed < (pushes[k].exact && s < 2 ? 2 : 1); fixed++) {
        char            scheme[64];
        const PetscReal error = pushes[k].exact && s < 2 ? 1e-12 : s < 2 ? 1e-6 : 1e-4;
        snprintf(scheme, sizeof(scheme), "%s%s", schemes[s], fixed ? ", tolerance: 0" : "");
        open_pushed(scheme, fixed ? 50e-3 : 0.2, pushes[k].time);
        event_finish(&it);
        assert_near(it.v[0], pushes[k].velocity, error);
        assert_near(it.q[0], pushes[k].place, error);
        assert_near(it.run->ledger.load, PetscSqr(pushes[k].velocity) / 2, 10 * error);
        assert_near(it.run->ledger.numerical, 0, 10 * error);
        event_close(&it);
      }
    }
  }
}

/* What the model says of time: the next jump or bend after t, strictly, and the shortest period. A shaft that runs up turns fastest at the end of its ramp. */
static void times_of_a_model(void **state)
{
  static const struct {
    const char *more[4];
    PetscReal   t, next, period;
  } cases[] = {
    {{NULL}, 0, PETSC_MAX_REAL, PETSC_MAX_REAL},
    {{"loads.push.time={step: {start: 1, end: 2}}"}, 0, 1, PETSC_MAX_REAL},
    {{"loads.push.time={step: {start: 1, end: 2}}"}, 1, 2, PETSC_MAX_REAL},
    {{"loads.push.time={step: {start: 1, end: 2}}"}, 2, PETSC_MAX_REAL, PETSC_MAX_REAL},
    {{"loads.push.time={step: {start: 1}}"}, 1, PETSC_MAX_REAL, PETSC_MAX_REAL},
    {{"loads.push.time={pulse: {start: 1, duration: 0.5}}"}, 0.5, 1, PETSC_MAX_REAL},
    {{"loads.push.time={pulse: {start: 1, duration: 0.5}}"}, 1, 1.5, 1},
    {{"loads.push.time={table: [[1, 0], [2, 1], [4, 0]]}"}, 1.5, 2, PETSC_MAX_REAL},
    {{"loads.push.time={table: [[1, 0], [2, 1], [4, 0]]}"}, -1, 1, PETSC_MAX_REAL},
    {{"loads.push.time={harmonic: {frequency: 50 Hz}}"}, 3, PETSC_MAX_REAL, 0.02},
    {{"bodies.shaft.spin={table: [[1, 10 rad/s], [3, 40 rad/s]]}"}, 2, 3, PETSC_MAX_REAL},
    {{"bodies.shaft.spin={table: [[1, 10 rad/s], [3, 40 rad/s]]}", "loads.push.rotating=true"}, 2, 3, 2 * PETSC_PI / 40},
    {{"bodies.shaft.spin={table: [[1, 10 rad/s], [3, 40 rad/s]]}", "loads.push.rotating=true"}, 0, 1, 2 * PETSC_PI / 10},
    {{"bodies.shaft.spin=-25 rad/s", "unbalances={mark: {at: shaft.left, mass_eccentricity: 1e-4}}"}, 0, PETSC_MAX_REAL, 2 * PETSC_PI / 25},
    {{"bodies.shaft.spin={free: 20 rad/s}", "unbalances={mark: {at: shaft.left, mass_eccentricity: 1e-4}}"}, 0, PETSC_MAX_REAL, 2 * PETSC_PI / 20},
    {{"contacts={ring: {between: [shaft.right, {cylinder: {center: [1, 0, 0], axis: [1, 0, 0], radius: 1, side: inside, spin: {table: [[1, 0], [5, 9 rad/s]]}}}], friction: 0.1}}"},
      1, 5, PETSC_MAX_REAL},
  };

  (void)state;
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    TestRun test = test_run_open(
      "bodies: {shaft: {type: rotor, mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 1}}, material: {density: 7800, young: 210 GPa, shear_modulus: 80 GPa},\n"
      "  section: {circle: {radius: 1 cm}}, spin: 0 rad/s}}\n"
      "loads: {push: {at: shaft.left, force: [0, 1, 0]}}\n"
      "scheme: {type: half_explicit, step: 1 us}\ntime: {end: 1 s}\n",
      cases[k].more);
    NsTimes times;
    CHECK(NsModelTimes(test.run->model, cases[k].t, test.run->state.v, &times));
    assert_near(times.next, cases[k].next, 0);
    assert_near(times.period, cases[k].period, 1e-12 * times.period);
    test_run_close(&test);
  }
}

static void open_shaken(const char *scheme, PetscReal step, PetscReal force, PetscReal end)
{
  char text[1024];

  snprintf(text, sizeof(text),
    "gravity: [0, -9.81, 0]\n"
    "bodies: {p: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1, 1, 1]}}\n"
    "contacts: {floor: {between: [{node: p.center}, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n"
    "loads: {shake: {at: p.center, force: [0, %.17g N, 0], time: {harmonic: {frequency: 50 Hz}}}}\n",
    force);
  event_open(&it, scheme, step, end, text);
}

/* A body on the floor, shaken by F sin w t: it leaves once in each period, where F sin w t = m g, also where steps could be longer than the period, and where it hardly leaves. */
static void shaken_off_the_floor(void **state)
{
  static const PetscReal forces[] = {15, 10, 9.82};
  const PetscReal        period   = 0.02;

  (void)state;
  EACH_SCHEME(s)
  {
    for (int k = 0; k < 3; k++) {
      const PetscReal first = asin(G / forces[k]) / (2 * PETSC_PI) * period;
      PetscInt        hops  = 0;
      PetscBool       held  = PETSC_TRUE;
      open_shaken(s < 2 ? schemes[s] : "event_driven_alpha, tolerance: 1e-3", 60e-3, forces[k], 0.2);
      while (event_step(&it)) {
        const PetscBool now = NsContactReports(it.run->contact)[0].state != NS_OPEN;
        if (held && !now) assert_near(it.t, first + (PetscReal)hops++ * period, 1e-8); /* forces are let go at a tolerance below 0 */
        held = now;
      }
      assert_int_equal(hops, 10);
      assert_true(it.depth < 1e-12);
      event_close(&it);
    }
  }
}

/* ---- gaps between two looks --------------------------------------------------------------------------------------------------------------------------------- */

/* Of the lower corner of a block of 1 m by 0.5 m that is thrown up while it spins. */
static PetscReal lower_gap(PetscReal omega, PetscReal t)
{
  return 0.62 + 0.5 * t - G / 2 * t * t - 0.5 * fabs(sin(omega * t)) - 0.25 * cos(omega * t);
}

/* In flight the coordinates are linear and quadratic in time, so that no error makes steps short: the block may turn many times within one. Its first corner on the floor, all the same. */
static void corners_that_swing_within_a_step(void **state)
{
  static const PetscReal omegas[] = {2, 20, 200, -777, 2000};

  (void)state;
  EACH_SCHEME(s)
  {
    for (int k = 0; k < 5; k++) {
      for (int j = 0; j < 2; j++) {
        const PetscReal omega = omegas[k], fine = 1e-4 / fabs(omega);
        PetscReal       low = 0, high = fine;
        char            text[256];
        for (; lower_gap(omega, high) > 0; high += fine) low = high;
        for (int i = 0; i < 60; i++) *(lower_gap(omega, (low + high) / 2) > 0 ? &low : &high) = (low + high) / 2;
        snprintf(text, sizeof(text),
          "gravity: [0, -9.81, 0]\nbodies: {it: {type: rocking_block, contact: {restitution: 0.5}, initial: {y: 0.62, vy: 0.5, omega: %.17g rad/s}}}\n",
          omega);
        event_open(&it, schemes[s], j ? 1 : 0.05, 0.5, text);
        while (it.hits == 0) assert_true(event_step(&it));
        assert_near(it.hit[0].t, high, 1e-11);
        assert_true(it.depth < 1e-9);
        event_close(&it);
      }
    }
  }
}

static NsModelContact counted; /* the model's own table */
static int            looks;

static PetscErrorCode count_looks(NsModel *model, PetscReal t, Vec q, Vec v, PetscReal *g, PetscReal *u)
{
  looks++;
  return counted.rates(model, t, q, v, g, u);
}

/* The model's rates are counted from here on. */
static void start_to_count(void)
{
  counted                      = it.run->model->contact;
  it.run->model->contact.rates = count_looks;
  looks                        = 0;
}

/* Corners that swing ten thousand radians a step just above the floor, and never reach it: the step ends where it was looked at enough, the run where it is to end. */
static void gaps_that_swing_too_often_end_the_step(void **state)
{
  (void)state;
  event_open(&it, "event_driven_hem5, tolerance: 0", 0.01, 0.03,
    "gravity: [0, 0, 0]\nbodies: {it: {type: rocking_block, initial: {y: 0.7, omega: 1e6 rad/s}}}\n");
  start_to_count();
  for (PetscReal t = 0; it.t < 0.03 - 1e-12; t = it.t) {
    looks = 0;
    assert_true(event_step(&it));
    assert_true(it.t > t);
    assert_true(looks < 4 * 4096);
  }
  it.run->model->contact = counted;
  assert_true(it.steps > 3);
  assert_true(it.steps < 100);
  assert_int_equal(it.hits, 0);
  assert_near(it.q[2], 0.03e6, 1e-6);
  event_close(&it);
}

/* Refinement is for what swings: gaps of what falls are looked at in seven places of a step, and once more at its end; so are those of a block that turns slowly. */
static void smooth_gaps_cost_no_more(void **state)
{
  static const char *const bodies[] = {"{type: bouncing_ball, initial: {y: 100 m}}", "{type: rocking_block, initial: {y: 100 m, omega: 20 rad/s}}"};

  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[256];
    snprintf(text, sizeof(text), "gravity: [0, -9.81, 0]\nbodies: {it: %s}\n", bodies[k]);
    event_open(&it, "event_driven_hem5, tolerance: 0", 0.1, 1, text);
    start_to_count();
    event_finish(&it);
    it.run->model->contact = counted;
    assert_int_equal(it.steps, 10);
    assert_int_equal(looks, 80);
    event_close(&it);
  }
}

/* ---- rest -------------------------------------------------------------------------------------------------------------------------------------------------- */

/* A block that never moves, on a slope within its friction: steps as long as may be, and no velocity but rounding. */
static void a_body_that_never_moves(void **state)
{
  (void)state;
  EACH_SCHEME(s)
  {
    event_open(&it, schemes[s], 1, 10, "gravity: [3, -9.81, 0]\nbodies: {it: {type: rocking_block, contact: {friction: 0.5}}}\n");
    event_finish(&it);
    assert_int_equal(it.steps, 10);
    for (int k = 0; k < 3; k++) assert_near(it.v[k], 0, 1e-11);
    for (int k = 0; k < 3; k++) assert_near(it.q[k], k == 1 ? 0.25 : 0, 1e-11);
    assert_near(event_force(&it, 0) + event_force(&it, 1), G, 1e-12);
    event_close(&it);
  }
}

/* It sticks from the first instant, with its force: no event, neither then nor at the end of the first step. Where the start does not fit there is an impact then. */
static void contacts_held_at_the_start(void **state)
{
  (void)state;
  EACH_SCHEME(s)
  {
    for (int thrown = 0; thrown < 2; thrown++) {
      char text[256];
      snprintf(
        text, sizeof(text), "gravity: [3, -9.81, 0]\nbodies: {it: {type: rocking_block, contact: {friction: 0.5}, initial: {vy: %d}}}\n", -thrown);
      event_open(&it, schemes[s], 0.1, 1, text);
      const NsContactReport *now = NsContactReports(it.run->contact);
      if (thrown) {
        assert_int_equal(now[0].state, NS_CLOSED);
        assert_true(!now[0].impact && now[0].impulse[0] == 0 && it.run->ledger.impact == 0);
        assert_true(event_step(&it));
        assert_near(it.t, 0, 0);
        assert_true(NsContactReports(it.run->contact)[0].impact);
        assert_near(it.run->ledger.impact, 0.5, 1e-14);
        now = NsContactReports(it.run->contact);
      }
      for (int k = 0; k < 2; k++) assert_int_equal(now[k].state, NS_STICK);
      assert_near(now[0].force[0] + now[1].force[0], G, 1e-13);
      assert_near(now[0].force[1] + now[1].force[1], -3, 1e-13);
      assert_true(event_step(&it));
      for (int k = 0; k < 2; k++) assert_int_equal(NsContactLastReports(it.run->contact)[k].state, NS_STICK);
      event_close(&it);
    }
  }
}

/* The last step ends with the run, to the last bit, whatever steps of 1 ms sum to. */
static void run_ends_at_the_end_time(void **state)
{
  static const PetscReal ends[] = {1, 0.2, 0.3, 0.7};

  (void)state;
  EACH_SCHEME(s)
  {
    for (int k = 0; k < 4; k++) {
      char scheme[64];
      snprintf(scheme, sizeof(scheme), "%s, tolerance: 0", schemes[s]);
      event_open(&it, scheme, 1e-3, ends[k], "gravity: [0, -9.81, 0]\nbodies: {ball: {type: bouncing_ball, initial: {y: 10 m}}}\n");
      event_finish(&it);
      assert_near(it.t, ends[k], 0);
      event_close(&it);
    }
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(a_push_within_a_step),
  cmocka_unit_test(times_of_a_model),
  cmocka_unit_test(shaken_off_the_floor),
  cmocka_unit_test(corners_that_swing_within_a_step),
  cmocka_unit_test(gaps_that_swing_too_often_end_the_step),
  cmocka_unit_test(smooth_gaps_cost_no_more),
  cmocka_unit_test(a_body_that_never_moves),
  cmocka_unit_test(contacts_held_at_the_start),
  cmocka_unit_test(run_ends_at_the_end_time),
};
TEST_MAIN(tests)
