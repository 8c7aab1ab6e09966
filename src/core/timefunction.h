/*
  Factors over time for loads: constant (no `time` key), those of timefunctions/list.h, and tables.
*/
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"

/* Numbers of the kinds, in the order of the list. */
enum {
#define NS_TIME_FUNCTION(name, text, value) NS_TIME_FUNCTION_##name,
#include "timefunctions/list.h"
#undef NS_TIME_FUNCTION
  NS_TIME_FUNCTIONS
};

typedef struct NsTimeFunction NsTimeFunction;
struct NsTimeFunction {
  const NsNode *where;
  const void   *settings[NS_TIME_FUNCTIONS]; /* of one kind; all NULL: the table */
  NsNumbers     table;                       /* [rows, 2]: time, factor */
};

extern const NsTable NsTable_TimeFunction;

/* The factor at t; 1 for NULL. */
PetscReal NsTimeFunctionValue(const NsTimeFunction *function, PetscReal t);
/* The first time after t at which it has a jump or a kink (PETSC_MAX_REAL: never), and its period at t (a pulse is half a period; PETSC_MAX_REAL: not periodic). */
PetscReal NsTimeFunctionNext(const NsTimeFunction *function, PetscReal t);
PetscReal NsTimeFunctionPeriod(const NsTimeFunction *function, PetscReal t);

/*
  Value of a function for a step in which it has a jump or a kink, or for a pulse: the value at one instant would not do, because a pulse may lie between two instants. For other
  functions and steps both are the value at t.

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
