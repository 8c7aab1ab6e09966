/*
  Moreau-Jean theta scheme, and then positions are projected onto g >= 0: the naive projection.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, "a naive projection scheme".

      v1, q as scheme.moreau_jean;   q1 = q + D W(q1) tau,   0 <= g(q1)  _|_  tau >= 0   on all contacts (joints: g = 0)

  with D = 1, or D = M(q0)^-1. No penetration, but velocities are not corrected: a contact that is open by the prediction g0 + gamma dt u0 is moved to g = 0 with a velocity
  that still approaches, and a ball at rest never comes to rest: it bounces up with e g dt/(1 + e), is open in the next step, falls, and is moved back with g dt/(1 + e) downwards. Each
  projection against gravity lifts the body and adds energy. For comparison; projection_combined avoids this.
*/
#include "position.h"
#include "theta.h"

typedef struct {
  NsThetaSettings common;
  int             metric;
} NsSettings_ProjectionNaive;

enum { MASS, IDENTITY };

typedef struct {
  NsTheta    theta;
  NsPosition position;
  Vec        q1;
} NsScheme_ProjectionNaive;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  const NsSettings_ProjectionNaive *settings = scheme->settings;
  NsScheme_ProjectionNaive         *self     = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaDeclare(scheme, work, PETSC_FALSE, settings->metric == MASS, PETSC_FALSE));
  PetscCall(NsPositionDeclare(scheme, work, &self->position));
  PetscCall(NsWorkVecs(work, &self->q1, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_ProjectionNaive         *self     = scheme->data;
  const NsSettings_ProjectionNaive *settings = scheme->settings;
  NsTheta                          *theta    = &self->theta;
  PetscInt                          count;

  PetscFunctionBegin;
  PetscCall(NsThetaBegin(scheme, x, dt));
  PetscCall(NsContactForecast(scheme->contact, x, settings->common.gamma * dt, &count));
  PetscCall(NsPercussionActivate(scheme, count));
  PetscCall(NsThetaVelocity(scheme, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  const NsPositionProblem problem = {.t = x->t + dt, .q_free = theta->q1, .metric = theta->mass, .scale = 1};
  PetscCall(NsPositionSolve(scheme, &self->position, &problem, self->q1, "projection", outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsThetaBook(scheme, x, dt));
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static const char *const metric_choices[] = {"mass", "identity", NULL};

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_THETA_KEY,
  NS_GAMMA_KEY,
  {"metric", NS_KEY_CHOICE, offsetof(NsSettings_ProjectionNaive, metric), .choices = metric_choices, .default_value = "mass",
    .help = "metric of the projection: mass (kinetic energy), or identity, which depends on the choice of coordinates", .example = "identity"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_ProjectionNaive = {
  .variant =
    {
      .name  = "projection_naive",
      .title = "Moreau-Jean theta scheme with naive projection: no penetration, known defects; for comparison",
      .about = "As scheme.moreau_jean; then positions are projected onto g >= 0. Velocities are not corrected: a contact that was treated as open "
               "is moved to g = 0 while it continues to approach, and with e > 0 a contact never comes to rest. Projections add energy; on "
               "finite elements, where they move one node alone, steps must be short. scheme.projection_combined corrects velocities, too.\n",
      .table = &(const NsTable){"projection_naive", "Moreau-Jean scheme and projection", keys, sizeof(NsSettings_ProjectionNaive)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity, then position",
      .energy        = "conserved to rounding (linear models); projections add some",
      .needs         = "",
      .cited         = "Acary, Bonnefon, naive",
      .step_limit    = "none for theta >= 0.5",
      .theory        = "schemes_position",
      .reference     = "V. Acary, O. Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact, a naive projection scheme",
    },
  .implicit      = PETSC_TRUE,
  .laws          = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH | NS_LAW_JOINT | NS_LAW_RESISTANCE,
  .size          = sizeof(NsScheme_ProjectionNaive),
  .declare       = declare,
  .start         = NsThetaStart,
  .step          = step,
  .stands        = NsThetaStands,
  .amplification = NsThetaAmplification,
};
