/*
  Out of memory: one line on stderr, "percuss: error: out of memory", and exit code 1, whether percuss, PETSc or libyaml asked for it. It is not a bug, so there is no traceback.
  If this happens to one of several processes, their launcher ends the others.
*/
#pragma once
#include <stddef.h>

/* Ends the program, after the function that NsLastWords has set. */
_Noreturn void NsOutOfMemory(void);
/* Memory for free(), zero; never NULL. Pages of a large array that are never written take no memory, such as those of inactive contacts. */
void *NsZeros(size_t count, size_t size);
/* Sets a function to be called once before the program ends this way, such as to close the results of a run; NULL: none. It should not allocate; if it runs out of memory too, the
   program ends at once. */
void NsLastWords(void (*words)(void *context), void *context);
