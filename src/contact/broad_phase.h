/* For contact.c: see broad_phase.c. */
#pragma once
#include "contact/contact_data.h"

PetscErrorCode NsBroadPhaseCreate(NsContact *contact);
PetscErrorCode NsBroadPhaseDestroy(NsContact *contact);
/* All zero: open. Not written where it is so already: memory that was never written is not there. */
void NsContactReportClear(NsContactReport *report);
/* All candidates are active from now on. */
void NsContactActivateAll(NsContact *contact);
void NsBroadPhaseSerialize(NsContact *contact, NsArchive *archive);
/* max_j stretch_j |x_j - from_j| over the touch list. */
PetscReal NsBroadPhaseMotion(const NsModel *model, const PetscReal *x, const PetscReal *from);
/* At the start of a run, once: looks at all candidates, so that distant ones never use memory that only active ones need. */
PetscErrorCode NsBroadPhaseStart(NsContact *contact, const NsState *state);
/* Looks at all candidates if it is time to. */
PetscErrorCode NsBroadPhaseBeginStep(NsContact *contact);
/* Gaps and velocities of the active candidates at the end of a step; the touched values there are kept. */
PetscErrorCode NsBroadPhaseEndStep(NsContact *contact, const NsState *state);
