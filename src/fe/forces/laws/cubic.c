/*
  Cubic spring:  F = k3 r^3,  V = k3 r^4/4.
*/
#include "law.h"

typedef struct {
  const NsNode *where;
  double        coefficient, travel;
} Settings;

typedef struct {
  PetscReal k, travel;
} Cubic;

static const NsKey keys[] = {
  {"coefficient", NS_KEY_NUMBER, offsetof(Settings, coefficient), .dimension = {-2, 1, -2, 0}, .required = true,
    .help = "force over the cube of the elongation; negative: softening", .example = "1 N/mm^3"},
  {"travel", NS_KEY_NUMBER, offsetof(Settings, travel), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", .help = NS_TRAVEL_HELP,
    .example = "2 mm"},
  {NULL},
};

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  const Settings *given = settings;

  (void)highest;
  (void)diag;
  *(Cubic *)data = (Cubic){given->coefficient, given->travel};
  return PETSC_TRUE;
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const PetscReal r = at->r[0];

  *spring = -((const Cubic *)data)->k * r * r * r;
  *damper = 0;
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  *stiffness = 3 * ((const Cubic *)data)->k * PetscSqr(at->r[0]);
  *damping   = 0;
}

static PetscReal stored(const void *data, const NsForceMotion *at)
{
  return ((const Cubic *)data)->k * PetscSqr(PetscSqr(at->r[0])) / 4;
}

static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Cubic *self = data;

  *stiffness = PetscMax(0, 3 * self->k * PetscSqr(self->travel));
  *damping   = 0;
}

static PetscReal used(const void *data, const NsForceMotion *at)
{
  return PetscAbsReal(at->r[0]) / ((const Cubic *)data)->travel;
}

const NsTable NsForceLawTable_Cubic = {"cubic", "force proportional to the cube of the elongation", keys, sizeof(Settings)};

const NsForceLaw NsForceLaw_Cubic = {
  .size      = sizeof(Cubic),
  .create    = create,
  .force     = force,
  .slopes    = slopes,
  .stored    = stored,
  .steepest  = steepest,
  .used      = used,
  .ends_with = "travel",
};
