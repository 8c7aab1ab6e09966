/*
  view.py: the scene of this run for ParaView, or without it for VTK's Python: warped tubes, colours, contact arrows, time.

  The text is postprocess/view.py as it was when the program was built; it finds the frames by its own place.
*/
#include "percuss_view.h"
#include "writer.h"

extern const NsWriterType NsWriterType_Frames;

static PetscBool NsWriterWanted_View(const NsRun *run)
{
  return NsWriterType_Frames.wanted(run);
}

static PetscErrorCode NsWriterOpen_View(NsWriter *writer)
{
  NsRun *run = writer->run;

  PetscFunctionBegin;
  NsFileReplace(run, NsRunPath(run, "view.py"), view, sizeof(view) - 1, PETSC_FALSE);
  NsRunAddFile(run, &run->outputs, "view.py");
  PetscFunctionReturn(0);
}

static PetscBool NsWriterDue_View(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  (void)writer, (void)step, (void)last;
  return PETSC_FALSE;
}

static PetscErrorCode NsWriterWrite_View(NsWriter *writer, const NsSnapshot *snapshot)
{
  PetscFunctionBegin;
  (void)writer, (void)snapshot;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterClose_View(NsWriter *writer)
{
  PetscFunctionBegin;
  (void)writer;
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_View = {
  .name   = "view",
  .wanted = NsWriterWanted_View,
  .open   = NsWriterOpen_View,
  .due    = NsWriterDue_View,
  .write  = NsWriterWrite_View,
  .close  = NsWriterClose_View,
};
