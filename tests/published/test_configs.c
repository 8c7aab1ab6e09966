/*
  The configs of small systems as they are shipped, and with the settings that their headers name: what the headers say to expect.
*/
#include "event_runs.h"

static EventRun it; /* large */

/* configs/NAME.yaml with up to three settings, to its end. */
static void run_config(const char *name, const char *first, const char *second)
{
  const char *const set[] = {first, second, NULL};
  char              file[64];

  snprintf(file, sizeof(file), "%s.yaml", name);
  event_open_config(&it, file, set);
  event_finish(&it);
}

static void ball_chain(void **state)
{
  static const struct {
    const char *set, *more;
    PetscReal   v[3];
  } cases[] = {
    {NULL, NULL, {-1. / 3, 2. / 3, 2. / 3}},
    {"bodies.row.contact.restitution=0.5", NULL, {0, 0.5, 0.5}},
    {"bodies.row.contact.restitution=0", NULL, {1. / 3, 1. / 3, 1. / 3}},
    {"bodies.row.gap=2 mm", NULL, {0, 0, 1}},
    {"scheme={type: event_driven_hem5, step: 50 ms}", NULL, {-1. / 3, 2. / 3, 2. / 3}},
    {"scheme={type: event_driven_hem5, step: 50 ms}", "bodies.row.gap=2 mm", {0, 0, 1}},
  };

  (void)state;
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    run_config("ball_chain", cases[k].set, cases[k].more);
    for (int i = 0; i < 3; i++) assert_near(it.v[i], cases[k].v[i], 1e-12);
    event_close(&it);
  }
}

static void bouncing_ball(void **state)
{
  const PetscReal t1 = sqrt(2 / 9.81);

  (void)state;
  run_config("bouncing_ball", NULL, NULL);
  assert_true(it.hit[0].t >= t1 && it.hit[0].t < t1 + 1e-3);
  assert_near(it.v[0], 0, 1e-14);
  event_close(&it);
  run_config("bouncing_ball", "scheme={type: event_driven_hem5, step: 50 ms}", NULL);
  assert_near(it.hit[0].t, 0.451523640986, 1e-12);
  assert_int_equal(it.hits, 20);
  assert_near(it.v[0], 0, 0);
  event_close(&it);
}

static void oscillator(void **state)
{
  (void)state;
  run_config("oscillator", NULL, NULL);
  assert_near(it.hit[0].t, 0.1338, 1e-12);
  assert_near(it.hit[0].before, -1.264911, 2e-3);
  assert_near(event_force(&it, 0) + NsContactReports(it.run->contact)[0].impulse[0] / it.run->step, 3, 1e-5);
  assert_near(it.q[0], -12e-9, 1e-9);
  assert_near(it.run->ledger.impact, 0.8, 1e-3);
  assert_near(it.energy, 0.045, 1e-6);
  event_close(&it);
  run_config("oscillator", "scheme={type: event_driven_hem5, step: 50 ms}", NULL);
  assert_near(it.hit[0].t, acos(0.03 / 0.13) / 10, 1e-9);
  assert_near(it.hit[0].before, -1.264911, 1e-6);
  event_close(&it);
}

static void edge(void **state)
{
  static const char *const schemes[] = {
    "scheme={type: event_driven_hem5, step: 5 ms}", "scheme={type: event_driven_hem5, step: 5 ms, select: moreau_jean}"};

  (void)state;
  run_config("edge", NULL, NULL);
  assert_near(it.q[0], 0.180256120, 1e-9);
  assert_near(it.v[0], 4.357180872, 1e-9);
  assert_near(it.run->ledger.impact, 7e-6, 1e-6);
  event_close(&it);
  for (int s = 0; s < 2; s++) {
    run_config("edge", schemes[s], NULL);
    assert_near(it.q[0], 0.180256134724, 1e-12);
    assert_near(it.v[0], 4.357181873960, 2e-12);
    assert_in_range(it.steps, 28, 34);
    event_close(&it);
  }
}

static void elastic_bar_events(void **state)
{
  PetscReal end = 0;

  (void)state;
  event_open_config(&it, "elastic_bar_events.yaml", NULL);
  const PetscReal energy = it.energy;
  while (event_step(&it)) {
    if (event_force(&it, 0) > 0) end = it.t;
  }
  assert_int_equal(it.hits, 1);
  assert_near(it.hit[0].t, 500.05e-6, 1e-12);
  assert_near(it.hit[0].impulse[0], 1.414764e-3, 1e-9);
  assert_near(it.run->ledger.impact / energy, sqrt(3) / 300, 1e-8);
  assert_near(end, 881.96e-6, 0.2e-6);
  assert_true(it.depth < 1e-14);
  assert_in_range(it.steps, 8700, 9700);
  event_close(&it);
}

/* What the pages of both projections say of finite elements: E S (v dt)^2/(2 l), 1.7 times that with a consistent mass matrix, for the push back of one node. */
static void elastic_bar_pushed_back(void **state)
{
  static const struct {
    const char *scheme;
    PetscReal   step, gain; /* s; of the energy, at most in the run */
  } cases[] = {{"projection_combined", 10e-6, 0.0717}, {"projection_combined, variant: printed", 10e-6, 0.0717}, {"projection_naive", 10e-6, 0.0717},
    {"projection_combined", 100e-6, 6.327}, {"projection_combined, variant: printed", 100e-6, 6.327}, {"projection_naive", 100e-6, 29.5}};
  const PetscReal stiffness = 210e9 * 3.14159265358979e-4 / 0.02;

  (void)state;
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    char        scheme[128];
    const char *set[] = {scheme, NULL};
    PetscReal   most  = 0;
    snprintf(scheme, sizeof(scheme), "scheme={type: %s, step: %g}", cases[k].scheme, cases[k].step);
    event_open_config(&it, "elastic_bar.yaml", set);
    const PetscReal energy = it.energy, push = stiffness * PetscSqr(0.1 * cases[k].step) / 2;
    while (event_step(&it)) most = fmax(most, it.energy / energy - 1);
    print_message("  %s: energy up by %.4f of it; a push of v dt costs %.4f\n", scheme, most, push / energy);
    assert_near(most, cases[k].gain, 0.01 * cases[k].gain);
    if (k < 5) assert_true(most < 1.74 * push / energy);
    event_close(&it);
  }
}

static void pendulum_in_ring(void **state)
{
  (void)state;
  run_config("pendulum_in_ring", NULL, NULL);
  assert_near(it.hit[0].t, 0.56, 4e-3);
  assert_near(it.hit[0].after / it.hit[0].before, -0.5, 0.01); /* u^- is taken at the step's beginning */
  assert_int_equal(it.hits, 11);
  assert_near(it.hit[it.hits - 1].t, 3.446, 2e-3);
  assert_near(it.q[0], 0.15, 1e-12);
  assert_near(hypot(it.q[0], it.q[1]), 1, 1e-12);
  assert_near(hypot(it.v[0], it.v[1]), 0, 1e-12);
  event_close(&it);
}

/* Rubs where the unbalance resonates, and again where the seals excite whirl, as the modes predict. */
static void pump_shaft(void **state)
{
  PetscInt  first = 0;
  PetscReal again = NAN, x = 0, y = 0, turned = 0;

  (void)state;
  event_open_config(&it, "pump_shaft.yaml", NULL);
  const PetscInt at = 3 * 4; /* u2, u3 and their tilts at each node: the impeller is the fourth */
  while (event_step(&it)) {
    if (!first && it.t > 1.5) first = it.hits;
    if (isnan(again) && it.hits > first && it.t > 1.5) again = it.t;
    if (it.t > 2.75) turned += atan2(x * it.q[at + 1] - y * it.q[at], x * it.q[at] + y * it.q[at + 1]);
    x = it.q[at];
    y = it.q[at + 1];
  }
  print_message("  hit at %.6f s and %.6f s, %d and %d impacts, whirl %.2f rad/s, friction %.3f J, scheme %.2e J\n", it.hit[0].t, again, (int)first,
    (int)(it.hits - first), turned / 0.25, it.run->ledger.friction, it.run->ledger.numerical);
  assert_near(it.hit[0].t, 0.70969, 2e-5);
  assert_near(again, 2.2004, 5e-4);
  assert_in_range(first, 8, 20);
  assert_near(turned / 0.25, 369, 4);
  assert_near(it.run->ledger.friction, 44.85, 0.1);
  assert_near(it.run->ledger.load, 46.16, 0.1);
  assert_true(fabs(it.run->ledger.numerical) < 4e-4);
  event_close(&it);
}

static void rocking_block(void **state)
{
  (void)state;
  run_config("rocking_block", NULL, NULL);
  assert_near(it.run->ledger.impact, 3.022, 1e-3);
  for (int k = 0, found = 0; k < it.hits && !found; k++) {
    if (it.hit[k].impulse[0] < 1) continue;
    found = 1;
    assert_near(it.hit[k].t, 0.5875, 1e-12);
    assert_near(it.hit[k].impulse[0], 1.46313, 5e-6);
  }
  event_close(&it);
  run_config("rocking_block", "scheme={type: event_driven_hem5, step: 50 ms}", NULL);
  assert_int_equal(it.hits, 1);
  assert_near(it.hit[0].t, 0.587477974574, 1e-8);
  assert_near(it.hit[0].before, -4.13076009, 1e-7);
  assert_near(it.hit[0].impulse[0], 1.4629775, 1e-7);
  assert_in_range(it.steps, 110, 150);
  event_close(&it);
}

static void rocking_block_housner(void **state)
{
  (void)state;
  run_config("rocking_block_housner", NULL, NULL);
  PetscInt first = 0;
  while (it.hit[first].before > -0.05) first++; /* corners also come back by rounding */
  assert_near(it.hit[first].t, 0.2209, 1e-12);
  assert_near(it.run->ledger.impact, 0.04525, 1e-5);
  assert_near(it.run->ledger.friction, 0, 1e-6);
  event_close(&it);
  run_config("rocking_block_housner", "scheme={type: event_driven_hem5, step: 50 ms}", NULL);
  assert_near(it.hit[0].t, 0.2208355, 1e-7);
  assert_near(it.hit[it.hits - 1].t, 3.551502, 1e-5);
  assert_near(it.run->ledger.impact, 0.04523, 1e-5);
  assert_near(it.run->ledger.friction, 0, 1e-9);
  event_close(&it);
}

static void slider_crank_two_joints(void **state)
{
  static const PetscReal exact[3] = {9.927291197, 0.243205267, 1.064767291};

  (void)state;
  run_config("slider_crank_two_joints", NULL, NULL);
  for (int k = 0; k < 3; k++) assert_near(it.q[k], exact[k], 4.3e-4);
  event_close(&it);
  run_config("slider_crank_two_joints", "scheme={type: event_driven_hem5, step: 50 ms}", NULL);
  for (int k = 0; k < 3; k++) assert_near(it.q[k], exact[k], 1e-9);
  for (int k = 0; k < 2; k++) assert_near(NsContactReports(it.run->contact)[k].gap, 0, 1e-10);
  assert_near(it.energy, 64. / 3, 1e-8);
  assert_in_range(it.steps, 420, 470);
  event_close(&it);
}

static void slider_crank_bilateral(void **state)
{
  (void)state;
  run_config("slider_crank_bilateral", NULL, NULL);
  assert_near(NsContactReports(it.run->contact)[0].gap, -20e-6, 1e-6);
  event_close(&it);
  run_config("slider_crank_bilateral", "scheme.type=ggl_unified", NULL);
  assert_near(NsContactReports(it.run->contact)[0].gap, 0, 1e-12);
  event_close(&it);
  run_config("slider_crank_bilateral", "scheme={type: event_driven_hem5, step: 10 ms}", NULL);
  assert_near(NsContactReports(it.run->contact)[0].gap_rate, 0, 1e-12);
  event_close(&it);
}

/* 250 s: steps of 2 ms find 219 impacts, those that find the impacts themselves 220. */
static void spring_pendulum(void **state)
{
  (void)state;
  for (int s = 0; s < 2; s++) {
    const char *const set[] = {s ? "scheme={type: event_driven_hem5, step: 50 ms, tolerance: 1e-7}" : "scheme.step=2 ms", NULL};
    PetscReal         least = 0, most = 0;
    event_open_config(&it, "spring_pendulum.yaml", set);
    const PetscReal energy = it.energy;
    assert_near(energy, -7.1304, 5e-5);
    while (event_step(&it)) {
      least = fmin(least, (it.energy - energy) / energy);
      most  = fmax(most, (it.energy - energy) / energy);
    }
    print_message("  %s: %d impacts, energy from %.4f to %.4f %%, %d steps\n", set[0], (int)it.hits, 100 * least, 100 * most, (int)it.steps);
    assert_int_equal(it.hits, s ? 220 : 219);
    assert_near(least, s ? 0 : -0.302e-2, s ? 1e-4 : 1e-5);
    assert_near(most, s ? 0 : 0.002e-2, s ? 1e-4 : 1e-5);
    event_close(&it);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(ball_chain),
  cmocka_unit_test(bouncing_ball),
  cmocka_unit_test(oscillator),
  cmocka_unit_test(edge),
  cmocka_unit_test(elastic_bar_events),
  cmocka_unit_test(elastic_bar_pushed_back),
  cmocka_unit_test(pendulum_in_ring),
  cmocka_unit_test(pump_shaft),
  cmocka_unit_test(rocking_block),
  cmocka_unit_test(rocking_block_housner),
  cmocka_unit_test(slider_crank_two_joints),
  cmocka_unit_test(slider_crank_bilateral),
  cmocka_unit_test(spring_pendulum),
};
TEST_MAIN(tests)
