#include "control.h"

PetscErrorCode NsControlGrow(const NsModel *model, Vec x, PetscReal *size)
{
  PetscReal largest;

  PetscFunctionBegin;
  PetscCall(NsModelLargest(model, x, &largest));
  *size = PetscMax(*size, largest);
  PetscFunctionReturn(0);
}

PetscErrorCode NsControlRatio(const NsModel *model, Vec error, Vec end, PetscReal absolute, PetscReal relative, PetscReal size, PetscReal *ratio)
{
  PetscReal largest;

  PetscFunctionBegin;
  PetscCall(NsControlGrow(model, end, &size));
  PetscCall(NsModelLargest(model, error, &largest));
  *ratio = largest == 0 ? 0 : largest / (absolute + relative * size);
  PetscFunctionReturn(0);
}

PetscReal NsControlChange(PetscReal ratio, PetscInt order)
{
  if (PetscIsInfOrNanReal(ratio)) return 0.2;
  return PetscMax(0.2, PetscMin(5, 0.9 * PetscPowReal(ratio, -1.0 / (PetscReal)order)));
}

PetscReal NsControlKeep(PetscReal factor)
{
  return factor > 0.9 && factor < 1.25 ? 1 : factor;
}
