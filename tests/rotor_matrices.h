/*
  Matrices of a rotor on two bearings, built by hand: Timoshenko elements as in M. I. Friswell, J. E. T. Penny, S. D. Garvey, A. W. Lees, "Dynamics
  of Rotating Machines" (2010), Sec. 5.4, and its Example 5.9.1. For tests of what works on matrices, independent of the elements of src/fe.

  Unknowns of node i: 4 i + (uy, uy', uz, uz'), the shaft along x.
*/
#pragma once
#include <petscmat.h>
#include <string.h>
#include "support.h"

typedef struct {
  PetscInt  elements; /* of 1.5 m; a multiple of 3 */
  PetscReal ky, kz;   /* of both bearings, N/m; 0: free */
  PetscReal c;        /* N s/m */
  PetscReal cross;    /* N/m: K_yz = cross, K_zy = -cross of both bearings */
} Rotor;

enum { ROTOR_MOST = 4 * 61 };

static inline void rotor_add(PetscReal A[ROTOR_MOST][ROTOR_MOST], PetscInt row, PetscInt column, PetscReal value)
{
  A[row][column] += value;
}

static inline PetscErrorCode rotor_matrix(PetscReal A[ROTOR_MOST][ROTOR_MOST], PetscInt n, Mat *mat)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 24, NULL, mat));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < n; k++) {
      if (A[i][k] != 0 || i == k) PetscCall(MatSetValue(*mat, i, k, A[i][k], INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*mat, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static inline void rotor_element(PetscReal l, PetscReal mass[4][4], PetscReal rotary[4][4], PetscReal stiffness[4][4])
{
  const PetscReal E = 211e9, G = 81.2e9, rho = 7810, r = 0.025, A = PETSC_PI * r * r, inertia = A * r * r / 4, nu = E / (2 * G) - 1;
  const PetscReal kappa = 6 * (1 + nu) / (7 + 6 * nu), p = 12 * E * inertia / (kappa * G * A * l * l);
  const PetscReal k = E * inertia / ((1 + p) * l * l * l), m = rho * A * l / (840 * (1 + p) * (1 + p)),
                  j  = rho * inertia / (30 * (1 + p) * (1 + p) * l);
  const PetscReal m1 = 312 + 588 * p + 280 * p * p, m2 = (44 + 77 * p + 35 * p * p) * l, m3 = 108 + 252 * p + 140 * p * p;
  const PetscReal m4 = -(26 + 63 * p + 35 * p * p) * l, m5 = (8 + 14 * p + 7 * p * p) * l * l, m6 = -(6 + 14 * p + 7 * p * p) * l * l;
  const PetscReal m7 = 36, m8 = (3 - 15 * p) * l, m9 = (4 + 5 * p + 10 * p * p) * l * l, m10 = (-1 - 5 * p + 5 * p * p) * l * l;
  const PetscReal K[4][4] = {{12, 6 * l, -12, 6 * l}, {6 * l, (4 + p) * l * l, -6 * l, (2 - p) * l * l}, {-12, -6 * l, 12, -6 * l},
    {6 * l, (2 - p) * l * l, -6 * l, (4 + p) * l * l}};
  const PetscReal M[4][4] = {{m1, m2, m3, m4}, {m2, m5, -m4, m6}, {m3, -m4, m1, -m2}, {m4, m6, -m2, m5}};
  const PetscReal R[4][4] = {{m7, m8, -m7, m8}, {m8, m9, -m8, m10}, {-m7, -m8, m7, -m8}, {m8, m10, -m8, m9}};

  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) {
      stiffness[a][b] = k * K[a][b];
      rotary[a][b]    = j * R[a][b];
      mass[a][b]      = m * M[a][b] + rotary[a][b];
    }
  }
}

/* M, C, K at a speed; the signature of NsSpinning. */
static inline PetscErrorCode rotor_operators(void *context, PetscReal speed, Mat *M, Mat *C, Mat *K)
{
  static PetscReal m[ROTOR_MOST][ROTOR_MOST], c[ROTOR_MOST][ROTOR_MOST], k[ROTOR_MOST][ROTOR_MOST];
  const Rotor     *rotor = context;
  const PetscInt   nodes = rotor->elements + 1, n = 4 * nodes;
  PetscReal        mass[4][4], rotary[4][4], stiffness[4][4];

  PetscFunctionBegin;
  memset(m, 0, sizeof(m));
  memset(c, 0, sizeof(c));
  memset(k, 0, sizeof(k));
  rotor_element(1.5 / rotor->elements, mass, rotary, stiffness);
  for (PetscInt e = 0; e < rotor->elements; e++) {
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b < 4; b++) {
        const PetscInt i = 4 * e + 4 * (a / 2) + a % 2, j = 4 * e + 4 * (b / 2) + b % 2;
        for (int plane = 0; plane < 2; plane++) {
          rotor_add(m, i + 2 * plane, j + 2 * plane, mass[a][b]);
          rotor_add(k, i + 2 * plane, j + 2 * plane, stiffness[a][b]);
        }
        rotor_add(c, i, j + 2, 2 * speed * rotary[a][b]); /* polar inertia of a circle is twice the diametral one */
        rotor_add(c, i + 2, j, -2 * speed * rotary[a][b]);
      }
    }
  }
  for (int disc = 0; disc < 2; disc++) {
    const PetscReal h = 0.07, outer = disc ? 0.175 : 0.14, inner = 0.025, size = 7810 * PETSC_PI * h * (outer * outer - inner * inner);
    const PetscReal polar = size / 2 * (outer * outer + inner * inner), diametral = polar / 2 + size * h * h / 12;
    const PetscInt  i = 4 * rotor->elements * (disc + 1) / 3;
    for (int plane = 0; plane < 2; plane++) {
      rotor_add(m, i + 2 * plane, i + 2 * plane, size);
      rotor_add(m, i + 2 * plane + 1, i + 2 * plane + 1, diametral);
    }
    rotor_add(c, i + 1, i + 3, speed * polar);
    rotor_add(c, i + 3, i + 1, -speed * polar);
  }
  for (PetscInt end = 0; end < 2; end++) {
    const PetscInt i = end * 4 * rotor->elements;
    rotor_add(k, i, i, rotor->ky);
    rotor_add(k, i + 2, i + 2, rotor->kz);
    rotor_add(k, i, i + 2, rotor->cross);
    rotor_add(k, i + 2, i, -rotor->cross);
    rotor_add(c, i, i, rotor->c);
    rotor_add(c, i + 2, i + 2, rotor->c);
  }
  PetscCall(rotor_matrix(m, n, M));
  PetscCall(rotor_matrix(c, n, C));
  PetscCall(rotor_matrix(k, n, K));
  PetscFunctionReturn(0);
}
