/*
  Joints on position level (index 3): symplectic Euler with forces that put the end of the step onto the constraint.

  The index-3 formulation of [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical
  systems, 2.2:

      v1 = v0 + M0^-1 (dt h(t0, q0, v0) + W0 P),   q1 = q0 + dt v1,   g(t1, q1) = 0

  (without velocity-dependent forces that is SHAKE). P follows from Newton's method on g; directions W0 are fixed. Positions hold to rounding, velocities
  miss W' v = 0 by O(dt). Order 1. No unilateral contacts: an impact law needs velocities; schatzman_paoli has one on position level.
*/
#include "position.h"

typedef struct {
  const NsNode *where;
  double        step;
} NsSettings_PositionLevel;

typedef struct {
  NsCompliance *mass; /* slot 0, A = M */
  NsPosition    position;
  Vec           a, free, q1, v1, vs; /* vs = v0 + v1 */
  PetscReal    *us;                  /* [rows] W' vs, drives counted twice */
} NsScheme_PositionLevel;

static const char *NsSchemeRefuses_PositionLevel(const NsModel *model, const void *settings)
{
  (void)settings;
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (!model->candidate[i].bilateral) return "it knows joints only, no contacts that open; schatzman_paoli has an impact law on position level";
  }
  return model->candidates ? NULL : "it is for joints, and this model has none";
}

static PetscErrorCode NsSchemeSetup_PositionLevel(NsScheme *scheme)
{
  NsScheme_PositionLevel *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsPositionCreate(scheme->contact, &self->position));
  PetscCall(NsVecsCreate(scheme->model, &self->a, &self->free, &self->q1, &self->v1, &self->vs, NULL));
  PetscCall(PetscCalloc1(scheme->contact->rows, &self->us));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_PositionLevel(NsScheme *scheme)
{
  NsScheme_PositionLevel *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsPositionDestroy(&self->position));
  PetscCall(NsVecsDestroy(&self->a, &self->free, &self->q1, &self->v1, &self->vs, NULL));
  PetscCall(PetscFree(self->us));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_PositionLevel(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_PositionLevel *self = scheme->data;
  NsPower                 power;

  PetscFunctionBegin;
  PetscCall(NsModelAccel(scheme->model, x->t, x->q, x->v, self->a));
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(VecWAXPY(self->v1, dt, self->a, x->v));
  PetscCall(VecWAXPY(self->free, dt, self->v1, x->q));
  PetscCall(NsPositionSolve(scheme, &self->position, x->t, x->q, x->t + dt, self->free, self->mass, dt, self->q1, "forces", outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsComplianceApply(self->mass, &self->position.wp, self->position.Psi, 1, self->v1));
  PetscCall(NsContactReportForce(scheme->contact, &self->position.wp, self->position.Psi, 1 / dt));
  PetscCall(VecWAXPY(self->vs, 1, x->v, self->v1));
  PetscCall(NsModelPower(scheme->model, x->t, x->q, x->v, self->vs, &power));
  scheme->ledger->damping += dt / 2 * power.damping;
  scheme->ledger->load += dt / 2 * power.load;
  PetscCall(NsRowsVelocity(scheme->model, &self->position.wp, self->vs, self->us));
  for (PetscInt k = 0; k < self->position.wp.rows; k++) self->us[k] += self->position.wp.drive[k]; /* twice, as the velocity */
  NsContactBookForces(scheme->ledger, &self->position.wp, self->position.Psi, 1, self->us);
  NsStateSwap(x, &self->q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}

static const NsKey   position_level_keys[] = {NS_STEP_KEY(NsSettings_PositionLevel), {NULL}};
static const NsTable position_level_table  = {"position_level", "joints on position level", position_level_keys, sizeof(NsSettings_PositionLevel)};

const NsVariant NsSchemeVariant_PositionLevel = {
  .name  = "position_level",
  .title = "joints on position level: symplectic Euler, no drift, no impacts",
  .about = "v1 = v0 + M0^-1 (dt h(t0, q0, v0) + W0 P),   q1 = q0 + dt v1,   g(t1, q1) = 0.\n"
           "Order 1. Positions hold to rounding; velocities miss the joint's by O(dt). Gyroscopic forces are explicit\n"
           "and cost energy: the slider-crank with a joint loses 38 % in a second at dt = 1e-4 s.\n"
           "Explicit: undamped, dt < 2/omega_max. For index reduction, beside scheme.half_explicit (velocity level),\n"
           "scheme.half_explicit_acceleration and scheme.ggl_decoupled.\n"
           "Needs of a model: accelerations, gaps and contact rows; joints only.\n"
           "Reference: Schoeder, Ulbrich, Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting\n"
           "mechanical systems, 2.",
  .table = &position_level_table,
};

const NsSchemeType NsSchemeType_PositionLevel = {
  .variant = &NsSchemeVariant_PositionLevel,
  .sheet =
    {
      .order         = 1,
      .order_impacts = 0,
      .level         = "position",
      .energy        = "oscillates, bounded; mechanisms lose O(dt)",
      .needs         = "joints only",
      .reference     = "Schoeder et al. 2.2",
    },
  .refuses = NsSchemeRefuses_PositionLevel,
  .setup   = NsSchemeSetup_PositionLevel,
  .step    = NsSchemeStep_PositionLevel,
  .destroy = NsSchemeDestroy_PositionLevel,
};
