/*
  What schemes with one percussion a step have in common: P stands for force and impulse of the whole step.

      v1 = v_free + A^-1 W P,   0 <= W'v1 + e u^-  _|_  P >= 0  (and friction) on the active contacts

  They differ in A, in where W is taken, in u^-, and in what makes a contact active. P is reported as impulse; it is an impact at a contact that was not active in
  the step before.

  Ledger: with vm = (v0 + v1)/2 the change of kinetic energy is vm' M (v1 - v0) for constant M, so forces work with vm, and percussions with the mean of W'v0 and W'v1.
*/
#pragma once
#include "hold.h"

typedef struct {
  NsCompliance *compliance; /* of A */
  Vec           v1, vm;
  NsRows        w;                /* of the active contacts; none: w.contacts = 0 */
  PetscReal    *P, *u0, *u1;      /* [rows] P, and the velocities around it */
  PetscBool    *was, *is, *newly; /* [candidates] active in the last step, in this one; [active] in this one only */
  NsHold       *hold;             /* NULL: positions are free */
} NsPercussion;

PetscErrorCode NsPercussionCreate(NsScheme *scheme, PetscInt slot, NsPercussion *self);
/* `positions: held` (hold.h) from now on; at set-up. Closed contacts are active, then, wherever a forecast sees them: over a convex one it sees them open. */
PetscErrorCode NsPercussionHold(NsScheme *scheme, NsPercussion *self);
PetscErrorCode NsPercussionDestroy(NsPercussion *self);
/* The compliance, so that no step allocates for its first contact; and what is active. */
PetscErrorCode NsPercussionStart(NsScheme *scheme, NsPercussion *self, const NsState *state, NsOperator op);
void           NsPercussionRemember(const NsScheme *scheme, NsPercussion *self, NsMemory *memory);
/* The first `count` of contact->active are the active ones. The rows are the caller's to fill, if there are any. */
PetscErrorCode NsPercussionActivate(NsScheme *scheme, NsPercussion *self, PetscInt count);
/* The candidates closed by the gaps of the last NsContactGaps are the active ones; how many. */
PetscErrorCode NsPercussionActivateClosed(NsScheme *scheme, NsPercussion *self, PetscInt *count);
/* Where positions are held: those that are closed join the first *count of contact->active. */
PetscErrorCode NsPercussionKeep(NsScheme *scheme, NsPercussion *self, PetscInt *count);
/* P of the rows w with u^- = before[rows], applied to v, which holds v_free. A is factored. Not solvable: a reason in outcome. */
PetscErrorCode NsPercussionSolve(NsScheme *scheme, NsPercussion *self, const PetscReal *before, Vec v, NsStepOutcome *outcome);
/* vm from v0 and v1. */
PetscErrorCode NsPercussionMean(NsPercussion *self, Vec v0);
/* Reports of the percussions. */
PetscErrorCode NsPercussionReport(NsScheme *scheme, NsPercussion *self, Vec v0);
/* The same, and work of dampers and loads at (t, q, v); v NULL: at vm, which this changes. Memory of contact stays as it was: the step may still fail. */
PetscErrorCode NsPercussionBook(NsScheme *scheme, NsPercussion *self, Vec v0, PetscReal t, Vec q, Vec v, PetscReal dt);
/* Where positions are held: *q1 put onto g = 0 at t1, in the metric of the mass; after NsPercussionBook. */
PetscErrorCode NsPercussionPosition(NsScheme *scheme, NsPercussion *self, PetscReal t1, NsCompliance *mass, Vec *q1, NsStepOutcome *outcome);
/* The step is done: memory of contact, and the new state from *q1 and v1. */
PetscErrorCode NsPercussionFinish(NsScheme *scheme, NsPercussion *self, NsState *x, PetscReal dt, Vec *q1);
