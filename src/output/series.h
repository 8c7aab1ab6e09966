/*
  NAME.vtk.series or NAME.pvd: the list of frames with their times that ParaView opens as one animation.

  The list is a text that must be whole whenever the program dies. Appending in place is not safe; rewriting it at every frame costs an
  fsync (0.7 ms where this was measured, up to 30 ms on a disk that turns, while writing a small frame takes 0.1 ms) and time quadratic in the
  number of frames. So it is rewritten after the first frame, then when half a second has passed since (and twenty times as long as the last
  rewriting took: at most 5 % of the run), and at the end. A killed run shows all frames but those of its last half second.
*/
#pragma once
#include "vtk.h"

typedef struct {
  NsSink            *sink; /* not owned */
  const NsVtkFormat *format;
  const char        *name;  /* of the list; from the arena */
  const char        *frame; /* of the frames, relative to the run's directory: "frames/elastic_bar_*.vtk"; from the arena */
  char              *text;  /* the list but for its end; from the arena */
  size_t             used, capacity;
  PetscInt64         frames, claimed; /* as percuss's own: folder.h */
  PetscReal          time;            /* of the last frame */
  double             written;         /* when the list was written last, s of the monotonic clock */
  double             cost;            /* how long that took, s */
  PetscBool          behind;          /* frames were added since */
} NsSeries;

/* Lists name.vtk.series of frames frames/frame_000000.vtk ..., or with the endings of another format. Room for `planned` frames is taken at once (in reason); more make it grow. */
void NsSeriesCreate(NsSeries *series, NsSink *sink, const NsVtkFormat *format, const char *name, const char *frame, PetscInt64 planned);
void NsSeriesSerialize(NsSeries *series, NsArchive *archive);
/* Name of the next frame, claimed: valid until the next call with the same buffer. */
void NsSeriesNextName(NsSeries *series, char *name, size_t size);
/* The next frame is complete on disk and shows this instant. */
void NsSeriesAdd(NsSeries *series, PetscReal time);
void NsSeriesClose(NsSeries *series);
