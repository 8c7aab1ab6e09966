/* Entries of the config shifted and rotated: see tree_pose.h. */
#include <math.h>
#include <string.h>
#include "core/decimal.h"
#include "core/keys_internal.h"
#include "core/text.h"
#include "core/tree_internal.h"
#include "core/tree_pose.h"

/* Row by row: R = cos a I + sin a [e]x + (1 - cos a) e e'. */
void NsPoseRotate(NsPose *pose)
{
  const double *e = pose->axis, c = cos(pose->angle), s = sin(pose->angle);

  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) pose->R[3 * i + j] = (i == j ? c : 0) + (1 - c) * e[i] * e[j];
    pose->R[3 * i + (i + 1) % 3] -= s * e[(i + 2) % 3];
    pose->R[3 * i + (i + 2) % 3] += s * e[(i + 1) % 3];
  }
}

/* To 15 digits, so that three times 0.2 is 0.6, as one would write it. */
static const char *number_text(NsArena *arena, double value, NsDimension dimension)
{
  const double digits = value == 0 ? 0 : pow(10, 14 - floor(log10(fabs(value)))), rounded = rint(value * digits) / digits;
  const char  *unit = NsDimensionUnit(dimension);
  char         number[NS_DECIMAL_SIZE];
  const int    size = NsDecimal(value == 0 ? 0 : isfinite(rounded) ? rounded : value, number);

  return NsArenaPrint(arena, "%.*s%s%s", size, number, *unit ? " " : "", unit);
}

/* False: no three numbers; the reader of keys reports it. */
static bool read_vector(const NsNode *node, NsDimension dimension, double x[3])
{
  const NsNode *item = node->first;
  char          message[256];
  int           column, length;

  if (node->kind != NS_NODE_LIST || node->count != 3) return false;
  for (int k = 0; k < 3; k++, item = item->next) {
    if (item->kind != NS_NODE_SCALAR || !NsParseQuantity(item->text, dimension, &x[k], message, sizeof(message), &column, &length)) return false;
  }
  return true;
}

static void move_vector(NsPose *pose, const NsKey *key, NsNode *node)
{
  const bool point = key->space != NS_SPACE_DIRECTION;
  double     x[3], y[3], scale = 0;
  NsNode    *item = node->first;

  if (!read_vector(node, key->dimension, x)) return;
  pose->points += point;
  for (int k = 0; k < 3; k++) scale += fabs(x[k]) + (point ? fabs(pose->center[k]) + fabs(pose->shift[k]) : 0);
  for (int k = 0; k < 3; k++) {
    y[k] = pose->rotates ? 0 : x[k];
    for (int j = 0; j < 3 && pose->rotates; j++) y[k] += pose->R[3 * k + j] * (x[j] - (point ? pose->center[j] : 0));
    if (point) y[k] += pose->shift[k] + (pose->rotates ? pose->center[k] : 0);
  }
  for (int k = 0; k < 3; k++, item = item->next) {
    if (fabs(y[k]) < 1e-15 * scale) y[k] = 0; /* the cosine of a right angle */
    if (y[k] != x[k]) item->text = number_text(pose->arena, y[k], key->dimension), item->quoted = false;
  }
}

static NsNode *child_of(NsArena *arena, NsNode *parent, const char *key, NsNodeKind kind, const char *text)
{
  NsNode *node = NsArenaAlloc(arena, sizeof(*node)), **end = &parent->first;

  *node = (NsNode){.kind = kind, .place = parent->place, .key_place = parent->key_place, .key = key, .text = text, .parent = parent};
  while (*end) end = &(*end)->next;
  *end = node;
  parent->count++;
  return node;
}

/* {axis, angle} after the ring's rotation, by quaternions: q = q_ring q_own. */
static void turn(const NsPose *pose, NsNode *entry, const char *key)
{
  NsNode *node = NsTreeChild(entry, key), *axis = NsTreeChild(node, "axis"), *angle = NsTreeChild(node, "angle");
  double  e[3] = {0, 0, 1}, a = 0, length;
  char    message[256];
  int     column, size;

  if (!pose->rotates || (!node && pose->points > 1)) return; /* placed by two points, which orient it */
  if (node && (node->kind != NS_NODE_MAP || !angle || angle->kind != NS_NODE_SCALAR || (axis && !read_vector(axis, NS_DIM_NONE, e)))) return;
  if (angle && !NsParseQuantity(angle->text, NS_DIM_ANGLE, &a, message, sizeof(message), &column, &size)) return;
  length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  if (!(length > 0)) return;
  const double *r = pose->axis, c1 = cos(pose->angle / 2), s1 = sin(pose->angle / 2), c2 = cos(a / 2), s2 = sin(a / 2) / length;
  const double  w = c1 * c2 - s1 * s2 * (r[0] * e[0] + r[1] * e[1] + r[2] * e[2]);
  double        v[3], sine = 0;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    v[k] = s1 * c2 * r[k] + c1 * s2 * e[k] + s1 * s2 * (r[i] * e[j] - r[j] * e[i]);
    sine += v[k] * v[k];
  }
  sine = sqrt(sine);
  if (!node) node = child_of(pose->arena, entry, key, NS_NODE_MAP, NULL);
  node->first = NULL;
  node->count = 0;
  axis        = child_of(pose->arena, node, "axis", NS_NODE_LIST, NULL);
  for (int k = 0; k < 3; k++)
    (void)child_of(pose->arena, axis, NULL, NS_NODE_SCALAR, number_text(pose->arena, sine > 0 ? v[k] / sine : r[k], NS_DIM_NONE));
  (void)child_of(pose->arena, node, "angle", NS_NODE_SCALAR, number_text(pose->arena, 2 * atan2(sine, w), NS_DIM_ANGLE));
}

/* A single number, the same ones, or words that name no axis. */
static bool is_isotropic(const NsNode *node)
{
  for (const NsNode *item = node->first; item && node->count != 36; item = item->next) {
    if (item->kind != NS_NODE_SCALAR || strcmp(item->text, node->first->text)) return false;
  }
  if (node->count == 36) return false;
  const char *text = node->kind == NS_NODE_SCALAR ? node->text : node->first ? node->first->text : "";
  return (*text >= '0' && *text <= '9') || !strpbrk(text, "xyz");
}

/* Directions of a table that are not in the mapping have their defaults, which turn like any other: [1, 0, 0]. Zero stands for none. */
static void write_directions(NsArena *arena, const NsTable *table, NsNode *map)
{
  for (const NsKey *key = table ? table->keys : NULL; key && key->name && map->kind == NS_NODE_MAP; key++) {
    if (key->space != NS_SPACE_DIRECTION || !key->default_value || !key->default_value[strspn(key->default_value, "[0, ]")]) continue;
    if (NsTreeChild(map, key->name)) continue;
    NsNode     *list = child_of(arena, map, key->name, NS_NODE_LIST, NULL);
    const char *at   = key->default_value + strspn(key->default_value, "[, ");
    for (; *at; at += strspn(at, ", ]")) {
      const size_t length = strcspn(at, ", ]");
      (void)child_of(arena, list, NULL, NS_NODE_SCALAR, NsArenaCopy(arena, at, length));
      at += length;
    }
  }
}

/* Moves the value of a key; true: what is within may have to be moved. */
static bool move_key(void *context, const NsKey *key, NsNode *node)
{
  NsPose *pose = context;

  switch (key->space) {
  case NS_SPACE_NONE:
    if (pose->rotates && (key->kind == NS_KEY_TABLE || key->kind == NS_KEY_VARIANT)) write_directions(pose->arena, NsKeysTableOf(key, node), node);
    return true;
  case NS_SPACE_POINT:
  case NS_SPACE_DIRECTION: move_vector(pose, key, node); break;
  case NS_SPACE_TURN: break;
  case NS_SPACE_CORNER:
    if (pose->rotates) NsDiagError(pose->diag, node->key_place, "`%s` cannot be rotated, so this entry cannot be copied in a ring", key->name);
    if (!pose->rotates) move_vector(pose, key, node);
    break;
  case NS_SPACE_AXES:
    if (pose->rotates && !is_isotropic(node))
      NsDiagError(pose->diag, node->key_place, "`%s` refers to the axes x, y, z and cannot be rotated, as in a ring", key->name);
    break;
  case NS_SPACE_FIXED:
    NsDiagError(pose->diag, node->key_place, "`%s` can be neither shifted nor rotated", key->name);
    NsDiagNote(pose->diag, "copies with a row of count alone stay where they are");
    break;
  }
  return false;
}

void NsPoseMove(NsPose *pose, const NsTable *table, NsNode *entry)
{
  if (!pose->shifts && !pose->rotates) return;
  NsKeysVisit(table, entry, move_key, pose);
  for (const NsKey *key = table ? table->keys : NULL; key && key->name; key++) {
    if (key->space == NS_SPACE_TURN) turn(pose, entry, key->name);
  }
}
