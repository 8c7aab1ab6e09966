/* Which node and direction the equations are, for files of other programs. */
#include "fe.h"

PetscBool NsFeListDofs(NsModel *model, NsFeDof *dof, const char **body)
{
  const NsFe *fe = model->data;

  for (PetscInt i = 0; i < fe->nodes; i++) {
    const NsFeBody *of      = &fe->body[fe->node_body[i]];
    const PetscInt *unknown = NsFeNodeUnknowns(fe, i);
    for (PetscInt a = 0; a < of->node_unknowns; a++) {
      const PetscReal *d    = of->direction[a];
      int              axis = 0;
      if (unknown[a] < 0) continue;
      for (int k = 1; k < 3; k++) axis = PetscAbsReal(d[k]) > PetscAbsReal(d[axis]) ? k : axis;
      *body = of->name;
      if (PetscAbsReal(d[axis]) < 1 - 1e-12) return PETSC_FALSE;
      dof[unknown[a]] = (NsFeDof){.node = i, .direction = axis + 1 + (of->turns[a] ? 3 : 0), .sign = d[axis] < 0 ? -1 : 1};
    }
  }
  return PETSC_TRUE;
}

PetscInt NsFeNodes(NsModel *model, const PetscReal **x)
{
  const NsFe *fe = model->data;

  *x = fe->x;
  return fe->nodes;
}

PetscInt NsFeNodeSets(NsModel *model, NsFeNodeSet *sets)
{
  const NsFe *fe    = model->data;
  PetscInt    count = 0;

  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt s = 0; s < body->mesh->node_sets; s++, count++) {
      if (sets)
        sets[count] = (NsFeNodeSet){.body = fe->bodies > 1 ? body->name : NULL,
          .name                           = body->mesh->node_set[s].name,
          .first                          = body->first_node,
          .count                          = body->mesh->node_set[s].count,
          .item                           = body->mesh->node_set[s].items};
    }
  }
  return count;
}
