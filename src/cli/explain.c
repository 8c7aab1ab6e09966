/*
  `percuss explain [KEY]...`: what a key means, from the table that reads it.

  A key is given by its path without names of the user's own ("contacts.restitution", "bodies.bar.section.circle", where `bar` is a type),
  or with them as a message showed it ("contacts.wall.restitution"), or as a single word that is looked up everywhere. The word `schemes` gets a table of all
  schemes instead (explain_schemes.c); `study`, and what begins with "study.", is about study files.
*/
#include "cli/cli.h"
#include "cli/explain.h"
#include "core/keys_internal.h"
#include "percuss/settings.h"
#include "study/study.h"
#include <string.h>

enum { MAX_WORDS = 32, MAX_NEST = 16 };

typedef struct {
  NsArena      *arena;
  NsExplainHit *first, **end;
} Search;

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

/* Bodies of several types share keys; one page for all of them. */
static bool same_key(const NsKey *a, const NsKey *b)
{
  if (a == b) return true;
  return a && b && a->kind == b->kind && a->table == b->table && same_text(a->name, b->name) && same_text(a->help, b->help) &&
         same_text(a->standard, b->standard);
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

/* "bodies" and "body", "contacts" and "contact" are the same question. */
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

/* Every key and type of this name; NULL: all names, into words (which may be NULL to count them). A table within itself is not entered. */
static void everywhere(Search *search, const NsTable *table, const NsTable **above, int depth, const char *path, const char *word, bool exact,
  const char **words, int *count)
{
  for (int i = 0; i < depth; ++i) {
    if (above[i] == table) return;
  }
  if (depth == MAX_NEST) return;
  above[depth] = table;
  for (const NsKey *key = table->keys; key->name; ++key) {
    const char *here = join(search->arena, path, key->name);

    if (words) words[*count] = key->name;
    ++*count;
    if (word && (exact ? !strcmp(key->name, word) : matches(key->name, word))) add_hit(search, here, key, NULL);
    if (key->table) everywhere(search, key->table, above, depth + 1, here, word, exact, words, count);
    for (const NsVariant *const *variant = key->variants; variant && *variant; ++variant) {
      const char *name = join(search->arena, here, (*variant)->name);

      if (words) words[*count] = (*variant)->name;
      ++*count;
      if (word && !strcmp((*variant)->name, word)) add_hit(search, name, NULL, *variant);
      everywhere(search, variant_table(*variant), above, depth + 1, name, word, exact, words, count);
    }
  }
}

static const char **all_names(Search *search, const NsTable *root)
{
  const NsTable *above[MAX_NEST];
  const char   **names;
  int            count = 0;

  everywhere(search, root, above, 0, "", NULL, true, NULL, &count);
  names = NsArenaAlloc(search->arena, ((size_t)count + 1) * sizeof(*names));
  count = 0;
  everywhere(search, root, above, 0, "", NULL, true, names, &count);
  return names;
}

static void add_names(const NsTable *table, const char **names, int *count, int most)
{
  for (const NsKey *key = table->keys; key->name; ++key) {
    bool there = false;

    for (int i = 0; i < *count; ++i) there = there || !strcmp(names[i], key->name);
    if (!there && *count < most) names[(*count)++] = key->name;
  }
}

/* What may stand below this key or type. */
static int names_below(const NsExplainHit *hit, const char **names, int most)
{
  int count = 0;

  if (hit->variant)
    add_names(variant_table(hit->variant), names, &count, most);
  else if (hit->key->table)
    add_names(hit->key->table, names, &count, most);
  for (const NsVariant *const *variant = hit->key ? hit->key->variants : NULL; variant && *variant; ++variant) {
    if (count < most) names[count++] = (*variant)->name;
    add_names(variant_table(*variant), names, &count, most);
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
  const char        *names[MOST + 1], *near, *path = "";
  int                known = n, count = 0;

  /* the longest beginning that means something, and what could have followed it */
  while (--known > 0 && !in_table(search, root, "", words, known)) continue;
  if (known > 0) {
    count = names_below(search->first, names, MOST);
    path  = search->first->path;
    near  = NsNearestWord(words[known], names);
  } else {
    known = 0;
    add_names(root, names, &count, MOST);
    names[count] = NULL;
    near         = NsNearestWord(words[0], names);
    if (!near && n == 1) near = NsNearestWord(words[0], all_names(search, root));
  }
  NsDiagError(diag, nowhere, "unknown key '%s'%s%s%s%s%s", words[known], *path ? " in " : "", path, near ? "; did you mean '" : "", near ? near : "",
    near ? "'?" : "");
  if (count) NsDiagNote(diag, "%s: %s", *path ? "valid keys" : "keys of a config", NsKeysJoin(&reader, names, count, 0));
  NsDiagPrint(diag, err, false);
}

int NsExplain(const NsTable *root, const char *word, FILE *out, FILE *err)
{
  NsArena       *arena  = NsArenaCreate();
  Search         search = {arena, NULL, &search.first};
  const NsTable *above[MAX_NEST];
  char          *words[MAX_WORDS], *text, *more = NULL;
  int            n = 0, ignored = 0, result = 0;

  if (!word) {
    NsExplainRoot(root, out);
    NsArenaDestroy(&arena);
    return 0;
  }
  text = NsArenaCopy(arena, word, strlen(word));
  for (char *part = strtok_r(text, ".", &more); part && n < MAX_WORDS; part = strtok_r(NULL, ".", &more)) words[n++] = part;
  if (n == 1) {
    everywhere(&search, root, above, 0, "", words[0], true, NULL, &ignored);
    if (!search.first) everywhere(&search, root, above, 0, "", words[0], false, NULL, &ignored);
  } else if (n > 1) {
    in_table(&search, root, "", words, n);
  }
  for (const NsExplainHit *hit = search.first; hit; hit = hit->next) NsExplainPage(hit, arena, out);
  if (!search.first) {
    if (!n) words[n++] = text;
    report_unknown(&search, root, words, n, err);
    result = 2;
  }
  NsArenaDestroy(&arena);
  return result;
}

static const NsKey study_keys[] = {
  {"study", NS_KEY_TABLE, 0, .table = &NsTable_Study, .help = "the file that `percuss study` takes: many runs of one config"},
  {NULL},
};
static const NsTable study_root = {.name = "studies", .keys = study_keys};

int NsCommandExplain(int argc, char **argv)
{
  int result = 0;

  if (argc < 2) {
    NsExplain(&NsTable_Config, NULL, stdout, stderr);
    puts("percuss explain schemes has all schemes in a table; percuss explain study is about files of percuss study");
  }
  for (int i = 1; i < argc; ++i) {
    const bool study = !strcmp(argv[i], "study") || !strncmp(argv[i], "study.", 6);

    if (i > 1) putchar('\n');
    if (!strcmp(argv[i], "schemes"))
      NsExplainSchemes(NsSchemeTypes, stdout);
    else if (NsExplain(study ? &study_root : &NsTable_Config, argv[i], stdout, stderr))
      result = 2;
  }
  return result;
}
