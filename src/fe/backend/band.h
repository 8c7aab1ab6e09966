/*
  Matrices with a narrow band, stored by rows without column numbers: products and solves without the overhead of general sparse matrices.

  A shaft of five elements has 36 unknowns: a product by PETSc costs more in calls than in arithmetic, and a step has six. For long bars the memory
  bandwidth counts: no column numbers are read.
*/
#pragma once
#include "fe/model/sparse.h"

/* Row i holds columns low[i] .. high[i], zeros between them included, at value[start[i]]. One profile for all matrices of a model. */
typedef struct {
  PetscInt  n, entries;
  PetscInt *low, *high, *start; /* [n], [n], [n + 1] */
} NsProfile;

/* Cholesky factor A = L D L' of a symmetric matrix within the lower half of a profile. */
typedef struct {
  const NsProfile *profile;
  PetscInt        *row_start; /* [n + 1] rows of L without the diagonal: columns low[i] .. i - 1 */
  PetscReal       *row;
  PetscInt        *last, *column_start; /* [n], [n + 1] columns of L below the diagonal: rows j + 1 .. last[j] */
  PetscReal       *column;
  PetscReal       *inverse; /* [n] 1/D */
} NsBandFactor;

/* The union of the patterns of these matrices, which are symmetric; matrices without rows are left out. */
PetscErrorCode NsProfileCreate(PetscInt matrices, const NsSparse *const *matrix, NsProfile *profile);
PetscErrorCode NsProfileDestroy(NsProfile *profile);
/* New array value[profile->entries] with the entries of the matrix; free it with PetscFree. */
PetscErrorCode NsProfileTake(const NsProfile *profile, const NsSparse *matrix, PetscReal **value);
/* y = A x, and x' A y over rows first .. end - 1 without a vector for the product. */
void      NsBandMult(const NsProfile *profile, const PetscReal *A, const PetscReal *x, PetscReal *y);
PetscReal NsBandProduct(const NsProfile *profile, const PetscReal *A, PetscInt first, PetscInt end, const PetscReal *x, const PetscReal *y);
/* h -= K q + C v; C: NULL for none. */
void NsBandForce(const NsProfile *profile, const PetscReal *K, const PetscReal *C, const PetscReal *q, const PetscReal *v, PetscReal *h);

PetscErrorCode NsBandFactorCreate(const NsProfile *profile, NsBandFactor *factor);
PetscErrorCode NsBandFactorDestroy(NsBandFactor *factor);
/* Of a symmetric A; false where it is not positive definite. */
PetscBool NsBandFactorize(NsBandFactor *factor, const PetscReal *A);
void      NsBandSolve(const NsBandFactor *factor, const PetscReal *b, PetscReal *x);
