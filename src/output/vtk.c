#include "vtk.h"
#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(PetscReal) == 8, "VTK arrays are written as double");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are swapped to big endian");

void NsVtkCreate(NsVtk *vtk, NsSink *sink)
{
  memset(vtk, 0, sizeof(*vtk));
  NsFileCreate(&vtk->file, sink, 1 << 18);
}

PetscBool NsVtkFits(PetscInt points, PetscInt cells)
{
  return (int64_t)points <= INT32_MAX / 2 && (int64_t)cells <= INT32_MAX / (1 + NS_CELL_POINTS); /* words of CELLS */
}

void NsVtkOpen(NsVtk *vtk, const char *name, const char *title)
{
  char   line[200];
  size_t n = 0;

  for (; n < sizeof(line) - 1 && title[n]; n++) line[n] = title[n] >= ' ' && title[n] <= '~' ? title[n] : '?';
  line[n] = 0;
  NsFileOpenPart(&vtk->file, name);
  NsFileText(&vtk->file, "# vtk DataFile Version 3.0\n");
  NsFilePrint(&vtk->file, "%s\nBINARY\n", line);
}

/* Swapped on the way into the buffer, as many as have room. */
static void put_doubles(NsVtk *vtk, size_t count, const PetscReal *value)
{
  NsFile *file = &vtk->file;

  while (count) {
    char        *to = NsFileReserve(file, sizeof(uint64_t));
    const size_t n  = PetscMin(count, (file->capacity - file->used) / sizeof(uint64_t));

    for (size_t i = 0; i < n; i++) {
      uint64_t word;
      memcpy(&word, value + i, sizeof(word));
      word = __builtin_bswap64(word);
      memcpy(to + i * sizeof(word), &word, sizeof(word));
    }
    file->used += n * sizeof(uint64_t);
    value += n;
    count -= n;
  }
  NsFileBytes(file, "\n", 1);
}

static void put_int(NsVtk *vtk, PetscInt value)
{
  const uint32_t word = __builtin_bswap32((uint32_t)value);

  memcpy(NsFileReserve(&vtk->file, sizeof(word)), &word, sizeof(word));
  vtk->file.used += sizeof(word);
}

static void put_time(NsVtk *vtk, PetscReal time, PetscInt64 step)
{
  const PetscReal cycle = (PetscReal)step; /* as double: steps may outgrow 32 bits */

  NsFileText(&vtk->file, "FIELD FieldData 2\nTimeValue 1 1 double\n");
  put_doubles(vtk, 1, &time);
  NsFileText(&vtk->file, "CYCLE 1 1 double\n");
  put_doubles(vtk, 1, &cycle);
}

static void put_points(NsVtk *vtk, PetscInt points, const PetscReal *x)
{
  vtk->points = points;
  NsFilePrint(&vtk->file, "POINTS %lld double\n", (long long)points);
  put_doubles(vtk, 3 * (size_t)points, x);
}

static void put_vertices(NsVtk *vtk, const char *keyword, PetscInt points)
{
  NsFilePrint(&vtk->file, "%s %lld %lld\n", keyword, (long long)points, 2 * (long long)points);
  for (PetscInt i = 0; i < points; i++) {
    put_int(vtk, 1);
    put_int(vtk, i);
  }
  NsFileBytes(&vtk->file, "\n", 1);
}

static void put_cells(NsVtk *vtk, const NsScene *scene)
{
  const PetscInt *end   = scene->cell;
  int64_t         words = scene->cells;

  for (PetscInt i = 0; i < scene->cells; i++) words += NsCellPoints(scene->kind[i]);
  NsFilePrint(&vtk->file, "CELLS %lld %lld\n", (long long)scene->cells, (long long)words);
  for (PetscInt i = 0; i < scene->cells; i++) {
    const PetscInt ends = NsCellPoints(scene->kind[i]);
    put_int(vtk, ends);
    for (PetscInt k = 0; k < ends; k++) put_int(vtk, *end++);
  }
  NsFileBytes(&vtk->file, "\n", 1);
}

void NsVtkGrid(NsVtk *vtk, PetscReal time, PetscInt64 step, const NsScene *scene)
{
  const PetscInt cells = scene->cells ? scene->cells : scene->points;

  NsFileText(&vtk->file, "DATASET UNSTRUCTURED_GRID\n");
  put_time(vtk, time, step);
  put_points(vtk, scene->points, scene->x);
  vtk->cells = scene->cells;
  if (scene->cells)
    put_cells(vtk, scene);
  else
    put_vertices(vtk, "CELLS", scene->points);
  NsFilePrint(&vtk->file, "CELL_TYPES %lld\n", (long long)cells);
  for (PetscInt i = 0; i < cells; i++) put_int(vtk, (PetscInt)(scene->cells ? scene->kind[i] : NS_CELL_VERTEX));
  NsFileBytes(&vtk->file, "\n", 1);
}

void NsVtkVertices(NsVtk *vtk, PetscReal time, PetscInt64 step, PetscInt points, const PetscReal *x)
{
  NsFileText(&vtk->file, "DATASET POLYDATA\n");
  vtk->cells = 0;
  put_time(vtk, time, step);
  put_points(vtk, points, x);
  put_vertices(vtk, "VERTICES", points);
}

static void put_array(NsVtk *vtk, PetscInt tuples, const NsVtkArray *array, const void *values)
{
  const void *const value = *(const void *const *)((const char *)values + array->offset);
  size_t            width = 1;

  if (!value) return;
  switch (array->kind) {
  case NS_VTK_INTEGERS:
    NsFilePrint(&vtk->file, "SCALARS %s int 1\nLOOKUP_TABLE default\n", array->name);
    for (PetscInt i = 0; i < tuples; i++) put_int(vtk, ((const PetscInt *)value)[i]);
    NsFileBytes(&vtk->file, "\n", 1);
    return;
  case NS_VTK_SCALARS: NsFilePrint(&vtk->file, "SCALARS %s double 1\nLOOKUP_TABLE default\n", array->name); break;
  case NS_VTK_VECTORS:
    NsFilePrint(&vtk->file, "VECTORS %s double\n", array->name);
    width = 3;
    break;
  case NS_VTK_TENSORS: NsFilePrint(&vtk->file, "TENSORS %s double\n", array->name); width = 9;
  }
  put_doubles(vtk, width * (size_t)tuples, value);
}

void NsVtkArrays(NsVtk *vtk, const NsVtkType *type, const void *values)
{
  NsFilePrint(&vtk->file, "POINT_DATA %lld\n", (long long)vtk->points);
  for (const NsVtkArray *array = type->point; array->name; array++) put_array(vtk, vtk->points, array, values);
  if (!type->cell || !vtk->cells) return;
  NsFilePrint(&vtk->file, "CELL_DATA %lld\n", (long long)vtk->cells);
  for (const NsVtkArray *array = type->cell; array->name; array++) put_array(vtk, vtk->cells, array, values);
}

PetscBool NsVtkClose(NsVtk *vtk)
{
  return NsFilePublish(&vtk->file, PETSC_FALSE);
}
