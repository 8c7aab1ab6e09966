/*
  Bar element: two nodes, axial force only.

  With linear shape functions on an element of length l, and c the cosines of its axis with the directions of a node's d unknowns:

      M_e = rho A l / 6 [2 I, I; I, 2 I]   (consistent)      rho A l / 2 [I, 0; 0, I]   (lumped)
      K_e = E A / l [c c', -c c'; -c c', c c']

  Alone it vibrates at sqrt(12) c0/l (consistent) or 2 c0/l (lumped), c0 = sqrt(E/rho): critical time steps l/(sqrt(3) c0) and l/c0.
  Bars have one unknown a node, along their line; trusses two or three.
*/
#include "fe/model/fe.h"
#include "line.h"

/* Of a tapered element: the mean of its ends. */
static PetscReal area_of(const NsFeElement *e)
{
  return (NsLine(e)->property[0]->area + NsLine(e)->property[1]->area) / 2;
}

static PetscReal mass_of(const NsFeBody *body, const NsFeElement *e)
{
  (void)body;
  return NsLine(e)->property[0]->density * area_of(e) * NsLine(e)->length;
}

static void bar_mass(const NsFeBody *body, const NsFeElement *e, PetscReal *M)
{
  const PetscReal m = mass_of(body, e);
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
  for (PetscInt a = 0; a < body->node_unknowns; a++) { c[a] = body->node_unknowns == 1 ? 1 : NsDot3(NsLine(e)->axis, body->direction[a]); }
}

static PetscReal bar_spring(const NsFeElement *e)
{
  return NsLine(e)->property[0]->young * area_of(e) / NsLine(e)->length;
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
  const NsLineElement *line = NsLine(e);

  return PetscSqrtReal(line->property[0]->young / line->property[0]->density * (body->lumped ? 4 : 12)) / line->length;
}

static void bar_shape(const NsFeBody *body, const NsFeElement *e, const PetscReal xi[3], PetscReal (*move)[3], PetscReal (*turn)[3])
{
  const PetscInt d = body->node_unknowns;

  (void)e;
  for (PetscInt a = 0; a < 2 * d; a++) {
    for (int k = 0; k < 3; k++) {
      move[a][k] = body->direction[a % d][k] * (a < d ? 1 - xi[0] : xi[0]);
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

static const char *const output_names[] = {"stress", NULL};

static void bar_outputs(const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const PetscReal xi[3], PetscReal *value)
{
  (void)xi;
  value[0] = normal_force(body, e, q) / NsLine(e)->property[0]->area;
}

static void bar_results(
  const NsFeBody *body, const NsFeElement *e, const PetscReal *q, const NsElementLoads *loads, const PetscReal xi[3], NsElementResults *results)
{
  const PetscReal f[6] = {normal_force(body, e, q)};

  (void)loads;
  *results = (NsElementResults){.normal_force = f[0], .stress = NsLineStress(e, xi[0], f)};
}

/* From the strain, not q' K q, which would lose the digits of small strains after large rigid displacements. */
static PetscReal bar_energy(const NsFeBody *body, const NsFeElement *e, const PetscReal *q)
{
  const PetscReal force = normal_force(body, e, q);

  return force * force / (2 * bar_spring(e));
}

const NsElementType NsElementType_Bar = {
  .name         = "bar",
  .nodes        = 2,
  .node         = NsLineNodes,
  .edges        = 1,
  .edge         = NsLineEdges,
  .picture      = &NsLinePicture,
  .weights      = NsLineWeights,
  .size         = sizeof(NsLineElement),
  .axial        = PETSC_TRUE,
  .mass         = bar_mass,
  .stiffness    = bar_stiffness,
  .frequency    = bar_frequency,
  .shape        = bar_shape,
  .energy       = bar_energy,
  .output_names = output_names,
  .outputs      = bar_outputs,
  .results      = bar_results,
  .total_mass   = mass_of,
  .radius       = NsLineRadius,
  .line         = NsLineAxis,
  .alike        = NsLineAlike,
};
