/* Operations of percuss/model.h: energies and dissipated power of each owner. */
#pragma once
#include "fe.h"

PetscErrorCode NsFeOwners(NsModel *model, PetscInt *count, const NsOwner **owner);
/* After NsFeOwners: the body of an unknown, by its natural number, on this process. */
PetscInt NsFeBodyOf(const NsFe *fe, PetscInt unknown);
/* After NsFeOwners. */
PetscErrorCode NsFeShareEnergies(NsModel *model, PetscReal t, Vec q, Vec v, PetscBool powers_only, NsShare *share);
