/*
  The Delassus matrix of the active contacts, and the local problem, island by island.

      G = W_u' C W_P,     two contacts act on each other where a row of one and a column of C from a row of the other have a place of the touch list in common

  Contacts that act on each other, also through others, are an island: its rows see no other impulses. What an island costs is dense in its own rows, or for large ones linear where contacts
  reach few unknowns (coupling.c); a thousand nodes of a lumped truss on a plane are a thousand islands of one contact. Islands are found among the active contacts by union-find: one look at each number of their columns
  of C, and none at all for a single contact.
*/
#include "coupling.h"
#include "elimination.h"
#include "lasting.h"

static PetscInt root_of(PetscInt *parent, PetscInt i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* The first of an island is its root. False: they were one already. */
static PetscBool join(PetscInt *parent, PetscInt i, PetscInt j)
{
  const PetscInt a = root_of(parent, i), b = root_of(parent, j);

  parent[PetscMax(a, b)] = PetscMin(a, b);
  return a != b;
}

/* owner[place] - 1: a contact with an entry there. Returns how many islands are left of so many contacts. */
static PetscInt own(NsIslands *islands, const NsRows *wu)
{
  PetscInt left = wu->contacts;

  for (PetscInt i = 0; i < wu->contacts; i++) {
    for (PetscInt j = wu->first[wu->start[i]]; j < wu->first[wu->start[i + 1]]; j++) {
      PetscInt *owner = &islands->owner[wu->touch[j]];
      if (wu->value[j] == 0) continue;
      if (*owner == 0)
        *owner = i + 1;
      else if (join(islands->parent, *owner - 1, i))
        left--;
    }
  }
  return left;
}

/* Joins contact i and the owners of all places that its impulses move; returns how many islands that takes away. */
static PetscInt join_reached(NsIslands *islands, const NsCompliance *compliance, const NsRows *wp, PetscInt i)
{
  PetscInt joined = 0;

  for (PetscInt j = wp->first[wp->start[i]]; j < wp->first[wp->start[i + 1]]; j++) {
    const PetscInt *at = &wp->touch[j], one[2] = {0, 1}, *start = one;
    const PetscInt  runs = compliance ? NsComplianceReached(compliance, wp->touch[j], &at, &start) : 1;
    for (PetscInt r = 0; r < runs && wp->value[j] != 0; r++) {
      for (PetscInt place = at[r]; place < at[r] + start[r + 1] - start[r]; place++) {
        const PetscInt owner = islands->owner[place] - 1;
        if (owner < 0 || islands->parent[owner] == islands->parent[i]) continue; /* most are one island already */
        if (join(islands->parent, i, owner)) joined++;
      }
    }
  }
  return joined;
}

static void disown(NsIslands *islands, const NsRows *wu)
{
  for (PetscInt j = 0; j < wu->first[wu->rows]; j++) islands->owner[wu->touch[j]] = 0;
}

static PetscBool knows_reach(const NsContact *contact, const NsCompliance *compliance)
{
  return !compliance || (contact->model->constant_mass && NsComplianceKnowsReach(compliance));
}

/* Numbers the islands by their first contacts, and lists their members. */
static void number(NsIslands *islands, PetscInt contacts)
{
  islands->count = 0;
  for (PetscInt i = 0; i < contacts; i++) {
    const PetscInt root = root_of(islands->parent, i);
    if (root == i) islands->start[++islands->count] = 0;
    islands->of[i] = root == i ? islands->count - 1 : islands->of[root];
    islands->start[islands->of[i] + 1]++;
  }
  islands->start[0] = 0;
  for (PetscInt s = 0; s < islands->count; s++) islands->start[s + 1] += islands->start[s];
  for (PetscInt i = contacts - 1; i >= 0; i--) islands->member[--islands->start[islands->of[i] + 1]] = i;
  for (PetscInt s = 0; s < islands->count; s++) islands->start[s] = islands->start[s + 1];
  islands->start[islands->count] = contacts;
}

static void find_islands(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp)
{
  NsIslands      *islands = &contact->islands;
  const PetscInt  n       = wu->contacts;
  const PetscBool apart   = n > 1 && knows_reach(contact, compliance);
  NsBanded       *banded  = apart || !compliance ? NULL : NsComplianceBanded(compliance);

  if (n == 1) {
    islands->count = islands->start[1] = 1;
    islands->of[0] = islands->member[0] = islands->start[0] = 0;
    return;
  }
  for (PetscInt i = 0; i < n; i++) islands->parent[i] = apart || banded ? i : 0;
  if (banded) NsBandedIslands(banded, wu, wp, islands->parent);
  if (apart) {
    PetscInt left = own(islands, wu);
    for (PetscInt i = 0; i < n && left > 1; i++) left -= join_reached(islands, compliance, wp, i);
    disown(islands, wu);
  }
  number(islands, n);
}

static PetscInt rows_of(const NsIslands *islands, const NsRows *rows, PetscInt island)
{
  PetscInt count = 0;

  if (islands->count == 1) return rows->rows;
  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++)
    count += rows->start[islands->member[m] + 1] - rows->start[islands->member[m]];
  return count;
}

/* Where each block begins, and room for all of them; contact->overflow where they are too many. */
static PetscErrorCode place_blocks(NsContact *contact, const NsRows *wu)
{
  NsIslands *islands = &contact->islands;
  PetscInt   most    = 0;

  PetscFunctionBegin;
  islands->block[0] = 0;
  for (PetscInt s = 0; s < islands->count; s++) {
    const PetscInt rows   = rows_of(islands, wu, s);
    islands->block[s + 1] = islands->block[s] + (islands->sparse[s] ? 0 : (PetscInt64)rows * rows);
    if (!islands->sparse[s]) most = PetscMax(most, rows);
  }
  const PetscInt64 needed = islands->block[islands->count];
  contact->overflow       = needed > contact->most_room ? most : 0;
  if (needed > contact->room && !contact->overflow) {
    contact->room = PetscMin(contact->most_room, needed + needed / 4);
    PetscCall(PetscFree(contact->G));
    PetscCall(PetscMalloc1(contact->room, &contact->G));
  }
  PetscFunctionReturn(0);
}

/* Adds factor times the column of one row of wp to that of G, in the block of its island: `rows` wide, entries under each other from `column`. */
static void add_column(
  const NsIslands *islands, PetscInt island, const NsRows *wu, const PetscReal *half, PetscReal factor, PetscInt rows, PetscReal *column)
{
  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++) {
    for (PetscInt r = wu->start[islands->member[m]]; r < wu->start[islands->member[m] + 1]; r++, column += rows) {
      PetscReal sum = 0;
      for (PetscInt j = wu->first[r]; j < wu->first[r + 1]; j++) sum += wu->value[j] * half[wu->touch[j]];
      *column += factor * sum;
    }
  }
}

static PetscErrorCode add(NsContact *contact, PetscReal factor, NsCompliance *compliance, const NsRows *wu, const NsRows *wp)
{
  NsIslands *islands = &contact->islands;

  PetscFunctionBegin;
  if (contact->sparse.some && !contact->overflow) PetscCall(NsCouplingAdd(contact, factor, compliance, wp));
  for (PetscInt s = 0; s < islands->count && !contact->overflow; s++) {
    if (islands->sparse[s]) continue;
    const PetscInt rows   = rows_of(islands, wu, s);
    PetscReal     *column = contact->G + islands->block[s];
    for (PetscInt m = islands->start[s]; m < islands->start[s + 1]; m++) {
      for (PetscInt k = wp->start[islands->member[m]]; k < wp->start[islands->member[m] + 1]; k++, column++) {
        const PetscReal *half = islands->half;
        if (compliance)
          PetscCall(NsComplianceHalf(compliance, wp, k, &half));
        else
          for (PetscInt j = wp->first[k]; j < wp->first[k + 1]; j++) islands->half[wp->touch[j]] += wp->value[j];
        add_column(islands, s, wu, half, factor, rows, column);
        for (PetscInt j = wp->first[k]; j < wp->first[k + 1] && !compliance; j++) islands->half[wp->touch[j]] = 0;
      }
    }
  }
  PetscFunctionReturn(0);
}

/* G of the islands that are found, in blocks. */
static PetscErrorCode build(NsContact *contact, PetscBool bands, NsCompliance *compliance, const NsRows *wu, const NsRows *wp)
{
  PetscFunctionBegin;
  PetscCall(NsCouplingChoose(contact, bands, compliance, wu, wp));
  PetscCall(place_blocks(contact, wu));
  if (contact->sparse.some && !contact->overflow) PetscCall(NsCouplingBegin(contact, wu));
  if (!contact->overflow) PetscCall(PetscArrayzero(contact->G, contact->islands.block[contact->islands.count]));
  PetscCall(add(contact, 1, compliance, wu, wp));
  PetscFunctionReturn(0);
}

/* Whether lasting.c may solve the problem: then G is assembled only if it is needed. */
static PetscErrorCode last(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp)
{
  PetscFunctionBegin;
  if (!contact->lasting || !compliance || wu != wp || contact->islands.count != 1 || contact->chain->choice) PetscFunctionReturn(0);
  PetscCall(NsCouplingChoose(contact, PETSC_TRUE, compliance, wu, wp));
  if (contact->sparse.some) PetscFunctionReturn(0);
  PetscCall(NsLastingTake(contact->lasting, compliance, wu, &contact->lasts));
  if (!contact->lasts) PetscFunctionReturn(0);
  PetscCall(place_blocks(contact, wu));
  contact->made = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactDelassus(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp)
{
  NsSparseRows *sparse = &contact->sparse;

  PetscFunctionBegin;
  PetscCheck(wu->contacts == wp->contacts && wu->rows == wp->rows, PETSC_COMM_SELF, PETSC_ERR_PLIB, "rows of other contacts than the columns");
  sparse->compliance = compliance;
  sparse->wu         = wu;
  sparse->wp         = wp;
  sparse->factor     = 1;
  contact->overflow  = 0;
  contact->lasts     = PETSC_FALSE;
  contact->made      = PETSC_TRUE;
  PetscCall(NsEliminationTake(contact, compliance, wu, wp, &contact->eliminated));
  if (contact->eliminated) PetscFunctionReturn(0);
  find_islands(contact, compliance, wu, wp);
  PetscCall(last(contact, compliance, wu, wp));
  if (!contact->lasts) PetscCall(build(contact, PETSC_TRUE, compliance, wu, wp));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactBlocks(NsContact *contact)
{
  const NsSparseRows *sparse = &contact->sparse;
  const PetscReal     factor = sparse->factor;

  PetscFunctionBegin;
  if (!contact->made) NsLastingMatrix(contact->lasting, factor, contact->G);
  contact->made = PETSC_TRUE;
  if (!contact->eliminated) PetscFunctionReturn(0);
  contact->eliminated    = PETSC_FALSE;
  contact->sparse.factor = 1;
  find_islands(contact, sparse->compliance, sparse->wu, sparse->wp);
  PetscCall(build(contact, PETSC_TRUE, sparse->compliance, sparse->wu, sparse->wp));
  if (factor != 1) NsContactScale(contact, factor);
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactDelassusAdd(NsContact *contact, PetscReal factor, NsCompliance *compliance, const NsRows *wu, const NsRows *wp)
{
  NsSparseRows *sparse = &contact->sparse;

  PetscFunctionBegin;
  PetscCall(NsContactBlocks(contact));
  contact->lasts = PETSC_FALSE;
  if (sparse->banded) { /* the sum of two operators has no narrow band */
    PetscCall(build(contact, PETSC_FALSE, sparse->compliance, sparse->wu, sparse->wp));
    if (sparse->factor != 1) NsContactScale(contact, sparse->factor);
  }
  PetscCall(add(contact, factor, compliance, wu, wp));
  PetscFunctionReturn(0);
}

void NsContactScale(NsContact *contact, PetscReal factor)
{
  contact->sparse.factor *= factor;
  if (contact->eliminated || !contact->made) return;
  if (contact->sparse.some && !contact->overflow) NsCouplingScale(contact, factor);
  for (PetscInt64 k = 0; k < contact->islands.block[contact->islands.count] && !contact->overflow; k++) contact->G[k] *= factor;
}

PetscErrorCode NsContactReact(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscReal *u)
{
  const NsIslands *islands = &contact->islands;

  PetscFunctionBegin;
  if (contact->eliminated) {
    NsEliminationReact(contact->elimination, contact->sparse.factor, P, u);
    PetscFunctionReturn(0);
  }
  PetscCall(NsContactBlocks(contact));
  for (PetscInt s = 0; s < islands->count; s++) {
    const PetscReal *G = contact->G + islands->block[s];
    if (islands->sparse[s]) {
      PetscCall(NsCouplingReact(contact, s, rows, P, u));
      continue;
    }
    for (PetscInt m = islands->start[s]; m < islands->start[s + 1]; m++) {
      for (PetscInt r = rows->start[islands->member[m]]; r < rows->start[islands->member[m] + 1]; r++) {
        u[r] = 0;
        for (PetscInt c = islands->start[s]; c < islands->start[s + 1]; c++) {
          for (PetscInt k = rows->start[islands->member[c]]; k < rows->start[islands->member[c] + 1]; k++) u[r] += *G++ * P[k];
        }
      }
    }
  }
  PetscFunctionReturn(0);
}

void NsContactSpread(const NsContact *contact, PetscBool *flag)
{
  const NsIslands *islands = &contact->islands;

  if (contact->eliminated) {
    NsEliminationSpread(contact->elimination, flag);
    return;
  }
  for (PetscInt s = 0; s < islands->count; s++) {
    PetscBool any = PETSC_FALSE;
    for (PetscInt m = islands->start[s]; m < islands->start[s + 1]; m++) any = any || flag[islands->member[m]];
    for (PetscInt m = islands->start[s]; m < islands->start[s + 1]; m++) flag[islands->member[m]] = any;
  }
}

/* owner[place] = value for all places that impulses of contact i move. */
static void mark_reached(NsIslands *islands, const NsCompliance *compliance, const NsRows *wp, PetscInt i, PetscInt value)
{
  for (PetscInt j = wp->first[wp->start[i]]; j < wp->first[wp->start[i + 1]]; j++) {
    const PetscInt *at, *start, runs = wp->value[j] == 0 ? 0 : NsComplianceReached(compliance, wp->touch[j], &at, &start);
    for (PetscInt r = 0; r < runs; r++) {
      for (PetscInt place = at[r]; place < at[r] + start[r + 1] - start[r]; place++) islands->owner[place] = value;
    }
  }
}

void NsContactReached(
  NsContact *contact, const NsCompliance *compliance, const NsRows *wp, const PetscBool *flag, const NsRows *wu, PetscBool *reached)
{
  NsIslands      *islands = &contact->islands;
  const PetscBool knows   = knows_reach(contact, compliance);
  PetscBool       any     = PETSC_FALSE;

  for (PetscInt i = 0; i < wp->contacts; i++) {
    any = any || flag[i];
    if (flag[i] && knows) mark_reached(islands, compliance, wp, i, 1);
  }
  for (PetscInt i = 0; i < wu->contacts; i++) {
    reached[i] = !knows && any;
    for (PetscInt j = wu->first[wu->start[i]]; j < wu->first[wu->start[i + 1]] && knows; j++)
      reached[i] = reached[i] || (wu->value[j] != 0 && islands->owner[wu->touch[j]] > 0);
  }
  for (PetscInt i = 0; i < wp->contacts; i++) {
    if (flag[i] && knows) mark_reached(islands, compliance, wp, i, 0);
  }
}
