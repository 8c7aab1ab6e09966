/*
  Gear: the mesh of two involute spur gears on parallel shafts of free spin.

      r = u_2 - u_1 at the pitch point,    e from shaft 1 to shaft 2,    t = axis x e,    n_+- = +- t cos(alpha) + e sin(alpha)

  Tooth flanks push wheel 2 along their line of action n with the force k d, d = -n . r. Without `backlash` the flanks of the sense `drives` never separate: f = -(k n.r + c n.r') n, a linear spring. With
  `backlash` both flanks act, each as a spring behind half of the backlash:

      f = sum over n_+, n_-  (k d - c n.r') n  where d = -n.r - backlash/2 > 0,     V = k/2 sum d^2

  Twists may be any angle: the line of action of involutes stays where it is. The ratio follows from the teeth, the pitch radii from the distance of the shafts. Helix angles, the change of the
  stiffness with the number of teeth in mesh, and transmission errors are left out.

  Reference: Friswell et al., Dynamics of rotating machines (2010); Kahraman and Singh, J. Sound Vib. 142 (1990) 49-75.
*/
#include "fe/forces/laws/law.h"
#include "fe/model/fe.h"

enum { POSITIVE, NEGATIVE };

typedef struct {
  const NsNode *where;
  NsStrings     between;
  NsNumbers     teeth;
  double        stiffness, damping, backlash, pressure_angle;
  int           drives;
  NsWindow      window;
} NsGearSettings;

typedef struct {
  PetscReal     stiffness, damping, gap; /* gap: half of the backlash */
  PetscReal     cosine, sine;            /* of the pressure angle */
  PetscReal     t[3], e[3], n[3];
  NsForceLawUse law; /* none without backlash */
} Gear;

static const char *const senses[] = {"positive", "negative", NULL};

static const NsKey gear_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsGearSettings, between), .required = true, .least = 2, .most = 2,
    .help = "a point on each of two parallel rotors of free spin, in one plane across them", .example = "[pinion@0.5, wheel@0.5]"},
  {"teeth", NS_KEY_NUMBERS, offsetof(NsGearSettings, teeth), .columns = 1, .least = 2, .most = 2, .required = true,
    .help = "numbers of teeth of the first and the second gear; pitch radii follow from the distance of the shafts", .example = "[20, 60]"},
  {"stiffness", NS_KEY_NUMBER, offsetof(NsGearSettings, stiffness), .dimension = NS_DIM_STIFFNESS, .required = true, .minimum = "0 <",
    .help = "mean stiffness of the mesh along the line of action", .example = "200 MN/m"},
  {"damping", NS_KEY_NUMBER, offsetof(NsGearSettings, damping), .dimension = NS_DIM_DASHPOT, .default_value = "0", .minimum = "0",
    .help = "damping of the mesh along the line of action", .example = "500 N s/m"},
  {"backlash", NS_KEY_NUMBER, offsetof(NsGearSettings, backlash), .dimension = NS_DIM_LENGTH, .minimum = "0",
    .help =
      "play of the teeth along the line of action; at the start each flank has half of it; without this key the flanks of `drives` never separate, and the mesh is linear",
    .example = "0.1 mm"},
  {"pressure_angle", NS_KEY_NUMBER, offsetof(NsGearSettings, pressure_angle), .dimension = NS_DIM_ANGLE, .default_value = "20 deg", .minimum = "0",
    .maximum = "45 deg", .help = "angle between the line of action and the common tangent of the pitch circles", .example = "20 deg"},
  {"drives", NS_KEY_CHOICE, offsetof(NsGearSettings, drives), .choices = senses, .default_value = "positive",
    .help = "without `backlash`: sense of the torque by which the first shaft drives the second, about its axis 1; it determines the line of action",
    .example = "negative"},
  NS_WINDOW_KEYS(NsGearSettings, "the gears mesh"),
  {NULL},
};

static void check_gear(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsGearSettings *gear = settings;

  (void)arena;
  NsWindowCheck(&gear->window, gear->where, diag);
  for (int i = 0; i < gear->teeth.rows; i++) {
    const double teeth = gear->teeth.values[i];
    if (teeth >= 1 && teeth == PetscFloorReal(teeth) && teeth < 1e6) continue;
    NsDiagError(diag, NsKeysNumberPlace(gear->where, "teeth", i, 0), "a gear has a whole number of teeth, 1 or more, not %g", teeth);
    return;
  }
}
const NsTable NsTable_Gear = {"gear", "mesh of two gears on parallel shafts", gear_keys, sizeof(NsGearSettings), .check = check_gear};

/* ---- with backlash: components r.t and r.e -------------------------------------------------------------------------------------------------------- */

/* Compression of a flank, m; sign 1: n_+, -1: n_-. */
static PetscReal pressed(const Gear *self, const PetscReal *r, PetscReal sign)
{
  return PetscMax(0, -(sign * self->cosine * r[0] + self->sine * r[1]) - self->gap);
}

static void mesh_force(const void *data, const NsForceMotion *at, PetscReal *spring, PetscReal *damper)
{
  const Gear *self = data;

  NsForceLawZero(2, spring);
  NsForceLawZero(2, damper);
  for (int sign = -1; sign <= 1; sign += 2) {
    const PetscReal n[2] = {sign * self->cosine, self->sine}, d = pressed(self, at->r, sign);
    const PetscReal rate = n[0] * at->v[0] + n[1] * at->v[1];
    for (int i = 0; i < 2 && d > 0; i++) {
      spring[i] += self->stiffness * d * n[i];
      damper[i] -= self->damping * rate * n[i];
    }
  }
}

static void mesh_slopes(const void *data, const NsForceMotion *at, PetscReal *stiffness, PetscReal *damping)
{
  const Gear *self = data;

  NsForceLawZero(4, stiffness);
  NsForceLawZero(4, damping);
  for (int sign = -1; sign <= 1; sign += 2) {
    const PetscReal n[2] = {sign * self->cosine, self->sine};
    for (int i = 0; i < 4 && pressed(self, at->r, sign) > 0; i++) {
      stiffness[i] += self->stiffness * n[i / 2] * n[i % 2];
      damping[i] += self->damping * n[i / 2] * n[i % 2];
    }
  }
}

static PetscReal mesh_stored(const void *data, const NsForceMotion *at)
{
  const Gear *self = data;

  return self->stiffness / 2 * (PetscSqr(pressed(self, at->r, 1)) + PetscSqr(pressed(self, at->r, -1)));
}

/* Both flanks at once. */
static void mesh_steepest(const void *data, PetscReal *stiffness, PetscReal *damping)
{
  const Gear     *self   = data;
  const PetscReal both[] = {2 * PetscSqr(self->cosine), 0, 0, 2 * PetscSqr(self->sine)};

  for (int i = 0; i < 4; i++) {
    stiffness[i] = self->stiffness * both[i];
    damping[i]   = self->damping * both[i];
  }
}

static const NsForceLaw law = {.size = sizeof(Gear), .force = mesh_force, .slopes = mesh_slopes, .stored = mesh_stored, .steepest = mesh_steepest};

/* ---- the element ----------------------------------------------------------------------------------------------------------------------------------- */

/* False after an error in diag. */
static PetscBool check_rotors(NsFe *fe, const NsNode *where, const NsForceElement *force)
{
  const NsPlace   place = NsKeysPlace(where, "between");
  const NsFeBody *body[2];

  for (int p = 0; p < 2; p++) {
    body[p] = force->end[p].body >= 0 ? &fe->body[force->end[p].body] : NULL;
    if (!body[p] || !body[p]->is_rotor) {
      NsDiagError(fe->diag, place, "gears are on two rotors, but '%s' is not a rotor", body[p] ? body[p]->name : "ground");
      return PETSC_FALSE;
    }
    if (NsSpinIsFree(body[p]->spin)) continue;
    NsDiagError(fe->diag, place, "the spin of '%s' is prescribed: gears need rotors of free spin", body[p]->name);
    NsDiagNote(fe->diag, "write `spin: {free: SPEED}` in '%s', and drive it by `motors` or `loads`", body[p]->name);
    return PETSC_FALSE;
  }
  if (PetscAbsReal(NsDot3(body[0]->frame[0], body[1]->frame[0])) > 1 - 1e-9 && body[0] != body[1]) return PETSC_TRUE;
  NsDiagError(fe->diag, place, "gears are on two parallel rotors, but '%s' and '%s' are not parallel", body[0]->name, body[1]->name);
  return PETSC_FALSE;
}

/* Flanks that move together need speeds in the ratio of the teeth; else they begin with an impact. */
static void judge_speeds(NsFe *fe, const NsGearSettings *gear, const NsForceElement *force)
{
  const NsFeBody *first = &fe->body[force->end[0].body], *second = &fe->body[force->end[1].body];
  const PetscReal sense = NsDot3(first->frame[0], second->frame[0]) > 0 ? -1 : 1, ratio = gear->teeth.values[0] / gear->teeth.values[1];
  const PetscReal has = NsSpinAtStart(second->spin), fits = sense * ratio * NsSpinAtStart(first->spin), rpm = 30 / PETSC_PI;

  if (PetscAbsReal(has - fits) <= 1e-6 * PetscMax(PetscAbsReal(has), PetscAbsReal(fits))) return;
  NsDiagWarning(fe->diag, gear->where->place,
    "the spins at the start do not have the ratio of the teeth: '%s' turns at %.6g rpm, which requires %.6g rpm of '%s', not %.6g rpm", first->name,
    NsSpinAtStart(first->spin) * rpm, fits * rpm, second->name, has * rpm);
}

static PetscBool create(NsFe *fe, const void *settings, NsForceElement *force)
{
  const NsGearSettings *gear = settings;
  Gear                 *self = force->data;
  NsPoint               point[2];
  PetscReal             off = 0;

  if (!check_rotors(fe, gear->where, force)) return PETSC_FALSE;
  const PetscReal *axis = fe->body[force->end[0].body].frame[0];
  for (int p = 0; p < 2; p++) NsFeExpand(fe, &force->end[p], &point[p]);
  for (int k = 0; k < 3; k++) self->e[k] = point[1].x[k] - point[0].x[k];
  const PetscReal along = NsDot3(self->e, axis), whole = PetscSqrtReal(NsDot3(self->e, self->e));
  for (int k = 0; k < 3; k++) self->e[k] -= along * axis[k];
  const PetscReal distance = PetscSqrtReal(NsDot3(self->e, self->e)), radius = distance / (1 + gear->teeth.values[1] / gear->teeth.values[0]);
  off = PetscAbsReal(along);
  if (!(distance > 1e-9 * whole) || off > 1e-6 * distance) {
    NsDiagError(fe->diag, NsKeysPlace(gear->where, "between"),
      "the two gears are not in one plane across their shafts: the points are %g m apart along them and %g m across", off, distance);
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) self->e[k] /= distance;
  NsCross3(axis, self->e, self->t);
  for (int k = 0; k < 3; k++) {
    force->end[0].arm[k] = radius * self->e[k];
    force->end[1].arm[k] = (radius - distance) * self->e[k];
  }
  self->stiffness = gear->stiffness;
  self->damping   = gear->damping;
  self->gap       = gear->backlash / 2;
  self->cosine    = PetscCosReal(gear->pressure_angle);
  self->sine      = PetscSinReal(gear->pressure_angle);
  for (int k = 0; k < 3; k++) self->n[k] = (gear->drives == POSITIVE ? 1 : -1) * self->cosine * self->t[k] + self->sine * self->e[k];
  if (NsTreeChild(gear->where, "backlash")) self->law = (NsForceLawUse){&law, self};
  judge_speeds(fe, gear, force);
  return PETSC_TRUE;
}

static void tangents(const NsForceElement *force, const PetscReal *spin, PetscReal K[36], PetscReal C[36])
{
  const Gear *self = force->data;

  (void)spin;
  for (int i = 0; i < 36; i++) {
    const PetscReal both = !self->law.law && i / 6 < 3 && i % 6 < 3 ? self->n[i / 6] * self->n[i % 6] : 0;
    K[i]                 = self->stiffness * both;
    C[i]                 = self->damping * both;
  }
}

static PetscInt components(const NsForceElement *force, PetscReal direction[6][6])
{
  const Gear *self = force->data;

  for (int k = 0; k < 6; k++) {
    direction[0][k] = k < 3 ? self->t[k] : 0;
    direction[1][k] = k < 3 ? self->e[k] : 0;
  }
  return self->law.law ? 2 : 0;
}

static const NsForceLawUse *law_of(const NsForceElement *force)
{
  return &((const Gear *)force->data)->law;
}

const NsForceType NsForceType_Gear = {
  .kind       = "gear",
  .table      = &NsTable_Gear,
  .size       = sizeof(Gear),
  .create     = create,
  .tangents   = tangents,
  .components = components,
  .law        = law_of,
  .window     = offsetof(NsGearSettings, window),
};
