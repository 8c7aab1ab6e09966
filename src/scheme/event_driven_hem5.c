/*
  Event-driven scheme with HEM5, the half-explicit Runge-Kutta method of order 5 on velocity level (src/dae/hem5.c). See event_driven.h.
*/
#include "dae/hem5_tableau.h"
#include "dae/stability.h"
#include "event_driven.h"

static PetscErrorCode NsSchemeSetup_EventDrivenHem5(NsScheme *scheme)
{
  PetscFunctionBegin;
  PetscCall(NsEventDrivenSetup(scheme, &NsDaeMethod_Hem5));
  PetscFunctionReturn(0);
}

/* Where the error is controlled it is small, and the step below the limit, whatever `step` says. */
static void NsSchemeAmplification_EventDrivenHem5(const void *settings, PetscReal w, NsComplex zeta, NsComplex S[4])
{
  if (NsEventDrivenControls(settings))
    S[0] = S[1] = S[2] = S[3] = 0;
  else
    NsDaeAmplification(NS_HEM5_STAGES, NS_HEM5_STAGES, ns_hem5_a[0], ns_hem5_a[NS_HEM5_STAGES], w, zeta, S);
}

static const NsKey   event_driven_hem5_keys[] = {NS_EVENT_KEYS("1e-8"), {NULL}};
static const NsTable event_driven_hem5_table  = {"event_driven_hem5", "event-driven scheme, HEM5", event_driven_hem5_keys, sizeof(NsEventSettings)};

const NsVariant NsSchemeVariant_EventDrivenHem5 = {
  .name  = "event_driven_hem5",
  .title = "event-driven, HEM5: order 5, constraints on velocity level",
  .about = "M(Q_i) V_i' = h(Q_i, V_i) + W(Q_i) Lambda_i,   W(Q_i)' V_i = 0 in each of 8 stages: what is held is an equation on\n"
           "velocity level (index 2). Order 5, also with impacts.\n" NS_EVENT_ABOUT
           "Rates of held gaps vanish to rounding; gaps drift within the tolerance.\n"
           "Steps end at events and with the run; between, their length is what the tolerances allow, at most `step`; outputs\n"
           "count them as they come. tolerance: 0 makes all of them `step` long. The step limit is then\n"
           "0.53/omega_max undamped, at which a mode grows by 1e-5 a step; else the tolerance keeps steps below it.\n"
           "Needs of a model: accelerations, gaps, contact rows and their rates (rowrate); smooth gaps. One process.\n"
           "Reference: Haddouni, Acary, Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody\n"
           "systems with unilateral and bilateral constraints, 2.2.",
  .table = &event_driven_hem5_table,
};

const NsSchemeType NsSchemeType_EventDrivenHem5 = {
  .variant       = &NsSchemeVariant_EventDrivenHem5,
  .sheet         = {.order = 5,
            .order_impacts = 5,
            .level         = "velocity",
            .energy        = "error within the tolerance",
            .needs         = "rates of contact rows",
            .reference     = "Haddouni, Acary, Beley (13)"},
  .varies        = PETSC_TRUE,
  .adapts        = PETSC_TRUE,
  .refuses       = NsEventDrivenRefuses,
  .setup         = NsSchemeSetup_EventDrivenHem5,
  .start         = NsEventDrivenStart,
  .remember      = NsEventDrivenRemember,
  .step          = NsEventDrivenStep,
  .amplification = NsSchemeAmplification_EventDrivenHem5,
  .growth        = 1e-5,
  .count         = NsEventDrivenCount,
  .destroy       = NsEventDrivenDestroy,
};
