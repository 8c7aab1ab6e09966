/*
  Operators A = mass M + damping C + stiffness K with K = -dh/dq, C = -dh/dv, for schemes that solve with them.

  M is diagonal, and so is A where nothing but weight acts in the plane. Else the tangents are central differences of h along `move`, accurate to 1e-9, enough for Newton's method, and A is
  dense: unknowns^2 numbers, unknowns^3/3 operations whenever it changes. C + K costs a force for each unknown and side.
*/
#include <string.h>
#include "operators.h"

#define NS_DIFFERENCE 6e-6 /* cube root of the rounding */

PetscErrorCode NsMbOperatorsCreate(NsMultibody *self)
{
  PetscFunctionBegin;
  for (int s = 0; s < NS_SLOTS; s++) self->slot[s].inverse = NsArenaAlloc(self->arena, sizeof(PetscReal) * (size_t)self->unknowns);
  for (int k = 0; k < 4; k++) self->work[k] = NsArenaAlloc(self->arena, sizeof(PetscReal) * (size_t)self->unknowns);
  PetscFunctionReturn(0);
}

/* Column j of -d h/d(q or v) times a weight is added to A. */
static void add_column(
  NsMultibody *self, PetscReal t, const PetscReal *q, const PetscReal *v, PetscBool of_velocity, PetscInt j, PetscReal weight, PetscReal *A)
{
  const PetscInt n = self->unknowns;
  PetscReal     *x = self->work[0], *step = self->work[1], *h[2] = {self->work[2], self->work[3]};
  PetscReal      delta = NS_DIFFERENCE * (of_velocity ? PetscMax(1, PetscAbsReal(v[j])) : PetscMax(self->length, 1e-3));

  for (int side = 0; side < 2; side++) {
    if (of_velocity) {
      memcpy(x, v, sizeof(*x) * (size_t)n);
      x[j] += side ? delta : -delta;
    } else {
      memset(step, 0, sizeof(*step) * (size_t)n);
      step[j] = side ? delta : -delta;
      NsMbMove(self, q, 1, step, x);
    }
    NsMbForce(self, t, of_velocity ? q : x, of_velocity ? x : v, h[side]);
  }
  for (PetscInt i = 0; i < n; i++) A[i * n + j] -= weight * (h[1][i] - h[0][i]) / (2 * delta);
}

/* P A = L U in place, rows; a singular A gives values that are not finite, at which the guard of the time loop stops. */
static void decompose(PetscInt n, PetscReal *A, PetscInt *pivot)
{
  for (PetscInt k = 0; k < n; k++) {
    PetscInt best = k;
    for (PetscInt i = k + 1; i < n; i++) best = PetscAbsReal(A[i * n + k]) > PetscAbsReal(A[best * n + k]) ? i : best;
    pivot[k] = best;
    for (PetscInt j = 0; j < n && best != k; j++) {
      const PetscReal a = A[k * n + j];
      A[k * n + j]      = A[best * n + j];
      A[best * n + j]   = a;
    }
    for (PetscInt i = k + 1; i < n; i++) {
      const PetscReal factor = A[i * n + k] / A[k * n + k];
      A[i * n + k]           = factor;
      if (factor == 0) continue;
      for (PetscInt j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
    }
  }
}

PetscErrorCode NsMbFactor(NsMultibody *self, PetscInt slot, PetscReal t, const PetscReal *q, const PetscReal *v, NsOperator op)
{
  NsMbOperator   *o        = &self->slot[slot];
  const PetscInt  n        = self->unknowns;
  const PetscBool tangents = (op.damping != 0 || op.stiffness != 0) && self->tangents;
  const PetscBool same     = o->ready && o->op.mass == op.mass && o->op.damping == op.damping && o->op.stiffness == op.stiffness;

  PetscFunctionBegin;
  if (same && !tangents) PetscFunctionReturn(0);
  o->op       = op;
  o->ready    = PETSC_TRUE;
  o->diagonal = !tangents;
  for (PetscInt i = 0; i < n && o->diagonal; i++) o->inverse[i] = 1 / (op.mass * self->M[i]);
  if (o->diagonal) PetscFunctionReturn(0);
  if (!o->LU) { /* at set-up: schemes factor before their first step */
    o->LU    = NsArenaAlloc(self->arena, sizeof(*o->LU) * (size_t)n * (size_t)n);
    o->pivot = NsArenaAlloc(self->arena, sizeof(*o->pivot) * (size_t)n);
  }
  memset(o->LU, 0, sizeof(*o->LU) * (size_t)n * (size_t)n);
  for (PetscInt i = 0; i < n; i++) o->LU[i * n + i] = op.mass * self->M[i];
  for (PetscInt j = 0; j < n; j++) {
    if (op.stiffness != 0) add_column(self, t, q, v, PETSC_FALSE, j, op.stiffness, o->LU);
    if (op.damping != 0) add_column(self, t, q, v, PETSC_TRUE, j, op.damping, o->LU);
  }
  for (PetscInt b = 0; b < self->bodies && !self->body[b].planar; b++) { /* nothing moves the number beside p0 */
    const PetscInt i = self->body[b].first + 3;
    for (PetscInt j = 0; j < n; j++) o->LU[i * n + j] = o->LU[j * n + i] = 0;
    o->LU[i * n + i] = 1;
  }
  decompose(n, o->LU, o->pivot);
  PetscFunctionReturn(0);
}

void NsMbSolve(const NsMultibody *self, PetscInt slot, const PetscReal *b, PetscReal *x)
{
  const NsMbOperator *o = &self->slot[slot];
  const PetscInt      n = self->unknowns;

  if (o->diagonal) {
    for (PetscInt i = 0; i < n; i++) x[i] = o->inverse[i] * b[i];
    return;
  }
  if (x != b) memcpy(x, b, sizeof(*x) * (size_t)n);
  for (PetscInt k = 0; k < n; k++) {
    const PetscReal a = x[k];
    x[k]              = x[o->pivot[k]];
    x[o->pivot[k]]    = a;
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < i; j++) x[i] -= o->LU[i * n + j] * x[j];
  }
  for (PetscInt i = n - 1; i >= 0; i--) {
    for (PetscInt j = i + 1; j < n; j++) x[i] -= o->LU[i * n + j] * x[j];
    x[i] /= o->LU[i * n + i];
  }
}
