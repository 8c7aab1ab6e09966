/*
  Event-driven loop: what happens at an event: impact, and which contacts are held afterwards. See event_driven.h.
*/
#include "event_driven.h"
#include "contact/laws/law.h"

static const NsEventSettings *settings_of(const NsScheme *scheme)
{
  return scheme->settings;
}

/* Selects I1: joints, held contacts, closed contacts. */
static PetscErrorCode list_closed(NsScheme *scheme, const NsState *at, PetscInt *count)
{
  NsEventDriven *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(NsContactGaps(contact, at->t, at->q));
  const PetscInt *active, actives = NsContactActive(contact, &active);
  PetscInt       *list = NsContactSelected(contact);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    if (self->is_held[i] || NsContactIsClosed(contact, i)) list[(*count)++] = i;
  }
  PetscFunctionReturn(0);
}

/* Whether a rebound with velocity u under the acceleration a is negligible: slower than velocity_tolerance, or lower than NS_EVENT_HOP gap_tolerance, height u^2/2|a|. */
static PetscBool is_slow(const NsScheme *scheme, PetscReal u, PetscReal a)
{
  const NsEventSettings *settings = settings_of(scheme);

  return PetscAbsReal(u) <= settings->velocity_tolerance || u * u <= 2 * PetscAbsReal(a) * NS_EVENT_HOP * settings->gap_tolerance ? PETSC_TRUE
                                                                                                                                  : PETSC_FALSE;
}

/* Whether a contact approaches so slowly that its acceleration reverses it within NS_EVENT_HOP. */
static PetscBool turns(const NsScheme *scheme, PetscReal u, PetscReal a)
{
  const NsEventSettings *settings = settings_of(scheme);

  return a > 0 && -u <= settings->velocity_tolerance && u * u <= 2 * a * NS_EVENT_HOP * settings->gap_tolerance;
}

/* u^- into self->before, accelerations into self->velocity; whether some contact of I1 approaches, or a joint moves. Held contacts approach by the solver's error only, which is no
   impact. */
static PetscErrorCode is_impact(NsScheme *scheme, const NsState *at, PetscBool *impact, NsStepOutcome *outcome)
{
  NsEventDriven *self  = scheme->data;
  NsRows        *rows  = &self->full;
  NsModel       *model = scheme->model;

  PetscFunctionBegin;
  *impact = PETSC_FALSE;
  PetscCall(NsDaeForces(self->dae, at->t, at->q, at->v, self->a, &outcome->done));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsModelRowrate(model, at->t, at->q, at->v, rows, self->b));
  PetscCall(NsRowsVelocity(model, rows, self->a, self->velocity));
  for (PetscInt k = 0; k < rows->rows; k++) self->velocity[k] += self->b[k] - rows->drive[k];
  PetscCall(NsRowsVelocity(model, rows, at->v, self->before));
  for (PetscInt k = 0; k < rows->contacts; k++) {
    const PetscInt  i = rows->contact[k];
    const PetscReal u = self->before[rows->start[k]], a = self->velocity[rows->start[k]];
    const PetscBool joint = model->candidate[i].bilateral,
                    hits  = joint ? PetscAbsReal(u) > settings_of(scheme)->velocity_tolerance : !self->is_held[i] && u < 0 && !turns(scheme, u, a);
    self->restitute[k]    = !joint && !is_slow(scheme, NsLawRestitution(&model->candidate[i].law, PetscAbsReal(u)) * u, a);
    self->impact[k]       = hits;
    *impact               = *impact || hits;
  }
  PetscFunctionReturn(0);
}

/* Work of impulses P that stop the velocities `before`, and of surfaces that move by themselves. */
static void book_stop(NsLedger *ledger, const NsRows *rows, const PetscReal *P, const PetscReal *before)
{
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      *(k == rows->start[i] ? &ledger->impact : &ledger->friction) -= before[k] / 2 * P[k];
      ledger->load -= rows->drive[k] * P[k];
    }
  }
}

/*
  Makes the velocity of held contacts zero: v -= M^-1 W (W' M^-1 W)^-1 u, a change within the tolerances or the solver's drift. Done before an event, so that drift does not bounce or open a held
  contact, and after it.
*/
static PetscErrorCode still(NsScheme *scheme, const NsHeld *held, NsState *at, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;
  NsRows        *rows = &self->wu;
  PetscReal      left;

  PetscFunctionBegin;
  PetscCall(NsDaeHold(self->dae, held));
  if (!held->count) PetscFunctionReturn(0);
  PetscCall(NsDaeRows(self->dae, at->t, at->q, at->v, rows, &self->wp));
  PetscCall(NsContactDelassus(scheme->contact, self->dae->mass, rows, rows));
  PetscCall(NsRowsVelocity(scheme->model, rows, at->v, self->velocity));
  PetscCall(NsContactFit(scheme->contact, rows, self->velocity, self->P, &left));
  if (PetscIsInfOrNanReal(left)) {
    outcome->done = PETSC_FALSE;
    PetscCall(NsStepFail(outcome, scheme, rows, "velocities"));
    PetscFunctionReturn(0);
  }
  PetscCall(NsComplianceApply(self->dae->mass, rows, self->P, 1, at->v));
  book_stop(scheme->ledger, rows, self->P, self->velocity);
  PetscFunctionReturn(0);
}

/*
  v += M^-1 W P of all of I1. Contacts that separate before the impact and are pressed by it reverse with e times their velocity, and have an impact of their own right after this one: if they
  stopped, impacts of several contacts would add energy. An impact includes all contacts that it is coupled with.
*/
static PetscErrorCode hit(NsScheme *scheme, NsState *at, NsStepOutcome *outcome)
{
  NsEventDriven *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsContactDelassus(contact, self->dae->mass, &self->full, &self->full));
  PetscCall(NsContactSolve(contact, &self->full, self->before, self->before, self->restitute, self->P, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &self->full, "impulses"));
    PetscFunctionReturn(0);
  }
  NsContactSpread(contact, self->impact);
  PetscCall(NsComplianceApply(self->dae->mass, &self->full, self->P, 1, at->v));
  PetscCall(NsRowsVelocity(scheme->model, &self->full, at->v, self->velocity));
  PetscCall(NsContactReportImpulse(contact, scheme->ledger, &self->full, self->P, self->before, self->velocity, self->impact));
  PetscFunctionReturn(0);
}

static PetscReal sign_of(PetscReal x)
{
  return x < 0 ? -1 : 1;
}

/* I2 into self->after, as if all of it were held: joints, contacts that were held, and those that neither approach nor separate, with their slip. */
static void list_resting(NsScheme *scheme, PetscBool was_hit)
{
  NsEventDriven  *self      = scheme->data;
  NsHeld         *after     = &self->after;
  const PetscReal tolerance = settings_of(scheme)->velocity_tolerance;

  after->count = 0;
  for (PetscInt k = 0; k < self->full.contacts; k++) {
    const PetscInt     i         = self->full.contact[k];
    const NsCandidate *candidate = &scheme->model->candidate[i];
    const PetscReal   *u         = self->velocity + self->full.start[k];
    const PetscBool    rests     = candidate->bilateral || (self->is_held[i] && !was_hit) || PetscAbsReal(u[0]) <= tolerance;
    if (!rests) continue;
    after->contact[after->count] = i;
    after->sense[after->count]   = 0;
    after->kind[after->count]    = candidate->directions > 1 ? NS_HOLD_STICK : NS_HOLD_NORMAL;
    self->slip[after->count]     = 0;
    if (candidate->directions > 1 && PetscAbsReal(u[1]) > tolerance) {
      after->kind[after->count]  = NS_HOLD_SLIP;
      after->sense[after->count] = sign_of(u[1]);
      self->slip[after->count]   = PetscAbsReal(u[1]);
    }
    after->count++;
  }
}

/* Whether a contact with the coefficient mu sticks or begins to slip, from its force P and acceleration w: the slip is opposite to the force, not to w, which is a rounding error where other contacts hold the body, too. */
static void settle_grip(PetscReal mu, const PetscReal *P, const PetscReal *w, NsHoldKind *kind, PetscReal *sense)
{
  if (PetscAbsReal(P[1]) < mu * P[0] * (1 - 1e-10)) return;
  *kind  = NS_HOLD_SLIP;
  *sense = P[1] != 0 ? -sign_of(P[1]) : sign_of(w[1]);
}

/* Keeps those of self->after that are pressed. P[rows] forces, w[rows] accelerations (or velocities) of self->wu; without[rows]: w without forces. */
static void keep_pressed(NsScheme *scheme, const PetscReal *P, const PetscReal *w, const PetscReal *without)
{
  NsEventDriven *self  = scheme->data;
  NsHeld        *after = &self->after;
  PetscInt       count = 0;

  for (PetscInt k = 0; k < after->count; k++) {
    const PetscInt     i = after->contact[k], row = self->wu.start[k];
    const NsCandidate *candidate = &scheme->model->candidate[i];
    if (!candidate->bilateral && !(P[row] > 0) && w[row] > 1e-10 * PetscAbsReal(without[row])) continue;
    after->contact[count] = i;
    after->kind[count]    = after->kind[k];
    after->sense[count]   = after->sense[k];
    if (after->kind[k] == NS_HOLD_STICK)
      settle_grip(NsContactFriction(scheme->contact, i), P + row, w + row, &after->kind[count], &after->sense[count]);
    count++;
  }
  after->count = count;
}

/* Accelerations of the rows wu without forces: W' M^-1 h + d. */
static PetscErrorCode free_accelerations(NsScheme *scheme, const NsState *at, PetscReal *b)
{
  NsEventDriven *self  = scheme->data;
  NsModel       *model = scheme->model;

  PetscFunctionBegin;
  PetscCall(NsModelAccel(model, at->t, at->q, at->v, self->free));
  PetscCall(NsModelRowrate(model, at->t, at->q, at->v, &self->wu, b));
  PetscCall(NsRowsVelocity(model, &self->wu, self->free, self->velocity));
  for (PetscInt k = 0; k < self->wu.rows; k++) b[k] += self->velocity[k] - self->wu.drive[k];
  PetscFunctionReturn(0);
}

/* 0 <= b + G P _|_ P >= 0 (and friction) on self->after, by the last NsContactDelassus: keeps those that are pressed. `what` is solved for: "forces". */
static PetscErrorCode solve_after(NsScheme *scheme, const char *what, NsStepOutcome *outcome)
{
  NsEventDriven *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsContactSolveAt(contact, &self->wu, self->b, self->slip, self->P, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &self->wu, what));
    PetscFunctionReturn(0);
  }
  PetscCall(NsContactReact(contact, &self->wu, self->P, self->velocity));
  for (PetscInt k = 0; k < self->wu.rows; k++) self->velocity[k] += self->b[k];
  keep_pressed(scheme, self->P, self->velocity, self->b);
  PetscFunctionReturn(0);
}

/* 0 <= W'a + d _|_ lambda >= 0 (and friction) on self->after. */
static PetscErrorCode select_by_accelerations(NsScheme *scheme, const NsState *at, NsStepOutcome *outcome)
{
  NsEventDriven *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsDaeHold(self->dae, &self->after));
  PetscCall(NsDaeRows(self->dae, at->t, at->q, at->v, &self->wu, &self->wp));
  PetscCall(NsComplianceUpdate(self->dae->mass, at->t, at->q, at->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactDelassus(contact, self->dae->mass, &self->wu, &self->wp));
  PetscCall(free_accelerations(scheme, at, self->b));
  PetscCall(solve_after(scheme, "forces", outcome));
  PetscFunctionReturn(0);
}

#define NS_EVENT_PEEP 1e-3 /* of a step: length of the Moreau-Jean step */

/*
  0 <= u1 _|_ P >= 0 (and friction) on self->after after a short step: u1 = W1' (v0 + dt M^-1 h) + G P with rows W1 at its end; those of its middle would contain half of (dW'/dt) v. Resting contacts
  have exactly zero velocity here: in a short step a velocity within the tolerance would outweigh accelerations.
*/
static PetscErrorCode select_by_step(NsScheme *scheme, const NsState *at, NsStepOutcome *outcome)
{
  NsEventDriven  *self    = scheme->data;
  NsContact      *contact = scheme->contact;
  NsModel        *model   = scheme->model;
  const PetscReal dt      = NS_EVENT_PEEP * PetscMin(settings_of(scheme)->scheme.step, self->next);

  PetscFunctionBegin;
  PetscCall(NsModelRows(model, at->t, at->q, self->after.count, self->after.contact, &self->wu));
  PetscCall(NsRowsVelocity(model, &self->wu, at->v, self->velocity));
  PetscCall(NsModelAccel(model, at->t, at->q, at->v, self->free));
  PetscCall(NsModelMove(model, at->q, dt, at->v, self->a));
  PetscCall(NsModelRows(model, at->t + dt, self->a, self->after.count, self->after.contact, &self->wu));
  PetscCall(NsContactDelassus(contact, self->dae->mass, &self->wu, &self->wu));
  PetscCall(VecWAXPY(self->a, dt, self->free, at->v));
  PetscCall(NsRowsVelocity(model, &self->wu, self->a, self->b));
  for (PetscInt k = 0; k < self->after.count; k++) {
    for (PetscInt row = self->wu.start[k]; row < self->wu.start[k + 1]; row++)
      self->b[row] -= self->after.kind[k] == NS_HOLD_SLIP && row > self->wu.start[k] ? 0 : self->velocity[row];
  }
  PetscCall(solve_after(scheme, "percussions", outcome));
  PetscFunctionReturn(0);
}

/* Half the time in which contacts that separate keep rising: g' = u, g'' = a < 0 there. */
static PetscErrorCode find_bound(NsScheme *scheme, const NsState *at, PetscInt closed)
{
  NsEventDriven *self  = scheme->data;
  NsModel       *model = scheme->model;

  PetscFunctionBegin;
  self->bound = PETSC_MAX_REAL;
  PetscCall(NsModelRows(model, at->t, at->q, closed, NsContactSelected(scheme->contact), &self->wu));
  PetscCall(NsModelRowrate(model, at->t, at->q, at->v, &self->wu, self->b));
  PetscCall(NsRowsVelocity(model, &self->wu, at->v, self->before));
  PetscCall(NsRowsVelocity(model, &self->wu, self->a, self->velocity));
  for (PetscInt k = 0; k < closed; k++) {
    const PetscInt  row = self->wu.start[k];
    const PetscReal u = self->before[row], a = self->velocity[row] - self->wu.drive[row] + self->b[row];
    if (u > settings_of(scheme)->velocity_tolerance && a < 0) self->bound = PetscMin(self->bound, -u / (2 * a));
  }
  PetscFunctionReturn(0);
}

/* The forces of dae->wp along all directions of their contacts: self->full, self->force. */
static PetscErrorCode expand_forces(NsScheme *scheme, const NsState *at)
{
  NsEventDriven *self = scheme->data;
  const NsHeld  *held = &self->dae->held;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, at->t, at->q, held->count, held->contact, &self->full));
  for (PetscInt k = 0; k < held->count; k++) {
    const PetscReal *lambda = self->dae->lambda + self->dae->wu.start[k];
    const NsLaw     *law    = &scheme->model->candidate[held->contact[k]].law;
    const PetscReal  mu     = held->kind[k] == NS_HOLD_SLIP ? self->dae->friction[k] : law->friction;
    if (law->kinds & NS_LAW_SLIDING) NsContactTakeFriction(scheme->contact, held->contact[k], mu);
    for (PetscInt row = self->full.start[k], d = 0; row < self->full.start[k + 1]; row++, d++)
      self->force[row] = d == 0 || held->kind[k] == NS_HOLD_STICK ? lambda[d] : held->kind[k] == NS_HOLD_SLIP ? -mu * held->sense[k] * lambda[0] : 0;
    self->largest_force = PetscMax(self->largest_force, PetscAbsReal(self->force[self->full.start[k]]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsEventForces(NsScheme *scheme, const NsState *at, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  self->full.contacts = self->full.rows = 0;
  if (!self->dae->held.count) PetscFunctionReturn(0);
  PetscCall(NsDaeForces(self->dae, at->t, at->q, at->v, self->a, &outcome->done));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(expand_forces(scheme, at));
  PetscFunctionReturn(0);
}

PetscErrorCode NsEventResolve(NsScheme *scheme, NsState *at, PetscBool *was_hit, NsStepOutcome *outcome)
{
  NsEventDriven *self  = scheme->data;
  NsModel       *model = scheme->model;
  PetscInt       closed;

  PetscFunctionBegin;
  *was_hit    = PETSC_FALSE;
  self->bound = PETSC_MAX_REAL;
  PetscCall(list_closed(scheme, at, &closed));
  self->full.contacts = self->full.rows = 0;
  self->after.count                     = 0;
  if (!closed) {
    PetscCall(NsDaeHold(self->dae, &self->after));
    PetscFunctionReturn(0);
  }
  PetscCall(NsComplianceUpdate(self->dae->mass, at->t, at->q, at->v, (NsOperator){1, 0, 0}));
  PetscCall(NsModelRows(model, at->t, at->q, closed, NsContactSelected(scheme->contact), &self->full));
  PetscCall(still(scheme, &self->held, at, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(is_impact(scheme, at, was_hit, outcome));
  if (outcome->done && *was_hit) PetscCall(hit(scheme, at, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsRowsVelocity(model, &self->full, at->v, self->velocity));
  list_resting(scheme, *was_hit);
  PetscCall(settings_of(scheme)->select == 0 ? select_by_accelerations(scheme, at, outcome) : select_by_step(scheme, at, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(still(scheme, &self->after, at, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsEventForces(scheme, at, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  if (!self->dae->held.count) PetscCall(NsModelAccel(model, at->t, at->q, at->v, self->a));
  if (*was_hit) PetscCall(find_bound(scheme, at, closed));
  const PetscInt  *list = NsContactSelected(scheme->contact);
  const PetscReal *gap  = NsContactLastGaps(scheme->contact);
  for (PetscInt k = 0; k < closed; k++) self->floor[list[k]] = PetscMin(0, gap[list[k]]);
  PetscFunctionReturn(0);
}
