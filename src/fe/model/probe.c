/*
  Probes: what is recorded of a point, or of a set of nodes.

  A point has displacements and velocities, and rotations where it turns; within a line element its section forces, of beams also at the ends (beam@0). A node of a
  solid has the stress there, the mean of that of its elements, weighted by their volumes. A set has the mean of its nodes' motions. Supports, springs and bearings: reactions.c.
*/
#include <string.h>
#include "fe.h"

static void add_entry(const NsFe *fe, NsProbeColumn *column, PetscInt unknown, PetscReal weight)
{
  if (NsFeIsMoved(unknown) && weight != 0) NsFeMovedProbe(fe, column, unknown, column->of_velocity ? 1 : 0, weight);
  if (unknown >= 0 && weight != 0) NsProbeAdd(column, fe->arena, unknown, weight);
}

/* Displacement or velocity along an axis of a point within an element of a solid, which has more DOF than an NsPoint. */
static void add_inner_motion(const NsFe *fe, const NsFePoint *spot, int axis, NsProbeColumn *column)
{
  const NsFeElement *e    = &fe->element[spot->element];
  const NsFeBody    *body = &fe->body[e->body];
  PetscReal          move[NS_ELEMENT_UNKNOWNS][3], turn[NS_ELEMENT_UNKNOWNS][3];
  PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt     n = NsFeElementUnknowns(fe, e, unknown);

  body->element->shape(body, e, spot->xi, move, turn);
  for (PetscInt i = 0; i < n; i++) add_entry(fe, column, unknown[i], move[i][axis]);
}

/* Columns ux, uy, uz, vx, vy, vz of points, as many as the body can move in, and rx ... wz as it can turn. */
static void add_motion(const NsFe *fe, const NsFeBody *body, const NsFePointSet *set, NsProbe *probe)
{
  static const char *const suffixes[2][6] = {{"ux", "uy", "uz", "vx", "vy", "vz"}, {"rx", "ry", "rz", "wx", "wy", "wz"}};
  NsPoint                  point;

  for (int kind = 0; kind < 2; kind++) {
    for (int c = 0; c < 6; c++) {
      NsProbeColumn column = {.suffix = suffixes[kind][c], .of_velocity = c >= 3};
      PetscBool     moves  = PETSC_FALSE;
      for (PetscInt a = 0; a < body->node_unknowns; a++) {
        if ((body->turns[a] ? 1 : 0) == kind && body->direction[a][c % 3] != 0) moves = PETSC_TRUE;
      }
      for (PetscInt p = 0; p < set->count && moves; p++) {
        const NsFePoint spot = NsFePointOf(set, p);
        if (body->solid && spot.node < 0) {
          add_inner_motion(fe, &spot, c % 3, &column);
          continue;
        }
        NsFeExpandMoved(fe, &spot, &point);
        for (PetscInt i = 0; i < point.unknowns; i++)
          add_entry(fe, &column, point.unknown[i], (kind ? point.turn[i][c % 3] : point.move[i][c % 3]) / (PetscReal)set->count);
      }
      if (moves) probe->column[probe->columns++] = column;
    }
  }
}

/* Outputs of an element at a point are affine in its unknowns: their coefficients, times a share, come from unit displacements. */
static void add_outputs(const NsFe *fe, const NsFeElement *element, const PetscReal xi[3], PetscReal share, NsProbeColumn *column)
{
  const NsFeBody      *body                         = &fe->body[element->body];
  const NsElementType *type                         = body->element;
  const PetscReal      nothing[NS_ELEMENT_UNKNOWNS] = {0};
  PetscReal            rest[NS_ELEMENT_OUTPUTS]; /* a prestress is there without displacements */
  PetscInt             unknown[NS_ELEMENT_UNKNOWNS];
  const PetscInt       n = NsFeElementUnknowns(fe, element, unknown);

  type->outputs(body, element, nothing, xi, rest);
  for (int c = 0; type->output_names[c]; c++) column[c].constant += share * rest[c];
  for (PetscInt i = 0; i < n; i++) {
    PetscReal unit[NS_ELEMENT_UNKNOWNS] = {0}, value[NS_ELEMENT_OUTPUTS];
    unit[i]                             = 1;
    type->outputs(body, element, unit, xi, value);
    for (int c = 0; type->output_names[c]; c++) add_entry(fe, &column[c], unknown[i], share * (value[c] - rest[c]));
  }
}

/* Section forces at an end of a line body, as beam@0 and beam@1: those of the one element there; false at nodes between elements. */
static PetscBool at_end(const NsFe *fe, const char *name, NsFePoint *spot)
{
  const NsFeBody *body  = &fe->body[spot->body];
  PetscInt        found = 0;

  if (spot->node < 0 || !strchr(name, '@') || !body->element || !body->element->loaded) return PETSC_FALSE;
  for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
    for (PetscInt k = 0; k < 2; k++) {
      if (fe->element[i].node[k] != spot->node) continue;
      spot->element = i;
      spot->xi[0]   = (PetscReal)k;
      found++;
    }
  }
  return found == 1;
}

static PetscReal volume_of(const NsFe *fe, const NsFeElement *e)
{
  return NsSolidTotalMass(&fe->body[e->body], e) / ((const NsSolidElement *)e->data)->cell->material->density;
}

/* The elements around a node of a solid: their mean by volume; only the volume while column is NULL. */
static PetscReal add_around(const NsFe *fe, const NsFeBody *body, PetscInt node, PetscReal whole, NsProbeColumn *column)
{
  PetscReal volume = 0;

  for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    for (PetscInt k = 0; k < body->element->nodes; k++) {
      if (e->node[k] != node) continue;
      volume += volume_of(fe, e);
      if (column) add_outputs(fe, e, body->element->node[k], volume_of(fe, e) / whole, column);
      break; /* collapsed elements contain the node several times */
    }
  }
  return volume;
}

static void add_columns(const NsElementType *type, const NsProbeColumn *column, NsProbe *probe)
{
  for (int c = 0; type->output_names[c]; c++) {
    if (column[c].entries || column[c].timed || column[c].plus) probe->column[probe->columns++] = column[c];
  }
}

/* Von Mises' stress, the principal stresses and the density of elastic energy, of the stresses and strains that the last columns have. */
static void add_principal(NsProbe *probe)
{
  static const char *const suffixes[] = {"mises", "s1", "s2", "s3", "energy_density"};
  const PetscInt           last       = probe->columns;

  for (int kind = 0; kind < 5; kind++) {
    NsProbeColumn *column = &probe->column[probe->columns];
    *column               = (NsProbeColumn){.suffix = suffixes[kind], .of_stress = kind + 1};
    for (PetscInt c = 0; c < last; c++) {
      for (int s = 0; s < 2 * NS_SOLID_STRAINS; s++) {
        if (!strcmp(probe->column[c].suffix, NsSolidOutputNames[s])) column->back[s] = (int)(probe->columns - c);
      }
    }
    probe->columns++;
  }
}

/* The mean of the nodes of a set, as they are undeformed. */
static void centre_of(const NsFe *fe, const NsFeBody *body, const NsMeshSet *nodes, PetscReal x[3])
{
  for (int k = 0; k < 3; k++) {
    x[k] = 0;
    for (PetscInt i = 0; i < nodes->count; i++) x[k] += fe->x[3 * (body->first_node + nodes->items[i]) + k] / (PetscReal)nodes->count;
  }
}

/* fx, fy, fz of a side of a solid: the elastic forces of all elements on its nodes, sum_a (K q)_a; and mx, my, mz, their moments sum_a (x_a - x) x (K q)_a about the mean x of its nodes, in the plane
   mz alone, of rings none. */
static void add_resultant(const NsFe *fe, const NsFeBody *body, const NsFePointSet *set, NsProbe *probe)
{
  static const char *const suffixes[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  NsProbeColumn            column[6]  = {{0}};
  const PetscInt           d          = body->node_unknowns;
  PetscReal                K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], centre[3];

  centre_of(fe, body, set->nodes, centre);
  for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS], inside[NS_ELEMENT_NODES], count = 0;
    for (PetscInt a = 0; a < body->element->nodes; a++) {
      PetscInt at;
      (void)PetscFindInt(e->node[a] - body->first_node, set->nodes->count, set->nodes->items, &at);
      if (at >= 0) inside[count++] = a;
    }
    if (!count) continue;
    const PetscInt n = NsFeElementUnknowns(fe, e, unknown);
    body->element->stiffness(body, e, K);
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum[6] = {0};
      for (PetscInt a = 0; a < count; a++) {
        PetscReal f[3] = {0, 0, 0}, arm[3], moment[3];
        for (PetscInt k = 0; k < d; k++) f[k] = K[(inside[a] * d + k) * n + j];
        for (int k = 0; k < 3; k++) arm[k] = fe->x[3 * e->node[inside[a]] + k] - centre[k];
        NsCross3(arm, f, moment);
        for (int k = 0; k < 3; k++) {
          sum[k] += f[k];
          sum[3 + k] += moment[k];
        }
      }
      for (PetscInt k = 0; k < 6; k++) add_entry(fe, &column[k], unknown[j], sum[k]);
    }
  }
  for (PetscInt k = 0; k < 6; k++) {
    const PetscBool rings = body->solid->state == NS_SOLID_AXISYMMETRIC;
    if (d == 2 && (k == 2 || k == 3 || k == 4 || (k == 5 && rings))) continue;
    column[k].suffix                = suffixes[k];
    probe->column[probe->columns++] = column[k];
  }
}

/* A named point within an element; false: there is none. */
static PetscBool find_inside(const NsFe *fe, const char *name, NsFePoint *spot)
{
  const size_t length = strcspn(name, ".");

  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (strlen(body->name) != length || strncmp(name, body->name, length) != 0 || !name[length]) continue;
    for (PetscInt p = 0; p < body->points; p++) {
      if (strcmp(name + length + 1, body->point[p].name)) continue;
      *spot = (NsFePoint){.body = b, .node = -1, .element = body->point[p].element};
      for (int k = 0; k < 3; k++) spot->xi[k] = body->point[p].xi[k];
      return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* The set of several nodes that a name means; false: it means none. */
static PetscBool find_set(const NsFe *fe, const char *name, NsFePointSet *set)
{
  const char *dot = strchr(name, '.');

  for (PetscInt b = 0; dot && b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    if (strlen(body->name) != (size_t)(dot - name) || strncmp(name, body->name, (size_t)(dot - name)) != 0) continue;
    const NsMeshSet *nodes = NsMeshNodeSet(body->mesh, dot + 1);
    if (!nodes || nodes->count < 2) return PETSC_FALSE;
    *set = (NsFePointSet){.nodes = nodes, .count = nodes->count, .first_node = body->first_node, .spot = {.body = b, .node = -1, .element = -1}};
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode NsFeProbe(NsModel *model, const char *name, NsProbe *probe, PetscBool *found, char *why, size_t size)
{
  NsFe        *fe  = model->data;
  NsFePointSet set = {.count = 1};

  PetscFunctionBegin;
  PetscCall(PetscMemzero(probe, sizeof(*probe)));
  probe->name = name;
  if (NsFeNamesReaction(fe, name)) {
    PetscCall(NsFeReaction(model, name, probe, found, why, size));
    PetscFunctionReturn(0);
  }
  *found = find_set(fe, name, &set) || find_inside(fe, name, &set.spot) || NsFeLocate(fe, name, NULL, &set.spot, why, size);
  if (!*found) PetscFunctionReturn(0);
  const NsFePoint *spot                       = &set.spot;
  const NsFeBody  *body                       = &fe->body[spot->body];
  NsProbeColumn    column[NS_ELEMENT_OUTPUTS] = {{0}};
  NsFePoint        section                    = *spot;
  if (!at_end(fe, name, &section)) section = *spot; /* at a node between elements: the end of the first of them */
  add_motion(fe, body, &set, probe);
  for (int c = 0; body->element && body->element->output_names[c]; c++) column[c].suffix = body->element->output_names[c];
  if (section.element >= 0) {
    add_outputs(fe, &fe->element[section.element], section.xi, 1, column);
    NsFeSectionColumns(fe, &fe->element[section.element], section.xi, column);
  }
  if (body->solid && spot->node >= 0) (void)add_around(fe, body, spot->node, add_around(fe, body, spot->node, 1, NULL), column);
  if (body->element) add_columns(body->element, column, probe);
  if (body->solid && set.count == 1 && (spot->node >= 0 || spot->element >= 0)) add_principal(probe);
  if (set.nodes && body->solid && NsMeshSides(body->mesh, set.nodes->name)) add_resultant(fe, body, &set, probe);
  PetscFunctionReturn(0);
}
