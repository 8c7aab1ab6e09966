/*
  Unbalances on rotors of free spin, which make the mass matrix depend on the angle.
*/
#pragma once
#include "fe/elements/element.h"
#include "percuss/model.h"

/* What unbalances on rotors of free spin do to the mass matrix. */
typedef struct NsFeUnbalancedMass NsFeUnbalancedMass;

PetscErrorCode NsFeUnbalancedMassCreate(NsFe *fe, NsFeUnbalancedMass **mass);
/* An error in diag where an unbalance is beyond its rotor: M(q) would not be positive definite. */
PetscErrorCode NsFeUnbalancedMassCheck(NsFe *fe, NsFeUnbalancedMass *mass);
PetscErrorCode NsFeUnbalancedMassDestroy(NsFeUnbalancedMass **mass);
/* y += (M(q) - M) x */
PetscErrorCode NsFeUnbalancedMassMult(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *x, PetscScalar *y);
/* y += (dM/dt along v) v */
PetscErrorCode NsFeUnbalancedMassRate(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *y);
/* After NsBackEndFactor of the same slot and operator. */
PetscErrorCode NsFeUnbalancedMassFactor(const NsFe *fe, NsFeUnbalancedMass *mass, PetscInt slot, PetscReal t, Vec q, NsOperator op);
/* After NsBackEndSolve: x = A^-1 b becomes (A + op.mass (M(q) - M))^-1 b. */
PetscErrorCode NsFeUnbalancedMassCorrect(const NsFe *fe, NsFeUnbalancedMass *mass, PetscInt slot, Vec x);
/* C[touches, touches] of (A + op.mass (M(q) - M))^-1; solves nothing after the first call. */
PetscErrorCode NsFeUnbalancedMassCompliance(const NsModel *model, NsFeUnbalancedMass *mass, PetscInt slot, PetscReal *C);
