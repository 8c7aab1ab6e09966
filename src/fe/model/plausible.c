/*
  Values that are allowed but that no solid has: units that are missing, or of another system. Warnings only, and none for models without units (density and modulus of the order of 1).

      wave speed c = sqrt(E/rho): 100 m/s to 20 km/s; rubber, foam and gels (light and soft) may have less
      density:                    10 (foams) to 25 000 kg/m^3 (osmium has 22 600)
      modulus of heavy solids:    above 1 GPa (lead has 16 GPa)
      mass of a solid whose lengths have no unit: up to 1000 t
*/
#include <math.h>
#include "fe/model/fe.h"

#define NS_SLOWEST  100.  /* m/s */
#define NS_FASTEST  20e3  /* m/s; diamond has 18 km/s */
#define NS_LIGHT    2000. /* kg/m^3: lighter solids may be soft */
#define NS_HEAVY    5000. /* kg/m^3: heavier ones are metals */
#define NS_THINNEST 5000  /* times as long as thick */
#define NS_STOUT    0.5
#define NS_WEIGHTY  1e6 /* kg */

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

/* Whether a point of a generated mesh has a number without unit that could be meant in mm, or a file no scale. */
static PetscBool lacks_unit(const NsNode *mesh)
{
  PetscBool lacks = NsTreeChild(mesh, "file") && !NsTreeChild(mesh, "scale");

  for (const NsNode *kind = mesh->first; kind; kind = kind->next) {
    for (int end = 0; end < 2; end++) {
      const NsNode *point = kind->kind == NS_NODE_MAP ? NsTreeChild(kind, end ? "to" : "from") : NULL;
      for (const NsNode *number = point ? point->first : NULL; number; number = number->next) {
        double value;
        if (number->text && !NsParseNumber(number->text, &value) && fabs(value) >= 1) lacks = PETSC_TRUE;
      }
    }
  }
  return lacks;
}

void NsFeJudgeLength(const NsNode *mesh, const char *name, PetscReal length, PetscReal thickness, NsDiag *diag)
{
  const PetscReal ratio = length / thickness;

  if (NsDiagErrors(diag) || !mesh || !(thickness > 0) || !(length > 0)) return;
  if (ratio > NS_STOUT && (ratio < NS_THINNEST || !lacks_unit(mesh))) return;
  NsDiagWarning(diag, mesh->place, "'%s' is %.4g m long and %.4g m thick: is a unit missing?", name, length, thickness);
  NsDiagNote(diag, "lengths without unit are in m; write 300 mm for 0.3 m");
}

void NsFeJudgeMasses(const NsFe *fe)
{
  for (PetscInt b = 0; b < fe->bodies && !NsDiagErrors(fe->diag); b++) {
    const NsFeBody *body = &fe->body[b];
    const NsNode   *mesh = NsTreeChild(body->where, "mesh");
    NsFeSolid       solid;
    PetscInt        next = b;
    if (!body->solid || !mesh || !lacks_unit(mesh) || !NsFeMeasure(fe, &next, &solid) || solid.mass < NS_WEIGHTY) continue;
    NsDiagWarning(fe->diag, mesh->place, "'%s' is %.4g x %.4g x %.4g m in size and has a mass of %.4g kg: is a unit missing?", body->name,
      solid.size[0], solid.size[1], solid.size[2], solid.mass);
    NsDiagNote(fe->diag, body->mesh->from_file
                           ? "the numbers of the file are in m unless `scale` says otherwise: write `scale: 1 mm`, or `scale: 1 m` if they are"
                           : "lengths without unit are in m; write 300 mm for 0.3 m");
  }
}
