/*
  The first orbit of an autonomous model: self-excited oscillation, whose period is unknown.

  The model is simulated over the time of the config, then over a part of it again. Backwards from the end x_e of this part the distance |x(t) - x_e|, with the states over their magnitude, rises and falls;
  the first sufficiently small local minimum is one period before x_e. Newton's method then has the period as one more unknown, with the condition that the start moves across the motion only.
*/
#include <math.h>
#include "orbit.h"

#define NS_NEAR   0.15 /* of the largest distance: a minimum below it is a return */
#define NS_AGAIN  4    /* sequences tried */
#define NS_PIECES 50   /* of the simulated time, because a flight has a limited number of events */

static PetscReal distance(const NsOrbitTrack *track, PetscInt k, const PetscReal *size)
{
  const PetscReal *x = track->x + k * track->states, *end = track->x + (track->count - 1) * track->states;
  PetscReal        sum = 0;

  for (PetscInt i = 0; i < track->states; i++) sum += PetscSqr((x[i] - end[i]) / size[i]);
  return PetscSqrtReal(sum);
}

/* Moves all moments by full turns near the last one. */
static PetscErrorCode turn_back(NsOrbitSystem *system, const NsOrbitTrack *track)
{
  const PetscReal *end = track->x + (track->count - 1) * track->states;

  PetscFunctionBegin;
  for (PetscInt k = 0; k + 1 < track->count; k++) PetscCall(NsOrbitTurnBack(system, 0, end, track->x + k * track->states));
  PetscFunctionReturn(0);
}

/* How long before the end the motion was there last; 0: never, or it rests. */
static PetscReal find_return(const NsOrbitTrack *track, const PetscReal *size)
{
  PetscReal largest = 0, peak = 0;

  for (PetscInt k = 0; k < track->count; k++) largest = PetscMax(largest, distance(track, k, size));
  if (!(largest > 1e-6)) return 0;
  for (PetscInt k = track->count - 2; k > 0; k--) {
    const PetscReal here = distance(track, k, size);
    peak                 = PetscMax(peak, here);
    if (peak > 3 * NS_NEAR * largest && here < NS_NEAR * largest && here <= distance(track, k - 1, size) && here <= distance(track, k + 1, size))
      return track->t[track->count - 1] - track->t[k];
  }
  return 0;
}

/* The motion over a part of the time, at its end x, and the period seen in it. */
static PetscErrorCode watch(NsOrbitBranch *branch, NsOrbitSystem *system, PetscReal *x, PetscReal *T, const char **why)
{
  NsArena     *arena = NsArenaCreate();
  NsOrbit      orbit = {.times = 1};
  NsOrbitTrack track = {.states = system->states, .arena = arena};
  PetscReal   *size, *x1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(system->states, &size, system->states, &x1));
  for (PetscReal length = branch->span / 4; length > 1e-5 * branch->span; length /= 2) { /* as long as events allow */
    PetscCall(NsOrbitFly(system, 0, length, x, NULL, arena, &orbit, x1, why));
    if (!*why) break;
  }
  if (!*why) {
    PetscCall(NsOrbitSizes(system, &orbit, size));
    PetscCall(NsOrbitTrace(system, &orbit, 4000, NsOrbitKeepMoment, &track));
    PetscCall(turn_back(system, &track));
    *T = find_return(&track, size);
    PetscCall(PetscArraycpy(x, x1, system->states));
    PetscCall(NsOrbitTurnBack(system, 0, system->start, x));
    if (!(*T > 0))
      *why = "it has no periodic load, and up to time.end it does not settle on an oscillation by itself: add a periodic load, or increase time.end";
  } else
    *why = NsArenaPrint(system->arena, "%s", *why);
  PetscCall(PetscFree2(size, x1));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSearchFree(NsOrbitBranch *branch, PetscReal p, NsOrbitPoint **found, const char **why)
{
  NsOrbitSystem *system = branch->system;
  NsOrbit        orbit  = {.times = 1};
  PetscReal     *x, *x1, T = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(system->states, &x, system->states, &x1));
  PetscCall(PetscArraycpy(x, system->start, system->states));
  PetscCall(NsOrbitSettle(branch, system, branch->span / NS_PIECES, NS_PIECES, x, why));
  if (!*why) PetscCall(watch(branch, system, x, &T, why));
  if (!*why) PetscCall(NsOrbitFly(system, 0, T, x, NULL, branch->arena, &orbit, x1, why));
  for (PetscInt k = 0; k < NS_AGAIN && !*found && !*why; k++) {
    NsOrbitPoint *point;
    PetscCall(NsOrbitAttempt(branch, p, &orbit, &system, &point, why));
    if (point && point->confirmed) *found = point;
    if (!point || *found || *why) break;
    PetscCall(NsOrbitFly(system, 0, point->orbit->T, point->orbit->x0, NULL, branch->arena, &orbit, x1, why));
  }
  if (!*found && !*why)
    *why =
      NsArenaPrint(branch->arena, "it has no periodic load, and no orbit was found near its motion with a period of %.6g s: increase time.end", T);
  PetscCall(PetscFree2(x, x1));
  PetscFunctionReturn(0);
}
