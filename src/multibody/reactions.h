/* Probes of springs and bushings. */
#pragma once
#include "system.h"

/* Columns of springs.NAME and joints.NAME; false: it is no such name. True and no columns: there is none, `why` says so. */
PetscBool NsMbReactionProbe(NsMultibody *self, const char *name, NsProbe *probe, char *why, size_t size);
