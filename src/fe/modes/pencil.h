/*
  Eigenpairs of (lambda^2 M + lambda C + K) x = 0 nearest to zero, as the solvers give them, in scaled coordinates.

  Scaling: x = D y with D = diag(M)^-1/2 and lambda = gamma mu with gamma^2 = |D K D|_inf. All entries then are about 1 or less and dimensionless, so that
  displacements and rotations, heavy and light bodies have equal weight; |mu| is at most 1 without damping, and rounding of K appears as |mu| = 1e-8.
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
} NsEigenpair;

/* Of conjugate eigenvalues the one with positive imaginary part. All with |mu| <= radius are included. */
typedef struct {
  PetscInt     count, capacity;
  NsEigenpair *pair;
  PetscReal    radius;
} NsEigenpairs;

/* Copies and scales; C may be NULL. */
PetscErrorCode NsPencilCreate(Mat M, Mat C, Mat K, NsPencil *pencil);
PetscErrorCode NsPencilDestroy(NsPencil *pencil);
/*
  Whether y is in the null space of K: its strain energy y'Ky is the rounding of its terms, |y|'|K||y|. Of a vibration it is not, however slow: the energy, unlike mu, does not depend on what else is
  in the model, and errors of y enter by their squares. A body that nothing holds moves without terms, |y| = 1. energy: y'Ky, mass: y'My.
*/
PetscErrorCode NsPencilStrains(const NsPencil *pencil, const PetscComplex *y, PetscBool *null, PetscReal *energy, PetscReal *mass);
void           NsEigenpairsDestroy(NsEigenpairs *pairs);

/* All pairs: the inverse of the linearised problem, by LAPACK. */
PetscErrorCode NsPencilDense(const NsPencil *pencil, NsEigenpairs *pairs);
#define NS_SPARE 4 /* of the wanted pairs, so many may lie beyond the radius */
/* At least `wanted` pairs if the Krylov methods of SLEPc find so many. C == NULL and symmetric: EPS, else PEP. */
PetscErrorCode NsPencilSparse(const NsPencil *pencil, PetscInt wanted, NsEigenpairs *pairs);
