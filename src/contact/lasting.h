/*
  Persistent contacts: Newton's method on the local problem with an inverse that is kept from step to step (lasting.c), for models whose contacts are few and flat and whose compliance is constant.
  Problems that it does not solve go to the chain of solvers.
*/
#pragma once
#include "contact_data.h"

/* NULL: the contacts of this model are too many, too few, curved, or of other laws than Coulomb's. */
PetscErrorCode NsLastingCreate(const NsContact *contact, NsLasting **lasting);
PetscErrorCode NsLastingDestroy(NsLasting **lasting);
void           NsLastingSerialize(NsLasting *lasting, NsArchive *archive);
/* At the beginning of a step, and when a step is rejected: Cancel restores what was kept at its beginning. */
void NsLastingBeginStep(NsLasting *lasting);
void NsLastingCancelStep(NsLasting *lasting);
/* Whether the problem of these rows with this compliance can be tried. */
PetscErrorCode NsLastingTake(NsLasting *lasting, NsCompliance *compliance, const NsRows *rows, PetscBool *takes);
/* factor G of the last NsLastingTake: [rows, rows] */
void NsLastingMatrix(const NsLasting *lasting, PetscReal factor, PetscReal *G);
/* Solves the problem of the last NsLastingTake, of these rows, with factor G. P: the initial guess, then the solution; unchanged if the problem is not solved. */
PetscErrorCode NsLastingSolve(
  NsLasting *lasting, NsContact *contact, const NsRows *rows, PetscReal factor, const PetscReal *b, PetscReal *P, PetscBool *solved);
