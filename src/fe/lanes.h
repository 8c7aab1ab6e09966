/*
  Long chains on one process: unknowns in natural order whose matrices have a narrow band, cut into eight pieces that are worked on at once, one a SIMD lane.

  What for: products and solves of a long bar, beam or shaft wait for memory or for the result of the row before; here eight rows are done in that time. Vectors are in an
  order of their own (NsLanesNatural): places 8 j + c hold row j of piece c; the first n mod 8 pieces have one row more. There is no padding, and arrays need not be
  aligned, though 64 bytes make short chains faster. Equal rows of coefficients are stored once, so a uniform chain reads little but its vectors.

  Limits: matrices of half width 16 at most but for a few entries outside the band (a spring between distant places), which K and C may have; M positive definite. Below
  some length it does not pay. Then there are no lanes.

  K of a bar (half width 1, symmetric) works on differences of neighbours: rigid motion makes exactly no force.

  Nothing here allocates but Create. Arrays are in the order of lanes; no two arguments may be one array, nor overlap.
*/
#pragma once
#include "sparse.h"

typedef struct NsLanes       NsLanes;
typedef struct NsLanesFactor NsLanesFactor;

/* All rows of M, K, C, dampers must be here, in natural order; C and dampers: NULL or no rows for none. *lanes = NULL where plain storage serves better. */
PetscErrorCode NsLanesCreate(const NsSparse *M, const NsSparse *K, const NsSparse *C, const NsSparse *dampers, NsLanes **lanes);
PetscErrorCode NsLanesDestroy(NsLanes **lanes);
/* natural[n] of each place */
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

/* Of a symmetric A with the unknowns of these lanes, which must live longer. *factor = NULL: A has entries outside the band, or is not positive definite. */
PetscErrorCode NsLanesFactorCreate(const NsLanes *lanes, const NsSparse *A, NsLanesFactor **factor);
PetscErrorCode NsLanesFactorDestroy(NsLanesFactor **factor);
/* x = A^-1 b; factor: NULL for M. */
void NsLanesSolve(const NsLanes *lanes, const NsLanesFactor *factor, const PetscReal *b, PetscReal *x);

/* Kernels for kinds of CPU, 0 .. count - 1, in the order of their width: Create chooses. For tests and measurements. */
int         NsLanesKernels(void);
const char *NsLanesUseKernel(NsLanes *lanes, int kernel);
/* The name of the widest one here: results of another one differ in their last digits. */
const char *NsLanesWidestKernel(void);
