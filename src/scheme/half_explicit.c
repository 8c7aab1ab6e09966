/*
  Half-explicit scheme on velocity level, forecasting trapezoidal rule.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, Fig. 9. From (q0, v0) at t0 to (q1, v1) at t1 = t0 + dt:

    1. a0 = M0^-1 h(t0, q0, v0);  closed contacts (g(q0) <= 0): force lambda0 with
       v_a = v0 + dt (a0 + M0^-1 W0 lambda0),   0 <= W(q0 + dt v0)' v_a  _|_  lambda0 >= 0   (and friction)
    2. q1 = q0 + dt/2 (v0 + v_a)
    3. no contact newly closed at q1: force lambda1 on the closed ones,
       v1 = v0 + dt/2 (a0 + M0^-1 W0 lambda0) + dt/2 M1^-1 (h(t1, q1, v_a) + W1 lambda1),   0 <= W1' v1  _|_  lambda1 >= 0
    4. some contact newly closed (open at q0, closed at q1): no forces, but impulses Lambda on all closed contacts,
       v^- = v0 + dt/2 (a0 + M1^-1 h(t1, q1, v_a)),   v1 = v^- + M1^-1 W1 Lambda,   impact law with v^-
     "All" are those that the impact reaches through the Delassus matrix: bodies that do not touch each other step as if alone.

  The predicted position of 1 serves for W only. Restitution acts on the newly closed contacts only (`restitution_of: all_closed` is the
  paper's rule): a resting contact hit by a neighbour's impact would otherwise bounce on its own round-off velocity.
  In free flight this is velocity Verlet: order 2, dt < 2/omega_max. Cost: two accelerations, at most two local problems, no other solve.

  Ledger: with v_m = (v0 + v1)/2 the change of kinetic energy is v_m' M (v1 - v0), so forces work with v_m; dampers see v0 and v_a.
*/
#include "percuss/scheme.h"

typedef struct {
  const NsNode *where;
  double        step;
  int           level;          /* 0 velocity */
  int           restitution_of; /* 0 newly_closed, 1 all_closed */
} NsSettings_HalfExplicit;

typedef struct {
  NsCompliance *mass; /* slot 0, A = M */
  Vec           a0, a1, va, q1, v1, vm;
  NsRows        w0, wu, w1;
  PetscReal    *P0, *P1, *Lambda, *u0, *u1; /* dt lambda0, dt/2 lambda1, Lambda */
  PetscBool    *closed;                     /* [candidates] at q0 */
  PetscBool    *newly, *struck, *bounces;   /* [active at q1] just closed; reached by an impact; with restitution */
} NsScheme_HalfExplicit;

static PetscErrorCode NsSchemeSetup_HalfExplicit(NsScheme *scheme)
{
  NsScheme_HalfExplicit *self;
  const PetscInt         rows = scheme->contact->rows, candidates = scheme->contact->candidates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsVecsCreate(scheme->model, &self->a0, &self->a1, &self->va, &self->q1, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->w0));
  PetscCall(NsRowsCreate(scheme->model, &self->wu));
  PetscCall(NsRowsCreate(scheme->model, &self->w1));
  PetscCall(PetscCalloc5(rows, &self->P0, rows, &self->P1, rows, &self->Lambda, rows, &self->u0, rows, &self->u1));
  PetscCall(PetscCalloc4(candidates, &self->closed, candidates, &self->newly, candidates, &self->struck, candidates, &self->bounces));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_HalfExplicit(NsScheme *scheme)
{
  NsScheme_HalfExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsVecsDestroy(&self->a0, &self->a1, &self->va, &self->q1, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsDestroy(&self->w0));
  PetscCall(NsRowsDestroy(&self->wu));
  PetscCall(NsRowsDestroy(&self->w1));
  PetscCall(PetscFree5(self->P0, self->P1, self->Lambda, self->u0, self->u1));
  PetscCall(PetscFree4(self->closed, self->newly, self->struck, self->bounces));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

/* The compliance now, so that no step has to allocate for the first contact; and what is closed. */
static PetscErrorCode NsSchemeStart_HalfExplicit(NsScheme *scheme, const NsState *state)
{
  NsScheme_HalfExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, state->t, state->q, state->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactClosedAtStart(scheme->contact, state, self->closed));
  PetscFunctionReturn(0);
}

/* Closed contacts at (t, q) into contact->active. */
static PetscErrorCode find_closed(NsContact *contact, PetscReal t, Vec q, PetscInt *count)
{
  PetscFunctionBegin;
  *count = 0;
  PetscCall(NsContactGaps(contact, t, q));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (NsContactIsClosed(contact, i)) contact->active[(*count)++] = i;
  }
  PetscFunctionReturn(0);
}

/* 1: v_a from v0 and a0, with the forces of the contacts closed at q0. */
static PetscErrorCode euler_stage(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_HalfExplicit *self    = scheme->data;
  NsContact             *contact = scheme->contact;
  PetscInt               count   = 0;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->va, dt, self->a0, x->v));
  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (self->closed[i]) contact->active[count++] = i;
  }
  self->w0.contacts = self->w0.rows = 0;
  if (!count) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(self->q1, dt, x->v, x->q));
  PetscCall(NsModelRows(scheme->model, x->t, x->q, count, contact->active, &self->w0));
  PetscCall(NsModelRows(scheme->model, x->t + dt, self->q1, count, contact->active, &self->wu));
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsComplianceDelassus(self->mass, &self->wu, &self->w0, contact->G));
  PetscCall(NsRowsVelocity(scheme->model, &self->wu, self->va, self->u1));
  PetscCall(NsContactSolve(contact, &self->w0, self->u1, NULL, NULL, self->P0, &outcome->done));
  if (!outcome->done)
    PetscCall(NsStepFail(outcome, scheme, &self->w0, "forces"));
  else
    PetscCall(NsComplianceApply(self->mass, &self->w0, self->P0, 1, self->va));
  PetscFunctionReturn(0);
}

/* Contacts i and j act on each other: some entry of their block of G is not zero. */
static PetscBool are_coupled(const NsContact *contact, const NsRows *rows, PetscInt i, PetscInt j)
{
  for (PetscInt r = rows->start[i]; r < rows->start[i + 1]; r++) {
    for (PetscInt c = rows->start[j]; c < rows->start[j + 1]; c++) {
      if (contact->G[r * rows->rows + c] != 0) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/*
  The contacts an impact reaches: the newly closed ones, all that are coupled with them, and so on. The others belong to bodies that have nothing to do with it and
  step on with their forces, as they would alone. Where the mass matrix varies all contacts are taken for one system.
*/
static PetscBool find_struck(NsScheme *scheme)
{
  NsScheme_HalfExplicit *self   = scheme->data;
  const NsRows          *rows   = &self->w1;
  PetscBool              impact = PETSC_FALSE, grown = PETSC_TRUE;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    self->newly[i]  = self->closed[rows->contact[i]] ? PETSC_FALSE : PETSC_TRUE;
    self->struck[i] = self->newly[i];
    impact          = impact || self->newly[i] ? PETSC_TRUE : PETSC_FALSE;
  }
  while (impact && grown) {
    grown = PETSC_FALSE;
    for (PetscInt i = 0; i < rows->contacts; i++) {
      for (PetscInt j = 0; j < rows->contacts && !self->struck[i]; j++) {
        if (self->struck[j] && (!scheme->model->constant_mass || are_coupled(scheme->contact, rows, i, j))) self->struck[i] = grown = PETSC_TRUE;
      }
    }
  }
  return impact;
}

/* Zero in P for the contacts of `rows` that an impact reaches, or that opened meanwhile: their lambda0 is left out. True when some, not all, of P stays. */
static PetscBool drop_struck(const NsScheme *scheme, const NsRows *rows, PetscReal *P)
{
  const NsScheme_HalfExplicit *self = scheme->data;
  PetscBool                    some = PETSC_FALSE;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    PetscBool keep = PETSC_FALSE;
    for (PetscInt j = 0; j < self->w1.contacts; j++)
      keep = keep || (self->w1.contact[j] == rows->contact[i] && !self->struck[j]) ? PETSC_TRUE : PETSC_FALSE;
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1] && !keep; k++) P[k] = 0;
    some = some || keep ? PETSC_TRUE : PETSC_FALSE;
  }
  return some;
}

/* 3, 4: the velocity without the reactions at t1. */
static PetscErrorCode free_velocity(NsScheme *scheme, const NsState *x, PetscReal dt, PetscBool impact)
{
  NsScheme_HalfExplicit *self = scheme->data;

  PetscFunctionBegin;
  if (!impact) {
    PetscCall(VecWAXPY(self->v1, 1, x->v, self->va)); /* (v0 + v_a)/2 = v0 + dt/2 (a0 + M0^-1 W0 lambda0) */
    PetscCall(VecScale(self->v1, 0.5));
  } else {
    PetscCall(VecWAXPY(self->v1, dt / 2, self->a0, x->v)); /* v^- */
    if (drop_struck(scheme, &self->w0, self->P0)) PetscCall(NsComplianceApply(self->mass, &self->w0, self->P0, 0.5, self->v1));
  }
  PetscCall(VecAXPY(self->v1, dt / 2, self->a1));
  PetscFunctionReturn(0);
}

/*
  3, 4: reactions at t1, forces lambda1 = P1 2/dt and impulses Lambda in one local problem (they are not coupled). v1 holds the free velocity on entry.
  Dampers, loads and forces work with v_m, the mean before the impulses come.
*/
static PetscErrorCode reactions(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_HalfExplicit         *self     = scheme->data;
  const NsSettings_HalfExplicit *settings = scheme->settings;
  NsContact                     *contact  = scheme->contact;
  NsRows                        *rows     = &self->w1;

  PetscFunctionBegin;
  PetscCall(NsRowsVelocity(scheme->model, rows, self->v1, self->u0));
  for (PetscInt i = 0; i < rows->contacts; i++) self->bounces[i] = settings->restitution_of == 1 ? self->struck[i] : self->newly[i];
  PetscCall(NsContactSolve(contact, rows, self->u0, self->u0, self->bounces, self->P1, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, rows, "reactions"));
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      self->Lambda[k] = self->struck[i] ? self->P1[k] : 0;
      if (self->struck[i]) self->P1[k] = 0;
    }
  }
  PetscCall(NsComplianceApply(self->mass, rows, self->P1, 1, self->v1));
  PetscCall(NsContactReportForce(contact, rows, self->P1, 2 / dt));
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  PetscCall(NsComplianceApply(self->mass, rows, self->Lambda, 1, self->v1));
  PetscCall(NsRowsVelocity(scheme->model, rows, self->v1, self->u1));
  PetscCall(NsContactReportImpulse(contact, scheme->ledger, rows, self->Lambda, self->u0, self->u1, NULL));
  for (PetscInt i = 0; i < rows->contacts; i++)
    outcome->impulsive = outcome->impulsive || contact->report[rows->contact[i]].impact ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* Friction takes -u_T,m . P_T of the forces at both ends, u_m the mean velocity of the step. */
static PetscErrorCode book_friction(NsScheme *scheme, const NsRows *rows, const PetscReal *P, PetscReal scale)
{
  NsScheme_HalfExplicit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsRowsVelocity(scheme->model, rows, self->vm, self->u0));
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i] + 1; k < rows->start[i + 1]; k++) scheme->ledger->friction -= scale * self->u0[k] * P[k];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode book_power(NsScheme *scheme, const NsState *x, PetscReal dt, Vec vm)
{
  NsScheme_HalfExplicit *self = scheme->data;
  NsPower                p0, p1;

  PetscFunctionBegin;
  PetscCall(NsModelPower(scheme->model, x->t, x->q, x->v, vm, &p0));
  PetscCall(NsModelPower(scheme->model, x->t + dt, self->q1, self->va, vm, &p1));
  scheme->ledger->damping += dt / 2 * (p0.damping + p1.damping);
  scheme->ledger->load += dt / 2 * (p0.load + p1.load);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_HalfExplicit(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_HalfExplicit *self    = scheme->data;
  NsContact             *contact = scheme->contact;
  NsModel               *model   = scheme->model;
  const PetscReal        t1      = x->t + dt;
  PetscInt               count;

  PetscFunctionBegin;
  PetscCall(NsModelAccel(model, x->t, x->q, x->v, self->a0));
  PetscCall(euler_stage(scheme, x, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);

  PetscCall(VecWAXPY(self->q1, dt / 2, x->v, x->q)); /* q1 = q0 + dt/2 (v0 + v_a) */
  PetscCall(VecAXPY(self->q1, dt / 2, self->va));
  PetscCall(NsModelAccel(model, t1, self->q1, self->va, self->a1));
  PetscCall(find_closed(contact, t1, self->q1, &count));
  self->w1.contacts = self->w1.rows = 0;
  if (count) {
    PetscCall(NsModelRows(model, t1, self->q1, count, contact->active, &self->w1));
    PetscCall(NsComplianceUpdate(self->mass, t1, self->q1, self->va, (NsOperator){1, 0, 0}));
    PetscCall(NsComplianceDelassus(self->mass, &self->w1, &self->w1, contact->G));
  }
  PetscCall(free_velocity(scheme, x, dt, find_struck(scheme)));
  if (count) {
    PetscCall(reactions(scheme, x, dt, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
  } else {
    PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
    PetscCall(VecScale(self->vm, 0.5));
  }

  PetscCall(book_power(scheme, x, dt, self->vm));
  PetscCall(book_friction(scheme, &self->w0, self->P0, 0.5));
  PetscCall(book_friction(scheme, &self->w1, self->P1, 1));
  PetscCall(PetscArrayzero(self->closed, contact->candidates));
  for (PetscInt i = 0; i < count; i++) self->closed[self->w1.contact[i]] = PETSC_TRUE;
  NsStateSwap(x, &self->q1, &self->v1);
  x->t = t1;
  PetscFunctionReturn(0);
}

static void NsSchemeAmplification_HalfExplicit(const void *settings, PetscReal w, PetscReal zeta, PetscReal S[4])
{
  (void)settings;
  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1, a0 = -x0 - 2 * zeta * y0;
    const PetscReal ya = y0 + w * a0, x1 = x0 + w / 2 * (y0 + ya);
    S[c]     = x1;
    S[2 + c] = y0 + w / 2 * (a0 - x1 - 2 * zeta * ya);
  }
}

static const char *const level_choices[]       = {"velocity", NULL};
static const char *const restitution_choices[] = {"newly_closed", "all_closed", NULL};
static const NsKey       half_explicit_keys[]  = {
         NS_STEP_KEY(NsSettings_HalfExplicit),
         {"level", NS_KEY_CHOICE, offsetof(NsSettings_HalfExplicit, level), .choices = level_choices, .standard = "velocity",
           .help = "level on which contact is formulated", .example = "velocity"},
         {"restitution_of", NS_KEY_CHOICE, offsetof(NsSettings_HalfExplicit, restitution_of), .choices = restitution_choices, .standard = "newly_closed",
           .help = "contacts that bounce in an impact: those that just closed, or all that are closed (as in the paper)", .example = "all_closed"},
         {NULL},
};
static const NsTable half_explicit_table = {
  "half_explicit", "half-explicit scheme, velocity level", half_explicit_keys, sizeof(NsSettings_HalfExplicit)};

const NsVariant NsSchemeVariant_HalfExplicit = {
  .name  = "half_explicit",
  .title = "half-explicit, velocity level: reaction force and impulse apart, order 2 in flight",
  .about = "v_a = v0 + dt (a0 + M^-1 W0 lambda0),  q1 = q0 + dt/2 (v0 + v_a),\n"
           "v1  = v0 + dt/2 (a0 + M^-1 W0 lambda0) + dt/2 M^-1 (h(t1, q1, v_a) + W1 lambda1);\n"
           "in a step that closes a contact, impulses at its end instead: v1 = v^- + M^-1 W1 Lambda.\n"
           "Order 2 in free flight (velocity Verlet), order 1 in the impact times. Energy bounded, not damped.\n"
           "Explicit: undamped, dt < 2/omega_max; consistent bar le/(sqrt(3) c0), lumped le/c0; stiffness damping lowers it.\n"
           "Penetration at an impact is at most one step's way. Contact velocity is zero to rounding while closed.\n"
           "Reference: Schindler, Rezaei, Kursawe, Acary, half-explicit timestepping schemes on velocity level based on\n"
           "time-discontinuous Galerkin methods, Fig. 9.",
  .table = &half_explicit_table,
};

const NsSchemeType NsSchemeType_HalfExplicit = {
  .variant       = &NsSchemeVariant_HalfExplicit,
  .setup         = NsSchemeSetup_HalfExplicit,
  .start         = NsSchemeStart_HalfExplicit,
  .step          = NsSchemeStep_HalfExplicit,
  .amplification = NsSchemeAmplification_HalfExplicit,
  .destroy       = NsSchemeDestroy_HalfExplicit,
};
