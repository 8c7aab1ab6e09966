/* Mass properties of bodies from their shapes: against sums over thin discs and over cubes, not against the formulas of shapes.c. */
#include "support.h"
#include "multibody/system.h"

enum { SLICES = 20000 };

static const PetscReal identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Squared radius of the shape at the height z on its axis. */
static PetscReal squared_radius(const NsShape *shape, PetscReal z)
{
  const PetscReal r = shape->radius, beyond = PetscMax(0, PetscAbsReal(z) - shape->half_length);

  return shape->kind == NS_SHAPE_CYLINDER ? r * r : r * r - beyond * beyond;
}

/* Of a shape about its own center and axes, density 1: discs of the area pi R^2, which have the moments of area pi R^4/4. */
static void sum_discs(const NsShape *shape, PetscReal *mass, PetscReal second[3])
{
  const PetscReal top = shape->half_length + (shape->kind == NS_SHAPE_CYLINDER ? 0 : shape->radius), dz = 2 * top / SLICES;

  *mass = second[0] = second[2] = 0;
  for (int i = 0; i < SLICES; i++) {
    const PetscReal z = -top + (i + 0.5) * dz, square = squared_radius(shape, z), part = PETSC_PI * square * dz;
    *mass += part;
    second[0] += part * square / 4;
    second[2] += part * z * z;
  }
  second[1] = second[0];
}

static void check(const NsShape *shape, PetscReal volume, const PetscReal second[3])
{
  NsMassSums sums = {0};

  NsShapeMass(shape, 7, &sums);
  assert_near(sums.mass, 7 * volume, 1e-6 * sums.mass);
  for (int k = 0; k < 3; k++) {
    assert_near(sums.moment[k], 7 * volume * shape->x[k], 1e-6 * sums.mass);
    assert_near(sums.second[k], 7 * (second[k] + volume * shape->x[k] * shape->x[k]), 1e-6 * sums.second[k]);
  }
  assert_near(sums.second[3], 7 * volume * shape->x[0] * shape->x[1], 1e-6 * sums.second[0]);
  assert_near(sums.second[4], 7 * volume * shape->x[0] * shape->x[2], 1e-6 * sums.second[0]);
  assert_near(sums.second[5], 7 * volume * shape->x[1] * shape->x[2], 1e-6 * sums.second[0]);
}

static void round_shapes_are_sums_of_discs(void **state)
{
  static const NsShapeKind kinds[] = {NS_SHAPE_SPHERE, NS_SHAPE_CYLINDER, NS_SHAPE_CAPSULE};

  (void)state;
  for (int i = 0; i < 3; i++) {
    NsShape   shape = {.kind = kinds[i], .radius = 0.3, .half_length = kinds[i] == NS_SHAPE_SPHERE ? 0 : 0.7, .x = {0.2, -0.5, 1.1}};
    PetscReal mass, second[3];
    memcpy(shape.R, identity, sizeof(identity));
    sum_discs(&shape, &mass, second);
    check(&shape, mass, second);
  }
}

static void boxes_are_their_sides(void **state)
{
  NsShape         shape  = {.kind = NS_SHAPE_BOX, .half = {0.1, 0.2, 0.35}, .x = {0.2, -0.5, 1.1}};
  const PetscReal volume = 0.2 * 0.4 * 0.7;

  (void)state;
  memcpy(shape.R, identity, sizeof(identity));
  check(&shape, volume, (PetscReal[3]){volume * 0.1 * 0.1 / 3, volume * 0.2 * 0.2 / 3, volume * 0.35 * 0.35 / 3});
}

/*
  A body of a capsule that lies across and a box, as a whole: its center and kinetic energy at the start, 1/2 m |v_C|^2 + 1/2 w.J.w, by the numbers of
  a sum over the two shapes; by their density, and by their mass.
*/
static const char *const two =
  "bodies:\n"
  "  tool: {type: body, %s, shapes: {grip: {capsule: {radius: 0.1, length: 0.4}, rotation: {axis: [0, 1, 0], angle: 90 deg}}, head: {box: [0.2, 0.3, 0.6], at: [0.5, 0, 0.1]}},\n"
  "    initial: {velocity: [1, 2, 3], angular_velocity: [4 rad/s, -5 rad/s, 6 rad/s]}}\n"
  "scheme: {type: moreau_midpoint, step: 0.1 ms}\n"
  "time: {end: 1 ms}\n";

static void bodies_are_sums_of_shapes(void **state)
{
  /* the capsule along x */
  const PetscReal r = 0.1, l = 0.4, c = PETSC_PI * r * r * l, ends = 4 * PETSC_PI / 3 * r * r * r, b = 0.2 * 0.3 * 0.6, mass = c + ends + b;
  const PetscReal along = c * r * r / 2 + ends * 2 * r * r / 5;
  const PetscReal cap = 2.0 / 3 * PETSC_PI * r * r * r, out = l / 2 + 3 * r / 8; /* a half sphere and its own center: 83/320 m r^2 about it */
  const PetscReal across = c * (3 * r * r + l * l) / 12 + 2 * (83.0 / 320 * cap * r * r + cap * out * out);
  const PetscReal x = b * 0.5 / mass, z = b * 0.1 / mass; /* of the center */
  const PetscReal box[3]  = {b * (0.3 * 0.3 + 0.6 * 0.6) / 12, b * (0.2 * 0.2 + 0.6 * 0.6) / 12, b * (0.2 * 0.2 + 0.3 * 0.3) / 12};
  const PetscReal Jxx     = along + box[0] + (c + ends) * z * z + b * (0.1 - z) * (0.1 - z);
  const PetscReal Jzz     = across + box[2] + (c + ends) * x * x + b * (0.5 - x) * (0.5 - x);
  const PetscReal Jyy     = across + box[1] + (c + ends) * (x * x + z * z) + b * ((0.5 - x) * (0.5 - x) + (0.1 - z) * (0.1 - z));
  const PetscReal Jxz     = -((c + ends) * x * z + b * (0.5 - x) * (0.1 - z));
  const PetscReal turning = (Jxx * 16 + Jyy * 25 + Jzz * 36 + 2 * Jxz * 24) / 2, moving = mass * 14 / 2;
  const char     *given[] = {"density: 1000", "mass: 2"};

  (void)state;
  for (int k = 0; k < 2; k++) {
    char            text[1024];
    const PetscReal density = k ? 2 / mass : 1000;
    snprintf(text, sizeof(text), two, given[k]);
    TestRun test = test_run_open(text, NULL);
    assert_near(test.run->model->mass_total, density * mass, 1e-12 * density * mass);
    assert_near(test.run->ledger.initial, density * (moving + turning), 1e-12 * density * (moving + turning));
    test_run_close(&test);
  }
}

enum { MOST = 400 };

/* One sixth of the sum of x_a . (x_b x x_c) over the triangles of the surface: the volume, if it is closed and every face is seen from outside. edge[a][b]: faces that pass from a to b. */
static PetscReal enclosed(const NsMbPicture *picture, char edge[MOST][MOST])
{
  const PetscInt *end = picture->end;
  PetscReal       sum = 0;

  for (PetscInt c = 0; c < picture->cells; c++) {
    const PetscInt n = NsCellPoints(picture->kind[c]);
    for (PetscInt k = 0; k < n; k++) edge[end[k]][end[(k + 1) % n]]++;
    for (PetscInt k = 1; k + 1 < n; k++) {
      PetscReal across[3];
      NsCross(picture->x + 3 * end[k], picture->x + 3 * end[k + 1], across);
      sum += NsDot(picture->x + 3 * end[0], across) / 6;
    }
    end += n;
  }
  return sum;
}

static void pictures_are_closed_surfaces(void **state)
{
  static const NsShapeKind kinds[]   = {NS_SHAPE_SPHERE, NS_SHAPE_CYLINDER, NS_SHAPE_CAPSULE, NS_SHAPE_BOX};
  static const PetscReal   turned[9] = {0, -1, 0, 0, 0, -1, 1, 0, 0};
  static PetscReal         x[3 * MOST];
  static NsCellKind        kind[MOST];
  static PetscInt          end[4 * MOST];
  static char              edge[MOST][MOST];

  (void)state;
  for (int i = 0; i < 4; i++) {
    const PetscReal r = 0.3, h = kinds[i] == NS_SHAPE_SPHERE ? 0 : 0.7, ball = 4 * PETSC_PI / 3 * r * r * r, bar = 2 * PETSC_PI * r * r * h;
    const PetscReal volume[] = {ball, bar, ball + bar, 8 * 0.1 * 0.2 * 0.35};
    NsShape         shape    = {.kind = kinds[i], .radius = r, .half_length = h, .half = {0.1, 0.2, 0.35}, .x = {0.2, -0.5, 1.1}};
    NsMbPicture     counted = {0}, picture = {.x = x, .kind = kind, .end = end};
    memcpy(shape.R, turned, sizeof(turned));
    memset(edge, 0, sizeof(edge));
    NsShapeDraw(&shape, &counted);
    assert_true(counted.points <= MOST && counted.cells <= MOST);
    NsShapeDraw(&shape, &picture);
    assert_int_equal(counted.points, picture.points);
    assert_int_equal(counted.cells, picture.cells);
    assert_int_equal(counted.ends, picture.ends);
    const PetscReal found = enclosed(&picture, edge);
    assert_true(found <= volume[i] * (1 + 1e-12) && found > 0.9 * volume[i]); /* its points are on the surface */
    if (kinds[i] == NS_SHAPE_BOX) assert_near(found, volume[i], 1e-15);
    for (PetscInt a = 0; a < picture.points; a++) {
      for (PetscInt b = 0; b < picture.points; b++) assert_int_equal(edge[a][b], edge[b][a]);
    }
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(round_shapes_are_sums_of_discs),
  cmocka_unit_test(boxes_are_their_sides),
  cmocka_unit_test(bodies_are_sums_of_shapes),
  cmocka_unit_test(pictures_are_closed_surfaces),
};

TEST_MAIN(tests)
