/*
  Factors of long chains in lanes: A = U D U', piece by piece (kernel.h).

  Pieces of the chain couple through the first rows ("head") of the next one: eliminated last, all other rows of a piece are coupled with the next one through their spikes only
  (E. Polizzi, A. H. Sameh, A parallel hybrid banded system solver: the SPIKE algorithm, Parallel Computing 32, 2006). Spikes of mass matrices decay within some
  thirty rows. Where they are below rounding on reaching the other end of the piece, heads do not act on each other, and a lane may be cut further, for the cache.
*/
#include "setup.h"

#define SMALLEST 0x1p-60 /* of a spike, relative to its largest entry: smaller entries are below rounding */

enum {
  W     = NS_LANES,
  PIECE = 32 * NS_LANE_BLOCK /* rows of a lane cut for the cache: six arrays of 64 bytes a row, two pieces at a time */
};

/* A while it is factored, natural order. */
typedef struct {
  PetscInt   n, B, pieces; /* of all lanes */
  PetscInt  *low;          /* [pieces + 1] first row of each piece */
  PetscReal *A;            /* [n][B + 1] A_{i, i + k}, then U */
  PetscReal *diagonal;     /* [n] of A as it was */
  PetscReal *inverse;      /* [n] 1/D */
  PetscReal *spike;        /* [n][B] */
  PetscReal *heads;        /* [lanes B][lanes B] lower half of the matrix of all heads */
} Elimination;

static PetscReal *row_of(const Elimination *e, PetscInt i)
{
  return e->A + NsLaneNumbers(i, e->B + 1);
}

static PetscReal *spike_of(const Elimination *e, PetscInt i)
{
  return e->spike + NsLaneNumbers(i, e->B);
}

/* Eliminates column i of a piece: subtracts its part from the rows above it in the piece, and from the next piece's head at `next` (n: none). */
static PetscBool eliminate(Elimination *e, PetscInt i, PetscInt low, PetscInt next)
{
  const PetscInt  B = e->B, rows = PetscMin(B, i - low);
  PetscReal      *g = spike_of(e, i);
  const PetscReal d = row_of(e, i)[0];

  if (!(d > 0)) return PETSC_FALSE;
  e->inverse[i] = 1 / d;
  for (PetscInt r = 1; r <= rows; r++) {
    PetscReal      *row = row_of(e, i - r), *other = spike_of(e, i - r);
    const PetscReal u = row[r] / d;
    for (PetscInt m = r; m <= rows; m++) row_of(e, i - m)[m - r] -= row_of(e, i - m)[m] * u;
    for (PetscInt k = 0; k < B; k++) other[k] -= u * g[k];
    row[r] = u;
  }
  for (PetscInt k = 0; k < B && next < e->n; k++) {
    for (PetscInt m = k; m < B; m++) row_of(e, next + k)[m - k] -= g[k] * g[m] / d;
  }
  for (PetscInt k = 0; k < B; k++) g[k] /= d;
  return PETSC_TRUE;
}

/* All pieces; coupled: heads stay, in `heads`. */
static PetscBool eliminate_all(Elimination *e, PetscBool coupled)
{
  const PetscInt B = e->B, all = W * B;

  for (PetscInt p = 0; p < e->pieces; p++) {
    const PetscInt low = e->low[p], next = e->low[p + 1], stop = coupled ? low + B : low;
    for (PetscInt i = low; i < next; i++) {
      for (PetscInt k = 0; k < B; k++) {
        const PetscInt far = next + k - i;
        spike_of(e, i)[k]  = next < e->n && far <= B ? row_of(e, i)[far] : 0;
      }
    }
    for (PetscInt i = next - 1; i >= stop; i--) {
      if (!eliminate(e, i, low, next)) return PETSC_FALSE;
    }
    for (PetscInt f = 0; coupled && f < B; f++) {
      PetscReal *spike = spike_of(e, low + f);
      for (PetscInt k = 0; k < B; k++) {
        if (f + k < B) e->heads[(p * B + f + k) * all + p * B + f] = row_of(e, low + f)[k];
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
          const PetscReal size = PetscAbsReal(spike_of(e, i)[k]) * PetscSqrtReal(e->diagonal[i] / e->diagonal[next + k]);
          if (!pass)
            largest = PetscMax(largest, size);
          else if (size > SMALLEST * largest)
            top = i;
        }
      }
    }
    (void)PetscArrayzero(spike_of(e, low), NsLaneNumbers(top - low, B));
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

/* pieces: of each lane. band[n][B + 1]: A_{i, i + k}. */
static PetscErrorCode elimination_create(const NsLanes *lanes, PetscInt pieces, const PetscReal *band, Elimination *e)
{
  const PetscInt n = lanes->n, B = lanes->shape.width;

  PetscFunctionBegin;
  e->n      = n;
  e->B      = B;
  e->pieces = W * pieces;
  PetscCall(PetscMalloc6(e->pieces + 1, &e->low, NsLaneNumbers(n, B + 1), &e->A, n, &e->diagonal, n, &e->inverse, NsLaneNumbers(n, B), &e->spike,
    NsLaneNumbers(W * B, W * B), &e->heads));
  PetscCall(PetscArrayzero(e->heads, NsLaneNumbers(W * B, W * B)));
  PetscCall(PetscArraycpy(e->A, band, NsLaneNumbers(n, B + 1)));
  for (PetscInt i = 0; i < n; i++) e->diagonal[i] = row_of(e, i)[0];
  for (PetscInt p = 0; p < e->pieces; p++) e->low[p] = lanes->start[p / pieces] + p % pieces * PIECE;
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
  PetscCall(PetscCalloc2(NsLaneNumbers(n, B), &down, NsLaneNumbers(n, B + 1), &up));
  for (PetscInt p = 0; p < e->pieces; p++) {
    const PetscInt low = e->low[p], next = e->low[p + 1], eliminated = coupled ? low + B : low;
    for (PetscInt i = low; i < next; i++) {
      PetscReal *to_down = down + NsLaneNumbers(i, B), *to_up = up + NsLaneNumbers(i, B + 1);
      to_up[0] = i < eliminated ? 1 : e->inverse[i];
      for (PetscInt k = 1; k <= B; k++) {
        if (i + k < next && i + k >= eliminated) to_down[k - 1] = row_of(e, i)[k];
        if (i - k >= low && i >= eliminated) to_up[k] = row_of(e, i - k)[k];
      }
    }
  }
  PetscCall(NsLaneTableCreate(lanes, B, down, NS_LANE_ZEROS_BEYOND, &factor->down));
  PetscCall(NsLaneTableCreate(lanes, B + 1, up, NS_LANE_ZEROS_BEYOND, &factor->up));
  PetscCall(NsLaneTableCreate(lanes, B, e->spike, NS_LANE_THIN, &factor->spike));
  PetscCall(PetscFree2(down, up));
  PetscFunctionReturn(0);
}

/* Eliminates anew, with so many pieces of each lane. */
static PetscErrorCode start_over(const NsLanes *lanes, PetscInt pieces, PetscBool coupled, const PetscReal *band, Elimination *e, PetscBool *definite)
{
  PetscFunctionBegin;
  PetscCall(elimination_destroy(e));
  PetscCall(elimination_create(lanes, pieces, band, e));
  *definite = eliminate_all(e, coupled);
  PetscFunctionReturn(0);
}

/* Lanes in pieces if spikes are short, whole if not, and with coupled heads if they reach from end to end. */
PetscErrorCode NsLanesFactorBand(const NsLanes *lanes, const PetscReal *band, NsLanesFactor **factor)
{
  const PetscInt rows = lanes->shape.full + (lanes->shape.rest > 0), B = lanes->shape.width;
  PetscInt       pieces = PetscMax(1, lanes->shape.full / PIECE);
  PetscBool      separate, definite;
  Elimination    e;
  NsLanesFactor *f;

  PetscFunctionBegin;
  *factor = NULL;
  PetscCall(elimination_create(lanes, pieces, band, &e));
  definite = eliminate_all(&e, PETSC_FALSE);
  while (definite && trim(&e, &separate) > (pieces > 1 ? PIECE / 4 : e.n)) { /* too long to cut lanes further */
    pieces = 1;
    PetscCall(start_over(lanes, pieces, PETSC_FALSE, band, &e, &definite));
  }
  const PetscBool coupled = definite && !separate;
  if (coupled) PetscCall(start_over(lanes, pieces, PETSC_TRUE, band, &e, &definite));
  if (definite) {
    PetscCall(PetscNew(&f));
    PetscCall(factor_tables(lanes, &e, coupled, f));
    PetscCall(PetscMalloc1(pieces + 1, &f->first));
    for (PetscInt s = 0; s < pieces; s++) f->first[s] = s * PIECE;
    f->first[pieces] = rows;
    if (coupled) {
      PetscCall(PetscCalloc1(NsLaneNumbers(W * B, 2 * B), &f->reduced));
      definite = reduce(&e, f->reduced);
    }
    f->view = (NsLaneFactor){pieces, f->first, f->down.block, f->up.block, f->spike.block, f->reduced};
    *factor = f;
  }
  PetscCall(elimination_destroy(&e));
  if (!definite) PetscCall(NsLanesFactorDestroy(factor));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLanesFactorDestroy(NsLanesFactor **factor)
{
  PetscFunctionBegin;
  if (!*factor) PetscFunctionReturn(0);
  PetscCall(NsLaneTableDestroy(&(*factor)->down));
  PetscCall(NsLaneTableDestroy(&(*factor)->up));
  PetscCall(NsLaneTableDestroy(&(*factor)->spike));
  PetscCall(PetscFree((*factor)->first));
  PetscCall(PetscFree((*factor)->reduced));
  PetscCall(PetscFree(*factor));
  PetscFunctionReturn(0);
}
