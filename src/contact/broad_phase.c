/*
  Which candidates are active: the broad phase.

  A candidate is inactive while it is provably open. While the unknowns of the touch list move, its gap changes by no more than reach_i m, with the motion

      m(q, p) = max_j stretch_j |q_j - p_j|     (NsModel.reach, stretch; the pairs' `bound`)

  A clock adds up the motion of the steps, from the end of one to the end of the next. A candidate whose gap is g at the clock c is open at every q until

      clock + m(q, end of the last step) = c + (g - tolerance_i - rounding) / reach_i;     a forecast over the time h adds h max_j stretch_j |v_j|

  A heap has the inactive ones in the order of these limits: each look at some q finds m in one pass over the touched values and activates those whose limit it has reached. An active one becomes
  inactive at the end of a step whose motion is a small part of what is left to its limit. So a candidate at a distance is looked at about once each time the bodies have moved by its gap:
  what a step costs goes with the pairs that are near.

  A candidate becomes inactive only after a step in which every look found it open and in which it had no reaction: flags of schemes are false then, and stay so.
  A state that is set from outside is no exception.

  With slots (pairs that are too many to be listed) all candidates are looked at again now and then, so that those of pairs that have parted are free: when the active ones have cost
  NS_PATIENCE times as much since the last time.
*/
#include <stdlib.h>
#include <string.h>
#include "broad_phase.h"
#include "core/out_of_memory.h"

#define NS_FEW      32 /* candidates: below, looking at all of them costs less */
#define NS_PATIENCE 16
#define NS_WORTH    16    /* motions of the last step to the limit, from which it is worth being inactive */
#define NS_ROUNDING 4e-16 /* of the clock and of limits, on the safe side */

PetscErrorCode NsBroadPhaseCreate(NsContact *contact)
{
  const NsModel *model = contact->model;
  NsBroadPhase  *broad = &contact->broad;
  const PetscInt n = contact->candidates, touches = model->touches;

  PetscFunctionBegin;
  broad->enabled             = (n >= NS_FEW || model->slots) && model->contact.rates_of && model->stretch;
  broad->steps               = 2; /* nothing was closed in the step before */
  PetscReal **const values[] = {&broad->touch_q, &broad->touch_v, &broad->end_q, &broad->end_v};
  for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) *values[k] = NsZeros((size_t)touches, sizeof(**values[k]));
  if (model->slots) PetscCall(PetscMalloc1(touches, &broad->ahead));
  PetscCall(PetscMalloc3(n, &broad->limit, n, &broad->inactive, n, &broad->activated));
  broad->closed = NsZeros((size_t)n, sizeof(*broad->closed));
  NsContactActivateAll(contact);
  PetscFunctionReturn(0);
}

PetscErrorCode NsBroadPhaseDestroy(NsContact *contact)
{
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  void *const values[] = {broad->touch_q, broad->touch_v, broad->end_q, broad->end_v};
  for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) free(values[k]);
  PetscCall(PetscFree3(broad->limit, broad->inactive, broad->activated));
  free(broad->closed);
  PetscCall(PetscFree(broad->ahead));
  PetscFunctionReturn(0);
}

const char *NsContactSearchName(const NsContact *contact)
{
  if (contact->model->slots) return "pairs that are near each other are found by a grid or by sorting, distant candidates are skipped";
  return contact->broad.enabled ? "distant candidates are skipped" : "all are evaluated in each step";
}

/* Gaps of so many candidates, and their velocities if touch_v is not NULL. */
static PetscErrorCode evaluate(NsContact *contact, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscInt count,
  const PetscInt *list, PetscReal *gap, PetscReal *u)
{
  PetscFunctionBegin;
  if (gap) contact->figures.gaps += count;
  PetscCall(contact->model->contact.rates_of(contact->model, t, touch_q, touch_v, count, list, gap, u));
  PetscFunctionReturn(0);
}

void NsBroadPhaseSerialize(NsContact *contact, NsArchive *archive)
{
  NsBroadPhase  *broad   = &contact->broad;
  const PetscInt touches = contact->model->touches;

  NsArchiveLong(archive, "contact_steps", &broad->steps);
  NsArchiveLong(archive, "contact_ends", &broad->ends);
  NsArchiveLong(archive, "contact_work", &broad->work);
  NsArchiveLong(archive, "contact_begun", &broad->begun);
  NsArchiveReals(archive, "end_q", touches, broad->end_q); /* touch_q, touch_v and `keeps` are of the step alone */
  NsArchiveReals(archive, "end_v", touches, broad->end_v);
  if (!broad->enabled) return;
  NsArchiveReals(archive, "contact_clock", 1, &broad->clock);
  NsArchiveReals(archive, "contact_motion", 1, &broad->last);
  NsArchiveReals(archive, "contact_size", 1, &broad->size);
  NsArchiveBytes(archive, "closed_at", sizeof(*broad->closed) * (size_t)contact->candidates, broad->closed);
  NsArchiveCount(archive, "inactives", &broad->inactives, contact->candidates);
  NsArchiveIndices(archive, "inactive", broad->inactives, broad->inactive, contact->candidates);
  NsArchiveReals(archive, "limit", broad->inactives, broad->limit);
  if (archive->reading && !archive->problem[0] && contact->actives + broad->inactives > contact->candidates) NsArchiveDeny(archive, "inactives");
}

static PetscBool is_vacant(const NsModel *model, PetscInt i)
{
  return (model->candidate[i].slot && model->candidate[i].number[0] == 0) || NsIsOff(model->candidate[i].off);
}

void NsContactActivateAll(NsContact *contact)
{
  contact->actives = 0;
  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (!is_vacant(contact->model, i)) contact->active[contact->actives++] = i;
  }
  contact->broad.inactives = 0;
  contact->broad.keeps     = PETSC_FALSE;
}

/* Several at once, or the maximum would have to wait for itself. */
PetscReal NsBroadPhaseMotion(const NsModel *model, const PetscReal *x, const PetscReal *from)
{
  enum { LANES = 8 };
  PetscReal most[LANES] = {0}, largest = 0;
  PetscInt  j = 0;

  for (; j + LANES <= model->touches; j += LANES) {
    for (PetscInt k = 0; k < LANES; k++) {
      const PetscReal m = model->stretch[j + k] * PetscAbsReal(x[j + k] - from[j + k]);
      most[k]           = m > most[k] ? m : most[k];
    }
  }
  for (; j < model->touches; j++) most[0] = PetscMax(most[0], model->stretch[j] * PetscAbsReal(x[j] - from[j]));
  for (PetscInt k = 0; k < LANES; k++) largest = PetscMax(largest, most[k]);
  return largest;
}

static PetscReal fastest(const NsModel *model, const PetscReal *v)
{
  PetscReal most = 0;

  for (PetscInt j = 0; j < model->touches; j++) most = PetscMax(most, model->stretch[j] * PetscAbsReal(v[j]));
  return most;
}

/* The order of candidates: their numbers; of the slots of one contact, the numbers of their balls. */
static PetscBool is_before(const NsModel *model, PetscInt i, PetscInt j)
{
  const NsCandidate *a = &model->candidate[i], *b = &model->candidate[j];

  if (!a->slot || a->name != b->name) return i < j;
  if (a->number[0] != b->number[0]) return a->number[0] < b->number[0];
  return a->number[1] != b->number[1] ? a->number[1] < b->number[1] : a->point < b->point;
}

/* In that order; Shell's method. */
static PetscErrorCode sort(const NsModel *model, PetscInt count, PetscInt *list)
{
  PetscInt step = 1;

  PetscFunctionBegin;
  if (!model->slots) {
    PetscCall(PetscSortInt(count, list));
    PetscFunctionReturn(0);
  }
  while (step < count / 3) step = 3 * step + 1;
  for (; step > 0; step /= 3) {
    for (PetscInt k = step; k < count; k++) {
      const PetscInt it = list[k];
      PetscInt       to = k;
      for (; to >= step && is_before(model, it, list[to - step]); to -= step) list[to] = list[to - step];
      list[to] = it;
    }
  }
  PetscFunctionReturn(0);
}

/* Candidates list[count], in order, are active from now on. */
static void add_active(NsContact *contact, PetscInt count, const PetscInt *list)
{
  PetscInt to = contact->actives + count, from = contact->actives;

  contact->actives = to;
  while (count > 0)
    contact->active[--to] =
      from > 0 && is_before(contact->model, list[count - 1], contact->active[from - 1]) ? contact->active[--from] : list[--count];
}

/* The candidates activated[count] become active. Their reports of the previous step are evaluated now. */
static PetscErrorCode join(NsContact *contact, PetscReal t, PetscInt count)
{
  NsModel      *model = contact->model;
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  if (!count) PetscFunctionReturn(0);
  PetscCall(sort(model, count, broad->activated));
  PetscCall(evaluate(contact, t, broad->end_q, broad->end_v, count, broad->activated, contact->gap, contact->u));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt i                 = broad->activated[k];
    contact->last_report[i].gap      = contact->gap[i];
    contact->last_report[i].gap_rate = contact->u[contact->first[i]];
    for (PetscInt d = 0; d < 3; d++) contact->last_guess[3 * i + d] = contact->guess[3 * i + d];
    for (PetscInt d = 0; d < model->candidate[i].directions; d++) contact->last_report[i].velocity_after[d] = contact->u[contact->first[i] + d];
  }
  add_active(contact, count, broad->activated);
  PetscFunctionReturn(0);
}

/* ---- the heap of limits: those of a place are not below that of (place - 1) / 2 ---- */

static void sink(NsBroadPhase *broad, PetscInt place, PetscReal limit, PetscInt candidate)
{
  for (PetscInt child = 2 * place + 1; child < broad->inactives; child = 2 * place + 1) {
    if (child + 1 < broad->inactives && broad->limit[child + 1] < broad->limit[child]) child++;
    if (!(broad->limit[child] < limit)) break;
    broad->limit[place]    = broad->limit[child];
    broad->inactive[place] = broad->inactive[child];
    place                  = child;
  }
  broad->limit[place]    = limit;
  broad->inactive[place] = candidate;
}

static void push(NsBroadPhase *broad, PetscReal limit, PetscInt candidate)
{
  PetscInt place = broad->inactives++;

  for (; place > 0 && limit < broad->limit[(place - 1) / 2]; place = (place - 1) / 2) {
    broad->limit[place]    = broad->limit[(place - 1) / 2];
    broad->inactive[place] = broad->inactive[(place - 1) / 2];
  }
  broad->limit[place]    = limit;
  broad->inactive[place] = candidate;
}

static PetscInt pop(NsBroadPhase *broad)
{
  const PetscInt first = broad->inactive[0], last = --broad->inactives;

  if (last > 0) sink(broad, 0, broad->limit[last], broad->inactive[last]);
  return first;
}

/* Activates those that may be closed at touch_q, or after so much more motion. */
static PetscErrorCode activate(NsContact *contact, PetscReal t, PetscReal more)
{
  NsBroadPhase *broad = &contact->broad;
  PetscInt      count = 0;

  PetscFunctionBegin;
  if (!broad->inactives) PetscFunctionReturn(0);
  const PetscReal moved = (broad->clock + NsBroadPhaseMotion(contact->model, broad->touch_q, broad->end_q) + more) * (1 + NS_ROUNDING);
  while (broad->inactives > 0 && !(moved < broad->limit[0])) broad->activated[count++] = pop(broad);
  PetscCall(join(contact, t, count));
  PetscFunctionReturn(0);
}

/* Slots for all pairs that may be closed at touch_q, or were on the way there. */
static PetscErrorCode search(NsContact *contact, PetscReal t, const PetscReal *touch_q, PetscInt *count)
{
  NsModel *model = contact->model;

  PetscFunctionBegin;
  contact->figures.searches++;
  PetscCall(model->contact.search(model, contact->broad.end_q, touch_q, count, contact->broad.activated));
  PetscCall(join(contact, t, *count));
  PetscFunctionReturn(0);
}

static void note_closed(NsContact *contact)
{
  NsBroadPhase *broad = &contact->broad;

  for (PetscInt k = 0; k < contact->actives && broad->enabled; k++) {
    if (NsIsClosed(contact, contact->active[k])) broad->closed[contact->active[k]] = broad->steps;
  }
}

/* Gaps at touch_q, of those that are active there. */
static PetscErrorCode find_gaps(NsContact *contact, PetscReal t)
{
  NsModel      *model = contact->model;
  NsBroadPhase *broad = &contact->broad;
  PetscInt      found;

  PetscFunctionBegin;
  PetscCall(activate(contact, t, 0));
  if (model->slots && model->contact.strays(model, broad->touch_q)) PetscCall(search(contact, t, broad->touch_q, &found));
  PetscCall(evaluate(contact, t, broad->touch_q, NULL, contact->actives, contact->active, contact->gap, NULL));
  note_closed(contact);
  broad->keeps = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactGaps(NsContact *contact, PetscReal t, Vec q)
{
  NsModel      *model = contact->model;
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  if (!contact->candidates) PetscFunctionReturn(0);
  if (!model->contact.rates_of) {
    contact->figures.gaps += contact->candidates;
    PetscCall(NsModelGap(model, t, q, contact->gap));
    PetscFunctionReturn(0);
  }
  PetscCall(NsModelTouch(model, q, broad->touch_q));
  PetscCall(find_gaps(contact, t));
  PetscFunctionReturn(0);
}

static void swap(PetscReal **a, PetscReal **b)
{
  PetscReal *old = *a;

  *a = *b;
  *b = old;
}

void NsContactKeepGaps(NsContact *contact)
{
  contact->broad.keeps = PETSC_TRUE;
}

/* Velocities of the active candidates at touch_q, whose gaps are known; of those that become active ahead, the gaps, too. */
static PetscErrorCode find_rates(NsContact *contact, const NsState *state, PetscReal ahead)
{
  NsModel       *model   = contact->model;
  NsBroadPhase  *broad   = &contact->broad;
  const PetscInt actives = contact->actives;
  PetscInt       found;

  PetscFunctionBegin;
  PetscCall(NsModelTouch(model, state->v, broad->touch_v));
  if (ahead > 0 && broad->inactives > 0) PetscCall(activate(contact, state->t, ahead * fastest(model, broad->touch_v)));
  if (ahead > 0 && model->slots) {
    for (PetscInt j = 0; j < model->touches; j++) broad->ahead[j] = broad->touch_q[j] + ahead * broad->touch_v[j];
    if (model->contact.strays(model, broad->ahead)) PetscCall(search(contact, state->t, broad->ahead, &found));
  }
  if (contact->actives > actives) PetscCall(find_gaps(contact, state->t));
  PetscCall(evaluate(contact, state->t, broad->touch_q, broad->touch_v, contact->actives, contact->active, NULL, contact->u));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactRates(NsContact *contact, const NsState *state, PetscReal ahead)
{
  NsModel *model = contact->model;

  PetscFunctionBegin;
  if (!model->contact.rates_of && model->contact.rates) {
    PetscCall(model->contact.rates(model, state->t, state->q, state->v, contact->gap, contact->u));
    PetscFunctionReturn(0);
  }
  PetscCall(NsContactGaps(contact, state->t, state->q));
  if (model->contact.rates_of) {
    PetscCall(find_rates(contact, state, ahead));
  } else {
    PetscCall(NsModelRows(model, state->t, state->q, contact->candidates, contact->every, &contact->all));
    PetscCall(NsRowsVelocity(model, &contact->all, state->v, contact->u));
  }
  PetscFunctionReturn(0);
}

/* Motion from the end of the last step up to which the candidate is open; 0: it must stay active. size: of the largest unknown, by which its gap is rounded. */
static PetscReal find_limit(const NsContact *contact, PetscInt i, PetscReal size)
{
  const NsModel         *model  = contact->model;
  const NsContactReport *report = &contact->report[i];
  const PetscReal        gap = contact->gap[i], rounding = 1e-9 * gap + 1e-12 * model->length_scale + 1e-13 * model->reach[i] * size;
  const PetscReal        left = gap - contact->tolerance[i] - rounding;

  if (model->candidate[i].bilateral || contact->broad.closed[i] >= contact->broad.steps - 1 || !(left > 0)) return 0;
  if (report->state != NS_OPEN || report->impulse[0] != 0 || report->force[0] != 0) return 0;
  return model->reach[i] > 0 ? left / model->reach[i] : PETSC_MAX_REAL;
}

void NsContactReportClear(NsContactReport *report)
{
  static const NsContactReport open; /* NS_OPEN is 0 */

  if (memcmp(report, &open, sizeof(open)) != 0) *report = open;
}

/* From the end of the last step on. */
static void make_inactive(NsContact *contact, PetscInt i, PetscReal limit)
{
  NsContactReportClear(&contact->report[i]);
  NsContactReportClear(&contact->last_report[i]);
  push(&contact->broad, (contact->broad.clock + limit) * (1 - NS_ROUNDING), i);
}

/* Looks at all candidates at the end of the last step. */
static PetscErrorCode look_at_all(NsContact *contact)
{
  NsModel       *model = contact->model;
  NsBroadPhase  *broad = &contact->broad;
  const PetscInt n     = contact->candidates;
  PetscInt       count = 0;

  PetscFunctionBegin;
  contact->figures.searches++;
  PetscCall(evaluate(contact, 0, broad->end_q, NULL, n, contact->every, contact->gap, NULL));
  broad->size      = fastest(model, broad->end_q);
  contact->actives = broad->inactives = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal limit = is_vacant(model, i) ? 0 : find_limit(contact, i, broad->size);
    if (is_vacant(model, i)) continue;
    if (limit > 0 && model->candidate[i].slot) { /* if it is near all the same, the search below finds it again */
      model->contact.release(model, i);
      NsContactReportClear(&contact->report[i]);
      NsContactReportClear(&contact->last_report[i]);
    } else if (limit > 0)
      make_inactive(contact, i, limit);
    else
      contact->active[contact->actives++] = i;
  }
  broad->work = 0;
  if (!model->slots) PetscFunctionReturn(0);
  PetscCall(sort(model, contact->actives, contact->active));
  PetscCall(search(contact, 0, broad->end_q, &count));
  for (PetscInt k = 0; k < count; k++)
    contact->report[broad->activated[k]] = contact->last_report[broad->activated[k]]; /* they change places before the step */
  PetscFunctionReturn(0);
}

/* Active candidates that are far from their limits become inactive. */
static void let_go(NsContact *contact)
{
  NsBroadPhase *broad = &contact->broad;
  PetscInt      kept  = 0;

  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt  i     = contact->active[k];
    const PetscReal limit = contact->model->candidate[i].slot ? 0 : find_limit(contact, i, broad->size);
    if (limit > 0 && limit > NS_WORTH * broad->last)
      make_inactive(contact, i, limit);
    else
      contact->active[kept++] = i;
  }
  contact->actives = kept;
}

/* The clock at the end of a step, at touch_q. */
static void advance(NsContact *contact)
{
  NsBroadPhase *broad = &contact->broad;

  broad->last  = NsBroadPhaseMotion(contact->model, broad->touch_q, broad->end_q);
  broad->clock = (broad->clock + broad->last) * (1 + NS_ROUNDING);
  broad->size += broad->last;
}

PetscErrorCode NsBroadPhaseStart(NsContact *contact, const NsState *state)
{
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  if (broad->ends > 0 || broad->started) PetscFunctionReturn(0);
  broad->started = PETSC_TRUE;
  PetscCall(NsModelTouch(contact->model, state->q, broad->end_q)); /* sets end_q: no motion before the start counts, also with `start: {from: RUN}` */
  if (!broad->enabled) PetscFunctionReturn(0);
  PetscCall(NsContactGaps(contact, state->t, state->q));
  PetscCall(PetscArraycpy(broad->end_q, broad->touch_q, contact->model->touches));
  PetscCall(look_at_all(contact));
  PetscFunctionReturn(0);
}

PetscErrorCode NsBroadPhaseEndStep(NsContact *contact, const NsState *state)
{
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  PetscCall(NsBroadPhaseStart(contact, state));
  if (broad->keeps && contact->model->contact.rates_of)
    PetscCall(find_rates(contact, state, 0));
  else
    PetscCall(NsContactRates(contact, state, 0));
  if (broad->enabled || broad->inactives > 0) advance(contact);
  swap(&broad->touch_q, &broad->end_q);
  swap(&broad->touch_v, &broad->end_v);
  broad->keeps = PETSC_FALSE;
  broad->begun = 0;
  broad->ends++;
  PetscFunctionReturn(0);
}

PetscErrorCode NsBroadPhaseBeginStep(NsContact *contact)
{
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  broad->keeps = PETSC_FALSE;
  if (broad->begun) PetscFunctionReturn(0); /* the step is repeated: it has its number, and its active candidates */
  broad->begun = 1;
  broad->steps++;
  if (!broad->enabled) PetscFunctionReturn(0);
  broad->work += contact->actives;
  if (broad->ends < 2) PetscFunctionReturn(0);
  const PetscBool short_of_slots = 4 * contact->model->slots_free < contact->model->slots; /* those of pairs that have parted are free again then */
  if (contact->model->slots && (short_of_slots || broad->work > (PetscInt64)NS_PATIENCE * contact->candidates))
    PetscCall(look_at_all(contact));
  else
    let_go(contact);
  PetscFunctionReturn(0);
}

/* Gap and rates of a candidate into its report. */
static void report_rates(NsContact *contact, PetscInt i)
{
  NsContactReport *report = &contact->report[i];

  report->gap      = contact->gap[i];
  report->gap_rate = contact->u[contact->first[i]];
  for (PetscInt d = 0; d < contact->model->candidate[i].directions; d++) report->velocity_after[d] = contact->u[contact->first[i] + d];
}

/* Of those that are switched off. */
static PetscErrorCode complete_off(NsContact *contact, const NsState *state)
{
  const NsModel *model = contact->model;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < contact->candidates && model->switches.count; i++) {
    if (!NsIsOff(model->candidate[i].off)) continue;
    if (model->contact.rates_of) PetscCall(evaluate(contact, state->t, contact->broad.end_q, contact->broad.end_v, 1, &i, contact->gap, contact->u));
    report_rates(contact, i);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactSwitched(NsContact *contact, const NsState *state, PetscInt *deep)
{
  const NsModel *model = contact->model;

  PetscFunctionBegin;
  *deep = -1;
  if (!contact->candidates) PetscFunctionReturn(0);
  NsContactActivateAll(contact);
  PetscCall(NsContactRates(contact, state, 0));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    if (!is_vacant(model, i) && contact->report[i].state == NS_OPEN) report_rates(contact, i);
    if (!is_vacant(model, i) && candidate->off && !candidate->bilateral && contact->report[i].state == NS_OPEN &&
        contact->gap[i] < -PetscMax(contact->tolerance[i], 1e-12 * model->length_scale) && (*deep < 0 || contact->gap[i] < contact->gap[*deep]))
      *deep = i;
    if (!NsIsOff(candidate->off)) continue;
    NsContactReportClear(&contact->report[i]);
    NsContactReportClear(&contact->last_report[i]);
    for (PetscInt d = 3 * i; d < 3 * i + 3; d++) contact->guess[d] = contact->last_guess[d] = 0;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactComplete(NsContact *contact, const NsState *state)
{
  NsBroadPhase   *broad = &contact->broad;
  const PetscInt  count = broad->inactives;
  const PetscInt *list  = broad->inactive;

  PetscFunctionBegin;
  PetscCall(complete_off(contact, state));
  if (!count) PetscFunctionReturn(0);
  PetscCall(evaluate(contact, state->t, broad->end_q, broad->end_v, count, list, contact->gap, contact->u));
  for (PetscInt k = 0; k < count; k++) report_rates(contact, list[k]);
  PetscFunctionReturn(0);
}
