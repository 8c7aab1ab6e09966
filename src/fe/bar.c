/*
  Bar: a straight line of elements that carry axial force only, one unknown (the displacement along the line) a node.

  With linear shape functions on an element of length l, and c the cosines of its axis with the unknowns:

      M_e = rho A l / 6 [2 I, I; I, 2 I]   (consistent)      rho A l / 2 [I, 0; 0, I]   (lumped)
      K_e = E A / l [c c', -c c'; -c c', c c']

  Alone it vibrates at sqrt(12) c0/l (consistent) or 2 c0/l (lumped), c0 = sqrt(E/rho): the step limits le/(sqrt(3) c0) and le/c0.
  The same element, with two or three unknowns a node, is the truss's.
*/
#include "line_body.h"

/* Of a tapered element: the mean of its ends. */
static PetscReal area_of(const NsFeElement *e)
{
  return (e->property[0]->area + e->property[1]->area) / 2;
}

static void bar_mass(const NsFeBody *body, const NsFeElement *e, PetscReal *M)
{
  const PetscReal m = e->property[0]->density * area_of(e) * e->length;
  const PetscInt  d = body->node_unknowns, n = 2 * d;

  for (PetscInt i = 0; i < n * n; i++) M[i] = 0;
  for (PetscInt a = 0; a < d; a++) {
    M[a * n + a]           = body->lumped ? m / 2 : m / 3;
    M[(d + a) * n + d + a] = M[a * n + a];
    M[a * n + d + a]       = body->lumped ? 0 : m / 6;
    M[(d + a) * n + a]     = M[a * n + d + a];
  }
}

/* Of the axis with the directions of the unknowns; with the one of a bar it is its axis itself. */
static void cosines(const NsFeBody *body, const NsFeElement *e, PetscReal c[3])
{
  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    const PetscReal *d = body->direction[a];
    c[a]               = body->node_unknowns == 1 ? 1 : e->axis[0] * d[0] + e->axis[1] * d[1] + e->axis[2] * d[2];
  }
}

static PetscReal bar_spring(const NsFeElement *e)
{
  return e->property[0]->young * area_of(e) / e->length;
}

static void bar_stiffness(const NsFeBody *body, const NsFeElement *e, PetscReal *K)
{
  const PetscReal k = bar_spring(e);
  const PetscInt  d = body->node_unknowns, n = 2 * d;
  PetscReal       c[3];

  cosines(body, e, c);
  for (PetscInt a = 0; a < d; a++) {
    for (PetscInt b = 0; b < d; b++) {
      const PetscReal kab    = k * c[a] * c[b];
      K[a * n + b]           = kab;
      K[(d + a) * n + d + b] = kab;
      K[a * n + d + b]       = -kab;
      K[(d + a) * n + b]     = -kab;
    }
  }
}

static PetscReal bar_frequency(const NsFeBody *body, const NsFeElement *e)
{
  return PetscSqrtReal(e->property[0]->young / e->property[0]->density * (body->lumped ? 4 : 12)) / e->length;
}

static void bar_shape(const NsFeBody *body, const NsFeElement *e, PetscReal fraction, PetscReal (*move)[3], PetscReal (*turn)[3])
{
  const PetscInt d = body->node_unknowns;

  (void)e;
  for (PetscInt a = 0; a < 2 * d; a++) {
    for (int k = 0; k < 3; k++) {
      move[a][k] = body->direction[a % d][k] * (a < d ? 1 - fraction : fraction);
      turn[a][k] = 0;
    }
  }
}

static PetscReal normal_force(const NsFeBody *body, const NsFeElement *e, const PetscReal *q)
{
  const PetscInt d          = body->node_unknowns;
  PetscReal      elongation = 0, c[3];

  cosines(body, e, c);
  for (PetscInt a = 0; a < d; a++) elongation += c[a] * (q[d + a] - q[a]);
  return bar_spring(e) * elongation;
}

static void bar_forces(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, PetscReal fraction, PetscReal f[6])
{
  (void)fraction;
  f[0] = normal_force(body, e, q);
  for (int k = 1; k < 6; k++) f[k] = 0;
}

/* From the strain, not q' K q: a body that has flown far keeps the digits of its small strains. */
static PetscReal bar_energy(const NsFeBody *body, const NsFeElement *e, const PetscReal *q)
{
  const PetscReal force = normal_force(body, e, q);

  return force * force / (2 * bar_spring(e));
}

const NsElementType NsElementType_Bar = {
  .name      = "bar",
  .mass      = bar_mass,
  .stiffness = bar_stiffness,
  .frequency = bar_frequency,
  .shape     = bar_shape,
  .forces    = bar_forces,
  .energy    = bar_energy,
};

static const NsKey   bar_keys[] = {NS_LINE_BODY_KEYS(NsTable_Damping), {NULL}};
static const NsTable bar_table  = {"bar", "straight elastic bar", bar_keys, sizeof(NsLineBodySettings)};

static PetscErrorCode NsBodyBuild_Bar(const void *settings, NsFe *fe, NsFeBody *body)
{
  NsFeElement     *element = fe->element + body->first_element;
  const NsMesh    *mesh    = body->mesh;
  const NsPlace    place   = NsKeysPlace(body->where, "mesh");
  const PetscReal *first = fe->x + 3 * body->first_node, *last = first + 3 * (mesh->nodes - 1);
  PetscReal       *axis = body->direction[0], length = 0;

  PetscFunctionBegin;
  body->node_unknowns = 1;
  if (!mesh->along) {
    NsDiagError(fe->diag, place, "the mesh of bar '%s' is not one open line", body->name);
    NsDiagNote(fe->diag, "a bar has one unknown a node, along its line; for other meshes use `type: truss`");
    PetscFunctionReturn(0);
  }
  for (int k = 0; k < 3; k++) length += PetscSqr(last[k] - first[k]); /* nodes are numbered along the line */
  length = PetscSqrtReal(length);
  for (int k = 0; k < 3; k++) axis[k] = length > 0 ? (last[k] - first[k]) / length : 0;
  for (PetscInt i = 0; i < mesh->elements; i++) {
    const PetscReal *a = fe->x + 3 * element[i].node[0], *b = fe->x + 3 * element[i].node[1];
    PetscReal        forward = 0, along = 0, off = 0;
    for (int k = 0; k < 3; k++) {
      forward += (b[k] - a[k]) * axis[k];
      along += (b[k] - first[k]) * axis[k];
    }
    for (int k = 0; k < 3; k++) off += PetscSqr(b[k] - first[k] - along * axis[k]);
    if (forward <= 0 || off > PetscSqr(1e-9 * mesh->length)) {
      NsDiagError(fe->diag, place,
        forward <= 0 ? "the mesh of bar '%s' runs back over itself at (%g, %g, %g) m"
                     : "the mesh of bar '%s' is not straight: it bends at (%g, %g, %g) m",
        body->name, a[0], a[1], a[2]);
      NsDiagNote(fe->diag, "a bar has one unknown a node, along its line; for other meshes use `type: truss`");
      PetscFunctionReturn(0);
    }
    for (int k = 0; k < 3; k++) element[i].axis[k] = axis[k]; /* of all elements the same to the last bit */
  }
  body->element = &NsElementType_Bar;
  NsLineBodyProperties(settings, fe, body);
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Bar = {
  .name  = "bar",
  .title = "straight elastic bar, one unknown a node along its line",
  .about = "Linear two-node elements that carry axial force; waves run at c0 = sqrt(young/density).\n"
           "Step limits of explicit schemes, undamped, element length le: le/(sqrt(3) c0) with consistent mass, le/c0 lumped.",
  .table = &bar_table,
};
const NsBodyType NsBodyType_Bar = {&NsBodyVariant_Bar, NsBodyMesh_Line, NsBodyBuild_Bar};
