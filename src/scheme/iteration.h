/*
  When a fixed-point or Newton iteration has converged: relative changes below 1e-14, or below 1e-7 and either not decreasing any more (stiff models: forces are small
  differences of large ones) or at the last iteration (normals that turn in long steps: each iteration leaves a part of the change before).

      NsIteration iteration = NsIterationBegin();
      do {
        ...                                            a new value into *next
        NsIterationTake(&iteration, model, &next, &target, least, &size);
        NsIterationEnd(&iteration, outcome, &again);
      } while (again);
*/
#pragma once
#include "percuss/scheme.h"

typedef struct {
  PetscReal change, last; /* largest relative change of this iteration, of the previous one */
  int       count;
  PetscBool
    steadily; /* set if convergence is linear with a constant factor: then the last change is predicted, and no iteration is spent on verifying it */
} NsIteration;

static inline NsIteration NsIterationBegin(void)
{
  return (NsIteration){0, PETSC_MAX_REAL, 0, PETSC_FALSE};
}
/*
  A lower limit of the velocity that changes are relative to: the largest entry of `change`, which forces add in the first iteration of a step, and 1.5e-7 of the positions q in a step, so that 1e-7 of it, the
  largest change of a converged iteration, is the rounding of q over the step: forces of deflected bodies at rest are rounding errors of large ones.
*/
PetscErrorCode NsIterationLeast(const NsModel *model, Vec q, PetscReal dt, Vec change, PetscReal *least);
/* Swaps *next and *target; the change is measured relative to *size: the largest entry, or `least` if that is larger. */
PetscErrorCode NsIterationTake(NsIteration *self, const NsModel *model, Vec *next, Vec *target, PetscReal least, PetscReal *size);
/* Ends the iteration; again: another one is needed. No convergence, NaN or Inf: a reason in outcome. */
PetscErrorCode NsIterationEnd(NsIteration *self, NsStepOutcome *outcome, PetscBool *again);
