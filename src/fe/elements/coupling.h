/*
  Coupling: what two nodes of a body that is given by its matrices have in common; its matrices are the sum of its couplings.

  With B the block of K that joins the DOF of the first node with those of the second one, S = (B + B')/2 of its displacements, and R what is left of the nodes' own blocks (held DOF, springs to
  ground, all rotations; given to one coupling of each node):

      K_e = [-S + R_1, B; B', -S + R_2]        M_e = [M_1, M_12; M_21, M_2],  M_1, M_2: all of the node, in one of its couplings

  Rows of displacements in which a rotation of the other node occurs are completed likewise. So its elastic energy

      -d' S d/2 + u' (B - B') d/2 + ...,   d: difference of the displacements of the two nodes, u: of the first one

  has no square of rigid displacements, whose digits it would lose. A coupling alone is no element: its energy, its mass may be negative. Bounds therefore come from the whole
  body (`cell`).
*/
#pragma once
#include "element.h"

/* Of one node alone, [d, d] row-major; NULL: nothing. */
typedef struct {
  const PetscReal *K, *M, *C, *G, *N;
} NsCouplingRest;

typedef struct {
  const PetscReal      *K, *M, *C; /* [d, d] first node by second node, row-major; NULL: zero */
  const PetscReal      *G, *N;     /* the same of skew matrices, of velocities and of displacements */
  const NsCouplingRest *rest[2];   /* NULL: in other couplings of this node */
  PetscBool             drawn;
} NsCoupling;

/* Share of a coupling's block B[d, d] in the own block of its first or second (end 1) node, own[d, d]. */
void NsCouplingShare(const NsFeBody *body, const PetscReal *B, int end, PetscReal *own);
