/*
  Back end `petsc`: M, C, K as AIJ matrices, one KSP for each operator A = m M + c C + k K that a scheme solves with.

  Works for any model, on any number of processes. Default solver: the diagonal itself where A is diagonal, else one factorisation (Cholesky where A is symmetric) and two
  sweeps a step, and on several processes conjugate gradients (GMRES where A is not symmetric) with a factor of each process's own block; the options database
  (`percuss run CONFIG -- -ksp_type cg -pc_type jacobi`) changes it. A step costs a MatMult and a KSPSolve.

  PETSc numbers unknowns process by process; places are those numbers, less the first one of the process, so that vectors need not be copied.
*/
#include <petscksp.h>
#include "free.h"

typedef struct {
  Mat        M, K, C, dampers; /* NULL where there are none, and where another back end only solves here */
  Mat        A[NS_SLOTS];
  KSP        ksp[NS_SLOTS];
  Vec        x, y, z;  /* without arrays of their own */
  PetscReal *work;     /* [local] */
  PetscInt  *number;   /* [unknowns] PETSc's number of each; NULL: its own */
  PetscBool  in_order; /* unknowns are numbered along the lines already: factors need no reordering */
} NsBackEndData_Petsc;

/* Numbered along lines when no element spans more than a few unknowns: natural order then has no fill, and sweeps without permutation are faster. */
static PetscBool is_in_order(const NsFe *fe)
{
  for (PetscInt i = 0; i < fe->elements; i++) {
    if (PetscAbsInt(fe->element[i].node[0] - fe->element[i].node[1]) > 2) return PETSC_FALSE;
  }
  for (PetscInt s = 0; s < fe->springs; s++) {
    const NsFeSpot *spot = fe->spring[s].spot;
    PetscInt        node[2];
    for (int k = 0; k < 2; k++) node[k] = spot[k].node >= 0 || spot[k].body < 0 ? spot[k].node : fe->element[spot[k].element].node[0];
    if (spot[1].body >= 0 && PetscAbsInt(node[0] - node[1]) > 2) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Process after process, each in natural order. */
static PetscErrorCode number_unknowns(const NsFreeDynamics *free, NsBackEndData_Petsc *self)
{
  const PetscInt n = free->fe->unknowns;
  PetscInt      *next;
  int            ranks;

  PetscFunctionBegin;
  if (!free->fe->owner_of) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_size(free->fe->comm, &ranks));
  PetscCall(PetscMalloc1(n, &self->number));
  PetscCall(PetscCalloc1(ranks + 1, &next));
  for (PetscInt i = 0; i < n; i++) next[free->fe->owner_of[i] + 1]++;
  for (int r = 0; r < ranks; r++) next[r + 1] += next[r];
  for (PetscInt i = 0; i < n; i++) self->number[i] = next[free->fe->owner_of[i]]++;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(0);
}

/* NULL where there are no rows at all, on any process. */
static PetscErrorCode take_matrix(const NsFreeDynamics *free, const NsSparse *rows, Mat *matrix)
{
  const NsBackEndData_Petsc *self = free->data;
  PetscInt                  *diagonal, *other, *column, first, widest = 0;

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
  PetscCall(MatCreateAIJ(free->fe->comm, rows->rows, rows->rows, free->fe->unknowns, free->fe->unknowns, 0, diagonal, 0, other, matrix));
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

static PetscErrorCode create(NsFreeDynamics *free)
{
  NsBackEndData_Petsc *self = NsArenaAlloc(free->fe->arena, sizeof(*self));
  const PetscInt       n    = free->M.rows;

  PetscFunctionBegin;
  free->data     = self;
  self->in_order = is_in_order(free->fe);
  PetscCall(number_unknowns(free, self));
  PetscCall(VecCreateMPIWithArray(free->fe->comm, 1, n, free->fe->unknowns, NULL, &self->x));
  PetscCall(VecCreateMPIWithArray(free->fe->comm, 1, n, free->fe->unknowns, NULL, &self->y));
  PetscCall(VecCreateMPIWithArray(free->fe->comm, 1, n, free->fe->unknowns, NULL, &self->z));
  if (!free->layout) PetscCall(NsFeLayoutOwnedFirst(free->fe, &free->layout));
  if (free->type != &NsBackEnd_Petsc) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(free->layout->local, &self->work));
  PetscCall(take_matrix(free, &free->M, &self->M));
  PetscCall(take_matrix(free, &free->K, &self->K));
  PetscCall(take_matrix(free, &free->C, &self->C));
  if (free->C.value == free->dampers.value) {
    self->dampers = self->C;
    PetscCall(PetscObjectReference((PetscObject)self->C));
  } else
    PetscCall(take_matrix(free, &free->dampers, &self->dampers));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(NsFreeDynamics *free)
{
  NsBackEndData_Petsc *self = free->data;

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
static PetscErrorCode product(NsBackEndData_Petsc *self, Mat A, const PetscReal *x, PetscReal *y, PetscBool add)
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
static PetscErrorCode total_force(NsFreeDynamics *free, const PetscReal *q, const PetscReal *v, const PetscReal *h)
{
  NsBackEndData_Petsc *self = free->data;
  PetscReal           *w    = self->work;

  PetscFunctionBegin;
  PetscCall(product(self, self->K, q, w, PETSC_FALSE));
  if (self->C) PetscCall(product(self, self->C, v, w, PETSC_TRUE));
  if (h)
    for (PetscInt i = 0; i < free->M.rows; i++) w[i] = h[i] - w[i];
  else
    for (PetscInt i = 0; i < free->M.rows; i++) w[i] = -w[i];
  PetscFunctionReturn(0);
}

static PetscErrorCode force(NsFreeDynamics *free, PetscReal *q, PetscReal *v, PetscReal *h)
{
  NsBackEndData_Petsc *self = free->data;

  PetscFunctionBegin;
  PetscCall(total_force(free, q, v, h));
  PetscCall(PetscArraycpy(h, self->work, free->M.rows));
  PetscFunctionReturn(0);
}

static PetscErrorCode mult(NsFreeDynamics *free, PetscReal *x, PetscReal *y)
{
  NsBackEndData_Petsc *self = free->data;

  PetscFunctionBegin;
  PetscCall(product(self, self->M, x, y, PETSC_FALSE));
  PetscFunctionReturn(0);
}

static PetscErrorCode default_solver(NsFreeDynamics *free, Mat A, PetscBool symmetric, KSP ksp)
{
  NsBackEndData_Petsc *self = free->data;
  PC                   pc;
  MatInfo              info;
  PetscInt             rows;
  PetscReal            smallest;
  Vec                  diagonal;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT)); /* of iterative solvers, if the user takes one */
  if ((PetscInt)info.nz_used == rows) {                                                 /* a diagonal is its own factor */
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscFunctionReturn(0);
  }
  if (free->fe->owner_of) {
    PetscCall(KSPSetType(ksp, symmetric ? KSPCG : KSPGMRES));
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscFunctionReturn(0);
  }
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
  PetscCall(PCFactorSetMatOrderingType(pc, self->in_order ? MATORDERINGNATURAL : MATORDERINGRCM));
  /* PETSc's own limit, 2e-14, is absolute: it takes the mass matrix of a thin wire for singular */
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecMin(diagonal, NULL, &smallest));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(PCFactorSetZeroPivot(pc, 1e-14 * smallest));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(NsFreeDynamics *free, PetscInt slot, NsOperator op, PetscBool symmetric)
{
  NsBackEndData_Petsc *self = free->data;
  KSP                 *ksp  = &self->ksp[slot];
  NsSparse             rows;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&self->A[slot]));
  PetscCall(NsFreeDynamicsOperator(free, op, &rows));
  PetscCall(take_matrix(free, &rows, &self->A[slot]));
  PetscCall(NsSparseDestroy(&rows));
  PetscCall(MatSetOption(self->A[slot], MAT_USE_INODES, PETSC_FALSE)); /* PETSc 3.18 factors sums of matrices by inodes from memory it never wrote */
  if (symmetric) PetscCall(MatSetOption(self->A[slot], MAT_SPD, PETSC_TRUE));
  if (!*ksp) {
    PetscCall(KSPCreate(free->fe->comm, ksp));
    PetscCall(KSPSetOperators(*ksp, self->A[slot], self->A[slot]));
    PetscCall(default_solver(free, self->A[slot], symmetric, *ksp));
    PetscCall(KSPSetFromOptions(*ksp));
  }
  PetscCall(KSPSetOperators(*ksp, self->A[slot], self->A[slot]));
  PetscCall(KSPSetUp(*ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(NsFreeDynamics *free, PetscInt slot, PetscReal *b, PetscReal *x)
{
  NsBackEndData_Petsc *self = free->data;
  KSPConvergedReason   reason;

  PetscFunctionBegin;
  PetscCall(VecPlaceArray(self->y, b));
  PetscCall(VecPlaceArray(self->x, x));
  PetscCall(KSPSolve(self->ksp[slot], self->y, self->x));
  PetscCall(KSPGetConvergedReason(self->ksp[slot], &reason));
  /* x becomes not-a-number: the loop finds it, names the unknown and stops; a linear solver that fails is the user's choice of options */
  if (reason < 0) PetscCall(VecSet(self->x, NAN));
  PetscCall(VecResetArray(self->x));
  PetscCall(VecResetArray(self->y));
  PetscFunctionReturn(0);
}

static PetscErrorCode accel(NsFreeDynamics *free, PetscReal *q, PetscReal *v, const PetscReal *h, PetscReal *a)
{
  NsBackEndData_Petsc *self = free->data;

  PetscFunctionBegin;
  PetscCall(total_force(free, q, v, h));
  PetscCall(solve(free, 0, self->work, a));
  PetscFunctionReturn(0);
}

static PetscErrorCode flight(
  NsFreeDynamics *free, PetscReal dt, PetscReal *q0, PetscReal *v0, PetscReal *a0, const PetscReal *h, PetscReal *q1, PetscReal *v1, PetscReal *a1)
{
  const PetscInt n = free->M.rows;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    q1[i] = q0[i] + dt * (v0[i] + dt / 2 * a0[i]);
    v1[i] = v0[i] + dt * a0[i]; /* va, until a1 is known */
  }
  PetscCall(accel(free, q1, v1, h, a1));
  for (PetscInt i = 0; i < n; i++) v1[i] = v0[i] + dt / 2 * (a0[i] + a1[i]);
  PetscFunctionReturn(0);
}

/* x' A y of all processes. */
static PetscErrorCode form(NsFreeDynamics *free, Mat A, const PetscReal *x, const PetscReal *y, PetscReal *sum)
{
  NsBackEndData_Petsc *self = free->data;

  PetscFunctionBegin;
  PetscCall(product(self, A, y, self->work, PETSC_FALSE));
  *sum = 0;
  for (PetscInt i = 0; i < free->M.rows; i++) *sum += x[i] * self->work[i];
  PetscCall(NsLayoutSum(free->layout, 1, sum));
  PetscFunctionReturn(0);
}

static PetscErrorCode kinetic(NsFreeDynamics *free, PetscReal *v, PetscReal *energy)
{
  NsBackEndData_Petsc *self = free->data;

  PetscFunctionBegin;
  PetscCall(form(free, self->M, v, v, energy));
  *energy /= 2;
  PetscFunctionReturn(0);
}

static PetscErrorCode damping(NsFreeDynamics *free, PetscReal *v, PetscReal *w, PetscReal *power)
{
  NsBackEndData_Petsc *self = free->data;

  PetscFunctionBegin;
  PetscCall(form(free, self->dampers, w, v, power));
  PetscFunctionReturn(0);
}

const NsBackEnd NsBackEnd_Petsc = {"petsc", NULL, PETSC_FALSE, create, destroy, accel, flight, force, mult, factor, solve, kinetic, damping};
