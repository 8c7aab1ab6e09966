/*
  Eigenpairs of (lambda^2 M + lambda C + K) x = 0 nearest to zero, raw: as the solvers give them, in scaled coordinates.

  Scaling: x = D y with D = diag(M)^-1/2 and lambda = gamma mu with gamma^2 = |D K D|_inf. All entries then are about 1 or less and without unit, so
  displacements and rotations, shafts and journals of a gram count alike; |mu| is at most 1 without damping, and rounding in K is seen as |mu| = 1e-8.
*/
#pragma once
#include <petscmat.h>

typedef struct {
  PetscInt   n;
  Mat        M, C, K; /* scaled, owned; C may be NULL */
  PetscReal *d;       /* [n] diagonal of D */
  PetscReal  gamma;   /* rad/s */
  PetscBool  symmetric;
} NsPencil;

typedef struct {
  PetscComplex  mu;
  PetscComplex *y; /* [n], length 1 */
} NsPair;

/* Of conjugate pairs the one with positive imaginary part. All with |mu| <= radius are there. */
typedef struct {
  PetscInt  count, capacity;
  NsPair   *pair;
  PetscReal radius;
} NsPairs;

/* Copies and scales; C may be NULL. */
PetscErrorCode NsPencilCreate(Mat M, Mat C, Mat K, NsPencil *pencil);
PetscErrorCode NsPencilDestroy(NsPencil *pencil);
void           NsPairsDestroy(NsPairs *pairs);

/* All pairs: the inverse of the linearised problem, by LAPACK. */
PetscErrorCode NsPencilDense(const NsPencil *pencil, NsPairs *pairs);
/* At least `wanted` pairs where the Krylov methods of SLEPc find so many. C == NULL and symmetric: EPS, else PEP. */
PetscErrorCode NsPencilSparse(const NsPencil *pencil, PetscInt wanted, NsPairs *pairs);
