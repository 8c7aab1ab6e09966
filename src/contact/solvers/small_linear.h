/* Linear systems of a few unknowns, whose matrices may be singular. */
#pragma once
#include <petscsys.h>

typedef struct {
  PetscInt   max_rows;
  PetscReal *A, *x, *norm; /* [max_rows, max_rows], [max_rows], [max_rows] */
  PetscInt  *column;       /* [max_rows] */
} NsSmallLinear;

PetscErrorCode NsSmallLinearCreate(PetscInt max_rows, NsSmallLinear *linear);
PetscErrorCode NsSmallLinearDestroy(NsSmallLinear *linear);
/*
  x: the solution of A x = b; A[n, n] row-major with rows of about one size, kept. Where A is singular: the smallest of the x with the least |A x - b|.
  Returns the rank (n or less). b and x may be the same. Allocates nothing, fails never.
*/
PetscInt NsSmallLinearSolve(NsSmallLinear *linear, PetscInt n, const PetscReal *A, const PetscReal *b, PetscReal *x);
