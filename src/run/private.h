/* The struct of a run, for its own files and tests. */
#pragma once
#include "core/json.h"
#include "percuss/run.h"

/* Steps after which energy and deformations are checked (guard.c): they take as long as some twenty steps of a bar; */
#define NS_ENERGY_EVERY 2048
/* so many times as rarely if the state has to be completed first (modal) or recovered for the whole body (reduced models): this costs as much as some hundred or thousand steps */
#define NS_RARELY 64

typedef struct NsCheckpoints NsCheckpoints; /* src/run/checkpoint.h */
typedef struct NsManifest    NsManifest;    /* src/run/manifest.c */

struct NsRun {
  NsArena     *arena;
  NsDiag      *diag;
  NsRunOptions options;
  NsNode      *tree; /* overrides applied */
  NsConfig     config;
  NsSink       sink;
  NsModel     *model;
  NsContact   *contact;
  NsLedger     ledger;
  NsScheme    *scheme;
  NsState      state;
  Vec         whole_q, whole_v; /* of the whole model in natural numbers, for writers; NULL where state is that, and on all processes but the first */
  Vec         acceleration, whole_acceleration; /* of the last NsRunAcceleration; NULL: no writer needs them */
  Vec         record_force;                     /* with what it needs */
  NsRows      record_rows;
  PetscReal  *record_F;
  PetscInt   *record_list;
  PetscReal   last_step; /* s: length of the step that led to the state; 0 at the start */
  PetscReal   step;      /* s */
  NsStepClock clock;     /* of the steps, for NsRunTime */
  PetscInt64  steps;     /* planned; schemes that vary their step take more */
  NsStability stability;

  /* While and after stepping. */
  NsGuard          guard;
  PetscReal       *guard_touch; /* [touches] scratch of it */
  NsRunFigures     figures;
  PetscBool        completed;   /* the state is whole: NsSchemeComplete was called after this step */
  PetscInt64       ledger_step; /* the last step at which the ledger was closed and judged; -1: none */
  PetscInt64       clock_due;   /* with several processes: the last step at which writers write by the clock */
  NsRunBuilding    building;
  double           began;          /* NsSeconds() of NsRunCreate */
  double           loop_began;     /* NsSeconds(), less what the run had taken before it was resumed */
  double           checkpoint_at;  /* NsSeconds() of the last checkpoint, or of the start */
  PetscBool        checkpoint_due; /* after the present step */
  PetscBool        late;           /* the wall limit has passed */
  PetscBool        cleared;        /* the directory has been checked: it is empty, or the run is resumed in it */
  NsRun           *starts_from;    /* of whose state; NULL: none, or done with */
  NsContactReport *start_report;   /* [candidates] forces and states of its contacts; NULL: none */
  const char      *started_from;   /* "", or the state of another run, a sentence */
  const char      *checkpoint;     /* name of the checkpoint to resume from, on the process that writes */
  NsCheckpoints   *checkpoints;
  int              writers;
  NsWriter       **writer; /* [writers] */
  NsManifest      *manifest;
  NsFileList      *inputs;
  char             stopped[256]; /* why the run was stopped; "": it was not */
};

/* ---- times of steps: src/run/run.c ------------------------------------------------------------------------------------------------------------------------ */

/* When a step ends, s: the product of a decimal step and its number, correctly rounded, so that 1005 steps of 1e-7 s end exactly at 0.0001005. */
PetscReal NsRunTime(const NsRun *run, PetscInt64 step);
/* An end of the run so near is met, s: within rounding by steps of any length, within a millionth of a step by others that vary theirs. */
PetscReal NsRunEndSlack(const NsRun *run);

/* ---- accelerations for records: src/run/acceleration.c -------------------------------------------------------------------------------------------------------- */

/* (all) Room for them, and the mass matrix factored: once. */
PetscErrorCode NsRunAccelerationCreate(NsRun *run);
PetscErrorCode NsRunAccelerationDestroy(NsRun *run);
/* N: the force that a report of its last step has along direction d. */
PetscReal NsRunForceOf(const NsRun *run, const NsContactReport *report, int d);
/* (all) run->acceleration of the state, which is complete. */
PetscErrorCode NsRunAcceleration(NsRun *run);

/* ---- parts that begin to act or stop acting: src/run/switch.c --------------------------------------------------------------------------------------------------------- */

/* Errors in diag where steps do not end at the instants. */
void NsRunCheckSwitches(NsRun *run);
/* (all) Applies the events that are due, before the next step; outcome->reason: why this is not possible. */
PetscErrorCode NsRunSwitch(NsRun *run, NsStepOutcome *outcome);
void           NsRunSerializeSwitches(NsRun *run, NsArchive *archive);
/* What has happened, for run.json. */
void NsRunPutSwitches(const NsRun *run, NsJson *json);

/* ---- start from another run: src/run/start.c ---------------------------------------------------------------------------------------------------------------- */

/* (all) The state of the run that `start: {from: RUN}` names, before contact is made, which begins with it; errors are in diag. */
PetscErrorCode NsRunStartFrom(NsRun *run);
/* src/run/synchronous.c: adds the steady response to unbalance to the static equilibrium (`start: synchronous`); errors are in diag. */
PetscErrorCode NsRunStartSynchronous(NsRun *run);
/* Takes over the contact forces of that state; the second copies them into the first reports, after the scheme has been started. */
PetscErrorCode NsRunStartForces(NsRun *run);
void           NsRunReportStart(NsRun *run);

/* ---- run.json and config.yaml: src/run/manifest.c --------------------------------------------------------------------------------------------------------- */

/* Writes both; run.json says "running". After the writers are open. */
PetscErrorCode NsManifestOpen(NsRun *run);
void           NsManifestSerialize(NsRun *run, NsArchive *archive);
/* Writes run.json with the summary. After the writers are closed. */
PetscErrorCode NsManifestClose(NsRun *run);

/* ---- results: src/run/results.c --------------------------------------------------------------------------------------------------------------------------- */

/* The directory, open in the sink. */
PetscBool NsRunOpenFolder(NsRun *run, PetscBool make);
/* (all) Makes and locks the directory; errors are reported by NsSinkFail. From here on, if memory runs out, run.json says so. */
PetscErrorCode NsRunOpenDirectory(NsRun *run);
/* (all) The writers that the run uses, and run.json. */
PetscErrorCode NsRunOpenWriters(NsRun *run);

/* Above this number of DOF, eigenvalues are computed only if the bounds do not show whether the run is stable. */
PetscBool NsRunIsLarge(const NsRun *run);
/* Whether steps and mesh resolve the loads: errors (where refuse) and warnings in diag; src/run/loads.c. */
PetscErrorCode NsRunJudgeLoads(NsRun *run, PetscBool refuse);
/* Shortest period of loads and unbalances over the run, s; a pulse is half of one; PETSC_MAX_REAL: none is periodic. */
PetscErrorCode NsRunLoadPeriod(NsRun *run, PetscReal *period);

/* After work under NsKeepNumerics: a numerical failure caused by the config is an error in diag, any other error is returned. */
PetscErrorCode NsRunBlameNumbers(NsRun *run, PetscErrorCode code, const char *message);
