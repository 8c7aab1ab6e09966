/*
  What an unbalance on a rotor of free spin adds to the mass matrix: with p the row of the twist, l2 and l3 those of the lateral displacements,

      M(q) = M + sum m e (p d' + d p'),    d = -sin(psi + phase) l2 + cos(psi + phase) l3

  Each is of rank two over the three constant vectors p, l2, l3: systems with M(q) are solved by src/fe/model/low_rank.h.
*/
#pragma once
#include "outer.h"
#include "percuss/model.h"

#define NS_UNBALANCE_VECTORS 3 /* p, l2, l3 */

/* An error in diag where an unbalance is beyond its rotor: M(q) would not be positive definite. `at`: any state. */
PetscErrorCode NsFeUnbalancedMassCheck(NsFe *fe, Vec at);
/* y += (M(q) - M) x */
PetscErrorCode NsFeUnbalancedMassMult(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *x, PetscScalar *y);
/* y += (dM/dt along v) v */
PetscErrorCode NsFeUnbalancedMassRate(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *y);
/* S[3, 3] over p, l2, l3, times `mass`. */
void NsFeUnbalanceCoefficients(const NsFeUnbalance *unbalance, PetscReal t, const PetscScalar *q, PetscReal mass, PetscReal *S);
