/*
  Directions in space that something spans: orthonormal vectors, by Gram and Schmidt.
*/
#pragma once
#include "fe.h"

#define NS_FLAT 1e-3 /* sine of the angle to what is spanned that counts as none */

typedef struct {
  PetscInt  rank;
  PetscReal direction[3][3];
} NsSpan;

/* The part of x outside the span. */
static inline void NsSpanOutside(const NsSpan *span, const PetscReal x[3], PetscReal outside[3])
{
  for (int c = 0; c < 3; c++) outside[c] = x[c];
  for (PetscInt i = 0; i < span->rank; i++) {
    const PetscReal part = NsDot3(outside, span->direction[i]);
    for (int c = 0; c < 3; c++) outside[c] -= part * span->direction[i][c];
  }
}

/* Any x; of zero length: nothing. */
static inline void NsSpanAdd(NsSpan *span, const PetscReal x[3])
{
  PetscReal outside[3];

  if (span->rank == 3) return;
  NsSpanOutside(span, x, outside);
  const PetscReal length = PetscSqrtReal(NsDot3(outside, outside));
  if (!(length > NS_FLAT * PetscSqrtReal(NsDot3(x, x)))) return;
  for (int c = 0; c < 3; c++) span->direction[span->rank][c] = outside[c] / length;
  span->rank++;
}
