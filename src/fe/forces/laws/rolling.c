/*
  Ball or roller bearing: Z rolling elements at the angles th_k = 2 pi k/Z + th, each compressed by the displacement r of the inner ring,

      F = -K sum d_k^n n_k,   d_k = max(n_k.r - clearance, 0),   n_k = (cos th_k, sin th_k),   V = K sum d_k^(n+1)/(n+1)

  n = 3/2 for balls, 10/9 for rollers (T. A. Harris, Rolling Bearing Analysis; ISO/TS 16281). The cage turns by th = psi r_i/(r_i + r_o) with the angle psi of the shaft (no slip, outer
  ring at rest), which changes the stiffness at the frequency of passing elements; the energy that this brings comes from the drive.
*/
#include "law.h"

typedef struct {
  const NsNode *where;
  long          elements;
  double        stiffness, exponent, clearance, inner_radius, outer_radius, travel;
} Settings;

typedef struct {
  Settings  given;
  PetscReal cage; /* angle of the cage over that of the shaft */
} Rolling;

static const NsKey keys[] = {
  {"elements", NS_KEY_INTEGER, offsetof(Settings, elements), .required = true, .minimum = "3", .maximum = "1000",
    .help = "number of balls or rollers", .example = "7"},
  {"stiffness", NS_KEY_NUMBER, offsetof(Settings, stiffness), .required = true, .minimum = "0 <",
    .help = "force on one element over its compression^exponent, both races together, a number without unit: N over m^exponent", .example = "1.054e10"},
  {"exponent", NS_KEY_NUMBER, offsetof(Settings, exponent), .default_value = "1.5", .minimum = "1", .maximum = "2",
    .help = "1.5 for balls, 1.11 for rollers", .example = "1.5"},
  {"clearance", NS_KEY_NUMBER, offsetof(Settings, clearance), .dimension = NS_DIM_LENGTH, .default_value = "0",
    .help = "play from the centred position to one side (half the radial internal clearance); negative: preload", .example = "5 um"},
  {"inner_radius", NS_KEY_NUMBER, offsetof(Settings, inner_radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "of the inner race; with outer_radius: the cage turns with the shaft", .example = "16 mm"},
  {"outer_radius", NS_KEY_NUMBER, offsetof(Settings, outer_radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "of the outer race", .example = "27.5 mm"},
  {"travel", NS_KEY_NUMBER, offsetof(Settings, travel), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "largest compression of an element that the critical time step of explicit schemes is computed for", .example = "50 um"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Settings *given = settings;

  (void)arena;
  if ((given->inner_radius > 0) != (given->outer_radius > 0))
    NsDiagError(diag, given->where->place, "inner_radius and outer_radius go together: the speed of the cage follows from both");
  else if (given->inner_radius > 0 && given->outer_radius <= given->inner_radius)
    NsDiagError(diag, NsKeysPlace(given->where, "outer_radius"), "the outer race must be larger than the inner one, %g m", given->inner_radius);
}

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  Rolling *self = data;

  (void)highest;
  (void)diag;
  self->given = *(const Settings *)settings;
  if (self->given.inner_radius > 0) self->cage = self->given.inner_radius / (self->given.inner_radius + self->given.outer_radius);
  return PETSC_TRUE;
}

/* Direction and compression of an element. */
static PetscReal compression(const Rolling *self, const NsForceMotion *at, long k, PetscReal n[2])
{
  const PetscReal angle = 2 * PETSC_PI * (PetscReal)k / (PetscReal)self->given.elements + self->cage * at->angle;

  n[0] = PetscCosReal(angle);
  n[1] = PetscSinReal(angle);
  return PetscMax(0, n[0] * at->r[0] + n[1] * at->r[1] - self->given.clearance);
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Rolling *self = data;
  PetscReal      n[2];

  NsForceLawZero(2, spring);
  NsForceLawZero(2, damper);
  for (long k = 0; k < self->given.elements; k++) {
    const PetscReal d = compression(self, at, k, n);
    if (d == 0) continue;
    const PetscReal load = self->given.stiffness * PetscPowReal(d, self->given.exponent);
    for (int a = 0; a < 2; a++) spring[a] -= load * n[a];
  }
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const Rolling *self = data;
  PetscReal      n[2];

  NsForceLawZero(4, stiffness);
  NsForceLawZero(4, damping);
  for (long k = 0; k < self->given.elements; k++) {
    const PetscReal d = compression(self, at, k, n);
    if (d == 0) continue;
    const PetscReal slope = self->given.exponent * self->given.stiffness * PetscPowReal(d, self->given.exponent - 1);
    for (int i = 0; i < 4; i++) stiffness[i] += slope * n[i / 2] * n[i % 2];
  }
}

static PetscReal stored(const void *data, const NsForceMotion *at)
{
  const Rolling  *self = data;
  const PetscReal m    = self->given.exponent + 1;
  PetscReal       sum  = 0, n[2];

  for (long k = 0; k < self->given.elements; k++) {
    const PetscReal d = compression(self, at, k, n);
    if (d > 0) sum += self->given.stiffness * PetscPowReal(d, m) / m;
  }
  return sum;
}

/* dV/dth times the speed of the cage. */
static PetscReal driven(const void *data, const NsForceMotion *at)
{
  const Rolling *self = data;
  PetscReal      sum  = 0, n[2];

  for (long k = 0; k < self->given.elements && self->cage != 0; k++) {
    const PetscReal d = compression(self, at, k, n);
    if (d > 0) sum += self->given.stiffness * PetscPowReal(d, self->given.exponent) * (n[0] * at->r[1] - n[1] * at->r[0]);
  }
  return sum * self->cage * at->spin;
}

/* All elements compressed as much: sum n n' = Z/2. */
static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Settings *given = &((const Rolling *)data)->given;
  const PetscReal slope = given->exponent * given->stiffness * PetscPowReal(given->travel, given->exponent - 1) * (PetscReal)given->elements / 2;

  NsForceLawZero(4, damping);
  for (int i = 0; i < 4; i++) stiffness[i] = i % 3 ? 0 : slope;
}

static PetscReal used(const void *data, const NsForceMotion *at)
{
  const Rolling *self = data;
  PetscReal      most = 0, n[2];

  for (long k = 0; k < self->given.elements; k++) most = PetscMax(most, compression(self, at, k, n));
  return most / self->given.travel;
}

const NsTable NsForceLawTable_Rolling = {"rolling", "ball or roller bearing with clearance", keys, sizeof(Settings), .check = check};

const NsForceLaw NsForceLaw_Rolling = {
  .size      = sizeof(Rolling),
  .create    = create,
  .force     = force,
  .slopes    = slopes,
  .stored    = stored,
  .driven    = driven,
  .steepest  = steepest,
  .used      = used,
  .ends_with = "travel",
};
