/*
  Node to surface where the sliding is not small: each node of the slave against the face of the master that is nearest to it at the time.

      g = signed distance (faces.h),   row: n . (u - sum_k N_k u_k),   N_k, n at the point of the master nearest to the node

  The row is the gradient of the gap wherever the node is on the same face, or passes from face to face; n, N_k and the faces themselves move with the configuration. Resultants of force and moment
  are exact, and pressures of single nodes are not (under an even pressure 8 to 106 % off between meshes that do not match: mortar.h is for these).

  Cost: once for each set of positions a pass over the master's nodes and boxes; for each node of the slave that is not far away a search, some 0.3 us.
*/
#pragma once
#include "contact.h"
#include "faces.h"

extern const NsPairType NsPairType_Sliding;

/* (set-up) Whether the contact slides too far for weights of the start: by its key, or by the motion that is prescribed. Sets contact->expected (m). */
PetscBool NsFeSlidesFar(const NsFe *fe, NsFeSurfaceContact *contact);
/* (set-up) Rows (slave, area, gap; no weights) of contact->mortar and contact->sliding. */
void NsFeSlidingCreate(NsFe *fe, NsFeSurfaceContact *contact);
/* (set-up) The pair of row j, whose first point is given. */
void NsFeSlidingPair(NsFe *fe, const NsFeSurfaceContact *contact, const NsPairPoint *point, NsPair *pair);
/* How far the partners have slid along each other since the undeformed state, m. */
PetscReal NsFeSlidingSlip(const NsPair *pair, const PetscReal *touch_q);
