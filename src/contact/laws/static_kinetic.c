/*
  Static and kinetic friction:  |P_T| <= mu_s P_N while the contact sticks,  P_T = -mu_k P_N u_T/|u_T| while it slides.

  Between the two there are two solutions; the contact keeps the state that it had at the end of the last step as long as this is one of them.
*/
#include "law.h"

typedef struct {
  const NsNode *where;
  double        at_rest, sliding;
} Settings;

static const NsKey keys[] = {
  {"static", NS_KEY_NUMBER, offsetof(Settings, at_rest), .required = true, .minimum = "0 <", .help = "coefficient while the contact sticks",
    .example = "0.4"},
  {"kinetic", NS_KEY_NUMBER, offsetof(Settings, sliding), .required = true, .minimum = "0", .help = "coefficient while it slides, not larger",
    .example = "0.25"},
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
  const Settings *given = settings;

  return speed > 0 ? given->sliding : given->at_rest;
}

const NsTable NsContactLawTable_StaticKinetic = {"static_kinetic", "static and kinetic friction", keys, sizeof(Settings), .check = check};

const NsFrictionLaw NsContactLaw_StaticKinetic = {.coefficient = coefficient, .jumps = PETSC_TRUE};
