/*
  A node, or a ball of radius r around it, against a fixed plane:  g = n . (x + u - p) - r + offset,  n points to the side where the node may be.

  The plane's surface may move within itself with velocity s (a belt): tangential velocities are t . (u' - s) - r w . (n x t).
*/
#include "pair.h"

static PetscReal gap(const NsPair *pair, PetscReal t, const PetscReal *touch_q)
{
  PetscReal u[3], g = pair->offset - pair->radius[0];

  (void)t;
  NsPointDisplacement(&pair->point[0], touch_q, u);
  /* (x - p) first: the displacement keeps all its digits next to a large coordinate */
  for (int k = 0; k < 3; k++) g += pair->normal[k] * ((pair->point[0].x[k] - pair->plane_point[k]) + u[k]);
  return g;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  static const PetscReal sign[2]   = {1, 0};
  PetscReal              arm[2][3] = {{0, 0, 0}, {0, 0, 0}};

  PetscFunctionBegin;
  (void)touch_q;
  for (int k = 0; k < 3; k++) arm[0][k] = -pair->radius[0] * pair->normal[k];
  PetscCall(NsRowsAddFlat(out, pair, t, sign, (const PetscReal(*)[3])arm));
  for (PetscInt i = 0; i < pair->tangents; i++) {
    for (int k = 0; k < 3; k++) out->drive[out->rows - pair->tangents + i] -= pair->tangent[i][k] * pair->plane_velocity[k];
  }
  PetscFunctionReturn(0);
}

/* Only a spin that speeds up. */
static void rate(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *d)
{
  const NsPoint  *point  = &pair->point[0];
  const PetscReal faster = -pair->radius[0] * NsSpinAcceleration(point->spin, t);

  (void)touch_q;
  (void)touch_v;
  d[0] = 0;
  for (PetscInt i = 0; i < pair->tangents; i++) {
    PetscReal b[3];
    NsCross3(pair->normal, pair->tangent[i], b);
    d[1 + i] = faster * NsDot3(b, point->axis);
  }
}

static void place(const NsPair *pair, PetscReal t, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  (void)t;
  NsPointDisplacement(&pair->point[0], touch_q, u);
  for (int k = 0; k < 3; k++) {
    x[k] = pair->point[0].x[k] - pair->radius[0] * pair->normal[k];
    n[k] = pair->normal[k];
  }
}

const NsPairType NsPairType_NodePlane = {"node_plane", "a node or ball against a fixed plane", PETSC_TRUE, NsPairPrepareFlat, gap, rows, rate, place};
