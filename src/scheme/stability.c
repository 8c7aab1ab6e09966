/*
  Critical time steps of a scheme from its amplification matrix S(w, zeta), w = omega dt: it is stable while no eigenvalue of S is larger than 1.
*/
#include <complex.h>
#include "percuss/scheme.h"

static PetscReal spectral_radius(const NsSchemeType *type, const void *settings, PetscReal w, NsComplex zeta)
{
  NsComplex S[4], half, root;

  type->amplification(settings, w, zeta, S);
  half = (S[0] + S[3]) / 2;
  root = csqrt(half * half - (S[0] * S[3] - S[1] * S[2]));
  return PetscMax(cabs(half + root), cabs(half - root));
}

/* Stable w form an interval from 0 for every scheme here; a double root on the unit circle at its end (velocity Verlet at w = 2) makes the radius noisy there, hence the
   tolerance. 0: grows however small w is; PETSC_MAX_REAL: never grows. */
static PetscReal stable_interval(const NsSchemeType *type, const void *settings, PetscReal zeta)
{
  const PetscReal tolerance = PetscMax(1e-9, type->growth);
  PetscReal       low = 0, high = 1e-3 / PetscMax(1, 10 * zeta); /* small also against the damping, zeta w */

  if (spectral_radius(type, settings, high, zeta) > 1 + tolerance) return 0;
  while (high < 1e6 && spectral_radius(type, settings, high, zeta) <= 1 + tolerance) {
    low = high;
    high *= 1.05;
  }
  if (high >= 1e6) return PETSC_MAX_REAL;
  for (int i = 0; i < 60; i++) {
    const PetscReal middle = (low + high) / 2;
    if (spectral_radius(type, settings, middle, zeta) <= 1 + tolerance)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/*
  omega and zeta are separate bounds over all modes: the mode of the highest frequency need not have the highest damping. The half-explicit scheme's interval is not monotone
  in the damping (w = 2, 1.73, 2, 1 at zeta = 0, 0.3, 0.5, 1), so the smallest over all ratios up to zeta is taken.
*/
PetscReal NsSchemeStepLimit(const NsSchemeType *type, const void *settings, PetscReal omega, PetscReal zeta)
{
  const int samples = 64;
  PetscReal limit   = PETSC_MAX_REAL;

  if (!type->amplification || omega == 0) return PETSC_MAX_REAL;
  for (int i = zeta > 0 ? 0 : samples; i <= samples; i++) limit = PetscMin(limit, stable_interval(type, settings, zeta * i / samples));
  return limit < PETSC_MAX_REAL ? limit / omega : PETSC_MAX_REAL;
}

/* steps = omega duration/w; the growth allowed to one step is at least the rounding of its radius */
static PetscBool grows(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration, PetscReal w)
{
  const NsComplex zeta = (mode->damping_rate - I * mode->gyroscopic_rate) / (2 * mode->omega);

  return spectral_radius(type, settings, w, zeta) > 1 + PetscMax(1e-13, NS_GROWTH * w / (mode->omega * duration));
}

PetscBool NsSchemeGrows(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration, PetscReal step)
{
  if (!type->amplification || mode->omega == 0 || mode->gyroscopic_rate == 0) return PETSC_FALSE;
  return grows(type, settings, mode, duration, mode->omega * step);
}

PetscReal NsSchemeGrowthLimit(const NsSchemeType *type, const void *settings, const NsStabilityMode *mode, PetscReal duration)
{
  PetscReal low = 0, high = 1e-6; /* w */

  if (!type->amplification || mode->omega == 0 || mode->gyroscopic_rate == 0) return PETSC_MAX_REAL;
  while (high < 1e6 && !grows(type, settings, mode, duration, high)) {
    low = high;
    high *= 1.05;
  }
  if (high >= 1e6) return PETSC_MAX_REAL;
  for (int i = 0; i < 60; i++) {
    const PetscReal middle = (low + high) / 2;
    if (grows(type, settings, mode, duration, middle))
      high = middle;
    else
      low = middle;
  }
  return low / mode->omega;
}
