/*
  Backbone curves: free periodic orbits of models without damping and loads (nonlinear normal modes), over the energy E of the motion.

  The motion keeps E, so that one equation of P(x0) = x0 depends on the others, and E(x0) = p takes its place. In the residual

      R = P(x0) - x0 + (E(x0) - p) g,      g = D^2 dE / (dE' D^2 dE)

  both are together: from R = 0 follows E(x0) = E(P(x0)) = E(x0 - (E(x0) - p) g), and with dE'g = 1 that E(x0) = p. D: magnitudes of the states. The multipliers are those of P' alone; two of them are 1.

  The first orbit is mode k of the model linearised at rest, at its equilibrium with the velocities phi sqrt(2 E).

  G. Kerschen, M. Peeters, J. C. Golinval, A. F. Vakakis, Nonlinear normal modes, Part I, Mech. Syst. Signal Process. 23 (2009).
*/
#include <math.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "orbit.h"
#include "parts.h"

#define NS_APART 1e-6 /* central differences of E, and of forces at rest (of the length scale) */
#define NS_LOST  1e-5 /* of E, in a period: a larger change means damping */

static PetscErrorCode energy_of(NsOrbitSystem *system, const PetscReal *x, PetscReal *energy)
{
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  const PetscInt n     = model->unknowns;
  NsEnergy       parts;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(NsVecArray(state->q), x, n));
  PetscCall(PetscArraycpy(NsVecArray(state->v), x + n, n));
  PetscCall(NsModelEnergy(model, 0, state->q, state->v, &parts));
  *energy = parts.kinetic + parts.elastic + parts.potential - system->rest_energy;
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitAddEnergy(NsOrbitSystem *system, const PetscReal *x0, const PetscReal *size, PetscReal *r, PetscReal *J)
{
  const PetscInt n = system->states;
  PetscReal     *x, energy, up, down, sum = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &x));
  PetscCall(PetscArraycpy(x, x0, n));
  PetscCall(energy_of(system, x0, &energy));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal d = NS_APART * size[i];
    x[i]              = x0[i] + d;
    PetscCall(energy_of(system, x, &up));
    x[i] = x0[i] - d;
    PetscCall(energy_of(system, x, &down));
    x[i]                = x0[i];
    system->gradient[i] = (up - down) / (2 * d);
    sum += PetscSqr(system->gradient[i] * size[i]);
  }
  for (PetscInt i = 0; i < n; i++) {
    system->along[i] = sum > 0 ? system->gradient[i] * size[i] * size[i] / sum : 0;
    r[i] += (energy - system->energy) * system->along[i];
  }
  for (PetscInt j = 0; j < n && J; j++) {
    for (PetscInt i = 0; i < n; i++) J[j * n + i] += system->along[i] * system->gradient[j];
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

void NsOrbitRemoveEnergy(const NsOrbitSystem *system, PetscReal *M)
{
  const PetscInt n = system->states;

  for (PetscInt j = 0; j < n; j++) {
    for (PetscInt i = 0; i < n; i++) M[j * n + i] -= system->along[i] * system->gradient[j];
  }
}

PetscErrorCode NsOrbitConservedSystem(NsRun *run, PetscReal energy, NsArena *arena, NsOrbitSystem **result, const char **why)
{
  NsOrbitSystem *system;
  PetscReal     *rest;

  PetscFunctionBegin;
  *result = NULL;
  *why    = NsOrbitSimulationRefusal(run, arena);
  if (!*why) PetscCall(NsOrbitSimulatedSystem(run, 0, arena, result, why));
  if (*why) PetscFunctionReturn(0);
  system           = *result;
  system->energy   = energy;
  system->gradient = NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)(system->states + 1));
  system->along    = NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)(system->states + 1));
  rest             = NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)(system->states + 1));
  PetscCall(energy_of(system, rest, &system->rest_energy));
  if (system->period > 0)
    *why = "it has loads that change with time: backbone curves are those of the model without loads and damping; remove them with --set";
  if (!*why) PetscFunctionReturn(0);
  system->run = NULL; /* stays with the caller */
  PetscCall(NsOrbitSystemDestroy(result));
  PetscFunctionReturn(0);
}

/* M and K at rest by columns. */
static PetscErrorCode find_matrices(NsModel *model, NsState *state, PetscReal *M, PetscReal *K)
{
  const PetscInt  n = model->unknowns;
  const PetscReal d = NS_APART * model->length_scale;
  PetscReal      *up;
  Vec             h;

  PetscFunctionBegin;
  PetscCall(NsVecsCreate(model, &h, NULL));
  PetscCall(PetscMalloc1(n, &up));
  PetscCall(VecZeroEntries(state->q));
  PetscCall(VecZeroEntries(state->v));
  for (PetscInt j = 0; j < n; j++) {
    NsVecArray(state->q)[j] = 1;
    PetscCall(NsModelMult(model, 0, state->q, state->q, h));
    PetscCall(PetscArraycpy(M + j * n, NsVecRead(h), n));
    NsVecArray(state->q)[j] = d;
    PetscCall(NsModelForce(model, 0, state->q, state->v, h));
    PetscCall(PetscArraycpy(up, NsVecRead(h), n));
    NsVecArray(state->q)[j] = -d;
    PetscCall(NsModelForce(model, 0, state->q, state->v, h));
    for (PetscInt i = 0; i < n; i++) K[j * n + i] = (NsVecRead(h)[i] - up[i]) / (2 * d);
    NsVecArray(state->q)[j] = 0;
  }
  for (PetscInt i = 0; i < n * n; i++) { /* rounding makes it unsymmetric */
    if (i % n > i / n) K[i] = K[(i % n) * n + i / n] = (K[i] + K[(i % n) * n + i / n]) / 2;
  }
  PetscCall(PetscFree(up));
  PetscCall(NsVecsDestroy(&h, NULL));
  PetscFunctionReturn(0);
}

/* Mode number k, orthonormal in the mass, and its frequency; 0: there is none that vibrates. */
static PetscErrorCode find_mode(NsOrbitSystem *system, PetscInt k, PetscReal *shape, PetscReal *omega)
{
  NsModel           *model = NsRunModel(system->run);
  const PetscInt     n     = model->unknowns;
  const PetscBLASInt size = (PetscBLASInt)n, type = 1, room = (PetscBLASInt)(40 * n + 64);
  PetscBLASInt       info;
  PetscReal         *M, *K, *square, *work;

  PetscFunctionBegin;
  *omega = 0;
  PetscCall(PetscMalloc4((size_t)(n * n), &M, (size_t)(n * n), &K, n, &square, room, &work));
  PetscCall(find_matrices(model, NsRunState(system->run), M, K));
  LAPACKsygv_(&type, "V", "U", &size, K, &size, M, &size, square, work, &room, &info);
  if (!info && k <= n && square[k - 1] > 0) {
    *omega = PetscSqrtReal(square[k - 1]);
    PetscCall(PetscArraycpy(shape, K + (k - 1) * n, n));
  }
  PetscCall(PetscFree4(M, K, square, work));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSearchMode(NsOrbitBranch *branch, PetscReal p, PetscInt k, NsOrbitPoint **found, const char **why)
{
  NsOrbitSystem *system;
  NsOrbit        orbit = {.times = 1};
  NsOrbitPoint  *point;
  PetscReal     *x, *x1, omega, before, after;

  PetscFunctionBegin;
  *found = NULL;
  PetscCall(NsOrbitBranchSystem(branch, p, &system, why));
  if (!system) PetscFunctionReturn(0);
  const PetscInt n = system->states;
  PetscCall(PetscCalloc2(n, &x, n, &x1));
  PetscCall(find_mode(system, k, x + n / 2, &omega));
  if (!(omega > 0)) *why = NsArenaPrint(branch->arena, "the model has no vibration mode %d at rest", (int)k);
  for (PetscInt i = n / 2; i < n; i++) x[i] *= PetscSqrtReal(2 * p);
  if (!*why) PetscCall(NsOrbitFly(system, 0, 2 * PETSC_PI / omega, x, NULL, branch->arena, &orbit, x1, why));
  if (!*why) {
    PetscCall(energy_of(system, x, &before));
    PetscCall(energy_of(system, x1, &after));
    if (PetscAbsReal(after - before) > NS_LOST * before)
      *why = NsArenaPrint(branch->arena,
        "its energy changes by %.3g %% in a period: backbone curves are those of the model without damping, restitution below 1 and loads; remove them with --set",
        100 * (after / before - 1));
  }
  if (!*why) PetscCall(NsOrbitAttempt(branch, p, &orbit, &system, &point, why));
  if (!*why && point && point->confirmed) *found = point;
  if (!*found && !*why) *why = "no orbit was found near this mode: begin at a smaller energy";
  PetscCall(PetscFree2(x, x1));
  PetscFunctionReturn(0);
}
