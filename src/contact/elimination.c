/*
  Systems of joints only: b + G P = 0 is solved by sparse block elimination along the bodies.

      G = W_u' C W_P,   C diagonal:   row r is coupled with row s if both have an entry at the same unknown

  Rows that are coupled with the same other rows, as those of one joint are, form a node. Nodes are eliminated in the order of least degree
  (D. J. Rose 1972): from the leaves of a tree of bodies, without fill where each body has few joints; a loop causes a fill of at most its length times the
  rows of a joint. For node k and the later nodes that it is coupled with,

      D = L_D U_D,   U <- L_D^-1 U,   M' <- U_D^-T L',   (later, later) -= M U

  with L' and U, of one pattern, as dense panels [rows of k, rows of the later ones]; where W_u = W_P only U is needed. The order and the indices of all
  sums are computed once for each pattern (elimination_pattern.c), so that a factorization takes a few operations for each entry, and its cost is linear in
  the number of hinges of a tree. There is no pivoting: G is nearly symmetric and positive definite. Pivots that vanish relative to their diagonals show
  dependent rows; these problems, and all others that do not reach the tolerance, are left to the local solvers (percuss/local.h).

  Reference: I. S. Duff, A. M. Erisman, J. K. Reid: Direct Methods for Sparse Matrices, 2017, chapters 7 and 10.
*/
#include "elimination_private.h"
#include <string.h>

#define NS_PIVOT     1e-11 /* of its diagonal */
#define NS_GOOD      1e-14 /* residual without refinement */
#define NS_TOLERANCE 1e-12
#define NS_REFINE    2

PetscErrorCode NsEliminationCreate(NsElimination **elimination)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(elimination));
  PetscFunctionReturn(0);
}

PetscErrorCode NsEliminationDestroy(NsElimination **result)
{
  NsElimination *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  PetscCall(PetscFree(self->first));
  PetscCall(PetscFree2(self->touch, self->scaled));
  PetscCall(PetscFree5(self->place, self->island, self->x, self->w, self->inverse));
  PetscCall(PetscFree2(self->node, self->start));
  PetscCall(PetscFree(self->later));
  PetscCall(PetscFree(self->column));
  PetscCall(PetscFree(self->update));
  PetscCall(PetscFree(self->entry));
  PetscCall(PetscFree(self->product));
  PetscCall(PetscFree2(self->G, self->value));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------------------------------------- */

static void assemble(NsElimination *self, const PetscReal *diagonal, const NsRows *wu, const NsRows *wp)
{
  const PetscInt numbers      = self->symmetric ? self->upper : self->numbers;
  const PetscReal *restrict u = wu->value, *restrict p = self->scaled;
  PetscReal *restrict G = self->G;

  for (PetscInt k = 0; k < self->entries[1]; k++) self->scaled[k] = diagonal ? diagonal[wp->touch[k]] * wp->value[k] : wp->value[k];
  memset(G, 0, sizeof(*G) * (size_t)(self->diagonals + (self->symmetric ? 1 : 2) * self->panels));
  for (PetscInt e = 0; e < numbers; e++) {
    const Product *product = self->product + self->entry[e].product, *end = self->product + self->entry[e + 1].product;
    PetscReal      sum = 0;
    for (; product < end; product++) sum += u[product->u] * p[product->p];
    G[self->entry[e].to] = sum;
  }
  for (PetscInt i = 0; i < self->nodes; i++) {
    const Node *node = &self->node[i];
    for (PetscInt r = 0; r < node->rows; r++) self->inverse[node->first + r] = 1 / G[node->diagonal + r * (node->rows + 1)];
  }
}

/* D = L_D U_D in place; U and M' (as M) of the header. False: a pivot vanishes. */
static PetscBool factor_node(const NsElimination *self, const Node *node, PetscReal *D, PetscReal *U, PetscReal *M)
{
  const PetscInt m = node->rows, width = node->width;

  for (PetscInt p = 0; p < m; p++) {
    const PetscReal pivot = D[p * m + p], inverse = 1 / pivot;
    if (!(PetscAbsReal(pivot * self->inverse[node->first + p]) > NS_PIVOT)) return PETSC_FALSE;
    for (PetscInt i = p + 1; i < m; i++) {
      const PetscReal factor = D[i * m + p] *= inverse;
      for (PetscInt j = p + 1; j < m; j++) D[i * m + j] -= factor * D[p * m + j];
      for (PetscInt j = 0; j < width; j++) U[i * width + j] -= factor * U[p * width + j];
    }
    if (self->symmetric) {
      for (PetscInt j = 0; j < width; j++) M[p * width + j] = inverse * U[p * width + j];
      continue;
    }
    for (PetscInt j = 0; j < width; j++) M[p * width + j] *= inverse;
    for (PetscInt i = p + 1; i < m; i++) {
      for (PetscInt j = 0; j < width; j++) M[i * width + j] -= D[p * m + i] * M[p * width + j];
    }
  }
  return PETSC_TRUE;
}

/* T[rows, columns] -= A' B, A[m, rows] and B[m, columns] being parts of panels of this width. */
static inline void subtract_of(PetscInt m, PetscInt width, PetscInt rows, PetscInt columns, const PetscReal *restrict A, const PetscReal *restrict B,
  PetscInt stride, PetscReal *restrict T)
{
  for (PetscInt i = 0; i < rows; i++) {
    for (PetscInt j = 0; j < columns; j++) {
      PetscReal sum = 0;
      for (PetscInt p = 0; p < m; p++) sum += A[p * width + i] * B[p * width + j];
      T[i * stride + j] -= sum;
    }
  }
}

/* Loops over the rows of a usual joint are unrolled. */
static void subtract(
  PetscInt m, PetscInt width, PetscInt rows, PetscInt columns, const PetscReal *A, const PetscReal *B, PetscInt stride, PetscReal *T)
{
  switch (m) {
  case 1: subtract_of(1, width, rows, columns, A, B, stride, T); break;
  case 2: subtract_of(2, width, rows, columns, A, B, stride, T); break;
  case 3: subtract_of(3, width, rows, columns, A, B, stride, T); break;
  case 5: subtract_of(5, width, rows, columns, A, B, stride, T); break;
  default: subtract_of(m, width, rows, columns, A, B, stride, T); break;
  }
}

/* False: a pivot vanishes. */
static PetscBool factor(NsElimination *self)
{
  PetscReal *value = self->value, *upper = value + self->diagonals;

  memcpy(value, self->G, sizeof(*value) * (size_t)(self->diagonals + (self->symmetric ? 1 : 2) * self->panels));
  for (PetscInt k = 0; k < self->nodes; k++) {
    const Node     *node  = &self->node[k];
    const Later    *later = self->later + node->later;
    PetscReal      *U = upper + node->panel, *M = U + self->panels;
    const PetscInt *to = self->update + node->update, m = node->rows, width = node->width;
    if (!factor_node(self, node, value + node->diagonal, U, M)) return PETSC_FALSE;
    for (PetscInt i = 0; i < node->laters; i++) {
      const Node    *own = &self->node[later[i].node];
      const PetscInt a   = later[i].offset;
      subtract(m, width, own->rows, own->rows, M + a, U + a, own->rows, value + *to++);
      for (PetscInt j = i + 1; j < node->laters; j++, to++) {
        const PetscInt b = later[j].offset, rows = self->node[later[j].node].rows;
        subtract(m, width, own->rows, rows, M + a, U + b, own->width, value + *to);
        if (!self->symmetric) subtract(m, width, own->rows, rows, U + a, M + b, own->width, value + *to + self->panels);
      }
    }
  }
  return PETSC_TRUE;
}

/* x <- G^-1 x, by place. */
static void solve(const NsElimination *self, PetscReal *x)
{
  const PetscReal *value = self->value, *upper = value + self->diagonals;

  for (PetscInt k = 0; k < self->nodes; k++) {
    const Node      *node = &self->node[k];
    const PetscReal *D = value + node->diagonal, *M = upper + self->panels + node->panel;
    const PetscInt  *column = self->column + self->start[k], m = node->rows, width = node->width;
    PetscReal       *own = x + node->first;
    for (PetscInt p = 0; p < m; p++) {
      for (PetscInt j = 0; j < p; j++) own[p] -= D[p * m + j] * own[j];
      for (PetscInt j = 0; j < width; j++) x[column[j]] -= M[p * width + j] * own[p];
    }
  }
  for (PetscInt k = self->nodes - 1; k >= 0; k--) {
    const Node      *node = &self->node[k];
    const PetscReal *D = value + node->diagonal, *U = upper + node->panel;
    const PetscInt  *column = self->column + self->start[k], m = node->rows, width = node->width;
    PetscReal       *own = x + node->first;
    for (PetscInt p = m - 1; p >= 0; p--) {
      PetscReal sum = own[p];
      for (PetscInt j = 0; j < width; j++) sum -= U[p * width + j] * x[column[j]];
      for (PetscInt j = p + 1; j < m; j++) sum -= D[p * m + j] * own[j];
      own[p] = sum / D[p * m + p];
    }
  }
}

/* y = G x, by place; y is not x. */
static void multiply(const NsElimination *self, const PetscReal *x, PetscReal *y)
{
  const PetscReal *upper = self->G + self->diagonals, *lower = self->symmetric ? upper : upper + self->panels;

  for (PetscInt r = 0; r < self->rows; r++) y[r] = 0;
  for (PetscInt k = 0; k < self->nodes; k++) {
    const Node      *node = &self->node[k];
    const PetscReal *D = self->G + node->diagonal, *U = upper + node->panel, *L = lower + node->panel;
    const PetscInt  *column = self->column + self->start[k], m = node->rows, width = node->width;
    for (PetscInt p = 0; p < m; p++, U += width, L += width) {
      const PetscReal xp  = x[node->first + p];
      PetscReal       sum = 0;
      for (PetscInt j = 0; j < m; j++) sum += D[p * m + j] * x[node->first + j];
      for (PetscInt j = 0; j < width; j++) {
        sum += U[j] * x[column[j]];
        y[column[j]] += L[j] * xp;
      }
      y[node->first + p] += sum;
    }
  }
}

/* ---- use -------------------------------------------------------------------------------------------------------------------------------------- */

/* Whether all contacts of the rows are joints without friction. */
static PetscBool are_joints(const NsContact *contact, const NsRows *rows)
{
  const NsLaws *laws = &contact->laws;

  if (rows->contacts != rows->rows || rows->contacts < 2 || laws->sliding || laws->two_phase || laws->joints) return PETSC_FALSE;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    if (!contact->model->candidate[rows->contact[i]].bilateral) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode NsEliminationTake(NsContact *contact, NsCompliance *compliance, const NsRows *wu, const NsRows *wp, PetscBool *taken)
{
  NsElimination   *self     = contact->elimination;
  const PetscReal *diagonal = compliance ? NsComplianceDiagonal(compliance) : NULL;

  PetscFunctionBegin;
  *taken = PETSC_FALSE;
  if ((compliance && !diagonal) || contact->chain->choice || !are_joints(contact, wu)) PetscFunctionReturn(0);
  PetscCall(NsEliminationAnalyse(self, contact->model->touches, wu, wp));
  if (!self->fits) PetscFunctionReturn(0);
  self->symmetric = wu == wp;
  assemble(self, diagonal, wu, wp);
  *taken = factor(self);
  PetscFunctionReturn(0);
}

PetscBool NsEliminationSolve(NsElimination *self, PetscReal factor_of, const PetscReal *b, PetscReal *P, PetscReal *residual)
{
  PetscReal *x = self->x, *w = self->w;

  for (PetscInt r = 0; r < self->rows; r++) {
    x[self->place[r]] = -b[r] / factor_of;
    P[r]              = 0;
  }
  *residual = PETSC_INFINITY;
  for (int refine = 0; refine <= NS_REFINE; refine++) {
    PetscReal left = 0, size = 0;
    solve(self, x);
    for (PetscInt r = 0; r < self->rows; r++) P[r] += x[self->place[r]];
    for (PetscInt r = 0; r < self->rows; r++) x[self->place[r]] = P[r];
    multiply(self, x, w);
    for (PetscInt r = 0; r < self->rows; r++) { /* w^2/d, d P^2 and b^2/d are energies */
      const PetscInt  i = self->place[r];
      const PetscReal d = PetscAbsReal(self->inverse[i]), v = factor_of * w[i] + b[r];
      left = PetscMax(left, v * v * d);
      size = PetscMax(size, PetscMax(b[r] * b[r] * d, factor_of * factor_of * P[r] * P[r] / d));
      x[i] = -v / factor_of;
      if (PetscIsInfOrNanReal(v)) return PETSC_FALSE;
    }
    *residual = size > 0 ? PetscSqrtReal(left / size) : 0;
    if (*residual <= NS_GOOD) break;
  }
  return *residual <= NS_TOLERANCE;
}

void NsEliminationReact(const NsElimination *self, PetscReal factor_of, const PetscReal *P, PetscReal *u)
{
  for (PetscInt r = 0; r < self->rows; r++) self->x[self->place[r]] = P[r];
  multiply(self, self->x, self->w);
  for (PetscInt r = 0; r < self->rows; r++) u[r] = factor_of * self->w[self->place[r]];
}

void NsEliminationSpread(const NsElimination *self, PetscBool *flag)
{
  PetscReal *any = self->w; /* of each island */

  for (PetscInt s = 0; s < self->islands; s++) any[s] = 0;
  for (PetscInt r = 0; r < self->rows; r++) any[self->island[r]] += flag[r] ? 1 : 0;
  for (PetscInt r = 0; r < self->rows; r++) flag[r] = any[self->island[r]] > 0;
}

PetscInt NsEliminationIslands(const NsElimination *self, PetscInt *most)
{
  *most = self->most;
  return self->islands;
}
