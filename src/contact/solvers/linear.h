/* The linear systems of Newton's method and the interior point, (I + D G) x = r with a block D_c [m, m] for each contact of m rows. */
#pragma once
#include "percuss/local.h"

typedef struct NsLocalLinear NsLocalLinear;

/* With room for dense problems of this size; larger and sparse ones make theirs. */
PetscErrorCode NsLocalLinearCreate(PetscInt contacts, PetscInt rows, NsLocalLinear **linear);
PetscErrorCode NsLocalLinearDestroy(NsLocalLinear **linear);
/* Once for each problem in unit form, before its first factorization: order of elimination where the pattern is new, and room. */
PetscErrorCode NsLocalLinearPrepare(NsLocalLinear *linear, const NsLocalProblem *unit);
/* D[9 contacts]: the block of contact c, row-major [m, m], begins at 9 c. Contacts whose block is zero cost nothing. */
PetscErrorCode NsLocalLinearFactor(NsLocalLinear *linear, const NsLocalProblem *unit, const PetscReal *D);
/* x[rows] from r[rows], with so many steps of iterative refinement; r and x are not the same. */
PetscErrorCode NsLocalLinearSolve(NsLocalLinear *linear, const NsLocalProblem *unit, PetscInt refine, const PetscReal *r, PetscReal *x);
