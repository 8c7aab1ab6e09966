/*
  Damper that turns with the rotor: its force is opposite to the velocity that an observer on the rotor sees,

      F = -c (r' - Omega J r),   J r = (-r3, r2):     k23 = c Omega = -k32,  c22 = c33 = c

  A rotor with an external damper c_n in parallel whirls above w_n (1 + c_n/c) (A. Tondl, Some problems of rotor dynamics, 1965).
*/
#include "coefficients.h"

typedef struct {
  const NsNode *where;
  double        damping;
} Settings;

static const NsKey keys[] = {
  {"damping", NS_KEY_NUMBER, offsetof(Settings, damping), .dimension = NS_DIM_DASHPOT, .required = true, .minimum = "0 <",
    .help = "force per velocity relative to axes that turn with the rotor", .example = "100 N s/m"},
  {NULL},
};
const NsTable NsCoefficientsTable_RotatingDamping = {"rotating_damping", "damper that turns with the rotor", keys, sizeof(Settings)};

static PetscBool create(const void *settings, PetscReal highest, NsDiag *diag, void *data)
{
  (void)highest;
  (void)diag;
  *(PetscReal *)data = ((const Settings *)settings)->damping;
  return PETSC_TRUE;
}

static void at(const void *data, PetscReal spin, PetscReal value[8])
{
  const PetscReal c = *(const PetscReal *)data;

  for (int i = 0; i < 8; i++) value[i] = i == 4 || i == 7 ? c : 0;
  value[1] = c * spin;
  value[2] = -c * spin;
}

const NsCoefficients NsCoefficients_RotatingDamping = {.size = sizeof(PetscReal), .create = create, .at = at};
