/* The first orbit: a simulation over some periods, then Newton's method on its last sequence, until a simulation confirms what it finds. */
#include <string.h>
#include "orbit.h"

#define NS_TRIES 5

PetscErrorCode NsOrbitSettle(NsOrbitBranch *branch, NsOrbitSystem *system, PetscReal T, PetscInt periods, PetscReal *x, const char **why)
{
  PetscReal *x1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(system->states, &x1));
  for (PetscInt k = 0; k < periods && !*why; k++) {
    NsArena *arena = NsArenaCreate();
    NsOrbit  orbit = {.times = 1};
    PetscCall(NsOrbitFly(system, 0, T, x, NULL, arena, &orbit, x1, why));
    PetscCall(PetscArraycpy(x, x1, system->states));
    if (!*why) PetscCall(NsOrbitTurnBack(system, 0, system->start, x));
    if (*why) *why = NsArenaPrint(system->arena, "%s", *why);
    NsArenaDestroy(&arena);
    if (branch->stop && branch->stop()) *why = "stopped before an orbit was found";
  }
  PetscCall(PetscFree(x1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitAttempt(NsOrbitBranch *branch, PetscReal p, NsOrbit *orbit, NsOrbitSystem **system, NsOrbitPoint **point, const char **why)
{
  PetscInt iterations;

  PetscFunctionBegin;
  PetscCall(NsOrbitMoveStart(*system, orbit, branch->arena));
  PetscCall(NsOrbitScale(branch, orbit));
  PetscCall(NsOrbitCorrect(branch, orbit, p, NULL, point, &iterations));
  PetscCall(NsOrbitBranchSystem(branch, p, system, why));
  if (!*point) PetscFunctionReturn(0);
  PetscCall(NsOrbitScale(branch, (*point)->orbit));
  PetscCall(NsOrbitExamine(branch, *point));
  if ((*point)->confirmed || !(*system)->run) PetscFunctionReturn(0);
  *why =
    "a contact opens or closes where the orbit begins, and the model is nonlinear: multipliers cannot be computed by finite differences there. Shift the phases of the loads";
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSearch(NsOrbitBranch *branch, PetscReal p, PetscInt times, PetscInt periods, NsOrbitPoint **found, const char **why)
{
  NsOrbitSystem *system;
  PetscReal     *x, *x1;

  PetscFunctionBegin;
  *found = NULL;
  PetscCall(NsOrbitBranchSystem(branch, p, &system, why));
  if (!system) PetscFunctionReturn(0);
  if (system->circle) {
    PetscCall(NsOrbitSearchCircle(branch, p, times, periods, found, why));
    PetscFunctionReturn(0);
  }
  if (!(system->period > 0) && times > 1) *why = "this model has no periodic load, so that there are no periods of the forcing to count (times)";
  if (!(system->period > 0) && !*why) PetscCall(NsOrbitSearchFree(branch, p, found, why));
  if (!(system->period > 0)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(system->states, &x, system->states, &x1));
  PetscCall(PetscArraycpy(x, system->start, system->states));
  for (PetscInt try = 0; try < NS_TRIES && !*found && !*why; try++) {
    NsOrbit       orbit = {.times = times, .phase = 0};
    NsOrbitPoint *point;
    PetscCall(NsOrbitSettle(branch, system, times * system->period, try ? 10 : periods, x, why));
    if (*why) break;
    PetscCall(NsOrbitFly(system, 0, times * system->period, x, NULL, branch->arena, &orbit, x1, why));
    for (PetscInt again = 0; again < 3 && !*found && !*why; again++) {
      PetscCall(NsOrbitAttempt(branch, p, &orbit, &system, &point, why));
      if (point && point->confirmed) *found = point;
      if (!point || *found || *why) break;
      const PetscReal phase = point->orbit->phase;
      PetscCall(
        NsOrbitFly(system, NsOrbitBegins(system, point->orbit), times * system->period, point->orbit->x0, NULL, branch->arena, &orbit, x1, why));
      orbit.phase = phase;
    }
  }
  if (!*found && !*why)
    *why = NsArenaPrint(branch->arena,
      "no orbit of %d %s of the forcing was found from %d simulated periods: simulate more (settle), or try another number of periods (times)",
      (int)times, times == 1 ? "period" : "periods", (int)periods);
  PetscCall(PetscFree2(x, x1));
  PetscFunctionReturn(0);
}
