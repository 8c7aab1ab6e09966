/*
  Files of analyses without time: modes, Campbell diagrams. Their columns: src/output/analyses.h.
*/
#pragma once
#include "analysis/campbell.h"
#include "percuss/output.h"

/* modes.csv: a row for each mode. */
void NsModalWriteModes(NsSink *sink, const NsModes *modes, const NsWhirl *whirl);
/* NAME_mode_01.vtk.series ...: one period of each mode in 24 frames, without its decay, the largest displacement a tenth of the model's size. Time
   is the part of the period, 0 to 1. */
PetscErrorCode NsModalWriteShapes(NsSink *sink, NsModel *model, const NsModes *modes);
/* campbell.csv: a row for each speed, four columns for each mode; NaN where there is no such mode. critical_speeds.csv: a row for each crossing of a mode's frequency with the
   speed, and for each onset of instability. */
void NsModalWriteCampbell(NsSink *sink, const NsCampbell *campbell);
