/*
  Back end `petsc`: M, C, K as AIJ matrices, one KSP for each operator A = m M + c C + k K that a scheme solves with.

  Works for any model. Default solver: the diagonal itself where A is diagonal, else one factorisation (Cholesky where A is symmetric) and two sweeps a step;
  the options database (`percuss run CONFIG -- -ksp_type cg -pc_type jacobi`) changes it. A step costs a MatMult and a KSPSolve.
*/
#include <petscksp.h>
#include "free.h"

typedef struct {
  Mat       A[NS_SLOTS];
  KSP       ksp[NS_SLOTS];
  PetscBool in_order; /* unknowns are numbered along the lines already: factors need no reordering */
} NsBackEndData_Petsc;

/* Numbered along lines when no element spans more than a few unknowns: natural order then has no fill, and sweeps without permutation are faster. */
static PetscBool is_in_order(const NsFe *fe)
{
  for (PetscInt i = 0; i < fe->elements; i++) {
    if (PetscAbsInt(fe->element[i].node[0] - fe->element[i].node[1]) > 2) return PETSC_FALSE;
  }
  for (PetscInt s = 0; s < fe->springs; s++) {
    const NsFeSpot *spot = fe->spring[s].spot;
    PetscInt        node[2];
    for (int k = 0; k < 2; k++) node[k] = spot[k].node >= 0 || spot[k].body < 0 ? spot[k].node : fe->element[spot[k].element].node[0];
    if (spot[1].body >= 0 && PetscAbsInt(node[0] - node[1]) > 2) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscErrorCode create(NsFreeDynamics *free)
{
  NsBackEndData_Petsc *self = NsArenaAlloc(free->fe->arena, sizeof(*self));

  PetscFunctionBegin;
  self->in_order = is_in_order(free->fe);
  free->data     = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsFreeDynamics *free)
{
  NsBackEndData_Petsc *self = free->data;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < NS_SLOTS; s++) {
    PetscCall(MatDestroy(&self->A[s]));
    PetscCall(KSPDestroy(&self->ksp[s]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsFreeDynamics *free, Vec q, Vec v, Vec h)
{
  PetscFunctionBegin;
  PetscCall(MatMult(free->K, q, free->work));
  if (free->C) PetscCall(MatMultAdd(free->C, v, free->work, free->work));
  PetscCall(VecAXPY(h, -1, free->work));
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsFreeDynamics *free, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMult(free->M, x, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode default_solver(const NsFreeDynamics *free, Mat A, PetscBool symmetric, KSP ksp)
{
  const NsBackEndData_Petsc *self = free->data;
  PC                         pc;
  MatInfo                    info;
  PetscInt                   rows;
  PetscReal                  smallest;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  if ((PetscInt)info.nz_used == rows)
    PetscCall(PCSetType(pc, PCJACOBI)); /* a diagonal is its own factor */
  else {
    PetscCall(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
    PetscCall(PCFactorSetMatOrderingType(pc, self->in_order ? MATORDERINGNATURAL : MATORDERINGRCM));
    /* PETSc's own limit, 2e-14, is absolute: it takes the mass matrix of a thin wire for singular */
    PetscCall(MatGetDiagonal(A, free->work));
    PetscCall(VecMin(free->work, NULL, &smallest));
    PetscCall(PCFactorSetZeroPivot(pc, 1e-14 * smallest));
  }
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT)); /* of iterative solvers, if the user takes one */
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsFreeDynamics *free, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  NsBackEndData_Petsc *self = free->data;
  KSP                 *ksp  = &self->ksp[slot];

  PetscFunctionBegin;
  PetscCall(MatDestroy(&self->A[slot]));
  PetscCall(NsFreeDynamicsOperator(free, op, symmetric, &self->A[slot]));
  if (!*ksp) {
    PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
    PetscCall(KSPSetOperators(*ksp, self->A[slot], self->A[slot]));
    PetscCall(default_solver(free, self->A[slot], symmetric, *ksp));
    PetscCall(KSPSetFromOptions(*ksp));
  }
  PetscCall(KSPSetOperators(*ksp, self->A[slot], self->A[slot]));
  PetscCall(KSPSetUp(*ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(NsFreeDynamics *free, PetscInt slot, Vec b, Vec x)
{
  NsBackEndData_Petsc *self = free->data;
  KSPConvergedReason   reason;

  PetscFunctionBegin;
  PetscCall(KSPSolve(self->ksp[slot], b, x));
  PetscCall(KSPGetConvergedReason(self->ksp[slot], &reason));
  /* x becomes not-a-number: the loop finds it, names the unknown and stops; a linear solver that fails is the user's choice of options */
  if (reason < 0) PetscCall(VecSet(x, NAN));
  PetscFunctionReturn(0);
}

static PetscErrorCode kinetic(NsFreeDynamics *free, Vec v, PetscReal *value)
{
  PetscFunctionBegin;
  PetscCall(MatMult(free->M, v, free->work));
  PetscCall(VecDot(v, free->work, value));
  *value /= 2;
  PetscFunctionReturn(0);
}

static PetscErrorCode damping(NsFreeDynamics *free, Vec v, Vec w, PetscReal *power)
{
  PetscFunctionBegin;
  PetscCall(MatMult(free->dampers, v, free->work));
  PetscCall(VecDot(w, free->work, power));
  PetscFunctionReturn(0);
}

const NsBackEnd NsBackEnd_Petsc = {"petsc", create, destroy, force, mult, factor, solve, kinetic, damping};
