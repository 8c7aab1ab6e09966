/*
  The sides of a solid's elements: which of them are on its surface, and two mistakes of meshes that they show.

  A side that a single element has is on the surface. No side belongs to more than two elements: otherwise an element is there twice, or elements overlap. A hanging node lies in the middle of an
  edge, or of a side, on the surface: there a finer part of the mesh ends at a coarser one without being joined to it.

  Sides are sorted by their corners: n log n, 40 bytes for each while the mesh is read.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "mesh_private.h"

static int compare_corners(const NsMeshSide *a, const NsMeshSide *b)
{
  for (int k = 0; k < 4; k++)
    if (a->corner[k] != b->corner[k]) return a->corner[k] < b->corner[k] ? -1 : 1;
  return 0;
}

static int compare_sides(const void *a, const void *b)
{
  const NsMeshSide *x = a, *y = b;
  const int         order = compare_corners(x, y);

  return order ? order : (x->element > y->element) - (x->element < y->element);
}

/* Of the side with these nodes. */
static NsMeshSide key_of(const NsMeshShape *side_shape, const PetscInt *node)
{
  NsMeshSide key = {{-1, -1, -1, -1}, -1, -1};

  for (int k = 0; k < side_shape->corners; k++) key.corner[k] = node[k];
  for (int i = 1; i < side_shape->corners; i++) { /* a few numbers: by insertion */
    for (int k = i; k > 0 && key.corner[k] < key.corner[k - 1]; k--) {
      const PetscInt swap = key.corner[k];
      key.corner[k]       = key.corner[k - 1];
      key.corner[k - 1]   = swap;
    }
  }
  return key;
}

static NsMeshSide side_of(const NsMesh *mesh, PetscInt element, int side)
{
  const PetscInt *node = mesh->connection + mesh->shape->nodes * element;
  PetscInt        corner[4];

  for (int k = 0; k < mesh->shape->side_shape->corners; k++) corner[k] = node[mesh->shape->side[side][k]];
  NsMeshSide key = key_of(mesh->shape->side_shape, corner);
  key.element    = element;
  key.side       = side;
  return key;
}

PetscErrorCode NsMeshListSides(const NsMesh *mesh, NsMeshSide **result)
{
  const int    n   = mesh->shape->sides;
  const size_t all = (size_t)n * (size_t)mesh->elements;
  NsMeshSide  *sides;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(all, &sides));
  for (PetscInt e = 0; e < mesh->elements; e++)
    for (int k = 0; k < n; k++) sides[n * e + k] = side_of(mesh, e, k);
  qsort(sides, all, sizeof *sides, compare_sides);
  *result = sides;
  PetscFunctionReturn(0);
}

PetscInt NsMeshFindSide(const NsMesh *mesh, const NsMeshSide *sides, const PetscInt *node, const NsMeshSide **found)
{
  const size_t     all = (size_t)mesh->shape->sides * (size_t)mesh->elements;
  const NsMeshSide key = key_of(mesh->shape->side_shape, node);
  size_t           low = 0, high = all;
  PetscInt         count = 0;

  while (low < high) { /* the first that is not below */
    const size_t middle = low + (high - low) / 2;
    if (compare_corners(&sides[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *found = sides + low;
  while (low + (size_t)count < all && compare_corners(&sides[low + (size_t)count], &key) == 0) count++;
  return count;
}

/* ---- elements that overlap ---------------------------------------------------------------------------------------------------------------------- */

static bool no_side_of_three(const NsMesh *raw, const PetscInt *number, const NsMeshSide *sides, NsPlace place, NsArena *arena, NsDiag *diag)
{
  const PetscInt all = raw->shape->sides * raw->elements;

  for (PetscInt k = 2; k < all; k++) {
    if (compare_corners(&sides[k], &sides[k - 2]) != 0) continue;
    const PetscInt a = sides[k - 2].element, b = sides[k - 1].element, c = sides[k].element;
    if (a == b || b == c) continue; /* degenerate, found by its volume */
    NsDiagError(diag, place, "%s, %s and %s have a side in common: elements are there twice, or overlap", NsMeshElementName(raw, number, a, arena),
      NsMeshElementName(raw, number, b, arena), NsMeshElementName(raw, number, c, arena));
    NsDiagNote(diag, "two volumes on top of each other? `Coherence;` in the .geo file joins them");
    return false;
  }
  return true;
}

static int compare_elements(const void *a, const void *b, void *context)
{
  const NsMesh   *mesh = context;
  const int       n    = mesh->shape->nodes;
  const PetscInt *x = mesh->element_set[0].items + n * *(const PetscInt *)a, *y = mesh->element_set[0].items + n * *(const PetscInt *)b;

  for (int k = 0; k < n; k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

/* Elements with the same nodes: a body of a single element has no side of three. */
static PetscErrorCode no_element_twice(const NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag, bool *good)
{
  const int n = raw->shape->nodes;
  PetscInt *order, *sorted;
  NsMeshSet set    = {.name = NULL};
  NsMesh    copies = {.shape = raw->shape, .element_set = &set};

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(raw->elements, &order, (size_t)n * (size_t)raw->elements, &sorted));
  PetscCall(PetscArraycpy(sorted, raw->connection, (size_t)n * (size_t)raw->elements));
  for (PetscInt e = 0; e < raw->elements; e++) {
    order[e] = e;
    PetscCall(PetscSortInt(n, sorted + (size_t)n * (size_t)e));
  }
  set.items = sorted;
  qsort_r(order, (size_t)raw->elements, sizeof *order, compare_elements, &copies);
  for (PetscInt k = 1; k < raw->elements && *good; k++) {
    if (compare_elements(&order[k - 1], &order[k], &copies) != 0) continue;
    *good = false;
    NsDiagError(diag, place, "%s and %s have the same nodes: an element occurs twice",
      NsMeshElementName(raw, number, PetscMin(order[k - 1], order[k]), arena),
      NsMeshElementName(raw, number, PetscMax(order[k - 1], order[k]), arena));
  }
  PetscCall(PetscFree2(order, sorted));
  PetscFunctionReturn(0);
}

/* ---- hanging nodes ------------------------------------------------------------------------------------------------------------------------------ */

/* Places on a grid so fine that rounding does not matter; a place near the border of two cells of one grid is inside a cell of the other, half a cell off. */
typedef struct {
  PetscReal     origin[3], size, shift;
  const NsMesh *mesh;
} Grid;

typedef struct {
  double   cell[3];
  PetscInt node;
} Spot;

static Spot spot_of(const Grid *grid, const PetscReal x[3], PetscInt node)
{
  Spot spot = {.node = node};

  for (int d = 0; d < 3; d++) spot.cell[d] = floor((x[d] - grid->origin[d]) / grid->size + grid->shift);
  return spot;
}

static int compare_spots(const void *a, const void *b)
{
  const Spot *x = a, *y = b;

  for (int d = 0; d < 3; d++)
    if (x->cell[d] != y->cell[d]) return x->cell[d] < y->cell[d] ? -1 : 1;
  return 0;
}

/* The mean of some nodes of a side. */
static void mean_of(const NsMesh *raw, int count, const PetscInt *node, PetscReal x[3])
{
  for (int d = 0; d < 3; d++) {
    x[d] = 0;
    for (int k = 0; k < count; k++) x[d] += raw->x[3 * node[k] + d] / count;
  }
}

/* A node at x that the element does not have; -1: there is none. */
static PetscInt node_at(const NsMesh *raw, const Grid *grid, const Spot *spots, PetscInt element, const PetscReal x[3])
{
  const Spot      key   = spot_of(grid, x, -1);
  const Spot     *found = bsearch(&key, spots, (size_t)raw->nodes, sizeof key, compare_spots);
  const PetscInt *node  = raw->connection + raw->shape->nodes * element;

  if (!found) return -1;
  for (int k = 0; k < raw->shape->nodes; k++)
    if (node[k] == found->node) return -1;
  return found->node;
}

/* Of one side on the surface: the node that hangs in the middle of an edge or of the side; -1: none. */
static PetscInt hanging_at(const NsMesh *raw, const Grid *grid, const Spot *spots, const NsMeshSide *side)
{
  const NsMeshShape *shape   = raw->shape->side_shape;
  const int          corners = shape->corners;
  PetscInt           node[4];
  PetscReal          x[3];

  for (int k = 0; k < corners; k++) node[k] = raw->connection[raw->shape->nodes * side->element + raw->shape->side[side->side][k]];
  mean_of(raw, corners, node, x);
  PetscInt hanging = corners == 4 || corners == 2 ? node_at(raw, grid, spots, side->element, x) : -1;
  for (int k = 0; k < corners && corners > 2 && hanging < 0; k++) {
    mean_of(raw, 2, (PetscInt[2]){node[k], node[(k + 1) % corners]}, x);
    hanging = node_at(raw, grid, spots, side->element, x);
  }
  return hanging;
}

static PetscErrorCode no_hanging_nodes(
  const NsMesh *raw, const PetscInt *number, const NsMeshSide *sides, NsPlace place, NsArena *arena, NsDiag *diag, bool *good)
{
  const PetscInt all  = raw->shape->sides * raw->elements;
  Grid           grid = {.mesh = raw};
  Spot          *spots;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 3 * raw->nodes; k++) grid.size = PetscMax(grid.size, fabs(raw->x[k] - raw->x[k % 3]));
  for (int d = 0; d < 3; d++) grid.origin[d] = raw->x[d];
  grid.size *= 1e-9;
  PetscCall(PetscMalloc1(raw->nodes, &spots));
  for (int pass = 0; pass < 2 && *good; pass++) {
    grid.shift = 0.25 + 0.5 * pass;
    for (PetscInt i = 0; i < raw->nodes; i++) spots[i] = spot_of(&grid, raw->x + 3 * i, i);
    qsort(spots, (size_t)raw->nodes, sizeof *spots, compare_spots);
    for (PetscInt k = 0; k < all && *good; k++) {
      if ((k > 0 && compare_corners(&sides[k - 1], &sides[k]) == 0) || (k + 1 < all && compare_corners(&sides[k + 1], &sides[k]) == 0)) continue;
      const PetscInt node = hanging_at(raw, &grid, spots, &sides[k]);
      if (node < 0) continue;
      *good = false;
      NsDiagError(diag, place, "hanging node: a node at %s lies in the middle of an edge or side of %s, which does not have it",
        NsMeshPoint(raw, node, arena), NsMeshElementName(raw, number, sides[k].element, arena));
      NsDiagNote(diag,
        "neighbouring elements must share complete edges or sides; in Gmsh, two parts must share the curve or surface between them: `Coherence;` joins duplicates");
    }
  }
  PetscCall(PetscFree(spots));
  PetscFunctionReturn(0);
}

PetscErrorCode NsMeshCheckSides(const NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag, bool *good)
{
  NsMeshSide *sides;

  PetscFunctionBeginUser;
  *good = true;
  PetscCall(no_element_twice(raw, number, place, arena, diag, good));
  if (!*good) PetscFunctionReturn(0);
  PetscCall(NsMeshListSides(raw, &sides));
  *good = no_side_of_three(raw, number, sides, place, arena, diag);
  if (*good) PetscCall(no_hanging_nodes(raw, number, sides, place, arena, diag, good));
  PetscCall(PetscFree(sides));
  PetscFunctionReturn(0);
}
