#include "trapezoidal.h"

const char *const NsRestitutionChoices[] = {"newly_closed", "all_closed", NULL};

PetscErrorCode NsTrapezoidalDeclare(NsScheme *scheme, NsWorkspace *work)
{
  const NsTrapezoidalSettings *settings = scheme->settings;
  NsTrapezoidal               *self     = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsWorkCompliance(work, 0, &self->mass));
  PetscCall(NsWorkVecs(work, &self->a1, &self->va, &self->q1, &self->v1, NULL));
  if (!work->model->constant_mass) PetscCall(NsWorkVecs(work, &self->free, NULL));
  if (work->model->dynamics.power) PetscCall(NsWorkVecs(work, &self->vm, NULL));
  PetscCall(NsWorkRows(work, &self->w0, &self->wu, &self->w1, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->P0, &self->P1, &self->Lambda, &self->u0, &self->u1, &self->b, &self->us0, &self->us1, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->reached, &self->closed1, &self->newly, &self->struck, NULL));
  PetscCall(NsHistoryFlag(work, "known", &self->known));
  NsHistoryWhen(work, &self->known);
  PetscCall(NsHistoryVec(work, "a0", &self->a0));
  NsHistoryWhen(work, NULL);
  PetscCall(NsHistoryFlags(work, "closed", work->candidates, &self->closed));
  if (NsHoldIsWanted(work->model, settings->positions)) PetscCall(NsHoldDeclare(scheme, work, &self->hold));
  PetscFunctionReturn(0);
}

/* Updates the compliance, so that no step has to allocate for the first contact; and finds the closed contacts. */
PetscErrorCode NsTrapezoidalStart(NsScheme *scheme, const NsState *state)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, state->t, state->q, state->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->closed));
  if (self->hold) PetscCall(NsHoldStart(self->hold, self->closed));
  self->known = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalBegin(NsScheme *scheme, const NsState *x)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  if (!self->known) PetscCall(NsModelAccel(scheme->model, x->t, x->q, x->v, self->a0));
  self->known       = PETSC_FALSE; /* until this step is done */
  self->w0.contacts = self->w0.rows = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalPush(NsScheme *scheme, PetscReal dt)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  if (!self->w0.rows) PetscFunctionReturn(0);
  if (self->free) PetscCall(VecCopy(self->a0, self->free));
  PetscCall(NsComplianceApply(self->mass, &self->w0, self->P0, 1 / dt, self->a0));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalRelease(NsScheme *scheme, PetscReal dt)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  if (!self->w0.rows) PetscFunctionReturn(0);
  if (self->free)
    PetscCall(VecCopy(self->free, self->a0));
  else
    PetscCall(NsComplianceApply(self->mass, &self->w0, self->P0, -1 / dt, self->a0));
  self->w0.contacts = self->w0.rows = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalEulerStage(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *closed, NsStepOutcome *outcome)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  NsModel       *model   = scheme->model;
  const PetscInt count   = NsContactList(contact, closed);
  Vec            ahead   = x->q;

  PetscFunctionBegin;
  if (!count) PetscFunctionReturn(0);
  if (!model->flat_contacts) {
    PetscCall(NsModelMove(model, x->q, dt, x->v, self->q1));
    ahead = self->q1;
  }
  const PetscInt *selected = NsContactSelected(contact);
  PetscCall(NsModelRows(model, x->t, x->q, count, selected, &self->w0));
  PetscCall(NsModelRows(model, x->t + dt, ahead, count, selected, &self->wu));
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactDelassus(contact, self->mass, &self->wu, &self->w0));
  PetscCall(NsRowsVelocity(model, &self->wu, x->v, self->u1));
  PetscCall(NsRowsVelocity(model, &self->wu, self->a0, self->u0));
  for (PetscInt k = 0; k < self->wu.rows; k++) self->u1[k] += dt * (self->u0[k] - self->wu.drive[k]);
  PetscCall(NsContactSolve(contact, &self->w0, self->u1, NULL, NULL, self->P0, &outcome->done));
  if (!outcome->done)
    PetscCall(NsStepFail(outcome, scheme, &self->w0, "forces"));
  else
    PetscCall(NsTrapezoidalPush(scheme, dt));
  PetscFunctionReturn(0);
}

PetscInt NsTrapezoidalFlagClosed(const NsScheme *scheme, PetscBool *flag)
{
  const NsTrapezoidal *self = scheme->data;
  const PetscInt      *active;

  if (!self->hold) return NsContactFlagClosed(scheme->contact, flag);
  const PetscInt actives = NsContactActive(scheme->contact, &active);
  for (PetscInt k = 0; k < actives; k++) flag[active[k]] = NsHoldTouches(scheme->contact, active[k]);
  return NsContactList(scheme->contact, flag);
}

/* q1 with closed contacts projected onto g = 0; a1 and v1 there. Where contacts are curved, pressed ones will have to move, and the accelerations of a flight before that would be wasted. */
static PetscErrorCode held_flight(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal  *self    = scheme->data;
  NsModel        *model   = scheme->model;
  const PetscReal t1      = x->t + dt;
  const PetscBool pressed = NsHoldPress(self->hold, self->closed, &self->w0, self->P0) && !model->flat_contacts;
  PetscBool       off;

  PetscFunctionBegin;
  if (pressed) {
    PetscCall(VecWAXPY(self->v1, dt / 2, self->a0, x->v)); /* (v0 + v_a)/2 */
    PetscCall(NsModelMove(model, x->q, dt, self->v1, self->q1));
  } else {
    PetscCall(NsModelFlight(model, t1, dt, x->q, x->v, self->a0, self->q1, self->v1, self->a1));
  }
  PetscCall(NsContactGaps(scheme->contact, t1, self->q1));
  NsHoldFind(self->hold, &off);
  if (off) {
    PetscCall(NsComplianceUpdate(self->mass, t1, self->q1, x->v, (NsOperator){1, 0, 0}));
    PetscCall(NsHoldProject(scheme, self->hold, t1, self->mass, &self->q1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  }
  if (!off && !pressed) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(self->v1, dt, self->a0, x->v)); /* v_a, until a1 is known */
  PetscCall(NsModelAccel(model, t1, self->q1, self->v1, self->a1));
  PetscCall(VecAXPBYPCZ(self->v1, 0.5, dt / 2, 0.5, x->v, self->a1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalPosition(NsScheme *scheme, const NsState *x, PetscReal dt, PetscBool *impact, NsStepOutcome *outcome)
{
  NsTrapezoidal  *self    = scheme->data;
  NsContact      *contact = scheme->contact;
  NsModel        *model   = scheme->model;
  const PetscReal t1      = x->t + dt;
  PetscInt        count;

  PetscFunctionBegin;
  *impact = PETSC_FALSE;
  if (self->hold) {
    PetscCall(held_flight(scheme, x, dt, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  } else {
    PetscCall(NsModelFlight(model, t1, dt, x->q, x->v, self->a0, self->q1, self->v1, self->a1));
    PetscCall(NsContactGaps(contact, t1, self->q1));
  }
  NsContactKeepGaps(contact); /* what follows changes v1 alone */
  if (self->vm) PetscCall(VecWAXPY(self->va, dt, self->a0, x->v));
  count             = NsTrapezoidalFlagClosed(scheme, self->closed1);
  self->w1.contacts = self->w1.rows = 0;
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelRows(model, t1, self->q1, count, NsContactSelected(contact), &self->w1));
  PetscCall(NsComplianceUpdate(self->mass, t1, self->q1, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactDelassus(contact, self->mass, &self->w1, &self->w1));
  for (PetscInt i = 0; i < count; i++) {
    self->newly[i] = self->closed[self->w1.contact[i]] ? PETSC_FALSE : PETSC_TRUE;
    *impact        = *impact || self->newly[i];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalDrop(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *drop)
{
  NsTrapezoidal *self = scheme->data;
  NsRows        *rows = &self->w0;

  PetscFunctionBegin;
  if (!rows->rows) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      self->b[k] = !drop || drop[i] ? self->P0[k] : 0;
      if (!drop || drop[i]) self->P0[k] = 0;
    }
  }
  if (self->free) { /* all of them: with a varying mass matrix all contacts are coupled */
    PetscCall(VecWAXPY(self->v1, 1, self->free, self->a1));
    PetscCall(VecAYPX(self->v1, dt / 2, x->v));
  } else
    PetscCall(NsComplianceApply(self->mass, rows, self->b, -0.5, self->v1));
  PetscFunctionReturn(0);
}

/* us += W' v with the drive. */
static PetscErrorCode add_velocity(const NsScheme *scheme, const NsRows *rows, Vec v, PetscReal *us)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsRowsVelocity(scheme->model, rows, v, self->b));
  for (PetscInt k = 0; k < rows->rows; k++) us[k] += self->b[k];
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalApplyForces(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsTrapezoidal *self    = scheme->data;
  const NsRows  *rows[2] = {&self->w0, &self->w1};
  PetscReal     *us[2]   = {self->us0, self->us1};

  PetscFunctionBegin;
  if (self->w1.rows) {
    PetscCall(NsComplianceApply(self->mass, &self->w1, self->P1, 1, self->v1));
    PetscCall(NsContactReportForce(scheme->contact, &self->w1, self->P1, 2 / dt));
  }
  for (int i = 0; i < 2; i++) {
    if (!rows[i]->rows || !NsRowsWork(rows[i])) continue;
    PetscCall(NsRowsVelocity(scheme->model, rows[i], x->v, us[i]));
    PetscCall(add_velocity(scheme, rows[i], self->v1, us[i]));
  }
  if (!self->vm) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalForceStep(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  if (self->w1.rows) {
    PetscCall(NsRowsVelocity(scheme->model, &self->w1, self->v1, self->u0));
    PetscCall(NsContactSolve(scheme->contact, &self->w1, self->u0, NULL, NULL, self->P1, &outcome->done));
    if (!outcome->done) {
      PetscCall(NsStepFail(outcome, scheme, &self->w1, "forces"));
      PetscFunctionReturn(0);
    }
  }
  PetscCall(NsTrapezoidalApplyForces(scheme, x, dt));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalImpact(NsScheme *scheme, NsStepOutcome *outcome)
{
  NsTrapezoidal               *self     = scheme->data;
  const NsTrapezoidalSettings *settings = scheme->settings;
  NsContact                   *contact  = scheme->contact;
  NsRows                      *rows     = &self->w1;

  PetscFunctionBegin;
  if (!rows->rows) PetscFunctionReturn(0);
  PetscCall(NsRowsVelocity(scheme->model, rows, self->v1, self->u0));
  PetscCall(NsContactSolve(contact, rows, self->u0, self->u0, settings->restitution_of == 1 ? NULL : self->newly, self->Lambda, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, rows, "impulses"));
    PetscFunctionReturn(0);
  }
  PetscCall(NsComplianceApply(self->mass, rows, self->Lambda, 1, self->v1));
  PetscCall(NsRowsVelocity(scheme->model, rows, self->v1, self->u1));
  PetscCall(NsContactReportImpulse(contact, scheme->ledger, rows, self->Lambda, self->u0, self->u1, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalImpactStep(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalDrop(scheme, x, dt, NULL));
  self->w0.contacts = self->w0.rows = 0;
  PetscCall(PetscArrayzero(self->P1, NsContactRowCount(scheme->contact)));
  PetscCall(NsTrapezoidalApplyForces(scheme, x, dt)); /* none: P1 is zero */
  PetscCall(NsTrapezoidalImpact(scheme, outcome));
  PetscFunctionReturn(0);
}

/*
  The contacts an impact reaches: the newly closed ones, all that are coupled with them, and so on. The others belong to bodies that are not coupled with it and
  keep their forces. Where the mass matrix varies, all contacts count as coupled.
*/
static void find_struck(NsScheme *scheme)
{
  NsTrapezoidal *self = scheme->data;

  for (PetscInt i = 0; i < self->w1.contacts; i++) self->struck[i] = self->newly[i];
  NsContactSpread(scheme->contact, self->struck);
}

/* The force lambda0 of contacts that the impact reaches is left out, also of those that have opened meanwhile. */
static PetscErrorCode drop_struck(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  if (!self->w0.contacts) PetscFunctionReturn(0);
  NsContactReached(scheme->contact, self->mass, &self->w1, self->struck, &self->w0, self->reached);
  PetscCall(NsTrapezoidalDrop(scheme, x, dt, self->reached));
  PetscFunctionReturn(0);
}

/*
  An impact of newly closed contacts. Forces lambda1 = P1 2/dt of the contacts it does not reach and impulses Lambda of the others come from one local problem (they are not coupled).
  Dampers, loads and forces work with v_m, the mean before the impulses come.
*/
PetscErrorCode NsTrapezoidalNewlyStep(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  NsRows        *rows    = &self->w1;

  PetscFunctionBegin;
  find_struck(scheme);
  PetscCall(drop_struck(scheme, x, dt)); /* v1 is v^- now */
  PetscCall(NsRowsVelocity(scheme->model, rows, self->v1, self->u0));
  PetscCall(NsContactSolve(contact, rows, self->u0, self->u0, self->newly, self->P1, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, rows, "impulses"));
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      self->Lambda[k] = self->struck[i] ? self->P1[k] : 0;
      if (self->struck[i]) self->P1[k] = 0;
    }
  }
  PetscCall(NsTrapezoidalApplyForces(scheme, x, dt));
  PetscCall(NsComplianceApply(self->mass, rows, self->Lambda, 1, self->v1));
  PetscCall(NsRowsVelocity(scheme->model, rows, self->v1, self->u1));
  PetscCall(NsContactReportImpulse(contact, scheme->ledger, rows, self->Lambda, self->u0, self->u1, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalFinish(NsScheme *scheme, NsState *x, PetscReal dt)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  NsLedger      *ledger  = scheme->ledger;
  NsPower        p0, p1;

  PetscFunctionBegin;
  if (scheme->model->dynamics.power) {
    PetscCall(NsModelPower(scheme->model, x->t, x->q, x->v, self->vm, &p0));
    PetscCall(NsModelPower(scheme->model, x->t + dt, self->q1, self->va, self->vm, &p1));
    ledger->damping += dt / 2 * (p0.damping + p1.damping);
    ledger->load += dt / 2 * (p0.load + p1.load);
  }
  if (self->w0.rows) NsContactBookForces(ledger, &self->w0, self->P0, 0.5, self->us0);
  if (self->w1.rows) NsContactBookForces(ledger, &self->w1, self->P1, 1, self->us1);
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) self->closed[active[k]] = self->closed1[active[k]];
  if (self->hold) NsHoldEnd(self->hold, NULL, &self->w1, self->P1);
  if (!scheme->model->velocity_matters) {
    const Vec used = self->a0;
    self->a0       = self->a1;
    self->a1       = used;
    self->known    = PETSC_TRUE;
  }
  NsStateSwap(x, &self->q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}

void NsTrapezoidalAmplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  (void)settings;
  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1;
    const NsComplex a0 = -x0 - 2 * zeta * y0, ya = y0 + w * a0, x1 = x0 + w / 2 * (y0 + ya);
    S[c]     = x1;
    S[2 + c] = y0 + w / 2 * (a0 - x1 - 2 * zeta * ya);
  }
}
