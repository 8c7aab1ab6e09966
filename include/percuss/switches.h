/*
  Parts of a model that begin to act or stop acting at a given time: contacts, springs, bearings, unbalances with the keys `from` or `until`.

  Each part has a flag, which is read whenever the part is evaluated. A run sets the flags between two steps; the first one ends exactly at the instant. Forces evaluated before that, also at the instant
  itself, are left limits, later ones right limits. Then the scheme restarts from the state (NsSchemeType.start), because its history of forces and closed contacts is no longer valid.
*/
#pragma once
#include <petscsys.h>
#include "arena.h"
#include "diag.h"
#include "tree.h"

typedef struct NsMotion NsMotion; /* src/core/motion.h */

/* A part begins to act or stops acting. */
typedef struct {
  PetscReal     t;      /* s, > 0 */
  PetscBool     acts;   /* from then on */
  const char   *kind;   /* "bearing" */
  const char   *name;   /* "magnet" */
  const NsNode *where;  /* of the part */
  NsPlace       place;  /* of its key */
  PetscBool    *off;    /* its flag; NULL: a load, whose time function has the window */
  PetscReal     energy; /* J: by which the energy of the model changed, once it has happened */
} NsSwitch;

typedef struct {
  PetscInt  count, room;
  PetscInt  done; /* number of events that have happened */
  NsSwitch *item; /* [count] ascending in time */
} NsSwitches;

/* The flag of a part that acts while from <= t < until (until 0: to the end), as at t = 0; NULL where that is always. where: of the part, with these keys; a part that
   is created a second time gets the same flag. */
PetscBool *NsSwitchesAdd(
  NsSwitches *switches, PetscReal from, PetscReal until, const char *kind, const char *name, const NsNode *where, NsArena *arena);
/* The same of a load, to be listed: steps need not end there. */
void NsSwitchesNote(NsSwitches *switches, PetscReal from, PetscReal until, const char *kind, const char *name, const NsNode *where, NsArena *arena);
/* The same of the parts of a motion. */
void NsSwitchesNoteMotion(NsSwitches *switches, const NsMotion *motion, const char *name, NsArena *arena);
/* The time of the first one after t; PETSC_MAX_REAL: none. */
PetscReal NsSwitchesNext(const NsSwitches *switches, PetscReal t);
/* Sets the flags as after the first `done` of them. */
void NsSwitchesSet(NsSwitches *switches, PetscInt done);

static inline PetscBool NsIsOff(const PetscBool *off)
{
  return off && *off;
}
