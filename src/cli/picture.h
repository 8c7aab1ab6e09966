/* percuss check --picture. */
#pragma once
#include <stdio.h>
#include "percuss/model.h"

/* (one process) Draws the model at a state into an open file, as SVG. */
PetscErrorCode NsPictureWrite(NsModel *model, const NsState *state, const char *title, FILE *file);
