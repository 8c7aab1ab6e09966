/*
  Event-driven scheme with Runge-Kutta-Fehlberg 4(5) on the index-1 form (src/dae/rkf45.c). See event_driven.h.
*/
#include "dae/rkf45_tableau.h"
#include "dae/stability.h"
#include "event_driven.h"

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  PetscFunctionBegin;
  PetscCall(NsEventDrivenDeclare(scheme, work, &NsDaeMethod_Rkf45));
  PetscFunctionReturn(0);
}

/* Where the error is controlled it is small, and the step below the limit, whatever `step` says. */
static void amplification(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  if (NsEventDrivenControls(settings))
    S[0] = S[1] = S[2] = S[3] = 0;
  else
    NsDaeAmplification(NS_RKF45_STAGES, NS_RKF45_STAGES, ns_rkf45_a[0], ns_rkf45_b, w, zeta, S);
}

static const NsKey keys[] = {NS_EVENT_KEYS("1e-8"), NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_EventDrivenRkf45 = {
  .variant =
    {
      .name  = "event_driven_rkf45",
      .title = "event-driven with Runge-Kutta-Fehlberg 4(5): constraints on acceleration level",
      .about =
        "Runge-Kutta method with 6 stages: held contacts have zero acceleration; gaps and their rates drift within the tolerance. For long "
        "contact use event_driven_hem5.\n" NS_EVENT_ABOUT
        "Steps end at events and at the end of the run; the tolerances determine the others, at most `step`. `every` of outputs counts all of them. "
        "tolerance: 0 makes all of them `step` long.\n",
      .table = &(const NsTable){"event_driven_rkf45", "event-driven scheme, RKF45", keys, sizeof(NsEventSettings)},
    },
  .sheet =
    {
      .order         = 4,
      .order_impacts = 4,
      .level         = "acceleration",
      .energy        = "error within the tolerance; drifts",
      .needs         = "rates of contact rows",
      .cited         = "Haddouni, Acary, Beley 2.3",
      .step_limit = "with tolerance: 0, 0.40/omega_max without damping (modes grow by 1e-5 per step there); else the tolerance keeps steps below it",
      .theory     = "schemes_events",
      .reference  = "M. Haddouni, V. Acary, J.-D. Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with "
                    "unilateral and bilateral constraints, 2.3",
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
