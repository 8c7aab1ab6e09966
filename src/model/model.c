/* Operations that a model may leave out, and what every model shares: the touch list, vectors, rows of contacts. */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include "percuss/model.h"

PetscErrorCode NsModelDestroy(NsModel **model)
{
  PetscFunctionBegin;
  if (!*model) PetscFunctionReturn(0);
  PetscCall((*model)->destroy(*model));
  *model = NULL; /* the arena owns the memory */
  PetscFunctionReturn(0);
}

PetscErrorCode NsMatrixDestroy(NsMatrix *matrix)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(matrix->start));
  PetscCall(PetscFree(matrix->column));
  PetscCall(PetscFree(matrix->value));
  matrix->rows = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelCheck(const NsModel *model)
{
  const NsModelDynamics *dynamics = &model->dynamics;
  const struct {
    const char *operation;
    PetscBool   needed, there;
  } rule[] = {
    {"dynamics.initial", PETSC_TRUE, dynamics->initial != NULL},
    {"dynamics.way", dynamics->move != NULL, dynamics->way != NULL},
    {"dynamics.rate", dynamics->move != NULL, dynamics->rate != NULL},
    {"dynamics.tidy", dynamics->move != NULL, dynamics->tidy != NULL},
    {"dynamics.force", PETSC_TRUE, dynamics->force != NULL},
    {"dynamics.accel", PETSC_TRUE, dynamics->accel != NULL},
    {"dynamics.mult", PETSC_TRUE, dynamics->mult != NULL},
    {"dynamics.massrate", !model->constant_mass, dynamics->massrate != NULL},
    {"dynamics.factor", PETSC_TRUE, dynamics->factor != NULL},
    {"dynamics.solve", PETSC_TRUE, dynamics->solve != NULL},
    {"dynamics.settle", model->massless > 0, dynamics->settle != NULL},
    {"dynamics.energy", PETSC_TRUE, dynamics->energy != NULL},
    {"contact.gap", model->candidates > 0, model->contact.gap != NULL},
    {"contact.rows", model->candidates > 0, model->contact.rows != NULL},
    {"view.fields", model->scene.points > 0, model->view.fields != NULL},
    {"view.planes", model->planes.cells > 0, model->view.planes != NULL},
    {"scene.kind", model->scene.cells > 0, model->scene.kind != NULL},
    {"view.name_unknown", PETSC_TRUE, model->view.name_unknown != NULL},
    {"view.probe", PETSC_TRUE, model->view.probe != NULL},
    {"analysis.load_shapes", model->analysis.modes != NULL, model->analysis.load_shapes != NULL},
    {"analysis.load_sizes", model->analysis.modes != NULL, model->analysis.load_sizes != NULL},
    {"destroy", PETSC_TRUE, model->destroy != NULL},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rule); i++)
    PetscCheck(
      rule[i].there || !rule[i].needed, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the model '%s' lacks the operation %s", model->kind, rule[i].operation);
  PetscFunctionReturn(0);
}

void NsSceneFromLines(NsScene *scene, NsArena *arena)
{
  PetscInt *to = scene->cell;

  scene->kind = NsArenaAlloc(arena, sizeof(*scene->kind) * (size_t)(scene->cells + 1));
  for (PetscInt i = 0; i < scene->cells; i++) {
    const PetscInt ends[2] = {scene->cell[2 * i], scene->cell[2 * i + 1]};
    scene->kind[i]         = ends[0] == ends[1] ? NS_CELL_VERTEX : NS_CELL_LINE;
    for (PetscInt k = 0; k < NsCellPoints(scene->kind[i]); k++) *to++ = ends[k];
  }
}

PetscErrorCode NsVecAddScaled(Vec z, PetscReal a, Vec x, Vec y)
{
  const PetscScalar *ax, *ay;
  PetscScalar       *az;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(z, &n));
  ax = NsVecRead(x);
  ay = NsVecRead(y);
  az = NsVecArray(z);
  for (PetscInt i = 0; i < n; i++) az[i] = ay[i] + a * ax[i];
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelMove(NsModel *model, Vec q0, PetscReal h, Vec v, Vec q1)
{
  PetscFunctionBegin;
  if (model->dynamics.move)
    PetscCall(model->dynamics.move(model, q0, h, v, q1));
  else if (q1 == q0)
    PetscCall(VecAXPY(q1, h, v));
  else
    PetscCall(NsVecAddScaled(q1, h, v, q0));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelWay(NsModel *model, Vec q0, Vec q1, Vec d)
{
  PetscFunctionBegin;
  if (model->dynamics.way)
    PetscCall(model->dynamics.way(model, q0, q1, d));
  else
    PetscCall(VecWAXPY(d, -1, q0, q1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelRate(NsModel *model, Vec q, Vec v, Vec qdot)
{
  PetscFunctionBegin;
  if (model->dynamics.rate)
    PetscCall(model->dynamics.rate(model, q, v, qdot));
  else
    PetscCall(VecCopy(v, qdot));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelTidy(NsModel *model, Vec q)
{
  PetscFunctionBegin;
  if (model->dynamics.tidy) PetscCall(model->dynamics.tidy(model, q));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelFlightInSteps(NsModel *model, PetscReal t1, PetscReal dt, Vec q0, Vec v0, Vec a0, Vec q1, Vec v1, Vec a1)
{
  PetscFunctionBegin;
  PetscCall(VecWAXPY(v1, dt, a0, v0)); /* v0 + dt a0, until a1 is known */
  PetscCall(VecWAXPY(a1, 1, v0, v1));
  PetscCall(NsModelMove(model, q0, dt / 2, a1, q1));
  PetscCall(NsModelAccel(model, t1, q1, v1, a1));
  PetscCall(VecAXPBYPCZ(v1, 0.5, dt / 2, 0.5, v0, a1)); /* v1/2 = v0/2 + dt/2 a0 */
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelMassRate(NsModel *model, PetscReal t, Vec q, Vec v, Vec y)
{
  PetscFunctionBegin;
  if (model->constant_mass)
    PetscCall(VecZeroEntries(y));
  else
    PetscCall(model->dynamics.massrate(model, t, q, v, y));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelPower(NsModel *model, PetscReal t, Vec q, Vec v, Vec w, NsPower *power)
{
  PetscFunctionBegin;
  power->damping = power->load = 0;
  if (model->dynamics.power) PetscCall(model->dynamics.power(model, t, q, v, w, power));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelTimes(NsModel *model, PetscReal t, Vec v, NsTimes *times)
{
  PetscFunctionBegin;
  *times = (NsTimes){PETSC_MAX_REAL, PETSC_MAX_REAL};
  if (model->dynamics.times) PetscCall(model->dynamics.times(model, t, v, times));
  times->next = PetscMin(times->next, NsSwitchesNext(&model->switches, t));
  PetscFunctionReturn(0);
}

PetscErrorCode NsModelTouchAdd(const NsModel *model, PetscInt count, const PetscInt *touched, const PetscReal *value, Vec x)
{
  const PetscInt *index = model->watch ? model->watch->index : model->touch;
  PetscReal      *array = NsVecArray(x);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count; k++) {
    if (index[touched[k]] >= 0) array[index[touched[k]]] += value[k];
  }
  PetscFunctionReturn(0);
}

/* The bits of |x| as an integer: in the order of |x|, with Inf above all numbers and NaN above Inf. Comparing them takes a third of the time of doubles. */
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

/* Sixteen maxima side by side, so that no comparison waits for the one before: twice as fast. */
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
  const NsLayout  *layout = model->layout;
  const PetscReal *array  = NsVecRead(x);
  uint64_t         most   = 0;

  PetscFunctionBegin;
  if (layout->ranks == 1)
    most = largest_bits(layout->local, array);
  else {
    for (PetscInt i = 0; i < layout->local; i++) most = larger(most, NsLayoutOwns(layout, i) ? bits_of_size(array[i]) : 0);
  }
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

const char *NsCandidateName(const NsCandidate *candidate, char text[NS_CANDIDATE_NAME])
{
  const PetscInt *number = candidate->number;

  if (candidate->point > 0)
    (void)snprintf(text, NS_CANDIDATE_NAME, "%.80s.%d-%d.%d", candidate->name, (int)number[0], (int)number[1], (int)candidate->point);
  else if (number[1] > 0)
    (void)snprintf(text, NS_CANDIDATE_NAME, "%.90s.%d-%d", candidate->name, (int)number[0], (int)number[1]);
  else if (number[0] > 0)
    (void)snprintf(text, NS_CANDIDATE_NAME, "%.100s.%d", candidate->name, (int)number[0]);
  else
    (void)snprintf(text, NS_CANDIDATE_NAME, "%s", candidate->name);
  return text;
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

void NsRowsKeepNormals(NsRows *rows)
{
  PetscInt at = 0;

  if (rows->rows == rows->contacts) return;
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

/* Ascending from 0. */
static PetscBool is_start(PetscInt count, const PetscInt *start, PetscInt last)
{
  if (start[0] != 0 || start[count] != last) return PETSC_FALSE;
  for (PetscInt i = 0; i < count; i++) {
    if (start[i] > start[i + 1]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

void NsRowsSerialize(NsArchive *archive, const char *name, const NsModel *model, NsRows *rows)
{
  PetscInt entries = rows->rows ? rows->first[rows->rows] : 0;

  NsArchiveCount(archive, name, &rows->contacts, model->candidates);
  NsArchiveCount(archive, "rows", &rows->rows, rows->row_capacity);
  NsArchiveCount(archive, "entries", &entries, rows->entry_capacity);
  if (archive->problem[0]) rows->contacts = rows->rows = entries = 0;
  if (!rows->rows) return;
  NsArchiveIndices(archive, "contact", rows->contacts, rows->contact, model->candidates);
  NsArchiveIndices(archive, "start", rows->contacts + 1, rows->start, rows->rows + 1);
  NsArchiveIndices(archive, "first", rows->rows + 1, rows->first, entries + 1);
  NsArchiveIndices(archive, "touch", entries, rows->touch, model->touches);
  NsArchiveReals(archive, "value", entries, rows->value);
  NsArchiveReals(archive, "drive", rows->rows, rows->drive);
  if (!archive->problem[0] && (!is_start(rows->contacts, rows->start, rows->rows) || !is_start(rows->rows, rows->first, entries)))
    NsArchiveDeny(archive, name);
  if (archive->problem[0]) rows->contacts = rows->rows = 0;
}
