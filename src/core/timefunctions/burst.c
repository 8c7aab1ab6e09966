/*
  (1 - cos(frequency s/cycles))/2 sin(frequency s), s = t - start, over `cycles` periods: the usual signal of ultrasonic tests. Its spectrum has the width 4/cycles of the frequency.
*/
#include "kind.h"

typedef struct {
  const NsNode *where;
  double        frequency, cycles, start; /* rad/s, -, s */
} Burst;

static const NsKey keys[] = {
  {"frequency", NS_KEY_NUMBER, offsetof(Burst, frequency), .dimension = NS_DIM_ANGULAR_VELOCITY, .required = true, .minimum = "0 <",
    .help = "angular frequency; Hz and rpm are converted to rad/s", .example = "20 kHz"},
  {"cycles", NS_KEY_NUMBER, offsetof(Burst, cycles), .required = true, .minimum = "1", .maximum = "1000000", .help = "number of periods",
    .example = "5"},
  {"start", NS_KEY_NUMBER, offsetof(Burst, start), .dimension = NS_DIM_TIME, .default_value = "0", .help = "time at which the burst begins",
    .example = "10 us"},
  {NULL},
};
const NsTable NsTimeTable_burst = {"burst", "periods of a sine in a smooth envelope, zero before and after", keys, sizeof(Burst)};

static void span(const void *settings, PetscReal *start, PetscReal *end)
{
  const Burst *self = settings;

  *start = self->start;
  *end   = self->start + 2 * PETSC_PI * self->cycles / self->frequency;
}

static PetscReal value(const void *settings, PetscReal t)
{
  const Burst    *self  = settings;
  const PetscReal angle = self->frequency * (t - self->start);

  return angle > 0 && angle < 2 * PETSC_PI * self->cycles ? (1 - PetscCosReal(angle / self->cycles)) / 2 * PetscSinReal(angle) : 0;
}

static PetscReal next(const void *settings, PetscReal t)
{
  PetscReal start, end;

  span(settings, &start, &end);
  return NsFirstAfter(t, start, end);
}

static PetscReal period(const void *settings, PetscReal t)
{
  PetscReal start, end;

  span(settings, &start, &end);
  return t >= start && t < end ? 2 * PETSC_PI / ((const Burst *)settings)->frequency : PETSC_MAX_REAL;
}

/* (1 - cos a)/2 sin b = sin(b)/2 - (sin(b + a) + sin(b - a))/4, a = b/cycles */
static PetscReal derivative(const void *settings, PetscReal t, int order)
{
  const Burst    *self = settings;
  const PetscReal s = t - self->start, w = self->frequency, side = w / self->cycles;

  if (!(s >= 0 && w * s < 2 * PETSC_PI * self->cycles)) return 0;
  return NsSineDerivative(w, 0, s, order) / 2 - (NsSineDerivative(w + side, 0, s, order) + NsSineDerivative(w - side, 0, s, order)) / 4;
}

const NsTimeKind NsTimeKind_burst = {value, next, period, span, derivative, PETSC_FALSE};
