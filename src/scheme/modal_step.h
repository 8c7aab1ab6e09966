/*
  A step of the modal scheme between its files: modal.c is the scheme, modal_contact.c finds the reactions, modal_books.c books energy and makes reports.

  With the mean of the forces at both ends, lasting contact keeps the energy of modes and springs exactly: what f_m does to the modes is what the springs lose. In a step that
  closes or opens a contact the mean would err by lambda times the gap that is left over; there the force acts for the part theta of the step in which the contact is closed if
  the gap changes evenly,

         f_m = theta (lambda0 + lambda1)/2,   theta = -dr/(dg - dr)        dg: change of the gap, dr: of the spring in it

  and the energy is kept in these steps, too. theta is found by iteration, for one contact without friction in closed form. It stays between 0 and 1: where many contacts
  open at once that leaves some 1e-5 of the energy unaccounted for.

  Energy is booked by what happened to the modes: work of loads by a rule of order 4; dampers have what is missing then. What contact holds in its give beside that of the model is
  in `impact` while it lasts.

  A step is NsModalReact, then the books and reports. Nothing here allocates.
*/
#pragma once
#include "modal_flight.h"
#include "percuss/scheme.h"

/* One candidate in this step. */
typedef struct {
  PetscBool taken, had; /* takes part; had a reaction at the beginning */
  PetscReal share[2];   /* of the reactions at the beginning and at the end that acts: theta */
  PetscReal missing;    /* N: what theta took from the normal reaction of the end in the last round */
} NsModalPart;

typedef struct {
  NsReduced     reduced;
  NsModalFlight flight;
  NsCompliance *compliance;        /* Psi Q Psi'/2 + R */
  PetscReal    *push, *both;       /* [touches, touches] Psi Q Psi'; the numbers of the compliance */
  PetscReal    *x0, *x1, *g;       /* [2 modes] (eta, eta'); [modes] */
  PetscReal    *size[3];           /* [loads] at the beginning, the middle, the end */
  PetscReal    *work[2], *rate[2]; /* [loads] F_k' Phi eta and its rate at the beginning and at the end */
  PetscReal    *q0, *r0, *r1;      /* [touches] where touched places are at t0; the static part of it, and at t1 */
  PetscReal    *f0, *f1;           /* [touches] W lambda */
  PetscReal    *base, *next;       /* [touches] q without new reactions; q of a round */
  PetscReal    *less[2], *give[2]; /* [touches] what theta takes from f_m, and what that does to q: as used, and better */
  PetscReal    *spare, *row;       /* [touches] scratch; row is zero between uses */
  NsRows        w0, w1;
  PetscReal    *lambda0, *lambda1, *b; /* [rows] N, N, m/s */
  NsModalPart  *part;                  /* [candidates] */
  PetscInt      candidates;
  PetscInt     *list;     /* [candidates] who takes part */
  PetscBool    *held;     /* [candidates] */
  PetscReal    *velocity; /* [rows] of all candidates */
  Vec           at;       /* touched places of q1, where gaps are looked at */
  PetscBool     damped, loaded, whole;
  PetscInt64    unshared; /* steps whose theta was left out */
} NsModal;

/* ---- reactions: modal_contact.c -------------------------------------------------------------------------------------------------------------------- */

/* x[touches] to its places in a vector; the others keep what they have. */
PetscErrorCode NsModalPutTouched(const NsModel *model, const PetscReal *x, Vec to);
/* r[touches]: what loads of these sizes[loads] give at touched places, without the modes. */
void NsModalGiveOfLoads(const NsModal *self, const PetscReal *size, PetscReal *r);
/*
  Reactions at t, the end of a step of dt, and where they lead: w1, lambda1, f1; next; less[0], part[].share. The step begins with base, size[2] and part[] of who is near; with next where
  the old reactions would lead, for there gaps are looked at first; with f1, less[0], give[0] zero and w1 without rows. outcome->done is false, with a reason, where a local problem has no
  solution or the rounds do not converge. A round costs a local problem of the closed contacts, and O(touches x unknowns that these touch).
*/
PetscErrorCode NsModalReact(NsScheme *scheme, PetscReal t, PetscReal dt, NsStepOutcome *outcome);

/* ---- energy and reports: modal_books.c ---------------------------------------------------------------------------------------------------------------- */

/* work[loads] = F_k' Phi eta, and its rate, at x[2 modes]; left alone where nothing is booked by them, without loads and dampers. */
void NsModalLookAtLoads(const NsModal *self, const PetscReal *x, PetscReal *work, PetscReal *rate);
/* Work of friction and of surfaces that move by themselves, and what contact takes into its give. r1 is that of the reactions. */
void NsModalBookContacts(NsScheme *scheme, PetscReal dt);
/* Reports, and who begins the next step with a reaction. The gap of a contact that is closed has no rate, though its modes do: the static give makes up for it. */
PetscErrorCode NsModalReport(NsScheme *scheme, PetscReal dt);
/*
  Work of loads on the modes: of a parabola with mean a and change da on a motion y, int a y' = a Dy + da dt/12 D(y') + O(dt^5); on what gives way statically, by the mean of both
  ends. Dampers, and bearings that circulate, have what the modes then lack. x1 is that of the end; mean[touches]: reactions as they acted.
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
