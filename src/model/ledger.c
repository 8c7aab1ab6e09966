#include "percuss/ledger.h"

PetscErrorCode NsLedgerOpen(NsLedger *ledger, NsModel *model, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(ledger, sizeof(*ledger)));
  PetscCall(NsModelEnergy(model, state->t, state->q, state->v, &ledger->now));
  ledger->moved   = ledger->now.moved;
  ledger->initial = ledger->now.kinetic + ledger->now.elastic + ledger->now.potential;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLedgerClose(NsLedger *ledger, NsModel *model, const NsState *state)
{
  PetscFunctionBegin;
  PetscCall(NsModelEnergy(model, state->t, state->q, state->v, &ledger->now));
  ledger->external  = ledger->load + ledger->switched + (ledger->now.moved - ledger->moved);
  ledger->numerical = ledger->now.kinetic + ledger->now.elastic + ledger->now.potential - ledger->initial - ledger->external + ledger->damping +
                      ledger->impact + ledger->friction;
  ledger->numerical_max = PetscMax(ledger->numerical_max, PetscAbsReal(ledger->numerical));
  PetscFunctionReturn(0);
}
