/*
  The time loop: step, look at what came of it, offer it to the writers; until the end, a signal or a failure.

  Nothing here or below allocates once the writers are open.
*/
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "core/directory.h"
#include "percuss/run.h"

static volatile sig_atomic_t stop_signal = 0;

/* The first signal asks for a clean end after the present step; a second one ends at once. */
static void on_signal(int number)
{
  stop_signal = number;
  signal(number, SIG_DFL);
}

static void catch_signals(PetscBool on)
{
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  action.sa_handler = on ? on_signal : SIG_DFL;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static PetscErrorCode open_writers(NsRun *run)
{
  int count = 0;

  PetscFunctionBegin;
  while (NsWriterTypes[count]) count++;
  run->writer = NsArenaAlloc(run->arena, sizeof(*run->writer) * (size_t)(count + 1));
  for (int i = 0; i < count && run->exit == NS_EXIT_DONE; i++) {
    if (!NsWriterTypes[i]->wanted(run)) continue;
    PetscCall(NsWriterCreate(NsWriterTypes[i], run, &run->writer[run->writers++]));
  }
  PetscFunctionReturn(0);
}

static const char *limit_hint(const NsRun *run)
{
  return run->step > run->step_limit ? "; the step is above the stability limit" : "";
}

/* Offers a state to the writers. `again`: it was offered before as one of many and now turns out to be the last. */
static PetscErrorCode offer(NsRun *run, PetscInt64 step, PetscBool last, PetscBool again)
{
  NsSnapshot snapshot = {step, run->state, run->contact->report, &run->ledger, step == 0, last, again};
  PetscBool  energy = PETSC_FALSE, any = last;
  double     start;

  PetscFunctionBegin;
  for (int i = 0; i < run->writers; i++) {
    const NsWriterType *type = run->writer[i]->type;
    if (!type->due(run->writer[i], step, last)) continue;
    any    = PETSC_TRUE;
    energy = energy || type->needs_energy ? PETSC_TRUE : PETSC_FALSE;
  }
  if (!any) PetscFunctionReturn(0); /* most steps: not even the time is asked for */
  start = NsSeconds();
  if (energy || last) {
    PetscCall(NsLedgerClose(&run->ledger, run->model, &run->state));
    if (!isfinite(run->ledger.numerical))
      NsRunFail(run, "the energy is no number any more at t = %.9g s (step %lld)%s", run->state.t, (long long)step, limit_hint(run));
  }
  for (int i = 0; i < run->writers; i++) {
    const NsWriterType *type = run->writer[i]->type;
    if (!type->due(run->writer[i], step, last)) continue;
    if (again && !type->sums && type->due(run->writer[i], step, PETSC_FALSE)) continue;
    PetscCall(type->write(run->writer[i], &snapshot));
  }
  run->writing_seconds += NsSeconds() - start;
  PetscFunctionReturn(0);
}

/* Not-a-number anywhere in the velocity ends the run: names the time and the first such unknown. A sum costs less than a norm and is not-a-number alike. */
static PetscErrorCode check_finite(NsRun *run, PetscInt64 step)
{
  const PetscScalar *v;
  PetscReal          sum = 0;
  char               name[256];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(run->state.v, &v));
  for (PetscInt i = 0; i < run->model->unknowns; i++) sum += v[i];
  if (!isfinite(sum)) {
    PetscInt i = 0;
    while (i < run->model->unknowns - 1 && isfinite(v[i])) i++;
    PetscCall(run->model->ops->name_unknown(run->model, i, name, sizeof(name)));
    NsRunFail(run, "not a number at t = %.9g s (step %lld): velocity of %s%s", run->state.t, (long long)step, name, limit_hint(run));
  }
  PetscCall(VecRestoreArrayRead(run->state.v, &v));
  PetscFunctionReturn(0);
}

/* Looking at every unknown each step costs a few per cent of it; each 16th is soon enough to stop a run. */
#define NS_FINITE_EVERY 16

/* An end within a millionth of a step is met. */
static PetscBool is_last(const NsRun *run, PetscInt64 step)
{
  const PetscBool varies = run->scheme->type->varies;

  return varies ? run->state.t >= run->config.time->end - 1e-6 * run->step : step >= run->steps;
}

static PetscErrorCode step_to_end(NsRun *run)
{
  NsStepOutcome outcome;

  PetscFunctionBegin;
  for (PetscInt64 step = 1; !is_last(run, step - 1) && run->exit == NS_EXIT_DONE; step++) {
    const PetscReal before = run->state.t;
    PetscCall(NsSchemeStep(run->scheme, &run->state, run->step, &outcome));
    if (!outcome.done) {
      PetscCall(check_finite(run, step - 1)); /* numbers that are none cannot be solved for: name the cause */
      NsRunFail(run, "step %lld at t = %.9g s: %s%s", (long long)step, run->state.t, outcome.reason, limit_hint(run));
      PetscCall(offer(run, step - 1, PETSC_TRUE, PETSC_TRUE));
      break;
    }
    if (!run->scheme->type->varies) run->state.t = NsRunTime(run, step); /* not the sum of steps: no drift of time */
    const PetscBool last = is_last(run, step);
    run->steps_done      = step;
    run->impulsive_steps += outcome.impulsive;
    run->short_steps += run->scheme->type->varies && run->state.t - before < 0.99 * run->step;
    for (PetscInt i = 0; i < run->contact->candidates; i++) {
      const PetscReal gap  = run->contact->report[i].gap;
      run->max_penetration = PetscMax(run->max_penetration, run->model->candidate[i].bilateral ? PetscAbsReal(gap) : -gap);
    }
    if (step % NS_FINITE_EVERY == 0 || last || stop_signal) PetscCall(check_finite(run, step));
    if (run->exit != NS_EXIT_DONE) break;
    if (stop_signal && !last) {
      run->exit = NS_EXIT_STOPPED;
      PetscCall(PetscSNPrintf(run->failure, sizeof(run->failure), "stopped by signal %s at t = %.9g s, step %lld%s",
        stop_signal == SIGINT ? "SIGINT" : "SIGTERM", (double)run->state.t, (long long)step,
        run->scheme->type->varies ? "" : NsArenaPrint(run->arena, " of %lld", (long long)run->steps)));
    }
    PetscCall(offer(run, step, last || run->exit == NS_EXIT_STOPPED, PETSC_FALSE));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunExecute(NsRun *run)
{
  double start;

  PetscFunctionBegin;
  if (!NsDirectoryMake(run->directory)) {
    NsRunFail(run, "cannot make the directory %s: %s", run->directory, strerror(errno));
    PetscFunctionReturn(0);
  }
  PetscCall(NsLedgerOpen(&run->ledger, run->model, &run->state));
  PetscCall(NsContactBeginStep(run->contact));
  PetscCall(NsContactEndStep(run->contact, &run->state));
  PetscCall(NsSchemeStart(run->scheme, &run->state));
  stop_signal = 0;
  catch_signals(PETSC_TRUE);
  PetscCall(open_writers(run));
  start = NsSeconds();
  if (run->exit == NS_EXIT_DONE) PetscCall(offer(run, 0, PETSC_FALSE, PETSC_FALSE));
  PetscCall(step_to_end(run));
  run->loop_seconds = NsSeconds() - start;
  for (int i = 0; i < run->writers; i++) PetscCall(NsWriterDestroy(&run->writer[i]));
  catch_signals(PETSC_FALSE);
  PetscFunctionReturn(0);
}
