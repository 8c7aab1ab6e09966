/*
  Continuation in the data, for problems that everything else ends just beside: the best P that is known solves a problem with slightly other velocities, and from there the solution is followed
  to the problem itself, state by state (parametric pivoting, as in C. E. Lemke: Bimatrix equilibrium points and mathematical programming, 1965; the piecewise smooth case: K. Park, J.-S. Pang).

      F(P, y) = 0,   y = b + tau d + G P + delta (P - C)       F: the equations of the states at the moment; tau from 1 to 0

  d is such that P = C solves it at tau = 1. Along dP/dtau, (I + D G) dP = -D d (proximal_newton.c has D), the first state to change is found, changed, and the path goes on: with tau
  decreasing, or increasing for a while where only that leads into the new state. Slip directions turn on the way: Newton's steps at constant tau keep F = 0.

  Needed where contacts depend on each other and velocities are compatible but for a rest (restitution in piles: 1e-11 of the others). Impulses must then change by their own size to change
  velocities by that rest: Newton's method and Gauss-Seidel, whose steps measure both alike, end beside the solution and go round. delta makes these impulses unique, and is so small that
  they can go far; path after path, each around the last impulses, takes C to P, and the law holds to the last digit. Rounding of y over delta is rounding in P: much smaller
  ones help as little as larger ones. Where a path fails, others begin beside the best impulses, with other delta and steps, drawn from a fixed seed.

  Each change of a state costs a factorization, or a few where slip directions turn.
*/
#include "linear.h"
#include "one_contact.h"

#define NS_DELTA 1e-9
#define NS_TURN  0.1 /* rad: of slip directions, in one step */
#define NS_SEED  0x9e3779b97f4a7c15ULL
#define NS_FAR   1e6   /* tau: no way back */
#define NS_CLOSE 1e-12 /* of the size of all: F = 0 */
#define NS_WORSE 2     /* times F at the beginning: Newton's steps lead away */
enum {
  NS_CORRECTIONS = 8,
  NS_PATHS       = 50,
  NS_CHANGES     = 300 /* in one attempt */
};

typedef enum { OPEN, CLOSED, STICK, SLIP, JOINT } State; /* CLOSED: without friction */

typedef struct {
  State     *state;                       /* [contacts] */
  PetscReal *D;                           /* [9 contacts] */
  PetscReal *C, *d, *w, *y, *best;        /* [rows] */
  PetscReal *dP, *dy, *right;             /* [rows]; per tau */
  PetscReal  delta, tau, direction, turn; /* turn: of slip directions in one step, rad */
  PetscInt   most;                        /* iterations up to the end of this attempt */
} NsLocalSolver_Continuation;

static PetscErrorCode NsLocalSolverCreate_Continuation(NsLocalSolver *solver)
{
  NsLocalSolver_Continuation *self;
  const PetscInt              n = solver->max_rows;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(PetscMalloc7(n, &self->C, n, &self->d, n, &self->w, n, &self->y, n, &self->dP, n, &self->dy, n, &self->right));
  PetscCall(PetscMalloc3(solver->max_contacts, &self->state, (9 * solver->max_contacts), &self->D, n, &self->best));
  solver->data = self;
  if (solver->max_iterations == 0) solver->max_iterations = 5000;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_Continuation(NsLocalSolver *solver)
{
  NsLocalSolver_Continuation *self = solver->data;

  PetscFunctionBegin;
  PetscCall(PetscFree7(self->C, self->d, self->w, self->y, self->dP, self->dy, self->right));
  PetscCall(PetscFree3(self->state, self->D, self->best));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

/* Uniform in (0, 1); Knuth's linear congruential generator, its upper bits. */
static PetscReal draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((PetscReal)(*seed >> 12) + 0.5) / (PetscReal)(1ULL << 52);
}

static inline PetscReal dot(PetscInt m, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt i = 1; i < m; i++) sum += x[i] * y[i];
  return sum;
}

/* The states of P and w; P and y, which solve the problem of tau = 1. */
static void begin(NsLocalSolver_Continuation *self, const NsLocalProblem *p, PetscReal *P)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt  k = p->start[c], m = p->start[c + 1] - k;
    const PetscReal mu = p->friction[c];
    PetscReal       x[3], length;
    for (PetscInt i = 0; i < m; i++) x[i] = P[k + i] - self->w[k + i];
    for (PetscInt i = 0; i < m && p->bilateral[c]; i++) self->y[k + i] = 0;
    self->state[c] = JOINT;
    if (p->bilateral[c]) continue;
    P[k]                   = PetscMax(0, x[0]);
    length                 = PetscSqrtReal(dot(m, x, x));
    const PetscReal radius = mu * P[k];
    const PetscBool slips  = length > radius;
    self->state[c]         = x[0] <= 0 ? OPEN : m == 1 || mu == 0 ? CLOSED : slips ? SLIP : STICK;
    for (PetscInt i = 1; i < m; i++) P[k + i] = slips ? radius / length * x[i] : x[i];
    for (PetscInt i = 0; i < m; i++) self->y[k + i] = P[k + i] - x[i];
  }
  NsLocalVelocities(p, P, self->w);
  for (PetscInt k = 0; k < p->rows; k++) {
    self->C[k] = P[k];
    self->d[k] = self->y[k] - self->w[k];
  }
}

/* The direction of slip: that of P_T - y_T. */
static PetscReal slip_direction(PetscInt m, const PetscReal *P, const PetscReal *y, PetscReal *e)
{
  e[0] = 0;
  for (PetscInt i = 1; i < m; i++) e[i] = P[i] - y[i];
  const PetscReal length = PetscSqrtReal(dot(m, e, e));
  for (PetscInt i = 1; i < m; i++) e[i] /= length > 0 ? length : 1;
  return length;
}

/* D, and -B^-1 F, of a contact; returns the largest of |F|. */
static PetscReal linearize(
  const NsLocalSolver_Continuation *self, const NsLocalProblem *p, PetscInt c, const PetscReal *P, PetscReal *D, PetscReal *right)
{
  const PetscInt   k = p->start[c], m = p->start[c + 1] - k;
  const PetscReal *x = P + k, *y = self->y + k, mu = p->friction[c];
  const State      state   = self->state[c];
  PetscReal        by_P[9] = {0}, by_y[9] = {0}, B[9] = {0}, F[3] = {0}, e[3], column[3], largest = 0;

  for (PetscInt i = 0; i < m; i++) {
    const PetscBool velocity                  = state == STICK || state == JOINT || (i == 0 && state != OPEN);
    F[i]                                      = velocity ? y[i] : x[i];
    *((velocity ? by_y : by_P) + (i * m + i)) = 1;
  }
  if (state == SLIP) {
    const PetscReal length = slip_direction(m, x, y, e), share = length > 0 ? mu * x[0] / length : 0;
    for (PetscInt i = 1; i < m; i++) {
      F[i] -= mu * x[0] * e[i];
      by_P[i * m] = -mu * e[i];
      for (PetscInt j = 1; j < m; j++) {
        const PetscReal across = share * ((i == j ? 1 : 0) - e[i] * e[j]);
        by_P[i * m + j] -= across;
        by_y[i * m + j] += across;
      }
    }
  }
  for (PetscInt i = 0; i < m; i++) largest = PetscMax(largest, PetscAbsReal(F[i]));
  for (PetscInt i = 0; i < m * m; i++) B[i] = by_P[i] + self->delta * by_y[i];
  NsSolve3(m, B, F, right);
  for (PetscInt i = 0; i < m; i++) right[i] = -right[i];
  for (PetscInt j = 0; j < m; j++) {
    for (PetscInt i = 0; i < m; i++) column[i] = by_y[i * m + j];
    NsSolve3(m, B, column, column);
    for (PetscInt i = 0; i < m; i++) D[i * m + j] = column[i];
  }
  return largest;
}

/* y of P and tau. */
static void set_velocities(NsLocalSolver_Continuation *self, const NsLocalProblem *p, const PetscReal *P)
{
  NsLocalVelocities(p, P, self->w);
  for (PetscInt k = 0; k < p->rows; k++) self->y[k] = self->w[k] + self->tau * self->d[k] + self->delta * (P[k] - self->C[k]);
}

/* D of all contacts, factored; `right` as well. The largest of |F|. */
static PetscErrorCode factor(NsLocalSolver_Continuation *self, NsLocalLinear *linear, const NsLocalProblem *p, const PetscReal *P, PetscReal *left)
{
  PetscFunctionBegin;
  *left = 0;
  for (PetscInt c = 0; c < p->contacts; c++) *left = PetscMax(*left, linearize(self, p, c, P, self->D + 9 * c, self->right + p->start[c]));
  PetscCall(NsLocalLinearFactor(linear, p, self->D));
  PetscFunctionReturn(0);
}

/* Newton's steps at constant tau until F = 0, or nearly; at last the systems are factored where P is. */
static PetscErrorCode correct(NsLocalSolver_Continuation *self, NsLocalLinear *linear, const NsLocalProblem *p, PetscReal close, PetscReal *P)
{
  PetscReal first = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0;; i++) {
    PetscReal left;
    set_velocities(self, p, P);
    PetscCall(factor(self, linear, p, P, &left));
    if (i == 0) first = left;
    if (left <= close || i == NS_CORRECTIONS || !(left <= NS_WORSE * first)) PetscFunctionReturn(0);
    PetscCall(NsLocalLinearSolve(linear, p, 2, self->right, self->dP));
    for (PetscInt k = 0; k < p->rows; k++) P[k] += self->dP[k];
  }
}

/* dP and dy for a decrease of tau by one. */
static PetscErrorCode find_tangent(NsLocalSolver_Continuation *self, NsLocalLinear *linear, const NsLocalProblem *p)
{
  PetscFunctionBegin;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt k = p->start[c], m = p->start[c + 1] - k;
    for (PetscInt i = 0; i < m; i++) {
      self->right[k + i] = 0;
      for (PetscInt j = 0; j < m; j++) self->right[k + i] += self->D[9 * c + i * m + j] * self->d[k + j];
    }
  }
  PetscCall(NsLocalLinearSolve(linear, p, 2, self->right, self->dP));
  NsLocalVelocities(p, self->dP, self->dy);
  for (PetscInt k = 0; k < p->rows; k++) self->dy[k] += self->delta * self->dP[k] - p->b[k] - self->d[k];
  PetscFunctionReturn(0);
}

/* What is positive within the state of a contact, and its rate. */
static PetscReal margin(const NsLocalSolver_Continuation *self, const NsLocalProblem *p, PetscInt c, const PetscReal *P, PetscReal *rate)
{
  const PetscInt   k = p->start[c], m = p->start[c + 1] - k;
  const PetscReal *x = P + k, *y = self->y + k, *dx = self->dP + k, *dy = self->dy + k, mu = p->friction[c];
  PetscReal        e[3], length;

  switch (self->state[c]) {
  case OPEN: *rate = dy[0]; return y[0];
  case CLOSED: *rate = dx[0]; return x[0];
  case STICK:
    length = PetscSqrtReal(dot(m, x, x));
    *rate  = mu * dx[0] - (length > 0 ? dot(m, x, dx) / length : 0);
    return mu * x[0] - length;
  case SLIP:
    slip_direction(m, x, y, e);
    *rate = -dot(m, e, dy);
    return -dot(m, e, y);
  default: *rate = 0; return 1;
  }
}

/* A contact that slips may also open; how far its direction turns. */
static void look_at_slip(const NsLocalSolver_Continuation *self, const NsLocalProblem *p, PetscInt c, const PetscReal *P, PetscReal *most)
{
  const PetscInt k = p->start[c], m = p->start[c + 1] - k;
  PetscReal      e[3], turn[3]      = {0};

  if (m < 3) return;
  const PetscReal length = slip_direction(m, P + k, self->y + k, e);
  for (PetscInt i = 1; i < m; i++) turn[i] = self->dP[k + i] - self->dy[k + i];
  const PetscReal along = dot(m, turn, e), across = PetscSqrtReal(PetscMax(0, dot(m, turn, turn) - along * along));
  if (across * *most > self->turn * length) *most = self->turn * length / across;
}

/* How far it is to the first change, and which: contact -1 for none before `most`. */
static PetscReal to_change(
  const NsLocalSolver_Continuation *self, const NsLocalProblem *p, const PetscReal *P, PetscReal most, PetscInt *changes, State *to)
{
  *changes = -1;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const State     state = self->state[c];
    PetscReal       rate;
    const PetscReal room = margin(self, p, c, P, &rate), towards = self->direction * rate;
    if (towards < 0 && room < -most * towards) {
      most     = PetscMax(0, -room / towards);
      *changes = c;
      *to      = state == OPEN    ? (p->friction[c] > 0 && p->start[c + 1] > p->start[c] + 1 ? SLIP : CLOSED)
                 : state == STICK ? SLIP
                 : state == SLIP  ? STICK
                                  : OPEN;
    }
    if (state != SLIP) continue;
    const PetscReal push = self->direction * self->dP[p->start[c]];
    if (push < 0 && P[p->start[c]] < -most * push) {
      most     = PetscMax(0, -P[p->start[c]] / push);
      *changes = c;
      *to      = OPEN;
    }
  }
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscReal before = most;
    if (self->state[c] == SLIP) look_at_slip(self, p, c, P, &most);
    if (most < before) *changes = -1;
  }
  return most;
}

/* Whether tau has to go the other way to enter the state that contact c has changed to. */
static PetscBool leads_back(const NsLocalSolver_Continuation *self, const NsLocalProblem *p, PetscInt c, State from, const PetscReal *P)
{
  PetscReal rate;

  (void)margin(self, p, c, P, &rate);
  if (from == OPEN) rate = self->dP[p->start[c]];
  return self->direction * rate < 0;
}

/* The path of tau from 1 to 0. */
static PetscErrorCode follow(
  NsLocalSolver *solver, NsLocalLinear *linear, const NsLocalProblem *p, PetscReal close, PetscReal *P, PetscInt *iterations, PetscBool *arrived)
{
  NsLocalSolver_Continuation *self    = solver->data;
  PetscInt                    changed = -1;
  State                       from    = OPEN;

  PetscFunctionBegin;
  self->tau       = 1;
  self->direction = 1;
  PetscCall(correct(self, linear, p, close, P));
  while (self->tau > 0 && *iterations < self->most && !NsLocalStops(solver)) {
    State to = OPEN;
    PetscCall(find_tangent(self, linear, p));
    ++*iterations;
    if (changed >= 0 && leads_back(self, p, changed, from, P)) self->direction = -self->direction;
    const PetscReal step = to_change(self, p, P, self->direction > 0 ? self->tau : NS_FAR, &changed, &to);
    if (!(step < NS_FAR)) break;
    for (PetscInt k = 0; k < p->rows; k++) P[k] += self->direction * step * self->dP[k];
    self->tau = PetscMax(0, self->tau - self->direction * step);
    if (changed >= 0) {
      from                 = self->state[changed];
      self->state[changed] = to;
    }
    PetscCall(correct(self, linear, p, close, P));
  }
  *arrived = self->tau <= 0;
  PetscFunctionReturn(0);
}

/* Path after path, each with the last impulses as its centre, from P; the best that they come to is kept. */
static PetscErrorCode approach(NsLocalSolver *solver, NsLocalLinear *linear, const NsLocalProblem *p, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_Continuation *self    = solver->data;
  PetscReal                   size    = 0;
  PetscBool                   arrived = PETSC_TRUE;

  PetscFunctionBegin;
  NsLocalVelocities(p, P, self->w);
  begin(self, p, P);
  for (PetscInt k = 0; k < p->rows; k++) size = PetscMax(size, PetscMax(PetscAbsReal(p->b[k]), PetscAbsReal(P[k])));
  for (PetscInt i = 0; i < NS_PATHS && arrived && !(result->residual <= solver->tolerance); i++) {
    PetscCall(follow(solver, linear, p, NS_CLOSE * size, P, &result->iterations, &arrived));
    NsLocalVelocities(p, P, self->w);
    const PetscReal residual = NsLocalUnitResidual(p, P, self->w);
    if (residual < result->residual) {
      result->residual = residual;
      PetscCall(PetscArraycpy(self->best, P, p->rows));
    }
    for (PetscInt k = 0; k < p->rows; k++) {
      self->d[k] = self->delta * (P[k] - self->C[k]);
      self->C[k] = P[k];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolve_Continuation(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_Continuation *self = solver->data;
  NsLocalLinear              *linear;
  uint64_t                    seed = NS_SEED;

  PetscFunctionBegin;
  PetscCall(NsLocalSolverLinear(solver, unit, &linear));
  NsLocalVelocities(unit, P, self->w);
  result->residual = NsLocalUnitResidual(unit, P, self->w);
  PetscCall(PetscArraycpy(self->best, P, unit->rows));
  for (PetscInt i = 0; result->residual > solver->tolerance && result->residual <= PETSC_MAX_REAL && result->iterations < solver->max_iterations;
       i++) {
    const PetscReal size = i == 0 ? 0 : PetscPowReal(10, -1 - 3 * draw(&seed));
    self->delta          = i == 0 ? NS_DELTA : PetscPowReal(10, -10 + 1.5 * draw(&seed));
    self->turn           = i == 0 ? NS_TURN : PetscPowReal(10, -draw(&seed));
    for (PetscInt k = 0; k < unit->rows; k++) P[k] = i % 4 == 3 ? 0 : self->best[k] * (1 + size * (2 * draw(&seed) - 1));
    self->most = PetscMin(solver->max_iterations, result->iterations + NS_CHANGES);
    PetscCall(approach(solver, linear, unit, P, result));
    if (NsLocalStops(solver)) break;
  }
  PetscCall(PetscArraycpy(P, self->best, unit->rows));
  NsLocalVelocities(unit, P, solver->w);
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_Continuation = {
  .name = "continuation",
  .about =
    "follows the solution from a problem with slightly other velocities, which the best impulses known solve, change of state by change of state",
  .create  = NsLocalSolverCreate_Continuation,
  .solve   = NsLocalSolve_Continuation,
  .destroy = NsLocalSolverDestroy_Continuation,
};
