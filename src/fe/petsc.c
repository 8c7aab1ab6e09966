/*
  Free dynamics through PETSc: M, C, K as AIJ matrices, one KSP for each operator A = m M + c C + k K that a scheme solves with.

  Works for any model. Default solver: the diagonal itself where A is diagonal, else one Cholesky factorisation and two sweeps a step;
  the options database (`percuss run CONFIG -- -ksp_type cg -pc_type jacobi`) changes it. A step costs a MatMult and a KSPSolve.
*/
#include <petscksp.h>
#include "core/petsc_message.h"
#include "fe.h"

struct NsFreeDynamics {
  Mat        M, K;
  Mat        dampers; /* NULL without damping */
  Mat        C;       /* dampers and gyroscopic terms; NULL without either */
  PetscBool  symmetric[2]; /* C, K */
  Vec        work;
  Mat        A[NS_SLOTS];
  KSP        ksp[NS_SLOTS];
  NsOperator op[NS_SLOTS];
  PetscBool  in_order; /* unknowns are numbered along the lines already: factors need no reordering */
};

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

static PetscErrorCode take_options(Mat A)
{
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

/* A solver that PETSc does not know, and the like, is the user's mistake: it is found here, before any step. */
static PetscErrorCode check_options(NsFe *fe, Mat A)
{
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(NsKeepMessage, message));
  code = take_options(A);
  PetscCall(PetscPopErrorHandler());
  if (code) NsDiagError(fe->diag, (NsPlace){NULL, 0, 0, 0}, "PETSc refuses an option after '--': %s", message);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsCreate(NsFe *fe, NsFreeDynamics **result)
{
  NsFreeDynamics *free = NsArenaAlloc(fe->arena, sizeof(*free));
  Mat             G;
  PetscBool       known;

  PetscFunctionBegin;
  PetscCall(NsFeAssemble(fe, NULL, &free->M, &free->dampers, &G, &free->K));
  PetscCall(MatCreateVecs(free->M, &fe->weight, NULL));
  PetscCall(NsFeWeight(fe, fe->weight));
  PetscCall(MatIsSymmetricKnown(free->K, &known, &free->symmetric[1]));
  free->symmetric[0] = G ? PETSC_FALSE : PETSC_TRUE;
  if (G && free->dampers) PetscCall(MatAXPY(G, 1, free->dampers, SAME_NONZERO_PATTERN));
  if (!G && free->dampers) PetscCall(PetscObjectReference((PetscObject)free->dampers));
  free->C = G ? G : free->dampers;
  PetscCall(VecDuplicate(fe->weight, &free->work));
  PetscCall(VecDuplicate(fe->weight, &fe->work));
  fe->has_weight = fe->gravity[0] != 0 || fe->gravity[1] != 0 || fe->gravity[2] != 0 ? PETSC_TRUE : PETSC_FALSE;
  free->in_order = is_in_order(fe);
  PetscCall(check_options(fe, free->M));
  *result = free;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsDestroy(NsFreeDynamics **result)
{
  NsFreeDynamics *free = *result;

  PetscFunctionBegin;
  if (!free) PetscFunctionReturn(0);
  PetscCall(MatDestroy(&free->M));
  PetscCall(MatDestroy(&free->C));
  PetscCall(MatDestroy(&free->dampers));
  PetscCall(MatDestroy(&free->K));
  PetscCall(VecDestroy(&free->work));
  for (PetscInt s = 0; s < NS_SLOTS; s++) {
    PetscCall(MatDestroy(&free->A[s]));
    PetscCall(KSPDestroy(&free->ksp[s]));
  }
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsForce(NsFreeDynamics *free, Vec q, Vec v, Vec h)
{
  PetscFunctionBegin;
  PetscCall(MatMult(free->K, q, free->work));
  if (free->C) PetscCall(MatMultAdd(free->C, v, free->work, free->work));
  PetscCall(VecAXPY(h, -1, free->work));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsMult(NsFreeDynamics *free, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMult(free->M, x, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode default_solver(const NsFreeDynamics *free, Mat A, PetscBool symmetric, KSP ksp)
{
  PC        pc;
  MatInfo   info;
  PetscInt  rows;
  PetscReal smallest;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  if ((PetscInt)info.nz_used == rows)
    PetscCall(PCSetType(pc, PCJACOBI)); /* a diagonal is its own factor */
  else {
    PetscCall(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
    PetscCall(PCFactorSetMatOrderingType(pc, free->in_order ? MATORDERINGNATURAL : MATORDERINGRCM));
    /* PETSc's own limit, 2e-14, is absolute: it takes the mass matrix of a thin wire for singular */
    PetscCall(MatGetDiagonal(A, free->work));
    PetscCall(VecMin(free->work, NULL, &smallest));
    PetscCall(PCFactorSetZeroPivot(pc, 1e-14 * smallest));
  }
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT)); /* of iterative solvers, if the user takes one */
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsFactor(NsFreeDynamics *free, PetscInt slot, NsOperator op)
{
  NsOperator     *old       = &free->op[slot];
  const PetscBool symmetric = (op.damping == 0 || free->symmetric[0]) && (op.stiffness == 0 || free->symmetric[1]) ? PETSC_TRUE : PETSC_FALSE;
  Mat             A;

  PetscFunctionBegin;
  if (free->ksp[slot] && old->mass == op.mass && old->damping == op.damping && old->stiffness == op.stiffness) PetscFunctionReturn(0);
  PetscCall(MatDestroy(&free->A[slot]));
  if (op.stiffness == 0 && (op.damping == 0 || !free->C)) {
    PetscCall(MatDuplicate(free->M, MAT_COPY_VALUES, &A));
    if (op.mass != 1) PetscCall(MatScale(A, op.mass));
  } else {
    PetscCall(MatDuplicate(free->K, MAT_COPY_VALUES, &A));
    PetscCall(MatScale(A, op.stiffness));
    PetscCall(MatAXPY(A, op.mass, free->M, SUBSET_NONZERO_PATTERN));
    if (free->C) PetscCall(MatAXPY(A, op.damping, free->C, SUBSET_NONZERO_PATTERN));
  }
  if (symmetric) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  free->A[slot] = A;
  if (!free->ksp[slot]) {
    PetscCall(KSPCreate(PETSC_COMM_SELF, &free->ksp[slot]));
    PetscCall(KSPSetOperators(free->ksp[slot], A, A));
    PetscCall(default_solver(free, A, symmetric, free->ksp[slot]));
    PetscCall(KSPSetFromOptions(free->ksp[slot]));
  }
  PetscCall(KSPSetOperators(free->ksp[slot], A, A));
  PetscCall(KSPSetUp(free->ksp[slot]));
  *old = op;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsSolve(NsFreeDynamics *free, PetscInt slot, Vec b, Vec x)
{
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPSolve(free->ksp[slot], b, x));
  PetscCall(KSPGetConvergedReason(free->ksp[slot], &reason));
  /* x becomes not-a-number: the loop finds it, names the unknown and stops; a linear solver that fails is the user's choice of options */
  if (reason < 0) PetscCall(VecSet(x, NAN));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsKinetic(NsFreeDynamics *free, Vec v, PetscReal *kinetic)
{
  PetscFunctionBegin;
  PetscCall(MatMult(free->M, v, free->work));
  PetscCall(VecDot(v, free->work, kinetic));
  *kinetic /= 2;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsDamping(NsFreeDynamics *free, Vec v, Vec w, PetscReal *power)
{
  PetscFunctionBegin;
  *power = 0;
  if (!free->dampers) PetscFunctionReturn(0);
  PetscCall(MatMult(free->dampers, v, free->work));
  PetscCall(VecDot(w, free->work, power));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsMatrices(NsFreeDynamics *free, Mat *M, Mat *dampers, Mat *K)
{
  PetscFunctionBegin;
  *M       = free->M;
  *dampers = free->dampers;
  *K       = free->K;
  PetscFunctionReturn(0);
}
