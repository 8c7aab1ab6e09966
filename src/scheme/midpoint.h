/*
  What Moreau's midpoint scheme and those built on it have in common: the velocity step of

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, (8)-(13).

      qM = q0 + dt/2 v0,   M, h, W at qM
      v1 = v0 + M^-1 (dt h(tM, qM, v0) + W P),   0 <= W'(v1 + e v0)  _|_  P >= 0  (and friction)  where g(qM) <= 0
*/
#pragma once
#include "percussion.h"

/* The first member of the private data of all of them. */
typedef struct {
  NsPercussion p; /* slot 0, A = M */
  Vec          a, qm;
} NsMidpoint;

/* held: with `positions: held`. */
PetscErrorCode NsMidpointDeclare(NsScheme *scheme, NsWorkspace *work, PetscBool held);
PetscErrorCode NsMidpointStart(NsScheme *scheme, const NsState *state);
/* p.v1 and p.vm, reports and ledger; NsPercussionFinish ends the step. */
PetscErrorCode NsMidpointVelocity(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome);
/* With q1 = q0 + dt vm: the leapfrog, dt < 2/omega_max without damping. */
void NsMidpointAmplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4]);
