/*
  Event-driven scheme with Runge-Kutta-Fehlberg 4(5) on the index-1 form (src/dae/rkf45.c). See event_driven.h.
*/
#include "dae/rkf45_tableau.h"
#include "dae/stability.h"
#include "event_driven.h"

static PetscErrorCode NsSchemeSetup_EventDrivenRkf45(NsScheme *scheme)
{
  PetscFunctionBegin;
  PetscCall(NsEventDrivenSetup(scheme, &NsDaeMethod_Rkf45));
  PetscFunctionReturn(0);
}

/* Where the error is controlled it is small, and the step below the limit, whatever `step` says. */
static void NsSchemeAmplification_EventDrivenRkf45(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  if (NsEventDrivenControls(settings))
    S[0] = S[1] = S[2] = S[3] = 0;
  else
    NsDaeAmplification(NS_RKF45_STAGES, NS_RKF45_STAGES, ns_rkf45_a[0], ns_rkf45_b, w, zeta, S);
}

static const NsKey   event_driven_rkf45_keys[] = {NS_EVENT_KEYS("1e-8"), {NULL}};
static const NsTable event_driven_rkf45_table  = {
   "event_driven_rkf45", "event-driven scheme, RKF45", event_driven_rkf45_keys, sizeof(NsEventSettings)};

const NsVariant NsSchemeVariant_EventDrivenRkf45 = {
  .name  = "event_driven_rkf45",
  .title = "event-driven, Runge-Kutta-Fehlberg 4(5): constraints on acceleration level",
  .about = "a = M^-1 (h + W lambda),   W' a + (dW'/dt) v = 0: what is held is an equation on acceleration level (index 1), in 6\n"
           "stages. Order 4, also with impacts.\n" NS_EVENT_ABOUT
           "Held gaps and their rates drift, as far as the tolerance lets them: for long contact take event_driven_hem5.\n"
           "Steps end at events and with the run; between, their length is what the tolerances allow, at most `step`; outputs\n"
           "count them as they come. tolerance: 0 makes all of them `step` long. The step limit is then\n"
           "0.40/omega_max undamped, at which a mode grows by 1e-5 a step; else the tolerance keeps steps below it.\n"
           "Needs of a model: accelerations, gaps, contact rows and their rates (rowrate); smooth gaps. One process.\n"
           "Reference: Haddouni, Acary, Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody\n"
           "systems with unilateral and bilateral constraints, 2.3.",
  .table = &event_driven_rkf45_table,
};

const NsSchemeType NsSchemeType_EventDrivenRkf45 = {
  .variant       = &NsSchemeVariant_EventDrivenRkf45,
  .sheet         = {.order = 4,
            .order_impacts = 4,
            .level         = "acceleration",
            .energy        = "error within the tolerance; drifts",
            .needs         = "rates of contact rows",
            .reference     = "Haddouni, Acary, Beley 2.3"},
  .varies        = PETSC_TRUE,
  .adapts        = PETSC_TRUE,
  .refuses       = NsEventDrivenRefuses,
  .setup         = NsSchemeSetup_EventDrivenRkf45,
  .start         = NsEventDrivenStart,
  .remember      = NsEventDrivenRemember,
  .step          = NsEventDrivenStep,
  .amplification = NsSchemeAmplification_EventDrivenRkf45,
  .growth        = 1e-5,
  .count         = NsEventDrivenCount,
  .destroy       = NsEventDrivenDestroy,
};
