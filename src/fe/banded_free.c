/*
  Back end `banded`: M, C, K and the factors in narrow rows (src/fe/banded.h). A step of a small model costs its arithmetic and little else.

  Operators that are not symmetric (implicit schemes with gyroscopic terms) have no Cholesky factor: these slots go to PETSc.
*/
#include "banded.h"
#include "free.h"

typedef struct {
  NsProfile      own, all; /* of M, and of all matrices */
  PetscReal     *M;        /* in profile `own` */
  PetscReal     *C, *K;    /* in profile `all`; C NULL without damping and spin */
  PetscReal     *dampers;  /* C itself where nothing spins; NULL without */
  NsBandFactor   factor[NS_SLOTS];
  PetscBool      banded[NS_SLOTS]; /* the slot is here, not with PETSc */
  NsFreeDynamics petsc;            /* shares the matrices */
} NsBackEndData_Banded;

static PetscErrorCode create(NsFreeDynamics *free)
{
  NsBackEndData_Banded *self = NsArenaAlloc(free->fe->arena, sizeof(*self));

  PetscFunctionBegin;
  PetscCall(NsProfileCreate(1, &free->M, &self->own));
  PetscCall(NsProfileCreate(3, (Mat[3]){free->K, free->M, free->C}, &self->all));
  PetscCall(NsProfileTake(&self->own, free->M, &self->M));
  PetscCall(NsProfileTake(&self->all, free->K, &self->K));
  if (free->C) PetscCall(NsProfileTake(&self->all, free->C, &self->C));
  self->dampers = self->C;
  if (free->dampers && free->dampers != free->C) PetscCall(NsProfileTake(&self->all, free->dampers, &self->dampers));
  self->petsc = *free;
  PetscCall(NsBackEnd_Petsc.create(&self->petsc));
  free->data = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsFreeDynamics *free)
{
  NsBackEndData_Banded *self = free->data;

  PetscFunctionBegin;
  for (int slot = 0; slot < NS_SLOTS; slot++) PetscCall(NsBandFactorDestroy(&self->factor[slot]));
  if (self->dampers != self->C) PetscCall(PetscFree(self->dampers));
  PetscCall(PetscFree(self->C));
  PetscCall(PetscFree(self->K));
  PetscCall(PetscFree(self->M));
  PetscCall(NsProfileDestroy(&self->own));
  PetscCall(NsProfileDestroy(&self->all));
  PetscCall(NsBackEnd_Petsc.destroy(&self->petsc));
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsFreeDynamics *free, Vec q, Vec v, Vec h)
{
  const NsBackEndData_Banded *self = free->data;
  const PetscScalar          *aq, *av;
  PetscScalar                *ah;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(q, &aq));
  PetscCall(VecGetArrayRead(v, &av));
  PetscCall(VecGetArray(h, &ah));
  NsBandForce(&self->all, self->K, self->C, aq, av, ah);
  PetscCall(VecRestoreArray(h, &ah));
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscCall(VecRestoreArrayRead(q, &aq));
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsFreeDynamics *free, Vec x, Vec y)
{
  const NsBackEndData_Banded *self = free->data;
  const PetscScalar          *ax;
  PetscScalar                *ay;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &ax));
  PetscCall(VecGetArrayWrite(y, &ay));
  NsBandMult(&self->own, self->M, ax, ay);
  PetscCall(VecRestoreArrayWrite(y, &ay));
  PetscCall(VecRestoreArrayRead(x, &ax));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsFreeDynamics *free, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  NsBackEndData_Banded *self    = free->data;
  const PetscBool       by_mass = op.stiffness == 0 && (op.damping == 0 || !free->C) ? PETSC_TRUE : PETSC_FALSE;
  const NsProfile      *profile = by_mass ? &self->own : &self->all;

  PetscFunctionBegin;
  self->banded[slot] = PETSC_FALSE;
  if (symmetric) {
    PetscReal *value;
    Mat        A;
    PetscCall(NsFreeDynamicsOperator(free, op, symmetric, &A));
    PetscCall(NsProfileTake(profile, A, &value));
    PetscCall(MatDestroy(&A));
    PetscCall(NsBandFactorDestroy(&self->factor[slot]));
    PetscCall(NsBandFactorCreate(profile, &self->factor[slot]));
    self->banded[slot] = NsBandFactorize(&self->factor[slot], value);
    PetscCall(PetscFree(value));
  }
  if (!self->banded[slot]) PetscCall(NsBackEnd_Petsc.factor(&self->petsc, slot, op, PETSC_FALSE));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(NsFreeDynamics *free, PetscInt slot, Vec b, Vec x)
{
  NsBackEndData_Banded *self = free->data;
  const PetscScalar    *ab;
  PetscScalar          *ax;

  PetscFunctionBegin;
  if (!self->banded[slot]) {
    PetscCall(NsBackEnd_Petsc.solve(&self->petsc, slot, b, x));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(b, &ab));
  PetscCall(VecGetArrayWrite(x, &ax));
  NsBandSolve(&self->factor[slot], ab, ax);
  PetscCall(VecRestoreArrayWrite(x, &ax));
  PetscCall(VecRestoreArrayRead(b, &ab));
  PetscFunctionReturn(0);
}

static PetscErrorCode kinetic(NsFreeDynamics *free, Vec v, PetscReal *value)
{
  const NsBackEndData_Banded *self = free->data;
  const PetscScalar          *av;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(v, &av));
  *value = NsBandProduct(&self->own, self->M, av, av) / 2;
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscFunctionReturn(0);
}

static PetscErrorCode damping(NsFreeDynamics *free, Vec v, Vec w, PetscReal *power)
{
  const NsBackEndData_Banded *self = free->data;
  const PetscScalar          *av, *aw;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(v, &av));
  PetscCall(VecGetArrayRead(w, &aw));
  *power = NsBandProduct(&self->all, self->dampers, aw, av);
  PetscCall(VecRestoreArrayRead(w, &aw));
  PetscCall(VecRestoreArrayRead(v, &av));
  PetscFunctionReturn(0);
}

const NsBackEnd NsBackEnd_Banded = {"banded", create, destroy, force, mult, factor, solve, kinetic, damping};
