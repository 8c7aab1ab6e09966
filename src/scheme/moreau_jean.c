/*
  Moreau-Jean theta scheme.

  [C] V. Acary, O. Bonnefon: Time integration of nonsmooth mechanical systems with unilateral contact, (2). With x_th = (1 - th) x0 + th x1:

      M(q_th) (v1 - v0) - dt h(t_th, q_th, v_th) = W P,    q1 = q0 + dt v_th,
      0 <= u1 + e u0  _|_  P >= 0   where  g0 + gamma dt u0 <= 0,      P = 0 elsewhere

  Linear models: one linear solve with a constant A a step; others: Newton's method (theta.h). Joints are always active.

  th >= 1/2: unconditionally stable. th = 1/2, e = 1 conserves the energy of linear models to rounding; th > 1/2 damps high frequencies.
  Penetration of an impact: at most dt |u^-| ((1 - gamma) + max(0, (1 - th) - th e)).
*/
#include "theta.h"

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  const NsThetaSettings *settings = scheme->settings;

  PetscFunctionBegin;
  const PetscBool held = NsHoldIsWanted(work->model, settings->positions);
  PetscCall(NsThetaDeclare(scheme, work, PETSC_FALSE, held, held));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsScheme *scheme, NsState *x, PetscReal dt, NsStepOutcome *outcome)
{
  const NsThetaSettings *settings = scheme->settings;
  NsTheta               *self     = scheme->data;
  PetscInt               count;

  PetscFunctionBegin;
  PetscCall(NsThetaBegin(scheme, x, dt));
  PetscCall(NsContactForecast(scheme->contact, x, settings->gamma * dt, &count));
  PetscCall(NsPercussionKeep(scheme, &count));
  PetscCall(NsPercussionActivate(scheme, count));
  PetscCall(NsThetaVelocity(scheme, x, dt, count, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsThetaBook(scheme, x, dt));
  PetscCall(NsPercussionPosition(scheme, x->t + dt, self->mass, &self->q1, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(NsPercussionFinish(scheme, x, dt, &self->q1));
  PetscFunctionReturn(0);
}

static const NsKey keys[] = {
  NS_STEP_KEY,
  NS_THETA_KEY,
  NS_GAMMA_KEY,
  NS_POSITIONS_KEY(NsThetaSettings),
  NS_LOCAL_KEYS,
  {NULL},
};

const NsSchemeType NsSchemeType_MoreauJean = {
  .variant =
    {
      .name  = "moreau_jean",
      .title = "Moreau-Jean theta scheme: implicit",
      .about = "One percussion per step on contacts whose predicted gap is closed. Linear models: one matrix, factored once. Mechanisms and "
               "rotors of free or changing spin: Newton's method, three to six iterations per step. theta = 0.5 is of order 2 and conserves the "
               "energy of linear models; theta > 0.5 is of order 1 and damps. "
               "One percussion P per step contains force and impulse; it is reported as impulse, and P/dt is the force while contact "
               "lasts.\n"
               "Penetration is at most dt |u^-| ((1 - gamma) + max(0, (1 - theta) - theta e)). Joints and curved contacts drift, which "
               "positions: held removes; velocities at the projected positions are those of scheme.projection_combined.\n" NS_POSITIONS_ABOUT,
      .table = &(const NsTable){"moreau_jean", "Moreau-Jean theta scheme", keys, sizeof(NsThetaSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 1,
      .level         = "velocity",
      .energy        = "conserved to rounding (linear models); joints change it by O(dt)",
      .needs         = "",
      .cited         = "Acary, Bonnefon (2)",
      .step_limit    = "none for theta >= 0.5",
      .theory        = "schemes_velocity",
      .reference     = "V. Acary, O. Bonnefon, Time integration of nonsmooth mechanical systems with unilateral contact, (2)",
    },
  .implicit      = PETSC_TRUE,
  .laws          = NS_LAW_SLIDING | NS_LAW_ANISOTROPIC | NS_LAW_APPROACH | NS_LAW_JOINT | NS_LAW_RESISTANCE,
  .size          = sizeof(NsTheta),
  .declare       = declare,
  .start         = NsThetaStart,
  .step          = step,
  .stands        = NsThetaStands,
  .amplification = NsThetaAmplification,
};
