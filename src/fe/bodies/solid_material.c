/*
  Materials of solids (src/fe/elements/elasticity.c) from their keys: density, and young and poisson, or nine constants along axes of the material.
*/
#include "solid_material.h"
#include "contact/pair.h"

#define NS_PARALLEL 1e-6 /* sine of the angle between two axes, and a part along z that counts as none */

static const NsKey orthotropic_keys[] = {
  {"young", NS_KEY_VECTOR, offsetof(NsOrthotropicSettings, young), .dimension = NS_DIM_PRESSURE, .required = true, .minimum = "0 <",
    .help = "moduli of elasticity along the axes 1, 2, 3 of the material", .example = "[135 GPa, 10 GPa, 10 GPa]"},
  {"poisson", NS_KEY_VECTOR, offsetof(NsOrthotropicSettings, poisson), .required = true,
    .help    = "Poisson's ratios nu_12, nu_13, nu_23: nu_12 is the contraction along 2 over the strain along 1 under tension along 1",
    .example = "[0.3, 0.3, 0.45]"},
  {"shear", NS_KEY_VECTOR, offsetof(NsOrthotropicSettings, shear), .dimension = NS_DIM_PRESSURE, .required = true, .minimum = "0 <",
    .help = "shear moduli G_12, G_13, G_23", .example = "[5 GPa, 5 GPa, 3.4 GPa]"},
  {"axis_1", NS_KEY_VECTOR, offsetof(NsOrthotropicSettings, axis_1), .space = NS_SPACE_DIRECTION, .default_value = "[1, 0, 0]",
    .help = "direction of the material's axis 1, such as that of fibres", .example = "[1, 1, 0]"},
  {"axis_2", NS_KEY_VECTOR, offsetof(NsOrthotropicSettings, axis_2), .space = NS_SPACE_DIRECTION,
    .help    = "direction of axis 2; what of it is along axis 1 does not count; without this key axis 2 is normal to axis 1 in the x-y plane",
    .example = "[-1, 1, 0]"},
  {NULL},
};
static const NsTable orthotropic_table = {"orthotropic", "orthotropic linear elastic material", orthotropic_keys, sizeof(NsOrthotropicSettings)};

static const NsKey material_keys[] = {
  {"density", NS_KEY_NUMBER, offsetof(NsSolidMaterialSettings, density), .dimension = NS_DIM_DENSITY, .required = true, .minimum = "0 <",
    .help = "mass per volume", .example = "7800 kg/m^3"},
  {"young", NS_KEY_NUMBER, offsetof(NsSolidMaterialSettings, young), .dimension = NS_DIM_PRESSURE, .minimum = "0 <", .help = "modulus of elasticity",
    .example = "210 GPa"},
  {"poisson", NS_KEY_NUMBER, offsetof(NsSolidMaterialSettings, poisson), .minimum = "-1 <", .maximum = "< 0.5",
    .help = "Poisson's ratio; near 0.5 the critical time step goes to zero", .example = "0.3"},
  {"orthotropic", NS_KEY_TABLE, offsetof(NsSolidMaterialSettings, orthotropic), .table = &orthotropic_table,
    .help    = "in place of young and poisson: elasticity along three axes normal to each other, of wood, composites, crystals",
    .example = "{young: [135 GPa, 10 GPa, 10 GPa], poisson: [0.3, 0.3, 0.45], shear: [5 GPa, 5 GPa, 3.4 GPa]}"},
  {NULL},
};

static void check_material(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSolidMaterialSettings *material = settings;
  const bool                     young = NsTreeChild(material->where, "young"), poisson = NsTreeChild(material->where, "poisson");

  (void)arena;
  if (material->orthotropic && (young || poisson))
    NsDiagError(diag, NsKeysPlace(material->where, young ? "young" : "poisson"), "with `orthotropic`, `young` and `poisson` are given there");
  if (material->orthotropic || (young && poisson)) return;
  NsDiagError(diag, material->where->key_place, "missing key '%s': the elasticity of a solid is `young` and `poisson`, or `orthotropic`",
    young ? "poisson" : "young");
  NsDiagNote(diag, "such as young: 210 GPa, poisson: 0.3");
}
const NsTable NsTable_SolidMaterial = {
  "solid_material", "linear elastic material, isotropic or orthotropic", material_keys, sizeof(NsSolidMaterialSettings), .check = check_material};

/* Unit vectors axes[3]; false after an error. */
static PetscBool find_axes(const NsOrthotropicSettings *settings, const NsSolidTheory *theory, NsDiag *diag, PetscReal axes[3][3])
{
  const PetscReal z[3] = {0, 0, 1}, length = PetscSqrtReal(NsDot3(settings->axis_1, settings->axis_1));
  PetscReal       second[3];

  if (length == 0) {
    NsDiagError(diag, NsKeysPlace(settings->where, "axis_1"), "axis_1 has no direction");
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) axes[0][k] = settings->axis_1[k] / length;
  if (NsTreeChild(settings->where, "axis_2"))
    for (int k = 0; k < 3; k++) second[k] = settings->axis_2[k];
  else
    NsCross3(z, axes[0], second);
  NsCross3(axes[0], second, axes[2]);
  const PetscReal sine = PetscSqrtReal(NsDot3(axes[2], axes[2]));
  if (sine <= NS_PARALLEL * PetscSqrtReal(NsDot3(second, second))) {
    NsDiagError(diag, NsKeysPlace(settings->where, "axis_2"), "axis_2 must have a direction other than that of axis_1");
    NsDiagNote(diag, "axis 1 along z: axis_1: [0, 0, 1], axis_2: [1, 0, 0]");
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) axes[2][k] /= sine;
  NsCross3(axes[2], axes[0], axes[1]);
  if (theory->state == NS_SOLID_SPACE) return PETSC_TRUE;
  for (int a = 0; a < 3; a++) {
    if (PetscAbsReal(axes[a][2]) > 1 - NS_PARALLEL * NS_PARALLEL) return PETSC_TRUE;
  }
  NsDiagError(diag, NsKeysPlace(settings->where, "axis_1"), "the body lies in the x-y plane: one axis of its material must be along z");
  NsDiagNote(diag, "axis_1 and axis_2 in the x-y plane, such as axis_1: [1, 1, 0], or one of them along z");
  return PETSC_FALSE;
}

const NsSolidMaterial *NsSolidMaterialMake(NsFe *fe, const NsSolidMaterialSettings *settings, const NsSolidTheory *theory)
{
  const NsOrthotropicSettings *own      = settings->orthotropic;
  NsSolidMaterial             *material = NsArenaAlloc(fe->arena, sizeof(*material));
  PetscReal                    axes[3][3];

  NsFeJudgeMaterial(
    settings->where, settings->density, own ? PetscMax(own->young[0], PetscMax(own->young[1], own->young[2])) : settings->young, fe->diag);
  material->density = settings->density;
  if (!own)
    NsSolidIsotropic(theory->state, settings->young, settings->poisson, material);
  else if (!find_axes(own, theory, fe->diag, axes))
    NsSolidIsotropic(theory->state, own->young[0], 0, material);
  else if (!NsSolidOrthotropic(theory->state, own->young, own->poisson, own->shear, axes, material)) {
    NsDiagError(fe->diag, NsKeysPlace(own->where, "poisson"), "the elasticity matrix of these constants is not positive definite");
    NsDiagNote(fe->diag, "nu_12^2 must be below E_1/E_2, likewise of 13 and 23; E_1/E_2 times nu_21 is nu_12");
    NsSolidIsotropic(theory->state, own->young[0], 0, material);
  }
  return material;
}
