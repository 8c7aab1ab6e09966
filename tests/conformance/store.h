/* What archives move, in memory. */
#pragma once
#include <stdlib.h>
#include <string.h>
#include "percuss/archive.h"

typedef struct {
  char  *byte;
  size_t used, at, capacity;
} Store;

static inline PetscBool put(void *context, void *bytes, size_t size)
{
  Store *store = context;

  while (store->used + size > store->capacity) {
    store->capacity = 2 * store->capacity + 4096;
    store->byte     = realloc(store->byte, store->capacity);
  }
  memcpy(store->byte + store->used, bytes, size);
  store->used += size;
  return PETSC_TRUE;
}

static inline PetscBool get(void *context, void *bytes, size_t size)
{
  Store *store = context;

  if (store->used - store->at < size) return PETSC_FALSE;
  memcpy(bytes, store->byte + store->at, size);
  store->at += size;
  return PETSC_TRUE;
}
