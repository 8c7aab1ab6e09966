#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/sha256.h"
#include "percuss/output.h"

void NsSinkFail(NsSink *sink, const char *format, ...)
{
  va_list arguments;

  if (sink->failure[0]) return;
  va_start(arguments, format);
  (void)vsnprintf(sink->failure, sizeof(sink->failure), format, arguments);
  va_end(arguments);
}

const char *NsSinkPath(const NsSink *sink, const char *format, ...)
{
  va_list     arguments;
  const char *tail;

  va_start(arguments, format);
  tail = NsArenaPrintV(sink->arena, format, arguments);
  va_end(arguments);
  return NsArenaPrint(sink->arena, "%s/%s", sink->directory, tail);
}

void NsFileListAdd(NsFileList **list, const char *path, NsArena *arena)
{
  while (*list) list = &(*list)->next;
  *list         = NsArenaAlloc(arena, sizeof(**list));
  (*list)->path = NsArenaCopy(arena, path, strlen(path));
}

const char *NsFileListHash(NsFileList *file)
{
  return file->hash[0] || NsSha256File(file->path, file->hash) == 0 ? file->hash : NULL;
}
