/* percuss check --picture. */
#pragma once
#include <stdio.h>
#include "percuss/model.h"

#define NS_PICTURE_BEGINS "<!-- percuss check -->" /* the first line of its files */

/* (one process) Draws a state of the model into an open file, as SVG. */
PetscErrorCode NsPictureWrite(NsModel *model, const NsState *state, const char *title, FILE *file);
