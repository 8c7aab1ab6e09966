/* Nearest points of cubic curves: see curve.h. */
#include "curve.h"

#define NS_ROUNDS   60
#define NS_SETTLED  1e-10 /* change of xi after which the next one is below rounding */
#define NS_PARALLEL 1e-9  /* squared sine between two lines that have no nearest points of their own */

void NsCurveControl(const PetscReal p[NS_CURVE_POINTS][3], PetscReal P[NS_CURVE_POINTS][3])
{
  for (int k = 0; k < 3; k++) {
    P[0][k] = p[0][k];
    P[1][k] = (-5 * p[0][k] + 18 * p[1][k] - 9 * p[2][k] + 2 * p[3][k]) / 6;
    P[2][k] = (2 * p[0][k] - 9 * p[1][k] + 18 * p[2][k] - 5 * p[3][k]) / 6;
    P[3][k] = p[3][k];
  }
}

void NsCurveWeights(PetscReal xi, PetscReal B[NS_CURVE_POINTS])
{
  const PetscReal rest = 1 - xi;

  B[0] = rest * rest * rest;
  B[1] = 3 * xi * rest * rest;
  B[2] = 3 * xi * xi * rest;
  B[3] = xi * xi * xi;
}

void NsCurveBox(NsCurve *curve)
{
  for (int k = 0; k < 3; k++) {
    curve->low[k] = curve->high[k] = curve->P[0][k];
    for (int a = 1; a < NS_CURVE_POINTS; a++) {
      curve->low[k]  = PetscMin(curve->low[k], curve->P[a][k]);
      curve->high[k] = PetscMax(curve->high[k], curve->P[a][k]);
    }
  }
}

void NsCurveOfPoint(const PetscReal x[3], NsCurve *curve)
{
  for (int a = 0; a < NS_CURVE_POINTS; a++) {
    for (int k = 0; k < 3; k++) curve->P[a][k] = x[k];
  }
  for (int k = 0; k < 3; k++) curve->low[k] = curve->high[k] = x[k];
}

PetscReal NsCurvesApart(const NsCurve *a, const NsCurve *b)
{
  PetscReal square = 0;

  for (int k = 0; k < 3; k++) square += PetscSqr(PetscMax(0, PetscMax(a->low[k] - b->high[k], b->low[k] - a->high[k])));
  return square;
}

/* x and its first two derivatives. */
static void evaluate(const NsCurve *curve, PetscReal xi, PetscReal x[3], PetscReal d[3], PetscReal dd[3])
{
  const PetscReal rest = 1 - xi;
  PetscReal       B[NS_CURVE_POINTS];

  NsCurveWeights(xi, B);
  for (int k = 0; k < 3; k++) {
    const PetscReal a = curve->P[1][k] - curve->P[0][k], b = curve->P[2][k] - curve->P[1][k], c = curve->P[3][k] - curve->P[2][k];
    x[k]  = B[0] * curve->P[0][k] + B[1] * curve->P[1][k] + B[2] * curve->P[2][k] + B[3] * curve->P[3][k];
    d[k]  = 3 * (rest * rest * a + 2 * xi * rest * b + xi * xi * c);
    dd[k] = 6 * (rest * (b - a) + xi * (c - b));
  }
}

void NsCurveAt(const NsCurve *curve, PetscReal xi, PetscReal x[3], PetscReal d[3])
{
  PetscReal dd[3];

  evaluate(curve, xi, x, d, dd);
}

static PetscReal within(PetscReal xi)
{
  return xi < 0 ? 0 : xi > 1 ? 1 : xi;
}

/* Half the squared distance at xi, its gradient, and its second derivatives H_aa, H_ab, H_bb. */
static PetscReal objective(const NsCurve *a, const NsCurve *b, const PetscReal xi[2], PetscReal gradient[2], PetscReal H[3])
{
  PetscReal at[2][3], d[2][3], dd[2][3], r[3];

  evaluate(a, xi[0], at[0], d[0], dd[0]);
  evaluate(b, xi[1], at[1], d[1], dd[1]);
  for (int k = 0; k < 3; k++) r[k] = at[0][k] - at[1][k];
  gradient[0] = NsDot3(r, d[0]);
  gradient[1] = -NsDot3(r, d[1]);
  H[0]        = NsDot3(d[0], d[0]) + NsDot3(r, dd[0]);
  H[1]        = -NsDot3(d[0], d[1]);
  H[2]        = NsDot3(d[1], d[1]) - NsDot3(r, dd[1]);
  return NsDot3(r, r) / 2;
}

/* The solution of H x = -b in those unknowns that are not held; where H is not positive definite, of each by itself, at most 1/4. */
static void newton(const PetscReal H[3], const PetscReal b[2], const PetscBool held[2], PetscReal x[2])
{
  const PetscReal determinant = H[0] * H[2] - H[1] * H[1];

  for (int i = 0; i < 2; i++) x[i] = held[i] || b[i] == 0 ? 0 : H[2 * i] > 0 ? -b[i] / H[2 * i] : b[i] > 0 ? -0.25 : 0.25;
  if (held[0] || held[1] || H[0] <= 0 || determinant <= NS_PARALLEL * H[0] * H[2]) return;
  x[0] = (-H[2] * b[0] + H[1] * b[1]) / determinant;
  x[1] = (H[1] * b[0] - H[0] * b[1]) / determinant;
}

/* Which stay at an end. */
static void find_held(const PetscReal xi[2], const PetscReal gradient[2], PetscBool held[2])
{
  for (int i = 0; i < 2; i++) held[i] = (xi[i] <= 0 && gradient[i] >= 0) || (xi[i] >= 1 && gradient[i] <= 0);
}

/* Each step decreases the distance (up to rounding: the last steps change xi but not the distance), or is halved. */
static PetscReal descend(const NsCurve *a, const NsCurve *b, PetscReal xi[2])
{
  const PetscReal rounding = 8 * PETSC_MACHINE_EPSILON;
  PetscReal       gradient[2], H[3], step[2], value = objective(a, b, xi, gradient, H);

  for (int round = 0; round < NS_ROUNDS; round++) {
    PetscReal next[2], better = value, change = 0;
    PetscBool held[2];
    find_held(xi, gradient, held);
    newton(H, gradient, held, step);
    for (PetscReal part = 1; part > 1e-3; part /= 2) {
      for (int i = 0; i < 2; i++) next[i] = within(xi[i] + part * step[i]);
      better = objective(a, b, next, gradient, H);
      if (better <= value + rounding * value) break;
    }
    if (better > value + rounding * value) break;
    for (int i = 0; i < 2; i++) {
      change = PetscMax(change, PetscAbsReal(next[i] - xi[i]));
      xi[i]  = next[i];
    }
    value = better;
    if (change <= NS_SETTLED) break;
  }
  return 2 * value;
}

/* Nearest points of the chords (C. Ericson, Real-Time Collision Detection, 2005, 5.1.9). */
static void nearest_of_chords(const NsCurve *a, const NsCurve *b, PetscReal xi[2])
{
  PetscReal chord[2][3], r[3];

  for (int k = 0; k < 3; k++) {
    chord[0][k] = a->P[3][k] - a->P[0][k];
    chord[1][k] = b->P[3][k] - b->P[0][k];
    r[k]        = a->P[0][k] - b->P[0][k];
  }
  const PetscReal aa = NsDot3(chord[0], chord[0]), bb = NsDot3(chord[1], chord[1]), ab = NsDot3(chord[0], chord[1]);
  const PetscReal ar = NsDot3(chord[0], r), br = NsDot3(chord[1], r), determinant = aa * bb - ab * ab;
  if (aa == 0)
    xi[0] = 0;
  else if (determinant > NS_PARALLEL * aa * bb)
    xi[0] = within((ab * br - bb * ar) / determinant);
  else { /* both ends of the second, seen from the first */
    const PetscReal one = within(-ar / aa), two = within((ab - ar) / aa);
    xi[0] = (one + two) / 2;
  }
  xi[1] = (ab * xi[0] + br) / bb;
  if (xi[1] >= 0 && xi[1] <= 1) return;
  xi[1] = within(xi[1]);
  if (aa > 0) xi[0] = within((ab * xi[1] - ar) / aa);
}

PetscReal NsCurvesNearest(const NsCurve *a, const NsCurve *b, PetscReal xi[2])
{
  nearest_of_chords(a, b, xi);
  return descend(a, b, xi);
}

void NsCurvesRate(const NsCurve *a, const NsCurve *b, const PetscReal xi[2], const NsCurve *va, const NsCurve *vb, PetscReal rate[2])
{
  PetscReal gradient[2], H[3], x[2][3], d[2][3], v[2][3], dv[2][3], between[2] = {0, 0};
  PetscBool held[2];

  (void)objective(a, b, xi, gradient, H);
  NsCurveAt(a, xi[0], x[0], d[0]);
  NsCurveAt(b, xi[1], x[1], d[1]);
  NsCurveAt(va, xi[0], v[0], dv[0]);
  NsCurveAt(vb, xi[1], v[1], dv[1]);
  for (int k = 0; k < 3; k++) {
    const PetscReal r = x[0][k] - x[1][k], moves = v[0][k] - v[1][k];
    between[0] += moves * d[0][k] + r * dv[0][k];
    between[1] -= moves * d[1][k] + r * dv[1][k];
  }
  for (int i = 0; i < 2; i++) held[i] = xi[i] <= 0 || xi[i] >= 1;
  newton(H, between, held, rate);
}
