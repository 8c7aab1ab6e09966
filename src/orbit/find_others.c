/*
  Other orbits at the same value of the parameter: the search of find.c from initial states spread around the first orbit, as far from it as some times the size of each state. The numbers come from a hash, so
  that a search finds the same orbits each time. Two orbits are the same if periods, ranges of all states and the largest multiplier are.
*/
#include <math.h>
#include "orbit.h"

#define NS_SPREAD 2.0 /* times 1, 3, 9 in turn */
#define NS_SAME   1e-4
#define NS_LOOKS  400

/* -1 .. 1, number k of start `start` (splitmix64). */
static PetscReal spread(PetscInt start, PetscInt k)
{
  unsigned long long z = (unsigned long long)start * 1000003ULL + (unsigned long long)k + 0x9e3779b97f4a7c15ULL;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return 2 * (PetscReal)(z >> 11) / 9007199254740992.0 - 1;
}

/* Least and largest value of each state. */
typedef struct {
  PetscInt   states;
  PetscReal *low, *high;
} Range;

static void look_at_range(void *context, const NsOrbitMoment *moment)
{
  Range *range = context;

  for (PetscInt i = 0; i < range->states; i++) {
    range->low[i]  = PetscMin(range->low[i], moment->x[i]);
    range->high[i] = PetscMax(range->high[i], moment->x[i]);
  }
}

static PetscErrorCode find_range(NsOrbitSystem *system, const NsOrbit *orbit, NsArena *arena, Range *range)
{
  PetscFunctionBegin;
  range->states = system->states;
  range->low    = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)(system->states + 1));
  range->high   = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)(system->states + 1));
  for (PetscInt i = 0; i < system->states; i++) {
    range->low[i]  = PETSC_MAX_REAL;
    range->high[i] = -PETSC_MAX_REAL;
  }
  PetscCall(NsOrbitTrace(system, orbit, NS_LOOKS, look_at_range, range));
  PetscFunctionReturn(0);
}

static PetscReal largest_multiplier(const NsOrbitPoint *point, PetscInt n)
{
  return n ? hypot(point->re[0], point->im[0]) : 0;
}

static PetscBool is_same(const NsOrbitPoint *a, const Range *x, const NsOrbitPoint *b, const Range *y, const PetscReal *size)
{
  PetscReal off = PetscAbsReal(a->orbit->T / b->orbit->T - 1);

  for (PetscInt i = 0; i < x->states; i++)
    off = PetscMax(off, PetscMax(PetscAbsReal(x->low[i] - y->low[i]), PetscAbsReal(x->high[i] - y->high[i])) / size[i]);
  off = PetscMax(off, PetscAbsReal(largest_multiplier(a, x->states) - largest_multiplier(b, x->states)));
  return off < NS_SAME;
}

PetscErrorCode NsOrbitSearchOthers(
  NsOrbitBranch *branch, PetscReal p, PetscInt times, PetscInt periods, PetscInt starts, NsOrbitPoint **found, PetscInt *count)
{
  NsOrbitSystem *system;
  NsOrbitPoint  *point;
  PetscReal     *size, *original;
  Range         *range = NsArenaAlloc(branch->arena, sizeof(*range) * (size_t)(starts + 1));
  const char    *why;

  PetscFunctionBegin;
  PetscCall(NsOrbitBranchSystem(branch, p, &system, &why));
  const PetscInt n = system->states;
  PetscCall(PetscMalloc2(n, &size, n, &original));
  PetscCall(PetscArraycpy(original, system->start, n));
  PetscCall(NsOrbitSizes(system, found[0]->orbit, size));
  PetscCall(find_range(system, found[0]->orbit, branch->arena, &range[0]));
  *count = 1;
  for (PetscInt k = 1; k <= starts && !(branch->stop && branch->stop()); k++) {
    PetscBool known = PETSC_FALSE;
    PetscCall(NsOrbitBranchSystem(branch, p, &system, &why));
    const PetscReal far = NS_SPREAD * (k % 3 == 1 ? 1 : k % 3 == 2 ? 3 : 9);
    for (PetscInt i = 0; i < n; i++) system->start[i] = found[0]->orbit->x0[i] + far * size[i] * spread(k, i);
    PetscCall(NsOrbitSearch(branch, p, times, periods, &point, &why));
    PetscCall(NsOrbitBranchSystem(branch, p, &system, &why));
    if (!point) continue;
    PetscCall(find_range(system, point->orbit, branch->arena, &range[*count]));
    for (PetscInt i = 0; i < *count; i++) known = known || is_same(found[i], &range[i], point, &range[*count], size);
    if (!known) found[(*count)++] = point;
  }
  PetscCall(PetscArraycpy(system->start, original, n));
  PetscCall(NsOrbitScale(branch, found[0]->orbit));
  PetscCall(PetscFree2(size, original));
  PetscFunctionReturn(0);
}
