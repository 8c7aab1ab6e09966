#include "components.h"

static void take_force(const NsFe *fe, const NsForceElement *force, NsFeComponent *c)
{
  c->kind  = NS_FE_FORCE;
  c->force = force;
  c->n     = NsFeForceRows(fe, force, c->unknown, c->row);
}

static void take_inertia(const NsFe *fe, const NsFeInertia *inertia, NsFeComponent *c)
{
  c->kind    = NS_FE_INERTIA;
  c->inertia = inertia;
  c->body    = &fe->body[inertia->at.body];
  NsFeExpand(fe, &inertia->at, &c->point);
  c->n = c->point.unknowns;
  for (PetscInt i = 0; i < c->n; i++) c->unknown[i] = c->point.unknown[i];
}

void NsFeTakeMoved(const NsFe *fe, NsFeComponent *c)
{
  if (!fe->moving.moved || c->kind == NS_FE_ELEMENT) return;
  if (c->kind == NS_FE_FORCE) {
    c->n = NsFeForceRowsMoved(fe, c->force, c->unknown, c->row);
    return;
  }
  NsFeExpandMoved(fe, &c->inertia->at, &c->point);
  c->n = c->point.unknowns;
  for (PetscInt i = 0; i < c->n; i++) c->unknown[i] = c->point.unknown[i];
}

PetscBool NsFeNextBehindElements(const NsFe *fe, NsFeComponent *c)
{
  const PetscInt force = c->next++ - fe->elements, inertia = force - fe->force_elements;

  if (inertia < 0)
    take_force(fe, &fe->force[force], c);
  else if (inertia < fe->inertias)
    take_inertia(fe, &fe->inertia[inertia], c);
  else
    return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscInt element_nodes(const NsFe *fe, const NsFeElement *e, PetscInt *node)
{
  const PetscInt n = fe->body[e->body].element->nodes;

  for (PetscInt k = 0; k < n; k++) node[k] = e->node[k];
  return n;
}

/* Of a point: its node, or those of the element that it is in. */
static PetscInt point_nodes(const NsFe *fe, const NsFePoint *spot, PetscInt *node)
{
  if (spot->body < 0) return 0;
  if (spot->node >= 0) {
    node[0] = spot->node;
    return 1;
  }
  return element_nodes(fe, &fe->element[spot->element], node);
}

PetscInt NsFeComponentNodes(const NsFe *fe, const NsFeComponent *c, PetscInt *node)
{
  PetscInt n;

  if (c->kind == NS_FE_INERTIA) return point_nodes(fe, &c->inertia->at, node);
  if (c->kind == NS_FE_FORCE) {
    n = point_nodes(fe, &c->force->end[0], node);
    return n + point_nodes(fe, &c->force->end[1], node + n);
  }
  return element_nodes(fe, c->element, node);
}

PetscReal NsFeSpeedOf(const NsFe *fe, const NsFeBody *body, const PetscReal *speed)
{
  if (!body->is_rotor) return 0;
  if (speed) return speed[body - fe->body];
  return NsFeSpeedIsConstant(body) ? NsSpinAtStart(body->spin) : 0;
}

static void element_terms(
  const NsFe *fe, const NsFeComponent *c, const PetscReal *speed, const PetscBool wanted[NS_FE_MATRICES], NsFeAddTerm add, void *context)
{
  const NsFeBody *body = c->body;
  PetscReal       M[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], K[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS], row[NS_ELEMENT_UNKNOWNS],
    N[4 * NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS];
  const PetscReal omega = NsFeSpeedOf(fe, body, speed);

  NsFeElementMass(fe, c->element, M);
  if (wanted[NS_FE_MASS]) add(context, c, NS_FE_MASS, M, 1);
  if (wanted[NS_FE_STIFFNESS] || wanted[NS_FE_DAMPERS]) body->element->stiffness(body, c->element, K);
  if (wanted[NS_FE_STIFFNESS]) add(context, c, NS_FE_STIFFNESS, K, 1);
  if (wanted[NS_FE_STIFFNESS] && body->circulates_by_matrix) {
    body->element->skew(body, c->element, PETSC_FALSE, N);
    add(context, c, NS_FE_STIFFNESS, N, 1);
  }
  if (wanted[NS_FE_DAMPERS]) {
    add(context, c, NS_FE_DAMPERS, M, body->damping_mass);
    add(context, c, NS_FE_DAMPERS, K, body->damping_stiffness);
  }
  if (wanted[NS_FE_DAMPERS] && body->damped_by_matrix) {
    body->element->damping(body, c->element, K);
    add(context, c, NS_FE_DAMPERS, K, 1);
  }
  if (wanted[NS_FE_DAMPERS] && body->damping_torsion > 0) {
    body->element->twist(body, c->element, row);
    for (PetscInt i = 0; i < c->n * c->n; i++) K[i] = row[i / c->n] * row[i % c->n];
    add(context, c, NS_FE_DAMPERS, K, body->damping_torsion);
  }
  if (wanted[NS_FE_GYROSCOPIC] && body->turns_by_matrix) {
    body->element->skew(body, c->element, PETSC_TRUE, K);
    add(context, c, NS_FE_GYROSCOPIC, K, 1);
  }
  if (wanted[NS_FE_GYROSCOPIC] && body->is_rotor && body->gyroscopic && omega != 0) {
    body->element->gyroscopic(body, c->element, K);
    add(context, c, NS_FE_GYROSCOPIC, K, omega);
  }
}

void NsFeForceBlock(PetscInt n, const PetscReal (*row)[6], const PetscReal X[36], NsFePart part, PetscReal *Y)
{
  const PetscReal sign = part; /* of the transposed matrix */
  PetscReal       Z[36];

  for (int i = 0; i < 36; i++) Z[i] = part == NS_FE_WHOLE ? X[i] : (X[i] + sign * X[6 * (i % 6) + i / 6]) / 2;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = 0;
      for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) sum += row[i][a] * row[j][b] * Z[6 * a + b];
      }
      Y[i * n + j] = sum;
    }
  }
}

static void force_terms(
  const NsFe *fe, const NsFeComponent *c, const PetscReal *speed, const PetscBool wanted[NS_FE_MATRICES], NsFeAddTerm add, void *context)
{
  PetscReal k[36], d[36], X[NS_FORCE_UNKNOWNS * NS_FORCE_UNKNOWNS];

  NsFeForceTangents(fe, c->force, speed, k, d);
  for (int part = NS_FE_SYMMETRIC; part >= NS_FE_SKEW; part -= 2) {
    const NsFeMatrix damping = part == NS_FE_SYMMETRIC ? NS_FE_DAMPERS : NS_FE_GYROSCOPIC;
    if (wanted[NS_FE_STIFFNESS]) {
      NsFeForceBlock(c->n, c->row, k, part, X);
      add(context, c, NS_FE_STIFFNESS, X, 1);
    }
    if (!wanted[damping]) continue;
    NsFeForceBlock(c->n, c->row, d, part, X);
    add(context, c, damping, X, 1);
  }
}

static void inertia_terms(
  const NsFe *fe, const NsFeComponent *c, const PetscReal *speed, const PetscBool wanted[NS_FE_MATRICES], NsFeAddTerm add, void *context)
{
  PetscReal       X[NS_POINT_UNKNOWNS * NS_POINT_UNKNOWNS];
  const PetscReal omega = NsFeSpeedOf(fe, c->body, speed);

  if (wanted[NS_FE_MASS]) {
    NsFeInertiaMass(c->inertia, &c->point, X);
    add(context, c, NS_FE_MASS, X, 1);
  }
  if (!wanted[NS_FE_GYROSCOPIC] || !c->inertia->gyroscopic || omega == 0) return;
  NsFeDiscGyroscopic(c->inertia, &c->point, X);
  add(context, c, NS_FE_GYROSCOPIC, X, omega);
}

void NsFeComponentTerms(
  const NsFe *fe, const NsFeComponent *c, const PetscReal *speed, const PetscBool wanted[NS_FE_MATRICES], NsFeAddTerm add, void *context)
{
  if (c->kind == NS_FE_ELEMENT)
    element_terms(fe, c, speed, wanted, add, context);
  else if (c->kind == NS_FE_FORCE)
    force_terms(fe, c, speed, wanted, add, context);
  else
    inertia_terms(fe, c, speed, wanted, add, context);
}

PetscReal NsFeForceComponentEnergy(const NsFe *fe, const NsFeComponent *c, const PetscReal *speed, const PetscReal *q)
{
  PetscReal r[6] = {0};

  for (PetscInt i = 0; i < c->n; i++) {
    for (int a = 0; a < 6; a++) r[a] += c->row[i][a] * q[i];
  }
  return NsFeForceEnergy(fe, c->force, speed, r);
}
