/*
  The Delassus matrix of islands of more than NS_LOCAL_SMALL rows, where contacts move few unknowns each:

      G = W_u' C W_P = U Y,     U: rows of W_u',     Y: columns of C W_P,     both over the places of the touch list that they have numbers at

  A box on others has four contacts at each of its interfaces with 12 numbers a row in U and in Y; a block of G for each pair of contacts of a box would be ten times as much, and a dense G
  has the square of all. Memory and time are linear in the contacts. So they are for a long beam with consistent mass, where an impulse moves some thirty nodes on each side. Islands whose contacts
  move much of the rest are dense: elastic bodies with a dense compliance. Or, where A has a narrow band (banded.c), as beams in implicit steps,

      G = W_u' A^-1 W_P = U A^-1 Y     over the unknowns of a group: linear in these

  which takes a sum of two operators no more (NsContactDelassusAdd): the islands are made again without it then.
*/
#include "coupling.h"
#include <stdlib.h>
#include "core/out_of_memory.h"
#include "solvers/band.h"

#define NS_MOST  (PETSC_MAX_INT / 4) /* numbers of one island: they are counted by PetscInt */
#define NS_FEW   24                  /* rows for which G is dense all the same where each costs a solve, for the sake of solvers of small problems */
#define NS_SHARE 2                   /* times fewer numbers than a dense G; a column counts once for each entry of a row that uses it */

/* Room for lists of all contacts of the rows, or of an island. */
static PetscErrorCode make_room(NsSparseLists *lists, PetscInt contacts, PetscInt places, PetscInt numbers)
{
  NsLocalBlocks *blocks = &lists->blocks;

  PetscFunctionBegin;
  if (contacts + 1 > lists->contacts) {
    lists->contacts = contacts + contacts / 2 + 64;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)lists->contacts, &blocks->first));
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)lists->contacts, &blocks->place));
  }
  if (places > lists->places) {
    lists->places = places + places / 2 + 64;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)lists->places, &blocks->at));
  }
  if (numbers > lists->numbers) {
    lists->numbers = numbers + numbers / 2 + 64;
    PetscCall(PetscRealloc(sizeof(PetscReal) * (size_t)lists->numbers, &blocks->value));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode drop(NsSparseLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(lists->blocks.first));
  PetscCall(PetscFree(lists->blocks.place));
  PetscCall(PetscFree(lists->blocks.at));
  PetscCall(PetscFree(lists->blocks.value));
  PetscFunctionReturn(0);
}

PetscErrorCode NsCouplingCreate(NsContact *contact)
{
  NsSparseRows  *self = &contact->sparse;
  const PetscInt n    = contact->model->touches;

  PetscFunctionBegin;
  contact->islands.sparse = NsZeros((size_t)contact->candidates, sizeof(*contact->islands.sparse)); /* of a million candidates few are ever closed */
  contact->islands.band   = NsZeros((size_t)contact->candidates, sizeof(*contact->islands.band));
  self->list              = NsZeros((size_t)n, sizeof(*self->list));
  self->marked            = NsZeros((size_t)n, sizeof(*self->marked));
  self->column            = NsZeros((size_t)(3 * n), sizeof(*self->column));
  self->v                 = NsZeros((size_t)n, sizeof(*self->v));
  self->unknown           = NsZeros((size_t)n, sizeof(*self->unknown));
  PetscFunctionReturn(0);
}

PetscErrorCode NsCouplingDestroy(NsContact *contact)
{
  NsSparseRows *self = &contact->sparse;

  PetscFunctionBegin;
  void *const large[] = {contact->islands.sparse, contact->islands.band, self->list, self->marked, self->column, self->v, self->unknown};
  for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++) free(large[i]);
  for (int k = 0; k < 2; k++) {
    PetscCall(drop(&self->Y[k]));
    PetscCall(drop(&self->part[k]));
  }
  PetscCall(drop(&self->U));
  PetscCall(PetscFree(self->z));
  PetscFunctionReturn(0);
}

/* How many numbers the columns of contact i may have. */
static PetscInt64 width_of(const NsCompliance *compliance, const NsRows *wp, PetscInt i)
{
  PetscInt64 width = 0;

  for (PetscInt j = wp->first[wp->start[i]]; j < wp->first[wp->start[i + 1]]; j++) {
    const PetscInt *at, *start, runs = compliance ? NsComplianceReached(compliance, wp->touch[j], &at, &start) : 0;
    width += compliance ? start[runs] - start[0] : 1;
  }
  return width;
}

/* The band of an island with this number of rows, if that costs less than elimination in a dense G, or columns of C are not known. */
static PetscErrorCode choose_band(
  NsContact *contact, PetscInt island, PetscBool knows, PetscReal rows, NsBanded *banded, const NsRows *wu, const NsRows *wp)
{
  const NsIslands   *islands = &contact->islands;
  const PetscInt     first   = islands->start[island];
  const NsLocalBand *band;

  PetscFunctionBegin;
  PetscCall(NsBandedOf(banded, wu, wp, islands->start[island + 1] - first, islands->member + first, &band));
  if (!band || (knows && (PetscReal)band->n * NsBandWidth(band->half) * NsBandWidth(band->half) > rows * rows * rows)) PetscFunctionReturn(0);
  islands->band[island]   = band;
  islands->sparse[island] = contact->sparse.banded = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsCouplingChoose(NsContact *contact, PetscBool bands, NsCompliance *compliance, const NsRows *wu, const NsRows *wp)
{
  NsIslands      *islands = &contact->islands;
  const PetscBool knows   = !compliance || (contact->model->constant_mass && NsComplianceKnowsReach(compliance));
  NsBanded       *banded  = bands && compliance && NsLocalChainTakesBands(contact->chain) ? NsComplianceBanded(compliance) : NULL;
  const PetscInt  few     = knows || !banded ? NS_LOCAL_SMALL : NS_FEW;
  PetscInt64      total   = 0;

  PetscFunctionBegin;
  contact->sparse.some = contact->sparse.banded = PETSC_FALSE;
  if (banded) PetscCall(NsBandedBegin(banded));
  for (PetscInt s = 0; s < islands->count; s++) {
    PetscInt64 rows = 0, numbers = 0;
    islands->sparse[s] = PETSC_FALSE;
    islands->band[s]   = NULL;
    if (contact->laws.two_phase || (!knows && !banded) || 3 * (islands->start[s + 1] - islands->start[s]) <= few) continue;
    for (PetscInt m = islands->start[s]; m < islands->start[s + 1]; m++) rows += wu->start[islands->member[m] + 1] - wu->start[islands->member[m]];
    if (rows <= few) continue;
    if (banded) PetscCall(choose_band(contact, s, knows, (PetscReal)rows, banded, wu, wp));
    if (!islands->sparse[s] && knows) {
      for (PetscInt m = islands->start[s]; m < islands->start[s + 1]; m++) numbers += width_of(compliance, wp, islands->member[m]);
      islands->sparse[s] = NS_SHARE * numbers <= rows * rows && total + 3 * numbers <= NS_MOST;
      total += islands->sparse[s] ? 3 * numbers : 0;
    }
    contact->sparse.some = contact->sparse.some || islands->sparse[s];
  }
  PetscFunctionReturn(0);
}

/* A place of the contact of the moment. */
static inline void mark(NsSparseRows *self, PetscInt place)
{
  if (!self->marked[place]) self->list[self->listed++] = place;
  self->marked[place] = PETSC_TRUE;
}

/* The list in order: sorted, or read off the marks where these are close to each other. */
static PetscErrorCode put_in_order(NsSparseRows *self)
{
  PetscInt  low = PETSC_MAX_INT, high = -1;
  PetscBool ascends = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < self->listed; k++) {
    ascends = ascends && self->list[k] > high;
    low     = PetscMin(low, self->list[k]);
    high    = PetscMax(high, self->list[k]);
  }
  if (ascends) PetscFunctionReturn(0);
  if (high - low > 8 * self->listed) {
    PetscCall(PetscSortInt(self->listed, self->list));
    PetscFunctionReturn(0);
  }
  self->listed = 0;
  for (PetscInt place = low; place <= high; place++) {
    if (self->marked[place]) self->list[self->listed++] = place;
  }
  PetscFunctionReturn(0);
}

/* The places in order, as the block of contact i, its values out of self->column; clears them. */
static PetscErrorCode take(NsSparseRows *self, NsSparseLists *lists, PetscInt i, PetscInt rows, PetscInt touches)
{
  NsLocalBlocks *blocks = &lists->blocks;

  PetscFunctionBegin;
  PetscCall(put_in_order(self));
  PetscCall(make_room(lists, i + 1, blocks->first[i] + self->listed, blocks->place[i] + rows * self->listed));
  blocks->first[i + 1] = blocks->first[i] + self->listed;
  blocks->place[i + 1] = blocks->place[i] + rows * self->listed;
  for (PetscInt k = 0; k < self->listed; k++) {
    blocks->at[blocks->first[i] + k] = self->list[k];
    self->marked[self->list[k]]      = PETSC_FALSE;
    for (PetscInt r = 0; r < rows; r++) {
      blocks->value[blocks->place[i] + r * self->listed + k] = self->column[r * touches + self->list[k]];
      self->column[r * touches + self->list[k]]              = 0;
    }
  }
  self->listed = 0;
  PetscFunctionReturn(0);
}

static PetscBool is_kept(const NsContact *contact, PetscInt i)
{
  return contact->islands.sparse[contact->islands.of[i]];
}

static PetscErrorCode restart(NsSparseLists *lists)
{
  PetscFunctionBegin;
  PetscCall(make_room(lists, 1, 0, 0));
  lists->blocks.first[0] = lists->blocks.place[0] = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsCouplingBegin(NsContact *contact, const NsRows *wu)
{
  NsSparseRows  *self = &contact->sparse;
  const PetscInt n    = contact->model->touches;

  PetscFunctionBegin;
  PetscCall(restart(&self->U));
  PetscCall(restart(&self->Y[0]));
  for (PetscInt i = 0; i < wu->contacts; i++) {
    const PetscInt rows = wu->start[i + 1] - wu->start[i];
    for (PetscInt r = 0; r < rows && is_kept(contact, i); r++) {
      for (PetscInt j = wu->first[wu->start[i] + r]; j < wu->first[wu->start[i] + r + 1]; j++) {
        mark(self, wu->touch[j]);
        self->column[r * n + wu->touch[j]] += wu->value[j];
      }
    }
    PetscCall(take(self, &self->U, i, rows, n));
    PetscCall(take(self, &self->Y[0], i, rows, n));
  }
  PetscFunctionReturn(0);
}

/* column += factor C W_P of one row of wp. */
static PetscErrorCode add_row(
  NsSparseRows *self, PetscReal factor, NsCompliance *compliance, const NsRows *wp, PetscInt row, PetscInt touches, PetscReal *column)
{
  PetscFunctionBegin;
  if (compliance && !NsComplianceKnowsReach(compliance)) {
    const PetscReal *half;
    PetscCall(NsComplianceHalf(compliance, wp, row, &half));
    for (PetscInt place = 0; place < touches; place++) {
      mark(self, place);
      column[place] += factor * half[place];
    }
    PetscFunctionReturn(0);
  }
  for (PetscInt j = wp->first[row]; j < wp->first[row + 1]; j++) {
    const PetscInt *at = &wp->touch[j], whole[2] = {0, 1}, *start = whole;
    const PetscReal one = 1, *value = &one, times = factor * wp->value[j];
    const PetscInt  runs = compliance ? NsComplianceColumn(compliance, wp->touch[j], &at, &start, &value) : 1;
    for (PetscInt r = 0; r < runs; r++) {
      for (PetscInt k = start[r], place = at[r]; k < start[r + 1]; k++, place++) {
        mark(self, place);
        column[place] += times * value[k];
      }
    }
  }
  PetscFunctionReturn(0);
}

/* The same of a contact of one row with one entry, the first time: a column of C as it is. */
static PetscErrorCode take_column(NsSparseLists *lists, PetscInt i, PetscReal times, const NsCompliance *compliance, PetscInt touch)
{
  const PetscInt  *at, *start;
  const PetscReal *value;
  const PetscInt   runs = NsComplianceColumn(compliance, touch, &at, &start, &value), width = start[runs] - start[0];
  NsLocalBlocks   *blocks = &lists->blocks;

  PetscFunctionBegin;
  PetscCall(make_room(lists, i + 1, blocks->first[i] + width, blocks->place[i] + width));
  PetscInt  *to_at    = blocks->at + blocks->first[i];
  PetscReal *to_value = blocks->value + blocks->place[i];
  for (PetscInt r = 0; r < runs; r++) {
    for (PetscInt k = start[r]; k < start[r + 1]; k++) *to_at++ = at[r] + k - start[r];
  }
  for (PetscInt k = start[0]; k < start[runs]; k++) *to_value++ = times * value[k];
  blocks->first[i + 1] = blocks->first[i] + width;
  blocks->place[i + 1] = blocks->place[i] + width;
  PetscFunctionReturn(0);
}

PetscErrorCode NsCouplingAdd(NsContact *contact, PetscReal factor, NsCompliance *compliance, const NsRows *wp)
{
  NsSparseRows        *self = &contact->sparse;
  const NsLocalBlocks *old  = &self->Y[0].blocks;
  const PetscInt       n    = contact->model->touches;
  const PetscBool      kept = compliance && NsComplianceKnowsReach(compliance);

  PetscFunctionBegin;
  PetscCall(restart(&self->Y[1]));
  for (PetscInt i = 0; i < wp->contacts; i++) {
    NsCompliance  *C    = contact->islands.band[contact->islands.of[i]] ? NULL : compliance;
    const PetscInt rows = wp->start[i + 1] - wp->start[i], width = old->first[i + 1] - old->first[i], entry = wp->first[wp->start[i]];
    if (kept && C && rows == 1 && width == 0 && wp->first[wp->start[i] + 1] == entry + 1 && is_kept(contact, i)) {
      PetscCall(take_column(&self->Y[1], i, factor * wp->value[entry], compliance, wp->touch[entry]));
      continue;
    }
    for (PetscInt k = old->first[i]; k < old->first[i + 1]; k++) mark(self, old->at[k]);
    for (PetscInt r = 0; r < rows && is_kept(contact, i); r++) {
      for (PetscInt k = 0; k < width; k++) self->column[r * n + old->at[old->first[i] + k]] = old->value[old->place[i] + r * width + k];
      PetscCall(add_row(self, factor, C, wp, wp->start[i] + r, n, self->column + r * n));
    }
    PetscCall(take(self, &self->Y[1], i, rows, n));
  }
  const NsSparseLists swap = self->Y[0];
  self->Y[0]               = self->Y[1];
  self->Y[1]               = swap;
  PetscFunctionReturn(0);
}

void NsCouplingScale(NsContact *contact, PetscReal factor)
{
  NsLocalBlocks *Y    = &contact->sparse.Y[0].blocks;
  const PetscInt last = contact->islands.start[contact->islands.count];

  for (PetscInt k = 0; k < Y->place[last]; k++) Y->value[k] *= factor;
}

/* Scratch of a band with the zeros before and after it. */
static PetscErrorCode make_room_z(NsSparseRows *self, const NsLocalBand *band, PetscReal **z)
{
  const PetscInt room = band->n + 2 * band->half;

  PetscFunctionBegin;
  if (room > self->room_z) {
    self->room_z = room + room / 4;
    PetscCall(PetscFree(self->z));
    PetscCall(PetscMalloc1(self->room_z, &self->z));
  }
  *z = self->z + band->half;
  for (PetscInt k = 0; k < band->half; k++) self->z[k] = (*z)[band->n + k] = 0;
  PetscFunctionReturn(0);
}

/* u = U v of contact i */
static void take_velocity(const NsLocalBlocks *U, const NsRows *rows, PetscInt i, const PetscInt *number, const PetscReal *v, PetscReal *u)
{
  const PetscInt width = U->first[i + 1] - U->first[i], *place = U->at + U->first[i];

  for (PetscInt r = rows->start[i], at = U->place[i]; r < rows->start[i + 1]; r++, at += width) {
    u[r] = 0;
    for (PetscInt k = 0; k < width; k++) u[r] += U->value[at + k] * v[number ? number[place[k]] : place[k]];
  }
}

PetscErrorCode NsCouplingReact(NsContact *contact, PetscInt island, const NsRows *rows, const PetscReal *P, PetscReal *u)
{
  NsSparseRows        *self    = &contact->sparse;
  const NsIslands     *islands = &contact->islands;
  const NsLocalBlocks *U = &self->U.blocks, *Y = &self->Y[0].blocks;
  const NsLocalBand   *band   = islands->band[island];
  PetscInt            *number = band ? self->unknown : NULL;
  PetscReal           *v      = self->v;

  PetscFunctionBegin;
  if (band) PetscCall(make_room_z(self, band, &v));
  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++) {
    const PetscInt i = islands->member[m];
    for (PetscInt k = U->first[i]; k < U->first[i + 1]; k++) {
      if (band) number[U->at[k]] = NsBandedNumber(NsComplianceBanded(self->compliance), band, U->at[k]);
    }
    for (PetscInt k = Y->first[i]; k < Y->first[i + 1]; k++) {
      if (band) number[Y->at[k]] = NsBandedNumber(NsComplianceBanded(self->compliance), band, Y->at[k]);
    }
    for (PetscInt k = U->first[i]; k < U->first[i + 1] && !band; k++) v[U->at[k]] = 0;
    for (PetscInt k = Y->first[i]; k < Y->first[i + 1] && !band; k++) v[Y->at[k]] = 0;
  }
  for (PetscInt k = 0; band && k < band->n; k++) v[k] = 0;
  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++) {
    const PetscInt i = islands->member[m], width = Y->first[i + 1] - Y->first[i], *place = Y->at + Y->first[i];
    for (PetscInt r = rows->start[i], at = Y->place[i]; r < rows->start[i + 1]; r++, at += width) {
      for (PetscInt k = 0; k < width; k++) v[number ? number[place[k]] : place[k]] += Y->value[at + k] * P[r];
    }
  }
  if (band) NsBandBack(band->n, band->half, band->factor, v);
  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++) take_velocity(U, rows, islands->member[m], number, v, u);
  PetscFunctionReturn(0);
}

/* The blocks of an island's contacts one after the other; unknown[place]: their new numbers. */
static PetscErrorCode select_blocks(const NsContact *contact, PetscInt island, const NsLocalBlocks *from, const PetscInt *unknown, NsSparseLists *to)
{
  const NsIslands *islands = &contact->islands;
  const PetscInt  *member = islands->member + islands->start[island], members = islands->start[island + 1] - islands->start[island];

  PetscFunctionBegin;
  PetscCall(restart(to));
  for (PetscInt m = 0; m < members; m++) {
    const PetscInt i = member[m], width = from->first[i + 1] - from->first[i], numbers = from->place[i + 1] - from->place[i];
    PetscCall(make_room(to, m + 1, to->blocks.first[m] + width, to->blocks.place[m] + numbers));
    NsLocalBlocks *blocks = &to->blocks;
    for (PetscInt k = 0; k < width; k++) blocks->at[blocks->first[m] + k] = unknown[from->at[from->first[i] + k]];
    PetscCall(PetscArraycpy(blocks->value + blocks->place[m], from->value + from->place[i], numbers));
    blocks->first[m + 1] = blocks->first[m] + width;
    blocks->place[m + 1] = blocks->place[m] + numbers;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsCouplingProblem(NsContact *contact, PetscInt island)
{
  NsSparseRows        *self    = &contact->sparse;
  const NsIslands     *islands = &contact->islands;
  const NsLocalBlocks *both[2] = {&self->U.blocks, &self->Y[0].blocks};

  PetscFunctionBegin;
  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++) {
    const PetscInt i = islands->member[m];
    for (int b = 0; b < 2; b++) {
      for (PetscInt k = both[b]->first[i]; k < both[b]->first[i + 1]; k++) mark(self, both[b]->at[k]);
    }
  }
  const NsLocalBand *band = islands->band[island];
  if (!band) PetscCall(PetscSortInt(self->listed, self->list));
  self->problem.unknowns = band ? band->n : self->listed;
  self->problem.band     = band;
  self->problem.v        = self->v;
  if (band) PetscCall(make_room_z(self, band, &self->problem.v));
  for (PetscInt k = 0; k < self->listed; k++) {
    self->marked[self->list[k]]  = PETSC_FALSE;
    self->unknown[self->list[k]] = band ? NsBandedNumber(NsComplianceBanded(self->compliance), band, self->list[k]) : k;
  }
  self->listed = 0;
  PetscCall(select_blocks(contact, island, both[0], self->unknown, &self->part[0]));
  PetscCall(select_blocks(contact, island, both[1], self->unknown, &self->part[1]));
  self->problem.U = self->part[0].blocks;
  self->problem.Y = self->part[1].blocks;
  PetscFunctionReturn(0);
}
