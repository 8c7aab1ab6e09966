/*
  contacts.csv: gap, gap rate, force, impulse and state of every possible contact, a row each `every` steps.

  Gap, rate, force and state are those at the row's time. The impulse is the sum over all steps since the row before, so that nothing is lost when
  `every` is above 1: column sums are total impulses whatever `every` is. With friction there are a force, an impulse and a slip velocity (at the end,
  or after the impulse) for each tangent too: friction takes the power - friction_force slip_velocity. Of a journal also the torque of friction on it about
  the axis of its cylinder, and the impulse of that.
*/
#include "writer.h"

typedef struct {
  NsFile     file;
  PetscReal *impulse; /* [candidates, 3] since the last row, N s */
} NsWriter_Contacts;

static PetscBool NsWriterWanted_Contacts(const NsRun *run)
{
  return run->config.output->contacts->every > 0 && run->model->candidates > 0 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode NsWriterOpen_Contacts(NsWriter *writer)
{
  static const char *const columns[] = {"gap", "gap_rate", "force", "impulse", "state"};
  NsRun                   *run       = writer->run;
  const NsModel           *model     = run->model;
  NsWriter_Contacts       *self      = NsArenaAlloc(run->arena, sizeof(*self));

  PetscFunctionBegin;
  writer->data  = self;
  self->impulse = NsArenaAlloc(run->arena, sizeof(*self->impulse) * 3 * (size_t)model->candidates);
  NsWriterOpenTable(&self->file, run, "contacts.csv", 13 * model->candidates);
  NsFileText(&self->file, "time");
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsCandidate *candidate = &model->candidate[i];

    for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++) {
      NsFileText(&self->file, ",");
      NsFileWord(&self->file, NsArenaPrint(run->arena, "%s.%s", candidate->name, columns[c]), 0);
    }
    for (PetscInt k = 1; k < candidate->directions; k++) {
      NsFileText(&self->file, ",");
      NsFileWord(&self->file, NsArenaPrint(run->arena, "%s.friction_force_%d", candidate->name, (int)k), ',');
      NsFileWord(&self->file, NsArenaPrint(run->arena, "%s.friction_impulse_%d", candidate->name, (int)k), ',');
      NsFileWord(&self->file, NsArenaPrint(run->arena, "%s.slip_velocity_%d", candidate->name, (int)k), 0);
    }
    if (candidate->torque_arm == 0) continue;
    NsFileText(&self->file, ",");
    NsFileWord(&self->file, NsArenaPrint(run->arena, "%s.friction_torque", candidate->name), ',');
    NsFileWord(&self->file, NsArenaPrint(run->arena, "%s.friction_torque_impulse", candidate->name), 0);
  }
  NsFileText(&self->file, "\n");
  PetscFunctionReturn(0);
}

/* Every step counts for the sums of impulses. */
static PetscBool NsWriterDue_Contacts(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  (void)writer, (void)step, (void)last;
  return PETSC_TRUE;
}

static PetscBool NsWriterNeedsContacts_Contacts(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  return NsWriterIsDue(writer->run->config.output->contacts->every, step, last);
}

static PetscErrorCode NsWriterWrite_Contacts(NsWriter *writer, const NsSnapshot *snapshot)
{
  NsWriter_Contacts *self  = writer->data;
  const NsModel     *model = writer->run->model;

  PetscFunctionBegin;
  const long every = writer->run->config.output->contacts->every;
  if (snapshot->again && NsWriterIsDue(every, snapshot->step, PETSC_FALSE)) PetscFunctionReturn(0);
  for (PetscInt j = 0; j < snapshot->nears && !snapshot->again; j++) {
    const PetscInt i = snapshot->near[j];
    for (PetscInt k = 0; k < 3; k++) self->impulse[3 * i + k] += snapshot->contact[i].impulse[k];
  }
  if (!NsWriterIsDue(every, snapshot->step, snapshot->last)) PetscFunctionReturn(0);

  NsFileNumber(&self->file, snapshot->state.t, 0);
  for (PetscInt i = 0; i < model->candidates; i++) {
    const NsContactReport *contact = &snapshot->contact[i];
    PetscReal             *impulse = self->impulse + 3 * i;

    NsFileText(&self->file, ",");
    NsFileNumber(&self->file, contact->gap, ',');
    NsFileNumber(&self->file, contact->gap_rate, ',');
    NsFileNumber(&self->file, contact->force[0], ',');
    NsFileNumber(&self->file, impulse[0], ',');
    NsFileText(&self->file, NsContactStateNames[contact->state]);
    for (PetscInt k = 1; k < model->candidate[i].directions; k++) {
      NsFileText(&self->file, ",");
      NsFileNumber(&self->file, contact->force[k], ',');
      NsFileNumber(&self->file, impulse[k], ',');
      NsFileNumber(&self->file, contact->velocity_after[k], 0);
    }
    if (model->candidate[i].torque_arm != 0) {
      NsFileText(&self->file, ",");
      NsFileNumber(&self->file, model->candidate[i].torque_arm * contact->force[1] + 0.0 /* no -0 */, ',');
      NsFileNumber(&self->file, model->candidate[i].torque_arm * impulse[1] + 0.0, 0);
    }
    for (PetscInt k = 0; k < 3; k++) impulse[k] = 0;
  }
  NsFileText(&self->file, "\n");
  NsFileEndRow(&self->file);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterRemember_Contacts(NsWriter *writer, NsMemory *memory)
{
  NsWriter_Contacts *self = writer->data;

  PetscFunctionBegin;
  NsFileRemember(&self->file, memory);
  NsMemoryReals(memory, "impulse", 3 * writer->run->model->candidates, self->impulse);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterClose_Contacts(NsWriter *writer)
{
  NsWriter_Contacts *self = writer->data;

  PetscFunctionBegin;
  NsFileClose(&self->file, PETSC_TRUE);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Contacts = {
  .name           = "contacts",
  .wanted         = NsWriterWanted_Contacts,
  .open           = NsWriterOpen_Contacts,
  .due            = NsWriterDue_Contacts,
  .reports_alone  = PETSC_TRUE,
  .needs_contacts = NsWriterNeedsContacts_Contacts,
  .sums           = PETSC_TRUE,
  .write          = NsWriterWrite_Contacts,
  .remember       = NsWriterRemember_Contacts,
  .close          = NsWriterClose_Contacts,
};
