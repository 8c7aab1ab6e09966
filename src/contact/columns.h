/* Columns of a sparse matrix in runs of numbers that follow each other: a product with one of them is a few short loops. For compliance.c. */
#pragma once
#include <petscsys.h>

typedef struct {
  PetscBool  kept;
  PetscInt  *first;         /* [touches + 1] first run of each column */
  PetscInt  *place, *start; /* [runs] where it begins: in the touch list, or in vectors; its first number, and one more at the end */
  PetscReal *value;         /* [numbers] */
  PetscInt   runs, numbers, run_room, number_room;
} NsColumns;

/* Begins anew, with the room that there is; `first` is the caller's. */
PetscErrorCode NsColumnsBegin(NsColumns *columns);
/*
  Appends value[size] as column `column` in runs, without entries up to `cut`, except for at most `join` of them between two larger ones. With more than `most` numbers all columns are dropped;
  then nothing is appended.
*/
PetscErrorCode NsColumnsAdd(NsColumns *columns, PetscInt column, PetscInt size, const PetscReal *value, PetscReal cut, PetscInt join, PetscInt most);
/* Frees all numbers; kept is false. */
PetscErrorCode NsColumnsDrop(NsColumns *columns);
