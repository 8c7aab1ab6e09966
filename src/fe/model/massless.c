/*
  Unknowns without mass (src/fe/model/redistribution.c) follow the others statically:

      K_cc q_c + C_cc q_c' = f_c - K_cm q_m - C_cm q_m' + W_c lambda

  Here are their rows of K and C, and factors of A = c C_cc + k K_cc, which is small (the touched nodes of a body and the elements between them) and banded in the model's own
  numbering: both are the same whatever the back end. Gyroscopic terms of lumped bodies act on rotations alone, which keep their inertia; a bearing or dashpot with unsymmetric
  coefficients at a touched node is refused, for there would be no Cholesky factor.

  Cost of settling: a product with these rows, and twice the entries of the factor.
*/
#include "fe/backend/band.h"
#include "fe/backend/backend.h"

struct NsFeMassless {
  PetscInt     n;
  PetscInt    *index; /* [n] in the layout */
  NsSparse     K, C;  /* rows of these unknowns, columns in the layout; C.start NULL: nothing damps them */
  NsProfile    profile;
  PetscReal   *inner_K, *inner_C, *A; /* [profile.entries]; inner_C NULL as C */
  NsBandFactor factor[NS_SLOTS];
  NsOperator   op[NS_SLOTS];
  PetscBool    has[NS_SLOTS], good[NS_SLOTS]; /* the slot is of massless unknowns; and has a factor */
  PetscReal   *b, *x;                         /* [n] */
};

/* Entries between massless unknowns, numbered as in the list; number[unknowns], -1 for others. */
static PetscErrorCode take_inner(const NsSparse *rows, const PetscInt *number, NsSparse *inner)
{
  PetscInt at = 0;

  PetscFunctionBegin;
  *inner = (NsSparse){.rows = rows->rows};
  PetscCall(PetscMalloc1(rows->rows + 1, &inner->start));
  PetscCall(PetscMalloc1(rows->start[rows->rows], &inner->column));
  PetscCall(PetscMalloc1(rows->start[rows->rows], &inner->value));
  for (PetscInt r = 0; r < rows->rows; r++) {
    inner->start[r] = at;
    for (PetscInt k = rows->start[r]; k < rows->start[r + 1]; k++) {
      if (number[rows->column[k]] < 0) continue;
      inner->column[at]  = number[rows->column[k]];
      inner->value[at++] = rows->value[k];
    }
  }
  inner->start[rows->rows] = at;
  PetscFunctionReturn(0);
}

static PetscReal value_at(const NsSparse *matrix, PetscInt row, PetscInt column)
{
  for (PetscInt k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
    if (matrix->column[k] == column) return matrix->value[k];
  }
  return 0;
}

/* Beyond the rounding of axes. */
static PetscBool is_symmetric(const NsSparse *inner)
{
  for (PetscInt r = 0; r < inner->rows; r++) {
    for (PetscInt k = inner->start[r]; k < inner->start[r + 1]; k++) {
      const PetscInt  c    = inner->column[k];
      const PetscReal size = PetscMax(PetscAbsReal(value_at(inner, r, r)), PetscAbsReal(value_at(inner, c, c)));
      if (PetscAbsReal(inner->value[k] - value_at(inner, c, r)) > 1e-12 * size) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

static PetscBool is_zero(const NsSparse *matrix)
{
  for (PetscInt k = 0; k < matrix->start[matrix->rows]; k++) {
    if (matrix->value[k] != 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Where nothing holds a massless node but by a direction, or by none, there is no static solution. */
static PetscErrorCode check_stiffness(NsFe *fe, NsModel *model, NsFeMassless *self, const NsSparse *inner)
{
  NsBandFactor *factor = &self->factor[0];
  char          name[256];

  PetscFunctionBegin;
  PetscCall(NsFeMasslessFactor(self, 0, (NsOperator){.stiffness = 1}));
  for (PetscInt r = 0; r < self->n && self->good[0]; r++) {
    if (1 / factor->inverse[r] < 1e-10 * value_at(inner, r, r)) self->good[0] = PETSC_FALSE;
  }
  for (PetscInt r = 0; r < self->n && !self->good[0]; r++) {
    if (factor->inverse[r] > 0 && 1 / factor->inverse[r] >= 1e-10 * value_at(inner, r, r)) continue;
    PetscCall(model->view.name_unknown(model, fe->massless_unknown[r], name, sizeof(name)));
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "bodies"),
      "the %s has no stiffness and is part of a contact: with `mass: redistributed` it has no mass either", name);
    NsDiagNote(fe->diag, "such a node needs elements in every direction in which it can move; use `mass: lumped`, or beams instead of a truss");
    break;
  }
  self->has[0] = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode take_matrices(NsFe *fe, NsModel *model, NsFeMassless *self, NsFeMatrices *matrices, const PetscInt *number)
{
  NsSparse inner[3] = {{0}}; /* of K, C, G */

  PetscFunctionBegin;
  PetscCall(take_inner(&matrices->K, number, &inner[0]));
  if (matrices->C.start) PetscCall(take_inner(&matrices->C, number, &inner[1]));
  if (matrices->G.start) PetscCall(take_inner(&matrices->G, number, &inner[2]));
  if (!is_symmetric(&inner[0]) || (matrices->G.start && !is_zero(&inner[2]))) {
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "bearings"),
      "a bearing with unsymmetric coefficients is at a massless contact node (`mass: redistributed`): attach it at another node");
  } else {
    PetscCall(NsProfileCreate(1, (const NsSparse *[]){&inner[0]}, &self->profile)); /* K and C have one pattern */
    PetscCall(NsProfileTake(&self->profile, &inner[0], &self->inner_K));
    if (matrices->C.start) PetscCall(NsProfileTake(&self->profile, &inner[1], &self->inner_C));
    PetscCall(PetscMalloc1(self->profile.entries, &self->A));
    for (int s = 0; s < NS_SLOTS; s++) {
      PetscCall(NsBandFactorCreate(&self->profile, &self->factor[s]));
      for (PetscInt r = 0; r < self->n; r++) self->factor[s].inverse[r] = 0;
    }
    PetscCall(check_stiffness(fe, model, self, &inner[0]));
  }
  for (int i = 0; i < 3; i++) PetscCall(NsSparseDestroy(&inner[i]));
  PetscFunctionReturn(0);
}

/* Forces that are computed in every step are not part of K. */
static void check_varying(NsFe *fe, const PetscInt *number)
{
  for (PetscInt b = 0; b < fe->forces.varyings; b++) {
    const NsFeVarying *varying = &fe->forces.varying[b];
    for (PetscInt i = 0; i < varying->entries; i++) {
      PetscReal size = 0;
      for (PetscInt c = 0; c < varying->components; c++) size += PetscAbsReal(varying->row[c][i]);
      if (number[varying->unknown[i]] < 0 || size == 0) continue;
      NsDiagError(fe->diag, varying->element->where->key_place,
        "%s '%s', which is nonlinear or changes with the speed, is at a massless contact node (`mass: redistributed`): attach it at another "
        "node",
        varying->element->type->kind, varying->element->name);
      return;
    }
  }
}

PetscErrorCode NsFeMasslessCreate(NsFe *fe, NsModel *model, NsFeMassless **result)
{
  const NsLayout *layout = fe->back_end->layout;
  NsFeMassless   *self;
  NsFeMatrices    matrices;
  PetscBool      *mine;
  PetscInt       *number;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  *result = self;
  self->n = fe->massless;
  PetscCall(PetscMalloc3(self->n, &self->index, self->n, &self->b, self->n, &self->x));
  PetscCall(PetscCalloc1(fe->unknowns, &mine));
  PetscCall(PetscMalloc1(fe->unknowns, &number));
  for (PetscInt i = 0; i < fe->unknowns; i++) number[i] = -1;
  for (PetscInt k = 0; k < self->n; k++) {
    const PetscInt unknown = fe->massless_unknown[k];
    mine[unknown]          = PETSC_TRUE;
    number[unknown]        = k;
    self->index[k]         = NsLayoutIndex(layout, unknown);
  }
  check_varying(fe, number);
  PetscCall(NsFeAssembleRows(fe, NULL, mine, PETSC_FALSE, &matrices));
  PetscCall(take_matrices(fe, model, self, &matrices, number));
  self->K = matrices.K;
  self->C = matrices.C;
  for (PetscInt k = 0; k < self->K.start[self->n]; k++) self->K.column[k] = NsLayoutIndex(layout, self->K.column[k]);
  for (PetscInt k = 0; self->C.start && k < self->C.start[self->n]; k++) self->C.column[k] = NsLayoutIndex(layout, self->C.column[k]);
  PetscCall(NsSparseDestroy(&matrices.M));
  PetscCall(NsSparseDestroy(&matrices.G));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeMasslessDestroy(NsFeMassless **result)
{
  NsFeMassless *self = *result;

  PetscFunctionBegin;
  if (!self) PetscFunctionReturn(0);
  for (int s = 0; s < NS_SLOTS; s++) PetscCall(NsBandFactorDestroy(&self->factor[s]));
  PetscCall(NsProfileDestroy(&self->profile));
  PetscCall(NsSparseDestroy(&self->K));
  PetscCall(NsSparseDestroy(&self->C));
  PetscCall(PetscFree(self->inner_K));
  PetscCall(PetscFree(self->inner_C));
  PetscCall(PetscFree(self->A));
  PetscCall(PetscFree3(self->index, self->b, self->x));
  PetscCall(PetscFree(self));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeMasslessFactor(NsFeMassless *self, PetscInt slot, NsOperator op)
{
  const NsOperator *old = &self->op[slot];

  PetscFunctionBegin;
  if (op.mass != 0) {
    self->has[slot] = PETSC_FALSE;
    PetscFunctionReturn(0);
  }
  if (self->has[slot] && old->damping == op.damping && old->stiffness == op.stiffness) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < self->profile.entries; k++)
    self->A[k] = op.stiffness * self->inner_K[k] + (self->inner_C ? op.damping * self->inner_C[k] : 0);
  self->op[slot]   = op;
  self->has[slot]  = PETSC_TRUE;
  self->good[slot] = NsBandFactorize(&self->factor[slot], self->A);
  PetscFunctionReturn(0);
}

PetscBool NsFeMasslessHas(const NsFeMassless *self, PetscInt slot)
{
  return self->has[slot];
}

/* x = A^-1 b; stiffnesses and dampings so far apart that there is no factor give NaN: the guard detects it, names the degree of freedom and stops the run. */
static void solve(NsFeMassless *self, PetscInt slot)
{
  if (self->good[slot])
    NsBandSolve(&self->factor[slot], self->b, self->x);
  else
    for (PetscInt r = 0; r < self->n; r++) self->x[r] = NAN;
}

void NsFeMasslessSolve(NsFeMassless *self, PetscInt slot, PetscInt local, const PetscReal *b, PetscReal *x)
{
  for (PetscInt r = 0; r < self->n; r++) self->b[r] = b[self->index[r]];
  solve(self, slot);
  (void)PetscArrayzero(x, local);
  for (PetscInt r = 0; r < self->n; r++) x[self->index[r]] = self->x[r];
}

static PetscReal row_product(const NsSparse *matrix, PetscInt row, const PetscReal *x)
{
  PetscReal sum = 0;

  for (PetscInt k = matrix->start[row]; k < matrix->start[row + 1]; k++) sum += matrix->value[k] * x[matrix->column[k]];
  return sum;
}

void NsFeMasslessSettle(NsFeMassless *self, PetscInt slot, const PetscReal *outer, const PetscReal *v, PetscReal *q)
{
  for (PetscInt r = 0; r < self->n; r++) {
    self->b[r] = (outer ? outer[self->index[r]] : 0) - row_product(&self->K, r, q);
    if (self->C.start) self->b[r] -= row_product(&self->C, r, v);
  }
  solve(self, slot);
  for (PetscInt r = 0; r < self->n; r++) q[self->index[r]] += self->x[r];
}

/* ---- what closed contacts do to frequencies --------------------------------------------------------------------------------------------------- */

/* Parts of one candidate's rows, in fe->one: A = W_c' W_c and K = W_c' K_cc W_c. Rows without massless unknowns have A_kk = 0. */
static void inner_products(const NsFe *fe, const NsModel *model, PetscReal A[9], PetscReal K[9])
{
  const NsFeMassless *self = fe->statics;
  const NsRows       *rows = &fe->one;
  const PetscInt      n    = rows->rows;

  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt l = 0; l < n; l++) {
      A[3 * k + l] = K[3 * k + l] = 0;
      for (PetscInt i = rows->first[k]; i < rows->first[k + 1]; i++) {
        for (PetscInt j = rows->first[l]; j < rows->first[l + 1]; j++) {
          const PetscReal both = rows->value[i] * rows->value[j];
          PetscInt        r, c;
          (void)PetscFindInt(model->touch[rows->touch[i]], fe->massless, fe->massless_unknown, &r);
          (void)PetscFindInt(model->touch[rows->touch[j]], fe->massless, fe->massless_unknown, &c);
          if (r < 0 || c < 0) continue;
          if (r == c) A[3 * k + l] += both;
          if (c >= self->profile.low[r] && c <= self->profile.high[r])
            K[3 * k + l] += both * self->inner_K[self->profile.start[r] + c - self->profile.low[r]];
        }
      }
    }
  }
}

/* G = W' M^-1 W of one candidate: of its unknowns with mass, for the others do not move. */
static PetscErrorCode mass_products(NsFe *fe, NsModel *model, Vec b, Vec x, PetscReal G[9])
{
  const NsRows  *rows = &fe->one;
  const PetscInt n    = rows->rows;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt at = rows->first[k], entries = rows->first[k + 1] - at;
    PetscCall(VecZeroEntries(b));
    PetscCall(NsModelTouchAdd(model, entries, rows->touch + at, rows->value + at, b));
    PetscCall(NsModelSolve(model, 0, b, x));
    PetscCall(NsModelTouch(model, x, fe->touch_v));
    for (PetscInt l = 0; l < n; l++) {
      G[3 * k + l] = 0;
      for (PetscInt j = rows->first[l]; j < rows->first[l + 1]; j++) G[3 * k + l] += rows->value[j] * fe->touch_v[rows->touch[j]];
    }
  }
  PetscFunctionReturn(0);
}

static PetscBool has_mass(const NsFe *fe, PetscInt unknown)
{
  PetscInt at;

  (void)PetscFindInt(unknown, fe->massless, fe->massless_unknown, &at);
  return at < 0;
}

/*
  A closed contact that sticks ties massless unknowns to those with mass in its rows: W_c' q_c = -W_m' q_m. With q_c = -W_c A^-1 W_m' q_m, one way to do that, it acts on q_m like
  a spring of the stiffness W_m A^-1 K A^-1 W_m', whose largest eigenvalue with M alone is at most the trace of A^-1 K A^-1 G. Of all contacts of a body the sum s counts, and of the
  whole, since |a - b|_K <= |a|_K + |b|_K, the frequency with q_c held and sqrt(s) together. Contacts with what cannot move, and between nodes without mass, add nothing.
*/
PetscErrorCode NsFeMasslessStiffening(NsFe *fe, NsModel *model)
{
  const NsRows *rows = &fe->one;
  PetscReal    *sum;
  PetscInt     *body_of;
  Vec           b, x;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(fe->bodies, &sum, fe->unknowns, &body_of));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < fe->body[fe->node_body[i]].node_unknowns; a++) {
      if (unknown[a] >= 0) body_of[unknown[a]] = fe->node_body[i];
    }
  }
  PetscCall(NsVecsCreate(model, &b, &x, NULL));
  PetscCall(NsModelFactor(model, 0, 0, b, b, (NsOperator){1, 0, 0}));
  for (PetscInt i = 0; i < fe->pairs; i++) {
    PetscReal A[9], K[9], G[9], trace = 0;
    PetscBool any = PETSC_FALSE;
    PetscCall(NsFeRowsOf(fe, i, 0, fe->touch_q));
    const PetscInt n = rows->rows, end = rows->first[n];
    for (PetscInt j = 0; j < end; j++) any = any || (rows->value[j] != 0 && has_mass(fe, model->touch[rows->touch[j]]));
    if (!model->candidate[i].massless || !any) continue;
    inner_products(fe, model, A, K);
    PetscCall(mass_products(fe, model, b, x, G));
    for (PetscInt k = 0; k < n; k++) { /* normals and tangents are orthogonal: so are their W_c, which have the same node */
      for (PetscInt l = 0; l < n && A[4 * k] > 0; l++) trace += A[4 * l] > 0 ? K[3 * k + l] * G[3 * l + k] / (A[4 * k] * A[4 * l]) : 0;
    }
    for (PetscInt body = 0; body < fe->bodies; body++) {
      PetscBool touched = PETSC_FALSE;
      for (PetscInt j = 0; j < end; j++)
        touched = touched || (rows->value[j] != 0 && body_of[model->touch[rows->touch[j]]] == body && has_mass(fe, model->touch[rows->touch[j]]))
                    ? PETSC_TRUE
                    : PETSC_FALSE;
      if (touched) sum[body] += PetscMax(0, trace);
    }
  }
  for (PetscInt body = 0; body < fe->bodies; body++) model->stiffening = PetscMax(model->stiffening, PetscSqrtReal(sum[body]));
  PetscCall(NsVecsDestroy(&b, &x, NULL));
  PetscCall(PetscFree2(sum, body_of));
  PetscFunctionReturn(0);
}
