/*
  The smooth solvers of the event loop: coefficients, orders, what each holds, control of steps, friction and redundant rows against closed forms.

  [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and bilateral
  constraints.
*/
#include "support.h"
#include "count_calls.h"
#include <math.h>
#include "dae/dae.h"
#include "dae/hem5_tableau.h"
#include "dae/rkf45_tableau.h"
#include "hem5_published.h"
#include "mechanism/dense.h"

static const NsDaeMethod *const methods[]    = {&NsDaeMethod_Hem5, &NsDaeMethod_Rkf45, &NsDaeMethod_GeneralisedAlpha};
static const PetscReal          order_from[] = {4.8, 3.85, 1.95}, order_to[] = {5.1, 4.1, 2.05};
enum { HEM5, RKF45, ALPHA, METHODS };

/* ---- coefficients -------------------------------------------------------------------------------------------------------------------------------- */

/* An explicit method as far as its coefficients go. */
typedef struct {
  int           stages;
  const double *c, *b;
  double        a[NS_DAE_STAGES][NS_DAE_STAGES];
} Tableau;

/* y = a x */
static void through(const Tableau *t, const double *x, double *y)
{
  for (int i = 0; i < t->stages; i++) {
    y[i] = 0;
    for (int j = 0; j < t->stages; j++) y[i] += t->a[i][j] * x[j];
  }
}

static void product(const Tableau *t, const double *x, const double *y, double *xy)
{
  for (int i = 0; i < t->stages; i++) xy[i] = x[i] * y[i];
}

/* |sum b_i x_i - 1/gamma| */
static double miss(const Tableau *t, const double *x, double gamma)
{
  double sum = 0;

  for (int i = 0; i < t->stages; i++) sum += t->b[i] * x[i];
  return fabs(sum - 1 / gamma);
}

/* The largest residual of the conditions of all rooted trees up to the order, 5 at most. */
static double order_residual(const Tableau *t, int order)
{
  enum { ONE, C, C2, AC, C3, C_AC, AC2, AAC, C4, C2_AC, AC_AC, C_AC2, AC3, C_AAC, A_C_AC, AAC2, AAAC, TREES };
  static const double gamma[TREES] = {1, 2, 3, 6, 4, 8, 12, 24, 5, 10, 20, 15, 20, 30, 40, 60, 120};
  static const int    trees[]      = {0, 1, 2, 4, 8, TREES};
  double              x[TREES][NS_DAE_STAGES], worst = 0;

  for (int i = 0; i < t->stages; i++) x[ONE][i] = 1;
  through(t, x[ONE], x[C]);
  product(t, x[C], x[C], x[C2]);
  product(t, x[C], x[C2], x[C3]);
  product(t, x[C], x[C3], x[C4]);
  through(t, x[C], x[AC]);
  through(t, x[C2], x[AC2]);
  through(t, x[C3], x[AC3]);
  through(t, x[AC], x[AAC]);
  through(t, x[AC2], x[AAC2]);
  through(t, x[AAC], x[AAAC]);
  product(t, x[C], x[AC], x[C_AC]);
  product(t, x[C2], x[AC], x[C2_AC]);
  product(t, x[AC], x[AC], x[AC_AC]);
  product(t, x[C], x[AC2], x[C_AC2]);
  product(t, x[C], x[AAC], x[C_AAC]);
  through(t, x[C_AC], x[A_C_AC]);
  for (int k = 0; k < trees[order]; k++) worst = fmax(worst, miss(t, x[k], gamma[k]));
  return worst;
}

/* Times of the stages are sums of their rows. */
static double time_residual(const Tableau *t)
{
  double one[NS_DAE_STAGES], c[NS_DAE_STAGES], worst = 0;

  for (int i = 0; i < t->stages; i++) one[i] = 1;
  through(t, one, c);
  for (int i = 0; i < t->stages; i++) worst = fmax(worst, fabs(c[i] - t->c[i]));
  return worst;
}

static void coefficients_of_rkf45(void **state)
{
  Tableau t = {NS_RKF45_STAGES, ns_rkf45_c, ns_rkf45_b, {{0}}};

  (void)state;
  for (int i = 0; i < NS_RKF45_STAGES; i++) {
    for (int j = 0; j < i; j++) t.a[i][j] = ns_rkf45_a[i][j];
  }
  assert_near(time_residual(&t), 0, 1e-15);
  assert_near(order_residual(&t, 4), 0, 1e-15);
  assert_true(order_residual(&t, 5) > 1e-4);
  t.b = ns_rkf45_b5;
  assert_near(order_residual(&t, 5), 0, 1e-15);
}

/*
  Forces come from the velocities of the next stage. Where W_u' v = t^m is prescribed they are k with sum_{j<=i} a_{i+1,j} k_j = c_{i+1}^m, and what they do to others must be
  right, too:  sum b_i c_i^l k_i = m/(m + l),  sum b_i a_ij k_j = 1/(m + 1).
*/
static double half_explicit_residual(const Tableau *t)
{
  double worst = 0;

  for (int m = 1; m <= 5; m++) {
    double k[NS_HEM5_STAGES], x[NS_HEM5_STAGES];
    for (int i = 0; i < NS_HEM5_STAGES; i++) {
      k[i] = pow(ns_hem5_c[i + 1], m);
      for (int j = 0; j < i; j++) k[i] -= ns_hem5_a[i + 1][j] * k[j];
      k[i] /= ns_hem5_a[i + 1][i];
    }
    through(t, k, x);
    if (m < 5) worst = fmax(worst, miss(t, x, m + 1));
    for (int l = 0; l + m <= 5; l++) {
      for (int i = 0; i < NS_HEM5_STAGES; i++) x[i] = k[i] * pow(ns_hem5_c[i], l);
      worst = fmax(worst, miss(t, x, (m + l) / (double)m));
    }
  }
  return worst;
}

/* The 16 digits of the source leave 1.6e-13 in the time of stage 8, and rounding elsewhere. */
static void coefficients_of_hem5(void **state)
{
  const double c[NS_HEM5_DENSE] = {ns_hem5_c[3], ns_hem5_c[4], ns_hem5_c[5], ns_hem5_c[6], ns_hem5_c[7], ns_hem5_c10};
  Tableau      t                = {NS_HEM5_STAGES, ns_hem5_c, ns_hem5_a[NS_HEM5_STAGES], {{0}}};

  (void)state;
  for (int i = 0; i < NS_HEM5_STAGES; i++) {
    for (int j = 0; j < i; j++) t.a[i][j] = ns_hem5_a[i][j];
  }
  assert_near(time_residual(&t), 0, 2e-13);
  assert_near(order_residual(&t, 5), 0, 1e-13);
  assert_near(half_explicit_residual(&t), 0, 1e-13);
  for (double s = 0.125; s <= 1; s += 0.125) {
    for (int power = 0; power < 4; power++) {
      double sum = 0;
      for (int i = 0; i < NS_HEM5_DENSE; i++)
        sum += s * (ns_hem5_dense[0][i] + s * (ns_hem5_dense[1][i] + s * (ns_hem5_dense[2][i] + s * ns_hem5_dense[3][i]))) * pow(c[i], power);
      assert_near(sum, pow(s, power + 1) / (power + 1), 1e-13);
    }
  }
}

/* To the bit those of another reading of the authors' program. */
static void coefficients_of_hem5_as_published(void **state)
{
  (void)state;
  assert_memory_equal(ns_hem5_c, published_c, sizeof(published_c));
  assert_memory_equal(ns_hem5_a, published_a, sizeof(published_a));
  assert_memory_equal(ns_hem5_a[NS_HEM5_STAGES], published_b, sizeof(published_b));
  assert_near(ns_hem5_c10, published_c10, 0);
  assert_memory_equal(ns_hem5_a10, published_a10, sizeof(published_a10));
  assert_memory_equal(ns_hem5_dense, published_dense, sizeof(published_dense));
}

/* ---- a block ------------------------------------------------------------------------------------------------------------------------------------- */

/*
  The block of [E] 3.1.2, in the x-y plane, q = (x, y, theta), m = 1, on the corners (-L/2, -l/2) and (L/2, -l/2) of its own frame: gaps y + r_y, rows (0, 1, r_x) and (1, 0, -r_y),
  where r is where the corner is from the middle. Contact 1 is contact 0 once more; contact 3 is a wall at x = 0.1 sin 5 t that moves by itself. The ground moves along x with
  the velocity `belt` + sin 3 t where belt is not 0.

  It takes the place of the slider-crank's functions in a run, which has as many coordinates and contacts.
*/
#define L 1.0
#define l 0.5
enum { LEFT, TWIN, RIGHT, WALL };

static double belt, twin_rises; /* m/s */

static double length(const NsMechanismCase *c)
{
  (void)c;
  return L;
}

static void mass(const NsMechanismCase *c, const double *q, double *M)
{
  (void)c;
  (void)q;
  M[0] = M[4] = 1;
  M[8]        = (L * L + l * l) / 12;
}

static void force(const NsMechanismCase *c, double t, const double *q, const double *v, double *h)
{
  (void)t;
  (void)q;
  (void)v;
  h[0] = c->gravity[0];
  h[1] = c->gravity[1];
}

static void corner(const double *q, int contact, double r[2])
{
  const double x = contact == RIGHT ? L / 2 : -L / 2, y = -l / 2;

  r[0] = x * cos(q[2]) - y * sin(q[2]);
  r[1] = x * sin(q[2]) + y * cos(q[2]);
}

static void contact(const NsMechanismCase *c, double t, const double *q, double *g, double *W, double *drive)
{
  (void)c;
  for (int k = LEFT; k <= RIGHT; k++) {
    double r[2], *w = W + 6 * k;
    corner(q, k, r);
    g[k]             = q[1] + r[1];
    w[1]             = 1;
    w[2]             = r[0];
    w[3]             = 1;
    w[5]             = -r[1];
    drive[2 * k + 1] = belt != 0 ? -belt - sin(3 * t) : 0;
  }
  drive[2 * TWIN] = -twin_rises;
  g[WALL]         = q[0] - 0.1 * sin(5 * t);
  W[6 * WALL]     = 1;
  drive[2 * WALL] = -0.5 * cos(5 * t);
  W[6 * WALL + 4] = 1;
}

static void rowrate(const NsMechanismCase *c, double t, const double *q, const double *v, double *d)
{
  (void)c;
  for (int k = LEFT; k <= RIGHT; k++) {
    double r[2];
    corner(q, k, r);
    d[2 * k]     = -r[1] * v[2] * v[2];
    d[2 * k + 1] = -r[0] * v[2] * v[2] - (belt != 0 ? 3 * cos(3 * t) : 0);
  }
  d[2 * TWIN] += twin_rises;
  d[2 * WALL] = 2.5 * sin(5 * t);
}

static const NsMechanismCoordinate coordinates[] = {
  {"x", "vx", {1, 0, 0, 0}, "0", "0"}, {"y", "vy", {1, 0, 0, 0}, "0", "0"}, {"theta", "omega", {0, 0, 0, 1}, "0", "0"}, {0}};
static const NsMechanism block = {.coordinates = coordinates, .length = length, .mass = mass, .force = force, .contact = contact, .rowrate = rowrate};

#define MOST 64 /* unknowns */

/* A model to try, and where it starts. */
typedef struct {
  TestRun   test;
  PetscInt  n;
  double    start[2 * MOST]; /* q, v */
  PetscReal end;
} Trial;

#define SCHEME "scheme: {type: half_explicit, step: 10 us}\ntime: {end: 20 ms}\n"

static void set_state(const Trial *trial, const double *y, NsState *x)
{
  PetscScalar *a;

  CHECK(VecGetArray(x->q, &a));
  for (PetscInt i = 0; i < trial->n; i++) a[i] = y[i];
  CHECK(VecRestoreArray(x->q, &a));
  CHECK(VecGetArray(x->v, &a));
  for (PetscInt i = 0; i < trial->n; i++) a[i] = y[trial->n + i];
  CHECK(VecRestoreArray(x->v, &a));
}

static void get_state(const Trial *trial, Vec q, Vec v, double *y)
{
  const PetscScalar *a;

  CHECK(VecGetArrayRead(q, &a));
  for (PetscInt i = 0; i < trial->n; i++) y[i] = a[i];
  CHECK(VecRestoreArrayRead(q, &a));
  CHECK(VecGetArrayRead(v, &a));
  for (PetscInt i = 0; i < trial->n; i++) y[trial->n + i] = a[i];
  CHECK(VecRestoreArrayRead(v, &a));
}

static Trial open_block(const char *gravity, double x, double y, double theta)
{
  char  text[512];
  Trial trial = {.n = 3, .start = {x, y, theta}, .end = 0.5};

  belt = twin_rises = 0;
  (void)snprintf(
    text, sizeof(text), "gravity: %s\nbodies: {crank: {type: slider_crank, contact: {restitution: 0.4, friction: 0.3}}}\n" SCHEME, gravity);
  trial.test     = test_run_open(text, NULL);
  NsDense *dense = trial.test.run->model->data;
  dense->m       = &block;
  dense->known   = PETSC_FALSE;
  return trial;
}

/* On its left corner, as in [E]. */
static Trial open_tilted_block(void)
{
  const double a = PETSC_PI / 3;

  return open_block("[0, -9.81, 0]", 0.5 * L * cos(a) - 0.5 * l * sin(a), 0.5 * L * sin(a) + 0.5 * l * cos(a), a);
}

static Trial open_crank(void)
{
  Trial trial = {.n = 2, .start = {0, 0, 150, -75}, .end = 0.02};

  trial.test = test_run_open("gravity: [0, -9.81, 0]\nbodies: {crank: {type: slider_crank_bilateral}}\n" SCHEME, NULL);
  return trial;
}

/* ---- solvers in a loop ----------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  NsDae       *dae;
  NsWorkspace *work; /* of dae */
  NsState      x;
} Motion;

static Motion begin(const Trial *trial, const NsDaeMethod *method, PetscReal tolerance, const NsHeld *held)
{
  Motion    motion = {.x = {0, NULL, NULL}};
  PetscBool done;

  CHECK(NsVecsCreate(trial->test.run->model, &motion.x.q, &motion.x.v, NULL));
  set_state(trial, trial->start, &motion.x);
  CHECK(NsWorkspaceCreate(trial->test.run->model, trial->test.run->contact, &motion.work));
  CHECK(NsDaeCreate(method, trial->test.run->contact, motion.work, &motion.dae));
  motion.dae->absolute = tolerance;
  CHECK(NsDaeHold(motion.dae, held));
  CHECK(NsDaeRestart(motion.dae, &motion.x, &done));
  assert_true(done);
  return motion;
}

static void end(Motion *motion)
{
  CHECK(NsWorkspaceDestroy(&motion->work));
  CHECK(NsVecsDestroy(&motion->x.q, &motion->x.v, NULL));
}

static void take(Motion *motion)
{
  motion->x.t += motion->dae->h;
  CHECK(NsDaeAccept(motion->dae));
  NsStateSwap(&motion->x, &motion->dae->q1, &motion->dae->v1);
}

static void try_exactly(Motion *motion, PetscReal h)
{
  PetscBool done;

  CHECK(NsDaeTryExactly(motion->dae, &motion->x, h, &done));
  if (!done) fail_msg("%s at t = %g: %s", motion->dae->method->name, motion->x.t, motion->dae->reason);
}

/* What is left of what is held: gaps, and velocities. */
static void residuals(const Motion *motion, PetscReal t, Vec q, Vec v, PetscReal *gap, PetscReal *rate)
{
  NsDae    *dae = motion->dae;
  PetscReal g[4], u[8];

  CHECK(NsModelGap(dae->model, t, q, g));
  CHECK(NsDaeRows(dae, t, q, v, &dae->wu, &dae->wp));
  CHECK(NsRowsVelocity(dae->model, &dae->wu, v, u));
  for (PetscInt i = 0; i < dae->held.count; i++) *gap = fmax(*gap, fabs(g[dae->held.contact[i]]));
  for (PetscInt k = 0; k < dae->wu.rows; k++) *rate = fmax(*rate, fabs(u[k]));
}

/* So many steps to the end, into y; *gap and *rate become the largest residuals on the way. */
static void go(const Trial *trial, const NsDaeMethod *method, const NsHeld *held, int steps, double *y, PetscReal *gap, PetscReal *rate)
{
  Motion motion = begin(trial, method, 0, held);

  *gap = *rate = 0;
  for (int i = 0; i < steps; i++) {
    motion.x.t = i * trial->end / steps;
    try_exactly(&motion, trial->end / steps);
    take(&motion);
    residuals(&motion, motion.x.t, motion.x.q, motion.x.v, gap, rate);
  }
  get_state(trial, motion.x.q, motion.x.v, y);
  end(&motion);
}

static double distance(const Trial *trial, const double *y, const double *z)
{
  double sum = 0;

  for (PetscInt i = 0; i < 2 * trial->n; i++) sum += (y[i] - z[i]) * (y[i] - z[i]);
  return sqrt(sum);
}

static PetscInt     left[]   = {LEFT};
static NsHoldKind   normal[] = {NS_HOLD_NORMAL};
static PetscReal    none[]   = {0};
static const NsHeld nothing = {0, NULL, NULL, NULL}, one = {1, left, normal, none};

/* Orders of all methods, from the last two of four numbers of steps, each twice the one before. */
static void check_orders(const Trial *trial, const NsHeld *held, const int first[METHODS], int reference)
{
  double    exact[2 * MOST], y[2 * MOST], error[4];
  PetscReal gap, rate;

  go(trial, &NsDaeMethod_Hem5, held, reference, exact, &gap, &rate);
  for (int m = 0; m < METHODS; m++) {
    for (int k = 0; k < 4; k++) {
      go(trial, methods[m], held, first[m] << k, y, &gap, &rate);
      error[k] = distance(trial, y, exact);
    }
    const double order = log2(error[2] / error[3]);
    if (!(order >= order_from[m] && order <= order_to[m])) fail_msg("order %g of %s: %g, %g", order, methods[m]->name, error[2], error[3]);
  }
}

static void orders_on_one_corner(void **state)
{
  static const int first[METHODS] = {20, 40, 40};
  Trial            trial          = open_tilted_block();

  (void)state;
  check_orders(&trial, &one, first, 2560);
  test_run_close(&trial.test);
}

static void orders_of_the_crank(void **state)
{
  static const int first[METHODS] = {40, 80, 320};
  Trial            trial          = open_crank();

  (void)state;
  check_orders(&trial, &one, first, 5120);
  check_orders(&trial, &nothing, first, 5120); /* a double pendulum */
  test_run_close(&trial.test);
}

/* Errors of HEM5 there, in an independent computation: 2-norm of (q, v) at 0.5 s. */
static void figures_of_the_block(void **state)
{
  static const double error[] = {2.16e-07, 7.39e-09, 2.42e-10, 7.73e-12};
  Trial               trial   = open_tilted_block();
  double              exact[6], y[6];
  PetscReal           gap, rate;

  (void)state;
  go(&trial, &NsDaeMethod_Hem5, &one, 2560, exact, &gap, &rate);
  for (int k = 0; k < 4; k++) {
    go(&trial, &NsDaeMethod_Hem5, &one, 20 << k, y, &gap, &rate);
    assert_near(distance(&trial, y, exact) / error[k], 1, 3e-3);
    assert_true(rate <= 1e-14);
  }
  go(&trial, &NsDaeMethod_GeneralisedAlpha, &one, 40, y, &gap, &rate);
  assert_true(gap <= 1e-15 && rate <= 1e-14);
  go(&trial, &NsDaeMethod_Rkf45, &one, 40, y, &gap, &rate);
  assert_true(gap > 1e-10 && rate > 1e-10); /* drifts */
  test_run_close(&trial.test);
}

/* A wall that moves as given pushes the block's middle, corners free: rows and drives of the stages' times. Forces there: m x'' = -2.5 sin 5 t. */
static void orders_at_a_moving_wall(void **state)
{
  static const int first[METHODS] = {10, 10, 20};
  PetscInt         wall[]         = {WALL};
  const NsHeld     held           = {1, wall, normal, none};
  Trial            trial          = open_block("[-2, -9.81, 0]", 0, 5, 0.3);
  double           y[6], error[4];
  PetscReal        gap, rate;

  (void)state;
  trial.start[3] = 0.5; /* with the wall */
  for (int m = 0; m < METHODS; m++) {
    for (int k = 0; k < 4; k++) {
      go(&trial, methods[m], &held, first[m] << k, y, &gap, &rate);
      error[k] = fabs(y[0] - 0.1 * sin(2.5)) + fabs(y[3] - 0.5 * cos(2.5));
    }
    if (m == HEM5) assert_true(rate <= 1e-14);
    if (m == ALPHA) assert_true(gap <= 1e-15);
    assert_true(log2(error[0] / error[1]) > order_from[m] - 0.5 || error[1] < 1e-14);
  }
  Motion    motion = begin(&trial, &NsDaeMethod_Rkf45, 0, &held);
  PetscBool done;
  CHECK(NsDaeForces(motion.dae, 0.3, motion.x.q, motion.x.v, motion.dae->ev, &done));
  assert_true(done);
  assert_near(motion.dae->lambda[0], 2 - 2.5 * sin(1.5), 1e-14);
  end(&motion);
  test_run_close(&trial.test);
}

/* Largest error of looks between the steps, at 1/4, 1/2, 3/4 of each. */
static double dense_error(const Trial *trial, const NsDaeMethod *method, int steps, int reference, const double (*exact)[6], PetscReal *rate)
{
  Motion    motion = begin(trial, method, 0, &one);
  Vec       q, v;
  double    y[6], worst = 0;
  PetscReal gap = 0;

  CHECK(NsVecsCreate(trial->test.run->model, &q, &v, NULL));
  *rate = 0;
  for (int i = 0; i < steps; i++) {
    motion.x.t = i * trial->end / steps;
    try_exactly(&motion, trial->end / steps);
    for (int part = 0; part <= 4; part++) {
      CHECK(NsDaeInterpolate(motion.dae, &motion.x, part / 4.0, q, v));
      get_state(trial, q, v, y);
      worst = fmax(worst, distance(trial, y, exact[(4 * i + part) * (reference / steps / 4)]));
      residuals(&motion, motion.x.t + part / 4.0 * motion.dae->h, q, v, &gap, rate);
    }
    take(&motion);
  }
  CHECK(NsVecsDestroy(&q, &v, NULL));
  end(&motion);
  return worst;
}

static void dense_output(void **state)
{
  static const PetscReal order[METHODS] = {4, 4, 2};
  enum { REFERENCE = 640 };
  static double exact[REFERENCE + 1][6];
  Trial         trial = open_tilted_block();
  PetscReal     rate;

  (void)state;
  Motion motion = begin(&trial, &NsDaeMethod_Hem5, 0, &one);
  memcpy(exact[0], trial.start, sizeof(exact[0]));
  for (int i = 0; i < REFERENCE; i++) {
    try_exactly(&motion, trial.end / REFERENCE);
    take(&motion);
    get_state(&trial, motion.x.q, motion.x.v, exact[i + 1]);
  }
  end(&motion);
  for (int m = 0; m < METHODS; m++) {
    const double coarse = dense_error(&trial, methods[m], 20, REFERENCE, exact, &rate),
                 fine   = dense_error(&trial, methods[m], 40, REFERENCE, exact, &rate);
    if (!(log2(coarse / fine) > order[m] - 0.15)) fail_msg("method %d: errors %g and %g, order %g", m, coarse, fine, log2(coarse / fine));
    if (m == HEM5) assert_true(rate <= 1e-14);
  }
  test_run_close(&trial.test);
}

/* ---- friction and dependent rows -------------------------------------------------------------------------------------------------------------------- */

/*
  Flat on the ground and sliding: both corners slip. With N = m g_n together, x'' = g_x - sense mu g_n, and the moment of the friction about the middle makes
  N_right - N_left = sense mu N l/L.
*/
static void slip_on_an_incline(void **state)
{
  PetscInt     corners[] = {LEFT, RIGHT};
  NsHoldKind   slip[]    = {NS_HOLD_SLIP, NS_HOLD_SLIP};
  Trial        trial     = open_block("[6, -8, 0]", 0, l / 2, 0);
  const double mu = 0.3, N = 8;
  double       y[6];
  PetscReal    gap, rate;
  PetscBool    done;

  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    PetscReal    sense[] = {side, side};
    const NsHeld held    = {2, corners, slip, sense};
    trial.start[3]       = 5 * side;
    Motion motion        = begin(&trial, &NsDaeMethod_Rkf45, 0, &held);
    CHECK(NsDaeForces(motion.dae, 0, motion.x.q, motion.x.v, motion.dae->ev, &done));
    assert_int_equal(motion.dae->wp.rows, 2);
    assert_near(motion.dae->lambda[0], N / 2 - side * mu * N * l / L / 2, 1e-13);
    assert_near(motion.dae->lambda[1], N / 2 + side * mu * N * l / L / 2, 1e-13);
    end(&motion);
    for (int m = 0; m < METHODS; m++) {
      go(&trial, methods[m], &held, 10, y, &gap, &rate);
      const double a = 6 - side * mu * N, expected[] = {5 * side * 0.5 + a / 8, l / 2, 0, 5 * side + a / 2, 0, 0};
      assert_near(distance(&trial, y, expected), 0, 2e-14);
      assert_true(gap < 1e-14 && rate < 1e-14);
    }
  }
  test_run_close(&trial.test);
}

/*
  Both corners, and the left one twice, stick to a ground that moves: six equations for three unknowns. x' = belt + sin 3 t, and the forces carry the block along, however they are
  shared: x'' = g_x + sum of tangential forces.
*/
static void stick_to_a_belt(void **state)
{
  static const int first[METHODS] = {10, 10, 20};
  PetscInt         corners[]      = {LEFT, TWIN, RIGHT};
  NsHoldKind       stick[]        = {NS_HOLD_STICK, NS_HOLD_STICK, NS_HOLD_STICK};
  PetscReal        sense[]        = {0, 0, 0};
  const NsHeld     held           = {3, corners, stick, sense};
  Trial            trial          = open_block("[6, -8, 0]", 0, l / 2, 0);
  PetscReal        gap, rate;
  PetscBool        done;
  double           y[6], error[3];

  (void)state;
  belt                    = 1;
  trial.start[3]          = 1;
  const double expected[] = {0.5 + (1 - cos(1.5)) / 3, l / 2, 0, 1 + sin(1.5), 0, 0};
  Motion       motion     = begin(&trial, &NsDaeMethod_Hem5, 0, &held);
  CHECK(NsDaeForces(motion.dae, 0, motion.x.q, motion.x.v, motion.dae->ev, &done));
  assert_true(done);
  const PetscReal *f = motion.dae->lambda;
  assert_int_equal(motion.dae->wp.rows, 6);
  assert_near(f[1] + f[3] + f[5], 3 - 6, 1e-13);
  assert_near(f[0] + f[2] + f[4], 8, 1e-13);
  end(&motion);
  for (int m = 0; m < METHODS; m++) {
    for (int k = 0; k < 3; k++) {
      go(&trial, methods[m], &held, first[m] << k, y, &gap, &rate);
      error[k] = distance(&trial, y, expected);
    }
    assert_true(log2(error[0] / error[1]) > order_from[m] - 0.25 || error[1] < 1e-14);
    if (m != RKF45) assert_true(gap < 1e-14 && rate < 2e-14);
  }
  for (int m = 0; m < METHODS; m++) { /* short steps: what is left of dependent equations is rounding */
    trial.end = 1e-9;
    go(&trial, methods[m], &held, 100, y, &gap, &rate);
    assert_near(y[3], 1 + 3e-9, 1e-12);
  }
  test_run_close(&trial.test);
}

/* The same equation twice changes nothing. */
static void a_corner_twice(void **state)
{
  PetscInt     corners[] = {LEFT, TWIN};
  NsHoldKind   kinds[]   = {NS_HOLD_NORMAL, NS_HOLD_NORMAL};
  PetscReal    sense[]   = {0, 0};
  const NsHeld held      = {2, corners, kinds, sense};
  Trial        trial     = open_tilted_block();
  double       y[6], once[6];
  PetscReal    gap, rate;

  (void)state;
  for (int m = 0; m < METHODS; m++) {
    go(&trial, methods[m], &one, 100, once, &gap, &rate);
    go(&trial, methods[m], &held, 100, y, &gap, &rate);
    assert_near(distance(&trial, y, once), 0, 1e-13);
  }
  test_run_close(&trial.test);
}

/* The left corner once more, but rising: no motion obeys both. */
static void equations_that_contradict(void **state)
{
  PetscInt     corners[] = {LEFT, TWIN};
  NsHoldKind   kinds[]   = {NS_HOLD_NORMAL, NS_HOLD_NORMAL};
  PetscReal    sense[]   = {0, 0};
  const NsHeld held      = {2, corners, kinds, sense};
  Trial        trial     = open_tilted_block();
  PetscBool    done;
  PetscReal    h = 0.01, next;
  double       y[6];

  (void)state;
  for (int m = HEM5; m <= RKF45; m++) {
    Motion motion = begin(&trial, methods[m], 1e-6, &held);
    try_exactly(&motion, h);
    twin_rises = 0.5;
    CHECK(NsDaeRestart(motion.dae, &motion.x, &done));
    CHECK(NsDaeTryExactly(motion.dae, &motion.x, h, &done));
    assert_false(done);
    assert_non_null(strstr(motion.dae->reason, "the equations of closed contacts and joints (2) contradict each other"));
    CHECK(NsDaeTry(motion.dae, &motion.x, &h, &next, &done));
    assert_false(done);
    get_state(&trial, motion.x.q, motion.x.v, y);
    assert_memory_equal(y, trial.start, sizeof(y));
    twin_rises = 0;
    h          = 0.01;
    end(&motion);
  }
  test_run_close(&trial.test);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------------------------------ */

/* Steps to the end within a tolerance. */
static NsDaeWork controlled(const Trial *trial, const NsDaeMethod *method, PetscReal tolerance, const NsHeld *held, double *y)
{
  Motion    motion = begin(trial, method, tolerance, held);
  PetscReal h      = trial->end / 100, next;
  PetscBool done;

  while (motion.x.t < trial->end) {
    const PetscReal left_over = trial->end - motion.x.t;
    h                         = fmin(h, left_over);
    CHECK(NsDaeTry(motion.dae, &motion.x, &h, &next, &done));
    if (!done) fail_msg("%s at t = %g: %s", method->name, motion.x.t, motion.dae->reason);
    const PetscBool last = h == left_over;
    take(&motion);
    if (last) motion.x.t = trial->end;
    h = next;
  }
  get_state(trial, motion.x.q, motion.x.v, y);
  const NsDaeWork work = motion.dae->work;
  end(&motion);
  return work;
}

/* Errors follow the tolerance, and steps grow more by its root. */
static void steps_follow_the_tolerance(void **state)
{
  static const PetscReal coarse[METHODS] = {1e-7, 1e-6, 1e-4}, fine[METHODS] = {1e-11, 1e-10, 1e-7};
  Trial                  trial = open_crank();
  double                 exact[4], y[4];
  PetscReal              gap, rate;

  (void)state;
  go(&trial, &NsDaeMethod_Hem5, &one, 5120, exact, &gap, &rate);
  for (int m = 0; m < METHODS; m++) {
    const NsDaeWork few    = controlled(&trial, methods[m], coarse[m], &one, y);
    const double    rough  = distance(&trial, y, exact);
    const NsDaeWork many   = controlled(&trial, methods[m], fine[m], &one, y);
    const double    smooth = distance(&trial, y, exact), expected = pow(coarse[m] / fine[m], 1.0 / (double)methods[m]->order);
    assert_near((double)many.steps / (double)few.steps / expected, 1, 0.2);
    assert_true(rough < 1e4 * coarse[m] && smooth < 1e4 * fine[m]);
  }
  test_run_close(&trial.test);
}

/* A step far too long is shortened, whatever goes wrong in it; without a tolerance it is taken as it is. */
static void long_steps(void **state)
{
  Trial     trial = open_crank();
  PetscBool done;
  PetscReal next;

  (void)state;
  for (int m = 0; m < METHODS; m++) {
    Motion    motion = begin(&trial, methods[m], 1e-6, &one);
    PetscReal h      = 10;
    CHECK(NsDaeTry(motion.dae, &motion.x, &h, &next, &done));
    assert_true(done && h < 0.01 && next > h / 5 && next <= 5 * h && motion.dae->work.rejected > 2 && motion.dae->work.steps == 1);
    end(&motion);
    motion = begin(&trial, methods[m], 0, &one);
    h      = 1e-4;
    CHECK(NsDaeTry(motion.dae, &motion.x, &h, &next, &done));
    assert_true(done && h == 1e-4 && next == h);
    end(&motion);
  }
  Motion motion = begin(&trial, &NsDaeMethod_GeneralisedAlpha, 0, &one);
  CHECK(NsDaeTryExactly(motion.dae, &motion.x, 1e4, &done));
  assert_false(done);
  assert_non_null(strstr(motion.dae->reason, "Newton's method does not converge in 30 iterations"));
  end(&motion);
  test_run_close(&trial.test);
}

/* Steps of two lengths in turns. */
static double uneven_error(const Trial *trial, int ratio, int pairs, const double *exact)
{
  Motion motion = begin(trial, &NsDaeMethod_GeneralisedAlpha, 0, &one);
  double y[6];

  for (int i = 0; i < 2 * pairs; i++) {
    try_exactly(&motion, (i % 2 ? ratio : 1) * trial->end / ((1 + ratio) * pairs));
    take(&motion);
  }
  get_state(trial, motion.x.q, motion.x.v, y);
  end(&motion);
  return distance(trial, y, exact);
}

/* With a ratio of 9 every second step begins without memory. */
static void orders_with_uneven_steps(void **state)
{
  static const int ratio[] = {1, 2, 5, 9};
  Trial            trial   = open_tilted_block();
  double           exact[6], even = 0;
  PetscReal        gap, rate;

  (void)state;
  go(&trial, &NsDaeMethod_Hem5, &one, 1280, exact, &gap, &rate);
  for (int k = 0; k < 4; k++) {
    const double coarse = uneven_error(&trial, ratio[k], 80, exact), fine = uneven_error(&trial, ratio[k], 160, exact);
    if (k == 0) even = fine;
    if (!(log2(coarse / fine) > 1.95 && fine < 6 * even)) fail_msg("lengths of 1 and %d: errors %g, %g", ratio[k], coarse, fine);
  }
  test_run_close(&trial.test);
}

/* ---- finite elements ----------------------------------------------------------------------------------------------------------------------------------- */

/* A steel bar of 8 elements that touches a wall: its velocities are those of its first longitudinal modes, held and free. */
static Trial open_bar(PetscBool held)
{
  Trial trial = {.n = 9, .end = 3e-4};

  trial.test = test_run_open("bodies:\n"
                             "  bar:\n"
                             "    type: bar\n"
                             "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 8}}\n"
                             "    material: {density: 7800, young: 210 GPa}\n"
                             "    section: {area: 1 cm^2}\n"
                             "    mass: consistent\n"
                             "    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n"
                             "contacts: {wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n" SCHEME,
    NULL);
  assert_int_equal(trial.test.run->model->unknowns, trial.n);
  for (int i = 0; i < trial.n; i++) trial.start[trial.n + i] = held ? -sin(PETSC_PI / 2 * i / 8.0) : cos(PETSC_PI * i / 8.0);
  return trial;
}

static void orders_of_a_bar(void **state)
{
  static const int first[2][METHODS] = {{40, 40, 80}, {20, 40, 80}};

  (void)state;
  for (int held = 0; held < 2; held++) {
    Trial trial = open_bar(held);
    check_orders(&trial, held ? &one : &nothing, first[held], 1280);
    test_run_close(&trial.test);
  }
}

/* ---- memory ------------------------------------------------------------------------------------------------------------------------------------------- */

#if NS_COUNT_CALLS
/*
  Calls of the allocator after the first steps; `vary`: of all kinds and lengths, and restarts. Where steps of finite elements change generalised-alpha factors anew, and the
  back ends allocate.
*/
static long count_calls(const Trial *trial, const NsDaeMethod *method, const NsHeld *held, PetscBool vary)
{
  Motion    motion = begin(trial, method, 1e-6, held);
  Vec       q, v;
  PetscReal next;
  PetscBool done;
  long      before = 0;

  CHECK(NsVecsCreate(trial->test.run->model, &q, &v, NULL));
  for (int i = 0; i < 40; i++) {
    PetscReal h = trial->end / 1000 * (vary ? 1 + i % 3 : 1);
    if (i == 4) before = calls;
    if (vary) CHECK(NsDaeTry(motion.dae, &motion.x, &h, &next, &done));
    try_exactly(&motion, h);
    CHECK(NsDaeInterpolate(motion.dae, &motion.x, 0.3, q, v));
    take(&motion);
    if (vary && i % 5 == 1) {
      CHECK(NsDaeHold(motion.dae, held));
      CHECK(NsDaeRestart(motion.dae, &motion.x, &done));
    }
  }
  before = calls - before;
  CHECK(NsVecsDestroy(&q, &v, NULL));
  end(&motion);
  return before;
}
#endif

static void nothing_allocates(void **state)
{
  (void)state;
#if !NS_COUNT_CALLS
  skip();
#else
  Trial trial = open_tilted_block();
  for (int m = 0; m < METHODS; m++) {
    assert_int_equal(count_calls(&trial, methods[m], &nothing, PETSC_TRUE), 0);
    assert_int_equal(count_calls(&trial, methods[m], &one, PETSC_TRUE), 0);
  }
  test_run_close(&trial.test);
  trial = open_bar(PETSC_TRUE);
  for (int m = 0; m < METHODS; m++) assert_int_equal(count_calls(&trial, methods[m], &one, m == ALPHA ? PETSC_FALSE : PETSC_TRUE), 0);
  test_run_close(&trial.test);
#endif
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(coefficients_of_rkf45),
  cmocka_unit_test(coefficients_of_hem5),
  cmocka_unit_test(coefficients_of_hem5_as_published),
  cmocka_unit_test(orders_on_one_corner),
  cmocka_unit_test(orders_of_the_crank),
  cmocka_unit_test(figures_of_the_block),
  cmocka_unit_test(orders_at_a_moving_wall),
  cmocka_unit_test(dense_output),
  cmocka_unit_test(slip_on_an_incline),
  cmocka_unit_test(stick_to_a_belt),
  cmocka_unit_test(a_corner_twice),
  cmocka_unit_test(equations_that_contradict),
  cmocka_unit_test(steps_follow_the_tolerance),
  cmocka_unit_test(long_steps),
  cmocka_unit_test(orders_with_uneven_steps),
  cmocka_unit_test(orders_of_a_bar),
  cmocka_unit_test(nothing_allocates),
};
TEST_MAIN(tests)
