/*
  contacts.csv: gap, gap rate, force, impulse and state of every possible contact, a row each `every` steps.

  Gap, rate, force and state are those at the time of the row. The impulse is the sum over all steps since the previous row, so that nothing is lost when
  `every` is above 1: column sums are total impulses whatever `every` is. With friction there are a force, an impulse and a slip velocity (at the end,
  or after the impulse) for each tangent too: friction takes the power - friction_force slip_velocity. Of a journal also the torque of friction on it about
  the axis of its cylinder, and the impulse of that.
*/
#include "writer.h"

enum { TANGENT_1 = 1, TANGENT_2 = 2, TORQUE = 4, MOMENT = 8, NORMAL = 16, TURN_1 = 32, TURN_2 = 64 };

typedef struct {
  PetscReal   gap, gap_rate, force[3], impulse[3], slip_velocity[3], torque, torque_impulse, moment;
  const char *state;
} Contact;

typedef struct {
  PetscReal time;
  Contact   contact[]; /* [columns]; impulses since the last row */
} Row;

typedef struct {
  Row      *row;
  PetscInt *column; /* [candidates] -1: none, because a slot represents different balls over time */
} Contacts;

static const NsColumn columns[] = {
  {"time", "s", "time", offsetof(Row, time)},
  {"gap", "m", "distance; negative: penetration", offsetof(Contact, gap), NORMAL, .rate = "gap_rate"},
  {"gap_rate", "m/s", "rate of the gap", offsetof(Contact, gap_rate), NORMAL},
  {"force", "N", "normal contact force at the time of the row", offsetof(Contact, force[0]), NORMAL},
  {"impulse", "N s", "normal impulse since the previous row", offsetof(Contact, impulse[0]), NORMAL, .sums = true},
  {"state", NULL, "open, stick, slip, or closed (without friction, a joint, or with zero force)", offsetof(Contact, state)},
  {"friction_force_1", "N", "friction force along the first tangent", offsetof(Contact, force[1]), TANGENT_1},
  {"friction_impulse_1", "N s", "its impulse since the previous row", offsetof(Contact, impulse[1]), TANGENT_1, .sums = true},
  {"slip_velocity_1", "m/s", "sliding velocity along the first tangent", offsetof(Contact, slip_velocity[1]), TANGENT_1},
  {"friction_force_2", "N", "friction force along the second tangent", offsetof(Contact, force[2]), TANGENT_2},
  {"friction_impulse_2", "N s", "its impulse since the previous row", offsetof(Contact, impulse[2]), TANGENT_2, .sums = true},
  {"slip_velocity_2", "m/s", "sliding velocity along the second tangent", offsetof(Contact, slip_velocity[2]), TANGENT_2},
  {"friction_torque", "N m", "of a journal: torque of friction about the axis of its cylinder", offsetof(Contact, torque), TORQUE},
  {"friction_torque_impulse", "N m s", "its impulse since the previous row", offsetof(Contact, torque_impulse), TORQUE, .sums = true},
  {"moment_1", "N m", "moment of rolling or drilling resistance about its first axis", offsetof(Contact, force[1]), TURN_1},
  {"moment_impulse_1", "N m s", "its impulse since the previous row", offsetof(Contact, impulse[1]), TURN_1, .sums = true},
  {"turn_rate_1", "rad/s", "relative rotation about this axis", offsetof(Contact, slip_velocity[1]), TURN_1},
  {"moment_2", "N m", "moment of rolling resistance about its second axis", offsetof(Contact, force[2]), TURN_2},
  {"moment_impulse_2", "N m s", "its impulse since the previous row", offsetof(Contact, impulse[2]), TURN_2, .sums = true},
  {"turn_rate_2", "rad/s", "relative rotation about this axis", offsetof(Contact, slip_velocity[2]), TURN_2},
  {"moment", "N m", "moment of a joint constraint on an angle", offsetof(Contact, moment), MOMENT},
  {NULL},
};
static const NsCsvType contacts = {"contacts.csv", "all contacts, a row every `output.contacts.every` steps", NS_CSV_STEPS, columns, "contact",
  offsetof(Row, contact), sizeof(Contact)};

static PetscBool wanted(const NsWriter *writer)
{
  return writer->model->candidates > writer->model->slots;
}

static double bytes(const NsWriter *writer)
{
  return NS_CSV_NUMBER * (1 + 4.0 * (writer->model->candidates - writer->model->slots));
}

static PetscErrorCode open_table(NsWriter *writer)
{
  const NsModel *model   = writer->model;
  const PetscInt count   = model->candidates - model->slots;
  NsArena       *arena   = writer->sink->arena;
  NsSubject     *subject = NsArenaAlloc(arena, sizeof(*subject) * (size_t)count);
  Contacts      *self    = NsArenaAlloc(arena, sizeof(*self));

  PetscFunctionBegin;
  self->column = NsArenaAlloc(arena, sizeof(*self->column) * (size_t)model->candidates);
  self->row    = NsArenaAlloc(arena, NsCsvRowSize(&contacts, count));
  for (PetscInt i = 0, column = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];
    char               name[NS_CANDIDATE_NAME];

    self->column[i] = candidate->slot ? -1 : column;
    if (candidate->slot) continue;
    subject[column].name  = NsArenaPrint(arena, "%s", NsCandidateName(candidate, name));
    subject[column++].has = NsCandidateResists(candidate)
                              ? (candidate->directions > 1 ? TURN_1 : 0) | (candidate->directions > 2 ? TURN_2 : 0)
                              : NORMAL | (candidate->directions > 1 ? TANGENT_1 : 0) | (candidate->directions > 2 ? TANGENT_2 : 0) |
                                  (candidate->torque_arm != 0 ? TORQUE : 0) | (candidate->moment_arm != 0 ? MOMENT : 0);
  }
  writer->data = self;
  NsCsvOpen(&writer->csv[0], writer->sink, &contacts, count, subject);
  PetscFunctionReturn(0);
}

static PetscErrorCode observe(NsWriter *writer, const NsSnapshot *snapshot)
{
  Contacts *self = writer->data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < snapshot->actives; k++) {
    const PetscInt i = snapshot->active[k];

    for (int d = 0; d < 3 && self->column[i] >= 0; d++) self->row->contact[self->column[i]].impulse[d] += snapshot->contact[i].impulse[d];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode write_row(NsWriter *writer, const NsSnapshot *snapshot)
{
  const NsModel *model = writer->model;
  Contacts      *self  = writer->data;

  PetscFunctionBegin;
  self->row->time = snapshot->state.t;
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsContactReport *report = &snapshot->contact[i];
    const PetscReal        arm    = model->candidate[i].torque_arm;
    if (self->column[i] < 0) continue;
    Contact *to = &self->row->contact[self->column[i]];

    to->gap      = report->gap;
    to->gap_rate = report->gap_rate;
    to->state    = NsContactStateNames[report->state];
    for (int d = 0; d < 3; d++) {
      to->force[d]         = report->force[d];
      to->slip_velocity[d] = report->velocity_after[d];
    }
    to->moment         = writer->model->candidate[i].moment_arm * report->force[0] + 0.0;
    to->torque         = arm * report->force[1] + 0.0; /* no -0 */
    to->torque_impulse = arm * to->impulse[1] + 0.0;
  }
  NsCsvRow(&writer->csv[0], self->row);
  for (PetscInt column = 0; column < model->candidates - model->slots; column++) {
    for (int d = 0; d < 3; d++) self->row->contact[column].impulse[d] = 0;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode serialize(NsWriter *writer, NsArchive *archive)
{
  Contacts *self = writer->data;

  PetscFunctionBegin;
  for (PetscInt column = 0; column < writer->model->candidates - writer->model->slots; column++)
    NsArchiveReals(archive, "impulse", 3, self->row->contact[column].impulse);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Contacts = {
  .name           = "contacts",
  .csv            = {&contacts},
  .wanted         = wanted,
  .bytes          = bytes,
  .open           = open_table,
  .observe        = observe,
  .write          = write_row,
  .reports_alone  = PETSC_TRUE,
  .needs_contacts = PETSC_TRUE,
  .serialize      = serialize,
};
