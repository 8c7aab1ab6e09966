#include <math.h>
#include <string.h>
#include "advice.h"
#include "private.h"

extern const NsSchemeType NsSchemeType_HalfExplicit;

#define NS_MANY_STEPS   1e6
#define NS_PART         0.8  /* of the limit: beyond 0.9 the highest frequencies are badly off */
#define NS_LOOKS        1000 /* steps of a run whose steps are exact */
#define NS_FEWEST_STEPS 100  /* of a run: impacts of slow motion are not resolved by steps near the critical one */
#define NS_FEW_CONTACTS 16   /* each of their impacts ends a step */
#define NS_OF_LOAD      20   /* steps in the period of a load */
#define NS_LONGER       10   /* implicit steps, in explicit ones: an error of a hundredth on bars and beams */

/* The step limit of half_explicit, whatever the run's scheme is; PETSC_MAX_REAL: the model has no vibration. Set-up time again where that has another one. */
static PetscErrorCode explicit_limit(NsRun *run, PetscReal *limit)
{
  const NsModelAnalysis *analysis = &run->model->analysis;
  const NsSchemeType    *type     = &NsSchemeType_HalfExplicit;

  PetscFunctionBegin;
  *limit = run->stability.step_limit;
  if (run->scheme->type->amplification == type->amplification) PetscFunctionReturn(0);
  *limit = PETSC_MAX_REAL;
  for (PetscInt part = 0; part < run->model->parts; part++) {
    NsStabilityMode mode[NS_STABILITY_MODES];
    PetscReal       omega, rate;
    PetscInt        count = 0;
    if (NsRunIsLarge(run)) {
      NsBound highest, damping;
      PetscCall(analysis->frequency_bound(run->model, part, &highest, &damping));
      omega = highest.value;
      rate  = damping.value;
    } else
      PetscCall(analysis->highest_mode(run->model, part, &omega, &rate));
    if (omega > 0) *limit = PetscMin(*limit, NsSchemeStepLimit(type, NULL, omega, rate / (2 * omega)));
    if (analysis->gyroscopic_modes) PetscCall(analysis->gyroscopic_modes(run->model, part, &count, mode));
    for (PetscInt i = 0; i < count; i++) *limit = PetscMin(*limit, NsSchemeGrowthLimit(type, NULL, &mode[i], run->config.time->end));
  }
  PetscFunctionReturn(0);
}

/* What contacts ask of a scheme. */
typedef struct {
  PetscBool bounces, rubs_in_space, joins; /* e > 0; friction of two tangents; joints */
} Demands;

static Demands demands_of(const NsModel *model)
{
  Demands d = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};

  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    d.bounces                    = d.bounces || candidate->law.restitution > 0 || (candidate->law.kinds & NS_LAW_APPROACH);
    d.rubs_in_space              = d.rubs_in_space || candidate->directions > 2;
    d.joins                      = d.joins || candidate->bilateral;
  }
  return d;
}

static void advise_mechanism(const NsModel *model, Demands d, NsAdvice *advice)
{
  const PetscBool few = model->candidates <= NS_FEW_CONTACTS && !d.rubs_in_space && (model->contact.rowrate || !model->candidates);

  advice->step = 0;
  if (model->slots && !model->contact.rowrate) { /* forces between two rows of a contact whose normal has jumped would do work */
    advice->scheme = "moreau_midpoint";
    (void)snprintf(advice->reason, sizeof(advice->reason),
      "points of contact of these shapes come and go within a step, which it bears best; choose a step in which nothing moves by more than a small part of its size");
    return;
  }
  advice->scheme = few ? "event_driven_hem5" : "half_explicit_adaptive";
  (void)snprintf(advice->reason, sizeof(advice->reason), "%s%s",
    few
      ? "locates impacts, and its steps follow from `tolerance`, because no critical time step is known; faster and less accurate: half_explicit_adaptive"
      : "its steps follow from `tolerance`, because no critical time step is known; lowest cost with many contacts",
    d.joins && !few ? "; use `positions: held`, because joints drift" : "");
}

static void advise_elements(const NsRun *run, Demands d, PetscReal limit, PetscReal period, NsAdvice *advice)
{
  const NsModel  *model   = run->model;
  const PetscReal end     = run->config.time->end;
  const PetscBool elastic = model->scene.elements > 0 && model->layout->ranks == 1; /* for models with nodes, on one process */
  const PetscBool many = end / limit > NS_MANY_STEPS, curved = model->candidates && !model->flat_contacts;
  const char     *also = "";

  if (model->linear && !model->candidates && model->layout->ranks == 1) {
    advice->scheme = "modal";
    advice->step   = PetscMin(end / NS_LOOKS, period / NS_OF_LOAD);
    (void)snprintf(advice->reason, sizeof(advice->reason),
      period < PETSC_MAX_REAL ? "without contact the free motion is exact, and loads want %d steps a period"
                              : "without contact, modal integration is exact for any step; choose the step by the output that you need",
      NS_OF_LOAD);
    return;
  }
  if (many) {
    advice->scheme = curved || d.joins ? "generalised_alpha" : "moreau_jean";
    advice->step   = PetscMin(NS_LONGER * PetscMax(limit, run->stability.omega_max > 0 ? 2 / run->stability.omega_max : 0),
        PetscMin(end / NS_FEWEST_STEPS, period / NS_OF_LOAD)); /* damping limits explicit ones alone */
    (void)snprintf(advice->reason, sizeof(advice->reason),
      "an explicit scheme would need %.2g steps: use longer elements where they determine the critical time step, or an implicit scheme%s",
      end / limit,
      curved || d.joins ? ""
      : d.bounces || !elastic
        ? "; implicit_split damps the frequencies that the step does not resolve"
        : "; implicit_split damps the frequencies that the step does not resolve; the step of modal does not depend on the mesh");
    return;
  }
  advice->scheme = "half_explicit";
  advice->step   = PetscMin(NS_PART * limit, PetscMin(end / NS_FEWEST_STEPS, period / NS_OF_LOAD));
  if (curved)
    also =
      "; use `positions: held`, because gaps on curved surfaces drift; generalised_alpha allows steps ten times as long, with errors of about one per cent";
  else if (elastic && model->candidates && !d.bounces && !d.joins && model->linear)
    also = "; for contact forces without oscillation: `mass: redistributed` with massless_contact, or modal";
  if (advice->step < PetscMin(NS_PART * limit, end / NS_FEWEST_STEPS))
    (void)snprintf(advice->reason, sizeof(advice->reason), "%d steps in the period of a load%s", NS_OF_LOAD, also);
  else if (advice->step < NS_PART * limit)
    (void)snprintf(advice->reason, sizeof(advice->reason), "%d steps, to resolve impacts; %g of the critical time step would give %.3g%s",
      NS_FEWEST_STEPS, NS_PART, ceil(end / (NS_PART * limit)), also);
  else
    (void)snprintf(advice->reason, sizeof(advice->reason), "%g of the critical time step, %.3g steps: the lowest cost for the same error%s", NS_PART,
      ceil(end / advice->step), also);
}

/* The nearest scheme that supports the laws of the contacts, where the advised one does not. */
static void mind_laws(const NsModel *model, NsAdvice *advice)
{
  char text[512];

  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    if (strcmp((*type)->variant.name, advice->scheme) || !NsSchemeRefusesLaw(*type, model, text, sizeof(text))) continue;
    advice->scheme = (*type)->implicit ? "implicit_split" : advice->step == 0 ? "half_explicit_adaptive" : "half_explicit";
    (void)snprintf(advice->reason, sizeof(advice->reason), "it supports the laws of these contacts");
    return;
  }
}

PetscErrorCode NsAdvise(NsRun *run, NsAdvice *advice)
{
  const NsModel *model = run->model;
  const Demands  d     = demands_of(model);
  PetscReal      limit, period;

  PetscFunctionBegin;
  if (!model->analysis.frequency_bound) {
    advise_mechanism(model, d, advice);
    mind_laws(model, advice);
    PetscFunctionReturn(0);
  }
  if (model->massless) {
    advice->scheme = "massless_contact";
    advice->step   = NS_PART * PetscMin(run->stability.step_limit, run->stability.contact_limit);
    (void)snprintf(advice->reason, sizeof(advice->reason), "%g of the critical time step; no other scheme supports massless contact nodes", NS_PART);
    PetscFunctionReturn(0);
  }
  PetscCall(explicit_limit(run, &limit));
  PetscCall(NsRunLoadPeriod(run, &period));
  if (limit < PETSC_MAX_REAL)
    advise_elements(run, d, limit, period, advice);
  else {
    advice->scheme = d.rubs_in_space || model->slots || model->candidates > NS_FEW_CONTACTS ? "half_explicit_adaptive" : "event_driven_hem5";
    advice->step   = 0;
    (void)snprintf(advice->reason, sizeof(advice->reason), "the model has no vibration: only contacts limit the step");
  }
  mind_laws(model, advice);
  PetscFunctionReturn(0);
}
