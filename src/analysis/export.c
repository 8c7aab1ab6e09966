#include "export.h"
#include <stdio.h>
#include "fe/fe.h"
#include "output/file.h"

#define NS_BUFFER 65536

const char *const NsExportWords[] = {"matrix_market", "calculix", "abaqus", "ansys", NULL}; /* NsExportFormat */

/* One of the matrices: its name, and the ends of its files. */
typedef struct {
  const char *name, *calculix;
} Named;

static const Named stiffness = {"stiffness", "sti"}, mass = {"mass", "mas"}, damping = {"damping", "dam"}, gyroscopic = {"gyroscopic", "gyr"},
                   circulatory = {"circulatory", "cir"};

/* The symmetric (sign 1) or skew (sign -1) part of a matrix, in directions along the axes; entries: of its lower triangle. */
typedef struct {
  Mat            A; /* twice the part */
  const NsFeDof *dof;
  int            sign;
  PetscInt       n, entries, *start; /* [n + 1] entries of each column of the lower triangle */
} Part;

static PetscErrorCode make_part(Mat A, const NsFeDof *dof, int sign, Part *part)
{
  PetscFunctionBegin;
  *part = (Part){.dof = dof, .sign = sign};
  PetscCall(MatGetSize(A, &part->n, NULL));
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &part->A));
  PetscCall(MatAYPX(part->A, sign, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(PetscCalloc1(part->n + 1, &part->start));
  PetscFunctionReturn(0);
}

/* What is done with an entry of the lower triangle. */
typedef void Use(NsFile *file, Part *part, PetscInt row, PetscInt column, PetscReal value);

/* Column after column. */
static PetscErrorCode each_entry(NsFile *file, Part *part, Use *use)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < part->n; j++) {
    PetscInt           count;
    const PetscInt    *at;
    const PetscScalar *value;
    PetscCall(MatGetRow(part->A, j, &count, &at, &value)); /* row j of the upper triangle: column j of the lower one, but for the sign */
    for (PetscInt k = 0; k < count; k++) {
      if (value[k] != 0 && at[k] >= j && (part->sign > 0 || at[k] > j))
        use(file, part, at[k], j, part->sign * part->dof[j].sign * part->dof[at[k]].sign * value[k] / 2);
    }
    PetscCall(MatRestoreRow(part->A, j, &count, &at, &value));
  }
  PetscFunctionReturn(0);
}

static void count_entry(NsFile *file, Part *part, PetscInt row, PetscInt column, PetscReal value)
{
  (void)file, (void)row, (void)value;
  part->entries++;
  part->start[column + 1]++;
}

static void write_market(NsFile *file, Part *part, PetscInt row, PetscInt column, PetscReal value)
{
  (void)part;
  NsFilePrint(file, "%d %d ", (int)row + 1, (int)column + 1);
  NsFileNumber(file, value, '\n');
}

/* Of the upper triangle. */
static void write_calculix(NsFile *file, Part *part, PetscInt row, PetscInt column, PetscReal value)
{
  NsFilePrint(file, "%d %d ", (int)column + 1, (int)row + 1);
  NsFileNumber(file, part->sign * value, '\n');
}

static void write_abaqus(NsFile *file, Part *part, PetscInt row, PetscInt column, PetscReal value)
{
  const NsFeDof *a = &part->dof[row], *b = &part->dof[column];

  NsFilePrint(file, "%d,%d, %d,%d, ", (int)a->node + 1, a->direction, (int)b->node + 1, b->direction);
  NsFileNumber(file, value, '\n');
}

static void write_row(NsFile *file, Part *part, PetscInt row, PetscInt column, PetscReal value)
{
  (void)part, (void)column, (void)value;
  NsFilePrint(file, "%12d\n", (int)row + 1);
}

static void write_value(NsFile *file, Part *part, PetscInt row, PetscInt column, PetscReal value)
{
  (void)part, (void)row, (void)column;
  NsFilePrint(file, "%26.16E\n", value);
}

/* Harwell-Boeing, a number a line (src/fe/matrices/harwell_boeing.c). */
static PetscErrorCode write_ansys(NsFile *file, const char *name, Part *part)
{
  const int n = (int)part->n, entries = (int)part->entries;

  PetscFunctionBegin;
  NsFilePrint(file, "%-72s%-8s\n%14d%14d%14d%14d%14d\n", name, "percuss", n + 1 + 2 * entries, n + 1, entries, entries, 0);
  NsFilePrint(file, "%-14s%14d%14d%14d%14d\n%-16s%-16s%-20s%-20s\n", part->sign > 0 ? "RSA" : "RZA", n, n, entries, 0, "(1I12)", "(1I12)",
    "(1E26.16)", "(1E26.16)");
  for (PetscInt j = 0; j <= part->n; j++) NsFilePrint(file, "%12d\n", (int)part->start[j] + 1);
  PetscCall(each_entry(file, part, write_row));
  PetscCall(each_entry(file, part, write_value));
  PetscFunctionReturn(0);
}

/* Nothing if the part is zero. */
static PetscErrorCode write_part(NsSink *sink, NsExportFormat format, const Named *named, const NsFeDof *dof, Mat A, int sign)
{
  char   name[40];
  NsFile file;
  Part   part;

  PetscFunctionBegin;
  PetscCall(make_part(A, dof, sign, &part));
  PetscCall(each_entry(NULL, &part, count_entry));
  for (PetscInt j = 0; j < part.n; j++) part.start[j + 1] += part.start[j];
  if (part.entries) {
    (void)snprintf(name, sizeof(name), "%s.%s", named->name,
      format == NS_EXPORT_CALCULIX ? named->calculix
      : format == NS_EXPORT_ABAQUS ? "inp"
      : format == NS_EXPORT_ANSYS  ? "matrix"
                                   : "mtx");
    NsFileCreate(&file, sink, NS_BUFFER);
    NsFileOpen(&file, name);
    if (format == NS_EXPORT_MARKET)
      NsFilePrint(&file, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", sign > 0 ? "symmetric" : "skew-symmetric", (int)part.n,
        (int)part.n, (int)part.entries);
    if (format == NS_EXPORT_ABAQUS) NsFilePrint(&file, "*MATRIX INPUT, NAME=%s\n", named->name);
    if (format == NS_EXPORT_ANSYS)
      PetscCall(write_ansys(&file, named->name, &part));
    else
      PetscCall(each_entry(&file, &part, format == NS_EXPORT_CALCULIX ? write_calculix : format == NS_EXPORT_ABAQUS ? write_abaqus : write_market));
    (void)NsFileClose(&file, PETSC_FALSE);
  }
  PetscCall(PetscFree(part.start));
  PetscCall(MatDestroy(&part.A));
  PetscFunctionReturn(0);
}

static void write_dofs(NsSink *sink, NsExportFormat format, PetscInt n, const NsFeDof *dof)
{
  static const char *const word[] = {"UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"};
  NsFile                   file;

  NsFileCreate(&file, sink, NS_BUFFER);
  NsFileOpen(&file, format == NS_EXPORT_ANSYS ? "unknowns.mapping" : "unknowns.dof");
  if (format == NS_EXPORT_ANSYS) NsFileText(&file, " Matrix Eqn        Node    DOF\n");
  for (PetscInt i = 0; i < n; i++) {
    if (format == NS_EXPORT_ANSYS)
      NsFilePrint(&file, "%11d%12d    %s\n", (int)i + 1, (int)dof[i].node + 1, word[dof[i].direction - 1]);
    else
      NsFilePrint(&file, "%d.%d\n", (int)dof[i].node + 1, dof[i].direction);
  }
  (void)NsFileClose(&file, PETSC_FALSE);
}

/* An archive of Ansys: nodes, and sets as components. */
static PetscErrorCode write_archive(NsSink *sink, NsModel *model)
{
  const PetscReal *x;
  const PetscInt   nodes = NsFeNodes(model, &x), sets = NsFeNodeSets(model, NULL);
  NsFeNodeSet     *set;
  NsFile           file;

  PetscFunctionBegin;
  NsFileCreate(&file, sink, NS_BUFFER);
  NsFileOpen(&file, "nodes.cdb");
  NsFilePrint(&file, "/COM, in m\n/PREP7\nNBLOCK,6,SOLID,%10d,%10d\n(3i9,6e24.16e3)\n", (int)nodes, (int)nodes);
  for (PetscInt i = 0; i < nodes; i++) NsFilePrint(&file, "%9d%9d%9d%24.16E%24.16E%24.16E\n", (int)i + 1, 0, 0, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  NsFileText(&file, "N,R5.3,LOC,       -1,\n");
  PetscCall(PetscMalloc1(sets + 1, &set));
  (void)NsFeNodeSets(model, set);
  for (PetscInt s = 0; s < sets; s++) {
    NsFilePrint(
      &file, "CMBLOCK,%.80s%s%.80s,NODE,%8d\n(8i10)\n", set[s].body ? set[s].body : "", set[s].body ? "_" : "", set[s].name, (int)set[s].count);
    for (PetscInt k = 0; k < set[s].count; k++)
      NsFilePrint(&file, "%10d%s", (int)(set[s].first + set[s].item[k]) + 1, k % 8 == 7 || k == set[s].count - 1 ? "\n" : "");
  }
  PetscCall(PetscFree(set));
  (void)NsFileClose(&file, PETSC_FALSE);
  PetscFunctionReturn(0);
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

PetscErrorCode NsExportMatrices(NsSink *sink, NsModel *model, NsExportFormat format, Mat M, Mat C, Mat K, char *why, size_t size)
{
  NsFeDof    *dof;
  const char *body = "";

  PetscFunctionBegin;
  *why = '\0';
  PetscCall(PetscCalloc1(model->unknowns, &dof));
  if (!NsFeListDofs(model, dof, &body))
    (void)snprintf(why, size, "matrices are written of DOF along x, y and z; those of '%.100s' have other directions", body);
  else {
    PetscCall(write_part(sink, format, &stiffness, dof, K, 1));
    PetscCall(write_part(sink, format, &circulatory, dof, K, -1));
    PetscCall(write_part(sink, format, &mass, dof, M, 1));
    if (C) PetscCall(write_part(sink, format, &damping, dof, C, 1));
    if (C) PetscCall(write_part(sink, format, &gyroscopic, dof, C, -1));
    write_dofs(sink, format, model->unknowns, dof);
    if (format == NS_EXPORT_ANSYS)
      PetscCall(write_archive(sink, model));
    else
      PetscCall(write_nodes(sink, model));
  }
  PetscCall(PetscFree(dof));
  PetscFunctionReturn(0);
}
