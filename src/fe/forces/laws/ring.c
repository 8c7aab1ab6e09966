/*
  Bearings that are the same in all directions, n = r/|r|, t = e x n:

      ring     N = k (|r| - gap)+,  F = -N n - mu N sgn(u) t,   u = r'.t + Omega R: the speed at which the journal of radius R slides along the ring
      cubic    F = -k3 |r|^2 r,     V = k3 |r|^4/4

  The friction of a ring takes energy from the drive of the shaft, and may feed a backward whirl: all work of a ring is booked as load.
*/
#include <math.h>
#include "law.h"

typedef struct {
  const NsNode *where;
  double        gap, stiffness, friction, radius;
} Ring;

static const NsKey ring_keys[] = {
  {"gap", NS_KEY_NUMBER, offsetof(Ring, gap), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0",
    .help = "radial clearance of the journal in the ring", .example = "10 um"},
  {"stiffness", NS_KEY_NUMBER, offsetof(Ring, stiffness), .dimension = NS_DIM_STIFFNESS, .required = true, .minimum = "0 <",
    .help = "radial force per displacement beyond the gap", .example = "20 MN/m"},
  {"friction", NS_KEY_NUMBER, offsetof(Ring, friction), .default_value = "0", .minimum = "0",
    .help = "coefficient of friction (Coulomb's law) of the journal on the ring", .example = "0.1"},
  {"radius", NS_KEY_NUMBER, offsetof(Ring, radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help    = "radius of the journal: spin times radius plus the speed of the whirl is the sliding speed; 0: the whirl alone causes sliding",
    .example = "25 mm"},
  {NULL},
};

static PetscBool create_ring(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  const Ring *given = settings;

  if (given->friction > 0 && given->radius == 0 && highest != 0)
    NsDiagWarning(diag, NsKeysPlace(given->where, "friction"),
      "without the `radius` of the journal its spin causes no sliding along the ring, only its whirl does");
  *(Ring *)data = *given;
  return PETSC_TRUE;
}

/* n, the normal force, and mu times the sense of sliding; false: no contact. */
static bool touch(const Ring *self, const NsForceMotion *at, PetscReal n[2], PetscReal *normal, PetscReal *friction)
{
  const PetscReal size = hypot(at->r[0], at->r[1]);

  if (!(size > self->gap)) return false;
  for (int a = 0; a < 2; a++) n[a] = at->r[a] / size;
  const PetscReal u = -n[1] * at->v[0] + n[0] * at->v[1] + at->spin * self->radius;
  *normal           = self->stiffness * (size - self->gap);
  *friction         = u > 0 ? self->friction : u < 0 ? -self->friction : 0;
  return true;
}

static void force_ring(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  PetscReal n[2], normal, friction;

  NsForceLawZero(2, spring);
  NsForceLawZero(2, damper);
  if (!touch(data, at, n, &normal, &friction)) return;
  spring[0] = -normal * (n[0] - friction * n[1]);
  spring[1] = -normal * (n[1] + friction * n[0]);
}

/* -dF/dr = k (n + mu t) n' + N/|r| (t - mu n) t' */
static void slopes_ring(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const Ring *self = data;
  PetscReal   n[2], normal, friction;

  NsForceLawZero(4, stiffness);
  NsForceLawZero(4, damping);
  if (!touch(self, at, n, &normal, &friction)) return;
  const PetscReal t[2] = {-n[1], n[0]}, across = normal / hypot(at->r[0], at->r[1]);
  for (int i = 0; i < 4; i++)
    stiffness[i] = self->stiffness * (n[i / 2] + friction * t[i / 2]) * n[i % 2] + across * (t[i / 2] - friction * n[i / 2]) * t[i % 2];
}

static void steepest_ring(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Ring *self = data;

  NsForceLawZero(4, damping);
  for (int i = 0; i < 4; i++) stiffness[i] = i % 3 ? 0 : self->stiffness * (1 + self->friction);
}

const NsTable NsForceLawTable_Ring = {"ring", "an elastic ring around the journal, with a gap and friction", ring_keys, sizeof(Ring)};

const NsForceLaw NsForceLaw_Ring = {
  .size     = sizeof(Ring),
  .create   = create_ring,
  .force    = force_ring,
  .slopes   = slopes_ring,
  .steepest = steepest_ring,
};

/* ---- cubic ------------------------------------------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  const NsNode *where;
  double        coefficient, travel;
} Cubic;

static const NsKey cubic_keys[] = {
  {"coefficient", NS_KEY_NUMBER, offsetof(Cubic, coefficient), .dimension = {-2, 1, -2, 0}, .required = true, .minimum = "0 <",
    .help = "radial force over the cube of the displacement", .example = "1 N/mm^3"},
  {"travel", NS_KEY_NUMBER, offsetof(Cubic, travel), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", .help = NS_TRAVEL_HELP,
    .example = "2 mm"},
  {NULL},
};

static PetscBool create_cubic(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  (void)highest;
  (void)diag;
  *(Cubic *)data = *(const Cubic *)settings;
  return PETSC_TRUE;
}

static PetscReal square(const NsForceMotion *at)
{
  return PetscSqr(at->r[0]) + PetscSqr(at->r[1]);
}

static void force_cubic(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  NsForceLawZero(2, damper);
  for (int a = 0; a < 2; a++) spring[a] = -((const Cubic *)data)->coefficient * square(at) * at->r[a];
}

static void slopes_cubic(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const PetscReal k = ((const Cubic *)data)->coefficient;

  NsForceLawZero(4, damping);
  for (int i = 0; i < 4; i++) stiffness[i] = k * ((i % 3 ? 0 : square(at)) + 2 * at->r[i / 2] * at->r[i % 2]);
}

static PetscReal stored_cubic(const void *data, const NsForceMotion *at)
{
  return ((const Cubic *)data)->coefficient * PetscSqr(square(at)) / 4;
}

static void steepest_cubic(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Cubic *self = data;

  NsForceLawZero(4, damping);
  for (int i = 0; i < 4; i++) stiffness[i] = i % 3 ? 0 : 3 * self->coefficient * PetscSqr(self->travel);
}

static PetscReal used_cubic(const void *data, const NsForceMotion *at)
{
  return PetscSqrtReal(square(at)) / ((const Cubic *)data)->travel;
}

const NsTable NsForceLawTable_RadialCubic = {
  "bearing_cubic", "force proportional to the cube of the displacement, towards the centre", cubic_keys, sizeof(Cubic)};

const NsForceLaw NsForceLaw_RadialCubic = {
  .size      = sizeof(Cubic),
  .create    = create_cubic,
  .force     = force_cubic,
  .slopes    = slopes_cubic,
  .stored    = stored_cubic,
  .steepest  = steepest_cubic,
  .used      = used_cubic,
  .ends_with = "travel",
};
