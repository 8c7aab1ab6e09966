/*
  A rectangle or a box of equal cells, each an element or cut into elements that fit those of its neighbours.

  Node (i, j, k) lies at the fractions i/nx, j/ny, k/nz between two corners. A quadrangle is cut along the diagonal from its first corner; a hexahedron into six tetrahedra around the diagonal
  from its first to its opposite corner, which cut the faces of neighbours alike. The nodes in the middles of the edges of ten-node tetrahedra are those of a grid twice as fine.
*/
#include <math.h>
#include "mesh_private.h"

#define NS_MOST_CELLS 1e7

static const char *const elements[] = {"auto", "tri3", "quad4", "tet4", "tet10", "hex8", NULL};

static const NsKey keys[] = {{"from", NS_KEY_VECTOR, offsetof(NsBoxSettings, from), .space = NS_SPACE_CORNER, .dimension = {1, 0, 0, 0},
                               .required = true, .help = "the corner with the smallest coordinates", .example = "[0, 0, 0]"},
  {"to", NS_KEY_VECTOR, offsetof(NsBoxSettings, to), .space = NS_SPACE_CORNER, .dimension = {1, 0, 0, 0}, .required = true,
    .help = "the corner with the largest coordinates; z as in `from` without cells along z", .example = "[40 mm, 20 mm, 20 mm]"},
  {"cells", NS_KEY_VECTOR, offsetof(NsBoxSettings, cells), .required = true, .minimum = "0", .maximum = "10000000",
    .help =
      "numbers of cells along x, y and z; 0 along z for a body in the x-y plane. Its sides are `left` and `right` (ends along x), `bottom` and `top` (along y), `back` and `front` (along z), "
      "its corners named nodes such as `left_bottom_back`, in the plane `left_bottom`",
    .example = "[2, 1, 1]"},
  {"elements", NS_KEY_CHOICE, offsetof(NsBoxSettings, elements), .choices = elements, .default_value = "auto",
    .help = "what a cell is made of; auto: quad4 in the plane, hex8 in space", .example = "hex8"},
  {.name = NULL}};

static bool is_plane(const NsBoxSettings *box)
{
  return box->cells[2] == 0;
}

static int elements_of(const NsBoxSettings *box)
{
  if (box->elements != NS_BOX_AUTO) return box->elements;
  return is_plane(box) ? NS_BOX_QUAD4 : NS_BOX_HEX8;
}

static double count_cells(const NsBoxSettings *box)
{
  return box->cells[0] * box->cells[1] * PetscMax(1, box->cells[2]);
}

double NsBoxElements(const NsBoxSettings *box)
{
  static const int of_cell[] = {[NS_BOX_TRI3] = 2, [NS_BOX_QUAD4] = 1, [NS_BOX_TET4] = 6, [NS_BOX_TET10] = 6, [NS_BOX_HEX8] = 1};

  return of_cell[elements_of(box)] * count_cells(box);
}

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  static const char    axes[] = "xyz";
  const NsBoxSettings *box    = settings;
  const NsPlace        place  = NsKeysPlace(box->where, "cells");

  (void)arena;
  for (int d = 0; d < 3; d++) {
    const double n = box->cells[d], length = box->to[d] - box->from[d];

    if (n != floor(n)) NsDiagError(diag, place, "the number of cells along %c must be a whole number, got %g", axes[d], n);
    if (n == 0 && d < 2) NsDiagError(diag, place, "a box needs cells along %c", axes[d]);
    if (n > 0 && !(length > 0))
      NsDiagError(diag, NsKeysPlace(box->where, "to"), "with cells along %c, 'to' must be above 'from' in %c", axes[d], axes[d]);
    if (n == 0 && d == 2 && length != 0) NsDiagError(diag, NsKeysPlace(box->where, "to"), "without cells along z, 'to' and 'from' must agree in z");
  }
  if (count_cells(box) > NS_MOST_CELLS) NsDiagError(diag, place, "%g cells are too many: at most %g", count_cells(box), NS_MOST_CELLS);
  if (box->elements != NS_BOX_AUTO && (box->elements <= NS_BOX_QUAD4) != is_plane(box))
    NsDiagError(diag, NsKeysPlace(box->where, "elements"), "%s are elements %s", elements[box->elements],
      is_plane(box) ? "in space, but this box has no cells along z" : "in the plane, but this box has cells along z");
}

const NsTable NsTable_Box = {.name = "box",
  .help                            = "a rectangle or box of equal elements",
  .keys                            = keys,
  .size                            = sizeof(NsBoxSettings),
  .check                           = check};

/* Corners of a cell in units of cells, as hexahedra number them; quadrangles are the first four. */
static const int corners[8][3]  = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int cut_quad[2][4] = {{0, 1, 2}, {0, 2, 3}};
static const int cut_hex[6][4]  = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
static const int edges[6][2]    = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}}; /* of nodes 4 ... of ten-node tetrahedra */

/* A node of the cell at `at`, at twice the coordinates x2 in units of the cell. */
static PetscInt node_at(const NsMeshGrid *grid, const PetscInt at[3], const int x2[3])
{
  PetscInt node = 0;

  for (int d = 0; d < 3; d++) node += (grid->nodes[d] > 1 ? grid->fine * at[d] + grid->fine * x2[d] / 2 : 0) * grid->stride[d];
  return node;
}

static void add_cell(const NsMeshGrid *grid, const PetscInt at[3], int kind, NsMesh *raw)
{
  const int count = kind == NS_BOX_TRI3 ? 2 : kind == NS_BOX_TET4 || kind == NS_BOX_TET10 ? 6 : 1, n = raw->shape->nodes;

  for (int k = 0; k < count; k++) {
    PetscInt *node = raw->connection + n * raw->elements++;
    for (int a = 0; a < n; a++) {
      int x2[3];
      for (int d = 0; d < 3; d++) {
        if (kind == NS_BOX_QUAD4 || kind == NS_BOX_HEX8)
          x2[d] = 2 * corners[a][d];
        else if (kind == NS_BOX_TRI3)
          x2[d] = 2 * corners[cut_quad[k][a]][d];
        else
          x2[d] = a < 4 ? 2 * corners[cut_hex[k][a]][d] : corners[cut_hex[k][edges[a - 4][0]]][d] + corners[cut_hex[k][edges[a - 4][1]]][d];
      }
      node[a] = node_at(grid, at, x2);
    }
  }
}

/* The sides of elements of which all nodes are in a node set. */
static PetscErrorCode add_side_set(const NsMeshSet *nodes, NsArena *arena, NsMesh *raw)
{
  const NsMeshShape *shape = raw->shape;
  NsMeshSideSet     *set   = &raw->side_set[raw->side_sets++];
  PetscInt           count = 0;
  PetscBool         *in;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(raw->nodes, &in));
  for (PetscInt k = 0; k < nodes->count; k++) in[nodes->items[k]] = PETSC_TRUE;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) *set = (NsMeshSideSet){nodes->name, 0, NsArenaAlloc(arena, (size_t)count * sizeof(*set->side))};
    for (PetscInt k = 0; k < shape->sides * raw->elements; k++) {
      const PetscInt *node = raw->connection + shape->nodes * (k / shape->sides);
      PetscBool       all  = PETSC_TRUE;
      for (int c = 0; c < shape->side_shape->nodes; c++) all = all && in[node[shape->side[k % shape->sides][c]]];
      if (!all) continue;
      count++;
      if (!pass) continue;
      set->side[set->count][0]   = k / shape->sides;
      set->side[set->count++][1] = k % shape->sides;
    }
  }
  PetscCall(PetscFree(in));
  PetscFunctionReturn(0);
}

/* Nodes that elements have, in the order of the grid; connections in their numbers. */
static void place_nodes(const NsBoxSettings *box, const NsMeshGrid *grid, PetscInt *new_of, NsMesh *raw)
{
  PetscInt at[3], point = 0;

  for (PetscInt k = 0; k < raw->shape->nodes * raw->elements; k++) new_of[raw->connection[k]] = 0;
  for (at[2] = 0; at[2] < grid->nodes[2]; at[2]++) {
    for (at[1] = 0; at[1] < grid->nodes[1]; at[1]++) {
      for (at[0] = 0; at[0] < grid->nodes[0]; at[0]++, point++) {
        if (new_of[point] < 0) continue;
        for (int d = 0; d < 3; d++) { /* the far end exactly */
          const PetscReal t          = grid->nodes[d] > 1 ? (PetscReal)at[d] / (PetscReal)(grid->nodes[d] - 1) : 0;
          raw->x[3 * raw->nodes + d] = t == 1 ? box->to[d] : box->from[d] + t * (box->to[d] - box->from[d]);
        }
        new_of[point] = raw->nodes++;
      }
    }
  }
  for (PetscInt k = 0; k < raw->shape->nodes * raw->elements; k++) raw->connection[k] = new_of[raw->connection[k]];
}

PetscErrorCode NsMeshRawBox(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw)
{
  static const NsMeshShape *const shapes[] = {NULL, &NsMeshShape_Tri3, &NsMeshShape_Quad4, &NsMeshShape_Tet4, &NsMeshShape_Tet10, &NsMeshShape_Hex8};
  const NsBoxSettings            *box      = settings->box;
  const int                       kind     = elements_of(box);
  const NsMeshGrid                grid     = NsMeshGridMake(box->cells, kind == NS_BOX_TET10 ? 2 : 1);
  const PetscInt                  points   = grid.nodes[0] * grid.nodes[1] * grid.nodes[2];
  PetscInt                        cells    = 1, at[3], *new_of;

  PetscFunctionBeginUser;
  raw->shape = shapes[kind];
  for (int d = 0; d < 3; d++) cells *= PetscMax(1, (PetscInt)box->cells[d]);
  PetscCall(PetscMalloc2(3 * (size_t)points, &raw->x, 6 * (size_t)raw->shape->nodes * (size_t)cells, &raw->connection));
  PetscCall(PetscMalloc1(points, &new_of));
  for (PetscInt k = 0; k < points; k++) new_of[k] = -1;
  for (at[2] = 0; at[2] < PetscMax(1, (PetscInt)box->cells[2]); at[2]++)
    for (at[1] = 0; at[1] < (PetscInt)box->cells[1]; at[1]++)
      for (at[0] = 0; at[0] < (PetscInt)box->cells[0]; at[0]++) add_cell(&grid, at, kind, raw);
  place_nodes(box, &grid, new_of, raw);
  NsMeshGridSets(&grid, new_of, arena, raw);
  raw->side_set = NsArenaAlloc(arena, 6 * sizeof *raw->side_set);
  for (int side = 0; side < (grid.nodes[2] > 1 ? 6 : 4); side++) PetscCall(add_side_set(&raw->node_set[side], arena, raw));
  PetscCall(PetscFree(new_of));
  PetscFunctionReturn(0);
}
