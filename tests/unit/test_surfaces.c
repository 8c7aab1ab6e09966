/*
  Contact of two solids by dual mortar: patch tests with meshes that do not match, gaps and press fits, friction, against closed forms and an independent implementation.
*/
#include "solids.h"
#include "fe/surface/contact.h"

#define STEEL "    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}\n"

/* ---- patch tests -------------------------------------------------------------------------------------------------------------------------------- */

/* Two blocks 100 x 50 (x 100) mm, 100 MPa on top; the upper one is named first. */
static TestRun open_blocks(
  const char *state, const char *elements, const char *upper, const char *lower, const char *held, const char *pressure, const char *joined)
{
  char       text[4000], joint[200];
  const bool space = !*state;

  (void)snprintf(joint, sizeof(joint), joined, space ? "back" : "bottom", space ? "front" : "top");
  assert_true(snprintf(text, sizeof(text),
                "bodies:\n"
                "  lower:\n"
                "    type: solid\n" STEEL "    mesh: {box: {from: [0, 0, 0], to: [0.1, %s], cells: %s%s}}\n%s"
                "  upper:\n"
                "    type: solid\n" STEEL "    mesh: {box: {from: [0, %s], to: [0.1, %s], cells: %s%s}}\n%s"
                "supports: %s\n"
                "loads: {press: {on: upper.%s, pressure: %s}}\n%s"
                "start: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
                space ? "0.1, 0.05" : "0.05, 0", lower, elements, state, space ? "0, 0.05" : "0.05, 0", space ? "0.1, 0.1" : "0.1, 0", upper,
                elements, state, held, space ? "front" : "top", pressure, joint) < (int)sizeof(text));
  return test_run_open(text, NULL);
}

static TestRun open_patch(const char *state, const char *elements, const char *upper, const char *lower, const char *held)
{
  return open_blocks(state, elements, upper, lower, held, "100 MPa", "contacts: {joint: {between: [{surface: upper.%s}, {surface: lower.%s}]}}\n");
}

#define HELD_2D "{a: {at: lower.bottom, fix: y}, b: {at: lower.left_bottom, fix: x}, c: {at: upper.left_top, fix: x}}"

static void plane_patch(void **state)
{
  static const char *const cells[][2] = {{"[4, 3, 0]", "[3, 3, 0]"}, {"[7, 3, 0]", "[5, 3, 0]"}, {"[3, 3, 0]", "[8, 3, 0]"}};

  (void)state;
  for (int c = 0; c < 3; c++) {
    TestRun      test     = open_patch("    state: plane_strain\n", "", cells[c][0], cells[c][1], HELD_2D);
    const double stress[] = {0, -1e8, -0.3e8, 0, 0, 0}, error = stress_error(&test, stress) / 1e8;
    print_message("  %s on %s: stress off by %.2g\n", cells[c][0], cells[c][1], error);
    assert_true(error < 1e-10);
    test_run_close(&test);
  }
}

#define HELD_3D \
  "{a: {at: lower.back, fix: z}, b: {at: lower.left_bottom_back, fix: x}, c: {at: lower.left_bottom_back, fix: y}, " \
  "d: {at: upper.left_bottom_front, fix: [x, y]}, e: {at: [upper.right_bottom_front, lower.right_bottom_back], fix: y}}"

static void space_patch(void **state)
{
  static const char *const elements[] = {"hex8", "tet4", "tet10"};

  (void)state;
  for (int e = 0; e < 3; e++) {
    char of[40];
    snprintf(of, sizeof(of), ", elements: %s", elements[e]);
    TestRun      test     = open_patch("", of, "[4, 3, 2]", "[3, 5, 2]", HELD_3D);
    const double stress[] = {0, 0, -1e8, 0, 0, 0}, error = stress_error(&test, stress) / 1e8;
    print_message("  %s: stress off by %.2g\n", elements[e], error);
    assert_true(error < (e == 2 ? 1e-9 : 1e-10));
    test_run_close(&test);
  }
}

/* ---- gaps and press fits --------------------------------------------------------------------------------------------------------------------------- */

/* Two blocks of 50 mm between rigid ends that leave them 0.1 mm too little room, without lateral strain: strain 1e-3 in both. */
static void press_fit(void **state)
{
  TestRun test = test_run_open(
    "bodies:\n"
    "  lower: {type: solid, state: plane_strain, material: {density: 7800, young: 210 GPa, poisson: 0}, mesh: {box: {from: [0, 0, 0], to: [0.1, 0.05, 0], cells: [5, 3, 0]}}}\n"
    "  upper: {type: solid, state: plane_strain, material: {density: 7800, young: 210 GPa, poisson: 0}, mesh: {box: {from: [0, 0.0499, 0], to: [0.1, 0.0999, 0], cells: [7, 3, 0]}}}\n"
    "supports: {a: {at: lower.bottom}, b: {at: upper.top}}\n"
    "contacts: {joint: {between: [{surface: upper.bottom}, {surface: lower.top}]}}\n"
    "start: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
    NULL);
  const double stress[] = {0, -210e9 * 1e-3, 0, 0, 0, 0};

  (void)state;
  assert_near(stress_error(&test, stress) / 210e6, 0, 1e-10);
  test_run_close(&test);
}

/* ---- nodes of other bodies --------------------------------------------------------------------------------------------------------------------------- */

/* A bar that stands on a block and carries 1 kN: the nodes of the face that it stands on share it by their shape functions. */
static void nodes_on_a_surface(void **state)
{
  static const char text[] =
    "bodies:\n"
    "  one: {type: bar, mesh: {line: {from: [0.013, 0, 0.011], to: [0.013, 0.1, 0.011], elements: 4}}, material: {density: 7800, young: 210 GPa}, section: {area: 1 cm^2}}\n"
    "  block: {type: solid, material: {density: 7800, young: 210 GPa, poisson: 0.3}, mesh: {box: {from: [0, -0.02, 0], to: [0.04, 0, 0.04], cells: [4, 2, 4]}}}\n"
    "supports: {foot: {at: block.bottom}}\n"
    "loads: {push: {at: one.right, force: [0, -1 kN, 0]}}\n"
    "contacts: {stand: {between: [{surface: block.top}, one.left]}}\n"
    "start: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n";
  static const double weight[4] = {0.7 * 0.9, 0.3 * 0.9, 0.7 * 0.1, 0.3 * 0.1}; /* of the face from (10, 10) to (20, 20) mm at (13, 11) mm */
  TestRun             test      = test_run_open(text, NULL);
  const NsFe         *fe        = fe_of(&test);
  const NsPairPoint  *mean      = fe->pair[0].point[1];

  (void)state;
  assert_int_equal(test.run->model->candidates, 1);
  assert_int_equal(mean->unknowns, 12);
  for (PetscInt a = 0; a < mean->unknowns; a++) {
    PetscReal move = 0, off = 1;
    for (int k = 0; k < 3; k++) move += mean->move[a][k];
    for (int w = 0; w < 4; w++) off = PetscMin(off, fabs(move - weight[w]));
    assert_near(off, 0, 1e-12);
  }
  (void)test_step(test.run);
  assert_near(NsContactReports(test.run->contact)[0].impulse[0] / 1e-6, 1000, 1e-6);
  test_run_close(&test);
}

/* ---- Hertz ------------------------------------------------------------------------------------------------------------------------------------------- */

#define HERTZ_RADIUS 0.01
#define HERTZ_SIZE   0.006
enum { HERTZ_NODES = 40 };

/* Places from 0 to `size`: `even` steps of `first`, then steps that grow by a fifth. */
static int graded(double first, int even, double size, double at[HERTZ_NODES])
{
  int n = 0;

  for (double x = 0, step = first; n < HERTZ_NODES - 1 && x<size - step / 2; x += step, step *= n> even ? 1.2 : 1) at[n++] = x;
  at[n] = size;
  return n + 1;
}

/* The half x >= 0 of a body of quadrangles, whose lower side is x^2/(2 R) (up), or whose upper side is flat. */
static void write_half(const char *path, bool up, double first, int even)
{
  double    x[HERTZ_NODES], y[HERTZ_NODES];
  const int nx = graded(first, even, HERTZ_SIZE, x), ny = graded(4e-5, 4, HERTZ_SIZE, y);
  FILE     *file   = fopen(path, "w");
  int       number = 0;

  assert_non_null(file);
  fprintf(file,
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"axis\"\n1 2 \"near\"\n1 3 \"far\"\n2 4 \"body\"\n$EndPhysicalNames\n$Nodes\n%d\n",
    nx * ny);
  for (int k = 0; k < nx * ny; k++) {
    const double px = x[k % nx], py = y[k / nx];
    fprintf(file, "%d %.17g %.17g 0\n", k + 1, px, up ? py + px * px / (2 * HERTZ_RADIUS) * (1 - py / HERTZ_SIZE) : -py);
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", ny - 1 + 2 * (nx - 1) + (nx - 1) * (ny - 1));
  for (int j = 0; j < ny - 1; j++) fprintf(file, "%d 1 2 1 1 %d %d\n", ++number, j * nx + 1, (j + 1) * nx + 1);
  for (int i = 0; i < nx - 1; i++) {
    fprintf(file, "%d 1 2 2 2 %d %d\n", ++number, i + 1, i + 2);
    fprintf(file, "%d 1 2 3 3 %d %d\n", ++number, (ny - 1) * nx + i + 1, (ny - 1) * nx + i + 2);
  }
  for (int k = 0; k < (nx - 1) * (ny - 1); k++) {
    const int a = k / (nx - 1) * nx + k % (nx - 1) + 1;
    if (up)
      fprintf(file, "%d 3 2 4 4 %d %d %d %d\n", ++number, a, a + 1, a + nx + 1, a + nx);
    else
      fprintf(file, "%d 3 2 4 4 %d %d %d %d\n", ++number, a, a + nx, a + nx + 1, a + 1);
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
}

/* A cylinder of 10 mm on a flat body of the same steel: b = sqrt(4 F R/(pi E*)), p0 = 2 F/(pi b), E* = E/(2 (1 - nu^2)). */
static void hertz_of_two_bodies(void **state)
{
  char         path[2][64], text[2000];
  const double F = 2 * 1e8 * HERTZ_SIZE, E = 210e9 / (1 - 0.09) / 2, b = sqrt(4 * F * HERTZ_RADIUS / (PETSC_PI * E)), p0 = 2 * F / (PETSC_PI * b);
  double       total = 0, width = 0;

  (void)state;
  for (int k = 0; k < 2; k++) {
    snprintf(path[k], sizeof(path[k]), "/tmp/percuss_test_%d_%d.msh", (int)getpid(), k);
    write_half(path[k], k == 0, k == 0 ? 4e-5 : 5.5e-5, k == 0 ? 15 : 11);
  }
  snprintf(text, sizeof(text),
    "bodies:\n"
    "  up: {type: solid, state: plane_strain, mesh: {file: %s, scale: 1 m}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
    "  low: {type: solid, state: plane_strain, mesh: {file: %s, scale: 1 m}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
    "supports: {foot: {at: low.far, fix: y}, middle: {at: [low.axis, up.axis], fix: x}}\n"
    "loads: {press: {on: up.far, pressure: 100 MPa}}\n"
    "contacts: {joint: {between: [{surface: up.near}, {surface: low.near}]}}\n"
    "start: static\nscheme: {type: moreau_jean, step: 1 ns}\ntime: {end: 1 ns}\n",
    path[0], path[1]);
  TestRun test = test_run_open(text, NULL);
  for (int k = 0; k < 2; k++) unlink(path[k]);
  (void)test_step(test.run);
  for (PetscInt i = 0; i < test.run->model->candidates; i++) {
    const double force = NsContactReports(test.run->contact)[i].impulse[0] / 1e-9, p = force / test.run->model->candidate[i].area,
                 x = fe_of(&test)->pair[i].point[0]->x[0];
    if (force == 0) continue;
    total += 2 * force;
    width = PetscMax(width, x);
    if (x < 0.5 * b) assert_near(p / p0, sqrt(1 - x * x / (b * b)), 0.02);
  }
  print_message("  force %.6g of %.6g N, half-width %.4g of %.4g m, p0 %.4g Pa\n", total, F, width, b, p0);
  assert_near(total / F, 1, 1e-3);
  assert_near(width, b, 4e-5);
  test_run_close(&test);
}

/* ---- static start with friction ---------------------------------------------------------------------------------------------------------------------- */

/* A block that is pressed and pushed, with 98 % of the friction that there is: some nodes stick, others slip. The run that begins so stays at rest. */
static void friction_holds(void **state)
{
  static const char *const blocks[] = {
    "bodies:\n"
    "  base: {type: solid, state: plane_strain, material: {density: 7800, young: 210 GPa, poisson: 0.3}, mesh: {box: {from: [-0.1, -0.02, 0], to: [0.1, 0, 0], cells: [20, 4, 0]}}, mass: redistributed}\n"
    "  block: {type: solid, state: plane_strain, material: {density: 7800, young: 210 GPa, poisson: 0.3}, mesh: {box: {from: [-0.025, 0, 0], to: [0.025, 0.03, 0], cells: [8, 4, 0]}}, mass: redistributed}\n"
    "supports: {foot: {at: base.bottom}}\n"
    "loads: {press: {on: block.top, pressure: 1 MPa}, push: {on: block.left, traction: [0.49 MPa, 0, 0]}}\n"
    "contacts: {joint: {between: [{surface: block.bottom}, {surface: base.top}], friction: 0.3}}\n",
    "bodies:\n"
    "  base: {type: solid, material: {density: 7800, young: 210 GPa, poisson: 0.3}, mesh: {box: {from: [-0.04, -0.02, -0.04], to: [0.04, 0, 0.04], cells: [6, 4, 6]}}, mass: redistributed}\n"
    "  block: {type: solid, material: {density: 7800, young: 210 GPa, poisson: 0.3}, mesh: {box: {from: [-0.025, 0, -0.025], to: [0.025, 0.03, 0.025], cells: [5, 4, 5]}}, mass: redistributed}\n"
    "supports: {foot: {at: base.bottom}}\n"
    "loads: {press: {on: block.top, pressure: 1 MPa}, push: {on: block.left, traction: [0.3 MPa, 0, 0.2 MPa]}}\n"
    "contacts: {joint: {between: [{surface: block.bottom}, {surface: base.top}], friction: 0.3}}\n"};
  static const double push[2][2] = {{0.49e6 * 0.03, 0}, {0.3e6 * 0.03 * 0.05, 0.2e6 * 0.03 * 0.05}};

  (void)state;
  for (int b = 0; b < 2; b++) {
    char text[3000];
    snprintf(text, sizeof(text), "%sstart: static_friction\nscheme: {type: massless_contact, step: 0.4 us}\ntime: {end: 20 us}\n", blocks[b]);
    TestRun  test     = test_run_open(text, NULL);
    double   force[3] = {0, 0, 0}, all = 0;
    PetscInt slips = 0, closed = 0;
    NsEnergy energy = {0};
    while (test_runs(test.run)) (void)test_step(test.run);
    for (PetscInt i = 0; i < test.run->model->candidates; i++) {
      const NsContactReport *report = &NsContactReports(test.run->contact)[i];
      for (int k = 0; k < 3; k++) force[k] += report->force[k];
      all += report->force[0];
      closed += report->state != NS_OPEN;
      slips +=
        sqrt(report->force[1] * report->force[1] + report->force[2] * report->force[2]) > 0.2999 * report->force[0] && report->state != NS_OPEN;
    }
    CHECK(NsModelEnergy(test.run->model, test.run->state.t, test.run->state.q, test.run->state.v, &energy));
    print_message("  %d of %d nodes slip; kinetic over elastic energy %.2g\n", (int)slips, (int)closed, energy.kinetic / energy.elastic);
    assert_near(all / (b ? 1e6 * 0.0025 : 1e6 * 0.05), 1, 1e-6);
    assert_near(sqrt(force[1] * force[1] + force[2] * force[2]) / sqrt(push[b][0] * push[b][0] + push[b][1] * push[b][1]), 1, 1e-6);
    assert_true(slips > 0 && slips < closed);
    assert_true(energy.elastic > 0 && energy.kinetic < 1e-9 * energy.elastic);
    test_run_close(&test);
  }
}

/* ---- ties ------------------------------------------------------------------------------------------------------------------------------------------- */

/* The patch under tension: what is tied does not open. */
static void tied_patch(void **state)
{
  static const char *const elements[] = {"", ", elements: hex8", ", elements: tet4", ", elements: tet10"};

  (void)state;
  for (int e = 0; e < 4; e++) {
    const bool   space    = e > 0;
    TestRun      test     = open_blocks(space ? "" : "    state: plane_strain\n", elements[e], space ? "[4, 3, 2]" : "[7, 3, 0]",
      space ? "[3, 5, 2]" : "[5, 3, 0]", space ? HELD_3D : HELD_2D, "-100 MPa", "ties: {seam: {between: [upper.%s, lower.%s]}}\n");
    const double stress[] = {0, space ? 0 : 1e8, space ? 1e8 : 0.3e8, 0, 0, 0}, error = stress_error(&test, stress) / 1e8;
    print_message("  %s: stress off by %.2g\n", space ? elements[e] + 2 : "plane", error);
    assert_true(error < 1e-9);
    test_run_close(&test);
  }
}

/* A cantilever of two tied halves whose meshes match moves as that of one piece. */
static void tied_halves_are_one_piece(void **state)
{
  static const char *const schemes[] = {
    "half_explicit", "half_explicit_acceleration", "moreau_jean", "generalised_alpha", "event_driven_hem5", "moreau_midpoint"};
  static const char body[] = "type: solid, state: plane_strain, material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}, mass: lumped";
  static const char rest[] = "time: {end: 30 us}\nloads: {push: {on: b.right, traction: [0, 1 MPa, 0], time: {pulse: {duration: 20 us}}}}\n";

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    double at[2];
    for (int tied = 0; tied < 2; tied++) {
      char text[2000];
      snprintf(text, sizeof(text),
        "bodies:\n  b: {%s, mesh: {box: {from: [%s, 0, 0], to: [0.2, 0.02, 0], cells: [%s, 3, 0]}}}\n%s%s%s%sscheme: {type: %s, step: 0.2 us}\n%s",
        body, tied ? "0.1" : "0", tied ? "10" : "20", tied ? "  a: {" : "", tied ? body : "",
        tied ? ", mesh: {box: {from: [0, 0, 0], to: [0.1, 0.02, 0], cells: [10, 3, 0]}}}\nties: {seam: {between: [b.left, a.right]}}\n" : "",
        tied ? "supports: {foot: {at: a.left}}\n" : "supports: {foot: {at: b.left}}\n", schemes[s], rest);
      TestRun     test = test_run_open(text, NULL);
      const NsFe *fe   = fe_of(&test);
      while (test_runs(test.run)) (void)test_step(test.run);
      for (PetscInt i = 0; i < fe->nodes; i++) {
        if (fe->x[3 * i] > 0.2 - 1e-9 && fe->x[3 * i + 1] > 0.02 - 1e-9)
          at[tied] = NsVecRead(test.run->state.q)[NsLayoutIndex(test.run->model->layout, NsFeNodeUnknowns(fe, i)[1])];
      }
      test_run_close(&test);
    }
    print_message("  %s: %.12g m, tied %.12g m\n", schemes[s], at[0], at[1]);
    assert_near(at[1] / at[0], 1, 1e-9);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(press_fit),
  cmocka_unit_test(nodes_on_a_surface),
  cmocka_unit_test(hertz_of_two_bodies),
  cmocka_unit_test(friction_holds),
  cmocka_unit_test(tied_patch),
  cmocka_unit_test(tied_halves_are_one_piece),
  cmocka_unit_test(plane_patch),
  cmocka_unit_test(space_patch),
};
TEST_MAIN(tests)
