#include "reader.h"
#include "cli/explain.h"
#include "core/trade.h"
#include "percuss/run.h"

typedef struct {
  const NsNode *where;
  double        value;
} Settings;

static const NsTable node_table;

static const NsKey stop_keys[] = {
  {"restitution", NS_KEY_NUMBER, offsetof(Settings, value), .default_value = "0", .minimum = "0", .maximum = "1",
    .help = "how much of the velocity comes back", .example = "0.5"},
  {"gap", NS_KEY_NUMBER, offsetof(Settings, value), .dimension = {1, 0, 0, 0}, .required = true, .minimum = "0 <", .help = "distance",
    .example = "1 mm"},
  {.name = NULL},
};
static const NsTable stop_table = {.name = "stop", .help = "a stop", .keys = stop_keys, .size = sizeof(Settings)};

static const char *const mass_words[] = {"consistent", "lumped", NULL};

static const NsKey bar_keys[] = {
  {"mass", NS_KEY_CHOICE, offsetof(Settings, value), .choices = mass_words, .default_value = "lumped", .help = "mass matrix"},
  {"left", NS_KEY_TABLE, offsetof(Settings, value), .table = &stop_table, .help = "stop on the left"},
  {.name = NULL},
};
static const NsTable bar_table = {.name = "bar", .help = "a bar", .keys = bar_keys, .size = sizeof(Settings), .at_most_one_of = "mass, left"};

static const NsKey rod_keys[] = {
  {"mass", NS_KEY_CHOICE, offsetof(Settings, value), .choices = mass_words, .default_value = "lumped", .help = "mass matrix"},
  {.name = NULL},
};
static const NsTable rod_table = {.name = "rod", .help = "a rod", .keys = rod_keys, .size = sizeof(Settings)};

static const NsVariant bar             = {"bar", "elastic bar", "Equations:\n\n    M a = F   +   W lambda\n\nReference: none.", &bar_table},
                       rod             = {"rod", "rigid rod", NULL, &rod_table};
static const NsVariant *const bodies[] = {&bar, &rod, NULL};

static const NsKey node_keys[] = {
  {"name", NS_KEY_STRINGS, offsetof(Settings, value), .help = "what it is called", .least = 1, .most = 3},
  {"inner", NS_KEY_TABLE, offsetof(Settings, value), .table = &node_table, .help = "itself once more"},
  {.name = NULL},
};
static const NsTable node_table = {.name = "node", .help = "a table within itself", .keys = node_keys, .size = sizeof(Settings), .shorthand = "name"};

static const NsKey root_keys[] = {
  {"bodies", NS_KEY_NAMED_VARIANTS, offsetof(Settings, value), .variants = bodies, .required = true, .help = "what moves"},
  {"stops", NS_KEY_NAMED, offsetof(Settings, value), .table = &stop_table, .help = "what they hit"},
  {"node", NS_KEY_TABLE, offsetof(Settings, value), .table = &node_table, .help = "a node"},
  {"force", NS_KEY_NUMBERS, offsetof(Settings, value), .columns = 2, .columns_dimension = {{0, 0, 1, 0}, {1, 1, -2, 0}}, .help = "force over time"},
  {.name = NULL},
};
static const NsTable root = {.name = "root", .help = "all", .keys = root_keys, .size = sizeof(Settings), .one_of = "stops, node"};

static NsArena *arena;
static int      result;

static int setup(void **state)
{
  (void)state;
  arena = NsArenaCreate();
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  NsArenaDestroy(&arena);
  return 0;
}

/* Both streams, stdout first. */
static const char *explain(const char *word)
{
  char       *text[2] = {NULL, NULL};
  size_t      size[2] = {0, 0};
  FILE       *out = open_memstream(&text[0], &size[0]), *err = open_memstream(&text[1], &size[1]);
  const char *both;

  result = NsExplain(&root, word, out, err);
  fclose(out);
  fclose(err);
  both = NsArenaPrint(arena, "%s%s", text[0], text[1]);
  free(text[0]);
  free(text[1]);
  return both;
}

static void pages_of_keys(void **state)
{
  (void)state;
  assert_string_equal(explain("stops.restitution"), "stops.restitution\n\n"
                                                    "  how much of the velocity comes back\n\n"
                                                    "  type      number\n"
                                                    "  unit      none\n"
                                                    "  range     between 0 and 1\n"
                                                    "  default   0\n"
                                                    "  example   restitution: 0.5\n");
  assert_int_equal(result, 0);
  assert_string_equal(explain("stops.my_own.gap"), "stops.gap\n\n"
                                                   "  distance\n\n"
                                                   "  type      number\n"
                                                   "  unit      m (a length)\n"
                                                   "  range     greater than 0\n"
                                                   "  default   none; the key is required\n"
                                                   "  example   gap: 1 mm\n");
  assert_string_equal(explain("stop"), "stops\n\n"
                                       "  what they hit\n\n"
                                       "  type      mapping from names to mappings\n"
                                       "  default   none; the key is optional\n"
                                       "\nkeys\n\n"
                                       "  restitution  how much of the velocity comes back (default 0)\n"
                                       "  gap          distance (required)\n");
  assert_string_equal(explain("force"), "force\n\n"
                                        "  force over time\n\n"
                                        "  type      list of rows of 2 numbers, or {file: table.csv}\n"
                                        "  units     s (a time); N (a force)\n"
                                        "  default   none; the key is optional\n");
  assert_string_equal(explain("node.inner.name"), "node.inner.name\n\n"
                                                  "  what it is called\n\n"
                                                  "  type      word or list of words\n"
                                                  "  items     1 to 3\n"
                                                  "  default   none; the key is optional\n");
}

static void pages_of_types(void **state)
{
  (void)state;
  assert_string_equal(explain("body"), "bodies\n\n"
                                       "  what moves\n\n"
                                       "  type      mapping from names to mappings; the key type of each chooses one of those below\n"
                                       "  default   none; the key is required\n"
                                       "\ntypes\n\n"
                                       "  bar  elastic bar\n"
                                       "  rod  rigid rod\n");
  assert_string_equal(explain("bodies.bar"), "bodies.bar\n\n"
                                             "  elastic bar\n\n"
                                             "  Equations:\n\n"
                                             "      M a = F   +   W lambda\n\n"
                                             "  Reference: none.\n"
                                             "  one of    at most one of its keys mass, left\n"
                                             "\nkeys\n\n"
                                             "  mass  mass matrix (default lumped)\n"
                                             "  left  stop on the left\n");
  assert_string_equal(explain("bar"), explain("bodies.bar"));
  assert_string_equal(explain("bodies.type"), explain("bodies"));
}

static void words_are_found_everywhere(void **state)
{
  (void)state;
  /* one page for the same key of two types, and for the same table in two places */
  assert_string_equal(explain("mass"), "bodies.bar.mass\n\n"
                                       "  mass matrix\n\n"
                                       "  type      consistent | lumped\n"
                                       "  default   lumped\n"
                                       "  also at   bodies.rod.mass\n");
  assert_string_equal(strstr(explain("restitution"), "  also at"), "  also at   stops.restitution\n");
  assert_string_equal(explain("bodies.my_own.mass"), explain("mass"));
  assert_string_equal(explain("bodies.my_own.left.gap"), strstr(explain("bodies.bar.left.gap"), "bodies"));
}

static void texts_are_searched(void **state)
{
  (void)state;
  assert_string_equal(explain("velocity"), explain("stops.restitution")); /* the only page */
  assert_string_equal(explain("equations"), explain("bodies.bar"));
  assert_string_equal(explain("RIGID"), explain("bodies.rod"));
  assert_string_equal(explain("distances"), explain("stops.gap"));
  assert_string_equal(explain("what"), "pages with the word 'what'\n\n"
                                       "  bodies     what moves\n"
                                       "  stops      what they hit\n"
                                       "  node.name  what it is called\n"
                                       "\npercuss explain bodies prints the first of them\n");
  assert_int_equal(result, 0);
}

static bool is_angular(NsDimension d)
{
  return d.rad != 0 && d.m == 0 && d.kg == 0;
}

/* As few rows as the key takes, with the number in this column. */
static const char *numbers_of(const NsKey *key, int column, const char *number)
{
  const char *row = "", *rows = "";

  for (int c = 0; c < key->columns; c++) row = NsArenaPrint(arena, "%s%s%s", row, c ? ", " : "", c == column ? number : "0");
  if (key->columns > 1) row = NsArenaPrint(arena, "[%s]", row);
  for (int r = 0; r < 1 || r < key->least; r++) rows = NsArenaPrint(arena, "%s%s%s", rows, r ? ", " : "", row);
  return NsArenaPrint(arena, "[%s]", rows);
}

/* Messages about `text` as the value of this key alone. */
static const char *messages_of(const NsKey *key, const char *text)
{
  const NsKey   keys[]   = {*key, {.name = NULL}};
  const NsTable table    = {.name = "one", .keys = keys, .size = key->offset + 4096};
  NsDiag       *diag     = NsDiagCreate(arena);
  const char   *config   = NsArenaPrint(arena, "%s: %s\n", key->name, text);
  void         *settings = NsArenaAlloc(arena, table.size);

  (void)NsKeysRead(&table, NsTreeReadText("x", config, strlen(config), arena, diag), settings, arena, diag);
  return printed(diag, arena);
}

static void check_angles(void *context, const char *path, const NsKey *key, const NsVariant *variant)
{
  static const char *const words[] = {"frequency", "angle", "phase", "spin", "angular"};
  const char              *text = NULL, *with = NULL;

  (void)variant;
  if (!key) return;
  if (key->kind == NS_KEY_NUMBER && is_angular(key->dimension)) {
    text = "50";
    with = NsArenaPrint(arena, "50 %s", NsDimensionUnit(key->dimension));
  } else if (key->kind == NS_KEY_VECTOR && is_angular(key->dimension)) {
    text = "[0, 50, 0]";
    with = NsArenaPrint(arena, "[0, 50 %s, 0]", NsDimensionUnit(key->dimension));
  }
  for (int c = 0; key->kind == NS_KEY_NUMBERS && c < key->columns && !text; c++) {
    if (!is_angular(key->columns_dimension[c])) continue;
    text = numbers_of(key, c, "50");
    with = numbers_of(key, c, NsArenaPrint(arena, "50 %s", NsDimensionUnit(key->columns_dimension[c])));
  }
  for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !text; i++) {
    if (strstr(key->name, words[i]) && (key->kind == NS_KEY_NUMBER || key->kind == NS_KEY_VECTOR || key->kind == NS_KEY_NUMBERS))
      fail_msg("%s sounds like an angle, and is none", path);
  }
  if (!text) return;
  ++*(int *)context;
  const char *bare = messages_of(key, text), *right = messages_of(key, with);
  if (!strstr(bare, "need a unit") && !strstr(bare, "needs a unit")) fail_msg("%s: %s is accepted: %s", path, text, bare);
  if (strstr(right, "need a unit") || strstr(right, "needs a unit")) fail_msg("%s: %s is refused: %s", path, with, right);
}

/* The rule of `percuss explain units`, for every key of a config. */
static void angles_need_a_unit_in_every_key(void **state)
{
  int count = 0;

  (void)state;
  NsExplainWalk(&NsTable_Config, arena, check_angles, &count);
  assert_true(count > 30);
}

static void unknown_words(void **state)
{
  (void)state;
  assert_string_equal(
    explain("stops.restituton"), "error: unknown key 'restituton' in stops; did you mean 'restitution'?\n      = valid keys: gap, restitution\n");
  assert_int_equal(result, 2);
  assert_string_equal(
    explain("restituton"), "error: unknown key 'restituton'; did you mean 'restitution'?\n      = keys of a config: bodies, force, node, stops\n");
  assert_int_equal(result, 2);
  assert_string_equal(explain("bodies.baar"), "error: unknown key 'baar' in bodies; did you mean 'bar'?\n      = valid types: bar, rod\n");
  assert_string_equal(explain("qqqqqqq.x"), "error: unknown key 'qqqqqqq'\n      = keys of a config: bodies, force, node, stops\n");
  assert_string_equal(explain("."), "error: unknown key '.'\n      = keys of a config: bodies, force, node, stops\n");
  assert_string_equal(explain(""), "error: unknown key ''\n      = keys of a config: bodies, force, node, stops\n");
  assert_string_equal(explain("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"),
    "error: unknown key 'a'\n      = keys of a config: bodies, force, node, stops\n");
}

static void the_keys_at_the_top(void **state)
{
  (void)state;
  assert_string_equal(explain(NULL), "keys of a config\n\n"
                                     "  bodies  what moves (required)\n"
                                     "  stops   what they hit\n"
                                     "  node    a node\n"
                                     "  force   force over time\n"
                                     "\npercuss explain KEY says more, for example: percuss explain bodies, percuss explain bodies.bar\n");
  assert_int_equal(result, 0);
}

/* The table of these schemes, in the arena. */
static const char *schemes(const NsSchemeType *const *types)
{
  char       *text = NULL;
  size_t      size = 0;
  FILE       *out  = open_memstream(&text, &size);
  const char *table;

  NsExplainSchemes(types, out);
  fclose(out);
  table = NsArenaCopy(arena, text, size);
  free(text);
  return table;
}

static void schemes_side_by_side(void **state)
{
  static const NsSchemeType plain_type = {{.name = "plain"}, .sheet = {1, 0, "position", "kept", "", "Somebody (1)"}};
  static const NsSchemeType fine_type  = {{.name = "a_scheme_with_a_long_name"},
     .sheet    = {2, 1, "velocity and position", "oscillates, bounded, unless it is mentioned in a long sentence", "linear forces", "Others, Sec. 12"},
     .implicit = PETSC_TRUE};
  const NsSchemeType *const types[]    = {&plain_type, &fine_type, NULL};
  static const char         begin[]    = "scheme                     order  level      flight    energy                    requires  reference\n"
                                         "\n"
                                         "plain                      1 / -  position   explicit  kept                      -         Somebody\n"
                                         "                                                                                           (1)\n"
                                         "\n"
                                         "a_scheme_with_a_long_name  2 / 1  velocity   implicit  oscillates, bounded,      linear    Others,\n"
                                         "                                  and                  unless it is mentioned    forces    Sec. 12\n"
                                         "                                  position             in a long sentence\n"
                                         "\n";

  (void)state;
  assert_int_equal(strncmp(schemes(types), begin, strlen(begin)), 0);
}

static void assert_phrase(const NsSchemeType *type, const char *name, const char *phrase)
{
  if (!phrase || !*phrase || phrase[strlen(phrase) - 1] == '.') fail_msg("scheme '%s': '%s' of its sheet is no phrase", type->variant.name, name);
}

/* Authors who are cited are those of the reference. */
static void every_scheme_has_its_sheet(void **state)
{
  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; ++type) {
    const NsSchemeSheet *sheet = &(*type)->sheet;

    assert_in_range(sheet->order, 1, 9);
    assert_in_range(sheet->order_impacts, 0, sheet->order);
    assert_phrase(*type, "level", sheet->level);
    assert_phrase(*type, "energy", sheet->energy);
    assert_phrase(*type, "cited", sheet->cited);
    assert_non_null(sheet->needs);
    if (*sheet->needs) assert_phrase(*type, "needs", sheet->needs);
    assert_phrase(*type, "step_limit", sheet->step_limit);
    assert_non_null(strstr(sheet->reference, NsArenaCopy(arena, sheet->cited, strcspn(sheet->cited, " ,"))));
  }
}

static void every_scheme_has_its_line(void **state)
{
  const char *const table = NsArenaPrint(arena, "\n%s", schemes(NsSchemeTypes));

  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; ++type) {
    if (!strstr(table, NsArenaPrint(arena, "\n%s ", (*type)->variant.name))) fail_msg("no line for scheme '%s'", (*type)->variant.name);
  }
  for (const char *line = table; *line; line += strcspn(line, "\n") + 1) {
    const size_t size = strcspn(line, "\n");

    if (size > NS_EXPLAIN_WIDTH || (size && line[size - 1] == ' ')) fail_msg("too long, or blanks at its end: '%.*s'", (int)size, line);
  }
  assert_non_null(strstr(table, "\npercuss explain scheme.NAME shows "));
}

/* That it is JSON and states what the reader requires; JSON is YAML, so the reader of configs reads it. */
static void schema_says_the_same(void **state)
{
  char   *text = NULL;
  size_t  size = 0;
  FILE   *out  = open_memstream(&text, &size);
  NsDiag *diag = NsDiagCreate(arena);
  NsNode *schema, *definitions, *stop, *node, *then;

  (void)state;
  assert_true(NsSchemaWrite(&root, out));
  fclose(out);
  schema = NsTreeReadText("schema", text, size, arena, diag);
  if (!schema) fail_msg("%s", printed(diag, arena));
  assert_string_equal(NsTreeChild(schema, "$schema")->text, "http://json-schema.org/draft-07/schema#");
  assert_string_equal(NsTreeChild(schema, "additionalProperties")->text, "false");
  assert_string_equal(NsTreeChild(schema, "required")->first->text, "bodies");
  assert_int_equal(NsTreeChild(schema, "required")->count, 1);
  assert_int_equal(NsTreeChild(schema, "oneOf")->count, 2);
  definitions = NsTreeChild(schema, "definitions");
  assert_int_equal(definitions->count, 5); /* with that of rows in a file */
  stop = NsTreeChild(definitions, "stop");
  assert_string_equal(NsTreeChild(stop, "required")->first->text, "gap");
  node = NsTreeChild(NsTreeChild(stop, "properties"), "restitution");
  assert_string_equal(NsTreeChild(node, "default")->text, "0");
  assert_string_equal(NsTreeChild(node, "minimum")->text, "0");
  assert_string_equal(NsTreeChild(node, "maximum")->text, "1");
  assert_string_equal(NsTreeChild(node, "examples")->first->text, "0.5");
  node = NsTreeChild(NsTreeChild(stop, "properties"), "gap");
  assert_string_equal(NsTreeChild(node, "description")->text, "distance [m]");
  assert_string_equal(NsTreeChild(node, "exclusiveMinimum")->text, "0");
  assert_string_equal(NsTreeChild(node, "examples")->first->text, "1 mm");
  node = NsTreeChild(NsTreeChild(NsTreeChild(schema, "properties"), "bodies"), "additionalProperties");
  assert_string_equal(NsTreeChild(node, "required")->first->text, "type");
  then = NsTreeChild(NsTreeChild(node, "allOf")->first->next, "then");
  assert_string_equal(NsTreeChild(then, "$ref")->text, "#/definitions/rod.rod");
  node = NsTreeChild(definitions, "bar.bar");
  assert_string_equal(NsTreeChild(NsTreeChild(NsTreeChild(node, "properties"), "type"), "const")->text, "bar");
  assert_string_equal(NsTreeChild(NsTreeChild(NsTreeChild(node, "properties"), "mass"), "enum")->first->next->text, "lumped");
  assert_int_equal(NsTreeChild(NsTreeChild(node, "not"), "anyOf")->count, 1);
  node = NsTreeChild(definitions, "node");
  assert_int_equal(NsTreeChild(node, "anyOf")->count, 2); /* the mapping, or its name alone */
  free(text);
}

/* Each term of rotor dynamics leads to a page that is there, is found in every spelling, and is no key of a config. */
static void terms_of_the_trade(void **state)
{
  (void)state;
  for (const NsTradeTerm *term = NsTradeTerms; term->words; term++) {
    char  *text = NULL, word[128];
    size_t size = 0;
    FILE  *out  = open_memstream(&text, &size);
    if (term->page && NsExplain(&NsTable_Config, term->page, out, out)) fail_msg("there is no page '%s'", term->page);
    fclose(out);
    free(text);
    for (const char *at = term->words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
      snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "|"), at);
      if (NsTradeFind(word) != term) fail_msg("'%s' is found as another term", word);
    }
  }
  assert_ptr_equal(NsTradeFind("Journal_Bearings"), NsTradeFind("journal bearing"));
  assert_ptr_equal(NsTradeFind("bearingelement"), NsTradeFind("BearingElement"));
  assert_string_equal(NsTradeFind("squeeze-film damper")->page, "bearings.squeeze_film");
  assert_null(NsTradeFind("journal"));
  assert_null(NsTradeFind(""));
  assert_null(NsTradeFind("s"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    TEST(pages_of_keys),
    TEST(pages_of_types),
    TEST(words_are_found_everywhere),
    TEST(texts_are_searched),
    TEST(angles_need_a_unit_in_every_key),
    TEST(unknown_words),
    TEST(terms_of_the_trade),
    TEST(the_keys_at_the_top),
    TEST(schemes_side_by_side),
    TEST(every_scheme_has_its_sheet),
    TEST(every_scheme_has_its_line),
    TEST(schema_says_the_same),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
