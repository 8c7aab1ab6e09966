/*
  Elements of several shapes in one mesh: in a mesh of quadrangles also triangles, in one of hexahedra also tetrahedra, prisms and pyramids. They have nodes twice,

      triangle a b c c        tetrahedron a b c c d d d d        prism a b c c d e f f        pyramid a b c d e e e e

  so that every element of a mesh has the same number of nodes. The shape function of a node is the sum of those of its positions: for triangles and tetrahedra it is linear, and on the sides
  they agree with those of the neighbours. Sides that shrink to an edge or a point do not count as sides.
*/
#pragma once
#include "percuss/mesh.h"

/* Shapes that a mesh as a whole does not have. */
extern const NsMeshShape NsMeshShape_Prism, NsMeshShape_Pyramid;

typedef struct {
  const NsMeshShape *shape, *host; /* the shape of the element, and that of the mesh */
  int                node_at[8];   /* [host->nodes] which of its nodes is at this position */
  int                position[6];  /* [shape->nodes] its first position */
  int                mirror[6];    /* [shape->nodes] its nodes the other way round */
} NsMeshCollapse;

/* How elements of one shape are part of a mesh of another; NULL: they cannot be. */
const NsMeshCollapse *NsMeshCollapseOf(const NsMeshShape *shape);
/* The shape of an element with these nodes; NULL: that of the mesh, `host`. */
const NsMeshCollapse *NsMeshCollapsed(const NsMeshShape *host, const PetscInt *node);
/* Whether the node at position k has an earlier position too. */
static inline bool NsMeshRepeated(const NsMeshCollapse *collapse, int k)
{
  return collapse && collapse->position[collapse->node_at[k]] != k;
}
