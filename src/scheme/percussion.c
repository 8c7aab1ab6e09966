#include "percussion.h"

PetscErrorCode NsPercussionCreate(NsScheme *scheme, PetscInt slot, NsPercussion *self)
{
  const PetscInt rows = scheme->contact->rows, candidates = scheme->contact->candidates;

  PetscFunctionBegin;
  PetscCall(NsComplianceCreate(scheme->model, slot, &self->compliance));
  PetscCall(NsVecsCreate(scheme->model, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->w));
  PetscCall(PetscCalloc6(rows, &self->P, rows, &self->u0, rows, &self->u1, candidates, &self->was, candidates, &self->is, candidates, &self->newly));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionHold(NsScheme *scheme, NsPercussion *self)
{
  PetscFunctionBegin;
  PetscCall(NsHoldCreate(scheme->contact, &self->hold));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionDestroy(NsPercussion *self)
{
  PetscFunctionBegin;
  PetscCall(NsHoldDestroy(&self->hold));
  PetscCall(NsComplianceDestroy(&self->compliance));
  PetscCall(NsVecsDestroy(&self->v1, &self->vm, NULL));
  PetscCall(NsRowsDestroy(&self->w));
  PetscCall(PetscFree6(self->P, self->u0, self->u1, self->was, self->is, self->newly));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionStart(NsScheme *scheme, NsPercussion *self, const NsState *state, NsOperator op)
{
  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->compliance, state->t, state->q, state->v, op));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->was));
  if (self->hold) PetscCall(NsHoldStart(self->hold, self->was));
  PetscFunctionReturn(0);
}

void NsPercussionRemember(const NsScheme *scheme, NsPercussion *self, NsMemory *memory)
{
  NsMemoryFlags(memory, "was", scheme->contact->candidates, self->was);
  if (self->hold) NsHoldRemember(self->hold, memory);
}

PetscErrorCode NsPercussionActivate(NsScheme *scheme, NsPercussion *self, PetscInt count)
{
  const NsContact *contact = scheme->contact;
  const PetscInt  *active  = contact->active;

  PetscFunctionBegin;
  self->w.contacts = self->w.rows = 0;
  for (PetscInt k = 0; k < contact->nears; k++) self->is[contact->near[k]] = PETSC_FALSE;
  for (PetscInt i = 0; i < count; i++) {
    self->newly[i]      = self->was[active[i]] ? PETSC_FALSE : PETSC_TRUE;
    self->is[active[i]] = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionKeep(NsScheme *scheme, NsPercussion *self, PetscInt *count)
{
  NsContact *contact = scheme->contact;
  NsHold    *hold    = self->hold;

  PetscFunctionBegin;
  if (!hold) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < contact->nears; k++) hold->held[contact->near[k]] = hold->closed[contact->near[k]];
  for (PetscInt i = 0; i < *count; i++) hold->held[contact->active[i]] = PETSC_TRUE;
  *count = NsContactList(contact, hold->held);
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionActivateClosed(NsScheme *scheme, NsPercussion *self, PetscInt *count)
{
  PetscFunctionBegin;
  *count = NsContactListClosed(scheme->contact);
  PetscCall(NsPercussionKeep(scheme, self, count));
  PetscCall(NsPercussionActivate(scheme, self, *count));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionSolve(NsScheme *scheme, NsPercussion *self, const PetscReal *before, Vec v, NsStepOutcome *outcome)
{
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

PetscErrorCode NsPercussionMean(NsPercussion *self, Vec v0)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->vm, 1, v0, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionReport(NsScheme *scheme, NsPercussion *self, Vec v0)
{
  PetscFunctionBegin;
  if (!self->w.contacts) PetscFunctionReturn(0);
  PetscCall(NsRowsVelocity(scheme->model, &self->w, v0, self->u0));
  PetscCall(NsRowsVelocity(scheme->model, &self->w, self->v1, self->u1));
  PetscCall(NsContactReportImpulse(scheme->contact, scheme->ledger, &self->w, self->P, self->u0, self->u1, self->newly));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionBook(NsScheme *scheme, NsPercussion *self, Vec v0, PetscReal t, Vec q, Vec v, PetscReal dt)
{
  NsPower power;

  PetscFunctionBegin;
  PetscCall(NsPercussionReport(scheme, self, v0));
  if (!scheme->model->ops->power) PetscFunctionReturn(0); /* nothing damps or loads */
  PetscCall(NsPercussionMean(self, v0));
  PetscCall(NsModelPower(scheme->model, t, q, v ? v : self->vm, self->vm, &power));
  scheme->ledger->damping += dt * power.damping;
  scheme->ledger->load += dt * power.load;
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionPosition(NsScheme *scheme, NsPercussion *self, PetscReal t1, NsCompliance *mass, Vec *q1, NsStepOutcome *outcome)
{
  NsHold   *hold = self->hold;
  PetscBool off;

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

PetscErrorCode NsPercussionFinish(NsScheme *scheme, NsPercussion *self, NsState *x, PetscReal dt, Vec *q1)
{
  const NsContact *contact = scheme->contact;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < contact->nears; k++) self->was[contact->near[k]] = self->is[contact->near[k]];
  NsStateSwap(x, q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}
