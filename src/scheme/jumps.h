/*
  Steps that end where loads or speeds jump or bend (NsModelTimes), for schemes that choose their steps.

  A step to a jump ends just before it, so that no stage evaluates the load after it; then the time is set to the jump, and what was known of forces there is computed anew.
*/
#pragma once
#include "percuss/model.h"

static inline PetscReal NsJumpShort(PetscReal jump)
{
  return 2 * PETSC_MACHINE_EPSILON * PetscAbsReal(jump);
}

/* The longest step from t: to the next jump, and at most this part of the shortest period, because a body at rest has no error that would show oscillating forces. */
static inline PetscReal NsJumpStep(const NsTimes *times, PetscReal t, PetscReal part)
{
  return PetscMin(times->next - NsJumpShort(times->next) - t, part * times->period);
}

static inline PetscBool NsJumpIsAt(const NsTimes *times, PetscReal t)
{
  return times->next - t <= 2 * NsJumpShort(times->next);
}

/* Moves *t behind all jumps within the rounding of time. */
static inline PetscErrorCode NsJumpArrive(NsModel *model, Vec v, PetscReal *t)
{
  NsTimes times;

  PetscFunctionBegin;
  for (;;) {
    PetscCall(NsModelTimes(model, *t, v, &times));
    if (!NsJumpIsAt(&times, *t)) break;
    *t = times.next;
  }
  PetscFunctionReturn(0);
}
