/*
  Long chains in lanes (lanes.h): what is made once. The loops over rows are in src/fe/lanes/kernel.c.

  Pieces of the chain couple through the first rows ("head") of the next one: eliminated last, all other rows of a piece know of the next one through their spikes only
  (E. Polizzi, A. H. Sameh, A parallel hybrid banded system solver: the SPIKE algorithm, Parallel Computing 32, 2006). Those of mass matrices decay within some
  thirty rows. Where they are below rounding on reaching the other end of the piece, heads do not see each other, and a lane may be cut further, for the cache.
*/
#include "lanes.h"
#include "lanes/kernel.h"

#define SMALLEST 0x1p-60 /* of a spike, as part of its largest number: what is below is lost in rounding */

enum {
  W     = NS_LANES,
  BLOCK = NS_LANE_BLOCK,
  PIECE = 32 * BLOCK, /* rows of a lane cut for the cache: six arrays of 64 bytes a row, two pieces at a time */
  LEAST = 8           /* rows of a lane for each of the band's half width, for which it pays */
};

/* Blocks of coefficients, equal ones once: open addressing, of slots a power of two. */
typedef struct {
  PetscInt count, slots;
  struct NsLanePooled {
    size_t     hash;
    PetscInt   size;
    PetscReal *memory, *value; /* value: aligned, within memory */
  } * slot;
} Pool;

struct NsLanesFactor {
  NsLaneFactor      view; /* of what follows */
  PetscInt          pieces, *first;
  const PetscReal **down, **up, **spike;
  PetscReal        *reduced;
  Pool              pool;
};

struct NsLanes {
  PetscInt            n, blocks;
  PetscInt            start[W + 1]; /* of each lane in natural order */
  PetscInt           *natural, *halo;
  NsLaneShape         shape;
  NsLaneForce         force;
  NsLanesFactor      *mass;
  const PetscReal   **K, **C, **M, **dampers;
  NsLaneExtra        *damper_extra; /* K: unused */
  PetscInt            damper_extras;
  Pool                pool;
  const NsLaneKernel *kernel;
};

/* -- blocks ------------------------------------------------------------------------------------------------------------------------------------------ */

static size_t hash_of(const PetscReal *value, PetscInt size)
{
  PetscInt64 bits;
  size_t     hash = (size_t)size;

  for (PetscInt i = 0; i < size; i++) {
    memcpy(&bits, value + i, sizeof(bits));
    hash = (hash ^ (size_t)bits) * (size_t)0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

static PetscErrorCode pool_destroy(Pool *pool)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pool->slots; i++) PetscCall(PetscFree(pool->slot[i].memory));
  PetscCall(PetscFree(pool->slot));
  PetscFunctionReturn(0);
}

static PetscErrorCode pool_grow(Pool *pool)
{
  Pool larger = {pool->count, pool->slots ? 2 * pool->slots : 64, NULL};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(larger.slots, &larger.slot));
  for (PetscInt i = 0; i < pool->slots; i++) {
    size_t at = pool->slot[i].hash;
    if (!pool->slot[i].memory) continue;
    while (larger.slot[at & (size_t)(larger.slots - 1)].memory) at++;
    larger.slot[at & (size_t)(larger.slots - 1)] = pool->slot[i];
  }
  PetscCall(PetscFree(pool->slot));
  *pool = larger;
  PetscFunctionReturn(0);
}

/* *kept: numbers equal bit by bit to value[size]. */
static PetscErrorCode pool_keep(Pool *pool, PetscInt size, const PetscReal *value, const PetscReal **kept)
{
  const size_t         hash = hash_of(value, size);
  struct NsLanePooled *slot;
  size_t               at = hash;

  PetscFunctionBegin;
  if (2 * pool->count >= pool->slots) PetscCall(pool_grow(pool));
  for (;; at++) {
    slot = &pool->slot[at & (size_t)(pool->slots - 1)];
    if (!slot->memory) break;
    if (slot->hash == hash && slot->size == size && !memcmp(slot->value, value, sizeof(*value) * (size_t)size)) {
      *kept = slot->value;
      PetscFunctionReturn(0);
    }
  }
  PetscCall(PetscMalloc1(size + 8, &slot->memory));
  slot->value = (PetscReal *)(((uintptr_t)slot->memory + 63) / 64 * 64);
  slot->hash  = hash;
  slot->size  = size;
  PetscCall(PetscArraycpy(slot->value, value, size));
  pool->count++;
  *kept = slot->value;
  PetscFunctionReturn(0);
}

/* A table of value[n][width], natural order. beyond: rows behind the end of a lane hold the next lane's numbers, not zeros; thin: no block where all is zero. */
static PetscErrorCode table_create(
  const NsLanes *lanes, Pool *pool, PetscInt width, const PetscReal *value, PetscBool beyond, PetscBool thin, const PetscReal ***table)
{
  const PetscInt size = BLOCK * width * W;
  PetscReal     *block;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(lanes->blocks, table));
  PetscCall(PetscMalloc1(size, &block));
  for (PetscInt b = 0; b < lanes->blocks; b++) {
    PetscBool empty = PETSC_TRUE;
    PetscCall(PetscArrayzero(block, size));
    for (PetscInt c = 0; c < W; c++) {
      const PetscInt end = beyond ? lanes->n : lanes->start[c + 1];
      for (PetscInt j = 0; j < BLOCK && lanes->start[c] + b * BLOCK + j < end; j++) {
        const PetscReal *row = value + (size_t)(lanes->start[c] + b * BLOCK + j) * (size_t)width;
        for (PetscInt k = 0; k < width; k++) {
          block[(j * width + k) * W + c] = row[k];
          if (row[k] != 0) empty = PETSC_FALSE;
        }
      }
    }
    if (!thin || !empty) PetscCall(pool_keep(pool, size, block, &(*table)[b]));
  }
  PetscCall(PetscFree(block));
  PetscFunctionReturn(0);
}

/* Room for `each` numbers a row. */
static size_t numbers(PetscInt rows, PetscInt each)
{
  return (size_t)rows * (size_t)each;
}

/* -- factors ----------------------------------------------------------------------------------------------------------------------------------------- */

/* A while it is factored, natural order: A[i][k] = A_{i, i + k}, then U. */
typedef struct {
  PetscInt   n, B, pieces; /* of all lanes */
  PetscInt  *low;          /* [pieces + 1] first row of each piece */
  PetscReal *A;            /* [n][B + 1] */
  PetscReal *diagonal;     /* [n] of A as it was */
  PetscReal *inverse;      /* [n] 1/D */
  PetscReal *spike;        /* [n][B] */
  PetscReal *heads;        /* [lanes B][lanes B] lower half of the matrix of all heads */
} Elimination;

/* Column i of a piece goes out: rows above it in the piece, and the next piece's head at `next` (n: none), lose what it carries. */
static PetscBool eliminate(Elimination *e, PetscInt i, PetscInt low, PetscInt next)
{
  const PetscInt  B = e->B, wide = B + 1, rows = PetscMin(B, i - low);
  PetscReal      *g = e->spike + (size_t)i * (size_t)B;
  const PetscReal d = e->A[(size_t)i * (size_t)wide];

  if (!(d > 0)) return PETSC_FALSE;
  e->inverse[i] = 1 / d;
  for (PetscInt r = 1; r <= rows; r++) {
    PetscReal      *row = e->A + (size_t)(i - r) * (size_t)wide, *other = e->spike + (size_t)(i - r) * (size_t)B;
    const PetscReal u = row[r] / d;
    for (PetscInt m = r; m <= rows; m++)
      e->A[(size_t)(i - m) * (size_t)wide + (size_t)(m - r)] -= e->A[(size_t)(i - m) * (size_t)wide + (size_t)m] * u;
    for (PetscInt k = 0; k < B; k++) other[k] -= u * g[k];
    row[r] = u;
  }
  if (next < e->n) {
    for (PetscInt k = 0; k < B; k++) {
      for (PetscInt m = k; m < B; m++) e->A[(size_t)(next + k) * (size_t)wide + (size_t)(m - k)] -= g[k] * g[m] / d;
    }
  }
  for (PetscInt k = 0; k < B; k++) g[k] /= d;
  return PETSC_TRUE;
}

/* All pieces; coupled: heads stay, in `heads`. */
static PetscBool eliminate_all(Elimination *e, PetscBool coupled)
{
  const PetscInt B = e->B, wide = B + 1, all = W * B;

  for (PetscInt p = 0; p < e->pieces; p++) {
    const PetscInt low = e->low[p], next = e->low[p + 1], stop = coupled ? low + B : low;
    for (PetscInt i = low; i < next; i++) {
      for (PetscInt k = 0; k < B; k++) {
        const PetscInt far                          = next + k - i;
        e->spike[(size_t)i * (size_t)B + (size_t)k] = next < e->n && far <= B ? e->A[(size_t)i * (size_t)wide + (size_t)far] : 0;
      }
    }
    for (PetscInt i = next - 1; i >= stop; i--) {
      if (!eliminate(e, i, low, next)) return PETSC_FALSE;
    }
    for (PetscInt f = 0; coupled && f < B; f++) {
      PetscReal *spike = e->spike + (size_t)(low + f) * (size_t)B;
      for (PetscInt k = 0; k < B; k++) {
        if (f + k < B) e->heads[(p * B + f + k) * all + p * B + f] = e->A[(size_t)(low + f) * (size_t)wide + (size_t)k];
        if (p + 1 < e->pieces) e->heads[((p + 1) * B + k) * all + p * B + f] = spike[k];
        spike[k] = 0;
      }
    }
  }
  return PETSC_TRUE;
}

/* Cuts spikes where they are below rounding; returns how many rows the longest one has. separate: none reaches the head of its own piece. */
static PetscInt trim(Elimination *e, PetscBool *separate)
{
  const PetscInt B     = e->B;
  PetscInt       reach = 0;

  *separate = PETSC_TRUE;
  for (PetscInt p = 0; p + 1 < e->pieces; p++) {
    const PetscInt low = e->low[p], next = e->low[p + 1];
    PetscReal      largest = 0;
    PetscInt       top     = next; /* first row that counts */
    for (PetscInt pass = 0; pass < 2; pass++) {
      for (PetscInt i = next - 1; i >= low; i--) {
        for (PetscInt k = 0; k < B; k++) { /* in units in which all of the diagonal is 1 */
          const PetscReal size = PetscAbsReal(e->spike[(size_t)i * (size_t)B + (size_t)k]) * PetscSqrtReal(e->diagonal[i] / e->diagonal[next + k]);
          if (!pass)
            largest = PetscMax(largest, size);
          else if (size > SMALLEST * largest)
            top = i;
        }
      }
    }
    for (PetscInt i = low; i < top; i++) {
      for (PetscInt k = 0; k < B; k++) e->spike[(size_t)i * (size_t)B + (size_t)k] = 0;
    }
    reach = PetscMax(reach, next - top);
    if (top < low + B) *separate = PETSC_FALSE;
  }
  return reach;
}

/* L D L' of the heads into rows of 2 B (kernel.h). */
static PetscBool reduce(const Elimination *e, PetscReal *reduced)
{
  const PetscInt all = W * e->B, wide = 2 * e->B;
  PetscReal     *A = e->heads;

  for (PetscInt i = 0; i < all; i++) {
    for (PetscInt j = PetscMax(0, i - wide + 1); j <= i; j++) { /* A_ij becomes L_ij D_j */
      for (PetscInt k = PetscMax(0, i - wide + 1); k < j; k++) {
        if (j - k < wide) A[i * all + j] -= A[i * all + k] * reduced[j * wide + wide - 1 - (j - k)];
      }
      if (j < i) reduced[i * wide + wide - 1 - (i - j)] = A[i * all + j] * reduced[j * wide + wide - 1];
    }
    if (!(A[i * all + i] > 0)) return PETSC_FALSE;
    reduced[i * wide + wide - 1] = 1 / A[i * all + i];
  }
  return PETSC_TRUE;
}

static PetscInt piece_start(const NsLanes *lanes, PetscInt pieces, PetscInt p)
{
  return lanes->start[p / pieces] + p % pieces * PIECE;
}

/* pieces: of each lane. band[n][B + 1]: A_{i, i + k}. */
static PetscErrorCode elimination_create(const NsLanes *lanes, PetscInt pieces, const PetscReal *band, Elimination *e)
{
  const PetscInt n = lanes->n, B = lanes->shape.width;

  PetscFunctionBegin;
  e->n      = n;
  e->B      = B;
  e->pieces = W * pieces;
  PetscCall(PetscMalloc6(
    e->pieces + 1, &e->low, numbers(n, B + 1), &e->A, n, &e->diagonal, n, &e->inverse, numbers(n, B), &e->spike, numbers(W * B, W * B), &e->heads));
  PetscCall(PetscArrayzero(e->heads, numbers(W * B, W * B)));
  PetscCall(PetscArraycpy(e->A, band, numbers(n, B + 1)));
  for (PetscInt i = 0; i < n; i++) e->diagonal[i] = band[i * (B + 1)];
  for (PetscInt p = 0; p < e->pieces; p++) e->low[p] = piece_start(lanes, pieces, p);
  e->low[e->pieces] = n;
  PetscFunctionReturn(0);
}

static PetscErrorCode elimination_destroy(Elimination *e)
{
  PetscFunctionBegin;
  PetscCall(PetscFree6(e->low, e->A, e->diagonal, e->inverse, e->spike, e->heads));
  PetscFunctionReturn(0);
}

/* Tables of the factor, in the order of lanes. */
static PetscErrorCode factor_tables(const NsLanes *lanes, const Elimination *e, PetscBool coupled, NsLanesFactor *factor)
{
  const PetscInt n = e->n, B = e->B;
  PetscReal     *down, *up;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(numbers(n, B), &down, numbers(n, B + 1), &up));
  for (PetscInt p = 0; p < e->pieces; p++) {
    const PetscInt low = e->low[p], next = e->low[p + 1], eliminated = coupled ? low + B : low;
    for (PetscInt i = low; i < next; i++) {
      up[i * (B + 1)] = i < eliminated ? 1 : e->inverse[i];
      for (PetscInt k = 1; k <= B; k++) {
        if (i + k < next && i + k >= eliminated) down[i * B + k - 1] = e->A[i * (B + 1) + k];
        if (i - k >= low && i >= eliminated) up[i * (B + 1) + k] = e->A[(i - k) * (B + 1) + k];
      }
    }
  }
  PetscCall(table_create(lanes, &factor->pool, B, down, PETSC_FALSE, PETSC_FALSE, &factor->down));
  PetscCall(table_create(lanes, &factor->pool, B + 1, up, PETSC_FALSE, PETSC_FALSE, &factor->up));
  PetscCall(table_create(lanes, &factor->pool, B, e->spike, PETSC_FALSE, PETSC_TRUE, &factor->spike));
  PetscCall(PetscFree2(down, up));
  PetscFunctionReturn(0);
}

/* A = U D U' of band[n][B + 1]: lanes in pieces if spikes are short, whole if not, and with coupled heads if they reach from end to end. *factor = NULL: not
   positive definite. */
static PetscErrorCode factor_of_band(const NsLanes *lanes, const PetscReal *band, NsLanesFactor **factor)
{
  const PetscInt rows = lanes->shape.full + (lanes->shape.rest > 0), B = lanes->shape.width;
  PetscInt       pieces  = PetscMax(1, lanes->shape.full / PIECE);
  PetscBool      coupled = PETSC_FALSE, separate, definite;
  Elimination    e;

  PetscFunctionBegin;
  *factor = NULL;
  PetscCall(elimination_create(lanes, pieces, band, &e));
  definite = eliminate_all(&e, PETSC_FALSE);
  while (definite && trim(&e, &separate) > (pieces > 1 ? PIECE / 4 : e.n)) { /* too long to cut lanes further */
    pieces = 1;
    PetscCall(elimination_destroy(&e));
    PetscCall(elimination_create(lanes, pieces, band, &e));
    definite = eliminate_all(&e, PETSC_FALSE);
  }
  if (definite && !separate) {
    coupled = PETSC_TRUE;
    PetscCall(elimination_destroy(&e));
    PetscCall(elimination_create(lanes, pieces, band, &e));
    definite = eliminate_all(&e, coupled);
  }
  if (definite) {
    PetscCall(PetscNew(factor));
    PetscCall(factor_tables(lanes, &e, coupled, *factor));
    PetscCall(PetscMalloc1(pieces + 1, &(*factor)->first));
    for (PetscInt s = 0; s < pieces; s++) (*factor)->first[s] = s * PIECE;
    (*factor)->first[pieces] = rows;
    (*factor)->pieces        = pieces;
    if (coupled) {
      PetscCall(PetscCalloc1(numbers(W * B, 2 * B), &(*factor)->reduced));
      definite = reduce(&e, (*factor)->reduced);
    }
    (*factor)->view = (NsLaneFactor){pieces, (*factor)->first, (*factor)->down, (*factor)->up, (*factor)->spike, (*factor)->reduced};
  }
  PetscCall(elimination_destroy(&e));
  if (!definite) PetscCall(NsLanesFactorDestroy(factor));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLanesFactorDestroy(NsLanesFactor **factor)
{
  PetscFunctionBegin;
  if (!*factor) PetscFunctionReturn(0);
  PetscCall(PetscFree((*factor)->down));
  PetscCall(PetscFree((*factor)->up));
  PetscCall(PetscFree((*factor)->spike));
  PetscCall(PetscFree((*factor)->first));
  PetscCall(PetscFree((*factor)->reduced));
  PetscCall(pool_destroy(&(*factor)->pool));
  PetscCall(PetscFree(*factor));
  PetscFunctionReturn(0);
}

/* -- matrices ---------------------------------------------------------------------------------------------------------------------------------------- */

static PetscBool given(const NsSparse *A)
{
  return A && A->rows > 0 ? PETSC_TRUE : PETSC_FALSE;
}

/* count[d] += how many entries stand d beside the diagonal, all further ones at the end; zeros are none. */
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
  PetscCall(PetscCalloc1(numbers(A->rows, left + right + 1), band));
  for (PetscInt i = 0; i < A->rows; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      const PetscInt d = A->column[k] - i;
      if (-left <= d && d <= right) (*band)[i * (left + right + 1) + left + d] = A->value[k];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode band_table(NsLanes *lanes, const NsSparse *A, const PetscReal ***table)
{
  const PetscInt B = lanes->shape.width;
  PetscReal     *band;

  PetscFunctionBegin;
  PetscCall(band_create(A, B, B, &band));
  PetscCall(table_create(lanes, &lanes->pool, 2 * B + 1, band, PETSC_FALSE, PETSC_FALSE, table));
  PetscCall(PetscFree(band));
  PetscFunctionReturn(0);
}

static PetscInt place_of(const NsLanes *lanes, PetscInt natural)
{
  const PetscInt full = lanes->shape.full, rest = lanes->shape.rest, wide = rest * (full + 1);
  const PetscInt c = natural < wide ? natural / (full + 1) : rest + (natural - wide) / full;

  return (natural - lanes->start[c]) * W + c;
}

/* Entries of K and C outside the band, and the diagonals of rows that are not sums of differences; counted only where extra is NULL. */
typedef struct {
  PetscInt     count;
  NsLaneExtra *extra;
} Extras;

static void add_extra(const NsLanes *lanes, Extras *extras, PetscInt row, PetscInt column, PetscReal K, PetscReal C)
{
  if (extras->extra) extras->extra[extras->count] = (NsLaneExtra){place_of(lanes, row), place_of(lanes, column), K, C};
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

/* Sets force.differences, K and C where the matrices allow it, and row_sum[n] of K, zero where it is rounding; NULL: they do not. */
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
    PetscCall(table_create(lanes, &lanes->pool, 1, stiff, PETSC_TRUE, PETSC_FALSE, &lanes->K));
    if (damp) PetscCall(table_create(lanes, &lanes->pool, 2, damp, PETSC_TRUE, PETSC_FALSE, &lanes->C));
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

/* Lanes of n unknowns, and where each continues. */
static PetscErrorCode take_shape(NsLanes *lanes, PetscInt n, PetscInt width)
{
  const PetscInt full = n / W, rest = n % W;

  PetscFunctionBegin;
  lanes->n      = n;
  lanes->blocks = (full + 1) / BLOCK + 1; /* one row more than the longest lane has */
  for (PetscInt c = 0; c <= W; c++) lanes->start[c] = c * full + PetscMin(c, rest);
  PetscCall(PetscMalloc1(n, &lanes->natural));
  PetscCall(PetscMalloc1((2 * width + 1) * W, &lanes->halo));
  lanes->shape = (NsLaneShape){width, full, rest, lanes->halo};
  for (PetscInt i = 0; i < n; i++) lanes->natural[place_of(lanes, i)] = i;
  for (PetscInt r = 0; r < 2 * width + 1; r++) {
    const PetscInt row = r < width ? r - width : full + r - width;
    for (PetscInt c = 0; c < W; c++) lanes->halo[r * W + c] = place_of(lanes, PetscMax(0, PetscMin(n - 1, lanes->start[c] + row)));
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
  PetscCall(factor_of_band(lanes, band, &lanes->mass));
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
  lanes->force.K = lanes->K;
  lanes->force.C = lanes->C;
  PetscCall(take_extras(lanes, K, C, row_sum));
  PetscCall(PetscFree(row_sum));
  PetscCall(take_dampers(lanes, dampers));
  /* Rows of bars wait for memory: 512 bits gain nothing there, and lose where arrays are not aligned to them. */
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
  PetscCall(PetscFree(l->K));
  PetscCall(PetscFree(l->C));
  PetscCall(PetscFree(l->M));
  PetscCall(PetscFree(l->dampers));
  PetscCall(PetscFree(l->damper_extra));
  PetscCall(PetscFree(l->force.extra));
  PetscCall(PetscFree(l->force.first_extra));
  PetscCall(PetscFree(l->force.extra_force));
  PetscCall(pool_destroy(&l->pool));
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
  l->kernel->mult(&l->shape, l->M, x, y);
}

PetscReal NsLanesMassProduct(const NsLanes *l, const PetscReal *x, const PetscReal *y)
{
  return l->kernel->product(&l->shape, l->M, x, y);
}

PetscReal NsLanesDampersProduct(const NsLanes *l, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = l->dampers ? l->kernel->product(&l->shape, l->dampers, x, y) : 0;

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
  PetscCall(factor_of_band(lanes, band, factor));
  PetscCall(PetscFree(band));
  PetscFunctionReturn(0);
}

void NsLanesSolve(const NsLanes *l, const NsLanesFactor *factor, const PetscReal *b, PetscReal *x)
{
  l->kernel->solve(&l->shape, factor ? &factor->view : &l->mass->view, b, x);
}
