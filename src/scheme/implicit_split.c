/*
  Implicit split scheme: the split into reaction forces and reaction impulses of the half-explicit scheme (half_explicit.c) over the generalised-alpha method, without step limit.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous Galerkin methods, whose outlook names schemes of the
  Newmark family for stiff models. alpha.h has the smooth part, alpha_reaction.h the forces:

    1. contacts closed at q0 have a force over the step, lambda = P/dt inside M w = W P, v^- = v* + w, q1 = q* + dt/2 w,   0 <= W'v^- + max(W'v0, 0)  _|_  P >= 0 (and friction).
       Lasting contact has W'v0 = 0. One that separates, and is pressed back within the step, is stopped on average: 0 <= W'v^- alone would do the work P W'v0/2 on it, which
       can multiply the energy of bouncing elastic bodies at steps far above the explicit limit
    2. some contact newly closed, g(q1) <= 0, that was open: impulses of all contacts closed at q1 that the impact reaches, at the end of the step,
       v1 = v^- + M^-1 W Lambda,   0 <= W'v1 + e W'v^-  _|_  Lambda >= 0 (and friction), with e of the newly closed; without, v1 = v^-

  An impact reaches what it is coupled with by the mass matrix, as in half_explicit; but there the contacts it reaches lose their force of this step, which would let them penetrate here.

  Forces within the accelerations of the method, M x1 = h + W lambda, would be the usual choice, but add energy: a reaction would still act in the step after the contact has opened.

  Cost: as generalised_alpha_velocity, and one more local problem in a step with an impact.
*/
#include "alpha_reaction.h"

typedef struct {
  NsAlphaReaction forces; /* its p.w, p.P are those of the impulses in the end */
  PetscBool      *struck; /* [contacts] reached by an impact */
  Vec             before; /* v^- */
} NsScheme_ImplicitSplit;

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  NsScheme_ImplicitSplit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsAlphaReactionDeclare(scheme, work));
  PetscCall(NsWorkFlags(work, work->candidates, &self->struck, NULL));
  PetscCall(NsWorkVecs(work, &self->before, NULL));
  PetscFunctionReturn(0);
}

/* Forces in the reports, and their work at the mean velocity. */
static PetscErrorCode book_forces(NsScheme *scheme, PetscReal dt)
{
  NsPercussion *p = &((NsScheme_ImplicitSplit *)scheme->data)->forces.alpha.p;

  PetscFunctionBegin;
  if (!p->w.rows) PetscFunctionReturn(0);
  PetscCall(NsContactReportForce(scheme->contact, &p->w, p->P, 1 / dt));
  if (!NsRowsWork(&p->w)) PetscFunctionReturn(0);
  PetscCall(NsRowsVelocity(scheme->model, &p->w, p->v1, p->u1));
  for (PetscInt k = 0; k < p->w.rows; k++) p->u1[k] += p->u0[k];
  NsContactBookForces(scheme->ledger, &p->w, p->P, 1, p->u1);
  PetscFunctionReturn(0);
}

/* 2: Lambda of the first `count` of the selected candidates, and v1. */
static PetscErrorCode impact(NsScheme *scheme, const NsState *x, PetscReal t1, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_ImplicitSplit *self    = scheme->data;
  NsContact              *contact = scheme->contact;
  NsAlpha                *alpha   = &self->forces.alpha;
  NsPercussion           *p       = &alpha->p;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, t1, alpha->q1, count, NsContactSelected(contact), &p->w));
  PetscCall(NsComplianceUpdate(p->compliance, t1, alpha->q1, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsContactDelassus(contact, p->compliance, &p->w, &p->w));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, p->v1, p->u0));
  PetscCall(NsContactSolve(contact, &p->w, p->u0, p->u0, p->newly, p->P, &outcome->done));
  if (!outcome->done) {
    PetscCall(NsStepFail(outcome, scheme, &p->w, "impulses"));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscArraycpy(self->struck, p->newly, count));
  NsContactSpread(contact, self->struck);
  for (PetscInt i = 0; i < count; i++) {
    for (PetscInt k = p->w.start[i]; k < p->w.start[i + 1] && !self->struck[i]; k++) p->P[k] = 0; /* rounding */
  }
  if (scheme->model->velocity_matters) PetscCall(VecCopy(p->v1, self->before));
  PetscCall(NsComplianceApply(p->compliance, &p->w, p->P, 1, p->v1));
  PetscCall(NsRowsVelocity(scheme->model, &p->w, p->v1, p->u1));
  PetscCall(NsContactReportImpulse(contact, scheme->ledger, &p->w, p->P, p->u0, p->u1, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsScheme_ImplicitSplit *self = scheme->data;
  const PetscReal         t1   = x->t + dt;
  PetscInt                count;
  PetscBool               any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsAlphaReact(scheme, x, dt, NS_ALPHA_FORCES, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsAlphaBook(scheme, x, dt));
  PetscCall(book_forces(scheme, dt));
  PetscCall(NsAlphaListClosed(scheme, t1, &count));
  PetscCall(NsPercussionActivate(scheme, count));
  for (PetscInt i = 0; i < count; i++) any = any || self->forces.alpha.p.newly[i];
  if (any) PetscCall(impact(scheme, x, t1, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsAlphaFinish(scheme, x, dt));
  if (any) PetscCall(NsAlphaJumped(scheme, x, self->before));
  PetscFunctionReturn(0);
}

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_RHO_KEY,
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_ImplicitSplit = {
  .variant =
    {
      .name  = "implicit_split",
      .title = "implicit, contact forces and impact impulses separate: no critical time step, numerical damping by rho",
      .about =
        "The split of scheme.half_explicit over the generalised-alpha method: contacts that were closed have a force over the step; in a "
        "step that closes a contact, impulses with the impact law act at its end in addition. For fine meshes with contact.\n"
        "rho is the amplification factor of the highest frequencies: 1 does not damp them, 0.8 removes them within a few steps, 0 in one step. With 1 the "
        "contact force continues to oscillate after an impact.\n"
        "Penetration is at most 1.05 dt |u^-|, plus e dt |u^-|/2 if a rebounding contact is pressed back at once; for rho < "
        "0.8 it grows. Joints and curved contacts drift. Linear models: one matrix, one local problem per step with contact; others, and "
        "dampers: Newton's method.\n",
      .table = &(const NsTable){"implicit_split", "implicit split scheme", keys, sizeof(NsAlphaSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "damped at high frequencies (rho < 1); contacts add none (linear models)",
      .needs         = "",
      .cited         = "Schindler et al., outlook",
      .step_limit    = "none",
      .theory        = "schemes_alpha",
      .reference = "T. Schindler, S. Rezaei, J. Kursawe, V. Acary, Half-explicit timestepping schemes on velocity level based on time-discontinuous "
                   "Galerkin methods, outlook; J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993)",
    },
  .implicit = PETSC_TRUE,
  .laws     = NS_LAWS & ~(NS_LAW_JOINT | NS_LAW_RESISTANCE), /* joints have one row there */
  .size     = sizeof(NsScheme_ImplicitSplit),
  .declare  = declare,
  .start    = NsAlphaStart,
  .step     = step,
  .count    = NsAlphaCount,
};
