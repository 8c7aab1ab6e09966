#include "percuss/local.h"

#define NS_LOCAL_SOLVER(name) extern const NsLocalSolverType NsLocalSolverType_##name;
#include "list.h"
#undef NS_LOCAL_SOLVER

const NsLocalSolverType *const NsLocalSolverTypes[] = {
#define NS_LOCAL_SOLVER(name) &NsLocalSolverType_##name,
#include "list.h"
#undef NS_LOCAL_SOLVER
  NULL,
};

PetscErrorCode NsLocalSolverCreate(const NsLocalSolverType *type, PetscInt max_contacts, PetscInt max_rows, NsLocalSolver **result)
{
  NsLocalSolver *solver;

  PetscFunctionBegin;
  PetscCall(PetscNew(&solver));
  solver->type           = type;
  solver->max_contacts   = max_contacts;
  solver->max_rows       = max_rows;
  solver->tolerance      = 1e-12;
  solver->max_iterations = 50;
  PetscCall(type->create(solver));
  *result = solver;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalSolverDestroy(NsLocalSolver **solver)
{
  PetscFunctionBegin;
  if (!*solver) PetscFunctionReturn(0);
  PetscCall((*solver)->type->destroy(*solver));
  PetscCall(PetscFree(*solver));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalSolve(NsLocalSolver *solver, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscFunctionBegin;
  PetscCheck(problem->contacts <= solver->max_contacts && problem->rows <= solver->max_rows, PETSC_COMM_SELF, PETSC_ERR_PLIB,
    "local problem of %" PetscInt_FMT " rows in a solver made for %" PetscInt_FMT, problem->rows, solver->max_rows);
  PetscCall(solver->type->solve(solver, problem, P, result));
  PetscFunctionReturn(0);
}

PetscReal NsLocalScaling(const NsLocalProblem *problem, PetscInt contact, PetscBool tangential)
{
  PetscReal largest = 0;

  for (PetscInt k = problem->start[contact] + (tangential ? 1 : 0); k < problem->start[contact + 1]; k++) {
    largest = PetscMax(largest, problem->G[k * problem->rows + k]);
    if (!tangential) break;
  }
  if (largest > 0) return 1 / largest;
  for (PetscInt k = 0; k < problem->rows; k++) largest = PetscMax(largest, problem->G[k * problem->rows + k]);
  return largest > 0 ? 1 / largest : 1;
}

/* The larger one, and not-a-number once that has been seen: a plain maximum would lose it. */
static PetscReal larger(PetscReal a, PetscReal b)
{
  return b <= a || a != a ? a : b;
}

PetscReal NsLocalResidual(const NsLocalProblem *problem, const PetscReal *P)
{
  PetscReal worst = 0, scale = 0;

  for (PetscInt c = 0; c < problem->contacts; c++) {
    const PetscInt  first = problem->start[c], tangents = problem->start[c + 1] - first - 1;
    const PetscReal rn = NsLocalScaling(problem, c, PETSC_FALSE), rt = tangents ? NsLocalScaling(problem, c, PETSC_TRUE) : 0;
    PetscReal       x[3], length                                     = 0;
    for (PetscInt i = 0; i <= tangents; i++) {
      const PetscReal *row = problem->G + (first + i) * problem->rows;
      const PetscReal  r   = i ? rt : rn;
      PetscReal        u   = problem->b[first + i];
      for (PetscInt j = 0; j < problem->rows; j++) u += row[j] * P[j];
      x[i]  = P[first + i] - r * u;
      scale = larger(scale, larger(r * PetscAbsReal(problem->b[first + i]), PetscAbsReal(P[first + i])));
    }
    if (problem->bilateral[c]) {
      for (PetscInt i = 0; i <= tangents; i++) worst = larger(worst, PetscAbsReal(P[first + i] - x[i]));
      continue;
    }
    worst = larger(worst, PetscAbsReal(P[first] - PetscMax(x[0], 0)));
    for (PetscInt i = 1; i <= tangents; i++) length += x[i] * x[i];
    length                 = PetscSqrtReal(length);
    const PetscReal radius = problem->friction[c] * PetscMax(P[first], 0);
    const PetscReal shrink = length > radius ? radius / length : 1;
    for (PetscInt i = 1; i <= tangents; i++) worst = larger(worst, PetscAbsReal(P[first + i] - shrink * x[i]));
  }
  return scale > 0 ? worst / scale : worst;
}
