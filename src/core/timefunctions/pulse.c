/* sin(pi (t - start)/duration) while that is positive the first time, 0 before and after. */
#include "kind.h"

typedef struct {
  const NsNode *where;
  double        start, duration; /* s */
} Pulse;

static const NsKey keys[] = {
  {"start", NS_KEY_NUMBER, offsetof(Pulse, start), .dimension = NS_DIM_TIME, .default_value = "0", .help = "time at which the pulse begins",
    .example = "10 us"},
  {"duration", NS_KEY_NUMBER, offsetof(Pulse, duration), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <",
    .help = "duration of the pulse", .example = "50 us"},
  {NULL},
};
const NsTable NsTimeTable_pulse = {"pulse", "half a sine wave, zero before and after", keys, sizeof(Pulse)};

static PetscReal value(const void *settings, PetscReal t)
{
  const Pulse    *self = settings;
  const PetscReal s    = (t - self->start) / self->duration;

  return s > 0 && s < 1 ? PetscSinReal(PETSC_PI * s) : 0.0;
}

static PetscReal next(const void *settings, PetscReal t)
{
  const Pulse *self = settings;

  return NsFirstAfter(t, self->start, self->start + self->duration);
}

static PetscReal period(const void *settings, PetscReal t)
{
  const Pulse *self = settings;

  return t >= self->start && t < self->start + self->duration ? 2 * self->duration : PETSC_MAX_REAL;
}

static void span(const void *settings, PetscReal *start, PetscReal *end)
{
  const Pulse *self = settings;

  *start = self->start;
  *end   = self->start + self->duration;
}

static PetscReal derivative(const void *settings, PetscReal t, int order)
{
  const Pulse    *self = settings;
  const PetscReal s    = t - self->start;

  return s >= 0 && s < self->duration ? NsSineDerivative(PETSC_PI / self->duration, 0, s, order) : 0;
}

const NsTimeKind NsTimeKind_pulse = {value, next, period, span, derivative, PETSC_FALSE};
