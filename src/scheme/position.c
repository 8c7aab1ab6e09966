#include "position.h"

PetscErrorCode NsPositionDeclare(NsScheme *scheme, NsWorkspace *work, NsPosition *self)
{
  PetscFunctionBegin;
  self->contact = scheme->contact;
  self->acting  = &self->wp;
  PetscCall(NsWorkRows(work, &self->wg, &self->wp, NULL));
  PetscCall(NsWorkVecs(work, &self->dq, &self->next, NULL));
  PetscCall(NsWorkReals(work, work->rows, &self->b, &self->Psi, NULL));
  PetscCall(NsWorkReals(work, work->candidates, &self->multiplier, NULL));
  PetscCall(NsWorkInts(work, work->candidates, &self->list, &self->part, NULL));
  PetscCall(NsWorkFlags(work, work->candidates, &self->taken, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPositionBegin(NsPosition *self)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < self->parts; k++) {
    self->taken[self->part[k]]      = PETSC_FALSE;
    self->multiplier[self->part[k]] = 0;
  }
  self->parts = 0;
  PetscFunctionReturn(0);
}

/* What the law is on, by the gaps of the last NsContactGaps. */
static PetscReal gap_of(const NsPosition *self, PetscInt i)
{
  return NsContactLastGaps(self->contact)[i] + (self->offset ? self->offset[i] : 0);
}

/* Whether a contact takes part at these gaps. */
static PetscBool takes_part(const NsPosition *self, const PetscBool *allowed, PetscInt i)
{
  if (self->held) return self->held[i];
  if (allowed && !allowed[i]) return PETSC_FALSE;
  return NsContactModel(self->contact)->candidate[i].bilateral || gap_of(self, i) <= NsContactTolerances(self->contact)[i];
}

/* Psi of equations, or false: they contradict each other by more than rounding. */
static PetscErrorCode hold(NsPosition *self, PetscBool *held)
{
  PetscReal left;

  PetscFunctionBegin;
  PetscCall(NsContactFit(self->contact, &self->wg, self->b, self->Psi, &left));
  *held = left <= NS_HELD * NsContactModel(self->contact)->length_scale;
  PetscFunctionReturn(0);
}

/* VecSet notes the norm, and allocates for it. */
static PetscErrorCode zero(Vec x)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(PetscArrayzero(NsVecArray(x), n));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPositionStep(NsPosition *self, const NsPositionProblem *problem, Vec q, Vec next, PetscBool *solved)
{
  NsContact *contact = self->contact;
  NsModel   *model   = NsContactModel(contact);
  PetscInt   count   = 0;
  PetscBool  held    = PETSC_FALSE;

  PetscFunctionBegin;
  *solved = PETSC_TRUE;
  PetscCall(VecCopy(problem->q_free, next));
  PetscCall(NsContactGaps(contact, problem->t, q));
  const PetscInt *active, actives = NsContactActive(contact, &active);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    if (!self->taken[i] && takes_part(self, problem->allowed, i)) {
      self->taken[i]            = PETSC_TRUE;
      self->part[self->parts++] = i;
    }
    if (self->taken[i]) self->list[count++] = i;
  }
  if (!count) PetscFunctionReturn(0);
  self->acting = problem->qp ? &self->wp : &self->wg;
  if (problem->qp) PetscCall(NsModelRows(model, problem->tp, problem->qp, count, self->list, &self->wp));
  PetscCall(NsModelRows(model, problem->t, q, count, self->list, &self->wg));
  if (problem->qp) NsRowsKeepNormals(&self->wp);
  NsRowsKeepNormals(&self->wg);
  PetscCall(NsContactDelassus(contact, problem->metric, &self->wg, self->acting));
  NsContactScale(contact, problem->scale);
  PetscCall(NsModelWay(model, q, problem->q_free, self->dq));
  PetscCall(NsRowsVelocity(model, &self->wg, self->dq, self->b));
  for (PetscInt k = 0; k < count; k++) {
    self->b[k] += gap_of(self, self->list[k]) - self->wg.drive[k];
    self->Psi[k] = self->multiplier[self->list[k]];
  }
  if (self->held) PetscCall(hold(self, &held));
  if (!held) PetscCall(NsContactSolveGaps(contact, &self->wg, self->b, self->Psi, solved));
  for (PetscInt k = 0; k < count; k++) self->multiplier[self->list[k]] = self->Psi[k];
  const Vec change = model->dynamics.move ? self->dq : next; /* positions that are vectors take the change themselves */
  if (model->dynamics.move) PetscCall(zero(change));
  if (problem->metric)
    PetscCall(NsComplianceApply(problem->metric, self->acting, self->Psi, problem->scale, change));
  else
    PetscCall(NsRowsApply(model, self->acting, self->Psi, problem->scale, change));
  if (model->dynamics.move) PetscCall(NsModelMove(model, problem->q_free, 1, change, next));
  PetscFunctionReturn(0);
}

/* w_i . w_j of two rows. */
static PetscReal product(const NsRows *rows, PetscInt i, PetscInt j)
{
  PetscReal sum = 0;

  for (PetscInt a = rows->first[i]; a < rows->first[i + 1]; a++) {
    for (PetscInt b = rows->first[j]; b < rows->first[j + 1]; b++) sum += rows->touch[a] == rows->touch[b] ? rows->value[a] * rows->value[b] : 0;
  }
  return sum;
}

#define NS_ALIKE 0.99 /* cosine of two normals that are nearly one */

PetscErrorCode NsPositionFail(NsScheme *scheme, const NsPosition *self, NsStepOutcome *outcome)
{
  const NsRows *rows = &self->wg;

  PetscFunctionBegin;
  outcome->done = PETSC_FALSE;
  for (PetscInt i = 0; i < rows->rows && self->held; i++) {
    for (PetscInt j = 0; j < i; j++) {
      if (product(rows, i, j) < NS_ALIKE * PetscSqrtReal(product(rows, i, i) * product(rows, j, j))) continue;
      PetscCall(PetscStrncpy(outcome->reason, "contacts with nearly the same normal, both held closed, contradict each other, whatever the step is",
        sizeof(outcome->reason)));
      PetscCall(NsStepName(outcome, scheme, 2, (PetscInt[]){rows->contact[j], rows->contact[i]}));
      PetscFunctionReturn(0);
    }
  }
  PetscCall(NsStepName(outcome, scheme, rows->contacts, rows->contact));
  PetscFunctionReturn(0);
}

PetscErrorCode NsPositionSolve(NsScheme *scheme, NsPosition *self, const NsPositionProblem *problem, Vec q, const char *what, NsStepOutcome *outcome)
{
  PetscReal change, last = PETSC_MAX_REAL, size;

  PetscFunctionBegin;
  PetscCall(NsPositionBegin(self));
  PetscCall(VecCopy(problem->q_free, q));
  PetscCall(NsModelLargest(scheme->model, problem->q_free, &size));
  size = PetscMax(size, scheme->model->length_scale);
  for (int i = 0; i < NS_MOST_STEPS; i++) {
    PetscCall(NsPositionStep(self, problem, q, self->next, &outcome->done));
    if (!outcome->done) {
      PetscCall(NsStepFail(outcome, scheme, &self->wg, what));
      PetscFunctionReturn(0);
    }
    PetscCall(VecAXPY(q, -1, self->next));
    PetscCall(NsModelLargest(scheme->model, q, &change));
    PetscCall(VecCopy(self->next, q));
    if (!(change > 0) || (change < 1e-13 * size && change >= last)) PetscFunctionReturn(0); /* rounding; NaN is found by the guard of the time loop */
    last = change;
  }
  if (last < 1e-13 * size) PetscFunctionReturn(0);
  PetscCall(
    PetscSNPrintf(outcome->reason, sizeof(outcome->reason), "no convergence to the %s of contacts on position level (last change %.1e)", what, last));
  PetscCall(NsPositionFail(scheme, self, outcome));
  PetscFunctionReturn(0);
}
