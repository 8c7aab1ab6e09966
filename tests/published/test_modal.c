/*
  The modal exact scheme: flight against closed forms, for steps of any length; contact with what it keeps; the bar on a wall and a rotor that rubs against theory and against the
  half-explicit scheme.
*/
#include <complex.h>
#include <math.h>
#include "dense.h"
#include "fe/model/fe.h"
#include "fe/modes/modes.h"
#include "elastic_bar.h"

/* The scheme of a text that says `scheme: ...` itself, replaced. */
static TestRun open_with(const char *text, const char *scheme, const char *extra, const char *more)
{
  char        set[256];
  const char *sets[4] = {set, extra, extra ? more : NULL, NULL};

  snprintf(set, sizeof(set), "scheme=%s", scheme);
  return test_run_open(text, sets);
}

static void to_end(TestRun *test)
{
  while (test_runs(test->run)) test_step(test->run);
}

/* ---- flight --------------------------------------------------------------------------------------------------------------------------------------- */

#define N 20

/* A free bar, consistent mass, pulled at its right end by a constant force from t = 0 on. */
static const char *const free_bar = "bodies:\n"
                                    "  bar:\n"
                                    "    type: bar\n"
                                    "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 20}}\n"
                                    "    material: {density: 8000, young: 200 GPa}\n"
                                    "    section: {area: 1 cm^2}\n"
                                    "    initial: {velocity: [0.3, 0, 0]}\n"
                                    "loads: {pull: {at: bar.right, force: [500, 0, 0]}}\n"
                                    "scheme: {type: modal, step: 1 us}\n"
                                    "time: {end: 10 ms}\n";

/*
  q_i = v0 t + F t^2/(2 m) + sum_k phi_k(i) phi_k(N) F (1 - cos w_k t)/w_k^2 with w_k^2 = 6 c^2/h^2 (1 - cos a)/(2 + cos a), a = k pi/N, phi_k(i) = A_k cos(i a), and
  A_k^2 rho S h (2 + cos a)/3 (N/2, or N for k = N) = 1.
*/
static PetscReal free_bar_exact(int i, PetscReal t)
{
  const PetscReal m = 0.8, F = 500, h = 1. / N, c2 = 200e9 / 8000;
  PetscReal       q = 0.3 * t + F * t * t / (2 * m);

  for (int k = 1; k <= N; k++) {
    const PetscReal a = k * PETSC_PI / N, w2 = 6 * c2 / (h * h) * (1 - cos(a)) / (2 + cos(a)),
                    A2   = 1 / (m * h * (2 + cos(a)) / 3 * (k == N ? N : N / 2.));
    const PetscReal half = sin(sqrt(w2) * t / 2);
    q += A2 * cos(i * a) * (k % 2 ? -1 : 1) * F * 2 * half * half / w2;
  }
  return q;
}

static void free_flight_is_exact(void **state)
{
  static const char *const schemes[] = {
    "{type: modal, step: 1 us}", "{type: modal, step: 73 us}", "{type: modal, step: 1 ms}", "{type: modal, step: 10 ms}"};

  (void)state;
  for (int s = 0; s < 4; s++) {
    TestRun            test = open_with(free_bar, schemes[s], NULL, NULL);
    PetscReal          off = 0, size = 0;
    const PetscScalar *q;
    to_end(&test);
    CHECK(VecGetArrayRead(test.run->state.q, &q));
    for (int i = 0; i <= N; i++) {
      const PetscReal exact = free_bar_exact(i, test.run->state.t);
      off                   = PetscMax(off, PetscAbsReal(q[i] - exact));
      size                  = PetscMax(size, PetscAbsReal(exact));
    }
    CHECK(VecRestoreArrayRead(test.run->state.q, &q));
    print_message("  %s: %.1e\n", schemes[s], off / size);
    assert_true(off < 1e-12 * size);
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    assert_near(test.run->ledger.numerical / test.run->ledger.load, 0, 1e-11);
    test_run_close(&test);
  }
}

/* What modes do not hold gives way statically: with a single elastic mode the bar pulled by a force and held by a spring comes to the static length of the whole model. */
static const char *const held_bar = "bodies:\n"
                                    "  bar:\n"
                                    "    type: bar\n"
                                    "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 20}}\n"
                                    "    material: {density: 8000, young: 200 GPa}\n"
                                    "    section: {area: 1 cm^2}\n"
                                    "    damping: {rayleigh: {mass: 4000 1/s}}\n"
                                    "springs: {hold: {between: [bar.left, ground], stiffness: 5 MN/m}}\n"
                                    "loads: {pull: {at: bar@0.5, force: [500, 0, 0]}}\n"
                                    "scheme: {type: modal, step: 1 ms, modes: 2}\n"
                                    "time: {end: 20 ms}\n";

static void statics_of_few_modes_are_exact(void **state)
{
  TestRun test = test_run_open(held_bar, NULL);

  (void)state;
  to_end(&test);
  assert_near(probe_now(&test, "bar.left", "ux"), 500 / 5e6, 1e-10 * 1e-4);
  assert_near(probe_now(&test, "bar.right", "ux"), 500 / 5e6 + 500 * 0.5 / (200e9 * 1e-4), 1e-10 * 1e-4);
  test_run_close(&test);
}

/* One freedom, m = rho S L/3, k = E S/L: pushed by a force that grows linearly, with damping below, at and above the critical one. */
static const char *const oscillator = "bodies:\n"
                                      "  bar:\n"
                                      "    type: bar\n"
                                      "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 1}}\n"
                                      "    material: {density: 3000, young: 10 MPa}\n"
                                      "    section: {area: 10 cm^2}\n"
                                      "supports: {clamp: {at: bar.left}}\n"
                                      "loads: {push: {at: bar.right, force: [100, 0, 0], time: {table: [[0, 1], [1, 3]]}}}\n"
                                      "scheme: {type: modal, step: 1 ms}\n"
                                      "time: {end: 0.5}\n";

/* m = 1, k = 1e4, w = 100: x'' + 2 d x' + w^2 x = 100 + 200 t from rest: particular a + b t with b = 200/w^2, a = (100 - 2 d b)/w^2. */
static PetscReal oscillator_exact(PetscReal d, PetscReal t)
{
  const PetscReal w = 100, b = 200 / (w * w), a = (100 - 2 * d * b) / (w * w);
  const double _Complex root = csqrt(d * d - w * w);
  const double _Complex s = cabs(root) > 0 ? csinh(root * t) / root : t, c = ccosh(root * t);

  return a + b * t + exp(-d * t) * creal(-a * c + (-b - d * a) * s);
}

static void damped_oscillator_is_exact(void **state)
{
  static const char *const schemes[] = {"{type: modal, step: 1 ms}", "{type: modal, step: 125 ms}", "{type: modal, step: 0.5 s}"};
  static const PetscReal   rates[]   = {0, 3, 99, 100, 130, 400};

  (void)state;
  for (size_t d = 0; d < sizeof(rates) / sizeof(rates[0]); d++) {
    for (int s = 0; s < 3; s++) {
      char            damping[128];
      TestRun         test;
      const PetscReal exact = oscillator_exact(rates[d], 0.5);
      snprintf(damping, sizeof(damping), "bodies.bar.damping={rayleigh: {mass: %g 1/s}}", 2 * rates[d]);
      test = open_with(oscillator, schemes[s], damping, NULL);
      to_end(&test);
      assert_near(probe_now(&test, "bar.right", "ux"), exact, 1e-12 * exact);
      test_run_close(&test);
    }
  }
}

/* A rotor on unequal bearings with damping and cross-coupling, gyroscopic moments, at 20000 rpm. */
static const char *const whirling =
  "bodies:\n"
  "  shaft:\n"
  "    type: rotor\n"
  "    mesh: {line: {from: [0, 0, 0], to: [0.6, 0, 0], elements: 4}}\n"
  "    material: {density: 7850, young: 210 GPa}\n"
  "    section: {circle: {radius: 10 mm}}\n"
  "    spin: 20000 rpm\n"
  "discs: {wheel: {at: shaft@0.25, shape: {outer_radius: 100 mm, thickness: 20 mm, density: 7850}}}\n"
  "bearings:\n"
  "  left: {between: [shaft.left, ground], stiffness: 2 MN/m, damping: 300 N s/m}\n"
  "  right: {between: [shaft.right, ground], stiffness: [1.5 MN/m, 0.4 MN/m, -0.3 MN/m, 3 MN/m], damping: 200 N s/m}\n"
  "scheme: {type: modal, step: 1 ms}\n"
  "time: {end: 20 ms}\n";

/* Each damped mode of the whole model, found by another way (the linearised problem, LAPACK), whirls as Re(x exp(lambda t)). */
static void gyroscopic_rotor_whirls_exactly(void **state)
{
  static const char *const schemes[] = {"{type: modal, step: 0.1 ms}", "{type: modal, step: 20 ms}"};

  (void)state;
  for (int s = 0; s < 2; s++) {
    TestRun          test  = open_with(whirling, schemes[s], NULL, NULL);
    NsModel         *model = test.run->model;
    NsModes          modes;
    Mat              M, C, K;
    const NsFeRotor *rotor;
    PetscReal        worst = 0;
    assert_int_equal(NsFeRotors(model, &rotor), 1);
    CHECK(NsFeOperators(model, rotor->speed, &M, &C, &K));
    CHECK(NsModesSolve(M, C, K, 40, NS_MODES_DENSE, &modes));
    assert_int_equal(modes.n, model->unknowns);
    for (PetscInt k = 0; k < 8; k++) {
      const NsMode *mode           = &modes.mode[k];
      const double _Complex lambda = mode->re + I * mode->im, turn = cexp(lambda * test.run->config.time->end);
      PetscReal *value[2], off = 0, size = 0;
      CHECK(VecGetArray(test.run->state.q, &value[0]));
      CHECK(VecGetArray(test.run->state.v, &value[1]));
      for (PetscInt i = 0; i < modes.n; i++) {
        value[0][NsLayoutIndex(model->layout, i)] = creal(mode->x[i]);
        value[1][NsLayoutIndex(model->layout, i)] = creal(lambda * mode->x[i]);
      }
      CHECK(VecRestoreArray(test.run->state.q, &value[0]));
      CHECK(VecRestoreArray(test.run->state.v, &value[1]));
      test.run->state.t       = 0;
      test.run->figures.steps = 0;
      CHECK(NsSchemeStart(test.run->scheme, &test.run->state));
      to_end(&test);
      CHECK(VecGetArray(test.run->state.q, &value[0]));
      for (PetscInt i = 0; i < modes.n; i++) {
        const PetscReal exact = creal(mode->x[i] * turn);
        off                   = PetscMax(off, modes.weight[i] * PetscAbsReal(value[0][NsLayoutIndex(model->layout, i)] - exact));
        size                  = PetscMax(size, modes.weight[i] * cabs(mode->x[i]));
      }
      CHECK(VecRestoreArray(test.run->state.q, &value[0]));
      worst = PetscMax(worst, off / (size * PetscMax(1, cabs(turn))));
    }
    print_message("  %s: %.1e\n", schemes[s], worst);
    assert_true(worst < 2e-11); /* of the eigenvalues of the other way, times lambda t up to 60 */
    CHECK(NsModesDestroy(&modes));
    CHECK(MatDestroy(&M));
    CHECK(MatDestroy(&C));
    CHECK(MatDestroy(&K));
    test_run_close(&test);
  }
}

/* Steps write what contact touches; the whole state, when it is asked for, is that of a run that asks every time. */
static void states_are_completed_when_asked_for(void **state)
{
  TestRun lazy = open_with(free_bar, "{type: modal, step: 10 us}", NULL, NULL), eager = open_with(free_bar, "{type: modal, step: 10 us}", NULL, NULL);
  NsStepOutcome outcome;
  PetscReal     off, before;

  (void)state;
  CHECK(VecNorm(lazy.run->state.q, NORM_INFINITY, &before));
  for (int i = 0; i < 10; i++) {
    CHECK(NsSchemeStep(lazy.run->scheme, &lazy.run->state, lazy.run->step, &outcome));
    test_step(eager.run);
  }
  CHECK(VecNorm(lazy.run->state.q, NORM_INFINITY, &off));
  assert_near(off, before, 0); /* nothing touches this bar */
  CHECK(NsSchemeComplete(lazy.run->scheme, &lazy.run->state));
  CHECK(VecAXPY(lazy.run->state.q, -1, eager.run->state.q));
  CHECK(VecNorm(lazy.run->state.q, NORM_INFINITY, &off));
  assert_near(off, 0, 0);
  test_run_close(&lazy);
  test_run_close(&eager);
}

/* ---- the bar on a wall ------------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscReal duration, mean, noise; /* of contact, in units of T = 2 L/c and tau = E S v0/c; noise: standard deviation in the middle 90 % */
  PetscReal error;           /* of the velocity at 0.75 T after contact began, root of the mean square over v0: the front is back in the middle */
  PetscReal lost, numerical; /* of the initial energy: by impacts at the end; largest |numerical| */
  PetscInt  closings;
} Figures;

/* d'Alembert: at rest behind the front, then as fast as before, away from the wall. */
static PetscReal velocity_error(TestRun *test, PetscReal since)
{
  const NsScene     *scene = &test->run->model->scene;
  const PetscScalar *v;
  const PetscInt     n   = test->run->model->unknowns;
  const PetscReal    way = since * c0();
  PetscReal          sum = 0;

  CHECK(VecGetArrayRead(test->run->state.v, &v));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal x = scene->x[3 * i] - GAP, exact = way < L ? (x < way ? 0 : -V0) : x > 2 * L - way ? V0 : 0;
    sum += PetscSqr(v[NsLayoutIndex(test->run->model->layout, i)] - exact) / (PetscReal)n;
  }
  CHECK(VecRestoreArrayRead(test->run->state.v, &v));
  return PetscSqrtReal(sum) / V0;
}

static Figures run_bar(const char *scheme, const char *elements)
{
  TestRun         test = open_with(elastic_bar, scheme, elements, NULL);
  NsRun          *run  = test.run;
  const PetscReal T = 2 * L / c0(), tau = E * S * V0 / c0(), begin = GAP / V0;
  PetscReal      *force = calloc((size_t)run->steps, sizeof(*force));
  PetscInt        first = -1, last = -1;
  Figures         f = {0};

  assert_non_null(force);
  for (PetscInt step = 0; step < run->steps; step++) {
    NsStepOutcome outcome;
    CHECK(NsSchemeStep(run->scheme, &run->state, run->step, &outcome));
    assert_true(outcome.done);
    run->figures.steps++;
    run->state.t = NsRunTime(run, run->figures.steps);
    force[step]  = NsContactReports(run->contact)[0].force[0];
    f.closings += force[step] > 0 && (step == 0 || force[step - 1] == 0);
    if (force[step] > 0) {
      first = first < 0 ? step : first;
      last  = step;
      if (!strncmp(scheme, "{type: modal", 12))
        assert_true(PetscAbsReal(NsContactReports(run->contact)[0].gap) < 1e-15 && NsContactReports(run->contact)[0].gap_rate == 0);
    }
    if (f.error == 0 && run->state.t >= begin + 0.75 * T) {
      CHECK(NsSchemeComplete(run->scheme, &run->state));
      f.error = velocity_error(&test, run->state.t - begin);
    }
    if (step % 50 == 0) {
      CHECK(NsSchemeComplete(run->scheme, &run->state));
      CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
    }
  }
  f.mean      = mean_of(force + first, last - first + 1) / tau;
  f.noise     = deviation_of(force + first + (last - first) / 20, (last - first) * 9 / 10) / tau;
  f.duration  = (last - first) * run->step / T;
  f.lost      = run->ledger.impact / run->ledger.initial;
  f.numerical = run->ledger.numerical_max / run->ledger.initial;
  print_message("  %s %s: %.4f T, mean %.4f, noise %.4f, error %.4f, lost %.1e, numerical %.1e\n", scheme, elements ? elements : "", f.duration,
    f.mean, f.noise, f.error, f.lost, f.numerical);
  free(force);
  test_run_close(&test);
  return f;
}

/* N = 1000. Theory: T, tau, no noise, no loss. Half-explicit: the reaction rings. */
static void bar_1000(void **state)
{
  const char *const elements = "bodies.bar.mesh.line.elements=1000";
  const Figures     few      = run_bar("{type: modal, step: 0.5 us, modes: 40}", elements),
                many         = run_bar("{type: modal, step: 0.2 us, modes: 100}", elements);
  const Figures explicit     = run_bar("{type: half_explicit, step: 0.1 us}", elements);

  (void)state;
  assert_near(few.duration, 1, 5e-3);
  assert_near(few.mean, 1, 5e-3);
  assert_true(few.noise < 0.012 && few.error < 0.07);
  assert_near(many.duration, 1, 3e-3);
  assert_near(many.mean, 1, 1e-3);
  assert_true(many.noise < 1e-3 && many.error < 0.045);
  assert_true(few.closings == 1 && many.closings == 1);
  for (int k = 0; k < 2; k++) assert_true(PetscAbsReal(k ? many.lost : few.lost) < 1e-8 && (k ? many.numerical : few.numerical) < 1e-8);
  assert_true(many.noise < explicit.noise / 20 && few.noise < explicit.noise / 2 && many.error<explicit.error &&explicit.lost> 2e-4);
}

static void bar_50(void **state)
{
  const Figures f = run_bar("{type: modal, step: 1 us}", NULL), explicit = run_bar("{type: half_explicit, step: 0.1 us}", NULL);

  (void)state;
  assert_int_equal(f.closings, 1);
  assert_near(f.duration, 1, 0.025);
  assert_near(f.mean, 1, 0.02);
  assert_true(f.noise < 0.07 && f.noise < explicit.noise && f.error < 0.115 && f.error < explicit.error);
  assert_true(PetscAbsReal(f.lost) < 1e-8 && f.numerical < 1e-8);
  assert_near(explicit.lost, PetscSqrtReal(3) / (6 * 50), 1e-4);
}

/* Steps a hundred times the period of the highest mode: what contact does then is coarse, and gains nothing. */
static void any_step_conserves_the_energy(void **state)
{
  static const char *const schemes[] = {"{type: modal, step: 1 ms}", "{type: modal, step: 47 us}", "{type: modal, step: 9.1 us}"};

  (void)state;
  for (int s = 0; s < 3; s++) {
    TestRun   test = open_with(elastic_bar, schemes[s], "time.end=50 ms", NULL);
    NsLedger *l    = &test.run->ledger;
    while (test_runs(test.run)) {
      test_step(test.run);
      CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
    }
    print_message("  %s: numerical %.1e\n", schemes[s], l->numerical_max / l->initial);
    assert_true(l->numerical_max < 1e-9 * l->initial);
    test_run_close(&test);
  }
}

/* Closing and opening included: half the step, a quarter of the error. */
static void contact_is_of_second_order(void **state)
{
  static const char *const schemes[] = {"{type: modal, step: 2 us, modes: 15}", "{type: modal, step: 1 us, modes: 15}",
    "{type: modal, step: 0.5 us, modes: 15}", "{type: modal, step: 62.5 ns, modes: 15}"};
  PetscReal                place[4][2], error[3];

  (void)state;
  for (int s = 0; s < 4; s++) {
    TestRun test = open_with(elastic_bar, schemes[s], NULL, NULL);
    to_end(&test);
    place[s][0] = probe_now(&test, "bar.left", "ux");
    place[s][1] = probe_now(&test, "bar@0.3", "ux");
    test_run_close(&test);
  }
  for (int s = 0; s < 3; s++) error[s] = hypot(place[s][0] - place[3][0], place[s][1] - place[3][1]);
  print_message("  %.1e %.1e %.1e\n", error[0], error[1], error[2]);
  assert_true(error[0] > 3 * error[1] && error[1] > 3 * error[2] && error[0] < 1e-6);
}

/* Where 81 nodes close at once, and open one after the other, theta cannot keep each joule; what it leaves is little. */
static void many_contacts_keep_most_of_the_energy(void **state)
{
  static const char *const lattice = "gravity: [0, -9.81 m/s^2, 0]\n"
                                     "bodies:\n"
                                     "  lattice:\n"
                                     "    type: truss\n"
                                     "    mesh: {lattice: {from: [0, 1 mm, 0], to: [0.4, 0.201, 0.4], cells: [8, 4, 8], braces: faces}}\n"
                                     "    material: {density: 2700, young: 70 GPa}\n"
                                     "    section: {circle: {radius: 2 mm}}\n"
                                     "    mass: lumped\n"
                                     "    initial: {velocity: [0, -1, 0]}\n"
                                     "contacts: {ground: {between: [lattice.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n"
                                     "scheme: {type: modal, step: 5 us}\n"
                                     "time: {end: 2 ms}\n";
  TestRun                  test    = test_run_open(lattice, NULL);
  const NsLedger          *l       = &test.run->ledger;
  PetscInt64               most    = 0;

  (void)state;
  while (test_runs(test.run)) {
    PetscInt64 closed = 0;
    test_step(test.run);
    for (PetscInt i = 0; i < test.run->model->candidates; i++) {
      closed += NsContactReports(test.run->contact)[i].force[0] > 0;
      assert_true(NsContactReports(test.run->contact)[i].gap > -1e-14);
    }
    most = PetscMax(most, closed);
  }
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  print_message("  numerical %.1e of the energy\n", l->numerical / l->initial);
  assert_int_equal(most, 81);
  assert_true(probe_now(&test, "lattice.left_bottom_back", "vy") > 0);
  assert_near(l->numerical / l->initial, 0, 1e-5);
  test_run_close(&test);
}

/* ---- friction --------------------------------------------------------------------------------------------------------------------------------------- */

/* A planar beam falls on its end, obliquely, slides, bends and bounces; gravity and a pulse of a load. */
static const char *const beam = "gravity: [0, -9.81, 0]\n"
                                "bodies:\n"
                                "  beam:\n"
                                "    type: beam\n"
                                "    dimension: 2\n"
                                "    mesh: {line: {from: [0, 0.1 mm, 0], to: [0.4, 0.3, 0], elements: 16}}\n"
                                "    material: {density: 2700, young: 70 GPa}\n"
                                "    section: {rectangle: {width: 10 mm, height: 10 mm}}\n"
                                "    initial: {velocity: [0.5, -1, 0]}\n"
                                "loads: {push: {at: beam.right, force: [0, -20, 0], time: {pulse: {duration: 5 ms}}}}\n"
                                "contacts:\n"
                                "  floor: {between: [beam.left, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.3}\n"
                                "scheme: {type: modal, step: 2 us, modes: 20}\n"
                                "time: {end: 40 ms}\n";

/* Every joule is accounted for: friction, weight, loads, contact; what is left falls with the fourth power of the step. */
static void friction_dissipates_what_it_books(void **state)
{
  TestRun   test  = test_run_open(beam, NULL);
  NsLedger *l     = &test.run->ledger;
  PetscInt  stick = 0, slip = 0;

  (void)state;
  while (test_runs(test.run)) {
    test_step(test.run);
    const NsContactReport *report = &NsContactReports(test.run->contact)[0];
    stick += report->state == NS_STICK;
    slip += report->state == NS_SLIP;
    assert_true(report->gap > -1e-14);
    assert_true(PetscAbsReal(report->force[1]) <= 0.3 * report->force[0] * (1 + 1e-9));
    if (report->state == NS_STICK) assert_near(report->velocity_after[1], 0, 1e-8);
    CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
  }
  print_message("  stick %d, slip %d steps; friction %.3g J, load %.3g J, numerical %.1e J of %.3g J\n", (int)stick, (int)slip, l->friction, l->load,
    l->numerical_max, l->initial);
  assert_true(slip > 20 && l->friction > 1e-3 && PetscAbsReal(l->load) > 1e-3);
  assert_true(l->numerical_max < 1e-9 * l->initial);
  test_run_close(&test);
}

/* ---- a rotor that rubs ------------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscReal place[4]; /* m: of the fan and of the right end */
  PetscReal friction, numerical, penetration;
} Rub;

static Rub run_rotor(const char *scheme)
{
  char        set[128];
  const char *sets[] = {set, "time.end=80 ms", NULL};
  TestRun     test;
  Rub         rub = {.penetration = 0};
  char        text[8000];

  test_read_config("rotor_rub_modal.yaml", text, sizeof(text));
  snprintf(set, sizeof(set), "scheme=%s", scheme);
  test = test_run_open(text, sets);
  while (test_runs(test.run)) {
    NsStepOutcome outcome;
    CHECK(NsSchemeStep(test.run->scheme, &test.run->state, test.run->step, &outcome));
    assert_true(outcome.done);
    test.run->state.t = NsRunTime(test.run, ++test.run->figures.steps);
    rub.penetration   = PetscMax(rub.penetration, -NsContactReports(test.run->contact)[0].gap);
  }
  CHECK(NsSchemeComplete(test.run->scheme, &test.run->state));
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  rub.place[0]  = probe_now(&test, "shaft@0.3", "uy");
  rub.place[1]  = probe_now(&test, "shaft@0.3", "uz");
  rub.place[2]  = probe_now(&test, "shaft.right", "uy");
  rub.place[3]  = probe_now(&test, "shaft.right", "uz");
  rub.friction  = test.run->ledger.friction;
  rub.numerical = PetscAbsReal(test.run->ledger.numerical) / test.run->ledger.load;
  test_run_close(&test);
  return rub;
}

static void rotor_rubs(void **state)
{
  static const char *const schemes[] = {"{type: modal, step: 5 us, modes: 40}", "{type: modal, step: 20 us, modes: 20}"};
  const Rub                reference = run_rotor("{type: half_explicit, step: 0.5 us}");

  (void)state;
  assert_true(reference.friction > 1e-3);
  for (int s = 0; s < 2; s++) {
    const Rub rub = run_rotor(schemes[s]);
    PetscReal off = 0;
    for (int i = 0; i < 4; i++) off = PetscMax(off, PetscAbsReal(rub.place[i] - reference.place[i]));
    print_message("  %s: off by %.1e m, friction %.4g (%.4g) J, numerical %.1e\n", schemes[s], off, rub.friction, reference.friction, rub.numerical);
    assert_true(off < 1e-6); /* it moves by 0.2 mm */
    assert_near(rub.friction, reference.friction, 0.03 * reference.friction);
    assert_true(rub.numerical < 1e-5 && rub.penetration < 1e-12);
  }
}

/* Loads from the start: the energy that they store at once in modes outside the basis is part of the initial energy, not of the numerical error. */
static void constant_load(void **state)
{
  static const char *const text =
    "bodies: {b: {type: bar, mesh: {line: {from: [1e-4, 0, 0], to: [1.0001, 0, 0], elements: 3}}, material: {density: 7800, young: 210 GPa},\n"
    "  section: {area: 1 cm^2}}}\n"
    "loads: {push: {at: b.right, force: [-2000, 0, 0]}}\n"
    "contacts: {w: {between: [b.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n"
    "scheme: {type: modal, step: 1e-5}\n"
    "time: {end: 0.1e-3}\n";
  TestRun         test   = test_run_open(text, NULL);
  NsLedger *const ledger = &test.run->ledger;

  (void)state;
  CHECK(NsSchemeComplete(test.run->scheme, &test.run->state));
  CHECK(NsLedgerClose(ledger, test.run->model, &test.run->state));
  assert_true(ledger->initial > 0.01);
  while (test_runs(test.run)) {
    test_step(test.run);
    CHECK(NsLedgerClose(ledger, test.run->model, &test.run->state));
  }
  assert_near(ledger->numerical_max, 0, 1e-14);
  assert_near(ledger->now.kinetic, ledger->load, 1e-12); /* 1.56 kg pushed by 2000 N, not yet at the wall */
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(free_flight_is_exact),
  cmocka_unit_test(statics_of_few_modes_are_exact),
  cmocka_unit_test(damped_oscillator_is_exact),
  cmocka_unit_test(gyroscopic_rotor_whirls_exactly),
  cmocka_unit_test(states_are_completed_when_asked_for),
  cmocka_unit_test(bar_1000),
  cmocka_unit_test(bar_50),
  cmocka_unit_test(any_step_conserves_the_energy),
  cmocka_unit_test(contact_is_of_second_order),
  cmocka_unit_test(many_contacts_keep_most_of_the_energy),
  cmocka_unit_test(friction_dissipates_what_it_books),
  cmocka_unit_test(rotor_rubs),
  cmocka_unit_test(constant_load),
};
TEST_MAIN(tests)
