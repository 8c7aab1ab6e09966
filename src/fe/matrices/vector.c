/*
  Vectors of loads over the DOF of matrices, from text: the right-hand side of a Harwell-Boeing file, a Matrix Market file of one column, "node, dof, value" (Abaqus *CLOAD), or one number a row.
*/
#include "entries.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* -1: not there. Files mostly have the order of the matrices: the search begins behind the last one found. */
static PetscInt find_dof(const NsMatrixDofs *dofs, long node, long direction, PetscInt from)
{
  for (PetscInt k = 0; k < dofs->count; k++) {
    const PetscInt i = (from + k) % dofs->count;
    if (dofs->item[i].node == node && dofs->item[i].direction == direction) return i;
  }
  return -1;
}

static void read_named(NsMatrixReader *self, PetscInt *lost)
{
  PetscInt from = 0;

  do {
    char  *at = self->lines.line;
    long   node, direction;
    double value;
    if (*at == '*') continue; /* *CLOAD, and comments */
    if (!NsLinesWhole(&at, &node) || !NsLinesWhole(&at, &direction) || !NsLinesReal(&at, &value)) {
      NsLinesFail(&self->lines, "expected node, DOF, value");
      return;
    }
    const PetscInt i = find_dof(self->dofs, node, direction, from);
    if (i >= 0)
      self->right[from = i] += value;
    else
      *lost += value != 0;
  } while (NsLinesNext(&self->lines));
}

static void read_numbers(NsMatrixReader *self)
{
  PetscInt i = 0;

  do {
    char *at = self->lines.line;
    if (i == self->n || !NsLinesReal(&at, &self->right[i++]) || at[strspn(at, " \t\r")]) {
      NsLinesFail(&self->lines, "expected one number per line, %d in all", (int)self->n);
      return;
    }
  } while (NsLinesNext(&self->lines));
  if (i != self->n) NsLinesFail(&self->lines, "%d numbers, but the matrices have %d DOF", (int)i, (int)self->n);
}

static void read_market(NsMatrixReader *self)
{
  NsLines        *lines      = &self->lines;
  const PetscBool coordinate = strstr(lines->line, "coordinate") != NULL;
  long            rows = 0, columns = 0, entries = 0, row, column = 1;
  PetscBool       there = NsLinesNext(lines);

  while (there && lines->line[0] == '%') there = NsLinesNext(lines);
  char *at = lines->line;
  if (!there || !NsLinesWhole(&at, &rows) || !NsLinesWhole(&at, &columns) || (coordinate && !NsLinesWhole(&at, &entries)))
    NsLinesFail(lines, "expected the numbers of rows, columns%s", coordinate ? " and entries" : "");
  else if (rows != self->n || columns != 1)
    NsLinesFail(lines, "%ld rows and %ld columns: expected one column of %d DOF", rows, columns, (int)self->n);
  if (!coordinate) entries = rows;
  for (long k = 0; k < entries && !lines->failed; k++) {
    double value;
    at  = NsLinesNext(lines) ? lines->line : NULL;
    row = k + 1;
    if (!at || (coordinate && (!NsLinesWhole(&at, &row) || !NsLinesWhole(&at, &column))) || !NsLinesReal(&at, &value) || row < 1 || row > rows)
      NsLinesFail(lines, "expected %s: entry %ld of %ld", coordinate ? "row, column and value" : "one number per line", k + 1, entries);
    else
      self->right[row - 1] += value;
  }
  if (!lines->failed && NsLinesNext(lines)) NsLinesFail(lines, "the file has more entries than its header states");
}

PetscBool NsReadMatrixVector(const NsNode *where, const NsMatrixDofs *dofs, NsArena *arena, NsDiag *diag, double *value, PetscInt *lost)
{
  NsMatrixReader self = {.dofs = (NsMatrixDofs *)dofs, .arena = arena, .n = dofs->count, .right = value};

  *lost = 0;
  for (PetscInt i = 0; i < self.n; i++) value[i] = 0;
  if (NsLinesOpen(where, NULL, arena, diag, &self.lines)) {
    const NsMatrixFormat format = NsMatrixFormatOf(&self.lines);
    if (!NsLinesNext(&self.lines))
      NsLinesFail(&self.lines, "the file is empty");
    else if (format == NS_FILE_MARKET)
      read_market(&self);
    else if (format == NS_FILE_HARWELL_BOEING)
      NsMatrixReadHarwellBoeing(&self);
    else if (format == NS_FILE_NAMED)
      read_named(&self, lost);
    else
      read_numbers(&self);
    self.lines.number = 0;
    for (PetscInt i = 0; i < self.n; i++) {
      if (!(value[i] > -1e30 && value[i] < 1e30))
        NsLinesFail(&self.lines, "the value at %s is out of range: %g", NsMatrixDofName(dofs, i, arena), value[i]);
    }
  }
  NsLinesClose(&self.lines);
  return !self.lines.failed;
}
