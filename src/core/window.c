#include "window.h"

void NsWindowCheck(const NsWindow *window, const NsNode *where, NsDiag *diag)
{
  if (window->until > 0 && !(window->until > window->from))
    NsDiagError(diag, NsKeysPlace(where, "until"), "until = %g s is not after from = %g s", window->until, window->from);
  else if (window->until > 0 && 2 * window->ramp > (window->until - window->from) * (1 + 1e-12))
    NsDiagError(diag, NsKeysPlace(where, "ramp"), "two ramps of %g s, up and down, do not fit between %g s and %g s", window->ramp, window->from,
      window->until);
}

PetscReal NsWindowFactor(const NsWindow *window, PetscReal t)
{
  if (!NsWindowHas(window, t)) return 0;
  if (t < window->from + window->ramp) return (t - window->from) / window->ramp;
  return window->until > 0 && t > window->until - window->ramp ? (window->until - t) / window->ramp : 1;
}

PetscReal NsWindowSlope(const NsWindow *window, PetscReal t)
{
  if (!NsWindowHas(window, t) || !(window->ramp > 0)) return 0;
  if (t < window->from + window->ramp) return 1 / window->ramp;
  return window->until > 0 && t >= window->until - window->ramp ? -1 / window->ramp : 0;
}

PetscReal NsWindowNext(const NsWindow *window, PetscReal t)
{
  const PetscReal time[4] = {window->from, window->from + window->ramp, window->until - window->ramp, window->until};

  for (int k = 0; k < (window->until > 0 ? 4 : 2); k++) {
    if (t < time[k]) return time[k];
  }
  return PETSC_MAX_REAL;
}
