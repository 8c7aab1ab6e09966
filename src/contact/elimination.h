/* For delassus.c and contact.c: systems of joints only, solved by elimination along the bodies. */
#pragma once
#include "compliance.h"
#include "contact_data.h"

PetscErrorCode NsEliminationCreate(NsElimination **elimination);
PetscErrorCode NsEliminationDestroy(NsElimination **elimination);
/* Takes G = W_u' C W_P of these rows, where all of them are joints without friction and C is diagonal (NULL: the identity) and the elimination is worth it; *taken: it has. Allocates where the
   pattern of the rows is new. */
PetscErrorCode NsEliminationTake(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp, PetscBool *taken);
/* Solves b + factor G P = 0 for P[rows]; *residual: as NsLocalResidual. False: rows are linearly dependent, and another solver is needed. */
PetscBool NsEliminationSolve(NsElimination *elimination, PetscReal factor, const PetscReal *b, PetscReal *P, PetscReal *residual);
/* u = factor G P */
void NsEliminationReact(const NsElimination *elimination, PetscReal factor, const PetscReal *P, PetscReal *u);
/* Sets flag[rows] of all rows that are coupled with a flagged row, directly or through others. */
void NsEliminationSpread(const NsElimination *elimination, PetscBool *flag);
/* The number of independent islands of rows, and the number of rows of the largest one. */
PetscInt NsEliminationIslands(const NsElimination *elimination, PetscInt *most);
