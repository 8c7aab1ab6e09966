/*
  Solid: a body of any shape made of triangles, quadrangles, tetrahedra or hexahedra (src/fe/elements/solid.h), in space or in the x-y plane; displacements of its nodes along x, y (and z).
*/
#include "core/text.h"
#include "fe/elements/solid.h"
#include "line_body.h"
#include "solid_material.h"

typedef struct {
  const NsNode                  *where;
  const char                    *group;
  const NsSolidMaterialSettings *material;
} NsSolidPart;

typedef struct {
  const NsNode *where;
  double        at[3]; /* m */
} NsSolidPoint;

typedef struct {
  const NsNode                  *where;
  const NsMeshSettings          *mesh;
  const NsSolidMaterialSettings *material;
  NsList                         parts;  /* of NsSolidPart */
  NsList                         points; /* of NsSolidPoint */
  int                            state, formulation;
  double                         thickness; /* m */
  const NsDamping               *damping;
  int                            mass; /* 0 consistent, 1 lumped, 2 redistributed */
  const NsInitial               *initial;
  const NsReduceSettings        *reduce;
} NsSolidSettings;

static const char *const states[]       = {"space", "plane_strain", "plane_stress", "axisymmetric", NULL}; /* NsSolidState */
static const char *const formulations[] = {"incompatible", "b_bar", "standard", NULL};                     /* NsSolidFormulation */

static const NsKey part_keys[] = {
  {"group", NS_KEY_STRING, offsetof(NsSolidPart, group), .required = true,
    .help = "name of a physical volume (in the plane: surface) of the mesh file", .example = "all"},
  {"material", NS_KEY_TABLE, offsetof(NsSolidPart, material), .table = &NsTable_SolidMaterial, .required = true, .help = "material of this part",
    .example = "{density: 2700 kg/m^3, young: 70 GPa, poisson: 0.33}"},
  {NULL},
};
static const NsTable part_table = {"solid_part", "part of a solid with its own material", part_keys, sizeof(NsSolidPart)};

static const NsKey point_keys[] = {
  {"at", NS_KEY_VECTOR, offsetof(NsSolidPoint, at), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .required = true,
    .help = "position within the body at rest", .example = "[20 mm, 10 mm, 5 mm]"},
  {NULL},
};
static const NsTable point_table = {"solid_point", "a point within a solid", point_keys, sizeof(NsSolidPoint), .shorthand = "at"};

static const NsKey solid_keys[] = {
  {"mesh", NS_KEY_TABLE, offsetof(NsSolidSettings, mesh), .table = &NsTable_SolidMesh, .required = true, .help = "nodes and elements",
    .example = "{box: {from: [0, 0, 0], to: [40 mm, 20 mm, 20 mm], cells: [2, 1, 1]}}"},
  {"material", NS_KEY_TABLE, offsetof(NsSolidSettings, material), .table = &NsTable_SolidMaterial, .required = true, .help = "density and elasticity",
    .example = "{density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}"},
  {"parts", NS_KEY_LIST, offsetof(NsSolidSettings, parts), .table = &part_table,
    .help    = "parts with another material; later ones override earlier ones",
    .example = "[{group: all, material: {density: 2700 kg/m^3, young: 70 GPa, poisson: 0.33}}]"},
  {"state", NS_KEY_CHOICE, offsetof(NsSolidSettings, state), .choices = states, .default_value = "space",
    .help =
      "space: three dimensions; plane_strain, plane_stress: in the x-y plane; axisymmetric: in the x-y plane, x the radius, y along the axis, masses and forces of the whole ring",
    .example = "space"},
  {"thickness", NS_KEY_NUMBER, offsetof(NsSolidSettings, thickness), .dimension = NS_DIM_LENGTH, .default_value = "1 m", .minimum = "0 <",
    .help = "along z, of plane_strain and plane_stress", .example = "1 m"},
  {"formulation", NS_KEY_CHOICE, offsetof(NsSolidSettings, formulation), .choices = formulations, .default_value = "incompatible",
    .help =
      "of quadrangles and hexahedra; incompatible: bends well, does not lock; b_bar: for poisson near 0.5, and axisymmetric bodies; standard: locks in bending, for comparison",
    .example = "b_bar"},
  {"points", NS_KEY_NAMED, offsetof(NsSolidSettings, points), .table = &point_table,
    .help = "named points anywhere in the body, for probes: displacement, velocity and stress there", .example = "{gauge: [20 mm, 10 mm, 10 mm]}"},
  {"damping", NS_KEY_TABLE, offsetof(NsSolidSettings, damping), .table = &NsTable_Damping, .help = "internal damping",
    .example = "{rayleigh: {stiffness: 5 ns}}"},
  {"mass", NS_KEY_CHOICE, offsetof(NsSolidSettings, mass), .choices = NsMassChoices, .default_value = "consistent",
    .help =
      "mass matrix: consistent; lumped: each node has a share of its elements, for explicit schemes; redistributed: lumped, with massless contact nodes",
    .example = "lumped"},
  {"initial", NS_KEY_TABLE, offsetof(NsSolidSettings, initial), .table = &NsTable_Initial, .help = "state at the start",
    .example = "{velocity: [-0.1 m/s, 0, 0]}"},
  NS_REDUCE_KEY(offsetof(NsSolidSettings, reduce)),
  {NULL},
};

static void check_solid(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsSolidSettings *solid = settings;

  (void)arena;
  if (NsTreeChild(solid->where, "thickness") && solid->thickness != 1 && solid->state != NS_SOLID_PLANE_STRAIN &&
      solid->state != NS_SOLID_PLANE_STRESS)
    NsDiagError(
      diag, NsKeysPlace(solid->where, "thickness"), "thickness is for `state: plane_strain` and `plane_stress`, not for %s", states[solid->state]);
  if (solid->formulation == NS_SOLID_B_BAR && solid->state == NS_SOLID_PLANE_STRESS)
    NsDiagError(diag, NsKeysPlace(solid->where, "formulation"),
      "b_bar is for plane_strain, axisymmetric and space: plane stress does not lock near poisson = 0.5");
}
static const NsTable solid_table = {"solid", "elastic body of any shape", solid_keys, sizeof(NsSolidSettings), .check = check_solid};

static PetscErrorCode NsBodyMesh_Solid(const void *settings, NsFe *fe, NsMesh **mesh)
{
  const NsSolidSettings *solid = settings;

  PetscFunctionBegin;
  PetscCall(NsMeshCreateSolid(solid->mesh, solid->state == NS_SOLID_SPACE ? 3 : 2, fe->arena, fe->diag, mesh));
  PetscFunctionReturn(0);
}

static const NsElementType *element_of(const NsMesh *mesh)
{
  static const struct {
    const NsMeshShape   *shape;
    const NsElementType *element;
  } all[]  = {{&NsMeshShape_Tri3, &NsElementType_Tri3}, {&NsMeshShape_Quad4, &NsElementType_Quad4}, {&NsMeshShape_Tet4, &NsElementType_Tet4},
     {&NsMeshShape_Tet10, &NsElementType_Tet10}, {&NsMeshShape_Hex8, &NsElementType_Hex8}};
  size_t k = 0;

  while (all[k].shape != mesh->shape) k++;
  return all[k].element;
}

/* x is the radius: of all nodes it is not negative. */
static PetscBool has_radii(NsFe *fe, const NsFeBody *body)
{
  for (PetscInt i = 0; i < body->mesh->nodes; i++) {
    const PetscReal *x = body->mesh->x + 3 * i;
    if (x[0] >= -1e-9 * body->mesh->length) continue;
    NsDiagError(fe->diag, NsKeysPlace(body->where, "mesh"), "'%s' is axisymmetric: x is the radius, but a node lies at (%g, %g, %g) m", body->name,
      x[0], x[1], x[2]);
    NsDiagNote(fe->diag, "mesh the half x >= 0 of the section; y runs along the axis");
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* of[elements]: the material of each. */
static PetscErrorCode find_materials(
  const NsSolidSettings *solid, NsFe *fe, const NsFeBody *body, const NsSolidTheory *theory, const NsSolidMaterial **of)
{
  const NsSolidPart     *part     = solid->parts.items;
  const NsSolidMaterial *material = NsSolidMaterialMake(fe, solid->material, theory);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < body->mesh->elements; i++) of[i] = material;
  for (int p = 0; p < solid->parts.count; p++) {
    const NsMeshSet *set = NsMeshElementSet(body->mesh, part[p].group);
    if (!set) {
      NsMeshElementSetError(body->mesh, part[p].group, NsKeysPlace(part[p].where, "group"), fe->arena, fe->diag);
      continue;
    }
    material = NsSolidMaterialMake(fe, part[p].material, theory);
    for (PetscInt i = 0; i < set->count; i++) of[set->items[i]] = material;
  }
  PetscFunctionReturn(0);
}

/* ---- elements ----------------------------------------------------------------------------------------------------------------------------------- */

#define NS_ALIKE 16 /* kinds of elements met last, of which a structured mesh has several that take turns */

static void take_geometry(const NsFe *fe, const NsFeElement *e, NsSolidCell *cell)
{
  cell->nodes = cell->collapse ? cell->collapse->shape->nodes : cell->shape->nodes;
  for (PetscInt k = 0; k < cell->nodes; k++) {
    const PetscInt node = e->node[cell->collapse ? cell->collapse->position[k] : k];
    for (int i = 0; i < 3; i++) {
      const PetscReal from = i == 0 && cell->theory->state == NS_SOLID_AXISYMMETRIC ? 0 : fe->x[3 * e->node[0] + i];
      cell->x[k][i]        = fe->x[3 * node + i] - from;
    }
  }
}

/* But for the rounding of coordinates. */
static PetscBool same_geometry(const NsSolidCell *a, const NsSolidCell *b, PetscReal rounding)
{
  if (a->material != b->material || a->collapse != b->collapse) return PETSC_FALSE;
  for (PetscInt k = 0; k < a->nodes; k++) {
    for (int i = 0; i < 3; i++) {
      if (PetscAbsReal(a->x[k][i] - b->x[k][i]) > rounding) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

static PetscErrorCode make_elements(NsFe *fe, const NsFeBody *body, const NsSolidTheory *theory, const NsSolidMaterial *const *material)
{
  const NsSolidShape *shape    = NsSolidShapeOf(body->element);
  const PetscReal     rounding = 8 * PETSC_MACHINE_EPSILON * NsFeExtent(body);
  NsSolidCell        *like[NS_ALIKE];
  PetscInt            kinds = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    const NsFeElement *e    = &fe->element[body->first_element + i];
    NsSolidElement    *own  = e->data;
    NsSolidCell        cell = {.shape = shape, .collapse = NsMeshCollapsed(body->mesh->shape, e->node), .theory = theory, .material = material[i]};
    take_geometry(fe, e, &cell);
    for (PetscInt k = 0; k < PetscMin(kinds, NS_ALIKE) && !own->cell; k++) {
      if (!same_geometry(like[k], &cell, rounding)) continue;
      if (!like[k]->root) PetscCall(NsSolidCellShare(like[k], body->element->picture->cell[0].middle, fe->arena));
      own->cell = like[k];
    }
    if (own->cell) continue;
    NsSolidCell *made = NsArenaAlloc(fe->arena, sizeof(*made));
    *made             = cell;
    if (NsSolidModes(made))
      made->modes = NsArenaAlloc(fe->arena, sizeof(*made->modes) * (size_t)(NsSolidModes(made) * shape->dimension * shape->dimension * made->nodes));
    PetscCall(NsSolidCellMake(made));
    own->cell                = made;
    like[kinds++ % NS_ALIKE] = made; /* in the place of the oldest */
  }
  PetscFunctionReturn(0);
}

static void take_state(const NsSolidSettings *solid, NsFeBody *body)
{
  body->lumped        = solid->mass >= 1;
  body->redistributed = solid->mass == 2;
  body->reduce        = solid->reduce;
  if (solid->damping && solid->damping->rayleigh) {
    body->damping_mass      = solid->damping->rayleigh->mass;
    body->damping_stiffness = solid->damping->rayleigh->stiffness;
  }
  for (int k = 0; solid->initial && k < 3; k++) {
    body->velocity[k]     = solid->initial->velocity[k];
    body->displacement[k] = solid->initial->displacement[k];
  }
}

static void find_points(const NsSolidSettings *solid, NsFe *fe, NsFeBody *body)
{
  const NsSolidPoint *point = solid->points.items;
  NsFePoint           spot;

  body->point = NsArenaAlloc(fe->arena, sizeof(*body->point) * (size_t)PetscMax(1, solid->points.count));
  for (int p = 0; p < solid->points.count; p++) {
    const char *name = solid->points.names[p];
    if (NsMeshNodeSet(body->mesh, name)) {
      NsDiagError(fe->diag, solid->points.where[p]->key_place, "'%s' is also the name of nodes of the mesh of '%s'", name, body->name);
    } else if (!NsFeFindInSolid(fe, body, point[p].at, &spot)) {
      NsDiagError(fe->diag, NsKeysPlace(point[p].where, "at"), "the point (%g, %g, %g) m is outside '%s'", point[p].at[0], point[p].at[1],
        point[p].at[2], body->name);
    } else {
      NsFeNamedPoint *to = &body->point[body->points++];
      *to                = (NsFeNamedPoint){.name = name, .element = spot.element};
      for (int k = 0; k < 3; k++) to->xi[k] = spot.xi[k];
    }
  }
}

/* In a mesh with hexahedra: if most elements are not hexahedra. */
static void warn_of_stiff_elements(const NsSolidSettings *solid, NsFe *fe, const NsFeBody *body)
{
  const NsMesh *mesh  = body->mesh;
  PetscInt      stiff = 0;

  for (PetscInt e = 0; e < mesh->elements && mesh->shape == &NsMeshShape_Hex8; e++)
    stiff += NsMeshCollapsed(mesh->shape, mesh->connection + 8 * e) != NULL;
  if (2 * stiff <= mesh->elements) return;
  NsDiagWarning(fe->diag, NsKeysPlace(solid->where, "mesh"),
    "%ld of %ld elements of '%s' are tetrahedra, prisms or pyramids of first order, which are too stiff in bending", (long)stiff,
    (long)mesh->elements, body->name);
  NsDiagNote(fe->diag, "use ten-node tetrahedra only: Mesh.ElementOrder = 2; in the .geo file, without recombined surfaces");
}

static PetscErrorCode NsBodyBuild_Solid(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsSolidSettings  *solid  = settings;
  const NsSolidShape     *shape  = NsSolidShapeOf(body->element);
  NsSolidTheory          *theory = NsArenaAlloc(fe->arena, sizeof(*theory));
  const NsSolidMaterial **material;

  PetscFunctionBegin;
  *theory             = (NsSolidTheory){.state = (NsSolidState)solid->state,
                .formulation                   = shape->has_modes ? (NsSolidFormulation)solid->formulation : NS_SOLID_STANDARD,
                .thickness                     = solid->state == NS_SOLID_PLANE_STRAIN || solid->state == NS_SOLID_PLANE_STRESS ? solid->thickness : 1};
  body->solid         = theory;
  body->node_unknowns = shape->dimension;
  for (PetscInt k = 0; k < shape->dimension; k++) body->direction[k][k] = 1;
  take_state(solid, body);
  if (!shape->has_modes && NsTreeChild(solid->where, "formulation") && solid->formulation != NS_SOLID_STANDARD)
    NsDiagWarning(fe->diag, NsKeysPlace(solid->where, "formulation"), "'%s' has %s: formulation is for quadrangles and hexahedra and has no effect",
      body->name, body->mesh->shape->name);
  if (body->element == &NsElementType_Tet4) {
    NsDiagWarning(fe->diag, NsKeysPlace(solid->where, "mesh"), "'%s' is made of four-node tetrahedra, which are too stiff in bending", body->name);
    NsDiagNote(fe->diag, "ten-node ones are accurate: Mesh.ElementOrder = 2; in the .geo file (of a box `elements: tet10`)");
  }
  warn_of_stiff_elements(solid, fe, body);
  if (solid->state == NS_SOLID_AXISYMMETRIC && !has_radii(fe, body)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(body->mesh->elements, &material));
  PetscCall(find_materials(solid, fe, body, theory, material));
  PetscCall(make_elements(fe, body, theory, material));
  PetscCall(PetscFree(material));
  find_points(solid, fe, body);
  PetscFunctionReturn(0);
}

/* Nodes on the axis of an axisymmetric body do not move away from it. */
static void attach(const void *settings, NsFe *fe, NsFeBody *body)
{
  const NsSolidSettings *solid = settings;
  PetscInt               free = 0, first = -1;

  if (solid->state != NS_SOLID_AXISYMMETRIC) return;
  for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) {
    if (fe->x[3 * i] > 1e-9 * body->mesh->length || NsFeNodeUnknowns(fe, i)[0] < 0) continue;
    first = first < 0 ? i : first;
    free++;
  }
  if (!free) return;
  NsDiagError(fe->diag, body->where->key_place, "'%s' has %d %s on its axis that can move away from it, such as that at (%g, %g, %g) m", body->name,
    (int)free, NsPlural(free, "node", "nodes"), fe->x[3 * first], fe->x[3 * first + 1], fe->x[3 * first + 2]);
  NsDiagNote(fe->diag, "name the curve on the axis (in Gmsh: Physical Curve(\"axis\") = {...};) and hold it: supports: {axis: {at: %s.axis, fix: x}}",
    body->name);
}

static const NsElementType *const elements[] = {
  &NsElementType_Hex8, &NsElementType_Tri3, &NsElementType_Quad4, &NsElementType_Tet4, &NsElementType_Tet10, NULL};

const NsVariant NsBodyVariant_Solid = {
  .name  = "solid",
  .title = "elastic body of any shape, from Gmsh or a box",
  .about =
    "Triangles and quadrangles in the x-y plane (plane_strain, plane_stress, axisymmetric), tetrahedra of four or ten nodes and hexahedra in space. Strains and rotations are small. Its sides\n"
    "(physical curves and surfaces) are held by `supports`, loaded by `pressure` and `traction`, and touch planes, cylinders and spheres.",
  .table = &solid_table,
};
const NsBodyType NsBodyType_Solid = {.variant = &NsBodyVariant_Solid,
  .elements                                   = elements,
  .choose                                     = element_of,
  .mesh                                       = NsBodyMesh_Solid,
  .build                                      = NsBodyBuild_Solid,
  .attach                                     = attach};
