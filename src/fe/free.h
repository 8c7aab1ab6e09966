/*
  Back ends of the free dynamics: what a step does with the large matrices. A new one: src/fe/NAME.c with an NsBackEnd, chosen in free.c.
*/
#pragma once
#include "fe.h"

typedef struct {
  const char *name;
  PetscErrorCode (*create)(NsFreeDynamics *);
  PetscErrorCode (*destroy)(NsFreeDynamics *);
  PetscErrorCode (*force)(NsFreeDynamics *, Vec q, Vec v, Vec h);
  PetscErrorCode (*mult)(NsFreeDynamics *, Vec x, Vec y);
  /* A slot's operator changed; symmetric: A is. A slot keeps its kind (M alone, or with K): the first one chooses the solver. */
  PetscErrorCode (*factor)(NsFreeDynamics *, PetscInt slot, NsOperator op, PetscBool symmetric);
  PetscErrorCode (*solve)(NsFreeDynamics *, PetscInt slot, Vec b, Vec x);
  PetscErrorCode (*kinetic)(NsFreeDynamics *, Vec v, PetscReal *kinetic);
  PetscErrorCode (*damping)(NsFreeDynamics *, Vec v, Vec w, PetscReal *power); /* only where there are dampers */
} NsBackEnd;

struct NsFreeDynamics {
  NsFe            *fe; /* not owned */
  Mat              M, K;
  Mat              dampers;      /* NULL without damping */
  Mat              C;            /* dampers and gyroscopic terms; NULL without either */
  PetscBool        symmetric[2]; /* C, K */
  NsOperator       op[NS_SLOTS];
  PetscBool        ready[NS_SLOTS];
  Vec              work;
  const NsBackEnd *type;
  void            *data;
};

extern const NsBackEnd NsBackEnd_Petsc, NsBackEnd_Banded;

/* Any A = m M + c C + k K as a matrix of its own. */
PetscErrorCode NsFreeDynamicsOperator(const NsFreeDynamics *free, NsOperator op, PetscBool symmetric, Mat *A);
