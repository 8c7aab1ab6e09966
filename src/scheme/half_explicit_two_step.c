/*
  Half-explicit scheme on velocity level with two step sizes: steps with an impact are taken again, a tenth as long.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, Fig. 24 (the variant for MBSim). With qE = q0 + dt v0 (trapezoidal.h has the stages):

    no contact newly closed at qE:  as the half-explicit scheme, lambda0 on the contacts closed at qE, lambda1 on those closed at q1
    some contact newly closed:      the step again with ds = dt/ratio, no forces, but impulses Lambda on all contacts closed at its end:
                                    v_a = v0 + ds a0,  q1 = q0 + ds/2 (v0 + v_a),  v1 = v0 + ds/2 (a0 + M1^-1 h(q1, v_a)) + M1^-1 W1 Lambda

  As printed (`decide: once`) a contact that closes between qE and q1 gets a force in place of an impact: 5 to 6 impacts of the slider-crank are lost at
  dt = 1e-4. `decide: again` looks again at q1, and takes the short step if some contact has closed there.
  Steps are of two lengths, so the end of the run is met within one step only.

  With e > 0 a contact hardly settles: it leaves a short step's impact with e |u^-|, and the next long step finds it closing again, so that it goes on bouncing at the
  scale of dt where the half-explicit scheme has a force. The paper uses it on a rotor with e = 0.
*/
#include "trapezoidal.h"

typedef struct {
  const NsNode *where;
  double        step;
  int           restitution_of;
  int           positions; /* 0 free, 1 held */
  int           decide;    /* 0 again, 1 once */
  long          ratio;
} NsSettings_HalfExplicitTwoStep;

/* Contacts closed at (t, q) into self->struck[candidates], and whether some of them were open at q0. */
static PetscErrorCode look_ahead(NsScheme *scheme, PetscReal t, Vec q, PetscBool *impact)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  *impact = PETSC_FALSE;
  PetscCall(NsContactGaps(contact, t, q));
  for (PetscInt k = 0; k < contact->nears; k++) {
    const PetscInt i = contact->near[k];
    self->struck[i]  = NsTrapezoidalIsClosed(scheme, i);
    *impact          = *impact || (self->struck[i] && !self->closed[i]) ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

/* A step of so many short ones is done. Time is their number, not their sum, as long as dt stays what it is: no drift. */
static PetscErrorCode finish(NsScheme *scheme, NsState *x, PetscReal dt, PetscInt64 parts)
{
  const NsSettings_HalfExplicitTwoStep *settings = scheme->settings;
  NsTrapezoidal                        *self     = scheme->data;
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

static PetscErrorCode NsSchemeSetup_HalfExplicitTwoStep(NsScheme *scheme)
{
  PetscFunctionBegin;
  PetscCall(NsTrapezoidalSetup(scheme));
  if (((const NsSettings_HalfExplicitTwoStep *)scheme->settings)->positions) PetscCall(NsTrapezoidalHold(scheme));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_HalfExplicitTwoStep(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsSettings_HalfExplicitTwoStep *settings = scheme->settings;
  NsTrapezoidal                        *self     = scheme->data;
  const PetscReal                       ds       = dt / (PetscReal)settings->ratio;
  PetscBool                             impact, late = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalBegin(scheme, x));
  PetscCall(VecWAXPY(self->q1, dt, x->v, x->q));
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

static const char *const decide_choices[]              = {"again", "once", NULL};
static const NsKey       half_explicit_two_step_keys[] = {
        NS_TRAPEZOIDAL_KEYS(NsSettings_HalfExplicitTwoStep),
        NS_POSITIONS_KEY(NsSettings_HalfExplicitTwoStep),
        {"decide", NS_KEY_CHOICE, offsetof(NsSettings_HalfExplicitTwoStep, decide), .choices = decide_choices, .standard = "again",
          .help = "look for newly closed contacts again at the end of the step, or once, at its Euler prediction (as in the paper)", .example = "once"},
        {"ratio", NS_KEY_INTEGER, offsetof(NsSettings_HalfExplicitTwoStep, ratio), .standard = "10", .minimum = "1", .maximum = "1000000",
          .help = "how much shorter a step with an impact is", .example = "10"},
        {NULL},
};
static const NsTable half_explicit_two_step_table = {
  "half_explicit_two_step", "half-explicit scheme with two step sizes", half_explicit_two_step_keys, sizeof(NsSettings_HalfExplicitTwoStep)};

const NsVariant NsSchemeVariant_HalfExplicitTwoStep = {
  .name  = "half_explicit_two_step",
  .title = "half-explicit, velocity level, with shorter steps at impacts",
  .about = "The half-explicit scheme; a step that closes a contact is taken again with ds = dt/ratio, and ends in the impact:\n"
           "v1 = v0 + ds/2 (a0 + M1^-1 h(q1, v_a)) + M1^-1 W1 Lambda.\n"
           "Order 2 in flight and in contact, order 1 in impact times, with the error of the short step; penetration is\n"
           "at most ds |u^-|. Made for e = 0: with e > 0 contacts go on bouncing at the scale of dt, and little is seen\n"
           "of their forces.\n"
           "Elastic bodies that hit with e near 1 gain energy, a little with each impact and without bound over many: a lumped bar\n"
           "between two walls (configs/bar_between_walls.yaml, e = 1, steps of 0.5 us) blows up within thirty flights; with steps near\n"
           "the limit they do with any e: a truss on its feet, at 0.8 of it, in a second. Shorter steps gain less;\n"
           "scheme.moreau_jean and scheme.event_driven_hem5 keep it.\n" NS_POSITIONS_ABOUT
           "decide: once is the reference as printed: it loses impacts of contacts that close between prediction and end\n"
           "of a step.\n"
           "Stability, joints and needs of a model as scheme.half_explicit. The end of the run is met within one step;\n"
           "outputs count steps, short and long ones alike.\n"
           "Reference: Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on\n"
           "time-discontinuous Galerkin methods, Fig. 24.",
  .table = &half_explicit_two_step_table,
};

const NsSchemeType NsSchemeType_HalfExplicitTwoStep = {
  .variant = &NsSchemeVariant_HalfExplicitTwoStep,
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "oscillates; grows with e near 1, or steps near the limit",
      .needs         = "",
      .reference     = "Schindler et al. Fig. 24",
    },
  .setup         = NsSchemeSetup_HalfExplicitTwoStep,
  .start         = NsTrapezoidalStart,
  .remember      = NsTrapezoidalRemember,
  .step          = NsSchemeStep_HalfExplicitTwoStep,
  .varies        = PETSC_TRUE,
  .amplification = NsTrapezoidalAmplification,
  .destroy       = NsTrapezoidalDestroy,
};
