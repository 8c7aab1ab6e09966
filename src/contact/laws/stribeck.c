/*
  Stribeck's law:  mu = mu_k + (mu_s - mu_k) exp(-(v/v_s)^n) + c v.

  B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit: A survey of models, analysis tools and compensation methods for the control of machines with friction,
  Automatica 30 (1994), section 2.
*/
#include <math.h>
#include "law.h"

typedef struct {
  const NsNode *where;
  double        at_rest, sliding, velocity, exponent, viscous;
} Settings;

static const NsKey keys[] = {
  {"static", NS_KEY_NUMBER, offsetof(Settings, at_rest), .required = true, .minimum = "0 <", .help = "coefficient at rest", .example = "0.4"},
  {"kinetic", NS_KEY_NUMBER, offsetof(Settings, sliding), .required = true, .minimum = "0",
    .help = "coefficient at high speed without the viscous part, not larger", .example = "0.25"},
  {"velocity", NS_KEY_NUMBER, offsetof(Settings, velocity), .dimension = NS_DIM_VELOCITY, .required = true, .minimum = "0 <",
    .help = "sliding speed v_s over which the coefficient falls: exp(-(v/v_s)^exponent)", .example = "0.1 m/s"},
  {"exponent", NS_KEY_NUMBER, offsetof(Settings, exponent), .default_value = "1", .minimum = "1", .maximum = "10",
    .help = "1: exponential; 2: Gaussian", .example = "2"},
  {"viscous", NS_KEY_NUMBER, offsetof(Settings, viscous), .dimension = {-1, 0, 1, 0}, .default_value = "0", .minimum = "0",
    .help = "rise of the coefficient per sliding speed", .example = "0.02 s/m"},
  {NULL},
};

static void check(const void *settings, NsArena *arena, NsDiag *diag)
{
  const Settings *given = settings;

  (void)arena;
  NsFrictionCheckKinetic(given->where, given->at_rest, given->sliding, diag);
}

static PetscReal coefficient(const void *settings, PetscReal speed)
{
  const Settings *s = settings;

  return s->sliding + (s->at_rest - s->sliding) * exp(-pow(speed / s->velocity, s->exponent)) + s->viscous * speed;
}

/* n x^(n-1) exp(-x^n) is largest where x^n = (n - 1)/n. */
static PetscReal fall(const void *settings)
{
  const Settings *s = settings;
  const PetscReal n = s->exponent, y = (n - 1) / n;

  return PetscMax(0, (s->at_rest - s->sliding) / s->velocity * n * (n > 1 ? pow(y, y) * exp(-y) : 1) - s->viscous);
}

const NsTable NsContactLawTable_Stribeck = {"stribeck", "friction that falls over the sliding speed", keys, sizeof(Settings), .check = check};

const NsFrictionLaw NsContactLaw_Stribeck = {.coefficient = coefficient, .fall = fall};
