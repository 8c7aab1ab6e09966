/*
  LU with partial pivoting; where a pivot vanishes, a complete orthogonal factorisation (Golub & Van Loan, Matrix Computations, 5.5):

      A Pi = Q [R11 R12; 0 0]        Householder QR, the longest remaining column next; rank: where that one is short
      [R11 R12] = [T 0] Z'           Householder from the right
      x = Pi Z [T^-1 (Q' b)_1; 0]    the smallest of all least-squares solutions

  LAPACK's dgelsy takes 1 us for four rows, where LU takes 0.1 and the second 0.25. Local problems are that small, and solved several times a step.
*/
#include "small_linear.h"

#define NS_PIVOT 1e-10 /* of the largest entry: below it, LU may not be trusted with the choice between regular and singular */
#define NS_RANK  1e-12 /* of the longest column */

PetscErrorCode NsSmallLinearCreate(PetscInt max_rows, NsSmallLinear *linear)
{
  PetscFunctionBegin;
  linear->max_rows = max_rows;
  PetscCall(PetscMalloc4((max_rows * max_rows), &linear->A, max_rows, &linear->x, max_rows, &linear->norm, max_rows, &linear->column));
  PetscFunctionReturn(0);
}

PetscErrorCode NsSmallLinearDestroy(NsSmallLinear *linear)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(linear->A, linear->x, linear->norm, linear->column));
  PetscFunctionReturn(0);
}

/* False when A is singular or nearly so. */
static PetscBool solve_lu(PetscInt n, PetscReal *A, PetscReal *x)
{
  PetscReal scale = 0;

  for (PetscInt i = 0; i < n * n; i++) scale = PetscMax(scale, PetscAbsReal(A[i]));
  for (PetscInt k = 0; k < n; k++) {
    PetscInt   best = k;
    PetscReal *row  = A + k * n;
    for (PetscInt i = k + 1; i < n; i++) {
      if (PetscAbsReal(A[i * n + k]) > PetscAbsReal(A[best * n + k])) best = i;
    }
    if (!(PetscAbsReal(A[best * n + k]) > NS_PIVOT * scale)) return PETSC_FALSE;
    if (best != k) {
      PetscReal t = x[k];
      x[k]        = x[best];
      x[best]     = t;
      for (PetscInt j = k; j < n; j++) {
        t               = row[j];
        row[j]          = A[best * n + j];
        A[best * n + j] = t;
      }
    }
    const PetscReal inverse = 1 / row[k];
    for (PetscInt i = k + 1; i < n; i++) {
      PetscReal *below = A + i * n;
      if (below[k] == 0) continue; /* open contacts */
      const PetscReal factor = below[k] * inverse;
      for (PetscInt j = k + 1; j < n; j++) below[j] -= factor * row[j];
      x[i] -= factor * x[k];
    }
    row[k] = inverse;
  }
  for (PetscInt k = n - 1; k >= 0; k--) {
    for (PetscInt j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
    x[k] *= A[k * n + k];
  }
  return PETSC_TRUE;
}

/* Column with the longest rest below row k. */
static PetscInt longest_column(PetscInt n, const PetscReal *A, PetscInt k, PetscReal *norm, PetscReal *length)
{
  PetscInt best = k;

  for (PetscInt j = k; j < n; j++) norm[j] = 0;
  for (PetscInt i = k; i < n; i++) {
    for (PetscInt j = k; j < n; j++) norm[j] += A[i * n + j] * A[i * n + j];
  }
  for (PetscInt j = k + 1; j < n; j++) {
    if (norm[j] > norm[best]) best = j;
  }
  *length = PetscSqrtReal(norm[best]);
  return best;
}

static PetscInt solve_orthogonal(NsSmallLinear *self, PetscInt n, PetscReal *A, PetscReal *x)
{
  PetscInt  *column = self->column, rank;
  PetscReal *dot = self->norm, longest = 0;

  for (PetscInt j = 0; j < n; j++) column[j] = j;
  for (rank = 0; rank < n; rank++) {
    const PetscInt k = rank;
    PetscReal      length, sum;
    const PetscInt best = longest_column(n, A, k, self->norm, &length);
    if (k == 0) longest = length;
    if (!(length > NS_RANK * longest)) break;
    if (best != k) {
      const PetscInt c = column[k];
      column[k]        = column[best];
      column[best]     = c;
      for (PetscInt i = 0; i < n; i++) {
        const PetscReal t = A[i * n + k];
        A[i * n + k]      = A[i * n + best];
        A[i * n + best]   = t;
      }
    }
    /* I - v v' / (-alpha v_k), v = a - alpha e_k, takes the column a to alpha e_k */
    const PetscReal alpha = A[k * n + k] > 0 ? -length : length;
    A[k * n + k] -= alpha;
    const PetscReal scale = -1 / (alpha * A[k * n + k]);
    for (PetscInt j = k + 1; j < n; j++) dot[j] = 0;
    sum = 0;
    for (PetscInt i = k; i < n; i++) {
      for (PetscInt j = k + 1; j < n; j++) dot[j] += A[i * n + k] * A[i * n + j];
      sum += A[i * n + k] * x[i];
    }
    for (PetscInt i = k; i < n; i++) {
      for (PetscInt j = k + 1; j < n; j++) A[i * n + j] -= scale * A[i * n + k] * dot[j];
      x[i] -= scale * A[i * n + k] * sum;
    }
    A[k * n + k] = alpha;
  }
  /* Row i: the columns i and rank, ..., n - 1 to a single entry T_ii; their reflector stays in the columns from rank on, its head in `dot`. */
  for (PetscInt i = rank - 1; i >= 0 && rank < n; i--) {
    PetscReal *row = A + i * n, sum = row[i] * row[i];
    for (PetscInt j = rank; j < n; j++) sum += row[j] * row[j];
    const PetscReal alpha = row[i] > 0 ? -PetscSqrtReal(sum) : PetscSqrtReal(sum);
    dot[i]                = row[i] - alpha;
    const PetscReal scale = -1 / (alpha * dot[i]);
    for (PetscInt above = 0; above < i; above++) {
      PetscReal *other   = A + above * n;
      PetscReal  product = other[i] * dot[i];
      for (PetscInt j = rank; j < n; j++) product += other[j] * row[j];
      other[i] -= scale * product * dot[i];
      for (PetscInt j = rank; j < n; j++) other[j] -= scale * product * row[j];
    }
    row[i] = alpha;
  }
  for (PetscInt k = rank - 1; k >= 0; k--) {
    for (PetscInt j = k + 1; j < rank; j++) x[k] -= A[k * n + j] * x[j];
    x[k] /= A[k * n + k];
  }
  for (PetscInt j = rank; j < n; j++) x[j] = 0;
  for (PetscInt i = 0; i < rank && rank < n; i++) {
    const PetscReal *row = A + i * n, scale = -1 / (row[i] * dot[i]);
    PetscReal        product = x[i] * dot[i];
    for (PetscInt j = rank; j < n; j++) product += x[j] * row[j];
    x[i] -= scale * product * dot[i];
    for (PetscInt j = rank; j < n; j++) x[j] -= scale * product * row[j];
  }
  for (PetscInt j = 0; j < n; j++) dot[column[j]] = x[j];
  for (PetscInt j = 0; j < n; j++) x[j] = dot[j];
  return rank;
}

PetscInt NsSmallLinearSolve(NsSmallLinear *self, PetscInt n, const PetscReal *A, const PetscReal *b, PetscReal *x)
{
  PetscInt rank = n;

  if (n == 1) { /* one contact without friction is most steps of most runs */
    x[0] = A[0] != 0 ? b[0] / A[0] : 0;
    return A[0] != 0;
  }
  for (PetscInt i = 0; i < n * n; i++) self->A[i] = A[i];
  for (PetscInt i = 0; i < n; i++) self->x[i] = b[i];
  if (!solve_lu(n, self->A, self->x)) {
    for (PetscInt i = 0; i < n * n; i++) self->A[i] = A[i];
    for (PetscInt i = 0; i < n; i++) self->x[i] = b[i];
    rank = solve_orthogonal(self, n, self->A, self->x);
  }
  for (PetscInt i = 0; i < n; i++) x[i] = self->x[i];
  return rank;
}
