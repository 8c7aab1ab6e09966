/* A point as a pair has it, over the arrays of one that tests change at will: to be taken again after `x`, `unknowns`, `spin` have changed. */
#pragma once
#include "contact/pair.h"

static inline NsPairPoint pair_point(NsPoint *point)
{
  NsPairPoint to = {.unknowns = point->unknowns, .touch = point->touch, .spin = point->spin, .axis = point->axis};

  to.move = (const PetscReal(*)[3])point->move;
  to.turn = (const PetscReal(*)[3])point->turn;
  for (int k = 0; k < 3; k++) to.x[k] = point->x[k];
  return to;
}
