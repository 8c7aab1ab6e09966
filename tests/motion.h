/*
  Positions of a motion at some times, and how far two motions are apart: shared by a test and a benchmark of accuracy.
*/
#pragma once
#include <math.h>
#include "run/private.h"

enum { MOTION_TIMES = 30, MOTION_MOST = 64 };

typedef struct {
  double     at[MOTION_TIMES][MOTION_MOST];
  PetscInt   count; /* of coordinates */
  PetscInt64 tried; /* steps, those taken again included */
} Motion;

/* All coordinates, or those of a journal. */
static inline PetscErrorCode motion_look(const NsRun *run, const NsStation *journal, double *x)
{
  const PetscScalar *q;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(run->state.q, &q));
  for (PetscInt i = 0; i < (journal ? 2 : run->model->unknowns); i++) x[i] = journal ? NsProbeColumnSum(&journal->lateral[i], 0, q, NULL) : q[i];
  PetscCall(VecRestoreArrayRead(run->state.q, &q));
  PetscFunctionReturn(0);
}

/*
  Steps of a run that is ready to step, to `end`. Those of one length end at the times, or beside them, where positions are taken from the straight line; chosen ones are cut
  there. *failed: NULL, or why a step failed (static).
*/
static inline PetscErrorCode motion_follow(NsRun *run, const NsStation *journal, double end, Motion *motion, const char **failed)
{
  static NsStepOutcome outcome;
  NsCounter            counter[NS_COUNTERS];
  PetscInt64           steps = 0;

  PetscFunctionBegin;
  *failed       = NULL;
  motion->count = journal ? 2 : run->model->unknowns;
  for (int i = 0; i < MOTION_TIMES; i++) {
    const double t    = end * (i + 1) / MOTION_TIMES;
    double       from = run->state.t, before[MOTION_MOST], after[MOTION_MOST];
    PetscCall(motion_look(run, journal, before));
    while (run->state.t < t - 1e-9 * end) {
      from = run->state.t;
      PetscCall(motion_look(run, journal, before));
      PetscCall(NsSchemeStep(run->scheme, &run->state, run->scheme->type->adapts ? fmin(run->step, t - run->state.t) : run->step, &outcome));
      if (!outcome.done) {
        *failed = outcome.reason;
        PetscFunctionReturn(0);
      }
      steps++;
      if (!run->scheme->type->varies) run->state.t = NsRunTime(run, steps);
    }
    PetscCall(motion_look(run, journal, after));
    const double part = run->state.t > from ? (t - from) / (run->state.t - from) : 1;
    for (PetscInt k = 0; k < motion->count; k++) motion->at[i][k] = before[k] + part * (after[k] - before[k]);
  }
  motion->tried = steps;
  if (run->scheme->type->count && run->scheme->type->count(run->scheme, counter)) motion->tried = counter[0].value;
  PetscFunctionReturn(0);
}

/* A ball from 1 m with e = 1/2: flights of 2 e^k v/g. */
static inline void motion_of_ball(double end, Motion *motion)
{
  const double g = 9.81, first = sqrt(2 / g);

  motion->count = 1;
  for (int i = 0; i < MOTION_TIMES; i++) {
    double t = end * (i + 1) / MOTION_TIMES, v = g * first;
    if (t <= first) {
      motion->at[i][0] = 1 - g / 2 * t * t;
      continue;
    }
    for (t -= first, v /= 2; t > 2 * v / g; v /= 2) t -= 2 * v / g;
    motion->at[i][0] = v * t - g / 2 * t * t;
  }
}

/* Root mean square over the times of all coordinates, and the largest of the second motion. */
static inline double motion_distance(const Motion *a, const Motion *b, double *largest)
{
  double sum = 0;

  *largest = 0;
  for (int i = 0; i < MOTION_TIMES; i++) {
    for (PetscInt k = 0; k < b->count; k++) {
      sum += pow(a->at[i][k] - b->at[i][k], 2);
      *largest = fmax(*largest, fabs(b->at[i][k]));
    }
  }
  return sqrt(sum / MOTION_TIMES);
}
