/* percuss check --picture. */
#pragma once
#include <stdio.h>
#include "percuss/model.h"

#define NS_PICTURE_BEGINS "<!-- percuss check -->" /* the first line of its files */

/* (one process) Draws the model at a state into an open file, as SVG. */
PetscErrorCode NsPictureWrite(NsModel *model, const NsState *state, const char *title, FILE *file);
