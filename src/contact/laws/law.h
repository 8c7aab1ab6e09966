/*
  Laws of contacts beyond constant coefficients: a file each in src/contact/laws, and a line in list.h.

      friction      mu = mu(|u_T|), of the sliding speed at which the law of a step holds (its end, or what the scheme solves for)
      restitution   e = e(|u_N^-|), of the approach speed
      anisotropy    (P_1/mu_1)^2 + (P_2/mu_2)^2 <= P_N^2, and -u_T in the normal cone of this ellipse at P_T
      resistance    |M_T| <= mu_r P_N against rolling, |M_N| <= mu_s P_N against drilling (spinning): candidates of their own behind the contact, solved with it (joints.c)
      impacts       Newton's law, Poisson's, or the energetic one: two_phase.c, routh.c

  Friction laws and restitution laws are functions of the settings alone; NsContactSolve calls them (laws/solve.c). tests/conformance/test_contact_laws.c tests every one on the list.
*/
#pragma once
#include "percuss/model.h"

typedef struct {
  /* mu at a sliding speed, m/s. */
  PetscReal (*coefficient)(const void *settings, PetscReal speed);
  /* The steepest fall of mu, s/m: a step in which G_TT P_N times it is 1 or more may have several solutions. */
  PetscReal (*fall)(const void *settings);
  PetscBool jumps; /* mu has one value at rest and another, smaller one as soon as the contact slides */
} NsFrictionLaw;

typedef struct {
  /* e at an approach speed, m/s, 0 to 1. */
  PetscReal (*coefficient)(const void *settings, PetscReal speed);
} NsRestitutionLaw;

#define NS_FRICTION_LAW(Name, key, help, example) \
  extern const NsTable       NsContactLawTable_##Name; \
  extern const NsFrictionLaw NsContactLaw_##Name;
#define NS_RESTITUTION_LAW(Name, key, help, example) \
  extern const NsTable          NsContactLawTable_##Name; \
  extern const NsRestitutionLaw NsContactLaw_##Name;
#include "list.h"
#undef NS_FRICTION_LAW
#undef NS_RESTITUTION_LAW

enum {
#define NS_FRICTION_LAW(Name, key, help, example) NS_FRICTION_LAW_##Name,
#define NS_RESTITUTION_LAW(Name, key, help, example)
#include "list.h"
#undef NS_FRICTION_LAW
#undef NS_RESTITUTION_LAW
  NS_FRICTION_LAWS
};
enum {
#define NS_FRICTION_LAW(Name, key, help, example)
#define NS_RESTITUTION_LAW(Name, key, help, example) NS_RESTITUTION_LAW_##Name,
#include "list.h"
#undef NS_FRICTION_LAW
#undef NS_RESTITUTION_LAW
  NS_RESTITUTION_LAWS
};

typedef struct {
  const NsNode *where;
  double        along[3], across;
} NsAnisotropySettings;

/* Moments against relative rotations, by their axes: the tangents; the normal. */
enum { NS_ROLLING, NS_DRILLING, NS_RESISTANCES };
extern const char *const NsResistanceNames[NS_RESISTANCES];

typedef struct {
  const NsNode               *where;
  double                      coefficient, resistance[NS_RESISTANCES];
  const void                 *law[NS_FRICTION_LAWS]; /* settings; one of them, or none: `coefficient` */
  const NsAnisotropySettings *anisotropy;
} NsFrictionSettings;

typedef struct {
  const NsNode *where;
  double        coefficient;
  const void   *law[NS_RESTITUTION_LAWS];
} NsRestitutionSettings;

/* What contacts, mechanisms and pairs of materials have in common. */
typedef struct {
  const NsRestitutionSettings *restitution; /* NULL: not given */
  double                       restitution_tangential;
  int                          restitution_law; /* NsImpactLaw */
  const NsFrictionSettings    *friction;        /* NULL: not given */
} NsContactLawSettings;

typedef enum { NS_IMPACT_NEWTON, NS_IMPACT_POISSON, NS_IMPACT_ENERGETIC } NsImpactLaw;

extern const NsTable     NsTable_Friction, NsTable_Restitution;
extern const char *const NsImpactLawNames[];

#define NS_CONTACT_LAW_KEYS(T) \
  {"restitution", NS_KEY_TABLE, offsetof(T, law.restitution), .table = &NsTable_Restitution, \
    .help = "coefficient of restitution: normal velocity of the touching points after an impact over that before it (default 0)", .example = "0.5"}, \
    {"restitution_law", NS_KEY_CHOICE, offsetof(T, law.restitution_law), .choices = NsImpactLawNames, .default_value = "newton", \
      .help = \
        "what the coefficient of restitution is a ratio of, from before to after an impact. newton: normal velocities; poisson: normal impulses of expansion and compression; energetic: works of the normal force in " \
        "them (its square). They differ where friction changes or ends the sliding", \
      .example = "poisson"}, \
    {"restitution_tangential", NS_KEY_NUMBER, offsetof(T, law.restitution_tangential), .default_value = "0", .minimum = "0", .maximum = "1", \
      .help = "the same for tangential velocities, with friction", .example = "0"}, \
  { \
    "friction", NS_KEY_TABLE, offsetof(T, law.friction), \
      .table = &NsTable_Friction, .help = "coefficient of friction (Coulomb's law; default 0), or a law over the sliding speed", .example = "0.3" \
  }

struct NsContactLaw {
  const NsFrictionLaw    *friction; /* NULL: constant */
  const NsRestitutionLaw *restitution;
  const void             *friction_settings, *restitution_settings;
  PetscReal               at_rest;                              /* mu(0) */
  PetscReal               along[3], resistance[NS_RESISTANCES]; /* m */
  NsImpactLaw             impact;
};

/* The rule of laws with the keys static and kinetic. */
void NsFrictionCheckKinetic(const NsNode *where, double at_rest, double sliding, NsDiag *diag);
/* Rules between the keys of one law; `where` has them. alone: keys that are not there have no other source. */
void NsContactLawCheck(const NsContactLawSettings *settings, const NsNode *where, PetscBool alone, NsDiag *diag);
/* The same rules for a law of which parts come from elsewhere: `whole`, made with `otherwise`. */
void NsContactLawCheckWhole(const NsContactLawSettings *settings, const NsNode *where, const NsLaw *whole, NsArena *arena, NsDiag *diag);
/* The law of the settings, whose keys `where` has; what they do not give is that of `otherwise` (NULL: none). */
NsLaw NsContactLawMake(const NsContactLawSettings *settings, const NsNode *where, const NsContactLawSettings *otherwise, NsArena *arena);
/*
  Anisotropic friction of a contact with tangents t[tangents]: law->friction and across for tangents along the axes of the ellipse, to which t is turned; with one tangent,
  along which alone the partners slide, law->friction is that of its direction. normal: unit vector; t2 = n x t1 where there are two. False: `along` is the normal.
*/
PetscBool NsContactLawTurn(NsLaw *law, const PetscReal normal[3], PetscInt tangents, PetscReal t[2][3]);
/* The largest moment of a resistance over the normal force, m. */
static inline PetscReal NsLawResistance(const NsLaw *law, int kind)
{
  return law->more ? law->more->resistance[kind] : 0;
}
/* Makes the candidate of a resistance of `contact`, which stands `before` candidates before it; names are in the arena. The caller sets `directions`: 1 plus the number of its axes. */
NsCandidate NsCandidateOfResistance(const NsCandidate *contact, int kind, PetscInt before, NsArena *arena);
/* e at an approach speed (m/s, >= 0). */
PetscReal NsLawRestitution(const NsLaw *law, PetscReal speed);
/* mu along tangent 1 at a sliding speed. */
PetscReal NsLawFriction(const NsLaw *law, PetscReal speed);
