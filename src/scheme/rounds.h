/*
  When a fixed-point or Newton iteration has converged: relative changes below 1e-14, or below 1e-7 and either not decreasing any more (stiff models: forces are small
  differences of large ones) or at the last iteration (normals that turn in long steps: each iteration leaves a part of the change before).

      NsRounds rounds = NsRoundsBegin();
      do {
        ...                                            a new value into *next
        NsRoundsTake(&rounds, model, &next, &target, least, &size);
        NsRoundsEnd(&rounds, outcome, &again);
      } while (again);
*/
#pragma once
#include "percuss/scheme.h"

typedef struct {
  PetscReal change, last; /* largest of this round, of the one before, each against its size */
  int       count;
  PetscBool
    steadily; /* set if each change is about the same fraction of the one before: then no iteration is needed only to see that nothing changes */
} NsRounds;

static inline NsRounds NsRoundsBegin(void)
{
  return (NsRounds){0, PETSC_MAX_REAL, 0, PETSC_FALSE};
}
/*
  What velocities are judged by at least: what forces add in the first round of a step (`push`), and 1.5e-7 of the positions q in a step, so that 1e-7 of it, where an iteration may stand
  still, is the rounding of q over the step: of bodies at rest that are deflected, forces are the rounding of large ones.
*/
PetscErrorCode NsRoundsLeast(const NsModel *model, Vec q, PetscReal dt, PetscReal push, PetscReal *least);
/* *target = *next, whose place is scratch then; how far it went is judged against *size: the largest entry, or `least` where that is more. */
PetscErrorCode NsRoundsTake(NsRounds *self, const NsModel *model, Vec *next, Vec *target, PetscReal least, PetscReal *size);
/* Ends the iteration; again: another one is needed. No convergence, NaN or Inf: a reason in outcome. */
PetscErrorCode NsRoundsEnd(NsRounds *self, NsStepOutcome *outcome, PetscBool *again);
