/*
  Free flight of x'' + 2 zeta omega x' + omega^2 x = 0 by an explicit Runge-Kutta method, for the step limits of schemes (NsSchemeType.amplification):

      Y_i = y + h sum_{j < i} a_ij Y_j',   y1 = y + h sum_j b_j Y_j',   y' = A y,   A = [0 1; -1 -2 zeta] in (x, x'/omega), h = w = omega dt
*/
#pragma once
#include <petscsys.h>

/* a[stages, columns] row-major (the first `stages` rows are used), b[stages]; S[4] as NsSchemeType has it. */
void NsDaeAmplification(
  PetscInt stages, PetscInt columns, const PetscReal *a, const PetscReal *b, PetscReal w, double _Complex zeta, double _Complex S[4]);
