#include <complex.h>
#include <math.h>
#include "percuss/scheme.h"

#define NS_SCHEME(name) \
  extern const NsSchemeType NsSchemeType_##name; \
  extern const NsVariant    NsSchemeVariant_##name;
#include "list.h"
#undef NS_SCHEME

const NsSchemeType *const NsSchemeTypes[] = {
#define NS_SCHEME(name) &NsSchemeType_##name,
#include "list.h"
#undef NS_SCHEME
  NULL,
};

const NsVariant *const NsSchemeVariants[] = {
#define NS_SCHEME(name) &NsSchemeVariant_##name,
#include "list.h"
#undef NS_SCHEME
  NULL,
};

const NsSchemeType *NsSchemeFind(const NsChosen *chosen)
{
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    if ((*type)->variant == chosen->variant) return *type;
  }
  return NULL;
}

PetscErrorCode NsSchemeCreate(const NsChosen *chosen, NsModel *model, NsContact *contact, NsLedger *ledger, NsScheme **result)
{
  NsScheme *scheme;

  PetscFunctionBegin;
  PetscCall(PetscNew(&scheme));
  scheme->type = NsSchemeFind(chosen);
  PetscCheck(scheme->type, PETSC_COMM_SELF, PETSC_ERR_PLIB, "scheme without a type");
  scheme->settings   = chosen->settings;
  scheme->model      = model;
  scheme->contact    = contact;
  scheme->ledger     = ledger;
  scheme->step_limit = PETSC_MAX_REAL;
  PetscCall(scheme->type->setup(scheme));
  *result = scheme;
  PetscFunctionReturn(0);
}

PetscErrorCode NsSchemeDestroy(NsScheme **scheme)
{
  PetscFunctionBegin;
  if (!*scheme) PetscFunctionReturn(0);
  PetscCall((*scheme)->type->destroy(*scheme));
  PetscCall(PetscFree(*scheme));
  PetscFunctionReturn(0);
}

PetscErrorCode NsSchemeStart(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  if (scheme->type->start) PetscCall(scheme->type->start(scheme, state));
  PetscFunctionReturn(0);
}

PetscErrorCode NsSchemeStep(NsScheme *scheme, NsState *state, PetscReal dt, NsStepOutcome *outcome)
{
  const NsLedger before = *scheme->ledger;

  PetscFunctionBegin;
  outcome->done      = PETSC_TRUE;
  outcome->impulsive = PETSC_FALSE;
  outcome->reason[0] = '\0';
  PetscCall(NsContactBeginStep(scheme->contact));
  PetscCall(scheme->type->step(scheme, state, dt, outcome));
  if (outcome->done) {
    PetscCall(NsContactEndStep(scheme->contact, state));
    for (PetscInt k = 0; k < scheme->contact->nears && !outcome->impulsive; k++)
      outcome->impulsive = scheme->contact->report[scheme->contact->near[k]].impact;
  } else {
    PetscCall(NsContactCancelStep(scheme->contact));
    *scheme->ledger = before;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsSchemeComplete(NsScheme *scheme, NsState *state)
{
  PetscFunctionBegin;
  if (scheme->type->complete) PetscCall(scheme->type->complete(scheme, state));
  PetscFunctionReturn(0);
}

NsStepClock NsStepClockMake(PetscReal step)
{
  NsStepClock clock = {step, step, 1};

  for (PetscReal scale = 1; scale < 1e22; scale *= 10) {
    const PetscReal digits = round(step * scale);
    if (digits > 1e15) break;
    if (digits >= 1 && digits / scale == step) return (NsStepClock){step, digits, scale};
  }
  return clock;
}

PetscReal NsStepClockTime(const NsStepClock *clock, PetscInt64 number, PetscInt parts)
{
  const PetscReal exact = (PetscReal)number * clock->digits, scale = clock->scale * parts;

  return clock->scale > 1 && exact < 9e15 && scale < 9e15 ? exact / scale : (PetscReal)number * clock->step / parts;
}

PetscErrorCode NsStepName(NsStepOutcome *outcome, const NsScheme *scheme, PetscInt count, const PetscInt *contact)
{
  const PetscInt named = 4;
  size_t         used;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < count && i <= named; i++) {
    PetscCall(PetscStrlen(outcome->reason, &used));
    PetscCall(PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used, "%s%.40s", i ? ", " : " (",
      i < named ? scheme->model->candidate[contact[i]].name : "..."));
  }
  PetscCall(PetscStrlen(outcome->reason, &used));
  if (count > 0) PetscCall(PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used, ")"));
  PetscFunctionReturn(0);
}

PetscErrorCode NsStepFail(NsStepOutcome *outcome, const NsScheme *scheme, const NsRows *rows, const char *what)
{
  size_t used;

  PetscFunctionBegin;
  outcome->done = PETSC_FALSE;
  if (scheme->contact->crowd) {
    PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason),
      "%" PetscInt_FMT " rows of contacts act on each other at once, of %" PetscInt_FMT " for the %s: their matrix has room for %" PetscInt_FMT
      " numbers",
      scheme->contact->crowd, rows->rows, what, (PetscInt)scheme->contact->room));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason), "no solution found for the %s of %" PetscInt_FMT " contact%s", what,
    rows->contacts, rows->contacts == 1 ? "" : "s"));
  PetscCall(NsStepName(outcome, scheme, rows->contacts, rows->contact));
  PetscCall(PetscStrlen(outcome->reason, &used));
  PetscCall(PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used, ", best residual %.1e", scheme->contact->residual));
  PetscFunctionReturn(0);
}

static PetscReal spectral_radius(const NsSchemeType *type, const void *settings, PetscReal w, NsComplex zeta)
{
  NsComplex S[4], half, root;

  type->amplification(settings, w, zeta, S);
  half = (S[0] + S[3]) / 2;
  root = csqrt(half * half - (S[0] * S[3] - S[1] * S[2]));
  return PetscMax(cabs(half + root), cabs(half - root));
}

/* Stable w = omega dt form an interval from 0 for every scheme here; a double root on the unit circle at its end (velocity Verlet at w = 2)
   makes the radius noisy there, hence the tolerance. 0: grows however small w; PETSC_MAX_REAL: never grows. */
static PetscReal stable_interval(const NsSchemeType *type, const void *settings, PetscReal zeta)
{
  const PetscReal tolerance = PetscMax(1e-9, type->growth);
  PetscReal       low = 0, high = 1e-3 / PetscMax(1, 10 * zeta); /* small also against the damping, zeta w */

  if (spectral_radius(type, settings, high, zeta) > 1 + tolerance) return 0;
  while (high < 1e6 && spectral_radius(type, settings, high, zeta) <= 1 + tolerance) {
    low = high;
    high *= 1.05;
  }
  if (high >= 1e6) return PETSC_MAX_REAL;
  for (int i = 0; i < 60; i++) {
    const PetscReal middle = (low + high) / 2;
    if (spectral_radius(type, settings, middle, zeta) <= 1 + tolerance)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/*
  omega and zeta are bounds over all modes, each of its own: a mode may have the frequency without the damping. The half-explicit scheme's interval is not monotone
  in the damping (w = 2, 1.73, 2, 1 at zeta = 0, 0.3, 0.5, 1), so the smallest over all ratios up to zeta is taken.
*/
PetscReal NsSchemeStepLimit(const NsSchemeType *type, const void *settings, PetscReal omega, PetscReal zeta)
{
  const int samples = 64;
  PetscReal limit   = PETSC_MAX_REAL;

  if (!type->amplification || omega == 0) return PETSC_MAX_REAL;
  for (int i = zeta > 0 ? 0 : samples; i <= samples; i++) limit = PetscMin(limit, stable_interval(type, settings, zeta * i / samples));
  return limit < PETSC_MAX_REAL ? limit / omega : PETSC_MAX_REAL;
}

/* steps = omega duration / w; the growth of one step, at least that of the rounding of its radius */
static PetscBool grows(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration, PetscReal w)
{
  const NsComplex zeta = (mode->damping_rate - I * mode->gyroscopic_rate) / (2 * mode->omega);

  return spectral_radius(type, settings, w, zeta) > 1 + PetscMax(1e-13, NS_GROWTH * w / (mode->omega * duration)) ? PETSC_TRUE : PETSC_FALSE;
}

PetscBool NsSchemeGrows(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration, PetscReal step)
{
  if (!type->amplification || mode->omega == 0 || mode->gyroscopic_rate == 0) return PETSC_FALSE;
  return grows(type, settings, mode, duration, mode->omega * step);
}

PetscReal NsSchemeGrowthLimit(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration)
{
  PetscReal low = 0, high = 1e-6; /* w */

  if (!type->amplification || mode->omega == 0 || mode->gyroscopic_rate == 0) return PETSC_MAX_REAL;
  while (high < 1e6 && !grows(type, settings, mode, duration, high)) {
    low = high;
    high *= 1.05;
  }
  if (high >= 1e6) return PETSC_MAX_REAL;
  for (int i = 0; i < 60; i++) {
    const PetscReal middle = (low + high) / 2;
    if (grows(type, settings, mode, duration, middle))
      high = middle;
    else
      low = middle;
  }
  return low / mode->omega;
}
