/*
  The event-driven loop: smooth motion by a DAE solver (src/dae/dae.h) between events that are located one by one.

  [E] M. Haddouni, V. Acary, J.-D. Beley: Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and bilateral
  constraints; V. Acary, B. Brogliato: Numerical Methods for Nonsmooth Dynamical Systems, 8.
  Index sets: I0 all candidates; I1 those with g = 0; I2 those of I1 with u_N = 0. Contacts of I2 under pressure are held: equations of the DAE.

  A step of the loop ends with one step of the DAE solver, or at the first event within it:

      a gap closes; the normal force of a held contact falls below 0; a sticking one reaches the cone |lambda_T| = mu(0) lambda_N; a slipping one comes to rest;
      a jump or kink of a load, or of the speed of a shaft or a surface (NsModelTimes): known beforehand, because the error estimate of a body at rest does not show it

  An event ends the step. Contacts of I1 that approach have an impact, with all of I1: v+ = v- + M^-1 W P, 0 <= u_N+ + e u_N- _|_ P_N >= 0 (and friction). Then the held contacts of I2 are selected:

      select: lcp           0 <= u_N' _|_ lambda_N >= 0 (and friction: against the slip, or within the cone) at the accelerations
      select: moreau_jean   those with a percussion in a short Moreau-Jean step from there ([E] 4.2.2)

  Both select only one of two constraints at an edge of a surface, where two equations would be singular.

  Guards are quantities that must not fall below a limit. They are evaluated in pieces of a step, at both ends, in the middle and at a minimum between; where values and rates do not
  determine a gap well enough, and that may matter, the piece is halved: a spinning body has no integration error, but its corners swing. Gaps without any smoothness would need
  a hundred thousand pieces: a step with too many ends where the evaluation got to. The first guard that falls is bracketed on the
  dense output, and the step is repeated to end there, until it does.

  Zeno: an impact after which a contact would part with less than velocity_tolerance, or rise by less than a thousandth of gap_tolerance, has e = 0: a ball comes to rest after finitely
  many impacts. After an impact the next step is at most half the time of rising. More than NS_EVENT_CROWD events within a millionth of a step end the run.

  Ledger: work of dampers, loads, friction and moving surfaces by Gauss's rule of three points on the dense output; `numerical` is the solver's error.
*/
#pragma once
#include "dae/dae.h"
#include "percuss/scheme.h"

#define NS_EVENT_PIECES 3    /* the longest piece is a step over this */
#define NS_EVENT_FINEST 2e-5 /* of a step, the shortest */
#define NS_EVENT_MOST   4096 /* pieces of a step: one that takes more ends there */
#define NS_EVENT_CROWD  10000
#define NS_EVENT_PERIOD 0.25 /* of the period of a load: no step is longer; a fifth of it where no error is controlled */
#define NS_EVENT_HOP    1e-3 /* of gap_tolerance: lower bounces are suppressed; events are located a hundred times more exactly */

/* Settings of all of them. */
typedef struct {
  NsSchemeSettings scheme;
  double           tolerance, absolute_tolerance, gap_tolerance, velocity_tolerance;
  int              select; /* 0 lcp, 1 moreau_jean */
  double           rho;    /* generalised-alpha alone, as the next */
  int              rates;  /* 0 projected, 1 free */
} NsEventSettings;

/* For the pages of all of them. */
#define NS_EVENT_ABOUT \
  "Events are located within a step and end it: contacts close, open, stick or slip; loads and prescribed speeds have jumps or kinks. At an impact " \
  "all closed contacts obey the impact law with planar friction; which of them stay closed follows from accelerations (select: lcp) or from " \
  "a short Moreau-Jean step (select: moreau_jean).\n" \
  "Impacts that would leave a contact slower than velocity_tolerance, or lift it by less than a thousandth of gap_tolerance, do not bounce: " \
  "accumulations of impacts end. No step is longer than a quarter of the period of harmonic or rotating loads. The period of forces in a " \
  "plugin is not known: choose `step` shorter than that. Gaps must be smooth; one process.\n"

extern const char *const NsEventSelectChoices[];

#define NS_EVENT_KEYS(tolerated) \
  {"step", NS_KEY_NUMBER, offsetof(NsSchemeSettings, step), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <", \
    .help = "longest step; without tolerances the length of all steps", .example = "10 ms"}, \
    {"tolerance", NS_KEY_NUMBER, offsetof(NsEventSettings, tolerance), .default_value = (tolerated), .minimum = "0", .maximum = "1", \
      .help = \
        "error of a step, relative to the largest coordinate so far (at least gap_tolerance), and likewise of velocities; 0: only absolute_tolerance", \
      .example = "1e-6"}, \
    {"absolute_tolerance", NS_KEY_NUMBER, offsetof(NsEventSettings, absolute_tolerance), .default_value = "0", .minimum = "0", \
      .help = "error of a step in SI units, added to the relative one; both 0: constant steps", .example = "1e-10"}, \
    {"gap_tolerance", NS_KEY_NUMBER, offsetof(NsEventSettings, gap_tolerance), .dimension = NS_DIM_LENGTH, .default_value = "1e-9 m", \
      .minimum = "0 <", .help = "a contact with a gap up to this is closed", .example = "1e-10 m"}, \
    {"velocity_tolerance", NS_KEY_NUMBER, offsetof(NsEventSettings, velocity_tolerance), .dimension = NS_DIM_VELOCITY, .default_value = "1e-6 m/s", \
      .minimum = "0 <", \
      .help = \
        "a slower contact is at rest; an impact with a slower rebound does not bounce (nor one that lifts the contact by less than gap_tolerance/1000)", \
      .example = "1e-8 m/s"}, \
  { \
    "select", NS_KEY_CHOICE, offsetof(NsEventSettings, select), \
      .choices = NsEventSelectChoices, .default_value = "lcp", \
      .help = "how contacts that stay closed after an event are found: from accelerations, or by a short Moreau-Jean step", .example = "moreau_jean" \
  }

typedef enum { NS_EVENT_NONE, NS_EVENT_GAP, NS_EVENT_PRESS, NS_EVENT_STICK, NS_EVENT_SLIP } NsEventGuardKind;

typedef struct {
  PetscReal value, rate;
} NsEventGuardLook;

/* A quantity that must not fall below its limit: gap of an open contact (m), normal force of a held one, what is left of the cone of a sticking one (N), speed of a slipping one (m/s). */
typedef struct {
  NsEventGuardKind kind;
  PetscInt         vain;        /* events of this guard that changed nothing, since the last event that did: each multiplies its tolerance by ten */
  PetscReal        value, rate; /* at the last look; 0 but for gaps: the rate is not known */
  PetscReal        tolerance, limit;
  NsEventGuardLook at[3]; /* at the start, in the middle and at the end of a piece of the step */
} NsEventGuard;

typedef struct {
  NsDae        *dae;
  NsHeld        held, after; /* now; after the event that ends the step */
  PetscBool    *is_held;     /* [candidates] by `held` */
  PetscBool     pending;     /* the initial state has not been resolved yet */
  PetscBool     restart;     /* the solver has to restart: other contacts are held, or the state has jumped */
  NsState       look;        /* within a trial step, and at its end */
  Vec           a, free;
  NsRows        full, wu, wp; /* all directions of some contacts; equations and forces */
  PetscReal    *P, *force;    /* [rows] of the last problem; of `full` */
  PetscReal    *before, *velocity, *b;
  PetscReal    *slip; /* [candidates] of those in `after`, when they are listed: sliding speeds; 0: at rest */
  PetscBool    *restitute, *impact;
  NsEventGuard *guard; /* [2 candidates] gap, press; grip */
  PetscInt      guards;
  PetscReal    *floor; /* [candidates] m: 0, or the gap where the contact last parted, if that is below: the solver's drift has taken it there */
  PetscReal     largest_force; /* N, so far */
  PetscReal     next, bound;   /* s: length proposed by the error; longest after an impact */
  PetscReal     crowd_since;
  PetscInt64    crowd;
  PetscInt64    steps, events;
} NsEventDriven;

PetscErrorCode NsEventDrivenDeclare(NsScheme *scheme, NsWorkspace *work, const NsDaeMethod *method);
PetscErrorCode NsEventDrivenStart(NsScheme *scheme, const NsState *state);
PetscErrorCode NsEventDrivenStep(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome);
/* Whether the length of steps follows from their error. */
PetscBool   NsEventDrivenControls(const NsEventSettings *settings);
PetscInt    NsEventDrivenCount(const NsScheme *scheme, NsCounter *list);
const char *NsEventDrivenRefuses(const NsModel *model, const void *settings);

/* src/scheme/event_sets.c: an event at (t, q, v): impact, reported and booked, with v changed; then the held contacts (self->after) and the forces there (self->full, self->force);
   self->bound. `hit`: there was an impulse. */
PetscErrorCode NsEventResolve(NsScheme *scheme, NsState *at, PetscBool *hit, NsStepOutcome *outcome);
/* Forces of what is held at the end of a step without event: self->full, self->force. */
PetscErrorCode NsEventForces(NsScheme *scheme, const NsState *at, NsStepOutcome *outcome);
/* src/scheme/event_find.c: the first event within the trial step of length *h: the step is taken again to end there, *h its length. */
PetscErrorCode NsEventFind(NsScheme *scheme, const NsState *x, PetscReal *h, PetscBool *found, NsStepOutcome *outcome);
