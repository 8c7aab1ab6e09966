/*
  Whether the elements of a solid have volume and the right sense: the Jacobian must be positive where elements are integrated, in 2 x 2 (x 2) points of quadrangles and hexahedra; of
  ten-node tetrahedra at all nodes. A mesh in the plane whose elements all run clockwise, or one in space whose elements are all mirrored,
  describes the same elements: it is turned. A single inverted element is a mistake of the mesher.
*/
#include <math.h>
#include "determinant.h"
#include "collapsed.h"
#include "mesh_private.h"

#define NS_FLAT_CELL  1e-10 /* Jacobian over the product of the edges' lengths */
#define NS_OFF_MIDDLE 0.25  /* of an edge: a quarter of a circle has 0.21 */

const char *NsMeshElementName(const NsMesh *mesh, const PetscInt *number, PetscInt e, NsArena *arena)
{
  const PetscInt       *node     = mesh->connection + mesh->shape->nodes * e;
  const NsMeshCollapse *collapse = NsMeshCollapsed(mesh->shape, node);
  const NsMeshShape    *shape    = collapse ? collapse->shape : mesh->shape;
  const char           *word     = shape == &NsMeshShape_Tri3      ? "triangle"
                                   : shape == &NsMeshShape_Quad4   ? "quadrangle"
                                   : shape == &NsMeshShape_Hex8    ? "hexahedron"
                                   : shape == &NsMeshShape_Prism   ? "prism"
                                   : shape == &NsMeshShape_Pyramid ? "pyramid"
                                                                   : "tetrahedron";
  PetscReal             x[3]     = {0, 0, 0};

  for (int k = 0; k < shape->corners; k++)
    for (int d = 0; d < 3; d++) x[d] += mesh->x[3 * node[collapse ? collapse->position[k] : k] + d] / shape->corners;
  if (number) return NsArenaPrint(arena, "%s %ld around (%.6g, %.6g, %.6g) m", word, (long)number[e], x[0], x[1], x[2]);
  return NsArenaPrint(arena, "the %s around (%.6g, %.6g, %.6g) m", word, x[0], x[1], x[2]);
}

/* det J over the product of the lengths of its rows, the tangents dx/dxi_k. */
static PetscReal sense_of(PetscReal J[3][3])
{
  PetscReal product = 1;

  for (int k = 0; k < 3; k++) product *= sqrt(J[k][0] * J[k][0] + J[k][1] * J[k][1] + J[k][2] * J[k][2]);
  return product > 0 ? NsDeterminant3(J) / product : 0;
}

/* Of a triangle or tetrahedron, with the edges from its first corner. */
static PetscReal simplex_sense(const NsMesh *mesh, const PetscInt *node)
{
  PetscReal J[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}};

  for (int k = 0; k < mesh->shape->dimension; k++)
    for (int d = 0; d < mesh->shape->dimension; d++) J[k][d] = mesh->x[3 * node[k + 1] + d] - mesh->x[3 * node[0] + d];
  return sense_of(J);
}

static const int unit[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};

/* Of a quadrangle or hexahedron at the point of integration next to a corner. */
static PetscReal sense_at(const NsMesh *mesh, const PetscInt *node, int corner)
{
  const int       dimension = mesh->shape->dimension;
  const PetscReal g         = 0.577350269189625764509;
  PetscReal       J[3][3]   = {{0, 0, 0}, {0, 0, 0}, {0, 0, dimension == 2 ? 1 : 0}};

  for (int a = 0; a < mesh->shape->nodes; a++) {
    for (int k = 0; k < dimension; k++) {
      PetscReal dN = unit[a][k];
      for (int j = 0; j < dimension; j++) dN *= j == k ? 1 : 1 + unit[a][j] * g * unit[corner][j];
      for (int d = 0; d < dimension; d++) J[k][d] += dN * mesh->x[3 * node[a] + d];
    }
  }
  return sense_of(J);
}

/* Gradients with respect to L1, L2, L3 (L0 = 1 - the others) of a ten-node tetrahedron at barycentric coordinates L; the edges of nodes 4 ... */
static const int tet10_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}};

static PetscReal tet10_sense(const NsMesh *mesh, const PetscInt *node, const PetscReal L[4])
{
  PetscReal J[3][3] = {{0}};

  for (int a = 0; a < 10; a++) {
    PetscReal dL[4] = {0, 0, 0, 0};
    if (a < 4)
      dL[a] = 4 * L[a] - 1;
    else {
      dL[tet10_edges[a - 4][0]] += 4 * L[tet10_edges[a - 4][1]];
      dL[tet10_edges[a - 4][1]] += 4 * L[tet10_edges[a - 4][0]];
    }
    for (int k = 0; k < 3; k++)
      for (int d = 0; d < 3; d++) J[k][d] += (dL[k + 1] - dL[0]) * mesh->x[3 * node[a] + d];
  }
  return sense_of(J);
}

/* The least and the largest sense over the points that are looked at. */
static void senses_of(const NsMesh *mesh, PetscInt e, PetscReal *least, PetscReal *largest)
{
  const NsMeshShape *shape   = mesh->shape;
  const PetscInt    *node    = mesh->connection + shape->nodes * e;
  const bool         simplex = shape->corners == shape->dimension + 1;

  *least   = PETSC_MAX_REAL;
  *largest = -PETSC_MAX_REAL;
  for (int k = 0; k < (simplex ? 1 : shape->corners); k++) {
    const PetscReal sense = simplex ? simplex_sense(mesh, node) : sense_at(mesh, node, k);
    *least                = PetscMin(*least, sense);
    *largest              = PetscMax(*largest, sense);
  }
  for (int k = 0; k < 10 && shape == &NsMeshShape_Tet10; k++) {
    PetscReal L[4] = {0, 0, 0, 0};
    if (k < 4)
      L[k] = 1;
    else
      L[tet10_edges[k - 4][0]] = L[tet10_edges[k - 4][1]] = 0.5;
    const PetscReal sense = tet10_sense(mesh, node, L);
    *least                = PetscMin(*least, sense);
    *largest              = PetscMax(*largest, sense);
  }
}

static void turn_elements(NsMesh *raw)
{
  static const int other[][10] = {{0, 2, 1}, {0, 3, 2, 1}, {0, 2, 1, 3}, {4, 5, 6, 7, 0, 1, 2, 3}, {0, 2, 1, 3, 6, 5, 4, 7, 9, 8}};
  const int        n           = raw->shape->nodes;
  const int        which       = n == 3 ? 0 : n == 10 ? 4 : n == 8 ? 3 : raw->shape->dimension == 2 ? 1 : 2;

  for (PetscInt e = 0; e < raw->elements; e++) {
    PetscInt node[10];
    for (int k = 0; k < n; k++) node[k] = raw->connection[n * e + k];
    const NsMeshCollapse *collapse = NsMeshCollapsed(raw->shape, node);
    for (int k = 0; k < n; k++)
      raw->connection[n * e + k] = node[collapse ? collapse->position[collapse->mirror[collapse->node_at[k]]] : other[which][k]];
  }
}

/* Sum and sum of squares of the numbers of a side's corners, each once: no two sides of an element have both. */
static void side_mark(const NsMesh *mesh, const PetscInt side[2], PetscReal mark[2])
{
  const int corners = mesh->shape->side_shape->corners;

  mark[0] = mark[1] = 0;
  for (int k = 0; k < corners; k++) {
    const PetscInt *of    = mesh->connection + mesh->shape->nodes * side[0];
    const int      *at    = mesh->shape->side[side[1]];
    const PetscReal node  = (PetscReal)of[at[k]];
    bool            twice = false;
    for (int j = 0; j < k; j++) twice = twice || of[at[j]] == of[at[k]];
    if (twice) continue;
    mark[0] += node;
    mark[1] += node * node;
  }
}

/* Each element the other way round, and its sides with it. */
static void turn(NsMesh *raw, NsArena *arena)
{
  PetscInt marks = 0;

  for (PetscInt s = 0; s < raw->side_sets; s++) marks += raw->side_set[s].count;
  PetscReal(*mark)[2] = NsArenaAlloc(arena, sizeof(*mark) * (size_t)(marks + 1)), (*next)[2] = mark;
  for (PetscInt s = 0; s < raw->side_sets; s++)
    for (PetscInt k = 0; k < raw->side_set[s].count; k++) side_mark(raw, raw->side_set[s].side[k], *next++);
  turn_elements(raw);
  next = mark;
  for (PetscInt s = 0; s < raw->side_sets; s++) {
    for (PetscInt k = 0; k < raw->side_set[s].count; k++, next++) {
      PetscInt *side = raw->side_set[s].side[k];
      for (side[1] = 0; side[1] < raw->shape->sides; side[1]++) {
        PetscReal own[2];
        side_mark(raw, side, own);
        if (own[0] == (*next)[0] && own[1] == (*next)[1]) break;
      }
    }
  }
}

/* Reports nodes that an element has twice, except in collapsed elements. */
static bool no_node_twice(const NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag)
{
  const int n = raw->shape->nodes;

  for (PetscInt e = 0; e < raw->elements; e++) {
    const PetscInt *node  = raw->connection + n * e;
    PetscInt        twice = -1;
    for (int k = 0; k < n && twice < 0; k++)
      for (int j = 0; j < k; j++) twice = node[j] == node[k] ? node[k] : twice;
    if (twice < 0 || NsMeshCollapsed(raw->shape, node)) continue;
    NsDiagError(diag, place, "%s has the node at %s twice", NsMeshElementName(raw, number, e, arena), NsMeshPoint(raw, twice, arena));
    NsDiagNote(diag, "use the element types of these shapes: triangles, tetrahedra, prisms or pyramids");
    return false;
  }
  return true;
}

/* Warns of mid-edge nodes far from the middle of their edges, in elements that are not inverted. */
static void warn_off_middle(const NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag)
{
  static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}}; /* of a ten-node tetrahedron */
  PetscReal        most       = 0;
  PetscInt         worst = -1, off = 0, at = -1;

  if (raw->shape != &NsMeshShape_Tet10) return;
  for (PetscInt e = 0; e < raw->elements; e++) {
    const PetscInt *node  = raw->connection + raw->shape->nodes * e;
    PetscReal       share = 0;
    for (int k = 0; k < 6; k++) {
      const PetscReal *a = raw->x + 3 * node[ends[k][0]], *b = raw->x + 3 * node[ends[k][1]], *x = raw->x + 3 * node[4 + k];
      PetscReal        length = 0, away = 0;
      for (int d = 0; d < 3; d++) {
        length += PetscSqr(b[d] - a[d]);
        away += PetscSqr(x[d] - (a[d] + b[d]) / 2);
      }
      share = PetscMax(share, PetscSqrtReal(away / length));
      if (PetscSqrtReal(away / length) <= PetscMax(most, NS_OFF_MIDDLE)) continue;
      most  = PetscSqrtReal(away / length);
      worst = e;
      at    = node[4 + k];
    }
    off += share > NS_OFF_MIDDLE;
  }
  if (worst < 0) return;
  NsDiagWarning(diag, place, "the node at %s is the middle of an edge of %s, but lies %.2g of the edge's length away from there%s",
    NsMeshPoint(raw, at, arena), NsMeshElementName(raw, number, worst, arena), most,
    off > 1 ? NsArenaPrint(arena, " (so do nodes of %ld more)", (long)(off - 1)) : "");
  NsDiagNote(diag, "this costs accuracy: smaller elements where the surface is curved, or Mesh.HighOrderOptimize = 1; in the .geo file");
}

bool NsMeshCheckCells(NsMesh *raw, const PetscInt *number, NsPlace place, NsArena *arena, NsDiag *diag)
{
  PetscInt  bad = 0, first = -1, against = 0;
  PetscReal worst = 0;

  if (!no_node_twice(raw, number, place, arena, diag)) return false;
  for (PetscInt e = 0; e < raw->elements; e++) {
    PetscReal least, largest;
    senses_of(raw, e, &least, &largest);
    against += largest < -NS_FLAT_CELL;
  }
  if (against == raw->elements) turn(raw, arena);
  for (PetscInt e = 0; e < raw->elements; e++) {
    PetscReal least, largest;
    senses_of(raw, e, &least, &largest);
    if (least > NS_FLAT_CELL) continue;
    if (bad++ == 0) {
      first = e;
      worst = least;
    }
  }
  if (!bad) warn_off_middle(raw, number, place, arena, diag);
  if (!bad) return true;
  NsDiagError(diag, place, "%s is %s%s", NsMeshElementName(raw, number, first, arena),
    worst < -NS_FLAT_CELL ? "inverted: its Jacobian is negative" : "degenerate: its Jacobian is zero",
    bad > 1 ? NsArenaPrint(arena, ", and %ld more like it", (long)(bad - 1)) : "");
  NsDiagNote(diag, raw->shape == &NsMeshShape_Tet10
                     ? "second-order nodes are misplaced: Mesh.HighOrderOptimize = 1; in the .geo file, or Mesh.ElementOrder = 1;"
                     : "mesh again with smaller or better shaped elements (Gmsh: Tools, Statistics shows the worst ones)");
  return false;
}
