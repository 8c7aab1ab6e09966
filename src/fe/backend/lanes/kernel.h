/*
  Long chains in lanes: the data that the set-up (src/fe/backend/lanes/lanes.c) passes to the kernels (src/fe/backend/lanes/kernel.c), which are compiled once for each kind of CPU.
*/
#pragma once
#include <petscsys.h>

#define NS_LANES       8  /* pieces of a chain */
#define NS_LANE_BLOCK  16 /* rows of a block of coefficients */
#define NS_LANE_WIDEST 16 /* largest half width of the band, at most NS_LANE_BLOCK */
#define NS_LANE_HALO   (2 * NS_LANE_WIDEST + 1)

/* Row j of a table of `width` numbers a lane: table[j / NS_LANE_BLOCK] + (j % NS_LANE_BLOCK) * width * NS_LANES, numbers of one lane NS_LANES apart. Blocks are aligned
   to 64 bytes, equal ones stored once. */
typedef const PetscReal *const *NsLaneRows;

/* Rows of all lanes are row 0 .. full - 1; the first `rest` lanes have a row `full` too. */
typedef struct {
  PetscInt        width; /* B, half width of all matrices and factors */
  PetscInt        full, rest;
  const PetscInt *halo; /* [2 B + 1][lanes] indices that continue each lane: rows -B .. -1, then rows full .. full + B. Beyond the chain: its end */
} NsLaneShape;

/* An entry outside the band, or a row sum that differences do not include; sorted by blocks. */
typedef struct {
  PetscInt  row, column; /* indices */
  PetscReal K, C;
} NsLaneExtra;

/*
  K and C of the force. Width 2 B + 1: entries of columns j - B .. j + B. Differences (B = 1 and both symmetric): K has width 1, minus the entry that couples
  rows j - 1 and j; C width 2, the same and the sum of its row; both are right one row beyond the end of a lane too.
*/
typedef struct {
  PetscBool    differences;
  NsLaneRows   K, C; /* C: NULL without */
  NsLaneExtra *extra;
  PetscInt    *first_extra; /* [blocks + 1] of a block's rows; NULL: no extra entries */
  PetscReal   *extra_force; /* [extras] work array */
} NsLaneForce;

/*
  A = U D U', the first B rows of each piece eliminated last. A piece: rows first[s] .. first[s + 1] - 1 of one lane; first[s] is a multiple of NS_LANE_BLOCK.
    down: [B]      U_{j, j + 1} .. U_{j, j + B} within the piece
    up:   [B + 1]  1/D_j, U_{j - 1, j} .. U_{j - B, j} within the piece
    spike:[B]      the same of the first B rows of the next piece, column j; NULL where all of a block is below rounding
  coupled: spikes reach from end to end (one piece a lane); then the first rows of all lanes have a matrix of their own, of lane * B + row, half width 2 B - 1:
    L D L' in rows of 2 B: L_{i, i - 2 B + 1} .. L_{i, i - 1}, 1/D_i.  Their rows of `up` are those of the identity.
*/
typedef struct {
  PetscInt        pieces; /* of a lane */
  const PetscInt *first;  /* [pieces + 1] */
  NsLaneRows      down, up, spike;
  PetscReal      *reduced; /* [lanes B][2 B]; NULL: not coupled */
} NsLaneFactor;

typedef struct {
  /* a = M^-1 (h - K q - C v), h NULL for zero */
  void (*accel)(
    const NsLaneShape *, const NsLaneForce *, const NsLaneFactor *, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a);
  void (*flight)(const NsLaneShape *, const NsLaneForce *, const NsLaneFactor *, PetscReal dt, const PetscReal *q0, const PetscReal *v0,
    const PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1);
  void (*solve)(const NsLaneShape *, const NsLaneFactor *, const PetscReal *b, PetscReal *x);
  void (*force)(const NsLaneShape *, const NsLaneForce *, const PetscReal *q, const PetscReal *v, PetscReal *h); /* h -= K q + C v */
  void (*mult)(const NsLaneShape *, NsLaneRows A, const PetscReal *x, PetscReal *y);
  PetscReal (*product)(const NsLaneShape *, NsLaneRows A, const PetscReal *x, const PetscReal *y); /* x' A y */
} NsLaneKernel;

extern const NsLaneKernel NsLaneKernel_baseline, NsLaneKernel_avx2, NsLaneKernel_avx512; /* the latter two: x86-64 only */
