/*
  Back end `banded`: M, C, K and the factors in narrow rows. Short chains have them in natural order (src/fe/banded.h): a step costs its arithmetic and little else. Long
  ones are worked on in eight pieces at once (src/fe/lanes.h), with vectors in an order to suit.

  Operators that are not symmetric (implicit schemes with gyroscopic terms) have no Cholesky factor: these slots go to PETSc.

  Several processes have a piece of the chain each, and of their neighbours' so many unknowns (NS_OVERLAP nodes) that what lies beyond has no effect on its own:
  the inverse of a mass matrix falls off by 0.268 a node of a bar, which is measured here. A process solves for its piece with the overlap, and needs one message from
  each neighbour a step: the state there.
*/
#include "banded.h"
#include "free.h"
#include "lanes.h"

#define NS_OVERLAP 64 /* nodes */

typedef struct {
  PetscInt       low, n;                /* natural numbers low .. low + n - 1 are here */
  NsProfile      own, all;              /* of M, and of all matrices */
  PetscReal     *M;                     /* in profile `own` */
  PetscReal     *C, *K;                 /* in profile `all`; C NULL without damping and spin */
  PetscReal     *dampers;               /* C itself where nothing spins; NULL without */
  PetscReal     *work;                  /* [n] */
  NsLanes       *lanes;                 /* NULL: the chain is short; else M, C, K and their profiles are not here */
  NsLanesFactor *lane_factor[NS_SLOTS]; /* NULL: of M */
  PetscReal      mass[NS_SLOTS];        /* times which */
  NsBandFactor   factor[NS_SLOTS];
  PetscBool      banded[NS_SLOTS]; /* the slot is here, not with PETSc */
  NsFreeDynamics petsc;            /* shares the matrices; one process only */
  PetscReal     *b, *x;            /* [n] for it, in natural order */
} NsBackEndData_Banded;

/* Owned unknowns are consecutive; so many on both sides of them. */
static void want(const NsFreeDynamics *free, PetscBool *mine)
{
  const NsFe *fe  = free->fe;
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

/* The square of rows and columns low .. low + n - 1, numbered from 0. */
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

static PetscErrorCode take_window(NsFreeDynamics *free, NsBackEndData_Banded *self)
{
  NsSparse *matrix[4] = {&free->M, &free->K, &free->C, free->dampers.value == free->C.value ? NULL : &free->dampers};

  PetscFunctionBegin;
  self->n = free->M.rows;
  if (!free->M.row) PetscFunctionReturn(0);
  self->low = self->n ? free->M.row[0] : 0;
  for (int i = 0; i < 4; i++) {
    if (!matrix[i] || !matrix[i]->start) continue;
    cut_window(matrix[i], self->low, self->n);
    PetscCall(PetscFree(matrix[i]->row));
  }
  if (!matrix[3]) free->dampers = free->C;
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsFreeDynamics *free, PetscInt slot, NsOperator op, PetscBool symmetric);

/* PETSc has natural order. */
static PetscErrorCode solve_by_petsc(NsFreeDynamics *free, PetscInt slot, PetscReal *b, PetscReal *x)
{
  NsBackEndData_Banded *self = free->data;

  PetscFunctionBegin;
  if (self->lanes) {
    PetscCall(NsLayoutCollect(free->layout, b, self->b));
    PetscCall(NsBackEnd_Petsc.solve(&self->petsc, slot, self->b, self->x));
    NsLayoutSpread(free->layout, self->x, x);
  } else
    PetscCall(NsBackEnd_Petsc.solve(&self->petsc, slot, b, x));
  PetscFunctionReturn(0);
}

/* x = A^-1 b of what is in a slot, without other processes; b and x are two arrays. */
static PetscErrorCode solve_here(NsFreeDynamics *free, PetscInt slot, PetscReal *b, PetscReal *x)
{
  NsBackEndData_Banded *self = free->data;

  PetscFunctionBegin;
  if (!self->banded[slot]) {
    PetscCall(solve_by_petsc(free, slot, b, x));
  } else if (self->lanes) {
    NsLanesSolve(self->lanes, self->lane_factor[slot], b, x);
    for (PetscInt i = 0; i < self->n && self->mass[slot] != 1; i++) x[i] /= self->mass[slot];
  } else
    NsBandSolve(&self->factor[slot], b, x);
  PetscFunctionReturn(0);
}

/* What the end of the overlap does to what is owned: a bug, or a mass matrix unlike any, if it is more than rounding. */
static PetscErrorCode check_overlap(NsFreeDynamics *free, NsBackEndData_Banded *self)
{
  const NsLayout *layout = free->layout;
  PetscReal       worst  = 0, *x;

  PetscFunctionBegin;
  PetscCall(factor(free, 0, (NsOperator){1, 0, 0}, PETSC_TRUE));
  PetscCall(PetscMalloc1(self->n, &x));
  for (int end = 0; end < 2 && self->n; end++) {
    const PetscInt natural = self->low + (end ? self->n - 1 : 0), at = NsLayoutPlace(layout, natural);
    if (natural == 0 || natural == layout->unknowns - 1) continue; /* nothing lies beyond */
    PetscCall(PetscArrayzero(self->work, self->n));
    self->work[at] = 1;
    PetscCall(solve_here(free, 0, self->work, x));
    for (PetscInt i = 0; i < self->n; i++) {
      if (NsLayoutOwns(layout, i)) worst = PetscMax(worst, PetscAbsReal(x[i] / x[at]));
    }
  }
  PetscCall(PetscFree(x));
  PetscCall(NsLayoutMax(layout, &worst));
  if (worst > PETSC_MACHINE_EPSILON / 16)
    NsDiagError(free->fe->diag, NsKeysPlace(free->fe->config->where, "free_dynamics"),
      "pieces of this chain reach further into each other than %d nodes: on several processes it needs free_dynamics: petsc", NS_OVERLAP);
  PetscFunctionReturn(0);
}

static PetscErrorCode take_bands(NsFreeDynamics *free, NsBackEndData_Banded *self)
{
  PetscFunctionBegin;
  PetscCall(NsProfileCreate(1, (const NsSparse *[]){&free->M}, &self->own));
  PetscCall(NsProfileCreate(3, (const NsSparse *[]){&free->K, &free->M, &free->C}, &self->all));
  PetscCall(NsProfileTake(&self->own, &free->M, &self->M));
  PetscCall(NsProfileTake(&self->all, &free->K, &self->K));
  if (free->rates) PetscCall(NsProfileTake(&self->all, &free->C, &self->C));
  self->dampers = self->C;
  if (free->damped && free->dampers.value != free->C.value) PetscCall(NsProfileTake(&self->all, &free->dampers, &self->dampers));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(NsFreeDynamics *free)
{
  NsBackEndData_Banded *self = NsArenaAlloc(free->fe->arena, sizeof(*self));

  PetscFunctionBegin;
  free->data = self;
  PetscCall(take_window(free, self));
  if (!free->fe->mass_varies && !free->fe->forces.gyros && !free->fe->massless)
    PetscCall(NsLanesCreate(&free->M, &free->K, &free->C, &free->dampers, &self->lanes));
  if (!self->lanes) PetscCall(take_bands(free, self));
  PetscCall(PetscMalloc1(self->n, &self->work));
  if (self->lanes || free->fe->owner_of)
    PetscCall(NsFeLayoutRange(free->fe, self->low, self->n, self->lanes ? NsLanesNatural(self->lanes) : NULL, &free->layout));
  else
    PetscCall(NsLayoutCreateIdentity(free->fe->unknowns, &free->layout));
  if (!free->fe->config->solves_stiffness) PetscCall(NsFreeDynamicsForget(free));
  if (free->fe->owner_of) {
    PetscCall(check_overlap(free, self));
    PetscFunctionReturn(0);
  }
  self->petsc = *free;
  PetscCall(NsBackEnd_Petsc.create(&self->petsc));
  PetscCall(PetscMalloc2(self->n, &self->b, self->n, &self->x));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsFreeDynamics *free)
{
  NsBackEndData_Banded *self = free->data;

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
  if (self->petsc.data) PetscCall(NsBackEnd_Petsc.destroy(&self->petsc));
  PetscCall(PetscFree2(self->b, self->x));
  PetscFunctionReturn(0);
}

/* Ghosts of what forces depend on. */
static PetscErrorCode exchange(NsFreeDynamics *free, PetscReal *q, PetscReal *v)
{
  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(free->layout, free->rates ? 2 : 1, (PetscReal *[]){q, v}));
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsFreeDynamics *free, PetscReal *q, PetscReal *v, PetscReal *h)
{
  const NsBackEndData_Banded *self = free->data;

  PetscFunctionBegin;
  PetscCall(exchange(free, q, v));
  if (self->lanes)
    NsLanesForce(self->lanes, q, v, h);
  else
    NsBandForce(&self->all, self->K, self->C, q, v, h);
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsFreeDynamics *free, PetscReal *x, PetscReal *y)
{
  const NsBackEndData_Banded *self = free->data;

  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(free->layout, 1, &x));
  if (self->lanes)
    NsLanesMult(self->lanes, x, y);
  else
    NsBandMult(&self->own, self->M, x, y);
  PetscFunctionReturn(0);
}

static PetscErrorCode factor_band(NsBackEndData_Banded *self, PetscInt slot, const NsSparse *A, PetscBool by_mass)
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

static PetscErrorCode factor(NsFreeDynamics *free, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  NsBackEndData_Banded *self    = free->data;
  const PetscBool       by_mass = NsOperatorIsMass(free, op);
  NsSparse              A;

  PetscFunctionBegin;
  self->banded[slot] = PETSC_FALSE;
  self->mass[slot]   = 1;
  PetscCall(NsLanesFactorDestroy(&self->lane_factor[slot]));
  if (self->lanes && by_mass) { /* it has that factor */
    self->mass[slot]   = op.mass;
    self->banded[slot] = PETSC_TRUE;
  } else if (symmetric) {
    PetscCall(NsFreeDynamicsOperator(free, op, &A));
    if (self->lanes) {
      PetscCall(NsLanesFactorCreate(self->lanes, &A, &self->lane_factor[slot]));
      self->banded[slot] = self->lane_factor[slot] ? PETSC_TRUE : PETSC_FALSE;
    } else
      PetscCall(factor_band(self, slot, &A, by_mass));
    PetscCall(NsSparseDestroy(&A));
  }
  if (self->banded[slot]) PetscFunctionReturn(0);
  PetscCheck(self->petsc.data, PETSC_COMM_SELF, PETSC_ERR_PLIB, "an operator without a banded factor, on several processes");
  PetscCall(NsBackEnd_Petsc.factor(&self->petsc, slot, op, symmetric));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(NsFreeDynamics *free, PetscInt slot, PetscReal *b, PetscReal *x)
{
  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(free->layout, 1, &b));
  PetscCall(solve_here(free, slot, b, x));
  PetscFunctionReturn(0);
}

/* Ghosts of q, v and h are right. */
static void accelerate(NsBackEndData_Banded *self, const PetscReal *q, const PetscReal *v, const PetscReal *h, PetscReal *a)
{
  if (self->lanes) {
    NsLanesAccel(self->lanes, q, v, h, a);
    return;
  }
  for (PetscInt i = 0; i < self->n; i++) self->work[i] = h ? h[i] : 0;
  NsBandForce(&self->all, self->K, self->C, q, v, self->work);
  NsBandSolve(&self->factor[0], self->work, a);
}

static PetscErrorCode accel(NsFreeDynamics *free, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a)
{
  PetscFunctionBegin;
  PetscCall(exchange(free, q, v));
  accelerate(free->data, q, v, h, a);
  PetscFunctionReturn(0);
}

/* Ghosts get the state of their owners, from which the same formula predicts the same q1 and va to the last bit: a rigid motion makes no force across processes either. */
static PetscErrorCode flight(
  NsFreeDynamics *free, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1)
{
  NsBackEndData_Banded *self = free->data;

  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(free->layout, 3, (PetscReal *[]){q0, v0, a0}));
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

/* x' M y, or x' D y with the dampers, over the unknowns that are owned here, and of all processes. */
static PetscErrorCode form(NsFreeDynamics *free, PetscBool dampers, PetscReal *x, PetscReal *y, PetscReal *sum)
{
  NsBackEndData_Banded *self   = free->data;
  const NsLayout       *layout = free->layout;
  PetscInt              first = 0, end = layout->local;

  PetscFunctionBegin;
  PetscCall(NsLayoutExchange(free->layout, 1, &y));
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

static PetscErrorCode kinetic(NsFreeDynamics *free, PetscReal *v, PetscReal *energy)
{
  PetscFunctionBegin;
  PetscCall(form(free, PETSC_FALSE, v, v, energy));
  *energy /= 2;
  PetscFunctionReturn(0);
}

static PetscErrorCode damping(NsFreeDynamics *free, PetscReal *v, PetscReal *w, PetscReal *power)
{
  PetscFunctionBegin;
  PetscCall(form(free, PETSC_TRUE, w, v, power));
  PetscFunctionReturn(0);
}

const NsBackEnd NsBackEnd_Banded = {"banded", want, PETSC_FALSE, create, destroy, accel, flight, force, mult, factor, solve, kinetic, damping};
