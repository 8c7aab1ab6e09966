/*
  Event-driven loop: finding the first event of a trial step, and landing on it. See event_driven.h.

      floor    of a gap: 0, or where the contact last parted, if that is below (the solver's drift has taken it there)
      limit    of gaps and slip speeds: the floor, or 0, where the step begins above it (or a gap there falls), else a tolerance below, or NS_EVENT_HOP of one where a gap falls slowly
               of forces: a tolerance below 0, so that who is let go really has nothing left

  F(s) = least of (value - limit)/tolerance over all guards; an event is a root of F from above. Between two places a gap with rates -, + has its least about where the line through
  its rates is zero.
*/
#include <math.h>
#include "contact/near.h"
#include "event_driven.h"

#define NS_EVENT_SHARP 1e-5 /* of a tolerance: how exactly an event is met */

/* Of candidate i: gap or press; grip. */
static NsGuard *guard_of(NsEventDriven *self, PetscInt i, int second)
{
  return &self->guard[2 * i + second];
}

static void set_guard(NsGuard *guard, NsGuardKind kind, PetscReal value, PetscReal rate)
{
  guard->last      = guard->value;
  guard->last_rate = guard->rate;
  guard->kind      = kind;
  guard->value     = value;
  guard->rate      = rate;
}

/* Normal force, and what is left of the grip, of the contacts of self->wu, whose forces are self->P. */
static void guard_forces(NsScheme *scheme)
{
  NsEventDriven *self = scheme->data;

  for (PetscInt k = 0; k < self->held.count; k++) {
    const PetscInt     i         = self->held.contact[k];
    const NsCandidate *candidate = &scheme->model->candidate[i];
    const PetscReal   *P         = self->dae->lambda + self->dae->wu.start[k];
    if (!candidate->bilateral) set_guard(guard_of(self, i, 0), NS_GUARD_PRESS, P[0], 0);
    if (self->held.kind[k] == NS_HOLD_STICK) {
      PetscReal tangential = 0;
      for (PetscInt d = 1; d < candidate->directions; d++) tangential += PetscSqr(P[d]);
      set_guard(guard_of(self, i, 1), NS_GUARD_STICK, candidate->law.friction * P[0] - PetscSqrtReal(tangential), 0);
    }
  }
}

/* All guards at self->look. */
static PetscErrorCode look(NsScheme *scheme, NsStepOutcome *outcome)
{
  NsEventDriven *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsContactRates(contact, &self->look, 0));
  for (PetscInt k = 0; k < contact->nears; k++) {
    const PetscInt i = contact->near[k];
    if (!scheme->model->candidate[i].bilateral && !self->is_held[i])
      set_guard(guard_of(self, i, 0), NS_GUARD_GAP, contact->gap[i], contact->u[contact->first[i]]);
  }
  if (!self->held.count) PetscFunctionReturn(0);
  PetscCall(NsDaeForces(self->dae, self->look.t, self->look.q, self->look.v, self->a, &outcome->done));
  if (!outcome->done) PetscFunctionReturn(0);
  guard_forces(scheme);
  for (PetscInt k = 0; k < self->held.count; k++) {
    const PetscInt i = self->held.contact[k];
    if (self->held.kind[k] == NS_HOLD_SLIP)
      set_guard(guard_of(self, i, 1), NS_GUARD_SLIP, self->held.sense[k] * contact->u[contact->first[i] + 1], 0);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode look_within(NsScheme *scheme, const NsState *x, PetscReal s, PetscReal h, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  self->look.t = x->t + s * h;
  PetscCall(NsDaeInterpolate(self->dae, x, s, self->look.q, self->look.v));
  PetscCall(look(scheme, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode look_at(NsScheme *scheme, PetscReal t, Vec q, Vec v, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  self->look.t = t;
  PetscCall(VecCopy(q, self->look.q));
  PetscCall(VecCopy(v, self->look.v));
  PetscCall(look(scheme, outcome));
  PetscFunctionReturn(0);
}

/* Every guard of a candidate that is near, one after the other: for (NsGuard *guard = NULL; (guard = next_guard(scheme, &at));) */
static NsGuard *next_guard(NsScheme *scheme, PetscInt *at)
{
  NsEventDriven *self = scheme->data;

  while (*at < 2 * scheme->contact->nears) {
    NsGuard *guard = guard_of(self, scheme->contact->near[*at / 2], *at % 2);
    ++*at;
    if (guard->kind != NS_GUARD_NONE) return guard;
  }
  return NULL;
}

/* slow, m/s: a gap that falls no faster may be about to turn. */
static PetscReal limit_of(const NsGuard *guard, PetscReal floor, PetscReal slow)
{
  switch (guard->kind) {
  case NS_GUARD_GAP:
    if (guard->value > floor || guard->rate < -slow) return floor;
    return floor - guard->tolerance * (guard->rate < 0 ? NS_EVENT_HOP : 1);
  case NS_GUARD_SLIP: return guard->value > 0 ? 0 : -guard->tolerance;
  default: return -guard->tolerance;
  }
}

static void begin_guards(NsScheme *scheme)
{
  const NsEventSettings *settings = scheme->settings;
  NsEventDriven         *self     = scheme->data;
  const PetscReal        of_force = 1e-9 * self->largest_force;
  PetscInt               at       = 0;

  for (NsGuard *guard; (guard = next_guard(scheme, &at));) {
    guard->tolerance = guard->kind == NS_GUARD_GAP ? settings->gap_tolerance : guard->kind == NS_GUARD_SLIP ? settings->velocity_tolerance : of_force;
    guard->tolerance = PetscMax(guard->tolerance * pow(10, (double)guard->vain), PETSC_SMALL * PETSC_SMALL);
    guard->limit     = limit_of(guard, self->floor[(guard - self->guard) / 2], settings->velocity_tolerance);
  }
}

/* F of the present values. */
static PetscReal least(NsScheme *scheme)
{
  PetscReal F  = PETSC_MAX_REAL;
  PetscInt  at = 0;

  for (NsGuard *guard; (guard = next_guard(scheme, &at));) F = PetscMin(F, (guard->value - guard->limit) / guard->tolerance);
  return F;
}

/* The place between s0 and s1, as a part of it, where some gap may have fallen below its limit and come back; 0: none. */
static PetscReal dip(NsScheme *scheme, PetscReal length)
{
  PetscReal first = 0;
  PetscInt  at    = 0;

  for (NsGuard *guard; (guard = next_guard(scheme, &at));) {
    if (guard->kind != NS_GUARD_GAP || !(guard->last_rate < 0 && guard->rate > 0)) continue;
    const PetscReal part = guard->last_rate / (guard->last_rate - guard->rate), least_value = guard->last + guard->last_rate * part * length / 2;
    const PetscReal margin = PetscAbsReal(guard->last_rate) * part * length; /* of a parabola that is none */
    if (least_value - margin < guard->limit && (first == 0 || part < first)) first = part;
  }
  return first;
}

/* Looks along the trial step; found: F changes its sign between *low and *high. */
static PetscErrorCode scan(NsScheme *scheme, const NsState *x, PetscReal h, PetscReal *low, PetscReal *high, PetscBool *found, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(look_at(scheme, x->t, x->q, x->v, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  begin_guards(scheme);
  for (int j = 1; j <= NS_EVENT_SAMPLES; j++) {
    *low  = (PetscReal)(j - 1) / NS_EVENT_SAMPLES;
    *high = (PetscReal)j / NS_EVENT_SAMPLES;
    if (j < NS_EVENT_SAMPLES)
      PetscCall(look_within(scheme, x, *high, h, outcome));
    else
      PetscCall(look_at(scheme, x->t + h, self->dae->q1, self->dae->v1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    *found = least(scheme) < 0 ? PETSC_TRUE : PETSC_FALSE;
    if (*found) break;
    const PetscReal part = dip(scheme, h / NS_EVENT_SAMPLES);
    if (part > 0) {
      const PetscReal middle = *low + part / NS_EVENT_SAMPLES, end = *high;
      PetscCall(look_within(scheme, x, middle, h, outcome));
      if (!outcome->done) PetscFunctionReturn(0);
      *high  = middle;
      *found = least(scheme) < 0 ? PETSC_TRUE : PETSC_FALSE;
      if (*found) break;
      PetscCall(look_within(scheme, x, end, h, outcome)); /* the places before the next one are its own again */
      if (!outcome->done) PetscFunctionReturn(0);
    }
  }
  PetscFunctionReturn(0);
}

#define NS_MOST_HALVINGS 60

/* Narrows the bracket by false position with halvings (Illinois) until it is as short as rounding, or F at its end next to nothing. */
static PetscErrorCode narrow(NsScheme *scheme, const NsState *x, PetscReal h, PetscReal *low, PetscReal *high, NsStepOutcome *outcome)
{
  PetscReal F_low, F_high;
  int       side = 0;

  PetscFunctionBegin;
  PetscCall(look_within(scheme, x, *low, h, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  F_low = PetscMax(least(scheme), PETSC_SMALL);
  PetscCall(look_within(scheme, x, *high, h, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  F_high = PetscMin(least(scheme), 0);
  for (int i = 0; i<NS_MOST_HALVINGS && * high - *low> 1e-15 && F_high < -NS_EVENT_SHARP; i++) {
    const PetscReal line = *high - (*high - *low) * F_high / (F_high - F_low), half = (*low + *high) / 2;
    const PetscReal s = i % 4 == 3 || !(line > *low && line < *high) ? half : line;
    PetscCall(look_within(scheme, x, s, h, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    const PetscReal F = least(scheme);
    if (F > 0) {
      *low  = s;
      F_low = F;
      if (side == 1) F_high /= 2;
      side = 1;
    } else {
      *high  = s;
      F_high = F;
      if (side == -1) F_low /= 2;
      side = -1;
    }
  }
  PetscFunctionReturn(0);
}

#define NS_MOST_LANDINGS 12 /* by secants */

/* A trial of the event's time: F and the length before it, lengths that were a little early and a little late (0: none yet). */
typedef struct {
  PetscReal h, F, last, F_last, early, late;
} Landing;

/* The next length to be tried: by secants; between early and late, and there by halvings after too many. Where F does not move, for it is rounding, ever farther. */
static PetscReal next_length(const Landing *l, PetscReal longest, PetscReal rounding, int tries)
{
  const PetscReal nearby = l->h * (l->F > 0 ? 1 + 1e-6 * pow(10, tries) : 1 - 1e-6);
  const PetscReal secant = tries == 0 || l->F == l->F_last ? nearby : l->h - (l->F + NS_EVENT_SHARP / 2) * (l->h - l->last) / (l->F - l->F_last);

  if (l->late == 0) return PetscMin(secant > l->h ? secant : nearby, longest);
  if (l->late - l->early <= rounding) return l->late;
  return tries < NS_MOST_LANDINGS && secant > l->early && secant < l->late ? secant : (l->early + l->late) / 2;
}

/*
  Takes the step again so that it ends in the event: by secants, for the dense output is not as good as the step; where F jumps, by halvings, to the rounding of time. A little late is right,
  a little early would be no event. Not found: the step itself passes by, as far as it was tried last.
*/
static PetscErrorCode land(NsScheme *scheme, const NsState *x, PetscReal longest, PetscReal *h, PetscBool *found, NsStepOutcome *outcome)
{
  NsEventDriven  *self     = scheme->data;
  const PetscReal rounding = 2 * PETSC_MACHINE_EPSILON * (PetscAbsReal(x->t) + longest);
  Landing         l        = {.h = PetscMin(PetscMax(*h, rounding), longest)}; /* time goes on, whatever happens */

  PetscFunctionBegin;
  for (int tries = 0;; tries++) {
    PetscCall(NsDaeTryExactly(self->dae, x, l.h, &outcome->done));
    if (!outcome->done) PetscFunctionReturn(0);
    PetscCall(look_at(scheme, x->t + l.h, self->dae->q1, self->dae->v1, outcome));
    if (!outcome->done) PetscFunctionReturn(0);
    *h     = l.h;
    l.F    = least(scheme);
    *found = l.F <= 0 ? PETSC_TRUE : PETSC_FALSE;
    if (*found && (l.F > -NS_EVENT_SHARP || l.h - l.early <= rounding)) break;
    *(*found ? &l.late : &l.early) = l.h;
    if (l.late == 0 && (tries >= NS_MOST_LANDINGS || l.h >= longest)) break;
    const PetscReal next = next_length(&l, longest, rounding, tries);
    l.last               = l.h;
    l.F_last             = l.F;
    l.h                  = next;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsEventFind(NsScheme *scheme, const NsState *x, PetscReal *h, PetscBool *found, NsStepOutcome *outcome)
{
  NsContact *contact = scheme->contact;
  PetscReal  low = 0, high = 1, longest = *h;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!contact->candidates) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < 2 * contact->candidates; k++) ((NsEventDriven *)scheme->data)->guard[k].kind = NS_GUARD_NONE;
  PetscCall(scan(scheme, x, *h, &low, &high, found, outcome));
  if (!outcome->done || !*found) PetscFunctionReturn(0);
  PetscCall(narrow(scheme, x, *h, &low, &high, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  *h *= high;
  PetscCall(land(scheme, x, longest, h, found, outcome));
  PetscFunctionReturn(0);
}
