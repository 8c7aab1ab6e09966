#include "section.h"
#include <string.h>

#define NS_ZETA_5 1.0369277551433699263 /* sum 1/n^5 */

static const NsKey circle_keys[] = {
  {"radius", NS_KEY_NUMBER, offsetof(NsCircle, radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "radius of the circle", .example = "10 mm"},
  {NULL},
};
static const NsTable circle_table = {"circle", "full circular section", circle_keys, sizeof(NsCircle)};

static const NsKey tube_keys[] = {
  {"outer_radius", NS_KEY_NUMBER, offsetof(NsTube, outer_radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "outer radius", .example = "12 mm"},
  {"inner_radius", NS_KEY_NUMBER, offsetof(NsTube, inner_radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0",
    .help = "inner radius, less than the outer one", .example = "10 mm"},
  {NULL},
};

static void check_tube(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsTube *tube = settings;

  (void)arena;
  if (tube->inner_radius >= tube->outer_radius) {
    NsDiagError(diag, NsKeysPlace(tube->where, "inner_radius"), "inner_radius (%g m) must be less than outer_radius (%g m)", tube->inner_radius,
      tube->outer_radius);
  }
}
static const NsTable tube_table = {"tube", "circular hollow section", tube_keys, sizeof(NsTube), .check = check_tube};

static const NsKey rectangle_keys[] = {
  {"width", NS_KEY_NUMBER, offsetof(NsRectangle, width), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "width of the rectangle, along the element's axis 3", .example = "20 mm"},
  {"height", NS_KEY_NUMBER, offsetof(NsRectangle, height), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "height of the rectangle, along the element's axis 2", .example = "10 mm"},
  {NULL},
};
static const NsTable rectangle_table = {"rectangle", "full rectangular section", rectangle_keys, sizeof(NsRectangle)};

static const NsKey constants_keys[] = {
  {"area", NS_KEY_NUMBER, offsetof(NsSectionConstants, area), .dimension = NS_DIM_AREA, .required = true, .minimum = "0 <", .help = "area",
    .example = "3 cm^2"},
  {"inertia", NS_KEY_NUMBER, offsetof(NsSectionConstants, inertia), .dimension = {4, 0, 0, 0}, .minimum = "0 <",
    .help = "second moment of area, the same about both axes", .example = "0.8 cm^4"},
  {"inertia_2", NS_KEY_NUMBER, offsetof(NsSectionConstants, inertia_2), .dimension = {4, 0, 0, 0}, .minimum = "0 <",
    .help = "second moment of area about axis 2, for bending in the plane of axes 1 and 3", .example = "0.4 cm^4"},
  {"inertia_3", NS_KEY_NUMBER, offsetof(NsSectionConstants, inertia_3), .dimension = {4, 0, 0, 0}, .minimum = "0 <",
    .help = "second moment of area about axis 3, for bending in the plane of axes 1 and 2", .example = "0.8 cm^4"},
  {"torsion", NS_KEY_NUMBER, offsetof(NsSectionConstants, torsion), .dimension = {4, 0, 0, 0}, .minimum = "0 <",
    .help = "torsion constant; default: the sum of the second moments, as for a circle", .example = "1 cm^4"},
  {"radius", NS_KEY_NUMBER, offsetof(NsSectionConstants, radius), .dimension = NS_DIM_LENGTH, .minimum = "0 <",
    .help = "distance of the outer fibre from the axis: for bending stress and pictures", .example = "10 mm"},
  {NULL},
};

static void check_constants(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSectionConstants *constants = settings;
  const char               *second    = constants->inertia_2 > 0 ? "inertia_2" : constants->inertia_3 > 0 ? "inertia_3" : NULL;

  (void)arena;
  if (constants->inertia > 0 && second) {
    NsDiagError(diag, NsKeysPlace(constants->where, second), "give either `inertia` (the same about both axes) or `inertia_2` and `inertia_3`");
  } else if (constants->inertia <= 0 && (constants->inertia_2 <= 0 || constants->inertia_3 <= 0)) {
    NsDiagError(diag, constants->where->key_place, "constants needs inertia, or inertia_2 and inertia_3");
  }
}
static const NsTable constants_table = {
  "constants", "section given by its constants", constants_keys, sizeof(NsSectionConstants), .check = check_constants};

static const NsKey section_keys[] = {
  {"circle", NS_KEY_TABLE, offsetof(NsSection, circle), .table = &circle_table, .help = "full circle", .example = "{radius: 10 mm}"},
  {"tube", NS_KEY_TABLE, offsetof(NsSection, tube), .table = &tube_table, .help = "circular tube",
    .example = "{outer_radius: 12 mm, inner_radius: 10 mm}"},
  {"rectangle", NS_KEY_TABLE, offsetof(NsSection, rectangle), .table = &rectangle_table, .help = "full rectangle",
    .example = "{width: 20 mm, height: 10 mm}"},
  {"constants", NS_KEY_TABLE, offsetof(NsSection, constants), .table = &constants_table, .help = "area and second moments of any other shape",
    .example = "{area: 3 cm^2, inertia: 0.8 cm^4}"},
  {"area", NS_KEY_NUMBER, offsetof(NsSection, area), .dimension = NS_DIM_AREA, .minimum = "0 <", .help = "area alone: sufficient for bars",
    .example = "3 cm^2"},
  {"shear_factor", NS_KEY_NUMBER, offsetof(NsSection, shear_factor), .minimum = "0 <",
    .help    = "shear factor: shear force over (shear modulus x area x shear angle); default: Cowper's for the shape, 1 with constants",
    .example = "0.9"},
  {NULL},
};
const NsTable NsTable_Section = {"section", "cross-section of a bar or beam", section_keys, sizeof(NsSection),
  .one_of = "circle, tube, rectangle, constants, area", .library = "sections"};

static const NsKey material_keys[] = {
  {"density", NS_KEY_NUMBER, offsetof(NsMaterial, density), .dimension = NS_DIM_DENSITY, .required = true, .minimum = "0 <",
    .help = "mass per volume", .example = "7800 kg/m^3"},
  {"young", NS_KEY_NUMBER, offsetof(NsMaterial, young), .dimension = NS_DIM_PRESSURE, .required = true, .minimum = "0 <",
    .help = "modulus of elasticity", .example = "210 GPa"},
  {"shear_modulus", NS_KEY_NUMBER, offsetof(NsMaterial, shear_modulus), .dimension = NS_DIM_PRESSURE, .minimum = "0 <",
    .help = "shear modulus; default: young/(2 (1 + poisson))", .example = "81 GPa"},
  {"poisson", NS_KEY_NUMBER, offsetof(NsMaterial, poisson), .default_value = "0.3", .minimum = "-1 <", .maximum = "< 0.5", .help = "Poisson's ratio",
    .example = "0.3"},
  {NULL},
};

/* 81 MPa for 81 GPa is an error that no other check would find; wood, which is not isotropic, has young/shear_modulus of about 16. */
static void check_material(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsMaterial *material = settings;

  (void)arena;
  if (material->shear_modulus <= 0 || (material->shear_modulus > 0.02 * material->young && material->shear_modulus < 5 * material->young)) return;
  NsDiagWarning(diag, NsKeysPlace(material->where, "shear_modulus"), "shear_modulus is %.3g times young; metals have 0.33 to 0.5",
    material->shear_modulus / material->young);
}
const NsTable NsTable_Material = {"material", "linear elastic material", material_keys, sizeof(NsMaterial),
  .at_most_one_of = "shear_modulus, poisson", .check = check_material, .library = "materials"};

const char *NsSectionShape(const NsSection *section)
{
  return section->circle ? "circle" : section->tube ? "tube" : section->rectangle ? "rectangle" : section->constants ? "constants" : "area";
}

PetscReal NsSectionArea(const NsSection *section)
{
  if (section->circle) return PETSC_PI * section->circle->radius * section->circle->radius;
  if (section->tube) {
    return PETSC_PI * (section->tube->outer_radius - section->tube->inner_radius) * (section->tube->outer_radius + section->tube->inner_radius);
  }
  if (section->rectangle) return section->rectangle->width * section->rectangle->height;
  return section->constants ? section->constants->area : section->area;
}

PetscReal NsSectionRadius(const NsSection *section)
{
  if (section->circle) return section->circle->radius;
  if (section->tube) return section->tube->outer_radius;
  if (section->constants && section->constants->radius > 0) return section->constants->radius;
  return PetscSqrtReal(NsSectionArea(section) / PETSC_PI);
}

PetscReal NsMaterialShearModulus(const NsMaterial *material)
{
  return material->shear_modulus > 0 ? material->shear_modulus : material->young / (2 * (1 + material->poisson));
}

PetscReal NsMaterialPoisson(const NsMaterial *material)
{
  return material->shear_modulus > 0 ? material->young / (2 * material->shear_modulus) - 1 : material->poisson;
}

/* The sum of the header with tanh = 1 - 2/(exp + 1) and sum_{n odd} 1/n^5 = 31/32 zeta(5): what remains falls as exp(-n pi), so six terms leave
   nothing above the rounding. */
static PetscReal rectangle_torsion(PetscReal height, PetscReal width)
{
  const PetscReal a = PetscMax(height, width), b = PetscMin(height, width);
  PetscReal       sum = 31 * NS_ZETA_5 / 32;

  for (int n = 1; n <= 11; n += 2) sum -= 2 / (PetscPowRealInt(n, 5) * (PetscExpReal(n * PETSC_PI * a / b) + 1));
  return a * b * b * b * (1. / 3 - 64 * b / (PetscPowRealInt(PETSC_PI, 5) * a) * sum);
}

/* Cowper's factor, for isotropic materials: a Poisson's ratio that follows from the shear modulus of another is taken to the nearest one of these. */
static PetscReal shape_factor(const NsProperty *p)
{
  const NsMaterial *material = p->material;
  const PetscReal   nu       = material->shear_modulus > 0 ? PetscClipInterval(NsMaterialPoisson(material), 0, 0.5) : material->poisson;

  if (p->section->circle) return 6 * (1 + nu) / (7 + 6 * nu);
  if (p->section->tube) {
    const PetscReal m = PetscSqr(p->size[1] / p->size[0]);
    return 6 * (1 + nu) * PetscSqr(1 + m) / ((7 + 6 * nu) * PetscSqr(1 + m) + (20 + 12 * nu) * m);
  }
  return p->section->rectangle ? 10 * (1 + nu) / (12 + 11 * nu) : 1;
}

/* All that follows from the sizes of a shape. */
static void shape_constants(NsProperty *p)
{
  const PetscReal a = p->size[0], b = p->size[1];

  if (p->section->rectangle) {
    p->area      = a * b;
    p->inertia_2 = a * b * b * b / 12;
    p->inertia_3 = b * a * a * a / 12;
    p->torsion   = rectangle_torsion(a, b);
    p->radius    = PetscSqrtReal(p->area / PETSC_PI);
    p->edge_2    = a / 2;
    p->edge_3    = b / 2;
  } else { /* a circle is a tube without a hole */
    p->area      = PETSC_PI * (a - b) * (a + b);
    p->inertia_2 = p->inertia_3 = p->area * (a * a + b * b) / 4;
    p->torsion                  = p->inertia_2 + p->inertia_3;
    p->radius = p->edge_2 = p->edge_3 = a;
  }
}

void NsPropertyMake(const NsSection *section, const NsMaterial *material, NsProperty *property)
{
  const NsSectionConstants *constants = section->constants;

  *property = (NsProperty){.density = material->density,
    .young                          = material->young,
    .shear_modulus                  = NsMaterialShearModulus(material),
    .section                        = section,
    .material                       = material};
  if (section->circle) {
    property->size[0] = section->circle->radius;
  } else if (section->tube) {
    property->size[0] = section->tube->outer_radius;
    property->size[1] = section->tube->inner_radius;
  } else if (section->rectangle) {
    property->size[0] = section->rectangle->height;
    property->size[1] = section->rectangle->width;
  }
  if (property->size[0] > 0) {
    shape_constants(property);
  } else {
    property->area   = NsSectionArea(section);
    property->radius = NsSectionRadius(section);
  }
  if (constants) {
    property->inertia_2 = constants->inertia > 0 ? constants->inertia : constants->inertia_2;
    property->inertia_3 = constants->inertia > 0 ? constants->inertia : constants->inertia_3;
    property->torsion   = constants->torsion > 0 ? constants->torsion : property->inertia_2 + property->inertia_3;
    property->edge_2 = property->edge_3 = constants->radius;
  }
  property->shear_factor_given = section->shear_factor > 0;
  property->shear_factor       = property->shear_factor_given ? section->shear_factor : shape_factor(property);
}

void NsPropertyTakeMaterial(const NsMaterial *material, NsProperty *property)
{
  property->density       = material->density;
  property->young         = material->young;
  property->shear_modulus = NsMaterialShearModulus(material);
  property->material      = material;
  if (!property->shear_factor_given) property->shear_factor = shape_factor(property);
}

static PetscReal mix(PetscReal a, PetscReal b, PetscReal fraction)
{
  return a + fraction * (b - a);
}

void NsPropertyBetween(const NsProperty *a, const NsProperty *b, PetscReal fraction, NsProperty *property)
{
  NsProperty p = *a;

  if (a != b) {
    p.shear_factor_given = a->shear_factor_given || b->shear_factor_given;
    p.shear_factor       = mix(a->shear_factor, b->shear_factor, fraction);
    if (a->size[0] > 0 && !strcmp(NsSectionShape(a->section), NsSectionShape(b->section))) {
      for (int k = 0; k < 2; k++) p.size[k] = mix(a->size[k], b->size[k], fraction);
      shape_constants(&p);
      if (!p.shear_factor_given) p.shear_factor = shape_factor(&p);
    } else {
      p.area      = mix(a->area, b->area, fraction);
      p.inertia_2 = mix(a->inertia_2, b->inertia_2, fraction);
      p.inertia_3 = mix(a->inertia_3, b->inertia_3, fraction);
      p.torsion   = mix(a->torsion, b->torsion, fraction);
      p.radius    = mix(a->radius, b->radius, fraction);
      p.edge_2    = a->edge_2 > 0 && b->edge_2 > 0 ? mix(a->edge_2, b->edge_2, fraction) : 0;
      p.edge_3    = a->edge_3 > 0 && b->edge_3 > 0 ? mix(a->edge_3, b->edge_3, fraction) : 0;
    }
  }
  *property = p;
}
