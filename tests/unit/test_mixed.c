/*
  Meshes of several shapes: triangles among quadrangles; tetrahedra, prisms and pyramids among hexahedra (src/mesh/collapsed.h). Patch tests, masses, frequencies, points, contact surfaces.
*/
#include "solids.h"
#include "fe/fe.h"

static double probe(const TestRun *test, const char *name, const char *suffix)
{
  NsModel  *model = test->run->model;
  NsProbe   found;
  PetscBool there;
  char      why[200];

  CHECK(model->view.probe(model, name, &found, &there, why, sizeof(why)));
  if (!there) fail_msg("%s", why);
  for (PetscInt c = 0; c < found.columns; c++) {
    if (!strcmp(found.column[c].suffix, suffix))
      return NsProbeColumnSum(&found.column[c], 0, NsVecRead(test->run->state.q), NsVecRead(test->run->state.v));
  }
  fail_msg("%s has no %s", name, suffix);
  return 0;
}

static void triangles_among_quadrangles(void **state)
{
  static const char *const states[] = {"plane_strain", "plane_strain", "plane_strain", "plane_stress"}, *const formulations[] = {"incompatible",
                                                                                                          "b_bar", "standard", "incompatible"};

  (void)state;
  for (int s = 0; s < 4; s++) {
    char text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  patch: {type: solid, state: %s, thickness: 1 mm, formulation: %s, mesh: {file: " PERCUSS_SOURCE_DIR
      "/meshes/patch_quad_tri.msh}, material: {density: 1, young: 1e6, poisson: 0.25}, points: {gauge: [0.1, 0.01, 0]}}\n"
      "supports:\n  corner: {at: patch.corner, fix: [x, y]}\n  right: {at: patch.corner_right, fix: y}\n"
      "loads:\n  b: {on: patch.bottom, traction: [-400, -1333, 0]}\n  r: {on: patch.right, traction: [1333, 400, 0]}\n"
      "  t: {on: patch.top, traction: [400, 1333, 0]}\n  l: {on: patch.left, traction: [-1333, -400, 0]}\n",
      states[s], formulations[s]);
    TestRun      test        = open_static(text);
    const double expected[6] = {1333, 1333, s < 3 ? 0.25 * 2666 : 0, 400, 0, 0};
    assert_near(stress_error(&test, expected), 0, 1e-10 * 1333);
    assert_near(probe(&test, "patch.gauge", "sxx"), 1333, 1e-7);
    assert_near(probe(&test, "patch.right", "fx"), 0.12e-3 * 1333, 1e-10);
    assert_near(test.run->model->mass_total, 0.24 * 0.12 * 1e-3, 1e-17);
    test_run_close(&test);
  }
}

static const char *const faces[6][2] = {{"left", "[-2000, -400, -400]"}, {"right", "[2000, 400, 400]"}, {"bottom", "[-400, -2000, -400]"},
  {"top", "[400, 2000, 400]"}, {"back", "[-400, -400, -2000]"}, {"front", "[400, 400, 2000]"}};

/* sigma_ii = 2000, sigma_ij = 400: u = (0.003 x + ...) at (1, 1, 1); points within a prism, a hexahedron, a pyramid and a tetrahedron, on an edge and at the top of pyramids. */
static void all_shapes_in_space(void **state)
{
  static const char *const formulations[] = {"incompatible", "b_bar", "standard"};
  static const char *const points[]       = {"patch.prism", "patch.hex", "patch.pyramid", "patch.tet", "patch.edge", "patch.tip", "patch.p1"};
  const double             expected[6]    = {2000, 2000, 2000, 400, 400, 400};

  (void)state;
  for (int f = 0; f < 3; f++) {
    char text[3000];
    int  used = snprintf(text, sizeof(text),
       "bodies:\n  patch: {type: solid, formulation: %s, mesh: {file: " PERCUSS_SOURCE_DIR
       "/meshes/patch_mixed.msh}, material: {density: 1, young: 1e6, poisson: 0.25}, points: {prism: [0.1, 0.7, 0.2], hex: [0.35, 0.4, 0.4], pyramid: [0.6, 0.2, 0.5], tet: [0.9, 0.3, 0.6], edge: [0, 0, 0.5], tip: [0.6375, 0.45, 0.6]}}\n"
        "supports:\n  a: {at: patch.p0, fix: [x, y, z]}\n  b: {at: patch.p1, fix: [y, z]}\n  c: {at: patch.p3, fix: z}\nloads:\n",
       formulations[f]);
    for (int k = 0; k < 6; k++)
      used += snprintf(text + used, sizeof(text) - (size_t)used, "  %s: {on: patch.%s, traction: %s}\n", faces[k][0], faces[k][0], faces[k][1]);
    TestRun test = open_static(text);
    assert_near(stress_error(&test, expected), 0, 1e-10 * 2000);
    for (size_t p = 0; p < sizeof(points) / sizeof(*points); p++) {
      assert_near(probe(&test, points[p], "sxx"), 2000, 1e-6);
      assert_near(probe(&test, points[p], "syz"), 400, 1e-6);
    }
    assert_near(probe(&test, "patch.prism", "ux"), 1e-3 * (0.1 + 0.7 + 0.2), 1e-11);
    assert_near(probe(&test, "patch.tip", "uy"), 1e-3 * (0.45 + 0.6), 1e-11);
    assert_near(probe(&test, "patch.edge", "uz"), 1e-3 * 0.5, 1e-11);
    assert_near(test.run->model->mass_total, 1, 1e-14);
    NsEnergy energy;
    CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
    assert_near(energy.elastic, 3.6, 1e-9); /* sum of sigma^2/E terms: (3 * 2000 * 1e-3 + 3 * 400 * 1e-3)/2 */
    test_run_close(&test);
  }
}

/* Explicit steps by the back end for diagonal masses and by sparse matrices agree; bounds of the frequency are not below it. */
static void back_ends_agree(void **state)
{
  double end[2][3], omega[2];

  (void)state;
  for (int b = 0; b < 2; b++) {
    char text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  patch: {type: solid, mass: lumped, mesh: {file: " PERCUSS_SOURCE_DIR
      "/meshes/patch_mixed.msh}, material: {density: 7800, young: 210 GPa, poisson: 0.3}, initial: {velocity: [1, 2, 3]}}\n"
      "supports:\n  a: {at: patch.left}\nscheme: {type: half_explicit, step: 2 us}\ntime: {end: 400 us}\nfree_dynamics: %s\n",
      b ? "petsc" : "lumped");
    TestRun   test = test_run_open(text, NULL);
    PetscReal rate;
    NsBound   bound, damping;
    CHECK(NsFeHighestMode(test.run->model, 0, &omega[b], &rate));
    CHECK(NsFeFrequencyBound(test.run->model, 0, &bound, &damping));
    assert_true(bound.value >= omega[b] * (1 - 1e-9));
    while (test_runs(test.run)) (void)test_step(test.run);
    for (int k = 0; k < 3; k++) end[b][k] = probe(&test, "patch.p1", (const char *[]){"ux", "uy", "uz"}[k]);
    test_run_close(&test);
  }
  assert_near(omega[0] / omega[1], 1, 0.011);
  for (int k = 0; k < 3; k++) assert_near(end[0][k], end[1][k], 1e-12 * 1e-3);
}

/* A block of hexahedra pressed on the side of quadrangles and triangles, and under it: the pressure is even whichever side carries the forces. */
static void surfaces_of_both_shapes(void **state)
{
  const double stress[] = {0, -1e8, 0, 0, 0, 0};

  (void)state;
  for (int c = 0; c < 2; c++) {
    char text[3000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n"
      "  lower: {type: solid, mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/patch_mixed.msh}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
      "  upper: {type: solid, mesh: {box: {from: [0, 1, 0], to: [1, 1.5, 1], cells: [%d, 2, %d]}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
      "supports:\n  a: {at: lower.bottom, fix: y}\n  b: {at: lower.p0, fix: [x, z]}\n  c: {at: lower.p1, fix: z}\n"
      "  d: {at: upper.left_top_back, fix: [x, z]}\n  e: {at: upper.right_top_back, fix: z}\n"
      "loads: {press: {on: upper.top, pressure: 100 MPa}}\ncontacts: {joint: {between: [{surface: %s}, {surface: %s}]}}\n",
      c ? 1 : 3, c ? 1 : 3, c ? "lower.top" : "upper.bottom", c ? "upper.bottom" : "lower.top");
    TestRun      test  = open_static(text);
    const double error = stress_error(&test, stress) / 1e8;
    print_message("  %s carries the forces: stress off by %.2g\n", c ? "mixed side" : "hexahedra", error);
    assert_true(error < 1e-10);
    test_run_close(&test);
  }
}

/* Points on a side of quadrangles and triangles, at a node where only triangles meet, too; finite sliding over it. */
static void nodes_on_such_a_side(void **state)
{
  static const char *const sliding[] = {"small", "finite"};

  (void)state;
  for (int s = 0; s < 2; s++) {
    for (int p = 0; p < 2; p++) {
      char text[3000];
      (void)snprintf(text, sizeof(text),
        "bodies:\n"
        "  base: {type: solid, mesh: {file: " PERCUSS_SOURCE_DIR
        "/meshes/patch_mixed.msh}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
        "  rod: {type: bar, mesh: {line: {from: [%s], to: [%s], elements: 1}}, material: {density: 7800, young: 210 GPa}, section: {area: 1 cm^2}}\n"
        "supports:\n  a: {at: base.bottom, fix: [x, y, z]}\n"
        "loads: {press: {at: rod.right, force: [0, -1 kN, 0]}}\n"
        "contacts: {joint: {between: [rod.right, {surface: base.top}], sliding: %s}}\n",
        p ? "1, 2, 1" : "0.9, 2, 0.3", p ? "1, 1, 1" : "0.9, 1, 0.3", sliding[s]);

      TestRun test = open_static(text);
      assert_near(probe(&test, "base.bottom", "fy"), 1000, 1e-5);
      test_run_close(&test);
    }
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(triangles_among_quadrangles),
  cmocka_unit_test(all_shapes_in_space),
  cmocka_unit_test(back_ends_agree),
  cmocka_unit_test(surfaces_of_both_shapes),
  cmocka_unit_test(nodes_on_such_a_side),
};
TEST_MAIN(tests)
