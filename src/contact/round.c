/*
  A ball or journal of radius r around a point against a cylinder or sphere of radius R around another, inside (s = -1) or outside (s = +1):

      d = (x1 + u1) - (x2 + u2), for the cylinder without its part along the axis;     e = d/|d|,   n = s e
      outside: g = |d| - R - r      inside: g = R - r - |d|      (+ offset)

  n pushes the first. Both may move. The cylinder's axis is fixed in space: small tilts of a housing are neglected but for what they move its centre, and so are
  those of a journal; both count as rotations in the friction. A cylinder has no ends.

  Material points meet at the arms -r n and R e = s R n from the two centres, so that along a tangent t, with the angular velocities w of both and b = n x t,

      u_t = t . (v1 - v2) - b . (r w1 + s R w2)

  The tangents are those of the start, carried along by the smallest rotation from the normal n0 of the start to n; with m = n0 + n that is

      t = t0 - 2 (m . t0)/(m . m) m

  For a cylinder that is the axis, and axis x n. A frame without any jump does not exist on a sphere; this one has it opposite to the start, at m = 0: there
  m = pivot x n0 is taken, which is right for motion in the plane of n0 and t0. Where the centres meet (d = 0) n = n0.
*/
#include <math.h>
#include "pair.h"

/* 1/|d| is that of a point closer to the centre than this part of R: no contact is ever there, and nothing overflows. */
#define NS_CENTRED 1e-12

static PetscReal side(const NsPair *pair)
{
  return pair->inside ? -1 : 1;
}

/* Without the part along the axis; a sphere's axis is 0. */
static void across(const NsPair *pair, PetscReal d[3])
{
  const PetscReal along = NsDot3(d, pair->axis);

  for (int k = 0; k < 3; k++) d[k] -= along * pair->axis[k];
}

/* |d|, and the normal. u1 is the displacement of the first point. */
static PetscReal distance(const NsPair *pair, const PetscReal *touch_q, PetscReal u1[3], PetscReal n[3])
{
  PetscReal u2[3], d[3], length;

  NsPointDisplacement(&pair->point[0], touch_q, u1);
  NsPointDisplacement(&pair->point[1], touch_q, u2);
  /* x1 - x2 first: displacements keep all their digits next to large coordinates */
  for (int k = 0; k < 3; k++) d[k] = (pair->point[0].x[k] - pair->point[1].x[k]) + (u1[k] - u2[k]);
  across(pair, d);
  length = PetscSqrtReal(NsDot3(d, d));
  if (length < 1e-140) length = hypot(hypot(d[0], d[1]), d[2]); /* squares would underflow; else too slow for each step */
  for (int k = 0; k < 3; k++) n[k] = length > 1e-300 ? side(pair) * (d[k] / length) : pair->normal[k];
  return length;
}

static PetscReal gap(const NsPair *pair, PetscReal t, const PetscReal *touch_q)
{
  PetscReal u[3], n[3];

  (void)t;
  return side(pair) * (distance(pair, touch_q, u, n) - pair->radius[1]) - pair->radius[0] + pair->offset;
}

/* m of the header; false: the normal is opposite to that of the start. */
static PetscBool mirror(const NsPair *pair, const PetscReal n[3], PetscReal m[3])
{
  for (int k = 0; k < 3; k++) m[k] = pair->normal[k] + n[k];
  if (NsDot3(m, m) > 1e-24) return PETSC_TRUE;
  NsCross3(pair->pivot, pair->normal, m);
  return PETSC_FALSE;
}

static PetscErrorCode rows(const NsPair *pair, PetscReal t, const PetscReal *touch_q, NsRows *out)
{
  static const PetscReal sign[2] = {1, -1};
  PetscReal              u[3], n[3], m[3], arm[2][3];

  PetscFunctionBegin;
  distance(pair, touch_q, u, n);
  PetscCall(NsRowsAdd(out, pair, t, n, sign, NULL));
  for (int k = 0; k < 3; k++) {
    arm[0][k] = -pair->radius[0] * n[k];
    arm[1][k] = side(pair) * pair->radius[1] * n[k];
  }
  mirror(pair, n, m);
  for (PetscInt i = 0; i < pair->tangents; i++) {
    const PetscReal factor = 2 * NsDot3(m, pair->tangent[i]) / NsDot3(m, m);
    PetscReal       tangent[3];
    for (int k = 0; k < 3; k++) tangent[k] = pair->tangent[i][k] - factor * m[k];
    PetscCall(NsRowsAdd(out, pair, t, tangent, sign, (const PetscReal(*)[3])arm));
  }
  PetscFunctionReturn(0);
}

/*
  With e' = (d' - e (e . d'))/|d|, n' = s e':

      normal:   n' . (v1 - v2) = s (|d'|^2 - (e . d')^2)/|d|
      tangent:  t' . (v1 - v2) - b' . (r w1 + s R w2) - b . (r Omega1' axis1 + s R Omega2' axis2),     b' = n' x t + n x t'
*/
static void rate(const NsPair *pair, PetscReal t, const PetscReal *touch_q, const PetscReal *touch_v, PetscReal *out)
{
  const PetscReal s      = side(pair);
  const PetscReal arm[2] = {pair->radius[0], s * pair->radius[1]};
  PetscReal       u[3], n[3], dn[3], m[3], v[2][3], w[2][3], between[3], d[3], turning[3], speeding[3];
  const PetscReal length = distance(pair, touch_q, u, n), curvature = length > NS_CENTRED * pair->radius[1] ? 1 / length : 0;

  for (int p = 0; p < 2; p++) NsPointVelocity(&pair->point[p], t, touch_v, v[p], w[p]);
  for (int k = 0; k < 3; k++) {
    between[k] = d[k] = v[0][k] - v[1][k];
    turning[k]        = arm[0] * w[0][k] + arm[1] * w[1][k];
    speeding[k]       = 0;
  }
  for (int p = 0; p < 2; p++) {
    const PetscReal acceleration = NsSpinAcceleration(pair->point[p].spin, t);
    for (int k = 0; acceleration != 0 && k < 3; k++) speeding[k] += arm[p] * acceleration * pair->point[p].axis[k];
  }
  across(pair, d);
  const PetscReal outwards = NsDot3(n, d);
  for (int k = 0; k < 3; k++) dn[k] = s * curvature * (d[k] - n[k] * outwards);
  out[0]                  = NsDot3(dn, d);
  const PetscBool regular = mirror(pair, n, m);
  for (PetscInt i = 0; i < pair->tangents; i++) {
    const PetscReal *t0 = pair->tangent[i];
    const PetscReal  mm = NsDot3(m, m), factor = 2 * NsDot3(m, t0) / mm;
    const PetscReal  change = regular ? 2 * NsDot3(dn, t0) / mm - 2 * factor * NsDot3(m, dn) / mm : 0;
    PetscReal        tangent[3], dt[3], b[3], db[3], other[3];
    for (int k = 0; k < 3; k++) {
      tangent[k] = t0[k] - factor * m[k];
      dt[k]      = regular ? -change * m[k] - factor * dn[k] : 0;
    }
    NsCross3(n, tangent, b);
    NsCross3(dn, tangent, db);
    NsCross3(n, dt, other);
    for (int k = 0; k < 3; k++) db[k] += other[k];
    out[1 + i] = NsDot3(dt, between) - NsDot3(db, turning) - NsDot3(b, speeding);
  }
}

static void place(const NsPair *pair, PetscReal t, const PetscReal *touch_q, PetscReal x[3], PetscReal u[3], PetscReal n[3])
{
  (void)t;
  distance(pair, touch_q, u, n);
  for (int k = 0; k < 3; k++) x[k] = pair->point[0].x[k] - pair->radius[0] * n[k];
}

/* The part of a across n; its length. */
static PetscReal reject(const PetscReal a[3], const PetscReal n[3], PetscReal part[3])
{
  const PetscReal along = NsDot3(a, n);

  for (int k = 0; k < 3; k++) part[k] = a[k] - along * n[k];
  return PetscSqrtReal(NsDot3(part, part));
}

/* The longest of the parts across n of what the points move by: the direction in which the normal will turn. 0: none. */
static PetscReal sideways(const NsPair *pair, const PetscReal n[3], PetscReal direction[3])
{
  PetscReal longest = 0;

  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      PetscReal part[3], length;
      for (int k = 0; k < 3; k++) part[k] = pair->point[p].move[a][k];
      across(pair, part);
      length = reject(part, n, part);
      if (length < longest + 1e-12) continue;
      longest = length;
      for (int k = 0; k < 3; k++) direction[k] = part[k] / length;
    }
  }
  return longest;
}

/* Any unit vector across a. */
static void any_across(const PetscReal a[3], PetscReal direction[3])
{
  PetscReal best = 0;

  for (int axis = 0; axis < 3; axis++) {
    const PetscReal unit[3] = {axis == 0, axis == 1, axis == 2};
    PetscReal       part[3], length = reject(unit, a, part);
    if (length < best + 1e-12) continue;
    best = length;
    for (int k = 0; k < 3; k++) direction[k] = part[k] / length;
  }
}

/* Some point moves along t, or turns about b with an arm. */
static PetscBool rubs(const NsPair *pair, const PetscReal t[3], const PetscReal b[3])
{
  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      if (PetscAbsReal(NsDot3(t, pair->point[p].move[a])) > 1e-10) return PETSC_TRUE;
      if (pair->radius[p] > 0 && PetscAbsReal(NsDot3(b, pair->point[p].turn[a])) > 1e-10) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/*
  n0 from the start, or where the centres meet then, a direction in which something moves. The first tangent is where the normal will turn to: axis x n0, or for a
  sphere a direction of motion, which in planar models lies in the plane. It is rubbed by motion along it and by rotation about b = pivot, which stays as it
  is. The second is the pivot, a cylinder's axis or the normal of that plane; its b is the first, and where the normal turns, n0 some time.
*/
static void prepare(NsPair *pair, const PetscReal *touch_q, PetscReal friction)
{
  const PetscReal none[3] = {0, 0, 0};
  PetscReal       u[3], n[3], first[3] = {0};
  PetscBool       turns;

  pair->tangents = 0;
  if (distance(pair, touch_q, u, n) < NS_CENTRED * pair->radius[1] && sideways(pair, none, n) == 0) any_across(pair->axis, n);
  turns = sideways(pair, n, first) > 0 ? PETSC_TRUE : PETSC_FALSE;
  if (pair->type == &NsPairType_Cylinder)
    NsCross3(pair->axis, n, first);
  else if (!turns)
    any_across(n, first);
  for (int k = 0; k < 3; k++) pair->normal[k] = n[k];
  NsCross3(n, first, pair->pivot);
  if (friction == 0) return;
  if (rubs(pair, first, pair->pivot)) {
    for (int k = 0; k < 3; k++) pair->tangent[pair->tangents][k] = first[k];
    pair->tangents++;
  }
  if (rubs(pair, pair->pivot, first) || (turns && rubs(pair, pair->pivot, n))) {
    for (int k = 0; k < 3; k++) pair->tangent[pair->tangents][k] = pair->pivot[k];
    pair->tangents++;
  }
}

const NsPairType NsPairType_Cylinder = {
  "cylinder", "a point, ball or journal inside or outside a circular cylinder", PETSC_FALSE, prepare, gap, rows, rate, place};
const NsPairType NsPairType_Sphere = {"sphere", "a point or ball inside or outside a sphere", PETSC_FALSE, prepare, gap, rows, rate, place};
