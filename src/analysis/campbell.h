/*
  Modes over the speed of rotation: the Campbell diagram, critical speeds, the onset of instability.

  Modes are followed from one speed to the next by their shapes and their eigenvalues: of all pairs (old, new) the one with the smallest

      1 - likeness + |lambda_old' - lambda_new| / (|lambda_old'| + |lambda_new|)

  is joined first, and so on; lambda_old' is extrapolated linearly. A pair with more than 1 is not joined: its line ends there, and a
  new one begins. Lines of different shapes may cross; where two modes exchange their shapes (veering) the
  lines follow the shapes.
*/
#pragma once
#include "percuss/arena.h"
#include "whirl.h"

/* A rotating system: its matrices at a speed, and the whirl of its modes (NULL: not computed). */
typedef struct {
  void *context;
  PetscErrorCode (*operators)(void *context, PetscReal speed, Mat *M, Mat *C, Mat *K);
  PetscErrorCode (*whirl)(void *context, NsModes *modes, NsWhirl *whirl);
} NsSpinning;

/* Of a finite-element model. */
NsSpinning NsSpinningModel(NsModel *model);

/* A mode at one speed. */
typedef struct {
  PetscBool    there, unstable;
  PetscReal    re, im, damping_ratio;
  NsModeKind   kind;
  NsWhirlSense sense;
  PetscReal    kappa;
} NsCampbellPoint;

/* A critical speed, where a frequency equals the speed (im = speed), or the onset of instability (re = 0). */
typedef struct {
  PetscInt     line;
  PetscReal    speed, frequency, damping_ratio; /* rad/s, rad/s */
  NsWhirlSense sense;
  PetscReal    kappa;
  PetscBool    onset; /* of instability; PETSC_FALSE: a critical speed */
} NsCampbellEvent;

typedef struct {
  PetscInt         speeds, lines, events;
  PetscReal       *speed; /* [speeds] */
  NsCampbellPoint *point; /* [speeds, capacity]: a row for each speed, a column for each line */
  PetscInt         capacity;
  NsCampbellEvent *event; /* [events], ascending speed */
} NsCampbell;

/* `count` modes at each of `speeds` equally spaced speeds. Events are refined to 1e-8 of the speed. */
PetscErrorCode NsCampbellCompute(
  const NsSpinning *spinning, PetscReal from, PetscReal to, PetscInt speeds, PetscInt count, NsArena *arena, NsCampbell *campbell);
