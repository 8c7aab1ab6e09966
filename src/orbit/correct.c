/*
  Newton's method on the equations of an orbit, with the parameter as one more unknown, in scaled variables: states over their magnitude, event times over the period, p over its range.

      R(u, p) = 0,   t'(u - u*) = 0   (or p = p*),      u* the prediction

  dR/dp by a difference between two systems.
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "orbit.h"

#define NS_ITERATIONS 14
#define NS_DIFFERENCE 1e-6  /* of the range of p */
#define NS_COARSER    3e-5  /* of simulations */
#define NS_CONVERGED  1e-13 /* of the scaled residual */
#define NS_BACKWARD   0.05
#define NS_FAR        1e-6  /* scaled residual above which dR/dp is computed anew */
#define NS_TIMING     1e-5  /* of the period */
#define NS_ENOUGH     1e-10 /* where rounding allows no more */
#define NS_CONSERVED  1e-4  /* multipliers of conservative motion are on the unit circle, up to the error of the finite differences */
#define NS_NEUTRAL \
  1e-9 /* of circular orbits: an eigenvalue with a smaller damping ratio neither grows nor decays; of an undamped mesh rounding would decide */

PetscErrorCode NsOrbitBranchSystem(NsOrbitBranch *branch, PetscReal p, NsOrbitSystem **system, const char **why)
{
  PetscInt k = 0;

  PetscFunctionBegin;
  *why = NULL;
  while (k < NS_ORBIT_KEPT - 1 && branch->kept[k] && branch->kept_at[k] != p) k++;
  if (!branch->kept[k] || branch->kept_at[k] != p) {
    PetscCall(NsOrbitSystemDestroy(&branch->kept[k]));
    if (branch->family && NsOrbitFamilyHas(branch->family, p))
      PetscCall(NsOrbitFamilySystem(branch->family, p, &branch->kept[k]));
    else
      PetscCall(branch->source.make(branch->source.context, p, &branch->kept[k], why));
    branch->kept_at[k] = p;
  }
  *system = branch->kept[k];
  for (; k > 0; k--) { /* the last used one first */
    branch->kept[k]    = branch->kept[k - 1];
    branch->kept_at[k] = branch->kept_at[k - 1];
  }
  branch->kept[0]    = *system;
  branch->kept_at[0] = p;
  branch->system     = *system;
  branch->at         = p;
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitBranchFree(NsOrbitBranch *branch)
{
  PetscFunctionBegin;
  for (int k = 0; k < NS_ORBIT_KEPT; k++) PetscCall(NsOrbitSystemDestroy(&branch->kept[k]));
  PetscCall(NsOrbitFamilyDestroy(&branch->family));
  branch->system = NULL;
  PetscFunctionReturn(0);
}

static PetscReal range_of(const NsOrbitBranch *branch)
{
  return branch->to != branch->from ? PetscAbsReal(branch->to - branch->from) : PetscMax(1e-6, PetscAbsReal(branch->from));
}

PetscErrorCode NsOrbitScale(NsOrbitBranch *branch, const NsOrbit *orbit)
{
  PetscFunctionBegin;
  branch->size = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)branch->system->states);
  PetscCall(NsOrbitSizes(branch->system, orbit, branch->size));
  for (PetscInt i = 0; i < branch->system->states && branch->system->circle;
       i++) /* all nodes of a mesh move together: the length of a step is that of their mean */
    branch->size[i] *= PetscSqrtReal((PetscReal)branch->system->states);
  branch->duration = orbit->T;
  PetscFunctionReturn(0);
}

/* The iteration: q = n + 1 unknowns (x0, theta, T where it is unknown, p). */
typedef struct {
  NsOrbitBranch *branch;
  PetscInt       states, rows, n, q;             /* rows: states and events; n: also the condition of the phase where the period is unknown */
  PetscReal     *r, *J, *by_p, *A, *right, *row; /* [n], [rows, rows + 1], [n], [q, q], [q], [n] scale of rows */
  PetscReal     *field;                          /* [states] scaled direction of the motion at the prediction */
  PetscReal     *start;                          /* [q] the prediction, scaled */
  PetscBLASInt  *pivot;
} Newton;

static PetscReal unit(const Newton *newton, PetscInt i)
{
  return i < newton->states ? newton->branch->size[i] : i < newton->rows ? 1 : i < newton->n ? newton->branch->duration : range_of(newton->branch);
}

static PetscReal *variable(const Newton *newton, NsOrbit *orbit, PetscReal *p, PetscInt i)
{
  return i < newton->states ? &orbit->x0[i] : i < newton->rows ? &orbit->theta[i - newton->states] : i < newton->n ? &orbit->T : p;
}

/* A segment may be a little shorter than nothing: so a branch passes the point where it vanishes, which is then located. */
static PetscBool is_ordered(const NsOrbit *orbit)
{
  PetscReal past = 0;

  for (PetscInt i = 0; i < orbit->count; past = orbit->theta[i++]) {
    if (!(orbit->theta[i] >= past - NS_BACKWARD)) return PETSC_FALSE;
  }
  return past <= 1;
}

/* r and J at p. false: there is no system, or events have changed their order. */
static PetscErrorCode look(Newton *newton, NsOrbit *orbit, PetscReal p, PetscReal *r, PetscReal *J, PetscBool *good)
{
  NsOrbitSystem *system;
  const char    *why;

  PetscFunctionBegin;
  *good = PETSC_FALSE;
  if (!isfinite(p) || !is_ordered(orbit)) PetscFunctionReturn(0);
  PetscCall(NsOrbitBranchSystem(newton->branch, p, &system, &why));
  if (!system || system->states != newton->states) PetscFunctionReturn(0);
  if (system->period > 0) orbit->T = orbit->times * system->period;
  if (!(orbit->T > 0)) PetscFunctionReturn(0);
  PetscCall(NsOrbitResidual(system, orbit, r, J));
  if (newton->n > newton->rows) { /* phase: the start moves across the motion only */
    r[newton->rows] = 0;
    for (PetscInt i = 0; i < newton->states; i++) r[newton->rows] += newton->field[i] * (orbit->x0[i] / newton->branch->size[i] - newton->start[i]);
  }
  *good = PETSC_TRUE;
  for (PetscInt i = 0; i < newton->n; i++) *good = *good && isfinite(r[i]);
  PetscFunctionReturn(0);
}

/* dR/dp, and the scales of the equations. */
static PetscErrorCode look_beside(Newton *newton, NsOrbit *orbit, PetscReal p, PetscBool *good)
{
  const PetscInt  n = newton->n;
  const PetscReal d = (newton->branch->system->run && !newton->branch->system->circle ? NS_COARSER : NS_DIFFERENCE) * range_of(newton->branch);
  PetscReal      *J;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(newton->rows * (newton->rows + 1)), &J));
  const PetscBool simulated = newton->branch->system->run != NULL;
  PetscCall(look(newton, orbit, p + d, newton->by_p, simulated ? NULL : J, good));
  if (!*good) PetscCall(look(newton, orbit, p - d, newton->by_p, simulated ? NULL : J, good));
  const PetscReal there = newton->branch->at;
  PetscCall(look(newton, orbit, p, newton->r, newton->J, good));
  for (PetscInt i = 0; i < n; i++) {
    newton->by_p[i] = (newton->by_p[i] - newton->r[i]) / (there - p);
    newton->row[i]  = i < newton->states ? newton->branch->size[i] : 0;
    for (PetscInt j = 0; j < newton->rows && i >= newton->states && i < newton->rows; j++)
      newton->row[i] = PetscMax(newton->row[i], PetscAbsReal(newton->J[j * newton->rows + i]) * unit(newton, j));
    if (!(newton->row[i] > 0)) newton->row[i] = 1;
  }
  PetscCall(PetscFree(J));
  PetscFunctionReturn(0);
}

/* A and right, -(equations); returns the largest of the scaled residuals. */
static PetscReal assemble(Newton *newton, NsOrbit *orbit, PetscReal *p, const PetscReal *tangent)
{
  const PetscInt n = newton->n, q = newton->q;
  PetscReal      largest = 0;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++)
      newton->A[j * q + i] = i < newton->rows     ? newton->J[j * newton->rows + i] * unit(newton, j) / newton->row[i]
                             : j < newton->states ? newton->field[j]
                                                  : 0;
    newton->A[n * q + i] = newton->by_p[i] * unit(newton, n) / newton->row[i];
    newton->right[i]     = -newton->r[i] / newton->row[i];
  }
  newton->right[n] = 0;
  for (PetscInt j = 0; j < q; j++) {
    newton->A[j * q + n] = tangent ? tangent[j] : j == n;
    newton->right[n] -= newton->A[j * q + n] * (*variable(newton, orbit, p, j) / unit(newton, j) - newton->start[j]);
  }
  for (PetscInt i = 0; i < q; i++) largest = PetscMax(largest, PetscAbsReal(newton->right[i]));
  return largest;
}

static PetscBool solve(Newton *newton, PetscReal *x)
{
  const PetscBLASInt size = (PetscBLASInt)newton->q, one = 1;
  PetscBLASInt       info;

  LAPACKgesv_(&size, &one, newton->A, &size, newton->pivot, x, &size, &info);
  return info == 0;
}

static PetscErrorCode iterate(Newton *newton, NsOrbit *orbit, PetscReal *p, const PetscReal *tangent, PetscReal *residual, PetscInt *iterations)
{
  const PetscReal enough = PetscMax(NS_ENOUGH, newton->branch->system->rough);
  PetscReal       last   = PETSC_MAX_REAL;
  PetscBool       good;

  PetscFunctionBegin;
  *residual = PETSC_MAX_REAL;
  for (*iterations = 0; *iterations < NS_ITERATIONS; ++*iterations) {
    if (last > NS_FAR) /* dR/dp changes with the orbit, and the tangent needs it at the solution */
      PetscCall(look_beside(newton, orbit, *p, &good));
    else
      PetscCall(look(newton, orbit, *p, newton->r, newton->J, &good));
    if (!good) break;
    const PetscReal size = assemble(newton, orbit, p, tangent);
    if (size <= PetscMax(NS_CONVERGED, 0.01 * newton->branch->system->rough) || (size <= enough && size > 0.3 * last)) {
      *residual = size;
      break;
    }
    if (!(size < 1e6 * PetscMin(last, 1e3))) break;
    last = size;
    if (!solve(newton, newton->right)) break;
    for (PetscInt j = 0; j < newton->q; j++) *variable(newton, orbit, p, j) += newton->right[j] * unit(newton, j);
  }
  PetscFunctionReturn(0);
}

/* The tangent at the solution, along the given one (NULL: towards branch->to), and the monodromy. */
static PetscErrorCode finish(Newton *newton, NsOrbitPoint *point, const PetscReal *tangent)
{
  const PetscInt q    = newton->q;
  PetscReal      size = 0, sign = 1, p = point->p;

  PetscFunctionBegin;
  point->tangent = NsArenaAlloc(newton->branch->arena, sizeof(PetscReal) * (size_t)q);
  point->M       = NsArenaAlloc(newton->branch->arena, sizeof(PetscReal) * (size_t)(newton->states * newton->states));
  (void)assemble(newton, point->orbit, &p, tangent);
  for (PetscInt j = 0; j < q; j++) point->tangent[j] = j == q - 1;
  (void)solve(newton, point->tangent);
  for (PetscInt j = 0; j < q; j++) size += PetscSqr(point->tangent[j]);
  if (!tangent && newton->branch->to < newton->branch->from) sign = -1;
  for (PetscInt j = 0; j < q; j++) point->tangent[j] *= sign / PetscSqrtReal(size);
  point->fold = point->tangent[q - 1];
  PetscCall(NsOrbitMonodromy(newton->branch->system, point->orbit, newton->J, point->M));
  PetscFunctionReturn(0);
}

/* The direction of the motion at the start, scaled by the states, of length 1. */
static PetscErrorCode find_field(NsOrbitBranch *branch, const NsOrbit *orbit, PetscReal *field)
{
  const PetscInt n   = branch->system->states;
  PetscReal      sum = 0;

  PetscFunctionBegin;
  PetscCall(NsOrbitField(branch->system, orbit, field));
  for (PetscInt i = 0; i < n; i++) {
    field[i] /= branch->size[i];
    sum += PetscSqr(field[i]);
  }
  for (PetscInt i = 0; i < n && sum > 0; i++) field[i] /= PetscSqrtReal(sum);
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCorrect(
  NsOrbitBranch *branch, const NsOrbit *guess, PetscReal p, const PetscReal *tangent, NsOrbitPoint **found, PetscInt *iterations)
{
  const PetscInt rows = branch->system->states + guess->count, n = NsOrbitUnknowns(branch->system, guess), q = n + 1;
  Newton         newton = {.branch = branch, .states = branch->system->states, .rows = rows, .n = n, .q = q};
  NsOrbitPoint  *point  = NsArenaAlloc(branch->arena, sizeof(*point));

  PetscFunctionBegin;
  *found       = NULL;
  point->orbit = NsOrbitCopy(branch->system, guess, branch->arena);
  point->p     = p;
  point->mark  = "";
  PetscCall(PetscMalloc6(
    n, &newton.r, (size_t)(rows * (rows + 1)), &newton.J, n, &newton.by_p, (size_t)(q * q), &newton.A, q, &newton.right, n, &newton.row));
  PetscCall(PetscMalloc3(q, &newton.start, q, &newton.pivot, newton.states, &newton.field));
  for (PetscInt j = 0; j < q; j++) newton.start[j] = *variable(&newton, point->orbit, &point->p, j) / unit(&newton, j);
  if (n > rows) PetscCall(find_field(branch, point->orbit, newton.field));
  PetscCall(iterate(&newton, point->orbit, &point->p, tangent, &point->residual, iterations));
  if (point->residual < PETSC_MAX_REAL) {
    PetscCall(finish(&newton, point, tangent));
    *found = point;
  }
  PetscCall(PetscFree6(newton.r, newton.J, newton.by_p, newton.A, newton.right, newton.row));
  PetscCall(PetscFree3(newton.start, newton.pivot, newton.field));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitStepFrom(NsOrbitBranch *branch, const NsOrbitPoint *from, PetscReal ds, NsOrbitPoint **found, PetscInt *iterations)
{
  const PetscInt n     = branch->system->states;
  NsOrbit       *guess = NsOrbitCopy(branch->system, from->orbit, branch->arena);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) guess->x0[i] += ds * from->tangent[i] * branch->size[i];
  for (PetscInt i = 0; i < guess->count; i++) guess->theta[i] += ds * from->tangent[n + i];
  const PetscInt unknowns = NsOrbitUnknowns(branch->system, guess);
  if (unknowns > n + guess->count) guess->T += ds * from->tangent[n + guess->count] * branch->duration;
  PetscCall(NsOrbitCorrect(branch, guess, from->p + ds * from->tangent[unknowns] * range_of(branch), from->tangent, found, iterations));
  if (*found) (*found)->s = from->s + ds;
  PetscFunctionReturn(0);
}

/* ---- what is known of a point ----------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const NsOrbitSystem *system;
  const NsOrbit       *orbit;
  NsOrbitPoint        *point;
  PetscReal            last;
  PetscReal           *rate, *second, *value; /* [m] x', x''; [probes][2] value and rate at the moment before */
} Views;

/* The extremes of the cubic with these values and rates at both ends of dt. */
static void widen(PetscReal dt, PetscReal y0, PetscReal d0, PetscReal y1, PetscReal d1, PetscReal *low, PetscReal *high)
{
  const PetscReal a = dt * (d0 + d1) - 2 * (y1 - y0), b = 3 * (y1 - y0) - dt * (2 * d0 + d1), c = dt * d0; /* y0 + c s + b s^2 + a s^3 */
  const PetscReal root = b * b - 3 * a * c;

  if (!(d0 * d1 < 0) || root < 0) return;
  for (int sign = -1; sign <= 1; sign += 2) {
    const PetscReal q = -(b + (b < 0 ? -1 : 1) * PetscSqrtReal(root)), s = sign < 0 ? (a != 0 ? q / (3 * a) : -1) : (q != 0 ? c / q : -1);
    if (!(s > 0 && s < 1)) continue;
    const PetscReal y = y0 + s * (c + s * (b + s * a));
    *low              = PetscMin(*low, y);
    *high             = PetscMax(*high, y);
  }
}

/* Value and rate of a probe. */
static void look_at(const NsOrbitSystem *system, const NsOrbitProbe *probe, const NsOrbitMoment *moment, const PetscReal *xdot,
  const PetscReal *second, PetscReal *y, PetscReal *d)
{
  *y = NsOrbitDot(system->m, probe->row, moment->x);
  *d = NsOrbitDot(system->m, probe->row, xdot);
  if (probe->rates) {
    *y += NsOrbitDot(system->m, probe->rates, xdot);
    *d += NsOrbitDot(system->m, probe->rates, second);
  }
  for (PetscInt i = 0; i < system->contacts; i++) {
    if (probe->forces[i] == 0) continue;
    *y += probe->forces[i] * NsOrbitDot(system->m, moment->mode->force + i * system->m, moment->x);
    *d += probe->forces[i] * NsOrbitDot(system->m, moment->mode->force + i * system->m, xdot);
  }
}

/* x' and x''; of nonlinear models, whose accelerations are not known here, only the rates of positions. */
static void find_rates(const NsOrbitSystem *system, const NsOrbitMoment *moment, PetscReal *rate, PetscReal *second)
{
  const PetscInt n = system->states / 2;

  if (moment->mode) {
    NsOrbitMult(system->m, moment->mode->A, moment->x, rate);
    NsOrbitMult(system->m, moment->mode->A, rate, second);
    return;
  }
  for (PetscInt i = 0; i < system->m; i++) {
    rate[i]   = i < n && (!system->plain || system->plain[i]) ? moment->x[n + i] : 0;
    second[i] = 0;
  }
}

static void meet(NsOrbitPoint *point, PetscReal speed)
{
  if (!point->impacts++ || speed < point->slowest) point->slowest = speed;
}

static void look_at_probes(void *context, const NsOrbitMoment *moment)
{
  Views               *views  = context;
  const NsOrbitSystem *system = views->system;
  PetscBool            closed = moment->closed;

  for (PetscInt i = 0; i < system->contacts && moment->mode; i++) closed = closed || moment->mode->state[i] != NS_ORBIT_OPEN;
  if (closed) views->point->share += (moment->t - views->last) / views->orbit->T;
  find_rates(system, moment, views->rate, views->second);
  for (PetscInt k = 0; k < system->probes; k++) {
    PetscReal y, d, *low = &views->point->low[k], *high = &views->point->high[k];
    look_at(system, &system->probe[k], moment, views->rate, views->second, &y, &d);
    *low  = PetscMin(*low, y);
    *high = PetscMax(*high, y);
    if (!moment->after && moment->t > views->last) widen(moment->t - views->last, views->value[2 * k], views->value[2 * k + 1], y, d, low, high);
    views->value[2 * k]     = y;
    views->value[2 * k + 1] = d;
  }
  views->last = moment->t;
  for (PetscInt k = 0; k < moment->seen_count; k++) {
    views->point->seen[moment->seen[k].contact * NS_ORBIT_KINDS + (PetscInt)moment->seen[k].kind]++;
    if (moment->seen[k].impact) meet(views->point, -moment->seen[k].before);
  }
  if (!moment->before || !views->orbit->step[moment->segment].jumps) return;
  const NsOrbitStep *step  = &views->orbit->step[moment->segment];
  const PetscReal    speed = -NsOrbitDot(system->m, system->contact[step->contact].rate, moment->x);
  meet(views->point, speed);
}

/* Multipliers that are 1 for any orbit are left out: one along an orbit of unknown period, one more across the energy of a conservative orbit. The multipliers nearest to 1 are taken for these. */
static void judge(NsOrbitPoint *point, PetscInt n, PetscInt ones, PetscReal limit)
{
  PetscInt left_out[2] = {-1, -1};

  for (PetscInt k = 0; k < ones; k++) {
    for (PetscInt i = 0; i < n; i++) {
      if (k && i == left_out[0]) continue;
      if (left_out[k] < 0 || hypot(point->re[i] - 1, point->im[i]) < hypot(point->re[left_out[k]] - 1, point->im[left_out[k]])) left_out[k] = i;
    }
  }
  point->pairs  = 0;
  point->stable = PETSC_TRUE;
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal size = hypot(point->re[i], point->im[i]);
    if (i == left_out[0] || i == left_out[1]) continue;
    point->stable = point->stable && size < limit;
    point->pairs += size > limit && point->im[i] > 0;
  }
}

/* Whether a simulation over the period has the same events and returns. */
static PetscErrorCode confirm(NsOrbitBranch *branch, NsOrbitPoint *point)
{
  NsOrbitSystem *system = branch->system;
  NsArena       *arena  = NsArenaCreate();
  NsOrbit        flown  = *point->orbit;
  PetscReal     *x1;
  const char    *why;

  PetscFunctionBegin;
  if (system->run && !system->circle) { /* the orbit is that of a simulation */
    PetscCall(NsOrbitStartsOpen(system, point->orbit, branch->size, &point->confirmed));
    NsArenaDestroy(&arena);
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc1(system->states, &x1));
  PetscCall(NsOrbitFly(system, NsOrbitBegins(system, point->orbit), point->orbit->T, point->orbit->x0, point->orbit->first, arena, &flown, x1, &why));
  point->confirmed = !why && NsOrbitSameSequence(system, point->orbit, &flown);
  point->astray    = PETSC_FALSE;
  for (PetscInt i = 0; i < point->orbit->count && point->confirmed; i++)
    point->astray = point->astray || PetscAbsReal(flown.theta[i] - point->orbit->theta[i]) > NS_TIMING;
  point->confirmed = point->confirmed && !point->astray;
  for (PetscInt i = 0; i < system->states; i++)
    point->confirmed = point->confirmed && PetscAbsReal(x1[i] - point->orbit->x0[i]) <= 1e-6 * branch->size[i];
  PetscCall(PetscFree(x1));
  NsArenaDestroy(&arena);
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitStability(NsOrbitBranch *branch, NsOrbitPoint *point)
{
  const PetscInt n = branch->system->states;
  PetscReal     *M;

  PetscFunctionBegin;
  point->re = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)n);
  point->im = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)n);
  PetscCall(PetscMalloc1((size_t)(n * n), &M));
  PetscCall(PetscArraycpy(M, point->M, n * n));
  PetscCall(NsOrbitMultipliers(n, M, point->re, point->im));
  PetscCall(PetscFree(M));
  for (PetscInt i = 0; i < n && branch->system->circle; i++) {
    const PetscReal rate = PetscAbsReal(point->re[i]) > NS_NEUTRAL * hypot(point->re[i], point->im[i]) ? point->re[i] : 0;
    const PetscReal size = exp(rate * point->orbit->T), angle = point->im[i] * point->orbit->T;
    point->re[i] = size * cos(angle);
    point->im[i] = size * sin(angle);
  }
  if (branch->system->circle) NsOrbitSortMultipliers(n, point->re, point->im);
  judge(point, n,
    branch->system->gradient     ? 2
    : branch->system->period > 0 ? 0
                                 : 1,
    branch->system->circle     ? 1 + NS_NEUTRAL
    : branch->system->gradient ? 1 + NS_CONSERVED
                               : 1);
  PetscFunctionReturn(0);
}

static PetscErrorCode find_margins(NsOrbitBranch *branch, NsOrbitPoint *point, PetscInt least, Views *views)
{
  PetscFunctionBegin;
  point->margins = NsOrbitMarginCount(branch->system, point->orbit);
  point->margin  = NsArenaAlloc(branch->arena, sizeof(*point->margin) * (size_t)(point->margins + 1));
  PetscCall(NsOrbitMargins(branch->system, point->orbit, point->margin, least, views ? look_at_probes : NULL, views));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitFindMargins(NsOrbitBranch *branch, NsOrbitPoint *point)
{
  PetscFunctionBegin;
  PetscCall(find_margins(branch, point, 16, NULL));
  PetscFunctionReturn(0);
}

/* det(M - target I). Of circular orbits by the multipliers, because M is not theirs; complex pairs have no sign. */
static PetscErrorCode determinant(NsOrbitBranch *branch, const NsOrbitPoint *point, PetscReal target, PetscReal *value)
{
  const PetscInt n = branch->system->states;

  PetscFunctionBegin;
  *value = 1;
  if (!branch->system->circle) PetscCall(NsOrbitDeterminant(n, point->M, target, value));
  for (PetscInt i = 0; i < n && branch->system->circle; i++) *value *= point->im[i] == 0 ? point->re[i] - target : 1;
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitFlip(NsOrbitBranch *branch, NsOrbitPoint *point)
{
  PetscFunctionBegin;
  PetscCall(determinant(branch, point, -1, &point->flip));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitBorder(NsOrbitBranch *branch, const NsOrbitPoint *point, PetscReal *B)
{
  const PetscInt n = branch->system->states;
  PetscReal     *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &f));
  PetscCall(NsOrbitField(branch->system, point->orbit, f));
  for (PetscInt j = 0; j < n; j++) {
    for (PetscInt i = 0; i < n; i++) B[j * (n + 1) + i] = point->M[j * n + i] * branch->size[j] / branch->size[i] - (i == j);
    B[n * (n + 1) + j] = B[j * (n + 1) + n] = f[j] / branch->size[j] * point->orbit->T;
  }
  B[n * (n + 1) + n] = 0;
  PetscCall(PetscFree(f));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitBranching(NsOrbitBranch *branch, NsOrbitPoint *point)
{
  PetscFunctionBegin;
  point->branching = 1;
  if (branch->system->period > 0)
    PetscCall(determinant(branch, point, 1, &point->branching));
  else if (!branch->system->circle && !branch->system->gradient) {
    const PetscInt n = branch->system->states + 1;
    PetscReal     *B;
    PetscCall(PetscMalloc1((size_t)(n * n), &B));
    PetscCall(NsOrbitBorder(branch, point, B));
    PetscCall(NsOrbitDeterminant(n, B, 0, &point->branching));
    PetscCall(PetscFree(B));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitExamine(NsOrbitBranch *branch, NsOrbitPoint *point)
{
  NsOrbitSystem *system;
  const char    *why;

  PetscFunctionBegin;
  PetscCall(NsOrbitBranchSystem(branch, point->p, &system, &why));
  Views views    = {.system = system, .orbit = point->orbit, .point = point};
  point->low     = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)(system->probes + 1));
  point->high    = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)(system->probes + 1));
  point->seen    = NsArenaAlloc(branch->arena, sizeof(PetscReal) * (size_t)(system->candidates * NS_ORBIT_KINDS + 1));
  point->impacts = 0;
  point->slowest = point->share = 0;
  for (PetscInt k = 0; k < system->probes; k++) {
    point->low[k]  = PETSC_MAX_REAL;
    point->high[k] = -PETSC_MAX_REAL;
  }
  PetscCall(NsOrbitStability(branch, point));
  PetscCall(NsOrbitFlip(branch, point));
  PetscCall(NsOrbitBranching(branch, point));
  PetscCall(PetscMalloc3(system->m, &views.rate, system->m, &views.second, (size_t)(2 * system->probes + 1), &views.value));
  PetscCall(find_margins(branch, point, 200, &views));
  PetscCall(PetscFree3(views.rate, views.second, views.value));
  for (PetscInt i = 0; i < system->contacts && system->circle; i++) point->share = point->orbit->first[i] != NS_ORBIT_OPEN ? 1 : point->share;
  PetscCall(confirm(branch, point));
  PetscFunctionReturn(0);
}
