/*
  LU of matrices with a narrow band, in rows: entry (i, j) of A[n, 2 half + 1] is at i (2 half + 1) + half + j - i. The factors take the place of the numbers; in place of a pivot stands its
  inverse. Pivots are not sought: A is positive definite but for terms of friction. Vectors x[n] have `half` zeros before and after them.
*/
#pragma once
#include "percuss/local.h"

enum { NS_BAND_HALF = 24 }; /* most */

static inline PetscInt NsBandWidth(PetscInt half)
{
  return 2 * half + 1;
}

/* A[(n + half) (2 half + 1)], zeros in the last rows; pivots below rounding of like[n, 2 half + 1], whose diagonal is positive, are replaced by it. Returns how many. */
PetscInt NsBandLU(PetscInt n, PetscInt half, const PetscReal *like, PetscReal *A);
/* x <- A^-1 x */
void NsBandBack(PetscInt n, PetscInt half, const PetscReal *factor, PetscReal *x);
/* Of a symmetric A the numbers of A^-1 within the band, from its factors. */
void NsBandInverse(PetscInt n, PetscInt half, const PetscReal *factor, PetscReal *inverse);
