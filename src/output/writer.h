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
