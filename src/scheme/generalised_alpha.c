/*
  Nonsmooth generalised-alpha scheme, position and velocity form: implicit, no penetration, joints closed, contact velocities zero while closed.

  O. Bruels, V. Acary, A. Cardona: Simultaneous enforcement of constraints at position and velocity levels in the nonsmooth generalized-alpha scheme, Comput. Methods Appl. Mech. Engrg. 281
  (2014); Q.-z. Chen, V. Acary, G. Virlez, O. Bruels: A nonsmooth generalized-alpha scheme for flexible multibody systems with unilateral constraints, Int. J. Numer. Meth. Engng. 96
  (2013). alpha.h has the smooth part; the jumps are

      M U = W nu,       q1 = q* + U,   0 <= g(q1)  _|_  nu >= 0                                        (joints: g = 0)
      M w = W Lambda,   v1 = v* + w,   0 <= W'v1 + e W'v0  _|_  Lambda >= 0 where g(q1) = 0 (and friction), Lambda = 0 elsewhere

  with W, M at q1. Linear models without damping: two small problems, one after the other. A change of U changes x1 by -S^-1 K U, so that positions change by U - B S^-1 K U: with
  B K = S - M the first problem has the matrix W' S^-1 W and the second W' M^-1 W, once x1 includes U:

      q1 = qs + B S^-1 h(t1, qs, vs) + S^-1 W nu,       v1 = vs + g S^-1 h(t1, qs + U, vs) + M^-1 W Lambda

  Dampers depend on w, masses and normals on q1: other models iterate, with both problems in each iteration.

  Cost: without contact one force and one solve; with contact a second force and two more solves, two small problems; other models the same in each of two to six iterations.

  Energy: rho damps what the step does not resolve, and nothing else in flight; an impact dissipates the kinetic energy of the contact node, as with every scheme on velocity
  level, and its projection changes the elastic energy by a part of that. A reaction is an impulse for each step, Lambda: force and impulse in one.
*/
#include "alpha.h"
#include "position.h"

typedef struct {
  NsAlpha    alpha;
  NsPosition position;
  Vec        U, w, free;
  NsRows     rubs;     /* p.w with tangents alone */
  PetscReal *reaction; /* [rows] */
  PetscBool  friction;
  PetscInt   moved, hit;            /* contacts that U and w come from */
  PetscBool *joint;                 /* [candidates] */
  PetscReal *of_joints, *of_others; /* [candidates] Psi of each contact of position.acting */
} NsScheme_GeneralisedAlpha;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_GeneralisedAlpha *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsAlphaDeclare(scheme, work));
  PetscCall(NsPositionDeclare(scheme, work, &self->position));
  PetscCall(NsWorkVecs(work, &self->U, &self->w, &self->free, NULL));
  PetscCall(NsWorkRows(work, &self->rubs, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->reaction, NULL));
  PetscCall(NsWorkReals(work, work->candidates, &self->of_joints, &self->of_others, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->joint, NULL));
  for (PetscInt i = 0; i < work->candidates; i++) {
    self->joint[i] = work->model->candidate[i].bilateral;
    self->friction = self->friction || work->model->candidate[i].directions > 1;
  }
  PetscFunctionReturn(0);
}

/* Psi of joints, and of the others, by position.acting. */
static void part(NsScheme_GeneralisedAlpha *self)
{
  const NsRows *w = self->position.acting;

  for (PetscInt i = 0; i < w->contacts; i++) {
    const PetscBool joint = self->joint[w->contact[i]];
    const PetscReal Psi   = self->position.Psi[i];
    self->of_joints[i]    = joint ? Psi : 0;
    self->of_others[i]    = joint ? 0 : Psi;
  }
}

/* One step of Newton's method on the gaps: q1+ into alpha.next; U, and the forces of joints into x1. `first`: from the position without jumps. */
static PetscErrorCode position_iteration(NsScheme *scheme, PetscReal t1, PetscBool first, NsStepOutcome *outcome)
{
  NsScheme_GeneralisedAlpha *self     = scheme->data;
  NsAlpha                   *alpha    = &self->alpha;
  NsPosition                *position = &self->position;

  PetscFunctionBegin;
  PetscCall(NsAlphaPosition(alpha, self->moved + self->hit > 0 ? self->U : NULL, self->free));
  if (first)
    PetscCall(VecCopy(self->free, alpha->q1));
  else if (self->moved && alpha->way) {
    PetscCall(NsAlphaJump(alpha, position->acting, self->of_others, 0, alpha->dx));
    PetscCall(NsComplianceApply(alpha->implicit, position->acting, self->of_others, -1, alpha->dx));
    PetscCall(NsModelMove(scheme->model, self->free, 1, alpha->dx, self->free));
  } else if (self->moved)
    PetscCall(NsComplianceApply(alpha->implicit, position->acting, self->of_others, -1, self->free));
  position->acting->contacts = position->acting->rows = 0;
  const NsPositionProblem problem                     = {.t = t1, .q_free = self->free, .metric = alpha->implicit, .scale = 1};
  PetscCall(NsPositionStep(position, &problem, alpha->q1, alpha->next, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &position->wg, "position impulses"));
    PetscFunctionReturn(0);
  }
  self->moved = position->acting->contacts;
  if (self->moved) part(self);
  PetscCall(NsComplianceApply(alpha->implicit, position->acting, self->of_joints, 1 / alpha->B, alpha->x1));
  PetscCall(NsComplianceUpdate(alpha->p.compliance, t1, alpha->q1, alpha->p.v1, (NsOperator){1, 0, 0}));
  PetscCall(NsAlphaJump(alpha, position->acting, self->of_others, 1, self->U));
  PetscFunctionReturn(0);
}

#define NS_ITERATIONS_TO_LEAVE 8

/*
  Candidates closed at q1 into the selection: by their gaps, or because they are pressed. A contact that its own friction lifts off would be closed in every second iteration: after some iterations no contact is released
  any more.
*/
static PetscErrorCode list_closed(NsScheme *scheme, PetscReal t1, PetscInt iteration)
{
  NsScheme_GeneralisedAlpha *self    = scheme->data;
  NsContact                 *contact = scheme->contact;

  PetscFunctionBegin;
  self->hit = 0;
  PetscCall(NsContactGaps(contact, t1, self->alpha.q1));
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    if (NsContactIsClosed(contact, i) || self->position.multiplier[i] > 0 || (iteration > NS_ITERATIONS_TO_LEAVE && self->alpha.p.is[i]))
      NsContactSelected(contact)[self->hit++] = i;
  }
  PetscFunctionReturn(0);
}

/* Rows of closed contacts, for velocities, and of their friction alone, which also changes positions. */
static PetscErrorCode make_rows(NsScheme *scheme, PetscReal t1)
{
  NsScheme_GeneralisedAlpha *self = scheme->data;
  NsRows                    *w = &self->alpha.p.w, *rubs = &self->rubs;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, t1, self->alpha.q1, self->hit, NsContactSelected(scheme->contact), w));
  if (!self->friction) PetscFunctionReturn(0);
  PetscCall(NsModelRows(scheme->model, t1, self->alpha.q1, self->hit, NsContactSelected(scheme->contact), rubs));
  for (PetscInt i = 0; i < rubs->contacts; i++) {
    for (PetscInt j = rubs->first[rubs->start[i]]; j < rubs->first[rubs->start[i] + 1]; j++) rubs->value[j] = 0;
  }
  PetscFunctionReturn(0);
}

/* W'M^-1 W for normal impulses, W' D W for those of friction. */
static PetscErrorCode make_matrix(NsScheme *scheme)
{
  NsScheme_GeneralisedAlpha *self    = scheme->data;
  NsAlpha                   *alpha   = &self->alpha;
  NsContact                 *contact = scheme->contact;
  NsCompliance              *mass    = alpha->p.compliance;
  const NsRows              *w       = &alpha->p.w;
  const PetscReal            s       = alpha->gamma / (2 * alpha->beta);

  PetscFunctionBegin;
  PetscCall(NsContactDelassus(contact, self->friction ? alpha->implicit : mass, w, w));
  if (!self->friction) PetscFunctionReturn(0);
  NsContactScale(contact, 0); /* only its coupling pattern is needed */
  PetscCall(NsContactDelassusAdd(contact, 1, mass, w, w));
  PetscCall(NsContactDelassusAdd(contact, s, alpha->implicit, w, &self->rubs));
  PetscCall(NsContactDelassusAdd(contact, -s, mass, w, &self->rubs));
  PetscFunctionReturn(0);
}

/* Whether p.w still has the contacts that are listed. */
static PetscBool same_contacts(const NsScheme_GeneralisedAlpha *self, const NsContact *contact, PetscInt before)
{
  PetscBool same = self->hit == before;

  for (PetscInt i = 0; i < self->hit && same; i++) same = NsContactSelected(contact)[i] == self->alpha.p.w.contact[i];
  return same;
}

/* v1+ into alpha.next; w, and the part of friction in U. */
static PetscErrorCode iterate_velocity(NsScheme *scheme, const NsState *x, PetscReal t1, PetscInt iteration, NsStepOutcome *outcome)
{
  NsScheme_GeneralisedAlpha *self    = scheme->data;
  NsAlpha                   *alpha   = &self->alpha;
  NsPercussion              *p       = &alpha->p;
  NsContact                 *contact = scheme->contact;
  const PetscInt             before  = self->hit;

  PetscFunctionBegin;
  PetscCall(list_closed(scheme, t1, iteration));
  const PetscBool known = self->friction && self->hit && same_contacts(self, contact, before);
  PetscCall(NsPercussionActivate(scheme, self->hit));
  PetscCall(NsAlphaVelocity(alpha, known ? self->w : NULL, alpha->next));
  if (!self->hit) PetscFunctionReturn(0);
  PetscCall(make_rows(scheme, t1));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
  PetscCall(NsComplianceUpdate(p->compliance, t1, alpha->q1, x->v, (NsOperator){1, 0, 0}));
  PetscCall(make_matrix(scheme));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, alpha->next, p->u1));
  if (known) {
    PetscCall(NsContactReact(contact, &p->w, p->P, self->reaction));
    for (PetscInt k = 0; k < p->w.rows; k++) p->u1[k] -= self->reaction[k];
  }
  PetscCall(NsContactSolve(contact, &p->w, p->u1, p->u0, NULL, p->P, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &p->w, "percussions"));
    PetscFunctionReturn(0);
  }
  PetscCall(NsAlphaJump(alpha, &p->w, p->P, 1, self->w));
  if (self->friction) PetscCall(NsComplianceApply(p->compliance, &self->rubs, p->P, (t1 - x->t) / 2, self->U));
  PetscCall(NsAlphaVelocity(alpha, self->w, alpha->next));
  PetscFunctionReturn(0);
}

/* Iterates x1, U, w until they are consistent: q1 and v1. */
static PetscErrorCode solve(NsScheme *scheme, const NsState *x, PetscReal t1, NsStepOutcome *outcome)
{
  NsScheme_GeneralisedAlpha *self      = scheme->data;
  NsAlpha                   *alpha     = &self->alpha;
  const NsModel             *model     = scheme->model;
  NsIteration                iteration = NsIterationBegin();
  const PetscBool            direct    = NsAlphaIsDirect(model, model->candidates > 0) && !self->friction;
  PetscReal                  fastest   = 0;
  PetscBool                  first     = PETSC_TRUE, again;

  PetscFunctionBegin;
  PetscCall(NsPositionBegin(&self->position));
  if (!direct) PetscCall(NsIterationLeast(model, x->q, t1 - x->t, alpha->vs, &fastest));
  self->moved = self->hit = 0;
  do {
    const PetscInt moved = self->moved;
    PetscCall(NsAlphaIterate(scheme, t1, self->moved + self->hit > 0 ? self->U : NULL, self->hit ? self->w : NULL));
    PetscCall(position_iteration(scheme, t1, first, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsAlphaIterationTake(&iteration, model, direct, &alpha->next, &alpha->q1, (t1 - x->t) * fastest + PETSC_SMALL));
    PetscCall(iterate_velocity(scheme, x, t1, iteration.count, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(NsAlphaIterationTake(&iteration, model, direct, &alpha->next, &alpha->p.v1, fastest + PETSC_SMALL));
    const PetscBool alone = NsAlphaIsDirect(model, PETSC_FALSE) && self->moved + self->hit == 0;
    PetscCall(NsAlphaIterationEnd(&iteration, direct || alone, self->moved > moved, outcome, &again));
    first = PETSC_FALSE;
  } while (again);
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_GeneralisedAlpha *self  = scheme->data;
  NsAlpha                   *alpha = &self->alpha;

  PetscFunctionBegin;
  PetscCall(NsAlphaBegin(scheme, x, dt, self->joint, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(solve(scheme, x, x->t + dt, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsAlphaBook(scheme, x, dt));
  if (self->moved) {
    PetscCall(NsContactReportForce(scheme->contact, self->position.acting, self->of_joints, 1 / alpha->B));
    NsContactBookForces(
      scheme->ledger, self->position.acting, self->of_joints, dt / alpha->B, NULL); /* of driven joints; one row each, without friction */
  }
  PetscCall(NsPercussionReport(scheme, x->v));
  PetscCall(NsAlphaFinish(scheme, x, dt));
  PetscFunctionReturn(0);
}

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_RHO_KEY,
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_GeneralisedAlpha = {
  .variant =
    {
      .name  = "generalised_alpha",
      .title = "nonsmooth generalised-alpha: implicit, no critical time step, no penetration, no drift, numerical damping by rho",
      .about =
        "Contacts and joints are satisfied on position and on velocity level: no penetration, joints satisfied in position and velocity, all to rounding. "
        "Order 2 with joints, too. For stiff models with joints or curved contacts.\n"
        "rho is the amplification factor of the highest frequencies: 1 does not damp them, 0.8 removes them within a few steps, 0 in one step. One "
        "percussion P per step contains force and impulse; it is reported as impulse, and P/dt is the force while contact "
        "lasts.\n"
        "Reactions of joints are forces, separate from P. The projection of positions does work: with long steps, impacts of elastic bodies remove or add some per "
        "cent of the energy. Linear models: one matrix, two local problems per step with contact; others, dampers and friction: Newton's "
        "method.\n",
      .table = &(const NsTable){"generalised_alpha", "nonsmooth generalised-alpha scheme, positions and velocities", keys, sizeof(NsAlphaSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity and position",
      .energy        = "damped at high frequencies (rho < 1); projections change it by O(dt)",
      .needs         = "",
      .cited         = "Bruels, Acary, Cardona",
      .step_limit    = "none",
      .theory        = "schemes_alpha",
      .reference     = "O. Bruels, V. Acary, A. Cardona, Simultaneous enforcement of constraints at position and velocity levels in the nonsmooth "
                       "generalized-alpha scheme, Comput. Methods Appl. Mech. Engrg. 281 (2014)",
    },
  .implicit = PETSC_TRUE,
  .laws     = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH,
  .size     = sizeof(NsScheme_GeneralisedAlpha),
  .declare  = declare,
  .start    = NsAlphaStart,
  .step     = step,
  .count    = NsAlphaCount,
};
