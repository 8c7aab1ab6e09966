/*
  `positions: held`, for schemes with contacts on velocity level: at the end of a step closed contacts are projected onto g = 0, as in the method of Gear, Gupta and Leimkuhler:

      q' = v + M^-1 W mu:   q1 = q + M^-1 W Psi,   g(t1, q1) = 0   on joints, on lasting contacts that were under pressure in this step, and on those with g(q) <= 0

  C. W. Gear, B. Leimkuhler, G. K. Gupta: Automatic integration of Euler-Lagrange equations with constraints, J. Comput. Appl. Math. 12 (1985). A contact that was not
  pressed and has g > 0 has opened, and is not pulled back. Where not all can be closed at once (two at an edge of a surface) it is 0 <= g _|_ Psi >= 0 on them, and some open. One that has just closed and
  has e > 0 rebounds and keeps its penetration: projecting it would add energy at each impact.

  On a curved contact velocities alone drift: a point that slides at the angular rate w in a bore of radius R by gdot = -R w (w dt)^3/8 (half-explicit), -R w (w dt)/2
  (Moreau). With held positions no gap tolerance is needed: closed means projected onto g = 0, or there to NS_HELD.
*/
#pragma once
#include "position.h"

typedef struct {
  NsPosition position;
  PetscBool *closed;  /* [candidates] at the end of the last step */
  PetscBool *carried; /* [candidates] had a contact force at the end of the last step, by NsHoldEnd */
  PetscBool *pressed; /* [candidates] under pressure in this step, set by the scheme with NsHoldPress */
  PetscBool *held;    /* [candidates] by the last NsHoldFind */
  PetscReal *gap;     /* [candidates] m: at the end of the last step, before the projection */
  Vec        q;
} NsHold;

extern const char *const NsPositionsChoices[];
/* Whether a setting of `positions` holds them in this model: held, or auto where its joints drift. */
PetscBool NsHoldIsWanted(const NsModel *model, int positions);

/* For the page of each scheme that has it. */
#define NS_POSITIONS_ABOUT \
  "positions: held projects joints and contacts under pressure onto g = 0 at the end of each step (method of Gear, Gupta and Leimkuhler). Which " \
  "contacts are closed then no longer depends on gap_tolerance. An impact with e = 0 leaves no penetration; one with e > 0 keeps that of " \
  "its step, because removing it would add energy to each bounce. The projection does work, which counts as numerical energy error: for " \
  "elastic bodies that bounce repeatedly use positions: free, or scheme.implicit_split.\n"

/* `positions` of a settings struct T. */
#define NS_POSITIONS_KEY(T) \
  { \
    "positions", NS_KEY_CHOICE, offsetof(T, positions), \
      .choices = NsPositionsChoices, .default_value = "auto", \
      .help = \
        "closed contacts and joints: satisfied on velocity level only (free), or positions also projected onto zero gap at the end of each step (held); auto: held with joints of `type: body`, else free", \
      .example = "held" \
  }

/* *hold belongs to the workspace. */
PetscErrorCode NsHoldDeclare(NsScheme *scheme, NsWorkspace *work, NsHold **hold);
/* A run starts with these closed[candidates]; reports go by `closed` from now on. */
PetscErrorCode NsHoldStart(NsHold *hold, const PetscBool *closed);
/* Whether a candidate is closed by the gaps of the last NsContactGaps. */
PetscBool NsHoldTouches(const NsContact *contact, PetscInt candidate);
/* Marks as pressed exactly those contacts in rows that last, lasting[candidates], and have P > 0 along their normals; returns whether there are any. */
PetscBool NsHoldPress(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P);
/* Finds the contacts to be held at q, by the gaps of the last NsContactGaps; off: some of them are off g = 0 by more than rounding. */
void NsHoldFind(NsHold *hold, PetscBool *off);
/* The step is done: closed by the gaps of the last NsContactGaps; of the contacts in rows those carry a force that last, lasting[candidates] (NULL: all), and have P > 0. */
void NsHoldEnd(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P);
/* Projects them onto g = 0: *q becomes its nearest point in the metric M (another vector). Gaps are those of the new *q. */
PetscErrorCode NsHoldProject(NsScheme *scheme, NsHold *hold, PetscReal t, NsCompliance *mass, Vec *q, NsStepOutcome *outcome);
