/*
  The bodies of a config: their meshes in one numbering, their elements by type, what of their keys does not go together, and what they bring beside elements.
*/
#include <string.h>
#include "fe.h"

#define NS_BODY(name) extern const NsBodyType NsBodyType_##name;
#include "list.h"
#undef NS_BODY

static const NsBodyType *const types[] = {
#define NS_BODY(name) &NsBodyType_##name,
#include "list.h"
#undef NS_BODY
  NULL,
};

/* Length and axis. */
static void measure(const NsFe *fe, NsFeElement *e)
{
  const PetscReal *a = fe->x + 3 * e->node[0], *b = fe->x + 3 * e->node[1];

  e->length = PetscSqrtReal(PetscSqr(b[0] - a[0]) + PetscSqr(b[1] - a[1]) + PetscSqr(b[2] - a[2]));
  for (int k = 0; k < 3; k++) e->axis[k] = (b[k] - a[k]) / e->length;
}

/*
  Meshes of all bodies, then their nodes and elements in one numbering, body after body. Elements that follow each other and are equally long but for the
  rounding of their coordinates get the same length to the last bit: then the rows of K sum to zero exactly, and a body in free flight feels no force at all.
  (With lengths as they come, 1e-11 N a node pushed the bar of 50 elements all the way, and the energy of a long flight grew with the square of time.)
*/
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
    if (!strcmp(body->name, "ground")) NsDiagError(fe->diag, list->where[b]->key_place, "'ground' is what does not move: a body needs another name");
    body->where = list->where[b];
    for (const NsBodyType *const *type = types; *type; type++) {
      if ((*type)->variant == chosen[b].variant) PetscCall((*type)->mesh(chosen[b].settings, fe, &mesh));
    }
    if (!mesh) continue;
    body->mesh          = mesh;
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
    NsFeBody     *body   = &fe->body[b];
    const NsMesh *mesh   = body->mesh;
    PetscReal     extent = 0;
    PetscCall(PetscArraycpy(fe->x + 3 * body->first_node, mesh->x, 3 * mesh->nodes));
    for (PetscInt i = 0; i < 3 * mesh->nodes; i++) extent = PetscMax(extent, PetscAbsReal(mesh->x[i]));
    for (PetscInt i = 0; i < mesh->nodes; i++) fe->node_body[body->first_node + i] = b;
    for (PetscInt i = 0; i < mesh->elements; i++) {
      NsFeElement *e = &fe->element[body->first_element + i];
      e->body        = b;
      for (int k = 0; k < 2; k++) e->node[k] = body->first_node + mesh->connection[2 * i + k];
      measure(fe, e);
      if (i > 0 && PetscAbsReal(e->length - e[-1].length) <= 8 * PETSC_MACHINE_EPSILON * extent) e->length = e[-1].length;
    }
    for (const NsBodyType *const *type = types; *type; type++) {
      if ((*type)->variant == chosen[b].variant) PetscCall((*type)->build(chosen[b].settings, fe, body));
    }
    body->first_slot = fe->slots;
    fe->slots += mesh->nodes * body->node_unknowns;
  }
  fe->unknown = NsArenaAlloc(fe->arena, sizeof(*fe->unknown) * (size_t)(fe->slots + 1));
  PetscFunctionReturn(0);
}

/* Mass and stiffness of a beam's bending and twisting. */
static PetscBool matrices_in_range(const NsFeBody *body, const NsFeElement *e)
{
  PetscReal      M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
  const PetscInt n = 2 * body->node_unknowns;

  body->element->mass(body, e, M);
  body->element->stiffness(body, e, K);
  for (PetscInt i = 0; i < n * n; i++) {
    if (!(PetscAbsReal(K[i]) < 1e30) || !(PetscAbsReal(M[i]) < 1e30) || (i % (n + 1) == 0 && !(M[i] > 1e-60))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Products of keys that each are in order may still leave the range of numbers, or of sense. */
static void check_elements(NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = 0; i < body->mesh->elements; i++) {
      const NsFeElement *e    = &fe->element[body->first_element + i];
      const NsProperty  *p    = e->property[0];
      const PetscReal    mass = p->density * p->area * e->length, stiffness = p->young * p->area / e->length;
      if (mass > 1e-60 && mass < 1e30 && stiffness > 1e-60 && stiffness < 1e30) {
        if (!e->beam || (i > 0 && e->beam == e[-1].beam) || matrices_in_range(body, e)) continue;
        NsDiagError(
          fe->diag, body->where->key_place, "an element of '%s' has a mass or a stiffness in bending or torsion that is out of range", body->name);
        NsDiagNote(fe->diag, "look at section, shear_factor, material, axial_force and the length of the elements (%g m)", e->length);
        break;
      }
      NsDiagError(fe->diag, body->where->key_place, "an element of '%s' has a mass of %g kg and a stiffness of %g N/m: out of range", body->name,
        mass, stiffness);
      NsDiagNote(fe->diag, "look at density, young, section and the length of the elements (%g m)", e->length);
      break;
    }
  }
}

/* The part of a start that a body cannot follow is a mistake, or a thought too many: bars move along their line, planar trusses in their plane. */
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
    NsDiagWarning(fe->diag, place, "'%s' moves along (%g, %g, %g) alone: the rest of this %s is left out", body->name, body->direction[0][0],
      body->direction[0][1], body->direction[0][2], key);
  } else if (rest > 1e-9 * size) {
    NsDiagWarning(fe->diag, place, "'%s' moves %s alone: the rest of this %s is left out", body->name,
      body->is_rotor ? "across its axis" : "in the x-y plane", key);
  }
}

/* Damping and spin. */
static void check_rates(NsFe *fe, const NsFeBody *body)
{
  const PetscReal spin = NsSpinHighest(body->spin);

  if (!NsFeIsInRange(body->damping_mass) || !NsFeIsInRange(body->damping_stiffness) || !NsFeIsInRange(body->damping_torsion)) {
    NsDiagError(fe->diag, NsKeysPlace(body->where, "damping"), "the damping of '%s' is out of range: %g 1/s, %g s, %g N m s", body->name,
      body->damping_mass, body->damping_stiffness, body->damping_torsion);
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
    NsDiagWarning(fe->diag, NsKeysPlace(fe->config->where, "gravity"), "gravity moves nothing: no node can move in its direction");
  }
}

/* What bodies bring beside their elements. */
void NsFeAttachBodies(NsFe *fe)
{
  const NsChosen *chosen = fe->config->bodies.items;

  for (PetscInt b = 0; b < fe->bodies && !NsDiagErrors(fe->diag); b++) {
    for (const NsBodyType *const *type = types; *type; type++) {
      if ((*type)->variant == chosen[b].variant && (*type)->attach) (*type)->attach(chosen[b].settings, fe, &fe->body[b]);
    }
  }
}
