/* Determinant of the derivatives of a map in space. */
#pragma once
#include <petscsys.h>

static inline PetscReal NsDeterminant3(PetscReal J[3][3])
{
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}
