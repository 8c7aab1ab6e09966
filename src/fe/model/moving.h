/*
  Supports that move in a prescribed way, and the motion of the base.

  Held unknowns p(t) stay out of the equations; of the full matrices their columns act as loads on the others,

      f = -K_fp p - (C_fp + G_fp) p' - M_fp p''

  which are loads of NsFeForces over derivatives of the parts of the motion: schemes, back ends and analyses see loads. Energies are those of all unknowns; the part of the support's work that
  is not that of these loads, and its power through dampers, are added to the books, so that

      work of the supports = - int p' . (M_pf v' + M_pp p'' + C_pf v + C_pp p' + K_pf q + K_pp p) dt

  enters `load`, and the numerical energy error stays that of the scheme. The motion of the base is the inertia force -M r a(t) in the frame that moves with it.

  Numbers of held unknowns: -1 at rest, -2 - m moved. Cost: per part of a motion the entries next to the supports, several evaluations of its time function a step.
*/
#pragma once
#include "core/motion.h"
#include "percuss/model.h"

typedef struct NsFe NsFe;

/* The support that moves an unknown. */
typedef struct {
  PetscInt  set;
  PetscReal direction[3];
} NsFeMovedUnknown;

typedef struct {
  PetscInt          sets; /* supports that move */
  NsMotion         *motion;
  PetscInt         *first; /* [sets + 1] number of their first part among all */
  PetscInt          moved;
  NsFeMovedUnknown *unknown;                     /* [moved] */
  PetscReal        *value, *rate, *acceleration; /* [moved] of the last NsFeMovedAt */
  NsMotion          base;                        /* of the whole model */
  PetscReal        *mass, *damping, *stiffness;  /* [parts, parts] w_a' X_pp w_b for unit factors */
} NsFeMoving;

static inline PetscBool NsFeIsMoved(PetscInt unknown)
{
  return unknown <= -2;
}

/* One more moving support; its number. */
PetscInt NsFeAddMotion(NsFe *fe, NsMotion motion);
/* Number for a held unknown: its displacement is that of the support along the direction. */
PetscInt NsFeAddMoved(NsFe *fe, PetscInt set, const PetscReal direction[3]);
/* Loads of moving supports and of the base, once attachments are there. Errors in diag. */
void NsFeMovingCreate(NsFe *fe);
/* Sets value, rate and acceleration. */
void NsFeMovedAt(const NsFe *fe, PetscReal t);
/* The value of a held unknown: 0 at rest. */
PetscReal NsFeHeldValue(const NsFe *fe, PetscInt unknown);
PetscReal NsFeHeldRate(const NsFe *fe, PetscInt unknown);
PetscReal NsFeHeldAcceleration(const NsFe *fe, PetscInt unknown);
/* Adds to the energies what moved unknowns have of them. */
PetscErrorCode NsFeMovedEnergy(const NsFe *fe, PetscReal t, const PetscReal *q, const PetscReal *v, NsEnergy *energy);
/* Adds what supports do through dampers at the velocities v and w. */
PetscErrorCode NsFeMovedPower(const NsFe *fe, PetscReal t, const PetscReal *v, const PetscReal *w, NsPower *power);
/* One time after t at which a motion changes, and its period. */
void NsFeMovedTimes(const NsFe *fe, PetscReal t, NsTimes *times);
/* A derivative (order 0 to 2) of a moved unknown in a probe. */
void NsFeMovedProbe(const NsFe *fe, NsProbeColumn *column, PetscInt unknown, int order, PetscReal weight);
/* The first time up to the end of the run at which a velocity jumps that acts on masses; 0: none. */
PetscReal NsFeMovedJump(const NsFe *fe);
