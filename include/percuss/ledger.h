/*
  The energy balance of a run:

      kinetic + elastic + potential = initial + load - damping - impact - friction + numerical

  The scheme adds the work of each step by its own quadrature, which is exact for what the step did: `numerical` is then the energy error of the scheme, without a
  sampling error. Terms over one step, with v_m = (v0 + v1)/2:

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
  PetscReal moved;                           /* J: NsEnergy.moved at the start */
  PetscReal
    switched; /* J since the start: what parts have brought when they began to act, less what they took when they stopped (percuss/switches.h) */
  PetscReal external;      /* J, set by NsLedgerClose: load, switched, and what prescribed motions of supports have brought besides */
  PetscReal numerical;     /* J, set by NsLedgerClose */
  PetscReal numerical_max; /* largest |numerical| seen by NsLedgerClose */
} NsLedger;

/* All terms zero; the energy of this state is the reference. */
PetscErrorCode NsLedgerOpen(NsLedger *ledger, NsModel *model, const NsState *state);
/* Energies at this state, and the balance. */
PetscErrorCode NsLedgerClose(NsLedger *ledger, NsModel *model, const NsState *state);
