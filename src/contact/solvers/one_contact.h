/* The law of a single contact, solved exactly: what block Gauss-Seidel does contact by contact. */
#pragma once
#include <petscsys.h>

typedef struct {
  PetscInt  rows; /* 1 to 3: normal, tangents */
  PetscBool bilateral;
  PetscReal friction;
  PetscReal A[9]; /* [rows, rows] row-major: w = q + A P */
} NsOneContact;

/* P[rows] with q + A P and P in the law. On entry P is where the direction of slip is sought first. Allocates nothing; where there is no solution P is the best of the candidates. */
void NsOneContactSolve(const NsOneContact *contact, const PetscReal *q, PetscReal *P);
/* x[n] = A^-1 b for n <= 3, a vanishing pivot replaced by the largest diagonal entry. b and x may be the same. */
void NsSolve3(PetscInt n, const PetscReal *A, const PetscReal *b, PetscReal *x);
