/* Forces of links and ties as probes. Columns fx .. mz. */
#pragma once
#include "fe/model/fe.h"

/* The force of a link, or tie, on its second partner; false: there is none of this name. */
PetscBool NsFeLinkColumns(NsFe *fe, const NsModel *model, const char *name, PetscBool is_tie, NsProbeColumn column[6]);
/* Adds what links and ties take off the reactions of held DOF, which have the numbers fe->unknowns + d: weight[d], what a unit reaction adds to the columns. */
void NsFeLinkReactions(NsFe *fe, const NsModel *model, const PetscReal (*weight)[6], NsProbeColumn column[6]);
