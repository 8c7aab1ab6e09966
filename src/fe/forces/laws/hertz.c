/*
  Compliant contact of two round bodies, to compare with rigid contact: with the indentation d = -r - gap > 0

      F = k d^n (1 + a d'),  never below zero,      V = k d^(n+1)/(n+1)

  H. Hertz, J. reine angew. Math. 92 (1881): n = 3/2; K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975): the dissipation. For a collision at velocity v with coefficient of
  restitution e, a v is the root x > 0 of  x - ln(1 + x) = -e x - ln(1 - e x),  whatever k, n and the masses.
*/
#include "law.h"

typedef struct {
  const NsNode *where;
  double        restitution, velocity;
} Collision;

typedef struct {
  const NsNode    *where;
  double           stiffness, exponent, gap, dissipation, travel;
  const Collision *dissipation_for;
} Settings;

typedef struct {
  PetscReal k, n, gap, a, travel;
} Hertz;

static const NsKey collision_keys[] = {
  {"restitution", NS_KEY_NUMBER, offsetof(Collision, restitution), .required = true, .minimum = "0 <", .maximum = "1",
    .help = "coefficient of restitution of a collision at `velocity`", .example = "0.8"},
  {"velocity", NS_KEY_NUMBER, offsetof(Collision, velocity), .dimension = NS_DIM_VELOCITY, .required = true, .minimum = "0 <",
    .help = "relative velocity before the collision", .example = "1 m/s"},
  {NULL},
};
static const NsTable collision_table = {
  "collision", "a collision whose coefficient of restitution determines the dissipation", collision_keys, sizeof(Collision)};

static const NsKey keys[] = {
  {"stiffness", NS_KEY_NUMBER, offsetof(Settings, stiffness), .required = true, .minimum = "0 <",
    .help = "force over indentation^exponent, a number without unit: N over m^exponent", .example = "1e9"},
  {"exponent", NS_KEY_NUMBER, offsetof(Settings, exponent), .default_value = "1.5", .minimum = "1", .maximum = "4", .help = "of the indentation",
    .example = "1.5"},
  {"gap", NS_KEY_NUMBER, offsetof(Settings, gap), .dimension = NS_DIM_LENGTH, .default_value = "0", .help = "shortening at which the bodies touch",
    .example = "1 mm"},
  {"dissipation", NS_KEY_NUMBER, offsetof(Settings, dissipation), .dimension = {-1, 0, 1, 0}, .default_value = "0", .minimum = "0",
    .help = "a in F = k d^n (1 + a d')", .example = "0.2 s/m"},
  {"dissipation_for", NS_KEY_TABLE, offsetof(Settings, dissipation_for), .table = &collision_table,
    .help = "a collision that determines the dissipation", .example = "{restitution: 0.8, velocity: 1 m/s}"},
  {"travel", NS_KEY_NUMBER, offsetof(Settings, travel), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "largest indentation that the critical time step of explicit schemes is computed for", .example = "0.1 mm"},
  {NULL},
};

/* x - ln(1 + x) + e x + ln(1 - e x) rises from 0 and falls to minus infinity at 1/e: bisection. */
static PetscReal dissipation_for(PetscReal e, PetscReal velocity)
{
  PetscReal low = 0, high = 1 / e;

  if (e >= 1) return 0;
  for (int i = 0; i < 200; i++) {
    const PetscReal x = (low + high) / 2, g = (1 + e) * x - log1p(x) + log1p(-e * x);
    if (g > 0 || x < 1e-3 * (1 - e)) /* near zero the difference is rounding, and known to be positive */
      low = x;
    else
      high = x;
  }
  return low / velocity;
}

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  const Settings  *given     = settings;
  const Collision *collision = given->dissipation_for;

  (void)highest;
  (void)diag;
  *(Hertz *)data = (Hertz){given->stiffness, given->exponent, given->gap, given->dissipation, given->travel};
  if (collision) ((Hertz *)data)->a = dissipation_for(collision->restitution, collision->velocity);
  return PETSC_TRUE;
}

static PetscReal indentation(const Hertz *self, const NsForceMotion *at)
{
  return PetscMax(0, -at->r[0] - self->gap);
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Hertz    *self = data;
  const PetscReal push = self->k * PetscPowReal(indentation(self, at), self->n);

  *spring = push;
  *damper = PetscMax(-push, -self->a * at->v[0] * push);
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const Hertz    *self = data;
  const PetscReal d = indentation(self, at), factor = 1 - self->a * at->v[0];

  *stiffness = *damping = 0;
  if (d == 0 || factor <= 0) return;
  *stiffness = self->n * self->k * PetscPowReal(d, self->n - 1) * factor;
  *damping   = self->a * self->k * PetscPowReal(d, self->n);
}

static PetscReal stored(const void *data, const NsForceMotion *at)
{
  const Hertz *self = data;

  return self->k * PetscPowReal(indentation(self, at), self->n + 1) / (self->n + 1);
}

static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Hertz *self = data;

  *stiffness = self->n * self->k * PetscPowReal(self->travel, self->n - 1);
  *damping   = self->a * self->k * PetscPowReal(self->travel, self->n);
}

static PetscReal used(const void *data, const NsForceMotion *at)
{
  return indentation(data, at) / ((const Hertz *)data)->travel;
}

const NsTable NsForceLawTable_Hertz = {
  "hertz", "compression to a power, with dissipation", keys, sizeof(Settings), .at_most_one_of = "dissipation, dissipation_for"};

const NsForceLaw NsForceLaw_Hertz = {
  .size      = sizeof(Hertz),
  .create    = create,
  .force     = force,
  .slopes    = slopes,
  .stored    = stored,
  .steepest  = steepest,
  .used      = used,
  .ends_with = "travel",
};
