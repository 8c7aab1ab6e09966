/*
  Common code of the schemes of the forecasting trapezoidal rule ([A] Schindler, Rezaei, Kursawe, Acary): from (q0, v0) at t0 to (q1, v1) at t1,

      a0  = M0^-1 h(t0, q0, v0)
      v_a = v0 + dt (a0 + M0^-1 W0 lambda0)                                     Euler stage
      q1  = q0 + dt/2 (v0 + v_a)
      v1  = v0 + dt/2 (a0 + M0^-1 W0 lambda0) + dt/2 M1^-1 (h(t1, q1, v_a) + W1 lambda1)     without an impact,
      v1  = v^- + M1^-1 W1 Lambda,   v^- = v0 + dt/2 (a0 + M1^-1 h(t1, q1, v_a))             with one

  They differ in the equations for lambda0 and lambda1, and in the condition under which a step has an impact.
  In free flight this is velocity Verlet: order 2, dt < 2/omega_max.

  Reactions go into the accelerations: with b0 = a0 + M0^-1 W0 lambda0 the rest is free flight (NsModelFlight), v1 = v0 + dt/2 (b0 + a1). Where forces do not depend on
  the velocity a1 is the a0 of the next step.

  `positions: held` (hold.h): q1 is projected onto g = 0 before h(t1, q1, v_a), W1 and the velocities at q1 are evaluated.

  Ledger: with v_m = (v0 + v1)/2 the change of kinetic energy is v_m' M (v1 - v0) for constant M, so forces work with v_m; dampers with v0 and v_a.
*/
#pragma once
#include "hold.h"

/* The first member of the settings of all of them. */
typedef struct {
  NsSchemeSettings scheme;
  int              restitution_of; /* 0 newly_closed, 1 all_closed */
  int              positions;      /* NsPositionsChoices */
} NsTrapezoidalSettings;

extern const char *const NsRestitutionChoices[];

#define NS_RESTITUTION_OF_KEY \
  { \
    "restitution_of", NS_KEY_CHOICE, offsetof(NsTrapezoidalSettings, restitution_of), \
      .choices = NsRestitutionChoices, .default_value = "newly_closed", \
      .help    = "contacts that bounce in an impact: those that just closed, or all that are closed anywhere (as in the paper)", \
      .example = "all_closed" \
  }

/* The first member of the private data of all of them. P0 = dt lambda0, P1 = dt/2 lambda1, Lambda: N s. */
typedef struct {
  NsCompliance *mass;           /* slot 0, A = M */
  NsHold       *hold;           /* NULL: positions are free */
  PetscBool     known;          /* a0 belongs to the state: it is known from the last step */
  Vec           a0, a1, q1, v1; /* a0 is b0 after NsTrapezoidalPush */
  Vec           free;           /* a0 without reactions, where the mass matrix varies */
  Vec           va, vm;         /* v0 + dt b0, (v0 + v1)/2 before the impulses: set where dampers or loads work with them */
  NsRows        w0, wu, w1;     /* at q0, at a prediction, at q1 */
  PetscReal    *P0, *P1, *Lambda, *u0, *u1, *b;
  PetscReal    *us0, *us1;        /* W0' and W1' (v0 + v1), drives counted twice, before the impulses */
  PetscBool    *closed, *closed1; /* [candidates] at q0, at q1 */
  PetscBool    *reached;          /* [active at q0] by an impact at q1 */
  PetscBool    *newly, *struck;   /* [active at q1] just closed; reached by an impact (with two steps: [candidates] closed at the prediction) */
} NsTrapezoidal;

/* For schemes that find forces of their own: the state of a stage and its free acceleration, the time for which the forces act, and where they go. */
typedef struct {
  NsState    at;
  Vec        a;
  PetscReal  tau;
  NsRows    *rows;
  PetscReal *P;
} NsTrapezoidalStage;

PetscErrorCode NsTrapezoidalDeclare(NsScheme *scheme, NsWorkspace *work);
PetscErrorCode NsTrapezoidalStart(NsScheme *scheme, const NsState *state);
void           NsTrapezoidalAmplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4]);

/* a0 of the state. */
PetscErrorCode NsTrapezoidalBegin(NsScheme *scheme, const NsState *x);
/* P0, forces on velocity level: 0 <= W(q0 + dt v0)' v_a _|_ lambda0 >= 0 (and friction) on the contacts `closed`[candidates]; a0 becomes b0. */
PetscErrorCode NsTrapezoidalEulerStage(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *closed, NsStepOutcome *outcome);
/* a0 becomes b0 by P0 on the contacts of w0. */
PetscErrorCode NsTrapezoidalPush(NsScheme *scheme, PetscReal dt);
/* b0 becomes a0 again, and there is no P0: the step begins anew. */
PetscErrorCode NsTrapezoidalRelease(NsScheme *scheme, PetscReal dt);
/* flag[candidates] of the active ones: whether each is closed by the gaps of the last NsContactGaps. Selects these, too; how many. */
PetscInt NsTrapezoidalFlagClosed(const NsScheme *scheme, PetscBool *flag);
/* Free flight: q1 (and its projection), a1 = M1^-1 h(t1, q1, v_a) and v1 without reactions at t1; contacts closed there (w1, contact->G, newly), and whether some of them are newly closed. */
PetscErrorCode NsTrapezoidalPosition(NsScheme *scheme, const NsState *x, PetscReal dt, PetscBool *impact, NsStepOutcome *outcome);
/* Takes P0 of those contacts i of w0 for which drop[i] is true (NULL: all) out of v1 and sets it to zero. */
PetscErrorCode NsTrapezoidalDrop(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *drop);
/* Forces lambda1 on velocity level at t1, and v1: 0 <= W1' v1 _|_ lambda1 >= 0 (and friction) on the contacts of w1. */
PetscErrorCode NsTrapezoidalForceStep(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome);
/* An impact on all contacts of w1: v1 = v^- on entry, Lambda and v1 on return. */
PetscErrorCode NsTrapezoidalImpact(NsScheme *scheme, NsStepOutcome *outcome);
/* The same from v^- of the step, without lambda0. After NsTrapezoidalPosition; sets everything. */
PetscErrorCode NsTrapezoidalImpactStep(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome);
/* The same where only newly closed contacts have restitution: impulses on those that the impact reaches, forces lambda0 and lambda1 on the others. */
PetscErrorCode NsTrapezoidalNewlyStep(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome);
/* v1 += M1^-1 W1 P1, and its report; us0, us1, vm: with which NsTrapezoidalFinish books what works. */
PetscErrorCode NsTrapezoidalApplyForces(NsScheme *scheme, const NsState *x, PetscReal dt);
/* Ends the step: ledger, closed contacts, and the new state. */
PetscErrorCode NsTrapezoidalFinish(NsScheme *scheme, NsState *x, PetscReal dt);
