#include "analyses.h"
#include "settings.h"
#include "writer.h"
#include <string.h>

#define NS_WRITER_ALWAYS(Name)      extern const NsWriterType NsWriterType_##Name;
#define NS_WRITER(Name, ...)        NS_WRITER_ALWAYS(Name)
#define NS_WRITER_SWITCH(Name, ...) NS_WRITER_ALWAYS(Name)
#include "list.h"
#undef NS_WRITER_ALWAYS

const NsWriterType *const NsWriterTypes[] = {
#define NS_WRITER_ALWAYS(Name) &NsWriterType_##Name,
#include "list.h"
#undef NS_WRITER
#undef NS_WRITER_SWITCH
#undef NS_WRITER_ALWAYS
  NULL};

/* Where the settings of each writer are. */
static const struct {
  PetscBool mapping, with_switch;
  size_t    offset; /* in NsOutputSettings */
} keys[] = {
#define NS_WRITER(Name, key, ...)        {PETSC_TRUE, PETSC_FALSE, offsetof(NsOutputSettings, key)},
#define NS_WRITER_SWITCH(Name, key, ...) {PETSC_FALSE, PETSC_TRUE, offsetof(NsOutputSettings, key)},
#define NS_WRITER_ALWAYS(Name)           {PETSC_FALSE, PETSC_FALSE, 0},
#include "list.h"
#undef NS_WRITER
#undef NS_WRITER_SWITCH
#undef NS_WRITER_ALWAYS
};

static void *settings_of(const NsOutputSettings *output, int number)
{
  return keys[number].mapping ? *(void *const *)((const char *)output + keys[number].offset) : NULL;
}

static PetscBool is_on(const NsOutputSettings *output, int number)
{
  const NsEverySettings *settings = settings_of(output, number);

  if (keys[number].with_switch) return *(const bool *)((const char *)output + keys[number].offset);
  return !settings || settings->every > 0;
}

PetscErrorCode NsWritersCheck(const NsOutputSettings *output, NsModel *model, PetscReal end, NsArena *arena, NsDiag *diag)
{
  PetscFunctionBegin;
  for (int i = 0; NsWriterTypes[i]; i++) {
    const NsEverySettings *settings = settings_of(output, i);
    if (settings && end > 0 && settings->window.from > end)
      NsDiagWarning(diag, NsKeysPlace(settings->where, "from"), "the run ends at %g s, before output.%s begins", end, NsWriterTypes[i]->name);
    if (NsWriterTypes[i]->check) PetscCall(NsWriterTypes[i]->check(settings_of(output, i), model, arena, diag));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsWriterCreate(const NsWriterType *type, const NsWriterContext *context, NsWriter **result)
{
  NsWriter              *writer = NsArenaAlloc(context->sink->arena, sizeof(*writer));
  const NsEverySettings *settings;
  int                    number = 0;

  PetscFunctionBegin;
  *result = NULL;
  while (NsWriterTypes[number] != type) number++;
  settings = settings_of(context->settings, number);
  *writer  = (NsWriter){.type = type,
     .sink                    = context->sink,
     .model                   = context->model,
     .settings                = settings,
     .every                   = settings ? settings->every : 0,
     .window                  = settings && NsWindowIsGiven(&settings->window) ? &settings->window : NULL,
     .end                     = context->end,
     .steps                   = context->steps,
     .quiet                   = context->quiet};
  if (is_on(context->settings, number) && (!type->wanted || type->wanted(writer))) *result = writer;
  PetscFunctionReturn(0);
}

PetscErrorCode NsWriterOpen(NsWriter *writer)
{
  const NsWriterType *type = writer->type;

  PetscFunctionBegin;
  writer->csv = NsArenaAlloc(writer->sink->arena, sizeof(*writer->csv) * NS_WRITER_TABLES);
  if (type->open) PetscCall(type->open(writer));
  for (int i = 0; type->csv[i]; i++) {
    if (!writer->csv[i].type) NsCsvOpen(&writer->csv[i], writer->sink, type->csv[i], 0, NULL);
  }
  writer->open = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsWriterSerialize(NsWriter *writer, NsArchive *archive)
{
  PetscFunctionBegin;
  for (int i = 0; writer->type->csv[i]; i++) NsFileSerialize(&writer->csv[i].file, archive);
  if (writer->type->serialize) PetscCall(writer->type->serialize(writer, archive));
  PetscFunctionReturn(0);
}

#define NS_WRITER_NAME 32
#define NS_WRITER_END  "end of writer"

/* Its history in checkpoints is bound to the format: a series of `vtk` frames is not continued as `vtu`. */
static void name_of(const NsWriter *writer, char name[NS_WRITER_NAME])
{
  memset(name, 0, NS_WRITER_NAME);
  (void)snprintf(name, NS_WRITER_NAME, "%s%s%s", writer->type->name, writer->form ? " " : "", writer->form ? writer->form : "");
}

static void restart(NsWriter *writer)
{
  for (int i = 0; writer->type->csv[i]; i++) NsFileRestart(&writer->csv[i].file);
}

PetscErrorCode NsWritersSerialize(int writers, NsWriter *const *writer, NsArchive *archive)
{
  PetscInt count = writers, most = 0;
  char     name[NS_WRITER_NAME], own[NS_WRITER_NAME];

  PetscFunctionBegin;
  while (NsWriterTypes[most]) most++;
  NsArchiveCount(archive, "writers", &count, most);
  if (archive->problem[0]) PetscFunctionReturn(0);
  for (int i = 0; i < writers && archive->reading; i++) writer[i]->restored = PETSC_FALSE;
  for (PetscInt k = 0; k < count && !archive->problem[0]; k++) {
    int i = (int)k;

    if (!archive->reading) name_of(writer[i], name);
    NsArchiveBytes(archive, "writer", sizeof(name), name);
    name[sizeof(name) - 1] = 0;
    for (i = 0; i < writers; i++) {
      name_of(writer[i], own);
      if (!strcmp(own, name)) break;
    }
    if (i == writers) {
      NsArchiveSkip(archive, NS_WRITER_END);
      continue;
    }
    writer[i]->restored = PETSC_TRUE;
    PetscCall(NsWriterSerialize(writer[i], archive));
    NsArchiveBytes(archive, NS_WRITER_END, 0, NULL);
  }
  for (int i = 0; i < writers && archive->reading; i++) {
    if (!writer[i]->restored) restart(writer[i]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsWriterClose(NsWriter *writer, const char *status)
{
  PetscFunctionBegin;
  if (!writer->open) PetscFunctionReturn(0);
  writer->open = PETSC_FALSE;                                              /* never closed twice, also if closing fails */
  if (writer->type->close) PetscCall(writer->type->close(writer, status)); /* may write a last row */
  for (int i = 0; writer->type->csv[i]; i++) NsCsvClose(&writer->csv[i]);
  PetscFunctionReturn(0);
}

PetscBool NsWriterFinite(NsWriter *writer, PetscReal sum)
{
  const PetscBool finite = isfinite(sum) != 0;

  writer->not_finite = !finite;
  return finite;
}

const NsCsvType *NsCsvTypeAt(int index)
{
  for (int i = 0; NsWriterTypes[i]; i++) {
    for (int k = 0; NsWriterTypes[i]->csv[k]; k++) {
      if (index-- == 0) return NsWriterTypes[i]->csv[k];
    }
  }
  return index < NS_ANALYSIS_TABLES ? NsAnalysisTables[index] : NULL;
}

const NsVtkType *NsVtkTypeAt(int index)
{
  for (int i = 0; NsWriterTypes[i]; i++) {
    for (int k = 0; NsWriterTypes[i]->vtk[k]; k++) {
      if (index-- == 0) return NsWriterTypes[i]->vtk[k];
    }
  }
  return NULL;
}

const NsCsvType *NsCsvTypeFind(const char *file)
{
  const NsCsvType *type;

  for (int i = 0; (type = NsCsvTypeAt(i)); i++) {
    if (!strcmp(type->file, file)) return type;
  }
  return NULL;
}
