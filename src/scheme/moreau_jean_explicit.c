/*
  Classic explicit Moreau-Jean scheme.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, (43)-(47):

      q1 = q0 + dt v0
      v1 = v0 + dt M0^-1 h(t0, q0, v0) + M1^-1 W1 P,   0 <= W1' v1 + e u^-  _|_  P >= 0  (and friction)
      where g(q0) + dt/2 W0' v0 <= 0;   u^- = W0' v0  as printed (`approach: start`), or W1' v0 (`approach: end`)

  Explicit Euler in free flight: order 1, and every undamped oscillation grows, x^2 + (x'/w)^2 by 1 + (w dt)^2 a step: finite elements blow up at any step, so
  they are refused unless damping makes some step stable. With u^- = W1' v0 the drift of curved constraints is a third. One percussion P a step stands for
  force and impulse together; it is reported as impulse.
*/
#include "percuss/scheme.h"

typedef struct {
  const NsNode *where;
  double        step;
  int           approach; /* 0 start, 1 end */
} NsSettings_MoreauJeanExplicit;

typedef struct {
  NsCompliance *mass; /* slot 0, A = M */
  Vec           a, q1, v1, vm;
  NsRows        w0, w1;
  PetscReal    *P, *u0, *u1;
  PetscBool    *was, *is, *newly; /* [candidates] active in the last step, in this one; [active] in this one only */
} NsScheme_MoreauJeanExplicit;

static PetscErrorCode NsSchemeSetup_MoreauJeanExplicit(NsScheme *scheme)
{
  NsScheme_MoreauJeanExplicit *self;
  const PetscInt               rows = scheme->contact->rows, candidates = scheme->contact->candidates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsVecsCreate(scheme->model, &self->a, &self->q1, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->w0));
  PetscCall(NsRowsCreate(scheme->model, &self->w1));
  PetscCall(PetscCalloc6(rows, &self->P, rows, &self->u0, rows, &self->u1, candidates, &self->was, candidates, &self->is, candidates, &self->newly));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_MoreauJeanExplicit(NsScheme *scheme)
{
  NsScheme_MoreauJeanExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsVecsDestroy(&self->a, &self->q1, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsDestroy(&self->w0));
  PetscCall(NsRowsDestroy(&self->w1));
  PetscCall(PetscFree6(self->P, self->u0, self->u1, self->was, self->is, self->newly));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_MoreauJeanExplicit(NsScheme *scheme, const NsState *state)
{
  NsScheme_MoreauJeanExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, state->t, state->q, state->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->was));
  PetscFunctionReturn(0);
}

/* Percussions of the active contacts; v1 holds v0 + dt M0^-1 h on entry. */
static PetscErrorCode percussions(NsScheme *scheme, const NsState *x, PetscReal t1, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_MoreauJeanExplicit         *self     = scheme->data;
  const NsSettings_MoreauJeanExplicit *settings = scheme->settings;
  NsContact                           *contact  = scheme->contact;
  NsModel                             *model    = scheme->model;

  PetscFunctionBegin;
  PetscCall(NsModelRows(model, x->t, x->q, count, contact->active, &self->w0));
  PetscCall(NsModelRows(model, t1, self->q1, count, contact->active, &self->w1));
  PetscCall(NsComplianceUpdate(self->mass, t1, self->q1, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsComplianceDelassus(self->mass, &self->w1, &self->w1, contact->G));
  PetscCall(NsRowsVelocity(model, settings->approach == 0 ? &self->w0 : &self->w1, x->v, self->u0));
  PetscCall(NsRowsVelocity(model, &self->w1, self->v1, self->u1));
  PetscCall(NsContactSolve(contact, &self->w1, self->u1, self->u0, NULL, self->P, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &self->w1, "percussions"));
    PetscFunctionReturn(0);
  }
  PetscCall(NsComplianceApply(self->mass, &self->w1, self->P, 1, self->v1));
  PetscCall(NsRowsVelocity(model, &self->w1, self->v1, self->u1));
  PetscCall(NsRowsVelocity(model, &self->w1, x->v, self->u0)); /* what P works on */
  PetscCall(NsContactReportImpulse(contact, scheme->ledger, &self->w1, self->P, self->u0, self->u1, self->newly));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_MoreauJeanExplicit(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_MoreauJeanExplicit *self    = scheme->data;
  NsContact                   *contact = scheme->contact;
  NsModel                     *model   = scheme->model;
  NsPower                      power;
  PetscInt                     count;

  PetscFunctionBegin;
  PetscCall(NsContactForecast(contact, x, dt / 2, &count));
  PetscCall(PetscArrayzero(self->is, contact->candidates));
  for (PetscInt i = 0; i < count; i++) {
    self->newly[i]               = self->was[contact->active[i]] ? PETSC_FALSE : PETSC_TRUE;
    self->is[contact->active[i]] = PETSC_TRUE;
  }
  PetscCall(NsModelAccel(model, x->t, x->q, x->v, self->a));
  PetscCall(VecWAXPY(self->q1, dt, x->v, x->q));
  PetscCall(VecWAXPY(self->v1, dt, self->a, x->v));
  if (count) PetscCall(percussions(scheme, x, x->t + dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(PetscArraycpy(self->was, self->is, contact->candidates));
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscCall(NsModelPower(model, x->t, x->q, x->v, self->vm, &power));
  scheme->ledger->damping += dt * power.damping;
  scheme->ledger->load += dt * power.load;
  NsStateSwap(x, &self->q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}

static void NsSchemeAmplification_MoreauJeanExplicit(const void *settings, PetscReal w, PetscReal zeta, PetscReal S[4])
{
  (void)settings;
  S[0] = 1;
  S[1] = w;
  S[2] = -w;
  S[3] = 1 - 2 * zeta * w;
}

static const char *const approach_choices[]          = {"start", "end", NULL};
static const NsKey       moreau_jean_explicit_keys[] = {
        NS_STEP_KEY(NsSettings_MoreauJeanExplicit),
        {"approach", NS_KEY_CHOICE, offsetof(NsSettings_MoreauJeanExplicit, approach), .choices = approach_choices, .standard = "start",
          .help = "directions of the velocity before the impact: those of the step's start (as in the paper), or of its end (a third of the drift)",
          .example = "end"},
        {NULL},
};
static const NsTable moreau_jean_explicit_table = {
  "moreau_jean_explicit", "classic explicit Moreau-Jean scheme", moreau_jean_explicit_keys, sizeof(NsSettings_MoreauJeanExplicit)};

const NsVariant NsSchemeVariant_MoreauJeanExplicit = {
  .name  = "moreau_jean_explicit",
  .title = "classic explicit Moreau-Jean scheme: explicit Euler, for comparison",
  .about = "q1 = q0 + dt v0,   v1 = v0 + dt M0^-1 h(t0, q0, v0) + M1^-1 W1 P,\n"
           "0 <= W1' v1 + e u^- _|_ P >= 0 where g(q0) + dt/2 W0' v0 <= 0;   u^- = W0' v0 (approach: start) or W1' v0 (end).\n"
           "Order 1 throughout. P is force and impulse in one, reported as impulse. Curved constraints drift, by 438 um\n"
           "in the slider-crank at dt = 1e-4 s, where the half-explicit scheme drifts by 0.4 um.\n"
           "Unstable at every step without damping: an oscillation of frequency w grows by 1 + (w dt)^2/2 a step. Finite\n"
           "elements are refused without --force.\n"
           "Needs of a model: accelerations and contact rows.\n"
           "Reference: Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on\n"
           "time-discontinuous Galerkin methods, (43)-(47).",
  .table = &moreau_jean_explicit_table,
};

const NsSchemeType NsSchemeType_MoreauJeanExplicit = {
  .variant       = &NsSchemeVariant_MoreauJeanExplicit,
  .setup         = NsSchemeSetup_MoreauJeanExplicit,
  .start         = NsSchemeStart_MoreauJeanExplicit,
  .step          = NsSchemeStep_MoreauJeanExplicit,
  .amplification = NsSchemeAmplification_MoreauJeanExplicit,
  .destroy       = NsSchemeDestroy_MoreauJeanExplicit,
};
