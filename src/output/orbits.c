/*
  orbits.csv: how a rotor goes round at each station, a row each `every` steps; poincare.csv: where it is each time the shaft has made a turn.

    NAME.u2, NAME.u3   m, displacement along the lateral axes e2, e3 of the shaft (y, z for a shaft along x), less that of `relative_to`
    NAME.radius        m, sqrt(u2^2 + u3^2)
    NAME.whirl_rate    rad/s, (u2 v3 - u3 v2) / radius^2, positive from e2 to e3; 0 where the radius is 0
    NAME.angle         rad, through which the shaft has spun there: prescribed, or its twist
    NAME.spin_rate     rad/s, positive about e1

  A row of poincare.csv is the state at which the spin angle passes 2 pi times `turn`, by straight lines between the states before and after the
  step. Steps of more than a turn leave no row, nor does the angle 0.

  The whirl of the summary in run.json is the angle through which the orbit goes in the last quarter of the simulated time, by that time; between two
  states it is taken to go less than half a turn. All steps are looked at, whatever `every` is.
*/
#include <math.h>
#include "writer.h"

/* What is known of a station at one instant. */
typedef struct {
  PetscReal u[2], v[2], angle, spin;
} Orbit;

typedef struct {
  NsStation station;
  Orbit     orbit, now; /* at the end of the step before; of the present one */
  /* At the first state of the last quarter, and since. */
  PetscReal angle;   /* of spin, rad */
  PetscReal whirled; /* rad */
} Station;

typedef struct {
  NsFile     file, poincare;
  PetscInt   stations;
  Station   *station;
  NsRecorded recorded;
  PetscReal  before;  /* s: time of the state before */
  PetscReal  quarter; /* s: when the last quarter began; < 0: not yet */
} NsWriter_Orbits;

static PetscBool NsWriterWanted_Orbits(const NsRun *run)
{
  const NsOrbitsSettings *orbits = run->config.output->orbits;

  return orbits->every > 0 && orbits->stations.count > 0 && run->model->ops->station ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode record(NsRun *run, NsWriter_Orbits *self)
{
  NsProbeColumn **column = NsArenaAlloc(run->arena, sizeof(*column) * 6 * (size_t)self->stations);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < self->stations; i++) {
    NsStation           *station = &self->station[i].station;
    NsProbeColumn *const of[6]   = {
        &station->lateral[0], &station->lateral[1], &station->lateral_rate[0], &station->lateral_rate[1], &station->angle, &station->angle_rate};
    for (int k = 0; k < 6; k++) column[6 * i + k] = of[k];
  }
  PetscCall(NsRecordedCreate(run, 6 * self->stations, column, &self->recorded));
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterOpen_Orbits(NsWriter *writer)
{
  static const char *const columns[] = {"u2", "u3", "radius", "whirl_rate", "angle", "spin_rate"};
  NsRun                   *run       = writer->run;
  const NsList            *list      = &run->config.output->orbits->stations;
  const NsStationSettings *settings  = list->items;
  NsWriter_Orbits         *self      = NsArenaAlloc(run->arena, sizeof(*self));

  PetscFunctionBegin;
  writer->data   = self;
  self->stations = list->count;
  self->station  = NsArenaAlloc(run->arena, sizeof(*self->station) * (size_t)list->count);
  self->quarter  = -1;
  run->orbit     = NsArenaAlloc(run->arena, sizeof(*run->orbit) * (size_t)list->count);
  NsWriterOpenTable(&self->file, run, "orbits.csv", 6 * self->stations);
  NsFileText(&self->file, "time");
  for (PetscInt i = 0; i < self->stations; i++) {
    PetscBool found = PETSC_FALSE;
    char      why[256];

    PetscCall(run->model->ops->station(run->model, &settings[i], &self->station[i].station, &found, why, sizeof(why)));
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "station '%s' passed the check of the config but the model does not know it", list->names[i]);
    run->orbit[i] = (NsOrbitSummary){.name = list->names[i], .whirl_rate = NAN, .spin_rate = NAN, .turns = NAN};
    for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++) {
      NsFileText(&self->file, ",");
      NsFileWord(&self->file, NsArenaPrint(run->arena, "%s.%s", list->names[i], columns[c]), 0);
    }
  }
  NsFileText(&self->file, "\n");
  NsWriterOpenTable(&self->poincare, run, "poincare.csv", 7);
  NsFileText(&self->poincare, "time,station,turn,u2,u3,v2,v3\n");
  PetscCall(record(run, self));
  run->orbits = list->count; /* now that all of them have a name */
  PetscFunctionReturn(0);
}

/* Every step counts for turns and whirl. */
static PetscBool NsWriterDue_Orbits(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  (void)writer, (void)step, (void)last;
  return PETSC_TRUE;
}

static PetscErrorCode look(NsModel *model, PetscReal t, const NsStation *station, const PetscReal *q, const PetscReal *v, Orbit *orbit)
{
  PetscFunctionBegin;
  orbit->angle = orbit->spin = 0;
  if (model->ops->spin) PetscCall(model->ops->spin(model, t, station, &orbit->angle, &orbit->spin));
  orbit->angle += NsProbeColumnSum(&station->angle, q, v);
  orbit->spin += NsProbeColumnSum(&station->angle_rate, q, v);
  for (int k = 0; k < 2; k++) {
    orbit->u[k] = NsProbeColumnSum(&station->lateral[k], q, v);
    orbit->v[k] = NsProbeColumnSum(&station->lateral_rate[k], q, v);
  }
  PetscFunctionReturn(0);
}

static void put_turn(NsFile *file, const char *name, PetscReal t_before, PetscReal t, const Orbit *before, const Orbit *now)
{
  const PetscReal turn = 2 * PETSC_PI, a = before->angle / turn, b = now->angle / turn;
  const PetscReal passed = b > a ? PetscFloorReal(b) : PetscCeilReal(b); /* the state before does not count, that after does */

  if (passed == 0) return; /* back where it began: no turn */
  if (PetscAbsReal(b - a) > 1 || a == b || (b > a ? passed <= a : passed >= a)) return;
  const PetscReal fraction = (passed - a) / (b - a);
  NsFileNumber(file, t_before + fraction * (t - t_before), ',');
  NsFileWord(file, name, ',');
  NsFileNumber(file, passed + 0.0 /* no -0 */, ',');
  for (int k = 0; k < 2; k++) NsFileNumber(file, before->u[k] + fraction * (now->u[k] - before->u[k]), ',');
  for (int k = 0; k < 2; k++) NsFileNumber(file, before->v[k] + fraction * (now->v[k] - before->v[k]), k ? '\n' : ',');
  NsFileEndRow(file);
}

/* Angle from one state of the orbit to the next, -pi .. pi; 0 where one of them is in the middle. */
static PetscReal whirled(const PetscReal from[2], const PetscReal to[2])
{
  return PetscAtan2Real(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
}

static void put_row(NsWriter_Orbits *self, PetscReal t)
{
  NsFileNumber(&self->file, t, 0);
  for (PetscInt i = 0; i < self->stations; i++) {
    const Orbit    *o       = &self->station[i].orbit;
    const PetscReal radius2 = o->u[0] * o->u[0] + o->u[1] * o->u[1];

    NsFileText(&self->file, ",");
    NsFileNumber(&self->file, o->u[0], ',');
    NsFileNumber(&self->file, o->u[1], ',');
    NsFileNumber(&self->file, PetscSqrtReal(radius2), ',');
    NsFileNumber(&self->file, radius2 > 0 ? (o->u[0] * o->v[1] - o->u[1] * o->v[0]) / radius2 : 0, ',');
    NsFileNumber(&self->file, o->angle, ',');
    NsFileNumber(&self->file, o->spin, 0);
  }
  NsFileText(&self->file, "\n");
  NsFileEndRow(&self->file);
}

/* What a step adds to turns and summary; `start`: the last quarter begins with this state. */
static void follow(NsWriter *writer, PetscInt i, PetscReal t_before, PetscReal t, PetscBool first, PetscBool start)
{
  NsWriter_Orbits *self    = writer->data;
  Station         *station = &self->station[i];
  const Orbit     *now     = &station->now;
  NsOrbitSummary  *summary = &writer->run->orbit[i];
  const PetscReal  radius  = PetscSqrtReal(now->u[0] * now->u[0] + now->u[1] * now->u[1]);

  if (!first) put_turn(&self->poincare, summary->name, t_before, t, &station->orbit, now);
  summary->largest_radius = PetscMax(summary->largest_radius, radius);
  if (start)
    station->angle = now->angle;
  else if (self->quarter >= 0) {
    station->whirled += whirled(station->orbit.u, now->u);
    summary->turns      = station->whirled / (2 * PETSC_PI);
    summary->whirl_rate = station->whirled / (t - self->quarter);
    summary->spin_rate  = (now->angle - station->angle) / (t - self->quarter);
  }
  station->orbit = *now;
}

static PetscErrorCode NsWriterWrite_Orbits(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsWriter_Orbits *self  = writer->data;
  NsRun           *run   = writer->run;
  const long       every = run->config.output->orbits->every;
  const PetscReal  t     = snapshot->state.t;
  const PetscReal *q, *v;
  PetscReal        sum = 0;
  PetscBool        good;

  PetscFunctionBegin;
  if (!snapshot->again) {
    const PetscBool start = self->quarter < 0 && t >= 0.75 * run->config.time->end ? PETSC_TRUE : PETSC_FALSE;

    PetscCall(NsRecordedGather(&self->recorded, &snapshot->state, &q, &v));
    for (PetscInt i = 0; i < self->stations; i++) {
      Orbit *now = &self->station[i].now;

      PetscCall(look(run->model, t, &self->station[i].station, q, v, now));
      sum += now->u[0] + now->u[1] + now->v[0] + now->v[1] + now->angle + now->spin;
    }
    PetscCall(NsRecordedRestore(&self->recorded, &snapshot->state, &q, &v));
    PetscCall(NsGuardRow(run, snapshot->step, sum, "orbits.csv", &good));
    if (!good) PetscFunctionReturn(0);
    if (start) self->quarter = t;
    for (PetscInt i = 0; i < self->stations; i++) follow(writer, i, self->before, t, snapshot->first, start);
    self->before = t;
  } else if (NsWriterIsDue(every, snapshot->step, PETSC_FALSE))
    PetscFunctionReturn(0);
  if (NsWriterIsDue(every, snapshot->step, snapshot->last)) put_row(self, t);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterRemember_Orbits(NsWriter *writer, NsMemory *memory)
{
  NsWriter_Orbits *self = writer->data;

  PetscFunctionBegin;
  NsFileRemember(&self->file, memory);
  NsFileRemember(&self->poincare, memory);
  NsMemoryReals(memory, "before", 1, &self->before);
  NsMemoryReals(memory, "quarter", 1, &self->quarter);
  for (PetscInt i = 0; i < self->stations; i++) {
    Station        *station = &self->station[i];
    NsOrbitSummary *summary = &writer->run->orbit[i];

    NsMemoryBytes(memory, "orbit", sizeof(station->orbit), &station->orbit);
    NsMemoryReals(memory, "angle", 1, &station->angle);
    NsMemoryReals(memory, "whirled", 1, &station->whirled);
    NsMemoryReals(memory, "largest_radius", 1, &summary->largest_radius);
    NsMemoryReals(memory, "whirl_rate", 1, &summary->whirl_rate);
    NsMemoryReals(memory, "spin_rate", 1, &summary->spin_rate);
    NsMemoryReals(memory, "turns", 1, &summary->turns);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterClose_Orbits(NsWriter *writer)
{
  NsWriter_Orbits *self = writer->data;

  PetscFunctionBegin;
  PetscCall(NsRecordedDestroy(&self->recorded));
  NsFileClose(&self->file, PETSC_TRUE);
  NsFileClose(&self->poincare, PETSC_TRUE);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Orbits = {
  .name     = "orbits",
  .wanted   = NsWriterWanted_Orbits,
  .open     = NsWriterOpen_Orbits,
  .due      = NsWriterDue_Orbits,
  .sums     = PETSC_TRUE,
  .write    = NsWriterWrite_Orbits,
  .remember = NsWriterRemember_Orbits,
  .close    = NsWriterClose_Orbits,
};
