/* Operations of percuss/model.h: energies and dissipated power of each owner. */
#pragma once
#include "percuss/model.h"

PetscErrorCode NsMbOwners(NsModel *model, PetscInt *count, const NsOwner **owner);
/* After NsMbOwners. */
PetscErrorCode NsMbShareEnergies(NsModel *model, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share);
