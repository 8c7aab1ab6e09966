/*
  Unified Gear-Gupta-Leimkuhler scheme: implicit midpoint rule, impact law on velocities and non-penetration on positions in one system.

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, 3.2: (36)-(40).
  With qM = (q0 + q1)/2, vM = (v0 + v1)/2, tM = t0 + dt/2 and M at qE = q0 + dt/2 v0:

      q1 = q0 + dt vM + W(qM) Psi
      v1 = v0 + M^-1 (dt h(tM, qM, vM) + W(qM) P)
      0 <= W(qM)' (v1 + e v0)  _|_  P >= 0  (and friction)     where g(qE) <= 0, and at joints (u = 0)
      0 <= g(q1)  _|_  Psi >= 0                                `project`: on all contacts; on the active ones; on none, the paper's reference

  The paper projects the active contacts, which leaves penetrations of some micrometres where a contact closes late in a step; all leaves none.

  Solved by Newton's method in (v1, q1) with the tangents of h, but not those of W: with A = M + dt/2 C_t + (dt/2)^2 K_t at (qE, v0),

      A (v1+ - v1) = M (v0 - v1) + dt h + W P,   0 <= W' (v1+ + e v0) _|_ P;    q1+ = q0 + dt/2 (v0 + v1+) + W Psi,   Psi as in position.h

  so each iteration is two local problems and one solve, and linear models need one. The omitted terms are of the size dt P: five to ten iterations for
  the slider-crank. No derivatives of W are needed.

  Free flight: implicit midpoint rule, order 2, no step limit; the energy of linear models is conserved to rounding.
*/
#include "percussion.h"
#include "position.h"
#include "iteration.h"

typedef struct {
  NsSchemeSettings scheme;
  int              project; /* 0 all, 1 active, 2 none */
} NsSettings_GglUnified;

enum { ALL, ACTIVE, NONE };

typedef struct {
  NsPercussion p; /* slot 1, A */
  NsPosition   position;
  Vec          qe, qm, vm, q1, h, r, dv, free, next;
} NsScheme_GglUnified;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_GglUnified *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionDeclare(scheme, work, 1, PETSC_FALSE));
  PetscCall(NsPositionDeclare(scheme, work, &self->position));
  PetscCall(NsWorkVecs(work, &self->qe, &self->qm, &self->vm, &self->q1, &self->h, &self->r, &self->dv, &self->free, &self->next, NULL));
  PetscFunctionReturn(0);
}

static NsOperator implicit_operator(PetscReal dt)
{
  return (NsOperator){1, dt / 2, dt * dt / 4};
}

static PetscErrorCode start(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(NsPercussionStart(scheme, state, implicit_operator(((const NsSchemeSettings *)scheme->settings)->step)));
  PetscFunctionReturn(0);
}

/* v1+ into next, from v1 and q1; P and the velocities around it. */
static PetscErrorCode velocity_iteration(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_GglUnified *self  = scheme->data;
  NsModel             *model = scheme->model;
  const PetscReal      tm    = x->t + dt / 2;

  PetscFunctionBegin;
  if (model->dynamics.move) {
    PetscCall(NsModelWay(model, x->q, self->q1, self->vm));
    PetscCall(NsModelMove(model, x->q, 0.5, self->vm, self->qm));
  } else {
    PetscCall(VecWAXPY(self->qm, 1, x->q, self->q1));
    PetscCall(VecScale(self->qm, 0.5));
  }
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->p.v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscCall(NsModelForce(model, tm, self->qm, self->vm, self->h));
  PetscCall(VecWAXPY(self->dv, -1, self->p.v1, x->v));
  PetscCall(NsModelMult(model, tm, self->qe, self->dv, self->r));
  PetscCall(VecAXPY(self->r, dt, self->h));
  PetscCall(NsModelSolve(model, 1, self->r, self->dv));
  PetscCall(VecWAXPY(self->next, 1, self->p.v1, self->dv));
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelRows(model, tm, self->qm, count, NsContactSelected(scheme->contact), &self->p.w));
  PetscCall(NsRowsVelocity(model, &self->p.w, x->v, self->p.u0));
  PetscCall(NsPercussionSolve(scheme, self->p.u0, self->next, outcome));
  PetscFunctionReturn(0);
}

/* q1+ into next, from v1 = v1+. */
static PetscErrorCode position_iteration(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_GglUnified         *self     = scheme->data;
  const NsSettings_GglUnified *settings = scheme->settings;

  PetscFunctionBegin;
  PetscCall(NsModelMove(scheme->model, x->q, dt / 2, x->v, self->free));
  PetscCall(NsModelMove(scheme->model, self->free, dt / 2, self->p.v1, self->free));
  if (settings->project == NONE) {
    PetscCall(VecCopy(self->free, self->next));
    PetscFunctionReturn(0);
  }
  const NsPositionProblem problem = {.t = x->t + dt,
    .q_free                             = self->free,
    .tp                                 = x->t + dt / 2,
    .qp                                 = self->qm,
    .scale                              = 1,
    .allowed                            = settings->project == ACTIVE ? self->p.is : NULL};
  PetscCall(NsPositionStep(&self->position, &problem, self->q1, self->next, &outcome->done));
  if (!outcome->done) PetscCall(NsStepFail(outcome, scheme, &self->position.wg, "projection"));
  PetscFunctionReturn(0);
}

/* Iterates until velocities and positions have converged. The scale of a velocity is at least its change by the forces in a step: a body at rest has rounding errors, too. */
static PetscErrorCode iterate(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_GglUnified *self      = scheme->data;
  NsIteration          iteration = NsIterationBegin();
  PetscReal            least     = 0, fastest, farthest;
  PetscBool            again;

  PetscFunctionBegin;
  PetscCall(VecCopy(x->v, self->p.v1));
  PetscCall(NsModelMove(scheme->model, x->q, dt, x->v, self->q1));
  do {
    PetscCall(velocity_iteration(scheme, x, dt, count, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (iteration.count == 0) PetscCall(NsIterationLeast(scheme->model, x->q, dt, self->dv, &least));
    PetscCall(NsIterationTake(&iteration, scheme->model, &self->next, &self->p.v1, least, &fastest));
    PetscCall(position_iteration(scheme, x, dt, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsIterationTake(&iteration, scheme->model, &self->next, &self->q1, dt * fastest + PETSC_SMALL, &farthest));
    PetscCall(NsIterationEnd(&iteration, outcome, &again));
  } while (again);
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_GglUnified *self = scheme->data;
  const PetscReal      tm   = x->t + dt / 2;
  PetscInt             count;

  PetscFunctionBegin;
  PetscCall(NsModelMove(scheme->model, x->q, dt / 2, x->v, self->qe));
  PetscCall(NsComplianceUpdate(self->p.compliance, tm, self->qe, x->v, implicit_operator(dt)));
  PetscCall(NsContactGaps(scheme->contact, tm, self->qe));
  PetscCall(NsPercussionActivateClosed(scheme, &count));
  PetscCall(NsPositionBegin(&self->position));
  PetscCall(iterate(scheme, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionBook(scheme, x->v, tm, self->qm, NULL, dt));
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static const char *const project_choices[] = {"all", "active", "none", NULL};

static const NsKey keys[] = {
  NS_STEP_KEY,
  {"project", NS_KEY_CHOICE, offsetof(NsSettings_GglUnified, project), .choices = project_choices, .default_value = "all",
    .help = "contacts held on position level: all, the active ones (as in the paper), or none (the paper's reference)", .example = "active"},
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_GglUnified = {
  .variant =
    {
      .name  = "ggl_unified",
      .title = "unified Gear-Gupta-Leimkuhler: implicit midpoint rule, no penetration",
      .about = "Implicit midpoint rule with the impact law on velocities and non-penetration on positions in one system. Each step is a Newton "
               "iteration: one for linear models, five to ten for mechanisms. project: all holds gaps to rounding; active is the reference as "
               "printed; none is the implicit midpoint scheme without projection. "
               "One percussion P per step contains force and impulse; it is reported as impulse, and P/dt is the force while contact "
               "lasts.\n"
               "With e > 0 a contact at rest does not settle: projected onto g = 0, it is treated as open in the next step, and each of its small "
               "bounces counts as an impact. Elastic bodies that hit repeatedly with e near 1 gain energy without bound. scheme.moreau_jean and "
               "scheme.event_driven_hem5 conserve the energy.\n",
      .table = &(const NsTable){"ggl_unified", "unified Gear-Gupta-Leimkuhler scheme", keys, sizeof(NsSettings_GglUnified)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity and position",
      .energy        = "conserved to rounding (linear models); projections and joints change it by O(dt)",
      .needs         = "",
      .cited         = "Schoeder et al. (36)-(40)",
      .step_limit    = "none",
      .theory        = "schemes_position",
      .reference     = "S. Schoeder, H. Ulbrich, T. Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, 3.2, "
                       "(36)-(40)",
    },
  .implicit = PETSC_TRUE,
  .size     = sizeof(NsScheme_GglUnified),
  .declare  = declare,
  .start    = start,
  .step     = step,
};
