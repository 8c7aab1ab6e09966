/*
  Harwell-Boeing: what Ansys writes by HBMAT (ASCII). Lines:

      title
      number of lines: all, pointers, indices, values, right-hand sides
      RSA (real, symmetric: one triangle, assembled), RUA (unsymmetric) or RZA (skew); rows, columns, entries
      Fortran formats of pointers, indices, values, right-hand sides
      (where there are right-hand sides) F..., their number
      pointers to the first entry of each column, 1-based; row of each entry; values; right-hand sides

  Numbers have fields of a fixed width, and may touch each other.

  I. S. Duff, R. G. Grimes, J. G. Lewis, Users' guide for the Harwell-Boeing sparse matrix collection, TR/PA/92/86, CERFACS (1992).
*/
#include "entries.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/out_of_memory.h"

PetscBool NsMatrixIsHarwellBoeing(const char *line)
{
  return strchr("RCPrcp", *line) && *line && strchr("SUHZRsuhzr", line[1]) && line[1] && strchr("AEae", line[2]) && line[2] &&
         (line[3] == ' ' || line[3] == '\t');
}

/* Fields of one kind of number, one after the other. */
typedef struct {
  NsLines *lines;
  int      width; /* 0: separated by blanks */
  char    *at;    /* in the line; NULL: the next line is due */
} Fields;

/* The next field into text[64]; false at the end of the file. */
static PetscBool next_field(Fields *fields, char *text)
{
  while (!fields->at || !fields->at[strspn(fields->at, " \t\r")]) {
    if (!NsLinesNext(fields->lines)) return PETSC_FALSE;
    fields->at = fields->lines->line;
  }
  if (!fields->width) fields->at += strspn(fields->at, " \t");
  const size_t left = strlen(fields->at), length = fields->width ? PetscMin((size_t)fields->width, left) : strcspn(fields->at, " \t\r"),
               kept = PetscMin(length, 63);
  memcpy(text, fields->at, kept);
  text[kept] = '\0';
  fields->at += length;
  return PETSC_TRUE;
}

/* The widths of (10I8), (1P,5E16.8), (3(1PE26.18)), ... in the line. */
static void read_formats(const char *line, int width[4])
{
  int group = 0, depth = 0;

  for (const char *at = line; *at && group < 4; at++) {
    if (*at == '(') depth++;
    if (*at == ')' && depth > 0 && --depth == 0) group++;
    if (depth > 0 && group < 4 && strchr("IEDFGiedfg", *at) && isdigit((unsigned char)at[1]))
      width[group] = (int)PetscMin(strtol(at + 1, NULL, 10), 60);
  }
}

static long *read_whole(NsLines *lines, int width, long count, const char *what)
{
  long  *value  = malloc((size_t)(count + 1) * sizeof(*value));
  Fields fields = {lines, width, NULL};
  char   text[64];

  if (!value) NsOutOfMemory();
  for (long k = 0; k < count; k++) {
    char *at = text;
    if (!next_field(&fields, text) || !NsLinesWhole(&at, &value[k])) {
      NsLinesFail(lines, "expected %s %ld of %ld", what, k + 1, count);
      break;
    }
  }
  return value;
}

static PetscBool next_real(Fields *fields, double *value)
{
  char text[64], *at = text;

  return next_field(fields, text) && NsLinesReal(&at, value);
}

/* Values of columns of which pointers and rows are known. */
static void read_entries(NsMatrixReader *self, const long *pointer, const long *row, long entries, int width)
{
  Fields fields = {&self->lines, width, NULL};
  long   column = 0;
  double value;

  for (long k = 0; k < entries && !self->lines.failed; k++) {
    while (column + 1 < self->n && pointer[column + 1] <= k + 1) column++;
    if (!next_real(&fields, &value))
      NsLinesFail(&self->lines, "expected value %ld of %ld", k + 1, entries);
    else if (!self->right && value != 0)
      NsMatrixAdd(self, row[k] - 1, column, value);
  }
}

static void read_right(NsMatrixReader *self, long lines, const char *type, int width)
{
  Fields fields = {&self->lines, width, NULL};

  if (lines < 1)
    NsLinesFail(&self->lines, "the file has no right-hand side: write it by HBMAT with Rhs = YES");
  else if (toupper((unsigned char)*type) != 'F')
    NsLinesFail(&self->lines, "a right-hand side of the type '%.3s': expected F (full)", type);
  for (PetscInt i = 0; i < self->n && !self->lines.failed; i++) {
    if (!next_real(&fields, &self->right[i])) NsLinesFail(&self->lines, "expected number %d of %d of the right-hand side", (int)i + 1, (int)self->n);
  }
}

void NsMatrixReadHarwellBoeing(NsMatrixReader *self)
{
  NsLines *lines = &self->lines;
  char    *at = lines->line, *counts = at, kind[4] = "", right_type[4] = "";
  long     total[5] = {0, 0, 0, 0, 0}, rows = 0, columns = 0, entries = 0;
  int      width[4] = {0, 0, 0, 0};

  while (!NsMatrixIsHarwellBoeing(lines->line)) { /* the title may be blank, and skipped */
    counts = lines->line;
    if (!NsLinesNext(lines)) return;
  }
  for (int k = 0; k < 5 && NsLinesWhole(&counts, &total[k]); k++) continue;
  for (int k = 0; k < 3; k++) kind[k] = (char)toupper((unsigned char)lines->line[k]);
  at = lines->line + 3;
  if (!NsLinesWhole(&at, &rows) || !NsLinesWhole(&at, &columns) || !NsLinesWhole(&at, &entries) || rows < 1 || entries < 0)
    NsLinesFail(lines, "expected the kind of the matrix, and the numbers of rows, columns and entries");
  else if (kind[0] != 'R' || kind[2] != 'A' || !strchr(self->kind == NS_MATRIX_SKEW ? "UZ" : "SU", kind[1]))
    NsLinesFail(lines, "a matrix of the kind %s: expected %s", kind, self->kind == NS_MATRIX_SKEW ? "RZA or RUA" : "RSA or RUA");
  else if (rows != columns || rows != self->n)
    NsLinesFail(lines, "a matrix of %ld rows and %ld columns: the list of unknowns has %d DOF", rows, columns, (int)self->n);
  else if (entries > (long)(strlen(lines->next) / 2))
    NsLinesFail(lines, "a matrix of %ld entries: the file is too short for them", entries);
  if (NsLinesNext(lines)) read_formats(lines->line, width);
  if (total[4] > 0 && NsLinesNext(lines)) memcpy(right_type, lines->line, PetscMin(strlen(lines->line), 3));
  if (lines->failed) return;
  long *pointer = read_whole(lines, width[0], rows + 1, "pointer"), *row = lines->failed ? NULL : read_whole(lines, width[1], entries, "row");
  if (!lines->failed && (pointer[0] != 1 || pointer[rows] != entries + 1))
    NsLinesFail(lines, "pointers of columns from %ld to %ld: expected 1 to %ld", pointer[0], pointer[rows], entries + 1);
  for (long k = 0; k < rows && !lines->failed; k++) {
    if (pointer[k] > pointer[k + 1]) NsLinesFail(lines, "the pointers of columns decrease: %ld, %ld", pointer[k], pointer[k + 1]);
  }
  if (!lines->failed) read_entries(self, pointer, row, entries, width[2]);
  if (!lines->failed && self->right) read_right(self, total[4], right_type, width[3] ? width[3] : width[2]);
  free(pointer);
  free(row);
}
