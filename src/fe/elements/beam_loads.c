/*
  Section forces of beams under loads between the nodes: weight, inertia, loads along the body, gyroscopic moments.

  At its ends an element is in equilibrium with its neighbours,

      F = K u - f,      f = -M a - Omega G v + int N' p        a: accelerations of its nodes, less gravity,

  and along it with its own load per length, p - rho A N a, and torque, -rho (I2 + I3) r1''. With x = the fraction of its length l,

      N(x) = F_b + int_x^1 p l ds            and so the shear forces and the torque
      M3(x) = (1 - x) M3(0) + x M3(1) - l^2 S(p2),     M2(x) = ... + l^2 S(p3),     S(p) = (1 - x) int_0^x p s ds + x int_x^1 p (1 - s) ds:

  what a beam on two supports has, between the moments at its ends. NsBeamForces gives the part of K u. Section forces of a straight uniform beam are exact so under uniform loads at rest, whatever
  its elements; in motion they are as exact as the accelerations, and equal on both sides of a node without a load of its own.

  Stiffness-proportional damping is not part of them: forces are those of elastic strains.
*/
#include "beam.h"
#include "fe/model/fe.h"

enum { N = NS_BEAM_UNKNOWNS, POINTS = 5 };

/* Gauss's rule on [0, 1], exact to degree 9: taper (2), cubics (3), arm (1). */
static const PetscReal point[POINTS]  = {0.046910077030668004, 0.23076534494715846, 0.5, 0.76923465505284154, 0.953089922969332};
static const PetscReal weight[POINTS] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324, 0.11846344252809454};

/* Loads in the element's own frame. */
typedef struct {
  const NsFeElement    *e;
  const NsBeamMatrices *beam;
  PetscBool             lumped;
  PetscReal             a[N], spin[N], line[N], share[N];
} Loads;

/* Force per length p[3] and torque per length p[3] at a point. */
static void density(const Loads *loads, PetscReal x, PetscReal p[4])
{
  const NsProperty section = NsLineProperty(loads->e, x);
  const PetscReal  mass = section.density * section.area, polar = section.density * (section.inertia_2 + section.inertia_3), y = 1 - x;
  PetscReal        shape[6][N];

  NsBeamShape(loads->beam, x, shape);
  for (int k = 0; k < 3; k++) {
    PetscReal a = 0;
    if (loads->lumped) a = y * loads->share[k] * loads->a[k] + x * loads->share[6 + k] * loads->a[6 + k];
    for (int i = 0; i < N && !loads->lumped; i++) a += shape[k][i] * loads->a[i];
    p[k] = loads->line[k] - mass * a;
  }
  p[3] = -polar * (y * loads->a[3] + x * loads->a[9]);
}

/* The forces f on the nodes. */
static void on_nodes(const Loads *loads, PetscReal f[N])
{
  const NsBeamMatrices *beam = loads->beam;
  PetscReal             shape[6][N];

  for (int i = 0; i < N; i++) {
    f[i] = 0;
    for (int j = 0; j < N; j++) f[i] -= loads->share[i] * beam->mass[N * i + j] * loads->a[j] + beam->gyroscopic[N * i + j] * loads->spin[j];
  }
  for (int g = 0; g < POINTS; g++) {
    NsBeamShape(beam, point[g], shape);
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 3; k++) f[i] += weight[g] * beam->length * shape[k][i] * loads->line[k];
    }
  }
}

void NsFeBeamLoaded(const NsFeBody *body, const NsFeElement *e, const NsElementLoads *given, const PetscReal xi[3], PetscReal *value)
{
  const NsBeamMatrices *beam  = ((const NsBeamElement *)e->data)->matrices;
  Loads                 loads = {.e = e, .beam = beam, .lumped = body->lumped};
  const PetscReal       x = xi[0], l    = beam->length;
  PetscReal             f[N], beyond[4] = {0}, bent[4] = {0}; /* int_x^1 p l ds; l^2 S(p) */

  NsFeBeamMotion(body, e, given->acceleration, loads.a);
  NsFeBeamMotion(body, e, given->spin, loads.spin);
  NsFeBeamMotion(body, e, given->line, loads.line);
  for (int i = 0; i < N; i++) loads.share[i] = i % 6 < 3 ? given->share[i / 6] : 1;
  on_nodes(&loads, f);
  for (int g = 0; g < POINTS; g++) {
    const PetscReal before = x * point[g], after = x + (1 - x) * point[g];
    PetscReal       p[4];
    density(&loads, before, p);
    for (int k = 0; k < 4; k++) bent[k] += l * l * (1 - x) * x * weight[g] * p[k] * before;
    density(&loads, after, p);
    for (int k = 0; k < 4; k++) {
      bent[k] += l * l * x * (1 - x) * weight[g] * p[k] * (1 - after);
      beyond[k] += l * (1 - x) * weight[g] * p[k];
    }
  }
  for (int k = 0; k < 4; k++) value[k] += beyond[k] - f[6 + k];
  value[4] += (1 - x) * f[4] - x * f[10] + bent[2];
  value[5] += (1 - x) * f[5] - x * f[11] - bent[1];
}
