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
  /* The first and second derivative by time, at a jump or kink that after it; NULL: 0. With `integrates` also integrals, order -1 and -2, with any constants. */
  PetscReal (*derivative)(const void *settings, PetscReal t, int order);
  PetscBool integrates;
} NsTimeKind;

/* The derivative of sin(frequency t + phase) of any order, negative ones are integrals. */
static inline PetscReal NsSineDerivative(PetscReal frequency, PetscReal phase, PetscReal t, int order)
{
  return PetscPowRealInt(frequency, order) * PetscSinReal(frequency * t + phase + order * (PETSC_PI / 2));
}

/* Of sin(phi): first derivative for phi' = rate, second for phi'' = change. */
static inline PetscReal NsSineOf(PetscReal phi, PetscReal rate, PetscReal change, int order)
{
  return order == 1 ? rate * PetscCosReal(phi) : change * PetscCosReal(phi) - rate * rate * PetscSinReal(phi);
}

/* The first of two times, ascending, that is after t. */
static inline PetscReal NsFirstAfter(PetscReal t, PetscReal start, PetscReal end)
{
  return t < start ? start : t < end ? end : PETSC_MAX_REAL;
}
