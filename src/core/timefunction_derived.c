/*
  Derivatives and integrals of time functions (timefunction.h).

  Integrals without closed form: the time is cut at jumps and kinks and into eighths of a period; over such a piece from a, Gauss's rule of 5 points has

      I1(t) = I1(a) + int_a^t f(s) ds,      I2(t) = I2(a) + (t - a) I1(a) + int_a^t (t - s) f(s) ds

  exactly for tables and steps, to rounding for sines.
*/
#include "timefunction.h"

#define NS_MOST_PIECES 10000000

struct NsTimeIntegrals {
  PetscInt   count, room;
  PetscReal *start, *first, *second; /* [count] beginning of a piece, and both integrals there */
};

/* int_a^t (t - s)^(order - 1) f(s) ds for order 1 and 2. */
static void add_piece(const NsTimeFunction *f, PetscReal a, PetscReal t, PetscReal sum[2])
{
  static const PetscReal point[5]  = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
  static const PetscReal weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const PetscReal        half = (t - a) / 2, middle = a + half;
  PetscReal              one = 0, two = 0;

  for (int i = 0; i < 5; i++) {
    const PetscReal s = middle + half * point[i], value = half * weight[i] * NsTimeFunctionValue(f, s);
    one += value;
    two += (t - s) * value;
  }
  sum[1] += (t - a) * sum[0] + two;
  sum[0] += one;
}

/* The end of the smooth piece from a. */
static PetscReal piece_end(const NsTimeFunction *f, PetscReal a)
{
  return PetscMin(NsTimeFunctionNext(f, a), a + NsTimeFunctionPeriod(f, a) / 8);
}

static PetscReal integral(const NsTimeFunction *derived, PetscReal t)
{
  const NsTimeIntegrals *known = derived->integrals;
  PetscInt               low = 0, high;
  PetscReal              value;

  if (NsTimeFunctionIntegral(derived->of, t, derived->order, &value)) return value;
  high = known->count;
  while (high - low > 1) {
    const PetscInt middle = (low + high) / 2;
    if (known->start[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  PetscReal sum[2] = {known->first[low], known->second[low]}, a = known->start[low];
  for (PetscReal end = piece_end(derived->of, a); end < t; a = end, end = piece_end(derived->of, a)) add_piece(derived->of, a, end, sum);
  if (t > a) add_piece(derived->of, a, t, sum);
  return sum[-1 - derived->order];
}

PetscReal NsTimeFunctionDerivedValue(const NsTimeFunction *derived, PetscReal t)
{
  const int order = derived->order;

  if (!derived->of) return order == 0 ? 1 : order > 0 ? 0 : order == -1 ? t : t * t / 2;
  if (order == 0) return NsTimeFunctionValue(derived->of, t);
  return order > 0 ? NsTimeFunctionSlope(derived->of, t, order) : integral(derived, t);
}

static void grow(NsTimeIntegrals *self, NsArena *arena)
{
  PetscReal **list[3] = {&self->start, &self->first, &self->second};

  if (self->count < self->room) return;
  self->room = PetscMax(64, 2 * self->room);
  for (int k = 0; k < 3; k++) {
    PetscReal *more = NsArenaAlloc(arena, sizeof(*more) * (size_t)self->room);
    if (self->count) (void)PetscMemcpy(more, *list[k], sizeof(*more) * (size_t)self->count);
    *list[k] = more;
  }
}

PetscBool NsTimeFunctionDerive(const NsTimeFunction *of, int order, PetscReal end, NsArena *arena, NsTimeFunction *derived)
{
  PetscReal sum[2] = {0, 0}, a = 0, ignored;

  *derived = (NsTimeFunction){.of = of, .derived = PETSC_TRUE, .order = order};
  if (!of || order >= 0 || NsTimeFunctionIntegral(of, 0, order, &ignored)) return PETSC_TRUE;
  NsTimeIntegrals *self = derived->integrals = NsArenaAlloc(arena, sizeof(*self));
  *self                                      = (NsTimeIntegrals){0};
  for (;;) {
    const PetscReal next = piece_end(of, a);
    if (self->count == NS_MOST_PIECES) return PETSC_FALSE;
    grow(self, arena);
    self->start[self->count]    = a;
    self->first[self->count]    = sum[0];
    self->second[self->count++] = sum[1];
    if (!(next < end) || !(next > a)) return PETSC_TRUE;
    add_piece(of, a, next, sum);
    a = next;
  }
}

/* The smooth change over the short time before t is far below what counts as a jump. */
PetscReal NsTimeFunctionJump(const NsTimeFunction *function, PetscReal t)
{
  const PetscReal before = t - 1e-12 * PetscMax(PetscAbsReal(t), PetscMin(1, NsTimeFunctionPeriod(function, t)));

  return NsTimeFunctionValue(function, t) - NsTimeFunctionValue(function, before);
}
