#include "pair.h"

void NsPointDisplacement(const NsPoint *point, const PetscReal *touch_q, PetscReal u[3])
{
  u[0] = u[1] = u[2] = 0;
  for (PetscInt a = 0; a < point->unknowns; a++) {
    for (int k = 0; k < 3; k++) u[k] += point->direction[a][k] * touch_q[point->touch[a]];
  }
}

PetscErrorCode NsRowsAdd(NsRows *rows, const NsPair *pair, const PetscReal d[3], const PetscReal sign[2])
{
  PetscInt at = rows->first[rows->rows];

  PetscFunctionBegin;
  PetscCheck(rows->rows < rows->row_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " contact rows", rows->row_capacity);
  for (PetscInt p = 0; p < pair->points; p++) {
    const NsPoint *point = &pair->point[p];
    for (PetscInt a = 0; a < point->unknowns; a++) {
      const PetscReal value = sign[p] * (d[0] * point->direction[a][0] + d[1] * point->direction[a][1] + d[2] * point->direction[a][2]);
      if (value == 0) continue;
      PetscCheck(
        at < rows->entry_capacity, PETSC_COMM_SELF, PETSC_ERR_PLIB, "more than %" PetscInt_FMT " entries of contact rows", rows->entry_capacity);
      rows->touch[at]   = point->touch[a];
      rows->value[at++] = value;
    }
  }
  rows->drive[rows->rows]   = 0;
  rows->first[++rows->rows] = at;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRowsAddFixed(NsRows *rows, const NsPair *pair, const PetscReal sign[2])
{
  PetscFunctionBegin;
  PetscCall(NsRowsAdd(rows, pair, pair->normal, sign));
  for (PetscInt i = 0; i < pair->tangents; i++) PetscCall(NsRowsAdd(rows, pair, pair->tangent[i], sign));
  PetscFunctionReturn(0);
}

/* Whether some point of the pair can move along d (to rounding). */
static PetscBool moves(const NsPair *pair, const PetscReal d[3])
{
  for (PetscInt p = 0; p < pair->points; p++) {
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      const PetscReal *e = pair->point[p].direction[a];
      if (PetscAbsReal(d[0] * e[0] + d[1] * e[1] + d[2] * e[2]) > 1e-10) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

void NsPairChooseTangents(NsPair *pair, PetscReal friction)
{
  const PetscReal *n = pair->normal;
  PetscReal        t[2][3];
  int              axis = 0;

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
  for (int k = 0; k < 3; k++) t[1][k] = n[(k + 1) % 3] * t[0][(k + 2) % 3] - n[(k + 2) % 3] * t[0][(k + 1) % 3];
  for (int i = 0; i < 2; i++) {
    if (!moves(pair, t[i])) continue;
    for (int k = 0; k < 3; k++) pair->tangent[pair->tangents][k] = t[i][k];
    pair->tangents++;
  }
}
