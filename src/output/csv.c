#include "csv.h"
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static PetscBool has_column(const NsColumn *column, const NsSubject *subject)
{
  return !(column->needs & ~(subject ? subject->has : 0));
}

/* "ux" of bar.left.ux.max: the last part of the subject's name. */
static void last_of_subject(const char *name, char *part, size_t size)
{
  const char *end = strrchr(name, '.'), *begin = end;

  while (begin && begin > name && begin[-1] != '.') begin--;
  snprintf(part, size, "%.*s", end ? (int)(end - begin) : 0, begin ? begin : "");
}

/* "" without unit; NULL: words, or not known. */
static const char *unit_of(const NsColumn *column, const char *name)
{
  char part[64];

  if (!column || !column->unit || !strcmp(column->unit, NS_UNIT_UNKNOWN)) return NULL;
  if (strcmp(column->unit, NS_UNIT_OF_PROBE) != 0) return column->unit;
  last_of_subject(name, part, sizeof(part));
  return NsColumnUnitIn(NsCsvTypeFind("history.csv"), part);
}

/* "bar.left.ux [m]" where the sink wants units, and the column is no word. */
static void add_field(NsCsv *csv, const NsColumn *column, size_t base, const char *name)
{
  const char *unit = csv->file.sink->units ? unit_of(column, name) : NULL;

  csv->field[csv->fields] = (NsCsvField){base + column->offset, column->unit == NULL, column->optional};
  if (csv->fields++) NsFileBytes(&csv->file, ",", 1);
  NsFileWord(&csv->file, name, 0);
  if (!unit || !*unit) return;
  NsFileBytes(&csv->file, " [", 2);
  NsFileWord(&csv->file, unit, 0);
  NsFileBytes(&csv->file, "]", 1);
}

static void add_subject(NsCsv *csv, const NsColumn *columns, PetscInt number, const NsSubject *subject, NsArena *arena)
{
  const NsCsvType *type = csv->type;
  const size_t     base = type->subject ? type->row + (size_t)number * type->stride : 0;

  for (const NsColumn *column = columns; column->name; column++) {
    if (!has_column(column, subject)) continue;
    add_field(csv, column, base, type->subject ? NsArenaPrint(arena, "%s.%s", subject->name, column->name) : column->name);
  }
}

void NsCsvOpen(NsCsv *csv, NsSink *sink, const NsCsvType *type, PetscInt subjects, const NsSubject *subject)
{
  size_t columns = 0, fields;

  while (type->column[columns].name) columns++;
  fields      = columns * (size_t)PetscMax(1, subjects);
  csv->type   = type;
  csv->fields = 0;
  csv->field  = NsArenaAlloc(sink->arena, fields * sizeof(*csv->field));
  /* Two rows fit, so that a flush never cuts one; and enough rows that writing them costs nothing. */
  NsFileCreate(&csv->file, sink, PetscMax((size_t)65536, 2 * 26 * (fields + 1)));
  NsFileOpen(&csv->file, type->file);
  NsFileListAdd(&sink->files, type->file, sink->arena);
  if (type->subject) {
    add_field(csv, type->column, 0, type->column->name);
    for (PetscInt i = 0; i < subjects; i++) add_subject(csv, type->column + 1, i, &subject[i], sink->arena);
  } else
    add_subject(csv, type->column, 0, subject, sink->arena);
  NsFileBytes(&csv->file, "\n", 1);
}

size_t NsCsvRowSize(const NsCsvType *type, PetscInt subjects)
{
  return type->row + (size_t)subjects * type->stride;
}

void NsCsvRow(NsCsv *csv, const void *row)
{
  for (PetscInt i = 0; i < csv->fields; i++) {
    const NsCsvField *field     = &csv->field[i];
    const void       *value     = (const char *)row + field->offset;
    const char        separator = i + 1 < csv->fields ? ',' : '\n';

    if (field->word)
      NsFileWord(&csv->file, *(const char *const *)value, separator);
    else if (field->optional && isnan(*(const PetscReal *)value))
      NsFileBytes(&csv->file, &separator, 1);
    else
      NsFileNumber(&csv->file, *(const PetscReal *)value, separator);
  }
  NsFileEndRow(&csv->file);
}

/* For run.json, so that a table that is cut afterwards is detected. */
static void note_size(const NsCsv *csv)
{
  for (NsFileList *file = csv->file.sink->files; file; file = file->next) {
    if (!strcmp(file->path, csv->type->file)) file->size = csv->file.written;
  }
}

void NsCsvClose(NsCsv *csv)
{
  if (csv->type && NsFileClose(&csv->file, PETSC_TRUE)) note_size(csv);
  csv->type = NULL;
}

const NsColumn *NsColumnFind(const NsCsvType *type, const char *name)
{
  const char *dot = strrchr(name, '.');

  for (const NsColumn *column = type->column; column->name; column++) {
    if (!fnmatch(column->name, dot ? dot + 1 : name, 0)) return column;
  }
  return NULL;
}

const char *NsColumnUnitIn(const NsCsvType *type, const char *name)
{
  return unit_of(NsColumnFind(type, name), name);
}
