/*
  Shapes of bodies: keys, mass properties of a homogeneous solid, extent and picture.

      sphere    V = 4/3 pi r^3,  I = 2/5 m r^2                             box        I_x = m/12 (b^2 + c^2)
      cylinder  I_3 = m r^2/2,  I_1 = m (3 r^2 + l^2)/12                   capsule    a cylinder and two half spheres
      points    no volume
*/
#include "shapes.h"

const char *const NsShapeWords[] = {"sphere", "box", "cylinder", "capsule", "points", NULL};

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
  {"at", NS_KEY_VECTOR, offsetof(NsShapeSettings, at), .dimension = NS_DIM_LENGTH, .default_value = "[0, 0, 0]",
    .help = "position of its centre in the body's frame", .example = "[0, 0, 10 mm]"},
  {"rotation", NS_KEY_TABLE, offsetof(NsShapeSettings, rotation), .table = &NsTable_Rotation, .help = "its orientation in the body's frame",
    .example = "{axis: [1, 0, 0], angle: 90 deg}"},
  {NULL},
};
const NsTable NsTable_Shape = {"shape", "shape of a body", shape_keys, sizeof(NsShapeSettings), .one_of = "sphere, box, cylinder, capsule, points"};

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
  for (int k = 0; k < 3; k++) shape->x[k] = settings->at[k];
  (void)NsRotationRead(settings->rotation, diag, shape->R);
  for (int k = 0; k < 3; k++) shape->half[k] = settings->box[k] / 2;
  if (shape->kind < NS_SHAPES && settings->round[shape->kind]) {
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
  const PetscReal  mass = density * solid(shape, moment), *R = shape->R;
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

  for (PetscInt i = 0; i < shape->points; i++) most = i == 0 ? NsLength(shape->point) : PetscMax(most, NsLength(shape->point + 3 * i));
  return most;
}

/* ---- picture -------------------------------------------------------------------------------------------------------------------------------------- */

#define AROUND 24 /* points of a circle */

typedef struct {
  const NsShape *shape;
  PetscInt       points, lines, *line;
  PetscReal     *x;
} Picture;

static PetscInt add_point(Picture *picture, PetscReal a, PetscReal b, PetscReal c)
{
  if (picture->x) {
    PetscReal *x = picture->x + 3 * picture->points;
    NsTurn(picture->shape->R, (PetscReal[3]){a, b, c}, x);
    for (int k = 0; k < 3; k++) x[k] += picture->shape->x[k];
  }
  return picture->points++;
}

static void add_line(Picture *picture, PetscInt a, PetscInt b)
{
  if (picture->line) {
    picture->line[2 * picture->lines]     = a;
    picture->line[2 * picture->lines + 1] = b;
  }
  picture->lines++;
}

/* A circle about the axis `axis`, moved along axis 3; the number of its first point. */
static PetscInt add_circle(Picture *picture, int axis, PetscReal r, PetscReal along)
{
  const PetscInt first = picture->points;

  for (int i = 0; i < AROUND; i++) {
    PetscReal x[3];
    x[axis]           = 0;
    x[(axis + 1) % 3] = r * cos(2 * PETSC_PI * i / AROUND);
    x[(axis + 2) % 3] = r * sin(2 * PETSC_PI * i / AROUND);
    (void)add_point(picture, x[0], x[1], x[2] + along);
    add_line(picture, first + i, first + (i + 1) % AROUND);
  }
  return first;
}

/* A half circle from axis `side` over the end at `along` of a capsule. */
static void add_arch(Picture *picture, int side, PetscReal r, PetscReal along)
{
  PetscInt last = -1;

  for (int i = 0; i <= AROUND / 2; i++) {
    PetscReal x[3]       = {0, 0, along + (along < 0 ? -1 : 1) * r * sin(2 * PETSC_PI * i / AROUND)};
    x[side]              = r * cos(2 * PETSC_PI * i / AROUND);
    const PetscInt point = add_point(picture, x[0], x[1], x[2]);
    if (last >= 0) add_line(picture, last, point);
    last = point;
  }
}

void NsShapeDraw(const NsShape *shape, PetscInt *points, PetscReal *x, PetscInt *lines, PetscInt *line)
{
  Picture         picture = {.shape = shape, .x = x, .line = line};
  const PetscReal r = shape->radius, h = shape->half_length;

  if (shape->kind == NS_SHAPE_SPHERE) {
    for (int axis = 0; axis < 3; axis++) (void)add_circle(&picture, axis, r, 0);
  } else if (shape->kind == NS_SHAPE_CYLINDER || shape->kind == NS_SHAPE_CAPSULE) {
    const PetscInt low = add_circle(&picture, 2, r, -h), high = add_circle(&picture, 2, r, h);
    for (int i = 0; i < AROUND; i += AROUND / 4) add_line(&picture, low + i, high + i);
    if (shape->kind == NS_SHAPE_CYLINDER) /* a radius, which shows its rotation */
      add_line(&picture, add_point(&picture, 0, 0, h), high);
    for (int side = 0; side < 4 && shape->kind == NS_SHAPE_CAPSULE; side++) add_arch(&picture, side % 2, r, side < 2 ? -h : h);
  } else if (shape->kind == NS_SHAPE_BOX) {
    for (int i = 0; i < 8; i++)
      (void)add_point(
        &picture, i & 1 ? shape->half[0] : -shape->half[0], i & 2 ? shape->half[1] : -shape->half[1], i & 4 ? shape->half[2] : -shape->half[2]);
    for (int i = 0; i < 8; i++) {
      for (int k = 0; k < 3; k++) {
        if (!(i >> k & 1)) add_line(&picture, i, i | 1 << k);
      }
    }
  } else {
    for (PetscInt i = 0; i < shape->points; i++) {
      for (int k = 0; k < 3 && x; k++) x[3 * i + k] = shape->point[3 * i + k];
      picture.points++;
      add_line(&picture, i, i);
    }
  }
  *points = picture.points;
  *lines  = picture.lines;
}
