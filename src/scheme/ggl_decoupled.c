/*
  Decoupled Gear-Gupta-Leimkuhler scheme: Moreau's midpoint scheme, and then positions are projected onto g >= 0.

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, 3.1: (29)-(33).

      v1 as Moreau's midpoint scheme (midpoint.h)
      q1 = q0 + dt/2 (v0 + v1) + W(q1) Psi,   0 <= g(q1)  _|_  Psi >= 0   on all contacts (joints: g = 0)

  W is taken at q1, which makes q1 the nearest point of g >= 0; with W at the midpoint, as printed, it is 5e-7 beside it. The metric is the Euclidean one of the
  coordinates, as in the paper, and means nothing to mechanics: a projection puts in energy or takes it (the paper's Fig. 10). No penetration.
*/
#include "midpoint.h"
#include "position.h"

typedef struct {
  const NsNode *where;
  double        step;
} NsSettings_GglDecoupled;

typedef struct {
  NsMidpoint midpoint;
  NsPosition position;
  Vec        free, q1;
} NsScheme_GglDecoupled;

static PetscErrorCode NsSchemeSetup_GglDecoupled(NsScheme *scheme)
{
  NsScheme_GglDecoupled *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsMidpointSetup(scheme, &self->midpoint));
  PetscCall(NsPositionCreate(scheme->contact, &self->position));
  PetscCall(NsVecsCreate(scheme->model, &self->free, &self->q1, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_GglDecoupled(NsScheme *scheme)
{
  NsScheme_GglDecoupled *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsMidpointDestroy(&self->midpoint));
  PetscCall(NsPositionDestroy(&self->position));
  PetscCall(NsVecsDestroy(&self->free, &self->q1, NULL));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_GglDecoupled(NsScheme *scheme, const NsState *state)
{
  NsScheme_GglDecoupled *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsMidpointStart(scheme, &self->midpoint, state));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_GglDecoupled(NsScheme *scheme, NsMemory *memory)
{
  PetscFunctionBegin;
  NsPercussionRemember(scheme, &((NsScheme_GglDecoupled *)scheme->data)->midpoint.p, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_GglDecoupled(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_GglDecoupled *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsMidpointVelocity(scheme, &self->midpoint, x, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(self->free, dt, self->midpoint.p.vm, x->q));
  PetscCall(NsPositionSolve(scheme, &self->position, x->t + dt, NULL, x->t + dt, self->free, NULL, 1, self->q1, "projection", outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionFinish(scheme, &self->midpoint.p, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static const NsKey   ggl_decoupled_keys[] = {NS_STEP_KEY(NsSettings_GglDecoupled), {NULL}};
static const NsTable ggl_decoupled_table  = {
   "ggl_decoupled", "decoupled Gear-Gupta-Leimkuhler scheme", ggl_decoupled_keys, sizeof(NsSettings_GglDecoupled)};

const NsVariant NsSchemeVariant_GglDecoupled = {
  .name  = "ggl_decoupled",
  .title = "decoupled Gear-Gupta-Leimkuhler: midpoint scheme and projection, no penetration",
  .about = "v1 as scheme.moreau_midpoint;   q1 = q0 + dt/2 (v0 + v1) + W(q1) Psi,   0 <= g(q1) _|_ Psi >= 0 on all contacts, joints g = 0.\n"
           "Order 2 in free flight without damping, order 1 with contacts. Gaps hold to rounding; gap rates as in the\n"
           "midpoint scheme. Not energy-consistent: each projection puts in energy or takes it. The metric of the\n"
           "projection is that of the coordinates: it depends on their choice, and on the mesh of finite elements.\n"
           "Explicit: undamped, dt < 2/omega_max.\n"
           "With e > 0 a contact at rest flutters, with e g dt/(1 + e) under weight g, for what is projected onto g = 0 is found\n"
           "open in the next step; each flutter counts as an impact.\n"
           "Elastic bodies that hit with e near 1 gain energy, a little with each impact and without bound over many: a lumped bar\n"
           "between two walls (configs/bar_between_walls.yaml, e = 1) has eight times as much after forty flights.\n"
           "scheme.moreau_jean and scheme.event_driven_hem5 keep it.\n"
           "Needs of a model: accelerations, gaps and contact rows.\n"
           "Reference: Schoeder, Ulbrich, Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting\n"
           "mechanical systems, 3.1.",
  .table = &ggl_decoupled_table,
};

const NsSchemeType NsSchemeType_GglDecoupled = {
  .variant = &NsSchemeVariant_GglDecoupled,
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity and position",
      .energy        = "oscillates, bounded; projections and joints alter it by O(dt)",
      .needs         = "",
      .reference     = "Schoeder et al. (29)-(33)",
    },
  .setup         = NsSchemeSetup_GglDecoupled,
  .start         = NsSchemeStart_GglDecoupled,
  .remember      = NsSchemeRemember_GglDecoupled,
  .step          = NsSchemeStep_GglDecoupled,
  .amplification = NsMidpointAmplification,
  .destroy       = NsSchemeDestroy_GglDecoupled,
};
