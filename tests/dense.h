/*
  What tests of beams and rotors share: the matrices of a finite-element model as dense arrays, their modes and responses by LAPACK, and values of
  probes. Nothing here comes from the program's own analyses, which these tests are to judge.
*/
#pragma once
#include "support.h"
#include <petscblaslapack.h>
#include <stdio.h>
#include "fe/model/fe.h"

/* Row-major [n, n]. C and G are zero if the model has no damping and gyroscopic terms. */
typedef struct {
  PetscInt   n;
  PetscReal *M, *C, *G, *K;
} Dense;

static inline NsFe *fe_of(const TestRun *test)
{
  return test->run->model->data;
}

static inline PetscReal *dense_new(const TestRun *test, PetscInt count)
{
  return NsArenaAlloc(test->arena, sizeof(PetscReal) * (size_t)(count + 1));
}

static inline void dense_take(Mat *matrix, PetscInt n, PetscReal *X)
{
  PetscInt *all;

  if (!*matrix) return;
  CHECK(PetscMalloc1(n, &all));
  for (PetscInt i = 0; i < n; i++) all[i] = i;
  CHECK(MatGetValues(*matrix, n, all, n, all, X));
  CHECK(PetscFree(all));
  CHECK(MatDestroy(matrix));
}

/* The model's matrices; G is that of constant spins. */
static inline Dense dense_matrices(const TestRun *test)
{
  const PetscInt n = test->run->model->unknowns;
  Dense          d = {n, dense_new(test, n * n), dense_new(test, n * n), dense_new(test, n * n), dense_new(test, n * n)};
  Mat            M, C, G, K;

  CHECK(NsFeAssemble(fe_of(test), NULL, &M, &C, &G, &K));
  dense_take(&M, n, d.M);
  dense_take(&C, n, d.C);
  dense_take(&G, n, d.G);
  dense_take(&K, n, d.K);
  return d;
}

static inline int dense_ascending(const void *a, const void *b)
{
  const PetscReal x = *(const PetscReal *)a, y = *(const PetscReal *)b;

  return (x > y) - (x < y);
}

/* Square roots of all eigenvalues of (K, M), ascending, omega[n]; those below zero by rounding count as 0. */
static inline void dense_frequencies(const TestRun *test, const Dense *d, PetscReal *omega)
{
  const PetscInt n = d->n;
  PetscReal     *K = dense_new(test, n * n), *M = dense_new(test, n * n), *work = dense_new(test, 100 * n);
  PetscBLASInt   type = 1, size = (PetscBLASInt)n, length = (PetscBLASInt)(100 * n), info;

  CHECK(PetscArraycpy(K, d->K, n * n));
  CHECK(PetscArraycpy(M, d->M, n * n));
  LAPACKsygv_(&type, "N", "U", &size, K, &size, M, &size, omega, work, &length, &info);
  assert_int_equal(info, 0);
  for (PetscInt i = 0; i < n; i++) omega[i] = PetscSqrtReal(PetscMax(0, omega[i]));
}

/* X = A^-1 X, A [n, n] and X [n, columns], both row-major. A stays. */
static inline void dense_solve(const TestRun *test, PetscInt n, PetscReal *A, PetscInt columns, PetscReal *X)
{
  PetscReal    *a = dense_new(test, n * n), *x = dense_new(test, n * columns);
  PetscBLASInt *pivot = NsArenaAlloc(test->arena, sizeof(*pivot) * (size_t)n), size = (PetscBLASInt)n, count = (PetscBLASInt)columns, info;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) a[j * n + i] = A[i * n + j];
    for (PetscInt j = 0; j < columns; j++) x[j * n + i] = X[i * columns + j];
  }
  LAPACKgesv_(&size, &count, a, &size, pivot, x, &size, &info);
  assert_int_equal(info, 0);
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < columns; j++) X[i * columns + j] = x[j * n + i];
  }
}

/* Eigenvalues s of s^2 M + s (C + G) + K = 0: real and imaginary parts, [2 n] each, as they come. */
static inline void dense_modes(const TestRun *test, const Dense *d, PetscReal *real, PetscReal *imaginary)
{
  const PetscInt n = d->n, N = 2 * n;
  PetscReal     *A = dense_new(test, N * N), *X = dense_new(test, n * N), *M = dense_new(test, n * n), *work = dense_new(test, 100 * N);
  PetscBLASInt   size = (PetscBLASInt)N, one = 1, length = (PetscBLASInt)(100 * N), info;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      M[i * n + j]     = d->M[i * n + j];
      X[i * N + j]     = -d->K[i * n + j];
      X[i * N + n + j] = -d->C[i * n + j] - d->G[i * n + j];
    }
  }
  dense_solve(test, n, M, N, X);
  for (PetscInt i = 0; i < n; i++) { /* column-major */
    A[(n + i) * N + i] = 1;
    for (PetscInt j = 0; j < N; j++) A[j * N + n + i] = X[i * N + j];
  }
  LAPACKgeev_("N", "N", &size, A, &size, real, imaginary, NULL, &one, NULL, &one, work, &length, &info);
  assert_int_equal(info, 0);
}

/* The imaginary parts above `least`, ascending; returns how many. omega[n] */
static inline PetscInt dense_whirl(const TestRun *test, const Dense *d, PetscReal least, PetscReal *omega)
{
  PetscReal *real = dense_new(test, 2 * d->n), *imaginary = dense_new(test, 2 * d->n);
  PetscInt   count = 0;

  dense_modes(test, d, real, imaginary);
  for (PetscInt i = 0; i < 2 * d->n; i++) {
    if (imaginary[i] > least) omega[count++] = imaginary[i];
  }
  qsort(omega, (size_t)count, sizeof(*omega), dense_ascending);
  return count;
}

/* x(t) = cosine cos(w t) + sine sin(w t) under the force f cos + g sin: both are [n], overwritten by the answer. */
static inline void dense_response(const TestRun *test, const Dense *d, PetscReal w, PetscReal *cosine, PetscReal *sine)
{
  const PetscInt n = d->n, N = 2 * n;
  PetscReal     *A = dense_new(test, N * N), *x = dense_new(test, N);

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      A[i * N + j] = A[(n + i) * N + n + j] = d->K[i * n + j] - w * w * d->M[i * n + j];
      A[i * N + n + j]                      = w * (d->C[i * n + j] + d->G[i * n + j]);
      A[(n + i) * N + j]                    = -A[i * N + n + j];
    }
    x[i]     = cosine[i];
    x[n + i] = sine[i];
  }
  dense_solve(test, N, A, 1, x);
  CHECK(PetscArraycpy(cosine, x, n));
  CHECK(PetscArraycpy(sine, x + n, n));
}

/* The force of the model at (t, q, v), into f[n]. NULL: zero. */
static inline void force_at(const TestRun *test, PetscReal t, Vec q, Vec v, PetscReal *f)
{
  const NsModel     *model = test->run->model;
  Vec                zero, h;
  const PetscScalar *value;

  CHECK(VecDuplicate(test->run->state.q, &zero));
  CHECK(VecZeroEntries(zero));
  CHECK(VecDuplicate(zero, &h));
  CHECK(NsModelForce(test->run->model, t, q ? q : zero, v ? v : zero, h));
  CHECK(VecGetArrayRead(h, &value));
  CHECK(PetscArraycpy(f, value, model->unknowns));
  CHECK(VecRestoreArrayRead(h, &value));
  CHECK(VecDestroy(&h));
  CHECK(VecDestroy(&zero));
}

/* One column of a probe ("ux" ...), of arrays of all unknowns. */
static inline PetscReal probe_of(const TestRun *test, const char *place, const char *suffix, const PetscScalar *q, const PetscScalar *v)
{
  NsProbe   probe;
  PetscBool found;
  char      why[256];

  CHECK(test->run->model->view.probe(test->run->model, place, &probe, &found, why, sizeof(why)));
  if (!found) fail_msg("%s", why);
  for (PetscInt c = 0; c < probe.columns; c++) {
    if (!strcmp(probe.column[c].suffix, suffix)) return NsProbeColumnSum(&probe.column[c], 0, q, v);
  }
  fail_msg("'%s' has no column '%s'", place, suffix);
  return 0;
}

static inline PetscReal probe_now(const TestRun *test, const char *place, const char *suffix)
{
  const PetscScalar *q, *v;
  PetscReal          value;

  CHECK(VecGetArrayRead(test->run->state.q, &q));
  CHECK(VecGetArrayRead(test->run->state.v, &v));
  value = probe_of(test, place, suffix, q, v);
  CHECK(VecRestoreArrayRead(test->run->state.v, &v));
  CHECK(VecRestoreArrayRead(test->run->state.q, &q));
  return value;
}

/* Steps to the end, as often as the config says; the ledger's largest |numerical| is then run->ledger.numerical_max. */
static inline void run_to_end(const TestRun *test)
{
  for (PetscInt64 i = 0; i < test->run->steps; i++) {
    test_step(test->run);
    CHECK(NsLedgerClose(&test->run->ledger, test->run->model, &test->run->state));
  }
}

/* a = b to so many parts of b. */
#define assert_relative(a, b, tolerance) assert_near((a) / (b), 1, tolerance)
