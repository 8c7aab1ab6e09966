/*
  Work vectors, rows and arrays of a scheme or a DAE method, and its history: what it keeps between two steps, for checkpoints.

  Each is declared once, at set-up, with the address of the field that holds it; creation, serialization and destruction are shared code:

      NsWorkVecs(work, &self->a1, &self->q1, NULL);                              scratch
      NsWorkReals(work, work->rows, &self->P0, &self->P1, NULL);
      NsHistoryFlags(work, "closed", work->candidates, &self->closed);           allocated, and kept in checkpoints
      NsHistoryFlag(work, "known", &self->known);                                a field itself
      NsHistoryWhen(work, &self->known);                                         what follows is written only where this flag is set,
      NsHistoryVec(work, "a0", &self->a0);                                       which has been read before it
      NsHistoryWhen(work, NULL);                                                 unconditional again

  Everything is zero at first. Fields may be swapped with others of their kind (NsVecSwap): history is written from, and memory freed by, the value of the field at that time.
*/
#pragma once
#include "archive.h"
#include "contact.h"
#include "model.h"

typedef struct NsWorkItem NsWorkItem; /* private */

typedef struct {
  NsModel         *model;            /* not owned */
  PetscInt         rows, candidates; /* of all contacts */
  const PetscBool *when;             /* of the entries of the history to come; NULL: always */
  NsWorkItem      *first, *last;
} NsWorkspace;

PetscErrorCode NsWorkspaceCreate(NsModel *model, NsContact *contact, NsWorkspace **work);
PetscErrorCode NsWorkspaceDestroy(NsWorkspace **work);
/* The history, in the order of its declaration. */
PetscErrorCode NsWorkspaceSerialize(NsWorkspace *work, NsArchive *archive);

/* ---- scratch; lists of pointers end with NULL ---------------------------------------------------------------------------------------------------- */

PetscErrorCode NsWorkVecs(NsWorkspace *work, Vec *first, ...);
PetscErrorCode NsWorkRows(NsWorkspace *work, NsRows *first, ...);
/* [count] each. */
PetscErrorCode NsWorkReals(NsWorkspace *work, PetscInt64 count, PetscReal **first, ...);
PetscErrorCode NsWorkInts(NsWorkspace *work, PetscInt64 count, PetscInt **first, ...);
PetscErrorCode NsWorkFlags(NsWorkspace *work, PetscInt64 count, PetscBool **first, ...);
/* size bytes; pointer: the address of a pointer of any type, used during the call only; this memory is not swapped with other memory. */
PetscErrorCode NsWorkBytes(NsWorkspace *work, size_t size, void *pointer);
PetscErrorCode NsWorkCompliance(NsWorkspace *work, PetscInt slot, NsCompliance **compliance);
/* The same, made by the caller, or not at all (NULL): it is destroyed with the rest. */
PetscErrorCode NsWorkTakesCompliance(NsWorkspace *work, NsCompliance **compliance);

/* ---- history: allocated here ----------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsHistoryVec(NsWorkspace *work, const char *name, Vec *x);
PetscErrorCode NsHistoryRows(NsWorkspace *work, const char *name, NsRows *rows);
PetscErrorCode NsHistoryReals(NsWorkspace *work, const char *name, PetscInt64 count, PetscReal **value);
PetscErrorCode NsHistoryFlags(NsWorkspace *work, const char *name, PetscInt64 count, PetscBool **flag);
/* Each 0 .. below - 1. */
PetscErrorCode NsHistoryIndices(NsWorkspace *work, const char *name, PetscInt64 count, PetscInt **index, PetscInt below);

/* ---- history: fields themselves ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode NsHistoryNumbers(NsWorkspace *work, const char *name, PetscInt64 count, PetscReal *value);
PetscErrorCode NsHistoryFlag(NsWorkspace *work, const char *name, PetscBool *flag);
/* Counters: absolute value at most 2^60. */
PetscErrorCode NsHistoryCounts(NsWorkspace *work, const char *name, PetscInt64 count, PetscInt64 *value);
/* History that needs its own function, because its values have to be checked: serialize(self, archive). */
PetscErrorCode NsHistoryOther(NsWorkspace *work, void (*serialize)(void *self, NsArchive *archive), void *self);
void           NsHistoryWhen(NsWorkspace *work, const PetscBool *flag);
