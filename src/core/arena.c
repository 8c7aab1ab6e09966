/*
  A chain of chunks; a piece that does not fit opens a new one. Small pieces share chunks of 64 KiB, larger ones get their own.

  Under AddressSanitizer every piece is a chunk of its own, so that reading past its end is found.
*/
#include "percuss/arena.h"
#include "core/out_of_memory.h"
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_PIECE_A_CHUNK
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ONE_PIECE_A_CHUNK
#endif

#ifdef ONE_PIECE_A_CHUNK
enum { CHUNK_BYTES = 0 };
#else
enum { CHUNK_BYTES = 65536 };
#endif

typedef struct Chunk Chunk;
struct Chunk {
  Chunk *next;
  size_t used, size;
  alignas(max_align_t) char bytes[];
};

struct NsArena {
  Chunk *first; /* the one that is being filled */
};

static Chunk *chunk_create(size_t bytes)
{
  Chunk *chunk;

  if (bytes > SIZE_MAX - sizeof(*chunk)) NsOutOfMemory();
  chunk = calloc(1, sizeof(*chunk) + bytes);
  if (!chunk) NsOutOfMemory();
  chunk->size = bytes;
  return chunk;
}

NsArena *NsArenaCreate(void)
{
  NsArena *arena = calloc(1, sizeof(*arena));

  if (!arena) NsOutOfMemory();
  return arena;
}

void NsArenaDestroy(NsArena **arena)
{
  if (!*arena) return;
  for (Chunk *chunk = (*arena)->first, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  free(*arena);
  *arena = NULL;
}

void *NsArenaAlloc(NsArena *arena, size_t bytes)
{
  const size_t align = alignof(max_align_t);
  Chunk       *chunk;
  void        *piece;

  if (bytes > SIZE_MAX - align) NsOutOfMemory();
  if (!CHUNK_BYTES) {
    chunk        = chunk_create(bytes);
    chunk->next  = arena->first;
    arena->first = chunk;
    return chunk->bytes;
  }
  bytes = (bytes + align - 1) / align * align;
  chunk = arena->first;
  if (!chunk || chunk->size - chunk->used < bytes) {
    const bool large = bytes > CHUNK_BYTES / 4;

    chunk = chunk_create(large ? bytes : CHUNK_BYTES);
    if (large && arena->first) { /* keep filling the chunk in front */
      chunk->next        = arena->first->next;
      arena->first->next = chunk;
    } else {
      chunk->next  = arena->first;
      arena->first = chunk;
    }
  }
  piece = chunk->bytes + chunk->used;
  chunk->used += bytes;
  return piece;
}

char *NsArenaCopy(NsArena *arena, const char *text, size_t length)
{
  char *copy;

  if (length == SIZE_MAX) NsOutOfMemory();
  copy = NsArenaAlloc(arena, length + 1);
  if (length) memcpy(copy, text, length);
  return copy;
}

char *NsArenaPrint(NsArena *arena, const char *format, ...)
{
  va_list arguments;
  char   *text;

  va_start(arguments, format);
  text = NsArenaPrintV(arena, format, arguments);
  va_end(arguments);
  return text;
}

char *NsArenaPrintV(NsArena *arena, const char *format, va_list arguments)
{
  va_list again;
  char   *text;
  int     length;

  va_copy(again, arguments);
  length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0) NsOutOfMemory(); /* only a text over 2 GB gets here */
  text = NsArenaAlloc(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  return text;
}
