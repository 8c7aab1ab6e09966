/*
  Crank and connecting rod, common to the slider-cranks with clearance, with one joint and with two; [A] (23), (24), gravity -y.

      M = [ J1 + l1^2 (m1/4 + m2 + m3)          l1 l2 cos(th1 - th2) (m2/2 + m3) ]     (upper 2 x 2 part)
          [ symmetric                           J2 + l2^2 (m2/4 + m3)            ]

      h1 = - l1 l2 sin(th1 - th2) (m2/2 + m3) om2^2 + gy l1 cos th1 (m1/2 + m2 + m3)
      h2 =   l1 l2 sin(th1 - th2) (m2/2 + m3) om1^2 + gy l2 cos th2 (m2/2 + m3)        gy: gravity along y, -9.81

  (and the same along x with -sin). The gravity of the paper, -y, has gx = 0. The coupling's rate is - l1 l2 sin(th1 - th2) (m2/2 + m3) (om1 - om2).
*/
#pragma once
#include <math.h>
#include <stddef.h>
#include "percuss/mechanism.h"

/* The first parameters of all slider-cranks. */
enum { NS_L1, NS_L2, NS_M1, NS_M2, NS_M3, NS_J1, NS_J2, NS_CRANK_PARAMETERS };

/* Their list, with these defaults; `least` is the minimum of inertias, `note` is added to their help. */
#define NS_CRANK_KEYS_WITH(l1, l2, m1, m2, m3, J1, J2, least, note) \
  {"crank_length", {1, 0, 0, 0}, l1, "0 <", 0, "length of the crank, l1"}, \
    {"rod_length", {1, 0, 0, 0}, l2, "0 <", 0, "length of the connecting rod, l2"}, \
    {"crank_mass", {0, 1, 0, 0}, m1, "0", 0, "mass of the crank, m1"}, {"rod_mass", {0, 1, 0, 0}, m2, "0", 0, "mass of the rod, m2"}, \
    {"slider_mass", {0, 1, 0, 0}, m3, "0", 0, "mass of the slider, m3"}, \
    {"crank_inertia", {2, 1, 0, 0}, J1, least, 0, "inertia of the crank about its centre, J1" note}, \
  { \
    "rod_inertia", {2, 1, 0, 0}, J2, least, 0, "inertia of the rod about its centre, J2" note \
  }
#define NS_CRANK_KEYS NS_CRANK_KEYS_WITH("0.153 m", "0.306 m", "0.038 kg", "0.038 kg", "0.076 kg", "7.4e-5 kg m^2", "5.9e-4 kg m^2", "0 <", "")

/* M[i, j] at i + n j, its upper left part. */
static inline void ns_crank_mass(const double *p, const double *q, int n, double *M)
{
  const double coupling = p[NS_L1] * p[NS_L2] * cos(q[0] - q[1]) * (p[NS_M2] / 2 + p[NS_M3]);

  M[0]     = p[NS_J1] + p[NS_L1] * p[NS_L1] * (p[NS_M1] / 4 + p[NS_M2] + p[NS_M3]);
  M[1]     = coupling;
  M[n]     = coupling;
  M[n + 1] = p[NS_J2] + p[NS_L2] * p[NS_L2] * (p[NS_M2] / 4 + p[NS_M3]);
}

/* (dM/dt) v, its upper part. */
static inline void ns_crank_massrate(const double *p, const double *q, const double *v, double *y)
{
  const double rate = -p[NS_L1] * p[NS_L2] * sin(q[0] - q[1]) * (p[NS_M2] / 2 + p[NS_M3]) * (v[0] - v[1]);

  y[0] = rate * v[1];
  y[1] = rate * v[0];
}

/* Static moments of crank and rod about their joints, for gravity. */
static inline double ns_crank_weight1(const double *p)
{
  return p[NS_L1] * (p[NS_M1] / 2 + p[NS_M2] + p[NS_M3]);
}
static inline double ns_crank_weight2(const double *p)
{
  return p[NS_L2] * (p[NS_M2] / 2 + p[NS_M3]);
}

static inline void ns_crank_force(const NsMechanismCase *c, const double *q, const double *v, double *h)
{
  const double *p = c->p, *g = c->gravity;
  const double  coupling = p[NS_L1] * p[NS_L2] * sin(q[0] - q[1]) * (p[NS_M2] / 2 + p[NS_M3]);

  h[0] = -coupling * v[1] * v[1] + ns_crank_weight1(p) * (g[1] * cos(q[0]) - g[0] * sin(q[0]));
  h[1] = coupling * v[0] * v[0] + ns_crank_weight2(p) * (g[1] * cos(q[1]) - g[0] * sin(q[1]));
}

static inline double ns_crank_potential(const NsMechanismCase *c, const double *q)
{
  const double *p = c->p, *g = c->gravity;

  return -ns_crank_weight1(p) * (g[0] * cos(q[0]) + g[1] * sin(q[0])) - ns_crank_weight2(p) * (g[0] * cos(q[1]) + g[1] * sin(q[1]));
}
