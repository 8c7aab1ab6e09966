/*
  Shortest decimals by the Schubfach algorithm: R. Giulietti, "The Schubfach way to render doubles", 2020 (version 4), Figures 4 and 6.

  A double v = c 2^q owns the interval of reals that round to it, [(4c - 2), (4c + 2)] 2^(q-2). With k = floor(log10(2^q)) the interval holds
  at least one and at most ten multiples of 10^k, and at most one of 10^(k+1); one 64 x 128 bit product for each bound and for v says which.
  printf and strtod tried with 15, 16, 17 digits do the same thing 17 times slower (640 ns against 37 ns a number); a run that keeps its history
  each step would spend more time on digits than on physics.

  The 128-bit powers of ten are not a table in the source: they are computed once, exactly, at the first call (one thread only).
*/
#include "decimal.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { K_MIN = -292, K_MAX = 324, LIMBS = 80 }; /* powers of ten that doubles need; 32 LIMBS > 2 log2(10^324) bits */

static struct {
  uint64_t high, low;
} power[K_MAX - K_MIN + 1]; /* ceil(10^k 2^-r), r such that the top bit is set */

/* The top 128 bits of a number, rounded up unless what follows is zero and nothing was `lost` below it. */
static void store_power(int k, const uint32_t *limb, int lost)
{
  uint128 top  = 0;
  int     last = LIMBS - 1, rest = lost;

  while (!limb[last]) last--;
  const int shift = __builtin_clz(limb[last]);
  for (int i = 0; i < 4; i++) top = top << 32 | (last - i >= 0 ? limb[last - i] : 0);
  if (shift) top = top << shift | (last >= 4 ? limb[last - 4] >> (32 - shift) : 0);
  if (last >= 4 && (uint32_t)(limb[last - 4] << shift)) rest = 1;
  for (int i = last - 5; i >= 0; i--) rest |= limb[i] != 0;
  top += (uint128)(rest != 0);
  power[k - K_MIN].high = (uint64_t)(top >> 64);
  power[k - K_MIN].low  = (uint64_t)top;
}

static void compute_powers(void)
{
  uint32_t limb[LIMBS] = {1};

  for (int k = 0; k <= K_MAX; k++) {
    uint64_t carry = 0;

    store_power(k, limb, 0);
    for (int i = 0; i < LIMBS; i++) {
      carry += (uint64_t)limb[i] * 10;
      limb[i] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  /* 10^-k from floor(2^N / 10^k): floors of floors are exact, so dividing by ten again and again loses nothing that counts. */
  memset(limb, 0, sizeof(limb));
  limb[LIMBS - 1] = 1;
  for (int k = -1; k >= K_MIN; k--) {
    uint64_t rest = 0;

    for (int i = LIMBS - 1; i >= 0; i--) {
      rest    = rest << 32 | limb[i];
      limb[i] = (uint32_t)(rest / 10);
      rest %= 10;
    }
    store_power(k, limb, 1);
  }
}

/* Shifts of negative numbers are arithmetic with every compiler that builds this. */
static int floor_log10_pow2(int e, int three_quarters)
{
  return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

static int floor_log2_pow10(int e)
{
  return (e * 1741647) >> 19;
}

/* floor(g cp / 2^128) with its last bit set when something was cut off ("round to odd"): comparisons stay right. */
static uint64_t round_to_odd(uint64_t high, uint64_t low, uint64_t cp)
{
  const uint128 y = (uint128)high * cp + (uint64_t)((uint128)low * cp >> 64);

  return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

/* x = digits 10^exponent; x > 0 with these bits. */
static uint64_t shortest(uint64_t bits, int *exponent)
{
  const uint64_t significand = bits & (((uint64_t)1 << 52) - 1);
  const int      biased      = (int)(bits >> 52);
  const uint64_t c           = biased ? significand | (uint64_t)1 << 52 : significand;
  const int      q           = biased ? biased - 1075 : -1074;
  const int      closer      = significand == 0 && biased > 1; /* a power of two: its lower neighbour is half as far */

  if (q <= 0 && q > -53 && (c & (((uint64_t)1 << -q) - 1)) == 0) { /* an integer below 2^53 */
    *exponent = 0;
    return c >> -q;
  }

  const uint64_t odd = c & 1; /* bounds of the interval belong to it only for even c: reading rounds to even */
  const int      k   = floor_log10_pow2(q, closer);
  const int      h   = q + floor_log2_pow10(-k) + 1;
  const uint64_t g1 = power[-k - K_MIN].high, g0 = power[-k - K_MIN].low;
  const uint64_t lower = round_to_odd(g1, g0, (4 * c - 2 + (uint64_t)closer) << h) + odd;
  const uint64_t vb    = round_to_odd(g1, g0, (4 * c) << h);
  const uint64_t upper = round_to_odd(g1, g0, (4 * c + 2) << h) - odd;
  const uint64_t s     = vb / 4;

  *exponent = k;
  if (s >= 10) { /* one digit less, if exactly one such number is inside */
    const uint64_t sp       = s / 10;
    const int      below_in = lower <= 40 * sp, above_in = 40 * sp + 40 <= upper;

    if (below_in != above_in) {
      *exponent = k + 1;
      return sp + (uint64_t)above_in;
    }
  }
  const int below_in = lower <= 4 * s, above_in = 4 * s + 4 <= upper;
  if (below_in != above_in) return s + (uint64_t)above_in;
  const uint64_t middle = 4 * s + 2;
  return s + (vb > middle || (vb == middle && (s & 1)));
}

int NsDecimal(double x, char *text)
{
  static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
                              "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
  uint64_t          bits;
  char              digits[24];
  char             *first = digits + sizeof(digits), *p = text;

  memcpy(&bits, &x, sizeof(bits));
  if (bits >> 63) *p++ = '-';
  bits &= ~((uint64_t)1 << 63);
  if (bits >= (uint64_t)0x7ff << 52) {
    const int nan = bits > (uint64_t)0x7ff << 52;

    if (nan) p = text; /* the sign of a NaN means nothing */
    memcpy(p, nan ? "nan" : "inf", 3);
    return (int)(p - text) + 3;
  }
  if (!bits) {
    *p++ = '0';
    return (int)(p - text);
  }
  if (!power[0].high) compute_powers();

  int      exponent;
  uint64_t number = shortest(bits, &exponent);
  if (number % 100000000 == 0) {
    number /= 100000000;
    exponent += 8;
  }
  while (number % 10 == 0) {
    number /= 10;
    exponent++;
  }
  for (; number >= 100; number /= 100) memcpy(first -= 2, pairs + 2 * (number % 100), 2);
  if (number >= 10)
    memcpy(first -= 2, pairs + 2 * number, 2);
  else
    *--first = (char)('0' + number);

  const int count = (int)(digits + sizeof(digits) - first);
  int       point = count + exponent; /* x = 0.d1d2d3... 10^point */
  if (point > 17 || point < -3) {
    *p++ = *first;
    if (count > 1) {
      *p++ = '.';
      memcpy(p, first + 1, (size_t)(count - 1));
      p += count - 1;
    }
    point--;
    *p++ = 'e';
    *p++ = point < 0 ? '-' : '+';
    if (point < 0) point = -point;
    if (point >= 100) *p++ = (char)('0' + point / 100);
    memcpy(p, pairs + 2 * (point % 100), 2); /* at least two digits, as printf does */
    p += 2;
  } else if (point <= 0) {
    memcpy(p, "0.000", 5);
    p += 2 - point;
    memcpy(p, first, (size_t)count);
    p += count;
  } else if (exponent >= 0) {
    memcpy(p, first, (size_t)count);
    memset(p + count, '0', (size_t)exponent);
    p += point;
  } else {
    memcpy(p, first, (size_t)point);
    p[point] = '.';
    memcpy(p + point + 1, first + point, (size_t)(count - point));
    p += count + 1;
  }
  return (int)(p - text);
}

void NsPutNumber(FILE *file, double value)
{
  char text[NS_DECIMAL_SIZE];

  if (!isnan(value)) fprintf(file, "%.*s", NsDecimal(value, text), text);
}
