#include "export.h"
#include <stdio.h>
#include "fe/fe.h"
#include "output/file.h"

#define NS_BUFFER 65536

/* The symmetric (part 1) or skew (part -1) part of A, in directions along the axes, by its lower triangle; nothing if it is zero. */
static PetscErrorCode write_part(NsSink *sink, const char *name, const NsFeDof *dof, Mat A, int part)
{
  NsFile   file;
  PetscInt n, entries = 0;
  Mat      B;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatAYPX(B, part, A, DIFFERENT_NONZERO_PATTERN));
  for (int pass = 0; pass < 2; pass++) {
    if (pass && !entries) break;
    if (pass) {
      NsFileCreate(&file, sink, NS_BUFFER);
      NsFileOpen(&file, name);
      NsFilePrint(
        &file, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", part > 0 ? "symmetric" : "skew-symmetric", (int)n, (int)n, (int)entries);
    }
    for (PetscInt i = 0; i < n; i++) {
      PetscInt           count;
      const PetscInt    *column;
      const PetscScalar *value;
      PetscCall(MatGetRow(B, i, &count, &column, &value));
      for (PetscInt k = 0; k < count; k++) {
        if (value[k] == 0 || column[k] > i || (part < 0 && column[k] == i)) continue;
        entries += !pass;
        if (!pass) continue;
        NsFilePrint(&file, "%d %d ", (int)i + 1, (int)column[k] + 1);
        NsFileNumber(&file, dof[i].sign * dof[column[k]].sign * value[k] / 2, '\n');
      }
      PetscCall(MatRestoreRow(B, i, &count, &column, &value));
    }
  }
  if (entries) (void)NsFileClose(&file, PETSC_FALSE);
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(0);
}

static void write_dofs(NsSink *sink, PetscInt n, const NsFeDof *dof)
{
  NsFile file;

  NsFileCreate(&file, sink, NS_BUFFER);
  NsFileOpen(&file, "unknowns.dof");
  for (PetscInt i = 0; i < n; i++) NsFilePrint(&file, "%d.%d\n", (int)dof[i].node + 1, dof[i].direction);
  (void)NsFileClose(&file, PETSC_FALSE);
}

/* Corners of cells with a type of element in a deck; others are not written. */
static const char *type_of_cell(NsCellKind kind)
{
  switch (kind) {
  case NS_CELL_LINE: return "T3D2";
  case NS_CELL_TRIANGLE: return "S3";
  case NS_CELL_QUAD: return "S4";
  default: return NsCellPoints(kind) == 8 ? "C3D8" : NsCellPoints(kind) == 4 ? "C3D4" : NULL;
  }
}

static void write_cells(NsFile *file, const NsScene *scene, PetscInt nodes)
{
  PetscInt    at = 0, number = 0;
  const char *last = NULL;

  for (PetscInt c = 0; c < scene->cells; c++) {
    const int   points = (int)NsCellPoints(scene->kind[c]);
    const char *type   = type_of_cell(scene->kind[c]);
    for (int k = 0; k < points && type; k++) type = scene->cell[at + k] < nodes ? type : NULL;
    if (type && type != last) NsFilePrint(file, "*ELEMENT, TYPE=%s\n", type);
    if (type) {
      NsFilePrint(file, "%d", (int)++number);
      for (int k = 0; k < points; k++) NsFilePrint(file, ", %d", (int)scene->cell[at + k] + 1);
      NsFileText(file, "\n");
      last = type;
    }
    at += points;
  }
}

static PetscErrorCode write_nodes(NsSink *sink, NsModel *model)
{
  const PetscReal *x;
  const PetscInt   nodes = NsFeNodes(model, &x), sets = NsFeNodeSets(model, NULL);
  NsFeNodeSet     *set;
  NsFile           file;

  PetscFunctionBegin;
  NsFileCreate(&file, sink, NS_BUFFER);
  NsFileOpen(&file, "nodes.inp");
  NsFileText(&file, "** in m\n*NODE\n");
  for (PetscInt i = 0; i < nodes; i++) {
    NsFilePrint(&file, "%d,", (int)i + 1);
    for (int k = 0; k < 3; k++) NsFileNumber(&file, x[3 * i + k], k < 2 ? ',' : '\n');
  }
  write_cells(&file, &model->scene, nodes);
  PetscCall(PetscMalloc1(sets + 1, &set));
  (void)NsFeNodeSets(model, set);
  for (PetscInt s = 0; s < sets; s++) {
    NsFilePrint(&file, "*NSET, NSET=%.80s%s%.80s\n", set[s].body ? set[s].body : "", set[s].body ? "_" : "", set[s].name);
    for (PetscInt k = 0; k < set[s].count; k++)
      NsFilePrint(&file, "%d%s", (int)(set[s].first + set[s].item[k]) + 1, k % 8 == 7 || k == set[s].count - 1 ? "\n" : ", ");
  }
  PetscCall(PetscFree(set));
  (void)NsFileClose(&file, PETSC_FALSE);
  PetscFunctionReturn(0);
}

PetscErrorCode NsExportMatrices(NsSink *sink, NsModel *model, Mat M, Mat C, Mat K, char *why, size_t size)
{
  NsFeDof    *dof;
  const char *body = "";

  PetscFunctionBegin;
  *why = '\0';
  PetscCall(PetscCalloc1(model->unknowns, &dof));
  if (!NsFeListDofs(model, dof, &body))
    (void)snprintf(why, size, "matrices are written of DOF along x, y and z; those of '%.100s' have other directions", body);
  else {
    PetscCall(write_part(sink, "stiffness.mtx", dof, K, 1));
    PetscCall(write_part(sink, "circulatory.mtx", dof, K, -1));
    PetscCall(write_part(sink, "mass.mtx", dof, M, 1));
    if (C) PetscCall(write_part(sink, "damping.mtx", dof, C, 1));
    if (C) PetscCall(write_part(sink, "gyroscopic.mtx", dof, C, -1));
    write_dofs(sink, model->unknowns, dof);
    PetscCall(write_nodes(sink, model));
  }
  PetscCall(PetscFree(dof));
  PetscFunctionReturn(0);
}
