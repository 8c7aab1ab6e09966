/*
  One step of a reduced model without contact, exact for any length, and the response to a force that is constant within it:

      x1 = S x0 + Q g + sum_k (response to size_k(t)),   x = (eta, eta')

  from the first-order form x' = A x + (0, g). Uncoupled modes have 2 x 2 blocks, undamped ones in closed form; groups have a dense block, by the matrix
  exponential of A and its integrals. Sizes of loads are parabolas through their values at the beginning, the middle and the end of the step: exact for constant, linear and
  quadratic ones, of order 4 for others.
*/
#pragma once
#include "model/reduced.h"
#include "percuss/workspace.h"

typedef struct {
  const NsReduced *reduced; /* not owned */
  PetscReal        dt;
  PetscReal       *S[2][2], *Q[2]; /* [modes] of uncoupled modes */
  PetscReal       *dense;          /* blocks of the groups: S [2 m, 2 m] and Q [2 m, m], column-major, one after the other */
  PetscReal       *constant;       /* [2 modes] of all loads that are constant */
  PetscReal       *varying;        /* [loads - 2][3][2 modes] of the others, for each of the three values */
  PetscReal       *work;           /* [4 modes] scratch */
} NsModalFlight;

PetscErrorCode NsModalFlightDeclare(NsWorkspace *work, const NsReduced *reduced, NsModalFlight *self);
/* For steps of this length; allocates, unless they were before. */
PetscErrorCode NsModalFlightPrepare(NsModalFlight *self, PetscReal dt);
/* x1 of x0, both [2 modes]; size[3][loads] at the beginning, the middle and the end. */
void NsModalFly(const NsModalFlight *self, const PetscReal *x0, PetscReal *const size[3], PetscReal *x1);
/* x += Q g. */
void NsModalPush(const NsModalFlight *self, const PetscReal *g, PetscReal *x);
