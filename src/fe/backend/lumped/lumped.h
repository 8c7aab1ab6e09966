/*
  Forces of a model whose mass matrix is diagonal, computed element by element: one pass over the mesh instead of products with sparse matrices.

      f = -K q - C v,     C = Rayleigh + dashpots + gyroscopic terms at constant spin

  Stiffness-proportional Rayleigh damping b K v costs no extra pass: elements act on w = q + b v. The kind of the bodies decides how their elements are summed:

      chains    bars, one unknown a node:       f_i = k_(i+1) (w_(i+1) - w_i) - k_i (w_i - w_(i-1)),   predicted, summed and divided block by block
      axial     trusses:                        f_a = g (g . (w_b - w_a)) = -f_b,   g = sqrt(E A/l) times the direction
      dense     beams, frames, rotors:          f = -K_e w - C_e v,   6 x 6 to 12 x 12
      wide      elements of more than two nodes, of few kinds: the same, gathered and scattered node by node
      tets      tetrahedra with straight edges: strains, stresses and forces from 10 numbers each
      pairs     other solid elements of many kinds: f_i = -sum_j K_ij (w_j - w_i),   each pair of nodes once
      joints    springs, bearings, discs:       the same for the few unknowns that they join, after everything else

  Equal numbers are stored once: blocks of 128 coefficients of a chain, directions, element matrices. A step of a uniform bar then reads and writes its vectors and nothing else.

  Each process handles all components that act on an unknown it owns, in the order of the whole model, and sums each owned unknown by the same formula: the results
  have the same bits on any number of processes. (On processors with a fused a b + c this needs -ffp-contract=off, because the compiler treats the last iterations of a
  loop differently.)

  Cost of a flight of a chain: 9 numbers of memory traffic per unknown (three read, three fetched and written). Axial elements: 12 bytes each, and the
  directions that differ; dense elements: their product, and the matrices that differ. Trusses and beams also need 4 numbers per unknown for motions and forces by nodes,
  in which supported motions are zeros, so that elements need not check for supports.
*/
#pragma once
#include "core/processor.h"
#include "core/pool.h"
#include "fe/model/fe.h"
#include "fe/model/sparse.h"

#define NS_LUMPED_BLOCK 128

/* A vector in blocks of NS_LUMPED_BLOCK numbers, of which equal ones are stored once. */
typedef struct {
  NsPool     distinct;
  int       *block; /* NULL: the vector is zero */
  PetscBool *even;  /* [rows] all numbers of the row are equal */
} NsBlocks;

/* Indices first .. end - 1 of a bar, each joined to the next. Beyond its ends: a ghost, a support (index -1), or nothing (stiffness 0). */
typedef struct {
  PetscInt  first, end, before, after;
  PetscReal k_before, k_after; /* N/m */
  PetscReal damping_stiffness; /* s */
  PetscBool damped;            /* Rayleigh damping */
} NsChainRun;

/* Consecutive unknowns: indices in vectors, entries of the values by nodes. */
typedef struct {
  PetscInt  index, entry, count;
  PetscReal damping_stiffness; /* s */
} NsNodeRun;

/* Tetrahedra of four or ten nodes, NS_TETS at a time; the last block is filled up with elements of no stiffness. */
enum { NS_TETS = 8, NS_TET_NUMBERS = 10 };
typedef struct {
  PetscInt   nodes, blocks;
  int       *member; /* [blocks, NS_TETS, nodes] first entry of each node */
  PetscReal *shape;  /* [blocks, NS_TET_NUMBERS, NS_TETS]: gradients of the last three corners' functions times sqrt(mu V/points), then lambda/mu */
} NsTets;

/* Pairs of nodes that share elements; row r is of the node with the lower entries. */
typedef struct {
  PetscInt   d, rows;
  int       *entry; /* [rows] */
  int       *start; /* [rows + 1] */
  int       *other; /* [start[rows]] first entry of the other node */
  PetscReal *K;     /* [start[rows], d, d] row by row */
  PetscReal *hoop;  /* [rows, d] forces for a unit displacement of all nodes along r; NULL: not axisymmetric */
} NsPairs;

/* Elements of one body. */
typedef struct {
  NsTets   *tets; /* NULL: none; where there are some, or pairs, there are no members */
  NsPairs  *pairs;
  PetscInt  nodes, node_unknowns, members;
  PetscBool axial, rates; /* rates: it has C and D */
  PetscInt
    slides; /* for the DOF from this one on of a node, K w is that of w relative to the first node: translations; not of axisymmetric bodies along r */
  int   *member; /* [members, nodes + 1] first entry of each node, then a row of `kinds` */
  NsPool kinds;  /* axial: g [d]; else K, and with rates C and D (dampers without Rayleigh's), [n, n] each, n = nodes d, column by column */
} NsGroup;

typedef struct {
  PetscInt   n;
  int       *index, *item;    /* [n]; item: entry of item_force where it is summed, -1: on another process */
  PetscReal *K, *C, *dampers; /* [n, n]; NULL: zero */
} NsJoint;

typedef struct {
  PetscInt  owned, local;
  PetscInt *natural; /* [local] owned unknowns ascending, then ghosts ascending: for NsLayoutCreate; NULL without owner_of: natural order */
  int      *owner;   /* [local] */
  PetscBool damped;  /* forces depend on velocities; the same on all processes */
  /* private */
  NsBlocks    mass, inverse, drag; /* drag: of the masses, N s/m */
  NsBlocks    coupling;            /* [i] between indices i - 1 and i of one run; its blocks hold one number more */
  PetscInt    runs;
  NsChainRun *run;
  PetscInt    entries, own_node_runs, node_runs; /* runs of ghosts come last */
  NsNodeRun  *node_run;
  PetscReal  *motion, *rate, *force; /* [entries] w, v, f of trusses and beams; rate: NULL where no group needs it */
  PetscInt    groups;
  NsGroup    *group;
  PetscInt    joints, items;
  NsJoint    *joint;
  int        *item_index; /* [items] */
  PetscReal  *item_force;
  PetscInt    borders; /* indices that are ghosts of other processes, of chains and joints */
  int        *border;
} NsLumped;

/* src/fe/backend/lumped/tets.c: members: elements of the body, ascending; entry[nodes]: of the model's nodes. */
PetscErrorCode NsTetsCreate(const NsFe *fe, const NsFeBody *body, PetscInt members, const PetscInt *member, const int *entry, NsTets **tets);
PetscErrorCode NsTetsDestroy(NsTets **tets);
/* force -= K motion */
void NsTetsAdd(const NsTets *tets, const PetscReal *motion, PetscReal *force);
/* Whether an element is a tetrahedron with straight edges, of isotropic material. */
PetscBool NsTetsTake(const NsFeElement *e);

/* src/fe/backend/lumped/pairs.c: the same of any solid elements. */
/* Whether more than a quarter of a body's elements have a matrix of their own: pairs then take fewer numbers. Found from all elements: on all processes the same. */
PetscErrorCode NsPairsSuit(const NsFe *fe, const NsFeBody *body, PetscBool *result);
PetscErrorCode NsPairsCreate(const NsFe *fe, const NsFeBody *body, PetscInt members, const PetscInt *member, const int *entry, NsPairs **pairs);
PetscErrorCode NsPairsDestroy(NsPairs **pairs);
void           NsPairsAdd(const NsPairs *pairs, const PetscReal *motion, PetscReal *force);

/* src/fe/backend/lumped/wide.c: forces of elements of more than two nodes. which: the dampers among the matrices of a kind; rate: NULL without C and dampers. */
void NsLumpedAddWide(const NsGroup *group, int which, const PetscReal *motion, const PetscReal *rate, PetscReal *force);

/* Of the unknowns that owner_of[unknowns] gives to this rank, NULL: of all. M: at least their rows, diagonal. */
PetscErrorCode NsLumpedCreate(const NsFe *fe, const NsSparse *M, int rank, const int *owner_of, NsLumped **lumped);
PetscErrorCode NsLumpedDestroy(NsLumped **lumped);

/*
  Vectors are `local` long. Ghosts of arguments must be valid; of results only owned indices are written.
*/
/* h -= K q + C v */
void NsLumpedForce(NsLumped *lumped, const PetscReal *q, const PetscReal *v, PetscReal *h);
/* a = M^-1 (h - K q - C v); h: NULL for zero. */
void NsLumpedAccel(NsLumped *lumped, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a);
/* First half of a free flight: q1, and with damping v1 = va, at all indices that are ghosts of other processes. */
void NsLumpedPredict(NsLumped *lumped, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, PetscReal *q1, PetscReal *v1);
/* The rest of it, once the ghosts of q1, and with damping those of v1, are valid; h: NULL for zero. The arrays must not overlap. */
void NsLumpedFlight(NsLumped *lumped, PetscReal dt, const PetscReal *q0, const PetscReal *v0, const PetscReal *a0, const PetscReal *h, PetscReal *q1,
  PetscReal *v1, PetscReal *a1);
/* y = (C without gyroscopic terms) v */
void NsLumpedDamping(NsLumped *lumped, const PetscReal *v, PetscReal *y);
/* y = M x of `count` indices from `first` on, x[count], y[count]. */
void NsLumpedMult(const NsLumped *lumped, PetscInt first, PetscInt count, const PetscReal *x, PetscReal *y);
/* x = (scale M)^-1 b */
void NsLumpedSolve(const NsLumped *lumped, PetscReal scale, const PetscReal *b, PetscReal *x);
