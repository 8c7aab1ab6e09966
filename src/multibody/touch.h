/* Contacts of points and shapes of bodies. */
#pragma once
#include "joints.h"

/* A ball of radius r (0: a point) around a point of a body, against a fixed plane or against another ball. */
typedef struct NsMbTouch {
  const char *name;
  NsSide      side[2]; /* of the second ball; plane: the ground */
  PetscReal   radius[2], offset;
  PetscBool   plane;
  PetscReal   n[3], t[2][3], x[3], velocity[3]; /* of the plane: normal, tangents, a point of it, its own velocity */
  PetscReal   tolerance;
  NsLaw       law;
} NsMbTouch;

/* Contacts of the config: self->touch. Errors in diag. */
void NsMbTouches(NsMultibody *self);
/* The gap at the frames; wrench[rows] (or NULL): normal and tangents, as many as `rows`. */
PetscReal NsMbTouchAt(const NsMultibody *self, const NsMbTouch *touch, PetscInt rows, NsMbWrench *wrench);
/* The same of any two bodies: n, or a tangent, on the first one at the place c. */
void NsMbTouchWrench(
  const NsMultibody *self, const PetscInt body[2], const PetscReal n[3], const PetscReal c[3], PetscReal gap, PetscInt rows, NsMbWrench *wrench);
/* (dW'/dt) v of its rows at (q, v). Leaves the frames at (q, v). */
void NsMbTouchRate(NsMultibody *self, const NsMbTouch *touch, PetscInt rows, const PetscReal *q, const PetscReal *v, PetscReal *rate);
/* Where it is, and its normal on the first body. */
void NsMbTouchPoint(const NsMultibody *self, const NsMbTouch *touch, PetscReal x[3], PetscReal n[3]);
