#include "midpoint.h"

PetscErrorCode NsMidpointDeclare(NsScheme *scheme, NsWorkspace *work, PetscBool held)
{
  NsMidpoint *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionDeclare(scheme, work, 0, held));
  PetscCall(NsWorkVecs(work, &self->a, &self->qm, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMidpointStart(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(NsPercussionStart(scheme, state, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMidpointVelocity(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsMidpoint     *self  = scheme->data;
  NsPercussion   *p     = &self->p;
  NsModel        *model = scheme->model;
  const PetscReal tm    = x->t + dt / 2;
  PetscInt        count;

  PetscFunctionBegin;
  PetscCall(NsModelMove(model, x->q, dt / 2, x->v, self->qm));
  PetscCall(NsModelAccel(model, tm, self->qm, x->v, self->a));
  PetscCall(VecWAXPY(p->v1, dt, self->a, x->v));
  PetscCall(NsContactGaps(scheme->contact, tm, self->qm));
  PetscCall(NsPercussionActivateClosed(scheme, &count));
  if (count) {
    PetscCall(NsModelRows(model, tm, self->qm, count, NsContactSelected(scheme->contact), &p->w));
    PetscCall(NsComplianceUpdate(p->compliance, tm, self->qm, x->v, (NsOperator){1, 0, 0}));
    PetscCall(NsRowsVelocity(model, &p->w, x->v, p->u0));
    PetscCall(NsPercussionSolve(scheme, p->u0, p->v1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  }
  PetscCall(NsPercussionBook(scheme, x->v, tm, self->qm, x->v, dt));
  PetscCall(NsPercussionMean(scheme, x->v));
  PetscFunctionReturn(0);
}

void NsMidpointAmplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  (void)settings;
  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1;
    const NsComplex y1 = y0 - w * (x0 + w / 2 * y0 + 2 * zeta * y0);
    S[c]               = x0 + w / 2 * (y0 + y1);
    S[2 + c]           = y1;
  }
}
