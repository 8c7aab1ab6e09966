/*
  Event-driven scheme with the generalised-alpha method on position level (src/dae/generalised_alpha.c). See event_driven.h.
*/
#include "event_driven.h"

static PetscErrorCode NsSchemeSetup_EventDrivenAlpha(NsScheme *scheme)
{
  PetscFunctionBegin;
  PetscCall(NsEventDrivenSetup(scheme, &NsDaeMethod_GeneralisedAlpha));
  PetscFunctionReturn(0);
}

static const char *const rates_choices[]           = {"projected", "free", NULL};
static const NsKey       event_driven_alpha_keys[] = {NS_EVENT_KEYS("1e-6"),
        {"rho", NS_KEY_NUMBER, offsetof(NsEventSettings, rho), .standard = "0.8", .minimum = "0", .maximum = "1",
          .help = "spectral radius at infinite frequency: 1 damps nothing, 0 all at once", .example = "0.9"},
        {"rates", NS_KEY_CHOICE, offsetof(NsEventSettings, rates), .choices = rates_choices, .standard = "projected",
          .help = "rates of held gaps: made to vanish at the end of each step, or left as they come out (as in the paper)", .example = "free"},
        {NULL}};
static const NsTable     event_driven_alpha_table  = {
       "event_driven_alpha", "event-driven scheme, generalised-alpha", event_driven_alpha_keys, sizeof(NsEventSettings)};

const NsVariant NsSchemeVariant_EventDrivenAlpha = {
  .name  = "event_driven_alpha",
  .title = "event-driven, generalised-alpha: implicit, order 2, constraints on position level",
  .about =
    "(1 - am) a1 + am a0 = (1 - af) v1' + af v0',   q1 = q0 + dt v0 + dt^2 ((1/2 - b) a0 + b a1),   v1 = v0 + dt ((1 - c) a0 + c a1);\n"
    "M v1' = h + W lambda,   g(q1) = 0: what is held is an equation on position level (index 3); am, af, b, c from rho.\n"
    "Order 2, also with impacts; no step limit; Newton's method in each step; damps frequencies that the step does not resolve.\n" NS_EVENT_ABOUT
    "Held gaps vanish to rounding, and so do their rates, by a projection that is not in the reference (rates: projected).\n"
    "Left free they are wrong by O(dt^2), and steps that change cost the order, or run away.\n"
    "Steps end at events and with the run; between, their length is what the tolerances allow, at most `step`; outputs\n"
    "count them as they come. tolerance: 0 and absolute_tolerance: 0 make all of them `step` long.\n"
    "With a tolerance it is slow on finite elements: many small steps, and a new factor where their length changes.\n"
    "Needs of a model: accelerations, gaps, contact rows and their rates (rowrate); smooth gaps. One process.\n"
    "Reference: Haddouni, Acary, Beley, Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody\n"
    "systems with unilateral and bilateral constraints, 2.1.",
  .table = &event_driven_alpha_table,
};

const NsSchemeType NsSchemeType_EventDrivenAlpha = {
  .variant  = &NsSchemeVariant_EventDrivenAlpha,
  .sheet    = {.order = 2,
       .order_impacts = 2,
       .level         = "position",
       .energy        = "damped at high frequencies (rho)",
       .needs         = "rates of contact rows",
       .reference     = "Haddouni, Acary, Beley (6)-(10)"},
  .implicit = PETSC_TRUE,
  .varies   = PETSC_TRUE,
  .adapts   = PETSC_TRUE,
  .refuses  = NsEventDrivenRefuses,
  .setup    = NsSchemeSetup_EventDrivenAlpha,
  .start    = NsEventDrivenStart,
  .remember = NsEventDrivenRemember,
  .step     = NsEventDrivenStep,
  .count    = NsEventDrivenCount,
  .destroy  = NsEventDrivenDestroy,
};
