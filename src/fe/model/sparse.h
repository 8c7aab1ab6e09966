/*
  Sparse matrices by rows, in natural numbers on both sides: what assembly makes and back ends take their own storage from. A process may hold some of the rows only.
*/
#pragma once
#include <petscmat.h>

typedef struct {
  PetscInt   rows;
  PetscInt  *row;    /* [rows] natural number of each row held here, ascending; NULL: all of them, 0 .. rows - 1 */
  PetscInt  *start;  /* [rows + 1] */
  PetscInt  *column; /* [entries] natural numbers, ascending within a row; symmetric patterns; every row has its diagonal */
  PetscReal *value;  /* [entries] */
} NsSparse;

/* The arrays belong to the owner of the struct. */
PetscErrorCode NsSparseDestroy(NsSparse *matrix);
/* All rows as a sequential AIJ matrix; NULL without rows. */
PetscErrorCode NsSparseToMat(const NsSparse *matrix, Mat *result);
