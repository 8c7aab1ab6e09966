#include "low_rank.h"
#include "fe/backend/backend.h"
#include <petscblaslapack.h>

/* A vector of E: its entries, in the indices of this process. Not owned. */
typedef struct {
  PetscInt         entries;
  const PetscInt  *unknown;
  const PetscReal *weight;
} Vector;

/* S over the vectors first .. first + n - 1, row-major at S + at; what it belongs to: an unbalance or a force element of fe->here. */
typedef struct {
  PetscInt             first, n, at;
  const NsFeUnbalance *unbalance; /* NULL: a force element */
  const NsFeVarying   *varying;
} Block;

/* An operator that the model keeps factored. */
typedef struct {
  NsOperator    op;
  PetscInt      active; /* vectors that take part: with the mass alone those of unbalances, none where S vanishes */
  Vec          *X;
  PetscReal    *B;          /* [vectors, vectors] */
  PetscReal    *S;          /* block by block */
  PetscReal    *lu;         /* [active, active] column-major: factors of 1 + S B */
  PetscBLASInt *pivot;      /* [active] */
  PetscReal    *compliance; /* [touches, touches] of A; NULL: not asked for yet */
  PetscReal    *touched;    /* [vectors, touches]: X at the touch list */
} Slot;

struct NsFeLowRank {
  PetscInt   vectors, of_mass; /* the first so many change the mass matrix */
  PetscInt   blocks, numbers;  /* of S */
  Block     *block;
  Vector    *vector;
  Slot       slot[NS_SLOTS];
  PetscReal *e, *y; /* scratch: [vectors], [touches, vectors] */
};

static void add_block(NsFeLowRank *self, PetscInt n, const NsFeUnbalance *unbalance, const NsFeVarying *varying)
{
  self->block[self->blocks++] = (Block){.first = self->vectors, .n = n, .at = self->numbers, .unbalance = unbalance, .varying = varying};
  self->numbers += n * n;
  self->vectors += n;
}

/* The twist p and the lateral displacements l2, l3 of an unbalance: see unbalanced_mass.h. */
static void add_unbalance(NsFeLowRank *self, const NsFeUnbalance *u)
{
  self->vector[self->vectors] = (Vector){u->twist.entries, u->twist.unknown, u->twist.weight};
  for (int k = 0; k < 2; k++) self->vector[self->vectors + 1 + k] = (Vector){u->entries, u->unknown, u->lateral[k]};
  add_block(self, NS_UNBALANCE_VECTORS, u, NULL);
  self->of_mass = self->vectors;
}

static void add_force(NsFeLowRank *self, const NsFeVarying *varying)
{
  for (PetscInt c = 0; c < varying->components; c++) self->vector[self->vectors + c] = (Vector){varying->entries, varying->unknown, varying->row[c]};
  add_block(self, varying->components, NULL, varying);
}

PetscErrorCode NsFeLowRankCreate(NsFe *fe, NsFeLowRank **result)
{
  const NsFeForces *here       = &fe->here;
  const PetscInt    unbalances = fe->mass_varies ? here->unbalances : 0;
  const size_t      blocks = (size_t)(unbalances + here->varyings), most = (size_t)(NS_UNBALANCE_VECTORS * unbalances + 6 * here->varyings);
  NsFeLowRank      *self;

  PetscFunctionBegin;
  *result = NULL;
  if (blocks == 0 || fe->ranks > 1) PetscFunctionReturn(0);
  self         = NsArenaAlloc(fe->arena, sizeof(*self));
  self->block  = NsArenaAlloc(fe->arena, sizeof(*self->block) * blocks);
  self->vector = NsArenaAlloc(fe->arena, sizeof(*self->vector) * most);
  for (PetscInt u = 0; u < unbalances; u++) add_unbalance(self, &here->unbalance[u]);
  for (PetscInt f = 0; f < here->varyings; f++) add_force(self, &here->varying[f]);
  const size_t n = (size_t)self->vectors;
  for (int s = 0; s < NS_SLOTS; s++) {
    Slot *slot  = &self->slot[s];
    slot->B     = NsArenaAlloc(fe->arena, sizeof(PetscReal) * n * n);
    slot->S     = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)self->numbers);
    slot->lu    = NsArenaAlloc(fe->arena, sizeof(PetscReal) * n * n);
    slot->pivot = NsArenaAlloc(fe->arena, sizeof(PetscBLASInt) * n);
  }
  self->e = NsArenaAlloc(fe->arena, sizeof(*self->e) * n);
  self->y = NsArenaAlloc(fe->arena, sizeof(*self->y) * n);
  *result = self;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeLowRankDestroy(NsFeLowRank **result)
{
  NsFeLowRank *self = *result;

  PetscFunctionBegin;
  for (int s = 0; self && s < NS_SLOTS; s++) {
    if (self->slot[s].X) PetscCall(VecDestroyVecs(self->vectors, &self->slot[s].X));
  }
  *result = NULL;
  PetscFunctionReturn(0);
}

/* e'x */
static PetscReal project(const Vector *vector, const PetscScalar *x)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < vector->entries; i++) sum += vector->weight[i] * x[vector->unknown[i]];
  return sum;
}

/* X and B of a slot whose operator is new. */
static PetscErrorCode solve_vectors(const NsFe *fe, NsFeLowRank *self, PetscInt s)
{
  const PetscInt n    = self->vectors;
  Slot          *slot = &self->slot[s];

  PetscFunctionBegin;
  if (!slot->X) PetscCall(VecDuplicateVecs(fe->work, n, &slot->X));
  for (PetscInt k = 0; k < n; k++) {
    const Vector *e = &self->vector[k];
    PetscCall(VecZeroEntries(fe->work));
    PetscReal *value = NsVecArray(fe->work);
    for (PetscInt i = 0; i < e->entries; i++) value[e->unknown[i]] += e->weight[i];
    PetscCall(NsBackEndSolve(fe->back_end, s, fe->work, slot->X[k]));
    for (PetscInt i = 0; i < n; i++) slot->B[i * n + k] = project(&self->vector[i], NsVecRead(slot->X[k]));
  }
  PetscFunctionReturn(0);
}

/* y = S e of the active blocks, e and y with these strides. */
static void times_S(const NsFeLowRank *self, const Slot *slot, const PetscReal *e, PetscInt stride, PetscReal *y)
{
  for (PetscInt b = 0; b < self->blocks && self->block[b].first < slot->active; b++) {
    const Block     *block = &self->block[b];
    const PetscReal *S     = slot->S + block->at;
    for (PetscInt i = 0; i < block->n; i++) {
      PetscReal sum = 0;
      for (PetscInt j = 0; j < block->n; j++) sum += S[i * block->n + j] * e[(block->first + j) * stride];
      y[block->first + i] = sum;
    }
  }
}

/* S of all blocks that the operator has; false where all of it vanishes. */
static PetscBool fill(const NsFeLowRank *self, Slot *slot, PetscReal t, const PetscScalar *q, const PetscScalar *v)
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt b = 0; b < self->blocks && self->block[b].first < slot->active; b++) {
    const Block *block = &self->block[b];
    PetscReal   *S     = slot->S + block->at;
    if (block->unbalance)
      NsFeUnbalanceCoefficients(block->unbalance, t, q, slot->op.mass, S);
    else
      NsFeVaryingTangent(block->varying, t, q, v, slot->op, S);
    for (PetscInt i = 0; i < block->n * block->n; i++) any = any || S[i] != 0;
  }
  return any;
}

PetscErrorCode NsFeLowRankFactor(const NsFe *fe, NsFeLowRank *self, PetscInt s, PetscReal t, Vec q, Vec v, NsOperator op)
{
  Slot             *slot = &self->slot[s];
  const NsOperator *old  = &slot->op;
  PetscBLASInt      size, info;

  PetscFunctionBegin;
  if (!slot->X || old->mass != op.mass || old->damping != op.damping || old->stiffness != op.stiffness) {
    PetscCall(solve_vectors(fe, self, s));
    slot->op         = op;
    slot->compliance = NULL;
  }
  slot->active = op.damping == 0 && op.stiffness == 0 ? self->of_mass : self->vectors;
  if (!fill(self, slot, t, NsVecRead(q), NsVecRead(v))) slot->active = 0;
  if (slot->active == 0) PetscFunctionReturn(0);
  const PetscInt n = slot->active;
  for (PetscInt k = 0; k < n; k++) { /* column k of 1 + S B */
    times_S(self, slot, slot->B + k, self->vectors, slot->lu + k * n);
    slot->lu[k * n + k] += 1;
  }
  PetscCall(PetscBLASIntCast(n, &size));
  LAPACKgetrf_(&size, &size, slot->lu, &size, slot->pivot, &info);
  PetscCheck(
    info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "an operator with unbalances and nonlinear forces is singular: dgetrf returned %d", (int)info);
  PetscFunctionReturn(0);
}

/* y[columns, active] = (1 + S B)^-1 y */
static PetscErrorCode solve_small(const Slot *slot, PetscInt columns, PetscReal *y)
{
  PetscBLASInt size, count, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(slot->active, &size));
  PetscCall(PetscBLASIntCast(columns, &count));
  LAPACKgetrs_("N", &size, &count, slot->lu, &size, slot->pivot, y, &size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dgetrs returned %d", (int)info);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeLowRankCorrect(NsFeLowRank *self, PetscInt s, Vec x)
{
  const Slot      *slot  = &self->slot[s];
  const PetscReal *value = NsVecRead(x);

  PetscFunctionBegin;
  if (slot->active == 0) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < slot->active; k++) self->e[k] = project(&self->vector[k], value);
  times_S(self, slot, self->e, 1, self->y);
  PetscCall(solve_small(slot, 1, self->y));
  for (PetscInt k = 0; k < slot->active; k++) self->y[k] = -self->y[k];
  PetscCall(VecMAXPY(x, slot->active, self->y, slot->X));
  PetscFunctionReturn(0);
}

/* E_t' A^-1 E_t of the touch list, and X there: once for an operator. */
static PetscErrorCode keep_compliance(const NsModel *model, NsFeLowRank *self, PetscInt s)
{
  const NsFe     *fe   = model->data;
  const PetscInt  n    = model->touches;
  const PetscReal one  = 1;
  Slot           *slot = &self->slot[s];
  PetscReal      *touched;
  Vec             x;

  PetscFunctionBegin;
  slot->compliance = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(n * n));
  slot->touched    = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(n * self->vectors));
  self->y          = NsArenaAlloc(fe->arena, sizeof(PetscReal) * (size_t)(PetscMax(n, 1) * self->vectors));
  PetscCall(VecDuplicate(fe->work, &x));
  PetscCall(PetscMalloc1(n, &touched));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(VecZeroEntries(fe->work));
    PetscCall(NsModelTouchAdd(model, 1, &k, &one, fe->work));
    PetscCall(NsBackEndSolve(fe->back_end, s, fe->work, x));
    PetscCall(NsModelTouch(model, x, touched));
    for (PetscInt i = 0; i < n; i++) slot->compliance[i * n + k] = touched[i];
  }
  for (PetscInt k = 0; k < self->vectors; k++) PetscCall(NsModelTouch(model, slot->X[k], slot->touched + k * n));
  PetscCall(PetscFree(touched));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeLowRankCompliance(const NsModel *model, NsFeLowRank *self, PetscInt s, PetscReal *C)
{
  Slot          *slot = &self->slot[s];
  const PetscInt n = model->touches, active = slot->active;

  PetscFunctionBegin;
  if (!slot->compliance) PetscCall(keep_compliance(model, self, s));
  for (PetscInt j = 0; j < n; j++) times_S(self, slot, slot->touched + j, n, self->y + j * active);
  if (active) PetscCall(solve_small(slot, n, self->y));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = slot->compliance[i * n + j];
      for (PetscInt k = 0; k < active; k++) sum -= slot->touched[k * n + i] * self->y[j * active + k];
      C[i * n + j] = sum;
    }
  }
  PetscFunctionReturn(0);
}

PetscReal NsFeLowRankGram(const NsFeLowRank *self, PetscInt slot, PetscInt i, PetscInt j)
{
  return self->slot[slot].B[i * self->vectors + j];
}
