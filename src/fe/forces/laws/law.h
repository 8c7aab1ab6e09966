/*
  Laws of nonlinear springs and bearings: a file each in src/fe/forces/laws, and a line in list.h.

  A law gives the force on the second of two points over the components of their relative motion: the elongation of a spring (1 component), or the lateral displacements of a
  journal in its bearing along axes 2 and 3 (2 components; the first point is the bearing, the second the journal).

  To add one: its settings with a key table, an NsForceLaw, a line in list.h. tests/conformance/test_forces.c checks slopes, energies and bounds of every registered law.
*/
#pragma once
#include "fe/forces/force.h"

struct NsForceLaw {
  size_t size; /* bytes of its data */
  /* From the settings into data (zero at first). highest: the largest spin of the rotor that is known beforehand, rad/s. False after an error in diag. */
  PetscBool (*create)(const void *settings, PetscReal highest, NsDiag *diag, void *data);
  /* spring[c] is not dissipative, damper[c] is: they add up. */
  void (*force)(const void *data, const NsForceMotion *, PetscReal *spring, PetscReal *damper);
  /* -dF/dr and -dF/dr', [n, n] row-major; at a kink those of one side. */
  void (*slopes)(const void *data, const NsForceMotion *, PetscReal *stiffness, PetscReal *damping);
  /* Potential energy of the springs, J; NULL: no potential; their work is booked as that of loads. */
  PetscReal (*stored)(const void *data, const NsForceMotion *);
  /* Power (W) that changes the potential energy beside r': of rolling elements that move with the cage. NULL: zero. */
  PetscReal (*driven)(const void *data, const NsForceMotion *);
  /* Bounds of the slopes, as the critical time step counts them: symmetric matrices that are nowhere below them within what the settings call the largest motion. */
  void (*steepest)(const void *data, PetscReal *stiffness, PetscReal *damping);
  /* The motion over the largest that the setting `ends_with` names; above 1 a run warns. NULL: there is none. */
  PetscReal (*used)(const void *data, const NsForceMotion *);
  const char *ends_with;
  PetscBool   extrapolates; /* the law itself is a guess there; else only the critical time step is, which some schemes have not */
};

/* What a list of laws in the settings is: one of them is given, or none. */
#define NS_SPRING_LAW(Name, key, help, example) NS_SPRING_LAW_##Name,
#define NS_BEARING_LAW(Name, key, help, example)
enum {
#include "list.h"
  NS_SPRING_LAWS
};
#undef NS_SPRING_LAW
#undef NS_BEARING_LAW
#define NS_SPRING_LAW(Name, key, help, example)
#define NS_BEARING_LAW(Name, key, help, example) NS_BEARING_LAW_##Name,
enum {
#include "list.h"
  NS_BEARING_LAWS
};
#undef NS_SPRING_LAW
#undef NS_BEARING_LAW
#define NS_SPRING_LAW(Name, key, help, example) \
  extern const NsTable    NsForceLawTable_##Name; \
  extern const NsForceLaw NsForceLaw_##Name;
#define NS_BEARING_LAW NS_SPRING_LAW
#include "list.h"
#undef NS_SPRING_LAW
#undef NS_BEARING_LAW

extern const NsForceLaw *const NsSpringLaws[], *const NsBearingLaws[];
/* The law whose settings[count] are there; at most one is. False after an error in diag. */
PetscBool NsForceLawCreate(
  const NsForceLaw *const *laws, const void *const *settings, int count, PetscReal highest, NsArena *arena, NsDiag *diag, NsForceLawUse *use);

/* How laws explain the key that bounds the stiffness where the law itself has no bound. */
#define NS_TRAVEL_HELP "largest elongation that the critical time step of explicit schemes is computed for"

static inline void NsForceLawZero(PetscInt n, PetscReal *x)
{
  for (PetscInt i = 0; i < n; i++) x[i] = 0;
}
