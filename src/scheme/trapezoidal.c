#include "trapezoidal.h"

const char *const NsRestitutionChoices[] = {"newly_closed", "all_closed", NULL};

PetscErrorCode NsTrapezoidalSetup(NsScheme *scheme)
{
  NsTrapezoidal *self;
  const PetscInt rows = scheme->contact->rows, candidates = scheme->contact->candidates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsVecsCreate(scheme->model, &self->a0, &self->a1, &self->va, &self->q1, &self->v1, &self->vs, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->w0));
  PetscCall(NsRowsCreate(scheme->model, &self->wu));
  PetscCall(NsRowsCreate(scheme->model, &self->w1));
  PetscCall(PetscCalloc6(rows, &self->P0, rows, &self->P1, rows, &self->Lambda, rows, &self->u0, rows, &self->u1, rows, &self->b));
  PetscCall(PetscCalloc4(candidates, &self->closed, candidates, &self->closed1, candidates, &self->newly, candidates, &self->struck));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalDestroy(NsScheme *scheme)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsVecsDestroy(&self->a0, &self->a1, &self->va, &self->q1, &self->v1, &self->vs, NULL));
  PetscCall(NsRowsDestroy(&self->w0));
  PetscCall(NsRowsDestroy(&self->wu));
  PetscCall(NsRowsDestroy(&self->w1));
  PetscCall(PetscFree6(self->P0, self->P1, self->Lambda, self->u0, self->u1, self->b));
  PetscCall(PetscFree4(self->closed, self->closed1, self->newly, self->struck));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

/* The compliance now, so that no step has to allocate for the first contact; and what is closed. */
PetscErrorCode NsTrapezoidalStart(NsScheme *scheme, const NsState *state)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, state->t, state->q, state->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->closed));
  self->clock.step = 0; /* not known yet */
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalEulerStage(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *closed, NsStepOutcome *outcome)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  const PetscInt count   = NsContactList(contact, closed);

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->va, dt, self->a0, x->v));
  self->w0.contacts = self->w0.rows = 0;
  if (!count) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(self->q1, dt, x->v, x->q));
  PetscCall(NsModelRows(scheme->model, x->t, x->q, count, contact->active, &self->w0));
  PetscCall(NsModelRows(scheme->model, x->t + dt, self->q1, count, contact->active, &self->wu));
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsComplianceDelassus(self->mass, &self->wu, &self->w0, contact->G));
  PetscCall(NsRowsVelocity(scheme->model, &self->wu, self->va, self->u1));
  PetscCall(NsContactSolve(contact, &self->w0, self->u1, NULL, NULL, self->P0, &outcome->done));
  if (!outcome->done)
    PetscCall(NsStepFail(outcome, scheme, &self->w0, "forces"));
  else
    PetscCall(NsComplianceApply(self->mass, &self->w0, self->P0, 1, self->va));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalPosition(NsScheme *scheme, const NsState *x, PetscReal dt, PetscBool *impact)
{
  NsTrapezoidal  *self    = scheme->data;
  NsContact      *contact = scheme->contact;
  NsModel        *model   = scheme->model;
  const PetscReal t1      = x->t + dt;
  PetscInt        count;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->v1, 1, x->v, self->va)); /* kept for NsTrapezoidalFreeVelocity */
  PetscCall(VecWAXPY(self->q1, dt / 2, self->v1, x->q));
  PetscCall(NsModelAccel(model, t1, self->q1, self->va, self->a1));
  PetscCall(NsContactGaps(contact, t1, self->q1));
  for (PetscInt i = 0; i < contact->candidates; i++) self->closed1[i] = NsContactIsClosed(contact, i);
  count             = NsContactList(contact, self->closed1);
  self->w1.contacts = self->w1.rows = 0;
  *impact                           = PETSC_FALSE;
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelRows(model, t1, self->q1, count, contact->active, &self->w1));
  PetscCall(NsComplianceUpdate(self->mass, t1, self->q1, self->va, (NsOperator){1, 0, 0}));
  PetscCall(NsComplianceDelassus(self->mass, &self->w1, &self->w1, contact->G));
  for (PetscInt i = 0; i < count; i++) {
    self->newly[i] = self->closed[self->w1.contact[i]] ? PETSC_FALSE : PETSC_TRUE;
    *impact        = *impact || self->newly[i] ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalFreeVelocity(NsScheme *scheme, PetscReal dt)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(VecAXPBY(self->v1, dt / 2, 0.5, self->a1)); /* (v0 + v_a)/2 = v0 + dt/2 (a0 + M0^-1 W0 lambda0) */
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalApplyForces(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  if (self->w1.rows) {
    PetscCall(NsComplianceApply(self->mass, &self->w1, self->P1, 1, self->v1));
    PetscCall(NsContactReportForce(scheme->contact, &self->w1, self->P1, 2 / dt));
  }
  if (scheme->model->ops->power || self->w0.rows || self->w1.rows) PetscCall(VecWAXPY(self->vs, 1, x->v, self->v1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalForceStep(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalFreeVelocity(scheme, dt));
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
  self->w0.contacts = self->w0.rows = 0; /* lambda0 is dropped */
  PetscCall(PetscArrayzero(self->P1, scheme->contact->rows));
  PetscCall(VecWAXPY(self->v1, dt / 2, self->a0, x->v));
  PetscCall(VecAXPY(self->v1, dt / 2, self->a1));
  PetscCall(NsTrapezoidalApplyForces(scheme, x, dt)); /* none: P1 is zero */
  PetscCall(NsTrapezoidalImpact(scheme, outcome));
  PetscFunctionReturn(0);
}

PetscErrorCode NsTrapezoidalFinish(NsScheme *scheme, NsState *x, PetscReal dt)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  NsLedger      *ledger  = scheme->ledger;
  NsPower        p0, p1;

  PetscFunctionBegin;
  if (scheme->model->ops->power) {
    PetscCall(NsModelPower(scheme->model, x->t, x->q, x->v, self->vs, &p0));
    PetscCall(NsModelPower(scheme->model, x->t + dt, self->q1, self->va, self->vs, &p1));
    ledger->damping += dt / 4 * (p0.damping + p1.damping);
    ledger->load += dt / 4 * (p0.load + p1.load);
  }
  PetscCall(NsContactBookForces(contact, ledger, &self->w0, self->P0, 0.5, self->vs));
  PetscCall(NsContactBookForces(contact, ledger, &self->w1, self->P1, 1, self->vs));
  PetscCall(PetscArraycpy(self->closed, self->closed1, contact->candidates));
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
