/* Bounds of frequencies from the rows of matrices. */
#include "matrices.h"
#include <petscblaslapack.h>
#include "core/noise.h"

#define NS_LEAST_SHARE (1. / 4096)
#define NS_FACTORED    5000  /* DOF: a factor of more than these takes long, and much memory in space */
#define NS_BELOW       1e-3  /* eps of Lanczos */
#define NS_UNSAFE      1e-12 /* probability */

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

/*
  A lower bound of the least eigenvalue of B = D M D, which is s minus the largest one of A = s - B, s the bound by Gershgorin: by Lanczos with a random start, as in src/fe/model/lanczos.c. The
  largest Ritz value theta of k steps is below (1 - eps) lambda with a probability of at most 1.648 sqrt(n) exp(-sqrt(eps) (2 k - 1)), so that s - theta/(1 - eps) is a bound.
*/
static PetscErrorCode least_by_lanczos(const NsSparse *M, const PetscReal *d, PetscReal *least)
{
  const PetscInt n = M->rows, steps = PetscMin(
                                n, (PetscInt)((PetscLogReal(1.648 * PetscSqrtReal((PetscReal)n) / NS_UNSAFE) / PetscSqrtReal(NS_BELOW) + 1) / 2) + 1);
  const PetscReal s = gershgorin(M, d);
  PetscReal      *alpha, *beta, *work, *x[3];
  PetscBLASInt    size, one = 1, info;
  PetscInt        k = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(steps, &alpha, steps, &beta, 2 * (size_t)steps, &work));
  PetscCall(PetscCalloc3(n, &x[0], n, &x[1], n, &x[2]));
  PetscReal norm = 0;
  for (PetscInt i = 0; i < n; i++) {
    x[0][i] = NsNoiseNormal((uint64_t)i);
    norm += x[0][i] * x[0][i];
  }
  for (PetscInt i = 0; i < n; i++) x[0][i] /= PetscSqrtReal(norm);
  while (k < steps) {
    PetscReal *last = x[(k + 2) % 3], *now = x[k % 3], *next = x[(k + 1) % 3];
    alpha[k] = norm = 0;
    for (PetscInt i = 0; i < n; i++) {
      PetscReal sum = 0;
      for (PetscInt e = M->start[i]; e < M->start[i + 1]; e++) sum += M->value[e] * d[M->column[e]] * now[M->column[e]];
      next[i] = s * now[i] - d[i] * sum - (k > 0 ? beta[k - 1] * last[i] : 0);
    }
    for (PetscInt i = 0; i < n; i++) alpha[k] += now[i] * next[i];
    for (PetscInt i = 0; i < n; i++) {
      next[i] -= alpha[k] * now[i];
      norm += next[i] * next[i];
    }
    beta[k] = PetscSqrtReal(norm);
    if (beta[k++] <= 1e-13 * s) break; /* an invariant subspace */
    for (PetscInt i = 0; i < n; i++) next[i] /= beta[k - 1];
  }
  PetscCall(PetscBLASIntCast(k, &size));
  LAPACKsteqr_("N", &size, alpha, beta, NULL, &one, work, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dsteqr returned %d", (int)info);
  *least = s - alpha[k - 1] / (1 - NS_BELOW);
  PetscCall(PetscFree3(x[0], x[1], x[2]));
  PetscCall(PetscFree3(alpha, beta, work));
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

PetscErrorCode NsMatrixFindBounds(const NsSparse *M, const NsSparse *C, const NsSparse *G, const NsSparse *K, NsMatrixBounds *bounds)
{
  PetscReal *d;
  PetscBool  positive = PETSC_TRUE, known = is_diagonal(M); /* share is */

  PetscFunctionBegin;
  *bounds = (NsMatrixBounds){.share = known ? 1 : 0.5};
  PetscCall(PetscCalloc1(M->rows, &d));
  for (PetscInt i = 0; i < M->rows; i++) {
    for (PetscInt k = M->start[i]; k < M->start[i + 1]; k++) {
      if (M->column[k] == i) d[i] = M->value[k];
    }
    positive = positive && d[i] > 0;
    d[i]     = d[i] > 0 ? 1 / PetscSqrtReal(d[i]) : 1;
  }
  if (positive && !known && M->rows > NS_FACTORED) {
    PetscCall(least_by_lanczos(M, d, &bounds->share));
    known = bounds->share > 0;
    if (!known) bounds->share = 1. / 64; /* too small to tell from zero: by factors, from here on */
  }
  for (PetscBool enough = known; positive && !enough;) {
    PetscCall(has_positive_pivots(M, d, bounds->share, &enough));
    if (!enough) bounds->share /= 2;
    positive = enough || bounds->share >= NS_LEAST_SHARE;
  }
  if (!positive) bounds->share = 0;
  bounds->omega           = positive ? PetscSqrtReal(gershgorin(K, d) / bounds->share) : 0;
  bounds->damping_rate    = positive ? gershgorin(C, d) / bounds->share : 0;
  bounds->gyroscopic_rate = positive ? gershgorin(G, d) / bounds->share : 0;
  PetscCall(PetscFree(d));
  PetscFunctionReturn(0);
}
