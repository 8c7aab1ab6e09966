/*
  Common code of schemes with one percussion per step: P contains force and impulse of the whole step.

      v1 = v_free + A^-1 W P,   0 <= W'v1 + e u^-  _|_  P >= 0  (and friction) on the active contacts

  They differ in A, in where W is evaluated, in u^-, and in what makes a contact active. P is reported as impulse; it is an impact at a contact that was not active in
  the step before.

  Ledger: with vm = (v0 + v1)/2 the change of kinetic energy is vm' M (v1 - v0) for constant M, so forces work with vm, and percussions with the mean of W'v0 and W'v1.
*/
#pragma once
#include "hold.h"

/* The first member of the private data of all of them. */
typedef struct {
  NsCompliance *compliance; /* of A */
  Vec           v1, vm;
  NsRows        w;                /* of the active contacts; none: w.contacts = 0 */
  PetscReal    *P, *u0, *u1;      /* [rows] P, and the velocities around it */
  PetscBool    *was, *is, *newly; /* [candidates] active in the last step, in this one; [active] in this one only */
  NsHold       *hold;             /* NULL: positions are free */
} NsPercussion;

/* held: with `positions: held` (hold.h). Closed contacts are active, then, whatever a forecast says: over a convex surface it would take them for open. */
PetscErrorCode NsPercussionDeclare(NsScheme *scheme, NsWorkspace *work, PetscInt slot, PetscBool held);
/* Updates the compliance, so that no step allocates for its first contact, and finds the active contacts. */
PetscErrorCode NsPercussionStart(NsScheme *scheme, const NsState *state, NsOperator op);
/* The first `count` of the selected candidates are the active ones. The rows are the caller's to fill, if there are any. */
PetscErrorCode NsPercussionActivate(NsScheme *scheme, PetscInt count);
/* The candidates closed by the gaps of the last NsContactGaps are the active ones; how many. */
PetscErrorCode NsPercussionActivateClosed(NsScheme *scheme, PetscInt *count);
/* Where positions are held: those that are closed join the first *count of the selected candidates. */
PetscErrorCode NsPercussionKeep(NsScheme *scheme, PetscInt *count);
/* P of the rows w with u^- = before[rows], applied to v, which holds v_free. A is factored. Not solvable: a reason in outcome. */
PetscErrorCode NsPercussionSolve(NsScheme *scheme, const PetscReal *before, Vec v, NsStepOutcome *outcome);
/* vm from v0 and v1. */
PetscErrorCode NsPercussionMean(NsScheme *scheme, Vec v0);
/* Reports of the percussions. */
PetscErrorCode NsPercussionReport(NsScheme *scheme, Vec v0);
/* The same, and work of dampers and loads at (t, q, v); v NULL: at vm, which this changes. The contact history is not changed: the step may still fail. */
PetscErrorCode NsPercussionBook(NsScheme *scheme, Vec v0, PetscReal t, Vec q, Vec v, PetscReal dt);
/* Where positions are held: *q1 put onto g = 0 at t1, in the metric of the mass; after NsPercussionBook. */
PetscErrorCode NsPercussionPosition(NsScheme *scheme, PetscReal t1, NsCompliance *mass, Vec *q1, NsStepOutcome *outcome);
/* The step is done: updates the contact history and the state from *q1 and v1. */
PetscErrorCode NsPercussionFinish(NsScheme *scheme, NsState *x, PetscReal dt, Vec *q1);
