/* Triangles among quadrangles; tetrahedra, prisms and pyramids among hexahedra (collapsed.h). */
#include "collapsed.h"

/* For files only: in a mesh they are collapsed hexahedra. */
const NsMeshShape NsMeshShape_Prism   = {"prisms", 3, 6, 6, 5, NULL, NULL};
const NsMeshShape NsMeshShape_Pyramid = {"pyramids", 3, 5, 5, 5, NULL, NULL};

static const NsMeshCollapse all[] = {
  {&NsMeshShape_Tri3, &NsMeshShape_Quad4, {0, 1, 2, 2}, {0, 1, 2}, {0, 2, 1}},
  {&NsMeshShape_Tet4, &NsMeshShape_Hex8, {0, 1, 2, 2, 3, 3, 3, 3}, {0, 1, 2, 4}, {0, 2, 1, 3}},
  {&NsMeshShape_Prism, &NsMeshShape_Hex8, {0, 1, 2, 2, 3, 4, 5, 5}, {0, 1, 2, 4, 5, 6}, {3, 4, 5, 0, 1, 2}},
  {&NsMeshShape_Pyramid, &NsMeshShape_Hex8, {0, 1, 2, 3, 4, 4, 4, 4}, {0, 1, 2, 3, 4}, {0, 3, 2, 1, 4}},
};
enum { KINDS = sizeof(all) / sizeof(*all) };

const NsMeshCollapse *NsMeshCollapseOf(const NsMeshShape *shape)
{
  for (int k = 0; k < KINDS; k++)
    if (all[k].shape == shape) return &all[k];
  return NULL;
}

static bool has_nodes(const NsMeshCollapse *collapse, const PetscInt *node)
{
  for (int k = 0; k < collapse->host->nodes; k++)
    for (int j = 0; j < k; j++)
      if ((node[j] == node[k]) != (collapse->node_at[j] == collapse->node_at[k])) return false;
  return true;
}

const NsMeshCollapse *NsMeshCollapsed(const NsMeshShape *host, const PetscInt *node)
{
  if (host != &NsMeshShape_Quad4 && host != &NsMeshShape_Hex8) return NULL;
  if (node[2] != node[3] && (host == &NsMeshShape_Quad4 || node[4] != node[5])) return NULL; /* most elements are not collapsed */
  for (int k = 0; k < KINDS; k++)
    if (all[k].host == host && has_nodes(&all[k], node)) return &all[k];
  return NULL;
}
