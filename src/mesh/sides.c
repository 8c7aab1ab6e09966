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

/* Of the side with these nodes, each once; no corners where it has shrunk to an edge or a point. */
static NsMeshSide key_of(const NsMeshShape *side_shape, const PetscInt *node)
{
  const NsMeshSide none  = {{-1, -1, -1, -1}, -1, -1};
  NsMeshSide       key   = none;
  int              count = 0;

  for (int i = 0; i < side_shape->corners; i++) { /* a few numbers: by insertion */
    int at = count;
    while (at > 0 && key.corner[at - 1] >= node[i]) at--;
    if (node[i] < 0 || (at < count && key.corner[at] == node[i])) continue;
    for (int k = count; k > at; k--) key.corner[k] = key.corner[k - 1];
    key.corner[at] = node[i];
    count++;
  }
  return count > side_shape->dimension ? key : none;
}

static bool is_side(const NsMeshSide *side)
{
  return side->corner[0] >= 0;
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
    if (!is_side(&sides[k]) || compare_corners(&sides[k], &sides[k - 2]) != 0) continue;
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
  int       corners = 0;
  PetscInt  node[4];
  PetscReal x[3];

  for (int k = 0; k < raw->shape->side_shape->corners; k++) { /* a repeated corner occurs twice in succession, or first and last */
    node[corners] = raw->connection[raw->shape->nodes * side->element + raw->shape->side[side->side][k]];
    if (corners == 0 || (node[corners] != node[corners - 1] && node[corners] != node[0])) corners++;
  }
  mean_of(raw, corners, node, x);
  PetscInt hanging = corners == 4 || corners == 2 ? node_at(raw, grid, spots, side->element, x) : -1;
  for (int k = 0; k < corners && corners > 2 && hanging < 0; k++) {
    mean_of(raw, 2, (PetscInt[2]){node[k], node[(k + 1) % corners]}, x);
    hanging = node_at(raw, grid, spots, side->element, x);
  }
  return hanging;
}

static Grid grid_of(const NsMesh *raw)
{
  Grid grid = {.mesh = raw};

  for (PetscInt k = 0; k < 3 * raw->nodes; k++) grid.size = PetscMax(grid.size, fabs(raw->x[k] - raw->x[k % 3]));
  for (int d = 0; d < 3; d++) grid.origin[d] = raw->x[d];
  grid.size *= 1e-9;
  return grid;
}

/* The nodes on the first or second grid, those of a cell side by side. */
static void sort_spots(const NsMesh *raw, int pass, Grid *grid, Spot *spots)
{
  grid->shift = 0.25 + 0.5 * pass;
  for (PetscInt i = 0; i < raw->nodes; i++) spots[i] = spot_of(grid, raw->x + 3 * i, i);
  qsort(spots, (size_t)raw->nodes, sizeof *spots, compare_spots);
}

static PetscInt element_with(const NsMesh *raw, PetscInt node)
{
  PetscInt k = 0;

  while (raw->connection[k] != node) k++;
  return k / raw->shape->nodes;
}

PetscErrorCode NsMeshWarnOfCoincidence(const NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag)
{
  Grid     grid  = grid_of(raw);
  PetscInt pairs = 0, first[2] = {0, 0};
  Spot    *spots;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(raw->nodes, &spots));
  for (int pass = 0; pass < 2 && !pairs; pass++) {
    sort_spots(raw, pass, &grid, spots);
    for (PetscInt i = 1; i < raw->nodes; i++) {
      if (compare_spots(&spots[i - 1], &spots[i]) != 0) continue;
      for (int k = 0; k < 2 && !pairs; k++) first[k] = spots[i - 1 + k].node;
      pairs++;
    }
  }
  PetscCall(PetscFree(spots));
  if (!pairs) PetscFunctionReturn(0);
  NsDiagWarning(diag, place, "two nodes at %s, one of %s, the other of %s, are not joined%s", NsMeshPoint(raw, first[0], arena),
    NsMeshElementName(raw, number, element_with(raw, PetscMin(first[0], first[1])), arena),
    NsMeshElementName(raw, number, element_with(raw, PetscMax(first[0], first[1])), arena),
    pairs > 1 ? NsArenaPrint(arena, ", and %ld more pairs like them", (long)(pairs - 1)) : "");
  NsDiagNote(diag, "`Coherence Mesh;` in the .geo file joins duplicate nodes; if this is a crack: its faces pass through each other where it closes");
  PetscFunctionReturn(0);
}

static PetscErrorCode no_hanging_nodes(
  const NsMesh *raw, const PetscInt *number, const NsMeshSide *sides, NsPlace place, NsArena *arena, NsDiag *diag, bool *good)
{
  const PetscInt all  = raw->shape->sides * raw->elements;
  Grid           grid = grid_of(raw);
  Spot          *spots;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(raw->nodes, &spots));
  for (int pass = 0; pass < 2 && *good; pass++) {
    sort_spots(raw, pass, &grid, spots);
    for (PetscInt k = 0; k < all && *good; k++) {
      if (!is_side(&sides[k]) || (k > 0 && compare_corners(&sides[k - 1], &sides[k]) == 0) ||
          (k + 1 < all && compare_corners(&sides[k + 1], &sides[k]) == 0))
        continue;
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

/* ---- quadrangles on triangles ----------------------------------------------------------------------------------------------------------------------- */

/* A quadrangle of the surface that shares three corners with a triangle of the surface: the two sides coincide and are not joined along the diagonal. */
static bool no_side_on_two(const NsMesh *raw, const PetscInt *number, const NsMeshSide *sides, NsPlace place, NsArena *arena, NsDiag *diag)
{
  const PetscInt all = raw->shape->sides * raw->elements;

  for (PetscInt k = 0; k < all && raw->shape == &NsMeshShape_Hex8; k++) {
    if (sides[k].corner[3] < 0 || (k > 0 && compare_corners(&sides[k - 1], &sides[k]) == 0) ||
        (k + 1 < all && compare_corners(&sides[k + 1], &sides[k]) == 0))
      continue;
    for (int without = 0; without < 4; without++) {
      const NsMeshSide *triangle;
      PetscInt          corner[4] = {-1, -1, -1, -1};
      for (int c = 0, at = 0; c < 4; c++)
        if (c != without) corner[at++] = sides[k].corner[c];
      if (!NsMeshFindSide(raw, sides, corner, &triangle)) continue;
      NsDiagError(diag, place, "a quadrangular side of %s lies on a triangular side of %s: they are not joined",
        NsMeshElementName(raw, number, sides[k].element, arena), NsMeshElementName(raw, number, triangle->element, arena));
      NsDiagNote(diag,
        "pyramids join hexahedra with tetrahedra (Gmsh makes them where a volume of tetrahedra ends at a recombined surface); or make two bodies and join them by `ties`");
      return false;
    }
  }
  return true;
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
  if (*good) *good = no_side_on_two(raw, number, sides, place, arena, diag);
  if (*good) PetscCall(no_hanging_nodes(raw, number, sides, place, arena, diag, good));
  PetscCall(PetscFree(sides));
  PetscFunctionReturn(0);
}
