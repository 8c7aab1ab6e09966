/*
  Factors over time for loads: constant (no `time` key), those of timefunctions/list.h, and tables.
*/
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"
#include "window.h"

/* Numbers of the kinds, in the order of the list. */
enum {
#define NS_TIME_FUNCTION(name, text, value) NS_TIME_FUNCTION_##name,
#include "timefunctions/list.h"
#undef NS_TIME_FUNCTION
  NS_TIME_FUNCTIONS
};

typedef struct NsTimeIntegrals NsTimeIntegrals; /* timefunction_derived.c */
typedef struct NsTimeFunction  NsTimeFunction;
struct NsTimeFunction {
  const NsNode         *where;
  const void           *settings[NS_TIME_FUNCTIONS]; /* of one kind; all NULL: the table */
  NsNumbers             table;                       /* [rows, 2]: time, factor */
  const NsTimeFunction *of;                          /* of one that NsTimeFunctionDerive has made: whose derivative it is; NULL: of the constant 1 */
  PetscBool             derived;
  int                   order; /* -2 .. 2 */
  NsTimeIntegrals      *integrals;
  PetscBool             windowed; /* made by NsTimeFunctionWindow: `of` (NULL: the constant 1) times the factor of the window */
  NsWindow              window;
};

extern const NsTable NsTable_TimeFunction;

/* The factor at t; 1 for NULL. */
PetscReal NsTimeFunctionValue(const NsTimeFunction *function, PetscReal t);
/* The first time after t at which it has a jump or a kink (PETSC_MAX_REAL: never), and its period at t (a pulse is half a period; PETSC_MAX_REAL: not periodic). */
PetscReal NsTimeFunctionNext(const NsTimeFunction *function, PetscReal t);
PetscReal NsTimeFunctionPeriod(const NsTimeFunction *function, PetscReal t);

/* `inside` (NULL: the constant 1) times the factor of the window, which is 0 outside it; `inside` itself where no window is given. A function like any other, which may be derived and integrated. */
const NsTimeFunction *NsTimeFunctionWindow(const NsTimeFunction *inside, const NsWindow *window, NsArena *arena);

/*
  Value of a function for a step in which it has a jump or a kink, or for a pulse: the value at one instant would not do, because a pulse may lie between two instants. For other
  functions and steps both are the value at t.

  Mean: over [t - before, t + after], of which what is before 0 does not count. Steps that evaluate a function once, at t, on intervals that tile the time, have its impulse exactly.
  Middle: of the parabola over [from, to] that has the function's values at its ends and its mean.
*/
PetscReal NsTimeFunctionMean(const NsTimeFunction *function, PetscReal t, PetscReal before, PetscReal after);
PetscReal NsTimeFunctionMiddle(const NsTimeFunction *function, PetscReal from, PetscReal to);

/*
  derived becomes the derivative of `of` (NULL: of the constant 1) of this order, 1 or 2; -1 and -2: the integral from 0 and the integral of that; 0: itself. It is a function like any other: value,
  next, period, mean and middle. The mean of a derivative is a difference, so that kinks of `of` act with their exact impulse. Integrals that have no closed form are summed up to the time `end` once, by
  Gauss's rule of 5 points over eighths of a period, and beyond it on demand. False if that takes more than ten million pieces.
*/
PetscBool NsTimeFunctionDerive(const NsTimeFunction *of, int order, PetscReal end, NsArena *arena, NsTimeFunction *derived);
/* By how much it jumps at t: the value there less that before. */
PetscReal NsTimeFunctionJump(const NsTimeFunction *function, PetscReal t);
/* One derivative or integral of it; those without closed form by quadrature from `integrals`, which may be NULL where it is not needed. For timefunction.c. */
PetscReal NsTimeFunctionDerivedValue(const NsTimeFunction *derived, PetscReal t);
/* Derivative of order 1, 2, by its formula; of a table, too. */
PetscReal NsTimeFunctionSlope(const NsTimeFunction *function, PetscReal t, int order);
/* Integral from 0 by a formula; false: there is none. */
PetscBool NsTimeFunctionIntegral(const NsTimeFunction *function, PetscReal t, int order, PetscReal *value);
/* Whether it is an input, which another program sets; its factor from then on: linear from that at `begin` to this one at `end`, then constant. */
PetscBool NsTimeFunctionIsInput(const NsTimeFunction *function);
void      NsTimeFunctionSetInput(const NsTimeFunction *function, PetscReal begin, PetscReal end, PetscReal factor);

/* Tables [rows, 2] of a time and a value, linear between the rows, constant before and after. The row at or before t, -1 before the first. */
int       NsTableRow(const NsNumbers *table, PetscReal t);
PetscReal NsTableValue(const NsNumbers *table, PetscReal t);
/* The time of the first row after t; PETSC_MAX_REAL: none. */
PetscReal NsTableNext(const NsNumbers *table, PetscReal t);
/* An error at the key `table` where its times do not rise. */
void NsTableCheckTimes(const NsNode *where, const NsNumbers *table, NsDiag *diag);
