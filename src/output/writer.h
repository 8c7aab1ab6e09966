/*
  What the writers share.
*/
#pragma once
#include "file.h"

/* Each N-th step, the first and the last; never when N is 0. */
static inline PetscBool NsWriterIsDue(long every, PetscInt64 step, PetscBool last)
{
  return every > 0 && (last || step % every == 0) ? PETSC_TRUE : PETSC_FALSE;
}

/* Opens NAME in the run's directory, lists it in the manifest, and takes a buffer for rows of so many values. */
void NsWriterOpenTable(NsFile *file, NsRun *run, const char *name, PetscInt columns);

/* The few unknowns that a writer's columns ask for, from wherever they are. */
typedef struct {
  NsWatch   *watch; /* NULL: columns have natural numbers, and the state is in natural order */
  PetscReal *q, *v; /* [watch->count] */
} NsRecorded;

/* (all) Columns are renumbered for the arrays that NsRecordedGather gives. */
PetscErrorCode NsRecordedCreate(NsRun *run, PetscInt columns, NsProbeColumn *const *column, NsRecorded *recorded);
PetscErrorCode NsRecordedDestroy(NsRecorded *recorded);
/* (all) Arrays for NsProbeColumnSum; to be restored. */
PetscErrorCode NsRecordedGather(const NsRecorded *recorded, const NsState *state, const PetscReal **q, const PetscReal **v);
PetscErrorCode NsRecordedRestore(const NsRecorded *recorded, const NsState *state, const PetscReal **q, const PetscReal **v);
