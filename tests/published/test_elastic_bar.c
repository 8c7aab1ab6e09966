/*
  The elastic bar on a rigid wall ([A] Sec. 7.1): figures of the half-explicit scheme on velocity level, and d'Alembert's theory behind them (elastic_bar.h).
*/
#include "elastic_bar.h"

/* What a run shows of the contact. */
typedef struct {
  PetscReal  duration;    /* s: from the first to the last step with a reaction force */
  PetscInt64 impulsive;   /* steps */
  PetscReal  impulse;     /* N s, sum of reaction impulses */
  PetscReal  mean, noise; /* N: of the reaction force over the contact; its standard deviation over the middle 90 % of it */
  PetscReal  fastest;     /* m/s: largest contact velocity while closed at both ends of a step */
  PetscReal  deepest;     /* m */
  PetscInt   closings;
  PetscReal  impact, initial; /* J */
  PetscReal  rebound;         /* m/s: velocity of the centre of mass at the end */
  PetscReal  energy_error;    /* largest |numerical| over E0 */
} Figures;

static Figures run_bar(const char *const *set)
{
  TestRun   test = test_run_open(elastic_bar, set);
  NsRun    *run  = test.run;
  Figures   f    = {0};
  PetscReal momentum, *force;
  PetscInt  first = -1, last = -1;
  Vec       Mv, one;

  force = calloc((size_t)run->steps, sizeof(*force));
  assert_non_null(force);
  for (PetscInt step = 0; step < run->steps; step++) {
    const PetscBool        was     = NsContactReports(run->contact)[0].state != NS_OPEN;
    const NsStepOutcome    outcome = test_step(run);
    const NsContactReport *report  = &NsContactReports(run->contact)[0];
    force[step]                    = report->force[0];
    f.impulsive += outcome.impulsive;
    f.impulse += report->impulse[0];
    f.deepest = PetscMax(f.deepest, -report->gap);
    f.closings += report->state != NS_OPEN && !was;
    if (force[step] > 0) {
      if (first < 0) first = step;
      last      = step;
      f.fastest = PetscMax(f.fastest, PetscAbsReal(report->gap_rate));
    }
    if (step % 100 == 0) CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
  }
  f.duration = (PetscReal)(last - first) * run->step;
  for (PetscInt step = first; step <= last; step++) assert_true(force[step] > 0);
  f.mean  = mean_of(force + first, last - first + 1);
  f.noise = deviation_of(force + first + (last - first) / 20, (last - first) * 9 / 10);
  free(force);
  f.impact       = run->ledger.impact;
  f.initial      = run->ledger.initial;
  f.energy_error = run->ledger.numerical_max / run->ledger.initial;
  CHECK(VecDuplicate(run->state.v, &Mv));
  CHECK(VecDuplicate(run->state.v, &one));
  CHECK(NsModelMult(run->model, 0, run->state.q, run->state.v, Mv));
  CHECK(VecSet(one, 1));
  CHECK(VecDot(one, Mv, &momentum));
  f.rebound = momentum / run->model->mass_total;
  CHECK(VecDestroy(&Mv));
  CHECK(VecDestroy(&one));
  test_run_close(&test);
  return f;
}

/* What holds for every mesh and mass. */
static void check_common(const Figures *f)
{
  assert_int_equal(f->impulsive, 1);
  assert_int_equal(f->closings, 1); /* contact is never lost in between */
  assert_true(f->fastest < 1e-15);
  assert_near(f->deepest, 5e-9, 1e-12); /* GAP ends in half a step's way, which is overshot */
  assert_true(f->deepest < V0 * 1e-7);
  assert_near(f->initial, RHO * S * L * V0 * V0 / 2, 1e-12 * f->initial);
}

static void consistent_mass_50(void **state)
{
  const Figures f = run_bar(NULL);

  (void)state;
  check_common(&f);
  assert_near(f.impulse, PetscSqrtReal(3) / 6 * RHO * S * (L / 50) * V0, 1e-6 * f.impulse);
  assert_near(f.impulse, 1.414764e-3, 1e-9);
  assert_near(f.impact / f.initial, PetscSqrtReal(3) / (6 * 50), 1e-6 * f.impact / f.initial);
  assert_near(f.duration / (2 * L / c0()), 0.991, 0.003);
  assert_near(f.mean, E * S * V0 / c0(), 0.005 * f.mean);
  assert_near(f.mean, 1266, 1);
  assert_near(f.noise / (E * S * V0 / c0()), 0.108, 0.002);
  assert_near(f.rebound, V0, 0.03 * V0); /* the rest has become vibration */
}

static void consistent_mass_1000(void **state)
{
  static const char *const set[] = {"bodies.bar.mesh.line.elements=1000", NULL};
  const Figures            f     = run_bar(set);

  (void)state;
  check_common(&f);
  assert_near(f.impulse, PetscSqrtReal(3) / 6 * RHO * S * (L / 1000) * V0, 1e-6 * f.impulse);
  assert_near(f.impulse, 7.07382e-5, 1e-10);
  assert_near(f.impact / f.initial, PetscSqrtReal(3) / (6 * 1000), 1e-6 * f.impact / f.initial);
  assert_near(f.duration / (2 * L / c0()), 0.9986, 0.003);
  assert_near(f.mean, E * S * V0 / c0(), 0.005 * f.mean);
  assert_near(f.mean, 1271, 0.5);
}

static void lumped_mass(void **state)
{
  static const char *const set[] = {"bodies.bar.mass=lumped", NULL};
  const Figures            f     = run_bar(set);

  (void)state;
  check_common(&f);
  assert_near(f.impulse, RHO * S * (L / 50) * V0 / 2, 1e-6 * f.impulse);
  assert_near(f.impact / f.initial, 1.0 / (2 * 50), 1e-6 * f.impact / f.initial);
  assert_true(f.noise / (E * S * V0 / c0()) < 0.01);
}

/* The paper prints delta = 1e-3/E = 4.761e-6 s; 1e3/E gives its figure. */
static void damping_calms_the_reaction(void **state)
{
  static const char *const plain[]  = {"bodies.bar.mesh.line.elements=1000", NULL};
  static const char *const damped[] = {"bodies.bar.mesh.line.elements=1000", "bodies.bar.damping.rayleigh.stiffness=4.762e-9", NULL};
  const Figures            f = run_bar(plain), g = run_bar(damped);

  (void)state;
  assert_int_equal(g.impulsive, 1);
  assert_true(10 * g.noise < f.noise);
  assert_near(g.mean, E * S * V0 / c0(), 0.005 * g.mean);
  assert_true(g.fastest < 1e-15);
}

/* Bounded, and of second order in the step: velocity Verlet's energy error. The impact itself is exact. */
static void energy_error_is_second_order(void **state)
{
  static const char *const coarse[] = {"scheme.step=1 us", NULL};
  static const char *const fine[]   = {"scheme.step=0.5 us", NULL};
  const Figures            f = run_bar(coarse), g = run_bar(fine);
  const PetscReal          order = PetscLog2Real(f.energy_error / g.energy_error);

  (void)state;
  assert_true(f.energy_error < 1e-3);
  assert_near(order, 2, 0.25);
}

/* Reaction over tau between two parts of T after the first contact: deviation, and mean. P contains force and impulse. */
typedef struct {
  PetscReal from, to, sum, squares;
  PetscInt  count;
} Window;

static void look_through(Window *window, PetscReal time, PetscReal force)
{
  if (time < window->from || time > window->to) return;
  window->sum += force;
  window->squares += PetscSqr(force);
  window->count++;
}

static PetscReal rms_of(const Window *window)
{
  return PetscSqrtReal(PetscMax(0, window->squares / window->count - PetscSqr(window->sum / window->count)));
}

/*
  Implicit schemes, dt = 1 us. N = 50, below the explicit limit: all that keep high frequencies ring in the second half of contact, from half of T to 0.9 T, when the mesh's slow short waves have come
  back; rho = 0 and theta = 1 do not, and pay with energy. N = 1000, nine times the explicit limit: they do not ring, but theta = 1/2 and rho = 1 a little. Energy after 1.5 ms.
*/
static void implicit_schemes(void **state)
{
  static const struct {
    const char *scheme;
    int         elements;
    PetscReal   ringing, off; /* in the second half; how near */
    PetscReal   energy, deepest;
  } table[] = {
    {"moreau_jean, step: 1 us", 50, 0.112, 1e-3, 0.9937, 4.5e-8},
    {"moreau_jean, step: 1 us, theta: 1", 50, 0.004, 1e-3, 0.8616, 4.5e-8},
    {"generalised_alpha, step: 1 us, rho: 1", 50, 0.115, 1e-3, 0.9942, 0},
    {"generalised_alpha, step: 1 us, rho: 0.8", 50, 0.113, 1e-3, 0.9936, 0},
    {"generalised_alpha, step: 1 us, rho: 0.5", 50, 0.091, 1e-3, 0.9888, 0},
    {"generalised_alpha, step: 1 us, rho: 0", 50, 0.001, 1e-3, 0.9748, 0},
    {"generalised_alpha_velocity, step: 1 us", 50, 0.110, 1e-3, 0.9931, 4.6e-8},
    {"implicit_split, step: 1 us", 50, 0.113, 1e-3, 0.9936, 1.05e-7},
    {"moreau_jean, step: 1 us", 1000, 0, 2e-5, 0.9974, 4.5e-8},
    {"generalised_alpha, step: 1 us", 1000, 0, 1e-6, 0.9955, 0},
    {"generalised_alpha_velocity, step: 1 us", 1000, 0, 1e-6, 0.9952, 5.2e-8},
    {"implicit_split, step: 1 us", 1000, 0, 1e-6, 0.9958, 1.05e-7},
    {"implicit_split, step: 1 us, rho: 1", 1000, 1.5e-4, 2e-5, 0.9997, 1.05e-7},
  };
  const PetscReal T = 2 * L / c0(), tau = E * S * V0 / c0();

  (void)state;
  for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
    char scheme[128], elements[64];
    snprintf(scheme, sizeof(scheme), "scheme={type: %s}", table[k].scheme);
    snprintf(elements, sizeof(elements), "bodies.bar.mesh.line.elements=%d", table[k].elements);
    TestRun   test  = test_run_open(elastic_bar, (const char *[]){scheme, elements, "time.end=1.5 ms", NULL});
    NsRun    *run   = test.run;
    Window    first = {.from = 0.05 * T, .to = 0.5 * T}, second = {.from = 0.5 * T, .to = 0.9 * T};
    PetscReal begin = -1, end = 0, deepest = 0;
    for (PetscInt64 step = 0; step < run->steps; step++) {
      test_step(run);
      const NsContactReport *report = &NsContactReports(run->contact)[0];
      const PetscReal        force  = (report->force[0] + report->impulse[0] / run->step) / tau;
      deepest                       = PetscMax(deepest, -report->gap);
      if (force > 0 && begin < 0) begin = run->state.t;
      if (force > 0) end = run->state.t;
      if (begin >= 0) {
        look_through(&first, run->state.t - begin, force);
        look_through(&second, run->state.t - begin, force);
      }
    }
    CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
    print_message("  N = %d, %s: rms %.2e and %.2e, mean %.4f, contact %.4f T, energy %.5f, %.1e m deep\n", table[k].elements, table[k].scheme,
      rms_of(&first), rms_of(&second), first.sum / first.count, (end - begin) / T,
      (run->ledger.now.kinetic + run->ledger.now.elastic) / run->ledger.initial, deepest);
    assert_true(rms_of(&first) < 0.003);
    assert_near(first.sum / first.count, 1, 0.005);
    assert_near(rms_of(&second), table[k].ringing, table[k].off);
    assert_in_range((PetscInt)(1e4 * (end - begin) / T), 9850, 10100);
    assert_near((run->ledger.now.kinetic + run->ledger.now.elastic) / run->ledger.initial, table[k].energy, 1e-4);
    assert_true(deepest <= table[k].deepest + 1e-18);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(consistent_mass_50),
  cmocka_unit_test(consistent_mass_1000),
  cmocka_unit_test(lumped_mass),
  cmocka_unit_test(damping_calms_the_reaction),
  cmocka_unit_test(energy_error_is_second_order),
  cmocka_unit_test(implicit_schemes),
};
TEST_MAIN(tests)
