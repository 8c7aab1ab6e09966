/*
  events.csv: what happened at the contacts, a row each time; all steps are looked at, whatever `every` the others have.

    impact    an impulse that changes the velocity
    closing   open before, closed now, without impact
    opening   closed before, open now
    stick     sticks now, did something else before (also right after an impact or closing)
    slip      slips now, did something else before

  A step may have several rows for one contact: an impact, then slip. velocity_before and velocity_after are gap rates around the impulse, or at
  the ends of the step when there was none. Where there is friction, two columns follow: velocity and impulse along the tangent, signed
  for one tangent, their magnitudes for two; empty for contacts without friction.

  What an impact is, the scheme says (NsContactReport.impact): Moreau's schemes give a resting contact an impulse at every step, too.
*/
#include "writer.h"

typedef struct {
  NsFile    file;
  PetscBool friction; /* some candidate has a tangent */
} NsWriter_Events;

static PetscBool NsWriterWanted_Events(const NsRun *run)
{
  return run->config.output->events && run->model->candidates > 0 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode NsWriterOpen_Events(NsWriter *writer)
{
  NsRun           *run   = writer->run;
  const NsModel   *model = run->model;
  NsWriter_Events *self  = NsArenaAlloc(run->arena, sizeof(*self));

  PetscFunctionBegin;
  writer->data = self;
  for (PetscInt i = 0; i < model->candidates; i++)
    if (model->candidate[i].directions > 1) self->friction = PETSC_TRUE;
  NsWriterOpenTable(&self->file, run, "events.csv", 9);
  NsFileText(&self->file, "time,contact,event,velocity_before,velocity_after,impulse,energy_lost");
  NsFileText(&self->file, self->friction ? ",tangential_velocity_after,tangential_impulse\n" : "\n");
  PetscFunctionReturn(0);
}

static PetscBool NsWriterDue_Events(const NsWriter *writer, PetscInt64 step, PetscBool last)
{
  (void)writer, (void)step, (void)last;
  return PETSC_TRUE;
}

static PetscReal tangential(const PetscReal x[3], PetscInt directions)
{
  return directions > 2 ? PetscSqrtReal(x[1] * x[1] + x[2] * x[2]) : x[1];
}

static void write_event(NsWriter *writer, const NsSnapshot *snapshot, PetscInt i, const char *event, PetscBool impact)
{
  NsWriter_Events       *self      = writer->data;
  const NsCandidate     *candidate = &writer->run->model->candidate[i];
  const NsContactReport *contact   = &snapshot->contact[i];

  NsFileNumber(&self->file, snapshot->state.t, ',');
  NsFileWord(&self->file, candidate->name, ',');
  NsFileWord(&self->file, event, ',');
  NsFileNumber(&self->file, impact ? contact->velocity_before[0] : snapshot->before[i].gap_rate, ',');
  NsFileNumber(&self->file, impact ? contact->velocity_after[0] : contact->gap_rate, ',');
  NsFileNumber(&self->file, impact ? contact->impulse[0] : 0, ',');
  NsFileNumber(&self->file, impact ? contact->energy_lost : 0, 0);
  if (candidate->directions > 1) {
    NsFileText(&self->file, ",");
    NsFileNumber(&self->file, tangential(contact->velocity_after, candidate->directions), ',');
    NsFileNumber(&self->file, impact ? tangential(contact->impulse, candidate->directions) : 0, '\n');
  } else
    NsFileText(&self->file, self->friction ? ",,\n" : "\n");
  NsFileEndRow(&self->file);
}

static PetscErrorCode NsWriterWrite_Events(NsWriter *writer, const NsSnapshot *snapshot)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < snapshot->nears && !snapshot->first; k++) {
    const PetscInt       i      = snapshot->near[k];
    const NsContactState before = snapshot->before[i].state, now = snapshot->contact[i].state;

    if (snapshot->contact[i].impact)
      write_event(writer, snapshot, i, "impact", PETSC_TRUE);
    else if (before == NS_OPEN && now != NS_OPEN)
      write_event(writer, snapshot, i, "closing", PETSC_FALSE);
    if (before != NS_OPEN && now == NS_OPEN) write_event(writer, snapshot, i, "opening", PETSC_FALSE);
    if (now != before && (now == NS_STICK || now == NS_SLIP)) write_event(writer, snapshot, i, NsContactStateNames[now], PETSC_FALSE);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterRemember_Events(NsWriter *writer, NsMemory *memory)
{
  PetscFunctionBegin;
  NsFileRemember(&((NsWriter_Events *)writer->data)->file, memory);
  PetscFunctionReturn(0);
}

static PetscErrorCode NsWriterClose_Events(NsWriter *writer)
{
  NsWriter_Events *self = writer->data;

  PetscFunctionBegin;
  NsFileClose(&self->file, PETSC_TRUE);
  PetscFunctionReturn(0);
}

const NsWriterType NsWriterType_Events = {
  .name          = "events",
  .wanted        = NsWriterWanted_Events,
  .open          = NsWriterOpen_Events,
  .due           = NsWriterDue_Events,
  .reports_alone = PETSC_TRUE,
  .write         = NsWriterWrite_Events,
  .remember      = NsWriterRemember_Events,
  .close         = NsWriterClose_Events,
};
