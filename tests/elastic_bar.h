/*
  The elastic bar of [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level, 7.1: what its tests share. In theory it stays at its wall
  for T = 2 L/c0 = 385.4 us, pressed by tau = E S v0/c0 = 1271 N, and leaves with v0.

  Include it last: the constants have the letters of the formulas.
*/
#pragma once
#include "support.h"

#define L   1.0                 /* m */
#define S   3.14159265358979e-4 /* m^2, as the config has it */
#define RHO 7800.0              /* kg/m^3 */
#define E   2.1e11              /* Pa */
#define V0  0.1                 /* m/s */
#define GAP 5.0005e-5           /* m, at the start: no whole number of steps of flight */

/* N = 50, consistent mass, half-explicit; tests set other keys as needed. */
static const char *const elastic_bar = "bodies:\n"
                                       "  bar:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [5.0005e-5, 0, 0], to: [1.000050005, 0, 0], elements: 50}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {area: 3.14159265358979e-4}\n"
                                       "    mass: consistent\n"
                                       "    initial: {velocity: [-0.1, 0, 0]}\n"
                                       "contacts:\n"
                                       "  wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}\n"
                                       "scheme: {type: half_explicit, step: 0.1 us}\n"
                                       "time: {end: 1 ms}\n";

/* m/s: of waves. */
static inline PetscReal c0(void)
{
  return PetscSqrtReal(E / RHO);
}

static inline PetscReal mean_of(const PetscReal *x, PetscInt n)
{
  PetscReal mean = 0;

  for (PetscInt i = 0; i < n; i++) mean += x[i] / n;
  return mean;
}

/* Standard deviation. */
static inline PetscReal deviation_of(const PetscReal *x, PetscInt n)
{
  const PetscReal mean    = mean_of(x, n);
  PetscReal       squares = 0;

  for (PetscInt i = 0; i < n; i++) squares += PetscSqr(x[i] - mean);
  return PetscSqrtReal(squares / n);
}
