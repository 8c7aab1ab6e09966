/*
  Moreau-type variational integrator.

  [D] G. Capobianco, S. R. Eugster: A Moreau-type variational integrator, (8). The motion is linear between nodes (t_k, q_k), with velocities u_k = (q_{k+1} - q_k)/dt;
  the principle of virtual action, its integrals by the trapezoidal rule, gives at each node, with T = u' M(q) u/2 and F = T_q + f, the derivative of T and the forces,

      1/2 (M(q_k) + M(q_{k+1})) u_k - dt/2 F(q_k, u_k) = p^-_k + W(q_k) P_k,
      p^-_{k+1} = 1/2 (M(q_k) + M(q_{k+1})) u_k + dt/2 F(q_{k+1}, u_k),                           p^-_0 = M(q_0) v_0
      0 <= W(q_k)' (u_k + e u_{k-1})  _|_  P_k >= 0  (and friction)  where g(q_k) <= 0, and at joints (u = 0)

  F = h + (dM/dt along u) u, for h has the gyroscopic terms: h = f - (dM/dt) u + T_q. For constant M and forces that do not depend on velocities this is Moreau's midpoint
  scheme, whose midpoints are the nodes here; dampers act with the mean of u_{k-1} and u_k, which does not change the critical time step.

  The state at t_k is q_k with v_k = (u_{k-1} + u_k)/2, of second order; with an impact at the node v_k = u_k, the right limit. So each step takes
  u_k from the last one, moves to q_{k+1}, and solves there for P_{k+1} and u_{k+1}; the first one solves at the start, too. The energies shown are those of (q_k, v_k):
  more accurate than T(q_k, u_k) + V(q_k) of [D] Fig. 2, which uses the difference quotients u_k.

  Newton's method with M + dt/2 C_t at (q_k, u_{k-1}) for the derivative, C_t = -dh/dv: terms of first order in dt with derivatives of M cancel, so that each iteration
  reduces the error by a factor of the order dt^2; convergence is predicted from that factor, without an iteration to verify it. At most three iterations for the spring pendulum, as with the
  whole derivative, made anew each time; 3.3 on the slider-crank, and up to five. One iteration if forces are linear.

  Ledger: work at a node is that of its forces and percussions with (u_{k-1} + u_k)/2. Half of it lies before the node and half after, as v_k is half way through it; all of it
  before v_k where that is u_k.
*/
#include "percussion.h"
#include "iteration.h"

typedef struct {
  NsPercussion     p; /* slot 1, A; p.v1: u_k while it is solved for */
  Vec              u; /* u_k, with q_k in the state */
  Vec              q1, end, incoming, h, r, dv, next;
  PetscReal        due[4]; /* J: terms of the ledger at the last node that lie after it */
  PetscBool        begun;  /* u is there */
  NsContactReport *first;  /* [candidates] of the node at the start */
} NsScheme_Variational;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_Variational *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsSchemeAddsPositions(scheme));
  PetscCall(NsPercussionDeclare(scheme, work, 1, PETSC_FALSE));
  PetscCall(NsWorkVecs(work, &self->q1, &self->end, &self->incoming, &self->h, &self->r, &self->dv, &self->next, NULL));
  PetscCall(NsWorkBytes(work, sizeof(*self->first) * (size_t)work->candidates, &self->first));
  PetscCall(NsHistoryFlag(work, "begun", &self->begun));
  PetscCall(NsHistoryNumbers(work, "due", 4, self->due));
  NsHistoryWhen(work, &self->begun);
  PetscCall(NsHistoryVec(work, "u", &self->u));
  NsHistoryWhen(work, NULL);
  PetscFunctionReturn(0);
}

static NsOperator node_operator(const NsModel *model, PetscReal dt)
{
  return (NsOperator){1, model->velocity_matters ? dt / 2 : 0, 0};
}

static PetscErrorCode start(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  ((NsScheme_Variational *)scheme->data)->begun = PETSC_FALSE;
  PetscCall(NsPercussionStart(scheme, state, node_operator(scheme->model, ((const NsSchemeSettings *)scheme->settings)->step)));
  PetscFunctionReturn(0);
}

/* sum += scale F(t, q, u) */
static PetscErrorCode add_forces(NsScheme *scheme, PetscReal t, Vec q, Vec u, PetscReal scale, Vec sum)
{
  NsScheme_Variational *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsModelForce(scheme->model, t, q, u, self->h));
  PetscCall(VecAXPY(sum, scale, self->h));
  if (scheme->model->constant_mass) PetscFunctionReturn(0);
  PetscCall(NsModelMassRate(scheme->model, t, q, u, self->h));
  PetscCall(VecAXPY(sum, scale, self->h));
  PetscFunctionReturn(0);
}

typedef struct {
  PetscReal t;
  Vec       q;
} Node;

/* sum += scale (M(neighbour) - M(node))/2 u */
static PetscErrorCode add_inertia(NsScheme *scheme, Node node, Node neighbour, Vec u, PetscReal scale, Vec sum)
{
  NsScheme_Variational *self = scheme->data;

  PetscFunctionBegin;
  if (scheme->model->constant_mass) PetscFunctionReturn(0);
  PetscCall(NsModelMult(scheme->model, neighbour.t, neighbour.q, u, self->h));
  PetscCall(VecAXPY(sum, scale / 2, self->h));
  PetscCall(NsModelMult(scheme->model, node.t, node.q, u, self->h));
  PetscCall(VecAXPY(sum, -scale / 2, self->h));
  PetscFunctionReturn(0);
}

/* The terms that do not change while u_k is solved for: p^-_k - M(q_k) u_{k-1}, and the forces after the node where they do not depend on velocities. */
static PetscErrorCode gather_incoming(NsScheme *scheme, PetscReal t, PetscReal dt, Vec last, Vec q, Vec before)
{
  NsScheme_Variational *self   = scheme->data;
  const PetscReal       weight = (last ? dt / 2 : 0) + (scheme->model->velocity_matters ? 0 : dt / 2);

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(self->incoming));
  if (weight > 0) PetscCall(add_forces(scheme, t, q, before, weight, self->incoming));
  if (last) PetscCall(add_inertia(scheme, (Node){t, q}, (Node){t - dt, last}, before, 1, self->incoming));
  PetscFunctionReturn(0);
}

/* u_k+ into next, from u_k in p.v1; P and the velocities around it. */
static PetscErrorCode newton_iteration(NsScheme *scheme, PetscReal t, PetscReal dt, Vec q, Vec before, NsStepOutcome *outcome)
{
  NsScheme_Variational *self  = scheme->data;
  NsPercussion         *p     = &self->p;
  NsModel              *model = scheme->model;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(self->dv, -1, p->v1, before));
  PetscCall(NsModelMult(model, t, q, self->dv, self->r));
  PetscCall(VecAXPY(self->r, 1, self->incoming));
  if (model->velocity_matters) PetscCall(add_forces(scheme, t, q, p->v1, dt / 2, self->r));
  PetscCall(NsModelMove(model, q, dt, p->v1, self->end));
  PetscCall(add_inertia(scheme, (Node){t, q}, (Node){t + dt, self->end}, p->v1, -1, self->r));
  PetscCall(NsModelSolve(model, 1, self->r, self->dv));
  PetscCall(VecWAXPY(self->next, 1, p->v1, self->dv));
  if (p->w.contacts) PetscCall(NsPercussionSolve(scheme, p->u0, self->next, outcome));
  PetscFunctionReturn(0);
}

/* Iterates until u_k has converged. Its magnitude is at least its change by the forces in a step, because a body at rest has rounding errors, too. */
static PetscErrorCode iterate(NsScheme *scheme, PetscReal t, PetscReal dt, Vec q, Vec before, NsStepOutcome *outcome)
{
  NsScheme_Variational *self      = scheme->data;
  const NsModel        *model     = scheme->model;
  const PetscBool       once      = model->linear || (model->constant_mass && !model->velocity_matters);
  NsIteration           iteration = NsIterationBegin();
  PetscReal             least     = 0, fastest;
  PetscBool             again;

  PetscFunctionBegin;
  iteration.steadily = PETSC_TRUE;
  PetscCall(VecCopy(before, self->p.v1));
  do {
    PetscCall(newton_iteration(scheme, t, dt, q, before, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    if (once) {
      PetscCall(VecCopy(self->next, self->p.v1));
      PetscFunctionReturn(0);
    }
    if (iteration.count == 0) PetscCall(NsIterationLeast(model, q, dt, self->dv, &least));
    PetscCall(NsIterationTake(&iteration, model, &self->next, &self->p.v1, least, &fastest));
    PetscCall(NsIterationEnd(&iteration, outcome, &again));
  } while (again);
  PetscFunctionReturn(0);
}

/* u_k into p.v1 at the node (t, q) = (t_k, q_k), with u_{k-1} = before and q_{k-1} = last; at the start before is v_0, and last NULL. */
static PetscErrorCode solve_node(NsScheme *scheme, PetscReal t, PetscReal dt, Vec last, Vec q, Vec before, NsStepOutcome *outcome)
{
  NsScheme_Variational *self = scheme->data;
  NsPercussion         *p    = &self->p;
  PetscInt              count;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(p->compliance, t, q, before, node_operator(scheme->model, dt)));
  PetscCall(NsContactGaps(scheme->contact, t, q));
  PetscCall(NsPercussionActivateClosed(scheme, &count));
  if (count) {
    PetscCall(NsModelRows(scheme->model, t, q, count, NsContactSelected(scheme->contact), &p->w));
    PetscCall(NsRowsVelocity(scheme->model, &p->w, before, p->u0));
  }
  PetscCall(gather_incoming(scheme, t, dt, last, q, before));
  PetscCall(iterate(scheme, t, dt, q, before, outcome));
  PetscFunctionReturn(0);
}

/* u_0 and P_0, from the given velocity: of the forces only the half after the node acts. */
static PetscErrorCode begin(NsScheme *scheme, const NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_Variational *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(solve_node(scheme, x->t, dt, NULL, x->q, x->v, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionBook(scheme, x->v, x->t, x->q, NULL, dt / 2));
  PetscCall(PetscArraycpy(self->first, NsContactReports(scheme->contact), scheme->model->candidates));
  PetscCall(PetscArrayzero(self->due, 4));
  NsVecSwap(&self->u, &self->p.v1);
  PetscFunctionReturn(0);
}

/* A contact that took impulses at both nodes of the first step reports their sum. */
static void report_both(NsScheme *scheme)
{
  NsScheme_Variational *self = scheme->data;

  for (PetscInt i = 0; i < self->p.w.contacts; i++) {
    const PetscInt         k      = self->p.w.contact[i];
    const NsContactReport *first  = &self->first[k];
    NsContactReport       *report = &NsContactReports(scheme->contact)[k];
    if (first->impulse[0] == 0) continue;
    for (int d = 0; d < 3; d++) {
      report->impulse[d] += first->impulse[d];
      report->velocity_before[d] = first->velocity_before[d];
    }
    report->impact = first->impact;
  }
}

static PetscBool is_impact(const NsPercussion *p)
{
  for (PetscInt i = 0; i < p->w.contacts; i++) {
    if (p->newly[i] && p->P[p->w.start[i]] != 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Of the work booked at this node the fraction `after` is moved to the next step; what the last step moved is added. */
static void put_off(NsLedger *ledger, const NsLedger *before, PetscReal after, PetscReal due[4])
{
  PetscReal *const now[4] = {&ledger->damping, &ledger->impact, &ledger->friction, &ledger->load};
  const PetscReal  was[4] = {before->damping, before->impact, before->friction, before->load};

  for (int i = 0; i < 4; i++) {
    const PetscReal later = after * (*now[i] - was[i]);
    *now[i] += due[i] - later;
    due[i] = later;
  }
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_Variational *self = scheme->data;
  NsPercussion         *p    = &self->p;
  const PetscReal       t1   = x->t + dt;

  PetscFunctionBegin;
  if (!self->begun) PetscCall(begin(scheme, x, dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsModelMove(scheme->model, x->q, dt, self->u, self->q1));
  PetscCall(solve_node(scheme, t1, dt, x->q, self->q1, self->u, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  const NsLedger  before = *scheme->ledger;
  const PetscReal after  = is_impact(p) ? 0 : 0.5;
  PetscCall(NsPercussionBook(scheme, self->u, t1, self->q1, NULL, dt));
  if (!self->begun) report_both(scheme);
  put_off(scheme->ledger, &before, after, self->due);
  NsVecSwap(&self->u, &p->v1);
  PetscCall(VecAXPBY(p->v1, 1 - after, after, self->u)); /* v1 = after u_k + (1 - after) u_{k+1} */
  self->begun = PETSC_TRUE;
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

/* For u and the position in the middle between nodes: the eigenvalues are those of any other pair of the motion. */
static void amplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  (void)settings;
  for (int c = 0; c < 2; c++) {
    const PetscReal x0 = c == 0, y0 = c == 1;
    const NsComplex y1 = ((1 - zeta * w) * y0 - w * (x0 + w / 2 * y0)) / (1 + zeta * w);
    S[c]               = x0 + w / 2 * (y0 + y1);
    S[2 + c]           = y1;
  }
}

static const NsKey keys[] = {NS_STEP_KEY, NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_Variational = {
  .variant =
    {
      .name  = "variational",
      .title = "Moreau-type variational integrator: energy stays bounded, also where the mass matrix varies",
      .about = "The motion is linear between nodes, and the principle of virtual action gives momentum balance and impact law at each node. The "
               "velocity reported at a node is the mean of both sides, and after an impact that of the later side.\n"
               "Explicit in stiffness, implicit in velocities (Newton's method, at most five iterations). If the mass matrix is constant and forces "
               "do not depend on velocities, the scheme is scheme.moreau_midpoint, with its midpoints as nodes. One percussion P per step contains "
               "force and impulse; it is reported as impulse, and P/dt is the force while contact lasts. Energy does not drift in "
               "flight, however long; joints drift, and lose energy in proportion to dt. Elastic bodies that keep hitting with e near 1 gain energy; "
               "scheme.moreau_jean and scheme.event_driven_hem5 conserve it.\n",
      .table = &(const NsTable){"variational", "Moreau-type variational integrator", keys, sizeof(NsSchemeSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "oscillates, bounded; e near 1 increases it; joints lose O(dt)",
      .needs         = "",
      .cited         = "Capobianco, Eugster (8)",
      .step_limit    = "dt < 2/omega_max, independent of damping",
      .theory        = "schemes_velocity",
      .reference     = "G. Capobianco, S. R. Eugster, A Moreau-type variational integrator, (8)",
    },
  .implicit      = PETSC_TRUE,
  .size          = sizeof(NsScheme_Variational),
  .declare       = declare,
  .start         = start,
  .step          = step,
  .amplification = amplification,
};
