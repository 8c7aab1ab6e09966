/*
  One contact, w = q + A P, by its states (as in F. Bertails-Descoubes, F. Cadoux, G. Daviet, V. Acary: A nonsmooth Newton solver for capturing exact Coulomb friction, 2011):

      open       P = 0                                    if q_N >= 0
      stick      P = -A^-1 q                              if it lies in the cone
      slip       w_N = 0,  P_T = mu P_N d,  w_T = -s d    d: a direction, s >= 0

  In the plane d is one of two. In space it is a root of

      g(theta) = w_T . d',   d = (cos, sin), d' = (-sin, cos),   P_N = -q_N / (A_NN + mu A_NT . d),   w_T = q_T + P_N (A_TN + mu A_TT d)

  which has up to four (a quartic in tan theta/2): Newton's method from the last direction, and if it does not end in a root with s >= 0, from the changes of sign around the circle.
*/
#include "one_contact.h"

#define NS_PIVOT      1e-14
#define NS_DIRECTIONS 32

void NsSolve3(PetscInt n, const PetscReal *A, const PetscReal *b, PetscReal *x)
{
  PetscReal M[9], y[3], scale = 0;

  for (PetscInt i = 0; i < n * n; i++) M[i] = A[i];
  for (PetscInt i = 0; i < n * n; i++) scale = PetscMax(scale, PetscAbsReal(A[i]));
  for (PetscInt i = 0; i < n; i++) y[i] = b[i];
  for (PetscInt k = 0; k < n; k++) {
    PetscInt best = k;
    for (PetscInt i = k + 1; i < n; i++) {
      if (PetscAbsReal(M[i * n + k]) > PetscAbsReal(M[best * n + k])) best = i;
    }
    for (PetscInt j = 0; j < n && best != k; j++) {
      const PetscReal t = M[k * n + j];
      M[k * n + j]      = M[best * n + j];
      M[best * n + j]   = t;
    }
    const PetscReal t = y[k];
    y[k]              = y[best];
    y[best]           = t;
    if (!(PetscAbsReal(M[k * n + k]) > NS_PIVOT * scale)) M[k * n + k] = scale > 0 ? scale : 1;
    for (PetscInt i = k + 1; i < n; i++) {
      const PetscReal factor = M[i * n + k] / M[k * n + k];
      for (PetscInt j = k + 1; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
      y[i] -= factor * y[k];
    }
  }
  for (PetscInt k = n - 1; k >= 0; k--) {
    for (PetscInt j = k + 1; j < n; j++) y[k] -= M[k * n + j] * x[j];
    x[k] = y[k] / M[k * n + k];
  }
}

/* Slip in the direction d: its P; g, its derivative and s. False: nothing presses. */
static PetscBool slip(const NsOneContact *c, const PetscReal *q, const PetscReal d[2], PetscReal P[3], PetscReal *g, PetscReal *slope, PetscReal *s)
{
  const PetscReal *A = c->A, mu = c->friction, e[2] = {-d[1], d[0]};
  const PetscReal  below = A[0] + mu * (A[1] * d[0] + A[2] * d[1]);
  PetscReal        w[2], dw[2];

  if (!(below > 0)) return PETSC_FALSE;
  P[0]                 = -q[0] / below;
  P[1]                 = mu * P[0] * d[0];
  P[2]                 = mu * P[0] * d[1];
  const PetscReal turn = q[0] * mu * (A[1] * e[0] + A[2] * e[1]) / (below * below);
  for (int i = 0; i < 2; i++) {
    const PetscReal *row = A + 3 * (i + 1), per = row[0] + mu * (row[1] * d[0] + row[2] * d[1]);
    w[i]  = q[i + 1] + P[0] * per;
    dw[i] = turn * per + P[0] * mu * (row[1] * e[0] + row[2] * e[1]);
  }
  *s     = -(w[0] * d[0] + w[1] * d[1]);
  *g     = w[0] * e[0] + w[1] * e[1];
  *slope = dw[0] * e[0] + dw[1] * e[1] + *s;
  return PETSC_TRUE;
}

/* Newton's method for the direction; whether it ends where friction opposes the slip. */
static PetscBool find_direction(const NsOneContact *c, const PetscReal *q, const PetscReal start[2], PetscReal P[3])
{
  const PetscReal length = PetscSqrtReal(start[0] * start[0] + start[1] * start[1]);
  PetscReal       d[2] = {start[0] / length, start[1] / length}, g, slope, s, last = PETSC_INFINITY;

  if (!(length > 0)) return PETSC_FALSE;
  for (int i = 0; i < 12; i++) {
    if (!slip(c, q, d, P, &g, &slope, &s)) return PETSC_FALSE;
    const PetscReal size = PetscAbsReal(g) + PetscAbsReal(s);
    if (PetscAbsReal(g) <= 1e-15 * size || (PetscAbsReal(g) <= 1e-12 * size && PetscAbsReal(g) >= last)) return s >= 0;
    last                 = PetscAbsReal(g);
    const PetscReal turn = slope != 0 ? PetscClipInterval(-g / slope, -0.5, 0.5) : 0.5, cosine = PetscCosReal(turn), sine = PetscSinReal(turn);
    const PetscReal x = cosine * d[0] - sine * d[1];
    d[1]              = sine * d[0] + cosine * d[1];
    d[0]              = x;
  }
  return PETSC_FALSE;
}

static void slip_in_space(const NsOneContact *c, const PetscReal *q, PetscReal P[3])
{
  const PetscReal start[2][2] = {{P[1], P[2]}, {-q[1], -q[2]}};
  PetscReal       best = PETSC_INFINITY, last = 0, kept[3] = {0};
  PetscBool       was = PETSC_FALSE;

  for (int i = 0; i < 2; i++) {
    if (find_direction(c, q, start[i], P)) return;
  }
  for (int i = 0; i <= NS_DIRECTIONS; i++) {
    const PetscReal angle = 2 * PETSC_PI * i / NS_DIRECTIONS, d[2] = {PetscCosReal(angle), PetscSinReal(angle)};
    PetscReal       g, slope, s;
    const PetscBool is = slip(c, q, d, P, &g, &slope, &s);
    if (is && was && last * g <= 0 && find_direction(c, q, d, P)) return;
    if (is && s >= 0 && PetscAbsReal(g) < best) {
      best = PetscAbsReal(g);
      for (int k = 0; k < 3; k++) kept[k] = P[k];
    }
    was  = is;
    last = g;
  }
  for (int k = 0; k < 3; k++) P[k] = kept[k];
}

static void slip_in_plane(const NsOneContact *c, const PetscReal *q, PetscReal P[2])
{
  P[0] = P[1] = 0;
  for (int sign = -1; sign <= 1; sign += 2) {
    const PetscReal below = c->A[0] + sign * c->friction * c->A[1];
    const PetscReal N     = below > 0 ? -q[0] / below : 0;
    if (N > 0 && sign * (q[1] + N * (c->A[2] + sign * c->friction * c->A[3])) <= 0) {
      P[0] = N;
      P[1] = sign * c->friction * N;
    }
  }
}

void NsOneContactSolve(const NsOneContact *c, const PetscReal *q, PetscReal *P)
{
  const PetscInt n    = c->rows;
  PetscReal      x[3] = {0};

  if (!c->bilateral && q[0] >= 0) {
    for (PetscInt i = 0; i < n; i++) P[i] = 0;
    return;
  }
  if (c->bilateral || (n > 1 && c->friction > 0)) {
    NsSolve3(n, c->A, q, x);
    const PetscReal tangential = n == 1 ? 0 : n == 2 ? PetscAbsReal(x[1]) : PetscSqrtReal(x[1] * x[1] + x[2] * x[2]);
    if (c->bilateral || (x[0] <= 0 && tangential <= -c->friction * x[0])) {
      for (PetscInt i = 0; i < n; i++) P[i] = -x[i];
      return;
    }
  }
  if (n == 1 || c->friction == 0) {
    P[0] = c->A[0] > 0 ? -q[0] / c->A[0] : 0;
    for (PetscInt i = 1; i < n; i++) P[i] = 0;
  } else if (n == 2) {
    slip_in_plane(c, q, P);
  } else {
    slip_in_space(c, q, P);
  }
}
