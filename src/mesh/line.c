/*
  A straight line of elements, uniform or graded geometrically.

  Element lengths are l, l q, l q^2, ..., l q^(n-1) with q = g^(1/(n-1)), where g = `grading` is the length of the last element over that of
  the first. Node k lies at the fraction

      (q^k - 1) / (q^n - 1)

  of the line. Both differences are taken by expm1, which keeps their digits when g is near 1.

  With `nodes_at`, each piece between two of these points has elements of one length, about that of the others.
*/
#include <math.h>
#include "mesh_private.h"

static const NsKey keys[] = {{"from", NS_KEY_VECTOR, offsetof(NsLineSettings, from), .space = NS_SPACE_POINT, .dimension = {1, 0, 0, 0},
                               .required = true, .help = "where the line starts; its node is the node set `left`", .example = "[0, 0, 0]"},
  {"to", NS_KEY_VECTOR, offsetof(NsLineSettings, to), .space = NS_SPACE_POINT, .dimension = {1, 0, 0, 0}, .required = true,
    .help = "where the line ends; its node is the node set `right`", .example = "[1 m, 0, 0]"},
  {"elements", NS_KEY_INTEGER, offsetof(NsLineSettings, elements), .required = true, .minimum = "1", .maximum = "100000000",
    .help = "number of two-node elements", .example = "50"},
  {"grading", NS_KEY_NUMBER, offsetof(NsLineSettings, grading), .default_value = "1", .minimum = "1e-6", .maximum = "1e6",
    .help = "length of the last element over that of the first; lengths between them grow by a constant factor", .example = "0.2"},
  {"nodes_at", NS_KEY_NUMBERS, offsetof(NsLineSettings, nodes_at), .columns = 1, .columns_dimension = {{1, 0, 0, 0}}, .least = 1,
    .help = "ascending distances from the start at which there must be nodes: ends of `parts`, discs, bearings", .example = "[180 mm, 0.4 m]"},
  {.name = NULL}};

static double length_of(const NsLineSettings *line)
{
  return hypot(hypot(line->to[0] - line->from[0], line->to[1] - line->from[1]), line->to[2] - line->from[2]);
}

static void check_nodes_at(const NsLineSettings *line, NsDiag *diag)
{
  const NsNumbers *at     = &line->nodes_at;
  const double     length = length_of(line);

  for (int i = 0; i < at->rows; i++) {
    const double before = i ? at->values[i - 1] : 0;
    if (at->values[i] > before && at->values[i] < length) continue;
    NsDiagError(diag, NsKeysNumberPlace(line->where, "nodes_at", i, 0),
      "the distances must be ascending, above 0 and below the length of the line, %g m: %g m after %g m", length, at->values[i], before);
    return;
  }
  if (at->rows && line->grading != 1) NsDiagError(diag, NsKeysPlace(line->where, "nodes_at"), "a line has `grading` or `nodes_at`, not both");
  if (line->elements < at->rows + 1)
    NsDiagError(diag, NsKeysPlace(line->where, "elements"), "%ld elements are too few for the %d pieces between the points of nodes_at",
      line->elements, at->rows + 1);
}

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsLineSettings *line = settings;

  (void)arena;
  check_nodes_at(line, diag);
  if (line->from[0] == line->to[0] && line->from[1] == line->to[1] && line->from[2] == line->to[2])
    NsDiagError(diag, NsKeysPlace(line->where, "to"), "the line has no length: 'from' and 'to' are the same point");
}

const NsTable NsTable_Line = {.name = "line", .help = "a straight line of elements", .keys = keys, .size = sizeof(NsLineSettings), .check = check};

static void end_set(NsMeshSet *set, const char *name, PetscInt node, NsArena *arena)
{
  set->name     = name;
  set->count    = 1;
  set->items    = NsArenaAlloc(arena, sizeof *set->items);
  set->items[0] = node;
}

/* share[elements + 1] of the length at each node. */
static void place_nodes(const NsLineSettings *line, double *share)
{
  const PetscInt n = (PetscInt)line->elements;
  /* log q; a single element has no grading */
  const double growth = n > 1 ? log(line->grading) / (double)(n - 1) : 0;
  const double whole  = expm1(growth * (double)n);

  for (PetscInt k = 0; k <= n; k++) share[k] = growth == 0 ? (double)k / (double)n : expm1(growth * (double)k) / whole;
}

/* The same with nodes at given distances: each piece has one element and its share of the others; elements left over by rounding go to the pieces with the longest elements. */
static void place_nodes_at(const NsLineSettings *line, NsArena *arena, double *share)
{
  const PetscInt pieces = line->nodes_at.rows + 1;
  const double   length = length_of(line);
  double        *border = NsArenaAlloc(arena, sizeof(*border) * (size_t)(pieces + 1));
  PetscInt      *count = NsArenaAlloc(arena, sizeof(*count) * (size_t)pieces), left = (PetscInt)line->elements;

  for (PetscInt i = 0; i <= pieces; i++) border[i] = i == 0 ? 0 : i == pieces ? 1 : line->nodes_at.values[i - 1] / length;
  for (PetscInt i = 0; i < pieces; i++) {
    count[i] = 1 + (PetscInt)((double)(line->elements - pieces) * (border[i + 1] - border[i]));
    left -= count[i];
  }
  for (; left > 0; left--) {
    PetscInt longest = 0;
    for (PetscInt i = 1; i < pieces; i++) {
      if ((border[i + 1] - border[i]) / (double)count[i] > (border[longest + 1] - border[longest]) / (double)count[longest]) longest = i;
    }
    count[longest]++;
  }
  for (PetscInt i = 0; i < pieces; i++) {
    for (PetscInt k = 0; k < count[i]; k++) *share++ = border[i] + (border[i + 1] - border[i]) * (double)k / (double)count[i];
  }
  *share = 1;
}

PetscErrorCode NsMeshRawShares(const double from[3], const double to[3], PetscInt n, const double *share, NsArena *arena, NsMesh *raw)
{
  PetscFunctionBeginUser;
  raw->nodes    = n + 1;
  raw->elements = n;
  PetscCall(PetscMalloc2(3 * (size_t)raw->nodes, &raw->x, 2 * (size_t)n, &raw->connection));
  for (PetscInt k = 0; k <= n; k++) {
    /* the far end exactly, whatever rounding does to t * (to - from) */
    for (int d = 0; d < 3; d++) raw->x[3 * k + d] = k == n ? to[d] : from[d] + share[k] * (to[d] - from[d]);
  }
  for (PetscInt e = 0; e < n; e++) {
    raw->connection[2 * e]     = e;
    raw->connection[2 * e + 1] = e + 1;
  }
  raw->node_sets = 2;
  raw->node_set  = NsArenaAlloc(arena, 2 * sizeof *raw->node_set);
  end_set(&raw->node_set[0], "left", 0, arena);
  end_set(&raw->node_set[1], "right", n, arena);
  PetscFunctionReturn(0);
}

PetscErrorCode NsMeshRawLine(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw)
{
  const NsLineSettings *line = settings->line;
  const PetscInt        n    = (PetscInt)line->elements;
  double               *share;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n + 1, &share));
  if (line->nodes_at.rows)
    place_nodes_at(line, arena, share);
  else
    place_nodes(line, share);
  PetscCall(NsMeshRawShares(line->from, line->to, n, share, arena, raw));
  PetscCall(PetscFree(share));
  PetscFunctionReturn(0);
}
