/*
  Bounds of the highest frequency and damping rate of a part of the model, from its cells.
*/
#pragma once
#include "fe.h"

/* Without gyroscopic terms; *gyroscopic: the largest rate (rad/s) of these. */
PetscErrorCode NsFeBounds(NsFe *fe, PetscInt part, NsBound *omega, NsBound *damping_rate, PetscReal *gyroscopic);
/* The frequency to which gyroscopic terms of that rate can raise omega. */
PetscReal NsFeRaised(PetscReal omega, PetscReal gyroscopic);
/* (all) src/fe/model/lanczos.c: lowers *omega, a bound of a part, to one that is at most 1 % above its highest frequency. For models that NsFeHighestIsQuick names. */
PetscErrorCode NsFeHighestByLanczos(NsFe *fe, PetscInt part, PetscReal *omega);
