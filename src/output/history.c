/*
  history.csv: time and the probes of `output: history: probes`, a row each `every` steps, shortest digits that read back the same.
*/
#include <string.h>
#include "core/timefunction.h"
#include "writer.h"

enum { NS_PROBES_BY_DEFAULT = 16 };

/* The model chooses the columns of a probe: these are what their names mean. */
static const NsColumn columns[] = {
  {"time", "s", "time"},
  {"u[xyz]", "m", "displacement", .rate = "v"},
  {"v[xyz]", "m/s", "velocity"},
  {"a[xyz]", "m/s^2", "acceleration, with `accelerations: true`: that of the forces at the time of the row, without impulses"},
  {"aw[xyz]", "rad/s^2", "angular acceleration, likewise"},
  {"r[xyz]", "rad", "rotation, of beams, rotors, rigid bodies", .rate = "w"},
  {"w[xyz]", "rad/s", "angular velocity, of the same"},
  {"[xyz]", "m", "position of a point of a mechanism", .rate = "v"},
  {"v", "m/s", "speed of a mechanism's coordinate"},
  {"l", "m", "length, a coordinate of a mechanism", .rate = "vl"},
  {"vl", "m/s", "its rate"},
  {"alpha*", "rad", "angle, a coordinate of a mechanism", .rate = "omega"},
  {"phi", "rad", "angle, a coordinate of a mechanism", .rate = "vphi"},
  {"theta*", "rad", "angle, a coordinate of a mechanism", .rate = "omega"},
  {"omega*", "rad/s", "rate of alpha or theta"},
  {"vphi", "rad/s", "rate of phi"},
  {"angle", "rad", "angle of a body in the plane, or of a hinge including full turns", .rate = "omega"},
  {"p[0-3]", "", "orientation of a body in space: its unit quaternion, scalar first"},
  {"stress", "Pa", "axial stress of a bar or truss, at a point such as bar@0.5; tension is positive"},
  {"normal_force", "N", "normal force at such a point; tension is positive"},
  {"shear_[23]", "N", "shear force of a beam or rotor along the section's axis 2, 3"},
  {"torque", "N m", "torque of a beam or rotor"},
  {"moment_[23]", "N m", "bending moment of a beam or rotor about the section's axis 2, 3"},
  {"s[xyz][xyz]", "Pa", "stress of a solid at a node, the mean of its elements by volume, or at a named point of its `points`"},
  {"mises", "Pa", "von Mises stress of the same"},
  {"s[123]", "Pa", "principal stress of the same, the largest first"},
  {"e[xyz][xyz]", "", "strain of the same; of plane stress without ezz"},
  {"g[xyz][xyz]", "", "shear strain of the same, as an angle"},
  {"energy_density", "J/m^3", "density of the elastic energy of the same"},
  {"f[xyz]", "N",
    "reaction: force on the body of a support, spring or bearing, or on the second partner of a link or tie; of a side of a solid, resultant of the elastic forces on its nodes"},
  {"m[xyz]", "N m",
    "moment of such a reaction; of a support or side about the middle of its nodes, of a spring or bearing about its point on the body, of a link about its second point, of a tie about the middle of its first surface"},
  {"length", "m", "length of a spring of a multibody system"},
  {"force", "N", "its force, tension is positive; of a sliding joint with a spring or damper, the force along its axis"},
  {"moment", "N m", "moment of the spring and the damper of a hinge"},
  {"energy", "J", "elastic energy of a spring, bushing or joint of a multibody system"},
  {"s[123]_[xyz]", "", "unit vector along a principal stress; the largest component of s1 and s2 is positive, and s3 makes the frame right-handed"},
  {"strain", "", "strain of a strain gauge, along its direction"},
  {"strain_[abc]", "", "strains of a rosette along its grids, at 0, 45 and 90 or 0, 60 and 120 degrees"},
  {"e[12]", "", "of a rosette: principal strains in its surface, the larger first"},
  {"e_angle", "rad", "of a rosette: angle of the first of them, from grid a towards grid b"},
  {"[xyz]*", NS_UNIT_UNKNOWN, "other coordinates of a mechanism", .rate = "v"},
  {NULL},
};
static const NsCsvType history = {
  "history.csv", "quantities of the probes, a row every `output.history.every` steps; columns are PROBE.QUANTITY", NS_CSV_STEPS, columns};

static const char *const rosettes[] = {"none", "rectangular", "delta", NULL};

static const NsKey gauge_keys[] = {
  {"at", NS_KEY_STRING, offsetof(NsGaugeSettings, at), .required = true,
    .help = "a node or one of the named `points` of a solid, or a point along a bar, truss, beam or rotor", .example = "beam@0.1"},
  {"direction", NS_KEY_VECTOR, offsetof(NsGaugeSettings, direction), .space = NS_SPACE_DIRECTION,
    .help = "of solids: direction of the gauge, of a rosette that of its grid a", .example = "[1, 0, 0]"},
  {"rosette", NS_KEY_CHOICE, offsetof(NsGaugeSettings, rosette), .choices = rosettes, .default_value = "none",
    .help =
      "of solids: three grids, rectangular at 0, 45, 90 degrees or delta at 0, 60, 120 degrees about the normal, and the principal strains from them",
    .example = "rectangular"},
  {"normal", NS_KEY_VECTOR, offsetof(NsGaugeSettings, normal), .space = NS_SPACE_DIRECTION,
    .help = "normal of the surface that a rosette is on; in the plane always z", .example = "[0, 0, 1]"},
  {"fibre", NS_KEY_NUMBERS, offsetof(NsGaugeSettings, fibre), .columns = 1, .least = 2, .most = 2, .columns_dimension = {NS_DIM_LENGTH},
    .help = "of beams and rotors: position of the gauge in the section, along its axes 2 and 3; default: on the axis", .example = "[10 mm, 0]"},
  {NULL},
};
static const NsTable gauge_table = {"gauge", "a strain gauge", gauge_keys, sizeof(NsGaugeSettings), .shorthand = "at"};

static const NsKey history_keys[] = {
  {"probes", NS_KEY_STRINGS, offsetof(NsHistorySettings, probes),
    .help =
      "points to record: named nodes, or points along a body, such as body@0.5 or body@20 mm, where section forces are recorded, too; of a set of nodes the mean motion; supports.NAME, springs.NAME, bearings.NAME, motors.NAME, gears.NAME, links.NAME, ties.NAME, in multibody systems joints.NAME: reactions",
    .example = "[bar.left, bar@0.5]"},
  {"accelerations", NS_KEY_BOOLEAN, offsetof(NsHistorySettings, accelerations), .default_value = "false",
    .help = "also record accelerations; each row then costs an evaluation of forces and a solve with the mass matrix", .example = "true"},
  {"gauges", NS_KEY_NAMED, offsetof(NsHistorySettings, gauges), .table = &gauge_table,
    .help    = "strain gauges by name: strain at a point along a direction, in beams that of a fibre; rosettes on solids",
    .example = "{root: {at: beam@0.05, fibre: [10 mm, 0]}}"},
  {"principal_directions", NS_KEY_BOOLEAN, offsetof(NsHistorySettings, principal_directions), .default_value = "false",
    .help = "also record the directions of the principal stresses of solids", .example = "true"},
  {"on_change", NS_KEY_NUMBER, offsetof(NsHistorySettings, on_change), .default_value = "0", .minimum = "0", .maximum = "< 1",
    .help =
      "write a row, and the one before it, only if some column has changed by more than this fraction of the largest magnitude so far of all columns with the same unit: linear interpolation is accurate to twice this fraction; the first and the last row are always written",
    .example = "0.01"},
  NS_EVERY_KEY(NsHistorySettings),
  {NULL},
};
const NsTable NsTable_History = {"history", "time histories of points", history_keys, sizeof(NsHistorySettings), .check = NsEveryCheck};

/* Rows that are left out: on_change. */
typedef struct {
  PetscReal  part;             /* of the largest magnitude */
  PetscInt  *kind;             /* [columns] columns of one unit have the same */
  PetscReal *largest;          /* [columns] by kind */
  PetscReal *written, *before; /* [1 + columns] the last row; the last one that was left out */
  PetscBool  begun, left;      /* there are these */
} Changes;

typedef struct {
  PetscInt        columns; /* beside the time */
  NsProbeColumn **column;  /* [columns] */
  PetscReal      *value;   /* [1 + columns] of the present row: time first */
  NsRecorded      recorded;
  Changes         changes;
  PetscReal      *position; /* [scene.points, 3], or NULL when no column needs it: of mechanisms, which are on one process in natural order */
} History;

static PetscBool wanted(const NsWriter *writer)
{
  return ((const NsHistorySettings *)writer->settings)->probes.count > 0 && writer->model->view.probe;
}

static double bytes(const NsWriter *writer)
{
  return NS_CSV_NUMBER * (1 + 4.0 * ((const NsHistorySettings *)writer->settings)->probes.count);
}

/* "ax" of "vx", "awx" of "wx"; NULL: of another quantity. */
static const char *acceleration_name(const char *suffix)
{
  static const char *const names[][2] = {{"vx", "ax"}, {"vy", "ay"}, {"vz", "az"}, {"wx", "awx"}, {"wy", "awy"}, {"wz", "awz"}};

  for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
    if (!strcmp(suffix, names[k][0])) return names[k][1];
  }
  return NULL;
}

/* Whether a column is a velocity that is linear in those of the unknowns: then its acceleration has the same weights. */
static PetscBool has_acceleration(const NsProbeColumn *column)
{
  return column->of_velocity && !column->plus && !column->law && !column->coordinate && !column->of_stress && acceleration_name(column->suffix);
}

static NsProbeColumn *acceleration_of(const NsProbeColumn *velocity, NsArena *arena)
{
  NsProbeColumn *column = NsArenaAlloc(arena, sizeof(*column));

  *column                 = NsProbeCopy(velocity, arena);
  column->suffix          = acceleration_name(velocity->suffix);
  column->of_velocity     = PETSC_FALSE;
  column->of_acceleration = PETSC_TRUE;
  for (PetscInt k = 0; k < column->timed; k++) { /* of what supports move: derivatives of its motion */
    NsTimeFunction *function = NsArenaAlloc(arena, sizeof(*function));
    *function                = *velocity->function[k];
    function->order++;
    column->function[k] = function;
  }
  return column;
}

static PetscErrorCode check_gauges(const NsHistorySettings *own, NsModel *model, NsDiag *diag)
{
  const NsGaugeSettings *gauge = own->gauges.items;
  NsProbe                probe;
  PetscBool              found;
  char                   why[256];

  PetscFunctionBegin;
  if (own->gauges.count && !model->view.gauge)
    NsDiagError(diag, NsKeysPlace(own->where, "gauges"), "strain gauges need deformable bodies: %s", "bars, trusses, beams, rotors or solids");
  for (int i = 0; i < own->gauges.count && model->view.gauge; i++) {
    why[0] = '\0';
    PetscCall(model->view.gauge(model, &gauge[i], &probe, &found, why, sizeof(why)));
    if (!found) NsDiagError(diag, NsKeysPlace(gauge[i].where, "at"), "%s", why);
  }
  PetscFunctionReturn(0);
}

/* Adds directions of the principal stresses after the columns of a probe; returns whether the probe has them. */
static PetscBool add_directions(NsProbe *probe)
{
  static const char *const suffixes[] = {"s1_x", "s1_y", "s1_z", "s2_x", "s2_y", "s2_z", "s3_x", "s3_y", "s3_z"};
  PetscInt                 from       = 0;

  while (from < probe->columns && probe->column[from].of_stress != 2) from++;
  if (from == probe->columns || probe->columns + 9 > NS_PROBE_COLUMNS) return PETSC_FALSE;
  for (int k = 0; k < 9; k++) {
    NsProbeColumn *column = &probe->column[probe->columns];
    *column               = probe->column[from];
    column->suffix        = suffixes[k];
    column->of_stress     = NS_PROBE_DIRECTION + k;
    for (int s = 0; s < 12; s++) column->back[s] += column->back[s] ? (int)(probe->columns - from) : 0;
    probe->columns++;
  }
  return PETSC_TRUE;
}

/* Probes that do not exist are errors; by default every named node is a probe (up to 16). */
static PetscErrorCode check(void *settings, NsModel *model, NsArena *arena, NsDiag *diag)
{
  NsHistorySettings *own    = settings;
  NsStrings         *probes = &own->probes;
  PetscBool          any = PETSC_FALSE, stressed = PETSC_FALSE;
  NsProbe            probe;
  PetscBool          found;
  char               why[256];

  PetscFunctionBegin;
  PetscCall(check_gauges(own, model, diag));
  for (int i = 0; i < probes->count; i++) {
    const char *name = probes->items[i];
    why[0]           = '\0';
    PetscCall(model->view.probe(model, name, &probe, &found, why, sizeof(why)));
    if (found && *why) NsDiagWarning(diag, probes->where[i]->place, "%s", why);
    if (!found) {
      NsDiagError(diag, probes->where[i]->place, "%s", why);
      NsDiagNote(diag, "%s", model->probe_help);
    }
    for (PetscInt c = 0; found && c < probe.columns; c++) any = any || has_acceleration(&probe.column[c]);
    stressed = (found && add_directions(&probe)) || stressed;
    for (int j = 0; j < i && found; j++) {
      if (strcmp(name, probes->items[j])) continue;
      NsDiagError(diag, probes->where[i]->place, "probe '%s' is a duplicate", name);
      break;
    }
  }
  if (own->accelerations && probes->count > 0 && !any && !NsDiagErrors(diag))
    NsDiagError(diag, NsKeysPlace(own->where, "accelerations"),
      "none of these probes has accelerations: they are known of points of finite elements and coordinates of bodies");
  if (own->principal_directions && !stressed && !NsDiagErrors(diag))
    NsDiagError(
      diag, NsKeysPlace(own->where, "principal_directions"), "none of the `probes` has principal stresses: name nodes, or named `points`, of solids");
  if (probes->count > 0) PetscFunctionReturn(0);
  probes->items = NsArenaAlloc(arena, NS_PROBES_BY_DEFAULT * sizeof(*probes->items));
  for (int i = 0; model->probe_names[i] && probes->count < NS_PROBES_BY_DEFAULT; i++) {
    PetscCall(model->view.probe(model, model->probe_names[i], &probe, &found, why, sizeof(why)));
    if (found) probes->items[probes->count++] = model->probe_names[i];
  }
  PetscFunctionReturn(0);
}

/* The next columns of the header, and of the row, which is an array of numbers with the time first. */
static void add_column(History *self, NsColumn *header, const char *name, NsProbeColumn *column, NsArena *arena)
{
  const char     *suffix = column->suffix;
  const NsColumn *known  = NsColumnFind(&history, *suffix ? suffix : name);
  const char     *unit   = known ? known->unit : NS_UNIT_UNKNOWN;

  self->changes.kind[self->columns] = known ? (PetscInt)(known - columns) : 0;
  self->column[self->columns++]     = column;
  header[self->columns] =
    (NsColumn){NsArenaPrint(arena, "%s%s%s", name, *suffix ? "." : "", suffix), unit, "", sizeof(PetscReal) * (size_t)self->columns};
}

static void add_probe(History *self, NsColumn *header, const char *name, NsProbe *probe, PetscBool accelerations, NsArena *arena)
{
  for (PetscInt c = 0; c < probe->columns; c++) add_column(self, header, name, &probe->column[c], arena);
  for (PetscInt c = 0; accelerations && c < probe->columns; c++) {
    if (has_acceleration(&probe->column[c])) add_column(self, header, name, acceleration_of(&probe->column[c], arena), arena);
  }
}

/* Prepares `on_change`. The hash of the columns is stored, because the history of a run resumed with other columns would not fit. */
static void begin_changes(NsWriter *writer, const NsColumn *header)
{
  History     *self  = writer->data;
  Changes     *it    = &self->changes;
  const size_t room  = (size_t)self->columns + 1;
  unsigned     hash  = 2166136261u; /* FNV-1a */
  NsArena     *arena = writer->sink->arena;

  it->part = ((const NsHistorySettings *)writer->settings)->on_change;
  if (!(it->part > 0)) return;
  it->largest = NsArenaAlloc(arena, sizeof(*it->largest) * (room + sizeof(columns) / sizeof(*columns)));
  it->written = NsArenaAlloc(arena, sizeof(*it->written) * room);
  it->before  = NsArenaAlloc(arena, sizeof(*it->before) * room);
  for (PetscInt c = 1; c <= self->columns; c++) {
    for (const char *p = header[c].name; *p; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
  }
  writer->form = NsArenaPrint(arena, "on_change %08x", hash);
}

static PetscErrorCode open_table(NsWriter *writer)
{
  NsModel         *model  = writer->model;
  NsArena         *arena  = writer->sink->arena;
  const NsStrings *names  = &((const NsHistorySettings *)writer->settings)->probes;
  const NsList    *gauges = &((const NsHistorySettings *)writer->settings)->gauges;
  const size_t     most   = 2 * (size_t)(names->count + gauges->count) * NS_PROBE_COLUMNS;
  History         *self   = NsArenaAlloc(arena, sizeof(*self));
  NsProbe         *probes = NsArenaAlloc(arena, sizeof(*probes) * (size_t)(names->count + gauges->count));
  NsColumn        *header = NsArenaAlloc(arena, sizeof(*header) * (most + 2));
  NsCsvType       *type   = NsArenaAlloc(arena, sizeof(*type));

  PetscFunctionBegin;
  writer->data       = self;
  self->column       = NsArenaAlloc(arena, sizeof(*self->column) * most);
  self->changes.kind = NsArenaAlloc(arena, sizeof(*self->changes.kind) * most);
  header[0]          = columns[0];
  for (int i = 0; i < names->count; i++) {
    PetscBool found = PETSC_FALSE;
    char      why[256];

    PetscCall(model->view.probe(model, names->items[i], &probes[i], &found, why, sizeof(why)));
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "probe '%s' passed the check of the config but the model does not know it", names->items[i]);
    if (((const NsHistorySettings *)writer->settings)->principal_directions) (void)add_directions(&probes[i]);
    add_probe(self, header, names->items[i], &probes[i], ((const NsHistorySettings *)writer->settings)->accelerations, arena);
  }
  for (int i = 0; i < gauges->count; i++) {
    NsProbe  *probe = &probes[names->count + i];
    PetscBool found = PETSC_FALSE;
    char      why[256];
    PetscCall(model->view.gauge(model, (const NsGaugeSettings *)gauges->items + i, probe, &found, why, sizeof(why)));
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "gauge '%s' passed the check of the config but the model does not know it", gauges->names[i]);
    add_probe(self, header, gauges->names[i], probe, PETSC_FALSE, arena);
  }
  for (PetscInt c = 0; c < self->columns && !self->position; c++) {
    if (self->column[c]->coordinate) self->position = NsArenaAlloc(arena, sizeof(*self->position) * 3 * (size_t)model->scene.points);
  }
  for (PetscInt c = 0; c < self->columns; c++) writer->needs_acceleration = writer->needs_acceleration || NsProbeAccelerations(self->column[c]);
  self->value  = NsArenaAlloc(arena, sizeof(*self->value) * (size_t)(1 + self->columns));
  *type        = history;
  type->column = header;
  begin_changes(writer, header);
  NsCsvOpen(&writer->csv[0], writer->sink, type, 0, NULL);
  PetscCall(NsRecordedCreate(writer, self->columns, self->column, &self->recorded));
  PetscFunctionReturn(0);
}

/* Whether the present row is to be written. */
static PetscBool has_changed(History *self)
{
  Changes  *it      = &self->changes;
  PetscBool changed = !it->begun;

  for (PetscInt c = 0; c < self->columns; c++) it->largest[it->kind[c]] = PetscMax(it->largest[it->kind[c]], PetscAbsReal(self->value[1 + c]));
  for (PetscInt c = 0; c < self->columns && !changed; c++)
    changed = PetscAbsReal(self->value[1 + c] - it->written[1 + c]) > it->part * it->largest[it->kind[c]];
  return changed;
}

static void write_changes(NsWriter *writer)
{
  History     *self = writer->data;
  Changes     *it   = &self->changes;
  const size_t size = sizeof(*it->before) * ((size_t)self->columns + 1);

  if (!has_changed(self)) {
    memcpy(it->before, self->value, size);
    it->left = PETSC_TRUE;
    return;
  }
  if (it->left) NsCsvRow(&writer->csv[0], it->before);
  NsCsvRow(&writer->csv[0], self->value);
  memcpy(it->written, self->value, size);
  it->begun = PETSC_TRUE;
  it->left  = PETSC_FALSE;
}

static PetscErrorCode write_row(NsWriter *writer, const NsSnapshot *snapshot)
{
  History         *self = writer->data;
  const PetscReal *q, *v, *a;
  PetscReal        sum = 0;

  PetscFunctionBegin;
  if (self->position) PetscCall(writer->model->view.points(writer->model, snapshot->state.t, snapshot->state.q, self->position));
  PetscCall(NsRecordedGather(&self->recorded, &snapshot->state, &q, &v));
  PetscCall(NsRecordedAccelerations(&self->recorded, snapshot->acceleration, &a));
  self->value[0] = snapshot->state.t;
  for (PetscInt c = 0; c < self->columns; c++) {
    const NsProbeColumn *column = self->column[c];

    self->value[1 + c] = column->coordinate && self->position
                           ? self->position[column->coordinate - 1]
                           : NsProbeColumnValue(column, snapshot->state.t, q, v, a) + NsProbeForces(column, snapshot->contact, snapshot->last_step);
    sum += self->value[1 + c];
  }
  PetscCall(NsRecordedRestore(&self->recorded, &snapshot->state, &q, &v));
  if (!NsWriterFinite(writer, sum)) PetscFunctionReturn(0);
  if (self->changes.part > 0)
    write_changes(writer);
  else
    NsCsvRow(&writer->csv[0], self->value);
  PetscFunctionReturn(0);
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  History *self = writer->data;
  Changes *it   = &self->changes;

  PetscFunctionBegin;
  if (!(it->part > 0)) PetscFunctionReturn(0);
  NsArchiveReals(archive, "largest", (PetscInt64)(sizeof(columns) / sizeof(*columns)), it->largest);
  NsArchiveReals(archive, "written", self->columns + 1, it->written);
  NsArchiveReals(archive, "left out", self->columns + 1, it->before);
  NsArchiveFlags(archive, "begun", 1, &it->begun);
  NsArchiveFlags(archive, "left", 1, &it->left);
  PetscFunctionReturn(0);
}

/* Before the table is closed. */
static PetscErrorCode close_watch(NsWriter *writer, const char *status)
{
  PetscFunctionBegin;
  (void)status;
  if (((History *)writer->data)->changes.left) NsCsvRow(&writer->csv[0], ((History *)writer->data)->changes.before); /* the last one */
  PetscCall(NsRecordedDestroy(&((History *)writer->data)->recorded));
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_History = {
  .name      = "history",
  .csv       = {&history},
  .wanted    = wanted,
  .check     = check,
  .bytes     = bytes,
  .open      = open_table,
  .write     = write_row,
  .serialize = serialize,
  .close     = close_watch,
};
