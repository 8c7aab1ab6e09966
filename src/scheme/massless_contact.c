/*
  Massless contact boundary: velocity Verlet for nodes with mass, statics for contact nodes (`mass: redistributed`, src/fe/model/redistribution.c).

  H. B. Khenous, P. Laborde, Y. Renard: Mass redistribution method for finite element contact problems in elastodynamics, Eur. J. Mech. A/Solids 27 (2008);
  F. Dabaghi, A. Petrov, J. Pousin, Y. Renard: Convergence of mass redistribution method for the one-dimensional wave equation with a unilateral constraint at the
  boundary, ESAIM M2AN 48 (2014). With m for degrees of freedom with mass and c for those without, from t0 to t1 = t0 + dt:

    1. q_m1 = q_m0 + dt v_m0 + dt^2/2 a_m0
    2. K_cc q_c1 + C_cc (q_c1 - q_c0)/dt = (f - K q_m1 - C v_a)_c + W_c lambda1,   v_a = v_m0 + dt a_m0,
       0 <= g(q1)  _|_  lambda_N1 >= 0,   friction: W_T' (q1 - q0)/dt within the cone of lambda1
    3. M a_m1 = h(t1, q1, v_a) + W_m lambda1,   v_m1 = v_m0 + dt/2 (a_m0 + a_m1),   v_c1 = (q_c1 - q_c0)/dt

  2 is the local problem with A = K_cc + C_cc/dt in place of the mass matrix: q1 = q_free + A^-1 W lambda1, in impulse units P = dt lambda1 and u = g/dt. Curved gaps take Newton's method
  on them, with W at the last iterate. Contacts take part from the first iterate that closes them.

  No mass has to stop at once when contact closes: there is no impulse, no impact and no restitution, and the gap is zero to rounding while closed. A bar on a wall:
  lambda = max(0, -k q_1).

  Cost: the forces of free flight, a product with the rows of massless unknowns and a solve among them, one local problem per iteration (flat contacts: mostly one iteration).

  Critical time step: that of velocity Verlet with massless unknowns held, as they are while a contact with a fixed surface sticks. A contact between them and nodes with mass adds
  a spring to these (NsFeMasslessStiffening): a step that is stable in flight may then be too long.

  Ledger: elastic energy is quadratic, so that lasting reactions work with their mean over the step on W' (q1 - q0); dampers as in trapezoidal.h.
*/
#include "trapezoidal.h"

typedef struct {
  NsCompliance *mass, *statics; /* slot 0, A = M; slot 1 */
  PetscBool     known;          /* a0 is that of the state */
  PetscBool     works;          /* dampers or loads do */
  Vec           a0, a1, q1, v1; /* a0, a1 with reactions */
  Vec           va;             /* where forces depend on it; of massless unknowns v_c1 at the end, always */
  Vec           vm;             /* where something works: the velocity with which it does, (v0 + v1)/2, of massless unknowns v_c1 */
  NsRows        w0, w1;         /* of the last step and this one */
  PetscReal    *P0, *P1, *u, *b;
  PetscReal    *t0, *tf, *t1, *td; /* [touches] q0, q_free, the iterate, a difference */
  PetscReal    *free, *last;       /* [massless] q_free; the iterate before */
  PetscInt     *list;
  PetscBool    *taken;  /* [candidates] has been closed at an iterate of this step */
  PetscBool    *closed; /* [candidates] at the end of the last step */
} NsMasslessContact;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  const NsModel     *model = work->model;
  NsMasslessContact *self  = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsSchemeAddsPositions(scheme));
  self->works = model->dynamics.power != NULL;
  PetscCall(NsWorkCompliance(work, 0, &self->mass));
  PetscCall(NsWorkCompliance(work, 1, &self->statics));
  PetscCall(NsWorkVecs(work, &self->a1, &self->q1, &self->v1, &self->va, &self->vm, NULL));
  PetscCall(NsWorkRows(work, &self->w1, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->P1, &self->u, &self->b, NULL));
  PetscCall(NsWorkReals(work, model->touches, &self->t0, &self->tf, &self->t1, &self->td, NULL));
  PetscCall(NsWorkReals(work, model->massless, &self->free, &self->last, NULL));
  PetscCall(NsWorkInts(work, work->candidates, &self->list, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->taken, NULL));
  PetscCall(NsHistoryFlag(work, "known", &self->known));
  NsHistoryWhen(work, &self->known);
  PetscCall(NsHistoryVec(work, "a0", &self->a0));
  NsHistoryWhen(work, NULL);
  PetscCall(NsHistoryFlags(work, "closed", work->candidates, &self->closed));
  PetscCall(NsHistoryRows(work, "w0", &self->w0));
  PetscCall(NsHistoryReals(work, "P0", work->rows, &self->P0));
  NsContactSetHeld(scheme->contact, self->closed, NULL);
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsMasslessContact *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  if (scheme->model->massless) PetscCall(NsComplianceUpdate(self->statics, x->t, x->q, x->v, (NsOperator){0, 1 / dt, 1}));
  PetscFunctionReturn(0);
}

static PetscErrorCode start(NsScheme *scheme, const NsState *state)
{
  NsMasslessContact *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(factor(scheme, state, ((const NsSchemeSettings *)scheme->settings)->step));
  PetscCall(NsContactGaps(scheme->contact, state->t, state->q));
  PetscCall(PetscArrayzero(self->closed, scheme->model->candidates));
  (void)NsContactFlagClosed(scheme->contact, self->closed);
  self->w0.contacts = self->w0.rows = 0;
  self->known                       = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* a += M^-1 W lambda: of unknowns with mass that the contacts act on besides. */
static PetscErrorCode push(NsScheme *scheme, const NsRows *rows, const PetscReal *P, PetscReal dt, Vec a)
{
  NsMasslessContact *self = scheme->data;

  PetscFunctionBegin;
  if (rows->rows) PetscCall(NsComplianceApply(self->mass, rows, P, 1 / dt, a));
  PetscFunctionReturn(0);
}

/* 1 into q1, and v_a where forces depend on it; massless unknowns stay where they are. */
static PetscErrorCode predict(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsMasslessContact *self  = scheme->data;
  const NsModel     *model = scheme->model;
  const PetscScalar *q0, *v0, *a0;
  PetscScalar       *q1, *va;

  PetscFunctionBegin;
  q0 = NsVecRead(x->q);
  v0 = NsVecRead(x->v);
  a0 = NsVecRead(self->a0);
  q1 = NsVecArray(self->q1);
  va = NsVecArray(self->va);
  for (PetscInt i = 0; i < model->layout->local; i++) q1[i] = q0[i] + dt * (v0[i] + dt / 2 * a0[i]);
  for (PetscInt i = 0; i < model->layout->local && model->velocity_matters; i++) va[i] = v0[i] + dt * a0[i];
  for (PetscInt k = 0; k < model->massless; k++) {
    const PetscInt i = model->massless_index[k];
    va[i]            = 0;
    q1[i]            = q0[i];
  }
  PetscFunctionReturn(0);
}

/* Massless unknowns of q1 into an array, or out of one. */
static PetscErrorCode take_massless(const NsModel *model, Vec q, PetscReal *value)
{
  const PetscReal *from = NsVecRead(q);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < model->massless; k++) value[k] = from[model->massless_index[k]];
  PetscFunctionReturn(0);
}

static PetscErrorCode put_massless(const NsModel *model, const PetscReal *value, Vec q)
{
  PetscReal *to = NsVecArray(q);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < model->massless; k++) to[model->massless_index[k]] = value[k];
  PetscFunctionReturn(0);
}

/* Lists the contacts of `taken` and those closed by the last NsContactGaps; *more: some are new. */
static PetscInt list_taken(NsMasslessContact *self, const NsContact *contact, PetscBool *more)
{
  PetscInt count = 0;

  *more = PETSC_FALSE;
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    if (!self->taken[i] && NsContactIsClosed(contact, i)) *more = self->taken[i] = PETSC_TRUE;
    if (self->taken[i]) self->list[count++] = i;
  }
  return count;
}

/* W' (x - y) of values of the touch list. */
static void difference(const NsScheme *scheme, const NsRows *rows, const PetscReal *x, const PetscReal *y, PetscReal *d)
{
  NsMasslessContact *self = scheme->data;

  for (PetscInt k = 0; k < scheme->model->touches; k++) self->td[k] = x[k] - y[k];
  NsRowsVelocityTouched(rows, self->td, d);
  for (PetscInt k = 0; k < rows->rows; k++) d[k] -= rows->drive[k];
}

/* One iteration from the iterate in q1 to the next: rows there, and P1. *change: the most that a massless unknown moves. */
static PetscErrorCode solve_iteration(NsScheme *scheme, const NsState *x, PetscReal dt, PetscInt count, PetscReal *change, NsStepOutcome *outcome)
{
  NsMasslessContact *self    = scheme->data;
  NsModel           *model   = scheme->model;
  NsContact         *contact = scheme->contact;
  NsRows            *rows    = &self->w1;

  PetscFunctionBegin;
  PetscCall(NsModelRows(model, x->t + dt, self->q1, count, self->list, rows));
  PetscCall(NsContactDelassus(contact, self->statics, rows, rows));
  NsContactScale(contact, 1 / (dt * dt));
  PetscCall(NsModelTouch(model, self->q1, self->t1));
  difference(scheme, rows, self->tf, self->t0, self->u);
  difference(scheme, rows, self->tf, self->t1, self->b);
  for (PetscInt i = 0; i < count; i++) {
    const PetscInt normal = rows->start[i];
    for (PetscInt k = normal; k < rows->start[i + 1]; k++) self->u[k] = rows->drive[k] + self->u[k] / dt;
    self->u[normal] = (NsContactLastGaps(contact)[rows->contact[i]] + self->b[normal]) / dt;
  }
  PetscCall(NsContactSolve(contact, rows, self->u, NULL, NULL, self->P1, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, rows, "forces"));
    PetscFunctionReturn(0);
  }
  PetscCall(take_massless(model, self->q1, self->last));
  PetscCall(put_massless(model, self->free, self->q1));
  PetscCall(NsComplianceApply(self->statics, rows, self->P1, 1 / dt, self->q1));
  *change             = 0;
  const PetscReal *q1 = NsVecRead(self->q1);
  for (PetscInt k = 0; k < model->massless; k++) {
    const PetscReal moved = PetscAbsReal(q1[model->massless_index[k]] - self->last[k]);
    if (!(moved <= *change)) *change = moved;
  }
  PetscFunctionReturn(0);
}

#define NS_MOST_ITERATIONS 50

/* 2 from q_free in q1: q1, w1 and P1. */
static PetscErrorCode touch(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsMasslessContact *self    = scheme->data;
  NsModel           *model   = scheme->model;
  NsContact         *contact = scheme->contact;
  PetscReal          change = 0, last = PETSC_MAX_REAL, size = model->length_scale;
  PetscBool          more;

  PetscFunctionBegin;
  self->w1.contacts = self->w1.rows = 0;
  if (!model->candidates) PetscFunctionReturn(0);
  PetscCall(NsContactGaps(contact, x->t + dt, self->q1));
  NsContactClearFlags(contact, self->taken);
  PetscInt count = list_taken(self, contact, &more);
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelTouch(model, x->q, self->t0));
  PetscCall(NsModelTouch(model, self->q1, self->tf));
  PetscCall(take_massless(model, self->q1, self->free));
  for (PetscInt k = 0; k < model->massless; k++) size = PetscMax(size, PetscAbsReal(self->free[k]));
  for (int iteration = 0; iteration < NS_MOST_ITERATIONS; iteration++) {
    PetscCall(solve_iteration(scheme, x, dt, count, &change, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsContactGaps(contact, x->t + dt, self->q1));
    count = list_taken(self, contact, &more);
    /* flat: one iteration is exact; else to rounding; NaN is found by the guard of the time loop */
    if (!more && (model->flat_contacts || !(change > 0) || (change < 1e-13 * size && change >= last))) PetscFunctionReturn(0);
    last = more ? PETSC_MAX_REAL : change;
  }
  if (last < 1e-13 * size) PetscFunctionReturn(0);
  outcome->done = PETSC_FALSE;
  PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason),
    "the contact forces do not converge in %d iterations (last change %.1e m); a shorter step may help", NS_MOST_ITERATIONS, last));
  PetscCall(NsStepName(outcome, scheme, self->w1.contacts, self->w1.contact));
  PetscFunctionReturn(0);
}

/* 2 of the last step again, with the contacts that act now, at the same q_m1. */
static PetscErrorCode settle(NsScheme *scheme, NsState *x, NsStepOutcome *outcome)
{
  NsMasslessContact *self   = scheme->data;
  NsModel           *model  = scheme->model;
  const PetscReal    dt     = ((const NsSchemeSettings *)scheme->settings)->step;
  const NsState      before = {.t = x->t - dt, .q = self->v1, .v = x->v};

  PetscFunctionBegin;
  if (!model->massless) PetscFunctionReturn(0);
  PetscCall(factor(scheme, x, dt));
  PetscCall(VecCopy(x->q, before.q));
  PetscCall(VecCopy(x->v, self->va));
  const PetscReal *v  = NsVecRead(x->v);
  PetscReal       *q0 = NsVecArray(before.q), *va = NsVecArray(self->va);
  for (PetscInt k = 0; k < model->massless; k++) {
    const PetscInt i = model->massless_index[k];
    q0[i] -= dt * v[i];
    va[i] = 0;
  }
  PetscCall(VecCopy(before.q, self->q1));
  PetscCall(NsModelSettle(model, 1, x->t, self->q1, self->va));
  PetscCall(touch(scheme, &before, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(take_massless(model, self->q1, self->last));
  PetscCall(put_massless(model, self->last, x->q));
  PetscFunctionReturn(0);
}

/* v_c1 into va, then a1. */
static PetscErrorCode accelerate(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsMasslessContact *self  = scheme->data;
  NsModel           *model = scheme->model;
  const PetscScalar *q0, *q1;
  PetscScalar       *va;

  PetscFunctionBegin;
  q0 = NsVecRead(x->q);
  q1 = NsVecRead(self->q1);
  va = NsVecArray(self->va);
  for (PetscInt k = 0; k < model->massless; k++) {
    const PetscInt i = model->massless_index[k];
    va[i]            = (q1[i] - q0[i]) / dt;
  }
  PetscCall(NsModelAccel(model, x->t + dt, self->q1, self->va, self->a1));
  PetscCall(push(scheme, &self->w1, self->P1, dt, self->a1));
  PetscFunctionReturn(0);
}

/* The rest of 3, and vm. */
static PetscErrorCode advance(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsMasslessContact *self  = scheme->data;
  const NsModel     *model = scheme->model;
  const PetscScalar *v0, *a0, *a1, *va;
  PetscScalar       *v1, *vm;

  PetscFunctionBegin;
  v0 = NsVecRead(x->v);
  a0 = NsVecRead(self->a0);
  a1 = NsVecRead(self->a1);
  va = NsVecRead(self->va);
  v1 = NsVecArray(self->v1);
  vm = NsVecArray(self->vm);
  for (PetscInt i = 0; i < model->layout->local; i++) v1[i] = v0[i] + dt / 2 * (a0[i] + a1[i]);
  for (PetscInt i = 0; i < model->layout->local && self->works; i++) vm[i] = (v0[i] + v1[i]) / 2;
  for (PetscInt k = 0; k < model->massless; k++) {
    const PetscInt i = model->massless_index[k];
    v1[i]            = va[i];
    vm[i]            = va[i];
  }
  PetscFunctionReturn(0);
}

/* Half of the work of the reactions of these rows, on W' (q1 - q0). */
static PetscErrorCode book_forces(NsScheme *scheme, const NsState *x, const NsRows *rows, const PetscReal *P, PetscReal dt)
{
  NsMasslessContact *self = scheme->data;

  PetscFunctionBegin;
  if (!NsRowsWork(rows)) PetscFunctionReturn(0);
  PetscCall(NsModelTouch(scheme->model, x->q, self->t0));
  PetscCall(NsModelTouch(scheme->model, self->q1, self->t1));
  difference(scheme, rows, self->t1, self->t0, self->u);
  for (PetscInt k = 0; k < rows->rows; k++) self->u[k] = 2 * (rows->drive[k] + self->u[k] / dt);
  NsContactBookForces(scheme->ledger, rows, P, 0.5, self->u);
  PetscFunctionReturn(0);
}

static PetscErrorCode book(NsScheme *scheme, const NsState *x, PetscReal dt)
{
  NsMasslessContact *self   = scheme->data;
  NsLedger          *ledger = scheme->ledger;
  NsPower            p0, p1;

  PetscFunctionBegin;
  if (self->works) {
    PetscCall(NsModelPower(scheme->model, x->t, x->q, x->v, self->vm, &p0));
    PetscCall(NsModelPower(scheme->model, x->t + dt, self->q1, self->va, self->vm, &p1));
    ledger->damping += dt / 2 * (p0.damping + p1.damping);
    ledger->load += dt / 2 * (p0.load + p1.load);
  }
  PetscCall(book_forces(scheme, x, &self->w0, self->P0, dt));
  PetscCall(book_forces(scheme, x, &self->w1, self->P1, dt));
  PetscFunctionReturn(0);
}

static void swap_rows(NsMasslessContact *self)
{
  const NsRows rows = self->w0;
  PetscReal   *P    = self->P0;

  self->w0 = self->w1;
  self->w1 = rows;
  self->P0 = self->P1;
  self->P1 = P;
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsMasslessContact *self    = scheme->data;
  NsContact         *contact = scheme->contact;
  NsModel           *model   = scheme->model;

  PetscFunctionBegin;
  PetscCall(factor(scheme, x, dt));
  if (!self->known) {
    PetscCall(NsModelAccel(model, x->t, x->q, x->v, self->a0));
    PetscCall(push(scheme, &self->w0, self->P0, dt, self->a0));
  }
  PetscCall(predict(scheme, x, dt));
  if (model->massless) PetscCall(NsModelSettle(model, 1, x->t + dt, self->q1, self->va));
  PetscCall(touch(scheme, x, dt, outcome));
  self->known = PETSC_FALSE; /* until this step is done */
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(accelerate(scheme, x, dt));
  PetscCall(advance(scheme, x, dt));
  PetscCall(NsContactReportForce(contact, &self->w1, self->P1, 1 / dt));
  PetscCall(book(scheme, x, dt));
  NsContactFlagClosed(contact, self->closed);
  for (PetscInt i = 0; i < self->w1.contacts; i++) {
    if (self->P1[self->w1.start[i]] > 0) self->closed[self->w1.contact[i]] = PETSC_TRUE;
  }
  if (!model->velocity_matters) {
    NsVecSwap(&self->a0, &self->a1);
    self->known = PETSC_TRUE;
  }
  swap_rows(self);
  NsStateSwap(x, &self->q1, &self->v1);
  x->t += dt;
  PetscFunctionReturn(0);
}

static const char *refuses(const NsModel *model, const void *settings)
{
  (void)settings;
  if (!model->constant_mass || (model->candidates && !model->massless))
    return "it needs massless contact nodes: `mass: redistributed`, or `reduce: {method: macneal}`, for each elastic body with contacts";
  if (model->slots) return NS_REFUSES_SLOTS;
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    char               name[NS_CANDIDATE_NAME];
    if (!candidate->massless && candidate->bilateral)
      return NsArenaPrint(
        model->arena, "the tie '%s' joins nodes with mass: mesh both bodies as one, or use half_explicit with `mass: lumped`", candidate->name);
    if (!candidate->massless)
      return NsArenaPrint(
        model->arena, "contact '%s' is between nodes with mass; one of its bodies needs `mass: redistributed`", NsCandidateName(candidate, name));
    if (candidate->law.restitution > 0 || candidate->law.restitution_tangential > 0)
      return NsArenaPrint(model->arena, "contact '%s' has restitution; set it to 0: a massless contact has no impact, and the rebound is elastic",
        NsCandidateName(candidate, name));
  }
  return NULL;
}

static const NsKey keys[] = {NS_STEP_KEY, NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_MasslessContact = {
  .variant =
    {
      .name  = "massless_contact",
      .title = "explicit with massless contact nodes: no impulse, no penetration, hardly any oscillation of the contact force",
      .about = "For bodies with mass: redistributed. Velocity Verlet for nodes with mass; contact nodes are massless and in static "
               "equilibrium with the contact forces. Contact is elastic: forces only, no impulse, no loss when it closes, and restitution is "
               "refused. The gap is zero to rounding while closed, on curved surfaces too; with friction.\n"
               "mass: redistributed is lumped, but the translations of contact nodes have no mass; the neighbours take it. Mass, centre and "
               "inertia of each body are kept. A massless node that presses on a body with mass stiffens it: percuss check prints the step that "
               "is safe then.\n",
      .table = &(const NsTable){"massless_contact", "massless contact boundary", keys, sizeof(NsSchemeSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "position",
      .energy        = "oscillates, bounded; not dissipated by contact",
      .needs         = "massless contact nodes",
      .cited         = "Khenous, Laborde, Renard",
      .step_limit    = "dt < 2/omega_max without damping, with contact nodes held: le/c0 for bars and beams",
      .theory        = "schemes_elastic",
      .reference = "H. B. Khenous, P. Laborde, Y. Renard, Mass redistribution method for finite element contact problems in elastodynamics, Eur. J. "
                   "Mech. A/Solids 27 (2008) 918-932",
    },
  .massless      = PETSC_TRUE,
  .refuses       = refuses,
  .laws          = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC,
  .size          = sizeof(NsMasslessContact),
  .declare       = declare,
  .start         = start,
  .settle        = settle,
  .step          = step,
  .amplification = NsTrapezoidalAmplification,
};
