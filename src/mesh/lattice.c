/*
  A regular grid of nodes joined along its axes and, as wanted, across its faces and through its cells.

  Node (i, j, k) lies at the fractions i/nx, j/ny, k/nz between two corners; a direction without cells has one layer of nodes, and the lattice is planar.
  Diagonals run from nodes whose indices are even to those whose indices are odd: (even, even) - (odd, odd) within a face, (even, even, even) - (odd, odd,
  odd) within a cell. So neighbouring cells are mirror images of each other, and a lattice with even numbers of cells is its own.

  A square with one diagonal, and a cube with one in each of its faces, are stiff with joints that transmit no moments (the surface of the cube is a
  triangulated convex polyhedron), and so is what is made of them by common edges or faces. In space there are about 3, 6 or 7 elements for each node
  (braces: none, faces, space).
*/
#include <math.h>
#include "mesh_private.h"

#define NS_MOST_ELEMENTS 1e8 /* as of a line */

enum { BRACES_NONE, BRACES_FACES, BRACES_SPACE };
static const char *const braces[] = {"none", "faces", "space", NULL};

static const NsKey keys[] = {{"from", NS_KEY_VECTOR, offsetof(NsLatticeSettings, from), .space = NS_SPACE_CORNER, .dimension = {1, 0, 0, 0},
                               .required = true, .help = "the corner with the smallest coordinates", .example = "[0, 0, 0]"},
  {"to", NS_KEY_VECTOR, offsetof(NsLatticeSettings, to), .space = NS_SPACE_CORNER, .dimension = {1, 0, 0, 0}, .required = true,
    .help = "the corner with the largest coordinates; in a direction without cells the same coordinate as in `from`", .example = "[2 m, 1 m, 1 m]"},
  {"cells", NS_KEY_VECTOR, offsetof(NsLatticeSettings, cells), .required = true, .minimum = "0", .maximum = "100000000",
    .help =
      "numbers of cells along x, y and z; 0 in one of them makes the lattice planar. Node sets: `left` and `right` (ends along x), `bottom` and `top` "
      "(along y), `back` and `front` (along z), corners such as `left_bottom_back`, of a planar lattice `left_bottom`",
    .example = "[4, 2, 2]"},
  {"braces", NS_KEY_CHOICE, offsetof(NsLatticeSettings, braces), .choices = braces, .default_value = "none",
    .help    = "diagonals: none (for beams, whose joints transmit moments); faces: one in each face of the cells, sufficient for trusses; space: "
               "in addition one through each cell",
    .example = "faces"},
  {.name = NULL}};

/* Exact but for the diagonals, of which each face has one. */
double NsLatticeElements(const NsLatticeSettings *lattice)
{
  const double *n   = lattice->cells;
  double        sum = 0;

  for (int d = 0; d < 3; d++) {
    const int a = (d + 1) % 3, b = (d + 2) % 3;
    sum += n[d] * (n[a] + 1) * (n[b] + 1);                               /* along axis d */
    if (lattice->braces != BRACES_NONE) sum += n[a] * n[b] * (n[d] + 1); /* in faces across it */
  }
  return lattice->braces == BRACES_SPACE ? sum + n[0] * n[1] * n[2] : sum;
}

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  static const char        axes[]  = "xyz";
  const NsLatticeSettings *lattice = settings;
  const NsPlace            place   = NsKeysPlace(lattice->where, "cells");
  const int                before  = NsDiagErrors(diag);
  int                      flat    = 0;

  (void)arena;
  for (int d = 0; d < 3; d++) {
    const double n = lattice->cells[d], length = lattice->to[d] - lattice->from[d];

    flat += n == 0;
    if (n != floor(n)) NsDiagError(diag, place, "the number of cells along %c must be a whole number, got %g", axes[d], n);
    if (n > 0 && !(length > 0))
      NsDiagError(diag, NsKeysPlace(lattice->where, "to"), "with cells along %c, 'to' must be above 'from' in %c", axes[d], axes[d]);
    if (n == 0 && length != 0)
      NsDiagError(diag, NsKeysPlace(lattice->where, "to"), "without cells along %c, 'to' and 'from' must agree in %c", axes[d], axes[d]);
  }
  if (NsDiagErrors(diag) > before) return;
  if (flat > 1) {
    NsDiagError(diag, place, "a lattice needs cells in two or three directions");
    if (flat == 2) NsDiagNote(diag, "a single row of elements is a `line`");
  } else if (flat == 1 && lattice->braces == BRACES_SPACE) {
    NsDiagError(diag, NsKeysPlace(lattice->where, "braces"), "`braces: space` needs a lattice in space, but this one is planar");
    NsDiagNote(diag, "use `braces: faces`, which stiffen a planar lattice");
  } else if (NsLatticeElements(lattice) > NS_MOST_ELEMENTS)
    NsDiagError(diag, place, "%g elements are too many: at most %g", NsLatticeElements(lattice), NS_MOST_ELEMENTS);
}

const NsTable NsTable_Lattice = {.name = "lattice",
  .help                                = "a regular grid of elements, with or without diagonals",
  .keys                                = keys,
  .size                                = sizeof(NsLatticeSettings),
  .check                               = check};

/* The diagonal of the cell, face or edge that node `at` is the first corner of and that reaches one step along the axes in `along`; none at the end of the grid. */
static void add_diagonal(const NsMeshGrid *grid, const PetscInt at[3], const int along[3], NsMesh *raw)
{
  PetscInt first = 0, last = 0;

  for (int d = 0; d < 3; d++) {
    const PetscInt odd = at[d] % 2; /* the even end lies behind */

    if (along[d] && at[d] + 1 == grid->nodes[d]) return;
    first += (at[d] + (along[d] ? odd : 0)) * grid->stride[d];
    last += (at[d] + (along[d] ? 1 - odd : 0)) * grid->stride[d];
  }
  raw->connection[2 * raw->elements]     = PetscMin(first, last);
  raw->connection[2 * raw->elements + 1] = PetscMax(first, last);
  raw->elements++;
}

PetscErrorCode NsMeshRawLattice(const NsMeshSettings *settings, NsArena *arena, NsMesh *raw)
{
  static const int         along[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}};
  static const int         kinds[]    = {3, 6, 7}; /* by braces */
  const NsLatticeSettings *lattice    = settings->lattice;
  const NsMeshGrid         grid       = NsMeshGridMake(settings->lattice->cells, 1);
  PetscInt                 at[3];

  PetscFunctionBeginUser;
  raw->nodes = grid.nodes[0] * grid.nodes[1] * grid.nodes[2];
  PetscCall(PetscMalloc2(3 * (size_t)raw->nodes, &raw->x, 2 * (size_t)NsLatticeElements(lattice), &raw->connection));
  PetscReal *x = raw->x;
  for (at[2] = 0; at[2] < grid.nodes[2]; at[2]++) {
    for (at[1] = 0; at[1] < grid.nodes[1]; at[1]++) {
      for (at[0] = 0; at[0] < grid.nodes[0]; at[0]++) {
        for (int d = 0; d < 3; d++) { /* the far end exactly */
          const double n = lattice->cells[d], t = n > 0 ? (double)at[d] / n : 0;
          *x++ = (double)at[d] == n && n > 0 ? lattice->to[d] : lattice->from[d] + t * (lattice->to[d] - lattice->from[d]);
        }
        for (int k = 0; k < kinds[lattice->braces]; k++) add_diagonal(&grid, at, along[k], raw);
      }
    }
  }
  NsMeshGridSets(&grid, NULL, arena, raw);
  PetscFunctionReturn(0);
}
