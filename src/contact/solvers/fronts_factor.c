/*
  Numbers of the multifrontal method (fronts.c): of each front, whose pivots come first,

      F11 = P L U with pivots from F11 alone,  F12 <- L^-1 P' F12,  F21 <- F21 U^-1,  F22 <- F22 - F21 F12, and F22 is added to the front above: LAPACK and BLAS 3

  Pivots are not sought outside of a front: where one vanishes it is replaced, and the caller refines (linear.c).
*/
#include "fronts_private.h"

#define NS_VANISHING 1e-14 /* of the largest number of a front's pivots */

void NsFrontsClear(NsFronts *self)
{
  for (PetscInt64 k = 0; k < self->size; k++) self->value[k] = 0;
  for (PetscInt s = 0; s < self->fronts; s++) {
    for (PetscInt k = 0; k < self->front[s].pivots; k++) self->value[self->front[s].at + k * ((PetscInt64)self->front[s].rows + 1)] = 1;
  }
}

void NsFrontsAdd(NsFronts *self, PetscInt element, const PetscReal *K)
{
  const PetscInt width = self->width[element];

  for (PetscInt b = self->block_first[element]; b < self->block_first[element + 1]; b++) {
    const Block     *block = &self->block[b];
    const PetscReal *from  = K + block->row * width + block->column;
    for (PetscInt j = 0; j < block->columns; j++) {
      PetscReal *to = self->value + block->at + (PetscInt64)j * block->lead;
      for (PetscInt i = 0; i < block->rows; i++) to[i] += from[i * width + j];
    }
  }
}

/* F11 = P L U in place; vanishing pivots are replaced. */
static PetscErrorCode factor_pivots(PetscInt pivots, PetscInt rows, PetscReal *F, PetscBLASInt *swap)
{
  PetscBLASInt p = (PetscBLASInt)pivots, lead = (PetscBLASInt)rows, info;
  PetscReal    scale = 0;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < pivots; j++) {
    for (PetscInt i = 0; i < pivots; i++) scale = PetscMax(scale, PetscAbsReal(F[i + (PetscInt64)j * rows]));
  }
  PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&p, &p, F, &lead, swap, &info));
  PetscCheck(info >= 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dgetrf");
  for (PetscInt k = 0; k < pivots; k++) {
    PetscReal *pivot = F + k * ((PetscInt64)rows + 1);
    if (PetscAbsReal(*pivot) <= NS_VANISHING * scale) *pivot = *pivot < 0 ? -scale : scale > 0 ? scale : 1;
  }
  PetscFunctionReturn(0);
}

/* x <- P' x */
static void exchange(PetscInt pivots, const PetscBLASInt *swap, PetscReal *x)
{
  for (PetscInt k = 0; k < pivots; k++) {
    const PetscReal t = x[k];
    x[k]              = x[swap[k] - 1];
    x[swap[k] - 1]    = t;
  }
}

/* F22 of a front into the one above. */
static void hand_up(NsFronts *self, const Front *front)
{
  const Front     *above = &self->front[front->parent];
  const PetscReal *from  = self->value + front->at;
  PetscReal       *to    = self->value + above->at;
  const PetscInt  *place = self->to + front->index;

  for (PetscInt j = front->pivots; j < front->rows; j++) {
    const PetscReal *column = from + (PetscInt64)j * front->rows;
    PetscReal       *into   = to + (PetscInt64)place[j] * above->rows;
    for (PetscInt i = front->pivots; i < front->rows; i++) into[place[i]] += column[i];
  }
}

PetscErrorCode NsFrontsFactor(NsFronts *self)
{
  const PetscReal one = 1, minus_one = -1;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < self->fronts; s++) {
    const Front       *front = &self->front[s];
    const PetscBLASInt p = (PetscBLASInt)front->pivots, lead = (PetscBLASInt)front->rows, rest = lead - p;
    PetscReal         *F11 = self->value + front->at, *F21 = F11 + p, *F12 = F11 + (PetscInt64)p * lead, *F22 = F12 + p;
    PetscBLASInt      *swap = self->swap + front->first;
    PetscCall(factor_pivots(p, lead, F11, swap));
    if (rest == 0) continue;
    for (PetscBLASInt j = 0; j < rest; j++) exchange(p, swap, F12 + (PetscInt64)j * lead);
    PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "L", "N", "U", &p, &rest, &one, F11, &lead, F12, &lead));
    PetscCallBLAS("BLAStrsm", BLAStrsm_("R", "U", "N", "N", &rest, &p, &one, F11, &lead, F21, &lead));
    PetscCallBLAS("BLASgemm", BLASgemm_("N", "N", &rest, &rest, &p, &minus_one, F21, &lead, F12, &lead, &one, F22, &lead));
    hand_up(self, front);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFrontsSolve(NsFronts *self, PetscReal *x)
{
  PetscReal *y = self->x, *rest = self->x + self->unknowns;

  PetscFunctionBegin;
  for (PetscInt u = 0; u < self->unknowns; u++) y[self->number[u]] = x[u];
  for (PetscInt s = 0; s < self->fronts; s++) {
    const Front     *front = &self->front[s];
    const PetscInt   p = front->pivots, lead = front->rows, *row = self->row + front->index;
    const PetscReal *F   = self->value + front->at;
    PetscReal       *own = y + front->first;
    exchange(p, self->swap + front->first, own);
    for (PetscInt i = p; i < lead; i++) rest[i] = 0;
    for (PetscInt j = 0; j < p; j++) {
      const PetscReal *column = F + (PetscInt64)j * lead, t = own[j];
      for (PetscInt i = j + 1; i < p; i++) own[i] -= t * column[i];
      for (PetscInt i = p; i < lead; i++) rest[i] += t * column[i];
    }
    for (PetscInt i = p; i < lead; i++) y[row[i]] -= rest[i];
  }
  for (PetscInt s = self->fronts - 1; s >= 0; s--) {
    const Front     *front = &self->front[s];
    const PetscInt   p = front->pivots, lead = front->rows, *row = self->row + front->index;
    const PetscReal *F   = self->value + front->at;
    PetscReal       *own = y + front->first;
    for (PetscInt j = lead - 1; j >= p; j--) {
      const PetscReal *column = F + (PetscInt64)j * lead, t = y[row[j]];
      for (PetscInt i = 0; i < p; i++) own[i] -= t * column[i];
    }
    for (PetscInt j = p - 1; j >= 0; j--) {
      const PetscReal *column = F + (PetscInt64)j * lead;
      own[j] /= column[j];
      for (PetscInt i = 0; i < j; i++) own[i] -= own[j] * column[i];
    }
  }
  for (PetscInt u = 0; u < self->unknowns; u++) x[u] = y[self->number[u]];
  PetscFunctionReturn(0);
}
