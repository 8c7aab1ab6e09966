/* Bounds of frequencies from the rows of matrices. */
#include "matrices.h"

#define NS_LEAST_SHARE (1. / 4096)

void NsMatrixMultiply(const NsSparse *A, const PetscReal *x, PetscReal *y, PetscReal *sizes)
{
  for (PetscInt i = 0; i < A->rows; i++) {
    PetscReal sum = 0, size = 0;
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      sum += A->value[k] * x[A->column[k]];
      size += PetscAbsReal(A->value[k] * x[A->column[k]]);
    }
    y[i]     = sum;
    sizes[i] = size;
  }
}

/* max_i sum_j |A_ij| d_i d_j: no eigenvalue of D A D is larger. */
static PetscReal gershgorin(const NsSparse *A, const PetscReal *d)
{
  PetscReal largest = 0;

  for (PetscInt i = 0; i < A->rows && A->start; i++) {
    PetscReal sum = 0;
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) sum += PetscAbsReal(A->value[k]) * d[A->column[k]];
    largest = PetscMax(largest, sum * d[i]);
  }
  return largest;
}

/* Whether D M D - share has positive pivots only, with d[i] = M_ii^-1/2; in the order of Cuthill and McKee, which has little fill-in. */
static PetscErrorCode has_positive_pivots(const NsSparse *M, const PetscReal *d, PetscReal share, PetscBool *positive)
{
  Mat           A, ordered, factor;
  MatFactorInfo info;
  IS            row, column;
  PetscInt      negative, zero, above;
  PetscInt     *entries;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(M->rows, &entries));
  for (PetscInt r = 0; r < M->rows; r++) entries[r] = M->start[r + 1] - M->start[r];
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, M->rows, M->rows, 0, entries, &A));
  PetscCall(PetscFree(entries));
  for (PetscInt r = 0; r < M->rows; r++) {
    for (PetscInt k = M->start[r]; k < M->start[r + 1]; k++) {
      const PetscScalar value = d[r] * M->value[k] * d[M->column[k]] - (M->column[k] == r ? share : 0);
      PetscCall(MatSetValues(A, 1, &r, 1, &M->column[k], &value, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetOrdering(A, MATORDERINGRCM, &row, &column));
  PetscCall(MatPermute(A, row, column, &ordered));
  PetscCall(MatDestroy(&A));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&column));
  PetscCall(MatSetOption(ordered, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(ordered, MATSEQSBAIJ, MAT_INPLACE_MATRIX, &ordered));
  PetscCall(MatGetOrdering(ordered, MATORDERINGNATURAL, &row, &column));
  PetscCall(MatGetFactor(ordered, MATSOLVERPETSC, MAT_FACTOR_CHOLESKY, &factor));
  PetscCall(MatFactorInfoInitialize(&info));
  info.zeropivot = 0;
  PetscCall(MatCholeskyFactorSymbolic(factor, ordered, row, &info));
  PetscCall(MatCholeskyFactorNumeric(factor, ordered, &info));
  PetscCall(MatGetInertia(factor, &negative, &zero, &above));
  *positive = negative == 0 && zero == 0;
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&column));
  PetscCall(MatDestroy(&factor));
  PetscCall(MatDestroy(&ordered));
  PetscFunctionReturn(0);
}

static PetscBool is_diagonal(const NsSparse *M)
{
  for (PetscInt i = 0; i < M->rows; i++) {
    for (PetscInt k = M->start[i]; k < M->start[i + 1]; k++) {
      if (M->column[k] != i && M->value[k] != 0) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode NsMatrixFindBounds(const NsSparse *M, const NsSparse *C, const NsSparse *K, NsMatrixBounds *bounds)
{
  PetscReal *d;
  PetscBool  positive = PETSC_TRUE, diagonal = is_diagonal(M);

  PetscFunctionBegin;
  *bounds = (NsMatrixBounds){.share = diagonal ? 1 : 0.5};
  PetscCall(PetscCalloc1(M->rows, &d));
  for (PetscInt i = 0; i < M->rows; i++) {
    for (PetscInt k = M->start[i]; k < M->start[i + 1]; k++) {
      if (M->column[k] == i) d[i] = M->value[k];
    }
    positive = positive && d[i] > 0;
    d[i]     = d[i] > 0 ? 1 / PetscSqrtReal(d[i]) : 1;
  }
  for (PetscBool enough = diagonal; positive && !enough;) {
    PetscCall(has_positive_pivots(M, d, bounds->share, &enough));
    if (!enough) bounds->share /= 2;
    positive = enough || bounds->share >= NS_LEAST_SHARE;
  }
  if (!positive) bounds->share = 0;
  bounds->omega        = positive ? PetscSqrtReal(gershgorin(K, d) / bounds->share) : 0;
  bounds->damping_rate = positive ? gershgorin(C, d) / bounds->share : 0;
  PetscCall(PetscFree(d));
  PetscFunctionReturn(0);
}
