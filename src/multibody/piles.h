/* Boxes and balls of bodies that touch each other: which pairs are near, and their points. */
#pragma once
#include "contact/settings.h"
#include "manifold.h"
#include "touch.h"

/* The body and shape of "body" or "body.shape"; NULL: there is no such shape. No error here. */
const NsShape *NsMbFindShape(const NsMultibody *self, const char *text, PetscInt *of);
/* Contacts of the config that are of boxes: self->pile. NsMbIsPile: this one is. Errors in diag. */
PetscBool NsMbIsPile(NsMultibody *self, const NsContactSettings *settings);
void      NsMbPiles(NsMultibody *self);
/* Their candidates, from `first` on, and the operations of slots. */
PetscErrorCode NsMbPileCandidates(NsMultibody *self, NsModel *model, PetscInt first);
/* The number of these candidates. */
PetscInt NsMbPileSlots(const NsMultibody *self);
/* Forgets what the last NsMbPileAt found: before the first of some calls at the same frames. */
void NsMbPileBegin(NsMultibody *self);
/* The gap of a candidate at the frames; wrench[rows] (or NULL). */
PetscReal NsMbPileAt(NsMultibody *self, PetscInt candidate, PetscInt rows, NsMbWrench *wrench);
/* Centres of its two shapes, and how far a rotation can move their points relative to these: 0 for balls. */
void NsMbPileSides(NsMultibody *self, PetscInt candidate, NsSide side[2], PetscReal reach[2]);
void NsMbPilePoint(NsMultibody *self, PetscInt candidate, PetscReal x[3], PetscReal n[3]);
