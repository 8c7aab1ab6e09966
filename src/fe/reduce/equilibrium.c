/*
  The equilibrium of the reduced model for `start: static`:

      K x = f + W lambda,     W'x = W'q       of contacts that are closed in the whole model's equilibrium q

  with f, the loads on the coordinates, and W, which acts on the boundary alone. lambda begins as the whole model's forces, and changes by as much as the reduced flexibility differs from the whole one. A load
  that takes no part in the static solution (an unbalance) is what is left of the whole model's forces at q beside W lambda.
*/
#include "reduce.h"

/* W[boundary, rows] and lambda[rows] of what is closed in the whole model's equilibrium q: normals, and the tangents of friction and ties. */
static PetscErrorCode find_closed(const NsFeReduced *self, const NsModel *model, Vec q, PetscInt *rows, PetscReal *W, PetscReal *lambda)
{
  const NsFe *fe = self->whole->data;
  PetscInt   *closed, count = 0;
  NsRows      all;

  PetscFunctionBegin;
  *rows = 0;
  PetscCall(NsRowsCreate(self->whole, &all));
  PetscCall(PetscMalloc1(model->candidates, &closed));
  for (PetscInt i = 0; i < model->candidates; i++) {
    if (fe->rest_force[i][0] != 0 || fe->rest_force[i][1] != 0 || fe->rest_force[i][2] != 0) closed[count++] = i;
  }
  PetscCall(self->whole->contact.rows(self->whole, 0, q, count, closed, &all));
  for (PetscInt c = 0; c < count; c++) {
    for (PetscInt r = all.start[c]; r < all.start[c + 1]; r++) {
      const PetscReal size = fe->rest_force[closed[c]][r - all.start[c]];
      if (size == 0) continue;
      PetscReal *column = W + (size_t)*rows * (size_t)self->boundary;
      PetscCall(PetscArrayzero(column, self->boundary));
      for (PetscInt k = all.first[r]; k < all.first[r + 1]; k++) column[model->touch[all.touch[k]]] += all.value[k];
      lambda[(*rows)++] = size;
    }
  }
  PetscCall(PetscFree(closed));
  PetscCall(NsRowsDestroy(&all));
  PetscFunctionReturn(0);
}

/* x += K^-1 W dlambda, W'x = W'q; inverse: K^-1. Redundant contacts: x stays as it is. */
static PetscErrorCode meet_closed(
  const NsFeReduced *self, PetscInt rows, const PetscReal *W, const PetscReal *inverse, const PetscReal *q, PetscReal *x)
{
  const PetscInt b = self->boundary, n = self->n;
  PetscReal     *KW, *S, *off, *change;
  PetscInt       at;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4((size_t)n * (size_t)rows, &KW, NsSquare(rows), &S, (size_t)rows, &off, (size_t)rows, &change));
  for (PetscInt r = 0; r < rows; r++) {
    const PetscReal *w = W + (size_t)r * (size_t)b;
    PetscReal       *y = KW + (size_t)r * (size_t)n;
    NsDenseAdd(n, b, inverse, 1, w, y);
    for (PetscInt s = 0; s < rows; s++) S[r * rows + s] = NsDenseDot(b, W + (size_t)s * (size_t)b, y);
    off[r] = NsDenseDot(b, w, q) - NsDenseDot(b, w, x);
  }
  if (rows && NsDenseInvert(rows, S, &at)) {
    NsDenseAdd(rows, rows, S, 1, off, change);
    NsDenseAdd(n, rows, KW, 1, change, x);
  }
  PetscCall(PetscFree4(KW, S, off, change));
  PetscFunctionReturn(0);
}

/* h of the whole model at rest at q, in natural numbers, into self->full. */
static PetscErrorCode whole_force(NsFeReduced *self, Vec q)
{
  PetscFunctionBegin;
  PetscCall(NsModelForce(self->whole, 0, q, self->v, self->a));
  const PetscReal *h = NsVecRead(self->a);
  for (PetscInt i = 0; i < self->natural; i++) self->full[i] = h[NsLayoutIndex(self->whole->layout, i)];
  PetscFunctionReturn(0);
}

PetscErrorCode NsReduceEquilibrium(NsModel *model, Vec q, Vec x)
{
  NsFeReduced   *self = model->data;
  const NsFe    *fe   = self->whole->data;
  const PetscInt n = self->n, b = self->boundary;
  PetscInt       rows = 0, room = 0, at;
  PetscReal     *K, *W, *lambda, *there;
  Vec            zero, f;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < model->candidates && fe->rest_force; i++) {
    for (int r = 0; r < 3; r++) room += fe->rest_force[i][r] != 0;
  }
  PetscCall(PetscMalloc4(NsSquare(n), &K, (size_t)b * (size_t)room, &W, room, &lambda, b, &there));
  PetscCall(PetscArraycpy(K, self->K, n * n));
  if (NsDenseInvert(n, K, &at)) {
    if (room) PetscCall(find_closed(self, model, q, &rows, W, lambda));
    PetscCall(NsVecsCreate(model, &zero, &f, NULL));
    PetscCall(VecZeroEntries(zero));
    PetscCall(NsModelForce(model, 0, zero, zero, f));
    PetscReal *force = NsVecArray(f);
    PetscCall(whole_force(self, q));
    for (PetscInt r = 0; r < rows; r++) {
      for (PetscInt i = 0; i < b; i++) {
        const PetscReal push = W[r * b + i] * lambda[r];
        self->full[self->unknown[i]] += push;
        force[i] += push;
      }
    }
    for (PetscInt j = 0; j < n; j++) force[j] -= NsDenseDot(self->natural, self->T + (size_t)j * (size_t)self->natural, self->full);
    PetscCall(VecZeroEntries(x));
    NsDenseAdd(n, n, K, 1, force, NsVecArray(x));
    for (PetscInt i = 0; i < b; i++) there[i] = NsVecRead(q)[NsLayoutIndex(self->whole->layout, self->unknown[i])];
    PetscCall(meet_closed(self, rows, W, K, there, NsVecArray(x)));
    PetscCall(NsVecsDestroy(&zero, &f, NULL));
  }
  PetscCall(PetscFree4(K, W, lambda, there));
  PetscFunctionReturn(0);
}
