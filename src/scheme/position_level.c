/*
  Joints on position level (index 3): symplectic Euler with forces that bring the end of the step onto the constraint.

  The index-3 formulation of [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical
  systems, 2.2:

      v1 = v0 + M0^-1 (dt h(t0, q0, v0) + W0 P),   q1 = q0 + dt v1,   g(t1, q1) = 0

  (without velocity-dependent forces that is SHAKE). P follows from Newton's method on g; directions W0 are fixed. Positions satisfy it to rounding, velocities
  violate W' v = 0 by O(dt). Order 1. No unilateral contacts: an impact law needs velocities; schatzman_paoli has one on position level.
*/
#include "position.h"

typedef struct {
  NsCompliance *mass; /* slot 0, A = M */
  NsPosition    position;
  Vec           a, free, q1, v1, vs; /* vs = v0 + v1 */
  PetscReal    *us;                  /* [rows] W' vs, drives counted twice */
} NsScheme_PositionLevel;

static const char *refuses(const NsModel *model, const void *settings)
{
  (void)settings;
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (!model->candidate[i].bilateral) return "it supports joints only, no contacts that open; schatzman_paoli has an impact law on position level";
  }
  return model->candidates ? NULL : "it is for joints, and this model has none";
}

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_PositionLevel *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsWorkCompliance(work, 0, &self->mass));
  PetscCall(NsPositionDeclare(scheme, work, &self->position));
  PetscCall(NsWorkVecs(work, &self->a, &self->free, &self->q1, &self->v1, &self->vs, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->us, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_PositionLevel *self = scheme->data;
  NsPower                 power;

  PetscFunctionBegin;
  PetscCall(NsModelAccel(scheme->model, x->t, x->q, x->v, self->a));
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(VecWAXPY(self->v1, dt, self->a, x->v));
  PetscCall(NsModelMove(scheme->model, x->q, dt, self->v1, self->free));
  const NsPositionProblem problem = {.t = x->t + dt, .q_free = self->free, .tp = x->t, .qp = x->q, .metric = self->mass, .scale = dt};
  PetscCall(NsPositionSolve(scheme, &self->position, &problem, self->q1, "forces", outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsComplianceApply(self->mass, self->position.acting, self->position.Psi, 1, self->v1));
  PetscCall(NsContactReportForce(scheme->contact, self->position.acting, self->position.Psi, 1 / dt));
  PetscCall(VecWAXPY(self->vs, 1, x->v, self->v1));
  PetscCall(VecScale(self->vs, 0.5));
  PetscCall(NsModelPower(scheme->model, x->t, x->q, x->v, self->vs, &power));
  scheme->ledger->damping += dt * power.damping;
  scheme->ledger->load += dt * power.load;
  PetscCall(VecScale(self->vs, 2));
  PetscCall(NsRowsVelocity(scheme->model, self->position.acting, self->vs, self->us));
  for (PetscInt k = 0; k < self->position.acting->rows; k++) self->us[k] += self->position.acting->drive[k]; /* twice, as the velocity */
  NsContactBookForces(scheme->ledger, self->position.acting, self->position.Psi, 1, self->us);
  NsStateSwap(x, &self->q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}

/* Forces of a step are those of its beginning. */
static PetscReal stands(const void *settings)
{
  (void)settings;
  return 0;
}

static const NsKey keys[] = {NS_STEP_KEY, NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_PositionLevel = {
  .variant =
    {
      .name  = "position_level",
      .title = "joints on position level: symplectic Euler, no drift, no impacts; for comparison",
      .about = "Joint forces bring the end of the step onto the constraint (SHAKE). Positions satisfy it to rounding; velocities violate it by "
               "O(dt). Gyroscopic forces are explicit, which loses energy. For comparison with other levels of the constraint: scheme.half_explicit, "
               "scheme.half_explicit_acceleration.\n",
      .table = &(const NsTable){"position_level", "joints on position level", keys, sizeof(NsSchemeSettings)},
    },
  .sheet =
    {
      .order         = 1,
      .order_impacts = 0,
      .level         = "position",
      .energy        = "oscillates, bounded; mechanisms lose O(dt)",
      .needs         = "joints only",
      .cited         = "Schoeder et al. 2.2",
      .step_limit    = "dt < 2/omega_max without damping",
      .theory        = "schemes_position",
      .reference     = "S. Schoeder, H. Ulbrich, T. Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, 2.2",
    },
  .refuses = refuses,
  .size    = sizeof(NsScheme_PositionLevel),
  .declare = declare,
  .step    = step,
  .stands  = stands,
};
