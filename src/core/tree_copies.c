/*
  copies: entries of the config in rows, rings and grids.

      copies:
        cradle: {of: [bodies.ball, springs.string], row: {count: 20, shift: [50 mm, 0, 0]}}
        touch:  {of: contacts.touch, row: {count: 19}}

  takes the place of `bodies.ball` by ball_1 to ball_20 (grids: brick_1_1, brick_2_1 ..., ring: as a row). In a copy, $i (in grids $i, $j, $k) is its number, from 1, as in `between: [ball_$i, "ball_${i+1}"]`.
  Positions and directions are moved with the copy (tree_pose.h). Entries that the config has under the name of a copy take precedence over it, key by key. A word `ball_*`, or `supports.foot_*` among probes, stands for the names of all copies.
*/
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/keys_internal.h"
#include "core/text.h"
#include "core/tree_copies.h"
#include "core/tree_internal.h"
#include "core/tree_pose.h"

enum { MOST = 10000 /* copies of an entry */ };

typedef struct {
  const NsNode *where;
  long          count;
  double        shift[3], alternate[3];
} Row;

typedef struct {
  const NsNode *where;
  long          count;
  double        center[3], axis[3], step;
} Ring;

typedef struct {
  const NsNode *where;
  NsNumbers     count, shift;
  double        alternate[3];
} Grid;

typedef struct {
  const NsNode *where;
  NsStrings     of;
  const Row    *row;
  const Ring   *ring;
  const Grid   *grid;
} Settings;

#define ALTERNATE(T, what) \
  { \
    "alternate", NS_KEY_VECTOR, offsetof(T, alternate), .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]", .help = "further shift of " what, \
                                                        .example = "[0.1 m, 0, 0]" \
  }

static const NsKey row_keys[] = {
  {"count", NS_KEY_INTEGER, offsetof(Row, count), .required = true, .minimum = "1", .maximum = "10000", .help = "number of copies", .example = "20"},
  {"shift", NS_KEY_VECTOR, offsetof(Row, shift), .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]", .help = "from each copy to the next",
    .example = "[50 mm, 0, 0]"},
  ALTERNATE(Row, "every second copy"),
  {NULL},
};
static const NsTable row_table = {"row", "copies in a row", row_keys, sizeof(Row), .shorthand = "count"};

static const NsKey ring_keys[] = {
  {"count", NS_KEY_INTEGER, offsetof(Ring, count), .required = true, .minimum = "1", .maximum = "10000", .help = "number of copies", .example = "8"},
  {"center", NS_KEY_VECTOR, offsetof(Ring, center), .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]", .help = "a point of the axis",
    .example = "[0, 0, 0.1 m]"},
  {"axis", NS_KEY_VECTOR, offsetof(Ring, axis), .default_value = "[0, 0, 1]", .help = "axis of the ring, of any length", .example = "[1, 0, 0]"},
  {"step", NS_KEY_NUMBER, offsetof(Ring, step), .dimension = NS_DIM_ANGLE,
    .help = "angle from each copy to the next; default: a full turn over the count", .example = "30 deg"},
  {NULL},
};
static const NsTable ring_table = {"ring", "copies around an axis, each rotated", ring_keys, sizeof(Ring)};

static const NsKey grid_keys[] = {
  {"count", NS_KEY_NUMBERS, offsetof(Grid, count), .columns = 1, .least = 2, .most = 3, .required = true, .minimum = "1", .maximum = "10000",
    .help = "numbers of copies in two or three directions", .example = "[12, 12]"},
  {"shift", NS_KEY_NUMBERS, offsetof(Grid, shift), .columns = 3, .columns_dimension = {NS_DIM_LENGTH, NS_DIM_LENGTH, NS_DIM_LENGTH}, .least = 2,
    .most = 3, .required = true, .help = "from each copy to the next, for each of these directions", .example = "[[0.2 m, 0, 0], [0, 0.1 m, 0]]"},
  ALTERNATE(Grid, "every second row (layer) in the last direction, as in a brick bond"),
  {NULL},
};
static const NsTable grid_table = {"grid", "copies in a plane or in space", grid_keys, sizeof(Grid)};

static const NsKey keys[] = {
  {"of", NS_KEY_STRINGS, offsetof(Settings, of), .required = true, .least = 1, .help = "what is copied: entries of sections of the config",
    .example = "[bodies.ball, springs.string]"},
  {"row", NS_KEY_TABLE, offsetof(Settings, row), .table = &row_table, .help = "a row; a number alone copies without a shift",
    .example = "{count: 20, shift: [50 mm, 0, 0]}"},
  {"ring", NS_KEY_TABLE, offsetof(Settings, ring), .table = &ring_table, .help = "a ring", .example = "{count: 8, axis: [0, 0, 1]}"},
  {"grid", NS_KEY_TABLE, offsetof(Settings, grid), .table = &grid_table, .help = "a grid",
    .example = "{count: [12, 12], shift: [[0.2 m, 0, 0], [0, 0.1 m, 0]]}"},
  {NULL},
};
const NsTable NsTable_Copies = {"copies", "copies of entries of the config", keys, sizeof(Settings), .one_of = "row, ring, grid"};

typedef struct {
  NsNode              *root;
  const NsTable       *top;
  NsTreeSubstituteCopy substitute;
  void                *context;
  NsArena             *arena;
  NsDiag              *diag;
  const char         **names;   /* [count] of bodies and so on that have copies, */
  int                 *copies;  /* [count] how many of each, */
  const char         **section; /* [count] and of which section, */
  const char         **all;     /* [made] and their names, one after the other */
  int                  count, made;
  long                 values; /* of the tree, with copies */
} Copier;

/* ---- copies --------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const NsSource *from, *to;
} SourceOfCopy;

typedef struct {
  SourceOfCopy source[8]; /* the config, included files, --set */
  int          sources;
  const char  *name; /* "copy 3 of balls" */
} Label;

static NsPlace label_place(Copier *copier, Label *label, NsPlace place)
{
  int i = 0;

  if (!place.source) return place;
  while (i < label->sources && label->source[i].from != place.source) i++;
  if (i == label->sources) {
    NsSource *copy = NsArenaAlloc(copier->arena, sizeof(*copy));
    if (i == 8) i = 7; /* more than eight files: made anew */
    *copy            = *place.source;
    copy->copy       = label->name;
    copy->origin     = place.source->origin ? place.source->origin : place.source;
    label->source[i] = (SourceOfCopy){place.source, copy};
    label->sources   = i + 1;
  }
  place.source = label->source[i].to;
  return place;
}

static void label_tree(Copier *copier, Label *label, NsNode *node)
{
  node->place     = label_place(copier, label, node->place);
  node->key_place = label_place(copier, label, node->key_place);
  for (NsNode *child = node->first; child; child = child->next) label_tree(copier, label, child);
}

static long values_of(const NsNode *node)
{
  long count = 2;

  for (const NsNode *child = node->first; child; child = child->next) count += values_of(child);
  return count;
}

/* Numbers of copy `n` of a row, ring or grid; returns how many numbers there are. */
static int numbers_of(const Settings *settings, int n, int number[3])
{
  const int directions = settings->grid ? settings->grid->count.rows : 1;

  for (int d = 0; d < directions; d++) {
    const int count = settings->grid ? (int)settings->grid->count.values[d] : MOST + 1;
    number[d]       = n % count + 1;
    n /= count;
  }
  return directions;
}

static void pose_of(Copier *copier, const Settings *settings, const int number[3], int directions, NsPose *pose)
{
  const Ring   *ring      = settings->ring;
  const double *alternate = settings->grid ? settings->grid->alternate : settings->row ? settings->row->alternate : NULL;
  double        length    = 0;

  *pose = (NsPose){.arena = copier->arena, .diag = copier->diag};
  for (int k = 0; k < 3; k++) {
    for (int d = 0; d < directions && !ring; d++)
      pose->shift[k] += (number[d] - 1) * (settings->grid ? settings->grid->shift.values[3 * d + k] : settings->row->shift[k]);
    if (alternate && number[directions - 1] % 2 == 0) pose->shift[k] += alternate[k];
    pose->shifts = pose->shifts || pose->shift[k] != 0;
  }
  if (!ring) return;
  for (int k = 0; k < 3; k++) length += ring->axis[k] * ring->axis[k];
  for (int k = 0; k < 3; k++) {
    pose->center[k] = ring->center[k];
    pose->axis[k]   = ring->axis[k] / sqrt(length);
  }
  pose->angle   = (number[0] - 1) * (NsTreeChild(ring->where, "step") ? ring->step : 2 * 3.14159265358979323846 / (double)ring->count);
  pose->rotates = number[0] > 1;
  NsPoseRotate(pose);
}

static NsNode *make_copy(Copier *copier, const NsNode *entry, const NsKey *section, const Settings *settings, int n)
{
  NsNode   *copy = NsArenaAlloc(copier->arena, sizeof(*copy));
  int       number[3], directions = numbers_of(settings, n, number);
  Label     label = {.sources = 0};
  NsPose    pose;
  const int errors = NsDiagErrors(copier->diag);

  copy->key = entry->key;
  for (int d = 0; d < directions; d++) copy->key = NsArenaPrint(copier->arena, "%s_%d", copy->key, number[d]);
  copy->place     = entry->place;
  copy->key_place = entry->key_place;
  copy->parent    = entry->parent;
  NsTreeCopy(copy, entry, copier->arena);
  label.name = NsArenaPrint(copier->arena, "%s, a copy of %s.%s by copies.%s", copy->key, entry->parent->key, entry->key, settings->where->key);
  label_tree(copier, &label, copy);
  copier->substitute(copier->context, number, directions, copy);
  if (NsDiagErrors(copier->diag) > errors) return copy;
  pose_of(copier, settings, number, directions, &pose);
  const NsTable *table = NsKeysTableOf(section, copy);
  const char    *lacks = table && table->lacks_to_turn && pose.rotates ? table->lacks_to_turn(copy) : NULL;
  NsPoseMove(&pose, table, copy);
  if (lacks) {
    NsDiagError(copier->diag, entry->key_place, "'" NS_CLIP "' needs `%s`, so that it is rotated in a ring", NsClip(entry->key), lacks);
    NsDiagNote(copier->diag, "without it, its default refers to the axes x, y, z");
  }
  if ((pose.shifts || pose.rotates) && !pose.points && !strcmp(entry->parent->key, "bodies") && NsDiagErrors(copier->diag) == errors) {
    NsDiagError(copier->diag, entry->key_place, "'" NS_CLIP "' has no position that its copies could shift or rotate", NsClip(entry->key));
    NsDiagNote(copier->diag, "give it one, such as at: [0, 0, 0] for bodies of `type: body`");
  }
  return copy;
}

/* The entry that a path such as "bodies.ball" names; NULL after an error. */
static NsNode *find_entry(Copier *copier, const char *path, NsPlace place, const NsKey **section)
{
  const size_t size   = strcspn(path, ".");
  const char  *name   = NsArenaCopy(copier->arena, path, size), *words[1000];
  NsNode      *within = NsTreeChild(copier->root, name), *entry = path[size] ? NsTreeChild(within, path + size + 1) : NULL;
  int          count = 0;

  for (*section = copier->top->keys; (*section)->name && strcmp((*section)->name, name); (*section)++) continue;
  if ((*section)->kind != NS_KEY_NAMED && (*section)->kind != NS_KEY_NAMED_VARIANTS) (*section) = NULL;
  if (*section && (!strcmp(name, "copies") || !strcmp(name, "materials") || !strcmp(name, "sections"))) *section = NULL;
  if (!*section || !path[size]) {
    NsDiagError(copier->diag, place, "expected a section and a name in it, such as bodies.ball, got '" NS_CLIP "'", NsClip(path));
    return NULL;
  }
  if (entry && entry->kind == NS_NODE_MAP) return entry;
  for (const NsNode *child = within && within->kind == NS_NODE_MAP ? within->first : NULL; child && count < 999; child = child->next)
    words[count++] = child->key;
  words[count] = NULL;
  NsDiagError(copier->diag, entry ? entry->place : place,
    entry ? "expected a mapping, as '" NS_CLIP "' is copied%s" : "there is no '" NS_CLIP "' to copy%s", NsClip(path),
    entry ? "" : NsDidYouMean(NsNearestWord(path + size + 1, words)));
  return NULL;
}

static void copy_entry(Copier *copier, NsNode *entry, const NsKey *section, const Settings *settings, int count)
{
  NsNode *within = entry->parent, *existing, **at, *before = within->first;
  NsNode *first = NULL, **end = &first;
  int     number = copier->count;

  copier->names[number]   = entry->key;
  copier->copies[number]  = count;
  copier->section[number] = entry->parent->key;
  for (int n = 0; n < count; n++) {
    NsNode *copy                = make_copy(copier, entry, section, settings, n);
    copier->all[copier->made++] = copy->key;
    for (at = &before; *at && strcmp((*at)->key, copy->key);) at = &(*at)->next;
    existing = *at;
    if (existing && existing->kind == NS_NODE_MAP) { /* what is written under the copy's own name takes precedence */
      *at = existing->next;
      within->count--;
      (void)NsTreeFill(existing, copy, true, copier->arena);
      copy = existing;
    }
    copy->next = NULL;
    *end       = copy;
    end        = &copy->next;
  }
  copier->count++;
  for (at = &before; *at != entry;) at = &(*at)->next;
  *end          = entry->next;
  *at           = first;
  within->first = before;
  within->count += count - 1;
}

static int count_of(Copier *copier, const Settings *settings)
{
  double count = settings->row ? (double)settings->row->count : settings->ring ? (double)settings->ring->count : 1;

  for (int d = 0; settings->grid && d < settings->grid->count.rows; d++) {
    const double value = settings->grid->count.values[d];
    if (value != floor(value))
      NsDiagError(copier->diag, NsKeysNumberPlace(settings->grid->where, "count", d, 0), "expected a whole number, got %g", value);
    count *= value;
  }
  if (settings->grid && settings->grid->count.rows != settings->grid->shift.rows)
    NsDiagError(copier->diag, NsKeysPlace(settings->grid->where, "shift"), "expected as many shifts as numbers in `count`, %d, got %d",
      settings->grid->count.rows, settings->grid->shift.rows);
  if (settings->ring && !(settings->ring->axis[0] * settings->ring->axis[0] + settings->ring->axis[1] * settings->ring->axis[1] +
                            settings->ring->axis[2] * settings->ring->axis[2] >
                          0))
    NsDiagError(copier->diag, NsKeysPlace(settings->ring->where, "axis"), "the axis of a ring must not be zero");
  if (count > MOST) NsDiagError(copier->diag, settings->where->key_place, "%g copies; the most are %d", count, MOST);
  return count > MOST ? MOST : (int)count;
}

static void expand_one(Copier *copier, const NsNode *node)
{
  const int    errors = NsDiagErrors(copier->diag);
  const NsKey *section;
  Settings     settings;

  if (!NsKeysRead(&NsTable_Copies, node, &settings, copier->arena, copier->diag)) return;
  const int count = count_of(copier, &settings);
  for (int k = 0; k < settings.of.count && NsDiagErrors(copier->diag) == errors; k++) {
    NsNode *entry = find_entry(copier, settings.of.items[k], settings.of.where[k]->place, &section);
    if (!entry) return;
    copier->values += (count - 1) * values_of(entry);
    if (copier->values > NS_TREE_MAX_NODES || copier->made + count > NS_TREE_MAX_NODES) {
      NsDiagError(copier->diag, settings.of.where[k]->place, "these copies lead to more than %d values", NS_TREE_MAX_NODES);
      return;
    }
    copy_entry(copier, entry, section, &settings, count);
  }
}

/* ---- ball_* --------------------------------------------------------------------------------------------------------------------------------- */

/*
  Which names a word such as "ball_*.left", or "supports.guide_*", stands for, those of bodies if several sections have such copies: their number in `all`; 0: none. *head: what stands before
  the name, so many characters; *rest: ".left".
*/
static int stands_for(const Copier *copier, const char *text, int *first, int *head, const char **rest)
{
  const char  *star = strstr(text, "_*"), *dot = strchr(text, '.');
  const size_t prefix = star && dot && dot < star ? (size_t)(dot + 1 - text) : 0, size = star ? (size_t)(star - text) - prefix : 0;
  int          at = 0, count = 0;

  *first = 0;
  *head  = (int)prefix;
  if (!star || (star[2] && star[2] != '.' && star[2] != '@')) return 0;
  *rest = star + 2;
  for (int i = 0; i < copier->count; at += copier->copies[i++]) {
    const char *section = copier->section[i];
    const bool  body    = !strcmp(section, "bodies");
    if (strlen(copier->names[i]) != size || strncmp(copier->names[i], text + prefix, size) != 0) continue;
    if (prefix && (strlen(section) != prefix - 1 || strncmp(section, text, prefix - 1) != 0)) continue;
    if (count && !body) continue;
    count  = copier->copies[i];
    *first = at;
    if (body) break;
  }
  return count;
}

static void replace_stars(Copier *copier, NsNode *node)
{
  for (NsNode **at = &node->first; *at;) {
    NsNode     *child = *at, *list = child, **end;
    const char *rest;
    int         first, head, count = child->kind == NS_NODE_SCALAR ? stands_for(copier, child->text, &first, &head, &rest) : 0;
    const bool  splices = node->kind == NS_NODE_LIST && !(node->key && !strcmp(node->key, "between"));

    if (!count) {
      replace_stars(copier, child);
      at = &child->next;
      continue;
    }
    copier->values += count;
    if (copier->values > NS_TREE_MAX_NODES) {
      NsDiagError(copier->diag, child->place, "these names lead to more than %d values", NS_TREE_MAX_NODES);
      return;
    }
    if (splices) {
      list = node;
      end  = at;
    } else {
      child->kind  = NS_NODE_LIST;
      child->count = 1;
      end          = &child->first;
    }
    NsNode *after = splices ? child->next : NULL;
    for (int i = 0; i < count; i++) {
      NsNode *item = *end = NsArenaAlloc(copier->arena, sizeof(*item));
      *item               = (NsNode){.place = child->place,
                      .key_place            = child->place,
                      .text                 = NsArenaPrint(copier->arena, "%.*s%s%s", head, child->text, copier->all[first + i], rest),
                      .parent               = list};
      end                 = &item->next;
    }
    *end = after;
    list->count += count - 1;
    if (splices)
      at = end;
    else
      at = &child->next;
  }
}

bool NsTreeExpand(NsNode *root, const NsTable *top, NsTreeSubstituteCopy substitute, void *context, NsArena *arena, NsDiag *diag)
{
  Copier    copier = {.root = root, .top = top, .substitute = substitute, .context = context, .arena = arena, .diag = diag};
  NsNode  **at     = &root->first, *copies;
  const int errors = NsDiagErrors(diag);
  int       most   = 0;

  while (*at && strcmp((*at)->key, "copies")) at = &(*at)->next;
  if (!*at) return true;
  copies = *at;
  if (copies->kind != NS_NODE_MAP) {
    NsDiagError(
      diag, copies->place, "expected a mapping from names to mappings, such as {balls: {of: bodies.ball, row: {count: 20, shift: [50 mm, 0, 0]}}}");
    return false;
  }
  *at = copies->next;
  root->count--;
  for (const NsNode *child = copies->first; child; child = child->next) {
    const NsNode *of = NsTreeChild(child, "of");
    most += of && of->kind == NS_NODE_LIST ? of->count : 1;
  }
  copier.names   = NsArenaAlloc(arena, ((size_t)most + 1) * sizeof(*copier.names));
  copier.copies  = NsArenaAlloc(arena, ((size_t)most + 1) * sizeof(*copier.copies));
  copier.section = NsArenaAlloc(arena, ((size_t)most + 1) * sizeof(*copier.section));
  copier.all     = NsArenaAlloc(arena, (NS_TREE_MAX_NODES + 1) * sizeof(*copier.all));
  copier.values  = values_of(root);
  for (const NsNode *child = copies->first; child; child = child->next) expand_one(&copier, child);
  if (NsDiagErrors(diag) == errors) replace_stars(&copier, root);
  return NsDiagErrors(diag) == errors;
}

/* A body that was copied is gone: there are ball_1, or brick_1_1, in its place. */
const char *NsDidYouMeanBody(const char *word, const char *const *bodies)
{
  static _Thread_local char text[512];
  const size_t              size = strlen(word);
  const char               *tail = strrchr(word, '_');

  if (tail && !tail[1 + strspn(tail + 1, "0123456789")]) return NsDidYouMean(NsNearestWord(word, bodies)); /* the name of a copy */
  for (const char *const *body = bodies; size < 64 && *body; body++) {
    if (strncmp(*body, word, size) != 0) continue;
    const char *rest = *body + size;
    const int   row = !strcmp(rest, "_1"), grid = !strcmp(rest, "_1_1");
    if (!row && !grid && strcmp(rest, "_1_1_1") != 0) continue;
    (void)snprintf(text, sizeof(text), "; did you mean '%s'? If '%s' is copied, write %s_$i%s in entries that are copied with it, and %s_* for all",
      *body, word, word,
      row    ? ""
      : grid ? "_$j"
             : "_$j_$k",
      word);
    return text;
  }
  return NsDidYouMean(NsNearestWord(word, bodies));
}
