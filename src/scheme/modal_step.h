/*
  A step of the scheme `modal`, shared by its files: modal.c is the scheme, modal_contact.c computes the reactions, modal_books.c the energy balance and the reports.

  The mean of the forces at both ends of the step conserves the energy of modes and springs (residual flexibilities) in lasting contact: the work of f_m on the modes is what the springs
  lose. In a step that closes or opens a contact, an error of lambda times the remaining gap would result; there the force acts only during the fraction theta of the step in which the
  contact is closed if the gap changes linearly,

         f_m = theta (lambda0 + lambda1)/2,   theta = -dr/(dg - dr)        dg: change of the gap, dr: that of the spring

  which conserves the energy in these steps, too. theta is found by iteration; for one contact without friction in closed form. It is limited to 0 .. 1: if many contacts
  open at once, about 1e-5 of the energy is unaccounted for.

  Energy balance: work of loads on the modes by a rule of order 4; dissipation by dampers is the remainder. The energy stored in the additional flexibility of closed contacts (reduced.h)
  is part of `impact` while they last.

  A step is NsModalReact, then the energy balance and the reports. Nothing here allocates.
*/
#pragma once
#include "modal_flight.h"
#include "percuss/scheme.h"

/* One candidate in this step. */
typedef struct {
  PetscBool taken, had; /* takes part; had a reaction at the beginning */
  PetscReal share[2];   /* theta of the reactions at the beginning and at the end of the step */
  PetscReal missing;    /* N: reduction of the normal reaction at the end by theta, in the last iteration */
} NsModalPart;

typedef struct {
  NsReduced     reduced;
  NsModalFlight flight;
  NsCompliance *compliance;            /* Psi Q Psi'/2 + R */
  PetscReal    *push, *both;           /* [touches, touches] Psi Q Psi'; matrix of the compliance */
  PetscReal    *x0, *x1, *g;           /* [2 modes] (eta, eta'); [modes] */
  PetscReal    *size[3];               /* [loads] at the beginning, the middle, the end */
  PetscReal    *work[2], *rate[2];     /* [loads] F_k' Phi eta and its rate at the beginning and at the end */
  PetscReal    *q0, *r0, *r1;          /* [touches] displacements at t0; their static part at t0 and at t1 */
  PetscReal    *f0, *f1;               /* [touches] W lambda */
  PetscReal    *base, *next;           /* [touches] q without new reactions; q of an iteration */
  PetscReal    *deficit[2], *shift[2]; /* [touches] reduction of f_m by theta, and the displacement that it causes: as used, and improved */
  PetscReal    *spare, *row;           /* [touches] scratch; row is zero between uses */
  NsRows        w0, w1;
  PetscReal    *lambda0, *lambda1, *b; /* [rows] N, N, m/s */
  NsModalPart  *part;                  /* [candidates] */
  PetscInt      candidates;
  PetscInt     *list;     /* [candidates] contacts that take part */
  PetscBool    *held;     /* [candidates] */
  PetscReal    *velocity; /* [rows] of all candidates */
  Vec           at;       /* q1 on the touch list, at which gaps are computed */
  PetscBool     damped, loaded, circulates, whole;
  PetscInt64    unshared; /* steps without theta */
} NsModal;

/* ---- reactions: modal_contact.c -------------------------------------------------------------------------------------------------------------------- */

/* Copies x[touches] to the entries of the touch list in a vector; other entries are unchanged. */
PetscErrorCode NsModalPutTouched(const NsModel *model, const PetscReal *x, Vec to);
/* r[touches]: static displacements by the residual flexibility under loads of these size[loads]. */
void NsModalLoadDisplacement(const NsModal *self, const PetscReal *size, PetscReal *r);
/*
  Reactions at t, the end of a step of dt, and the resulting displacements: w1, lambda1, f1; next; deficit[0], part[].share. On entry: base, size[2] and part[] of active candidates; next with
  the old reactions, where gaps are evaluated first; f1, deficit[0], shift[0] zero and w1 without rows. outcome->done is false, with a reason, if a local problem has no
  solution or the iteration does not converge. An iteration costs a local problem of the closed contacts, and O(touches x unknowns that these touch).
*/
PetscErrorCode NsModalReact(NsScheme *scheme, PetscReal t, PetscReal dt, NsStepOutcome *outcome);

/* f[touches] += scale W lambda of the rows of contact i. */
void NsModalAddReaction(const NsRows *rows, PetscInt i, const PetscReal *lambda, PetscReal scale, PetscReal *f);

/* ---- energy and reports: modal_books.c ---------------------------------------------------------------------------------------------------------------- */

/* work[loads] = F_k' Phi eta, and its rate, at x[2 modes]; not computed without loads and dampers. */
void NsModalLookAtLoads(const NsModal *self, const PetscReal *x, PetscReal *work, PetscReal *rate);
/* Work of friction and of surfaces that move by themselves, and energy stored in the flexibility of contacts. r1 is that with the reactions. */
void NsModalBookContacts(NsScheme *scheme, PetscReal dt);
/* f0 loses the reactions of contacts that no longer act (percuss/switches.h), and ledger->impact the energy that these have stored in the flexibility of contacts. */
void NsModalEndContacts(NsScheme *scheme);
/* Reports, and which contacts begin the next step with a reaction. The gap rate of a closed contact is zero although the modes move: the flexibility compensates them. */
PetscErrorCode NsModalReport(NsScheme *scheme, PetscReal dt);
/*
  Work of loads on the modes: of a parabola with mean a and change da on a motion y, int a y' = a Dy + da dt/12 D(y') + O(dt^5); on the static displacements, by the mean of both
  ends. That of an unsymmetric bearing stiffness is by cubics between the ends, O(dt^5), too. The remainder of the balance of the modes is the work of dampers. x1 is that of the end; mean[touches]: reactions as they acted.
*/
void NsModalBookLoads(NsScheme *scheme, PetscReal dt, const PetscReal *mean);

/* ---- small algebra on the touch list ------------------------------------------------------------------------------------------------------------- */

/* y += scale A f for a symmetric A[n, n] and an f that is mostly zero. */
static inline void NsModalAddProduct(PetscInt n, const PetscReal *A, const PetscReal *f, PetscReal scale, PetscReal *y)
{
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal part = scale * f[j];
    if (part == 0) continue;
    for (PetscInt i = 0; i < n; i++) y[i] += part * A[j * n + i];
  }
}

static inline PetscReal NsModalAlong(const NsRows *rows, PetscInt k, const PetscReal *x)
{
  PetscReal sum = 0;

  for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) sum += rows->value[j] * x[rows->touch[j]];
  return sum;
}

static inline PetscReal NsModalDot(PetscInt n, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static inline void NsModalSwap(PetscReal **a, PetscReal **b)
{
  PetscReal *old = *a;

  *a = *b;
  *b = old;
}
