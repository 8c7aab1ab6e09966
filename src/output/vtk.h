/*
  VTK files, written by hand: nothing to link, and a picture of a million points is written at the speed of the disk.

  A picture is written as NAME.part and renamed when it is whole: a run that is killed leaves no half picture (but perhaps a .part). It is not synced: that
  would cost 0.7 ms to 30 ms each, while a small picture takes 0.1 ms, and a large one would be waited for while the disk could take it in beside the next
  steps. What a crash of the program cannot harm, a loss of power can: pictures of the last seconds (30 with common settings of Linux) may then be empty.
*/
#pragma once
#include "file.h"
#include "percuss/output.h"

/* Legacy (.vtk with .vtk.series), XML (.vtu with .pvd): in the order of NsVtkFormatNames. */
typedef struct NsVtkFormat NsVtkFormat;
extern const NsVtkFormat   NsVtkFormat_Legacy, NsVtkFormat_Xml;
extern const char *const   NsVtkFormatNames[]; /* choices of a key; NULL-terminated */
const NsVtkFormat         *NsVtkFormatAt(int choice);

typedef struct {
  const char      *name;  /* within the directory of results */
  const char      *title; /* any text; what does not belong in a title is replaced, what is too long is cut */
  PetscReal        time;  /* s: the field TimeValue */
  PetscInt64       step;  /* the field CYCLE */
  const NsScene   *scene; /* points and cells; when there are no cells, a vertex for each point. NULL: a cloud, */
  PetscInt         points;
  const PetscReal *x; /* [points, 3]: each point with a vertex to draw it by; points may be 0, and the arrays then have no tuples */
  const NsVtkType *type;
  const void      *values; /* of its arrays, which their offsets are of; those of cells only where there are cells */
} NsVtkPicture;

typedef struct {
  NsFile             file;
  const NsVtkFormat *format;
} NsVtk;

void NsVtkCreate(NsVtk *vtk, NsSink *sink, const NsVtkFormat *format);
/* Whether a grid of this size can be written, whatever its cells are. */
PetscBool NsVtkFits(const NsVtkFormat *format, PetscInt points, PetscInt cells);
/* True when the whole file was written and has its name; an incomplete one is removed. */
PetscBool NsVtkWrite(NsVtk *vtk, const NsVtkPicture *picture);
