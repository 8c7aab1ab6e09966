/*
  Event-driven schemes where impacts, accumulations and the change of contacts are known in closed form, or to many digits.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact; [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and
  index-1 DAE solvers for nonsmooth multibody systems with unilateral and bilateral constraints; [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping
  schemes on velocity level; [H] G. W. Housner: The behavior of inverted pendulum structures during earthquakes.
*/
#include "event_runs.h"

#define G 9.81

/* Each scheme with a tolerance that leaves an error of about `error` in motions of a second whose numbers are about one. */
static const struct {
  const char *name;
  PetscReal   error;
} schemes[] = {
  {"event_driven_hem5, tolerance: 1e-12", 1e-9},
  {"event_driven_rkf45, tolerance: 1e-12", 1e-9},
  {"event_driven_alpha, tolerance: 1e-9", 1e-6},
};
#define EACH_SCHEME(s) for (size_t s = 0; s < sizeof(schemes) / sizeof(schemes[0]); s++)

static EventRun it; /* large */

/* ---- a ball ---------------------------------------------------------------------------------------------------------------------------------------- */

#define T1   0.4515236409857309
#define ZENO 1.3545709229571927

/*
  m = 1 kg from 1 m, e = 1/2: impacts at t1 (1 + 2 e + 2 e^2 + ...) with e^k g t1; at t1 (1 + e)/(1 - e) it lies. A ball that would rise by less than 1e-3 of gap_tolerance lies at
  once: that is the first k with e^(2 k) < 1e-12, and spares it the time 2 e^k t1/(1 - e). Impacts are met to 1e-14 m, that is 1e-14 m/v in time, each of them.
*/
static void ball(void **state)
{
  (void)state;
  assert_near(sqrt(2 / G), T1, 1e-15);
  EACH_SCHEME(s)
  {
    PetscReal t = T1, speed = G * T1;
    event_open(&it, schemes[s].name, 0.05, 2, "gravity: [0, -9.81, 0]\nbodies: {ball: {type: bouncing_ball, contact: {restitution: 0.5}}}\n");
    event_finish(&it);
    assert_int_equal(it.hits, 20);
    for (PetscInt k = 0; k < it.hits; k++) {
      assert_near(it.hit[k].t, t, 5e-14 + 5e-14 / speed);
      assert_near(it.hit[k].before, -speed, 5e-13 + 5e-13 / speed);
      assert_near(it.hit[k].after, k < it.hits - 1 ? speed / 2 : 0, 5e-13 + 5e-13 / speed);
      assert_near(it.hit[k].impulse[0], it.hit[k].after - it.hit[k].before, 1e-14);
      speed /= 2;
      t += 2 * speed / G;
    }
    assert_near(it.hit[it.hits - 1].t, ZENO - 4 * T1 * ldexp(1, -(int)it.hits), 5e-9);
    assert_near(it.q[0], 0, 1e-13);
    assert_near(it.v[0], 0, 0);
    assert_near(event_force(&it, 0), G, 1e-14);
    assert_near(it.run->ledger.impact, G, 1e-12); /* all of it */
    assert_near(it.run->ledger.numerical_max, 0, 1e-12);
    assert_true(it.depth < 1e-13 && it.gain < 1e-14);
    event_close(&it);
  }
}

/* Tolerances of 1e-17 m and 1e-12 m/s: 34 impacts, until 1e-10 s before the accumulation point. */
static void ball_to_the_accumulation_point(void **state)
{
  (void)state;
  event_open(&it, "event_driven_hem5, gap_tolerance: 1e-17, velocity_tolerance: 1e-12", 0.05, 2,
    "gravity: [0, -9.81, 0]\nbodies: {ball: {type: bouncing_ball, contact: {restitution: 0.5}}}\n");
  event_finish(&it);
  print_message("  %d impacts, the last %.1e s before the accumulation point\n", (int)it.hits, ZENO - it.hit[it.hits - 1].t);
  assert_true(it.hits >= 32);
  assert_near(it.hit[it.hits - 1].t, ZENO, 1e-9);
  assert_near(it.v[0], 0, 0);
  event_close(&it);
}

/* x and y are independent, as two balls that bounce with e = 0.3, impacts of one within steps of the other. */
static void ball_in_a_corner(void **state)
{
  static const PetscReal g[2] = {8.49570921112534, 4.905};

  (void)state;
  EACH_SCHEME(s)
  {
    PetscReal begin[2], speed[2];
    PetscInt  hits = 0;
    event_open(
      &it, schemes[s].name, 0.05, 2, "gravity: [-8.49570921112534, -4.905, 0]\nbodies: {ball: {type: ball_in_box, contact: {restitution: 0.3}}}\n");
    for (int k = 0; k < 2; k++) {
      begin[k] = sqrt(2 / g[k]);
      speed[k] = g[k] * begin[k];
    }
    while (event_step(&it)) {
      for (; hits < it.hits; hits++) {
        const PetscInt k = it.hit[hits].contact;
        assert_in_range(k, 0, 1);
        assert_near(it.hit[hits].t, begin[k], 1e-13 + 1e-13 / speed[k]);
        assert_near(it.hit[hits].before, -speed[k], 1e-12 + 1e-12 / speed[k]);
        assert_near(it.hit[hits].impulse[1], 0, 0);
        speed[k] *= 0.3;
        begin[k] += 2 * speed[k] / g[k];
      }
    }
    for (int k = 0; k < 2; k++) {
      assert_near(it.q[k], 1, 1e-13);
      assert_near(it.v[k], 0, 0);
      assert_near(event_force(&it, k), g[k], 1e-13);
    }
    assert_near(it.run->ledger.impact, g[0] + g[1], 1e-11);
    event_close(&it);
  }
}

/* ---- a row of balls ---------------------------------------------------------------------------------------------------------------------------------- */

/* A touching row that is hit: one impact of all, u+ = -e u^- on each contact, at its time to 1e-12. */
static void touching_balls(void **state)
{
  char text[256];

  (void)state;
  EACH_SCHEME(s)
  {
    for (int e = 0; e <= 2; e++) {
      snprintf(text, sizeof(text), "bodies: {row: {type: ball_chain, initial: {v1: 1, x1: -10.3 mm}, contact: {restitution: %g}}}\n", e / 2.0);
      event_open(&it, schemes[s].name, 1e-2, 0.1, text);
      event_finish(&it);
      assert_near(it.hit[0].t, 10.3e-3, 1e-12);
      assert_int_equal(it.hits, 1); /* the other contact only hands it on */
      for (int i = 0; i < 3; i++) assert_near(it.v[i], (1 + e / 2.0) / 3 - (i == 0 ? e / 2.0 : 0), 1e-12);
      assert_near(it.run->ledger.impact, 0.5 - (PetscSqr(it.v[0]) + 2 * PetscSqr(it.v[1])) / 2, 1e-12);
      event_close(&it);
    }
  }
}

/*
  Gaps of 1.3 mm. e = 1: ball k is hit at k gaps. e = 1/2, three balls: 3/4 v at 1 gap, 9/16 v at 1 + 4/3 gaps, where ball 2 has 3/16 v left and ball 1, with 1/4 v, follows; it has lost
  1/2 v for 4/3 gaps by then, and catches up 2/3 gaps with 1/16 v: 32/3 gaps later. Then they part with 1/32 v.  e = 0: all go on together with v/2, v/3.
*/
static void balls_apart(void **state)
{
  const PetscReal gap = 1.3e-3;

  (void)state;
  EACH_SCHEME(s)
  {
    event_open(
      &it, schemes[s].name, 1e-2, 0.1, "bodies: {row: {type: ball_chain, balls: 16, gap: 1.3 mm, initial: {v1: 1}, contact: {restitution: 1}}}\n");
    event_finish(&it);
    assert_int_equal(it.hits, 15);
    for (int k = 0; k < 15; k++) assert_near(it.hit[k].t, (k + 1) * gap, 1e-12);
    for (int k = 0; k < 16; k++) assert_near(it.v[k], k == 15, 1e-13);
    event_close(&it);

    static const PetscReal when[3] = {1, 1 + 4 / 3.0, 1 + 4 / 3.0 + 32 / 3.0}, after[3] = {0.25 - 3 / 64.0, 0.25 - 1 / 64.0, 9 / 16.0};
    event_open(&it, schemes[s].name, 1e-2, 0.1, "bodies: {row: {type: ball_chain, gap: 1.3 mm, initial: {v1: 1}, contact: {restitution: 0.5}}}\n");
    event_finish(&it);
    assert_int_equal(it.hits, 3);
    for (int k = 0; k < 3; k++) assert_near(it.hit[k].t, when[k] * gap, 1e-11);
    for (int k = 0; k < 3; k++) assert_near(it.v[k], after[k], 1e-13);
    event_close(&it);

    event_open(&it, schemes[s].name, 1e-2, 0.1, "bodies: {row: {type: ball_chain, gap: 1.3 mm, initial: {v1: 1}, contact: {restitution: 0}}}\n");
    event_finish(&it);
    assert_near(it.hit[0].t, gap, 1e-12);
    assert_near(it.hit[1].t, 3 * gap, 1e-12);
    for (int k = 0; k < 3; k++) assert_near(it.v[k], 1 / 3.0, 1e-13);
    for (int k = 0; k < 2; k++) assert_near(NsContactReports(it.run->contact)[k].gap, 0, 1e-13);
    event_close(&it);
  }
}

/* ---- a block ------------------------------------------------------------------------------------------------------------------------------------------ */

enum { LEFT, RIGHT };

static void open_block(const char *scheme, PetscReal step, PetscReal w, PetscReal h, PetscReal theta, PetscReal e, PetscReal mu, PetscReal end)
{
  const PetscReal s = sin(theta), c = cos(theta), side = theta > 0 ? -1 : 1; /* the corner it is on */
  char            text[512];

  snprintf(text, sizeof(text),
    "gravity: [0, -9.81, 0]\n"
    "bodies: {block: {type: rocking_block, width: %.17g, height: %.17g, contact: {restitution: %g, friction: %g}, initial: {x: %.17g, y: %.17g, theta: %.17g rad}}}\n",
    w, h, e, mu, -side * w / 2 * c - h / 2 * s, -side * w / 2 * s + h / 2 * c, theta);
  event_open(&it, scheme, step, end, text);
}

/* [E] 3.1.2 and beyond; digits of an independent computation, which test_rocking_block.c has from energy alone. */
static const PetscReal first = 0.587477974574, before = -4.13076009, impulses[2] = {0.60240251, 1.46297753},
                       times[3] = {0.587477974574, 0.89156696927, 1.041296183295};

static void block_falls_on_its_corner(void **state)
{
  (void)state;
  EACH_SCHEME(s)
  {
    open_block(schemes[s].name, 0.02, 1, 0.5, PETSC_PI / 3, 0, 0, 1);
    const PetscReal energy = it.energy;
    event_finish(&it);
    assert_int_equal(it.hits, 1);
    assert_int_equal(it.hit[0].contact, RIGHT);
    assert_near(it.hit[0].t, first, schemes[s].error);
    assert_near(it.hit[0].before, before, 5e-9 + 5 * schemes[s].error);
    assert_near(it.hit[0].impulse[0], impulses[RIGHT], 5e-9 + schemes[s].error);
    assert_near(it.run->ledger.impact, energy - G / 4, 10 * schemes[s].error); /* it lies flat */
    for (int k = 0; k < 2; k++) assert_near(event_force(&it, k), G / 2, 1e-9);
    for (int k = 0; k < 3; k++) assert_near(it.v[k], 0, 1e-13);
    assert_near(it.q[1], 0.25, schemes[s].error);
    assert_near(it.q[2], 0, schemes[s].error);
    event_close(&it);
  }
}

/* The left corner is pressed in each impact of the right one, and does not leave. */
static void block_bounces_on_its_corner(void **state)
{
  (void)state;
  EACH_SCHEME(s)
  {
    PetscReal pressed = 1;
    open_block(schemes[s].name, 0.02, 1, 0.5, PETSC_PI / 3, 0.5, 0, 1.3);
    const PetscReal energy = it.energy;
    while (event_step(&it)) {
      const NsContactReport *now = NsContactReports(it.run->contact);
      if (now[RIGHT].impact) pressed = fmin(pressed, now[LEFT].impulse[0]);
    }
    assert_true(pressed > 0);
    assert_true(it.hits > 10);
    for (int k = 0; k < 3; k++) assert_near(it.hit[k].t, times[k], schemes[s].error);
    for (int k = 0; k + 1 < it.hits; k++) assert_near(it.hit[k].after, -it.hit[k].before / 2, 1e-13);
    for (int k = 0; k < 2; k++) assert_near(event_force(&it, k), G / 2, 1e-9);
    assert_near(it.run->ledger.impact, energy - G / 4, 10 * schemes[s].error);
    event_close(&it);
  }
}

/*
  [H]: b = 0.1 m, h = 0.4 m, mu = 0.8, e = 0, from rest at -alpha/2: each impact leaves r = 1 - 3/2 sin^2 alpha of omega. Between impacts the energy goes with cos(alpha - |theta|), so that the largest
  angles follow: 1 - cos(alpha - top_k) = 1 - cos alpha - (...) r^(2 k). The other corner leaves at the impact of one.
*/
static void housner(void **state)
{
  const PetscReal alpha = atan(0.25), r = 1 - 1.5 * PetscSqr(sin(alpha));

  (void)state;
  assert_near(alpha - acos(cos(alpha) + r * r * (cos(alpha / 2) - cos(alpha))), 0.0947368, 5e-8);
  EACH_SCHEME(s)
  {
    PetscReal omega = 0, theta = 0, lift = cos(alpha / 2) - cos(alpha);
    PetscInt  hits = 0, tops = 0;
    open_block(schemes[s].name, 0.02, 0.1, 0.4, -alpha / 2, 0, 0.8, 4);
    const PetscReal energy = it.energy;
    while (event_step(&it)) {
      if (it.hits > hits && hits < 20) {
        assert_int_equal(it.hit[hits].contact, hits % 2 ? RIGHT : LEFT);
        assert_near(fabs(it.v[2]) * 0.1 / -it.hit[hits].before, r, 100 * schemes[s].error);
        assert_near(it.q[2], 0, schemes[s].error);
        for (int k = 0; k < 2; k++) assert_int_equal(NsContactReports(it.run->contact)[k].state == NS_OPEN, k != it.hit[hits].contact); /* at once */
        lift *= r * r;
      }
      hits = it.hits;
      if (hits > 0 && hits < 20 && omega * it.v[2] < 0 && fabs(theta) > 1e-3) { /* past the top: its energy is that of the top */
        const PetscReal kinetic = it.v[2] * it.v[2] * (0.1 * 0.1 + 0.4 * 0.4) / 3 / 2, level = G * hypot(0.1, 0.4) / 2;
        assert_near(cos(alpha - fabs(it.q[2])) + kinetic / level - cos(alpha), lift, 10 * schemes[s].error);
        tops++;
      }
      omega = it.v[2];
      theta = it.q[2];
    }
    assert_in_range(tops, 19, 19);
    assert_near(it.v[2], 0, 1e-13); /* rounding adds up where accelerations are held */
    assert_near(it.q[2], 0, schemes[s].error);
    assert_near(it.run->ledger.impact, energy - G * 0.2, 10 * schemes[s].error);
    assert_near(it.run->ledger.friction, 0, schemes[s].error); /* it does not slide */
    for (int k = 0; k < 2; k++) assert_near(event_force(&it, k), G / 2, 1e-7);
    event_close(&it);
  }
}

/* ---- order and tolerance --------------------------------------------------------------------------------------------------------------------------------- */

/* The block of [E] at 1.2 s, after three impacts with e = 1/2: how far it is from `exact`, which comes to be it where `step` is 0; hits 0, or that of the contact on the left, too. */
static PetscReal block_error(const char *scheme, PetscReal step, PetscReal exact[6])
{
  PetscReal sum = 0;

  open_block(scheme, step > 0 ? step : 0.02, 1, 0.5, PETSC_PI / 3, 0.5, 0, 1.1);
  event_finish(&it);
  assert_int_equal(it.hits, 3);
  for (int i = 0; i < 6; i++) {
    const PetscReal now = i < 3 ? it.q[i] : it.v[i - 3];
    if (step == 0) exact[i] = now;
    sum += PetscSqr(now - exact[i]);
  }
  event_close(&it);
  return sqrt(sum);
}

/* Impacts do not cost the order: steps of one length, but for those that end in an impact, whose share of the error is by chance. Five octaves; the slope of all. */
static void order_with_impacts(void **state)
{
  static const struct {
    const char *scheme;
    PetscReal   step, from, to;
  } methods[] = {{"event_driven_hem5, tolerance: 0", 0.02, 4.7, 5.3}, {"event_driven_rkf45, tolerance: 0", 0.01, 3.8, 4.3},
    {"event_driven_alpha, tolerance: 0", 0.01, 1.9, 2.1}};
  PetscReal exact[6];

  (void)state;
  (void)block_error("event_driven_hem5, tolerance: 1e-14", 0, exact);
  for (int m = 0; m < 3; m++) {
    PetscReal slope = 0;
    print_message("  %s:", methods[m].scheme);
    for (int k = -4; k <= 4; k++) {
      const PetscReal error = block_error(methods[m].scheme, methods[m].step * exp2(-(k + 4) / 2.0), exact);
      print_message(" %.1e", error);
      slope -= k / 2.0 * log2(error) / 15;
    }
    print_message(": order %.2f\n", slope);
    assert_true(slope > methods[m].from && slope < methods[m].to);
  }
}

/*
  Over many decades the error stays within a factor of the tolerance, and goes with it: hem5, whose estimate goes with h^5 as its error does, and alpha likewise with h^2, as the tolerance;
  rkf45, whose error goes with h^4, at least as tolerance^(4/5).
*/
static void error_follows_the_tolerance(void **state)
{
  static const struct {
    const char *scheme;
    int         from, to;
    PetscReal   power, factor;
  } methods[] = {{"event_driven_hem5", -4, -10, 1, 300}, {"event_driven_rkf45", -4, -11, 0.8, 300}, {"event_driven_alpha", -3, -8, 1, 300}};
  PetscReal exact[6];

  (void)state;
  (void)block_error("event_driven_hem5, tolerance: 1e-14", 0, exact);
  for (int m = 0; m < 3; m++) {
    PetscReal coarsest = 0;
    print_message("  %s:", methods[m].scheme);
    for (int k = methods[m].from; k >= methods[m].to; k--) {
      char scheme[64];
      snprintf(scheme, sizeof(scheme), "%s, tolerance: 1e%d", methods[m].scheme, k);
      const PetscReal error = block_error(scheme, 1, exact);
      if (coarsest == 0) coarsest = error;
      print_message(" %.1e", error);
      if (k == methods[m].to) assert_near(log10(coarsest / error) / (methods[m].from - k), methods[m].power, 0.2);
      assert_true(error < methods[m].factor * pow(10, k * methods[m].power));
    }
    print_message("\n");
  }
}

/* ---- an edge ------------------------------------------------------------------------------------------------------------------------------------------ */

/*
  [E] 4: flat on the left, y = x^2 on the right, 4.7 m/s. From x = -0.05 m to x_end in 0.05 s, and back: the motion is its own mirror image. The floor carries g (1 kg) on the left and
  (g + 2 vx^2)/(1 + 4 x^2) on the right, vx^2 (1 + 4 x^2) = 4.7^2 - 2 g x^2.
*/
static void over_the_edge(void **state)
{
  static const char *const select[] = {"lcp", "moreau_jean"};
  const PetscReal          x_end = 0.180256134724, vx_end = 4.357181873959;
  enum { FLAT, CURVED };

  (void)state;
  EACH_SCHEME(s)
  {
    for (int k = 0; k < 4; k++) {
      const PetscBool back = k / 2 != 0;
      char            scheme[128], text[256];
      PetscReal       near = 1, force = 0;
      snprintf(scheme, sizeof(scheme), "%s, select: %s", schemes[s].name, select[k % 2]);
      snprintf(text, sizeof(text), "gravity: [0, -9.81, 0]\nbodies: {point: {type: edge, initial: {x: %.17g, y: %.17g, vx: %.17g, vy: %.17g}}}\n",
        back ? x_end : -0.05, back ? x_end * x_end : 0, back ? -vx_end : 4.7, back ? -2 * x_end * vx_end : 0);
      event_open(&it, scheme, 1e-3, 0.05, text);
      while (event_step(&it)) {
        const PetscReal x = it.q[0], expected = x < 0 ? G : (G + 2 * (4.7 * 4.7 - 2 * G * x * x) / (1 + 4 * x * x)) / (1 + 4 * x * x);
        if (fabs(x) < 3.2e-5) continue; /* both gaps are below gap_tolerance, 1e-9 m: the edge itself */
        assert_near(event_force(&it, x < 0 ? FLAT : CURVED), expected, 1e4 * schemes[s].error);
        assert_near(event_force(&it, x < 0 ? CURVED : FLAT), 0, 0);
        if (x > 0 && x < near) {
          near  = x;
          force = event_force(&it, CURVED);
        }
      }
      assert_near(force, 53.99, 300 * near);
      assert_near(it.t, 0.05, 1e-15);
      assert_near(it.q[0], back ? -0.05 : x_end, 10 * schemes[s].error);
      assert_near(it.v[0], back ? -4.7 : vx_end, 100 * schemes[s].error);
      assert_near(it.run->ledger.impact, 0, PetscSqr(2 * 3.2e-5 * 4.7) / 2); /* no impact, but for the slope within that tolerance */
      event_close(&it);
    }
  }
}

/* ---- a pendulum in a ring ----------------------------------------------------------------------------------------------------------------------------- */

/* From rest at the angle `top` below the horizontal down to `end`, on a rod of 1 m: integral of 1/sqrt(2 g (sin x - sin top)), by Simpson's rule in s, x = top + s^2. */
static PetscReal swing_time(PetscReal top, PetscReal end)
{
  const PetscInt  n   = 4000;
  const PetscReal h   = sqrt(end - top) / (PetscReal)n;
  PetscReal       sum = 0;

  for (PetscInt i = 0; i <= n; i++) {
    const PetscReal s = (PetscReal)i * h, half = s * s / 2;
    const PetscReal drop = 2 * cos(top + half) * (i == 0 ? 0.5 : sin(half) / (2 * half)); /* sin x - sin top over s^2 */
    sum += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * 2 / sqrt(2 * G * drop);
  }
  return sum * h / 3;
}

/* configs/pendulum_in_ring.yaml: a joint and a contact, nearly opposite. It hits the ring at x = 0.15 and comes back with half its speed, each time; and rests there in the end. */
static void pendulum_in_a_ring(void **state)
{
  const PetscReal angle = acos(0.15);

  (void)state;
  EACH_SCHEME(s)
  {
    PetscReal t = swing_time(0, angle), height = sin(angle), off = 0;
    PetscInt  hits = 0;
    event_open(&it, schemes[s].name, 0.05, 5,
      "gravity: [0, -9.81, 0]\nbodies: {pendulum: {type: pendulum_in_ring, contact: {restitution: 0.5}, initial: {x: 1, y: 0}}}\n");
    while (event_step(&it)) {
      off = fmax(off, fabs(hypot(it.q[0], it.q[1]) - 1));
      off = fmax(off, fabs(it.q[0] * it.v[0] + it.q[1] * it.v[1]));
      if (it.hits == hits || hits >= 10) continue;
      assert_near(it.t, t, 20 * schemes[s].error);
      assert_near(it.hit[hits].after, -it.hit[hits].before / 2, 1e-12);
      assert_near(hypot(it.v[0], it.v[1]), sqrt(2 * G * height) / 2, 100 * schemes[s].error);
      height /= 4;
      t += 2 * swing_time(asin(sin(angle) - height), angle);
      hits = it.hits;
    }
    assert_int_equal(hits, 10);
    assert_near(off, 0, 10 * schemes[s].error);
    assert_near(it.q[0], 0.15, 10 * schemes[s].error);
    assert_near(hypot(it.v[0], it.v[1]), 0, 1e-13);
    assert_near(it.run->ledger.impact, G * sin(angle), 100 * schemes[s].error);
    event_close(&it);
  }
}

/* ---- slider-crank -------------------------------------------------------------------------------------------------------------------------------------- */

/* [A] 2.1: the first impact, of two corners, and 0.2 s of impacts, from an independent computation; its last digits are those of the converged motion. */
static void slider_crank(void **state)
{
  static const struct {
    PetscReal mu, P[2], v[2], theta, energy;
  } cases[] = {
    {0, {0.055395015, 0.055395015}, {108.7937286, -52.8751879}, 18.17688, 7.15272},
    {0.01, {0.05574032, 0.05518569}, {108.7245800, -52.8422904}, 18.08368, 6.99538},
  };

  (void)state;
  EACH_SCHEME(s)
  {
    for (size_t k = 0; k < 2; k++) {
      char text[256];
      snprintf(text, sizeof(text), "gravity: [0, -9.81, 0]\nbodies: {crank: {type: slider_crank, contact: {restitution: 0.4, friction: %g}}}\n",
        cases[k].mu);
      event_open(&it, schemes[s].name, 1e-3, 0.2, text);
      while (it.hits == 0) assert_true(event_step(&it));
      assert_int_equal(it.hits, 2);
      for (int i = 0; i < 2; i++) {
        assert_int_equal(it.hit[i].contact, i);
        assert_near(it.hit[i].t, 2.692502752e-3, 1e-10);
        assert_near(it.hit[i].before, -0.841612322, 1e-7);
        assert_near(it.hit[i].impulse[0], cases[k].P[i], 1e-8);
        assert_near(it.hit[i].impulse[1], cases[k].mu * cases[k].P[i], 1e-8);
        assert_near(it.v[i], cases[k].v[i], 1e-5);
      }
      event_finish(&it);
      assert_near(it.q[0], cases[k].theta, 2e-5);
      assert_near(it.energy, cases[k].energy, 5e-5);
      assert_near(it.run->ledger.numerical, 0, 1e-5);
      assert_true(it.depth < 1e-9);
      print_message(
        "  %s, mu %g: theta1 %.7f, E %.7f, %d impacts, %d steps\n", schemes[s].name, cases[k].mu, it.q[0], it.energy, (int)it.hits, (int)it.steps);
      event_close(&it);
    }
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(ball),
  cmocka_unit_test(ball_to_the_accumulation_point),
  cmocka_unit_test(ball_in_a_corner),
  cmocka_unit_test(touching_balls),
  cmocka_unit_test(balls_apart),
  cmocka_unit_test(block_falls_on_its_corner),
  cmocka_unit_test(block_bounces_on_its_corner),
  cmocka_unit_test(housner),
  cmocka_unit_test(order_with_impacts),
  cmocka_unit_test(error_follows_the_tolerance),
  cmocka_unit_test(over_the_edge),
  cmocka_unit_test(pendulum_in_a_ring),
  cmocka_unit_test(slider_crank),
};
TEST_MAIN(tests)
