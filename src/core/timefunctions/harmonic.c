/* sin(frequency t + phase). */
#include "kind.h"

typedef struct {
  const NsNode *where;
  double        frequency; /* rad/s */
  double        phase;     /* rad */
} Harmonic;

static const NsKey keys[] = {
  {"frequency", NS_KEY_NUMBER, offsetof(Harmonic, frequency), .dimension = NS_DIM_ANGULAR_VELOCITY, .required = true, .minimum = "0 <",
    .help = "angular frequency; Hz and rpm are converted to rad/s", .example = "50 Hz"},
  {"phase", NS_KEY_NUMBER, offsetof(Harmonic, phase), .dimension = NS_DIM_ANGLE, .default_value = "0", .help = "factor is sin(frequency t + phase)",
    .example = "90 deg"},
  {NULL},
};
const NsTable NsTimeTable_harmonic = {"harmonic", "factor sin(frequency t + phase)", keys, sizeof(Harmonic)};

static PetscReal value(const void *settings, PetscReal t)
{
  const Harmonic *self = settings;

  return PetscSinReal(self->frequency * t + self->phase);
}

static PetscReal period(const void *settings, PetscReal t)
{
  (void)t;
  return 2 * PETSC_PI / ((const Harmonic *)settings)->frequency;
}

static PetscReal derivative(const void *settings, PetscReal t, int order)
{
  const Harmonic *self = settings;

  return NsSineDerivative(self->frequency, self->phase, t, order);
}

const NsTimeKind NsTimeKind_harmonic = {value, NULL, period, NULL, derivative, PETSC_TRUE};
