#include <stdlib.h>
#include <string.h>
#include "campbell.h"

typedef struct {
  PetscReal speed;
  NsModes   modes;
  NsWhirl  *whirl;
  PetscInt *line; /* of each mode */
} Sample;

static PetscErrorCode model_operators(void *context, PetscReal speed, Mat *M, Mat *C, Mat *K)
{
  PetscFunctionBegin;
  PetscCall(NsFeOperators(context, speed, M, C, K));
  PetscFunctionReturn(0);
}

static PetscErrorCode model_whirl(void *context, NsModes *modes, NsWhirl *whirl)
{
  PetscFunctionBegin;
  PetscCall(NsModelWhirl(context, 1, modes, whirl));
  PetscFunctionReturn(0);
}

NsSpinning NsSpinningModel(NsModel *model)
{
  return (NsSpinning){model, model_operators, model_whirl};
}

/* A few modes more than wanted: some frequencies decrease with the speed. */
static PetscErrorCode sample(const NsSpinning *spinning, PetscReal speed, PetscInt count, Sample *s)
{
  Mat M, C, K;

  PetscFunctionBegin;
  s->speed = speed;
  PetscCall(spinning->operators(spinning->context, speed, &M, &C, &K));
  PetscCall(NsModesSolve(M, C, K, count + 4, NS_MODES_AUTO, &s->modes));
  PetscCall(MatDestroy(&M));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&K));
  PetscCall(PetscCalloc2((size_t)s->modes.count + 1, &s->whirl, (size_t)s->modes.count + 1, &s->line));
  if (spinning->whirl) PetscCall(spinning->whirl(spinning->context, &s->modes, s->whirl));
  PetscFunctionReturn(0);
}

static PetscErrorCode release(Sample *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(s->whirl, s->line));
  PetscCall(NsModesDestroy(&s->modes));
  memset(s, 0, sizeof(*s));
  PetscFunctionReturn(0);
}

/* Measure of how different two modes are; (re, im): extrapolated eigenvalue of the first. */
static PetscReal distance(const NsModes *a, PetscInt i, PetscReal re, PetscReal im, const NsModes *b, PetscInt j)
{
  const NsMode   *p = &a->mode[i], *q = &b->mode[j];
  const PetscReal size = hypot(re, im) + q->omega;

  if ((p->kind == NS_MODE_RIGID) != (q->kind == NS_MODE_RIGID)) return PETSC_MAX_REAL;
  return 1 - NsModesLikeness(a, i, b, j) + (size > 0 ? hypot(re - q->re, im - q->im) / size : 0);
}

static NsCampbellPoint *point_of(const NsCampbell *campbell, PetscInt speed, PetscInt line)
{
  return &campbell->point[speed * campbell->capacity + line];
}

static void set_point(NsCampbell *campbell, PetscInt speed, const Sample *s, PetscInt mode)
{
  const NsMode *m = &s->modes.mode[mode];

  *point_of(campbell, speed, s->line[mode]) =
    (NsCampbellPoint){PETSC_TRUE, m->unstable, m->re, m->im, m->damping_ratio, m->kind, s->whirl[mode].sense, s->whirl[mode].kappa};
}

/* Joins the modes of sample k to the lines of sample k - 1; those without a line begin a new one, up to the capacity. */
static PetscErrorCode join(NsCampbell *campbell, PetscInt k, const Sample *old, Sample *new)
{
  PetscBool *taken;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(old->modes.count + 1, &taken));
  for (PetscInt j = 0; j < new->modes.count; j++) new->line[j] = -1;
  for (;;) {
    PetscInt  best[2] = {-1, -1};
    PetscReal least   = 1;
    for (PetscInt i = 0; i < old->modes.count; i++) {
      if (taken[i] || old->line[i] < 0) continue;
      const NsCampbellPoint *before = k > 1 ? point_of(campbell, k - 2, old->line[i]) : NULL;
      PetscReal              re = old->modes.mode[i].re, im = old->modes.mode[i].im;
      if (before && before->there) { /* equal steps of speed */
        re += re - before->re;
        im = PetscMax(0, 2 * im - before->im);
      }
      for (PetscInt j = 0; j < new->modes.count; j++) {
        const PetscReal d = new->line[j] < 0 ? distance(&old->modes, i, re, im, &new->modes, j) : PETSC_MAX_REAL;
        if (d < least) {
          least   = d;
          best[0] = i;
          best[1] = j;
        }
      }
    }
    if (best[0] < 0) break;
    taken[best[0]]     = PETSC_TRUE;
    new->line[best[1]] = old->line[best[0]];
  }
  for (PetscInt j = 0; j < new->modes.count; j++) {
    if (new->line[j] < 0 && campbell->lines < campbell->capacity) new->line[j] = campbell->lines++;
    if (new->line[j] >= 0) set_point(campbell, k, new, j);
  }
  PetscCall(PetscFree(taken));
  PetscFunctionReturn(0);
}

/* Kinds of events; residual() is zero there. */
typedef enum { CROSSING, ONSET, ONSET_UNDAMPED } Event;

static PetscReal residual(const NsMode *mode, PetscReal speed, Event kind)
{
  if (kind == CROSSING) return mode->im - speed;
  if (kind == ONSET) return mode->re;
  return mode->unstable ? mode->re : -PetscAbsReal(mode->re) - 1e-300; /* below the onset the sign of re is rounding */
}

/*
  The speed between a and b at which residual() of a mode vanishes: regula falsi with the Illinois modification, which keeps the bracket; every third step is a
  bisection, because re grows like a square root where modes couple. At each speed the mode is the one most similar to that of the nearer end of the bracket.
*/
static PetscErrorCode refine(
  const NsSpinning *spinning, PetscInt count, const Sample *a, PetscInt i, const Sample *b, PetscInt j, Event kind, NsCampbellEvent *event)
{
  PetscReal low = a->speed, high = b->speed, f_low = residual(&a->modes.mode[i], low, kind), f_high = residual(&b->modes.mode[j], high, kind);

  PetscFunctionBegin;
  for (PetscInt iteration = 0; iteration < 80; iteration++) {
    const PetscReal speed  = iteration % 3 == 2 ? (low + high) / 2 : (low * f_high - high * f_low) / (f_high - f_low);
    const PetscBool near_a = speed - a->speed < b->speed - speed;
    const Sample   *end    = near_a ? a : b;
    const PetscInt  own    = near_a ? i : j;
    Sample          s      = {0};
    PetscInt        best   = 0;
    PetscReal       least  = PETSC_MAX_REAL, f;
    PetscCall(sample(spinning, speed, count, &s));
    const PetscReal part = (speed - a->speed) / (b->speed - a->speed);
    const PetscReal re   = (1 - part) * a->modes.mode[i].re + part * b->modes.mode[j].re,
                    im   = (1 - part) * a->modes.mode[i].im + part * b->modes.mode[j].im;
    for (PetscInt k = 0; k < s.modes.count; k++) {
      const PetscReal d = distance(&end->modes, own, re, im, &s.modes, k);
      if (d < least) {
        least = d;
        best  = k;
      }
    }
    const NsMode *mode   = &s.modes.mode[best];
    f                    = residual(mode, speed, kind);
    event->speed         = speed;
    event->frequency     = mode->im;
    event->damping_ratio = mode->damping_ratio;
    event->sense         = s.whirl[best].sense;
    event->kappa         = s.whirl[best].kappa;
    PetscCall(release(&s));
    if (f == 0 || PetscAbsReal(high - low) < 1e-8 * PetscAbsReal(high) || (kind == CROSSING && PetscAbsReal(f) < 1e-9 * speed)) break;
    if ((f > 0) == (f_high > 0)) {
      high   = speed;
      f_high = f;
      f_low /= 2;
    } else {
      low   = speed;
      f_low = f;
      f_high /= 2;
    }
  }
  event->onset = kind != CROSSING;
  PetscFunctionReturn(0);
}

static void add_event(NsCampbell *campbell, PetscInt *capacity, NsArena *arena, const NsCampbellEvent *event)
{
  if (campbell->events == *capacity) {
    NsCampbellEvent *more = NsArenaAlloc(arena, sizeof(*more) * (size_t)(2 * *capacity + 16));
    if (campbell->events) memcpy(more, campbell->event, sizeof(*more) * (size_t)campbell->events);
    campbell->event = more;
    *capacity       = 2 * *capacity + 16;
  }
  campbell->event[campbell->events++] = *event;
}

/* Events of all lines between two samples. */
static PetscErrorCode find_events(
  const NsSpinning *spinning, PetscInt count, const Sample *a, const Sample *b, NsCampbell *campbell, PetscInt *capacity, NsArena *arena)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->modes.count; i++) {
    const NsMode *p = &a->modes.mode[i];
    for (PetscInt j = 0; j < b->modes.count; j++) {
      const NsMode   *q     = &b->modes.mode[j];
      NsCampbellEvent event = {.line = a->line[i]};
      if (a->line[i] < 0 || b->line[j] != a->line[i]) continue;
      if (p->kind == NS_MODE_VIBRATION && q->kind == NS_MODE_VIBRATION && (p->im > a->speed) != (q->im > b->speed)) {
        PetscCall(refine(spinning, count, a, i, b, j, CROSSING, &event));
        add_event(campbell, capacity, arena, &event);
      }
      if (q->unstable && !p->unstable) {
        PetscCall(refine(spinning, count, a, i, b, j, p->re < -1e-8 * p->omega ? ONSET : ONSET_UNDAMPED, &event));
        add_event(campbell, capacity, arena, &event);
      }
    }
  }
  PetscFunctionReturn(0);
}

static int by_speed(const void *a, const void *b)
{
  const NsCampbellEvent *p = a, *q = b;

  return (p->speed > q->speed) - (p->speed < q->speed);
}

/* Drops the lines that are at no speed among the `count` lowest. */
static void keep_lines(NsCampbell *campbell, PetscInt count)
{
  PetscInt kept = 0;

  for (PetscInt line = 0; line < campbell->lines; line++) {
    PetscBool wanted = PETSC_FALSE;
    for (PetscInt k = 0; k < campbell->speeds && !wanted; k++) {
      const NsCampbellPoint *own   = point_of(campbell, k, line);
      PetscInt               below = 0;
      for (PetscInt other = 0; other < campbell->lines; other++) {
        const NsCampbellPoint *p = point_of(campbell, k, other);
        below += p->there && hypot(p->re, p->im) < hypot(own->re, own->im);
      }
      wanted = own->there && below < count;
    }
    if (!wanted) {
      for (PetscInt e = 0; e < campbell->events; e++) {
        if (campbell->event[e].line == line) campbell->event[e].line = -1;
      }
      continue;
    }
    for (PetscInt k = 0; k < campbell->speeds; k++) *point_of(campbell, k, kept) = *point_of(campbell, k, line);
    for (PetscInt e = 0; e < campbell->events; e++) {
      if (campbell->event[e].line == line) campbell->event[e].line = kept;
    }
    kept++;
  }
  campbell->lines = kept;
  PetscInt events = 0;
  for (PetscInt e = 0; e < campbell->events; e++) {
    if (campbell->event[e].line >= 0) campbell->event[events++] = campbell->event[e];
  }
  campbell->events = events;
}

PetscErrorCode NsCampbellCompute(
  const NsSpinning *spinning, PetscReal from, PetscReal to, PetscInt speeds, PetscInt count, NsArena *arena, NsCampbell *campbell)
{
  Sample   old = {0}, new = {0};
  PetscInt event_capacity = 0;

  PetscFunctionBegin;
  memset(campbell, 0, sizeof(*campbell));
  campbell->speeds = speeds;
  campbell->capacity =
    4 * (count + 4); /* lines appear and disappear at the upper end of the computed modes; those beyond the capacity are of no interest */
  campbell->speed = NsArenaAlloc(arena, sizeof(*campbell->speed) * (size_t)speeds);
  campbell->point = NsArenaAlloc(arena, sizeof(*campbell->point) * (size_t)speeds * (size_t)campbell->capacity);
  for (PetscInt k = 0; k < speeds; k++) {
    campbell->speed[k] = speeds > 1 ? from + (to - from) * (PetscReal)k / (PetscReal)(speeds - 1) : from;
    PetscCall(sample(spinning, campbell->speed[k], count, &new));
    PetscCall(join(campbell, k, &old, &new));
    if (k) PetscCall(find_events(spinning, count, &old, &new, campbell, &event_capacity, arena));
    PetscCall(release(&old));
    old = new;
    memset(&new, 0, sizeof(new));
  }
  PetscCall(release(&old));
  keep_lines(campbell, count);
  if (campbell->events) qsort(campbell->event, (size_t)campbell->events, sizeof(*campbell->event), by_speed);
  PetscFunctionReturn(0);
}
