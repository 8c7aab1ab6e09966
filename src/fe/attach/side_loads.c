/*
  Pressure p and traction t on sides of solids, as forces on their nodes that do the same work:

      f_a = int N_a (t - p n) dA        n: outward normal of the undeformed side; dA: in the plane with the thickness, axisymmetric with 2 pi r

  Sides are lines, triangles of three or six nodes, quadrangles; n dA is the vector product of the tangents dx/dxi_1, dx/dxi_2 (in the plane that of the tangent with z). Dead loads: they do not
  turn with the body.
*/
#include "fe/model/fe.h"

enum { SIDE_NODES = 6, SIDE_POINTS = 6 };

/* Shape functions of a side, and points of integration, of degree 2 times those of N. */
typedef struct {
  const NsMeshShape *shape;
  PetscInt           points;
  PetscReal          xi[SIDE_POINTS][2], weight[SIDE_POINTS];
  void (*functions)(const PetscReal xi[2], PetscReal *N, PetscReal (*dN)[2]);
} Rule;

static void of_line(const PetscReal xi[2], PetscReal *N, PetscReal (*dN)[2])
{
  for (int a = 0; a < 2; a++) {
    const PetscReal sign = a ? 1 : -1;
    N[a]                 = (1 + sign * xi[0]) / 2;
    dN[a][0]             = sign / 2;
    dN[a][1]             = 0;
  }
}

static void of_triangle(const PetscReal xi[2], PetscReal *N, PetscReal (*dN)[2])
{
  for (int a = 0; a < 3; a++) {
    N[a] = a ? xi[a - 1] : 1 - xi[0] - xi[1];
    for (int k = 0; k < 2; k++) dN[a][k] = a ? a - 1 == k : -1;
  }
}

static void of_triangle_6(const PetscReal xi[2], PetscReal *N, PetscReal (*dN)[2])
{
  PetscReal L[3], dL[3][2];

  of_triangle(xi, L, dL);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    N[a]        = L[a] * (2 * L[a] - 1);
    N[3 + a]    = 4 * L[a] * L[b];
    for (int k = 0; k < 2; k++) {
      dN[a][k]     = (4 * L[a] - 1) * dL[a][k];
      dN[3 + a][k] = 4 * (dL[a][k] * L[b] + L[a] * dL[b][k]);
    }
  }
}

static void of_quadrangle(const PetscReal xi[2], PetscReal *N, PetscReal (*dN)[2])
{
  static const PetscReal corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

  for (int a = 0; a < 4; a++) {
    const PetscReal f = 1 + corner[a][0] * xi[0], g = 1 + corner[a][1] * xi[1];
    N[a]     = f * g / 4;
    dN[a][0] = corner[a][0] * g / 4;
    dN[a][1] = corner[a][1] * f / 4;
  }
}

#define G  0.577350269189625764509
#define A  0.445948490915965
#define B  0.091576213509771
#define WA (0.223381589678011 / 2)
#define WB (0.109951743655322 / 2)
static const Rule rules[] = {
  {&NsMeshShape_Line2, 2, {{-G, 0}, {G, 0}}, {1, 1}, of_line},
  {&NsMeshShape_Tri3, 3, {{1. / 6, 1. / 6}, {2. / 3, 1. / 6}, {1. / 6, 2. / 3}}, {1. / 6, 1. / 6, 1. / 6}, of_triangle},
  {&NsMeshShape_Tri6, 6, {{A, A}, {1 - 2 * A, A}, {A, 1 - 2 * A}, {B, B}, {1 - 2 * B, B}, {B, 1 - 2 * B}}, {WA, WA, WA, WB, WB, WB}, of_triangle_6},
  {&NsMeshShape_Quad4, 4, {{-G, -G}, {G, -G}, {G, G}, {-G, G}}, {1, 1, 1, 1}, of_quadrangle},
};

static const Rule *rule_of(const NsMeshShape *side)
{
  const Rule *rule = rules;

  while (rule->shape != side) rule++;
  return rule;
}

/* Forces on the nodes of a side: node[nodes] are those of the side. */
static void side_forces(
  const NsFe *fe, const NsFeBody *body, const Rule *rule, const PetscInt *node, const NsLoadSettings *load, PetscReal (*force)[3])
{
  const PetscInt nodes = rule->shape->nodes;

  for (PetscInt p = 0; p < rule->points; p++) {
    PetscReal N[SIDE_NODES], dN[SIDE_NODES][2], tangent[2][3] = {{0, 0, 0}, {0, 0, 0}}, normal[3], r = 0;
    rule->functions(rule->xi[p], N, dN);
    for (PetscInt a = 0; a < nodes; a++) {
      r += N[a] * fe->x[3 * node[a]];
      for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) tangent[k][i] += dN[a][k] * fe->x[3 * node[a] + i];
      }
    }
    if (rule->shape->dimension == 1) tangent[1][2] = 1;
    for (int i = 0; i < 3; i++) normal[i] = tangent[0][(i + 1) % 3] * tangent[1][(i + 2) % 3] - tangent[0][(i + 2) % 3] * tangent[1][(i + 1) % 3];
    const PetscReal area = PetscSqrtReal(NsDot3(normal, normal));
    const PetscReal w    = rule->weight[p] * (body->solid->state == NS_SOLID_AXISYMMETRIC ? 2 * PETSC_PI * r : body->solid->thickness);
    for (PetscInt a = 0; a < nodes; a++) {
      for (int i = 0; i < 3; i++) force[a][i] += w * N[a] * (load->traction[i] * area - load->pressure * normal[i]);
    }
  }
}

void NsFeLoadSides(NsFe *fe, const NsLoadSettings *settings)
{
  const NsFeBody      *body  = NULL;
  const NsPlace        place = NsKeysPlace(settings->where, "on");
  const NsMeshSideSet *sides = NsFeFindSides(fe, settings->on, place, &body);

  if (!sides) return;
  const NsMeshShape *shape = body->mesh->shape;
  const Rule        *rule  = rule_of(shape->side_shape);
  NsFeLoad          *load  = NsFeAddLoad(
              fe, NsTimeFunctionWindow(settings->time, &settings->window, fe->arena), PETSC_FALSE, body->node_unknowns * rule->shape->nodes * sides->count);
  for (PetscInt s = 0; s < sides->count; s++) {
    const PetscInt *of                   = fe->element[body->first_element + sides->side[s][0]].node;
    PetscReal       force[SIDE_NODES][3] = {{0}};
    PetscInt        node[SIDE_NODES];
    for (PetscInt a = 0; a < rule->shape->nodes; a++) node[a] = of[shape->side[sides->side[s][1]][a]];
    side_forces(fe, body, rule, node, settings, force);
    for (PetscInt a = 0; a < rule->shape->nodes; a++) {
      const PetscInt *unknown = NsFeNodeUnknowns(fe, node[a]);
      for (PetscInt i = 0; i < body->node_unknowns; i++) NsFeAddLoadEntry(load, unknown[i], force[a][i], 0);
    }
  }
  if (!load->entries) NsDiagWarning(fe->diag, place, "this load has no effect: the sides are supported, or have no DOF in its direction");
}
