/*
  Lemke's method (Cottle, Pang & Stone, The Linear Complementarity Problem, 4.4), for contacts without friction:

      w = b + G P,  0 <= w _|_ P >= 0

  An artificial z_0 makes w + z_0 >= 0; complementary pivots lead to where z_0 leaves, or to a ray: no solution, if G is positive semidefinite,
  dependent contacts included (then Lemke is exact, but for rounding: 1e-4 of random dependent contacts are lost); for another G (positions of w and P
  apart) a ray proves nothing. Ties are broken lexicographically, so that it cannot cycle. Bilateral rows are eliminated first:
  P_B = -G_BB^-1 (b_B + G_BU P_U), dependent ones among them without impulse. At last one exact solve with the states found, from the start: what
  dependent rows leave open stays near it.

  Refused: friction (as a complementarity problem it is four times as large, and its matrix is one for which a ray proves nothing).
  Cost: about as many pivots as contacts, each n (2 n + 2) multiplications.
*/
#include "percuss/local.h"
#include "small_linear.h"

#define NS_NOTHING \
  1e-8 /* of entries and ratios of size one: dependent contacts tie, but for rounding; with 1e-11, three times as many are lost (3e-4) */
#define NS_ROUNDING 1e-14 /* over the smallest pivot of elimination: what that may leave of a velocity that joints determine */

typedef struct {
  PetscInt     *index;    /* [rows] rows of the problem: bilateral ones, then normals */
  PetscReal    *K;        /* [rows, rows + 1] G and b in that order, without the bilateral unknowns after elimination */
  PetscReal    *T;        /* [contacts, 2 contacts + 2] w - G z - z_0 = b; the last column is b */
  PetscInt     *basis;    /* [contacts] column that is basic in a row */
  PetscReal    *F, *J;    /* [rows], [rows, rows] */
  PetscBool    *closed;   /* [rows] */
  PetscReal     rounding; /* in b, after elimination */
  PetscReal     nothing;  /* in entries of T */
  NsSmallLinear linear;
} NsLocalSolver_Lemke;

static PetscErrorCode NsLocalSolverCreate_Lemke(NsLocalSolver *solver)
{
  NsLocalSolver_Lemke *self;
  const PetscInt       n = solver->max_small, m = PetscMin(solver->max_contacts, solver->max_small);

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(PetscMalloc4(n, &self->index, (n * (n + 1)), &self->K, (m * (2 * m + 2)), &self->T, m, &self->basis));
  PetscCall(PetscMalloc3(n, &self->F, (n * n), &self->J, n, &self->closed));
  PetscCall(NsSmallLinearCreate(n, &self->linear));
  solver->data           = self;
  solver->max_iterations = PetscMax(solver->max_iterations, 50 + 10 * m);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_Lemke(NsLocalSolver *solver)
{
  NsLocalSolver_Lemke *self = solver->data;

  PetscFunctionBegin;
  PetscCall(NsSmallLinearDestroy(&self->linear));
  PetscCall(PetscFree3(self->F, self->J, self->closed));
  PetscCall(PetscFree4(self->index, self->K, self->T, self->basis));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

static PetscBool can_lemke(const NsLocalProblem *p)
{
  if (!NsLocalIsSmall(p)) return PETSC_FALSE;
  for (PetscInt c = 0; c < p->contacts; c++) {
    if (!p->bilateral[c] && !NsLocalIsSmooth(p, c)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static inline void swap(PetscReal *a, PetscReal *b)
{
  const PetscReal t = *a;

  *a = *b;
  *b = t;
}

/* Eliminates the first `bilateral` of the unknowns of K[size, size + 1] from the rows behind them, with full pivoting.
   Returns the smallest pivot, or 1. */
static PetscReal eliminate(PetscReal *K, PetscInt bilateral, PetscInt size)
{
  const PetscInt wide     = size + 1;
  PetscReal      smallest = 1;

  for (PetscInt k = 0; k < bilateral; k++) {
    PetscInt  row = k, column = k;
    PetscReal largest = 0;
    for (PetscInt i = k; i < bilateral; i++) {
      for (PetscInt j = k; j < bilateral; j++) {
        if (PetscAbsReal(K[i * wide + j]) <= largest) continue;
        largest = PetscAbsReal(K[i * wide + j]);
        row     = i;
        column  = j;
      }
    }
    if (largest <= NS_NOTHING) break; /* the others depend on these */
    smallest = PetscMin(smallest, largest);
    for (PetscInt j = 0; j < wide; j++) swap(&K[k * wide + j], &K[row * wide + j]);
    for (PetscInt i = 0; i < size; i++) swap(&K[i * wide + k], &K[i * wide + column]);
    for (PetscInt i = k + 1; i < size; i++) {
      const PetscReal factor = K[i * wide + k] / K[k * wide + k];
      for (PetscInt j = k; j < wide; j++) K[i * wide + j] -= factor * K[k * wide + j];
    }
  }
  return smallest;
}

/* Exchanges the basic variable of `row` for that of `column`. */
static void pivot(PetscReal *T, PetscInt m, PetscInt row, PetscInt column)
{
  const PetscInt  wide    = 2 * m + 2;
  const PetscReal inverse = 1 / T[row * wide + column];

  for (PetscInt j = 0; j < wide; j++) T[row * wide + j] *= inverse;
  T[row * wide + column] = 1;
  for (PetscInt i = 0; i < m; i++) {
    const PetscReal factor = T[i * wide + column];
    if (i == row || factor == 0) continue;
    for (PetscInt j = 0; j < wide; j++) T[i * wide + j] -= factor * T[row * wide + j];
    T[i * wide + column] = 0;
  }
}

/* Whether (b, columns of w) / scale_i of row i comes before that of row k. */
static PetscBool comes_before(const PetscReal *T, PetscInt m, PetscInt i, PetscReal scale_i, PetscInt k, PetscReal scale_k)
{
  const PetscInt wide = 2 * m + 2;

  for (PetscInt j = -1; j < m; j++) {
    const PetscInt  column     = j < 0 ? wide - 1 : j;
    const PetscReal difference = T[i * wide + column] / scale_i - T[k * wide + column] / scale_k;
    if (PetscAbsReal(difference) > NS_NOTHING) return difference < 0;
  }
  return PETSC_FALSE;
}

/* Row of the variable that the one of `column` drives to zero first; the artificial one goes as soon as it can; -1: none, a ray. */
static PetscInt leaving_row(const NsLocalSolver_Lemke *self, PetscInt m, PetscInt column)
{
  const PetscInt   wide = 2 * m + 2;
  const PetscReal *T    = self->T;
  PetscInt         best = -1;

  for (PetscInt i = 0; i < m; i++) {
    const PetscReal entry = T[i * wide + column];
    if (entry > self->nothing && (best < 0 || comes_before(T, m, i, entry, best, T[best * wide + column]))) best = i;
  }
  for (PetscInt i = 0; i < m && best >= 0; i++) {
    const PetscReal entry = T[i * wide + column], most = T[best * wide + wide - 1] / T[best * wide + column];
    if (self->basis[i] == 2 * m && entry > self->nothing && T[i * wide + wide - 1] / entry <= most + self->nothing) best = i;
  }
  return best;
}

/* Pivots until the artificial variable has left. */
static PetscBool find_basis(NsLocalSolver_Lemke *self, PetscInt m, PetscInt most_pivots, PetscInt *pivots)
{
  const PetscInt wide = 2 * m + 2, artificial = 2 * m;
  PetscReal     *T     = self->T;
  PetscInt      *basis = self->basis, row = 0, entering = artificial;

  for (PetscInt i = 0; i < m; i++) basis[i] = i;
  for (PetscInt i = 1; i < m; i++) {
    if (T[i * wide + wide - 1] <= T[row * wide + wide - 1]) row = i;
  }
  if (m == 0 || T[row * wide + wide - 1] >= 0) return PETSC_TRUE;
  for (*pivots = 0; *pivots < most_pivots && row >= 0; ++*pivots) {
    const PetscInt leaving = basis[row];
    pivot(T, m, row, entering);
    basis[row] = entering;
    if (leaving == artificial) return PETSC_TRUE;
    entering = leaving < m ? leaving + m : leaving - m;
    row      = leaving_row(self, m, entering);
  }
  /* A ray; or rounding has kept an artificial variable that is zero. */
  for (PetscInt i = 0; i < m; i++) {
    if (basis[i] == artificial) return T[i * wide + wide - 1] <= self->rounding;
  }
  return PETSC_FALSE;
}

/* Sorts the rows: bilateral ones, whose number is returned, then the normals of the others. */
static PetscInt sort_rows(const NsLocalProblem *p, PetscInt *index, PetscInt *size)
{
  PetscInt bilateral = 0;

  for (PetscInt c = 0; c < p->contacts; c++) {
    for (PetscInt k = p->start[c]; k < p->start[c + 1] && p->bilateral[c]; k++) index[bilateral++] = k;
  }
  *size = bilateral;
  for (PetscInt c = 0; c < p->contacts; c++) {
    if (!p->bilateral[c]) index[(*size)++] = p->start[c];
  }
  return bilateral;
}

/* The tableau of what elimination of the bilateral rows leaves; b to size one, for the tolerances. */
static void set_tableau(NsLocalSolver_Lemke *self, const NsLocalProblem *p, PetscInt bilateral, PetscInt size)
{
  const PetscInt m = size - bilateral, wide = 2 * m + 2;
  PetscReal      largest = 0;

  for (PetscInt i = 0; i < size; i++) {
    const PetscInt k = self->index[i];
    for (PetscInt j = 0; j < size; j++) self->K[i * (size + 1) + j] = p->G[k * p->rows + self->index[j]];
    self->K[i * (size + 1) + size] = p->b[k];
    largest                        = PetscMax(largest, PetscAbsReal(p->b[k]));
  }
  self->rounding = NS_ROUNDING / eliminate(self->K, bilateral, size);
  self->nothing  = PetscMax(NS_NOTHING, self->rounding);
  for (PetscInt i = 0; i < m; i++) {
    const PetscReal *row = self->K + (bilateral + i) * (size + 1), b = largest > 0 ? row[size] / largest : 0;
    PetscReal       *to = self->T + i * wide;
    for (PetscInt j = 0; j < m; j++) {
      to[j]     = i == j ? 1 : 0;
      to[m + j] = -row[bilateral + j];
    }
    to[2 * m]     = -1;
    to[2 * m + 1] = PetscAbsReal(b) > self->rounding ? b : 0;
  }
}

static PetscErrorCode NsLocalSolve_Lemke(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_Lemke *self = solver->data;
  PetscInt             size;
  const PetscInt       bilateral = sort_rows(unit, self->index, &size), m = size - bilateral;

  PetscFunctionBegin;
  set_tableau(self, unit, bilateral, size);
  if (!find_basis(self, m, solver->max_iterations, &result->iterations)) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < unit->rows; k++) self->closed[k] = PETSC_FALSE;
  for (PetscInt i = 0; i < bilateral; i++) self->closed[self->index[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < m; i++) {
    if (self->basis[i] >= m && self->basis[i] < 2 * m) self->closed[self->index[self->basis[i] - m + bilateral]] = PETSC_TRUE;
  }
  NsLocalVelocities(unit, P, solver->w);
  for (PetscInt k = 0; k < unit->rows; k++) {
    if (self->closed[k])
      NsLocalVelocityRow(unit, k, solver->w, self->F, self->J);
    else
      NsLocalImpulseRow(unit, k, P, self->F, self->J);
  }
  NsSmallLinearSolve(&self->linear, unit->rows, self->J, self->F, self->F);
  for (PetscInt k = 0; k < unit->rows; k++) P[k] -= self->F[k];
  NsLocalVelocities(unit, P, solver->w);
  result->residual = NsLocalUnitResidual(unit, P, solver->w);
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_Lemke = {
  .name    = "lemke",
  .about   = "Lemke's complementary pivots, for contacts without friction: exact, dependent contacts included",
  .can     = can_lemke,
  .create  = NsLocalSolverCreate_Lemke,
  .solve   = NsLocalSolve_Lemke,
  .destroy = NsLocalSolverDestroy_Lemke,
};
