/*
  Moreau's midpoint scheme (time-stepping on velocity level).

  [B] S. Schoeder, H. Ulbrich, T. Schindler: Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, (8)-(13).

      qM = q0 + dt/2 v0,   M, h, W at qM
      v1 = v0 + M^-1 (dt h(tM, qM, v0) + W P),   0 <= W'(v1 + e v0)  _|_  P >= 0  (and friction)  where g(qM) <= 0
      q1 = q0 + dt/2 (v0 + v1)

  One percussion P a step stands for force and impulse together; it is reported as impulse. On linear models without damping it is the leapfrog:
  qM moves by dt v1, so dt < 2/omega_max, and the energy oscillates but is bounded. One acceleration and one local problem a step.
*/
#include "percuss/scheme.h"

typedef struct {
  const NsNode *where;
  double        step;
} NsSettings_MoreauMidpoint;

typedef struct {
  NsCompliance *mass;
  Vec           a, qm, v1, vm;
  NsRows        w;
  PetscReal    *P, *u0, *u1;
  PetscBool    *was, *newly; /* [candidates] active in the last step; [active] active now but not then */
} NsScheme_MoreauMidpoint;

static PetscErrorCode NsSchemeSetup_MoreauMidpoint(NsScheme *scheme)
{
  NsScheme_MoreauMidpoint *self;
  const PetscInt           rows = scheme->contact->rows, candidates = scheme->contact->candidates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsVecsCreate(scheme->model, &self->a, &self->qm, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->w));
  PetscCall(PetscCalloc5(rows, &self->P, rows, &self->u0, rows, &self->u1, candidates, &self->was, candidates, &self->newly));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_MoreauMidpoint(NsScheme *scheme)
{
  NsScheme_MoreauMidpoint *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsVecsDestroy(&self->a, &self->qm, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsDestroy(&self->w));
  PetscCall(PetscFree5(self->P, self->u0, self->u1, self->was, self->newly));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_MoreauMidpoint(NsScheme *scheme, const NsState *state)
{
  NsScheme_MoreauMidpoint *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, state->t, state->q, state->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->was));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_MoreauMidpoint(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_MoreauMidpoint *self    = scheme->data;
  NsContact               *contact = scheme->contact;
  NsModel                 *model   = scheme->model;
  const PetscReal          tm      = x->t + dt / 2;
  PetscInt                 count   = 0;
  NsPower                  power;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->qm, dt / 2, x->v, x->q));
  PetscCall(NsModelAccel(model, tm, self->qm, x->v, self->a));
  PetscCall(VecWAXPY(self->v1, dt, self->a, x->v));
  PetscCall(NsContactGaps(contact, tm, self->qm));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (NsContactIsClosed(contact, i)) {
      self->newly[count]       = self->was[i] ? PETSC_FALSE : PETSC_TRUE;
      contact->active[count++] = i;
    }
  }
  if (count) {
    PetscCall(NsModelRows(model, tm, self->qm, count, contact->active, &self->w));
    PetscCall(NsComplianceUpdate(self->mass, tm, self->qm, x->v, (NsOperator){1, 0, 0}));
    PetscCall(NsComplianceDelassus(self->mass, &self->w, &self->w, contact->G));
    PetscCall(NsRowsVelocity(model, &self->w, self->v1, self->u1));
    PetscCall(NsRowsVelocity(model, &self->w, x->v, self->u0));
    PetscCall(NsContactSolve(contact, &self->w, self->u1, self->u0, NULL, self->P, &outcome->done));
    if (!outcome->done) {
      PetscCall(NsStepFail(outcome, scheme, &self->w, "percussions"));
      PetscFunctionReturn(0);
    }
    PetscCall(NsComplianceApply(self->mass, &self->w, self->P, 1, self->v1));
    PetscCall(NsRowsVelocity(model, &self->w, self->v1, self->u1));
    PetscCall(NsContactReportImpulse(contact, scheme->ledger, &self->w, self->P, self->u0, self->u1, self->newly));
  }
  for (PetscInt i = 0; i < contact->candidates; i++) {
    self->was[i]       = NsContactIsClosed(contact, i);
    outcome->impulsive = outcome->impulsive || contact->report[i].impact ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscCall(NsModelPower(model, tm, self->qm, x->v, self->vm, &power));
  scheme->ledger->damping += dt * power.damping;
  scheme->ledger->load += dt * power.load;
  PetscCall(VecWAXPY(self->qm, dt, self->vm, x->q)); /* q1 */
  NsStateSwap(x, &self->qm, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}

static void NsSchemeAmplification_MoreauMidpoint(const void *settings, PetscReal w, PetscReal zeta, PetscReal S[4])
{
  (void)settings;
  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1;
    const PetscReal y1 = y0 - w * (x0 + w / 2 * y0 + 2 * zeta * y0);
    S[c]               = x0 + w / 2 * (y0 + y1);
    S[2 + c]           = y1;
  }
}

static const NsKey   moreau_midpoint_keys[] = {NS_STEP_KEY(NsSettings_MoreauMidpoint), {NULL}};
static const NsTable moreau_midpoint_table = {"moreau_midpoint", "Moreau's midpoint scheme", moreau_midpoint_keys, sizeof(NsSettings_MoreauMidpoint)};

const NsVariant NsSchemeVariant_MoreauMidpoint = {
  .name  = "moreau_midpoint",
  .title = "Moreau's midpoint scheme: explicit, one percussion a step",
  .about = "qM = q0 + dt/2 v0,   v1 = v0 + M^-1 (dt h(tM, qM, v0) + W P),   q1 = q0 + dt/2 (v0 + v1);\n"
           "0 <= W'(v1 + e v0) _|_ P >= 0 where g(qM) <= 0.\n"
           "Order 2 in free flight without damping (leapfrog), order 1 with impacts. P is force and impulse in one, reported as impulse.\n"
           "Explicit: undamped, dt < 2/omega_max.\n"
           "Reference: Schoeder, Ulbrich, Schindler, Discussion of the Gear-Gupta-Leimkuhler method for impacting mechanical systems, (8)-(13).",
  .table = &moreau_midpoint_table,
};

const NsSchemeType NsSchemeType_MoreauMidpoint = {
  .variant       = &NsSchemeVariant_MoreauMidpoint,
  .setup         = NsSchemeSetup_MoreauMidpoint,
  .start         = NsSchemeStart_MoreauMidpoint,
  .step          = NsSchemeStep_MoreauMidpoint,
  .amplification = NsSchemeAmplification_MoreauMidpoint,
  .destroy       = NsSchemeDestroy_MoreauMidpoint,
};
