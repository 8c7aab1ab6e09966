#include "event_driven.h"
#include "jumps.h"

const char *const NsEventSelectChoices[] = {"lcp", "moreau_jean", NULL};

const char *NsEventDrivenRefuses(const NsModel *model, const void *settings)
{
  (void)settings;
  if (model->layout->ranks > 1) return "it runs on one process, and there are more: start it without mpiexec";
  if (model->candidates && !model->contact.rowrate) return "it needs the rates of the contact rows, which this model does not give (rowrate)";
  if (model->slots) return NS_REFUSES_SLOTS;
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (model->candidate[i].directions > 2)
      return "the scheme supports planar friction only, along one direction of a contact; half_explicit supports friction in space";
  }
  return NULL;
}

PetscBool NsEventDrivenControls(const NsEventSettings *settings)
{
  return settings->tolerance > 0 || settings->absolute_tolerance > 0;
}

static void copy_held(const NsHeld *from, NsHeld *to)
{
  to->count = from->count;
  for (PetscInt k = 0; k < from->count; k++) {
    to->contact[k] = from->contact[k];
    to->kind[k]    = from->kind[k];
    to->sense[k]   = from->sense[k];
  }
}

static PetscBool same_held(const NsHeld *a, const NsHeld *b)
{
  if (a->count != b->count) return PETSC_FALSE;
  for (PetscInt k = 0; k < a->count; k++) {
    if (a->contact[k] != b->contact[k] || a->kind[k] != b->kind[k] || a->sense[k] != b->sense[k]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void serialize_guards(void *data, NsArchive *archive)
{
  NsEventDriven *self = data;

  NsArchiveBytes(archive, "guard", sizeof(*self->guard) * (size_t)self->guards, self->guard);
  for (PetscInt k = 0; k < self->guards && archive->reading; k++) {
    if ((int)self->guard[k].kind < NS_EVENT_NONE || self->guard[k].kind > NS_EVENT_SLIP) NsArchiveDeny(archive, "guard");
  }
}

static PetscErrorCode declare_history(NsEventDriven *self, NsWorkspace *work)
{
  PetscFunctionBegin;
  PetscCall(NsDaeHeldDeclare(work, &self->held, PETSC_TRUE));
  PetscCall(NsHistoryFlags(work, "is_held", work->candidates, &self->is_held));
  PetscCall(NsHistoryFlag(work, "pending", &self->pending));
  PetscCall(NsHistoryFlag(work, "restart", &self->restart));
  PetscCall(NsHistoryOther(work, serialize_guards, self));
  PetscCall(NsHistoryReals(work, "floor", work->candidates, &self->floor));
  PetscCall(NsHistoryNumbers(work, "largest_force", 1, &self->largest_force));
  PetscCall(NsHistoryNumbers(work, "next", 1, &self->next));
  PetscCall(NsHistoryNumbers(work, "bound", 1, &self->bound));
  PetscCall(NsHistoryNumbers(work, "crowd_since", 1, &self->crowd_since));
  PetscCall(NsHistoryCounts(work, "crowd", 1, &self->crowd));
  PetscCall(NsHistoryCounts(work, "steps", 1, &self->steps));
  PetscCall(NsHistoryCounts(work, "events", 1, &self->events));
  PetscFunctionReturn(0);
}

PetscErrorCode NsEventDrivenDeclare(NsScheme *scheme, NsWorkspace *work, const NsDaeMethod *method)
{
  const NsEventSettings *settings = scheme->settings;
  NsEventDriven         *self     = scheme->data;

  PetscFunctionBegin;
  if (method->by_positions) PetscCall(NsSchemeAddsPositions(scheme));
  self->guards = 2 * work->candidates;
  PetscCall(NsWorkVecs(work, &self->look.q, &self->look.v, &self->a, &self->free, NULL));
  PetscCall(NsDaeHeldDeclare(work, &self->after, PETSC_FALSE));
  PetscCall(NsWorkRows(work, &self->full, &self->wu, &self->wp, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->P, &self->force, &self->before, &self->velocity, &self->b, NULL));
  PetscCall(NsWorkReals(work, work->candidates, &self->slip, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->restitute, &self->impact, NULL));
  PetscCall(NsWorkBytes(work, sizeof(*self->guard) * (size_t)self->guards, &self->guard));
  PetscCall(declare_history(self, work));
  PetscCall(NsDaeCreate(method, scheme->contact, work, &self->dae));
  self->dae->absolute   = settings->absolute_tolerance;
  self->dae->relative   = settings->tolerance;
  self->dae->size_q     = settings->gap_tolerance; /* smaller motions have no size */
  self->dae->size_v     = settings->velocity_tolerance;
  self->dae->rho        = settings->rho;
  self->dae->free_rates = settings->rates == 1;
  PetscFunctionReturn(0);
}

/* Work over the step, by Gauss's rule on the dense output. Ideal contacts and joints that do not move by themselves do none. */
static PetscErrorCode book(NsScheme *scheme, const NsState *x, PetscReal h, NsStepOutcome *outcome)
{
  static const PetscReal place[3] = {0.11270166537925831, 0.5, 0.88729833462074169}, weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  NsEventDriven         *self  = scheme->data;
  PetscBool              works = self->held.count > 0;

  PetscFunctionBegin;
  if (!works && !scheme->model->dynamics.power) PetscFunctionReturn(0);
  for (int j = 0; j < 3; j++) {
    NsPower power;
    self->look.t = x->t + place[j] * h;
    PetscCall(NsDaeInterpolate(self->dae, x, place[j], self->look.q, self->look.v));
    PetscCall(NsModelPower(scheme->model, self->look.t, self->look.q, self->look.v, self->look.v, &power));
    scheme->ledger->damping += weight[j] * h * power.damping;
    scheme->ledger->load += weight[j] * h * power.load;
    if (!works) continue;
    PetscCall(NsEventForces(scheme, &self->look, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    works = NsRowsWork(&self->full);
    if (!works) continue;
    PetscCall(NsRowsVelocity(scheme->model, &self->full, self->look.v, self->velocity));
    for (PetscInt k = 0; k < self->full.rows; k++) self->velocity[k] *= 2;
    NsContactBookForces(scheme->ledger, &self->full, self->force, weight[j] * h, self->velocity);
  }
  PetscFunctionReturn(0);
}

/* The solver's reason for a failed step, with the contacts that are held. */
static PetscErrorCode fail(NsScheme *scheme, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  if (!*outcome->reason) {
    PetscCall(PetscStrncpy(outcome->reason, self->dae->reason, sizeof(outcome->reason)));
    if (self->dae->held.count) PetscCall(PetscStrlcat(outcome->reason, "; closed", sizeof(outcome->reason)));
    PetscCall(NsStepName(outcome, scheme, self->dae->held.count, self->dae->held.contact));
  }
  PetscCall(NsDaeHold(self->dae, &self->held));
  PetscFunctionReturn(0);
}

/* Fails the step when too many events happen in next to no time. */
static PetscErrorCode count_crowd(NsScheme *scheme, PetscReal t, NsStepOutcome *outcome)
{
  const NsEventSettings *settings = scheme->settings;
  NsEventDriven         *self     = scheme->data;

  PetscFunctionBegin;
  if (t - self->crowd_since > 1e-6 * settings->scheme.step) {
    self->crowd_since = t;
    self->crowd       = 0;
  }
  if (++self->crowd <= NS_EVENT_CROWD) PetscFunctionReturn(0);
  outcome->done = PETSC_FALSE;
  PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason), "more than %d events within a millionth of a step", NS_EVENT_CROWD));
  for (PetscInt k = 0; k < 2 * scheme->model->candidates; k++) {
    if (self->guard[k].kind != NS_EVENT_NONE && self->guard[k].value <= self->guard[k].limit)
      PetscCall(NsStepName(outcome, scheme, 1, (PetscInt[]){k / 2}));
  }
  PetscCall(PetscStrlcat(outcome->reason,
    ": impacts accumulate, or contacts open and close without end; a larger velocity_tolerance, or a time-stepping scheme, avoids this",
    sizeof(outcome->reason)));
  PetscFunctionReturn(0);
}

/* Holds `after` from now on; guards whose event changed nothing become more tolerant. */
static void take_over(NsScheme *scheme, PetscBool was_hit)
{
  NsEventDriven  *self = scheme->data;
  const PetscBool vain = !was_hit && same_held(&self->held, &self->after);

  for (PetscInt k = 0; k < 2 * scheme->model->candidates; k++) {
    NsEventGuard *guard = &self->guard[k];
    if (!vain)
      guard->vain = 0;
    else if (guard->kind != NS_EVENT_NONE && guard->value <= guard->limit)
      guard->vain++;
  }
  copy_held(&self->after, &self->held);
  for (PetscInt i = 0; i < scheme->model->candidates; i++) self->is_held[i] = PETSC_FALSE;
  for (PetscInt k = 0; k < self->held.count; k++) self->is_held[self->held.contact[k]] = PETSC_TRUE;
  self->restart = PETSC_TRUE;
}

/* The event at self->look, and the end of the step there. */
static PetscErrorCode end_in_event(NsScheme *scheme, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;
  PetscBool      was_hit;

  PetscFunctionBegin;
  PetscCall(count_crowd(scheme, self->look.t, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsEventResolve(scheme, &self->look, &was_hit, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  take_over(scheme, was_hit);
  PetscFunctionReturn(0);
}

static PetscErrorCode copy_state(PetscReal t, Vec q, Vec v, NsState *to)
{
  PetscFunctionBegin;
  to->t = t;
  PetscCall(VecCopy(q, to->q));
  PetscCall(VecCopy(v, to->v));
  PetscFunctionReturn(0);
}

/* Resolves the start like an event, at self->look; stays: its velocities do not change. */
static PetscErrorCode look_at_start(NsScheme *scheme, const NsState *x, PetscBool *was_hit, PetscBool *stays, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(copy_state(x->t, x->q, x->v, &self->look));
  PetscCall(NsEventResolve(scheme, &self->look, was_hit, outcome));
  if (outcome->done) PetscCall(VecEqual(x->v, self->look.v, stays));
  PetscFunctionReturn(0);
}

/* Contacts held at the start have their forces there, and stick or slip from then on. If velocities are inconsistent or there is no solution, the first step reports it. */
PetscErrorCode NsEventDrivenStart(NsScheme *scheme, const NsState *state)
{
  NsEventDriven *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  const NsLedger before  = *scheme->ledger;
  NsStepOutcome  outcome = {.done = PETSC_TRUE};
  PetscBool      was_hit, stays = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->dae->mass, state->t, state->q, state->v, (NsOperator){1, 0, 0}));
  self->pending = PETSC_TRUE;
  self->restart = PETSC_TRUE;
  self->next = self->bound = PETSC_MAX_REAL;
  self->crowd_since        = state->t;
  PetscCall(look_at_start(scheme, state, &was_hit, &stays, &outcome));
  if (stays) {
    take_over(scheme, was_hit);
    NsContactSetHeld(contact, self->is_held, NULL);
    self->pending = PETSC_FALSE;
    PetscCall(NsContactReportForce(contact, &self->full, self->force, 1));
    PetscCall(NsContactEndStep(contact, state));
  } else {
    *scheme->ledger = before;
    PetscCall(NsContactBeginStep(contact)); /* the impact just reported will happen in the first step */
    PetscCall(NsContactEndStep(contact, state));
    NsContactSetHeld(contact, self->is_held, NULL);
  }
  PetscFunctionReturn(0);
}

/* An inconsistent start, where closed contacts approach, gets consistent velocities in a step of zero length. */
static PetscErrorCode first_step(NsScheme *scheme, NsState *x, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;
  PetscBool      was_hit, stays;

  PetscFunctionBegin;
  PetscCall(look_at_start(scheme, x, &was_hit, &stays, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  take_over(scheme, was_hit);
  self->pending = PETSC_FALSE;
  PetscCall(NsContactReportForce(scheme->contact, &self->full, self->force, 1));
  NsStateSwap(x, &self->look.q, &self->look.v);
  PetscFunctionReturn(0);
}

static PetscErrorCode smooth_step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;
  PetscReal      h    = PetscMin(dt, PetscMin(self->next, self->bound)), next, t;
  PetscBool      found;
  NsTimes        times;

  PetscFunctionBegin;
  PetscCall(NsModelTimes(scheme->model, x->t, x->v, &times));
  const PetscReal longest = NsJumpStep(&times, x->t, NsEventDrivenControls(scheme->settings) ? NS_EVENT_PERIOD : NS_EVENT_PERIOD / 5);
  h                       = PetscMin(h, longest);
  if (self->restart) {
    PetscCall(NsDaeHold(self->dae, &self->held));
    PetscCall(NsDaeRestart(self->dae, x, &outcome->done));
    if (!outcome->done) PetscFunctionReturn(0);
    self->restart = PETSC_FALSE;
  }
  PetscCall(NsDaeTry(self->dae, x, &h, &next, &outcome->done));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsEventFind(scheme, x, &h, &found, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(book(scheme, x, h, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  t = x->t + h;
  if (NsJumpIsAt(&times, t)) {
    t     = times.next;
    found = PETSC_TRUE;
    PetscCall(NsJumpArrive(scheme->model, x->v, &t));
  }
  PetscCall(copy_state(t, self->dae->q1, self->dae->v1, &self->look));
  const PetscReal bound = self->bound;
  self->bound           = PETSC_MAX_REAL;
  if (found)
    PetscCall(end_in_event(scheme, outcome));
  else
    PetscCall(NsEventForces(scheme, &self->look, outcome));
  if (!outcome->done) {
    self->bound = bound;
    PetscFunctionReturn(0);
  }
  PetscCall(NsContactReportForce(scheme->contact, &self->full, self->force, 1));
  PetscCall(NsDaeAccept(self->dae));
  self->next = !NsEventDrivenControls(scheme->settings) ? PETSC_MAX_REAL : h < longest ? next : PetscMax(next, self->next);
  self->steps++;
  self->events += found;
  NsStateSwap(x, &self->look.q, &self->look.v);
  x->t = self->look.t;
  PetscFunctionReturn(0);
}

PetscErrorCode NsEventDrivenStep(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  PetscFunctionBegin;
  if (((NsEventDriven *)scheme->data)->pending)
    PetscCall(first_step(scheme, x, outcome));
  else
    PetscCall(smooth_step(scheme, x, dt, outcome));
  if (!outcome->done) PetscCall(fail(scheme, outcome));
  PetscFunctionReturn(0);
}

PetscInt NsEventDrivenCount(const NsScheme *scheme, NsCounter *list)
{
  const NsEventDriven *self  = scheme->data;
  const NsDaeWork     *work  = &self->dae->work;
  const NsCounter      all[] = {{"steps", self->steps}, {"events", self->events}, {"steps_tried", work->steps + work->rejected},
         {"steps_rejected", work->rejected}, {"forces", work->forces}, {"contact_rows", work->rows}, {"row_rates", work->rates}, {"solves", work->solves},
         {"tangents", work->tangents}};
  const PetscInt       count = (PetscInt)(sizeof(all) / sizeof(all[0]));

  for (PetscInt i = 0; i < count; i++) list[i] = all[i];
  return count;
}
