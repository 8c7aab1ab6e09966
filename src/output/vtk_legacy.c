/*
  Legacy VTK files: version 3.0, binary, big endian. Every reader understands them (ParaView, VisIt, meshio, vtk-js choke on newer ones).

  Requirements of VTK 9.1: the size after CELLS must be exact (a wrong one makes the reader crash), each block of bytes is followed by one newline, ids have 32 bits, titles have less than 256
  bytes, names have no spaces.
*/
#include "vtk_format.h"
#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(PetscReal) == 8, "VTK arrays are written as double");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are swapped to big endian");

/* Swapped on the way into the buffer, as many as have room. */
static void put_doubles(NsFile *file, size_t count, const PetscReal *value)
{
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

static void put_int(NsFile *file, PetscInt value)
{
  const uint32_t word = __builtin_bswap32((uint32_t)value);

  memcpy(NsFileReserve(file, sizeof(word)), &word, sizeof(word));
  file->used += sizeof(word);
}

static void put_time(NsFile *file, PetscReal time, PetscInt64 step)
{
  const PetscReal cycle = (PetscReal)step; /* as double: steps may outgrow 32 bits */

  NsFileText(file, "FIELD FieldData 2\nTimeValue 1 1 double\n");
  put_doubles(file, 1, &time);
  NsFileText(file, "CYCLE 1 1 double\n");
  put_doubles(file, 1, &cycle);
}

static void put_points(NsFile *file, PetscInt points, const PetscReal *x)
{
  NsFilePrint(file, "POINTS %lld double\n", (long long)points);
  put_doubles(file, 3 * (size_t)points, x);
}

static void put_vertices(NsFile *file, const char *keyword, PetscInt points)
{
  NsFilePrint(file, "%s %lld %lld\n", keyword, (long long)points, 2 * (long long)points);
  for (PetscInt i = 0; i < points; i++) {
    put_int(file, 1);
    put_int(file, i);
  }
  NsFileBytes(file, "\n", 1);
}

static void put_cells(NsFile *file, const NsScene *scene)
{
  const PetscInt *end   = scene->cell;
  int64_t         words = scene->cells;

  for (PetscInt i = 0; i < scene->cells; i++) words += NsCellPoints(scene->kind[i]);
  NsFilePrint(file, "CELLS %lld %lld\n", (long long)scene->cells, (long long)words);
  for (PetscInt i = 0; i < scene->cells; i++) {
    const PetscInt ends = NsCellPoints(scene->kind[i]);
    put_int(file, ends);
    for (PetscInt k = 0; k < ends; k++) put_int(file, *end++);
  }
  NsFileBytes(file, "\n", 1);
}

static void put_grid(NsFile *file, const NsVtkPicture *picture)
{
  const NsScene *scene = picture->scene;
  const PetscInt cells = scene->cells ? scene->cells : scene->points;

  NsFileText(file, "DATASET UNSTRUCTURED_GRID\n");
  put_time(file, picture->time, picture->step);
  put_points(file, scene->points, scene->x);
  if (scene->cells)
    put_cells(file, scene);
  else
    put_vertices(file, "CELLS", scene->points);
  NsFilePrint(file, "CELL_TYPES %lld\n", (long long)cells);
  for (PetscInt i = 0; i < cells; i++) put_int(file, (PetscInt)(scene->cells ? scene->kind[i] : NS_CELL_VERTEX));
  NsFileBytes(file, "\n", 1);
}

static void put_cloud(NsFile *file, const NsVtkPicture *picture)
{
  NsFileText(file, "DATASET POLYDATA\n");
  put_time(file, picture->time, picture->step);
  put_points(file, picture->points, picture->x);
  put_vertices(file, "VERTICES", picture->points);
}

static void put_array(NsFile *file, PetscInt tuples, const NsVtkArray *array, const void *values)
{
  const void *const value = *(const void *const *)((const char *)values + array->offset);
  size_t            width = 1;

  if (!value) return;
  switch (array->kind) {
  case NS_VTK_INTEGERS:
    NsFilePrint(file, "SCALARS %s int 1\nLOOKUP_TABLE default\n", array->name);
    for (PetscInt i = 0; i < tuples; i++) put_int(file, ((const PetscInt *)value)[i]);
    NsFileBytes(file, "\n", 1);
    return;
  case NS_VTK_SCALARS: NsFilePrint(file, "SCALARS %s double 1\nLOOKUP_TABLE default\n", array->name); break;
  case NS_VTK_VECTORS:
    NsFilePrint(file, "VECTORS %s double\n", array->name);
    width = 3;
    break;
  case NS_VTK_TENSORS: NsFilePrint(file, "TENSORS %s double\n", array->name); width = 9;
  }
  put_doubles(file, width * (size_t)tuples, value);
}

static void write_picture(NsFile *file, const NsVtkPicture *picture)
{
  const NsVtkType *type   = picture->type;
  const PetscInt   points = picture->scene ? picture->scene->points : picture->points, cells = picture->scene ? picture->scene->cells : 0;
  char             line[200];
  size_t           n = 0;

  for (; n < sizeof(line) - 1 && picture->title[n]; n++) line[n] = picture->title[n] >= ' ' && picture->title[n] <= '~' ? picture->title[n] : '?';
  line[n] = 0;
  NsFileText(file, "# vtk DataFile Version 3.0\n");
  NsFilePrint(file, "%s\nBINARY\n", line);
  if (picture->scene)
    put_grid(file, picture);
  else
    put_cloud(file, picture);
  NsFilePrint(file, "POINT_DATA %lld\n", (long long)points);
  for (const NsVtkArray *array = type->point; array->name; array++) put_array(file, points, array, picture->values);
  if (!type->cell || !cells) return;
  NsFilePrint(file, "CELL_DATA %lld\n", (long long)cells);
  for (const NsVtkArray *array = type->cell; array->name; array++) put_array(file, cells, array, picture->values);
}

static PetscBool fits(PetscInt points, PetscInt cells)
{
  return (int64_t)points <= INT32_MAX / 2 && (int64_t)cells <= INT32_MAX / (1 + NS_CELL_POINTS); /* words of CELLS */
}

/* The list of frames of ParaView: JSON. */
const NsVtkFormat NsVtkFormat_Legacy = {
  .extension = "vtk",
  .list      = {"vtk.series", "{\"file-series-version\":\"1.0\",\"files\":[\n", "{\"name\":\"", "\",\"time\":", "}", ",\n", "\n]}\n",
         {{'"', "\\\""}, {'\\', "\\\\"}}},
  .fits      = fits,
  .write     = write_picture,
};
