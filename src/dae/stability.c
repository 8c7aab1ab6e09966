#include "stability.h"
#include "dae.h"

void NsDaeAmplification(
  PetscInt stages, PetscInt columns, const PetscReal *a, const PetscReal *b, PetscReal w, double _Complex zeta, double _Complex S[4])
{
  for (int column = 0; column < 2; column++) {
    double _Complex rate[NS_DAE_STAGES][2];
    const double _Complex y[2] = {column == 0, column == 1};
    for (PetscInt i = 0; i <= stages; i++) {
      double _Complex Y[2] = {y[0], y[1]};
      for (PetscInt j = 0; j < i; j++) {
        const PetscReal weight = i < stages ? a[i * columns + j] : b[j];
        for (int k = 0; k < 2; k++) Y[k] += w * weight * rate[j][k];
      }
      if (i == stages) {
        S[column]     = Y[0];
        S[2 + column] = Y[1];
      } else {
        rate[i][0] = Y[1];
        rate[i][1] = -Y[0] - 2 * zeta * Y[1];
      }
    }
  }
}
