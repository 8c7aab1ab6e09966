/*
  Standard problems of solids beyond those of unit_solid: more meshes of Lame's cylinder, Cook's membrane, the cantilever and the free cube; a disc against Bessel functions, Hertz's cylinder, highest
  frequencies of meshes, and what an impact of a bar or ball leaves with lumped masses. Figures without a source are those of an independent implementation.

  A. E. H. Love, A treatise on the mathematical theory of elasticity, Cambridge 1927, art. 314 (the disc); K. L. Johnson, Contact Mechanics, Cambridge 1985, 4.2 (the cylinder).
*/
#include "support.h"
#include <stdio.h>
#include "fe/fe.h"
#include "fe/model/fe.h"

#define STEEL "material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}"

static TestRun open_with(const char *model, const char *rest)
{
  char text[6000];

  assert_true(snprintf(text, sizeof(text), "%s%s", model, rest) < (int)sizeof(text));
  return test_run_open(text, NULL);
}

#define AT_REST "start: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n"
#define NO_RUN  "scheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n"

/* Energy of the state; loads at one place do twice as much. */
static double elastic_energy(const TestRun *test)
{
  NsEnergy energy;

  CHECK(NsModelEnergy(test->run->model, test->run->state.t, test->run->state.q, test->run->state.v, &energy));
  return energy.elastic;
}

/* ---- statics ------------------------------------------------------------------------------------------------------------------------------------- */

/* Displacement of the bore, um, from the work of the pressure on 2 pi a h. */
static void bore_of_a_cylinder(void **state)
{
  static const struct {
    double      poisson;
    const char *formulation;
    double      bore[2]; /* of 2 and 8 elements */
  } cases[] = {{0.3, "standard", {8.752601298, 9.056091912}}, {0.3, "b_bar", {8.951700632, 9.070483101}},
    {0.3, "incompatible", {8.813542855, 9.060371095}}, {0.4999, "standard", {0.1594652566, 1.889902764}},
    {0.4999, "b_bar", {9.376315619, 9.513402648}}, {0.4999, "incompatible", {9.105295885, 9.493033627}}};

  (void)state;
  for (size_t c = 0; c < 2 * sizeof(cases) / sizeof(*cases); c++) {
    const int    cells = c % 2 ? 8 : 2;
    const double bore = cases[c / 2].bore[c % 2], height = 0.01 / cells;
    char         text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  ring: {type: solid, state: axisymmetric, formulation: %s, mesh: {box: {from: [10 mm, 0, 0], to: [20 mm, %.17g, 0], cells: [%d, 1, 0]}},"
      " material: {density: 7800, young: 210 GPa, poisson: %g}}\n"
      "supports: {planes: {at: ring.all, fix: y}}\nloads: {inside: {on: ring.left, pressure: 100 MPa}}\n",
      cases[c / 2].formulation, height, cells, cases[c / 2].poisson);
    TestRun test = open_with(text, AT_REST);
    assert_near(1e6 * 2 * elastic_energy(&test) / (1e8 * 2 * PETSC_PI * 0.01 * height), bore, 1e-8 * bore);
    test_run_close(&test);
  }
}

static void more_cantilevers(void **state)
{
  static const struct {
    const char *elements, *cells, *formulation;
    double      deflection;
  } cases[] = {{"hex8", "[20, 2, 2]", "standard", 0.001668170349}, {"hex8", "[20, 2, 2]", "b_bar", 0.001873095017},
    {"tet4", "[20, 2, 2]", "standard", 0.0009669138526}, {"tet10", "[20, 2, 2]", "standard", 0.001898292112}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    char text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  beam: {type: solid, formulation: %s, mesh: {box: {from: [0, 0, 0], to: [0.1, 0.01, 0.01], cells: %s, elements: %s}}, " STEEL "}\n"
      "supports: {wall: {at: beam.left}}\nloads: {end: {on: beam.right, traction: [0, 0, -10 MPa]}}\n",
      cases[c].formulation, cases[c].cells, cases[c].elements);
    TestRun test = open_with(text, AT_REST);
    assert_near(2 * elastic_energy(&test) / 1000, cases[c].deflection, 1e-8 * cases[c].deflection);
    test_run_close(&test);
  }
}

/* A cylinder of 10 mm in plane strain on a plane, half of it: b = sqrt(4 F R/(pi E*)) = 0.4 mm, p0 = 2 F/(pi b). */
static void hertz_cylinder(void **state)
{
  static const char *const formulations[] = {"standard", "b_bar", "incompatible"};
  const double             load = 2899931.680236732, b = 0.4e-3, p0 = 2 * load / (PETSC_PI * b);

  (void)state;
  for (int f = 0; f < 3; f++) {
    char text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  half: {type: solid, state: plane_strain, formulation: %s, mesh: {file: " PERCUSS_SOURCE_DIR "/meshes/ball.msh, scale: 1 mm}, " STEEL
      "}\n"
      "supports: {axis: {at: half.axis, fix: x}}\nloads: {press: {at: half.top, force: [0, %.17g, 0]}}\n"
      "contacts: {wall: {between: [half.contact, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n",
      formulations[f], -load / 2);
    TestRun     test  = open_with(text, "start: static\nscheme: {type: half_explicit, step: 0.1 ns}\ntime: {end: 0.2 ns}\n");
    const NsFe *fe    = test.run->model->data;
    const int   count = (int)test.run->model->candidates;
    double      total = 0, last = 0, first = 1, least = 1, centre = 0;
    (void)test_step(test.run);
    for (int i = 0; i < count; i++) {
      const NsContactReport *report = &NsContactReports(test.run->contact)[i];
      const double           x = fe->pair[i].point[0]->x[0], force = report->force[0] + report->impulse[0] / NsRunTimeStep(test.run);
      total += force;
      if (x == 0) centre = force;
      if (x > 0) least = PetscMin(least, x);
      if (force > 0)
        last = PetscMax(last, x);
      else
        first = PetscMin(first, x);
    }
    print_message("  %s: p(0)/p0 %.5g, closed to %.4g mm, open from %.4g mm\n", formulations[f], centre / (least / 2) / p0, 1e3 * last, 1e3 * first);
    assert_near(total / (load / 2), 1, 1e-6);
    assert_near(centre / (least / 2) / p0, 1, 0.015);
    assert_near((last + first) / 2, b, first - last); /* to an element */
    test_run_close(&test);
  }
}

/* ---- modes --------------------------------------------------------------------------------------------------------------------------------------- */

static void more_modes_of_a_cube(void **state)
{
  static const struct {
    const char *formulation, *mass;
    double      hertz[10]; /* 7th to 16th mode */
  } cases[] = {{"standard", "consistent",
                 {14854.51853, 14854.51853, 20066.68401, 20066.68401, 20066.68401, 20383.38959, 20383.38959, 20383.38959, 23040.05436, 23040.05436}},
    {"b_bar", "lumped",
      {14398.98289, 14398.98289, 19166.33886, 19166.33886, 19166.33886, 20012.80176, 20012.80176, 20012.80176, 21508.03332, 22347.4534}},
    {"incompatible", "consistent",
      {14845.95779, 14845.95779, 19968.27522, 19968.27522, 19968.27522, 20361.80349, 20361.80349, 20361.80349, 22957.86648, 22960.45246}}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    char         text[2000];
    NsModelModes modes;
    (void)snprintf(text, sizeof(text),
      "bodies:\n  cube: {type: solid, formulation: %s, mass: %s, mesh: {box: {from: [0, 0, 0], to: [0.1, 0.1, 0.1], cells: [8, 8, 8]}}, " STEEL "}\n",
      cases[c].formulation, cases[c].mass);
    TestRun test = open_with(text, NO_RUN);
    CHECK(NsFeModes(test.run->model, 16, &modes));
    for (int k = 0; k < 10; k++) assert_near(modes.omega[6 + k] / (2 * PETSC_PI), cases[c].hertz[k], 1e-6 * cases[c].hertz[k]);
    CHECK(NsModelModesDestroy(&modes));
    test_run_close(&test);
  }
}

#define CORE 12 /* cells along a side of the square within the disc, and of the rings around it */

/* A disc of 50 mm: a square of CORE x CORE quadrangles with bulged sides, and rings from it to the circle. */
static void write_disc(const char *path)
{
  enum { SIDE = CORE + 1, RIM = 4 * CORE };
  FILE  *file = fopen(path, "w");
  int    ring[RIM], count = 0;
  double x[SIDE * SIDE + RIM * CORE][2];

  assert_non_null(file);
  for (int j = 0; j < SIDE; j++) {
    for (int i = 0; i < SIDE; i++) {
      const double s = 2. * i / CORE - 1, t = 2. * j / CORE - 1, bulge = 0.02 * (1 + 0.15 * (2 - s * s - t * t) / 2);
      x[j * SIDE + i][0] = s * bulge;
      x[j * SIDE + i][1] = t * bulge;
    }
  }
  for (int k = 0; k < CORE; k++) {
    ring[k]            = k;
    ring[CORE + k]     = k * SIDE + CORE;
    ring[2 * CORE + k] = CORE * SIDE + CORE - k;
    ring[3 * CORE + k] = (CORE - k) * SIDE;
  }
  for (int r = 1; r <= CORE; r++) {
    for (int k = 0; k < RIM; k++) {
      const double angle = PETSC_PI * (-0.75 + 2. * k / RIM), s = (double)r / CORE;
      double      *to = x[SIDE * SIDE + (r - 1) * RIM + k];
      to[0]           = (1 - s) * x[ring[k]][0] + s * 0.05 * cos(angle);
      to[1]           = (1 - s) * x[ring[k]][1] + s * 0.05 * sin(angle);
    }
  }
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", SIDE * SIDE + RIM * CORE);
  for (int i = 0; i < SIDE * SIDE + RIM * CORE; i++) fprintf(file, "%d %.17g %.17g 0\n", i + 1, x[i][0], x[i][1]);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", CORE * CORE + RIM * CORE);
  for (int e = 0; e < CORE * CORE; e++) {
    const int a = e / CORE * SIDE + e % CORE + 1;
    fprintf(file, "%d 3 2 1 1 %d %d %d %d\n", ++count, a, a + 1, a + SIDE + 1, a + SIDE);
  }
  for (int e = 0; e < RIM * CORE; e++) {
    const int k = e % RIM, next = (k + 1) % RIM, r = e / RIM, out = SIDE * SIDE + r * RIM;
    const int a = r ? out - RIM + k : ring[k], b = r ? out - RIM + next : ring[next];
    fprintf(file, "%d 3 2 1 1 %d %d %d %d\n", ++count, b + 1, a + 1, out + k + 1, out + next + 1);
  }
  fprintf(file, "$EndElements\n");
  assert_int_equal(fclose(file), 0);
}

/* In its plane, plane stress; Hz and circumferential number of exact modes, those above 0 twice. */
static void free_disc(void **state)
{
  static const double      exact[][2]     = {{24025.50408, 2}, {28006.03803, 1}, {35473.33207, 0}, {36885.2508, 3}, {43477.98685, 2}};
  static const char *const formulations[] = {"standard", "incompatible"};
  char                     path[]         = "/tmp/percuss_disc_XXXXXX.msh", text[2000];

  (void)state;
  const int file = mkstemps(path, 4);
  assert_true(file >= 0);
  close(file);
  write_disc(path);
  for (int f = 0; f < 2; f++) {
    NsModelModes modes;
    PetscInt     at = 3;
    (void)snprintf(text, sizeof(text),
      "bodies:\n  disc: {type: solid, state: plane_stress, thickness: 10 mm, formulation: %s, mass: lumped, mesh: {file: %s}, " STEEL "}\n",
      formulations[f], path);
    TestRun test = open_with(text, NO_RUN);
    CHECK(NsFeModes(test.run->model, 12, &modes));
    for (int k = 0; k < 3; k++) assert_near(modes.omega[k], 0, 1e-2);
    for (size_t k = 0; k < sizeof(exact) / sizeof(*exact); k++) {
      for (int twice = 0; twice < (exact[k][1] > 0 ? 2 : 1); twice++)
        assert_near(modes.omega[at++] / (2 * PETSC_PI), exact[k][0], 0.01 * exact[k][0]);
    }
    CHECK(NsModelModesDestroy(&modes));
    test_run_close(&test);
  }
  unlink(path);
}

/* Meshes of 8 x 8 (x 8) cells of 12.5 mm, standard, lumped: the highest frequency, and the bounds that are printed, at most 1.6 times as high by single elements, 1.01 times by Lanczos. */
static void highest_frequencies(void **state)
{
  static const struct {
    const char *body;
    double      omega;
  } cases[] = {{"cells: [8, 8, 8]", 1000049.35}, {"cells: [8, 8, 0]", 972797.968}, {"cells: [8, 8, 8], elements: tet4", 1436081.519},
    {"cells: [8, 8, 8], elements: tet10", 3634413.441}};

  (void)state;
  for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
    char      text[2000];
    NsBound   bound, rate;
    PetscReal omega, damping;
    (void)snprintf(text, sizeof(text),
      "bodies:\n  b: {type: solid, mass: lumped, formulation: standard, %smesh: {box: {from: [0, 0, 0], to: [0.1, 0.1, %s], %s}}, " STEEL "}\n",
      c == 1 ? "state: plane_strain, " : "", c == 1 ? "0" : "0.1", cases[c].body);
    TestRun test = open_with(text, "scheme: {type: half_explicit, step: 1 ns}\ntime: {end: 1 ns}\n");
    CHECK(NsFeFrequencyBound(test.run->model, 0, &bound, &rate));
    CHECK(NsFeHighestMode(test.run->model, 0, &omega, &damping));
    print_message(
      "  %s: %.7g, by Lanczos %.5f, by elements %.4f of it\n", cases[c].body, cases[c].omega, omega / cases[c].omega, bound.value / cases[c].omega);
    assert_true(bound.value >= cases[c].omega * (1 - 1e-6) && bound.value <= 1.6 * cases[c].omega);
    assert_true(omega >= cases[c].omega * (1 - 1e-6) && omega <= 1.0102 * cases[c].omega);
    test_run_close(&test);
  }
}

/* ---- impacts ------------------------------------------------------------------------------------------------------------------------------------- */

static double force_of(const TestRun *test)
{
  double force = 0;

  for (PetscInt i = 0; i < test->run->model->candidates; i++)
    force += NsContactReports(test->run->contact)[i].force[0] + NsContactReports(test->run->contact)[i].impulse[0] / NsRunTimeStep(test->run);
  return force;
}

/* Mean velocity along an axis: momentum over mass. */
static double velocity_of(const TestRun *test, int axis)
{
  NsModel    *model = test->run->model;
  const NsFe *fe    = model->data;
  double      sum   = 0;
  Vec         p;

  CHECK(VecDuplicate(test->run->state.v, &p));
  CHECK(NsModelMult(model, 0, test->run->state.q, test->run->state.v, p));
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt unknown = NsFeNodeUnknowns(fe, i)[axis];
    if (unknown >= 0) sum += NsVecRead(p)[NsLayoutIndex(model->layout, unknown)];
  }
  CHECK(VecDestroy(&p));
  return sum / model->mass_total;
}

/* Saint-Venant's bar of nu = 0 with lumped masses and without mass at the wall: start, duration, mean and noise of the force, velocity and energy after it. */
static void bar_leaves_a_wall(void **state)
{
  static const struct {
    const char *mass, *scheme;
    double      duration, mean, noise, velocity, energy, omega;
  } cases[] = {{"redistributed", "massless_contact", 1.011805317, 0.9993689651, 0.002507368533, 0.9835586089, 0.0007176983535, 2077910.646},
    {"lumped", "half_explicit", 1.016994062, 1.000022414, 0.001964493708, 0.9756743903, -0.01188696142, 2075498.087}};

  (void)state;
  for (int c = 0; c < 2; c++) {
    const double tau = 404.722, period = 77.0899e-6, kinetic = 0.5 * 7800 * 0.2 * 1e-4 * 0.01;
    char         text[2000];
    double       force[250], first = -1, last = 0, mean = 0, square = 0;
    int          count = 0;
    PetscReal    omega, damping;
    (void)snprintf(text, sizeof(text),
      "bodies:\n  bar: {type: solid, mesh: {box: {from: [0, 0, 0], to: [0.2 m, 10 mm, 10 mm], cells: [40, 2, 2]}}, material: {density: 7800, young: 210 GPa, poisson: 0}, mass: %s,"
      " initial: {velocity: [-0.1 m/s, 0, 0]}}\n"
      "contacts:\n  wall: {between: [bar.left, {plane: {point: [-1 um, 0, 0], normal: [1, 0, 0]}}]}\n"
      "scheme: {type: %s, step: 0.4 us}\ntime: {end: 100 us}\n",
      cases[c].mass, cases[c].scheme);
    TestRun test = open_with(text, "");
    CHECK(NsFeHighestMode(test.run->model, 0, &omega, &damping));
    assert_true(omega >= cases[c].omega * (1 - 1e-5) && omega <= 1.0102 * cases[c].omega);
    for (int step = 0; step < 250; step++) {
      (void)test_step(test.run);
      force[step] = force_of(&test);
      if (force[step] <= 0) continue;
      first = first < 0 ? 4e-7 * (step + 1) : first;
      last  = 4e-7 * (step + 1);
    }
    for (int step = 0; step < 250; step++) {
      const double t = 4e-7 * (step + 1);
      if (t < first + 0.1 * (last - first) || t > last - 0.1 * (last - first)) continue;
      mean += force[step];
      square += force[step] * force[step];
      count++;
    }
    mean /= count;
    NsEnergy energy;
    CHECK(NsModelEnergy(test.run->model, test.run->state.t, test.run->state.q, test.run->state.v, &energy));
    const double noise = sqrt(PetscMax(0, square / count - mean * mean)) / mean, change = (energy.kinetic + energy.elastic) / kinetic - 1;
    print_message("  %s: start %.4g us, duration %.5f, mean %.6f, noise %.4g, v %.5f, energy %.4g\n", cases[c].scheme, 1e6 * first,
      (last - first) / period, mean / tau, noise, velocity_of(&test, 0) / 0.1, change);
    assert_near(first, 1.04e-5, 4.1e-7);
    assert_near((last - first) / period, cases[c].duration, 0.0105); /* two steps */
    assert_near(mean / tau, cases[c].mean, 0.003);
    assert_near(noise, cases[c].noise, 0.003);
    assert_near(velocity_of(&test, 0) / 0.1, cases[c].velocity, 0.003);
    assert_near(change, cases[c].energy, 0.002);
    test_run_close(&test);
  }
}

/* The ball of configs/ball_on_wall.yaml with lumped masses: time, force and rebound as without mass at the contact. */
static void ball_with_lumped_masses(void **state)
{
  TestRun test = open_with("bodies:\n  ball: {type: solid, state: axisymmetric, formulation: b_bar, mass: lumped, mesh: {file: " PERCUSS_SOURCE_DIR
                           "/meshes/ball.msh, scale: 1 mm}, " STEEL ", initial: {velocity: [0, -2 m/s, 0]}}\n"
                           "supports: {axis: {at: ball.axis, fix: x}}\n"
                           "contacts: {wall: {between: [ball.contact, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n",
    "scheme: {type: half_explicit, step: 7 ns}\ntime: {end: 55 us}\n");
  double  most = 0, first = -1, last = 0, sum = 0, weight = 0;

  (void)state;
  const double step = NsRunTimeStep(test.run);
  while (test_runs(test.run)) {
    (void)test_step(test.run);
    const double force = force_of(&test);
    sum                = 0.98 * sum + force; /* impulses of single nodes: averaged over 50 steps */
    weight             = 0.98 * weight + 1;
    most               = PetscMax(most, sum / weight);
    if (force > 0) {
      first = first < 0 ? test.run->state.t : first;
      last  = test.run->state.t;
    }
  }
  print_message("  time %.4f, force %.4f of Hertz's, rebound %.5f\n", (last - first + step) / 45.478e-6, most / 5286.1, velocity_of(&test, 1) / 2);
  assert_near((last - first + step) / 45.478e-6, 0.981, 0.006);
  assert_near(most / 5286.1, 1.0266, 0.006);
  assert_near(velocity_of(&test, 1) / 2, 0.99984, 0.001);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(bore_of_a_cylinder),
  cmocka_unit_test(more_cantilevers),
  cmocka_unit_test(hertz_cylinder),
  cmocka_unit_test(more_modes_of_a_cube),
  cmocka_unit_test(free_disc),
  cmocka_unit_test(highest_frequencies),
  cmocka_unit_test(bar_leaves_a_wall),
  cmocka_unit_test(ball_with_lumped_masses),
};
TEST_MAIN(tests)
