/* For delassus.c and contact.c: the Delassus matrix of large islands, G = U Y (percuss/local.h), with unknowns that are places of the touch list. */
#pragma once
#include "compliance.h"

PetscErrorCode NsCouplingCreate(NsContact *contact);
PetscErrorCode NsCouplingDestroy(NsContact *contact);
/* Which islands are kept so: islands->sparse; bands: whether with A, too: islands->band. */
PetscErrorCode NsCouplingChoose(NsContact *contact, PetscBool bands, NsCompliance *compliance, const NsRows *wu, const NsRows *wp);
/* Takes the rows U of the contacts of these islands, Y = 0; adds factor C W_P to Y. */
PetscErrorCode NsCouplingBegin(NsContact *contact, const NsRows *wu);
PetscErrorCode NsCouplingAdd(NsContact *contact, PetscReal factor, NsCompliance *compliance, const NsRows *wp);
void           NsCouplingScale(NsContact *contact, PetscReal factor);
/* u = G P of one island. */
PetscErrorCode NsCouplingReact(NsContact *contact, PetscInt island, const NsRows *rows, const PetscReal *P, PetscReal *u);
/* The island's part with unknowns numbered from 0: contact->sparse.problem. */
PetscErrorCode NsCouplingProblem(NsContact *contact, PetscInt island);
