/*
  Restitution that falls with a power of the approach speed:  e = min(1, e_0 (v/v_0)^-n);  n = 1/4 where the bodies yield (K. L. Johnson, Contact Mechanics, 11.5).
*/
#include <math.h>
#include "law.h"

typedef struct {
  const NsNode *where;
  double        coefficient, velocity, exponent;
} Settings;

static const NsKey keys[] = {
  {"coefficient", NS_KEY_NUMBER, offsetof(Settings, coefficient), .required = true, .minimum = "0", .maximum = "1",
    .help = "coefficient of restitution at `velocity`", .example = "0.6"},
  {"velocity", NS_KEY_NUMBER, offsetof(Settings, velocity), .dimension = NS_DIM_VELOCITY, .required = true, .minimum = "0 <",
    .help = "approach speed at which it is measured", .example = "1 m/s"},
  {"exponent", NS_KEY_NUMBER, offsetof(Settings, exponent), .default_value = "0.25", .minimum = "0 <", .maximum = "2",
    .help = "the coefficient falls with this power of the approach speed, and is never above 1", .example = "0.25"},
  {NULL},
};

static PetscReal coefficient(const void *settings, PetscReal speed)
{
  const Settings *s = settings;

  if (s->coefficient == 0) return 0;
  return speed > 0 ? PetscMin(1, s->coefficient * pow(speed / s->velocity, -s->exponent)) : 1;
}

const NsTable NsContactLawTable_RestitutionPower = {"restitution_power", "restitution that falls with the approach speed", keys, sizeof(Settings)};

const NsRestitutionLaw NsContactLaw_RestitutionPower = {.coefficient = coefficient};
