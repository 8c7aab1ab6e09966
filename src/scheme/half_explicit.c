/*
  Half-explicit scheme on velocity level, forecasting trapezoidal rule.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, Fig. 9. From (q0, v0) at t0 to (q1, v1) at t1 = t0 + dt (trapezoidal.h has the stages):

    1. a0 = M0^-1 h(t0, q0, v0);  closed contacts (g(q0) <= 0): force lambda0 with
       v_a = v0 + dt (a0 + M0^-1 W0 lambda0),   0 <= W(q0 + dt v0)' v_a  _|_  lambda0 >= 0   (and friction)
    2. q1 = q0 + dt/2 (v0 + v_a)
    3. no contact newly closed at q1: force lambda1 on the closed ones,
       v1 = v0 + dt/2 (a0 + M0^-1 W0 lambda0) + dt/2 M1^-1 (h(t1, q1, v_a) + W1 lambda1),   0 <= W1' v1  _|_  lambda1 >= 0
    4. some contact newly closed (open at q0, closed at q1): no forces, but impulses Lambda on all closed contacts,
       v^- = v0 + dt/2 (a0 + M1^-1 h(t1, q1, v_a)),   v1 = v^- + M1^-1 W1 Lambda,   impact law with v^-

  By default (`restitution_of: newly_closed`) restitution acts on the newly closed contacts only, and impulses on those that the impact reaches through the Delassus
  matrix: a resting contact in a neighbour's impact would otherwise bounce on its own round-off velocity, and bodies that do not touch each other do not affect each other. `all_closed` is the paper's rule: every closed contact, anywhere, takes part with its restitution.

  `decide` selects one of the variants of Sec. 5.2, where the stages are those of a half-explicit Runge-Kutta method:
    at_end          Fig. 9, as above
    at_prediction   newly closed is judged at q0 + dt v0, the stage's own position; lambda1 or Lambda act on what is closed at q1
    always          as printed: lambda1 in every step, and then the impact equations where some contact is newly closed. lambda1 has absorbed the impact by
                    then, so that restitution has no effect. For comparison.

  Cost: two accelerations, at most two local problems, no other solve.
*/
#include "trapezoidal.h"

typedef struct {
  NsTrapezoidalSettings common;
  int                   decide; /* 0 at_end, 1 at_prediction, 2 always */
} NsSettings_HalfExplicit;

enum { AT_END, AT_PREDICTION, ALWAYS };

/* `decide: at_prediction`: whether some contact is newly closed at q0 + dt v0; before the step has a q1. */
static PetscErrorCode decide_at_prediction(NsScheme *scheme, const NsState *x, PetscReal dt, PetscBool *impact)
{
  NsTrapezoidal *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsModelMove(scheme->model, x->q, dt, x->v, self->q1));
  PetscCall(NsContactGaps(contact, x->t + dt, self->q1));
  const PetscInt count = NsTrapezoidalFlagClosed(scheme, self->closed1), *closed = NsContactSelected(contact);
  *impact = PETSC_FALSE;
  for (PetscInt i = 0; i < count; i++) *impact = *impact || !self->closed[closed[i]];
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsSettings_HalfExplicit *settings = scheme->settings;
  NsTrapezoidal                 *self     = scheme->data;
  PetscBool                      impact, foreseen = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsTrapezoidalBegin(scheme, x));
  if (settings->decide == AT_PREDICTION) PetscCall(decide_at_prediction(scheme, x, dt, &foreseen));
  PetscCall(NsTrapezoidalEulerStage(scheme, x, dt, self->closed, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsTrapezoidalPosition(scheme, x, dt, &impact, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  if (settings->decide == AT_PREDICTION) impact = foreseen;
  if (!impact || settings->decide == ALWAYS)
    PetscCall(NsTrapezoidalForceStep(scheme, x, dt, outcome));
  else if (settings->decide == AT_PREDICTION || settings->common.restitution_of == 1)
    PetscCall(NsTrapezoidalImpactStep(scheme, x, dt, outcome));
  else
    PetscCall(NsTrapezoidalNewlyStep(scheme, x, dt, outcome));
  if (outcome->done && impact && settings->decide == ALWAYS) PetscCall(NsTrapezoidalImpact(scheme, outcome));
  if (outcome->done) PetscCall(NsTrapezoidalFinish(scheme, x, dt));
  PetscFunctionReturn(0);
}

static const char *const decide_choices[] = {"at_end", "at_prediction", "always", NULL};

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_RESTITUTION_OF_KEY,
  NS_POSITIONS_KEY(NsTrapezoidalSettings),
  {"decide", NS_KEY_CHOICE, offsetof(NsSettings_HalfExplicit, decide), .choices = decide_choices, .default_value = "at_end",
    .help =
      "where contacts are found to be newly closed: at the end of the step, or at its Euler prediction; always: impacts after forces in every step",
    .example = "at_prediction"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_HalfExplicit = {
  .variant =
    {
      .name  = "half_explicit",
      .title = "half-explicit on velocity level: contact forces and impact impulses are separate, order 2 in flight",
      .about = "Forecasting trapezoidal rule. Closed contacts have forces that keep their velocity at zero; in a step that closes a contact, "
               "impulses with the impact law act at its end instead. The first choice for most models.\n"
               "Lasting contact is of order 2, too, with joints and friction. Contact velocities are zero to rounding while closed; positions "
               "drift on curved contacts only, which positions: held removes. Penetration at an impact is at most the distance of one step.\n"
               "Elastic bodies that hit repeatedly with e near 1 gain energy if steps are long. scheme.moreau_jean and scheme.event_driven_hem5 "
               "conserve the energy.\n"
               "decide: at_prediction and always are variants of the reference. With always, forces absorb the impact and restitution has "
               "no effect.\n" NS_POSITIONS_ABOUT,
      .table = &(const NsTable){"half_explicit", "half-explicit scheme, velocity level", keys, sizeof(NsSettings_HalfExplicit)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "oscillates, bounded; e near 1 increases it with long steps",
      .needs         = "",
      .cited         = "Schindler et al. Fig. 9",
      .step_limit    = "dt < 2/omega_max without damping; stiffness damping reduces it",
      .theory        = "schemes_velocity",
      .reference = "T. Schindler, S. Rezaei, J. Kursawe, V. Acary, Half-explicit timestepping schemes on velocity level based on time-discontinuous "
                   "Galerkin methods, Fig. 9, Sec. 5.2",
    },
  .laws          = NS_LAWS,
  .size          = sizeof(NsTrapezoidal),
  .declare       = NsTrapezoidalDeclare,
  .start         = NsTrapezoidalStart,
  .step          = step,
  .amplification = NsTrapezoidalAmplification,
};
