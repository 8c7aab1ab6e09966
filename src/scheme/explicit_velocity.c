/*
  Explicit scheme on velocity level, forecasting trapezoidal rule.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, Sec. 4, Fig. 7 (trapezoidal.h has the stages): forces bring the velocity of a stage to rest within a step, all at that stage's position,

    lambda0:  0 <= W0' (v0  + dt M0^-1 (h~0 + W0 lambda0))  _|_  lambda0 >= 0  (and friction)   on the contacts closed at q0
    lambda1:  0 <= W1' (v_a + dt M1^-1 (h~1 + W1 lambda1))  _|_  lambda1 >= 0                   on those closed at q1
    h~ = h (`free_force: included`, option 1) or 0 (`left_out`, option 2);

  impulses as the half-explicit scheme: all closed contacts, where some contact is newly closed at q1.
  `activation: kept`: lambda1 acts on the contacts closed at q0, whatever the gaps at q1 say.

  Both forces aim at the end of a whole step but act over half of one each: the constraint is met on average only, and drifts (slider-crank, dt = 1e-4:
  399 um with h~ = h, 112 um with h~ = 0). The half-explicit scheme is the cure; this one is kept for comparison.
*/
#include "trapezoidal.h"

typedef struct {
  const NsNode *where;
  double        step;
  int           restitution_of;
  int           free_force; /* 0 included, 1 left_out */
  int           activation; /* 0 own, 1 kept */
} NsSettings_ExplicitVelocity;

/* P = dt lambda of the contacts in `rows`, from a stage's velocity v and free acceleration a. */
static PetscErrorCode forces(
  NsScheme *scheme, PetscReal t, Vec q, Vec v, Vec a, PetscReal dt, const NsRows *rows, PetscReal *P, NsStepOutcome *outcome)
{
  const NsSettings_ExplicitVelocity *settings = scheme->settings;
  NsTrapezoidal                     *self     = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, t, q, v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactDelassus(scheme->contact, self->mass, rows, rows));
  PetscCall(NsRowsVelocity(scheme->model, rows, v, self->b));
  if (settings->free_force == 0) {
    PetscCall(NsRowsVelocity(scheme->model, rows, a, self->u0));
    for (PetscInt k = 0; k < rows->rows; k++) self->b[k] += dt * (self->u0[k] - rows->drive[k]);
  }
  PetscCall(NsContactSolve(scheme->contact, rows, self->b, NULL, NULL, P, &outcome->done));
  if (!outcome->done) PetscCall(NsStepFail(outcome, scheme, rows, "forces"));
  PetscFunctionReturn(0);
}

/* lambda1 and v1 of a step without impact. */
static PetscErrorCode smooth_end(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsSettings_ExplicitVelocity *settings = scheme->settings;
  NsTrapezoidal                     *self     = scheme->data;
  NsContact                         *contact  = scheme->contact;

  PetscFunctionBegin;
  if (settings->activation == 1) {
    const PetscInt count = NsContactList(contact, self->closed);
    PetscCall(NsModelRows(scheme->model, x->t + dt, self->q1, count, contact->active, &self->w1));
  }
  if (self->w1.rows) {
    PetscCall(VecWAXPY(self->va, dt, self->a0, x->v));
    PetscCall(forces(scheme, x->t + dt, self->q1, self->va, self->a1, dt, &self->w1, self->P1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    for (PetscInt k = 0; k < self->w1.rows; k++) self->P1[k] /= 2;
  }
  PetscCall(NsTrapezoidalApplyForces(scheme, x, dt));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_ExplicitVelocity(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  PetscInt       count;
  PetscBool      impact;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalBegin(scheme, x));
  count = NsContactList(contact, self->closed);
  if (count) {
    PetscCall(NsModelRows(scheme->model, x->t, x->q, count, contact->active, &self->w0));
    PetscCall(forces(scheme, x->t, x->q, x->v, self->a0, dt, &self->w0, self->P0, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsTrapezoidalPush(scheme, dt));
  }
  PetscCall(NsTrapezoidalPosition(scheme, x, dt, &impact, outcome));
  if (impact)
    PetscCall(NsTrapezoidalImpactStep(scheme, x, dt, outcome));
  else
    PetscCall(smooth_end(scheme, x, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsTrapezoidalFinish(scheme, x, dt));
  PetscFunctionReturn(0);
}

static const char *const free_force_choices[]     = {"included", "left_out", NULL};
static const char *const activation_choices[]     = {"own", "kept", NULL};
static const NsKey       explicit_velocity_keys[] = {
        NS_TRAPEZOIDAL_KEYS(NsSettings_ExplicitVelocity),
        {"free_force", NS_KEY_CHOICE, offsetof(NsSettings_ExplicitVelocity, free_force), .choices = free_force_choices, .standard = "left_out",
          .help = "h in the equations that fix the contact forces: included (option 1 of the paper), or left out (option 2)", .example = "included"},
        {"activation", NS_KEY_CHOICE, offsetof(NsSettings_ExplicitVelocity, activation), .choices = activation_choices, .standard = "own",
          .help = "contacts with a force at the end of a step: those closed there, or those closed at its start", .example = "kept"},
        {NULL},
};
static const NsTable explicit_velocity_table = {
  "explicit_velocity", "explicit scheme, velocity level", explicit_velocity_keys, sizeof(NsSettings_ExplicitVelocity)};

const NsVariant NsSchemeVariant_ExplicitVelocity = {
  .name  = "explicit_velocity",
  .title = "explicit, velocity level: drifts; for comparison",
  .about = "v_a = v0 + dt (a0 + M0^-1 W0 lambda0),   q1 = q0 + dt/2 (v0 + v_a),\n"
           "v1  = v0 + dt/2 (a0 + M0^-1 W0 lambda0) + dt/2 M1^-1 (h(t1, q1, v_a) + W1 lambda1) with forces that stop a stage within a step,\n"
           "0 <= W0' (v0 + dt M0^-1 (h~ + W0 lambda0)) _|_ lambda0 >= 0,   0 <= W1' (v_a + dt M1^-1 (h~ + W1 lambda1)) _|_ lambda1 >= 0,\n"
           "h~ = h (free_force: included) or 0 (left_out); in a step that closes a contact, impulses as scheme.half_explicit.\n"
           "Order 2 in flight. In contact the constraint is met on average only: contacts drift, chatter and open\n"
           "(slider-crank at dt = 1e-4 s: 399 um with h~ = h, 112 um with h~ = 0; scheme.half_explicit: 0.4 um). With h~ = 0\n"
           "a body at rest sinks with the speed g dt: its weight is no part of what its force answers.\n"
           "Stability and needs of a model as scheme.half_explicit.\n"
           "Reference: Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on\n"
           "time-discontinuous Galerkin methods, Sec. 4.",
  .table = &explicit_velocity_table,
};

const NsSchemeType NsSchemeType_ExplicitVelocity = {
  .variant = &NsSchemeVariant_ExplicitVelocity,
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "oscillates, bounded; contacts and joints lose it",
      .needs         = "",
      .reference     = "Schindler et al. Fig. 7",
    },
  .setup         = NsTrapezoidalSetup,
  .start         = NsTrapezoidalStart,
  .remember      = NsTrapezoidalRemember,
  .step          = NsSchemeStep_ExplicitVelocity,
  .amplification = NsTrapezoidalAmplification,
  .destroy       = NsTrapezoidalDestroy,
};
