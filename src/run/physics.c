/* The part of a config that the motion depends on: a run continues with another end, other outputs and other limits, and with nothing else that differs. */
#include <string.h>
#include "physics.h"

static const char *const others[] = {"title", "limits", "orbit", "output", NULL};

static PetscBool is_among(const char *key, const char *const *words)
{
  while (*words && strcmp(key, *words) != 0) words++;
  return *words != NULL;
}

/* A copy of a mapping without these children; what is below them is shared. */
static NsNode *copy_without(const NsNode *map, const char *const *words, NsArena *arena)
{
  NsNode *copy = NsArenaAlloc(arena, sizeof(*copy)), **end = &copy->first;

  *copy = *map;
  if (map->kind != NS_NODE_MAP) return copy;
  copy->first = NULL;
  copy->count = 0;
  for (const NsNode *child = map->first; child; child = child->next) {
    if (is_among(child->key, words)) continue;
    NsNode *kept = NsArenaAlloc(arena, sizeof(*kept));
    *kept        = *child;
    kept->next   = NULL;
    *end         = kept;
    end          = &kept->next;
    copy->count++;
  }
  return copy;
}

const NsNode *NsRunPhysics(const NsNode *tree, NsArena *arena)
{
  static const char *const end[] = {"end", NULL};
  NsNode                  *root  = copy_without(tree, others, arena);

  for (NsNode **child = &root->first; *child; child = &(*child)->next) {
    NsNode *next = (*child)->next;

    if (strcmp((*child)->key, "time") != 0) continue;
    *child         = copy_without(*child, end, arena);
    (*child)->next = next;
  }
  return root;
}
