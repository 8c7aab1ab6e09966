/*
  Everything that adds to M, C, G or K and stores elastic energy, one after the other: all elements, then all force elements (springs, bearings), then all inertias.

      for (NsFeComponent c = {0}; NsFeNext(fe, &c);) ...

  Assembly, back ends, bounds, energies and the partition go through this list, in this order: sums have the same bits on any number of processes.
*/
#pragma once
#include "fe.h"

typedef enum { NS_FE_ELEMENT, NS_FE_FORCE, NS_FE_INERTIA } NsFeKind;

enum { NS_COMPONENT_UNKNOWNS = NS_ELEMENT_UNKNOWNS > NS_FORCE_UNKNOWNS ? NS_ELEMENT_UNKNOWNS : NS_FORCE_UNKNOWNS };

/* Which are valid follows from the kind. */
typedef struct {
  NsFeKind              kind;
  PetscInt              next; /* private */
  const NsFeElement    *element;
  const NsForceElement *force;
  const NsFeInertia    *inertia;
  const NsFeBody       *body;                           /* of an element or an inertia */
  PetscInt              n;                              /* unknowns that it joins */
  PetscInt              unknown[NS_COMPONENT_UNKNOWNS]; /* [n] natural numbers; of elements negative: supported */
  PetscReal             row[NS_FORCE_UNKNOWNS][6];      /* of forces: relative displacement and rotation of the two points for unit unknowns */
  NsPoint               point;                          /* of inertias */
} NsFeComponent;

/* The first component of a zeroed struct, then the next one; false after the last. In each row of energy.csv all elements are gone through: their part is inline. */
PetscBool               NsFeNextBehindElements(const NsFe *fe, NsFeComponent *component);
static inline PetscBool NsFeNext(const NsFe *fe, NsFeComponent *c)
{
  if (c->next >= fe->elements) return NsFeNextBehindElements(fe, c);
  c->kind    = NS_FE_ELEMENT;
  c->element = &fe->element[c->next++];
  c->body    = &fe->body[c->element->body];
  c->n       = NsFeElementUnknowns(fe, c->element, c->unknown);
  return PETSC_TRUE;
}
/* The same component with the unknowns that supports move, of force elements and inertias too: their numbers are negative (moving.h). */
void NsFeTakeMoved(const NsFe *fe, NsFeComponent *component);
/* The nodes that it joins, node[NS_COMPONENT_NODES]; returns how many. */
enum { NS_COMPONENT_NODES = 2 * NS_ELEMENT_NODES };
PetscInt NsFeComponentNodes(const NsFe *fe, const NsFeComponent *component, PetscInt *node);

/* Where terms go: NS_FE_DAMPERS is the symmetric part of C, NS_FE_GYROSCOPIC the skew part. */
typedef enum { NS_FE_MASS, NS_FE_DAMPERS, NS_FE_GYROSCOPIC, NS_FE_STIFFNESS, NS_FE_MATRICES } NsFeMatrix;
/* One term: factor X, row-major [n, n] of the component. */
typedef void (*NsFeAddTerm)(void *context, const NsFeComponent *component, NsFeMatrix to, const PetscReal *X, PetscReal factor);
/* All terms of a component in those matrices that are wanted, in the order of their sums. speed[bodies]: of rotors, NULL as in NsFeAssembleRows. */
void NsFeComponentTerms(
  const NsFe *fe, const NsFeComponent *component, const PetscReal *speed, const PetscBool wanted[NS_FE_MATRICES], NsFeAddTerm add, void *context);
/* Elastic energy (J) for the unknowns' values q[n], 0 for supported ones. Speeds as in NsFeForceTangents. */
PetscReal               NsFeForceComponentEnergy(const NsFe *fe, const NsFeComponent *component, const PetscReal *speed, const PetscReal *q);
static inline PetscReal NsFeComponentEnergy(const NsFe *fe, const NsFeComponent *c, const PetscReal *speed, const PetscReal *q)
{
  if (c->kind == NS_FE_ELEMENT) return c->body->element->energy(c->body, c->element, q);
  return c->kind == NS_FE_FORCE ? NsFeForceComponentEnergy(fe, c, speed, q) : 0;
}

/* Of several processes that have these unknowns, the owner of the first one counts them. */
PetscBool NsFeCountsHere(const NsLayout *layout, PetscInt n, const PetscInt *unknown);
/* Elastic energy of a component at q, including its prescribed unknowns; q in indices of this process. False: another process counts it, or it has none. */
PetscBool NsFeElasticEnergy(const NsFe *fe, NsFeComponent *component, const PetscReal *q, PetscReal *energy);

/* Speed of a rotor at which gyroscopic terms are part of the matrices; 0: none are. */
PetscReal NsFeSpeedOf(const NsFe *fe, const NsFeBody *body, const PetscReal *speed);
/* Y[n, n] = row X row' for matrices X[6, 6] of a force. */
typedef enum { NS_FE_SKEW = -1, NS_FE_WHOLE, NS_FE_SYMMETRIC } NsFePart;
void NsFeForceBlock(PetscInt n, const PetscReal (*row)[6], const PetscReal X[36], NsFePart part, PetscReal *Y);
