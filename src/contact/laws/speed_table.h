/* Coefficients over a speed: linear between rows, constant beyond the ends. */
#pragma once
#include "law.h"

typedef struct {
  const NsNode *where;
  NsNumbers     rows; /* speed, coefficient */
} NsSpeedTable;

static inline PetscReal NsSpeedTableAt(const NsSpeedTable *table, PetscReal speed)
{
  const double *row  = table->rows.values;
  const int     last = table->rows.rows - 1;
  int           i    = 0;

  if (speed <= row[0]) return row[1];
  if (speed >= row[2 * last]) return row[2 * last + 1];
  while (row[2 * i + 2] <= speed) i++;
  return row[2 * i + 1] + (row[2 * i + 3] - row[2 * i + 1]) * (speed - row[2 * i]) / (row[2 * i + 2] - row[2 * i]);
}

/* Speeds ascend from 0 or above; coefficients are from 0 to `most`. */
static inline void NsSpeedTableCheck(const NsSpeedTable *table, PetscReal most, NsDiag *diag)
{
  const double *row = table->rows.values;

  for (int i = 0; i < table->rows.rows; i++) {
    if (row[2 * i] < 0 || (i > 0 && row[2 * i] <= row[2 * i - 2]))
      NsDiagError(
        diag, NsKeysNumberPlace(table->where, "rows", i, 0), "speeds of a table must be ascending, from 0 m/s on; this one is %g m/s", row[2 * i]);
    else if (row[2 * i + 1] < 0 || row[2 * i + 1] > most)
      NsDiagError(diag, NsKeysNumberPlace(table->where, "rows", i, 1),
        most < PETSC_MAX_REAL ? "must be from 0 to 1, but is %g" : "must be at least 0, but is %g", row[2 * i + 1]);
    else
      continue;
    return;
  }
}
