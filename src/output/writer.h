/*
  What the writers share.
*/
#pragma once
#include <math.h>
#include <stddef.h>
#include "csv.h"
#include "settings.h"

/* Whether a record, of whose numbers this is the sum, may be written; where it is NaN or Inf the loop ends the run. For writers that compute before the guard has checked the
   state. */
PetscBool NsWriterFinite(NsWriter *writer, PetscReal sum);

/* The friction of one tangent, signed; the magnitude of two. x[3]: normal, tangents. */
static inline PetscReal NsTangential(const PetscReal x[3], PetscInt directions)
{
  return directions > 2 ? PetscSqrtReal(x[1] * x[1] + x[2] * x[2]) : x[1];
}

/* The few unknowns that the columns of a writer need, gathered from their processes. */
typedef struct {
  NsWatch   *watch;     /* NULL: columns have natural numbers, and the state is in natural order */
  PetscReal *q, *v, *a; /* [watch->count] */
} NsRecorded;

/* (all) Columns are renumbered for the arrays that NsRecordedGather gives. */
PetscErrorCode NsRecordedCreate(const NsWriter *writer, PetscInt columns, NsProbeColumn *const *column, NsRecorded *recorded);
PetscErrorCode NsRecordedDestroy(NsRecorded *recorded);
/* (all) Arrays for NsProbeColumnValue; to be restored. */
PetscErrorCode NsRecordedGather(const NsRecorded *recorded, const NsState *state, const PetscReal **q, const PetscReal **v);
PetscErrorCode NsRecordedRestore(const NsRecorded *recorded, const NsState *state, const PetscReal **q, const PetscReal **v);
/* (all) The same for accelerations, without restoring; NULL if the run computes none. */
PetscErrorCode NsRecordedAccelerations(const NsRecorded *recorded, Vec acceleration, const PetscReal **a);
