/*
  Contacts that last: Newton's method on the local problem with an inverse that is kept from step to step (lasting.c), for models whose contacts are few and flat and whose compliance is constant.
  The chain of solvers has the problems that it does not solve.
*/
#pragma once
#include "contact_data.h"

/* NULL: the contacts of this model are too many, too few, curved, or of other laws than Coulomb's. */
PetscErrorCode NsLastingCreate(const NsContact *contact, NsLasting **lasting);
PetscErrorCode NsLastingDestroy(NsLasting **lasting);
void           NsLastingSerialize(NsLasting *lasting, NsArchive *archive);
/* At the beginning of a step, and where one is given up: what was kept is that of its beginning. */
void NsLastingBeginStep(NsLasting *lasting);
void NsLastingCancelStep(NsLasting *lasting);
/* Whether the problem of these rows with this compliance can be tried. */
PetscErrorCode NsLastingTake(NsLasting *lasting, NsCompliance *compliance, const NsRows *rows, PetscBool *takes);
/* factor G of the last NsLastingTake: [rows, rows] */
void NsLastingMatrix(const NsLasting *lasting, PetscReal factor, PetscReal *G);
/* The problem of the last NsLastingTake, of these rows, with factor G. P: the start, and the solution; unchanged where it is not solved. */
PetscErrorCode NsLastingSolve(
  NsLasting *lasting, NsContact *contact, const NsRows *rows, PetscReal factor, const PetscReal *b, PetscReal *P, PetscBool *solved);
