/*
  For compliance.c and coupling.c: an operator A whose matrix has a narrow band, for local problems of many contacts, G = W_u' A^-1 W_P.

  Unknowns that A couples are a set: the bending of a straight beam in one plane is one, its stretching another. Those that the contacts of an island act on are a group, in natural order, with
  a band of its own: memory and time are linear in its unknowns. A group depends on the contacts of the moment alone, so that runs that are resumed come to the same numbers.
*/
#pragma once
#include "contact/contact_data.h"

typedef struct NsBanded NsBanded;

/* *result: NULL where the model has no such matrix, or its band is too wide. Call it after NsModelFactor of the slot: one solve there checks that A is the same. */
PetscErrorCode NsBandedCreate(NsModel *model, PetscInt slot, NsOperator op, NsBanded **result);
PetscErrorCode NsBandedDestroy(NsBanded **banded);
/* Before the first NsBandedOf for some rows: bands of earlier ones may be forgotten. */
PetscErrorCode NsBandedBegin(NsBanded *banded);
/* The band of the group that contacts member[count] of these rows act on, factored; *band NULL: there is none. Kept for the next time. */
PetscErrorCode NsBandedOf(NsBanded *banded, const NsRows *wu, const NsRows *wp, PetscInt count, const PetscInt *member, const NsLocalBand **band);
/* Number of the unknown at a place of the touch list in a band of NsBandedOf. */
PetscInt NsBandedNumber(const NsBanded *banded, const NsLocalBand *band, PetscInt place);
/* Joins in parent[contacts], a union-find whose roots are first contacts, those that act on the same sets. */
void NsBandedIslands(NsBanded *banded, const NsRows *wu, const NsRows *wp, PetscInt *parent);
