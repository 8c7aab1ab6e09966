/*
  orbits.csv: the orbit of a rotor at each station, a row each `every` steps; poincare.csv: its position once per revolution.

    NAME.u2, NAME.u3   m, displacement along the lateral axes e2, e3 of the shaft (y, z for a shaft along x), minus that of `relative_to`
    NAME.radius        m, sqrt(u2^2 + u3^2)
    NAME.whirl_rate    rad/s, (u2 v3 - u3 v2) / radius^2, positive from e2 to e3; 0 where the radius is 0
    NAME.angle         rad, through which the shaft has spun there: prescribed, or its twist
    NAME.spin_rate     rad/s, positive about e1

  A row of poincare.csv is the state at which the spin angle passes 2 pi times `turn`, by straight lines between the states before and after the
  step. Steps of more than a turn leave no row, nor does the angle 0.

  The whirl of the summary in run.json is the angle through which the orbit goes in the last quarter of the simulated time, by that time; between two
  states it is taken to go less than half a turn. All steps count, whatever `every` is.
*/
#include <string.h>
#include "core/json.h"
#include "writer.h"

/* The orbit at one instant. */
typedef struct {
  PetscReal u[2], v[2], angle, spin;
} Orbit;

/* What is known of a station. NAN in the summary: not known. */
typedef struct {
  const char *name;
  NsStation   station;
  Orbit       orbit, now; /* at the end of the step before; of the present one */
  /* At the first state of the last quarter, and since. */
  PetscReal angle;   /* of spin, rad */
  PetscReal whirled; /* rad */
  /* The summary. */
  PetscReal largest_radius;        /* m, of all steps */
  PetscReal whirl_rate, spin_rate; /* rad/s, means over the last quarter of the simulated time, positive about the shaft's axis e1 */
  PetscReal turns;                 /* of the orbit in that quarter */
} Station;

/* A station in a row of orbits.csv. */
typedef struct {
  PetscReal u2, u3, radius, whirl_rate, angle, spin_rate;
} StationRow;

typedef struct {
  PetscReal  time;
  StationRow station[]; /* [stations] */
} OrbitsRow;

typedef struct {
  PetscReal   time, turn, u[2], v[2];
  const char *station;
} TurnRow;

typedef struct {
  PetscInt   stations;
  Station   *station;
  NsRecorded recorded;
  PetscReal  before;  /* s: time of the state before */
  PetscReal  quarter; /* s: when the last quarter began; < 0: not yet */
  OrbitsRow *row;
} Orbits;

static const NsColumn orbits_columns[] = {
  {"time", "s", "time", offsetof(OrbitsRow, time)},
  {"u2", "m", "displacement along the shaft's lateral axis 2, minus that of `relative_to`", offsetof(StationRow, u2)},
  {"u3", "m", "the same along axis 3", offsetof(StationRow, u3)},
  {"radius", "m", "distance from the undeflected axis", offsetof(StationRow, radius)},
  {"whirl_rate", "rad/s", "angular velocity of the orbit, positive from axis 2 to 3", offsetof(StationRow, whirl_rate)},
  {"angle", "rad", "angle of the spin", offsetof(StationRow, angle), .rate = "spin_rate"},
  {"spin_rate", "rad/s", "angular velocity of the spin", offsetof(StationRow, spin_rate)},
  {NULL},
};
static const NsCsvType orbits = {"orbits.csv", "motion of rotors at their stations, a row every `output.orbits.every` steps", NS_CSV_STEPS,
  orbits_columns, "station", offsetof(OrbitsRow, station), sizeof(StationRow)};

static const NsColumn turn_columns[] = {
  {"time", "s", "time at which the shaft completes a revolution", offsetof(TurnRow, time)},
  {"station", NULL, "name of the station", offsetof(TurnRow, station)},
  {"turn", "", "number of the revolution; negative: backward spin", offsetof(TurnRow, turn)},
  {"u2", "m", "displacement along the shaft's lateral axis 2", offsetof(TurnRow, u[0])},
  {"u3", "m", "the same along axis 3", offsetof(TurnRow, u[1])},
  {"v2", "m/s", "velocity along axis 2", offsetof(TurnRow, v[0])},
  {"v3", "m/s", "the same along axis 3", offsetof(TurnRow, v[1])},
  {NULL},
};
static const NsCsvType poincare = {
  "poincare.csv", "a row for each revolution of the shaft at a station: a Poincare section", NS_CSV_EVENTS, turn_columns};

enum { ORBITS, TURNS }; /* the writer's tables */

static const NsKey station_keys[] = {
  {"at", NS_KEY_STRING, offsetof(NsStationSettings, at), .required = true, .help = "named node of a rotor, or a point along it",
    .example = "shaft@180 mm"},
  {"offset", NS_KEY_VECTOR, offsetof(NsStationSettings, offset), .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]",
    .help = "rigid arm from this point to the station", .example = "[9.5 mm, 0, 0]"},
  {"relative_to", NS_KEY_STRING, offsetof(NsStationSettings, relative_to),
    .help    = "node of another body, such as a housing, whose displacement is subtracted: the orbit is then the motion within the clearance",
    .example = "housing.center"},
  {NULL},
};
static const NsTable station_table = {
  "station", "a point along a rotor whose orbit is recorded", station_keys, sizeof(NsStationSettings), .shorthand = "at"};

static const NsKey orbits_keys[] = {
  {"stations", NS_KEY_NAMED, offsetof(NsOrbitsSettings, stations), .table = &station_table,
    .help = "named points where orbits about the undeflected axis are recorded", .example = "{disc: {at: shaft@180 mm}}"},
  NS_EVERY_KEY(NsOrbitsSettings),
  {NULL},
};
const NsTable NsTable_Orbits = {"orbits", "orbits of rotors", orbits_keys, sizeof(NsOrbitsSettings), .check = NsEveryCheck};

static PetscBool wanted(const NsWriter *writer)
{
  return ((const NsOrbitsSettings *)writer->settings)->stations.count > 0 && writer->model->view.station;
}

static double bytes(const NsWriter *writer)
{
  return NS_CSV_NUMBER * (1 + 6.0 * ((const NsOrbitsSettings *)writer->settings)->stations.count);
}

/* Stations need a shaft. */
static PetscErrorCode check(void *settings, NsModel *model, NsArena *arena, NsDiag *diag)
{
  const NsOrbitsSettings  *own     = settings;
  const NsStationSettings *station = own->stations.items;

  PetscFunctionBegin;
  (void)arena;
  if (own->stations.count && !model->view.station) {
    NsDiagError(diag, NsKeysPlace(own->where, "stations"), "orbits need a rotor, and this model has none (%s)", model->kind);
    PetscFunctionReturn(0);
  }
  for (int i = 0; i < own->stations.count; i++) {
    NsStation found_station;
    PetscBool found = PETSC_FALSE;
    char      why[256];

    PetscCall(model->view.station(model, &station[i], &found_station, &found, why, sizeof(why)));
    if (!found) NsDiagError(diag, NsKeysPlace(station[i].where, strncmp(why, "relative_to", 11) ? "at" : "relative_to"), "%s", why);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode record(const NsWriter *writer, Orbits *self)
{
  NsProbeColumn **column = NsArenaAlloc(writer->sink->arena, sizeof(*column) * 6 * (size_t)self->stations);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < self->stations; i++) {
    NsStation           *station = &self->station[i].station;
    NsProbeColumn *const of[6]   = {
        &station->lateral[0], &station->lateral[1], &station->lateral_rate[0], &station->lateral_rate[1], &station->angle, &station->angle_rate};
    for (int k = 0; k < 6; k++) column[6 * i + k] = of[k];
  }
  PetscCall(NsRecordedCreate(writer, 6 * self->stations, column, &self->recorded));
  PetscFunctionReturn(0);
}

static PetscErrorCode open_tables(NsWriter *writer)
{
  NsModel                 *model    = writer->model;
  NsArena                 *arena    = writer->sink->arena;
  const NsList            *list     = &((const NsOrbitsSettings *)writer->settings)->stations;
  const NsStationSettings *settings = list->items;
  NsSubject               *subject  = NsArenaAlloc(arena, sizeof(*subject) * (size_t)list->count);
  Orbits                  *self     = NsArenaAlloc(arena, sizeof(*self));

  PetscFunctionBegin;
  writer->data   = self;
  self->stations = list->count;
  self->station  = NsArenaAlloc(arena, sizeof(*self->station) * (size_t)list->count);
  self->row      = NsArenaAlloc(arena, NsCsvRowSize(&orbits, list->count));
  self->quarter  = -1;
  for (PetscInt i = 0; i < self->stations; i++) {
    Station  *station = &self->station[i];
    PetscBool found   = PETSC_FALSE;
    char      why[256];

    PetscCall(model->view.station(model, &settings[i], &station->station, &found, why, sizeof(why)));
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "station '%s' passed the check of the config but the model does not know it", list->names[i]);
    subject[i].name = station->name = list->names[i];
    station->whirl_rate = station->spin_rate = station->turns = NAN;
  }
  NsCsvOpen(&writer->csv[ORBITS], writer->sink, &orbits, self->stations, subject);
  PetscCall(record(writer, self));
  PetscFunctionReturn(0);
}

/* The orbit of a state. */
static PetscErrorCode find_orbit(NsModel *model, PetscReal t, const NsStation *station, const PetscReal *q, const PetscReal *v, Orbit *orbit)
{
  PetscFunctionBegin;
  orbit->angle = orbit->spin = 0;
  if (model->view.spin) PetscCall(model->view.spin(model, t, station, &orbit->angle, &orbit->spin));
  orbit->angle += NsProbeColumnSum(&station->angle, t, q, v);
  orbit->spin += NsProbeColumnSum(&station->angle_rate, t, q, v);
  for (int k = 0; k < 2; k++) {
    orbit->u[k] = NsProbeColumnSum(&station->lateral[k], t, q, v);
    orbit->v[k] = NsProbeColumnSum(&station->lateral_rate[k], t, q, v);
  }
  PetscFunctionReturn(0);
}

/* A row if the shaft has completed a revolution since the previous state. */
static void put_turn(NsCsv *csv, const char *name, PetscReal t_before, PetscReal t, const Orbit *before, const Orbit *now)
{
  const PetscReal turn = 2 * PETSC_PI, a = before->angle / turn, b = now->angle / turn;
  const PetscReal passed = b > a ? PetscFloorReal(b) : PetscCeilReal(b); /* the state before does not count, that after does */
  TurnRow         row    = {.station = name, .turn = passed + 0.0 /* no -0 */};

  if (passed == 0) return; /* back where it began: no turn */
  if (PetscAbsReal(b - a) > 1 || a == b || (b > a ? passed <= a : passed >= a)) return;
  const PetscReal fraction = (passed - a) / (b - a);
  row.time                 = t_before + fraction * (t - t_before);
  for (int k = 0; k < 2; k++) {
    row.u[k] = before->u[k] + fraction * (now->u[k] - before->u[k]);
    row.v[k] = before->v[k] + fraction * (now->v[k] - before->v[k]);
  }
  NsCsvRow(csv, &row);
}

/* Angle from one state of the orbit to the next, -pi .. pi; 0 where one of them is in the middle. */
static PetscReal angle_between(const PetscReal from[2], const PetscReal to[2])
{
  return PetscAtan2Real(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
}

/* What a step adds to turns and summary; `start`: the last quarter begins with this state. */
static void follow(NsWriter *writer, Station *station, PetscReal t, PetscBool first, PetscBool start)
{
  const Orbits   *self   = writer->data;
  const Orbit    *now    = &station->now;
  const PetscReal radius = PetscSqrtReal(now->u[0] * now->u[0] + now->u[1] * now->u[1]);

  if (!first) put_turn(&writer->csv[TURNS], station->name, self->before, t, &station->orbit, now);
  station->largest_radius = PetscMax(station->largest_radius, radius);
  if (start)
    station->angle = now->angle;
  else if (self->quarter >= 0) {
    station->whirled += angle_between(station->orbit.u, now->u);
    station->turns      = station->whirled / (2 * PETSC_PI);
    station->whirl_rate = station->whirled / (t - self->quarter);
    station->spin_rate  = (now->angle - station->angle) / (t - self->quarter);
  }
  station->orbit = *now;
}

static PetscErrorCode observe(NsWriter *writer, const NsSnapshot *snapshot)
{
  Orbits          *self  = writer->data;
  const PetscReal  t     = snapshot->state.t;
  const PetscBool  start = self->quarter < 0 && t >= 0.75 * writer->end;
  const PetscReal *q, *v;
  PetscReal        sum = 0;

  PetscFunctionBegin;
  PetscCall(NsRecordedGather(&self->recorded, &snapshot->state, &q, &v));
  for (PetscInt i = 0; i < self->stations; i++) {
    Orbit *now = &self->station[i].now;

    PetscCall(find_orbit(writer->model, t, &self->station[i].station, q, v, now));
    sum += now->u[0] + now->u[1] + now->v[0] + now->v[1] + now->angle + now->spin;
  }
  PetscCall(NsRecordedRestore(&self->recorded, &snapshot->state, &q, &v));
  if (!NsWriterFinite(writer, sum)) PetscFunctionReturn(0);
  if (start) self->quarter = t;
  for (PetscInt i = 0; i < self->stations; i++) follow(writer, &self->station[i], t, snapshot->step == 0, start);
  self->before = t;
  PetscFunctionReturn(0);
}

static PetscErrorCode write_row(NsWriter *writer, const NsSnapshot *snapshot)
{
  const Orbits *self = writer->data;

  PetscFunctionBegin;
  self->row->time = snapshot->state.t;
  for (PetscInt i = 0; i < self->stations; i++) {
    const Orbit    *o       = &self->station[i].orbit;
    const PetscReal radius2 = o->u[0] * o->u[0] + o->u[1] * o->u[1];

    self->row->station[i] = (StationRow){.u2 = o->u[0],
      .u3                                    = o->u[1],
      .radius                                = PetscSqrtReal(radius2),
      .whirl_rate                            = radius2 > 0 ? (o->u[0] * o->v[1] - o->u[1] * o->v[0]) / radius2 : 0,
      .angle                                 = o->angle,
      .spin_rate                             = o->spin};
  }
  NsCsvRow(&writer->csv[ORBITS], self->row);
  PetscFunctionReturn(0);
}

/* The summary begins anew. */
static void forget_quarter(Orbits *self)
{
  self->quarter = -1;
  for (PetscInt i = 0; i < self->stations; i++) {
    Station *station = &self->station[i];

    station->whirled    = 0;
    station->whirl_rate = station->spin_rate = station->turns = NAN;
  }
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Orbits *self = writer->data;

  PetscFunctionBegin;
  NsArchiveReals(archive, "before", 1, &self->before);
  NsArchiveReals(archive, "quarter", 1, &self->quarter);
  for (PetscInt i = 0; i < self->stations; i++) {
    Station *station = &self->station[i];

    NsArchiveBytes(archive, "orbit", sizeof(station->orbit), &station->orbit);
    NsArchiveReals(archive, "angle", 1, &station->angle);
    NsArchiveReals(archive, "whirled", 1, &station->whirled);
    NsArchiveReals(archive, "largest_radius", 1, &station->largest_radius);
    NsArchiveReals(archive, "whirl_rate", 1, &station->whirl_rate);
    NsArchiveReals(archive, "spin_rate", 1, &station->spin_rate);
    NsArchiveReals(archive, "turns", 1, &station->turns);
  }
  if (archive->reading && self->quarter < 0.75 * writer->end) forget_quarter(self); /* the run had an earlier end */
  PetscFunctionReturn(0);
}

/* Less than half a turn in a quarter of the run is not a whirl. */
static void summary(const NsWriter *writer, NsJson *json)
{
  const Orbits *self = writer->data;

  NsJsonOpen(json, "orbits", '{');
  for (PetscInt i = 0; i < self->stations; i++) {
    const Station  *station = &self->station[i];
    const PetscBool whirls  = PetscAbsReal(station->turns) >= 0.5; /* false where it is not known, too */
    const PetscBool spins   = station->spin_rate != 0 && !PetscIsNanReal(station->spin_rate);

    NsJsonOpen(json, station->name, '{');
    NsJsonNumber(json, "largest_radius", station->largest_radius);
    NsJsonNumber(json, "whirl_rate", station->whirl_rate);
    NsJsonNumber(json, "spin_rate", station->spin_rate);
    NsJsonNumber(json, "whirl_ratio", spins ? station->whirl_rate / station->spin_rate : NAN);
    NsJsonString(json, "whirl", !whirls || !spins ? NULL : (station->whirl_rate > 0) == (station->spin_rate > 0) ? "forward" : "backward");
    NsJsonClose(json);
  }
  NsJsonClose(json);
}

static PetscErrorCode close_watch(NsWriter *writer, const char *status)
{
  PetscFunctionBegin;
  (void)status;
  PetscCall(NsRecordedDestroy(&((Orbits *)writer->data)->recorded));
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Orbits = {
  .name      = "orbits",
  .csv       = {&orbits, &poincare},
  .wanted    = wanted,
  .check     = check,
  .bytes     = bytes,
  .open      = open_tables,
  .observe   = observe,
  .write     = write_row,
  .serialize = serialize,
  .summary   = summary,
  .close     = close_watch,
};
