/*
  Event-driven scheme with the generalised-alpha method on position level (src/dae/generalised_alpha.c). See event_driven.h.
*/
#include "event_driven.h"

static PetscErrorCode declare(NsScheme *scheme, NsWorkspace *work)
{
  PetscFunctionBegin;
  PetscCall(NsEventDrivenDeclare(scheme, work, &NsDaeMethod_GeneralisedAlpha));
  PetscFunctionReturn(0);
}

static const char *const rates_choices[] = {"projected", "free", NULL};

static const NsKey keys[] = {NS_EVENT_KEYS("1e-6"),
  {"rho", NS_KEY_NUMBER, offsetof(NsEventSettings, rho), .default_value = "0.8", .minimum = "0", .maximum = "1",
    .help = "amplification factor at infinite frequency: 1 does not damp, 0 damps within one step", .example = "0.9"},
  {"rates", NS_KEY_CHOICE, offsetof(NsEventSettings, rates), .choices = rates_choices, .default_value = "projected",
    .help = "rates of held gaps: projected to zero at the end of each step, or not corrected (as in the paper)", .example = "free"},
  NS_LOCAL_KEYS, {NULL}};

const NsSchemeType NsSchemeType_EventDrivenAlpha = {
  .variant =
    {
      .name  = "event_driven_alpha",
      .title = "event-driven with generalised-alpha: implicit, order 2, constraints on position level",
      .about =
        "Implicit method with Newton iterations: gaps of held contacts are constant to rounding. rates: projected sets their rates to zero by a projection that is not "
        "in the reference. rates: free leaves errors of O(dt^2), and loses the order if the step length changes. Frequencies "
        "that the step does not resolve are damped.\n" NS_EVENT_ABOUT
        "Steps end at events and at the end of the run; the tolerances determine the others, at most `step`. `every` of outputs counts all of them. "
        "tolerance: 0 and absolute_tolerance: 0 make all of them `step` long. With a tolerance it is slow on finite elements: many small "
        "steps, and a new factorization whenever their length changes.\n",
      .table = &(const NsTable){"event_driven_alpha", "event-driven scheme, generalised-alpha", keys, sizeof(NsEventSettings)},
    },
  .sheet =
    {
      .order         = 2,
      .order_impacts = 2,
      .level         = "position",
      .energy        = "damped at high frequencies (rho)",
      .needs         = "rates of contact rows",
      .cited         = "Haddouni, Acary, Beley (6)-(10)",
      .step_limit    = "none",
      .theory        = "schemes_events",
      .reference = "M. Haddouni, V. Acary, J.-D. Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with "
                   "unilateral and bilateral constraints, 2.1",
    },
  .implicit = PETSC_TRUE,
  .varies   = PETSC_TRUE,
  .adapts   = PETSC_TRUE,
  .refuses  = NsEventDrivenRefuses,
  .laws     = NS_LAW_SLIDING | NS_LAW_APPROACH | NS_LAW_TWO_PHASE,
  .size     = sizeof(NsEventDriven),
  .declare  = declare,
  .start    = NsEventDrivenStart,
  .step     = NsEventDrivenStep,
  .count    = NsEventDrivenCount,
};
