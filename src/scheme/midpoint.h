/*
  What Moreau's midpoint scheme and those built on it have in common: the velocity step of

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, (8)-(13).

      qM = q0 + dt/2 v0,   M, h, W at qM
      v1 = v0 + M^-1 (dt h(tM, qM, v0) + W P),   0 <= W'(v1 + e v0)  _|_  P >= 0  (and friction)  where g(qM) <= 0
*/
#pragma once
#include "percuss/scheme.h"

typedef struct {
  NsCompliance *mass; /* slot 0, A = M */
  Vec           a, qm, v1, vm;
  NsRows        w;
  PetscReal    *P, *u0, *u1;
  PetscBool    *was, *is, *newly; /* [candidates] active in the last step, in this one; [active] in this one only */
} NsMidpoint;

PetscErrorCode NsMidpointSetup(NsScheme *scheme, NsMidpoint *self);
PetscErrorCode NsMidpointDestroy(NsMidpoint *self);
PetscErrorCode NsMidpointStart(NsScheme *scheme, NsMidpoint *self, const NsState *state);
/* v1 and vm = (v0 + v1)/2, reports and ledger. Memory of contact stays as it was, so that a step can still fail. */
PetscErrorCode NsMidpointVelocity(NsScheme *scheme, NsMidpoint *self, const NsState *x, PetscReal dt, NsStepOutcome *outcome);
/* The step is done: memory of contact, and the new state from *q1 and v1. */
PetscErrorCode NsMidpointFinish(NsScheme *scheme, NsMidpoint *self, NsState *x, PetscReal dt, Vec *q1);
/* With q1 = q0 + dt vm: the leapfrog, dt < 2/omega_max without damping. */
void NsMidpointAmplification(const void *settings, PetscReal w, PetscReal zeta, PetscReal S[4]);
