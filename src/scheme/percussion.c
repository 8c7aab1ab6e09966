#include "percussion.h"

PetscErrorCode NsPercussionDeclare(NsScheme *scheme, NsWorkspace *work, PetscInt slot, PetscBool held)
{
  NsPercussion *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsWorkCompliance(work, slot, &self->compliance));
  PetscCall(NsWorkVecs(work, &self->v1, &self->vm, NULL));
  PetscCall(NsWorkRows(work, &self->w, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->P, &self->u0, &self->u1, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->is, &self->newly, NULL));
  PetscCall(NsHistoryFlags(work, "was", work->candidates, &self->was));
  if (held) PetscCall(NsHoldDeclare(scheme, work, &self->hold));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionStart(NsScheme *scheme, const NsState *state, NsOperator op)
{
  NsPercussion *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->compliance, state->t, state->q, state->v, op));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->was));
  if (self->hold) PetscCall(NsHoldStart(self->hold, self->was));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionActivate(NsScheme *scheme, PetscInt count)
{
  NsPercussion    *self     = scheme->data;
  const NsContact *contact  = scheme->contact;
  const PetscInt  *selected = NsContactSelected(contact);

  PetscFunctionBegin;
  self->w.contacts = self->w.rows = 0;
  NsContactClearFlags(contact, self->is);
  for (PetscInt i = 0; i < count; i++) {
    self->newly[i]        = !self->was[selected[i]];
    self->is[selected[i]] = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionKeep(NsScheme *scheme, PetscInt *count)
{
  NsPercussion *self    = scheme->data;
  NsContact    *contact = scheme->contact;
  NsHold       *hold    = self->hold;

  PetscFunctionBegin;
  if (!hold) PetscFunctionReturn(0);
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) hold->held[active[k]] = hold->closed[active[k]];
  for (PetscInt i = 0; i < *count; i++) hold->held[NsContactSelected(contact)[i]] = PETSC_TRUE;
  *count = NsContactList(contact, hold->held);
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionActivateClosed(NsScheme *scheme, PetscInt *count)
{
  PetscFunctionBegin;
  *count = NsContactListClosed(scheme->contact);
  PetscCall(NsPercussionKeep(scheme, count));
  PetscCall(NsPercussionActivate(scheme, *count));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionSolve(NsScheme *scheme, const PetscReal *before, Vec v, NsStepOutcome *outcome)
{
  NsPercussion *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsContactDelassus(scheme->contact, self->compliance, &self->w, &self->w));
  PetscCall(NsRowsVelocity(scheme->model, &self->w, v, self->u1));
  PetscCall(NsContactSolve(scheme->contact, &self->w, self->u1, before, NULL, self->P, &outcome->done));
  if (!outcome->done)
    PetscCall(NsStepFail(outcome, scheme, &self->w, "percussions"));
  else
    PetscCall(NsComplianceApply(self->compliance, &self->w, self->P, 1, v));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionMean(NsScheme *scheme, Vec v0)
{
  NsPercussion *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->vm, 1, v0, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionReport(NsScheme *scheme, Vec v0)
{
  NsPercussion *self = scheme->data;

  PetscFunctionBegin;
  if (!self->w.contacts) PetscFunctionReturn(0);
  PetscCall(NsRowsVelocity(scheme->model, &self->w, v0, self->u0));
  PetscCall(NsRowsVelocity(scheme->model, &self->w, self->v1, self->u1));
  PetscCall(NsContactReportImpulse(scheme->contact, scheme->ledger, &self->w, self->P, self->u0, self->u1, self->newly));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionBook(NsScheme *scheme, Vec v0, PetscReal t, Vec q, Vec v, PetscReal dt)
{
  NsPercussion *self = scheme->data;
  NsPower       power;

  PetscFunctionBegin;
  PetscCall(NsPercussionReport(scheme, v0));
  if (!scheme->model->dynamics.power) PetscFunctionReturn(0); /* nothing damps or loads */
  PetscCall(NsPercussionMean(scheme, v0));
  PetscCall(NsModelPower(scheme->model, t, q, v ? v : self->vm, self->vm, &power));
  scheme->ledger->damping += dt * power.damping;
  scheme->ledger->load += dt * power.load;
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionPosition(NsScheme *scheme, PetscReal t1, NsCompliance *mass, Vec *q1, NsStepOutcome *outcome)
{
  NsPercussion *self = scheme->data;
  NsHold       *hold = self->hold;
  PetscBool     off;

  PetscFunctionBegin;
  if (!hold) PetscFunctionReturn(0);
  (void)NsHoldPress(hold, self->was, &self->w, self->P);
  PetscCall(NsContactGaps(scheme->contact, t1, *q1));
  NsHoldFind(hold, &off);
  if (off) PetscCall(NsHoldProject(scheme, hold, t1, mass, q1, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  NsHoldEnd(hold, self->was, &self->w, self->P);
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionFinish(NsScheme *scheme, NsState *x, PetscReal dt, Vec *q1)
{
  NsPercussion    *self    = scheme->data;
  const NsContact *contact = scheme->contact;

  PetscFunctionBegin;
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) self->was[active[k]] = self->is[active[k]];
  NsStateSwap(x, q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}
