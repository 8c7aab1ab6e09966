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
  if (system->circle) {
    PetscCall(NsOrbitCircleTrace(system, orbit, least, look, context));
    PetscFunctionReturn(0);
  }
  if (system->run) {
    const char *why;
    PetscCall(NsOrbitSimulate(system, NsOrbitBegins(system, orbit), orbit->T, orbit->x0, NULL, look, context, &why));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc4(m, &x, m, &x1, (size_t)(2 * m), &work, (size_t)(m * m), &jump));
  PetscCall(PetscArraycpy(x1, orbit->x0, system->states));
  NsOrbitClock(system, NsOrbitBegins(system, orbit), x1);
  PetscCall(NsOrbitFindMode(system, orbit->first, &mode));
  NsOrbitMult(m, mode->settle, x1, x);
  for (PetscInt k = 0; k <= orbit->count; k++) {
    const PetscReal end = k < orbit->count ? orbit->theta[k] : 1, length = (end - past) * orbit->T;
    PetscCall(NsOrbitModeLevels(system, mode));
    PetscReal t = 0;
    for (PetscBool begins = PETSC_TRUE;; begins = PETSC_FALSE) {
      const PetscBool     ends  = !begins && t >= length;
      const PetscReal     most  = PetscMin(length - t, orbit->T / (PetscReal)least);
      const NsOrbitLevel *level = NsOrbitLevelAt(mode, t, most);
      look(context, &(NsOrbitMoment){k, mode, past * orbit->T + t, ends && k < orbit->count, begins && k > 0, x});
      if (ends) break;
      if (level)
        NsOrbitMult(m, level->step, x, x1);
      else
        NsOrbitAdvance(system, mode, most, x, x1, work);
      t = level ? t + level->dt : most == length - t ? length : t + most;
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

void NsOrbitLookAtSize(void *largest, const NsOrbitMoment *moment)
{
  NsOrbitLargest *sizes = largest;

  for (PetscInt i = 0; i < sizes->states; i++) sizes->size[i] = PetscMax(sizes->size[i], PetscAbsReal(moment->x[i]));
}

void NsOrbitKeepMoment(void *track, const NsOrbitMoment *moment)
{
  NsOrbitTrack *all = track;

  if (all->count == all->room) {
    const PetscInt room = 2 * all->room + 256;
    PetscReal     *t = NsArenaAlloc(all->arena, sizeof(*t) * (size_t)room), *x = NsArenaAlloc(all->arena, sizeof(*x) * (size_t)(room * all->states));
    if (all->count) {
      memcpy(t, all->t, sizeof(*t) * (size_t)all->count);
      memcpy(x, all->x, sizeof(*x) * (size_t)(all->count * all->states));
    }
    all->t    = t;
    all->x    = x;
    all->room = room;
  }
  all->t[all->count] = moment->t;
  memcpy(all->x + all->count++ * all->states, moment->x, sizeof(PetscReal) * (size_t)all->states);
}

PetscErrorCode NsOrbitSizes(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *size)
{
  const PetscInt n     = system->states / 2;
  NsOrbitLargest sizes = {system->states, size};

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(size, system->states));
  PetscCall(NsOrbitTrace(system, orbit, 16, NsOrbitLookAtSize, &sizes));
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
  if (system->circle) return system->contacts;
  return orbit->count + (2 * orbit->count + 1) * NS_EVENTS(system); /* own; minima in each segment; values where each but the first begins */
}

typedef struct {
  NsOrbitSystem *system;
  const NsOrbit *orbit;
  NsOrbitMargin *margin;
  PetscReal     *x0, *at, *work, *last; /* last[events]: rates at the moment before */
  PetscReal      t0;
  void (*look)(void *, const NsOrbitMoment *); /* NULL, or who else looks */
  void *context;
} Margins;

/* The least value between x0 and dt later. */
static PetscReal minimum(Margins *margins, const NsOrbitMode *mode, const NsOrbitEvent *event, PetscReal dt)
{
  const PetscInt m = margins->system->m;

  (void)NsOrbitMinimum(margins->system, mode, event, dt, margins->x0, margins->at, margins->work);
  return NsOrbitDot(m, event->row, margins->at);
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
      margin[e] = (NsOrbitMargin){event->kind, event->contact, PETSC_FALSE, NsOrbitDot(system->m, event->rate, moment->x)};
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

  if (margins->look) margins->look(margins->context, moment);
  if (!mode) return;

  for (PetscInt e = 0; e < mode->events; e++) {
    const PetscReal rate   = NsOrbitDot(m, mode->event[e].rate, moment->x);
    NsOrbitMargin  *margin = &margins->margin[margins->orbit->count + moment->segment * NS_EVENTS(system) + e];
    if (!first && margins->last[e] < 0 && rate > 0) {
      margin->kind    = mode->event[e].kind;
      margin->contact = mode->event[e].contact;
      margin->value   = PetscMin(margin->value, minimum(margins, mode, &mode->event[e], moment->t - margins->t0));
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
      *own = (NsOrbitMargin){step->kind, step->contact, PETSC_TRUE, -NsOrbitDot(m, mode->event[e].rate, moment->x)};
    }
  }
  margins->t0 = moment->t;
  for (PetscInt i = 0; i < m; i++) margins->x0[i] = moment->x[i];
}

PetscErrorCode NsOrbitMargins(NsOrbitSystem *system, const NsOrbit *orbit, NsOrbitMargin *margin, PetscInt least,
  void (*look)(void *context, const NsOrbitMoment *), void *context)
{
  const PetscInt m = system->m, count = NsOrbitMarginCount(system, orbit);
  Margins        margins = {.system = system, .orbit = orbit, .margin = margin, .look = look, .context = context};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < count; i++) margin[i] = (NsOrbitMargin){.value = PETSC_MAX_REAL};
  if (system->circle) {
    PetscCall(NsOrbitCircleMargins(system, orbit, margin));
    if (look) PetscCall(NsOrbitTrace(system, orbit, least, look, context));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc4(m, &margins.x0, m, &margins.at, (size_t)(2 * m), &margins.work, (size_t)(NS_EVENTS(system) + 1), &margins.last));
  PetscCall(NsOrbitTrace(system, orbit, least, look_at_margin, &margins));
  PetscCall(PetscFree4(margins.x0, margins.at, margins.work, margins.last));
  PetscFunctionReturn(0);
}
