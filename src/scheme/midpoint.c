#include "midpoint.h"

PetscErrorCode NsMidpointSetup(NsScheme *scheme, NsMidpoint *self)
{
  const PetscInt rows = scheme->contact->rows, candidates = scheme->contact->candidates;

  PetscFunctionBegin;
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsVecsCreate(scheme->model, &self->a, &self->qm, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->w));
  PetscCall(PetscCalloc6(rows, &self->P, rows, &self->u0, rows, &self->u1, candidates, &self->was, candidates, &self->is, candidates, &self->newly));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMidpointDestroy(NsMidpoint *self)
{
  PetscFunctionBegin;
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsVecsDestroy(&self->a, &self->qm, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsDestroy(&self->w));
  PetscCall(PetscFree6(self->P, self->u0, self->u1, self->was, self->is, self->newly));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMidpointStart(NsScheme *scheme, NsMidpoint *self, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, state->t, state->q, state->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->was));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMidpointVelocity(NsScheme *scheme, NsMidpoint *self, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsContact      *contact = scheme->contact;
  NsModel        *model   = scheme->model;
  const PetscReal tm      = x->t + dt / 2;
  PetscInt        count   = 0;
  NsPower         power;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->qm, dt / 2, x->v, x->q));
  PetscCall(NsModelAccel(model, tm, self->qm, x->v, self->a));
  PetscCall(VecWAXPY(self->v1, dt, self->a, x->v));
  PetscCall(NsContactGaps(contact, tm, self->qm));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    self->is[i] = NsContactIsClosed(contact, i);
    if (!self->is[i]) continue;
    self->newly[count]       = self->was[i] ? PETSC_FALSE : PETSC_TRUE;
    contact->active[count++] = i;
  }
  if (count) {
    PetscCall(NsModelRows(model, tm, self->qm, count, contact->active, &self->w));
    PetscCall(NsComplianceUpdate(self->mass, tm, self->qm, x->v, (NsOperator){1, 0, 0}));
    PetscCall(NsComplianceDelassus(self->mass, &self->w, &self->w, contact->G));
    PetscCall(NsRowsVelocity(model, &self->w, self->v1, self->u1));
    PetscCall(NsRowsVelocity(model, &self->w, x->v, self->u0));
    PetscCall(NsContactSolve(contact, &self->w, self->u1, self->u0, NULL, self->P, &outcome->done));
    if (!outcome->done) {
      PetscCall(NsStepFail(outcome, scheme, &self->w, "percussions"));
      PetscFunctionReturn(0);
    }
    PetscCall(NsComplianceApply(self->mass, &self->w, self->P, 1, self->v1));
    PetscCall(NsRowsVelocity(model, &self->w, self->v1, self->u1));
    PetscCall(NsContactReportImpulse(contact, scheme->ledger, &self->w, self->P, self->u0, self->u1, self->newly));
  }
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscCall(NsModelPower(model, tm, self->qm, x->v, self->vm, &power));
  scheme->ledger->damping += dt * power.damping;
  scheme->ledger->load += dt * power.load;
  PetscFunctionReturn(0);
}

PetscErrorCode NsMidpointFinish(NsScheme *scheme, NsMidpoint *self, NsState *x, PetscReal dt, Vec *q1)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(self->was, self->is, scheme->contact->candidates));
  NsStateSwap(x, q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}

void NsMidpointAmplification(const void *settings, PetscReal w, PetscReal zeta, PetscReal S[4])
{
  (void)settings;
  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1;
    const PetscReal y1 = y0 - w * (x0 + w / 2 * y0 + 2 * zeta * y0);
    S[c]               = x0 + w / 2 * (y0 + y1);
    S[2 + c]           = y1;
  }
}
