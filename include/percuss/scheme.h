/*
  How time advances: one step from t to t + dt, in place.

  A scheme is a few lines of formula over free dynamics (NsModel), contact rows (NsRows), the local problem (NsContact) and the energy
  ledger. It allocates at set-up only. A step that cannot be done leaves the state as it was and says why (NsStepOutcome): the loop decides.
*/
#pragma once
#include "contact.h"
#include "memory.h"
#include "ledger.h"

typedef struct NsScheme NsScheme;
typedef double _Complex NsComplex;

/* Every scheme's settings struct begins with these (NS_SCHEME_KEYS in a key table). */
typedef struct {
  const NsNode *where;
  double        step; /* s */
} NsSchemeSettings;

/* Something that a scheme counts, for run.json. */
#define NS_COUNTERS 16
typedef struct {
  const char *name;
  PetscInt64  value;
} NsCounter;

typedef struct {
  PetscBool done;      /* false: the state is unchanged and `reason` says why */
  PetscBool impulsive; /* some contact carried an impulse that is an impact */
  char      reason[512];
} NsStepOutcome;

/* A scheme's line in the table of all of them (percuss explain schemes). Phrases without full stop, short: the table is to fit a terminal. */
typedef struct {
  int         order;         /* in free flight without damping */
  int         order_impacts; /* with impacts; 0: it has none */
  const char *level;         /* where contacts and joints hold: "velocity", "position", "velocity and position", "acceleration" */
  const char *energy;        /* in flight; behind a semicolon what else changes it: "kept to rounding", "oscillates, bounded; impacts never add" */
  const char *needs;         /* of a model, beside forces and mass: "linear forces", "rates of contact rows"; "": nothing */
  const char *reference;     /* authors and equation: "Acary, Bonnefon (2)" */
} NsSchemeSheet;

typedef struct {
  const NsVariant *variant; /* name, title, about, keys */
  NsSchemeSheet    sheet;
  /* NULL or a sentence without full stop: why this scheme cannot move this model. */
  const char *(*refuses)(const NsModel *, const void *settings);
  PetscErrorCode (*setup)(NsScheme *);
  /* Before the first step, at the initial state: the last place that may allocate; schemes with memory begin here. NULL: nothing to do. */
  PetscErrorCode (*start)(NsScheme *, const NsState *);
  PetscErrorCode (*step)(NsScheme *, NsState *, PetscReal dt, NsStepOutcome *);
  /* Writes what `step` leaves out of the state: it has to leave there what contact reads, the touch list, and may leave the rest to this. NULL: nothing is left out. */
  PetscErrorCode (*complete)(NsScheme *, NsState *);
  PetscBool implicit; /* solves with stiffness or damping, not with the mass matrix alone */
  PetscBool varies;   /* steps may be shorter than dt, never longer: the state's time says how far they went */
  PetscBool massless; /* moves unknowns without mass */
  PetscBool adapts;   /* varies, and any dt is as good as another: the last step is made to end with the run */
  PetscBool bounded;  /* adapts, and keeps its steps below scheme->step_limit by itself */
  /* Free flight of x'' + 2 zeta omega x' + omega^2 x = 0 over one step, for state (x, x'/omega) and w = omega dt: row-major 2 x 2. A whirling mode
     x'' - i g x' + omega^2 x = 0 has zeta = -i g/(2 omega). NULL: unconditionally stable, or moves no finite elements. */
  void (*amplification)(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4]);
  PetscReal growth; /* of an undamped mode in a step that counts as none at the step limit; 0: that of rounding */
  /* NULL, or what it has counted into list[NS_COUNTERS]; how many. */
  PetscInt (*count)(const NsScheme *, NsCounter *list);
  /* What it remembers between two steps beside the state, for checkpoints; called after `start`. NULL: nothing. */
  PetscErrorCode (*remember)(NsScheme *, NsMemory *);
  PetscErrorCode (*destroy)(NsScheme *);
} NsSchemeType;

struct NsScheme {
  const NsSchemeType *type;
  const void         *settings; /* struct of the variant's table; not owned */
  NsModel            *model;    /* not owned */
  NsContact          *contact;  /* not owned */
  NsLedger           *ledger;   /* not owned */
  PetscReal
              step_limit; /* s: of schemes that are `bounded`, by NsRunCreate; falls while a free spin rises (guard.h); PETSC_MAX_REAL: none, or not known (mechanisms) */
  void       *data;
  char        refusal[512]; /* by `setup`: why it cannot move this model, a sentence without full stop; "": it can */
  const char *refusal_key;  /* the scheme's key that this is about; NULL: `type` */
};

extern const NsSchemeType *const NsSchemeTypes[]; /* NULL-terminated, from src/scheme/list.h */
extern const NsVariant *const    NsSchemeVariants[];

/* The type behind a config's choice. */
const NsSchemeType *NsSchemeFind(const NsChosen *chosen);
PetscErrorCode      NsSchemeCreate(const NsChosen *chosen, NsModel *model, NsContact *contact, NsLedger *ledger, NsScheme **scheme);
PetscErrorCode      NsSchemeDestroy(NsScheme **scheme);
PetscErrorCode      NsSchemeStart(NsScheme *scheme, const NsState *state);
PetscErrorCode      NsSchemeStep(NsScheme *scheme, NsState *state, PetscReal dt, NsStepOutcome *outcome);
/* Before anybody looks at the state beyond what contact touches. */
PetscErrorCode NsSchemeComplete(NsScheme *scheme, NsState *state);
/* The same for a mode with gyroscopic terms, which make explicit schemes grow a little at any step: largest dt at which it does not grow by more than
   NS_GROWTH within `duration` (s). */
#define NS_GROWTH 0.1
PetscReal NsSchemeGrowthLimit(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration);
/* Whether it grows by more than that with steps of this length. */
PetscBool NsSchemeGrows(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration, PetscReal step);
/* Largest dt at which modes of frequency omega (rad/s) and damping ratio zeta do not grow; PETSC_MAX_REAL when unconditionally stable,
   0 when they always do. */
PetscReal NsSchemeStepLimit(const NsSchemeType *type, const void *settings, PetscReal omega, PetscReal zeta);
/* Times of steps, number * step / parts, correctly rounded for a step of up to 15 decimal digits, step = digits / scale: 1005 steps of 1e-7 s end at 0.0001005 and not
   beside it. */
typedef struct {
  PetscReal step, digits, scale;
} NsStepClock;
NsStepClock NsStepClockMake(PetscReal step);
PetscReal   NsStepClockTime(const NsStepClock *clock, PetscInt64 number, PetscInt parts);
/* For schemes: the local problem of these contacts was not solved; `what` is "forces" or "impulses". */
PetscErrorCode NsStepFail(NsStepOutcome *outcome, const NsScheme *scheme, const NsRows *rows, const char *what);
/* For schemes: puts names behind the reason, " (left, right)", at most four; nothing for no contacts. */
PetscErrorCode NsStepName(NsStepOutcome *outcome, const NsScheme *scheme, PetscInt count, const PetscInt *contact);
/* The key `step` that every scheme has, as a line of its key table. */
#define NS_STEP_KEY(T) \
  { \
    "step", NS_KEY_NUMBER, offsetof(T, step), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <", .help = "time step", .example = "0.1 us" \
  }
