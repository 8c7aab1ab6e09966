/* Cost of a step, measured over some steps before a run: for `percuss check`. */
#include <math.h>
#include "private.h"

enum { MOST_STEPS = 2000, STEPS_OF_ONE_TIME = 10, STEPS_OF_ONE_LENGTH = 100 };
#define NS_LONGEST 3.0 /* s: a step that takes longer is not waited for */

/* What the steps are stopped by: the solves and solvers of contact (one process). */
typedef struct {
  NsTrial  *trial;
  double    began; /* NsSeconds() of the present step */
  PetscBool alone;
} Patience;

static PetscBool is_over(void *data)
{
  Patience *patience = data;

  if (NsSeconds() - patience->began > NS_LONGEST) patience->trial->stopped = PETSC_TRUE;
  return patience->trial->stopped;
}

/* Preparations of more than some seconds are foretold, and left out where steps can be stopped. */
static PetscBool are_left_out(void *data, PetscInt solves, double seconds)
{
  Patience *patience = data;

  patience->trial->solves = PetscMax(patience->trial->solves, solves);
  patience->trial->preparation += seconds;
  return !patience->alone;
}

static double two_digits(double x)
{
  const double unit = x > 100 ? pow(10, floor(log10(x)) - 1) : 1;

  return unit * round(x / unit);
}

/* A second, or so many: a hundred explicit steps are cheap; others are slow to grow from a sudden load. */
static PetscInt64 steps_at_most(const NsRun *run)
{
  const NsSchemeType *type = run->scheme->type;

  if (type->bounded) return MOST_STEPS;
  return type->adapts ? STEPS_OF_ONE_LENGTH : PetscMin(run->steps, STEPS_OF_ONE_LENGTH);
}

static PetscBool touches(const NsRun *run)
{
  const NsContactReport *report = NsContactReports(run->contact);
  const PetscInt        *active, actives = NsContactActive(run->contact, &active);

  for (PetscInt k = 0; k < actives; k++) {
    if (report[active[k]].state != NS_OPEN || report[active[k]].impulse[0] != 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* seconds: the median of times, for others use the machine, too. steps: as if they went on as the second half of these. */
static PetscErrorCode try_steps(NsRun *run, NsState *state, Patience *patience)
{
  NsTrial         *trial  = patience->trial;
  const PetscBool  adapts = run->scheme->type->adapts;
  const PetscReal  end    = run->config.time->end;
  const PetscInt64 most   = steps_at_most(run);
  NsStepOutcome    outcome;
  PetscInt64       done = 0, halfway = 0;
  PetscReal        t_halfway = 0, taken[MOST_STEPS / STEPS_OF_ONE_TIME];
  PetscInt         over, times = 0;
  const double     start = NsSeconds();
  double           last  = start;

  PetscFunctionBegin;
  do {
    patience->began = NsSeconds();
    PetscCall(NsSchemeStep(run->scheme, state, run->step, &outcome));
    trial->measured = trial->measured || outcome.done;
    trial->touched  = trial->touched || touches(run);
    done++;
    if (done % STEPS_OF_ONE_TIME == 0) {
      const double now = NsSeconds();
      taken[times++]   = (now - last) / STEPS_OF_ONE_TIME;
      last             = now;
    }
    if (2 * done <= most) {
      halfway   = done;
      t_halfway = state->t;
    }
    over = !outcome.done || done >= most || state->t >= end - NsRunEndSlack(run) || NsSeconds() - start >= 1;
    PetscCall(NsLayoutAgree(run->model->layout, &over)); /* clocks differ */
  } while (!over);
  PetscCall(PetscSortReal(times, taken));
  trial->seconds = times ? taken[times / 2] : (NsSeconds() - start) / (double)done;
  trial->steps   = (double)run->steps;
  if (adapts && state->t >= end - NsRunEndSlack(run))
    trial->steps = (double)done;
  else if (adapts && done > halfway && state->t > t_halfway)
    trial->steps = PetscMax(trial->steps, two_digits((double)(done - halfway) * (end - t_halfway) / (state->t - t_halfway)));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunTrySteps(NsRun *run, NsTrial *trial)
{
  NsState         state    = {run->state.t, NULL, NULL};
  const PetscBool alone    = run->model->layout->ranks == 1;
  Patience        patience = {trial, NsSeconds(), alone};

  PetscFunctionBegin;
  *trial               = (NsTrial){.measured = PETSC_FALSE};
  run->model->patience = (NsPatience){are_left_out, alone ? is_over : NULL, &patience};
  if (alone) NsContactStopBy(run->contact, is_over, &patience);
  PetscCall(VecDuplicate(run->state.q, &state.q));
  PetscCall(VecDuplicate(run->state.v, &state.v));
  PetscCall(VecCopy(run->state.q, state.q));
  PetscCall(VecCopy(run->state.v, state.v));
  PetscCall(NsSchemeStart(run->scheme, &state));
  PetscCall(try_steps(run, &state, &patience));
  PetscCall(VecDestroy(&state.q));
  PetscCall(VecDestroy(&state.v));
  NsContactStopBy(run->contact, NULL, NULL);
  run->model->patience = (NsPatience){NULL, NULL, NULL};
  PetscFunctionReturn(0);
}
