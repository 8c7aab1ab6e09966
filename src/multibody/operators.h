/* Factored operators of a multibody system. */
#pragma once
#include "system.h"

PetscErrorCode NsMbOperatorsCreate(NsMultibody *self);
PetscErrorCode NsMbFactor(NsMultibody *self, PetscInt slot, PetscReal t, const PetscReal *q, const PetscReal *v, NsOperator op);
void           NsMbSolve(const NsMultibody *self, PetscInt slot, const PetscReal *b, PetscReal *x);
