/*
  Bifurcations between two points of a branch: test functions that change their sign, located by regula falsi (Illinois) on the arc length, every value from a corrected point.

      fold      dp/ds                     flip     det(M + I), multiplier -1        branch point   det(M - I) without a fold
      torus (Neimark-Sacker)              modulus of a complex pair - 1
      grazing   least value of a gap between impacts, or approach velocity of an impact
      sliding   the same of friction forces and slip velocities
      symmetry  a branch point whose orbit is symmetric, x(t + T/2) = -x(t): two branches cross there whose orbits are mirror images of each other
      hopf      a fold of circular orbits of unknown period where the circle is a point: the whirl begins there

  Beyond a grazing or sliding point the sequence is no motion of the model. At grazing the multipliers go to infinity, and det(M + I) changes its sign there: only what has a multiplier at -1
  (1) counts as flip (branch point).
*/
#include <math.h>
#include <string.h>
#include "orbit.h"

const char *const NsBifurcationNames[NS_BIFURCATIONS] = {"fold", "flip", "torus", "branch", "grazing", "sliding", "symmetry", "hopf"};

#define NS_POINT    1e-2 /* of the last circle */
#define NS_CROSSING 1e-6 /* of the step: nearer to a branch point Newton's method converges to the other branch */
#define NS_MIRROR   1e-3 /* of the size of a state */
#define NS_SAME     1e-9 /* of the range: a bifurcation so near to grazing is part of it, such as the fold where two events meet */

typedef struct {
  NsBifurcationKind kind;
  PetscInt          margin;
} Test;

/* The complex pair nearest to the unit circle. */
static PetscInt nearest_pair(const NsOrbitPoint *point, PetscInt n)
{
  PetscInt  best = -1;
  PetscReal off  = PETSC_MAX_REAL;

  for (PetscInt i = 0; i < n; i++) {
    const PetscReal far = PetscAbsReal(hypot(point->re[i], point->im[i]) - 1);
    if (!(point->im[i] > 0) || far >= off) continue;
    off  = far;
    best = i;
  }
  return best;
}

static PetscReal value_of(const Test *test, const NsOrbitPoint *point, PetscInt n)
{
  const PetscInt pair = test->kind == NS_BIFURCATION_TORUS ? nearest_pair(point, n) : -1;

  switch (test->kind) {
  case NS_BIFURCATION_FOLD: return point->fold;
  case NS_BIFURCATION_FLIP: return point->flip;
  case NS_BIFURCATION_BRANCH: return point->branching;
  case NS_BIFURCATION_TORUS: return pair < 0 ? PETSC_MAX_REAL : hypot(point->re[pair], point->im[pair]) - 1;
  default: return point->margin[test->margin].value;
  }
}

/* Whether the test function changes its sign from a to b. */
static PetscBool changes(const Test *test, const NsOrbitPoint *a, const NsOrbitPoint *b, PetscInt n)
{
  const PetscReal before = value_of(test, a, n), after = value_of(test, b, n);

  switch (test->kind) {
  case NS_BIFURCATION_TORUS: return a->pairs != b->pairs && before < PETSC_MAX_REAL && after < PETSC_MAX_REAL && before * after < 0;
  case NS_BIFURCATION_BRANCH: return before * after < 0 && a->fold * b->fold > 0;
  case NS_BIFURCATION_GRAZING: return before > 0 && after <= 0;
  default: return before * after < 0;
  }
}

/* What the test function needs of a corrected point. */
static PetscErrorCode measure(NsOrbitBranch *branch, const Test *test, NsOrbitPoint *point)
{
  PetscFunctionBegin;
  switch (test->kind) {
  case NS_BIFURCATION_FOLD: break;
  case NS_BIFURCATION_FLIP:
    if (branch->system->circle) PetscCall(NsOrbitStability(branch, point));
    PetscCall(NsOrbitFlip(branch, point));
    break;
  case NS_BIFURCATION_BRANCH:
    if (branch->system->circle) PetscCall(NsOrbitStability(branch, point));
    PetscCall(NsOrbitBranching(branch, point));
    break;
  case NS_BIFURCATION_TORUS: PetscCall(NsOrbitStability(branch, point)); break;
  default: PetscCall(NsOrbitFindMargins(branch, point));
  }
  PetscFunctionReturn(0);
}

/* The point where the test function vanishes; *found NULL: a point in between has not converged. */
static PetscErrorCode locate(NsOrbitBranch *branch, const NsOrbitPoint *a, const NsOrbitPoint *b, const Test *test, NsOrbitPoint **found)
{
  const PetscInt n   = branch->system->states;
  PetscReal      low = 0, high = b->s - a->s, below = value_of(test, a, n), above = value_of(test, b, n);
  PetscReal      sign = below < 0 ? -1 : 1, last = -1;
  int            side = 0;

  PetscFunctionBegin;
  *found = NULL;
  for (int k = 0; k < 80 && high - low > 1e-14 * (b->s - a->s); k++) {
    NsOrbitPoint *point;
    PetscInt      iterations;
    PetscReal     ds = (low + high) / 2, value;
    if (PetscAbsReal(below) < 1e300 && PetscAbsReal(above) < 1e300 && below != above && k % 8 != 7)
      ds = (low * above - high * below) / (above - below);
    if (!(ds > low && ds < high)) ds = (low + high) / 2;
    if (PetscAbsReal(ds - last) <= (test->kind == NS_BIFURCATION_BRANCH ? NS_CROSSING : 1e-14) * (b->s - a->s)) break;
    last = ds;
    PetscCall(NsOrbitStepFrom(branch, a, ds, &point, &iterations));
    if (!point) break;
    PetscCall(measure(branch, test, point));
    *found = point;
    value  = value_of(test, point, n);
    if (value == 0) break;
    if (value * sign > 0) {
      low   = ds;
      below = value;
      if (side == 1) above /= 2;
      side = 1;
    } else {
      high  = ds;
      above = value;
      if (side == -1) below /= 2;
      side = -1;
    }
  }
  if (*found) PetscCall(NsOrbitExamine(branch, *found));
  PetscFunctionReturn(0);
}

/* Whether the located point is what its test is for. */
static PetscBool holds(const Test *test, const NsOrbitPoint *point, PetscInt n, PetscBool autonomous, PetscReal *angle)
{
  const PetscReal target = test->kind == NS_BIFURCATION_FLIP ? -1 : 1;
  PetscReal       off = PETSC_MAX_REAL, nearest = PETSC_MAX_REAL;

  *angle = target < 0 ? PETSC_PI : 0;
  if (test->kind == NS_BIFURCATION_FOLD || test->kind == NS_BIFURCATION_GRAZING) return PETSC_TRUE;
  if (test->kind == NS_BIFURCATION_TORUS) {
    const PetscInt pair = nearest_pair(point, n);
    *angle              = pair < 0 ? 0 : atan2(point->im[pair], point->re[pair]);
    return pair >= 0 && PetscAbsReal(hypot(point->re[pair], point->im[pair]) - 1) < 1e-6 && point->im[pair] > 1e-5;
  }
  for (PetscInt i = 0; i < n; i++) { /* of orbits of unknown period one multiplier is always 1 */
    const PetscReal far = hypot(point->re[i] - target, point->im[i]);
    off                 = PetscMin(off, PetscMax(far, nearest));
    nearest             = PetscMin(nearest, far);
  }
  return (autonomous && target > 0 ? off : nearest) < 1e-4;
}

void NsOrbitAddBifurcation(NsOrbitBranch *branch, NsBifurcationKind kind, NsOrbitPoint *point, PetscReal angle, const char *contact)
{
  if (branch->bifurcations == branch->bifurcation_room) {
    NsBifurcation *more = NsArenaAlloc(branch->arena, sizeof(*more) * (size_t)(2 * branch->bifurcation_room + 16));
    if (branch->bifurcations) memcpy(more, branch->bifurcation, sizeof(*more) * (size_t)branch->bifurcations);
    branch->bifurcation      = more;
    branch->bifurcation_room = 2 * branch->bifurcation_room + 16;
  }
  point->mark                                 = NsArenaPrint(branch->arena, "%s_%d", NsBifurcationNames[kind], (int)++branch->named[kind]);
  branch->bifurcation[branch->bifurcations++] = (NsBifurcation){kind, point->mark, branch->curves, angle, contact, point};
}

/* Whether x(t0 + T/2) = -x(t0). */
static PetscErrorCode is_symmetric(NsOrbitBranch *branch, const NsOrbitPoint *point, PetscBool *symmetric)
{
  NsArena       *arena = NsArenaCreate();
  NsOrbit        half  = *point->orbit;
  NsOrbitSystem *system;
  PetscReal     *x1;
  const char    *why;

  PetscFunctionBegin;
  PetscCall(NsOrbitBranchSystem(branch, point->p, &system, &why));
  PetscCall(PetscMalloc1(system->states, &x1));
  PetscCall(
    NsOrbitFly(system, NsOrbitBegins(system, point->orbit), point->orbit->T / 2, point->orbit->x0, point->orbit->first, arena, &half, x1, &why));
  *symmetric = !why && !system->circle;
  for (PetscInt i = 0; i < system->states && *symmetric; i++) *symmetric = PetscAbsReal(x1[i] + point->orbit->x0[i]) <= NS_MIRROR * branch->size[i];
  PetscCall(PetscFree(x1));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

/* Whether a circle, which a has, is a point there. */
static PetscBool vanishes(const NsOrbitBranch *branch, const NsOrbitPoint *a, const NsOrbitPoint *there)
{
  PetscReal before = 0, after = 0;

  if (!branch->system->circle || branch->system->period > 0) return PETSC_FALSE;
  for (PetscInt i = 0; i < branch->system->states; i++) {
    before = PetscMax(before, PetscAbsReal(a->orbit->x0[i]) / branch->size[i]);
    after  = PetscMax(after, PetscAbsReal(there->orbit->x0[i]) / branch->size[i]);
  }
  return after < NS_POINT * before;
}

PetscErrorCode NsOrbitLocate(NsOrbitBranch *branch, const NsOrbitPoint *a, const NsOrbitPoint *b, PetscBool *changed)
{
  const PetscInt    n    = branch->system->states;
  NsOrbitPoint     *edge = NULL, *found[NS_BIFURCATION_GRAZING] = {NULL};
  PetscReal         angle[NS_BIFURCATION_GRAZING];
  NsOrbitMargin     margin    = {0};
  const PetscBool   simulated = branch->system->candidates > 0;
  NsBifurcationKind change    = NS_BIFURCATION_GRAZING;
  PetscInt          contact   = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->margins; i++) {
    const Test    test = {NS_BIFURCATION_GRAZING, i};
    NsOrbitPoint *point;
    if (!changes(&test, a, b, n)) continue;
    PetscCall(locate(branch, a, b, &test, &point));
    if (!point || (edge && point->s >= edge->s)) continue;
    /* a jump, not a root: Newton's method went to another root of some event */
    if (PetscAbsReal(value_of(&test, point, n)) > 1e-3 * PetscMax(PetscAbsReal(a->margin[i].value), PetscAbsReal(b->margin[i].value))) continue;
    edge   = point;
    margin = b->margin[i];
  }
  if (simulated) PetscCall(NsOrbitLocateChange(branch, a, b, &edge, &change, &contact));
  for (int kind = 0; kind < NS_BIFURCATION_GRAZING; kind++) {
    const Test test = {(NsBifurcationKind)kind, 0};
    if (!changes(&test, a, b, n)) continue;
    PetscCall(locate(branch, a, b, &test, &found[kind]));
    if (!found[kind]) continue;
    const PetscBool same = edge && PetscAbsReal(found[kind]->p - edge->p) <= NS_SAME * PetscAbsReal(branch->to - branch->from);
    if (!holds(&test, found[kind], n, !(branch->system->period > 0), &angle[kind]) || same || (edge && !simulated && found[kind]->s >= edge->s))
      found[kind] = NULL;
  }
  for (;;) { /* in the order of the branch */
    int next = -1;
    for (int kind = 0; kind < NS_BIFURCATION_GRAZING; kind++) {
      if (found[kind] && (next < 0 || found[kind]->s < found[next]->s)) next = kind;
    }
    if (edge && simulated && (next < 0 || found[next]->s > edge->s)) {
      char name[NS_CANDIDATE_NAME];
      NsOrbitAddBifurcation(
        branch, change, edge, 0, NsArenaPrint(branch->arena, "%s", NsCandidateName(&NsRunModel(branch->system->run)->candidate[contact], name)));
      edge = NULL;
    }
    if (next < 0) break;
    NsBifurcationKind kind      = next == NS_BIFURCATION_FOLD && vanishes(branch, a, found[next]) ? NS_BIFURCATION_HOPF : (NsBifurcationKind)next;
    PetscBool         symmetric = PETSC_FALSE;
    if (kind == NS_BIFURCATION_BRANCH) PetscCall(is_symmetric(branch, found[next], &symmetric));
    NsOrbitAddBifurcation(branch, symmetric ? NS_BIFURCATION_SYMMETRY : kind, found[next], angle[next], NULL);
    found[next] = NULL;
  }
  if (edge)
    NsOrbitAddBifurcation(branch, margin.kind == NS_ORBIT_SLIPS || margin.kind == NS_ORBIT_STOPS ? NS_BIFURCATION_SLIDING : NS_BIFURCATION_GRAZING,
      edge, 0, NsArenaPrint(branch->arena, "%s", branch->system->contact[margin.contact].name));
  *changed = edge || !b->confirmed;
  PetscFunctionReturn(0);
}
