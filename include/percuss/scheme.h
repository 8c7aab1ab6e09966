/*
  Time integration: one step from t to t + dt, in place.

  A scheme is a few lines of formula over free dynamics (NsModel), contact rows (NsRows), the local problem (NsContact) and the energy ledger. It declares its work vectors and
  its history (NsWorkspace); it allocates at set-up only. A step that cannot be done leaves the state as it was and gives a reason (NsStepOutcome): the time loop decides.

  To add a scheme: one file in src/scheme with an NsSchemeType, and its line in src/scheme/list.h; its guarantees, which the conformance suites test, in tests/conformance/promises.h;
  its equations in docs/theory. moreau_midpoint.c is a short one to copy.
*/
#pragma once
#include "archive.h"
#include "contact.h"
#include "ledger.h"
#include "workspace.h"

typedef struct NsScheme NsScheme;
typedef double _Complex NsComplex;

/* The first member of every scheme's settings (NS_STEP_KEY and NS_LOCAL_KEYS in its key table), or the first member of that. */
typedef struct {
  const NsNode *where;
  double        step;              /* s */
  int           contact_solver;    /* position in NsLocalChoices */
  double        contact_tolerance; /* of NsLocalResidual; 0: that of NsLocalSolverCreate */
} NsSchemeSettings;

#define NS_STEP_KEY \
  { \
    "step", NS_KEY_NUMBER, offsetof(NsSchemeSettings, step), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <", .help = "time step", \
                                                             .example = "0.1 us" \
  }

/* How the local problems of its contacts are solved. */
#define NS_LOCAL_KEYS \
  {"contact_solver", NS_KEY_CHOICE, offsetof(NsSchemeSettings, contact_solver), .choices = NsLocalChoices, .default_value = "auto", \
    .help = \
      "solver of the contact problem of a step; auto: chosen by size and structure, several in turn until one succeeds; otherwise only the named one", \
    .example = "interior_point"}, \
  { \
    "contact_tolerance", NS_KEY_NUMBER, offsetof(NsSchemeSettings, contact_tolerance), \
      .default_value = "1e-12", .minimum = "1e-15", .maximum = "1e-3", \
      .help = \
        "relative residual at which a contact problem counts as solved; if no solver reaches it, a residual of up to 100 times this is accepted, and counted in run.json; a larger tolerance saves iterations and leaves relative errors of that size in velocities", \
      .example = "1e-10" \
  }

/* A counter of a scheme, for run.json. */
#define NS_COUNTERS 16
typedef struct {
  const char *name;
  PetscInt64  value;
} NsCounter;

typedef struct {
  PetscBool done;      /* false: the state is unchanged, and `reason` says why */
  PetscBool impulsive; /* some contact had an impact */
  char      reason[512];
} NsStepOutcome;

/* What `percuss explain schemes` and `percuss explain scheme.NAME` print of a scheme. Phrases without full stop; the first six are short: the table has to fit a terminal. */
typedef struct {
  int         order;         /* of positions in free flight without damping */
  int         order_impacts; /* with impacts; 0: it does not support impacts */
  const char *level;         /* level on which contacts and joints are satisfied: "velocity", "position", "velocity and position", "acceleration" */
  const char
    *energy; /* in free flight; after a semicolon what else changes it: "conserved to rounding", "oscillates, bounded; e near 1 increases it" */
  const char *needs;          /* required of a model in addition to forces and mass matrix: "linear forces", "rates of contact rows"; "": nothing */
  const char *cited;          /* authors and equation: "Acary, Bonnefon (2)" */
  const char *step_limit;     /* "dt < 2/omega_max without damping", "none" */
  const char *theory;         /* the page in docs/theory with its equations, under a heading of its name: "schemes_velocity" */
  const char *reference;      /* authors, title, equation or section */
  int         order_velocity; /* as `order`, if forces depend on velocities (gyroscopic forces, dampers, mechanisms); 0: equal to `order` */
} NsSchemeSheet;

typedef struct {
  NsVariant     variant; /* name, title, about, keys */
  NsSchemeSheet sheet;
  /* NULL or a sentence without full stop: why this scheme does not support this model. */
  const char *(*refuses)(const NsModel *, const void *settings);
  size_t size; /* of its private struct, scheme->data: zero at first */
  PetscErrorCode (*declare)(NsScheme *, NsWorkspace *);
  /* Before the first step, at the initial state: the last place that may allocate. NULL: nothing to do. */
  PetscErrorCode (*start)(NsScheme *, const NsState *);
  /* Parts have begun to act or stopped acting (percuss/switches.h); `start` follows. What has no inertia is elsewhere in equilibrium from then on: the state's q becomes that, and
     ledger->impact loses what it has of energy that reactions of contacts that no longer act have stored. NULL: there is no such thing. */
  PetscErrorCode (*settle)(NsScheme *, NsState *, NsStepOutcome *);
  PetscErrorCode (*step)(NsScheme *, NsState *, PetscReal dt, NsStepOutcome *);
  /* Completes the state: `step` must write the unknowns of the touch list, which contact reads, and may leave the others to this function. NULL: `step` writes all of them. */
  PetscErrorCode (*complete)(NsScheme *, NsState *);
  PetscBool implicit; /* solves with stiffness or damping, not with the mass matrix alone */
  PetscBool varies;   /* steps may be shorter than dt, never longer: the state's time says how long they were */
  PetscBool massless; /* supports unknowns without mass */
  PetscBool adapts;   /* varies, and works with any dt: the last step is made to end with the run */
  PetscBool bounded;  /* adapts, and keeps its steps below scheme->step_limit */
  /* Free flight of x'' + 2 zeta omega x' + omega^2 x = 0 over one step, for the state (x, x'/omega) and w = omega dt: row-major 2 x 2. A whirling mode
     x'' - i g x' + omega^2 x = 0 has zeta = -i g/(2 omega). NULL: unconditionally stable, or does not support finite elements. */
  void (*amplification)(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4]);
  /* Time at which a force is evaluated within the interval that it represents: 0 beginning, 1 end. NULL: the middle (the steps that end and begin at t share it), or, for
     schemes that adapt, a single instant, because their steps end where loads jump. The intervals of all steps tile the time, each weighted by its length. */
  PetscReal (*stands)(const void *settings);
  unsigned  laws;   /* NS_LAW_...: kinds of contact laws that it supports, beyond the coefficients of Newton and Coulomb */
  PetscReal growth; /* relative growth of an undamped mode per step that counts as stable; it defines the step limit; 0: rounding only */
  /* NULL, or fills list[NS_COUNTERS] with what it has counted; how many. */
  PetscInt (*count)(const NsScheme *, NsCounter *list);
} NsSchemeType;

struct NsScheme {
  const NsSchemeType *type;
  const void         *settings; /* struct of the variant's table; not owned */
  NsModel            *model;    /* not owned */
  NsContact          *contact;  /* not owned */
  NsLedger           *ledger;   /* not owned */
  NsWorkspace        *work;
  PetscReal
              step_limit; /* s: critical time step, for schemes that are `bounded`; falls while a free spin rises (guard.h); PETSC_MAX_REAL: none, or not known (mechanisms) */
  void       *data;
  char        refusal[512]; /* set by `declare`: why it does not support this model, a sentence without full stop; "": it does */
  const char *refusal_key;  /* the scheme's key that this is about; NULL: `type` */
};

extern const NsSchemeType *const NsSchemeTypes[]; /* NULL-terminated, from src/scheme/list.h */
extern const NsVariant *const    NsSchemeVariants[];

/* The type behind a config's choice. */
const NsSchemeType *NsSchemeFind(const NsChosen *chosen);
PetscErrorCode      NsSchemeCreate(const NsChosen *chosen, NsModel *model, NsContact *contact, NsLedger *ledger, NsScheme **scheme);
/* NULL or a sentence without full stop, in text[size]: a law of a contact that the scheme does not support, and schemes that do. */
const char    *NsSchemeRefusesLaw(const NsSchemeType *type, const NsModel *model, char *text, size_t size);
PetscErrorCode NsSchemeDestroy(NsScheme **scheme);
PetscErrorCode NsSchemeStart(NsScheme *scheme, const NsState *state);
/* outcome->done: it has an equilibrium, else outcome->reason says why not. */
PetscErrorCode NsSchemeSettle(NsScheme *scheme, NsState *state, NsStepOutcome *outcome);
PetscErrorCode NsSchemeStep(NsScheme *scheme, NsState *state, PetscReal dt, NsStepOutcome *outcome);
/* Before the state is read beyond the touch list. */
PetscErrorCode NsSchemeComplete(NsScheme *scheme, NsState *state);

/* ---- critical time step: from `amplification` alone (src/scheme/stability.c) ------------------------------------------------------------------ */

/* Largest dt at which modes with frequencies up to omega (rad/s) and damping ratios up to zeta do not grow; PETSC_MAX_REAL: any dt; 0: they always grow. */
PetscReal NsSchemeStepLimit(const NsSchemeType *type, const void *settings, PetscReal omega, PetscReal zeta);
/* The same for a mode with gyroscopic terms, which make explicit schemes grow a little at any dt: largest dt at which it does not grow by more than NS_GROWTH within
   `duration` (s). */
#define NS_GROWTH 0.1
PetscReal NsSchemeGrowthLimit(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration);
/* Whether it grows by more than that with steps of this length. */
PetscBool NsSchemeGrows(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration, PetscReal step);

/* ---- for schemes --------------------------------------------------------------------------------------------------------------------------------- */

/* Times of steps, number * step / parts, correctly rounded for a step of up to 15 decimal digits, step = digits / scale: 1005 steps of 1e-7 s end at exactly 0.0001005. */
typedef struct {
  PetscReal step, digits, scale;
} NsStepClock;
NsStepClock NsStepClockMake(PetscReal step);
PetscReal   NsStepClockTime(const NsStepClock *clock, PetscInt64 number, PetscInt parts);
/* For `declare` of schemes that add and scale positions like vectors, instead of changing them by velocities (NsModelMove, NsModelWay) or adding up rates (NsModelRate): refuses models for
   which that is wrong. */
PetscErrorCode NsSchemeAddsPositions(NsScheme *scheme);
/* Reports that the local problem of these contacts was not solved; `what` is "forces" or "impulses". */
PetscErrorCode NsStepFail(NsStepOutcome *outcome, const NsScheme *scheme, const NsRows *rows, const char *what);
/* Appends the names of contacts to the reason, " (left, right)", at most four; nothing for no contacts. */
PetscErrorCode NsStepName(NsStepOutcome *outcome, const NsScheme *scheme, PetscInt count, const PetscInt *contact);
