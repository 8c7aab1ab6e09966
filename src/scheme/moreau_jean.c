/*
  Moreau-Jean theta scheme.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, (2). With x_th = (1 - th) x0 + th x1:

      M(q_th) (v1 - v0) - dt h(t_th, q_th, v_th) = W P,    q1 = q0 + dt v_th,
      0 <= u1 + e u0  _|_  P >= 0   where  g0 + gamma dt u0 <= 0,      P = 0 elsewhere

  Linear models: one linear solve with a constant A a step; others: Newton's method (theta.h). Joints are always active.

  th >= 1/2: unconditionally stable. th = 1/2, e = 1 keeps the energy of linear models to rounding; th > 1/2 damps high frequencies.
  Penetration of an impact: at most dt |u^-| ((1 - gamma) + max(0, (1 - th) - th e)).
*/
#include "theta.h"

typedef struct {
  const NsNode *where;
  double        step, theta, gamma;
  int           positions; /* 0 free, 1 held */
} NsSettings_MoreauJean;

typedef struct {
  NsTheta       theta;
  NsCompliance *mass; /* slot 0, M; NULL: positions are free */
} NsScheme_MoreauJean;

static PetscErrorCode NsSchemeSetup_MoreauJean(NsScheme *scheme)
{
  NsScheme_MoreauJean *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsThetaSetup(scheme, PETSC_FALSE, &self->theta));
  if (!((const NsSettings_MoreauJean *)scheme->settings)->positions) PetscFunctionReturn(0);
  PetscCall(NsPercussionHold(scheme, &self->theta.p));
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_MoreauJean(NsScheme *scheme)
{
  NsScheme_MoreauJean *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaDestroy(&self->theta));
  if (self->mass) PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode update_metric(NsScheme_MoreauJean *self, const NsState *x)
{
  PetscFunctionBegin;
  if (self->mass) PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_MoreauJean(NsScheme *scheme, const NsState *state)
{
  NsScheme_MoreauJean *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaStart(scheme, &self->theta, state));
  PetscCall(update_metric(self, state));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_MoreauJean(NsScheme *scheme, NsMemory *memory)
{
  PetscFunctionBegin;
  NsPercussionRemember(scheme, &((NsScheme_MoreauJean *)scheme->data)->theta.p, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_MoreauJean(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsSettings_MoreauJean *settings = scheme->settings;
  NsScheme_MoreauJean         *self     = scheme->data;
  NsTheta                     *theta    = &self->theta;
  PetscInt                     count;

  PetscFunctionBegin;
  PetscCall(NsThetaBegin(scheme, theta, x, dt));
  PetscCall(update_metric(self, x));
  PetscCall(NsContactForecast(scheme->contact, x, settings->gamma * dt, &count));
  PetscCall(NsPercussionKeep(scheme, &theta->p, &count));
  PetscCall(NsPercussionActivate(scheme, &theta->p, count));
  PetscCall(NsThetaVelocity(scheme, theta, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsThetaBook(scheme, theta, x, dt));
  PetscCall(NsPercussionPosition(scheme, &theta->p, x->t + dt, self->mass, &theta->q1, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionFinish(scheme, &theta->p, x, dt, &theta->q1));
  PetscFunctionReturn(0);
}

static const NsKey moreau_jean_keys[] = {
  NS_STEP_KEY(NsSettings_MoreauJean),
  NS_THETA_KEY(NsSettings_MoreauJean),
  NS_GAMMA_KEY(NsSettings_MoreauJean),
  NS_POSITIONS_KEY(NsSettings_MoreauJean),
  {NULL},
};
static const NsTable moreau_jean_table = {"moreau_jean", "Moreau-Jean theta scheme", moreau_jean_keys, sizeof(NsSettings_MoreauJean)};

const NsVariant NsSchemeVariant_MoreauJean = {
  .name  = "moreau_jean",
  .title = "Moreau-Jean theta scheme: implicit",
  .about = "M(q_th) (v1 - v0) - dt h(t_th, q_th, v_th) = W P,   q1 = q0 + dt v_th,   x_th = (1 - theta) x0 + theta x1;\n"
           "0 <= u1 + e u0 _|_ P >= 0 where g0 + gamma dt u0 <= 0. Linear models: A = M + theta dt C + (theta dt)^2 K is\n"
           "factored once. Mechanisms and rotors of free or changing spin: Newton's method, three to six rounds a step.\n"
           "theta = 0.5: order 2 in free flight, energy of linear models kept to rounding; theta > 0.5: order 1, damps.\n"
           "No step limit from theta = 0.5. P is force and impulse in one, reported as impulse. Penetration: at most\n"
           "dt |u^-| ((1 - gamma) + max(0, (1 - theta) - theta e)). Positions of joints and of curved contacts drift.\n" NS_POSITIONS_ABOUT
           "Velocities do not hold at the new positions: that is scheme.projection_combined.\n"
           "Needs of a model: forces, mass matrix, gaps and contact rows; tangents of mechanisms are taken by\n"
           "differences.\n"
           "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact, (2).",
  .table = &moreau_jean_table,
};

const NsSchemeType NsSchemeType_MoreauJean = {
  .variant       = &NsSchemeVariant_MoreauJean,
  .sheet         = {.order = 2,
            .order_impacts = 1,
            .level         = "velocity",
            .energy        = "kept to rounding (linear models); joints alter it by O(dt)",
            .needs         = "",
            .reference     = "Acary, Bonnefon (2)"},
  .implicit      = PETSC_TRUE,
  .setup         = NsSchemeSetup_MoreauJean,
  .start         = NsSchemeStart_MoreauJean,
  .remember      = NsSchemeRemember_MoreauJean,
  .step          = NsSchemeStep_MoreauJean,
  .amplification = NsThetaAmplification,
  .destroy       = NsSchemeDestroy_MoreauJean,
};
