#include "theta.h"
#include "rounds.h"

PetscErrorCode NsThetaSetup(NsScheme *scheme, PetscBool rounds, NsTheta *self)
{
  PetscFunctionBegin;
  self->theta  = ((const NsThetaSettings *)scheme->settings)->theta;
  self->rounds = rounds || !scheme->model->linear ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(NsPercussionCreate(scheme, 1, &self->p));
  PetscCall(NsVecsCreate(scheme->model, &self->h, &self->dv, &self->q1, &self->vth, NULL));
  if (self->rounds) PetscCall(NsVecsCreate(scheme->model, &self->qth, &self->r, &self->next, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaDestroy(NsTheta *self)
{
  PetscFunctionBegin;
  PetscCall(NsPercussionDestroy(&self->p));
  PetscCall(NsVecsDestroy(&self->h, &self->dv, &self->q1, &self->vth, NULL));
  if (self->rounds) PetscCall(NsVecsDestroy(&self->qth, &self->r, &self->next, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaStart(NsScheme *scheme, NsTheta *self, const NsState *state)
{
  const PetscReal th = self->theta * ((const NsThetaSettings *)scheme->settings)->step;

  PetscFunctionBegin;
  PetscCall(NsPercussionStart(scheme, &self->p, state, (NsOperator){1, th, th * th}));
  PetscFunctionReturn(0);
}

/* z = y + a x. Loops of our own: PETSc's operations would cost a long bar more than force and solve. */
static PetscErrorCode add_scaled(Vec z, PetscReal a, Vec x, Vec y)
{
  const PetscScalar *ax, *ay;
  PetscScalar       *az;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(z, &n));
  PetscCall(VecGetArrayRead(x, &ax));
  PetscCall(VecGetArrayRead(y, &ay));
  PetscCall(VecGetArray(z, &az));
  for (PetscInt i = 0; i < n; i++) az[i] = ay[i] + a * ax[i];
  PetscCall(VecRestoreArray(z, &az));
  PetscCall(VecRestoreArrayRead(y, &ay));
  PetscCall(VecRestoreArrayRead(x, &ax));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaMove(NsTheta *self, const NsState *x, PetscReal dt)
{
  const PetscReal    theta = self->theta;
  const PetscScalar *q0, *v0, *v;
  PetscScalar       *q, *vth;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(self->p.v1, &n));
  PetscCall(VecGetArrayRead(x->q, &q0));
  PetscCall(VecGetArrayRead(x->v, &v0));
  PetscCall(VecGetArrayRead(self->p.v1, &v));
  PetscCall(VecGetArray(self->q1, &q));
  PetscCall(VecGetArray(self->vth, &vth));
  for (PetscInt i = 0; i < n; i++) {
    vth[i] = (1 - theta) * v0[i] + theta * v[i];
    q[i]   = q0[i] + dt * vth[i];
  }
  PetscCall(VecRestoreArray(self->vth, &vth));
  PetscCall(VecRestoreArray(self->q1, &q));
  PetscCall(VecRestoreArrayRead(self->p.v1, &v));
  PetscCall(VecRestoreArrayRead(x->v, &v0));
  PetscCall(VecRestoreArrayRead(x->q, &q0));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaBegin(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt)
{
  const PetscReal  th = self->theta * dt;
  const NsOperator op = {1, th, th * th};

  PetscFunctionBegin;
  self->known = PETSC_FALSE;
  if (scheme->model->linear) {
    PetscCall(NsComplianceUpdate(self->p.compliance, x->t, x->q, x->v, op));
    PetscFunctionReturn(0);
  }
  PetscCall(add_scaled(self->qth, th, x->v, x->q));
  PetscCall(NsComplianceUpdate(self->p.compliance, x->t + th, self->qth, x->v, op));
  PetscFunctionReturn(0);
}

/* v0 + dt A^-1 h(t_th, q0 + th dt v0, v0) of a linear model. */
static PetscErrorCode free_velocity(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt, Vec v)
{
  NsModel        *model = scheme->model;
  const PetscReal th    = self->theta * dt;

  PetscFunctionBegin;
  PetscCall(add_scaled(self->q1, th, x->v, x->q));
  PetscCall(NsModelForce(model, x->t + th, self->q1, x->v, self->h));
  PetscCall(NsModelSolve(model, 1, self->h, self->dv));
  PetscCall(add_scaled(v, dt, self->dv, x->v));
  PetscFunctionReturn(0);
}

static PetscErrorCode velocity_linear(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsPercussion *p = &self->p;

  PetscFunctionBegin;
  PetscCall(free_velocity(scheme, self, x, dt, p->v1));
  if (count) {
    PetscCall(NsModelRows(scheme->model, x->t, x->q, count, scheme->contact->active, &p->w));
    PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
    PetscCall(NsPercussionSolve(scheme, p, p->u0, p->v1, outcome));
  }
  PetscFunctionReturn(0);
}

/* v1+ without P into next, and what the forces make of it into dv. Linear models: the same in all rounds, to the last bit; small differences of stiff forces would keep
   the iteration from standing still. */
static PetscErrorCode free_round(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt)
{
  NsModel        *model = scheme->model;
  const Vec       v1    = self->p.v1;
  const PetscReal th    = self->theta * dt;

  PetscFunctionBegin;
  if (model->linear) {
    if (!self->known) PetscCall(free_velocity(scheme, self, x, dt, self->r));
    self->known = PETSC_TRUE;
    PetscCall(VecCopy(self->r, self->next));
    PetscCall(add_scaled(self->dv, -1, x->v, self->r));
    PetscFunctionReturn(0);
  }
  PetscCall(VecAXPBYPCZ(self->vth, 1 - self->theta, self->theta, 0, x->v, v1));
  PetscCall(add_scaled(self->qth, th, self->vth, x->q));
  PetscCall(NsModelForce(model, x->t + th, self->qth, self->vth, self->h));
  PetscCall(add_scaled(self->dv, -1, v1, x->v));
  PetscCall(NsModelMult(model, x->t + th, self->qth, self->dv, self->r));
  PetscCall(VecAXPY(self->r, dt, self->h));
  PetscCall(NsModelSolve(model, 1, self->r, self->dv));
  PetscCall(add_scaled(self->next, 1, self->dv, v1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaRound(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt, PetscInt count, Vec q, NsStepOutcome *outcome)
{
  NsPercussion   *p = &self->p;
  const PetscReal t = x->t + (q ? dt : self->theta * dt);

  PetscFunctionBegin;
  PetscCall(free_round(scheme, self, x, dt));
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelRows(scheme->model, t, q ? q : self->qth, count, scheme->contact->active, &p->w));
  if (!q) PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
  PetscCall(NsPercussionSolve(scheme, p, p->u0, self->next, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode velocity_by_rounds(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsRounds  rounds = NsRoundsBegin();
  PetscReal push   = 0, fastest;
  PetscBool again;

  PetscFunctionBegin;
  PetscCall(VecCopy(x->v, self->p.v1));
  do {
    PetscCall(NsThetaRound(scheme, self, x, dt, count, NULL, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (rounds.count == 0) PetscCall(NsModelLargest(scheme->model, self->dv, &push)); /* a body at rest has the rounding of its forces */
    PetscCall(NsRoundsTake(&rounds, scheme->model, &self->next, &self->p.v1, PetscMax(push, PETSC_SMALL), &fastest));
    PetscCall(NsRoundsEnd(&rounds, outcome, &again));
  } while (again);
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaVelocity(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  PetscFunctionBegin;
  if (scheme->model->linear)
    PetscCall(velocity_linear(scheme, self, x, dt, count, outcome));
  else
    PetscCall(velocity_by_rounds(scheme, self, x, dt, count, outcome));
  if (outcome->done) PetscCall(NsThetaMove(self, x, dt));
  PetscFunctionReturn(0);
}

PetscErrorCode NsThetaBook(NsScheme *scheme, NsTheta *self, const NsState *x, PetscReal dt)
{
  PetscFunctionBegin;
  PetscCall(NsPercussionBook(scheme, &self->p, x->v, x->t + self->theta * dt, scheme->model->linear ? x->q : self->qth, self->vth, dt));
  PetscFunctionReturn(0);
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
