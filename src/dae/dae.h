/*
  Smooth motion between two events: M(q) v' = h(t, q, v) + W lambda, q' = v, with some contacts and joints held as equations.

  [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and bilateral
  constraints. Held contacts never open by themselves: the event loop (src/scheme/event_driven.h) locates events and decides what is held next.

  Held rows. Equations u = W_u' v + drive = 0 (and on position level g = 0, on acceleration level W_u' v' + d = 0), forces W_P lambda:

      NORMAL   equation and force along the normal: joints, and contacts without friction
      STICK    along the normal and the tangents
      SLIP     equation along the normal; force along W_N - mu sense W_T: friction against a planar slip of this sign, with mu = mu(|u_T|) where the law depends on the sliding speed

  Use: NsDaeHold, then NsDaeRestart at a state; NsDaeTry makes a trial step and estimates its error; NsDaeInterpolate evaluates it within, NsDaeForces gives accelerations and
  forces anywhere; NsDaeAccept continues from its end, or NsDaeTry repeats it with another h. Nothing here allocates after NsDaeCreate but
  the matrices of generalised-alpha on finite elements, which are factored anew where the length of the step changes, and after a restart.

  To add a method: its file in this folder with an NsDaeMethod, and a scheme (src/scheme/event_driven_NAME.c) that takes it.
*/
#pragma once
#include "percuss/workspace.h"

typedef struct NsDae NsDae;

typedef enum { NS_HOLD_NORMAL, NS_HOLD_STICK, NS_HOLD_SLIP } NsHoldKind;

typedef struct {
  PetscInt    count;
  PetscInt   *contact; /* [candidates] the first `count`: candidates, ascending */
  NsHoldKind *kind;    /* [candidates] of each of these */
  PetscReal  *sense;   /* [candidates] SLIP: the sign of u_T */
  PetscInt    candidates;
} NsHeld;

/* What a method has cost, in evaluations; Table 2 of [E]. */
typedef struct {
  PetscInt64 steps, rejected; /* trial steps accepted for their error; not */
  PetscInt64 forces, rows, rates, solves, tangents;
} NsDaeWork;

typedef struct {
  const char *name;         /* "hem5" */
  PetscInt    order;        /* p of the step control: the estimate of a step's error goes with h^p */
  PetscBool   by_positions; /* velocities follow from positions: their rounding, over h, must not count as an error */
  PetscBool   factors;      /* a matrix that depends on the step's length: it is kept while it can be */
  size_t      size;         /* of its private struct, dae->data: zero at first */
  PetscErrorCode (*declare)(NsDae *, NsWorkspace *);
  /* The state `from` (start, or after an event) or the held contacts are new: the history of previous steps is discarded. *done is true; false: dae->reason says why. */
  PetscErrorCode (*restart)(NsDae *, const NsState *from, PetscBool *done);
  /* From `from` over h into dae->q1, dae->v1; the error's estimate into dae->eq, dae->ev. *done as above. */
  PetscErrorCode (*step)(NsDae *, const NsState *from, PetscReal h, PetscBool *done);
  /* The last trial step is taken: the next one begins at its end. */
  PetscErrorCode (*accept)(NsDae *);
  /* q, v at from.t + s h within the last trial step, 0 < s < 1; what is held holds there on the method's own level, or nearly. */
  PetscErrorCode (*interpolate)(NsDae *, const NsState *from, PetscReal s, Vec q, Vec v);
} NsDaeMethod;

struct NsDae {
  const NsDaeMethod *method;
  NsModel           *model; /* not owned, as the next */
  NsContact         *contact;
  NsHeld             held;   /* by the last NsDaeHold */
  NsCompliance      *mass;   /* slot 0, A = M */
  PetscReal          h;      /* of the last trial step */
  Vec                q1, v1; /* its end */
  Vec                eq, ev; /* its error's estimate */
  /* Allowed error of a step: |eq| <= absolute + relative size_q, |ev| <= absolute + relative size_v, largest components; the sizes are those of the motion so far. Both 0: steps are
     not controlled. Motion from rest has no size yet: the caller sets a least size, and 1e-20 of the model's length is always allowed, or no
     step would be short enough where forces grow from 0. The rounding of h a and h^2 a is also allowed, because the forces of held contacts cancel the free acceleration. */
  PetscReal  absolute, relative, size_q, size_v;
  PetscReal  free_size;   /* largest free acceleration at the restart where something is held, else 0 */
  PetscReal  last;        /* length of the step before, for methods on position level, which correct its rounding; 0 after a restart */
  PetscReal  rho;         /* generalised-alpha: spectral radius at infinity, 0 .. 1; set before the first restart */
  PetscBool  free_rates;  /* generalised-alpha: rates of held gaps are left as they come out, as in [E] */
  NsRows     wu, wp, all; /* of the last evaluation: equations, forces; all directions of the held contacts */
  PetscReal *lambda;      /* [rows] of the last solve, by its wp: N */
  PetscReal *b, *rate;    /* [rows] scratch */
  PetscReal *friction;    /* [candidates] of each held contact that slips: mu of the last evaluation */
  PetscBool  sliding;     /* some slipping contact has a speed-dependent friction coefficient */
  NsDaeWork  work;
  char       reason[256];
  void      *data; /* the method's */
};

extern const NsDaeMethod NsDaeMethod_Hem5, NsDaeMethod_Rkf45, NsDaeMethod_GeneralisedAlpha;

/* *dae belongs to the workspace. */
PetscErrorCode NsDaeCreate(const NsDaeMethod *method, NsContact *contact, NsWorkspace *work, NsDae **dae);
/* Arrays of *held; history: it is kept between steps. */
PetscErrorCode NsDaeHeldDeclare(NsWorkspace *work, NsHeld *held, PetscBool history);
/* Sets the held contacts, which are copied; NsDaeRestart must follow. */
PetscErrorCode NsDaeHold(NsDae *dae, const NsHeld *held);
PetscErrorCode NsDaeRestart(NsDae *dae, const NsState *from, PetscBool *done);
/*
  A trial step of *h, or shorter: until its error is allowed, by a factor of 0.9 (allowed/error)^(1/p), at least 0.2, each time; where the equations have no solution, by
  0.2. On return *h is its length and *next a length for the step after it, by the same rule, at most 5 *h. Not done: steps become shorter than rounding; dae->reason says why.
*/
PetscErrorCode NsDaeTry(NsDae *dae, const NsState *from, PetscReal *h, PetscReal *next, PetscBool *done);
/* The same of exactly h, whatever its error: to land at an event. */
PetscErrorCode NsDaeTryExactly(NsDae *dae, const NsState *from, PetscReal h, PetscBool *done);
PetscErrorCode NsDaeAccept(NsDae *dae);
PetscErrorCode NsDaeInterpolate(NsDae *dae, const NsState *from, PetscReal s, Vec q, Vec v);
/* Rows of the held contacts at (t, q): equations into wu, forces into wp (of the same contacts, with as many rows), such as dae->wu and dae->wp. Friction over the sliding speed is that at v; v NULL: it is
   not known yet, and NsDaeSlide follows. */
PetscErrorCode NsDaeRows(NsDae *dae, PetscReal t, Vec q, Vec v, NsRows *wu, NsRows *wp);
/* The forces wp of the last NsDaeRows with friction at the sliding speeds of v. */
PetscErrorCode NsDaeSlide(NsDae *dae, Vec v, NsRows *wp);
/* The index-1 system: a = M^-1 (h + W_P lambda) with W_u' a + d = 0; lambda[rows] (N) also in dae->lambda, by the rows of dae->wp. Where equations depend on each other lambda is one of many. */
PetscErrorCode NsDaeForces(NsDae *dae, PetscReal t, Vec q, Vec v, Vec a, PetscBool *done);

/* ---- for methods -------------------------------------------------------------------------------------------------------------------------------- */

/* a = M^-1 h, counted. */
PetscErrorCode NsDaeFreeAcceleration(NsDae *dae, PetscReal t, Vec q, Vec v, Vec a);
/*
  x += A^-1 W_P lambda with W_u' x + drive + shift = 0 afterwards: dae->lambda. A is what the compliance was updated for; shift[rows], NULL: 0. Equations that depend on each other
  may miss by a small part of their largest term, or of `size`; where they miss by more, *done is false.
*/
PetscErrorCode NsDaeSolve(
  NsDae *dae, NsCompliance *compliance, const NsRows *wu, const NsRows *wp, Vec x, const PetscReal *shift, PetscReal size, PetscBool *done);
/*
  Rates of positions, for methods that add them up: rate[count] are vectors of their own where q' is not v (large rotations), else the velocities themselves. NsDaeRate fills such a vector,
  and does nothing where it is v.
*/
PetscErrorCode NsDaeRatesDeclare(NsDae *dae, NsWorkspace *work, int count, const Vec *velocity, Vec *rate);
PetscErrorCode NsDaeRate(NsDae *dae, Vec q, Vec v, Vec rate);
/* y = y0 + h sum_j coefficient[j] x[j], j < count; y0 NULL: 0. */
#define NS_DAE_STAGES 10
PetscErrorCode NsDaeCombine(Vec y0, PetscReal h, PetscInt count, const PetscReal *coefficient, Vec *x, Vec y);
