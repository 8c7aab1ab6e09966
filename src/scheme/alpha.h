/*
  Common code of the schemes with the generalised-alpha method: parameters, history, and the smooth part of a step.

  J. Chung, G. M. Hulbert: A time integration algorithm for structural dynamics with improved numerical dissipation: the generalized-alpha method, J. Appl. Mech. 60 (1993). M. Arnold,
  O. Bruels: Convergence of the generalized-alpha scheme for constrained mechanical systems, Multibody Syst. Dyn. 18 (2007). With accelerations x that obey the equations of motion and
  auxiliary ones a,

      (1 - am) a1 + am a0 = (1 - af) x1 + af x0
      q* = q0 + dt v0 + dt^2 ((1/2 - beta) a0 + beta a1),   v* = v0 + dt ((1 - gamma) a0 + gamma a1)
      am = (2 rho - 1)/(rho + 1),   af = rho/(rho + 1),   gamma = 1/2 + af - am,   beta = (gamma + 1/2)^2/4

  rho: spectral radius for the highest frequencies; 1 does not damp (af = am = 1/2), 0 removes them in one step. Order 2, no critical time step. Jumps U of positions and w of velocities are added:
  q1 = q* + U, v1 = v* + w, and the equations of motion are those of the end, (q1, v1), jumps included: M(q1) x1 = h(t1, q1, v1) (+ W lambda). With a1 = k x1 + known terms,

      q1 = qs + B x1 + U,   v1 = vs + g x1 + w,   k = (1 - af)/(1 - am),   B = dt^2 beta k,   g = dt gamma k,   S = M + g C + B K

  so that linear models, where all else is known, need one solve, S x1 = h(t1, qs + U, vs + w), and other models Newton's method: x1 += S^-1 (h(t1, q1, v1) - M(q1) x1), with S at (qs, vs).
*/
#pragma once
#include "percussion.h"
#include "iteration.h"

/* The settings of all these schemes. */
typedef struct {
  NsSchemeSettings scheme;
  double           rho;
} NsAlphaSettings;

#define NS_RHO_KEY \
  { \
    "rho", NS_KEY_NUMBER, offsetof(NsAlphaSettings, rho), \
      .default_value = "0.8", .minimum = "0", .maximum = "1", \
      .help = "amplification factor of the highest frequencies: 1 does not damp them, 0 removes them in one step", .example = "0.5" \
  }

/* The first member of the private data of all of them. */
typedef struct {
  NsPercussion  p;          /* slot 0, M: v1, impulses */
  NsCompliance *implicit;   /* slot 1, S */
  NsRows        ahead;      /* rows of joints, at q0 + dt v0 */
  PetscInt64    iterations; /* so far */
  PetscReal     am, af, beta, gamma;
  PetscReal     B, g;           /* s^2, s: of this step */
  PetscBool     renew;          /* x0 and a0 have to be computed from the state */
  Vec           x0, a0;         /* of the state */
  Vec           x1, qs, vs, q1; /* qs: with large rotations the way from q0 to it */
  NsModel      *model;
  Vec           q0;             /* of the step; not owned */
  Vec           way;            /* scratch where rotations are large; else NULL */
  Vec           h, r, dx, next; /* scratch */
} NsAlpha;

PetscErrorCode NsAlphaDeclare(NsScheme *scheme, NsWorkspace *work);
PetscErrorCode NsAlphaStart(NsScheme *scheme, const NsState *state);
/*
  Computes qs, vs, S; x1 is the start of the iteration of nonlinear models. joint[candidates]: contacts whose reactions are forces in x. In the first step x0 contains those of a short explicit step:
  M x0 = h + W lambda, W(q0 + dt v0)'(v0 + dt x0) = 0.
*/
PetscErrorCode NsAlphaBegin(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *joint, NsStepOutcome *outcome);
/* One iteration for x1 at time t1 with the jumps U of positions and w of velocities (NULL: none). Exact after one for linear models. */
PetscErrorCode NsAlphaIterate(NsScheme *scheme, PetscReal t1, Vec U, Vec w);
/* y = qs + B x1 (+ U), with large rotations q0 moved by it all; y = vs + g x1 (+ w); NULL: none. */
PetscErrorCode NsAlphaPosition(NsAlpha *self, Vec U, Vec y);
PetscErrorCode NsAlphaVelocity(NsAlpha *self, Vec w, Vec y);
/* y = scale M^-1 W P, with the compliance of p. */
PetscErrorCode NsAlphaJump(NsAlpha *self, const NsRows *w, const PetscReal *P, PetscReal scale, Vec y);
/* Whether one NsAlphaIterate with the jumps gives the final x1: in linear models with flat contacts and without dampers nothing else depends on them. */
PetscBool NsAlphaIsDirect(const NsModel *model, PetscBool jumps);
/* NsIterationTake; with `direct` the change is not measured, which saves a pass over all unknowns. */
PetscErrorCode NsAlphaIterationTake(NsIteration *iteration, const NsModel *model, PetscBool direct, Vec *next, Vec *target, PetscReal least);
/* NsIterationEnd; with `direct` no further iteration, unless contacts have `grown`: some took part for the first time. */
PetscErrorCode NsAlphaIterationEnd(NsIteration *iteration, PetscBool direct, PetscBool grown, NsStepOutcome *outcome, PetscBool *again);
/* Work of dampers and loads with the mean velocity (v0 + v1)/2, by the forces at both ends: for rho = 1 that is the trapezoidal rule, and exact. */
PetscErrorCode NsAlphaBook(NsScheme *scheme, const NsState *x, PetscReal dt);
/* NsSchemeType.count of all of them. */
PetscInt NsAlphaCount(const NsScheme *scheme, NsCounter *list);
/* After NsAlphaFinish: velocities have jumped at the end of the step, from `before` to those of the state; updates x and a for the change of velocity-dependent forces. */
PetscErrorCode NsAlphaJumped(NsScheme *scheme, const NsState *x, Vec before);
/* The step is done: updates a, x, the contact history, and the state from q1 and p.v1. */
PetscErrorCode NsAlphaFinish(NsScheme *scheme, NsState *x, PetscReal dt);
