/*
  Factors over time for loads: constant (no `time` key), harmonic, pulse, step, table.
*/
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"

typedef struct {
  const NsNode *where;
  double        frequency; /* rad/s */
  double        phase;     /* rad */
} NsHarmonic;

typedef struct {
  const NsNode *where;
  double        start, duration; /* s */
} NsPulse;

typedef struct {
  const NsNode *where;
  double        start, end; /* s; end 0: never */
} NsStep;

typedef struct {
  const NsNode     *where;
  const NsHarmonic *harmonic;
  const NsPulse    *pulse;
  const NsStep     *step;
  NsNumbers         table; /* [rows, 2]: time, factor */
} NsTimeFunction;

extern const NsTable NsTable_TimeFunction;

/* The factor at t; 1 for NULL. */
PetscReal NsTimeFunctionValue(const NsTimeFunction *function, PetscReal t);
/* The first time after t at which it jumps or bends, and the period in which it swings at t (a pulse is half of one); PETSC_MAX_REAL: never, or not at all. */
PetscReal NsTimeFunctionNext(const NsTimeFunction *function, PetscReal t);
PetscReal NsTimeFunctionPeriod(const NsTimeFunction *function, PetscReal t);

/* Tables [rows, 2] of a time and a value, linear between the rows, constant before and after. The row at or before t, -1 before the first. */
int       NsTableRow(const NsNumbers *table, PetscReal t);
PetscReal NsTableValue(const NsNumbers *table, PetscReal t);
/* The time of the first row after t; PETSC_MAX_REAL: none. */
PetscReal NsTableNext(const NsNumbers *table, PetscReal t);
/* An error at the key `table` where its times do not rise. */
void NsTableCheckTimes(const NsNode *where, const NsNumbers *table, NsDiag *diag);
