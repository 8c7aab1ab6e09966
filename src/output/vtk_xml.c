/*
  VTK files in XML (.vtu): an unstructured grid whose arrays follow the text as raw bytes, little endian, each behind its size in 64 bits; numbers of points within cells have 32 bits, places in their
  list 64. ParaView loads them without swapping bytes. The list of frames is a collection (.pvd).

  VTK File Formats, https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html
*/
#include "vtk_format.h"
#include <stdint.h>

_Static_assert(sizeof(PetscReal) == 8 && sizeof(PetscInt) == 4, "the types that the text names");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the order that the text names");

typedef struct {
  NsFile  *file;
  uint64_t offset; /* of the next array in the bytes behind the text */
} Text;

static void tell_array(Text *text, const char *type, size_t size, const char *name, size_t width, int64_t tuples)
{
  NsFilePrint(text->file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\" format=\"appended\" offset=\"%llu\"/>\n", type, name, width,
    (unsigned long long)text->offset);
  text->offset += sizeof(uint64_t) + size * width * (uint64_t)tuples;
}

static void tell_number(Text *text, const char *name)
{
  NsFilePrint(text->file, "<DataArray type=\"Float64\" Name=\"%s\" NumberOfTuples=\"1\" format=\"appended\" offset=\"%llu\"/>\n", name,
    (unsigned long long)text->offset);
  text->offset += 2 * sizeof(uint64_t);
}

static size_t width_of(const NsVtkArray *array)
{
  static const size_t width[] = {[NS_VTK_INTEGERS] = 1, [NS_VTK_SCALARS] = 1, [NS_VTK_VECTORS] = 3, [NS_VTK_TENSORS] = 9};

  return width[array->kind];
}

static size_t size_of(const NsVtkArray *array)
{
  return array->kind == NS_VTK_INTEGERS ? sizeof(PetscInt) : sizeof(PetscReal);
}

static const void *values_of(const NsVtkArray *array, const void *values)
{
  return *(const void *const *)((const char *)values + array->offset);
}

static void tell_arrays(Text *text, const char *where, const NsVtkArray *array, int64_t tuples, const void *values)
{
  NsFilePrint(text->file, "<%s>\n", where);
  for (; array && array->name && tuples >= 0; array++) {
    if (values_of(array, values))
      tell_array(text, array->kind == NS_VTK_INTEGERS ? "Int32" : "Float64", size_of(array), array->name, width_of(array), tuples);
  }
  NsFilePrint(text->file, "</%s>\n", where);
}

static void put_block(NsFile *file, const void *bytes, uint64_t size)
{
  NsFileBytes(file, &size, sizeof(size));
  NsFileBytes(file, bytes, size);
}

static void put_arrays(NsFile *file, const NsVtkArray *array, int64_t tuples, const void *values)
{
  for (; array && array->name; array++) {
    if (values_of(array, values)) put_block(file, values_of(array, values), size_of(array) * width_of(array) * (uint64_t)tuples);
  }
}

/* Cells of a cloud of points, or of a scene without cells: the points. */
static PetscInt ends_of(const NsScene *scene, PetscInt cell)
{
  return scene ? NsCellPoints(scene->kind[cell]) : 1;
}

static void put_cells(NsFile *file, const NsScene *scene, PetscInt cells, uint64_t ends)
{
  uint64_t size = ends * sizeof(PetscInt);
  int64_t  end  = 0;
  NsFileBytes(file, &size, sizeof(size));
  if (scene) NsFileBytes(file, scene->cell, size);
  for (PetscInt i = 0; i < cells && !scene; i++) NsFileBytes(file, &i, sizeof(i));
  size = (uint64_t)cells * sizeof(end);
  NsFileBytes(file, &size, sizeof(size));
  for (PetscInt i = 0; i < cells; i++) {
    end += ends_of(scene, i);
    NsFileBytes(file, &end, sizeof(end));
  }
  size = (uint64_t)cells;
  NsFileBytes(file, &size, sizeof(size));
  for (PetscInt i = 0; i < cells; i++) {
    const uint8_t kind = scene ? (uint8_t)scene->kind[i] : NS_CELL_VERTEX;
    NsFileBytes(file, &kind, sizeof(kind));
  }
}

static void write_picture(NsFile *file, const NsVtkPicture *picture)
{
  const NsVtkType  *type   = picture->type;
  const NsScene    *drawn  = picture->scene && picture->scene->cells ? picture->scene : NULL;
  const PetscInt    points = picture->scene ? picture->scene->points : picture->points, cells = drawn ? drawn->cells : points;
  const PetscReal   cycle    = (PetscReal)picture->step;
  const NsVtkArray *of_cells = drawn ? type->cell : NULL;
  Text              text     = {file, 0};
  uint64_t          ends     = 0;

  for (PetscInt i = 0; i < cells; i++) ends += (uint64_t)ends_of(drawn, i);
  NsFileText(
    file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n");
  NsFileText(file, "<UnstructuredGrid>\n<FieldData>\n");
  tell_number(&text, "TimeValue");
  tell_number(&text, "CYCLE");
  NsFilePrint(file, "</FieldData>\n<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n", (long long)points, (long long)cells);
  tell_array(&text, "Float64", sizeof(PetscReal), "Points", 3, points);
  NsFileText(file, "</Points>\n<Cells>\n");
  tell_array(&text, "Int32", sizeof(PetscInt), "connectivity", 1, (int64_t)ends);
  tell_array(&text, "Int64", sizeof(int64_t), "offsets", 1, cells);
  tell_array(&text, "UInt8", sizeof(uint8_t), "types", 1, cells);
  NsFileText(file, "</Cells>\n");
  tell_arrays(&text, "PointData", type->point, points, picture->values);
  tell_arrays(&text, "CellData", of_cells, cells, picture->values);
  NsFileText(file, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
  put_block(file, &picture->time, sizeof(picture->time));
  put_block(file, &cycle, sizeof(cycle));
  put_block(file, picture->scene ? picture->scene->x : picture->x, 3 * sizeof(PetscReal) * (uint64_t)points);
  put_cells(file, drawn, cells, ends);
  put_arrays(file, type->point, points, picture->values);
  put_arrays(file, of_cells, cells, picture->values);
  NsFileText(file, "\n</AppendedData>\n</VTKFile>\n");
}

/* Numbers of points have 32 bits here. */
static PetscBool fits(PetscInt points, PetscInt cells)
{
  (void)points;
  (void)cells;
  return PETSC_TRUE;
}

const NsVtkFormat NsVtkFormat_Xml = {
  .extension = "vtu",
  .list      = {"pvd", "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n", "<DataSet file=\"", "\" timestep=\"",
         "\"/>", "\n", "\n</Collection>\n</VTKFile>\n", {{'"', "&quot;"}, {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}}},
  .fits      = fits,
  .write     = write_picture,
};
