/*
  Moreau-Jean theta scheme, and then positions are projected onto g >= 0: the naive projection.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, "a naive projection scheme".

      v1, q as scheme.moreau_jean;   q1 = q + D W(q1) tau,   0 <= g(q1)  _|_  tau >= 0   on all contacts (joints: g = 0)

  with D = 1, or D = M(q0)^-1. No penetration, but velocities know nothing of it: a contact that the forecast g0 + gamma dt u0 took for open is moved to g = 0 with a velocity
  that still approaches, and a ball at rest flutters for ever: it bounces up with e g dt/(1 + e), is found open, falls, and is moved back with g dt/(1 + e) downwards. Each
  projection against gravity lifts the body and adds energy. Kept as the lesson it is; projection_combined is its cure.
*/
#include "position.h"
#include "theta.h"

typedef struct {
  const NsNode *where;
  double        step, theta, gamma;
  int           metric;
} NsSettings_ProjectionNaive;

enum { MASS, IDENTITY };

typedef struct {
  NsTheta       theta;
  NsPosition    position;
  NsCompliance *mass; /* slot 0, M; NULL: the identity */
  Vec           q1;
} NsScheme_ProjectionNaive;

static PetscErrorCode NsSchemeSetup_ProjectionNaive(NsScheme *scheme)
{
  const NsSettings_ProjectionNaive *settings = scheme->settings;
  NsScheme_ProjectionNaive         *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsThetaSetup(scheme, PETSC_FALSE, &self->theta));
  PetscCall(NsPositionCreate(scheme->contact, &self->position));
  if (settings->metric == MASS) PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsVecsCreate(scheme->model, &self->q1, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_ProjectionNaive(NsScheme *scheme)
{
  NsScheme_ProjectionNaive *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaDestroy(&self->theta));
  PetscCall(NsPositionDestroy(&self->position));
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsVecsDestroy(&self->q1, NULL));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode update_metric(NsScheme_ProjectionNaive *self, const NsState *x)
{
  PetscFunctionBegin;
  if (self->mass) PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_ProjectionNaive(NsScheme *scheme, const NsState *state)
{
  NsScheme_ProjectionNaive *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaStart(scheme, &self->theta, state));
  PetscCall(update_metric(self, state));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_ProjectionNaive(NsScheme *scheme, NsMemory *memory)
{
  PetscFunctionBegin;
  NsPercussionRemember(scheme, &((NsScheme_ProjectionNaive *)scheme->data)->theta.p, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_ProjectionNaive(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_ProjectionNaive         *self     = scheme->data;
  const NsSettings_ProjectionNaive *settings = scheme->settings;
  NsTheta                          *theta    = &self->theta;
  PetscInt                          count;

  PetscFunctionBegin;
  PetscCall(NsThetaBegin(scheme, theta, x, dt));
  PetscCall(NsContactForecast(scheme->contact, x, settings->gamma * dt, &count));
  PetscCall(NsPercussionActivate(scheme, &theta->p, count));
  PetscCall(NsThetaVelocity(scheme, theta, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(update_metric(self, x));
  PetscCall(NsPositionSolve(scheme, &self->position, x->t + dt, NULL, x->t + dt, theta->q1, self->mass, 1, self->q1, "projection", outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsThetaBook(scheme, theta, x, dt));
  PetscCall(NsPercussionFinish(scheme, &theta->p, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static const char *const metric_choices[]        = {"mass", "identity", NULL};
static const NsKey       projection_naive_keys[] = {
        NS_STEP_KEY(NsSettings_ProjectionNaive),
        NS_THETA_KEY(NsSettings_ProjectionNaive),
        NS_GAMMA_KEY(NsSettings_ProjectionNaive),
        {"metric", NS_KEY_CHOICE, offsetof(NsSettings_ProjectionNaive, metric), .choices = metric_choices, .standard = "mass",
          .help = "in which positions go to the nearest ones: kinetic, or that of the coordinates, which depends on their choice", .example = "identity"},
        {NULL},
};
static const NsTable projection_naive_table = {
  "projection_naive", "Moreau-Jean scheme and projection", projection_naive_keys, sizeof(NsSettings_ProjectionNaive)};

const NsVariant NsSchemeVariant_ProjectionNaive = {
  .name  = "projection_naive",
  .title = "Moreau-Jean theta scheme and naive projection: no penetration, and what is wrong with it",
  .about = "v1, q as scheme.moreau_jean;   q1 = q + D W(q1) tau,   0 <= g(q1) _|_ tau >= 0 on all contacts, joints g = 0;   D = M^-1 or 1.\n"
           "Order 2 in free flight (theta = 0.5), order 1 with contacts. Gaps hold to rounding; velocities know nothing of it:\n"
           "what was taken for open is moved to g = 0 while it goes on approaching (a ball with e = 0.5 at 4.4 m/s), and with\n"
           "e > 0 a contact at rest flutters for ever, between e g dt/(1 + e) upwards and g dt/(1 + e) downwards under weight g.\n"
           "Projections add energy. For comparison: take projection_combined.\n"
           "On finite elements steps must be short: a body that meets a wall at the speed v is pushed back by up to v dt, one node\n"
           "alone, which costs E S (v dt)^2/(2 l) in an element of length l (1.7 times that with a consistent mass matrix): of a\n"
           "bar's kinetic energy (c dt)^2/(l L). configs/elastic_bar.yaml, l = 20 mm, L = 1 m, gains 7 % of it at 10 us, and at 100 us\n"
           "comes to 31 times of it.\n"
           "No step limit from theta = 0.5. P is force and impulse in one, reported as impulse.\n"
           "Needs of a model: forces, mass matrix, gaps and contact rows; tangents of mechanisms are taken by\n"
           "differences.\n"
           "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact.",
  .table = &projection_naive_table,
};

const NsSchemeType NsSchemeType_ProjectionNaive = {
  .variant       = &NsSchemeVariant_ProjectionNaive,
  .sheet         = {.order = 2,
            .order_impacts = 1,
            .level         = "velocity, then position",
            .energy        = "kept to rounding (linear models); projections add some",
            .needs         = "",
            .reference     = "Acary, Bonnefon, naive"},
  .implicit      = PETSC_TRUE,
  .setup         = NsSchemeSetup_ProjectionNaive,
  .start         = NsSchemeStart_ProjectionNaive,
  .remember      = NsSchemeRemember_ProjectionNaive,
  .step          = NsSchemeStep_ProjectionNaive,
  .amplification = NsThetaAmplification,
  .destroy       = NsSchemeDestroy_ProjectionNaive,
};
