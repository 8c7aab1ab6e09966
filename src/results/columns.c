#include "columns.h"
#include <string.h>
#include "percuss/output.h"

static const NsColumn *find(const char *file, const char *name)
{
  const NsCsvType *type = NsCsvTypeFind(file);

  return type ? NsColumnFind(type, name) : NULL;
}

const char *NsColumnFirst(const char *file)
{
  const NsCsvType *type = NsCsvTypeFind(file);

  return type ? type->column->name : NULL;
}

const char *NsColumnUnit(const char *file, const char *name)
{
  const NsCsvType *type = NsCsvTypeFind(file);

  return type ? NsColumnUnitIn(type, name) : NULL;
}

bool NsColumnOfWords(const char *file, const char *name)
{
  const NsColumn *column = find(file, name);

  return column && !column->unit;
}

bool NsColumnSums(const char *file, const char *name)
{
  const NsColumn *column = find(file, name);

  return column && column->sums;
}

const char *NsColumnRate(const char *file, const char *name, NsArena *arena)
{
  const NsColumn *column = find(file, name);
  const char     *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;

  if (!column || !column->rate) return NULL;
  return NsArenaPrint(arena, "%.*s%s%s", (int)(last - name), name, column->rate, last + strcspn(column->name, "[*?"));
}
