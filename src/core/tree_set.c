/*
  --set, and looking things up by their path.
*/
#include "core/text.h"
#include "core/tree_internal.h"
#include <string.h>

NsNode *NsTreeChild(const NsNode *node, const char *key)
{
  if (!node || node->kind != NS_NODE_MAP) return NULL;
  for (NsNode *child = node->first; child; child = child->next) {
    if (!strcmp(child->key, key)) return child;
  }
  return NULL;
}

/* Counted from the end, so that it is also the number of a copy of an item (see `shorthand` in keys.h). */
static int index_in_list(const NsNode *item)
{
  int after = 0;

  for (const NsNode *node = item->next; node; node = node->next) ++after;
  return item->parent->count - 1 - after;
}

const char *NsTreePath(const NsNode *node, NsArena *arena)
{
  const NsNode *line[NS_TREE_MAX_DEPTH + 2];
  int           depth = 0;
  const char   *path  = "";

  for (; node && node->parent && depth < NS_TREE_MAX_DEPTH + 2; node = node->parent) line[depth++] = node;
  while (depth-- > 0) {
    const char *dot = *path ? "." : "";

    if (line[depth]->key)
      path = NsArenaPrint(arena, "%s%s%s", path, dot, line[depth]->key);
    else
      path = NsArenaPrint(arena, "%s%s%d", path, dot, index_in_list(line[depth]));
  }
  return path;
}

NsPlace NsTreePart(const NsNode *node, int column, int length)
{
  NsPlace   place = node->place;
  const int count = NsTextCount(node->text, strlen(node->text)), quote = node->quoted ? 1 : 0;

  if (!place.source || place.length != count + 2 * quote) return place;
  place.column += quote + NsTextCount(node->text, (size_t)column);
  place.length = NsTextCount(node->text + column, (size_t)length);
  return place;
}

static bool fail(NsDiag *diag, const NsSource *source, const char *from, size_t size, const char *message, const char *detail)
{
  const NsPlace place = {source, 1, NsTextCount(source->text, (size_t)(from - source->text)) + 1, size ? NsTextCount(from, size) : 1};

  NsDiagError(diag, place, message, detail);
  return false;
}

/* A number below count, or -1. */
static int list_index(const char *word, int count)
{
  int index = 0;

  if (!*word) return -1;
  for (; *word; ++word) {
    if (*word < '0' || *word > '9') return -1;
    index = 10 * index + (*word - '0');
    if (index >= count) return -1;
  }
  return index;
}

/* "ball_3" beside "ball", in a config with copies: what is set there takes precedence over that of the copy. */
static bool is_copy(const NsNode *node, const char *word)
{
  const NsNode *root = node;

  while (root->parent) root = root->parent;
  if (!NsTreeChild(root, "copies")) return false;
  for (const NsNode *child = node->first; child; child = child->next) {
    const size_t size = strlen(child->key);
    if (!strncmp(word, child->key, size) && word[size] == '_' && strspn(word + size, "_0123456789") == strlen(word + size)) return true;
  }
  return false;
}

/* A missing mapping on the path, if there is one with nearly the same name, is treated as a misspelling and not created. */
static bool is_slip(const NsNode *node, const char *word, NsPlace place, NsArena *arena, NsDiag *diag)
{
  const char **words = NsArenaAlloc(arena, ((size_t)node->count + 1) * sizeof(*words)), *nearest;
  int          count = 0;

  for (const NsNode *child = node->first; child; child = child->next) words[count++] = child->key;
  nearest = NsNearestWord(word, words);
  if (!nearest || is_copy(node, word)) return false;
  NsDiagError(diag, place, "there is no '" NS_CLIP "'%s%s%s", NsClip(word), *NsTreePath(node, arena) ? " in " : "", NsTreePath(node, arena),
    NsDidYouMean(nearest));
  return true;
}

/* The child of this name, made if it is missing; NULL after an error. `last`: the key that is set, not a mapping on the way. */
static NsNode *step_into(NsNode *node, const char *word, NsPlace place, bool last, NsArena *arena, NsDiag *diag)
{
  NsNode *child, **end;

  if (node->kind == NS_NODE_LIST) {
    const int index = list_index(word, node->count);

    if (index < 0) {
      NsDiagError(diag, place, "no item '" NS_CLIP "' in %s, a list of %d item%s", NsClip(word), NsTreePath(node, arena), node->count,
        node->count == 1 ? "" : "s");
      if (node->count) NsDiagNote(diag, "items are numbered from 0 to %d", node->count - 1);
      return NULL;
    }
    child = node->first;
    for (int i = 0; i < index; ++i) child = child->next;
    return child;
  }
  if (node->kind == NS_NODE_SCALAR) {
    if (node->quoted || *node->text) {
      NsDiagError(diag, place, "%s is '" NS_CLIP "', not a mapping", NsTreePath(node, arena), NsClip(node->text));
      return NULL;
    }
    node->kind = NS_NODE_MAP; /* `scheme:` without a value */
  }
  for (end = &node->first; *end; end = &(*end)->next) {
    if (!strcmp((*end)->key, word)) return *end;
  }
  if (!last && is_slip(node, word, place, arena, diag)) return NULL;
  child            = NsArenaAlloc(arena, sizeof(*child));
  child->key       = word;
  child->key_place = child->place = place;
  child->text                     = "";
  child->parent                   = node;
  *end                            = child;
  ++node->count;
  return child;
}

void NsTreeCopy(NsNode *node, const NsNode *value, NsArena *arena)
{
  NsNode **end = &node->first;

  node->kind   = value->kind;
  node->text   = value->text;
  node->quoted = value->quoted;
  node->count  = value->count;
  node->first  = NULL;
  for (const NsNode *child = value->first; child; child = child->next) {
    NsNode *copy = *end = NsArenaAlloc(arena, sizeof(*copy));

    copy->key       = child->key;
    copy->key_place = child->key_place;
    copy->place     = child->place;
    copy->parent    = node;
    NsTreeCopy(copy, child, arena);
    end = &copy->next;
  }
}

bool NsTreeGraft(NsNode *root, const char *path, NsPlace place, const NsNode *value, NsArena *arena, NsDiag *diag)
{
  const char *from = path;
  NsNode     *node = root;

  for (int depth = 1;; ++depth) {
    const size_t  size = strcspn(from, ".");
    const NsPlace word = {place.source, place.line, place.column + NsTextCount(path, (size_t)(from - path)), size ? NsTextCount(from, size) : 1};

    if (!size || size > NS_TREE_MAX_KEY || depth >= NS_TREE_MAX_DEPTH) {
      NsDiagError(diag, word, "%s", !size ? "empty key" : size > NS_TREE_MAX_KEY ? "a key of more than 200 bytes" : "nested deeper than 64 levels");
      return false;
    }
    node = step_into(node, NsArenaCopy(arena, from, size), word, !from[size], arena, diag);
    if (!node) return false;
    node->key_place = from[size] ? node->key_place : word;
    if (!from[size]) break;
    from += size + 1;
  }
  node->place = value->place;
  NsTreeCopy(node, value, arena);
  return true;
}

/* "between.1" of "between[1]". */
static const char *dotted(const NsSource *source, const char *equal, NsArena *arena)
{
  char *text = NsArenaCopy(arena, source->text, (size_t)(equal - source->text)), *to = text;

  for (const char *from = text; *from; from++) {
    if (*from != ']') *to++ = (char)(*from == '[' ? '.' : *from);
  }
  *to = 0;
  return text;
}

bool NsTreeSet(NsNode *root, const char *assignment, NsArena *arena, NsDiag *diag)
{
  NsSource   *source = NsArenaAlloc(arena, sizeof(*source));
  const char *equal;
  NsNode     *value;
  int         depth = 0;

  source->name = "--set";
  source->size = strlen(assignment);
  source->text = NsArenaCopy(arena, assignment, source->size);
  if (!NsTreeCheckText(source, NS_TREE_MAX_BYTES, diag)) return false;
  equal = strchr(source->text, '=');
  if (!equal) return fail(diag, source, source->text, source->size, "expected KEY=VALUE%s", "");
  /* The whole path is checked before the tree is changed. */
  for (const char *p = source->text;; ++p) {
    const size_t size = strcspn(p, ".=");

    if (!size) return fail(diag, source, p, 0, "empty key%s", "");
    if (memchr(p, '[', size))
      return fail(diag, source, p, size, "items of a list are numbered behind a dot, from 0: %s", dotted(source, equal, arena));
    if (size > NS_TREE_MAX_KEY) return fail(diag, source, p, size, "a key of more than 200 bytes%s", "");
    if (++depth >= NS_TREE_MAX_DEPTH) return fail(diag, source, p, size, "nested deeper than 64 levels%s", "");
    p += size;
    if (*p == '=') break;
  }
  value = NsTreeBuild(source, (size_t)(equal + 1 - source->text), depth, arena, diag);
  if (!value) return false;
  return NsTreeGraft(root, NsArenaCopy(arena, source->text, (size_t)(equal - source->text)), (NsPlace){source, 1, 1, 0}, value, arena, diag);
}
