#include "foreign.h"
#include <string.h>

static const char *put_word(const char *words, const char *word, NsArena *arena)
{
  return NsArenaPrint(arena, "%s%s%s", words, *words ? " " : "", word);
}

/* Every text within the node. */
static const char *put_all(const char *words, const NsNode *node, NsArena *arena)
{
  if (node->kind == NS_NODE_SCALAR) return put_word(words, node->text ? node->text : "", arena);
  for (const NsNode *item = node->first; item; item = item->next) words = put_all(words, item, arena);
  return words;
}

static const char *put_values_of(const char *words, const char *key, const NsNode *node, NsArena *arena)
{
  for (const NsNode *item = node && node->kind != NS_NODE_SCALAR ? node->first : NULL; item; item = item->next)
    words = node->kind == NS_NODE_MAP && !strcmp(item->key, key) ? put_all(words, item, arena) : put_values_of(words, key, item, arena);
  return words;
}

const char *NsForeignLibraries(const NsNode *tree, NsArena *arena)
{
  return put_values_of("", "library", tree, arena);
}

const char *NsForeignIncludes(const NsNode *tree, NsArena *arena)
{
  const NsNode *include = tree && tree->kind == NS_NODE_MAP ? NsTreeChild(tree, "include") : NULL;

  return include ? put_all("", include, arena) : "";
}
