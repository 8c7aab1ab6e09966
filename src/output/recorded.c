#include "writer.h"

/* The entries of a column and of all that is added to it go to number[*count ...], where there is any, and get these places instead. */
static void take_entries(NsProbeColumn *column, PetscInt *number, PetscInt *count)
{
  for (NsProbeColumn *part = column; part; part = part->plus) {
    for (PetscInt i = 0; i < part->entries; i++, ++*count) {
      if (!number) continue;
      number[*count]   = part->unknown[i];
      part->unknown[i] = *count;
    }
  }
  for (const NsProbeLaw *law = column->law; law; law = law->next) {
    for (PetscInt i = 0; i < law->inputs; i++) take_entries(&law->input[i], number, count);
  }
}

PetscErrorCode NsRecordedCreate(const NsWriter *writer, PetscInt columns, NsProbeColumn *const *column, NsRecorded *recorded)
{
  NsLayout *layout = writer->model->layout;
  PetscInt *number, count = 0, all = 0;

  PetscFunctionBegin;
  *recorded = (NsRecorded){NULL, NULL, NULL, NULL};
  if (NsLayoutIsNatural(layout)) PetscFunctionReturn(0);
  for (PetscInt c = 0; c < columns; c++) take_entries(column[c], NULL, &all);
  PetscCall(PetscMalloc1(all, &number));
  for (PetscInt c = 0; c < columns; c++) take_entries(column[c], number, &count);
  PetscCall(NsWatchCreate(layout, count, number, &recorded->watch));
  PetscCall(PetscFree(number));
  recorded->q = NsArenaAlloc(writer->sink->arena, sizeof(PetscReal) * (size_t)(count + 1));
  recorded->v = NsArenaAlloc(writer->sink->arena, sizeof(PetscReal) * (size_t)(count + 1));
  recorded->a = NsArenaAlloc(writer->sink->arena, sizeof(PetscReal) * (size_t)(count + 1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRecordedDestroy(NsRecorded *recorded)
{
  PetscFunctionBegin;
  PetscCall(NsWatchDestroy(&recorded->watch));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRecordedGather(const NsRecorded *recorded, const NsState *state, const PetscReal **q, const PetscReal **v)
{
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(state->q, q));
  PetscCall(VecGetArrayRead(state->v, v));
  if (!recorded->watch) PetscFunctionReturn(0);
  PetscCall(NsWatchGather(recorded->watch, *q, recorded->q));
  PetscCall(NsWatchGather(recorded->watch, *v, recorded->v));
  PetscCall(VecRestoreArrayRead(state->v, v));
  PetscCall(VecRestoreArrayRead(state->q, q));
  *q = recorded->q;
  *v = recorded->v;
  PetscFunctionReturn(0);
}

PetscErrorCode NsRecordedRestore(const NsRecorded *recorded, const NsState *state, const PetscReal **q, const PetscReal **v)
{
  PetscFunctionBegin;
  if (recorded->watch) PetscFunctionReturn(0);
  PetscCall(VecRestoreArrayRead(state->v, v));
  PetscCall(VecRestoreArrayRead(state->q, q));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRecordedAccelerations(const NsRecorded *recorded, Vec acceleration, const PetscReal **a)
{
  PetscFunctionBegin;
  *a = acceleration ? NsVecRead(acceleration) : NULL;
  if (!recorded->watch || !acceleration) PetscFunctionReturn(0);
  PetscCall(NsWatchGather(recorded->watch, *a, recorded->a));
  *a = recorded->a;
  PetscFunctionReturn(0);
}
