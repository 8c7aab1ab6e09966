/*
  What holds the motion where a simulated orbit begins: joints, and contacts that are closed and at rest.

      g(t, q) = 0,   u = W(q)'v + drive = 0        (H moves a state onto these equations, along W)

  Finite differences go along the directions that they leave free, n_k with W'n_k = 0, and q' = T(q) v; T = I but for quaternions and angles that are counted:

      e_k = (T n_k, 0) or (0, n_k),   P'(x) = sum_k (P(H(x + d_k e_k)) - P(H(x - d_k e_k)))/(2 d_k) e*_k',   e*_j'e_k = delta_jk

  so that held directions have the multiplier 0, and the number of simulations is that of the degrees of freedom.

  Angles go round: after a period they may differ by full turns, and a quaternion by its sign. A coordinate is taken as such an angle if forces and gaps are the same after a full turn of all that have
  turned, but not after a part of it: a coordinate along which nothing changes at all has no period.
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "hold.h"
#include "parts.h"
#include "scheme/event_driven.h"

#define NS_HELD  10    /* tolerances of the scheme: a contact within them is closed and at rest */
#define NS_MOVES 8     /* iterations that move a state onto nonlinear equations */
#define NS_ON    1e-14 /* of the model's length */
#define NS_RANK  1e-9
#define NS_SAME  1e-7   /* relative tolerance of equal forces and gaps: of the largest force, and of the model's length or the largest gap */
#define NS_PART  0.7346 /* of a turn: a part after which forces and gaps differ, unless nothing depends on the angle */
#define NS_LATER 0.3771 /* of a step: time after which the gaps of driven joints differ */

static PetscErrorCode place(NsOrbitSystem *system, const PetscReal *x)
{
  const PetscInt n     = system->states / 2;
  NsState       *state = NsRunState(system->run);

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(NsVecArray(state->q), x, n));
  PetscCall(PetscArraycpy(NsVecArray(state->v), x + n, n));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitHeldCreate(NsOrbitSystem *system, NsOrbitHeld *held)
{
  PetscFunctionBegin;
  held->count = 0;
  PetscCall(PetscMalloc1(NsRunModel(system->run)->candidates + 1, &held->contact));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitHeldDestroy(NsOrbitHeld *held)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(held->contact));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitHeldFind(NsOrbitSystem *system, PetscReal t, const PetscReal *x, PetscBool resting, NsOrbitHeld *held)
{
  NsModel               *model    = NsRunModel(system->run);
  const NsEventSettings *settings = NsRunScheme(system->run)->settings; /* with `resting` alone: others than event-driven schemes have none */
  NsState               *state    = NsRunState(system->run);
  PetscReal             *gap;
  NsRows                 rows;

  PetscFunctionBegin;
  held->count = 0;
  if (!model->candidates) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(model->candidates, &gap));
  PetscCall(place(system, x));
  PetscCall(NsModelGap(model, t, state->q, gap));
  PetscCall(NsRowsCreate(model, &rows));
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    PetscReal          u[3]      = {0, 0, 0};
    if (candidate->off && *candidate->off) continue;
    if (!candidate->bilateral && (!resting || gap[i] > NS_HELD * settings->gap_tolerance)) continue;
    if (!candidate->bilateral) {
      PetscCall(NsModelRows(model, t, state->q, 1, &i, &rows));
      PetscCall(NsRowsVelocity(model, &rows, state->v, u));
    }
    if (candidate->bilateral || PetscAbsReal(u[0]) <= NS_HELD * settings->velocity_tolerance) held->contact[held->count++] = i;
  }
  PetscCall(NsRowsDestroy(&rows));
  PetscCall(PetscFree(gap));
  PetscFunctionReturn(0);
}

/* W[n, count] of the normals. */
static void spread(const NsModel *model, const NsRows *rows, PetscReal *W)
{
  const PetscInt *index = NsOrbitTouchIndex(model);

  memset(W, 0, sizeof(*W) * (size_t)(model->unknowns * rows->contacts));
  for (PetscInt k = 0; k < rows->contacts; k++) {
    for (PetscInt j = rows->first[rows->start[k]]; j < rows->first[rows->start[k] + 1]; j++)
      W[k * model->unknowns + index[rows->touch[j]]] += rows->value[j];
  }
}

/* d[n] = -W (W'W)^-1 r; r[count] is destroyed. */
static PetscErrorCode push_back(const NsModel *model, const NsRows *rows, PetscReal *r, PetscReal *d)
{
  const PetscInt count = rows->contacts, n = model->unknowns;
  PetscReal     *W, *G;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)(n * count), &W, (size_t)(count * count), &G));
  spread(model, rows, W);
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt j = 0; j < count; j++) G[j * count + k] = NsOrbitDot(n, W + k * n, W + j * n);
  }
  PetscCall(NsOrbitReact(count, 1, G, r));
  PetscCall(PetscArrayzero(d, n));
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt i = 0; i < n; i++) d[i] += W[k * n + i] * r[k];
  }
  PetscCall(PetscFree2(W, G));
  PetscFunctionReturn(0);
}

/* Onto the gaps (k < NS_MOVES), then onto their rates; *done: they hold. */
static PetscErrorCode move_onto(NsOrbitSystem *system, PetscReal t, const NsOrbitHeld *held, int k, NsRows *rows, Vec d, PetscBool *done)
{
  NsModel   *model = NsRunModel(system->run);
  NsState   *state = NsRunState(system->run);
  PetscReal *gap, *u, *r, largest = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(model->candidates, &gap, 3 * (size_t)held->count, &u, held->count, &r));
  PetscCall(NsModelGap(model, t, state->q, gap));
  PetscCall(NsModelRows(model, t, state->q, held->count, held->contact, rows));
  PetscCall(NsRowsVelocity(model, rows, state->v, u));
  for (PetscInt i = 0; i < held->count; i++) {
    r[i]    = k < NS_MOVES ? gap[held->contact[i]] : u[rows->start[i]];
    largest = PetscMax(largest, PetscAbsReal(r[i]));
  }
  *done = k == NS_MOVES || largest <= NS_ON * model->length_scale;
  PetscCall(push_back(model, rows, r, NsVecArray(d)));
  if (k == NS_MOVES)
    PetscCall(VecAXPY(state->v, 1, d));
  else
    PetscCall(NsModelMove(model, state->q, 1, d, state->q));
  PetscCall(PetscFree3(gap, u, r));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitHold(NsOrbitSystem *system, PetscReal t, const NsOrbitHeld *held, PetscReal *x)
{
  const PetscInt n     = system->states / 2;
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  PetscBool      done  = PETSC_FALSE;
  NsRows         rows;
  Vec            d;

  PetscFunctionBegin;
  if (!held->count && !model->dynamics.move) PetscFunctionReturn(0);
  PetscCall(place(system, x));
  for (PetscInt i = 0; i < n; i++) {
    if (system->idle[i]) NsVecArray(state->v)[i] = 0;
  }
  PetscCall(NsModelTidy(model, state->q));
  if (held->count) {
    PetscCall(VecDuplicate(state->q, &d));
    PetscCall(NsRowsCreate(model, &rows));
    for (int k = 0; k < NS_MOVES && !done; k++) PetscCall(move_onto(system, t, held, k, &rows, d, &done));
    PetscCall(move_onto(system, t, held, NS_MOVES, &rows, d, &done));
    PetscCall(NsRowsDestroy(&rows));
    PetscCall(VecDestroy(&d));
  }
  PetscCall(PetscArraycpy(x, NsVecRead(state->q), n));
  PetscCall(PetscArraycpy(x + n, NsVecRead(state->v), n));
  PetscFunctionReturn(0);
}

/* ---- directions --------------------------------------------------------------------------------------------------------------------------------------------------- */

/* free[count][n]: an orthonormal basis of the velocities that W[n, held] leaves free. */
static PetscErrorCode find_free(const NsOrbitSystem *system, PetscInt held, const PetscReal *W, PetscInt *count, PetscReal *free)
{
  const PetscInt     n = system->states / 2;
  PetscInt           m = 0, rank = 0;
  PetscReal         *A, *s, *U, *work, none;
  const PetscBLASInt room = (PetscBLASInt)(10 * (n + held) + 64), one = 1;
  PetscBLASInt       info;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(free, n * n));
  for (PetscInt i = 0; i < n; i++) m += !system->idle[i];
  PetscCall(PetscMalloc4((size_t)(m * held + 1), &A, PetscMin(m, held) + 1, &s, (size_t)(m * m + 1), &U, room, &work));
  for (PetscInt k = 0; k < held; k++) {
    for (PetscInt i = 0, j = 0; i < n; i++) {
      if (!system->idle[i]) A[k * m + j++] = W[k * n + i];
    }
  }
  if (held) {
    const PetscBLASInt rows = (PetscBLASInt)m, columns = (PetscBLASInt)held;
    LAPACKgesvd_("A", "N", &rows, &columns, A, &rows, s, U, &rows, &none, &one, work, &room, &info);
    PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "directions (gesvd: %d)", (int)info);
    while (rank < PetscMin(m, held) && s[rank] > NS_RANK * s[0]) rank++;
  }
  *count = m - rank;
  for (PetscInt k = 0; k < *count; k++) {
    for (PetscInt i = 0, j = 0; i < n; i++) {
      if (!system->idle[i]) free[k * n + i] = held ? U[(rank + k) * m + j] : j == k, j++;
    }
  }
  PetscCall(PetscFree4(A, s, U, work));
  PetscFunctionReturn(0);
}

/* dual = along (along'along)^-1 */
static PetscErrorCode find_dual(PetscInt n, PetscInt count, const PetscReal *along, PetscReal *dual)
{
  const PetscBLASInt size = (PetscBLASInt)count, width = (PetscBLASInt)n;
  PetscReal         *G, *B;
  PetscBLASInt      *pivot, info;

  PetscFunctionBegin;
  if (!count) PetscFunctionReturn(0); /* joints and drives determine the whole motion */
  PetscCall(PetscMalloc3((size_t)(count * count), &G, (size_t)(count * n), &B, count, &pivot));
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt j = 0; j < count; j++) G[j * count + k] = NsOrbitDot(n, along + k * n, along + j * n);
    for (PetscInt i = 0; i < n; i++) B[i * count + k] = along[k * n + i];
  }
  LAPACKgesv_(&size, &width, G, &size, pivot, B, &size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "directions (gesv: %d)", (int)info);
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt i = 0; i < n; i++) dual[k * n + i] = B[i * count + k];
  }
  PetscCall(PetscFree3(G, B, pivot));
  PetscFunctionReturn(0);
}

/* along = T(q) free */
static PetscErrorCode find_along(NsOrbitSystem *system, NsOrbitDirections *directions)
{
  const PetscInt n     = system->states / 2;
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  Vec            v, rate;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &v, &rate, NULL));
  for (PetscInt k = 0; k < directions->count; k++) {
    PetscCall(PetscArraycpy(NsVecArray(v), directions->free + k * n, n));
    PetscCall(NsModelRate(model, state->q, v, rate));
    PetscCall(PetscArraycpy(directions->along + k * n, NsVecRead(rate), n));
  }
  PetscCall(NsVecsDestroy(&v, &rate, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitDirectionsFind(NsOrbitSystem *system, PetscReal t, const NsOrbitHeld *held, const PetscReal *x, NsOrbitDirections *directions)
{
  const PetscInt n     = system->states / 2;
  NsModel       *model = NsRunModel(system->run);
  PetscReal     *W;
  NsRows         rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)(4 * n * n), &directions->free, (size_t)(n * held->count + 1), &W));
  directions->along      = directions->free + n * n;
  directions->dual_free  = directions->free + 2 * n * n;
  directions->dual_along = directions->free + 3 * n * n;
  PetscCall(place(system, x));
  if (held->count) {
    PetscCall(NsRowsCreate(model, &rows));
    PetscCall(NsModelRows(model, t, NsRunState(system->run)->q, held->count, held->contact, &rows));
    spread(model, &rows, W);
    PetscCall(NsRowsDestroy(&rows));
  }
  PetscCall(find_free(system, held->count, W, &directions->count, directions->free));
  PetscCall(find_along(system, directions));
  PetscCall(PetscArraycpy(directions->dual_free, directions->free, n * directions->count));
  PetscCall(find_dual(n, directions->count, directions->along, directions->dual_along));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitDisplace(
  NsOrbitSystem *system, const NsOrbitDirections *directions, PetscInt k, PetscBool velocity, PetscReal d, const PetscReal *x, PetscReal *y)
{
  const PetscInt n     = system->states / 2;
  NsState       *state = NsRunState(system->run);

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(y, x, 2 * n));
  for (PetscInt i = 0; i < n && velocity; i++) y[n + i] += d * directions->free[k * n + i];
  if (velocity) PetscFunctionReturn(0);
  PetscCall(place(system, x));
  PetscCall(PetscArraycpy(NsVecArray(state->v), directions->free + k * n, n));
  PetscCall(NsModelMove(NsRunModel(system->run), state->q, d, state->v, state->q));
  PetscCall(PetscArraycpy(y, NsVecRead(state->q), n));
  PetscFunctionReturn(0);
}

/* ---- full turns --------------------------------------------------------------------------------------------------------------------------------------------------- */

/* Forces and gaps at x. value[n + candidates] */
static PetscErrorCode feel(NsOrbitSystem *system, PetscReal t, const PetscReal *x, PetscReal *value)
{
  NsModel *model = NsRunModel(system->run);
  NsState *state = NsRunState(system->run);
  Vec      h;

  PetscFunctionBegin;
  PetscCall(place(system, x));
  PetscCall(VecDuplicate(state->q, &h));
  PetscCall(NsModelForce(model, t, state->q, state->v, h));
  PetscCall(PetscArraycpy(value, NsVecRead(h), model->unknowns));
  PetscCall(VecDestroy(&h));
  if (model->candidates) PetscCall(NsModelGap(model, t, state->q, value + model->unknowns));
  PetscFunctionReturn(0);
}

/* Joints whose gaps change with time are driven: a turn is that of the drive. */
static PetscErrorCode feels_the_same(NsOrbitSystem *system, PetscReal t, const PetscReal *a, const PetscReal *b, PetscBool *same)
{
  const NsModel  *model = NsRunModel(system->run);
  const PetscInt  n = model->unknowns, count = n + model->candidates;
  const PetscReal later = t + NS_LATER * ((const NsSchemeSettings *)NsRunScheme(system->run)->settings)->step;
  PetscReal      *at_a, *at_b, *then;

  PetscFunctionBegin;
  *same = PETSC_TRUE;
  PetscCall(PetscMalloc3(count, &at_a, count, &at_b, count, &then));
  PetscCall(feel(system, t, a, at_a));
  PetscCall(feel(system, t, b, at_b));
  PetscCall(feel(system, later, a, then));
  for (int gaps = 0; gaps < 2; gaps++) {
    PetscReal largest = gaps ? model->length_scale : 0, error = 0;
    for (PetscInt i = gaps ? n : 0; i < (gaps ? count : n); i++) {
      if (gaps && model->candidate[i - n].bilateral && at_a[i] != then[i]) continue;
      error   = PetscMax(error, PetscAbsReal(at_a[i] - at_b[i]));
      largest = PetscMax(largest, PetscMax(PetscAbsReal(at_a[i]), PetscAbsReal(at_b[i])));
    }
    *same = *same && error <= NS_SAME * largest;
  }
  PetscCall(PetscFree3(at_a, at_b, then));
  PetscFunctionReturn(0);
}

/* By the shortest way from q0: the other sign of quaternions, and angles of joints without their full turns. */
static PetscErrorCode go_short_way(NsOrbitSystem *system, PetscReal t, const PetscReal *x0, PetscReal *x1)
{
  const PetscInt n     = system->states / 2;
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  PetscReal     *x;
  PetscBool      same = PETSC_TRUE, far = PETSC_FALSE;
  Vec            q0, d;

  PetscFunctionBegin;
  if (!model->dynamics.way) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(system->states, &x));
  PetscCall(NsVecsCreate(model, &q0, &d, NULL));
  PetscCall(place(system, x1));
  PetscCall(PetscArraycpy(NsVecArray(q0), x0, n));
  PetscCall(NsModelTidy(model, q0));
  PetscCall(NsModelWay(model, q0, state->q, d));
  PetscCall(NsModelMove(model, q0, 1, d, state->q));
  PetscCall(PetscArraycpy(x, NsVecRead(state->q), n));
  PetscCall(PetscArraycpy(x + n, x1 + n, n));
  PetscCall(NsVecsDestroy(&q0, &d, NULL));
  for (PetscInt i = 0; i < n; i++) far = far || PetscAbsReal(x[i] - x1[i]) > 0.1;
  if (far) PetscCall(feels_the_same(system, t, x1, x, &same));
  if (same) PetscCall(PetscArraycpy(x1, x, n));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitTurnBack(NsOrbitSystem *system, PetscReal t, const PetscReal *x0, PetscReal *x1)
{
  const PetscInt n = system->states / 2;
  PetscReal     *x, *part;
  PetscBool      turned = PETSC_FALSE, known = PETSC_TRUE, same = PETSC_TRUE, always = PETSC_FALSE;

  PetscFunctionBegin;
  if (!system->run || system->circle) PetscFunctionReturn(0);
  PetscCall(go_short_way(system, t, x0, x1));
  PetscCall(PetscMalloc2(system->states, &x, system->states, &part));
  for (PetscInt i = 0; i < 2 * n; i++) {
    const PetscReal turns = i < n ? rint((x1[i] - x0[i]) / (2 * PETSC_PI)) : 0;
    x[i]                  = turns != 0 ? x1[i] - 2 * PETSC_PI * turns : x1[i];
    part[i]               = turns != 0 ? x1[i] - NS_PART * 2 * PETSC_PI * turns : x1[i];
    turned                = turned || turns != 0;
    known                 = known && (turns == 0 || system->turning[i]);
  }
  if (turned && !known) {
    PetscCall(feels_the_same(system, t, x1, x, &same));
    if (same) PetscCall(feels_the_same(system, t, x1, part, &always));
    for (PetscInt i = 0; i < n && same && !always; i++) system->turning[i] = system->turning[i] || x[i] != x1[i];
  }
  if (turned && same && !always) PetscCall(PetscArraycpy(x1, x, n));
  PetscCall(PetscFree2(x, part));
  PetscFunctionReturn(0);
}
