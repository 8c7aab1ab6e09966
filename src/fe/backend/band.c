#include "band.h"

PetscErrorCode NsProfileCreate(PetscInt matrices, const NsSparse *const *matrix, NsProfile *profile)
{
  const PetscInt n = matrix[0]->rows;

  PetscFunctionBegin;
  profile->n = n;
  PetscCall(PetscMalloc3(n, &profile->low, n, &profile->high, n + 1, &profile->start));
  for (PetscInt i = 0; i < n; i++) profile->low[i] = profile->high[i] = i;
  for (PetscInt m = 0; m < matrices; m++) {
    for (PetscInt i = 0; i < matrix[m]->rows; i++) {
      profile->low[i]  = PetscMin(profile->low[i], matrix[m]->column[matrix[m]->start[i]]);
      profile->high[i] = PetscMax(profile->high[i], matrix[m]->column[matrix[m]->start[i + 1] - 1]);
    }
  }
  profile->start[0] = 0;
  for (PetscInt i = 0; i < n; i++) profile->start[i + 1] = profile->start[i] + profile->high[i] - profile->low[i] + 1;
  profile->entries = profile->start[n];
  PetscFunctionReturn(0);
}

PetscErrorCode NsProfileDestroy(NsProfile *profile)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(profile->low, profile->high, profile->start));
  PetscFunctionReturn(0);
}

PetscErrorCode NsProfileTake(const NsProfile *profile, const NsSparse *matrix, PetscReal **value)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(profile->entries, value));
  for (PetscInt i = 0; i < profile->n; i++) {
    PetscReal *row = *value + profile->start[i] - profile->low[i];
    for (PetscInt k = matrix->start[i]; k < matrix->start[i + 1]; k++) row[matrix->column[k]] = matrix->value[k];
  }
  PetscFunctionReturn(0);
}

/* Four sums side by side, so that no product waits for the sum before. Rows of a bar have three entries: no loop. */
static inline PetscReal row_product(PetscInt n, const PetscReal *restrict a, const PetscReal *restrict x)
{
  PetscReal s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  PetscInt  k = 0;

  if (n == 3) return a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
  for (; k + 4 <= n; k += 4) {
    s0 += a[k] * x[k];
    s1 += a[k + 1] * x[k + 1];
    s2 += a[k + 2] * x[k + 2];
    s3 += a[k + 3] * x[k + 3];
  }
  for (; k < n; k++) s0 += a[k] * x[k];
  return (s0 + s1) + (s2 + s3);
}

void NsBandMult(const NsProfile *p, const PetscReal *A, const PetscReal *x, PetscReal *y)
{
  for (PetscInt i = 0; i < p->n; i++) y[i] = row_product(p->start[i + 1] - p->start[i], A + p->start[i], x + p->low[i]);
}

PetscReal NsBandProduct(const NsProfile *p, const PetscReal *A, PetscInt first, PetscInt end, const PetscReal *x, const PetscReal *y)
{
  PetscReal sum = 0;

  for (PetscInt i = first; i < end; i++) sum += x[i] * row_product(p->start[i + 1] - p->start[i], A + p->start[i], y + p->low[i]);
  return sum;
}

void NsBandForce(const NsProfile *p, const PetscReal *K, const PetscReal *C, const PetscReal *q, const PetscReal *v, PetscReal *h)
{
  for (PetscInt i = 0; i < p->n; i++) {
    const PetscInt at = p->start[i], n = p->start[i + 1] - at, low = p->low[i];
    PetscReal      sum = row_product(n, K + at, q + low);
    if (C) sum += row_product(n, C + at, v + low);
    h[i] -= sum;
  }
}

PetscErrorCode NsBandFactorCreate(const NsProfile *profile, NsBandFactor *factor)
{
  const PetscInt n = profile->n;

  PetscFunctionBegin;
  factor->profile = profile;
  PetscCall(PetscMalloc4(n + 1, &factor->row_start, n, &factor->last, n + 1, &factor->column_start, n, &factor->inverse));
  factor->row_start[0] = factor->column_start[0] = 0;
  for (PetscInt i = 0; i < n; i++) factor->last[i] = i;
  for (PetscInt i = 0; i < n; i++) {
    factor->row_start[i + 1]      = factor->row_start[i] + i - profile->low[i];
    factor->last[profile->low[i]] = i; /* rows ascend, so the last row that begins here remains; all columns of a row fill in */
  }
  for (PetscInt j = 1; j < n; j++) factor->last[j] = PetscMax(PetscMax(factor->last[j], j), factor->last[j - 1]);
  for (PetscInt j = 0; j < n; j++) factor->column_start[j + 1] = factor->column_start[j] + factor->last[j] - j;
  PetscCall(
    PetscMalloc2(factor->row_start[n] + 1, &factor->row, factor->column_start[n] + 1, &factor->column)); /* not empty for a diagonal matrix either */
  PetscFunctionReturn(0);
}

PetscErrorCode NsBandFactorDestroy(NsBandFactor *factor)
{
  PetscFunctionBegin;
  if (!factor->profile) PetscFunctionReturn(0);
  PetscCall(PetscFree4(factor->row_start, factor->last, factor->column_start, factor->inverse));
  PetscCall(PetscFree2(factor->row, factor->column));
  factor->profile = NULL;
  PetscFunctionReturn(0);
}

/* Row by row: with y_ij = L_ij D_j,  y_ij = A_ij - sum_k<j y_ik L_jk,  D_i = A_ii - sum_k y_ik L_ik. */
PetscBool NsBandFactorize(NsBandFactor *f, const PetscReal *A)
{
  const NsProfile *p = f->profile;

  for (PetscInt i = 0; i < p->n; i++) {
    const PetscInt low = p->low[i], at = p->start[i] - low, own = f->row_start[i] - low; /* A_ij is A[at + j], y_ij row[own + j] */
    PetscReal      d = A[at + i];
    for (PetscInt j = low; j < i; j++) {
      const PetscInt from = PetscMax(low, p->low[j]);
      f->row[own + j]     = A[at + j] - (from < j ? row_product(j - from, f->row + own + from, f->row + f->row_start[j] + from - p->low[j]) : 0);
    }
    for (PetscInt j = low; j < i; j++) {
      const PetscReal y = f->row[own + j];
      f->row[own + j]   = y * f->inverse[j];
      d -= y * f->row[own + j];
    }
    if (!(d > 0)) return PETSC_FALSE;
    f->inverse[i] = 1 / d;
  }
  for (PetscInt i = 0; i < p->n; i++) {
    for (PetscInt j = p->low[i]; j < i; j++) f->column[f->column_start[j] + i - j - 1] = f->row[f->row_start[i] + j - p->low[i]];
  }
  for (PetscInt j = 0; j < p->n; j++) { /* rows that begin beyond this column */
    for (PetscInt i = j + 1; i <= f->last[j]; i++) {
      if (p->low[i] > j) f->column[f->column_start[j] + i - j - 1] = 0;
    }
  }
  return PETSC_TRUE;
}

/* Forwards by columns and backwards by rows: both inner loops add to independent numbers. */
void NsBandSolve(const NsBandFactor *f, const PetscReal *b, PetscReal *x)
{
  const NsProfile *p = f->profile;

  for (PetscInt i = 0; i < p->n; i++) x[i] = b[i];
  for (PetscInt j = 0; j < p->n; j++) {
    const PetscReal xj               = x[j];
    const PetscReal *restrict column = f->column + f->column_start[j];
    PetscReal *restrict below        = x + j + 1;
    const PetscInt n                 = f->last[j] - j;
    for (PetscInt k = 0; k < n; k++) below[k] -= column[k] * xj;
    x[j] = xj * f->inverse[j];
  }
  for (PetscInt i = p->n - 1; i >= 0; i--) {
    const PetscReal xi            = x[i];
    const PetscReal *restrict row = f->row + f->row_start[i];
    PetscReal *restrict before    = x + p->low[i];
    const PetscInt n              = i - p->low[i];
    for (PetscInt k = 0; k < n; k++) before[k] -= row[k] * xi;
  }
}
