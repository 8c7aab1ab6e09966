/* Forces of links and ties as probes. Columns fx .. mz. */
#pragma once
#include "fe/model/fe.h"

/* The force of a link, or tie, on its second partner; false: there is none of this name. */
PetscBool NsFeLinkColumns(NsFe *fe, const NsModel *model, const char *name, PetscBool is_tie, NsProbeColumn column[6]);
/* Adds the part of links and ties to the reactions of held DOF d, which have the numbers fe->unknowns + d; a unit reaction of DOF d adds weight[d] to the columns. */
void NsFeLinkReactions(NsFe *fe, const NsModel *model, const PetscReal (*weight)[6], NsProbeColumn column[6]);
