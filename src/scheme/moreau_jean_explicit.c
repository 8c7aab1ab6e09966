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
#include "percussion.h"

typedef struct {
  const NsNode *where;
  double        step;
  int           approach; /* 0 start, 1 end */
} NsSettings_MoreauJeanExplicit;

typedef struct {
  NsPercussion p; /* slot 0, A = M; rows at q1 */
  Vec          a, q1;
  NsRows       w0; /* at q0 */
} NsScheme_MoreauJeanExplicit;

static PetscErrorCode NsSchemeSetup_MoreauJeanExplicit(NsScheme *scheme)
{
  NsScheme_MoreauJeanExplicit *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsPercussionCreate(scheme, 0, &self->p));
  PetscCall(NsVecsCreate(scheme->model, &self->a, &self->q1, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->w0));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_MoreauJeanExplicit(NsScheme *scheme)
{
  NsScheme_MoreauJeanExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionDestroy(&self->p));
  PetscCall(NsVecsDestroy(&self->a, &self->q1, NULL));
  PetscCall(NsRowsDestroy(&self->w0));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_MoreauJeanExplicit(NsScheme *scheme, const NsState *state)
{
  NsScheme_MoreauJeanExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionStart(scheme, &self->p, state, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_MoreauJeanExplicit(NsScheme *scheme, NsMemory *memory)
{
  PetscFunctionBegin;
  NsPercussionRemember(scheme, &((NsScheme_MoreauJeanExplicit *)scheme->data)->p, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_MoreauJeanExplicit(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_MoreauJeanExplicit         *self     = scheme->data;
  const NsSettings_MoreauJeanExplicit *settings = scheme->settings;
  NsPercussion                        *p        = &self->p;
  NsContact                           *contact  = scheme->contact;
  NsModel                             *model    = scheme->model;
  const PetscReal                      t1       = x->t + dt;
  PetscInt                             count;

  PetscFunctionBegin;
  PetscCall(NsContactForecast(contact, x, dt / 2, &count));
  PetscCall(NsPercussionActivate(scheme, p, count));
  PetscCall(NsModelAccel(model, x->t, x->q, x->v, self->a));
  PetscCall(VecWAXPY(self->q1, dt, x->v, x->q));
  PetscCall(VecWAXPY(p->v1, dt, self->a, x->v));
  if (count) {
    PetscCall(NsModelRows(model, x->t, x->q, count, contact->active, &self->w0));
    PetscCall(NsModelRows(model, t1, self->q1, count, contact->active, &p->w));
    PetscCall(NsComplianceUpdate(p->compliance, t1, self->q1, x->v, (NsOperator){1, 0, 0}));
    PetscCall(NsRowsVelocity(model, settings->approach == 0 ? &self->w0 : &p->w, x->v, p->u0));
    PetscCall(NsPercussionSolve(scheme, p, p->u0, p->v1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  }
  PetscCall(NsPercussionBook(scheme, p, x->v, x->t, x->q, x->v, dt));
  PetscCall(NsPercussionFinish(scheme, p, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static void NsSchemeAmplification_MoreauJeanExplicit(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
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
  .variant = &NsSchemeVariant_MoreauJeanExplicit,
  .sheet =
    {
      .order         = 1,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "grows: refused on finite elements",
      .needs         = "",
      .reference     = "Schindler et al. (43)-(47)",
    },
  .setup         = NsSchemeSetup_MoreauJeanExplicit,
  .start         = NsSchemeStart_MoreauJeanExplicit,
  .remember      = NsSchemeRemember_MoreauJeanExplicit,
  .step          = NsSchemeStep_MoreauJeanExplicit,
  .amplification = NsSchemeAmplification_MoreauJeanExplicit,
  .destroy       = NsSchemeDestroy_MoreauJeanExplicit,
};
