#include "cli/explain.h"
#include "core/keys_internal.h"
#include "core/text.h"
#include <string.h>

enum { WIDEST = 130 /* of lines that are left as they are */, NAMES = 28 };

size_t NsExplainFit(const char *text, int width)
{
  size_t fit = 0;

  for (;;) {
    size_t next = fit + strspn(text + fit, " ");

    next += strcspn(text + next, " ");
    if (next == fit || (fit && NsTextCount(text, next) > width)) return fit;
    fit = next;
  }
}

void NsExplainWrap(FILE *out, int at, const char *text)
{
  while (*text) {
    const size_t size = NsExplainFit(text, NS_EXPLAIN_WIDTH - at);

    fwrite(text, 1, size, out);
    text += size;
    text += strspn(text, " ");
    if (*text) fprintf(out, "\n%*s", at, "");
  }
  fputc('\n', out);
}

/* Paragraphs as they were written: each line keeps its indentation, for formulas and lists. */
static void put_about(FILE *out, const char *text, NsArena *arena)
{
  while (*text) {
    const size_t size = strcspn(text, "\n"), indent = strspn(text, " ");

    if (indent >= size) {
      fputc('\n', out);
    } else {
      fprintf(out, "%*s", (int)indent + 2, "");
      if (NsTextCount(text, size) + 2 <= WIDEST)
        fprintf(out, "%.*s\n", (int)(size - indent), text + indent); /* blanks within a formula stay */
      else
        NsExplainWrap(out, (int)indent + 2, NsArenaCopy(arena, text + indent, size - indent));
    }
    text += size + (text[size] == '\n');
  }
}

static void put_row(FILE *out, const char *name, int width, const char *text, const char *more)
{
  char line[2048];

  snprintf(line, sizeof(line), "%s%s", text ? text : "", more);
  fprintf(out, "  %-*s  ", width, name);
  NsExplainWrap(out, width + 4 > (int)strlen(name) + 4 ? width + 4 : (int)strlen(name) + 4, line);
}

static void put_keys(FILE *out, const NsTable *table)
{
  int width = 0;

  for (const NsKey *key = table->keys; key->name; ++key) {
    const int size = (int)strlen(key->name);

    if (size > width && size <= NAMES) width = size;
  }
  for (const NsKey *key = table->keys; key->name; ++key) {
    char more[128] = "";

    if (key->required)
      snprintf(more, sizeof(more), " (required)");
    else if (key->default_value && strcmp(key->default_value, "{}") && !(key->help && strstr(key->help, "default: "))) /* said in words */
      snprintf(more, sizeof(more), " (default %s)", key->default_value);
    put_row(out, key->name, width, key->help, more);
  }
}

static void put_variants(FILE *out, const NsVariant *const *variants)
{
  int width = 0;

  for (const NsVariant *const *variant = variants; *variant; ++variant) {
    const int size = (int)strlen((*variant)->name);

    if (size > width && size <= NAMES) width = size;
  }
  for (const NsVariant *const *variant = variants; *variant; ++variant) put_row(out, (*variant)->name, width, (*variant)->title, "");
}

static const char *kind_text(const NsKey *key, NsArena *arena)
{
  const char *list = "";

  switch (key->kind) {
  case NS_KEY_NUMBER: return "number";
  case NS_KEY_INTEGER: return "whole number";
  case NS_KEY_BOOLEAN: return "true or false";
  case NS_KEY_STRING: return "text";
  case NS_KEY_CHOICE:
    for (int i = 0; key->choices[i]; ++i) list = NsArenaPrint(arena, "%s%s%s", list, i ? " | " : "", key->choices[i]);
    return list;
  case NS_KEY_VECTOR: return "list of 3 numbers";
  case NS_KEY_NUMBERS:
    return key->columns > 1
             ? NsArenaPrint(arena, "list of rows of %d numbers, or {file: table.csv}", key->columns)
           : key->least == 1 ? "number or list of numbers"
                             : "list of numbers";
  case NS_KEY_STRINGS: return "word or list of words";
  case NS_KEY_TABLE:
    if (key->table->library) return NsArenaPrint(arena, "mapping, or a name of `%s`", key->table->library);
    return key->table->shorthand ? NsArenaPrint(arena, "mapping, or its %s alone", key->table->shorthand) : "mapping";
  case NS_KEY_LIST:
    return key->table->shorthand ? NsArenaPrint(arena, "list of mappings, or of their %s alone", key->table->shorthand) : "list of mappings";
  case NS_KEY_NAMED: return "mapping from names to mappings";
  case NS_KEY_VARIANT: return "mapping; its key type chooses one of those below";
  case NS_KEY_NAMED_VARIANTS: return "mapping from names to mappings; the key type of each chooses one of those below";
  case NS_KEY_NAMED_NUMBERS: return "mapping from names to numbers";
  case NS_KEY_MAPPING: break;
  }
  return "mapping";
}

static const char *unit_text(NsDimension dimension, NsArena *arena)
{
  const char *unit = NsDimensionUnit(dimension);

  return *unit ? NsArenaPrint(arena, "%s (%s)", unit, NsDimensionName(dimension)) : "none";
}

static const char *count_text(const NsKey *key, NsArena *arena)
{
  if (key->least && key->least == key->most) return NsArenaPrint(arena, "exactly %d", key->least);
  if (key->least && key->most) return NsArenaPrint(arena, "%d to %d", key->least, key->most);
  if (key->least) return NsArenaPrint(arena, "at least %d", key->least);
  return key->most ? NsArenaPrint(arena, "at most %d", key->most) : "";
}

static void put_fact(FILE *out, const char *name, const char *text)
{
  if (*text) put_row(out, name, 8, text, "");
}

static void put_facts(FILE *out, const NsKey *key, NsArena *arena)
{
  const bool number = key->kind == NS_KEY_NUMBER || key->kind == NS_KEY_VECTOR || key->kind == NS_KEY_NAMED_NUMBERS;
  const bool rows   = key->kind == NS_KEY_NUMBERS;

  put_fact(out, "type", kind_text(key, arena));
  if (number) put_fact(out, "unit", unit_text(key->dimension, arena));
  if (rows && key->columns > 1) {
    const char *units = unit_text(key->columns_dimension[0], arena);
    for (int i = 1; i < key->columns; i++) { /* equal columns are printed once */
      const NsDimension a = key->columns_dimension[i - 1], b = key->columns_dimension[i];
      if (memcmp(&a, &b, sizeof(a)) != 0) units = NsArenaPrint(arena, "%s; %s", units, unit_text(b, arena));
    }
    put_fact(out, "units", units);
  } else if (rows)
    put_fact(out, "unit", unit_text(key->columns_dimension[0], arena));
  put_fact(out, "range", NsKeysRangeText(arena, key, rows ? key->columns_dimension[0] : key->dimension));
  put_fact(out, "items", count_text(key, arena));
  if (key->required)
    put_fact(out, "default", "none; the key is required");
  else if (key->default_value)
    put_fact(out, "default", !strcmp(key->default_value, "{}") ? "the defaults of its keys" : key->default_value);
  else
    put_fact(out, "default", "none; the key is optional");
  if (key->example) put_fact(out, "example", NsArenaPrint(arena, "%s: %s", key->name, key->example));
}

static const NsSchemeType *scheme_of(const NsVariant *variant)
{
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; ++type) {
    if (&(*type)->variant == variant) return *type;
  }
  return NULL;
}

/* What is known of every scheme, from its sheet. */
static void put_sheet(FILE *out, const NsSchemeType *type, NsArena *arena)
{
  const NsSchemeSheet *sheet = &type->sheet;
  const struct {
    const char *name, *text;
  } rows[] = {
    {"order", NsArenaPrint(arena, "%d in free flight without damping%s%s", sheet->order,
                sheet->order_velocity ? NsArenaPrint(arena, ", %d where forces depend on velocities", sheet->order_velocity) : "",
                sheet->order_impacts ? NsArenaPrint(arena, ", %d with impacts", sheet->order_impacts) : "; no impacts")},
    {"contacts", NsArenaPrint(arena, "satisfied on %s level", sheet->level)},
    {"energy", sheet->energy},
    {"critical step", sheet->step_limit},
    {"requires", NsArenaPrint(arena, "forces, mass matrix and contact rows%s%s", *sheet->needs ? "; " : "", sheet->needs)},
    {"equations", NsArenaPrint(arena, "docs/theory/%s.md, section %s", sheet->theory, type->variant.name)},
    {"reference", sheet->reference},
  };

  fputc('\n', out);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) put_row(out, rows[i].name, 13, rows[i].text, "");
}

static void put_rules(FILE *out, const NsTable *table, NsArena *arena)
{
  if (table->one_of) put_fact(out, "one of", NsArenaPrint(arena, "exactly one of its keys %s", table->one_of));
  if (table->at_most_one_of) put_fact(out, "one of", NsArenaPrint(arena, "at most one of its keys %s", table->at_most_one_of));
}

void NsExplainPage(const NsExplainHit *hit, NsArena *arena, FILE *out)
{
  const NsTable *table = hit->variant ? hit->variant->table : hit->key->table;

  fprintf(out, "%s\n\n  ", hit->path);
  NsExplainWrap(out, 2, hit->variant ? hit->variant->title : hit->key->help ? hit->key->help : "");
  fputc('\n', out);
  if (hit->key) {
    put_facts(out, hit->key, arena);
  } else if (hit->variant->about && *hit->variant->about) {
    put_about(out, hit->variant->about, arena);
    if (scheme_of(hit->variant)) put_sheet(out, scheme_of(hit->variant), arena);
  }
  if (table) put_rules(out, table, arena);
  if (*hit->also) put_fact(out, "also at", hit->also);
  if (hit->key && hit->key->variants) {
    fputs("\ntypes\n\n", out);
    put_variants(out, hit->key->variants);
  }
  if (table && table->keys->name) {
    fputs("\nkeys\n\n", out);
    put_keys(out, table);
  }
  if (hit->next) fputc('\n', out);
}

void NsExplainRoot(const NsTable *root, FILE *out)
{
  fputs("keys of a config\n\n", out);
  put_keys(out, root);
  fputs("\npercuss explain KEY says more, for example:", out);
  for (const NsKey *key = root->keys; key->name; ++key) {
    if (!key->variants) continue;
    fprintf(out, " percuss explain %s", key->name);
    if (key->variants[0]) fprintf(out, ", percuss explain %s.%s", key->name, key->variants[0]->name);
    break;
  }
  fputc('\n', out);
}
