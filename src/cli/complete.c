/*
  percuss complete [LINE]: without a line the completion for bash; with one, as it stands up to the cursor, what its last word may become: first "files" or "words", then a word
  a line. src/cli/percuss.bash asks.

  What may stand where, the usage of each command says (list.h): CONFIG, STUDY: a config, or a directory; RUN: results; DIR, FILE; KIND of `init`; KEY of a config;
  KEY=VALUE of --set, with the names in the config that the line has; words in small letters as they are.
*/
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli.h"
#include "core/directory.h"
#include "percuss/settings.h"
#include "usage.h"

static const char script[] =
#include "percuss_completion.h"
  ;

enum { MOST_WORDS = 256 };

/* What is found; files are shown otherwise by bash. */
typedef struct {
  NsArena     *arena;
  const char  *head; /* of the last word, what stays: "--set=" */
  const char  *tail; /* what is to be completed */
  bool         files;
  int          count, room;
  const char **found;
} Completion;

static void offer(Completion *c, const char *text)
{
  if (strncmp(text, c->tail, strlen(c->tail)) != 0) return;
  for (int i = 0; i < c->count; i++) {
    if (!strcmp(c->found[i], text)) return;
  }
  if (c->count == c->room) {
    const char **longer = NsArenaAlloc(c->arena, sizeof(*longer) * (size_t)(c->room = 2 * c->room + 64));
    if (c->count) memcpy(longer, c->found, sizeof(*longer) * (size_t)c->count);
    c->found = longer;
  }
  c->found[c->count++] = NsArenaCopy(c->arena, text, strlen(text));
}

/* -- files ------------------------------------------------------------------------------------------------------------------------------------------- */

typedef enum { ANY_FILE, CONFIGS, DIRECTORIES, RUNS } Wanted;

static bool holds_run(const char *path, NsArena *arena)
{
  return NsDirectoryLook(path, arena) == NS_DIRECTORY_RESULTS;
}

static bool ends_with(const char *name, const char *end)
{
  const size_t a = strlen(name), b = strlen(end);

  return a >= b && !strcmp(name + a - b, end);
}

/* Files and directories below the one that the word begins with. Of runs only those that are, where there are any; a run has none in it. */
static void offer_files(Completion *c, Wanted wanted)
{
  const char    *slash = strrchr(c->tail, '/'), *home = getenv("HOME");
  const char    *folder = slash ? NsArenaCopy(c->arena, c->tail, (size_t)(slash + 1 - c->tail)) : "";
  const char    *real   = !strncmp(folder, "~/", 2) && home ? NsArenaPrint(c->arena, "%s/%s", home, folder + 2) : *folder ? folder : "./";
  DIR           *directory;
  struct dirent *entry;

  c->files = true;
  if (wanted == RUNS && *folder && holds_run(real, c->arena)) return;
  for (int only_runs = wanted == RUNS; only_runs >= 0 && !c->count; only_runs--) {
    directory = opendir(real);
    while (directory && (entry = readdir(directory))) {
      const char *path = NsArenaPrint(c->arena, "%s%s", real, entry->d_name);
      struct stat about;

      if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || stat(path, &about)) continue;
      if (entry->d_name[0] == '.' && (slash ? slash[1] : c->tail[0]) != '.') continue;
      if (S_ISDIR(about.st_mode)
            ? only_runs && !holds_run(path, c->arena)
            : wanted > CONFIGS || (wanted == CONFIGS && !ends_with(path, ".yaml") && !ends_with(path, ".yml") && !ends_with(path, "/run.json")))
        continue;
      offer(c, NsArenaPrint(c->arena, "%s%s", folder, entry->d_name));
    }
    if (directory) closedir(directory);
  }
}

/* -- keys -------------------------------------------------------------------------------------------------------------------------------------------- */

/* Where a path has come to in the table of keys, and in a config if there is one. */
typedef struct {
  const NsKey            *key;
  const NsTable          *table;
  const NsVariant *const *variants; /* each with a table */
  bool                    names;    /* of the user's own come next */
  bool                    type;     /* the word after `type:` */
  const NsNode           *node;
} Spot;

static Spot spot_of(const NsKey *key, const NsNode *node)
{
  return (Spot){.key = key,
    .table           = key->variants ? NULL : key->table,
    .variants        = key->variants,
    .names           = key->kind == NS_KEY_NAMED || key->kind == NS_KEY_NAMED_VARIANTS || key->kind == NS_KEY_LIST,
    .node            = node};
}

static bool is_leaf(const NsKey *key)
{
  return !key->table && !key->variants;
}

/* The tables in which the next word is looked for: of variants the one that the config has chosen, or all of them. */
static int tables_of(const Spot *spot, const NsTable **table, int most)
{
  const NsNode *type  = spot->variants ? NsTreeChild(spot->node, "type") : NULL;
  int           count = 0;

  if (spot->table) table[count++] = spot->table;
  for (const NsVariant *const *variant = spot->variants; variant && *variant; variant++) {
    const bool chosen = type && type->kind == NS_NODE_SCALAR && !strcmp(type->text, (*variant)->name);

    if (!(*variant)->table) continue;
    if (chosen) {
      table[0] = (*variant)->table;
      return 1;
    }
    if (count < most) table[count++] = (*variant)->table;
  }
  return count;
}

static bool enter(Spot *spot, const char *word, bool explain)
{
  const NsTable *table[MOST_WORDS];
  const NsNode  *child = NsTreeChild(spot->node, word);

  if (spot->names && !explain) {
    spot->names = false;
    spot->node  = child;
    return true;
  }
  for (const NsVariant *const *variant = spot->variants; variant && *variant; variant++) {
    if (!explain || strcmp((*variant)->name, word)) continue;
    *spot = (Spot){.table = (*variant)->table};
    return true;
  }
  if (spot->variants && !strcmp(word, "type")) {
    spot->type = true;
    return true;
  }
  for (int i = 0, count = tables_of(spot, table, MOST_WORDS); i < count; i++) {
    for (const NsKey *key = table[i]->keys; key->name; key++) {
      if (strcmp(key->name, word)) continue;
      *spot = spot_of(key, child);
      return true;
    }
  }
  return false;
}

static void offer_values(Completion *c, const Spot *spot, const char *path)
{
  static const char *const truth[] = {"true", "false", NULL};
  const char *const       *word    = NULL;

  if (spot->type) {
    for (const NsVariant *const *variant = spot->variants; *variant; variant++) offer(c, NsArenaPrint(c->arena, "%s=%s", path, (*variant)->name));
    return;
  }
  if (spot->key && spot->key->kind == NS_KEY_CHOICE) word = spot->key->choices;
  if (spot->key && spot->key->kind == NS_KEY_BOOLEAN) word = truth;
  for (; word && *word; word++) offer(c, NsArenaPrint(c->arena, "%s=%s", path, *word));
}

/* A key of the root by its path, "bodies.bar.mass"; with `explain` as `percuss explain` takes them, without names and values. */
static void offer_keys(Completion *c, const NsNode *config, bool explain)
{
  const NsTable *table[MOST_WORDS];
  Spot           spot   = {.table = &NsTable_Config, .node = config};
  const char    *equals = explain ? NULL : strchr(c->tail, '='), *end = equals ? equals : c->tail + strlen(c->tail), *p = c->tail;

  for (const char *dot; (dot = memchr(p, '.', (size_t)(end - p))); p = dot + 1) {
    if (!enter(&spot, NsArenaCopy(c->arena, p, (size_t)(dot - p)), explain)) return;
  }
  if (equals) {
    if (enter(&spot, NsArenaCopy(c->arena, p, (size_t)(end - p)), explain))
      offer_values(c, &spot, NsArenaCopy(c->arena, c->tail, (size_t)(end - c->tail)));
    return;
  }
  const char *path = NsArenaCopy(c->arena, c->tail, (size_t)(p - c->tail));
  if (spot.names && !explain) {
    for (const NsNode *child = spot.node ? spot.node->first : NULL; child; child = child->next)
      if (child->key) offer(c, NsArenaPrint(c->arena, "%s%s.", path, child->key));
    return;
  }
  if (spot.variants && !explain) offer(c, NsArenaPrint(c->arena, "%stype=", path));
  for (const NsVariant *const *variant = spot.variants; explain && variant && *variant; variant++)
    offer(c, NsArenaPrint(c->arena, "%s%s", path, (*variant)->name));
  for (int i = 0, count = tables_of(&spot, table, MOST_WORDS); i < count; i++) {
    for (const NsKey *key = table[i]->keys; key->name; key++)
      offer(c, NsArenaPrint(c->arena, "%s%s%s", path, key->name, explain ? "" : is_leaf(key) ? "=" : "."));
  }
}

/* -- a line ------------------------------------------------------------------------------------------------------------------------------------------ */

/* Words as a shell parts them, without its expansions; the last one may be empty. */
static int split(const char *line, const char **word, int most, NsArena *arena)
{
  char *text = NsArenaCopy(arena, line, strlen(line)), *to = text;
  char  quote = 0;
  int   count = 0;
  bool  in    = false;

  for (const char *p = line; *p; p++) {
    if (!quote && isspace((unsigned char)*p)) {
      if (in) *to++ = 0;
      in = false;
      continue;
    }
    if (!in) {
      if (count == most) return count;
      word[count++] = to;
      in            = true;
    }
    if (*p == quote)
      quote = 0;
    else if (!quote && (*p == '\'' || *p == '"'))
      quote = *p;
    else if (*p == '\\' && quote != '\'' && p[1])
      *to++ = *++p;
    else
      *to++ = *p;
  }
  *to = 0;
  if (!in && count < most) word[count++] = "";
  return count;
}

static const NsNode *config_of(const char *path, NsArena *arena)
{
  struct stat about;

  if (!path) return NULL;
  if (!stat(path, &about) && S_ISDIR(about.st_mode)) path = NsArenaPrint(arena, "%s/config.yaml", path);
  return NsTreeReadFile(path, arena, NsDiagCreate(arena));
}

/* What a place of this name takes; config: the line's, for keys. */
static void offer_for(Completion *c, const char *place, const char *config)
{
  if (!strcmp(place, "CONFIG") || !strcmp(place, "STUDY"))
    offer_files(c, CONFIGS);
  else if (!strcmp(place, "RUN"))
    offer_files(c, RUNS);
  else if (!strcmp(place, "DIR"))
    offer_files(c, DIRECTORIES);
  else if (!strcmp(place, "FILE"))
    offer_files(c, ANY_FILE);
  else if (!strcmp(place, "KIND"))
    for (int i = 0; NsInitKind(i); i++) offer(c, NsInitKind(i));
  else if (!strcmp(place, "KEY"))
    offer_keys(c, NULL, true);
  else if (!strcmp(place, "KEY=VALUE"))
    offer_keys(c, config_of(config, c->arena), false);
  else if (islower((unsigned char)*place))
    offer(c, place);
}

static const NsUsageWord *find_option(const NsUsageWord *usage, int count, const char *word, size_t length)
{
  for (int i = 0; i < count; i++) {
    if (NsUsageIsOption(&usage[i]) && strlen(usage[i].name) == length && !strncmp(usage[i].name, word, length)) return &usage[i];
  }
  return NULL;
}

/* The n-th place for a word that is no option, and those in small letters that may stand there instead. */
static void offer_place(Completion *c, const NsUsageWord *usage, int count, int n, const char *config)
{
  int place = 0;

  for (int i = 0; i < count; i++) {
    if (NsUsageIsOption(&usage[i])) continue;
    if (place++ == n || islower((unsigned char)usage[i].name[0])) offer_for(c, usage[i].name, config);
  }
}

static void complete(Completion *c, const char *const *word, int words)
{
  const NsCommand   *command = NsCommands;
  const NsUsageWord *option  = NULL; /* whose value comes next */
  const char        *config = NULL, *last = word[words - 1], *equals;
  NsUsageWord        usage[NS_USAGE_WORDS];
  int                count, places = 0;

  if (words < 3) {
    for (; command->name; command++) offer(c, command->name);
    offer(c, "--help");
    offer(c, "--version");
    return;
  }
  while (command->name && strcmp(command->name, word[1])) command++;
  if (!command->name) return;
  count = NsUsageRead(command, usage);
  for (int i = 2; i < words - 1; i++) {
    if (!strcmp(word[i], "--")) return; /* PETSc's */
    if (option) {
      option = NULL;
      continue;
    }
    option = find_option(usage, count, word[i], strlen(word[i]));
    if (option && !*option->value) option = NULL;
    if (word[i][0] == '-') continue;
    if (!places++) config = word[i];
  }
  equals = strchr(last, '=');
  if (!option && equals && (option = find_option(usage, count, last, (size_t)(equals - last)))) {
    c->head = NsArenaCopy(c->arena, last, (size_t)(equals + 1 - last));
    c->tail = equals + 1;
  }
  if (option)
    offer_for(c, option->value, config);
  else if (last[0] == '-') {
    for (int i = 0; i < count; i++) {
      bool given = false;

      for (int k = 2; k < words - 1; k++) given = given || !strcmp(word[k], usage[i].name);
      if (NsUsageIsOption(&usage[i]) && (!given || usage[i].repeats)) offer(c, usage[i].name);
    }
    offer(c, "--help");
  } else
    offer_place(c, usage, count, places, config);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int NsCommandComplete(int argc, char **argv)
{
  const char *word[MOST_WORDS];
  Completion  c = {.arena = NsArenaCreate(), .head = ""};
  int         words;

  if (argc > 2) {
    fprintf(stderr, "percuss complete: one line, in quotes, please\n");
    NsArenaDestroy(&c.arena);
    return 2;
  }
  if (argc < 2) {
    fputs(script, stdout);
    NsArenaDestroy(&c.arena);
    return 0;
  }
  words = split(argv[1], word, MOST_WORDS, c.arena);
  if (words > 1) {
    c.tail = word[words - 1];
    complete(&c, word, words);
  }
  if (c.count) qsort(c.found, (size_t)c.count, sizeof(*c.found), by_name);
  puts(c.files ? "files" : "words");
  for (int i = 0; i < c.count; i++) printf("%s%s\n", c.head, c.found[i]);
  NsArenaDestroy(&c.arena);
  return 0;
}
