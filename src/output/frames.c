/*
  Frames: the model and its contacts for ParaView.

    NAME.vtk.series, frames/NAME_000000.vtk ...               points at their reference places with displacement, velocity, radius, and rotation
                                                              where points turn; cells with stress, normal_force, energy, body, element (counted
                                                              within its body, -1: only drawn), and section_force, section_moment where they bend
    NAME_contacts.vtk.series, frames/contacts_000000.vtk ...  one vertex for each closed contact, and for each that took an impulse in the step that
                                                              led here (then active is 0 if it is open again); none closed: arrays without tuples
    view.py                                                   the scene of this run for ParaView, or without it for VTK's Python: postprocess/view.py as it
                                                              was when the program was built; it finds the frames by where it is

  Vectors of force and impulse hold the normal part; friction is given as signed magnitude (one tangent) or magnitude (two).
*/
#include "percuss_view.h"
#include "series.h"
#include "vtk.h"
#include "writer.h"
#include <string.h>

typedef struct {
  NsVtk     vtk;
  NsSeries  series, contact_series;
  NsFields  fields;
  char     *name; /* of the present frame */
  size_t    name_size;
  PetscBool contacts;

  /* Closed contacts, packed. [candidates] or [candidates, 3] */
  PetscReal *x, *displacement, *normal, *force, *impulse;
  PetscReal *gap, *friction_force, *friction_impulse, *slip_velocity;
  PetscInt  *candidate, *state, *active;
  PetscReal *touch_q; /* [touches] */
} Frames;

static PetscBool wanted(const NsWriter *writer)
{
  return writer->model->scene.points > 0 && writer->model->view.fields;
}

static double bytes(const NsWriter *writer)
{
  const NsScene *scene = &writer->model->scene;

  return 900 + (scene->rotations ? 104.0 : 80.0) * scene->points + (scene->beams ? 96.0 : 48.0) * scene->cells;
}

static PetscReal *reals(NsArena *arena, PetscInt count)
{
  return NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)count);
}

static PetscInt *integers(NsArena *arena, PetscInt count)
{
  return NsArenaAlloc(arena, sizeof(PetscInt) * (size_t)count);
}

static void open_fields(Frames *self, const NsScene *scene, NsArena *arena)
{
  self->fields.displacement = reals(arena, 3 * scene->points);
  self->fields.velocity     = reals(arena, 3 * scene->points);
  self->fields.stress       = reals(arena, scene->cells);
  self->fields.normal_force = reals(arena, scene->cells);
  self->fields.energy       = reals(arena, scene->cells);
  if (scene->rotations) self->fields.rotation = reals(arena, 3 * scene->points);
  if (scene->beams) {
    self->fields.section_force  = reals(arena, 3 * scene->cells);
    self->fields.section_moment = reals(arena, 3 * scene->cells);
  }
}

static void open_contacts(Frames *self, const NsModel *model, NsArena *arena)
{
  const PetscInt n = model->candidates;

  self->x                = reals(arena, 3 * n);
  self->displacement     = reals(arena, 3 * n);
  self->normal           = reals(arena, 3 * n);
  self->force            = reals(arena, 3 * n);
  self->impulse          = reals(arena, 3 * n);
  self->gap              = reals(arena, n);
  self->friction_force   = reals(arena, n);
  self->friction_impulse = reals(arena, n);
  self->slip_velocity    = reals(arena, n);
  self->candidate        = integers(arena, n);
  self->state            = integers(arena, n);
  self->active           = integers(arena, n);
  self->touch_q          = reals(arena, model->touches);
}

static PetscErrorCode open_series(NsWriter *writer)
{
  NsSink          *sink    = writer->sink;
  NsArena         *arena   = sink->arena;
  const NsModel   *model   = writer->model;
  const NsScene   *scene   = &model->scene;
  const PetscInt64 planned = writer->steps / writer->every + 2;
  Frames          *self    = NsArenaAlloc(arena, sizeof(*self));
  const char      *prefix  = NsArenaPrint(arena, "frames/%s", sink->name);

  PetscFunctionBegin;
  writer->data   = self;
  self->contacts = model->candidates > 0 && model->view.contact_point;
  if (!NsVtkFits(scene->points, scene->cells))
    NsSinkFail(sink,
      "cannot write frames: VTK files number points and cells with 32 bits, too few for %lld points and %lld cells; set output.frames.every to 0",
      (long long)scene->points, (long long)scene->cells);
  NsVtkCreate(&self->vtk, sink);
  NsFileMakeDirectory(sink, "frames");
  NsSeriesCreate(&self->series, sink, NsArenaPrint(arena, "%s.vtk.series", sink->name), prefix, planned);
  open_fields(self, scene, arena);
  if (self->contacts) {
    NsSeriesCreate(&self->contact_series, sink, NsArenaPrint(arena, "%s_contacts.vtk.series", sink->name), "frames/contacts", planned);
    open_contacts(self, model, arena);
  }
  NsFileReplace(sink, "view.py", view, sizeof(view) - 1, PETSC_FALSE);
  NsFileListAdd(&sink->files, "view.py", arena);
  self->name_size = strlen(prefix) + sizeof("frames/contacts_") + 32;
  self->name      = NsArenaAlloc(arena, self->name_size);
  PetscFunctionReturn(0);
}

static PetscErrorCode begin_frame(NsWriter *writer, NsSeries *series, const NsSnapshot *snapshot, const char *what)
{
  Frames *self = writer->data;
  char    title[200];

  PetscFunctionBegin;
  NsSeriesNextName(series, self->name, self->name_size);
  snprintf(title, sizeof(title), "percuss %s%.100s, step %lld, t = %.9g s", what, writer->sink->name, (long long)snapshot->step, snapshot->state.t);
  NsVtkOpen(&self->vtk, self->name, title);
  PetscFunctionReturn(0);
}

static PetscErrorCode write_model(NsWriter *writer, const NsSnapshot *snapshot)
{
  Frames        *self  = writer->data;
  NsModel       *model = writer->model;
  const NsScene *scene = &model->scene;
  NsVtk         *vtk   = &self->vtk;

  PetscFunctionBegin;
  PetscCall(model->view.fields(model, snapshot->state.t, snapshot->whole_q, snapshot->whole_v, &self->fields));
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

static PetscErrorCode write_contacts(NsWriter *writer, const NsSnapshot *snapshot)
{
  Frames  *self   = writer->data;
  NsModel *model  = writer->model;
  NsVtk   *vtk    = &self->vtk;
  PetscInt closed = 0;

  PetscFunctionBegin;
  PetscCall(NsModelTouch(model, snapshot->state.q, self->touch_q));
  for (PetscInt a = 0; a < snapshot->actives; a++) {
    const PetscInt         i          = snapshot->active[a];
    const NsContactReport *contact    = &snapshot->contact[i];
    const PetscInt         directions = model->candidate[i].directions, k = closed;
    PetscReal             *n = self->normal + 3 * k;

    if (contact->state == NS_OPEN && contact->impulse[0] == 0) continue;
    PetscCall(model->view.contact_point(model, snapshot->state.t, self->touch_q, i, self->x + 3 * k, self->displacement + 3 * k, n));
    for (PetscInt d = 0; d < 3; d++) {
      self->force[3 * k + d]   = contact->force[0] * n[d];
      self->impulse[3 * k + d] = contact->impulse[0] * n[d];
    }
    self->gap[k]              = contact->gap;
    self->friction_force[k]   = NsTangential(contact->force, directions);
    self->friction_impulse[k] = NsTangential(contact->impulse, directions);
    self->slip_velocity[k]    = NsTangential(contact->velocity_after, directions);
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

static PetscErrorCode write_frames(NsWriter *writer, const NsSnapshot *snapshot)
{
  Frames *self = writer->data;

  PetscFunctionBegin;
  if (!NsVtkFits(writer->model->scene.points, writer->model->scene.cells)) PetscFunctionReturn(0); /* open has said so */
  if (snapshot->whole_q) PetscCall(write_model(writer, snapshot));
  if (self->contacts) PetscCall(write_contacts(writer, snapshot));
  PetscFunctionReturn(0);
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Frames *self = writer->data;

  PetscFunctionBegin;
  NsSeriesSerialize(&self->series, archive);
  if (self->contacts) NsSeriesSerialize(&self->contact_series, archive);
  PetscFunctionReturn(0);
}

static PetscErrorCode close_series(NsWriter *writer, const char *status)
{
  Frames *self = writer->data;

  PetscFunctionBegin;
  (void)status;
  NsSeriesClose(&self->series);
  if (self->contacts) NsSeriesClose(&self->contact_series);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Frames = {
  .name        = "frames",
  .wanted      = wanted,
  .bytes       = bytes,
  .open        = open_series,
  .write       = write_frames,
  .needs_state = PETSC_TRUE,
  .serialize   = serialize,
  .close       = close_series,
};
