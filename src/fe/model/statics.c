/*
  The static solution K q = f(0) + M g as initial state (`start: static`): loads at t = 0, without contacts and unbalances.

  The twist of a rotor of free spin has no stiffness; it is held at the rotor's first node. Of several rotors that gears or couplings connect, only one is held.

  Buckling: under axial compression K may have negative eigenvalues, by Sylvester's law as many as its factor has negative pivots. Free bodies make K singular:
  1e-10 omega_max^2 M is added, which hides instabilities slower than 1e-5 of the highest frequency.
*/
#include <petscksp.h>
#include "components.h"
#include "equilibrium.h"

/* 1 at the twists of a rotor of free spin (all nodes), 0 elsewhere; false for other bodies. */
static PetscErrorCode turn_rotor(const NsFe *fe, PetscInt number, Vec turned, PetscBool *turns)
{
  const NsFeBody *body = &fe->body[number];

  PetscFunctionBegin;
  *turns = body->is_rotor && NsSpinIsFree(body->spin);
  if (!*turns) PetscFunctionReturn(0);
  PetscReal *value = NsVecArray(turned);
  for (PetscInt i = 0; i < body->mesh->nodes; i++) {
    NsFeTwist twist;
    NsFeMakeTwist(fe, &(NsFePoint){.body = number, .node = body->first_node + i, .element = -1}, &twist);
    for (PetscInt k = 0; k < twist.entries; k++) value[twist.unknown[k]] = twist.weight[k];
  }
  PetscFunctionReturn(0);
}

/* Holds the twist of a rotor at its first node. */
static PetscErrorCode hold_twist(const NsFe *fe, PetscInt body, Mat K, Vec held)
{
  NsFeTwist twist;

  PetscFunctionBegin;
  NsFeMakeTwist(fe, &(NsFePoint){.body = body, .node = fe->body[body].first_node, .element = -1}, &twist);
  for (PetscInt i = 0; i < twist.entries; i++) {
    const PetscInt unknown = twist.unknown[i];
    PetscReal      value;
    PetscCall(MatGetValue(K, unknown, unknown, &value));
    PetscCall(MatSetValue(K, unknown, unknown, value, ADD_VALUES));
    PetscCall(VecSetValue(held, unknown, value, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(K, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(K, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(0);
}

/* S[n, n] = E'K E with the columns of E the twists of rotors[n], each turning as a rigid body. */
static PetscErrorCode twist_stiffness(const NsFe *fe, PetscInt n, const PetscInt *rotor, Mat K, Vec e, Vec work, PetscReal *S)
{
  PetscBool turns;
  Vec       other;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(e, &other));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(VecZeroEntries(e));
    PetscCall(turn_rotor(fe, rotor[i], e, &turns));
    PetscCall(MatMult(K, e, work));
    for (PetscInt j = 0; j < n; j++) {
      PetscCall(VecZeroEntries(other));
      PetscCall(turn_rotor(fe, rotor[j], other, &turns));
      PetscCall(VecDot(work, other, &S[i * n + j]));
    }
  }
  PetscCall(VecZeroEntries(e));
  PetscCall(VecDestroy(&other));
  PetscFunctionReturn(0);
}

/* Motions of rotors of free spin that nothing resists, alone or together, as where gears or couplings connect them: each takes one twist to hold. Elimination in S finds them; rotors are eliminated by
   their stiffness, and those that are left have none. */
PetscErrorCode NsFeHoldTwists(const NsFe *fe, PetscReal largest, Mat K, Vec zero, Vec work, Vec held)
{
  PetscInt   n = 0, *rotor;
  PetscReal *S;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->bodies, &rotor));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].is_rotor && NsSpinIsFree(fe->body[b].spin)) rotor[n++] = b;
  }
  PetscCall(PetscMalloc1((size_t)(n * n), &S));
  PetscCall(twist_stiffness(fe, n, rotor, K, zero, work, S));
  for (PetscInt left = n; left > 0; left--) {
    PetscInt most = -1;
    for (PetscInt i = 0; i < n; i++) {
      if (rotor[i] >= 0 && (most < 0 || S[i * n + i] > S[most * n + most])) most = i;
    }
    const PetscReal pivot = S[most * n + most];
    if (pivot <= 1e-9 * largest) break;
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal factor = S[i * n + most] / pivot;
      for (PetscInt j = 0; j < n && i != most; j++) S[i * n + j] -= factor * S[most * n + j];
    }
    rotor[most] = -1; /* the others hold it */
  }
  for (PetscInt i = 0; i < n; i++) {
    if (rotor[i] >= 0) PetscCall(hold_twist(fe, rotor[i], K, held));
  }
  PetscCall(PetscFree(rotor));
  PetscCall(PetscFree(S));
  PetscFunctionReturn(0);
}

/* Reports the unknown of the largest displacement: if K is singular, it belongs to an unsupported part. */
static PetscErrorCode report_loose(NsFe *fe, NsModel *model)
{
  const PetscReal *q    = NsVecRead(fe->rest);
  PetscInt         most = 0;
  char             name[256];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < fe->unknowns; i++) {
    if (!(PetscAbsReal(q[i]) <= PetscAbsReal(q[most]))) most = i;
  }
  PetscCall(model->view.name_unknown(model, most, name, sizeof(name)));
  NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "start"),
    "`start: %s` has no solution: supports, springs and bearings do not hold the whole model", NsStartWord(fe->config->start->state));
  NsDiagNote(fe->diag, "free to move: %s", name);
  NsFeNoteStaticsApart(fe);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeStaticSolver(Mat K, PetscReal largest, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, "static_"));
  PetscCall(KSPSetOperators(*ksp, K, K));
  PetscCall(KSPSetType(*ksp, KSPPREONLY));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-18 * largest));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO));
  PetscCall(PCFactorSetShiftAmount(pc, 1e-14 * largest));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeSolveStatic(Mat K, PetscReal largest, Vec f, Vec x)
{
  KSP ksp;

  PetscFunctionBegin;
  if (largest == 0) PetscFunctionReturn(0); /* nothing is held at all: x stays zero, which is right where nothing pulls either */
  PetscCall(NsFeStaticSolver(K, largest, &ksp));
  PetscCall(KSPSolve(ksp, f, x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

/* x'Kx of the solution, computed from strains, which unlike K x keep their digits on a fine mesh. */
static PetscErrorCode twice_energy(const NsFe *fe, const PetscReal *speeds, Vec held, PetscReal *twice)
{
  const PetscReal *x = NsVecRead(fe->rest), *stiffness = NsVecRead(held);

  PetscFunctionBegin;
  *twice = 0;
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    PetscReal u[NS_COMPONENT_UNKNOWNS];
    for (PetscInt k = 0; k < c.n; k++) u[k] = c.unknown[k] < 0 ? 0 : x[c.unknown[k]];
    *twice += 2 * NsFeComponentEnergy(fe, &c, speeds, u);
  }
  for (PetscInt i = 0; i < fe->unknowns; i++) *twice += x[i] * stiffness[i] * x[i];
  PetscFunctionReturn(0);
}

/* Also with elements that act for a part of the run, where contacts may hold the model. */
static PetscErrorCode nonlinear_statics(NsFe *fe, const PetscReal *speeds, PetscBool *loose)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, fe->unknowns, &fe->rest));
  PetscCall(NsFeEquilibrium(fe, speeds, fe->rest, &found));
  *loose = !found && NsFeStaticsTouch(fe);
  if (*loose) PetscCall(VecZeroEntries(fe->rest));
  if (found || *loose) PetscFunctionReturn(0);
  NsDiagError(
    fe->diag, NsKeysPlace(fe->config->where, "start"), "`start: %s`: no static equilibrium was found", NsStartWord(fe->config->start->state));
  NsDiagNote(fe->diag, "supports and springs must hold the whole model, and nonlinear springs and bearings must be able to carry the loads");
  NsFeNoteStaticsApart(fe);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeStatics(NsFe *fe, NsModel *model, PetscBool *loose)
{
  Mat        M, C, G, K;
  PetscReal *speeds, largest, work = 0, twice = 0;
  Vec        zero, f, held, diagonal;

  PetscFunctionBegin;
  *loose = PETSC_FALSE;
  PetscCall(PetscMalloc1(fe->bodies, &speeds));
  for (PetscInt b = 0; b < fe->bodies; b++) speeds[b] = fe->body[b].is_rotor ? NsSpinAtStart(fe->body[b].spin) : 0;
  if (NsFeIsNonlinear(fe)) {
    PetscCall(nonlinear_statics(fe, speeds, loose));
    PetscCall(PetscFree(speeds));
    PetscFunctionReturn(0);
  }
  PetscCall(NsFeAssemble(fe, speeds, &M, &C, &G, &K)); /* bearings over speed as they are at the start */
  PetscCall(MatCreateVecs(K, &fe->rest, &f));
  PetscCall(VecDuplicate(f, &zero));
  PetscCall(VecDuplicate(f, &held));
  PetscCall(VecDuplicate(f, &diagonal));
  NsFeStaticLoads(fe, NsVecArray(f));
  PetscCall(MatGetDiagonal(K, diagonal));
  PetscCall(VecNorm(diagonal, NORM_INFINITY, &largest));
  PetscCall(NsFeHoldTwists(fe, largest, K, zero, diagonal, held));
  PetscCall(VecAssemblyBegin(held));
  PetscCall(VecAssemblyEnd(held));
  PetscCall(NsFeSolveStatic(K, largest, f, fe->rest));
  PetscCall(VecDot(f, fe->rest, &work));
  PetscCall(twice_energy(fe, speeds, held, &twice));
  PetscCall(VecNorm(f, NORM_INFINITY, &largest));
  if (!(PetscAbsReal(twice - work) <= 1e-3 * PetscAbsReal(work)) || (work == 0 && largest > 0)) *loose = PETSC_TRUE;
  if (*loose && NsFeStaticsTouch(fe))
    PetscCall(VecZeroEntries(fe->rest)); /* contacts may hold it */
  else if (*loose)
    PetscCall(report_loose(fe, model));
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
    NsDiagWarning(fe->diag, NsKeysPlace(pressed->where, "axial_force"), "'%s' buckles: with these supports it cannot carry a compression of %g N",
      pressed->name, -pressed->theory.axial_force);
    NsDiagNote(fe->diag, "deflections will grow without bound, because the model is linear");
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
