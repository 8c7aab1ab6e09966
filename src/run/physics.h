/*
  What the motion of a run depends on.
*/
#pragma once
#include <petscsys.h>
#include "percuss/tree.h"

/* The config without title, limits, orbit, output and time.end, which may differ where a run continues from a checkpoint. Shares nodes with the tree. */
const NsNode *NsRunPhysics(const NsNode *tree, NsArena *arena);
