/*
  The first circular orbit (circular.c). Turning loads: Newton's method from rest, which for a linear model without contact is its response, then from the end of a simulation with the scheme of the
  config. Without loads that turn: from the end of a simulation to time.end, whose whirl has the speed omega = v'S q/|S q|^2. Contacts that penetrate are closed and those in tension
  opened, again and again until neither occurs.
*/
#include <math.h>
#include "orbit.h"

#define NS_TRIES  8
#define NS_PHASES 8
#define NS_PIECES 50   /* of the simulated time, after which the user may stop it */
#define NS_SLOW   1e-9 /* rad of turning over the simulated time: less is not a whirl */

static PetscBool some_closed(const NsOrbitSystem *system, const NsOrbit *orbit)
{
  PetscBool closed = PETSC_FALSE;

  for (PetscInt i = 0; i < system->contacts; i++) closed = closed || orbit->first[i] != NS_ORBIT_OPEN;
  return closed;
}

/* Newton's method from this orbit; *found NULL: it found no orbit, and *orbit is its last iterate. */
static PetscErrorCode try_from(NsOrbitBranch *branch, PetscReal p, NsOrbit *orbit, NsOrbitPoint **found, const char **why)
{
  NsOrbitSystem *system = branch->system;
  NsOrbitPoint  *point;
  PetscInt       iterations;
  PetscReal     *x1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(system->states, &x1));
  for (PetscInt k = 0; k < NS_TRIES && !*found; k++) {
    PetscCall(NsOrbitScale(branch, orbit));
    PetscCall(NsOrbitCorrect(branch, orbit, p, NULL, &point, &iterations));
    PetscCall(NsOrbitBranchSystem(branch, p, &system, why));
    if (!point) break;
    PetscCall(NsOrbitScale(branch, point->orbit)); /* the state of rest gave no scale */
    PetscCall(NsOrbitCorrect(branch, point->orbit, p, NULL, &point, &iterations));
    PetscCall(NsOrbitBranchSystem(branch, p, &system, why));
    if (!point) break;
    PetscCall(NsOrbitExamine(branch, point));
    if (point->confirmed) *found = point;
    NsOrbit next = *orbit;
    PetscCall(NsOrbitCircleFly(system, point->orbit->T, point->orbit->x0, point->orbit->first, branch->arena, &next, x1));
    PetscCall(NsOrbitCircleShrink(system, &next));
    if (k && !some_closed(system, &next)) break; /* that was tried first */
    *orbit = next;
  }
  PetscCall(PetscFree(x1));
  PetscFunctionReturn(0);
}

/* The same, and then with the circle turned relative to the loads: near a critical speed contact changes the phase. */
static PetscErrorCode try_around(NsOrbitBranch *branch, PetscReal p, NsOrbit *orbit, NsOrbitPoint **found, const char **why)
{
  PetscFunctionBegin;
  PetscCall(try_from(branch, p, orbit, found, why));
  for (PetscInt k = 1; k < NS_PHASES && !*found && !*why && branch->system->contacts; k++) {
    NsOrbit *turned = NsOrbitCopy(branch->system, orbit, branch->arena);
    NsOrbitCircleTurn(branch->system, 2 * PETSC_PI * (PetscReal)k / NS_PHASES, turned);
    PetscCall(try_from(branch, p, turned, found, why));
  }
  PetscFunctionReturn(0);
}

/* x[states + ...] at the end of a simulation; *why: it fails, or was stopped. */
static PetscErrorCode simulate(NsOrbitBranch *branch, NsOrbitSystem *system, PetscReal length, PetscInt pieces, PetscReal *x, const char **why)
{
  PetscReal *x1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(system->m, &x1));
  PetscCall(PetscArraycpy(x, system->start, system->states));
  for (PetscInt k = 0; k < pieces && !*why; k++) {
    PetscCall(NsOrbitSimulate(system, (PetscReal)k * length, length, x, x1, NULL, NULL, why));
    PetscCall(PetscArraycpy(x, x1, system->states));
    if (branch->stop && branch->stop()) *why = "stopped before an orbit was found";
  }
  PetscCall(PetscFree(x1));
  PetscFunctionReturn(0);
}

static PetscErrorCode start_orbit(NsOrbitBranch *branch, const NsOrbitSystem *system, NsOrbit *orbit)
{
  PetscFunctionBegin;
  *orbit = (NsOrbit){.times = 1,
    .T                      = system->period,
    .sense                  = system->sense,
    .x0                     = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)system->states),
    .first                  = NsArenaAlloc(branch->arena, (size_t)system->contacts + 1),
    .step                   = NsArenaAlloc(branch->arena, sizeof(NsOrbitStep)),
    .theta                  = NsArenaAlloc(branch->arena, sizeof(PetscReal))};
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSearchCircle(NsOrbitBranch *branch, PetscReal p, PetscInt times, PetscInt periods, NsOrbitPoint **found, const char **why)
{
  NsOrbitSystem *system = branch->system;
  NsOrbit        orbit;
  PetscReal     *x, *x1, omega = 0;
  PetscBool      holds;

  PetscFunctionBegin;
  *found = NULL;
  if (times > 1) {
    *why = "a circular orbit has the period of one turn: leave out `times`";
    PetscFunctionReturn(0);
  }
  if (system->period > 0) {
    PetscCall(start_orbit(branch, system, &orbit));
    PetscCall(try_around(branch, p, &orbit, found, why));
  }
  system = branch->system;
  if (!*found && !*why) {
    const PetscReal length = system->period > 0 ? system->period : branch->span / NS_PIECES;
    PetscCall(PetscMalloc2(system->states, &x, system->states, &x1));
    PetscCall(simulate(branch, system, length, system->period > 0 ? periods : NS_PIECES, x, why));
    if (!*why && !(system->period > 0)) {
      PetscCall(NsOrbitCircleSpeed(system, x, &omega));
      if (!(PetscAbsReal(omega) * branch->span > NS_SLOW)) *why = "there is no whirl at time.end: give an initial velocity, or increase time.end";
    }
    if (!*why) {
      const PetscReal T = system->period > 0 ? system->period : 2 * PETSC_PI / PetscAbsReal(omega);
      PetscCall(NsOrbitCircleFly(system, T, x, NULL, branch->arena, &orbit, x1));
      orbit.times = 1;
      orbit.phase = 0;
      orbit.sense = system->period > 0 ? system->sense : omega < 0 ? -1 : 1;
      PetscCall(try_around(branch, p, &orbit, found, why));
    }
    PetscCall(PetscFree2(x, x1));
  }
  if (!*found) {
    if (!*why) *why = "no circular orbit was found: begin the range of a branch where no contact is closed, or simulate more (settle, time.end)";
    PetscFunctionReturn(0);
  }
  PetscCall(NsOrbitCircleHolds(branch->system, (*found)->orbit, &holds));
  if (!holds) *why = "its orbit is not circular: loads, supports, bearings or surfaces are not isotropic about the axis; leave out `circular`";
  if (!holds) *found = NULL;
  PetscFunctionReturn(0);
}
