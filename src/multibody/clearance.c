/*
  Joints with clearance c: the pin of body B in the hole of body A, with contacts instead of constraints. With x_B the center of the pin (or of one of its ends), r = x_B - x_A, a the axis of the
  hole and e the normal of the guide, both fixed to A, and R the radius of the pin:

      socket   ball in a socket, pin in a hole in the plane      g = c - |d|, d = r                     n = -d/|d|
      bore     end of a pin in a hole in space                   g = c - |d|, d = r - a (a . r)         n = -d/|d|
      guide    end of a slider between two planes                g = c - e . r (and with -e)            n = -e

  n pushes B, at the place x_B - R n, where the pin touches the hole; the rows are those of the material points there, for which g' = W' v holds exactly. At d = 0 there is no contact, and n is arbitrary.

  Reference: P. Flores, J. Ambrosio, J. C. P. Claro, H. M. Lankarani: Kinematics and dynamics of multibody systems with imperfect joints, 2008, chapters 2 and 5 (there with compliant contact).
*/
#include "touch.h"

PetscReal NsMbClearanceAt(const NsMultibody *self, const NsMbTouch *touch, PetscReal n[3], PetscReal c[3])
{
  PetscReal x[2][3], r[3], axis[3] = {0};

  for (int i = 0; i < 2; i++) NsMbPoint(self, &touch->side[i], x[i]);
  for (int k = 0; k < 3; k++) r[k] = x[0][k] - x[1][k];
  if (touch->kind != NS_TOUCH_SOCKET) NsTurn(self->frame[touch->side[1].body].R, touch->n, axis);
  const PetscReal along = NsDot(axis, r);
  PetscReal       way   = along;
  if (touch->kind == NS_TOUCH_GUIDE) {
    for (int k = 0; k < 3; k++) n[k] = -axis[k];
  } else {
    for (int k = 0; k < 3; k++) r[k] -= along * axis[k];
    way = NsLength(r);
    for (int k = 0; k < 3; k++) n[k] = way > 0 ? -r[k] / way : 0;
    if (!(way > 0)) {
      PetscReal across[3];
      if (touch->kind == NS_TOUCH_BORE)
        NsAcross(axis, n, across);
      else
        n[0] = 1;
    }
  }
  for (int k = 0; k < 3; k++) c[k] = x[0][k] - touch->radius[0] * n[k];
  return touch->offset - way;
}

/* The contacts of a joint; touch NULL: only how many. */
static PetscInt make(NsMultibody *self, const NsMbJoint *joint, NsMbTouch *touch)
{
  static const char *const end_names[] = {"end1", "end2"}, *const side_names[] = {"lower", "upper"};
  const NsJointSettings *settings = joint->settings;
  const PetscBool        planar = self->body[0].planar, guided = planar && (joint->type == NS_JOINT_Prismatic || joint->type == NS_JOINT_PointOnLine);
  const int              ends = settings->length > 0 ? 2 : 1, sides = guided ? 2 : 1;
  const PetscBool        socket = joint->type == NS_JOINT_Spherical || (planar && !guided);

  for (int i = 0; i < ends * sides && touch; i++) {
    const int  end = i / sides, side = i % sides;
    NsMbTouch *to = &touch[i];
    *to           = (NsMbTouch){.kind = socket   ? NS_TOUCH_SOCKET
                                        : guided ? NS_TOUCH_GUIDE
                                                 : NS_TOUCH_BORE,
                .side                 = {joint->side[1], joint->side[0]},
                .radius               = {settings->radius, 0},
                .offset               = settings->clearance,
                .clearance            = (guided ? 2 : 1) * settings->clearance,
                .law                  = {.restitution = settings->restitution, .friction = settings->friction}};
    to->name      = NsArenaPrint(self->arena, "%s%s%s%s%s", joint->name, ends > 1 ? "." : "", ends > 1 ? end_names[end] : "", sides > 1 ? "." : "",
      sides > 1 ? side_names[side] : "");
    for (int k = 0; k < 3; k++) {
      to->side[0].s[k] += ends > 1 ? (end ? 0.5 : -0.5) * settings->length * joint->e[1][2][k] : 0;
      to->n[k] = guided ? (side ? 1 : -1) * joint->e[0][0][k] : joint->e[0][2][k];
    }
    const PetscReal gap = NsMbTouchAt(self, to, 0, NULL);
    if (gap >= -self->config->assembly->tolerance) continue;
    NsDiagError(self->diag, settings->where->key_place, "the pin of joint '%s' starts outside its hole, by %.4g m", joint->name, -gap);
    NsDiagNote(
      self->diag, "move the bodies, or let joints place them; up to %g m is allowed (assembly.tolerance)", self->config->assembly->tolerance);
  }
  return ends * sides;
}

PetscInt NsMbClearances(NsMultibody *self, NsMbTouch *touch)
{
  PetscInt count = 0;

  for (PetscInt j = 0; j < self->joints; j++) {
    if (self->joint[j].loose) count += make(self, &self->joint[j], touch ? touch + count : NULL);
  }
  return count;
}
