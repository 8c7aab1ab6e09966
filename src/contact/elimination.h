/* For delassus.c and contact.c: joints alone, solved by elimination along the bodies. */
#pragma once
#include "compliance.h"
#include "contact_data.h"

PetscErrorCode NsEliminationCreate(NsElimination **elimination);
PetscErrorCode NsEliminationDestroy(NsElimination **elimination);
/* Takes G = W_u' C W_P of these rows, where all of them are joints without friction and C is diagonal (NULL: the identity) and the elimination is worth it; *taken: it has. Allocates where the
   pattern of the rows is new. */
PetscErrorCode NsEliminationTake(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp, PetscBool *taken);
/* P[rows] of b + factor G P = 0; *residual: that of NsLocalResidual. False: rows depend on each other, and others have to solve. */
PetscBool NsEliminationSolve(NsElimination *elimination, PetscReal factor, const PetscReal *b, PetscReal *P, PetscReal *residual);
/* u = factor G P */
void NsEliminationReact(const NsElimination *elimination, PetscReal factor, const PetscReal *P, PetscReal *u);
/* flag[rows] of all rows that act on one with a flag, directly or through others. */
void NsEliminationSpread(const NsElimination *elimination, PetscBool *flag);
/* How many rows have nothing to do with each other: the largest number of rows of such an island, and the islands. */
PetscInt NsEliminationIslands(const NsElimination *elimination, PetscInt *most);
