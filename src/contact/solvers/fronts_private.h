/* What the multifrontal method works on, for its two files: fronts.c makes it, fronts_factor.c has the numbers. */
#pragma once
#include "fronts.h"
#include <petscblaslapack.h>

typedef struct {
  PetscInt   first, pivots, rows; /* new numbers of its pivots; rows: with those that they act on */
  PetscInt   parent, index;       /* -1: none; where its rows begin in `row` */
  PetscInt64 at;                  /* of its numbers */
} Front;

typedef struct {
  PetscInt64 at;
  PetscInt   row, column, rows, columns, lead; /* where in the element, how large; rows of the front */
} Block;

struct NsFronts {
  PetscInt      unknowns, nodes, elements, fronts, most_rows;
  PetscInt     *number;      /* [unknowns] new numbers */
  PetscInt     *node_of;     /* [unknowns] */
  PetscInt     *node_start;  /* [nodes + 1] */
  PetscInt     *width;       /* [elements] columns */
  Front        *front;       /* [fronts] in the order of elimination */
  PetscInt     *row, *to;    /* [sum of rows] new numbers; place in the parent front */
  PetscInt     *block_first; /* [elements + 1] */
  Block        *block;
  PetscReal    *value;
  PetscInt64    size, room;
  PetscBLASInt *swap; /* [unknowns] */
  PetscReal    *x;    /* [2 unknowns] scratch */
};
