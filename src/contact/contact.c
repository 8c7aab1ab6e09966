/* Contacts of a step: life, history, active set. The broad phase is broad_phase.c; the Delassus matrix delassus.c; its problems problem.c; what is reported report.c. */
#include <stdlib.h>
#include <string.h>
#include "broad_phase.h"
#include "coupling.h"
#include "elimination.h"
#include "lasting.h"
#include "sharing.h"
#include "core/out_of_memory.h"
#include "laws/law.h"

#define NS_DELASSUS_ROOM 100000    /* numbers of dense Delassus matrices at first, 0.8 MB */
#define NS_DELASSUS_MOST 100000000 /* and at most, 800 MB: 10000 rows that all act on each other */

const char *const NsContactStateNames[] = {"open", "closed", "stick", "slip"};

PetscErrorCode NsContactCreate(NsModel *model, NsContact **result)
{
  NsContact     *contact;
  const PetscInt n = model->candidates;

  PetscFunctionBegin;
  PetscCall(PetscNew(&contact));
  contact->model      = model;
  contact->candidates = n;
  PetscCall(PetscMalloc2(n, &contact->first, n, &contact->tolerance));
  for (PetscInt i = 0; i < n; i++) {
    contact->tolerance[i] = PetscMax(1e-15 * model->length_scale, model->candidate[i].tolerance);
    contact->first[i]     = contact->rows;
    PetscCheck(NsLawResistance(&model->candidate[i].law, NS_ROLLING) + NsLawResistance(&model->candidate[i].law, NS_DRILLING) == 0 ||
                 (i + 1 < n && NsCandidateResists(&model->candidate[i + 1])),
      PETSC_COMM_SELF, PETSC_ERR_PLIB, "the resistance of contact '%s' has no candidate", model->candidate[i].name);
    contact->rows += model->candidate[i].directions;
  }
  const PetscInt rows = contact->rows, touches = model->touches;
  contact->room      = PetscMin((PetscInt64)rows * rows, NS_DELASSUS_ROOM);
  contact->most_room = NS_DELASSUS_MOST;
  NsIslands *islands = &contact->islands;
  PetscCall(PetscMalloc1(contact->room, &contact->G));
  PetscCall(PetscCalloc3(n, &contact->gap, n, &contact->active, n, &contact->every));
  contact->c                 = NsZeros((size_t)rows, sizeof(*contact->c));
  contact->Pc                = NsZeros((size_t)rows, sizeof(*contact->Pc));
  contact->selected          = NsZeros((size_t)n, sizeof(*contact->selected));
  contact->report            = NsZeros((size_t)n, sizeof(*contact->report));
  contact->last_report       = NsZeros((size_t)n, sizeof(*contact->last_report));
  contact->guess             = NsZeros((size_t)(3 * n), sizeof(*contact->guess));
  contact->last_guess        = NsZeros((size_t)(3 * n), sizeof(*contact->last_guess));
  contact->u                 = NsZeros((size_t)rows, sizeof(*contact->u));
  contact->b                 = NsZeros((size_t)rows, sizeof(*contact->b));
  contact->problem.friction  = NsZeros((size_t)n, sizeof(*contact->problem.friction));
  contact->problem.bilateral = NsZeros((size_t)n, sizeof(*contact->problem.bilateral));
  contact->start             = NsZeros((size_t)(n + 1), sizeof(*contact->start));
  islands->of                = NsZeros((size_t)n, sizeof(*islands->of));
  islands->parent            = NsZeros((size_t)n, sizeof(*islands->parent));
  islands->start             = NsZeros((size_t)(n + 1), sizeof(*islands->start));
  islands->member            = NsZeros((size_t)n, sizeof(*islands->member));
  islands->block             = NsZeros((size_t)(n + 1), sizeof(*islands->block));
  islands->owner             = NsZeros((size_t)touches, sizeof(*islands->owner));
  islands->half              = NsZeros((size_t)touches, sizeof(*islands->half));
  PetscCall(NsRowsCreate(model, &contact->all));
  for (PetscInt i = 0; i < n; i++) contact->every[i] = i;
  PetscCall(NsCouplingCreate(contact));
  PetscCall(NsEliminationCreate(&contact->elimination));
  PetscCall(NsBroadPhaseCreate(contact));
  PetscCall(NsLocalChainCreate(n, rows, &contact->chain));
  PetscCall(NsLawsCreate(contact));
  PetscCall(NsSharingCreate(contact));
  PetscCall(NsLastingCreate(contact, &contact->lasting));
  *result = contact;
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactDestroy(NsContact **result)
{
  NsContact *contact = *result;

  PetscFunctionBegin;
  if (!contact) PetscFunctionReturn(0);
  NsIslands *islands = &contact->islands;
  PetscCall(NsSharingDestroy(contact));
  PetscCall(NsLastingDestroy(&contact->lasting));
  PetscCall(NsLocalChainDestroy(&contact->chain));
  PetscCall(NsLawsDestroy(contact));
  PetscCall(NsBroadPhaseDestroy(contact));
  PetscCall(NsCouplingDestroy(contact));
  PetscCall(NsEliminationDestroy(&contact->elimination));
  PetscCall(NsRowsDestroy(&contact->all));
  PetscCall(PetscFree(contact->G));
  PetscCall(PetscFree3(contact->gap, contact->active, contact->every));
  void *const large[] = {contact->selected, contact->report, contact->last_report, contact->guess, contact->last_guess, contact->u, contact->b,
    contact->c, contact->Pc, contact->problem.friction, contact->problem.bilateral, contact->start, islands->of, islands->parent, islands->start,
    islands->member, islands->block, islands->owner, islands->half};
  for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++) free(large[i]);
  PetscCall(PetscFree2(contact->first, contact->tolerance));
  PetscCall(PetscFree(contact));
  *result = NULL;
  PetscFunctionReturn(0);
}

NsModel *NsContactModel(const NsContact *contact)
{
  return contact->model;
}

PetscInt NsContactRowCount(const NsContact *contact)
{
  return contact->rows;
}

PetscInt NsContactActive(const NsContact *contact, const PetscInt **list)
{
  if (list) *list = contact->active;
  return contact->actives;
}

const PetscReal *NsContactLastGaps(const NsContact *contact)
{
  return contact->gap;
}

const PetscReal *NsContactVelocity(const NsContact *contact, PetscInt candidate)
{
  return contact->u + contact->first[candidate];
}

PetscInt NsContactFirstRow(const NsContact *contact, PetscInt candidate)
{
  return contact->first[candidate];
}

const PetscReal *NsContactTolerances(const NsContact *contact)
{
  return contact->tolerance;
}

PetscInt *NsContactSelected(const NsContact *contact)
{
  return contact->selected;
}

NsContactReport *NsContactReports(const NsContact *contact)
{
  return contact->report;
}

const NsContactReport *NsContactLastReports(const NsContact *contact)
{
  return contact->last_report;
}

void NsContactSetHeld(NsContact *contact, const PetscBool *held, const PetscReal *velocity)
{
  contact->held     = held;
  contact->velocity = velocity;
}

NsLocalStatistics *NsContactStatistics(const NsContact *contact)
{
  return &contact->chain->statistics;
}

const NsContactFigures *NsContactGetFigures(const NsContact *contact)
{
  return &contact->figures;
}

PetscReal NsContactResidual(const NsContact *contact)
{
  return contact->residual;
}

PetscReal NsContactFriction(const NsContact *contact, PetscInt candidate)
{
  return contact->laws.sliding ? contact->laws.mu[candidate] : contact->model->candidate[candidate].law.friction;
}

void NsContactTakeFriction(NsContact *contact, PetscInt candidate, PetscReal mu)
{
  contact->laws.mu[candidate] = mu;
}

const char *NsContactProblem(const NsContact *contact)
{
  return contact->laws.problem;
}

PetscInt NsContactOverflow(const NsContact *contact, PetscInt64 *room)
{
  if (room) *room = contact->most_room;
  return contact->overflow;
}

PetscBool NsContactIsClosed(const NsContact *contact, PetscInt candidate)
{
  return NsIsClosed(contact, candidate);
}

PetscInt NsContactFlagClosed(NsContact *contact, PetscBool *flag)
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt i = contact->active[k];
    flag[i]          = NsIsClosed(contact, i);
    if (flag[i]) contact->selected[count++] = i;
  }
  return count;
}

void NsContactClearFlags(const NsContact *contact, PetscBool *flag)
{
  for (PetscInt k = 0; k < contact->actives; k++) flag[contact->active[k]] = PETSC_FALSE;
}

static void serialize_reports(NsArchive *archive, const char *name, PetscInt count, NsContactReport *report)
{
  NsArchiveBytes(archive, name, sizeof(*report) * (size_t)count, report);
  for (PetscInt i = 0; i < count && archive->reading && !archive->problem[0]; i++) {
    if ((int)report[i].state < NS_OPEN || report[i].state > NS_SLIP) NsArchiveDeny(archive, name);
  }
}

void NsContactSerialize(NsContact *contact, NsArchive *archive)
{
  const PetscInt n = contact->candidates;

  NsArchiveLongs(archive, "local_statistics", sizeof(contact->chain->statistics) / sizeof(PetscInt64), &contact->chain->statistics.calls);
  if (!n) return;
  NsArchiveLongs(archive, "contact_figures", sizeof(contact->figures) / sizeof(PetscInt64), &contact->figures.gaps);
  NsArchiveReals(archive, "gap", n, contact->gap);
  NsArchiveReals(archive, "guess", 3 * n, contact->guess);
  serialize_reports(archive, "report", n, contact->report);
  serialize_reports(archive, "last_report", n, contact->last_report);
  NsArchiveCount(archive, "actives", &contact->actives, n);
  NsArchiveIndices(archive, "active", contact->actives, contact->active, n);
  if (contact->model->slots) contact->model->contact.serialize(contact->model, archive);
  NsBroadPhaseSerialize(contact, archive);
  NsLastingSerialize(contact->lasting, archive);
}

PetscBool NsContactTakeForces(NsContact *contact, const NsContact *other)
{
  char own[NS_CANDIDATE_NAME], theirs[NS_CANDIDATE_NAME];

  if (contact->candidates != other->candidates || contact->model->slots || other->model->slots) return PETSC_FALSE;
  for (PetscInt i = 0; i < contact->candidates; i++) {
    const NsCandidate *here = &contact->model->candidate[i], *there = &other->model->candidate[i];
    if (here->directions != there->directions || strcmp(NsCandidateName(here, own), NsCandidateName(there, theirs)) != 0) return PETSC_FALSE;
  }
  for (PetscInt k = 0; k < 3 * contact->candidates; k++) contact->guess[k] = other->guess[k];
  return PETSC_TRUE;
}

PetscInt NsContactList(NsContact *contact, const PetscBool *flag)
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < contact->actives; k++) {
    if (flag[contact->active[k]]) contact->selected[count++] = contact->active[k];
  }
  return count;
}

PetscInt NsContactListClosed(NsContact *contact)
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < contact->actives; k++) {
    if (NsIsClosed(contact, contact->active[k])) contact->selected[count++] = contact->active[k];
  }
  return count;
}

PetscErrorCode NsContactForecast(NsContact *contact, const NsState *state, PetscReal ahead, PetscInt *count)
{
  PetscFunctionBegin;
  *count = 0;
  if (!contact->candidates) PetscFunctionReturn(0);
  PetscCall(NsContactRates(contact, state, ahead));
  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt  i   = contact->active[k];
    const PetscReal gap = contact->gap[i] + ahead * contact->u[contact->first[i]];
    if (!contact->model->candidate[i].bilateral && !(gap <= contact->tolerance[i])) continue;
    contact->selected[(*count)++] = i;
    contact->broad.closed[i]      = contact->broad.steps;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactClosedAtStart(NsContact *contact, const NsState *state, PetscBool *closed)
{
  PetscReal fastest;

  PetscFunctionBegin;
  if (!contact->candidates) PetscFunctionReturn(0);
  PetscCall(NsBroadPhaseStart(contact, state));
  PetscCall(NsContactRates(contact, state, 0));
  PetscCall(NsModelLargest(contact->model, state->v, &fastest));
  PetscCall(PetscArrayzero(closed, contact->candidates));
  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt  i = contact->active[k];
    const PetscReal u = contact->u[contact->first[i]];
    const PetscBool moves =
      contact->model->candidate[i].bilateral ? PetscAbsReal(u) > 1e-9 * fastest * PetscMin(1, contact->model->length_scale) : u < -1e-12 * fastest;
    closed[i] = NsIsClosed(contact, i) && !moves;
  }
  PetscFunctionReturn(0);
}

static void swap_reports(NsContact *contact)
{
  NsContactReport *old = contact->report;

  contact->report      = contact->last_report;
  contact->last_report = old;
}

static void begin_step(NsContact *contact)
{
  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt i   = contact->active[k];
    contact->report[i] = (NsContactReport){.state = NS_OPEN};
    for (PetscInt d = 3 * i; d < 3 * i + 3; d++) contact->last_guess[d] = contact->guess[d];
  }
}

/* The same, without a write where nothing changes: memory that was never written is not there. */
static void begin_first_step(NsContact *contact)
{
  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt i = contact->active[k];
    NsContactReportClear(&contact->report[i]);
    for (PetscInt d = 3 * i; d < 3 * i + 3; d++) {
      if (contact->last_guess[d] != contact->guess[d]) contact->last_guess[d] = contact->guess[d];
    }
  }
}

PetscErrorCode NsContactBeginStep(NsContact *contact)
{
  PetscFunctionBegin;
  PetscCall(NsBroadPhaseBeginStep(contact));
  swap_reports(contact);
  if (contact->broad.enabled && contact->broad.ends == 0) /* nothing has been looked at yet: most will turn out to be distant */
    begin_first_step(contact);
  else
    begin_step(contact);
  NsLastingBeginStep(contact->lasting);
  contact->begun_with = contact->chain->statistics;
  contact->stopped    = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscBool NsContactHadImpact(const NsContact *contact)
{
  for (PetscInt k = 0; k < contact->actives; k++) {
    if (contact->report[contact->active[k]].impact) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode NsContactCancelStep(NsContact *contact)
{
  PetscFunctionBegin;
  swap_reports(contact);
  for (PetscInt k = 0; k < contact->actives; k++) {
    for (PetscInt d = 3 * contact->active[k]; d < 3 * contact->active[k] + 3; d++) contact->guess[d] = contact->last_guess[d];
  }
  NsLastingCancelStep(contact->lasting);
  if (contact->stopped) contact->chain->statistics = contact->begun_with; /* a problem that was given up for a signal is no failure */
  PetscFunctionReturn(0);
}
