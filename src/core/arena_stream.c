#include "arena_stream.h"
#include <string.h>
#include "out_of_memory.h"

/* There is always room for the NUL. */
static ssize_t add(void *cookie, const char *bytes, size_t size)
{
  NsArenaStream *stream = cookie;

  if (stream->capacity - stream->used <= size) {
    const size_t capacity = 2 * (stream->used + size + 1);
    char        *more     = NsArenaAlloc(stream->arena, capacity);
    if (stream->used) memcpy(more, stream->bytes, stream->used);
    stream->bytes    = more;
    stream->capacity = capacity;
  }
  memcpy(stream->bytes + stream->used, bytes, size);
  stream->used += size;
  return (ssize_t)size;
}

FILE *NsArenaStreamOpen(NsArenaStream *stream, NsArena *arena)
{
  *stream      = (NsArenaStream){.arena = arena};
  stream->file = fopencookie(stream, "w", (cookie_io_functions_t){.write = add});
  if (!stream->file) NsOutOfMemory();
  return stream->file;
}

char *NsArenaStreamClose(NsArenaStream *stream, size_t *size)
{
  (void)fclose(stream->file);
  if (!stream->bytes) stream->bytes = NsArenaAlloc(stream->arena, 1);
  stream->bytes[stream->used] = '\0';
  if (size) *size = stream->used;
  return stream->bytes;
}
