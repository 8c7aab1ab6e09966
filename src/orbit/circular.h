/*
  What a model is for circular orbits (circular.c); made in circular_system.c.
*/
#pragma once
#include <petscvec.h>
#include "orbit.h"
#include "parts.h"

#define NS_APART 1e-5 /* central differences, of the largest state of its kind */
#define NS_ROUND 1e-6 /* of the largest acceleration: how far a circle may be from solving the equations elsewhere */

struct NsOrbitCircle {
  NsModel      *model;
  PetscInt      n, entries, *to, *from; /* S: (S x)[to] += value x[from] */
  PetscReal    *value;
  PetscBool    *turns;                    /* [n] a rotation, not a displacement */
  PetscReal    *M, *K, *C, *D;            /* [n, n] factored; M^-1 K, M^-1 C at rest; scratch */
  PetscBLASInt *pivot, *pivot_D;          /* [n] */
  PetscReal    *A;                        /* [2 n, 2 n] of the last residual with a Jacobian */
  PetscReal    *force, *gap;              /* [candidates] of the last evaluation */
  PetscReal    *b, *G, *rate, *up, *down; /* [candidates][n], [candidates, candidates], [rows], [2 n], [2 n] */
  Vec           q, v, h;
  NsRows        rows;
};

/* y = S x of one half of a state. */
void NsOrbitTurn(const NsOrbitCircle *circle, const PetscReal *x, PetscReal *y);
/* y = R(angle) x = x + sin S x + (1 - cos) S^2 x of both halves; work[2 n]. */
void NsOrbitRotate(const NsOrbitCircle *circle, PetscReal angle, const PetscReal *x, PetscReal *y, PetscReal *work);
