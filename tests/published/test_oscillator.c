/*
  A mass on a spring that hits a stop, with and without preload: [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact,
  example (a).

  m = 1 kg, k = 100 N/m, w = 10 rad/s; from rest at x = 0.1 m. Between impacts, with a = c/2m, wd = sqrt(w^2 - a^2), y = x - rest:

      y = exp(-a t) (y0 cos wd t + (v0 + a y0)/wd sin wd t)

  and at x = 0 the velocity turns to -e times itself. Without preload impacts are pi/wd apart; with it they come ever faster, and the mass comes to rest on the stop, which
  carries -k rest; e = 0 lies there after the first impact.
*/
#include "support.h"

#define W    10.0
#define X0   0.1
#define REST (-0.03) /* with preload */
#define END  0.9

typedef struct {
  PetscReal rest, damping, e;
} Case;

static const Case cases[] = {{0, 0, 0}, {0, 0, 0.5}, {0, 0, 1}, {REST, 0, 0}, {REST, 0, 0.5}, {REST, 0, 1}, {0, 1, 0.5}, {REST, 1, 1}};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static TestRun open_oscillator(const char *scheme, PetscReal step, const Case *c, PetscReal end)
{
  char text[512];

  snprintf(text, sizeof(text),
    "bodies:\n"
    "  it: {type: oscillator, rest: %.17g, damping: %.17g, initial: {x: %.17g}, contact: {restitution: %.17g}}\n"
    "scheme: {type: %s, step: %.17g}\n"
    "time: {end: %.17g}\n",
    c->rest, c->damping, X0, c->e, scheme, step, end);
  return test_run_open(text, NULL);
}

static PetscReal value_of(Vec x)
{
  const PetscScalar *value;
  PetscReal          result;

  CHECK(VecGetArrayRead(x, &value));
  result = value[0];
  CHECK(VecRestoreArrayRead(x, &value));
  return result;
}

/* Free motion from (x0, v0) over t. */
static void fly(const Case *c, PetscReal t, PetscReal x0, PetscReal v0, PetscReal *x, PetscReal *v)
{
  const PetscReal a = c->damping / 2, wd = PetscSqrtReal(W * W - a * a), y0 = x0 - c->rest, s = (v0 + a * y0) / wd;

  *x = c->rest + PetscExpReal(-a * t) * (y0 * PetscCosReal(wd * t) + s * PetscSinReal(wd * t));
  *v = PetscExpReal(-a * t) *
       (-a * (y0 * PetscCosReal(wd * t) + s * PetscSinReal(wd * t)) + wd * (s * PetscCosReal(wd * t) - y0 * PetscSinReal(wd * t)));
}

/* When x comes to 0 again, by bisection: the only zero of the first half period after it has left. */
static PetscReal return_time(const Case *c, PetscReal x0, PetscReal v0)
{
  PetscReal low = x0 > 0 ? 0 : 1e-9 * v0, high = PETSC_PI / PetscSqrtReal(W * W - c->damping * c->damping / 4) * (1 + 1e-9), x, v;

  for (int i = 0; i < 100; i++) {
    fly(c, (low + high) / 2, x0, v0, &x, &v);
    if (x > 0)
      low = (low + high) / 2;
    else
      high = (low + high) / 2;
  }
  return low;
}

/* The exact motion, from its last impact at `begin` to the next one at `end`. */
typedef struct {
  const Case *c;
  PetscReal   begin, end, x, v;
} Motion;

static Motion motion_of(const Case *c)
{
  return (Motion){c, 0, return_time(c, X0, 0), X0, 0};
}

/* At t, which only grows. Impacts slower than 1e-9 m/s are over. */
static void follow(Motion *m, PetscReal t, PetscReal *x, PetscReal *v)
{
  while (t > m->end) {
    fly(m->c, m->end - m->begin, m->x, m->v, x, v);
    m->begin = m->end;
    m->x     = 0;
    m->v     = -m->c->e * *v;
    m->end   = m->v < 1e-9 ? PETSC_MAX_REAL : m->begin + return_time(m->c, 0, m->v);
  }
  *x = *v = 0;
  if (m->x > 0 || m->v >= 1e-9) fly(m->c, t - m->begin, m->x, m->v, x, v);
}

static void exact_form_is_exact(void **state)
{
  const PetscReal t1 = PetscAcosReal(-REST / (X0 - REST)) / W, s1 = W * PetscSqrtReal(PetscSqr(X0 - REST) - REST * REST);
  Motion          motion = motion_of(&cases[1]);
  PetscReal       x, v;

  (void)state;
  assert_near(return_time(&cases[0], X0, 0), PETSC_PI / (2 * W), 1e-14);
  assert_near(return_time(&cases[4], X0, 0), t1, 1e-14);
  fly(&cases[4], t1, X0, 0, &x, &v);
  assert_near(v, -s1, 1e-13);
  assert_near(return_time(&cases[4], 0, s1 / 2), 2 * PetscAtanReal(s1 / 2 / (-REST * W)) / W, 1e-14);
  follow(&motion, 1.5 * PETSC_PI / W + 0.01, &x, &v); /* after the second impact: a quarter of the amplitude */
  assert_near(x, X0 / 4 * PetscSinReal(0.1), 1e-12);
}

/* dt sum |x_k - x(t_k)| */
static PetscReal way_error(const char *scheme, const Case *c, PetscReal step)
{
  TestRun   test   = open_oscillator(scheme, step, c, END);
  Motion    motion = motion_of(c);
  PetscReal sum    = 0, x, v;

  while (test.run->state.t < END - 1e-6 * step) {
    const PetscReal before = test.run->state.t;
    test_step(test.run);
    follow(&motion, test.run->state.t, &x, &v);
    sum += (test.run->state.t - before) * PetscAbsReal(value_of(test.run->state.q) - x);
  }
  test_run_close(&test);
  return sum / END;
}

#define SCHEME(type) \
  if ((type)->refuses && (type)->refuses(model.run->model, NULL)) continue;

/* Every scheme, every case: the mean distance from the closed form stays below a few steps' way at 1 m/s, the speed of the first impact, and falls with the step. Explicit
   Euler is the farthest: it makes energy. */
static void motion_is_that_of_the_closed_form(void **state)
{
  TestRun model = open_oscillator("half_explicit", 1e-3, &cases[0], END);

  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    PetscReal worst = 0, coarse = 0, fine = 0;
    SCHEME(*type)
    if ((*type)->sheet.order_impacts > 1) continue; /* looks for the times of impacts: see below */
    for (size_t i = 0; i < CASES; i++) {
      for (int k = 0; k < 12; k++) {
        const PetscReal step = 1e-3 / (1 + 0.0831 * k), error = way_error((*type)->variant.name, &cases[i], step);
        worst = PetscMax(worst, error / step);
        coarse += error;
        fine += way_error((*type)->variant.name, &cases[i], step / 4);
      }
    }
    if ((*type)->sheet.order_impacts > 1) { /* meets its events: what is left is the mean over a step, and its tolerance */
      assert_true(worst < 1e-3);
      continue;
    }
    print_message("  %s: at most %.2f steps, order %.2f\n", (*type)->variant.name, worst, PetscLog2Real(coarse / fine) / 2);
    assert_true(worst < 5);
    assert_near(PetscLog2Real(coarse / fine) / 2, 1, 0.2);
  }
  test_run_close(&model);
}

/* Schemes that look for the times of impacts are near the closed form at every step, as near as their tolerance lets them, also where impacts accumulate. */
static void impacts_are_detected(void **state)
{
  static const struct {
    const char *scheme;
    PetscReal   error;
  } schemes[] = {
    {"event_driven_hem5, tolerance: 1e-12", 1e-10}, {"event_driven_rkf45, tolerance: 1e-12", 1e-9}, {"event_driven_alpha, tolerance: 1e-9", 1e-7}};

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(schemes[0]); s++) {
    PetscReal worst = 0;
    for (size_t i = 0; i < CASES; i++) {
      TestRun   test   = open_oscillator(schemes[s].scheme, 1e-2, &cases[i], END);
      Motion    motion = motion_of(&cases[i]);
      PetscReal x, v;
      while (test_runs(test.run)) {
        test_step(test.run);
        follow(&motion, test.run->state.t, &x, &v);
        worst = PetscMax(worst, PetscAbsReal(value_of(test.run->state.q) - x));
      }
      test_run_close(&test);
    }
    print_message("  %s: off by %.1e m\n", schemes[s].scheme, worst);
    assert_true(worst < schemes[s].error);
  }
}

/* On the stop with preload: no velocity, and the spring's 3 N, as a force or as its impulse over a step. */
static void rests_on_the_stop(void **state)
{
  TestRun model = open_oscillator("half_explicit", 1e-3, &cases[0], END);

  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    if (!strcmp((*type)->variant.name, "explicit_velocity")) continue; /* lasting contact sinks on there, here with 2.8 mm/s */
    SCHEME(*type)
    TestRun test = open_oscillator((*type)->variant.name, 1e-3, &cases[3], END);
    while (test.run->state.t < END - 1e-9) test_step(test.run);
    const NsContactReport *report = &NsContactReports(test.run->contact)[0];
    print_message("  %s: x = %.1e m, %.12g N\n", (*type)->variant.name, value_of(test.run->state.q), report->force[0] + report->impulse[0] / 1e-3);
    assert_near(value_of(test.run->state.q), 0, 1.9e-3); /* half more than the way of a step at the impact */
    assert_near(value_of(test.run->state.v), 0, 1e-12);
    assert_near(report->force[0] + report->impulse[0] / 1e-3, -100 * (REST - value_of(test.run->state.q)), 1e-9);
    test_run_close(&test);
  }
  test_run_close(&model);
}

/*
  Rule of the midpoint (theta = 1/2), e = 1: the energy to 1e-14 over 20 s, with preload and without: a step with an impact turns v0 to -v0, and goes nowhere. Projected
  positions (`project: all`) do work in the spring: 2 % with preload. A scheme that does not move mechanisms is left out.
*/
static void midpoint_rule_conserves_the_energy(void **state)
{
  static const char *const schemes[][2] = {{"moreau_jean", ""}, {"ggl_unified", ", project: none"}};
  static const int         which[]      = {2, 5};
  TestRun                  model        = open_oscillator("half_explicit", 1e-3, &cases[0], END);

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(schemes[0]); s++) {
    for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
      char scheme[64];
      if (strcmp((*type)->variant.name, schemes[s][0])) continue;
      SCHEME(*type)
      snprintf(scheme, sizeof(scheme), "%s%s", schemes[s][0], schemes[s][1]);
      for (int k = 0; k < 2; k++) {
        TestRun   test    = open_oscillator(scheme, 1e-3, &cases[which[k]], 20);
        NsLedger *l       = &test.run->ledger;
        PetscReal off     = 0;
        int       impacts = 0;
        while (test.run->state.t < 20 - 1e-9) {
          if (test_step(test.run).impulsive) impacts++;
          CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
          off = PetscMax(off, PetscAbsReal(l->now.kinetic + l->now.elastic - l->initial) / l->initial);
        }
        print_message("  %s, rest %g: energy within %.1e, %d impacts\n", scheme, cases[which[k]].rest, off, impacts);
        assert_true(off < 1e-14 && impacts > 60);
        test_run_close(&test);
      }
    }
  }
  test_run_close(&model);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(exact_form_is_exact),
  cmocka_unit_test(motion_is_that_of_the_closed_form),
  cmocka_unit_test(impacts_are_detected),
  cmocka_unit_test(rests_on_the_stop),
  cmocka_unit_test(midpoint_rule_conserves_the_energy),
};
TEST_MAIN(tests)
