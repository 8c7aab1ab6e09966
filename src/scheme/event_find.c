/*
  Event-driven loop: locates the first event of a trial step, and repeats the step to end there. See event_driven.h.

      floor    of a gap: 0, or the (negative) gap at which the contact last opened, by the drift of the solver
      limit    of gaps and slip speeds: the floor, or 0, where the step begins above it (or a gap there falls), else a tolerance below, or NS_EVENT_HOP of one where a gap falls slowly
               of forces: a tolerance below 0, so that a contact that is released has no force left

  F(s) = least of (value - limit)/tolerance over all guards; an event is a root of F from above.
*/
#include <math.h>
#include "event_driven.h"

#define NS_EVENT_SHARP 1e-5 /* of a tolerance: how exactly an event is located */
#define NS_MOST_VAIN   30   /* most events without effect that make a guard more tolerant */

/* Of candidate i: gap or press; grip. */
static NsEventGuard *guard_of(NsEventDriven *self, PetscInt i, int second)
{
  return &self->guard[2 * i + second];
}

/* slow, m/s: a gap that closes no faster may be about to reverse. */
static PetscReal limit_of(const NsEventGuard *guard, PetscReal floor, PetscReal slow)
{
  switch (guard->kind) {
  case NS_EVENT_GAP:
    if (guard->value > floor || guard->rate < -slow) return floor;
    return floor - guard->tolerance * (guard->rate < 0 ? NS_EVENT_HOP : 1);
  case NS_EVENT_SLIP: return guard->value > 0 ? 0 : -guard->tolerance;
  default: return -guard->tolerance;
  }
}

/* Of candidate i: gap or press; grip. The first evaluation within a step sets its limit. */
static void set_guard(NsScheme *scheme, PetscInt i, int second, NsEventGuardKind kind, PetscReal value, PetscReal rate)
{
  const NsEventSettings *settings = scheme->settings;
  NsEventDriven         *self     = scheme->data;
  NsEventGuard          *guard    = guard_of(self, i, second);
  const PetscBool        first    = guard->kind == NS_EVENT_NONE;

  guard->kind  = kind;
  guard->value = value;
  guard->rate  = rate;
  if (!first) return;
  guard->tolerance = kind == NS_EVENT_GAP    ? settings->gap_tolerance
                     : kind == NS_EVENT_SLIP ? settings->velocity_tolerance
                                             : 1e-9 * self->largest_force;
  guard->tolerance = PetscMax(guard->tolerance * pow(10, (double)PetscMin(guard->vain, NS_MOST_VAIN)), PETSC_SMALL * PETSC_SMALL);
  guard->limit     = limit_of(guard, self->floor[i], settings->velocity_tolerance);
}

/* Normal force, and the distance to the Coulomb cone, of the contacts of self->wu, whose forces are self->P. */
static void guard_forces(NsScheme *scheme)
{
  NsEventDriven *self = scheme->data;

  for (PetscInt k = 0; k < self->held.count; k++) {
    const PetscInt     i         = self->held.contact[k];
    const NsCandidate *candidate = &scheme->model->candidate[i];
    const PetscReal   *P         = self->dae->lambda + self->dae->wu.start[k];
    if (!candidate->bilateral) set_guard(scheme, i, 0, NS_EVENT_PRESS, P[0], 0);
    if (self->held.kind[k] == NS_HOLD_STICK) {
      PetscReal tangential = 0;
      for (PetscInt d = 1; d < candidate->directions; d++) tangential += PetscSqr(P[d]);
      set_guard(scheme, i, 1, NS_EVENT_STICK, candidate->law.friction * P[0] - PetscSqrtReal(tangential), 0);
    }
  }
}

/* Evaluates all guards at self->look. */
static PetscErrorCode evaluate_guards(NsScheme *scheme, NsStepOutcome *outcome)
{
  NsEventDriven *self    = scheme->data;
  NsContact     *contact = scheme->contact;

  PetscFunctionBegin;
  PetscCall(NsContactRates(contact, &self->look, 0));
  const PetscInt  *active, actives = NsContactActive(contact, &active);
  const PetscReal *gap = NsContactLastGaps(contact);
  for (PetscInt k = 0; k < actives; k++) {
    const PetscInt i = active[k];
    if (!scheme->model->candidate[i].bilateral && !self->is_held[i]) set_guard(scheme, i, 0, NS_EVENT_GAP, gap[i], NsContactVelocity(contact, i)[0]);
  }
  if (!self->held.count) PetscFunctionReturn(0);
  PetscCall(NsDaeForces(self->dae, self->look.t, self->look.q, self->look.v, self->a, &outcome->done));
  if (!outcome->done) PetscFunctionReturn(0);
  guard_forces(scheme);
  for (PetscInt k = 0; k < self->held.count; k++) {
    const PetscInt i = self->held.contact[k];
    if (self->held.kind[k] == NS_HOLD_SLIP) set_guard(scheme, i, 1, NS_EVENT_SLIP, self->held.sense[k] * NsContactVelocity(contact, i)[1], 0);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode look_within(NsScheme *scheme, const NsState *x, PetscReal s, PetscReal h, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  self->look.t = x->t + s * h;
  PetscCall(NsDaeInterpolate(self->dae, x, s, self->look.q, self->look.v));
  PetscCall(evaluate_guards(scheme, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode look_at(NsScheme *scheme, PetscReal t, Vec q, Vec v, NsStepOutcome *outcome)
{
  NsEventDriven *self = scheme->data;

  PetscFunctionBegin;
  self->look.t = t;
  PetscCall(VecCopy(q, self->look.q));
  PetscCall(VecCopy(v, self->look.v));
  PetscCall(evaluate_guards(scheme, outcome));
  PetscFunctionReturn(0);
}

/* Every guard of an active candidate, one after the other: for (NsEventGuard *guard = NULL; (guard = next_guard(scheme, &at));) */
static NsEventGuard *next_guard(NsScheme *scheme, PetscInt *at)
{
  NsEventDriven *self = scheme->data;

  const PetscInt *active, actives = NsContactActive(scheme->contact, &active);

  while (*at < 2 * actives) {
    NsEventGuard *guard = guard_of(self, active[*at / 2], *at % 2);
    ++*at;
    if (guard->kind != NS_EVENT_NONE) return guard;
  }
  return NULL;
}

/* F of the present values. */
static PetscReal least(NsScheme *scheme)
{
  PetscReal F  = PETSC_MAX_REAL;
  PetscInt  at = 0;

  for (NsEventGuard *guard; (guard = next_guard(scheme, &at));) F = PetscMin(F, (guard->value - guard->limit) / guard->tolerance);
  return F;
}

enum { START, MIDDLE, END };

/* Stores the present values as those of the start, middle or end of the piece. */
static void store_guards(NsScheme *scheme, int place)
{
  PetscInt at = 0;

  for (NsEventGuard *guard; (guard = next_guard(scheme, &at));) guard->at[place] = (NsEventGuardLook){guard->value, guard->rate};
}

static void move(NsScheme *scheme, int from, int to)
{
  PetscInt at = 0;

  for (NsEventGuard *guard; (guard = next_guard(scheme, &at));) guard->at[to] = guard->at[from];
}

/* F at the start, middle or end of the piece. */
static PetscReal least_at(NsScheme *scheme, int place)
{
  PetscReal F  = PETSC_MAX_REAL;
  PetscInt  at = 0;

  for (NsEventGuard *guard; (guard = next_guard(scheme, &at));) F = PetscMin(F, (guard->at[place].value - guard->limit) / guard->tolerance);
  return F;
}

/* A gap between two instants `length` apart (s), as the cubic a[0] + a[1] x + a[2] x^2 + a[3] x^3, 0 <= x <= 1, of their values and rates. */
static void make_cubic(const NsEventGuardLook *from, const NsEventGuardLook *to, PetscReal length, PetscReal a[4])
{
  const PetscReal change = to->value - from->value;

  a[0] = from->value;
  a[1] = length * from->rate;
  a[2] = 3 * change - length * (2 * from->rate + to->rate);
  a[3] = length * (from->rate + to->rate) - 2 * change;
}

static PetscReal cubic_at(const PetscReal a[4], PetscReal x)
{
  return a[0] + x * (a[1] + x * (a[2] + x * a[3]));
}

/* Position of its minimum between the ends; 0: no minimum. */
static PetscReal cubic_least(const PetscReal a[4])
{
  const PetscReal square = a[2] * a[2] - 3 * a[1] * a[3], root = square > 0 ? PetscSqrtReal(square) : 0;
  const PetscReal x = square <= 0 ? 0 : a[2] > 0 ? -a[1] / (a[2] + root) : a[3] != 0 ? (root - a[2]) / (3 * a[3]) : 0;

  return x > 0 && x < 1 ? x : 0;
}

/*
  Whether a gap may be below its limit within the piece, and values and rates do not decide it. `off`: the error of the piece's cubic in the middle; elsewhere the error is about
  16 x^2 (1 - x)^2 of it, and four times that is allowed for. A gap that falls below its limit must have been above by more than that.
*/
static PetscBool is_rough(const NsEventGuard *guard, PetscReal length, PetscReal nothing)
{
  const NsEventGuardLook *at  = guard->at;
  PetscReal               top = 0, a[4], half[2][4];

  make_cubic(&at[START], &at[END], length, a);
  const PetscReal rate = a[1] + a[2] + 0.75 * a[3]; /* in the middle, times the length */
  const PetscReal off  = PetscMax(PetscAbsReal(at[MIDDLE].value - cubic_at(a, 0.5)), PetscAbsReal(length * at[MIDDLE].rate - rate) / 4);
  if (off <= NS_EVENT_HOP * guard->tolerance + nothing) return PETSC_FALSE;
  for (int k = 0; k < 2; k++) make_cubic(&at[k], &at[k + 1], length / 2, half[k]);
  for (int k = 0; k < 8; k++) {
    const int       side = k / 4;
    const PetscReal x = k / 8.0, value = cubic_at(half[side], 2 * x - side) - guard->limit;
    if (value < 0) return off > top / 8;
    if (k > 0 && value < 64 * off * PetscSqr(x * (1 - x)) && at[END].value >= guard->limit) return PETSC_TRUE;
    top = PetscMax(top, value);
  }
  return at[END].value < guard->limit && off > top / 8;
}

static PetscBool some_is_rough(NsScheme *scheme, PetscReal length)
{
  const PetscReal nothing = 1e-14 * scheme->model->length_scale;
  PetscInt        at      = 0;

  for (NsEventGuard *guard; (guard = next_guard(scheme, &at));) {
    if (guard->kind == NS_EVENT_GAP && is_rough(guard, length, nothing)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Position (0 to 1) of a guard's minimum in a half of the piece, if it may be below its limit there and has risen again; else 0. */
static PetscReal dip_of(const NsEventGuard *guard, int half, PetscReal length)
{
  const NsEventGuardLook *at = guard->at;
  PetscReal               a[4], x;

  if (guard->kind == NS_EVENT_GAP) {
    make_cubic(&at[half], &at[half + 1], length / 2, a);
    x = cubic_least(a);
    return x > 0 && cubic_at(a, x) < guard->limit ? x : 0;
  }
  /* without rates: a parabola through three values, with its depth doubled as a margin */
  const PetscReal slope = 4 * at[MIDDLE].value - 3 * at[START].value - at[END].value,
                  bend  = 2 * (at[START].value - 2 * at[MIDDLE].value + at[END].value);
  x                     = bend > 0 ? -slope / bend - half : 0;
  if (!(x > 0 && x < 1)) return 0;
  const PetscReal lowest = PetscMin(at[MIDDLE].value, PetscMin(at[START].value, at[END].value)),
                  bottom = at[START].value - slope * slope / (4 * bend);
  return 2 * bottom - lowest < guard->limit ? x : 0;
}

/* The first of these minima. */
static PetscReal dip(NsScheme *scheme, int half, PetscReal length)
{
  PetscReal first = 0;
  PetscInt  at    = 0;

  for (NsEventGuard *guard; (guard = next_guard(scheme, &at));) {
    const PetscReal x = guard->at[half + 1].value >= guard->limit ? dip_of(guard, half, length) : 0;
    if (x > 0 && (first == 0 || x < first)) first = x;
  }
  return first;
}

/* Searches a piece whose ends and middle are stored; found: F changes its sign between *low and *high. */
static PetscErrorCode scan_piece(NsScheme *scheme, const NsState *x, PetscReal h, PetscReal start, PetscReal end, PetscReal *low, PetscReal *high,
  PetscBool *found, NsStepOutcome *outcome)
{
  const PetscReal middle = (start + end) / 2;

  PetscFunctionBegin;
  for (int half = 0; half < 2 && !*found; half++) {
    const PetscReal part = dip(scheme, half, (end - start) * h);
    *low                 = half ? middle : start;
    if (part > 0) {
      *high = *low + part * (middle - start);
      PetscCall(look_within(scheme, x, *high, h, outcome));
      if (!outcome->done) PetscFunctionReturn(0);
      *found = least(scheme) < 0;
      if (*found) PetscFunctionReturn(0);
    }
    *high  = half ? end : middle;
    *found = least_at(scheme, half + 1) < 0;
  }
  PetscFunctionReturn(0);
}

/* Evaluates the guards at s and stores them as start, middle or end of the piece. */
static PetscErrorCode look_and_keep(NsScheme *scheme, const NsState *x, PetscReal s, PetscReal h, int place, NsStepOutcome *outcome)
{
  PetscFunctionBegin;
  if (!outcome->done) PetscFunctionReturn(0);
  PetscCall(look_within(scheme, x, s, h, outcome));
  store_guards(scheme, place);
  PetscFunctionReturn(0);
}

/* Searches the trial step piece by piece, in halves of a piece where gaps are rough; found: F changes its sign between *low and *high; else it does not up to *high. */
static PetscErrorCode scan(NsScheme *scheme, const NsState *x, PetscReal h, PetscReal *low, PetscReal *high, PetscBool *found, NsStepOutcome *outcome)
{
  const PetscReal longest = 1.0 / NS_EVENT_PIECES;
  PetscReal       start = 0, piece = longest;
  PetscBool       ends = PETSC_FALSE; /* the values stored for the end are those of this piece */

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(look_and_keep(scheme, x, 0, h, START, outcome));
  for (int pieces = 0; start < 1 && outcome->done && !*found && (pieces < NS_EVENT_MOST || start == 0); pieces++) {
    const PetscReal end     = start + piece < 1 - NS_EVENT_FINEST / 2 ? start + piece : 1;
    const PetscInt  actives = NsContactActive(scheme->contact, NULL);
    PetscCall(look_and_keep(scheme, x, (start + end) / 2, h, MIDDLE, outcome));
    if (!ends) PetscCall(look_and_keep(scheme, x, end, h, END, outcome));
    ends = PETSC_FALSE;
    if (!outcome->done) break;
    if (NsContactActive(scheme->contact, NULL) > actives) { /* candidates that became active within the step were not evaluated at the start */
      PetscCall(look_and_keep(scheme, x, start, h, START, outcome));
    } else if (end - start > NS_EVENT_FINEST && some_is_rough(scheme, (end - start) * h)) {
      piece = (end - start) / 2;
      move(scheme, MIDDLE, END);
      ends = PETSC_TRUE;
    } else {
      PetscCall(scan_piece(scheme, x, h, start, end, low, high, found, outcome));
      move(scheme, END, START);
      start = end;
      piece = PetscMin(2 * piece, longest);
    }
  }
  if (!*found) *high = start;
  PetscFunctionReturn(0);
}

#define NS_MOST_HALVINGS 60

/* Narrows the bracket by false position with halvings (Illinois) until it is as short as rounding, or F at its end is negligible. */
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

/* Trial of the step's length: F there, the trial before, and the longest length before and the shortest after the event (0: none yet). */
typedef struct {
  PetscReal h, F, last, F_last, early, late;
} Landing;

/* The next trial length: by secants; between early and late, with bisection after too many. Where F does not change, because of rounding, the trials extend farther each time. */
static PetscReal next_length(const Landing *l, PetscReal longest, PetscReal rounding, int tries)
{
  const PetscReal nearby = l->h * (l->F > 0 ? 1 + 1e-6 * pow(10, tries) : 1 - 1e-6);
  const PetscReal secant = tries == 0 || l->F == l->F_last ? nearby : l->h - (l->F + NS_EVENT_SHARP / 2) * (l->h - l->last) / (l->F - l->F_last);

  if (l->late == 0) return PetscMin(secant > l->h ? secant : nearby, longest);
  if (l->late - l->early <= rounding) return l->late;
  return tries < NS_MOST_LANDINGS && secant > l->early && secant < l->late ? secant : (l->early + l->late) / 2;
}

/*
  Repeats the step so that it ends at the event: by secants, because the dense output is less accurate than the step; where F jumps, by bisection, to the rounding of time. The end is slightly
  after the event, never before. An event that was detected once counts, also if a second evaluation at the same time does not detect it: forces need not be unique. Not found: the repeated
  step has no event up to its last length.
*/
static PetscErrorCode end_at_event(NsScheme *scheme, const NsState *x, PetscReal longest, PetscReal *h, PetscBool *found, NsStepOutcome *outcome)
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
    *found = l.F <= 0 || l.h == l.late;
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
  PetscReal low = 0, high = 1, longest = *h;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!scheme->model->candidates) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < 2 * scheme->model->candidates; k++) ((NsEventDriven *)scheme->data)->guard[k].kind = NS_EVENT_NONE;
  PetscCall(scan(scheme, x, *h, &low, &high, found, outcome));
  if (!outcome->done || (!*found && high >= 1)) PetscFunctionReturn(0);
  if (*found) PetscCall(narrow(scheme, x, *h, &low, &high, outcome));
  if (!outcome->done) PetscFunctionReturn(0);
  *h *= high;
  if (*found)
    PetscCall(end_at_event(scheme, x, longest, h, found, outcome));
  else
    PetscCall(NsDaeTryExactly(((NsEventDriven *)scheme->data)->dae, x, *h, &outcome->done));
  PetscFunctionReturn(0);
}
