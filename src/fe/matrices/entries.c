/*
  Entries of a matrix from text, sorted into rows.

  The kind of file is that of its first lines: "%%MatrixMarket matrix coordinate real symmetric" (also `array`, `general`, `skew-symmetric`), three numbers (CalculiX), five with commas (Abaqus), or
  Harwell-Boeing (Ansys). A file that holds one triangle only is of a symmetric or skew matrix, whichever is read.
*/
#include "entries.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "core/out_of_memory.h"

#define NS_SYMMETRIC 1e-10 /* of the largest entry: what rounding in the file may take from the symmetry */

void NsMatrixAdd(NsMatrixReader *self, long row, long column, double value)
{
  if (row < 0 || column < 0 || row >= self->n || column >= self->n)
    NsLinesFail(&self->lines, "an entry in row %ld and column %ld of a matrix of %d DOF; is the list of unknowns that of this file?", row + 1,
      column + 1, (int)self->n);
  else if (!(fabs(value) < 1e35))
    NsLinesFail(
      &self->lines, "the entry in row %ld and column %ld is %g: constraints as huge entries (penalty) are not supported", row + 1, column + 1, value);
  if (self->lines.failed) return;
  self->upper                = self->upper || row < column;
  self->lower                = self->lower || row > column;
  self->entry                = NsMatrixGrow(self->entry, self->count, 1, &self->capacity, sizeof(*self->entry));
  self->entry[self->count++] = (NsMatrixEntry){(PetscInt)row, (PetscInt)column, value};
}

NsMatrixFormat NsMatrixFormatOf(const NsLines *lines)
{
  const char *first = lines->text + strspn(lines->text, " \t\r\n"), *third = lines->text;

  if (strncasecmp(first, "%%MatrixMarket", 14) == 0) return NS_FILE_MARKET;
  for (int k = 0; k < 2 && *third; k++) {
    third += strcspn(third, "\n");
    third += *third == '\n';
  }
  if (NsMatrixIsHarwellBoeing(third)) return NS_FILE_HARWELL_BOEING;
  return *first == '*' || memchr(first, ',', strcspn(first, "\n")) ? NS_FILE_NAMED : NS_FILE_TRIPLES;
}

/* ---- Matrix Market ------------------------------------------------------------------------------------------------------------------------------ */

static void read_market(NsMatrixReader *self)
{
  NsLines    *lines = &self->lines;
  const char *kind  = self->kind == NS_MATRIX_SKEW ? "skew-symmetric" : "symmetric";
  char       *at, word[5][24] = {"", "", "", "", ""};
  long        rows, columns, entries = 0;

  (void)sscanf(lines->line, "%23s %23s %23s %23s %23s", word[0], word[1], word[2], word[3], word[4]);
  const PetscBool array = strcasecmp(word[2], "array") == 0;
  if (strcasecmp(word[1], "matrix") != 0 || (!array && strcasecmp(word[2], "coordinate") != 0))
    NsLinesFail(lines, "expected '%%%%MatrixMarket matrix coordinate ...' or 'array'");
  else if (strcasecmp(word[3], "real") != 0 && strcasecmp(word[3], "integer") != 0)
    NsLinesFail(lines, "a matrix of numbers that are '%s': expected real or integer", word[3]);
  else if (strcasecmp(word[4], "general") != 0 && strcasecmp(word[4], kind) != 0)
    NsLinesFail(lines, "a matrix that is '%s': expected general or %s", word[4], kind);
  const PetscBool symmetric = strcasecmp(word[4], kind) == 0; /* one triangle is there */
  PetscBool       there     = NsLinesNext(lines);
  while (there && lines->line[0] == '%') there = NsLinesNext(lines);
  at = lines->line;
  if (!there || !NsLinesWhole(&at, &rows) || !NsLinesWhole(&at, &columns) || (!array && !NsLinesWhole(&at, &entries)) || rows < 1)
    NsLinesFail(lines, "expected the numbers of rows, columns%s", array ? "" : " and entries");
  else if (rows != columns || rows != self->n)
    NsLinesFail(lines, "a matrix of %ld rows and %ld columns: the list of unknowns has %d DOF", rows, columns, (int)self->n);
  for (long k = 0; array && k < rows * rows && !lines->failed; k++) { /* column after column; of a symmetric one the lower triangle */
    double value;
    if (symmetric && k % rows < k / rows + (self->kind == NS_MATRIX_SKEW)) continue;
    at = NsLinesNext(lines) ? lines->line : NULL;
    if (!at || !NsLinesReal(&at, &value))
      NsLinesFail(
        lines, "expected one number a line, %ld in all", symmetric ? rows * (self->kind == NS_MATRIX_SKEW ? rows - 1 : rows + 1) / 2 : rows * rows);
    if (!lines->failed && value != 0) NsMatrixAdd(self, k % rows, k / rows, value);
  }
  for (long k = 0; !array && k < entries && !lines->failed; k++) {
    long   row, column;
    double value;
    at = NsLinesNext(lines) ? lines->line : NULL;
    if (!at || !NsLinesWhole(&at, &row) || !NsLinesWhole(&at, &column) || !NsLinesReal(&at, &value))
      NsLinesFail(lines, "expected row, column and value: entry %ld of %ld", k + 1, entries);
    if (!lines->failed) NsMatrixAdd(self, row - 1, column - 1, value);
  }
  if (NsLinesNext(lines)) NsLinesFail(lines, "the file has more entries than its header states");
}

/* ---- CalculiX ----------------------------------------------------------------------------------------------------------------------------------- */

static void read_triples(NsMatrixReader *self)
{
  do {
    char  *at = self->lines.line;
    long   row, column;
    double value;
    if (!NsLinesWhole(&at, &row) || !NsLinesWhole(&at, &column) || !NsLinesReal(&at, &value) || at[strspn(at, " \t\r")])
      NsLinesFail(&self->lines, "expected row, column and value");
    if (!self->lines.failed) NsMatrixAdd(self, row - 1, column - 1, value);
  } while (NsLinesNext(&self->lines));
}

/* ---- Abaqus ------------------------------------------------------------------------------------------------------------------------------------- */

static int compare_dofs(const void *a, const void *b)
{
  const NsMatrixDof *x = a, *y = b;

  return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : x->direction - y->direction;
}

typedef struct {
  NsMatrixDof row, column;
  double      value;
} Named;

/* The DOF of all entries, ascending. */
static void make_dofs(const Named *named, PetscInt count, NsMatrixDofs *dofs)
{
  PetscInt kept = 0;

  for (PetscInt k = 0; k < count; k++) {
    dofs->item                = NsMatrixGrow(dofs->item, dofs->count, 2, &dofs->capacity, sizeof(*dofs->item));
    dofs->item[dofs->count++] = named[k].row;
    dofs->item[dofs->count++] = named[k].column;
    if (k % 100000 != 99999 && k != count - 1) continue;
    qsort(dofs->item, (size_t)dofs->count, sizeof(*dofs->item), compare_dofs);
    kept = 0;
    for (PetscInt i = 0; i < dofs->count; i++) {
      if (i == 0 || compare_dofs(&dofs->item[i], &dofs->item[i - 1]) != 0) dofs->item[kept++] = dofs->item[i];
    }
    dofs->count = kept;
  }
}

/* -1: not there. The list may be in any order. */
static long index_of(const NsMatrixDofs *sorted, const PetscInt *index, NsMatrixDof dof)
{
  const NsMatrixDof *found = bsearch(&dof, sorted->item, (size_t)sorted->count, sizeof(*sorted->item), compare_dofs);

  return found ? index[found - sorted->item] : -1;
}

static int compare_positions(const void *a, const void *b, void *items)
{
  const NsMatrixDof *item = items;

  return compare_dofs(&item[*(const PetscInt *)a], &item[*(const PetscInt *)b]);
}

static void name_rows(NsMatrixReader *self, const Named *named, PetscInt count)
{
  NsMatrixDofs sorted = {.count = self->dofs->count};
  PetscInt    *index  = malloc((size_t)(sorted.count + 1) * sizeof(*index));

  sorted.item = malloc((size_t)(sorted.count + 1) * sizeof(*sorted.item));
  if (!index || !sorted.item) NsOutOfMemory();
  for (PetscInt i = 0; i < sorted.count; i++) index[i] = i;
  qsort_r(index, (size_t)sorted.count, sizeof(*index), compare_positions, self->dofs->item);
  for (PetscInt i = 0; i < sorted.count; i++) sorted.item[i] = self->dofs->item[index[i]];
  for (PetscInt k = 0; k < count && !self->lines.failed; k++) {
    const long row = index_of(&sorted, index, named[k].row), column = index_of(&sorted, index, named[k].column);
    if (row < 0 || column < 0) {
      const NsMatrixDof unknown = row < 0 ? named[k].row : named[k].column;
      NsLinesFail(&self->lines, "DOF %d of node %ld is not among those of the stiffness", unknown.direction, unknown.node);
    } else
      NsMatrixAdd(self, row, column, named[k].value);
  }
  free(sorted.item);
  free(index);
}

/* No constraint: a degree of freedom of a node. */
static PetscBool is_node(NsMatrixReader *self, long node, long direction)
{
  if (node >= 1 && direction >= 1 && direction <= 6) return PETSC_TRUE;
  NsLinesFail(&self->lines, "node %ld, DOF %ld: only displacements and rotations of nodes (DOF 1 to 6) are supported", node, direction);
  return PETSC_FALSE;
}

static void read_named(NsMatrixReader *self)
{
  Named   *named = NULL;
  PetscInt count = 0, capacity = 0;

  do {
    char  *at = self->lines.line;
    long   of[4];
    double value;
    if (*at == '*') continue; /* *MATRIX INPUT, NAME=..., and comments */
    PetscBool good = PETSC_TRUE;
    for (int k = 0; k < 4 && good; k++) good = NsLinesWhole(&at, &of[k]);
    if (!good || !NsLinesReal(&at, &value)) {
      NsLinesFail(&self->lines, "expected node, DOF, node, DOF, value");
      break;
    }
    if (!is_node(self, of[0], of[1]) || !is_node(self, of[2], of[3])) break;
    named          = NsMatrixGrow(named, count, 1, &capacity, sizeof(*named));
    named[count++] = (Named){{of[0], (int)of[1]}, {of[2], (int)of[3]}, value};
  } while (NsLinesNext(&self->lines));
  if (!self->lines.failed && !self->dofs->count) make_dofs(named, count, self->dofs);
  self->n = self->dofs->count;
  if (!self->lines.failed) name_rows(self, named, count);
  free(named);
}

/* ---- rows --------------------------------------------------------------------------------------------------------------------------------------- */

static int compare_columns(const void *a, const void *b)
{
  const NsMatrixEntry *x = a, *y = b;

  return (x->column > y->column) - (x->column < y->column);
}

static PetscInt find(const NsSparse *matrix, PetscInt row, PetscInt column)
{
  PetscInt low = matrix->start[row], high = matrix->start[row + 1];

  while (low < high) {
    const PetscInt middle = (low + high) / 2;
    if (matrix->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < matrix->start[row + 1] && matrix->column[low] == column ? low : -1;
}

/* Sorted into rows, mirrored where the file holds one triangle; each row with its diagonal. */
static PetscErrorCode make_rows(NsMatrixReader *self, NsSparse *matrix)
{
  const PetscBool mirror = !(self->upper && self->lower);
  const PetscReal sign   = self->kind == NS_MATRIX_SKEW ? -1 : 1; /* of the transposed matrix */
  const PetscInt  most   = 2 * self->count + self->n;
  PetscInt       *start;
  NsMatrixEntry  *sorted;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(self->n + 2, &start));
  PetscCall(PetscMalloc1(most, &sorted));
  for (PetscInt k = 0; k < self->count; k++) {
    start[self->entry[k].row + 2]++;
    if (mirror && self->entry[k].row != self->entry[k].column) start[self->entry[k].column + 2]++;
  }
  for (PetscInt i = 0; i < self->n; i++) start[i + 2] += start[i + 1];
  for (PetscInt k = 0; k < self->count; k++) {
    const NsMatrixEntry e      = self->entry[k];
    sorted[start[e.row + 1]++] = e;
    if (mirror && e.row != e.column) sorted[start[e.column + 1]++] = (NsMatrixEntry){e.column, e.row, sign * e.value};
  }
  matrix->rows = self->n;
  matrix->row  = NULL;
  PetscCall(PetscMalloc1(self->n + 1, &matrix->start));
  PetscCall(PetscMalloc1(most, &matrix->column));
  PetscCall(PetscMalloc1(most, &matrix->value));
  PetscInt at = 0;
  for (PetscInt i = 0; i < self->n; i++) {
    PetscBool diagonal = PETSC_FALSE;
    matrix->start[i]   = at;
    qsort(sorted + start[i], (size_t)(start[i + 1] - start[i]), sizeof(*sorted), compare_columns);
    for (PetscInt k = start[i]; k < start[i + 1]; k++) {
      if (k > start[i] && sorted[k].column == sorted[k - 1].column)
        NsLinesFail(&self->lines, "the entry of (%s) and (%s) is duplicated", NsMatrixDofName(self->dofs, i, self->arena),
          NsMatrixDofName(self->dofs, sorted[k].column, self->arena));
      if (!diagonal && sorted[k].column > i) matrix->column[at] = i, matrix->value[at++] = 0;
      diagonal            = diagonal || sorted[k].column >= i;
      matrix->column[at]  = sorted[k].column;
      matrix->value[at++] = sorted[k].value;
    }
    if (!diagonal) matrix->column[at] = i, matrix->value[at++] = 0;
  }
  matrix->start[self->n] = at;
  PetscCall(PetscFree(sorted));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(0);
}

/* Entries and their transposed ones: reported where they differ by more than rounding, else their mean. */
static void make_symmetric(NsMatrixReader *self, NsSparse *matrix)
{
  const PetscReal   sign    = self->kind == NS_MATRIX_SKEW ? -1 : 1;
  const char *const word    = self->kind == NS_MATRIX_SKEW ? "skew-symmetric" : "symmetric";
  PetscReal         largest = 0;

  for (PetscInt k = 0; k < matrix->start[matrix->rows]; k++) largest = PetscMax(largest, PetscAbsReal(matrix->value[k]));
  for (PetscInt i = 0; i < matrix->rows && !self->lines.failed; i++) {
    for (PetscInt k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
      const PetscInt  j = matrix->column[k], other = find(matrix, j, i);
      const PetscReal a = matrix->value[k], b = other < 0 ? 0 : matrix->value[other];
      if (PetscAbsReal(a - sign * b) > NS_SYMMETRIC * largest || other < 0) {
        if (other < 0 && PetscAbsReal(a) <= NS_SYMMETRIC * largest) {
          matrix->value[k] = 0;
          continue;
        }
        NsLinesFail(&self->lines, "the matrix is not %s: %.6g at (%s), (%s), but %.6g at (%s), (%s)", word, a,
          NsMatrixDofName(self->dofs, i, self->arena), NsMatrixDofName(self->dofs, j, self->arena), b, NsMatrixDofName(self->dofs, j, self->arena),
          NsMatrixDofName(self->dofs, i, self->arena));
        return;
      }
      if (i == j && sign < 0) matrix->value[k] = 0;
      if (i >= j) continue;
      matrix->value[k]     = (a + sign * b) / 2;
      matrix->value[other] = sign * matrix->value[k];
    }
  }
}

PetscErrorCode NsReadMatrix(
  const NsNode *where, NsMatrixKind kind, NsMatrixDofs *dofs, NsArena *arena, NsDiag *diag, NsSparse *matrix, PetscBool *good)
{
  NsMatrixReader self = {.kind = kind, .dofs = dofs, .arena = arena, .n = dofs->count};

  PetscFunctionBegin;
  *matrix = (NsSparse){0};
  if (NsLinesOpen(where, NULL, arena, diag, &self.lines)) {
    const NsMatrixFormat format = NsMatrixFormatOf(&self.lines);
    if (!NsLinesNext(&self.lines))
      NsLinesFail(&self.lines, "the file is empty");
    else if (format != NS_FILE_NAMED && !dofs->count)
      NsLinesFail(&self.lines, format == NS_FILE_TRIPLES  ? "a file of `row column value` needs the key `unknowns`: which DOF its rows are"
                               : format == NS_FILE_MARKET ? "a Matrix Market file needs the key `unknowns`, or nodes"
                                                          : "a Harwell-Boeing file needs the key `unknowns`: which DOF its rows are");
    else if (format == NS_FILE_MARKET)
      read_market(&self);
    else if (format == NS_FILE_HARWELL_BOEING)
      NsMatrixReadHarwellBoeing(&self);
    else if (format == NS_FILE_NAMED)
      read_named(&self);
    else
      read_triples(&self);
    self.lines.number = 0;
    if (!self.lines.failed && !self.count) NsLinesFail(&self.lines, "there are no entries in this file");
    if (!self.lines.failed) PetscCall(make_rows(&self, matrix));
    if (!self.lines.failed) make_symmetric(&self, matrix);
  }
  NsLinesClose(&self.lines);
  free(self.entry);
  *good = !self.lines.failed;
  if (!*good) PetscCall(NsSparseDestroy(matrix));
  PetscFunctionReturn(0);
}
