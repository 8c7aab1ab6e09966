/*
  Solvers for (mu^2 M + mu C + K) y = 0 in scaled coordinates (pencil.h). All work on the inverse about a small shift s > 0, where

      [y; z] = S [a; b]:   y = -Q^-1 (M b + (C + s M) a),  z = a + s y,    Q = K + s C + s^2 M,    z = mu y,    S [y; z] = 1/(mu - s) [y; z]

  Q is regular though K may not be (bodies in free flight, shafts free to spin), and the smallest mu, which are wanted, are the most accurate.

  A Krylov method finds one vector of a multiple eigenvalue; further ones only by rounding, or not at all. Isotropic rotors at rest and bodies in
  free flight have such eigenvalues: so the solver is restarted from other random vectors, which lead to other vectors of the eigenspace, until
  no new pair is found. Of large symmetric problems a factorization of K - s M tells how many eigenvalues are below s (Sylvester's law of inertia); where all of
  them have been found, nothing is restarted.

  F. Tisseur, K. Meerbergen, "The quadratic eigenvalue problem", SIAM Review 43 (2001); C. Campos, J. E. Roman, "Parallel Krylov solvers for the
  polynomial eigenvalue problem in SLEPc", SIAM J. Sci. Comput. 38 (2016).
*/
#include <complex.h>
#include <stdlib.h>
#include <slepceps.h>
#include <slepcpep.h>
#include <petscblaslapack.h>
#include "pencil.h"
#include "core/petsc_message.h"
#include "percuss/model.h"

#define NOTHING 1e-15 /* strain energy of a rigid motion, over that of its terms: the rounding of K */
#define STILL   1e-26 /* the terms, over the largest entry of K: below it K does not resist the motion, and the terms are rounding errors of y */
#define SHIFT   1e-4  /* of gamma: far above zero with rounding (1e-8), far below most frequencies */

/*
  B = D A D with the nonzeros of `pattern`, which holds those of A: with one pattern for all, sums of them are cheap. Without inodes, because with them PETSc 3.18
  factors some sums of matrices wrongly (it reads memory that it has not written).
*/
static PetscErrorCode scale_matrix(Mat A, Mat pattern, Vec d, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatDuplicate(pattern, MAT_DO_NOT_COPY_VALUES, B));
  PetscCall(MatSetOption(*B, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatZeroEntries(*B));
  PetscCall(MatAXPY(*B, 1, A, SUBSET_NONZERO_PATTERN));
  PetscCall(MatDiagonalScale(*B, d, d));
  PetscFunctionReturn(0);
}

/* D = diag(M)^-1/2; an unknown without mass is scaled by its stiffness. */
static PetscErrorCode diagonal(Mat M, Mat K, Vec d)
{
  Vec       k;
  PetscInt  n;
  PetscReal top = 0;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(d, &k));
  PetscCall(MatGetDiagonal(M, d));
  PetscCall(MatGetDiagonal(K, k));
  PetscCall(VecGetSize(d, &n));
  PetscReal       *value     = NsVecArray(d);
  const PetscReal *stiffness = NsVecRead(k);
  for (PetscInt i = 0; i < n; i++) {
    if (value[i] > 0) top = PetscMax(top, PetscAbsReal(stiffness[i]) / value[i]);
  }
  for (PetscInt i = 0; i < n; i++) {
    if (value[i] <= 0) value[i] = top > 0 ? PetscAbsReal(stiffness[i]) / top : 1;
    value[i] = value[i] > 0 ? 1 / PetscSqrtReal(value[i]) : 1;
  }
  PetscCall(VecDestroy(&k));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPencilCreate(Mat M, Mat C, Mat K, NsPencil *pencil)
{
  Mat       pattern;
  Vec       d;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(pencil, sizeof(*pencil)));
  PetscCall(MatGetSize(K, &pencil->n, NULL));
  PetscCall(MatCreateVecs(K, &d, NULL));
  PetscCall(diagonal(M, K, d));
  PetscCall(MatDuplicate(K, MAT_COPY_VALUES, &pattern));
  PetscCall(MatAXPY(pattern, 1, M, DIFFERENT_NONZERO_PATTERN));
  if (C) PetscCall(MatAXPY(pattern, 1, C, DIFFERENT_NONZERO_PATTERN));
  PetscCall(scale_matrix(K, pattern, d, &pencil->K));
  PetscCall(scale_matrix(M, pattern, d, &pencil->M));
  if (C) PetscCall(scale_matrix(C, pattern, d, &pencil->C));
  PetscCall(MatDestroy(&pattern));
  PetscCall(MatNorm(pencil->K, NORM_INFINITY, &norm));
  pencil->gamma = PetscSqrtReal(norm);
  if (norm == 0 && C) PetscCall(MatNorm(pencil->C, NORM_INFINITY, &pencil->gamma));
  if (pencil->gamma == 0) pencil->gamma = 1;
  PetscCall(MatScale(pencil->K, 1 / PetscSqr(pencil->gamma)));
  if (C) PetscCall(MatScale(pencil->C, 1 / pencil->gamma));
  PetscCall(MatIsSymmetric(pencil->K, 1e-12, &pencil->symmetric));
  PetscCall(PetscMalloc1(pencil->n, &pencil->d));
  PetscCall(PetscArraycpy(pencil->d, NsVecRead(d), pencil->n));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPencilDestroy(NsPencil *pencil)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&pencil->M));
  PetscCall(MatDestroy(&pencil->C));
  PetscCall(MatDestroy(&pencil->K));
  PetscCall(PetscFree(pencil->d));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPencilStrains(const NsPencil *pencil, const PetscComplex *y, PetscBool *null, PetscReal *energy, PetscReal *mass)
{
  PetscReal terms = 0, stiffest = 0;

  PetscFunctionBegin;
  *energy = *mass = 0;
  for (PetscInt i = 0; i < pencil->n; i++) {
    PetscInt           count;
    const PetscInt    *column;
    const PetscScalar *value;
    PetscCall(MatGetRow(pencil->K, i, &count, &column, &value));
    for (PetscInt k = 0; k < count; k++) {
      const PetscReal term = value[k] * (creal(y[i]) * creal(y[column[k]]) + cimag(y[i]) * cimag(y[column[k]]));
      *energy += term;
      terms += PetscAbsReal(term);
      stiffest = PetscMax(stiffest, PetscAbsReal(value[k]));
    }
    PetscCall(MatRestoreRow(pencil->K, i, &count, &column, &value));
    PetscCall(MatGetRow(pencil->M, i, &count, &column, &value));
    for (PetscInt k = 0; k < count; k++) *mass += value[k] * (creal(y[i]) * creal(y[column[k]]) + cimag(y[i]) * cimag(y[column[k]]));
    PetscCall(MatRestoreRow(pencil->M, i, &count, &column, &value));
  }
  *null = PetscAbsReal(*energy) <= NOTHING * terms || terms <= STILL * stiffest;
  PetscFunctionReturn(0);
}

void NsEigenpairsDestroy(NsEigenpairs *pairs)
{
  for (PetscInt i = 0; i < pairs->count; i++) (void)PetscFree(pairs->pair[i].y);
  (void)PetscFree(pairs->pair);
  pairs->count = pairs->capacity = 0;
}

/* A new last pair with y = re + i im (im may be NULL), length 1. */
static PetscErrorCode add_pair(NsEigenpairs *pairs, PetscInt n, PetscComplex mu, const PetscReal *re, const PetscReal *im)
{
  PetscReal     length = 0;
  PetscComplex *y;

  PetscFunctionBegin;
  if (pairs->count == pairs->capacity) {
    pairs->capacity = 2 * pairs->capacity + 16;
    PetscCall(PetscRealloc(sizeof(*pairs->pair) * (size_t)pairs->capacity, &pairs->pair));
  }
  PetscCall(PetscMalloc1(n, &y));
  for (PetscInt i = 0; i < n; i++) {
    y[i] = re[i] + (im ? im[i] * PETSC_i : 0);
    length += PetscSqr(re[i]) + (im ? PetscSqr(im[i]) : 0);
  }
  for (PetscInt i = 0; i < n && length > 0; i++) y[i] /= PetscSqrtReal(length);
  pairs->pair[pairs->count++] = (NsEigenpair){mu, y};
  PetscFunctionReturn(0);
}

/* Dense --------------------------------------------------------------------------------------------------------------------------------------- */

/* [n, n], column after column. */
static PetscErrorCode dense_values(Mat A, PetscInt n, PetscReal **values)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)(n * n), values));
  for (PetscInt i = 0; A && i < n; i++) {
    PetscInt           count;
    const PetscInt    *column;
    const PetscScalar *value;
    PetscCall(MatGetRow(A, i, &count, &column, &value));
    for (PetscInt k = 0; k < count; k++) (*values)[column[k] * n + i] = value[k];
    PetscCall(MatRestoreRow(A, i, &count, &column, &value));
  }
  PetscFunctionReturn(0);
}

/* S[2 n, 2 n], column after column. */
static PetscErrorCode dense_inverse(const NsPencil *pencil, PetscReal *S)
{
  const PetscInt n = pencil->n;
  PetscReal     *M, *C, *Q, *right; /* right = [C + s M, M] */
  PetscBLASInt  *pivot, size, twice, info;

  PetscFunctionBegin;
  PetscCall(dense_values(pencil->M, n, &M));
  PetscCall(dense_values(pencil->C, n, &C));
  PetscCall(dense_values(pencil->K, n, &Q));
  PetscCall(PetscMalloc1((size_t)(2 * n * n), &right));
  PetscCall(PetscMalloc1(n, &pivot));
  PetscCall(PetscBLASIntCast(n, &size));
  PetscCall(PetscBLASIntCast(2 * n, &twice));
  for (PetscInt i = 0; i < n * n; i++) {
    Q[i] += SHIFT * C[i] + SHIFT * SHIFT * M[i];
    right[i]         = C[i] + SHIFT * M[i];
    right[n * n + i] = M[i];
  }
  LAPACKgetrf_(&size, &size, Q, &size, pivot, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "K + s C + s^2 M is singular: an unknown without mass and stiffness");
  LAPACKgetrs_("N", &size, &twice, Q, &size, pivot, right, &size, &info);
  for (PetscInt c = 0; c < 2 * n; c++) {
    for (PetscInt r = 0; r < n; r++) {
      const PetscReal y    = -right[c * n + r];
      S[c * 2 * n + r]     = y;
      S[c * 2 * n + n + r] = SHIFT * y + (r == c);
    }
  }
  PetscCall(PetscFree(M));
  PetscCall(PetscFree(C));
  PetscCall(PetscFree(Q));
  PetscCall(PetscFree(right));
  PetscCall(PetscFree(pivot));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPencilDense(const NsPencil *pencil, NsEigenpairs *pairs)
{
  const PetscInt n = pencil->n, m = 2 * n;
  PetscReal     *S, *re, *im, *vectors, *work, none;
  PetscBLASInt   size, room, one = 1, info;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(m * m), &S));
  PetscCall(PetscMalloc1((size_t)(m * m), &vectors));
  PetscCall(PetscMalloc3(m, &re, m, &im, (size_t)(8 * m), &work));
  PetscCall(dense_inverse(pencil, S));
  PetscCall(PetscBLASIntCast(m, &size));
  PetscCall(PetscBLASIntCast(8 * m, &room));
  LAPACKgeev_("N", "V", &size, S, &size, re, im, &none, &one, vectors, &size, work, &room, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_CONV_FAILED, "dgeev finds no eigenvalues: %d", (int)info);
  /* Conjugate pairs are adjacent, with real and imaginary part as vectors; Im(1/theta) has the opposite sign. theta = 0: an unknown without mass. */
  for (PetscInt i = 0; i < m; i++) {
    const PetscReal square = re[i] * re[i] + im[i] * im[i];
    if (im[i] == 0) {
      if (PetscAbsReal(re[i]) > 1e-15) PetscCall(add_pair(pairs, n, SHIFT + 1 / re[i], vectors + i * m, NULL));
      continue;
    }
    PetscReal *minus = vectors + (i + 1) * m;
    for (PetscInt k = 0; k < n; k++) minus[k] = -minus[k];
    PetscCall(add_pair(pairs, n, SHIFT + re[i] / square + im[i] / square * PETSC_i, vectors + i * m, minus));
    i++;
  }
  pairs->radius = PETSC_MAX_REAL;
  PetscCall(PetscFree(S));
  PetscCall(PetscFree(vectors));
  PetscCall(PetscFree3(re, im, work));
  PetscFunctionReturn(0);
}

/* Sparse -------------------------------------------------------------------------------------------------------------------------------------- */

#define NS_MUMPS 3000 /* DOF: from here on MUMPS is faster, for its supernodes are products of dense matrices */

static PetscErrorCode set_factorisation(ST st, PetscInt n, PCType type)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(STSetMatStructure(st, SAME_NONZERO_PATTERN));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
#if defined(PETSC_HAVE_MUMPS)
  if (n >= NS_MUMPS) {
    PetscCall(PCSetType(pc, type));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    PetscFunctionReturn(0);
  }
#else
  (void)n, (void)type;
#endif
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-30));
  PetscFunctionReturn(0);
}

static PetscErrorCode start_vector(Mat K, PetscInt number, Vec *start)
{
  PetscRandom random;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(K, start, NULL));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, -1, 1));
  PetscCall(PetscRandomSetSeed(random, (unsigned long)(4711 + number)));
  PetscCall(PetscRandomSeed(random));
  PetscCall(VecSetRandom(*start, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(0);
}

/* K y = -mu^2 M y; mu^2 > 0 (negative stiffness) are two real eigenvalues. */
static PetscErrorCode solve_symmetric(const NsPencil *pencil, PetscInt wanted, PetscInt number, NsEigenpairs *pairs)
{
  EPS      eps;
  ST       st;
  Vec      start, x;
  PetscInt found;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOperators(eps, pencil->K, pencil->M));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetDimensions(eps, PetscMin(wanted, pencil->n), PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, 1e-12, 1000));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(set_factorisation(st, pencil->n, PCCHOLESKY));
  PetscCall(EPSSetTarget(eps, -SHIFT * SHIFT));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  PetscCall(start_vector(pencil->K, number, &start));
  PetscCall(EPSSetInitialSpace(eps, 1, &start));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCall(VecDuplicate(start, &x));
  pairs->radius = 0;
  for (PetscInt i = 0; i < found; i++) {
    PetscReal square;
    PetscCall(EPSGetEigenpair(eps, i, &square, NULL, x, NULL));
    const PetscReal *y = NsVecRead(x), mu = PetscSqrtReal(PetscAbsReal(square));
    PetscCall(add_pair(pairs, pencil->n, square < 0 ? mu : mu * PETSC_i, y, NULL));
    if (square < 0) PetscCall(add_pair(pairs, pencil->n, -mu, y, NULL));
    pairs->radius = PetscMax(pairs->radius, PetscSqrtReal(PetscMax(0, PetscAbsReal(square + SHIFT * SHIFT) - SHIFT * SHIFT)));
  }
  if (found >= pencil->n) pairs->radius = PETSC_MAX_REAL;
  PetscCall(VecDestroy(&start));
  PetscCall(VecDestroy(&x));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_quadratic(const NsPencil *pencil, PetscInt wanted, PetscInt number, NsEigenpairs *pairs)
{
  PEP            pep;
  ST             st;
  Mat            A[3] = {pencil->K, pencil->C, pencil->M};
  Vec            start, x[2];
  PetscInt       found = 0;
  PetscErrorCode failed;

  PetscFunctionBegin;
  if (!pencil->C) {
    PetscCall(MatDuplicate(pencil->K, MAT_DO_NOT_COPY_VALUES, &A[1]));
    PetscCall(MatZeroEntries(A[1]));
  }
  PetscCall(PEPCreate(PETSC_COMM_SELF, &pep));
  PetscCall(PEPSetOperators(pep, 3, A));
  PetscCall(PEPSetProblemType(pep, PEP_GENERAL));
  PetscCall(PEPSetType(pep, PEPTOAR));
  PetscCall(PEPSetDimensions(pep, PetscMin(2 * wanted, pencil->n), PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(PEPSetTolerances(pep, 1e-12, 1000));
  PetscCall(PEPGetST(pep, &st));
  PetscCall(set_factorisation(st, pencil->n, PCLU));
  PetscCall(PEPSetTarget(pep, SHIFT));
  PetscCall(PEPSetWhichEigenpairs(pep, PEP_TARGET_MAGNITUDE));
  PetscCall(start_vector(pencil->K, number, &start));
  PetscCall(PEPSetInitialSpace(pep, 1, &start));
  /* its sorting may fail at clusters of double eigenvalues: no pairs then, and the caller requests more, which helps */
  PetscCall(PetscPushErrorHandler(NsIgnoreError, NULL));
  failed = PEPSolve(pep);
  PetscCall(PetscPopErrorHandler());
  if (!failed) PetscCall(PEPGetConverged(pep, &found));
  for (int k = 0; k < 2; k++) PetscCall(VecDuplicate(start, &x[k]));
  pairs->radius = 0;
  for (PetscInt i = 0; i < found; i++) {
    PetscReal re, im;
    PetscCall(PEPGetEigenpair(pep, i, &re, &im, x[0], x[1]));
    pairs->radius = PetscMax(pairs->radius, hypot(re - SHIFT, im) - SHIFT);
    if (im < 0) continue;
    PetscCall(add_pair(pairs, pencil->n, re + im * PETSC_i, NsVecRead(x[0]), im == 0 ? NULL : NsVecRead(x[1])));
  }
  PetscCall(VecDestroy(&start));
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  if (!pencil->C) PetscCall(MatDestroy(&A[1]));
  PetscCall(PEPDestroy(&pep));
  PetscFunctionReturn(0);
}

static PetscComplex product(PetscInt n, const PetscComplex *a, const PetscComplex *b)
{
  PetscComplex sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += conj(a[i]) * b[i];
  return sum;
}

/*
  Whether a pair is in the span of the known ones with the same eigenvalue: at most a thousandth of y is outside. Equal eigenvalues may differ by a relative 1e-6
  (a defective one has errors of 1e-8) and an absolute 2e-7.
*/
static PetscErrorCode is_known(const NsEigenpairs *pairs, PetscInt n, const NsEigenpair *pair, PetscBool *known)
{
  PetscComplex **basis;
  PetscInt       size = 0;
  PetscReal      left = 1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(pairs->count + 1, &basis));
  for (PetscInt i = 0; i <= pairs->count; i++) {
    const NsEigenpair *old = i < pairs->count ? &pairs->pair[i] : pair;
    if (cabs(old->mu - pair->mu) > 1e-6 * cabs(pair->mu) + 2e-7) continue;
    PetscComplex *y;
    PetscCall(PetscMalloc1(n, &y));
    PetscCall(PetscArraycpy(y, old->y, n));
    for (PetscInt again = 0; again < 2; again++) {
      for (PetscInt b = 0; b < size; b++) {
        const PetscComplex part = product(n, basis[b], y);
        for (PetscInt k = 0; k < n; k++) y[k] -= part * basis[b][k];
      }
    }
    left = PetscSqrtReal(creal(product(n, y, y)));
    if (left > 1e-6) {
      for (PetscInt k = 0; k < n; k++) y[k] /= left;
      basis[size++] = y;
    } else
      PetscCall(PetscFree(y));
  }
  *known = left < 1e-3;
  for (PetscInt b = 0; b < size; b++) PetscCall(PetscFree(basis[b]));
  PetscCall(PetscFree(basis));
  PetscFunctionReturn(0);
}

#define NS_GAP 1e-4 /* relative distance of two frequencies between which s lies */

/* Number of eigenvalues of (K, M) below `square`; -1: not known. */
static PetscErrorCode count_below(const NsPencil *pencil, PetscReal square, PetscInt *below)
{
  PetscFunctionBegin;
  *below = -1;
#if defined(PETSC_HAVE_MUMPS)
  Mat            A, factor;
  MatFactorInfo  info;
  MatFactorError error;

  PetscCall(MatDuplicate(pencil->K, MAT_COPY_VALUES, &A));
  PetscCall(MatAXPY(A, -square, pencil->M, SAME_NONZERO_PATTERN));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_FALSE));
  PetscCall(MatGetFactor(A, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, &factor));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatCholeskyFactorSymbolic(factor, A, NULL, &info));
  PetscCall(MatCholeskyFactorNumeric(factor, A, &info));
  PetscCall(MatFactorGetError(factor, &error));
  if (!error) PetscCall(MatMumpsGetInfog(factor, 12, below)); /* negative pivots */
  PetscCall(MatDestroy(&factor));
  PetscCall(MatDestroy(&A));
#else
  (void)pencil;
  (void)square;
#endif
  PetscFunctionReturn(0);
}

/* The square of mu i: an eigenvalue of (K, M). */
static PetscReal square_of(const NsEigenpair *pair)
{
  return -creal(pair->mu * pair->mu);
}

static int compare_reals(const void *a, const void *b)
{
  const PetscReal x = *(const PetscReal *)a, y = *(const PetscReal *)b;

  return (x > y) - (x < y);
}

/* Whether these are all pairs up to a frequency behind the `least` lowest, which becomes the radius: the inertia of K - s M with s in the widest gap from there on. */
static PetscErrorCode are_all(const NsPencil *pencil, PetscInt least, NsEigenpairs *pairs, PetscBool *all)
{
  PetscReal *square, widest = 1 + NS_GAP;
  PetscInt   count = 0, at = -1, below;

  PetscFunctionBegin;
  *all = PETSC_FALSE;
  if (pencil->n < NS_MUMPS || !pencil->symmetric || pencil->C || least < 1) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(pairs->count, &square));
  for (PetscInt i = 0; i < pairs->count; i++) { /* a negative eigenvalue is two pairs, mu and -mu: those of rigid motions may be so by rounding */
    if (creal(pairs->pair[i].mu) >= 0) square[count++] = square_of(&pairs->pair[i]);
  }
  qsort(square, (size_t)count, sizeof(*square), compare_reals);
  for (PetscInt i = least; i < count; i++) {
    if (square[i - 1] <= 0 || square[i] <= widest * square[i - 1] || PetscSqrtReal(square[i]) > pairs->radius) continue;
    widest = square[i] / square[i - 1];
    at     = i;
  }
  if (at > 0) {
    const PetscReal middle = (square[at - 1] + square[at]) / 2;
    PetscCall(count_below(pencil, middle, &below));
    *all = below == at;
    if (*all) pairs->radius = PetscSqrtReal(middle);
  }
  PetscCall(PetscFree(square));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPencilSparse(const NsPencil *pencil, PetscInt wanted, NsEigenpairs *pairs)
{
  PetscErrorCode (*const solve)(const NsPencil *, PetscInt, PetscInt, NsEigenpairs *) =
    pencil->symmetric && !pencil->C ? solve_symmetric : solve_quadratic;
  PetscInt  fresh = 1;
  PetscBool all;

  PetscFunctionBegin;
  PetscCall(solve(pencil, wanted, 0, pairs));
  PetscCall(are_all(pencil, wanted - NS_SPARE, pairs, &all));
  for (PetscInt number = 1; !all && fresh && number < 16; number++) { /* at most six rigid motions, each twice */
    NsEigenpairs more = {0};
    PetscCall(solve(pencil, wanted, number, &more));
    fresh         = 0;
    pairs->radius = PetscMin(pairs->radius, more.radius);
    for (PetscInt i = 0; i < more.count; i++) {
      NsEigenpair *pair  = &more.pair[i];
      PetscBool    known = PETSC_FALSE;
      if (cabs(pair->mu) > pairs->radius) continue;
      PetscCall(is_known(pairs, pencil->n, pair, &known));
      if (known) continue;
      PetscReal *parts;
      PetscCall(PetscMalloc1((size_t)(2 * pencil->n), &parts));
      for (PetscInt k = 0; k < pencil->n; k++) {
        parts[k]             = creal(pair->y[k]);
        parts[pencil->n + k] = cimag(pair->y[k]);
      }
      PetscCall(add_pair(pairs, pencil->n, pair->mu, parts, parts + pencil->n));
      PetscCall(PetscFree(parts));
      fresh++;
    }
    NsEigenpairsDestroy(&more);
  }
  PetscFunctionReturn(0);
}
