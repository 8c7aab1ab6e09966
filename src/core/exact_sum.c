/*
  Exact sums (percuss/exact_sum.h): an integer of 32-bit digits, and before it a sum in doubles whose remainder is added, too.

  To the digits: a double is s m 2^p 2^-1074 with s = +-1, m < 2^53 and p = 0 .. 2045; m 2^(p mod 32) is split at bit 32 and goes to chunks p / 32 and p / 32 + 1. The upper
  part is below 2^52, so that 2^10 additions fit into 63 bits before carries must be passed on; then chunks are digits 0 .. 2^32 - 1, and only the last one has a sign.

  Before it: for terms x_k with sum |x_k| < sigma / 3, sigma a power of two, and u = 2^-53 sigma,

    q_k = (sigma + x_k) - sigma    is x_k rounded to a multiple of u,
    x_k - q_k                      is a double: at most u, and without bits below those of x_k,
    sum q_k                        is exact in any order: multiples of u, and never beyond sigma

  (S. M. Rump, T. Ogita, S. Oishi, Accurate floating-point summation, part I, SIAM J. Sci. Comput. 31, 2008). So the sum of q_k is one addition to the digits, and what is
  left is smaller by 2^40 and more; the same again until nothing is left: twice, for terms of about one size.

  Holds for doubles as they are written and rounded to nearest: no -ffast-math, and x y + sigma must not become one operation (ensured by CMakeLists.txt).
*/
#include "percuss/exact_sum.h"
#include <stdint.h>
#include <string.h>

enum { BLOCK = 256, FEW = 16, PAIRS = 4, ADDITIONS = 1 << 10, DIGIT_BITS = 32, UNIT = -1074 };

/* One vector register of any machine; gcc does not find them in plain loops, since it may not reorder sums. */
typedef PetscReal  Pair __attribute__((vector_size(16)));
typedef PetscInt64 BitPair __attribute__((vector_size(16)));

typedef struct {
  int pairs; /* a multiple of PAIRS: filled up with zeros */
  union {
    PetscReal term[BLOCK];
    Pair      pair[BLOCK / 2];
  };
} Block;

_Static_assert(sizeof(PetscReal) == 8, "doubles");
_Static_assert(sizeof(NsExactSum) == (NS_EXACT_CHUNKS + 2) * sizeof(PetscInt64), "one array for MPI");

static void carry(NsExactSum *sum)
{
  for (int i = 0; i + 1 < NS_EXACT_CHUNKS; i++) {
    sum->chunk[i + 1] += sum->chunk[i] >> DIGIT_BITS; /* rounds down, also below zero */
    sum->chunk[i] &= UINT32_MAX;
  }
  sum->additions = 0;
}

static void add_term(NsExactSum *sum, PetscReal term)
{
  uint64_t   bits, mantissa;
  int        exponent, shift;
  PetscInt64 low, high, *chunk;

  memcpy(&bits, &term, sizeof(bits));
  exponent = (int)(bits >> 52) & 0x7ff;
  mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 0x7ff) {
    sum->invalid++;
    return;
  }
  if (exponent > 0) {
    mantissa |= UINT64_C(1) << 52;
    exponent--;
  }
  shift = exponent % DIGIT_BITS;
  chunk = sum->chunk + exponent / DIGIT_BITS;
  low   = (PetscInt64)(mantissa << shift & UINT32_MAX);
  high  = (PetscInt64)(mantissa >> (DIGIT_BITS - shift));
  if (bits >> 63) {
    low  = -low;
    high = -high;
  }
  chunk[0] += low;
  chunk[1] += high;
  if (++sum->additions == ADDITIONS) carry(sum);
}

static inline Pair sizes(Pair x)
{
  return (Pair)((BitPair)x & INT64_MAX);
}

static inline PetscReal total(const Pair x[PAIRS])
{
  const Pair sum = (x[0] + x[1]) + (x[2] + x[3]);

  return sum[0] + sum[1];
}

/* sum |x_k| */
static PetscReal add_sizes(const Block *x)
{
  Pair size[PAIRS] = {{0}};

  for (int k = 0; k < x->pairs; k += PAIRS)
    for (int j = 0; j < PAIRS; j++) size[j] += sizes(x->pair[k + j]);
  return total(size);
}

/* The sum of q_k, which are subtracted from x_k; *size: magnitude of the remainders. */
static PetscReal extract(PetscReal sigma, Block *x, PetscReal *size)
{
  Pair taken[PAIRS] = {{0}}, left[PAIRS] = {{0}};

  for (int k = 0; k < x->pairs; k += PAIRS)
    for (int j = 0; j < PAIRS; j++) {
      const Pair q = (sigma + x->pair[k + j]) - sigma, rest = x->pair[k + j] - q;

      x->pair[k + j] = rest;
      taken[j] += q;
      left[j] += sizes(rest);
    }
  *size = total(left);
  return total(taken);
}

/* x is overwritten. */
static void add_block(NsExactSum *sum, Block *x)
{
  PetscReal size = add_sizes(x);

  while (size > 0 && size < 0x1p1020) {
    int exponent;

    (void)frexp(size, &exponent); /* size < 2^exponent, and so is what it would be without rounding, but for its 2^-44th */
    add_term(sum, extract(ldexp(1, exponent + 2), x, &size));
  }
  if (size == 0) return;
  for (int k = 0; k < 2 * x->pairs; k++) add_term(sum, x->term[k]); /* so large that sigma would overflow, Inf, or NaN */
}

/* y: NULL for ones. */
static inline void add_products(NsExactSum *sum, PetscInt terms, const PetscReal *x, const PetscReal *y)
{
  Block block;

  for (PetscInt done = 0; done < terms; done += BLOCK) {
    int n = (int)PetscMin(terms - done, BLOCK);

    for (int k = 0; k < n; k++) block.term[k] = y ? x[done + k] * y[done + k] : x[done + k];
    if (n < FEW) {
      for (int k = 0; k < n; k++) add_term(sum, block.term[k]);
    } else {
      while (n % (2 * PAIRS)) block.term[n++] = 0;
      block.pairs = n / 2;
      add_block(sum, &block);
    }
  }
}

void NsExactSumAdd(NsExactSum *sum, PetscInt terms, const PetscReal *term)
{
  add_products(sum, terms, term, NULL);
}

void NsExactSumAddProducts(NsExactSum *sum, PetscInt terms, const PetscReal *x, const PetscReal *y)
{
  add_products(sum, terms, x, y);
}

PetscErrorCode NsExactSumReduce(NsExactSum *sum, MPI_Comm comm)
{
  PetscFunctionBegin;
  carry(sum); /* digits now: there is room for those of 2^31 processes */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, NS_EXACT_CHUNKS + 2, MPIU_INT64, MPI_SUM, comm));
  carry(sum);
  PetscFunctionReturn(0);
}

PetscReal NsExactSumValue(const NsExactSum *sum)
{
  NsExactSum digits = *sum;
  PetscBool  negative, below = PETSC_FALSE;
  int        top = NS_EXACT_CHUNKS - 1, empty = 0;
  uint64_t   head;
  PetscReal  value;

  if (sum->invalid) return NAN;
  carry(&digits);
  negative = digits.chunk[top] < 0;
  if (negative) {
    for (int i = 0; i < NS_EXACT_CHUNKS; i++) digits.chunk[i] = -digits.chunk[i];
    carry(&digits);
  }
  while (top > 1 && digits.chunk[top] == 0) top--;
  head = (uint64_t)digits.chunk[top] << DIGIT_BITS | (uint64_t)digits.chunk[top - 1];
  if (top > 1) { /* the highest 64 bits; the lowest of them says as well whether any below is set, which is all that rounding asks */
    const uint64_t next = (uint64_t)digits.chunk[top - 2];

    while (head >> (63 - empty) == 0) empty++;
    head = head << empty | next >> (DIGIT_BITS - empty);
    if (next << empty & UINT32_MAX) below = PETSC_TRUE;
    for (int i = 0; i < top - 2; i++)
      if (digits.chunk[i]) below = PETSC_TRUE;
    if (below) head |= 1;
  }
  value = ldexp((PetscReal)head, DIGIT_BITS * (top - 1) - empty + UNIT); /* rounds in the conversion: a denormal has no bits to lose */
  return negative ? -value : value;
}
