#include "section.h"

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
    .help = "width of the rectangle", .example = "20 mm"},
  {"height", NS_KEY_NUMBER, offsetof(NsRectangle, height), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "height of the rectangle", .example = "10 mm"},
  {NULL},
};
static const NsTable rectangle_table = {"rectangle", "full rectangular section", rectangle_keys, sizeof(NsRectangle)};

static const NsKey section_keys[] = {
  {"circle", NS_KEY_TABLE, offsetof(NsSection, circle), .table = &circle_table, .help = "full circle", .example = "{radius: 10 mm}"},
  {"tube", NS_KEY_TABLE, offsetof(NsSection, tube), .table = &tube_table, .help = "circular tube",
    .example = "{outer_radius: 12 mm, inner_radius: 10 mm}"},
  {"rectangle", NS_KEY_TABLE, offsetof(NsSection, rectangle), .table = &rectangle_table, .help = "full rectangle",
    .example = "{width: 20 mm, height: 10 mm}"},
  {"area", NS_KEY_NUMBER, offsetof(NsSection, area), .dimension = NS_DIM_AREA, .minimum = "0 <",
    .help = "area alone, where the shape does not matter", .example = "3 cm^2"},
  {NULL},
};
const NsTable NsTable_Section = {"section", "cross-section of a bar", section_keys, sizeof(NsSection), .one_of = "circle, tube, rectangle, area"};

static const NsKey material_keys[] = {
  {"density", NS_KEY_NUMBER, offsetof(NsMaterial, density), .dimension = NS_DIM_DENSITY, .required = true, .minimum = "0 <",
    .help = "mass per volume", .example = "7800 kg/m^3"},
  {"young", NS_KEY_NUMBER, offsetof(NsMaterial, young), .dimension = NS_DIM_PRESSURE, .required = true, .minimum = "0 <",
    .help = "modulus of elasticity", .example = "210 GPa"},
  {NULL},
};
const NsTable NsTable_Material = {"material", "linear elastic material", material_keys, sizeof(NsMaterial)};

PetscReal NsSectionArea(const NsSection *section)
{
  if (section->circle) return PETSC_PI * section->circle->radius * section->circle->radius;
  if (section->tube) {
    return PETSC_PI * (section->tube->outer_radius - section->tube->inner_radius) * (section->tube->outer_radius + section->tube->inner_radius);
  }
  if (section->rectangle) return section->rectangle->width * section->rectangle->height;
  return section->area;
}

PetscReal NsSectionRadius(const NsSection *section)
{
  if (section->circle) return section->circle->radius;
  if (section->tube) return section->tube->outer_radius;
  return PetscSqrtReal(NsSectionArea(section) / PETSC_PI);
}
