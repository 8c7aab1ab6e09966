/*
  Nonsmooth generalised-alpha scheme, velocity form: implicit, contacts on velocity level.

  Q.-z. Chen, V. Acary, G. Virlez, O. Bruels: A nonsmooth generalized-alpha scheme for flexible multibody systems with unilateral constraints, Int. J. Numer. Meth. Engng. 96 (2013), 4.
  alpha.h has the smooth part, alpha_reaction.h the reactions:

      M w = W Lambda,   v1 = v* + w,   q1 = q* + dt/2 w,   0 <= W'v1 + e W'v0  _|_  Lambda >= 0   where g(q*) <= 0,      Lambda = 0 elsewhere (and friction)

  For rho = 1 it keeps the energy of linear models to rounding, but for impacts and friction: it is Moreau's scheme with theta = 1/2, and W at the end of the step.
*/
#include "alpha_reaction.h"

static PetscErrorCode NsSchemeSetup_GeneralisedAlphaVelocity(NsScheme *scheme)
{
  NsAlphaReaction *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  scheme->data = self;
  PetscCall(NsAlphaReactionCreate(scheme, self));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeDestroy_GeneralisedAlphaVelocity(NsScheme *scheme)
{
  PetscFunctionBegin;
  PetscCall(NsAlphaReactionDestroy(scheme, scheme->data));
  PetscCall(PetscFree(scheme->data));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStart_GeneralisedAlphaVelocity(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(NsAlphaStart(scheme, &((NsAlphaReaction *)scheme->data)->alpha, state));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeRemember_GeneralisedAlphaVelocity(NsScheme *scheme, NsMemory *memory)
{
  PetscFunctionBegin;
  PetscCall(NsAlphaRemember(scheme, &((NsAlphaReaction *)scheme->data)->alpha, memory));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsSchemeStep_GeneralisedAlphaVelocity(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  NsAlphaReaction *self  = scheme->data;
  NsAlpha         *alpha = &self->alpha;
  PetscInt         count;

  PetscFunctionBegin;
  PetscCall(NsAlphaReact(scheme, self, x, dt, NS_ALPHA_IMPACTS, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsAlphaListClosed(scheme, self, x->t + dt, &count));
  PetscCall(NsAlphaBook(scheme, alpha, x, dt));
  PetscCall(NsPercussionReport(scheme, &alpha->p, x->v));
  PetscCall(NsAlphaFinish(scheme, alpha, x, dt));
  PetscFunctionReturn(0);
}

static PetscInt NsSchemeCount_GeneralisedAlphaVelocity(const NsScheme *scheme, NsCounter *list)
{
  return NsAlphaCount(&((const NsAlphaReaction *)scheme->data)->alpha, list);
}

static const NsKey generalised_alpha_velocity_keys[] = {
  NS_STEP_KEY(NsAlphaSettings),
  NS_RHO_KEY(NsAlphaSettings),
  {NULL},
};
static const NsTable generalised_alpha_velocity_table = {
  "generalised_alpha_velocity", "nonsmooth generalised-alpha scheme, velocity form", generalised_alpha_velocity_keys, sizeof(NsAlphaSettings)};

const NsVariant NsSchemeVariant_GeneralisedAlphaVelocity = {
  .name  = "generalised_alpha_velocity",
  .title = "nonsmooth generalised-alpha, contacts on velocity level: implicit, no step limit",
  .about = "(1 - am) a1 + am a0 = (1 - af) x1 + af x0,   am = (2 rho - 1)/(rho + 1),   af = rho/(rho + 1),\n"
           "q* = q0 + dt v0 + dt^2 ((1/2 - beta) a0 + beta a1),   v* = v0 + dt ((1 - gamma) a0 + gamma a1),   M x1 = h(t1, q1, v1);\n"
           "q1 = q* + dt/2 w,   v1 = v* + w,   M w = W Lambda,   0 <= W'v1 + e W'v0 _|_ Lambda >= 0 where g(q*) <= 0 (and friction).\n"
           "No step limit. Order 2 in flight and with joints, 1 with impacts.\n"
           "rho as in scheme.generalised_alpha; 1 keeps the energy of linear models to rounding, but for impacts and\n"
           "friction, as moreau_jean with theta = 0.5 does. An elastic bar of 1000 elements on its wall, at nine times\n"
           "the explicit limit, rho = 0.8: force within 0.01 % of theory, 0.48 % of the energy lost.\n"
           "Penetration: at most dt |u^-|; with rho below 0.8 it goes on, to 7 dt |u^-| for a bar's end with rho = 0.\n"
           "Positions of joints and of curved contacts drift.\n"
           "Lambda is force and impulse in one, reported as impulse: / step it is the force.\n"
           "Linear models: constant factor, one small problem a step with contact. Others, and dampers: rounds of\n"
           "Newton's method.\n"
           "Needs of a model: forces, mass matrix, gaps and contact rows; tangents of mechanisms are taken by\n"
           "differences.\n"
           "Reference: Chen, Acary, Virlez, Bruels, A nonsmooth generalized-alpha scheme for flexible multibody systems\n"
           "with unilateral constraints, Int. J. Numer. Meth. Engng. 96 (2013).",
  .table = &generalised_alpha_velocity_table,
};

const NsSchemeType NsSchemeType_GeneralisedAlphaVelocity = {
  .variant  = &NsSchemeVariant_GeneralisedAlphaVelocity,
  .sheet    = {.order = 2,
       .order_impacts = 1,
       .level         = "velocity",
       .energy        = "high frequencies lose it (rho < 1); rho = 1, linear: to rounding",
       .needs         = "",
       .reference     = "Chen et al. 4"},
  .implicit = PETSC_TRUE,
  .setup    = NsSchemeSetup_GeneralisedAlphaVelocity,
  .start    = NsSchemeStart_GeneralisedAlphaVelocity,
  .remember = NsSchemeRemember_GeneralisedAlphaVelocity,
  .step     = NsSchemeStep_GeneralisedAlphaVelocity,
  .count    = NsSchemeCount_GeneralisedAlphaVelocity,
  .destroy  = NsSchemeDestroy_GeneralisedAlphaVelocity,
};
