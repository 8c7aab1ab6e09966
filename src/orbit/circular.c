/*
  Circular whirl: the motion q(t) = R(theta(t)) q_r of a model that looks the same after any rotation R about an axis, theta' = omega constant. In the frame that turns with omega it is an
  equilibrium, with v = R v_r the velocities in space, R = exp(theta S):

      F(q_r, v_r) = ( v_r - omega S q_r,   M^-1 (h(t0, q_r, v_r) + W lambda) - omega S v_r ) = 0

  No motion is simulated, and the scheme of the config has no influence: full annular rub is an algebraic problem, with contacts as exact as the model has them, nonlinear laws and friction in
  space. The multipliers are exp(s T) with the eigenvalues s of A = F', T = 2 pi/|omega|: those of the motion in space over one turn, because R(2 pi) = I.

  A closed contact slides, with friction against its slip: b = M^-1 (w_N - mu w_T u_T/|u_T|), and its force follows from

      g'' + 2 alpha g' + alpha^2 g = 0,      alpha = NS_STIFF/T

  so that F = 0 has g = 0, and both multipliers of the held gap are exp(-NS_STIFF) = 0: the motion of g is decoupled from all other motion, which alpha does not change.

  Newton's method and its scales want residuals that are states. F is one over time; a stiff mesh would make its second half huge, so that the residual is
      r = ( F_q/omega,   omega (M^-1 K + omega^2)^-1 F_v ),      K the stiffness at q = 0.

  A is exact where the model is linear, but for reactions; else by central differences. Cost of a residual: some solutions with M for each unknown; of multipliers: the eigenvalues of A.
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "circular.h"
#include "contact/laws/law.h"

#define NS_STIFF   700.0
#define NS_TOUCHES 1e-7 /* of the largest position: a gap up to this is closed where a sequence is looked for */

/* ---- turning ------------------------------------------------------------------------------------------------------------------------------------------------- */

void NsOrbitTurn(const NsOrbitCircle *circle, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < circle->n; i++) y[i] = 0;
  for (PetscInt e = 0; e < circle->entries; e++) y[circle->to[e]] += circle->value[e] * x[circle->from[e]];
}

void NsOrbitRotate(const NsOrbitCircle *circle, PetscReal angle, const PetscReal *x, PetscReal *y, PetscReal *work)
{
  const PetscInt n = circle->n;

  for (int half = 0; half < 2; half++) {
    NsOrbitTurn(circle, x + half * n, work);
    NsOrbitTurn(circle, work, work + n);
    for (PetscInt i = 0; i < n; i++) y[half * n + i] = x[half * n + i] + sin(angle) * work[i] + (1 - cos(angle)) * work[n + i];
  }
}

/* ---- equations ------------------------------------------------------------------------------------------------------------------------------------------------ */

static PetscReal along_row(const NsOrbitCircle *circle, PetscInt row, const PetscReal *x)
{
  const PetscInt *index = NsOrbitTouchIndex(circle->model);
  PetscReal       sum   = 0;

  for (PetscInt j = circle->rows.first[row]; j < circle->rows.first[row + 1]; j++) sum += circle->rows.value[j] * x[index[circle->rows.touch[j]]];
  return sum;
}

static void add_row(const NsOrbitCircle *circle, PetscInt row, PetscReal scale, PetscReal *x)
{
  const PetscInt *index = NsOrbitTouchIndex(circle->model);

  for (PetscInt j = circle->rows.first[row]; j < circle->rows.first[row + 1]; j++) x[index[circle->rows.touch[j]]] += scale * circle->rows.value[j];
}

static void solve_mass(const NsOrbitCircle *circle, PetscReal *x)
{
  const PetscBLASInt n = (PetscBLASInt)circle->n, one = 1;
  PetscBLASInt       info;

  LAPACKgetrs_("N", &n, &one, circle->M, &n, circle->pivot, x, &n, &info);
}

/* b = M^-1 (w_N - mu w_T u_T/|u_T|) of the contact that is number k of the rows. Without slip there is no direction: NaN. */
static void fill_push(NsOrbitCircle *circle, PetscInt k, PetscReal *b)
{
  const PetscInt first = circle->rows.start[k], count = circle->rows.start[k + 1] - first;
  const NsLaw   *law  = &circle->model->candidate[circle->rows.contact[k]].law;
  PetscReal      size = 0, u[3];

  for (PetscInt i = 0; i < circle->n; i++) b[i] = 0;
  add_row(circle, first, 1, b);
  for (PetscInt d = 1; d < count; d++) {
    u[d] = along_row(circle, first + d, NsVecRead(circle->v)) + circle->rows.drive[first + d];
    size = hypot(size, u[d]);
  }
  const PetscReal friction = count > 1 ? NsLawFriction(law, size) : 0;
  for (PetscInt d = 1; d < count && friction > 0; d++) add_row(circle, first + d, -friction * u[d] / size, b);
  solve_mass(circle, b);
}

/* a[n] += sum b lambda of the contacts that `state` has closed; circle->force. */
static PetscErrorCode react(NsOrbitCircle *circle, NsContact *contact, PetscReal t, PetscReal alpha, const unsigned char *state, PetscReal *a)
{
  NsModel     *model = circle->model;
  PetscInt    *list = NsContactSelected(contact), count = 0;
  PetscBLASInt info, one                                = 1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < model->candidates; i++) {
    circle->force[i] = 0;
    if (state[i] != NS_ORBIT_OPEN) list[count++] = i;
  }
  if (!count) PetscFunctionReturn(0);
  const PetscBLASInt size = (PetscBLASInt)count;
  PetscReal         *force;
  PetscBLASInt      *pivot;
  PetscCall(PetscMalloc2(count, &force, count, &pivot));
  PetscCall(NsModelGap(model, t, circle->q, circle->gap));
  PetscCall(NsModelRows(model, t, circle->q, count, list, &circle->rows));
  PetscCall(NsModelRowrate(model, t, circle->q, circle->v, &circle->rows, circle->rate));
  for (PetscInt k = 0; k < count; k++) fill_push(circle, k, circle->b + k * circle->n);
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt  row = circle->rows.start[k];
    const PetscReal u   = along_row(circle, row, NsVecRead(circle->v)) + circle->rows.drive[row];
    force[k]            = -(along_row(circle, row, a) + circle->rate[row] + 2 * alpha * u + alpha * alpha * circle->gap[circle->rows.contact[k]]);
    for (PetscInt j = 0; j < count; j++) circle->G[j * count + k] = along_row(circle, row, circle->b + j * circle->n);
  }
  LAPACKgesv_(&size, &one, circle->G, &size, pivot, force, &size, &info);
  for (PetscInt k = 0; k < count; k++) {
    const PetscReal lambda                 = info ? NAN : force[k];
    circle->force[circle->rows.contact[k]] = lambda;
    for (PetscInt i = 0; i < circle->n; i++) a[i] += circle->b[k * circle->n + i] * lambda;
  }
  PetscCall(PetscFree2(force, pivot));
  PetscFunctionReturn(0);
}

/* a[n] = M^-1 (h + W lambda) at t, y[2 n]. */
static PetscErrorCode accelerate(const NsOrbitSystem *system, PetscReal t, PetscReal T, const unsigned char *state, const PetscReal *y, PetscReal *a)
{
  NsOrbitCircle *circle = system->circle;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(NsVecArray(circle->q), y, circle->n));
  PetscCall(PetscArraycpy(NsVecArray(circle->v), y + circle->n, circle->n));
  PetscCall(NsModelForce(circle->model, t, circle->q, circle->v, circle->h));
  PetscCall(PetscArraycpy(a, NsVecRead(circle->h), circle->n));
  solve_mass(circle, a);
  if (circle->model->candidates) PetscCall(react(circle, NsRunContact(system->run), t, NS_STIFF / T, state, a));
  PetscFunctionReturn(0);
}

static PetscReal speed_of(const NsOrbit *orbit)
{
  return (PetscReal)orbit->sense * 2 * PETSC_PI / orbit->T;
}

/* What a column of A or F becomes in the residual. */
static void precondition(NsOrbitCircle *circle, PetscReal omega, PetscInt columns, PetscReal *F)
{
  const PetscBLASInt n = (PetscBLASInt)circle->n, width = (PetscBLASInt)columns, stride = 2 * n;
  PetscBLASInt       info;

  LAPACKgetrs_("N", &n, &width, circle->D, &n, circle->pivot_D, F + circle->n, &stride, &info);
  for (PetscInt k = 0; k < columns * 2 * circle->n; k++) F[k] = k % (2 * circle->n) < circle->n ? F[k] / omega : F[k] * omega;
}

/* The size of a change of state j for differences: kinds are displacements, rotations, and their rates. */
static PetscReal apart(const NsOrbitCircle *circle, const PetscReal *y, PetscInt j)
{
  const PetscInt n = circle->n, from = j < n ? 0 : n;
  PetscReal      largest = 0;

  for (PetscInt i = 0; i < n; i++) {
    if (circle->turns[i] == circle->turns[j - from]) largest = PetscMax(largest, PetscAbsReal(y[from + i]));
  }
  return NS_APART * (largest > 0 ? largest : 1e-3 * circle->model->length_scale);
}

/* circle->A at y. */
static PetscErrorCode differentiate(const NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *y)
{
  NsOrbitCircle  *circle = system->circle;
  const PetscInt  n      = circle->n;
  const PetscReal omega  = speed_of(orbit);

  PetscFunctionBegin;
  PetscBool closed = PETSC_FALSE;
  for (PetscInt i = 0; i < system->contacts; i++) closed = closed || orbit->first[i] != NS_ORBIT_OPEN;
  PetscCall(PetscArrayzero(circle->A, 4 * n * n));
  for (PetscInt j = 0; j < 2 * n; j++) {
    PetscReal *to = circle->A + j * 2 * n + n;
    if (circle->model->linear && !closed) {
      for (PetscInt i = 0; i < n; i++) to[i] = -(j < n ? circle->K : circle->C)[(j % n) * n + i];
      continue;
    }
    const PetscReal here = y[j], d = apart(circle, y, j);
    y[j] = here + d;
    PetscCall(accelerate(system, 0, orbit->T, orbit->first, y, circle->up));
    const PetscReal above = y[j];
    y[j]                  = here - d;
    PetscCall(accelerate(system, 0, orbit->T, orbit->first, y, circle->down));
    for (PetscInt i = 0; i < n; i++) to[i] = (circle->up[i] - circle->down[i]) / (above - y[j]);
    y[j] = here;
  }
  for (PetscInt j = 0; j < n; j++) circle->A[(n + j) * 2 * n + j] += 1;
  for (PetscInt e = 0; e < circle->entries; e++) {
    for (int half = 0; half < 2; half++) circle->A[(half * n + circle->from[e]) * 2 * n + half * n + circle->to[e]] -= omega * circle->value[e];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleResidual(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *r, PetscReal *J)
{
  NsOrbitCircle     *circle = system->circle;
  const PetscInt     n      = circle->n;
  const PetscReal    omega  = speed_of(orbit);
  const PetscBLASInt size   = (PetscBLASInt)n;
  PetscBLASInt       info;
  PetscReal         *y;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(2 * n), &y));
  PetscCall(PetscArraycpy(y, orbit->x0, 2 * n));
  PetscCall(PetscArraycpy(circle->D, circle->K, n * n));
  for (PetscInt i = 0; i < n; i++) circle->D[i * (n + 1)] += omega * omega;
  LAPACKgetrf_(&size, &size, circle->D, &size, circle->pivot_D, &info);
  if (J) {
    PetscCall(differentiate(system, orbit, y));
    PetscCall(PetscArraycpy(J, circle->A, 4 * n * n));
    precondition(circle, omega, 2 * n, J);
    if (!(system->period > 0)) { /* by the period: omega' = -omega/T */
      NsOrbitTurn(circle, y, J + 4 * n * n);
      NsOrbitTurn(circle, y + n, J + 4 * n * n + n);
      for (PetscInt i = 0; i < 2 * n; i++) J[4 * n * n + i] *= omega / orbit->T;
      precondition(circle, omega, 1, J + 4 * n * n);
    }
  }
  NsOrbitTurn(circle, y, r);
  PetscCall(accelerate(system, 0, orbit->T, orbit->first, y, circle->up));
  for (PetscInt i = 0; i < n; i++) r[i] = y[n + i] - omega * r[i];
  NsOrbitTurn(circle, y + n, r + n);
  for (PetscInt i = 0; i < n; i++) r[n + i] = circle->up[i] - omega * r[n + i];
  precondition(circle, omega, 1, r);
  PetscCall(PetscFree(y));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleMonodromy(const NsOrbitSystem *system, PetscReal *M)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(M, system->circle->A, system->states * system->states));
  PetscFunctionReturn(0);
}

void NsOrbitCircleField(const NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *f)
{
  const NsOrbitCircle *circle = system->circle;

  NsOrbitTurn(circle, orbit->x0, f);
  NsOrbitTurn(circle, orbit->x0 + circle->n, f + circle->n);
  for (PetscInt i = 0; i < 2 * circle->n; i++) f[i] *= speed_of(orbit);
}

/* ---- along it ------------------------------------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsOrbitCircleTrace(
  NsOrbitSystem *system, const NsOrbit *orbit, PetscInt least, void (*look)(void *context, const NsOrbitMoment *), void *context)
{
  NsOrbitCircle *circle = system->circle;
  PetscReal     *x, *work;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(system->m, &x, (size_t)(2 * circle->n), &work));
  PetscCall(accelerate(system, 0, orbit->T, orbit->first, orbit->x0, circle->up));
  for (PetscInt k = 0; k <= least; k++) {
    const PetscReal part = (PetscReal)k / (PetscReal)least;
    NsOrbitRotate(circle, (PetscReal)orbit->sense * 2 * PETSC_PI * part, orbit->x0, x, work);
    x[system->states] = 1;
    for (PetscInt i = 0; i < system->contacts; i++) x[system->states + 1 + i] = circle->force[i];
    look(context, &(NsOrbitMoment){.t = part * orbit->T, .x = x});
  }
  PetscCall(PetscFree2(x, work));
  PetscFunctionReturn(0);
}

/* Gaps of open contacts and forces of closed ones into value[contacts]. */
static PetscErrorCode find_margins(NsOrbitSystem *system, PetscReal T, const unsigned char *state, const PetscReal *x0, PetscReal *value)
{
  NsOrbitCircle *circle = system->circle;

  PetscFunctionBegin;
  PetscCall(accelerate(system, 0, T, state, x0, circle->up));
  for (PetscInt i = 0; i < system->contacts; i++) value[i] = circle->force[i];
  if (system->contacts) {
    PetscInt *list = NsContactSelected(NsRunContact(system->run));
    for (PetscInt i = 0; i < system->contacts; i++) list[i] = i;
    PetscCall(NsModelGap(circle->model, 0, circle->q, circle->gap));
  }
  for (PetscInt i = 0; i < system->contacts; i++) value[i] = state[i] == NS_ORBIT_OPEN ? circle->gap[i] : value[i];
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleMargins(NsOrbitSystem *system, const NsOrbit *orbit, NsOrbitMargin *margin)
{
  PetscReal *value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(system->contacts + 1, &value));
  PetscCall(find_margins(system, orbit->T, orbit->first, orbit->x0, value));
  for (PetscInt i = 0; i < system->contacts; i++)
    margin[i] = (NsOrbitMargin){orbit->first[i] == NS_ORBIT_OPEN ? NS_ORBIT_CLOSES : NS_ORBIT_OPENS, i, PETSC_FALSE, value[i]};
  PetscCall(PetscFree(value));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleFly(
  NsOrbitSystem *system, PetscReal T, const PetscReal *x0, const unsigned char *first, NsArena *arena, NsOrbit *orbit, PetscReal *x1)
{
  PetscReal *value, largest = 0;

  PetscFunctionBegin;
  orbit->count = 0;
  orbit->first = NsArenaAlloc(arena, (size_t)system->contacts + 1);
  orbit->step  = NsArenaAlloc(arena, sizeof(*orbit->step));
  orbit->theta = NsArenaAlloc(arena, sizeof(PetscReal));
  orbit->x0    = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)system->states);
  orbit->T     = T;
  PetscCall(PetscArraycpy(orbit->x0, x0, system->states));
  PetscCall(PetscArraycpy(x1, x0, system->states));
  for (PetscInt i = 0; i < system->circle->n; i++) largest = PetscMax(largest, PetscAbsReal(x0[i]));
  PetscCall(PetscCalloc1(system->contacts + 1, &value));
  if (first)
    memcpy(orbit->first, first, (size_t)system->contacts);
  else { /* what touches is closed */
    PetscCall(find_margins(system, T, orbit->first, x0, value));
    for (PetscInt i = 0; i < system->contacts; i++) orbit->first[i] = value[i] <= NS_TOUCHES * largest ? NS_ORBIT_CLOSED : NS_ORBIT_OPEN;
  }
  PetscCall(find_margins(system, T, orbit->first, x0, value));
  for (PetscInt i = 0; i < system->contacts; i++) {
    if (value[i] < 0) orbit->first[i] = orbit->first[i] == NS_ORBIT_OPEN ? NS_ORBIT_CLOSED : NS_ORBIT_OPEN;
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleShrink(NsOrbitSystem *system, NsOrbit *orbit)
{
  const PetscInt n = system->states;
  PetscReal     *gap, *x, low = 0, high = 1;
  unsigned char *open;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(system->contacts + 1, &gap, n, &x, (size_t)system->contacts + 1, &open));
  for (int k = 0; k < 50; k++) {
    const PetscReal s     = k ? (low + high) / 2 : 1;
    PetscReal       least = 0;
    for (PetscInt i = 0; i < n; i++) x[i] = s * orbit->x0[i];
    PetscCall(find_margins(system, orbit->T, open, x, gap));
    for (PetscInt i = 0; i < system->contacts; i++) least = PetscMin(least, gap[i]);
    if (k == 0 && least >= 0) break;
    *(least < 0 ? &high : &low) = s;
  }
  for (PetscInt i = 0; i < n && high < 1; i++) orbit->x0[i] *= high;
  PetscCall(PetscFree3(gap, x, open));
  PetscFunctionReturn(0);
}

void NsOrbitCircleTurn(const NsOrbitSystem *system, PetscReal angle, NsOrbit *orbit)
{
  NsOrbitCircle *circle = system->circle;

  NsOrbitRotate(circle, angle, orbit->x0, circle->up, circle->down);
  for (PetscInt i = 0; i < system->states; i++) orbit->x0[i] = circle->up[i];
}

PetscErrorCode NsOrbitCircleHolds(NsOrbitSystem *system, const NsOrbit *orbit, PetscBool *holds)
{
  const PetscReal angle[] = {0.7, 2.3, 4.1};
  NsOrbitCircle  *circle  = system->circle;
  const PetscInt  n       = circle->n;
  PetscReal      *a, *y, *work, largest = 0, error = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3((size_t)(4 * n), &a, (size_t)(2 * n), &y, (size_t)(2 * n), &work));
  PetscCall(accelerate(system, 0, orbit->T, orbit->first, orbit->x0, a));
  for (PetscInt i = 0; i < n; i++) largest = PetscMax(largest, PetscAbsReal(a[i]));
  for (size_t k = 0; k < sizeof(angle) / sizeof(*angle); k++) {
    NsOrbitRotate(circle, angle[k], orbit->x0, y, work);
    PetscCall(accelerate(system, angle[k] / speed_of(orbit), orbit->T, orbit->first, y, circle->up));
    NsOrbitRotate(circle, angle[k], a, a + 2 * n, work);
    for (PetscInt i = 0; i < n; i++) error = PetscMax(error, PetscAbsReal(circle->up[i] - a[2 * n + i]));
  }
  *holds = error <= NS_ROUND * largest;
  PetscCall(PetscFree3(a, y, work));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitCircleSpeed(NsOrbitSystem *system, const PetscReal *x, PetscReal *omega)
{
  NsOrbitCircle *circle = system->circle;
  PetscReal      above = 0, below = 0, *y = circle->up;

  PetscFunctionBegin;
  NsOrbitTurn(circle, x, y);
  for (PetscInt i = 0; i < circle->n; i++) {
    above += circle->turns[i] ? 0 : x[circle->n + i] * y[i];
    below += circle->turns[i] ? 0 : y[i] * y[i];
  }
  *omega = below > 0 ? above / below : 0;
  PetscFunctionReturn(0);
}
