/*
  A simulation over one period that finds its events itself: the motion is exact, and event functions are looked at in equal intervals of a small part of the shortest period. A minimum between
  two of them is looked for where the rate changes its sign. Roots are found to rounding.

  Just after an event its function is zero up to rounding: then the first point where it is positive is looked for before the next root.
*/
#include <math.h>
#include <string.h>
#include "orbit.h"

#define NS_ROUNDING 1e-13 /* of the magnitude of an event function */
#define NS_CLOCK    32    /* samples after which rounding of the clock is removed */

typedef struct {
  NsOrbitSystem *system;
  NsOrbitMode   *mode;
  PetscReal     *x, *x1, *at, *work; /* [m], [m], [m], [2 m] */
  PetscReal      began;              /* time of the last event */
  PetscBool      fresh;              /* x is just behind an event */
} Flight;

static PetscReal magnitude(PetscInt m, const PetscReal *row, const PetscReal *x)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < m; i++) sum += PetscAbsReal(row[i] * x[i]);
  return sum;
}

/* Value and rate after dt. */
static PetscReal value_at(Flight *flight, const NsOrbitEvent *event, PetscReal dt, PetscReal *rate)
{
  NsOrbitAdvance(flight->system, flight->mode, dt, flight->x, flight->at, flight->work);
  if (rate) *rate = NsOrbitDot(flight->system->m, event->rate, flight->at);
  return NsOrbitDot(flight->system->m, event->row, flight->at);
}

/* The root between a (value above 0) and b (below): Newton's method within the bracket, else bisection. */
static PetscReal find_root(Flight *flight, const NsOrbitEvent *event, PetscReal a, PetscReal b)
{
  PetscReal dt = (a + b) / 2;

  for (int k = 0; k < 100 && b - a > 1e-16 * b; k++) {
    PetscReal rate, value = value_at(flight, event, dt, &rate), next;
    if (value > 0)
      a = dt;
    else
      b = dt;
    next = rate != 0 ? dt - value / rate : a;
    if (!(next > a && next < b)) next = (a + b) / 2;
    if (PetscAbsReal(next - dt) <= 1e-16 * flight->mode->level[0].dt) return next;
    dt = next;
  }
  return b;
}

/* When the event happens within dt, whose end is flight->x1; above dt: it does not. */
static PetscReal when(Flight *flight, const NsOrbitEvent *event, PetscReal dt)
{
  const PetscInt  m    = flight->system->m;
  const PetscReal h1   = NsOrbitDot(m, event->row, flight->x1);
  const PetscBool dips = h1 >= 0 && NsOrbitDot(m, event->rate, flight->x1) > 0 && NsOrbitDot(m, event->rate, flight->x) < 0;
  PetscReal       from = 0;

  if (h1 >= 0 && !dips) return 2 * dt;
  const PetscReal size = NS_ROUNDING * magnitude(m, event->row, flight->x1), h0 = NsOrbitDot(m, event->row, flight->x);
  if (!dips) {
    if (flight->fresh && h0 <= 1e3 * size) {
      for (from = dt / 2; from > 1e-9 * dt; from /= 2) {
        if (value_at(flight, event, from, NULL) > size) break;
      }
      if (from <= 1e-9 * dt) return h1 < -1e3 * size ? 0 : 2 * dt;
    }
    return find_root(flight, event, from, dt);
  }
  const PetscReal lowest = NsOrbitMinimum(flight->system, flight->mode, event, dt, flight->x, flight->at, flight->work);
  if (NsOrbitDot(m, event->row, flight->at) < -size && !(flight->fresh && h0 <= 1e3 * size)) return find_root(flight, event, 0, lowest);
  return 2 * dt;
}

static void new_step(NsArena *arena, PetscInt contacts, const unsigned char *before, NsOrbitStep *step)
{
  const size_t bytes = (size_t)contacts + 1;

  step->before   = NsArenaAlloc(arena, bytes);
  step->after    = NsArenaAlloc(arena, bytes);
  step->impact   = NsArenaAlloc(arena, bytes);
  step->restores = NsArenaAlloc(arena, sizeof(PetscBool) * bytes);
  memcpy(step->before, before, (size_t)contacts);
  step->jumps = PETSC_FALSE;
}

/* Starts at x: the mode there. */
static PetscErrorCode begin(Flight *flight, const unsigned char *first, NsArena *arena, NsOrbit *orbit, const char **why)
{
  NsOrbitSystem *system = flight->system;
  NsOrbitStep    start  = {.kind = NS_ORBIT_KINDS, .contact = -1};

  PetscFunctionBegin;
  orbit->first = NsArenaAlloc(arena, (size_t)system->contacts + 1);
  if (first)
    memcpy(orbit->first, first, (size_t)system->contacts);
  else {
    new_step(arena, system->contacts, orbit->first, &start);
    PetscCall(NsOrbitResolve(system, flight->x, &start, why));
    memcpy(orbit->first, start.after, (size_t)system->contacts);
  }
  PetscCall(NsOrbitFindMode(system, orbit->first, &flight->mode));
  PetscCall(NsOrbitModeLevels(system, flight->mode));
  NsOrbitMult(system->m, flight->mode->settle, flight->x, flight->at);
  PetscCall(PetscArraycpy(flight->x, flight->at, system->m));
  flight->fresh = PETSC_TRUE;
  flight->began = 0;
  PetscFunctionReturn(0);
}

/* The event ends the segment at flight->x. */
static PetscErrorCode take_event(Flight *flight, const NsOrbitEvent *event, PetscReal theta, NsArena *arena, NsOrbit *orbit, const char **why)
{
  NsOrbitSystem *system = flight->system;
  NsOrbitStep   *step   = &orbit->step[orbit->count];

  PetscFunctionBegin;
  step->kind    = event->kind;
  step->contact = event->contact;
  new_step(arena, system->contacts, flight->mode->state, step);
  PetscCall(NsOrbitResolve(system, flight->x, step, why));
  if (*why) PetscFunctionReturn(0);
  orbit->theta[orbit->count++] = theta;
  PetscCall(NsOrbitFindMode(system, step->after, &flight->mode));
  PetscCall(NsOrbitModeLevels(system, flight->mode));
  flight->fresh = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode fly(Flight *flight, PetscReal t0, PetscReal T, NsArena *arena, NsOrbit *orbit, const char **why)
{
  NsOrbitSystem *system = flight->system;
  const PetscInt m      = system->m;
  PetscReal      t      = 0;
  PetscInt       since  = 0; /* samples since the clock was set */

  PetscFunctionBegin;
  while (t < T && !*why) {
    const NsOrbitLevel *level = NsOrbitLevelAt(flight->mode, t - flight->began, T - t);
    const PetscReal     dt    = level ? level->dt : T - t;
    const NsOrbitEvent *event = NULL;
    PetscReal           first = dt;
    if (level)
      NsOrbitMult(m, level->step, flight->x, flight->x1);
    else
      NsOrbitAdvance(system, flight->mode, dt, flight->x, flight->x1, flight->work);
    for (PetscInt k = 0; k < flight->mode->events; k++) {
      const PetscReal at = when(flight, &flight->mode->event[k], dt);
      if (at > first || (event && at >= first)) continue;
      first = at;
      event = &flight->mode->event[k];
    }
    if (!event) {
      t               = level ? t + dt : T;
      PetscReal *past = flight->x;
      flight->x       = flight->x1;
      flight->x1      = past;
      if (++since % NS_CLOCK == 0) NsOrbitClock(system, t0 + t, flight->x);
      flight->fresh = PETSC_FALSE;
      continue;
    }
    NsOrbitAdvance(system, flight->mode, first, flight->x, flight->at, flight->work);
    PetscCall(PetscArraycpy(flight->x, flight->at, m));
    t += first;
    NsOrbitClock(system, t0 + t, flight->x);
    if (orbit->count >= NS_ORBIT_MOST)
      *why = "more than 400 events in a period: impacts accumulate";
    else
      PetscCall(take_event(flight, event, t / T, arena, orbit, why));
    flight->began = t;
  }
  PetscFunctionReturn(0);
}

/* Of a nonlinear model: an orbit without a sequence. */
static PetscErrorCode simulate(
  NsOrbitSystem *system, PetscReal t0, PetscReal T, const PetscReal *x0, NsArena *arena, NsOrbit *orbit, PetscReal *x1, const char **why)
{
  PetscFunctionBegin;
  orbit->count = 0;
  orbit->first = NsArenaAlloc(arena, 1);
  orbit->step  = NsArenaAlloc(arena, sizeof(*orbit->step));
  orbit->theta = NsArenaAlloc(arena, sizeof(PetscReal));
  orbit->x0    = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)system->states);
  orbit->T     = T;
  PetscCall(PetscArraycpy(orbit->x0, x0, system->states));
  PetscCall(NsOrbitSimulate(system, t0, T, x0, x1, NULL, NULL, why));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitFly(NsOrbitSystem *system, PetscReal t0, PetscReal T, const PetscReal *x0, const unsigned char *first, NsArena *arena,
  NsOrbit *orbit, PetscReal *x1, const char **why)
{
  const PetscInt m      = system->m;
  Flight         flight = {.system = system};
  PetscReal     *room;

  PetscFunctionBegin;
  *why = NULL;
  if (system->circle) {
    PetscCall(NsOrbitCircleFly(system, T, x0, first, arena, orbit, x1));
    PetscFunctionReturn(0);
  }
  if (system->run) {
    PetscCall(simulate(system, t0, T, x0, arena, orbit, x1, why));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc1((size_t)(5 * m), &room));
  flight.x     = room;
  flight.x1    = room + m;
  flight.at    = room + 2 * m;
  flight.work  = room + 3 * m;
  orbit->count = 0;
  orbit->step  = NsArenaAlloc(arena, sizeof(*orbit->step) * NS_ORBIT_MOST);
  orbit->theta = NsArenaAlloc(arena, sizeof(PetscReal) * NS_ORBIT_MOST);
  orbit->x0    = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)system->states);
  orbit->T     = T;
  PetscCall(PetscArraycpy(flight.x, x0, system->states));
  NsOrbitClock(system, t0, flight.x);
  PetscCall(begin(&flight, first, arena, orbit, why));
  PetscCall(PetscArraycpy(orbit->x0, flight.x, system->states));
  if (!*why) PetscCall(fly(&flight, t0, T, arena, orbit, why));
  PetscCall(PetscArraycpy(x1, flight.x, system->states));
  PetscCall(PetscFree(room));
  PetscFunctionReturn(0);
}
