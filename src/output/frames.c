/*
  Frames: pictures of the model for ParaView, and of its contacts.

    NAME.vtk.series, frames/NAME_000000.vtk ...               points at their reference places with displacement, velocity, radius, and rotation
                                                              where points turn; cells with stress, normal_force, energy, body, element (counted
                                                              within its body, -1: only drawn), and section_force, section_moment where they bend
    NAME_contacts.vtk.series, frames/contacts_000000.vtk ...  one vertex for each closed contact, and for each that took an impulse in the step that
                                                              led here (then active is 0 if it is open again); none closed: arrays without tuples

  Vectors of force and impulse hold the normal part; friction is given as signed magnitude (one tangent) or magnitude (two).
*/
#include "series.h"
#include "vtk.h"
#include "writer.h"
#include <string.h>

typedef struct {
  NsVtk     vtk;
  NsSeries  series, contact_series;
  NsFields  fields;
  char     *path; /* of the present frame */
  size_t    path_size;
  PetscBool contacts;

  /* Closed contacts, packed. [candidates] or [candidates, 3] */
  PetscReal *x, *displacement, *normal, *force, *impulse;
  PetscReal *gap, *friction_force, *friction_impulse, *slip_velocity;
  PetscInt  *candidate, *state, *active;
  PetscReal *touch_q; /* [touches] */
} NsWriter_Frames;

static PetscBool NsWriterWanted_Frames(const NsRun *run)
{
  return run->config.output->frames->every > 0 && run->model->scene.points > 0 && run->model->ops->fields ? PETSC_TRUE : PETSC_FALSE;
}

static PetscReal *reals(NsRun *run, PetscInt count)
{
  return NsArenaAlloc(run->arena, sizeof(PetscReal) * (size_t)count);
}

static PetscInt *integers(NsRun *run, PetscInt count)
{
  return NsArenaAlloc(run->arena, sizeof(PetscInt) * (size_t)count);
}

static void open_fields(NsWriter_Frames *self, NsRun *run)
{
  const NsScene *scene = &run->model->scene;

  self->fields.displacement = reals(run, 3 * scene->points);
  self->fields.velocity     = reals(run, 3 * scene->points);
  self->fields.stress       = reals(run, scene->cells);
  self->fields.normal_force = reals(run, scene->cells);
  self->fields.energy       = reals(run, scene->cells);
  if (scene->rotations) self->fields.rotation = reals(run, 3 * scene->points);
  if (scene->beams) {
    self->fields.section_force  = reals(run, 3 * scene->cells);
    self->fields.section_moment = reals(run, 3 * scene->cells);
  }
}

static void open_contacts(NsWriter_Frames *self, NsRun *run)
{
  const PetscInt n = run->model->candidates;

  self->x                = reals(run, 3 * n);
  self->displacement     = reals(run, 3 * n);
  self->normal           = reals(run, 3 * n);
  self->force            = reals(run, 3 * n);
  self->impulse          = reals(run, 3 * n);
  self->gap              = reals(run, n);
  self->friction_force   = reals(run, n);
  self->friction_impulse = reals(run, n);
  self->slip_velocity    = reals(run, n);
  self->candidate        = integers(run, n);
  self->state            = integers(run, n);
  self->active           = integers(run, n);
  self->touch_q          = reals(run, run->model->touches);
}

static PetscErrorCode NsWriterOpen_Frames(NsWriter *writer)
{
  NsRun           *run     = writer->run;
  const NsScene   *scene   = &run->model->scene;
  const PetscInt64 planned = run->steps / run->config.output->frames->every + 2;
  NsWriter_Frames *self    = NsArenaAlloc(run->arena, sizeof(*self));
  const char      *prefix  = NsArenaPrint(run->arena, "frames/%s", run->name);

  PetscFunctionBegin;
  writer->data   = self;
  self->contacts = run->model->candidates > 0 && run->model->ops->contact_point ? PETSC_TRUE : PETSC_FALSE;
  if (!NsVtkFits(scene->points, scene->cells))
    NsRunFail(run,
      "cannot write frames: VTK files number points and cells with 32 bits, too few for %lld points and %lld cells; set output.frames.every to 0",
      (long long)scene->points, (long long)scene->cells);
  NsVtkCreate(&self->vtk, run);
  NsFileMakeDirectory(run, NsRunPath(run, "frames"));
  NsSeriesCreate(&self->series, run, NsArenaPrint(run->arena, "%s.vtk.series", run->name), prefix, planned);
  open_fields(self, run);
  if (self->contacts) {
    NsSeriesCreate(&self->contact_series, run, NsArenaPrint(run->arena, "%s_contacts.vtk.series", run->name), "frames/contacts", planned);
    open_contacts(self, run);
  }
  self->path_size = strlen(run->directory) + strlen(prefix) + sizeof("/frames/contacts_") + 32;
  self->path      = NsArenaAlloc(run->arena, self->path_size);
  PetscFunctionReturn(0);
}

static PetscBool NsWriterDue_Frames(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  return NsWriterIsDue(writer->run->config.output->frames->every, step, last);
}

static PetscErrorCode begin_frame(NsWriter *writer, const NsSeries *series, const NsSnapshot *snapshot, const char *what)
{
  NsWriter_Frames *self = writer->data;
  char             title[200];

  PetscFunctionBegin;
  NsSeriesNextPath(series, self->path, self->path_size);
  snprintf(title, sizeof(title), "percuss %s%.100s, step %lld, t = %.9g s", what, writer->run->name, (long long)snapshot->step, snapshot->state.t);
  NsVtkOpen(&self->vtk, self->path, title);
  PetscFunctionReturn(0);
}

static PetscErrorCode write_model(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsWriter_Frames *self  = writer->data;
  NsModel         *model = writer->run->model;
  const NsScene   *scene = &model->scene;
  NsVtk           *vtk   = &self->vtk;

  PetscFunctionBegin;
  PetscCall(model->ops->fields(model, snapshot->state.t, snapshot->whole_q, snapshot->whole_v, &self->fields));
  PetscCall(begin_frame(writer, &self->series, snapshot, ""));
  NsVtkGrid(vtk, snapshot->state.t, snapshot->step, scene->points, scene->x, scene->cells, scene->cell);
  NsVtkPointData(vtk);
  NsVtkVectors(vtk, "displacement", self->fields.displacement);
  NsVtkVectors(vtk, "velocity", self->fields.velocity);
  if (scene->rotations) NsVtkVectors(vtk, "rotation", self->fields.rotation);
  NsVtkScalars(vtk, "radius", scene->radius);
  if (scene->cells) {
    NsVtkCellData(vtk);
    NsVtkScalars(vtk, "stress", self->fields.stress);
    NsVtkScalars(vtk, "normal_force", self->fields.normal_force);
    NsVtkScalars(vtk, "energy", self->fields.energy);
    NsVtkIntegers(vtk, "body", scene->body);
    NsVtkIntegers(vtk, "element", scene->element);
    if (scene->beams) {
      NsVtkVectors(vtk, "section_force", self->fields.section_force);
      NsVtkVectors(vtk, "section_moment", self->fields.section_moment);
    }
  }
  if (NsVtkClose(vtk)) NsSeriesAdd(&self->series, snapshot->state.t);
  PetscFunctionReturn(0);
}

static PetscReal tangential(const PetscReal x[3], PetscInt directions)
{
  return directions > 2 ? PetscSqrtReal(x[1] * x[1] + x[2] * x[2]) : x[1];
}

static PetscErrorCode write_contacts(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsWriter_Frames *self   = writer->data;
  NsModel         *model  = writer->run->model;
  NsVtk           *vtk    = &self->vtk;
  PetscInt         closed = 0;

  PetscFunctionBegin;
  PetscCall(NsModelTouch(model, snapshot->state.q, self->touch_q));
  for (PetscInt near = 0; near < snapshot->nears; near++) {
    const PetscInt         i          = snapshot->near[near];
    const NsContactReport *contact    = &snapshot->contact[i];
    const PetscInt         directions = model->candidate[i].directions, k = closed;
    PetscReal             *n = self->normal + 3 * k;

    if (contact->state == NS_OPEN && contact->impulse[0] == 0) continue;
    PetscCall(model->ops->contact_point(model, snapshot->state.t, self->touch_q, i, self->x + 3 * k, self->displacement + 3 * k, n));
    for (PetscInt d = 0; d < 3; d++) {
      self->force[3 * k + d]   = contact->force[0] * n[d];
      self->impulse[3 * k + d] = contact->impulse[0] * n[d];
    }
    self->gap[k]              = contact->gap;
    self->friction_force[k]   = tangential(contact->force, directions);
    self->friction_impulse[k] = tangential(contact->impulse, directions);
    self->slip_velocity[k]    = tangential(contact->velocity_after, directions);
    self->candidate[k]        = i;
    self->state[k]            = (PetscInt)contact->state;
    self->active[k]           = contact->state != NS_OPEN;
    closed++;
  }
  PetscCall(begin_frame(writer, &self->contact_series, snapshot, "contacts of "));
  NsVtkVertices(vtk, snapshot->state.t, snapshot->step, closed, self->x);
  NsVtkPointData(vtk);
  NsVtkVectors(vtk, "displacement", self->displacement);
  NsVtkVectors(vtk, "normal", self->normal);
  NsVtkVectors(vtk, "force", self->force);
  NsVtkVectors(vtk, "impulse", self->impulse);
  NsVtkScalars(vtk, "gap", self->gap);
  NsVtkScalars(vtk, "friction_force", self->friction_force);
  NsVtkScalars(vtk, "friction_impulse", self->friction_impulse);
  NsVtkScalars(vtk, "slip_velocity", self->slip_velocity);
  NsVtkIntegers(vtk, "contact", self->candidate);
  NsVtkIntegers(vtk, "state", self->state);
  NsVtkIntegers(vtk, "active", self->active);
  if (NsVtkClose(vtk)) NsSeriesAdd(&self->contact_series, snapshot->state.t);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterWrite_Frames(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsWriter_Frames *self = writer->data;

  PetscFunctionBegin;
  if (!NsVtkFits(writer->run->model->scene.points, writer->run->model->scene.cells)) PetscFunctionReturn(0); /* open has said so */
  if (snapshot->whole_q) PetscCall(write_model(writer, snapshot));
  if (self->contacts) PetscCall(write_contacts(writer, snapshot));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterRemember_Frames(NsWriter *writer, NsMemory *memory)
{
  NsWriter_Frames *self = writer->data;

  PetscFunctionBegin;
  NsSeriesRemember(&self->series, memory);
  if (self->contacts) NsSeriesRemember(&self->contact_series, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterClose_Frames(NsWriter *writer)
{
  NsWriter_Frames *self = writer->data;

  PetscFunctionBegin;
  NsSeriesClose(&self->series);
  if (self->contacts) NsSeriesClose(&self->contact_series);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Frames = {
  .name        = "frames",
  .wanted      = NsWriterWanted_Frames,
  .open        = NsWriterOpen_Frames,
  .due         = NsWriterDue_Frames,
  .needs_state = PETSC_TRUE,
  .write       = NsWriterWrite_Frames,
  .remember    = NsWriterRemember_Frames,
  .close       = NsWriterClose_Frames,
};
