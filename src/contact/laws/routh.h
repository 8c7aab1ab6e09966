/* One contact along its normal impulse: routh.c. */
#pragma once
#include <petscsys.h>

/*
  The impulse P[rows] of an impact of one contact with the energetic law: G[rows, rows] row-major, before = u^-[rows] (normal < 0), friction mu along tangent 1, across (0: 1) of tangent 2, restitution
  e. False: it jams.
*/
PetscBool NsRouth(PetscInt rows, const PetscReal *G, const PetscReal *before, PetscReal mu, PetscReal across, PetscReal e, PetscReal *P);
