/*
  The shapes of elements: nodes as Gmsh numbers them, and their sides.

  Seen from outside, the corners of a side of a body in space run counter-clockwise; a side of a plane one has the body on its left. After the corners come the middles of edges.
*/
#include "percuss/mesh.h"

static const int tri3_sides[][6]  = {{0, 1}, {1, 2}, {2, 0}};
static const int quad4_sides[][6] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int tet4_sides[][6]  = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
static const int tet10_sides[][6] = {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 9, 7}, {1, 2, 3, 5, 8, 9}, {0, 3, 2, 7, 8, 6}};
static const int hex8_sides[][6]  = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

const NsMeshShape NsMeshShape_Line2 = {"two-node lines", 1, 2, 2, 0, NULL, NULL};
const NsMeshShape NsMeshShape_Line3 = {"three-node lines", 1, 3, 2, 0, NULL, NULL};
const NsMeshShape NsMeshShape_Tri3  = {"triangles", 2, 3, 3, 3, &NsMeshShape_Line2, tri3_sides};
const NsMeshShape NsMeshShape_Tri6  = {"six-node triangles", 2, 6, 3, 0, NULL, NULL};
const NsMeshShape NsMeshShape_Quad4 = {"quadrangles", 2, 4, 4, 4, &NsMeshShape_Line2, quad4_sides};
const NsMeshShape NsMeshShape_Tet4  = {"tetrahedra", 3, 4, 4, 4, &NsMeshShape_Tri3, tet4_sides};
const NsMeshShape NsMeshShape_Tet10 = {"ten-node tetrahedra", 3, 10, 4, 4, &NsMeshShape_Tri6, tet10_sides};
const NsMeshShape NsMeshShape_Hex8  = {"hexahedra", 3, 8, 8, 6, &NsMeshShape_Quad4, hex8_sides};
