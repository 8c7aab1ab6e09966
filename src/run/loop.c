/*
  The time loop: a state machine of named actions, each of which chooses the next one.

      step         one step of the scheme                            -> examine, or give up
      examine      checks by the guard and by the other processes    -> write, write last, or end
      write        the state to the writers that are due             -> step, checkpoint, stop, give up, keep, write last, or end
      keep         a checkpoint of the state of the end, from which a run with a later end continues              -> judge, or end
      judge        the checks of the end                                                                          -> write last
      write last   the state to all writers, as the last record      -> end
      checkpoint                                                     -> step, or end
      stop         a signal or the wall limit: a checkpoint, and the state as the last record                      -> end
      give up      the next step cannot be done: the same of the state before it, and the run has failed           -> end

  A state with NaN or Inf is not written: the last good one is what was written before. A state that exceeds a limit is written for inspection, but it is
  not one to resume from. Nothing here or below allocates once the writers are open.
*/
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "checkpoint.h"
#include "fe/fe.h"
#include "output/settings.h"

/* Checking every unknown in each step would cost a few per cent of it; each 16th step is early enough to stop a run. In these steps several processes also exchange signals, failures and the clock:
   in between, a process must not act on information that the others do not have. */
#define NS_LOOK_EVERY 16

#define NS_UNDERFLOW_STEPS 20000 /* in a row: twice what event-driven schemes allow to impacts that accumulate */
#define NS_UNDERFLOW       1e-15 /* of the run */

static volatile sig_atomic_t stop_signal = 0, checkpoint_asked = 0, clock_rang = 0;

/* The first signal requests a clean end after the present step; a second one ends the program at once. */
static void on_signal(int number)
{
  stop_signal = number;
  signal(number, SIG_DFL);
}

static void on_request(int number)
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

/* A timer signal five times a second, or as often as checkpoints are due, triggers reading the clock: reading it at every step would cost a per cent of short steps, and reading
   it after a number of steps would be late for long ones. */
static void catch_signals(const NsRun *run, PetscBool on)
{
  const double           every = run->config.output->checkpoints, seconds = every > 0 ? PetscMax(PetscMin(0.2, every), 1e-3) : 0.2;
  const struct timeval   wait  = {0, on ? (suseconds_t)(1e6 * seconds) : 0};
  const struct itimerval alarm = {wait, wait};

  stop_signal = checkpoint_asked = clock_rang = 0;
  handle(SIGINT, on ? on_signal : SIG_DFL);
  handle(SIGTERM, on ? on_signal : SIG_DFL);
  handle(SIGPIPE, on ? SIG_IGN : SIG_DFL); /* a run continues if the reader of its output has ended */
  handle(SIGUSR1, on ? on_request : SIG_DFL);
  if (on) handle(SIGALRM, on_request);
  (void)setitimer(ITIMER_REAL, &alarm, NULL);
  if (!on) handle(SIGALRM, SIG_IGN); /* drops a pending signal */
  if (!on) handle(SIGALRM, SIG_DFL);
}

static PetscBool is_alone(const NsRun *run)
{
  return run->model->layout->ranks == 1;
}

static PetscBool has_failed(const NsRun *run)
{
  return run->sink.failure[0] != 0;
}

/* ---- the state for writers and guard -------------------------------------------------------------------------------------------------------------------- */

/* All of it, also what the scheme has left out. */
static PetscErrorCode complete_state(NsRun *run)
{
  PetscFunctionBegin;
  if (!run->completed) PetscCall(NsSchemeComplete(run->scheme, &run->state));
  run->completed = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Closes the ledger at this step, once, and has the guard judge it. */
static PetscErrorCode close_ledger(NsRun *run, PetscInt64 step)
{
  PetscFunctionBegin;
  if (run->ledger_step == step) PetscFunctionReturn(0);
  run->ledger_step = step;
  PetscCall(complete_state(run));
  PetscCall(NsLedgerClose(&run->ledger, run->model, &run->state));
  PetscCall(NsGuardEnergy(run, step));
  PetscFunctionReturn(0);
}

/* The ledger for a record that is due only by the clock: nothing in the run may depend on it, so that runs are repeatable. */
static PetscErrorCode peek_ledger(NsRun *run)
{
  const PetscReal most = run->ledger.numerical_max;

  PetscFunctionBegin;
  PetscCall(NsLedgerClose(&run->ledger, run->model, &run->state));
  run->ledger.numerical_max = most;
  PetscFunctionReturn(0);
}

/* The whole state on the first process. */
static PetscErrorCode collect(const NsRun *run, NsSnapshot *snapshot)
{
  const Vec here[2] = {run->state.q, run->state.v}, whole[2] = {run->whole_q, run->whole_v};

  PetscFunctionBegin;
  for (int i = 0; i < 2 && (run->whole_q || !is_alone(run)); i++) {
    PetscCall(NsLayoutCollect(run->model->layout, NsVecRead(here[i]), whole[i] ? NsVecArray(whole[i]) : NULL));
  }
  if (!run->sink.writes) PetscFunctionReturn(0);
  snapshot->whole_q = run->whole_q ? run->whole_q : run->state.q;
  snapshot->whole_v = run->whole_v ? run->whole_v : run->state.v;
  PetscFunctionReturn(0);
}

/* Accelerations, on the first process also of all unknowns. */
static PetscErrorCode accelerate(NsRun *run, PetscBool whole, NsSnapshot *snapshot)
{
  Vec a = run->acceleration, to = run->whole_acceleration;

  PetscFunctionBegin;
  PetscCall(NsRunAcceleration(run));
  snapshot->acceleration = a;
  if (whole && (run->whole_q || !is_alone(run))) PetscCall(NsLayoutCollect(run->model->layout, NsVecRead(a), to ? NsVecArray(to) : NULL));
  if (whole && run->sink.writes) snapshot->whole_acceleration = to ? to : a;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunWholeState(NsRun *run, const PetscReal **q, const PetscReal **v)
{
  NsSnapshot snapshot;

  PetscFunctionBegin;
  PetscCall(complete_state(run));
  PetscCall(collect(run, &snapshot));
  *q = NsVecRead(snapshot.whole_q);
  *v = NsVecRead(snapshot.whole_v);
  PetscFunctionReturn(0);
}

/* ---- writing ----------------------------------------------------------------------------------------------------------------------------------------------- */

/* How a state is passed to the writers: as one of many; as the last; as the last after it was passed as one of many. */
typedef enum { AS_ONE, AS_LAST, AS_LAST_AGAIN } WriteAs;

/* What the writers need at a step. */
typedef struct {
  PetscBool any, state, whole_state, contacts, energy, acceleration, judged; /* judged: energy not by the clock alone */
} Needs;

/* With several processes they must agree: decisions by the clock are made in sync_flags. */
static PetscBool is_due(const NsRun *run, NsWriter *writer, PetscInt64 step, WriteAs as)
{
  const NsWriterType *type     = writer->type;
  const PetscBool     by_every = writer->every > 0 && step % writer->every == 0;

  if (!type->write) return PETSC_FALSE;
  if (type->due && as == AS_ONE && step > 0) return is_alone(run) ? type->due(writer, step) : step == run->clock_due;
  if (type->due) return PETSC_TRUE;
  if (writer->window && !NsWindowHas(writer->window, run->state.t)) return PETSC_FALSE;
  if (as == AS_LAST_AGAIN && by_every) return PETSC_FALSE; /* it has this record */
  return by_every || (writer->every > 0 && as != AS_ONE);
}

static Needs ask_writers(NsRun *run, PetscInt64 step, WriteAs as)
{
  const PetscBool last  = as != AS_ONE;
  Needs           needs = {.any = last, .state = last, .energy = last, .judged = last};

  for (int i = 0; i < run->writers; i++) {
    NsWriter           *writer = run->writer[i];
    const NsWriterType *type   = writer->type;

    writer->writes_now = is_due(run, writer, step, as);
    if (!writer->writes_now && (!type->observe || as == AS_LAST_AGAIN)) continue;
    needs.any   = PETSC_TRUE;
    needs.state = needs.state || !type->reports_alone;
    if (!writer->writes_now) continue;
    needs.whole_state  = needs.whole_state || type->needs_state;
    needs.contacts     = needs.contacts || type->needs_contacts;
    needs.energy       = needs.energy || type->needs_energy;
    needs.acceleration = needs.acceleration || writer->needs_acceleration;
    needs.judged       = needs.judged || (type->needs_energy && !type->due);
  }
  return needs;
}

static PetscErrorCode give_to_writers(NsRun *run, const NsSnapshot *snapshot, WriteAs as)
{
  PetscFunctionBegin;
  for (int i = 0; i < run->writers && !run->guard.broken; i++) {
    NsWriter *writer = run->writer[i];

    writer->not_finite = PETSC_FALSE;
    if (writer->type->observe && as != AS_LAST_AGAIN) PetscCall(writer->type->observe(writer, snapshot));
    if (writer->writes_now && !writer->not_finite) PetscCall(writer->type->write(writer, snapshot));
    if (writer->not_finite) PetscCall(NsGuardTable(run, snapshot->step, writer->type->csv[0]->file));
  }
  PetscFunctionReturn(0);
}

/* A state that exceeds a limit is written only as the last one, and a state with NaN or Inf not at all. */
static PetscErrorCode write_step(NsRun *run, PetscInt64 step, WriteAs as)
{
  const Needs     needs = ask_writers(run, step, as);
  const PetscInt *active, actives = NsContactActive(run->contact, &active);
  NsSnapshot      snapshot = {.step = step,
         .last_step                 = run->last_step,
         .state                     = run->state,
         .contact                   = NsContactReports(run->contact),
         .before                    = NsContactLastReports(run->contact),
         .actives                   = actives,
         .active                    = active,
         .ledger                    = &run->ledger};

  PetscFunctionBegin;
  if (!needs.any) PetscFunctionReturn(0); /* most steps: no writer is due */
  run->sink.now = NsSeconds();
  if (needs.state) PetscCall(complete_state(run));
  if (needs.contacts) PetscCall(NsContactComplete(run->contact, &run->state));
  if (needs.judged)
    PetscCall(close_ledger(run, step));
  else if (needs.energy)
    PetscCall(peek_ledger(run));
  if ((needs.whole_state || as != AS_ONE) && !run->guard.stop) PetscCall(NsGuardFinite(run, step)); /* writers of rows check their own numbers */
  if (needs.whole_state && as == AS_ONE && !run->guard.stop) PetscCall(NsGuardDeformation(run, step));
  if (run->guard.broken || (run->guard.stop && as == AS_ONE)) PetscFunctionReturn(0);
  if (needs.whole_state) PetscCall(collect(run, &snapshot));
  if (needs.acceleration) PetscCall(accelerate(run, needs.whole_state, &snapshot));
  PetscCall(give_to_writers(run, &snapshot, as));
  run->figures.writing_seconds += NsSeconds() - run->sink.now;
  PetscFunctionReturn(0);
}

static PetscErrorCode write_checkpoint(NsRun *run, PetscInt64 step)
{
  const double start = NsSeconds();

  PetscFunctionBegin;
  run->figures.loop_seconds = start - run->loop_began;
  PetscCall(complete_state(run)); /* another run may start from it */
  PetscCall(NsCheckpointWrite(run, step));
  run->checkpoint_due = PETSC_FALSE;
  run->checkpoint_at  = NsSeconds();
  run->figures.writing_seconds += run->checkpoint_at - start;
  PetscFunctionReturn(0);
}

/* ---- requests by the user, the clock and other processes --------------------------------------------------------------------------------------------------- */

enum { STOP_INTERRUPTED = 1, STOP_TERMINATED = 2, STOP_FAILED = 4, CLOCK_DUE = 8, STOP_LATE = 16, CHECKPOINT_DUE = 32 };

/* The clock and SIGUSR1: run->late, run->checkpoint_due. */
static void read_clock(NsRun *run)
{
  const double now = NsSeconds(), every = run->config.output->checkpoints, limit = run->options.wall_limit;

  clock_rang = 0;
  if (limit > 0 && now - run->began > limit) run->late = PETSC_TRUE;
  if (checkpoint_asked || (every > 0 && now - run->checkpoint_at > every)) run->checkpoint_due = PETSC_TRUE;
  checkpoint_asked = 0;
}

/* Whether the current step has to be abandoned because of a signal or the wall limit; called by long contact solves, whose processes agree on the answer. */
static PetscBool is_asked_to_stop(void *data)
{
  NsRun *run = data;

  if (clock_rang) read_clock(run);
  return stop_signal || run->late;
}

/* Shares the flags of each process with all processes. */
static PetscErrorCode sync_flags(NsRun *run, PetscInt64 step)
{
  PetscInt flags = stop_signal == SIGINT ? STOP_INTERRUPTED : stop_signal ? STOP_TERMINATED : 0;

  PetscFunctionBegin;
  if (has_failed(run)) flags |= STOP_FAILED;
  for (int i = 0; i < run->writers && run->sink.writes; i++) {
    if (run->writer[i]->type->due && run->writer[i]->type->due(run->writer[i], step)) flags |= CLOCK_DUE;
  }
  read_clock(run);
  if (run->late) flags |= STOP_LATE;
  if (run->checkpoint_due) flags |= CHECKPOINT_DUE;
  PetscCall(NsLayoutAgree(run->model->layout, &flags));
  run->late           = (flags & STOP_LATE) != 0;
  run->checkpoint_due = (flags & CHECKPOINT_DUE) != 0;
  if (flags & STOP_INTERRUPTED)
    stop_signal = SIGINT;
  else if (flags & STOP_TERMINATED)
    stop_signal = SIGTERM;
  if (flags & STOP_FAILED) NsSinkFail(&run->sink, "another process failed");
  if (flags & CLOCK_DUE) run->clock_due = step;
  PetscFunctionReturn(0);
}

/* ---- the machine ------------------------------------------------------------------------------------------------------------------------------------------- */

typedef enum { STEP, EXAMINE, WRITE, KEEP, JUDGE, WRITE_LAST, CHECKPOINT, STOP, GIVE_UP, END } Action;

typedef struct {
  NsRun        *run;
  PetscInt64    step;     /* of the state */
  PetscReal     before;   /* s: time of the state before */
  PetscBool     last;     /* the state is that of the end */
  PetscBool     written;  /* and has been given to the writers as one of many */
  PetscBool     cut;      /* the next step is shortened to meet the end, and was not before */
  PetscBool     agreed;   /* all processes have the same information about signals and failures at this step */
  PetscBool     stop_due; /* by a signal or the wall limit */
  PetscInt      stalled;  /* steps in a row that were too short */
  NsStepOutcome outcome;
} Loop;

static PetscErrorCode take_step(Loop *loop, Action *next)
{
  NsRun *run = loop->run;

  PetscFunctionBegin;
  loop->before = run->state.t;
  PetscCall(NsRunStep(run, &loop->outcome));
  loop->step = run->figures.steps;
  if (!loop->outcome.done && !is_alone(run)) PetscCall(sync_flags(run, loop->step)); /* the process that was asked to stop may be another one */
  *next = loop->outcome.done ? EXAMINE : stop_signal || run->late ? STOP : GIVE_UP;
  PetscFunctionReturn(0);
}

/* Whether the energy is checked at this step, and deformations are not. */
static PetscBool waits_for_recovery(const NsModel *model, PetscInt64 number)
{
  return NsModelIsReduced(model) && number % NS_ENERGY_EVERY == 0 && number % (NS_RARELY * NS_ENERGY_EVERY) != 0 && (number & (number - 1)) != 0;
}

/* Velocities, spins, energy and deformations, each NS_LOOK_EVERY-th step and at the end. */
static PetscErrorCode guard_motion(NsRun *run, PetscInt64 number, PetscBool last)
{
  PetscBool energy;

  PetscFunctionBegin;
  PetscCall(NsGuardCheck(run, number, &energy));
  if (energy && !run->guard.stop) PetscCall(close_ledger(run, number));
  if (!(energy || last) || run->guard.stop || (!last && waits_for_recovery(run->model, number))) PetscFunctionReturn(0);
  PetscCall(complete_state(run));
  PetscCall(NsGuardDeformation(run, number));
  PetscFunctionReturn(0);
}

static PetscErrorCode examine(Loop *loop, Action *next)
{
  NsRun *run = loop->run;

  PetscFunctionBegin;
  loop->last           = NsRunIsAtEnd(run);
  const PetscBool look = loop->last || loop->step % NS_LOOK_EVERY == 0;
  loop->agreed         = is_alone(run) || look;
  PetscCall(NsGuardContacts(run, loop->step, loop->before));
  if (!is_alone(run) && look)
    PetscCall(sync_flags(run, loop->step));
  else if (is_alone(run) && (clock_rang || checkpoint_asked))
    read_clock(run);
  loop->stop_due = loop->agreed && !loop->last && (stop_signal || run->late);
  if (loop->step % NS_LOOK_EVERY == 0 && !run->guard.stop)
    PetscCall(guard_motion(run, loop->step, PETSC_FALSE));
  else if ((loop->last || loop->stop_due) && !run->guard.stop)
    PetscCall(NsGuardFinite(run, loop->step)); /* leaves no trace: a resumed run must be the same as an uninterrupted one */
  if (run->guard.broken || (loop->agreed && has_failed(run) && !run->guard.stop))
    *next = END; /* NaN or Inf; or writing failed, maybe on another process */
  else
    *next = run->guard.stop ? WRITE_LAST : WRITE;
  PetscFunctionReturn(0);
}

/* Where a scheme chooses ever shorter steps, the run would not end. */
static PetscBool underflows(Loop *loop)
{
  const NsRun *run = loop->run;

  loop->stalled = run->scheme->type->varies && run->state.t - loop->before < NS_UNDERFLOW * run->config.time->end ? loop->stalled + 1 : 0;
  if (loop->stalled < NS_UNDERFLOW_STEPS) return PETSC_FALSE;
  (void)snprintf(loop->outcome.reason, sizeof(loop->outcome.reason),
    "time step underflow: %d steps in a row were shorter than %g of the simulated time; some rotation or vibration is too fast to be resolved",
    NS_UNDERFLOW_STEPS, NS_UNDERFLOW);
  return PETSC_TRUE;
}

/* Schemes that adapt shorten their last step, or several, to meet the end. A run with a later end would not: it continues from before them. Found once. */
static PetscBool is_cut_next(Loop *loop)
{
  const NsRun *run = loop->run;

  if (loop->cut || !run->scheme->type->adapts || !(NsRunStepLength(run) < run->step)) return PETSC_FALSE;
  loop->cut = PETSC_TRUE;
  return PETSC_TRUE;
}

/* A single process acts at once on errors found by the guard and the writers. */
static PetscBool has_to_end(const NsRun *run)
{
  return run->guard.broken || (is_alone(run) && has_failed(run));
}

static PetscErrorCode write_state(Loop *loop, Action *next)
{
  NsRun *run = loop->run;

  PetscFunctionBegin;
  PetscCall(write_step(run, loop->step, AS_ONE));
  if (run->guard.stop && !run->guard.broken)
    *next = WRITE_LAST; /* the energy exceeds its limit: nothing was written yet */
  else if (has_to_end(run))
    *next = END;
  else if (underflows(loop))
    *next = GIVE_UP;
  else if (loop->stop_due)
    *next = STOP;
  else if (loop->last)
    *next = KEEP;
  else
    *next = (loop->agreed && run->checkpoint_due && !loop->cut) || is_cut_next(loop) ? CHECKPOINT : STEP;
  PetscFunctionReturn(0);
}

/* Nothing before depends on this being the end: a run with a later end continues from here, and is the same as one that had that end at once. */
static PetscErrorCode keep(Loop *loop, Action *next)
{
  NsRun *run = loop->run;

  PetscFunctionBegin;
  PetscCall(NsGuardFinite(run, loop->step));
  if (!run->guard.broken) PetscCall(write_checkpoint(run, loop->step));
  loop->written = PETSC_TRUE;
  *next         = has_to_end(run) ? END : JUDGE;
  PetscFunctionReturn(0);
}

static PetscErrorCode judge(Loop *loop, Action *next)
{
  NsRun *run = loop->run;

  PetscFunctionBegin;
  PetscCall(complete_state(run));
  PetscCall(guard_motion(run, loop->step, PETSC_TRUE));
  if (!run->guard.stop && !run->guard.broken) PetscCall(close_ledger(run, loop->step));
  if (run->guard.stop || run->guard.broken) NsCheckpointsDropNewest(run);
  *next = run->guard.broken ? END : WRITE_LAST;
  PetscFunctionReturn(0);
}

static PetscErrorCode write_last(Loop *loop, Action *next)
{
  PetscFunctionBegin;
  PetscCall(write_step(loop->run, loop->step, loop->written ? AS_LAST_AGAIN : AS_LAST));
  *next = END;
  PetscFunctionReturn(0);
}

static PetscErrorCode checkpoint(Loop *loop, Action *next)
{
  NsRun *run = loop->run;

  PetscFunctionBegin;
  PetscCall(NsGuardFinite(run, loop->step)); /* an invalid state must not replace a valid checkpoint */
  if (!run->guard.broken) PetscCall(write_checkpoint(run, loop->step));
  *next = has_to_end(run) ? END : STEP;
  PetscFunctionReturn(0);
}

static PetscErrorCode stop(Loop *loop, Action *next)
{
  NsRun *run = loop->run;
  char   why[64], of[32] = "";

  PetscFunctionBegin;
  PetscCall(write_checkpoint(run, loop->step));
  if (stop_signal)
    (void)snprintf(why, sizeof(why), "by signal %s", stop_signal == SIGINT ? "SIGINT" : "SIGTERM");
  else
    (void)snprintf(why, sizeof(why), "by the wall limit of %g s", run->options.wall_limit);
  if (!run->scheme->type->varies) (void)snprintf(of, sizeof(of), " of %lld", (long long)run->steps);
  (void)snprintf(run->stopped, sizeof(run->stopped), "stopped %s at t = %.9g s, step %lld%s; --resume continues from there", why, run->state.t,
    (long long)loop->step, of);
  PetscCall(write_step(run, loop->step, AS_LAST_AGAIN));
  *next = END;
  PetscFunctionReturn(0);
}

/* The step after the state cannot be done. */
static PetscErrorCode give_up(Loop *loop, Action *next)
{
  NsRun *run = loop->run;

  PetscFunctionBegin;
  PetscCall(NsGuardFinite(run, loop->step)); /* NaN and Inf cannot be solved for: name the cause */
  if (!has_failed(run)) PetscCall(write_checkpoint(run, loop->step));
  NsSinkFail(&run->sink, "step %lld at t = %.9g s: %s%s", (long long)loop->step + 1, run->state.t, loop->outcome.reason, NsGuardHint(run));
  PetscCall(write_step(run, loop->step, AS_LAST_AGAIN));
  *next = END;
  PetscFunctionReturn(0);
}

static PetscErrorCode step_to_end(NsRun *run)
{
  static PetscErrorCode (*const actions[])(Loop *, Action *) = {[STEP] = take_step,
    [EXAMINE]                                                          = examine,
    [WRITE]                                                            = write_state,
    [KEEP]                                                             = keep,
    [JUDGE]                                                            = judge,
    [WRITE_LAST]                                                       = write_last,
    [CHECKPOINT]                                                       = checkpoint,
    [STOP]                                                             = stop,
    [GIVE_UP]                                                          = give_up};
  Loop   loop                                                = {.run = run, .step = run->figures.steps};
  Action action                                              = STEP;

  PetscFunctionBegin;
  loop.last = loop.written = run->sink.resumes && NsRunIsAtEnd(run); /* it was killed after it had kept its last state */
  if (loop.last)
    action = JUDGE;
  else if (is_cut_next(&loop))
    action = CHECKPOINT;
  if (has_failed(run)) action = END;
  while (action != END) PetscCall(actions[action](&loop, &action));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunExecute(NsRun *run)
{
  PetscFunctionBegin;
  PetscCall(NsRunOpenDirectory(run));
  if (has_failed(run)) PetscFunctionReturn(0);
  PetscCall(NsRunStart(run));
  PetscCall(NsGuardCreate(run));
  PetscCall(NsGuardStart(run));
  run->ledger_step = -1;
  if (!run->checkpoints) PetscCall(NsCheckpointsCreate(run));
  catch_signals(run, PETSC_TRUE);
  if (run->contact) NsContactStopBy(run->contact, is_asked_to_stop, run);
  run->sink.now = NsSeconds();
  PetscCall(NsRunOpenWriters(run));
  for (int i = 0; i < run->writers; i++) {
    if (run->writer[i]->needs_acceleration) PetscCall(NsRunAccelerationCreate(run));
  }
  run->loop_began = run->checkpoint_at = NsSeconds();
  if (!is_alone(run)) PetscCall(sync_flags(run, 0));
  if (!has_failed(run) && run->sink.resumes)
    PetscCall(NsCheckpointRead(run));
  else if (!has_failed(run))
    PetscCall(write_step(run, 0, AS_ONE));
  run->loop_began -= run->figures.loop_seconds;      /* of the run that is resumed */
  if (!is_alone(run)) PetscCall(sync_flags(run, 0)); /* writing may have failed */
  PetscCall(step_to_end(run));
  run->figures.loop_seconds = NsSeconds() - run->loop_began;
  PetscCall(NsRunCloseResults(run));
  catch_signals(run, PETSC_FALSE);
  if (run->contact) NsContactStopBy(run->contact, NULL, NULL);
  PetscFunctionReturn(0);
}
