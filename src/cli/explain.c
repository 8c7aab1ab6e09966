/*
  `percuss explain [KEY]...`: what a key means, from the table that reads it.

  A key is given by its path without names of the user's own ("contacts.restitution", "bodies.bar.section.circle", where `bar` is a type), or with them as a message showed it
  ("contacts.wall.restitution"), or as a single word that is looked up everywhere: as a name, then in all texts (explain_search.c). `schemes` and `units` have pages of
  their own (explain_schemes.c, explain_units.c); `study`, and what begins with "study.", is about study files.
*/
#include "cli/command.h"
#include "cli/explain.h"
#include "core/keys_internal.h"
#include "core/trade.h"
#include "percuss/run.h"
#include "study/study.h"
#include <string.h>

enum { MAX_WORDS = 32, MAX_NEST = 16 };

typedef struct {
  NsArena      *arena;
  NsExplainHit *first, **end;
} Search;

static const NsKey study_keys[] = {
  {"study", NS_KEY_TABLE, 0, .table = &NsTable_Study, .help = "the file that `percuss study` takes: many runs of one config"},
  {NULL},
};
static const NsTable study_root = {.name = "studies", .keys = study_keys};

static const NsTable no_table = {.name = "none", .keys = (const NsKey[]){{.name = NULL}}};

static const NsTable *variant_table(const NsVariant *variant)
{
  return variant->table ? variant->table : &no_table;
}

static const char *join(NsArena *arena, const char *path, const char *name)
{
  return NsArenaPrint(arena, "%s%s%s", path, *path ? "." : "", name);
}

static bool same_text(const char *a, const char *b)
{
  return a == b || (a && b && !strcmp(a, b));
}

/* Bodies of several types share keys, which get one page. */
static bool same_key(const NsKey *a, const NsKey *b)
{
  if (a == b) return true;
  return a && b && a->kind == b->kind && a->table == b->table && same_text(a->name, b->name) && same_text(a->help, b->help) &&
         same_text(a->default_value, b->default_value);
}

static void add_hit(Search *search, const char *path, const NsKey *key, const NsVariant *variant)
{
  NsExplainHit *hit;

  for (hit = search->first; hit; hit = hit->next) {
    if (hit->variant != variant || !same_key(hit->key, key)) continue;
    if (strcmp(hit->path, path)) hit->also = NsArenaPrint(search->arena, "%s%s%s", hit->also, *hit->also ? ", " : "", path);
    return;
  }
  hit          = NsArenaAlloc(search->arena, sizeof(*hit));
  hit->path    = path;
  hit->also    = "";
  hit->key     = key;
  hit->variant = variant;
  *search->end = hit;
  search->end  = &hit->next;
}

/* Singular and plural mean the same: "bodies" and "body". */
static bool matches(const char *name, const char *word)
{
  const size_t a = strlen(name), b = strlen(word), shorter = a < b ? a : b, longer = a < b ? b : a;
  const char  *many = a < b ? word : name;

  if (!strcmp(name, word)) return true;
  if (longer == shorter + 1 && many[shorter] == 's') return !strncmp(name, word, shorter);
  return longer == shorter + 2 && shorter > 1 && !strncmp(name, word, shorter - 1) && !strcmp(many + shorter - 1, "ies") &&
         (a < b ? name : word)[shorter - 1] == 'y';
}

static bool in_table(Search *search, const NsTable *table, const char *path, char **words, int n);

static bool in_variants(Search *search, const NsKey *key, const char *path, char **words, int n)
{
  bool found = false;

  for (const NsVariant *const *variant = key->variants; *variant; ++variant) {
    const char *name = join(search->arena, path, (*variant)->name);

    if (strcmp((*variant)->name, words[0])) continue;
    if (n > 1) return in_table(search, variant_table(*variant), name, words + 1, n - 1);
    add_hit(search, name, NULL, *variant);
    return true;
  }
  for (const NsVariant *const *variant = key->variants; *variant; ++variant) {
    found = in_table(search, variant_table(*variant), join(search->arena, path, (*variant)->name), words, n) || found;
  }
  return found;
}

/* What the words mean below this key. */
static bool below_key(Search *search, const NsKey *key, const char *path, char **words, int n)
{
  const bool skip = n > 1 && (key->kind == NS_KEY_NAMED || key->kind == NS_KEY_NAMED_VARIANTS || key->kind == NS_KEY_LIST);

  if (!n) {
    add_hit(search, path, key, NULL);
    return true;
  }
  if (key->variants) {
    if (n == 1 && !strcmp(words[0], "type")) return below_key(search, key, path, words, 0);
    return in_variants(search, key, path, words, n) || (skip && in_variants(search, key, path, words + 1, n - 1));
  }
  if (!key->table) return false;
  return in_table(search, key->table, path, words, n) || (skip && in_table(search, key->table, path, words + 1, n - 1));
}

static bool in_table(Search *search, const NsTable *table, const char *path, char **words, int n)
{
  for (int exact = 1; exact >= 0; --exact) {
    for (const NsKey *key = table->keys; key->name; ++key) {
      if (exact ? strcmp(key->name, words[0]) : !matches(key->name, words[0])) continue;
      return below_key(search, key, join(search->arena, path, key->name), words + 1, n - 1);
    }
  }
  return false;
}

typedef struct Walk Walk;
struct Walk {
  NsArena          *arena;
  NsExplainVisitor *visit;
  void             *context;
  const Walk       *above; /* with the tables on the way here */
  const char       *path;
  const NsTable    *table;
};

static void walk_table(const Walk *above, const NsTable *table, int depth)
{
  Walk walk = *above;

  walk.above = above;
  walk.table = table;
  for (const Walk *up = above; up; up = up->above) {
    if (up->table == table) return;
  }
  if (depth == MAX_NEST) return;
  for (const NsKey *key = table->keys; key->name; ++key) {
    walk.path = join(walk.arena, above->path, key->name);
    walk.visit(walk.context, walk.path, key, NULL);
    if (key->table) walk_table(&walk, key->table, depth + 1);
    const char *here = walk.path;
    for (const NsVariant *const *variant = key->variants; variant && *variant; ++variant) {
      walk.path = join(walk.arena, here, (*variant)->name);
      walk.visit(walk.context, walk.path, NULL, *variant);
      walk_table(&walk, variant_table(*variant), depth + 1);
    }
  }
}

/* Visits every key and type below a table; a table within itself is not entered. */
void NsExplainWalk(const NsTable *root, NsArena *arena, NsExplainVisitor *visit, void *context)
{
  const Walk walk = {arena, visit, context, NULL, ""};

  walk_table(&walk, root, 0);
}

typedef struct {
  Search     *search;
  const char *word;
  bool        exact;
} Named;

static void visit_named(void *context, const char *path, const NsKey *key, const NsVariant *variant)
{
  const Named *named = context;
  const char  *name  = key ? key->name : variant->name;

  if (!strcmp(name, named->word) || (key && !named->exact && matches(name, named->word))) add_hit(named->search, path, key, variant);
}

/* Every key and type of this name; without an exact one also in singular or plural. */
static void find_name(Search *search, const NsTable *root, const char *word)
{
  for (int exact = 1; exact >= 0 && !search->first; exact--) {
    Named named = {search, word, exact};
    NsExplainWalk(root, search->arena, visit_named, &named);
  }
}

typedef struct {
  const char **names; /* NULL: they are only counted */
  size_t       count;
} Names;

static void visit_name(void *context, const char *path, const NsKey *key, const NsVariant *variant)
{
  Names *names = context;

  (void)path;
  if (names->names) names->names[names->count] = key ? key->name : variant->name;
  names->count++;
}

static const char **all_names(Search *search, const NsTable *root)
{
  Names names = {NULL, 0};

  NsExplainWalk(root, search->arena, visit_name, &names);
  names.names = NsArenaAlloc(search->arena, (names.count + 1) * sizeof(*names.names));
  names.count = 0;
  NsExplainWalk(root, search->arena, visit_name, &names);
  return names.names;
}

static void add_names(const NsTable *table, const char **names, int *count, int most)
{
  for (const NsKey *key = table->keys; key->name; ++key) {
    bool there = false;

    for (int i = 0; i < *count; ++i) there = there || !strcmp(names[i], key->name);
    if (!there && *count < most) names[(*count)++] = key->name;
  }
}

/* What may be below this key or type; of a key that chooses a type, the types, and their keys if `deep`. */
static int names_below(const NsExplainHit *hit, bool deep, const char **names, int most)
{
  int count = 0;

  if (hit->variant)
    add_names(variant_table(hit->variant), names, &count, most);
  else if (hit->key->table)
    add_names(hit->key->table, names, &count, most);
  for (const NsVariant *const *variant = hit->key ? hit->key->variants : NULL; variant && *variant && count < most; ++variant) {
    names[count++] = (*variant)->name;
    if (deep) add_names(variant_table(*variant), names, &count, most);
  }
  names[count] = NULL;
  return count;
}

static void report_unknown(Search *search, const NsTable *root, char **words, int n, FILE *err)
{
  enum { MOST = 255 };
  NsDiag            *diag    = NsDiagCreate(search->arena);
  const NsPlace      nowhere = {NULL, 0, 0, 0};
  const NsKeysReader reader  = {search->arena, diag, NULL};
  const char        *names[MOST + 1], *nearest, *path = "", *what = "keys of a config";
  int                known = n, count = 0;

  /* the longest beginning that means something, and what could follow it */
  while (--known > 0 && !in_table(search, root, "", words, known)) continue;
  if (known > 0) {
    (void)names_below(search->first, true, names, MOST);
    nearest = NsNearestWord(words[known], names);
    count   = names_below(search->first, false, names, MOST);
    path    = search->first->path;
    what    = search->first->key && search->first->key->variants ? "valid types" : "valid keys";
  } else {
    known = 0;
    add_names(root, names, &count, MOST);
    names[count] = NULL;
    nearest      = NsNearestWord(words[0], names);
    if (!nearest && n == 1) nearest = NsNearestWord(words[0], all_names(search, root));
  }
  NsDiagError(diag, nowhere, "unknown key '%s'%s%s%s", words[known], *path ? " in " : "", path, NsDidYouMean(nearest));
  if (count) NsDiagNote(diag, "%s: %s", what, NsKeysJoin(&reader, names, count, 0));
  NsDiagPrint(diag, err, false);
}

/* A term of rotor dynamics, or a name of ROSS; false: the word is neither. */
static bool explain_trade(const char *word, bool first, FILE *out)
{
  const NsTradeTerm *term = NsTradeFind(word);

  if (!term) return false;
  fprintf(out, "%s%s, in rotor dynamics\n\n  ", first ? "" : "\n", word);
  NsExplainWrap(out, 2, term->text);
  if (term->page) fprintf(out, "\nsee also: percuss explain %s\n", term->page);
  return true;
}

int NsExplain(const NsTable *root, const char *word, FILE *out, FILE *err)
{
  const bool     config  = root == &NsTable_Config;
  const NsTable *roots[] = {root, config ? &study_root : NULL, NULL}; /* whose texts are searched */
  NsArena       *arena   = NsArenaCreate();
  Search         search  = {arena, NULL, &search.first};
  char          *words[MAX_WORDS], *text, *more = NULL;
  int            n = 0, result = 0;
  bool           search_on = false, found;

  if (!word) {
    NsExplainRoot(root, out);
    NsArenaDestroy(&arena);
    return 0;
  }
  text = NsArenaCopy(arena, word, strlen(word));
  for (char *part = strtok_r(text, ".", &more); part && n < MAX_WORDS; part = strtok_r(NULL, ".", &more)) words[n++] = part;
  if (n == 1)
    find_name(&search, root, words[0]);
  else if (n > 1)
    in_table(&search, root, "", words, n);
  for (const NsExplainHit *hit = search.first; hit; hit = hit->next) NsExplainPage(hit, arena, out);
  if (search.first && n == 1) NsExplainSeeAlso(roots, words[0], arena, out);
  for (int c = 0; search.first && n == 1 && NsCommands[c]; c++) {
    if (!strcmp(NsCommands[c]->name, words[0])) fprintf(out, "\nalso a command: percuss %s --help\n", words[0]);
  }
  found = search.first != NULL;
  if (!found && config) { /* rpm is both */
    const bool unit = NsExplainUnit(word, out), trade = explain_trade(word, !unit, out);

    found     = unit || trade;
    search_on = trade && !unit; /* also to the pages with this word */
    if (search_on) fputc('\n', out);
  }
  if ((!found || search_on) && n == 1) {
    const bool pages = NsExplainSearch(roots, words[0], arena, out);

    found = (config && NsExplainColumns(words[0], pages, out)) || pages || found;
  }
  if (!found) {
    if (!n) words[n++] = text;
    report_unknown(&search, root, words, n, err);
    result = 2;
  }
  NsArenaDestroy(&arena);
  return result;
}

enum { JSON };

static NsOption options[] = {
  [JSON] = NS_OPTION_JSON,
  {NULL},
};

/* "journal bearing" of two words; valid until the next call. */
static const char *words_in_one(const NsArguments *arguments)
{
  static char text[128];
  size_t      used = 0;

  text[0] = '\0';
  for (int i = 0; i < arguments->words && used < sizeof(text); ++i)
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", arguments->word[i]);
  return text;
}

static int call(const NsArguments *arguments)
{
  int result = 0;

  if (options[JSON].value && (arguments->words != 1 || strcmp(arguments->word[0], "results") != 0)) {
    fprintf(stderr, "percuss explain: --json is for `percuss explain results`; the keys of a config as JSON: percuss schema\n");
    return NS_EXIT_INPUT;
  }
  if (options[JSON].value) {
    NsExplainResultsJson(stdout);
    return NS_EXIT_DONE;
  }
  if (!arguments->words) {
    NsExplain(&NsTable_Config, NULL, stdout, stderr);
    puts(
      "percuss explain schemes compares all schemes, units lists all units, results lists the columns of all tables, study is about files of percuss study; other words are searched in all texts");
  }
  if (arguments->words > 1 && explain_trade(words_in_one(arguments), true, stdout)) return result;
  for (int i = 0; i < arguments->words; ++i) {
    const char *word  = arguments->word[i];
    const bool  study = !strcmp(word, "study") || !strncmp(word, "study.", 6);

    if (i > 0) putchar('\n');
    if (!strcmp(word, "schemes"))
      NsExplainSchemes(NsSchemeTypes, stdout);
    else if (!strcmp(word, "units") || !strcmp(word, "unit"))
      NsExplainUnits(stdout);
    else if (NsExplainResults(word, stdout))
      continue;
    else if (NsExplain(study ? &study_root : &NsTable_Config, word, stdout, stderr))
      result = 2;
  }
  return result;
}

const NsCommand NsCommand_Explain = {
  .name    = "explain",
  .words   = "[KEY | schemes | units | results | study]...",
  .options = options,
  .about   = "explain a key, a scheme, a body or another word",
  .description =
    "Without a word: the keys of a config. KEY is a key by its path (contacts.restitution), a scheme, a body, or any other word, which is searched in the names and texts of all "
    "pages.\n"
    "\n"
    "percuss explain schemes prints a table of all schemes: order, level of the constraints, explicit or implicit, energy, requirements, reference. percuss explain units lists the "
    "units that a config may use; percuss explain results the columns of all tables, percuss explain energy.csv those of one; --json is for percuss explain results. The keys of a config as JSON: percuss schema.",
  .examples = "explain schemes\n"
              "explain units\n"
              "explain energy.csv\n"
              "explain results --json\n"
              "explain stress\n"
              "explain scheme.half_explicit\n"
              "explain bodies.beam.section",
  .call     = call,
};
