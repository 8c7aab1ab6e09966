/*
  Nonlinear models: the motion over a period by the event-driven scheme of the config, x1 = P(x0).

  Equations of an orbit: x0 is the only unknown (and p), R = P(x0) - x0; no events are unknowns, because the scheme meets them. Its map is differentiable except at grazing, and

      M e_k = (P(x0 + d_k e_k) - P(x0 - d_k e_k)) / (2 d_k),     d_k = 1e-5 of the largest |x_i| over the orbit

  has errors of 1e-8 with a tolerance of 1e-10: the saltation at events is in it, because each of the two runs meets its own events. A run that has other events than the orbit (near grazing, where
  the map has a square root) is not used: the difference is one-sided there, or goes over a shorter distance. Schemes that step over events have a map with jumps, and are refused (orbit.h). Cost: two
  periods for each position and velocity that joints and lasting contacts leave free (hold.c), and one.

  Every simulation creates its own contact and scheme, so that it does not depend on the history of the previous one.
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include "hold.h"
#include "parts.h"
#include "scheme/event_driven.h"

#define NS_APART      1e-5
#define NS_NEARER     3 /* distances that are tried, each a tenth of the one before */
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

/* ---- events ------------------------------------------------------------------------------------------------------------------------------------------------------ */

/* How contacts are held. */
typedef enum { OPEN, CLOSED, STICKS, SLIDES_UP, SLIDES_DOWN } Held;

/* Only such a scheme has the settings and states of events: circular orbits are searched with any one. */
static PetscBool meets_events(const NsScheme *scheme)
{
  return strncmp(scheme->type->variant.name, "event_driven", 12) == 0;
}

static void find_states(const NsScheme *scheme, unsigned char *state)
{
  for (PetscInt i = 0; i < scheme->model->candidates; i++) state[i] = OPEN;
  if (!meets_events(scheme)) return;
  const NsHeld *held = &((const NsEventDriven *)scheme->data)->held;
  for (PetscInt k = 0; k < held->count; k++) {
    state[held->contact[k]] = held->kind[k] == NS_HOLD_NORMAL  ? CLOSED
                              : held->kind[k] == NS_HOLD_STICK ? STICKS
                              : held->sense[k] > 0             ? SLIDES_UP
                                                               : SLIDES_DOWN;
  }
}

static PetscErrorCode add_event(NsOrbitSystem *system, NsOrbitSeen event)
{
  PetscFunctionBegin;
  if (system->seen_count == system->seen_room) {
    system->seen_room = 2 * system->seen_room + 16;
    PetscCall(PetscRealloc(sizeof(*system->seen) * (size_t)system->seen_room, &system->seen));
  }
  system->seen[system->seen_count++] = event;
  PetscFunctionReturn(0);
}

/* The events of a step that ends at t, from the states of contacts before and after it; *closed: some contact was held within it. */
static PetscErrorCode note_events(
  NsOrbitSystem *system, const NsScheme *scheme, PetscReal t, const unsigned char *before, const unsigned char *after, PetscBool *closed)
{
  const NsEventSettings *settings = scheme->settings;
  const NsModel         *model    = scheme->model;
  const NsContactReport *report   = NsContactReports(scheme->contact);

  PetscFunctionBegin;
  *closed = PETSC_FALSE;
  if (!meets_events(scheme)) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < model->candidates; i++) {
    const PetscReal speed = report[i].velocity_before[0];
    NsOrbitSeen     event = {.contact = i, .t = t, .before = 0, .after = 0};
    if (model->candidate[i].bilateral || NsCandidateResists(&model->candidate[i])) continue;
    *closed = *closed || before[i] != OPEN;
    if (report[i].impact && speed < -settings->velocity_tolerance) {
      event.impact = PETSC_TRUE;
      event.before = speed;
      event.after  = report[i].velocity_after[0];
    }
    if (before[i] == after[i] && !event.impact) continue;
    if (event.impact || before[i] == OPEN)
      event.kind = NS_ORBIT_CLOSES;
    else if (after[i] == OPEN)
      event.kind = NS_ORBIT_OPENS;
    else if (before[i] == STICKS)
      event.kind = NS_ORBIT_SLIPS;
    else
      event.kind = NS_ORBIT_STOPS;
    PetscCall(add_event(system, event));
  }
  PetscFunctionReturn(0);
}

/* Steps to the end; x[m] is the state, which look(context, moment) sees at the start and after each step. */
static PetscErrorCode steps(NsOrbitSystem *system, NsScheme *scheme, PetscReal t0, PetscReal T, PetscReal *x,
  void (*look)(void *, const NsOrbitMoment *), void *context, const char **why)
{
  NsState                *state    = NsRunState(system->run);
  const NsSchemeSettings *settings = scheme->settings;
  const PetscInt          contacts = scheme->model->candidates;
  NsStepOutcome           outcome;
  unsigned char          *before, *after;
  PetscBool               closed = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(contacts + 1, &before, contacts + 1, &after));
  find_states(scheme, before);
  if (look) look(context, &(NsOrbitMoment){.x = x});
  for (PetscInt k = 0; t0 + T - state->t > 1e-14 * (T + PetscAbsReal(t0)); k++) {
    const PetscInt known = system->seen_count;
    outcome              = (NsStepOutcome){.done = PETSC_TRUE};
    PetscCall(NsSchemeStep(scheme, state, PetscMin(settings->step, t0 + T - state->t), &outcome));
    if (!outcome.done || k == NS_MOST_STEPS) {
      *why = NsArenaPrint(system->arena, "the simulation of a period fails: %s", outcome.done ? "too many steps" : outcome.reason);
      break;
    }
    find_states(scheme, after);
    PetscCall(note_events(system, scheme, state->t - t0, before, after, &closed));
    PetscCall(PetscArraycpy(before, after, contacts));
    PetscCall(take_state(system, state, x));
    if (look)
      look(context, &(NsOrbitMoment){.t = PetscMin(state->t - t0, T),
                      .after            = outcome.impulsive,
                      .x                = x,
                      .closed           = closed,
                      .seen             = system->seen + known,
                      .seen_count       = system->seen_count - known});
  }
  PetscCall(PetscFree2(before, after));
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
  NsOrbitHeld    joints;

  PetscFunctionBegin;
  *why               = NULL;
  system->seen_count = 0;
  PetscCall(PetscMalloc1(system->m, &x));
  PetscCall(PetscArraycpy(x, x0, system->states));
  PetscCall(NsOrbitHeldCreate(system, &joints));
  PetscCall(NsOrbitHeldFind(system, t0, x, PETSC_FALSE, &joints));
  PetscCall(NsOrbitHold(system, t0, &joints, x));
  PetscCall(NsOrbitHeldDestroy(&joints));
  state->t = t0;
  PetscCall(PetscArraycpy(NsVecArray(state->q), x, n));
  PetscCall(PetscArraycpy(NsVecArray(state->v), x + n, n));
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

/* The events of the last simulation happened in the same order. */
static PetscBool same_events(const NsOrbitSystem *system, const NsOrbitSeen *seen, PetscInt count)
{
  if (system->seen_count != count) return PETSC_FALSE;
  for (PetscInt k = 0; k < count; k++) {
    if (system->seen[k].kind != seen[k].kind || system->seen[k].contact != seen[k].contact) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* P'(H(x0)) e: central, from one side if the other has other events than the orbit, x1 = P(x0), or with a smaller distance. NaN where a simulation fails. */
static PetscErrorCode difference(NsOrbitSystem *system, const NsOrbit *orbit, const NsOrbitHeld *held, const NsOrbitDirections *directions,
  PetscInt k, PetscBool velocity, PetscReal d, const PetscReal *x1, PetscReal *rate)
{
  const PetscInt  n = system->states, events = system->seen_count;
  const PetscReal t0 = NsOrbitBegins(system, orbit);
  PetscReal      *x, *side[2];
  NsOrbitSeen    *seen;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &x, n, &side[0], n, &side[1], events + 1, &seen));
  PetscCall(PetscArraycpy(seen, system->seen, events));
  for (int again = 0; again < NS_NEARER; again++, d /= 10) { /* where all have other events, the first is taken */
    PetscBool failed = PETSC_FALSE, same[2];
    for (int i = 0; i < 2; i++) {
      const char *why;
      PetscCall(NsOrbitDisplace(system, directions, k, velocity, i ? -d : d, orbit->x0, x));
      PetscCall(NsOrbitHold(system, t0, held, x));
      PetscCall(NsOrbitSimulate(system, t0, orbit->T, x, side[i], NULL, NULL, &why));
      failed  = failed || why;
      same[i] = same_events(system, seen, events);
      if (!why) PetscCall(NsOrbitTurnBack(system, t0, orbit->x0, side[i]));
    }
    const PetscBool central = same[0] == same[1];
    for (PetscInt i = 0; i < n && (!again || (!failed && (same[0] || same[1]))); i++)
      rate[i] = failed ? NAN : central ? (side[0][i] - side[1][i]) / (2 * d) : same[0] ? (side[0][i] - x1[i]) / d : (x1[i] - side[1][i]) / d;
    if (failed || same[0] || same[1]) break;
  }
  system->seen_count = events;
  PetscCall(PetscArraycpy(system->seen, seen, events));
  PetscCall(PetscFree4(x, side[0], side[1], seen));
  PetscFunctionReturn(0);
}

/* J = (P o H)'(x0) - I (hold.c); x1 = P(x0) of the last simulation. */
static PetscErrorCode differentiate(
  NsOrbitSystem *system, const NsOrbit *orbit, const NsOrbitHeld *held, const PetscReal *size, const PetscReal *x1, PetscReal *J)
{
  const PetscInt    n = system->states, half = n / 2;
  NsOrbitDirections directions;
  PetscReal        *rate;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &rate));
  PetscCall(NsOrbitDirectionsFind(system, NsOrbitBegins(system, orbit), held, orbit->x0, &directions));
  for (PetscInt i = 0; i < n * n; i++) J[i] = i % (n + 1) ? 0 : -1;
  for (PetscInt j = 0; j < 2 * directions.count; j++) {
    const PetscBool  velocity  = j >= directions.count;
    const PetscInt   k         = j % directions.count;
    const PetscReal *direction = (velocity ? directions.free : directions.along) + k * half;
    const PetscReal *dual      = (velocity ? directions.dual_free : directions.dual_along) + k * half;
    PetscReal        most      = 0;
    for (PetscInt i = 0; i < half; i++) most = PetscMax(most, PetscAbsReal(direction[i]) / size[velocity ? half + i : i]);
    PetscCall(difference(system, orbit, held, &directions, k, velocity, NS_APART / most, x1, rate));
    for (PetscInt c = 0; c < half; c++) {
      for (PetscInt i = 0; i < n && dual[c] != 0; i++) J[(velocity ? half + c : c) * n + i] += rate[i] * dual[c];
    }
  }
  PetscCall(PetscFree(directions.free));
  PetscCall(PetscFree(rate));
  PetscFunctionReturn(0);
}

/* x' at the end x1 of the orbit, after which time goes on. */
static PetscErrorCode find_rate(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal t, PetscReal *x1, PetscReal *rate, const char **why)
{
  const PetscReal h = NS_APART * orbit->T;
  NsOrbitHeld     joints;

  PetscFunctionBegin;
  PetscCall(NsOrbitHeldCreate(system, &joints));
  PetscCall(NsOrbitHeldFind(system, t, x1, PETSC_FALSE, &joints));
  PetscCall(NsOrbitHold(system, t, &joints, x1));
  PetscCall(NsOrbitSimulate(system, t, h, x1, rate, NULL, NULL, why));
  for (PetscInt i = 0; i < system->states; i++) rate[i] = (rate[i] - x1[i]) / h;
  PetscCall(NsOrbitHeldDestroy(&joints));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSimulatedField(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *f)
{
  PetscReal  *x;
  const char *why;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(system->states, &x));
  PetscCall(PetscArraycpy(x, orbit->x0, system->states));
  PetscCall(find_rate(system, orbit, NsOrbitBegins(system, orbit), x, f, &why));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitSimulatedResidual(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *r, PetscReal *J)
{
  const PetscInt  n  = system->states;
  const PetscReal t0 = NsOrbitBegins(system, orbit);
  PetscReal      *size, *x0, *x1;
  NsOrbitHeld     held;
  const char     *why;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &size, n, &x0, n, &x1));
  PetscCall(NsOrbitHeldCreate(system, &held));
  PetscCall(PetscArraycpy(x0, orbit->x0, n));
  PetscCall(NsOrbitHeldFind(system, t0, x0, PETSC_TRUE, &held));
  PetscCall(NsOrbitHold(system, t0, &held, x0));
  NsOrbitLargest sizes = {n, size};
  PetscCall(PetscArrayzero(size, n));
  PetscCall(NsOrbitSimulate(system, t0, orbit->T, x0, x1, NsOrbitLookAtSize, &sizes, &why));
  if (!why) PetscCall(NsOrbitTurnBack(system, t0, orbit->x0, x1));
  for (PetscInt i = 0; i < n; i++) { /* at least a thousandth of the largest position or velocity */
    PetscReal largest = 0;
    for (PetscInt j = i < n / 2 ? 0 : n / 2; j < (i < n / 2 ? n / 2 : n); j++) largest = PetscMax(largest, size[j]);
    size[i] = largest > 0 ? PetscMax(size[i], 1e-3 * largest) : 1;
  }
  for (PetscInt i = 0; i < n; i++) r[i] = why ? NAN : x1[i] - orbit->x0[i];
  if (J && !why) PetscCall(differentiate(system, orbit, &held, size, x1, J));
  if (J && !why && !(system->period > 0)) PetscCall(find_rate(system, orbit, t0 + orbit->T, x1, J + n * n, &why));
  if (system->gradient && !why) PetscCall(NsOrbitAddEnergy(system, orbit->x0, size, r, J));
  PetscCall(NsOrbitHeldDestroy(&held));
  PetscCall(PetscFree3(size, x0, x1));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitStartsOpen(NsOrbitSystem *system, const NsOrbit *orbit, const PetscReal *size, PetscBool *open)
{
  const PetscInt n     = system->states / 2;
  NsModel       *model = NsRunModel(system->run);
  NsState       *state = NsRunState(system->run);
  PetscReal     *gap, largest = 0;
  NsOrbitHeld    held;

  PetscFunctionBegin;
  *open = PETSC_TRUE;
  if (!model->candidates) PetscFunctionReturn(0);
  PetscCall(NsOrbitHeldCreate(system, &held));
  PetscCall(NsOrbitHeldFind(system, NsOrbitBegins(system, orbit), orbit->x0, PETSC_TRUE, &held));
  for (PetscInt i = 0; i < n; i++) largest = PetscMax(largest, size[i]);
  PetscCall(PetscMalloc1(model->candidates, &gap));
  PetscCall(PetscArraycpy(NsVecArray(state->q), orbit->x0, n));
  PetscInt *list = NsContactSelected(NsRunContact(system->run));
  for (PetscInt i = 0; i < model->candidates; i++) list[i] = i;
  PetscCall(NsModelGap(model, NsOrbitBegins(system, orbit), state->q, gap));
  for (PetscInt k = 0; k < held.count; k++) gap[held.contact[k]] = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < model->candidates; i++) *open = *open && gap[i] > 4 * NS_APART * largest;
  PetscCall(PetscFree(gap));
  PetscCall(NsOrbitHeldDestroy(&held));
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

/* Forces at the start, and gaps, into value[n + contacts]. Driven joints repeat in their own way, which the orbit shows; they count only where nothing may change (`joints`). */
static PetscErrorCode look_at_forces(NsRun *run, PetscReal t, PetscBool joints, PetscReal *value)
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
  for (PetscInt i = 0; i < model->candidates && !joints; i++) {
    if (model->candidate[i].bilateral) value[model->unknowns + i] = 0;
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
    PetscCall(look_at_forces(run, t, !(period > 0), a));
    PetscCall(look_at_forces(run, period > 0 ? t + (PetscReal)(k + 1) * period : 0, !(period > 0), b));
    for (PetscInt i = 0; i < count; i++) {
      error   = PetscMax(error, PetscAbsReal(a[i] - b[i]));
      largest = PetscMax(largest, PetscMax(PetscAbsReal(a[i]), PetscAbsReal(b[i])));
    }
  }
  *repeats = error <= 1e-9 * largest;
  PetscCall(PetscFree2(a, b));
  PetscFunctionReturn(0);
}

/* Velocities that move nothing (beside the first number of a quaternion, and of angles that are counted), and those that are the rates of their own coordinates alone. */
static PetscErrorCode find_idle(NsModel *model, Vec q, PetscBool *idle, PetscBool *plain)
{
  Vec v, rate;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < model->unknowns; i++) plain[i] = PETSC_TRUE;
  if (!model->dynamics.rate) PetscFunctionReturn(0);
  PetscCall(NsVecsCreate(model, &v, &rate, NULL));
  for (PetscInt i = 0; i < model->unknowns; i++) {
    PetscReal size, sum;
    PetscCall(VecZeroEntries(v));
    NsVecArray(v)[i] = 1;
    PetscCall(NsModelRate(model, q, v, rate));
    PetscCall(VecNorm(rate, NORM_INFINITY, &size));
    PetscCall(VecNorm(rate, NORM_1, &sum));
    idle[i]  = size == 0;
    plain[i] = NsVecRead(rate)[i] == 1 && sum == 1;
  }
  PetscCall(NsVecsDestroy(&v, &rate, NULL));
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
  system->arena      = arena;
  system->run        = run;
  system->candidates = NsRunModel(run)->candidates;
  system->states     = 2 * n;
  system->m          = 2 * n + 1;
  system->period     = forcing_period > 0 ? forcing_period : times.period < PETSC_MAX_REAL ? times.period : 0;
  system->rough      = PetscMax(1e-9, 100 * settings->tolerance);
  system->start      = zeros(system, 2 * n);
  PetscCall(PetscArraycpy(system->start, NsVecRead(NsRunState(run)->q), n));
  PetscCall(PetscArraycpy(system->start + n, NsVecRead(NsRunState(run)->v), n));
  system->idle    = NsArenaAlloc(arena, sizeof(PetscBool) * (size_t)(n + 1));
  system->turning = NsArenaAlloc(arena, sizeof(PetscBool) * (size_t)(n + 1));
  system->plain   = NsArenaAlloc(arena, sizeof(PetscBool) * (size_t)(n + 1));
  PetscCall(find_idle(NsRunModel(run), NsRunState(run)->q, system->idle, system->plain));
  PetscCall(NsOrbitStateProbes(system, run, 0));
  PetscCall(check_forcing(run, system->period, &repeats));
  *result                      = system;
  PetscInt          free_spins = 0;
  const NsFreeSpin *spins;
  if (NsRunModel(run)->analysis.free_spins) PetscCall(NsRunModel(run)->analysis.free_spins(NsRunModel(run), NsRunState(run)->v, &free_spins, &spins));
  if (repeats && !free_spins) PetscFunctionReturn(0);
  *why        = free_spins ? "a rotor of finite elements turns freely; orbits with a free spin need bodies of `type: body`, whose angles may go round"
                : system->period > 0 ? NsArenaPrint(to, "its loads do not repeat with the period of %.9g s", system->period)
                                     : "its loads or drives change with time and have no period; give it: orbit.forcing_period";
  system->run = NULL; /* stays with the caller */
  PetscCall(NsOrbitSystemDestroy(result));
  PetscFunctionReturn(0);
}
