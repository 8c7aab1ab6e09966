/*
  Assembled matrices of the model.
*/
#pragma once
#include "fe/elements/element.h"
#include "sparse.h"

/* C: dampers (symmetric), no rows without damping; G: gyroscopic terms and the skew parts of bearings' damping, no rows without either. M is within the pattern of the others, which have the same one. */
typedef struct {
  NsSparse  M, C, G, K;
  PetscBool diagonal, symmetric; /* M, K is */
  PetscBool damped, skew;        /* there are C, G */
} NsFeMatrices;
/* speed[bodies] (rad/s): that of each rotor; NULL: rotors of constant spin have their own, and what depends on the speed of others is left out. Rows of those
   unknowns that are mine[unknowns]; NULL: all. mass_alone: the flags are those of all matrices, but only M has rows. */
PetscErrorCode NsFeAssembleRows(const NsFe *fe, const PetscReal *speed, const PetscBool *mine, PetscBool mass_alone, NsFeMatrices *matrices);
PetscBool      NsFeMassIsDiagonal(const NsFe *fe);
/* All rows as PETSc's matrices; NULL for a matrix without rows. */
PetscErrorCode NsFeAssemble(const NsFe *fe, const PetscReal *speed, Mat *M, Mat *C, Mat *G, Mat *K);
/* Gravity force M g, weight[unknowns] in N. */
void NsFeWeight(const NsFe *fe, const PetscReal acceleration[3], PetscReal *weight);
