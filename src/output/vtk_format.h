/* For the formats of VTK files, a file each: vtk_legacy.c, vtk_xml.c. Their choice is the key `format` of output.frames. */
#pragma once
#include "vtk.h"

/* Text of a list of frames: begin, then for each frame between (but the first), before, its name, middle, its time, after; then end. */
typedef struct {
  const char *extension;
  const char *begin, *before, *middle, *after, *between, *end;
  struct {
    char        character;
    const char *text; /* at most 6 bytes */
  } escape[4];        /* in names; those without text are not there */
} NsVtkList;

struct NsVtkFormat {
  const char *extension;
  NsVtkList   list;
  /* Whether pictures of this size can be written. */
  PetscBool (*fits)(PetscInt points, PetscInt cells);
  void (*write)(NsFile *file, const NsVtkPicture *picture);
};
