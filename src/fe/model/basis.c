/*
  Undamped modes of a linear model, for schemes in modal coordinates: K x = omega^2 M x, x_i' M x_j = delta_ij, with the symmetric part of K.

  Up to NS_DENSE unknowns by LAPACK (dsygvx), which has every multiple frequency; above by SLEPc (modes.h), with a Rayleigh-Ritz step over what it gives, for its shapes are
  orthogonal to its tolerance only. Unknowns are scaled by the square roots of their masses, so that displacements and rotations compare.

  omega^2 is twice the elastic energy of the shape, taken from strains: x'Kx would lose the low frequencies of a fine mesh, and the zeros of rigid motions, in the rounding of
  the highest.
*/
#include <complex.h>
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "fe.h"
#include "fe/modes/modes.h"

#define NS_DENSE 2000
#define NS_ZERO  1e-9 /* of the highest frequency: no vibration */

typedef struct {
  PetscInt   n, count;
  PetscReal *x; /* [count, n] shapes in natural numbers */
} Shapes;

/* Dense D A D with D = diag(M)^-1/2, column-major and symmetric. */
static PetscErrorCode scale_dense(Mat A, PetscInt n, const PetscReal *d, PetscReal *dense)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    PetscInt           count;
    const PetscInt    *column;
    const PetscScalar *value;
    PetscCall(MatGetRow(A, i, &count, &column, &value));
    for (PetscInt k = 0; k < count; k++) dense[(size_t)i * (size_t)n + (size_t)column[k]] = d[i] * value[k] * d[column[k]];
    PetscCall(MatRestoreRow(A, i, &count, &column, &value));
  }
  PetscFunctionReturn(0);
}

/* The `count` lowest pairs of symmetric A, B [n, n]; vectors into z[count, n]. *done: B is positive definite. */
static PetscErrorCode solve_dense(PetscInt n, PetscReal *A, PetscReal *B, PetscInt count, PetscReal *z, PetscBool *done)
{
  const PetscBLASInt size = (PetscBLASInt)n, low = 1, high = (PetscBLASInt)count;
  PetscBLASInt       type = 1, found, room = -1, info, *integers, *failed;
  const PetscReal    none = 0;
  PetscReal         *values, *work, best;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &values, 5 * (size_t)n, &integers, n, &failed));
  LAPACKsygvx_(&type, "V", "I", "L", &size, A, &size, B, &size, &none, &none, &low, &high, &none, &found, values, z, &size, &best, &room, integers,
    failed, &info);
  room = (PetscBLASInt)best;
  PetscCall(PetscMalloc1(room, &work));
  LAPACKsygvx_(&type, "V", "I", "L", &size, A, &size, B, &size, &none, &none, &low, &high, &none, &found, values, z, &size, work, &room, integers,
    failed, &info);
  *done = info == 0;
  PetscCall(PetscFree(work));
  PetscCall(PetscFree3(values, integers, failed));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_dense(Mat M, Mat K, PetscInt wanted, Shapes *shapes)
{
  const PetscInt n = shapes->n;
  PetscReal     *d, *dense[2];
  Vec            diagonal;
  PetscBool      done = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &d));
  for (int i = 0; i < 2; i++) PetscCall(PetscCalloc1((size_t)n * (size_t)n, &dense[i]));
  PetscCall(MatCreateVecs(M, &diagonal, NULL));
  PetscCall(MatGetDiagonal(M, diagonal));
  const PetscReal *mass = NsVecRead(diagonal);
  for (PetscInt i = 0; i < n; i++) {
    done = done && mass[i] > 0;
    d[i] = mass[i] > 0 ? 1 / PetscSqrtReal(mass[i]) : 1;
  }
  PetscCall(scale_dense(K, n, d, dense[0]));
  PetscCall(scale_dense(M, n, d, dense[1]));
  PetscCall(PetscMalloc1((size_t)wanted * (size_t)n, &shapes->x));
  if (done) PetscCall(solve_dense(n, dense[0], dense[1], wanted, shapes->x, &done));
  shapes->count = done ? wanted : 0;
  for (PetscInt j = 0; j < shapes->count; j++) {
    for (PetscInt i = 0; i < n; i++) shapes->x[j * n + i] *= d[i];
  }
  for (int i = 0; i < 2; i++) PetscCall(PetscFree(dense[i]));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(PetscFree(d));
  PetscFunctionReturn(0);
}

/* X' A X, [count, count]. */
static PetscErrorCode project(Mat A, const Shapes *shapes, PetscReal *result)
{
  const PetscInt n = shapes->n, count = shapes->count;
  PetscReal     *Ax;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &Ax));
  for (PetscInt j = 0; j < count; j++) {
    const PetscReal *x = shapes->x + (size_t)j * (size_t)n;
    for (PetscInt i = 0; i < n; i++) {
      PetscInt           entries;
      const PetscInt    *column;
      const PetscScalar *value;
      Ax[i] = 0;
      PetscCall(MatGetRow(A, i, &entries, &column, &value));
      for (PetscInt k = 0; k < entries; k++) Ax[i] += value[k] * x[column[k]];
      PetscCall(MatRestoreRow(A, i, &entries, &column, &value));
    }
    for (PetscInt i = 0; i < count; i++) {
      const PetscReal *y   = shapes->x + (size_t)i * (size_t)n;
      PetscReal        sum = 0;
      for (PetscInt k = 0; k < n; k++) sum += y[k] * Ax[k];
      result[i * count + j] = sum;
    }
  }
  PetscCall(PetscFree(Ax));
  PetscFunctionReturn(0);
}

/* The best orthonormal shapes within the span of those that are there. */
static PetscErrorCode rayleigh_ritz(Mat M, Mat K, Shapes *shapes)
{
  const PetscInt     count = shapes->count, n = shapes->n;
  const size_t       square = (size_t)count * (size_t)count;
  const PetscBLASInt rows = (PetscBLASInt)n, columns = (PetscBLASInt)count;
  const PetscReal    one = 1, zero = 0;
  PetscReal         *k, *m, *y, *x;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(square, &k, square, &m, square, &y));
  PetscCall(PetscMalloc1((size_t)count * (size_t)n, &x));
  PetscCall(project(K, shapes, k));
  PetscCall(project(M, shapes, m));
  PetscCall(solve_dense(count, k, m, count, y, &done));
  if (done) BLASgemm_("N", "N", &rows, &columns, &columns, &one, shapes->x, &rows, y, &columns, &zero, x, &rows);
  PetscCall(PetscFree3(k, m, y));
  PetscCall(PetscFree(shapes->x));
  shapes->x     = x;
  shapes->count = done ? count : 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode take_sparse(Mat M, Mat K, PetscInt wanted, Shapes *shapes)
{
  NsModes modes;

  PetscFunctionBegin;
  PetscCall(NsModesSolve(M, NULL, K, wanted, NS_MODES_SPARSE, &modes));
  shapes->count = modes.count;
  PetscCall(PetscMalloc1((size_t)modes.count * (size_t)shapes->n, &shapes->x));
  for (PetscInt j = 0; j < modes.count; j++) {
    for (PetscInt i = 0; i < shapes->n; i++) shapes->x[j * shapes->n + i] = creal(modes.mode[j].x[i]);
  }
  PetscCall(NsModesDestroy(&modes));
  if (shapes->count) PetscCall(rayleigh_ritz(M, K, shapes));
  PetscFunctionReturn(0);
}

/* Leaves the symmetric part in K; returns the skew part, or NULL if it is zero. */
static PetscErrorCode part_stiffness(const NsFe *fe, Mat *K, Mat *skew)
{
  Mat transposed;

  PetscFunctionBegin;
  *skew = NULL;
  if (!fe->circulates) PetscFunctionReturn(0);
  PetscCall(MatTranspose(*K, MAT_INITIAL_MATRIX, &transposed));
  PetscCall(MatDuplicate(*K, MAT_COPY_VALUES, skew));
  PetscCall(MatAXPY(*skew, -1, transposed, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatScale(*skew, 0.5));
  PetscCall(MatAXPY(*K, -1, *skew, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&transposed));
  PetscFunctionReturn(0);
}

static PetscReal highest_frequency(NsModel *model)
{
  PetscReal highest = 0;

  for (PetscInt part = 0; part < model->parts; part++) {
    NsBound omega = {.value = 0}, rate;
    if (!NsFeFrequencyBound(model, part, &omega, &rate)) highest = PetscMax(highest, omega.value);
  }
  return highest;
}

/* What rounding of matrices that were read may add to the elastic energy. One process has all unknowns of x, in natural numbers. */
static PetscReal rounding_of(const NsFe *fe, const PetscReal *x)
{
  PetscReal sum = 0, q[NS_ELEMENT_UNKNOWNS];

  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeBody *body = &fe->body[fe->element[i].body];
    if (!body->element->rounding) continue;
    NsFeElementValues(fe, NULL, &fe->element[i], x, q);
    sum += body->element->rounding(body, &fe->element[i], q);
  }
  return sum;
}

/* Shapes as vectors of the model, their frequencies from strains. */
static PetscErrorCode take_shapes(NsModel *model, const Shapes *shapes, NsModelModes *modes)
{
  NsFe           *fe      = model->data;
  const PetscReal highest = highest_frequency(model);
  Vec             still;

  PetscFunctionBegin;
  PetscCall(VecDuplicateVecs(fe->work, shapes->count, &modes->shape));
  PetscCall(NsVecsCreate(model, &still, NULL));
  for (PetscInt j = 0; j < shapes->count; j++) {
    NsEnergy energy;
    NsLayoutSpread(model->layout, shapes->x + (size_t)j * (size_t)shapes->n, NsVecArray(modes->shape[j]));
    PetscCall(NsModelEnergy(model, 0, modes->shape[j], still, &energy));
    const PetscReal rounding = rounding_of(fe, shapes->x + (size_t)j * (size_t)shapes->n);
    const PetscReal square   = PetscAbsReal(energy.elastic) <= rounding ? 0 : 2 * energy.elastic;
    modes->omega[j]          = square < -1e-14 * PetscSqr(highest) ? NAN : square <= PetscSqr(NS_ZERO * highest) ? 0 : PetscSqrtReal(square);
  }
  PetscCall(NsVecsDestroy(&still, NULL));
  PetscFunctionReturn(0);
}

/* Shapes of some unknowns become those of all, zero at the others. */
static PetscErrorCode spread_shapes(PetscInt n, PetscInt count, const PetscInt *among, Shapes *shapes)
{
  PetscReal *x;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)shapes->count * (size_t)n, &x));
  for (PetscInt j = 0; j < shapes->count; j++) {
    for (PetscInt i = 0; i < count; i++) x[(size_t)j * (size_t)n + (size_t)among[i]] = shapes->x[(size_t)j * (size_t)count + (size_t)i];
  }
  PetscCall(PetscFree(shapes->x));
  shapes->x = x;
  shapes->n = n;
  PetscFunctionReturn(0);
}

static PetscErrorCode find_shapes(Mat M, Mat K, PetscInt wanted, Shapes *shapes)
{
  PetscFunctionBegin;
  if (shapes->n <= NS_DENSE)
    PetscCall(take_dense(M, K, wanted, shapes));
  else
    PetscCall(take_sparse(M, K, wanted, shapes));
  PetscFunctionReturn(0);
}

/* The same with all unknowns held but these. */
static PetscErrorCode find_shapes_among(Mat M, Mat K, PetscInt count, const PetscInt *among, PetscInt wanted, Shapes *shapes)
{
  const PetscInt n = shapes->n;
  Mat            inner[2];
  IS             is;

  PetscFunctionBegin;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, among, PETSC_USE_POINTER, &is));
  PetscCall(MatCreateSubMatrix(M, is, is, MAT_INITIAL_MATRIX, &inner[0]));
  PetscCall(MatCreateSubMatrix(K, is, is, MAT_INITIAL_MATRIX, &inner[1]));
  shapes->n = count;
  PetscCall(find_shapes(inner[0], inner[1], wanted, shapes));
  PetscCall(spread_shapes(n, count, among, shapes));
  for (int i = 0; i < 2; i++) PetscCall(MatDestroy(&inner[i]));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeModes(NsModel *model, PetscInt wanted, NsModelModes *modes)
{
  PetscFunctionBegin;
  PetscCall(NsFeModesAmong(model, ((const NsFe *)model->data)->unknowns, NULL, wanted, modes));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeModesAmong(NsModel *model, PetscInt count, const PetscInt *among, PetscInt wanted, NsModelModes *modes)
{
  const NsFe *fe     = model->data;
  Shapes      shapes = {.n = fe->unknowns};
  Mat         M, C, G, K, skew;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(modes, sizeof(*modes)));
  wanted = PetscMin(wanted, count);
  PetscCall(NsFeAssemble(fe, NULL, &M, &C, &G, &K));
  PetscCall(part_stiffness(fe, &K, &skew));
  if (among)
    PetscCall(find_shapes_among(M, K, count, among, wanted, &shapes));
  else
    PetscCall(find_shapes(M, K, wanted, &shapes));
  modes->count       = shapes.count;
  const size_t found = (size_t)shapes.count;
  PetscCall(PetscCalloc3(found, &modes->omega, found * found, &modes->damping, found * found, &modes->circulation));
  if (shapes.count) {
    if (C && G) PetscCall(MatAXPY(C, 1, G, SAME_NONZERO_PATTERN));
    PetscCall(take_shapes(model, &shapes, modes));
    if (C || G) PetscCall(project(C ? C : G, &shapes, modes->damping));
    if (skew) PetscCall(project(skew, &shapes, modes->circulation));
  }
  PetscCall(PetscFree(shapes.x));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&skew));
  PetscFunctionReturn(0);
}
