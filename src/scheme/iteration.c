#include "iteration.h"

#define NS_MOST_ITERATIONS 60
#define NS_SMALL_CHANGE    1e-7
#define NS_ROUNDING_OF_Q   (64 * PETSC_MACHINE_EPSILON)

PetscErrorCode NsIterationLeast(const NsModel *model, Vec q, PetscReal dt, Vec change, PetscReal *least)
{
  PetscReal push, size;

  PetscFunctionBegin;
  PetscCall(NsModelLargest(model, change, &push));
  PetscCall(NsModelLargest(model, q, &size));
  *least = PetscMax(PetscMax(push, PETSC_SMALL), NS_ROUNDING_OF_Q / NS_SMALL_CHANGE * size / dt);
  PetscFunctionReturn(0);
}

PetscErrorCode NsIterationTake(NsIteration *self, const NsModel *model, Vec *next, Vec *target, PetscReal least, PetscReal *size)
{
  const Vec old = *target;
  PetscReal distance;

  PetscFunctionBegin;
  PetscCall(NsModelLargest(model, *next, size));
  *size = PetscMax(*size, least);
  PetscCall(VecAXPY(old, -1, *next));
  PetscCall(NsModelLargest(model, old, &distance));
  if (!(*size < PETSC_INFINITY))
    self->change = PETSC_INFINITY;
  else if (!(distance <= self->change * *size)) /* also NaN, left in *target by a step that diverged */
    self->change = distance < PETSC_INFINITY ? distance / *size : PETSC_MAX_REAL;
  *target = *next;
  *next   = old;
  PetscFunctionReturn(0);
}

PetscErrorCode NsIterationEnd(NsIteration *self, NsStepOutcome *outcome, PetscBool *again)
{
  const PetscBool first = self->count == 0, converged = self->steadily && !first && self->change * self->change <= 1e-14 * self->last
                                                          ? PETSC_TRUE
                                                          : PETSC_FALSE; /* the next one is below 1e-14 */

  PetscFunctionBegin;
  if (self->change == PETSC_INFINITY) {
    *again        = PETSC_FALSE;
    outcome->done = PETSC_FALSE;
    PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason), "Newton's method diverges; a shorter step may help"));
    PetscFunctionReturn(0);
  }
  *again = self->change > 1e-14 && !converged && !(self->change <= NS_SMALL_CHANGE && self->change >= self->last);
  if (!*again) PetscFunctionReturn(0);
  self->last   = self->change;
  self->change = 0;
  if (++self->count < NS_MOST_ITERATIONS) PetscFunctionReturn(0);
  *again = PETSC_FALSE;
  if (self->last <= NS_SMALL_CHANGE) PetscFunctionReturn(0);
  outcome->done = PETSC_FALSE;
  PetscCall(PetscSNPrintf(outcome->reason, sizeof(outcome->reason),
    "Newton's method does not converge in %d iterations (last change %.1e); a shorter step may help", NS_MOST_ITERATIONS, self->last));
  PetscFunctionReturn(0);
}
