/*
  Results of analyses without time: modes, Campbell diagrams, responses. They stand in a directory of results as those of a run do, with run.json
  and config.yaml.
*/
#pragma once
#include "fe/campbell.h"
#include "percuss/run.h"

/* The directory, run.json and config.yaml; run->exit says whether it failed. Closing writes how it ended. */
PetscErrorCode NsModalOpen(NsRun *run);
PetscErrorCode NsModalClose(NsRun *run);
/* modes.csv: a row each mode. */
void NsModalWriteModes(NsRun *run, const NsModes *modes, const NsWhirl *whirl);
/* NAME_mode_01.vtk.series ...: one period of each mode in 24 frames, without its decay, the largest displacement a tenth of the model's size. Time
   is the part of the period, 0 to 1. */
PetscErrorCode NsModalWriteShapes(NsRun *run, const NsModes *modes);
/* campbell.csv: a row each speed, four columns a mode (mode_1.frequency in rad/s, mode_1.re in 1/s, mode_1.damping_ratio, mode_1.whirl = kappa;
   not-a-number where there is no such mode); critical_speeds.csv: a row each crossing of a mode's frequency with the speed, and each onset of
   instability. */
void NsModalWriteCampbell(NsRun *run, const NsCampbell *campbell);
