/*
  Long chains in lanes (lanes.h): the order of unknowns, and tables of the matrices. Factors are made in factor.c; the loops over rows are in kernel.c.
*/
#include "setup.h"

enum {
  W     = NS_LANES,
  BLOCK = NS_LANE_BLOCK,
  LEAST = 8 /* rows of a lane for each of the band's half width, for which it pays */
};

/* -- tables ------------------------------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode NsLaneTableCreate(const NsLanes *lanes, PetscInt width, const PetscReal *value, NsLaneTableKind kind, NsLaneTable *table)
{
  const PetscInt size = BLOCK * width * W;
  PetscReal     *block;
  int           *number;

  PetscFunctionBegin;
  PetscCall(NsPoolCreate(size, &table->pool));
  PetscCall(PetscCalloc1(lanes->blocks, &table->block));
  PetscCall(PetscMalloc2(size, &block, lanes->blocks, &number));
  for (PetscInt b = 0; b < lanes->blocks; b++) {
    PetscBool empty = PETSC_TRUE;
    PetscCall(PetscArrayzero(block, size));
    for (PetscInt c = 0; c < W; c++) {
      const PetscInt end = kind == NS_LANE_NEXT_LANE_BEYOND ? lanes->n : lanes->start[c + 1];
      for (PetscInt j = 0; j < BLOCK && lanes->start[c] + b * BLOCK + j < end; j++) {
        const PetscReal *row = value + NsLaneNumbers(lanes->start[c] + b * BLOCK + j, width);
        for (PetscInt k = 0; k < width; k++) {
          block[(j * width + k) * W + c] = row[k];
          if (row[k] != 0) empty = PETSC_FALSE;
        }
      }
    }
    number[b] = -1;
    if (kind != NS_LANE_THIN || !empty) PetscCall(NsPoolAdd(&table->pool, block, &number[b]));
  }
  PetscCall(NsPoolClose(&table->pool));
  for (PetscInt b = 0; b < lanes->blocks; b++) table->block[b] = number[b] < 0 ? NULL : table->pool.row + NsLaneNumbers(number[b], size);
  PetscCall(PetscFree2(block, number));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLaneTableDestroy(NsLaneTable *table)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(table->block));
  PetscCall(NsPoolDestroy(&table->pool));
  PetscFunctionReturn(0);
}

/* -- matrices ---------------------------------------------------------------------------------------------------------------------------------------- */

static PetscBool given(const NsSparse *A)
{
  return A && A->rows > 0;
}

/* count[d] += number of nonzero entries at distance d from the diagonal; the last one counts all that are farther. */
static void count_distances(const NsSparse *A, PetscInt count[NS_LANE_WIDEST + 2])
{
  for (PetscInt i = 0; given(A) && i < A->rows; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      if (A->value[k] != 0) count[PetscMin(PetscAbsInt(A->column[k] - i), NS_LANE_WIDEST + 1)]++;
    }
  }
}

static PetscInt count_beyond(const PetscInt count[NS_LANE_WIDEST + 2], PetscInt width)
{
  PetscInt beyond = 0;

  for (PetscInt d = width + 1; d <= NS_LANE_WIDEST + 1; d++) beyond += count[d];
  return beyond;
}

/* band[n][right + left + 1]: A_{i, i - left} .. A_{i, i + right} */
static PetscErrorCode band_create(const NsSparse *A, PetscInt left, PetscInt right, PetscReal **band)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(NsLaneNumbers(A->rows, left + right + 1), band));
  for (PetscInt i = 0; i < A->rows; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      const PetscInt d = A->column[k] - i;
      if (-left <= d && d <= right) (*band)[i * (left + right + 1) + left + d] = A->value[k];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode band_table(const NsLanes *lanes, const NsSparse *A, NsLaneTable *table)
{
  const PetscInt B = lanes->shape.width;
  PetscReal     *band;

  PetscFunctionBegin;
  PetscCall(band_create(A, B, B, &band));
  PetscCall(NsLaneTableCreate(lanes, 2 * B + 1, band, NS_LANE_ZEROS_BEYOND, table));
  PetscCall(PetscFree(band));
  PetscFunctionReturn(0);
}

static PetscInt index_of(const NsLanes *lanes, PetscInt natural)
{
  const PetscInt full = lanes->shape.full, rest = lanes->shape.rest, wide = rest * (full + 1);
  const PetscInt c = natural < wide ? natural / (full + 1) : rest + (natural - wide) / full;

  return (natural - lanes->start[c]) * W + c;
}

/* Entries of K and C outside the band, and sums of rows that are not sums of differences; extra NULL: only counted. */
typedef struct {
  PetscInt     count;
  NsLaneExtra *extra;
} Extras;

static void add_extra(const NsLanes *lanes, Extras *extras, PetscInt row, PetscInt column, PetscReal K, PetscReal C)
{
  if (extras->extra) extras->extra[extras->count] = (NsLaneExtra){index_of(lanes, row), index_of(lanes, column), K, C};
  extras->count++;
}

static void add_outside(const NsLanes *lanes, const NsSparse *A, PetscBool damping, Extras *extras)
{
  for (PetscInt i = 0; given(A) && i < A->rows; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      if (PetscAbsInt(A->column[k] - i) > lanes->shape.width && A->value[k] != 0)
        add_extra(lanes, extras, i, A->column[k], damping ? 0 : A->value[k], damping ? A->value[k] : 0);
    }
  }
}

/* band[n][3] of a symmetric matrix becomes minus what couples i - 1 and i, and the sum of row i, zero where it is rounding: [n][2] at the front. False: not symmetric. */
static PetscBool differences_of(PetscInt n, PetscReal *band)
{
  for (PetscInt i = 1; i < n; i++) {
    if (band[3 * i] != band[3 * (i - 1) + 2]) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal before = band[3 * i], own = band[3 * i + 1], after = band[3 * i + 2], sum = own + before + after;
    const PetscReal size = PetscAbsReal(before) + PetscAbsReal(own) + PetscAbsReal(after);
    band[2 * i]          = -before;
    band[2 * i + 1]      = PetscAbsReal(sum) > 4 * PETSC_MACHINE_EPSILON * size ? sum : 0;
  }
  return PETSC_TRUE;
}

/* Sets force.differences, K and C where the matrices allow it, and row_sum[n] of K, zero where it is rounding; else row_sum = NULL. */
static PetscErrorCode take_differences(NsLanes *lanes, const NsSparse *K, const NsSparse *C, PetscInt most_extras, PetscReal **row_sum)
{
  const PetscInt n = lanes->n;
  PetscReal     *stiff, *damp = NULL;
  PetscInt       count = 0;
  PetscBool      fits;

  PetscFunctionBegin;
  *row_sum = NULL;
  if (lanes->shape.width > 1) PetscFunctionReturn(0);
  PetscCall(band_create(K, 1, 1, &stiff));
  fits = differences_of(n, stiff);
  if (given(C)) {
    PetscCall(band_create(C, 1, 1, &damp));
    if (fits) fits = differences_of(n, damp);
  }
  for (PetscInt i = 0; fits && i < n; i++) count += stiff[2 * i + 1] != 0;
  if (fits && count <= most_extras) {
    PetscCall(PetscMalloc1(n, row_sum));
    for (PetscInt i = 0; i < n; i++) {
      (*row_sum)[i] = stiff[2 * i + 1];
      stiff[i]      = stiff[2 * i];
    }
    lanes->force.differences = PETSC_TRUE;
    PetscCall(NsLaneTableCreate(lanes, 1, stiff, NS_LANE_NEXT_LANE_BEYOND, &lanes->K));
    if (damp) PetscCall(NsLaneTableCreate(lanes, 2, damp, NS_LANE_NEXT_LANE_BEYOND, &lanes->C));
  }
  PetscCall(PetscFree(stiff));
  PetscCall(PetscFree(damp));
  PetscFunctionReturn(0);
}

static int by_row(const void *a, const void *b)
{
  const NsLaneExtra *x = a, *y = b;

  return (x->row > y->row) - (x->row < y->row);
}

static PetscErrorCode take_extras(NsLanes *lanes, const NsSparse *K, const NsSparse *C, const PetscReal *row_sum)
{
  NsLaneForce *f      = &lanes->force;
  Extras       extras = {0, NULL};

  PetscFunctionBegin;
  for (int pass = 0; pass < 2; pass++) {
    extras.count = 0;
    add_outside(lanes, K, PETSC_FALSE, &extras);
    add_outside(lanes, C, PETSC_TRUE, &extras);
    for (PetscInt i = 0; row_sum && i < lanes->n; i++) {
      if (row_sum[i] != 0) add_extra(lanes, &extras, i, i, row_sum[i], 0);
    }
    if (!extras.count) PetscFunctionReturn(0);
    if (!pass) PetscCall(PetscMalloc1(extras.count, &extras.extra));
  }
  qsort(extras.extra, (size_t)extras.count, sizeof(*extras.extra), by_row);
  f->extra = extras.extra;
  PetscCall(PetscMalloc1(extras.count, &f->extra_force));
  PetscCall(PetscCalloc1(lanes->blocks + 1, &f->first_extra));
  for (PetscInt e = 0; e < extras.count; e++) f->first_extra[extras.extra[e].row / W / BLOCK + 1]++;
  for (PetscInt b = 0; b < lanes->blocks; b++) f->first_extra[b + 1] += f->first_extra[b];
  PetscFunctionReturn(0);
}

static PetscErrorCode take_dampers(NsLanes *lanes, const NsSparse *dampers)
{
  Extras extras = {0, NULL};

  PetscFunctionBegin;
  if (!given(dampers)) PetscFunctionReturn(0);
  PetscCall(band_table(lanes, dampers, &lanes->dampers));
  add_outside(lanes, dampers, PETSC_TRUE, &extras);
  PetscCall(PetscMalloc1(extras.count, &lanes->damper_extra));
  extras = (Extras){0, lanes->damper_extra};
  if (extras.extra) add_outside(lanes, dampers, PETSC_TRUE, &extras);
  lanes->damper_extras = extras.count;
  PetscFunctionReturn(0);
}

/* -- lanes ------------------------------------------------------------------------------------------------------------------------------------------- */

static const struct {
  const char         *name;
  const NsLaneKernel *kernel;
} kernels[] = {
  {"baseline", &NsLaneKernel_baseline},
#if defined(__x86_64__)
  {"avx2", &NsLaneKernel_avx2},
  {"avx512", &NsLaneKernel_avx512},
#endif
};

int NsLanesKernels(void)
{
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? 3 : 2;
#else
  return 1;
#endif
}

const char *NsLanesUseKernel(NsLanes *lanes, int kernel)
{
  lanes->kernel = kernels[kernel].kernel;
  return kernels[kernel].name;
}

const char *NsLanesWidestKernel(void)
{
  return kernels[NsLanesKernels() - 1].name;
}

/* Lanes of n unknowns, and their continuations. */
static PetscErrorCode take_shape(NsLanes *lanes, PetscInt n, PetscInt width)
{
  const PetscInt full = n / W, rest = n % W;

  PetscFunctionBegin;
  lanes->n      = n;
  lanes->blocks = (full + 1) / BLOCK + 1; /* one row more than the longest lane */
  for (PetscInt c = 0; c <= W; c++) lanes->start[c] = c * full + PetscMin(c, rest);
  PetscCall(PetscMalloc1(n, &lanes->natural));
  PetscCall(PetscMalloc1((2 * width + 1) * W, &lanes->halo));
  lanes->shape = (NsLaneShape){width, full, rest, lanes->halo};
  for (PetscInt i = 0; i < n; i++) lanes->natural[index_of(lanes, i)] = i;
  for (PetscInt r = 0; r < 2 * width + 1; r++) {
    const PetscInt row = r < width ? r - width : full + r - width;
    for (PetscInt c = 0; c < W; c++) lanes->halo[r * W + c] = index_of(lanes, PetscMax(0, PetscMin(n - 1, lanes->start[c] + row)));
  }
  PetscFunctionReturn(0);
}

/* The narrowest band that all of M fits into, and of the others all but `most_extras` entries; 0: none. */
static PetscInt choose_width(const NsSparse *M, const NsSparse *K, const NsSparse *C, PetscInt most_extras)
{
  static const PetscInt width[]                  = {1, 3, 5, 7, 11, 16};
  PetscInt              mass[NS_LANE_WIDEST + 2] = {0}, others[NS_LANE_WIDEST + 2] = {0};

  count_distances(M, mass);
  count_distances(K, others);
  count_distances(C, others);
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(width); w++) {
    if (!count_beyond(mass, width[w]) && count_beyond(others, width[w]) <= most_extras) return width[w];
  }
  return 0;
}

PetscErrorCode NsLanesCreate(const NsSparse *M, const NsSparse *K, const NsSparse *C, const NsSparse *dampers, NsLanes **result)
{
  const PetscInt n = M->rows, most_extras = PetscMax(4, n / 64), width = choose_width(M, K, C, most_extras);
  NsLanes       *lanes;
  PetscReal     *band, *row_sum;

  PetscFunctionBegin;
  *result = NULL;
  if (!width || n / W < LEAST * width) PetscFunctionReturn(0);
  PetscCall(PetscNew(&lanes));
  PetscCall(take_shape(lanes, n, width));
  PetscCall(band_create(M, 0, width, &band));
  PetscCall(NsLanesFactorBand(lanes, band, &lanes->mass));
  PetscCall(PetscFree(band));
  if (!lanes->mass) {
    PetscCall(NsLanesDestroy(&lanes));
    PetscFunctionReturn(0);
  }
  PetscCall(band_table(lanes, M, &lanes->M));
  PetscCall(take_differences(lanes, K, C, most_extras, &row_sum));
  if (!lanes->force.differences) {
    PetscCall(band_table(lanes, K, &lanes->K));
    if (given(C)) PetscCall(band_table(lanes, C, &lanes->C));
  }
  lanes->force.K = lanes->K.block;
  lanes->force.C = lanes->C.block;
  PetscCall(take_extras(lanes, K, C, row_sum));
  PetscCall(PetscFree(row_sum));
  PetscCall(take_dampers(lanes, dampers));
  /* Bars wait for memory: registers of 512 bits gain nothing, and are slower where arrays are not aligned to them. */
  (void)NsLanesUseKernel(lanes, lanes->force.differences ? PetscMin(1, NsLanesKernels() - 1) : NsLanesKernels() - 1);
  *result = lanes;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLanesDestroy(NsLanes **lanes)
{
  NsLanes *l = *lanes;

  PetscFunctionBegin;
  if (!l) PetscFunctionReturn(0);
  PetscCall(NsLanesFactorDestroy(&l->mass));
  PetscCall(PetscFree(l->natural));
  PetscCall(PetscFree(l->halo));
  PetscCall(NsLaneTableDestroy(&l->K));
  PetscCall(NsLaneTableDestroy(&l->C));
  PetscCall(NsLaneTableDestroy(&l->M));
  PetscCall(NsLaneTableDestroy(&l->dampers));
  PetscCall(PetscFree(l->damper_extra));
  PetscCall(PetscFree(l->force.extra));
  PetscCall(PetscFree(l->force.first_extra));
  PetscCall(PetscFree(l->force.extra_force));
  PetscCall(PetscFree(*lanes));
  PetscFunctionReturn(0);
}

const PetscInt *NsLanesNatural(const NsLanes *lanes)
{
  return lanes->natural;
}

void NsLanesAccel(const NsLanes *l, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a)
{
  l->kernel->accel(&l->shape, &l->force, &l->mass->view, q, v, h, a);
}

void NsLanesFlight(const NsLanes *l, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, const PetscReal *h, PetscReal *q1,
  PetscReal *v1, PetscReal *a1)
{
  l->kernel->flight(&l->shape, &l->force, &l->mass->view, dt, q0, v0, a0, h, q1, v1, a1);
}

void NsLanesForce(const NsLanes *l, const PetscReal *q, const PetscReal *v, PetscReal *h)
{
  l->kernel->force(&l->shape, &l->force, q, v, h);
}

void NsLanesMult(const NsLanes *l, const PetscReal *x, PetscReal *y)
{
  l->kernel->mult(&l->shape, l->M.block, x, y);
}

PetscReal NsLanesMassProduct(const NsLanes *l, const PetscReal *x, const PetscReal *y)
{
  return l->kernel->product(&l->shape, l->M.block, x, y);
}

PetscReal NsLanesDampersProduct(const NsLanes *l, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = l->dampers.block ? l->kernel->product(&l->shape, l->dampers.block, x, y) : 0;

  for (PetscInt e = 0; e < l->damper_extras; e++) sum += x[l->damper_extra[e].row] * l->damper_extra[e].C * y[l->damper_extra[e].column];
  return sum;
}

PetscErrorCode NsLanesFactorCreate(const NsLanes *lanes, const NsSparse *A, NsLanesFactor **factor)
{
  PetscInt   count[NS_LANE_WIDEST + 2] = {0};
  PetscReal *band;

  PetscFunctionBegin;
  *factor = NULL;
  count_distances(A, count);
  if (count_beyond(count, lanes->shape.width)) PetscFunctionReturn(0);
  PetscCall(band_create(A, 0, lanes->shape.width, &band));
  PetscCall(NsLanesFactorBand(lanes, band, factor));
  PetscCall(PetscFree(band));
  PetscFunctionReturn(0);
}

void NsLanesSolve(const NsLanes *l, const NsLanesFactor *factor, const PetscReal *b, PetscReal *x)
{
  l->kernel->solve(&l->shape, factor ? &factor->view : &l->mass->view, b, x);
}
