/*
  Fills a struct from a mapping, by its table; every error becomes a message.
*/
#include "core/keys_internal.h"
#include "core/text.h"
#include "core/trade.h"
#include <stdlib.h>
#include <string.h>

static void read_mapping(NsKeysReader *reader, const NsTable *table, const NsNode *node, const NsKeysPath *path, bool typed, void *settings);
static void read_key(NsKeysReader *reader, const NsKey *key, const NsNode *node, const NsKeysPath *path, void *field);

const char *NsKeysPathText(const NsKeysReader *reader, const NsKeysPath *path)
{
  const char *up;

  if (!path) return "";
  up = NsKeysPathText(reader, path->up);
  if (!path->name) return NsArenaPrint(reader->arena, "%s%s%d", up, *up ? "." : "", path->index);
  return NsArenaPrint(reader->arena, "%s%s%s", up, *up && *path->name ? "." : "", path->name);
}

/* Short for a message: "mesh", not "bodies.bar.mesh"; an item of a list with its whole path. */
static const char *label_of(const NsKeysReader *reader, const NsKeysPath *path)
{
  if (path->name && *path->name) return path->name;
  return path->name ? "the config" : NsKeysPathText(reader, path);
}

static const char *in_path(const NsKeysReader *reader, const NsKeysPath *path)
{
  const char *text = NsKeysPathText(reader, path);

  return *text ? NsArenaPrint(reader->arena, " in %s", text) : "";
}

static int compare_words(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *NsKeysJoin(const NsKeysReader *reader, const char **words, int count, int most)
{
  const char *text = "";

  if (count) qsort(words, (size_t)count, sizeof(*words), compare_words);
  for (int i = 0; i < count; ++i) {
    if (most && i == most) return NsArenaPrint(reader->arena, "%s, ...", text);
    text = NsArenaPrint(reader->arena, "%s%s%s", text, i ? ", " : "", words[i]);
  }
  return text;
}

/* The table's words, with "type" in front where it chooses the variant; ends with NULL. */
static const char **key_names(const NsKeysReader *reader, const NsTable *table, bool typed, int *count)
{
  const char **names;
  int          n = typed;

  for (const NsKey *key = table->keys; key->name; ++key) ++n;
  names  = NsArenaAlloc(reader->arena, ((size_t)n + 1) * sizeof(*names));
  *count = n;
  n      = 0;
  if (typed) names[n++] = "type";
  for (const NsKey *key = table->keys; key->name; ++key) names[n++] = key->name;
  return names;
}

/* Whether a part of the page's path is one of these words. */
static bool leads_to(const char *page, const char *const *words)
{
  for (; page && *words; ++words) {
    const size_t size = strlen(*words);

    for (const char *at = page; at; at = strchr(at, '.') ? strchr(at, '.') + 1 : NULL) {
      if (!strncmp(at, *words, size) && (!at[size] || at[size] == '.')) return true;
    }
  }
  return false;
}

/* What a term of rotor dynamics, or a name of ROSS, is called here: at the top of a config, or where one of the words leads to it; words NULL: anywhere. */
static void note_trade(NsKeysReader *reader, const char *word, const NsKeysPath *path, const char *const *words)
{
  const NsTradeTerm *term = NsTradeFind(word);

  if (!term || (words && *NsKeysPathText(reader, path) && !leads_to(term->page, words))) return;
  NsDiagNote(reader->diag, "in rotor dynamics, '" NS_CLIP "' is: %s", NsClip(word), term->text);
}

static void report_unknown_key(NsKeysReader *reader, const NsTable *table, const NsNode *child, const NsKeysPath *path, bool typed)
{
  int          count;
  const char **names = key_names(reader, table, typed, &count);

  NsDiagError(reader->diag, child->key_place, "unknown key '" NS_CLIP "'%s%s", NsClip(child->key), in_path(reader, path),
    NsDidYouMean(NsNearestWord(child->key, names)));
  if (child->key[0] >= '0' && child->key[0] <= '9' && NsKeysIsNull(child)) /* {step: 0,5 us}: YAML separates entries there */
    NsDiagNote(reader->diag, "numbers have a decimal point: 0.5, not 0,5");
  note_trade(reader, child->key, path, names);
  NsDiagNote(reader->diag, "valid keys: %s", count ? NsKeysJoin(reader, names, count, 0) : "none");
}

/* "{density: 7800 kg/m^3, young: 210 GPa}": the required keys, or the first one; "" without examples. */
static const char *example_of(const NsKeysReader *reader, const NsTable *table)
{
  const char *text = "";

  for (int required = 1; required >= 0 && !*text; required--) {
    for (const NsKey *key = table->keys; key->name; ++key) {
      if (!key->example || (required ? !key->required : *text != 0)) continue;
      text = NsArenaPrint(reader->arena, "%s%s%s: %s", text, *text ? ", " : "", key->name, key->example);
    }
  }
  return *text ? NsArenaPrint(reader->arena, "{%s}", text) : "";
}

static void report_no_mapping(NsKeysReader *reader, const NsTable *table, const NsNode *node, const NsKeysPath *path)
{
  int          count;
  const char **names = key_names(reader, table, false, &count);

  if (NsKeysIsNull(node))
    NsDiagError(reader->diag, node->key_place, "%s has no value", label_of(reader, path));
  else
    NsDiagError(reader->diag, node->place, "expected a mapping with key%s %s, got %s", count > 1 ? "s" : "", NsKeysJoin(reader, names, count, 8),
      NsKeysGot(reader, node));
  if (NsKeysIsNull(node)) NsDiagNote(reader->diag, "valid keys: %s", NsKeysJoin(reader, names, count, 0));
  if (path->up && path->name && *example_of(reader, table)) NsDiagNote(reader->diag, "such as %s: %s", path->name, example_of(reader, table));
}

/* "line, file": which of these are there. */
static void check_group(NsKeysReader *reader, const NsNode *node, const NsKeysPath *path, const char *group, bool exactly)
{
  const NsNode *last    = NULL;
  const char   *got     = "";
  int           present = 0;

  for (const char *p = group + strspn(group, ", "); *p; p += strspn(p, ", ")) {
    const size_t  size  = strcspn(p, ", ");
    const NsNode *child = NsTreeChild(node, NsArenaCopy(reader->arena, p, size));

    p += size;
    if (!child) continue;
    got = NsArenaPrint(reader->arena, "%s%s%s", got, present ? " and " : "", child->key);
    ++present;
    if (!last || child->key_place.line > last->key_place.line ||
        (child->key_place.line == last->key_place.line && child->key_place.column > last->key_place.column))
      last = child;
  }
  if (present > 1) {
    NsDiagError(
      reader->diag, last->key_place, "%s %s one of: %s; got %s", label_of(reader, path), exactly ? "needs exactly" : "takes at most", group, got);
  } else if (!present && exactly) {
    NsDiagError(reader->diag, node->key_place, "%s needs exactly one of: %s", label_of(reader, path), group);
  }
}

/* Whether a mapping has the key of a path such as "mesh.stations". */
static bool is_there(const NsKeysReader *reader, const NsNode *node, const char *path)
{
  while (path && node) {
    const size_t size = strcspn(path, ".");

    node = NsTreeChild(node, NsArenaCopy(reader->arena, path, size));
    path = path[size] ? path + size + 1 : NULL;
    if (!path) return node != NULL;
  }
  return false;
}

/* {shorthand: node} for a scalar, a list of scalars or mappings, or the rows of a table of numbers; NULL if the table has no shorthand or the node does not fit. */
static const NsNode *expand_shorthand(const NsKeysReader *reader, const NsTable *table, const NsNode *node)
{
  NsNode *map, *child;

  if (!table->shorthand || NsKeysIsNull(node)) return NULL;
  if (node->kind == NS_NODE_LIST) {
    const NsKey *key = table->keys;
    while (strcmp(key->name, table->shorthand)) ++key;
    for (const NsNode *item = node->first; item; item = item->next) {
      if (item->kind == NS_NODE_MAP && key->kind == NS_KEY_LIST) continue;
      if (item->kind != NS_NODE_SCALAR && (item->kind != NS_NODE_LIST || key->columns < 2)) return NULL;
    }
  }
  map              = NsArenaAlloc(reader->arena, sizeof(*map));
  child            = NsArenaAlloc(reader->arena, sizeof(*child));
  *map             = *node; /* with `next`: see NsTreePath */
  map->kind        = NS_NODE_MAP;
  map->text        = NULL;
  map->count       = 1;
  map->first       = child;
  *child           = *node;
  child->key       = table->shorthand;
  child->key_place = node->place;
  child->next      = NULL;
  child->parent    = map;
  return map;
}

/* The key that the shorthand stands for, if it takes rows, which may be in a file; NULL if `file` is a key of the table's own. */
static const NsKey *rows_of_shorthand(const NsTable *table)
{
  const NsKey *rows = NULL;

  for (const NsKey *key = table->keys; key->name; ++key) {
    if (!strcmp(key->name, "file")) return NULL;
    if (table->shorthand && !strcmp(key->name, table->shorthand) && NsKeysTakesRows(key)) rows = key;
  }
  return rows;
}

static void move_to(NsNode *node, const NsNode *home)
{
  node->place = node->key_place = home->key_place;
  for (NsNode *child = node->first; child; child = child->next) move_to(child, home);
}

/* "[1, 0, 0]": a list of plain scalars, read without libyaml, which costs time. NULL when it is more than that. */
static NsNode *plain_list(NsKeysReader *reader, const char *text)
{
  NsNode *list, **end;

  if (*text != '[' || text[1] == ']' || strpbrk(text + 1, "[{}'\"#:&*!|>%@") || strcspn(text, "]") + 1 != strlen(text)) return NULL;
  list       = NsArenaAlloc(reader->arena, sizeof(*list));
  list->kind = NS_NODE_LIST;
  end        = &list->first;
  while (*text != ']') {
    const char *from = text + 1 + strspn(text + 1, " "), *to = from + strcspn(from, ",]");
    NsNode     *item = *end = NsArenaAlloc(reader->arena, sizeof(*item));

    text = to;
    while (to > from && to[-1] == ' ') --to;
    item->text   = NsArenaCopy(reader->arena, from, (size_t)(to - from));
    item->parent = list;
    end          = &item->next;
    ++list->count;
  }
  return list;
}

/* A default as a node; messages about it point to the mapping it belongs to. Only unusual ones go through libyaml: with a parser for each, 100000 small
   mappings with three defaults took 5 s. */
static NsNode *default_node(NsKeysReader *reader, const NsKey *key, const NsNode *home)
{
  const bool scalar = key->kind <= NS_KEY_CHOICE;
  NsNode    *node   = scalar ? NULL : plain_list(reader, key->default_value);

  if (scalar || !strcmp(key->default_value, "{}")) {
    node       = NsArenaAlloc(reader->arena, sizeof(*node));
    node->kind = scalar ? NS_NODE_SCALAR : NS_NODE_MAP;
    node->text = scalar ? key->default_value : NULL;
  } else if (!node) {
    node = NsTreeReadText("default", key->default_value, strlen(key->default_value), reader->arena, reader->defaults);
    if (!node) return NULL;
  }
  move_to(node, home);
  node->key    = key->name;
  node->parent = (NsNode *)home;
  return node;
}

/* A default is read like input of the user; an invalid one is a bug in the table. */
static void read_default(NsKeysReader *reader, const NsTable *table, const NsKey *key, const NsNode *home, const NsKeysPath *path, void *field)
{
  NsKeysReader inner = *reader;
  NsNode      *node;

  if (!reader->defaults) reader->defaults = NsDiagCreate(reader->arena);
  inner.diag = inner.defaults = reader->defaults;
  node                        = default_node(&inner, key, home);
  if (node) read_key(&inner, key, node, path, field);
  if (!NsDiagErrors(reader->defaults)) return;
  fprintf(stderr, "percuss: error in table '%s': default '%s' of key '%s':\n", table->name, key->default_value, key->name);
  NsDiagPrint(reader->defaults, stderr, false);
  abort();
}

static const NsTable no_keys = {"none", "", (const NsKey[]){{.name = NULL}}, sizeof(const NsNode *)};

/* typed: the key `type` was read by the caller. */
static void read_mapping(NsKeysReader *reader, const NsTable *table, const NsNode *node, const NsKeysPath *path, bool typed, void *settings)
{
  const int errors = NsDiagErrors(reader->diag);

  memset(settings, 0, table->size);
  *(const NsNode **)settings = node;
  if (node->kind == NS_NODE_MAP && NsTreeChild(node, "file") && rows_of_shorthand(table) &&
      !NsTableLoad(reader, rows_of_shorthand(table), (NsNode *)node))
    return;
  if (node->kind != NS_NODE_MAP) {
    const NsNode *expanded = expand_shorthand(reader, table, node);

    if (!expanded) {
      report_no_mapping(reader, table, node, path);
      return;
    }
    node = *(const NsNode **)settings = expanded;
  }
  for (const NsNode *child = node->first; child; child = child->next) {
    const NsKey *key = table->keys;

    while (key->name && strcmp(key->name, child->key)) ++key;
    if (!key->name && !(typed && !strcmp(child->key, "type"))) report_unknown_key(reader, table, child, path, typed);
  }
  for (const NsKey *key = table->keys; key->name; ++key) {
    const NsNode    *child = NsTreeChild(node, key->name);
    const NsKeysPath inner = {path, key->name, 0};
    void            *field = (char *)settings + key->offset;

    if (child) {
      read_key(reader, key, child, &inner, field);
    } else if (key->default_value) {
      read_default(reader, table, key, node, &inner, field);
    } else if (key->required && !is_there(reader, node, key->unless)) {
      NsDiagError(reader->diag, node->key_place, "missing key '%s'%s", key->name, in_path(reader, path));
      NsKeysNote(reader, key);
    }
  }
  if (table->one_of) check_group(reader, node, path, table->one_of, true);
  if (table->at_most_one_of) check_group(reader, node, path, table->at_most_one_of, false);
  if (table->check && NsDiagErrors(reader->diag) == errors) table->check(settings, reader->arena, reader->diag);
}

static const char *variant_names(const NsKeysReader *reader, const NsVariant *const *variants, const char ***words)
{
  int n = 0;

  while (variants[n]) ++n;
  *words = NsArenaAlloc(reader->arena, ((size_t)n + 1) * sizeof(**words));
  for (int i = 0; i < n; ++i) (*words)[i] = variants[i]->name;
  return NsKeysJoin(reader, *words, n, 0);
}

/* By another word for it, or by its letters. */
static const char *nearest_variant(const NsVariant *const *variants, const char *text, const char *const *words)
{
  const size_t length = strlen(text);

  for (int i = 0; variants[i] && length; ++i) {
    for (const char *at = variants[i]->also; at && (at = strstr(at, text)); at += length) {
      if ((at == variants[i]->also || at[-1] == ' ') && (at[length] == ',' || !at[length])) return variants[i]->name;
    }
  }
  return NsNearestWord(text, words);
}

static void read_variant(NsKeysReader *reader, const NsKey *key, const NsNode *node, const NsKeysPath *path, NsChosen *chosen)
{
  const NsNode  *type = NsTreeChild(node, "type");
  const NsTable *table;
  const char   **words, *list;

  chosen->where = node;
  for (int i = 0; type && type->kind == NS_NODE_SCALAR && key->variants[i]; ++i) {
    if (strcmp(type->text, key->variants[i]->name)) continue;
    table            = key->variants[i]->table ? key->variants[i]->table : &no_keys;
    chosen->variant  = key->variants[i];
    chosen->settings = NsArenaAlloc(reader->arena, table->size);
    read_mapping(reader, table, node, path, true, chosen->settings);
    return;
  }
  list = variant_names(reader, key->variants, &words);
  if (NsKeysIsNull(node)) {
    NsDiagError(reader->diag, node->key_place, "%s has no value", label_of(reader, path));
  } else if (node->kind != NS_NODE_MAP) {
    NsDiagError(reader->diag, node->place, "expected a mapping with key type, got %s", NsKeysGot(reader, node));
    if (node->kind == NS_NODE_SCALAR && NsNearestWord(node->text, words))
      NsDiagNote(reader->diag, "write {type: %s}", NsNearestWord(node->text, words));
  } else if (!type) {
    NsDiagError(reader->diag, node->key_place, "missing key 'type'%s", in_path(reader, path));
  } else if (NsKeysIsNull(type)) {
    NsDiagError(reader->diag, type->key_place, "type has no value");
  } else if (type->kind != NS_NODE_SCALAR) {
    NsDiagError(reader->diag, type->place, "expected a word, got %s", NsKeysGot(reader, type));
  } else {
    NsDiagError(reader->diag, type->place, "unknown type '" NS_CLIP "'%s%s", NsClip(type->text), in_path(reader, path),
      NsDidYouMean(nearest_variant(key->variants, type->text, words)));
  }
  if (type && type->kind == NS_NODE_SCALAR) note_trade(reader, type->text, path, NULL);
  NsDiagNote(reader->diag, "valid types: %s", list);
}

/* Lists of mappings and mappings from names to mappings. */
static void read_list(NsKeysReader *reader, const NsKey *key, const NsNode *node, const NsKeysPath *path, NsList *list)
{
  const bool   named = key->kind != NS_KEY_LIST, variants = key->kind == NS_KEY_NAMED_VARIANTS;
  const size_t size = variants ? sizeof(NsChosen) : key->table->size, count = (size_t)node->count;
  char        *items;

  if (!NsKeysIsKind(
        reader, key, node, named ? NS_NODE_MAP : NS_NODE_LIST, key->name, named ? "a mapping from names to mappings" : "a list of mappings"))
    return;
  NsKeysCount(reader, key, node, named ? "entry" : "item");
  list->names = named ? NsArenaAlloc(reader->arena, (count + 1) * sizeof(*list->names)) : NULL;
  list->where = NsArenaAlloc(reader->arena, count * sizeof(*list->where));
  list->items = items = NsArenaAlloc(reader->arena, count * size);
  for (const NsNode *child = node->first; child; child = child->next, ++list->count) {
    const NsKeysPath inner = {path, child->key, list->count};

    list->where[list->count] = child;
    if (named) {
      NsKeysNameIsGood(reader, child);
      list->names[list->count] = child->key;
    }
    if (variants)
      read_variant(reader, key, child, &inner, (NsChosen *)(void *)(items + (size_t)list->count * size));
    else
      read_mapping(reader, key->table, child, &inner, false, items + (size_t)list->count * size);
  }
}

/* A word in the place of a mapping: the entry of this name in the table's library, at the top of the config. NULL: an error was reported. */
static const NsNode *find_in_library(NsKeysReader *reader, const NsTable *table, const NsNode *node)
{
  const NsNode *root = node, *library, *entry;
  const char  **names;
  int           count = 0;

  while (root->parent) root = root->parent;
  library = NsTreeChild(root, table->library);
  entry   = NsTreeChild(library, node->text);
  if (entry) return entry;
  names = NsArenaAlloc(reader->arena, ((size_t)(library ? library->count : 0) + 1) * sizeof(*names));
  for (const NsNode *child = library && library->kind == NS_NODE_MAP ? library->first : NULL; child; child = child->next) names[count++] = child->key;
  NsDiagError(reader->diag, node->place, "there is no '" NS_CLIP "' in `%s`%s", NsClip(node->text), table->library,
    NsDidYouMean(NsNearestWord(node->text, names)));
  if (!count)
    NsDiagNote(reader->diag, "%s: {%s: %s}, at the top of the config, gives a %s this name", table->library,
      NsArenaPrint(reader->arena, NS_CLIP, NsClip(node->text)), example_of(reader, table), table->name);
  return NULL;
}

static void read_table(NsKeysReader *reader, const NsKey *key, const NsNode *node, const NsKeysPath *path, void *field)
{
  const NsTable   *table = key->table;
  const NsKeysPath top = {NULL, "", 0}, library = {&top, table->library, 0}, entry = {&library, node->text, 0};
  const bool       by_name  = table->library && !table->shorthand && node->kind == NS_NODE_SCALAR && !NsKeysIsNull(node);
  void            *settings = NsArenaAlloc(reader->arena, table->size);

  *(void **)field = settings;
  if (by_name) node = find_in_library(reader, table, node);
  if (node)
    read_mapping(reader, table, node, by_name ? &entry : path, false, settings); /* an error in an entry reads the same wherever it is named */
}

static void read_key(NsKeysReader *reader, const NsKey *key, const NsNode *node, const NsKeysPath *path, void *field)
{
  switch (key->kind) {
  case NS_KEY_TABLE: read_table(reader, key, node, path, field); return;
  case NS_KEY_LIST:
  case NS_KEY_NAMED:
  case NS_KEY_NAMED_VARIANTS: read_list(reader, key, node, path, field); return;
  case NS_KEY_VARIANT: read_variant(reader, key, node, path, field); return;
  default: NsKeysReadValue(reader, key, node, field);
  }
}

bool NsKeysRead(const NsTable *table, const NsNode *node, void *settings, NsArena *arena, NsDiag *diag)
{
  NsKeysReader reader = {.arena = arena, .diag = diag};
  NsKeysPath   path   = {NULL, "", 0};
  const int    errors = NsDiagErrors(diag);

  if (!node) {
    NsNode *empty = NsArenaAlloc(arena, sizeof(*empty));

    empty->kind = NS_NODE_MAP;
    node        = empty;
  }
  path.name = NsTreePath(node, arena);
  read_mapping(&reader, table, node, &path, false, settings);
  while (node->parent) node = node->parent;
  if (reader.loaded && !NsTreeFits(node))
    NsDiagError(
      diag, (NsPlace){node->place.source, 0, 0, 0}, "with the tables of its files it has more than 100000 values, or more than 2 MB of text");
  return NsDiagErrors(diag) == errors;
}

NsPlace NsKeysPlace(const NsNode *where, const char *key)
{
  const NsNode *child = NsTreeChild(where, key);

  if (child) return child->place;
  return where ? where->key_place : (NsPlace){NULL, 0, 0, 0};
}

NsPlace NsKeysNumberPlace(const NsNode *where, const char *key, int row, int column)
{
  const NsNode *node    = NsTreeChild(where, key);
  const int     at[2]   = {row, column};
  NsPlace       closest = NsKeysPlace(where, key);

  for (int level = 0; node && level < 2; level++) {
    const NsNode *item = node->first;
    for (int i = 0; item && i < at[level]; i++) item = item->next;
    node = item;
    if (node) closest = node->place;
  }
  return closest;
}
