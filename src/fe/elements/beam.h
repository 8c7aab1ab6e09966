/*
  Beam element: two nodes, Timoshenko or Euler-Bernoulli (beam_matrices.h); also the shafts of rotors.
*/
#pragma once
#include "beam_matrices.h"
#include "line.h"

typedef struct {
  NsLineElement         line;
  const NsBeamMatrices *matrices; /* shared by all elements that are alike */
} NsBeamElement;

/* Axes of a beam: 1 along it, 2 in the plane of it and the orientation (NULL or zero: chosen), 3 across. False where these are parallel. */
PetscBool NsBeamFrame(const PetscReal axis[3], const PetscReal *orientation, PetscReal frame[3][3]);
/* The same of an element. */
PetscBool NsFeBeamAxes(const NsFeBody *body, const NsFeElement *e, PetscReal frame[3][3]);
/* The element's motions in its own frame, of those in the DOF of its body. */
void NsFeBeamMotion(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, PetscReal u[NS_BEAM_UNKNOWNS]);
/* src/fe/elements/beam_loads.c: adds what loads between the nodes change of the section forces value[6] at a point. */
void NsFeBeamLoaded(const NsFeBody *body, const NsFeElement *e, const NsElementLoads *loads, const PetscReal xi[3], PetscReal *value);
