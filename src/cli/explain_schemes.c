/*
  `percuss explain schemes`: all schemes in one table, from their sheets (NsSchemeSheet). Cells are wrapped within their columns, so that lines fit a terminal.
*/
#include "cli/explain.h"
#include "core/text.h"
#include "percuss/scheme.h"
#include <string.h>

enum { COLUMNS = 7, GAP = 2 };

typedef struct {
  const char *cell[COLUMNS];
} Row;

static const Row heads = {{"scheme", "order", "level", "flight", "energy", "requires", "reference"}};

static const struct {
  const char *head, *text;
} legend[] = {
  {"order", "of positions, in free flight without damping / with impacts (-: no impacts)"},
  {"level", "level on which contacts and joints are satisfied"},
  {"flight",
    "implicit: a step of free motion solves a system with stiffness or damping; explicit: with the mass matrix only. The local problems of contacts "
    "and joints, which all schemes solve, do not count"},
  {"energy", "in free flight without damping; after the semicolon: what else changes it"},
  {"requires", "required of the model in addition to forces and mass (-: nothing)"},
};

static Row scheme_row(const NsSchemeType *type, NsArena *arena)
{
  const NsSchemeSheet *sheet   = &type->sheet;
  const char          *impacts = sheet->order_impacts ? NsArenaPrint(arena, "%d", sheet->order_impacts) : "-";

  return (Row){{type->variant.name, NsArenaPrint(arena, "%d / %s", sheet->order, impacts), sheet->level, type->implicit ? "implicit" : "explicit",
    sheet->energy, *sheet->needs ? sheet->needs : "-", sheet->cited}};
}

static int longest_word(const char *text)
{
  int longest = 0;

  while (*text) {
    const size_t size  = strcspn(text, " ");
    const int    width = NsTextCount(text, size);

    if (width > longest) longest = width;
    text += size;
    text += strspn(text, " ");
  }
  return longest;
}

/* Each column is at least as wide as its longest word; the rest of the line goes to the columns whose longest cell is wrapped most. */
static void find_widths(const Row *rows, int count, int width[COLUMNS])
{
  int whole[COLUMNS] = {0}, used = (COLUMNS - 1) * GAP;

  for (int c = 0; c < COLUMNS; ++c) {
    width[c] = 1;
    for (int r = 0; r < count; ++r) {
      const char *cell = rows[r].cell[c];
      const int   word = longest_word(cell), all = NsTextCount(cell, strlen(cell));

      if (word > width[c]) width[c] = word;
      if (all > whole[c]) whole[c] = all;
    }
    used += width[c];
  }
  for (; used < NS_EXPLAIN_WIDTH; ++used) {
    int most = 0;

    for (int c = 1; c < COLUMNS; ++c) {
      if (whole[c] * width[most] > whole[most] * width[c]) most = c;
    }
    if (whole[most] <= width[most]) return;
    ++width[most];
  }
}

/* As many lines as its cells take, without blanks at their ends. */
static void put_row(FILE *out, Row row, const int width[COLUMNS])
{
  bool more = true;

  while (more) {
    int blanks = 0;

    more = false;
    for (int c = 0; c < COLUMNS; ++c) {
      const size_t size = NsExplainFit(row.cell[c], width[c]);

      if (size) {
        fprintf(out, "%*s%.*s", blanks, "", (int)size, row.cell[c]);
        blanks = 0;
      }
      blanks += width[c] + GAP - NsTextCount(row.cell[c], size);
      row.cell[c] += size;
      row.cell[c] += strspn(row.cell[c], " ");
      more = more || *row.cell[c];
    }
    fputc('\n', out);
  }
}

void NsExplainSchemes(const NsSchemeType *const *types, FILE *out)
{
  NsArena *arena = NsArenaCreate();
  Row     *rows;
  int      count = 1, width[COLUMNS];

  while (types[count - 1]) ++count;
  rows    = NsArenaAlloc(arena, (size_t)count * sizeof(*rows));
  rows[0] = heads;
  for (int i = 1; i < count; ++i) rows[i] = scheme_row(types[i - 1], arena);
  find_widths(rows, count, width);
  for (int i = 0; i < count; ++i) {
    put_row(out, rows[i], width);
    fputc('\n', out);
  }
  for (size_t i = 0; i < sizeof(legend) / sizeof(legend[0]); ++i) {
    fprintf(out, "%-10s", legend[i].head);
    NsExplainWrap(out, 10, legend[i].text);
  }
  fputs("\npercuss explain scheme.NAME shows a scheme's page: equations, step limit, keys, full reference\n", out);
  NsArenaDestroy(&arena);
}
