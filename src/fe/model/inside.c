/*
  Points within solids that probes name (`points` of a solid): the element that holds each, and its natural coordinates there.

      x(xi) = sum_a N_a(xi) x_a

  is solved by Newton's method in each element whose box holds the point; of elements that share the point the first one counts. Where a side of a collapsed element has shrunk, dx/dxi is singular.
*/
#include "fe/elements/solid.h"
#include "fe.h"

#define NS_OUTSIDE 1e-6 /* natural coordinates: a point on a side belongs to the element beside it, whatever the rounding */
#define NS_NEWTON  30

static PetscBool in_box(const NsFe *fe, const NsFeElement *e, PetscInt nodes, const PetscReal x[3])
{
  PetscReal low[3] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL}, high[3] = {-PETSC_MAX_REAL, -PETSC_MAX_REAL, -PETSC_MAX_REAL}, size = 0;

  for (PetscInt a = 0; a < nodes; a++) {
    for (int k = 0; k < 3; k++) {
      low[k]  = PetscMin(low[k], fe->x[3 * e->node[a] + k]);
      high[k] = PetscMax(high[k], fe->x[3 * e->node[a] + k]);
    }
  }
  for (int k = 0; k < 3; k++) size = PetscMax(size, high[k] - low[k]);
  for (int k = 0; k < 3; k++) {
    if (x[k] < low[k] - size / 4 || x[k] > high[k] + size / 4) return PETSC_FALSE; /* curved sides leave the box of their nodes */
  }
  return PETSC_TRUE;
}

/* J[k][i] = dx_i/dxi_k, with 1 along z in the plane; returns its determinant. r = x - x(xi). */
static PetscReal misfit(
  const NsFe *fe, const NsFeElement *e, const NsSolidShape *shape, const PetscReal x[3], const PetscReal xi[3], PetscReal r[3], PetscReal J[3][3])
{
  PetscReal N[NS_ELEMENT_NODES], dN[NS_ELEMENT_NODES][3];

  shape->shape(xi, N, dN);
  for (int i = 0; i < 3; i++) {
    r[i] = i < shape->dimension ? x[i] : 0;
    for (int k = 0; k < 3; k++) J[k][i] = k == i && k >= shape->dimension ? 1 : 0;
  }
  for (PetscInt a = 0; a < shape->nodes; a++) {
    for (PetscInt i = 0; i < shape->dimension; i++) {
      r[i] -= N[a] * fe->x[3 * e->node[a] + i];
      for (PetscInt k = 0; k < shape->dimension; k++) J[k][i] += dN[a][k] * fe->x[3 * e->node[a] + i];
    }
  }
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/* d from sum_k J[k][i] d_k = r_i, by Cramer's rule. */
static void solve(PetscReal J[3][3], PetscReal det, const PetscReal r[3], PetscReal d[3])
{
  for (int k = 0; k < 3; k++) {
    const PetscReal *a = J[(k + 1) % 3], *b = J[(k + 2) % 3];
    d[k] = 0;
    for (int i = 0; i < 3; i++) d[k] += r[i] * (a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]) / det;
  }
}

static PetscBool is_within(const NsSolidShape *shape, const PetscReal xi[3])
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < shape->dimension; k++) {
    if (shape->has_modes ? PetscAbsReal(xi[k]) > 1 + NS_OUTSIDE : xi[k] < -NS_OUTSIDE) return PETSC_FALSE;
    sum += xi[k];
  }
  return shape->has_modes || sum < 1 + NS_OUTSIDE;
}

static PetscBool holds(const NsFe *fe, const NsFeElement *e, const NsSolidShape *shape, const PetscReal x[3], PetscReal xi[3])
{
  const PetscReal near = NsSolidCellOf(e)->collapse ? 1e-12 * fe->body[e->body].mesh->length : 0;
  PetscReal       r[3], d[3], J[3][3];

  for (int k = 0; k < 3; k++) xi[k] = shape->has_modes || k >= shape->dimension ? 0 : 0.25;
  for (int i = 0; i < NS_NEWTON; i++) {
    const PetscReal det  = misfit(fe, e, shape, x, xi, r, J);
    PetscReal       size = 0;
    if (NsDot3(r, r) < near * near) break;
    if (!(det > 0)) return PETSC_FALSE; /* far outside */
    solve(J, det, r, d);
    for (int k = 0; k < 3; k++) {
      xi[k] += d[k];
      size = PetscMax(size, PetscAbsReal(d[k]));
    }
    if (size < 1e-13) break;
    if (size > 1e3) return PETSC_FALSE;
  }
  return is_within(shape, xi);
}

PetscBool NsFeFindInSolid(const NsFe *fe, const NsFeBody *body, const PetscReal x[3], NsFePoint *spot)
{
  const NsSolidShape *shape = NsSolidShapeOf(body->element);

  if (shape->dimension == 2 && PetscAbsReal(x[2] - fe->x[3 * body->first_node + 2]) > 1e-9 * body->mesh->length) return PETSC_FALSE;
  for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    if (!in_box(fe, e, shape->nodes, x)) continue;
    *spot = (NsFePoint){.body = (PetscInt)(body - fe->body), .node = -1, .element = i};
    if (holds(fe, e, shape, x, spot->xi)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}
