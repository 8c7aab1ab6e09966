/*
  Points of bodies: how they move with the unknowns.

      u = u_axis + theta x arm        u_axis, theta: of the node, or of the element's shape functions
*/
#include "fe.h"

static void add_unknown(NsPoint *point, PetscBool moved, PetscInt unknown, const PetscReal move[3], const PetscReal turn[3], const PetscReal arm[3])
{
  const PetscInt k = point->unknowns;

  if (unknown < 0 && !(moved && NsFeIsMoved(unknown))) return;
  point->unknown[k] = unknown;
  for (int i = 0; i < 3; i++) {
    point->turn[k][i] = turn[i];
    point->move[k][i] = move[i] + turn[(i + 1) % 3] * arm[(i + 2) % 3] - turn[(i + 2) % 3] * arm[(i + 1) % 3];
  }
  point->unknowns++;
}

void NsFePosition(const NsFe *fe, const NsFeElement *e, const PetscReal xi[3], PetscReal x[3])
{
  const NsElementType *type = fe->body[e->body].element;
  PetscReal            weight[NS_ELEMENT_NODES];

  type->weights(xi, weight);
  for (int i = 0; i < 3; i++) x[i] = weight[0] * fe->x[3 * e->node[0] + i];
  for (PetscInt k = 1; k < type->nodes; k++) {
    for (int i = 0; i < 3; i++) x[i] += weight[k] * fe->x[3 * e->node[k] + i];
  }
}

static void expand(const NsFe *fe, const NsFePoint *spot, PetscBool moved, NsPoint *point)
{
  static const PetscReal none[3] = {0, 0, 0};

  point->unknowns = 0;
  point->spin     = NULL;
  for (int k = 0; k < 3; k++) point->x[k] = point->axis[k] = 0;
  if (spot->body < 0) return;
  const NsFeBody *body = &fe->body[spot->body];
  const PetscInt  d    = body->node_unknowns;
  if (body->is_rotor && !NsSpinIsFree(body->spin)) point->spin = body->spin;
  for (int k = 0; k < 3; k++) point->axis[k] = body->frame[0][k];
  if (spot->node >= 0) {
    const PetscInt *unknown = NsFeNodeUnknowns(fe, spot->node);
    for (int k = 0; k < 3; k++) point->x[k] = fe->x[3 * spot->node + k] + spot->arm[k];
    for (PetscInt a = 0; a < d; a++)
      add_unknown(point, moved, unknown[a], body->turns[a] ? none : body->direction[a], body->turns[a] ? body->direction[a] : none, spot->arm);
    return;
  }
  const NsFeElement *e = &fe->element[spot->element];
  PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
  PetscReal          move[NS_ELEMENT_UNKNOWNS][3], turn[NS_ELEMENT_UNKNOWNS][3];
  const PetscInt     n = NsFeElementUnknowns(fe, e, unknown);
  body->element->shape(body, e, spot->xi, move, turn);
  NsFePosition(fe, e, spot->xi, point->x);
  for (int k = 0; k < 3; k++) point->x[k] += spot->arm[k];
  for (PetscInt i = 0; i < n; i++) add_unknown(point, moved, unknown[i], move[i], turn[i], spot->arm);
}

void NsFeExpand(const NsFe *fe, const NsFePoint *spot, NsPoint *point)
{
  expand(fe, spot, PETSC_FALSE, point);
}

void NsFeExpandMoved(const NsFe *fe, const NsFePoint *spot, NsPoint *point)
{
  expand(fe, spot, PETSC_TRUE, point);
}

void NsFeMakeTwist(const NsFe *fe, const NsFePoint *spot, NsFeTwist *twist)
{
  const NsFeBody *body = &fe->body[spot->body];
  NsPoint         point;

  twist->entries = 0;
  twist->spin    = body->is_rotor ? body->spin : NULL;
  if (!NsSpinIsFree(twist->spin)) return;
  NsFeExpand(fe, spot, &point);
  for (PetscInt i = 0; i < point.unknowns; i++) {
    const PetscReal weight = point.turn[i][0] * body->frame[0][0] + point.turn[i][1] * body->frame[0][1] + point.turn[i][2] * body->frame[0][2];
    if (weight == 0) continue;
    twist->unknown[twist->entries]  = point.unknown[i];
    twist->weight[twist->entries++] = weight;
  }
}

PetscReal NsFeTwistAngle(const NsFeTwist *twist, PetscReal t, const PetscScalar *q)
{
  PetscReal angle = NsSpinAngle(twist->spin, t);

  for (PetscInt i = 0; i < twist->entries; i++) angle += twist->weight[i] * q[twist->unknown[i]];
  return angle;
}

PetscReal NsFeTwistRate(const NsFeTwist *twist, PetscReal t, const PetscScalar *v)
{
  PetscReal rate = NsSpinRate(twist->spin, t);

  for (PetscInt i = 0; i < twist->entries; i++) rate += twist->weight[i] * v[twist->unknown[i]];
  return rate;
}
