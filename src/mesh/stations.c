/*
  A straight shaft by its pieces, as on a drawing: lengths, outer diameters, bores.

  Nodes are at the ends of the pieces, at named nodes, and at the points of the body that the config names ("shaft@180 mm" in discs, bearings, contacts and so on; not those that are only recorded),
  unless another node is nearer than a tenth of the longest element. Between two such nodes all elements have the same length, at most `longest`. The diameters become sections in src/fe/bodies/line_body.c.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "mesh_private.h"

static const NsKey piece_keys[] = {{"length", NS_KEY_NUMBER, offsetof(NsShaftPiece, length), .dimension = {1, 0, 0, 0}, .required = true,
                                     .minimum = "0 <", .help = "length of this piece", .example = "120 mm"},
  {"diameter", NS_KEY_NUMBERS, offsetof(NsShaftPiece, diameter), .columns = 1, .columns_dimension = {{1, 0, 0, 0}}, .least = 1, .most = 2,
    .required = true, .help = "outer diameter; two numbers: at the start and at the end of a cone", .example = "[40 mm, 60 mm]"},
  {"bore", NS_KEY_NUMBERS, offsetof(NsShaftPiece, bore), .columns = 1, .columns_dimension = {{1, 0, 0, 0}}, .least = 1, .most = 2,
    .help = "inner diameter; two numbers: at the start and at the end", .example = "10 mm"},
  {.name = NULL}};

double NsShaftDiameter(const NsNumbers *diameter, int end)
{
  return diameter->rows ? diameter->values[end && diameter->rows == 2] : 0;
}

static void check_piece(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsShaftPiece *piece = settings;

  (void)arena;
  for (int i = 0; i < 2; i++) {
    const double outer = NsShaftDiameter(&piece->diameter, i), inner = NsShaftDiameter(&piece->bore, i);
    if (outer > 0 && inner >= 0 && inner < outer) continue;
    if (!(outer > 0))
      NsDiagError(diag, NsKeysPlace(piece->where, "diameter"), "a diameter must be above 0, but is %g m", outer);
    else if (inner < 0)
      NsDiagError(diag, NsKeysPlace(piece->where, "bore"), "a bore must not be negative, but is %g m", inner);
    else
      NsDiagError(diag, NsKeysPlace(piece->where, "bore"), "the bore, %g m, must be smaller than the diameter, %g m", inner, outer);
    return;
  }
}
static const NsTable piece_table = {.name = "station",
  .help                                   = "a piece of a shaft",
  .keys                                   = piece_keys,
  .size                                   = sizeof(NsShaftPiece),
  .check                                  = check_piece};

static const NsKey keys[] = {{"list", NS_KEY_LIST, offsetof(NsStationsSettings, list), .table = &piece_table, .required = true, .least = 1,
                               .help    = "the pieces of the shaft from its start on; a list alone means the same",
                               .example = "[{length: 100 mm, diameter: 40 mm}, {length: 0.2 m, diameter: 60 mm}]"},
  {"from", NS_KEY_VECTOR, offsetof(NsStationsSettings, from), .space = NS_SPACE_POINT, .dimension = {1, 0, 0, 0}, .default_value = "[0, 0, 0]",
    .help = "where the shaft starts; its node is the node set `left`", .example = "[0, 0, 0.5 m]"},
  {"direction", NS_KEY_VECTOR, offsetof(NsStationsSettings, direction), .space = NS_SPACE_DIRECTION, .default_value = "[1, 0, 0]",
    .help = "direction in which it goes on; any length", .example = "[0, 0, 1]"},
  {"longest", NS_KEY_NUMBER, offsetof(NsStationsSettings, longest), .dimension = {1, 0, 0, 0}, .minimum = "0 <",
    .help = "largest length of an element; default: a twelfth of the shaft", .example = "50 mm"},
  {.name = NULL}};

static double length_of(const NsStationsSettings *stations)
{
  const NsShaftPiece *piece  = stations->list.items;
  double              length = 0;

  for (int i = 0; i < stations->list.count; i++) length += piece[i].length;
  return length;
}

static double longest_of(const NsStationsSettings *stations)
{
  return NsTreeChild(stations->where, "longest") ? stations->longest : length_of(stations) / 12;
}

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsStationsSettings *stations = settings;

  (void)arena;
  if (stations->direction[0] == 0 && stations->direction[1] == 0 && stations->direction[2] == 0)
    NsDiagError(diag, NsKeysPlace(stations->where, "direction"), "the direction must not be zero");
  if (!(length_of(stations) / longest_of(stations) + stations->list.count < 1e6))
    NsDiagError(diag, NsKeysPlace(stations->where, "longest"), "a shaft of %g m has more than a million elements of at most %g m",
      length_of(stations), longest_of(stations));
}

const NsTable NsTable_Stations = {.name = "stations",
  .help                                 = "a straight shaft defined by the lengths and diameters of its pieces",
  .keys                                 = keys,
  .size                                 = sizeof(NsStationsSettings),
  .shorthand                            = "list",
  .check                                = check};

/* ---- borders of elements --------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  double     *at; /* m; sorted by `sort` */
  int         count, room;
  double      length, apart; /* points nearer than `apart` to another one are left out */
  const char *body;
  NsArena    *arena;
} Borders;

/* Room for one more. */
static void add(Borders *self, double at)
{
  if (self->count == self->room) {
    double *old = self->at;
    self->room  = 2 * self->room + 16;
    self->at    = NsArenaAlloc(self->arena, sizeof(*self->at) * (size_t)self->room);
    for (int i = 0; i < self->count; i++) self->at[i] = old[i];
  }
  self->at[self->count++] = at;
}

/* A point that may be moved to a node nearby, or lie within an element. */
static void offer(Borders *self, double at)
{
  if (!(at > 0 && at < self->length)) return; /* errors are reported where it is used */
  for (int i = 0; i < self->count; i++) {
    if (fabs(self->at[i] - at) < self->apart) return;
  }
  add(self, at);
}

/* "shaft@180 mm" or "shaft@0.3" in any value below a node. */
static void offer_points(Borders *self, const NsNode *node)
{
  const size_t size = strlen(self->body);
  double       at;
  char         message[160];
  int          column, length;

  for (const NsNode *child = node->first; child; child = child->next) offer_points(self, child);
  if (node->kind != NS_NODE_SCALAR || strncmp(node->text, self->body, size) || node->text[size] != '@') return;
  const char *where = node->text + size + 1;
  if (!NsParseNumber(where, &at))
    offer(self, at * self->length);
  else if (NsParseQuantity(where, NS_DIM_LENGTH, &at, message, sizeof(message), &column, &length))
    offer(self, at);
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Ends of pieces, named nodes, then points where parts are attached. */
static void find_borders(const NsMeshSettings *settings, Borders *self)
{
  const NsShaftPiece *piece = settings->stations->list.items;
  const NsNode       *root  = settings->where;
  double              at    = 0;

  add(self, 0);
  for (int i = 0; i < settings->stations->list.count; i++) add(self, at += piece[i].length);
  self->length = at;
  for (int i = 0; i < settings->nodes.count; i++) {
    PetscBool there = PETSC_FALSE;
    for (int k = 0; k < self->count; k++) there = there || fabs(self->at[k] - settings->nodes.values[i]) < 1e-9 * self->length;
    if (!there && settings->nodes.values[i] > 0 && settings->nodes.values[i] < self->length) add(self, settings->nodes.values[i]);
  }
  self->body = settings->where->parent && settings->where->parent->key ? settings->where->parent->key : "";
  while (root->parent) root = root->parent;
  for (const NsNode *section = root->first; section && *self->body; section = section->next) {
    if (strcmp(section->key, "output") != 0 && strcmp(section->key, "bodies") != 0) offer_points(self, section);
  }
  qsort(self->at, (size_t)self->count, sizeof(*self->at), ascending);
}

PetscErrorCode NsMeshRawStations(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw)
{
  const NsStationsSettings *stations = settings->stations;
  const double             *d = stations->direction, size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), longest = longest_of(stations);
  Borders                   borders = {.apart = longest / 10, .arena = arena};
  PetscInt                  n = 0, node = 0, pieces;
  double                   *share, to[3];

  PetscFunctionBeginUser;
  find_borders(settings, &borders);
  pieces = borders.count - 1;
  for (PetscInt i = 0; i < pieces; i++) n += (PetscInt)ceil((borders.at[i + 1] - borders.at[i]) / longest * (1 - 1e-9));
  PetscCall(PetscMalloc1(n + 1, &share));
  for (PetscInt i = 0; i < pieces; i++) {
    const double   length = borders.at[i + 1] - borders.at[i];
    const PetscInt count  = (PetscInt)ceil(length / longest * (1 - 1e-9));
    for (PetscInt k = 0; k < count; k++) share[node++] = (borders.at[i] + length * (double)k / (double)count) / borders.length;
  }
  share[n] = 1;
  for (int k = 0; k < 3; k++) to[k] = stations->from[k] + borders.length * d[k] / size;
  PetscCall(NsMeshRawShares(stations->from, to, n, share, arena, raw));
  PetscCall(PetscFree(share));
  PetscFunctionReturn(0);
}
