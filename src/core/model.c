/* Calls through a model's table, and the small parts that every model shares. */
#include "percuss/model.h"

PetscErrorCode NsModelDestroy(NsModel **model)
{
  PetscFunctionBegin;
  if (!*model) PetscFunctionReturn(0);
  PetscCall((*model)->ops->destroy(*model));
  *model = NULL; /* the arena owns the memory */
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelForce(NsModel *model, PetscReal t, Vec q, Vec v, Vec h)
{
  PetscFunctionBegin;
  PetscCall(model->ops->force(model, t, q, v, h));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelAccel(NsModel *model, PetscReal t, Vec q, Vec v, Vec a)
{
  PetscFunctionBegin;
  PetscCall(model->ops->accel(model, t, q, v, a));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelMult(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(model->ops->mult(model, t, q, x, y));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelFactor(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op)
{
  PetscFunctionBegin;
  PetscCall(model->ops->factor(model, slot, t, q, v, op));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelSolve(NsModel *model, PetscInt slot, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(model->ops->solve(model, slot, b, x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelGap(NsModel *model, PetscReal t, Vec q, PetscReal *g)
{
  PetscFunctionBegin;
  PetscCall(model->ops->gap(model, t, q, g));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelRows(NsModel *model, PetscReal t, Vec q, PetscInt active, const PetscInt *contact, NsRows *rows)
{
  PetscFunctionBegin;
  PetscCall(model->ops->rows(model, t, q, active, contact, rows));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelRowrate(NsModel *model, PetscReal t, Vec q, Vec v, const NsRows *rows, PetscReal *d)
{
  PetscFunctionBegin;
  PetscCall(model->ops->rowrate(model, t, q, v, rows, d));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelEnergy(NsModel *model, PetscReal t, Vec q, Vec v, NsEnergy *energy)
{
  PetscFunctionBegin;
  PetscCall(model->ops->energy(model, t, q, v, energy));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelPower(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  PetscFunctionBegin;
  power->damping = power->load = 0;
  if (model->ops->power) PetscCall(model->ops->power(model, t, q, v, w, power));
  PetscFunctionReturn(0);
}

PetscErrorCode NsVecsCreate(const NsModel *model, Vec *first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (Vec *v = first; v; v = va_arg(list, Vec *)) PetscCall(VecCreateSeq(PETSC_COMM_SELF, model->unknowns, v));
  va_end(list);
  PetscFunctionReturn(0);
}

PetscErrorCode NsVecsDestroy(Vec *first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (Vec *v = first; v; v = va_arg(list, Vec *)) PetscCall(VecDestroy(v));
  va_end(list);
  PetscFunctionReturn(0);
}

PetscErrorCode NsRowsCreate(const NsModel *model, NsRows *rows)
{
  const PetscInt n = model->candidates;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(rows, sizeof(*rows)));
  for (PetscInt i = 0; i < n; i++) rows->row_capacity += model->candidate[i].directions;
  rows->entry_capacity = rows->row_capacity * model->row_entries;
  PetscCall(PetscMalloc6(n, &rows->contact, n + 1, &rows->start, rows->row_capacity + 1, &rows->first, rows->entry_capacity, &rows->touch,
    rows->entry_capacity, &rows->value, rows->row_capacity, &rows->drive));
  rows->start[0] = rows->first[0] = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRowsDestroy(NsRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PetscFree6(rows->contact, rows->start, rows->first, rows->touch, rows->value, rows->drive));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRowsVelocity(const NsModel *model, const NsRows *rows, Vec v, PetscReal *u)
{
  const PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(v, &value));
  for (PetscInt k = 0; k < rows->rows; k++) {
    PetscReal sum = rows->drive[k];
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) sum += rows->value[j] * value[model->touch[rows->touch[j]]];
    u[k] = sum;
  }
  PetscCall(VecRestoreArrayRead(v, &value));
  PetscFunctionReturn(0);
}

void NsRowsKeepNormals(NsRows *rows)
{
  PetscInt at = 0;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    const PetscInt k = rows->start[i], from = rows->first[k], to = rows->first[k + 1];
    rows->first[i] = at;
    for (PetscInt j = from; j < to; j++, at++) {
      rows->touch[at] = rows->touch[j];
      rows->value[at] = rows->value[j];
    }
    rows->drive[i] = rows->drive[k];
    rows->start[i] = i;
  }
  rows->first[rows->contacts] = at;
  rows->start[rows->contacts] = rows->rows = rows->contacts;
}

PetscErrorCode NsRowsApply(const NsModel *model, const NsRows *rows, const PetscReal *P, PetscReal scale, Vec v)
{
  PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &value));
  for (PetscInt k = 0; k < rows->rows; k++) {
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) value[model->touch[rows->touch[j]]] += scale * P[k] * rows->value[j];
  }
  PetscCall(VecRestoreArray(v, &value));
  PetscFunctionReturn(0);
}
