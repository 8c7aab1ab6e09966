#include "theta.h"
#include "iteration.h"

PetscErrorCode NsThetaDeclare(NsScheme *scheme, NsWorkspace *work, PetscBool iterates, PetscBool mass, PetscBool held)
{
  const NsThetaSettings *settings = scheme->settings;
  NsTheta               *self     = scheme->data;

  PetscFunctionBegin;
  self->theta = settings->theta;
  PetscCall(NsPercussionDeclare(scheme, work, 1, held));
  if (mass) PetscCall(NsWorkCompliance(work, 0, &self->mass));
  PetscCall(NsWorkVecs(work, &self->h, &self->dv, &self->q1, &self->vth, NULL));
  if (iterates || !work->model->linear) PetscCall(NsWorkVecs(work, &self->qth, &self->r, &self->next, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode update_mass(NsTheta *self, const NsState *x)
{
  PetscFunctionBegin;
  if (self->mass) PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaStart(NsScheme *scheme, const NsState *state)
{
  NsTheta        *self = scheme->data;
  const PetscReal th   = self->theta * ((const NsSchemeSettings *)scheme->settings)->step;

  PetscFunctionBegin;
  PetscCall(NsPercussionStart(scheme, state, (NsOperator){1, th, th * th}));
  PetscCall(update_mass(self, state));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaMove(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsTheta           *self  = scheme->data;
  const PetscReal    theta = self->theta;
  const PetscScalar *v0, *v;
  PetscScalar       *vth;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(self->p.v1, &n));
  v0  = NsVecRead(x->v);
  v   = NsVecRead(self->p.v1);
  vth = NsVecArray(self->vth);
  for (PetscInt i = 0; i < n; i++) vth[i] = (1 - theta) * v0[i] + theta * v[i];
  PetscCall(NsModelMove(scheme->model, x->q, dt, self->vth, self->q1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaBegin(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsTheta         *self = scheme->data;
  const PetscReal  th   = self->theta * dt;
  const NsOperator op   = {1, th, th * th};

  PetscFunctionBegin;
  self->known = PETSC_FALSE;
  PetscCall(update_mass(self, x));
  if (scheme->model->linear) {
    PetscCall(NsComplianceUpdate(self->p.compliance, x->t, x->q, x->v, op));
    PetscFunctionReturn(0);
  }
  PetscCall(NsModelMove(scheme->model, x->q, th, x->v, self->qth));
  PetscCall(NsComplianceUpdate(self->p.compliance, x->t + th, self->qth, x->v, op));
  PetscFunctionReturn(0);
}

/* v0 + dt A^-1 h(t_th, q0 + th dt v0, v0) of a linear model. */
static PetscErrorCode free_velocity(NsScheme *scheme, const NsState *x, PetscReal dt, Vec v)
{
  NsTheta        *self  = scheme->data;
  NsModel        *model = scheme->model;
  const PetscReal th    = self->theta * dt;

  PetscFunctionBegin;
  PetscCall(NsModelMove(model, x->q, th, x->v, self->q1));
  PetscCall(NsModelForce(model, x->t + th, self->q1, x->v, self->h));
  PetscCall(NsModelSolve(model, 1, self->h, self->dv));
  PetscCall(NsVecAddScaled(v, dt, self->dv, x->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode velocity_linear(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsTheta      *self = scheme->data;
  NsPercussion *p    = &self->p;

  PetscFunctionBegin;
  PetscCall(free_velocity(scheme, x, dt, p->v1));
  if (count) {
    PetscCall(NsModelRows(scheme->model, x->t, x->q, count, NsContactSelected(scheme->contact), &p->w));
    PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
    PetscCall(NsPercussionSolve(scheme, p->u0, p->v1, outcome));
  }
  PetscFunctionReturn(0);
}

/* v1+ without P into next, and its change by the forces into dv. Linear models: the same in all iterations, to the last bit; otherwise rounding of stiff forces would prevent
   convergence. */
static PetscErrorCode free_iteration(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsTheta        *self  = scheme->data;
  NsModel        *model = scheme->model;
  const Vec       v1    = self->p.v1;
  const PetscReal th    = self->theta * dt;

  PetscFunctionBegin;
  if (model->linear) {
    if (!self->known) PetscCall(free_velocity(scheme, x, dt, self->r));
    self->known = PETSC_TRUE;
    PetscCall(VecCopy(self->r, self->next));
    PetscCall(NsVecAddScaled(self->dv, -1, x->v, self->r));
    PetscFunctionReturn(0);
  }
  PetscCall(VecAXPBYPCZ(self->vth, 1 - self->theta, self->theta, 0, x->v, v1));
  PetscCall(NsModelMove(model, x->q, th, self->vth, self->qth));
  if (model->tangents_vary) PetscCall(NsComplianceUpdate(self->p.compliance, x->t + th, self->qth, self->vth, (NsOperator){1, th, th * th}));
  PetscCall(NsModelForce(model, x->t + th, self->qth, self->vth, self->h));
  PetscCall(NsVecAddScaled(self->dv, -1, v1, x->v));
  PetscCall(NsModelMult(model, x->t + th, self->qth, self->dv, self->r));
  PetscCall(VecAXPY(self->r, dt, self->h));
  PetscCall(NsModelSolve(model, 1, self->r, self->dv));
  PetscCall(NsVecAddScaled(self->next, 1, self->dv, v1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaIterate(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, Vec q, NsStepOutcome *outcome)
{
  NsTheta        *self = scheme->data;
  NsPercussion   *p    = &self->p;
  const PetscReal t    = x->t + (q ? dt : self->theta * dt);

  PetscFunctionBegin;
  PetscCall(free_iteration(scheme, x, dt));
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelRows(scheme->model, t, q ? q : self->qth, count, NsContactSelected(scheme->contact), &p->w));
  if (!q) PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
  PetscCall(NsPercussionSolve(scheme, p->u0, self->next, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode velocity_by_iteration(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsTheta    *self      = scheme->data;
  NsIteration iteration = NsIterationBegin();
  PetscReal   least     = 0, fastest;
  PetscBool   again;

  PetscFunctionBegin;
  PetscCall(VecCopy(x->v, self->p.v1));
  do {
    PetscCall(NsThetaIterate(scheme, x, dt, count, NULL, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (iteration.count == 0) PetscCall(NsIterationLeast(scheme->model, x->q, dt, self->dv, &least));
    PetscCall(NsIterationTake(&iteration, scheme->model, &self->next, &self->p.v1, least, &fastest));
    PetscCall(NsIterationEnd(&iteration, outcome, &again));
  } while (again);
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaVelocity(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  PetscFunctionBegin;
  if (scheme->model->linear)
    PetscCall(velocity_linear(scheme, x, dt, count, outcome));
  else
    PetscCall(velocity_by_iteration(scheme, x, dt, count, outcome));
  if (outcome->done) PetscCall(NsThetaMove(scheme, x, dt));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaBook(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsTheta *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionBook(scheme, x->v, x->t + self->theta * dt, scheme->model->linear ? x->q : self->qth, self->vth, dt));
  PetscFunctionReturn(0);
}

PetscReal NsThetaStands(const void *settings)
{
  return ((const NsThetaSettings *)settings)->theta;
}

void NsThetaAmplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  const PetscReal theta = ((const NsThetaSettings *)settings)->theta;

  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1;
    const NsComplex dy = -w * (x0 + theta * w * y0 + 2 * zeta * y0) / (1 + 2 * zeta * theta * w + PetscSqr(theta * w));
    S[c]               = x0 + w * (y0 + theta * dy);
    S[2 + c]           = y0 + dy;
  }
}
