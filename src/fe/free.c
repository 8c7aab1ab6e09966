/*
  Free dynamics: the matrices, and the back end that works with them.

  lumped   diagonal mass: one pass over the elements (src/fe/lumped.h)
  banded   narrow bands in storage of our own (src/fe/banded.h): bars, beams, shafts and everything else whose rows reach over few unknowns
  petsc    anything: sparse matrices and a KSP; also where the options database names a solver

  The config's key `free_dynamics` forces one. All give the same results to rounding.
*/
#include <petscksp.h>
#include <string.h>
#include "core/petsc_message.h"
#include "free.h"

/* Mean number of entries of a row and column of the factor, zeros within them counted, up to which a band is narrow: beyond it a sparse factor has less to
   do. A shaft of six unknowns a node has 23. */
#define NS_NARROW       50
#define NS_MOST_ENTRIES 1e9
#define NS_MOST_REACH   64 /* unknowns, with several processes */

static PetscErrorCode take_options(void)
{
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 1, 1, 1, NULL, &A));
  PetscCall(MatSetValue(A, 0, 0, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

/* A solver that PETSc does not know, and the like, is the user's mistake: it is found here, before any step. */
static PetscErrorCode check_options(NsFe *fe)
{
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(NsKeepMessage, message));
  code = take_options();
  PetscCall(PetscPopErrorHandler());
  if (code) NsDiagError(fe->diag, (NsPlace){NULL, 0, 0, 0}, "PETSc refuses an option after '--': %s", message);
  PetscFunctionReturn(0);
}

/* last[unknown] = the last row that reaches back to it, by one block of these unknowns. */
static void reach_back(PetscInt n, const PetscInt *unknown, PetscInt *last)
{
  PetscInt low = PETSC_MAX_INT, high = -1;

  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] < 0) continue;
    low  = PetscMin(low, unknown[i]);
    high = PetscMax(high, unknown[i]);
  }
  if (high >= 0) last[low] = PetscMax(last[low], high);
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

/* Along which rows reach how far back: what a factor of all of them stores, each column down to the last row that reaches back to it or beyond. */
static PetscErrorCode measure(const NsFe *fe, PetscReal *entries, PetscInt *widest)
{
  PetscInt *last, reach = 0;

  PetscFunctionBegin;
  *entries = 0;
  *widest  = 0;
  PetscCall(PetscMalloc1(fe->unknowns, &last));
  for (PetscInt i = 0; i < fe->unknowns; i++) last[i] = i;
  for (PetscInt i = 0; i < fe->nodes; i++) { /* a node's own */
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    reach_back(fe->body[fe->node_body[i]].node_unknowns, unknown, last);
  }
  for (PetscInt i = 0; i < fe->elements; i++) {
    PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt n = NsFeElementUnknowns(fe, &fe->element[i], unknown);
    reach_back(n, unknown, last);
  }
  for (PetscInt s = 0; s < fe->springs; s++) {
    PetscInt       unknown[4 * NS_NODE_UNKNOWNS], node[4], n = 0;
    const PetscInt nodes = NsFeSpringNodes(fe, &fe->spring[s], node);
    for (PetscInt k = 0; k < nodes; k++) {
      const PetscInt *own = NsFeNodeUnknowns(fe, node[k]);
      for (PetscInt a = 0; a < fe->body[fe->node_body[node[k]]].node_unknowns; a++) unknown[n++] = own[a];
    }
    reach_back(n, unknown, last);
  }
  for (PetscInt j = 0; j < fe->unknowns; j++) {
    *widest = PetscMax(*widest, last[j] - j);
    reach   = PetscMax(reach, last[j]);
    *entries += 2 * (PetscReal)(reach - j) + 1;
  }
  PetscCall(PetscFree(last));
  PetscFunctionReturn(0);
}

/* Chosen by the user, or by structure. */
static PetscErrorCode choose(NsFreeDynamics *free)
{
  static const NsBackEnd *const forced[] = {NULL, &NsBackEnd_Lumped, &NsBackEnd_Banded, &NsBackEnd_Petsc}; /* as the key's choices */
  const NsFe                   *fe       = free->fe;
  const PetscBool               alone = fe->ranks == 1 ? PETSC_TRUE : PETSC_FALSE, diagonal = NsFeMassIsDiagonal(fe);
  const NsPlace                 place = NsKeysPlace(fe->config->where, "free_dynamics");
  PetscBool                     named = PETSC_FALSE;
  PetscReal                     entries;
  PetscInt                      widest;

  PetscFunctionBegin;
  PetscCall(measure(fe, &entries, &widest));
  PetscCall(names_solver(&named));
  const PetscBool narrow = entries <= (PetscReal)NS_NARROW * (PetscReal)fe->unknowns ? PETSC_TRUE : PETSC_FALSE;
  /* pieces of several processes overlap by more than a row's reach, and solve with M alone */
  const PetscBool in_pieces = alone || (widest <= NS_MOST_REACH && fe->parting.pieces && !fe->config->solves_stiffness) ? PETSC_TRUE : PETSC_FALSE;
  if (diagonal && !fe->config->solves_stiffness)
    free->type = &NsBackEnd_Lumped;
  else if (narrow && in_pieces)
    free->type = &NsBackEnd_Banded;
  else
    free->type = &NsBackEnd_Petsc;
  if (named) free->type = &NsBackEnd_Petsc;
  if (fe->config->free_dynamics) free->type = forced[fe->config->free_dynamics];
  if (free->type == &NsBackEnd_Lumped && !diagonal)
    NsDiagError(fe->diag, place, "lumped is for models whose mass matrix is diagonal: `mass: lumped` for every body, and no disc beside the axes");
  else if (free->type == &NsBackEnd_Banded && entries > NS_MOST_ENTRIES)
    NsDiagError(fe->diag, place, "rows are too wide to be banded: %.3g numbers a matrix, and %g at most; petsc can", entries, NS_MOST_ENTRIES);
  else if (free->type == &NsBackEnd_Banded && !in_pieces)
    NsDiagError(fe->diag, place, "this model, or its scheme, cannot be banded on several processes; petsc can");
  PetscFunctionReturn(0);
}

/* to += scale from, whose pattern is within that of `to`. */
static void add_rows(NsSparse *to, const NsSparse *from, PetscReal scale)
{
  for (PetscInt r = 0; r < from->rows; r++) {
    for (PetscInt k = from->start[r], at = to->start[r]; k < from->start[r + 1]; k++, at++) {
      while (to->column[at] < from->column[k]) at++;
      to->value[at] += scale * from->value[k];
    }
  }
}

static PetscErrorCode copy_pattern(const NsSparse *from, NsSparse *to)
{
  const PetscInt entries = from->start[from->rows];

  PetscFunctionBegin;
  *to = (NsSparse){.rows = from->rows};
  if (from->row) {
    PetscCall(PetscMalloc1(from->rows, &to->row));
    PetscCall(PetscArraycpy(to->row, from->row, from->rows));
  }
  PetscCall(PetscMalloc1(from->rows + 1, &to->start));
  PetscCall(PetscMalloc1(entries, &to->column));
  PetscCall(PetscCalloc1(entries, &to->value));
  PetscCall(PetscArraycpy(to->start, from->start, from->rows + 1));
  PetscCall(PetscArraycpy(to->column, from->column, entries));
  PetscFunctionReturn(0);
}

/* The rows that the back end wants. */
static PetscErrorCode assemble(NsFreeDynamics *free, PetscBool mass_alone)
{
  NsFe        *fe   = free->fe;
  PetscBool   *mine = NULL;
  NsFeMatrices matrices;

  PetscFunctionBegin;
  if (fe->owner_of) {
    PetscCall(PetscMalloc1(fe->unknowns, &mine));
    for (PetscInt i = 0; i < fe->unknowns; i++) mine[i] = fe->owner_of[i] == fe->rank ? PETSC_TRUE : PETSC_FALSE;
    if (free->type->want) free->type->want(free, mine);
  }
  PetscCall(NsFeAssembleRows(fe, NULL, mine, mass_alone, &matrices));
  PetscCall(PetscFree(mine));
  free->M            = matrices.M;
  free->K            = matrices.K;
  free->dampers      = matrices.C;
  free->diagonal     = matrices.diagonal;
  free->symmetric[0] = matrices.skew ? PETSC_FALSE : PETSC_TRUE;
  free->symmetric[1] = matrices.symmetric;
  free->damped       = matrices.damped;
  free->rates        = matrices.damped || matrices.skew ? PETSC_TRUE : PETSC_FALSE;
  if (matrices.G.start) {
    add_rows(&matrices.G, &free->dampers, 1);
    free->C = matrices.G;
  } else
    free->C = free->dampers;
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsForget(NsFreeDynamics *free)
{
  PetscFunctionBegin;
  if (free->C.value != free->dampers.value) PetscCall(NsSparseDestroy(&free->C));
  PetscCall(NsSparseDestroy(&free->dampers));
  PetscCall(NsSparseDestroy(&free->K));
  free->C = free->dampers;
  PetscFunctionReturn(0);
}

/* Solutions with M are zero where there is no mass: as if it were past all measure. One process: row i is unknown i. */
static void hold_massless(const NsFe *fe, PetscReal mass, NsSparse *A)
{
  for (PetscInt i = 0; i < fe->massless; i++) {
    const PetscInt unknown = fe->massless_unknown[i];
    for (PetscInt k = A->start[unknown]; k < A->start[unknown + 1]; k++) {
      if (A->column[k] == unknown) A->value[k] = 1e200 * mass;
    }
  }
}

PetscErrorCode NsFreeDynamicsOperator(const NsFreeDynamics *free, NsOperator op, NsSparse *A)
{
  const PetscBool by_mass = NsOperatorIsMass(free, op), absent = !by_mass && !free->K.start ? PETSC_TRUE : PETSC_FALSE;
  NsFreeDynamics  whole = *free;

  PetscFunctionBegin;
  if (absent) PetscCall(assemble(&whole, PETSC_FALSE)); /* nothing but this asks for more than M */
  PetscCall(copy_pattern(by_mass ? &whole.M : &whole.K, A));
  add_rows(A, &whole.M, op.mass);
  if (by_mass) hold_massless(free->fe, op.mass, A);
  if (!by_mass) {
    add_rows(A, &whole.K, op.stiffness);
    add_rows(A, &whole.C, op.damping);
  }
  if (absent) {
    PetscCall(NsFreeDynamicsForget(&whole));
    PetscCall(NsSparseDestroy(&whole.M));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsCreate(NsFe *fe, NsFreeDynamics **result)
{
  NsFreeDynamics *free = NsArenaAlloc(fe->arena, sizeof(*free));

  PetscFunctionBegin;
  *result  = free;
  free->fe = fe;
  PetscCall(check_options(fe));
  PetscCall(choose(free));
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  PetscCall(assemble(free, free->type->by_elements));
  free->created = PETSC_TRUE;
  PetscCall(free->type->create(free));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFreeDynamicsDestroy(NsFreeDynamics **result)
{
  NsFreeDynamics *free = *result;

  PetscFunctionBegin;
  if (!free) PetscFunctionReturn(0);
  if (!free->created) PetscFunctionReturn(0); /* after a mistake of the user */
  PetscCall(free->type->destroy(free));
  PetscCall(NsFreeDynamicsForget(free));
  PetscCall(NsSparseDestroy(&free->M));
  PetscCall(NsLayoutDestroy(&free->layout));
  *result = NULL;
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
  PetscReal *ab, *ax;

  PetscFunctionBegin;
  PetscCall(VecGetArray(b, &ab));
  PetscCall(VecGetArray(x, &ax));
  PetscCall(free->type->solve(free, slot, ab, ax));
  PetscCall(VecRestoreArray(x, &ax));
  PetscCall(VecRestoreArray(b, &ab));
  PetscFunctionReturn(0);
}
