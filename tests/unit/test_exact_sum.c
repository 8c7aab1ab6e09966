/* Exact sums against integers as wide as all doubles; the same bits in any order, in any portions and on any number of processes (run alone and by mpiexec). */
#include "../support.h"
#include <float.h>
#include "percuss/exact_sum.h"

enum { BYTES = 288, MOST = 3000 };

/* sum of byte[i] 2^(8 i - 1074); bytes have signs and may be large until `settle` */
typedef struct {
  int64_t byte[BYTES];
} Wide;

static void wide_add(Wide *wide, double x, int times)
{
  int       exponent;
  int64_t   mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
  int       place    = exponent - 53 + 1074;
  const int sign     = mantissa < 0 ? -times : times;

  mantissa = mantissa < 0 ? -mantissa : mantissa;
  if (place < 0) { /* a denormal: those bits are zero */
    mantissa >>= -place;
    place = 0;
  }
  for (int bit = 0; bit < 53; bit++)
    if (mantissa >> bit & 1) wide->byte[(place + bit) / 8] += (int64_t)sign * (1 << (place + bit) % 8);
}

static int wide_sign(Wide wide)
{
  int64_t rest = 0;
  int     zero = 1;

  for (int i = 0; i < BYTES; i++) {
    rest += wide.byte[i];
    if (rest & 255) zero = 0;
    rest >>= 8;
  }
  return rest < 0 ? -1 : !(zero && rest == 0);
}

/* r and the next double, a power of two beyond the largest one, both taken off twice the sum. */
static int beyond_middle(const Wide *sum, double r, double direction)
{
  Wide         twice = *sum;
  const double next  = nextafter(r, direction);

  for (int i = 0; i < BYTES; i++) twice.byte[i] *= 2;
  wide_add(&twice, r, -1);
  if (isinf(next)) {
    wide_add(&twice, r, -1);
    wide_add(&twice, copysign(0x1p971, next), -1);
  } else {
    wide_add(&twice, next, -1);
  }
  return wide_sign(twice);
}

static int is_odd(double x)
{
  uint64_t bits;

  memcpy(&bits, &x, sizeof(bits));
  return (int)(bits & 1);
}

/* The sum lies between the middles to the doubles next to r, or on one of them if r is even. */
static void assert_rounded(const Wide *sum, double r)
{
  int above, below;

  if (isinf(r)) {
    assert_true((r > 0 ? 1 : -1) * beyond_middle(sum, copysign(DBL_MAX, r), r) >= 0);
    return;
  }
  above = beyond_middle(sum, r, INFINITY);
  below = beyond_middle(sum, r, -INFINITY);
  if (above > 0 || below < 0 || (is_odd(r) && (above == 0 || below == 0))) fail_msg("%a is not the sum rounded to nearest", r);
}

static void assert_same_bits(double a, double b)
{
  if (memcmp(&a, &b, sizeof(a)) != 0) fail_msg("%a and %a", a, b);
}

static double sum_of(PetscInt terms, const double *term)
{
  NsExactSum sum = {{0}};

  NsExactSumAdd(&sum, terms, term);
  return NsExactSumValue(&sum);
}

/* The same few terms alone, and among others that are added in blocks and cancel. */
static void assert_sum(PetscInt terms, const double *term, double expected)
{
  double block[300];

  assert_same_bits(sum_of(terms, term), expected);
  for (int k = 0; k < 150; k++) {
    block[2 * k]     = (1 + k) * 0.1;
    block[2 * k + 1] = -block[2 * k];
  }
  assert_same_bits(sum_of(300, block), 0);
  for (PetscInt k = 0; k < terms; k++)
    block[2 * k] = block[2 * k + 1] = term[k]; /* a pair that cancelled becomes a term and one that is taken back */
  for (PetscInt k = 0; k < terms; k++) block[2 * k + 1] = 0;
  assert_same_bits(sum_of(300, block), expected);
}

#define ASSERT_SUM(expected, ...) \
  do { \
    const double list_[] = {__VA_ARGS__}; \
    assert_sum((PetscInt)(sizeof(list_) / sizeof(*list_)), list_, expected); \
  } while (0)

static void known_sums(void **state)
{
  const double one = 1, tiny = 0x1p-1074, least_normal = 0x1p-1022;

  (void)state;
  assert_same_bits(sum_of(0, NULL), 0);
  ASSERT_SUM(0, -0.0);
  ASSERT_SUM(0, -0.0, -0.0);
  ASSERT_SUM(-one, -one);
  ASSERT_SUM(one, one, 0x1p-53); /* the middle: to even */
  ASSERT_SUM(nextafter(one, 2), one, 0x1p-53, tiny);
  ASSERT_SUM(one, one, 0x1p-53, -tiny);
  ASSERT_SUM(one + 0x1p-51, nextafter(one, 2), 0x1p-53);
  ASSERT_SUM(-nextafter(one, 2), -tiny, -0x1p-53, -one);
  ASSERT_SUM(1e-308, 1e308, 1e-308, -1e308);
  ASSERT_SUM(0, 1e308, tiny, -1e308, -tiny);
  ASSERT_SUM(3 * tiny, tiny, tiny, tiny);
  ASSERT_SUM(least_normal - tiny, least_normal, -tiny);
  ASSERT_SUM(-least_normal, -least_normal + tiny, -tiny);
  ASSERT_SUM(0x1p-1021 - tiny, 0x1p-1021, -tiny);
  ASSERT_SUM(0x1p-1020, 0x1p-1020, -tiny); /* the middle again, from below */
  ASSERT_SUM(DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX);
  ASSERT_SUM(DBL_MAX, DBL_MAX, 0x1p970, -tiny);
  ASSERT_SUM(INFINITY, DBL_MAX, 0x1p970);
  ASSERT_SUM(INFINITY, DBL_MAX, DBL_MAX);
  ASSERT_SUM(-INFINITY, -DBL_MAX, -DBL_MAX, tiny);
}

/* The bit that decides may be any of those below. */
static void rounding(void **state)
{
  (void)state;
  for (int exponent = 0; exponent < 64; exponent++)
    for (int below = exponent - 54; below >= -1074; below -= below < exponent - 200 ? 23 : 1) {
      const double one = ldexp(1, exponent), half = ldexp(one, -53), bit = ldexp(1, below);

      ASSERT_SUM(one, one, half);
      ASSERT_SUM(nextafter(one, INFINITY), one, half, bit);
      ASSERT_SUM(one, one, half, -bit);
    }
}

static void values_that_are_not_finite(void **state)
{
  const double bad[] = {INFINITY, -INFINITY, NAN, -NAN};
  double       term[100];

  (void)state;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 100; k++) term[k] = 1 + k;
    term[37] = bad[i];
    assert_true(isnan(sum_of(1, &bad[i])));
    assert_true(isnan(sum_of(100, term)));
  }
  term[37] = INFINITY;
  term[38] = -INFINITY;
  assert_true(isnan(sum_of(100, term)));
}

/* Chunks as full as they get, by ones and in blocks: every exponent, all bits set. */
static void many_carries(void **state)
{
  static double term[MOST];

  (void)state;
  for (int exponent = -1021; exponent <= 1024; exponent += exponent < -960 || exponent > 960 ? 1 : 37) {
    const double x   = ldexp(1 - 0x1p-53, exponent);
    NsExactSum   one = {{0}}, block = {{0}};
    Wide         wide = {{0}};

    for (int k = 0; k < MOST; k++) {
      term[k] = x;
      NsExactSumAdd(&one, 1, &x);
      NsExactSumAdd(&one, 1, &x);
    }
    NsExactSumAdd(&block, MOST, term);
    NsExactSumAdd(&block, MOST, term);
    wide_add(&wide, x, 2 * MOST);
    assert_rounded(&wide, NsExactSumValue(&one));
    assert_same_bits(NsExactSumValue(&one), NsExactSumValue(&block));
    for (int k = 0; k < 2 * MOST; k++) {
      const double minus = -x;
      NsExactSumAdd(&one, 1, &minus);
    }
    assert_same_bits(NsExactSumValue(&one), 0);
  }
}

static void shuffle(PetscInt terms, double *term)
{
  for (PetscInt k = terms - 1; k > 0; k--) {
    const PetscInt other = (PetscInt)(lrand48() % (k + 1));
    const double   swap  = term[k];

    term[k]     = term[other];
    term[other] = swap;
  }
}

enum { ONE_SIZE, EVERY_SIZE, CANCELLING, DENORMAL, HUGE_ONES, MOSTLY_ZERO, KINDS };

static PetscInt random_terms(int kind, double *term)
{
  const PetscInt terms = (PetscInt)(1 + lrand48() % (lrand48() % 2 ? 40 : MOST));

  for (PetscInt k = 0; k < terms; k++) {
    const double x = drand48() - 0.5;

    switch (kind) {
    case ONE_SIZE: term[k] = x; break;
    case EVERY_SIZE: term[k] = ldexp(x, (int)(lrand48() % 2090) - 1070); break;
    case CANCELLING: term[k] = k % 2 ? -term[k - 1] : ldexp(x, (int)(lrand48() % 200)); break;
    case DENORMAL: term[k] = ldexp(x, -1022 - (int)(lrand48() % 50)); break;
    case HUGE_ONES: term[k] = x * DBL_MAX; break;
    default: term[k] = lrand48() % 50 ? 0 : ldexp(x, (int)(lrand48() % 100)); break;
    }
  }
  if (kind == CANCELLING && terms > 2) term[terms / 2] = ldexp(term[terms / 2], -70);
  return terms;
}

static void random_sums(void **state)
{
  static double term[MOST], other[MOST], product[MOST];

  (void)state;
  srand48(7);
  for (int trial = 0; trial < 100 * KINDS; trial++) {
    const PetscInt terms  = random_terms(trial % KINDS, term);
    const double   first  = sum_of(terms, term);
    NsExactSum     pieces = {{0}}, products = {{0}};
    Wide           wide = {{0}};

    for (PetscInt k = 0; k < terms; k++) wide_add(&wide, term[k], 1);
    assert_rounded(&wide, first);
    shuffle(terms, term);
    for (PetscInt k = 0, n; k < terms; k += n) {
      n = (PetscInt)(1 + lrand48() % (lrand48() % 3 ? 5 : 600));
      n = PetscMin(n, terms - k);
      NsExactSumAdd(&pieces, n, term + k);
    }
    assert_same_bits(NsExactSumValue(&pieces), first);
    for (PetscInt k = 0; k < terms; k++) {
      other[k]   = drand48();
      product[k] = term[k] * other[k];
    }
    NsExactSumAddProducts(&products, terms, term, other);
    assert_same_bits(NsExactSumValue(&products), sum_of(terms, product));
  }
}

/* The terms dealt out at random. */
static void processes(void **state)
{
  static double term[MOST];
  int           rank, ranks;

  (void)state;
  CHECK(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  srand48(11);
  for (int trial = 0; trial < 10 * KINDS; trial++) {
    const PetscInt terms = random_terms(trial % KINDS, term);
    NsExactSum     mine  = {{0}};

    if (trial % 20 == 19) term[terms / 2] = INFINITY;
    for (PetscInt k = 0; k < terms; k++)
      if (lrand48() % ranks == rank) NsExactSumAdd(&mine, 1, &term[k]);
    CHECK(NsExactSumReduce(&mine, PETSC_COMM_WORLD));
    if (trial % 20 == 19)
      assert_true(isnan(NsExactSumValue(&mine)));
    else
      assert_same_bits(NsExactSumValue(&mine), sum_of(terms, term));
  }
  for (int exponent = 0; exponent < 32; exponent++) { /* as full as chunks get */
    const double x    = ldexp(1 - 0x1p-53, exponent);
    NsExactSum   mine = {{0}}, all = {{0}};

    for (int k = 0; k < 1023; k++) NsExactSumAdd(&mine, 1, &x);
    for (int k = 0; k < 1023 * ranks; k++) NsExactSumAdd(&all, 1, &x);
    CHECK(NsExactSumReduce(&mine, PETSC_COMM_WORLD));
    assert_same_bits(NsExactSumValue(&mine), NsExactSumValue(&all));
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(known_sums),
  cmocka_unit_test(rounding),
  cmocka_unit_test(values_that_are_not_finite),
  cmocka_unit_test(many_carries),
  cmocka_unit_test(random_sums),
  cmocka_unit_test(processes),
};

TEST_MAIN(tests)
