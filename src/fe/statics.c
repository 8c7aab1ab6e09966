/*
  The static solution K q = f(0) + M g that a run may start from: loads as at t = 0, no contact, no unbalance.

  The twist of a rotor whose spin is free has no stiffness of its own; it is held at the rotor's first node.

  Buckling: under axial compression K may have negative eigenvalues, by Sylvester's law as many as its factor has negative pivots. Bodies that nothing holds
  leave K singular: a little of M is added, which hides growth slower than 1e-5 of the highest frequency.
*/
#include <petscksp.h>
#include "fe.h"

/* 1 at the twists of a rotor of free spin (all nodes), 0 elsewhere; false for other bodies. */
static PetscErrorCode turn_rotor(const NsFe *fe, PetscInt number, Vec turned, PetscBool *turns)
{
  const NsFeBody *body = &fe->body[number];
  PetscScalar    *value;

  PetscFunctionBegin;
  *turns = body->is_rotor && NsSpinIsFree(body->spin) ? PETSC_TRUE : PETSC_FALSE;
  if (!*turns) PetscFunctionReturn(0);
  PetscCall(VecGetArray(turned, &value));
  for (PetscInt i = 0; i < body->mesh->nodes; i++) {
    NsFeTwist twist;
    NsFeMakeTwist(fe, &(NsFeSpot){.body = number, .node = body->first_node + i, .element = -1}, &twist);
    for (PetscInt k = 0; k < twist.entries; k++) value[twist.unknown[k]] = twist.weight[k];
  }
  PetscCall(VecRestoreArray(turned, &value));
  PetscFunctionReturn(0);
}

/* Holds the twist of each rotor at its first node, where turning the whole rotor strains nothing, by the stiffness in held[unknowns]; `zero` and `work` are
   for use in between. */
static PetscErrorCode hold_twists(const NsFe *fe, PetscReal largest, Mat K, Vec zero, Vec work, Vec held)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    PetscBool turns;
    PetscReal strain;
    NsFeTwist twist;
    PetscCall(turn_rotor(fe, b, zero, &turns));
    if (!turns) continue;
    PetscCall(MatMult(K, zero, work));
    PetscCall(VecNorm(work, NORM_INFINITY, &strain));
    PetscCall(VecZeroEntries(zero));
    if (strain > 1e-9 * largest) continue; /* something holds it */
    NsFeMakeTwist(fe, &(NsFeSpot){.body = b, .node = fe->body[b].first_node, .element = -1}, &twist);
    for (PetscInt i = 0; i < twist.entries; i++) {
      const PetscInt unknown = twist.unknown[i];
      PetscReal      value;
      PetscCall(MatGetValue(K, unknown, unknown, &value));
      PetscCall(MatSetValue(K, unknown, unknown, value, ADD_VALUES));
      PetscCall(VecSetValue(held, unknown, value, INSERT_VALUES));
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

/* x = K^-1 f. A singular K is shifted by a little and gives a huge x, which is found out afterwards. */
static PetscErrorCode solve(Mat K, PetscReal largest, Vec f, Vec x)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  if (largest == 0) PetscFunctionReturn(0); /* nothing is held at all: x stays zero, which is right where nothing pulls either */
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "static_"));
  PetscCall(KSPSetOperators(ksp, K, K));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-18 * largest));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO));
  PetscCall(PCFactorSetShiftAmount(pc, 1e-14 * largest));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, f, x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

/* x'Kx of the solution, from strains: the residual of a fine mesh drowns in the rounding of K x, its strain energy does not. */
static PetscErrorCode twice_energy(const NsFe *fe, const PetscReal *speeds, Vec held, PetscReal *twice)
{
  const PetscScalar *x, *stiffness;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(fe->rest, &x));
  PetscCall(VecGetArrayRead(held, &stiffness));
  *twice = 2 * NsFeElementEnergy(fe, x);
  for (PetscInt i = 0; i < fe->unknowns; i++) *twice += x[i] * stiffness[i] * x[i];
  for (PetscInt s = 0; s < fe->springs; s++) *twice += 2 * NsFeSpringEnergy(fe, NULL, &fe->spring[s], speeds, x);
  PetscCall(VecRestoreArrayRead(held, &stiffness));
  PetscCall(VecRestoreArrayRead(fe->rest, &x));
  PetscFunctionReturn(0);
}

/* Weight and loads at t = 0. */
static PetscErrorCode outer_force(const NsFe *fe, Vec zero, Vec f)
{
  NsFeForces         forces = fe->forces;
  const PetscScalar *none;
  PetscScalar       *value;

  PetscFunctionBegin;
  forces.unbalances = 0; /* they turn: nothing static about them */
  PetscCall(VecGetArrayRead(zero, &none));
  PetscCall(VecGetArray(f, &value));
  NsFeWeight(fe, value);
  NsFeOuterForce(&forces, 0, none, none, value);
  PetscCall(VecRestoreArray(f, &value));
  PetscCall(VecRestoreArrayRead(zero, &none));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeStatics(NsFe *fe, NsModel *model)
{
  Mat        M, C, G, K;
  PetscReal *speeds, largest, work = 0, twice = 0;
  Vec        zero, f, held, diagonal;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->bodies, &speeds));
  for (PetscInt b = 0; b < fe->bodies; b++) speeds[b] = fe->body[b].is_rotor ? NsSpinAtStart(fe->body[b].spin) : 0;
  PetscCall(NsFeAssemble(fe, speeds, &M, &C, &G, &K)); /* bearings over speed as they are at the start */
  PetscCall(MatCreateVecs(K, &fe->rest, &f));
  PetscCall(VecDuplicate(f, &zero));
  PetscCall(VecDuplicate(f, &held));
  PetscCall(VecDuplicate(f, &diagonal));
  PetscCall(outer_force(fe, zero, f));
  PetscCall(MatGetDiagonal(K, diagonal));
  PetscCall(VecNorm(diagonal, NORM_INFINITY, &largest));
  PetscCall(hold_twists(fe, largest, K, zero, diagonal, held));
  PetscCall(VecAssemblyBegin(held));
  PetscCall(VecAssemblyEnd(held));
  PetscCall(solve(K, largest, f, fe->rest));
  PetscCall(VecDot(f, fe->rest, &work));
  PetscCall(twice_energy(fe, speeds, held, &twice));
  PetscCall(VecNorm(f, NORM_INFINITY, &largest));
  if (!(PetscAbsReal(twice - work) <= 1e-3 * PetscAbsReal(work)) || (work == 0 && largest > 0)) PetscCall(blame(fe, model));
  PetscCall(PetscFree(speeds));
  PetscCall(VecDestroy(&zero));
  PetscCall(VecDestroy(&f));
  PetscCall(VecDestroy(&held));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeCheckBuckling(NsFe *fe, NsModel *model)
{
  const NsFeBody *pressed = NULL;
  Mat             M, C, G, K, factor;
  MatFactorInfo   info;
  IS              row, column;
  NsBound         omega, rate;
  PetscInt        negative, zero, positive;
  PetscReal       highest = 0;

  PetscFunctionBegin;
  for (PetscInt b = fe->bodies - 1; b >= 0; b--) {
    if (fe->body[b].theory.axial_force < 0) pressed = &fe->body[b];
  }
  if (!pressed || fe->circulates) PetscFunctionReturn(0);
  for (PetscInt part = 0; part < model->parts; part++) {
    PetscCall(NsFeFrequencyBound(model, part, &omega, &rate));
    highest = PetscMax(highest, omega.value);
  }
  PetscCall(NsFeAssemble(fe, NULL, &M, &C, &G, &K));
  PetscCall(MatAXPY(K, 1e-10 * PetscSqr(highest), M, SUBSET_NONZERO_PATTERN));
  PetscCall(MatSetOption(K, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(K, MATSEQSBAIJ, MAT_INPLACE_MATRIX, &K));
  PetscCall(MatGetOrdering(K, MATORDERINGNATURAL, &row, &column));
  PetscCall(MatGetFactor(K, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &factor));
  PetscCall(MatFactorInfoInitialize(&info));
  info.zeropivot = 0;
  PetscCall(MatCholeskyFactorSymbolic(factor, K, row, &info));
  PetscCall(MatCholeskyFactorNumeric(factor, K, &info));
  PetscCall(MatGetInertia(factor, &negative, &zero, &positive));
  if (negative > 0) {
    NsDiagWarning(fe->diag, NsKeysPlace(pressed->where, "axial_force"), "'%s' buckles: held as it is, it cannot carry a compression of %g N",
      pressed->name, -pressed->theory.axial_force);
    NsDiagNote(fe->diag, "small deflections grow without bound, for this is a linear theory");
  }
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&column));
  PetscCall(MatDestroy(&factor));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(0);
}
