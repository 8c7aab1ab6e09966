/*
  The time in which a part of the model acts: from <= t < until. Keys `from` and `until` of loads, motions, drives, unbalances, springs, bearings and contacts; loads, motions and drives may also
  rise and fall over a `ramp` within it.
*/
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"

typedef struct {
  double from, until; /* s; from 0: since the start; until 0: to the end */
  double ramp;        /* s: over which the factor rises after `from` and falls before `until`, linearly */
} NsWindow;

/* Both keys, of settings T with an NsWindow `window`; `what` begins their help: "the bearing acts". */
#define NS_WINDOW_KEYS(T, what) \
  {"from", NS_KEY_NUMBER, offsetof(T, window.from), .dimension = NS_DIM_TIME, .minimum = "0", \
    .help = what " from this time on; default: from the start", .example = "50 ms"}, \
  { \
    "until", NS_KEY_NUMBER, offsetof(T, window.until), .dimension = NS_DIM_TIME, .minimum = "0 <", \
                                                       .help = what " until this time; default: to the end", .example = "0.2 s" \
  }

/* The same with the key `ramp`. */
#define NS_RAMPED_WINDOW_KEYS(T, what) \
  NS_WINDOW_KEYS(T, what), \
  { \
    "ramp", NS_KEY_NUMBER, offsetof(T, window.ramp), \
      .dimension = NS_DIM_TIME, .default_value = "0", .minimum = "0", \
      .help = "time over which the factor rises linearly from 0 after `from`, and falls to 0 before `until`", .example = "0.1 s" \
  }

/* An error in diag where `until` is not after `from`, or two ramps do not fit between them. */
void NsWindowCheck(const NsWindow *window, const NsNode *where, NsDiag *diag);

static inline PetscBool NsWindowIsGiven(const NsWindow *window)
{
  return window->from > 0 || window->until > 0 || window->ramp > 0;
}

/* Whether there is a time that both have. */
static inline PetscBool NsWindowsMeet(const NsWindow *a, const NsWindow *b)
{
  return !(a->until > 0 && a->until <= b->from) && !(b->until > 0 && b->until <= a->from);
}

/* The factor at t, 0 to 1, and its slope, 1/s; at a kink that after it. */
PetscReal NsWindowFactor(const NsWindow *window, PetscReal t);
PetscReal NsWindowSlope(const NsWindow *window, PetscReal t);
/* The first time after t at which the factor jumps or has a kink; PETSC_MAX_REAL: none. */
PetscReal NsWindowNext(const NsWindow *window, PetscReal t);

static inline PetscBool NsWindowHas(const NsWindow *window, PetscReal t)
{
  return t >= window->from && !(window->until > 0 && t >= window->until);
}
