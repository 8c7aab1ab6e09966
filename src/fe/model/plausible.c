/*
  Values that are allowed but that no solid has: units that are missing, or of another system. Warnings only, and none for models without units (density and modulus of the order of 1).

      wave speed c = sqrt(E/rho): 100 m/s to 20 km/s; rubber, foam and gels (light and soft) may have less
      density:                    10 (foams) to 25 000 kg/m^3 (osmium has 22 600)
      modulus of heavy solids:    above 1 GPa (lead has 16 GPa)
*/
#include <ctype.h>
#include <math.h>
#include "fe/model/fe.h"

#define NS_SLOWEST  100.  /* m/s */
#define NS_FASTEST  20e3  /* m/s; diamond has 18 km/s */
#define NS_LIGHT    2000. /* kg/m^3: lighter solids may be soft */
#define NS_HEAVY    5000. /* kg/m^3: heavier ones are metals */
#define NS_THINNEST 5000  /* times as long as thick */
#define NS_STOUT    0.5

void NsFeJudgeMaterial(const NsNode *where, PetscReal density, PetscReal young, NsDiag *diag)
{
  const PetscReal c = sqrt(young / density);

  if (NsDiagErrors(diag) || !where || (density < 100 && young < 1e4)) return;
  if (density < 10 || density > 25e3)
    NsDiagWarning(diag, NsKeysPlace(where, "density"), "a density of %.4g kg/m^3: solids have 10 to 25000", density);
  else if (c > NS_FASTEST)
    NsDiagWarning(diag, where->place, "waves in this material travel at %.4g m/s: in solids at 20000 at most", c);
  else if (density > NS_LIGHT && c < NS_SLOWEST)
    NsDiagWarning(diag, where->place, "waves in this material travel at %.4g m/s: in solids at 100 and more", c);
  else if (density > NS_HEAVY && young < 1e9)
    NsDiagWarning(diag, NsKeysPlace(where, "young"), "a solid of %.4g kg/m^3 with a modulus of %.4g Pa: metals have 10 to 500 GPa", density, young);
  else
    return;
  NsDiagNote(diag, "check the units, such as 7800 kg/m^3 and 210 GPa; numbers without unit are in kg/m^3 and Pa");
}

/* Whether some value below has a unit. */
static PetscBool has_unit(const NsNode *node)
{
  PetscBool found = PETSC_FALSE;

  if (!node) return PETSC_FALSE;
  if (node->kind == NS_NODE_SCALAR) {
    const char *c = node->text;
    if (!c || !(isdigit((unsigned char)*c) || *c == '-' || *c == '.')) return PETSC_FALSE;
    while (*c && *c != ' ') c++;
    while (*c == ' ') c++;
    return isalpha((unsigned char)*c) || (unsigned char)*c >= 0x80;
  }
  for (const NsNode *child = node->first; child && !found; child = child->next) found = has_unit(child);
  return found;
}

void NsFeJudgeLength(const NsNode *mesh, const char *name, PetscReal length, PetscReal thickness, NsDiag *diag)
{
  const PetscReal ratio = length / thickness;

  if (NsDiagErrors(diag) || !mesh || !(thickness > 0) || !(length > 0)) return;
  if (ratio > NS_STOUT && (ratio < NS_THINNEST || has_unit(mesh))) return;
  NsDiagWarning(diag, mesh->place, "'%s' is %.4g m long and %.4g m thick: is a unit missing?", name, length, thickness);
  NsDiagNote(diag, "lengths without unit are in m; write 300 mm for 0.3 m");
}
