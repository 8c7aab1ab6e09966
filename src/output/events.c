/*
  events.csv: events of the contacts, a row each; detected in every step, whatever `every` of the other tables is.

    impact    an impulse that changes the velocity
    closing   open before, closed now, without impact
    opening   closed before, open now; or it stops acting (key `until`) while it is closed: then at that instant
    stick     sticks now, did something else before (also right after an impact or closing)
    slip      slips now, did something else before

  A step may have several rows for one contact: an impact, then slip. velocity_before and velocity_after are gap rates around the impulse, or at
  the ends of the step when there was none. Where there is friction, two columns follow: velocity and impulse along the tangent, signed
  for one tangent, their magnitudes for two; empty for contacts without friction.

  The scheme says what an impact is (NsContactReport.impact): Moreau's schemes give a resting contact an impulse at every step, too.
*/
#include "writer.h"

enum { WITH_FRICTION = 1 };

typedef struct {
  PetscReal   time, velocity_before, velocity_after, impulse, energy_lost, tangential_before, tangential_velocity, tangential_impulse;
  const char *contact, *event;
} Row;

static const NsColumn columns[] = {
  {"time", "s", "time", offsetof(Row, time)},
  {"contact", NULL, "name of the contact", offsetof(Row, contact)},
  {"event", NULL, "impact, closing, opening, stick or slip", offsetof(Row, event)},
  {"velocity_before", "m/s", "gap rate before the event", offsetof(Row, velocity_before)},
  {"velocity_after", "m/s", "gap rate after it", offsetof(Row, velocity_after)},
  {"impulse", "N s", "normal impulse of an impact", offsetof(Row, impulse)},
  {"energy_lost", "J", "energy dissipated by the impact, including its friction", offsetof(Row, energy_lost)},
  {"tangential_velocity_before", "m/s", "velocity along the surface before the event; signed for one tangent", offsetof(Row, tangential_before),
    WITH_FRICTION, true},
  {"tangential_velocity_after", "m/s", "velocity along the surface afterwards; signed for one tangent", offsetof(Row, tangential_velocity),
    WITH_FRICTION, true},
  {"tangential_impulse", "N s", "friction impulse of an impact; signed for one tangent", offsetof(Row, tangential_impulse), WITH_FRICTION, true},
  {NULL},
};
static const NsCsvType events = {"events.csv", "a row for each event of a contact; events are detected in every step", NS_CSV_EVENTS, columns};

static PetscBool wanted(const NsWriter *writer)
{
  return writer->model->candidates > 0;
}

static PetscBool stops_acting(const NsCandidate *candidate)
{
  return candidate->off && !candidate->bilateral && !NsCandidateResists(candidate);
}

/* Contacts that may stop acting, and whether they were closed in the last step. */
typedef struct {
  PetscInt   count, *candidate; /* [count] */
  PetscBool *closed;            /* [count] */
} Switched;

static PetscErrorCode open_table(NsWriter *writer)
{
  const NsModel *model    = writer->model;
  Switched      *self     = NsArenaAlloc(writer->sink->arena, sizeof(*self));
  NsSubject      features = {NULL, 0};

  PetscFunctionBegin;
  *self        = (Switched){0};
  writer->data = self;
  for (PetscInt i = 0; i < model->candidates && model->switches.count; i++) self->count += stops_acting(&model->candidate[i]) ? 1 : 0;
  self->candidate = NsArenaAlloc(writer->sink->arena, sizeof(*self->candidate) * (size_t)(self->count + 1));
  self->closed    = NsArenaAlloc(writer->sink->arena, sizeof(*self->closed) * (size_t)(self->count + 1));
  for (PetscInt i = 0, k = 0; k < self->count; i++) {
    if (stops_acting(&model->candidate[i])) self->candidate[k++] = i;
  }
  for (PetscInt i = 0; i < writer->model->candidates; i++) {
    if (writer->model->candidate[i].directions > 1) features.has = WITH_FRICTION;
  }
  NsCsvOpen(&writer->csv[0], writer->sink, &events, 1, &features);
  PetscFunctionReturn(0);
}

static void write_event(NsWriter *writer, const NsSnapshot *snapshot, PetscInt i, const char *event, PetscBool impact)
{
  const NsCandidate     *candidate = &writer->model->candidate[i];
  const NsContactReport *contact   = &snapshot->contact[i];
  char                   name[NS_CANDIDATE_NAME];
  const PetscBool        friction = candidate->directions > 1;
  const Row              row      = {.time = snapshot->state.t,
                      .contact             = NsCandidateName(candidate, name),
                      .event               = event,
                      .velocity_before     = impact ? contact->velocity_before[0] : snapshot->before[i].gap_rate,
                      .velocity_after      = impact ? contact->velocity_after[0] : contact->gap_rate,
                      .impulse             = impact ? contact->impulse[0] : 0,
                      .energy_lost         = impact ? contact->energy_lost : 0,
                      .tangential_before =
      !friction ? NAN : NsTangential(impact ? contact->velocity_before : snapshot->before[i].velocity_after, candidate->directions),
                      .tangential_velocity = friction ? NsTangential(contact->velocity_after, candidate->directions) : NAN,
                      .tangential_impulse  = !friction ? NAN
                                             : impact  ? NsTangential(contact->impulse, candidate->directions)
                                                       : 0};

  NsCsvRow(&writer->csv[0], &row);
}

/* Openings of contacts that stop acting. */
static void observe_switched(NsWriter *writer, const NsSnapshot *snapshot)
{
  const NsModel *model = writer->model;
  Switched      *self  = writer->data;
  char           name[NS_CANDIDATE_NAME];

  for (PetscInt k = 0; k < self->count; k++) {
    const PetscInt     i         = self->candidate[k];
    const NsCandidate *candidate = &model->candidate[i];
    const PetscBool    off       = NsIsOff(candidate->off);
    Row                row       = {.contact    = NsCandidateName(candidate, name),
                           .event               = "opening",
                           .tangential_before   = NAN,
                           .tangential_velocity = NAN,
                           .tangential_impulse  = NAN};
    for (PetscInt s = 0; s < model->switches.done; s++) {
      if (model->switches.item[s].off == candidate->off) row.time = model->switches.item[s].t;
    }
    if (off && self->closed[k]) NsCsvRow(&writer->csv[0], &row);
    self->closed[k] = !off && snapshot->contact[i].state != NS_OPEN;
  }
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Switched *self = writer->data;

  PetscFunctionBegin;
  NsArchiveFlags(archive, "switched_closed", self->count, self->closed);
  PetscFunctionReturn(0);
}

static PetscErrorCode observe(NsWriter *writer, const NsSnapshot *snapshot)
{
  PetscFunctionBegin;
  observe_switched(writer, snapshot);
  for (PetscInt k = 0; k < snapshot->actives && snapshot->step > 0; k++) {
    const PetscInt       i      = snapshot->active[k];
    const NsContactState before = snapshot->before[i].state, now = snapshot->contact[i].state;
    const PetscBool      gaps = !NsCandidateResists(&writer->model->candidate[i]); /* else its contact tells that it closes and opens */

    if (snapshot->contact[i].impact)
      write_event(writer, snapshot, i, "impact", PETSC_TRUE);
    else if (gaps && before == NS_OPEN && now != NS_OPEN)
      write_event(writer, snapshot, i, "closing", PETSC_FALSE);
    if (gaps && before != NS_OPEN && now == NS_OPEN) write_event(writer, snapshot, i, "opening", PETSC_FALSE);
    if (now != before && (now == NS_STICK || now == NS_SLIP)) write_event(writer, snapshot, i, NsContactStateNames[now], PETSC_FALSE);
  }
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Events =
  {.name = "events", .csv = {&events}, .wanted = wanted, .open = open_table, .observe = observe, .reports_alone = PETSC_TRUE, .serialize = serialize};
