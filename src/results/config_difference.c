#include "config_difference.h"
#include "percuss/units.h"
#include <math.h>
#include <string.h>

typedef struct {
  NsArena             *arena;
  NsConfigDifference  *first;
  NsConfigDifference **end;
} List;

/* Both as values of the same dimension; false: their dimensions differ. */
static bool both_numbers(const char *a, const char *b, double value[2])
{
  static const NsDimension dimensions[] = {NS_DIM_NONE, NS_DIM_LENGTH, NS_DIM_AREA, NS_DIM_MASS, NS_DIM_TIME, NS_DIM_RATE, NS_DIM_ANGLE,
    NS_DIM_ANGULAR_VELOCITY, NS_DIM_VELOCITY, NS_DIM_ACCELERATION, NS_DIM_FORCE, NS_DIM_STIFFNESS, NS_DIM_DASHPOT, NS_DIM_PRESSURE, NS_DIM_DENSITY};

  for (size_t i = 0; i < sizeof(dimensions) / sizeof(*dimensions); i++) {
    char message[200];
    int  column, length;

    if (NsParseQuantity(a, dimensions[i], &value[0], message, sizeof(message), &column, &length) &&
        NsParseQuantity(b, dimensions[i], &value[1], message, sizeof(message), &column, &length))
      return true;
  }
  return false;
}

static const char *flow(const NsNode *node, NsArena *arena)
{
  const char *text = "";

  if (node->kind == NS_NODE_SCALAR) return node->text;
  for (const NsNode *child = node->first; child; child = child->next)
    text = NsArenaPrint(arena, "%s%s%s%s%s", text, child->key ? child->key : "", child->key ? ": " : "", flow(child, arena), child->next ? ", " : "");
  return NsArenaPrint(arena, node->kind == NS_NODE_MAP ? "{%s}" : "[%s]", text);
}

static void add(List *list, const char *path, const NsNode *a, const NsNode *b)
{
  NsConfigDifference *difference = NsArenaAlloc(list->arena, sizeof(*difference));

  difference->path     = path;
  difference->value[0] = a ? flow(a, list->arena) : NULL;
  difference->value[1] = b ? flow(b, list->arena) : NULL;
  *list->end           = difference;
  list->end            = &difference->next;
}

static void differ(List *list, const char *path, const NsNode *a, const NsNode *b);

static const char *join(const List *list, const char *path, const char *key)
{
  return *path ? NsArenaPrint(list->arena, "%s.%s", path, key) : key;
}

static void differ_maps(List *list, const char *path, const NsNode *a, const NsNode *b)
{
  for (const NsNode *child = a->first; child; child = child->next) differ(list, join(list, path, child->key), child, NsTreeChild(b, child->key));
  for (const NsNode *child = b->first; child; child = child->next) {
    if (!NsTreeChild(a, child->key)) differ(list, join(list, path, child->key), NULL, child);
  }
}

/* Lists differ as one: their items have no names. */
static bool same_lists(const NsNode *a, const NsNode *b, NsArena *arena)
{
  const NsNode *x = a->first, *y = b->first;
  List          list = {.arena = arena};

  list.end = &list.first;
  for (; x && y; x = x->next, y = y->next) differ(&list, "", x, y);
  return !x && !y && !list.first;
}

static void differ(List *list, const char *path, const NsNode *a, const NsNode *b)
{
  double value[2];

  if (a && b && a->kind == NS_NODE_MAP && b->kind == NS_NODE_MAP) {
    differ_maps(list, path, a, b);
    return;
  }
  if (a && b && a->kind == b->kind) {
    if (a->kind == NS_NODE_LIST && same_lists(a, b, list->arena)) return;
    if (a->kind == NS_NODE_SCALAR && (!strcmp(a->text, b->text) || (both_numbers(a->text, b->text, value) && value[0] == value[1]))) return;
  }
  add(list, path, a, b);
}

const NsConfigDifference *NsConfigDiffer(const NsNode *a, const NsNode *b, NsArena *arena)
{
  List list = {.arena = arena};

  list.end = &list.first;
  differ(&list, "", a, b);
  return list.first;
}

double NsConfigRatio(const NsConfigDifference *difference)
{
  double value[2];

  if (!difference->value[0] || !difference->value[1] || !both_numbers(difference->value[0], difference->value[1], value)) return NAN;
  return value[0] > 0 && value[1] > 0 ? value[0] / value[1] : NAN;
}

bool NsConfigIsOutput(const NsConfigDifference *difference)
{
  return !strcmp(difference->path, "title") || !strcmp(difference->path, "output") || !strncmp(difference->path, "output.", 7);
}
