/*
  Frames: the model and its contacts for ParaView.

    NAME.vtk.series, frames/NAME_000000.vtk ...               points at their reference places with displacement, velocity, radius, and rotation
                                                              where points turn; cells with stress, normal_force, energy, body, element (counted
                                                              within its body, -1: only drawn), and section_force, section_moment where they bend
    NAME_contacts.vtk.series, frames/contacts_000000.vtk ...  one vertex for each closed contact, and for each that took an impulse in the step that
                                                              led here (then active is 0 if it is open again); none closed: arrays without tuples
    NAME_planes.vtk.series, frames/planes_000000.vtk ...      a quadrilateral for each plane that bodies may touch, around the points that may touch it
    view.py                                                   the scene of this run for ParaView, or without it for VTK's Python: postprocess/view.py as it
                                                              was when the program was built; it finds the frames by where it is

  With `format: vtu` the files end in .vtu and their lists in .pvd.

  Vectors of force and impulse hold the normal part; friction is given as signed magnitude (one tangent) or magnitude (two).
*/
#include "core/tensor.h"
#include "percuss_view.h"
#include "series.h"
#include "settings.h"
#include "vtk.h"
#include "writer.h"
#include <string.h>

/* Values of the model's frames: of its fields, and of the scene. */
typedef struct {
  NsFields         fields;
  const PetscReal *radius;
  PetscReal       *principal; /* [cells, 3] Pa; NULL unless scene.solids */
  PetscReal       *axis[2];   /* [cells, 3] unit vectors along the first and the last; as `principal` */
  const PetscInt  *body, *element;
} Picture;

/* Closed contacts, packed: [candidates] or [candidates, 3]. */
typedef struct {
  PetscReal *x, *displacement, *normal, *force, *impulse;
  PetscReal *gap, *friction_force, *friction_impulse, *slip_velocity, *pressure, *slip;
  PetscInt  *candidate, *state, *active;
} Closed;

typedef struct {
  NsVtk         vtk;
  PetscBool     fits; /* the scene fits the format */
  NsSeries      series, contact_series, plane_series;
  char         *name; /* of the present frame */
  size_t        name_size;
  PetscBool     contacts;
  Picture       picture;
  Closed        closed;
  NsPlaneFields planes;
  PetscReal    *touch_q; /* [touches] */
} Frames;

#define FIELD(name) offsetof(Picture, fields.name)

static const NsVtkArray model_points[] = {
  {"displacement", NS_VTK_VECTORS, "m", "displacement from the points of the file, which are at their reference positions", FIELD(displacement)},
  {"velocity", NS_VTK_VECTORS, "m/s", "velocity", FIELD(velocity)},
  {"rotation", NS_VTK_VECTORS, "rad", "rotation; where points rotate", FIELD(rotation)},
  {"radius", NS_VTK_SCALARS, "m", "outer radius to draw; 0: the cells are the body itself", offsetof(Picture, radius)},
  {NULL},
};
static const NsVtkArray model_cells[] = {
  {"stress", NS_VTK_SCALARS, "Pa", "stress: of solids von Mises; of other bodies the axial stress of the largest magnitude over the section",
    FIELD(stress)},
  {"normal_force", NS_VTK_SCALARS, "N", "force along the axis, tension positive", FIELD(normal_force)},
  {"energy", NS_VTK_SCALARS, "J", "elastic energy", FIELD(energy)},
  {"body", NS_VTK_INTEGERS, "", "number of the body, from 0", offsetof(Picture, body)},
  {"element", NS_VTK_INTEGERS, "", "number of the element within its body, from 0; -1: the cell is only drawn", offsetof(Picture, element)},
  {"section_force", NS_VTK_VECTORS, "N", "force in the section; of beams and rotors", FIELD(section_force)},
  {"section_moment", NS_VTK_VECTORS, "N m", "moment in the section; of beams and rotors", FIELD(section_moment)},
  {"stress_tensor", NS_VTK_TENSORS, "Pa", "all components of the stress; of elements that have them", FIELD(stress_tensor)},
  {"strain_tensor", NS_VTK_TENSORS, "", "all components of the small strain; of elements that have them", FIELD(strain_tensor)},
  {"principal_stress", NS_VTK_VECTORS, "Pa", "principal stresses, the largest first; of solids", offsetof(Picture, principal)},
  {"principal_direction_1", NS_VTK_VECTORS, "", "unit vector along the largest principal stress; of solids", offsetof(Picture, axis[0])},
  {"principal_direction_3", NS_VTK_VECTORS, "", "unit vector along the smallest principal stress; of solids", offsetof(Picture, axis[1])},
  {NULL},
};
static const NsVtkType NsVtkType_Model = {
  "frames/NAME_*.vtk", "nodes, points between them and outlines; elements as cells", model_points, model_cells};

static const NsVtkArray contact_points[] = {
  {"displacement", NS_VTK_VECTORS, "m", "of the point in contact", offsetof(Closed, displacement)},
  {"normal", NS_VTK_VECTORS, "", "unit vector along which the contact pushes", offsetof(Closed, normal)},
  {"force", NS_VTK_VECTORS, "N", "normal contact force", offsetof(Closed, force)},
  {"impulse", NS_VTK_VECTORS, "N s", "normal impulse in this step", offsetof(Closed, impulse)},
  {"gap", NS_VTK_SCALARS, "m", "gap, negative where the two penetrate", offsetof(Closed, gap)},
  {"friction_force", NS_VTK_SCALARS, "N", "magnitude of the friction force", offsetof(Closed, friction_force)},
  {"friction_impulse", NS_VTK_SCALARS, "N s", "magnitude of the friction impulse in this step", offsetof(Closed, friction_impulse)},
  {"slip_velocity", NS_VTK_SCALARS, "m/s", "magnitude of the sliding velocity", offsetof(Closed, slip_velocity)},
  {"pressure", NS_VTK_SCALARS, "Pa", "normal force over the area of the side of a solid that belongs to the point; 0: the point is on no such side",
    offsetof(Closed, pressure)},
  {"slip", NS_VTK_SCALARS, "m", "how far two surfaces have slid on each other; 0: no surfaces of solids", offsetof(Closed, slip)},
  {"contact", NS_VTK_INTEGERS, "", "number of the contact, from 0", offsetof(Closed, candidate)},
  {"state", NS_VTK_INTEGERS, "", "0 open, 1 closed, 2 stick, 3 slip", offsetof(Closed, state)},
  {"active", NS_VTK_INTEGERS, "", "1: closed at the end of the step; 0: it had an impulse and has opened", offsetof(Closed, active)},
  {NULL},
};
static const NsVtkType NsVtkType_Contacts = {
  "frames/contacts_*.vtk", "a point for each contact that is closed, or had an impulse in the step", contact_points};

static const NsVtkArray plane_points[] = {
  {"displacement", NS_VTK_VECTORS, "m", "of a plane that is moved", offsetof(NsPlaneFields, displacement)},
  {"velocity", NS_VTK_VECTORS, "m/s", "velocity of its surface: of a moving plane, of a belt", offsetof(NsPlaneFields, velocity)},
  {"gap", NS_VTK_VECTORS, "m",
    "vector from the plane to the nearest point at the start; where displacements are magnified s times, shift the plane by (1 - s) gap so that closed contacts look closed",
    offsetof(NsPlaneFields, gap)},
  {NULL},
};
static const NsVtkType NsVtkType_Planes = {"frames/planes_*.vtk", "planes that bodies may touch, a quadrilateral each", plane_points};

static const NsKey frames_keys[] = {
  {"every", NS_KEY_INTEGER, offsetof(NsFramesSettings, every), .default_value = "100", .minimum = "0",
    .help = "number of steps between two frames; 0: no output", .example = "20"},
  NS_WINDOW_KEYS(NsFramesSettings, "frames are written"),
  {"format", NS_KEY_CHOICE, offsetof(NsFramesSettings, format), .choices = NsVtkFormatNames, .default_value = "vtk",
    .help    = "vtk: legacy VTK files, which every reader understands, with a list NAME.vtk.series; vtu: VTK's XML files, with a list NAME.pvd",
    .example = "vtu"},
  {NULL},
};
const NsTable NsTable_Frames = {"frames", "VTK files for ParaView", frames_keys, sizeof(NsFramesSettings), .check = NsEveryCheck};

static PetscBool wanted(const NsWriter *writer)
{
  return writer->model->scene.points > 0 && writer->model->view.fields;
}

static double bytes(const NsWriter *writer)
{
  const NsScene *scene = &writer->model->scene;
  const double   cell  = 40.0 + (scene->beams ? 48 : 0) + (scene->solids ? 216 : 0);
  double         ends  = 0;

  for (PetscInt i = 0; i < scene->cells; i++) ends += NsCellPoints(scene->kind[i]);
  return 1200 + (scene->rotations ? 104.0 : 80.0) * scene->points + cell * scene->cells + 4 * ends;
}

static PetscReal *reals(NsArena *arena, PetscInt count)
{
  return NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)count);
}

static PetscInt *integers(NsArena *arena, PetscInt count)
{
  return NsArenaAlloc(arena, sizeof(PetscInt) * (size_t)count);
}

static void open_fields(Picture *self, const NsScene *scene, NsArena *arena)
{
  NsFields *fields = &self->fields;

  self->radius         = scene->radius;
  self->body           = scene->body;
  self->element        = scene->element;
  fields->displacement = reals(arena, 3 * scene->points);
  fields->velocity     = reals(arena, 3 * scene->points);
  fields->stress       = reals(arena, scene->cells);
  fields->normal_force = reals(arena, scene->cells);
  fields->energy       = reals(arena, scene->cells);
  if (scene->rotations) fields->rotation = reals(arena, 3 * scene->points);
  if (scene->beams) {
    fields->section_force  = reals(arena, 3 * scene->cells);
    fields->section_moment = reals(arena, 3 * scene->cells);
  }
  if (!scene->solids) return;
  fields->stress_tensor = reals(arena, 9 * scene->cells);
  fields->strain_tensor = reals(arena, 9 * scene->cells);
  self->principal       = reals(arena, 3 * scene->cells);
  for (int k = 0; k < 2; k++) self->axis[k] = reals(arena, 3 * scene->cells);
}

static void open_contacts(Closed *self, PetscInt n, NsArena *arena)
{
  self->x                = reals(arena, 3 * n);
  self->displacement     = reals(arena, 3 * n);
  self->normal           = reals(arena, 3 * n);
  self->force            = reals(arena, 3 * n);
  self->impulse          = reals(arena, 3 * n);
  self->gap              = reals(arena, n);
  self->friction_force   = reals(arena, n);
  self->friction_impulse = reals(arena, n);
  self->slip_velocity    = reals(arena, n);
  self->pressure         = reals(arena, n);
  self->slip             = reals(arena, n);
  self->candidate        = integers(arena, n);
  self->state            = integers(arena, n);
  self->active           = integers(arena, n);
}

static PetscErrorCode open_series(NsWriter *writer)
{
  const NsFramesSettings *settings = writer->settings;
  const NsVtkFormat      *format   = NsVtkFormatAt(settings->format);
  NsSink                 *sink     = writer->sink;
  NsArena                *arena    = sink->arena;
  const NsModel          *model    = writer->model;
  const NsScene          *scene    = &model->scene;
  const PetscInt64        planned  = writer->steps / writer->every + 2;
  Frames                 *self     = NsArenaAlloc(arena, sizeof(*self));

  PetscFunctionBegin;
  writer->data               = self;
  writer->form               = NsVtkFormatNames[settings->format];
  writer->needs_acceleration = scene->beams;
  self->contacts             = model->candidates > 0 && model->view.contact_point;
  self->fits                 = NsVtkFits(format, scene->points, scene->cells);
  if (!self->fits)
    NsSinkFail(sink,
      "cannot write frames: legacy VTK files number points and cells with 32 bits, too few for %lld points and %lld cells; set output.frames.format to vtu",
      (long long)scene->points, (long long)scene->cells);
  NsVtkCreate(&self->vtk, sink, format);
  NsFileMakeDirectory(sink, "frames");
  NsSeriesCreate(&self->series, sink, format, sink->name, sink->name, planned);
  open_fields(&self->picture, scene, arena);
  if (self->contacts) {
    NsSeriesCreate(&self->contact_series, sink, format, NsArenaPrint(arena, "%s_contacts", sink->name), "contacts", planned);
    open_contacts(&self->closed, model->candidates, arena);
    self->touch_q = reals(arena, model->touches);
  }
  if (model->planes.cells) {
    NsSeriesCreate(&self->plane_series, sink, format, NsArenaPrint(arena, "%s_planes", sink->name), "planes", planned);
    self->planes.displacement = reals(arena, 3 * model->planes.points);
    self->planes.velocity     = reals(arena, 3 * model->planes.points);
    self->planes.gap          = reals(arena, 3 * model->planes.points);
  }
  NsFileReplace(sink, "view.py", view, sizeof(view) - 1, PETSC_FALSE);
  NsFileListAdd(&sink->files, "view.py", arena);
  self->name_size = strlen(sink->name) + sizeof("frames/contacts_") + 40;
  self->name      = NsArenaAlloc(arena, self->name_size);
  PetscFunctionReturn(0);
}

/* Writes a picture, and lists it. */
static void put(NsWriter *writer, NsSeries *series, const NsSnapshot *snapshot, const char *what, NsVtkPicture *picture)
{
  Frames *self = writer->data;
  char    title[200];

  NsSeriesNextName(series, self->name, self->name_size);
  snprintf(title, sizeof(title), "percuss %s%.100s, step %lld, t = %.9g s", what, writer->sink->name, (long long)snapshot->step, snapshot->state.t);
  picture->name  = self->name;
  picture->title = title;
  picture->time  = snapshot->state.t;
  picture->step  = snapshot->step;
  if (NsVtkWrite(&self->vtk, picture)) NsSeriesAdd(series, snapshot->state.t);
}

static void find_principal(Picture *self, PetscInt cells)
{
  for (PetscInt c = 0; c < cells; c++) {
    const PetscReal *s                 = self->fields.stress_tensor + 9 * c;
    const double     stress[NS_TENSOR] = {s[0], s[4], s[8], s[1], s[5], s[2]};
    double           axis[3][3];
    NsTensorPrincipal(stress, self->principal + 3 * c, axis);
    for (int k = 0; k < 3; k++) {
      self->axis[0][3 * c + k] = axis[0][k];
      self->axis[1][3 * c + k] = axis[2][k];
    }
  }
}

static PetscErrorCode write_model(NsWriter *writer, const NsSnapshot *snapshot)
{
  Frames  *self  = writer->data;
  NsModel *model = writer->model;

  PetscFunctionBegin;
  PetscCall(model->view.fields(model, snapshot->state.t, snapshot->whole_q, snapshot->whole_v, snapshot->whole_acceleration, &self->picture.fields));
  if (self->picture.principal) find_principal(&self->picture, model->scene.cells);
  put(writer, &self->series, snapshot, "", &(NsVtkPicture){.scene = &model->scene, .type = &NsVtkType_Model, .values = &self->picture});
  PetscFunctionReturn(0);
}

static PetscErrorCode write_contacts(NsWriter *writer, const NsSnapshot *snapshot)
{
  Frames  *self   = writer->data;
  Closed  *to     = &self->closed;
  NsModel *model  = writer->model;
  PetscInt closed = 0;

  PetscFunctionBegin;
  PetscCall(NsModelTouch(model, snapshot->state.q, self->touch_q));
  for (PetscInt a = 0; a < snapshot->actives; a++) {
    const PetscInt         i          = snapshot->active[a];
    const NsContactReport *contact    = &snapshot->contact[i];
    const PetscInt         directions = model->candidate[i].directions, k = closed;
    PetscReal             *n = to->normal + 3 * k;

    if (contact->state == NS_OPEN && contact->impulse[0] == 0) continue;
    PetscCall(model->view.contact_point(model, snapshot->state.t, self->touch_q, i, to->x + 3 * k, to->displacement + 3 * k, n));
    for (PetscInt d = 0; d < 3; d++) {
      to->force[3 * k + d]   = contact->force[0] * n[d];
      to->impulse[3 * k + d] = contact->impulse[0] * n[d];
    }
    to->gap[k]              = contact->gap;
    to->friction_force[k]   = NsTangential(contact->force, directions);
    to->friction_impulse[k] = NsTangential(contact->impulse, directions);
    to->slip_velocity[k]    = NsTangential(contact->velocity_after, directions);
    to->pressure[k]         = model->candidate[i].area > 0 ? contact->force[0] / model->candidate[i].area : 0;
    to->slip[k]             = model->contact.slip ? model->contact.slip(model, i, self->touch_q) : 0;
    to->candidate[k]        = i;
    to->state[k]            = (PetscInt)contact->state;
    to->active[k]           = contact->state != NS_OPEN;
    closed++;
  }
  put(writer, &self->contact_series, snapshot, "contacts of ",
    &(NsVtkPicture){.points = closed, .x = to->x, .type = &NsVtkType_Contacts, .values = to});
  PetscFunctionReturn(0);
}

static PetscErrorCode write_planes(NsWriter *writer, const NsSnapshot *snapshot)
{
  Frames  *self  = writer->data;
  NsModel *model = writer->model;

  PetscFunctionBegin;
  PetscCall(model->view.planes(model, snapshot->state.t, &self->planes));
  put(writer, &self->plane_series, snapshot, "planes of ",
    &(NsVtkPicture){.scene = &model->planes, .type = &NsVtkType_Planes, .values = &self->planes});
  PetscFunctionReturn(0);
}

static PetscErrorCode write_frames(NsWriter *writer, const NsSnapshot *snapshot)
{
  Frames *self = writer->data;

  PetscFunctionBegin;
  if (!self->fits) PetscFunctionReturn(0); /* `open` has reported it */
  if (snapshot->whole_q) PetscCall(write_model(writer, snapshot));
  if (self->contacts) PetscCall(write_contacts(writer, snapshot));
  if (writer->model->planes.cells) PetscCall(write_planes(writer, snapshot));
  PetscFunctionReturn(0);
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Frames *self = writer->data;

  PetscFunctionBegin;
  NsSeriesSerialize(&self->series, archive);
  if (self->contacts) NsSeriesSerialize(&self->contact_series, archive);
  if (writer->model->planes.cells) NsSeriesSerialize(&self->plane_series, archive);
  PetscFunctionReturn(0);
}

static PetscErrorCode close_series(NsWriter *writer, const char *status)
{
  Frames *self = writer->data;

  PetscFunctionBegin;
  (void)status;
  NsSeriesClose(&self->series);
  if (self->contacts) NsSeriesClose(&self->contact_series);
  if (writer->model->planes.cells) NsSeriesClose(&self->plane_series);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Frames = {
  .name        = "frames",
  .vtk         = {&NsVtkType_Model, &NsVtkType_Contacts, &NsVtkType_Planes},
  .wanted      = wanted,
  .bytes       = bytes,
  .open        = open_series,
  .write       = write_frames,
  .needs_state = PETSC_TRUE,
  .serialize   = serialize,
  .close       = close_series,
};
