/*
  Vectors, rotation matrices (row-major, R turns from the body's frame to space) and unit quaternions, scalar first: p = (cos a/2, n sin a/2).
*/
#pragma once
#include <math.h>
#include <petscsys.h>

static inline PetscReal NsDot(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline PetscReal NsLength(const PetscReal a[3])
{
  return PetscSqrtReal(NsDot(a, a));
}

/* c = a x b; c is not a or b. */
static inline void NsCross(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* c += a x b */
static inline void NsAddCross(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  c[0] += a[1] * b[2] - a[2] * b[1];
  c[1] += a[2] * b[0] - a[0] * b[2];
  c[2] += a[0] * b[1] - a[1] * b[0];
}

/* b = R a; b = R' a. b is not a. */
static inline void NsTurn(const PetscReal R[9], const PetscReal a[3], PetscReal b[3])
{
  for (int i = 0; i < 3; i++) b[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}

static inline void NsTurnBack(const PetscReal R[9], const PetscReal a[3], PetscReal b[3])
{
  for (int i = 0; i < 3; i++) b[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

/* C = A B; C is not A or B. */
static inline void NsProduct(const PetscReal A[9], const PetscReal B[9], PetscReal C[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  }
}

/* R of a quaternion of any length but 0. */
static inline void NsQuaternionMatrix(const PetscReal p[4], PetscReal R[9])
{
  const PetscReal s = 2 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  const PetscReal x = s * p[1], y = s * p[2], z = s * p[3];

  R[0] = 1 - y * p[2] - z * p[3];
  R[1] = x * p[2] - z * p[0];
  R[2] = x * p[3] + y * p[0];
  R[3] = x * p[2] + z * p[0];
  R[4] = 1 - x * p[1] - z * p[3];
  R[5] = y * p[3] - x * p[0];
  R[6] = x * p[3] - y * p[0];
  R[7] = y * p[3] + x * p[0];
  R[8] = 1 - x * p[1] - y * p[2];
}

/* c = a b; c is not a or b. */
static inline void NsQuaternionProduct(const PetscReal a[4], const PetscReal b[4], PetscReal c[4])
{
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* exp(a/2): the rotation by the vector a. */
static inline void NsQuaternionExp(const PetscReal a[3], PetscReal p[4])
{
  const PetscReal half = NsLength(a) / 2, square = half * half;
  /* sin(x)/x to rounding below 0.02 */
  const PetscReal sinc = half < 0.02 ? 1 - square / 6 * (1 - square / 20 * (1 - square / 42)) : sin(half) / half;

  p[0] = cos(half);
  for (int k = 0; k < 3; k++) p[1 + k] = sinc / 2 * a[k];
}

/* The rotation vector of a quaternion, at most pi long. */
static inline void NsQuaternionLog(const PetscReal p[4], PetscReal a[3])
{
  const PetscReal sine = NsLength(p + 1), sign = p[0] < 0 ? -1 : 1;
  const PetscReal scale = sine < 1e-8 ? 2 / (p[0] * sign) : 2 * atan2(sine, p[0] * sign) / sine;

  for (int k = 0; k < 3; k++) a[k] = sign * scale * p[1 + k];
}

/* The quaternion of a rotation matrix, p[0] >= 0. */
static inline void NsMatrixQuaternion(const PetscReal R[9], PetscReal p[4])
{
  const PetscReal square[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
  int             k         = 0;

  for (int i = 1; i < 4; i++) k = square[i] > square[k] ? i : k;
  const PetscReal most = PetscSqrtReal(square[k]) / 2, scale = 1 / (4 * most);
  const PetscReal pair[4][4] = {{0, R[7] - R[5], R[2] - R[6], R[3] - R[1]}, {R[7] - R[5], 0, R[1] + R[3], R[2] + R[6]},
    {R[2] - R[6], R[1] + R[3], 0, R[5] + R[7]}, {R[3] - R[1], R[2] + R[6], R[5] + R[7], 0}};
  for (int i = 0; i < 4; i++) p[i] = i == k ? most : scale * pair[k][i];
  for (int i = 3; i >= 0 && p[0] < 0; i--) p[i] = -p[i];
}

/* R of a rotation by an angle about an axis of length 1. */
static inline void NsAxisMatrix(const PetscReal axis[3], PetscReal angle, PetscReal R[9])
{
  const PetscReal p[4] = {cos(angle / 2), axis[0] * sin(angle / 2), axis[1] * sin(angle / 2), axis[2] * sin(angle / 2)};

  NsQuaternionMatrix(p, R);
}

/* Two unit vectors e1, e2 across a unit vector n, right-handed: e1 x e2 = n. */
static inline void NsAcross(const PetscReal n[3], PetscReal e1[3], PetscReal e2[3])
{
  int least = 0;

  for (int k = 1; k < 3; k++) least = PetscAbsReal(n[k]) < PetscAbsReal(n[least]) - 1e-9 ? k : least;
  for (int k = 0; k < 3; k++) e1[k] = (k == least) - n[least] * n[k];
  const PetscReal length = NsLength(e1);
  for (int k = 0; k < 3; k++) e1[k] /= length;
  NsCross(n, e1, e2);
}
