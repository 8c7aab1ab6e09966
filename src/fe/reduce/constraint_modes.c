/*
  Coordinates of craig_bampton (reduce.h): with i for the DOF inside and b for those of the boundary,

      Psi_i = -K_ii^-1 K_ib,   K_ii Theta = M_ii Theta Omega^2,   A = K_bb + K_bi Psi
*/
#include <stdlib.h>
#include <string.h>
#include <petscksp.h>
#include "core/cache.h"
#include "reduce.h"

/* 1: of the boundary. */
static PetscErrorCode mark_boundary(const NsFe *fe, const NsModel *whole, PetscInt *mark, PetscInt *count)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < whole->touches; k++) mark[whole->touch[k]] = 1;
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *body    = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < body->node_unknowns && !body->reduce; a++) {
      if (unknown[a] >= 0) mark[unknown[a]] = 1;
    }
  }
  *count = 0;
  for (PetscInt i = 0; i < fe->unknowns; i++) *count += mark[i];
  PetscFunctionReturn(0);
}

static PetscErrorCode find_modes(NsFeReduced *self, PetscInt count, const PetscInt *inner, NsModelModes *modes, PetscInt *chosen)
{
  const NsReduceSettings *settings = &self->settings;

  PetscFunctionBegin;
  for (PetscInt ask = settings->modes ? (PetscInt)settings->modes + 1 : 32;; ask *= 2) {
    PetscCall(NsFeModesAmong(self->whole, count, inner, ask, modes));
    *chosen = PetscMin((PetscInt)settings->modes, modes->count);
    for (PetscInt j = 0; j < modes->count && !settings->modes; j++) *chosen += modes->omega[j] <= settings->up_to;
    if (settings->modes || *chosen < modes->count || modes->count < ask) break;
    PetscCall(NsModelModesDestroy(modes));
  }
  PetscFunctionReturn(0);
}

/* False after an error: rigid motions must be those of the boundary. */
static PetscBool check_modes(NsFe *fe, const NsFeReduced *self, const NsModelModes *modes)
{
  if (self->boundary == self->natural) {
    NsDiagError(
      fe->diag, self->place, "nothing is left to reduce: all %d DOF are those of contacts or of bodies that are not reduced", (int)self->boundary);
    NsDiagNote(fe->diag, "take `reduce` away, or let fewer nodes touch: a set of those that can");
    return PETSC_FALSE;
  }
  if (modes->count == 0) {
    NsDiagError(fe->diag, self->place, "the modes with held boundary cannot be computed: a degree of freedom has no mass");
    return PETSC_FALSE;
  }
  if (modes->omega[0] > 0) return PETSC_TRUE;
  NsDiagError(fe->diag, self->place, "bodies can still move freely when the boundary is held (%d DOF of contacts and of bodies that are not reduced)",
    (int)self->boundary);
  NsDiagNote(fe->diag, "craig_bampton is for boundaries that hold the bodies; use `method: rubin` or `macneal`, or supports");
  return PETSC_FALSE;
}

/* The factor of K_ii, and vectors for its solves. */
typedef struct {
  PetscInt        count;
  const PetscInt *inner;
  PetscInt       *place; /* [natural] index inside; -1: of the boundary */
  Mat             Kii;
  KSP             ksp;
  Vec             b, x;
} Inside;

static PetscErrorCode factor_inside(Mat K, Inside *self)
{
  IS is;
  PC pc;

  PetscFunctionBegin;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, self->count, self->inner, PETSC_USE_POINTER, &is));
  PetscCall(MatCreateSubMatrix(K, is, is, MAT_INITIAL_MATRIX, &self->Kii));
  PetscCall(ISDestroy(&is));
  PetscCall(MatSetOption(self->Kii, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(self->Kii, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatCreateVecs(self->Kii, &self->x, &self->b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &self->ksp));
  PetscCall(KSPSetOperators(self->ksp, self->Kii, self->Kii));
  PetscCall(KSPSetType(self->ksp, KSPPREONLY));
  PetscCall(KSPGetPC(self->ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGND));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_inside(Inside *self)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&self->Kii));
  PetscCall(KSPDestroy(&self->ksp));
  PetscCall(VecDestroy(&self->b));
  PetscCall(VecDestroy(&self->x));
  PetscFunctionReturn(0);
}

/* Columns of T of the boundary. */
static PetscErrorCode take_static_shapes(Mat K, const Inside *inside, NsFeReduced *self)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < self->boundary; k++) {
    PetscReal         *column = self->T + (size_t)k * (size_t)self->natural, *b;
    PetscInt           entries;
    const PetscInt    *at;
    const PetscScalar *value;
    PetscCall(VecZeroEntries(inside->b));
    b = NsVecArray(inside->b);
    PetscCall(MatGetRow(K, self->unknown[k], &entries, &at, &value)); /* K is symmetric */
    for (PetscInt j = 0; j < entries; j++) {
      if (inside->place[at[j]] >= 0) b[inside->place[at[j]]] = -value[j];
    }
    PetscCall(MatRestoreRow(K, self->unknown[k], &entries, &at, &value));
    PetscCall(KSPSolve(inside->ksp, inside->b, inside->x));
    const PetscReal *x = NsVecRead(inside->x);
    for (PetscInt i = 0; i < inside->count; i++) column[inside->inner[i]] = x[i];
    column[self->unknown[k]] = 1;
  }
  PetscFunctionReturn(0);
}

/* A = T_b' K T_b = (K T_b)_b, for K T_b is zero inside. */
static PetscErrorCode condense(Mat K, NsFeReduced *self)
{
  const PetscInt b = self->boundary;
  Vec            x, y;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(K, NULL, &y));
  for (PetscInt k = 0; k < b; k++) {
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, self->natural, self->T + (size_t)k * (size_t)self->natural, &x));
    PetscCall(MatMult(K, x, y));
    const PetscReal *force = NsVecRead(y);
    for (PetscInt i = 0; i < b; i++) self->A[k * b + i] = force[self->unknown[i]];
    PetscCall(VecDestroy(&x));
  }
  for (PetscInt i = 0; i < b; i++) {
    for (PetscInt j = 0; j < i; j++) self->A[i * b + j] = self->A[j * b + i] = (self->A[i * b + j] + self->A[j * b + i]) / 2;
  }
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

/* Of F_i' K_ii^-1 F_i, what the modes do not have. */
static PetscErrorCode judge_loads(const Inside *inside, NsFeReduced *self)
{
  NsModel *whole = self->whole;
  PetscInt loads;
  Vec     *shape;

  PetscFunctionBegin;
  PetscCall(whole->analysis.load_shapes(whole, &loads, &shape));
  for (PetscInt l = 0; l < loads; l++) {
    const PetscReal *F = NsVecRead(shape[l]);
    PetscReal       *b = NsVecArray(inside->b), compliance, had = 0;
    for (PetscInt i = 0; i < inside->count; i++) b[i] = F[NsLayoutIndex(whole->layout, inside->inner[i])];
    PetscCall(KSPSolve(inside->ksp, inside->b, inside->x));
    PetscCall(VecDot(inside->b, inside->x, &compliance));
    for (PetscInt j = 0; j < self->modes; j++) {
      const PetscReal *mode = self->T + (size_t)(self->boundary + j) * (size_t)self->natural;
      PetscReal        part = 0;
      for (PetscInt i = 0; i < inside->count; i++) part += mode[inside->inner[i]] * b[i];
      had += PetscSqr(part / self->omega[j]);
    }
    if (compliance > 0) self->neglected = PetscMax(self->neglected, 1 - had / compliance);
  }
  PetscCall(VecDestroyVecs(loads, &shape));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_modes(const NsModelModes *modes, NsFeReduced *self)
{
  const NsLayout *layout = self->whole->layout;

  PetscFunctionBegin;
  self->next = self->modes < modes->count ? modes->omega[self->modes] : 0;
  for (PetscInt j = 0; j < self->modes; j++) {
    const PetscReal *shape = NsVecRead(modes->shape[j]);
    PetscReal       *to    = self->T + (size_t)(self->boundary + j) * (size_t)self->natural;
    self->omega[j]         = modes->omega[j];
    for (PetscInt i = 0; i < self->natural; i++) to[NsLayoutNatural(layout, i)] = shape[i];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode take_shapes(NsFe *fe, Inside *inside, const NsModelModes *modes, NsFeReduced *self)
{
  Mat M, C, G, K;

  PetscFunctionBegin;
  PetscCall(take_modes(modes, self));
  PetscCall(NsFeAssemble(fe, NULL, &M, &C, &G, &K));
  PetscCall(factor_inside(K, inside));
  PetscCall(take_static_shapes(K, inside, self));
  PetscCall(condense(K, self));
  PetscCall(judge_loads(inside, self));
  PetscCall(destroy_inside(inside));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(0);
}

/* ---- kept between runs -------------------------------------------------------------------------------------------------------------------------- */

#define NS_KEPT_RATE 2e-5 /* s: about what each DOF and coordinate takes */

/* Under which the coordinates are kept; "": they are not. */
static PetscErrorCode find_key(const NsFeReduced *self, const PetscInt *mark, char key[NS_SHA256_TEXT])
{
  const NsReduceSettings *settings = &self->settings;
  NsModel                *whole    = self->whole;
  const PetscReal         seconds  = NS_KEPT_RATE * (PetscReal)self->natural * (PetscReal)(self->boundary + (settings->modes ? settings->modes : 32));
  NsSha256                sha;
  PetscInt                loads;
  Vec                    *shape;

  PetscFunctionBegin;
  *key = '\0';
  if (!NsCacheKeeps(seconds)) PetscFunctionReturn(0);
  NsCacheKeyBegin(&sha);
  NsSha256Add(&sha, "craig_bampton", 13);
  NsSha256Add(&sha, &settings->modes, sizeof(settings->modes));
  NsSha256Add(&sha, &settings->up_to, sizeof(settings->up_to));
  NsSha256Add(&sha, mark, sizeof(*mark) * (size_t)self->natural);
  PetscCall(NsFeFingerprint(whole, &sha));
  PetscCall(whole->analysis.load_shapes(whole, &loads, &shape));
  for (PetscInt l = 0; l < loads; l++) NsSha256Add(&sha, NsVecRead(shape[l]), sizeof(PetscReal) * (size_t)self->natural);
  PetscCall(VecDestroyVecs(loads, &shape));
  NsSha256End(&sha, key);
  PetscFunctionReturn(0);
}

/* Modes, next frequency, missing compliance; then omega, A and T. */
static void keep(const char *key, const NsFeReduced *self)
{
  const double       head[3] = {(double)self->modes, self->next, self->neglected};
  const NsCacheBlock block[] = {
    {head, 3}, {self->omega, (size_t)self->modes}, {self->A, NsSquare(self->boundary)}, {self->T, (size_t)self->natural * (size_t)self->n}};

  if (*key) NsCacheWrite(key, 4, block);
}

static PetscErrorCode take_kept(NsFe *fe, const char *key, NsFeReduced *self, PetscBool *taken)
{
  const size_t b = (size_t)self->boundary, N = (size_t)self->natural;
  size_t       numbers = 0;
  char         path[4200];
  double      *kept = *key ? NsCacheRead(key, &numbers, path, sizeof(path)) : NULL;

  PetscFunctionBegin;
  const size_t r = kept && numbers > 3 && kept[0] >= 0 && kept[0] < 1e6 ? (size_t)kept[0] : 0;
  *taken         = kept && numbers == 3 + r + b * b + N * (b + r);
  if (*taken) PetscCall(NsReduceAllocate(fe, self, self->boundary, (PetscInt)r));
  if (*taken && self->n) {
    self->next      = kept[1];
    self->neglected = kept[2];
    self->kept      = NsArenaCopy(fe->arena, path, strlen(path));
    PetscCall(PetscArraycpy(self->omega, kept + 3, r));
    PetscCall(PetscArraycpy(self->A, kept + 3 + r, b * b));
    PetscCall(PetscArraycpy(self->T, kept + 3 + r + b * b, N * (b + r)));
  }
  free(kept);
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------------------------------------------- */

PetscErrorCode NsReduceByConstraintModes(NsFe *fe, NsFeReduced *self)
{
  const PetscInt N = self->natural;
  PetscInt      *mark, *inner, b, count = 0, chosen = 0;
  PetscBool      taken;
  char           key[NS_SHA256_TEXT];
  NsModelModes   modes = {0};
  Inside         inside;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(N, &mark, N, &inner));
  PetscCall(mark_boundary(fe, self->whole, mark, &b));
  for (PetscInt i = 0; i < N; i++) {
    if (!mark[i]) inner[count++] = i;
  }
  self->boundary = b;
  PetscCall(find_key(self, mark, key));
  PetscCall(take_kept(fe, key, self, &taken));
  if (count && !taken) PetscCall(find_modes(self, count, inner, &modes, &chosen));
  const PetscBool good = taken || check_modes(fe, self, &modes);
  if (good && !taken) PetscCall(NsReduceAllocate(fe, self, b, chosen));
  for (PetscInt i = 0, at = 0; i < N && self->n; i++) {
    if (mark[i]) self->unknown[at++] = i;
  }
  if (good && !taken) {
    inside = (Inside){.count = count, .inner = inner, .place = mark};
    for (PetscInt i = 0, at = 0; i < N; i++) mark[i] = mark[i] ? -1 : at++;
    if (self->n) PetscCall(take_shapes(fe, &inside, &modes, self));
    if (self->n) keep(key, self);
  }
  if (modes.count) PetscCall(NsModelModesDestroy(&modes));
  PetscCall(PetscFree2(mark, inner));
  PetscFunctionReturn(0);
}
