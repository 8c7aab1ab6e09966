/*
  The central path of Coulomb's law, followed by its arc length (E. L. Allgower, K. Georg: Numerical Continuation Methods, 1990), for problems that everything else ends just beside.  With the cones
  and variables of interior_point.c, u = S w + e_0 |w_T|, p = S^-1 P, the path is

      F(P, nu) = p - g_nu(p - u) = 0,     g_nu(x) = (x + sqrt(x^2 + 4 nu)) / 2 on the eigenvalues x_0 -+ |x_T| of x, which is  u o p = nu e  (C. Chen, O. L. Mangasarian 1996;
                                          M. Fukushima, Z.-Q. Luo, P. Tseng 2002)

  It begins at a large nu, where it is unique, and ends at nu = 0 with a solution if there are any: Coulomb's law has them where the normal velocities alone can be made positive (A. Klarbring,
  J.-S. Pang 1998). But the law is not monotone, and nu may have to grow on the way: paths of some walls of boxes turn forty times. So nu is an unknown like P, and a step goes along the tangent
  by a length, then back to the path at right angles to that:

      (I + D G) dP = -B^-1 F + B^-1 F_nu dnu,    B = F_p S^-1 + delta F_u T S,   D = B^-1 F_u T S:   a block for each contact, linear.c;   dnu from the second equation

  Lengths are measured in what changes by its own size: the eigenvalues of x = p - u over sqrt(x^2 + 4 nu), and nu itself. In P alone, turns of a few contacts of small forces would be far too
  sharp to be seen.

  |w_T| is sqrt(w_T^2 + eps^2) - eps, eps = kappa sqrt(nu): with a small kappa turns are sharper, and mostly fewer.

  Some paths are much longer than others. So none is followed for ever: after NS_PATH iterations another one is taken, to which each contact has a nu of its own, nu times a number drawn from a
  fixed seed, and with another kappa.

  As soon as the states are known, proximal Newton ends it. Three factorizations a step; twenty to three hundred steps.
*/
#include "proximal_newton.h"
#include "one_contact.h"

#define NS_DELTA  1e-10 /* of the diagonal of G, about P of the moment: bounds D, and changes no solution */
#define NS_FIRST  1e-4  /* residual at which the end is tried first, */
#define NS_NEXT   0.03  /* and then each time it is so much smaller */
#define NS_LAST   1e-13 /* nu over that of the beginning: rounding */
#define NS_CLOSE  0.1   /* length of a correction: the next one does not count */
#define NS_LOST   2     /* length of the first one */
#define NS_STEP   0.5   /* the first */
#define NS_SHORT  1e-7  /* no step */
#define NS_LONG   300
#define NS_ROUND  1e-14 /* F of the largest P: its rounding */
#define NS_TO_END 0.98  /* of nu that one step may take */
#define NS_NEARLY 100   /* times the tolerance: another path would come to rounding as well */
#define NS_SEED   0x9e3779b97f4a7c15ULL
enum {
  NS_CORRECTIONS = 7,
  NS_BEGINNINGS  = 30,  /* Newton's steps at the first nu */
  NS_STEPS       = 12,  /* of Newton's at the end, */
  NS_LAST_STEPS  = 40,  /* and where the path ends */
  NS_PATH        = 2000 /* iterations of a path */
};

/* What a contact's derivatives are made of. */
typedef struct {
  PetscReal n[2], t[2];      /* directions of x_T and, smoothed, of w_T */
  PetscReal r[2], eps;       /* sqrt(lambda^2 + 4 nu) of both eigenvalues */
  PetscReal high[2], low[2]; /* r + lambda, r - lambda, without cancellation */
} Frame;

/* dP, dnu, and dx in the metric, of which the length is taken. */
typedef struct {
  PetscReal *P, *x, nu;
} Direction;

typedef struct {
  NsProximalNewton newton;
  Frame           *frame;                      /* [contacts] */
  PetscReal       *weight;                     /* [contacts] nu of each over nu */
  PetscReal       *right, *slope, *w, *best;   /* [rows] -B^-1 F, B^-1 F_nu */
  PetscReal       *P, *end, *gone;             /* [rows], [rows]; [4 contacts] since the tangent was left */
  Direction        tangent, newton_step, rate; /* rate: of the solution with nu */
  PetscReal        size, kappa;
} NsLocalSolver_CentralPath;

static PetscErrorCode create_direction(PetscInt contacts, PetscInt rows, Direction *direction)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(rows, &direction->P, (4 * contacts), &direction->x));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverCreate_CentralPath(NsLocalSolver *solver)
{
  NsLocalSolver_CentralPath *self;
  const PetscInt             c = solver->max_contacts, n = solver->max_rows;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(NsProximalNewtonCreate(c, n, &self->newton));
  PetscCall(PetscMalloc6(c, &self->frame, c, &self->weight, n, &self->right, n, &self->slope, n, &self->w, n, &self->best));
  PetscCall(PetscMalloc3(n, &self->P, n, &self->end, (4 * c), &self->gone));
  PetscCall(create_direction(c, n, &self->tangent));
  PetscCall(create_direction(c, n, &self->newton_step));
  PetscCall(create_direction(c, n, &self->rate));
  solver->data = self;
  if (solver->max_iterations == 0) solver->max_iterations = 10 * NS_PATH;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_CentralPath(NsLocalSolver *solver)
{
  NsLocalSolver_CentralPath *self = solver->data;

  PetscFunctionBegin;
  PetscCall(NsProximalNewtonDestroy(&self->newton));
  PetscCall(PetscFree6(self->frame, self->weight, self->right, self->slope, self->w, self->best));
  PetscCall(PetscFree3(self->P, self->end, self->gone));
  PetscCall(PetscFree2(self->tangent.P, self->tangent.x));
  PetscCall(PetscFree2(self->newton_step.P, self->newton_step.x));
  PetscCall(PetscFree2(self->rate.P, self->rate.x));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

/* ---- one contact -------------------------------------------------------------------------------------------------------------------------------- */

/* Dimension of a contact's cone; 0: bilateral. */
static inline PetscInt dimension(const NsLocalProblem *p, PetscInt c)
{
  return p->bilateral[c] ? 0 : p->friction[c] == 0 ? 1 : p->start[c + 1] - p->start[c];
}

/* S of the first row; the others are not scaled. */
static inline PetscReal stretch(const NsLocalProblem *p, PetscInt c)
{
  return dimension(p, c) > 1 ? 1 / p->friction[c] : 1;
}

/* The frame, and p. */
static void set_frame(
  const NsLocalProblem *p, PetscInt c, PetscReal nu, PetscReal eps, const PetscReal *P, const PetscReal *w, PetscReal *q, Frame *f)
{
  const PetscInt  d    = dimension(p, c);
  PetscReal       slip = eps * eps, x[3], length = 0;
  const PetscReal S = stretch(p, c);

  for (PetscInt i = 1; i < d; i++) slip += w[i] * w[i];
  slip = PetscSqrtReal(slip);
  q[0] = P[0] / S;
  x[0] = q[0] - S * w[0] - (d > 1 ? slip - eps : 0);
  for (PetscInt i = 1; i < d; i++) {
    q[i] = P[i];
    x[i] = P[i] - w[i];
    length += x[i] * x[i];
    f->t[i - 1] = w[i] / slip;
  }
  length = PetscSqrtReal(length);
  for (PetscInt i = 1; i < d; i++) f->n[i - 1] = length > 0 ? x[i] / length : (i == 1 ? 1 : 0);
  f->eps = eps / slip;
  for (int k = 0; k < 2; k++) {
    const PetscReal l = k == 0 ? x[0] - length : x[0] + length, r = PetscSqrtReal(l * l + 4 * nu);
    f->r[k]    = r;
    f->high[k] = l > 0 ? r + l : 4 * nu / (r - l);
    f->low[k]  = l > 0 ? 4 * nu / (r + l) : r - l;
  }
}

/* The matrix with the eigenvalues a, b along the frame and c across, [d, d] row-major. */
static void spectral(PetscInt d, const PetscReal *n, PetscReal a, PetscReal b, PetscReal c, PetscReal *A)
{
  const PetscReal mean = (a + b) / 2, half = (b - a) / 2;

  A[0] = d == 1 ? a : mean;
  for (PetscInt i = 1; i < d; i++) {
    A[i] = A[i * d] = half * n[i - 1];
    for (PetscInt j = 1; j < d; j++) A[i * d + j] = (i == j ? c : 0) + (mean - c) * n[i - 1] * n[j - 1];
  }
}

/* D, -B^-1 F and B^-1 F_nu of a contact; returns the largest of |F|. */
static PetscReal linearize(NsLocalSolver_CentralPath *self, const NsLocalProblem *p, PetscInt c, PetscReal nu, const PetscReal *P)
{
  const PetscInt  d = dimension(p, c), first = p->start[c], m = p->start[c + 1] - first;
  const PetscReal S = stretch(p, c), weight = self->weight[c], eps = self->kappa * PetscSqrtReal(weight * nu), *w = self->w + first;
  PetscReal      *D = self->newton.D + 9 * c, B[9] = {0}, F[3] = {0}, F_nu[3] = {0}, by_w[9] = {0}, K[9], J[9], q[3], largest = 0;
  Frame          *f = &self->frame[c];

  for (PetscInt i = 0; i < m; i++) {
    B[i * m + i] = 1;
    F[i]         = P[first + i];
  }
  if (d > 0) {
    set_frame(p, c, weight * nu, eps, P + first, w, q, f);
    const PetscReal g[2] = {f->high[0] / 2, f->high[1] / 2}, rates[2] = {weight / f->r[0], weight / f->r[1]}, across = 2 * (f->r[0] + f->r[1]);
    spectral(d, f->n, f->high[0] / (2 * f->r[0]), f->high[1] / (2 * f->r[1]), (f->high[0] + f->high[1]) / across, J);
    spectral(d, f->n, f->low[0] / (2 * f->r[0]), f->low[1] / (2 * f->r[1]), (f->low[0] + f->low[1]) / across, K);
    const PetscReal falls = d > 1 ? (f->eps - 1) * eps / (2 * nu) : 0; /* of |w_T| smoothed, with nu */
    for (PetscInt i = 0; i < d; i++) {
      const PetscReal n = i == 0 ? 0 : f->n[i - 1] / 2, half = d == 1 ? 1 : 0.5;
      F[i]    = q[i] - (i == 0 ? half * g[0] + (1 - half) * g[1] : n * (g[1] - g[0]));
      F_nu[i] = (i == 0 ? half * rates[0] + (1 - half) * rates[1] : n * (rates[1] - rates[0])) - J[i * d] * falls;
      for (PetscInt j = 0; j < d; j++) {
        by_w[i * m + j] = J[i * d + j] * (j == 0 ? S : 1) + (j > 0 ? J[i * d] * f->t[j - 1] : 0);
        B[i * m + j]    = K[i * d + j] / (j == 0 ? S : 1);
      }
    }
  } else {
    for (PetscInt i = 0; i < m; i++) {
      F[i]            = w[i];
      by_w[i * m + i] = 1;
      B[i * m + i]    = 0;
    }
  }
  for (PetscInt i = 0; i < m; i++) largest = PetscMax(largest, PetscAbsReal(F[i]));
  for (PetscInt k = 0; k < m * m; k++) B[k] += NS_DELTA * by_w[k];
  NsSolve3(m, B, F, self->right + first);
  for (PetscInt i = 0; i < m; i++) self->right[first + i] = -self->right[first + i];
  NsSolve3(m, B, F_nu, self->slope + first);
  for (PetscInt j = 0; j < m; j++) {
    PetscReal column[3];
    for (PetscInt i = 0; i < m; i++) column[i] = by_w[i * m + j];
    NsSolve3(m, B, column, column);
    for (PetscInt i = 0; i < m; i++) D[i * m + j] = column[i];
  }
  return largest;
}

/* dx of dP in the metric. */
static void measure(NsLocalSolver_CentralPath *self, const NsLocalProblem *p, Direction *direction)
{
  PetscReal *dw = self->newton.w;

  NsLocalVelocities(p, direction->P, dw);
  for (PetscInt k = 0; k < p->rows; k++) dw[k] -= p->b[k];
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt  d = dimension(p, c), first = p->start[c];
    const Frame    *f = &self->frame[c];
    const PetscReal S = stretch(p, c);
    PetscReal      *x = direction->x + 4 * c, dx[3] = {0}, along = 0;
    for (PetscInt i = 0; i < 4; i++) x[i] = 0;
    if (d == 0) continue;
    dx[0] = direction->P[first] / S - S * dw[first];
    for (PetscInt i = 1; i < d; i++) {
      dx[0] -= f->t[i - 1] * dw[first + i];
      dx[i] = direction->P[first + i] - dw[first + i];
      along += dx[i] * f->n[i - 1];
    }
    x[0] = (dx[0] - along) / f->r[0];
    if (d > 1) x[1] = (dx[0] + along) / f->r[1];
    for (PetscInt i = 1; i < d; i++) x[i + 1] = 2 * (dx[i] - along * f->n[i - 1]) / (f->r[0] + f->r[1]);
  }
}

static PetscReal dot(PetscInt contacts, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < 4 * contacts; k++) sum += x[k] * y[k];
  return sum;
}

/* ---- the path ----------------------------------------------------------------------------------------------------------------------------------- */

/* Newton's step at constant nu and the rate with nu, at P. */
static PetscErrorCode evaluate(
  NsLocalSolver_CentralPath *self, NsLocalLinear *linear, const NsLocalProblem *p, PetscReal nu, const PetscReal *P, PetscReal *left)
{
  PetscFunctionBegin;
  *left = 0;
  NsLocalVelocities(p, P, self->w);
  for (PetscInt c = 0; c < p->contacts; c++) *left = PetscMax(*left, linearize(self, p, c, nu, P));
  PetscCall(NsLocalLinearFactor(linear, p, self->newton.D));
  PetscCall(NsLocalLinearSolve(linear, p, 2, self->right, self->newton_step.P));
  PetscCall(NsLocalLinearSolve(linear, p, 2, self->slope, self->rate.P));
  measure(self, p, &self->newton_step);
  measure(self, p, &self->rate);
  PetscFunctionReturn(0);
}

/* F where it is nothing but rounding. */
static PetscReal rounding(const NsLocalSolver_CentralPath *self, const NsLocalProblem *p, const PetscReal *P)
{
  PetscReal largest = self->size;

  for (PetscInt k = 0; k < p->rows; k++) largest = PetscMax(largest, PetscAbsReal(P[k]));
  return NS_ROUND * largest;
}

/* The first point, at nu. */
static PetscErrorCode begin(
  NsLocalSolver_CentralPath *self, NsLocalLinear *linear, const NsLocalProblem *p, PetscReal nu, PetscReal *P, PetscInt *iterations, PetscBool *found)
{
  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (PetscInt k = 0; k < p->rows; k++) P[k] = 0;
  for (PetscInt c = 0; c < p->contacts; c++) P[p->start[c]] = dimension(p, c) ? stretch(p, c) * PetscSqrtReal(self->weight[c] * nu) : 0;
  for (PetscInt i = 0; i < NS_BEGINNINGS && !*found; i++) {
    PetscReal left;
    PetscCall(evaluate(self, linear, p, nu, P, &left));
    ++*iterations;
    *found = PetscSqrtReal(dot(p->contacts, self->newton_step.x, self->newton_step.x)) <= NS_CLOSE * NS_CLOSE || left <= rounding(self, p, P);
    for (PetscInt k = 0; k < p->rows; k++) P[k] += self->newton_step.P[k];
  }
  PetscFunctionReturn(0);
}

/* The unit tangent from the rate, which goes on as the last one does; without one (length 0) nu falls. */
static void set_tangent(NsLocalSolver_CentralPath *self, const NsLocalProblem *p, PetscReal nu)
{
  const PetscReal length  = PetscSqrtReal(dot(p->contacts, self->rate.x, self->rate.x) + 1 / (nu * nu));
  const PetscReal onwards = dot(p->contacts, self->tangent.x, self->rate.x) + self->tangent.nu / (nu * nu);
  const PetscReal factor  = (onwards > 0 ? 1 : -1) / length;

  for (PetscInt k = 0; k < p->rows; k++) self->tangent.P[k] = factor * self->rate.P[k];
  for (PetscInt k = 0; k < 4 * p->contacts; k++) self->tangent.x[k] = factor * self->rate.x[k];
  self->tangent.nu = factor;
}

/* Back to the path from the point `length` along the tangent from (P, nu); self->P and *to are the new point, *corrections how many it took; 0: not found. */
static PetscErrorCode step(NsLocalSolver_CentralPath *self, NsLocalLinear *linear, const NsLocalProblem *p, PetscReal nu, PetscReal length,
  const PetscReal *P, PetscReal *to, PetscInt *corrections, PetscInt *iterations)
{
  const Direction *T    = &self->tangent;
  PetscReal        last = PETSC_INFINITY, moved = 0;

  PetscFunctionBegin;
  *corrections = 0;
  *to          = nu + length * T->nu;
  for (PetscInt k = 0; k < p->rows; k++) self->P[k] = P[k] + length * T->P[k];
  for (PetscInt k = 0; k < 4 * p->contacts; k++) self->gone[k] = 0;
  for (PetscInt i = 0; i < NS_CORRECTIONS; i++) {
    PetscReal left, size = 0;
    PetscCall(evaluate(self, linear, p, *to, self->P, &left));
    ++*iterations;
    const PetscReal weight = T->nu / (nu * nu);
    const PetscReal dnu    = -(dot(p->contacts, T->x, self->gone) + weight * moved + dot(p->contacts, T->x, self->newton_step.x)) /
                          (dot(p->contacts, T->x, self->rate.x) + weight);
    if (!(PetscAbsReal(dnu) <= PETSC_MAX_REAL) || *to + dnu <= (1 - NS_TO_END) * *to) break;
    for (PetscInt k = 0; k < 4 * p->contacts; k++) {
      const PetscReal x = self->newton_step.x[k] + dnu * self->rate.x[k];
      self->gone[k] += x;
      size += x * x;
    }
    size                  = PetscSqrtReal(size + PetscSqr(dnu / *to));
    const PetscBool exact = left <= rounding(self, p, self->P), done = i > 0 && (size <= NS_CLOSE || exact);
    if (!done && !exact && !(size <= (i == 0 ? NS_LOST : 0.5 * last))) break;
    for (PetscInt k = 0; k < p->rows; k++) self->P[k] += self->newton_step.P[k] + dnu * self->rate.P[k];
    *to += dnu;
    moved += dnu;
    last = size;
    if (!done) continue;
    *corrections = i + 1;
    break;
  }
  PetscFunctionReturn(0);
}

/* Proximal Newton from P; true: it has found a solution. The best is kept. */
static PetscErrorCode try_to_end(
  NsLocalSolver *solver, NsLocalLinear *linear, const NsLocalProblem *p, PetscInt steps, const PetscReal *P, NsLocalResult *result, PetscBool *solved)
{
  NsLocalSolver_CentralPath *self = solver->data;
  NsLocalResult              end  = {.residual = PETSC_INFINITY};

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(self->end, P, p->rows));
  PetscCall(NsProximalNewtonSolve(&self->newton, linear, solver, p, steps, 20, self->end, solver->w, &end));
  result->iterations += end.iterations;
  *solved = end.residual <= solver->tolerance;
  if (end.residual < result->residual) {
    result->residual = end.residual;
    PetscCall(PetscArraycpy(self->best, self->end, p->rows));
  }
  PetscFunctionReturn(0);
}

/* One path, for so many iterations in all. */
static PetscErrorCode follow(
  NsLocalSolver *solver, NsLocalLinear *linear, const NsLocalProblem *p, PetscInt most, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_CentralPath *self = solver->data;
  PetscReal                  nu = PetscSqr(self->size), length = NS_STEP, next = NS_FIRST;
  const PetscReal            last = NS_LAST * nu;
  PetscBool                  found, solved = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(begin(self, linear, p, nu, P, &result->iterations, &found));
  self->tangent.nu = 0;
  for (PetscInt k = 0; k < 4 * p->contacts; k++) self->tangent.x[k] = 0;
  while (found && nu > last && length >= NS_SHORT && result->iterations < most && !NsLocalStops(solver)) {
    PetscReal to;
    PetscInt  corrections = 0;
    set_tangent(self, p, nu);
    for (; length >= NS_SHORT; length /= 3) {
      if (self->tangent.nu < 0) length = PetscMin(length, -NS_TO_END * nu / self->tangent.nu);
      PetscCall(step(self, linear, p, nu, length, P, &to, &corrections, &result->iterations));
      if (corrections) break;
    }
    if (!corrections) break;
    nu = to;
    PetscCall(PetscArraycpy(P, self->P, p->rows));
    length = PetscMin(NS_LONG, length * (corrections <= 3 ? 2.5 : corrections == 4 ? 1.3 : corrections == 5 ? 1 : 0.6));
    NsLocalVelocities(p, P, solver->w);
    const PetscReal residual = NsLocalUnitResidual(p, P, solver->w);
    if (residual > next) continue;
    PetscCall(try_to_end(solver, linear, p, NS_STEPS, P, result, &solved));
    if (solved) PetscFunctionReturn(0);
    next = NS_NEXT * residual;
  }
  if (found) PetscCall(try_to_end(solver, linear, p, NS_LAST_STEPS, P, result, &solved));
  PetscFunctionReturn(0);
}

/* Uniform in (0, 1); Knuth's linear congruential generator, its upper bits. */
static PetscReal draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((PetscReal)(*seed >> 12) + 0.5) / (PetscReal)(1ULL << 52);
}

static PetscErrorCode NsLocalSolve_CentralPath(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  static const PetscReal     kappas[] = {0.01, 0.003, 0.03};
  NsLocalSolver_CentralPath *self     = solver->data;
  NsLocalLinear             *linear;
  uint64_t                   seed = NS_SEED;

  PetscFunctionBegin;
  PetscCall(NsLocalSolverLinear(solver, unit, &linear));
  PetscCall(PetscArraycpy(self->best, P, unit->rows));
  NsLocalVelocities(unit, P, solver->w);
  result->residual = NsLocalUnitResidual(unit, P, solver->w);
  self->size       = 0;
  for (PetscInt k = 0; k < unit->rows; k++) self->size = PetscMax(self->size, PetscAbsReal(unit->b[k]));
  for (PetscInt i = 0; result->iterations < solver->max_iterations && self->size > 0 && self->size <= PETSC_MAX_REAL; i++) {
    const PetscInt most = PetscMin(solver->max_iterations, result->iterations + NS_PATH);
    self->kappa         = kappas[i % 3];
    for (PetscInt c = 0; c < unit->contacts; c++) self->weight[c] = i == 0 ? 1 : PetscPowReal(10, draw(&seed) - 0.5);
    PetscCall(follow(solver, linear, unit, most, P, result));
    if (result->residual <= NS_NEARLY * solver->tolerance || NsLocalStops(solver)) break;
  }
  PetscCall(PetscArraycpy(P, self->best, unit->rows));
  NsLocalVelocities(unit, P, solver->w);
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_CentralPath = {
  .name   = "central_path",
  .about  = "follows the central path of the interior point by its arc length, through turning points: for problems on which the other solvers stall",
  .create = NsLocalSolverCreate_CentralPath,
  .solve  = NsLocalSolve_CentralPath,
  .destroy = NsLocalSolverDestroy_CentralPath,
};
