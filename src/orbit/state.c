/* The state of an orbit at the beginning of the forcing, from which a run starts (start: {from: ...}). */
#include <math.h>
#include <string.h>
#include "orbit.h"
#include "scheme/modal_step.h"

/* x[states] at the next whole period of the forcing; without forcing x0. */
static PetscErrorCode at_beginning(NsOrbitSystem *system, const NsOrbit *orbit, NsArena *arena, PetscReal *x, const char **why)
{
  const PetscReal rest = ceil(orbit->phase) - orbit->phase;
  NsOrbit         flown;

  PetscFunctionBegin;
  *why = NULL;
  if (!(system->period > 0) || rest < 1e-12)
    PetscCall(PetscArraycpy(x, orbit->x0, system->states));
  else
    PetscCall(NsOrbitFly(system, NsOrbitBegins(system, orbit), rest * system->period, orbit->x0, orbit->first, arena, &flown, x, why));
  PetscFunctionReturn(0);
}

/* Phi eta: of coordinates, and of their rates. */
static void expand(const NsReduced *reduced, const PetscReal *eta, PetscReal *x)
{
  memset(x, 0, sizeof(*x) * (size_t)reduced->unknowns);
  for (PetscInt k = 0; k < reduced->modes; k++) {
    for (PetscInt i = 0; i < reduced->unknowns; i++) x[i] += reduced->shape[(size_t)k * (size_t)reduced->unknowns + (size_t)i] * eta[k];
  }
}

PetscErrorCode NsOrbitStartState(NsRun *run, NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *q, PetscReal *v, PetscBool *known)
{
  NsArena        *arena = NsRunArena(run);
  const PetscInt  n = system->states / 2, unknowns = NsRunModel(run)->unknowns;
  const PetscBool modal = !strcmp(NsRunScheme(run)->type->variant.name, "modal");
  PetscReal      *x     = NsArenaAlloc(arena, sizeof(*x) * (size_t)(system->states + 1));
  const char     *why;

  PetscFunctionBegin;
  *known = PETSC_FALSE;
  if (modal ? n != ((const NsModal *)NsRunScheme(run)->data)->reduced.modes : n != unknowns) PetscFunctionReturn(0);
  PetscCall(at_beginning(system, orbit, arena, x, &why));
  if (why) PetscFunctionReturn(0);
  if (modal) {
    const NsReduced *reduced = &((const NsModal *)NsRunScheme(run)->data)->reduced;
    expand(reduced, x, q);
    expand(reduced, x + n, v);
  } else {
    PetscCall(PetscArraycpy(q, x, n));
    PetscCall(PetscArraycpy(v, x + n, n));
  }
  *known = PETSC_TRUE;
  PetscFunctionReturn(0);
}
