/* Size, mass and warnings of solids, as `check` prints them. */
#include "fe.h"

static void measure(const NsFe *fe, const NsFeBody *body, NsFeSolid *solid)
{
  *solid = (NsFeSolid){.name = body->name,
    .element                 = body->element->name,
    .elements                = body->mesh->elements,
    .nodes                   = body->mesh->nodes,
    .by_matrices             = body->bounds != NULL};
  for (int d = 0; d < 3; d++) {
    PetscReal low = body->mesh->x[d], high = low;
    for (PetscInt i = 1; i < body->mesh->nodes; i++) {
      low  = PetscMin(low, body->mesh->x[3 * i + d]);
      high = PetscMax(high, body->mesh->x[3 * i + d]);
    }
    solid->size[d] = high - low;
  }
  for (PetscInt i = 0; i < body->mesh->elements; i++) solid->mass += body->element->total_mass(body, &fe->element[body->first_element + i]);
}

PetscBool NsFeHasSolids(const NsFe *fe)
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt b = 0; b < fe->bodies; b++) any = any || fe->body[b].solid;
  return any;
}

PetscBool NsFeNextSolid(NsModel *model, PetscInt *next, NsFeSolid *solid)
{
  return NsFeMeasure(model->data, next, solid);
}

PetscBool NsFeMeasure(const NsFe *fe, PetscInt *next, NsFeSolid *solid)
{
  while (*next < fe->bodies && !fe->body[*next].solid && !fe->body[*next].bounds) ++*next;
  if (*next >= fe->bodies) return PETSC_FALSE;
  measure(fe, &fe->body[(*next)++], solid);
  return PETSC_TRUE;
}
