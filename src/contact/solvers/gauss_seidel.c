/*
  Projected Gauss-Seidel (Jean 1999; Moreau 1988): sweep by sweep and row by row, in unit form

      normal     P_N <- max(0, P_N - w_N/d)
      friction   P_T <- proj_{mu P_N}(P_T - w_T/d)
      bilateral  P   <- P - w/d

  with the w of the moment, and d the entry on the diagonal (the larger one of two tangents; 1 where it is too small to divide by).
  Converges linearly where it converges (without friction and with G symmetric and positive definite: always; with friction mostly), so it is not
  meant to end: its few sweeps find the states, and Newton ends. One sweep costs what one G P costs.
*/
#include "percuss/local.h"

static PetscErrorCode NsLocalSolverCreate_GaussSeidel(NsLocalSolver *solver)
{
  PetscReal *step; /* [rows] 1/d */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(solver->max_rows, &step));
  solver->data           = step;
  solver->max_iterations = 20000;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_GaussSeidel(NsLocalSolver *solver)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

static void set_steps(const NsLocalProblem *p, PetscReal *step)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt first = p->start[c], end = p->start[c + 1];
    for (PetscInt k = first; k < end; k++) {
      PetscReal d = p->G[k * p->rows + k];
      for (PetscInt i = first + 1; i < end && k > first && !p->bilateral[c]; i++) d = PetscMax(d, p->G[i * p->rows + i]);
      step[k] = d > 0.1 ? 1 / d : 1;
    }
  }
}

/* P - w/d */
static inline PetscReal corrected(const NsLocalProblem *p, PetscInt k, const PetscReal *step, const PetscReal *P)
{
  const PetscReal *row = p->G + k * p->rows;
  PetscReal        w   = p->b[k];

  for (PetscInt j = 0; j < p->rows; j++) w += row[j] * P[j];
  return P[k] - step[k] * w;
}

static void sweep(const NsLocalProblem *p, const PetscReal *step, PetscReal *P)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt first = p->start[c], tangents = p->start[c + 1] - first - 1;
    P[first] = corrected(p, first, step, P);
    if (p->bilateral[c]) {
      for (PetscInt i = 1; i <= tangents; i++) P[first + i] = corrected(p, first + i, step, P);
      continue;
    }
    P[first] = PetscMax(P[first], 0);
    if (tangents == 0) continue;
    const PetscReal radius = p->friction[c] * P[first];
    if (tangents == 1) {
      P[first + 1] = PetscClipInterval(corrected(p, first + 1, step, P), -radius, radius);
      continue;
    }
    const PetscReal x[2] = {corrected(p, first + 1, step, P), corrected(p, first + 2, step, P)}, length = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]);
    for (int i = 0; i < 2; i++) P[first + 1 + i] = length > radius ? radius / length * x[i] : x[i];
  }
}

static PetscErrorCode NsLocalSolve_GaussSeidel(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  PetscReal *step = solver->data;

  PetscFunctionBegin;
  set_steps(unit, step);
  while (result->iterations < solver->max_iterations) {
    const PetscInt some =
      PetscMin(10, solver->max_iterations - result->iterations); /* between two looks at the residual, which cost one sweep each */
    for (PetscInt i = 0; i < some; i++) sweep(unit, step, P);
    result->iterations += some;
    NsLocalVelocities(unit, P, solver->w);
    result->residual = NsLocalUnitResidual(unit, P, solver->w);
    if (result->residual <= solver->tolerance || !(result->residual <= PETSC_MAX_REAL)) break;
  }
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_GaussSeidel = {
  .name        = "gauss_seidel",
  .approximate = PETSC_TRUE,
  .about       = "projected Gauss-Seidel, contact by contact; slow and sturdy: its first sweeps find the states from which Newton ends",
  .create      = NsLocalSolverCreate_GaussSeidel,
  .solve       = NsLocalSolve_GaussSeidel,
  .destroy     = NsLocalSolverDestroy_GaussSeidel,
};
