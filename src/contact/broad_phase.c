/*
  Which candidates are active: the broad phase.

  A candidate is inactive while it is provably open. From the reference q_r, at which all gaps were evaluated, its gap changes by no more than reach_i m, with the motion

      m(q) = max_j stretch_j |q_j - q_rj|     over the unknowns of the touch list (NsModel.reach, stretch; the pairs' `bound`),

  so that it is open at every q with m(q) < limit_i = (g_i(q_r) - tolerance_i - rounding) / reach_i; a forecast over the time h adds h max_j stretch_j |v_j| to m. Each
  look at some q finds m in one pass over the touched values and activates those whose limit it has reached: they lie in order of their limits, in buckets, so that
  one that stays inactive costs nothing. Active ones stay so until the next look at all of them, which takes a new reference. That look comes when the active ones
  have cost NS_PATIENCE times as much since the last one: whatever moves, the broad phase adds a part of what the active ones cost.

  A candidate becomes inactive only after a step in which every look found it open and in which it had no reaction: flags of schemes are false then, and stay so.
  Motion is measured from the reference, not summed up: vibration activates nothing, and a state that is set from outside is no exception.
*/
#include <stdlib.h>
#include <string.h>
#include "broad_phase.h"
#include "core/out_of_memory.h"

#define NS_FEW      32 /* candidates: below, looking at all of them costs less */
#define NS_PATIENCE 16
#define NS_SHIFT    49 /* buckets: the exponent of a limit and the first three bits after it */
#define NS_BUCKETS  (1 << (63 - NS_SHIFT))

PetscErrorCode NsBroadPhaseCreate(NsContact *contact)
{
  const NsModel *model = contact->model;
  NsBroadPhase  *broad = &contact->broad;
  const PetscInt n = contact->candidates, touches = model->touches;

  PetscFunctionBegin;
  broad->enabled             = (n >= NS_FEW || model->slots) && model->contact.rates_of && model->stretch;
  broad->steps               = 2; /* nothing was closed in the step before */
  PetscReal **const values[] = {&broad->reference, &broad->touch_q, &broad->touch_v, &broad->end_q, &broad->end_v};
  for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) *values[k] = NsZeros((size_t)touches, sizeof(**values[k]));
  if (model->slots) PetscCall(PetscMalloc1(touches, &broad->ahead));
  PetscCall(PetscMalloc4(n, &broad->limit, n, &broad->inactive, n, &broad->activated, NS_BUCKETS + 1, &broad->bucket));
  broad->closed = NsZeros((size_t)n, sizeof(*broad->closed));
  NsContactActivateAll(contact);
  PetscFunctionReturn(0);
}

PetscErrorCode NsBroadPhaseDestroy(NsContact *contact)
{
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  void *const values[] = {broad->reference, broad->touch_q, broad->touch_v, broad->end_q, broad->end_v};
  for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) free(values[k]);
  PetscCall(PetscFree4(broad->limit, broad->inactive, broad->activated, broad->bucket));
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
  NsArchiveReals(archive, "reference", touches, broad->reference);
  NsArchiveBytes(archive, "closed_at", sizeof(*broad->closed) * (size_t)contact->candidates, broad->closed);
  NsArchiveCount(archive, "inactives", &broad->inactives, contact->candidates);
  NsArchiveCount(archive, "activated", &broad->activations, broad->inactives);
  NsArchiveIndices(archive, "inactive", broad->inactives, broad->inactive, contact->candidates);
  NsArchiveReals(archive, "limit", broad->inactives, broad->limit);
}

static PetscBool is_vacant(const NsModel *model, PetscInt i)
{
  return model->candidate[i].slot && model->candidate[i].number[0] == 0;
}

void NsContactActivateAll(NsContact *contact)
{
  contact->actives = 0;
  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (!is_vacant(contact->model, i)) contact->active[contact->actives++] = i;
  }
  contact->broad.inactives = contact->broad.activations = 0;
  contact->broad.keeps                                  = PETSC_FALSE;
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

/* Activates those that may be closed after such a motion. */
static PetscErrorCode activate(NsContact *contact, PetscReal t, PetscReal moved)
{
  NsBroadPhase *broad = &contact->broad;
  PetscInt      count = 0;

  PetscFunctionBegin;
  if (!(broad->activations < broad->inactives)) PetscFunctionReturn(0);
  while (broad->activations < broad->inactives && moved >= broad->limit[broad->activations])
    broad->activated[count++] = broad->inactive[broad->activations++];
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
  if (broad->activations < broad->inactives) PetscCall(activate(contact, t, NsBroadPhaseMotion(model, broad->touch_q, broad->reference)));
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
  if (ahead > 0 && broad->activations < broad->inactives)
    PetscCall(activate(contact, state->t, NsBroadPhaseMotion(model, broad->touch_q, broad->reference) + ahead * fastest(model, broad->touch_v)));
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

static PetscInt bucket_of(PetscReal limit)
{
  uint64_t bits;

  memcpy(&bits, &limit, sizeof(bits)); /* positive doubles are in the order of their bits */
  return (PetscInt)(bits >> NS_SHIFT);
}

static PetscReal lowest_of(PetscInt bucket)
{
  const uint64_t bits = (uint64_t)bucket << NS_SHIFT;
  PetscReal      limit;

  memcpy(&limit, &bits, sizeof(limit));
  return limit;
}

/* Motion from the reference up to which the candidate is open; 0: it must stay active. */
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

/* A new reference: the end of the last step; and the inactive candidates from there. */
static PetscErrorCode take_reference(NsContact *contact)
{
  NsModel       *model = contact->model;
  NsBroadPhase  *broad = &contact->broad;
  const PetscInt n     = contact->candidates;
  PetscReal      size  = 0;
  PetscInt       count = 0;

  PetscFunctionBegin;
  contact->figures.searches++;
  PetscCall(PetscArraycpy(broad->reference, broad->end_q, model->touches));
  PetscCall(evaluate(contact, 0, broad->reference, NULL, n, contact->every, contact->gap, NULL));
  size = fastest(model, broad->reference);
  PetscCall(PetscArrayzero(broad->bucket, NS_BUCKETS + 1));
  contact->actives = broad->inactives = broad->activations = 0;
  for (PetscInt i = 0; i < n; i++) { /* in u: limits */
    contact->u[i] = is_vacant(model, i) ? 0 : find_limit(contact, i, size);
    if (contact->u[i] > 0 && model->candidate[i].slot) { /* if it is near all the same, the search below finds it again */
      model->contact.release(model, i);
      NsContactReportClear(&contact->report[i]);
      NsContactReportClear(&contact->last_report[i]);
      contact->u[i] = 0;
    } else if (is_vacant(model, i))
      continue;
    else if (contact->u[i] > 0) {
      broad->bucket[bucket_of(contact->u[i]) + 1]++;
      broad->inactives++;
    } else
      contact->active[contact->actives++] = i;
  }
  for (PetscInt b = 0; b < NS_BUCKETS; b++) broad->bucket[b + 1] += broad->bucket[b];
  for (PetscInt i = 0; i < n; i++) {
    if (contact->u[i] == 0) continue;
    const PetscInt bucket = bucket_of(contact->u[i]), to = broad->bucket[bucket]++;
    broad->inactive[to] = i;
    broad->limit[to]    = lowest_of(bucket);
    NsContactReportClear(&contact->report[i]);
    NsContactReportClear(&contact->last_report[i]);
  }
  broad->work = 0;
  if (!model->slots) PetscFunctionReturn(0);
  PetscCall(sort(model, contact->actives, contact->active));
  PetscCall(search(contact, 0, broad->end_q, &count));
  for (PetscInt k = 0; k < count; k++)
    contact->report[broad->activated[k]] = contact->last_report[broad->activated[k]]; /* they change places before the step */
  PetscFunctionReturn(0);
}

PetscErrorCode NsBroadPhaseStart(NsContact *contact, const NsState *state)
{
  NsBroadPhase *broad = &contact->broad;

  PetscFunctionBegin;
  if (!broad->enabled || broad->ends > 0 || broad->started) PetscFunctionReturn(0);
  PetscCall(NsContactGaps(contact, state->t, state->q));
  PetscCall(PetscArraycpy(broad->end_q, broad->touch_q, contact->model->touches));
  PetscCall(take_reference(contact));
  broad->started = PETSC_TRUE;
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
  if (broad->begun) PetscFunctionReturn(0); /* the step is repeated: it has its number, and its reference */
  broad->begun = 1;
  broad->steps++;
  if (!broad->enabled) PetscFunctionReturn(0);
  broad->work += contact->actives;
  const PetscBool short_of_slots = 4 * contact->model->slots_free < contact->model->slots; /* those of pairs that have parted are free again then */
  if ((short_of_slots || broad->work > (PetscInt64)NS_PATIENCE * contact->candidates) && broad->ends >= 2) PetscCall(take_reference(contact));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactComplete(NsContact *contact, const NsState *state)
{
  NsModel        *model = contact->model;
  NsBroadPhase   *broad = &contact->broad;
  const PetscInt  count = broad->inactives - broad->activations;
  const PetscInt *list  = broad->inactive + broad->activations;

  PetscFunctionBegin;
  if (!count) PetscFunctionReturn(0);
  PetscCall(evaluate(contact, state->t, broad->end_q, broad->end_v, count, list, contact->gap, contact->u));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt   i      = list[k];
    NsContactReport *report = &contact->report[i];
    report->gap             = contact->gap[i];
    report->gap_rate        = contact->u[contact->first[i]];
    for (PetscInt d = 0; d < model->candidate[i].directions; d++) report->velocity_after[d] = contact->u[contact->first[i] + d];
  }
  PetscFunctionReturn(0);
}
