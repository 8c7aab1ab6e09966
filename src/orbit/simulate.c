/*
  Nonlinear models: the motion over a period by the event-driven scheme of the config, x1 = P(x0).

  Equations of an orbit: x0 is the only unknown (and p), R = P(x0) - x0; no events are unknowns, because the scheme meets them. Its map is differentiable except at grazing, and

      M e_i = (P(x0 + d_i e_i) - P(x0 - d_i e_i)) / (2 d_i),     d_i = 1e-5 of the largest |x_i| over the orbit

  has errors of 1e-8 with a tolerance of 1e-10: the saltation at events is in it, because each of the two runs meets its own events. Schemes that step over events have a map with jumps, and are
  refused (orbit.h). Cost: 2 states + 1 periods for M.

  Contacts that are closed and at rest at the beginning of the orbit are kept so: x0 and x0 +- d_i e_i are moved onto g = 0, w'v = 0, so that the differences are those of the motion in contact, and
  the held directions have the multiplier 0.

  Every simulation creates its own contact and scheme, so that it does not depend on the history of the previous one.
*/
#include <math.h>
#include <petscvec.h>
#include "orbit.h"
#include "parts.h"
#include "scheme/event_driven.h"

#define NS_APART      1e-5
#define NS_HELD       10 /* tolerances of the scheme: a contact within them is closed and at rest */
#define NS_MOST_STEPS 10000000

static PetscErrorCode take_state(const NsOrbitSystem *system, NsState *state, PetscReal *x)
{
  const PetscInt n = system->states / 2;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(x, NsVecRead(state->q), n));
  PetscCall(PetscArraycpy(x + n, NsVecRead(state->v), n));
  x[system->states] = 1;
  PetscFunctionReturn(0);
}

/* Steps to the end; x[m] is the state, which look(context, moment) sees at the start and after each step. */
static PetscErrorCode steps(NsOrbitSystem *system, NsScheme *scheme, PetscReal t0, PetscReal T, PetscReal *x,
  void (*look)(void *, const NsOrbitMoment *), void *context, const char **why)
{
  NsState                *state    = NsRunState(system->run);
  const NsSchemeSettings *settings = scheme->settings;
  NsStepOutcome           outcome;

  PetscFunctionBegin;
  if (look) look(context, &(NsOrbitMoment){.x = x});
  for (PetscInt k = 0; t0 + T - state->t > 1e-14 * (T + PetscAbsReal(t0)); k++) {
    outcome = (NsStepOutcome){.done = PETSC_TRUE};
    PetscCall(NsSchemeStep(scheme, state, PetscMin(settings->step, t0 + T - state->t), &outcome));
    if (!outcome.done || k == NS_MOST_STEPS) {
      *why = NsArenaPrint(system->arena, "the simulation of a period fails: %s", outcome.done ? "too many steps" : outcome.reason);
      break;
    }
    if (outcome.impulsive) system->impacts++;
    PetscCall(take_state(system, state, x));
    if (look) look(context, &(NsOrbitMoment){.t = PetscMin(state->t - t0, T), .after = outcome.impulsive, .x = x});
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSimulate(NsOrbitSystem *system, PetscReal t0, PetscReal T, const PetscReal *x0, PetscReal *x1,
  void (*look)(void *context, const NsOrbitMoment *), void *context, const char **why)
{
  const PetscInt n     = system->states / 2;
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  NsLedger       ledger;
  NsContact     *contact;
  NsScheme      *scheme;
  PetscReal     *x;

  PetscFunctionBegin;
  *why            = NULL;
  system->impacts = 0;
  PetscCall(PetscMalloc1(system->m, &x));
  state->t = t0;
  PetscCall(PetscArraycpy(NsVecArray(state->q), x0, n));
  PetscCall(PetscArraycpy(NsVecArray(state->v), x0 + n, n));
  PetscCall(take_state(system, state, x));
  PetscCall(NsContactCreate(model, &contact));
  PetscCall(NsSchemeCreate(&NsRunSettings(system->run)->scheme, model, contact, &ledger, &scheme));
  PetscCall(NsLedgerOpen(&ledger, model, state));
  PetscCall(NsContactBeginStep(contact));
  PetscCall(NsContactEndStep(contact, state));
  PetscCall(NsSchemeStart(scheme, state));
  PetscCall(steps(system, scheme, t0, T, x, look, context, why));
  if (x1) PetscCall(PetscArraycpy(x1, x, system->states));
  PetscCall(NsSchemeDestroy(&scheme));
  PetscCall(NsContactDestroy(&contact));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* Which contacts are closed and at rest at x. */
static PetscErrorCode find_held(NsOrbitSystem *system, PetscReal t, const PetscReal *x, PetscInt *count, PetscInt *contact)
{
  NsModel               *model    = NsRunModel(system->run);
  const NsEventSettings *settings = NsRunScheme(system->run)->settings;
  NsState               *state    = NsRunState(system->run);
  PetscReal             *gap;
  NsRows                 rows;

  PetscFunctionBegin;
  *count = 0;
  if (!model->candidates) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(model->candidates, &gap));
  PetscCall(PetscArraycpy(NsVecArray(state->q), x, model->unknowns));
  PetscCall(PetscArraycpy(NsVecArray(state->v), x + model->unknowns, model->unknowns));
  PetscCall(NsModelGap(model, t, state->q, gap));
  PetscCall(NsRowsCreate(model, &rows));
  for (PetscInt i = 0; i < model->candidates; i++) {
    PetscReal u[3];
    if (gap[i] > NS_HELD * settings->gap_tolerance) continue;
    PetscCall(NsModelRows(model, t, state->q, 1, &i, &rows));
    PetscCall(NsRowsVelocity(model, &rows, state->v, u));
    if (PetscAbsReal(u[0]) <= NS_HELD * settings->velocity_tolerance) contact[(*count)++] = i;
  }
  PetscCall(NsRowsDestroy(&rows));
  PetscCall(PetscFree(gap));
  PetscFunctionReturn(0);
}

/* Half of a state, x[n] -= W (W'W)^-1 r of the rows' normals; r[count] is destroyed. */
static PetscErrorCode push_back(const NsModel *model, const NsRows *rows, PetscReal *r, PetscReal *x)
{
  const PetscInt  count = rows->contacts, n = model->unknowns;
  const PetscInt *index = NsOrbitTouchIndex(model);
  PetscReal      *W, *G;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2((size_t)(n * count), &W, (size_t)(count * count), &G));
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt j = rows->first[rows->start[k]]; j < rows->first[rows->start[k] + 1]; j++) W[k * n + index[rows->touch[j]]] += rows->value[j];
  }
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt j = 0; j < count; j++) G[j * count + k] = NsOrbitDot(n, W + k * n, W + j * n);
  }
  PetscCall(NsOrbitReact(count, 1, G, r));
  for (PetscInt k = 0; k < count; k++) {
    for (PetscInt i = 0; i < n; i++) x[i] += W[k * n + i] * r[k];
  }
  PetscCall(PetscFree2(W, G));
  PetscFunctionReturn(0);
}

/* Moves x onto these contacts. */
static PetscErrorCode hold(NsOrbitSystem *system, PetscReal t, PetscInt count, const PetscInt *contact, PetscReal *x)
{
  NsModel   *model = NsRunModel(system->run);
  NsState   *state = NsRunState(system->run);
  PetscReal *gap, *u, *r;
  NsRows     rows;

  PetscFunctionBegin;
  if (!count) PetscFunctionReturn(0);
  PetscCall(NsRowsCreate(model, &rows));
  PetscCall(PetscMalloc3(model->candidates, &gap, 3 * (size_t)count, &u, count, &r));
  for (int k = 0; k < 3; k++) { /* gaps, twice for curved surfaces, then their rates */
    PetscCall(PetscArraycpy(NsVecArray(state->q), x, model->unknowns));
    PetscCall(PetscArraycpy(NsVecArray(state->v), x + model->unknowns, model->unknowns));
    PetscCall(NsModelGap(model, t, state->q, gap));
    PetscCall(NsModelRows(model, t, state->q, count, contact, &rows));
    PetscCall(NsRowsVelocity(model, &rows, state->v, u));
    for (PetscInt i = 0; i < count; i++) r[i] = k < 2 ? gap[contact[i]] : u[rows.start[i]];
    PetscCall(push_back(model, &rows, r, k < 2 ? x : x + model->unknowns));
  }
  PetscCall(PetscFree3(gap, u, r));
  PetscCall(NsRowsDestroy(&rows));
  PetscFunctionReturn(0);
}

/* J[:, i] = P'(x0) e_i - e_i; NaN where a simulation fails. */
static PetscErrorCode differentiate(NsOrbitSystem *system, const NsOrbit *orbit, const PetscReal *size, PetscReal *J)
{
  const PetscInt  n  = system->states;
  const PetscReal t0 = NsOrbitBegins(system, orbit);
  PetscReal      *x, *up, *down;
  PetscInt       *held, count;
  const char     *why;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &x, n, &up, n, &down, NsRunModel(system->run)->candidates + 1, &held));
  PetscCall(find_held(system, t0, orbit->x0, &count, held));
  for (PetscInt j = 0; j < n; j++) {
    const PetscReal d = NS_APART * size[j], above = orbit->x0[j] + d, below = orbit->x0[j] - d;
    PetscCall(PetscArraycpy(x, orbit->x0, n));
    x[j] = above;
    PetscCall(hold(system, t0, count, held, x));
    PetscCall(NsOrbitSimulate(system, t0, orbit->T, x, up, NULL, NULL, &why));
    const PetscBool failed = why != NULL;
    PetscCall(PetscArraycpy(x, orbit->x0, n));
    x[j] = below;
    PetscCall(hold(system, t0, count, held, x));
    PetscCall(NsOrbitSimulate(system, t0, orbit->T, x, down, NULL, NULL, &why));
    for (PetscInt i = 0; i < n; i++) J[j * n + i] = failed || why ? NAN : (up[i] - down[i]) / (above - below) - (i == j);
  }
  PetscCall(PetscFree4(x, up, down, held));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSimulatedResidual(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *r, PetscReal *J)
{
  const PetscInt  n  = system->states;
  const PetscReal t0 = NsOrbitBegins(system, orbit), h = NS_APART * orbit->T;
  PetscReal      *size, *x0, *x1;
  PetscInt       *held, count;
  const char     *why;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &size, n, &x0, n, &x1, NsRunModel(system->run)->candidates + 1, &held));
  PetscCall(PetscArraycpy(x0, orbit->x0, n));
  PetscCall(find_held(system, t0, x0, &count, held));
  PetscCall(hold(system, t0, count, held, x0));
  NsOrbitLargest sizes = {n, size};
  PetscCall(PetscArrayzero(size, n));
  PetscCall(NsOrbitSimulate(system, t0, orbit->T, x0, x1, NsOrbitLookAtSize, &sizes, &why));
  for (PetscInt i = 0; i < n; i++) { /* at least a thousandth of the largest position or velocity */
    PetscReal largest = 0;
    for (PetscInt j = i < n / 2 ? 0 : n / 2; j < (i < n / 2 ? n / 2 : n); j++) largest = PetscMax(largest, size[j]);
    size[i] = largest > 0 ? PetscMax(size[i], 1e-3 * largest) : 1;
  }
  for (PetscInt i = 0; i < n; i++) r[i] = why ? NAN : x1[i] - orbit->x0[i];
  if (J && !why) PetscCall(differentiate(system, orbit, size, J));
  if (J && !why && !(system->period > 0)) {
    PetscCall(NsOrbitSimulate(system, t0 + orbit->T, h, x1, J + n * n, NULL, NULL, &why));
    for (PetscInt i = 0; i < n; i++) J[n * n + i] = (J[n * n + i] - x1[i]) / h;
  }
  if (system->gradient && !why) PetscCall(NsOrbitAddEnergy(system, orbit->x0, size, r, J));
  PetscCall(PetscFree4(size, x0, x1, held));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitStartsOpen(NsOrbitSystem *system, const NsOrbit *orbit, const PetscReal *size, PetscBool *open)
{
  const PetscInt n     = system->states / 2;
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  PetscReal     *gap, largest = 0;
  PetscInt      *held, count;

  PetscFunctionBegin;
  *open = PETSC_TRUE;
  if (!model->candidates) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(model->candidates, &held));
  PetscCall(find_held(system, NsOrbitBegins(system, orbit), orbit->x0, &count, held));
  for (PetscInt i = 0; i < n; i++) largest = PetscMax(largest, size[i]);
  PetscCall(PetscMalloc1(model->candidates, &gap));
  PetscCall(PetscArraycpy(NsVecArray(state->q), orbit->x0, n));
  PetscInt *list = NsContactSelected(NsRunContact(system->run));
  for (PetscInt i = 0; i < model->candidates; i++) list[i] = i;
  PetscCall(NsModelGap(model, NsOrbitBegins(system, orbit), state->q, gap));
  for (PetscInt k = 0; k < count; k++) gap[held[k]] = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < model->candidates; i++) *open = *open && gap[i] > 4 * NS_APART * largest;
  PetscCall(PetscFree(gap));
  PetscCall(PetscFree(held));
  PetscFunctionReturn(0);
}

/* ---- creation --------------------------------------------------------------------------------------------------------------------------------------------------- */

static PetscReal *zeros(const NsOrbitSystem *system, PetscInt count)
{
  return NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)PetscMax(count, 1));
}

PetscErrorCode NsOrbitStateProbes(NsOrbitSystem *system, NsRun *run, PetscInt more)
{
  const PetscInt n     = system->states / 2;
  NsOrbitParts   parts = {.run = run, .model = NsRunModel(run), .arena = system->arena};

  PetscFunctionBegin;
  PetscCall(NsOrbitProbesFind(&parts));
  system->probe = NsArenaAlloc(system->arena, sizeof(*system->probe) * (size_t)(parts.probes + more + 1));
  for (PetscInt p = 0; p < parts.probes; p++) {
    const NsProbeColumn *column = &parts.probe[p].column[parts.probe_column[p]];
    NsOrbitProbe        *probe  = &system->probe[system->probes];
    if (column->timed || column->of_acceleration || column->plus) continue;
    system->probes++;
    probe->name   = NsOrbitProbeName(&parts, p, system->arena);
    probe->row    = zeros(system, system->m);
    probe->forces = zeros(system, system->contacts);
    for (PetscInt e = 0; e < column->entries; e++) probe->row[(column->of_velocity ? n : 0) + column->unknown[e]] += column->weight[e];
    probe->row[system->states] = column->constant;
  }
  PetscFunctionReturn(0);
}

/* Forces at the start, and gaps, into value[n + contacts]. */
static PetscErrorCode look_at_forces(NsRun *run, PetscReal t, PetscReal *value)
{
  NsModel       *model = NsRunModel(run);
  const NsState *state = NsRunState(run);
  Vec            h;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(state->q, &h));
  PetscCall(NsModelForce(model, t, state->q, state->v, h));
  PetscCall(PetscArraycpy(value, NsVecRead(h), model->unknowns));
  PetscCall(VecDestroy(&h));
  if (model->candidates) {
    PetscInt *list = NsContactSelected(NsRunContact(run));
    for (PetscInt i = 0; i < model->candidates; i++) list[i] = i;
    PetscCall(NsModelGap(model, t, state->q, value + model->unknowns));
  }
  PetscFunctionReturn(0);
}

/* Whether forces and surfaces repeat with the period, or, without one, do not change. */
static PetscErrorCode check_forcing(NsRun *run, PetscReal period, PetscBool *repeats)
{
  const PetscReal place[] = {0.0031, 0.1234567, 0.38461, 0.7071, 0.92};
  const PetscInt  count   = NsRunModel(run)->unknowns + NsRunModel(run)->candidates;
  PetscReal      *a, *b, largest = 0, error = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(count, &a, count, &b));
  for (size_t k = 0; k < sizeof(place) / sizeof(*place); k++) {
    const PetscReal t = place[k] * (period > 0 ? period : NsRunSettings(run)->time->end);
    PetscCall(look_at_forces(run, t, a));
    PetscCall(look_at_forces(run, period > 0 ? t + (PetscReal)(k + 1) * period : 0, b));
    for (PetscInt i = 0; i < count; i++) {
      error   = PetscMax(error, PetscAbsReal(a[i] - b[i]));
      largest = PetscMax(largest, PetscMax(PetscAbsReal(a[i]), PetscAbsReal(b[i])));
    }
  }
  *repeats = error <= 1e-9 * largest;
  PetscCall(PetscFree2(a, b));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSimulatedSystem(NsRun *run, PetscReal forcing_period, NsArena *to, NsOrbitSystem **result, const char **why)
{
  NsArena               *arena    = NsArenaCreate();
  NsOrbitSystem         *system   = NsArenaAlloc(arena, sizeof(*system));
  const NsEventSettings *settings = NsRunScheme(run)->settings;
  const PetscInt         n        = NsRunModel(run)->unknowns;
  NsTimes                times;
  PetscBool              repeats = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NsModelTimes(NsRunModel(run), 0, NsRunState(run)->v, &times));
  system->arena  = arena;
  system->run    = run;
  system->states = 2 * n;
  system->m      = 2 * n + 1;
  system->period = forcing_period > 0 ? forcing_period : times.period < PETSC_MAX_REAL ? times.period : 0;
  system->rough  = PetscMax(1e-9, 100 * settings->tolerance);
  system->start  = zeros(system, 2 * n);
  PetscCall(PetscArraycpy(system->start, NsVecRead(NsRunState(run)->q), n));
  PetscCall(PetscArraycpy(system->start + n, NsVecRead(NsRunState(run)->v), n));
  PetscInt          turns = 0;
  const NsFreeSpin *spins;
  if (NsRunModel(run)->analysis.free_spins) PetscCall(NsRunModel(run)->analysis.free_spins(NsRunModel(run), NsRunState(run)->v, &turns, &spins));
  PetscCall(NsOrbitStateProbes(system, run, 0));
  PetscCall(check_forcing(run, system->period, &repeats));
  *result = system;
  if (repeats && !turns) PetscFunctionReturn(0);
  *why        = turns                ? "a rotor turns freely, and its angle does not repeat"
                : system->period > 0 ? NsArenaPrint(to, "its loads do not repeat with the period of %.9g s", system->period)
                                     : "its loads change with time and have no period; give it: orbit.forcing_period";
  system->run = NULL; /* stays with the caller */
  PetscCall(NsOrbitSystemDestroy(result));
  PetscFunctionReturn(0);
}
