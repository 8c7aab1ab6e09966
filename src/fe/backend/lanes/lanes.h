/*
  Long chains on one process: unknowns in natural order whose matrices have a narrow band, cut into eight pieces that are computed at once, one in each SIMD lane.

  Why: products and solves of a long bar, beam or shaft wait for memory or for the result of the row before; here eight rows take that time. Vectors have their own order
  (NsLanesNatural): index 8 j + c holds row j of piece c; the first n mod 8 pieces have one row more. There is no padding, and arrays need not be
  aligned, though 64 bytes make short chains faster. Equal rows of coefficients are stored once, so a uniform chain reads little but its vectors.

  Limits: the half width of matrices is at most 16, except for a few entries of K and C outside the band (a spring between distant points); M is positive definite. Short chains
  are faster without lanes: then NsLanesCreate makes none.

  K of a bar (half width 1, symmetric) acts on differences of neighbours: rigid motion makes exactly no force.

  Only Create allocates. Arrays are in the order of lanes; arguments must not overlap.
*/
#pragma once
#include "fe/model/sparse.h"

typedef struct NsLanes       NsLanes;
typedef struct NsLanesFactor NsLanesFactor;

/* All rows of M, K, C, dampers, in natural order; C and dampers: NULL or no rows for none. *lanes = NULL where plain storage is better. */
PetscErrorCode NsLanesCreate(const NsSparse *M, const NsSparse *K, const NsSparse *C, const NsSparse *dampers, NsLanes **lanes);
PetscErrorCode NsLanesDestroy(NsLanes **lanes);
/* natural[n] of each index */
const PetscInt *NsLanesNatural(const NsLanes *lanes);

/* a = M^-1 (h - K q - C v); h: NULL for zero. */
void NsLanesAccel(const NsLanes *lanes, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a);
/* q1 = q0 + dt v0 + dt^2/2 a0, a1 = M^-1 (h - K q1 - C (v0 + dt a0)), v1 = v0 + dt/2 (a0 + a1); h: NULL for zero. */
void NsLanesFlight(const NsLanes *lanes, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, const PetscReal *h,
  PetscReal *q1, PetscReal *v1, PetscReal *a1);
/* h -= K q + C v */
void NsLanesForce(const NsLanes *lanes, const PetscReal *q, const PetscReal *v, PetscReal *h);
/* y = M x */
void NsLanesMult(const NsLanes *lanes, const PetscReal *x, PetscReal *y);
/* x' M y, and x' (dampers) y */
PetscReal NsLanesMassProduct(const NsLanes *lanes, const PetscReal *x, const PetscReal *y);
PetscReal NsLanesDampersProduct(const NsLanes *lanes, const PetscReal *x, const PetscReal *y);

/* Of a symmetric A of these unknowns; destroy it before the lanes. *factor = NULL: A has entries outside the band, or is not positive definite. */
PetscErrorCode NsLanesFactorCreate(const NsLanes *lanes, const NsSparse *A, NsLanesFactor **factor);
PetscErrorCode NsLanesFactorDestroy(NsLanesFactor **factor);
/* x = A^-1 b; factor: NULL for M. */
void NsLanesSolve(const NsLanes *lanes, const NsLanesFactor *factor, const PetscReal *b, PetscReal *x);

/* Kernels that this CPU supports, 0 .. count - 1, by register width; Create chooses one. For tests and benchmarks. */
int         NsLanesKernels(void);
const char *NsLanesUseKernel(NsLanes *lanes, int kernel);
/* Name of the widest one: results of different kernels differ in the last digits. */
const char *NsLanesWidestKernel(void);
