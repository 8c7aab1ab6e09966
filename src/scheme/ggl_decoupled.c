/*
  Decoupled Gear-Gupta-Leimkuhler scheme: Moreau's midpoint scheme, and then positions are projected onto g >= 0.

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, 3.1: (29)-(33).

      v1 as Moreau's midpoint scheme (midpoint.h)
      q1 = q0 + dt/2 (v0 + v1) + W(q1) Psi,   0 <= g(q1)  _|_  Psi >= 0   on all contacts (joints: g = 0)

  W is taken at q1, which makes q1 the nearest point of g >= 0; with W at the midpoint, as printed, it differs by 5e-7. The metric is the Euclidean one of the
  coordinates, as in the paper, and has no mechanical meaning: a projection adds or removes energy (the paper's Fig. 10). No penetration.
*/
#include "midpoint.h"
#include "position.h"

typedef struct {
  NsMidpoint midpoint;
  NsPosition position;
  Vec        free, q1;
} NsScheme_GglDecoupled;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_GglDecoupled *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsMidpointDeclare(scheme, work, PETSC_FALSE));
  PetscCall(NsPositionDeclare(scheme, work, &self->position));
  PetscCall(NsWorkVecs(work, &self->free, &self->q1, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_GglDecoupled *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsMidpointVelocity(scheme, x, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsModelMove(scheme->model, x->q, dt, self->midpoint.p.vm, self->free));
  const NsPositionProblem problem = {.t = x->t + dt, .q_free = self->free, .scale = 1};
  PetscCall(NsPositionSolve(scheme, &self->position, &problem, self->q1, "projection", outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static const NsKey keys[] = {NS_STEP_KEY, NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_GglDecoupled = {
  .variant =
    {
      .name  = "ggl_decoupled",
      .title = "decoupled Gear-Gupta-Leimkuhler: midpoint scheme with projection, no penetration",
      .about =
        "As scheme.moreau_midpoint; then positions are projected onto g >= 0 in the metric of the coordinates, which depends on their "
        "choice and on the mesh. Closed gaps are zero to rounding, gap rates as in the midpoint scheme. Each projection adds or removes energy.\n"
        "With e > 0 a contact at rest does not settle: projected onto g = 0, it is treated as open in the next step, and each of its small "
        "bounces counts as an impact. Elastic bodies that hit repeatedly with e near 1 gain energy without bound. scheme.moreau_jean and "
        "scheme.event_driven_hem5 conserve the energy.\n",
      .table = &(const NsTable){"ggl_decoupled", "decoupled Gear-Gupta-Leimkuhler scheme", keys, sizeof(NsSchemeSettings)},
    },
  .sheet =
    {
      .order          = 2,
      .order_velocity = 1,
      .order_impacts  = 1,
      .level          = "velocity and position",
      .energy         = "oscillates, bounded; e near 1 increases it; projections and joints change it by O(dt)",
      .needs          = "",
      .cited          = "Schoeder et al. (29)-(33)",
      .step_limit     = "dt < 2/omega_max without damping",
      .theory         = "schemes_position",
      .reference = "S. Schoeder, H. Ulbrich, T. Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, 3.1, "
                   "(29)-(33)",
    },
  .size          = sizeof(NsScheme_GglDecoupled),
  .declare       = declare,
  .start         = NsMidpointStart,
  .step          = step,
  .amplification = NsMidpointAmplification,
};
