/*
  The finite-element model for analyses in the frequency domain: M u'' + C u' + K u = f about the reference state, at a speed of rotation.
*/
#include <string.h>
#include "equilibrium.h"

#define NS_TIE \
  1e6 /* stiffness of ties over that of the DOF that they join: the error of frequencies is a millionth, plus 1e6 times the rounding error of K x */
#define NS_LEAST \
  1e-3 /* of the largest stiffness of the model, by which that of a tie is at least as many times larger: the modes of ties are the highest */

/* Stiffness in the direction of a row, by the diagonal of K: of springs in series. The rounding of K x is that of the largest entry: a tie that is stiffer than need be hides soft bending. */
static PetscReal stiffness_of(const NsModel *model, const NsRows *rows, PetscInt r, const PetscReal *diagonal)
{
  PetscReal compliance = 0;

  for (PetscInt k = rows->first[r]; k < rows->first[r + 1]; k++) {
    const PetscReal own = diagonal[model->touch[rows->touch[k]]];
    if (own > 0) compliance += PetscSqr(rows->value[k]) / own;
  }
  return compliance > 0 ? 1 / compliance : 0;
}

PetscBool NsModelIsFe(const NsModel *model)
{
  return strcmp(model->kind, "finite elements") ? PETSC_FALSE : PETSC_TRUE;
}

PetscReal NsFeSpeedRatio(const NsFe *fe, const NsFeBody *body)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!fe->body[b].is_rotor) continue;
    const PetscReal first = NsSpinAtStart(fe->body[b].spin);
    return first != 0 ? NsSpinAtStart(body->spin) / first : 1;
  }
  return 1;
}

PetscBool NsFeHasContacts(const NsModel *model)
{
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (!model->candidate[i].bilateral) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscInt NsFeTies(const NsModel *model)
{
  PetscInt ties = 0;

  for (PetscInt i = 0; i < model->candidates; i++) {
    if (model->candidate[i].bilateral) ties++;
  }
  return ties;
}

PetscErrorCode NsFeAddTies(const NsModel *model, Mat K)
{
  NsFe         *fe   = model->data;
  const NsRows *rows = &fe->one;
  PetscBool     some = PETSC_FALSE;
  PetscReal     largest;
  Vec           diagonal;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < model->candidates; i++) some = some || model->candidate[i].bilateral;
  if (!some) PetscFunctionReturn(0);
  PetscCall(MatCreateVecs(K, NULL, &diagonal));
  PetscCall(MatGetDiagonal(K, diagonal));
  PetscCall(VecNorm(diagonal, NORM_INFINITY, &largest));
  if (largest == 0) largest = 1; /* rigid bodies, and nothing but supports that stop acting */
  PetscCall(MatSetOption(K, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (!model->candidate[i].bilateral) continue;
    PetscCall(NsFeRowsOf(fe, i, 0, fe->touch_q));
    for (PetscInt r = 0; r < rows->rows; r++) {
      const PetscReal stiffness = NS_TIE * PetscMax(stiffness_of(model, rows, r, NsVecRead(diagonal)), NS_LEAST * largest);
      for (PetscInt k = rows->first[r]; k < rows->first[r + 1]; k++) {
        for (PetscInt j = rows->first[r]; j < rows->first[r + 1]; j++)
          PetscCall(
            MatSetValue(K, model->touch[rows->touch[k]], model->touch[rows->touch[j]], stiffness * rows->value[k] * rows->value[j], ADD_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(K, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(K, MAT_FINAL_ASSEMBLY));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeOperators(NsModel *model, PetscReal speed, Mat *M, Mat *C, Mat *K)
{
  NsFe      *fe = model->data;
  PetscReal *speeds;
  Mat        G;
  PetscBool  found;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(fe->bodies, &speeds));
  for (PetscInt b = 0; b < fe->bodies; b++) speeds[b] = fe->body[b].is_rotor ? speed * NsFeSpeedRatio(fe, &fe->body[b]) : 0;
  if (NsFeIsNonlinear(fe)) PetscCall(NsFeEquilibrium(fe, speeds, NULL, &found));
  PetscCall(NsFeAssemble(fe, speeds, M, C, &G, K));
  PetscCall(NsFeAddTies(model, *K));
  PetscCall(PetscFree(speeds));
  if (!G) PetscFunctionReturn(0);
  if (*C) {
    PetscCall(MatAXPY(G, 1, *C, SAME_NONZERO_PATTERN));
    PetscCall(MatDestroy(C));
  }
  *C = G;
  PetscFunctionReturn(0);
}

/* The speed of an unbalance over that of the first rotor; without rotors over that of the first unbalance. */
static PetscReal unbalance_ratio(const NsFe *fe, const NsFeUnbalance *u)
{
  if (fe->body[u->at.body].is_rotor) return NsFeSpeedRatio(fe, &fe->body[u->at.body]);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const PetscReal first = NsSpinAtStart(fe->body[b].spin);
    if (fe->body[b].is_rotor) return first != 0 ? NsSpinAtStart(u->twist.spin) / first : 1;
  }
  const PetscReal first = NsSpinAtStart(fe->forces.unbalance[0].twist.spin);
  return first != 0 ? NsSpinAtStart(u->twist.spin) / first : 1;
}

PetscInt NsFeUnbalanceRatios(NsModel *model, PetscReal *ratio)
{
  const NsFe *fe    = model->data;
  PetscInt    count = 0;

  for (PetscInt k = 0; k < fe->forces.unbalances; k++) {
    const NsFeUnbalance *u    = &fe->forces.unbalance[k];
    const PetscReal      own  = unbalance_ratio(fe, u);
    PetscBool            some = NsIsOff(u->off) || !u->entries;
    for (PetscInt i = 0; i < count; i++) some = some || ratio[i] == own;
    if (!some) ratio[count++] = own;
  }
  return count;
}

PetscInt NsFeUnbalanceOverTime(NsModel *model)
{
  const NsFe *fe = model->data;

  for (PetscInt k = 0; k < fe->forces.unbalances; k++) {
    const NsFeUnbalance *u = &fe->forces.unbalance[k];
    if (!fe->body[u->at.body].is_rotor && !NsSpinIsConstant(u->twist.spin) && !NsIsOff(u->off) && u->entries) return u->number;
  }
  return -1;
}

/* m e (cos(psi), sin(psi)) along the lateral axes with psi = Omega t + phase: the real part of (1, -i) m e exp(i psi). */
PetscErrorCode NsFeUnbalanceVectors(NsModel *model, PetscReal ratio, Vec re, Vec im)
{
  const NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(re));
  PetscCall(VecZeroEntries(im));
  PetscReal *a = NsVecArray(re), *b = NsVecArray(im);
  for (PetscInt k = 0; k < fe->forces.unbalances; k++) {
    const NsFeUnbalance *u = &fe->forces.unbalance[k];
    if (NsIsOff(u->off) || unbalance_ratio(fe, u) != ratio) continue; /* as at t = 0 */
    const PetscReal c = u->moment * PetscCosReal(u->phase), s = u->moment * PetscSinReal(u->phase);
    for (PetscInt i = 0; i < u->entries; i++) {
      a[u->unknown[i]] += c * u->lateral[0][i] + s * u->lateral[1][i];
      b[u->unknown[i]] += s * u->lateral[0][i] - c * u->lateral[1][i];
    }
  }
  PetscFunctionReturn(0);
}

PetscInt NsFeRotors(NsModel *model, const NsFeRotor **result)
{
  NsFe      *fe     = model->data;
  NsFeRotor *rotors = NsArenaAlloc(fe->arena, sizeof(*rotors) * (size_t)fe->bodies);
  PetscInt   count  = 0;

  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (!body->is_rotor) continue;
    rotors[count] = (NsFeRotor){.name = body->name, .first_point = body->first_node, .points = body->mesh->nodes, .speed = NsSpinAtStart(body->spin)};
    rotors[count].ratio    = NsFeSpeedRatio(fe, body);
    rotors[count].constant = NsSpinIsConstant(body->spin);
    rotors[count].manner   = NsSpinIsFree(body->spin) ? "free, from " : NsSpinIsConstant(body->spin) ? "constant " : "over time, from ";
    if (!NsSpinIsFree(body->spin) && !NsSpinIsConstant(body->spin)) rotors[count].highest = NsSpinHighest(body->spin);
    for (int k = 0; k < 6; k++) rotors[count].lateral[k / 3][k % 3] = body->frame[1 + k / 3][k % 3] + 0.0;
    for (int k = 0; k < 3; k++) rotors[count].axis[k] = body->frame[0][k];
    count++;
  }
  *result = rotors;
  return count;
}
