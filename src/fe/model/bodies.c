/*
  The bodies of a config: their meshes in one numbering, their elements, and checks of their keys.
*/
#include <string.h>
#include "fe.h"

#define NS_BODY(name) extern const NsBodyType NsBodyType_##name;
#include "fe/bodies/list.h"
#undef NS_BODY

static const NsBodyType *const types[] = {
#define NS_BODY(name) &NsBodyType_##name,
#include "fe/bodies/list.h"
#undef NS_BODY
  NULL,
};

const NsElementType *const NsElementTypes[] = {
#define NS_ELEMENT(name) &NsElementType_##name,
#include "fe/elements/list.h"
#undef NS_ELEMENT
  NULL,
};

static const NsBodyType *type_of(const NsVariant *variant)
{
  const NsBodyType *const *type = types;

  while (*type && (*type)->variant != variant) type++;
  return *type;
}

/* Elements of a body: their nodes, and room for their own data. */
static void create_elements(NsFe *fe, NsFeBody *body)
{
  const NsMesh  *mesh  = body->mesh;
  const PetscInt nodes = body->element ? body->element->nodes : 0;
  PetscInt      *node  = NsArenaAlloc(fe->arena, sizeof(*node) * (size_t)(nodes * mesh->elements + 1));
  char          *data  = NsArenaAlloc(fe->arena, (body->element ? body->element->size : 0) * (size_t)mesh->elements + 1);

  for (PetscInt i = 0; i < nodes * mesh->elements; i++) node[i] = body->first_node + mesh->connection[i];
  for (PetscInt i = 0; i < mesh->elements; i++)
    fe->element[body->first_element + i] =
      (NsFeElement){.body = (PetscInt)(body - fe->body), .node = node + nodes * i, .data = data + body->element->size * (size_t)i};
}

/* Meshes of all bodies, then their nodes and elements in one numbering, body after body. */
PetscErrorCode NsFeBodies(NsFe *fe)
{
  const NsList   *list   = &fe->config->bodies;
  const NsChosen *chosen = list->items;

  PetscFunctionBegin;
  fe->bodies = list->count;
  fe->body   = NsArenaAlloc(fe->arena, sizeof(*fe->body) * (size_t)list->count);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody *body = &fe->body[b];
    NsMesh   *mesh = NULL;
    body->name     = list->names[b];
    if (!strcmp(body->name, "ground")) NsDiagError(fe->diag, list->where[b]->key_place, "the name 'ground' is reserved for points fixed in space");
    body->where            = list->where[b];
    const NsBodyType *type = type_of(chosen[b].variant);
    PetscCall(type->mesh(chosen[b].settings, fe, &mesh));
    if (!mesh) continue;
    body->mesh          = mesh;
    body->element       = type->choose ? type->choose(mesh) : type->element;
    body->first_node    = fe->nodes;
    body->first_element = fe->elements;
    fe->nodes += mesh->nodes;
    fe->elements += mesh->elements;
  }
  if (NsDiagErrors(fe->diag)) PetscFunctionReturn(0);

  fe->x         = NsArenaAlloc(fe->arena, sizeof(*fe->x) * 3 * (size_t)fe->nodes);
  fe->node_body = NsArenaAlloc(fe->arena, sizeof(*fe->node_body) * (size_t)fe->nodes);
  fe->element   = NsArenaAlloc(fe->arena, sizeof(*fe->element) * (size_t)(fe->elements + 1));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    NsFeBody     *body = &fe->body[b];
    const NsMesh *mesh = body->mesh;
    PetscCall(PetscArraycpy(fe->x + 3 * body->first_node, mesh->x, 3 * mesh->nodes));
    for (PetscInt i = 0; i < mesh->nodes; i++) fe->node_body[body->first_node + i] = b;
    create_elements(fe, body);
    PetscCall(type_of(chosen[b].variant)->build(chosen[b].settings, fe, body));
    body->first_dof = fe->dofs;
    fe->dofs += mesh->nodes * body->node_unknowns;
  }
  fe->unknown = NsArenaAlloc(fe->arena, sizeof(*fe->unknown) * (size_t)(fe->dofs + 1));
  PetscFunctionReturn(0);
}

/* Whether the matrices of an element can be computed with; the largest entry of its stiffness. */
static PetscBool matrices_in_range(const NsFeBody *body, const NsFeElement *e, PetscReal *stiffness)
{
  PetscReal      M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  const PetscInt n        = NsFeElementSize(body);
  PetscBool      in_range = PETSC_TRUE;

  body->element->mass(body, e, M);
  body->element->stiffness(body, e, K);
  *stiffness = 0;
  for (PetscInt i = 0; i < n * n; i++) {
    const PetscInt  k      = i / (n * body->node_unknowns);
    const PetscBool single = k == 0 || e->node[k] != e->node[k - 1]; /* in collapsed elements a node has its mass at its first position */
    if (!(PetscAbsReal(K[i]) < 1e30) || !(PetscAbsReal(M[i]) < 1e30) || (i % (n + 1) == 0 && single && !(M[i] > 1e-60))) in_range = PETSC_FALSE;
    if (!(PetscAbsReal(K[i]) <= *stiffness)) *stiffness = PetscAbsReal(K[i]);
  }
  return in_range && *stiffness > 1e-60;
}

/* Keys that are valid one by one may still give matrices out of range. */
static void check_elements(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = 0; i < body->mesh->elements && !body->bounds; i++) { /* matrices have been checked as a whole */
      const NsFeElement *e = &fe->element[body->first_element + i];
      PetscReal          stiffness, length = 0;
      if ((i > 0 && NsFeAlike(body, e, e - 1, NS_SAME_AXIS)) || matrices_in_range(body, e, &stiffness)) continue;
      NsDiagError(fe->diag, body->where->key_place,
        "an element of '%s' is out of range: its mass is %.4g kg, the largest entry of its stiffness %.4g", body->name,
        body->element->total_mass(body, e), stiffness);
      for (int k = 0; k < 3; k++) length += PetscSqr(fe->x[3 * e->node[body->element->nodes - 1] + k] - fe->x[3 * e->node[0] + k]);
      NsDiagNote(
        fe->diag, "check the material, the section (shear_factor, axial_force) and the size of the elements (%.4g m)", PetscSqrtReal(length));
      break;
    }
  }
}

/* Components of the initial state that a body cannot follow: bars move along their line, planar trusses in their plane. */
static void check_initial(NsFe *fe, const NsFeBody *body, const char *key, const PetscReal value[3])
{
  PetscReal left[3], size = 0, rest = 0;

  for (int k = 0; k < 3; k++) left[k] = value[k];
  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscReal *d = body->direction[a];
    if (body->turns[a]) continue;
    for (int k = 0; k < 3; k++) left[k] -= NsDot3(value, d) * d[k];
  }
  for (int k = 0; k < 3; k++) {
    size = PetscMax(size, PetscAbsReal(value[k]));
    rest = PetscMax(rest, PetscAbsReal(left[k]));
  }
  const NsPlace place = NsKeysPlace(NsTreeChild(body->where, "initial"), key);
  if (size > 1e60)
    NsDiagError(fe->diag, place, "%s of '%s' is out of range: %g", key, body->name, size);
  else if (rest > 1e-9 * size && body->node_unknowns == 1) {
    NsDiagWarning(fe->diag, place, "'%s' moves along (%g, %g, %g) only: the other components of this %s are ignored", body->name,
      body->direction[0][0], body->direction[0][1], body->direction[0][2], key);
  } else if (rest > 1e-9 * size) {
    NsDiagWarning(fe->diag, place, "'%s' moves %s only: the other components of this %s are ignored", body->name,
      body->is_rotor ? "across its axis" : "in the x-y plane", key);
  }
}

/* Damping and spin. */
static void check_rates(NsFe *fe, const NsFeBody *body)
{
  const PetscReal spin = NsSpinHighest(body->spin);

  if (!NsFeIsInRange(body->damping_mass) || !NsFeIsInRange(body->damping_stiffness) || !NsFeIsInRange(body->damping_torsion) ||
      !NsFeIsInRange(body->damping_rotating)) {
    NsDiagError(fe->diag, NsKeysPlace(body->where, "damping"), "the damping of '%s' is out of range: %g 1/s, %g s, %g N m s", body->name,
      body->damping_mass, PetscMax(body->damping_stiffness, body->damping_rotating), body->damping_torsion);
  }
  if (!NsFeIsInRange(spin)) NsDiagError(fe->diag, NsKeysPlace(body->where, "spin"), "the spin of '%s' is out of range: %g rad/s", body->name, spin);
}

void NsFeCheckBodies(NsFe *fe)
{
  const PetscReal *g     = fe->gravity;
  PetscBool        moves = PETSC_FALSE;

  check_elements(fe);
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    check_rates(fe, body);
    if (NsTreeChild(body->where, "initial")) {
      check_initial(fe, body, "velocity", body->velocity);
      check_initial(fe, body, "displacement", body->displacement);
    }
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (!body->turns[a] && NsDot3(g, body->direction[a]) != 0) moves = PETSC_TRUE;
    }
  }
  if ((g[0] != 0 || g[1] != 0 || g[2] != 0) && !moves) {
    NsDiagWarning(fe->diag, NsKeysPlace(fe->config->where, "gravity"), "gravity has no effect: no node can move in its direction");
  }
}

/* What bodies have beside their elements. */
void NsFeAttachBodies(NsFe *fe)
{
  const NsChosen *chosen = fe->config->bodies.items;

  for (PetscInt b = 0; b < fe->bodies && !NsDiagErrors(fe->diag); b++) {
    const NsBodyType *type = type_of(chosen[b].variant);
    if (type->attach) type->attach(chosen[b].settings, fe, &fe->body[b]);
  }
}
