/* For contact.c: which islands this process solves, where there are several; see sharing.c. */
#pragma once
#include "contact/contact_data.h"

PetscErrorCode NsSharingCreate(NsContact *contact);
PetscErrorCode NsSharingDestroy(NsContact *contact);
/* Islands *first to *last - 1 are those of this process; false: the local problems are not shared. Keeps P, where the solvers start. */
PetscBool NsSharingBegin(NsContact *contact, const NsRows *rows, const PetscReal *P, PetscInt *first, PetscInt *last);
/* (all) P, statistics and the residual of all islands from those of each process's own. *solved: all of them are; *again: some are not, though nobody was asked to stop. P and statistics are those
   of the beginning then. */
PetscErrorCode NsSharingEnd(NsContact *contact, const NsRows *rows, PetscInt first, PetscInt last, PetscReal *P, PetscBool *solved, PetscBool *again);
