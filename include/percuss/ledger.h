/*
  Where each joule went:

      kinetic + elastic + potential = initial + load - damping - impact - friction + numerical

  The scheme adds the work of each step with its own quadrature: exact for what the step did, so that `numerical` is what the
  scheme itself made or lost, not sampling error. Terms, over one step with v_m = (v0 + v1)/2:

    damping   dt v_m' C v_C         v_C: the velocity at which the scheme evaluates the dampers
    load      dt v_m' f
    friction  - sum over contacts of u_m,T . P_T,  u_m = (u^- + u^+)/2
    impact    - sum over impacts of u_m,N P_N
*/
#pragma once
#include "model.h"

typedef struct {
  NsEnergy  now;
  PetscReal initial;                         /* J: kinetic + elastic + potential at the start */
  PetscReal damping, impact, friction, load; /* J since the start; losses are positive */
  PetscReal numerical;                       /* J, renewed by NsLedgerClose */
  PetscReal numerical_max;                   /* largest |numerical| seen by NsLedgerClose */
} NsLedger;

PetscErrorCode NsLedgerOpen(NsLedger *ledger, NsModel *model, const NsState *state);
/* Computes the energies at this state, and the balance. */
PetscErrorCode NsLedgerClose(NsLedger *ledger, NsModel *model, const NsState *state);
