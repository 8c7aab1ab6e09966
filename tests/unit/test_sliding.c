/*
  Node to surface with finite sliding: the nearest face by the tree of boxes against a sampled surface; signs, rim, gradients; rows of whole models against differences of gaps.
*/
#include "gap_rows.h"
#include "fe/surface/sliding.h"

/* ---- the nearest face ---------------------------------------------------------------------------------------------------------------------------- */

/* The octahedron |x| + |y| + |z| = 1. */
static NsFeSurface octahedron(PetscInt (*face)[NS_FACE_NODES], PetscReal (*x)[3])
{
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 3; k++) x[i][k] = k == i / 2 ? 1 - 2 * (i % 2) : 0;
  }
  for (int f = 0; f < 8; f++) {
    const int even = (f & 1) ^ (f >> 1 & 1) ^ (f >> 2 & 1);
    for (int a = 0; a < 3; a++) {
      const int axis = even ? 2 - a : a;
      face[f][a]     = 2 * axis + (f >> axis & 1);
    }
  }
  return (NsFeSurface){
    .name = "octahedron", .dimension = 3, .faces = 8, .corners = 3, .of_face = 3, .face = face, .nodes = 6, .x = x, .face_size = 1.4};
}

/* The distance to points of all faces. */
static double sampled(const NsFeSurface *surface, const PetscReal at[3])
{
  enum { FINE = 60 };
  double least = 1e9;

  for (PetscInt f = 0; f < surface->faces; f++) {
    for (int i = 0; i <= FINE; i++) {
      for (int j = 0; i + j <= FINE; j++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
          const double y =
            ((FINE - i - j) * surface->x[surface->face[f][0]][k] + i * surface->x[surface->face[f][1]][k] + j * surface->x[surface->face[f][2]][k]) /
            FINE;
          square += (at[k] - y) * (at[k] - y);
        }
        least = PetscMin(least, square);
      }
    }
  }
  return sqrt(least);
}

static void nearest_face_of_a_closed_surface(void **state)
{
  PetscInt          face[8][NS_FACE_NODES];
  PetscReal         x[6][3];
  NsArena          *arena   = NsArenaCreate();
  const NsFeSurface surface = octahedron(face, x);
  NsFaces          *faces   = NsFacesCreate(arena, &surface);
  unsigned          seed    = 1;

  (void)state;
  for (int n = 0; n < 200; n++) {
    PetscReal at[3], sum = 0, y[3] = {0}, weights = 0;
    NsNearest nearest;
    for (int k = 0; k < 3; k++) {
      at[k] = random_in(&seed, -1.5, 1.5);
      sum += fabs(at[k]);
    }
    NsFacesNearest(faces, at, &nearest);
    assert_near(fabs(nearest.gap), sampled(&surface, at), 0.02);
    assert_true((nearest.gap < 0) == (sum < 1));
    assert_false(nearest.beyond);
    for (PetscInt a = 0; a < nearest.nodes; a++) {
      assert_true(nearest.N[a] >= 0);
      weights += nearest.N[a];
      for (int k = 0; k < 3; k++) y[k] += nearest.N[a] * x[nearest.node[a]][k];
    }
    assert_near(weights, 1, 1e-14);
    for (int k = 0; k < 3; k++) assert_near(y[k] + nearest.gap * nearest.n[k], at[k], 1e-12); /* x = y + g n */
  }
  NsArenaDestroy(&arena);
}

/* A strip of 20 x 6 quadrangles, warped: gaps change by no more than the point moves, and by the gradient that the rows are. */
static void gradient_on_a_warped_strip(void **state)
{
  enum { LONG = 20, WIDE = 6, NODES = (LONG + 1) * (WIDE + 1) };
  static PetscInt  face[LONG * WIDE][NS_FACE_NODES];
  static PetscReal x[NODES][3];
  NsArena         *arena   = NsArenaCreate();
  NsFeSurface      surface = {
         .name = "strip", .dimension = 3, .faces = LONG * WIDE, .corners = 4, .of_face = 4, .face = face, .nodes = NODES, .x = x, .face_size = 0.1};
  unsigned seed = 2;
  double   off = 0, most = 0;

  (void)state;
  for (int i = 0; i < NODES; i++) {
    x[i][0] = 0.1 * (i % (LONG + 1));
    x[i][1] = 0.1 * (double)(i / (LONG + 1));
    x[i][2] = 0.004 * sin(7 * x[i][0]) * cos(5 * x[i][1]);
  }
  for (int f = 0; f < LONG * WIDE; f++) {
    const int corner = f % LONG + (LONG + 1) * (f / LONG), to[4] = {0, 1, LONG + 2, LONG + 1};
    for (int a = 0; a < 4; a++) face[f][a] = corner + to[a];
  }
  NsFaces *faces   = NsFacesCreate(arena, &surface);
  PetscReal(*p)[3] = NsFacesPositions(faces);
  for (int n = 0; n < 400; n++) {
    const double step  = 1e-6;
    PetscReal    at[3] = {random_in(&seed, -0.1, 2.1), random_in(&seed, -0.1, 0.7), random_in(&seed, -0.03, 0.03)}, foreseen = 0, length = 0;
    NsNearest    before, after;
    PetscReal    moved[NODES][3];
    NsFacesNearest(faces, at, &before);
    for (int k = 0; k < 3; k++) {
      const double d = random_in(&seed, -step, step);
      at[k] += d;
      length += d * d;
      foreseen += before.n[k] * d;
    }
    for (int i = 0; i < NODES; i++) {
      for (int k = 0; k < 3; k++) {
        moved[i][k] = random_in(&seed, -step, step);
        p[i][k] += moved[i][k];
      }
    }
    for (PetscInt a = 0; a < before.nodes; a++) {
      for (int k = 0; k < 3; k++) foreseen -= before.N[a] * before.n[k] * moved[before.node[a]][k];
    }
    NsFacesPlace(faces);
    NsFacesNearest(faces, at, &after);
    for (int i = 0; i < NODES; i++) {
      for (int k = 0; k < 3; k++) p[i][k] -= moved[i][k];
    }
    NsFacesPlace(faces);
    most = PetscMax(most, fabs(after.gap - before.gap) / (sqrt(length) + 1.1 * sqrt(3) * step));
    if (!before.beyond && !after.beyond) off = PetscMax(off, fabs(after.gap - before.gap - foreseen) / step);
  }
  print_message("  gradient off by %.2g of the motion; gaps change by at most %.3g of the bound\n", off, most);
  assert_true(off < 1e-3);
  assert_true(most < 1);
  NsArenaDestroy(&arena);
}

/* Two lines from (0, 0) to (2, 0): opposite up to the rim, then the distance to it, on both sides. */
static void rim_of_a_line(void **state)
{
  PetscInt    face[2][NS_FACE_NODES] = {{2, 1}, {1, 0}}; /* outward is +y */
  PetscReal   x[3][3]                = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  NsArena    *arena                  = NsArenaCreate();
  NsFeSurface surface = {.name = "line", .dimension = 2, .faces = 2, .corners = 2, .of_face = 2, .face = face, .nodes = 3, .x = x, .face_size = 1};
  NsFaces    *faces   = NsFacesCreate(arena, &surface);
  const struct {
    PetscReal x, y, gap;
    PetscBool beyond;
  } wanted[] = {{0.5, 0.1, 0.1, PETSC_FALSE}, {1, -0.1, -0.1, PETSC_FALSE}, {2.01, -1e-3, -1e-3, PETSC_FALSE},
    {2 + NS_RIM + 0.3, 0.4, 0.5, PETSC_TRUE}, {-NS_RIM - 0.3, -0.4, 0.5, PETSC_TRUE}};

  (void)state;
  for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
    const PetscReal at[3] = {wanted[i].x, wanted[i].y, 0};
    NsNearest       nearest;
    NsFacesNearest(faces, at, &nearest);
    assert_near(nearest.gap, wanted[i].gap, 1e-14);
    assert_int_equal(nearest.beyond, wanted[i].beyond);
    assert_near(nearest.n[1], 1, 1e-14);
    assert_near(nearest.N[0] + nearest.N[1], 1, 1e-14);
  }
  NsArenaDestroy(&arena);
}

/* ---- models -------------------------------------------------------------------------------------------------------------------------------------- */

#define STEEL "material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}"

static TestRun open_block(const char *elements, const char *velocity, const char *more)
{
  char text[3000];

  (void)snprintf(text, sizeof(text),
    "bodies:\n"
    "  base: {type: solid, " STEEL ", mesh: {box: {from: [-40 mm, -10 mm, -15 mm], to: [60 mm, 0, 15 mm], cells: [20, 2, 6]%s}}}\n"
    "  block: {type: solid, " STEEL
    ", mesh: {box: {from: [-10 mm, 0.1 mm, -8 mm], to: [10 mm, 10 mm, 8 mm], cells: [6, 3, 5]%s}}, initial: {velocity: %s}}\n"
    "supports: {foot: {at: base.bottom}}\n"
    "contacts: {joint: {between: [{surface: block.bottom}, {surface: base.top}], friction: 0.1%s}}\n"
    "scheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 ms}\n",
    elements, elements, velocity, more);
  return test_run_open(text, NULL);
}

static void check_rows(const char *elements)
{
  TestRun test = open_block(elements, "[20 m/s, -1 m/s, 3 m/s]", "");

  check_gap_rows(*elements ? elements + 12 : "hex8", test.run->model, 1e-5, (const double[]){0.03, 2e-4, 5e-3});
  test_run_close(&test);
}

static void rows_are_gradients(void **state)
{
  (void)state;
  check_rows("");
  check_rows(", elements: tet4");
  check_rows(", elements: tet10");
}

/* By initial velocities alone; the key overrules. */
static void choice(void **state)
{
  const struct {
    const char *velocity, *key;
    PetscBool   finite;
  } wanted[] = {{"[20 m/s, 0, 0]", "", PETSC_TRUE}, {"[0, -1 m/s, 0]", "", PETSC_FALSE}, {"[20 m/s, 0, 0]", ", sliding: small", PETSC_FALSE},
    {"[0, -1 m/s, 0]", ", sliding: finite", PETSC_TRUE}};

  (void)state;
  for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
    TestRun     test = open_block("", wanted[i].velocity, wanted[i].key);
    const NsFe *fe   = test.run->model->data;
    assert_int_equal(fe->sliding != NULL, wanted[i].finite);
    assert_int_equal(test.run->model->flat_contacts, !wanted[i].finite);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(nearest_face_of_a_closed_surface),
  cmocka_unit_test(gradient_on_a_warped_strip),
  cmocka_unit_test(rim_of_a_line),
  cmocka_unit_test(rows_are_gradients),
  cmocka_unit_test(choice),
};
TEST_MAIN(tests)
