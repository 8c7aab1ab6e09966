/* Matrices and loads of the reduced model, and its frequencies (reduce.h). */
#include "reduce.h"

#define NS_MOST_BOUNDARY 1500
#define NS_MOST_NUMBERS  4e8 /* of T: 3.2 GB */

static PetscReal *reals(const NsFe *fe, PetscInt rows, PetscInt columns)
{
  return NsArenaAlloc(fe->arena, sizeof(PetscReal) * ((size_t)rows * (size_t)columns + 1));
}

PetscErrorCode NsReduceAllocate(NsFe *fe, NsFeReduced *self, PetscInt boundary, PetscInt modes)
{
  const PetscInt n = boundary + modes;

  PetscFunctionBegin;
  if (boundary > NS_MOST_BOUNDARY || (double)self->natural * n > NS_MOST_NUMBERS) {
    NsDiagError(fe->diag, self->place, "%d boundary DOF and %d modes of %d DOF are too many: their matrices are full", (int)boundary, (int)modes,
      (int)self->natural);
    NsDiagNote(fe->diag, "at most %d DOF of contacts and of bodies that are not reduced; name only nodes that can touch", NS_MOST_BOUNDARY);
    PetscFunctionReturn(0);
  }
  self->boundary = boundary;
  self->modes    = modes;
  self->n        = n;
  self->unknown  = NsArenaAlloc(fe->arena, sizeof(*self->unknown) * (size_t)(boundary + 1));
  self->T        = reals(fe, self->natural, n);
  self->omega    = reals(fe, modes, 1);
  self->A        = reals(fe, boundary, boundary);
  self->P        = reals(fe, boundary, modes);
  PetscFunctionReturn(0);
}

/* X = T' A T, [n, n]. */
static PetscErrorCode project(Mat A, const NsFeReduced *self, PetscReal *X)
{
  const PetscInt N = self->natural, n = self->n;
  Vec            x, y;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, NULL, &y));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, N, self->T + (size_t)j * (size_t)N, &x));
    PetscCall(MatMult(A, x, y));
    const PetscReal *product = NsVecRead(y);
    for (PetscInt i = 0; i < n; i++) X[j * n + i] = NsDenseDot(N, self->T + (size_t)i * (size_t)N, product);
    PetscCall(VecDestroy(&x));
  }
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

static void make_symmetric(PetscInt n, PetscReal *X)
{
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < i; j++) X[i * n + j] = X[j * n + i] = (X[i * n + j] + X[j * n + i]) / 2;
  }
}

/* K = [A, -A P; -P'A, Omega^2 + P'A P] */
static void make_stiffness(NsFeReduced *self)
{
  const PetscInt n = self->n, b = self->boundary;
  PetscReal     *K = self->K;

  for (PetscInt j = 0; j < b; j++) {
    for (PetscInt i = 0; i < b; i++) K[j * n + i] = self->A[j * b + i];
  }
  for (PetscInt j = 0; j < self->modes; j++) {
    PetscReal *column = K + (b + j) * n;
    NsDenseAdd(b, b, self->A, -1, self->P + j * b, column);
    for (PetscInt i = 0; i < self->modes; i++) column[b + i] = -NsDenseDot(b, self->P + i * b, column);
    column[b + j] += PetscSqr(self->omega[j]);
    for (PetscInt i = 0; i < b; i++) K[i * n + b + j] = column[i];
  }
  make_symmetric(n, K);
}

#define NS_NO_STRAIN 1e-12 /* of the largest: rigid motions of the boundary, whose digits a product with A would lose */

/* A = D V Lambda V' D with D of its diagonal: strain = Lambda^1/2 V' D. */
static PetscErrorCode make_strain(NsFeReduced *self)
{
  const PetscInt b = self->boundary;
  PetscReal     *V, *lambda, *d;
  PetscBool      done;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(NsSquare(b), &V, b, &lambda, b, &d));
  for (PetscInt i = 0; i < b; i++) d[i] = self->A[i * (b + 1)] > 0 ? PetscSqrtReal(self->A[i * (b + 1)]) : 1;
  for (PetscInt i = 0; i < b * b; i++) V[i] = self->A[i] / (d[i % b] * d[i / b]);
  PetscCall(NsDenseEigen(b, V, NULL, lambda, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_LIB, "no eigenvalues of a symmetric matrix");
  const PetscReal least = self->settings.method == NS_REDUCE_CRAIG_BAMPTON && b ? NS_NO_STRAIN * lambda[b - 1] : 0;
  for (PetscInt k = 0; k < b; k++) {
    const PetscReal root = lambda[k] > least ? PetscSqrtReal(lambda[k]) : 0;
    for (PetscInt i = 0; i < b; i++) self->strain[i * b + k] = root * V[k * b + i] * d[i];
  }
  PetscCall(PetscFree3(V, lambda, d));
  PetscFunctionReturn(0);
}

/* Of macneal the modes alone have mass and damping. */
static void take_modal(NsFeReduced *self)
{
  const PetscInt n = self->n, b = self->boundary, r = self->modes;

  for (PetscInt j = 0; j < r; j++) {
    self->M[(b + j) * (n + 1)] = 1;
    for (PetscInt i = 0; i < r && self->C; i++) self->C[(b + j) * n + b + i] = self->basis.damping[i * r + j];
  }
}

static PetscErrorCode project_loads(NsFe *fe, NsFeReduced *self)
{
  NsModel *whole = self->whole;
  Vec     *shape;

  PetscFunctionBegin;
  PetscCall(whole->analysis.load_shapes(whole, &self->loads, &shape));
  self->load = reals(fe, self->n, self->loads);
  for (PetscInt l = 0; l < self->loads; l++) {
    const PetscReal *F = NsVecRead(shape[l]);
    for (PetscInt i = 0; i < self->natural; i++) self->full[i] = F[NsLayoutIndex(whole->layout, i)];
    for (PetscInt j = 0; j < self->n; j++)
      self->load[l * self->n + j] = NsDenseDot(self->natural, self->T + (size_t)j * (size_t)self->natural, self->full);
  }
  PetscCall(VecDestroyVecs(self->loads, &shape));
  PetscFunctionReturn(0);
}

/* M and C. */
static PetscErrorCode take_matrices(NsFe *fe, NsFeReduced *self)
{
  const PetscInt n = self->n;
  Mat            M, C, G, K;

  PetscFunctionBegin;
  PetscCall(NsFeAssemble(fe, NULL, &M, &C, &G, &K));
  self->skew = G != NULL;
  if (C && G) PetscCall(MatAXPY(C, 1, G, SAME_NONZERO_PATTERN));
  if (C || G) self->C = reals(fe, n, n);
  if (self->massless)
    take_modal(self);
  else {
    PetscCall(project(M, self, self->M));
    make_symmetric(n, self->M);
    if (self->C) PetscCall(project(C ? C : G, self, self->C));
  }
  if (self->C) {
    self->dampers = reals(fe, n, n);
    for (PetscInt i = 0; i < n * n; i++) self->dampers[i] = (self->C[i] + self->C[i % n * n + i / n]) / 2;
    if (!self->skew) PetscCall(PetscArraycpy(self->C, self->dampers, n * n));
  }
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(0);
}

/* Rows and columns from `first` on. */
static void take_block(const PetscReal *X, PetscInt n, PetscInt first, PetscReal *block)
{
  const PetscInt size = n - first;

  for (PetscInt i = 0; i < size * size; i++) block[i] = X[(first + i / size) * n + first + i % size];
}

PetscErrorCode NsReduceFrequencies(const NsFeReduced *self, PetscBool held, PetscInt *count, PetscReal *omega, PetscReal *shape)
{
  const PetscInt first = held ? self->boundary : 0, size = self->n - first;
  PetscReal     *K, *M;
  PetscBool      done;

  PetscFunctionBegin;
  *count = size;
  if (self->massless && !held) { /* the boundary follows: the modes of the basis */
    *count = self->modes;
    PetscCall(PetscArraycpy(omega, self->omega, self->modes));
    PetscCall(PetscSortReal(self->modes, omega));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc2(NsSquare(size), &K, NsSquare(size), &M));
  take_block(self->K, self->n, first, K);
  take_block(self->M, self->n, first, M);
  PetscCall(NsDenseEigen(size, K, M, omega, &done));
  if (!done) *count = 0;
  for (PetscInt j = 0; j < *count; j++) omega[j] = omega[j] > 0 ? PetscSqrtReal(omega[j]) : 0;
  if (shape && done) PetscCall(PetscArraycpy(shape, K, size * size));
  PetscCall(PetscFree2(K, M));
  PetscFunctionReturn(0);
}

/* The highest frequency, of a massless boundary with this held, as a contact that sticks holds it; and the largest rate of damping. */
static PetscErrorCode find_bounds(NsFe *fe, NsFeReduced *self)
{
  const PetscInt first = self->massless ? self->boundary : 0, size = self->n - first;
  PetscInt       count;
  PetscReal     *value, *C, *M;
  PetscBool      done = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(self->n, &value, NsSquare(size), &C, NsSquare(size), &M));
  PetscCall(NsReduceFrequencies(self, self->massless, &count, value, NULL));
  if (count)
    self->highest = value[count - 1];
  else
    NsDiagError(fe->diag, self->place, "the reduced mass matrix is not positive definite: take fewer modes, or method macneal");
  if (self->C && count) {
    take_block(self->dampers, self->n, first, C);
    take_block(self->M, self->n, first, M);
    PetscCall(NsDenseEigen(size, C, M, value, &done));
    self->damping_rate = done ? PetscMax(0, value[size - 1]) : 0;
  }
  PetscCall(PetscFree3(value, C, M));
  PetscFunctionReturn(0);
}

PetscErrorCode NsReduceMatrices(NsFe *fe, NsFeReduced *self)
{
  const PetscInt n = self->n;

  PetscFunctionBegin;
  self->massless   = self->massless && self->boundary > 0;
  self->K          = reals(fe, n, n);
  self->M          = reals(fe, n, n);
  self->strain     = reals(fe, self->boundary, self->boundary);
  self->full       = reals(fe, self->natural, 1);
  self->transposed = reals(fe, self->modes, self->boundary);
  self->square     = reals(fe, self->modes, 1);
  self->coupled    = self->settings.method != NS_REDUCE_CRAIG_BAMPTON;
  for (PetscInt j = 0; j < self->modes; j++) {
    self->square[j] = PetscSqr(self->omega[j]);
    for (PetscInt i = 0; i < self->boundary; i++) self->transposed[i * self->modes + j] = self->P[j * self->boundary + i];
  }
  make_stiffness(self);
  PetscCall(make_strain(self));
  PetscCall(take_matrices(fe, self));
  if (!self->load) PetscCall(project_loads(fe, self));
  self->size = reals(fe, self->loads, 1);
  PetscCall(find_bounds(fe, self));
  PetscFunctionReturn(0);
}
