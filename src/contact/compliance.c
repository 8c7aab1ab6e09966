/*
  C = E' A^-1 E, the compliance of the unknowns that contacts can act on (the touch list E), and what schemes do with it:

      G = W_u' C W_P          Delassus matrix, from the sparse rows over the touch list (delassus.c)
      v += A^-1 E (W P)       a reaction's effect: the columns X = A^-1 E are kept

  For a constant operator X and C are computed once; a step then costs no solve for contact. Columns contain only entries above rounding: what is below NS_CUT of the largest
  number in C's column is left out. With a consistent mass that leaves some thirty nodes on each side, with a lumped one a single number. X is kept in runs of unknowns
  that follow each other, so that an impulse is a few short loops. Set-up: one solve for each unknown that contacts can act on, or one for all of them where A is diagonal.

  Where A has a narrow band (banded.h), C is not needed for many contacts, and not made where it would have more than NS_MANY numbers: memory and set-up are linear in the touched unknowns. Columns for few contacts are made when these ask for them. X acts only
  where the columns of the loads are shorter than a solve.

  A part that has more than NS_MOST_NUMBERS is not kept: without X an impulse costs one solve; without C there is no X either, and each row of a contact costs one.
  The same goes for operators that change, and where the solves would take longer than the user waits (NsPatience). But models that can give C themselves (where the mass varies) do, and have it dense; where every unknown can be touched
  (mechanisms) it is A^-1 and does both.
*/
#include "compliance.h"
#include <stdlib.h>
#include "columns.h"
#include "core/out_of_memory.h"
#include "core/processor.h"
#include "percuss/clock.h"

#define NS_MOST_NUMBERS 50000000                       /* 400 MB, and half as much for their places */
#define NS_CUT          (1.0 / 18446744073709551616.0) /* 2^-64 */
#define NS_JOIN         4                              /* a run goes on across up to this many small numbers */
#define NS_SAMPLE       8                              /* solves from which the time of all is estimated */
#define NS_MANY         4000000                        /* numbers of C, if A has a narrow band: it needs no columns */
#define NS_SOLVE        32                             /* multiplications for each unknown: about those of a solve with a narrow band */
#define NS_LONG         5.0                            /* s: for more, the model's patience is asked */

struct NsCompliance {
  NsModel    *model; /* not owned */
  PetscInt    slot, most;
  PetscBool   ready, dense, diagonal, constant;
  PetscInt64  version; /* of C */
  NsOperator  op;
  NsBanded   *banded;      /* NULL: A has no narrow band */
  PetscReal **column;      /* [touches] with a band: columns of C that rows have asked for, [touches]; NULL: none has */
  PetscInt    columns;     /* so many */
  PetscReal  *D;           /* [touches, touches] C, where it is dense */
  NsColumns   C, X;        /* where it is not */
  PetscInt   *one;         /* [2] of a diagonal C, which has no lists: see NsComplianceReached */
  Vec         b, x;        /* b is zero between calls; NULL: C is diagonal */
  PetscReal  *half;        /* [touches] */
  PetscReal  *load;        /* [touches] W P, zero between calls */
  PetscReal  *heavy;       /* [touches] the load at each place of `list` */
  PetscInt   *every;       /* [touches] 0, 1, 2, ...; NULL: not needed yet */
  PetscInt   *list;        /* [touches] places with a load */
  PetscBool  *loaded;      /* [touches] is in `list`; false between calls */
  PetscInt   *used, useds; /* [row_entries] columns of C that `half` was made of: it is zero elsewhere */
};

/* Memory that a diagonal C, of perhaps a million candidates, does without. */
static PetscErrorCode make_every(NsCompliance *self)
{
  PetscFunctionBegin;
  if (self->every) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(self->model->touches, &self->every));
  for (PetscInt k = 0; k < self->model->touches; k++) self->every[k] = k;
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceCreate(NsModel *model, PetscInt slot, NsCompliance **result)
{
  NsCompliance  *self;
  const PetscInt n = model->touches;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  self->model = model;
  self->slot  = slot;
  self->most  = NS_MOST_NUMBERS;
  self->dense = model->contact.compliance && (PetscInt64)n * n <= self->most;
  if (self->dense) PetscCall(PetscMalloc1((size_t)n * (size_t)n, &self->D));
  self->half   = NsZeros((size_t)n, sizeof(*self->half));
  self->load   = NsZeros((size_t)n, sizeof(*self->load));
  self->heavy  = NsZeros((size_t)n, sizeof(*self->heavy));
  self->list   = NsZeros((size_t)n, sizeof(*self->list));
  self->loaded = NsZeros((size_t)n, sizeof(*self->loaded));
  PetscCall(PetscMalloc2(model->row_entries, &self->used, 2, &self->one));
  if (self->dense) PetscCall(make_every(self));
  PetscCall(PetscMalloc2(n + 1, &self->C.first, n + 1, &self->X.first));
  *result = self;
  PetscFunctionReturn(0);
}

void NsComplianceLimit(NsCompliance *self, PetscInt numbers)
{
  self->most = numbers;
}

static PetscErrorCode forget_columns(NsCompliance *self)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < self->model->touches && self->columns > 0; k++) PetscCall(PetscFree(self->column[k]));
  self->columns = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceDestroy(NsCompliance **result)
{
  NsCompliance *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(NsColumnsDrop(&self->C));
  PetscCall(NsColumnsDrop(&self->X));
  PetscCall(forget_columns(self));
  PetscCall(PetscFree(self->column));
  PetscCall(NsBandedDestroy(&self->banded));
  PetscCall(PetscFree2(self->C.first, self->X.first));
  PetscCall(NsVecsDestroy(&self->b, &self->x, NULL));
  PetscCall(PetscFree(self->D));
  void *const large[] = {self->half, self->load, self->heavy, self->list, self->loaded};
  for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++) free(large[i]);
  PetscCall(PetscFree2(self->used, self->one));
  PetscCall(PetscFree(self->every));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

/* ---- set-up ---------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_vectors(NsCompliance *self)
{
  PetscFunctionBegin;
  if (!self->b) PetscCall(NsVecsCreate(self->model, &self->b, &self->x, NULL));
  PetscFunctionReturn(0);
}

/* x = A^-1 b and self->heavy = E' x for b = E self->heavy. */
static PetscErrorCode solve_all(NsCompliance *self)
{
  NsModel *model = self->model;

  PetscFunctionBegin;
  PetscCall(make_every(self));
  PetscCall(NsModelTouchAdd(model, model->touches, self->every, self->heavy, self->b));
  PetscCall(NsModelSolve(model, self->slot, self->b, self->x));
  PetscCall(VecZeroEntries(self->b));
  PetscCall(NsModelTouch(model, self->x, self->heavy));
  PetscFunctionReturn(0);
}

/*
  Whether A^-1 keeps each touched unknown to itself, as M + h^2/4 K of bodies without stiffness does: loads of 1, 2, 4 ... 128 N s in no order act as much more than loads of 1, to the last bit, and
  nothing else moves. Two solves and no n^2. One process only: others are not asked.
*/
static PetscErrorCode find_diagonal(NsCompliance *self, PetscBool *diagonal)
{
  const PetscInt     n     = self->model->touches;
  PetscReal         *first = self->half;
  const PetscScalar *x;
  PetscInt           moved = 0, size;
  uint32_t           seed  = 1;

  PetscFunctionBegin;
  *diagonal = self->model->layout->ranks == 1;
  if (!*diagonal) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < n; k++) self->heavy[k] = 1;
  PetscCall(solve_all(self));
  PetscCall(VecGetLocalSize(self->x, &size));
  PetscCall(VecGetArrayRead(self->x, &x));
  for (PetscInt i = 0; i < size; i++) moved += x[i] != 0 ? 1 : 0;
  PetscCall(VecRestoreArrayRead(self->x, &x));
  for (PetscInt k = 0; k < n; k++) {
    seed           = seed * 1664525U + 1013904223U;
    first[k]       = self->heavy[k] * (PetscReal)(1 << (seed >> 29));
    self->heavy[k] = (PetscReal)(1 << (seed >> 29));
  }
  PetscCall(solve_all(self));
  *diagonal = moved == n;
  for (PetscInt k = 0; k < n; k++) {
    *diagonal = *diagonal && self->heavy[k] == first[k];
    first[k]  = 0;
  }
  PetscFunctionReturn(0);
}

/* C of a diagonal A, which is diagonal as well: its numbers alone. */
static PetscErrorCode solve_diagonal(NsCompliance *self)
{
  const PetscInt  n   = self->model->touches;
  const PetscReal one = 1;
  NsColumns      *C   = &self->C;

  PetscFunctionBegin;
  if (C->number_room < n) {
    C->number_room = n;
    PetscCall(PetscRealloc(sizeof(PetscReal) * (size_t)n, &C->value));
  }
  for (PetscInt k = 0; k < n; k++) PetscCall(NsModelTouchAdd(self->model, 1, &k, &one, self->b));
  PetscCall(NsModelSolve(self->model, self->slot, self->b, self->x));
  PetscCall(NsModelTouch(self->model, self->x, C->value));
  C->kept = PETSC_TRUE;
  C->runs = C->numbers = n;
  PetscCall(NsVecsDestroy(&self->b, &self->x, NULL));
  PetscCall(PetscFree(self->every)); /* never of a dense C */
  PetscFunctionReturn(0);
}

/* Which unknowns contacts can act on, and how many. */
static PetscErrorCode find_acted(NsCompliance *self, PetscBool **acted, PetscInt *count)
{
  NsModel *model = self->model;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(model->touches, acted));
  for (PetscInt k = 0; k < model->touches; k++) (*acted)[k] = PETSC_TRUE;
  if (model->contact.acted) PetscCall(model->contact.acted(model, *acted));
  *count = 0;
  for (PetscInt k = 0; k < model->touches; k++) *count += (*acted)[k] ? 1 : 0;
  PetscFunctionReturn(0);
}

/* After the first NS_SAMPLE of `solves` solves, which began at `since` (s): whether to go on. */
static PetscErrorCode ask_patience(NsCompliance *self, PetscInt solves, double since, PetscBool *on)
{
  const NsPatience *patience = &self->model->patience;
  const double      seconds  = (NsSeconds() - since) / NS_SAMPLE * solves;
  PetscInt          refused;

  PetscFunctionBegin;
  refused = patience->ask && seconds > NS_LONG && !patience->ask(patience->data, solves, seconds) ? 1 : 0;
  PetscCall(NsLayoutAgree(self->model->layout, &refused)); /* clocks differ */
  *on = !refused;
  PetscFunctionReturn(0);
}

/* One solve for each unknown that contacts can act on, as long as something of it is kept. C has no rows of others either. */
static PetscErrorCode solve_columns(NsCompliance *self)
{
  NsModel        *model = self->model;
  const PetscReal one = 1, minus_one = -1;
  const double    since = NsSeconds();
  PetscInt        size, dropped, solves = 0, solved = 0;
  PetscBool      *acted;

  PetscFunctionBegin;
  PetscCall(find_acted(self, &acted, &solves));
  PetscCall(VecGetLocalSize(self->x, &size));
  PetscCall(NsColumnsBegin(&self->C));
  PetscCall(NsColumnsBegin(&self->X));
  for (PetscInt k = 0; k < model->touches && self->C.kept; k++) {
    const PetscScalar *value;
    PetscReal          cut = 0;
    PetscBool          on  = PETSC_TRUE;
    if (!acted[k]) {
      PetscCall(NsColumnsAdd(&self->C, k, 0, NULL, 0, 0, self->most));
      PetscCall(NsColumnsAdd(&self->X, k, 0, NULL, 0, 0, self->most));
      continue;
    }
    if (solved++ == NS_SAMPLE) PetscCall(ask_patience(self, solves, since, &on));
    if (!on) {
      PetscCall(NsColumnsDrop(&self->C));
      break;
    }
    PetscCall(NsModelTouchAdd(model, 1, &k, &one, self->b));
    PetscCall(NsModelSolve(model, self->slot, self->b, self->x));
    PetscCall(NsModelTouchAdd(model, 1, &k, &minus_one, self->b));
    PetscCall(NsModelTouch(model, self->x, self->heavy));
    for (PetscInt i = 0; i < model->touches; i++) {
      if (!acted[i]) self->heavy[i] = 0;
      cut = PetscMax(cut, NS_CUT * PetscAbsReal(self->heavy[i]));
    }
    PetscCall(NsColumnsAdd(&self->C, k, model->touches, self->heavy, cut, 0, self->most));
    value = NsVecRead(self->x);
    PetscCall(NsColumnsAdd(&self->X, k, size, value, cut, NS_JOIN, self->most));
  }
  PetscCall(PetscFree(acted));
  dropped = !self->C.kept || !self->X.kept;
  PetscCall(NsLayoutAgree(model->layout, &dropped)); /* by all processes or none: without X they solve together */
  if (dropped) PetscCall(NsColumnsDrop(&self->X));
  PetscFunctionReturn(0);
}

/* Which numbers of a dense C are not zero. */
static PetscErrorCode find_reach(NsCompliance *self)
{
  const PetscInt n = self->model->touches;

  PetscFunctionBegin;
  PetscCall(NsColumnsBegin(&self->C));
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt i = 0; i < n; i++) self->heavy[i] = self->D[i * n + k];
    PetscCall(NsColumnsAdd(&self->C, k, n, self->heavy, 0, 0, self->most));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceCreateKnown(NsModel *model, const PetscReal *C, NsCompliance **result)
{
  const PetscInt n = model->touches;
  NsCompliance  *self;

  PetscFunctionBegin;
  *result = NULL;
  if ((PetscInt64)n * n > NS_MOST_NUMBERS) PetscFunctionReturn(0);
  PetscCall(NsComplianceCreate(model, 0, &self));
  if (!self->dense) PetscCall(PetscMalloc1((size_t)n * (size_t)n, &self->D));
  self->dense = self->ready = self->constant = PETSC_TRUE;
  PetscCall(PetscArraycpy(self->D, C, (size_t)n * (size_t)n));
  PetscCall(find_reach(self));
  *result = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceUpdate(NsCompliance *self, PetscReal t, Vec q, Vec v, NsOperator op)
{
  NsModel        *model    = self->model;
  const PetscBool same     = self->op.mass == op.mass && self->op.damping == op.damping && self->op.stiffness == op.stiffness;
  const PetscBool mass     = op.damping == 0 && op.stiffness == 0;
  const PetscBool constant = model->constant_mass && (model->linear || mass || op.mass == 0);

  PetscFunctionBegin;
  if (self->ready && same && constant) PetscFunctionReturn(0);
  PetscCall(NsModelFactor(model, self->slot, t, q, v, op));
  self->op       = op;
  self->ready    = PETSC_TRUE;
  self->constant = constant;
  self->version++;
  if (!model->touches) PetscFunctionReturn(0);
  PetscCall(make_vectors(self));
  if (!self->dense && self->useds) PetscCall(PetscArrayzero(self->half, model->touches)); /* the columns that it was made of are replaced */
  PetscCall(forget_columns(self));
  PetscCall(NsBandedDestroy(&self->banded));
  self->useds  = 0;
  self->C.kept = self->X.kept = PETSC_FALSE;
  self->diagonal              = constant && mass && model->diagonal_mass && !self->dense;
  if (constant && !self->diagonal && !self->dense) PetscCall(find_diagonal(self, &self->diagonal));
  if (self->dense) {
    PetscCall(model->contact.compliance(model, self->slot, self->D));
    if (constant) PetscCall(find_reach(self));
  } else if (self->diagonal) {
    PetscCall(solve_diagonal(self));
  } else if (constant) {
    if (model->touches > NS_LOCAL_SMALL) PetscCall(NsBandedCreate(model, self->slot, op, &self->banded));
    if (!self->banded || (PetscInt64)model->touches * model->touches <= NS_MANY) PetscCall(solve_columns(self));
  }
  PetscFunctionReturn(0);
}

/* ---- use -------------------------------------------------------------------------------------------------------------------------------------- */

NsBanded *NsComplianceBanded(const NsCompliance *self)
{
  return self->banded;
}

const PetscReal *NsComplianceDiagonal(const NsCompliance *self)
{
  return self->diagonal && self->C.kept ? self->C.value : NULL;
}

PetscBool NsComplianceKnowsReach(const NsCompliance *self)
{
  return self->C.kept;
}

PetscBool NsComplianceIsConstant(const NsCompliance *self, PetscInt *slot, PetscInt64 *version)
{
  *slot    = self->slot;
  *version = self->version;
  return self->constant && (self->dense || self->C.kept);
}

PetscInt NsComplianceReached(const NsCompliance *self, PetscInt place, const PetscInt **at, const PetscInt **start)
{
  if (self->diagonal) { /* valid until the next call */
    *at = *start = self->one;
    self->one[0] = place;
    self->one[1] = place + 1;
    return 1;
  }
  const PetscInt first = self->C.first[place];

  *at    = self->C.place + first;
  *start = self->C.start + first;
  return self->C.first[place + 1] - first;
}

PetscInt NsComplianceColumn(const NsCompliance *self, PetscInt place, const PetscInt **at, const PetscInt **start, const PetscReal **value)
{
  *value = self->C.value;
  return NsComplianceReached(self, place, at, start);
}

/* half += value C e_place */
static void add_to_half(NsCompliance *self, PetscInt place, PetscReal value)
{
  const NsColumns *C = &self->C;

  if (self->diagonal) {
    self->half[place] += C->value[place] * value;
    return;
  }
  for (PetscInt r = C->first[place]; r < C->first[place + 1]; r++) {
    PetscReal *to = self->half + C->place[r] - C->start[r];
    for (PetscInt k = C->start[r]; k < C->start[r + 1]; k++) to[k] += C->value[k] * value;
  }
}

static void clear_half(NsCompliance *self)
{
  const NsColumns *C = &self->C;

  for (PetscInt j = 0; j < self->useds; j++) {
    if (self->diagonal) {
      self->half[self->used[j]] = 0;
      continue;
    }
    for (PetscInt r = C->first[self->used[j]]; r < C->first[self->used[j] + 1]; r++) {
      PetscReal *to = self->half + C->place[r] - C->start[r];
      for (PetscInt k = C->start[r]; k < C->start[r + 1]; k++) to[k] = 0;
    }
  }
  self->useds = 0;
}

/* Room for the columns of this many more entries. Without room all columns are dropped, so that sums have the same terms whatever columns were made before. */
static PetscErrorCode make_room_for_columns(NsCompliance *self, PetscInt entries)
{
  const PetscInt n = self->model->touches;

  PetscFunctionBegin;
  if (!self->column) PetscCall(PetscCalloc1(n, &self->column));
  if ((PetscInt64)(self->columns + entries) * n > NS_MANY) PetscCall(forget_columns(self));
  PetscFunctionReturn(0);
}

/* half = C W_P e_row from columns of C, each solved for when it is first asked for. */
static PetscErrorCode half_by_columns(NsCompliance *self, const NsRows *wp, PetscInt row)
{
  const PetscInt n = self->model->touches, first = wp->first[row], end = wp->first[row + 1];

  PetscFunctionBegin;
  PetscCall(make_room_for_columns(self, end - first));
  PetscCall(PetscArrayzero(self->half, n));
  for (PetscInt j = first; j < end; j++) {
    const PetscInt  place = wp->touch[j];
    const PetscReal one = 1, minus_one = -1, value = wp->value[j];
    if (value == 0) continue;
    if (!self->column[place]) {
      PetscCall(PetscMalloc1(n, &self->column[place]));
      self->columns++;
      PetscCall(NsModelTouchAdd(self->model, 1, &place, &one, self->b));
      PetscCall(NsModelSolve(self->model, self->slot, self->b, self->x));
      PetscCall(NsModelTouchAdd(self->model, 1, &place, &minus_one, self->b));
      PetscCall(NsModelTouch(self->model, self->x, self->column[place]));
    }
    const PetscReal *restrict from = self->column[place];
    for (PetscInt i = 0; i < n; i++) self->half[i] += value * from[i];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceHalf(NsCompliance *self, const NsRows *wp, PetscInt row, const PetscReal **half)
{
  const NsPatience *patience = &self->model->patience;
  const PetscInt    n = self->model->touches, first = wp->first[row], end = wp->first[row + 1];

  PetscFunctionBegin;
  *half = self->half;
  if (self->dense) {
    for (PetscInt i = 0; i < n; i++) {
      self->half[i] = 0;
      for (PetscInt j = first; j < end; j++) self->half[i] += self->D[i * n + wp->touch[j]] * wp->value[j];
    }
  } else if (self->C.kept) {
    clear_half(self);
    for (PetscInt j = first; j < end; j++) {
      add_to_half(self, wp->touch[j], wp->value[j]);
      self->used[self->useds++] = wp->touch[j];
    }
  } else if (self->banded) {
    PetscCall(half_by_columns(self, wp, row));
  } else if (patience->over && patience->over(patience->data)) {
    PetscCall(PetscArrayzero(self->half, n));
  } else {
    PetscCall(NsModelTouchAdd(self->model, end - first, wp->touch + first, wp->value + first, self->b));
    PetscCall(NsModelSolve(self->model, self->slot, self->b, self->x));
    PetscCall(NsModelTouch(self->model, self->x, self->half));
    PetscCall(VecZeroEntries(self->b));
  }
  PetscFunctionReturn(0);
}

/* Places and sizes of the load scale W P into list and heavy; how many. */
static PetscInt make_load(NsCompliance *self, const NsRows *wp, const PetscReal *P, PetscReal scale)
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < wp->rows; k++) {
    for (PetscInt j = wp->first[k]; j < wp->first[k + 1]; j++) {
      const PetscInt place = wp->touch[j];
      if (!self->loaded[place]) self->list[count++] = place;
      self->loaded[place] = PETSC_TRUE;
      self->load[place] += scale * P[k] * wp->value[j];
    }
  }
  for (PetscInt i = 0; i < count; i++) {
    self->heavy[i]              = self->load[self->list[i]];
    self->load[self->list[i]]   = 0;
    self->loaded[self->list[i]] = PETSC_FALSE;
  }
  return count;
}

/* v += D load, where every unknown is in the touch list. */
static PetscErrorCode apply_dense(NsCompliance *self, PetscInt count, Vec v)
{
  const PetscInt n = self->model->touches;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    self->half[i] = 0;
    for (PetscInt j = 0; j < count; j++) self->half[i] += self->D[i * n + self->list[j]] * self->heavy[j];
  }
  PetscCall(NsModelTouchAdd(self->model, n, self->every, self->half, v));
  PetscFunctionReturn(0);
}

/* v += X load. In one pass: a call of VecAXPY for each run would cost a small model more than its arithmetic. */
NS_FOR_EACH_PROCESSOR static PetscErrorCode apply_columns(NsCompliance *self, PetscInt count, Vec v)
{
  const NsColumns *X     = &self->X;
  PetscReal       *value = NsVecArray(v);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < count; i++) {
    const PetscReal load = self->heavy[i];
    for (PetscInt r = X->first[self->list[i]]; r < X->first[self->list[i] + 1] && load != 0; r++) {
      const PetscReal *restrict from = X->value + X->start[r];
      PetscScalar *restrict to       = value + X->place[r];
      const PetscInt length          = X->start[r + 1] - X->start[r];
      for (PetscInt k = 0; k < length; k++) to[k] += load * from[k];
    }
  }
  PetscFunctionReturn(0);
}

/* Whether X takes less than a solve for the loads at list[count]. */
static PetscBool columns_are_short(const NsCompliance *self, PetscInt count)
{
  const NsColumns *X       = &self->X;
  PetscInt64       numbers = 0;

  if (!self->banded) return PETSC_TRUE;
  for (PetscInt i = 0; i < count; i++) numbers += X->start[X->first[self->list[i] + 1]] - X->start[X->first[self->list[i]]];
  return numbers <= NS_SOLVE * (PetscInt64)self->model->unknowns;
}

PetscErrorCode NsComplianceApply(NsCompliance *self, const NsRows *wp, const PetscReal *P, PetscReal scale, Vec v)
{
  const PetscInt count = make_load(self, wp, P, scale);

  PetscFunctionBegin;
  if (self->dense && self->model->touches == self->model->unknowns) {
    PetscCall(apply_dense(self, count, v));
  } else if (self->diagonal) {
    for (PetscInt i = 0; i < count; i++) self->heavy[i] *= self->C.value[self->list[i]];
    PetscCall(NsModelTouchAdd(self->model, count, self->list, self->heavy, v));
  } else if (self->X.kept && columns_are_short(self, count)) {
    PetscCall(apply_columns(self, count, v));
  } else if (count) {
    PetscCall(NsModelTouchAdd(self->model, count, self->list, self->heavy, self->b));
    PetscCall(NsModelSolve(self->model, self->slot, self->b, self->x));
    PetscCall(VecZeroEntries(self->b));
    PetscCall(VecAXPY(v, 1, self->x));
  }
  PetscFunctionReturn(0);
}
