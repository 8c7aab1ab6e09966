/*
  `percuss schema`: the config's tables as JSON Schema (draft 7, which editors support), for completion and checks while typing.

  Each table is a definition. A mapping with a `type` lists the names of its types and, by if/then, refers to the definition of the chosen one. Editors then complete and mark
  errors of that one alone, which they do not with oneOf.
*/
#include "cli/command.h"
#include "cli/explain.h"
#include "core/json.h"
#include "core/keys_internal.h"
#include "percuss/run.h"
#include "study/study.h"
#include <stdlib.h>
#include <string.h>

/* A number and its unit as two words; the units themselves are checked by the reader. */
#define QUANTITY "^\\s*[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?(\\s+[^\\s].*)?$|[$]" /* a number with a unit, or a parameter */
#define NAME     "^[^\\s.@:/-][^\\s.@:/]*$"

enum { MAX_TABLES = 512, EXAMPLE_DEPTH = 4 };

typedef struct {
  NsJson           json;
  NsArena         *arena;
  int              count; /* definitions that are referred to; more are added while they are written */
  const char      *names[MAX_TABLES];
  const NsTable   *tables[MAX_TABLES];
  const NsVariant *variants[MAX_TABLES]; /* NULL: the table by itself */
} Schema;

static const NsTable no_keys = {.name = "none", .help = "", .keys = (const NsKey[]){{.name = NULL}}};

/* The name of the table's definition, which is written later. */
static const char *definition(Schema *schema, const NsTable *table, const NsVariant *variant)
{
  const char *name;

  if (!table) table = &no_keys;
  for (int i = 0; i < schema->count; ++i) {
    if (schema->tables[i] == table && schema->variants[i] == variant) return schema->names[i];
  }
  if (schema->count == MAX_TABLES) abort(); /* 512 tables: make it larger */
  name = variant ? NsArenaPrint(schema->arena, "%s.%s", table->name, variant->name) : table->name;
  for (int i = 0; i < schema->count; ++i) {
    if (!strcmp(schema->names[i], name)) name = NsArenaPrint(schema->arena, "%s_%d", name, schema->count);
  }
  schema->tables[schema->count]   = table;
  schema->variants[schema->count] = variant;
  schema->names[schema->count]    = name;
  return schema->names[schema->count++];
}

static void put_reference(Schema *schema, const char *member, const NsTable *table, const NsVariant *variant)
{
  NsJsonOpen(&schema->json, member, '{');
  NsJsonString(&schema->json, "$ref", NsArenaPrint(schema->arena, "#/definitions/%s", definition(schema, table, variant)));
  NsJsonClose(&schema->json);
}

static void put_strings(Schema *schema, const char *member, const char *const *words)
{
  NsJsonOpen(&schema->json, member, '[');
  for (; *words; ++words) NsJsonString(&schema->json, NULL, *words);
  NsJsonClose(&schema->json);
}

/* Text from a table as an editor would insert it: numbers and booleans bare, everything else as text. */
static void put_node(Schema *schema, const char *member, const NsNode *node, int depth)
{
  double value;

  if (node->kind == NS_NODE_SCALAR) {
    if (!node->quoted && !NsParseNumber(node->text, &value))
      NsJsonNumber(&schema->json, member, value);
    else if (!node->quoted && (!strcmp(node->text, "true") || !strcmp(node->text, "false")))
      NsJsonBoolean(&schema->json, member, *node->text == 't');
    else
      NsJsonString(&schema->json, member, node->text);
    return;
  }
  if (depth == EXAMPLE_DEPTH) {
    NsJsonString(&schema->json, member, "...");
    return;
  }
  NsJsonOpen(&schema->json, member, node->kind == NS_NODE_MAP ? '{' : '[');
  for (const NsNode *child = node->first; child; child = child->next) put_node(schema, child->key, child, depth + 1);
  NsJsonClose(&schema->json);
}

static void put_text(Schema *schema, const char *member, const NsKey *key, const char *text)
{
  NsDiag *diag = NsDiagCreate(schema->arena);
  NsNode *node = key->kind == NS_KEY_STRING ? NULL : NsTreeReadText(key->name, text, strlen(text), schema->arena, diag);

  if (node)
    put_node(schema, member, node, 0);
  else
    NsJsonString(&schema->json, member, text);
}

static void put_bounds(Schema *schema, const NsKey *key)
{
  for (int i = 0; i < 2; ++i) {
    const char *text = i ? key->maximum : key->minimum;
    double      value;

    if (!text) continue;
    NsParseNumber(NsArenaCopy(schema->arena, text + strspn(text, "< "), strcspn(text + strspn(text, "< "), "< ")), &value);
    NsJsonNumber(&schema->json, strchr(text, '<') ? (i ? "exclusiveMaximum" : "exclusiveMinimum") : i ? "maximum" : "minimum", value);
  }
}

static void put_quantity(Schema *schema, const char *member, const NsKey *key, bool bounds)
{
  NsJsonOpen(&schema->json, member, '{');
  put_strings(schema, "type", (const char *const[]){"number", "string", NULL});
  NsJsonString(&schema->json, "pattern", QUANTITY);
  if (bounds) put_bounds(schema, key); /* of bare numbers; the reader checks those with units */
  NsJsonClose(&schema->json);
}

static void put_counts(Schema *schema, const NsKey *key, const char *least, const char *most)
{
  if (key->least) NsJsonInteger(&schema->json, least, key->least);
  if (key->most) NsJsonInteger(&schema->json, most, key->most);
}

static void put_numbers(Schema *schema, const NsKey *key)
{
  const bool alone = key->columns <= 1 && key->least == 1; /* a number is a list of one */

  if (alone || NsKeysTakesRows(key)) NsJsonOpen(&schema->json, "anyOf", '[');
  if (alone) put_quantity(schema, NULL, key, true);
  if (NsKeysTakesRows(key)) put_reference(schema, NULL, &NsTable_TableFile, NULL);
  if (alone || NsKeysTakesRows(key)) NsJsonOpen(&schema->json, NULL, '{');
  NsJsonString(&schema->json, "type", "array");
  put_counts(schema, key, "minItems", "maxItems");
  if (key->columns <= 1) {
    put_quantity(schema, "items", key, true);
    if (!alone) return;
    NsJsonClose(&schema->json);
    NsJsonClose(&schema->json);
    return;
  }
  NsJsonOpen(&schema->json, "items", '{');
  NsJsonString(&schema->json, "type", "array");
  put_quantity(schema, "items", key, false);
  NsJsonInteger(&schema->json, "minItems", key->columns);
  NsJsonInteger(&schema->json, "maxItems", key->columns);
  NsJsonClose(&schema->json);
  NsJsonClose(&schema->json);
  NsJsonClose(&schema->json);
}

static void put_words(Schema *schema, const NsKey *key)
{
  NsJson *json = &schema->json;

  NsJsonOpen(json, "anyOf", '[');
  if (key->least <= 1) { /* a word is a list of one */
    NsJsonOpen(json, NULL, '{');
    put_strings(schema, "type", (const char *const[]){"string", "number", NULL});
    NsJsonClose(json);
  }
  NsJsonOpen(json, NULL, '{');
  NsJsonString(json, "type", "array");
  NsJsonOpen(json, "items", '{');
  put_strings(schema, "type", (const char *const[]){"string", "number", NULL});
  NsJsonClose(json);
  put_counts(schema, key, "minItems", "maxItems");
  NsJsonClose(json);
  NsJsonClose(json);
}

static void put_variants(Schema *schema, const NsKey *key)
{
  NsJson *json = &schema->json;

  NsJsonString(json, "type", "object");
  NsJsonOpen(json, "properties", '{');
  NsJsonOpen(json, "type", '{');
  NsJsonOpen(json, "enum", '[');
  for (const NsVariant *const *variant = key->variants; *variant; ++variant) NsJsonString(json, NULL, (*variant)->name);
  NsJsonClose(json);
  NsJsonOpen(json, "enumDescriptions", '[');
  for (const NsVariant *const *variant = key->variants; *variant; ++variant) NsJsonString(json, NULL, (*variant)->title ? (*variant)->title : "");
  NsJsonClose(json);
  NsJsonClose(json);
  NsJsonClose(json);
  put_strings(schema, "required", (const char *const[]){"type", NULL});
  NsJsonOpen(json, "allOf", '[');
  for (const NsVariant *const *variant = key->variants; *variant; ++variant) {
    NsJsonOpen(json, NULL, '{');
    NsJsonOpen(json, "if", '{');
    NsJsonOpen(json, "properties", '{');
    NsJsonOpen(json, "type", '{');
    NsJsonString(json, "const", (*variant)->name);
    NsJsonClose(json);
    NsJsonClose(json);
    put_strings(schema, "required", (const char *const[]){"type", NULL});
    NsJsonClose(json);
    put_reference(schema, "then", (*variant)->table, *variant);
    NsJsonClose(json);
  }
  NsJsonClose(json);
}

/* A mapping from names of the user's own. */
static void put_named(Schema *schema, const NsKey *key)
{
  NsJson *json = &schema->json;

  NsJsonString(json, "type", "object");
  put_counts(schema, key, "minProperties", "maxProperties");
  NsJsonOpen(json, "propertyNames", '{');
  NsJsonString(json, "pattern", NAME);
  NsJsonClose(json);
  if (key->kind == NS_KEY_NAMED) {
    put_reference(schema, "additionalProperties", key->table, NULL);
  } else if (key->kind == NS_KEY_NAMED_NUMBERS) {
    put_quantity(schema, "additionalProperties", key, true);
  } else {
    NsJsonOpen(json, "additionalProperties", '{');
    put_variants(schema, key);
    NsJsonClose(json);
  }
}

static void put_kind(Schema *schema, const NsKey *key)
{
  NsJson *json = &schema->json;

  switch (key->kind) {
  case NS_KEY_NUMBER:
    put_strings(schema, "type", (const char *const[]){"number", "string", NULL});
    NsJsonString(json, "pattern", QUANTITY);
    put_bounds(schema, key);
    return;
  case NS_KEY_INTEGER:
    put_strings(schema, "type", (const char *const[]){"integer", "string", NULL});
    NsJsonString(json, "pattern", "[$]");
    put_bounds(schema, key);
    return;
  case NS_KEY_BOOLEAN: NsJsonString(json, "type", "boolean"); return;
  case NS_KEY_STRING: put_strings(schema, "type", (const char *const[]){"string", "number", "boolean", NULL}); return;
  case NS_KEY_CHOICE: put_strings(schema, "enum", key->choices); return;
  case NS_KEY_VECTOR:
    NsJsonString(json, "type", "array");
    put_quantity(schema, "items", key, true);
    NsJsonInteger(json, "minItems", 3);
    NsJsonInteger(json, "maxItems", 3);
    return;
  case NS_KEY_NUMBERS: put_numbers(schema, key); return;
  case NS_KEY_STRINGS: put_words(schema, key); return;
  case NS_KEY_TABLE:
    NsJsonOpen(json, "anyOf", '['); /* siblings of $ref are ignored in draft 7 */
    put_reference(schema, NULL, key->table, NULL);
    if (key->table->library) {
      NsJsonOpen(json, NULL, '{');
      NsJsonString(json, "type", "string");
      NsJsonClose(json);
    }
    NsJsonClose(json);
    return;
  case NS_KEY_LIST:
    NsJsonString(json, "type", "array");
    put_counts(schema, key, "minItems", "maxItems");
    put_reference(schema, "items", key->table, NULL);
    return;
  case NS_KEY_NAMED:
  case NS_KEY_NAMED_VARIANTS:
  case NS_KEY_NAMED_NUMBERS: put_named(schema, key); return;
  case NS_KEY_VARIANT: put_variants(schema, key); return;
  case NS_KEY_MAPPING: NsJsonString(json, "type", "object"); return;
  }
}

/* member NULL: as an element of a list. */
static void put_key(Schema *schema, const char *member, const NsKey *key)
{
  const bool  number = key->kind == NS_KEY_NUMBER || key->kind == NS_KEY_VECTOR || key->kind == NS_KEY_NAMED_NUMBERS;
  const char *unit = number ? NsDimensionUnit(key->dimension) : "", *help = key->help ? key->help : "";

  NsJsonOpen(&schema->json, member, '{');
  NsJsonString(&schema->json, "description", *unit ? NsArenaPrint(schema->arena, "%s [%s]", help, unit) : help);
  put_kind(schema, key);
  if (key->default_value) put_text(schema, "default", key, key->default_value);
  if (key->example) {
    NsJsonOpen(&schema->json, "examples", '[');
    put_text(schema, NULL, key, key->example);
    NsJsonClose(&schema->json);
  }
  NsJsonClose(&schema->json);
}

/* "line, file": exactly one of them, by oneOf; at most one, by forbidding each pair. */
static void put_group(Schema *schema, const char *group, bool exactly)
{
  const char *words[64];
  int         n    = 0;
  char       *text = NsArenaCopy(schema->arena, group, strlen(group)), *more = NULL;

  for (char *word = strtok_r(text, ", ", &more); word && n < 63; word = strtok_r(NULL, ", ", &more)) words[n++] = word;
  if (!exactly) NsJsonOpen(&schema->json, "not", '{');
  NsJsonOpen(&schema->json, exactly ? "oneOf" : "anyOf", '[');
  for (int i = 0; i < n; ++i) {
    for (int j = exactly ? i : i + 1; j < (exactly ? i + 1 : n); ++j) {
      NsJsonOpen(&schema->json, NULL, '{');
      put_strings(schema, "required", (const char *const[]){words[i], exactly ? NULL : words[j], NULL});
      NsJsonClose(&schema->json);
    }
  }
  NsJsonClose(&schema->json);
  if (!exactly) NsJsonClose(&schema->json);
}

static void put_table(Schema *schema, const NsTable *table, const NsVariant *variant)
{
  NsJson *json     = &schema->json;
  bool    required = variant != NULL;

  NsJsonString(json, "type", "object");
  NsJsonString(json, "description", variant ? variant->title : table->help ? table->help : "");
  NsJsonOpen(json, "properties", '{');
  if (variant) {
    NsJsonOpen(json, "type", '{');
    NsJsonString(json, "const", variant->name);
    NsJsonClose(json);
  }
  for (const NsKey *key = table->keys; key->name; ++key) put_key(schema, key->name, key);
  NsJsonClose(json);
  for (const NsKey *key = table->keys; key->name; ++key) required = required || (key->required && !key->default_value && !key->unless);
  if (required) {
    NsJsonOpen(json, "required", '[');
    if (variant) NsJsonString(json, NULL, "type");
    for (const NsKey *key = table->keys; key->name; ++key) {
      if (key->required && !key->default_value && !key->unless) NsJsonString(json, NULL, key->name);
    }
    NsJsonClose(json);
  }
  NsJsonBoolean(json, "additionalProperties", false);
  if (table->one_of) put_group(schema, table->one_of, true);
  if (table->at_most_one_of) put_group(schema, table->at_most_one_of, false);
}

static void put_definition(Schema *schema, const char *name, const NsTable *table, const NsVariant *variant)
{
  const NsKey *shorthand = table->keys;

  while (shorthand->name && (!table->shorthand || strcmp(shorthand->name, table->shorthand))) ++shorthand;
  NsJsonOpen(&schema->json, name, '{');
  if (variant || !shorthand->name) {
    put_table(schema, table, variant);
  } else {
    NsJsonOpen(&schema->json, "anyOf", '[');
    NsJsonOpen(&schema->json, NULL, '{');
    put_table(schema, table, NULL);
    NsJsonClose(&schema->json);
    put_key(schema, NULL, shorthand);
    NsJsonClose(&schema->json);
  }
  NsJsonClose(&schema->json);
}

bool NsSchemaWrite(const NsTable *root, FILE *out)
{
  NsArena *arena  = NsArenaCreate();
  Schema  *schema = NsArenaAlloc(arena, sizeof(*schema));
  bool     good;

  schema->arena = arena;
  NsJsonBegin(&schema->json, 65536);
  NsJsonOpen(&schema->json, NULL, '{');
  NsJsonString(&schema->json, "$schema", "http://json-schema.org/draft-07/schema#");
  NsJsonString(&schema->json, "title", NsArenaPrint(arena, "percuss %s", root->name));
  put_table(schema, root, NULL);
  NsJsonOpen(&schema->json, "definitions", '{');
  for (int i = 0; i < schema->count; ++i) put_definition(schema, schema->names[i], schema->tables[i], schema->variants[i]);
  NsJsonClose(&schema->json);
  NsJsonClose(&schema->json);
  good = fwrite(schema->json.text, 1, schema->json.used, out) == schema->json.used && !fflush(out);
  NsJsonEnd(&schema->json);
  NsArenaDestroy(&arena);
  return good;
}

static int call(const NsArguments *arguments)
{
  const bool study = arguments->words > 0;

  if (study && strcmp(arguments->word[0], "study")) {
    fprintf(stderr, "percuss schema: unexpected argument '%s'\n", arguments->word[0]);
    NsHelpShort(arguments->command, stderr);
    return NS_EXIT_INPUT;
  }
  return NsSchemaWrite(study ? &NsTable_Study : &NsTable_Config, stdout) ? NS_EXIT_DONE : NS_EXIT_FAILED; /* NsFlushOutput prints why */
}

const NsCommand NsCommand_Schema = {
  .name  = "schema",
  .words = "[study]",
  .about = "print a JSON Schema of configs or of study files, for editors",
  .description =
    "Editors use it to complete keys and to mark errors. Save it as percuss.schema.json and begin a config with the line `# yaml-language-server: $schema=percuss.schema.json`.",
  .examples = "schema > percuss.schema.json",
  .call     = call,
};
