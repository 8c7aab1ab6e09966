#include "vtk.h"
#include <stdint.h>
#include <string.h>

enum { VTK_VERTEX = 1, VTK_LINE = 3 }; /* vtkCellType.h */

_Static_assert(sizeof(PetscReal) == 8, "VTK arrays are written as double");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are swapped to big endian");

void NsVtkCreate(NsVtk *vtk, NsSink *sink)
{
  memset(vtk, 0, sizeof(*vtk));
  NsFileCreate(&vtk->file, sink, 1 << 18);
}

PetscBool NsVtkFits(PetscInt points, PetscInt cells)
{
  return (int64_t)points <= INT32_MAX / 2 && (int64_t)cells <= INT32_MAX / 3; /* sizes of CELLS: 3 words a line, 2 a vertex */
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
  vtk->cells = points;
  NsFilePrint(&vtk->file, "%s %lld %lld\n", keyword, (long long)points, 2 * (long long)points);
  for (PetscInt i = 0; i < points; i++) {
    put_int(vtk, 1);
    put_int(vtk, i);
  }
  NsFileBytes(&vtk->file, "\n", 1);
}

static PetscInt corners(const PetscInt cell[2])
{
  return cell[0] == cell[1] ? 1 : 2;
}

void NsVtkGrid(NsVtk *vtk, PetscReal time, PetscInt64 step, PetscInt points, const PetscReal *x, PetscInt cells, const PetscInt *cell)
{
  NsFileText(&vtk->file, "DATASET UNSTRUCTURED_GRID\n");
  put_time(vtk, time, step);
  put_points(vtk, points, x);
  if (cells) {
    int64_t words = cells;

    for (PetscInt i = 0; i < cells; i++) words += corners(cell + 2 * i);
    vtk->cells = cells;
    NsFilePrint(&vtk->file, "CELLS %lld %lld\n", (long long)cells, (long long)words);
    for (PetscInt i = 0; i < cells; i++) {
      put_int(vtk, corners(cell + 2 * i));
      for (PetscInt k = 0; k < corners(cell + 2 * i); k++) put_int(vtk, cell[2 * i + k]);
    }
    NsFileBytes(&vtk->file, "\n", 1);
  } else
    put_vertices(vtk, "CELLS", points);
  NsFilePrint(&vtk->file, "CELL_TYPES %lld\n", (long long)vtk->cells);
  for (PetscInt i = 0; i < vtk->cells; i++) put_int(vtk, cells && corners(cell + 2 * i) == 2 ? VTK_LINE : VTK_VERTEX);
  NsFileBytes(&vtk->file, "\n", 1);
}

void NsVtkVertices(NsVtk *vtk, PetscReal time, PetscInt64 step, PetscInt points, const PetscReal *x)
{
  NsFileText(&vtk->file, "DATASET POLYDATA\n");
  put_time(vtk, time, step);
  put_points(vtk, points, x);
  put_vertices(vtk, "VERTICES", points);
}

void NsVtkPointData(NsVtk *vtk)
{
  vtk->tuples = vtk->points;
  NsFilePrint(&vtk->file, "POINT_DATA %lld\n", (long long)vtk->tuples);
}

void NsVtkCellData(NsVtk *vtk)
{
  vtk->tuples = vtk->cells;
  NsFilePrint(&vtk->file, "CELL_DATA %lld\n", (long long)vtk->tuples);
}

void NsVtkScalars(NsVtk *vtk, const char *name, const PetscReal *value)
{
  NsFilePrint(&vtk->file, "SCALARS %s double 1\nLOOKUP_TABLE default\n", name);
  put_doubles(vtk, (size_t)vtk->tuples, value);
}

void NsVtkIntegers(NsVtk *vtk, const char *name, const PetscInt *value)
{
  NsFilePrint(&vtk->file, "SCALARS %s int 1\nLOOKUP_TABLE default\n", name);
  for (PetscInt i = 0; i < vtk->tuples; i++) put_int(vtk, value[i]);
  NsFileBytes(&vtk->file, "\n", 1);
}

void NsVtkVectors(NsVtk *vtk, const char *name, const PetscReal *value)
{
  NsFilePrint(&vtk->file, "VECTORS %s double\n", name);
  put_doubles(vtk, 3 * (size_t)vtk->tuples, value);
}

PetscBool NsVtkClose(NsVtk *vtk)
{
  return NsFilePublish(&vtk->file, PETSC_FALSE);
}
