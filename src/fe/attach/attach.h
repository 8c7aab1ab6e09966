/*
  What is attached to points of bodies: supports, inertias, loads, unbalances. Each file has the keys of its settings.
*/
#pragma once
#include "fe/model/point.h"

/* A rigid inertia carried by a point: point masses, discs, rigid bodies. */
typedef struct {
  const char *name;
  NsFePoint   at;
  PetscReal   mass;
  PetscReal   frame[3][3], inertia[3]; /* kg m^2 about these axes */
  PetscBool   gyroscopic;              /* of a rotor: frame[0] is its axis, inertia[0] the polar moment */
  NsFePoint   spin_at;                 /* whose spin determines the gyroscopic moments */
  PetscReal   radius;                  /* to draw, m */
} NsFeInertia;

/* src/fe/attach/supports.c: numbers the unknowns. */
void NsFeSupports(NsFe *fe);
/* src/fe/attach/masses.c: point masses and discs; src/fe/attach/loads.c: loads and unbalances. */
void NsFeMasses(NsFe *fe);
void NsFeLoads(NsFe *fe);

/* G[unknowns, unknowns] of a disc for 1 rad/s. */
void NsFeDiscGyroscopic(const NsFeInertia *disc, const NsPoint *point, PetscReal *G);
/* M[unknowns, unknowns] of an inertia. */
void NsFeInertiaMass(const NsFeInertia *inertia, const NsPoint *point, PetscReal *M);
