#include "pool.h"
#include <stdint.h>
#include <string.h>

#define NS_ALIGNMENT 64 /* bytes */

static size_t hash(const PetscReal *x, PetscInt n)
{
  uint64_t h = 1469598103934665603u;

  for (PetscInt i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof(bits));
    h = (h ^ bits) * 1099511628211u;
    h ^= h >> 29;
  }
  return (size_t)h;
}

static PetscReal *row_at(const NsPool *pool, PetscInt number)
{
  return pool->row + (size_t)number * (size_t)pool->width;
}

static PetscErrorCode resize(NsPool *pool, PetscInt capacity)
{
  const size_t size = sizeof(*pool->row) * (size_t)pool->width;
  void        *memory;

  PetscFunctionBegin;
  PetscCall(PetscMalloc(size * (size_t)capacity + NS_ALIGNMENT, &memory));
  PetscReal *row = (PetscReal *)(((uintptr_t)memory + NS_ALIGNMENT - 1) / NS_ALIGNMENT * NS_ALIGNMENT);
  if (pool->rows) memcpy(row, pool->row, size * (size_t)pool->rows);
  PetscCall(PetscFree(pool->memory));
  pool->memory   = memory;
  pool->row      = row;
  pool->capacity = capacity;
  PetscFunctionReturn(0);
}

/* Entry of the hash table that has the row x[width], or is where it belongs. */
static int *find(const NsPool *pool, const PetscReal *x)
{
  const size_t mask = (size_t)pool->entries - 1;
  size_t       i    = hash(x, pool->width) & mask;

  while (pool->index[i] >= 0 && memcmp(row_at(pool, pool->index[i]), x, sizeof(*x) * (size_t)pool->width)) i = (i + 1) & mask;
  return &pool->index[i];
}

/* At most half full, so that a search compares few entries. */
static PetscErrorCode grow_index(NsPool *pool, PetscInt entries)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(pool->index));
  PetscCall(PetscMalloc1(entries, &pool->index));
  for (PetscInt i = 0; i < entries; i++) pool->index[i] = -1;
  pool->entries = entries;
  for (PetscInt r = 0; r < pool->rows; r++) *find(pool, row_at(pool, r)) = (int)r;
  PetscFunctionReturn(0);
}

PetscErrorCode NsPoolCreate(PetscInt width, NsPool *pool)
{
  PetscFunctionBegin;
  *pool = (NsPool){.width = width};
  PetscCall(grow_index(pool, 16));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPoolAdd(NsPool *pool, const PetscReal *x, int *number)
{
  int *entry = find(pool, x);

  PetscFunctionBegin;
  if (*entry < 0) {
    if (pool->rows == pool->capacity) PetscCall(resize(pool, 2 * pool->capacity + 1));
    memcpy(row_at(pool, pool->rows), x, sizeof(*x) * (size_t)pool->width);
    *entry = (int)pool->rows++;
  }
  *number = *entry;
  if (2 * pool->rows > pool->entries) PetscCall(grow_index(pool, 2 * pool->entries));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPoolClose(NsPool *pool)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(pool->index));
  if (pool->capacity > pool->rows) PetscCall(resize(pool, pool->rows));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPoolDestroy(NsPool *pool)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(pool->index));
  PetscCall(PetscFree(pool->memory));
  PetscFunctionReturn(0);
}
