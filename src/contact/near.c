/*
  Which candidates are near: the broad phase.

  A candidate sleeps while it is provably open. From the reference q_r, where all were looked at, its gap changes by no more than reach_i m, with the motion

      m(q) = max_j stretch_j |q_j - q_rj|     over the unknowns of the touch list (NsModel.reach, stretch),

  so that it is open at every q with m(q) < limit_i = (g_i(q_r) - tolerance_i - rounding) / reach_i; a forecast over the time h adds h max_j stretch_j |v_j| to m. Each
  look at some q finds m in one pass over the touched values and wakes those whose limit it has reached: they lie in order of their limits, in buckets, so that
  one that stays asleep costs nothing. Awake ones stay so until the next look at all of them, which takes a new reference. That look comes when those that were near
  have cost NS_PATIENCE times as much since the last one: whatever moves, the broad phase adds a part of what the near ones cost.

  Who falls asleep has been open in every look of the step before, and had no reaction: flags of schemes are false then, and stay so.
  Motion is measured from the reference, not summed up: vibration wakes nobody, and a state that is set from outside misses nothing.
*/
#include <string.h>
#include "near.h"

#define NS_FEW      32 /* candidates: below, looking at all of them costs less */
#define NS_PATIENCE 16
#define NS_SHIFT    49 /* buckets: the exponent of a limit and the first three bits after it */
#define NS_BUCKETS  (1 << (63 - NS_SHIFT))

PetscErrorCode NsSleepCreate(NsContact *contact)
{
  const NsModel *model = contact->model;
  NsSleep       *sleep = &contact->sleep;
  const PetscInt n = contact->candidates, touches = model->touches;

  PetscFunctionBegin;
  sleep->may  = n >= NS_FEW && model->ops->look && model->stretch ? PETSC_TRUE : PETSC_FALSE;
  sleep->work = (PetscInt64)NS_PATIENCE * n; /* the first look comes at once */
  /* one block, freed by its first: the others change places */
  PetscCall(PetscCalloc6(touches, &sleep->reference, touches, &sleep->touch_q, touches, &sleep->touch_v, touches, &sleep->end_q, touches,
    &sleep->end_v, touches, &sleep->spare));
  PetscCall(PetscCalloc5(n, &sleep->limit, n, &sleep->sleeper, n, &sleep->woken, n, &sleep->closed, NS_BUCKETS + 1, &sleep->bucket));
  NsContactWakeAll(contact);
  PetscFunctionReturn(0);
}

PetscErrorCode NsSleepDestroy(NsContact *contact)
{
  NsSleep *sleep = &contact->sleep;

  PetscFunctionBegin;
  PetscCall(PetscFree6(sleep->reference, sleep->touch_q, sleep->touch_v, sleep->end_q, sleep->end_v, sleep->spare));
  PetscCall(PetscFree5(sleep->limit, sleep->sleeper, sleep->woken, sleep->closed, sleep->bucket));
  PetscFunctionReturn(0);
}

void NsSleepRemember(NsContact *contact, NsMemory *memory)
{
  NsSleep       *sleep   = &contact->sleep;
  const PetscInt touches = contact->model->touches;

  NsMemoryLong(memory, "contact_steps", &sleep->steps);
  NsMemoryLong(memory, "contact_ends", &sleep->ends);
  NsMemoryLong(memory, "contact_work", &sleep->work);
  NsMemoryReals(memory, "end_q", touches, sleep->end_q); /* touch_q, touch_v and `known` are of the step alone */
  NsMemoryReals(memory, "end_v", touches, sleep->end_v);
  if (!sleep->may) return;
  NsMemoryReals(memory, "reference", touches, sleep->reference);
  NsMemoryBytes(memory, "closed_at", sizeof(*sleep->closed) * (size_t)contact->candidates, sleep->closed);
  NsMemoryCount(memory, "sleepers", &sleep->sleepers, contact->candidates);
  NsMemoryCount(memory, "woken", &sleep->up, sleep->sleepers);
  NsMemoryIndices(memory, "sleeper", sleep->sleepers, sleep->sleeper, contact->candidates);
  NsMemoryReals(memory, "limit", sleep->sleepers, sleep->limit);
}

void NsContactWakeAll(NsContact *contact)
{
  for (PetscInt i = 0; i < contact->candidates; i++) contact->near[i] = i;
  contact->nears          = contact->candidates;
  contact->sleep.sleepers = contact->sleep.up = 0;
  contact->sleep.known                        = PETSC_FALSE;
}

/* max_j stretch_j |x_j - from_j|; several at once, or the maximum would have to wait for itself. */
static PetscReal motion(const NsModel *model, const PetscReal *x, const PetscReal *from)
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

/* Candidates list[count], ascending, are near from now on. */
static void add_near(NsContact *contact, PetscInt count, const PetscInt *list)
{
  PetscInt to = contact->nears + count, from = contact->nears;

  contact->nears = to;
  while (count > 0) contact->near[--to] = from > 0 && contact->near[from - 1] > list[count - 1] ? contact->near[--from] : list[--count];
}

/* Wakes who may be closed after such a motion. The reports of the step before get what was not looked at then. */
static PetscErrorCode wake(NsContact *contact, PetscReal t, PetscReal moved)
{
  NsModel *model = contact->model;
  NsSleep *sleep = &contact->sleep;
  PetscInt count = 0;

  PetscFunctionBegin;
  while (sleep->up < sleep->sleepers && moved >= sleep->limit[sleep->up]) sleep->woken[count++] = sleep->sleeper[sleep->up++];
  if (!count) PetscFunctionReturn(0);
  PetscCall(PetscSortInt(count, sleep->woken));
  PetscCall(model->ops->look(model, t, sleep->end_q, sleep->end_v, count, sleep->woken, contact->gap, contact->u));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt i                 = sleep->woken[k];
    contact->last_report[i].gap      = contact->gap[i];
    contact->last_report[i].gap_rate = contact->u[contact->first[i]];
  }
  add_near(contact, count, sleep->woken);
  PetscFunctionReturn(0);
}

static void remember_closed(NsContact *contact)
{
  NsSleep *sleep = &contact->sleep;

  for (PetscInt k = 0; k < contact->nears && sleep->may; k++) {
    if (NsContactIsClosed(contact, contact->near[k])) sleep->closed[contact->near[k]] = sleep->steps;
  }
}

/* Gaps at touch_q, of those that are near there. */
static PetscErrorCode find_gaps(NsContact *contact, PetscReal t)
{
  NsModel *model = contact->model;
  NsSleep *sleep = &contact->sleep;

  PetscFunctionBegin;
  if (sleep->up < sleep->sleepers) PetscCall(wake(contact, t, motion(model, sleep->touch_q, sleep->reference)));
  PetscCall(model->ops->look(model, t, sleep->touch_q, NULL, contact->nears, contact->near, contact->gap, NULL));
  remember_closed(contact);
  sleep->known = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactGaps(NsContact *contact, PetscReal t, Vec q)
{
  NsModel *model = contact->model;
  NsSleep *sleep = &contact->sleep;

  PetscFunctionBegin;
  if (!contact->candidates) PetscFunctionReturn(0);
  if (!model->ops->look) {
    PetscCall(NsModelGap(model, t, q, contact->gap));
    PetscFunctionReturn(0);
  }
  PetscCall(NsModelTouch(model, q, sleep->touch_q));
  PetscCall(find_gaps(contact, t));
  PetscFunctionReturn(0);
}

static void swap(PetscReal **a, PetscReal **b)
{
  PetscReal *old = *a;

  *a = *b;
  *b = old;
}

/* The same; nothing to do where the last look was at the same values. */
static PetscErrorCode gaps_again(NsContact *contact, PetscReal t, Vec q)
{
  NsSleep  *sleep = &contact->sleep;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(NsModelTouch(contact->model, q, sleep->spare));
  same = sleep->known && !memcmp(sleep->spare, sleep->touch_q, sizeof(*sleep->spare) * (size_t)contact->model->touches) ? PETSC_TRUE : PETSC_FALSE;
  if (same) PetscFunctionReturn(0);
  swap(&sleep->spare, &sleep->touch_q);
  PetscCall(find_gaps(contact, t));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactRates(NsContact *contact, const NsState *state, PetscReal ahead)
{
  NsModel *model = contact->model;
  NsSleep *sleep = &contact->sleep;

  PetscFunctionBegin;
  if (model->ops->look) {
    PetscCall(gaps_again(contact, state->t, state->q));
    PetscCall(NsModelTouch(model, state->v, sleep->touch_v));
    if (ahead > 0 && sleep->up < sleep->sleepers) {
      const PetscReal moved = motion(model, sleep->touch_q, sleep->reference) + ahead * fastest(model, sleep->touch_v);
      const PetscInt  nears = contact->nears;
      PetscCall(wake(contact, state->t, moved));
      if (contact->nears > nears) PetscCall(find_gaps(contact, state->t));
    }
    PetscCall(model->ops->look(model, state->t, sleep->touch_q, sleep->touch_v, contact->nears, contact->near, NULL, contact->u));
  } else if (model->ops->rates) {
    PetscCall(model->ops->rates(model, state->t, state->q, state->v, contact->gap, contact->u));
  } else {
    PetscCall(NsContactGaps(contact, state->t, state->q));
    PetscCall(NsModelRows(model, state->t, state->q, contact->candidates, contact->every, &contact->all));
    PetscCall(NsRowsVelocity(model, &contact->all, state->v, contact->u));
  }
  PetscFunctionReturn(0);
}

void NsSleepEndStep(NsContact *contact)
{
  NsSleep *sleep = &contact->sleep;

  swap(&sleep->touch_q, &sleep->end_q);
  swap(&sleep->touch_v, &sleep->end_v);
  sleep->known = PETSC_FALSE;
  sleep->ends++;
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

/* Motion from the reference up to which the candidate is open; 0: it must not sleep. */
static PetscReal find_limit(const NsContact *contact, PetscInt i, PetscReal size)
{
  const NsModel         *model  = contact->model;
  const NsContactReport *report = &contact->report[i];
  const PetscReal        gap = contact->gap[i], rounding = 1e-9 * gap + 1e-12 * model->length_scale + 1e-13 * model->reach[i] * size;
  const PetscReal        left = gap - contact->tolerance[i] - rounding;

  if (model->candidate[i].bilateral || contact->sleep.closed[i] >= contact->sleep.steps - 1 || !(left > 0)) return 0;
  if (report->state != NS_OPEN || report->impulse[0] != 0 || report->force[0] != 0) return 0;
  return model->reach[i] > 0 ? left / model->reach[i] : PETSC_MAX_REAL;
}

/* A new reference: the end of the last step; who sleeps from there. */
static PetscErrorCode look_at_all(NsContact *contact)
{
  NsModel       *model = contact->model;
  NsSleep       *sleep = &contact->sleep;
  const PetscInt n     = contact->candidates;
  PetscReal      size  = 0;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(sleep->reference, sleep->end_q, model->touches));
  PetscCall(model->ops->look(model, 0, sleep->reference, NULL, n, contact->every, contact->gap, NULL));
  size = fastest(model, sleep->reference);
  PetscCall(PetscArrayzero(sleep->bucket, NS_BUCKETS + 1));
  contact->nears = sleep->sleepers = sleep->up = 0;
  for (PetscInt i = 0; i < n; i++) { /* in u: limits */
    contact->u[i] = find_limit(contact, i, size);
    if (contact->u[i] > 0) {
      sleep->bucket[bucket_of(contact->u[i]) + 1]++;
      sleep->sleepers++;
    } else
      contact->near[contact->nears++] = i;
  }
  for (PetscInt b = 0; b < NS_BUCKETS; b++) sleep->bucket[b + 1] += sleep->bucket[b];
  for (PetscInt i = 0; i < n; i++) {
    if (contact->u[i] == 0) continue;
    const PetscInt bucket = bucket_of(contact->u[i]), to = sleep->bucket[bucket]++;
    sleep->sleeper[to]      = i;
    sleep->limit[to]        = lowest_of(bucket);
    contact->report[i]      = (NsContactReport){.state = NS_OPEN};
    contact->last_report[i] = (NsContactReport){.state = NS_OPEN};
  }
  sleep->work = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsSleepBeginStep(NsContact *contact)
{
  NsSleep *sleep = &contact->sleep;

  PetscFunctionBegin;
  sleep->steps++;
  sleep->known = PETSC_FALSE;
  if (!sleep->may) PetscFunctionReturn(0);
  sleep->work += contact->nears;
  if (sleep->work > (PetscInt64)NS_PATIENCE * contact->candidates && sleep->ends >= 2) PetscCall(look_at_all(contact));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactComplete(NsContact *contact, const NsState *state)
{
  NsModel        *model  = contact->model;
  NsSleep        *sleep  = &contact->sleep;
  const PetscInt  asleep = sleep->sleepers - sleep->up;
  const PetscInt *list   = sleep->sleeper + sleep->up;

  PetscFunctionBegin;
  if (!asleep) PetscFunctionReturn(0);
  PetscCall(model->ops->look(model, state->t, sleep->end_q, sleep->end_v, asleep, list, contact->gap, contact->u));
  for (PetscInt k = 0; k < asleep; k++) {
    const PetscInt   i      = list[k];
    NsContactReport *report = &contact->report[i];
    report->gap             = contact->gap[i];
    report->gap_rate        = contact->u[contact->first[i]];
    for (PetscInt d = 0; d < model->candidate[i].directions; d++) report->velocity_after[d] = contact->u[contact->first[i] + d];
  }
  PetscFunctionReturn(0);
}
