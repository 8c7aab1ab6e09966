/* Probes of springs and bushings. */
#pragma once
#include "system.h"

/* Columns of springs.NAME and joints.NAME; false: the name is neither. True without columns: there is no such spring or joint, or it has no force; `why` says which. */
PetscBool NsMbReactionProbe(NsMultibody *self, const char *name, NsProbe *probe, char *why, size_t size);
