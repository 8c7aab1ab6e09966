/*
  Back end `petsc`: M, C, K as AIJ matrices, one KSP for each operator A = m M + c C + k K that a scheme solves with.

  Works for any model, on any number of processes. Default solver: a division where A is diagonal, else one factorization (Cholesky where A is symmetric) and two
  triangular solves a step; on several processes conjugate gradients (GMRES where A is not symmetric), preconditioned by a factor of each process's own block. The options database
  (`percuss run CONFIG -- -ksp_type cg -pc_type jacobi`) overrides it. A step costs a MatMult and a KSPSolve.

  PETSc numbers unknowns process by process; indices in vectors are those numbers, less the first one of the process, so that vectors need not be copied.
*/
#include <petscksp.h>
#include <string.h>
#include "backend.h"

typedef struct {
  Mat        M, K, C, dampers; /* NULL for a matrix without rows, and if another back end uses this one for solves only */
  Mat        A[NS_SLOTS];
  KSP        ksp[NS_SLOTS];
  Vec        x, y, z;  /* without memory: arrays are placed into them */
  PetscReal *work;     /* [local] */
  PetscInt  *number;   /* [unknowns] PETSc's number of each; NULL: the natural one */
  PetscBool  in_order; /* unknowns are numbered along the bodies: factors need no reordering */
} Petsc;

/* Works with every model; the only choice where the options database names a solver. */
static PetscErrorCode suits(const NsFe *fe, NsSuitability *suitability, char *why, size_t size)
{
  char *options;

  PetscFunctionBegin;
  (void)fe;
  (void)why;
  (void)size;
  PetscCall(PetscOptionsGetAll(NULL, &options));
  *suitability = strstr(options, "-ksp_") || strstr(options, "-pc_") ? NS_SUITS_ONLY : NS_SUITS;
  PetscCall(PetscFree(options));
  PetscFunctionReturn(0);
}

/* No element or spring joins nodes with distant numbers: natural order then has no fill-in, and solves without permutation are faster. */
static PetscBool is_in_order(const NsFe *fe)
{
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    for (PetscInt k = 1; k < fe->body[e->body].element->nodes; k++) {
      if (PetscAbsInt(e->node[k] - e->node[k - 1]) > 2) return PETSC_FALSE;
    }
  }
  for (PetscInt s = 0; s < fe->force_elements; s++) {
    const NsFePoint *spot = fe->force[s].end;
    PetscInt         node[2];
    for (int k = 0; k < 2; k++) node[k] = spot[k].node >= 0 || spot[k].body < 0 ? spot[k].node : fe->element[spot[k].element].node[0];
    if (spot[1].body >= 0 && PetscAbsInt(node[0] - node[1]) > 2) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Process after process, each in natural order. */
static PetscErrorCode number_unknowns(const NsBackEnd *back_end, Petsc *self)
{
  const PetscInt n = back_end->fe->unknowns;
  PetscInt      *next;
  int            ranks;

  PetscFunctionBegin;
  if (!back_end->fe->owner_of) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_size(back_end->fe->comm, &ranks));
  PetscCall(PetscMalloc1(n, &self->number));
  PetscCall(PetscCalloc1(ranks + 1, &next));
  for (PetscInt i = 0; i < n; i++) next[back_end->fe->owner_of[i] + 1]++;
  for (int r = 0; r < ranks; r++) next[r + 1] += next[r];
  for (PetscInt i = 0; i < n; i++) self->number[i] = next[back_end->fe->owner_of[i]]++;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(0);
}

/* NULL where there are no rows at all, on any process. */
static PetscErrorCode take_matrix(const NsBackEnd *back_end, const NsSparse *rows, Mat *matrix)
{
  const Petsc *self = back_end->data;
  PetscInt    *diagonal, *other, *column, first, widest = 0;

  PetscFunctionBegin;
  *matrix = NULL;
  if (!rows->start) PetscFunctionReturn(0);
  PetscCall(PetscCalloc2(rows->rows, &diagonal, rows->rows, &other));
  first = self->number && rows->rows ? self->number[rows->row[0]] : 0;
  for (PetscInt r = 0; r < rows->rows; r++) {
    for (PetscInt k = rows->start[r]; k < rows->start[r + 1]; k++) {
      const PetscInt c = self->number ? self->number[rows->column[k]] : rows->column[k];
      if (c >= first && c < first + rows->rows)
        diagonal[r]++;
      else
        other[r]++;
    }
    widest = PetscMax(widest, rows->start[r + 1] - rows->start[r]);
  }
  PetscCall(MatCreateAIJ(back_end->fe->comm, rows->rows, rows->rows, back_end->fe->unknowns, back_end->fe->unknowns, 0, diagonal, 0, other, matrix));
  PetscCall(PetscFree2(diagonal, other));
  PetscCall(PetscMalloc1(widest, &column));
  for (PetscInt r = 0; r < rows->rows; r++) {
    const PetscInt row = first + r, at = rows->start[r], n = rows->start[r + 1] - at;
    for (PetscInt k = 0; k < n; k++) column[k] = self->number ? self->number[rows->column[at + k]] : rows->column[at + k];
    PetscCall(MatSetValues(*matrix, 1, &row, n, column, rows->value + at, INSERT_VALUES));
  }
  PetscCall(PetscFree(column));
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(NsBackEnd *back_end)
{
  Petsc         *self = NsArenaAlloc(back_end->fe->arena, sizeof(*self));
  const PetscInt n    = back_end->M.rows;

  PetscFunctionBegin;
  back_end->data = self;
  self->in_order = is_in_order(back_end->fe);
  PetscCall(number_unknowns(back_end, self));
  PetscCall(VecCreateMPIWithArray(back_end->fe->comm, 1, n, back_end->fe->unknowns, NULL, &self->x));
  PetscCall(VecCreateMPIWithArray(back_end->fe->comm, 1, n, back_end->fe->unknowns, NULL, &self->y));
  PetscCall(VecCreateMPIWithArray(back_end->fe->comm, 1, n, back_end->fe->unknowns, NULL, &self->z));
  if (!back_end->layout) PetscCall(NsFeLayoutOwnedFirst(back_end->fe, &back_end->layout));
  if (back_end->type != &NsBackEndType_Petsc) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(back_end->layout->local, &self->work));
  PetscCall(take_matrix(back_end, &back_end->M, &self->M));
  PetscCall(take_matrix(back_end, &back_end->K, &self->K));
  PetscCall(take_matrix(back_end, &back_end->C, &self->C));
  if (back_end->C.value == back_end->dampers.value) {
    self->dampers = self->C;
    PetscCall(PetscObjectReference((PetscObject)self->C));
  } else
    PetscCall(take_matrix(back_end, &back_end->dampers, &self->dampers));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsBackEnd *back_end)
{
  Petsc *self = back_end->data;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < NS_SLOTS; s++) {
    PetscCall(MatDestroy(&self->A[s]));
    PetscCall(KSPDestroy(&self->ksp[s]));
  }
  PetscCall(MatDestroy(&self->M));
  PetscCall(MatDestroy(&self->K));
  PetscCall(MatDestroy(&self->C));
  PetscCall(MatDestroy(&self->dampers));
  PetscCall(VecDestroy(&self->x));
  PetscCall(VecDestroy(&self->y));
  PetscCall(VecDestroy(&self->z));
  PetscCall(PetscFree(self->work));
  PetscCall(PetscFree(self->number));
  PetscFunctionReturn(0);
}

/* y = A x, or y += A x */
static PetscErrorCode multiply(Petsc *self, Mat A, const PetscReal *x, PetscReal *y, PetscBool add)
{
  PetscFunctionBegin;
  PetscCall(VecPlaceArray(self->x, x));
  PetscCall(VecPlaceArray(self->y, y));
  if (add)
    PetscCall(MatMultAdd(A, self->x, self->y, self->y));
  else
    PetscCall(MatMult(A, self->x, self->y));
  PetscCall(VecResetArray(self->x));
  PetscCall(VecResetArray(self->y));
  PetscFunctionReturn(0);
}

/* h - K q - C v into the workspace. */
static PetscErrorCode total_force(NsBackEnd *back_end, const PetscReal *q, const PetscReal *v, const PetscReal *h)
{
  Petsc     *self = back_end->data;
  PetscReal *w    = self->work;

  PetscFunctionBegin;
  PetscCall(multiply(self, self->K, q, w, PETSC_FALSE));
  if (self->C) PetscCall(multiply(self, self->C, v, w, PETSC_TRUE));
  if (h)
    for (PetscInt i = 0; i < back_end->M.rows; i++) w[i] = h[i] - w[i];
  else
    for (PetscInt i = 0; i < back_end->M.rows; i++) w[i] = -w[i];
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsBackEnd *back_end, PetscReal *q, PetscReal *v, PetscReal *h)
{
  Petsc *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(total_force(back_end, q, v, h));
  PetscCall(PetscArraycpy(h, self->work, back_end->M.rows));
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsBackEnd *back_end, PetscReal *x, PetscReal *y)
{
  Petsc *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(multiply(self, self->M, x, y, PETSC_FALSE));
  PetscFunctionReturn(0);
}

#define NS_DISSECTED \
  5000 /* rows: from here on nested dissection has a fraction of the fill-in of Cuthill and McKee's bands, in the plane and in space */

#define NS_MUMPS 20000 /* rows, */
#define NS_DENSE \
  40 /* with this many entries each, as in space: MUMPS takes a fraction of the time, for its supernodes are products of dense matrices */

static PetscErrorCode default_solver(NsBackEnd *back_end, Mat A, PetscBool symmetric, KSP ksp)
{
  Petsc    *self = back_end->data;
  PC        pc;
  MatInfo   info;
  PetscInt  rows;
  PetscReal smallest;
  Vec       diagonal;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT)); /* of iterative solvers, if the user chooses one */
  if ((PetscInt)info.nz_used == rows) {                                                 /* diagonal */
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscFunctionReturn(0);
  }
  if (back_end->fe->owner_of) {
    PetscCall(KSPSetType(ksp, symmetric ? KSPCG : KSPGMRES));
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscFunctionReturn(0);
  }
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
  PetscCall(PCFactorSetMatOrderingType(pc, self->in_order ? MATORDERINGNATURAL : rows < NS_DISSECTED ? MATORDERINGRCM : MATORDERINGND));
#if defined(PETSC_HAVE_MUMPS)
  if (rows >= NS_MUMPS && info.nz_used >= NS_DENSE * (PetscReal)rows) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
#endif
  /* PETSc's default, 2e-14, is absolute: the mass matrix of a thin wire would count as singular */
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecMin(diagonal, NULL, &smallest));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-14 * smallest));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsBackEnd *back_end, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  Petsc   *self = back_end->data;
  KSP     *ksp  = &self->ksp[slot];
  NsSparse rows;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&self->A[slot]));
  PetscCall(NsBackEndOperator(back_end, op, &rows));
  PetscCall(take_matrix(back_end, &rows, &self->A[slot]));
  PetscCall(NsSparseDestroy(&rows));
  PetscCall(MatSetOption(
    self->A[slot], MAT_USE_INODES, PETSC_FALSE)); /* with inodes PETSc 3.18 reads memory that it has not written when it factors sums of matrices */
  if (symmetric) PetscCall(MatSetOption(self->A[slot], MAT_SPD, PETSC_TRUE));
  if (!*ksp) {
    PetscCall(KSPCreate(back_end->fe->comm, ksp));
    PetscCall(KSPSetOperators(*ksp, self->A[slot], self->A[slot]));
    PetscCall(default_solver(back_end, self->A[slot], symmetric, *ksp));
    PetscCall(KSPSetFromOptions(*ksp));
  }
  PetscCall(KSPSetOperators(*ksp, self->A[slot], self->A[slot]));
  PetscCall(KSPSetUp(*ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(NsBackEnd *back_end, PetscInt slot, PetscReal *b, PetscReal *x)
{
  Petsc             *self = back_end->data;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(VecPlaceArray(self->y, b));
  PetscCall(VecPlaceArray(self->x, x));
  PetscCall(KSPSolve(self->ksp[slot], self->y, self->x));
  PetscCall(KSPGetConvergedReason(self->ksp[slot], &reason));
  /* NaN: the guard of the run stops and names the unknown. Only solvers chosen by options fail. */
  if (reason < 0) PetscCall(VecSet(self->x, NAN));
  PetscCall(VecResetArray(self->x));
  PetscCall(VecResetArray(self->y));
  PetscFunctionReturn(0);
}

static PetscErrorCode accel(NsBackEnd *back_end, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a)
{
  Petsc *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(total_force(back_end, q, v, h));
  PetscCall(solve(back_end, 0, self->work, a));
  PetscFunctionReturn(0);
}

static PetscErrorCode flight(
  NsBackEnd *back_end, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1)
{
  const PetscInt n = back_end->M.rows;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    q1[i] = q0[i] + dt * (v0[i] + dt / 2 * a0[i]);
    v1[i] = v0[i] + dt * a0[i]; /* va, until a1 is known */
  }
  PetscCall(accel(back_end, q1, v1, h, a1));
  for (PetscInt i = 0; i < n; i++) v1[i] = v0[i] + dt / 2 * (a0[i] + a1[i]);
  PetscFunctionReturn(0);
}

static PetscErrorCode product(NsBackEnd *back_end, PetscBool dampers, PetscReal *x, PetscReal *y, PetscReal *sum)
{
  Petsc *self = back_end->data;

  PetscFunctionBegin;
  PetscCall(multiply(self, dampers ? self->dampers : self->M, y, self->work, PETSC_FALSE));
  *sum = 0;
  for (PetscInt i = 0; i < back_end->M.rows; i++) *sum += x[i] * self->work[i];
  PetscCall(NsLayoutSum(back_end->layout, 1, sum));
  PetscFunctionReturn(0);
}

const NsBackEndType NsBackEndType_Petsc = {
  .suits   = suits,
  .create  = create,
  .destroy = destroy,
  .accel   = accel,
  .flight  = flight,
  .force   = force,
  .mult    = mult,
  .factor  = factor,
  .solve   = solve,
  .product = product,
};
