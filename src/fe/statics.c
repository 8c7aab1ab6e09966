/*
  The static solution K q = f(0) + M g that a run may start from: loads as at t = 0, no contact, no unbalance.

  The twist of a rotor whose spin is free has no stiffness of its own; it is held at the rotor's first node.
*/
#include <petscksp.h>
#include "fe.h"

static PetscErrorCode hold_twists(const NsFe *fe, Mat K)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    NsFeTwist       twist;
    if (!body->is_rotor || !NsSpinIsFree(body->spin)) continue;
    NsFeMakeTwist(fe, &(NsFeSpot){.body = b, .node = body->first_node, .element = -1}, &twist);
    for (PetscInt i = 0; i < twist.entries; i++) {
      const PetscInt unknown = twist.unknown[i];
      PetscReal      value;
      PetscCall(MatGetValue(K, unknown, unknown, &value));
      PetscCall(MatSetValue(K, unknown, unknown, value, ADD_VALUES));
      PetscCall(MatAssemblyBegin(K, MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(K, MAT_FINAL_ASSEMBLY));
    }
  }
  PetscFunctionReturn(0);
}

/* Names what moves most: where K is singular, that is what nothing holds. */
static PetscErrorCode blame(NsFe *fe, NsModel *model)
{
  const PetscScalar *q;
  PetscInt           most = 0;
  char               name[256];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(fe->rest, &q));
  for (PetscInt i = 0; i < fe->unknowns; i++) {
    if (!(PetscAbsReal(q[i]) <= PetscAbsReal(q[most]))) most = i;
  }
  PetscCall(VecRestoreArrayRead(fe->rest, &q));
  PetscCall(model->ops->name_unknown(model, most, name, sizeof(name)));
  NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "start"),
    "there is no static state to start from: supports, springs and bearings do not hold everything");
  NsDiagNote(fe->diag, "free to move: %s", name);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeStatics(NsFe *fe, NsModel *model)
{
  Mat            M, C, G, K;
  PetscReal     *speeds;
  KSP            ksp;
  PC             pc;
  Vec            zero, f;
  const PetscInt unbalances = fe->unbalances;
  PetscReal      size, residual, largest, diagonal;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->bodies, &speeds));
  for (PetscInt b = 0; b < fe->bodies; b++) speeds[b] = fe->body[b].is_rotor ? NsSpinAtStart(fe->body[b].spin) : 0;
  PetscCall(NsFeAssemble(fe, speeds, &M, &C, &G, &K)); /* bearings over speed as they are at the start */
  PetscCall(PetscFree(speeds));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(hold_twists(fe, K));
  PetscCall(VecDuplicate(fe->work, &zero));
  PetscCall(VecDuplicate(fe->work, &f));
  PetscCall(VecDuplicate(fe->work, &fe->rest));
  fe->unbalances = 0; /* they turn: nothing static about them */
  PetscCall(NsModelForce(model, 0, zero, zero, f));
  fe->unbalances = unbalances;
  PetscCall(MatGetDiagonal(K, fe->work));
  PetscCall(VecNorm(fe->work, NORM_INFINITY, &diagonal));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "static_"));
  PetscCall(KSPSetOperators(ksp, K, K));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-18 * diagonal));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO)); /* a singular K gives a huge solution, which is found out below */
  PetscCall(PCFactorSetShiftAmount(pc, 1e-14 * diagonal));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, f, fe->rest));
  PetscCall(MatMult(K, fe->rest, zero));
  PetscCall(VecAXPY(zero, -1, f));
  PetscCall(VecNorm(zero, NORM_INFINITY, &residual));
  PetscCall(VecNorm(f, NORM_INFINITY, &size));
  PetscCall(VecNorm(fe->rest, NORM_INFINITY, &largest));
  if (!(residual <= 1e-6 * size) || !(largest <= 1e6 * PetscMax(model->length_scale, 1))) PetscCall(blame(fe, model));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&zero));
  PetscCall(VecDestroy(&f));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(0);
}
