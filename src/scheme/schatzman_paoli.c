/*
  Schatzman-Paoli scheme: central differences with contact on position level.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, (3), (4); after M. Schatzman, L. Paoli. From q_{k-1}, q_k:

      M(q_k) (q_{k+1} - 2 q_k + q_{k-1}) - dt^2 h(t_k, q_k, w_k) = dt W(q_k) J_k,     w_k = (q_k - q_{k-1})/dt
      0 <= g(q_{k+1}) + e g(q_{k-1})  _|_  J_k >= 0,     joints g(q_{k+1}) = 0,     v_k = (q_{k+1} - q_{k-1})/(2 dt)

  The velocity v_k belongs to t_k but needs q_{k+1}: the scheme is always one position ahead of the reported state, so that q, v, the
  reaction impulse J_k and the energies belong to the same instant. It starts with q_1 = q_0 + dt v_0 + dt^2/2 M^-1 h(0).
  Gaps never become negative by more than rounding (e = 0); the impact law takes two steps; no friction.
  Free flight is the leapfrog: dt < 2/omega_max without damping.

  Nonlinear models evaluate h at v_k, in two iterations: the first one with h(w_k), contact included, gives the v_k of the second. That is order 2, with joints too, for twice the cost;
  h(w_k) alone is order 1 wherever forces depend on velocities, as gyroscopic ones do. Linear models use one iteration, and have order 1 with dampers.

  Curved gaps: Newton's method on positions (position.h), W at q_k. The law of (4) is g((q_{k+1} + e q_{k-1})/(1 + e)) >= 0, the same where gaps are linear.
  The midpoint of a chord is off the surface of a bore of radius R: with (4), a body that slides in it with v is 2 e/(1 + e)^2 (v dt)^2/R away from the surface, with the sum
  of gaps on it; with e = 0 both require g(q_{k+1}) >= 0. Linear gaps need one local problem.

  An impact takes two steps, in which forces work as well, so that u^+ = -e u^- holds up to O(dt). Its loss is that of Newton's law with the effective mass m = P/(u'^+ - u'^-) of the first
  impulse, (1 - e^2)/2 m (u^-)^2. What else the contact takes or gives is an error of the scheme, and goes to `numerical`; during an impact the ledger has what impulses have taken so far.

  Ledger: M (v_{k+1} - v_k) = (dt (h_k + h_{k+1}) + W_k J_k + W_{k+1} J_{k+1})/2 for constant M, so forces and impulses of both ends work, half each, with (v_k + v_{k+1})/2.
*/
#include "position.h"

typedef struct {
  NsCompliance *mass;
  NsPosition    position;    /* of curved gaps; else empty */
  Vec           next;        /* q_{k+1}, with q_k in the state */
  Vec           w, w_next;   /* w_{k+1}, w_{k+2} */
  Vec           at_last, at; /* velocities at which h_k and h_{k+1} are taken: `at` is for the second iteration of nonlinear models, else NULL */
  Vec           a, ahead;    /* acceleration at q_{k+1}, and q_{k+2} */
  Vec           v1, vm;
  NsRows        rows;
  PetscReal    *P, *u, *um, *kick;        /* [rows], those of the active candidates */
  PetscReal    *gap_ahead, *gap_last, *J; /* [candidates] g(q_{k+1}), e g(q_{k-1}); J_k */
  PetscBool    *closed;                   /* [candidates] scratch of the start */
  PetscReal    *net, *law;                /* [candidates] J: booked as loss of the present impact so far; what the law takes of it */
  PetscInt     *age;                      /* [candidates] steps in contact without a break, up to 2: the impact law takes two */
} NsScheme_SchatzmanPaoli;

static const char *refuses(const NsModel *model, const void *settings)
{
  (void)settings;
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (model->candidate[i].directions > 1) return "the scheme does not support friction; set `friction: 0`, or take half_explicit or moreau_jean";
  }
  return NULL;
}

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_SchatzmanPaoli *self  = scheme->data;
  const NsModel           *model = work->model;

  PetscFunctionBegin;
  PetscCall(NsWorkCompliance(work, 0, &self->mass));
  PetscCall(NsWorkVecs(work, &self->w_next, &self->a, &self->ahead, &self->v1, &self->vm, NULL));
  if (!model->linear && model->velocity_matters) PetscCall(NsWorkVecs(work, &self->at, NULL));
  PetscCall(NsWorkRows(work, &self->rows, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->P, &self->u, &self->um, &self->kick, NULL));
  PetscCall(NsWorkReals(work, work->candidates, &self->gap_ahead, &self->gap_last, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->closed, NULL));
  PetscCall(NsHistoryVec(work, "next", &self->next));
  PetscCall(NsHistoryVec(work, "w", &self->w));
  PetscCall(NsHistoryVec(work, "at_last", &self->at_last));
  PetscCall(NsHistoryReals(work, "J", work->candidates, &self->J));
  PetscCall(NsHistoryReals(work, "net", work->candidates, &self->net));
  PetscCall(NsHistoryReals(work, "law", work->candidates, &self->law));
  PetscCall(NsHistoryIndices(work, "age", work->candidates, &self->age, 3));
  if (model->flat_contacts) PetscFunctionReturn(0);
  PetscCall(NsPositionDeclare(scheme, work, &self->position));
  self->position.offset = self->gap_last;
  PetscFunctionReturn(0);
}

/* gap_ahead = g(ahead), gap_last = e g(last) of all candidates that are active at either. */
static PetscErrorCode find_closed(NsScheme *scheme, PetscReal t, PetscReal dt, Vec last, Vec ahead)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;
  const PetscReal         *gap     = NsContactLastGaps(contact);
  const PetscInt          *active;
  PetscInt                 actives;

  PetscFunctionBegin;
  do {
    PetscCall(NsContactGaps(contact, t + dt, ahead));
    actives = NsContactActive(contact, &active);
    for (PetscInt k = 0; k < actives; k++) self->gap_ahead[active[k]] = gap[active[k]];
    PetscCall(NsContactGaps(contact, t - dt, last));
  } while (NsContactActive(contact, NULL) > actives);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i  = active[k];
    self->gap_last[i] = scheme->model->candidate[i].law.restitution * gap[i];
  }
  PetscFunctionReturn(0);
}

/* P of the rows at q_k, where gaps are linear: one local problem, for (g(q_{k+1}) + e g(q_{k-1}))/dt, scaled to be a velocity. */
static PetscErrorCode solve_linear(NsScheme *scheme, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;

  PetscFunctionBegin;
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    self->u[k]       = (self->gap_ahead[i] + self->gap_last[i]) / dt;
  }
  PetscCall(NsContactDelassus(contact, self->mass, &self->rows, &self->rows));
  PetscCall(NsContactSolve(contact, &self->rows, self->u, NULL, NULL, self->P, &outcome->done));
  if (!outcome->done) PetscCall(NsStepFail(outcome, scheme, &self->rows, "impulses"));
  PetscFunctionReturn(0);
}

/* The same where they are not, from the free q_{k+1} in `ahead`; vm is scratch here. */
static PetscErrorCode solve_curved(NsScheme *scheme, PetscReal t, PetscReal dt, Vec now, Vec ahead, NsStepOutcome *outcome)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;

  PetscFunctionBegin;
  const NsPositionProblem problem = {.t = t + dt, .q_free = ahead, .tp = t, .qp = now, .metric = self->mass, .scale = dt};
  PetscCall(NsPositionSolve(scheme, &self->position, &problem, self->vm, "impulses", outcome));
  for (PetscInt k = 0; k < self->rows.contacts && outcome->done; k++) self->P[k] = self->position.multiplier[self->rows.contact[k]];
  PetscFunctionReturn(0);
}

/*
  One move: from q_k = now->q, with q_{k-1} = last and the velocity w = now->v = (q_k - q_{k-1})/dt + dt a of the free move on entry, to q_{k+1} = ahead and its w. J_k goes to P.
  The velocity is a variable of its own: as a difference of positions it would lose six digits. Impulses may activate contacts that were inactive for the free move: then the move is
  repeated with them.
*/
static PetscErrorCode advance(NsScheme *scheme, const NsState *now, PetscReal dt, Vec last, Vec ahead, NsStepOutcome *outcome)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;
  const PetscReal          t       = now->t;
  const Vec                q = now->q, w = now->v;
  const PetscInt          *active;
  PetscInt                 actives;

  PetscFunctionBegin;
  PetscCall(NsModelMove(scheme->model, q, dt, w, ahead));
  if (!scheme->model->candidates) PetscFunctionReturn(0);
  PetscCall(NsComplianceUpdate(self->mass, t, q, w, (NsOperator){1, 0, 0}));
  for (;;) {
    PetscCall(find_closed(scheme, t, dt, last, ahead));
    actives = NsContactActive(contact, &active);
    PetscCall(NsModelRows(scheme->model, t, q, actives, active, &self->rows));
    PetscCall(scheme->model->flat_contacts ? solve_linear(scheme, dt, outcome) : solve_curved(scheme, t, dt, q, ahead, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsComplianceApply(self->mass, &self->rows, self->P, 1, w));
    PetscCall(NsModelMove(scheme->model, q, dt, w, ahead));
    if (actives == scheme->model->candidates) break;
    PetscCall(NsContactGaps(contact, t + dt, ahead));
    if (NsContactActive(contact, NULL) == actives) break;
    PetscCall(NsComplianceApply(self->mass, &self->rows, self->P, -1, w));
    PetscCall(NsModelMove(scheme->model, q, dt, w, ahead));
  }
  PetscFunctionReturn(0);
}

/* kick: what P of the rows adds to their velocities, with G of these rows where gaps are linear. */
static PetscErrorCode find_kick(NsScheme *scheme)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;

  PetscFunctionBegin;
  if (!scheme->model->flat_contacts) PetscCall(NsContactDelassus(scheme->contact, self->mass, &self->rows, &self->rows));
  PetscCall(NsContactReact(scheme->contact, &self->rows, self->P, self->kick));
  PetscFunctionReturn(0);
}

/* Of impacts that begin with P: what Newton's law takes, from the velocities u before and u + kick after it. */
static void find_law(NsScheme *scheme)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;
  const PetscInt          *active, actives = NsContactActive(scheme->contact, &active);

  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt  i = active[k];
    const PetscReal e = scheme->model->candidate[i].law.restitution;
    if (self->P[k] > 0 && self->age[i] == 0 && self->u[k] < 0 && self->kick[k] > 0)
      self->law[i] = (1 - e * e) / 2 * self->P[k] / self->kick[k] * self->u[k] * self->u[k];
  }
}

/*
  q_1 from q_0 and a q_{-1} that fits v_0, with contact: a body that touches at the start and still approaches is stopped at once, by J_0. The
  velocity that is shown at the start is the given one, before J_0 and not in the middle of it: in the first step's work J_0 counts twice.
*/
static PetscErrorCode start(NsScheme *scheme, const NsState *x)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;
  const PetscReal          dt      = ((const NsSchemeSettings *)scheme->settings)->step;
  NsStepOutcome            outcome = {.done = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsModelAccel(scheme->model, x->t, x->q, x->v, self->a));
  if (scheme->model->dynamics.move) { /* q_{-1} */
    PetscCall(VecWAXPY(self->w, -dt / 2, self->a, x->v));
    PetscCall(NsModelMove(scheme->model, x->q, -dt, self->w, self->ahead));
  } else {
    PetscCall(NsModelMove(scheme->model, x->q, -dt, x->v, self->ahead));
    PetscCall(VecAXPY(self->ahead, dt * dt / 2, self->a));
  }
  PetscCall(VecWAXPY(self->w, dt / 2, self->a, x->v));
  PetscCall(NsContactClosedAtStart(contact, x, self->closed));
  PetscCall(advance(scheme, &(NsState){x->t, x->q, self->w}, dt, self->ahead, self->next, &outcome));
  if (!outcome.done)
    PetscCall(NsModelMove(scheme->model, x->q, dt, self->w, self->next)); /* as if free: the first step meets the same problem and reports it */
  if (outcome.done && scheme->model->candidates) {
    PetscCall(NsRowsVelocity(scheme->model, &self->rows, x->v, self->u));
    PetscCall(find_kick(scheme));
    find_law(scheme);
  }
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    self->J[i]       = outcome.done ? 2 * self->P[k] : 0;
    self->age[i]     = self->closed[i] ? 2 : self->J[i] != 0 ? 1 : 0;
  }
  PetscCall(VecCopy(x->v, self->at_last));
  PetscFunctionReturn(0);
}

/* Reports J_{k+1} with the velocities w of the gap at its two sides, where P is J_{k+1} and the rows are those at q_{k+1}. */
static void report_impulses(NsScheme *scheme)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;

  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt   i      = active[k];
    const PetscReal  P      = self->P[k];
    NsContactReport *report = &NsContactReports(contact)[i];
    if (P == 0) continue;
    report->impulse[0]         = P;
    report->velocity_before[0] = self->u[k];
    report->velocity_after[0]  = self->u[k] + self->kick[k];
    report->impact             = self->age[i] < 2;
    if (report->impact || !scheme->model->candidate[i].bilateral)
      report->energy_lost = -(report->velocity_before[0] + report->velocity_after[0]) / 2 * P;
  }
}

/* An impact is over where its contact opens, or lasts: the law's loss replaces what has been booked. Joints have no such law. */
static void settle_impact(NsScheme *scheme, PetscInt i, PetscReal P)
{
  NsScheme_SchatzmanPaoli *self      = scheme->data;
  const PetscBool          bilateral = scheme->model->candidate[i].bilateral;

  if (bilateral ? P != 0 : P != 0 && self->age[i] < 2) return;
  scheme->ledger->impact += bilateral ? PetscMax(0, -self->net[i]) : self->law[i] - self->net[i];
  self->net[i] = self->law[i] = 0;
}

/* Half the work of impulses total of the rows with the mean velocity; an ideal joint does none, and a surface that moves by itself works too. */
static PetscErrorCode book_work(NsScheme *scheme, const PetscReal *total)
{
  NsScheme_SchatzmanPaoli *self   = scheme->data;
  NsLedger                *ledger = scheme->ledger;

  PetscFunctionBegin;
  PetscCall(NsRowsVelocity(scheme->model, &self->rows, self->vm, self->um));
  for (PetscInt k = 0; k < self->rows.contacts; k++) {
    const PetscInt  i    = self->rows.contact[k];
    const PetscReal lost = self->age[i] < 2 || !scheme->model->candidate[i].bilateral ? -self->um[k] * total[k] / 2 : 0;
    ledger->impact += lost;
    self->net[i] += lost;
    ledger->load -= self->rows.drive[k] * total[k] / 2;
  }
  PetscFunctionReturn(0);
}

/* J_k and J_{k+1} in ledger and reports, from (t_k, q_k) in x to (t1, q1). */
static PetscErrorCode book_impulses(NsScheme *scheme, const NsState *x, PetscReal t1, Vec q1)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;
  const PetscBool          flat    = scheme->model->flat_contacts;
  PetscReal               *total   = self->u; /* after the reports */
  const PetscInt          *active, actives = NsContactActive(contact, &active);

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, t1, q1, actives, active, &self->rows)); /* those of P */
  PetscCall(NsRowsVelocity(scheme->model, &self->rows, self->w, self->u));
  PetscCall(find_kick(scheme));
  report_impulses(scheme);
  find_law(scheme);
  for (PetscInt k = 0; k < actives; k++) total[k] = flat ? self->J[active[k]] + self->P[k] : self->P[k];
  PetscCall(book_work(scheme, total));
  for (PetscInt k = 0; k < actives && !flat; k++) total[k] = self->J[active[k]];
  if (!flat) {
    PetscCall(NsModelRows(scheme->model, x->t, x->q, actives, active, &self->rows));
    PetscCall(book_work(scheme, total));
  }
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    self->J[i]       = self->P[k];
    settle_impact(scheme, i, self->P[k]);
    self->age[i] = self->P[k] != 0 || scheme->model->candidate[i].bilateral ? PetscMin(self->age[i] + 1, 2) : 0;
  }
  PetscFunctionReturn(0);
}

/* q_{k+2} in `ahead`, w_{k+2}, v_{k+1} = (w_{k+1} + w_{k+2})/2 in v1, with h at this velocity. */
static PetscErrorCode move(NsScheme *scheme, const NsState *x, PetscReal t1, PetscReal dt, Vec velocity, NsStepOutcome *outcome)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsModelAccel(scheme->model, t1, self->next, velocity, self->a));
  PetscCall(VecWAXPY(self->w_next, dt, self->a, self->w));
  PetscCall(advance(scheme, &(NsState){t1, self->next, self->w_next}, dt, x->q, self->ahead, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(self->v1, 1, self->w, self->w_next));
  PetscCall(VecScale(self->v1, 0.5));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;
  Vec                     *at   = self->at ? &self->at : &self->w; /* where h_{k+1} is taken at last */
  const PetscReal          t1   = x->t + dt;
  NsPower                  p0, p1;

  PetscFunctionBegin;
  /* here x = (q_k, v_k), next = q_{k+1}, w = (q_{k+1} - q_k)/dt */
  PetscCall(move(scheme, x, t1, dt, self->w, outcome));
  if (self->at && outcome->done) {
    NsVecSwap(&self->at, &self->v1);
    PetscCall(move(scheme, x, t1, dt, self->at, outcome));
  }
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  if (scheme->model->candidates) PetscCall(book_impulses(scheme, x, t1, self->next));
  PetscCall(NsModelPower(scheme->model, x->t, x->q, self->at_last, self->vm, &p0));
  PetscCall(NsModelPower(scheme->model, t1, self->next, *at, self->vm, &p1));
  scheme->ledger->damping += dt / 2 * (p0.damping + p1.damping);
  scheme->ledger->load += dt / 2 * (p0.load + p1.load);

  NsStateSwap(x, &self->next, &self->v1); /* `next` holds q_k now, which is not needed any more */
  NsVecSwap(&self->next, &self->ahead);
  NsVecSwap(&self->at_last, at);
  NsVecSwap(&self->w, &self->w_next);
  x->t = t1;
  PetscFunctionReturn(0);
}

static void amplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  /* z^2 - (2 - 2 zeta w - w^2) z + (1 - 2 zeta w) = 0, as its companion matrix: only the eigenvalues matter */
  (void)settings;
  S[0] = 2 - 2 * zeta * w - w * w;
  S[1] = -(1 - 2 * zeta * w);
  S[2] = 1;
  S[3] = 0;
}

static const NsKey keys[] = {NS_STEP_KEY, NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_SchatzmanPaoli = {
  .variant =
    {
      .name  = "schatzman_paoli",
      .title = "Schatzman-Paoli: central differences, contact on position level, no penetration",
      .about =
        "The law acts on gaps two steps apart, so that an impact takes two steps. With e = 0 closed gaps are zero to rounding, otherwise up to e times the "
        "gap two steps before.\n"
        "With joints it is of order 2; with dampers in linear models of order 1. With e near 1 an impact may gain energy of order dt. "
        "scheme.moreau_jean and scheme.event_driven_hem5 conserve the energy.\n"
        "One impulse J per step contains force and impulse; it is reported as impulse, and J/dt is the force while contact "
        "lasts. Nonlinear models take two iterations per step.\n",
      .table = &(const NsTable){"schatzman_paoli", "Schatzman-Paoli scheme", keys, sizeof(NsSchemeSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "position",
      .energy        = "oscillates, bounded; e near 1 increases it",
      .needs         = "no friction",
      .cited         = "Acary, Bonnefon; Paoli, Schatzman",
      .step_limit    = "dt < 2/omega_max without damping",
      .theory        = "schemes_position",
      .reference     = "V. Acary, O. Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact, (3), (4); L. Paoli, M. "
                       "Schatzman, SIAM J. Numer. Anal. 40 (2002)",
    },
  .refuses       = refuses,
  .size          = sizeof(NsScheme_SchatzmanPaoli),
  .declare       = declare,
  .start         = start,
  .step          = step,
  .amplification = amplification,
};
