/*
  Shapes of bodies: keys, mass properties of a homogeneous solid, extent and picture.

      sphere    V = 4/3 pi r^3,  I = 2/5 m r^2                             box        I_x = m/12 (b^2 + c^2)
      cylinder  I_3 = m r^2/2,  I_1 = m (3 r^2 + l^2)/12                   capsule    a cylinder and two half spheres
      ellipsoid V = 4/3 pi a b c,  I_x = m/5 (b^2 + c^2)                    points    no volume
*/
#include "shapes.h"

const char *const NsShapeWords[] = {"sphere", "box", "cylinder", "capsule", "points", "ellipsoid", NULL};

static const NsKey rotation_keys[] = {
  {"axis", NS_KEY_VECTOR, offsetof(NsRotationSettings, axis), .default_value = "[0, 0, 1]", .help = "axis of the rotation, of any length",
    .example = "[0, 1, 0]"},
  {"angle", NS_KEY_NUMBER, offsetof(NsRotationSettings, angle), .dimension = NS_DIM_ANGLE, .required = true,
    .help = "angle about the axis, right-handed", .example = "30 deg"},
  {NULL},
};
const NsTable NsTable_Rotation = {"rotation", "rotation by an angle about an axis", rotation_keys, sizeof(NsRotationSettings)};

static const NsKey sphere_keys[] = {
  {"radius", NS_KEY_NUMBER, offsetof(NsRoundSettings, radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", .help = "radius",
    .example = "50 mm"},
  {NULL},
};
static const NsTable sphere_table = {"sphere_shape", "sphere", sphere_keys, sizeof(NsRoundSettings), .shorthand = "radius"};

static const NsKey round_keys[] = {
  {"radius", NS_KEY_NUMBER, offsetof(NsRoundSettings, radius), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <", .help = "radius",
    .example = "50 mm"},
  {"length", NS_KEY_NUMBER, offsetof(NsRoundSettings, length), .dimension = NS_DIM_LENGTH, .required = true, .minimum = "0 <",
    .help = "length along the z axis of the shape; of a capsule: between the centres of its half spheres", .example = "200 mm"},
  {NULL},
};
static const NsTable round_table = {"round_shape", "cylinder or capsule along its z axis", round_keys, sizeof(NsRoundSettings)};

static const NsKey shape_keys[] = {
  {"sphere", NS_KEY_TABLE, offsetof(NsShapeSettings, round[NS_SHAPE_SPHERE]), .table = &sphere_table, .help = "sphere, by its radius",
    .example = "50 mm"},
  {"box", NS_KEY_VECTOR, offsetof(NsShapeSettings, box), .dimension = NS_DIM_LENGTH, .minimum = "0 <", .help = "box, by its lengths along x, y, z",
    .example = "[0.2 m, 0.2 m, 0.6 m]"},
  {"cylinder", NS_KEY_TABLE, offsetof(NsShapeSettings, round[NS_SHAPE_CYLINDER]), .table = &round_table, .help = "cylinder or disc",
    .example = "{radius: 50 mm, length: 10 mm}"},
  {"capsule", NS_KEY_TABLE, offsetof(NsShapeSettings, round[NS_SHAPE_CAPSULE]), .table = &round_table,
    .help = "cylinder with a half sphere at each end", .example = "{radius: 50 mm, length: 200 mm}"},
  {"points", NS_KEY_NUMBERS, offsetof(NsShapeSettings, points), .columns = 3, .columns_dimension = {NS_DIM_LENGTH, NS_DIM_LENGTH, NS_DIM_LENGTH},
    .help = "contact points, without mass", .example = "[[0, 0, 0], [10 mm, 0, 0]]"},
  {"ellipsoid", NS_KEY_VECTOR, offsetof(NsShapeSettings, ellipsoid), .dimension = NS_DIM_LENGTH, .minimum = "0 <",
    .help = "ellipsoid, by its half axes along x, y, z; it touches planes", .example = "[60 mm, 40 mm, 30 mm]"},
  {"at", NS_KEY_VECTOR, offsetof(NsShapeSettings, at), .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]",
    .help = "position of its centre in the body's frame", .example = "[0, 0, 10 mm]"},
  {"rotation", NS_KEY_TABLE, offsetof(NsShapeSettings, rotation), .table = &NsTable_Rotation, .help = "its orientation in the body's frame",
    .example = "{axis: [1, 0, 0], angle: 90 deg}"},
  {"inside", NS_KEY_BOOLEAN, offsetof(NsShapeSettings, inside), .default_value = "false",
    .help = "the shape is a cavity, with other bodies inside it; it has no mass", .example = "true"},
  {NULL},
};
const NsTable NsTable_Shape = {
  "shape", "shape of a body", shape_keys, sizeof(NsShapeSettings), .one_of = "sphere, box, cylinder, capsule, points, ellipsoid"};

PetscBool NsRotationRead(const NsRotationSettings *settings, NsDiag *diag, PetscReal R[9])
{
  const PetscReal length = settings ? NsLength(settings->axis) : 1;
  PetscReal       axis[3];

  if (!settings) {
    for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
    return PETSC_TRUE;
  }
  if (!(length > 0 && length < 1e100)) {
    NsDiagError(diag, NsKeysPlace(settings->where, "axis"), "the axis of a rotation must not be zero");
    return PETSC_FALSE;
  }
  for (int k = 0; k < 3; k++) axis[k] = settings->axis[k] / length;
  NsAxisMatrix(axis, settings->angle, R);
  return PETSC_TRUE;
}

void NsShapeRead(const NsShapeSettings *settings, const char *name, NsArena *arena, NsDiag *diag, NsShape *shape)
{
  *shape = (NsShape){.name = name, .where = settings->where};
  while (!NsTreeChild(settings->where, NsShapeWords[shape->kind])) shape->kind++;
  shape->inside = settings->inside;
  if (shape->inside && shape->kind >= NS_SHAPE_CAPSULE)
    NsDiagError(diag, NsKeysPlace(settings->where, "inside"), "`inside` is for spheres, boxes and cylinders, not for %s",
      shape->kind == NS_SHAPE_CAPSULE  ? "capsules"
      : shape->kind == NS_SHAPE_POINTS ? "points"
                                       : "ellipsoids");
  for (int k = 0; k < 3; k++) shape->x[k] = settings->at[k];
  (void)NsRotationRead(settings->rotation, diag, shape->R);
  for (int k = 0; k < 3; k++) shape->half[k] = shape->kind == NS_SHAPE_ELLIPSOID ? settings->ellipsoid[k] : settings->box[k] / 2;
  if (shape->kind < NS_SHAPE_POINTS && settings->round[shape->kind]) {
    shape->radius      = settings->round[shape->kind]->radius;
    shape->half_length = settings->round[shape->kind]->length / 2;
  }
  if (shape->kind == NS_SHAPE_BOX) shape->points = 8;
  if (shape->kind == NS_SHAPE_POINTS) shape->points = settings->points.rows;
  shape->point = NsArenaAlloc(arena, sizeof(PetscReal) * 3 * (size_t)(shape->points + 1));
  for (PetscInt i = 0; i < shape->points; i++) {
    PetscReal local[3];
    for (int k = 0; k < 3; k++)
      local[k] = shape->kind == NS_SHAPE_BOX ? (i >> k & 1 ? shape->half[k] : -shape->half[k]) : settings->points.values[3 * i + k];
    NsTurn(shape->R, local, shape->point + 3 * i);
    for (int k = 0; k < 3; k++) shape->point[3 * i + k] += shape->x[k];
  }
}

void NsShapeMove(NsShape *shape, const PetscReal center[3], const PetscReal P[9])
{
  PetscReal x[3], R[9];

  for (int k = 0; k < 3; k++) x[k] = shape->x[k] - center[k];
  NsTurnBack(P, x, shape->x);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = P[i] * shape->R[j] + P[3 + i] * shape->R[3 + j] + P[6 + i] * shape->R[6 + j];
  }
  for (int i = 0; i < 9; i++) shape->R[i] = R[i];
  for (PetscInt i = 0; i < shape->points; i++) {
    for (int k = 0; k < 3; k++) x[k] = shape->point[3 * i + k] - center[k];
    NsTurnBack(P, x, shape->point + 3 * i);
  }
}

/* Volume, and principal moments for mass 1 about its own center. */
static PetscReal solid(const NsShape *shape, PetscReal moment[3])
{
  const PetscReal r = shape->radius, l = 2 * shape->half_length, pi = PETSC_PI;

  moment[0] = moment[1] = moment[2] = 0;
  if (shape->kind == NS_SHAPE_SPHERE) {
    moment[0] = moment[1] = moment[2] = 0.4 * r * r;
    return 4 * pi / 3 * r * r * r;
  }
  if (shape->kind == NS_SHAPE_BOX) {
    const PetscReal *h = shape->half;
    for (int k = 0; k < 3; k++) moment[k] = (PetscSqr(h[(k + 1) % 3]) + PetscSqr(h[(k + 2) % 3])) / 3;
    return 8 * h[0] * h[1] * h[2];
  }
  if (shape->kind == NS_SHAPE_ELLIPSOID) {
    const PetscReal *h = shape->half;
    for (int k = 0; k < 3; k++) moment[k] = (PetscSqr(h[(k + 1) % 3]) + PetscSqr(h[(k + 2) % 3])) / 5;
    return 4 * pi / 3 * h[0] * h[1] * h[2];
  }
  if (shape->kind == NS_SHAPE_CYLINDER) {
    moment[0] = moment[1] = (3 * r * r + l * l) / 12;
    moment[2]             = r * r / 2;
    return pi * r * r * l;
  }
  if (shape->kind == NS_SHAPE_CAPSULE) {
    /* half spheres: 2/5 r^2 about their base's center, which is l/2 off; their own centers are 3/8 r farther out */
    const PetscReal middle = pi * r * r * l, ends = 4 * pi / 3 * r * r * r, all = middle + ends;
    moment[0] = moment[1] = (middle * (3 * r * r + l * l) / 12 + ends * (0.4 * r * r + l * l / 4 + 3 * l * r / 8)) / all;
    moment[2]             = (middle * r * r / 2 + ends * 0.4 * r * r) / all;
    return all;
  }
  return 0;
}

void NsShapeMass(const NsShape *shape, PetscReal density, NsMassSums *sums)
{
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  PetscReal        moment[3];
  const PetscReal  volume = solid(shape, moment), mass = shape->inside ? 0 : density * volume, *R = shape->R;
  const PetscReal  half = (moment[0] + moment[1] + moment[2]) / 2;

  sums->mass += mass;
  for (int k = 0; k < 3; k++) sums->moment[k] += mass * shape->x[k];
  for (int c = 0; c < 6; c++) {
    const int i = at[c][0], j = at[c][1];
    sums->second[c] += mass * shape->x[i] * shape->x[j];
    for (int k = 0; k < 3; k++) sums->second[c] += mass * R[3 * i + k] * R[3 * j + k] * (half - moment[k]);
  }
}

PetscReal NsShapeExtent(const NsShape *shape)
{
  PetscReal most = NsLength(shape->x) + shape->radius + shape->half_length;

  if (shape->kind == NS_SHAPE_ELLIPSOID) most += PetscMax(PetscMax(shape->half[0], shape->half[1]), shape->half[2]);
  for (PetscInt i = 0; i < shape->points; i++) most = i == 0 ? NsLength(shape->point) : PetscMax(most, NsLength(shape->point + 3 * i));
  return most;
}

/* ---- picture -------------------------------------------------------------------------------------------------------------------------------------- */

/* Spheres, cylinders and capsules are surfaces of revolution: a line of points (radius, height), turned about axis 3. */
#define AROUND  16 /* points of a circle */
#define ARC     4  /* intervals of a quarter of a circle */
#define PROFILE (2 * ARC + 2)

static PetscInt add_point(const NsShape *shape, PetscReal a, PetscReal b, PetscReal c, NsMbPicture *picture)
{
  if (picture->x) {
    PetscReal       *x = picture->x + 3 * picture->points;
    const PetscReal *h = shape->half;
    NsTurn(shape->R, shape->kind == NS_SHAPE_ELLIPSOID ? (PetscReal[3]){a * h[0], b * h[1], c * h[2]} : (PetscReal[3]){a, b, c}, x);
    for (int k = 0; k < 3; k++) x[k] += shape->x[k];
  }
  return picture->points++;
}

void NsMbAddCell(NsMbPicture *picture, NsCellKind kind, const PetscInt *point)
{
  if (picture->kind) {
    picture->kind[picture->cells] = kind;
    for (PetscInt k = 0; k < NsCellPoints(kind); k++) picture->end[picture->ends + k] = point[k];
  }
  picture->cells++;
  picture->ends += NsCellPoints(kind);
}

/* The number of the first of its points: one on the axis, else a circle. */
static PetscInt add_circle(const NsShape *shape, PetscReal r, PetscReal z, NsMbPicture *picture)
{
  const PetscInt first = picture->points;

  for (int i = 0; i < (r > 0 ? AROUND : 1); i++)
    (void)add_point(shape, r * cos(2 * PETSC_PI * i / AROUND), r * sin(2 * PETSC_PI * i / AROUND), z, picture);
  return first;
}

static void add_revolved(const NsShape *shape, int count, PetscReal profile[][2], NsMbPicture *picture)
{
  PetscInt low = add_circle(shape, profile[0][0], profile[0][1], picture);

  for (int p = 1; p < count; p++) {
    const PetscBool pole[2] = {profile[p - 1][0] <= 0, profile[p][0] <= 0};
    const PetscInt  high    = add_circle(shape, profile[p][0], profile[p][1], picture);
    for (int i = 0; i < AROUND; i++) {
      const PetscInt next = (i + 1) % AROUND;
      if (pole[0])
        NsMbAddCell(picture, NS_CELL_TRIANGLE, (PetscInt[3]){low, high + next, high + i});
      else if (pole[1])
        NsMbAddCell(picture, NS_CELL_TRIANGLE, (PetscInt[3]){low + i, low + next, high});
      else
        NsMbAddCell(picture, NS_CELL_QUAD, (PetscInt[4]){low + i, low + next, high + next, high + i});
    }
    low = high;
  }
}

static void draw_round(const NsShape *shape, NsMbPicture *picture)
{
  const PetscReal r = shape->kind == NS_SHAPE_ELLIPSOID ? 1 : shape->radius, h = shape->half_length; /* the unit ball, which add_point stretches */
  PetscReal       profile[PROFILE][2];
  int             count = 0;

  if (shape->kind == NS_SHAPE_CYLINDER) {
    add_revolved(shape, 4, (PetscReal[4][2]){{0, -h}, {r, -h}, {r, h}, {0, h}}, picture);
    return;
  }
  for (int end = -1; end <= 1; end += 2) {
    for (int i = end > 0 && h == 0 ? 1 : 0; i <= ARC; i++, count++) { /* the two quarters of a sphere share its equator */
      const PetscReal angle = PETSC_PI / 2 * (end > 0 ? i : i - ARC) / ARC;
      profile[count][0]     = i == (end > 0 ? ARC : 0) ? 0 : r * cos(angle);
      profile[count][1]     = end * h + r * sin(angle);
    }
  }
  add_revolved(shape, count, profile, picture);
}

static void draw_box(const NsShape *shape, NsMbPicture *picture)
{
  static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  const PetscInt   first      = picture->points;

  for (int i = 0; i < 8; i++)
    (void)add_point(
      shape, i & 1 ? shape->half[0] : -shape->half[0], i & 2 ? shape->half[1] : -shape->half[1], i & 4 ? shape->half[2] : -shape->half[2], picture);
  for (int f = 0; f < 6; f++)
    NsMbAddCell(picture, NS_CELL_QUAD, (PetscInt[4]){first + face[f][0], first + face[f][1], first + face[f][2], first + face[f][3]});
}

void NsShapeDraw(const NsShape *shape, NsMbPicture *picture)
{
  if (shape->kind == NS_SHAPE_BOX)
    draw_box(shape, picture);
  else if (shape->kind < NS_SHAPES && shape->kind != NS_SHAPE_POINTS)
    draw_round(shape, picture);
  for (PetscInt i = 0; shape->kind == NS_SHAPE_POINTS && i < shape->points; i++) {
    for (int k = 0; k < 3 && picture->x; k++) picture->x[3 * picture->points + k] = shape->point[3 * i + k];
    NsMbAddCell(picture, NS_CELL_VERTEX, &picture->points);
    picture->points++;
  }
}
