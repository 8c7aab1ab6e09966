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
  if (*writer) PetscCall((*writer)->type->close(*writer));
  *writer = NULL; /* its memory is the arena's */
  PetscFunctionReturn(0);
}

void NsWriterOpenTable(NsFile *file, NsRun *run, const char *name, PetscInt columns)
{
  /* Two rows fit, so that a flush never cuts one; and enough rows that writing them costs nothing. */
  NsFileCreate(file, run, PetscMax((size_t)65536, 2 * 26 * ((size_t)columns + 1)));
  NsFileOpen(file, NsRunPath(run, "%s", name));
  NsRunAddFile(run, &run->outputs, name);
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
