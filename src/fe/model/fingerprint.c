/* What modes and static solutions of a finite-element model depend on, as numbers. */
#include "fe.h"

static void add_matrix(NsSha256 *sha, const NsSparse *matrix)
{
  const PetscInt entries = matrix->start ? matrix->start[matrix->rows] : -1;

  NsSha256Add(sha, &entries, sizeof(entries));
  if (entries < 0) return;
  NsSha256Add(sha, matrix->start, sizeof(*matrix->start) * (size_t)(matrix->rows + 1));
  NsSha256Add(sha, matrix->column, sizeof(*matrix->column) * (size_t)entries);
  NsSha256Add(sha, matrix->value, sizeof(*matrix->value) * (size_t)entries);
}

/* Frequencies come from the elements' energies: points and numbering belong to them. */
PetscErrorCode NsFeFingerprint(NsModel *model, NsSha256 *sha)
{
  const NsFe  *fe = model->data;
  NsFeMatrices matrices;
  NsSparse    *matrix[4] = {&matrices.M, &matrices.C, &matrices.G, &matrices.K};

  PetscFunctionBegin;
  PetscCall(NsFeAssembleRows(fe, NULL, NULL, PETSC_FALSE, &matrices));
  for (int m = 0; m < 4; m++) {
    add_matrix(sha, matrix[m]);
    PetscCall(NsSparseDestroy(matrix[m]));
  }
  NsSha256Add(sha, fe->x, sizeof(*fe->x) * 3 * (size_t)fe->nodes);
  NsSha256Add(sha, fe->unknown, sizeof(*fe->unknown) * (size_t)fe->dofs);
  for (PetscInt i = 0; i < fe->unknowns; i++) {
    const PetscInt index = NsLayoutIndex(model->layout, i);
    NsSha256Add(sha, &index, sizeof(index));
  }
  NsSha256Add(sha, model->touch, sizeof(*model->touch) * (size_t)model->touches);
  PetscFunctionReturn(0);
}
