/*
  Schatzman-Paoli scheme: central differences with contact on position level.

  [C] V. Acary, O. Bonnefon; after M. Schatzman, L. Paoli. From q_{k-1}, q_k:

      M (q_{k+1} - 2 q_k + q_{k-1}) - dt^2 h(t_k, q_k, w_k) = dt W J_k,     w_k = (q_k - q_{k-1})/dt
      0 <= g(q_{k+1}) + e g(q_{k-1})  _|_  J_k >= 0,     v_k = (q_{k+1} - q_{k-1})/(2 dt)

  The velocity v_k belongs to t_k but needs q_{k+1}: the scheme is always one position ahead of the state it shows, so that q, v, the
  reaction impulse J_k and the energies belong to the same instant. It starts with q_1 = q_0 + dt v_0 + dt^2/2 M^-1 h(0).
  Gaps never become negative by more than rounding (linear gaps, e = 0); the impact law takes two steps; no friction.
  Free flight is the leapfrog: dt < 2/omega_max without damping.

  Ledger: M (v_{k+1} - v_k) = (dt (h_k + h_{k+1}) + W (J_k + J_{k+1}))/2, so forces and impulses of both ends work, half each, with (v_k + v_{k+1})/2.
*/
#include "percuss/scheme.h"

typedef struct {
  const NsNode *where;
  double        step;
} NsSettings_SchatzmanPaoli;

typedef struct {
  NsCompliance *mass;
  Vec           next;              /* q_{k+1}, with q_k in the state */
  Vec           w_last, w, w_next; /* w_k, w_{k+1}, w_{k+2} */
  Vec           a, ahead;          /* acceleration at q_{k+1}, and q_{k+2} */
  Vec           v1, vm;
  NsRows        rows;
  PetscReal    *P, *u, *um, *kick; /* [rows], those of the candidates that are near */
  PetscReal    *gap_ahead, *J;     /* [candidates]; J_k */
  PetscBool    *closed;            /* [candidates] scratch of the start */
  PetscInt     *age;               /* [candidates] steps in contact without a break, up to 2: the impact law takes two */
} NsScheme_SchatzmanPaoli;

static const char *NsSchemeRefuses_SchatzmanPaoli(const NsModel *model, const void *settings)
{
  (void)settings;
  if (!model->linear) return "it solves linear models with linear gaps only, which mechanisms and rotors of free or changing spin are not";
  if (!model->flat_contacts)
    return "its gaps have to be linear in the coordinates, and those of cylinders and spheres are not; take ggl_decoupled or half_explicit";
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (model->candidate[i].directions > 1) return "it has no friction; set `friction: 0`, or take half_explicit or moreau_jean";
  }
  return NULL;
}

static PetscErrorCode NsSchemeSetup_SchatzmanPaoli(NsScheme *scheme)
{
  NsScheme_SchatzmanPaoli *self;
  const PetscInt           n = scheme->contact->candidates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsComplianceCreate(scheme->model, 0, &self->mass));
  PetscCall(NsVecsCreate(scheme->model, &self->next, &self->w, &self->w_last, &self->w_next, &self->a, &self->ahead, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsCreate(scheme->model, &self->rows));
  PetscCall(PetscCalloc4(n, &self->P, n, &self->u, n, &self->um, n, &self->kick));
  PetscCall(PetscCalloc4(n, &self->closed, n, &self->gap_ahead, n, &self->J, n, &self->age));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_SchatzmanPaoli(NsScheme *scheme)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceDestroy(&self->mass));
  PetscCall(NsVecsDestroy(&self->next, &self->w, &self->w_last, &self->w_next, &self->a, &self->ahead, &self->v1, &self->vm, NULL));
  PetscCall(NsRowsDestroy(&self->rows));
  PetscCall(PetscFree4(self->P, self->u, self->um, self->kick));
  PetscCall(PetscFree4(self->closed, self->gap_ahead, self->J, self->age));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

/* u = (g(ahead) + e g(last))/dt of all that are near at either. */
static PetscErrorCode look(NsScheme *scheme, PetscReal t, PetscReal dt, Vec last, Vec ahead)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;
  PetscInt                 nears;

  PetscFunctionBegin;
  do {
    PetscCall(NsContactGaps(contact, t + dt, ahead));
    nears = contact->nears;
    for (PetscInt k = 0; k < nears; k++) self->gap_ahead[contact->near[k]] = contact->gap[contact->near[k]];
    PetscCall(NsContactGaps(contact, t - dt, last));
  } while (contact->nears > nears);
  for (PetscInt k = 0; k < nears; k++) {
    const PetscInt i = contact->near[k];
    self->u[k]       = (self->gap_ahead[i] + scheme->model->candidate[i].law.restitution * contact->gap[i]) / dt;
  }
  PetscFunctionReturn(0);
}

/*
  One move: from q_k = now, with q_{k-1} = last and the velocity w = (q_k - q_{k-1})/dt + dt a of the free move on entry, to q_{k+1} = ahead and its w. J_k goes to P.
  Contact acts on g(q_{k+1}) + e g(q_{k-1}), scaled by 1/dt to be a velocity. The velocity is carried along, not made of positions: their difference
  would lose six digits. Impulses may bring others near that were far from the free move: then once more, with them.
*/
static PetscErrorCode advance(NsScheme *scheme, PetscReal t, PetscReal dt, Vec last, Vec now, Vec w, Vec ahead, PetscBool *done)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;
  PetscInt                 nears;

  PetscFunctionBegin;
  *done = PETSC_TRUE;
  PetscCall(VecWAXPY(ahead, dt, w, now));
  if (!contact->candidates) PetscFunctionReturn(0);
  PetscCall(NsComplianceUpdate(self->mass, t, now, w, (NsOperator){1, 0, 0}));
  for (;;) {
    PetscCall(look(scheme, t, dt, last, ahead));
    nears = contact->nears;
    PetscCall(NsModelRows(scheme->model, t, now, nears, contact->near, &self->rows));
    PetscCall(NsContactDelassus(contact, self->mass, &self->rows, &self->rows));
    PetscCall(NsContactSolve(contact, &self->rows, self->u, NULL, NULL, self->P, done));
    if (!*done) PetscFunctionReturn(0);
    PetscCall(NsComplianceApply(self->mass, &self->rows, self->P, 1, w));
    PetscCall(VecWAXPY(ahead, dt, w, now));
    if (nears == contact->candidates) break;
    PetscCall(NsContactGaps(contact, t + dt, ahead));
    if (contact->nears == nears) break;
    PetscCall(NsComplianceApply(self->mass, &self->rows, self->P, -1, w));
    PetscCall(VecWAXPY(ahead, dt, w, now));
  }
  PetscFunctionReturn(0);
}

/*
  q_1 from q_0 and a q_{-1} that fits v_0, with contact: a body that touches at the start and still approaches is stopped at once, by J_0. The
  velocity that is shown at the start is the given one, before J_0 and not in the middle of it: in the first step's work J_0 counts twice.
*/
static PetscErrorCode NsSchemeStart_SchatzmanPaoli(NsScheme *scheme, const NsState *x)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;
  const PetscReal          dt   = ((const NsSettings_SchatzmanPaoli *)scheme->settings)->step;
  PetscBool                done;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->mass, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsModelAccel(scheme->model, x->t, x->q, x->v, self->a));
  PetscCall(VecWAXPY(self->ahead, -dt, x->v, x->q)); /* q_{-1} */
  PetscCall(VecAXPY(self->ahead, dt * dt / 2, self->a));
  PetscCall(VecWAXPY(self->w, dt / 2, self->a, x->v));
  PetscCall(NsContactClosedAtStart(scheme->contact, x, self->closed));
  PetscCall(advance(scheme, x->t, dt, self->ahead, x->q, self->w, self->next, &done));
  if (!done) PetscCall(VecWAXPY(self->next, dt, self->w, x->q)); /* as if free: the first step finds the same problem and reports it */
  for (PetscInt k = 0; k < scheme->contact->nears; k++) {
    const PetscInt i = scheme->contact->near[k];
    self->J[i]       = done ? 2 * self->P[k] : 0;
    self->age[i]     = self->closed[i] ? 2 : done && self->P[k] > 0 ? 1 : 0;
  }
  PetscCall(VecCopy(x->v, self->w_last));
  PetscFunctionReturn(0);
}

/* Half the work of J_k and J_{k+1} with the mean velocity; reports J_{k+1} with the velocities w of the gap at its two sides. */
static PetscErrorCode book_impulses(NsScheme *scheme, PetscReal t1, Vec q1)
{
  NsScheme_SchatzmanPaoli *self    = scheme->data;
  NsContact               *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, t1, q1, contact->nears, contact->near, &self->rows)); /* those of P */
  PetscCall(NsRowsVelocity(scheme->model, &self->rows, self->vm, self->um));
  PetscCall(NsRowsVelocity(scheme->model, &self->rows, self->w, self->u));
  NsContactReact(contact, &self->rows, self->P, self->kick);
  for (PetscInt k = 0; k < contact->nears; k++) {
    const PetscInt   i      = contact->near[k];
    const PetscReal  P      = self->P[k];
    NsContactReport *report = &contact->report[i];
    scheme->ledger->impact -= self->um[k] * (self->J[i] + P) / 2;
    if (P > 0) {
      report->impulse[0]         = P;
      report->velocity_before[0] = self->u[k];
      report->velocity_after[0]  = self->u[k] + self->kick[k];
      report->energy_lost        = -(report->velocity_before[0] + report->velocity_after[0]) / 2 * P;
      report->impact             = self->age[i] < 2 ? PETSC_TRUE : PETSC_FALSE;
    }
    self->age[i] = P > 0 ? PetscMin(self->age[i] + 1, 2) : 0;
    self->J[i]   = P;
  }
  PetscFunctionReturn(0);
}

static void swap_handles(Vec *a, Vec *b)
{
  const Vec old = *a;

  *a = *b;
  *b = old;
}

static PetscErrorCode NsSchemeStep_SchatzmanPaoli(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_SchatzmanPaoli *self = scheme->data;
  const PetscReal          t1   = x->t + dt;
  NsPower                  p0, p1;

  PetscFunctionBegin;
  /* here x = (q_k, v_k), next = q_{k+1}, w = (q_{k+1} - q_k)/dt; wanted: q_{k+2}, and with it v_{k+1} = (w + w_next)/2 */
  PetscCall(NsModelAccel(scheme->model, t1, self->next, self->w, self->a));
  PetscCall(VecWAXPY(self->w_next, dt, self->a, self->w));
  PetscCall(advance(scheme, t1, dt, x->q, self->next, self->w_next, self->ahead, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &self->rows, "impulses"));
    PetscFunctionReturn(0);
  }
  PetscCall(VecWAXPY(self->v1, 1, self->w, self->w_next));
  PetscCall(VecScale(self->v1, 0.5));
  PetscCall(VecWAXPY(self->vm, 1, x->v, self->v1));
  PetscCall(VecScale(self->vm, 0.5));
  if (scheme->contact->candidates) PetscCall(book_impulses(scheme, t1, self->next));
  PetscCall(NsModelPower(scheme->model, x->t, x->q, self->w_last, self->vm, &p0));
  PetscCall(NsModelPower(scheme->model, t1, self->next, self->w, self->vm, &p1));
  scheme->ledger->damping += dt / 2 * (p0.damping + p1.damping);
  scheme->ledger->load += dt / 2 * (p0.load + p1.load);

  NsStateSwap(x, &self->next, &self->v1); /* `next` holds q_k now, which nobody needs */
  swap_handles(&self->next, &self->ahead);
  swap_handles(&self->w_last, &self->w);
  swap_handles(&self->w, &self->w_next);
  x->t = t1;
  PetscFunctionReturn(0);
}

static void NsSchemeAmplification_SchatzmanPaoli(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  /* z^2 - (2 - 2 zeta w - w^2) z + (1 - 2 zeta w) = 0, as its companion matrix: only the eigenvalues matter */
  (void)settings;
  S[0] = 2 - 2 * zeta * w - w * w;
  S[1] = -(1 - 2 * zeta * w);
  S[2] = 1;
  S[3] = 0;
}

static const NsKey   schatzman_paoli_keys[] = {NS_STEP_KEY(NsSettings_SchatzmanPaoli), {NULL}};
static const NsTable schatzman_paoli_table  = {"schatzman_paoli", "Schatzman-Paoli scheme", schatzman_paoli_keys, sizeof(NsSettings_SchatzmanPaoli)};

const NsVariant NsSchemeVariant_SchatzmanPaoli = {
  .name  = "schatzman_paoli",
  .title = "Schatzman-Paoli: central differences, contact on position level, no penetration",
  .about = "M (q2 - 2 q1 + q0) - dt^2 h(t1, q1) = dt W J,   v1 = (q2 - q0)/(2 dt),   0 <= g(q2) + e g(q0) _|_ J >= 0.\n"
           "Order 2 in free flight without damping, order 1 with impacts. The impact law takes two steps. No friction;\n"
           "linear models. With e near 1 an impact may gain energy of order dt: the law acts on positions.\n"
           "Explicit: undamped, dt < 2/omega_max. J is force and impulse in one, reported as impulse.\n"
           "Needs of a model: linear forces with constant mass, stiffness and damping, and gaps linear in the\n"
           "coordinates (planes, and node against node).\n"
           "Reference: Acary, Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact; Paoli,\n"
           "Schatzman.",
  .table = &schatzman_paoli_table,
};

const NsSchemeType NsSchemeType_SchatzmanPaoli = {
  .variant = &NsSchemeVariant_SchatzmanPaoli,
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "position",
      .energy        = "oscillates, bounded; e near 1 may add O(dt)",
      .needs         = "linear forces, linear gaps, no friction",
      .reference     = "Acary, Bonnefon; Paoli, Schatzman",
    },
  .refuses       = NsSchemeRefuses_SchatzmanPaoli,
  .setup         = NsSchemeSetup_SchatzmanPaoli,
  .start         = NsSchemeStart_SchatzmanPaoli,
  .step          = NsSchemeStep_SchatzmanPaoli,
  .amplification = NsSchemeAmplification_SchatzmanPaoli,
  .destroy       = NsSchemeDestroy_SchatzmanPaoli,
};
