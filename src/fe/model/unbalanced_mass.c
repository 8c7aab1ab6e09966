/*
  What an unbalance on a rotor of free spin adds to the mass matrix: with p the row of the twist, l2 and l3 those of the lateral displacements,

      M(q) = M + sum m e (p d' + d p'),    d = -sin(psi + phase) l2 + cos(psi + phase) l3

  Each is of rank two over three constant vectors p, l2, l3. With E all of them and S(q) their coefficients the inverse is, by Woodbury's formula,

      (A + E S E')^-1 b = x - X (1 + S B)^-1 S E'x,     x = A^-1 b,   X = A^-1 E,   B = E'X

  so that the factor of A serves all along: a step costs a system of three unknowns for each unbalance.
*/
#include "fe/backend/backend.h"
#include <petscblaslapack.h>

#define NS_VECTORS 3

struct NsFeUnbalancedMass {
  PetscInt      vectors; /* NS_VECTORS * unbalances */
  NsOperator    op[NS_SLOTS];
  Vec          *X[NS_SLOTS];          /* [vectors] */
  PetscReal    *B[NS_SLOTS];          /* [vectors, vectors] */
  PetscReal    *S[NS_SLOTS];          /* [unbalances, 2]: coefficients of p with l2, and of p with l3 */
  PetscReal    *lu[NS_SLOTS];         /* [vectors, vectors] column-major: factors of 1 + S B */
  PetscBLASInt *pivot[NS_SLOTS];      /* [vectors] */
  PetscReal    *compliance[NS_SLOTS]; /* [touches, touches] of A; NULL: not asked for yet */
  PetscReal    *touched[NS_SLOTS];    /* [vectors, touches]: X at the touch list */
  PetscReal    *e, *y;                /* scratch: [vectors], [touches, vectors] */
};

/* Entries of vector k: unknown and weight. */
static PetscInt entries(const NsFe *fe, PetscInt k, const PetscInt **unknown, const PetscReal **weight)
{
  const NsFeUnbalance *u = &fe->forces.unbalance[k / NS_VECTORS];

  *unknown = k % NS_VECTORS ? u->unknown : u->twist.unknown;
  *weight  = k % NS_VECTORS ? u->lateral[k % NS_VECTORS - 1] : u->twist.weight;
  return k % NS_VECTORS ? u->entries : u->twist.entries;
}

/* E'x of vector k. */
static PetscReal project(const NsFe *fe, PetscInt k, const PetscScalar *x)
{
  const PetscInt  *unknown;
  const PetscReal *weight;
  const PetscInt   n   = entries(fe, k, &unknown, &weight);
  PetscReal        sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += weight[i] * x[unknown[i]];
  return sum;
}

static void coefficients(const NsFeUnbalance *u, PetscReal t, const PetscScalar *q, PetscReal S[2])
{
  const PetscReal angle = NsFeTwistAngle(&u->twist, t, q) + u->phase;

  S[0] = -u->moment * PetscSinReal(angle);
  S[1] = u->moment * PetscCosReal(angle);
}

PetscErrorCode NsFeUnbalancedMassCreate(NsFe *fe, NsFeUnbalancedMass **result)
{
  NsFeUnbalancedMass *self = NsArenaAlloc(fe->arena, sizeof(*self));

  PetscFunctionBegin;
  self->vectors  = NS_VECTORS * fe->forces.unbalances;
  const size_t n = (size_t)self->vectors;
  for (int slot = 0; slot < NS_SLOTS; slot++) {
    self->B[slot]     = NsArenaAlloc(fe->arena, sizeof(PetscReal) * n * n);
    self->S[slot]     = NsArenaAlloc(fe->arena, sizeof(PetscReal) * 2 * (size_t)fe->forces.unbalances);
    self->lu[slot]    = NsArenaAlloc(fe->arena, sizeof(PetscReal) * n * n);
    self->pivot[slot] = NsArenaAlloc(fe->arena, sizeof(PetscBLASInt) * n);
  }
  self->e = NsArenaAlloc(fe->arena, sizeof(*self->e) * n);
  self->y = NsArenaAlloc(fe->arena, sizeof(*self->y) * n);
  *result = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeUnbalancedMassDestroy(NsFeUnbalancedMass **result)
{
  NsFeUnbalancedMass *self = *result;

  PetscFunctionBegin;
  for (int slot = 0; self && slot < NS_SLOTS; slot++) {
    if (self->X[slot]) PetscCall(VecDestroyVecs(self->vectors, &self->X[slot]));
  }
  *result = NULL;
  PetscFunctionReturn(0);
}

/* y += sum of S0 (p l2' + l2 p') x + S1 (p l3' + l3 p') x of unbalance b. */
static void add_product(const NsFe *fe, PetscInt b, const PetscReal S[2], const PetscScalar *x, PetscScalar *y)
{
  PetscReal e[NS_VECTORS], f[NS_VECTORS];

  for (PetscInt k = 0; k < NS_VECTORS; k++) e[k] = project(fe, NS_VECTORS * b + k, x);
  f[0] = S[0] * e[1] + S[1] * e[2];
  f[1] = S[0] * e[0];
  f[2] = S[1] * e[0];
  for (PetscInt k = 0; k < NS_VECTORS; k++) {
    const PetscInt  *unknown;
    const PetscReal *weight;
    const PetscInt   n = entries(fe, NS_VECTORS * b + k, &unknown, &weight);
    for (PetscInt i = 0; i < n; i++) y[unknown[i]] += f[k] * weight[i];
  }
}

PetscErrorCode NsFeUnbalancedMassMult(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *x, PetscScalar *y)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->forces.unbalances; b++) {
    PetscReal S[2];
    coefficients(&fe->forces.unbalance[b], t, q, S);
    add_product(fe, b, S, x, y);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeUnbalancedMassRate(const NsFe *fe, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *y)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < fe->forces.unbalances; b++) {
    const PetscReal rate = NsFeTwistRate(&fe->forces.unbalance[b].twist, t, v);
    PetscReal       S[2];
    coefficients(&fe->forces.unbalance[b], t, q, S);
    add_product(fe, b, (PetscReal[]){-rate * S[1], rate * S[0]}, v, y);
  }
  PetscFunctionReturn(0);
}

/* X and B of a slot whose operator is new. */
static PetscErrorCode solve_vectors(const NsFe *fe, NsFeUnbalancedMass *self, PetscInt slot)
{
  const PetscInt n = self->vectors;

  PetscFunctionBegin;
  if (!self->X[slot]) PetscCall(VecDuplicateVecs(fe->work, n, &self->X[slot]));
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt  *unknown;
    const PetscReal *weight;
    const PetscInt   count = entries(fe, k, &unknown, &weight);
    PetscCall(VecZeroEntries(fe->work));
    PetscReal *value = NsVecArray(fe->work);
    for (PetscInt i = 0; i < count; i++) value[unknown[i]] += weight[i];
    PetscCall(NsBackEndSolve(fe->back_end, slot, fe->work, self->X[slot][k]));
    for (PetscInt i = 0; i < n; i++) self->B[slot][i * n + k] = project(fe, i, NsVecRead(self->X[slot][k]));
  }
  PetscFunctionReturn(0);
}

/* S e of one slot, e[vectors] with this stride. */
static void times_S(const NsFe *fe, const NsFeUnbalancedMass *self, PetscInt slot, const PetscReal *e, PetscInt stride, PetscReal *out)
{
  for (PetscInt b = 0; b < fe->forces.unbalances; b++) {
    const PetscReal *S      = self->S[slot] + 2 * b;
    const PetscReal *x      = e + NS_VECTORS * b * stride;
    out[NS_VECTORS * b]     = S[0] * x[stride] + S[1] * x[2 * stride];
    out[NS_VECTORS * b + 1] = S[0] * x[0];
    out[NS_VECTORS * b + 2] = S[1] * x[0];
  }
}

PetscErrorCode NsFeUnbalancedMassFactor(const NsFe *fe, NsFeUnbalancedMass *self, PetscInt slot, PetscReal t, Vec q, NsOperator op)
{
  const NsOperator *old   = &self->op[slot];
  const PetscInt    n     = self->vectors;
  const PetscReal  *value = NsVecRead(q);
  PetscBLASInt      size, info;

  PetscFunctionBegin;
  if (!self->X[slot] || old->mass != op.mass || old->damping != op.damping || old->stiffness != op.stiffness) {
    PetscCall(solve_vectors(fe, self, slot));
    self->op[slot]         = op;
    self->compliance[slot] = NULL;
  }
  for (PetscInt b = 0; b < fe->forces.unbalances; b++) {
    coefficients(&fe->forces.unbalance[b], t, value, self->S[slot] + 2 * b);
    for (int k = 0; k < 2; k++) self->S[slot][2 * b + k] *= op.mass;
  }
  for (PetscInt k = 0; k < n; k++) { /* column k of 1 + S B */
    times_S(fe, self, slot, self->B[slot] + k, n, self->lu[slot] + k * n);
    self->lu[slot][k * n + k] += 1;
  }
  PetscCall(PetscBLASIntCast(n, &size));
  LAPACKgetrf_(&size, &size, self->lu[slot], &size, self->pivot[slot], &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "the mass matrix with unbalances is singular: dgetrf returned %d", (int)info);
  PetscFunctionReturn(0);
}

/* y[columns, vectors] = (1 + S B)^-1 y */
static PetscErrorCode solve_small(const NsFeUnbalancedMass *self, PetscInt slot, PetscInt columns, PetscReal *y)
{
  PetscBLASInt size, count, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(self->vectors, &size));
  PetscCall(PetscBLASIntCast(columns, &count));
  LAPACKgetrs_("N", &size, &count, self->lu[slot], &size, self->pivot[slot], y, &size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dgetrs returned %d", (int)info);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeUnbalancedMassCorrect(const NsFe *fe, NsFeUnbalancedMass *self, PetscInt slot, Vec x)
{
  const PetscReal *value = NsVecRead(x);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < self->vectors; k++) self->e[k] = project(fe, k, value);
  times_S(fe, self, slot, self->e, 1, self->y);
  PetscCall(solve_small(self, slot, 1, self->y));
  for (PetscInt k = 0; k < self->vectors; k++) self->y[k] = -self->y[k];
  PetscCall(VecMAXPY(x, self->vectors, self->y, self->X[slot]));
  PetscFunctionReturn(0);
}

/* E_t' A^-1 E_t of the touch list, and X there: once for an operator. */
static PetscErrorCode keep_compliance(const NsModel *model, NsFeUnbalancedMass *self, PetscInt slot)
{
  const NsFe     *fe  = model->data;
  const PetscInt  n   = model->touches;
  const PetscReal one = 1;
  PetscReal      *touched;
  Vec             x;

  PetscFunctionBegin;
  self->compliance[slot] = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(n * n));
  self->touched[slot]    = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(n * self->vectors));
  self->y                = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(n * self->vectors));
  PetscCall(VecDuplicate(fe->work, &x));
  PetscCall(PetscMalloc1(n, &touched));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(VecZeroEntries(fe->work));
    PetscCall(NsModelTouchAdd(model, 1, &k, &one, fe->work));
    PetscCall(NsBackEndSolve(fe->back_end, slot, fe->work, x));
    PetscCall(NsModelTouch(model, x, touched));
    for (PetscInt i = 0; i < n; i++) self->compliance[slot][i * n + k] = touched[i];
  }
  for (PetscInt k = 0; k < self->vectors; k++) PetscCall(NsModelTouch(model, self->X[slot][k], self->touched[slot] + k * n));
  PetscCall(PetscFree(touched));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeUnbalancedMassCompliance(const NsModel *model, NsFeUnbalancedMass *self, PetscInt slot, PetscReal *C)
{
  const NsFe    *fe = model->data;
  const PetscInt n  = model->touches;

  PetscFunctionBegin;
  if (!self->compliance[slot]) PetscCall(keep_compliance(model, self, slot));
  for (PetscInt j = 0; j < n; j++) times_S(fe, self, slot, self->touched[slot] + j, n, self->y + j * self->vectors);
  PetscCall(solve_small(self, slot, n, self->y));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = self->compliance[slot][i * n + j];
      for (PetscInt k = 0; k < self->vectors; k++) sum -= self->touched[slot][k * n + i] * self->y[j * self->vectors + k];
      C[i * n + j] = sum;
    }
  }
  PetscFunctionReturn(0);
}

/*
  M(q) stays positive definite for all angles when the sum over unbalances of m e sqrt((p' M^-1 p) (d' M^-1 d)) is below 1: of one unbalance this is
  (m e)^2 < (inertia of the spin) (mass at the place). One that is heavier belongs to no rotor.
*/
PetscErrorCode NsFeUnbalancedMassCheck(NsFe *fe, NsFeUnbalancedMass *self)
{
  const NsList *list = &fe->config->attachments[NS_ATTACHMENT_Unbalance];
  PetscReal     sum  = 0;

  PetscFunctionBegin;
  PetscCall(NsBackEndFactor(fe->back_end, 0, (NsOperator){1, 0, 0}));
  PetscCall(solve_vectors(fe, self, 0));
  self->op[0] = (NsOperator){1, 0, 0};
  for (PetscInt b = 0; b < fe->forces.unbalances; b++) {
    const PetscInt  k = NS_VECTORS * b, n = self->vectors;
    const PetscReal lateral = PetscMax(self->B[0][(k + 1) * n + k + 1], self->B[0][(k + 2) * n + k + 2]);
    const PetscReal limit   = 1 / PetscSqrtReal(PetscMax(self->B[0][k * n + k] * lateral, PETSC_SMALL * PETSC_SMALL));
    sum += fe->forces.unbalance[b].moment / limit;
    if (sum < 1) continue;
    NsDiagError(fe->diag, NsKeysPlace(list->where[b], "mass_eccentricity"),
      "the unbalance of %g kg m is too large for its rotor: it must be below %.3g kg m", fe->forces.unbalance[b].moment, limit);
    NsDiagNote(fe->diag, "its square must be less than mass times polar inertia at its point: place it at a disc, or prescribe the spin");
    break;
  }
  PetscFunctionReturn(0);
}
