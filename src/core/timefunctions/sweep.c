/*
  sin(phi(s) + phase), s = t - start in [0, T], T the duration; with the angular frequency d phi/ds

      linear        w0 + (w1 - w0) s/T                  phi = w0 s + (w1 - w0) s^2/(2 T)
      logarithmic   w0 (w1/w0)^(s/T)                    phi = w0 T/ln(w1/w0) ((w1/w0)^(s/T) - 1)
*/
#include <math.h>
#include "kind.h"

enum { LINEAR, LOGARITHMIC };

typedef struct {
  const NsNode *where;
  double        from, to;        /* rad/s */
  double        start, duration; /* s */
  double        phase;           /* rad */
  int           spacing;
} Sweep;

static const char *const spacings[] = {"linear", "logarithmic", NULL};

static const NsKey keys[] = {
  {"from", NS_KEY_NUMBER, offsetof(Sweep, from), .dimension = NS_DIM_ANGULAR_VELOCITY, .required = true, .minimum = "0 <",
    .help = "angular frequency at the start; Hz and rpm are converted to rad/s", .example = "10 Hz"},
  {"to", NS_KEY_NUMBER, offsetof(Sweep, to), .dimension = NS_DIM_ANGULAR_VELOCITY, .required = true, .minimum = "0 <",
    .help = "angular frequency at the end, higher or lower", .example = "200 Hz"},
  {"duration", NS_KEY_NUMBER, offsetof(Sweep, duration), .dimension = NS_DIM_TIME, .required = true, .minimum = "0 <",
    .help = "time from the first to the last frequency", .example = "2 s"},
  {"start", NS_KEY_NUMBER, offsetof(Sweep, start), .dimension = NS_DIM_TIME, .default_value = "0", .help = "time at which the sweep begins",
    .example = "0.1 s"},
  {"spacing", NS_KEY_CHOICE, offsetof(Sweep, spacing), .choices = spacings, .default_value = "linear",
    .help = "linear: the frequency changes by the same amount in equal times; logarithmic: by the same factor", .example = "logarithmic"},
  {"phase", NS_KEY_NUMBER, offsetof(Sweep, phase), .dimension = NS_DIM_ANGLE, .default_value = "0", .help = "phase at the start",
    .example = "90 deg"},
  {NULL},
};
const NsTable NsTimeTable_sweep = {"sweep", "sine whose frequency changes from one value to another, zero before and after", keys, sizeof(Sweep)};

/* phi(s) + phase, its rate and the change of its rate; false before and after the sweep. */
static PetscBool angle(const Sweep *self, PetscReal t, PetscReal *phi, PetscReal *rate, PetscReal *change)
{
  const PetscReal s = t - self->start, T = self->duration, rise = PetscLogReal(self->to / self->from);

  if (s < 0 || s >= T) return PETSC_FALSE;
  if (self->spacing == LINEAR || PetscAbsReal(rise) < 1e-9) {
    *phi    = s * (self->from + (self->to - self->from) * s / (2 * T)) + self->phase;
    *rate   = self->from + (self->to - self->from) * s / T;
    *change = (self->to - self->from) / T;
  } else {
    *phi    = self->from * T / rise * expm1(rise * s / T) + self->phase;
    *rate   = self->from * PetscExpReal(rise * s / T);
    *change = *rate * rise / T;
  }
  return PETSC_TRUE;
}

static PetscReal value(const void *settings, PetscReal t)
{
  PetscReal phi, rate, change;

  return angle(settings, t, &phi, &rate, &change) ? PetscSinReal(phi) : 0;
}

static PetscReal derivative(const void *settings, PetscReal t, int order)
{
  PetscReal phi, rate, change;

  return angle(settings, t, &phi, &rate, &change) ? NsSineOf(phi, rate, change, order) : 0;
}

static PetscReal next(const void *settings, PetscReal t)
{
  const Sweep *self = settings;

  return NsFirstAfter(t, self->start, self->start + self->duration);
}

static PetscReal period(const void *settings, PetscReal t)
{
  const Sweep    *self = settings;
  const PetscReal s    = (t - self->start) / self->duration;

  if (s < 0 || s >= 1) return PETSC_MAX_REAL;
  const PetscReal now = self->spacing == LINEAR ? self->from + s * (self->to - self->from) : self->from * PetscPowReal(self->to / self->from, s);
  return 2 * PETSC_PI / PetscMax(now, self->to);
}

const NsTimeKind NsTimeKind_sweep = {value, next, period, NULL, derivative, PETSC_FALSE};
