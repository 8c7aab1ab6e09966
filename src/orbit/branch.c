/*
  Pseudo-arclength continuation of orbits, and switching to the branches that cross them.

  A step predicts along the tangent and corrects in the plane normal to it; its length grows by 1.4 after few iterations and halves where Newton's method fails or the direction turns by more than
  18 degrees. Where an event comes near t0, t0 moves into the middle of the longest segment. Where the sequence stops being a motion (grazing, sliding), the branch goes on with the sequence that a
  simulation has there, if there is an orbit of it nearby; else it ends.

  Switching at a flip: the doubled orbit starts along the vector of the multiplier -1, w: over two periods the null vector of its equations is (w, theta of both halves, p' = 0). At a branch point the
  same with the vector of the multiplier 1. In orbits of unknown period the motion itself has this multiplier, too: there it is the null vector (w, dT/T) of the equations bordered by x' (NsOrbitBorder).
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "orbit.h"

#define NS_FIRST_STEP 0.01
#define NS_LEAST_STEP 1e-9
#define NS_TURN       0.95 /* cosine */
#define NS_KINK       1e-3 /* step within which laws with kinks may turn a branch by up to a right angle */
#define NS_ASTRAY     1e-4 /* shortest step that is repeated because an event was not the first root */
#define NS_REACH      0.1
#define NS_BEYOND     1e-6 /* of the range, behind a grazing point */
#define NS_SEQUENCES  6    /* that are tried where the sequence changes */

static void add_point(NsOrbitBranch *branch, NsOrbitCurve *curve, const NsOrbitPoint *point)
{
  if (curve->points == curve->room) {
    NsOrbitPoint *more = NsArenaAlloc(branch->arena, sizeof(*more) * (size_t)(2 * curve->room + 64));
    if (curve->points) memcpy(more, curve->point, sizeof(*more) * (size_t)curve->points);
    curve->point = more;
    curve->room  = 2 * curve->room + 64;
  }
  curve->point[curve->points++] = *point;
}

static PetscBool near_start(const NsOrbit *orbit)
{
  const PetscInt k = orbit->count;
  PetscReal      longest;

  if (!k) return PETSC_FALSE;
  longest = orbit->theta[0] + 1 - orbit->theta[k - 1];
  for (PetscInt i = 1; i < k; i++) longest = PetscMax(longest, orbit->theta[i] - orbit->theta[i - 1]);
  return PetscMin(orbit->theta[0], 1 - orbit->theta[k - 1]) < 0.15 * longest;
}

/* With t0 in the middle of the longest segment; the tangent keeps its direction in (theta, p). */
static PetscErrorCode move_start(NsOrbitBranch *branch, NsOrbitPoint **point)
{
  const NsOrbitPoint *old = *point;
  const PetscInt      n = branch->system->states, k = old->orbit->count, unknowns = NsOrbitUnknowns(branch->system, old->orbit);
  NsOrbit            *moved = NsOrbitCopy(branch->system, old->orbit, branch->arena);
  NsOrbitPoint       *there;
  PetscInt            iterations;
  PetscReal           shift, along;

  PetscFunctionBegin;
  PetscCall(NsOrbitMoveStart(branch->system, moved, branch->arena));
  shift = (moved->phase - old->orbit->phase) / old->orbit->times;
  PetscCall(NsOrbitCorrect(branch, moved, old->p, NULL, &there, &iterations));
  if (!there) PetscFunctionReturn(0);
  along = there->tangent[unknowns] * old->tangent[unknowns];
  for (PetscInt i = 0; i < k; i++) {
    const PetscReal turn = there->orbit->theta[i] + shift, at = turn - floor(turn);
    for (PetscInt j = 0; j < k; j++) {
      if (PetscAbsReal(old->orbit->theta[j] - at) < 1e-6) along += there->tangent[n + i] * old->tangent[n + j];
    }
  }
  for (PetscInt j = 0; j <= unknowns && along < 0; j++) there->tangent[j] = -there->tangent[j];
  there->fold = there->tangent[unknowns];
  there->s    = old->s;
  there->mark = old->mark;
  PetscCall(NsOrbitExamine(branch, there));
  *point = there;
  PetscFunctionReturn(0);
}

/* A point with the sequence that a simulation over `periods` periods from x0[states] ends with, and x0 at its end; *next NULL: there is none. */
static PetscErrorCode try_sequence(NsOrbitBranch *branch, const NsOrbitPoint *at, PetscInt periods, PetscReal *x0, NsOrbitPoint **next)
{
  NsOrbitSystem *system;
  NsOrbit        orbit = *at->orbit;
  PetscReal     *x1;
  PetscInt       iterations;
  const char    *why;

  PetscFunctionBegin;
  *next = NULL;
  PetscCall(NsOrbitBranchSystem(branch, at->p, &system, &why));
  PetscCall(PetscMalloc1(system->states, &x1));
  for (PetscInt k = 0; k < periods && !why; k++) {
    if (k) PetscCall(PetscArraycpy(x0, x1, system->states));
    PetscCall(NsOrbitFly(system, NsOrbitBegins(system, at->orbit), at->orbit->T, x0, NULL, branch->arena, &orbit, x1, &why));
  }
  PetscCall(PetscFree(x1));
  if (!why) PetscCall(NsOrbitCorrect(branch, &orbit, at->p, NULL, next, &iterations));
  if (*next) PetscCall(NsOrbitExamine(branch, *next));
  PetscFunctionReturn(0);
}

/*
  The orbit with the sequence that a simulation has at this point; *next NULL: there is none whose state is within `reach`, relative to the size of the states. What Newton's method finds may have another sequence again, which is then tried; where that does
  not end, the simulation goes on for some periods.
*/
static PetscErrorCode other_sequence(NsOrbitBranch *branch, const NsOrbitPoint *at, PetscReal reach, NsOrbitPoint **next)
{
  const PetscInt n = branch->system->states;
  PetscReal     *x0, far = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &x0));
  PetscCall(PetscArraycpy(x0, at->orbit->x0, n));
  for (PetscInt try = 0; try < NS_SEQUENCES; try++) {
    PetscCall(try_sequence(branch, at, 1 + (1 << try) / 4, x0, next));
    if (*next && (*next)->confirmed) break;
    if (*next && try < 2) PetscCall(PetscArraycpy(x0, (*next)->orbit->x0, n));
    if (try == 2) PetscCall(PetscArraycpy(x0, at->orbit->x0, n));
    *next = NULL;
  }
  PetscCall(PetscFree(x0));
  if (!*next) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < n; i++) far = PetscMax(far, PetscAbsReal((*next)->orbit->x0[i] - at->orbit->x0[i]) / branch->size[i]);
  if (far > reach || (at->confirmed && NsOrbitSameSequence(branch->system, at->orbit, (*next)->orbit))) *next = NULL;
  if (!*next) PetscFunctionReturn(0);
  if ((*next)->fold * at->fold < 0) {
    for (PetscInt j = 0; j <= NsOrbitUnknowns(branch->system, (*next)->orbit); j++) (*next)->tangent[j] = -(*next)->tangent[j];
    (*next)->fold = -(*next)->fold;
  }
  (*next)->s = at->s;
  PetscFunctionReturn(0);
}

/* A step from a, of *ds or less; *b NULL: none succeeded. */
static PetscErrorCode advance(NsOrbitBranch *branch, const NsOrbitPoint *a, PetscReal *ds, NsOrbitPoint **b)
{
  const PetscInt q = NsOrbitUnknowns(branch->system, a->orbit) + 1;

  PetscFunctionBegin;
  for (;; *ds /= 2) {
    PetscInt  iterations;
    PetscReal cosine = 0;
    *b               = NULL;
    if (*ds < NS_LEAST_STEP) PetscFunctionReturn(0);
    PetscCall(NsOrbitStepFrom(branch, a, *ds, b, &iterations));
    if (!*b) continue;
    for (PetscInt j = 0; j < q; j++) cosine += a->tangent[j] * (*b)->tangent[j];
    if (cosine < NS_TURN && !(branch->system->run && *ds <= NS_KINK && cosine > 0)) continue;
    PetscCall(NsOrbitExamine(branch, *b));
    if ((*b)->astray && *ds > NS_ASTRAY) continue;
    if (iterations <= 3) *ds = PetscMin(1.4 * *ds, branch->longest);
    PetscFunctionReturn(0);
  }
}

/* Where the branch leaves the range: the point exactly there. */
static PetscErrorCode end_at(NsOrbitBranch *branch, const NsOrbitPoint *b, PetscReal p, NsOrbitPoint **last)
{
  PetscInt iterations;

  PetscFunctionBegin;
  PetscCall(NsOrbitCorrect(branch, b->orbit, p, NULL, last, &iterations));
  if (!*last) PetscFunctionReturn(0);
  PetscCall(NsOrbitExamine(branch, *last));
  (*last)->s = b->s;
  if (!(*last)->confirmed) *last = NULL;
  PetscFunctionReturn(0);
}

/* How far a state may be from that of the last sequence: behind a bifurcation that was found after the first `known`, orbits change by the square root of the way, and other orbits lie beside them. */
static PetscReal reach_behind(const NsOrbitBranch *branch, PetscInt known, PetscReal p)
{
  if (branch->bifurcations == known) return NS_REACH;
  const PetscReal way = PetscAbsReal((p - branch->bifurcation[branch->bifurcations - 1].point->p) / (branch->to - branch->from));
  return PetscMin(NS_REACH, 1e-3 + 2 * PetscSqrtReal(way));
}

/* Newton's method fails behind `at`; simulated orbits end where they graze. */
static PetscErrorCode end_here(NsOrbitBranch *branch, NsOrbitCurve *curve, const NsOrbitPoint *at)
{
  PetscInt contact = -1;
  char     name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  curve->end = "Newton's method fails: the branch cannot be followed";
  if (branch->system->candidates) PetscCall(NsOrbitGrazingAt(branch, at, &contact));
  if (contact < 0) PetscFunctionReturn(0);
  NsOrbitPoint *edge = NsArenaAlloc(branch->arena, sizeof(*edge));
  *edge              = *at;
  NsOrbitAddBifurcation(branch, NS_BIFURCATION_GRAZING, edge, 0,
    NsArenaPrint(branch->arena, "%s", NsCandidateName(&NsRunModel(branch->system->run)->candidate[contact], name)));
  curve->point[curve->points - 1].mark = edge->mark;
  curve->end                           = NsArenaPrint(branch->arena, "it ends at %s", edge->mark);
  PetscFunctionReturn(0);
}

/* One more step of the curve from *at; curve->end says when it is the last. */
static PetscErrorCode extend(NsOrbitBranch *branch, NsOrbitCurve *curve, NsOrbitPoint **at, PetscReal *ds)
{
  const PetscReal low = PetscMin(branch->least, branch->most), high = PetscMax(branch->least, branch->most);
  const PetscInt  known = branch->bifurcations;
  NsOrbitPoint   *b, *last;
  PetscBool       changed;

  PetscFunctionBegin;
  PetscCall(advance(branch, *at, ds, &b));
  if (!b) {
    PetscCall(end_here(branch, curve, *at));
    PetscFunctionReturn(0);
  }
  PetscCall(NsOrbitLocate(branch, *at, b, &changed));
  for (PetscInt i = known; i < branch->bifurcations; i++) {
    const NsOrbitPoint *point = branch->bifurcation[i].point;
    if (point->p >= low && point->p <= high) add_point(branch, curve, point);
    if (branch->bifurcation[i].kind == NS_BIFURCATION_HOPF) {
      curve->end = NsArenaPrint(branch->arena, "the radius of its circle becomes zero at %s", branch->bifurcation[i].name);
      PetscFunctionReturn(0);
    }
  }
  if (changed) {
    PetscCall(other_sequence(branch, b, reach_behind(branch, known, b->p), &last));
    /* Two events coincide and vanish (square-root fold): the orbit continues beyond the point where this sequence's branch turns back. */
    if (!last && branch->bifurcations > known) {
      NsOrbitPoint beyond = *branch->bifurcation[branch->bifurcations - 1].point;
      beyond.p += ((*at)->fold < 0 ? -1 : 1) * NS_BEYOND * PetscAbsReal(branch->to - branch->from);
      beyond.fold      = (*at)->fold;
      beyond.confirmed = PETSC_FALSE;
      if (beyond.p >= low && beyond.p <= high) PetscCall(other_sequence(branch, &beyond, reach_behind(branch, known, beyond.p), &last));
    }
    if (!last) {
      curve->end = branch->bifurcations > known ? NsArenaPrint(branch->arena, "it ends at %s", branch->bifurcation[branch->bifurcations - 1].name)
                                                : "the order of its events changes";
      PetscFunctionReturn(0);
    }
    b = last;
  }
  if (b->p < low || b->p > high) {
    PetscCall(end_at(branch, b, b->p < low ? low : high, &last));
    if (last) add_point(branch, curve, last);
    curve->end = "the end of the range";
    PetscFunctionReturn(0);
  }
  if (near_start(b->orbit)) PetscCall(move_start(branch, &b));
  add_point(branch, curve, b);
  *at = b;
  PetscFunctionReturn(0);
}

/* Uses only systems of the family, so that a branch that is continued later gives the same numbers. */
static PetscErrorCode prepare(NsOrbitBranch *branch, PetscReal p)
{
  NsOrbitSystem *system;
  const char    *why;

  PetscFunctionBegin;
  if (branch->follows) PetscFunctionReturn(0);
  branch->follows           = PETSC_TRUE;
  const PetscBool simulated = branch->system->run != NULL;
  PetscCall(NsOrbitBranchFree(branch));
  if (!simulated) PetscCall(NsOrbitFamilyCreate(&branch->source, branch->from, branch->to, &branch->family));
  PetscCall(NsOrbitBranchSystem(branch, p, &system, &why));
  PetscFunctionReturn(0);
}

/* Follows the curve to its end; it stands behind the others and becomes one of them. */
static PetscErrorCode follow(NsOrbitBranch *branch, NsOrbitPoint *at)
{
  NsOrbitCurve *curve = &branch->curve[branch->curves];

  PetscFunctionBegin;
  while (!curve->end) {
    if (curve->points >= branch->points)
      curve->end = "as many points as asked for";
    else if (branch->stop && branch->stop()) {
      curve->end     = "stopped";
      curve->stopped = PETSC_TRUE;
    } else
      PetscCall(extend(branch, curve, &at, &curve->step));
  }
  branch->curves++;
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitFollow(NsOrbitBranch *branch, NsOrbitPoint *start)
{
  NsOrbitCurve *more = NsArenaAlloc(branch->arena, sizeof(*more) * (size_t)(branch->curves + 1));

  PetscFunctionBegin;
  PetscCall(prepare(branch, start->p));
  if (branch->curves) memcpy(more, branch->curve, sizeof(*more) * (size_t)branch->curves);
  branch->curve             = more;
  more[branch->curves].step = PetscMin(NS_FIRST_STEP, branch->longest);
  add_point(branch, &more[branch->curves], start);
  PetscCall(follow(branch, start));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitGoOn(NsOrbitBranch *branch)
{
  NsOrbitCurve *curve = &branch->curve[branch->curves - 1];
  NsOrbitPoint *at    = NsArenaAlloc(branch->arena, sizeof(*at));

  PetscFunctionBegin;
  *at = curve->point[curve->points - 1];
  PetscCall(prepare(branch, at->p));
  if (!curve->stopped) PetscFunctionReturn(0);
  curve->end     = NULL;
  curve->stopped = PETSC_FALSE;
  branch->curves--;
  PetscCall(follow(branch, at));
  PetscFunctionReturn(0);
}

/* ---- switching ---------------------------------------------------------------------------------------------------------------------------------------------------- */

/* x[n] of the least singular value of A[n, n], which is destroyed. */
static PetscErrorCode null_vector(PetscInt n, PetscReal *A, PetscReal *x)
{
  const PetscBLASInt size = (PetscBLASInt)n, room = (PetscBLASInt)(10 * n + 64);
  PetscReal         *s, *V, *work, none;
  const PetscBLASInt one = 1;
  PetscBLASInt       info;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &s, (size_t)(n * n), &V, room, &work));
  LAPACKgesvd_("N", "A", &size, &size, A, &size, s, &none, &one, V, &size, work, &room, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "null vector (gesvd: %d)", (int)info);
  for (PetscInt j = 0; j < n; j++) x[j] = V[j * n + n - 1];
  PetscCall(PetscFree3(s, V, work));
  PetscFunctionReturn(0);
}

/* The orbit over two of its periods. */
static NsOrbit *twice(NsOrbitBranch *branch, const NsOrbit *orbit)
{
  NsOrbit       *both = NsOrbitCopy(branch->system, orbit, branch->arena);
  const PetscInt k    = orbit->count;

  both->count = 2 * k;
  both->times = 2 * orbit->times;
  both->T     = 2 * orbit->T;
  both->step  = NsArenaAlloc(branch->arena, sizeof(*both->step) * (size_t)(2 * k + 1));
  both->theta = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)(2 * k + 1));
  for (PetscInt i = 0; i < 2 * k; i++) {
    both->step[i]  = orbit->step[i % k];
    both->theta[i] = (orbit->theta[i % k] + (i >= k ? 1 : 0)) / 2;
  }
  return both;
}

/* The tangent (w, -E_theta^-1 (E_x w + E_T dT), dT, 0) of the equations of the orbit, scaled to length 1; dT is 0 where the forcing gives the period. */
static PetscErrorCode tangent_along(NsOrbitBranch *branch, const NsOrbit *orbit, const PetscReal *w, PetscReal dT, PetscReal *tangent)
{
  const PetscInt     n = branch->system->states, k = orbit->count, rows = n + k;
  const PetscBLASInt size = (PetscBLASInt)k, one = 1;
  PetscReal         *r, *J, *E, *x, sum = 0;
  PetscBLASInt      *pivot, info;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(rows, &r, (size_t)(rows * (rows + 1)), &J, (size_t)(k * k), &E, k, &x, k, &pivot));
  PetscCall(NsOrbitResidual(branch->system, orbit, r, J));
  for (PetscInt i = 0; i < k; i++) {
    x[i] = dT != 0 ? -J[rows * rows + n + i] * dT : 0;
    for (PetscInt j = 0; j < n; j++) x[i] -= J[j * rows + n + i] * w[j];
    for (PetscInt j = 0; j < k; j++) E[j * k + i] = J[(n + j) * rows + n + i];
  }
  if (k) LAPACKgesv_(&size, &one, E, &size, pivot, x, &size, &info);
  for (PetscInt i = 0; i < n; i++) tangent[i] = w[i] / branch->size[i];
  for (PetscInt i = 0; i < k; i++) tangent[n + i] = x[i];
  const PetscInt unknowns = NsOrbitUnknowns(branch->system, orbit);
  tangent[unknowns]       = 0;
  if (unknowns > n + k) tangent[n + k] = dT / branch->duration;
  for (PetscInt i = 0; i < unknowns; i++) sum += PetscSqr(tangent[i]);
  for (PetscInt i = 0; i < unknowns; i++) tangent[i] /= PetscSqrtReal(sum);
  PetscCall(PetscFree5(r, J, E, x, pivot));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSwitch(NsOrbitBranch *branch, const NsBifurcation *at, NsOrbitPoint **first, const char **why)
{
  const PetscBool flip = at->kind == NS_BIFURCATION_FLIP;
  NsOrbitSystem  *system;
  NsOrbitPoint    from = *at->point;
  PetscReal      *A, *w;
  PetscInt        iterations;

  PetscFunctionBegin;
  *first = NULL;
  *why   = NULL;
  if (!flip && at->kind != NS_BIFURCATION_BRANCH && at->kind != NS_BIFURCATION_SYMMETRY) {
    *why = "another branch begins at flips, branch points and symmetry points only";
    PetscFunctionReturn(0);
  }
  PetscCall(NsOrbitBranchSystem(branch, from.p, &system, why));
  if (*why) PetscFunctionReturn(0);
  if (system->circle || system->gradient) {
    *why = "branch switching is not supported for circular orbits and backbone curves";
    PetscFunctionReturn(0);
  }
  const PetscInt  n        = system->states;
  const PetscBool bordered = !flip && !(system->period > 0);
  PetscCall(PetscMalloc2((size_t)((n + 1) * (n + 1)), &A, n + 1, &w));
  if (bordered)
    PetscCall(NsOrbitBorder(branch, &from, A));
  else
    for (PetscInt i = 0; i < n * n; i++) A[i] = from.M[i] + (i % (n + 1) ? 0 : flip ? 1 : -1);
  PetscCall(null_vector(bordered ? n + 1 : n, A, w));
  for (PetscInt i = 0; i < n && bordered; i++) w[i] *= branch->size[i];
  if (flip) from.orbit = twice(branch, from.orbit);
  from.tangent = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)(NsOrbitUnknowns(system, from.orbit) + 1));
  PetscCall(tangent_along(branch, from.orbit, w, bordered ? w[n] * from.orbit->T : 0, from.tangent));
  PetscCall(PetscFree2(A, w));
  for (PetscReal ds = 1e-3; ds < 0.1 && !*first; ds *= 2) {
    NsOrbitPoint *point;
    PetscCall(NsOrbitStepFrom(branch, &from, ds, &point, &iterations));
    if (!point) continue;
    PetscCall(NsOrbitExamine(branch, point));
    if (point->confirmed) *first = point;
  }
  if (!*first) *why = "Newton's method found no orbit of the other branch";
  PetscFunctionReturn(0);
}
