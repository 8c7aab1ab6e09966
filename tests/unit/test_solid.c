/*
  Solid elements: patch tests, rigid motions, closed-form frequencies, and figures of standard problems (Lame's cylinder, Cook's membrane, a cantilever, a free cube) that an independent
  implementation gave.
*/
#include "solids.h"

#define STEEL "    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}\n"

static const char *const formulations[] = {"incompatible", "b_bar", "standard"};

static double displacement(const TestRun *test, PetscInt node, int axis)
{
  const PetscInt unknown = NsFeNodeUnknowns(fe_of(test), node)[axis];

  return unknown < 0 ? 0 : NsVecRead(test->run->state.q)[NsLayoutIndex(test->run->model->layout, unknown)];
}

static PetscInt node_at(const TestRun *test, double x, double y, double z)
{
  const NsFe *fe = fe_of(test);

  for (PetscInt i = 0; i < fe->nodes; i++) {
    if (fabs(fe->x[3 * i] - x) + fabs(fe->x[3 * i + 1] - y) + fabs(fe->x[3 * i + 2] - z) < 1e-9) return i;
  }
  fail_msg("there is no node at (%g, %g, %g)", x, y, z);
  return -1;
}

/* ---- patch tests -------------------------------------------------------------------------------------------------------------------------------- */

static void plane_patch(void **state)
{
  static const char *const states[] = {"plane_stress", "plane_strain"};
  static const double      at[2][2] = {{3.5994e-4, 1.1997e-4}, {3.1995e-4, 9.9975e-5}}; /* E, nu: closed form */

  (void)state;
  for (int s = 0; s < 2; s++) {
    for (int f = s == 0 ? 2 : 0; f >= 0 && f < 3; f += s == 0 ? -2 : 1) { /* plane stress has no b_bar */
      char text[2000];
      (void)snprintf(text, sizeof(text),
        "bodies:\n  patch: {type: solid, state: %s, thickness: 1 mm, formulation: %s, mesh: {file: " PERCUSS_SOURCE_DIR
        "/meshes/patch_quad.msh}, material: {density: 1, young: 1e6, poisson: 0.25}}\n"
        "supports:\n  corner: {at: patch.corner, fix: [x, y]}\n  right: {at: patch.corner_right, fix: y}\n"
        "loads:\n  b: {on: patch.bottom, traction: [-400, -1333, 0]}\n  r: {on: patch.right, traction: [1333, 400, 0]}\n"
        "  t: {on: patch.top, traction: [400, 1333, 0]}\n  l: {on: patch.left, traction: [-1333, -400, 0]}\n",
        states[s], formulations[f]);
      TestRun      test        = open_static(text);
      const double expected[6] = {1333, 1333, s ? 0.25 * 2666 : 0, 400, 0, 0};
      assert_near(stress_error(&test, expected), 0, 1e-9 * 1333);
      const PetscInt corner = node_at(&test, 0.24, 0.12, 0);
      assert_near(displacement(&test, corner, 0), at[s][0], 1e-4 * at[s][0] * 1e-2 + 1e-9);
      assert_near(displacement(&test, corner, 1), at[s][1], 1e-4 * at[s][1] * 1e-2 + 1e-9);
      test_run_close(&test);
    }
  }
}

static const char *const faces[6][2] = {{"left", "[-2000, -400, -400]"}, {"right", "[2000, 400, 400]"}, {"bottom", "[-400, -2000, -400]"},
  {"top", "[400, 2000, 400]"}, {"back", "[-400, -400, -2000]"}, {"front", "[400, 400, 2000]"}};

/* sigma_ii = 2000, sigma_ij = 400: u = (0.003, 0.002, 0.001) at (1, 1, 1). */
static void check_space_patch(const char *mesh, const char *more, const char *const points[3])
{
  const double expected[6] = {2000, 2000, 2000, 400, 400, 400};
  char         text[3000];
  int          used;

  used = snprintf(text, sizeof(text),
    "bodies:\n  patch: {type: solid, mesh: {%s}, material: {density: 1, young: 1e6, poisson: 0.25}%s}\n"
    "supports:\n  a: {at: patch.%s, fix: [x, y, z]}\n  b: {at: patch.%s, fix: [y, z]}\n  c: {at: patch.%s, fix: z}\nloads:\n",
    mesh, more, points[0], points[1], points[2]);
  for (int k = 0; k < 6; k++)
    used += snprintf(text + used, sizeof(text) - (size_t)used, "  %s: {on: patch.%s, traction: %s}\n", faces[k][0], faces[k][0], faces[k][1]);
  TestRun test = open_static(text);
  assert_near(stress_error(&test, expected), 0, 1e-9 * 2000);
  const PetscInt corner = node_at(&test, 1, 1, 1);
  for (int k = 0; k < 3; k++) assert_near(displacement(&test, corner, k), 0.003 - 0.001 * k, 1e-10);
  test_run_close(&test);
}

static void space_patch(void **state)
{
  static const char *const of_file[3] = {"p0", "p1", "p3"}, *const of_box[3] = {"left_bottom_back", "right_bottom_back", "left_top_back"};
  static const char *const kinds[] = {"tet4", "tet10", "hex8"};
  char                     text[300];

  (void)state;
  for (int f = 0; f < 3; f++) {
    (void)snprintf(text, sizeof(text), ", formulation: %s", formulations[f]);
    check_space_patch("file: " PERCUSS_SOURCE_DIR "/meshes/patch_hex.msh", text, of_file);
  }
  for (int k = 0; k < 3; k++) {
    (void)snprintf(text, sizeof(text), "box: {from: [0, 0, 0], to: [1, 1, 1], cells: [2, 1, 3], elements: %s}", kinds[k]);
    check_space_patch(text, "", of_box);
  }
}

/* A pressure from all sides: s_rr = s_yy = s_hoop = -p in a full cylinder, u_r = -(1 - 2 nu) p r/E. */
static void axisymmetric_patch(void **state)
{
  static const char *const kinds[] = {"quad4", "quad4", "quad4", "tri3"};

  (void)state;
  for (int k = 0; k < 4; k++) {
    char text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  patch: {type: solid, state: axisymmetric, formulation: %s, mesh: {box: {from: [0, 0, 0], to: [2, 3, 0], cells: [3, 2, 0], elements: %s}},"
      " material: {density: 1, young: 1e6, poisson: 0.25}}\n"
      "supports: {axis: {at: patch.left, fix: x}, foot: {at: patch.left_bottom, fix: y}}\n"
      "loads: {r: {on: patch.right, pressure: 1000}, b: {on: patch.bottom, pressure: 1000}, t: {on: patch.top, traction: [0, -1000, 0]}}\n",
      formulations[k % 3], kinds[k]);
    TestRun      test        = open_static(text);
    const double expected[6] = {-1000, -1000, -1000, 0, 0, 0};
    assert_near(stress_error(&test, expected), 0, 1e-8 * 1000);
    assert_near(displacement(&test, node_at(&test, 2, 3, 0), 0), -0.5 * 1000 * 2 / 1e6, 1e-11);
    test_run_close(&test);
  }
}

/* ---- standard problems -------------------------------------------------------------------------------------------------------------------------- */

/* Bore of a thick cylinder, b = 2 a, under inner pressure, in plane strain; exact 9.079365079 and 9.523650762 um. */
static void lame_cylinder(void **state)
{
  static const struct {
    double poisson, bore[3][2]; /* um by formulation, of 4 and of 16 elements */
  } cases[] = {{0.3, {{9.005615265, 9.074579668}, {9.044674551, 9.077130738}, {8.988937613, 9.073502599}}},
    {0.4999, {{9.405406507, 9.515926184}, {9.4836211, 9.521072824}, {0.5664075201, 4.725247158}}}};

  (void)state;
  for (int c = 0; c < 6; c++) {
    for (int n = 0; n < 2; n++) {
      const int cells = n ? 16 : 4;
      char      text[2000];
      (void)snprintf(text, sizeof(text),
        "bodies:\n  ring: {type: solid, state: axisymmetric, formulation: %s, mesh: {box: {from: [10 mm, 0, 0], to: [20 mm, %g mm, 0], cells: [%d, 1, 0]}},"
        " material: {density: 7800, young: 210 GPa, poisson: %g}}\n"
        "supports: {planes: {at: ring.all, fix: y}}\nloads: {inside: {on: ring.left, pressure: 100 MPa}}\n",
        formulations[c % 3], 10. / cells, cells, cases[c / 3].poisson);
      TestRun test = open_static(text);
      assert_near(1e6 * displacement(&test, node_at(&test, 0.01, 0, 0), 0), cases[c / 3].bore[c % 3][n], 1e-8 * cases[c / 3].bore[c % 3][n]);
      test_run_close(&test);
    }
  }
}

/* A file of quadrangles, n x n, between four corners. */
static void write_quads(const char *path, int n, const double corner[4][2])
{
  FILE *file = fopen(path, "w");

  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"body\"\n1 2 \"left\"\n1 3 \"right\"\n$EndPhysicalNames\n$Nodes\n%d\n",
    (n + 1) * (n + 1));
  for (int k = 0; k < (n + 1) * (n + 1); k++) {
    const double s = (double)(k % (n + 1)) / n, t = (double)(k / (n + 1)) / n;
    fprintf(file, "%d", k + 1);
    for (int d = 0; d < 2; d++)
      fprintf(file, " %.17g", (1 - t) * ((1 - s) * corner[0][d] + s * corner[1][d]) + t * ((1 - s) * corner[3][d] + s * corner[2][d]));
    fprintf(file, " 0\n");
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", n * n + 2 * n);
  for (int k = 0; k < n * n; k++) {
    const int a = k % n + (n + 1) * (k / n) + 1;
    fprintf(file, "%d 3 2 1 1 %d %d %d %d\n", k + 1, a, a + 1, a + n + 2, a + n + 1);
  }
  for (int k = 0; k < 2 * n; k++) {
    const int a = (n + 1) * (k % n) + 1 + (k < n ? 0 : n);
    fprintf(file, "%d 1 2 %d 1 %d %d\n", n * n + k + 1, k < n ? 2 : 3, a, a + n + 1);
  }
  fprintf(file, "$EndElements\n");
  assert_int_equal(fclose(file), 0);
}

/* Deflection of (48, 52), the middle of the right side; with standard elements as in the literature (11.85, 18.30), with QM6 21.05, 23.02. */
static void cook_membrane(void **state)
{
  static const double corner[4][2] = {{0, 0}, {48, 44}, {48, 60}, {0, 44}};
  static const struct {
    int         n;
    const char *formulation;
    double      expected;
  } cases[] = {{2, "standard", 11.8451795}, {8, "standard", 22.07918339}, {2, "incompatible", 21.05030136}, {8, "incompatible", 23.68883067}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    char      path[] = "/tmp/percuss_cook_XXXXXX", text[2000];
    const int file   = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_quads(path, cases[c].n, corner);
    (void)snprintf(text, sizeof(text),
      "bodies:\n  plate: {type: solid, state: plane_stress, formulation: %s, mesh: {file: %s}, material: {density: 1, young: 1, poisson: 0.3333333333333333}}\n"
      "supports: {wall: {at: plate.left}}\nloads: {shear: {on: plate.right, traction: [0, 0.0625, 0]}}\n",
      cases[c].formulation, path);
    TestRun test = open_static(text);
    assert_near(displacement(&test, node_at(&test, 48, 52, 0), 1), cases[c].expected, 1e-8 * cases[c].expected);
    test_run_close(&test);
    unlink(path);
  }
}

/* Deflection of the end of a cantilever, weighted as the force is, 100 x 10 x 10 mm, 1 kN; Timoshenko: 1.919333333 mm. */
static void cantilever(void **state)
{
  static const struct {
    const char *cells, *elements, *formulation;
    double      expected;
  } cases[] = {{"[10, 1, 1]", "hex8", "standard", 0.001233899936}, {"[10, 1, 1]", "hex8", "b_bar", 0.002298096548},
    {"[10, 1, 1]", "hex8", "incompatible", 0.001891732833}, {"[20, 2, 2]", "hex8", "incompatible", 0.001893932553},
    {"[10, 2, 2]", "tet4", "standard", 0.0006743699034}, {"[10, 2, 2]", "tet10", "standard", 0.001886265075}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    char text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  beam: {type: solid, formulation: %s, mesh: {box: {from: [0, 0, 0], to: [0.1, 0.01, 0.01], cells: %s, elements: %s}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
      "supports: {wall: {at: beam.left}}\nloads: {end: {on: beam.right, traction: [0, 0, -10 MPa]}}\n",
      cases[c].formulation, cases[c].cells, cases[c].elements);
    TestRun  test = open_static(text);
    NsEnergy energy;
    CHECK(NsModelEnergy(test.run->model, 0, test.run->state.q, test.run->state.v, &energy));
    assert_near(2 * energy.elastic / 1000, cases[c].expected, 1e-8 * cases[c].expected); /* the force does twice the elastic energy */
    test_run_close(&test);
  }
}

/* The elastic frequencies of a free steel cube of 0.1 m, 8 x 8 x 8 hexahedra, Hz. */
static void cube_modes(void **state)
{
  static const struct {
    const char *formulation, *mass;
    double      first, last; /* 7th and 16th mode */
  } cases[] = {{"standard", "lumped", 14406.54279, 22557.74695}, {"b_bar", "consistent", 14846.28802, 22903.47122},
    {"incompatible", "lumped", 14397.88613, 22433.47097}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    char         text[2000];
    NsModelModes modes;
    (void)snprintf(text, sizeof(text),
      "bodies:\n  cube: {type: solid, formulation: %s, mass: %s, mesh: {box: {from: [0, 0, 0], to: [0.1, 0.1, 0.1], cells: [8, 8, 8]}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
      "scheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
      cases[c].formulation, cases[c].mass);
    TestRun test = test_run_open(text, NULL);
    CHECK(NsFeModes(test.run->model, 16, &modes));
    assert_int_equal(modes.count, 16);
    for (int k = 0; k < 6; k++) assert_near(modes.omega[k], 0, 1e-3);
    assert_near(modes.omega[6] / (2 * PETSC_PI), cases[c].first, 1e-6 * cases[c].first);
    assert_near(modes.omega[15] / (2 * PETSC_PI), cases[c].last, 1e-6 * cases[c].last);
    CHECK(NsModelModesDestroy(&modes));
    test_run_close(&test);
  }
}

/* Static start with contact, which alone holds the block along y: even pressure under an even load; under a load near one end the other end lifts off. */
static void statics_close_contacts(void **state)
{
  static const char *const mass[]  = {"lumped", "redistributed"};
  const double             even[6] = {0, -1000, 0, 0, 0, 0};
  char                     text[2000];

  (void)state;
  for (int m = 0; m < 2; m++) {
    const char *scheme = m ? "massless_contact" : "half_explicit";
    (void)snprintf(text, sizeof(text),
      "bodies:\n  block: {type: solid, state: plane_stress, thickness: 1, mass: %s, mesh: {box: {from: [0, 0.001, 0], to: [4, 1.001, 0], cells: [16, 4, 0]}},"
      " material: {density: 1, young: 1e6, poisson: 0.25}}\n"
      "supports: {symmetry: {at: block.left_bottom, fix: x}}\nloads: {press: {on: block.top, pressure: 1000}}\n"
      "contacts: {floor: {between: [block.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n"
      "start: static\nscheme: {type: %s, step: 10 us}\ntime: {end: 1 ms}\n",
      mass[m], scheme);
    TestRun test = test_run_open(text, NULL);
    assert_near(stress_error(&test, even), 0, 1e-6 * 1000);
    assert_near(displacement(&test, node_at(&test, 4, 1.001, 0), 1), -0.001 - 1000. / 1e6, 1e-12);
    for (int step = 0; step < 20; step++) (void)test_step(test.run); /* it stays at rest */
    double force = 0;
    for (PetscInt i = 0; i < test.run->model->candidates; i++) force += NsContactReports(test.run->contact)[i].force[0];
    assert_near(force, 4000, 1e-6 * 4000);
    assert_near(stress_error(&test, even), 0, 1e-5 * 1000);
    test_run_close(&test);
  }
  TestRun test = open_static(
    "bodies:\n  block: {type: solid, state: plane_stress, thickness: 1, mesh: {box: {from: [0, 0, 0], to: [4, 1, 0], cells: [16, 4, 0]}}, material: {density: 1, young: 1e6, poisson: 0.25}}\n"
    "supports: {symmetry: {at: block.left_bottom, fix: x}}\nloads: {press: {at: block.left_top, force: [0, -1000, 0]}, hold: {at: block.right_top, force: [0, -10, 0]}}\n"
    "contacts: {floor: {between: [block.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n");
  assert_near(displacement(&test, node_at(&test, 0, 0, 0), 1), 0, 1e-15);
  assert_true(displacement(&test, node_at(&test, 2, 0, 0), 1) > 1e-6);
  test_run_close(&test);
}

/* Probes: the stress at a node of the patch, the mean displacement of a side. */
static void probes_of_nodes_and_sets(void **state)
{
  static const char *const suffix[] = {"sxx", "syy", "szz", "sxy", "syz", "szx"};
  TestRun                  test     = open_static(
                         "bodies:\n  block: {type: solid, mesh: {box: {from: [0, 0, 0], to: [2, 1, 1], cells: [4, 2, 2]}}, material: {density: 1, young: 1e6, poisson: 0.25}}\n"
                                              "supports: {a: {at: block.left, fix: x}, b: {at: block.bottom, fix: y}, c: {at: block.back, fix: z}}\nloads: {pull: {on: block.right, traction: [2000, 0, 0]}}\n");
  NsModel         *model = test.run->model;
  NsProbe          probe;
  PetscBool        found;
  char             why[200];
  const PetscReal *q = NsVecRead(test.run->state.q), *v = NsVecRead(test.run->state.v);

  (void)state;
  CHECK(model->view.probe(model, "block.right", &probe, &found, why, sizeof(why)));
  assert_true(found);
  assert_string_equal(probe.column[0].suffix, "ux");
  assert_near(NsProbeColumnSum(&probe.column[0], 0, q, v), 2000. / 1e6 * 2, 1e-12);
  CHECK(model->view.probe(model, "block.right_top_front", &probe, &found, why, sizeof(why)));
  assert_true(found);
  for (int c = 0; c < 6; c++) {
    PetscInt at = 0;
    while (at < probe.columns && strcmp(probe.column[at].suffix, suffix[c])) at++;
    assert_true(at < probe.columns);
    assert_near(NsProbeColumnSum(&probe.column[at], 0, q, v), c == 0 ? 2000 : 0, 1e-6);
  }
  test_run_close(&test);
}

static PetscReal probe_value(const TestRun *test, const char *name, const char *suffix)
{
  NsModel  *model = test->run->model;
  NsProbe   probe;
  PetscBool found;
  char      why[200];

  CHECK(model->view.probe(model, name, &probe, &found, why, sizeof(why)));
  if (!found) fail_msg("%s", why);
  for (PetscInt c = 0; c < probe.columns; c++) {
    if (!strcmp(probe.column[c].suffix, suffix))
      return NsProbeColumnSum(&probe.column[c], 0, NsVecRead(test->run->state.q), NsVecRead(test->run->state.v));
  }
  fail_msg("%s has no %s", name, suffix);
  return 0;
}

/* The patch of uniform stress in space: motion, principal stresses (2800 along (1, 1, 1), 1600 twice) and von Mises' at points within elements of all shapes, and the resultants of sides. */
static void probes_within_elements(void **state)
{
  static const char *const meshes[] = {"cells: [3, 2, 2]", "cells: [2, 2, 1], elements: tet4", "cells: [2, 1, 1], elements: tet10"};

  (void)state;
  for (size_t m = 0; m < sizeof(meshes) / sizeof(*meshes); m++) {
    char text[3000];
    int  used = snprintf(text, sizeof(text),
       "bodies:\n  patch: {type: solid, mesh: {box: {from: [0, 0, 0], to: [1, 1, 1], %s}}, material: {density: 1, young: 1e6, poisson: 0.25},"
        " points: {gauge: [0.37, 0.21, 0.83], corner: {at: [1, 1, 1]}}}\n"
        "supports:\n  a: {at: patch.left_bottom_back, fix: [x, y, z]}\n  b: {at: patch.right_bottom_back, fix: [y, z]}\n  c: {at: patch.left_top_back, fix: z}\nloads:\n",
       meshes[m]);
    for (int k = 0; k < 6; k++)
      used += snprintf(text + used, sizeof(text) - (size_t)used, "  %s: {on: patch.%s, traction: %s}\n", faces[k][0], faces[k][0], faces[k][1]);
    TestRun test = open_static(text);
    assert_near(probe_value(&test, "patch.gauge", "ux"), 0.37 * 1e-3 + 0.21 * 1e-3 + 0.83 * 1e-3, 1e-12);
    assert_near(probe_value(&test, "patch.corner", "ux"), 3e-3, 1e-12);
    for (int p = 0; p < 3; p++) {
      static const char *const points[] = {"patch.gauge", "patch.corner", "patch.right_top_front"};
      assert_near(probe_value(&test, points[p], "sxx"), 2000, 1e-6);
      assert_near(probe_value(&test, points[p], "mises"), 1200, 1e-6);
      assert_near(probe_value(&test, points[p], "s1"), 2800, 1e-6);
      assert_near(probe_value(&test, points[p], "s2"), 1600, 1e-6);
      assert_near(probe_value(&test, points[p], "s3"), 1600, 1e-6);
      assert_near(probe_value(&test, points[p], "exx"), 1e-3, 1e-12);
      assert_near(probe_value(&test, points[p], "gyz"), 1e-3, 1e-12);
      assert_near(probe_value(&test, points[p], "energy_density"), 3.6, 1e-9);
    }
    assert_near(probe_value(&test, "patch.right", "fx"), 2000, 1e-6);
    assert_near(probe_value(&test, "patch.top", "fz"), 400, 1e-6);
    test_run_close(&test);
  }
}

/* The reaction of a clamped cantilever balances its load; von Mises' stress of plane stress by its closed form. */
static void resultants_of_supports(void **state)
{
  TestRun test = open_static(
    "bodies:\n  beam: {type: solid, state: plane_stress, thickness: 2, mesh: {box: {from: [0, 0, 0], to: [4, 1, 0], cells: [8, 3, 0]}}, material: {density: 1, young: 1e6, poisson: 0.25},"
    " points: {inner: [1.3, 0.4, 0]}}\n"
    "supports: {wall: {at: beam.left}}\nloads: {tip: {on: beam.right, traction: [30, -10, 0]}}\n");

  (void)state;
  assert_near(probe_value(&test, "beam.left", "fx"), -60, 1e-9);
  assert_near(probe_value(&test, "beam.left", "fy"), 20, 1e-9);
  assert_near(probe_value(&test, "beam.left", "mz"), 80, 1e-9); /* 20 at a distance of 4 */
  const PetscReal xx = probe_value(&test, "beam.inner", "sxx"), yy = probe_value(&test, "beam.inner", "syy"),
                  xy     = probe_value(&test, "beam.inner", "sxy");
  const PetscReal middle = (xx + yy) / 2, radius = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
  assert_near(probe_value(&test, "beam.inner", "mises"), sqrt(xx * xx - xx * yy + yy * yy + 3 * xy * xy), 1e-9);
  assert_near(probe_value(&test, "beam.inner", "s1"), PetscMax(middle + radius, 0), 1e-9);
  assert_near(probe_value(&test, "beam.inner", "s3"), PetscMin(middle - radius, 0), 1e-9);
  test_run_close(&test);
}

/* ---- frequencies, masses ------------------------------------------------------------------------------------------------------------------------ */

static double bound_of(const char *body)
{
  char    text[1000];
  NsBound omega, rate;

  (void)snprintf(text, sizeof(text),
    "bodies:\n  b: {type: solid, mass: lumped, %s, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
    body);
  TestRun test = test_run_open(text, NULL);
  CHECK(NsFeFrequencyBound(test.run->model, 0, &omega, &rate));
  test_run_close(&test);
  return omega.value;
}

/* Of one element: hex8 cube omega^2 = 12 K/(rho h^2), K the bulk modulus, square in plane strain 8 (lambda + mu)/(rho h^2); the others by an independent implementation. */
static void frequencies_of_single_elements(void **state)
{
  const double h = 0.0125, lambda = 210e9 * 0.3 / (1.3 * 0.4), mu = 210e9 / 2.6;

  (void)state;
  assert_near(bound_of("formulation: standard, mesh: {box: {from: [0, 0, 0], to: [12.5 mm, 12.5 mm, 12.5 mm], cells: [1, 1, 1]}}"),
    sqrt(12 * (lambda + 2 * mu / 3) / 7800) / h, 1);
  assert_near(bound_of("formulation: standard, state: plane_strain, mesh: {box: {from: [0, 0, 0], to: [12.5 mm, 12.5 mm, 0], cells: [1, 1, 0]}}"),
    sqrt(8 * (lambda + mu) / 7800) / h, 1);
  assert_near(bound_of("mesh: {box: {from: [0, 0, 0], to: [12.5 mm, 12.5 mm, 12.5 mm], cells: [1, 1, 1], elements: tet4}}"), 1971639.138, 2);
  assert_near(bound_of("mesh: {box: {from: [0, 0, 0], to: [12.5 mm, 12.5 mm, 12.5 mm], cells: [1, 1, 1], elements: tet10}}"), 4155725.443, 4);
}

/* Consistent and lumped masses of a straight tetrahedron: N_a N_b integrated in closed form, 1/36 and 4/27. */
static void masses_of_a_tetrahedron(void **state)
{
  (void)state;
  for (int lumped = 0; lumped < 2; lumped++) {
    char text[1000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  b: {type: solid, mass: %s, mesh: {box: {from: [0, 0, 0], to: [1, 1, 1], cells: [1, 1, 1], elements: tet10}}, material: {density: 6, young: 1, poisson: 0.3}}\n"
      "scheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
      lumped ? "lumped" : "consistent");
    TestRun            test = test_run_open(text, NULL);
    const NsFe        *fe   = fe_of(&test);
    const NsFeElement *e    = &fe->element[0];
    PetscReal          M[900];
    NsSolidMass(&fe->body[0], e, M);
    const PetscReal corner = M[0], middle = M[(3 * 4) * 31], between = M[3]; /* of a tetrahedron of 1 kg; of two corners V/420 */
    assert_near(corner, lumped ? 1. / 36 : 1. / 70, 1e-14);
    assert_near(middle, lumped ? 4. / 27 : 8. / 105, 1e-14);
    assert_near(between, lumped ? 0 : 1. / 420, 1e-14);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(plane_patch),
  cmocka_unit_test(space_patch),
  cmocka_unit_test(axisymmetric_patch),
  cmocka_unit_test(lame_cylinder),
  cmocka_unit_test(cook_membrane),
  cmocka_unit_test(cantilever),
  cmocka_unit_test(cube_modes),
  cmocka_unit_test(probes_of_nodes_and_sets),
  cmocka_unit_test(probes_within_elements),
  cmocka_unit_test(resultants_of_supports),
  cmocka_unit_test(statics_close_contacts),
  cmocka_unit_test(frequencies_of_single_elements),
  cmocka_unit_test(masses_of_a_tetrahedron),
};
TEST_MAIN(tests)
