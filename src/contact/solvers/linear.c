/*
  (I + D G) x = r.

      G dense          LU of the rows of contacts with D_c != 0 (LAPACK); the others are x = r
      G = U Y, sparse  x = r - D U z,   (I + Y D U) z = Y r       as large as the unknowns of the bodies, not the contacts, and sparse: fronts.c

      G = U A^-1 Y     x = r - D U z,   (A + Y D U) z = Y r       as narrow a band as A's: band.c

  The second (Woodbury's identity) loses digits as D G grows, and fronts.c pivots where it can only: iterative refinement by r - x - D G x gives them back. The identity in the middle
  makes it regular for singular C and G alike.
*/
#include "band.h"
#include "fronts.h"
#include "linear.h"
#include <petscblaslapack.h>

struct NsLocalLinear {
  NsFronts     *fronts;
  PetscInt      contacts, unknowns; /* of the pattern that is analysed */
  PetscInt     *first, *at;         /* its copy: first of U and Y one after the other, and so at */
  PetscInt      rooms[2];
  PetscInt      rows, active; /* rows: room; active: rows with D */
  PetscReal    *D, *K;        /* [9 contacts]; an element, or D_c U_c */
  PetscInt      room_K;
  PetscReal    *z, *x, *w; /* [unknowns], [rows] */
  PetscInt      room_z, room_D;
  PetscReal    *zeros; /* z begins behind them: with a band */
  PetscReal    *B;     /* A + Y D U */
  PetscInt      room_B;
  PetscReal    *J; /* [active, active] the transpose, for LAPACK */
  PetscInt64    room_J;
  PetscInt     *index; /* [active] rows */
  PetscBLASInt *swap;
};

PetscErrorCode NsLocalLinearDestroy(NsLocalLinear **result)
{
  NsLocalLinear *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(NsFrontsDestroy(&self->fronts));
  PetscCall(PetscFree(self->first));
  PetscCall(PetscFree(self->at));
  PetscCall(PetscFree(self->D));
  PetscCall(PetscFree(self->K));
  PetscCall(PetscFree(self->zeros));
  PetscCall(PetscFree(self->B));
  PetscCall(PetscFree(self->J));
  PetscCall(PetscFree4(self->x, self->w, self->index, self->swap));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

/* Room for `size` numbers of one kind. */
#define REALLOCATE(size, room, array) \
  do { \
    if ((size) > (room)) { \
      PetscCall(PetscFree(array)); \
      PetscCall(PetscMalloc1((size_t)((size) + (size) / 4), &(array))); \
      (room) = (size) + (size) / 4; \
    } \
  } while (0)

/* Room for dense problems, and for what all have. */
static PetscErrorCode make_room(NsLocalLinear *self, PetscInt contacts, PetscInt rows)
{
  PetscFunctionBegin;
  if (rows > self->rows) {
    self->rows = rows + rows / 4;
    PetscCall(PetscFree4(self->x, self->w, self->index, self->swap));
    PetscCall(PetscMalloc4(self->rows, &self->x, self->rows, &self->w, self->rows, &self->index, self->rows, &self->swap));
  }
  REALLOCATE(9 * contacts, self->room_D, self->D);
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalLinearCreate(PetscInt contacts, PetscInt rows, NsLocalLinear **linear)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(linear));
  PetscCall(NsFrontsCreate(&(*linear)->fronts));
  PetscCall(make_room(*linear, contacts, rows));
  REALLOCATE((PetscInt64)rows * rows, (*linear)->room_J, (*linear)->J);
  PetscFunctionReturn(0);
}

/* Whether the pattern is that of the last problem; else it is copied. */
static PetscErrorCode compare_pattern(NsLocalLinear *self, const NsLocalProblem *p, PetscBool *same)
{
  const NsLocalBlocks *U = &p->sparse->U, *Y = &p->sparse->Y;
  const PetscInt       n = p->contacts + 1, u = U->first[p->contacts], y = Y->first[p->contacts];

  PetscFunctionBegin;
  *same = self->contacts == p->contacts && self->unknowns == p->sparse->unknowns;
  if (*same) PetscCall(PetscArraycmp(self->first, U->first, n, same));
  if (*same) PetscCall(PetscArraycmp(self->first + n, Y->first, n, same));
  if (*same) PetscCall(PetscArraycmp(self->at, U->at, u, same));
  if (*same) PetscCall(PetscArraycmp(self->at + u, Y->at, y, same));
  if (*same) PetscFunctionReturn(0);
  REALLOCATE(2 * n, self->rooms[0], self->first);
  REALLOCATE(u + y + 1, self->rooms[1], self->at);
  PetscCall(PetscArraycpy(self->first, U->first, n));
  PetscCall(PetscArraycpy(self->first + n, Y->first, n));
  PetscCall(PetscArraycpy(self->at, U->at, u));
  PetscCall(PetscArraycpy(self->at + u, Y->at, y));
  self->contacts = p->contacts;
  self->unknowns = p->sparse->unknowns;
  PetscFunctionReturn(0);
}

/* Room for z with so many zeros before and after it. */
static PetscErrorCode make_room_z(NsLocalLinear *self, PetscInt unknowns, PetscInt half)
{
  PetscFunctionBegin;
  REALLOCATE(unknowns + 2 * half, self->room_z, self->zeros);
  self->z = self->zeros + half;
  for (PetscInt k = 0; k < half; k++) self->zeros[k] = self->z[unknowns + k] = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalLinearPrepare(NsLocalLinear *self, const NsLocalProblem *p)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(make_room(self, p->contacts, p->rows));
  if (!p->sparse) PetscFunctionReturn(0);
  PetscCall(make_room_z(self, p->sparse->unknowns, p->sparse->band ? p->sparse->band->half : 0));
  if (p->sparse->band) {
    REALLOCATE((p->sparse->unknowns + p->sparse->band->half) * NsBandWidth(p->sparse->band->half), self->room_B, self->B);
    PetscFunctionReturn(0);
  }
  PetscCall(compare_pattern(self, p, &same));
  if (same) PetscFunctionReturn(0);
  const PetscInt       n = p->contacts + 1;
  const NsLocalBlocks *U = &p->sparse->U, *Y = &p->sparse->Y;
  PetscInt             most = 0;
  for (PetscInt c = 0; c < p->contacts; c++) most = PetscMax(most, (U->first[c + 1] - U->first[c]) * (Y->first[c + 1] - Y->first[c] + 3));
  REALLOCATE(most, self->room_K, self->K);
  PetscCall(NsFrontsAnalyse(
    self->fronts, &(NsFrontsPattern){self->unknowns, p->contacts, self->first + n, self->at + U->first[p->contacts], self->first, self->at}));
  PetscFunctionReturn(0);
}

/* ---- dense ------------------------------------------------------------------------------------------------------------------------------------ */

/* J = I + D G of the rows with D, row after row. */
static PetscErrorCode factor_dense(NsLocalLinear *self, const NsLocalProblem *p)
{
  PetscBLASInt   info;
  const PetscInt n = p->rows;

  PetscFunctionBegin;
  self->active = 0;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt m    = p->start[c + 1] - p->start[c];
    PetscBool      some = PETSC_FALSE;
    for (PetscInt k = 0; k < m * m; k++) some = some || self->D[9 * c + k] != 0;
    for (PetscInt k = p->start[c]; k < p->start[c + 1] && some; k++) self->index[self->active++] = k;
  }
  const PetscInt active = self->active;
  REALLOCATE((PetscInt64)active * active, self->room_J, self->J);
  PetscReal *row = self->J;
  for (PetscInt c = 0, a = 0; c < p->contacts && a < active; c++) {
    const PetscInt first = p->start[c], m = p->start[c + 1] - first;
    if (self->index[a] != first) continue;
    for (PetscInt i = 0; i < m; i++, a++, row += active) {
      for (PetscInt b = 0; b < active; b++) row[b] = 0;
      for (PetscInt l = 0; l < m; l++) {
        const PetscReal  d    = self->D[9 * c + i * m + l] * (p->scale ? p->scale[first + l] : 1);
        const PetscReal *from = p->G + (PetscInt64)(first + l) * n;
        for (PetscInt b = 0; b < active && d != 0; b++) row[b] += d * from[self->index[b]];
      }
      for (PetscInt b = 0; b < active && p->scale; b++) row[b] *= p->scale[self->index[b]];
      row[a] += 1;
    }
  }
  PetscBLASInt size = (PetscBLASInt)active;
  if (size) PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&size, &size, self->J, &size, self->swap, &info));
  for (PetscInt k = 0; k < active; k++) { /* singular: a large correction, which the caller judges */
    if (self->J[(PetscInt64)k * active + k] == 0) self->J[(PetscInt64)k * active + k] = PETSC_SMALL;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_dense(NsLocalLinear *self, const NsLocalProblem *p, const PetscReal *r, PetscReal *x)
{
  PetscBLASInt size = (PetscBLASInt)self->active, one = 1, info;

  PetscFunctionBegin;
  if (self->active < p->rows) { /* w = G of the rows without D */
    for (PetscInt k = 0; k < p->rows; k++) x[k] = r[k];
    for (PetscInt a = 0; a < self->active; a++) x[self->index[a]] = 0;
    NsLocalVelocities(p, x, self->w);
    for (PetscInt k = 0; k < p->rows; k++) self->w[k] -= p->b[k];
  } else {
    for (PetscInt k = 0; k < p->rows; k++) self->w[k] = 0;
  }
  for (PetscInt c = 0, a = 0; c < p->contacts; c++) {
    const PetscInt first = p->start[c], m = p->start[c + 1] - first;
    if (a == self->active || self->index[a] != first) continue;
    for (PetscInt i = 0; i < m; i++, a++) {
      self->x[a] = r[first + i];
      for (PetscInt l = 0; l < m; l++) self->x[a] -= self->D[9 * c + i * m + l] * self->w[first + l];
    }
  }
  if (size) PetscCallBLAS("LAPACKgetrs", LAPACKgetrs_("T", &size, &one, self->J, &size, self->swap, self->x, &size, &info));
  for (PetscInt k = 0; k < p->rows; k++) x[k] = r[k];
  for (PetscInt a = 0; a < self->active; a++) x[self->index[a]] = self->x[a];
  PetscFunctionReturn(0);
}

/* ---- sparse ----------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode factor_sparse(NsLocalLinear *self, const NsLocalProblem *p)
{
  const NsLocalBlocks *U = &p->sparse->U, *Y = &p->sparse->Y;

  PetscFunctionBegin;
  NsFrontsClear(self->fronts);
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   m = p->start[c + 1] - p->start[c], columns = U->first[c + 1] - U->first[c], rows = Y->first[c + 1] - Y->first[c];
    const PetscReal *u = U->value + U->place[c], *y = Y->value + Y->place[c], *D = self->D + 9 * c;
    PetscReal       *DU = self->K, *K = self->K + m * columns;
    PetscBool        some = PETSC_FALSE;
    for (PetscInt k = 0; k < m * m; k++) some = some || D[k] != 0;
    if (!some) continue;
    for (PetscInt i = 0; i < m; i++) {
      for (PetscInt j = 0; j < columns; j++) DU[i * columns + j] = D[i * m] * u[j];
      for (PetscInt l = 1; l < m; l++) {
        for (PetscInt j = 0; j < columns; j++) DU[i * columns + j] += D[i * m + l] * u[l * columns + j];
      }
    }
    for (PetscInt i = 0; i < rows; i++) {
      for (PetscInt j = 0; j < columns; j++) K[i * columns + j] = y[i] * DU[j];
      for (PetscInt l = 1; l < m; l++) {
        for (PetscInt j = 0; j < columns; j++) K[i * columns + j] += y[l * rows + i] * DU[l * columns + j];
      }
    }
    NsFrontsAdd(self->fronts, c, K);
  }
  PetscCall(NsFrontsFactor(self->fronts));
  PetscFunctionReturn(0);
}

static void factor_band(NsLocalLinear *self, const NsLocalProblem *p)
{
  const NsLocalBlocks *U = &p->sparse->U, *Y = &p->sparse->Y;
  const NsLocalBand   *band  = p->sparse->band;
  const PetscInt       width = NsBandWidth(band->half), size = band->n * width;

  for (PetscInt k = 0; k < size; k++) self->B[k] = band->A[k];
  for (PetscInt k = size; k < size + band->half * width; k++) self->B[k] = 0;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   m = p->start[c + 1] - p->start[c], columns = U->first[c + 1] - U->first[c], rows = Y->first[c + 1] - Y->first[c];
    const PetscInt  *a = Y->at + Y->first[c], *b = U->at + U->first[c];
    const PetscReal *u = U->value + U->place[c], *y = Y->value + Y->place[c], *D = self->D + 9 * c;
    for (PetscInt i = 0; i < rows; i++) {
      PetscReal *row = self->B + (PetscInt64)a[i] * width + band->half - a[i];
      for (PetscInt k = 0; k < m; k++) {
        for (PetscInt l = 0; l < m; l++) {
          const PetscReal d = y[k * rows + i] * D[k * m + l];
          for (PetscInt j = 0; j < columns && d != 0; j++) row[b[j]] += d * u[l * columns + j];
        }
      }
    }
  }
  NsBandLU(band->n, band->half, band->A, self->B);
}

/* z <- A^-1 z, where there is an A */
static void solve_own(const NsLocalBand *band, PetscReal *z)
{
  if (band) NsBandBack(band->n, band->half, band->factor, z);
}

/* z <- (I + Y D U)^-1 z, or (A + Y D U)^-1 z */
static PetscErrorCode solve_with(NsLocalLinear *self, const NsLocalBand *band, PetscReal *z)
{
  PetscFunctionBegin;
  if (band)
    NsBandBack(band->n, band->half, self->B, z);
  else
    PetscCall(NsFrontsSolve(self->fronts, z));
  PetscFunctionReturn(0);
}

/* z = Y x */
static void gather(const NsLocalProblem *p, const PetscReal *x, PetscReal *z)
{
  const NsLocalBlocks *Y = &p->sparse->Y;

  for (PetscInt u = 0; u < p->sparse->unknowns; u++) z[u] = 0;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   width = Y->first[c + 1] - Y->first[c], *at = Y->at + Y->first[c];
    const PetscReal *value = Y->value + Y->place[c];
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++, value += width) { NsLocalScatter(width, at, value, x[k], z); }
  }
}

/* x = r - D U z, or x = r - y - D U z */
static void spread(const NsLocalLinear *self, const NsLocalProblem *p, const PetscReal *z, const PetscReal *r, const PetscReal *y, PetscReal *x)
{
  const NsLocalBlocks *U = &p->sparse->U;

  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   first = p->start[c], m = p->start[c + 1] - first, width = U->first[c + 1] - U->first[c], *at = U->at + U->first[c];
    const PetscReal *value = U->value + U->place[c], *D = self->D + 9 * c;
    PetscReal        u[3] = {0};
    for (PetscInt i = 0; i < m; i++) {
      for (PetscInt j = 0; j < width; j++) u[i] += value[i * width + j] * z[at[j]];
    }
    for (PetscInt i = 0; i < m; i++) {
      PetscReal sum = r[first + i] - (y ? y[first + i] : 0);
      for (PetscInt l = 0; l < m; l++) sum -= D[i * m + l] * u[l];
      x[first + i] = sum;
    }
  }
}

static PetscErrorCode solve_sparse(NsLocalLinear *self, const NsLocalProblem *p, PetscInt refine, const PetscReal *r, PetscReal *x)
{
  const NsLocalBand *band = p->sparse->band;

  PetscFunctionBegin;
  gather(p, r, self->z);
  PetscCall(solve_with(self, band, self->z));
  spread(self, p, self->z, r, NULL, x);
  for (PetscInt i = 0; i < refine; i++) {
    gather(p, x, self->z);
    solve_own(band, self->z);
    spread(self, p, self->z, r, x, self->w); /* what is left */
    gather(p, self->w, self->z);
    PetscCall(solve_with(self, band, self->z));
    spread(self, p, self->z, self->w, NULL, self->x);
    for (PetscInt k = 0; k < p->rows; k++) x[k] += self->x[k];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalLinearFactor(NsLocalLinear *self, const NsLocalProblem *p, const PetscReal *D)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(self->D, D, 9 * p->contacts));
  if (p->sparse && p->sparse->band)
    factor_band(self, p);
  else
    PetscCall(p->sparse ? factor_sparse(self, p) : factor_dense(self, p));
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalLinearSolve(NsLocalLinear *self, const NsLocalProblem *p, PetscInt refine, const PetscReal *r, PetscReal *x)
{
  PetscFunctionBegin;
  PetscCall(p->sparse ? solve_sparse(self, p, refine, r, x) : solve_dense(self, p, r, x));
  PetscFunctionReturn(0);
}
