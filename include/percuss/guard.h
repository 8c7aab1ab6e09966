/*
  The guard of a run: detects invalid results, and ends the run before NaN or Inf is written.

      NaN, Inf        in gaps and contact forces (checked in each step), in velocities (each 16th step), and in positions and velocities before anything is written: ends the run, and
                      nothing of that state is written
      energy          the numerical energy error over the reference energy: the kinetic and elastic energy at the start, and the largest external work and change of potential
                      energy since
      loss            energy that an explicit scheme loses, in the same measure: its contacts are not resolved. Of implicit schemes it may be the numerical damping that they are taken for.
                      Bodies at rest have no energy to lose: they are left out
      rotation        of nodes and bodies whose rotations are assumed to be small
      stretch         change of an element's length
      sliding         of two surfaces of solids on each other, beside their faces
      penetration     of contacts, or gap of joints
      passage         of partners of a contact through each other within one step, which gaps at the ends of the step do not show
      spin            of a rotor whose spin is free: above what the time step allows (whirling modes grow), or beyond the table of a bearing
      law             motion of a nonlinear spring or bearing beyond the range of its law (`travel`, `rate`, `eccentricity`, the ends of a table)

  A limit of the config's `limits` that is exceeded causes one warning for each kind, or ends the run (on_exceed: stop). An energy error of a hundred times its limit always ends it. If a limit
  ends a run, its last state is finite and is written for inspection, but the run cannot be resumed from it.

  All processes call it at the same steps, and all find the same.
*/
#pragma once
#include "archive.h"
#include "settings.h"

typedef struct NsRun NsRun;

typedef enum {
  NS_GUARD_ENERGY,
  NS_GUARD_LOSS,
  NS_GUARD_ROTATION,
  NS_GUARD_STRETCH,
  NS_GUARD_PENETRATION,
  NS_GUARD_PASSAGE,
  NS_GUARD_SPIN,
  NS_GUARD_TABLE,
  NS_GUARD_LAW,
  NS_GUARD_SLIDING,
  NS_GUARD_KINDS
} NsGuardKind;
extern const char *const NsGuardNames[];
extern const NsTable     NsTable_Limits; /* src/run/limits.c */

typedef struct {
  PetscBool  exceeded;
  PetscInt64 step;
  PetscReal  since;           /* s: when it was first seen above its limit */
  PetscReal  limit;           /* J/J, m, rad/s */
  PetscReal  worst, worst_at; /* worst so far, s */
  char       name[128];       /* of the fastest degree of freedom, the contact, the rotor, when it was first seen */
  char       text[512];       /* a sentence without full stop */
} NsExceeded;

/* Plain numbers: a copy of this struct restores the guard. */
typedef struct {
  /* Limits in force. */
  PetscReal energy, rotation, stretch; /* J/J, rad, m/m */
  PetscReal sliding;                   /* m/m */
  PetscReal penetration;               /* m, for contacts whose candidate has no limit of its own (depth); 0: no limit */
  PetscReal spin_limit;                /* rad/s of free spin, up to which the step is within the stability limit; PETSC_MAX_REAL: any, or not known */
  PetscBool stops;                     /* the run, where a limit is exceeded; else it warns */

  /* Reference energy. */
  PetscReal motion, potential;  /* J at the start: kinetic and elastic; potential */
  PetscReal push;               /* J: largest kinetic energy that loads and weight give a body at rest in one step */
  PetscReal most;               /* J: largest kinetic and elastic energy so far */
  PetscReal load, fall, height; /* J, largest so far: |external work|, |change of potential energy|, |potential energy| */

  PetscReal  fastest;        /* largest |v| of the steps in which the energy was checked */
  PetscReal  above_since[2]; /* s, since when the energy error [0] or the energy loss [1] has been above its limit; negative: it is below */
  PetscInt64 above_step[2];
  PetscReal  spin; /* rad/s: up to this free spin, schemes that limit their own steps know the critical time step (scheme->step_limit) */

  PetscBool  stop;   /* the run ends */
  PetscBool  broken; /* its state has NaN or Inf */
  NsExceeded exceeded[NS_GUARD_KINDS];
} NsGuard;

/* Limits from the config: once the run is built, and its critical time step known. */
PetscErrorCode NsGuardCreate(NsRun *run);
/* At the start, once the ledger is open. */
PetscErrorCode NsGuardStart(NsRun *run);
void           NsGuardSerialize(NsGuard *guard, NsArchive *archive);
/* (all) After each step, which began at the time `from`: gaps and contact forces; the largest penetration; contacts that the step jumped over. */
PetscErrorCode NsGuardContacts(NsRun *run, PetscInt64 step, PetscReal from);
/* (all) Rotations and strains: at the steps at which the energy is checked. */
PetscErrorCode NsGuardDeformation(NsRun *run, PetscInt64 step);
/* (all) Each 16th step: velocities and spins. *energy: the ledger has to be closed and checked, and deformations too. */
PetscErrorCode NsGuardCheck(NsRun *run, PetscInt64 step, PetscBool *energy);
/* (all) The numerical energy error, of a ledger that was closed at this step. */
PetscErrorCode NsGuardEnergy(NsRun *run, PetscInt64 step);
/* (all) All positions and velocities. */
PetscErrorCode NsGuardFinite(NsRun *run, PetscInt64 step);
/* A row of this table has NaN or Inf and was left out: the run ends; with several processes it ends at the next check. */
PetscErrorCode NsGuardTable(NsRun *run, PetscInt64 step, const char *table);
/* m: the penetration from which on this candidate is reported; 0: none. */
PetscReal NsGuardDepth(const NsRun *run, PetscInt candidate);
/* "TEXT; at worst ..." of a limit that was exceeded, for the summary; "" if it was not. */
void NsGuardMessage(const NsRun *run, NsGuardKind kind, char *text, size_t size);
/* A likely cause: "; ..." or "". */
const char *NsGuardHint(const NsRun *run);
