/*
  Semismooth Newton on the Alart-Curnier equations (Alart & Curnier 1991; [A] Sec. 5).  In unit form, with w = b + G P, x = P - r w:

      normal     F_N = min(P_N, w_N)
      friction   F_T = P_T - proj(x_T),  the disc of radius rho = mu P_N (planar: the interval); w_T where it sticks, |x_T| <= rho
      bilateral  F   = w;  with a limit F_N = w_N, and F_T as for friction with rho given
      resistance F_N = P_N, and F_T likewise

  Derivatives in full; in slip, with d = x_T/|x_T|:

      dF_T = dP_T - rho/|x_T| (I - d d') (dP_T - r dw_T) - mu d dP_N

  (the last term is missing in [A] (105); without it Newton fails four times as often at mu = 0.3). In the plane (I - d d') vanishes and F is
  piecewise linear: one step is exact once the states are right, and a failure is a cycle through wrong ones. Line search is no cure for that; other
  starts and another r are (chain.c). Dependent contacts make the system singular: the smallest correction keeps P near its start.
  One iteration: G P, one linear solve of `rows` unknowns.
*/
#include "percuss/local.h"
#include "small_linear.h"

typedef struct {
  PetscReal    *F, *J; /* [rows], [rows, rows] row-major */
  NsSmallLinear linear;
} NsLocalSolver_SemismoothNewton;

static PetscErrorCode NsLocalSolverCreate_SemismoothNewton(NsLocalSolver *solver)
{
  NsLocalSolver_SemismoothNewton *self;
  const PetscInt                  n = solver->max_small;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(PetscMalloc2(n, &self->F, (n * n), &self->J));
  PetscCall(NsSmallLinearCreate(n, &self->linear));
  solver->data = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_SemismoothNewton(NsLocalSolver *solver)
{
  NsLocalSolver_SemismoothNewton *self = solver->data;

  PetscFunctionBegin;
  PetscCall(NsSmallLinearDestroy(&self->linear));
  PetscCall(PetscFree2(self->F, self->J));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

/* limit: the radius of the disc where it is given; negative: it is mu P_N. */
static void friction_rows(
  const NsLocalProblem *p, PetscReal r, PetscInt c, PetscReal limit, const PetscReal *P, const PetscReal *w, PetscReal *F, PetscReal *J)
{
  const PetscInt  n = p->rows, normal = p->start[c], first = normal + 1, tangents = p->start[c + 1] - first;
  const PetscReal radius = limit >= 0 ? limit : p->friction[c] * PetscMax(P[normal], 0);
  PetscReal       x[2]   = {P[first] - r * w[first], 0}, length;

  if (tangents == 2) x[1] = P[first + 1] - r * w[first + 1];
  length = tangents == 1 ? PetscAbsReal(x[0]) : PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);
  for (PetscInt i = 0; i < tangents; i++) {
    const PetscInt k = first + i;
    if (length <= radius && radius > 0) {
      NsLocalVelocityRow(p, k, w, F, J);
      continue;
    }
    NsLocalImpulseRow(p, k, P, F, J);
    if (radius == 0) continue;
    F[k] -= radius * x[i] / length; /* NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult): tangents <= 2 */
    if (limit < 0) J[k * n + normal] = -p->friction[c] * x[i] / length;
    for (PetscInt l = 0; l < tangents && tangents == 2; l++) {
      const PetscReal s = radius / length * ((i == l ? 1.0 : 0.0) - x[i] * x[l] / (length * length));
      J[k * n + first + l] -= s;
      for (PetscInt j = 0; j < n; j++) J[k * n + j] += s * r * p->G[(first + l) * n + j];
    }
  }
}

static void evaluate(const NsLocalProblem *p, PetscReal r, const PetscReal *P, const PetscReal *w, PetscReal *F, PetscReal *J)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt  k     = p->start[c];
    const PetscReal limit = NsLocalLimit(p, c);
    if (p->bilateral[c]) {
      for (PetscInt i = k; i < (limit < 0 ? p->start[c + 1] : k + 1); i++) NsLocalVelocityRow(p, i, w, F, J);
      if (limit >= 0) friction_rows(p, r, c, limit, P, w, F, J);
      continue;
    }
    if (limit < 0 && P[k] - r * w[k] > 0)
      NsLocalVelocityRow(p, k, w, F, J);
    else
      NsLocalImpulseRow(p, k, P, F, J);
    if (p->start[c + 1] > k + 1) friction_rows(p, r, c, limit, P, w, F, J);
  }
}

static PetscErrorCode NsLocalSolve_SemismoothNewton(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_SemismoothNewton *self = solver->data;
  PetscReal                      *w = solver->w, *F = self->F;

  PetscFunctionBegin;
  for (result->iterations = 0;; result->iterations++) {
    NsLocalVelocities(unit, P, w);
    result->residual = NsLocalUnitResidual(unit, P, w);
    if (result->residual <= solver->tolerance || result->iterations == solver->max_iterations) break;
    if (!(result->residual <= PETSC_MAX_REAL)) break; /* not a number; or nothing drives (b = 0) and P is not 0 */
    evaluate(unit, solver->r, P, w, F, self->J);
    if (NsSmallLinearSolve(&self->linear, unit->rows, self->J, F, F) < unit->rows) result->dependent = PETSC_TRUE;
    for (PetscInt k = 0; k < unit->rows; k++) P[k] -= F[k];
  }
  PetscFunctionReturn(0);
}

static PetscBool can_solve(const NsLocalProblem *p)
{
  return NsLocalIsSmall(p);
}

const NsLocalSolverType NsLocalSolverType_SemismoothNewton = {
  .name    = "semismooth_newton",
  .about   = "Newton's method on the projection equations with their full generalised derivative; quadratic once the states are right",
  .limits  = PETSC_TRUE,
  .can     = can_solve,
  .create  = NsLocalSolverCreate_SemismoothNewton,
  .solve   = NsLocalSolve_SemismoothNewton,
  .destroy = NsLocalSolverDestroy_SemismoothNewton,
};
