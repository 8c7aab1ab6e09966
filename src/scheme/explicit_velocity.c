/*
  Explicit scheme on velocity level, forecasting trapezoidal rule.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, Sec. 4, Fig. 7 (trapezoidal.h has the stages): forces make the contact velocity of a stage zero within a step, all at the position of that stage,

    lambda0:  0 <= W0' (v0  + dt M0^-1 (h~0 + W0 lambda0))  _|_  lambda0 >= 0  (and friction)   on the contacts closed at q0
    lambda1:  0 <= W1' (v_a + dt M1^-1 (h~1 + W1 lambda1))  _|_  lambda1 >= 0                   on those closed at q1
    h~ = h (`free_force: included`, option 1) or 0 (`left_out`, option 2);

  impulses as the half-explicit scheme: all closed contacts, where some contact is newly closed at q1.
  `activation: kept`: lambda1 acts on the contacts closed at q0, whatever the gaps at q1 say.

  Both forces aim at the end of a whole step but act over half of one each: the constraint is satisfied on average only, and drifts (published_slider_crank
  prints how far). For comparison with the half-explicit scheme.
*/
#include "trapezoidal.h"

typedef struct {
  NsTrapezoidalSettings common;
  int                   free_force; /* 0 included, 1 left_out */
  int                   activation; /* 0 own, 1 kept */
} NsSettings_ExplicitVelocity;

/* P = dt lambda of the contacts in the stage's rows. */
static PetscErrorCode forces(NsScheme *scheme, const NsTrapezoidalStage *stage, NsStepOutcome *outcome)
{
  const NsState                     *at       = &stage->at;
  const NsRows                      *rows     = stage->rows;
  const NsSettings_ExplicitVelocity *settings = scheme->settings;
  NsTrapezoidal                     *self     = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, at->t, at->q, at->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactDelassus(scheme->contact, self->mass, rows, rows));
  PetscCall(NsRowsVelocity(scheme->model, rows, at->v, self->b));
  if (settings->free_force == 0) {
    PetscCall(NsRowsVelocity(scheme->model, rows, stage->a, self->u0));
    for (PetscInt k = 0; k < rows->rows; k++) self->b[k] += stage->tau * (self->u0[k] - rows->drive[k]);
  }
  PetscCall(NsContactSolve(scheme->contact, rows, self->b, NULL, NULL, stage->P, &outcome->done));
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
    PetscCall(NsModelRows(scheme->model, x->t + dt, self->q1, count, NsContactSelected(contact), &self->w1));
  }
  if (self->w1.rows) {
    PetscCall(VecWAXPY(self->va, dt, self->a0, x->v));
    PetscCall(forces(scheme, &(NsTrapezoidalStage){{x->t + dt, self->q1, self->va}, self->a1, dt, &self->w1, self->P1}, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    for (PetscInt k = 0; k < self->w1.rows; k++) self->P1[k] /= 2;
  }
  PetscCall(NsTrapezoidalApplyForces(scheme, x, dt));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;
  PetscInt       count;
  PetscBool      impact;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalBegin(scheme, x));
  count = NsContactList(contact, self->closed);
  if (count) {
    PetscCall(NsModelRows(scheme->model, x->t, x->q, count, NsContactSelected(contact), &self->w0));
    PetscCall(forces(scheme, &(NsTrapezoidalStage){*x, self->a0, dt, &self->w0, self->P0}, outcome));
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

static const char *const free_force_choices[] = {"included", "left_out", NULL};
static const char *const activation_choices[] = {"own", "kept", NULL};

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_RESTITUTION_OF_KEY,
  {"free_force", NS_KEY_CHOICE, offsetof(NsSettings_ExplicitVelocity, free_force), .choices = free_force_choices, .default_value = "left_out",
    .help    = "forces h of the model in the equations for the contact forces: included (option 1 of the paper), or left out (option 2)",
    .example = "included"},
  {"activation", NS_KEY_CHOICE, offsetof(NsSettings_ExplicitVelocity, activation), .choices = activation_choices, .default_value = "own",
    .help = "contacts with a force at the end of a step: those closed there, or those closed at its start", .example = "kept"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_ExplicitVelocity = {
  .variant =
    {
      .name  = "explicit_velocity",
      .title = "explicit on velocity level: drifts; for comparison",
      .about =
        "As scheme.half_explicit, but each contact force makes the contact velocity of its stage zero within a whole step, and acts for half a "
        "step. The constraint is satisfied on average only: contacts drift, chatter and open, and many impacts lose most of the energy (limits.energy warns). With free_force: left_out a body at rest sinks "
        "slowly, because the forces do not balance its weight.\n",
      .table = &(const NsTable){"explicit_velocity", "explicit scheme, velocity level", keys, sizeof(NsSettings_ExplicitVelocity)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "oscillates, bounded; joints decrease it; e near 1 increases it",
      .needs         = "",
      .cited         = "Schindler et al. Fig. 7",
      .step_limit    = "dt < 2/omega_max without damping; stiffness damping reduces it",
      .theory        = "schemes_velocity",
      .reference = "T. Schindler, S. Rezaei, J. Kursawe, V. Acary, Half-explicit timestepping schemes on velocity level based on time-discontinuous "
                   "Galerkin methods, Sec. 4, Fig. 7",
    },
  .laws          = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH,
  .size          = sizeof(NsTrapezoidal),
  .declare       = NsTrapezoidalDeclare,
  .start         = NsTrapezoidalStart,
  .step          = step,
  .amplification = NsTrapezoidalAmplification,
};
