/*
  One table of several runs at the same times.

  Where the runs have times in common (steps of h and of h/2), those are taken, and nothing is interpolated. Else, where less than half of the times of the run that has
  the fewest are common, the others are interpolated to the times of that one: by cubics where the table has the rate of a quantity (error of order 4 in the distance of
  rows), by straight lines else (order 2); words are those of the row before. The interpolation error is estimated: each row is interpolated from its neighbours, and the error of
  this over the doubled distance, divided by 16 or 4, is the largest expected error. It is large where a quantity jumps.

  Impulses in contacts.csv are sums since the previous row: they are accumulated from the beginning first. Of several rows of one time the last one counts.
*/
#pragma once
#include "table.h"

enum { NS_ALIGN_RUNS = 3 };

typedef struct {
  const char *name, *unit;          /* unit NULL: not known */
  bool        words;                /* values are numbers of words: equal or not */
  double     *value[NS_ALIGN_RUNS]; /* [samples] for each run */
  double      error;                /* of interpolation, at most about this; 0: none was done */
} NsAlignedQuantity;

typedef struct {
  const char        *file; /* "history.csv" */
  int                runs;
  long               samples;
  double            *time; /* [samples], rising */
  int                grid; /* the run whose times these are */
  bool               interpolated;
  long               rows[NS_ALIGN_RUNS]; /* of each run in the time that all have */
  int                quantities;          /* that all runs have, without `time` */
  NsAlignedQuantity *quantity;
  int                alone; /* columns that some run has and another has not */
  const char        *first_alone;
} NsAligned;

/* runs: 2 or 3. NULL after an error in diag: times that decrease or are not finite. */
NsAligned *NsAlign(const NsResultTable *const *tables, int runs, NsArena *arena, NsDiag *diag);
