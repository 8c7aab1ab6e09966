/*
  Frames of states that no run has stepped through: of a static solution (NsRunWriteFrame), along a periodic orbit.
*/
#pragma once
#include "percuss/run.h"

/* `count` frames; place(context, k, state) sets time, q and v of frame k, in the order of vectors (NULL: the state does not change). report[candidates]. On one process. */
PetscErrorCode NsRunWriteFrames(
  NsRun *run, const NsContactReport *report, PetscInt count, PetscErrorCode (*place)(void *context, PetscInt k, NsState *state), void *context);
