/*
  Modes over the speed of rotation: the Campbell diagram, critical speeds, the onset of instability.

  Modes are followed from one speed to the next by their shapes and their eigenvalues: of all pairs (old, new) the one with the smallest

      1 - likeness + |lambda_old' - lambda_new| / (|lambda_old'| + |lambda_new|)

  is joined first, and so on; lambda_old' is continued along the last slope. A pair with more than 1 is not joined: the mode is lost there, and a
  new one begins. Lines of unlike shapes cross each other; where two modes exchange their shapes (veering) the
  lines follow the shapes.
*/
#pragma once
#include "percuss/arena.h"
#include "whirl.h"

/* What turns: matrices at a speed, and the whirl of modes at rotors (NULL: not asked). */
typedef struct {
  void *context;
  PetscErrorCode (*operators)(void *context, PetscReal speed, Mat *M, Mat *C, Mat *K);
  PetscErrorCode (*whirl)(void *context, NsModes *modes, NsWhirl *whirl);
} NsSpinning;

NsSpinning NsSpinningModel(NsModel *model);

/* A mode at one speed. */
typedef struct {
  PetscBool    there, unstable;
  PetscReal    re, im, damping_ratio;
  NsModeKind   kind;
  NsWhirlSense sense;
  PetscReal    kappa;
} NsCampbellPoint;

/* A speed where a mode turns as fast as the rotor (im = speed), or begins to grow (re = 0). */
typedef struct {
  PetscInt     line;
  PetscReal    speed, frequency, damping_ratio; /* rad/s, rad/s */
  NsWhirlSense sense;
  PetscReal    kappa;
  PetscBool    onset; /* of instability; for crossings PETSC_FALSE */
} NsCampbellEvent;

typedef struct {
  PetscInt         speeds, lines, events;
  PetscReal       *speed; /* [speeds] */
  NsCampbellPoint *point; /* [speeds, room]: row of a speed, a column a line */
  PetscInt         room;
  NsCampbellEvent *event; /* [events], ascending speed */
} NsCampbell;

/* `count` modes at each of `speeds` equally spaced speeds. Events are refined to 1e-8 of the speed. */
PetscErrorCode NsCampbellCompute(
  const NsSpinning *spinning, PetscReal from, PetscReal to, PetscInt speeds, PetscInt count, NsArena *arena, NsCampbell *campbell);
