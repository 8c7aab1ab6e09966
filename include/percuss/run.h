/*
  One run, from a config to results.

      NsRunCreate   tree -> settings -> meshes -> model -> contacts -> scheme; all errors of the user are in diag, no step is made
      NsRunExecute  the time loop and its outputs

  NsRun is opaque: other parts access it by functions.
*/
#pragma once
#include "clock.h"
#include "guard.h"
#include "output.h"
#include "scheme.h"
#include "settings.h"

typedef struct NsRun NsRun;

extern const NsTable NsTable_Config;
/* Reads a config. `analysis`: `scheme` and `time` may be missing; then scheme.settings is NULL, and the end is 1 s. False after errors in diag. */
bool                 NsConfigRead(const NsNode *tree, bool analysis, NsConfig *config, NsArena *arena, NsDiag *diag);
extern const NsTable NsTable_Orbit; /* the key `orbit` */

typedef enum { NS_EXIT_DONE = 0, NS_EXIT_FAILED = 1, NS_EXIT_INPUT = 2, NS_EXIT_STOPPED = 3 } NsExit;

/* A value for a key of the config from another file (a study), with its place in that file. */
typedef struct {
  const char   *key;   /* dotted, as in --set */
  NsPlace       place; /* of the key */
  const NsNode *value; /* not owned */
} NsRunGraft;

typedef struct {
  const char        *config_path; /* as the user gave it */
  const char        *config_text; /* its content; NULL: the file is read */
  const char        *name;        /* of the outputs; NULL: by config_path */
  int                sets;
  const char *const *set; /* --set arguments */
  int                grafts;
  const NsRunGraft  *graft;       /* [grafts], set after them */
  const char        *directory;   /* --out; NULL: from the config, or out/<name> */
  int                own_folders; /* number of its last folders that belong to percuss (a study), in which no symbolic link is followed */
  PetscBool          overwrite, quiet, force;
  PetscBool          repeat;     /* config_path is the config.yaml of results */
  PetscBool          trust;      /* PETSc options and plugins that results name may be used */
  PetscBool          resume;     /* continue from the newest checkpoint of the directory */
  PetscBool          unstarted;  /* the state of another run that the config starts from is not read */
  double             wall_limit; /* s from NsRunCreate: then the run stops with a checkpoint; 0: none */
  int                petsc_options;
  const char *const *petsc_option; /* after "--", for the record */
  PetscBool          quick;        /* check without eigenvalues */
  PetscBool          analysis;     /* nothing is stepped: `scheme` and `time` may be missing and are not used; there is no NsRunScheme */
  PetscBool          statics;      /* the model starts with its static solution, whatever `start` says; `static_friction` stays */
  PetscBool          report;       /* write report.html afterwards; done by the command */
} NsRunOptions;

/* Estimated number of elements, time (s) and memory (bytes) for building a model, before it is built; of generated meshes only. */
typedef struct {
  double elements, seconds, bytes;
} NsRunBuilding;

/* Sets *run, also when diag holds errors (then only NsRunDestroy may follow). With `quick` a model that would take more than 5 s to build is left out: NsRunModel is NULL. */
PetscErrorCode NsRunCreate(const NsRunOptions *options, NsArena *arena, NsDiag *diag, NsRun **run);
PetscErrorCode NsRunDestroy(NsRun **run);
/* Makes the directory, writes, steps, writes, closes. NsRunExit returns how it ended. */
PetscErrorCode NsRunExecute(NsRun *run);

/* ---- its parts -------------------------------------------------------------------------------------------------------------------------------------------- */

NsArena            *NsRunArena(const NsRun *run);
const NsRunOptions *NsRunGetOptions(const NsRun *run);
const NsNode       *NsRunTree(const NsRun *run); /* of the config, overrides applied */
const NsConfig     *NsRunSettings(const NsRun *run);
NsRunBuilding       NsRunGetBuilding(const NsRun *run);
NsModel            *NsRunModel(const NsRun *run);
NsContact          *NsRunContact(const NsRun *run);
NsScheme           *NsRunScheme(const NsRun *run);
NsState            *NsRunState(NsRun *run);
NsLedger           *NsRunLedger(NsRun *run);
const NsGuard      *NsRunGuard(const NsRun *run);
/* Name, directory, whether this process writes. */
NsSink *NsRunSink(NsRun *run);
/* The config as run, overrides applied, as YAML: the content of config.yaml among the results. */
const char *NsRunConfigText(const NsRun *run, size_t *size);
/* "", or from which state of another run it starts, a sentence. */
const char *NsRunStartedFrom(const NsRun *run);
/* Meshes and whatever else the config refers to; paths that can be opened. */
NsFileList *NsRunInputs(const NsRun *run);

/* ---- steps ------------------------------------------------------------------------------------------------------------------------------------------------ */

/* Before the first step: opens the ledger, computes gaps, starts the scheme. */
PetscErrorCode NsRunStart(NsRun *run);
/* One step of the scheme; where it is done the state has its time and is counted. */
PetscErrorCode NsRunStep(NsRun *run, NsStepOutcome *outcome);
/* All of the state, also what the scheme leaves out between records; q and v in natural numbers, valid until the next step. On one process. */
PetscErrorCode NsRunWholeState(NsRun *run, const PetscReal **q, const PetscReal **v);
/* Accelerations of the state (src/run/acceleration.c), as NsRunWholeState; the first call factors the mass matrix. */
PetscErrorCode NsRunWholeAcceleration(NsRun *run, const PetscReal **a);
/* What the contacts add to a column of a probe. */
PetscReal NsRunProbeForces(const NsRun *run, const NsProbeColumn *column);
/* Whether the state is that of the end. */
PetscBool NsRunIsAtEnd(const NsRun *run);
/* The time step of the config, s. */
PetscReal NsRunTimeStep(const NsRun *run);
/* Steps to the end; schemes that vary theirs take more. */
PetscInt64 NsRunPlannedSteps(const NsRun *run);
/* Length of the next step: that of the config. Schemes with type->adapts shorten the last step so that it ends at the end of the run, unless the difference is only rounding. */
PetscReal NsRunStepLength(const NsRun *run);

/* What a run will cost on this machine, without output. */
typedef struct {
  PetscBool measured;    /* false: the first step was not made, and `seconds` is not known */
  PetscBool stopped;     /* because it takes longer than 3 s */
  PetscBool touched;     /* some contact was closed, or had an impact: else steps of the run with closed contacts take longer */
  double    seconds;     /* wall time of a step */
  double    steps;       /* how many there will be */
  double    preparation; /* s, of contact, before the first step; 0: no more than some seconds */
  PetscInt  solves;      /* of linear systems, that this takes */
} NsTrial;

/* From some steps on a copy of the state. Long preparations are foretold, and not waited for on one process. Before NsRunStart. */
PetscErrorCode NsRunTrySteps(NsRun *run, NsTrial *trial);

/* ---- stability: src/run/stability.c ----------------------------------------------------------------------------------------------------------------------- */

/* Known after NsRunCheckStep. */
typedef struct {
  PetscReal        omega_max, damping_ratio; /* rad/s, of the mode that sets the critical time step */
  PetscReal        step_limit;               /* s: critical time step; PETSC_MAX_REAL: none, or not known */
  PetscReal        contact_limit;            /* s: a step up to this is stable whichever massless contacts are closed; not above step_limit */
  PetscBool        exact;                    /* by the eigensolver; else by bounds */
  char             where[256];               /* what sets it */
  PetscBool        by_growth;                /* step_limit is set by the slow growth of whirling modes, which a little damping removes */
  PetscReal        at_once;                  /* s: above this step, modes (whirling or not) grow fast */
  PetscInt         whirls;                   /* modes whose gyroscopic terms grow with a spin that is free */
  NsStabilityMode *whirl;                    /* [whirls] at the start */
} NsStability;

const NsStability *NsRunStability(const NsRun *run);
/* Finds the critical time step: by bounds first; by the eigensolver if the bounds are not sufficient, or if `exact`. Values out of the range of doubles are an error in diag. */
PetscErrorCode NsRunCheckStep(NsRun *run, PetscBool exact);
/* The critical time step of whirling modes where rotors of free spin turn at `speed` (rad/s); PETSC_MAX_REAL: none. After NsRunCheckStep. */
PetscErrorCode NsRunWhirlLimit(NsRun *run, PetscReal speed, PetscReal *limit);
/* The speed (rad/s) up to which these modes do not grow with the config's step; PETSC_MAX_REAL: any, or not known. After NsRunCheckStep. */
PetscErrorCode NsRunSpinLimit(NsRun *run, PetscReal *speed);
/* Judges the config's step after NsRunCheckStep: an error (or a warning, unless `refuse`) above the critical time step, a warning close below it. */
PetscErrorCode NsRunJudgeStep(NsRun *run, PetscBool refuse);

/* ---- results: src/run/results.c --------------------------------------------------------------------------------------------------------------------------- */

/* Takes the directory, which exists, for this process alone, until NsRunDestroy. NULL: done; else why not. On the process that writes. */
const char *NsRunTakeDirectory(NsRun *run);
/* Removes what percuss has written there. False: why not is in errno (NsFolderWhy). After NsRunTakeDirectory. */
PetscBool NsRunClearDirectory(NsRun *run);
/* The directory with run.json and config.yaml, for an analysis; the sink says whether it failed. */
PetscErrorCode NsRunOpenResults(NsRun *run);
/* An analysis was stopped by the user: its results are a part. Before NsRunCloseResults. */
void NsRunStop(NsRun *run, const char *why);
/* Closes the writers, and run.json says how it ended. */
PetscErrorCode NsRunCloseResults(NsRun *run);
/* Writes run.json and the run's tables without rows into a directory, so that their columns can be checked. */
PetscErrorCode NsRunWriteHeaders(NsRun *run, const char *directory);
/* Writes the state as the only frame, unless `output.frames` is off; report[candidates] of its contacts. After NsRunOpenResults. */
PetscErrorCode NsRunWriteFrame(NsRun *run, const NsContactReport *report);
/* Bytes that its writers will write in so many steps, about. */
PetscErrorCode NsRunBytes(NsRun *run, double steps, double *bytes);
/* A warning in diag if there is less free space on the disk, or if it is very much. */
void NsRunJudgeBytes(NsRun *run, double bytes);
/* Steps between two frames; 0: none are written. */
long NsRunFramesEvery(const NsRun *run);

/* ---- resuming from a checkpoint: src/run/checkpoint.c ------------------------------------------------------------------------------------------------------- */

/* The newest checkpoint in the run's directory that is complete and matches the run: the run will continue from there. NULL: there is none. `why`: "", or a sentence about the newest checkpoint
   that was skipped. *t: its time, s. Those at the time `before` (s) and later are passed over. On the process that writes. */
const char *NsCheckpointFind(NsRun *run, PetscReal before, PetscReal *t, char *why, size_t size);
/* Whether there is any checkpoint, valid or not. */
PetscBool NsCheckpointsAreThere(NsRun *run);
/* (all) resumes: whether the run continues from a checkpoint. After NsCheckpointsCreate. */
void NsRunResume(NsRun *run, PetscBool resumes);
/* (all) Room for writing and reading checkpoints; the last allocation. */
PetscErrorCode NsCheckpointsCreate(NsRun *run);
/* Removes what a complete run does not keep. */
void NsCheckpointsTidy(NsRun *run);

/* ---- how it ended ------------------------------------------------------------------------------------------------------------------------------------------- */

NsExit NsRunExit(const NsRun *run);
/* Why it failed or was stopped; "". */
const char *NsRunMessage(const NsRun *run);
/* What a run counts and measures. */
typedef struct {
  PetscInt64 steps, impulsive_steps;
  PetscInt64 short_steps;     /* of schemes that vary theirs: shorter than planned */
  PetscReal  max_penetration; /* m, over all contacts and steps */
  double     setup_seconds;   /* wall time */
  double     loop_seconds;
  double     writing_seconds; /* part of loop_seconds spent in writers */
} NsRunFigures;

const NsRunFigures *NsRunGetFigures(const NsRun *run);
