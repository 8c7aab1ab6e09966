/*
  One run, from a config to results.

      NsRunCreate   tree -> settings -> meshes -> model -> contacts -> scheme; all the user's mistakes are in diag, nothing is stepped
      NsRunExecute  the time loop and its outputs
*/
#pragma once
#include <stdio.h>
#include "guard.h"
#include "output.h"
#include "settings.h"

typedef enum { NS_EXIT_DONE = 0, NS_EXIT_FAILED = 1, NS_EXIT_INPUT = 2, NS_EXIT_STOPPED = 3 } NsExit;

/* A value for a key of the config that stands in another file, a study's, and keeps its place there. */
typedef struct {
  const char   *key;   /* dotted, as in --set */
  NsPlace       place; /* of the key */
  const NsNode *value; /* not owned */
} NsRunGraft;

typedef struct {
  const char        *config_path; /* as the user gave it */
  const char        *config_text; /* what stands there; NULL: the file is read */
  const char        *name;        /* of the outputs; NULL: by config_path */
  int                sets;
  const char *const *set; /* --set arguments */
  int                grafts;
  const NsRunGraft  *graft;     /* [grafts], set after them */
  const char        *directory; /* --out; NULL: from the config, or out/<name> */
  PetscBool          overwrite, quiet, force;
  PetscBool          resume;     /* go on from the newest checkpoint of the directory */
  double             wall_limit; /* s from NsRunCreate: then the run stops with a checkpoint; 0: none */
  int                petsc_options;
  const char *const *petsc_option; /* after "--", for the record */
  PetscBool          report;       /* afterwards report.html; the command's business */
} NsRunOptions;

/* A list of files, for the manifest. */
typedef struct NsRunFile NsRunFile;
struct NsRunFile {
  const char *path;
  NsRunFile  *next;
  char        hash[65]; /* by NsRunFileHash */
};

/* How a rotor went round at a station, for the summary. NAN: not known. */
typedef struct {
  const char *name;
  PetscReal   largest_radius;        /* m, of all steps */
  PetscReal   whirl_rate, spin_rate; /* rad/s, means over the last quarter of the simulated time, positive about the shaft's axis e1 */
  PetscReal   turns;                 /* of the orbit in that quarter */
} NsOrbitSummary;

typedef struct NsCheckpoints NsCheckpoints; /* src/core/checkpoint.h */

struct NsRun {
  NsArena     *arena;
  NsDiag      *diag;
  NsRunOptions options;
  NsNode      *tree; /* overrides applied */
  NsConfig     config;
  const char  *name;      /* the config's file name without .yaml: names the outputs */
  const char  *directory; /* where results go */
  NsModel     *model;
  NsContact   *contact;
  NsLedger     ledger;
  NsScheme    *scheme;
  NsState      state;
  Vec         whole_q, whole_v; /* of the whole model in natural numbers, for writers; NULL where state is that, and on all processes but the first */
  PetscBool   writes;           /* this process writes files and speaks to the user: the first */
  PetscReal   step;             /* s */
  NsStepClock clock;            /* of the steps, for NsRunTime */
  PetscInt64  steps;            /* planned; schemes that vary their step take more */

  /* Stability: known after NsRunCheckStep. */
  PetscReal        omega_max, damping_ratio, step_limit;
  PetscReal        contact_limit; /* s: up to here stable whatever contacts without mass are closed; not above step_limit */
  PetscBool        omega_exact;
  char             limit_where[256];
  PetscBool        limit_by_growth; /* of whirling modes, which damping would stop */
  PetscReal        limit_at_once;   /* beyond it modes grow in each step by much, whirling or not */
  PetscInt         whirls;          /* modes whose gyroscopic terms grow with a spin that is free */
  NsStabilityMode *whirl;           /* [whirls] at the start */

  /* While and after stepping. */
  NsGuard        guard;
  PetscInt64     steps_done, impulsive_steps;
  PetscInt64     short_steps;                 /* of schemes that vary theirs: shorter than planned */
  PetscReal      max_penetration;             /* m, over all candidates and steps */
  double         loop_seconds, setup_seconds; /* wall */
  double         writing_seconds;             /* part of loop_seconds spent in writers */
  PetscInt64     clock_due;                   /* with several processes: the last step that is due by the clock */
  double         began;                       /* NsSeconds() of NsRunCreate */
  double         loop_began;                  /* NsSeconds(), less what the run had taken before it was resumed */
  double         checkpoint_at;               /* NsSeconds() of the last checkpoint, or of the start */
  PetscBool      checkpoint_due, late;        /* after the present step; the wall limit has passed */
  int            lock;                        /* of the directory: src/core/directory.h */
  PetscBool      resumes;                     /* from a checkpoint: files of outputs are there already */
  const char    *checkpoint;                  /* its path, on the process that writes */
  NsCheckpoints *checkpoints;
  int            writers;
  NsWriter     **writer;
  NsRunFile     *inputs;  /* meshes and whatever else the config refers to; paths that can be opened */
  NsRunFile     *outputs; /* within the directory; each writer adds its own */
  NsExit         exit;
  char           failure[8192]; /* why exit is FAILED or STOPPED, with room for a path; "" else */

  /* Kept by the writer of orbits. */
  PetscInt        orbits;
  NsOrbitSummary *orbit; /* [orbits] */
};

/* Sets *run, also when diag holds errors (then only NsRunDestroy may follow). */
PetscErrorCode NsRunCreate(const NsRunOptions *options, NsArena *arena, NsDiag *diag, NsRun **run);
PetscErrorCode NsRunDestroy(NsRun **run);
/* Compares the step with the scheme's limit: bound first; with the eigensolver where the bound does not settle it or `exact`. Numbers that cannot be computed with are an error
   in diag. */
PetscErrorCode NsRunCheckStep(NsRun *run, PetscBool exact);
/* The step limit by whirling modes where rotors of free spin turn at `speed` (rad/s); PETSC_MAX_REAL: none. After NsRunCheckStep. */
PetscErrorCode NsRunWhirlLimit(NsRun *run, PetscReal speed, PetscReal *limit);
/* The speed up to which these modes do not grow with run->step; PETSC_MAX_REAL: any, or not known. After NsRunCheckStep. */
PetscErrorCode NsRunSpinLimit(NsRun *run, PetscReal *speed);
/* Length of the next step: run->step; steps of any length (type->adapts) end with the run, and rounding alone makes none shorter. */
PetscReal NsRunStepLength(const NsRun *run);
/* An end of the run so near is met, s: within rounding by steps of any length, within a millionth of a step by others that vary theirs. */
PetscReal NsRunEndSlack(const NsRun *run);
/* When a step ends, s: the product of a decimal step and its number, correctly rounded, so that 1005 steps of 1e-7 s end at 0.0001005 and not beside it. */
PetscReal NsRunTime(const NsRun *run, PetscInt64 step);
/* The state's time after this step, without the drift of a sum of lengths: NsRunTime where steps are of one length, the end of the run where those of any length reach it. */
void NsRunKeepTime(NsRun *run, PetscInt64 step);
/* Says what to think of run->step after NsRunCheckStep: an error (or a warning, unless `refuse`) above the limit, a warning close below it. */
void NsRunJudgeStep(NsRun *run, PetscBool refuse);
/* What to take where explicit steps are too short, as the end of a sentence. */
const char *NsRunImplicitAdvice(const NsRun *run);
/* Makes the directory, writes, steps, writes, closes. run->exit tells how it ended. */
PetscErrorCode NsRunExecute(NsRun *run);
/* The first failure is kept; the loop stops after the present step. */
void NsRunFail(NsRun *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Wall clock that only moves forward, s. */
double NsSeconds(void);
/* printf into the arena: "<directory>/<format...>". */
const char *NsRunPath(NsRun *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The config as run, overrides applied, as YAML: what config.yaml among the results is. */
const char *NsRunConfigText(NsRun *run, size_t *size);
/* SHA-256 of an input, of its first reading: large meshes are read once for it. NULL: it cannot be read. */
const char *NsRunFileHash(NsRunFile *file);
/* Appends a copy of path to run->inputs or run->outputs. */
void NsRunAddFile(NsRun *run, NsRunFile **list, const char *path);
/* "done", "failed" or "stopped": what run->exit says, in a word. */
const char *NsRunExitName(const NsRun *run);
