/*
  The time in which a part of the model acts: from <= t < until. Keys `from` and `until` of loads, unbalances, springs, bearings and contacts.
*/
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"

typedef struct {
  double from, until; /* s; from 0: since the start; until 0: to the end */
} NsWindow;

/* Both keys, of settings T with an NsWindow `window`; `what` begins their help: "the bearing acts". */
#define NS_WINDOW_KEYS(T, what) \
  {"from", NS_KEY_NUMBER, offsetof(T, window.from), .dimension = NS_DIM_TIME, .minimum = "0", \
    .help = what " from this time on; default: from the start", .example = "50 ms"}, \
  { \
    "until", NS_KEY_NUMBER, offsetof(T, window.until), .dimension = NS_DIM_TIME, .minimum = "0 <", \
                                                       .help = what " until this time; default: to the end", .example = "0.2 s" \
  }

/* An error in diag where `until` is not after `from`. */
void NsWindowCheck(const NsWindow *window, const NsNode *where, NsDiag *diag);

static inline PetscBool NsWindowIsGiven(const NsWindow *window)
{
  return window->from > 0 || window->until > 0;
}

/* Whether there is a time that both have. */
static inline PetscBool NsWindowsMeet(const NsWindow *a, const NsWindow *b)
{
  return !(a->until > 0 && a->until <= b->from) && !(b->until > 0 && b->until <= a->from);
}

static inline PetscBool NsWindowHas(const NsWindow *window, PetscReal t)
{
  return t >= window->from && !(window->until > 0 && t >= window->until);
}
