/*
  Forces that depend on the spin of a rotor while it changes:

      gyroscopic   -Omega G v                    of shaft elements and discs; Omega at the middle of the element, or at the disc
      unbalance    m e (psi'^2 c + psi'' s)  along axis 2,  m e (psi'^2 s - psi'' c)  along axis 3,     c, s = cos, sin (psi + phase)

  Where the spin is constant, gyroscopic terms are part of the matrices, and are not here. Bearings: varying.c. Where it is free, psi'' belongs to the mass matrix
  (src/fe/model/unbalanced_mass.c), and gravity turns the shaft: m e (c g3 - s g2).
*/
#include "fe.h"

static NsFeGyro *new_gyro(NsFe *fe, PetscInt n)
{
  NsFeGyro *gyro = &fe->forces.gyro[fe->forces.gyros++];

  gyro->n       = n;
  gyro->unknown = NsArenaAlloc(fe->arena, sizeof(*gyro->unknown) * (size_t)n);
  gyro->G       = NsArenaAlloc(fe->arena, sizeof(*gyro->G) * (size_t)(n * n));
  return gyro;
}

/* Only unknowns that are free and have a part in it: a rotor's element leaves 8 of its 12. */
static void add_gyro(NsFe *fe, PetscInt n, const PetscInt *unknown, const PetscReal *G, const NsFeTwist *twist)
{
  PetscInt kept[NS_ELEMENT_UNKNOWNS], count = 0;

  for (PetscInt i = 0; i < n; i++) {
    PetscReal size = 0;
    for (PetscInt j = 0; j < n; j++) size += PetscAbsReal(G[i * n + j]);
    if (unknown[i] >= 0 && size > 0) kept[count++] = i;
  }
  if (!count) return;
  NsFeGyro *gyro = new_gyro(fe, count);
  gyro->twist    = *twist;
  for (PetscInt i = 0; i < count; i++) {
    gyro->unknown[i] = unknown[kept[i]];
    for (PetscInt j = 0; j < count; j++) gyro->G[i * count + j] = G[kept[i] * n + kept[j]];
  }
}

static void add_elements(NsFe *fe, PetscInt number)
{
  const NsFeBody *body = &fe->body[number];

  for (PetscInt i = body->first_element; i < body->first_element + body->mesh->elements; i++) {
    const NsFeElement *e = &fe->element[i];
    PetscReal          G[NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS];
    PetscInt           unknown[NS_ELEMENT_UNKNOWNS];
    NsFeTwist          twist;
    const PetscInt     n = NsFeElementUnknowns(fe, e, unknown);
    NsFeMakeTwist(fe, &(NsFePoint){.body = number, .node = -1, .element = i, .xi = {0.5}}, &twist);
    body->element->gyroscopic(body, e, G);
    add_gyro(fe, n, unknown, G, &twist);
  }
}

void NsFeSpinning(NsFe *fe)
{
  size_t gyros = 1;

  for (PetscInt b = 0; b < fe->bodies; b++)
    gyros += !NsFeSpeedIsConstant(&fe->body[b]) && fe->body[b].gyroscopic ? (size_t)fe->body[b].mesh->elements : 0;
  fe->forces.gyro = NsArenaAlloc(fe->arena, sizeof(*fe->forces.gyro) * (gyros + (size_t)fe->inertias));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (!NsFeSpeedIsConstant(&fe->body[b]) && fe->body[b].gyroscopic) add_elements(fe, b);
  }
  for (PetscInt i = 0; i < fe->inertias; i++) {
    const NsFeInertia *disc = &fe->inertia[i];
    PetscReal          G[NS_POINT_UNKNOWNS * NS_POINT_UNKNOWNS];
    NsPoint            point;
    NsFeTwist          twist;
    if (!disc->gyroscopic || NsFeSpeedIsConstant(&fe->body[disc->at.body])) continue;
    NsFeExpand(fe, &disc->at, &point);
    NsFeDiscGyroscopic(disc, &point, G);
    NsFeMakeTwist(fe, &disc->spin_at, &twist);
    add_gyro(fe, point.unknowns, point.unknown, G, &twist);
  }
}

static PetscReal along(PetscInt entries, const PetscInt *unknown, const PetscReal *weight, const PetscScalar *x)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < entries; i++) sum += weight[i] * x[unknown[i]];
  return sum;
}

void NsFeUnbalanceForce(const NsFeUnbalance *u, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscReal f[2], PetscReal *torque)
{
  const PetscReal angle = NsFeTwistAngle(&u->twist, t, q) + u->phase, rate = NsFeTwistRate(&u->twist, t, v);
  const PetscReal c = PetscCosReal(angle), s = PetscSinReal(angle), acceleration = NsSpinAcceleration(u->twist.spin, t);

  f[0] = f[1] = *torque = 0;
  if (NsIsOff(u->off)) return;
  f[0]    = u->moment * (rate * rate * c + acceleration * s);
  f[1]    = u->moment * (rate * rate * s - acceleration * c);
  *torque = u->moment * (c * u->gravity[1] - s * u->gravity[0]);
}

void NsFeGyroscopicForce(const NsFeForces *forces, PetscReal t, const PetscScalar *v, PetscScalar *h)
{
  for (PetscInt g = 0; g < forces->gyros; g++) {
    const NsFeGyro *gyro = &forces->gyro[g];
    const PetscReal rate = NsFeTwistRate(&gyro->twist, t, v);
    for (PetscInt i = 0; i < gyro->n; i++) {
      PetscReal sum = 0;
      for (PetscInt j = 0; j < gyro->n; j++) sum += gyro->G[i * gyro->n + j] * v[gyro->unknown[j]];
      h[gyro->unknown[i]] -= rate * sum;
    }
  }
}

void NsFeUnbalanceForces(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, PetscScalar *h)
{
  for (PetscInt k = 0; k < forces->unbalances; k++) {
    const NsFeUnbalance *u = &forces->unbalance[k];
    PetscReal            f[2], torque;
    NsFeUnbalanceForce(u, t, q, v, f, &torque);
    for (PetscInt i = 0; i < u->entries; i++) h[u->unknown[i]] += f[0] * u->lateral[0][i] + f[1] * u->lateral[1][i];
    for (PetscInt i = 0; i < u->twist.entries; i++) h[u->twist.unknown[i]] += torque * u->twist.weight[i];
  }
}

void NsFeUnbalancePower(const NsFeForces *forces, PetscReal t, const PetscScalar *q, const PetscScalar *v, const PetscScalar *w, NsFePower *load)
{
  for (PetscInt k = 0; k < forces->unbalances; k++) {
    const NsFeUnbalance *u = &forces->unbalance[k];
    PetscReal            f[2], torque;
    if (u->twist.entries) continue; /* free spin: inertia and weight, both in the energies */
    NsFeUnbalanceForce(u, t, q, v, f, &torque);
    for (int a = 0; a < 2; a++) NsFeAddPower(load, f[a] * along(u->counted, u->unknown, u->lateral[a], w));
  }
}

PetscReal NsFeSpinningPotential(const NsFeForces *forces, PetscReal t, const PetscScalar *q)
{
  PetscReal potential = 0;

  for (PetscInt k = 0; k < forces->unbalances; k++) {
    const NsFeUnbalance *u = &forces->unbalance[k];
    if (!u->twist.entries || NsIsOff(u->off)) continue;
    const PetscReal angle = NsFeTwistAngle(&u->twist, t, q) + u->phase;
    potential -= u->moment * (PetscCosReal(angle) * u->gravity[0] + PetscSinReal(angle) * u->gravity[1]);
  }
  return potential;
}
