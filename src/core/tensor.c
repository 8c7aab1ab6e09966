/*
  Von Mises stress and principal stresses. Eigenvalues by cyclic Jacobi rotations (G. H. Golub, C. F. Van Loan, Matrix computations, Johns Hopkins (2013), sec. 8.5), which are accurate to rounding also where
  two of them are equal, as in uniaxial tension; the closed form by angles loses half of the digits there.
*/
#include <math.h>
#include "tensor.h"

#define NS_SWEEPS 20 /* 3 or 4 are needed */

double NsTensorMises(const double s[NS_TENSOR])
{
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];

  return sqrt((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* A <- J' A J with J a rotation in the plane (p, q) that makes A_pq zero; r is the third axis. The rows of V turn with it. */
static void rotate(double A[3][3], int p, int q, double (*V)[3])
{
  const int    r   = 3 - p - q;
  const double tau = (A[q][q] - A[p][p]) / (2 * A[p][q]), t = copysign(1, tau) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t),
               s  = t * c;
  const double rp = A[r][p], rq = A[r][q];

  A[p][p] -= t * A[p][q];
  A[q][q] += t * A[p][q];
  A[p][q] = A[q][p] = 0;
  A[r][p] = A[p][r] = c * rp - s * rq;
  A[r][q] = A[q][r] = s * rp + c * rq;
  for (int k = 0; k < 3 && V; k++) {
    const double vp = V[p][k], vq = V[q][k];
    V[p][k] = c * vp - s * vq;
    V[q][k] = s * vp + c * vq;
  }
}

void NsTensorPrincipal(const double s[NS_TENSOR], double value[3], double (*axis)[3])
{
  double A[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}};

  for (int k = 0; k < 9 && axis; k++) axis[k / 3][k % 3] = k / 3 == k % 3;
  for (int sweep = 0; sweep < NS_SWEEPS; sweep++) {
    const double off = fabs(A[0][1]) + fabs(A[1][2]) + fabs(A[0][2]), all = off + fabs(A[0][0]) + fabs(A[1][1]) + fabs(A[2][2]);
    if (!(off > 1e-17 * all)) break; /* NaN too */
    for (int p = 0; p < 2; p++) {
      for (int q = p + 1; q < 3; q++) {
        if (A[p][q] != 0) rotate(A, p, q, axis);
      }
    }
  }
  for (int k = 0; k < 3; k++) value[k] = A[k][k];
  for (int k = 0; k < 3; k++) { /* bubble sort of three */
    const int    i    = k % 2;
    const double next = value[i + 1];
    if (!(value[i] < next)) continue;
    value[i + 1] = value[i];
    value[i]     = next;
    for (int a = 0; a < 3 && axis; a++) {
      const double component = axis[i + 1][a];
      axis[i + 1][a]         = axis[i][a];
      axis[i][a]             = component;
    }
  }
}

void NsTensorDirections(const double s[NS_TENSOR], double value[3], double direction[3][3])
{
  NsTensorPrincipal(s, value, direction);
  for (int k = 0; k < 2; k++) {
    int largest = 0;
    for (int i = 1; i < 3; i++) largest = fabs(direction[k][i]) > fabs(direction[k][largest]) * (1 + 1e-9) ? i : largest;
    const double sign = copysign(1, direction[k][largest]);
    for (int i = 0; i < 3; i++) direction[k][i] = sign * direction[k][i] + 0.0; /* no -0 */
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    direction[2][i] = direction[0][j] * direction[1][l] - direction[0][l] * direction[1][j] + 0.0;
  }
}
