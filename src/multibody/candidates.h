/* Contact candidates of a multibody system. */
#pragma once
#include "joints.h"

/* Candidates, touch list and the contact table of the model. */
PetscErrorCode NsMbCandidates(NsMultibody *self, NsModel *model);
