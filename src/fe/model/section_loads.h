/*
  What acts on line elements between their nodes, for their section forces (NsElementLoads): weight, inertia, loads along bodies, gyroscopic moments.

  Of rotors whose spin changes, gyroscopic moments of the shaft itself are left out.
*/
#pragma once
#include "core/timefunction.h"
#include "fe/elements/element.h"

/* A force per length along a body, in space. */
typedef struct {
  PetscInt              body;
  PetscReal             force[3]; /* N/m */
  const NsTimeFunction *time;     /* NULL: constant */
} NsFeLineLoad;

typedef struct {
  PetscInt      count;
  NsFeLineLoad *load;
} NsFeLineLoads;

/* One more; its nodal forces are a load of their own. */
void NsFeAddLineLoad(NsFe *fe, PetscInt body, const PetscReal force[3], const NsTimeFunction *time);
/* Adds to the columns of an element's outputs what these loads change of them. */
void NsFeSectionColumns(const NsFe *fe, const NsFeElement *e, const PetscReal xi[3], NsProbeColumn *column);

/* The loads of an element at a time, with room for them. */
typedef struct {
  NsElementLoads loads;
  PetscReal      acceleration[NS_ELEMENT_UNKNOWNS], spin[NS_ELEMENT_UNKNOWNS], line[NS_ELEMENT_UNKNOWNS];
} NsFeSectionLoads;
/* v, a of all unknowns in natural numbers; moved unknowns are as of the last NsFeMovedAt. NULL where a is NULL, or the element has no such loads. */
const NsElementLoads *NsFeSectionLoadsAt(
  const NsFe *fe, const NsFeElement *e, PetscReal t, const PetscReal *v, const PetscReal *a, NsFeSectionLoads *room);
