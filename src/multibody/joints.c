/*
  Joints and drives of the config: rows of each type (joints.h), limits, springs, motors.

      space   fixed      point + perp(e1, e2) + perp(e2, e3) + perp(e3, e1)      plane   fixed, prismatic   as in space, with angle for perp
              revolute   point + perp(a, e1) + perp(a, e2)                               revolute           point
              prismatic  slide(e1) + slide(e2) + those of fixed that turn
              cylindrical  slide(e1) + slide(e2) + perp(a, e1) + perp(a, e2)             spherical  point      universal  point + perp(a, b)
              planar     slide(a) + perp(a, e1) + perp(a, e2)                            point_on_line  slide(e1) + slide(e2)    distance  distance
*/
#include <string.h>
#include "beams.h"
#include "joints.h"

static PetscReal arm_of(const NsMultibody *self)
{
  return self->length;
}

static NsMbRow *add_row(NsMultibody *self, NsMbJoint *joint, NsMbRowKind kind, int a, int b, const char *suffix)
{
  NsMbRow *row = &self->row[self->rows++];

  *row      = (NsMbRow){.joint = joint, .kind = kind, .axis = {a, b}, .scale = 1, .bilateral = PETSC_TRUE};
  row->name = *suffix ? NsArenaPrint(self->arena, "%s.%s", joint->name, suffix) : joint->name;
  if (kind == NS_ROW_PERP || kind == NS_ROW_ANGLE) row->scale = arm_of(self);
  joint->rows++;
  return row;
}

static void add_point(NsMultibody *self, NsMbJoint *joint)
{
  static const char *const axes[] = {"x", "y", "z"};

  for (int k = 0; k < (self->body[0].planar ? 2 : 3); k++) add_row(self, joint, NS_ROW_POINT, k, k, axes[k]);
}

/* Keeps the frames of both bodies parallel; `all`: about the axis, too. */
static void add_parallel(NsMultibody *self, NsMbJoint *joint, PetscBool all)
{
  if (!all) {
    add_row(self, joint, NS_ROW_PERP, 2, 0, "tilt1");
    add_row(self, joint, NS_ROW_PERP, 2, 1, "tilt2");
    return;
  }
  add_row(self, joint, NS_ROW_PERP, 0, 1, "turn3");
  add_row(self, joint, NS_ROW_PERP, 1, 2, "turn1");
  add_row(self, joint, NS_ROW_PERP, 2, 0, "turn2");
}

static void add_slides(NsMultibody *self, NsMbJoint *joint)
{
  add_row(self, joint, NS_ROW_SLIDE, 0, 0, "across1");
  add_row(self, joint, NS_ROW_SLIDE, 1, 1, "across2");
}

static void rows_in_space(NsMultibody *self, NsMbJoint *joint)
{
  switch (joint->type) {
  case NS_JOINT_Fixed:
    add_point(self, joint);
    add_parallel(self, joint, PETSC_TRUE);
    break;
  case NS_JOINT_Revolute:
    add_point(self, joint);
    add_parallel(self, joint, PETSC_FALSE);
    break;
  case NS_JOINT_Prismatic:
    add_slides(self, joint);
    add_parallel(self, joint, PETSC_TRUE);
    break;
  case NS_JOINT_Cylindrical:
    add_slides(self, joint);
    add_parallel(self, joint, PETSC_FALSE);
    break;
  case NS_JOINT_Spherical: add_point(self, joint); break;
  case NS_JOINT_Universal:
    add_point(self, joint);
    add_row(self, joint, NS_ROW_PERP, 2, 2, "cross");
    break;
  case NS_JOINT_Planar:
    add_row(self, joint, NS_ROW_SLIDE, 2, 2, "normal");
    add_parallel(self, joint, PETSC_FALSE);
    break;
  case NS_JOINT_PointOnLine: add_slides(self, joint); break;
  default: break;
  }
}

static void rows_in_plane(NsMultibody *self, NsMbJoint *joint)
{
  if (joint->type == NS_JOINT_Fixed || joint->type == NS_JOINT_Revolute) add_point(self, joint);
  if (joint->type == NS_JOINT_Prismatic || joint->type == NS_JOINT_PointOnLine)
    add_row(self, joint, NS_ROW_SLIDE, 0, 0, joint->type == NS_JOINT_PointOnLine ? "" : "across");
  if (joint->type == NS_JOINT_Fixed || joint->type == NS_JOINT_Prismatic) add_row(self, joint, NS_ROW_ANGLE, 0, 0, "turn")->offset = joint->zero;
}

/* ---- limits, springs ------------------------------------------------------------------------------------------------------------------------------------ */

static PetscBool read_limit(NsMultibody *self, const NsNode *where, const char *key, const char *text, PetscBool angle, double *value)
{
  char message[200];
  int  column, length;

  if (!text) return PETSC_FALSE;
  if (NsParseQuantity(text, angle ? NS_DIM_ANGLE : NS_DIM_LENGTH, value, message, sizeof(message), &column, &length)) return PETSC_TRUE;
  NsDiagError(self->diag, NsKeysPlace(where, key), "%s", message);
  return PETSC_FALSE;
}

/* The row of a joint's angle, or of its way. */
static NsMbRow motion_row(const NsMultibody *self, const NsMbJoint *joint, PetscBool angle)
{
  NsMbRow row = {.joint = joint, .kind = angle ? NS_ROW_ANGLE : NS_ROW_SLIDE, .axis = {2, 2}, .scale = angle ? arm_of(self) : 1};

  row.offset = angle ? 0 : joint->zero_slide;
  if (joint->type == NS_JOINT_Distance) {
    row.kind   = NS_ROW_DISTANCE;
    row.offset = 0;
  }
  return row;
}

/* The row of a joint's own motion: its angle, or its way. */
static NsMbRow own_row(const NsMultibody *self, const NsMbJoint *joint)
{
  return motion_row(self, joint, joint->turns);
}

/* Stops of the angle, or of the way along the axis; `prefix` of their names. */
static void add_limits(NsMultibody *self, NsMbJoint *joint, const NsJointLimits *limits, PetscBool angle, const char *prefix)
{
  double    value[2] = {0, 0};
  PetscBool given[2];

  if (!limits) return;
  given[0] = read_limit(self, limits->where, "lower", limits->lower, angle, &value[0]);
  given[1] = read_limit(self, limits->where, "upper", limits->upper, angle, &value[1]);
  if (!limits->lower && !limits->upper) NsDiagError(self->diag, limits->where->place, "limits need `lower`, `upper` or both");
  if (given[0] && given[1] && value[0] >= value[1])
    NsDiagError(self->diag, NsKeysPlace(limits->where, "lower"), "the lower limit of joint '%s' is not below the upper one", joint->name);
  for (int i = 0; i < 2 && joint->type == NS_JOINT_Distance; i++) {
    if (given[i] && !(value[i] > 0))
      NsDiagError(self->diag, NsKeysPlace(limits->where, i ? "upper" : "lower"), "a limit of a distance must be greater than 0, got %g m", value[i]);
  }
  for (int i = 0; i < 2; i++) {
    if (!given[i]) continue;
    NsMbRow *row = &self->row[self->rows++];
    *row         = motion_row(self, joint, angle);
    row->offset += value[i];
    row->scale       = i ? -row->scale : row->scale;
    row->name        = NsArenaPrint(self->arena, "%s.%s%s", joint->name, prefix, i ? "upper" : "lower");
    row->restitution = limits->restitution;
  }
}

void NsMbCheckLimits(NsMultibody *self)
{
  const PetscReal tolerance = self->config->assembly->tolerance;

  for (PetscInt i = 0; i < self->rows; i++) {
    const NsMbRow *row = &self->row[i];
    NsMbWrench     w;
    if (row->bilateral) continue;
    NsMbRowAt(self, row, 0, self->start_q, NS_WANT_GAP, &w);
    if (w.g >= -tolerance) continue;
    const PetscReal beyond = row->kind == NS_ROW_ANGLE ? w.g / PetscAbsReal(row->scale) * 180 / PETSC_PI : w.g;
    NsDiagError(self->diag, row->joint->settings->where->key_place, "joint '%s' begins beyond its stop '%s', by %.4g %s", row->joint->name, row->name,
      -beyond, row->kind == NS_ROW_ANGLE ? "deg" : "m");
    NsDiagNote(self->diag, "change the limit, or the initial positions of the bodies; up to %g m is allowed (assembly.tolerance)", tolerance);
  }
}

/* Stop of the angle between an axis of A and the same of B, which agree at the start: cos(angle) - cos(largest) >= 0. */
static void add_cone(NsMultibody *self, NsMbJoint *joint)
{
  const NsJointCone *cone = joint->settings->cone;

  if (!cone) return;
  NsMbRow *row     = &self->row[self->rows++];
  *row             = (NsMbRow){.joint = joint,
                .kind                 = NS_ROW_PERP,
                .axis                 = {joint->type == NS_JOINT_Universal ? 1 : 2, joint->type == NS_JOINT_Universal ? 1 : 2},
                .scale                = arm_of(self)};
  row->offset      = cos(cone->angle);
  row->name        = NsArenaPrint(self->arena, "%s.bend", joint->name);
  row->restitution = cone->restitution;
}

static void add_actuator(NsMultibody *self, const NsMbJoint *joint, NsMbActuator actuator)
{
  actuator.row                      = own_row(self, joint);
  actuator.row.scale                = 1;
  self->actuator[self->actuators++] = actuator;
}

/* ---- all of them ---------------------------------------------------------------------------------------------------------------------------------------- */

static const NsMbJoint *find_joint(NsMultibody *self, const char *name, NsPlace place)
{
  for (PetscInt j = 0; j < self->joints; j++) {
    if (!strcmp(self->joint[j].name, name)) return &self->joint[j];
  }
  NsDiagError(self->diag, place, "there is no joint '%s'%s", name, NsDidYouMean(NsNearestWord(name, self->config->joints.names)));
  return NULL;
}

/* Gear or rack: one row over the angles and ways of two joints. */
static void make_gear(NsMultibody *self, NsMbJoint *joint)
{
  const NsJointSettings *settings = joint->settings;
  const PetscBool        rack     = joint->type == NS_JOINT_Rack;

  joint->ratio = rack ? -settings->radius : settings->ratio;
  for (int i = 0; i < 2; i++) {
    const NsPlace   place = settings->joints.where[i]->place;
    const PetscBool slide = rack && i == 0;
    joint->geared[i]      = find_joint(self, settings->joints.items[i], place);
    if (!joint->geared[i]) return;
    if (slide ? joint->geared[i]->slides && !joint->geared[i]->turns : joint->geared[i]->turns) continue;
    NsDiagError(self->diag, place, "'%s' is not a joint that %s", joint->geared[i]->name, slide ? "slides (prismatic)" : "turns (revolute)");
    return;
  }
  if (joint->geared[0] == joint->geared[1]) {
    NsDiagError(self->diag, settings->joints.where[1]->place, "'%s' couples a joint to itself", joint->name);
    return;
  }
  if (joint->ratio == 0) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, rack ? "radius" : "ratio"), "this must not be 0: '%s' would couple nothing", joint->name);
    return;
  }
  NsMbRow *row = add_row(self, joint, NS_ROW_GEAR, 0, 0, "");
  if (!rack) row->scale = arm_of(self);
  row->offset = 0;
  for (int i = 0; i < 2; i++) row->offset += (i ? joint->ratio : 1) * (joint->geared[i]->turns ? joint->geared[i]->zero : 0);
}

/* Friction of a joint without clearance: tangents of the last of the rows that carry its load. */
static void add_friction(NsMultibody *self, const NsMbJoint *joint)
{
  const NsJointSettings *settings = joint->settings;
  const PetscBool        planar   = self->body[0].planar;
  NsMbRow               *row      = &self->row[joint->first_row];

  if (joint->loose || settings->friction == 0) return;
  const PetscInt carriers = joint->type == NS_JOINT_Revolute ? planar ? 2 : 3 : planar ? 1 : 2;
  for (PetscInt i = 0; i < carriers; i++) row[i].carries = PETSC_TRUE;
  row += carriers - 1;
  row->friction = settings->friction;
  row->carriers = carriers;
  row->rub      = NsArenaAlloc(self->arena, 2 * sizeof(*row->rub));
  if (joint->type == NS_JOINT_Revolute || joint->type == NS_JOINT_Cylindrical) {
    row->rub[row->rubs]         = own_row(self, joint);
    row->rub[row->rubs++].scale = settings->radius;
  }
  if (joint->type != NS_JOINT_Revolute) row->rub[row->rubs++] = (NsMbRow){.joint = joint, .kind = NS_ROW_SLIDE, .axis = {2, 2}, .scale = 1};
}

/* Friction of what turns in a hole or socket needs a radius, without and with clearance. False after an error. */
static PetscBool check_radius(NsMultibody *self, const NsMbJoint *joint)
{
  const NsJointSettings *settings = joint->settings;
  const PetscBool        turns    = joint->type == NS_JOINT_Revolute || joint->type == NS_JOINT_Cylindrical || joint->type == NS_JOINT_Spherical;

  if (!turns || !(settings->friction > 0) || settings->radius > 0) return PETSC_TRUE;
  NsDiagError(self->diag, NsKeysPlace(settings->where, "friction"), "joint '%s' has friction and needs the `radius` of its pin", joint->name);
  return PETSC_FALSE;
}

/* Keys of friction without clearance. False after an error. */
static PetscBool check_friction(NsMultibody *self, const NsMbJoint *joint)
{
  const NsJointSettings *settings = joint->settings;
  const PetscBool        turns = joint->type == NS_JOINT_Revolute || joint->type == NS_JOINT_Cylindrical, rubs = settings->friction > 0;

  if (joint->type == NS_JOINT_Spherical && rubs) {
    NsDiagError(
      self->diag, NsKeysPlace(settings->where, "friction"), "a spherical joint has friction only with a `clearance`: '%s' has none", joint->name);
    return PETSC_FALSE;
  }
  if (!check_radius(self, joint)) return PETSC_FALSE;
  if (NsTreeChild(settings->where, "radius") && !(turns && rubs)) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "radius"), "`radius` has no effect on joint '%s', which has no %s", joint->name,
      turns ? "friction and no clearance" : "clearance");
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

#define NS_LEAST_CLEARANCE 1e-12 /* m: positions of some m are rounded to 1e-15 */

/* Keys of clearance that mean nothing, or are missing. False after an error. */
static PetscBool check_clearance(NsMultibody *self, const NsMbJoint *joint)
{
  static const char *const need[]   = {"length", "restitution", NULL};
  static const char *const angle[]  = {"limits", "angle_limits", "stiffness", "damping", "free_angle", NULL};
  const NsJointSettings   *settings = joint->settings;
  const PetscBool          planar   = self->body[0].planar;
  const PetscBool two_ends = planar ? joint->type == NS_JOINT_Prismatic : joint->type == NS_JOINT_Revolute || joint->type == NS_JOINT_Cylindrical;

  if (joint->type == NS_JOINT_Gear || joint->type == NS_JOINT_Rack) return PETSC_TRUE; /* `radius` of a rack is another one */
  for (int i = 0; need[i] && !joint->loose; i++) {
    if (!NsTreeChild(settings->where, need[i])) continue;
    NsDiagError(self->diag, NsKeysPlace(settings->where, need[i]), "`%s` is for joints with `clearance`; joint '%s' has none", need[i], joint->name);
    return PETSC_FALSE;
  }
  if (!joint->loose) return check_friction(self, joint);
  if (settings->clearance < NS_LEAST_CLEARANCE) {
    NsDiagError(
      self->diag, NsKeysPlace(settings->where, "clearance"), "a clearance of %.4g m is below the rounding error of positions", settings->clearance);
    NsDiagNote(self->diag, "leave it out for a joint without clearance; at least %g m", NS_LEAST_CLEARANCE);
    return PETSC_FALSE;
  }
  if (!check_radius(self, joint)) return PETSC_FALSE;
  if (!planar && joint->type == NS_JOINT_Prismatic) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "clearance"), "a slider with clearance is for bodies in the plane");
    NsDiagNote(self->diag, "in space use a cylindrical joint with clearance, or contacts of a box or points with planes");
    return PETSC_FALSE;
  }
  for (int i = 0; angle[i] && !planar; i++) {
    if (!NsTreeChild(settings->where, angle[i])) continue;
    NsDiagError(self->diag, NsKeysPlace(settings->where, angle[i]), "a hinge with clearance has no axis of its own in space, and no `%s`", angle[i]);
    return PETSC_FALSE;
  }
  if (two_ends != (settings->length > 0)) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, two_ends ? "clearance" : "length"),
      two_ends ? "joint '%s' has a clearance and needs the `length` of its pin or slider, which touches at its ends"
               : "`length` has no effect on joint '%s': it touches at one point",
      joint->name);
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void make_joint(NsMultibody *self, NsMbJoint *joint)
{
  const NsJointSettings *settings = joint->settings;
  const PetscBool        planar   = self->body[0].planar;

  if (planar && (joint->type == NS_JOINT_Cylindrical || joint->type == NS_JOINT_Spherical || joint->type == NS_JOINT_Universal ||
                  joint->type == NS_JOINT_Planar)) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "type"),
      "joint '%s' is for bodies in space; in the plane there are fixed, revolute, prismatic, point_on_line and distance", joint->name);
    return;
  }
  if (!NsMbPlaceJoint(self, joint)) return;
  joint->loose  = settings->clearance > 0;
  joint->turns  = (joint->type == NS_JOINT_Revolute || joint->type == NS_JOINT_Cylindrical) && (planar || !joint->loose);
  joint->slides = joint->type == NS_JOINT_Prismatic || joint->type == NS_JOINT_Cylindrical;
  if (joint->turns && !planar) joint->turn = self->unknowns + self->turns++;
  if (joint->type == NS_JOINT_Bushing) {
    NsMbAddBushing(self, joint);
    return;
  }
  if (joint->type == NS_JOINT_Distance) {
    if (joint->zero_slide <= 1e-12 * self->length && !(settings->limits && !settings->limits->lower)) {
      NsDiagError(self->diag, settings->where->key_place,
        "the points of joint '%s' coincide at the start: for a distance of 0 use a spherical or revolute joint", joint->name);
      return;
    }
    if (!settings->limits) add_row(self, joint, NS_ROW_DISTANCE, 0, 0, "")->offset = joint->zero_slide;
  }
  if (planar)
    rows_in_plane(self, joint);
  else
    rows_in_space(self, joint);
  if (!check_clearance(self, joint)) return;
  for (PetscInt i = joint->first_row; i < self->rows; i++) self->row[i].loose = joint->loose;
  if (joint->loose && !planar && joint->type == NS_JOINT_Revolute) add_row(self, joint, NS_ROW_SLIDE, 2, 2, "axial");
  add_friction(self, joint);
  add_limits(self, joint, settings->limits, joint->turns && !joint->slides, "");
  add_limits(self, joint, settings->angle_limits, PETSC_TRUE, "angle_");
  add_cone(self, joint);
  if (settings->stiffness > 0 || settings->damping > 0)
    add_actuator(self, joint, (NsMbActuator){.stiffness = settings->stiffness, .damping = settings->damping, .rest = settings->free_position});
}

/* Displacement or velocity over time, along x; NULL after an error. */
static const NsMotion *motion_of(NsMultibody *self, const NsDriveSettings *settings, const char *name)
{
  NsMotionPart *part   = NsArenaAlloc(self->arena, sizeof(*part));
  NsMotion     *motion = NsArenaAlloc(self->arena, sizeof(*motion));

  *part   = (NsMotionPart){.where = settings->where,
      .displacement               = {settings->displacement},
      .velocity                   = {settings->velocity},
      .time                       = settings->time,
      .window                     = settings->window};
  *motion = NsMotionPrepare(&(NsList){.count = 1, .items = part}, self->config->time->end, self->arena, self->diag);
  NsSwitchesNoteMotion(self->switches, motion, name, self->arena);
  return motion->parts ? motion : NULL;
}

static void make_drive(NsMultibody *self, const NsDriveSettings *settings, const char *name)
{
  static const char *const words[] = {"speed", "torque", "displacement", "velocity", "force", NULL};
  const NsMbJoint         *joint   = find_joint(self, settings->joint, NsKeysPlace(settings->where, "joint"));
  const PetscBool          turn    = NsTreeChild(settings->where, "speed") || NsTreeChild(settings->where, "torque");
  const char              *key     = NULL;

  for (int i = 0; words[i] && !key; i++) key = NsTreeChild(settings->where, words[i]) ? words[i] : NULL;
  if (!joint) return;
  if (turn ? !joint->turns : !joint->slides || joint->turns) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, key), "joint '%s' does not %s: a drive with `%s` needs a %s joint", joint->name,
      turn ? "turn" : "slide", key, turn ? "revolute" : "prismatic");
    return;
  }
  if (NsTreeChild(settings->where, "torque") || NsTreeChild(settings->where, "force")) {
    NsSwitchesNote(self->switches, settings->window.from, settings->window.until, "drive", name, settings->where, self->arena);
    add_actuator(self, joint,
      (NsMbActuator){.push = settings->torque + settings->force, .time = NsTimeFunctionWindow(settings->time, &settings->window, self->arena)});
    return;
  }
  NsMbRow *row   = &self->row[self->rows++];
  *row           = own_row(self, joint);
  row->offset    = joint->turns ? joint->zero : joint->zero_slide;
  row->speed     = settings->speed;
  row->motion    = settings->speed ? NULL : motion_of(self, settings, name);
  row->name      = name;
  row->bilateral = PETSC_TRUE;
}

/* Rows between the nodes of an elastic rod, for the start alone. */
static void hold_rod(NsMultibody *self, const NsMbBeam *beam)
{
  const NsMbBody  *node     = &self->body[beam->first];
  NsJointSettings *settings = NsArenaAlloc(self->arena, sizeof(*settings));

  settings->where = node->where;
  for (PetscInt e = 0; e < beam->elements; e++) {
    NsMbJoint     *joint = &self->joint[self->joints + self->holds++];
    const PetscInt first = self->rows;
    *joint               = (NsMbJoint){.name = beam->name, .settings = settings, .type = NS_JOINT_Fixed, .turn = -1, .about = 2};
    for (int i = 0; i < 2; i++) {
      joint->side[i].body = beam->first + e + i;
      for (int a = 0; a < 3; a++) joint->e[i][a][a] = 1;
    }
    joint->side[0].s[0] = beam->length;
    if (node->planar)
      rows_in_plane(self, joint);
    else
      rows_in_space(self, joint);
    for (PetscInt i = first; i < self->rows; i++) self->row[i].rigid = PETSC_TRUE;
  }
}

void NsMbJoints(NsMultibody *self)
{
  const NsList          *list = &self->config->joints, *drives = &self->config->drives;
  const NsChosen        *chosen = list->items;
  const NsDriveSettings *drive  = drives->items;

  self->joint    = NsArenaAlloc(self->arena, sizeof(*self->joint) * (size_t)(list->count + self->bodies + 1));
  self->row      = NsArenaAlloc(self->arena, sizeof(*self->row) * (size_t)(8 * list->count + drives->count + 6 * self->bodies + 1));
  self->bushing  = NsArenaAlloc(self->arena, sizeof(*self->bushing) * (size_t)(list->count + 1));
  self->actuator = NsArenaAlloc(self->arena, sizeof(*self->actuator) * (size_t)(list->count + drives->count + 1));
  if (list->count) NsMbPlaceBodies(self);
  if (NsDiagErrors(self->diag)) return;
  for (int pass = 0; pass < 2; pass++) { /* gears couple joints that are read before */
    for (int j = 0; j < list->count; j++) {
      const int type = NsJointFind(&chosen[j]);
      if ((type == NS_JOINT_Gear || type == NS_JOINT_Rack) != (pass == 1)) continue;
      NsMbJoint *joint = &self->joint[self->joints++];
      *joint = (NsMbJoint){.name = list->names[j], .settings = chosen[j].settings, .type = type, .turn = -1, .about = 2, .first_row = self->rows};
      if (pass)
        make_gear(self, joint);
      else
        make_joint(self, joint);
    }
  }
  for (int d = 0; d < drives->count; d++) make_drive(self, &drive[d], drives->names[d]);
  for (PetscInt i = 0; i < self->beams; i++) hold_rod(self, &self->beam[i]);
}
