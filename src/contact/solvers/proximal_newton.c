/*
  Semismooth Newton on the Alart-Curnier equations (semismooth_newton.c has them) with a proximal term (R. T. Rockafellar: Monotone operators and the proximal point algorithm, 1976), for
  large problems and those whose contacts depend on each other.  With y = w + delta (P - C) in place of w,

      F(P, y) = 0,     (B + F_y G) dP = -F,   B = F_P + delta F_y,   so that   (I + D G) dP = -B^-1 F,   D = B^-1 F_y:   a block for each contact, linear.c

  B is regular for delta > 0 whatever the state is, and so is the whole system where G is positive semidefinite.

      1.  C = 0           the impulses that solve it are unique where those of the law itself are not, and the smallest of these but for terms of delta; they depend on the data only and
                          continuously, not on where Newton began, so that friction forces do not jump from step to step
      2.  C = P           the centre follows: y = w, what has been left of delta C goes, by directions in the range of G alone, and the law holds to the last digit. Where a state is wrong
                          a full step goes far along what G hardly resists, so that delta is a Levenberg-Marquardt parameter here: it falls with the square root of the residual, and is ten
                          times as large where a step leads to more than `bold` times the least residual (some increase is needed to get past changes of states)

  A step costs a factorization; five or so from the last solution of a run, thirteen from nothing. Cycles end it: the interior point comes first then (chain.c).
*/
#include "proximal_newton.h"
#include "one_contact.h"

#define NS_DELTA   1e-6 /* of the diagonal of G, which is 1/2 to 2 */
#define NS_NEARLY  1e-9 /* residual of the first part */
#define NS_WORSE   1e3  /* times the least residual: it goes astray */
#define NS_DAMPING 0.1  /* in the second: delta / sqrt(residual) */
#define NS_LEAST   1e-7 /* delta there, */
#define NS_MOST    10   /* and at most: no step helps */
#define NS_BOLD    20
enum { NS_STEPS = 25 }; /* in the first part */

PetscErrorCode NsProximalNewtonCreate(PetscInt contacts, PetscInt rows, NsProximalNewton *self)
{
  PetscFunctionBegin;
  self->contacts = contacts;
  self->rows     = rows;
  PetscCall(PetscMalloc7(
    (9 * contacts), &self->D, rows, &self->w, rows, &self->F, rows, &self->step, rows, &self->start, rows, &self->first, rows, &self->best));
  PetscFunctionReturn(0);
}

PetscErrorCode NsProximalNewtonDestroy(NsProximalNewton *self)
{
  PetscFunctionBegin;
  PetscCall(PetscFree7(self->D, self->w, self->F, self->step, self->start, self->first, self->best));
  PetscFunctionReturn(0);
}

void NsFrictionRows(
  PetscInt m, PetscReal mu, PetscReal limit, PetscReal r, const PetscReal *P, const PetscReal *y, PetscReal *F, PetscReal *by_P, PetscReal *by_y)
{
  const PetscReal radius = limit >= 0 ? limit : mu * PetscMax(P[0], 0);
  const PetscReal x[2] = {P[1] - r * y[1], m == 3 ? P[2] - r * y[2] : 0}, length = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);

  for (PetscInt i = 1; i < m; i++) {
    if (length <= radius && radius > 0) {
      F[i]            = y[i];
      by_y[i * m + i] = 1;
      continue;
    }
    F[i]            = P[i];
    by_P[i * m + i] = 1;
    if (radius == 0) continue;
    F[i] -= radius * x[i - 1] / length;
    if (limit < 0) by_P[i * m] = -mu * x[i - 1] / length;
    for (PetscInt l = 1; l < m && m == 3; l++) {
      const PetscReal s = radius / length * ((i == l ? 1.0 : 0.0) - x[i - 1] * x[l - 1] / (length * length));
      by_P[i * m + l] -= s;
      by_y[i * m + l] += r * s;
    }
  }
}

/* D and -B^-1 F of a contact. */
static void linearize(
  const NsLocalProblem *p, PetscInt c, PetscReal r, PetscReal delta, const PetscReal *P, const PetscReal *y, PetscReal *D, PetscReal *right)
{
  const PetscInt m       = p->start[c + 1] - p->start[c];
  PetscReal      by_P[9] = {0}, by_y[9] = {0}, B[9] = {0}, F[3] = {0}, column[3];

  const PetscReal limit = NsLocalLimit(p, c);
  if (p->bilateral[c]) {
    for (PetscInt i = 0; i < (limit < 0 ? m : 1); i++) {
      F[i]            = y[i];
      by_y[i * m + i] = 1;
    }
    if (limit >= 0) NsFrictionRows(m, 0, limit, r, P, y, F, by_P, by_y);
  } else {
    const PetscBool closed  = limit < 0 && P[0] - r * y[0] > 0;
    F[0]                    = closed ? y[0] : P[0];
    *(closed ? by_y : by_P) = 1;
    if (m > 1) NsFrictionRows(m, p->friction[c], limit, r, P, y, F, by_P, by_y);
  }
  for (PetscInt k = 0; k < m * m; k++) B[k] = by_P[k] + delta * by_y[k];
  NsSolve3(m, B, F, right);
  for (PetscInt i = 0; i < m; i++) right[i] = -right[i];
  for (PetscInt j = 0; j < m; j++) {
    for (PetscInt i = 0; i < m; i++) column[i] = by_y[i * m + j];
    NsSolve3(m, B, column, column);
    for (PetscInt i = 0; i < m; i++) D[i * m + j] = column[i];
  }
}

/* One step of Newton's method from P with y and delta. */
static PetscErrorCode step(NsProximalNewton *self, NsLocalLinear *linear, const NsLocalSolver *solver, const NsLocalProblem *p, PetscReal delta,
  PetscReal *P, const PetscReal *y)
{
  PetscFunctionBegin;
  for (PetscInt c = 0; c < p->contacts; c++)
    linearize(p, c, solver->r, delta, P + p->start[c], y + p->start[c], self->D + 9 * c, self->F + p->start[c]);
  PetscCall(NsLocalLinearFactor(linear, p, self->D));
  PetscCall(NsLocalLinearSolve(linear, p, 1, self->F, self->step));
  for (PetscInt k = 0; k < p->rows; k++) P[k] += self->step[k];
  PetscFunctionReturn(0);
}

/* The smallest impulses; false: not found within so many steps. */
static PetscErrorCode regularized(NsProximalNewton *self, NsLocalLinear *linear, const NsLocalSolver *solver, const NsLocalProblem *p, PetscInt steps,
  PetscReal *P, PetscReal *w, PetscInt *iterations, PetscBool *found)
{
  PetscReal least = PETSC_INFINITY;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (PetscInt i = 0;; i++) {
    NsLocalVelocities(p, P, w);
    for (PetscInt k = 0; k < p->rows; k++) self->w[k] = w[k] + NS_DELTA * P[k];
    const PetscReal left = NsLocalUnitResidual(p, P, self->w);
    *found               = left <= NS_NEARLY;
    if (*found || i == steps || !(left <= NS_WORSE * least) || NsLocalStops(solver)) PetscFunctionReturn(0);
    least = PetscMin(least, left);
    PetscCall(step(self, linear, solver, p, NS_DELTA, P, self->w));
    ++*iterations;
  }
}

/* From P to the law itself; P is left at the best iterate. */
static PetscErrorCode follow(NsProximalNewton *self, NsLocalLinear *linear, const NsLocalSolver *solver, const NsLocalProblem *p, PetscInt steps,
  PetscReal bold, PetscReal *P, PetscReal *w, NsLocalResult *result)
{
  PetscReal least = PETSC_INFINITY, last = PETSC_INFINITY, factor = NS_DAMPING;

  PetscFunctionBegin;
  for (PetscInt i = 0;; i++) {
    NsLocalVelocities(p, P, w);
    const PetscReal residual = NsLocalUnitResidual(p, P, w);
    if (residual < least) PetscCall(PetscArraycpy(self->best, P, p->rows));
    least = PetscMin(least, residual);
    if (residual < bold * least) {
      factor = PetscMax(1e-2 * NS_DAMPING, factor / 3);
      last   = residual;
      PetscCall(PetscArraycpy(self->start, P, p->rows));
    } else {
      factor *= 10;
      PetscCall(PetscArraycpy(P, self->start, p->rows));
      NsLocalVelocities(p, P, w);
    }
    const PetscReal delta = PetscMax(NS_LEAST, factor * PetscSqrtReal(last));
    result->residual      = least;
    if (least <= solver->tolerance || i == steps || !(delta <= NS_MOST) || NsLocalStops(solver)) break;
    PetscCall(step(self, linear, solver, p, delta, P, w));
    result->iterations++;
  }
  PetscCall(PetscArraycpy(P, self->best, p->rows));
  NsLocalVelocities(p, P, w);
  PetscFunctionReturn(0);
}

PetscErrorCode NsProximalNewtonSolve(NsProximalNewton *self, NsLocalLinear *linear, const NsLocalSolver *solver, const NsLocalProblem *p,
  PetscInt steps, PetscReal bold, PetscReal *P, PetscReal *w, NsLocalResult *result)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(self->first, P, p->rows));
  PetscCall(regularized(self, linear, solver, p, PetscMin(steps, NS_STEPS), P, w, &result->iterations, &found));
  if (!found) PetscCall(PetscArraycpy(P, self->first, p->rows));
  PetscCall(follow(self, linear, solver, p, steps, bold, P, w, result));
  PetscFunctionReturn(0);
}

/* ---- as a solver ------------------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode NsLocalSolverCreate_ProximalNewton(NsLocalSolver *solver)
{
  NsProximalNewton *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(NsProximalNewtonCreate(solver->max_contacts, solver->max_rows, self));
  solver->data = self;
  if (solver->max_iterations == 0) solver->max_iterations = 25;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_ProximalNewton(NsLocalSolver *solver)
{
  PetscFunctionBegin;
  PetscCall(NsProximalNewtonDestroy(solver->data));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolve_ProximalNewton(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalLinear *linear;

  PetscFunctionBegin;
  PetscCall(NsLocalSolverLinear(solver, unit, &linear));
  PetscCall(NsProximalNewtonSolve(solver->data, linear, solver, unit, solver->max_iterations, NS_BOLD, P, solver->w, result));
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_ProximalNewton = {
  .name = "proximal_newton",
  .about =
    "Newton's method with a proximal term, on sparse factors: for many contacts and for those that depend on each other; its forces are the smallest possible",
  .limits  = PETSC_TRUE,
  .create  = NsLocalSolverCreate_ProximalNewton,
  .solve   = NsLocalSolve_ProximalNewton,
  .destroy = NsLocalSolverDestroy_ProximalNewton,
};
