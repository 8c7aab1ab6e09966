/*
  percuss complete [LINE]: without a line the completion script for bash; with the command line up to the cursor, what its last word may become: first "files" or "words", then one
  completion a line. src/cli/percuss.bash calls it.

  What is valid at each position follows from the tables of the commands. Names that are known here: CONFIG, STUDY (a config, or a directory), RUN (results), DIR, FILE, KIND (of `init`),
  KEY (of a config), KEY=VALUE (of --set, with the names in the line's config); words in small letters are taken literally.
*/
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "command.h"
#include "core/text.h"
#include "output/folder.h"
#include "percuss/run.h"

static const char script[] =
#include "percuss_completion.h"
  ;

enum { MOST_WORDS = 256 };

typedef struct {
  NsArena     *arena;
  const char  *head;  /* beginning of the last word that stays: "--set=" */
  const char  *tail;  /* the rest, to be completed */
  bool         files; /* bash shows files in its own way */
  int          count, capacity;
  const char **found;
} Completion;

/* Adds a completion if the word begins like it. */
static void add(Completion *c, const char *text)
{
  if (strncmp(text, c->tail, strlen(c->tail)) != 0) return;
  for (int i = 0; i < c->count; i++) {
    if (!strcmp(c->found[i], text)) return;
  }
  if (c->count == c->capacity) {
    const char **longer = NsArenaAlloc(c->arena, sizeof(*longer) * (size_t)(c->capacity = 2 * c->capacity + 64));
    if (c->count) memcpy(longer, c->found, sizeof(*longer) * (size_t)c->count);
    c->found = longer;
  }
  c->found[c->count++] = NsArenaCopy(c->arena, text, strlen(text));
}

/* -- files ------------------------------------------------------------------------------------------------------------------------------------------- */

typedef enum { ANY_FILE, CONFIGS, DIRECTORIES, RUNS } Wanted;

static bool holds_run(const char *path, NsArena *arena)
{
  const NsDirectoryUse use = NsDirectoryLook(path, arena);

  return use == NS_DIRECTORY_RESULTS || use == NS_DIRECTORY_UNLISTED;
}

/* Files and directories in the folder that the word names. For RUNS only directories that hold one, or all directories if none does; nothing within a run. */
static void add_files(Completion *c, Wanted wanted)
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
      if (S_ISDIR(about.st_mode) ? only_runs && !holds_run(path, c->arena)
                                 : wanted > CONFIGS || (wanted == CONFIGS && !NsTextEndsWith(path, ".yaml") && !NsTextEndsWith(path, ".yml") &&
                                                         !NsTextEndsWith(path, "/run.json")))
        continue;
      add(c, NsArenaPrint(c->arena, "%s%s", folder, entry->d_name));
    }
    if (directory) closedir(directory);
  }
}

/* -- keys -------------------------------------------------------------------------------------------------------------------------------------------- */

/* The end of a path in the table of keys, and in the config if there is one. */
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

static void add_values(Completion *c, const Spot *spot, const char *path)
{
  static const char *const truth[] = {"true", "false", NULL};
  const char *const       *word    = NULL;

  if (spot->type) {
    for (const NsVariant *const *variant = spot->variants; *variant; variant++) add(c, NsArenaPrint(c->arena, "%s=%s", path, (*variant)->name));
    return;
  }
  if (spot->key && spot->key->kind == NS_KEY_CHOICE) word = spot->key->choices;
  if (spot->key && spot->key->kind == NS_KEY_BOOLEAN) word = truth;
  for (; word && *word; word++) add(c, NsArenaPrint(c->arena, "%s=%s", path, *word));
}

/* A key of the root by its path, "bodies.bar.mass"; with `explain` as `percuss explain` takes them, without names and values. */
static void add_keys(Completion *c, const NsNode *config, bool explain)
{
  const NsTable *table[MOST_WORDS];
  Spot           spot   = {.table = &NsTable_Config, .node = config};
  const char    *equals = explain ? NULL : strchr(c->tail, '='), *end = equals ? equals : c->tail + strlen(c->tail), *p = c->tail;

  for (const char *dot; (dot = memchr(p, '.', (size_t)(end - p))); p = dot + 1) {
    if (!enter(&spot, NsArenaCopy(c->arena, p, (size_t)(dot - p)), explain)) return;
  }
  if (equals) {
    if (enter(&spot, NsArenaCopy(c->arena, p, (size_t)(end - p)), explain))
      add_values(c, &spot, NsArenaCopy(c->arena, c->tail, (size_t)(end - c->tail)));
    return;
  }
  const char *path = NsArenaCopy(c->arena, c->tail, (size_t)(p - c->tail));
  if (spot.names && !explain) {
    for (const NsNode *child = spot.node ? spot.node->first : NULL; child; child = child->next)
      if (child->key) add(c, NsArenaPrint(c->arena, "%s%s.", path, child->key));
    return;
  }
  if (spot.variants && !explain) add(c, NsArenaPrint(c->arena, "%stype=", path));
  for (const NsVariant *const *variant = spot.variants; explain && variant && *variant; variant++)
    add(c, NsArenaPrint(c->arena, "%s%s", path, (*variant)->name));
  for (int i = 0, count = tables_of(&spot, table, MOST_WORDS); i < count; i++) {
    for (const NsKey *key = table[i]->keys; key->name; key++)
      add(c, NsArenaPrint(c->arena, "%s%s%s", path, key->name, explain ? "" : is_leaf(key) ? "=" : "."));
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

/* The completions of a word or value of this name; config: that of the line, for keys. */
static void add_for(Completion *c, const char *name, const char *config)
{
  if (!strcmp(name, "CONFIG") || !strcmp(name, "STUDY"))
    add_files(c, CONFIGS);
  else if (!strcmp(name, "RUN"))
    add_files(c, RUNS);
  else if (!strcmp(name, "DIR"))
    add_files(c, DIRECTORIES);
  else if (!strcmp(name, "FILE"))
    add_files(c, ANY_FILE);
  else if (!strcmp(name, "KIND"))
    for (int i = 0; NsInitKind(i); i++) add(c, NsInitKind(i));
  else if (!strcmp(name, "KEY"))
    add_keys(c, NULL, true);
  else if (!strcmp(name, "KEY=VALUE"))
    add_keys(c, config_of(config, c->arena), false);
  else if (islower((unsigned char)*name))
    add(c, name);
}

/* The n-th word of "RUN RUN [RUN]", from 0; or the alternatives in small letters. */
static void add_word(Completion *c, const char *words, int n, const char *config)
{
  const bool repeats = strstr(words, "...") != NULL;
  int        index   = 0;

  for (const char *p = words; *(p += strspn(p, " []|.")); p += strcspn(p, " []|.")) {
    const char *name = NsArenaCopy(c->arena, p, strcspn(p, " []|."));

    if (repeats || index == n || (n == 0 && islower((unsigned char)*name))) add_for(c, name, config);
    index++;
  }
}

static const NsOption *find_option(const NsCommand *command, const char *word, size_t length)
{
  for (const NsOption *option = command->options; option && option->name; option++) {
    if (strlen(option->name) == length && !strncmp(option->name, word, length)) return option;
  }
  return NULL;
}

/* Options of the command that the line does not have yet. */
static void add_options(Completion *c, const NsCommand *command, const char *const *word, int words)
{
  for (const NsOption *option = command->options; option && option->name; option++) {
    bool given = false;

    for (int k = 2; k < words - 1; k++) given = given || !strcmp(word[k], option->name);
    if (!given || option->repeats) add(c, option->name);
  }
  add(c, "--help");
}

static void complete(Completion *c, const char *const *word, int words)
{
  const NsCommand *const *command = NsCommands;
  const NsOption         *option  = NULL; /* that the next word is the value of */
  const char             *config = NULL, *last = word[words - 1], *equals = strchr(last, '=');
  int                     n = 0;

  if (words < 3) {
    for (; *command; command++) add(c, (*command)->name);
    add(c, "--help");
    add(c, "--version");
    add(c, "--man");
    return;
  }
  while (*command && strcmp((*command)->name, word[1])) command++;
  if (!*command) return;
  for (int i = 2; i < words - 1; i++) {
    if (!strcmp(word[i], "--")) return; /* PETSc's options follow */
    if (option) {
      option = NULL;
      continue;
    }
    option = find_option(*command, word[i], strlen(word[i]));
    if (option && !option->takes) option = NULL;
    if (word[i][0] != '-' && !n++) config = word[i];
  }
  if (!option && equals && (option = find_option(*command, last, (size_t)(equals - last)))) {
    c->head = NsArenaCopy(c->arena, last, (size_t)(equals + 1 - last));
    c->tail = equals + 1;
  }
  if (option && option->takes)
    add_for(c, option->takes, config);
  else if (!option && last[0] == '-')
    add_options(c, *command, word, words);
  else if (!option)
    add_word(c, (*command)->words, n, config);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int call(const NsArguments *arguments)
{
  const char *word[MOST_WORDS];
  Completion  c = {.arena = arguments->arena, .head = ""};
  int         words;

  if (!arguments->words) {
    fputs(script, stdout);
    return NS_EXIT_DONE;
  }
  words = split(arguments->word[0], word, MOST_WORDS, c.arena);
  if (words > 1) {
    c.tail = word[words - 1];
    complete(&c, word, words);
  }
  if (c.count) qsort(c.found, (size_t)c.count, sizeof(*c.found), by_name);
  puts(c.files ? "files" : "words");
  for (int i = 0; i < c.count; i++) printf("%s%s\n", c.head, c.found[i]);
  return NS_EXIT_DONE;
}

const NsCommand NsCommand_Complete = {
  .name  = "complete",
  .words = "[LINE]",
  .about = "print the completion for bash, or the completions of a line",
  .description =
    "Without LINE: the script for bash, which an installation already has; it calls `percuss complete LINE`. To use it without an installation, add this line to ~/.bashrc:\n"
    "eval \"$(percuss complete)\"",
  .examples = "complete",
  .call     = call,
};
