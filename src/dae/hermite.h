/*
  Between the ends of a step, from positions, velocities and accelerations there: the polynomials

      q(s)   of degree 5 with q, v, a at both ends        error C h^6, and that of the ends
      v(s)   of degree 3 with v, a at both ends           C h^4
*/
#pragma once
#include <petscvec.h>

typedef struct {
  PetscReal t;
  Vec       q, v, a;
} NsHermiteEnd;

/* q, v at a part s of the way from one end to the other, h apart. */
PetscErrorCode NsHermite(const NsHermiteEnd *from, const NsHermiteEnd *to, PetscReal s, Vec q, Vec v);
