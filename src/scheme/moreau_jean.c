/*
  Moreau-Jean theta scheme for linear models.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, (2). With x_th = (1 - th) x0 + th x1:

      M (v1 - v0) - dt h(t_th, q_th, v_th) = W P,    q1 = q0 + dt v_th,
      0 <= u1 + e u0  _|_  P >= 0   where  g0 + gamma dt u0 <= 0,      P = 0 elsewhere

  For h = f(t) - K q - C v this is one linear solve with a constant A:

      A (v1 - v0) = dt h(t_th, q0 + th dt v0, v0) + W P,     A = M + th dt C + (th dt)^2 K

  th >= 1/2: unconditionally stable. th = 1/2, e = 1 keeps the energy to rounding; th > 1/2 damps high frequencies.
  Penetration of an impact: at most dt |u^-| ((1 - gamma) + max(0, (1 - th) - th e)).
*/
#include "percussion.h"

typedef struct {
  const NsNode *where;
  double        step, theta, gamma;
} NsSettings_MoreauJean;

typedef struct {
  NsPercussion p; /* slot 1, A */
  Vec          h, dv, q1, vth;
} NsScheme_MoreauJean;

static const char *NsSchemeRefuses_MoreauJean(const NsModel *model, const void *settings)
{
  (void)settings;
  return model->linear
           ? NULL
           : "it solves linear models only: constant mass, stiffness and damping, which mechanisms and rotors of free or changing spin do not have; ggl_unified moves them";
}

static PetscErrorCode NsSchemeSetup_MoreauJean(NsScheme *scheme)
{
  NsScheme_MoreauJean *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsPercussionCreate(scheme, 1, &self->p));
  PetscCall(NsVecsCreate(scheme->model, &self->h, &self->dv, &self->q1, &self->vth, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_MoreauJean(NsScheme *scheme)
{
  NsScheme_MoreauJean *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionDestroy(&self->p));
  PetscCall(NsVecsDestroy(&self->h, &self->dv, &self->q1, &self->vth, NULL));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_MoreauJean(NsScheme *scheme, const NsState *state)
{
  NsScheme_MoreauJean         *self     = scheme->data;
  const NsSettings_MoreauJean *settings = scheme->settings;
  const PetscReal              th       = settings->theta * settings->step;

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

/* v_th = (1 - theta) v0 + theta v1,   q1 = q0 + dt v_th */
static PetscErrorCode move(NsScheme_MoreauJean *self, PetscReal theta, PetscReal dt, const NsState *x, Vec v1)
{
  const PetscScalar *q0, *v0, *v;
  PetscScalar       *q, *vth;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v1, &n));
  PetscCall(VecGetArrayRead(x->q, &q0));
  PetscCall(VecGetArrayRead(x->v, &v0));
  PetscCall(VecGetArrayRead(v1, &v));
  PetscCall(VecGetArray(self->q1, &q));
  PetscCall(VecGetArray(self->vth, &vth));
  for (PetscInt i = 0; i < n; i++) {
    vth[i] = (1 - theta) * v0[i] + theta * v[i];
    q[i]   = q0[i] + dt * vth[i];
  }
  PetscCall(VecRestoreArray(self->vth, &vth));
  PetscCall(VecRestoreArray(self->q1, &q));
  PetscCall(VecRestoreArrayRead(v1, &v));
  PetscCall(VecRestoreArrayRead(x->v, &v0));
  PetscCall(VecRestoreArrayRead(x->q, &q0));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_MoreauJean(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_MoreauJean         *self     = scheme->data;
  const NsSettings_MoreauJean *settings = scheme->settings;
  NsPercussion                *p        = &self->p;
  NsModel                     *model    = scheme->model;
  const PetscReal              th       = settings->theta * dt;
  PetscInt                     count;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(p->compliance, x->t, x->q, x->v, (NsOperator){1, th, th * th}));
  PetscCall(NsContactForecast(scheme->contact, x, settings->gamma * dt, &count));
  PetscCall(NsPercussionActivate(scheme, p, count));
  PetscCall(add_scaled(self->q1, th, x->v, x->q));
  PetscCall(NsModelForce(model, x->t + th, self->q1, x->v, self->h));
  PetscCall(NsModelSolve(model, 1, self->h, self->dv));
  PetscCall(add_scaled(p->v1, dt, self->dv, x->v));
  if (count) {
    PetscCall(NsModelRows(model, x->t, x->q, count, scheme->contact->active, &p->w));
    PetscCall(NsRowsVelocity(model, &p->w, x->v, p->u0));
    PetscCall(NsPercussionSolve(scheme, p, p->u0, p->v1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  }
  PetscCall(move(self, settings->theta, dt, x, p->v1));
  PetscCall(NsPercussionBook(scheme, p, x->v, x->t + th, x->q, self->vth, dt));
  PetscCall(NsPercussionFinish(scheme, p, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static void NsSchemeAmplification_MoreauJean(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  const PetscReal theta = ((const NsSettings_MoreauJean *)settings)->theta;

  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1;
    const NsComplex dy = -w * (x0 + theta * w * y0 + 2 * zeta * y0) / (1 + 2 * zeta * theta * w + PetscSqr(theta * w));
    S[c]               = x0 + w * (y0 + theta * dy);
    S[2 + c]           = y0 + dy;
  }
}

static const NsKey moreau_jean_keys[] = {
  NS_STEP_KEY(NsSettings_MoreauJean),
  {"theta", NS_KEY_NUMBER, offsetof(NsSettings_MoreauJean, theta), .standard = "0.5", .minimum = "0", .maximum = "1",
    .help = "weight of the step's end; from 0.5 unconditionally stable", .example = "0.55"},
  {"gamma", NS_KEY_NUMBER, offsetof(NsSettings_MoreauJean, gamma), .standard = "0.5", .minimum = "0", .maximum = "1",
    .help = "how far ahead, in steps, a gap is forecast to decide whether a contact is active", .example = "1"},
  {NULL},
};
static const NsTable moreau_jean_table = {"moreau_jean", "Moreau-Jean theta scheme", moreau_jean_keys, sizeof(NsSettings_MoreauJean)};

const NsVariant NsSchemeVariant_MoreauJean = {
  .name  = "moreau_jean",
  .title = "Moreau-Jean theta scheme: implicit, linear models",
  .about = "M (v1 - v0) - dt h(t_th, q_th, v_th) = W P,   q1 = q0 + dt v_th,   x_th = (1 - theta) x0 + theta x1;\n"
           "0 <= u1 + e u0 _|_ P >= 0 where g0 + gamma dt u0 <= 0. A = M + theta dt C + (theta dt)^2 K is factored once.\n"
           "theta = 0.5: order 2 in free flight, energy kept to rounding; theta > 0.5: order 1, damps. No step limit\n"
           "from theta = 0.5. P is force and impulse in one, reported as impulse. Penetration: at most dt |u^-| ((1 -\n"
           "gamma) + max(0, (1 - theta) - theta e)).\n"
           "Needs of a model: linear forces with constant mass, stiffness and damping.\n"
           "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact, (2).",
  .table = &moreau_jean_table,
};

const NsSchemeType NsSchemeType_MoreauJean = {
  .variant = &NsSchemeVariant_MoreauJean,
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "kept to rounding; damped with theta > 0.5",
      .needs         = "linear forces",
      .reference     = "Acary, Bonnefon (2)",
    },
  .implicit      = PETSC_TRUE,
  .refuses       = NsSchemeRefuses_MoreauJean,
  .setup         = NsSchemeSetup_MoreauJean,
  .start         = NsSchemeStart_MoreauJean,
  .step          = NsSchemeStep_MoreauJean,
  .amplification = NsSchemeAmplification_MoreauJean,
  .destroy       = NsSchemeDestroy_MoreauJean,
};
