/*
  Entries of the config moved in space, for copies of them (tree_copies.c). What the tables of keys call a position or a direction is moved by

      x' = R (x - c) + c + s        d' = R d

  with the shift s and the rotation R about the centre c of a ring.
*/
#pragma once
#include <stdbool.h>
#include "percuss/keys.h"

typedef struct {
  double   R[9], center[3], shift[3], axis[3], angle; /* axis of length 1 */
  bool     rotates, shifts;
  int      points; /* that were moved so far */
  NsArena *arena;
  NsDiag  *diag;
} NsPose;

/* R from axis and angle. */
void NsPoseRotate(NsPose *pose);
/* Moves the values of an entry of this table. What cannot be moved is an error in diag. */
void NsPoseMove(NsPose *pose, const NsTable *table, NsNode *entry);
