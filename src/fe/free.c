/*
  Free dynamics: the matrices, and the back end that works with them.

  banded   narrow bands in storage of our own (src/fe/banded.h): bars, beams, shafts and everything else whose rows reach over few unknowns
  petsc    anything: sparse matrices and a KSP; also where the options database names a solver

  The config's key `free_dynamics` forces one. Both give the same results to rounding.
*/
#include <petscksp.h>
#include <string.h>
#include "core/petsc_message.h"
#include "free.h"

/* Mean number of entries of a row and column of the factor, zeros within them counted, up to which a band is narrow: beyond it a sparse factor has less to
   do. A shaft of six unknowns a node has 23. */
#define NS_NARROW       50
#define NS_MOST_ENTRIES 1e9

static PetscErrorCode take_options(Mat A)
{
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

/* A solver that PETSc does not know, and the like, is the user's mistake: it is found here, before any step. */
static PetscErrorCode check_options(NsFe *fe, Mat A)
{
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(NsKeepMessage, message));
  code = take_options(A);
  PetscCall(PetscPopErrorHandler());
  if (code) NsDiagError(fe->diag, (NsPlace){NULL, 0, 0, 0}, "PETSc refuses an option after '--': %s", message);
  PetscFunctionReturn(0);
}

/* Whether the user names a solver of PETSc. */
static PetscErrorCode names_solver(PetscBool *named)
{
  char *options;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &options));
  *named = strstr(options, "-ksp_") || strstr(options, "-pc_") ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscFree(options));
  PetscFunctionReturn(0);
}

/* By what the factor stores: each column down to the last row that reaches back to it or beyond. */
static PetscErrorCode count_entries(Mat K, PetscReal *entries, PetscInt *size)
{
  PetscInt  n, *last, reach = 0;
  PetscReal sum = 0;

  PetscFunctionBegin;
  PetscCall(MatGetSize(K, &n, NULL));
  PetscCall(PetscMalloc1(n, &last));
  for (PetscInt i = 0; i < n; i++) last[i] = i;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *column;
    PetscInt        count;
    PetscCall(MatGetRow(K, i, &count, &column, NULL));
    if (count) last[PetscMin(i, column[0])] = i; /* rows ascend: the last one that begins here stays */
    PetscCall(MatRestoreRow(K, i, &count, &column, NULL));
  }
  for (PetscInt j = 0; j < n; j++) {
    reach = PetscMax(reach, last[j]);
    sum += 2 * (reach - j) + 1;
  }
  PetscCall(PetscFree(last));
  *entries = sum;
  *size    = n;
  PetscFunctionReturn(0);
}

static PetscErrorCode choose(NsFreeDynamics *free)
{
  const NsFe *fe      = free->fe;
  PetscBool   named   = PETSC_FALSE;
  PetscReal   entries = 0;
  PetscInt    size    = 0;

  PetscFunctionBegin;
  PetscCall(count_entries(free->K, &entries, &size));
  PetscCall(names_solver(&named));
  free->type = entries <= (PetscReal)NS_NARROW * size && !named ? &NsBackEnd_Banded : &NsBackEnd_Petsc;
  if (fe->config->free_dynamics == 2) free->type = &NsBackEnd_Petsc;
  if (fe->config->free_dynamics == 1 && entries <= NS_MOST_ENTRIES) free->type = &NsBackEnd_Banded;
  if (fe->config->free_dynamics == 1 && entries > NS_MOST_ENTRIES)
    NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "free_dynamics"), "rows are too wide to be banded: %.3g numbers a matrix", entries);
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsCreate(NsFe *fe, NsFreeDynamics **result)
{
  NsFreeDynamics *free = NsArenaAlloc(fe->arena, sizeof(*free));
  Mat             G;
  PetscBool       known;

  PetscFunctionBegin;
  *result  = free;
  free->fe = fe;
  PetscCall(NsFeAssemble(fe, NULL, &free->M, &free->dampers, &G, &free->K));
  PetscCall(MatCreateVecs(free->M, &fe->weight, NULL));
  PetscCall(NsFeWeight(fe, fe->weight));
  PetscCall(MatIsSymmetricKnown(free->K, &known, &free->symmetric[1]));
  free->symmetric[0] = G ? PETSC_FALSE : PETSC_TRUE;
  if (G && free->dampers) PetscCall(MatAXPY(G, 1, free->dampers, SAME_NONZERO_PATTERN));
  if (!G && free->dampers) PetscCall(PetscObjectReference((PetscObject)free->dampers));
  free->C = G ? G : free->dampers;
  PetscCall(VecDuplicate(fe->weight, &free->work));
  PetscCall(VecDuplicate(fe->weight, &fe->work));
  fe->has_weight = fe->gravity[0] != 0 || fe->gravity[1] != 0 || fe->gravity[2] != 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(check_options(fe, free->M));
  PetscCall(choose(free));
  PetscCall(free->type->create(free));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsDestroy(NsFreeDynamics **result)
{
  NsFreeDynamics *free = *result;

  PetscFunctionBegin;
  if (!free) PetscFunctionReturn(0);
  PetscCall(free->type->destroy(free));
  PetscCall(MatDestroy(&free->M));
  PetscCall(MatDestroy(&free->C));
  PetscCall(MatDestroy(&free->dampers));
  PetscCall(MatDestroy(&free->K));
  PetscCall(VecDestroy(&free->work));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsForce(NsFreeDynamics *free, Vec q, Vec v, Vec h)
{
  PetscFunctionBegin;
  PetscCall(free->type->force(free, q, v, h));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsMult(NsFreeDynamics *free, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(free->type->mult(free, x, y));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsFactor(NsFreeDynamics *free, PetscInt slot, NsOperator op)
{
  const NsOperator *old       = &free->op[slot];
  const PetscBool   symmetric = (op.damping == 0 || free->symmetric[0]) && (op.stiffness == 0 || free->symmetric[1]) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (free->ready[slot] && old->mass == op.mass && old->damping == op.damping && old->stiffness == op.stiffness) PetscFunctionReturn(0);
  PetscCall(free->type->factor(free, slot, op, symmetric));
  free->op[slot]    = op;
  free->ready[slot] = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsSolve(NsFreeDynamics *free, PetscInt slot, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(free->type->solve(free, slot, b, x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsKinetic(NsFreeDynamics *free, Vec v, PetscReal *kinetic)
{
  PetscFunctionBegin;
  PetscCall(free->type->kinetic(free, v, kinetic));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsDamping(NsFreeDynamics *free, Vec v, Vec w, PetscReal *power)
{
  PetscFunctionBegin;
  *power = 0;
  if (free->dampers) PetscCall(free->type->damping(free, v, w, power));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsMatrices(NsFreeDynamics *free, Mat *M, Mat *dampers, Mat *K)
{
  PetscFunctionBegin;
  *M       = free->M;
  *dampers = free->dampers;
  *K       = free->K;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsOperator(const NsFreeDynamics *free, NsOperator op, PetscBool symmetric, Mat *A)
{
  PetscFunctionBegin;
  if (op.stiffness == 0 && (op.damping == 0 || !free->C)) {
    PetscCall(MatDuplicate(free->M, MAT_COPY_VALUES, A));
    if (op.mass != 1) PetscCall(MatScale(*A, op.mass));
  } else {
    PetscCall(MatDuplicate(free->K, MAT_COPY_VALUES, A));
    PetscCall(MatScale(*A, op.stiffness));
    PetscCall(MatAXPY(*A, op.mass, free->M, SUBSET_NONZERO_PATTERN));
    if (free->C) PetscCall(MatAXPY(*A, op.damping, free->C, SUBSET_NONZERO_PATTERN));
  }
  PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_FALSE)); /* PETSc 3.18 factors sums of matrices by inodes from memory it never wrote */
  if (symmetric) PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}
