/* Boxes that touch: points against exact ones, separating axes against all corners, rows against differences of gaps, and stacks at rest. */
#include "random_numbers.h"
#include "support.h"
#include <math.h>
#include "multibody/manifold.h"
#include "multibody/rotation.h"
#include "multibody/system.h"
#include "run/private.h"

static NsSolid box_at(PetscReal x, PetscReal y, PetscReal z, PetscReal a, PetscReal b, PetscReal c)
{
  return (NsSolid){.x = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .half = {a, b, c}};
}

static void turn(NsSolid *solid, PetscReal angle)
{
  const PetscReal R[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};

  memcpy(solid->R, R, sizeof(R));
}

static void assert_points(const NsManifold *manifold, PetscInt points, PetscReal gap)
{
  assert_int_equal(manifold->points, points);
  for (PetscInt k = 0; k < points; k++) assert_near(manifold->gap[k], gap, 1e-12);
}

static void faces(void **state)
{
  NsSolid    a = box_at(0, 0, 1.999, 1, 1, 1), b = box_at(0, 0, 0, 1, 1, 1);
  NsManifold manifold;

  (void)state;
  NsManifoldFind(&a, &b, &manifold);
  assert_points(&manifold, 4, -1e-3);
  assert_near(manifold.n[2], 1, 0);
  a.x[0] = 1.5; /* half over the edge: two corners of each */
  a.x[2] = 2.5;
  NsManifoldFind(&a, &b, &manifold);
  assert_points(&manifold, 4, 0.5);
  for (int k = 0; k < 4; k++) assert_near(fabs(manifold.x[k][0] - 0.75), 0.25, 1e-8);
  a.x[0] = 0;
  turn(&a, PETSC_PI / 4);
  NsManifoldFind(&a, &b, &manifold);
  assert_points(&manifold, 8, 0.5);
  a.planar = b.planar = PETSC_TRUE;
  a.x[1]              = 0.3;
  a.x[0]              = 1 + sqrt(2) + 0.1; /* on a corner */
  NsManifoldFind(&a, &b, &manifold);
  PetscReal least = 1;
  for (PetscInt k = 0; k < manifold.points; k++) least = PetscMin(least, manifold.gap[k]);
  assert_in_range(manifold.points, 1, 2);
  assert_near(least, 0.1, 1e-12);
  assert_near(manifold.n[0], 1, 1e-12);
}

static void edges(void **state)
{
  NsSolid         a = box_at(0, 0, 0, 1, 1, 1), b = box_at(0, 0, 0, 1, 1, 1);
  const PetscReal s = sqrt(0.5), up[9] = {1, 0, 0, 0, s, -s, 0, s, s}, across[9] = {s, 0, s, 0, 1, 0, -s, 0, s};
  NsManifold      manifold;

  (void)state; /* two ridges that cross, one along x and the other along y */
  memcpy(b.R, up, sizeof(up));
  memcpy(a.R, across, sizeof(across));
  a.x[2] = 2 * sqrt(2) + 0.01;
  NsManifoldFind(&a, &b, &manifold);
  assert_points(&manifold, 1, 0.01);
  assert_near(manifold.n[2], 1, 1e-12);
  assert_near(manifold.x[0][0], 0, 1e-12);
  assert_near(manifold.x[0][1], 0, 1e-12);
  assert_near(manifold.x[0][2], sqrt(2) + 0.005, 1e-12);
}

static void ball(void **state)
{
  NsSolid    box = box_at(0, 0, 0, 1, 2, 3), sphere = {.x = {4, 6, 3}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .radius = 1};
  NsManifold manifold;

  (void)state; /* at the edge (1, 2, z): 3, 4, 5 */
  sphere.x[2] = 2;
  NsManifoldFind(&sphere, &box, &manifold);
  assert_points(&manifold, 1, 4);
  assert_near(manifold.n[0], 0.6, 1e-15);
  assert_near(manifold.n[1], 0.8, 1e-15);
  NsManifoldFind(&box, &sphere, &manifold);
  assert_near(manifold.n[0], -0.6, 1e-15);
  sphere.x[0] = 0.9; /* its centre is inside */
  sphere.x[1] = 0;
  NsManifoldFind(&sphere, &box, &manifold);
  assert_points(&manifold, 1, -1.1);
  assert_near(manifold.n[0], 1, 0);
}

static void capsules(void **state)
{
  const PetscReal c = sqrt(0.75), s = 0.5, along_x[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, oblique[9] = {0, s, c, 0, -c, s, 1, 0, 0};
  NsSolid         a = {.x = {0.3, 0.1, 1.2}, .half = {0, 0, 1}, .radius = 0.5}, b = {.x = {0.2, -0.1, 0}, .half = {0, 0, 1}, .radius = 0.4};
  NsSolid         sphere = {.x = {3, 4, 0.2}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .radius = 0.5};
  NsManifold      manifold;

  (void)state; /* their axes cross at 30 degrees, 1.2 above each other: at 0.4 along the lower one */
  memcpy(a.R, along_x, sizeof(along_x));
  memcpy(b.R, oblique, sizeof(oblique));
  NsManifoldFind(&a, &b, &manifold);
  assert_points(&manifold, 1, 0.3);
  assert_near(manifold.n[2], 1, 1e-12);
  assert_near(manifold.x[0][0], 0.2 + 0.4 * c, 1e-12);
  assert_near(manifold.x[0][1], 0.1, 1e-12);
  assert_near(manifold.x[0][2], 0.55, 1e-12);
  NsManifoldFind(&b, &a, &manifold);
  assert_points(&manifold, 1, 0.3);
  assert_near(manifold.n[2], -1, 1e-12);
  assert_near(manifold.x[0][0], 0.2 + 0.4 * c, 1e-12);
  assert_near(manifold.x[0][2], 0.55, 1e-12);
  b.x[0] = b.x[1] = 0; /* a ball beside the axis of a capsule: 3, 4, 5 */
  memcpy(b.R, sphere.R, sizeof(b.R));
  NsManifoldFind(&sphere, &b, &manifold);
  assert_points(&manifold, 1, 4.1);
  assert_near(manifold.n[0], 0.6, 1e-15);
  assert_near(manifold.x[0][0], 1.47, 1e-12);
  assert_near(manifold.x[0][1], 1.96, 1e-12);
  assert_near(manifold.x[0][2], 0.2, 1e-12);
}

/* Integrals over slices across the axis: mass, and second moments across and along it. */
static void masses(void **state)
{
  enum { SLICES = 20000 };
  static const int kind[] = {NS_SHAPE_SPHERE, NS_SHAPE_CYLINDER, NS_SHAPE_CAPSULE};

  (void)state;
  for (int i = 0; i < 3; i++) {
    const PetscReal r = 0.3, h = kind[i] == NS_SHAPE_SPHERE ? 0 : 0.45, end = kind[i] == NS_SHAPE_CYLINDER ? h : h + r;
    const NsShape   shape = {.kind = kind[i], .radius = r, .half_length = h, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    NsMassSums      sums  = {0};
    PetscReal       mass = 0, across = 0, along = 0;

    for (int k = 0; k < SLICES; k++) {
      const PetscReal z = ((k + 0.5) / SLICES * 2 - 1) * end, dz = 2 * end / SLICES, beyond = PetscMax(0, PetscAbsReal(z) - h);
      const PetscReal area = PETSC_PI * (kind[i] == NS_SHAPE_CYLINDER ? r * r : r * r - beyond * beyond);
      mass += 7 * area * dz;
      across += 7 * area * area / (4 * PETSC_PI) * dz;
      along += 7 * area * z * z * dz;
    }
    NsShapeMass(&shape, 7, &sums);
    assert_near(sums.mass, mass, 1e-7 * mass);
    assert_near(sums.second[0], across, 1e-7 * across);
    assert_near(sums.second[1], across, 1e-7 * across);
    assert_near(sums.second[2], along, 1e-7 * along);
    assert_near(sums.second[3], 0, 1e-15);
  }
}

/* The volume that the cells of a picture enclose, which look outwards. */
static PetscReal enclosed(const NsShape *shape)
{
  static PetscReal  x[3 * 1000];
  static NsCellKind kind[1000];
  static PetscInt   end[4000];
  NsMbPicture       picture = {.x = x, .kind = kind, .end = end};
  PetscReal         volume  = 0, n[3];

  NsShapeDraw(shape, &picture);
  for (PetscInt c = 0, first = 0; c < picture.cells; first += NsCellPoints(kind[c++])) {
    for (int k = 0; k < NsCellPoints(kind[c]); k++) assert_in_range(end[first + k], 0, picture.points - 1);
    for (int k = 2; k < NsCellPoints(kind[c]); k++) {
      NsCross(x + 3 * end[first + k - 1], x + 3 * end[first + k], n);
      volume += NsDot(x + 3 * end[first], n) / 6;
    }
  }
  return volume;
}

static void pictures(void **state)
{
  PetscReal       point[9] = {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3};
  NsShape         shape    = {.kind = NS_SHAPE_BOX, .half = {0.1, 0.2, 0.3}, .x = {1, 2, 3}, .R = {0, -1, 0, 1, 0, 0, 0, 0, 1}};
  NsMbPicture     counted  = {0};
  const PetscReal polygon  = 8 * sin(PETSC_PI / 8); /* area of 16 points around, for radius 1 */
  PetscReal       frustums = 0;

  (void)state;
  assert_near(enclosed(&shape), 8 * 0.1 * 0.2 * 0.3, 1e-12);
  shape.kind        = NS_SHAPE_CYLINDER;
  shape.radius      = 0.3;
  shape.half_length = 0.4;
  assert_near(enclosed(&shape), polygon * 0.09 * 0.8, 1e-12);
  shape.kind                 = NS_SHAPE_CAPSULE;
  const PetscReal of_capsule = enclosed(&shape);
  shape.half_length          = 0;
  shape.kind                 = NS_SHAPE_SPHERE;
  const PetscReal of_sphere  = enclosed(&shape);
  for (int i = 0; i < 4; i++) { /* frustums */
    const PetscReal low = cos(PETSC_PI / 8 * i), high = cos(PETSC_PI / 8 * (i + 1));
    frustums += 2 * polygon * (sin(PETSC_PI / 8 * (i + 1)) - sin(PETSC_PI / 8 * i)) / 3 * (low * low + low * high + high * high);
  }
  assert_near(of_sphere, frustums * 0.027, 1e-12);
  assert_near(of_capsule - of_sphere, polygon * 0.09 * 0.8, 1e-12);
  shape.kind = NS_SHAPE_ELLIPSOID;
  assert_near(enclosed(&shape), of_sphere / 0.027 * 0.1 * 0.2 * 0.3, 1e-12);
  shape.kind   = NS_SHAPE_POINTS;
  shape.points = 3;
  shape.point  = point;
  NsShapeDraw(&shape, &counted);
  assert_int_equal(counted.points, 3);
  assert_int_equal(counted.cells, 3);
}

static void random_solid(NsSolid *solid)
{
  PetscReal p[4];

  for (int k = 0; k < 4; k++) p[k] = draw();
  NsQuaternionMatrix(p, solid->R);
  for (int k = 0; k < 3; k++) {
    solid->x[k]    = 2 * draw();
    solid->half[k] = 0.6 + 0.5 * draw();
  }
  solid->radius = solid->disc = 0;
  solid->planar               = PETSC_FALSE;
}

/* The least of sign n . corner. */
static PetscReal support(const NsSolid *s, const PetscReal n[3], PetscReal sign)
{
  PetscReal least = PETSC_MAX_REAL;

  for (int corner = 0; corner < 8; corner++) {
    PetscReal sum = 0;
    for (int k = 0; k < 3; k++) {
      const PetscReal e[3] = {s->R[k], s->R[3 + k], s->R[6 + k]};
      sum += n[k] * s->x[k] + (corner >> k & 1 ? 1 : -1) * s->half[k] * NsDot(n, e);
    }
    least = PetscMin(least, sign * sum);
  }
  return least;
}

/* Along the normal the boxes are as far apart as the nearest point says, and as NsSolidSeparation. The other way round the same. */
static void separating_axes(void **state)
{
  PetscInt apart = 0, on_edges = 0;

  (void)state;
  seed = 7;
  for (int round = 0; round < 20000; round++) {
    NsSolid    a, b;
    NsManifold manifold, other;
    random_solid(&a);
    random_solid(&b);
    NsManifoldFind(&a, &b, &manifold);
    NsManifoldFind(&b, &a, &other);
    const PetscReal s        = support(&a, manifold.n, 1) + support(&b, manifold.n, -1);
    PetscReal       least[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL};
    assert_in_range(manifold.points, 1, NS_MANIFOLD);
    for (PetscInt k = 0; k < manifold.points; k++) least[0] = PetscMin(least[0], manifold.gap[k]);
    for (PetscInt k = 0; k < other.points; k++) least[1] = PetscMin(least[1], other.gap[k]);
    assert_near(NsSolidSeparation(&a, &b), s, 1e-12);
    assert_true(least[0] >= s - 1e-12);
    assert_int_equal(least[0] > 0, s > 0);
    assert_int_equal(least[1] > 0, s > 0);
    assert_near(NsSolidSeparation(&b, &a), s, s > 0 ? 1e-12 : 1e-3);
    apart += s > 0;
    on_edges += manifold.points == 1;
  }
  assert_in_range(apart, 5000, 19000);
  assert_true(on_edges > 1000);
}

static const char *const pair =
  "bodies:\n"
  "  low: {type: body, mass: 2 kg, inertia: [1, 2, 3], shapes: {hull: {box: [3 m, 3 m, 1 m]}}, initial: {velocity: [0.1 m/s, 0, 0.2 m/s], angular_velocity: "
  "[0.3 rad/s, -0.2 rad/s, 0.5 rad/s]}}\n"
  "  high: {type: body, mass: 1 kg, inertia: [1, 2, 3], shapes: {hull: {box: [0.5 m, 0.7 m, 0.4 m]}}, at: [0.2, 0.1, 0.75], rotation: {axis: [1, 2, 3], angle: 0.1 rad}, "
  "initial: {velocity: [-0.3 m/s, 0.2 m/s, -0.1 m/s], angular_velocity: [0.4 rad/s, 0.7 rad/s, -0.6 rad/s]}}\n"
  "contacts: {touch: {between: [low.hull, high.hull], friction: 0.3}}\n"
  "scheme: {type: moreau_midpoint, step: 1 ms}\n"
  "time: {end: 1 s}\n";

/* The points are corners of the upper box: material ones. */
static void rows(void **state)
{
  TestRun  test  = test_run_open(pair, NULL);
  NsModel *model = test.run->model;
  PetscInt list[NS_MANIFOLD], count = 0, compared = 0;
  Vec      q[2];

  (void)state;
  for (PetscInt i = 0; i < model->candidates && count < NS_MANIFOLD; i++) {
    if (model->candidate[i].number[0] > 0) list[count++] = i;
  }
  assert_int_equal(count, NS_MANIFOLD);
  PetscReal *gap = calloc((size_t)model->candidates, 3 * sizeof(*gap)), *u = calloc((size_t)model->candidates, 3 * sizeof(*u));
  PetscReal  side[2][NS_MANIFOLD];
  for (int s = 0; s < 2; s++) {
    CHECK(VecDuplicate(test.run->state.q, &q[s]));
    CHECK(NsModelMove(model, test.run->state.q, s ? 1e-6 : -1e-6, test.run->state.v, q[s]));
    CHECK(model->contact.rates_of(model, 0, NsVecRead(q[s]), NULL, count, list, gap, NULL));
    for (PetscInt k = 0; k < count; k++) side[s][k] = gap[list[k]];
    CHECK(VecDestroy(&q[s]));
  }
  CHECK(model->contact.rates_of(model, 0, NsVecRead(test.run->state.q), NsVecRead(test.run->state.v), count, list, gap, u));
  for (PetscInt k = 0; k < count; k++) {
    if (gap[list[k]] > 1) continue; /* no point */
    assert_near(u[3 * list[k]], (side[1][k] - side[0][k]) / 2e-6, 1e-8);
    compared++;
  }
  assert_int_equal(compared, 4);
  free(gap);
  free(u);
  test_run_close(&test);
}

/* Three boxes on each other and on the ground: its impulses carry their weight, and nothing moves. */
static void rest(const char *dimension, const char *up, const char *at, PetscReal mass)
{
  char text[2048];

  snprintf(text, sizeof(text),
    "gravity: %s\nbodies:\n"
    "  a: &box {type: body, %s density: 1000, shapes: {hull: {box: [0.2 m, 0.2 m, 0.2 m]}}, at: [0, %s 0.1 %s]}\n"
    "  b: {<<: *box, at: [0.03, %s 0.3 %s]}\n"
    "  c: {<<: *box, at: [0, %s 0.5 %s]}\n"
    "contacts:\n"
    "  ground: {between: [{node: [a, b, c]}, {plane: {point: [0, 0, 0], normal: %s}}], friction: 0.5}\n"
    "  pile: {between: [{node: [a, b, c]}, {node: [a, b, c]}], friction: 0.5}\n"
    "scheme: {type: moreau_midpoint, step: 1 ms}\ntime: {end: 0.1 s}\n",
    strcmp(up, "y") ? "[0, 0, -10]" : "[0, -10, 0]", dimension, strcmp(up, "y") ? "0," : "", strcmp(up, "y") ? "" : ", 0",
    strcmp(up, "y") ? "0," : "", strcmp(up, "y") ? "" : ", 0", strcmp(up, "y") ? "0," : "", strcmp(up, "y") ? "" : ", 0", at);
  TestRun   test = test_run_open(text, NULL);
  PetscReal sum = 0, depth = 0;
  while (test_runs(test.run)) (void)test_step(test.run);
  const NsContactReport *report = NsContactReports(test.run->contact);
  for (PetscInt i = 0; i < test.run->model->candidates; i++) {
    const NsCandidate *candidate = &test.run->model->candidate[i];
    if (!candidate->slot) sum += report[i].impulse[0];
    if (!candidate->slot || candidate->number[0] > 0) depth = PetscMax(depth, -report[i].gap);
  }
  assert_near(sum, mass * 10 * 1e-3, 1e-9);
  assert_near(depth, 0, 2e-5); /* of the first step, in which gaps are open by rounding */
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  assert_near(test.run->ledger.now.kinetic, 0, 1e-12);
  test_run_close(&test);
}

static void stacks(void **state)
{
  (void)state;
  rest("dimension: 2,", "y", "[0, 1, 0]", 24);
  rest("", "z", "[0, 0, 1]", 24);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(faces),
  cmocka_unit_test(edges),
  cmocka_unit_test(ball),
  cmocka_unit_test(capsules),
  cmocka_unit_test(masses),
  cmocka_unit_test(pictures),
  cmocka_unit_test(separating_axes),
  cmocka_unit_test(rows),
  cmocka_unit_test(stacks),
};
TEST_MAIN(tests)
