/*
  A node against a node along a fixed direction d, from the first to the second:  g = d . ((x2 + u2) - (x1 + u1)) + offset.

  Meant for ends that face each other (two bars in line); nothing happens across d but friction. The frame's normal is d, that of the contact -d.
*/
#include "contact/pair.h"

static PetscReal gap(const NsPair *pair, const PetscReal *touch_q, PetscReal n[3])
{
  PetscReal u1[3], u2[3], g = pair->offset;

  NsPointDisplacement(pair->point[0], touch_q, u1);
  NsPointDisplacement(pair->point[1], touch_q, u2);
  for (int k = 0; k < 3; k++) g += pair->frame->normal[k] * ((pair->point[1]->x[k] - pair->point[0]->x[k]) + (u2[k] - u1[k]));
  for (int k = 0; n && k < 3; k++) n[k] = -pair->frame->normal[k];
  return g;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  static const PetscReal sign[2] = {-1, 1};

  PetscFunctionBegin;
  (void)touch_q;
  PetscCall(NsRowsAddFlat(out, pair, t, sign, NULL));
  PetscFunctionReturn(0);
}

/* Of a second point that moves in a prescribed way. */
static void rate(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *d)
{
  (void)t;
  (void)touch_q;
  (void)touch_v;
  d[0] = NsPairAcceleration(pair, pair->frame->normal);
  for (PetscInt i = 0; i < pair->frame->tangents; i++) d[1 + i] = NsPairAcceleration(pair, pair->frame->tangent[i]);
}

const NsPairType NsPairType_NodeNode = {
  .name      = "node",
  .about     = "a node against a node along a fixed direction",
  .flat      = PETSC_TRUE,
  .side      = "the normal points from the first partner to the second; `normal` overrides it",
  .prepare   = NsPairPrepareFlat,
  .gap       = gap,
  .rows      = rows,
  .rate      = rate,
  .bound     = NsPairBoundFlat,
  .clearance = NsPairClearanceOpen,
};
