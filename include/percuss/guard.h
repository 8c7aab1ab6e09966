/*
  The guard over a run: says when its numbers are not to be trusted, and ends it before they are none.

      not a number    in velocities each 16th step and, as in positions, before anything is written, in gaps and reactions each step: ends the run, and nothing of that state is written
      energy          made by the scheme, over the energy there was: what the run began with, and the largest work of loads and change of potential energy since
      penetration     of contacts, or gap of joints
      spin            of a rotor whose spin is free: beyond what the step allows (whirling modes grow), or beyond the table of a bearing

  What the config's `limits` set is warned of once a kind, or ends the run (on_exceed: stop). Energy beyond a hundred times its limit always does. A state with which the guard
  ends a run is finite, and written for who wants to see what happened, but not one to go on from.

  All processes call it at the same steps, and all find the same.
*/
#pragma once
#include "memory.h"
#include "settings.h"

typedef struct NsRun NsRun;

typedef enum { NS_GUARD_ENERGY, NS_GUARD_PENETRATION, NS_GUARD_SPIN, NS_GUARD_TABLE, NS_GUARD_KINDS } NsGuardKind;
extern const char *const NsGuardNames[];

typedef struct {
  PetscBool  exceeded;
  PetscInt64 step;
  PetscReal  since;           /* s: when it was first seen above its limit */
  PetscReal  limit;           /* J/J, m, rad/s */
  PetscReal  worst, worst_at; /* worst so far, s */
  char       name[128];       /* of the fastest unknown, the contact, the rotor, when it was first seen */
  char       text[512];       /* a sentence without full stop */
} NsExceeded;

/* Plain numbers: a copy of it is all that a run going on from a kept state needs. */
typedef struct {
  /* Limits in force. */
  PetscReal energy, penetration; /* J/J, m; 0: none */
  PetscReal spin_limit;          /* rad/s of free spin, up to which the step is within the stability limit; PETSC_MAX_REAL: any, or not known */
  PetscBool stops;               /* at what is above a limit */

  /* What there was of energy. */
  PetscReal motion, potential;  /* J at the start: kinetic and elastic; potential */
  PetscReal load, fall, height; /* J, largest so far: |work of loads|, |change of potential energy|, |potential energy| */

  PetscReal  fastest;     /* largest |v| where it was time to look at energy */
  PetscInt64 closed;      /* the last step whose energy was looked at */
  PetscReal  above_since; /* s, from when on the energy is above its limit; negative: it is not */
  PetscInt64 above_step;
  PetscReal  spin; /* rad/s: schemes that keep their steps below their limit do so up to here */

  PetscBool  stop;   /* the run ends */
  PetscBool  broken; /* its state has numbers that are none */
  NsExceeded exceeded[NS_GUARD_KINDS];
} NsGuard;

/* Limits from the config: once the run is built, and its step limit known. */
PetscErrorCode NsGuardCreate(NsRun *run);
/* At the start, once the ledger is open. */
PetscErrorCode NsGuardStart(NsRun *run);
void           NsGuardRemember(NsGuard *guard, NsMemory *memory);
/* (all) After each step: gaps and reactions; run->max_penetration. */
PetscErrorCode NsGuardContacts(NsRun *run, PetscInt64 step);
/* (all) Each 16th step: velocities and spins. *energy: it is time to look at it, too. */
PetscErrorCode NsGuardLook(NsRun *run, PetscInt64 step, PetscBool *energy);
/* (all) Closes the ledger, unless that was done at this step. */
PetscErrorCode NsGuardEnergy(NsRun *run, PetscInt64 step);
/* (all) All of positions and velocities. */
PetscErrorCode NsGuardFinite(NsRun *run, PetscInt64 step);
/* Before a row of a table is written, of which writers have the numbers before the guard has seen the state: whether it may be. `sum` is that of its numbers; where it is none,
   the row is left out, and the run ends: at once, or, with several processes, when all look. */
PetscErrorCode NsGuardRow(NsRun *run, PetscInt64 step, PetscReal sum, const char *table, PetscBool *good);
/* What was exceeded, of all kinds: "TEXT; at worst ..." of this one, for the summary; "" where it was not. */
void NsGuardTell(const NsRun *run, NsGuardKind kind, char *text, size_t size);
/* Why it may have come to this: "; ..." or "". */
const char *NsGuardHint(const NsRun *run);
