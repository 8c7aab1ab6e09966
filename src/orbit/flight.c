/*
  A simulation over one period that finds its events itself: the motion is exact, and event functions are looked at in equal intervals of a small part of the shortest period. A minimum between
  two of them is looked for where the rate changes its sign. Roots are found to rounding.

  Just after an event its function is zero up to rounding: then the first point where it is positive is looked for before the next root.
*/
#include <math.h>
#include <string.h>
#include "orbit.h"

#define NS_ROUNDING 1e-13 /* of the magnitude of an event function */

typedef struct {
  NsOrbitSystem *system;
  NsOrbitMode   *mode;
  PetscReal     *x, *x1, *at, *rate, *work; /* [m], [m], [m], [m], [2 m] */
  PetscBool      fresh;                     /* x is just behind an event */
} Flight;

static PetscReal magnitude(PetscInt m, const PetscReal *row, const PetscReal *x)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < m; i++) sum += PetscAbsReal(row[i] * x[i]);
  return sum;
}

static PetscReal rate_of(const Flight *flight, const NsOrbitEvent *event, const PetscReal *x)
{
  NsOrbitMult(flight->system->m, flight->mode->A, x, flight->rate);
  return NsOrbitDot(flight->system->m, event->row, flight->rate);
}

/* Value and rate after dt. */
static PetscReal value_at(Flight *flight, const NsOrbitEvent *event, PetscReal dt, PetscReal *rate)
{
  NsOrbitAdvance(flight->system, flight->mode, dt, flight->x, flight->at, flight->work);
  if (rate) *rate = rate_of(flight, event, flight->at);
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
    if (PetscAbsReal(next - dt) <= 1e-16 * flight->system->sample) return next;
    dt = next;
  }
  return b;
}

/* Where the rate vanishes between a (below 0) and b (above). */
static PetscReal find_minimum(Flight *flight, const NsOrbitEvent *event, PetscReal a, PetscReal b)
{
  for (int k = 0; k < 60 && b - a > 1e-12 * b; k++) {
    const PetscReal dt = (a + b) / 2;
    PetscReal       rate;
    (void)value_at(flight, event, dt, &rate);
    if (rate < 0)
      a = dt;
    else
      b = dt;
  }
  return (a + b) / 2;
}

/* When the event happens within dt, whose end is flight->x1; above dt: it does not. */
static PetscReal when(Flight *flight, const NsOrbitEvent *event, PetscReal dt)
{
  const PetscInt  m    = flight->system->m;
  const PetscReal size = NS_ROUNDING * magnitude(m, event->row, flight->x1), h0 = NsOrbitDot(m, event->row, flight->x),
                  h1 = NsOrbitDot(m, event->row, flight->x1);
  PetscReal from     = 0;

  if (h1 < 0) {
    if (flight->fresh && h0 <= 1e3 * size) {
      for (from = dt / 2; from > 1e-9 * dt; from /= 2) {
        if (value_at(flight, event, from, NULL) > size) break;
      }
      if (from <= 1e-9 * dt) return h1 < -1e3 * size ? 0 : 2 * dt;
    }
    return find_root(flight, event, from, dt);
  }
  if (rate_of(flight, event, flight->x) < 0 && rate_of(flight, event, flight->x1) > 0) {
    const PetscReal lowest = find_minimum(flight, event, 0, dt);
    if (value_at(flight, event, lowest, NULL) < -size && !(flight->fresh && h0 <= 1e3 * size)) return find_root(flight, event, 0, lowest);
  }
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
  NsOrbitMult(system->m, flight->mode->settle, flight->x, flight->at);
  PetscCall(PetscArraycpy(flight->x, flight->at, system->m));
  flight->fresh = PETSC_TRUE;
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
  flight->fresh = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode fly(Flight *flight, PetscReal t0, PetscReal T, NsArena *arena, NsOrbit *orbit, const char **why)
{
  NsOrbitSystem *system = flight->system;
  const PetscInt m      = system->m;
  PetscReal      t      = 0;

  PetscFunctionBegin;
  while (t < T && !*why) {
    const PetscReal     dt    = PetscMin(system->sample, T - t);
    const NsOrbitEvent *event = NULL;
    PetscReal           first = dt;
    if (dt == system->sample)
      NsOrbitMult(m, flight->mode->step, flight->x, flight->x1);
    else
      NsOrbitAdvance(system, flight->mode, dt, flight->x, flight->x1, flight->work);
    for (PetscInt k = 0; k < flight->mode->events; k++) {
      const PetscReal at = when(flight, &flight->mode->event[k], dt);
      if (at > first || (event && at >= first)) continue;
      first = at;
      event = &flight->mode->event[k];
    }
    if (!event) {
      t = dt < system->sample ? T : t + dt;
      PetscCall(PetscArraycpy(flight->x, flight->x1, m));
      NsOrbitClock(system, t0 + t, flight->x);
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
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitFly(NsOrbitSystem *system, PetscReal t0, PetscReal T, const PetscReal *x0, const unsigned char *first, NsArena *arena,
  NsOrbit *orbit, PetscReal *x1, const char **why)
{
  const PetscInt m      = system->m;
  Flight         flight = {.system = system};

  PetscFunctionBegin;
  *why = NULL;
  PetscCall(PetscMalloc5(m, &flight.x, m, &flight.x1, m, &flight.at, m, &flight.rate, (size_t)(2 * m), &flight.work));
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
  PetscCall(PetscFree5(flight.x, flight.x1, flight.at, flight.rate, flight.work));
  PetscFunctionReturn(0);
}
