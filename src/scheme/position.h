/*
  Contacts on position level: positions that satisfy the gap conditions,

      q = q_free + scale D W_P Psi,   0 <= g(t, q)  _|_  Psi >= 0   (joints: g = 0),

  by Newton's method on g. One step of it from the iterate q:  0 <= g(q) + W(q)' (q_free - q) + scale W(q)' D W_P Psi  _|_  Psi >= 0.
  D is a compliance A^-1, or the identity; W_P are rows at a position of the caller's. The contacts that take part are those that have been closed at some
  iterate: Psi of the others is zero. Or a set of contacts is held: g = 0 on these, whatever the sign of Psi, and nothing else. Where that
  cannot be, for more contacts than can be closed at once, it is 0 <= g  _|_  Psi >= 0 on them. Normals only. `offset` adds to the gaps: the law is then on g + offset.
*/
#pragma once
#include "percuss/scheme.h"

#define NS_HELD 1e-12 /* of the model's length: held contacts contradict each other by rounding up to this, and a gap up to this is closed */

#define NS_MOST_STEPS 50 /* of Newton's method */

typedef struct {
  NsContact       *contact; /* not owned */
  NsRows           wg, wp;  /* at q; at problem.qp */
  NsRows          *acting;  /* along which Psi of the last NsPositionStep acts: wp, or wg where both are at one place */
  Vec              dq, next;
  PetscReal       *b, *Psi, *multiplier; /* [rows] of the present problem; [candidates] Psi of all */
  PetscInt        *list;
  PetscBool       *taken;       /* [candidates] */
  PetscInt        *part, parts; /* candidates that take part, and their number */
  PetscReal       *offset;      /* [candidates] m; not owned; NULL: none */
  const PetscBool *held;        /* [candidates] not owned: g = 0 on these; NULL: 0 <= g _|_ Psi >= 0 on all */
} NsPosition;

PetscErrorCode NsPositionDeclare(NsScheme *scheme, NsWorkspace *work, NsPosition *self);
/* A new problem: no contact takes part yet. */
PetscErrorCode NsPositionBegin(NsPosition *self);
/* The problem: q = q_free + scale metric^-1 W_P Psi. */
typedef struct {
  PetscReal        t;      /* s: of the gaps */
  Vec              q_free; /* not owned, as the next */
  PetscReal        tp;     /* s, and */
  Vec              qp;     /* where W_P is taken; NULL: at t and the iterate itself, so that q is the nearest point in the metric */
  NsCompliance    *metric; /* NULL: the identity */
  PetscReal        scale;
  const PetscBool *allowed; /* [candidates] those that may take part; NULL: all */
} NsPositionProblem;

/* One step from q to next (another vector). */
PetscErrorCode NsPositionStep(NsPosition *self, const NsPositionProblem *problem, Vec q, Vec next, PetscBool *solved);
/* For a step whose iteration does not converge: appends the contacts concerned to the reason; a shorter step does not help if two held contacts have nearly the same normal but different curvatures. */
PetscErrorCode NsPositionFail(NsScheme *scheme, const NsPosition *self, NsStepOutcome *outcome);
/* q from q_free by such steps, down to rounding. `what` is solved for: "projection", "forces". A problem without solution, or no convergence, is a reason in outcome. */
PetscErrorCode NsPositionSolve(NsScheme *scheme, NsPosition *self, const NsPositionProblem *problem, Vec q, const char *what, NsStepOutcome *outcome);
