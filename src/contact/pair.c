#include "pair.h"

#define NS_STILL 1e-10 /* a displacement per unit below this is rounding */

void NsPointDisplacement(const NsPoint *point, const PetscReal *touch_q, PetscReal u[3])
{
  u[0] = u[1] = u[2] = 0;
  for (PetscInt a = 0; a < point->unknowns; a++) {
    for (int k = 0; k < 3; k++) u[k] += point->move[a][k] * touch_q[point->touch[a]];
  }
}

void NsPointVelocity(const NsPoint *point, PetscReal t, const PetscReal *touch_v, PetscReal v[3], PetscReal w[3])
{
  const PetscReal spin = NsSpinRate(point->spin, t);

  for (int k = 0; k < 3; k++) {
    v[k] = 0;
    w[k] = spin * point->axis[k];
  }
  for (PetscInt a = 0; a < point->unknowns; a++) {
    for (int k = 0; k < 3; k++) {
      v[k] += point->move[a][k] * touch_v[point->touch[a]];
      w[k] += point->turn[a][k] * touch_v[point->touch[a]];
    }
  }
}

PetscErrorCode NsRowsAdd(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal d[3], const PetscReal sign[2], const PetscReal arm[2][3])
{
  PetscInt  at    = rows->first[rows->rows];
  PetscReal drive = 0;

  PetscFunctionBegin;
  PetscCheck(rows->rows < rows->row_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " contact rows", rows->row_capacity);
  for (PetscInt p = 0; p < pair->points; p++) {
    const NsPoint *point     = &pair->point[p];
    PetscReal      moment[3] = {0, 0, 0};
    if (arm) NsCross3(arm[p], d, moment);
    for (PetscInt a = 0; a < point->unknowns; a++) {
      const PetscReal value = sign[p] * (NsDot3(d, point->move[a]) + NsDot3(moment, point->turn[a]));
      if (value == 0) continue;
      PetscCheck(
        at < rows->entry_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " entries of contact rows", rows->entry_capacity);
      rows->touch[at]   = point->touch[a];
      rows->value[at++] = value;
    }
    if (point->spin) drive += sign[p] * NsSpinRate(point->spin, t) * NsDot3(moment, point->axis);
  }
  rows->drive[rows->rows]   = drive;
  rows->first[++rows->rows] = at;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRowsAddFlat(NsRows *rows, const NsPair *pair, PetscReal t, const PetscReal sign[2], const PetscReal arm[2][3])
{
  PetscFunctionBegin;
  PetscCall(NsRowsAdd(rows, pair, t, pair->normal, sign, NULL));
  for (PetscInt i = 0; i < pair->tangents; i++) PetscCall(NsRowsAdd(rows, pair, t, pair->tangent[i], sign, arm));
  PetscFunctionReturn(0);
}

PetscBool NsPairActs(const NsPair *pair)
{
  for (PetscInt p = 0; p < pair->points; p++) {
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      const PetscReal *m      = pair->point[p].move[a];
      PetscReal        across = NsDot3(m, pair->normal);
      if (!pair->type->flat) across = PetscSqrtReal(PetscMax(0, NsDot3(m, m) - PetscSqr(NsDot3(m, pair->axis)))); /* a sphere has no axis: 0 */
      if (PetscAbsReal(across) > 1e-12) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* Whether some point of the pair can move along d, or its ball roll along it (to rounding). */
static PetscBool moves(const NsPair *pair, const PetscReal d[3])
{
  PetscReal moment[3];

  NsCross3(pair->normal, d, moment);
  for (PetscInt p = 0; p < pair->points; p++) {
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      if (PetscAbsReal(NsDot3(d, pair->point[p].move[a])) > NS_STILL) return PETSC_TRUE;
      if (pair->radius[p] > 0 && PetscAbsReal(NsDot3(moment, pair->point[p].turn[a])) > NS_STILL) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

void NsPairPrepareFlat(NsPair *pair, const PetscReal *touch_q, PetscReal friction)
{
  const PetscReal *n = pair->normal;
  PetscReal        t[2][3];
  int              axis = 0;

  (void)touch_q;
  pair->tangents = 0;
  if (friction == 0) return;
  /* The first tangent lies in the plane of the normal and the coordinate axis it is farthest from, x before y before z:
     for a normal in the x-y plane that is the in-plane tangent, so planar models get one tangent. */
  for (int k = 1; k < 3; k++) {
    if (PetscAbsReal(n[k]) < PetscAbsReal(n[axis]) - 1e-12) axis = k;
  }
  if (PetscAbsReal(n[2]) < 1e-12 && axis == 2) axis = PetscAbsReal(n[0]) <= PetscAbsReal(n[1]) ? 0 : 1;
  PetscReal length = 0;
  for (int k = 0; k < 3; k++) {
    t[0][k] = (k == axis ? 1.0 : 0.0) - n[axis] * n[k];
    length += t[0][k] * t[0][k];
  }
  length = PetscSqrtReal(length);
  for (int k = 0; k < 3; k++) t[0][k] /= length;
  NsCross3(n, t[0], t[1]);
  for (int i = 0; i < 2; i++) {
    if (!moves(pair, t[i])) continue;
    for (int k = 0; k < 3; k++) pair->tangent[pair->tangents][k] = t[i][k];
    pair->tangents++;
  }
}
