/*
  Prescribed motion over time: a sum of parts, each a displacement, a velocity or an acceleration (a vector) times a function of time.

      motion: [{displacement: [0, 1 mm, 0], time: {harmonic: {frequency: 50 Hz}}}, {velocity: [0.1 m/s, 0, 0]}]

  Of a velocity the displacement starts at 0; of an acceleration the velocity, too. What is given must not jump where that would be an infinite velocity: displacements. Kinks of displacements and
  jumps of velocities are jumps of the velocity, which act as impulses.
*/
#pragma once
#include "timefunction.h"

/* One part; what it is given as is its level. */
typedef struct {
  const NsNode         *where;
  double                displacement[3], velocity[3], acceleration[3];
  const NsTimeFunction *time;
  NsWindow              window;     /* 0 outside it */
  const NsTimeFunction *function;   /* `time` within the window; made by NsMotionPrepare, */
  NsTimeFunction        derived[3]; /* and of displacement, velocity and acceleration */
  const double         *vector;     /* the one that is given */
} NsMotionPart;

/* Its key `motion`, with an offset of NsList. */
#define NS_MOTION_KEY(offset_, help_) \
  { \
    "motion", NS_KEY_LIST, offset_, .table = &NsTable_Motion, .help = help_, \
                                    .example = "[{displacement: [0, 1 mm, 0], time: {harmonic: {frequency: 50 Hz}}}]" \
  }

extern const NsTable NsTable_Motion;

/* The parts as they are used; parts 0: none. Those of a list are in its items. */
typedef struct NsMotion {
  int                 parts;
  const NsMotionPart *part;
} NsMotion;

/* Prepares the parts of a list for times up to `end`, s. A jump of a displacement within it, and a motion that cannot be integrated, are errors in diag: then the motion has no parts. */
NsMotion NsMotionPrepare(const NsList *list, double end, NsArena *arena, NsDiag *diag);
/* x[3]: displacement (order 0, m), velocity (1) or acceleration (2) at t; where the velocity jumps, after it. */
void NsMotionAt(const NsMotion *motion, int order, PetscReal t, PetscReal x[3]);
/* The first time after t at which a part has a jump or a kink; its shortest period; PETSC_MAX_REAL: none. */
PetscReal NsMotionNext(const NsMotion *motion, PetscReal t);
PetscReal NsMotionPeriod(const NsMotion *motion, PetscReal t);
/* The time in (0, end] at which the velocity jumps first; PETSC_MAX_REAL: it does not. */
PetscReal NsMotionJump(const NsMotion *motion, double end);
