/*
  Classic explicit Moreau-Jean scheme.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, (43)-(47):

      q1 = q0 + dt v0
      v1 = v0 + dt M0^-1 h(t0, q0, v0) + M1^-1 W1 P,   0 <= W1' v1 + e u^-  _|_  P >= 0  (and friction)
      where g(q0) + dt/2 W0' v0 <= 0;   u^- = W0' v0  as printed (`approach: start`), or W1' v0 (`approach: end`)

  Explicit Euler in free flight: order 1, and every undamped oscillation grows, x^2 + (x'/w)^2 by 1 + (w dt)^2 per step: finite elements are unstable at any step, so
  they are refused unless damping makes some step stable. With u^- = W1' v0 the drift of curved constraints is a third. One percussion P per step contains
  force and impulse; it is reported as impulse.
*/
#include "percussion.h"

typedef struct {
  NsSchemeSettings scheme;
  int              approach; /* 0 start, 1 end */
} NsSettings_MoreauJeanExplicit;

typedef struct {
  NsPercussion p; /* slot 0, A = M; rows at q1 */
  Vec          a, q1;
  NsRows       w0; /* at q0 */
} NsScheme_MoreauJeanExplicit;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_MoreauJeanExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionDeclare(scheme, work, 0, PETSC_FALSE));
  PetscCall(NsWorkVecs(work, &self->a, &self->q1, NULL));
  PetscCall(NsWorkRows(work, &self->w0, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode start(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(NsPercussionStart(scheme, state, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
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
  PetscCall(NsPercussionActivate(scheme, count));
  PetscCall(NsModelAccel(model, x->t, x->q, x->v, self->a));
  PetscCall(NsModelMove(model, x->q, dt, x->v, self->q1));
  PetscCall(VecWAXPY(p->v1, dt, self->a, x->v));
  if (count) {
    PetscCall(NsModelRows(model, x->t, x->q, count, NsContactSelected(contact), &self->w0));
    PetscCall(NsModelRows(model, t1, self->q1, count, NsContactSelected(contact), &p->w));
    PetscCall(NsComplianceUpdate(p->compliance, t1, self->q1, x->v, (NsOperator){1, 0, 0}));
    PetscCall(NsRowsVelocity(model, settings->approach == 0 ? &self->w0 : &p->w, x->v, p->u0));
    PetscCall(NsPercussionSolve(scheme, p->u0, p->v1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  }
  PetscCall(NsPercussionBook(scheme, x->v, x->t, x->q, x->v, dt));
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static void amplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  (void)settings;
  S[0] = 1;
  S[1] = w;
  S[2] = -w;
  S[3] = 1 - 2 * zeta * w;
}

static const char *const approach_choices[] = {"start", "end", NULL};

/* Forces of a step are those of its beginning. */
static PetscReal stands(const void *settings)
{
  (void)settings;
  return 0;
}

static const NsKey keys[] = {
  NS_STEP_KEY,
  {"approach", NS_KEY_CHOICE, offsetof(NsSettings_MoreauJeanExplicit, approach), .choices = approach_choices, .default_value = "start",
    .help =
      "contact directions with which the velocity before the impact is computed: those at the start of the step (as in the paper), or those at its end (which reduces the drift to a third)",
    .example = "end"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_MoreauJeanExplicit = {
  .variant =
    {
      .name  = "moreau_jean_explicit",
      .title = "classic explicit Moreau-Jean scheme: explicit Euler; for comparison",
      .about = "A step of free motion with the old velocity, and one percussion at its end. The percussion P contains force and "
               "impulse; it is reported as impulse, and P/dt is the force while contact lasts.\n"
               "Curved contacts drift; approach: end reduces that to a third. Every undamped vibration grows: finite elements are refused "
               "without --force.\n",
      .table = &(const NsTable){"moreau_jean_explicit", "classic explicit Moreau-Jean scheme", keys, sizeof(NsSettings_MoreauJeanExplicit)},
    },
  .sheet =
    {
      .order         = 1,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "grows: refused on finite elements",
      .needs         = "",
      .cited         = "Schindler et al. (43)-(47)",
      .step_limit    = "unstable at any dt without damping",
      .theory        = "schemes_velocity",
      .reference = "T. Schindler, S. Rezaei, J. Kursawe, V. Acary, Half-explicit timestepping schemes on velocity level based on time-discontinuous "
                   "Galerkin methods, (43)-(47)",
    },
  .laws          = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH | NS_LAW_JOINT | NS_LAW_RESISTANCE,
  .size          = sizeof(NsScheme_MoreauJeanExplicit),
  .declare       = declare,
  .start         = start,
  .step          = step,
  .stands        = stands,
  .amplification = amplification,
};
