/*
  Projection and activation: contacts are active because they would penetrate, and hold both on positions and on velocities at the end of the step.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, "a projection/activation scheme".

      I = joints
      repeat:  v1, q as the theta scheme (theta.h) with the contacts of I:   0 <= W'v1 + e u^-  _|_  P >= 0  (and friction)
               q1 = q + M(q0)^-1 W(q1) tau,   g(q1) = 0 on I                 an equation: tau has any sign
               I  = I and every contact with g(q1) <= 0
      until nothing is added

  `variant: corrected` takes W at the projected q1 and u^- = min(0, W(q0)'v0); q1 and v1 are then found together, by rounds of Newton's method. `printed` takes W and u^- as
  the theta scheme does: on curved constraints the velocity misses W(q1)'v1 = 0 by O(dt), and a contact that opens, u0 > 0, but is brought back within the step, ends with
  -e u0: it re-enters. A gap up to 1e-12 of the model's length closes a contact: those of bodies that touch are rounding.

  More contacts than can be closed at once (the fourth foot of a table) are held by 0 <= g _|_ tau >= 0 instead.

  At the end of each step: no penetration, W(q1)'v1 >= 0 where g = 0, and W(q1)'v1 = 0 at joints, to rounding. I grew once in a step of
  every config tried, and can as often as there are contacts. Reports have W(q1)'v0 as the velocity before, whose work is the impact's: on curved contacts it is u^- but
  for O(dt). A contact that opens, but is brought back within the step, ends with u1 = 0, and its percussion works: an elastic bar with e = 1 gains 1e-4 of its energy.
*/
#include "position.h"
#include "rounds.h"
#include "theta.h"

typedef struct {
  const NsNode *where;
  double        step, theta;
  int           variant;
} NsSettings_ProjectionCombined;

enum { CORRECTED, PRINTED };

typedef struct {
  NsTheta       theta;
  NsPosition    position;
  NsCompliance *mass; /* slot 0, M */
  PetscBool    *in;   /* [candidates] I */
  PetscInt64    most; /* velocity problems in a step */
  Vec           q1, next;
  NsRows        pressed;       /* normals of what is pressed, and joints */
  PetscInt     *list;          /* [candidates] of these */
  PetscReal    *miss, *settle; /* [rows] their velocities, and what these take */
} NsScheme_ProjectionCombined;

static PetscErrorCode NsSchemeSetup_ProjectionCombined(NsScheme *scheme)
{
  const NsSettings_ProjectionCombined *settings = scheme->settings;
  NsScheme_ProjectionCombined         *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsThetaSetup(scheme, settings->variant == CORRECTED, &self->theta));
  PetscCall(NsPositionCreate(scheme->contact, &self->position));
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsRowsCreate(scheme->model, &self->pressed));
  PetscCall(PetscCalloc4(scheme->contact->candidates, &self->in, scheme->contact->candidates, &self->list, scheme->contact->rows, &self->miss,
    scheme->contact->rows, &self->settle));
  self->position.held = self->in;
  PetscCall(NsVecsCreate(scheme->model, &self->q1, &self->next, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_ProjectionCombined(NsScheme *scheme)
{
  NsScheme_ProjectionCombined *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaDestroy(&self->theta));
  PetscCall(NsPositionDestroy(&self->position));
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsRowsDestroy(&self->pressed));
  PetscCall(PetscFree4(self->in, self->list, self->miss, self->settle));
  PetscCall(NsVecsDestroy(&self->q1, &self->next, NULL));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode update_metric(NsScheme_ProjectionCombined *self, const NsState *x)
{
  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_ProjectionCombined(NsScheme *scheme, const NsState *state)
{
  NsScheme_ProjectionCombined *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaStart(scheme, &self->theta, state));
  PetscCall(update_metric(self, state));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_ProjectionCombined(NsScheme *scheme, NsMemory *memory)
{
  NsScheme_ProjectionCombined *self = scheme->data;

  PetscFunctionBegin;
  NsPercussionRemember(scheme, &self->theta.p, memory);
  NsMemoryLong(memory, "most", &self->most);
  PetscFunctionReturn(0);
}

/* u^- of the active contacts into p.u0. */
static PetscErrorCode approach(NsScheme *scheme, const NsState *x, PetscInt count)
{
  NsPercussion *p = &((NsScheme_ProjectionCombined *)scheme->data)->theta.p;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, x->t, x->q, count, scheme->contact->active, &p->w));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
  for (PetscInt i = 0; i < count; i++) p->u0[p->w.start[i]] = PetscMin(0, p->u0[p->w.start[i]]);
  PetscFunctionReturn(0);
}

/* Local problems are solved to 1e-12 of their impulses, which are large where normals are nearly opposite. What is pressed, and joints, get the velocities of their law to rounding. */
static PetscErrorCode settle(NsScheme *scheme, PetscReal t1)
{
  NsScheme_ProjectionCombined *self  = scheme->data;
  NsPercussion                *p     = &self->theta.p;
  PetscInt                     count = 0, at = 0;
  PetscReal                    left, most    = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->w.contacts; i++) {
    if (scheme->model->candidate[p->w.contact[i]].bilateral || p->P[p->w.start[i]] > 0) self->list[count++] = p->w.contact[i];
  }
  if (count < 2) PetscFunctionReturn(0);
  PetscCall(NsModelRows(scheme->model, t1, self->q1, count, self->list, &self->pressed));
  NsRowsKeepNormals(&self->pressed);
  PetscCall(NsContactDelassus(scheme->contact, p->compliance, &self->pressed, &self->pressed));
  PetscCall(NsRowsVelocity(scheme->model, &self->pressed, p->v1, self->miss));
  for (PetscInt i = 0; i < p->w.contacts && at < count; i++) {
    const NsCandidate *candidate = &scheme->model->candidate[p->w.contact[i]];
    if (p->w.contact[i] != self->list[at]) continue;
    self->miss[at] += candidate->bilateral ? 0 : candidate->law.restitution * p->u0[p->w.start[i]];
    most = PetscMax(most, PetscAbsReal(self->miss[at]));
    at++;
  }
  PetscCall(NsContactFit(scheme->contact, &self->pressed, self->miss, self->settle, &left));
  if (!(left < most)) PetscFunctionReturn(0);
  PetscCall(NsComplianceApply(p->compliance, &self->pressed, self->settle, 1, p->v1));
  at = 0;
  for (PetscInt i = 0; i < p->w.contacts && at < count; i++) p->P[p->w.start[i]] += p->w.contact[i] == self->list[at] ? self->settle[at++] : 0;
  PetscFunctionReturn(0);
}

/* v1 and q1 at once, by rounds: v1 with W at q1, and q1 from v1 by a step of the projection. */
static PetscErrorCode corrected(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_ProjectionCombined *self   = scheme->data;
  NsTheta                     *theta  = &self->theta;
  NsRounds                     rounds = NsRoundsBegin();
  PetscReal                    push   = 0, fastest, farthest;
  PetscBool                    again;

  PetscFunctionBegin;
  PetscCall(approach(scheme, x, count));
  PetscCall(NsPositionBegin(&self->position));
  PetscCall(VecCopy(x->v, theta->p.v1));
  PetscCall(VecWAXPY(self->q1, dt, x->v, x->q));
  do {
    PetscCall(NsThetaRound(scheme, theta, x, dt, count, self->q1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (rounds.count == 0) PetscCall(NsModelLargest(scheme->model, theta->dv, &push)); /* a body at rest has the rounding of its forces */
    PetscCall(NsRoundsTake(&rounds, scheme->model, &theta->next, &theta->p.v1, PetscMax(push, PETSC_SMALL), &fastest));
    PetscCall(NsThetaMove(theta, x, dt));
    PetscCall(NsPositionStep(&self->position, NULL, x->t + dt, self->q1, x->t + dt, self->q1, theta->q1, self->mass, 1, self->next, &outcome->done));
    if (!outcome->done) PetscCall(NsStepFail(outcome, scheme, &self->position.wg, "projection"));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsRoundsTake(&rounds, scheme->model, &self->next, &self->q1, dt * fastest + PETSC_SMALL, &farthest));
    PetscCall(NsRoundsEnd(&rounds, outcome, &again));
    if (!outcome->done) PetscCall(NsPositionFail(scheme, &self->position, outcome));
  } while (again);
  if (outcome->done) PetscCall(settle(scheme, x->t + dt));
  PetscFunctionReturn(0);
}

/* v1 and q1 with the contacts of I. */
static PetscErrorCode solve(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_ProjectionCombined         *self     = scheme->data;
  const NsSettings_ProjectionCombined *settings = scheme->settings;
  const PetscReal                      t1       = x->t + dt;

  PetscFunctionBegin;
  if (count && settings->variant == CORRECTED) {
    PetscCall(corrected(scheme, x, dt, count, outcome));
    PetscFunctionReturn(0);
  }
  PetscCall(NsThetaVelocity(scheme, &self->theta, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPositionSolve(scheme, &self->position, t1, NULL, t1, self->theta.q1, self->mass, 1, self->q1, "projection", outcome));
  PetscFunctionReturn(0);
}

/* Adds to I what is closed at q1; how many. */
static PetscErrorCode grow(NsScheme *scheme, PetscReal t1, PetscInt *added)
{
  NsScheme_ProjectionCombined *self    = scheme->data;
  NsContact                   *contact = scheme->contact;
  const PetscReal              closed  = NS_HELD * scheme->model->length_scale;

  PetscFunctionBegin;
  *added = 0;
  PetscCall(NsContactGaps(contact, t1, self->q1));
  for (PetscInt k = 0; k < contact->nears; k++) {
    const PetscInt i = contact->near[k];
    if (self->in[i] || !(contact->gap[i] <= PetscMax(contact->tolerance[i], closed))) continue;
    self->in[i] = PETSC_TRUE;
    (*added)++;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_ProjectionCombined(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_ProjectionCombined *self    = scheme->data;
  NsContact                   *contact = scheme->contact;
  NsTheta                     *theta   = &self->theta;
  PetscInt                     added;
  PetscInt64                   problems = 0;

  PetscFunctionBegin;
  PetscCall(NsThetaBegin(scheme, theta, x, dt));
  PetscCall(update_metric(self, x));
  for (PetscInt k = 0; k < contact->nears; k++) self->in[contact->near[k]] = scheme->model->candidate[contact->near[k]].bilateral;
  do {
    const PetscInt count = NsContactList(contact, self->in);
    PetscCall(NsPercussionActivate(scheme, &theta->p, count));
    PetscCall(solve(scheme, x, dt, count, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(grow(scheme, x->t + dt, &added));
    problems++;
  } while (added);
  self->most = problems > self->most ? problems : self->most;
  PetscCall(NsThetaBook(scheme, theta, x, dt));
  PetscCall(NsPercussionFinish(scheme, &theta->p, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static PetscInt NsSchemeCount_ProjectionCombined(const NsScheme *scheme, NsCounter *list)
{
  list[0] = (NsCounter){"most_problems_a_step", ((const NsScheme_ProjectionCombined *)scheme->data)->most};
  return 1;
}

static const char *const variant_choices[]          = {"corrected", "printed", NULL};
static const NsKey       projection_combined_keys[] = {
        NS_STEP_KEY(NsSettings_ProjectionCombined),
        NS_THETA_KEY(NsSettings_ProjectionCombined),
        {"variant", NS_KEY_CHOICE, offsetof(NsSettings_ProjectionCombined, variant), .choices = variant_choices, .standard = "corrected",
          .help = "velocities held at the projected position, and no impact law for contacts that open; or both as printed", .example = "printed"},
        {NULL},
};
static const NsTable projection_combined_table = {
  "projection_combined", "projection and activation", projection_combined_keys, sizeof(NsSettings_ProjectionCombined)};

const NsVariant NsSchemeVariant_ProjectionCombined = {
  .name  = "projection_combined",
  .title = "projection and activation: gaps and gap rates hold at the end of each step",
  .about = "I = joints; repeat: v1, q = q0 + dt v_th as scheme.moreau_jean on I, 0 <= W'v1 + e u^- _|_ P >= 0; q1 = q + M^-1 W tau with\n"
           "g(q1) = 0 on I; I grows by all contacts with g(q1) <= 0 (to 1e-12 of the model's length); until nothing is added.\n"
           "variant: corrected takes W at q1 and u^- = min(0, W(q0)'v0): no penetration, no approach where g = 0, joints\n"
           "closed and at rest, all to rounding. printed takes them as moreau_jean does: on curved constraints velocities\n"
           "miss by O(dt), and a contact that opens may re-enter.\n"
           "Order 2 in free flight (theta = 0.5), order 1 with contacts. An impact is put onto g = 0 with its velocity after, which\n"
           "takes or adds energy. Held joints take or add it by order 1 (a pendulum of 0.5 m, from 37 degrees: 11 % of its swing in\n"
           "10 s at 1 ms); half_explicit, event_driven_hem5 keep it. events.csv has velocities before at q1: on curved contacts\n"
           "not u^-. No step limit from theta = 0.5. P is force and impulse in one, reported as impulse. Costs a second velocity\n"
           "problem in steps with contact, and with variant: corrected some rounds of it.\n"
           "On finite elements steps must be short: a body that meets a wall at the speed v is pushed back by up to v dt, one node\n"
           "alone, which costs E S (v dt)^2/(2 l) in an element of length l (1.7 times that with a consistent mass matrix): of a\n"
           "bar's kinetic energy (c dt)^2/(l L). configs/elastic_bar.yaml, l = 20 mm, L = 1 m, gains 7 % of it at 10 us, and at 100 us\n"
           "6.3 times all of it, in both variants.\n"
           "All of I are equations: where a surface changes its curvature two contacts of it can contradict each other, and the\n"
           "step fails (configs/edge.yaml); take event_driven_hem5 or moreau_jean there.\n"
           "Needs of a model: forces, mass matrix, gaps and contact rows; tangents of mechanisms are taken by\n"
           "differences.\n"
           "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact.",
  .table = &projection_combined_table,
};

const NsSchemeType NsSchemeType_ProjectionCombined = {
  .variant       = &NsSchemeVariant_ProjectionCombined,
  .sheet         = {.order = 2,
            .order_impacts = 1,
            .level         = "velocity and position",
            .energy        = "kept to rounding (linear models); projections and joints alter it by O(dt)",
            .needs         = "",
            .reference     = "Acary, Bonnefon, combined"},
  .implicit      = PETSC_TRUE,
  .setup         = NsSchemeSetup_ProjectionCombined,
  .start         = NsSchemeStart_ProjectionCombined,
  .remember      = NsSchemeRemember_ProjectionCombined,
  .step          = NsSchemeStep_ProjectionCombined,
  .amplification = NsThetaAmplification,
  .count         = NsSchemeCount_ProjectionCombined,
  .destroy       = NsSchemeDestroy_ProjectionCombined,
};
