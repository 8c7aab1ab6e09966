/*
  The dense adapter: dense.c has the operations of a model, create.c creates it.
*/
#pragma once
#include "mechanism.h"

#define NS_N NS_MECHANISM_COORDINATES

typedef struct {
  PetscBool  ready;
  PetscReal  q[NS_N]; /* where it was computed */
  NsOperator op;
  PetscReal  inverse[NS_N * NS_N];
} NsDenseOperator;

typedef struct {
  const NsMechanism *m; /* not owned */
  NsMechanismCase    c;
  PetscInt           n, contacts;
  const char        *name; /* of the body */
  PetscReal          start[2 * NS_N];
  PetscInt          *row; /* [contacts + 1] first row of each contact with all its directions */
  /* Geometry at (t, q). */
  PetscBool       known;
  PetscReal       t, q[NS_N];
  PetscReal      *g, *W, *drive, *rate; /* [contacts], [rows, n], [rows], [rows] */
  NsDenseOperator slot[NS_SLOTS];
  PetscReal       M[NS_N * NS_N], A[NS_N * NS_N];
  PetscReal      *x[2]; /* [points, 3] scratch of pictures */
} NsDense;

/* Geometry at (t, q) into g, W, drive, unless it is there. */
void NsDenseGeometry(NsDense *self, PetscReal t, const PetscReal *q);
/* Sets the operations for which the mechanism has functions. */
void NsDenseOperations(const NsDense *self, NsModel *model);
