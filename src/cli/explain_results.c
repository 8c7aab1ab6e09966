/* `percuss explain results`: the tables of results and their columns, from the tables of the writers. */
#include <ctype.h>
#include <string.h>
#include "cli/explain.h"
#include "core/json.h"
#include "percuss/output.h"

static void explain_arrays(const char *of, const NsVtkArray *array, FILE *out)
{
  static const char *const kinds[] = {"number", "vector", "tensor", "integer"};

  fprintf(out, "\n  %-16s %-8s %-8s  meaning\n\n", of, "kind", "unit");
  for (; array->name; array++) {
    fprintf(out, "  %-16s %-8s %-8s  ", array->name, kinds[array->kind], *array->unit ? array->unit : "-");
    NsExplainWrap(out, 38, array->meaning);
  }
}

static void explain_frames(FILE *out)
{
  const NsVtkType *type;

  for (int i = 0; (type = NsVtkTypeAt(i)); i++) {
    fprintf(out, "\n%s\n\n  ", type->file);
    NsExplainWrap(out, 2, type->about);
    explain_arrays("of points", type->point, out);
    if (type->cell) explain_arrays("of cells", type->cell, out);
  }
}

bool NsExplainResults(const char *word, FILE *out)
{
  const bool       all   = !strcmp(word, "results");
  const NsCsvType *table = NULL;
  bool             found = false;

  for (int i = 0; (table = NsCsvTypeAt(i)); i++) {
    if (!all && strcmp(table->file, word) != 0) continue;
    fprintf(out, "%s%s\n\n  ", found ? "\n" : "", table->file);
    NsExplainWrap(out, 2, table->about);
    fprintf(out, "\n  %-31s %-8s  meaning\n\n", "column", "unit");
    for (const NsColumn *column = table->column; column->name; column++) {
      char name[64] = "";

      if (table->subject && column != table->column) (void)snprintf(name, sizeof(name), "%s.", table->subject);
      for (char *c = name; *c; c++) *c = (char)toupper(*c);
      (void)snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s", column->name);
      fprintf(out, "  %-31s %-8s  ", name, !column->unit ? "word" : *column->unit ? column->unit : "-");
      NsExplainWrap(out, 44, column->meaning);
    }
    found = true;
  }
  if (all) explain_frames(out);
  return found;
}

void NsExplainResultsJson(FILE *out)
{
  const NsCsvType *table;
  NsJson           json;

  NsJsonBegin(&json, 16384);
  NsJsonOpen(&json, NULL, '{');
  NsJsonOpen(&json, "tables", '[');
  for (int i = 0; (table = NsCsvTypeAt(i)); i++) {
    NsJsonOpen(&json, NULL, '{');
    NsJsonString(&json, "file", table->file);
    NsJsonString(&json, "about", table->about);
    NsJsonString(&json, "subject", table->subject);
    NsJsonOpen(&json, "columns", '[');
    for (const NsColumn *column = table->column; column->name; column++) {
      NsJsonOpen(&json, NULL, '{');
      NsJsonString(&json, "name", column->name);
      NsJsonString(&json, "unit", column->unit);
      NsJsonString(&json, "meaning", column->meaning);
      NsJsonClose(&json);
    }
    NsJsonClose(&json);
    NsJsonClose(&json);
  }
  NsJsonClose(&json);
  NsJsonClose(&json);
  fwrite(json.text, 1, json.used, out);
  NsJsonEnd(&json);
}

bool NsExplainColumns(const char *word, bool after, FILE *out)
{
  const NsCsvType *table;
  bool             found = false;

  for (int i = 0; (table = NsCsvTypeAt(i)); i++) {
    for (const NsColumn *column = table->column; column->name; column++) {
      if (!NsExplainContains(column->name, word) && !NsExplainContains(column->meaning, word)) continue;
      if (!found) fprintf(out, "%scolumns of results with the word '%s'\n\n", after ? "\n" : "", word);
      found = true;
      fprintf(out, "  %-20s  %-16s  ", table->file, column->name);
      NsExplainWrap(out, 42, column->meaning ? column->meaning : "");
    }
  }
  return found;
}
