/*
  How long a step may be by its error, for all who choose their steps: the rule of E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.4.
*/
#pragma once
#include "percuss/model.h"

/* size becomes the largest component of x, if that is more. */
PetscErrorCode NsControlGrow(const NsModel *model, Vec x, PetscReal *size);
/* The largest component of an error over what is allowed, absolute + relative size; `end`, where the step ends, counts for the size of the motion so far. */
PetscErrorCode NsControlRatio(const NsModel *model, Vec error, Vec end, PetscReal absolute, PetscReal relative, PetscReal size, PetscReal *ratio);
/* By which factor a step is to change whose error goes with h^order: 0.9 ratio^(-1/order), from 0.2 to 5; no number: a trial that went nowhere. */
PetscReal NsControlChange(PetscReal ratio, PetscInt order);
/* A factor that would make a step a little longer or shorter: 1, for steps of one length are worth more. */
PetscReal NsControlKeep(PetscReal factor);
