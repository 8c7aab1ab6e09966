/*
  A table that percuss wrote (history.csv, energy.csv, contacts.csv, events.csv, orbits.csv ...), read back into columns.

      const NsResultTable  *table = NsResultTableRead("out/bar/history.csv", arena, diag);
      const NsResultColumn *tip   = table ? NsResultTableColumn(table, "bar.right.ux") : NULL;
      for (long i = 0; tip && i < table->rows; i++) printf("%g s %g %s\n", table->column[0].numbers[i], tip->numbers[i], tip->unit);

  Numbers are the doubles that were written, to the last bit, whatever the locale. Names and words may be quoted (RFC 4180), but hold no line's end.

  A run that was killed, or is still running, may leave an incomplete row: text after the last end of a line is ignored, and `unfinished` is set. Anything
  else that is not as percuss writes it is an error with its place.

  Cost: the file is in memory once while it is read, then 8 bytes a number; 0.1 us a number.
*/
#pragma once
#include "percuss/diag.h"

typedef struct {
  const char        *name;    /* "wall.gap" */
  const char        *unit;    /* of the numbers, by the name: "N s"; "" without unit; NULL: not known (coordinates of plugins) */
  const double      *numbers; /* [rows]; NAN where the file has nothing between its commas; NULL for a column of words */
  const char *const *words;   /* [rows]; NULL for a column of numbers */
} NsResultColumn;

typedef struct {
  const char           *path; /* a copy */
  long                  rows;
  int                   columns; /* 0: the file ends before its first line does */
  const NsResultColumn *column;  /* [columns], in the file's order; a probe that was recorded twice occurs twice */
  bool                  unfinished;
} NsResultTable;

/* NULL after an error in diag. Tables that percuss writes are known by their file names, and their first column is then the right one; in other files a column
   holds words if a field is not a number. */
NsResultTable *NsResultTableRead(const char *path, NsArena *arena, NsDiag *diag);
/* The first column of this name, or NULL. */
const NsResultColumn *NsResultTableColumn(const NsResultTable *table, const char *name);
