/*
  The back end of a model: chosen, and given the rows of the matrices that it needs (src/fe/backend/backend.h).
*/
#include <petscksp.h>
#include "core/petsc_message.h"
#include "backend.h"

#define NS_BACK_END(name, word) &NsBackEndType_##name,
static const NsBackEndType *const types[] = {
#include "list.h"
};
#undef NS_BACK_END

#define NS_BACK_END(name, word) word,
const char *const NsBackEndNames[] = {"auto",
#include "list.h"
  NULL};
#undef NS_BACK_END

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

/* Reports options that PETSc rejects, such as an unknown solver, before the first step. */
static PetscErrorCode check_options(NsFe *fe)
{
  char           message[PETSC_MAX_PATH_LEN] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(NsKeepMessage, message));
  code = take_options();
  PetscCall(PetscPopErrorHandler());
  if (code) NsDiagError(fe->diag, (NsPlace){NULL, 0, 0, 0}, "PETSc rejects an option after '--': %s", message);
  PetscFunctionReturn(0);
}

/* The one that the config names, or the first of those that suit best. */
static PetscErrorCode choose(NsBackEnd *back_end)
{
  const NsFe   *fe       = back_end->fe;
  const int     forced   = fe->config->free_dynamics - 1; /* -1: none */
  NsSuitability most     = NS_SUITS_NOT;
  char          why[200] = "";

  PetscFunctionBegin;
  for (int i = 0; i < (int)PETSC_STATIC_ARRAY_LENGTH(types); i++) {
    NsSuitability suits = NS_SUITS_NOT;
    if (forced >= 0 && i != forced) continue;
    PetscCall(types[i]->suits(fe, &suits, why, sizeof(why)));
    if (suits <= most) continue;
    most           = suits;
    back_end->type = types[i];
    back_end->name = NsBackEndNames[i + 1];
  }
  if (!back_end->type) NsDiagError(fe->diag, NsKeysPlace(fe->config->where, "free_dynamics"), "%s", why);
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

/* The rows that the back end needs. */
static PetscErrorCode assemble(NsBackEnd *back_end, PetscBool mass_alone)
{
  NsFe        *fe   = back_end->fe;
  PetscBool   *mine = NULL;
  NsFeMatrices matrices;

  PetscFunctionBegin;
  if (fe->owner_of) {
    PetscCall(PetscMalloc1(fe->unknowns, &mine));
    for (PetscInt i = 0; i < fe->unknowns; i++) mine[i] = fe->owner_of[i] == fe->rank;
    if (back_end->type->need_rows) back_end->type->need_rows(back_end, mine);
  }
  PetscCall(NsFeAssembleRows(fe, NULL, mine, mass_alone, &matrices));
  PetscCall(PetscFree(mine));
  back_end->M            = matrices.M;
  back_end->K            = matrices.K;
  back_end->dampers      = matrices.C;
  back_end->diagonal     = matrices.diagonal;
  back_end->symmetric[0] = !matrices.skew;
  back_end->symmetric[1] = matrices.symmetric;
  back_end->damped       = matrices.damped;
  back_end->rates        = matrices.damped || matrices.skew;
  if (matrices.G.start) {
    add_rows(&matrices.G, &back_end->dampers, 1);
    back_end->C = matrices.G;
  } else
    back_end->C = back_end->dampers;
  PetscFunctionReturn(0);
}

PetscErrorCode NsBackEndFreeMatrices(NsBackEnd *back_end)
{
  PetscFunctionBegin;
  if (back_end->C.value != back_end->dampers.value) PetscCall(NsSparseDestroy(&back_end->C));
  PetscCall(NsSparseDestroy(&back_end->dampers));
  PetscCall(NsSparseDestroy(&back_end->K));
  back_end->C = back_end->dampers;
  PetscFunctionReturn(0);
}

/* Solutions with M are zero where there is no mass: its entry on the diagonal becomes very large. One process: row i is unknown i. */
static void hold_massless(const NsFe *fe, PetscReal mass, NsSparse *A)
{
  for (PetscInt i = 0; i < fe->massless; i++) {
    const PetscInt unknown = fe->massless_unknown[i];
    for (PetscInt k = A->start[unknown]; k < A->start[unknown + 1]; k++) {
      if (A->column[k] == unknown) A->value[k] = 1e200 * mass;
    }
  }
}

PetscErrorCode NsBackEndOperator(const NsBackEnd *back_end, NsOperator op, NsSparse *A)
{
  const PetscBool by_mass = NsOperatorIsMass(back_end, op), absent = !by_mass && !back_end->K.start;
  NsBackEnd       whole = *back_end;

  PetscFunctionBegin;
  if (absent) PetscCall(assemble(&whole, PETSC_FALSE)); /* the back end itself needs M alone */
  PetscCall(copy_pattern(by_mass ? &whole.M : &whole.K, A));
  add_rows(A, &whole.M, op.mass);
  if (by_mass) hold_massless(back_end->fe, op.mass, A);
  if (!by_mass) {
    add_rows(A, &whole.K, op.stiffness);
    add_rows(A, &whole.C, op.damping);
  }
  if (absent) {
    PetscCall(NsBackEndFreeMatrices(&whole));
    PetscCall(NsSparseDestroy(&whole.M));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsBackEndCreate(NsFe *fe, NsBackEnd **result)
{
  NsBackEnd *back_end = NsArenaAlloc(fe->arena, sizeof(*back_end));

  PetscFunctionBegin;
  *result      = back_end;
  back_end->fe = fe;
  PetscCall(check_options(fe));
  PetscCall(choose(back_end));
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);
  PetscCall(assemble(back_end, back_end->type->by_elements));
  back_end->created = PETSC_TRUE;
  PetscCall(back_end->type->create(back_end));
  PetscFunctionReturn(0);
}

PetscErrorCode NsBackEndDestroy(NsBackEnd **result)
{
  NsBackEnd *back_end = *result;

  PetscFunctionBegin;
  if (!back_end) PetscFunctionReturn(0);
  if (!back_end->created) PetscFunctionReturn(0); /* after an error in the config */
  PetscCall(back_end->type->destroy(back_end));
  PetscCall(NsBackEndFreeMatrices(back_end));
  PetscCall(NsSparseDestroy(&back_end->M));
  PetscCall(NsLayoutDestroy(&back_end->layout));
  *result = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode NsBackEndFactor(NsBackEnd *back_end, PetscInt slot, NsOperator op)
{
  const NsOperator *old       = &back_end->op[slot];
  const PetscBool   symmetric = (op.damping == 0 || back_end->symmetric[0]) && (op.stiffness == 0 || back_end->symmetric[1]);

  PetscFunctionBegin;
  if (back_end->ready[slot] && old->mass == op.mass && old->damping == op.damping && old->stiffness == op.stiffness) PetscFunctionReturn(0);
  PetscCall(back_end->type->factor(back_end, slot, op, symmetric));
  back_end->op[slot]    = op;
  back_end->ready[slot] = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode NsBackEndSolve(NsBackEnd *back_end, PetscInt slot, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(back_end->type->solve(back_end, slot, NsVecArray(b), NsVecArray(x)));
  PetscFunctionReturn(0);
}
