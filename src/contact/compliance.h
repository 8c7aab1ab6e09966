/* For the rest of this folder, and tests: columns of a compliance. */
#pragma once
#include "banded.h"

/* *half: [touches] C W_P e_row, a column of what the Delassus matrix is made of. Valid until the next call. */
PetscErrorCode NsComplianceHalf(NsCompliance *compliance, const NsRows *wp, PetscInt row, const PetscReal **half);
/* [touches] the numbers of a diagonal C; NULL: it is not diagonal, or not known. */
const PetscReal *NsComplianceDiagonal(const NsCompliance *compliance);
/* Whether NsComplianceReached knows: not where columns are not kept. */
PetscBool NsComplianceKnowsReach(const NsCompliance *compliance);
/* Whether C is known and constant until the next NsComplianceUpdate that changes it; its version changes then. *slot: the slot given at creation. */
PetscBool NsComplianceIsConstant(const NsCompliance *compliance, PetscInt *slot, PetscInt64 *version);
/* Places of the touch list that an impulse at `place` sets in motion, in runs r < the number returned: from at[r], start[r + 1] - start[r] of them. Lists are
   valid until the next call. */
PetscInt NsComplianceReached(const NsCompliance *compliance, PetscInt place, const PetscInt **at, const PetscInt **start);
/* The same with the numbers of C there: those of run r are value[start[r]] to value[start[r + 1] - 1]. */
PetscInt NsComplianceColumn(const NsCompliance *compliance, PetscInt place, const PetscInt **at, const PetscInt **start, const PetscReal **value);
/* A as a matrix with a narrow band; NULL: it has none, or contacts touch too few unknowns for that to be of use. */
NsBanded *NsComplianceBanded(const NsCompliance *compliance);
/* How many numbers C, and X, may have to be kept: before the first update. */
void NsComplianceLimit(NsCompliance *compliance, PetscInt numbers);
