/*
  Motions that no stiffness resists: of the model as a whole, and of mechanisms inside a truss.

  A vector x with K x = 0 is found by inverse iteration with K + s, s = 1e-12 of the largest row of K in scaled coordinates (pencil.h), and accepted where its strain energy is the rounding of its
  terms. Inside a truss the rigid motions of the body that nothing resists are projected out first: what is left is a mechanism, such as a square of four bars.

  One factorization of the model, and one of each truss.
*/
#include <petscksp.h>
#include <stdio.h>
#include "components.h"
#include "equilibrium.h"
#include "fe/modes/pencil.h"
#include <petscblaslapack.h>

#define NS_SHIFT      1e-12
#define NS_ITERATIONS 10
#define NS_RIGID      6
#define NS_RESISTED   1e-12 /* energy of a rigid motion, over that of a motion that K resists most */

/* Orthonormal rigid motions. */
typedef struct {
  PetscInt   count;
  PetscReal *y[NS_RIGID]; /* [n] */
} Rigid;

static PetscReal dot(PetscInt n, const PetscReal *a, const PetscReal *b)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void project(const Rigid *rigid, PetscInt n, PetscReal *x)
{
  for (int again = 0; again < 2; again++) {
    for (PetscInt k = 0; k < rigid->count; k++) {
      const PetscReal part = dot(n, rigid->y[k], x);
      for (PetscInt i = 0; i < n; i++) x[i] -= part * rigid->y[k][i];
    }
  }
}

/* To a length of 1; what there was. */
static PetscReal normalize(PetscInt n, PetscReal *x)
{
  const PetscReal length = PetscSqrtReal(dot(n, x, x));

  for (PetscInt i = 0; i < n && length > 0; i++) x[i] /= length;
  return length;
}

/* x[n] of length 1 with K x = 0, beside rigid motions. */
static PetscErrorCode find_null(const NsPencil *pencil, const Rigid *rigid, PetscReal *x, PetscBool *found)
{
  const PetscInt n = pencil->n;
  PetscComplex  *y;
  PetscReal      energy, mass;
  KSP            ksp;
  PC             pc;
  Mat            A;
  Vec            v;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(MatDuplicate(pencil->K, MAT_COPY_VALUES, &A));
  PetscCall(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE)); /* as in pencil.c */
  PetscCall(MatShift(A, NS_SHIFT));
  PetscCall(MatCreateVecs(A, &v, NULL));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-30));
  PetscReal *value = NsVecArray(v);
  for (PetscInt i = 0; i < n; i++) value[i] = PetscSinReal(1 + 1.7 * (PetscReal)i); /* any that no motion is orthogonal to */
  PetscBool gone = PETSC_FALSE;
  for (int k = 0; k < NS_ITERATIONS && !gone; k++) {
    project(rigid, n, value);
    gone = normalize(n, value) < 1e-9;
    if (!gone) PetscCall(KSPSolve(ksp, v, v));
  }
  if (!gone) {
    project(rigid, n, value);
    gone = normalize(n, value) == 0;
    PetscCall(PetscMalloc1(n, &y));
    for (PetscInt i = 0; i < n; i++) y[i] = value[i];
    PetscCall(NsPencilStrains(pencil, y, found, &energy, &mass));
    PetscCall(PetscFree(y));
    for (PetscInt i = 0; i < n; i++) x[i] = value[i] * pencil->d[i];
    *found = *found && !gone;
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

static PetscInt largest(PetscInt n, const PetscReal *x)
{
  PetscInt most = 0;

  for (PetscInt i = 0; i < n; i++) most = PetscAbsReal(x[i]) > PetscAbsReal(x[most]) * (1 + 1e-6) ? i : most;
  return most;
}

/* Of the rigid motions k of a body whose nodes have displacements only, the one of this unknown. */
static PetscReal rigid_at(const NsFe *fe, const NsFeBody *body, PetscInt node, PetscInt a, int k)
{
  const PetscReal *x = fe->x + 3 * (body->first_node + node), *x0 = fe->x + 3 * body->first_node;
  PetscReal        u[3] = {0};

  if (k < 3)
    u[k] = 1;
  else { /* e_k x (x - x0) */
    u[(k + 1) % 3] = -(x[(k + 2) % 3] - x0[(k + 2) % 3]);
    u[(k + 2) % 3] = x[(k + 1) % 3] - x0[(k + 1) % 3];
  }
  return NsDot3(body->direction[a], u);
}

/* The combinations of y[NS_RIGID] that neither supports (S) nor K resist: the null space of S + y'K y; orthonormal afterwards, the others freed. */
static PetscErrorCode keep_free(Mat K, PetscInt n, PetscReal S[NS_RIGID * NS_RIGID], PetscReal *y[NS_RIGID], Rigid *rigid)
{
  PetscReal    value[NS_RIGID], work[64 * NS_RIGID], *Ky, trace = 0;
  PetscBLASInt size = NS_RIGID, room = 64 * NS_RIGID, info;
  Vec          in, out;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(K, &in, &out));
  for (int k = 0; k < NS_RIGID; k++) {
    PetscCall(PetscArraycpy(NsVecArray(in), y[k], n));
    PetscCall(MatMult(K, in, out));
    Ky = NsVecArray(out);
    for (int l = 0; l < NS_RIGID; l++) S[NS_RIGID * k + l] += dot(n, y[l], Ky);
    trace += dot(n, y[k], y[k]);
  }
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  LAPACKsyev_("V", "U", &size, S, &size, value, work, &room, &info);
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's syev failed: %d", (int)info);
  rigid->count = 0;
  for (int k = 0; k < NS_RIGID && value[k] < NS_RESISTED * trace; k++) {
    PetscReal *sum;
    PetscCall(PetscCalloc1(n, &sum));
    for (int l = 0; l < NS_RIGID; l++) {
      for (PetscInt i = 0; i < n; i++) sum[i] += S[NS_RIGID * k + l] * y[l][i];
    }
    const PetscReal before = PetscSqrtReal(dot(n, sum, sum));
    project(rigid, n, sum);
    if (normalize(n, sum) > 1e-6 * PetscMax(before, PetscSqrtReal(trace)))
      rigid->y[rigid->count++] = sum;
    else
      PetscCall(PetscFree(sum)); /* moves nothing: across a line, or out of a plane */
  }
  PetscFunctionReturn(0);
}

/* Rigid motions of a body that nothing resists; index[unknowns]: in the pencil. */
static PetscErrorCode make_rigid(const NsFe *fe, const NsFeBody *body, const PetscInt *index, const NsPencil *pencil, Rigid *rigid)
{
  PetscReal S[NS_RIGID * NS_RIGID] = {0}, *y[NS_RIGID], column[NS_RIGID];

  PetscFunctionBegin;
  for (int k = 0; k < NS_RIGID; k++) PetscCall(PetscCalloc1(pencil->n, &y[k]));
  for (PetscInt i = 0; i < body->mesh->nodes; i++) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, body->first_node + i);
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscInt at = unknown[a] >= 0 ? index[unknown[a]] : -1;
      for (int k = 0; k < NS_RIGID; k++) column[k] = rigid_at(fe, body, i, a, k) / pencil->d[PetscMax(at, 0)];
      for (int k = 0; k < NS_RIGID && at >= 0; k++) y[k][at] = column[k];
      for (int k = 0; k < NS_RIGID * NS_RIGID && at < 0; k++) S[k] += column[k / NS_RIGID] * column[k % NS_RIGID];
    }
  }
  PetscCall(keep_free(pencil->K, pencil->n, S, y, rigid));
  for (int k = 0; k < NS_RIGID; k++) PetscCall(PetscFree(y[k]));
  PetscFunctionReturn(0);
}

/* Motions of a truss within itself, all others at rest. index[unknowns]: room. */
static PetscErrorCode look_inside(NsFe *fe, NsModel *model, const NsFeBody *body, Mat M, Mat K, PetscInt *index)
{
  PetscInt  *own, n = 0;
  PetscReal *x;
  Mat        part[2];
  NsPencil   pencil;
  PetscBool  found;
  Rigid      rigid;
  char       name[256];
  IS         is;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(body->mesh->nodes * body->node_unknowns), &own));
  for (PetscInt i = 0; i < body->mesh->nodes * body->node_unknowns; i++) {
    const PetscInt unknown = NsFeNodeUnknowns(fe, body->first_node)[i];
    if (unknown >= 0) own[n++] = unknown;
  }
  PetscCall(PetscSortInt(n, own));
  for (PetscInt i = 0; i < n; i++) index[own[i]] = i;
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, own, PETSC_USE_POINTER, &is));
  PetscCall(MatCreateSubMatrix(M, is, is, MAT_INITIAL_MATRIX, &part[0]));
  PetscCall(MatCreateSubMatrix(K, is, is, MAT_INITIAL_MATRIX, &part[1]));
  PetscCall(NsPencilCreate(part[0], NULL, part[1], &pencil));
  PetscCall(make_rigid(fe, body, index, &pencil, &rigid));
  PetscCall(PetscMalloc1(n, &x));
  PetscCall(find_null(&pencil, &rigid, x, &found));
  if (found) {
    PetscCall(model->view.name_unknown(model, own[largest(n, x)], name, sizeof(name)));
    NsDiagWarning(fe->diag, NsKeysPlace(body->where, "mesh"),
      "'%s' is kinematically indeterminate: it can change its shape without any force, such as at %s", body->name, name);
    NsDiagNote(fe->diag, "add bars until its parts are triangles, or supports; bodies that bend are of `type: beam`");
  }
  for (PetscInt k = 0; k < rigid.count; k++) PetscCall(PetscFree(rigid.y[k]));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(own));
  PetscCall(NsPencilDestroy(&pencil));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&part[k]));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(0);
}

/* Whether what moves without strain is meant to: the twist of a rotor of free spin, nonlinear springs at their gap. */
static PetscBool is_meant(const NsFe *fe)
{
  PetscBool meant = NsFeIsNonlinear(fe);

  for (PetscInt b = 0; b < fe->bodies; b++) meant = meant || (fe->body[b].is_rotor && NsSpinIsFree(fe->body[b].spin));
  return meant;
}

PetscErrorCode NsFeLooseMotions(NsModel *model, char *text, size_t size)
{
  NsFe       *fe   = model->data;
  const Rigid none = {0, {NULL}};
  PetscInt   *index;
  PetscReal  *x;
  NsPencil    pencil;
  PetscBool   found;
  Mat         M, C, G, K;

  PetscFunctionBegin;
  text[0] = 0;
  if (model->layout->ranks > 1 || fe->unknowns == 0 || is_meant(fe)) PetscFunctionReturn(0);
  PetscCall(NsFeAssemble(fe, NULL, &M, &C, &G, &K));
  PetscCall(NsFeAddTies(model, K));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&G));
  PetscCall(NsPencilCreate(M, NULL, K, &pencil));
  PetscCall(PetscMalloc2(fe->unknowns, &x, fe->unknowns, &index));
  if (pencil.symmetric) PetscCall(find_null(&pencil, &none, x, &found));
  if (pencil.symmetric && found) PetscCall(model->view.name_unknown(model, largest(pencil.n, x), text, size));
  for (PetscInt b = 0; b < fe->bodies && found && pencil.symmetric; b++) {
    const NsFeBody *body = &fe->body[b];
    if (body->element && body->element->axial && body->node_unknowns > 1 && !body->loose) PetscCall(look_inside(fe, model, body, M, K, index));
  }
  PetscCall(PetscFree2(x, index));
  PetscCall(NsPencilDestroy(&pencil));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(0);
}
