#include "vtk_format.h"
#include <string.h>

static const NsVtkFormat *const formats[]          = {&NsVtkFormat_Legacy, &NsVtkFormat_Xml};
const char *const               NsVtkFormatNames[] = {"vtk", "vtu", NULL};

const NsVtkFormat *NsVtkFormatAt(int choice)
{
  return formats[choice];
}

void NsVtkCreate(NsVtk *vtk, NsSink *sink, const NsVtkFormat *format)
{
  memset(vtk, 0, sizeof(*vtk));
  vtk->format = format;
  NsFileCreate(&vtk->file, sink, 1 << 18);
}

PetscBool NsVtkFits(const NsVtkFormat *format, PetscInt points, PetscInt cells)
{
  return format->fits(points, cells);
}

PetscBool NsVtkWrite(NsVtk *vtk, const NsVtkPicture *picture)
{
  NsFileOpenPart(&vtk->file, picture->name);
  vtk->format->write(&vtk->file, picture);
  return NsFilePublish(&vtk->file, PETSC_FALSE);
}
