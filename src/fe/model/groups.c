/* Named groups of the meshes of a model, as `check` lists them. */
#include <string.h>
#include "fe.h"
#include "fe/reduce/reduce.h"

/* Node sets, then element sets: those of one name are one group. */
static PetscInt count_of(const NsMesh *mesh)
{
  return mesh->node_sets + mesh->element_sets;
}

PetscBool NsFeNextGroup(const NsModel *model, PetscInt *next, NsFeGroup *group)
{
  const NsFe *fe    = NsModelIsReduced(model) ? ((const NsFeReduced *)model->data)->whole->data : model->data;
  PetscInt    first = 0;

  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsMesh *mesh = fe->body[b].mesh;
    if (!mesh->from_file) continue; /* the groups of generated meshes are documented in the guide */
    for (; *next < first + count_of(mesh); ++*next) {
      const PetscInt       i        = *next - first;
      const NsMeshSet     *set      = i < mesh->node_sets ? &mesh->node_set[i] : &mesh->element_set[i - mesh->node_sets];
      const NsMeshSet     *elements = NsMeshElementSet(mesh, set->name);
      const NsMeshSideSet *sides    = mesh->side_sets ? NsMeshSides(mesh, set->name) : NULL;
      if (i >= mesh->node_sets && NsMeshNodeSet(mesh, set->name)) continue; /* listed with its nodes */
      *group = (NsFeGroup){.body = fe->body[b].name, .name = set->name, .dimension = mesh->shape ? mesh->shape->dimension : 0};
      if (i < mesh->node_sets) group->nodes = set->count;
      if (elements) group->elements = elements->count;
      if (sides) group->sides = sides->count;
      ++*next;
      return PETSC_TRUE;
    }
    first += count_of(mesh);
  }
  return PETSC_FALSE;
}
