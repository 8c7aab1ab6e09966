#include <math.h>
#include <stdio.h>
#include "percuss/scheme.h"

#define NS_NEARLY 1e-5 /* residual of a contact problem that the key contact_tolerance can reach */

#define NS_SCHEME(name) extern const NsSchemeType NsSchemeType_##name;
#include "list.h"
#undef NS_SCHEME

const NsSchemeType *const NsSchemeTypes[] = {
#define NS_SCHEME(name) &NsSchemeType_##name,
#include "list.h"
#undef NS_SCHEME
  NULL,
};

const NsVariant *const NsSchemeVariants[] = {
#define NS_SCHEME(name) &NsSchemeType_##name.variant,
#include "list.h"
#undef NS_SCHEME
  NULL,
};

const NsSchemeType *NsSchemeFind(const NsChosen *chosen)
{
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    if (&(*type)->variant == chosen->variant) return *type;
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
  scheme->settings                 = chosen->settings;
  scheme->model                    = model;
  scheme->contact                  = contact;
  scheme->ledger                   = ledger;
  scheme->step_limit               = PETSC_MAX_REAL;
  const NsSchemeSettings *settings = scheme->settings;
  NsContactSolveBy(contact, settings->contact_solver, settings->contact_tolerance);
  PetscCall(NsWorkspaceCreate(model, contact, &scheme->work));
  PetscCall(NsWorkBytes(scheme->work, scheme->type->size, &scheme->data));
  PetscCall(scheme->type->declare(scheme, scheme->work));
  *result = scheme;
  PetscFunctionReturn(0);
}

const char *NsSchemeRefusesLaw(const NsSchemeType *type, const NsModel *model, char *text, size_t size)
{
  static const char *const what[] = {"friction over the sliding speed", "friction that depends on the direction",
    "restitution over the approach speed", "an impact law with compression and expansion", "friction in a joint", "rolling or drilling resistance"};
  char                     name[NS_CANDIDATE_NAME];

  for (PetscInt i = 0; i < model->candidates; i++) {
    const unsigned missing = model->candidate[i].law.kinds & ~type->laws;
    int            kind    = 0;
    if (!missing) continue;
    while (!(missing >> kind & 1)) kind++;
    int used =
      snprintf(text, size, "contact '%s' has %s, which it does not solve; schemes that do:", NsCandidateName(&model->candidate[i], name), what[kind]);
    for (const NsSchemeType *const *other = NsSchemeTypes; *other; other++) {
      if ((model->candidate[i].law.kinds & ~(*other)->laws) || (size_t)used >= size) continue;
      used += snprintf(text + used, size - (size_t)used, "%s %s", text[used - 1] == ':' ? "" : ",", (*other)->variant.name);
    }
    return text;
  }
  return NULL;
}

PetscErrorCode NsSchemeDestroy(NsScheme **result)
{
  NsScheme *scheme = *result;

  PetscFunctionBegin;
  if (!scheme) PetscFunctionReturn(0);
  NsContactSetHeld(scheme->contact, NULL, NULL); /* arrays of the scheme's */
  PetscCall(NsWorkspaceDestroy(&scheme->work));
  PetscCall(PetscFree(scheme));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsSchemeAddsPositions(NsScheme *scheme)
{
  PetscFunctionBegin;
  if (!scheme->model->dynamics.move) PetscFunctionReturn(0);
  PetscCall(PetscStrncpy(scheme->refusal, "it adds positions as vectors, which is wrong for large rotations", sizeof(scheme->refusal)));
  PetscFunctionReturn(0);
}

/* The interval that a force represents in a step of dt. */
static void set_part(NsScheme *scheme, PetscReal dt)
{
  const NsSchemeType *type  = scheme->type;
  const PetscReal     where = type->stands ? type->stands(scheme->settings) : 0.5, length = type->adapts ? 0 : dt;

  scheme->model->before = where * length;
  scheme->model->after  = length - scheme->model->before;
}

PetscErrorCode NsSchemeStart(NsScheme *scheme, const NsState *state)
{
  PetscFunctionBegin;
  set_part(scheme, ((const NsSchemeSettings *)scheme->settings)->step);
  if (scheme->type->start) PetscCall(scheme->type->start(scheme, state));
  PetscFunctionReturn(0);
}

PetscErrorCode NsSchemeSettle(NsScheme *scheme, NsState *state, NsStepOutcome *outcome)
{
  PetscFunctionBegin;
  outcome->done = PETSC_TRUE;
  if (scheme->type->settle) PetscCall(scheme->type->settle(scheme, state, outcome));
  PetscFunctionReturn(0);
}

PetscErrorCode NsSchemeStep(NsScheme *scheme, NsState *state, PetscReal dt, NsStepOutcome *outcome)
{
  const NsLedger before = *scheme->ledger;

  PetscFunctionBegin;
  set_part(scheme, dt);
  outcome->done      = PETSC_TRUE;
  outcome->impulsive = PETSC_FALSE;
  outcome->reason[0] = '\0';
  PetscCall(NsContactBeginStep(scheme->contact));
  PetscCall(scheme->type->step(scheme, state, dt, outcome));
  if (outcome->done) {
    PetscCall(NsContactEndStep(scheme->contact, state));
    outcome->impulsive = NsContactHadImpact(scheme->contact);
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
  char           name[NS_CANDIDATE_NAME];
  size_t         used;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < count && i <= named; i++) {
    PetscCall(PetscStrlen(outcome->reason, &used));
    PetscCall(PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used, "%s%.40s", i ? ", " : " (",
      i < named ? NsCandidateName(&scheme->model->candidate[contact[i]], name) : "..."));
  }
  PetscCall(PetscStrlen(outcome->reason, &used));
  if (count > 0) PetscCall(PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used, ")"));
  PetscFunctionReturn(0);
}

/* Adds the reason why there is no solution, if there is this one. */
static PetscErrorCode explain_painleve(NsStepOutcome *outcome, const NsScheme *scheme, const NsRows *rows)
{
  NsPainleve painleve;
  char       name[NS_CANDIDATE_NAME];
  size_t     used;

  PetscFunctionBegin;
  if (!NsContactPainleve(scheme->contact, rows, &painleve)) PetscFunctionReturn(0);
  PetscCall(PetscStrlen(outcome->reason, &used));
  PetscCall(PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used,
    ": Painleve's paradox (%s): while %.40s slides, a contact force with its friction (coefficient %.4g) presses the surfaces further together%s",
    painleve.inconsistent ? "inconsistent" : "indeterminate", NsCandidateName(&scheme->model->candidate[painleve.candidate], name),
    (double)NsContactFriction(scheme->contact, painleve.candidate),
    painleve.inconsistent ? "; only an impact can end that: a time-stepping scheme computes it" : ""));
  PetscFunctionReturn(0);
}

PetscErrorCode NsStepFail(NsStepOutcome *outcome, const NsScheme *scheme, const NsRows *rows, const char *what)
{
  PetscInt64     room;
  const PetscInt overflow = NsContactOverflow(scheme->contact, &room);
  size_t         used;

  PetscFunctionBegin;
  outcome->done = PETSC_FALSE;
  if (overflow) {
    PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason),
      "%" PetscInt_FMT " contact rows (of %" PetscInt_FMT
      " for the %s) act on each other at once: their dense Delassus matrix of %.3g MB is larger than %.3g MB",
      overflow, rows->rows, what, 8e-6 * overflow * overflow, 8e-6 * (double)room));
    PetscFunctionReturn(0);
  }
  if (*NsContactProblem(scheme->contact)) {
    PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason), "%s", NsContactProblem(scheme->contact)));
    PetscFunctionReturn(0);
  }
  const PetscReal residual = NsContactResidual(scheme->contact);
  const int       chosen   = ((const NsSchemeSettings *)scheme->settings)->contact_solver;
  PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason), "no solution found%s%s for the %s of %" PetscInt_FMT " contact%s",
    chosen ? " by " : "", chosen ? NsLocalChoices[chosen] : "", what, rows->contacts, rows->contacts == 1 ? "" : "s"));
  PetscCall(NsStepName(outcome, scheme, rows->contacts, rows->contact));
  PetscCall(PetscStrlen(outcome->reason, &used));
  if (residual >= PETSC_INFINITY && chosen) {
    PetscCall(
      PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used, ": this solver does not support them; try `contact_solver: auto`"));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscSNPrintf(outcome->reason + used, sizeof(outcome->reason) - used, ", best residual %.1e%s", residual,
    residual < NS_NEARLY ? "; with a larger `contact_tolerance` it is accepted" : ""));
  if (residual >= NS_NEARLY) PetscCall(explain_painleve(outcome, scheme, rows));
  PetscFunctionReturn(0);
}
