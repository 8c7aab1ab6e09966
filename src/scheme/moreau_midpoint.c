/*
  Moreau's midpoint scheme (time-stepping on velocity level).

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, (8)-(13).

      qM = q0 + dt/2 v0,   M, h, W at qM
      v1 = v0 + M^-1 (dt h(tM, qM, v0) + W P),   0 <= W'(v1 + e v0)  _|_  P >= 0  (and friction)  where g(qM) <= 0
      q1 = q0 + dt/2 (v0 + v1)

  One percussion P per step contains force and impulse; it is reported as impulse. On linear models without damping it is the leapfrog:
  qM moves by dt v1, so dt < 2/omega_max, and the energy oscillates but is bounded. One acceleration and one local problem a step.
*/
#include "midpoint.h"

typedef struct {
  NsSchemeSettings scheme;
  int              positions; /* NsPositionsChoices */
} NsSettings_MoreauMidpoint;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  const NsSettings_MoreauMidpoint *settings = scheme->settings;

  PetscFunctionBegin;
  PetscCall(NsMidpointDeclare(scheme, work, NsHoldIsWanted(work->model, settings->positions)));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsMidpoint *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsMidpointVelocity(scheme, x, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsModelMove(scheme->model, x->q, dt, self->p.vm, self->qm)); /* q1 */
  PetscCall(NsPercussionPosition(scheme, x->t + dt, self->p.compliance, &self->qm, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->qm));
  PetscFunctionReturn(0);
}

static const NsKey keys[] = {NS_STEP_KEY, NS_POSITIONS_KEY(NsSettings_MoreauMidpoint), NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_MoreauMidpoint = {
  .variant =
    {
      .name  = "moreau_midpoint",
      .title = "Moreau's midpoint scheme: explicit, one percussion per step",
      .about = "Half a step of free motion, one percussion there, and the second half with the new velocity: the leapfrog on linear models. One "
               "percussion P per step contains force and impulse; it is reported as impulse, and P/dt is the force while contact "
               "lasts.\n"
               "Gyroscopic forces are evaluated at the previous velocity, which makes mechanisms order 1. Elastic bodies that keep hitting with e "
               "near 1 gain energy; scheme.moreau_jean and scheme.event_driven_hem5 conserve it. Curved contacts drift, which positions: held "
               "removes.\n" NS_POSITIONS_ABOUT,
      .table = &(const NsTable){"moreau_midpoint", "Moreau's midpoint scheme", keys, sizeof(NsSettings_MoreauMidpoint)},
    },
  .sheet =
    {
      .order          = 2,
      .order_velocity = 1,
      .order_impacts  = 1,
      .level          = "velocity",
      .energy         = "oscillates, bounded; e near 1 increases it; mechanisms change it by O(dt)",
      .needs          = "",
      .cited          = "Schoeder et al. (8)-(13)",
      .step_limit     = "dt < 2/omega_max without damping",
      .theory         = "schemes_velocity",
      .reference = "S. Schoeder, H. Ulbrich, T. Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, (8)-(13)",
    },
  .laws          = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH | NS_LAW_JOINT | NS_LAW_RESISTANCE,
  .size          = sizeof(NsMidpoint),
  .declare       = declare,
  .start         = NsMidpointStart,
  .step          = step,
  .amplification = NsMidpointAmplification,
};
