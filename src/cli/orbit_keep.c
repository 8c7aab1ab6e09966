/* percuss orbit --resume: reading and writing orbit.checkpoint. */
#include "orbit_keep.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "output/file.h"
#include "output/folder.h"
#include "results/record.h"

#define NS_FILE "orbit.checkpoint"

typedef struct {
  NsArena *arena;
  char    *bytes;
  size_t   size, room, at;
} Buffer;

static PetscBool move_out(void *context, void *bytes, size_t size)
{
  Buffer *buffer = context;

  if (buffer->size + size > buffer->room) {
    const size_t room = 2 * (buffer->size + size) + 65536;
    char        *more = NsArenaAlloc(buffer->arena, room);
    if (buffer->size) memcpy(more, buffer->bytes, buffer->size);
    buffer->bytes = more;
    buffer->room  = room;
  }
  memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
  return PETSC_TRUE;
}

static PetscBool move_in(void *context, void *bytes, size_t size)
{
  Buffer *buffer = context;

  if (size > buffer->size - buffer->at) return PETSC_FALSE;
  memcpy(bytes, buffer->bytes + buffer->at, size);
  buffer->at += size;
  return PETSC_TRUE;
}

/* A file among the results; NULL: it is not there, or cannot be read. */
static const char *read_all(NsRun *run, const char *name, size_t *size)
{
  FILE  *file   = fopen(NsSinkPath(NsRunSink(run), name), "rb");
  Buffer buffer = {.arena = NsRunArena(run)};
  char   part[65536];
  size_t length;

  if (!file) return NULL;
  while ((length = fread(part, 1, sizeof(part), file)) > 0) (void)move_out(&buffer, part, length);
  const bool good = !ferror(file);
  (void)fclose(file);
  *size = buffer.size;
  return good ? buffer.size ? buffer.bytes : "" : NULL;
}

NsKept NsOrbitKeptRead(NsRun *run, const char **bytes, size_t *size)
{
  const char *path = NsRunSink(run)->directory;
  size_t      there, here;

  if (NsDirectoryLook(path, NsRunArena(run)) != NS_DIRECTORY_RESULTS) return NS_KEPT_NOTHING; /* free; or foreign, which is refused later */
  const char *config = read_all(run, "config.yaml", &there), *now = NsRunConfigText(run, &here);
  if (!config || there != here || memcmp(config, now, here) != 0) {
    fprintf(stderr, "percuss orbit: the results in '%s' belong to another config or other options; --overwrite replaces them, --out %s keeps them\n",
      path, NsDirectoryFreeName(path, NsRunArena(run)));
    return NS_KEPT_REFUSED;
  }
  *bytes = read_all(run, NS_FILE, size);
  if (*bytes) return NS_KEPT_THERE;
  const NsRunRecord *record = NsRunRecordRead(path, NsRunArena(run), NsDiagCreate(NsRunArena(run)));
  return record && !strcmp(record->status, "done") ? NS_KEPT_COMPLETE : NS_KEPT_NOTHING;
}

bool NsOrbitKeptTake(NsOrbitBranch *branch, const NsOrbitSystem *system, const char *bytes, size_t size, PetscInt *found, NsOrbitPoint ***first)
{
  Buffer    buffer  = {.bytes = (char *)(uintptr_t)bytes, .size = size};
  NsArchive archive = {.reading = PETSC_TRUE, .move = move_in, .context = &buffer};

  NsOrbitBranchSerialize(branch, system, found, first, &archive);
  if (archive.problem[0])
    fprintf(stderr, "percuss orbit: cannot continue: the checkpoint %s; --overwrite computes everything anew\n", archive.problem);
  return !archive.problem[0];
}

PetscErrorCode NsOrbitKeptWrite(NsRun *run, NsOrbitBranch *branch, const NsOrbitSystem *system, PetscInt found, NsOrbitPoint **first)
{
  Buffer    buffer  = {.arena = NsRunArena(run)};
  NsArchive archive = {.reading = PETSC_FALSE, .move = move_out, .context = &buffer};

  PetscFunctionBegin;
  NsOrbitBranchSerialize(branch, system, &found, &first, &archive);
  (void)NsFileReplace(NsRunSink(run), NS_FILE, buffer.bytes, buffer.size, PETSC_TRUE);
  PetscFunctionReturn(0);
}
