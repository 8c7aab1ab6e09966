/*
  Common code of the theta scheme and those built on it: the velocity step, for a given set of active contacts, of

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, (2). With x_th = (1 - th) x0 + th x1:

      M(q_th) (v1 - v0) - dt h(t_th, q_th, v_th) = W P,   q1 = q0 + dt v_th,   0 <= W'v1 + e W'v0  _|_  P >= 0  (and friction)

  (the slides have the weights of x_th the other way round). For h = f(t) - K q - C v this is one linear solve with a constant A, and W at q0:

      A (v1 - v0) = dt h(t_th, q0 + th dt v0, v0) + W P,     A = M + th dt C + (th dt)^2 K

  For other models Newton's method, with A at (q0 + th dt v0, v0), the tangents C, K of h there, and W at q_th:

      A (v1+ - v1) = M(q_th) (v0 - v1) + dt h(t_th, q_th, v_th) + W P

  each iteration of which is a local problem and a solve. What A leaves out, changes of M and W with q, is of the size dt P: three to six iterations for mechanisms, up to twenty for
  rotors that rub. The gyroscopic terms of rotors whose spin changes are left out, too: they converge as long as th dt times the spin is well below one:
  0.3 converges, 0.8 needs more than sixty iterations, which is a failed step.
*/
#pragma once
#include "percussion.h"

/* The first member of every such scheme's settings. */
typedef struct {
  NsSchemeSettings scheme;
  double           theta, gamma;
  int              positions; /* NsPositionsChoices */
} NsThetaSettings;

#define NS_THETA_KEY \
  { \
    "theta", NS_KEY_NUMBER, offsetof(NsThetaSettings, theta), .default_value = "0.5", .minimum = "0", .maximum = "1", \
                                                              .help = "weight of the step's end; from 0.5 unconditionally stable", .example = "0.55" \
  }
#define NS_GAMMA_KEY \
  { \
    "gamma", NS_KEY_NUMBER, offsetof(NsThetaSettings, gamma), \
      .default_value = "0.5", .minimum = "0", .maximum = "1", \
      .help = "how far ahead, in steps, a gap is forecast to decide whether a contact is active", .example = "1" \
  }

/* The first member of the private data of all of them. */
typedef struct {
  NsPercussion  p;    /* slot 1, A */
  NsCompliance *mass; /* slot 0, M at the beginning of the step, for projections; else NULL */
  PetscReal     theta;
  PetscBool     known;               /* r is known */
  Vec           q1, vth;             /* of the end of the velocity step */
  Vec           h, dv, qth, r, next; /* the last three for Newton's method only; r of linear models: the free velocity of this step */
} NsTheta;

/* iterates: NsThetaIterate will be called for linear models, too; mass: with M for projections. */
PetscErrorCode NsThetaDeclare(NsScheme *scheme, NsWorkspace *work, PetscBool iterates, PetscBool mass, PetscBool held);
PetscErrorCode NsThetaStart(NsScheme *scheme, const NsState *state);
/* A, and M, for a step from x. */
PetscErrorCode NsThetaBegin(NsScheme *scheme, const NsState *x, PetscReal dt);
/* p.v1, vth and q1 with the first `count` of the selected candidates in contact, for which NsPercussionActivate was called. */
PetscErrorCode NsThetaVelocity(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome);
/* One iteration of Newton's method: v1+ into `next` from v1 in p.v1. q NULL: W at q_th (not for linear models); else at (t1, q), with the approach velocities that are in p.u0. */
PetscErrorCode NsThetaIterate(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, Vec q, NsStepOutcome *outcome);
/* vth and q1 from p.v1. */
PetscErrorCode NsThetaMove(NsScheme *scheme, const NsState *x, PetscReal dt);
/* Reports and ledger. */
PetscErrorCode NsThetaBook(NsScheme *scheme, const NsState *x, PetscReal dt);
PetscReal      NsThetaStands(const void *settings);
void           NsThetaAmplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4]);
