/* Contacts of a step: active set, laws, reports. The broad phase is broad_phase.c; the Delassus matrix: delassus.c. */
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

/* Remembers what `stop` says: the processes agree on it when they exchange impulses. */
static PetscBool ask_whether_to_stop(void *data)
{
  NsContact *contact = data;

  contact->stopped = contact->stopped || (contact->stop && contact->stop(contact->stop_data));
  return contact->stopped;
}

void NsContactStopBy(NsContact *contact, PetscBool (*stop)(void *), void *data)
{
  contact->stop      = stop;
  contact->stop_data = data;
  if (!contact->sharing) NsLocalChainStopBy(contact->chain, ask_whether_to_stop, contact);
}

void NsContactSolveBy(NsContact *contact, int choice, PetscReal tolerance)
{
  NsLocalChainSolveBy(contact->chain, choice, tolerance);
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

typedef enum { FULL, SMOOTH, HELD } Law; /* with friction; without; all rows are equations */

static PetscErrorCode solve_island(NsContact *contact, Law law, PetscReal *P, PetscBool *solved)
{
  NsLocalResult result;

  PetscFunctionBegin;
  if (law == HELD)
    PetscCall(NsLocalChainFit(contact->chain, &contact->problem, P, &result));
  else
    PetscCall(NsLocalChainSolve(contact->chain, &contact->problem, P, &result));
  contact->residual = PetscMax(contact->residual, result.residual);
  *solved           = result.converged;
  PetscFunctionReturn(0);
}

/* The problem of one island out of those of all rows, its numbers put together in contact->c and Pc. */
static PetscErrorCode solve_part(
  NsContact *contact, const NsRows *rows, PetscInt island, Law law, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  const NsIslands *islands = &contact->islands;
  NsLocalProblem  *problem = &contact->problem;
  const PetscInt  *member = islands->member + islands->start[island], members = islands->start[island + 1] - islands->start[island];

  PetscFunctionBegin;
  problem->contacts = members;
  problem->start    = contact->start;
  problem->rows     = 0;
  problem->b        = contact->c;
  for (PetscInt m = 0; m < members; m++) {
    contact->start[m] = problem->rows;
    for (PetscInt k = rows->start[member[m]]; k < rows->start[member[m] + 1]; k++, problem->rows++) {
      contact->c[problem->rows]  = b[k];
      contact->Pc[problem->rows] = P[k];
    }
  }
  contact->start[members] = problem->rows;
  PetscCall(solve_island(contact, law, contact->Pc, solved));
  for (PetscInt m = 0, at = 0; m < members; m++) {
    for (PetscInt k = rows->start[member[m]]; k < rows->start[member[m] + 1]; k++) P[k] = contact->Pc[at++];
  }
  PetscFunctionReturn(0);
}

/* Laws of the contacts of an island. */
static void set_laws(NsContact *contact, const NsRows *rows, PetscInt island, Law law)
{
  const NsIslands *islands = &contact->islands;

  contact->problem.limit = NULL;
  for (PetscInt m = islands->start[island], at = 0; m < islands->start[island + 1]; m++, at++) {
    const PetscInt     i           = rows->contact[islands->member[m]];
    const NsCandidate *candidate   = &contact->model->candidate[i];
    contact->problem.friction[at]  = law == FULL ? NsContactFriction(contact, i) : 0;
    contact->problem.bilateral[at] = law == HELD ? PETSC_TRUE : candidate->bilateral;
    if (contact->laws.anisotropic) contact->laws.across[at] = candidate->law.across;
    if (!contact->laws.joints || law == HELD) continue;
    contact->laws.discs[at] = law == FULL ? contact->laws.limit[islands->member[m]] : NsCandidateResists(candidate) ? 0 : -1;
    if (law == FULL ? candidate->carriers > 0 : NsCandidateResists(candidate)) contact->problem.limit = contact->laws.discs;
  }
}

static void note_island(NsContact *contact, const NsRows *rows, PetscInt island)
{
  const NsIslands *islands = &contact->islands;
  PetscInt64      *most = islands->sparse[island] ? &contact->figures.most_sparse : &contact->figures.most_dense, n = 0;

  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++)
    n += rows->start[islands->member[m] + 1] - rows->start[islands->member[m]];
  *most = PetscMax(*most, n);
}

/* Islands from `first` to last - 1, until one is not solved. */
static PetscErrorCode solve_islands(
  NsContact *contact, const NsRows *rows, const PetscReal *b, Law law, PetscInt first, PetscInt last, PetscReal *P, PetscBool *solved)
{
  const NsIslands *islands = &contact->islands;
  NsLocalProblem  *problem = &contact->problem;

  PetscFunctionBegin;
  *solved           = PETSC_TRUE;
  contact->residual = 0;
  problem->across   = law == FULL ? contact->laws.across : NULL;
  for (PetscInt s = first; s < last && *solved; s++) {
    contact->island = s;
    problem->G      = islands->sparse[s] ? NULL : contact->G + islands->block[s];
    problem->sparse = islands->sparse[s] ? &contact->sparse.problem : NULL;
    if (islands->sparse[s]) PetscCall(NsCouplingProblem(contact, s));
    set_laws(contact, rows, s, law);
    note_island(contact, rows, s);
    if (islands->count > 1) {
      PetscCall(solve_part(contact, rows, s, law, b, P, solved));
      continue;
    }
    problem->contacts = rows->contacts;
    problem->rows     = rows->rows;
    problem->start    = rows->start;
    problem->b        = b;
    PetscCall(solve_island(contact, law, P, solved));
  }
  PetscFunctionReturn(0);
}

/* Joints alone. False: by their islands. */
static PetscBool eliminate(NsContact *contact, const PetscReal *b, PetscReal *P)
{
  PetscInt       most;
  const PetscInt islands = NsEliminationIslands(contact->elimination, &most);

  if (!NsEliminationSolve(contact->elimination, contact->sparse.factor, b, P, &contact->residual)) return PETSC_FALSE;
  contact->figures.most_islands = PetscMax(contact->figures.most_islands, islands);
  contact->figures.most_sparse  = PetscMax(contact->figures.most_sparse, most);
  NsLocalChainCount(contact->chain, islands, 1, most);
  return PETSC_TRUE;
}

/* The local problems of these rows from their b, with the blocks of the last NsContactDelassus; P is the start, and the solution. */
static PetscErrorCode solve(NsContact *contact, const NsRows *rows, const PetscReal *b, Law law, PetscReal *P, PetscBool *solved)
{
  PetscInt  first, last;
  PetscBool all; /* this process solves all islands */

  PetscFunctionBegin;
  *solved           = PETSC_FALSE;
  contact->residual = 0;
  if (contact->eliminated) *solved = eliminate(contact, b, P);
  if (contact->lasts && law == FULL && !contact->stopped)
    PetscCall(NsLastingSolve(contact->lasting, contact, rows, contact->sparse.factor, b, P, solved));
  if (*solved) PetscFunctionReturn(0);
  PetscCall(NsContactBlocks(contact));
  all                           = contact->overflow == 0;
  contact->figures.most_islands = PetscMax(contact->figures.most_islands, contact->islands.count);
  all                           = all && !contact->stopped; /* then the step has failed, and nothing after that may be accepted */
  if (all && NsSharingBegin(contact, rows, P, &first, &last)) {
    NsLocalChainStopBy(contact->chain, ask_whether_to_stop, contact);
    PetscCall(solve_islands(contact, rows, b, law, first, last, P, solved));
    NsLocalChainStopBy(contact->chain, NULL, NULL);
    PetscCall(NsSharingEnd(contact, rows, first, last, P, solved, &all));
  }
  if (all) PetscCall(solve_islands(contact, rows, b, law, 0, contact->islands.count, P, solved));
  /* An interrupted solver may leave another initial guess for the next one, and a solution that differs from a run without the signal. */
  *solved = *solved && !contact->stopped;
  if (!*solved) PetscCall(PetscArrayzero(P, rows->rows));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactLocalOnce(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  return solve(contact, rows, b, FULL, P, solved);
}

PetscErrorCode NsContactLocal(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  return contact->laws.joints ? NsLawsJoints(contact, rows, b, P, solved) : NsContactLocalOnce(contact, rows, b, P, solved);
}

static void keep_guess(NsContact *contact, const NsRows *rows, const PetscReal *P)
{
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) contact->guess[3 * rows->contact[i] + k - rows->start[i]] = P[k];
  }
}

PetscErrorCode NsContactSolve(NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *before, const PetscBool *restitute,
  PetscReal *P, PetscBool *solved)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const NsCandidate *candidate = &contact->model->candidate[rows->contact[i]];
    const PetscBool    bounce    = before && !candidate->bilateral && (!restitute || restitute[i]);
    for (PetscInt k = rows->start[i], d = 0; k < rows->start[i + 1]; k++, d++) {
      const PetscReal e = !bounce ? 0 : d == 0 ? NsLawRestitution(&candidate->law, PetscAbsReal(before[k])) : candidate->law.restitution_tangential;
      contact->b[k]     = u_free[k] + (bounce ? e * before[k] : 0);
      P[k]              = contact->guess[3 * rows->contact[i] + d];
    }
  }
  if (contact->laws.two_phase && NsLawsHavePhases(contact, rows, before, restitute))
    PetscCall(NsLawsTwoPhases(contact, rows, u_free, before, restitute, P, solved));
  else if (contact->laws.sliding)
    PetscCall(NsLawsSolve(contact, rows, contact->b, before, before && before == u_free, P, solved));
  else
    PetscCall(NsContactLocal(contact, rows, contact->b, P, solved));
  if (*solved) keep_guess(contact, rows, P);
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactSolveAt(
  NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *speed, PetscReal *P, PetscBool *solved)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) P[k] = contact->guess[3 * rows->contact[i] + k - rows->start[i]];
  }
  if (contact->laws.sliding)
    PetscCall(NsLawsSolveAt(contact, rows, u_free, speed, P, solved));
  else
    PetscCall(NsContactLocal(contact, rows, u_free, P, solved));
  if (*solved) keep_guess(contact, rows, P);
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactSolveGaps(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *Psi, PetscBool *solved)
{
  PetscFunctionBegin;
  PetscCall(solve(contact, rows, b, SMOOTH, Psi, solved));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactFit(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscReal *left)
{
  PetscBool solved;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(P, rows->rows));
  PetscCall(solve(contact, rows, b, HELD, P, &solved));
  *left = solved ? 0 : PETSC_INFINITY;
  if (!solved) PetscFunctionReturn(0);
  PetscCall(NsContactReact(contact, rows, P, contact->b));
  for (PetscInt k = 0; k < rows->rows; k++) *left = PetscMax(*left, PetscAbsReal(b[k] + contact->b[k]));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactReportForce(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscReal scale)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    NsContactReport *report = &contact->report[rows->contact[i]];
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) report->force[k - rows->start[i]] = scale * P[k];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactReportImpulse(NsContact *contact, NsLedger *ledger, const NsRows *rows, const PetscReal *P, const PetscReal *before,
  const PetscReal *after, const PetscBool *impact)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    NsContactReport *report = &contact->report[rows->contact[i]];
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const PetscInt     d         = k - rows->start[i];
      const NsCandidate *candidate = &contact->model->candidate[rows->contact[i]];
      /* an ideal joint does no work: the work of its lasting reactions is numerical error; friction in a joint does work */
      const PetscBool ideal      = candidate->bilateral && impact && !impact[i] && (d == 0 || !candidate->carriers);
      const PetscReal lost       = ideal ? 0 : -(before[k] + after[k]) / 2 * P[k];
      report->impulse[d]         = P[k];
      report->velocity_before[d] = before[k];
      report->velocity_after[d]  = after[k];
      report->energy_lost += lost;
      if (d == 0)
        ledger->impact += lost;
      else
        ledger->friction += lost;
      ledger->load -= rows->drive[k] * P[k]; /* W' v = u - drive: the surface's own motion works too */
    }
    report->impact = (!impact || impact[i]) && P[rows->start[i]] != 0;
  }
  PetscFunctionReturn(0);
}

void NsContactBookForces(NsLedger *ledger, const NsRows *rows, const PetscReal *P, PetscReal scale, const PetscReal *us)
{
  if (!NsRowsWork(rows)) return;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) {
      if (k > rows->start[i]) ledger->friction -= scale * us[k] / 2 * P[k];
      ledger->load -= scale * rows->drive[k] * P[k];
    }
  }
}

/* The same of a joint with friction, or of a resistance. */
static NsContactState joint_state(const NsContact *contact, PetscInt i)
{
  const NsCandidate *candidate = &contact->model->candidate[i];

  for (int kind = 0; kind < 2; kind++) {
    PetscReal square = 0;
    for (PetscInt k = i - candidate->carriers + 1; k <= i; k++)
      square += PetscSqr(kind == 0 ? contact->report[k].force[0] : contact->report[k].impulse[0]);
    const PetscReal *P = kind == 0 ? contact->report[i].force : contact->report[i].impulse;
    if (square > 0) return PetscSqr(P[1]) + PetscSqr(P[2]) < PetscSqr(candidate->law.friction * (1 - 1e-9)) * square ? NS_STICK : NS_SLIP;
  }
  return NS_CLOSED;
}

/* Stick or slip: by the law that the last reaction obeys, force or impulse. */
static NsContactState friction_state(const NsContactReport *report, const NsCandidate *candidate, PetscReal mu)
{
  const PetscReal across = candidate->law.across > 0 ? candidate->law.across : 1;

  for (int kind = 0; kind < 2; kind++) {
    const PetscReal *P          = kind == 0 ? report->force : report->impulse;
    const PetscReal  tangential = PetscSqrtReal(P[1] * P[1] + P[2] / across * (P[2] / across));
    if (P[0] > 0) return tangential < mu * P[0] * (1 - 1e-9) ? NS_STICK : NS_SLIP;
  }
  return NS_CLOSED;
}

PetscErrorCode NsContactEndStep(NsContact *contact, const NsState *state)
{
  PetscFunctionBegin;
  if (!contact->candidates) PetscFunctionReturn(0);
  PetscCall(NsBroadPhaseEndStep(contact, state));
  contact->figures.most_active = PetscMax(contact->figures.most_active, contact->actives);
  for (PetscInt k = 0; k < contact->actives; k++) {
    const PetscInt     i         = contact->active[k];
    NsContactReport   *report    = &contact->report[i];
    const NsCandidate *candidate = &contact->model->candidate[i];
    report->gap                  = contact->gap[i];
    const PetscReal *velocity    = (contact->velocity && contact->held[i] ? contact->velocity : contact->u) + contact->first[i];
    report->gap_rate             = velocity[0];
    for (PetscInt d = 0; d < candidate->directions && report->impulse[0] == 0; d++) report->velocity_after[d] = velocity[d];
    if (contact->held ? !candidate->bilateral && !contact->held[i] : !NsIsClosed(contact, i))
      report->state = NS_OPEN;
    else if (candidate->carriers)
      report->state = joint_state(contact, i);
    else
      report->state = candidate->directions > 1 ? friction_state(report, candidate, NsContactFriction(contact, i)) : NS_CLOSED;
    /* balls that part meet others: where the solver begins next time must not depend on how long a slot was theirs */
    for (int d = 0; d < 3 && candidate->number[1] > 0 && report->state == NS_OPEN; d++) contact->guess[3 * i + d] = 0;
  }
  PetscFunctionReturn(0);
}
