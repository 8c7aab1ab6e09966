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

  so each round is two local problems and one solve, and linear models need one round. What is left out is of the size dt P: five to ten rounds on
  the slider-crank. Nothing of a model's derivatives is asked of its author.

  Free flight: implicit midpoint rule, order 2, no step limit; the energy of linear models is kept to rounding.
*/
#include "percussion.h"
#include "position.h"
#include "rounds.h"

typedef struct {
  const NsNode *where;
  double        step;
  int           project; /* 0 all, 1 active, 2 none */
} NsSettings_GglUnified;

enum { ALL, ACTIVE, NONE };

typedef struct {
  NsPercussion p; /* slot 1, A */
  NsPosition   position;
  Vec          qe, qm, vm, q1, h, r, dv, free, next;
} NsScheme_GglUnified;

static PetscErrorCode NsSchemeSetup_GglUnified(NsScheme *scheme)
{
  NsScheme_GglUnified *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsPercussionCreate(scheme, 1, &self->p));
  PetscCall(NsPositionCreate(scheme->contact, &self->position));
  PetscCall(NsVecsCreate(scheme->model, &self->qe, &self->qm, &self->vm, &self->q1, &self->h, &self->r, &self->dv, &self->free, &self->next, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_GglUnified(NsScheme *scheme)
{
  NsScheme_GglUnified *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsPercussionDestroy(&self->p));
  PetscCall(NsPositionDestroy(&self->position));
  PetscCall(NsVecsDestroy(&self->qe, &self->qm, &self->vm, &self->q1, &self->h, &self->r, &self->dv, &self->free, &self->next, NULL));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static NsOperator implicit_operator(PetscReal dt)
{
  return (NsOperator){1, dt / 2, dt * dt / 4};
}

static PetscErrorCode NsSchemeStart_GglUnified(NsScheme *scheme, const NsState *state)
{
  NsScheme_GglUnified         *self     = scheme->data;
  const NsSettings_GglUnified *settings = scheme->settings;

  PetscFunctionBegin;
  PetscCall(NsPercussionStart(scheme, &self->p, state, implicit_operator(settings->step)));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_GglUnified(NsScheme *scheme, NsMemory *memory)
{
  PetscFunctionBegin;
  NsPercussionRemember(scheme, &((NsScheme_GglUnified *)scheme->data)->p, memory);
  PetscFunctionReturn(0);
}

/* v1+ into next, from v1 and q1; P and the velocities around it. */
static PetscErrorCode velocity_round(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_GglUnified *self  = scheme->data;
  NsModel             *model = scheme->model;
  const PetscReal      tm    = x->t + dt / 2;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->qm, 1, x->q, self->q1));
  PetscCall(VecScale(self->qm, 0.5));
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->p.v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscCall(NsModelForce(model, tm, self->qm, self->vm, self->h));
  PetscCall(VecWAXPY(self->dv, -1, self->p.v1, x->v));
  PetscCall(NsModelMult(model, tm, self->qe, self->dv, self->r));
  PetscCall(VecAXPY(self->r, dt, self->h));
  PetscCall(NsModelSolve(model, 1, self->r, self->dv));
  PetscCall(VecWAXPY(self->next, 1, self->p.v1, self->dv));
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelRows(model, tm, self->qm, count, scheme->contact->active, &self->p.w));
  PetscCall(NsRowsVelocity(model, &self->p.w, x->v, self->p.u0));
  PetscCall(NsPercussionSolve(scheme, &self->p, self->p.u0, self->next, outcome));
  PetscFunctionReturn(0);
}

/* q1+ into next, from v1 = v1+. */
static PetscErrorCode position_round(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_GglUnified         *self     = scheme->data;
  const NsSettings_GglUnified *settings = scheme->settings;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->free, dt / 2, x->v, x->q));
  PetscCall(VecAXPY(self->free, dt / 2, self->p.v1));
  if (settings->project == NONE) {
    PetscCall(VecCopy(self->free, self->next));
    PetscFunctionReturn(0);
  }
  PetscCall(NsPositionStep(&self->position, settings->project == ACTIVE ? self->p.is : NULL, x->t + dt / 2, self->qm, x->t + dt, self->q1, self->free,
    NULL, 1, self->next, &outcome->done));
  if (!outcome->done) PetscCall(NsStepFail(outcome, scheme, &self->position.wg, "projection"));
  PetscFunctionReturn(0);
}

/* Rounds until velocities and positions stand. The size of a velocity is at least what the forces add to it in a step: a body at rest has rounding too. */
static PetscErrorCode iterate(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_GglUnified *self   = scheme->data;
  NsRounds             rounds = NsRoundsBegin();
  PetscReal            push   = 0, fastest, farthest;
  PetscBool            again;

  PetscFunctionBegin;
  PetscCall(VecCopy(x->v, self->p.v1));
  PetscCall(VecWAXPY(self->q1, dt, x->v, x->q));
  do {
    PetscCall(velocity_round(scheme, x, dt, count, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (rounds.count == 0) PetscCall(NsModelLargest(scheme->model, self->dv, &push));
    PetscCall(NsRoundsTake(&rounds, scheme->model, &self->next, &self->p.v1, PetscMax(push, PETSC_SMALL), &fastest));
    PetscCall(position_round(scheme, x, dt, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsRoundsTake(&rounds, scheme->model, &self->next, &self->q1, dt * fastest + PETSC_SMALL, &farthest));
    PetscCall(NsRoundsEnd(&rounds, outcome, &again));
  } while (again);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_GglUnified(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_GglUnified *self = scheme->data;
  const PetscReal      tm   = x->t + dt / 2;
  PetscInt             count;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->qe, dt / 2, x->v, x->q));
  PetscCall(NsComplianceUpdate(self->p.compliance, tm, self->qe, x->v, implicit_operator(dt)));
  PetscCall(NsContactGaps(scheme->contact, tm, self->qe));
  PetscCall(NsPercussionActivateClosed(scheme, &self->p, &count));
  PetscCall(NsPositionBegin(&self->position));
  PetscCall(iterate(scheme, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionBook(scheme, &self->p, x->v, tm, self->qm, NULL, dt));
  PetscCall(NsPercussionFinish(scheme, &self->p, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static const char *const project_choices[]  = {"all", "active", "none", NULL};
static const NsKey       ggl_unified_keys[] = {
        NS_STEP_KEY(NsSettings_GglUnified),
        {"project", NS_KEY_CHOICE, offsetof(NsSettings_GglUnified, project), .choices = project_choices, .standard = "all",
          .help = "contacts held on position level: all, the active ones (as in the paper), or none (the paper's reference)", .example = "active"},
        {NULL},
};
static const NsTable ggl_unified_table = {"ggl_unified", "unified Gear-Gupta-Leimkuhler scheme", ggl_unified_keys, sizeof(NsSettings_GglUnified)};

const NsVariant NsSchemeVariant_GglUnified = {
  .name  = "ggl_unified",
  .title = "unified Gear-Gupta-Leimkuhler: implicit midpoint, no penetration",
  .about = "q1 = q0 + dt vM + W(qM) Psi,   v1 = v0 + M^-1 (dt h(tM, qM, vM) + W(qM) P),   qM = (q0 + q1)/2, vM = (v0 + v1)/2;\n"
           "0 <= W(qM)' (v1 + e v0) _|_ P >= 0 where g(q0 + dt/2 v0) <= 0;   0 <= g(q1) _|_ Psi >= 0 (project: all, active, none).\n"
           "Order 2 in free flight, order 1 with contacts. Energy of linear models kept to rounding in flight.\n"
           "No step limit. P is force and impulse in one, reported as impulse. Gaps hold to rounding with project: all; none is\n"
           "the implicit midpoint scheme without projection, the reference's own reference. Each step is a Newton\n"
           "iteration (five to ten rounds for mechanisms, one for linear models): about ten explicit steps.\n"
           "With e > 0 a contact at rest flutters, with e g dt/(1 + e) under weight g, for what is projected onto g = 0 is found\n"
           "open in the next step; each flutter counts as an impact.\n"
           "Elastic bodies that hit with e near 1 gain energy, a little with each impact and without bound over many: a lumped bar\n"
           "between two walls (configs/bar_between_walls.yaml, e = 1) has eighteen times as much after forty flights.\n"
           "scheme.moreau_jean and scheme.event_driven_hem5 keep it.\n"
           "Needs of a model: forces, mass matrix, gaps and contact rows; tangents of mechanisms are taken by\n"
           "differences.\n"
           "Reference: Schoeder, Ulbrich, Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting\n"
           "mechanical systems, 3.2.",
  .table = &ggl_unified_table,
};

const NsSchemeType NsSchemeType_GglUnified = {
  .variant = &NsSchemeVariant_GglUnified,
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity and position",
      .energy        = "kept to rounding (linear models); projections and joints alter it by O(dt)",
      .needs         = "",
      .reference     = "Schoeder et al. (36)-(40)",
    },
  .implicit = PETSC_TRUE,
  .setup    = NsSchemeSetup_GglUnified,
  .start    = NsSchemeStart_GglUnified,
  .remember = NsSchemeRemember_GglUnified,
  .step     = NsSchemeStep_GglUnified,
  .destroy  = NsSchemeDestroy_GglUnified,
};
