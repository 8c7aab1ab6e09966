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

PetscErrorCode NsPercussionDestroy(NsPercussion *self)
{
  PetscFunctionBegin;
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
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionActivate(NsScheme *scheme, NsPercussion *self, PetscInt count)
{
  const PetscInt *active = scheme->contact->active;

  PetscFunctionBegin;
  self->w.contacts = self->w.rows = 0;
  PetscCall(PetscArrayzero(self->is, scheme->contact->candidates));
  for (PetscInt i = 0; i < count; i++) {
    self->newly[i]      = self->was[active[i]] ? PETSC_FALSE : PETSC_TRUE;
    self->is[active[i]] = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionActivateClosed(NsScheme *scheme, NsPercussion *self, PetscInt *count)
{
  NsContact *contact = scheme->contact;

  PetscFunctionBegin;
  *count = 0;
  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (NsContactIsClosed(contact, i)) contact->active[(*count)++] = i;
  }
  PetscCall(NsPercussionActivate(scheme, self, *count));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionSolve(NsScheme *scheme, NsPercussion *self, const PetscReal *before, Vec v, NsStepOutcome *outcome)
{
  PetscFunctionBegin;
  PetscCall(NsComplianceDelassus(self->compliance, &self->w, &self->w, scheme->contact->G));
  PetscCall(NsRowsVelocity(scheme->model, &self->w, v, self->u1));
  PetscCall(NsContactSolve(scheme->contact, &self->w, self->u1, before, NULL, self->P, &outcome->done));
  if (!outcome->done)
    PetscCall(NsStepFail(outcome, scheme, &self->w, "percussions"));
  else
    PetscCall(NsComplianceApply(self->compliance, &self->w, self->P, 1, v));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionBook(NsScheme *scheme, NsPercussion *self, Vec v0, PetscReal t, Vec q, Vec v, PetscReal dt)
{
  NsPower power;

  PetscFunctionBegin;
  if (self->w.contacts) {
    PetscCall(NsRowsVelocity(scheme->model, &self->w, v0, self->u0));
    PetscCall(NsRowsVelocity(scheme->model, &self->w, self->v1, self->u1));
    PetscCall(NsContactReportImpulse(scheme->contact, scheme->ledger, &self->w, self->P, self->u0, self->u1, self->newly));
  }
  PetscCall(VecWAXPY(self->vm, 1, v0, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscCall(NsModelPower(scheme->model, t, q, v ? v : self->vm, self->vm, &power));
  scheme->ledger->damping += dt * power.damping;
  scheme->ledger->load += dt * power.load;
  PetscFunctionReturn(0);
}

PetscErrorCode NsPercussionFinish(NsScheme *scheme, NsPercussion *self, NsState *x, PetscReal dt, Vec *q1)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(self->was, self->is, scheme->contact->candidates));
  NsStateSwap(x, q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}
