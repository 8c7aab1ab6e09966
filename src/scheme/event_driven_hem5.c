/*
  Event-driven scheme with HEM5, the half-explicit Runge-Kutta method of order 5 on velocity level (src/dae/hem5.c). See event_driven.h.
*/
#include "dae/hem5_tableau.h"
#include "dae/stability.h"
#include "event_driven.h"

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  PetscFunctionBegin;
  PetscCall(NsEventDrivenDeclare(scheme, work, &NsDaeMethod_Hem5));
  PetscFunctionReturn(0);
}

/* Where the error is controlled it is small, and the step below the limit, whatever `step` says. */
static void amplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  if (NsEventDrivenControls(settings))
    S[0] = S[1] = S[2] = S[3] = 0;
  else
    NsDaeAmplification(NS_HEM5_STAGES, NS_HEM5_STAGES, ns_hem5_a[0], ns_hem5_a[NS_HEM5_STAGES], w, zeta, S);
}

static const NsKey keys[] = {NS_EVENT_KEYS("1e-8"), NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_EventDrivenHem5 = {
  .variant =
    {
      .name  = "event_driven_hem5",
      .title = "event-driven with HEM5: order 5, constraints on velocity level",
      .about =
        "Half-explicit Runge-Kutta method with 8 stages: held contacts have zero velocity, to rounding; gaps drift within the tolerance. Also "
        "of order 5 with impacts.\n" NS_EVENT_ABOUT
        "Steps end at events and at the end of the run; the tolerances determine the others, at most `step`. `every` of outputs counts all of them. "
        "tolerance: 0 makes all of them `step` long.\n",
      .table = &(const NsTable){"event_driven_hem5", "event-driven scheme, HEM5", keys, sizeof(NsEventSettings)},
    },
  .sheet =
    {
      .order         = 5,
      .order_impacts = 5,
      .level         = "velocity",
      .energy        = "error within the tolerance",
      .needs         = "rates of contact rows",
      .cited         = "Haddouni, Acary, Beley (13)",
      .step_limit = "with tolerance: 0, 0.53/omega_max without damping (modes grow by 1e-5 per step there); else the tolerance keeps steps below it",
      .theory     = "schemes_events",
      .reference  = "M. Haddouni, V. Acary, J.-D. Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with "
                    "unilateral and bilateral constraints, 2.2",
    },
  .varies        = PETSC_TRUE,
  .adapts        = PETSC_TRUE,
  .refuses       = NsEventDrivenRefuses,
  .laws          = NS_LAW_SLIDING | NS_LAW_APPROACH | NS_LAW_TWO_PHASE,
  .size          = sizeof(NsEventDriven),
  .declare       = declare,
  .start         = NsEventDrivenStart,
  .step          = NsEventDrivenStep,
  .amplification = amplification,
  .growth        = 1e-5,
  .count         = NsEventDrivenCount,
};
