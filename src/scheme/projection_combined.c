/*
  Projection and activation: contacts are active because they would penetrate, and hold both on positions and on velocities at the end of the step.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, "a projection/activation scheme".

      I = joints
      repeat:  v1, q as the theta scheme (theta.h) with the contacts of I:   0 <= W'v1 + e u^-  _|_  P >= 0  (and friction)
               q1 = q + M(q0)^-1 W(q1) tau,   g(q1) = 0 on I                 an equation: tau has any sign
               I  = I and every contact with g(q1) <= 0
      until nothing is added

  `variant: corrected` takes W at the projected q1 and u^- = min(0, W(q0)'v0); q1 and v1 are then found together, by iterations of Newton's method. `printed` takes W and u^- as
  the theta scheme does: on curved constraints the velocity violates W(q1)'v1 = 0 by O(dt), and a contact that opens, u0 > 0, but is brought back within the step, ends with
  -e u0: it re-enters. A gap up to 1e-12 of the model's length closes a contact: those of bodies that touch are rounding.

  More contacts than can be closed at once (the fourth foot of a table) are held by 0 <= g _|_ tau >= 0 instead.

  At the end of each step: no penetration, W(q1)'v1 >= 0 where g = 0, and W(q1)'v1 = 0 at joints, to rounding. I grows at most as often as there are contacts. Reports have W(q1)'v0 as the velocity before, whose work is the impact's: on curved contacts it is u^- but
  for O(dt). A contact that opens, but is brought back within the step, ends with u1 = 0, and its percussion works: an elastic bar with e = 1 gains 1e-4 of its energy.
*/
#include "position.h"
#include "contact/laws/law.h"
#include "iteration.h"
#include "theta.h"

typedef struct {
  NsThetaSettings common;
  int             variant;
} NsSettings_ProjectionCombined;

enum { CORRECTED, PRINTED };

typedef struct {
  NsTheta    theta;
  NsPosition position;
  PetscBool *in;   /* [candidates] I */
  PetscInt64 most; /* velocity problems in a step */
  Vec        q1, next;
  NsRows     pressed;       /* normals of contacts under pressure, and joints */
  PetscInt  *list;          /* [candidates] of these */
  PetscReal *miss, *settle; /* [rows] their velocities, and what these take */
} NsScheme_ProjectionCombined;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  const NsSettings_ProjectionCombined *settings = scheme->settings;
  NsScheme_ProjectionCombined         *self     = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsThetaDeclare(scheme, work, settings->variant == CORRECTED, PETSC_TRUE, PETSC_FALSE));
  PetscCall(NsPositionDeclare(scheme, work, &self->position));
  PetscCall(NsWorkVecs(work, &self->q1, &self->next, NULL));
  PetscCall(NsWorkRows(work, &self->pressed, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->miss, &self->settle, NULL));
  PetscCall(NsWorkInts(work, work->candidates, &self->list, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->in, NULL));
  PetscCall(NsHistoryCounts(work, "most", 1, &self->most));
  self->position.held = self->in;
  PetscFunctionReturn(0);
}

/* u^- of the active contacts into p.u0. */
static PetscErrorCode approach(NsScheme *scheme, const NsState *x, PetscInt count)
{
  NsPercussion *p = &((NsScheme_ProjectionCombined *)scheme->data)->theta.p;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, x->t, x->q, count, NsContactSelected(scheme->contact), &p->w));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
  for (PetscInt i = 0; i < count; i++) p->u0[p->w.start[i]] = PetscMin(0, p->u0[p->w.start[i]]);
  PetscFunctionReturn(0);
}

/* Local problems are solved to 1e-12 of their impulses, which are large where normals are nearly opposite: corrects the velocities of pressed contacts and joints to rounding. */
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
    self->miss[at] += candidate->bilateral ? 0 : NsLawRestitution(&candidate->law, -p->u0[p->w.start[i]]) * p->u0[p->w.start[i]];
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

/* v1 and q1 at once, by iterations: v1 with W at q1, and q1 from v1 by a step of the projection. */
static PetscErrorCode corrected(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_ProjectionCombined *self      = scheme->data;
  NsTheta                     *theta     = &self->theta;
  const NsPositionProblem      problem   = {.t = x->t + dt, .q_free = theta->q1, .metric = theta->mass, .scale = 1};
  NsIteration                  iteration = NsIterationBegin();
  PetscReal                    least     = 0, fastest, farthest;
  PetscBool                    again;

  PetscFunctionBegin;
  PetscCall(approach(scheme, x, count));
  PetscCall(NsPositionBegin(&self->position));
  PetscCall(VecCopy(x->v, theta->p.v1));
  PetscCall(NsModelMove(scheme->model, x->q, dt, x->v, self->q1));
  do {
    PetscCall(NsThetaIterate(scheme, x, dt, count, self->q1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (iteration.count == 0) PetscCall(NsIterationLeast(scheme->model, x->q, dt, theta->dv, &least));
    PetscCall(NsIterationTake(&iteration, scheme->model, &theta->next, &theta->p.v1, least, &fastest));
    PetscCall(NsThetaMove(scheme, x, dt));
    PetscCall(NsPositionStep(&self->position, &problem, self->q1, self->next, &outcome->done));
    if (!outcome->done) PetscCall(NsStepFail(outcome, scheme, &self->position.wg, "projection"));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsIterationTake(&iteration, scheme->model, &self->next, &self->q1, dt * fastest + PETSC_SMALL, &farthest));
    PetscCall(NsIterationEnd(&iteration, outcome, &again));
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

  PetscFunctionBegin;
  if (count && settings->variant == CORRECTED) {
    PetscCall(corrected(scheme, x, dt, count, outcome));
    PetscFunctionReturn(0);
  }
  PetscCall(NsThetaVelocity(scheme, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  const NsPositionProblem problem = {.t = x->t + dt, .q_free = self->theta.q1, .metric = self->theta.mass, .scale = 1};
  PetscCall(NsPositionSolve(scheme, &self->position, &problem, self->q1, "projection", outcome));
  PetscFunctionReturn(0);
}

/* Adds the contacts closed at q1 to I; how many. */
static PetscErrorCode grow(NsScheme *scheme, PetscReal t1, PetscInt *added)
{
  NsScheme_ProjectionCombined *self    = scheme->data;
  NsContact                   *contact = scheme->contact;
  const PetscReal              closed  = NS_HELD * scheme->model->length_scale;

  PetscFunctionBegin;
  *added = 0;
  PetscCall(NsContactGaps(contact, t1, self->q1));
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    if (self->in[i] || !(NsContactLastGaps(contact)[i] <= PetscMax(NsContactTolerances(contact)[i], closed))) continue;
    self->in[i] = PETSC_TRUE;
    (*added)++;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_ProjectionCombined *self    = scheme->data;
  NsContact                   *contact = scheme->contact;
  PetscInt                     added;
  PetscInt64                   problems = 0;

  PetscFunctionBegin;
  PetscCall(NsThetaBegin(scheme, x, dt));
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) self->in[active[k]] = scheme->model->candidate[active[k]].bilateral;
  do {
    const PetscInt count = NsContactList(contact, self->in);
    PetscCall(NsPercussionActivate(scheme, count));
    PetscCall(solve(scheme, x, dt, count, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(grow(scheme, x->t + dt, &added));
    problems++;
  } while (added);
  self->most = problems > self->most ? problems : self->most;
  PetscCall(NsThetaBook(scheme, x, dt));
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static PetscInt count(const NsScheme *scheme, NsCounter *list)
{
  list[0] = (NsCounter){"most_problems_a_step", ((const NsScheme_ProjectionCombined *)scheme->data)->most};
  return 1;
}

static const char *const variant_choices[] = {"corrected", "printed", NULL};

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_THETA_KEY,
  {"variant", NS_KEY_CHOICE, offsetof(NsSettings_ProjectionCombined, variant), .choices = variant_choices, .default_value = "corrected",
    .help =
      "corrected: the velocity law is imposed with the contact directions at the projected positions, and contacts that open have no impact law; printed: both as in the paper",
    .example = "printed"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_ProjectionCombined = {
  .variant =
    {
      .name  = "projection_combined",
      .title = "projection and activation: gaps and gap rates are satisfied at the end of each step",
      .about =
        "As scheme.moreau_jean on the contacts that would penetrate, with positions projected onto g = 0; contacts are added until none "
        "penetrates.\n"
        "variant: corrected takes contact directions at the projected positions: no penetration, no approach where g = 0, joints satisfied "
        "in position and velocity, all to rounding. variant: printed takes them as moreau_jean does: on curved contacts velocities then have an error of O(dt).\n"
        "On finite elements steps must be short: a projection moves one node alone, which costs elastic energy. Where a surface changes "
        "its curvature, two contacts can contradict each other, and the step fails: use event_driven_hem5 or moreau_jean there. One "
        "percussion P per step contains force and impulse; it is reported as impulse, and P/dt is the force while contact "
        "lasts. Velocities before the impact in events.csv are those at the end of the step: on curved contacts they differ from u^-.\n",
      .table = &(const NsTable){"projection_combined", "projection and activation", keys, sizeof(NsSettings_ProjectionCombined)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity and position",
      .energy        = "conserved to rounding (linear models); projections and joints change it by O(dt)",
      .needs         = "",
      .cited         = "Acary, Bonnefon, combined",
      .step_limit    = "none for theta >= 0.5",
      .theory        = "schemes_position",
      .reference = "V. Acary, O. Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact, a projection/activation scheme",
    },
  .implicit      = PETSC_TRUE,
  .laws          = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH | NS_LAW_JOINT | NS_LAW_RESISTANCE,
  .size          = sizeof(NsScheme_ProjectionCombined),
  .declare       = declare,
  .start         = NsThetaStart,
  .step          = step,
  .stands        = NsThetaStands,
  .amplification = NsThetaAmplification,
  .count         = count,
};
