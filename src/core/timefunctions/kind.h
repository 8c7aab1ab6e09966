/* What a kind of time function is made of. A new one: a file here, and its line in list.h. */
#pragma once
#include <petscsys.h>
#include "percuss/keys.h"

typedef struct {
  PetscReal (*value)(const void *settings, PetscReal t);
  PetscReal (*next)(const void *settings, PetscReal t); /* the first jump or kink after t, PETSC_MAX_REAL: none; NULL: never any */
  PetscReal (*period)(
    const void *settings, PetscReal t); /* the shortest between t and the next jump or kink, PETSC_MAX_REAL: none; NULL: never any */
  /* Where it acts at all, if that can be so short that a step has to take its mean; NULL: not so. */
  void (*span)(const void *settings, PetscReal *start, PetscReal *end);
} NsTimeKind;

/* The first of two times, ascending, that is after t. */
static inline PetscReal NsFirstAfter(PetscReal t, PetscReal start, PetscReal end)
{
  return t < start ? start : t < end ? end : PETSC_MAX_REAL;
}
