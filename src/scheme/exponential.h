/*
  The matrix exponential, for set-up: Pade approximation of order 13 with scaling and squaring.

  N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26 (2005), with its coefficients and its bound 5.37 of the
  norm. Relative errors are about eps |A|.
*/
#pragma once
#include <petscsys.h>

/* E[n, n] = exp(A), column-major; A is destroyed. All NaN if a number of A is not finite, or their sum is not: a step beyond all times. */
PetscErrorCode NsExponential(PetscInt n, PetscReal *A, PetscReal *E);
