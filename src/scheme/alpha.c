#include "alpha.h"

PetscErrorCode NsAlphaDeclare(NsScheme *scheme, NsWorkspace *work)
{
  const PetscReal rho  = ((const NsAlphaSettings *)scheme->settings)->rho;
  NsAlpha        *self = scheme->data;

  PetscFunctionBegin;
  self->am    = (2 * rho - 1) / (rho + 1);
  self->af    = rho / (rho + 1);
  self->gamma = 0.5 + self->af - self->am;
  self->beta  = PetscSqr(self->gamma + 0.5) / 4;
  self->model = work->model;
  if (self->model->dynamics.move) PetscCall(NsWorkVecs(work, &self->way, NULL));
  PetscCall(NsPercussionDeclare(scheme, work, 0, PETSC_FALSE));
  PetscCall(NsWorkCompliance(work, 1, &self->implicit));
  PetscCall(NsWorkRows(work, &self->ahead, NULL));
  PetscCall(NsWorkVecs(work, &self->x1, &self->qs, &self->vs, &self->q1, &self->h, &self->r, &self->dx, &self->next, NULL));
  PetscCall(NsHistoryCounts(work, "iterations", 1, &self->iterations));
  PetscCall(NsHistoryFlag(work, "renew", &self->renew));
  PetscCall(NsHistoryVec(work, "x0", &self->x0));
  PetscCall(NsHistoryVec(work, "a0", &self->a0));
  PetscFunctionReturn(0);
}

/* B and g of a step, and S = M + g C + B K. */
static NsOperator implicit_operator(NsAlpha *self, PetscReal dt)
{
  const PetscReal k = (1 - self->af) / (1 - self->am);

  self->B = dt * dt * self->beta * k;
  self->g = dt * self->gamma * k;
  return (NsOperator){1, self->g, self->B};
}

PetscErrorCode NsAlphaStart(NsScheme *scheme, const NsState *state)
{
  NsAlpha         *self = scheme->data;
  const NsOperator op   = implicit_operator(self, ((const NsSchemeSettings *)scheme->settings)->step);

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->implicit, state->t, state->q, state->v, op));
  PetscCall(NsPercussionStart(scheme, state, (NsOperator){1, 0, 0}));
  self->renew = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* qs = q0 + dt v0 + dt^2 ((1/2 - beta) a0 + beta known), vs = v0 + dt ((1 - gamma) a0 + gamma known): what a1 has beside k x1 is known = (af x0 - am a0)/(1 - am). */
static PetscErrorCode predict(NsAlpha *self, const NsState *x, PetscReal dt)
{
  const PetscReal    of_x = self->af / (1 - self->am), of_a = -self->am / (1 - self->am);
  const PetscReal    qa = dt * dt * (0.5 - self->beta + self->beta * of_a), qx = dt * dt * self->beta * of_x;
  const PetscReal    va = dt * (1 - self->gamma + self->gamma * of_a), vx = dt * self->gamma * of_x;
  const PetscScalar *q0, *v0, *a0, *x0;
  PetscScalar       *qs, *vs;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(self->qs, &n));
  q0 = NsVecRead(x->q);
  v0 = NsVecRead(x->v);
  a0 = NsVecRead(self->a0);
  x0 = NsVecRead(self->x0);
  qs = NsVecArray(self->qs);
  vs = NsVecArray(self->vs);
  for (PetscInt i = 0; i < n; i++) {
    qs[i] = (self->way ? 0 : q0[i]) + (dt * v0[i] + qa * a0[i] + qx * x0[i]);
    vs[i] = v0[i] + (va * a0[i] + vx * x0[i]);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode renew(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *joint, NsStepOutcome *outcome)
{
  NsAlpha       *self  = scheme->data;
  NsPercussion  *p     = &self->p;
  const PetscInt count = NsContactList(scheme->contact, joint);

  PetscFunctionBegin;
  PetscCall(NsModelAccel(scheme->model, x->t, x->q, x->v, self->x0));
  if (count) {
    PetscCall(NsModelMove(scheme->model, x->q, dt, x->v, self->r));
    PetscCall(NsModelRows(scheme->model, x->t, x->q, count, NsContactSelected(scheme->contact), &p->w));
    PetscCall(NsModelRows(scheme->model, x->t + dt, self->r, count, NsContactSelected(scheme->contact), &self->ahead));
    PetscCall(NsComplianceUpdate(p->compliance, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
    PetscCall(NsContactDelassus(scheme->contact, p->compliance, &self->ahead, &p->w));
    PetscCall(VecWAXPY(self->r, dt, self->x0, x->v));
    PetscCall(NsRowsVelocity(scheme->model, &self->ahead, self->r, p->u1));
    PetscCall(NsContactSolve(scheme->contact, &p->w, p->u1, NULL, NULL, p->P, &outcome->done));
    if (!outcome->done) {
      PetscCall(NsStepFail(outcome, scheme, &p->w, "forces"));
      PetscFunctionReturn(0);
    }
    PetscCall(NsComplianceApply(p->compliance, &p->w, p->P, 1 / dt, self->x0));
  }
  PetscCall(VecCopy(self->x0, self->a0));
  self->renew = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaBegin(NsScheme *scheme, const NsState *x, PetscReal dt, const PetscBool *joint, NsStepOutcome *outcome)
{
  NsAlpha         *self = scheme->data;
  const NsOperator op   = implicit_operator(self, dt);

  PetscFunctionBegin;
  if (self->renew) PetscCall(renew(scheme, x, dt, joint, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(predict(self, x, dt));
  self->q0 = x->q;
  if (self->way) PetscCall(NsModelMove(self->model, x->q, 1, self->qs, self->r));
  PetscCall(NsComplianceUpdate(self->implicit, x->t + dt, self->way ? self->r : self->qs, self->vs, op));
  if (!scheme->model->linear) PetscCall(VecCopy(self->x0, self->x1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaPosition(NsAlpha *self, Vec U, Vec y)
{
  const Vec to = self->way ? self->way : y;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(to, self->B, self->x1, self->qs));
  if (U) PetscCall(VecAXPY(to, 1, U));
  if (self->way) PetscCall(NsModelMove(self->model, self->q0, 1, to, y));
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaVelocity(NsAlpha *self, Vec w, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(y, self->g, self->x1, self->vs));
  if (w) PetscCall(VecAXPY(y, 1, w));
  PetscFunctionReturn(0);
}

/* y = base + jump, or base itself. */
static PetscErrorCode shifted(Vec base, Vec jump, Vec y, Vec *result)
{
  PetscFunctionBegin;
  *result = base;
  if (!jump) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(y, 1, jump, base));
  *result = y;
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaIterate(NsScheme *scheme, PetscReal t1, Vec U, Vec w)
{
  NsAlpha *self  = scheme->data;
  NsModel *model = scheme->model;
  Vec      q, v;

  PetscFunctionBegin;
  self->iterations++;
  if (model->linear) {
    PetscCall(shifted(self->qs, U, self->way ? self->way : self->r, &q));
    if (self->way) {
      PetscCall(NsModelMove(model, self->q0, 1, q, self->r));
      q = self->r;
    }
    PetscCall(shifted(self->vs, w, self->next, &v));
    PetscCall(NsModelForce(model, t1, q, v, self->h));
    PetscCall(NsModelSolve(model, 1, self->h, self->x1));
    PetscFunctionReturn(0);
  }
  PetscCall(NsAlphaPosition(self, U, self->r));
  PetscCall(NsAlphaVelocity(self, w, self->next));
  if (model->tangents_vary) PetscCall(NsComplianceUpdate(self->implicit, t1, self->r, self->next, (NsOperator){1, self->g, self->B}));
  PetscCall(NsModelForce(model, t1, self->r, self->next, self->h));
  PetscCall(NsModelMult(model, t1, self->r, self->x1, self->next));
  PetscCall(VecAXPY(self->h, -1, self->next));
  PetscCall(NsModelSolve(model, 1, self->h, self->dx));
  PetscCall(VecAXPY(self->x1, 1, self->dx));
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaJump(NsAlpha *self, const NsRows *w, const PetscReal *P, PetscReal scale, Vec y)
{
  PetscScalar *value;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &n)); /* VecSet notes the norm, and allocates for it */
  value = NsVecArray(y);
  PetscCall(PetscArrayzero(value, n));
  PetscCall(NsComplianceApply(self->p.compliance, w, P, scale, y));
  PetscFunctionReturn(0);
}

PetscBool NsAlphaIsDirect(const NsModel *model, PetscBool jumps)
{
  return model->linear && (!jumps || (model->flat_contacts && !model->velocity_matters));
}

PetscErrorCode NsAlphaIterationTake(NsIteration *iteration, const NsModel *model, PetscBool direct, Vec *next, Vec *target, PetscReal least)
{
  PetscReal size;

  PetscFunctionBegin;
  if (direct)
    NsVecSwap(next, target);
  else
    PetscCall(NsIterationTake(iteration, model, next, target, least, &size));
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaIterationEnd(NsIteration *iteration, PetscBool direct, PetscBool grown, NsStepOutcome *outcome, PetscBool *again)
{
  PetscFunctionBegin;
  *again = grown;
  if (!direct) PetscCall(NsIterationEnd(iteration, outcome, again));
  if (outcome->done) *again = *again || grown;
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaBook(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsAlpha *self = scheme->data;
  NsPower  p0, p1;

  PetscFunctionBegin;
  if (!scheme->model->dynamics.power) PetscFunctionReturn(0); /* nothing damps or loads */
  PetscCall(NsPercussionMean(scheme, x->v));
  PetscCall(NsModelPower(scheme->model, x->t, x->q, x->v, self->p.vm, &p0));
  PetscCall(NsModelPower(scheme->model, x->t + dt, self->q1, self->p.v1, self->p.vm, &p1));
  scheme->ledger->damping += dt / 2 * (p0.damping + p1.damping);
  scheme->ledger->load += dt / 2 * (p0.load + p1.load);
  PetscFunctionReturn(0);
}

PetscInt NsAlphaCount(const NsScheme *scheme, NsCounter *list)
{
  const NsAlpha *self = scheme->data;

  list[0] = (NsCounter){"iterations", self->iterations};
  return 1;
}

PetscErrorCode NsAlphaFinish(NsScheme *scheme, NsState *x, PetscReal dt)
{
  NsAlpha        *self = scheme->data;
  const PetscReal part = 1 / (1 - self->am);

  PetscFunctionBegin;
  PetscCall(VecAXPBYPCZ(self->a0, self->af * part, (1 - self->af) * part, -self->am * part, self->x0, self->x1));
  NsVecSwap(&self->x0, &self->x1);
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaJumped(NsScheme *scheme, const NsState *x, Vec before)
{
  NsAlpha *self = scheme->data;

  PetscFunctionBegin;
  if (!scheme->model->velocity_matters) PetscFunctionReturn(0);
  PetscCall(NsModelAccel(scheme->model, x->t, x->q, x->v, self->dx));
  PetscCall(NsModelAccel(scheme->model, x->t, x->q, before, self->r));
  PetscCall(VecAXPY(self->dx, -1, self->r));
  PetscCall(VecAXPY(self->x0, 1, self->dx));
  PetscCall(VecAXPY(self->a0, 1, self->dx));
  PetscFunctionReturn(0);
}
