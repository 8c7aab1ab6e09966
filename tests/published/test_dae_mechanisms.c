/*
  The smooth solvers of the event-driven schemes on both mechanisms of their paper, whole runs with steps of one length: orders, errors, what each holds.

  [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and bilateral
  constraints, 3. The slider-crank with two joints for 2 s (its other figures: test_slider_crank_two_joints.c), the block on its left corner for 0.5 s
  (test_rocking_block.c); no event in either. The paper has no errors; those of HEM5 on the block are an independent computation's.
*/
#include "support.h"
#include <math.h>
#include "crank_motion.h"

enum { HEM5, RKF45, ALPHA, ALPHA_FREE, SOLVERS };

static const char *const schemes[]    = {"event_driven_hem5", "event_driven_rkf45", "event_driven_alpha", "event_driven_alpha, rates: free"};
static const PetscReal   order_from[] = {4.8, 3.85, 1.95, 1.95}, order_to[] = {5.1, 4.1, 2.05, 2.05};

/* A mechanism, held at its first contacts. */
typedef struct {
  const char *body;
  PetscReal   end;
  int         held, first[SOLVERS]; /* contacts held; numbers of steps from which errors go with their order */
} Mechanism;

static const Mechanism crank = {"type: slider_crank_two_joints", 2, 2, {320, 1280, 320, 320}};
static const Mechanism block = {
  "type: rocking_block, contact: {restitution: 0}, initial: {x: 0.033493649053890406, y: 0.5580127018922193, theta: 60 deg}", 0.5, 1,
  {40, 40, 40, 40}};

typedef struct {
  PetscReal y[6];      /* q, v at the end */
  PetscReal gap, rate; /* the largest of what is held, in any step */
} Motion;

static void end_of(const NsRun *run, Motion *m)
{
  const PetscScalar *a;

  for (int kind = 0; kind < 2; kind++) {
    Vec from = kind ? run->state.v : run->state.q;
    CHECK(VecGetArrayRead(from, &a));
    for (int i = 0; i < 3; i++) m->y[3 * kind + i] = a[i];
    CHECK(VecRestoreArrayRead(from, &a));
  }
}

static Motion move(const Mechanism *mechanism, int solver, int steps)
{
  char   text[512];
  Motion m = {{0}, 0, 0};

  (void)snprintf(text, sizeof(text), "gravity: [0, -9.81, 0]\nbodies: {it: {%s}}\nscheme: {type: %s, step: %.17g, tolerance: 0}\ntime: {end: %g}\n",
    mechanism->body, schemes[solver], mechanism->end / steps, mechanism->end);
  TestRun test = test_run_open(text, NULL);
  NsRun  *run  = test.run;
  while (test_runs(run)) {
    test_step(run);
    for (int k = 0; k < mechanism->held; k++) {
      m.gap  = PetscMax(m.gap, PetscAbsReal(NsContactReports(run->contact)[k].gap));
      m.rate = PetscMax(m.rate, PetscAbsReal(NsContactReports(run->contact)[k].gap_rate));
    }
  }
  assert_int_equal(run->figures.steps, steps);
  end_of(run, &m);
  test_run_close(&test);
  return m;
}

static PetscReal distance(const Motion *a, const Motion *b)
{
  PetscReal sum = 0;

  for (int i = 0; i < 6; i++) sum += PetscSqr(a->y[i] - b->y[i]);
  return PetscSqrtReal(sum);
}

/* HEM5 velocities, alpha positions to rounding, and with a projection both; RKF45 neither. */
static void check_drift(int solver, const Motion *m)
{
  if (solver == HEM5 || solver == ALPHA)
    assert_true(m->rate <= 1e-14);
  else
    assert_true(m->rate > 1e-12);
  if (solver == ALPHA || solver == ALPHA_FREE) assert_true(m->gap <= 1e-12);
  if (solver == RKF45) assert_true(m->gap > 1e-12);
}

static void check_orders(const Mechanism *mechanism, const Motion *exact)
{
  for (int s = 0; s < SOLVERS; s++) {
    PetscReal last = 0;
    for (int k = 0; k < 3; k++) {
      const int       steps = mechanism->first[s] << k;
      const Motion    m     = move(mechanism, s, steps);
      const PetscReal error = distance(&m, exact), order = PetscLog2Real(last / error);
      print_message("  %s: %5d steps, error %.3e, order %.3f, gap %.1e m, rate %.1e m/s\n", schemes[s], steps, error, k ? order : 0, m.gap, m.rate);
      if (k > 0 && !(order >= order_from[s] && order <= order_to[s])) fail_msg("order %g of %s with %d steps", order, schemes[s], steps);
      check_drift(s, &m);
      last = error;
    }
  }
}

/* The reference is HEM5 too; where the crank is after 2 s follows from its energy. */
static void orders_of_the_crank(void **state)
{
  static const CrankSizes sizes  = {1, 2, 1, 1, 1, 1.0 / 12, 4.0 / 12};
  const PetscReal         energy = 64.0 / 3, a = crank_advance(&sizes, energy, 0, 2, 20000), b = crank_rod(&sizes, a);
  const Motion            exact = move(&crank, HEM5, 10240);

  (void)state;
  assert_near(exact.y[0], a, 1e-9);
  assert_near(exact.y[1], b, 1e-9);
  assert_near(exact.y[2], sizes.l1 * PetscCosReal(a) + sizes.l2 * PetscCosReal(b), 1e-9);
  assert_near(exact.y[3], crank_speed(&sizes, a, energy), 1e-8);
  check_orders(&crank, &exact);
}

static void orders_of_the_block(void **state)
{
  const Motion exact = move(&block, HEM5, 2560);

  (void)state;
  check_orders(&block, &exact);
}

/* The last error is rounding by a tenth, that of both references. */
static void errors_of_the_block(void **state)
{
  static const PetscReal error[] = {2.16e-07, 7.39e-09, 2.42e-10, 7.73e-12, 2.47e-13};
  const Motion           exact   = move(&block, HEM5, 2560);

  (void)state;
  for (int k = 0; k < 5; k++) {
    const Motion m = move(&block, HEM5, 20 << k);
    assert_near(distance(&m, &exact) / error[k], 1, k < 4 ? 0.02 : 0.2);
  }
}

/* ---- work ---- */

#define TOLERANCES 5 /* absolute, as in [E]: 1e-2, 1e-4 ... 1e-10 */

typedef struct {
  PetscReal error, work; /* at the end; evaluations of F, G and G_q and linear equations, as in Table 2 of [E] */
} Effort;

static void spend(const Mechanism *mechanism, int solver, const Motion *exact, Effort effort[TOLERANCES])
{
  static const PetscReal a_step[] = {26, 30}; /* of those tried */

  for (int k = 0; k < TOLERANCES; k++) {
    char      text[512];
    NsCounter list[NS_COUNTERS];
    Motion    m = {{0}, 0, 0};
    (void)snprintf(text, sizeof(text),
      "gravity: [0, -9.81, 0]\nbodies: {it: {%s}}\nscheme: {type: %s, step: %g, tolerance: 0, absolute_tolerance: 1e-%d}\ntime: {end: %g}\n",
      mechanism->body, schemes[solver], mechanism->end, 2 * k + 2, mechanism->end);
    TestRun test = test_run_open(text, NULL);
    while (test_runs(test.run)) test_step(test.run);
    end_of(test.run, &m);
    const PetscInt counters = test.run->scheme->type->count(test.run->scheme, list);
    for (PetscInt i = 0; i < counters; i++) {
      if (!strcmp(list[i].name, "steps_tried")) effort[k].work = a_step[solver] * (PetscReal)list[i].value;
    }
    effort[k].error = distance(&m, exact);
    test_run_close(&test);
  }
}

/* Between two tolerances work goes with a power of the error. */
static PetscReal work_at(const Effort effort[TOLERANCES], PetscReal error)
{
  int k = 1;

  while (k < TOLERANCES - 1 && effort[k].error > error) k++;
  const PetscReal part = PetscLogReal(error / effort[k - 1].error) / PetscLogReal(effort[k].error / effort[k - 1].error);
  return effort[k - 1].work * PetscPowReal(effort[k].work / effort[k - 1].work, part);
}

/* [E]: HEM5 needs less work than RKF45; at the same error, that is: at the same tolerance it needs more, and is nearer. */
static void hem5_beats_rkf45_at_the_same_error(void **state)
{
  static const Mechanism *const both[] = {&crank, &block};

  (void)state;
  for (int i = 0; i < 2; i++) {
    Effort       hem5[TOLERANCES], rkf45[TOLERANCES];
    int          compared = 0, dearer = 0;
    const Motion exact = move(both[i], HEM5, i ? 2560 : 10240);
    spend(both[i], HEM5, &exact, hem5);
    spend(both[i], RKF45, &exact, rkf45);
    for (int k = 0; k < TOLERANCES; k++) {
      dearer += hem5[k].work > rkf45[k].work;
      if (rkf45[k].error > hem5[0].error || rkf45[k].error < hem5[TOLERANCES - 1].error) continue;
      const PetscReal factor = rkf45[k].work / work_at(hem5, rkf45[k].error);
      print_message("  %s: tolerance 1e-%d, errors %.1e and %.1e, work %.0f and %.0f; rkf45 costs %.2f times as much for %.1e\n",
        i ? "block" : "crank", 2 * k + 2, hem5[k].error, rkf45[k].error, hem5[k].work, rkf45[k].work, factor, rkf45[k].error);
      assert_true(factor > 1.2 && factor < 4);
      compared++;
    }
    assert_true(compared >= 3 && dearer >= 3);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(orders_of_the_crank),
  cmocka_unit_test(orders_of_the_block),
  cmocka_unit_test(errors_of_the_block),
  cmocka_unit_test(hem5_beats_rkf45_at_the_same_error),
};
TEST_MAIN(tests)
