/*
  A node, or a ball of radius r around it, against a plane:  g = n . (x + u - p - s) - r + offset,  n points to the side where the node may be.

  The plane may move by s(t); its surface may move within itself with the velocity c besides (a belt): tangential velocities are t . (u' - s' - c) - r w . (n x t).
*/
#include "contact/pair.h"
#include "contact/settings.h"

static const NsKey keys[] = {
  {"point", NS_KEY_VECTOR, offsetof(NsPlaneSettings, point), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .required = true,
    .help = "a point of the plane", .example = "[0, 0, 0]"},
  {"normal", NS_KEY_VECTOR, offsetof(NsPlaneSettings, normal), .space = NS_SPACE_DIRECTION, .required = true,
    .help = "direction to the side where the body is; any length", .example = "[1, 0, 0]"},
  {"velocity", NS_KEY_VECTOR, offsetof(NsPlaneSettings, velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_VELOCITY,
    .default_value = "[0, 0, 0]", .help = "tangential velocity of its surface, such as that of a belt", .example = "[0, 0.1 m/s, 0]"},
  NS_MOTION_KEY(offsetof(NsPlaneSettings, surface.motion),
    "displacement, velocity or acceleration of the plane over time, also along its normal; several add up"),
  {NULL},
};
const NsTable NsSurfaceTable_NodePlane = {"plane", "rigid plane, fixed or moved", keys, sizeof(NsPlaneSettings)};

typedef struct {
  PetscReal point[3], velocity[3];
} Plane;

/* A surface that left its plane would be another contact; one that moves without friction does nothing. */
static PetscBool check_belt(const NsPairSetup *setup, const PetscReal velocity[3], const PetscReal normal[3])
{
  const PetscReal speed = PetscSqrtReal(NsDot3(velocity, velocity)), out = NsDot3(velocity, normal);
  const NsPlace   place = NsKeysPlace(setup->surface->where, "velocity");

  if (PetscAbsReal(out) > 1e-9 * speed) {
    NsDiagError(setup->diag, place, "the velocity of a plane must be tangential, but has %g m/s along the normal", out);
    return PETSC_FALSE;
  }
  if (speed > 0 && setup->friction == 0) NsDiagWarning(setup->diag, place, "without friction the velocity of the surface has no effect");
  return PETSC_TRUE;
}

static PetscBool create(NsPair *pair, const NsPairSetup *setup, NsPoint *carrier)
{
  const NsPlaneSettings *settings = (const NsPlaneSettings *)setup->surface;
  Plane                 *self     = pair->data;

  (void)carrier;
  for (int k = 0; k < 3; k++) {
    self->point[k]         = settings->point[k];
    self->velocity[k]      = settings->velocity[k];
    pair->frame->normal[k] = settings->normal[k];
  }
  if (!NsUnit3(pair->frame->normal)) {
    NsDiagError(setup->diag, NsKeysPlace(setup->surface->where, "normal"), "the normal of a plane must not be zero");
    return PETSC_FALSE;
  }
  return check_belt(setup, self->velocity, pair->frame->normal);
}

static PetscReal gap(const NsPair *pair, const PetscReal *touch_q, PetscReal n[3])
{
  const Plane *self = pair->data;
  PetscReal    u[3], g = pair->offset - pair->radius[0];

  NsPointDisplacement(pair->point[0], touch_q, u);
  /* (x - p) first: the displacement keeps all its digits next to a large coordinate */
  if (pair->point[1]->moving) {
    for (int k = 0; k < 3; k++) u[k] -= pair->point[1]->moving->at[0][k];
  }
  for (int k = 0; k < 3; k++) g += pair->frame->normal[k] * ((pair->point[0]->x[k] - self->point[k]) + u[k]);
  for (int k = 0; n && k < 3; k++) n[k] = pair->frame->normal[k];
  return g;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  static const PetscReal sign[2]   = {1, -1};
  const Plane           *self      = pair->data;
  PetscReal              arm[2][3] = {{0, 0, 0}, {0, 0, 0}};

  PetscFunctionBegin;
  (void)touch_q;
  for (int k = 0; k < 3; k++) arm[0][k] = -pair->radius[0] * pair->frame->normal[k];
  PetscCall(NsRowsAddFlat(out, pair, t, sign, (const PetscReal(*)[3])arm));
  for (PetscInt i = 0; i < pair->frame->tangents; i++) {
    for (int k = 0; k < 3; k++) out->drive[out->rows - pair->frame->tangents + i] -= pair->frame->tangent[i][k] * self->velocity[k];
  }
  PetscFunctionReturn(0);
}

/* A spin that speeds up, and a plane. */
static void rate(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *d)
{
  const NsPairPoint *point  = pair->point[0];
  const PetscReal    faster = -pair->radius[0] * NsSpinAcceleration(point->spin, t);

  (void)touch_q;
  (void)touch_v;
  d[0] = -NsPairAcceleration(pair, pair->frame->normal);
  for (PetscInt i = 0; i < pair->frame->tangents; i++) {
    PetscReal b[3];
    NsCross3(pair->frame->normal, pair->frame->tangent[i], b);
    d[1 + i] = faster * NsDot3(b, point->axis) - NsPairAcceleration(pair, pair->frame->tangent[i]);
  }
}

static void plane(const NsPair *pair, NsPlane *plane)
{
  const Plane *self = pair->data;

  for (int k = 0; k < 3; k++) {
    plane->point[k]    = self->point[k] - pair->offset * pair->frame->normal[k];
    plane->normal[k]   = pair->frame->normal[k];
    plane->velocity[k] = self->velocity[k];
  }
  plane->motion = pair->point[1]->moving ? &pair->point[1]->moving->motion : NULL;
}

const NsPairType NsPairType_NodePlane = {
  .name      = "plane",
  .about     = "a node or ball against a plane",
  .flat      = PETSC_TRUE,
  .side      = "the normal of a plane points to the side on which the body may be",
  .size      = sizeof(Plane),
  .create    = create,
  .prepare   = NsPairPrepareFlat,
  .gap       = gap,
  .rows      = rows,
  .rate      = rate,
  .bound     = NsPairBoundFlat,
  .clearance = NsPairClearanceOpen,
  .plane     = plane,
};
