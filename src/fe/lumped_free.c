/*
  Back end `lumped`: models whose mass matrix is diagonal, on one process or several (src/fe/lumped.h). A flight is one pass over the mesh; of a bar also over its vectors.

  What it owns is what fe->owner_of says. Operators with stiffness or damping (implicit schemes) are no diagonals: those slots go to PETSc.
*/
#include "free.h"
#include "lumped.h"

typedef struct {
  NsLumped      *lumped;
  PetscReal     *work;              /* [owned] */
  PetscReal      mass[NS_SLOTS];    /* of the slot's operator, 0: it is with PETSc */
  NsFreeDynamics petsc;             /* shares the matrices; made for the first slot that needs it: data is NULL until then */
  PetscReal     *petsc_b, *petsc_x; /* in the order of its layout */
} NsBackEndData_Lumped;

static PetscErrorCode create(NsFreeDynamics *free)
{
  NsBackEndData_Lumped *self = NsArenaAlloc(free->fe->arena, sizeof(*self));
  NsLumped             *lumped;

  PetscFunctionBegin;
  PetscCall(NsLumpedCreate(free->fe, &free->M, free->fe->rank, free->fe->owner_of, &self->lumped));
  lumped = self->lumped;
  if (free->fe->owner_of)
    PetscCall(NsLayoutCreate(free->fe->comm, free->fe->unknowns, lumped->local, lumped->natural, lumped->owner, &free->layout));
  else
    PetscCall(NsLayoutCreateIdentity(free->fe->unknowns, &free->layout));
  if (lumped->damped) PetscCall(PetscMalloc1(lumped->owned, &self->work));
  free->data = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsFreeDynamics *free)
{
  NsBackEndData_Lumped *self = free->data;

  PetscFunctionBegin;
  if (self->petsc.data) {
    PetscCall(NsBackEnd_Petsc.destroy(&self->petsc));
    PetscCall(NsLayoutDestroy(&self->petsc.layout));
    PetscCall(PetscFree2(self->petsc_b, self->petsc_x));
  }
  PetscCall(PetscFree(self->work));
  PetscCall(NsLumpedDestroy(&self->lumped));
  PetscFunctionReturn(0);
}

/* Ghosts of x, and, where there is damping, of v. */
static PetscErrorCode exchange(NsFreeDynamics *free, PetscReal *x, PetscReal *v)
{
  const NsBackEndData_Lumped *self = free->data;

  PetscFunctionBegin;
  if (free->fe->owner_of) PetscCall(NsLayoutExchange(free->layout, self->lumped->damped ? 2 : 1, (PetscReal *[2]){x, v}));
  PetscFunctionReturn(0);
}

static PetscErrorCode accel(NsFreeDynamics *free, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a)
{
  NsBackEndData_Lumped *self = free->data;

  PetscFunctionBegin;
  PetscCall(exchange(free, q, v));
  NsLumpedAccel(self->lumped, q, v, h, a);
  PetscFunctionReturn(0);
}

static PetscErrorCode flight(
  NsFreeDynamics *free, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1)
{
  NsBackEndData_Lumped *self = free->data;

  PetscFunctionBegin;
  NsLumpedPredict(self->lumped, dt, q0, v0, a0, q1, v1);
  PetscCall(exchange(free, q1, v1));
  NsLumpedFlight(self->lumped, dt, q0, v0, a0, h, q1, v1, a1);
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsFreeDynamics *free, PetscReal *q, PetscReal *v, PetscReal *h)
{
  NsBackEndData_Lumped *self = free->data;

  PetscFunctionBegin;
  PetscCall(exchange(free, q, v));
  NsLumpedForce(self->lumped, q, v, h);
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsFreeDynamics *free, PetscReal *x, PetscReal *y)
{
  const NsBackEndData_Lumped *self = free->data;

  PetscFunctionBegin;
  NsLumpedMult(self->lumped, 0, self->lumped->owned, x, y);
  PetscFunctionReturn(0);
}

static PetscErrorCode start_petsc(NsFreeDynamics *free)
{
  NsBackEndData_Lumped *self = free->data;

  PetscFunctionBegin;
  if (self->petsc.data) PetscFunctionReturn(0);
  self->petsc        = *free;
  self->petsc.data   = NULL;
  self->petsc.layout = NULL;
  PetscCall(NsBackEnd_Petsc.create(&self->petsc));
  PetscCall(PetscCalloc2(self->petsc.layout->local, &self->petsc_b, self->petsc.layout->local, &self->petsc_x));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsFreeDynamics *free, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  NsBackEndData_Lumped *self    = free->data;
  const PetscBool       by_mass = op.stiffness == 0 && (op.damping == 0 || !self->lumped->damped) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  self->mass[slot] = by_mass ? op.mass : 0;
  if (!by_mass) {
    PetscCall(start_petsc(free));
    PetscCall(NsBackEnd_Petsc.factor(&self->petsc, slot, op, symmetric));
  }
  PetscFunctionReturn(0);
}

/* Both layouts give this process the same unknowns, in orders of their own. */
static PetscErrorCode solve(NsFreeDynamics *free, PetscInt slot, PetscReal *b, PetscReal *x)
{
  NsBackEndData_Lumped *self  = free->data;
  const NsLayout       *other = self->petsc.layout;

  PetscFunctionBegin;
  if (self->mass[slot] != 0) {
    NsLumpedSolve(self->lumped, self->mass[slot], b, x);
    PetscFunctionReturn(0);
  }
  for (PetscInt p = 0; p < self->lumped->owned; p++) self->petsc_b[NsLayoutPlace(other, NsLayoutNatural(free->layout, p))] = b[p];
  PetscCall(NsBackEnd_Petsc.solve(&self->petsc, slot, self->petsc_b, self->petsc_x));
  for (PetscInt p = 0; p < self->lumped->owned; p++) x[p] = self->petsc_x[NsLayoutPlace(other, NsLayoutNatural(free->layout, p))];
  PetscFunctionReturn(0);
}

/* Of all processes, the same on any number of them. */
static PetscErrorCode total(const NsFreeDynamics *free, NsExactSum *sum, PetscReal *value)
{
  PetscFunctionBegin;
  PetscCall(NsExactSumReduce(sum, free->layout->comm));
  *value = NsExactSumValue(sum);
  PetscFunctionReturn(0);
}

static PetscErrorCode kinetic(NsFreeDynamics *free, PetscReal *v, PetscReal *energy)
{
  const NsLumped *lumped = ((const NsBackEndData_Lumped *)free->data)->lumped;
  PetscReal       momentum[NS_LUMPED_BLOCK];
  NsExactSum      twice = {{0}};

  PetscFunctionBegin;
  for (PetscInt p = 0; p < lumped->owned; p += NS_LUMPED_BLOCK) {
    const PetscInt n = PetscMin(NS_LUMPED_BLOCK, lumped->owned - p);
    NsLumpedMult(lumped, p, n, v + p, momentum);
    NsExactSumAddProducts(&twice, n, momentum, v + p);
  }
  PetscCall(total(free, &twice, energy));
  *energy /= 2;
  PetscFunctionReturn(0);
}

static PetscErrorCode damping(NsFreeDynamics *free, PetscReal *v, PetscReal *w, PetscReal *power)
{
  NsBackEndData_Lumped *self = free->data;
  NsExactSum            sum  = {{0}};

  PetscFunctionBegin;
  if (free->fe->owner_of) PetscCall(NsLayoutExchange(free->layout, 1, &v));
  NsLumpedDamping(self->lumped, v, self->work);
  NsExactSumAddProducts(&sum, self->lumped->owned, w, self->work);
  PetscCall(total(free, &sum, power));
  PetscFunctionReturn(0);
}

const NsBackEnd NsBackEnd_Lumped = {"lumped", NULL, PETSC_TRUE, create, destroy, accel, flight, force, mult, factor, solve, kinetic, damping};
