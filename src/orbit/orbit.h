/*
  Periodic orbits with set-valued contact: Newton's method on a fixed sequence of events, Floquet multipliers, continuation over a parameter, bifurcations.

  An orbit is a state x0 at the time t0, a period T and a sequence of segments: in segment i the contacts are in the mode m_i (open, closed, sticking, slipping), it ends with the event e_i at
  t0 + theta_i T, where a jump J_i may follow. Unknowns are x0, the fractions theta_i, T where no forcing gives it, and on a branch the parameter p:

      x_i- = flow(m_i, x_(i-1)+, (theta_i - theta_(i-1)) T)        h(e_i, x_i-) = 0        x_i+ = J_i x_i-        x(t0 + T) - x0 = 0

  The event equations are residuals: nothing is searched within Newton's method, so the residual is smooth, also where the Poincare map has a square root (grazing). The monodromy matrix is the
  Schur complement of the Jacobian of these equations in x0, with the saltation of all events in it:

      M = I + R_x - R_theta E_theta^-1 E_x

  What Newton finds need not be an orbit: some gap may be negative between two events. So every orbit is checked twice: by the margins of all events that do not occur (trace.c), and by one
  simulation, which finds its events itself (flight.c).

  Files:
      linear.c     a model as a small dense system: free motion, forcing, rows of contacts
      state.c      the state from which a run starts
      family.c     such systems as functions of the parameter
      mode.c       equations of motion and event functions of one mode
      motion.c     motion within a mode
      simulate.c   nonlinear models, mechanisms: simulations over a period instead of linear modes
      hold.c       joints, lasting contacts and angles that go round, where such an orbit begins
      circular.c   whirl on a circle: an equilibrium in a turning frame, without any simulation
      jump.c       impacts, and which contacts stay closed
      flight.c     a simulation over one period, which finds its sequence
      sequence.c   residual, Jacobian, multipliers
      trace.c      along an orbit; margins, the distances from grazing, sliding and contact that would pull
      correct.c    Newton's method, what is known of an orbit
      find.c       the first orbit
      find_free.c  the same where nothing gives the period
      find_circular.c  the same of circular orbits
      find_others.c  other orbits at the same parameter, from many initial states
      branch.c     pseudo-arclength continuation, switching
      backbone.c   free orbits of undamped models over their energy
      keep.c       what a stopped computation needs to go on
      bifurcation.c  test functions along a branch, and where they vanish
      grazing.c    where the events of simulated orbits change

  The room knows no files and no configs: a branch asks its NsOrbitSource for the system at a value of the parameter. It is the model of a config with this value (src/cli/orbit.c), so any key of
  the config can be the parameter.

  Flow. Linear models move exactly: with the harmonics of the forcing as additional states, x = (q, v, 1, cos(j Omega t), sin(j Omega t) ...), every mode is x' = A x, every event function a row h'x and
  every jump a matrix. Contacts with mass (scheme event_driven_*): in a mode with held contacts the reactions are linear in x, lambda = -G^-1 W'(A x)_v. Contacts without mass (scheme
  `modal`): closed contacts are springs, lambda = -R^-1 g, and nothing jumps. Time-stepping schemes are refused: their map is not differentiable at an impact, and Newton's method converges
  on it to an orbit that is wrong, with wrong multipliers, without a sign.

  Cost: one matrix exponential a segment; all matrices are dense, so that some hundred degrees of freedom are the limit.

  Fixed sequences, saltation: R. I. Leine, H. Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems, Springer 2004; P. Thota, H. Dankowicz, TC-HAT, SIAM J. Appl. Dyn. Syst. 7
  (2008). Pseudo-arclength: H. B. Keller, in: Applications of Bifurcation Theory, Academic Press 1977.
*/
#pragma once
#include <petscsys.h>
#include "percuss/run.h"

/* ---- system ------------------------------------------------------------------------------------------------------------------------------------------------- */

/* How a contact is in a mode. SLIDES_UP: slip velocity above 0. */
typedef enum { NS_ORBIT_OPEN, NS_ORBIT_CLOSED, NS_ORBIT_STICKS, NS_ORBIT_SLIDES_UP, NS_ORBIT_SLIDES_DOWN } NsOrbitState;

/* What ends a segment. CLOSES: gap = 0; OPENS: normal force = 0; SLIPS: mu lambda_N - |lambda_T| = 0; STOPS: slip velocity = 0. */
typedef enum { NS_ORBIT_CLOSES, NS_ORBIT_OPENS, NS_ORBIT_SLIPS, NS_ORBIT_STOPS, NS_ORBIT_KINDS } NsOrbitKind;
extern const char *const NsOrbitKindNames[NS_ORBIT_KINDS];

/* A contact: rows over x, columns that its force moves (M^-1 W in the velocities). */
typedef struct {
  const char *name;
  PetscBool   tangent; /* slip is possible */
  NsLaw       law;
  PetscReal  *gap, *rate, *slip; /* [m]: g = gap'x, u_N = rate'x, u_T = slip'x */
  PetscReal  *normal, *along;    /* [m] */
} NsOrbitContact;

/* An event function of a mode, positive while it lasts; at zero `kind` happens to `contact`. */
typedef struct {
  NsOrbitKind kind;
  PetscInt    contact;
  PetscReal  *row;  /* [m] */
  PetscReal  *rate; /* [m] its derivative by time: row'A */
} NsOrbitEvent;

/* Within dt no event function has two minima, once the time `calm` has passed since the segment began: what is damped faster is gone then. */
typedef struct {
  PetscReal  dt, calm; /* s */
  PetscReal *step;     /* [m, m] exp(A dt) */
} NsOrbitLevel;

typedef struct {
  unsigned char *state;  /* [contacts] NsOrbitState */
  PetscReal     *A;      /* [m, m] column-major */
  PetscReal     *scale;  /* [m] powers of 2 that make |scale^-1 A scale| small */
  PetscInt       levels; /* 0: not yet asked for (NsOrbitModeLevels) */
  NsOrbitLevel  *level;  /* [levels] intervals in which event functions are looked at, each twice the one before */
  PetscReal     *force;  /* [contacts][m]: normal force of each contact; 0 where it is open */
  PetscReal     *grip;   /* [contacts][m]: tangential force */
  PetscReal     *settle; /* [m, m] projects onto the constraints of the mode */
  PetscInt       events;
  NsOrbitEvent  *event;
} NsOrbitMode;

/* A column of a probe as a row over x, and one over x' for accelerations; forces: what the normal forces add (contacts without mass). */
typedef struct {
  const char *name;
  PetscReal  *row;    /* [m] */
  PetscReal  *rates;  /* [m]; NULL: zeroes */
  PetscReal  *forces; /* [contacts] */
} NsOrbitProbe;

typedef struct NsOrbitCircle NsOrbitCircle; /* circular.c */

/* What happened to a contact in a simulation of a nonlinear model. */
typedef struct {
  NsOrbitKind kind;
  PetscInt    contact;       /* candidate of the model */
  PetscReal   t;             /* s since t0 */
  PetscBool   impact;        /* at a speed above velocity_tolerance */
  PetscReal   before, after; /* m/s: normal velocity, of impacts */
} NsOrbitSeen;

typedef struct {
  NsArena        *arena;                          /* owned */
  PetscInt        states, harmonics, m, contacts; /* states: coordinates and velocities; m = states + 1 + 2 harmonics */
  PetscInt       *harmonic;                       /* [harmonics] multiples of the forcing frequency */
  PetscReal       period;                         /* s, of the forcing; 0: nothing is forced */
  PetscReal      *A;                              /* [m, m] of free motion */
  NsOrbitContact *contact;                        /* [contacts] */
  PetscReal      *compliance;                     /* [contacts, contacts] m/N, of contacts without mass; NULL: they have mass */
  PetscReal      *start;                          /* [states] initial state of the config */
  PetscReal       gap_tolerance, velocity_tolerance;
  PetscInt        probes;
  NsOrbitProbe   *probe;
  PetscInt        modes, room;
  NsOrbitMode   **mode; /* [modes] those met so far */
  NsLocalChain   *chain;
  PetscBool       borrows; /* the chain is of another system, which lives longer */
  /* Nonlinear models (simulate.c); then there are no contacts, modes and A. */
  NsRun   *run;       /* NULL: linear; owned */
  NsArena *run_arena; /* of the run, owned, set by who creates the system */
  /* Circular orbits: contacts are those of the model, and x ends with their forces. */
  NsOrbitCircle *circle;     /* NULL: any orbit; owned */
  int            sense;      /* in which the loads turn about the axis, 1 or -1; 0: no loads turn */
  PetscReal      rough;      /* scaled residual that the tolerance of the scheme allows */
  PetscInt       candidates; /* of the model; 0 unless it is simulated */
  PetscInt       seen_count, seen_room;
  NsOrbitSeen   *seen;                   /* [seen_count] events of the last simulation; owned */
  PetscBool     *idle, *plain, *turning; /* [states/2] velocities that move nothing; those with q' = v; angles that are known to go round (hold.c) */
  /* Backbone curves (backbone.c). */
  PetscReal *gradient, *along;    /* [states] of the energy, g, at the last residual; NULL: no backbone */
  PetscReal  energy, rest_energy; /* J: of the motion; of the model at rest */
} NsOrbitSystem;

/* Of a run that has been created; if (*system)->run is set, the system owns the run from now on, and its arena goes into run_arena. forcing_period > 0 replaces that of the model's loads. *why: NULL, or the reason why the model is not supported, for the user; in the arena. */
PetscErrorCode NsOrbitSystemCreate(NsRun *run, PetscReal forcing_period, NsArena *arena, NsOrbitSystem **system, const char **why);
PetscErrorCode NsOrbitSystemDestroy(NsOrbitSystem **system);
/* The states that are functions of time: 1, cos, sin at t. */
void NsOrbitClock(const NsOrbitSystem *system, PetscReal t, PetscReal *x);
/* The mode with these states of contacts. */
PetscErrorCode NsOrbitFindMode(NsOrbitSystem *system, const unsigned char *state, NsOrbitMode **mode);
/* Finds mode->scale. */
void NsOrbitBalance(PetscInt m, NsOrbitMode *mode);
/* The levels of a mode. */
PetscErrorCode NsOrbitModeLevels(const NsOrbitSystem *system, NsOrbitMode *mode);
/* The longest level that is at most `most` long and calm after the time `since` of a segment; NULL: none is as short. */
const NsOrbitLevel *NsOrbitLevelAt(const NsOrbitMode *mode, PetscReal since, PetscReal most);
/* E[m, m] = exp(A dt) of a mode. work[m, m] */
PetscErrorCode NsOrbitExponential(PetscInt m, const NsOrbitMode *mode, PetscReal dt, PetscReal *work, PetscReal *E);
/* x1 = exp(A dt) x, by its levels and a Taylor series for the rest. work[2 m]. */
void NsOrbitAdvance(const NsOrbitSystem *system, const NsOrbitMode *mode, PetscReal dt, const PetscReal *x, PetscReal *x1, PetscReal *work);
/* The time between 0, where an event function falls, and dt, where it rises, of its least value; at[m] is the state there. work[2 m]. */
PetscReal NsOrbitMinimum(
  const NsOrbitSystem *system, const NsOrbitMode *mode, const NsOrbitEvent *event, PetscReal dt, const PetscReal *x, PetscReal *at, PetscReal *work);

/* B[rows, columns] := -G^-1 B, by least squares where G[rows, rows] is singular; G is destroyed. Column-major. */
PetscErrorCode NsOrbitReact(PetscInt rows, PetscInt columns, PetscReal *G, PetscReal *B);

/* y = A x, A[m, m] column-major; s = r'x. */
void      NsOrbitMult(PetscInt m, const PetscReal *A, const PetscReal *x, PetscReal *y);
PetscReal NsOrbitDot(PetscInt m, const PetscReal *r, const PetscReal *x);

/* ---- sequences ----------------------------------------------------------------------------------------------------------------------------------------------- */

/* What an impact does to a contact that takes part. */
typedef enum { NS_ORBIT_SEPARATES, NS_ORBIT_HITS, NS_ORBIT_GRIPS, NS_ORBIT_RUBS_UP, NS_ORBIT_RUBS_DOWN } NsOrbitImpact;

typedef struct {
  NsOrbitKind    kind;
  PetscInt       contact;
  unsigned char *before, *after; /* [contacts] modes */
  PetscBool      jumps;
  unsigned char *impact;   /* [contacts] NsOrbitImpact */
  PetscBool     *restores; /* [contacts] the restitution acts; not for accumulations of impacts, which end in contact */
} NsOrbitStep;

#define NS_ORBIT_MOST 400 /* events of a period */

/* A sequence of events and the orbit that has it. */
typedef struct {
  PetscInt       count;
  NsOrbitStep   *step;  /* [count] */
  unsigned char *first; /* [contacts] mode at t0 */
  PetscReal      phase; /* t0 over the period of the forcing */
  PetscInt       times; /* periods of the forcing */
  PetscReal      T;     /* s */
  PetscReal     *x0;    /* [states] */
  PetscReal     *theta; /* [count] */
  int            sense; /* of circular orbits: 1 or -1, about the axis */
} NsOrbit;

/* A copy in the arena. */
NsOrbit *NsOrbitCopy(const NsOrbitSystem *system, const NsOrbit *orbit, NsArena *arena);
/* Whether events, modes and impacts are the same. */
PetscBool NsOrbitSameSequence(const NsOrbitSystem *system, const NsOrbit *a, const NsOrbit *b);
/* Moves t0 into the middle of the longest segment. */
PetscErrorCode NsOrbitMoveStart(NsOrbitSystem *system, NsOrbit *orbit, NsArena *arena);
/* Time at which the orbit starts, s. */
PetscReal NsOrbitBegins(const NsOrbitSystem *system, const NsOrbit *orbit);

/* jump.c: resolves an event at x[m], or (kind NS_ORBIT_KINDS) a state where a simulation starts: impact, x changes; then the mode after it. *why: NULL, or why not. */
PetscErrorCode NsOrbitResolve(NsOrbitSystem *system, PetscReal *x, NsOrbitStep *step, const char **why);
/* J[m, m] of the jump of a step. */
PetscErrorCode NsOrbitJump(NsOrbitSystem *system, const NsOrbitStep *step, PetscReal *J);

/* flight.c: from x0[states] at t0 over the time T: *orbit with its sequence, x1[states] at the end. first: the mode at t0, NULL: it is found. *why: NULL, or why not. */
PetscErrorCode NsOrbitFly(NsOrbitSystem *system, PetscReal t0, PetscReal T, const PetscReal *x0, const unsigned char *first, NsArena *arena,
  NsOrbit *orbit, PetscReal *x1, const char **why);

/* ---- the equations of an orbit -------------------------------------------------------------------------------------------------------------------------------- */

/* Residual r[n] and Jacobian J[n, n + 1] (column-major; of nonlinear models NULL is allowed, and the column of T is there only if T is not given) of the unknowns (x0, theta, T): n = states + count. */
PetscErrorCode NsOrbitResidual(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *r, PetscReal *J);
/* States, events, and the period where no forcing gives it. */
PetscInt NsOrbitUnknowns(const NsOrbitSystem *system, const NsOrbit *orbit);
/* f[states]: x' at the start. */
PetscErrorCode NsOrbitField(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *f);
/* M[states, states] of this Jacobian. */
PetscErrorCode NsOrbitMonodromy(const NsOrbitSystem *system, const NsOrbit *orbit, const PetscReal *J, PetscReal *M);
/* Eigenvalues of M[n, n], which is destroyed: largest modulus first, of a complex pair the one with positive imaginary part first. */
PetscErrorCode NsOrbitMultipliers(PetscInt n, PetscReal *M, PetscReal *re, PetscReal *im);
/* Sorts them in this order; both of a complex pair are neighbours. */
void NsOrbitSortMultipliers(PetscInt n, PetscReal *re, PetscReal *im);
/* det(M - s I). */
PetscErrorCode NsOrbitDeterminant(PetscInt n, const PetscReal *M, PetscReal s, PetscReal *determinant);

/* ---- along an orbit: trace.c ----------------------------------------------------------------------------------------------------------------------------------- */

/* A moment of the orbit; before: just before the event that ends the segment. */
typedef struct {
  PetscInt           segment;
  const NsOrbitMode *mode; /* NULL: the model is nonlinear */
  PetscReal          t;    /* s since t0 */
  PetscBool          before, after;
  const PetscReal   *x; /* [m] */
  /* Of nonlinear models: whether some contact was closed since the last moment; the events since then. */
  PetscBool          closed;
  PetscInt           seen_count;
  const NsOrbitSeen *seen;
} NsOrbitMoment;

/* Largest magnitudes of the states, collected by NsOrbitLookAtSize as `look`. */
typedef struct {
  PetscInt   states;
  PetscReal *size; /* [states] */
} NsOrbitLargest;
void NsOrbitLookAtSize(void *largest, const NsOrbitMoment *moment);
/* Times and states of all moments, collected by NsOrbitKeepMoment as `look`. */
typedef struct {
  NsArena   *arena;
  PetscInt   states, count, room;
  PetscReal *t, *x; /* [room], [room][states] */
} NsOrbitTrack;
void NsOrbitKeepMoment(void *track, const NsOrbitMoment *moment);
/* Calls look at both ends of each segment and between, at least `least` times in a period, more often just behind events. */
PetscErrorCode NsOrbitTrace(
  NsOrbitSystem *system, const NsOrbit *orbit, PetscInt least, void (*look)(void *context, const NsOrbitMoment *), void *context);
/* size[states]: the largest of each state over the orbit, at least a thousandth of the largest of all positions or velocities. */
PetscErrorCode NsOrbitSizes(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *size);

/* state.c: q and v [unknowns of the run's model] at the beginning of the forcing; without forcing, where the orbit begins. For scheme `modal` the run must have the basis of the system. Not
   known: false. */
PetscErrorCode NsOrbitStartState(NsRun *run, NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *q, PetscReal *v, PetscBool *known);

/* Distance from an orbit with other events, a test function of a branch with this sequence. */
typedef struct {
  NsOrbitKind kind;
  PetscInt    contact;
  PetscBool
    own; /* of the event that ends the segment: how fast its function falls; else the least local minimum of an event function within the segment */
  PetscReal value; /* PETSC_MAX_REAL: there is no minimum */
} NsOrbitMargin;
PetscInt NsOrbitMarginCount(NsOrbitSystem *system, const NsOrbit *orbit);
/* margin[NsOrbitMarginCount]; `look` (or NULL) is called with the moments, as by NsOrbitTrace. */
PetscErrorCode NsOrbitMargins(NsOrbitSystem *system, const NsOrbit *orbit, NsOrbitMargin *margin, PetscInt least,
  void (*look)(void *context, const NsOrbitMoment *), void *context);

/* linear.c: why a model cannot be simulated over a period from any state; NULL: it can. */
const char *NsOrbitSimulationRefusal(NsRun *run, NsArena *arena);
/* simulate.c: the system of a nonlinear model; the motion from x0[states] over T to x1[states] (or NULL), with `look` (or NULL) called after every step; NsOrbitResidual. */
PetscErrorCode NsOrbitSimulatedSystem(NsRun *run, PetscReal forcing_period, NsArena *arena, NsOrbitSystem **system, const char **why);
PetscErrorCode NsOrbitSimulate(NsOrbitSystem *system, PetscReal t0, PetscReal T, const PetscReal *x0, PetscReal *x1,
  void (*look)(void *context, const NsOrbitMoment *), void *context, const char **why);
/* Whether every contact is open at the start, or closed and at rest: central differences are not possible across a contact that is about to close. */
PetscErrorCode NsOrbitStartsOpen(NsOrbitSystem *system, const NsOrbit *orbit, const PetscReal *size, PetscBool *open);
PetscErrorCode NsOrbitSimulatedField(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *f);
PetscErrorCode NsOrbitSimulatedResidual(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *r, PetscReal *J);

/* hold.c: removes full turns from x1, so that it is near x0: of quaternions, and of angles after a full turn of which the model is the same. Of systems that are not simulated, nothing. */
PetscErrorCode NsOrbitTurnBack(NsOrbitSystem *system, PetscReal t, const PetscReal *x0, PetscReal *x1);

/* The probes of a run that are linear in the state: their rows; with room for `more`. */
PetscErrorCode NsOrbitStateProbes(NsOrbitSystem *system, NsRun *run, PetscInt more);

/* circular.c: the system of circular orbits of a model for which NsOrbitCircleRefusal is NULL; its versions of NsOrbitResidual, Trace, Margins, Field and Fly. */
const char    *NsOrbitCircleRefusal(NsRun *run, NsArena *arena);
PetscErrorCode NsOrbitCircleSystem(NsRun *run, PetscReal forcing_period, NsArena *arena, NsOrbitSystem **system, const char **why);
PetscErrorCode NsOrbitCircleDestroy(NsOrbitCircle *circle);
PetscErrorCode NsOrbitCircleResidual(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *r, PetscReal *J);
/* M[states, states]: the matrix of the motion in the turning frame, at the last residual with a Jacobian; multipliers are exp(s T) of its eigenvalues s. */
PetscErrorCode NsOrbitCircleMonodromy(const NsOrbitSystem *system, PetscReal *M);
void           NsOrbitCircleField(const NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *f);
PetscErrorCode NsOrbitCircleTrace(
  NsOrbitSystem *system, const NsOrbit *orbit, PetscInt least, void (*look)(void *context, const NsOrbitMoment *), void *context);
PetscErrorCode NsOrbitCircleMargins(NsOrbitSystem *system, const NsOrbit *orbit, NsOrbitMargin *margin);
/* The contact states at x0: contacts that penetrate become closed, those in tension open. first: the states before; NULL: contacts without gap are closed. */
PetscErrorCode NsOrbitCircleFly(
  NsOrbitSystem *system, PetscReal T, const PetscReal *x0, const unsigned char *first, NsArena *arena, NsOrbit *orbit, PetscReal *x1);
/* Reduces the circle of the orbit until no contact penetrates. */
PetscErrorCode NsOrbitCircleShrink(NsOrbitSystem *system, NsOrbit *orbit);
/* Turns the start of the orbit about the axis. */
void NsOrbitCircleTurn(const NsOrbitSystem *system, PetscReal angle, NsOrbit *orbit);
/* Whether the circle solves the equations at other angles, too. */
PetscErrorCode NsOrbitCircleHolds(NsOrbitSystem *system, const NsOrbit *orbit, PetscBool *holds);
/* Speed of the whirl of x[states]. */
PetscErrorCode NsOrbitCircleSpeed(NsOrbitSystem *system, const PetscReal *x, PetscReal *omega);

/* ---- branches: branch.c, bifurcation.c, find.c -------------------------------------------------------------------------------------------------------------------- */

/* Makes the systems of a branch. */
typedef struct {
  void *context;
  /* The system at p; the caller destroys it. *why: NULL, or why there is no system. */
  PetscErrorCode (*make)(void *context, PetscReal p, NsOrbitSystem **system, const char **why);
} NsOrbitSource;

/* family.c: systems over the range from..to of the parameter. *family NULL: their numbers are no polynomials of it. They live as long as the family. */
typedef struct NsOrbitFamily NsOrbitFamily;
PetscErrorCode               NsOrbitFamilyCreate(const NsOrbitSource *source, PetscReal from, PetscReal to, NsOrbitFamily **family);
PetscErrorCode               NsOrbitFamilyDestroy(NsOrbitFamily **family);
PetscBool                    NsOrbitFamilyHas(const NsOrbitFamily *family, PetscReal p);
/* The caller destroys it; without an initial state. */
PetscErrorCode NsOrbitFamilySystem(const NsOrbitFamily *family, PetscReal p, NsOrbitSystem **system);

/* A point of a branch. */
typedef struct {
  NsOrbit       *orbit;
  PetscReal      p, s, residual;
  PetscReal     *tangent;               /* [states + count + 1] of (x0, theta, p) in scaled variables */
  PetscReal     *M;                     /* [states, states] */
  PetscReal     *re, *im;               /* [states] multipliers */
  PetscReal     *low, *high;            /* [probes] over the orbit */
  PetscReal      flip, fold, branching; /* det(M + I), dp/ds, det(M - I) */
  PetscInt       pairs;                 /* complex pairs outside the unit circle */
  PetscReal      share;                 /* part of the period with some contact closed */
  PetscReal      slowest;               /* m/s: the lowest impact velocity; 0: no impact */
  PetscReal     *seen;                  /* [candidates][NS_ORBIT_KINDS] of simulated orbits: how often each event happens */
  PetscInt       impacts;
  PetscInt       margins;
  NsOrbitMargin *margin;
  PetscBool      stable, confirmed; /* confirmed: a simulation has the same events */
  PetscBool      astray;            /* it has the same sequence at other times: some event of this solution is not the first root of its function */
  const char    *mark;              /* "", or the name of the bifurcation: "flip_1" */
} NsOrbitPoint;

typedef enum {
  NS_BIFURCATION_FOLD,
  NS_BIFURCATION_FLIP,
  NS_BIFURCATION_TORUS,
  NS_BIFURCATION_BRANCH,
  NS_BIFURCATION_GRAZING,
  NS_BIFURCATION_SLIDING,
  NS_BIFURCATION_SYMMETRY, /* a branch point of an orbit with x(t + T/2) = -x(t): orbits without this symmetry cross */
  NS_BIFURCATION_HOPF,     /* of circular orbits: a fold where the circle is a point */
  NS_BIFURCATIONS
} NsBifurcationKind;
extern const char *const NsBifurcationNames[NS_BIFURCATIONS];

typedef struct {
  NsBifurcationKind kind;
  const char       *name; /* "flip_1" */
  PetscInt          branch;
  PetscReal         angle;   /* of the multipliers, rad */
  const char       *contact; /* of grazing and sliding; NULL */
  NsOrbitPoint     *point;
} NsBifurcation;

typedef struct {
  NsOrbitPoint *point; /* [points] */
  PetscInt      points, room;
  PetscReal     step;    /* of arc length, the next one */
  PetscBool     stopped; /* by the user: it goes on from here */
  const char   *end;     /* why it ends, for the user */
} NsOrbitCurve;

#define NS_ORBIT_KEPT 4

typedef struct {
  NsArena       *arena;
  NsOrbitSource  source;
  NsOrbitFamily *family;      /* NULL: every system is asked for */
  PetscReal      from, to;    /* of p */
  PetscReal      least, most; /* the branch ends beyond these */
  PetscReal      longest;     /* step in scaled arc length */
  PetscInt       points;      /* most */
  PetscBool      follows;     /* a branch has been followed: the family is there, if there is one */
  PetscBool (*stop)(void);    /* NULL, or whether the user wants to stop */
  PetscReal     *size;        /* [states] magnitude of each state */
  PetscReal      duration;    /* s: of the orbit by which states are scaled */
  PetscReal      span;        /* s: simulated before an orbit of unknown period is looked for */
  NsOrbitSystem *system;      /* the last one asked for, at p = at */
  PetscReal      at;
  NsOrbitSystem *kept[NS_ORBIT_KEPT]; /* the last ones, newest first, and their p */
  PetscReal      kept_at[NS_ORBIT_KEPT];
  PetscInt       curves;
  NsOrbitCurve  *curve; /* [curves] */
  PetscInt       bifurcations, bifurcation_room;
  NsBifurcation *bifurcation;
  PetscInt       named[NS_BIFURCATIONS];
} NsOrbitBranch;

/* The system at p: branch->system. The last NS_ORBIT_KEPT are kept. */
PetscErrorCode NsOrbitBranchSystem(NsOrbitBranch *branch, PetscReal p, NsOrbitSystem **system, const char **why);
/* Frees the systems. */
PetscErrorCode NsOrbitBranchFree(NsOrbitBranch *branch);
/* Newton's method on the sequence of the orbit from (orbit, p): at this p (tangent NULL), or on the plane normal to the tangent. *found: NULL, or a point without checks; *iterations. */
PetscErrorCode NsOrbitCorrect(
  NsOrbitBranch *branch, const NsOrbit *orbit, PetscReal p, const PetscReal *tangent, NsOrbitPoint **found, PetscInt *iterations);
/* For the last system asked for: multipliers and stability; margins. */
PetscErrorCode NsOrbitStability(NsOrbitBranch *branch, NsOrbitPoint *point);
PetscErrorCode NsOrbitFindMargins(NsOrbitBranch *branch, NsOrbitPoint *point);
/* point->flip, point->branching; of circular orbits after NsOrbitStability. */
PetscErrorCode NsOrbitFlip(NsOrbitBranch *branch, NsOrbitPoint *point);
PetscErrorCode NsOrbitBranching(NsOrbitBranch *branch, NsOrbitPoint *point);
/* B[states + 1, states + 1] = (M - I, f; f', 0) of an orbit of unknown period, in scaled states, f = x' T: singular where a second multiplier is 1. */
PetscErrorCode NsOrbitBorder(NsOrbitBranch *branch, const NsOrbitPoint *point, PetscReal *B);
/* Multipliers, margins, ranges of probes and the check by a simulation. */
PetscErrorCode NsOrbitExamine(NsOrbitBranch *branch, NsOrbitPoint *point);
/* The point predicted from another, a length ds along its tangent, and corrected. */
PetscErrorCode NsOrbitStepFrom(NsOrbitBranch *branch, const NsOrbitPoint *point, PetscReal ds, NsOrbitPoint **found, PetscInt *iterations);
/* Sets the scales by this orbit. */
PetscErrorCode NsOrbitScale(NsOrbitBranch *branch, const NsOrbit *orbit);
/* find.c: an orbit of `times` periods of the forcing at p: simulates `periods` of its periods from the initial state, then Newton's method. *found NULL: *why. */
PetscErrorCode NsOrbitSearch(NsOrbitBranch *branch, PetscReal p, PetscInt times, PetscInt periods, NsOrbitPoint **found, const char **why);
/* find.c: x after `periods` periods of length T (s). *why: a simulation failed, or the search was stopped. */
PetscErrorCode NsOrbitSettle(NsOrbitBranch *branch, NsOrbitSystem *system, PetscReal T, PetscInt periods, PetscReal *x, const char **why);
/* find.c: Newton's method from this orbit and its check, in `system`, which is that at p afterwards too. *point NULL: it does not converge; not confirmed: the sequence is another one, or *why. */
PetscErrorCode NsOrbitAttempt(NsOrbitBranch *branch, PetscReal p, NsOrbit *orbit, NsOrbitSystem **system, NsOrbitPoint **point, const char **why);
/* find_free.c: an orbit of unknown period, of an autonomous model. */
PetscErrorCode NsOrbitSearchFree(NsOrbitBranch *branch, PetscReal p, NsOrbitPoint **found, const char **why);
/* find_circular.c: a circular orbit, as NsOrbitSearch. */
PetscErrorCode NsOrbitSearchCircle(NsOrbitBranch *branch, PetscReal p, PetscInt times, PetscInt periods, NsOrbitPoint **found, const char **why);
/* find_others.c: searches for other orbits at p, from `starts` further initial states; found[starts + 1] begins with the first orbit and contains *count orbits afterwards. Call it before any branch is followed. */
PetscErrorCode NsOrbitSearchOthers(
  NsOrbitBranch *branch, PetscReal p, PetscInt times, PetscInt periods, PetscInt starts, NsOrbitPoint **found, PetscInt *count);
/* backbone.c: the system of free motion with this energy (J) of a run, as NsOrbitSystemCreate; what the energy adds to residual and Jacobian, and its removal; the orbit of mode k (from 1). */
PetscErrorCode NsOrbitConservedSystem(NsRun *run, PetscReal energy, NsArena *arena, NsOrbitSystem **system, const char **why);
PetscErrorCode NsOrbitAddEnergy(NsOrbitSystem *system, const PetscReal *x0, const PetscReal *size, PetscReal *r, PetscReal *J);
void           NsOrbitRemoveEnergy(const NsOrbitSystem *system, PetscReal *M);
PetscErrorCode NsOrbitSearchMode(NsOrbitBranch *branch, PetscReal p, PetscInt k, NsOrbitPoint **found, const char **why);
/* From a point towards branch->to (direction 1) or the other way; a new curve. */
PetscErrorCode NsOrbitFollow(NsOrbitBranch *branch, NsOrbitPoint *start);
/* Continues the last curve, if it was stopped. Before anything else is done with curves that have been read: switching, writing. */
PetscErrorCode NsOrbitGoOn(NsOrbitBranch *branch);
/* keep.c: writes or reads all that the branch has computed; first[found]: orbits from which branches are followed. Reading needs the same config, and the system as it was at the beginning. */
void NsOrbitBranchSerialize(NsOrbitBranch *branch, const NsOrbitSystem *system, PetscInt *found, NsOrbitPoint ***first, NsArchive *archive);
/* Bifurcations between two consecutive points: located and added. *ends: the sequence has changed. */
PetscErrorCode NsOrbitLocate(NsOrbitBranch *branch, const NsOrbitPoint *a, const NsOrbitPoint *b, PetscBool *changed);
/* grazing.c: of simulated orbits, the last point before their events change; *found NULL: they do not. *contact: a candidate. */
PetscErrorCode NsOrbitLocateChange(
  NsOrbitBranch *branch, const NsOrbitPoint *a, const NsOrbitPoint *b, NsOrbitPoint **found, NsBifurcationKind *kind, PetscInt *contact);
/* Of a simulated orbit: the open contact whose smallest gap is close to zero (NS_TOUCH), which grazes; -1: none. */
PetscErrorCode NsOrbitGrazingAt(NsOrbitBranch *branch, const NsOrbitPoint *point, PetscInt *contact);
/* bifurcation.c: one more bifurcation, at this point, which gets its name. */
void NsOrbitAddBifurcation(NsOrbitBranch *branch, NsBifurcationKind kind, NsOrbitPoint *point, PetscReal angle, const char *contact);
/* The first point of the other branch at a flip or branch point; NULL: *why. */
PetscErrorCode NsOrbitSwitch(NsOrbitBranch *branch, const NsBifurcation *at, NsOrbitPoint **first, const char **why);
