#include "writer.h"
#include <string.h>

#define NS_WRITER(Name) extern const NsWriterType NsWriterType_##Name;
#include "list.h"
#undef NS_WRITER

const NsWriterType *const NsWriterTypes[] = {
#define NS_WRITER(Name) &NsWriterType_##Name,
#include "list.h"
#undef NS_WRITER
  NULL};
const NsWriterType *const NsWriterManifest = &NsWriterType_Manifest;

PetscErrorCode NsWriterCreate(const NsWriterType *type, NsRun *run, NsWriter **writer)
{
  PetscFunctionBegin;
  *writer         = NsArenaAlloc(run->arena, sizeof(**writer));
  (*writer)->type = type;
  (*writer)->run  = run;
  PetscCall(type->open(*writer));
  PetscFunctionReturn(0);
}

PetscErrorCode NsWriterDestroy(NsWriter **writer)
{
  PetscFunctionBegin;
  NsWriter *closing = *writer; /* its memory is the arena's */
  *writer           = NULL;    /* never closed twice, also if closing fails */
  if (closing) PetscCall(closing->type->close(closing));
  PetscFunctionReturn(0);
}

PetscErrorCode NsWritersClose(NsRun *run)
{
  PetscFunctionBegin;
  for (int i = 0; i < run->writers; i++) PetscCall(NsWriterDestroy(&run->writer[i]));
  PetscFunctionReturn(0);
}

void NsWritersLastWords(void *context)
{
  NsRun    *run      = context;
  NsWriter *manifest = NULL;
  PetscBool tells    = PETSC_FALSE;

  for (int i = 0; i < run->writers; i++) tells = tells || (run->writer[i] && run->writer[i]->type == NsWriterManifest) ? PETSC_TRUE : PETSC_FALSE;
  NsRunFail(run, "out of memory");
  if (NsWritersClose(run) == 0 && !tells && NsWriterCreate(NsWriterManifest, run, &manifest) == 0) (void)NsWriterDestroy(&manifest);
}

void NsWriterOpenTable(NsFile *file, NsRun *run, const char *name, PetscInt columns)
{
  /* Two rows fit, so that a flush never cuts one; and enough rows that writing them costs nothing. */
  NsFileCreate(file, run, PetscMax((size_t)65536, 2 * 26 * ((size_t)columns + 1)));
  NsFileOpen(file, NsRunPath(run, "%s", name));
  NsRunAddFile(run, &run->outputs, name);
}

PetscErrorCode NsRecordedCreate(NsRun *run, PetscInt columns, NsProbeColumn *const *column, NsRecorded *recorded)
{
  NsLayout *layout = run->model->layout;
  PetscInt *number, count = 0, all = 0;

  PetscFunctionBegin;
  *recorded = (NsRecorded){NULL, NULL, NULL};
  if (NsLayoutIsNatural(layout)) PetscFunctionReturn(0);
  for (PetscInt c = 0; c < columns; c++) all += column[c]->entries;
  PetscCall(PetscMalloc1(all, &number));
  for (PetscInt c = 0; c < columns; c++) {
    for (PetscInt i = 0; i < column[c]->entries; i++) {
      number[count]         = column[c]->unknown[i];
      column[c]->unknown[i] = count++;
    }
  }
  PetscCall(NsWatchCreate(layout, count, number, &recorded->watch));
  PetscCall(PetscFree(number));
  recorded->q = NsArenaAlloc(run->arena, sizeof(PetscReal) * (size_t)(count + 1));
  recorded->v = NsArenaAlloc(run->arena, sizeof(PetscReal) * (size_t)(count + 1));
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

void NsRunAddFile(NsRun *run, NsRunFile **list, const char *path)
{
  while (*list) list = &(*list)->next;
  *list         = NsArenaAlloc(run->arena, sizeof(**list));
  (*list)->path = NsArenaCopy(run->arena, path, strlen(path));
}

const char *NsRunExitName(const NsRun *run)
{
  return run->exit == NS_EXIT_DONE ? "done" : run->exit == NS_EXIT_STOPPED ? "stopped" : "failed";
}
