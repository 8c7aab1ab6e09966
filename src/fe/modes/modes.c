/*
  Modes from eigenpairs: rigid motions, vibrations, overdamped modes, and their backward errors.
*/
#include <complex.h>
#include <stdlib.h>
#include "modes.h"
#include "percuss/model.h"
#include "pencil.h"

#define DENSE_UNKNOWNS    120  /* 50 ms: three times as long as TOAR, and six digits more accurate */
#define DENSE_UNSYMMETRIC 300  /* 1 s; TOAR gets rigid motions from the symmetric problem only where K is symmetric (replace_rigid) */
#define DENSE_MOST        1000 /* where TOAR fails: half a minute */
#define RESIDUAL          1e-8 /* larger ones are not accepted as modes */
#define SMALL             1e-7 /* |mu| up to which a motion may be rigid: rounding of K gives 1e-8; but a cantilever of 1500 elements has 3e-8 */
#define OUTSIDE           1e-3 /* part of a vector outside the rigid motions that makes it another one */

const char *const NsModeKindNames[] = {"rigid", "vibration", "overdamped"};

static PetscReal norm_inf(Mat A)
{
  PetscReal norm = 0;

  if (A) (void)MatNorm(A, NORM_INFINITY, &norm);
  return norm;
}

/* y += factor A x for complex x, y and real A. */
static PetscErrorCode add_product(Mat A, PetscInt n, PetscComplex factor, const PetscComplex *x, PetscComplex *y)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; A && i < n; i++) {
    PetscInt           count;
    const PetscInt    *column;
    const PetscScalar *value;
    PetscComplex       sum = 0;
    PetscCall(MatGetRow(A, i, &count, &column, &value));
    for (PetscInt k = 0; k < count; k++) sum += value[k] * x[column[k]];
    PetscCall(MatRestoreRow(A, i, &count, &column, &value));
    y[i] += factor * sum;
  }
  PetscFunctionReturn(0);
}

/* |(mu^2 M + mu C + K) y| / ((|mu|^2 |M| + |mu| |C| + |K|) |y|) */
static PetscErrorCode backward_error(const NsPencil *pencil, PetscComplex mu, const PetscComplex *y, PetscReal *error)
{
  const PetscReal size = cabs(mu) * (cabs(mu) * norm_inf(pencil->M) + norm_inf(pencil->C)) + norm_inf(pencil->K);
  PetscComplex   *left;
  PetscReal       sum = 0, length = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(pencil->n, &left));
  PetscCall(add_product(pencil->M, pencil->n, mu * mu, y, left));
  PetscCall(add_product(pencil->C, pencil->n, mu, y, left));
  PetscCall(add_product(pencil->K, pencil->n, 1, y, left));
  for (PetscInt i = 0; i < pencil->n; i++) {
    sum += PetscSqr(cabs(left[i]));
    length += PetscSqr(cabs(y[i]));
  }
  *error = size > 0 ? PetscSqrtReal(sum / length) / size : 0;
  PetscCall(PetscFree(left));
  PetscFunctionReturn(0);
}

/* Of entries equal but for rounding the first counts as the largest. */
void NsModeTurn(NsModes *modes, PetscInt mode)
{
  PetscComplex    *x    = modes->mode[mode].x;
  const PetscReal *mass = modes->weight;
  PetscInt         top  = 0;

  for (PetscInt i = 0; i < modes->n; i++) top = mass[i] * cabs(x[i]) > mass[top] * cabs(x[top]) * (1 + 1e-6) ? i : top;
  const PetscComplex turn = cabs(x[top]) > 0 ? conj(x[top]) / cabs(x[top]) : 1;
  for (PetscInt i = 0; i < modes->n; i++) x[i] *= turn;
}

/* Adds a mode from mu and y in scaled coordinates; takes ownership of y. */
static PetscErrorCode append(NsModes *modes, const NsPencil *pencil, PetscComplex mu, PetscComplex *y)
{
  NsMode *mode = &modes->mode[modes->count++];

  PetscFunctionBegin;
  *mode               = (NsMode){.re = creal(mu) * pencil->gamma, .im = cimag(mu) * pencil->gamma, .omega = cabs(mu) * pencil->gamma, .x = y};
  mode->kind          = mu == 0 ? NS_MODE_RIGID : cimag(mu) == 0 ? NS_MODE_OVERDAMPED : NS_MODE_VIBRATION;
  mode->damping_ratio = mu == 0 ? 0 : -creal(mu) / cabs(mu);
  /* beyond the errors of mu itself and of K, which enters as mu^2 */
  mode->unstable = mu != 0 && creal(mu) > 1e-10 * cabs(mu) + 1e-14 / cabs(mu);
  if (mode->kind == NS_MODE_OVERDAMPED && mode->re > 0 && !mode->unstable)
    mode->re = mode->omega = mode->damping_ratio = 0; /* a rigid one with mass damping */
  PetscCall(backward_error(pencil, mu, y, &mode->residual));
  for (PetscInt i = 0; i < pencil->n; i++) y[i] *= pencil->d[i];
  NsModeTurn(modes, modes->count - 1);
  PetscFunctionReturn(0);
}

/*
  The real and imaginary parts of vectors with mu = 0 span the rigid motions; those that are independent become modes.
*/
static PetscErrorCode take_rigid(NsModes *modes, const NsPencil *pencil, const NsEigenpairs *pairs)
{
  const PetscInt n = pencil->n, first = modes->count;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 2 * pairs->count; i++) {
    const NsEigenpair *pair = &pairs->pair[i / 2];
    PetscComplex      *y;
    PetscReal          before = 0, after = 0;
    if (pair->mu != 0) continue;
    PetscCall(PetscMalloc1(n, &y));
    for (PetscInt k = 0; k < n; k++) {
      y[k] = i % 2 ? cimag(pair->y[k]) : creal(pair->y[k]);
      before += PetscSqr(creal(y[k]));
    }
    for (PetscInt again = 0; again < 2; again++) {
      for (PetscInt b = first; b < modes->count; b++) {
        const PetscComplex *old  = modes->mode[b].x;
        PetscReal           part = 0, length = 0;
        for (PetscInt k = 0; k < n; k++) { /* old is unscaled: x = D y */
          part += creal(y[k]) * creal(old[k]) / pencil->d[k];
          length += PetscSqr(creal(old[k]) / pencil->d[k]);
        }
        for (PetscInt k = 0; k < n; k++) y[k] -= part / length * creal(old[k]) / pencil->d[k];
      }
    }
    for (PetscInt k = 0; k < n; k++) after += PetscSqr(creal(y[k]));
    if (before > 1e-6 && after > 1e-6 * before)
      PetscCall(append(modes, pencil, 0, y));
    else
      PetscCall(PetscFree(y));
  }
  PetscFunctionReturn(0);
}

static int by_size(const void *a, const void *b)
{
  const NsMode *p = a, *q = b;

  if (p->omega != q->omega) return p->omega < q->omega ? -1 : 1;
  return p->im < q->im ? -1 : p->im > q->im;
}

/* All pairs within the radius as modes, sorted. */
static PetscErrorCode collect(NsModes *modes, const NsPencil *pencil, const NsEigenpairs *pairs)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)(2 * pairs->count + 1), &modes->mode));
  modes->count = 0;
  PetscCall(take_rigid(modes, pencil, pairs));
  for (PetscInt i = 0; i < pairs->count; i++) {
    PetscComplex *y;
    if (pairs->pair[i].mu == 0 || cabs(pairs->pair[i].mu) > pairs->radius * (1 + 1e-12)) continue;
    PetscCall(PetscMalloc1(pencil->n, &y));
    PetscCall(PetscArraycpy(y, pairs->pair[i].y, pencil->n));
    PetscCall(append(modes, pencil, pairs->pair[i].mu, y));
  }
  qsort(modes->mode, (size_t)modes->count, sizeof(*modes->mode), by_size);
  PetscFunctionReturn(0);
}

static PetscErrorCode drop(NsModes *modes, PetscInt count)
{
  PetscFunctionBegin;
  for (; modes->count > count; modes->count--) PetscCall(PetscFree(modes->mode[modes->count - 1].x));
  PetscFunctionReturn(0);
}

/* Of an undamped problem: mu = 0 of the null space of K, and the others of at most SMALL by their energy, which has more digits. */
static PetscErrorCode find_null(const NsPencil *pencil, NsEigenpairs *pairs, PetscInt *nulls, PetscInt *slow)
{
  PetscFunctionBegin;
  *nulls = *slow = 0;
  for (PetscInt i = 0; i < pairs->count; i++) {
    NsEigenpair *pair = &pairs->pair[i];
    PetscBool    null = PETSC_FALSE;
    PetscReal    energy, mass;
    if (cabs(pair->mu) > SMALL) continue;
    PetscCall(NsPencilStrains(pencil, pair->y, &null, &energy, &mass));
    if (null)
      pair->mu = 0;
    else if (pencil->symmetric && !pencil->C && mass > 0)
      pair->mu = energy > 0 ? PETSC_i * PetscSqrtReal(energy / mass) : (creal(pair->mu) < 0 ? -1 : 1) * PetscSqrtReal(-energy / mass);
    *nulls += null ? 1 : 0;
    *slow += null ? 0 : 1;
  }
  PetscFunctionReturn(0);
}

/* The part of y outside the vectors with mu = 0, which are orthogonal in M up to what the eigensolver does; of a length of 1. */
static PetscReal outside(const NsEigenpairs *pairs, PetscInt n, const PetscComplex *y)
{
  PetscComplex *left;
  PetscReal     length = 0;

  if (PetscMalloc1(n, &left)) return 1;
  (void)PetscArraycpy(left, y, n);
  for (int again = 0; again < 50; again++) { /* they need not be orthogonal */
    for (PetscInt b = 0; b < pairs->count; b++) {
      const PetscComplex *old  = pairs->pair[b].y;
      PetscComplex        part = 0;
      if (pairs->pair[b].mu != 0) continue;
      for (PetscInt k = 0; k < n; k++) part += conj(old[k]) * left[k];
      for (PetscInt k = 0; k < n; k++) left[k] -= part * old[k];
    }
  }
  for (PetscInt k = 0; k < n; k++) length += PetscSqr(cabs(left[k]));
  (void)PetscFree(left);
  return PetscSqrtReal(length);
}

/*
  Which pairs are rigid motions, mu = 0. Those of the undamped symmetric problem are accurate; the double eigenvalues zero of a quadratic problem are not: they are replaced by them, and of
  its pairs below `bound` only those stay that are no rigid motions, where the undamped problem has others so slow.
*/
static PetscErrorCode find_rigid(const NsPencil *pencil, PetscReal bound, PetscBool quadratic, NsEigenpairs *pairs)
{
  NsPencil     undamped = *pencil;
  NsEigenpairs still = {0}, kept = {0};
  PetscInt     nulls, slow, small = 0;

  PetscFunctionBegin;
  undamped.C = NULL;
  for (PetscInt i = 0; i < pairs->count; i++) small += cabs(pairs->pair[i].mu) <= bound;
  if (!pencil->symmetric || !quadratic || !small) {
    PetscCall(find_null(pencil, pairs, &nulls, &slow));
    PetscFunctionReturn(0);
  }
  PetscCall(NsPencilSparse(&undamped, PetscMin(8, pencil->n), &still));
  PetscCall(find_null(&undamped, &still, &nulls, &slow));
  if (nulls + slow == 0) {
    NsEigenpairsDestroy(&still);
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc1((size_t)(nulls + pairs->count), &kept.pair));
  kept.radius = pairs->radius;
  for (PetscInt i = 0; i < pairs->count; i++) {
    NsEigenpair *pair = &pairs->pair[i];
    PetscReal    error;
    PetscCall(backward_error(pencil, pair->mu, pair->y, &error));
    if (error > RESIDUAL || (cabs(pair->mu) <= bound && (!slow || outside(&still, pencil->n, pair->y) < OUTSIDE))) continue;
    kept.pair[kept.count++] = *pair;
    pair->y                 = NULL;
  }
  for (PetscInt i = 0; i < still.count; i++) {
    if (still.pair[i].mu != 0) continue;
    kept.pair[kept.count++] = still.pair[i];
    still.pair[i].y         = NULL;
  }
  NsEigenpairsDestroy(pairs);
  NsEigenpairsDestroy(&still);
  *pairs = kept;
  PetscFunctionReturn(0);
}

static PetscReal worst_residual(const NsModes *modes)
{
  PetscReal worst = 0;

  for (PetscInt i = 0; i < modes->count; i++) worst = PetscMax(worst, modes->mode[i].residual);
  return worst;
}

/* Asks for more pairs until `count` are certainly the smallest; no modes where the solver does not get there: then LAPACK is used. */
static PetscErrorCode solve_sparse(const NsPencil *pencil, PetscInt count, NsModes *modes)
{
  const PetscInt most = pencil->symmetric && !pencil->C ? pencil->n : pencil->n / 4;

  PetscFunctionBegin;
  for (PetscInt wanted = count + NS_SPARE;; wanted *= 2) {
    NsEigenpairs   pairs = {0};
    const PetscInt ask   = PetscMin(wanted, most);
    if (ask < 1) break;
    PetscCall(NsPencilSparse(pencil, ask, &pairs));
    PetscCall(find_rigid(pencil, pencil->C ? 10 * SMALL : SMALL, pencil->C != NULL, &pairs));
    PetscCall(collect(modes, pencil, &pairs));
    NsEigenpairsDestroy(&pairs);
    const PetscBool enough = modes->count >= count || pairs.radius == PETSC_MAX_REAL;
    if (enough && (worst_residual(modes) < RESIDUAL || pencil->n > DENSE_MOST)) PetscFunctionReturn(0);
    PetscCall(drop(modes, 0));
    PetscCall(PetscFree(modes->mode));
    if (ask == most) break;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsModesSolve(Mat M, Mat C, Mat K, PetscInt count, NsModesMethod method, NsModes *modes)
{
  NsPencil  pencil;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(modes, sizeof(*modes)));
  PetscCall(NsPencilCreate(M, C, K, &pencil));
  modes->n = pencil.n;
  PetscCall(PetscMalloc1(pencil.n, &modes->weight));
  for (PetscInt i = 0; i < pencil.n; i++) modes->weight[i] = 1 / pencil.d[i];
  const PetscInt most = !pencil.symmetric ? DENSE_UNSYMMETRIC : C ? DENSE_UNKNOWNS : 0;
  dense               = method == NS_MODES_DENSE || (method == NS_MODES_AUTO && pencil.n <= most);
  if (!dense) PetscCall(solve_sparse(&pencil, count, modes));
  if (!modes->mode) {
    NsEigenpairs pairs = {0}; /* stays empty for a large model whose eigensolver failed */
    if (dense || pencil.n <= DENSE_MOST) PetscCall(NsPencilDense(&pencil, &pairs));
    PetscCall(find_rigid(&pencil, SMALL, PETSC_TRUE, &pairs));
    PetscCall(collect(modes, &pencil, &pairs));
    NsEigenpairsDestroy(&pairs);
  }
  PetscCall(drop(modes, count));
  PetscCall(NsPencilDestroy(&pencil));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModesDestroy(NsModes *modes)
{
  PetscFunctionBegin;
  PetscCall(drop(modes, 0));
  PetscCall(PetscFree(modes->mode));
  PetscCall(PetscFree(modes->weight));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModeParts(const NsModes *modes, PetscInt mode, Vec re, Vec im)
{
  PetscReal *value[2] = {NsVecArray(re), NsVecArray(im)};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < modes->n; i++) {
    value[0][i] = creal(modes->mode[mode].x[i]);
    value[1][i] = cimag(modes->mode[mode].x[i]);
  }
  PetscFunctionReturn(0);
}

PetscReal NsModesLikeness(const NsModes *a, PetscInt mode_a, const NsModes *b, PetscInt mode_b)
{
  const PetscComplex *x = a->mode[mode_a].x, *y = b->mode[mode_b].x;
  PetscComplex        both  = 0;
  PetscReal           first = 0, second = 0;

  for (PetscInt i = 0; i < a->n; i++) {
    const PetscReal mass = PetscSqr(a->weight[i]);
    both += mass * conj(x[i]) * y[i];
    first += mass * PetscSqr(cabs(x[i]));
    second += mass * PetscSqr(cabs(y[i]));
  }
  return first > 0 && second > 0 ? PetscSqr(cabs(both)) / (first * second) : 0;
}
