/*
  A node against a fixed plane:  g = n . (x + u - p) + offset,  n points to the side where the node may be.

  The plane's surface may move within itself with velocity s (a belt): tangential velocities are t . (u' - s).
*/
#include "pair.h"

static PetscReal gap(const NsPair *pair, PetscReal t, const PetscReal *touch_q)
{
  PetscReal u[3], g = pair->offset;

  (void)t;
  NsPointDisplacement(&pair->point[0], touch_q, u);
  /* (x - p) first: the displacement keeps all its digits next to a large coordinate */
  for (int k = 0; k < 3; k++) g += pair->normal[k] * ((pair->point[0].x[k] - pair->plane_point[k]) + u[k]);
  return g;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  static const PetscReal sign[2] = {1, 0};

  PetscFunctionBegin;
  (void)t;
  (void)touch_q;
  PetscCall(NsRowsAddFixed(out, pair, sign));
  for (PetscInt i = 0; i < pair->tangents; i++) {
    for (int k = 0; k < 3; k++) out->drive[out->rows - pair->tangents + i] -= pair->tangent[i][k] * pair->plane_velocity[k];
  }
  PetscFunctionReturn(0);
}

static void place(const NsPair *pair, PetscReal t, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  (void)t;
  NsPointDisplacement(&pair->point[0], touch_q, u);
  for (int k = 0; k < 3; k++) {
    x[k] = pair->point[0].x[k];
    n[k] = pair->normal[k];
  }
}

const NsPairType NsPairType_NodePlane = {"node_plane", "a node against a fixed plane", gap, rows, place};
