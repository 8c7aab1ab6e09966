#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "exponential.h"

#define NS_NORM 5.371920351148152

static const PetscReal pade[14] = {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000., 10559470521600.,
  670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.};

/* C = A B */
static void multiply(PetscInt n, const PetscReal *A, const PetscReal *B, PetscReal *C)
{
  const PetscBLASInt size = (PetscBLASInt)n;
  const PetscReal    one = 1, zero = 0;

  BLASgemm_("N", "N", &size, &size, &size, &one, A, &size, B, &size, &zero, C, &size);
}

/* S = a A2 + b A4 + c A6 + d I */
static void combine(PetscInt n, PetscReal *const power[3], PetscReal a, PetscReal b, PetscReal c, PetscReal d, PetscReal *S)
{
  for (PetscInt i = 0; i < n * n; i++) S[i] = a * power[0][i] + b * power[1][i] + c * power[2][i];
  for (PetscInt i = 0; i < n; i++) S[i * (n + 1)] += d;
}

static PetscReal norm_one(PetscInt n, const PetscReal *A)
{
  PetscReal norm = 0;

  for (PetscInt j = 0; j < n; j++) {
    PetscReal sum = 0;
    for (PetscInt i = 0; i < n; i++) sum += PetscAbsReal(A[j * n + i]);
    if (sum > norm || isnan(sum)) norm = sum; /* and stays NaN */
  }
  return norm;
}

PetscErrorCode NsExponential(PetscInt n, PetscReal *A, PetscReal *E)
{
  const PetscBLASInt size     = (PetscBLASInt)n;
  const PetscReal    norm     = norm_one(n, A);
  const int          halvings = norm > NS_NORM && isfinite(norm) ? (int)ceil(log2(norm / NS_NORM)) : 0;
  PetscReal         *work, *power[3], *U, *V;
  PetscBLASInt      *pivot, info;

  PetscFunctionBegin;
  if (!isfinite(norm)) {
    for (PetscInt i = 0; i < n * n; i++) E[i] = NAN;
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc2(5 * (size_t)n * (size_t)n, &work, n, &pivot));
  for (int k = 0; k < 3; k++) power[k] = work + (size_t)k * (size_t)n * (size_t)n;
  U = power[2] + (size_t)n * (size_t)n;
  V = U + (size_t)n * (size_t)n;
  for (PetscInt i = 0; i < n * n; i++) A[i] = ldexp(A[i], -halvings);
  multiply(n, A, A, power[0]);
  multiply(n, power[0], power[0], power[1]);
  multiply(n, power[0], power[1], power[2]);
  combine(n, power, pade[9], pade[11], pade[13], 0, E);
  multiply(n, power[2], E, V);
  combine(n, power, pade[3], pade[5], pade[7], pade[1], E);
  for (PetscInt i = 0; i < n * n; i++) V[i] += E[i];
  multiply(n, A, V, U);
  combine(n, power, pade[8], pade[10], pade[12], 0, E);
  multiply(n, power[2], E, V);
  combine(n, power, pade[2], pade[4], pade[6], pade[0], E);
  for (PetscInt i = 0; i < n * n; i++) {
    V[i] += E[i];
    E[i] = V[i] + U[i];
    V[i] -= U[i];
  }
  LAPACKgesv_(&size, &size, V, &size, pivot, E, &size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "no exponential of this matrix (gesv: %d)", (int)info);
  for (int k = 0; k < halvings; k++) {
    multiply(n, E, E, U);
    PetscCall(PetscArraycpy(E, U, n * n));
  }
  PetscCall(PetscFree2(work, pivot));
  PetscFunctionReturn(0);
}
