/* Calls through a model's table, and the small parts that every model shares. */
#include <stdint.h>
#include <string.h>
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

PetscErrorCode NsModelFlightInSteps(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(v1, dt, a0, v0)); /* v0 + dt a0, until a1 is known */
  PetscCall(VecWAXPY(a1, 1, v0, v1));
  PetscCall(VecWAXPY(q1, dt / 2, a1, q0));
  PetscCall(NsModelAccel(model, t1, q1, v1, a1));
  PetscCall(VecAXPBYPCZ(v1, 0.5, dt / 2, 0.5, v0, a1)); /* v1/2 = v0/2 + dt/2 a0 */
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelFlight(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1)
{
  PetscFunctionBegin;
  if (model->ops->flight)
    PetscCall(model->ops->flight(model, t1, dt, q0, v0, a0, q1, v1, a1));
  else
    PetscCall(NsModelFlightInSteps(model, t1, dt, q0, v0, a0, q1, v1, a1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelMult(NsModel *model, PetscReal t, Vec q, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(model->ops->mult(model, t, q, x, y));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelMassRate(NsModel *model, PetscReal t, Vec q, Vec v, Vec y)
{
  PetscFunctionBegin;
  if (model->constant_mass)
    PetscCall(VecZeroEntries(y));
  else
    PetscCall(model->ops->massrate(model, t, q, v, y));
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

PetscErrorCode NsModelSettle(NsModel *model, PetscInt slot, PetscReal t, Vec q, Vec v)
{
  PetscFunctionBegin;
  PetscCall(model->ops->settle(model, slot, t, q, v));
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

PetscErrorCode NsModelTimes(NsModel *model, PetscReal t, Vec v, NsTimes *times)
{
  PetscFunctionBegin;
  *times = (NsTimes){PETSC_MAX_REAL, PETSC_MAX_REAL};
  if (model->ops->times) PetscCall(model->ops->times(model, t, v, times));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelTouch(const NsModel *model, Vec x, PetscReal *values)
{
  const PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &array));
  if (model->watch)
    PetscCall(NsWatchGather(model->watch, array, values));
  else
    for (PetscInt i = 0; i < model->touches; i++) values[i] = array[model->touch[i]];
  PetscCall(VecRestoreArrayRead(x, &array));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelTouchAdd(const NsModel *model, PetscInt count, const PetscInt *place, const PetscReal *value, Vec x)
{
  const PetscInt *at = model->watch ? model->watch->place : model->touch;
  PetscScalar    *array;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &array));
  for (PetscInt k = 0; k < count; k++) {
    if (at[place[k]] >= 0) array[at[place[k]]] += value[k];
  }
  PetscCall(VecRestoreArray(x, &array));
  PetscFunctionReturn(0);
}

/* The bits of |x|: of numbers in the order of their sizes, infinity above them, and above that what is no number. As integers they take a third of the time. */
static inline uint64_t bits_of_size(PetscScalar x)
{
  uint64_t bits;

  memcpy(&bits, &x, sizeof(bits));
  return bits & UINT64_C(0x7fffffffffffffff);
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* Side by side, for one comparison need not wait for the one before: that is twice as fast. */
static uint64_t largest_bits(PetscInt count, const PetscScalar *x)
{
  enum { SIDE = 16 };
  uint64_t most[SIDE] = {0};
  PetscInt i          = 0;

  for (; i + SIDE <= count; i += SIDE) {
    for (int k = 0; k < SIDE; k++) most[k] = larger(most[k], bits_of_size(x[i + k]));
  }
  for (; i < count; i++) most[0] = larger(most[0], bits_of_size(x[i]));
  for (int k = 1; k < SIDE; k++) most[0] = larger(most[0], most[k]);
  return most[0];
}

PetscErrorCode NsModelLargest(const NsModel *model, Vec x, PetscReal *largest)
{
  const NsLayout    *layout = model->layout;
  const PetscScalar *array;
  uint64_t           most = 0;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &array));
  if (layout->ranks == 1)
    most = largest_bits(layout->local, array);
  else {
    for (PetscInt i = 0; i < layout->local; i++) most = larger(most, NsLayoutOwns(layout, i) ? bits_of_size(array[i]) : 0);
  }
  PetscCall(VecRestoreArrayRead(x, &array));
  memcpy(largest, &most, sizeof(most));
  PetscCall(NsLayoutMax(layout, largest));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelModesDestroy(NsModelModes *modes)
{
  PetscFunctionBegin;
  if (modes->shape) PetscCall(VecDestroyVecs(modes->count, &modes->shape));
  PetscCall(PetscFree3(modes->omega, modes->damping, modes->circulation));
  PetscCall(PetscMemzero(modes, sizeof(*modes)));
  PetscFunctionReturn(0);
}

PetscErrorCode NsVecsCreate(const NsModel *model, Vec *first, ...)
{
  va_list list;

  PetscFunctionBegin;
  va_start(list, first);
  for (Vec *v = first; v; v = va_arg(list, Vec *)) PetscCall(VecCreateSeq(PETSC_COMM_SELF, model->layout->local, v));
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
  PetscCall(PetscMalloc7(n, &rows->contact, n + 1, &rows->start, rows->row_capacity + 1, &rows->first, rows->entry_capacity, &rows->touch,
    rows->entry_capacity, &rows->value, rows->row_capacity, &rows->drive, model->touches, &rows->touched));
  PetscCall(PetscMalloc1(rows->entry_capacity, &rows->load));
  rows->start[0] = rows->first[0] = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRowsDestroy(NsRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PetscFree7(rows->contact, rows->start, rows->first, rows->touch, rows->value, rows->drive, rows->touched));
  PetscCall(PetscFree(rows->load));
  PetscFunctionReturn(0);
}

void NsRowsVelocityTouched(const NsRows *rows, const PetscReal *touch_v, PetscReal *u)
{
  for (PetscInt k = 0; k < rows->rows; k++) {
    PetscReal sum = rows->drive[k];
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) sum += rows->value[j] * touch_v[rows->touch[j]];
    u[k] = sum;
  }
}

PetscErrorCode NsRowsVelocity(const NsModel *model, const NsRows *rows, Vec v, PetscReal *u)
{
  PetscFunctionBegin;
  PetscCall(NsModelTouch(model, v, rows->touched));
  NsRowsVelocityTouched(rows, rows->touched, u);
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
  const PetscInt entries = rows->first[rows->rows];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < rows->rows; k++) {
    for (PetscInt j = rows->first[k]; j < rows->first[k + 1]; j++) rows->load[j] = scale * P[k] * rows->value[j];
  }
  PetscCall(NsModelTouchAdd(model, entries, rows->touch, rows->load, v));
  PetscFunctionReturn(0);
}
