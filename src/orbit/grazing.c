/*
  Grazing and sliding of simulated orbits: points of a branch where the events of the simulation change.

  Simulated orbits have no fixed sequence of events: a branch goes through these points, where its map has a square root (grazing) or a kink (sliding). The point is where orbits on both sides have
  different events, located by bisection on the arc length, with Newton's method at every point (its finite differences use motions with the events of the orbit alone, see simulate.c). Where it does
  not converge, the point counts as one beyond. If Newton's method fails along the branch where the smallest gap of an open contact is below NS_TOUCH, the branch ends at a grazing point.
*/
#include <petscvec.h>
#include "orbit.h"

#define NS_HALVINGS 40
#define NS_TOUCH    1e-6 /* of the largest gap of a contact over the orbit: a contact with a smaller minimum grazes */
#define NS_WIDTH    1e-9 /* of the range: how far apart points on both sides may be */

/* The first contact with another number of these events; -1: none. */
static PetscInt differs(const NsOrbitSystem *system, const NsOrbitPoint *a, const NsOrbitPoint *b, NsOrbitKind kind)
{
  for (PetscInt i = 0; i < system->candidates; i++) {
    if (a->seen[i * NS_ORBIT_KINDS + (PetscInt)kind] != b->seen[i * NS_ORBIT_KINDS + (PetscInt)kind]) return i;
  }
  return -1;
}

/* Whether b has other events than a: which kind of point is between them, and of which contact. */
static PetscBool compare(const NsOrbitSystem *system, const NsOrbitPoint *a, const NsOrbitPoint *b, NsBifurcationKind *kind, PetscInt *contact)
{
  *kind    = NS_BIFURCATION_GRAZING;
  *contact = differs(system, a, b, NS_ORBIT_CLOSES);
  if (*contact < 0) {
    *kind    = NS_BIFURCATION_SLIDING;
    *contact = differs(system, a, b, NS_ORBIT_SLIPS);
    if (*contact < 0) *contact = differs(system, a, b, NS_ORBIT_STOPS);
  }
  return *contact >= 0;
}

PetscErrorCode NsOrbitLocateChange(
  NsOrbitBranch *branch, const NsOrbitPoint *a, const NsOrbitPoint *b, NsOrbitPoint **found, NsBifurcationKind *kind, PetscInt *contact)
{
  const PetscReal width = NS_WIDTH * PetscAbsReal(branch->to - branch->from);
  PetscReal       low = 0, high = b->s - a->s, past = b->p;

  PetscFunctionBegin;
  *found = NULL;
  if (!compare(branch->system, a, b, kind, contact)) PetscFunctionReturn(0);
  *found  = NsArenaAlloc(branch->arena, sizeof(**found));
  **found = *a;
  for (int k = 0; k < NS_HALVINGS && PetscAbsReal(past - (*found)->p) > width; k++) {
    const PetscReal   ds = (low + high) / 2;
    NsOrbitPoint     *point;
    PetscInt          iterations, which;
    NsBifurcationKind what;
    PetscCall(NsOrbitStepFrom(branch, a, ds, &point, &iterations));
    if (point) PetscCall(NsOrbitExamine(branch, point));
    if (!point || compare(branch->system, a, point, &what, &which)) {
      high = ds;
      past = point ? point->p : past;
      if (!point) continue;
      *kind    = what;
      *contact = which;
    } else {
      low    = ds;
      *found = point;
    }
  }
  PetscFunctionReturn(0);
}

/* ---- the end of a branch ------------------------------------------------------------------------------------------------------------------------------------------ */

/* The least value of the cubic with these values and rates at both ends of dt, where the rate rises through 0. */
static PetscReal least_of(PetscReal dt, const PetscReal g[2], const PetscReal d[2])
{
  const PetscReal a = dt * (d[0] + d[1]) - 2 * (g[1] - g[0]), b = 3 * (g[1] - g[0]) - dt * (2 * d[0] + d[1]), c = dt * d[0];
  PetscReal       low = 0, high = 1; /* g[0] + c s + b s^2 + a s^3 */

  for (int k = 0; k < 60; k++) {
    const PetscReal s                                 = (low + high) / 2;
    *(c + s * (2 * b + 3 * a * s) < 0 ? &low : &high) = s;
  }
  return g[0] + low * (c + low * (b + a * low));
}

/* The gap of a contact and its rate at moment k. */
static PetscErrorCode gap_at(NsOrbitSystem *system, PetscReal t0, const NsOrbitTrack *all, PetscInt k, PetscInt contact, PetscReal *gaps,
  NsRows *rows, PetscReal *gap, PetscReal *rate)
{
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  const PetscInt n     = model->unknowns;
  PetscReal      u[3];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(NsVecArray(state->q), all->x + k * all->states, n));
  PetscCall(PetscArraycpy(NsVecArray(state->v), all->x + k * all->states + n, n));
  PetscCall(NsModelGap(model, t0 + all->t[k], state->q, gaps));
  PetscCall(NsModelRows(model, t0 + all->t[k], state->q, 1, &contact, rows));
  PetscCall(NsRowsVelocity(model, rows, state->v, u));
  *gap  = gaps[contact];
  *rate = u[0];
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitGrazingAt(NsOrbitBranch *branch, const NsOrbitPoint *point, PetscInt *contact)
{
  NsOrbitSystem  *system = branch->system;
  const NsModel  *model  = NsRunModel(system->run);
  const PetscReal t0     = NsOrbitBegins(system, point->orbit);
  NsOrbitTrack    all    = {.arena = NsArenaCreate(), .states = system->states};
  PetscReal      *gaps;
  NsRows          rows;

  PetscFunctionBegin;
  *contact = -1;
  PetscCall(NsOrbitTrace(system, point->orbit, 200, NsOrbitKeepMoment, &all));
  PetscCall(PetscMalloc1(model->candidates + 1, &gaps));
  PetscCall(NsRowsCreate(model, &rows));
  for (PetscInt i = 0; i < model->candidates && *contact < 0; i++) {
    PetscReal least = PETSC_MAX_REAL, largest = 0, g[2] = {0, 0}, d[2] = {0, 0};
    if (model->candidate[i].bilateral || NsCandidateResists(&model->candidate[i]) || point->seen[i * NS_ORBIT_KINDS + NS_ORBIT_CLOSES] > 0) continue;
    for (PetscInt k = 0; k < all.count; k++) {
      PetscCall(gap_at(system, t0, &all, k, i, gaps, &rows, &g[1], &d[1]));
      largest = PetscMax(largest, g[1]);
      if (k && d[0] < 0 && d[1] > 0) least = PetscMin(least, least_of(all.t[k] - all.t[k - 1], g, d));
      g[0] = g[1];
      d[0] = d[1];
    }
    if (least < NS_TOUCH * largest) *contact = i;
  }
  PetscCall(NsRowsDestroy(&rows));
  PetscCall(PetscFree(gaps));
  NsArenaDestroy(&all.arena);
  PetscFunctionReturn(0);
}
