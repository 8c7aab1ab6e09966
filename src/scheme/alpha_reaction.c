#include "alpha_reaction.h"

PetscErrorCode NsAlphaReactionDeclare(NsScheme *scheme, NsWorkspace *work)
{
  NsAlphaReaction *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsAlphaDeclare(scheme, work));
  PetscCall(NsWorkRows(work, &self->others, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->P, &self->reaction, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->joint, &self->held, NULL));
  PetscCall(NsWorkVecs(work, &self->U, &self->w, NULL));
  for (PetscInt i = 0; i < work->candidates; i++) {
    self->joint[i] = work->model->candidate[i].bilateral;
    self->joins    = self->joins || self->joint[i];
  }
  PetscFunctionReturn(0);
}

/* W' D W, for joints W' S^-1 W; p.w, and `others`. */
static PetscErrorCode make_matrix(NsScheme *scheme, PetscReal t1, PetscInt count)
{
  NsAlphaReaction *self    = scheme->data;
  NsAlpha         *alpha   = &self->alpha;
  NsContact       *contact = scheme->contact;
  NsRows          *w = &alpha->p.w, *others = &self->others;
  const PetscReal  rest = 1 - alpha->gamma / (2 * alpha->beta);

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, t1, alpha->q1, count, NsContactSelected(contact), w));
  PetscCall(NsModelRows(scheme->model, t1, alpha->q1, count, NsContactSelected(contact), others));
  for (PetscInt i = 0; i < count; i++) {
    const PetscBool joint = self->joint[others->contact[i]];
    for (PetscInt j = others->first[others->start[i]]; j < others->first[others->start[i + 1]] && joint; j++) others->value[j] = 0;
  }
  PetscCall(NsContactDelassus(contact, alpha->implicit, w, w));
  PetscCall(NsContactDelassusAdd(contact, rest, alpha->p.compliance, w, others));
  PetscCall(NsContactDelassusAdd(contact, -rest, alpha->implicit, w, others));
  PetscFunctionReturn(0);
}

/* P of joints, or of all other contacts, into self->P; 0 for the rest. */
static void part(NsAlphaReaction *self, PetscBool joints)
{
  const NsPercussion *p = &self->alpha.p;

  for (PetscInt i = 0; i < p->w.contacts; i++) {
    for (PetscInt k = p->w.start[i]; k < p->w.start[i + 1]; k++) self->P[k] = self->joint[p->w.contact[i]] == joints ? p->P[k] : 0;
  }
}

/* P = g lambda of joints becomes their impulse, dt lambda. */
static void rescale_joints(NsAlphaReaction *self, PetscReal dt)
{
  const NsPercussion *p = &self->alpha.p;

  for (PetscInt i = 0; i < p->w.contacts; i++) {
    if (self->joint[p->w.contact[i]]) p->P[p->w.start[i]] *= dt / self->alpha.g;
  }
}

/* A force on a contact that separates, u0 > 0, would do the work P u0/2: it may stop the contact on average, u0 + u1 >= 0, and no more. u0 is that at the end of the last step: with W at q1
   everything that moves on a convex surface separates. */
static void do_no_work(const NsContact *contact, NsAlphaReaction *self)
{
  const NsPercussion *p = &self->alpha.p;

  for (PetscInt i = 0; i < p->w.contacts; i++) {
    const PetscInt k = p->w.contact[i];
    if (!self->joint[k]) p->u1[p->w.start[i]] += PetscMax(NsContactLastReports(contact)[k].gap_rate, 0);
  }
}

/* P of contacts at q1: w, U, and the forces of joints into x1. `known`: the iteration before had the same contacts, and v1+ = alpha.next contains their w. */
static PetscErrorCode react(NsScheme *scheme, const NsState *x, PetscReal t1, PetscInt count, NsAlphaLaw law, PetscBool known, NsStepOutcome *outcome)
{
  NsAlphaReaction *self    = scheme->data;
  NsAlpha         *alpha   = &self->alpha;
  NsPercussion    *p       = &alpha->p;
  NsContact       *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(p->compliance, t1, alpha->q1, x->v, (NsOperator){1, 0, 0}));
  PetscCall(make_matrix(scheme, t1, count));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, x->v, p->u0));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, alpha->next, p->u1));
  if (known) {
    part(self, PETSC_FALSE);
    PetscCall(NsContactReact(contact, &p->w, self->P, self->reaction));
    for (PetscInt k = 0; k < p->w.rows; k++) p->u1[k] -= self->reaction[k];
  }
  if (law == NS_ALPHA_FORCES) do_no_work(contact, self);
  PetscCall(NsContactSolve(contact, &p->w, p->u1, law == NS_ALPHA_IMPACTS ? p->u0 : NULL, NULL, p->P, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &p->w, law == NS_ALPHA_IMPACTS ? "percussions" : "forces"));
    PetscFunctionReturn(0);
  }
  part(self, PETSC_TRUE);
  PetscCall(NsComplianceApply(alpha->implicit, &p->w, self->P, 1 / alpha->g, alpha->x1));
  part(self, PETSC_FALSE);
  PetscCall(NsAlphaJump(alpha, &p->w, self->P, 1, self->w));
  PetscCall(NsAlphaJump(alpha, &p->w, self->P, (t1 - x->t) / 2, self->U));
  PetscFunctionReturn(0);
}

/* Selects the contacts that have reactions, at the position without jumps, alpha.q1. */
static PetscErrorCode activate(NsScheme *scheme, PetscReal t1, NsAlphaLaw law, PetscInt *count)
{
  NsAlphaReaction *self = scheme->data;
  NsPercussion    *p    = &self->alpha.p;

  PetscFunctionBegin;
  if (law == NS_ALPHA_FORCES) {
    *count = NsContactList(scheme->contact, p->was);
    PetscCall(NsPercussionActivate(scheme, *count));
  } else {
    PetscCall(NsContactGaps(scheme->contact, t1, self->alpha.q1));
    PetscCall(NsPercussionActivateClosed(scheme, count));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaReact(NsScheme *scheme, const NsState *x, PetscReal dt, NsAlphaLaw law, NsStepOutcome *outcome)
{
  NsAlphaReaction *self      = scheme->data;
  const PetscReal  t1        = x->t + dt;
  NsAlpha         *alpha     = &self->alpha;
  const NsModel   *model     = scheme->model;
  NsIteration      iteration = NsIterationBegin();
  PetscInt         count     = 0;
  PetscReal        fastest   = 0;
  PetscBool        first     = PETSC_TRUE, again;

  PetscFunctionBegin;
  PetscCall(NsAlphaBegin(scheme, x, dt, self->joint, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  if (!NsAlphaIsDirect(model, model->candidates > 0)) PetscCall(NsIterationLeast(model, x->q, dt, alpha->vs, &fastest));
  do {
    PetscCall(NsAlphaIterate(scheme, t1, count ? self->U : NULL, count ? self->w : NULL));
    if (first) {
      PetscCall(NsAlphaPosition(alpha, NULL, alpha->q1));
      PetscCall(activate(scheme, t1, law, &count));
    }
    const PetscBool direct = NsAlphaIsDirect(model, count > 0) && !self->joins;
    if (count && (first || !direct)) { /* direct: the second iteration is for x1 alone */
      PetscCall(NsAlphaVelocity(alpha, first ? NULL : self->w, alpha->next));
      PetscCall(react(scheme, x, t1, count, law, !first, outcome));
      if (!outcome->done) PetscFunctionReturn(0);
    }
    PetscCall(NsAlphaVelocity(alpha, count ? self->w : NULL, alpha->next));
    PetscCall(NsAlphaIterationTake(&iteration, model, direct, &alpha->next, &alpha->p.v1, fastest + PETSC_SMALL));
    PetscCall(NsAlphaPosition(alpha, count ? self->U : NULL, alpha->next));
    PetscCall(NsAlphaIterationTake(&iteration, model, direct, &alpha->next, &alpha->q1, dt * fastest + PETSC_SMALL));
    PetscCall(NsAlphaIterationEnd(&iteration, direct, first && count > 0, outcome, &again));
    first = PETSC_FALSE;
  } while (again);
  rescale_joints(self, dt);
  PetscFunctionReturn(0);
}

PetscErrorCode NsAlphaListClosed(NsScheme *scheme, PetscReal t1, PetscInt *count)
{
  NsAlphaReaction    *self    = scheme->data;
  NsContact          *contact = scheme->contact;
  const NsPercussion *p       = &self->alpha.p;

  PetscFunctionBegin;
  PetscCall(NsContactGaps(contact, t1, self->alpha.q1));
  NsContactFlagClosed(contact, self->held);
  for (PetscInt i = 0; i < p->w.contacts; i++) {
    if (p->P[p->w.start[i]] > 0) self->held[p->w.contact[i]] = PETSC_TRUE;
  }
  *count = NsContactList(contact, self->held);
  NsContactSetHeld(contact, self->held, NULL);
  PetscFunctionReturn(0);
}
