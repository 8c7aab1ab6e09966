/*
  What a step of percuss costs: makes a run from a config, steps it, prints one line of JSON. tests/bench/speed.py calls it.

      bench_step CONFIG STEPS SECONDS [--at FRACTION] [--execute DIRECTORY] [KEY=VALUE]...

  STEPS steps from the initial state, again and again with a run of its own each until SECONDS of stepping have passed, at least once; the quickest counts. Only the
  steps are timed, by processor time: no set-up and no output; nor the loop's look for not-a-number, which costs a sum over the velocities every 16th step.

  --at F             the step is F times its own limit, instead of the config's
  --execute DIR      the whole loop with its writers (NsRunExecute) instead, by its own clock, into DIR
  KEY=VALUE          as after --set

  Prints us (a step), steps, unknowns, step (s), contact (share of the steps after which candidate 0 is closed), impulsive (steps), energy (J, of the last state),
  writing (s) and loop (s) of --execute.
*/
#include <math.h>
#include <slepcsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "run/private.h"

typedef struct {
  double     seconds, contact, step, energy, writing; /* s, share, s, J, s */
  PetscInt64 steps, impulsive;
  PetscInt   unknowns;
} Cost;

typedef struct {
  NsRunOptions run;
  PetscInt64   steps;   /* those of the config where --execute */
  double       seconds; /* to go on for */
  double       at;      /* of the step limit; 0: the config's step */
  bool         execute;
} Task;

static double processor_seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static PetscErrorCode step_on(NsRun *run, PetscInt64 steps, Cost *cost)
{
  const PetscBool touches = run->model->candidates > 0;
  NsStepOutcome   outcome;
  double          start;
  PetscInt64      closed = 0;

  PetscFunctionBegin;
  PetscCall(NsRunStart(run));
  start = processor_seconds();
  for (PetscInt64 step = 1; step <= steps; step++) {
    PetscCall(NsSchemeStep(run->scheme, &run->state, run->step, &outcome));
    PetscCheck(outcome.done, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "step %lld: %s", (long long)step, outcome.reason);
    if (!run->scheme->type->varies) run->state.t = NsRunTime(run, step);
    closed += touches && NsContactReports(run->contact)[0].state != NS_OPEN;
    cost->impulsive += outcome.impulsive;
  }
  cost->seconds = processor_seconds() - start;
  cost->steps   = steps;
  cost->contact = (double)closed / (double)steps;
  PetscCall(NsLedgerClose(&run->ledger, run->model, &run->state));
  PetscFunctionReturn(0);
}

static PetscErrorCode execute(NsRun *run, Cost *cost)
{
  PetscFunctionBegin;
  PetscCall(NsRunExecute(run));
  PetscCheck(NsRunExit(run) == NS_EXIT_DONE, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", run->sink.failure);
  cost->seconds   = run->figures.loop_seconds;
  cost->writing   = run->figures.writing_seconds;
  cost->steps     = run->figures.steps;
  cost->impulsive = run->figures.impulsive_steps;
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(const Task *task, Cost *cost)
{
  NsArena *arena = NsArenaCreate();
  NsDiag  *diag  = NsDiagCreate(arena);
  NsRun   *run;

  PetscFunctionBegin;
  *cost = (Cost){0};
  PetscCall(NsRunCreate(&task->run, arena, diag, &run));
  if (NsDiagErrors(diag)) {
    NsDiagPrint(diag, stderr, false);
    exit(NS_EXIT_INPUT);
  }
  if (task->at > 0) {
    PetscCall(NsRunCheckStep(run, PETSC_TRUE));
    run->step  = task->at * run->stability.step_limit;
    run->clock = NsStepClockMake(run->step);
  }
  if (task->execute)
    PetscCall(execute(run, cost));
  else
    PetscCall(step_on(run, task->steps, cost));
  cost->step     = run->step;
  cost->unknowns = run->model->unknowns;
  cost->energy   = run->ledger.now.kinetic + run->ledger.now.elastic + run->ledger.now.potential;
  PetscCall(NsRunDestroy(&run));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

static bool read_task(int argc, char **argv, const char **set, Task *task)
{
  if (argc < 4) return false;
  task->run   = (NsRunOptions){.config_path = argv[1], .set = set, .overwrite = PETSC_TRUE, .quiet = PETSC_TRUE};
  task->steps = atoll(argv[2]);
  for (int i = 4; i < argc; i++) {
    const char *word = argv[i];
    if (!strcmp(word, "--at") && i + 1 < argc)
      task->at = atof(argv[++i]);
    else if (!strcmp(word, "--execute") && i + 1 < argc) {
      task->execute       = true;
      task->run.directory = argv[++i];
    } else if (strchr(word, '='))
      set[task->run.sets++] = word;
    else
      return false;
  }
  task->seconds = atof(argv[3]);
  return task->steps > 0;
}

int main(int argc, char **argv)
{
  static char  name[] = "bench_step";
  char        *bare[] = {name, NULL}, **words = bare;
  const char **set   = calloc((size_t)argc, sizeof(*set));
  int          count = 1;
  Task         task  = {0};
  Cost         best, cost;
  double       passed;

  if (!set || !read_task(argc, argv, set, &task)) {
    fprintf(stderr, "usage: bench_step CONFIG STEPS SECONDS [--at FRACTION] [--execute DIRECTORY] [KEY=VALUE]...\n");
    return NS_EXIT_INPUT;
  }
  PetscCall(SlepcInitialize(&count, &words, NULL, NULL));
  PetscCall(measure(&task, &best));
  for (passed = best.seconds; passed < task.seconds; passed += cost.seconds) {
    PetscCall(measure(&task, &cost));
    if (cost.seconds / (double)cost.steps < best.seconds / (double)best.steps) best = cost;
  }
  printf(
    "{\"us\": %.6g, \"steps\": %lld, \"unknowns\": %d, \"step\": %.9g, \"contact\": %.4f, \"impulsive\": %lld, \"energy\": %.15g, \"writing\": %.6g, \"loop\": %.6g}\n",
    1e6 * best.seconds / (double)best.steps, (long long)best.steps, (int)best.unknowns, best.step, best.contact, (long long)best.impulsive,
    best.energy, best.writing, best.seconds);
  free(set);
  PetscCall(SlepcFinalize());
  return 0;
}
