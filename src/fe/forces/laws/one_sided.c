/*
  Linear spring behind a gap, in compression, in tension, or on both sides (backlash):

      F = k (r + gap)  where r < -gap,     F = k (r - gap)  where r > gap,     V = F^2/(2 k)
*/
#include "law.h"

enum { COMPRESSION, TENSION, BOTH };

typedef struct {
  const NsNode *where;
  double        gap, stiffness;
  int           side;
} Settings;

static const char *const sides[] = {"compression", "tension", "both", NULL};

static const NsKey keys[] = {
  {"gap", NS_KEY_NUMBER, offsetof(Settings, gap), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "elongation, or shortening, at which the spring begins to act", .example = "1 mm"},
  {"stiffness", NS_KEY_NUMBER, offsetof(Settings, stiffness), .dimension = NS_DIM_STIFFNESS, .required = true, .minimum = "0 <",
    .help = "force per length beyond the gap", .example = "1 MN/m"},
  {"side", NS_KEY_CHOICE, offsetof(Settings, side), .choices = sides, .default_value = "compression",
    .help = "compression: a stop; tension: a slack rope; both: backlash", .example = "both"},
  {NULL},
};

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  (void)highest;
  (void)diag;
  *(Settings *)data = *(const Settings *)settings;
  return PETSC_TRUE;
}

/* Elongation of the spring itself. */
static PetscReal beyond(const Settings *self, PetscReal r)
{
  if (r < -self->gap && self->side != TENSION) return r + self->gap;
  if (r > self->gap && self->side != COMPRESSION) return r - self->gap;
  return 0;
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Settings *self = data;

  *spring = -self->stiffness * beyond(self, at->r[0]);
  *damper = 0;
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const Settings *self = data;

  *stiffness = beyond(self, at->r[0]) != 0 ? self->stiffness : 0;
  *damping   = 0;
}

static PetscReal stored(const void *data, const NsForceMotion *at)
{
  const Settings *self = data;

  return self->stiffness * PetscSqr(beyond(self, at->r[0])) / 2;
}

static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  *stiffness = ((const Settings *)data)->stiffness;
  *damping   = 0;
}

const NsTable NsForceLawTable_OneSided = {"one_sided", "a linear spring behind a gap", keys, sizeof(Settings)};

const NsForceLaw NsForceLaw_OneSided = {
  .size     = sizeof(Settings),
  .create   = create,
  .force    = force,
  .slopes   = slopes,
  .stored   = stored,
  .steepest = steepest,
};
