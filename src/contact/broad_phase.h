/* For contact.c: see broad_phase.c. */
#pragma once
#include "contact/contact_data.h"

PetscErrorCode NsBroadPhaseCreate(NsContact *contact);
PetscErrorCode NsBroadPhaseDestroy(NsContact *contact);
/* All candidates are active from now on. */
void NsContactActivateAll(NsContact *contact);
void NsBroadPhaseSerialize(NsContact *contact, NsArchive *archive);
/* max_j stretch_j |x_j - from_j| over the touch list. */
PetscReal NsBroadPhaseMotion(const NsModel *model, const PetscReal *x, const PetscReal *from);
/* Looks at all candidates if it is time to. */
PetscErrorCode NsBroadPhaseBeginStep(NsContact *contact);
/* Gaps and velocities of the active candidates at the end of a step; the touched values there are kept. */
PetscErrorCode NsBroadPhaseEndStep(NsContact *contact, const NsState *state);
