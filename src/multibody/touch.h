/* Contacts of points and shapes of bodies. */
#pragma once
#include "contact/settings.h"
#include "joints.h"

typedef enum { NS_TOUCH_BALLS, NS_TOUCH_RIM, NS_TOUCH_PLANE, NS_TOUCH_SOCKET, NS_TOUCH_BORE, NS_TOUCH_GUIDE } NsMbTouchKind;

/*
  A ball of radius r (0: a point) around a point of a body, against a plane, another ball, or what a joint with clearance or a cavity leaves it (clearance.c, insides.c). RIM: that point of a circle,
  the rim of a cylinder, or of an ellipsoid, which is nearest to the plane.
*/
typedef struct NsMbTouch {
  const char   *name;
  NsMbTouchKind kind;
  NsSide        side[2]; /* of the second ball; plane: the ground */
  PetscReal     radius[2], offset;
  PetscReal     n[3], t[2][3], x[3],
    velocity
      [3]; /* of the plane: normal, tangents, a point of it, its own velocity. BORE, GUIDE: n is its axis or normal, in the second body's frame */
  PetscReal      axis[3];              /* RIM: of the circle, in the first body's frame; its radius is radius[0] */
  const NsShape *ellipsoid;            /* RIM: instead of the circle; radius[0] is its largest half axis; NULL: none */
  NsMotion       motion;               /* of the plane */
  PetscReal      tolerance, clearance; /* clearance: the largest gap */
  NsLaw          law;
  PetscInt       resists,
    before; /* 1 + NS_ROLLING ...: a resistance moment of the contact `before` places earlier in the list, with which it shares everything else; 0: a contact */
  const PetscBool *off; /* NsSwitchesAdd */
} NsMbTouch;

/* Rows beside the normal: tangents, or axes of a moment. */
PetscInt NsMbTouchTangents(const NsMultibody *self, const NsMbTouch *touch);

/* Contacts of the config: self->touch. Errors in diag. */
void NsMbTouches(NsMultibody *self);
/* clearance.c: contacts of joints with clearance; touch NULL: only how many. Errors in diag. */
PetscInt  NsMbClearances(NsMultibody *self, NsMbTouch *touch);
PetscReal NsMbClearanceAt(const NsMultibody *self, const NsMbTouch *touch, PetscReal n[3], PetscReal c[3]);
/* insides.c: the cavity among the shapes of a partner (NULL: none); the number of contacts of a ball inside it; one of these contacts: its kind, its second side without the body, the offset of the gap, the name of the wall or NULL. */
const NsShape *NsMbCavity(const NsMultibody *self, const NsPartnerSettings *partner, PetscInt *body);
PetscInt       NsMbWalls(const NsMultibody *self, const NsShape *cavity);
const char    *NsMbSetWall(const NsMultibody *self, const NsShape *cavity, PetscInt wall, PetscReal radius, NsMbTouch *touch);
/* The gap at the frames; wrench[rows] (or NULL): normal and tangents, as many as `rows`. */
PetscReal NsMbTouchAt(const NsMultibody *self, const NsMbTouch *touch, PetscInt rows, NsMbWrench *wrench);
/* The same of any two bodies: n, or a tangent, on the first one at the place c. */
void NsMbTouchWrench(
  const NsMultibody *self, const PetscInt body[2], const PetscReal n[3], const PetscReal c[3], PetscReal gap, PetscInt rows, NsMbWrench *wrench);
/* (dW'/dt) v of its rows at (q, v). Leaves the frames at (q, v). */
void NsMbTouchRate(NsMultibody *self, const NsMbTouch *touch, PetscInt rows, const PetscReal *q, const PetscReal *v, PetscReal *rate);
/* Point and normal of a contact; the normal pushes the first body. */
void NsMbTouchPoint(const NsMultibody *self, const NsMbTouch *touch, PetscReal x[3], PetscReal n[3]);
