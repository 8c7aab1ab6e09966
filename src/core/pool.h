/*
  A pool of rows of numbers in which equal rows are stored once (hash consing): coefficients of uniform meshes, matrices of equal elements.

  Equal means bit by bit. Rows are numbered in the order in which they come first; they move in memory until the pool is closed.
*/
#pragma once
#include <petscsys.h>

typedef struct {
  PetscInt   width, rows;
  PetscReal *row; /* [rows, width]; begins at a multiple of 64 bytes, one vector register of the widest CPUs */
  /* private */
  void    *memory; /* that holds `row` */
  PetscInt capacity;
  PetscInt entries; /* of index, a power of two */
  int     *index;   /* hash table: number of a row, -1: none */
} NsPool;

PetscErrorCode NsPoolCreate(PetscInt width, NsPool *pool);
/* *number: of the row that equals x[width]. */
PetscErrorCode NsPoolAdd(NsPool *pool, const PetscReal *x, int *number);
/* No more rows will come: frees what only NsPoolAdd needs. */
PetscErrorCode NsPoolClose(NsPool *pool);
/* A pool of zeros is an empty one. */
PetscErrorCode NsPoolDestroy(NsPool *pool);
