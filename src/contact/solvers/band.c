/*
  LU of matrices with a narrow band: band.h. The inner loops have constant lengths for common widths: a row of a beam's plane bending has three neighbours on each side, and a loop of three of which
  the compiler knows nothing costs as much as twelve.

  Numbers of the inverse within the band, from U Z = L^-1 row by row from the last (K. Takahashi, J. Fagan, M. Chin 1973):

      Z_ij = (delta_ij - sum_k U_ik Z_kj) / U_ii     for i <= j <= i + half, k = i + 1 .. i + half, where Z_kj = Z_jk
*/
#include "band.h"

#define NS_VANISHING 1e-15

static inline PetscInt factor_band(PetscInt n, const PetscInt half, const PetscReal *like, PetscReal *A)
{
  const PetscInt width    = NsBandWidth(half);
  PetscInt       replaced = 0;

  for (PetscInt k = 0; k < n; k++) {
    PetscReal      *pivot = A + (PetscInt64)k * width + half;
    const PetscReal least = NS_VANISHING * like[(PetscInt64)k * width + half];
    if (!(PetscAbsReal(*pivot) > least)) {
      *pivot = like[(PetscInt64)k * width + half];
      replaced++;
    }
    const PetscReal inverse = 1 / *pivot;
    *pivot                  = inverse;
    for (PetscInt i = 1; i <= half; i++) {
      PetscReal      *row = pivot + i * (width - 1); /* its entry in the pivot's column */
      const PetscReal l   = *row * inverse;
      *row                = l;
      for (PetscInt j = 1; j <= half; j++) row[j] -= l * pivot[j];
    }
  }
  return replaced;
}

static inline void solve_band(PetscInt n, const PetscInt half, const PetscReal *A, PetscReal *x)
{
  const PetscInt width = NsBandWidth(half);

  for (PetscInt i = 0; i < n; i++) {
    const PetscReal *row = A + (PetscInt64)i * width + half;
    PetscReal        sum = x[i];
    for (PetscInt k = half; k > 0; k--) sum -= row[-k] * x[i - k]; /* the last one found comes last: the others do not wait for it */
    x[i] = sum;
  }
  for (PetscInt i = n - 1; i >= 0; i--) {
    const PetscReal *row = A + (PetscInt64)i * width + half;
    PetscReal        sum = x[i];
    for (PetscInt k = half; k > 0; k--) sum -= row[k] * x[i + k];
    x[i] = sum * row[0];
  }
}

/* The function with a constant width, where it is small. */
#define WITH_CONSTANT_WIDTH(half, call) \
  switch (half) { \
  case 0: call(0); \
  case 1: call(1); \
  case 2: call(2); \
  case 3: call(3); \
  case 4: call(4); \
  case 5: call(5); \
  case 6: call(6); \
  case 7: call(7); \
  case 8: call(8); \
  case 11: call(11); \
  default: call(half); \
  }

PetscInt NsBandLU(PetscInt n, PetscInt half, const PetscReal *like, PetscReal *A)
{
#define CALL(h) return factor_band(n, h, like, A)
  WITH_CONSTANT_WIDTH(half, CALL)
#undef CALL
}

void NsBandBack(PetscInt n, PetscInt half, const PetscReal *factor, PetscReal *x)
{
#define CALL(h) \
  solve_band(n, h, factor, x); \
  break
  WITH_CONSTANT_WIDTH(half, CALL)
#undef CALL
}

void NsBandInverse(PetscInt n, PetscInt half, const PetscReal *factor, PetscReal *inverse)
{
  const PetscInt width = NsBandWidth(half);

  for (PetscInt64 k = 0; k < (PetscInt64)n * width; k++) inverse[k] = 0;
  for (PetscInt i = n - 1; i >= 0; i--) {
    const PetscReal *row = factor + (PetscInt64)i * width + half;
    const PetscInt   end = PetscMin(i + half, n - 1);
    for (PetscInt j = end; j >= i; j--) {
      PetscReal sum = i == j ? 1 : 0;
      for (PetscInt k = i + 1; k <= end; k++) sum -= row[k - i] * inverse[(PetscInt64)k * width + half + j - k];
      inverse[(PetscInt64)i * width + half + j - i] = inverse[(PetscInt64)j * width + half + i - j] = sum * row[0];
    }
  }
}
