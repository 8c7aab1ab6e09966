/*
  When a fixed-point or Newton iteration for the end of a step stands: changes below 1e-14 of what changes, or below 1e-7 and either no smaller any more (stiff models: forces
  are small differences of large ones) or of the last round that there may be (normals that turn in long steps: each round leaves a part of the change before).

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
    steadily; /* set by who knows that each change is about the same part of the one before: no round is made only to see that nothing moves */
} NsRounds;

static inline NsRounds NsRoundsBegin(void)
{
  return (NsRounds){0, PETSC_MAX_REAL, 0, PETSC_FALSE};
}
/* *target = *next, whose place is scratch then; how far it went is judged against *size: the largest entry, or `least` where that is more. */
PetscErrorCode NsRoundsTake(NsRounds *self, const NsModel *model, Vec *next, Vec *target, PetscReal least, PetscReal *size);
/* The round is over; whether there is to be another. Too many, and it does not stand, or something is no number: a reason in outcome. */
PetscErrorCode NsRoundsEnd(NsRounds *self, NsStepOutcome *outcome, PetscBool *again);
