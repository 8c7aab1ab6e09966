/*
  Inertias carried by points of bodies: point masses, and discs (on a node or inside an element).

  A disc is rigid: with T the motion of its point for unit unknowns, it adds  T' diag(m, m, m, J1, J2, J3) T  to the mass matrix. On a rotor that spins with Omega
  about axis 1 its angular momentum Jp Omega tilts with the shaft, which causes the moments  M2 = -Jp Omega theta3',  M3 = Jp Omega theta2'.
*/
#include "fe/elements/beam.h"
#include "fe/model/fe.h"

typedef struct {
  const NsNode *where;
  NsStrings     at;
  double        mass;
} NsMassSettings;

typedef struct {
  const NsNode *where;
  double        outer_radius, inner_radius, thickness, density;
} NsDiscShape;

typedef struct {
  const NsNode      *where;
  const char        *at, *spin_of;
  double             mass, polar_inertia, diametral_inertia, radius;
  const NsDiscShape *shape;
  bool               gyroscopic;
} NsDiscSettings;

static const NsKey mass_keys[] = {
  {"at", NS_KEY_STRINGS, offsetof(NsMassSettings, at), .required = true, .least = 1, .help = "points that carry it, each with the full mass",
    .example = "bar.right"},
  {"mass", NS_KEY_NUMBER, offsetof(NsMassSettings, mass), .dimension = NS_DIM_MASS, .required = true, .minimum = "0 <", .help = "point mass",
    .example = "0.2 kg"},
  {NULL},
};
const NsTable NsTable_Mass = {"mass", "point mass", mass_keys, sizeof(NsMassSettings)};

static const NsKey shape_keys[] = {
  {"outer_radius", NS_KEY_NUMBER, offsetof(NsDiscShape, outer_radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "outer radius", .example = "140 mm"},
  {"inner_radius", NS_KEY_NUMBER, offsetof(NsDiscShape, inner_radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "radius of the bore", .example = "25 mm"},
  {"thickness", NS_KEY_NUMBER, offsetof(NsDiscShape, thickness), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "length along the axis", .example = "70 mm"},
  {"density", NS_KEY_NUMBER, offsetof(NsDiscShape, density), .dimension = NS_DIM_DENSITY, .required = true, .minimum = "0 <",
    .help = "mass per volume", .example = "7810 kg/m^3"},
  {NULL},
};
static void check_shape(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsDiscShape *shape = settings;

  (void)arena;
  if (shape->inner_radius >= shape->outer_radius) {
    NsDiagError(diag, NsKeysPlace(shape->where, "inner_radius"), "inner_radius (%g m) must be less than outer_radius (%g m)", shape->inner_radius,
      shape->outer_radius);
  }
}
static const NsTable shape_table = {"disc_shape", "disc of one material", shape_keys, sizeof(NsDiscShape), .check = check_shape};

static const NsKey disc_keys[] = {
  {"at", NS_KEY_STRING, offsetof(NsDiscSettings, at), .required = true,
    .help = "point that carries it: a node, or a point within an element (less accurate for tilting modes)", .example = "shaft@180 mm"},
  {"mass", NS_KEY_NUMBER, offsetof(NsDiscSettings, mass), .dimension = NS_DIM_MASS, .minimum = "0 <", .help = "mass", .example = "4.98 kg"},
  {"polar_inertia", NS_KEY_NUMBER, offsetof(NsDiscSettings, polar_inertia), .dimension = {2, 1, 0, 0}, .default_value = "0", .minimum = "0",
    .help = "moment of inertia about the axis of the body", .example = "0.01 kg m^2"},
  {"diametral_inertia", NS_KEY_NUMBER, offsetof(NsDiscSettings, diametral_inertia), .dimension = {2, 1, 0, 0}, .default_value = "0", .minimum = "0",
    .help = "moment of inertia about a diameter", .example = "0.006 kg m^2"},
  {"shape", NS_KEY_TABLE, offsetof(NsDiscSettings, shape), .table = &shape_table,
    .help    = "dimensions and density, instead of mass and moments of inertia",
    .example = "{outer_radius: 140 mm, inner_radius: 25 mm, thickness: 70 mm, density: 7810 kg/m^3}"},
  {"gyroscopic", NS_KEY_BOOLEAN, offsetof(NsDiscSettings, gyroscopic), .default_value = "true", .help = "gyroscopic moments, if a rotor carries it",
    .example = "false"},
  {"spin_of", NS_KEY_STRING, offsetof(NsDiscSettings, spin_of),
    .help = "point of the shaft whose speed determines the gyroscopic moments; default: the disc's own point", .example = "shaft@236 mm"},
  {"radius", NS_KEY_NUMBER, offsetof(NsDiscSettings, radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "radius of the outline in pictures; default: that of the shape", .example = "80 mm"},
  {NULL},
};
static void check_disc(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsDiscSettings *disc = settings;

  (void)arena;
  if (!disc->shape) return;
  if (disc->polar_inertia != 0 || disc->diametral_inertia != 0)
    NsDiagError(diag, NsKeysPlace(disc->where, disc->polar_inertia != 0 ? "polar_inertia" : "diametral_inertia"),
      "the moments of inertia of a disc with `shape` follow from the shape");
}
const NsTable NsTable_Disc = {"disc", "rigid disc", disc_keys, sizeof(NsDiscSettings), .one_of = "mass, shape", .check = check_disc};

void NsFeInertiaMass(const NsFeInertia *inertia, const NsPoint *point, PetscReal *M)
{
  const PetscInt n = point->unknowns;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      M[i * n + j] = inertia->mass * NsDot3(point->move[i], point->move[j]);
      if (inertia->across) {
        M[i * n + j] = 0;
        for (int k = 1; k < 3; k++)
          M[i * n + j] += inertia->mass * NsDot3(point->move[i], inertia->frame[k]) * NsDot3(point->move[j], inertia->frame[k]);
      }
      for (int k = 0; k < 3 && inertia->inertia[0] + inertia->inertia[1] + inertia->inertia[2] > 0; k++)
        M[i * n + j] += inertia->inertia[k] * NsDot3(point->turn[i], inertia->frame[k]) * NsDot3(point->turn[j], inertia->frame[k]);
    }
  }
}

void NsFeDiscGyroscopic(const NsFeInertia *disc, const NsPoint *point, PetscReal *G)
{
  const PetscInt   n  = point->unknowns;
  const PetscReal *e2 = disc->frame[1], *e3 = disc->frame[2];

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++)
      G[i * n + j] =
        disc->inertia[0] * (NsDot3(point->turn[i], e2) * NsDot3(point->turn[j], e3) - NsDot3(point->turn[i], e3) * NsDot3(point->turn[j], e2));
  }
}

static void check_range(NsFe *fe, const NsFeInertia *inertia, const NsNode *where)
{
  if (inertia->mass < 1e30 && inertia->inertia[0] < 1e30 && inertia->inertia[1] < 1e30) return;
  NsDiagError(fe->diag, where->key_place, "'%s' is out of range: mass %g kg, moments of inertia %g and %g kg m^2", inertia->name, inertia->mass,
    inertia->inertia[0], inertia->inertia[1]);
}

static void add_masses(NsFe *fe, const NsMassSettings *settings, const char *name)
{
  for (int i = 0; i < settings->at.count; i++) {
    PetscInt         count;
    const NsFePoint *spots = NsFeFindPoints(fe, settings->at.items[i], NULL, settings->at.where[i]->place, PETSC_FALSE, &count);
    if (!spots) continue;
    check_range(fe, &(NsFeInertia){.name = name, .mass = settings->mass}, settings->where);
    for (PetscInt n = 0; n < count; n++) *NsFeAddInertia(fe) = (NsFeInertia){.name = name, .at = spots[n], .mass = settings->mass};
  }
}

/* The axes of the body at a point: those of a rotor, else along and across the line, else x, y, z. */
static void axes_at(const NsFe *fe, const NsFePoint *spot, PetscReal frame[3][3])
{
  const NsFeBody *body = &fe->body[spot->body];
  PetscReal       axis[3];

  for (int i = 0; i < 9; i++) frame[i / 3][i % 3] = body->is_rotor ? body->frame[i / 3][i % 3] : i / 3 == i % 3;
  if (!body->is_rotor && NsFeAxis(fe, spot, axis)) (void)NsBeamFrame(axis, NULL, frame);
}

static void add_disc(NsFe *fe, const NsDiscSettings *settings, const char *name)
{
  NsFeInertia disc;
  NsFePoint   spot;

  if (!NsFeFindPoint(fe, settings->at, NULL, NsKeysPlace(settings->where, "at"), PETSC_FALSE, &spot)) return;
  disc = (NsFeInertia){.name = name,
    .at                      = spot,
    .mass                    = settings->mass,
    .gyroscopic              = settings->gyroscopic,
    .radius                  = settings->radius,
    .inertia                 = {settings->polar_inertia, settings->diametral_inertia, settings->diametral_inertia}};
  if (settings->shape) {
    const NsDiscShape *s       = settings->shape;
    const PetscReal    squares = PetscSqr(s->outer_radius) + PetscSqr(s->inner_radius);
    disc.mass                  = s->density * PETSC_PI * (s->outer_radius - s->inner_radius) * (s->outer_radius + s->inner_radius) * s->thickness;
    disc.inertia[0]            = disc.mass * squares / 2;
    disc.inertia[1] = disc.inertia[2] = disc.mass * (3 * squares + PetscSqr(s->thickness)) / 12;
    if (disc.radius == 0) disc.radius = s->outer_radius;
  }
  check_range(fe, &disc, settings->where);
  axes_at(fe, &spot, disc.frame);
  disc.spin_at = spot;
  if (settings->spin_of && !NsFeFindPoint(fe, settings->spin_of, NULL, NsKeysPlace(settings->where, "spin_of"), PETSC_FALSE, &disc.spin_at)) return;
  if (disc.spin_at.body != spot.body) {
    NsDiagError(
      fe->diag, NsKeysPlace(settings->where, "spin_of"), "'%s' is not on '%s', which carries the disc", settings->spin_of, fe->body[spot.body].name);
    return;
  }
  if (settings->spin_of && !fe->body[spot.body].is_rotor) {
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "spin_of"), "'%s' is not a rotor: spin_of has no effect", fe->body[spot.body].name);
  }
  if (disc.inertia[1] < disc.inertia[0] / 2 * (1 - 1e-12)) {
    NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "diametral_inertia"),
      "these moments of inertia are impossible for a rigid body: the diametral one, %g kg m^2, is less than half the polar one, %g kg m^2",
      disc.inertia[1], disc.inertia[0]);
  }
  if (disc.inertia[0] + disc.inertia[1] > 0) {
    PetscBool turns = PETSC_FALSE;
    for (int a = 0; a < fe->body[spot.body].node_unknowns; a++) turns = turns || fe->body[spot.body].turns[a];
    if (!turns)
      NsDiagWarning(fe->diag, NsKeysPlace(settings->where, "at"), "nodes of '%s' have no rotations: the moments of inertia have no effect",
        fe->body[spot.body].name);
  }
  *NsFeAddInertia(fe) = disc;
}

void NsFeAttach_Mass(NsFe *fe, const NsList *list)
{
  const NsMassSettings *settings = list->items;

  for (int m = 0; m < list->count; m++) add_masses(fe, &settings[m], list->names[m]);
}

void NsFeAttach_Disc(NsFe *fe, const NsList *list)
{
  const NsDiscSettings *settings = list->items;

  for (int d = 0; d < list->count; d++) add_disc(fe, &settings[d], list->names[d]);
}
