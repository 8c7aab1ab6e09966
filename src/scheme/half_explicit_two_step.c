/*
  Half-explicit scheme on velocity level with two step sizes: steps with an impact are repeated with a tenth of the length.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, Fig. 24 (the variant for MBSim). With qE = q0 + dt v0 (trapezoidal.h has the stages):

    no contact newly closed at qE:  as the half-explicit scheme, lambda0 on the contacts closed at qE, lambda1 on those closed at q1
    some contact newly closed:      the step again with ds = dt/ratio, no forces, but impulses Lambda on all contacts closed at its end:
                                    v_a = v0 + ds a0,  q1 = q0 + ds/2 (v0 + v_a),  v1 = v0 + ds/2 (a0 + M1^-1 h(q1, v_a)) + M1^-1 W1 Lambda

  As printed (`decide: once`) a contact that closes between qE and q1 gets a force in place of an impact: 5 to 6 impacts of the slider-crank are lost at
  dt = 1e-4. `decide: again` checks the contacts at q1, too, and takes the short step if some contact has closed there.
  Steps are of two lengths, so the run ends within one step of time.end.

  With e > 0 a contact hardly comes to rest: it leaves a short step's impact with e |u^-|, and the next long step finds it closing again, so that it keeps bouncing at the
  scale of dt where the half-explicit scheme has a force. The paper uses it on a rotor with e = 0.
*/
#include "trapezoidal.h"

typedef struct {
  NsTrapezoidalSettings common;
  int                   decide; /* 0 again, 1 once */
  long                  ratio;
} NsSettings_HalfExplicitTwoStep;

typedef struct {
  NsTrapezoidal common;
  NsStepClock   clock; /* the time since `since` (s) in parts of a step */
  PetscReal     since;
  PetscInt64    parts;
} NsScheme_HalfExplicitTwoStep;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_HalfExplicitTwoStep *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalDeclare(scheme, work));
  PetscCall(NsHistoryNumbers(work, "clock", sizeof(self->clock) / sizeof(PetscReal), &self->clock.step));
  PetscCall(NsHistoryNumbers(work, "since", 1, &self->since));
  PetscCall(NsHistoryCounts(work, "parts", 1, &self->parts));
  PetscFunctionReturn(0);
}

/* Contacts closed at (t, q) into self->struck[candidates], and whether some of them were open at q0. */
static PetscErrorCode look_ahead(NsScheme *scheme, PetscReal t, Vec q, PetscBool *impact)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsContactGaps(contact, t, q));
  const PetscInt count = NsTrapezoidalFlagClosed(scheme, self->struck), *closed = NsContactSelected(contact);
  *impact = PETSC_FALSE;
  for (PetscInt i = 0; i < count; i++) *impact = *impact || !self->closed[closed[i]];
  PetscFunctionReturn(0);
}

/* A step of so many short ones is done. Time is their number, not their sum, as long as dt stays what it is: no drift. */
static PetscErrorCode finish(NsScheme *scheme, NsState *x, PetscReal dt, PetscInt64 parts)
{
  const NsSettings_HalfExplicitTwoStep *settings = scheme->settings;
  NsScheme_HalfExplicitTwoStep         *self     = scheme->data;
  const PetscInt                        ratio    = (PetscInt)settings->ratio;

  PetscFunctionBegin;
  if (self->clock.step != dt) {
    self->clock = NsStepClockMake(dt);
    self->since = x->t;
    self->parts = 0;
  }
  PetscCall(NsTrapezoidalFinish(scheme, x, dt * (PetscReal)parts / ratio));
  self->parts += parts;
  x->t = self->since + NsStepClockTime(&self->clock, self->parts, ratio);
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsSettings_HalfExplicitTwoStep *settings = scheme->settings;
  NsTrapezoidal                        *self     = scheme->data;
  const PetscReal                       ds       = dt / (PetscReal)settings->ratio;
  PetscBool                             impact, late = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalBegin(scheme, x));
  PetscCall(NsModelMove(scheme->model, x->q, dt, x->v, self->q1));
  PetscCall(look_ahead(scheme, x->t + dt, self->q1, &impact));
  if (!impact) {
    PetscCall(NsTrapezoidalEulerStage(scheme, x, dt, self->hold ? self->closed : self->struck, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsTrapezoidalPosition(scheme, x, dt, &late, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  }
  if (impact || (late && settings->decide == 0)) {
    PetscCall(NsTrapezoidalRelease(scheme, dt));
    PetscCall(NsTrapezoidalPosition(scheme, x, ds, &impact, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsTrapezoidalImpactStep(scheme, x, ds, outcome));
    if (outcome->done) PetscCall(finish(scheme, x, dt, 1));
  } else {
    PetscCall(NsTrapezoidalForceStep(scheme, x, dt, outcome));
    if (outcome->done) PetscCall(finish(scheme, x, dt, settings->ratio));
  }
  PetscFunctionReturn(0);
}

static const char *const decide_choices[] = {"again", "once", NULL};

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_RESTITUTION_OF_KEY,
  NS_POSITIONS_KEY(NsTrapezoidalSettings),
  {"decide", NS_KEY_CHOICE, offsetof(NsSettings_HalfExplicitTwoStep, decide), .choices = decide_choices, .default_value = "again",
    .help = "look for newly closed contacts again at the end of the step, or once, at its Euler prediction (as in the paper)", .example = "once"},
  {"ratio", NS_KEY_INTEGER, offsetof(NsSettings_HalfExplicitTwoStep, ratio), .default_value = "10", .minimum = "1", .maximum = "1000000",
    .help = "length of a step over the length of a step with an impact", .example = "10"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_HalfExplicitTwoStep = {
  .variant =
    {
      .name  = "half_explicit_two_step",
      .title = "half-explicit on velocity level with shorter steps at impacts",
      .about =
        "As scheme.half_explicit, but a step that closes a contact is repeated with the length dt/ratio and ends with the impact. "
        "Penetration is at most the distance of a short step.\n"
        "Made for e = 0: with e > 0 contacts bounce again and again at the scale of dt, and have hardly any forces. Elastic bodies that "
        "hit repeatedly with e near 1, or steps near the critical one, gain energy without bound. scheme.moreau_jean and scheme.event_driven_hem5 conserve "
        "it. decide: once is the reference as printed: it misses impacts of contacts that close between prediction and end of a "
        "step. The run ends within one step of time.end. `every` of outputs counts short and long steps alike.\n" NS_POSITIONS_ABOUT,
      .table = &(const NsTable){"half_explicit_two_step", "half-explicit scheme with two step sizes", keys, sizeof(NsSettings_HalfExplicitTwoStep)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "oscillates; grows with e near 1, or steps near the critical one",
      .needs         = "",
      .cited         = "Schindler et al. Fig. 24",
      .step_limit    = "dt < 2/omega_max without damping; stiffness damping reduces it",
      .theory        = "schemes_velocity",
      .reference = "T. Schindler, S. Rezaei, J. Kursawe, V. Acary, Half-explicit timestepping schemes on velocity level based on time-discontinuous "
                   "Galerkin methods, Fig. 24",
    },
  .laws          = NS_LAWS,
  .size          = sizeof(NsScheme_HalfExplicitTwoStep),
  .declare       = declare,
  .start         = NsTrapezoidalStart,
  .step          = step,
  .varies        = PETSC_TRUE,
  .amplification = NsTrapezoidalAmplification,
};
