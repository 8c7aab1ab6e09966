/* For contact.c: see near.c. */
#pragma once
#include "percuss/contact.h"

PetscErrorCode NsSleepCreate(NsContact *contact);
PetscErrorCode NsSleepDestroy(NsContact *contact);
void           NsSleepRemember(NsContact *contact, NsMemory *memory);
/* Looks at all candidates if it is time to. */
PetscErrorCode NsSleepBeginStep(NsContact *contact);
/* After NsContactRates of the state at the end of a step: what was touched there is kept. */
void NsSleepEndStep(NsContact *contact);
/* Gaps of those that are near into contact->gap, and relative velocities into contact->u: the rows of candidate i from contact->first[i]. `ahead`: those are near, too, that
   such velocities could close within that time. */
PetscErrorCode NsContactRates(NsContact *contact, const NsState *state, PetscReal ahead);
