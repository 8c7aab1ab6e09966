/*
  Bar: a straight line of elements that carry axial force only, one unknown (the displacement along the line) a node.

  With linear shape functions on an element of length l, and c the cosines of its axis with the unknowns:

      M_e = rho A l / 6 [2 I, I; I, 2 I]   (consistent)      rho A l / 2 [I, 0; 0, I]   (lumped)
      K_e = E A / l [c c', -c c'; -c c', c c']

  Alone it vibrates at sqrt(12) c0/l (consistent) or 2 c0/l (lumped), c0 = sqrt(E/rho): the step limits le/(sqrt(3) c0) and le/c0.
  The same element, with two or three unknowns a node, is the truss's.
*/
#include "bar.h"

static void bar_mass(const NsFeElement *e, PetscInt d, PetscBool lumped, PetscReal *M)
{
  const PetscReal m = e->density * e->area * e->length;
  const PetscInt  n = 2 * d;

  for (PetscInt i = 0; i < n * n; i++) M[i] = 0;
  for (PetscInt a = 0; a < d; a++) {
    M[a * n + a]           = lumped ? m / 2 : m / 3;
    M[(d + a) * n + d + a] = M[a * n + a];
    M[a * n + d + a]       = lumped ? 0 : m / 6;
    M[(d + a) * n + a]     = M[a * n + d + a];
  }
}

static void bar_stiffness(const NsFeElement *e, PetscInt d, PetscReal *K)
{
  const PetscReal k = e->young * e->area / e->length;
  const PetscInt  n = 2 * d;

  for (PetscInt a = 0; a < d; a++) {
    for (PetscInt b = 0; b < d; b++) {
      const PetscReal kab    = k * e->cosine[a] * e->cosine[b];
      K[a * n + b]           = kab;
      K[(d + a) * n + d + b] = kab;
      K[a * n + d + b]       = -kab;
      K[(d + a) * n + b]     = -kab;
    }
  }
}

static PetscReal bar_frequency(const NsFeElement *e, PetscBool lumped)
{
  return PetscSqrtReal(e->young / e->density * (lumped ? 4 : 12)) / e->length;
}

static PetscReal bar_normal_force(const NsFeElement *e, PetscInt d, const PetscReal *q)
{
  PetscReal elongation = 0;

  for (PetscInt a = 0; a < d; a++) elongation += e->cosine[a] * (q[d + a] - q[a]);
  return e->young * e->area / e->length * elongation;
}

const NsElementType NsElementType_Bar = {
  .name         = "bar",
  .mass         = bar_mass,
  .stiffness    = bar_stiffness,
  .frequency    = bar_frequency,
  .normal_force = bar_normal_force,
};

const char *const NsMassChoices[] = {"consistent", "lumped", NULL};

static const NsKey rayleigh_keys[] = {
  {"mass", NS_KEY_NUMBER, offsetof(NsRayleigh, mass), .dimension = NS_DIM_RATE, .standard = "0", .minimum = "0",
    .help = "share of the mass matrix in C", .example = "10 1/s"},
  {"stiffness", NS_KEY_NUMBER, offsetof(NsRayleigh, stiffness), .dimension = NS_DIM_TIME, .standard = "0", .minimum = "0",
    .help = "share of the stiffness matrix in C; lowers the step limit", .example = "5 ns"},
  {NULL},
};
static const NsTable rayleigh_table = {"rayleigh", "C = mass M + stiffness K", rayleigh_keys, sizeof(NsRayleigh)};

static const NsKey damping_keys[] = {
  {"rayleigh", NS_KEY_TABLE, offsetof(NsDamping, rayleigh), .table = &rayleigh_table, .required = true, .help = "C = mass M + stiffness K",
    .example = "{mass: 0 1/s, stiffness: 5 ns}"},
  {NULL},
};
const NsTable NsTable_Damping = {"damping", "internal damping of a body", damping_keys, sizeof(NsDamping)};

static const NsKey initial_keys[] = {
  {"velocity", NS_KEY_VECTOR, offsetof(NsInitial, velocity), .dimension = NS_DIM_VELOCITY, .standard = "[0, 0, 0]",
    .help = "velocity of the whole body", .example = "[-0.1 m/s, 0, 0]"},
  {"displacement", NS_KEY_VECTOR, offsetof(NsInitial, displacement), .dimension = NS_DIM_LENGTH, .standard = "[0, 0, 0]",
    .help = "displacement of the whole body from the mesh's place", .example = "[1 mm, 0, 0]"},
  {NULL},
};
const NsTable NsTable_Initial = {"initial", "state of a body at the start", initial_keys, sizeof(NsInitial)};

static const NsKey part_keys[] = {
  {"range", NS_KEY_NUMBERS, offsetof(NsPart, range), .columns = 1, .columns_dimension = {{1, 0, 0, 0}}, .least = 2, .most = 2,
    .help = "from where to where along the line; an element belongs to it when its middle does", .example = "[0.5 m, 1 m]"},
  {"group", NS_KEY_STRING, offsetof(NsPart, group), .help = "name of a physical curve of the mesh file", .example = "thick"},
  {"section", NS_KEY_TABLE, offsetof(NsPart, section), .table = &NsTable_Section, .help = "section of this part",
    .example = "{circle: {radius: 20 mm}}"},
  {"material", NS_KEY_TABLE, offsetof(NsPart, material), .table = &NsTable_Material, .help = "material of this part",
    .example = "{density: 2700 kg/m^3, young: 70 GPa}"},
  {NULL},
};

static void check_part(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsPart *part = settings;

  (void)arena;
  if (!part->section && !part->material) NsDiagError(diag, part->where->place, "a part needs a section or a material of its own");
  if (part->range.rows == 2 && part->range.values[1] <= part->range.values[0]) {
    NsDiagError(diag, NsKeysPlace(part->where, "range"), "range must rise: it goes from %g m to %g m", part->range.values[0], part->range.values[1]);
  }
}
const NsTable NsTable_Part = {
  "part", "stretch of a body with properties of its own", part_keys, sizeof(NsPart), .one_of = "range, group", .check = check_part};

PetscErrorCode NsBodyMesh_Bar(const void *settings, NsFe *fe, NsMesh **mesh)
{
  PetscFunctionBegin;
  PetscCall(NsMeshCreate(((const NsBarSettings *)settings)->mesh, fe->arena, fe->diag, mesh));
  PetscFunctionReturn(0);
}

static void apply(NsFeElement *e, const NsSection *section, const NsMaterial *material)
{
  if (section) {
    e->area   = NsSectionArea(section);
    e->radius = NsSectionRadius(section);
  }
  if (material) {
    e->density = material->density;
    e->young   = material->young;
  }
}

static void apply_part(const NsPart *part, NsFe *fe, NsFeBody *body)
{
  const NsMesh *mesh    = body->mesh;
  NsFeElement  *element = fe->element + body->first_element;

  if (part->group) {
    const NsMeshSet *set = NsMeshElementSet(mesh, part->group);
    if (!set) {
      const char **names = NsArenaAlloc(fe->arena, sizeof(*names) * (size_t)(mesh->element_sets + 1));
      for (PetscInt i = 0; i < mesh->element_sets; i++) names[i] = mesh->element_set[i].name;
      const char *near = NsNearestWord(part->group, names);
      NsDiagError(fe->diag, NsKeysPlace(part->where, "group"), "the mesh of %s has no group '%s'%s%s%s", body->name, part->group,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
      return;
    }
    for (PetscInt i = 0; i < set->count; i++) apply(&element[set->items[i]], part->section, part->material);
    return;
  }
  if (!mesh->along) {
    NsDiagError(fe->diag, NsKeysPlace(part->where, "range"), "range needs a mesh that is one open line; name a group of the mesh file instead");
    return;
  }
  const PetscReal tolerance = 1e-9 * mesh->length;
  PetscInt        hit       = 0;
  if (part->range.values[0] < -tolerance || part->range.values[1] > mesh->length + tolerance) {
    NsDiagError(fe->diag, NsKeysPlace(part->where, "range"), "range [%g m, %g m] leaves the line, which is %g m long", part->range.values[0],
      part->range.values[1], mesh->length);
    return;
  }
  for (PetscInt i = 0; i < mesh->elements; i++) {
    const PetscReal a      = mesh->along[mesh->connection[2 * i]];
    const PetscReal b      = mesh->along[mesh->connection[2 * i + 1]];
    const PetscReal middle = (a + b) / 2;
    if (middle <= part->range.values[0] || middle > part->range.values[1]) continue;
    apply(&element[i], part->section, part->material);
    hit++;
  }
  if (!hit) NsDiagError(fe->diag, NsKeysPlace(part->where, "range"), "no element has its middle in this range; the mesh is too coarse for it");
}

void NsBarProperties(const NsBarSettings *settings, NsFe *fe, NsFeBody *body)
{
  const NsPart *part = settings->parts.items;

  body->element = &NsElementType_Bar;
  body->lumped  = settings->mass == 1;
  if (settings->damping) {
    body->damping_mass      = settings->damping->rayleigh->mass;
    body->damping_stiffness = settings->damping->rayleigh->stiffness;
  }
  if (settings->initial) {
    for (int k = 0; k < 3; k++) {
      body->velocity[k]     = settings->initial->velocity[k];
      body->displacement[k] = settings->initial->displacement[k];
    }
  }
  for (PetscInt i = 0; i < body->mesh->elements; i++) apply(&fe->element[body->first_element + i], settings->section, settings->material);
  for (int i = 0; i < settings->parts.count; i++) apply_part(&part[i], fe, body);
}

static const NsKey   bar_keys[] = {NS_BAR_KEYS, {NULL}};
static const NsTable bar_table  = {"bar", "straight elastic bar", bar_keys, sizeof(NsBarSettings)};

static PetscErrorCode NsBodyBuild_Bar(const void *settings, NsFe *fe, NsFeBody *body)
{
  NsFeElement     *element = fe->element + body->first_element;
  const NsMesh    *mesh    = body->mesh;
  const NsPlace    place   = NsKeysPlace(body->where, "mesh");
  const PetscReal *first = fe->x + 3 * body->first_node, *last = first + 3 * (mesh->nodes - 1);
  PetscReal       *axis = body->direction[0], length = 0;

  PetscFunctionBegin;
  body->node_unknowns = 1;
  if (!mesh->along) {
    NsDiagError(fe->diag, place, "the mesh of bar '%s' is not one open line", body->name);
    NsDiagNote(fe->diag, "a bar has one unknown a node, along its line; for other meshes use `type: truss`");
    PetscFunctionReturn(0);
  }
  for (int k = 0; k < 3; k++) length += PetscSqr(last[k] - first[k]); /* nodes are numbered along the line */
  length = PetscSqrtReal(length);
  for (int k = 0; k < 3; k++) axis[k] = length > 0 ? (last[k] - first[k]) / length : 0;
  for (PetscInt i = 0; i < mesh->elements; i++) {
    const PetscReal *a = fe->x + 3 * element[i].node[0], *b = fe->x + 3 * element[i].node[1];
    PetscReal        forward = 0, along = 0, off = 0;
    for (int k = 0; k < 3; k++) {
      forward += (b[k] - a[k]) * axis[k];
      along += (b[k] - first[k]) * axis[k];
    }
    for (int k = 0; k < 3; k++) off += PetscSqr(b[k] - first[k] - along * axis[k]);
    if (forward <= 0 || off > PetscSqr(1e-9 * mesh->length)) {
      NsDiagError(fe->diag, place,
        forward <= 0 ? "the mesh of bar '%s' runs back over itself at (%g, %g, %g) m"
                     : "the mesh of bar '%s' is not straight: it bends at (%g, %g, %g) m",
        body->name, a[0], a[1], a[2]);
      NsDiagNote(fe->diag, "a bar has one unknown a node, along its line; for other meshes use `type: truss`");
      PetscFunctionReturn(0);
    }
    element[i].cosine[0] = 1;
  }
  NsBarProperties(settings, fe, body);
  PetscFunctionReturn(0);
}

const NsVariant NsBodyVariant_Bar = {
  .name  = "bar",
  .title = "straight elastic bar, one unknown a node along its line",
  .about = "Linear two-node elements that carry axial force; waves run at c0 = sqrt(young/density).\n"
           "Step limits of explicit schemes, undamped, element length le: le/(sqrt(3) c0) with consistent mass, le/c0 lumped.",
  .table = &bar_table,
};
const NsBodyType NsBodyType_Bar = {&NsBodyVariant_Bar, NsBodyMesh_Bar, NsBodyBuild_Bar};
