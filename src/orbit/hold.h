/* What simulate.c needs of models with joints, lasting contacts and angles that go round. */
#pragma once
#include "orbit.h"

/* Joints, and contacts that are closed and at rest. */
typedef struct {
  PetscInt  count;
  PetscInt *contact; /* [candidates + 1] the first `count`, ascending */
} NsOrbitHeld;

PetscErrorCode NsOrbitHeldCreate(NsOrbitSystem *system, NsOrbitHeld *held);
PetscErrorCode NsOrbitHeldDestroy(NsOrbitHeld *held);
/* Those of x[states] at t; joints alone if `resting` is false. */
PetscErrorCode NsOrbitHeldFind(NsOrbitSystem *system, PetscReal t, const PetscReal *x, PetscBool resting, NsOrbitHeld *held);
/* Moves x onto them. */
PetscErrorCode NsOrbitHold(NsOrbitSystem *system, PetscReal t, const NsOrbitHeld *held, PetscReal *x);

/* Directions in which x can move: along[k] for positions and free[k] for velocities, n numbers each; `dual` the numbers by which a small motion is a sum of them. n: half the states. */
typedef struct {
  PetscInt   count;
  PetscReal *free, *along;           /* [count][n] of velocities; the rates of positions that belong to them */
  PetscReal *dual_free, *dual_along; /* [count][n] */
} NsOrbitDirections;
/* PetscFree(directions->free) frees them. */
PetscErrorCode NsOrbitDirectionsFind(NsOrbitSystem *system, PetscReal t, const NsOrbitHeld *held, const PetscReal *x, NsOrbitDirections *directions);
/* y = x, moved by d along direction k of positions, or of velocities. */
PetscErrorCode NsOrbitDisplace(
  NsOrbitSystem *system, const NsOrbitDirections *directions, PetscInt k, PetscBool velocity, PetscReal d, const PetscReal *x, PetscReal *y);
