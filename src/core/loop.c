/*
  The time loop: step, look at what came of it, offer it to the writers; until the end, a signal or a failure.

  Nothing here or below allocates once the writers are open.
*/
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "core/checkpoint.h"
#include "core/directory.h"
#include "core/out_of_memory.h"
#include "percuss/run.h"

static volatile sig_atomic_t stop_signal = 0, checkpoint_asked = 0, clock_rang = 0;

/* The first signal asks for a clean end after the present step; a second one ends at once. */
static void on_signal(int number)
{
  stop_signal = number;
  signal(number, SIG_DFL);
}

static void on_wish(int number)
{
  if (number == SIGUSR1)
    checkpoint_asked = 1;
  else
    clock_rang = 1;
}

static void handle(int number, void (*handler)(int))
{
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, NULL);
}

/* An alarm tells five times a second, or as often as checkpoints are wanted, that it is time to look at the clock: asking it at every step would cost short ones a per cent, and every
   now and then is late for long ones. */
static void catch_signals(const NsRun *run, PetscBool on)
{
  const double           every = run->config.output->checkpoints, seconds = every > 0 ? PetscMax(PetscMin(0.2, every), 1e-3) : 0.2;
  const struct timeval   wait  = {0, on ? (suseconds_t)(1e6 * seconds) : 0};
  const struct itimerval alarm = {wait, wait};

  stop_signal = checkpoint_asked = clock_rang = 0;
  handle(SIGINT, on ? on_signal : SIG_DFL);
  handle(SIGTERM, on ? on_signal : SIG_DFL);
  handle(SIGPIPE, on ? SIG_IGN : SIG_DFL); /* a run goes on when who listened to it has gone */
  handle(SIGUSR1, on ? on_wish : SIG_DFL);
  if (on) handle(SIGALRM, on_wish);
  (void)setitimer(ITIMER_REAL, &alarm, NULL);
  if (!on) handle(SIGALRM, SIG_DFL);
}

static PetscErrorCode open_writers(NsRun *run)
{
  int count = 0;

  PetscFunctionBegin;
  while (NsWriterTypes[count]) count++;
  run->writer = NsArenaAlloc(run->arena, sizeof(*run->writer) * (size_t)(count + 1));
  for (int i = 0; i < count; i++) {
    /* after a failure only the one that tells of it; several processes open all of them together */
    const PetscBool useful =
      run->exit == NS_EXIT_DONE || run->model->layout->ranks > 1 || NsWriterTypes[i] == NsWriterManifest ? PETSC_TRUE : PETSC_FALSE;
    if (!useful || !NsWriterTypes[i]->wanted(run)) continue;
    PetscCall(NsWriterCreate(NsWriterTypes[i], run, &run->writer[run->writers]));
    run->writers++; /* now that it is whole and may be closed */
  }
  PetscFunctionReturn(0);
}

/* Whether a writer takes a step. With several processes they must agree: what goes by the clock was settled in take_counsel. */
static PetscBool is_due(const NsRun *run, const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  if (writer->type->by_clock && run->model->layout->ranks > 1) return last || step == 0 || step == run->clock_due ? PETSC_TRUE : PETSC_FALSE;
  return writer->type->due(writer, step, last);
}

/* The whole state on the first process. */
static PetscErrorCode collect(const NsRun *run, NsSnapshot *snapshot)
{
  const Vec here[2] = {run->state.q, run->state.v}, whole[2] = {run->whole_q, run->whole_v};

  PetscFunctionBegin;
  for (int i = 0; i < 2 && (run->whole_q || run->model->layout->ranks > 1); i++) {
    const PetscScalar *x;
    PetscScalar       *all = NULL;
    PetscCall(VecGetArrayRead(here[i], &x));
    if (whole[i]) PetscCall(VecGetArray(whole[i], &all));
    PetscCall(NsLayoutCollect(run->model->layout, x, all));
    if (whole[i]) PetscCall(VecRestoreArray(whole[i], &all));
    PetscCall(VecRestoreArrayRead(here[i], &x));
  }
  if (!run->writes) PetscFunctionReturn(0);
  snapshot->whole_q = run->whole_q ? run->whole_q : run->state.q;
  snapshot->whole_v = run->whole_v ? run->whole_v : run->state.v;
  PetscFunctionReturn(0);
}

/* Closes the ledger for the writers. Where nobody but the clock asks for it, nothing may follow from it: runs are to repeat. */
static PetscErrorCode close_ledger(NsRun *run, PetscInt64 step, PetscBool by_clock)
{
  const PetscReal most = run->ledger.numerical_max;

  PetscFunctionBegin;
  if (!by_clock) {
    PetscCall(NsGuardEnergy(run, step));
    PetscFunctionReturn(0);
  }
  PetscCall(NsLedgerClose(&run->ledger, run->model, &run->state));
  run->ledger.numerical_max = most;
  PetscFunctionReturn(0);
}

/* Offers a state to the writers, but one that the guard finds wanting only as the last, and one with numbers that are none not at all. `again`: it was offered before as one of many
   and now turns out to be the last. */
static PetscErrorCode offer(NsRun *run, PetscInt64 step, PetscBool last, PetscBool again)
{
  NsContact *contact  = run->contact;
  NsSnapshot snapshot = {.step = step,
    .state                     = run->state,
    .contact                   = contact->report,
    .before                    = contact->last_report,
    .nears                     = contact->nears,
    .near                      = contact->near,
    .ledger                    = &run->ledger,
    .first                     = step == 0,
    .last                      = last,
    .again                     = again};
  PetscBool  energy = PETSC_FALSE, by_clock = last ? PETSC_FALSE : PETSC_TRUE, state = PETSC_FALSE, contacts = PETSC_FALSE, any = last, looks = last;
  double     start;

  PetscFunctionBegin;
  for (int i = 0; i < run->writers; i++) {
    const NsWriterType *type = run->writer[i]->type;
    run->writer[i]->takes    = is_due(run, run->writer[i], step, last);
    if (!run->writer[i]->takes) continue;
    any    = PETSC_TRUE;
    looks  = looks || !type->reports_alone ? PETSC_TRUE : PETSC_FALSE;
    energy = energy || type->needs_energy ? PETSC_TRUE : PETSC_FALSE;
    if (type->needs_energy && !type->by_clock) by_clock = PETSC_FALSE;
    state = state || type->needs_state ? PETSC_TRUE : PETSC_FALSE;
    if (type->needs_contacts) contacts = contacts || type->needs_contacts(run->writer[i], step, last) ? PETSC_TRUE : PETSC_FALSE;
  }
  if (!any) PetscFunctionReturn(0); /* most steps: not even the time is asked for */
  start = NsSeconds();
  if (looks) PetscCall(NsSchemeComplete(run->scheme, &run->state));
  if (contacts) PetscCall(NsContactComplete(contact, &run->state));
  if (energy || last) PetscCall(close_ledger(run, step, by_clock));
  if ((state || last) && !run->guard.stop) PetscCall(NsGuardFinite(run, step)); /* writers of rows look at their own numbers: NsGuardRow */
  if (run->guard.broken || (run->guard.stop && !last)) PetscFunctionReturn(0);
  if (state) PetscCall(collect(run, &snapshot));
  for (int i = 0; i < run->writers && !run->guard.broken; i++) {
    const NsWriterType *type = run->writer[i]->type;
    if (!run->writer[i]->takes) continue;
    if (again && !type->sums && is_due(run, run->writer[i], step, PETSC_FALSE)) continue;
    PetscCall(type->write(run->writer[i], &snapshot));
  }
  run->writing_seconds += NsSeconds() - start;
  PetscFunctionReturn(0);
}

/* Looking at every unknown each step costs a few per cent of it; each 16th is soon enough to stop a run. Then, too, several processes tell each other of signals,
   failures and the clock: between, none may act on what the others do not know. */
#define NS_LOOK_EVERY 16

enum { STOP_INTERRUPTED = 1, STOP_TERMINATED = 2, STOP_FAILED = 4, CLOCK_DUE = 8, STOP_LATE = 16, CHECKPOINT_DUE = 32 };

/* What the clock and SIGUSR1 ask for: run->late, run->checkpoint_due. */
static void look_at_clock(NsRun *run)
{
  const double now = NsSeconds(), every = run->config.output->checkpoints, limit = run->options.wall_limit;

  clock_rang = 0;
  if (limit > 0 && now - run->began > limit) run->late = PETSC_TRUE;
  if (checkpoint_asked || (every > 0 && now - run->checkpoint_at > every)) run->checkpoint_due = PETSC_TRUE;
  checkpoint_asked = 0;
}

/* What one process knows, all know afterwards. */
static PetscErrorCode take_counsel(NsRun *run, PetscInt64 step)
{
  PetscInt flags = stop_signal == SIGINT ? STOP_INTERRUPTED : stop_signal ? STOP_TERMINATED : 0;

  PetscFunctionBegin;
  if (run->exit == NS_EXIT_FAILED) flags |= STOP_FAILED;
  for (int i = 0; i < run->writers && run->writes; i++) {
    if (run->writer[i]->type->by_clock && run->writer[i]->type->due(run->writer[i], step, PETSC_FALSE)) flags |= CLOCK_DUE;
  }
  look_at_clock(run);
  if (run->late) flags |= STOP_LATE;
  if (run->checkpoint_due) flags |= CHECKPOINT_DUE;
  PetscCall(NsLayoutAgree(run->model->layout, &flags));
  run->late           = flags & STOP_LATE ? PETSC_TRUE : PETSC_FALSE;
  run->checkpoint_due = flags & CHECKPOINT_DUE ? PETSC_TRUE : PETSC_FALSE;
  if (flags & STOP_INTERRUPTED)
    stop_signal = SIGINT;
  else if (flags & STOP_TERMINATED)
    stop_signal = SIGTERM;
  if (flags & STOP_FAILED) NsRunFail(run, "another process failed");
  if (flags & CLOCK_DUE) run->clock_due = step;
  PetscFunctionReturn(0);
}

PetscReal NsRunEndSlack(const NsRun *run)
{
  return run->scheme->type->adapts ? 1e-12 * run->config.time->end : 1e-6 * run->step;
}

static PetscBool is_last(const NsRun *run, PetscInt64 step)
{
  const PetscBool varies = run->scheme->type->varies;

  return varies ? run->state.t >= run->config.time->end - NsRunEndSlack(run) : step >= run->steps;
}

PetscReal NsRunStepLength(const NsRun *run)
{
  const PetscReal left = run->config.time->end - run->state.t;

  return run->scheme->type->adapts && left > 0 && left < run->step - NsRunEndSlack(run) ? left : run->step;
}

void NsRunKeepTime(NsRun *run, PetscInt64 step)
{
  if (!run->scheme->type->varies)
    run->state.t = NsRunTime(run, step);
  else if (run->scheme->type->adapts && is_last(run, step))
    run->state.t = run->config.time->end;
}

static PetscErrorCode write_checkpoint(NsRun *run, PetscInt64 step)
{
  const double start = NsSeconds();

  PetscFunctionBegin;
  run->loop_seconds = start - run->loop_began;
  PetscCall(NsCheckpointWrite(run, step));
  run->checkpoint_due = PETSC_FALSE;
  run->checkpoint_at  = NsSeconds();
  run->writing_seconds += run->checkpoint_at - start;
  PetscFunctionReturn(0);
}

/* A run that is told to stop ends with a checkpoint of this step, and its state as the last one. */
static PetscErrorCode stop(NsRun *run, PetscInt64 step)
{
  char why[64];

  PetscFunctionBegin;
  PetscCall(write_checkpoint(run, step));
  if (run->exit == NS_EXIT_DONE) {
    run->exit = NS_EXIT_STOPPED;
    if (stop_signal)
      PetscCall(PetscSNPrintf(why, sizeof(why), "by signal %s", stop_signal == SIGINT ? "SIGINT" : "SIGTERM"));
    else
      (void)snprintf(why, sizeof(why), "by the wall limit of %g s", run->options.wall_limit); /* PETSc's would say 1. s */
    PetscCall(PetscSNPrintf(run->failure, sizeof(run->failure), "stopped %s at t = %.9g s, step %lld%s; --resume goes on from there", why,
      (double)run->state.t, (long long)step, run->scheme->type->varies ? "" : NsArenaPrint(run->arena, " of %lld", (long long)run->steps)));
  }
  PetscCall(offer(run, step, PETSC_TRUE, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* The step that follows `done` cannot be done: the state is that before it, and is kept, in a checkpoint, too. */
static PetscErrorCode give_up(NsRun *run, PetscInt64 done, const NsStepOutcome *outcome)
{
  PetscFunctionBegin;
  PetscCall(NsGuardFinite(run, done)); /* numbers that are none cannot be solved for: name the cause */
  if (run->exit == NS_EXIT_DONE) PetscCall(write_checkpoint(run, done));
  NsRunFail(run, "step %lld at t = %.9g s: %s%s", (long long)done + 1, run->state.t, outcome->reason, NsGuardHint(run));
  PetscCall(offer(run, done, PETSC_TRUE, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* How a run goes on after a step, and what its state is worth where it does not. */
typedef enum {
  GO_ON,
  END_GOOD,     /* by a signal, a failed write or a step that cannot be done: to be written, and to go on from another time */
  END_DOUBTFUL, /* a limit is exceeded: to be written, for who wants to see what happened */
  END_BROKEN    /* numbers that are none: the last good state is what was written before */
} Fate;

/* The one place where that is decided. With several processes the guard finds the same on all; of failures and signals all know at every NS_LOOK_EVERY-th step (`counsel`). */
static Fate fate_of(const NsRun *run, PetscBool counsel)
{
  if (run->guard.broken) return END_BROKEN;
  if (run->guard.stop) return END_DOUBTFUL;
  return run->exit != NS_EXIT_DONE && counsel ? END_GOOD : GO_ON;
}

/* Looks at what the guard looks at, each NS_LOOK_EVERY-th step and where a run is about to end. */
static PetscErrorCode guard_look(NsRun *run, PetscInt64 step)
{
  PetscBool energy;

  PetscFunctionBegin;
  PetscCall(NsGuardLook(run, step, &energy));
  if (energy && !run->guard.stop) PetscCall(NsGuardEnergy(run, step));
  PetscFunctionReturn(0);
}

#define NS_STILL        20000 /* steps in a row: twice what event-driven schemes allow to impacts that accumulate */
#define NS_STILL_MOTION 1e-15 /* of the run */

/* Where a scheme chooses its steps so short that time stands still, the run would not end. */
static PetscBool stands_still(const NsRun *run, PetscReal before, PetscInt *still, NsStepOutcome *outcome)
{
  *still = run->scheme->type->varies && run->state.t - before < NS_STILL_MOTION * run->config.time->end ? *still + 1 : 0;
  if (*still < NS_STILL) return PETSC_FALSE;
  (void)snprintf(outcome->reason, sizeof(outcome->reason),
    "time stands still: %d steps in a row were shorter than %g of the run; something turns or swings faster than can be followed", NS_STILL,
    NS_STILL_MOTION);
  return PETSC_TRUE;
}

static PetscErrorCode step_to_end(NsRun *run)
{
  const PetscBool alone = run->model->layout->ranks == 1 ? PETSC_TRUE : PETSC_FALSE;
  Fate            fate  = run->exit == NS_EXIT_DONE ? GO_ON : END_GOOD;
  PetscInt        still = 0;
  NsStepOutcome   outcome;

  PetscFunctionBegin;
  for (PetscInt64 step = run->steps_done + 1; !is_last(run, step - 1) && fate == GO_ON; step++) {
    const PetscReal before = run->state.t;
    PetscCall(NsSchemeStep(run->scheme, &run->state, NsRunStepLength(run), &outcome));
    if (!outcome.done) {
      PetscCall(give_up(run, step - 1, &outcome));
      break;
    }
    NsRunKeepTime(run, step);
    const PetscBool last = is_last(run, step), look = last || step % NS_LOOK_EVERY == 0 ? PETSC_TRUE : PETSC_FALSE;
    run->steps_done = step;
    run->impulsive_steps += outcome.impulsive;
    run->short_steps += run->scheme->type->varies && !run->scheme->type->adapts && run->state.t - before < 0.99 * run->step;
    PetscCall(NsGuardContacts(run, step));
    if (!alone && look)
      PetscCall(take_counsel(run, step));
    else if (alone && (clock_rang || checkpoint_asked))
      look_at_clock(run);
    const PetscBool agreed = alone || look ? PETSC_TRUE : PETSC_FALSE,
                    told   = agreed && !last && (stop_signal || run->late) ? PETSC_TRUE : PETSC_FALSE;
    if (last) PetscCall(NsSchemeComplete(run->scheme, &run->state));
    if (look && !run->guard.stop)
      PetscCall(guard_look(run, step));
    else if (told && !run->guard.stop)
      PetscCall(NsGuardFinite(run, step)); /* leaves no trace: who resumes the run is to find what one that was never stopped has */
    fate = fate_of(run, agreed);
    if (fate == END_GOOD) break; /* writing failed, maybe on another process */
    PetscCall(offer(run, step, last || fate != GO_ON, PETSC_FALSE));
    if (fate == GO_ON) {
      fate = fate_of(run, alone); /* what was offered may have been found wanting, or failed to be written */
      if (fate == END_DOUBTFUL && !last) PetscCall(offer(run, step, PETSC_TRUE, PETSC_FALSE));
    }
    if (fate != GO_ON || last) continue;
    if (stands_still(run, before, &still, &outcome)) {
      PetscCall(give_up(run, step, &outcome));
      break;
    }
    if (told) {
      PetscCall(stop(run, step));
      break;
    }
    if (agreed && run->checkpoint_due) {
      PetscCall(NsGuardFinite(run, step)); /* what cannot be gone on from would take the place of what can */
      if (!run->guard.broken) PetscCall(write_checkpoint(run, step));
      fate = fate_of(run, alone);
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunExecute(NsRun *run)
{
  PetscInt failed = 0;

  PetscFunctionBegin;
  if (run->writes && !NsDirectoryMake(run->directory)) {
    NsRunFail(run, "cannot make the directory %.800s%s: %s", run->directory, strlen(run->directory) > 800 ? "..." : "", strerror(errno));
    failed = 1;
  } else if (run->writes && !NsDirectoryLock(run->directory, &run->lock)) {
    NsRunFail(run, "another run writes into %s", run->directory);
    failed = 1;
  }
  PetscCall(NsLayoutAgree(run->model->layout, &failed));
  if (failed) {
    run->exit = NS_EXIT_FAILED;
    PetscFunctionReturn(0);
  }
  NsLastWords(NsWritersLastWords, run); /* now that the directory is its own */
  PetscCall(NsLedgerOpen(&run->ledger, run->model, &run->state));
  PetscCall(NsGuardCreate(run));
  PetscCall(NsGuardStart(run));
  PetscCall(NsContactBeginStep(run->contact));
  PetscCall(NsContactEndStep(run->contact, &run->state));
  PetscCall(NsSchemeStart(run->scheme, &run->state));
  if (!run->checkpoints) PetscCall(NsCheckpointsCreate(run));
  catch_signals(run, PETSC_TRUE);
  PetscCall(open_writers(run));
  run->loop_began = run->checkpoint_at = NsSeconds();
  if (run->model->layout->ranks > 1) PetscCall(take_counsel(run, 0));
  if (run->exit == NS_EXIT_DONE && run->resumes)
    PetscCall(NsCheckpointRead(run));
  else if (run->exit == NS_EXIT_DONE)
    PetscCall(offer(run, 0, PETSC_FALSE, PETSC_FALSE));
  run->loop_began -= run->loop_seconds;                               /* of the run that is resumed */
  if (run->model->layout->ranks > 1) PetscCall(take_counsel(run, 0)); /* what was offered may have failed to be written */
  PetscCall(step_to_end(run));
  run->loop_seconds = NsSeconds() - run->loop_began;
  PetscCall(NsWritersClose(run));
  NsLastWords(NULL, NULL);
  catch_signals(run, PETSC_FALSE);
  if (run->exit == NS_EXIT_DONE) NsCheckpointsRemove(run);
  PetscFunctionReturn(0);
}
