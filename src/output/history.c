/*
  history.csv: time and the probes of `output: history: probes`, a row each `every` steps, shortest digits that read back the same.
*/
#include "writer.h"

typedef struct {
  NsFile          file;
  PetscInt        columns;
  NsProbeColumn **column; /* [columns] */
  PetscReal      *value;  /* [columns] of the present row */
  NsRecorded      recorded;
  PetscReal      *place; /* [scene.points, 3], or NULL when no column asks for it: of mechanisms, which are on one process in natural order */
} NsWriter_History;

static PetscBool NsWriterWanted_History(const NsRun *run)
{
  return run->config.output->history->every > 0 && run->config.output->history->probes.count > 0 && run->model->ops->probe ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode NsWriterOpen_History(NsWriter *writer)
{
  NsRun            *run     = writer->run;
  const NsStrings  *names   = &run->config.output->history->probes;
  NsWriter_History *self    = NsArenaAlloc(run->arena, sizeof(*self));
  NsProbe          *probes  = NsArenaAlloc(run->arena, sizeof(*probes) * (size_t)names->count);
  PetscInt          columns = 0;

  PetscFunctionBegin;
  writer->data = self;
  for (int i = 0; i < names->count; i++) {
    PetscBool found = PETSC_FALSE;
    char      why[256];

    PetscCall(run->model->ops->probe(run->model, names->items[i], &probes[i], &found, why, sizeof(why)));
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "probe '%s' passed the check of the config but the model does not know it", names->items[i]);
    columns += probes[i].columns;
  }
  self->column = NsArenaAlloc(run->arena, sizeof(*self->column) * (size_t)columns);
  self->value  = NsArenaAlloc(run->arena, sizeof(*self->value) * (size_t)columns);
  NsWriterOpenTable(&self->file, run, "history.csv", columns);
  NsFileText(&self->file, "time");
  for (int i = 0; i < names->count; i++) {
    for (PetscInt c = 0; c < probes[i].columns; c++) {
      const char *suffix = probes[i].column[c].suffix;
      if (probes[i].column[c].place && !self->place)
        self->place = NsArenaAlloc(run->arena, sizeof(*self->place) * 3 * (size_t)run->model->scene.points);

      self->column[self->columns++] = &probes[i].column[c];
      NsFileText(&self->file, ",");
      NsFileWord(&self->file, NsArenaPrint(run->arena, "%s%s%s", names->items[i], *suffix ? "." : "", suffix), 0);
    }
  }
  NsFileText(&self->file, "\n");
  PetscCall(NsRecordedCreate(run, self->columns, self->column, &self->recorded));
  PetscFunctionReturn(0);
}

static PetscBool NsWriterDue_History(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  return NsWriterIsDue(writer->run->config.output->history->every, step, last);
}

static PetscErrorCode NsWriterWrite_History(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsWriter_History *self = writer->data;
  const PetscReal  *q, *v;
  PetscReal         sum = 0;
  PetscBool         good;

  PetscFunctionBegin;
  if (self->place) PetscCall(writer->run->model->ops->places(writer->run->model, snapshot->state.t, snapshot->state.q, self->place));
  PetscCall(NsRecordedGather(&self->recorded, &snapshot->state, &q, &v));
  for (PetscInt c = 0; c < self->columns; c++) {
    const NsProbeColumn *column = self->column[c];

    self->value[c] = column->place && self->place ? self->place[column->place - 1] : NsProbeColumnSum(column, q, v);
    sum += self->value[c];
  }
  PetscCall(NsRecordedRestore(&self->recorded, &snapshot->state, &q, &v));
  PetscCall(NsGuardRow(writer->run, snapshot->step, sum, "history.csv", &good));
  if (!good) PetscFunctionReturn(0);
  NsFileNumber(&self->file, snapshot->state.t, self->columns ? ',' : '\n');
  for (PetscInt c = 0; c < self->columns; c++) NsFileNumber(&self->file, self->value[c], c + 1 < self->columns ? ',' : '\n');
  NsFileEndRow(&self->file);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterRemember_History(NsWriter *writer, NsMemory *memory)
{
  PetscFunctionBegin;
  NsFileRemember(&((NsWriter_History *)writer->data)->file, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterClose_History(NsWriter *writer)
{
  NsWriter_History *self = writer->data;

  PetscFunctionBegin;
  PetscCall(NsRecordedDestroy(&self->recorded));
  NsFileClose(&self->file, PETSC_TRUE);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_History = {
  .name     = "history",
  .wanted   = NsWriterWanted_History,
  .open     = NsWriterOpen_History,
  .due      = NsWriterDue_History,
  .write    = NsWriterWrite_History,
  .remember = NsWriterRemember_History,
  .close    = NsWriterClose_History,
};
