/*
  Common code of the methods: rows of held contacts, the index-1 system, step size control.

  Index-1 system ([E] (5), (15)), with the rows' rates d of the model:

      a = M^-1 (h + W_P lambda),   W_u' a + d = 0

  through the Delassus matrix W_u' M^-1 W_P, as all contact here: small, dense, and it may be singular.
*/
#include "dae.h"
#include "contact/laws/law.h"
#include "control.h"

/* Equations that depend on each other fit to rounding, and after a while to the drift of the method: by more than this part of their terms they contradict each other. */
#define NS_CONTRADICTION 1e-6

static void serialize_held(void *data, NsArchive *archive)
{
  NsHeld *held = data;

  NsArchiveCount(archive, "held", &held->count, held->candidates);
  NsArchiveIndices(archive, "held_contact", held->count, held->contact, held->candidates);
  NsArchiveBytes(archive, "held_kind", sizeof(*held->kind) * (size_t)held->count, held->kind);
  for (PetscInt k = 0; k < held->count && archive->reading; k++) {
    if ((int)held->kind[k] < 0 || held->kind[k] > NS_HOLD_SLIP) NsArchiveDeny(archive, "held_kind");
  }
  NsArchiveReals(archive, "held_sense", held->count, held->sense);
}

PetscErrorCode NsDaeHeldDeclare(NsWorkspace *work, NsHeld *held, PetscBool history)
{
  PetscFunctionBegin;
  held->candidates = work->candidates;
  PetscCall(NsWorkInts(work, work->candidates, &held->contact, NULL));
  PetscCall(NsWorkBytes(work, sizeof(*held->kind) * (size_t)work->candidates, &held->kind));
  PetscCall(NsWorkReals(work, work->candidates, &held->sense, NULL));
  if (history) PetscCall(NsHistoryOther(work, serialize_held, held));
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeCreate(const NsDaeMethod *method, NsContact *contact, NsWorkspace *work, NsDae **result)
{
  NsDae *dae;

  PetscFunctionBegin;
  PetscCall(NsWorkBytes(work, sizeof(*dae), result));
  dae          = *result;
  dae->method  = method;
  dae->model   = work->model;
  dae->contact = contact;
  dae->rho     = 0.8;
  PetscCall(NsWorkCompliance(work, 0, &dae->mass));
  PetscCall(NsWorkVecs(work, &dae->q1, &dae->v1, &dae->eq, &dae->ev, NULL));
  PetscCall(NsWorkRows(work, &dae->wu, &dae->wp, &dae->all, NULL));
  PetscCall(NsWorkReals(work, work->rows, &dae->lambda, &dae->b, &dae->rate, NULL));
  PetscCall(NsWorkReals(work, work->candidates, &dae->friction, NULL));
  PetscCall(NsDaeHeldDeclare(work, &dae->held, PETSC_TRUE));
  PetscCall(NsHistoryFlag(work, "sliding", &dae->sliding));
  PetscCall(NsHistoryNumbers(work, "size_q", 1, &dae->size_q));
  PetscCall(NsHistoryNumbers(work, "size_v", 1, &dae->size_v));
  PetscCall(NsHistoryNumbers(work, "free_size", 1, &dae->free_size));
  PetscCall(NsHistoryNumbers(work, "last", 1, &dae->last));
  PetscCall(NsHistoryCounts(work, "work", sizeof(dae->work) / sizeof(PetscInt64), &dae->work.steps)); /* it has nothing but counts */
  PetscCall(NsWorkBytes(work, method->size, &dae->data));
  PetscCall(method->declare(dae, work));
  PetscFunctionReturn(0);
}

/* ---- what is held ------------------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsDaeHold(NsDae *dae, const NsHeld *held)
{
  PetscFunctionBegin;
  dae->held.count = held->count;
  dae->sliding    = PETSC_FALSE;
  for (PetscInt i = 0; i < held->count; i++) {
    const NsCandidate *candidate = &dae->model->candidate[held->contact[i]];
    if (held->kind[i] != NS_HOLD_SLIP) continue;
    PetscCheck(candidate->directions <= 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "slip along two tangents is not supported");
    dae->sliding = dae->sliding || (candidate->law.kinds & NS_LAW_SLIDING);
  }
  PetscCall(PetscArraycpy(dae->held.contact, held->contact, held->count));
  PetscCall(PetscArraycpy(dae->held.kind, held->kind, held->count));
  PetscCall(PetscArraycpy(dae->held.sense, held->sense, held->count));
  PetscFunctionReturn(0);
}

/* Row `from` of all, times a factor, is added to the last row of `to`, which is not finished. */
static void add_to_row(const NsRows *all, PetscInt from, PetscReal factor, NsRows *to, PetscInt *end)
{
  const PetscInt begin = to->first[to->rows];

  for (PetscInt j = all->first[from]; j < all->first[from + 1]; j++) {
    PetscInt at = begin;
    while (at < *end && to->touch[at] != all->touch[j]) at++;
    if (at == *end) {
      to->touch[at] = all->touch[j];
      to->value[at] = 0;
      ++*end;
    }
    to->value[at] += factor * all->value[j];
  }
}

/* The rows of held contacts, selected from all directions: those of the equations, or of the forces. */
static void take_rows(const NsDae *dae, PetscBool forces, NsRows *to)
{
  const NsRows *all = &dae->all;
  PetscInt      end = 0;

  to->contacts = all->contacts;
  to->rows     = 0;
  to->first[0] = 0;
  for (PetscInt i = 0; i < all->contacts; i++) {
    const PetscInt first = all->start[i], directions = all->start[i + 1] - first, taken = dae->held.kind[i] == NS_HOLD_STICK ? directions : 1;
    to->contact[i] = all->contact[i];
    to->start[i]   = to->rows;
    for (PetscInt d = 0; d < taken; d++) {
      add_to_row(all, first + d, 1, to, &end);
      if (forces && dae->held.kind[i] == NS_HOLD_SLIP && directions > 1) add_to_row(all, first + 1, -dae->held.sense[i] * dae->friction[i], to, &end);
      to->drive[to->rows]   = all->drive[first + d];
      to->first[++to->rows] = end;
    }
  }
  to->start[all->contacts] = to->rows;
}

/* Friction coefficients of slipping contacts at the velocities v; NULL: at rest. Where the coefficient jumps, a contact that is about to slip has the kinetic one. */
static PetscErrorCode find_friction(NsDae *dae, Vec v)
{
  const NsRows *all = &dae->all;

  PetscFunctionBegin;
  if (dae->sliding && v) PetscCall(NsRowsVelocity(dae->model, all, v, dae->b));
  for (PetscInt i = 0; i < all->contacts; i++) {
    const NsLaw    *law   = &dae->model->candidate[all->contact[i]].law;
    const PetscBool slips = dae->held.kind[i] == NS_HOLD_SLIP && all->start[i + 1] - all->start[i] > 1;
    dae->friction[i]      = !slips ? 0 : NsLawFriction(law, PetscMax(dae->sliding && v ? PetscAbsReal(dae->b[all->start[i] + 1]) : 0, PETSC_SMALL));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeRows(NsDae *dae, PetscReal t, Vec q, Vec v, NsRows *wu, NsRows *wp)
{
  PetscFunctionBegin;
  PetscCall(NsModelRows(dae->model, t, q, dae->held.count, dae->held.contact, &dae->all));
  dae->work.rows++;
  PetscCall(find_friction(dae, v));
  take_rows(dae, PETSC_FALSE, wu);
  take_rows(dae, PETSC_TRUE, wp);
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeSlide(NsDae *dae, Vec v, NsRows *wp)
{
  PetscFunctionBegin;
  if (!dae->sliding) PetscFunctionReturn(0);
  PetscCall(find_friction(dae, v));
  take_rows(dae, PETSC_TRUE, wp);
  PetscFunctionReturn(0);
}

/* The largest of the terms that the velocities W'x + drive of NsRowsVelocity, the last call with these rows, are sums of. */
static PetscReal largest_term(const NsRows *rows)
{
  PetscReal largest = 0;

  for (PetscInt k = 0; k < rows->rows; k++) {
    largest = PetscMax(largest, PetscAbsReal(rows->drive[k]));
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++)
      largest = PetscMax(largest, PetscAbsReal(rows->value[j] * rows->touched[rows->touch[j]]));
  }
  return largest;
}

PetscErrorCode NsDaeSolve(
  NsDae *dae, NsCompliance *compliance, const NsRows *wu, const NsRows *wp, Vec x, const PetscReal *shift, PetscReal size, PetscBool *done)
{
  NsContact *contact = dae->contact;
  PetscReal  left;

  PetscFunctionBegin;
  PetscCall(NsRowsVelocity(dae->model, wu, x, dae->b));
  size = PetscMax(size, largest_term(wu));
  for (PetscInt k = 0; k < wu->rows && shift; k++) {
    dae->b[k] += shift[k];
    size = PetscMax(size, PetscAbsReal(shift[k]));
  }
  PetscCall(NsContactDelassus(contact, compliance, wu, wp));
  PetscCall(NsContactFit(contact, wu, dae->b, dae->lambda, &left));
  dae->work.solves++;
  *done = left <= NS_CONTRADICTION * size;
  if (*done)
    PetscCall(NsComplianceApply(compliance, wp, dae->lambda, 1, x));
  else if (left / size <= PETSC_MAX_REAL)
    PetscCall(PetscSNPrintf(dae->reason, sizeof(dae->reason),
      "the equations of closed contacts and joints (%" PetscInt_FMT ") contradict each other, relative residual %.1e", wu->contacts, left / size));
  else
    PetscCall(PetscSNPrintf(dae->reason, sizeof(dae->reason), "the equations of closed contacts and joints (%" PetscInt_FMT ") are %s", wu->contacts,
      NsContactOverflow(contact, NULL) ? "coupled too densely for the memory of their matrix" : "not finite"));
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeFreeAcceleration(NsDae *dae, PetscReal t, Vec q, Vec v, Vec a)
{
  PetscFunctionBegin;
  PetscCall(NsModelAccel(dae->model, t, q, v, a));
  dae->work.forces++;
  dae->work.solves++;
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeForces(NsDae *dae, PetscReal t, Vec q, Vec v, Vec a, PetscBool *done)
{
  const NsRows *all = &dae->all, *wu = &dae->wu;

  PetscFunctionBegin;
  *done = PETSC_TRUE;
  PetscCall(NsDaeFreeAcceleration(dae, t, q, v, a));
  PetscCall(NsDaeRows(dae, t, q, v, &dae->wu, &dae->wp));
  if (!dae->held.count) PetscFunctionReturn(0);
  PetscCall(NsModelRowrate(dae->model, t, q, v, all, dae->rate));
  dae->work.rates++;
  for (PetscInt i = 0; i < wu->contacts; i++) { /* in place: no row moves up */
    for (PetscInt k = wu->start[i]; k < wu->start[i + 1]; k++) dae->rate[k] = dae->rate[all->start[i] + k - wu->start[i]] - wu->drive[k];
  }
  PetscCall(NsComplianceUpdate(dae->mass, t, q, v, (NsOperator){1, 0, 0}));
  PetscCall(NsDaeSolve(dae, dae->mass, wu, &dae->wp, a, dae->rate, 0, done));
  PetscFunctionReturn(0);
}

/* ---- steps -------------------------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsDaeCombine(Vec y0, PetscReal h, PetscInt count, const PetscReal *coefficient, Vec *x, Vec y)
{
  PetscReal scaled[NS_DAE_STAGES];

  PetscFunctionBegin;
  for (PetscInt j = 0; j < count; j++) scaled[j] = h * coefficient[j];
  if (y0)
    PetscCall(VecCopy(y0, y));
  else
    PetscCall(VecZeroEntries(y));
  PetscCall(VecMAXPY(y, count, scaled, x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeRatesDeclare(NsDae *dae, NsWorkspace *work, int count, const Vec *velocity, Vec *rate)
{
  PetscFunctionBegin;
  for (int i = 0; i < count; i++) {
    if (dae->model->dynamics.rate)
      PetscCall(NsWorkVecs(work, &rate[i], NULL));
    else
      rate[i] = velocity[i];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeRate(NsDae *dae, Vec q, Vec v, Vec rate)
{
  PetscFunctionBegin;
  if (dae->model->dynamics.rate) PetscCall(NsModelRate(dae->model, q, v, rate));
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeRestart(NsDae *dae, const NsState *from, PetscBool *done)
{
  PetscFunctionBegin;
  *done = PETSC_TRUE;
  PetscCall(NsControlGrow(dae->model, from->q, &dae->size_q));
  PetscCall(NsControlGrow(dae->model, from->v, &dae->size_v));
  dae->last = dae->free_size = 0;
  if (dae->held.count) {
    PetscCall(NsModelAccel(dae->model, from->t, from->q, from->v, dae->eq));
    PetscCall(NsModelLargest(dae->model, dae->eq, &dae->free_size));
  }
  PetscCall(dae->method->restart(dae, from, done));
  PetscFunctionReturn(0);
}

static PetscErrorCode try_once(NsDae *dae, const NsState *from, PetscReal h, PetscBool *done)
{
  PetscFunctionBegin;
  *done  = PETSC_TRUE;
  dae->h = h;
  PetscCall(dae->method->step(dae, from, h, done));
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeTryExactly(NsDae *dae, const NsState *from, PetscReal h, PetscBool *done)
{
  PetscFunctionBegin;
  PetscCall(try_once(dae, from, h, done));
  if (*done) dae->work.steps++;
  PetscFunctionReturn(0);
}

/* Of the step after it. A factor that serves another step is worth more than a step a fifth longer. */
static PetscReal next_change(const NsDae *dae, PetscReal ratio)
{
  const PetscReal factor = NsControlChange(ratio, dae->method->order);

  return dae->method->factors ? NsControlKeep(factor) : factor;
}

PetscErrorCode NsDaeTry(NsDae *dae, const NsState *from, PetscReal *h, PetscReal *next, PetscBool *done)
{
  const PetscBool controlled = dae->absolute > 0 || dae->relative > 0;
  const PetscReal shortest   = 1e-14 * PetscMax(PetscAbsReal(from->t), *h);
  const PetscReal rounding   = 100 * PETSC_MACHINE_EPSILON;
  const PetscReal nothing    = PETSC_SMALL * PETSC_SMALL * dae->model->length_scale;
  PetscReal       q_ratio = 0, v_ratio = 0, ratio = PETSC_INFINITY;

  PetscFunctionBegin;
  for (;; dae->work.rejected++) {
    PetscCall(try_once(dae, from, *h, done));
    if (*done && controlled) {
      const PetscBool by_positions = dae->method->by_positions;
      const PetscReal pushed       = rounding * dae->free_size * PetscSqr(by_positions ? PetscMax(*h, dae->last) : *h),
                      noise        = by_positions ? rounding * dae->size_q : 0;
      PetscCall(NsControlRatio(dae->model, dae->eq, dae->q1, dae->absolute + nothing + pushed, dae->relative, dae->size_q, &q_ratio));
      PetscCall(NsControlRatio(dae->model, dae->ev, dae->v1, dae->absolute + (nothing + pushed + noise) / *h, dae->relative, dae->size_v, &v_ratio));
      ratio = PetscMax(q_ratio, v_ratio) + 0 * (q_ratio + v_ratio); /* NaN if one of them is */
    }
    if (*done && (!controlled || ratio <= 1)) break;
    if (*done)
      PetscCall(PetscSNPrintf(dae->reason, sizeof(dae->reason),
        "the error of a step of %.1e s is still %.1e times what is allowed: tolerances may be below rounding", *h, ratio));
    *done = PETSC_FALSE;
    if (!controlled) PetscFunctionReturn(0);
    *h *= NsControlChange(ratio, dae->method->order);
    if (!(*h > shortest)) PetscFunctionReturn(0);
    ratio = PETSC_INFINITY;
  }
  dae->work.steps++;
  *next = controlled ? *h * next_change(dae, ratio) : *h;
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeAccept(NsDae *dae)
{
  PetscFunctionBegin;
  PetscCall(NsControlGrow(dae->model, dae->q1, &dae->size_q));
  PetscCall(NsControlGrow(dae->model, dae->v1, &dae->size_v));
  PetscCall(dae->method->accept(dae));
  dae->last = dae->h;
  PetscFunctionReturn(0);
}

PetscErrorCode NsDaeInterpolate(NsDae *dae, const NsState *from, PetscReal s, Vec q, Vec v)
{
  PetscFunctionBegin;
  if (s > 0 && s < 1) {
    PetscCall(dae->method->interpolate(dae, from, s, q, v));
  } else {
    PetscCall(VecCopy(s > 0 ? dae->q1 : from->q, q));
    PetscCall(VecCopy(s > 0 ? dae->v1 : from->v, v));
  }
  PetscFunctionReturn(0);
}
