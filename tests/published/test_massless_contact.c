/*
  Contact without mass (`mass: redistributed`, scheme massless_contact): Khenous, Laborde, Renard, Mass redistribution method for finite element contact problems in elastodynamics
  (2008), by d'Alembert's theory of bars (elastic_bar.h), St. Venant's impact, conservation laws, sliding and rolling in closed form, and finer meshes of other schemes.
*/
#include "elastic_bar.h"

/* One column of a probe at the present state. */
static PetscReal probe(const NsRun *run, const char *name, PetscInt column)
{
  const PetscScalar *q, *v;
  NsProbe            found_probe;
  PetscBool          found;
  char               why[256];
  PetscReal          value;

  CHECK(run->model->view.probe(run->model, name, &found_probe, &found, why, sizeof(why)));
  assert_true(found && column < found_probe.columns);
  CHECK(VecGetArrayRead(run->state.q, &q));
  CHECK(VecGetArrayRead(run->state.v, &v));
  value = NsProbeColumnSum(&found_probe.column[column], 0, q, v);
  CHECK(VecRestoreArrayRead(run->state.q, &q));
  CHECK(VecRestoreArrayRead(run->state.v, &v));
  return value;
}

/* sum M v over the unknowns that a vector of ones and zeros picks: every `stride`th from `first`; of bars and trusses. */
static PetscReal momentum(const NsRun *run, PetscInt first, PetscInt stride)
{
  Vec       Mv, pick;
  PetscReal sum;

  CHECK(VecDuplicate(run->state.v, &Mv));
  CHECK(VecDuplicate(run->state.v, &pick));
  for (PetscInt i = first; i < run->model->unknowns; i += stride) CHECK(VecSetValue(pick, i, 1, INSERT_VALUES));
  CHECK(VecAssemblyBegin(pick));
  CHECK(VecAssemblyEnd(pick));
  CHECK(NsModelMult(run->model, 0, run->state.q, run->state.v, Mv));
  CHECK(VecDot(pick, Mv, &sum));
  CHECK(VecDestroy(&Mv));
  CHECK(VecDestroy(&pick));
  return sum;
}

/* What a bar's contact with the wall shows; forces in parts of tau, times of T, energies of the first. */
typedef struct {
  PetscReal begin, duration;
  PetscReal noise, middle; /* standard deviation of the reaction over the middle 80 % of the contact, and the middle 40 % */
  PetscReal mean, impulse; /* over the middle 80 %; of all reactions, over 2 m v0 */
  PetscReal deepest;       /* m */
  PetscReal spring;        /* largest |lambda - max(0, -k q_1)| over tau */
  PetscReal energy, rebound;
  PetscInt  closings, impulsive;
} Figures;

static Figures run_bar(PetscInt elements, const char *step)
{
  char              size[64], scheme[64];
  const char *const set[] = {"bodies.bar.mass=redistributed", size, scheme, NULL};
  const PetscReal   T = 2 * L / c0(), tau = E * S * V0 / c0(), k = E * S * elements / L;
  Figures           f     = {0};
  PetscInt          first = -1, last = -1;
  PetscReal        *force;

  snprintf(size, sizeof(size), "bodies.bar.mesh.line.elements=%d", (int)elements);
  snprintf(scheme, sizeof(scheme), "scheme={type: massless_contact, step: %s}", step);
  TestRun test = test_run_open(elastic_bar, set);
  NsRun  *run  = test.run;
  force        = calloc((size_t)run->steps, sizeof(*force));
  assert_non_null(force);
  for (PetscInt i = 0; i < run->steps; i++) {
    const PetscBool        was     = NsContactReports(run->contact)[0].state != NS_OPEN;
    const NsStepOutcome    outcome = test_step(run);
    const NsContactReport *report  = &NsContactReports(run->contact)[0];
    const PetscScalar     *q;
    CHECK(VecGetArrayRead(run->state.q, &q));
    f.spring = PetscMax(f.spring, PetscAbsReal(report->force[0] - PetscMax(0, -k * (GAP + q[1]))) / tau);
    CHECK(VecRestoreArrayRead(run->state.q, &q));
    force[i] = report->force[0];
    f.impulse += force[i] * run->step / (2 * RHO * S * L * V0);
    f.deepest = PetscMax(f.deepest, -report->gap);
    f.closings += report->state != NS_OPEN && !was;
    f.impulsive += outcome.impulsive ? 1 : 0;
    assert_true(report->impulse[0] == 0 && report->force[0] >= 0);
    if (force[i] > 0 && first < 0) {
      first   = i;
      f.begin = run->state.t / T;
    }
    if (force[i] > 0) last = i;
  }
  f.duration         = (PetscReal)(last - first) * run->step / T;
  const PetscInt all = last - first;
  f.middle           = deviation_of(force + first + all * 3 / 10, all * 4 / 10) / tau;
  f.noise            = deviation_of(force + first + all / 10, all * 8 / 10) / tau;
  f.mean             = mean_of(force + first + all / 10, all * 8 / 10) / tau;
  free(force);
  CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
  f.energy  = (run->ledger.now.kinetic + run->ledger.now.elastic) / run->ledger.initial - 1;
  f.rebound = momentum(run, 0, 1) / (run->model->mass_total * V0);
  assert_true(run->ledger.impact == 0 && run->ledger.friction == 0);
  test_run_close(&test);
  print_message(
    "  N = %d, dt = %s: contact %.5f T, noise %.2e (middle %.2e), mean %.6f, impulse %.6f, energy %+.2e, rebound %.5f, penetration %.1e m, spring %.1e\n",
    (int)elements, step, f.duration, f.noise, f.middle, f.mean, f.impulse, f.energy, f.rebound, f.deepest, f.spring);
  return f;
}

static void check_bar(const Figures *f, PetscInt elements, PetscReal step)
{
  assert_true(PetscAbsReal(f->energy) < elements * PetscSqr(c0() * step / L) / 4);
  assert_int_equal(f->impulsive, 0);
  assert_int_equal(f->closings, 1);
  assert_true(f->deepest < 1e-18);
  assert_true(f->spring < 1e-10);
}

static void bar_of_50(void **state)
{
  const Figures f = run_bar(50, "0.1 us"), g = run_bar(50, "0.2 us");

  (void)state;
  check_bar(&f, 50, 0.1e-6);
  assert_true(f.noise < 1.1e-3 && f.middle < 3e-4); /* with impacts, lumped: 1.5e-3; consistent: 9e-2 */
  assert_near(f.mean, 1, 1e-3);
  assert_near(f.duration, 1, 0.012);
  assert_near(f.energy, -1.5e-6, 0.3e-6); /* the step's, of order dt^2: contact loses nothing */
  check_bar(&g, 50, 0.2e-6);
  assert_near(f.rebound, 1, 0.017); /* the rest has become vibration: the wave's front is as wide as some elements */
  assert_near(f.impulse, (1 + f.rebound) / 2, 1e-9);
}

static void bar_of_1000(void **state)
{
  const Figures f = run_bar(1000, "0.1 us");

  (void)state;
  check_bar(&f, 1000, 0.1e-6);
  assert_true(f.noise < 5e-6 && f.middle < 2e-6);
  assert_near(f.mean, 1, 2e-6);
  assert_near(f.duration, 1, 1.2e-3);
  assert_near(f.energy, -3.3e-5, 0.3e-5);
  assert_near(f.rebound, 1, 2.6e-3);
}

/* Towards d'Alembert's solution: fronts of waves on a lattice of masses are N^(1/3) elements wide, so that times err by N^(-2/3) or less. */
static void bars_converge(void **state)
{
  static const PetscInt elements[] = {50, 200, 800};
  Figures               f[3];

  (void)state;
  for (int k = 0; k < 3; k++) {
    f[k] = run_bar(elements[k], "0.1 us");
    check_bar(&f[k], elements[k], 0.1e-6);
  }
  for (int k = 1; k < 3; k++) {
    assert_true(PetscAbsReal(f[k].duration - 1) < 0.4 * PetscAbsReal(f[k - 1].duration - 1));
    assert_true(1 - f[k].rebound < 0.5 * (1 - f[k - 1].rebound));
    assert_true(f[k].noise < 0.1 * f[k - 1].noise);
  }
  assert_true(f[1].noise < 1e-4); /* 0.01 % of tau from 200 elements on */
}

/* configs/two_bars.yaml: St. Venant's impact of a short bar on a long one at rest. */
static const char *const two_bars = "bodies:\n"
                                    "  short:\n"
                                    "    type: bar\n"
                                    "    mesh: {line: {from: [-0.50001, 0, 0], to: [-10.0005 um, 0, 0], elements: 100}}\n"
                                    "    material: {density: 7800, young: 210 GPa}\n"
                                    "    section: {area: 3.14159265358979323846e-4}\n"
                                    "    mass: redistributed\n"
                                    "    initial: {velocity: [0.1, 0, 0]}\n"
                                    "  long:\n"
                                    "    type: bar\n"
                                    "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 200}}\n"
                                    "    material: {density: 7800, young: 210 GPa}\n"
                                    "    section: {area: 3.14159265358979323846e-4}\n"
                                    "    mass: redistributed\n"
                                    "contacts:\n"
                                    "  joint: {between: [short.right, long.left]}\n"
                                    "scheme: {type: massless_contact, step: 0.5 us}\n"
                                    "time: {end: 600 us}\n";

/*
  One side without mass is enough, and the other may have any mass; both press with E S v0/(2 c0) for 2 L/c0 = 192.7 us. (After that both move with v0/2 where they touched, and what
  the mesh leaves of the front decides whether they press on by a little: with consistent mass they do.)
*/
static void two_bars_meet(void **state)
{
  static const char *const sides[] = {"bodies.long.mass=redistributed", "bodies.long.mass=lumped", "bodies.long.mass=consistent"};
  const PetscReal          theory  = E * S * V0 / (2 * c0());

  (void)state;
  for (int k = 0; k < 3; k++) {
    const char *const set[]  = {sides[k], k == 2 ? "scheme.step=0.25 us" : "scheme.step=0.5 us", NULL};
    TestRun           test   = test_run_open(two_bars, set);
    NsRun            *run    = test.run;
    const PetscReal   before = momentum(run, 0, 1);
    PetscReal         begin = 0, end = 0, mean = 0;
    PetscInt          count = 0;
    while (test_runs(run)) {
      const NsStepOutcome    outcome = test_step(run);
      const NsContactReport *report  = &NsContactReports(run->contact)[0];
      assert_true(!outcome.impulsive && report->impulse[0] == 0 && report->gap > -1e-17);
      if (report->force[0] > 0 && begin == 0) begin = run->state.t;
      if (report->force[0] > theory / 2) end = run->state.t;
      if (begin > 0 && run->state.t - begin > 40e-6 && run->state.t - begin < 150e-6) {
        mean += report->force[0];
        count++;
      }
    }
    CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
    print_message("  %s: contact %.2f us, force %.5f of theory, momentum %+.1e, energy %+.1e\n", sides[k], (end - begin) * 1e6, mean / count / theory,
      momentum(run, 0, 1) / before - 1, run->ledger.numerical / run->ledger.initial);
    assert_near(end - begin, 2 * 0.5 / c0(), 2e-6);
    assert_near(mean / count / theory, 1, 2e-3);
    assert_near(momentum(run, 0, 1), before, 1e-13 * before);
    assert_true(PetscAbsReal(run->ledger.numerical) < 6e-4 * run->ledger.initial);
    test_run_close(&test);
  }
}

/* A planar lattice of aluminium that falls aslant and slides. */
static const char *const frame = "gravity: [0, -10, 0]\n"
                                 "bodies:\n"
                                 "  frame:\n"
                                 "    type: truss\n"
                                 "    dimension: 2\n"
                                 "    mesh: {lattice: {from: [0, 0.1 mm, 0], to: [0.4, 0.2001, 0], cells: [8, 6, 0], braces: faces}}\n"
                                 "    material: {density: 2700, young: 7 GPa}\n"
                                 "    section: {area: 2 cm^2}\n"
                                 "    mass: redistributed\n"
                                 "    initial: {velocity: [0.5, -1, 0]}\n"
                                 "contacts:\n"
                                 "  floor: {between: [frame.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.3}\n"
                                 "scheme: {type: massless_contact, step: 2 us}\n"
                                 "time: {end: 4 ms}\n";

/* sum W lambda of all contacts along x and y. */
static void reactions(const NsRun *run, NsRows *rows, PetscReal *lambda, Vec f, PetscReal sum[2])
{
  const PetscScalar *value;
  PetscInt           all[16];

  assert_true(run->model->candidates <= 16);
  for (PetscInt i = 0; i < run->model->candidates; i++) all[i] = i;
  CHECK(NsModelRows(run->model, run->state.t, run->state.q, run->model->candidates, all, rows));
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) lambda[k] = NsContactReports(run->contact)[i].force[k - rows->start[i]];
  }
  CHECK(VecZeroEntries(f));
  CHECK(NsRowsApply(run->model, rows, lambda, 1, f));
  sum[0] = sum[1] = 0;
  CHECK(VecGetArrayRead(f, &value));
  for (PetscInt i = 0; i < run->model->unknowns; i++) sum[i % 2] += value[i];
  CHECK(VecRestoreArrayRead(f, &value));
}

/* Momentum along x and y is what gravity and the mean of the reactions at both ends of a step bring, to rounding. */
static void momentum_is_that_of_the_reactions(void **state)
{
  TestRun         test   = test_run_open(frame, NULL);
  NsRun          *run    = test.run;
  const PetscReal m      = run->model->mass_total;
  PetscReal       sum[2] = {momentum(run, 0, 2), momentum(run, 1, 2)}, last[2] = {0, 0}, force[2], most = 0, lambda[32];
  PetscInt        closed = 0, slips = 0, sticks = 0;
  NsRows          rows;
  Vec             f;

  (void)state;
  assert_near(sum[0], 0.5 * m, 1e-13 * m);
  assert_near(sum[1], -m, 1e-13 * m);
  CHECK(NsRowsCreate(run->model, &rows));
  CHECK(VecDuplicate(run->state.q, &f));
  while (test_runs(run)) {
    assert_false(test_step(run).impulsive);
    reactions(run, &rows, lambda, f, force);
    for (int k = 0; k < 2; k++) {
      sum[k] += run->step * ((force[k] + last[k]) / 2 - (k ? 10 * m : 0));
      last[k] = force[k];
      most    = PetscMax(most, PetscAbsReal(momentum(run, k, 2) - sum[k]));
    }
    for (PetscInt i = 0; i < run->model->candidates; i++) {
      const NsContactReport *report = &NsContactReports(run->contact)[i];
      assert_true(report->gap > -1e-17 && report->impulse[0] == 0);
      assert_true(PetscAbsReal(report->force[1]) <= 0.3 * report->force[0] * (1 + 1e-12));
      closed += report->force[0] > 0 ? 1 : 0;
      slips += report->state == NS_SLIP ? 1 : 0;
      sticks += report->state == NS_STICK ? 1 : 0;
    }
  }
  print_message("  momentum off by %.1e m/s; %d closed, %d slip, %d stick; rebound %.4f m/s\n", most / m, (int)closed, (int)slips, (int)sticks,
    momentum(run, 1, 2) / m);
  assert_true(most < 1e-12 * m);
  assert_true(slips > 500 && sticks > 500);
  CHECK(NsRowsDestroy(&rows));
  CHECK(VecDestroy(&f));
  test_run_close(&test);
}

static void ledger_closes_with_the_step(void **state)
{
  static const char *const steps[]  = {"scheme.step=4 us", "scheme.step=2 us", "scheme.step=1 us"};
  static const char *const damped[] = {
    "bodies.frame.damping={rayleigh: {stiffness: 0}}", "bodies.frame.damping={rayleigh: {mass: 20 1/s, stiffness: 1 us}}"};

  (void)state;
  for (int d = 0; d < 2; d++) {
    PetscReal off[3];
    for (int k = 0; k < 3; k++) {
      const char *const set[] = {steps[k], damped[d], "loads={push: {at: frame.top, force: [5, 0, 0]}}", NULL};
      TestRun           test  = test_run_open(frame, set);
      NsLedger         *l     = &test.run->ledger;
      while (test_runs(test.run)) test_step(test.run);
      CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
      print_message("  %s, %s: numerical %+.2e, friction %.3e, damping %.3e, load %.3e of %.3e J\n", steps[k], damped[d], l->numerical / l->initial,
        l->friction / l->initial, l->damping / l->initial, l->load / l->initial, l->initial);
      assert_true(l->impact == 0 && l->friction > 0.1 * l->initial && l->load > 0.01 * l->initial && (d == 0 || l->damping > 0.2 * l->initial));
      off[k] = PetscAbsReal(l->numerical) / l->initial;
      test_run_close(&test);
    }
    assert_true(off[0] < 3e-4 && off[2] < 1.2e-5);
    assert_true(off[2] < (d ? 0.5 : 0.25) * off[1]); /* dampers: first order */
  }
}

/* v0 = 1 m/s, mu = 0.2, g = 10: stops after 0.5 s and 0.25 m, and lies there; on a belt of 1 m/s the other way round. */
static void frame_slides_to_rest(void **state)
{
  static const char *const common[] = {"bodies.frame.mesh.lattice.from=[0, 0, 0]", "bodies.frame.mesh.lattice.to=[0.4, 0.2, 0]",
    "bodies.frame.damping={rayleigh: {mass: 0, stiffness: 20 us}}", "scheme.step=10 us", "time.end=0.6"};

  (void)state;
  for (int belt = 0; belt < 2; belt++) {
    const char *const set[] = {common[0], common[1], common[2], common[3], common[4],
      belt ? "bodies.frame.initial.velocity=[0, 0, 0]" : "bodies.frame.initial.velocity=[1, 0, 0]",
      belt ? "contacts.floor={between: [frame.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0], velocity: [1 m/s, 0, 0]}}], friction: 0.2}"
           : "contacts.floor.friction=0.2",
      NULL};
    TestRun           test  = test_run_open(frame, set);
    NsRun            *run   = test.run;
    PetscReal         sum   = 0;
    while (test_runs(run)) test_step(run);
    for (PetscInt i = 0; i < run->model->candidates; i++) sum += NsContactReports(run->contact)[i].force[0];
    CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
    const PetscReal m = run->model->mass_total;
    print_message("  belt %d: way %.6f, speed %.2e, reaction %.8f of the weight, friction %.5f, load %.5f of m v0^2/2, numerical %.1e\n", belt,
      probe(run, "frame.left_top", 0), momentum(run, 0, 2) / m, sum / (10 * m), run->ledger.friction / (m / 2), run->ledger.load / (m / 2),
      run->ledger.numerical / (m / 2));
    assert_near(probe(run, "frame.left_top", 0), belt ? 0.35 : 0.25, 1e-5);
    assert_near(momentum(run, 0, 2) / m, belt, 1e-7);
    assert_near(sum, 10 * m, 1e-7 * m);
    assert_near(run->ledger.friction, m / 2, 1e-5 * m);
    assert_near(run->ledger.load, belt * m, 1e-5 * m); /* mu m g s t */
    assert_near(run->ledger.numerical, 0, 1e-6 * m);
    test_run_close(&test);
  }
}

/* A load holds the bar against its wall: frequencies are those with the node held. */
static const char *const pressed =
  "bodies:\n"
  "  bar:\n"
  "    type: bar\n"
  "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 8}}\n"
  "    material: {density: 8000, young: 200 GPa}\n"
  "    section: {area: 1 cm^2}\n"
  "    mass: redistributed\n"
  "loads: {press: {at: bar.right, force: [-1 kN, 0, 0]}, drive: {at: bar@0.5, force: [10, 0, 0], time: {harmonic: {frequency: 3000 rad/s}}}}\n"
  "contacts:\n"
  "  wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}\n"
  "scheme: {type: massless_contact, step: 1 us}\n"
  "time: {end: 1}\n";

static PetscBool grows(const char *damping, PetscReal factor)
{
  char              step[64];
  const char *const set[] = {damping, step, NULL};
  PetscReal         limit, norm;
  PetscInt          closed = 0;

  snprintf(step, sizeof(step), "scheme.step=1 us");
  TestRun test = test_run_open(pressed, set);
  CHECK(NsRunCheckStep(test.run, PETSC_FALSE));
  const PetscReal bound = test.run->stability.step_limit;
  CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
  limit = test.run->stability.step_limit;
  assert_true(bound <= limit * (1 + 1e-9)); /* bounds are on the safe side */
  test_run_close(&test);
  snprintf(step, sizeof(step), "scheme.step=%.17g", factor * limit);
  test = test_run_open(pressed, set);
  for (int i = 0; i < 4000; i++) {
    test_step(test.run);
    closed += NsContactReports(test.run->contact)[0].state != NS_OPEN;
  }
  CHECK(VecNorm(test.run->state.v, NORM_2, &norm));
  test_run_close(&test);
  print_message("  %s at %.2f of %.5g s (bound %.5g s): |v| = %.3g m/s, closed in %d of 4000\n", damping, factor, limit, bound, norm, (int)closed);
  return norm < 1e3 ? PETSC_FALSE : PETSC_TRUE;
}

static void step_limit_holds_in_contact(void **state)
{
  static const char *const damping[] = {"bodies.bar.damping={rayleigh: {stiffness: 0}}", "bodies.bar.damping={rayleigh: {mass: 0, stiffness: 2 us}}"};

  (void)state;
  for (int d = 0; d < 2; d++) {
    assert_false(grows(damping[d], 0.99));
    assert_true(grows(damping[d], 1.01));
  }
}

/* A stiff bar without mass at its end is pressed on a light and soft one with: while they touch, the mass of one bar is on a spring of the other, a frequency that neither has alone. */
static const char *const unequal = "bodies:\n"
                                   "  stiff:\n"
                                   "    type: bar\n"
                                   "    mesh: {line: {from: [-1, 0, 0], to: [0, 0, 0], elements: 8}}\n"
                                   "    material: {density: 7800, young: 210 GPa}\n"
                                   "    section: {area: 1 cm^2}\n"
                                   "    mass: redistributed\n"
                                   "    damping: {rayleigh: {stiffness: 0.1 us}}\n"
                                   "  soft:\n"
                                   "    type: bar\n"
                                   "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 8}}\n"
                                   "    material: {density: 780, young: 2.1 GPa}\n"
                                   "    section: {area: 1 cm^2}\n"
                                   "    mass: lumped\n"
                                   "supports: {clamp: {at: soft.right}}\n"
                                   "loads: {press: {at: stiff.left, force: [1 kN, 0, 0]}}\n"
                                   "contacts: {joint: {between: [stiff.right, soft.left]}}\n"
                                   "scheme: {type: massless_contact, step: 1 us}\n"
                                   "time: {end: 1}\n";

static PetscReal press(const char *mass, PetscReal step)
{
  char              dt[64];
  const char *const set[] = {mass, dt, NULL};
  PetscReal         norm;

  snprintf(dt, sizeof(dt), "scheme.step=%.17g", step);
  TestRun test = test_run_open(unequal, set);
  for (int i = 0; i < 2000; i++) test_step(test.run);
  CHECK(VecNorm(test.run->state.v, NORM_2, &norm));
  print_message("  %s, %.4g us: |v| = %.3g m/s\n", mass, 1e6 * step, norm);
  test_run_close(&test);
  return norm;
}

static void step_limit_between_bodies(void **state)
{
  static const char *const masses[] = {"bodies.soft.mass=lumped", "bodies.soft.mass=redistributed"};

  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {masses[k], NULL};
    TestRun           test  = test_run_open(unequal, set);
    CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
    const PetscReal limit = test.run->stability.step_limit, safe = test.run->stability.contact_limit;
    test_run_close(&test);
    if (k == 0) {
      assert_true(safe < 0.5 * limit);
      assert_true(press(masses[k], 0.99 * safe) < 10);
      assert_false(press(masses[k], 0.99 * limit) < 1e3);
    } else { /* nothing with mass is pressed on */
      assert_true(safe == limit);
      assert_true(press(masses[k], 0.99 * limit) < 10);
    }
  }
}

/* configs/beam_on_stop.yaml up to the fourth impact. */
static const char *const beam = "bodies:\n"
                                "  beam:\n"
                                "    type: beam\n"
                                "    mesh: {line: {from: [0, 0, 0], to: [300 mm, 0, 0], elements: 12}}\n"
                                "    material: {density: 7850 kg/m^3, young: 210 GPa}\n"
                                "    section: {rectangle: {width: 20 mm, height: 5 mm}}\n"
                                "    theory: euler_bernoulli\n"
                                "    mass: redistributed\n"
                                "    damping: {rayleigh: {mass: 5 1/s, stiffness: 0.5 us}}\n"
                                "supports: {clamp: {at: beam.left}}\n"
                                "loads: {blow: {at: beam.right, force: [0, -200 N, 100 N], time: {pulse: {duration: 5 ms}}}}\n"
                                "contacts:\n"
                                "  stop: {between: [beam.right, {plane: {point: [0, -2 mm, 0], normal: [0, 1, 0]}}], friction: 0.2}\n"
                                "scheme: {type: massless_contact, step: 0.5 us}\n"
                                "time: {end: 10 ms}\n";

typedef struct {
  PetscReal first, impulse, y[3], z[3], friction; /* of contact, s; of reactions, N s; tip at 3, 5, 10 ms; J */
} BeamFigures;

static BeamFigures run_beam(const char *const *set)
{
  TestRun     test = test_run_open(beam, set);
  NsRun      *run  = test.run;
  BeamFigures f    = {0};
  int         at   = 0;

  while (test_runs(run)) {
    static const PetscReal times[] = {3e-3, 5e-3, 10e-3, 1};
    test_step(run);
    const NsContactReport *report = &NsContactReports(run->contact)[0];
    f.impulse += report->force[0] * run->step + report->impulse[0];
    if (f.first == 0 && report->state != NS_OPEN) f.first = run->state.t;
    if (run->state.t >= times[at] - 1e-9) {
      f.y[at]   = probe(run, "beam.right", 1);
      f.z[at++] = probe(run, "beam.right", 2);
    }
  }
  f.friction = run->ledger.friction;
  CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
  print_message("  first %.5f ms, impulse %.5f N s, y %.4f %.4f %.4f mm, z %.4f %.4f %.4f mm, friction %.5f J, numerical %.1e\n", f.first * 1e3,
    f.impulse, 1e3 * f.y[0], 1e3 * f.y[1], 1e3 * f.y[2], 1e3 * f.z[0], 1e3 * f.z[1], 1e3 * f.z[2], f.friction, run->ledger.numerical);
  test_run_close(&test);
  return f;
}

static void beam_rubs_on_its_stop(void **state)
{
  static const char *const fine[] = {
    "bodies.beam.mesh.line.elements=24", "scheme={type: moreau_jean, step: 0.5 us}", "bodies.beam.mass=consistent", NULL};
  static const char *const half[]   = {"bodies.beam.mesh.line.elements=24", "scheme.step=0.2 us", NULL};
  static const char *const lumped[] = {"scheme={type: half_explicit, step: 0.5 us}", "bodies.beam.mass=lumped", NULL};
  const BeamFigures        exact = run_beam(fine), h = run_beam(half), f = run_beam(NULL), g = run_beam(lumped);

  (void)state;
  assert_near(exact.first, 1.485e-3, 0.6e-6);
  assert_near(f.first, exact.first, 0.02 * exact.first);
  assert_near(h.first, exact.first, 0.005 * exact.first); /* of second order in the length of elements */
  assert_near(f.impulse, exact.impulse, 0.006 * exact.impulse);
  assert_true(PetscAbsReal(f.impulse - exact.impulse) < PetscAbsReal(g.impulse - exact.impulse) / 4);
  assert_near(f.friction, exact.friction, 0.09 * exact.friction);
  assert_near(h.friction, exact.friction, 0.04 * exact.friction);
  assert_near(f.y[2], exact.y[2], 0.04 * exact.y[2]); /* lumped: 12 % */
  for (int k = 0; k < 3; k++) {
    assert_near(f.z[k], exact.z[k], 0.1e-3);
    assert_near(h.z[k], exact.z[k], 0.08e-3);
  }
}

/* configs/rotor_in_safety_bearing.yaml with ten lumped elements, up to 60 ms: a journal in a ring on a mount. */
static const char *const rotor =
  "gravity: [0, 0, -9.81]\n"
  "bodies:\n"
  "  shaft:\n"
  "    type: rotor\n"
  "    mesh: {line: {from: [0, 0, 0], to: [590 mm, 0, 0], elements: 10}, nodes: {wheel: 236 mm}}\n"
  "    material: {density: 7850 kg/m^3, young: 210 GPa, shear_modulus: 81 GPa}\n"
  "    section: {circle: {radius: 12.5 mm}}\n"
  "    theory: euler_bernoulli\n"
  "    mass: redistributed\n"
  "    damping: {rayleigh: {mass: 60 1/s}, torsion: 0.01 N m s}\n"
  "    spin: {free: 0 rpm}\n"
  "  housing: {type: rigid, at: [0, 0, 0], mass: 2.3 kg, inertia: [0.007, 1e-4, 1e-4], radius: 55 mm}\n"
  "discs:\n"
  "  flywheel: {at: shaft.wheel, mass: 4.98 kg, polar_inertia: 0.01, diametral_inertia: 0.006}\n"
  "  journal: {at: shaft.left, mass: 20 g, polar_inertia: 1e-6, diametral_inertia: 1e-6}\n"
  "bearings:\n"
  "  mount: {between: [housing.center, ground], stiffness: 1 MN/m, damping: 10 N s/m, rotational_stiffness: 1e6, rotational_damping: 10}\n"
  "  drive: {between: [shaft.right, ground], stiffness: 6 MN/m, damping: 10 N s/m}\n"
  "loads:\n"
  "  drive: {at: shaft.right, moment: [100 N m, 0, 0], time: {step: {end: 50 ms}}}\n"
  "  failure: {at: shaft.right, moment: [0, 0, 10 N m], rotating: true}\n"
  "contacts:\n"
  "  rub:\n"
  "    between: [{node: shaft.left, radius: 10 mm}, {cylinder: {on: housing.center, axis: [1, 0, 0], radius: 10.1 mm, side: inside}}]\n"
  "    friction: 0.01\n"
  "scheme: {type: massless_contact, step: 2 us}\n"
  "time: {end: 60 ms}\n";

typedef struct {
  PetscReal  first, closed, deepest, off, impulse, friction; /* s; part of the steps; m; largest |gap| while pressed, m; N s; J */
  PetscInt64 impulsive;
} RotorFigures;

static RotorFigures run_rotor(const char *const *set)
{
  TestRun      test = test_run_open(rotor, set);
  NsRun       *run  = test.run;
  RotorFigures f    = {0};

  while (test_runs(run)) {
    f.impulsive += test_step(run).impulsive ? 1 : 0;
    const NsContactReport *report = &NsContactReports(run->contact)[0];
    if (f.first == 0 && report->state != NS_OPEN) f.first = run->state.t;
    if (report->force[0] > 0) f.off = PetscMax(f.off, PetscAbsReal(report->gap));
    f.closed += (report->state != NS_OPEN ? 1.0 : 0.0) / (PetscReal)run->steps;
    f.deepest = PetscMax(f.deepest, -report->gap);
    f.impulse += report->force[0] * run->step + report->impulse[0];
  }
  CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
  f.friction = run->ledger.friction;
  print_message("  first %.4f ms, closed %.4f, impulsive %d, deepest %.1e m, |gap| %.1e m, impulse %.4f N s, friction %.5f J, numerical %.1e J\n",
    1e3 * f.first, f.closed, (int)f.impulsive, f.deepest, f.off, f.impulse, f.friction, run->ledger.numerical);
  test_run_close(&test);
  return f;
}

static void journal_rubs_in_its_ring(void **state)
{
  static const char *const half[]   = {"scheme.step=1 us", NULL};
  static const char *const lumped[] = {"scheme={type: half_explicit, step: 2 us}", "bodies.shaft.mass=lumped", NULL};
  const RotorFigures       f = run_rotor(NULL), h = run_rotor(half), g = run_rotor(lumped);

  (void)state;
  assert_int_equal(f.impulsive, 0);
  assert_true(g.impulsive > 10 && g.deepest > 5e-8); /* it would have impacts */
  assert_true(f.off < 1e-16 && f.deepest < 1e-16);
  assert_near(f.first, g.first, 0.02 * g.first);
  assert_true(f.closed > 0.6);
  assert_near(f.impulse, g.impulse, 3e-3 * g.impulse);
  assert_near(f.impulse, h.impulse, 1e-3 * h.impulse);
  assert_near(f.friction, g.friction, 5e-3 * g.friction);
  assert_near(f.friction, h.friction, 1.5e-3 * h.friction);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(bar_of_50),
  cmocka_unit_test(bar_of_1000),
  cmocka_unit_test(bars_converge),
  cmocka_unit_test(two_bars_meet),
  cmocka_unit_test(momentum_is_that_of_the_reactions),
  cmocka_unit_test(ledger_closes_with_the_step),
  cmocka_unit_test(frame_slides_to_rest),
  cmocka_unit_test(step_limit_holds_in_contact),
  cmocka_unit_test(step_limit_between_bodies),
  cmocka_unit_test(beam_rubs_on_its_stop),
  cmocka_unit_test(journal_rubs_in_its_ring),
};
TEST_MAIN(tests)
