/*
  Accelerations of the state, for records:

      a = M^-1 (h(t, q, v) + W F)

  with the contact forces F of the last step: forces as they are reported, and impulses of lasting contact over the length of the step. Impulses of impacts are no forces and left out. Cost: a
  force, and a solution with the mass matrix in a slot of its own, a record.
*/
#include "private.h"

PetscErrorCode NsRunAccelerationCreate(NsRun *run)
{
  PetscFunctionBegin;
  if (run->acceleration) PetscFunctionReturn(0);
  PetscCall(NsVecsCreate(run->model, &run->acceleration, &run->record_force, NULL));
  PetscCall(VecZeroEntries(run->acceleration));
  PetscCall(NsRowsCreate(run->model, &run->record_rows));
  run->record_F    = NsArenaAlloc(run->arena, sizeof(*run->record_F) * (size_t)(run->record_rows.row_capacity + 1));
  run->record_list = NsArenaAlloc(run->arena, sizeof(*run->record_list) * (size_t)(run->model->candidates + 1));
  if (run->whole_q) PetscCall(VecDuplicate(run->whole_q, &run->whole_acceleration));
  PetscCall(NsModelFactor(run->model, NS_SLOT_RECORDS, run->state.t, run->state.q, run->state.v, (NsOperator){1, 0, 0}));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunAccelerationDestroy(NsRun *run)
{
  PetscFunctionBegin;
  if (!run->acceleration) PetscFunctionReturn(0);
  PetscCall(NsVecsDestroy(&run->acceleration, &run->record_force, NULL));
  PetscCall(VecDestroy(&run->whole_acceleration));
  PetscCall(NsRowsDestroy(&run->record_rows));
  PetscFunctionReturn(0);
}

/* N: the force of direction d. */
PetscReal NsRunForceOf(const NsRun *run, const NsContactReport *report, int d)
{
  return NsContactForce(report, run->last_step, d);
}

PetscReal NsRunProbeForces(const NsRun *run, const NsProbeColumn *column)
{
  return NsProbeForces(column, NsContactReports(run->contact), run->last_step);
}

static PetscErrorCode add_contacts(NsRun *run)
{
  NsModel               *model  = run->model;
  const NsContactReport *report = NsContactReports(run->contact);
  const PetscInt        *active, actives = NsContactActive(run->contact, &active);
  PetscInt               count = 0, rows = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < actives; k++) {
    PetscReal size = 0;
    for (int d = 0; d < model->candidate[active[k]].directions; d++) size += PetscAbsReal(NsRunForceOf(run, &report[active[k]], d));
    if (size == 0) continue;
    run->record_list[count++] = active[k];
    for (int d = 0; d < model->candidate[active[k]].directions; d++) run->record_F[rows++] = NsRunForceOf(run, &report[active[k]], d);
  }
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsModelRows(model, run->state.t, run->state.q, count, run->record_list, &run->record_rows));
  PetscCall(NsRowsApply(model, &run->record_rows, run->record_F, 1, run->record_force));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunAcceleration(NsRun *run)
{
  NsModel       *model = run->model;
  const NsState *x     = &run->state;

  PetscFunctionBegin;
  if (run->figures.steps == 0 && run->config.start->state != NS_START_AS_GIVEN && run->config.start->state != NS_START_SYNCHRONOUS &&
      model->candidates) { /* at rest under contact forces that no step has found yet */
    PetscCall(VecZeroEntries(run->acceleration));
    PetscFunctionReturn(0);
  }
  PetscCall(NsModelForce(model, x->t, x->q, x->v, run->record_force));
  if (model->candidates) PetscCall(add_contacts(run));
  PetscCall(NsModelFactor(model, NS_SLOT_RECORDS, x->t, x->q, x->v, (NsOperator){1, 0, 0}));
  PetscCall(NsModelSolve(model, NS_SLOT_RECORDS, run->record_force, run->acceleration));
  PetscFunctionReturn(0);
}

PetscErrorCode NsRunWholeAcceleration(NsRun *run, const PetscReal **a)
{
  NsModel *model = run->model;

  PetscFunctionBegin;
  PetscCall(NsRunAccelerationCreate(run));
  PetscCall(NsRunAcceleration(run));
  Vec whole = run->whole_acceleration;
  if (whole) PetscCall(NsLayoutCollect(model->layout, NsVecRead(run->acceleration), NsVecArray(whole)));
  *a = NsVecRead(whole ? whole : run->acceleration);
  PetscFunctionReturn(0);
}
