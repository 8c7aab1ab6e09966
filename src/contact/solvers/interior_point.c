/*
  Interior point for Coulomb friction (V. Acary, P. Armand, H. Minh Nguyen, M. Shpakovych: Second-order cone programming for frictional contact mechanics using interior point algorithm,
  Optimization Methods and Software, 2023).  In unit form, with the cones scaled to the self-dual one, the Lorentz cone L = {x_0 >= |x_T|},

      u = (w_N / mu + |w_T|, w_T),     p = (mu P_N, P_T),      u in L, p in L, u o p = 0          (u o p: (u . p, u_0 p_T + p_0 u_T))

  |w_T| is De Saxce's term: with it Coulomb's law is a complementarity of cones, and it is differentiated in Newton's step, du = T dw, T = I + e_0 t', t = w_T/|w_T|.  Each iteration solves

      u - T-image of w = 0,   u o p = sigma nu e,   w = b + G P

  linearized with the scaling W of Nesterov and Todd (W p = W^-1 u = lambda), once without sigma to choose it and once with Mehrotra's correction, and goes 0.95 ... 0.995 of the way
  to the boundary. w is eliminated by G itself, so that velocities belong to impulses at all times:

      (I + D G) dP = r,     D = S W^-2 T S,   S = diag(1/mu, 1, 1)       a block for each contact: linear.c

      mu = 0, no tangents   a half-line, the cone of one dimension      planar   of two
      bilateral             w = 0 by proximal steps, D = 1 / NS_JOINT

  Two regularizations: G + NS_DELTA I in each step (the impulses of the moment are what it is centred at, so that it changes no solution) bounds D; and |w_T| is sqrt(w_T^2 + eps^2) with
  eps = NS_SMOOTH nu / p_0, which vanishes with nu but for open contacts, where nothing depends on it.

  Coulomb's law is not monotone: the path may turn back, and steps become short. Then a new path begins near the best iterate, at a random distance of it; every other one does without the
  derivative of De Saxce's term after short steps, as F. Cadoux's fixed point does.

  Ten to fifty iterations, whatever G is like: it may be singular and long-ranged. What it does not do is the last digits, for there D grows without bounds: as soon as the residual is
  small the states are known, and proximal Newton ends it (proximal_newton.c), with the smallest impulses.
*/
#include "proximal_newton.h"
#include "one_contact.h"

#define NS_JOINT  1e-8 /* of the diagonal of G */
#define NS_DELTA  1e-9 /* the same, for all rows: see above */
#define NS_FIRST  1e-3 /* residual at which the end is tried first, */
#define NS_NEXT   0.03 /* and then each time it is so much smaller */
#define NS_SMOOTH 0.1
#define NS_SHORT  0.1 /* a step: the next one goes to the centre, */
#define NS_CENTRE 0.3 /* with at least this sigma */
#define NS_SEED   0x9e3779b97f4a7c15ULL
enum {
  NS_STEPS      = 12, /* of Newton's at the end, */
  NS_LAST_STEPS = 80, /* and where there is no other way */
  NS_STALLS     = 8,  /* short steps, more than others, that end a path */
  NS_PATHS      = 12, /* if the solver is impatient, */
  NS_FEW_PATHS  = 3
};

typedef struct {
  NsProximalNewton newton;
  PetscReal       *u, *p, *du, *dp; /* [3 contacts] in the cones; steps */
  PetscReal       *W, *inverse, *B; /* [9 contacts] */
  PetscReal       *lambda, *left;   /* [3 contacts] W p; u - e(w), what is left of it */
  PetscReal       *right, *q;       /* [rows]; [3 contacts] */
  PetscReal       *dP, *dw;         /* [rows] */
  PetscReal       *end, *v, *best;  /* [rows] of a path; for Newton; of all paths */
  PetscReal       *direction;       /* [2 contacts] t */
} NsLocalSolver_InteriorPoint;

static PetscErrorCode NsLocalSolverCreate_InteriorPoint(NsLocalSolver *solver)
{
  NsLocalSolver_InteriorPoint *self;
  const PetscInt               c = solver->max_contacts, n = solver->max_rows;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(NsProximalNewtonCreate(c, n, &self->newton));
  PetscCall(PetscMalloc7((3 * c), &self->u, (3 * c), &self->p, (3 * c), &self->du, (3 * c), &self->dp, (9 * c), &self->W, (9 * c), &self->inverse,
    (2 * c), &self->direction));
  PetscCall(
    PetscMalloc7((3 * c), &self->lambda, (3 * c), &self->left, n, &self->right, (3 * c), &self->q, n, &self->dP, n, &self->dw, n, &self->end));
  PetscCall(PetscMalloc3(n, &self->v, (9 * c), &self->B, n, &self->best));
  solver->data = self;
  if (solver->max_iterations == 0) solver->max_iterations = 200;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_InteriorPoint(NsLocalSolver *solver)
{
  NsLocalSolver_InteriorPoint *self = solver->data;

  PetscFunctionBegin;
  PetscCall(NsProximalNewtonDestroy(&self->newton));
  PetscCall(PetscFree7(self->u, self->p, self->du, self->dp, self->W, self->inverse, self->direction));
  PetscCall(PetscFree7(self->lambda, self->left, self->right, self->q, self->dP, self->dw, self->end));
  PetscCall(PetscFree3(self->v, self->B, self->best));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

/* ---- the Lorentz cone of 1 to 3 dimensions ------------------------------------------------------------------------------------------------------ */

/* Dimension of a contact's cone; 0: bilateral. */
static inline PetscInt dimension(const NsLocalProblem *p, PetscInt c)
{
  return p->bilateral[c] ? 0 : p->friction[c] == 0 ? 1 : p->start[c + 1] - p->start[c];
}

/* (x_0 - |x_T|) (x_0 + |x_T|) */
static inline PetscReal determinant(PetscInt d, const PetscReal *x)
{
  const PetscReal length = d == 1 ? 0 : d == 2 ? PetscAbsReal(x[1]) : PetscSqrtReal(x[1] * x[1] + x[2] * x[2]);

  return (x[0] - length) * (x[0] + length);
}

/* x o y */
static inline void jordan(PetscInt d, const PetscReal *x, const PetscReal *y, PetscReal *xy)
{
  xy[0] = x[0] * y[0];
  for (PetscInt i = 1; i < d; i++) {
    xy[0] += x[i] * y[i];
    xy[i] = x[0] * y[i] + y[0] * x[i];
  }
}

/* x of l o x = r */
static inline void jordan_divide(PetscInt d, const PetscReal *l, const PetscReal *r, PetscReal *x)
{
  PetscReal sum = l[0] * r[0];

  for (PetscInt i = 1; i < d; i++) sum -= l[i] * r[i];
  x[0] = sum / determinant(d, l);
  for (PetscInt i = 1; i < d; i++) x[i] = (r[i] - x[0] * l[i]) / l[0];
}

static inline void multiply(PetscInt d, const PetscReal *A, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < d; i++) {
    y[i] = 0;
    for (PetscInt j = 0; j < d; j++) y[i] += A[3 * i + j] * x[j];
  }
}

/* The largest alpha <= most with x + alpha s in the cone. */
static PetscReal to_boundary(PetscInt d, const PetscReal *x, const PetscReal *s, PetscReal most)
{
  PetscReal       a = s[0] * s[0], b = x[0] * s[0];
  const PetscReal c = determinant(d, x);

  for (PetscInt i = 1; i < d; i++) {
    a -= s[i] * s[i];
    b -= x[i] * s[i];
  }
  if (d == 1) return s[0] < 0 ? PetscMin(most, -x[0] / s[0]) : most;
  /* a alpha^2 + 2 b alpha + c = 0, c > 0: the least positive root; without one the cone is not left (it could only be through the origin) */
  const PetscReal disc = b * b - a * c;
  if (disc < 0 || (a >= 0 && b >= 0)) return most;
  const PetscReal q     = -(b + (b >= 0 ? 1 : -1) * PetscSqrtReal(disc));
  const PetscReal first = a != 0 ? q / a : PETSC_INFINITY, second = q != 0 ? c / q : PETSC_INFINITY;
  if (first > 0) most = PetscMin(most, first);
  if (second > 0) most = PetscMin(most, second);
  return most;
}

/* W and its inverse with W p = W^-1 u. */
static void scaling(PetscInt d, const PetscReal *u, const PetscReal *p, PetscReal *W, PetscReal *inverse)
{
  const PetscReal size_u = PetscSqrtReal(determinant(d, u)), size_p = PetscSqrtReal(determinant(d, p)), root = PetscSqrtReal(size_u / size_p);
  PetscReal       dot = 0, w[3];

  for (PetscInt i = 0; i < d; i++) dot += u[i] / size_u * (p[i] / size_p);
  const PetscReal gamma = PetscSqrtReal((1 + dot) / 2);
  for (PetscInt i = 0; i < d; i++) w[i] = (u[i] / size_u + (i == 0 ? 1 : -1) * p[i] / size_p) / (2 * gamma);
  for (PetscInt i = 0; i < d; i++) {
    for (PetscInt j = 0; j < d; j++) {
      const PetscReal x  = i == 0 ? w[j] : j == 0 ? w[i] : (i == j ? 1 : 0) + w[i] * w[j] / (1 + w[0]);
      W[3 * i + j]       = root * x;
      inverse[3 * i + j] = ((i == 0) != (j == 0) ? -x : x) / root;
    }
  }
}

/* ---- an iteration ------------------------------------------------------------------------------------------------------------------------------ */

/* S of the rows: 1/mu, 1, 1; a half-line is not scaled. */
static inline PetscReal stretch(const NsLocalProblem *p, PetscInt c, PetscInt i)
{
  return i == 0 && dimension(p, c) > 1 ? 1 / p->friction[c] : 1;
}

/* e(w) of a contact, and t. */
static void image(const NsLocalProblem *p, PetscInt c, PetscReal smooth, const PetscReal *w, PetscReal *e, PetscReal *t)
{
  const PetscInt d      = dimension(p, c);
  PetscReal      length = smooth * smooth;

  for (PetscInt i = 1; i < d; i++) length += w[i] * w[i];
  length = PetscSqrtReal(length);
  for (PetscInt i = 0; i < 3; i++) e[i] = i < d ? stretch(p, c, i) * w[i] : 0;
  e[0] += length;
  for (PetscInt i = 1; i < d; i++) t[i - 1] = length > 0 ? w[i] / length : 0;
}

/* D = S W^-2 T S of all contacts. */
static void set_blocks(NsLocalSolver_InteriorPoint *self, const NsLocalProblem *p)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c), m = p->start[c + 1] - p->start[c];
    PetscReal     *D = self->newton.D + 9 * c, *inverse = self->inverse + 9 * c, A[9];
    for (PetscInt k = 0; k < 9; k++) D[k] = 0;
    for (PetscInt i = 0; i < m && d == 0; i++) D[i * m + i] = 1 / NS_JOINT;
    if (d == 0) continue;
    scaling(d, self->u + 3 * c, self->p + 3 * c, self->W + 9 * c, inverse);
    multiply(d, self->W + 9 * c, self->p + 3 * c, self->lambda + 3 * c);
    for (PetscInt i = 0; i < d; i++) {
      for (PetscInt j = 0; j < d; j++) {
        A[3 * i + j] = 0;
        for (PetscInt k = 0; k < d; k++) A[3 * i + j] += inverse[3 * i + k] * inverse[3 * k + j];
      }
    }
    for (PetscInt i = 0; i < d; i++) {
      for (PetscInt j = 0; j < d; j++)
        D[i * m + j] = stretch(p, c, i) * (A[3 * i + j] * stretch(p, c, j) + (j > 0 ? A[3 * i] * self->direction[2 * c + j - 1] : 0));
    }
    for (PetscInt k = 0; k < m * m; k++) self->B[9 * c + k] = (k % (m + 1) == 0 ? 1 : 0) + NS_DELTA * D[k];
    for (PetscInt j = 0; j < m; j++) {
      PetscReal column[3];
      for (PetscInt i = 0; i < m; i++) column[i] = D[i * m + j];
      NsSolve3(m, self->B + 9 * c, column, column);
      for (PetscInt i = 0; i < m; i++) D[i * m + j] = column[i];
    }
  }
}

/* The step for lambda o (W dp + W^-1 du) = comp[3 contacts]; comp is overwritten. */
static PetscErrorCode find_step(
  NsLocalSolver_InteriorPoint *self, NsLocalLinear *linear, const NsLocalProblem *p, const PetscReal *w, PetscReal *comp)
{
  PetscFunctionBegin;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c), first = p->start[c], m = p->start[c + 1] - first;
    PetscReal      q[3], a[3];
    for (PetscInt i = 0; i < m; i++) self->right[first + i] = d == 0 ? -w[first + i] / NS_JOINT : 0;
    if (d == 0) continue;
    jordan_divide(d, self->lambda + 3 * c, comp + 3 * c, q);
    multiply(d, self->inverse + 9 * c, self->left + 3 * c, a); /* W^-1 of what is left */
    for (PetscInt i = 0; i < d; i++) q[i] -= a[i];
    multiply(d, self->inverse + 9 * c, q, a);
    for (PetscInt i = 0; i < d; i++) self->right[first + i] = stretch(p, c, i) * a[i];
    NsSolve3(m, self->B + 9 * c, self->right + first, self->right + first);
  }
  PetscCall(NsLocalLinearSolve(linear, p, 1, self->right, self->dP));
  NsLocalVelocities(p, self->dP, self->dw);
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c), first = p->start[c];
    PetscReal     *du = self->du + 3 * c, *dp = self->dp + 3 * c;
    for (PetscInt i = first; i < p->start[c + 1]; i++) self->dw[i] += NS_DELTA * self->dP[i] - p->b[i];
    for (PetscInt i = 0; i < d; i++) {
      du[i] = stretch(p, c, i) * self->dw[first + i] + self->left[3 * c + i];
      dp[i] = self->dP[first + i] / stretch(p, c, i);
    }
    for (PetscInt i = 1; i < d; i++) du[0] += self->direction[2 * c + i - 1] * self->dw[first + i];
  }
  PetscFunctionReturn(0);
}

/* How far both go, up to 1. */
static PetscReal reach(const NsLocalSolver_InteriorPoint *self, const NsLocalProblem *p, PetscReal share)
{
  PetscReal alpha = 1 / share;

  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c);
    if (d == 0) continue;
    alpha = to_boundary(d, self->u + 3 * c, self->du + 3 * c, alpha);
    alpha = to_boundary(d, self->p + 3 * c, self->dp + 3 * c, alpha);
  }
  return share * alpha;
}

/* (u + alpha du) . (p + alpha dp) for each cone. */
static PetscReal gap(const NsLocalSolver_InteriorPoint *self, const NsLocalProblem *p, PetscReal alpha)
{
  PetscReal sum   = 0;
  PetscInt  cones = 0;

  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c);
    for (PetscInt i = 3 * c; i < 3 * c + d; i++) sum += (self->u[i] + alpha * self->du[i]) * (self->p[i] + alpha * self->dp[i]);
    if (d > 0) cones++;
  }
  return cones ? sum / cones : 0;
}

static void begin(NsLocalSolver_InteriorPoint *self, const NsLocalProblem *p, PetscReal *P)
{
  PetscReal size = 0;
  for (PetscInt k = 0; k < p->rows; k++) size = PetscMax(size, PetscAbsReal(p->b[k]));
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c);
    for (PetscInt i = 0; i < 3; i++) self->u[3 * c + i] = self->p[3 * c + i] = self->du[3 * c + i] = self->dp[3 * c + i] = 0;
    self->u[3 * c] = self->p[3 * c] = size;
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++) P[k] = 0;
    if (d > 0) P[p->start[c]] = stretch(p, c, 0) * self->p[3 * c];
  }
}

/* Uniform in (0, 1); Knuth's linear congruential generator, its upper bits. */
static PetscReal draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((PetscReal)(*seed >> 12) + 0.5) / (PetscReal)(1ULL << 52);
}

/* Near P again, at a distance from the boundary. */
static void begin_again(
  NsLocalSolver_InteriorPoint *self, const NsLocalProblem *p, PetscReal distance, uint64_t *seed, PetscReal *P, const PetscReal *w)
{
  PetscReal size = 0;

  for (PetscInt k = 0; k < p->rows; k++) size = PetscMax(size, PetscAbsReal(p->b[k]));
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c), first = p->start[c];
    PetscReal     *u = self->u + 3 * c, *x = self->p + 3 * c, t[2], length[2] = {0};
    if (d == 0) continue;
    image(p, c, 0, w + first, u, t);
    for (PetscInt i = 0; i < d; i++) x[i] = P[first + i] / stretch(p, c, i);
    for (PetscInt i = 1; i < d; i++) {
      length[0] += u[i] * u[i];
      length[1] += x[i] * x[i];
    }
    u[0]     = PetscMax(u[0], PetscSqrtReal(length[0])) + distance * size * PetscPowReal(10, draw(seed) - 0.5);
    x[0]     = PetscMax(x[0], PetscSqrtReal(length[1])) + distance * size * PetscPowReal(10, draw(seed) - 0.5);
    P[first] = stretch(p, c, 0) * x[0];
  }
}

/* u - e(w), t, of all contacts. */
static void compare(NsLocalSolver_InteriorPoint *self, const NsLocalProblem *p, const PetscReal *w)
{
  const PetscReal nu = gap(self, p, 0);

  for (PetscInt c = 0; c < p->contacts; c++) {
    PetscReal e[3];
    if (dimension(p, c) == 0) continue;
    image(p, c, NS_SMOOTH * nu / self->p[3 * c], w + p->start[c], e, self->direction + 2 * c);
    for (PetscInt i = 0; i < dimension(p, c); i++) self->left[3 * c + i] = e[i] - self->u[3 * c + i];
  }
}

/* Predictor, centring, corrector; the length of the step. */
static PetscErrorCode iterate(NsLocalSolver_InteriorPoint *self, NsLocalLinear *linear, const NsLocalProblem *p, PetscBool frozen, PetscReal *P,
  const PetscReal *w, PetscReal *alpha)
{
  PetscReal now, sigma;

  PetscFunctionBegin;
  compare(self, p, w);
  for (PetscInt k = 0; k < 2 * p->contacts && frozen; k++) self->direction[k] = 0;
  set_blocks(self, p);
  PetscCall(NsLocalLinearFactor(linear, p, self->newton.D));
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c);
    if (d > 0) jordan(d, self->lambda + 3 * c, self->lambda + 3 * c, self->q + 3 * c);
    for (PetscInt i = 0; i < d; i++) self->q[3 * c + i] = -self->q[3 * c + i];
  }
  PetscCall(find_step(self, linear, p, w, self->q));
  now                    = gap(self, p, 0);
  sigma                  = now > 0 ? PetscMin(1, gap(self, p, reach(self, p, 0.99)) / now) : 0;
  sigma                  = sigma > 0 ? sigma * sigma * sigma : 0;
  const PetscBool centre = *alpha < NS_SHORT;
  if (centre) sigma = PetscMax(sigma, NS_CENTRE);
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt d = dimension(p, c);
    PetscReal      a[3], b[3], product[3];
    if (d == 0) continue;
    multiply(d, self->inverse + 9 * c, self->du + 3 * c, a);
    multiply(d, self->W + 9 * c, self->dp + 3 * c, b);
    jordan(d, a, b, product);
    for (PetscInt i = 0; i < d; i++) self->q[3 * c + i] += (i == 0 ? sigma * now : 0) - (centre ? 0 : product[i]);
  }
  PetscCall(find_step(self, linear, p, w, self->q));
  *alpha = PetscMin(1, reach(self, p, 0.95));
  for (PetscInt c = 0; c < p->contacts; c++) {
    for (PetscInt i = 3 * c; i < 3 * c + dimension(p, c); i++) {
      self->u[i] += *alpha * self->du[i];
      self->p[i] += *alpha * self->dp[i];
    }
  }
  for (PetscInt k = 0; k < p->rows; k++) P[k] += *alpha * self->dP[k];
  PetscFunctionReturn(0);
}

/* One path to the solution, from `begin` or `begin_again`; P is left at what it has come to. */
static PetscErrorCode follow_path(
  NsLocalSolver *solver, const NsLocalProblem *unit, NsLocalLinear *linear, PetscInt number, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_InteriorPoint *self   = solver->data;
  const PetscBool              frozen = number % 2 == 1; /* without the derivative of De Saxce's term after short steps */
  PetscReal                    next = NS_FIRST, alpha = 1, least = PETSC_INFINITY;
  PetscInt                     stalls = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i <= solver->max_iterations; i++) {
    NsLocalVelocities(unit, P, solver->w);
    const PetscReal residual = NsLocalUnitResidual(unit, P, solver->w);
    stalls                   = alpha < NS_SHORT ? stalls + 1 : PetscMax(0, stalls - 1);
    const PetscBool last     = !(residual <= PETSC_MAX_REAL) || i == solver->max_iterations || stalls == NS_STALLS || NsLocalStops(solver);
    if (residual < least) {
      least = residual;
      PetscCall(PetscArraycpy(self->end, P, unit->rows));
    }
    if (residual <= next || last) { /* the states are known, or nothing more will be */
      NsLocalResult end = {.residual = PETSC_INFINITY};
      PetscCall(PetscArraycpy(self->v, self->end, unit->rows));
      PetscCall(NsProximalNewtonSolve(
        &self->newton, linear, solver, unit, last ? NS_LAST_STEPS : NS_STEPS, number % 3 == 1 ? 100 : 20, self->v, solver->w, &end));
      result->iterations += end.iterations;
      next = NS_NEXT * PetscMin(next, residual);
      if (end.residual <= solver->tolerance || last) {
        PetscCall(PetscArraycpy(P, self->v, unit->rows));
        result->residual = end.residual;
        PetscFunctionReturn(0);
      }
      NsLocalVelocities(unit, P, solver->w);
    }
    PetscCall(iterate(self, linear, unit, frozen && stalls > 0, P, solver->w, &alpha));
    result->iterations++;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolve_InteriorPoint(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_InteriorPoint *self = solver->data;
  NsLocalLinear               *linear;
  PetscReal                    least = PETSC_INFINITY;
  uint64_t                     seed  = NS_SEED;

  PetscFunctionBegin;
  PetscCall(NsLocalSolverLinear(solver, unit, &linear));
  PetscCall(PetscArraycpy(self->best, P, unit->rows)); /* what is not finite has no residual, and is never the best */
  for (PetscInt number = 0; number < (solver->impatient ? NS_FEW_PATHS : NS_PATHS); number++) {
    if (number == 0) {
      begin(self, unit, P);
    } else {
      NsLocalVelocities(unit, P, solver->w);
      begin_again(self, unit, PetscMin(1, least * PetscPowReal(10, 3 * draw(&seed))), &seed, P, solver->w);
    }
    PetscCall(follow_path(solver, unit, linear, number, P, result));
    if (result->residual < least) {
      least = result->residual;
      PetscCall(PetscArraycpy(self->best, P, unit->rows));
    }
    PetscCall(PetscArraycpy(P, self->best, unit->rows));
    if (least <= solver->tolerance || !(least <= PETSC_MAX_REAL) || NsLocalStops(solver)) break;
  }
  result->residual = least;
  NsLocalVelocities(unit, P, solver->w);
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_InteriorPoint = {
  .name = "interior_point",
  .about =
    "interior point with De Saxce's term in Newton's step, ended by proximal Newton: for many contacts that act on each other over long distances, and for dependent ones",
  .create  = NsLocalSolverCreate_InteriorPoint,
  .solve   = NsLocalSolve_InteriorPoint,
  .destroy = NsLocalSolverDestroy_InteriorPoint,
};
