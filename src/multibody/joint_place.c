/* Where joints are: their points and axes on both bodies at the start, and bodies that stand where their joints put them. */
#include <string.h>
#include "beams.h"
#include "joints.h"

/* A side as the config names it: a point, a body (its point at `at`), or the ground. */
typedef struct {
  NsSide    side;
  PetscBool point; /* it names a point of a body */
} Named;

/* Both of them; false after an error. */
static PetscBool read_sides(NsMultibody *self, const NsJointSettings *settings, const char *name, Named named[2])
{
  const PetscBool at = NsTreeChild(settings->where, "at") != NULL;

  for (int i = 0; i < 2; i++) {
    const char *text = settings->between.items[i];
    if (!NsMbFindPoint(self, text, PETSC_TRUE, settings->between.where[i]->place, &named[i].side)) return PETSC_FALSE;
    named[i].point = named[i].side.body < self->bodies && (strchr(text, '.') || !at);
  }
  if (named[0].side.body == named[1].side.body) {
    NsDiagError(self->diag, settings->between.where[1]->place, "both sides of joint '%s' are on '%s'", name,
      named[0].side.body < self->bodies ? self->body[named[0].side.body].name : "ground");
    return PETSC_FALSE;
  }
  if (at && named[0].point && named[1].point) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "at"), "joint '%s' has points on both bodies: remove `at` or a point", name);
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Of the partner at the start, in space; the ground is at rest at the origin. */
static void start_point(const NsMultibody *self, const NsSide *side, PetscReal x[3])
{
  const NsMbBody *body = &self->body[side->body];

  NsTurn(body->R, side->s, x);
  for (int k = 0; k < 3; k++) x[k] += body->x[k];
}

void NsMbPlaceBodies(NsMultibody *self)
{
  const NsList   *list   = &self->config->joints;
  const NsChosen *chosen = list->items;
  PetscBool       moved  = PETSC_TRUE;

  for (PetscInt left = self->bodies; left > 0;) {
    while (moved) {
      moved = PETSC_FALSE;
      for (int j = 0; j < list->count; j++) {
        const NsJointSettings *settings = chosen[j].settings;
        Named                  named[2];
        if (!settings->between.count || !read_sides(self, settings, list->names[j], named)) continue;
        for (int i = 0; i < 2; i++) {
          const NsSide *of = &named[i].side, *to = &named[1 - i].side;
          PetscReal     x[3], y[3];
          if (of->body == self->bodies || self->body[of->body].placed || !named[i].point) continue;
          if (to->body < self->bodies && !self->body[to->body].placed) continue;
          for (int k = 0; k < 3; k++) x[k] = settings->at[k];
          if (named[1 - i].point) start_point(self, to, x);
          start_point(self, of, y);
          for (int k = 0; k < 3; k++) self->body[of->body].x[k] += x[k] - y[k];
          self->body[of->body].placed = moved = PETSC_TRUE;
        }
      }
    }
    left = 0;
    for (PetscInt b = 0; b < self->bodies && !left; b++) left = self->body[b].placed ? 0 : b + 1;
    if (left) self->body[left - 1].placed = moved = PETSC_TRUE;
  }
}

/* Points of both sides: named; at `at`; on the ground where the other one is. */
static void set_points(NsMultibody *self, const NsJointSettings *settings, const Named named[2], NsMbJoint *joint)
{
  PetscReal at[3] = {settings->at[0], settings->at[1], settings->at[2]};

  if (!NsTreeChild(settings->where, "at")) {
    for (int i = 0; i < 2; i++) {
      if (named[i].point) start_point(self, &named[i].side, at);
    }
  }
  for (int i = 0; i < 2; i++) {
    joint->side[i] = named[i].side;
    if (named[i].point) continue;
    if (named[i].side.body < self->bodies && self->body[named[i].side.body].beam)
      joint->side[i].body = NsMbBeamNearest(self, self->body[named[i].side.body].beam, at);
    if (named[i].side.body == self->bodies) {
      for (int k = 0; k < 3; k++) joint->side[i].s[k] = at[k];
      continue;
    }
    const NsMbBody *body = &self->body[joint->side[i].body];
    PetscReal       d[3];
    for (int k = 0; k < 3; k++) d[k] = at[k] - body->x[k];
    NsTurnBack(body->R, d, joint->side[i].s);
  }
}

/* Unit vector of a key; false after an error. */
static PetscBool read_axis(
  NsMultibody *self, const NsJointSettings *settings, const char *key, const double given[3], const char *name, PetscReal axis[3])
{
  const PetscReal length = NsLength(given);

  if (!(length > 0 && length < 1e100)) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, key), "joint '%s' needs an `%s`: its direction in space at the start", name, key);
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) axis[k] = given[k] / length;
  return PETSC_TRUE;
}

/* Axes e of A and B in space at the start: both the same, of a Cardan joint each its own. False after an error. */
static PetscBool read_axes(NsMultibody *self, const NsJointSettings *settings, NsMbJoint *joint, PetscReal e[2][3][3])
{
  static const PetscReal z[3]   = {0, 0, 1};
  const PetscBool        planar = self->body[0].planar;
  const PetscBool        none   = joint->type == NS_JOINT_Fixed || (joint->type == NS_JOINT_Spherical && !settings->cone) ||
                         joint->type == NS_JOINT_Distance || joint->type == NS_JOINT_Bushing;

  if (joint->type == NS_JOINT_Spherical && none && NsTreeChild(settings->where, "axis")) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "axis"), "`axis` has no effect on joint '%s', which has no `limits`", joint->name);
    return PETSC_FALSE;
  }
  if (none || (planar && joint->type == NS_JOINT_Revolute)) {
    if (planar && settings->axis[0] * settings->axis[0] + settings->axis[1] * settings->axis[1] > 0) {
      NsDiagError(self->diag, NsKeysPlace(settings->where, "axis"), "a hinge in the plane rotates about z: remove `axis`");
      return PETSC_FALSE;
    }
    memcpy(e[0][2], z, sizeof(z));
  } else if (!read_axis(self, settings, "axis", settings->axis, joint->name, e[0][2])) {
    return PETSC_FALSE;
  }
  if (planar && joint->type != NS_JOINT_Revolute && !none) {
    if (e[0][2][2] != 0) {
      NsDiagError(self->diag, NsKeysPlace(settings->where, "axis"), "the axis of joint '%s' is not in the x-y plane", joint->name);
      return PETSC_FALSE;
    }
    joint->about = 1; /* e1 lies in the plane, e2 is z */
    memcpy(e[0][1], z, sizeof(z));
    NsCross(e[0][1], e[0][2], e[0][0]);
  } else {
    NsAcross(e[0][2], e[0][0], e[0][1]);
  }
  memcpy(e[1], e[0], sizeof(e[0]));
  if (joint->type != NS_JOINT_Universal) return PETSC_TRUE;
  if (!read_axis(self, settings, "second_axis", settings->second_axis, joint->name, e[1][2])) return PETSC_FALSE;
  if (PetscAbsReal(NsDot(e[0][2], e[1][2])) > 1e-3) {
    NsDiagError(self->diag, NsKeysPlace(settings->where, "second_axis"), "the axes of joint '%s' are at an angle of %.4g deg, not 90 deg",
      joint->name, acos(PetscMin(1, PetscAbsReal(NsDot(e[0][2], e[1][2])))) * 180 / PETSC_PI);
    return PETSC_FALSE;
  }
  NsCross(e[0][2], e[1][2], e[0][1]); /* across both: straight at the start */
  const PetscReal length = NsLength(e[0][1]);
  for (int k = 0; k < 3; k++) e[1][1][k] = e[0][1][k] /= length;
  for (int i = 0; i < 2; i++) NsCross(e[i][1], e[i][2], e[i][0]);
  return PETSC_TRUE;
}

/* R of a side at the start; the config's frame of the body, or (own) that of its principal axes. */
static void start_frame(const NsMultibody *self, PetscInt body, PetscBool own, PetscReal R[9])
{
  for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
  if (body == self->bodies) return;
  const NsMbBody *b = &self->body[body];
  if (own) {
    memcpy(R, b->R, sizeof(b->R));
    return;
  }
  for (int i = 0; i < 3; i++) { /* R P' */
    for (int j = 0; j < 3; j++) R[3 * i + j] = NsDot(b->R + 3 * i, b->principal + 3 * j);
  }
}

/* The angle at the start: that of the frames, where they turn about the axis alone; else 0. */
static PetscReal start_angle(const NsMultibody *self, const NsMbJoint *joint, const PetscReal axis[3])
{
  PetscReal R[2][9], T[9], p[4], a[3], along[3];

  for (int i = 0; i < 2; i++) start_frame(self, joint->side[i].body, PETSC_FALSE, R[i]);
  for (int i = 0; i < 3; i++) { /* R_B R_A' */
    for (int j = 0; j < 3; j++) T[3 * i + j] = NsDot(R[1] + 3 * i, R[0] + 3 * j);
  }
  NsMatrixQuaternion(T, p);
  NsQuaternionLog(p, a);
  NsCross(a, axis, along);
  return NsLength(along) <= 1e-6 ? NsDot(a, axis) : 0;
}

static void set_frames(NsMultibody *self, NsMbJoint *joint, PetscReal e[2][3][3])
{
  PetscReal R[9], x[2][3];

  for (int i = 0; i < 2; i++) {
    start_frame(self, joint->side[i].body, PETSC_TRUE, R);
    for (int a = 0; a < 3; a++) NsTurnBack(R, e[i][a], joint->e[i][a]);
    NsTurn(R, joint->side[i].s, x[i]);
    for (int k = 0; k < 3 && joint->side[i].body < self->bodies; k++) x[i][k] += self->body[joint->side[i].body].x[k];
  }
  for (int k = 0; k < 3; k++) joint->zero_slide += e[0][2][k] * (x[1][k] - x[0][k]);
  if (joint->type == NS_JOINT_Distance) {
    const PetscReal d[3] = {x[1][0] - x[0][0], x[1][1] - x[0][1], x[1][2] - x[0][2]};
    joint->zero_slide    = NsLength(d);
  }
}

PetscBool NsMbPlaceJoint(NsMultibody *self, NsMbJoint *joint)
{
  const NsJointSettings *settings = joint->settings;
  const PetscBool        planar   = self->body[0].planar;
  PetscReal              e[2][3][3];
  Named                  named[2];

  if (!read_sides(self, settings, joint->name, named)) return PETSC_FALSE;
  set_points(self, settings, named, joint);
  if (!read_axes(self, settings, joint, e)) return PETSC_FALSE;
  set_frames(self, joint, e);
  joint->zero = planar ? 0 : start_angle(self, joint, e[0][2]);
  for (int i = 0; i < 2 && planar; i++) {
    const PetscInt b = joint->side[i].body;
    if (b < self->bodies) joint->zero += (i ? 1 : -1) * atan2(self->body[b].R[3], self->body[b].R[0]);
  }
  return PETSC_TRUE;
}
