/*
  Meshes of several shapes. Such a mesh has one shape, its host: quadrangles, with triangles among them, or hexahedra, with tetrahedra, prisms and pyramids. These are hosts with repeated nodes,

      triangle a b c c        tetrahedron a b c c d d d d        prism a b c c d e f f        pyramid a b c d e e e e

  so that every element of a mesh has the same number of nodes. The shape function of a node is the sum of those of its positions: for triangles and tetrahedra it is linear, and on the sides
  they agree with those of the neighbours. Sides that shrink to an edge or a point do not count as sides.
*/
#pragma once
#include "percuss/mesh.h"

/* Shapes of single elements, which no mesh has as its host. */
extern const NsMeshShape NsMeshShape_Prism, NsMeshShape_Pyramid;

typedef struct {
  const NsMeshShape *shape, *host; /* the shape of the element, and that of the mesh */
  int                node_at[8];   /* [host->nodes] the node of the element at each position of the host */
  int                position[6];  /* [shape->nodes] the first position of each node of the element */
  int                mirror[6];    /* [shape->nodes] order of its nodes in the mirrored element, to turn an inverted one round */
} NsMeshCollapse;

/* How an element of this shape is written as its host; NULL: no mesh takes it as a collapsed element. */
const NsMeshCollapse *NsMeshCollapseOf(const NsMeshShape *shape);
/* The same by the nodes of an element of a mesh, node[host->nodes]; NULL: it is not collapsed. */
const NsMeshCollapse *NsMeshCollapsed(const NsMeshShape *host, const PetscInt *node);
/* Whether the node at position k has an earlier position too. */
static inline bool NsMeshRepeated(const NsMeshCollapse *collapse, int k)
{
  return collapse && collapse->position[collapse->node_at[k]] != k;
}
