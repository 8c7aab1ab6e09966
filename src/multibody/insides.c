/*
  Cavities: surfaces that a body touches from inside. A ball of radius r about the point x of the first body, the centre c and axes e_k of the cavity fixed to the second one, d = x - c:

      sphere     g = R - r - |d|                                          in the plane also of a cylinder
      cylinder   g = R - r - |d - e_3 (e_3 . d)|,  ends g = l/2 - r -+ e_3 . d
      box        walls g = b_k/2 - r -+ e_k . d

  These are the contacts of joints with clearance (clearance.c).
*/
#include "piles.h"
#include "touch.h"

static PetscBool is_circle(const NsMultibody *self, const NsShape *shape)
{
  return self->body[0].planar && shape->kind == NS_SHAPE_CYLINDER;
}

const NsShape *NsMbCavity(const NsMultibody *self, const NsPartnerSettings *partner, PetscInt *body)
{
  for (int i = 0; i < partner->nodes.count; i++) {
    const NsShape *shape = NsMbFindShape(self, partner->nodes.items[i], body);
    if (shape && shape->inside) return shape;
  }
  return NULL;
}

PetscInt NsMbWalls(const NsMultibody *self, const NsShape *cavity)
{
  if (cavity->kind == NS_SHAPE_SPHERE || is_circle(self, cavity)) return 1;
  if (cavity->kind == NS_SHAPE_CYLINDER) return 3;
  return self->body[0].planar ? 4 : 6;
}

const char *NsMbSetWall(const NsMultibody *self, const NsShape *cavity, PetscInt wall, PetscReal radius, NsMbTouch *touch)
{
  static const char *const walls[] = {"x1", "x2", "y1", "y2", "z1", "z2"}, *const ends[] = {"side", "end1", "end2"};
  const PetscBool single = NsMbWalls(self, cavity) == 1, side = cavity->kind == NS_SHAPE_CYLINDER && wall == 0;
  PetscReal       room = cavity->radius;
  PetscInt        axis = 2, sign = -1;

  if (cavity->kind == NS_SHAPE_BOX) {
    axis = wall / 2;
    sign = wall % 2 ? 1 : -1;
    room = cavity->half[axis];
  } else if (!single && !side) {
    sign = wall == 1 ? -1 : 1;
    room = cavity->half_length;
  }
  touch->kind = single ? NS_TOUCH_SOCKET : side ? NS_TOUCH_BORE : NS_TOUCH_GUIDE;
  for (int k = 0; k < 3; k++) {
    touch->side[1].s[k] = cavity->x[k];
    touch->n[k]         = (side ? 1 : (PetscReal)sign) * cavity->R[3 * k + axis];
  }
  if (self->body[0].planar) touch->side[1].s[2] = touch->side[0].s[2] = 0;
  touch->radius[0] = radius;
  touch->offset += room - radius;
  touch->clearance = (touch->kind == NS_TOUCH_GUIDE ? 2 : 1) * PetscMax(room - radius, 1e-12 * room);
  return single ? NULL : cavity->kind == NS_SHAPE_BOX ? walls[wall] : ends[wall];
}
