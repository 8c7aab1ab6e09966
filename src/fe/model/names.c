/*
  Names of points of bodies: "bar.left" (named nodes) and "bar@0.5" (a fraction of the length).
*/
#include <stdio.h>
#include <string.h>
#include "core/tree_copies.h"
#include "fe.h"
#include "percuss/units.h"

const NsFeBody *NsFeFindBody(NsFe *fe, const char *name, size_t length, NsPlace place)
{
  const char *word = NsArenaCopy(fe->arena, name, length);

  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!strcmp(fe->body[b].name, word)) return &fe->body[b];
  }
  NsDiagError(fe->diag, place, "there is no body '%s'%s", word, NsDidYouMeanBody(word, fe->config->bodies.names));
  return NULL;
}

/* "bar.left, bar.right (one node each)", and the sets unless `single`: what may be written in place of a wrong name. */
static const char *node_names(NsFe *fe, const NsFeBody *body, PetscBool single)
{
  const char *text = "";

  for (PetscInt i = 0; i < body->mesh->node_sets; i++) {
    const NsMeshSet *set = &body->mesh->node_set[i];
    if (set->count == 1) text = NsArenaPrint(fe->arena, "%s%s%s.%s", text, *text ? ", " : "", body->name, set->name);
  }
  if (*text) text = NsArenaPrint(fe->arena, "%s (one node)", text);
  for (PetscInt i = 0; i < body->mesh->node_sets && !single; i++) {
    const NsMeshSet *set = &body->mesh->node_set[i];
    if (set->count != 1) text = NsArenaPrint(fe->arena, "%s%s%s.%s (%d nodes)", text, *text ? ", " : "", body->name, set->name, (int)set->count);
  }
  return text;
}

/* The body that a name without nodes means, or the first. */
static const NsFeBody *nearest_body(NsFe *fe, const char *name)
{
  const char *nearest = NsNearestWord(name, fe->config->bodies.names);

  for (PetscInt b = 0; nearest && b < fe->bodies; b++) {
    if (!strcmp(fe->body[b].name, nearest)) return &fe->body[b];
  }
  return &fe->body[0];
}

/* The nodes of "body.set"; NULL after an error in diag. allow_ground, and whether a single node is wanted, are for the message alone. */
static const NsMeshSet *find_set(NsFe *fe, const char *name, NsPlace place, PetscBool allow_ground, PetscBool single, const NsFeBody **body)
{
  static const char *const ground[] = {"ground", NULL};
  const char              *dot      = strchr(name, '.');

  if (!dot) {
    NsDiagError(fe->diag, place, "'%s' names no nodes%s", name, NsDidYouMean(allow_ground ? NsNearestWord(name, ground) : NULL));
    NsDiagNote(fe->diag, "such as %s%s", node_names(fe, nearest_body(fe, name), single), allow_ground ? ", or ground" : "");
    if (!allow_ground && !strcmp(name, "ground"))
      NsDiagNote(fe->diag,
        "`ground` is not a node: a contact takes a surface, such as {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}; nodes are held to the ground by `supports`");
    return NULL;
  }
  *body = NsFeFindBody(fe, name, (size_t)(dot - name), place);
  if (!*body) return NULL;
  const NsMeshSet *set = NsMeshNodeSet((*body)->mesh, dot + 1);
  if (!set) NsMeshNodeSetError((*body)->mesh, dot + 1, place, fe->arena, fe->diag);
  return set;
}

const NsMeshSideSet *NsFeFindSides(NsFe *fe, const char *name, NsPlace place, const NsFeBody **body)
{
  const NsMeshSet     *set = find_set(fe, name, place, PETSC_FALSE, PETSC_FALSE, body);
  const NsMeshSideSet *sides;

  if (!set) return NULL;
  sides = NsMeshSides((*body)->mesh, set->name);
  if (sides) return sides;
  NsDiagError(fe->diag, place, "'%s' are nodes, but no sides of elements on the surface of a solid", name);
  const NsMesh *mesh = (*body)->mesh;
  const char   *text = "";
  for (PetscInt s = 0; s < mesh->side_sets; s++)
    text = NsArenaPrint(fe->arena, "%s%s%s.%s", text, s ? ", " : "", (*body)->name, mesh->side_set[s].name);
  if (*text)
    NsDiagNote(fe->diag, "sides: %s", text);
  else if ((*body)->solid)
    NsDiagNote(fe->diag, "name them in the .geo file: Physical %s(\"%s\") = {...};", mesh->shape->dimension == 2 ? "Curve" : "Surface", set->name);
  return NULL;
}

const PetscInt *NsFeFindNodes(NsFe *fe, const char *name, NsPlace place, PetscInt *count)
{
  const NsFeBody  *body = NULL;
  const NsMeshSet *set;

  *count = 0;
  if (strchr(name, '@')) {
    NsDiagError(fe->diag, place, "'%s' is a point within a body; only named nodes are allowed here", name);
    NsDiagNote(fe->diag, "name a node in the body's mesh, such as nodes: {here: 0.5 m}, and write body.here");
    return NULL;
  }
  set = find_set(fe, name, place, PETSC_FALSE, PETSC_FALSE, &body);
  if (!set) return NULL;
  PetscInt *nodes = NsArenaAlloc(fe->arena, sizeof(*nodes) * (size_t)PetscMax(1, set->count));
  for (PetscInt i = 0; i < set->count; i++) nodes[i] = body->first_node + set->items[i];
  *count = set->count;
  return nodes;
}

/* "@0.3": a fraction of the length; "@180 mm": a distance along it. False: why says what is wrong. */
static PetscBool locate(const NsFe *fe, const NsFeBody *body, const char *where, NsFePoint *spot, char *why, size_t size)
{
  double   distance;
  char     message[160];
  int      column, length;
  PetscInt element;

  if (!body->mesh->along) {
    (void)snprintf(why, size, "'%s@%s' is a point along a line, but the mesh of '%s' is not a single open line", body->name, where, body->name);
    return PETSC_FALSE;
  }
  if (!NsParseNumber(where, &distance)) {
    if (distance < 0 || distance > 1) {
      (void)snprintf(why, size, "'%s@%s': a number without a unit is a fraction of the length, from 0 to 1", body->name, where);
      return PETSC_FALSE;
    }
    distance *= body->mesh->length;
  } else if (!NsParseQuantity(where, NS_DIM_LENGTH, &distance, message, sizeof(message), &column, &length)) {
    (void)snprintf(why, size, "'%s@%s': after the @ a fraction of the length or a distance along it is expected; %s", body->name, where, message);
    return PETSC_FALSE;
  }
  if (distance < 0 || !NsMeshLocate(body->mesh, distance, &element, &spot->xi[0])) {
    (void)snprintf(why, size, "'%s@%s' is outside the body, which is %g m long", body->name, where, body->mesh->length);
    return PETSC_FALSE;
  }
  spot->body    = (PetscInt)(body - fe->body);
  spot->element = body->first_element + element;
  /* a point at a node, up to rounding, is that node */
  spot->node = -1;
  for (int end = 0; end < 2; end++) {
    if (PetscAbsReal(spot->xi[0] - end) < 1e-9) spot->node = fe->element[spot->element].node[end ? body->element->nodes - 1 : 0];
  }
  return PETSC_TRUE;
}

/* False: why says what is wrong. Points of shafts lie on the axis: an arm across it would rotate by any angle. */
static PetscBool set_arm(const NsFe *fe, const char *name, const double arm[3], NsFePoint *spot, char *why, size_t size)
{
  const NsFeBody *body = &fe->body[spot->body];

  for (int k = 0; k < 3; k++) spot->arm[k] = arm ? arm[k] : 0;
  if (!arm || !body->is_rotor || PetscSqr(NsDot3(arm, body->frame[0])) >= NsDot3(arm, arm) * (1 - 1e-12)) return PETSC_TRUE;
  (void)snprintf(why, size, "the offset from '%s' must be along the axis of the rotor, (%g, %g, %g)", name, body->frame[0][0], body->frame[0][1],
    body->frame[0][2]);
  return PETSC_FALSE;
}

static PetscBool find_nodes(
  NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, PetscBool single, NsFePointSet *set)
{
  const char     *at   = strchr(name, '@');
  const NsFeBody *body = NULL;
  char            why[256];

  *set = (NsFePointSet){.count = 1, .spot = {.body = -1, .node = -1, .element = -1}};
  if (allow_ground && !strcmp(name, "ground")) return PETSC_TRUE;
  if (at) {
    body = NsFeFindBody(fe, name, (size_t)(at - name), place);
    if (!body) return PETSC_FALSE;
    if (locate(fe, body, at + 1, &set->spot, why, sizeof(why)) && set_arm(fe, name, arm, &set->spot, why, sizeof(why))) return PETSC_TRUE;
    NsDiagError(fe->diag, place, "%s", why);
    return PETSC_FALSE;
  }
  set->nodes = find_set(fe, name, place, allow_ground, single, &body);
  if (!set->nodes) return PETSC_FALSE;
  set->count      = set->nodes->count;
  set->first_node = body->first_node;
  set->spot.body  = (PetscInt)(body - fe->body);
  if (set_arm(fe, name, arm, &set->spot, why, sizeof(why))) return PETSC_TRUE;
  NsDiagError(fe->diag, place, "%s", why);
  return PETSC_FALSE;
}

PetscBool NsFeFindSet(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, NsFePointSet *set)
{
  return find_nodes(fe, name, arm, place, allow_ground, PETSC_FALSE, set);
}

PetscBool NsFeFindContactSet(NsFe *fe, const char *name, const double arm[3], NsPlace place, NsFePointSet *set)
{
  const NsMeshSideSet *sides;

  if (!NsFeFindSet(fe, name, arm, place, PETSC_FALSE, set)) return PETSC_FALSE;
  sides = set->nodes && set->spot.body >= 0 ? NsMeshSides(fe->body[set->spot.body].mesh, set->nodes->name) : NULL;
  if (sides && sides->middles.count) {
    set->nodes = &sides->middles;
    set->count = sides->middles.count;
  }
  return PETSC_TRUE;
}

NsFePoint NsFePointOf(const NsFePointSet *set, PetscInt i)
{
  NsFePoint spot = set->spot;

  if (set->nodes) spot.node = set->first_node + set->nodes->items[i];
  return spot;
}

const NsFePoint *NsFeFindPoints(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, PetscInt *count)
{
  NsFePointSet set;
  NsFePoint   *spots;

  *count = 0;
  if (!NsFeFindSet(fe, name, arm, place, allow_ground, &set)) return NULL;
  spots = NsArenaAlloc(fe->arena, sizeof(*spots) * (size_t)PetscMax(1, set.count));
  for (PetscInt i = 0; i < set.count; i++) spots[i] = NsFePointOf(&set, i);
  *count = set.count;
  return spots;
}

PetscBool NsFeFindPoint(NsFe *fe, const char *name, const double arm[3], NsPlace place, PetscBool allow_ground, NsFePoint *spot)
{
  NsFePointSet set;

  if (!find_nodes(fe, name, arm, place, allow_ground, PETSC_TRUE, &set)) return PETSC_FALSE;
  if (set.count != 1) {
    NsDiagError(fe->diag, place, "'%s' is a set of %d nodes; a single one is needed here", name, (int)set.count);
    const char *names = node_names(fe, NsFeFindBody(fe, name, strcspn(name, "."), place), PETSC_TRUE);
    if (*names) NsDiagNote(fe->diag, "such as %s", names);
    return PETSC_FALSE;
  }
  *spot = NsFePointOf(&set, 0);
  return PETSC_TRUE;
}

PetscBool NsFeAxis(const NsFe *fe, const NsFePoint *spot, PetscReal axis[3])
{
  const NsFeBody *body     = &fe->body[spot->body];
  const NsMesh   *mesh     = body->mesh;
  PetscInt        element  = spot->element;
  PetscReal       fraction = spot->xi[0], sign = 1;

  if (spot->node >= 0) {
    if (!mesh->along || !NsMeshLocate(mesh, mesh->along[spot->node - body->first_node], &element, &fraction)) return PETSC_FALSE;
    element += body->first_element;
    if (spot->node == fe->element[element].node[0] && fraction < 0.5) sign = -1; /* at the first end of the chain: outwards */
  }
  if (!body->element || !body->element->line) return PETSC_FALSE;
  (void)body->element->line(&fe->element[element], axis);
  for (int k = 0; k < 3; k++) axis[k] = sign * axis[k] + 0.0; /* no -0 for the reader */
  return PETSC_TRUE;
}

PetscBool NsFeLocate(NsFe *fe, const char *name, const double arm[3], NsFePoint *spot, char *why, size_t size)
{
  const char *mark = name + strcspn(name, ".@");

  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    const size_t    n    = strlen(body->name);
    if (!*mark || (size_t)(mark - name) != n || strncmp(name, body->name, n)) continue;
    *spot = (NsFePoint){.body = b, .node = -1, .element = -1};
    if (!set_arm(fe, name, arm, spot, why, size)) return PETSC_FALSE;
    if (*mark == '@') return locate(fe, body, mark + 1, spot, why, size);
    const NsMeshSet *set = NsMeshNodeSet(body->mesh, mark + 1);
    if (!set) break;
    if (set->count == 1) {
      spot->node = body->first_node + set->items[0];
      return PETSC_TRUE;
    }
    (void)snprintf(why, size, "'%s' is a set of %d nodes; a single one is needed here", name, (int)set->count);
    return PETSC_FALSE;
  }
  if (*mark == '@') {
    const char *word = NsArenaCopy(fe->arena, name, (size_t)(mark - name));
    (void)snprintf(why, size, "there is no body '%s'%s", word, NsDidYouMeanBody(word, fe->config->bodies.names));
    return PETSC_FALSE;
  }
  (void)snprintf(why, size, "there is no point '%s'%s", name, NsDidYouMean(NsNearestWord(name, NsFePointNames(fe))));
  return PETSC_FALSE;
}

const char *const *NsFePointNames(const NsFe *fe)
{
  size_t       count = 1;
  const char **names;

  for (PetscInt b = 0; b < fe->bodies; b++) count += (size_t)(fe->body[b].mesh->node_sets + fe->body[b].points);
  names = NsArenaAlloc(fe->arena, sizeof(*names) * count);
  count = 0;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsMesh *mesh = fe->body[b].mesh;
    for (PetscInt s = 0; s < mesh->node_sets; s++) names[count++] = NsArenaPrint(fe->arena, "%s.%s", fe->body[b].name, mesh->node_set[s].name);
    for (PetscInt p = 0; p < fe->body[b].points; p++) names[count++] = NsArenaPrint(fe->arena, "%s.%s", fe->body[b].name, fe->body[b].point[p].name);
  }
  return names;
}

PetscErrorCode NsFeNameUnknown(NsModel *model, PetscInt unknown, char *text, size_t size)
{
  NsFe *fe = model->data;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, size, "unknown %" PetscInt_FMT, unknown));
  for (PetscInt node = 0; node < fe->nodes; node++) {
    const NsFeBody  *body    = &fe->body[fe->node_body[node]];
    const PetscInt  *numbers = NsFeNodeUnknowns(fe, node);
    const PetscReal *x       = fe->x + 3 * node;
    for (PetscInt a = 0; a < body->node_unknowns; a++) {
      if (numbers[a] != unknown) continue;
      (void)snprintf(text, size, "%s at (%g, %g, %g) m, %s (%g, %g, %g)", body->name, x[0], x[1], x[2],
        body->turns[a] ? "rotation about" : "displacement along", body->direction[a][0], body->direction[a][1], body->direction[a][2]);
      PetscFunctionReturn(0);
    }
  }
  PetscFunctionReturn(0);
}
