/*
  The time loop: step, look at what came of it, offer it to the writers; until the end, a signal or a failure.

  Nothing here or below allocates once the writers are open.
*/
#include <errno.h>
#include <math.h>
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

static const char *limit_hint(const NsRun *run)
{
  return run->step > run->step_limit && !run->scheme->type->bounded ? "; the step is above the stability limit" : "";
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

/* Offers a state to the writers. `again`: it was offered before as one of many and now turns out to be the last. */
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
  PetscBool  energy = last, glance = PETSC_FALSE, state = PETSC_FALSE, contacts = PETSC_FALSE, any = last, looks = last;
  double     start;

  PetscFunctionBegin;
  for (int i = 0; i < run->writers; i++) {
    const NsWriterType *type = run->writer[i]->type;
    run->writer[i]->takes    = is_due(run, run->writer[i], step, last);
    if (!run->writer[i]->takes) continue;
    any    = PETSC_TRUE;
    looks  = looks || !type->reports_alone ? PETSC_TRUE : PETSC_FALSE;
    energy = energy || (type->needs_energy && !type->by_clock) ? PETSC_TRUE : PETSC_FALSE;
    glance = glance || (type->needs_energy && type->by_clock) ? PETSC_TRUE : PETSC_FALSE;
    state  = state || type->needs_state ? PETSC_TRUE : PETSC_FALSE;
    if (type->needs_contacts) contacts = contacts || type->needs_contacts(run->writer[i], step, last) ? PETSC_TRUE : PETSC_FALSE;
  }
  if (!any) PetscFunctionReturn(0); /* most steps: not even the time is asked for */
  start = NsSeconds();
  if (looks) PetscCall(NsSchemeComplete(run->scheme, &run->state));
  if (contacts) PetscCall(NsContactComplete(contact, &run->state));
  if (energy || glance) {
    const PetscReal most = run->ledger.numerical_max;
    PetscCall(NsLedgerClose(&run->ledger, run->model, &run->state));
    if (!energy) run->ledger.numerical_max = most; /* results do not depend on when the clock was looked at */
    if (energy && !isfinite(run->ledger.numerical))
      NsRunFail(run, "the energy is no number any more at t = %.9g s (step %lld)%s", run->state.t, (long long)step, limit_hint(run));
  }
  if (state) PetscCall(collect(run, &snapshot));
  for (int i = 0; i < run->writers; i++) {
    const NsWriterType *type = run->writer[i]->type;
    if (!run->writer[i]->takes) continue;
    if (again && !type->sums && is_due(run, run->writer[i], step, PETSC_FALSE)) continue;
    PetscCall(type->write(run->writer[i], &snapshot));
  }
  run->writing_seconds += NsSeconds() - start;
  PetscFunctionReturn(0);
}

/* Not-a-number anywhere in the velocity: the natural number of the first such unknown here, -1 if there is none. A sum costs less than a norm and is not-a-number alike. */
static PetscErrorCode find_no_number(const NsRun *run, PetscInt *unknown)
{
  const NsLayout    *layout = run->model->layout;
  const PetscScalar *v;
  PetscReal          sum = 0;

  PetscFunctionBegin;
  *unknown = -1;
  PetscCall(VecGetArrayRead(run->state.v, &v));
  for (PetscInt i = 0; i < layout->local; i++) sum += v[i];
  for (PetscInt i = 0; i < layout->local && !isfinite(sum); i++) {
    if (!NsLayoutOwns(layout, i) || isfinite(v[i])) continue;
    const PetscInt natural = NsLayoutNatural(layout, i);
    if (*unknown < 0 || natural < *unknown) *unknown = natural;
  }
  PetscCall(VecRestoreArrayRead(run->state.v, &v));
  PetscFunctionReturn(0);
}

/* Ends the run where a velocity is no number; names the time and the first such unknown. */
static PetscErrorCode check_finite(NsRun *run, PetscInt64 step)
{
  PetscInt unknown;
  char     name[256];

  PetscFunctionBegin;
  PetscCall(find_no_number(run, &unknown));
  if (run->model->layout->ranks > 1) { /* the first of all, as if there were one process */
    PetscReal first = unknown < 0 ? -PETSC_MAX_REAL : -(PetscReal)unknown;
    PetscCall(NsLayoutMax(run->model->layout, &first));
    unknown = first == -PETSC_MAX_REAL ? -1 : (PetscInt)-first;
  }
  if (unknown < 0) PetscFunctionReturn(0);
  PetscCall(run->model->ops->name_unknown(run->model, unknown, name, sizeof(name)));
  NsRunFail(run, "not a number at t = %.9g s (step %lld): velocity of %s%s", run->state.t, (long long)step, name, limit_hint(run));
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
      PetscCall(PetscSNPrintf(why, sizeof(why), "by the wall limit of %g s", run->options.wall_limit));
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
  PetscCall(check_finite(run, done)); /* numbers that are none cannot be solved for: name the cause */
  if (run->exit == NS_EXIT_DONE) PetscCall(write_checkpoint(run, done));
  NsRunFail(run, "step %lld at t = %.9g s: %s%s", (long long)done + 1, run->state.t, outcome->reason, limit_hint(run));
  PetscCall(offer(run, done, PETSC_TRUE, PETSC_TRUE));
  PetscFunctionReturn(0);
}

static PetscErrorCode step_to_end(NsRun *run)
{
  const PetscBool alone = run->model->layout->ranks == 1 ? PETSC_TRUE : PETSC_FALSE;
  PetscBool       over  = run->exit != NS_EXIT_DONE;
  NsStepOutcome   outcome;

  PetscFunctionBegin;
  for (PetscInt64 step = run->steps_done + 1; !is_last(run, step - 1) && !over; step++) {
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
    for (PetscInt k = 0; k < run->contact->nears; k++) {
      const PetscInt  i    = run->contact->near[k];
      const PetscReal gap  = run->contact->report[i].gap;
      run->max_penetration = PetscMax(run->max_penetration, run->model->candidate[i].bilateral ? PetscAbsReal(gap) : -gap);
    }
    if (!alone && look)
      PetscCall(take_counsel(run, step));
    else if (alone && (clock_rang || checkpoint_asked))
      look_at_clock(run);
    const PetscBool agreed = alone || look ? PETSC_TRUE : PETSC_FALSE,
                    told   = agreed && !last && (stop_signal || run->late) ? PETSC_TRUE : PETSC_FALSE;
    if (last) PetscCall(NsSchemeComplete(run->scheme, &run->state));
    if (look || told) PetscCall(check_finite(run, step));
    over = run->exit != NS_EXIT_DONE && agreed ? PETSC_TRUE : PETSC_FALSE;
    if (over) break;
    PetscCall(offer(run, step, last, PETSC_FALSE));
    over = run->exit != NS_EXIT_DONE && alone ? PETSC_TRUE : PETSC_FALSE;
    if (over || last) continue;
    if (told) {
      PetscCall(stop(run, step));
      break;
    }
    if (agreed && run->checkpoint_due) PetscCall(write_checkpoint(run, step));
    over = run->exit != NS_EXIT_DONE && alone ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunExecute(NsRun *run)
{
  PetscInt failed = 0;

  PetscFunctionBegin;
  if (run->writes && !NsDirectoryMake(run->directory)) {
    NsRunFail(run, "cannot make the directory %s: %s", run->directory, strerror(errno));
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
