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

typedef struct NsTimeFunction NsTimeFunction;
struct NsTimeFunction {
  const NsNode     *where;
  const NsHarmonic *harmonic;
  const NsPulse    *pulse;
  const NsStep     *step;
  NsNumbers         table; /* [rows, 2]: time, factor */
};

extern const NsTable NsTable_TimeFunction;

/* The factor at t; 1 for NULL. */
PetscReal NsTimeFunctionValue(const NsTimeFunction *function, PetscReal t);
/* The first time after t at which it jumps or bends, and the period in which it swings at t (a pulse is half of one); PETSC_MAX_REAL: never, or not at all. */
PetscReal NsTimeFunctionNext(const NsTimeFunction *function, PetscReal t);
PetscReal NsTimeFunctionPeriod(const NsTimeFunction *function, PetscReal t);

/*
  What a step has of a function that jumps or bends in it, or of a pulse: a value at an instant is nothing to go by, a pulse may lie between two of them. Both are the value at t for
  other functions and steps.

  Mean: over [t - before, t + after], of which what is before 0 does not count. Steps that evaluate a function once, at t, on intervals that tile the time, have its impulse exactly.
  Middle: of the parabola over [from, to] that has the function's values at its ends and its mean.
*/
PetscReal NsTimeFunctionMean(const NsTimeFunction *function, PetscReal t, PetscReal before, PetscReal after);
PetscReal NsTimeFunctionMiddle(const NsTimeFunction *function, PetscReal from, PetscReal to);

/* Tables [rows, 2] of a time and a value, linear between the rows, constant before and after. The row at or before t, -1 before the first. */
int       NsTableRow(const NsNumbers *table, PetscReal t);
PetscReal NsTableValue(const NsNumbers *table, PetscReal t);
/* The time of the first row after t; PETSC_MAX_REAL: none. */
PetscReal NsTableNext(const NsNumbers *table, PetscReal t);
/* An error at the key `table` where its times do not rise. */
void NsTableCheckTimes(const NsNode *where, const NsNumbers *table, NsDiag *diag);
