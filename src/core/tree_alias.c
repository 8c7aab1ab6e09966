#include "core/tree_alias.h"
#include "core/text.h"
#include <string.h>

struct NsAnchor {
  const char *name;
  NsNode     *node;
  NsAnchor   *next;
};

enum { MOST_WORDS = 1000 /* that are looked at for the nearest */, MOST_PAIRS = 10000000 };

const char NsMergeKey[] = "<<";

void NsAnchorAdd(NsAnchor **list, const char *name, NsNode *node, NsArena *arena)
{
  NsAnchor *anchor = NsArenaAlloc(arena, sizeof(*anchor));

  *anchor = (NsAnchor){NsArenaCopy(arena, name, strlen(name)), node, *list};
  *list   = anchor;
}

/* Number of values, as far as `most`; *depth: its levels. */
static int measure(const NsNode *node, int most, int *depth)
{
  int count = 1, deepest = 0, inner;

  for (const NsNode *child = node->first; child && count <= most; child = child->next) {
    count += measure(child, most - count, &inner);
    deepest = inner > deepest ? inner : deepest;
  }
  *depth = deepest + 1;
  return count;
}

static bool is_within(const NsNode *node, const NsNode *outer)
{
  while (node && node != outer) node = node->parent;
  return node != NULL;
}

static void report_unknown(const NsAnchor *list, const char *name, NsPlace place, NsDiag *diag)
{
  const char *names[MOST_WORDS + 1];
  int         count = 0;

  for (const NsAnchor *anchor = list; anchor && count < MOST_WORDS; anchor = anchor->next) names[count++] = anchor->name;
  names[count] = NULL;
  NsDiagError(diag, place, "there is no anchor '&" NS_CLIP "' before this alias%s", NsClip(name), NsDidYouMean(NsNearestWord(name, names)));
}

int NsAliasCopy(const NsAnchor *list, const char *name, NsNode *node, int most, int depth, NsArena *arena, NsDiag *diag)
{
  const NsAnchor *anchor = list;
  int             levels, count;

  while (anchor && strcmp(anchor->name, name)) anchor = anchor->next;
  if (!anchor) {
    report_unknown(list, name, node->place, diag);
    return -1;
  }
  if (is_within(node, anchor->node)) {
    NsDiagError(diag, node->place, "alias '*" NS_CLIP "' is inside the value of its own anchor", NsClip(name));
    return -1;
  }
  count = measure(anchor->node, most, &levels);
  if (count > most || levels > depth) {
    NsDiagError(diag, node->place, count > most ? "this copy leads to more than %d values" : "this copy leads to more than %d levels",
      count > most ? NS_TREE_MAX_NODES : NS_TREE_MAX_DEPTH);
    return -2;
  }
  NsTreeCopy(node, anchor->node, arena);
  return count;
}

/* Costs the product of both numbers of keys. */
int NsTreeFill(NsNode *map, const NsNode *other, bool deep, NsArena *arena)
{
  NsNode **end   = &map->first;
  int      count = 0, depth;

  if ((int64_t)map->count * other->count > MOST_PAIRS) return -1;
  while (*end) end = &(*end)->next;
  for (const NsNode *child = other->first; child; child = child->next) {
    NsNode *own = NsTreeChild(map, child->key);

    if (own && deep && own->kind == NS_NODE_MAP && child->kind == NS_NODE_MAP) {
      const int more = NsTreeFill(own, child, deep, arena);
      if (more < 0) return -1;
      count += more;
    }
    if (own) continue;
    own            = NsArenaAlloc(arena, sizeof(*own));
    own->key       = child->key;
    own->key_place = child->key_place;
    own->place     = child->place;
    own->parent    = map;
    NsTreeCopy(own, child, arena);
    *end = own;
    end  = &own->next;
    map->count++;
    count += measure(own, NS_TREE_MAX_NODES, &depth);
  }
  return count;
}

int NsTreeMerge(NsNode *map, int most, NsArena *arena, NsDiag *diag)
{
  NsNode **at    = &map->first, *from;
  int      count = 0;

  while (*at && (*at)->key != NsMergeKey) at = &(*at)->next;
  if (!*at) return 0;
  from = *at;
  *at  = from->next;
  map->count--;
  for (const NsNode *item = from->kind == NS_NODE_LIST ? from->first : from; item; item = from->kind == NS_NODE_LIST ? item->next : NULL) {
    int depth;

    if (item->kind != NS_NODE_MAP) {
      NsDiagError(diag, item->place, "a merge key takes a mapping or a list of mappings, such as <<: *base");
      return -1;
    }
    const int more = measure(item, most - count, &depth) > most - count ? -1 : NsTreeFill(map, item, false, arena);
    if (more < 0) {
      NsDiagError(diag, item->place, "this copy leads to more than %d values, or to too many merged keys", NS_TREE_MAX_NODES);
      return -1;
    }
    count += more;
  }
  return count;
}
