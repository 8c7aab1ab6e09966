/*
  Active magnetic bearing: two opposite magnets on each of axes 2 and 3, with a proportional and derivative controller of the position. With the displacement x towards the first of
  two magnets, the gap g at the centre, the bias force F0 of each magnet there, and the control current u over the bias current,

      F = F0 (((1 + u)/(1 - x/g))^2 - ((1 - u)/(1 + x/g))^2),    u = u0 - (k x + c x')/(4 F0),    |u| <= limit        (G. Schweitzer, E. H. Maslen, Magnetic bearings, 2009)

  Near the centre F = 4 F0 u + (4 F0/g) x: k and c are the stiffness and damping of the controller (its gains times the force per current), 4 F0/g is the negative stiffness of the
  magnets, and 4 F0 limit the load capacity. u0 carries a given static force, as an integral controller does.

  The magnets are driven: the work of the force at rest (x' = 0) is that of loads; what x' adds is damping, never negative, because F rises with u. Beyond 0.99 of the gap the force
  keeps its value at that point.
*/
#include "law.h"

#define NS_MOST_OF_GAP 0.99

typedef struct {
  const NsNode *where;
  double        bias_force, gap, stiffness, damping, limit, travel;
  NsNumbers     static_force;
} Settings;

typedef struct {
  PetscReal bias_force, gap, gain, rate_gain, limit, travel, offset[2];
} Magnets;

static const NsKey keys[] = {
  {"bias_force", NS_KEY_NUMBER, offsetof(Settings, bias_force), .dimension = NS_DIM_FORCE, .required = true, .minimum = "0 <",
    .help    = "attraction of one magnet by its bias current, with the shaft at the centre; the load capacity is 4 * bias_force * limit",
    .example = "200 N"},
  {"gap", NS_KEY_NUMBER, offsetof(Settings, gap), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "between magnet and shaft at the centre; the magnets have the negative stiffness 4 * bias_force/gap", .example = "0.5 mm"},
  {"stiffness", NS_KEY_NUMBER, offsetof(Settings, stiffness), .dimension = NS_DIM_STIFFNESS, .required = true, .minimum = "0 <",
    .help = "stiffness of the controller: its proportional gain times the force per current", .example = "4 MN/m"},
  {"damping", NS_KEY_NUMBER, offsetof(Settings, damping), .dimension = NS_DIM_DASHPOT, .default_value = "0", .minimum = "0",
    .help = "damping of the controller: its derivative gain times the force per current", .example = "2 kN s/m"},
  {"limit", NS_KEY_NUMBER, offsetof(Settings, limit), .default_value = "1", .minimum = "0 <", .maximum = "1",
    .help = "largest control current over the bias current (saturation of the amplifier)", .example = "0.8"},
  {"static_force", NS_KEY_NUMBERS, offsetof(Settings, static_force), .space = NS_SPACE_AXES, .columns = 1, .columns_dimension = {NS_DIM_FORCE},
    .least = 2, .most = 2,
    .help    = "force of constant currents along axes 2 and 3, with the shaft at the centre; it carries a weight, as an integral controller does",
    .example = "[0, 100 N]"},
  {"travel", NS_KEY_NUMBER, offsetof(Settings, travel), .dimension = NS_DIM_LENGTH, .minimum = "0 <",
    .help = "largest displacement that the critical time step of explicit schemes is computed for; default: half the gap", .example = "0.3 mm"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Settings *given    = settings;
  const PetscReal negative = 4 * given->bias_force / given->gap, capacity = 4 * given->bias_force * given->limit;

  (void)arena;
  if (given->travel >= NS_MOST_OF_GAP * given->gap)
    NsDiagError(diag, NsKeysPlace(given->where, "travel"), "travel must be less than 0.99 of the gap, %g m", given->gap);
  if (given->stiffness <= negative)
    NsDiagWarning(diag, NsKeysPlace(given->where, "stiffness"),
      "the controller is too soft to hold the shaft: the magnets have a negative stiffness of 4 * bias_force/gap = %.4g N/m", negative);
  for (int i = 0; i < given->static_force.rows; i++) {
    if (PetscAbsReal(given->static_force.values[i]) <= capacity) continue;
    NsDiagError(diag, NsKeysNumberPlace(given->where, "static_force", i, 0),
      "the static force exceeds the load capacity of the magnets, 4 * bias_force * limit = %.4g N", capacity);
    return;
  }
}
const NsTable NsForceLawTable_Magnetic = {"magnetic", "active magnetic bearing", keys, sizeof(Settings), .check = check};

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  const Settings *given = settings;
  Magnets        *self  = data;
  const PetscReal force = 4 * given->bias_force; /* by the bias current as control current */

  (void)highest;
  (void)diag;
  *self = (Magnets){.bias_force = given->bias_force,
    .gap                        = given->gap,
    .gain                       = given->stiffness / force,
    .rate_gain                  = given->damping / force,
    .limit                      = given->limit,
    .travel                     = given->travel > 0 ? given->travel : given->gap / 2};
  for (int i = 0; i < given->static_force.rows; i++) self->offset[i] = given->static_force.values[i] / force;
  return PETSC_TRUE;
}

/* The force along an axis. slopes[2], unless NULL: -dF/dx, -dF/dx'. */
static PetscReal pull(const Magnets *self, int axis, PetscReal x, PetscReal v, PetscReal *slopes)
{
  const PetscReal asked = self->offset[axis] - self->gain * x - self->rate_gain * v, u = PetscMax(-self->limit, PetscMin(self->limit, asked));
  const PetscReal part = x / self->gap, e = PetscMax(-NS_MOST_OF_GAP, PetscMin(NS_MOST_OF_GAP, part));
  const PetscReal near = (1 + u) / (1 - e), far = (1 - u) / (1 + e);

  if (slopes) {
    const PetscReal by_current = u == asked ? 2 * (near / (1 - e) + far / (1 + e)) : 0;
    const PetscReal by_gap     = e == part ? 2 * (near * near / (1 - e) + far * far / (1 + e)) : 0;
    slopes[0]                  = self->bias_force * (by_current * self->gain - by_gap / self->gap);
    slopes[1]                  = self->bias_force * by_current * self->rate_gain;
  }
  return self->bias_force * (near * near - far * far);
}

static void force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  for (int k = 0; k < 2; k++) {
    spring[k] = pull(data, k, at->r[k], 0, NULL);
    damper[k] = pull(data, k, at->r[k], at->v[k], NULL) - spring[k];
  }
}

static void slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  NsForceLawZero(4, stiffness);
  NsForceLawZero(4, damping);
  for (int k = 0; k < 2; k++) {
    PetscReal both[2];
    (void)pull(data, k, at->r[k], at->v[k], both);
    stiffness[3 * k] = both[0];
    damping[3 * k]   = both[1];
  }
}

/* near/(1 - e) + far/(1 + e) <= 2/(1 - e)^2 */
static void steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Magnets  *self = data;
  const PetscReal most = 4 * self->bias_force / PetscSqr(1 - self->travel / self->gap);

  for (int k = 0; k < 4; k++) {
    stiffness[k] = k % 3 ? 0 : most * self->gain;
    damping[k]   = k % 3 ? 0 : most * self->rate_gain;
  }
}

static PetscReal used(const void *data, const NsForceMotion *at)
{
  return PetscMax(PetscAbsReal(at->r[0]), PetscAbsReal(at->r[1])) / ((const Magnets *)data)->travel;
}

const NsForceLaw NsForceLaw_Magnetic = {
  .size      = sizeof(Magnets),
  .create    = create,
  .force     = force,
  .slopes    = slopes,
  .steepest  = steepest,
  .used      = used,
  .ends_with = "travel",
};
