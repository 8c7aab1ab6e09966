#include <stdio.h>
#include <string.h>
#include "percuss/archive.h"

/* A record: length of the name in one byte, name, size in eight bytes, data. */
#define NS_MEMORY_NAME 63

static void move(NsArchive *archive, void *bytes, size_t size)
{
  if (!archive->problem[0] && !archive->move(archive->context, bytes, size))
    (void)snprintf(archive->problem, sizeof(archive->problem), "ends too early");
}

static void write_head(NsArchive *archive, const char *name, size_t size)
{
  unsigned char length = (unsigned char)strlen(name);
  uint64_t      bytes  = size;
  char          copy[NS_MEMORY_NAME + 1];

  (void)snprintf(copy, sizeof(copy), "%s", name);
  move(archive, &length, 1);
  move(archive, copy, length);
  move(archive, &bytes, sizeof(bytes));
}

static void read_head(NsArchive *archive, const char *name, size_t size)
{
  unsigned char length                    = 0;
  uint64_t      bytes                     = 0;
  char          found[NS_MEMORY_NAME + 1] = "";

  move(archive, &length, 1);
  if (!archive->problem[0] && length > NS_MEMORY_NAME)
    (void)snprintf(archive->problem, sizeof(archive->problem), "has no name where '%s' is expected", name);
  if (!archive->problem[0]) move(archive, found, length);
  if (!archive->problem[0] && strcmp(found, name) != 0) {
    for (char *c = found; *c; c++) *c = *c >= ' ' && *c <= '~' ? *c : '?';
    (void)snprintf(archive->problem, sizeof(archive->problem), "contains '%s' where '%s' is expected", found, name);
  }
  move(archive, &bytes, sizeof(bytes));
  if (!archive->problem[0] && bytes != size)
    (void)snprintf(archive->problem, sizeof(archive->problem), "has %llu bytes of '%s' instead of %llu", (unsigned long long)bytes, name,
      (unsigned long long)size);
}

void NsArchiveBytes(NsArchive *archive, const char *name, size_t size, void *bytes)
{
  if (archive->reading)
    read_head(archive, name, size);
  else
    write_head(archive, name, size);
  if (size) move(archive, bytes, size);
}

void NsArchiveReals(NsArchive *archive, const char *name, PetscInt64 count, PetscReal *value)
{
  NsArchiveBytes(archive, name, sizeof(*value) * (size_t)count, value);
}

void NsArchiveLongs(NsArchive *archive, const char *name, PetscInt count, PetscInt64 *value)
{
  const PetscInt64 most = (PetscInt64)1 << 60; /* nothing that a run counts gets there, and counting on does not overflow */

  NsArchiveBytes(archive, name, sizeof(*value) * (size_t)count, value);
  for (PetscInt i = 0; i < count && archive->reading; i++) {
    if (value[i] <= most && value[i] >= -most) continue;
    value[i] = 0;
    NsArchiveDeny(archive, name);
  }
}

void NsArchiveLong(NsArchive *archive, const char *name, PetscInt64 *value)
{
  NsArchiveLongs(archive, name, 1, value);
}

void NsArchiveSkip(NsArchive *archive, const char *name)
{
  char found[NS_MEMORY_NAME + 1], data[256];

  do {
    unsigned char length = 0;
    uint64_t      bytes  = 0;

    memset(found, 0, sizeof(found));
    move(archive, &length, 1);
    if (!archive->problem[0] && length > NS_MEMORY_NAME) NsArchiveDeny(archive, name);
    if (!archive->problem[0]) move(archive, found, length);
    move(archive, &bytes, sizeof(bytes));
    for (; bytes && !archive->problem[0]; bytes -= bytes < sizeof(data) ? bytes : sizeof(data))
      move(archive, data, bytes < sizeof(data) ? (size_t)bytes : sizeof(data));
  } while (!archive->problem[0] && strcmp(found, name) != 0);
}

void NsArchiveDeny(NsArchive *archive, const char *name)
{
  if (!archive->problem[0]) (void)snprintf(archive->problem, sizeof(archive->problem), "contains an invalid value of '%s'", name);
}

void NsArchiveFlags(NsArchive *archive, const char *name, PetscInt count, PetscBool *flag)
{
  NsArchiveBytes(archive, name, sizeof(*flag) * (size_t)count, flag);
  for (PetscInt i = 0; i < count && archive->reading && !archive->problem[0]; i++) {
    if (flag[i] != PETSC_FALSE && flag[i] != PETSC_TRUE) NsArchiveDeny(archive, name);
  }
}

void NsArchiveIndices(NsArchive *archive, const char *name, PetscInt count, PetscInt *index, PetscInt below)
{
  NsArchiveBytes(archive, name, sizeof(*index) * (size_t)count, index);
  for (PetscInt i = 0; i < count && archive->reading && !archive->problem[0]; i++) {
    if (index[i] < 0 || index[i] >= below) NsArchiveDeny(archive, name);
  }
}

void NsArchiveCount(NsArchive *archive, const char *name, PetscInt *value, PetscInt most)
{
  PetscInt count = *value;

  NsArchiveBytes(archive, name, sizeof(count), &count);
  if (!archive->problem[0] && (count < 0 || count > most)) NsArchiveDeny(archive, name);
  if (!archive->problem[0]) *value = count;
}

PetscErrorCode NsArchiveVec(NsArchive *archive, const char *name, Vec x)
{
  PetscScalar *value;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &value));
  NsArchiveReals(archive, name, n, value);
  PetscCall(VecRestoreArray(x, &value));
  PetscFunctionReturn(0);
}
