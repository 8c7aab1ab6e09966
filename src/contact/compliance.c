/*
  C = E' A^-1 E, the compliance of the unknowns that contacts can act on (the touch list E), and what schemes do with it:

      G = W_u' C W_P          Delassus matrix, from the sparse rows over the touch list
      v += A^-1 E (W P)       a reaction's effect: the columns X = A^-1 E are kept

  For a constant operator X and C are computed once (one solve for each touched unknown); a step then costs no solve for contact.
  X takes unknowns * touches numbers. Above NS_COLUMN_LIMIT of them the columns are not kept, and applying costs one solve.
  Where every unknown can be touched (mechanisms) C is A^-1 itself and does both; such models give it without solves.
*/
#include "percuss/contact.h"

#define NS_COLUMN_LIMIT 50000000 /* 400 MB */

struct NsCompliance {
  NsModel   *model; /* not owned */
  PetscInt   slot;
  PetscBool  ready;
  NsOperator op;
  PetscReal *C;      /* [touches, touches] */
  PetscReal *column; /* [touches, unknowns] X', or NULL: not kept, or not needed */
  Vec        b, x;
  PetscReal *load; /* [touches] W P */
  PetscReal *half; /* [touches] C W_P, one column */
};

PetscErrorCode NsComplianceCreate(NsModel *model, PetscInt slot, NsCompliance **result)
{
  NsCompliance  *self;
  const PetscInt n = model->touches;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  self->model = model;
  self->slot  = slot;
  PetscCall(PetscMalloc3((n * n), &self->C, n, &self->load, n, &self->half));
  PetscCall(NsVecsCreate(model, &self->b, &self->x, NULL));
  if (n > 0 && n < model->unknowns && !model->ops->compliance && (PetscInt64)n * model->unknowns <= NS_COLUMN_LIMIT)
    PetscCall(PetscMalloc1((size_t)n * (size_t)model->unknowns, &self->column));
  *result = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceDestroy(NsCompliance **result)
{
  NsCompliance *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(PetscFree(self->column));
  PetscCall(NsVecsDestroy(&self->b, &self->x, NULL));
  PetscCall(PetscFree3(self->C, self->load, self->half));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

/* One solve for each touched unknown. */
static PetscErrorCode solve_columns(NsCompliance *self)
{
  NsModel       *model = self->model;
  const PetscInt n     = model->touches;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    const PetscScalar *value;
    PetscScalar       *unit;
    PetscCall(VecGetArray(self->b, &unit));
    unit[model->touch[k]] = 1;
    PetscCall(VecRestoreArray(self->b, &unit));
    PetscCall(NsModelSolve(model, self->slot, self->b, self->x));
    PetscCall(VecGetArrayRead(self->x, &value));
    for (PetscInt i = 0; i < n; i++) self->C[i * n + k] = value[model->touch[i]];
    if (self->column) PetscCall(PetscArraycpy(self->column + (size_t)k * (size_t)model->unknowns, value, model->unknowns));
    PetscCall(VecRestoreArrayRead(self->x, &value));
    PetscCall(VecGetArray(self->b, &unit));
    unit[model->touch[k]] = 0;
    PetscCall(VecRestoreArray(self->b, &unit));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceUpdate(NsCompliance *self, PetscReal t, Vec q, Vec v, NsOperator op)
{
  NsModel        *model = self->model;
  const PetscBool same  = self->op.mass == op.mass && self->op.damping == op.damping && self->op.stiffness == op.stiffness ? PETSC_TRUE : PETSC_FALSE;
  const PetscBool constant = model->constant_mass && (model->linear || (op.damping == 0 && op.stiffness == 0)) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsModelFactor(model, self->slot, t, q, v, op));
  if (model->touches == 0 || (self->ready && same && constant)) PetscFunctionReturn(0);
  if (model->ops->compliance)
    PetscCall(model->ops->compliance(model, self->slot, self->C));
  else
    PetscCall(solve_columns(self));
  self->op    = op;
  self->ready = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceDelassus(NsCompliance *self, const NsRows *wu, const NsRows *wp, PetscReal *G)
{
  const PetscInt n = self->model->touches;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < wp->rows; k++) {
    for (PetscInt i = 0; i < n; i++) {
      self->half[i] = 0;
      for (PetscInt j = wp->first[k]; j < wp->first[k + 1]; j++) self->half[i] += self->C[i * n + wp->touch[j]] * wp->value[j];
    }
    for (PetscInt r = 0; r < wu->rows; r++) {
      PetscReal sum = 0;
      for (PetscInt j = wu->first[r]; j < wu->first[r + 1]; j++) sum += wu->value[j] * self->half[wu->touch[j]];
      G[r * wp->rows + k] = sum;
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsComplianceApply(NsCompliance *self, const NsRows *wp, const PetscReal *P, PetscReal scale, Vec v)
{
  const PetscInt n = self->model->touches;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) self->load[i] = 0;
  for (PetscInt k = 0; k < wp->rows; k++) {
    for (PetscInt j = wp->first[k]; j < wp->first[k + 1]; j++) self->load[wp->touch[j]] += scale * P[k] * wp->value[j];
  }
  if (n == self->model->unknowns) {
    PetscScalar *value;
    PetscCall(VecGetArray(v, &value));
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j < n; j++) value[i] += self->C[i * n + j] * self->load[j];
    }
    PetscCall(VecRestoreArray(v, &value));
    PetscFunctionReturn(0);
  }
  if (self->column) { /* in one pass: a call of VecAXPY for each would cost a small model more than its arithmetic */
    const PetscInt unknowns = self->model->unknowns;
    PetscScalar   *value;
    PetscCall(VecGetArray(v, &value));
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal *restrict column = self->column + (size_t)i * (size_t)unknowns;
      const PetscReal load             = self->load[i];
      for (PetscInt k = 0; k < unknowns && load != 0; k++) value[k] += load * column[k];
    }
    PetscCall(VecRestoreArray(v, &value));
    PetscFunctionReturn(0);
  }
  PetscScalar *b;
  PetscCall(VecGetArray(self->b, &b));
  for (PetscInt i = 0; i < n; i++) b[self->model->touch[i]] = self->load[i];
  PetscCall(VecRestoreArray(self->b, &b));
  PetscCall(NsModelSolve(self->model, self->slot, self->b, self->x));
  PetscCall(VecAXPY(v, 1, self->x));
  PetscCall(VecGetArray(self->b, &b));
  for (PetscInt i = 0; i < n; i++) b[self->model->touch[i]] = 0;
  PetscCall(VecRestoreArray(self->b, &b));
  PetscFunctionReturn(0);
}
