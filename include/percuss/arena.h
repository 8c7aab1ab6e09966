/*
  Memory that lives as long as a run: many small pieces, freed together.

  Settings, trees, names and diagnostics come from an arena, so no function that reads a config has a clean-up path.
  An allocation never returns NULL: when the machine has no memory left the program says so and ends with exit code 1
  (src/core/out_of_memory.h).
*/
#pragma once
#include <stdarg.h>
#include <stddef.h>

typedef struct NsArena NsArena;

NsArena *NsArenaCreate(void);
void     NsArenaDestroy(NsArena **arena);
/* Zeroed, aligned for any type. */
void *NsArenaAlloc(NsArena *arena, size_t bytes);
char *NsArenaCopy(NsArena *arena, const char *text, size_t length);
/* printf into the arena. */
char *NsArenaPrint(NsArena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *NsArenaPrintV(NsArena *arena, const char *format, va_list arguments);
