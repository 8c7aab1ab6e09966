/*
  Long chains in lanes: a row of eight numbers, one a lane, in SIMD registers; and what one solve works with. Only for kernel.c, which is compiled once for each kind
  of CPU.
*/
#pragma once
#include <stdbool.h>
#include "kernel.h"

#if defined(__AVX512F__)
#define NATIVE 8
#elif defined(__AVX__)
#define NATIVE 4
#else
#define NATIVE 2
#endif
#define PARTS  (NS_LANES / NATIVE)
#define EACH   for (int part = 0; part < PARTS; part++)
#define INLINE static inline __attribute__((always_inline))

typedef PetscReal Vector __attribute__((vector_size(NATIVE * sizeof(PetscReal))));
typedef PetscReal Loose __attribute__((vector_size(NATIVE * sizeof(PetscReal)), aligned(8), may_alias));
typedef struct {
  Vector part[PARTS];
} Row; /* one number a lane */

enum { W = NS_LANES, BLOCK = NS_LANE_BLOCK, WIDEST = NS_LANE_WIDEST };

INLINE Row load(const PetscReal *x)
{
  Row  r;
  EACH r.part[part] = ((const Loose *)x)[part];
  return r;
}

INLINE void store(PetscReal *x, Row r)
{
  EACH((Loose *)x)[part] = r.part[part];
}

INLINE Row zero(void)
{
  Row  r;
  EACH r.part[part] = (Vector){0};
  return r;
}

INLINE Row sum(Row a, Row b)
{
  EACH a.part[part] += b.part[part];
  return a;
}

INLINE Row difference(Row a, Row b)
{
  EACH a.part[part] -= b.part[part];
  return a;
}

INLINE Row product(Row a, Row b)
{
  EACH a.part[part] *= b.part[part];
  return a;
}

/* a + b c, a - b c, a + s b */
INLINE Row plus(Row a, Row b, Row c)
{
  EACH a.part[part] = a.part[part] + b.part[part] * c.part[part];
  return a;
}

INLINE Row minus(Row a, Row b, Row c)
{
  EACH a.part[part] = a.part[part] - b.part[part] * c.part[part];
  return a;
}

INLINE Row plus_scaled(Row a, PetscReal s, Row b)
{
  EACH a.part[part] = a.part[part] + s * b.part[part];
  return a;
}

/* The first `count` lanes, zero in the others. */
INLINE Row load_some(const PetscReal *x, PetscInt count)
{
  PetscReal all[W] = {0};
  for (PetscInt c = 0; c < count; c++) all[c] = x[c];
  return load(all);
}

INLINE void store_some(PetscReal *x, Row r, PetscInt count)
{
  PetscReal all[W];
  store(all, r);
  for (PetscInt c = 0; c < count; c++) x[c] = all[c];
}

INLINE const PetscReal *row_of(NsLaneRows table, PetscInt width, PetscInt j)
{
  return table[j / BLOCK] + j % BLOCK * width * W;
}

INLINE PetscInt least(PetscInt a, PetscInt b)
{
  return a < b ? a : b;
}

INLINE PetscInt most(PetscInt a, PetscInt b)
{
  return a > b ? a : b;
}

/* Loops use a copy: the compiler must assume that a store changes anything in memory. */
typedef struct {
  PetscReal        dt;
  const PetscReal *q0, *v0, *a0, *h;
  PetscReal       *q1, *v1; /* flight only */
  const PetscReal *q, *v;
  PetscReal       *a;
} Arrays;

/* What one solve works with. A flight predicts q = q1 and v = v1 (v0 + dt a0 until the sweep upwards) first. */
typedef struct {
  const NsLaneShape  *shape;
  const NsLaneForce  *force; /* NULL: h is all there is */
  const NsLaneFactor *factor;
  PetscBool           flight;
  Arrays              x;
  PetscReal           halo_q[NS_LANE_HALO * W], halo_v[NS_LANE_HALO * W];
  PetscReal           tail[W]; /* of a, row `full` */
} Work;

/* Each lane's continuation into its neighbours. */
INLINE void take_halo(const NsLaneShape *shape, const PetscReal *x, PetscReal *halo)
{
  const PetscInt count = (2 * shape->width + 1) * W;
  for (PetscInt i = 0; i < count; i++) halo[i] = x[shape->halo[i]];
}

/* Row j of x, -B <= j <= full + B. */
INLINE const PetscReal *any_row(const PetscInt B, PetscInt full, const PetscReal *x, const PetscReal *halo, PetscInt j)
{
  return j < 0 ? halo + (j + B) * W : j < full ? x + j * W : halo + (B + j - full) * W;
}
