/*
  Forces of a model whose mass matrix is diagonal, straight from its elements: one pass over the mesh instead of products with sparse matrices.

      f = -K q - C v,     C = Rayleigh + dashpots + gyroscopic terms at constant spin

  Stiffness Rayleigh damping b K v costs no pass of its own: elements act on w = q + b v. What bodies are made of decides how their elements are summed:

      chains    bars, one unknown a node:       f_i = k_(i+1) (w_(i+1) - w_i) - k_i (w_i - w_(i-1)),   predicted, summed and divided block by block
      axial     trusses:                        f_a = g (g . (w_b - w_a)) = -f_b,   g = sqrt(E A/l) times the direction
      dense     beams, frames, rotors:          f = -K_e w - C_e v,   6 x 6 to 12 x 12
      joints    springs, bearings, discs:       the same for the few unknowns they join, after everything else

  Equal numbers are stored once: blocks of 128 coefficients of a chain, directions, element matrices. A uniform bar then streams its vectors and nothing else.

  Each process handles what touches an unknown that it owns, in the same order as any other process, and sums each owned unknown by the same formula: the results
  have the same bits on any number of processes. (Where the processor has a fused a b + c, this needs -ffp-contract=off: a loop's
  last places are compiled apart from the others.)

  Cost of a flight of a chain: 9 numbers of memory traffic an unknown (three read, three written after having been fetched). Of axial elements 12 bytes each and the
  directions that differ; of dense elements their product, and the matrices that differ. Trusses and beams also take 4 numbers an unknown for motions and forces by nodes,
  where supported motions are zeros, so that elements need no look at who is supported.
*/
#pragma once
#include "fe.h"
#include "sparse.h"

#define NS_LUMPED_BLOCK 128

/* Rows of `width` numbers, each stored once. */
typedef struct {
  PetscInt   width, rows, room;
  PetscReal *row;  /* [rows, width] */
  PetscInt   size; /* of index, a power of two */
  int       *index;
} NsDistinct;

/* A vector in blocks of NS_LUMPED_BLOCK numbers, of which equal ones are stored once. */
typedef struct {
  NsDistinct distinct;
  int       *block; /* NULL: the vector is zero */
  PetscBool *even;  /* [rows] all numbers of the row are one */
} NsBlocks;

/* Places first .. end - 1 of a bar, each joined to the next. Beyond its ends: a ghost, a support (place -1), or nothing (stiffness 0). */
typedef struct {
  PetscInt  first, end, before, after;
  PetscReal k_before, k_after; /* N/m */
  PetscReal damping_stiffness; /* s */
  PetscBool damped;            /* by Rayleigh's */
} NsChainRun;

/* Places and slots that follow each other. */
typedef struct {
  PetscInt  place, slot, count;
  PetscReal damping_stiffness; /* s */
} NsSlotRun;

typedef struct {
  int slot[2]; /* first of each node */
  int kind;    /* row of the tables */
} NsMember;

/* Elements of one body. */
typedef struct {
  PetscInt   node_unknowns, members;
  PetscBool  axial, rates; /* rates: it has C and D */
  NsMember  *member;
  NsDistinct kinds; /* axial: g [d]; dense: K, and with rates C and D (dampers without Rayleigh's), [2 d, 2 d] each, column by column */
} NsGroup;

typedef struct {
  PetscInt   n;
  int       *place, *item;    /* [n]; item: where the force is summed, -1: on another process */
  PetscReal *K, *C, *dampers; /* [n, n]; NULL: zero */
} NsJoint;

typedef struct {
  PetscInt  owned, local;
  PetscInt *natural; /* [local] owned unknowns ascending, then ghosts ascending: what NsLayoutCreate wants; NULL without owner_of: natural order */
  int      *owner;   /* [local] */
  PetscBool damped;  /* there is C: velocities matter. The same on all processes */
  /* private */
  NsBlocks    mass, inverse, drag; /* drag: of the masses, N s/m */
  NsBlocks    coupling;            /* [i] between places i - 1 and i of one run; its blocks hold one number more */
  PetscInt    runs;
  NsChainRun *run;
  PetscInt    slots, own_slot_runs, slot_runs; /* those of ghosts come last */
  NsSlotRun  *slot_run;
  PetscReal  *motion, *rate, *pull; /* [slots] w, v, f of trusses and beams; rate: NULL where no group wants it */
  PetscInt    groups;
  NsGroup    *group;
  PetscInt    joints, items;
  NsJoint    *joint;
  int        *item_place; /* [items] */
  PetscReal  *item_force;
  PetscInt    borders; /* places of chains that other processes may want */
  int        *border;
} NsLumped;

/* Of the unknowns that owner_of[unknowns] gives to this rank, NULL: of all. M: at least their rows, diagonal. */
PetscErrorCode NsLumpedCreate(const NsFe *fe, const NsSparse *M, int rank, const int *owner_of, NsLumped **lumped);
PetscErrorCode NsLumpedDestroy(NsLumped **lumped);

/*
  Vectors are `local` long. Arguments have right ghosts; of results only owned places are written.
*/
/* h -= K q + C v */
void NsLumpedForce(NsLumped *lumped, const PetscReal *q, const PetscReal *v, PetscReal *h);
/* a = M^-1 (h - K q - C v); h: NULL for zero. */
void NsLumpedAccel(NsLumped *lumped, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a);
/* First half of a free flight: q1, and with damping v1 = va, at all places that other processes may want. */
void NsLumpedPredict(NsLumped *lumped, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, PetscReal *q1, PetscReal *v1);
/* The rest of it, once the ghosts of q1, and with damping those of v1, are right; h: NULL for zero. No two arrays are one. */
void NsLumpedFlight(NsLumped *lumped, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, const PetscReal *h, PetscReal *q1,
  PetscReal *v1, PetscReal *a1);
/* y = (C without gyroscopic terms) v */
void NsLumpedDamping(NsLumped *lumped, const PetscReal *v, PetscReal *y);
/* y = M x of `count` places from `first` on, x[count], y[count]. */
void NsLumpedMult(const NsLumped *lumped, PetscInt first, PetscInt count, const PetscReal *x, PetscReal *y);
/* x = (scale M)^-1 b */
void NsLumpedSolve(const NsLumped *lumped, PetscReal scale, const PetscReal *b, PetscReal *x);
