/*
  Back end `banded`: M, C, K and the factors in narrow rows. Short chains are in natural order (src/fe/backend/band.h): a step costs its arithmetic and little else. Long
  chains are computed in eight pieces at once (src/fe/backend/lanes/lanes.h), with vectors in a suitable order.

  Operators that are not symmetric (implicit schemes with gyroscopic terms) have no Cholesky factor: these slots are left to the back end petsc.

  Several processes: each has a piece of the chain and so many unknowns of its neighbours (NS_OVERLAP nodes) that what lies beyond has no effect on its own unknowns: entries of the
  inverse of a bar's mass matrix decrease by 0.268 per node (check_overlap verifies it). A process solves for its piece with the overlap, and needs one message from each
  neighbour a step: the state there.
*/
#include "band.h"
#include "backend.h"
#include "fe/model/components.h"
#include "lanes/lanes.h"

#define NS_OVERLAP 64 /* nodes */

/* Mean number of entries of a row and column of the factor, with the zeros between them, up to which a band is narrow: beyond it a sparse factor is faster. A shaft with six
   unknowns a node has 23. */
#define NS_NARROW       50
#define NS_MOST_ENTRIES 1e9
#define NS_MOST_REACH   64 /* unknowns, with several processes */

typedef struct {
  PetscInt       low, n;                /* natural numbers low .. low + n - 1 are here */
  NsProfile      own, all;              /* of M, and of all matrices */
  PetscReal     *M;                     /* in profile `own` */
  PetscReal     *C, *K;                 /* in profile `all`; C NULL without damping and spin */
  PetscReal     *dampers;               /* C itself where nothing spins; NULL without */
  PetscReal     *work;                  /* [n] */
  NsLanes       *lanes;                 /* NULL: the chain is short; else M, C, K and their profiles are not used */
  NsLanesFactor *lane_factor[NS_SLOTS]; /* NULL: of M */
  PetscReal      mass[NS_SLOTS];        /* m of m M */
  NsBandFactor   factor[NS_SLOTS];
  PetscBool      banded[NS_SLOTS]; /* the slot is here, not left to petsc */
  NsBackEnd      petsc;            /* shares the matrices; one process only */
  PetscReal     *b, *x;            /* [n] for petsc, in natural order */
} Banded;

/* last[unknown] = the last row with an entry in its column or before, after adding a block of these unknowns. */
static void reach_back(PetscInt n, const PetscInt *unknown, PetscInt *last)
{
  PetscInt low = PETSC_MAX_INT, high = -1;

  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] < 0) continue;
    low  = PetscMin(low, unknown[i]);
    high = PetscMax(high, unknown[i]);
  }
  if (high >= 0) last[low] = PetscMax(last[low], high);
}

/* What a factor in natural order stores, each column down to the last row that begins there or before; *widest: the largest half width. */
static PetscErrorCode measure(const NsFe *fe, PetscReal *entries, PetscInt *widest)
{
  PetscInt *last, reach = 0;

  PetscFunctionBegin;
  *entries = 0;
  *widest  = 0;
  PetscCall(PetscMalloc1(fe->unknowns, &last));
  for (PetscInt i = 0; i < fe->unknowns; i++) last[i] = i;
  for (PetscInt i = 0; i < fe->nodes; i++) { /* a node's own */
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    reach_back(fe->body[fe->node_body[i]].node_unknowns, unknown, last);
  }
  for (NsFeComponent c = {0}; NsFeNext(fe, &c);) {
    PetscInt       unknown[NS_COMPONENT_NODES * NS_NODE_UNKNOWNS], node[NS_COMPONENT_NODES], n = 0;
    const PetscInt nodes = NsFeComponentNodes(fe, &c, node);
    for (PetscInt k = 0; k < nodes; k++) {
      const PetscInt *own = NsFeNodeUnknowns(fe, node[k]);
      for (PetscInt a = 0; a < fe->body[fe->node_body[node[k]]].node_unknowns; a++) unknown[n++] = own[a];
    }
    reach_back(n, unknown, last);
  }
  for (PetscInt j = 0; j < fe->unknowns; j++) {
    *widest = PetscMax(*widest, last[j] - j);
    reach   = PetscMax(reach, last[j]);
    *entries += 2 * (PetscReal)(reach - j) + 1;
  }
  PetscCall(PetscFree(last));
  PetscFunctionReturn(0);
}

static PetscErrorCode suits(const NsFe *fe, NsSuitability *suitability, char *why, size_t size)
{
  PetscReal entries;
  PetscInt  widest;

  PetscFunctionBegin;
  PetscCall(measure(fe, &entries, &widest));
  /* Pieces of several processes overlap by more than a row's reach, and solve with M alone. */
  const PetscBool in_pieces = fe->ranks == 1 || (widest <= NS_MOST_REACH && fe->parting.pieces && !fe->needs.stiffness);
  *suitability              = entries <= (PetscReal)NS_NARROW * (PetscReal)fe->unknowns ? NS_SUITS : NS_SUITS_IF_ASKED;
  if (entries > NS_MOST_ENTRIES) {
    *suitability = NS_SUITS_NOT;
    snprintf(
      why, size, "the bandwidth of the matrices is too large for banded: %.3g entries each, the limit is %g; use petsc", entries, NS_MOST_ENTRIES);
  } else if (!in_pieces) {
    *suitability = NS_SUITS_NOT;
    snprintf(why, size, "banded on several processes does not support this model or this scheme; use petsc");
  }
  PetscFunctionReturn(0);
}

/* Owned unknowns are consecutive; the overlap is on both sides of them. */
static void need_rows(const NsBackEnd *back_end, PetscBool *mine)
{
  const NsFe *fe  = back_end->fe;
  PetscInt    low = fe->unknowns, high = -1, most = 1;

  for (PetscInt b = 0; b < fe->bodies; b++) most = PetscMax(most, fe->body[b].node_unknowns);
  for (PetscInt i = 0; i < fe->unknowns; i++) {
    if (!mine[i]) continue;
    low  = PetscMin(low, i);
    high = i;
  }
  if (high < 0) return;
  for (PetscInt i = PetscMax(0, low - NS_OVERLAP * most); i <= PetscMin(fe->unknowns - 1, high + NS_OVERLAP * most); i++) mine[i] = PETSC_TRUE;
}

/* Keeps rows and columns low .. low + n - 1, numbered from 0. */
static void cut_window(NsSparse *matrix, PetscInt low, PetscInt n)
{
  PetscInt at = 0;

  for (PetscInt r = 0, k = 0; r < matrix->rows; r++) {
    const PetscInt end = matrix->start[r + 1];
    for (; k < end; k++) {
      if (matrix->column[k] < low || matrix->column[k] >= low + n) continue;
      matrix->column[at]  = matrix->column[k] - low;
      matrix->value[at++] = matrix->value[k];
    }
    matrix->start[r + 1] = at;
  }
}

static PetscErrorCode take_window(NsBackEnd *back_end, Banded *self)
{
  NsSparse *matrix[4] = {&back_end->M, &back_end->K, &back_end->C, back_end->dampers.value == back_end->C.value ? NULL : &back_end->dampers};

  PetscFunctionBegin;
  self->n = back_end->M.rows;
  if (!back_end->M.row) PetscFunctionReturn(0);
  self->low = self->n ? back_end->M.row[0] : 0;
  for (int i = 0; i < 4; i++) {
    if (!matrix[i] || !matrix[i]->start) continue;
    cut_window(matrix[i], self->low, self->n);
    PetscCall(PetscFree(matrix[i]->row));
  }
  if (!matrix[3]) back_end->dampers = back_end->C;
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsBackEnd *back_end, PetscInt slot, NsOperator op, PetscBool symmetric);

/* PETSc has natural order. */
static PetscErrorCode solve_by_petsc(NsBackEnd *back_end, PetscInt slot, PetscReal *b, PetscReal *x)
{
  Banded *self = back_end->data;

  PetscFunctionBegin;
  if (self->lanes) {
    PetscCall(NsLayoutCollect(back_end->layout, b, self->b));
    PetscCall(NsBackEndType_Petsc.solve(&self->petsc, slot, self->b, self->x));
    NsLayoutSpread(back_end->layout, self->x, x);
  } else
    PetscCall(NsBackEndType_Petsc.solve(&self->petsc, slot, b, x));
  PetscFunctionReturn(0);
}

/* x = A^-1 b of a slot, on this process alone; b and x must not overlap. */
static PetscErrorCode solve_here(NsBackEnd *back_end, PetscInt slot, PetscReal *b, PetscReal *x)
{
  Banded *self = back_end->data;

  PetscFunctionBegin;
  if (!self->banded[slot]) {
    PetscCall(solve_by_petsc(back_end, slot, b, x));
  } else if (self->lanes) {
    NsLanesSolve(self->lanes, self->lane_factor[slot], b, x);
    for (PetscInt i = 0; i < self->n && self->mass[slot] != 1; i++) x[i] /= self->mass[slot];
  } else
    NsBandSolve(&self->factor[slot], b, x);
  PetscFunctionReturn(0);
}

/* How much the ends of the overlap affect owned unknowns: it must be below rounding. */
static PetscErrorCode check_overlap(NsBackEnd *back_end, Banded *self)
{
  const NsLayout *layout = back_end->layout;
  PetscReal       worst  = 0, *x;

  PetscFunctionBegin;
  PetscCall(factor(back_end, 0, (NsOperator){1, 0, 0}, PETSC_TRUE));
  PetscCall(PetscMalloc1(self->n, &x));
  for (int end = 0; end < 2 && self->n; end++) {
    const PetscInt natural = self->low + (end ? self->n - 1 : 0), at = NsLayoutIndex(layout, natural);
    if (natural == 0 || natural == layout->unknowns - 1) continue; /* nothing lies beyond */
    PetscCall(PetscArrayzero(self->work, self->n));
    self->work[at] = 1;
    PetscCall(solve_here(back_end, 0, self->work, x));
    for (PetscInt i = 0; i < self->n; i++) {
      if (NsLayoutOwns(layout, i)) worst = PetscMax(worst, PetscAbsReal(x[i] / x[at]));
    }
  }
  PetscCall(PetscFree(x));
  PetscCall(NsLayoutMax(layout, &worst));
  if (worst > PETSC_MACHINE_EPSILON / 16)
    NsDiagError(back_end->fe->diag, NsKeysPlace(back_end->fe->config->where, "free_dynamics"),
      "pieces of this chain affect each other across more than %d nodes; use free_dynamics: petsc on several processes", NS_OVERLAP);
  PetscFunctionReturn(0);
}

static PetscErrorCode take_bands(NsBackEnd *back_end, Banded *self)
{
  PetscFunctionBegin;
  PetscCall(NsProfileCreate(1, (const NsSparse *[]){&back_end->M}, &self->own));
  PetscCall(NsProfileCreate(3, (const NsSparse *[]){&back_end->K, &back_end->M, &back_end->C}, &self->all));
  PetscCall(NsProfileTake(&self->own, &back_end->M, &self->M));
  PetscCall(NsProfileTake(&self->all, &back_end->K, &self->K));
  if (back_end->rates) PetscCall(NsProfileTake(&self->all, &back_end->C, &self->C));
  self->dampers = self->C;
  if (back_end->damped && back_end->dampers.value != back_end->C.value) PetscCall(NsProfileTake(&self->all, &back_end->dampers, &self->dampers));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(NsBackEnd *back_end)
{
  Banded *self = NsArenaAlloc(back_end->fe->arena, sizeof(*self));

  PetscFunctionBegin;
  back_end->data = self;
  PetscCall(take_window(back_end, self));
  if (!back_end->fe->mass_varies && !back_end->fe->forces.gyros && !back_end->fe->massless)
    PetscCall(NsLanesCreate(&back_end->M, &back_end->K, &back_end->C, &back_end->dampers, &self->lanes));
  if (!self->lanes) PetscCall(take_bands(back_end, self));
  PetscCall(PetscMalloc1(self->n, &self->work));
  if (self->lanes || back_end->fe->owner_of)
    PetscCall(NsFeLayoutRange(back_end->fe, self->low, self->n, self->lanes ? NsLanesNatural(self->lanes) : NULL, &back_end->layout));
  else
    PetscCall(NsLayoutCreateIdentity(back_end->fe->unknowns, &back_end->layout));
  if (!back_end->fe->needs.stiffness) PetscCall(NsBackEndFreeMatrices(back_end));
  if (back_end->fe->owner_of) {
    PetscCall(check_overlap(back_end, self));
    PetscFunctionReturn(0);
  }
  self->petsc = *back_end;
  PetscCall(NsBackEndType_Petsc.create(&self->petsc));
  PetscCall(PetscMalloc2(self->n, &self->b, self->n, &self->x));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsBackEnd *back_end)
{
  Banded *self = back_end->data;

  PetscFunctionBegin;
  for (int slot = 0; slot < NS_SLOTS; slot++) {
    PetscCall(NsBandFactorDestroy(&self->factor[slot]));
    PetscCall(NsLanesFactorDestroy(&self->lane_factor[slot]));
  }
  if (self->lanes)
    PetscCall(NsLanesDestroy(&self->lanes));
  else {
    PetscCall(NsProfileDestroy(&self->own));
    PetscCall(NsProfileDestroy(&self->all));
  }
  if (self->dampers != self->C) PetscCall(PetscFree(self->dampers));
  PetscCall(PetscFree(self->C));
  PetscCall(PetscFree(self->K));
  PetscCall(PetscFree(self->M));
  PetscCall(PetscFree(self->work));
  if (self->petsc.data) PetscCall(NsBackEndType_Petsc.destroy(&self->petsc));
  PetscCall(PetscFree2(self->b, self->x));
  PetscFunctionReturn(0);
}

/* Ghosts of what forces depend on. */
static PetscErrorCode exchange(NsBackEnd *back_end, PetscReal *q, PetscReal *v)
{
  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(back_end->layout, back_end->rates ? 2 : 1, (PetscReal *[]){q, v}));
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsBackEnd *back_end, PetscReal *q, PetscReal *v, PetscReal *h)
{
  const Banded *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(exchange(back_end, q, v));
  if (self->lanes)
    NsLanesForce(self->lanes, q, v, h);
  else
    NsBandForce(&self->all, self->K, self->C, q, v, h);
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsBackEnd *back_end, PetscReal *x, PetscReal *y)
{
  const Banded *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(back_end->layout, 1, &x));
  if (self->lanes)
    NsLanesMult(self->lanes, x, y);
  else
    NsBandMult(&self->own, self->M, x, y);
  PetscFunctionReturn(0);
}

static PetscErrorCode factor_band(Banded *self, PetscInt slot, const NsSparse *A, PetscBool by_mass)
{
  const NsProfile *profile = by_mass ? &self->own : &self->all;
  PetscReal       *value;

  PetscFunctionBegin;
  PetscCall(NsProfileTake(profile, A, &value));
  PetscCall(NsBandFactorDestroy(&self->factor[slot]));
  PetscCall(NsBandFactorCreate(profile, &self->factor[slot]));
  self->banded[slot] = NsBandFactorize(&self->factor[slot], value);
  PetscCall(PetscFree(value));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsBackEnd *back_end, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  Banded         *self    = back_end->data;
  const PetscBool by_mass = NsOperatorIsMass(back_end, op);
  NsSparse        A;

  PetscFunctionBegin;
  self->banded[slot] = PETSC_FALSE;
  self->mass[slot]   = 1;
  PetscCall(NsLanesFactorDestroy(&self->lane_factor[slot]));
  if (self->lanes && by_mass) { /* lanes have that factor */
    self->mass[slot]   = op.mass;
    self->banded[slot] = PETSC_TRUE;
  } else if (symmetric) {
    PetscCall(NsBackEndOperator(back_end, op, &A));
    if (self->lanes) {
      PetscCall(NsLanesFactorCreate(self->lanes, &A, &self->lane_factor[slot]));
      self->banded[slot] = self->lane_factor[slot] != NULL;
    } else
      PetscCall(factor_band(self, slot, &A, by_mass));
    PetscCall(NsSparseDestroy(&A));
  }
  if (self->banded[slot]) PetscFunctionReturn(0);
  PetscCheck(self->petsc.data, PETSC_COMM_SELF, PETSC_ERR_PLIB, "an operator without a banded factor, on several processes");
  PetscCall(NsBackEndType_Petsc.factor(&self->petsc, slot, op, symmetric));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(NsBackEnd *back_end, PetscInt slot, PetscReal *b, PetscReal *x)
{
  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(back_end->layout, 1, &b));
  PetscCall(solve_here(back_end, slot, b, x));
  PetscFunctionReturn(0);
}

/* Ghosts of q, v and h are valid. */
static void accelerate(Banded *self, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a)
{
  if (self->lanes) {
    NsLanesAccel(self->lanes, q, v, h, a);
    return;
  }
  for (PetscInt i = 0; i < self->n; i++) self->work[i] = h ? h[i] : 0;
  NsBandForce(&self->all, self->K, self->C, q, v, self->work);
  NsBandSolve(&self->factor[0], self->work, a);
}

static PetscErrorCode accel(NsBackEnd *back_end, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a)
{
  PetscFunctionBegin;
  PetscCall(exchange(back_end, q, v));
  accelerate(back_end->data, q, v, h, a);
  PetscFunctionReturn(0);
}

/* Ghosts get the state of their owners, so that q1 and va are predicted there with the same bits: rigid motion makes no force between processes either. */
static PetscErrorCode flight(
  NsBackEnd *back_end, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1)
{
  Banded *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(back_end->layout, 3, (PetscReal *[]){q0, v0, a0}));
  if (self->lanes) {
    NsLanesFlight(self->lanes, dt, q0, v0, a0, h, q1, v1, a1);
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; i < self->n; i++) {
    q1[i] = q0[i] + dt * (v0[i] + dt / 2 * a0[i]);
    v1[i] = v0[i] + dt * a0[i]; /* va, until a1 is known */
  }
  accelerate(self, q1, v1, h, a1);
  for (PetscInt i = 0; i < self->n; i++) v1[i] = v0[i] + dt / 2 * (a0[i] + a1[i]);
  PetscFunctionReturn(0);
}

static PetscErrorCode product(NsBackEnd *back_end, PetscBool dampers, PetscReal *x, PetscReal *y, PetscReal *sum)
{
  Banded         *self   = back_end->data;
  const NsLayout *layout = back_end->layout;
  PetscInt        first = 0, end = layout->local;

  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(back_end->layout, 1, &y));
  if (self->lanes) {
    if (layout->ranks > 1) { /* ghosts are zero on one side of the product */
      PetscCall(PetscArraycpy(self->work, x, self->n));
      for (PetscInt k = 0; k < layout->receive_start[layout->neighbours]; k++) self->work[layout->receive[k]] = 0;
      x = self->work;
    }
    *sum = dampers ? NsLanesDampersProduct(self->lanes, x, y) : NsLanesMassProduct(self->lanes, x, y);
  } else {
    while (first < end && !NsLayoutOwns(layout, first)) first++;
    while (end > first && !NsLayoutOwns(layout, end - 1)) end--;
    *sum = dampers ? NsBandProduct(&self->all, self->dampers, first, end, x, y) : NsBandProduct(&self->own, self->M, first, end, x, y);
  }
  PetscCall(NsLayoutSum(layout, 1, sum));
  PetscFunctionReturn(0);
}

const NsBackEndType NsBackEndType_Banded = {
  .suits     = suits,
  .need_rows = need_rows,
  .create    = create,
  .destroy   = destroy,
  .accel     = accel,
  .flight    = flight,
  .force     = force,
  .mult      = mult,
  .factor    = factor,
  .solve     = solve,
  .product   = product,
};
