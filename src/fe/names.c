/*
  Names of places on bodies: "bar.left" (named nodes) and "bar@0.5" (a fraction of the length), and what lies there.
*/
#include <stdio.h>
#include <string.h>
#include "fe.h"
#include "percuss/units.h"

const NsFeBody *NsFeFindBody(NsFe *fe, const char *name, size_t length, NsPlace place)
{
  const char *word = NsArenaCopy(fe->arena, name, length), *near;

  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!strcmp(fe->body[b].name, word)) return &fe->body[b];
  }
  near = NsNearestWord(word, fe->config->bodies.names);
  NsDiagError(fe->diag, place, "there is no body '%s'%s%s%s", word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  return NULL;
}

const PetscInt *NsFeFindNodes(NsFe *fe, const char *name, NsPlace place, PetscBool allow_ground, PetscInt *count)
{
  const char *dot = strchr(name, '.');

  *count = 0;
  if (allow_ground && !strcmp(name, "ground")) return fe->unknown; /* any address: nothing is read for count 0 */
  if (strchr(name, '@')) {
    NsDiagError(fe->diag, place, "'%s' is a point of a body; nodes are wanted here", name);
    NsDiagNote(fe->diag, "name the node below the body's mesh, such as nodes: {here: 0.5 m}, and write body.here");
    return NULL;
  }
  if (!dot) {
    static const char *const ground[] = {"ground", NULL};
    const char              *near     = allow_ground ? NsNearestWord(name, ground) : NULL;
    NsDiagError(fe->diag, place, "'%s' names no nodes%s", name, near ? "; did you mean 'ground'?" : "");
    NsDiagNote(fe->diag, "write body.nodes, such as %s.all%s", fe->body[0].name, allow_ground ? ", or ground" : "");
    return NULL;
  }
  const NsFeBody  *body = NsFeFindBody(fe, name, (size_t)(dot - name), place);
  const NsMeshSet *set  = body ? NsMeshNodeSet(body->mesh, dot + 1) : NULL;
  if (!body) return NULL;
  if (!set) {
    NsMeshNodeSetError(body->mesh, dot + 1, place, fe->arena, fe->diag);
    return NULL;
  }
  PetscInt *nodes = NsArenaAlloc(fe->arena, sizeof(*nodes) * (size_t)PetscMax(1, set->count));
  for (PetscInt i = 0; i < set->count; i++) nodes[i] = body->first_node + set->items[i];
  *count = set->count;
  return nodes;
}

PetscBool NsFeFindNode(NsFe *fe, const char *name, NsPlace place, PetscBool allow_ground, PetscInt *node)
{
  PetscInt        count;
  const PetscInt *nodes = NsFeFindNodes(fe, name, place, allow_ground, &count);

  if (!nodes) return PETSC_FALSE;
  if (count > 1) {
    NsDiagError(fe->diag, place, "'%s' are %d nodes, but one is wanted here", name, (int)count);
    return PETSC_FALSE;
  }
  *node = count ? nodes[0] : -1;
  return PETSC_TRUE;
}

PetscBool NsFeAxis(const NsFe *fe, PetscInt node, PetscReal axis[3])
{
  const NsFeBody *body = &fe->body[fe->node_body[node]];
  const NsMesh   *mesh = body->mesh;
  PetscInt        element;
  PetscReal       fraction;

  if (!mesh->along || !NsMeshLocate(mesh, mesh->along[node - body->first_node], &element, &fraction)) return PETSC_FALSE;
  const NsFeElement *e    = &fe->element[body->first_element + element];
  const PetscReal    sign = node == e->node[0] && fraction < 0.5 ? -1 : 1; /* at the first end of the chain: outwards */
  for (int k = 0; k < 3; k++) axis[k] = sign * (fe->x[3 * e->node[1] + k] - fe->x[3 * e->node[0] + k]) / e->length + 0.0; /* no -0 for the reader */
  return PETSC_TRUE;
}

static void add_entry(NsProbeColumn *column, PetscInt unknown, PetscReal weight)
{
  if (unknown < 0 || weight == 0) return;
  column->unknown[column->entries]  = unknown;
  column->weight[column->entries++] = weight;
}

/* Columns ux, uy, uz, vx, vy, vz of a point between two nodes, as many as the body can move in; stress where it lies within an element. */
static void fill_probe(const NsFe *fe, const NsFeBody *body, const NsFeElement *element, const PetscInt node[2], PetscReal fraction, NsProbe *probe)
{
  static const char *const suffixes[] = {"ux", "uy", "uz", "vx", "vy", "vz", "stress"};

  for (int c = 0; c < 6; c++) {
    NsProbeColumn column = {.suffix = suffixes[c], .of_velocity = c >= 3};
    PetscBool     moves  = PETSC_FALSE;
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      const PetscReal d = body->direction[a][c % 3];
      if (d != 0) moves = PETSC_TRUE;
      add_entry(&column, fe->unknown[NS_NODE_UNKNOWNS * node[0] + a], d * (1 - fraction));
      if (fraction > 0) add_entry(&column, fe->unknown[NS_NODE_UNKNOWNS * node[1] + a], d * fraction);
    }
    if (moves) probe->column[probe->columns++] = column;
  }
  if (element) {
    /* stress is linear in the element's unknowns: its coefficients are the stresses of unit displacements */
    NsProbeColumn  column = {.suffix = suffixes[6]};
    PetscInt       unknown[NS_ELEMENT_UNKNOWNS];
    const PetscInt n = NsFeElementUnknowns(fe, element, unknown);
    for (PetscInt i = 0; i < n; i++) {
      PetscReal unit[NS_ELEMENT_UNKNOWNS] = {0};
      unit[i]                             = 1;
      add_entry(&column, unknown[i], body->element->normal_force(element, body->node_unknowns, unit) / element->area);
    }
    probe->column[probe->columns++] = column;
  }
}

PetscErrorCode NsFeProbe(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size)
{
  NsFe       *fe   = model->data;
  const char *mark = name + strcspn(name, ".@"), *near;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscMemzero(probe, sizeof(*probe)));
  probe->name = name;
  near        = NsNearestWord(name, model->probe_names);
  (void)snprintf(why, size, "there is no point '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  for (PetscInt b = 0; b < fe->bodies && *mark; b++) {
    const NsFeBody *body = &fe->body[b];
    const size_t    n    = strlen(body->name);
    if ((size_t)(mark - name) != n || strncmp(name, body->name, n)) continue;
    if (*mark == '.') {
      const NsMeshSet *set = NsMeshNodeSet(body->mesh, mark + 1);
      if (set && set->count != 1) (void)snprintf(why, size, "'%s' is %d nodes; a probe is one", name, (int)set->count);
      if (!set || set->count != 1) break;
      const PetscInt node = body->first_node + set->items[0];
      fill_probe(fe, body, NULL, (PetscInt[2]){node, node}, 0, probe);
    } else {
      double    where;
      PetscInt  element;
      PetscReal fraction;
      if (NsParseNumber(mark + 1, &where) || where < 0 || where > 1) break;
      if (!NsMeshLocate(body->mesh, where * body->mesh->length, &element, &fraction)) {
        (void)snprintf(why, size, "'%s' is a fraction of a length, but the mesh of '%s' is no single open line", name, body->name);
        break;
      }
      const NsFeElement *e = &fe->element[body->first_element + element];
      fill_probe(fe, body, e, e->node, fraction, probe);
    }
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeNameUnknown(NsModel *model, PetscInt unknown, char *text, size_t size)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, size, "unknown %" PetscInt_FMT, unknown));
  for (PetscInt i = 0; i < NS_NODE_UNKNOWNS * fe->nodes; i++) {
    const PetscInt   node = i / NS_NODE_UNKNOWNS, a = i % NS_NODE_UNKNOWNS;
    const NsFeBody  *body = &fe->body[fe->node_body[node]];
    const PetscReal *x    = fe->x + 3 * node;
    if (a >= body->node_unknowns || fe->unknown[i] != unknown) continue;
    (void)snprintf(text, size, "%s at (%g, %g, %g) m, displacement along (%g, %g, %g)", body->name, x[0], x[1], x[2], body->direction[a][0],
      body->direction[a][1], body->direction[a][2]);
    break;
  }
  PetscFunctionReturn(0);
}
