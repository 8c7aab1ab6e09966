/*
  Damping force over a power of the rate:  F = c |r'|^p sign r'.
*/
#include "law.h"

typedef struct {
  const NsNode *where;
  double        coefficient, exponent, rate;
} Settings;

static const NsKey keys[] = {
  {"coefficient", NS_KEY_NUMBER, offsetof(Settings, coefficient), .required = true, .minimum = "0 <",
    .help = "force over rate^exponent, a number without unit: N over (m/s)^exponent", .example = "20"},
  {"exponent", NS_KEY_NUMBER, offsetof(Settings, exponent), .default_value = "2", .minimum = "1", .maximum = "4",
    .help = "of the rate of elongation; 2: turbulent flow through an orifice", .example = "2"},
  {"rate", NS_KEY_NUMBER, offsetof(Settings, rate), .dimension = NS_DIM_VELOCITY, .required = true, .minimum = "0 <",
    .help = "largest rate of elongation that the critical time step of explicit schemes is computed for", .example = "2 m/s"},
  {NULL},
};

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  (void)highest;
  (void)diag;
  *(Settings *)data = *(const Settings *)settings;
  return PETSC_TRUE;
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Settings *self = data;

  *spring = 0;
  *damper = -self->coefficient * PetscPowReal(PetscAbsReal(at->v[0]), self->exponent) * (at->v[0] < 0 ? -1 : 1);
}

static PetscReal slope(const Settings *self, PetscReal rate)
{
  return self->coefficient * self->exponent * PetscPowReal(PetscAbsReal(rate), self->exponent - 1);
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  *stiffness = 0;
  *damping   = slope(data, at->v[0]);
}

static PetscReal stored(const void *data, const NsForceMotion *at)
{
  (void)data;
  (void)at;
  return 0;
}

static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  *stiffness = 0;
  *damping   = slope(data, ((const Settings *)data)->rate);
}

static PetscReal used(const void *data, const NsForceMotion *at)
{
  return PetscAbsReal(at->v[0]) / ((const Settings *)data)->rate;
}

const NsTable NsForceLawTable_PowerDamping = {"power_damping", "damping force over a power of the rate", keys, sizeof(Settings)};

const NsForceLaw NsForceLaw_PowerDamping = {
  .size      = sizeof(Settings),
  .create    = create,
  .force     = force,
  .slopes    = slopes,
  .stored    = stored,
  .steepest  = steepest,
  .used      = used,
  .ends_with = "rate",
};
