/*
  A node against a node along a fixed direction n, from the first to the second:  g = n . ((x2 + u2) - (x1 + u1)) + offset.

  Meant for ends that face each other (two bars in line); nothing happens across n but friction.
*/
#include "pair.h"

static PetscReal gap(const NsPair *pair, PetscReal t, const PetscReal *touch_q)
{
  PetscReal u1[3], u2[3], g = pair->offset;

  (void)t;
  NsPointDisplacement(&pair->point[0], touch_q, u1);
  NsPointDisplacement(&pair->point[1], touch_q, u2);
  for (int k = 0; k < 3; k++) g += pair->normal[k] * ((pair->point[1].x[k] - pair->point[0].x[k]) + (u2[k] - u1[k]));
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

static void place(const NsPair *pair, PetscReal t, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  (void)t;
  NsPointDisplacement(&pair->point[0], touch_q, u);
  for (int k = 0; k < 3; k++) {
    x[k] = pair->point[0].x[k];
    n[k] = -pair->normal[k];
  }
}

const NsPairType NsPairType_NodeNode = {
  "node_node", "a node against a node along a fixed direction", PETSC_TRUE, NsPairPrepareFlat, gap, rows, NULL, place};
