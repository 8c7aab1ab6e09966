/* Along an orbit: its moments, the size of its states, and its margins, the distances from orbits with other events. */
#include <string.h>
#include "orbit.h"

PetscErrorCode NsOrbitTrace(
  NsOrbitSystem *system, const NsOrbit *orbit, PetscInt least, void (*look)(void *context, const NsOrbitMoment *), void *context)
{
  const PetscInt m = system->m;
  PetscReal     *x, *x1, *work, *jump, past = 0;
  NsOrbitMode   *mode;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(m, &x, m, &x1, (size_t)(2 * m), &work, (size_t)(m * m), &jump));
  PetscCall(PetscArraycpy(x1, orbit->x0, system->states));
  NsOrbitClock(system, NsOrbitBegins(system, orbit), x1);
  PetscCall(NsOrbitFindMode(system, orbit->first, &mode));
  NsOrbitMult(m, mode->settle, x1, x);
  for (PetscInt k = 0; k <= orbit->count; k++) {
    const PetscReal end = k < orbit->count ? orbit->theta[k] : 1, length = (end - past) * orbit->T;
    const PetscInt  pieces = 1 + (PetscInt)PetscMax(0, PetscMax(length / system->sample, (end - past) * (PetscReal)least));
    for (PetscInt i = 0; i <= pieces; i++) {
      look(context,
        &(NsOrbitMoment){k, mode, past * orbit->T + length * (PetscReal)i / (PetscReal)pieces, i == pieces && k < orbit->count, i == 0 && k > 0, x});
      if (i == pieces) break;
      NsOrbitAdvance(system, mode, length / (PetscReal)pieces, x, x1, work);
      PetscCall(PetscArraycpy(x, x1, m));
    }
    past = end;
    if (k == orbit->count) break;
    if (orbit->step[k].jumps) {
      PetscCall(NsOrbitJump(system, &orbit->step[k], jump));
      NsOrbitMult(m, jump, x, x1);
      PetscCall(PetscArraycpy(x, x1, m));
    }
    PetscCall(NsOrbitFindMode(system, orbit->step[k].after, &mode));
  }
  PetscCall(PetscFree4(x, x1, work, jump));
  PetscFunctionReturn(0);
}

typedef struct {
  PetscInt   states;
  PetscReal *size;
} Sizes;

static void look_at_size(void *context, const NsOrbitMoment *moment)
{
  Sizes *sizes = context;

  for (PetscInt i = 0; i < sizes->states; i++) sizes->size[i] = PetscMax(sizes->size[i], PetscAbsReal(moment->x[i]));
}

PetscErrorCode NsOrbitSizes(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *size)
{
  const PetscInt n     = system->states / 2;
  Sizes          sizes = {system->states, size};

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(size, system->states));
  PetscCall(NsOrbitTrace(system, orbit, 16, look_at_size, &sizes));
  for (int velocities = 0; velocities < 2; velocities++) {
    PetscReal *part = size + velocities * n, largest = 0;
    for (PetscInt i = 0; i < n; i++) largest = PetscMax(largest, part[i]);
    for (PetscInt i = 0; i < n; i++) part[i] = largest > 0 ? PetscMax(part[i], 1e-3 * largest) : 1;
  }
  PetscFunctionReturn(0);
}

/* ---- margins ---------------------------------------------------------------------------------------------------------------------------------------------------- */

#define NS_EVENTS(system) (4 * (system)->contacts) /* a mode has at most 3 events for a contact */

PetscInt NsOrbitMarginCount(NsOrbitSystem *system, const NsOrbit *orbit)
{
  return orbit->count + (2 * orbit->count + 1) * NS_EVENTS(system); /* own; minima in each segment; values where each but the first begins */
}

typedef struct {
  NsOrbitSystem *system;
  const NsOrbit *orbit;
  NsOrbitMargin *margin;
  PetscReal     *x0, *rate, *at, *work, *last; /* last[events]: rates at the moment before */
  PetscReal      t0;
  PetscErrorCode code;
} Margins;

static PetscReal rate_of(Margins *margins, const NsOrbitMode *mode, const PetscReal *row, const PetscReal *x)
{
  NsOrbitMult(margins->system->m, mode->A, x, margins->rate);
  return NsOrbitDot(margins->system->m, row, margins->rate);
}

/* The least value between x0 and dt later. */
static PetscReal minimum(Margins *margins, const NsOrbitMode *mode, const PetscReal *row, PetscReal dt)
{
  PetscReal a = 0, b = dt;

  for (int k = 0; k < 60; k++) {
    const PetscReal middle = (a + b) / 2;
    NsOrbitAdvance(margins->system, mode, middle, margins->x0, margins->at, margins->work);
    if (rate_of(margins, mode, row, margins->at) < 0)
      a = middle;
    else
      b = middle;
  }
  return NsOrbitDot(margins->system->m, row, margins->at);
}

/*
  Where a segment begins: forces of held contacts and cones of sticking ones must be positive there, and the slip of a contact that has just stopped and turned must grow. What is zero there, up
  to rounding, by the event itself is left out.
*/
static void look_at_beginning(Margins *margins, const NsOrbitMoment *moment)
{
  const NsOrbitSystem *system = margins->system;
  const NsOrbitMode   *mode   = moment->mode;
  const NsOrbitStep   *step   = &margins->orbit->step[moment->segment - 1];
  NsOrbitMargin       *margin = margins->margin + margins->orbit->count + (margins->orbit->count + moment->segment) * NS_EVENTS(system);

  for (PetscInt e = 0; e < mode->events; e++) {
    const NsOrbitEvent *event = &mode->event[e];
    const PetscBool     same  = event->contact == step->contact;
    if (event->kind == NS_ORBIT_STOPS && same && step->kind == NS_ORBIT_STOPS)
      margin[e] = (NsOrbitMargin){event->kind, event->contact, PETSC_FALSE, rate_of(margins, mode, event->row, moment->x)};
    else if ((event->kind == NS_ORBIT_OPENS && !(same && step->kind == NS_ORBIT_CLOSES && system->compliance)) ||
             (event->kind == NS_ORBIT_SLIPS && !(same && step->kind == NS_ORBIT_SLIPS)))
      margin[e] = (NsOrbitMargin){event->kind, event->contact, PETSC_FALSE, NsOrbitDot(system->m, event->row, moment->x)};
  }
}

static void look_at_margin(void *context, const NsOrbitMoment *moment)
{
  Margins           *margins = context;
  NsOrbitSystem     *system  = margins->system;
  const NsOrbitMode *mode    = moment->mode;
  const PetscInt     m       = system->m;
  const PetscBool    first   = moment->after || moment->t == 0;

  for (PetscInt e = 0; e < mode->events; e++) {
    const PetscReal rate   = rate_of(margins, mode, mode->event[e].row, moment->x);
    NsOrbitMargin  *margin = &margins->margin[margins->orbit->count + moment->segment * NS_EVENTS(system) + e];
    if (!first && margins->last[e] < 0 && rate > 0) {
      margin->kind    = mode->event[e].kind;
      margin->contact = mode->event[e].contact;
      margin->value   = PetscMin(margin->value, minimum(margins, mode, mode->event[e].row, moment->t - margins->t0));
    }
    margins->last[e] = rate;
  }
  if (moment->after) look_at_beginning(margins, moment);
  if (moment->after) { /* just behind an event its own function begins at zero, up to rounding */
    const NsOrbitStep *step = &margins->orbit->step[moment->segment - 1];
    for (PetscInt e = 0; e < mode->events; e++) {
      if (mode->event[e].contact == step->contact) margins->last[e] = 0;
    }
  }
  if (moment->before) {
    const NsOrbitStep *step = &margins->orbit->step[moment->segment];
    NsOrbitMargin     *own  = &margins->margin[moment->segment];
    for (PetscInt e = 0; e < mode->events; e++) {
      if (mode->event[e].kind != step->kind || mode->event[e].contact != step->contact) continue;
      if (own->own && NsOrbitDot(m, mode->event[e].row, moment->x) > 1e-9) continue;
      *own = (NsOrbitMargin){step->kind, step->contact, PETSC_TRUE, -rate_of(margins, mode, mode->event[e].row, moment->x)};
    }
  }
  margins->t0 = moment->t;
  for (PetscInt i = 0; i < m; i++) margins->x0[i] = moment->x[i];
}

PetscErrorCode NsOrbitMargins(NsOrbitSystem *system, const NsOrbit *orbit, NsOrbitMargin *margin)
{
  const PetscInt m = system->m, count = NsOrbitMarginCount(system, orbit);
  Margins        margins = {.system = system, .orbit = orbit, .margin = margin};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < count; i++) margin[i] = (NsOrbitMargin){.value = PETSC_MAX_REAL};
  PetscCall(
    PetscMalloc5(m, &margins.x0, m, &margins.rate, m, &margins.at, (size_t)(2 * m), &margins.work, (size_t)(NS_EVENTS(system) + 1), &margins.last));
  PetscCall(NsOrbitTrace(system, orbit, 16, look_at_margin, &margins));
  PetscCall(PetscFree5(margins.x0, margins.rate, margins.at, margins.work, margins.last));
  PetscFunctionReturn(0);
}
