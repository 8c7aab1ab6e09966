#include <stdio.h>
#include <string.h>
#include "percuss/memory.h"

/* A record: length of the name in one byte, name, size in eight bytes, what is kept. */
#define NS_MEMORY_NAME 63

static void move(NsMemory *memory, void *bytes, size_t size)
{
  if (!memory->problem[0] && !memory->move(memory->context, bytes, size)) (void)snprintf(memory->problem, sizeof(memory->problem), "ends too early");
}

static void write_head(NsMemory *memory, const char *name, size_t size)
{
  unsigned char length = (unsigned char)strlen(name);
  uint64_t      bytes  = size;
  char          copy[NS_MEMORY_NAME + 1];

  (void)snprintf(copy, sizeof(copy), "%s", name);
  move(memory, &length, 1);
  move(memory, copy, length);
  move(memory, &bytes, sizeof(bytes));
}

static void read_head(NsMemory *memory, const char *name, size_t size)
{
  unsigned char length                    = 0;
  uint64_t      bytes                     = 0;
  char          found[NS_MEMORY_NAME + 1] = "";

  move(memory, &length, 1);
  if (!memory->problem[0] && length > NS_MEMORY_NAME)
    (void)snprintf(memory->problem, sizeof(memory->problem), "has no name where '%s' should be", name);
  if (!memory->problem[0]) move(memory, found, length);
  if (!memory->problem[0] && strcmp(found, name) != 0) {
    for (char *c = found; *c; c++) *c = *c >= ' ' && *c <= '~' ? *c : '?';
    (void)snprintf(memory->problem, sizeof(memory->problem), "holds '%s' where '%s' should be", found, name);
  }
  move(memory, &bytes, sizeof(bytes));
  if (!memory->problem[0] && bytes != size)
    (void)snprintf(
      memory->problem, sizeof(memory->problem), "has %llu bytes of '%s' instead of %llu", (unsigned long long)bytes, name, (unsigned long long)size);
}

void NsMemoryBytes(NsMemory *memory, const char *name, size_t size, void *bytes)
{
  if (memory->reading)
    read_head(memory, name, size);
  else
    write_head(memory, name, size);
  if (size) move(memory, bytes, size);
}

void NsMemoryReals(NsMemory *memory, const char *name, PetscInt64 count, PetscReal *value)
{
  NsMemoryBytes(memory, name, sizeof(*value) * (size_t)count, value);
}

void NsMemoryLongs(NsMemory *memory, const char *name, PetscInt count, PetscInt64 *value)
{
  const PetscInt64 most = (PetscInt64)1 << 60; /* nothing that a run counts gets there, and counting on does not overflow */

  NsMemoryBytes(memory, name, sizeof(*value) * (size_t)count, value);
  for (PetscInt i = 0; i < count && memory->reading; i++) {
    if (value[i] <= most && value[i] >= -most) continue;
    value[i] = 0;
    NsMemoryDeny(memory, name);
  }
}

void NsMemoryLong(NsMemory *memory, const char *name, PetscInt64 *value)
{
  NsMemoryLongs(memory, name, 1, value);
}

void NsMemoryDeny(NsMemory *memory, const char *name)
{
  if (!memory->problem[0]) (void)snprintf(memory->problem, sizeof(memory->problem), "holds a '%s' that cannot be", name);
}

void NsMemoryFlags(NsMemory *memory, const char *name, PetscInt count, PetscBool *flag)
{
  NsMemoryBytes(memory, name, sizeof(*flag) * (size_t)count, flag);
  for (PetscInt i = 0; i < count && memory->reading && !memory->problem[0]; i++) {
    if (flag[i] != PETSC_FALSE && flag[i] != PETSC_TRUE) NsMemoryDeny(memory, name);
  }
}

void NsMemoryIndices(NsMemory *memory, const char *name, PetscInt count, PetscInt *index, PetscInt below)
{
  NsMemoryBytes(memory, name, sizeof(*index) * (size_t)count, index);
  for (PetscInt i = 0; i < count && memory->reading && !memory->problem[0]; i++) {
    if (index[i] < 0 || index[i] >= below) NsMemoryDeny(memory, name);
  }
}

void NsMemoryCount(NsMemory *memory, const char *name, PetscInt *value, PetscInt most)
{
  PetscInt count = *value;

  NsMemoryBytes(memory, name, sizeof(count), &count);
  if (!memory->problem[0] && (count < 0 || count > most)) NsMemoryDeny(memory, name);
  if (!memory->problem[0]) *value = count;
}

PetscErrorCode NsMemoryVec(NsMemory *memory, const char *name, Vec x)
{
  PetscScalar *value;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &value));
  NsMemoryReals(memory, name, n, value);
  PetscCall(VecRestoreArray(x, &value));
  PetscFunctionReturn(0);
}

/* Ascending from 0. */
static PetscBool is_start(PetscInt count, const PetscInt *start, PetscInt last)
{
  if (start[0] != 0 || start[count] != last) return PETSC_FALSE;
  for (PetscInt i = 0; i < count; i++) {
    if (start[i] > start[i + 1]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

void NsMemoryRows(NsMemory *memory, const char *name, const NsModel *model, NsRows *rows)
{
  PetscInt entries = rows->rows ? rows->first[rows->rows] : 0;

  NsMemoryCount(memory, name, &rows->contacts, model->candidates);
  NsMemoryCount(memory, "rows", &rows->rows, rows->row_capacity);
  NsMemoryCount(memory, "entries", &entries, rows->entry_capacity);
  if (memory->problem[0]) rows->contacts = rows->rows = entries = 0;
  if (!rows->rows) return;
  NsMemoryIndices(memory, "contact", rows->contacts, rows->contact, model->candidates);
  NsMemoryIndices(memory, "start", rows->contacts + 1, rows->start, rows->rows + 1);
  NsMemoryIndices(memory, "first", rows->rows + 1, rows->first, entries + 1);
  NsMemoryIndices(memory, "touch", entries, rows->touch, model->touches);
  NsMemoryReals(memory, "value", entries, rows->value);
  NsMemoryReals(memory, "drive", rows->rows, rows->drive);
  if (!memory->problem[0] && (!is_start(rows->contacts, rows->start, rows->rows) || !is_start(rows->rows, rows->first, entries)))
    NsMemoryDeny(memory, name);
  if (memory->problem[0]) rows->contacts = rows->rows = 0;
}
