/*
  percuss orbit --resume: the file orbit.checkpoint among the results of a computation that was stopped.
*/
#pragma once
#include "orbit/orbit.h"
#include "percuss/run.h"

typedef enum { NS_KEPT_NOTHING, NS_KEPT_THERE, NS_KEPT_COMPLETE, NS_KEPT_REFUSED } NsKept;

/* Reads the bytes of the file into the arena of the run, before the results are cleared. NOTHING: the computation starts from the beginning; COMPLETE: there is nothing left to do; REFUSED: after a message. */
NsKept NsOrbitKeptRead(NsRun *run, const char **bytes, size_t *size);
/* Restores the whole branch from these bytes; false after a message. */
bool NsOrbitKeptTake(NsOrbitBranch *branch, const NsOrbitSystem *system, const char *bytes, size_t size, PetscInt *found, NsOrbitPoint ***first);
/* Writes the file among the results. */
PetscErrorCode NsOrbitKeptWrite(NsRun *run, NsOrbitBranch *branch, const NsOrbitSystem *system, PetscInt found, NsOrbitPoint **first);
