#include "out_of_memory.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void (*last_words)(void *context);
static void *last_context;

void NsLastWords(void (*words)(void *context), void *context)
{
  last_words   = words;
  last_context = context;
}

_Noreturn void NsOutOfMemory(void)
{
  void (*const words)(void *) = last_words;

  last_words = NULL; /* they may run out of memory, too */
  if (words) words(last_context);
  fputs("percuss: error: out of memory\n", stderr);
  exit(1);
}

void *NsZeros(size_t count, size_t size)
{
  void *memory = calloc(count > 0 ? count : 1, size);

  if (!memory) NsOutOfMemory();
  return memory;
}
