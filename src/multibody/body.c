/*
  Bodies of `type: body`: keys, mass properties, places and velocities at the start.

  The frame of the config has its origin where `at` says; center of mass and principal axes follow from the shapes, or are that frame's own. Inside, everything is in the frame of the center
  and the principal axes (system.h).
*/
#include <string.h>
#include "core/tree_copies.h"
#include "beams.h"
#include "shapes.h"

typedef struct {
  const NsNode *where;
  double        at[3];
} PointSettings;

typedef struct {
  const NsNode            *where;
  double                   from[3], to[3], radius;
  const NsElasticSettings *elastic;
} RodSettings;

typedef struct {
  const NsNode *where;
  double        velocity[3];
  NsNumbers     angular_velocity;
} InitialSettings;

typedef struct {
  const NsNode             *where;
  long                      dimension;
  double                    at[3], mass, density;
  NsNumbers                 inertia;
  const NsRotationSettings *rotation;
  const RodSettings        *rod;
  NsList                    shapes, points;
  const InitialSettings    *initial;
  const char               *material; /* read by contact/materials.c */
} BodySettings;

static const NsKey point_keys[] = {
  {"at", NS_KEY_VECTOR, offsetof(PointSettings, at), .dimension = NS_DIM_LENGTH, .required = true, .help = "position in the body's frame",
    .example = "[10 mm, 0, 0]"},
  {NULL},
};
static const NsTable point_table = {"body_point", "named point of a body", point_keys, sizeof(PointSettings), .shorthand = "at"};

static const NsKey rod_keys[] = {
  {"from", NS_KEY_VECTOR, offsetof(RodSettings, from), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .required = true,
    .help = "initial position of its left end", .example = "[0, 0, 0]"},
  {"to", NS_KEY_VECTOR, offsetof(RodSettings, to), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .required = true,
    .help = "initial position of its right end", .example = "[0, 0.1 m, 0]"},
  {"radius", NS_KEY_NUMBER, offsetof(RodSettings, radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "radius of a round rod; 0: thin rod (in the plane only)", .example = "5 mm"},
  {"elastic", NS_KEY_TABLE, offsetof(RodSettings, elastic), .table = &NsTable_Elastic,
    .help = "the rod bends, twists and stretches: beam elements that may move far; default: rigid", .example = "{young: 210 GPa, elements: 8}"},
  {NULL},
};
static const NsTable rod_table = {"rod", "uniform rod between two points", rod_keys, sizeof(RodSettings)};

static const NsKey initial_keys[] = {
  {"velocity", NS_KEY_VECTOR, offsetof(InitialSettings, velocity), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_VELOCITY,
    .default_value = "[0, 0, 0]", .help = "velocity of the centre of mass; default: follows from the joints, else 0", .example = "[0, 0, -1 m/s]"},
  {"angular_velocity", NS_KEY_NUMBERS, offsetof(InitialSettings, angular_velocity), .columns = 1, .least = 1, .most = 3,
    .dimension = NS_DIM_ANGULAR_VELOCITY, .columns_dimension = {NS_DIM_ANGULAR_VELOCITY},
    .help = "about the body's own axes x, y, z; in the plane one number; default: follows from the joints, else 0", .example = "[0, 0, 150 rad/s]"},
  {NULL},
};
static const NsTable initial_table = {"body_initial", "velocities of a body at the start", initial_keys, sizeof(InitialSettings)};

static const NsKey body_keys[] = {
  {"dimension", NS_KEY_INTEGER, offsetof(BodySettings, dimension), .default_value = "3", .minimum = "2", .maximum = "3",
    .help = "3: moves in space; 2: moves in the x-y plane and rotates about z", .example = "2"},
  {"at", NS_KEY_VECTOR, offsetof(BodySettings, at), .space = NS_SPACE_POINT, .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]",
    .help    = "initial position of the origin of its frame, which is the centre of mass unless that of the shapes is elsewhere",
    .example = "[0, 0, 0.3 m]"},
  {"rotation", NS_KEY_TABLE, offsetof(BodySettings, rotation), .space = NS_SPACE_TURN, .table = &NsTable_Rotation,
    .help = "initial orientation of its frame", .example = "{axis: [1, 0, 0], angle: 30 deg}"},
  {"rod", NS_KEY_TABLE, offsetof(BodySettings, rod), .table = &rod_table,
    .help    = "uniform rod, instead of at, rotation and inertia; its x axis goes from the point `left` to the point `right`",
    .example = "{from: [0, 0, 0], to: [0, 0.1 m, 0]}"},
  {"mass", NS_KEY_NUMBER, offsetof(BodySettings, mass), .dimension = NS_DIM_MASS, .minimum = "0 <", .help = "mass", .example = "0.3 kg"},
  {"inertia", NS_KEY_NUMBERS, offsetof(BodySettings, inertia), .columns = 1, .least = 1, .most = 6, .columns_dimension = {{2, 1, 0, 0}},
    .dimension = {2, 1, 0, 0},
    .help =
      "moments of inertia about the centre of mass: Ixx, Iyy, Izz, or these and Ixy, Ixz, Iyz (elements of the tensor, with its signs); in the plane Izz only",
    .example = "[0.01, 0.02, 0.03]"},
  {"density", NS_KEY_NUMBER, offsetof(BodySettings, density), .dimension = NS_DIM_DENSITY, .minimum = "0 <",
    .help = "density of the shapes, instead of mass and inertia", .example = "7800 kg/m^3"},
  {"material", NS_KEY_STRING, offsetof(BodySettings, material),
    .help = "name of the material in `contact_materials`: contact laws by pairs of materials", .example = "steel"},
  {"shapes", NS_KEY_NAMED, offsetof(BodySettings, shapes), .table = &NsTable_Shape,
    .help =
      "shapes, each with a name of your choice, for contacts, pictures and inertia: with `mass` and no `inertia`, the mass is distributed over them",
    .example = "{hull: {box: [0.2 m, 0.2 m, 0.6 m]}}"},
  {"points", NS_KEY_NAMED, offsetof(BodySettings, points), .table = &point_table,
    .help = "named points in its frame, for joints, springs and contacts", .example = "{tip: [10 mm, 0, 0]}"},
  {"initial", NS_KEY_TABLE, offsetof(BodySettings, initial), .table = &initial_table, .help = "velocities at the start",
    .example = "{velocity: [0, 0, -1 m/s]}"},
  {NULL},
};

static void check_body(const void *settings, NsArena *arena, NsDiag *diag)
{
  static const char *const without_rod[] = {"at", "rotation", "inertia", "density", NULL};
  const BodySettings      *body          = settings;

  (void)arena;
  for (int i = 0; body->rod && without_rod[i]; i++) {
    if (NsTreeChild(body->where, without_rod[i]))
      NsDiagError(diag, NsKeysPlace(body->where, without_rod[i]), "a `rod` determines `%s`: remove one of them", without_rod[i]);
  }
  if (body->density > 0 && (body->mass > 0 || body->inertia.rows))
    NsDiagError(diag, NsKeysPlace(body->where, "density"), "mass and inertia follow from `density` and the shapes: give either these or the density");
  else if (body->density > 0 && !body->shapes.count)
    NsDiagError(diag, NsKeysPlace(body->where, "density"), "a density needs `shapes`");
  else if (body->density == 0 && body->mass == 0)
    NsDiagError(diag, body->where->key_place, "a body needs `mass` and `inertia`, or `density` and `shapes`");
  else if (body->mass > 0 && !body->inertia.rows && !body->rod && !body->shapes.count)
    NsDiagError(diag, body->where->key_place, "a body with `mass` needs `inertia`, or `shapes` over which the mass is distributed");
  if (body->rod && body->rod->elastic) {
    if (body->shapes.count) {
      NsDiagError(diag, NsKeysPlace(body->where, "shapes"), "an elastic rod has no `shapes`");
      NsDiagNote(diag, "let its points touch, {node: BODY.POINT, radius: 1 mm}, or fix a body with shapes to it: joints of `type: fixed`");
    }
    if (body->rod->radius == 0) NsDiagError(diag, body->rod->where->place, "an elastic rod needs a `radius`, which determines its stiffness");
  }
  for (int i = 0; i < body->points.count; i++) {
    const char *name = body->points.names[i];
    if (!strcmp(name, "center") || (body->rod && (!strcmp(name, "left") || !strcmp(name, "right"))))
      NsDiagError(diag, body->points.where[i]->key_place, "'%s' is already a point of %s", name, body->rod ? "every rod" : "every body");
    else if (body->rod && body->rod->elastic && !strncmp(name, "node", 4))
      NsDiagError(
        diag, body->points.where[i]->key_place, "'%s': names of points of an elastic rod do not begin with 'node', as those of its nodes do", name);
  }
}

static const NsTable body_table = {"body", "rigid body with large rotations", body_keys, sizeof(BodySettings), .check = check_body};

const NsVariant NsBodyVariant_Body = {
  .name  = "body",
  .title = "rigid body that may turn by any angle, in space or in the plane",
  .about =
    "A body of a multibody system: large rotations, gyroscopic terms, gravity. Mass and inertia are given, or follow from shapes and a density; "
    "a rod needs its ends and its mass, and may be elastic. The centre of mass is NAME.center, named points are NAME.POINT. A body with `dimension: 2` moves in the "
    "x-y plane and rotates about z. All bodies of a model have the same dimension.\n"
    "In the results, positions are those of the centre of mass, orientations are unit quaternions p0 .. p3 (scalar first), and angular "
    "velocities are about the body's own axes. For rigid bodies on finite elements, with small rotations, see bodies.rigid.\n",
  .table = &body_table,
};

PetscBool NsMultibodyIs(const NsChosen *body)
{
  return body->variant == &NsBodyVariant_Body;
}

/* Jacobi's rotations: A = P diag(I) P'. A diagonal A keeps its order and P = 1. */
static void principal_axes(const PetscReal six[6], PetscReal moment[3], PetscReal P[9])
{
  PetscReal A[9] = {six[0], six[3], six[4], six[3], six[1], six[5], six[4], six[5], six[2]};

  for (int i = 0; i < 9; i++) P[i] = i % 4 == 0;
  for (int sweep = 0; sweep < 30; sweep++) {
    for (int i = 0; i < 2; i++) {
      for (int j = i + 1; j < 3; j++) {
        if (PetscAbsReal(A[3 * i + j]) <= 1e-16 * (PetscAbsReal(A[4 * i]) + PetscAbsReal(A[4 * j]))) continue;
        const PetscReal theta = (A[4 * j] - A[4 * i]) / (2 * A[3 * i + j]);
        const PetscReal t     = (theta < 0 ? -1 : 1) / (PetscAbsReal(theta) + PetscSqrtReal(theta * theta + 1));
        const PetscReal c = 1 / PetscSqrtReal(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) { /* A J */
          const PetscReal a = A[3 * k + i], b = A[3 * k + j], x = P[3 * k + i], y = P[3 * k + j];
          A[3 * k + i] = c * a - s * b;
          A[3 * k + j] = s * a + c * b;
          P[3 * k + i] = c * x - s * y;
          P[3 * k + j] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) { /* J' A */
          const PetscReal a = A[3 * i + k], b = A[3 * j + k];
          A[3 * i + k] = c * a - s * b;
          A[3 * j + k] = s * a + c * b;
        }
      }
    }
  }
  for (int k = 0; k < 3; k++) moment[k] = A[4 * k];
}

/* The six elements of the inertia tensor about the center. */
static void solid_inertia(const BodySettings *settings, NsMbBody *body, PetscReal six[6])
{
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  NsMassSums       sums     = {0};
  PetscReal        second[6];

  for (PetscInt i = 0; i < body->shapes; i++) NsShapeMass(&body->shape[i], 1, &sums);
  const PetscReal density = settings->density > 0 ? settings->density : settings->mass / sums.mass;
  body->mass              = density * sums.mass;
  for (int k = 0; k < 3; k++) body->center[k] = sums.moment[k] / sums.mass;
  for (int c = 0; c < 6; c++) second[c] = density * (sums.second[c] - sums.mass * body->center[at[c][0]] * body->center[at[c][1]]);
  for (int c = 0; c < 3; c++) six[c] = second[(c + 1) % 3] + second[(c + 2) % 3];
  for (int c = 3; c < 6; c++) six[c] = -second[c];
}

/* Mass, center, principal axes. False after an error. */
static PetscBool mass_properties(NsMultibody *self, const BodySettings *settings, NsMbBody *body)
{
  PetscReal        six[6] = {0};
  const PetscBool  solid  = settings->density > 0 || (!settings->inertia.rows && !settings->rod);
  const NsPlace    place  = NsKeysPlace(settings->where, settings->inertia.rows ? "inertia" : solid ? "shapes" : "rod");
  const PetscReal *given  = settings->inertia.values;
  PetscBool        bulk   = PETSC_FALSE;

  for (PetscInt i = 0; i < body->shapes; i++) bulk = bulk || body->shape[i].kind != NS_SHAPE_POINTS;
  body->mass = settings->mass;
  if (solid && !bulk) {
    NsDiagError(self->diag, place, "points have no volume: this body needs `inertia`, or another shape");
    return PETSC_FALSE;
  }
  if (settings->inertia.rows && settings->inertia.rows != (body->planar ? 1 : 3) && (body->planar || settings->inertia.rows != 6)) {
    NsDiagError(self->diag, place,
      body->planar ? "the inertia of a body in the plane is one number, about z; got %d"
                   : "the inertia of a body in space is three numbers, or six; got %d",
      settings->inertia.rows);
    return PETSC_FALSE;
  }
  if (solid) {
    solid_inertia(settings, body, six);
  } else if (settings->rod) {
    PetscReal d[3], r2 = PetscSqr(settings->rod->radius);
    for (int k = 0; k < 3; k++) d[k] = settings->rod->to[k] - settings->rod->from[k];
    six[0] = body->mass * r2 / 2;
    six[1] = six[2] = body->mass * (NsDot(d, d) / 12 + r2 / 4);
  } else if (body->planar) {
    six[2] = given[0];
  } else {
    for (int c = 0; c < settings->inertia.rows; c++) six[c] = given[c];
  }
  if (body->planar) {
    for (int i = 0; i < 9; i++) body->principal[i] = i % 4 == 0;
    body->inertia[2] = six[2];
  } else {
    principal_axes(six, body->inertia, body->principal);
  }
  for (int k = body->planar ? 2 : 0; k < 3; k++) {
    const PetscReal *J = body->inertia;
    if (!(J[k] > 0 && J[k] < 1e30 && body->mass < 1e30)) {
      NsDiagError(self->diag, place, "the moments of inertia of '%s' are %g, %g, %g kg m^2: all of them must be positive%s", body->name, J[0], J[1],
        J[2], settings->rod ? "" : ", and in range");
      if (settings->rod && !body->planar) NsDiagNote(self->diag, "a rod in space needs a `radius`, because a thin rod has no inertia about its axis");
      return PETSC_FALSE;
    }
    if (!body->planar && J[(k + 1) % 3] + J[(k + 2) % 3] < J[k] * (1 - 1e-9)) {
      NsDiagError(self->diag, place, "the principal moments of inertia %g, %g, %g kg m^2 are impossible: the largest exceeds the sum of the others",
        J[0], J[1], J[2]);
      NsDiagNote(self->diag, "`inertia` is about the centre of mass: subtract m d^2 from moments about a point at the distance d");
      return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Orientation and place of the config's frame; a rod's x axis is along it. */
static PetscBool place_frame(NsMultibody *self, const BodySettings *settings, NsMbBody *body, PetscReal x[3], PetscReal R[9])
{
  const RodSettings *rod = settings->rod;

  body->placed = rod != NULL || NsTreeChild(settings->where, "at") != NULL;
  for (int k = 0; k < 3; k++) x[k] = rod ? (rod->from[k] + rod->to[k]) / 2 : settings->at[k];
  if (rod) {
    PetscReal e[3][3];
    for (int k = 0; k < 3; k++) e[0][k] = rod->to[k] - rod->from[k];
    const PetscReal length = NsLength(e[0]);
    if (!(length > 0 && length < 1e30)) {
      NsDiagError(self->diag, rod->where->place, "the ends of this rod coincide");
      return PETSC_FALSE;
    }
    if (body->planar && e[0][2] != 0) {
      NsDiagError(self->diag, NsKeysPlace(rod->where, "to"), "both ends of a rod in the plane must have the same z");
      return PETSC_FALSE;
    }
    for (int k = 0; k < 3; k++) e[0][k] /= length;
    if (body->planar) {
      e[2][0] = e[2][1] = 0;
      e[2][2]           = 1;
      NsCross(e[2], e[0], e[1]);
    } else {
      NsAcross(e[0], e[1], e[2]);
    }
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) R[3 * k + i] = e[i][k];
    }
    return PETSC_TRUE;
  }
  if (!NsRotationRead(settings->rotation, self->diag, R)) return PETSC_FALSE;
  if (body->planar && settings->rotation && settings->rotation->angle != 0 &&
      (settings->rotation->axis[0] != 0 || settings->rotation->axis[1] != 0)) {
    NsDiagError(self->diag, NsKeysPlace(settings->rotation->where, "axis"), "a body in the plane rotates about z: remove `axis`");
    return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Named points, in the config's frame at first. */
static void make_points(NsMultibody *self, const BodySettings *settings, NsMbBody *body)
{
  const PointSettings *point = settings->points.items;

  body->point         = NsArenaAlloc(self->arena, sizeof(*body->point) * (size_t)(3 + settings->points.count));
  body->points        = 1;
  body->point[0].name = "center";
  for (int k = 0; k < 3; k++) body->point[0].s[k] = body->center[k];
  for (int side = 0; side < 2 && settings->rod; side++) {
    PetscReal d[3];
    for (int k = 0; k < 3; k++) d[k] = settings->rod->to[k] - settings->rod->from[k];
    body->point[body->points++] = (NsBodyPoint){side ? "right" : "left", {(side ? 0.5 : -0.5) * NsLength(d), 0, 0}};
  }
  for (int i = 0; i < settings->points.count; i++) {
    const NsNode *where         = settings->points.where[i];
    body->point[body->points++] = (NsBodyPoint){settings->points.names[i], {point[i].at[0], point[i].at[1], point[i].at[2]}};
    for (int j = 0; j < settings->shapes.count; j++) {
      if (!strcmp(settings->shapes.names[j], settings->points.names[i]))
        NsDiagError(self->diag, where->key_place, "'%s' is already the name of a shape of this body", settings->points.names[i]);
    }
  }
}

/* From the config's frame (at x, R) to the body's own. */
static void to_center(NsMbBody *body, const PetscReal x[3], const PetscReal R[9])
{
  PetscReal d[3];

  for (PetscInt i = 0; i < body->points; i++) {
    for (int k = 0; k < 3; k++) d[k] = body->point[i].s[k] - body->center[k];
    NsTurnBack(body->principal, d, body->point[i].s);
    body->extent = PetscMax(body->extent, NsLength(d));
  }
  for (PetscInt i = 0; i < body->shapes; i++) {
    NsShapeMove(&body->shape[i], body->center, body->principal);
    body->extent = PetscMax(body->extent, NsShapeExtent(&body->shape[i]));
  }
  NsTurn(R, body->center, d);
  for (int k = 0; k < 3; k++) body->x[k] = x[k] + d[k];
  NsProduct(R, body->principal, body->R);
}

static void start_velocities(NsMultibody *self, const BodySettings *settings, NsMbBody *body)
{
  const InitialSettings *initial = settings->initial;

  if (!initial) return;
  body->given_v = NsTreeChild(initial->where, "velocity") != NULL;
  body->given_w = initial->angular_velocity.rows > 0;
  for (int k = 0; k < 3; k++) body->v[k] = initial->velocity[k];
  if (body->planar && body->v[2] != 0) NsDiagError(self->diag, NsKeysPlace(initial->where, "velocity"), "a body in the plane does not move along z");
  if (!body->given_w) return;
  const PetscReal *w = initial->angular_velocity.values;
  if (initial->angular_velocity.rows != (body->planar ? 1 : 3)) {
    NsDiagError(self->diag, NsKeysPlace(initial->where, "angular_velocity"), "the angular velocity of a body in %s",
      body->planar ? "the plane is one number" : "space is three numbers, about its own axes x, y, z");
    return;
  }
  if (body->planar)
    body->w[2] = w[0];
  else
    NsTurnBack(body->principal, w, body->w);
}

static void make_body(NsMultibody *self, const BodySettings *settings, const char *name, NsMbBody *body)
{
  const NsShapeSettings *shape = settings->shapes.items;
  PetscReal              x[3], R[9];

  body->name   = name;
  body->where  = settings->where;
  body->planar = settings->dimension == 2;
  body->rod    = settings->rod != NULL;
  body->radius = body->rod ? settings->rod->radius : 0;
  body->shapes = settings->shapes.count;
  body->shape  = NsArenaAlloc(self->arena, sizeof(*body->shape) * (size_t)(body->shapes + 1));
  for (PetscInt i = 0; i < body->shapes; i++) NsShapeRead(&shape[i], settings->shapes.names[i], self->arena, self->diag, &body->shape[i]);
  if (NsDiagErrors(self->diag) || !place_frame(self, settings, body, x, R) || !mass_properties(self, settings, body)) return;
  make_points(self, settings, body);
  to_center(body, x, R);
  start_velocities(self, settings, body);
  if (!(body->extent < 1e30 && NsLength(body->x) < 1e30 && NsLength(body->v) < 1e30 && NsLength(body->w) < 1e30))
    NsDiagError(self->diag, settings->where->key_place, "body '%s' is out of range: its position, size or velocity", name);
}

/* A body, or the nodes of an elastic rod. */
static void add_body(NsMultibody *self, const BodySettings *settings, const char *name, PetscInt owner)
{
  NsMbBody *body = &self->body[self->bodies];

  make_body(self, settings, name, body);
  body->owner = owner;
  if (settings->rod && settings->rod->elastic && body->points) {
    const NsMbBody rod = *body;
    NsMbAddBeam(self, &rod, settings->rod->elastic);
  } else {
    self->bodies++;
  }
}

void NsMbBodies(NsMultibody *self)
{
  const NsList   *list   = &self->config->bodies;
  const NsChosen *chosen = list->items;
  size_t          most   = 0;

  for (int i = 0; i < list->count; i++) {
    const RodSettings *rod = ((const BodySettings *)chosen[i].settings)->rod;
    most += (size_t)NsMbBeamNodes(rod ? rod->elastic : NULL);
  }
  self->body = NsArenaAlloc(self->arena, sizeof(*self->body) * most);
  self->beam = NsArenaAlloc(self->arena, sizeof(*self->beam) * (size_t)list->count);
  for (int i = 0; i < list->count; i++) add_body(self, chosen[i].settings, list->names[i], i);
  self->frame = NsArenaAlloc(self->arena, sizeof(*self->frame) * (size_t)(self->bodies + 1));
  for (int i = 0; i < 9; i++) self->frame[self->bodies].R[i] = i % 4 == 0;
  for (PetscInt b = 1; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    if (body->planar != self->body[0].planar && body->owner != self->body[b - 1].owner) {
      NsDiagError(self->diag, list->where[body->owner]->key_place,
        "'%s' moves in %s, '%s' in %s: all bodies of a model must have the same `dimension`", body->name, body->planar ? "the plane" : "space",
        self->body[0].name, body->planar ? "space" : "the plane");
    }
  }
  for (PetscInt b = 0; b < self->bodies; b++) {
    NsMbBody *body = &self->body[b];
    body->first    = self->unknowns;
    body->unknowns = body->planar ? 3 : 7;
    self->unknowns += body->unknowns;
    self->length = PetscMax(self->length, body->beam ? (PetscReal)body->beam->elements * body->beam->length : 2 * body->extent);
  }
  for (PetscInt b = 0; b < self->bodies && self->length == 0; b++) {
    const NsMbBody *body = &self->body[b]; /* nothing but centers: the radius of inertia */
    self->length         = PetscSqrtReal(body->inertia[2] / body->mass);
  }
}

void NsMbStart(const NsMultibody *self, PetscReal *q, PetscReal *v)
{
  for (PetscInt b = 0; b < self->bodies; b++) {
    const NsMbBody *body = &self->body[b];
    PetscReal      *qb = q + body->first, *vb = v + body->first;
    for (int k = 0; k < (body->planar ? 2 : 3); k++) {
      qb[k] = body->x[k];
      vb[k] = body->v[k];
    }
    if (body->planar) {
      qb[2] = atan2(body->R[3], body->R[0]);
      vb[2] = body->w[2];
      continue;
    }
    NsMatrixQuaternion(body->R, qb + 3);
    vb[3] = 0;
    for (int k = 0; k < 3; k++) vb[4 + k] = body->w[k];
  }
}

/* ---- names ------------------------------------------------------------------------------------------------------------------------------------------ */

PetscInt NsMbFindBody(NsMultibody *self, const char *name, size_t length, NsPlace place)
{
  const char *word = NsArenaCopy(self->arena, name, length);

  for (PetscInt b = 0; b < self->bodies; b++) {
    if (!strcmp(self->body[b].name, word)) return b;
  }
  NsDiagError(self->diag, place, "there is no body '%s'%s", word, NsDidYouMeanBody(word, self->config->bodies.names));
  return -1;
}

PetscBool NsMbFindPoint(NsMultibody *self, const char *text, PetscBool ground, NsPlace place, NsSide *side)
{
  const char  *dot    = strchr(text, '.');
  const size_t length = dot ? (size_t)(dot - text) : strlen(text);

  *side = (NsSide){.body = self->bodies};
  if (ground && !strcmp(text, "ground")) return PETSC_TRUE;
  side->body = NsMbFindBody(self, text, length, place);
  if (side->body < 0) return PETSC_FALSE;
  const NsMbBody *body  = &self->body[side->body];
  const PetscInt  last  = side->body + (body->beam ? body->beam->elements : 0);
  PetscInt        count = 0;
  for (PetscInt b = side->body; b <= last; b++) count += self->body[b].points;
  const char **words = NsArenaAlloc(self->arena, sizeof(*words) * (size_t)(count + 1));
  count              = 0;
  for (; side->body <= last; side->body++) {
    const NsMbBody *node = &self->body[side->body];
    for (PetscInt i = 0; i < node->points; i++) {
      words[count++] = node->point[i].name;
      if (strcmp(dot ? dot + 1 : "center", node->point[i].name)) continue;
      for (int k = 0; k < 3; k++) side->s[k] = node->point[i].s[k];
      return PETSC_TRUE;
    }
  }
  NsDiagError(self->diag, place, "body '%s' has no point '%s'%s", body->name, dot + 1, NsDidYouMean(NsNearestWord(dot + 1, words)));
  NsDiagNote(self->diag,
    body->beam ? "points of an elastic rod: left, right, center, node0 .. node%d, and those in its `points`"
               : "points of a body: center, left and right of a rod, and those in its `points`",
    (int)(body->beam ? body->beam->elements : 0));
  return PETSC_FALSE;
}
