/*
  Implicit split scheme: the split into reaction forces and reaction impulses of the half-explicit scheme (half_explicit.c) over the generalised-alpha method, without step limit.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous Galerkin methods, whose outlook names schemes of the
  Newmark family for stiff models. alpha.h has the smooth part, alpha_reaction.h the forces:

    1. contacts closed at q0 have a force over the step, lambda = P/dt inside M w = W P, v^- = v* + w, q1 = q* + dt/2 w,   0 <= W'v^- + max(W'v0, 0)  _|_  P >= 0 (and friction).
       Lasting contact has W'v0 = 0. One that leaves, and is pressed back within the step, is stopped on average: 0 <= W'v^- alone would work on it, by P W'v0/2, and made ten times its energy
       for a truss that bounces on its feet at ten times the explicit limit
    2. some contact newly closed, g(q1) <= 0, that was open: impulses of all contacts closed at q1 that the impact reaches, at the end of the step,
       v1 = v^- + M^-1 W Lambda,   0 <= W'v1 + e W'v^-  _|_  Lambda >= 0 (and friction), with e of the newly closed; without, v1 = v^-

  An impact reaches what it is coupled with by the mass matrix, as in half_explicit; but there contacts that it reaches lose their force of this step, which would let them sink here.

  Forces in the memory of the method, M x1 = h + W lambda, would be its own way, and cost: a reaction that ends with the contact still pushes in the step after it, which made 5 % of its energy for a
  beam that chatters on a stop at twenty times the explicit limit, and twice its energy at a hundred times.

  Cost: as generalised_alpha_velocity, and one small problem more in a step with an impact.
*/
#include "alpha_reaction.h"

typedef struct {
  NsAlphaReaction forces; /* its p.w, p.P are those of the impulses in the end */
  PetscBool      *struck; /* [contacts] reached by an impact */
  Vec             before; /* v^- */
} NsScheme_ImplicitSplit;

static PetscErrorCode NsSchemeSetup_ImplicitSplit(NsScheme *scheme)
{
  NsScheme_ImplicitSplit *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsAlphaReactionCreate(scheme, &self->forces));
  PetscCall(PetscCalloc1(scheme->contact->candidates, &self->struck));
  PetscCall(NsVecsCreate(scheme->model, &self->before, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_ImplicitSplit(NsScheme *scheme)
{
  NsScheme_ImplicitSplit *self = scheme->data;

  PetscFunctionBegin;
  PetscCall(NsAlphaReactionDestroy(scheme, &self->forces));
  PetscCall(PetscFree(self->struck));
  PetscCall(NsVecsDestroy(&self->before, NULL));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_ImplicitSplit(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(NsAlphaStart(scheme, &((NsScheme_ImplicitSplit *)scheme->data)->forces.alpha, state));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_ImplicitSplit(NsScheme *scheme, NsMemory *memory)
{
  PetscFunctionBegin;
  PetscCall(NsAlphaRemember(scheme, &((NsScheme_ImplicitSplit *)scheme->data)->forces.alpha, memory));
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

/* 2: Lambda of the first `count` of contact->active, and v1. */
static PetscErrorCode impact(NsScheme *scheme, const NsState *x, PetscReal t1, PetscInt count, NsStepOutcome *outcome)
{
  NsScheme_ImplicitSplit *self    = scheme->data;
  NsContact              *contact = scheme->contact;
  NsAlpha                *alpha   = &self->forces.alpha;
  NsPercussion           *p       = &alpha->p;

  PetscFunctionBegin;
  PetscCall(NsModelRows(scheme->model, t1, alpha->q1, count, contact->active, &p->w));
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

static PetscErrorCode NsSchemeStep_ImplicitSplit(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsAlphaReaction *forces = &((NsScheme_ImplicitSplit *)scheme->data)->forces;
  NsAlpha         *alpha  = &forces->alpha;
  const PetscReal  t1     = x->t + dt;
  PetscInt         count;
  PetscBool        any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsAlphaReact(scheme, forces, x, dt, NS_ALPHA_FORCES, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsAlphaBook(scheme, alpha, x, dt));
  PetscCall(book_forces(scheme, dt));
  PetscCall(NsAlphaListClosed(scheme, forces, t1, &count));
  PetscCall(NsPercussionActivate(scheme, &alpha->p, count));
  for (PetscInt i = 0; i < count; i++) any = any || alpha->p.newly[i] ? PETSC_TRUE : PETSC_FALSE;
  if (any) PetscCall(impact(scheme, x, t1, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsAlphaFinish(scheme, alpha, x, dt));
  if (any) PetscCall(NsAlphaJumped(scheme, alpha, x, ((NsScheme_ImplicitSplit *)scheme->data)->before));
  PetscFunctionReturn(0);
}

static PetscInt NsSchemeCount_ImplicitSplit(const NsScheme *scheme, NsCounter *list)
{
  return NsAlphaCount(&((const NsScheme_ImplicitSplit *)scheme->data)->forces.alpha, list);
}

static const NsKey implicit_split_keys[] = {
  NS_STEP_KEY(NsAlphaSettings),
  NS_RHO_KEY(NsAlphaSettings),
  {NULL},
};
static const NsTable implicit_split_table = {"implicit_split", "implicit split scheme", implicit_split_keys, sizeof(NsAlphaSettings)};

const NsVariant NsSchemeVariant_ImplicitSplit = {
  .name  = "implicit_split",
  .title = "implicit split: reaction force and reaction impulse apart, no step limit, numerical damping by rho",
  .about = "(1 - am) a1 + am a0 = (1 - af) x1 + af x0,   am = (2 rho - 1)/(rho + 1),   af = rho/(rho + 1),\n"
           "q* = q0 + dt v0 + dt^2 ((1/2 - beta) a0 + beta a1),   v* = v0 + dt ((1 - gamma) a0 + gamma a1),   M x1 = h(t1, q1, v1);\n"
           "contacts that were closed: a force over the step, P = dt lambda, in q1 = q* + dt/2 w, v^- = v* + w, M w = W P,\n"
           "0 <= W'v^- + max(W'v0, 0) _|_ P >= 0 (and friction); in a step that closes a contact, impulses at its end besides:\n"
           "v1 = v^- + M^-1 W Lambda, impact law with v^-.\n"
           "The half-explicit scheme without step limit: reaction force and reaction impulse apart. Order 2 in flight\n"
           "and with joints, 1 with impacts.\n"
           "rho as in scheme.generalised_alpha; with 1 the force rings on after the impact. An elastic bar of 1000\n"
           "elements on its wall, at nine times the explicit limit, rho = 0.8: force within 0.01 % of theory, 0.41 % of\n"
           "the energy lost, one impulse.\n"
           "Penetration: at most 1.05 dt |u^-|, and half of e dt |u^-| more where a contact that bounces is pressed back\n"
           "at once; it stays while the contact lasts. With rho below 0.8 it goes on: a bar's end with rho = 0 sinks 7\n"
           "dt |u^-|. Positions of joints and of curved contacts drift.\n"
           "Contacts add no energy to linear models, whatever e and the step.\n"
           "Linear models: constant factor, one small problem a step with contact. Others, and dampers: rounds of\n"
           "Newton's method.\n"
           "Needs of a model: forces, mass matrix, gaps and contact rows; tangents of mechanisms are taken by\n"
           "differences.\n"
           "Reference: Schindler, Rezaei, Kursawe, Acary, Half-explicit timestepping schemes on velocity level based on\n"
           "time-discontinuous Galerkin methods, outlook; generalised-alpha: Chung, Hulbert, J. Appl. Mech. 60 (1993).",
  .table = &implicit_split_table,
};

const NsSchemeType NsSchemeType_ImplicitSplit = {
  .variant  = &NsSchemeVariant_ImplicitSplit,
  .sheet    = {.order = 2,
       .order_impacts = 1,
       .level         = "velocity",
       .energy        = "high frequencies lose it (rho < 1); contacts add none (linear models)",
       .needs         = "",
       .reference     = "Schindler et al., outlook"},
  .implicit = PETSC_TRUE,
  .setup    = NsSchemeSetup_ImplicitSplit,
  .start    = NsSchemeStart_ImplicitSplit,
  .remember = NsSchemeRemember_ImplicitSplit,
  .step     = NsSchemeStep_ImplicitSplit,
  .count    = NsSchemeCount_ImplicitSplit,
  .destroy  = NsSchemeDestroy_ImplicitSplit,
};
