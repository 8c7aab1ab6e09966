#include "line.h"

const PetscReal NsLineNodes[2][3] = {{0}, {1}};
const PetscInt  NsLineEdges[1][2] = {{0, 1}};

static const NsElementCell straight[]    = {{NS_CELL_LINE, {0, 1}, {0.5}}};
const NsElementPicture     NsLinePicture = {.cells = 1, .cell = straight};

static const PetscReal     quarters[][3] = {{0.25}, {0.5}, {0.75}};
static const NsElementCell bent[]        = {
         {NS_CELL_LINE, {0, 2}, {0.125}}, {NS_CELL_LINE, {2, 3}, {0.375}}, {NS_CELL_LINE, {3, 4}, {0.625}}, {NS_CELL_LINE, {4, 1}, {0.875}}};
const NsElementPicture NsBentPicture = {3, 4, quarters, bent};

void NsLineWeights(const PetscReal xi[3], PetscReal *weight)
{
  weight[0] = 1 - xi[0];
  weight[1] = xi[0];
}

void NsLineMeasure(const PetscReal *x, NsFeElement *e)
{
  const PetscReal *a = x + 3 * e->node[0], *b = x + 3 * e->node[1];
  NsLineElement   *line = NsLine(e);

  line->length = PetscSqrtReal(PetscSqr(b[0] - a[0]) + PetscSqr(b[1] - a[1]) + PetscSqr(b[2] - a[2]));
  for (int k = 0; k < 3; k++) line->axis[k] = (b[k] - a[k]) / line->length;
}

NsProperty NsLineProperty(const NsFeElement *e, PetscReal fraction)
{
  NsProperty property;

  NsPropertyBetween(NsLine(e)->property[0], NsLine(e)->property[1], fraction, &property);
  return property;
}

PetscReal NsLineStress(const NsFeElement *e, PetscReal fraction, const PetscReal f[6])
{
  const NsProperty p       = NsLineProperty(e, fraction);
  PetscReal        bending = 0;

  if (p.section->circle || p.section->tube)
    bending = p.edge_2 / p.inertia_2 * PetscSqrtReal(f[4] * f[4] + f[5] * f[5]);
  else if (p.inertia_2 > 0)
    bending = p.edge_3 / p.inertia_2 * PetscAbsReal(f[4]) + p.edge_2 / p.inertia_3 * PetscAbsReal(f[5]);
  return f[0] / p.area + (f[0] < 0 ? -bending : bending);
}

PetscReal NsLineAxis(const NsFeElement *e, PetscReal axis[3])
{
  for (int k = 0; k < 3; k++) axis[k] = NsLine(e)->axis[k];
  return NsLine(e)->length;
}

PetscReal NsLineRadius(const NsFeElement *e, const PetscReal xi[3])
{
  return (1 - xi[0]) * NsLine(e)->property[0]->radius + xi[0] * NsLine(e)->property[1]->radius;
}

PetscBool NsLineAlike(const NsFeElement *a, const NsFeElement *b, PetscReal tolerance)
{
  const NsLineElement *p = NsLine(a), *q = NsLine(b);

  if (p->length != q->length || p->property[0] != q->property[0] || p->property[1] != q->property[1]) return PETSC_FALSE;
  for (int k = 0; k < 3; k++) {
    if (PetscAbsReal(p->axis[k] - q->axis[k]) > tolerance) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}
