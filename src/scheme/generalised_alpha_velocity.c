/*
  Nonsmooth generalised-alpha scheme, velocity form: implicit, contacts on velocity level.

  Q.-z. Chen, V. Acary, G. Virlez, O. Bruels: A nonsmooth generalized-alpha scheme for flexible multibody systems with unilateral constraints, Int. J. Numer. Meth. Engng. 96 (2013), 4.
  alpha.h has the smooth part, alpha_reaction.h the reactions:

      M w = W Lambda,   v1 = v* + w,   q1 = q* + dt/2 w,   0 <= W'v1 + e W'v0  _|_  Lambda >= 0   where g(q*) <= 0,      Lambda = 0 elsewhere (and friction)

  For rho = 1 it conserves the energy of linear models to rounding, except for impacts and friction: it is Moreau's scheme with theta = 1/2, and W at the end of the step.
*/
#include "alpha_reaction.h"

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(NsAlphaReact(scheme, x, dt, NS_ALPHA_IMPACTS, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsAlphaListClosed(scheme, x->t + dt, &count));
  PetscCall(NsAlphaBook(scheme, x, dt));
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

const NsSchemeType NsSchemeType_GeneralisedAlphaVelocity = {
  .variant =
    {
      .name  = "generalised_alpha_velocity",
      .title = "nonsmooth generalised-alpha, contacts on velocity level: implicit, no critical time step, numerical damping by rho",
      .about =
        "One percussion per step on contacts that are closed at the end of the free motion. rho is the amplification factor of the highest "
        "frequencies: 1 does not damp them, 0.8 removes them within a few steps, 0 in one step. rho = 1 conserves the energy of linear models, as "
        "moreau_jean with theta = 0.5 does. "
        "One percussion P per step contains force and impulse; it is reported as impulse, and P/dt is the force while contact "
        "lasts.\n"
        "Penetration is at most dt |u^-| for rho >= 0.8; for smaller rho it grows. Joints and curved contacts drift. Linear models: one matrix, "
        "one local problem per step with contact; others, and dampers: Newton's method.\n",
      .table = &(const NsTable){"generalised_alpha_velocity", "nonsmooth generalised-alpha scheme, velocity form", keys, sizeof(NsAlphaSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "damped at high frequencies (rho < 1); conserved to rounding with rho = 1 (linear models)",
      .needs         = "",
      .cited         = "Chen et al. 4",
      .step_limit    = "none",
      .theory        = "schemes_alpha",
      .reference = "Q.-z. Chen, V. Acary, G. Virlez, O. Bruels, A nonsmooth generalized-alpha scheme for flexible multibody systems with unilateral "
                   "constraints, Int. J. Numer. Meth. Engng. 96 (2013), 4",
    },
  .implicit = PETSC_TRUE,
  .laws     = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH,
  .size     = sizeof(NsAlphaReaction),
  .declare  = NsAlphaReactionDeclare,
  .start    = NsAlphaStart,
  .step     = step,
  .count    = NsAlphaCount,
};
