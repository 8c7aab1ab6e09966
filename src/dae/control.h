/*
  Step size control: the rule of E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.4.
*/
#pragma once
#include "percuss/model.h"

/* size becomes the largest component of x, if that is more. */
PetscErrorCode NsControlGrow(const NsModel *model, Vec x, PetscReal *size);
/* The largest component of an error over what is allowed, absolute + relative size; `end`, where the step ends, counts for the size of the motion so far. */
PetscErrorCode NsControlRatio(const NsModel *model, Vec error, Vec end, PetscReal absolute, PetscReal relative, PetscReal size, PetscReal *ratio);
/* By which factor a step is to change whose error goes with h^order: 0.9 ratio^(-1/order), from 0.2 to 5; for NaN and Inf 0.2. */
PetscReal NsControlChange(PetscReal ratio, PetscInt order);
/* The factor, or 1 where it is close to 1: equal steps save factorizations. */
PetscReal NsControlKeep(PetscReal factor);
