/* Key tables of friction and restitution, and the law of a contact from them. */
#include "law.h"
#include "contact/pair.h"

const char *const NsResistanceNames[NS_RESISTANCES] = {"rolling", "drilling"};
const char *const NsImpactLawNames[]                = {"newton", "poisson", "energetic", NULL};

static const NsKey anisotropy_keys[] = {
  {"along", NS_KEY_VECTOR, offsetof(NsAnisotropySettings, along), .space = NS_SPACE_DIRECTION, .required = true,
    .help = "direction of the coefficient, of any length; its part in the plane counts", .example = "[1, 0, 0]"},
  {"across", NS_KEY_NUMBER, offsetof(NsAnisotropySettings, across), .required = true, .minimum = "0.001", .maximum = "1000",
    .help = "friction at right angles to `along`, over that along it", .example = "0.5"},
  {NULL},
};
static const NsTable anisotropy_table = {"anisotropy", "friction that depends on the direction", anisotropy_keys, sizeof(NsAnisotropySettings)};

/* ---- friction -------------------------------------------------------------------------------------------------------------------------------- */

#define NS_RESTITUTION_LAW(Name, word, text, value)
#define NS_FRICTION_LAW(Name, word, text, value) \
  {#word, NS_KEY_TABLE, offsetof(NsFrictionSettings, law[NS_FRICTION_LAW_##Name]), .table = &NsContactLawTable_##Name, .help = text, \
    .example = value},
static const NsKey friction_keys[] = {
  {"coefficient", NS_KEY_NUMBER, offsetof(NsFrictionSettings, coefficient), .minimum = "0", .help = "coefficient of friction (Coulomb's law)",
    .example = "0.3"},
#include "list.h"
  {"anisotropy", NS_KEY_TABLE, offsetof(NsFrictionSettings, anisotropy), .table = &anisotropy_table,
    .help =
      "friction that depends on the direction, with planes: the friction force is within an ellipse, and the slip is normal to it at the force (greatest dissipation)",
    .example = "{along: [1, 0, 0], across: 0.5}"},
  {"rolling", NS_KEY_NUMBER, offsetof(NsFrictionSettings, resistance[NS_ROLLING]), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help    = "rolling resistance: ratio of the largest moment against rolling to the normal force; only for partners with rotational DOF",
    .example = "0.5 mm"},
  {"drilling", NS_KEY_NUMBER, offsetof(NsFrictionSettings, resistance[NS_DRILLING]), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "drilling (spinning) resistance: ratio of the largest moment about the normal to the normal force", .example = "0.2 mm"},
  {NULL},
};
#undef NS_FRICTION_LAW
#define NS_FRICTION_LAW(Name, word, text, value) ", " #word
const NsTable NsTable_Friction = {
  "friction", "friction of a contact", friction_keys, sizeof(NsFrictionSettings), .shorthand = "coefficient", .one_of = "coefficient"
#include "list.h"
};
#undef NS_FRICTION_LAW
#define NS_FRICTION_LAW(Name, word, text, value) &NsContactLaw_##Name,
static const NsFrictionLaw *const friction_laws[] = {
#include "list.h"
};
#undef NS_FRICTION_LAW
#undef NS_RESTITUTION_LAW

/* ---- restitution ----------------------------------------------------------------------------------------------------------------------------- */

#define NS_FRICTION_LAW(Name, word, text, value)
#define NS_RESTITUTION_LAW(Name, word, text, value) \
  {#word, NS_KEY_TABLE, offsetof(NsRestitutionSettings, law[NS_RESTITUTION_LAW_##Name]), .table = &NsContactLawTable_##Name, .help = text, \
    .example = value},
static const NsKey restitution_keys[] = {
  {"coefficient", NS_KEY_NUMBER, offsetof(NsRestitutionSettings, coefficient), .minimum = "0", .maximum = "1", .help = "coefficient of restitution",
    .example = "0.5"},
#include "list.h"
  {NULL},
};
#undef NS_RESTITUTION_LAW
#define NS_RESTITUTION_LAW(Name, word, text, value) ", " #word
const NsTable NsTable_Restitution = {
  "restitution", "restitution of a contact", restitution_keys, sizeof(NsRestitutionSettings), .shorthand = "coefficient", .one_of = "coefficient"
#include "list.h"
};
#undef NS_RESTITUTION_LAW
#define NS_RESTITUTION_LAW(Name, word, text, value) &NsContactLaw_##Name,
static const NsRestitutionLaw *const restitution_laws[] = {
#include "list.h"
};

void NsFrictionCheckKinetic(const NsNode *where, double at_rest, double sliding, NsDiag *diag)
{
  if (sliding > at_rest)
    NsDiagError(diag, NsKeysPlace(where, "kinetic"), "kinetic friction (%g) must not be larger than static friction (%g)", sliding, at_rest);
}

/* ---- the law of a contact -------------------------------------------------------------------------------------------------------------------- */

static PetscBool rubs(const NsFrictionSettings *friction)
{
  if (!friction) return PETSC_FALSE;
  for (int i = 0; i < NS_FRICTION_LAWS; i++) {
    if (friction->law[i]) return PETSC_TRUE;
  }
  return friction->coefficient > 0;
}

void NsContactLawCheck(const NsContactLawSettings *settings, const NsNode *where, PetscBool alone, NsDiag *diag)
{
  const NsFrictionSettings *friction = settings->friction;
  const PetscBool           varies   = rubs(friction) && friction->coefficient == 0;

  if (settings->restitution_tangential > 0 && (friction || alone) && !rubs(friction))
    NsDiagWarning(diag, NsKeysPlace(where, "restitution_tangential"), "restitution_tangential has no effect without friction");
  if (settings->restitution_tangential > 0 && varies)
    NsDiagError(diag, NsKeysPlace(where, "restitution_tangential"), "restitution_tangential requires a friction coefficient that is constant");
  if (settings->restitution_tangential > 0 && settings->restitution_law != NS_IMPACT_NEWTON)
    NsDiagError(diag, NsKeysPlace(where, "restitution_tangential"), "restitution_tangential belongs to `restitution_law: newton`");
  if (settings->restitution_law != NS_IMPACT_NEWTON && friction && friction->resistance[NS_ROLLING] + friction->resistance[NS_DRILLING] > 0)
    NsDiagError(diag, NsKeysPlace(where, "restitution_law"), "rolling and drilling resistance require `restitution_law: newton`");
  if (settings->restitution_law == NS_IMPACT_ENERGETIC && varies)
    NsDiagError(diag, NsKeysPlace(where, "restitution_law"), "`restitution_law: energetic` requires a friction coefficient that is constant");
}

NsLaw NsContactLawMake(const NsContactLawSettings *settings, const NsNode *where, const NsContactLawSettings *otherwise, NsArena *arena)
{
  const NsRestitutionSettings *e  = settings->restitution || !otherwise ? settings->restitution : otherwise->restitution;
  const NsFrictionSettings    *mu = settings->friction || !otherwise ? settings->friction : otherwise->friction;
  NsContactLaw                 more;
  NsLaw                        law = {.restitution_tangential = settings->restitution_tangential};

  memset(&more, 0, sizeof(more));
  more.impact = (NsImpactLaw)(otherwise && !NsTreeChild(where, "restitution_law") ? otherwise : settings)->restitution_law;
  if (otherwise && !NsTreeChild(where, "restitution_tangential")) law.restitution_tangential = otherwise->restitution_tangential;
  if (e) law.restitution = e->coefficient;
  for (int i = 0; e && i < NS_RESTITUTION_LAWS; i++) {
    if (!e->law[i]) continue;
    more.restitution          = restitution_laws[i];
    more.restitution_settings = e->law[i];
    law.restitution           = more.restitution->coefficient(e->law[i], 0);
    law.kinds |= NS_LAW_APPROACH;
  }
  if (mu) law.friction = mu->coefficient;
  for (int i = 0; mu && i < NS_FRICTION_LAWS; i++) {
    if (!mu->law[i]) continue;
    more.friction          = friction_laws[i];
    more.friction_settings = mu->law[i];
    law.friction           = more.friction->coefficient(mu->law[i], 0);
    law.kinds |= NS_LAW_SLIDING;
  }
  more.at_rest = law.friction;
  if (mu && mu->anisotropy) {
    for (int k = 0; k < 3; k++) more.along[k] = mu->anisotropy->along[k];
    law.across = mu->anisotropy->across;
  }
  for (int i = 0; mu && i < NS_RESISTANCES; i++) more.resistance[i] = mu->resistance[i];
  if (more.impact != NS_IMPACT_NEWTON && (law.restitution > 0 || more.restitution)) law.kinds |= NS_LAW_TWO_PHASE;
  if (!law.kinds && law.across == 0 && more.resistance[NS_ROLLING] == 0 && more.resistance[NS_DRILLING] == 0) return law;
  NsContactLaw *kept = NsArenaAlloc(arena, sizeof(*kept));
  *kept              = more;
  law.more           = kept;
  return law;
}

/* Why the parts of a law do not go together; NULL: they do. */
static const char *conflict(const NsLaw *law)
{
  const PetscBool slides = law->kinds & NS_LAW_SLIDING ? PETSC_TRUE : PETSC_FALSE;

  if (slides && law->restitution_tangential > 0) return "restitution_tangential requires a friction coefficient that is constant";
  if (slides && law->more->impact == NS_IMPACT_ENERGETIC) return "`restitution_law: energetic` requires a friction coefficient that is constant";
  if ((law->kinds & NS_LAW_TWO_PHASE) && NsLawResistance(law, NS_ROLLING) + NsLawResistance(law, NS_DRILLING) > 0)
    return "rolling and drilling resistance require `restitution_law: newton`";
  if ((law->kinds & NS_LAW_TWO_PHASE) && law->restitution_tangential > 0) return "restitution_tangential belongs to `restitution_law: newton`";
  return NULL;
}

void NsContactLawCheckWhole(const NsContactLawSettings *settings, const NsNode *where, const NsLaw *whole, NsArena *arena, NsDiag *diag)
{
  const NsLaw own = NsContactLawMake(settings, where, NULL, arena);

  if (!conflict(whole) || conflict(&own)) return; /* the latter is an error of the table itself */
  NsDiagError(diag, where->key_place, "%s", conflict(whole));
  NsDiagNote(diag, "keys that are not given here come from the pair of materials, or from the law of all contacts of the mechanism");
}

PetscBool NsContactLawTurn(NsLaw *law, const PetscReal normal[3], PetscInt tangents, PetscReal t[2][3])
{
  const PetscReal *along = law->more ? law->more->along : normal;
  PetscReal        a[3], b[3];

  if (law->across == 0 || law->friction == 0 || tangents == 0) return PETSC_TRUE;
  for (int k = 0; k < 3; k++) a[k] = along[k] - NsDot3(along, normal) * normal[k];
  if (NsDot3(a, a) <= 1e-18 * NsDot3(along, along) || !NsUnit3(a)) return PETSC_FALSE;
  if (tangents == 1) { /* the ellipse in this direction */
    NsCross3(normal, a, b);
    law->friction /= PetscSqrtReal(PetscSqr(NsDot3(t[0], a)) + PetscSqr(NsDot3(t[0], b) / law->across));
    law->across = 0;
    return PETSC_TRUE;
  }
  for (int k = 0; k < 3; k++) t[0][k] = a[k];
  NsCross3(normal, t[0], t[1]);
  law->kinds |= NS_LAW_ANISOTROPIC;
  return PETSC_TRUE;
}

NsCandidate NsCandidateOfResistance(const NsCandidate *contact, int kind, PetscInt before, NsArena *arena)
{
  NsCandidate candidate = *contact;
  char        name[NS_CANDIDATE_NAME];

  candidate.name       = NsArenaPrint(arena, "%s.%s", NsCandidateName(contact, name), NsResistanceNames[kind]);
  candidate.number[0]  = 0;
  candidate.law        = (NsLaw){.friction = NsLawResistance(&contact->law, kind), .kinds = NS_LAW_RESISTANCE};
  candidate.carriers   = before + 1;
  candidate.torque_arm = 0;
  return candidate;
}

PetscReal NsLawRestitution(const NsLaw *law, PetscReal speed)
{
  return law->kinds & NS_LAW_APPROACH ? law->more->restitution->coefficient(law->more->restitution_settings, speed) : law->restitution;
}

PetscReal NsLawFriction(const NsLaw *law, PetscReal speed)
{
  const NsContactLaw *more = law->more;

  return law->kinds & NS_LAW_SLIDING ? law->friction * (more->friction->coefficient(more->friction_settings, speed) / more->at_rest) : law->friction;
}
