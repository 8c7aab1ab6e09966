/*
  A block that falls on its second corner, and Housner's block that rocks from corner to corner.

  [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and
  bilateral constraints, 3.1.2: 1 m x 0.5 m, 1 kg, homogeneous, from rest at theta = pi/3 on its left corner, no friction. The middle stays at its x
  then, and energy alone gives the motion. The paper ends before the impact; figures beyond are those of an independent implementation.
  [H] G. W. Housner: The behavior of inverted pendulum structures during earthquakes, Bull. Seism. Soc. Am. 53 (1963).
*/
#include "held_motion.h"

extern const NsMechanism NsMechanism_RockingBlock;

enum { LEFT, RIGHT };

#define G       9.81
#define WIDTH   1.0
#define HEIGHT  0.5
#define START   (PETSC_PI / 3)
#define INERTIA ((WIDTH * WIDTH + HEIGHT * HEIGHT) / 12) /* of 1 kg */

/* ---- the motion in closed form, but for a quadrature ---- */

/* Height of the middle while the left corner is on the floor, R sin(theta + B), and what it does with theta. */
#define R (PetscSqrtReal(WIDTH * WIDTH + HEIGHT * HEIGHT) / 2)
#define B PetscAtanReal(HEIGHT / WIDTH)

static PetscReal height(PetscReal theta)
{
  return R * PetscSinReal(theta + B);
}

static PetscReal inertia(PetscReal theta)
{
  return INERTIA + PetscSqr(R * PetscCosReal(theta + B));
}

/* omega where theta = 0, after a fall from rest at `top`. */
static PetscReal fall_speed(PetscReal top)
{
  return PetscSqrtReal(2 * G * (height(top) - height(0)) / inertia(0));
}

/* Where the block comes to rest that leaves theta = 0 with omega. */
static PetscReal rise(PetscReal omega)
{
  return PetscAsinReal((height(0) + inertia(0) * omega * omega / (2 * G)) / R) - B;
}

/* The time of the fall: theta = top - s^2 makes the integrand smooth; Simpson's rule. */
static PetscReal fall_time(PetscReal top)
{
  const PetscInt  n   = 2000;
  const PetscReal h   = PetscSqrtReal(top) / (PetscReal)n;
  PetscReal       sum = 0;

  for (PetscInt i = 0; i <= n; i++) {
    const PetscReal s = (PetscReal)i * h, half = s * s / 2, theta = top - s * s;
    const PetscReal drop =
      2 * R * PetscCosReal((top + theta) / 2 + B) * (i == 0 ? 0.5 : PetscSinReal(half) / (2 * half)); /* of the middle, over s^2 */
    sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * 2 * PetscSqrtReal(inertia(theta) / (2 * G * drop));
  }
  return sum * h / 3;
}

static const PetscReal first = 0.587477974574, before = -4.13076009, impulses[2] = {0.60240251, 1.46297753}; /* s, m/s, N s with e = 0 */
static const PetscReal times[3] = {0.587477974574, 0.89156696927, 1.041296183295};                           /* s, with e = 0.5 */

static void energy_gives_the_figures(void **state)
{
  const PetscReal omega = fall_speed(START);
  PetscReal       t = fall_time(START), now = omega;

  (void)state;
  assert_near(t, first, 1e-11);
  assert_near(-WIDTH * omega, before, 1e-8);
  /* both corners stop, the left one where it is: P_l + P_r = m vy, (P_r - P_l) w/2 = J omega; vy = w/2 omega */
  for (int k = LEFT; k <= RIGHT; k++) assert_near((WIDTH / 2 * omega + (k == LEFT ? -1 : 1) * INERTIA * omega / (WIDTH / 2)) / 2, impulses[k], 1e-8);
  /* the right corner leaves with e times its velocity, the left one stays: omega turns, and the block rises and falls again */
  for (int i = 0; i < 3; i++) {
    assert_near(t, times[i], 1e-11);
    now /= 2;
    t += 2 * fall_time(rise(now));
  }
}

/* ---- the mechanism's own functions ---- */

static const double parameters[] = {WIDTH, HEIGHT, 1, 0};

static Held block_on_its_corner(void)
{
  Held h = {.m = &NsMechanism_RockingBlock, .c = {parameters, {0, -G, 0}}, .n = 3, .helds = 1, .held = {LEFT, RIGHT}};

  h.q[0] = WIDTH / 2 * PetscCosReal(START) - HEIGHT / 2 * PetscSinReal(START);
  h.q[1] = WIDTH / 2 * PetscSinReal(START) + HEIGHT / 2 * PetscCosReal(START);
  h.q[2] = START;
  return h;
}

static void gaps_rows_and_rates_give_them_too(void **state)
{
  Held h = block_on_its_corner();

  (void)state;
  const PetscReal energy = held_energy(&h);
  held_until_closed(&h, RIGHT, 1e-4);
  assert_near(h.t, first, 1e-11);
  assert_near(held_gap_rate(&h, RIGHT), before, 1e-8);
  assert_near(held_gap(&h, LEFT), 0, 1e-13);
  assert_near(held_energy(&h), energy, 1e-12);
  h.helds = 2;
  for (int k = LEFT; k <= RIGHT; k++) assert_near(held_rows(&h, h.q, h.v).g[k], 0, 1e-13);
  held_impact(&h, 0);
  for (int k = LEFT; k <= RIGHT; k++) assert_near(h.lambda[k], impulses[k], 1e-8);
  for (int i = 0; i < 3; i++) assert_near(h.v[i], 0, 1e-12);

  h = block_on_its_corner();
  for (int i = 0; i < 3; i++) {
    h.helds = 1;
    held_until_closed(&h, RIGHT, 1e-4);
    assert_near(h.t, times[i], 1e-11);
    h.helds = 2;
    held_impact(&h, 0.5); /* the left corner has no velocity that could turn */
    assert_true(h.lambda[LEFT] > 0);
  }
}

/* ---- runs ---- */

static TestRun open_block(PetscReal e, PetscReal friction, PetscReal width, PetscReal block_height, PetscReal theta, PetscReal step, PetscReal end)
{
  const PetscReal s = PetscSinReal(theta), c = PetscCosReal(theta), side = theta > 0 ? -1 : 1; /* the corner it is on */
  char            text[512];

  snprintf(text, sizeof(text),
    "gravity: [0, -%.17g, 0]\n"
    "bodies:\n"
    "  block:\n"
    "    type: rocking_block\n"
    "    width: %.17g\n"
    "    height: %.17g\n"
    "    contact: {restitution: %.17g, friction: %.17g}\n"
    "    initial: {x: %.17g, y: %.17g, theta: %.17g rad}\n"
    "scheme: {type: half_explicit, step: %.17g}\n"
    "time: {end: %.17g}\n",
    G, width, block_height, e, friction, -side * width / 2 * c - block_height / 2 * s, -side * width / 2 * s + block_height / 2 * c, theta, step,
    end);
  return test_run_open(text, NULL);
}

static void now_at(const TestRun *test, PetscReal q[3], PetscReal v[3])
{
  const PetscScalar *a;

  for (int kind = 0; kind < 2; kind++) {
    Vec from = kind ? test->run->state.v : test->run->state.q;
    CHECK(VecGetArrayRead(from, &a));
    for (int i = 0; i < 3; i++) (kind ? v : q)[i] = a[i];
    CHECK(VecRestoreArrayRead(from, &a));
  }
}

/* Impacts of the right corner: steps are no shorter for them, so that times are good to some steps, and what belongs to them too. */
static void half_explicit_comes_to_the_figures(void **state)
{
  PetscReal error[2] = {0};

  (void)state;
  for (int fine = 0; fine < 2; fine++) {
    const PetscReal step  = fine ? 1e-5 : 1e-4;
    TestRun         test  = open_block(0, 0, WIDTH, HEIGHT, START, step, 0.7);
    PetscInt        count = 0;
    PetscReal       q[3], v[3];
    while (test.run->state.t < 0.7 - step / 2) {
      test_step(test.run);
      const NsContactReport *now = NsContactReports(test.run->contact);
      if (now[RIGHT].impulse[0] == 0) continue;
      count++;
      assert_true(test.run->state.t > first - step && test.run->state.t < first + 2 * step);
      for (int k = LEFT; k <= RIGHT; k++) error[fine] = PetscMax(error[fine], PetscAbsReal(now[k].impulse[0] - impulses[k]));
      assert_near(now[RIGHT].velocity_before[0], before, 20 * step);
    }
    assert_int_equal(count, 1);
    now_at(&test, q, v);
    for (int i = 0; i < 3; i++) assert_near(v[i], 0, 1e-12);
    assert_near(q[0], R * PetscCosReal(START + B), 1e-14);
    assert_near(q[1], HEIGHT / 2, 20 * step);
    for (int k = LEFT; k <= RIGHT; k++) assert_near(NsContactReports(test.run->contact)[k].force[0], G / 2, 20 * step);
    test_run_close(&test);
  }
  print_message("  impulses are off by %.2e, %.2e N s\n", error[0], error[1]);
  assert_true(error[0] < 5e-4 && error[1] < 5e-5);

  TestRun  test  = open_block(0.5, 0, WIDTH, HEIGHT, START, 1e-5, 1.1);
  PetscInt count = 0;
  while (test.run->state.t < 1.1 - 1e-6) {
    test_step(test.run);
    if (NsContactReports(test.run->contact)[RIGHT].impulse[0] == 0) continue;
    print_message("  impact at %.6f s\n", test.run->state.t);
    assert_true(count < 3);
    assert_near(test.run->state.t, times[count++], 1e-4);
  }
  assert_int_equal(count, 3);
  test_run_close(&test);
}

/*
  [H]: a slender block that does not slide, from rest at theta = -alpha/2, alpha = atan(b/h). It turns about the right corner, then about the left one;
  momentum about that is kept:

      omega+/omega- = 1 - 3/2 sin^2 alpha = r,      cos(alpha - top) = cos alpha + r^2 (cos(alpha/2) - cos alpha)

  Whether b, h are sides or halves of them does not matter: size changes times only.
*/
static void housner(void **state)
{
  const PetscReal alpha = PetscAtanReal(0.1 / 0.4), r = 1 - 1.5 * PetscSqr(PetscSinReal(alpha));
  const PetscReal top = alpha - PetscAcosReal(PetscCosReal(alpha) + r * r * (PetscCosReal(alpha / 2) - PetscCosReal(alpha)));

  (void)state;
  assert_near(top, 0.0947368, 5e-8);
  for (int size = 1; size <= 2; size++) {
    PetscReal error[2] = {0}, ratio_error[2] = {0};
    for (int fine = 0; fine < 2; fine++) {
      const PetscReal step = fine ? 1e-5 : 1e-4;
      TestRun         test = open_block(0, 0.8, 0.1 * size, 0.4 * size, -alpha / 2, step, 1);
      PetscReal       q[3], v[3], last = 0, ratio = 0, largest = 0;
      do {
        now_at(&test, q, v);
        last = v[2];
        test_step(test.run);
        now_at(&test, q, v);
        if (ratio == 0 && NsContactReports(test.run->contact)[LEFT].impulse[0] > 0) ratio = v[2] / last;
        largest = PetscMax(largest, q[2]);
      } while (test.run->state.t < 1 - step / 2 && !(ratio > 0 && v[2] < 0));
      error[fine]       = PetscAbsReal(largest - top);
      ratio_error[fine] = PetscAbsReal(ratio - r);
      print_message("  size %d, step %g: ratio %.6f (%.6f), largest angle %.7f (%.7f)\n", size, step, ratio, r, largest, top);
      test_run_close(&test);
    }
    assert_true(error[0] < 2.5e-4 && error[1] < 5e-5 && ratio_error[0] < 1.3e-3 && ratio_error[1] < 1.3e-4);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(energy_gives_the_figures),
  cmocka_unit_test(gaps_rows_and_rates_give_them_too),
  cmocka_unit_test(half_explicit_comes_to_the_figures),
  cmocka_unit_test(housner),
};
TEST_MAIN(tests)
