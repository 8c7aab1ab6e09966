/*
  Coefficients of bearings over the speed of the rotor, by formulas: a file each in src/fe/forces/coefficients, and a line in list.h.

  The force on the journal is linear in its displacement and velocity, F = -K(Omega) r - C(Omega) r' - m r'', with r over axes 2 and 3.

  To add one: its settings with a key table NsCoefficientsTable_Name, an NsCoefficients_Name, a line in list.h. tests/conformance/test_forces.c checks force, tangents and bounds of every
  registered one.
*/
#pragma once
#include "fe/forces/force.h"

typedef struct {
  size_t size; /* bytes of its data */
  /* From the settings into data (zero at first). highest: the largest speed that is known beforehand, rad/s. False after an error in diag. */
  PetscBool (*create)(const void *settings, PetscReal highest, NsDiag *diag, void *data);
  /* k22, k23, k32, k33, c22, c23, c32, c33 at a speed (rad/s) of either sign. */
  void (*at)(const void *data, PetscReal spin, PetscReal value[8]);
  /* m: how far the journal can move in the clearance that the key `clearance` gives. NULL: there is none. */
  PetscReal (*room)(const void *data);
  /* The added mass m (kg) at the highest speed, because the mass matrix is constant. NULL: none. */
  PetscReal (*mass)(const void *data);
} NsCoefficients;

#define NS_COEFFICIENTS(Name, key, help, example) NS_COEFFICIENTS_##Name,
enum {
#include "list.h"
  NS_COEFFICIENTS_COUNT
};
#undef NS_COEFFICIENTS
#define NS_COEFFICIENTS(Name, key, help, example) \
  extern const NsTable        NsCoefficientsTable_##Name; \
  extern const NsCoefficients NsCoefficients_##Name;
#include "list.h"
#undef NS_COEFFICIENTS
