/*
  `positions: held`, for schemes whose contacts hold on velocity level: at the end of a step the closed ones are put onto g = 0, as in the method of Gear, Gupta and Leimkuhler:

      q' = v + M^-1 W mu:   q1 = q + M^-1 W Psi,   g(t1, q1) = 0   on joints, on contacts that last and were pressed in this step, and on those with g(q) <= 0

  C. W. Gear, B. Leimkuhler, G. K. Gupta: Automatic integration of Euler-Lagrange equations with constraints, J. Comput. Appl. Math. 12 (1985). A contact that was not
  pressed and has g > 0 has opened, and is not pulled back. Where not all can be closed at once (two at an edge of a surface) it is 0 <= g _|_ Psi >= 0 on them, and some open. One that has just closed and
  has e > 0 leaves again, and keeps its penetration: an elastic bar with e = 1 that is put onto g = 0 at each impact gains 6 % in fifty of them.

  On a curved contact velocities alone drift: a point that slides at the angular rate w in a hollow of radius R by gdot = -R w (w dt)^3/8 (half-explicit), -R w (w dt)/2
  (Moreau). Positions that hold need no tolerance of gaps: closed is what has been put onto g = 0, or is there to NS_HELD.
*/
#pragma once
#include "position.h"

typedef struct {
  NsPosition position;
  PetscBool *closed;  /* [candidates] at the end of the last step */
  PetscBool *carried; /* [candidates] a force there, by NsHoldEnd */
  PetscBool *pressed; /* [candidates] in this step: the scheme's to say, by NsHoldPress */
  PetscBool *held;    /* [candidates] by the last NsHoldFind */
  PetscReal *gap;     /* [candidates] m: there, before they were put onto g = 0 */
  Vec        q;
} NsHold;

extern const char *const NsPositionsChoices[];

/* What the pages say of it. */
#define NS_POSITIONS_ABOUT \
  "positions: held puts joints, and contacts that press, onto g = 0 at the end of each step (q1 += M^-1 W Psi, the method of Gear,\n" \
  "Gupta and Leimkuhler); who is closed no longer depends on gap_tolerance. An impact with e = 0 leaves no penetration, one with\n" \
  "e > 0 leaves that of its step: putting it back would give energy to each bounce. The work of it is in `numerical`:\n" \
  "elastic bodies that go on bouncing gain by it, a truss on its feet its whole energy in a second of steps at 0.8 of the explicit\n" \
  "limit, and seventy times that with moreau_jean and steps ten times as long. For them: positions: free, or implicit_split.\n"

#define NS_POSITIONS_KEY(T) \
  { \
    "positions", NS_KEY_CHOICE, offsetof(T, positions), \
      .choices = NsPositionsChoices, .standard = "free", \
      .help = "closed contacts and joints: held on velocity level alone, or put onto gap zero at the end of each step as well", .example = "held" \
  }

PetscErrorCode NsHoldCreate(NsContact *contact, NsHold **hold);
PetscErrorCode NsHoldDestroy(NsHold **hold);
/* A run starts with these closed[candidates]; reports go by `closed` from now on. */
PetscErrorCode NsHoldStart(NsHold *hold, const PetscBool *closed);
void           NsHoldRemember(NsHold *hold, NsMemory *memory);
/* Whether a candidate is closed by the gaps of the last NsContactGaps. */
PetscBool NsHoldTouches(const NsContact *contact, PetscInt candidate);
/* Those of the contacts in rows that last, lasting[candidates], and have P > 0 along their normals are pressed, and no others; whether there are some. */
PetscBool NsHoldPress(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P);
/* Who is to be held at q, whose gaps are those of the last NsContactGaps; off: whether some of them miss g = 0 by more than rounding. */
void NsHoldFind(NsHold *hold, PetscBool *off);
/* The step is done: closed by the gaps of the last NsContactGaps; of the contacts in rows those carry a force that last, lasting[candidates] (NULL: all), and have P > 0. */
void NsHoldEnd(NsHold *hold, const PetscBool *lasting, const NsRows *rows, const PetscReal *P);
/* Puts them onto g = 0: *q goes to its nearest point in the metric M (another vector). Gaps are those of the new *q. */
PetscErrorCode NsHoldProject(NsScheme *scheme, NsHold *hold, PetscReal t, NsCompliance *mass, Vec *q, NsStepOutcome *outcome);
