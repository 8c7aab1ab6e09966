/*
  Back end `lumped`: models whose mass matrix is diagonal, on one process or several (src/fe/backend/lumped/lumped.h). A flight is one pass over the mesh; of a bar also over its vectors.

  fe->owner_of says which unknowns a process owns. Operators with stiffness or damping (implicit schemes) are not diagonal: these slots are left to the back end petsc.
*/
#include "backend.h"
#include "lumped/lumped.h"

typedef struct {
  NsLumped  *lumped;
  PetscReal *work;              /* [owned] */
  PetscReal  mass[NS_SLOTS];    /* m of the slot's operator m M; 0: the slot is left to petsc */
  NsBackEnd  petsc;             /* shares the matrices; created for the first slot that needs it: data is NULL until then */
  PetscReal *petsc_b, *petsc_x; /* in the order of its layout */
} Lumped;

static PetscErrorCode suits(const NsFe *fe, NsSuitability *suitability, char *why, size_t size)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!fe->body[b].bounds) continue;
    *suitability = NS_SUITS_NOT;
    snprintf(why, size, "lumped does not support bodies given by matrices, such as '%s'; use petsc or banded", fe->body[b].name);
    PetscFunctionReturn(0);
  }
  *suitability = !NsFeMassIsDiagonal(fe) ? NS_SUITS_NOT : fe->needs.stiffness ? NS_SUITS_IF_ASKED : NS_SUITS;
  snprintf(why, size,
    "lumped needs a diagonal mass matrix: `mass: lumped` for every body, masses and discs only at nodes, and the axes of discs along axes of the node's DOF");
  PetscFunctionReturn(0);
}

static PetscErrorCode create(NsBackEnd *back_end)
{
  Lumped   *self = NsArenaAlloc(back_end->fe->arena, sizeof(*self));
  NsLumped *lumped;

  PetscFunctionBegin;
  PetscCall(NsLumpedCreate(back_end->fe, &back_end->M, back_end->fe->rank, back_end->fe->owner_of, &self->lumped));
  lumped = self->lumped;
  if (back_end->fe->owner_of)
    PetscCall(NsLayoutCreate(back_end->fe->comm, back_end->fe->unknowns, lumped->local, lumped->natural, lumped->owner, &back_end->layout));
  else
    PetscCall(NsLayoutCreateIdentity(back_end->fe->unknowns, &back_end->layout));
  if (lumped->damped) PetscCall(PetscMalloc1(lumped->owned, &self->work));
  back_end->data = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsBackEnd *back_end)
{
  Lumped *self = back_end->data;

  PetscFunctionBegin;
  if (self->petsc.data) {
    PetscCall(NsBackEndType_Petsc.destroy(&self->petsc));
    PetscCall(NsLayoutDestroy(&self->petsc.layout));
    PetscCall(PetscFree2(self->petsc_b, self->petsc_x));
  }
  PetscCall(PetscFree(self->work));
  PetscCall(NsLumpedDestroy(&self->lumped));
  PetscFunctionReturn(0);
}

/* Ghosts of x, and, where there is damping, of v. */
static PetscErrorCode exchange(NsBackEnd *back_end, PetscReal *x, PetscReal *v)
{
  const Lumped *self = back_end->data;

  PetscFunctionBegin;
  if (back_end->fe->owner_of) PetscCall(NsLayoutExchange(back_end->layout, self->lumped->damped ? 2 : 1, (PetscReal *[2]){x, v}));
  PetscFunctionReturn(0);
}

static PetscErrorCode accel(NsBackEnd *back_end, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a)
{
  Lumped *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(exchange(back_end, q, v));
  NsLumpedAccel(self->lumped, q, v, h, a);
  PetscFunctionReturn(0);
}

static PetscErrorCode flight(
  NsBackEnd *back_end, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1)
{
  Lumped *self = back_end->data;

  PetscFunctionBegin;
  NsLumpedPredict(self->lumped, dt, q0, v0, a0, q1, v1);
  PetscCall(exchange(back_end, q1, v1));
  NsLumpedFlight(self->lumped, dt, q0, v0, a0, h, q1, v1, a1);
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsBackEnd *back_end, PetscReal *q, PetscReal *v, PetscReal *h)
{
  Lumped *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(exchange(back_end, q, v));
  NsLumpedForce(self->lumped, q, v, h);
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsBackEnd *back_end, PetscReal *x, PetscReal *y)
{
  const Lumped *self = back_end->data;

  PetscFunctionBegin;
  NsLumpedMult(self->lumped, 0, self->lumped->owned, x, y);
  PetscFunctionReturn(0);
}

static PetscErrorCode start_petsc(NsBackEnd *back_end)
{
  Lumped *self = back_end->data;

  PetscFunctionBegin;
  if (self->petsc.data) PetscFunctionReturn(0);
  self->petsc        = *back_end;
  self->petsc.data   = NULL;
  self->petsc.layout = NULL;
  PetscCall(NsBackEndType_Petsc.create(&self->petsc));
  PetscCall(PetscCalloc2(self->petsc.layout->local, &self->petsc_b, self->petsc.layout->local, &self->petsc_x));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsBackEnd *back_end, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  Lumped         *self    = back_end->data;
  const PetscBool by_mass = op.stiffness == 0 && (op.damping == 0 || !self->lumped->damped);

  PetscFunctionBegin;
  self->mass[slot] = by_mass ? op.mass : 0;
  if (!by_mass) {
    PetscCall(start_petsc(back_end));
    PetscCall(NsBackEndType_Petsc.factor(&self->petsc, slot, op, symmetric));
  }
  PetscFunctionReturn(0);
}

/* Both layouts have the same unknowns of this process, in different orders. */
static PetscErrorCode solve(NsBackEnd *back_end, PetscInt slot, PetscReal *b, PetscReal *x)
{
  Lumped         *self  = back_end->data;
  const NsLayout *other = self->petsc.layout;

  PetscFunctionBegin;
  if (self->mass[slot] != 0) {
    NsLumpedSolve(self->lumped, self->mass[slot], b, x);
    PetscFunctionReturn(0);
  }
  for (PetscInt p = 0; p < self->lumped->owned; p++) self->petsc_b[NsLayoutIndex(other, NsLayoutNatural(back_end->layout, p))] = b[p];
  PetscCall(NsBackEndType_Petsc.solve(&self->petsc, slot, self->petsc_b, self->petsc_x));
  for (PetscInt p = 0; p < self->lumped->owned; p++) x[p] = self->petsc_x[NsLayoutIndex(other, NsLayoutNatural(back_end->layout, p))];
  PetscFunctionReturn(0);
}

/* The same bits on any number of processes. */
static PetscErrorCode product(NsBackEnd *back_end, PetscBool dampers, PetscReal *x, PetscReal *y, PetscReal *sum)
{
  Lumped    *self   = back_end->data;
  NsLumped  *lumped = self->lumped;
  PetscReal  block[NS_LUMPED_BLOCK];
  NsExactSum exact = {{0}};

  PetscFunctionBegin;
  if (dampers) {
    if (back_end->fe->owner_of) PetscCall(NsLayoutExchange(back_end->layout, 1, &y));
    NsLumpedDamping(lumped, y, self->work);
    NsExactSumAddProducts(&exact, lumped->owned, x, self->work);
  }
  for (PetscInt p = 0; p < lumped->owned && !dampers; p += NS_LUMPED_BLOCK) {
    const PetscInt n = PetscMin(NS_LUMPED_BLOCK, lumped->owned - p);
    NsLumpedMult(lumped, p, n, y + p, block);
    NsExactSumAddProducts(&exact, n, block, x + p);
  }
  PetscCall(NsExactSumReduce(&exact, back_end->layout->comm));
  *sum = NsExactSumValue(&exact);
  PetscFunctionReturn(0);
}

const NsBackEndType NsBackEndType_Lumped = {
  .suits       = suits,
  .by_elements = PETSC_TRUE,
  .exact_sums  = PETSC_TRUE,
  .create      = create,
  .destroy     = destroy,
  .accel       = accel,
  .flight      = flight,
  .force       = force,
  .mult        = mult,
  .factor      = factor,
  .solve       = solve,
  .product     = product,
};
