/*
  Parts that begin to act or stop acting between two steps (percuss/switches.h).

  Each changes the energy of the model at that instant: that of a spring leaves with it. The ledger counts the sum among the external work, and run.json has each of them. Then the scheme starts anew
  from the state, as with `start: {from: RUN}`. What has no inertia follows a contact, link or support that stops acting at once (NsSchemeSettle): the elastic energy that leaves then is that of
  the part.
*/
#include <math.h>
#include <string.h>
#include "private.h"

#define NS_ON_TIME 1e-6 /* of a step: an instant this close to its end counts as the end */

void NsRunCheckSwitches(NsRun *run)
{
  const NsSwitches   *switches = &run->model->switches;
  const NsSchemeType *type     = run->scheme->type;

  PetscInt first = 0;

  while (first < switches->count && !switches->item[first].off) first++;
  if (first < switches->count && type->varies && !type->adapts) {
    NsDiagError(run->diag, switches->item[first].place, "scheme '%s' does not support `from` and `until`: its steps do not end at given times",
      type->variant.name);
    NsDiagNote(run->diag, "half_explicit (with a fixed step) and half_explicit_adaptive support them");
    return;
  }
  for (PetscInt k = 0; k < switches->count; k++) {
    const NsSwitch *it    = &switches->item[k];
    const PetscReal steps = it->t / run->step;
    if (it->t >= run->config.time->end)
      NsDiagWarning(run->diag, it->place, "the run ends at %g s, before the %s '%s' %s", run->config.time->end, it->kind, it->name,
        it->acts ? "begins to act" : "stops acting");
    if (type->adapts || !it->off || PetscAbsReal(steps - round(steps)) <= NS_ON_TIME) continue;
    NsDiagError(run->diag, it->place, "%.9g s is not the end of a step: this scheme has a fixed step of %.9g s", it->t, run->step);
    NsDiagNote(run->diag, "write %.15g s, or choose a step of which it is a multiple; schemes that adapt their steps end a step there",
      NsRunTime(run, (PetscInt64)round(steps)));
  }
}

static PetscErrorCode total_energy(NsRun *run, PetscReal *total)
{
  NsEnergy now;

  PetscFunctionBegin;
  PetscCall(NsModelEnergy(run->model, run->state.t, run->state.q, run->state.v, &now));
  *total = now.kinetic + now.elastic + now.potential + run->ledger.impact; /* where schemes have energy that contacts store */
  PetscFunctionReturn(0);
}

static PetscBool is_due(const NsRun *run)
{
  const NsSwitches *switches = &run->model->switches;

  return switches->done < switches->count &&
         run->state.t >= switches->item[switches->done].t - (run->scheme->type->adapts ? 0 : NS_ON_TIME * run->step);
}

static PetscBool has_reactions(const NsSwitch *it)
{
  return !strcmp(it->kind, "contact") || !strcmp(it->kind, "link") || !strcmp(it->kind, "support");
}

PetscErrorCode NsRunSwitch(NsRun *run, NsStepOutcome *outcome)
{
  NsSwitches *switches = &run->model->switches;
  PetscReal   before = 0, after = 0;
  NsSwitch   *last = NULL; /* of this instant; a contact, link or support where there is one */
  PetscInt    deep;
  char        name[NS_CANDIDATE_NAME];

  PetscFunctionBegin;
  outcome->done = PETSC_TRUE;
  if (!is_due(run)) PetscFunctionReturn(0);
  PetscCall(NsSchemeComplete(run->scheme, &run->state));
  PetscCall(total_energy(run, &before));
  while (is_due(run)) {
    NsSwitch *it = &switches->item[switches->done];
    NsSwitchesSet(switches, switches->done + 1);
    if (!it->off) continue;
    PetscCall(total_energy(run, &after));
    it->energy = after - before;
    run->ledger.switched += it->energy;
    before = after;
    if (!last || has_reactions(it) || !has_reactions(last)) last = it;
  }
  if (!last) PetscFunctionReturn(0);
  PetscCall(NsContactSwitched(run->contact, &run->state, &deep));
  /* a contact that follows another one begins with the penetration that the scheme has left */
  if (deep >= 0 && -NsContactLastGaps(run->contact)[deep] > run->figures.max_penetration) {
    outcome->done = outcome->impulsive = PETSC_FALSE;
    PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason), "contact '%s' begins to act with a penetration of %.4g m",
      NsCandidateName(&run->model->candidate[deep], name), -NsContactLastGaps(run->contact)[deep]));
    PetscFunctionReturn(0);
  }
  PetscCall(NsSchemeSettle(run->scheme, &run->state, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(total_energy(run, &after));
  last->energy += after - before;
  run->ledger.switched += after - before;
  const NsLedger ledger = run->ledger;
  PetscCall(NsSchemeStart(run->scheme, &run->state));
  run->ledger = ledger; /* discards what schemes book at the start of a run */
  PetscFunctionReturn(0);
}

void NsRunSerializeSwitches(NsRun *run, NsArchive *archive)
{
  NsSwitches *switches = &run->model->switches;
  PetscInt    done     = switches->done;

  if (!switches->count) return;
  NsArchiveCount(archive, "switches", &done, switches->count);
  for (PetscInt k = 0; k < switches->count; k++) NsArchiveReals(archive, "switch_energy", 1, &switches->item[k].energy);
  if (archive->reading && !archive->problem[0]) NsSwitchesSet(switches, done);
}

void NsRunPutSwitches(const NsRun *run, NsJson *json)
{
  const NsSwitches *switches = &run->model->switches;

  if (!switches->count) return;
  NsJsonOpen(json, "switches", '[');
  for (PetscInt k = 0; k < switches->done; k++) {
    const NsSwitch *it = &switches->item[k];
    NsJsonOpen(json, NULL, '{');
    NsJsonNumber(json, "time", it->t);
    NsJsonString(json, "kind", it->kind);
    NsJsonString(json, "name", it->name);
    NsJsonBoolean(json, "acts", it->acts);
    NsJsonNumber(json, "energy", it->energy);
    NsJsonClose(json);
  }
  NsJsonClose(json);
}
