/*
  A straight line of elements, uniform or graded geometrically.

  Element lengths are l, l q, l q^2, ..., l q^(n-1) with q = g^(1/(n-1)), where g = `grading` is the length of the last element over that of
  the first. Node k lies at the fraction

      (q^k - 1) / (q^n - 1)

  of the line. Both differences are taken by expm1, which keeps their digits when g is near 1.
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
  {.name = NULL}};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsLineSettings *line = settings;

  (void)arena;
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

PetscErrorCode NsMeshRawLine(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw)
{
  const NsLineSettings *line = settings->line;
  const PetscInt        n    = (PetscInt)line->elements;
  /* log q; a single element has no grading */
  const double growth = n > 1 ? log(line->grading) / (double)(n - 1) : 0;
  const double whole  = expm1(growth * (double)n);

  PetscFunctionBeginUser;
  raw->nodes    = n + 1;
  raw->elements = n;
  PetscCall(PetscMalloc2(3 * (size_t)raw->nodes, &raw->x, 2 * (size_t)n, &raw->connection));
  for (PetscInt k = 0; k <= n; k++) {
    const double t = growth == 0 ? (double)k / (double)n : expm1(growth * (double)k) / whole;
    /* the far end exactly, whatever rounding does to t * (to - from) */
    for (int d = 0; d < 3; d++) raw->x[3 * k + d] = k == n ? line->to[d] : line->from[d] + t * (line->to[d] - line->from[d]);
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
