/*
  The files of percuss orbit.
*/
#pragma once
#include "orbit/orbit.h"
#include "percuss/run.h"

/* Writes orbit.csv, orbit_events.csv and frames of this orbit. */
PetscErrorCode NsOrbitWriteLast(NsRun *run, NsOrbitBranch *branch, const NsOrbitPoint *point);
/* Writes branch.csv, branch_probes.csv, multipliers.csv, bifurcations.csv. `unit`: of the key that is varied; "": none. */
void NsOrbitWriteBranches(NsRun *run, const NsOrbitBranch *branch, const char *unit);
