/*
  Operators with a narrow band: banded.h. Sets are found by union-find over the entries of A that are not zero. The band of a group is taken out of the matrix and factored when it is first asked for,
  and found again by the list of its sets.
*/
#include "banded.h"
#include "solvers/band.h"

#define NS_SYMMETRIC 1e-12   /* of the largest number */
#define NS_SAME      1e-8    /* of the largest: two solutions with A */
#define NS_ROOM      5000000 /* numbers of bands that are kept, or */
#define NS_MORE      200     /* for each unknown */

typedef struct Group Group;
struct Group {
  NsLocalBand band;           /* comes first: NsBandedNumber */
  PetscInt    sets, *set;     /* [sets] their first unknowns, ascending */
  PetscInt    first, *number; /* of unknown i: number[i - first] */
  PetscReal  *A, *factor, *inverse;
  PetscBool   wide; /* no band */
  Group      *next; /* with the same first set */
};

struct NsBanded {
  NsModel   *model;   /* not owned */
  NsMatrix   A;       /* all rows, natural order */
  PetscInt  *parent;  /* [unknowns] the first of the unknowns that A couples to this one */
  PetscInt  *last;    /* [unknowns] of first ones: the last of their sets */
  PetscInt  *owner;   /* [unknowns] scratch: -1 */
  PetscInt  *list;    /* [unknowns] scratch */
  Group    **group;   /* [unknowns] of first ones */
  PetscInt64 numbers; /* of all groups */
};

static PetscInt root_of(const NsBanded *self, PetscInt i)
{
  PetscInt *parent = self->parent;

  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static PetscErrorCode forget(NsBanded *self)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < self->A.rows && self->numbers > 0; i++) {
    while (self->group[i]) {
      Group *group   = self->group[i];
      self->group[i] = group->next;
      PetscCall(PetscFree3(group->A, group->factor, group->inverse));
      PetscCall(PetscFree2(group->set, group->number));
      PetscCall(PetscFree(group));
    }
  }
  self->numbers = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsBandedBegin(NsBanded *self)
{
  PetscFunctionBegin;
  if (self->numbers > NS_ROOM + NS_MORE * (PetscInt64)self->A.rows) PetscCall(forget(self));
  PetscFunctionReturn(0);
}

PetscErrorCode NsBandedDestroy(NsBanded **result)
{
  NsBanded *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(forget(self));
  PetscCall(PetscFree5(self->parent, self->last, self->owner, self->list, self->group));
  PetscCall(NsMatrixDestroy(&self->A));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

/* ---- groups ----------------------------------------------------------------------------------------------------------------------------------- */

/* The unknowns of the group, numbered: those whose set has the owner 0. Its half width. */
static void measure(NsBanded *self, Group *group, PetscInt last)
{
  const NsMatrix *A      = &self->A;
  NsLocalBand    *band   = &group->band;
  PetscInt       *number = group->number;

  for (PetscInt i = group->first; i <= last; i++) {
    number[i - group->first] = -1;
    if (self->owner[root_of(self, i)] < 0) continue;
    number[i - group->first] = band->n++;
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      if (A->column[k] < i && A->value[k] != 0) band->half = PetscMax(band->half, number[i - group->first] - number[A->column[k] - group->first]);
    }
  }
}

/* The numbers of A and its factors. */
static PetscErrorCode fill(NsBanded *self, Group *group, PetscInt last)
{
  const NsMatrix *A     = &self->A;
  NsLocalBand    *band  = &group->band;
  const PetscInt  width = NsBandWidth(band->half), size = (band->n + band->half) * width, *number = group->number;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(size, &group->A, size, &group->factor, size, &group->inverse));
  PetscCall(PetscArrayzero(group->A, size));
  for (PetscInt i = group->first; i <= last; i++) {
    const PetscInt own = number[i - group->first];
    for (PetscInt k = A->start[i]; k < A->start[i + 1] && own >= 0; k++) {
      if (A->value[k] != 0) group->A[own * width + band->half + number[A->column[k] - group->first] - own] = A->value[k];
    }
  }
  PetscCall(PetscArraycpy(group->factor, group->A, size));
  group->wide = NsBandLU(band->n, band->half, group->A, group->factor) > 0;
  for (PetscInt i = 0; i < band->n; i++) group->wide = group->wide || !(group->factor[i * width + band->half] > 0); /* not positive definite */
  NsBandInverse(band->n, band->half, group->factor, group->inverse);
  band->A       = group->A;
  band->factor  = group->factor;
  band->inverse = group->inverse;
  self->numbers += 3 * (PetscInt64)size;
  PetscFunctionReturn(0);
}

/* The group of list[sets], ascending; made if there is none yet. */
static PetscErrorCode find_group(NsBanded *self, PetscInt sets, Group **result)
{
  const PetscInt first = self->list[0];
  PetscInt       last  = first;
  Group         *group;

  PetscFunctionBegin;
  for (*result = self->group[first]; *result; *result = (*result)->next) {
    PetscBool same = (*result)->sets == sets;
    if (same) PetscCall(PetscArraycmp((*result)->set, self->list, sets, &same));
    if (same) PetscFunctionReturn(0);
  }
  for (PetscInt s = 0; s < sets; s++) {
    last                       = PetscMax(last, self->last[self->list[s]]);
    self->owner[self->list[s]] = 0;
  }
  PetscCall(PetscNew(&group));
  PetscCall(PetscMalloc2(sets, &group->set, (last - first + 1), &group->number));
  PetscCall(PetscArraycpy(group->set, self->list, sets));
  group->sets        = sets;
  group->first       = first;
  group->next        = self->group[first];
  self->group[first] = group;
  self->numbers += last - first + 1;
  measure(self, group, last);
  group->wide = group->band.half > NS_BAND_HALF;
  if (!group->wide) PetscCall(fill(self, group, last));
  for (PetscInt s = 0; s < sets; s++) self->owner[self->list[s]] = -1;
  *result = group;
  PetscFunctionReturn(0);
}

/* ---- contacts --------------------------------------------------------------------------------------------------------------------------------- */

/* Unknown of entry j of the rows; -1: the entry is zero. */
static inline PetscInt unknown_of(const NsBanded *self, const NsRows *rows, PetscInt j)
{
  return rows->value[j] == 0 ? -1 : self->model->touch[rows->touch[j]];
}

/* Adds the sets that contact i acts on to the list, their owner 0. */
static void list_sets(NsBanded *self, const NsRows *rows, PetscInt i, PetscInt *sets)
{
  for (PetscInt j = rows->first[rows->start[i]]; j < rows->first[rows->start[i + 1]]; j++) {
    const PetscInt u = unknown_of(self, rows, j), root = u < 0 ? -1 : root_of(self, u);
    if (u < 0 || self->owner[root] == 0) continue;
    self->owner[root]     = 0;
    self->list[(*sets)++] = root;
  }
}

/* Widens low .. high to the numbers that contact i has in its group. */
static void find_span(const NsBanded *self, const Group *group, const NsRows *rows, PetscInt i, PetscInt *low, PetscInt *high)
{
  for (PetscInt j = rows->first[rows->start[i]]; j < rows->first[rows->start[i + 1]]; j++) {
    const PetscInt u = unknown_of(self, rows, j);
    if (u < 0) continue;
    *low  = PetscMin(*low, group->number[u - group->first]);
    *high = PetscMax(*high, group->number[u - group->first]);
  }
}

PetscErrorCode NsBandedOf(NsBanded *self, const NsRows *wu, const NsRows *wp, PetscInt count, const PetscInt *member, const NsLocalBand **band)
{
  PetscInt sets = 0;
  Group   *group;

  PetscFunctionBegin;
  *band = NULL;
  for (PetscInt m = 0; m < count; m++) {
    list_sets(self, wu, member[m], &sets);
    list_sets(self, wp, member[m], &sets);
  }
  for (PetscInt s = 0; s < sets; s++) self->owner[self->list[s]] = -1;
  if (!sets) PetscFunctionReturn(0);
  PetscCall(PetscSortInt(sets, self->list));
  PetscCall(find_group(self, sets, &group));
  for (PetscInt m = 0; m < count && !group->wide; m++) {
    PetscInt low = PETSC_MAX_INT, high = -1;
    find_span(self, group, wu, member[m], &low, &high);
    find_span(self, group, wp, member[m], &low, &high);
    if (high < 0 || high - low > group->band.half) PetscFunctionReturn(0);
  }
  if (!group->wide) *band = &group->band;
  PetscFunctionReturn(0);
}

PetscInt NsBandedNumber(const NsBanded *self, const NsLocalBand *band, PetscInt place)
{
  const Group *group = (const Group *)band;

  return group->number[self->model->touch[place] - group->first];
}

/* Joins contact i with the owners of the sets that it acts on. */
static void join_owners(NsBanded *self, const NsRows *rows, PetscInt i, PetscInt *parent)
{
  for (PetscInt j = rows->first[rows->start[i]]; j < rows->first[rows->start[i + 1]]; j++) {
    const PetscInt u = unknown_of(self, rows, j);
    if (u < 0) continue;
    PetscInt *owner = &self->owner[root_of(self, u)], a = i, b;
    if (*owner < 0) *owner = i;
    b = *owner;
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    while (parent[b] != b) b = parent[b] = parent[parent[b]];
    parent[PetscMax(a, b)] = PetscMin(a, b);
  }
}

static void disown(NsBanded *self, const NsRows *rows)
{
  for (PetscInt j = 0; j < rows->first[rows->rows]; j++) {
    const PetscInt u = unknown_of(self, rows, j);
    if (u >= 0) self->owner[root_of(self, u)] = -1;
  }
}

void NsBandedIslands(NsBanded *self, const NsRows *wu, const NsRows *wp, PetscInt *parent)
{
  for (PetscInt i = 0; i < wu->contacts; i++) {
    join_owners(self, wu, i, parent);
    join_owners(self, wp, i, parent);
  }
  disown(self, wu);
  disown(self, wp);
}

/* ---- creation --------------------------------------------------------------------------------------------------------------------------------- */

static PetscReal entry(const NsMatrix *A, PetscInt i, PetscInt j)
{
  for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
    if (A->column[k] == j) return A->value[k];
  }
  return 0;
}

static PetscBool is_symmetric(const NsMatrix *A)
{
  PetscReal most = 0, apart = 0;

  for (PetscInt i = 0; i < A->rows; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      if (A->column[k] >= i) continue;
      most  = PetscMax(most, PetscAbsReal(A->value[k]));
      apart = PetscMax(apart, PetscAbsReal(A->value[k] - entry(A, A->column[k], i)));
    }
  }
  return apart <= NS_SYMMETRIC * most;
}

/* Unknowns that A couples. */
static PetscErrorCode find_sets(NsBanded *self)
{
  const NsMatrix *A = &self->A;
  const PetscInt  n = A->rows;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(n, &self->parent, n, &self->last, n, &self->owner, n, &self->list, n, &self->group));
  for (PetscInt i = 0; i < n; i++) {
    self->parent[i] = i;
    self->owner[i]  = -1;
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = A->start[i]; k < A->start[i + 1]; k++) {
      const PetscInt a = root_of(self, i), b = root_of(self, A->column[k]);
      if (A->value[k] != 0) self->parent[PetscMax(a, b)] = PetscMin(a, b);
    }
  }
  for (PetscInt i = 0; i < n; i++) self->last[root_of(self, i)] = i;
  PetscFunctionReturn(0);
}

/* Numbers in no order, always the same ones. */
static void draw_loads(PetscInt count, PetscReal *load)
{
  uint32_t seed = 1;

  for (PetscInt k = 0; k < count; k++) {
    seed    = seed * 1664525U + 1013904223U;
    load[k] = (PetscReal)(seed >> 16) / 65536;
  }
}

/* The largest difference between x, the solution of the slot at the touch list, and the band's, within the set of the unknown at place k. */
static PetscErrorCode compare_set(
  NsBanded *self, PetscInt k, const PetscReal *load, const PetscReal *x, PetscReal *work, PetscReal *most, PetscReal *apart, PetscBool *same)
{
  const NsModel *model = self->model;
  const PetscInt root  = root_of(self, model->touch[k]);
  Group         *group;

  PetscFunctionBegin;
  self->list[0] = root;
  PetscCall(find_group(self, 1, &group));
  *same = !group->wide;
  if (!*same) PetscFunctionReturn(0);
  const NsLocalBand *band = &group->band;
  PetscReal         *y    = work + band->half;
  PetscCall(PetscArrayzero(work, band->n + 2 * band->half));
  for (PetscInt j = k; j < model->touches && model->touch[j] <= self->last[root]; j++) {
    if (root_of(self, model->touch[j]) == root) y[NsBandedNumber(self, band, j)] = load[j];
  }
  NsBandBack(band->n, band->half, band->factor, y);
  for (PetscInt j = k; j < model->touches && model->touch[j] <= self->last[root]; j++) {
    if (root_of(self, model->touch[j]) != root) continue;
    *most  = PetscMax(*most, PetscAbsReal(x[j]));
    *apart = PetscMax(*apart, PetscAbsReal(x[j] - y[NsBandedNumber(self, band, j)]));
  }
  PetscFunctionReturn(0);
}

/* Whether A^-1 of the slot is that of the bands. */
static PetscErrorCode compare(NsBanded *self, PetscInt slot, PetscBool *same)
{
  NsModel       *model = self->model;
  const PetscInt n     = model->touches;
  PetscReal      most = 0, apart = 0, *load, *x, *work;
  PetscInt      *every;
  Vec            b, v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &load, n, &x, n, &every, (self->A.rows + 2 * NS_BAND_HALF), &work));
  for (PetscInt k = 0; k < n; k++) every[k] = k;
  draw_loads(n, load);
  PetscCall(NsVecsCreate(model, &b, &v, NULL));
  PetscCall(VecZeroEntries(b));
  PetscCall(NsModelTouchAdd(model, n, every, load, b));
  PetscCall(NsModelSolve(model, slot, b, v));
  PetscCall(NsModelTouch(model, v, x));
  *same = PETSC_TRUE;
  for (PetscInt k = 0; k < n && *same; k++) {
    if (!self->group[root_of(self, model->touch[k])]) PetscCall(compare_set(self, k, load, x, work, &most, &apart, same));
  }
  *same = *same && apart <= NS_SAME * most;
  PetscCall(NsVecsDestroy(&b, &v, NULL));
  PetscCall(PetscFree4(load, x, every, work));
  PetscFunctionReturn(0);
}

PetscErrorCode NsBandedCreate(NsModel *model, PetscInt slot, NsOperator op, NsBanded **result)
{
  NsBanded *self;
  PetscBool same;

  PetscFunctionBegin;
  *result = NULL;
  if (!model->contact.matrix) PetscFunctionReturn(0);
  PetscCall(PetscNew(&self));
  self->model = model;
  PetscCall(model->contact.matrix(model, op, &self->A));
  same = is_symmetric(&self->A);
  if (same) {
    PetscCall(find_sets(self));
    PetscCall(compare(self, slot, &same));
  }
  if (!same) PetscCall(NsBandedDestroy(&self));
  *result = self;
  PetscFunctionReturn(0);
}
