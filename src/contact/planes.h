/*
  Drawing of the planes of contacts that belong to no body: each plane once, as a rectangle around what touches it.
*/
#pragma once
#include "core/motion.h"
#include "percuss/model.h"

/* A plane as a contact has it. */
typedef struct {
  PetscReal       point[3], normal[3]; /* normal: a unit vector */
  PetscReal       velocity[3];         /* of its surface within itself: a belt */
  const NsMotion *motion;              /* of the plane; NULL: at rest. Not owned */
} NsPlane;

typedef struct NsPlanes NsPlanes;

/* Room for so many planes. */
NsPlanes *NsPlanesCreate(PetscInt most, NsArena *arena);
/* A point x of a body, with a ball of this radius around it, may touch this plane. True where the plane is new. */
PetscBool NsPlanesAdd(NsPlanes *planes, const NsPlane *plane, const PetscReal x[3], PetscReal radius);
/* Makes the picture: a quadrilateral for each plane. model: the scene of the bodies; its size determines the margin around what may touch the plane. */
void NsPlanesScene(const NsPlanes *planes, const NsScene *model, NsArena *arena, NsScene *scene);
/* The picture at the time t. */
void NsPlanesAt(const NsPlanes *planes, PetscReal t, NsPlaneFields *fields);
