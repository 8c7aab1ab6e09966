/* The motion x' = A x of one mode: its matrix exponential, the intervals in which event functions are looked at, least values between two of them. */
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "orbit.h"
#include "scheme/exponential.h"

#define NS_FINE   24 /* samples of the shortest period */
#define NS_LEVELS 24
#define NS_GONE   28 /* time constants: e^-28 = 1e-12 */
#define NS_TERMS  24

/* Osborne's balancing: powers of 2 for which rows and columns of scale^-1 A scale are of one magnitude. With K = 1e12 and velocities beside positions |A| falls from omega^2 to omega. */
void NsOrbitBalance(PetscInt m, NsOrbitMode *mode)
{
  PetscBool done = PETSC_FALSE;

  for (PetscInt i = 0; i < m; i++) mode->scale[i] = 1;
  for (int sweep = 0; sweep < 40 && !done; sweep++) {
    done = PETSC_TRUE;
    for (PetscInt i = 0; i < m; i++) {
      PetscReal row = 0, column = 0;
      for (PetscInt j = 0; j < m; j++) {
        if (j == i) continue;
        row += PetscAbsReal(mode->A[j * m + i]) * mode->scale[j] / mode->scale[i];
        column += PetscAbsReal(mode->A[i * m + j]) * mode->scale[i] / mode->scale[j];
      }
      if (row == 0 || column == 0) continue;
      const int shift = (int)lrint(log2(row / column) / 2);
      if (shift == 0) continue;
      mode->scale[i] = ldexp(mode->scale[i], shift);
      done           = PETSC_FALSE;
    }
  }
}

PetscErrorCode NsOrbitExponential(PetscInt m, const NsOrbitMode *mode, PetscReal dt, PetscReal *work, PetscReal *E)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < m; j++) {
    for (PetscInt i = 0; i < m; i++) work[j * m + i] = mode->A[j * m + i] * dt * mode->scale[j] / mode->scale[i];
  }
  PetscCall(NsExponential(m, work, E));
  for (PetscInt j = 0; j < m; j++) {
    for (PetscInt i = 0; i < m; i++) E[j * m + i] *= mode->scale[i] / mode->scale[j];
  }
  PetscFunctionReturn(0);
}

/*
  The first level is the shortest period, or time constant, over NS_FINE. The others leave out what has decayed to NS_GONE after the time `calm`: strongly damped modes are faster than all others by
  powers of ten, and move only just behind an event.
*/
PetscErrorCode NsOrbitModeLevels(const NsOrbitSystem *system, NsOrbitMode *mode)
{
  const PetscInt     m    = system->m;
  const PetscBLASInt size = (PetscBLASInt)m;
  const PetscReal    one = 1, zero = 0, fine = 2 * PETSC_PI / NS_FINE;
  PetscReal         *A, *re, *im, fastest = 0;

  PetscFunctionBegin;
  if (mode->levels) PetscFunctionReturn(0);
  PetscCall(PetscMalloc3((size_t)(m * m), &A, m, &re, m, &im));
  PetscCall(PetscArraycpy(A, mode->A, m * m));
  PetscCall(NsOrbitMultipliers(m, A, re, im));
  for (PetscInt i = 0; i < m; i++) fastest = PetscMax(fastest, hypot(re[i], im[i]));
  mode->level = NsArenaAlloc(system->arena, sizeof(*mode->level) * NS_LEVELS);
  for (PetscReal dt = fastest > 0 ? fine / fastest : 1; mode->levels < NS_LEVELS; dt *= 2) {
    NsOrbitLevel *level = &mode->level[mode->levels];
    *level              = (NsOrbitLevel){.dt = dt};
    for (PetscInt i = 0; i < m; i++) {
      if (hypot(re[i], im[i]) * dt <= fine * (1 + 1e-9)) continue;
      level->calm = re[i] < 0 ? PetscMax(level->calm, NS_GONE / -re[i]) : PETSC_MAX_REAL;
      if (level->calm == PETSC_MAX_REAL) break;
    }
    if (level->calm > 1e6 * dt) break;
    level->step = NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)(m * m));
    if (mode->levels)
      BLASgemm_("N", "N", &size, &size, &size, &one, level[-1].step, &size, level[-1].step, &size, &zero, level->step, &size);
    else
      PetscCall(NsOrbitExponential(m, mode, dt, A, level->step));
    mode->levels++;
  }
  PetscCall(PetscFree3(A, re, im));
  PetscFunctionReturn(0);
}

const NsOrbitLevel *NsOrbitLevelAt(const NsOrbitMode *mode, PetscReal since, PetscReal most)
{
  const NsOrbitLevel *best = NULL;

  for (PetscInt k = 0; k < mode->levels && mode->level[k].dt <= most && (k == 0 || mode->level[k].calm <= since); k++) best = &mode->level[k];
  return best;
}

void NsOrbitAdvance(const NsOrbitSystem *system, const NsOrbitMode *mode, PetscReal dt, const PetscReal *x, PetscReal *x1, PetscReal *work)
{
  const PetscInt m    = system->m;
  PetscReal     *term = work, *next = work + m;

  for (PetscInt i = 0; i < m; i++) x1[i] = x[i];
  for (PetscInt k = mode->levels - 1; k >= 0; k--) {
    for (; dt >= mode->level[k].dt; dt -= mode->level[k].dt) {
      NsOrbitMult(m, mode->level[k].step, x1, next);
      for (PetscInt i = 0; i < m; i++) x1[i] = next[i];
    }
  }
  for (PetscInt i = 0; i < m; i++) term[i] = x1[i];
  for (int k = 1; k <= NS_TERMS && dt != 0; k++) {
    PetscBool ends = PETSC_TRUE;
    NsOrbitMult(m, mode->A, term, next);
    for (PetscInt i = 0; i < m; i++) {
      term[i] = next[i] * dt / k;
      ends    = ends && PetscAbsReal(term[i]) <= 1e-18 * PetscAbsReal(x1[i]);
      x1[i] += term[i];
    }
    if (ends) break;
  }
}

/* Regula falsi (Illinois) on the rate. */
PetscReal NsOrbitMinimum(
  const NsOrbitSystem *system, const NsOrbitMode *mode, const NsOrbitEvent *event, PetscReal dt, const PetscReal *x, PetscReal *at, PetscReal *work)
{
  PetscReal a = 0, b = dt, t = dt / 2, below = NsOrbitDot(system->m, event->rate, x), above = 0;
  int       side = 0;

  for (int k = 0; k < 60 && b - a > 1e-13 * dt; k++) {
    const PetscReal last = t;
    t                    = above > 0 && k % 8 != 7 ? (a * above - b * below) / (above - below) : (a + b) / 2;
    if (!(t > a && t < b)) t = (a + b) / 2;
    NsOrbitAdvance(system, mode, t, x, at, work);
    const PetscReal rate = NsOrbitDot(system->m, event->rate, at);
    if (rate < 0) {
      a     = t;
      below = rate;
      if (side == 1) above /= 2;
      side = 1;
    } else {
      b     = t;
      above = rate;
      if (side == -1) below /= 2;
      side = -1;
    }
    if (k && PetscAbsReal(t - last) <= 1e-14 * dt) break;
  }
  return t;
}
