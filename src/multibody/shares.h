/* Operations of percuss/model.h: who has the energies, and whose dampers dissipate. */
#pragma once
#include "percuss/model.h"

PetscErrorCode NsMbOwners(NsModel *model, PetscInt *count, const NsOwner **owner);
/* After NsMbOwners. */
PetscErrorCode NsMbShareEnergies(NsModel *model, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share);
