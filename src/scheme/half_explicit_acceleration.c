/*
  Half-explicit scheme on acceleration level, forecasting trapezoidal rule, without friction.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, Sec. 3, Fig. 4 (trapezoidal.h has the stages):

    lambda0 at (q0, v0) and lambda1 at (q1, v_a) from   gddot = (dW'/dt) v + W' M^-1 (h + W lambda),   0 <= gddot  _|_  lambda >= 0
    on the contacts that are closed and do not open: g <= 0 and gdot <= 0, where a rate of 1e-12 of the largest velocity is rounding and counts as 0;
    impulses as the half-explicit scheme on velocity level: all closed contacts, where some contact is newly closed at q1.

  Nothing keeps gdot = 0, so closed contacts drift (published_slider_crank prints how far). The first of its family, for comparison.
*/
#include "trapezoidal.h"

#define NS_STILL 1e-12 /* of the largest velocity: an impact with e = 0 leaves a rate of this size or less, of either sign */

static const char *refuses(const NsModel *model, const void *settings)
{
  (void)settings;
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (model->candidate[i].directions > 1) return "friction is not supported on acceleration level; half_explicit supports it";
  }
  return model->candidates && !model->contact.rowrate ? "it needs the rates of the contact rows, which this model does not give (rowrate)" : NULL;
}

/*
  P = tau lambda of those of the contacts in the selection (all closed) that do not open; joints always take part. The stage's rows are theirs on return.
*/
static PetscErrorCode forces(NsScheme *scheme, const NsTrapezoidalStage *stage, PetscInt closed, NsStepOutcome *outcome)
{
  NsTrapezoidal  *self    = scheme->data;
  NsContact      *contact = scheme->contact;
  NsModel        *model   = scheme->model;
  NsRows         *rows    = stage->rows;
  const PetscReal t       = stage->at.t;
  const Vec       q = stage->at.q, v = stage->at.v;
  PetscInt        count = 0;
  PetscReal       fastest;

  PetscFunctionBegin;
  rows->contacts = rows->rows = 0;
  if (!closed) PetscFunctionReturn(0);
  PetscCall(NsModelLargest(model, v, &fastest));
  PetscCall(NsModelRows(model, t, q, closed, NsContactSelected(contact), rows));
  PetscCall(NsRowsVelocity(model, rows, v, self->u0));
  for (PetscInt i = 0; i < closed; i++) {
    const PetscInt k = NsContactSelected(contact)[i];
    if (model->candidate[k].bilateral || self->u0[rows->start[i]] <= NS_STILL * fastest) NsContactSelected(contact)[count++] = k;
  }
  PetscCall(NsModelRows(model, t, q, count, NsContactSelected(contact), rows));
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsComplianceUpdate(self->mass, t, q, v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactDelassus(contact, self->mass, rows, rows));
  PetscCall(NsModelRowrate(model, t, q, v, rows, self->b));
  PetscCall(NsRowsVelocity(model, rows, stage->a, self->u0));
  for (PetscInt k = 0; k < rows->rows; k++) self->b[k] = stage->tau * (self->b[k] + self->u0[k] - rows->drive[k]);
  PetscCall(NsContactSolve(contact, rows, self->b, NULL, NULL, stage->P, &outcome->done));
  if (!outcome->done) PetscCall(NsStepFail(outcome, scheme, rows, "forces"));
  PetscFunctionReturn(0);
}

/* lambda1 and v1 of a step without impact. */
static PetscErrorCode smooth_end(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsTrapezoidal           *self  = scheme->data;
  const NsTrapezoidalStage stage = {{x->t + dt, self->q1, self->va}, self->a1, dt / 2, &self->w1, self->P1};

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->va, dt, self->a0, x->v));
  PetscCall(forces(scheme, &stage, self->w1.contacts, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
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
  PetscCall(forces(scheme, &(NsTrapezoidalStage){*x, self->a0, dt, &self->w0, self->P0}, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsTrapezoidalPush(scheme, dt));
  PetscCall(NsTrapezoidalPosition(scheme, x, dt, &impact, outcome));
  if (impact)
    PetscCall(NsTrapezoidalImpactStep(scheme, x, dt, outcome));
  else
    PetscCall(smooth_end(scheme, x, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsTrapezoidalFinish(scheme, x, dt));
  PetscFunctionReturn(0);
}

static const NsKey keys[] = {NS_STEP_KEY, NS_RESTITUTION_OF_KEY, NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_HalfExplicitAcceleration = {
  .variant =
    {
      .name  = "half_explicit_acceleration",
      .title = "half-explicit on acceleration level: no friction, drifts; for comparison",
      .about = "As scheme.half_explicit, but contact forces keep the acceleration of closed contacts at zero. Nothing keeps their velocity at "
               "zero: closed contacts and joints drift.\n",
      .table = &(const NsTable){"half_explicit_acceleration", "half-explicit scheme, acceleration level", keys, sizeof(NsTrapezoidalSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "acceleration",
      .energy        = "oscillates, bounded; e near 1 increases it with long steps",
      .needs         = "rates of contact rows, no friction",
      .cited         = "Schindler et al. Fig. 4",
      .step_limit    = "dt < 2/omega_max without damping; stiffness damping reduces it",
      .theory        = "schemes_velocity",
      .reference = "T. Schindler, S. Rezaei, J. Kursawe, V. Acary, Half-explicit timestepping schemes on velocity level based on time-discontinuous "
                   "Galerkin methods, Sec. 3, Fig. 4",
    },
  .refuses       = refuses,
  .laws          = NS_LAW_APPROACH | NS_LAW_TWO_PHASE,
  .size          = sizeof(NsTrapezoidal),
  .declare       = NsTrapezoidalDeclare,
  .start         = NsTrapezoidalStart,
  .step          = step,
  .amplification = NsTrapezoidalAmplification,
};
