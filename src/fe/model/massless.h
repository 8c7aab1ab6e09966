/*
  Unknowns without mass: which there are (redistribution.c), and their static problem (massless.c).
*/
#pragma once
#include "fe/elements/element.h"
#include "percuss/model.h"

/* The static problem of unknowns without mass. */
typedef struct NsFeMassless NsFeMassless;

/* src/fe/model/redistribution.c: fe->mass_factor and the list of massless unknowns, once unknowns have numbers and inertias are known. Errors in diag. */
PetscErrorCode NsFeRedistribute(NsFe *fe);
/* The element's mass matrix in the model: element->mass, changed by redistribution. */
void NsFeElementMass(const NsFe *fe, const NsFeElement *e, PetscReal *M);
/* src/fe/model/massless.c: the static problem of massless unknowns, in the order of fe->back_end->layout; one process. Errors in diag where it has no solution. */
PetscErrorCode NsFeMasslessCreate(NsFe *fe, NsModel *model, NsFeMassless **statics);
PetscErrorCode NsFeMasslessDestroy(NsFeMassless **statics);
/* A = damping C + stiffness K among these unknowns into a slot; for an operator that is not massless, the slot is released. */
PetscErrorCode NsFeMasslessFactor(NsFeMassless *statics, PetscInt slot, NsOperator op);
/* Whether the slot has such an operator. */
PetscBool NsFeMasslessHas(const NsFeMassless *statics, PetscInt slot);
/* x = A^-1 b among them, 0 elsewhere: [local] */
void NsFeMasslessSolve(NsFeMassless *statics, PetscInt slot, PetscInt local, const PetscReal *b, PetscReal *x);
/* model->stiffening, once there are contacts. */
PetscErrorCode NsFeMasslessStiffening(NsFe *fe, NsModel *model);
/* q += A^-1 (outer - K q - C v) of these unknowns. outer: NULL for zero. */
void NsFeMasslessSettle(NsFeMassless *statics, PetscInt slot, const PetscReal *outer, const PetscReal *v, PetscReal *q);
