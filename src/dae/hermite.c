#include "hermite.h"
#include "dae.h"

PetscErrorCode NsHermite(const NsHermiteEnd *from, const NsHermiteEnd *to, PetscReal s, Vec q, Vec v)
{
  const PetscReal h = to->t - from->t, r = 1 - s, s2 = s * s, r2 = r * r, s3 = s2 * s, r3 = r2 * r;
  const PetscReal quintic[6] = {r3 * (1 + 3 * s + 6 * s2), s3 * (1 + 3 * r + 6 * r2), h * r3 * s * (1 + 3 * s), -h * s3 * r * (1 + 3 * r),
    h * h / 2 * r3 * s2, h * h / 2 * s3 * r2};
  const PetscReal cubic[4]   = {r2 * (1 + 2 * s), s2 * (1 + 2 * r), h * r2 * s, -h * s2 * r};
  Vec             x[6]       = {from->q, to->q, from->v, to->v, from->a, to->a};

  PetscFunctionBegin;
  PetscCall(NsDaeCombine(NULL, 1, 6, quintic, x, q));
  PetscCall(NsDaeCombine(NULL, 1, 4, cubic, x + 2, v));
  PetscFunctionReturn(0);
}
