/*
  The files of percuss orbit.
*/
#pragma once
#include "orbit/orbit.h"
#include "percuss/run.h"

/* Writes orbit.csv, orbit_events.csv and frames of this orbit. */
PetscErrorCode NsOrbitWriteLast(NsRun *run, NsOrbitBranch *branch, const NsOrbitPoint *point);
/* Writes branch.csv, branch_probes.csv, multipliers.csv, bifurcations.csv. */
void NsOrbitWriteBranches(NsRun *run, const NsOrbitBranch *branch);
