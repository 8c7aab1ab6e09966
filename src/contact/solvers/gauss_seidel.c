/*
  Block Gauss-Seidel (M. Jean: The non-smooth contact dynamics method, 1999): contact by contact, in unit form,

      P_c <- the exact solution of  w_c = q + G_cc P_c  with the law of the contact,   q = w_c - G_cc P_c  with the w of the moment         (one_contact.c)

  Converges linearly where it converges: in a few sweeps where contacts act on themselves more than on each other (elastic bodies), slowly between rigid bodies, and with friction not
  always. So it is first where there are few contacts in a row of G, and elsewhere finds the states from which Newton ends.

  One sweep costs what one G P costs:
      sparse           v = Y P is kept,     w_c = b_c + U_c v
      dense            w_c by rows of G, which need not be symmetric; where it is large P is kept in its own units
*/
#include "percuss/local.h"
#include "one_contact.h"

typedef struct {
  PetscReal *block; /* [9 contacts] G_cc */
  PetscReal *Q;     /* [rows] scale P of a large dense problem */
} NsLocalSolver_GaussSeidel;

static PetscErrorCode NsLocalSolverCreate_GaussSeidel(NsLocalSolver *solver)
{
  NsLocalSolver_GaussSeidel *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(PetscMalloc2((9 * solver->max_contacts), &self->block, solver->max_rows, &self->Q));
  solver->data = self;
  if (solver->max_iterations == 0) solver->max_iterations = 20000;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_GaussSeidel(NsLocalSolver *solver)
{
  NsLocalSolver_GaussSeidel *self = solver->data;

  PetscFunctionBegin;
  PetscCall(PetscFree2(self->block, self->Q));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

/* y = rows of A times x; eight sums for each, as one alone would wait for itself. */
static void multiply_rows(PetscInt rows, PetscInt n, const PetscReal *A, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < rows; i++, A += n) {
    PetscReal sum[8] = {0};
    PetscInt  j      = 0;
    for (; j + 8 <= n; j += 8) {
      for (PetscInt l = 0; l < 8; l++) sum[l] += A[j + l] * x[j + l];
    }
    for (; j < n; j++) sum[0] += A[j] * x[j];
    y[i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }
}

/* w of contact c at P. */
static inline void velocity(const NsLocalSolver_GaussSeidel *self, const NsLocalProblem *p, PetscInt c, const PetscReal *P, PetscReal *u)
{
  const PetscInt first = p->start[c], m = p->start[c + 1] - first;

  if (p->sparse) {
    const NsLocalBlocks *U     = &p->sparse->U;
    const PetscInt       width = U->first[c + 1] - U->first[c], *at = U->at + U->first[c];
    const PetscReal     *value = U->value + U->place[c], *v = p->sparse->v;
    for (PetscInt i = 0; i < m; i++, value += width) {
      u[i] = p->b[first + i];
      for (PetscInt j = 0; j < width; j++) u[i] += value[j] * v[at[j]];
    }
    return;
  }
  multiply_rows(m, p->rows, p->G + (PetscInt64)first * p->rows, p->scale ? self->Q : P, u);
  for (PetscInt i = 0; i < m; i++) u[i] = p->b[first + i] + (p->scale ? p->scale[first + i] : 1) * u[i];
}

/* The effect of dP at contact c. */
static inline void act(const NsLocalSolver_GaussSeidel *self, const NsLocalProblem *p, PetscInt c, const PetscReal *dP)
{
  const PetscInt first = p->start[c], m = p->start[c + 1] - first;

  for (PetscInt i = 0; i < m && p->scale; i++) self->Q[first + i] += p->scale[first + i] * dP[i];
  if (!p->sparse) return;
  const NsLocalBlocks *Y     = &p->sparse->Y;
  const PetscInt       width = Y->first[c + 1] - Y->first[c], *at = Y->at + Y->first[c];
  const PetscReal     *value = Y->value + Y->place[c];
  for (PetscInt i = 0; i < m; i++, value += width) {
    if (dP[i] != 0) NsLocalScatter(width, at, value, dP[i], p->sparse->v);
  }
}

/* Returns the largest change. */
static PetscReal sweep(const NsLocalSolver_GaussSeidel *self, const NsLocalProblem *p, PetscReal *P)
{
  PetscReal largest = 0;

  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt first = p->start[c], m = p->start[c + 1] - first;
    NsOneContact   contact = {m, p->bilateral[c], p->friction[c], {0}};
    PetscReal      u[3], x[3], change = 0;
    velocity(self, p, c, P, u);
    for (PetscInt k = 0; k < m * m; k++) contact.A[k] = self->block[9 * c + k];
    for (PetscInt i = 0; i < m; i++) {
      x[i] = P[first + i];
      for (PetscInt j = 0; j < m; j++) u[i] -= contact.A[i * m + j] * P[first + j];
    }
    NsOneContactSolve(&contact, u, x);
    for (PetscInt i = 0; i < m; i++) {
      const PetscReal d = x[i] - P[first + i];
      P[first + i]      = x[i];
      x[i]              = d;
      change            = PetscMax(change, PetscAbsReal(d));
    }
    if (change > 0) act(self, p, c, x);
    largest = PetscMax(largest, change);
  }
  return largest;
}

/* Whether sweeps that change P less by this factor each lead to the tolerance in time. */
static PetscBool is_hopeless(const NsLocalSolver *solver, PetscInt sweeps, PetscReal first, PetscReal change, PetscReal goal)
{
  if (!solver->impatient || sweeps < 6 || change <= goal) return PETSC_FALSE;
  const PetscReal rate = PetscLogReal(change / first) / (PetscReal)(sweeps - 2); /* the first sweeps find the states */
  return rate >= 0 || (PetscReal)sweeps + PetscLogReal(goal / change) / rate > (PetscReal)solver->max_iterations;
}

static PetscErrorCode NsLocalSolve_GaussSeidel(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_GaussSeidel *self    = solver->data;
  PetscReal                  largest = 0, second = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < unit->contacts; c++) NsLocalOwnBlock(unit, c, self->block + 9 * c);
  NsLocalVelocities(unit, P, solver->w);
  for (PetscInt k = 0; k < unit->rows && unit->scale; k++) self->Q[k] = unit->scale[k] * P[k];
  for (PetscInt k = 0; k < unit->rows; k++) largest = PetscMax(largest, PetscAbsReal(unit->b[k]));
  for (PetscInt since = 1; result->iterations < solver->max_iterations; since++) {
    const PetscReal change = sweep(self, unit, P);
    result->iterations++;
    if (result->iterations == 2) second = change;
    if (is_hopeless(solver, result->iterations, second, change, solver->tolerance * largest)) break;
    if (since < 10 && change > solver->tolerance * largest && result->iterations < solver->max_iterations) continue;
    NsLocalVelocities(unit, P, solver->w);
    result->residual = NsLocalUnitResidual(unit, P, solver->w);
    if (result->residual <= solver->tolerance || !(result->residual <= PETSC_MAX_REAL) || NsLocalStops(solver)) break;
    since = 0;
  }
  PetscFunctionReturn(0);
}

/* A sweep needs a column of G a contact: with a band each costs a solve. */
static PetscBool NsLocalCan_GaussSeidel(const NsLocalProblem *p)
{
  return !p->sparse || !p->sparse->band;
}

const NsLocalSolverType NsLocalSolverType_GaussSeidel = {
  .name        = "gauss_seidel",
  .approximate = PETSC_TRUE,
  .about =
    "block Gauss-Seidel with an exact solution of each contact: a few sweeps for elastic bodies; elsewhere its first sweeps find the states from which Newton ends",
  .can     = NsLocalCan_GaussSeidel,
  .create  = NsLocalSolverCreate_GaussSeidel,
  .solve   = NsLocalSolve_GaussSeidel,
  .destroy = NsLocalSolverDestroy_GaussSeidel,
};
