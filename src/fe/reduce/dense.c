/* Dense matrices by columns, for models of some hundred coordinates. */
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "core/processor.h"
#include "reduce.h"

NS_FOR_EACH_PROCESSOR void NsDenseAdd(PetscInt rows, PetscInt columns, const PetscReal *A, PetscReal scale, const PetscReal *x, PetscReal *restrict y)
{
  for (PetscInt j = 0; j < columns; j++) {
    const PetscReal *restrict column = A + (size_t)j * (size_t)rows;
    const PetscReal value            = scale * x[j];
    if (value == 0) continue; /* open contacts, loads that are not there */
    for (PetscInt i = 0; i < rows; i++) y[i] += value * column[i];
  }
}

PetscReal NsDenseDot(PetscInt n, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

PetscErrorCode NsDenseFactorize(NsDenseFactor *factor, PetscInt n)
{
  const PetscBLASInt size = (PetscBLASInt)n;
  PetscBLASInt       info = 0;

  PetscFunctionBegin;
  factor->n = n;
  if (n) LAPACKgetrf_(&size, &size, factor->lu, &size, factor->pivot, &info);
  factor->good = info == 0;
  PetscFunctionReturn(0);
}

/* A singular matrix gives NaN: the guard of the time loop finds it and names the degree of freedom. */
void NsDenseSolve(const NsDenseFactor *factor, PetscReal *restrict x)
{
  const PetscInt n = factor->n;

  for (PetscInt i = 0; i < n && !factor->good; i++) x[i] = NAN;
  if (!factor->good) return;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt  with = factor->pivot[i] - 1;
    const PetscReal old  = x[i];
    x[i]                 = x[with];
    x[with]              = old;
  }
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal *restrict column = factor->lu + (size_t)j * (size_t)n;
    const PetscReal value            = x[j];
    for (PetscInt i = j + 1; i < n; i++) x[i] -= value * column[i];
  }
  for (PetscInt j = n - 1; j >= 0; j--) {
    const PetscReal *restrict column = factor->lu + (size_t)j * (size_t)n;
    const PetscReal value            = x[j] / column[j];
    x[j]                             = value;
    for (PetscInt i = 0; i < j; i++) x[i] -= value * column[i];
  }
}

#define NS_DEPENDS 1e-13 /* of its diagonal: what is left of a row that is a sum of others */

/* Cholesky's method with scaled rows, so that displacements and rotations compare. */
PetscBool NsDenseInvert(PetscInt n, PetscReal *A, PetscInt *at)
{
  const PetscBLASInt size = (PetscBLASInt)n;
  PetscBLASInt       info = 0;
  PetscReal         *d;
  PetscBool          good = PETSC_TRUE;

  *at = 0;
  if (n == 0) return PETSC_TRUE;
  if (PetscMalloc1(n, &d)) return PETSC_FALSE;
  for (PetscInt i = 0; i < n && good; i++) {
    *at  = i;
    good = A[i * (n + 1)] > 0;
    d[i] = good ? 1 / PetscSqrtReal(A[i * (n + 1)]) : 1;
  }
  for (PetscInt i = 0; i < n * n && good; i++) A[i] *= d[i % n] * d[i / n];
  if (good) {
    LAPACKpotrf_("L", &size, A, &size, &info);
    for (PetscInt i = 0; i < n && good; i++) {
      *at  = i;
      good = (info == 0 || i < info - 1) && PetscSqr(A[i * (n + 1)]) > NS_DEPENDS;
    }
  }
  if (good) LAPACKpotri_("L", &size, A, &size, &info);
  good = good && info == 0;
  for (PetscInt i = 0; i < n && good; i++) {
    for (PetscInt j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] *= d[i] * d[j];
  }
  (void)PetscFree(d);
  return good;
}

PetscErrorCode NsDenseEigen(PetscInt n, PetscReal *A, PetscReal *B, PetscReal *lambda, PetscBool *done)
{
  const PetscBLASInt size = (PetscBLASInt)n;
  PetscBLASInt       type = 1, room = -1, info = 0;
  PetscReal         *work, best;

  PetscFunctionBegin;
  *done = PETSC_TRUE;
  if (n == 0) PetscFunctionReturn(0);
  if (B)
    LAPACKsygv_(&type, "V", "L", &size, A, &size, B, &size, lambda, &best, &room, &info);
  else
    LAPACKsyev_("V", "L", &size, A, &size, lambda, &best, &room, &info);
  room = (PetscBLASInt)best;
  PetscCall(PetscMalloc1(room, &work));
  if (B)
    LAPACKsygv_(&type, "V", "L", &size, A, &size, B, &size, lambda, work, &room, &info);
  else
    LAPACKsyev_("V", "L", &size, A, &size, lambda, work, &room, &info);
  *done = info == 0;
  PetscCall(PetscFree(work));
  PetscFunctionReturn(0);
}
