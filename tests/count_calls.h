/*
  Counts every call of the allocator, PETSc's, LAPACK's and ours alike, in `calls`; not where a sanitizer has an allocator of its own (NS_COUNT_CALLS 0). For one file
  of a program.
*/
#pragma once
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define NS_COUNT_CALLS 0 /* the sanitizer has an allocator of its own */
#else
#define NS_COUNT_CALLS 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
void        *memalign(size_t alignment, size_t size);

static long calls;

void *malloc(size_t size)
{
  calls++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  calls++;
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
  calls++;
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
  calls++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  calls++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
  calls++;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}
#endif
