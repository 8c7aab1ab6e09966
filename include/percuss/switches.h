/*
  Parts of a model that begin to act or stop acting at a given time: contacts, springs, bearings, unbalances with the keys `from` or `until`.

  A part has a flag, which it looks at whenever it is evaluated. A run sets the flags between two steps, which end exactly at the instant: what is evaluated before, at the instant too, is the left
  limit, and what comes after the right one. Then the scheme starts anew from the state (NsSchemeType.start), for nothing that it knew of forces and closed contacts has to hold any more.
*/
#pragma once
#include <petscsys.h>
#include "arena.h"
#include "diag.h"
#include "tree.h"

/* A part begins to act or stops acting. */
typedef struct {
  PetscReal     t;      /* s, > 0 */
  PetscBool     acts;   /* from then on */
  const char   *kind;   /* "bearing" */
  const char   *name;   /* "magnet" */
  const NsNode *where;  /* of the part */
  NsPlace       place;  /* of its key */
  PetscBool    *off;    /* its flag; NULL: a load, whose factor over time says all */
  PetscReal     energy; /* J: by which the energy of the model changed, once it has happened */
} NsSwitch;

typedef struct {
  PetscInt  count, room;
  PetscInt  done; /* the first so many have happened */
  NsSwitch *item; /* [count] ascending in time */
} NsSwitches;

/* The flag of a part that acts while from <= t < until (until 0: to the end), as at t = 0; NULL where that is always. where: of the part, with these keys; a part that
   is made once more has the flag of the first time. */
PetscBool *NsSwitchesAdd(
  NsSwitches *switches, PetscReal from, PetscReal until, const char *kind, const char *name, const NsNode *where, NsArena *arena);
/* The same of a load, to be listed: steps need not end there. */
void NsSwitchesNote(NsSwitches *switches, PetscReal from, PetscReal until, const char *kind, const char *name, const NsNode *where, NsArena *arena);
/* The time of the first one after t; PETSC_MAX_REAL: none. */
PetscReal NsSwitchesNext(const NsSwitches *switches, PetscReal t);
/* Sets the flags as after the first `done` of them. */
void NsSwitchesSet(NsSwitches *switches, PetscInt done);

static inline PetscBool NsIsOff(const PetscBool *off)
{
  return off && *off;
}
