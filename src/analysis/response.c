#include <complex.h>
#include <petscksp.h>
#include "fe/modes/pencil.h"
#include "percuss/model.h"
#include "response.h"

/* Adds factor A at (2 i + r, 2 k + c), and sign factor A at (2 i + c, 2 k + r) */
static PetscErrorCode add_block(Mat A, PetscReal factor, PetscInt r, PetscInt c, PetscReal sign, Mat to)
{
  PetscInt n;

  PetscFunctionBegin;
  if (!A) PetscFunctionReturn(0);
  PetscCall(MatGetSize(A, &n, NULL));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt           count;
    const PetscInt    *column;
    const PetscScalar *value;
    PetscCall(MatGetRow(A, i, &count, &column, &value));
    for (PetscInt k = 0; k < count; k++) {
      PetscCall(MatSetValue(to, 2 * i + r, 2 * column[k] + c, factor * value[k], ADD_VALUES));
      PetscCall(MatSetValue(to, 2 * i + 1 - r, 2 * column[k] + 1 - c, sign * factor * value[k], ADD_VALUES));
    }
    PetscCall(MatRestoreRow(A, i, &count, &column, &value));
  }
  PetscFunctionReturn(0);
}

/* [K - Omega^2 M, -Omega C; Omega C, K - Omega^2 M], unknown by unknown; memory for the exact number of entries of each row. */
static PetscErrorCode real_system(Mat M, Mat C, Mat K, PetscReal speed, Mat *A)
{
  const Mat own[3] = {M, C, K};
  PetscInt  n, *room;

  PetscFunctionBegin;
  PetscCall(MatGetSize(K, &n, NULL));
  PetscCall(PetscCalloc1((size_t)(2 * n), &room));
  for (int m = 0; m < 3; m++) {
    for (PetscInt i = 0; own[m] && i < n; i++) {
      PetscInt count;
      PetscCall(MatGetRow(own[m], i, &count, NULL, NULL));
      room[2 * i] += count;
      room[2 * i + 1] += count;
      PetscCall(MatRestoreRow(own[m], i, &count, NULL, NULL));
    }
  }
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 2 * n, 2 * n, 0, room, A));
  PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_FALSE)); /* as in pencil.c */
  PetscCall(add_block(K, 1, 0, 0, 1, *A));
  PetscCall(add_block(M, -speed * speed, 0, 0, 1, *A));
  PetscCall(add_block(C, speed, 1, 0, -1, *A));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscFree(room));
  PetscFunctionReturn(0);
}

/* GMRES preconditioned by LU, which takes one or two iterations: PETSc's LU does not pivot, but shifts pivots that are nearly zero. */
static PetscErrorCode solve(Mat A, Vec b, Vec x, PetscBool *solved)
{
  KSP                ksp;
  PC                 pc;
  KSPConvergedReason reason;
  PetscReal          left, size, solution;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetTolerances(ksp, 1e-13, 1e-300, PETSC_DEFAULT, 20));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-12));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO)); /* K - w^2 M may vanish on the diagonal */
  PetscCall(PCFactorSetShiftAmount(pc, 1e-6));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecNorm(x, NORM_2, &solution));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &left));
  /* Entries of A are about 1: a solution of 1e12 times the forces is rounding. NaN fails the comparisons. */
  *solved = reason != KSP_DIVERGED_PC_FAILED && left <= 1e-6 * size && solution <= 1e12 * size;
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

/* In the scaled coordinates of pencil.h, where (K - w^2 M + i w C) y = w^2 D (re + i im) with w = Omega/gamma, x = D y. */
PetscErrorCode NsResponseSolve(Mat M, Mat C, Mat K, Vec re, Vec im, PetscReal speed, Vec x_re, Vec x_im, PetscBool *solved)
{
  NsPencil pencil;
  Mat      A;
  Vec      b, x;

  PetscFunctionBegin;
  PetscCall(NsPencilCreate(M, C, K, &pencil));
  const PetscReal w = speed / pencil.gamma;
  PetscCall(real_system(pencil.M, pencil.C, pencil.K, w, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  const PetscReal *force[2] = {NsVecRead(re), NsVecRead(im)};
  PetscReal       *right = NsVecArray(b), *part[2] = {NsVecArray(x_re), NsVecArray(x_im)};
  for (PetscInt i = 0; i < 2 * pencil.n; i++) right[i] = w * w * pencil.d[i / 2] * force[i % 2][i / 2];
  PetscCall(solve(A, b, x, solved));
  for (PetscInt i = 0; i < 2 * pencil.n; i++) part[i % 2][i / 2] = pencil.d[i / 2] * NsVecRead(x)[i];
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(NsPencilDestroy(&pencil));
  PetscFunctionReturn(0);
}

/* With a = Re u, b = Im u: squares of the semi-axes are (|a|^2 + |b|^2)/2 +- sqrt(((|a|^2 - |b|^2)/2)^2 + (a.b)^2); their product is |e.(b x a)|. */
void NsOrbit(const PetscReal axis[3], const PetscComplex u[3], PetscReal *major, PetscReal *minor)
{
  PetscReal a[3], b[3], along[2] = {0, 0}, aa = 0, bb = 0, ab = 0, area = 0;

  for (int k = 0; k < 3; k++) {
    along[0] += axis[k] * creal(u[k]);
    along[1] += axis[k] * cimag(u[k]);
  }
  for (int k = 0; k < 3; k++) {
    a[k] = creal(u[k]) - along[0] * axis[k];
    b[k] = cimag(u[k]) - along[1] * axis[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
    ab += a[k] * b[k];
  }
  for (int k = 0; k < 3; k++) area += axis[k] * (b[(k + 1) % 3] * a[(k + 2) % 3] - b[(k + 2) % 3] * a[(k + 1) % 3]);
  *major = PetscSqrtReal((aa + bb) / 2 + hypot((aa - bb) / 2, ab));
  *minor = *major == 0 ? 0 : area / *major; /* NaN stays NaN */
}
