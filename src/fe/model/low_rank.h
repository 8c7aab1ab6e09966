/*
  Operators A + E S E' with a factored, constant A: changes over a few constant vectors E, with coefficients S(t, q, v) in small blocks.

      unbalances on rotors of free spin     S = op.mass x (what the angle makes of the mass matrix)
      force elements computed in each step  S = op.damping (-df/dr') + op.stiffness (-df/dr)

  By Woodbury's formula

      (A + E S E')^-1 b = x - X (1 + S B)^-1 S E'x,     x = A^-1 b,   X = A^-1 E,   B = E'X

  so that the factor of A serves all along: a change costs a system with as many unknowns as there are vectors. On one process.
*/
#pragma once
#include "fe/elements/element.h"
#include "percuss/model.h"

typedef struct NsFeLowRank NsFeLowRank;

/* fe->here must be complete. *low_rank is NULL where nothing of the kind is in the model, or where it runs on several processes. */
PetscErrorCode NsFeLowRankCreate(NsFe *fe, NsFeLowRank **low_rank);
PetscErrorCode NsFeLowRankDestroy(NsFeLowRank **low_rank);
/* After NsBackEndFactor of the same slot and operator: S at (t, q, v). */
PetscErrorCode NsFeLowRankFactor(const NsFe *fe, NsFeLowRank *low_rank, PetscInt slot, PetscReal t, Vec q, Vec v, NsOperator op);
/* After NsBackEndSolve: x = A^-1 b becomes (A + E S E')^-1 b. */
PetscErrorCode NsFeLowRankCorrect(NsFeLowRank *low_rank, PetscInt slot, Vec x);
/* C[touches, touches] of (A + E S E')^-1; solves nothing after the first call for an operator. */
PetscErrorCode NsFeLowRankCompliance(const NsModel *model, NsFeLowRank *low_rank, PetscInt slot, PetscReal *C);
/* e_i' A^-1 e_j of two vectors, for the operator that the slot has. */
PetscReal NsFeLowRankGram(const NsFeLowRank *low_rank, PetscInt slot, PetscInt i, PetscInt j);
