/*
  What all bodies of line elements share: keys, and the section and material of each element.
*/
#include <string.h>
#include "line_body.h"

const char *const NsTheoryChoices[] = {"timoshenko", "euler_bernoulli", NULL};
const char *const NsRotaryChoices[] = {"by_theory", "yes", "no", NULL};
const char *const NsMassChoices[]   = {"consistent", "lumped", "redistributed", NULL};

static const NsKey rayleigh_keys[] = {
  {"mass", NS_KEY_NUMBER, offsetof(NsRayleigh, mass), .dimension = NS_DIM_RATE, .default_value = "0", .minimum = "0",
    .help = "coefficient of the mass matrix in C", .example = "10 1/s"},
  {"stiffness", NS_KEY_NUMBER, offsetof(NsRayleigh, stiffness), .dimension = NS_DIM_TIME, .default_value = "0", .minimum = "0",
    .help = "coefficient of the stiffness matrix in C; reduces the critical time step", .example = "5 ns"},
  {NULL},
};
static const NsTable rayleigh_table = {"rayleigh", "C = mass M + stiffness K", rayleigh_keys, sizeof(NsRayleigh)};

static const NsKey damping_keys[] = {
  {"rayleigh", NS_KEY_TABLE, offsetof(NsDamping, rayleigh), .table = &rayleigh_table, .required = true, .help = "C = mass M + stiffness K",
    .example = "{mass: 0 1/s, stiffness: 5 ns}"},
  {NULL},
};
const NsTable NsTable_Damping = {"damping", "internal damping of a body", damping_keys, sizeof(NsDamping)};

#define NS_BEAM_DAMPING_KEYS \
  {"rayleigh", NS_KEY_TABLE, offsetof(NsDamping, rayleigh), .table = &rayleigh_table, \
    .help    = "C = mass M + stiffness K in fixed axes; `mass` damps all motion, also the spin of a free rotor", \
    .example = "{mass: 0 1/s, stiffness: 1e-7 s}"}, \
  { \
    "torsion", NS_KEY_NUMBER, offsetof(NsDamping, torsion), .dimension = {2, 1, -1, 0}, .default_value = "0", .minimum = "0", \
                                                            .help = "torsional dashpot between the ends of each element", .example = "0.001 N m s" \
  }
static const NsKey beam_damping_keys[] = {
  NS_BEAM_DAMPING_KEYS,
  {NULL},
};
const NsTable NsTable_BeamDamping = {"beam_damping", "internal damping of a beam", beam_damping_keys, sizeof(NsDamping)};

static const NsKey rotor_damping_keys[] = {
  NS_BEAM_DAMPING_KEYS,
  {"rotating", NS_KEY_NUMBER, offsetof(NsDamping, rotating), .dimension = NS_DIM_TIME, .default_value = "0", .minimum = "0",
    .help =
      "stiffness-proportional damping in axes that rotate with the shaft: internal damping of its material, which drives forward whirl above critical speeds",
    .example = "1e-5 s"},
  {NULL},
};
const NsTable NsTable_RotorDamping = {"rotor_damping", "internal damping of a rotor", rotor_damping_keys, sizeof(NsDamping)};

static const NsKey initial_keys[] = {
  {"velocity", NS_KEY_VECTOR, offsetof(NsInitial, velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_VELOCITY, .default_value = "[0, 0, 0]",
    .help = "velocity of the whole body", .example = "[-0.1 m/s, 0, 0]"},
  {"displacement", NS_KEY_VECTOR, offsetof(NsInitial, displacement), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_LENGTH,
    .default_value = "[0, 0, 0]", .help = "displacement of the whole body from its position in the mesh", .example = "[1 mm, 0, 0]"},
  {NULL},
};
const NsTable NsTable_Initial = {"initial", "initial state of a body", initial_keys, sizeof(NsInitial)};

static const NsKey part_keys[] = {
  {"range", NS_KEY_NUMBERS, offsetof(NsPart, range), .columns = 1, .columns_dimension = {{1, 0, 0, 0}}, .least = 2, .most = 2,
    .help = "start and end of the part along the line; both must be at nodes", .example = "[0.5 m, 1 m]"},
  {"group", NS_KEY_STRING, offsetof(NsPart, group), .help = "name of a physical curve of the mesh file", .example = "thick"},
  {"section", NS_KEY_TABLE, offsetof(NsPart, section), .table = &NsTable_Section, .help = "section of this part",
    .example = "{circle: {radius: 20 mm}}"},
  {"section_end", NS_KEY_TABLE, offsetof(NsPart, section_end), .table = &NsTable_Section,
    .help = "section at the end of the range; `section` tapers to it linearly", .example = "{circle: {radius: 10 mm}}"},
  {"material", NS_KEY_TABLE, offsetof(NsPart, material), .table = &NsTable_Material, .help = "material of this part",
    .example = "{density: 2700 kg/m^3, young: 70 GPa}"},
  {NULL},
};

/* A taper needs sections of the same shape. */
static void check_taper(const NsNode *where, const NsSection *section, const NsSection *section_end, NsDiag *diag)
{
  const char *from = NsSectionShape(section), *to = NsSectionShape(section_end);

  if (strcmp(from, to)) NsDiagError(diag, NsKeysPlace(where, "section_end"), "a taper needs two sections of the same shape, not %s and %s", from, to);
}

static void check_part(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsPart *part = settings;

  (void)arena;
  if (!part->section && !part->material) NsDiagError(diag, part->where->place, "a part needs a section or a material of its own");
  if (part->section_end && !part->section)
    NsDiagError(diag, NsKeysPlace(part->where, "section_end"), "section_end needs `section`, the section at the beginning");
  else if (part->section_end && !part->range.rows)
    NsDiagError(diag, NsKeysPlace(part->where, "section_end"), "a taper needs a `range`");
  else if (part->section_end)
    check_taper(part->where, part->section, part->section_end, diag);
  if (part->range.rows == 2 && part->range.values[1] <= part->range.values[0]) {
    NsDiagError(
      diag, NsKeysPlace(part->where, "range"), "range must be ascending, but goes from %g m to %g m", part->range.values[0], part->range.values[1]);
  }
}
const NsTable NsTable_Part = {
  "part", "part of a body with its own properties", part_keys, sizeof(NsPart), .one_of = "range, group", .check = check_part};

PetscErrorCode NsBodyMesh_Line(const void *settings, NsFe *fe, NsMesh **mesh)
{
  PetscFunctionBegin;
  PetscCall(NsMeshCreate(((const NsLineBodySettings *)settings)->mesh, fe->arena, fe->diag, mesh));
  PetscFunctionReturn(0);
}

void NsLineBodyMeasure(NsFe *fe, NsFeBody *body)
{
  const PetscReal extent = NsFeExtent(body);

  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    NsFeElement *e = &fe->element[body->first_element + i];
    NsLineMeasure(fe->x, e);
    if (i > 0 && PetscAbsReal(NsLine(e)->length - NsLine(e - 1)->length) <= 8 * PETSC_MACHINE_EPSILON * extent)
      NsLine(e)->length = NsLine(e - 1)->length;
  }
}

/* The property of a section and a material: of elements that follow each other it is the same object. */
static const NsProperty *property_of(NsFe *fe, const NsSection *section, const NsMaterial *material, const NsProperty *last)
{
  if (last && last->section == section && last->material == material) return last;
  NsProperty *property = NsArenaAlloc(fe->arena, sizeof(*property));
  NsPropertyMake(section, material, property);
  return property;
}

static const NsProperty *between(NsFe *fe, const NsProperty *a, const NsProperty *b, PetscReal fraction)
{
  NsProperty *property = NsArenaAlloc(fe->arena, sizeof(*property));

  NsPropertyBetween(a, b, PetscMin(1, PetscMax(0, fraction)), property);
  return property;
}

/* Applies a part to one of its elements, which covers the fractions `start` to `end` of it (for tapers). */
static void apply(NsFe *fe, const NsFeBody *body, PetscInt index, const NsPart *part, PetscReal start, PetscReal end)
{
  NsLineElement    *e   = NsLine(&fe->element[body->first_element + index]);
  const NsProperty *old = e->property[0], *last = index ? NsLine(&fe->element[body->first_element + index - 1])->property[0] : NULL;
  const NsSection  *section  = part->section ? part->section : old->section;
  const NsMaterial *material = part->material ? part->material : old->material;

  if (!part->section && old != e->property[1]) { /* another material on a taper */
    for (int k = 0; k < 2; k++) {
      NsProperty *property = NsArenaAlloc(fe->arena, sizeof(*property));
      *property            = *e->property[k];
      NsPropertyTakeMaterial(material, property);
      e->property[k] = property;
    }
    return;
  }
  e->property[0] = e->property[1] = property_of(fe, section, material, last);
  if (!part->section_end) return;
  const NsProperty *thick = property_of(fe, section, material, NULL), *thin = property_of(fe, part->section_end, material, NULL);
  e->property[0] = between(fe, thick, thin, start);
  e->property[1] = between(fe, thick, thin, end);
}

/* A part that ends within an element would include the whole element or none of it: this is an error, up to rounding of distances in the config. */
static PetscBool ends_at_nodes(const NsPart *part, NsFe *fe, const NsMesh *mesh)
{
  for (int end = 0; end < 2; end++) {
    const PetscReal at      = part->range.values[end];
    PetscReal       nearest = 0;
    for (PetscInt i = 0; i < mesh->nodes; i++) {
      if (PetscAbsReal(mesh->along[i] - at) < PetscAbsReal(nearest - at)) nearest = mesh->along[i];
    }
    if (PetscAbsReal(nearest - at) <= 1e-6 * mesh->length) continue;
    NsDiagError(fe->diag, NsKeysNumberPlace(part->where, "range", end, 0), "the part %s within an element, at %g m: the nearest node is at %g m",
      end ? "ends" : "begins", at, nearest);
    NsDiagNote(fe->diag,
      "write `nodes_at: [%g m]`, with the ends of all parts, in the `line` of the mesh, or choose `elements` so that a node lies there", at);
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* To the elements between two distances along the body, at which there are nodes. */
static void apply_between(const NsPart *part, NsFe *fe, const NsFeBody *body, PetscReal start, PetscReal end)
{
  const NsMesh *mesh = body->mesh;

  for (PetscInt i = 0; i < mesh->elements; i++) {
    const PetscReal a      = mesh->along[mesh->connection[2 * i]];
    const PetscReal b      = mesh->along[mesh->connection[2 * i + 1]];
    const PetscReal middle = (a + b) / 2;
    if (middle <= start || middle > end) continue;
    apply(fe, body, i, part, (a - start) / (end - start), (b - start) / (end - start));
  }
}

static void apply_part(const NsPart *part, NsFe *fe, NsFeBody *body)
{
  const NsMesh *mesh = body->mesh;

  if (part->group) {
    const NsMeshSet *set = NsMeshElementSet(mesh, part->group);
    if (!set) {
      NsMeshElementSetError(mesh, part->group, NsKeysPlace(part->where, "group"), fe->arena, fe->diag);
      return;
    }
    for (PetscInt i = 0; i < set->count; i++) apply(fe, body, set->items[i], part, -1, -1);
    return;
  }
  if (!mesh->along) {
    NsDiagError(fe->diag, NsKeysPlace(part->where, "range"), "range needs a mesh that is a single open line; use `group` for other meshes");
    return;
  }
  const PetscReal tolerance = 1e-9 * mesh->length;
  if (part->range.values[0] < -tolerance || part->range.values[1] > mesh->length + tolerance) {
    NsDiagError(fe->diag, NsKeysPlace(part->where, "range"), "range [%g m, %g m] exceeds the line, which is %g m long", part->range.values[0],
      part->range.values[1], mesh->length);
    return;
  }
  if (!ends_at_nodes(part, fe, mesh)) return;
  apply_between(part, fe, body, part->range.values[0], part->range.values[1]);
}

/* A round section at one end of a piece of a shaft. It is a tube at both ends if one end has a bore, because a taper needs sections of one shape. */
static const NsSection *round_section(NsFe *fe, const NsShaftPiece *piece, int end)
{
  NsSection   *section = NsArenaAlloc(fe->arena, sizeof(*section));
  const double outer = NsShaftDiameter(&piece->diameter, end) / 2, inner = NsShaftDiameter(&piece->bore, end) / 2;

  *section = (NsSection){.where = piece->where};
  if (piece->bore.rows) {
    NsTube *tube  = NsArenaAlloc(fe->arena, sizeof(*tube));
    *tube         = (NsTube){piece->where, outer, inner};
    section->tube = tube;
  } else {
    NsCircle *circle = NsArenaAlloc(fe->arena, sizeof(*circle));
    *circle          = (NsCircle){piece->where, outer};
    section->circle  = circle;
  }
  return section;
}

/* The pieces of a shaft as parts of the body, material apart. */
static void apply_stations(const NsStationsSettings *stations, const NsMaterial *material, NsFe *fe, const NsFeBody *body)
{
  const NsShaftPiece *piece = stations->list.items;
  PetscReal           at    = 0;

  for (int i = 0; i < stations->list.count; at += piece[i++].length) {
    NsPart part = {.where = piece[i].where, .section = round_section(fe, &piece[i], 0), .material = material};
    if (piece[i].diameter.rows == 2 || piece[i].bore.rows == 2) part.section_end = round_section(fe, &piece[i], 1);
    apply_between(&part, fe, body, at, at + piece[i].length);
  }
}

/* With stations the sections are theirs; parts may have others. */
static void check_stations(const NsLineBodySettings *settings, NsFe *fe)
{
  for (int end = 0; end < 2 && settings->mesh->stations; end++) {
    if (!(end ? settings->section_end : settings->section)) continue;
    NsDiagError(fe->diag, NsKeysPlace(settings->where, end ? "section_end" : "section"),
      "the sections follow from the diameters of `stations`: remove this key, or write `mesh: {line: ...}`");
  }
}

static void judge(const NsLineBodySettings *settings, NsFe *fe, const NsFeBody *body)
{
  const NsPart     *part  = settings->parts.items;
  const NsProperty *first = body->mesh->elements ? NsLine(&fe->element[body->first_element])->property[0] : NULL;

  NsFeJudgeMaterial(settings->material->where, settings->material->density, settings->material->young, fe->diag);
  for (int i = 0; i < settings->parts.count; i++) {
    if (part[i].material) NsFeJudgeMaterial(part[i].material->where, part[i].material->density, part[i].material->young, fe->diag);
  }
  if (first && body->mesh->along)
    NsFeJudgeLength(
      settings->mesh->where, body->name, body->mesh->length, first->radius > 0 ? 2 * first->radius : PetscSqrtReal(first->area), fe->diag);
}

void NsLineBodyProperties(const NsLineBodySettings *settings, NsFe *fe, NsFeBody *body)
{
  const NsPart *part  = settings->parts.items;
  const NsMesh *mesh  = body->mesh;
  NsPart        whole = {.section = settings->section, .material = settings->material, .section_end = settings->section_end};

  body->lumped        = settings->mass >= 1;
  body->redistributed = settings->mass == 2;
  body->reduce        = settings->reduce;
  if (settings->damping && settings->damping->rayleigh) {
    body->damping_mass      = settings->damping->rayleigh->mass;
    body->damping_stiffness = settings->damping->rayleigh->stiffness;
  }
  if (settings->damping) {
    body->damping_torsion  = settings->damping->torsion;
    body->damping_rotating = settings->damping->rotating;
  }
  if (settings->initial) {
    for (int k = 0; k < 3; k++) {
      body->velocity[k]     = settings->initial->velocity[k];
      body->displacement[k] = settings->initial->displacement[k];
    }
  }
  if (settings->section_end && !mesh->along) {
    NsDiagError(fe->diag, NsKeysPlace(settings->where, "section_end"), "a taper needs a mesh that is a single open line");
    whole.section_end = NULL; /* later set-up needs properties nevertheless */
  }
  if (settings->section_end) check_taper(settings->where, settings->section, settings->section_end, fe->diag);
  check_stations(settings, fe);
  if (settings->mesh->stations) apply_stations(settings->mesh->stations, settings->material, fe, body);
  for (PetscInt i = 0; i < mesh->elements && !settings->mesh->stations; i++) {
    const PetscInt *node = mesh->connection + 2 * i;
    apply(fe, body, i, &whole, mesh->along ? mesh->along[node[0]] / mesh->length : 0, mesh->along ? mesh->along[node[1]] / mesh->length : 0);
  }
  for (int i = 0; i < settings->parts.count; i++) apply_part(&part[i], fe, body);
  judge(settings, fe, body);
}

/*
  Elements that are alike share their matrices: those that follow each other, and those of the directions of a lattice, which take turns. Lengths that agree
  but for the rounding of coordinates (`extent` is the largest) become the same, as they do among bars.
*/
#define NS_ALIKE 16

static const NsBeamMatrices *matrices_of(
  NsFe *fe, const NsFeBody *body, NsBeamElement *element, PetscReal extent, PetscInt *count, const NsBeamElement *like[])
{
  NsLineElement  *e = &element->line;
  NsBeamMatrices *beam;

  for (PetscInt k = 0; k < PetscMin(*count, NS_ALIKE); k++) {
    const NsBeamElement *other = like[k];
    if (other->line.property[0] != e->property[0] || other->line.property[1] != e->property[1]) continue;
    if (PetscAbsReal(other->line.length - e->length) > 8 * PETSC_MACHINE_EPSILON * extent) continue;
    e->length = other->line.length;
    return other->matrices;
  }
  beam = NsArenaAlloc(fe->arena, sizeof(*beam));
  NsBeamMatricesMake(e->property[0], e->property[1], e->length, body->theory, beam);
  like[(*count)++ % NS_ALIKE] = element; /* in the place of the oldest */
  return beam;
}

void NsBeamElements(const NsLineBodySettings *settings, NsFe *fe, NsFeBody *body)
{
  const NsBeamElement *like[NS_ALIKE];
  PetscInt             alike  = 0;
  const PetscReal      extent = NsFeExtent(body);

  body->weightless = !settings->weight;
  body->gyroscopic = settings->gyroscopic;
  body->theory     = (NsBeamTheory){.shear = settings->theory == 0,
        .rotary                            = settings->rotary_inertia == 1 || (settings->rotary_inertia == 0 && settings->theory == 0),
        .gyroscopic                        = settings->gyroscopic,
        .axial_force                       = settings->axial_force,
        .lumped                            = body->lumped};
  for (PetscInt i = 0; i < body->mesh->elements; i++) {
    NsBeamElement    *e = fe->element[body->first_element + i].data;
    const NsProperty *p = e->line.property[0];
    if (p->section->area > 0 || e->line.property[1]->section->area > 0) {
      NsDiagError(fe->diag, p->section->where->place, "a beam needs second moments of area, which a section given by its area alone does not have");
      NsDiagNote(fe->diag, "give a shape (circle, tube, rectangle) or `constants`");
      return;
    }
    e->matrices = matrices_of(fe, body, e, extent, &alike, like);
  }
}
