/*
  Legacy VTK files, written by hand: version 3.0, binary, big endian.

      NsVtkOpen -> NsVtkGrid or NsVtkVertices -> NsVtkArrays -> NsVtkClose

  Why this format: one file a frame that every reader understands (ParaView, VisIt, meshio, vtk-js choke on newer ones), nothing to link, and
  a picture of a million points is written at the speed of the disk. Requirements of VTK 9.1, which the functions observe:
  the size after CELLS must be exact (a wrong one makes the reader crash), each block of bytes is followed by one newline, ids have 32 bits,
  titles have less than 256 bytes, names have no spaces.

  A picture is written as NAME.part and renamed when it is whole: a run that is killed leaves no half picture (but perhaps a .part). It is not synced: that
  would cost 0.7 ms to 30 ms each, while a small picture takes 0.1 ms, and a large one would be waited for while the disk could take it in beside the next
  steps. What a crash of the program cannot harm, a loss of power can: pictures of the last seconds (30 with common settings of Linux) may then be empty.
*/
#pragma once
#include "file.h"
#include "percuss/output.h"

typedef struct {
  NsFile   file;
  PetscInt points, cells; /* cells: of a grid, 0 without any */
} NsVtk;

void NsVtkCreate(NsVtk *vtk, NsSink *sink);
/* Whether a grid of this size can be written with 32-bit ids, whatever its cells are. */
PetscBool NsVtkFits(PetscInt points, PetscInt cells);
/* Name: within the directory of results; must stay until NsVtkClose. Title: any text; what does not belong in a title is replaced, what is too long is cut. */
void NsVtkOpen(NsVtk *vtk, const char *name, const char *title);
/* Points and cells of the scene; when there are no cells, a vertex for each point. Time in s as field TimeValue, step as CYCLE. */
void NsVtkGrid(NsVtk *vtk, PetscReal time, PetscInt64 step, const NsScene *scene);
/* A cloud of points, each with a vertex to draw it by; points may be 0, and the arrays then have no tuples. */
void NsVtkVertices(NsVtk *vtk, PetscReal time, PetscInt64 step, PetscInt points, const PetscReal *x);
/* The arrays of the type, from `values`, which their offsets are of. Those of cells only where there are cells. */
void NsVtkArrays(NsVtk *vtk, const NsVtkType *type, const void *values);
/* True when the whole file was written and has its name; an incomplete one is removed. */
PetscBool NsVtkClose(NsVtk *vtk);
