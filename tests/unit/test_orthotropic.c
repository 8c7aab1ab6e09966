/*
  Orthotropic solids against closed forms: tension at any angle to the axes of the material, in the plane and in space, by every element; a plane wave along a diagonal of a square lattice; and the
  isotropic material as a special case.
*/
#include "support.h"
#include <stdio.h>
#include "fe/elements/solid.h"
#include "fe/model/fe.h"

#define MATERIAL "young: [140, 10, 12], poisson: [0.3, 0.28, 0.4], shear: [5, 4.5, 3.5]"

static const double young[3] = {140, 10, 12}, poisson[3] = {0.3, 0.28, 0.4}, shear[3] = {5, 4.5, 3.5};

/* Strain of a normal direction n per stress along the direction m: s_ijkl m_i m_j n_k n_l, both in the material's axes. */
static double compliance(const double m[3], const double n[3])
{
  double sum = 0;

  for (int i = 0, p = 0; i < 3; i++) {
    sum += m[i] * m[i] * n[i] * n[i] / young[i];
    for (int j = i + 1; j < 3; j++, p++) {
      sum -= (m[i] * m[i] * n[j] * n[j] + m[j] * m[j] * n[i] * n[i]) * poisson[p] / young[i];
      sum += m[i] * m[j] * n[i] * n[j] / shear[p];
    }
  }
  return sum;
}

static TestRun open_static(const char *head)
{
  char text[4000];

  assert_true(
    snprintf(text, sizeof(text), "%sstart: static\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n", head) < (int)sizeof(text));
  return test_run_open(text, NULL);
}

static double displacement_at(const TestRun *test, double x, double y, double z, int axis)
{
  const NsFe *fe = test->run->model->data;

  for (PetscInt i = 0; i < fe->nodes; i++) {
    if (fabs(fe->x[3 * i] - x) + fabs(fe->x[3 * i + 1] - y) + fabs(fe->x[3 * i + 2] - z) > 1e-9) continue;
    const PetscInt unknown = NsFeNodeUnknowns(fe, i)[axis];
    return unknown < 0 ? 0 : NsVecRead(test->run->state.q)[NsLayoutIndex(test->run->model->layout, unknown)];
  }
  fail_msg("there is no node at (%g, %g, %g)", x, y, z);
  return 0;
}

/* Tension 1 along x, the fibres at an angle in the plane: strains along x and y, the shear by that of a direction between. */
static void tension_in_the_plane(void **state)
{
  static const char *const elements[] = {"quad4", "tri3"};

  (void)state;
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k <= 6; k++) {
      const double angle = k * PETSC_PI / 12, cosine = cos(angle), sine = sin(angle);
      const double x[3] = {cosine, -sine, 0}, y[3] = {sine, cosine, 0}, diagonal[3] = {(x[0] + y[0]) / sqrt(2), (x[1] + y[1]) / sqrt(2), 0};
      char         text[2000];
      (void)snprintf(text, sizeof(text),
        "bodies:\n  strip: {type: solid, state: plane_stress, thickness: 1, mesh: {box: {from: [0, 0, 0], to: [2, 1, 0], cells: [3, 2, 0], elements: %s}},"
        " material: {density: 1, orthotropic: {" MATERIAL ", axis_1: [%.17g, %.17g, 0]}}}\n"
        "supports: {a: {at: strip.left_bottom, fix: [x, y]}, b: {at: strip.right_bottom, fix: y}}\n"
        "loads: {l: {on: strip.left, traction: [-1, 0, 0]}, r: {on: strip.right, traction: [1, 0, 0]}}\n",
        elements[c], cosine, sine);
      TestRun      test = open_static(text);
      const double xx = compliance(x, x), yy = compliance(x, y), shear_angle = 2 * compliance(x, diagonal) - xx - yy;
      assert_near(displacement_at(&test, 2, 0, 0, 0), 2 * xx, 1e-9);
      assert_near(displacement_at(&test, 0, 1, 0, 1), yy, 1e-9);
      assert_near(displacement_at(&test, 0, 1, 0, 0), shear_angle, 1e-9);
      test_run_close(&test);
    }
  }
}

/* Tension along x in space, two axes of the material turned out of all coordinate planes. */
static void tension_in_space(void **state)
{
  static const char *const elements[] = {"hex8", "tet4", "tet10"}, *const formulation[] = {"incompatible", "b_bar", "standard"};
  const double axis[3][3] = {{2. / 3, -2. / 3, 1. / 3}, {2. / 3, 1. / 3, -2. / 3}, {1. / 3, 2. / 3, 2. / 3}};
  const double x[3] = {axis[0][0], axis[1][0], axis[2][0]}, y[3] = {axis[0][1], axis[1][1], axis[2][1]}, z[3] = {axis[0][2], axis[1][2], axis[2][2]};

  (void)state;
  for (int c = 0; c < 5; c++) {
    char text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  block: {type: solid, formulation: %s, mesh: {box: {from: [0, 0, 0], to: [2, 1, 1], cells: [2, 1, 1], elements: %s}},"
      " material: {density: 1, orthotropic: {" MATERIAL ", axis_1: [2, -2, 1], axis_2: [4, -1, -1]}}}\n"
      "supports: {a: {at: block.left_bottom_back, fix: [x, y, z]}, b: {at: block.right_bottom_back, fix: [y, z]}, c: {at: block.left_top_back, fix: z}}\n"
      "loads: {l: {on: block.left, traction: [-1, 0, 0]}, r: {on: block.right, traction: [1, 0, 0]}}\n",
      formulation[c < 3 ? c : 2], elements[c < 3 ? 0 : c - 2]);
    TestRun test = open_static(text);
    assert_near(displacement_at(&test, 2, 0, 0, 0), 2 * compliance(x, x), 1e-9);
    assert_near(displacement_at(&test, 0, 1, 0, 1), compliance(x, y), 1e-9);
    assert_near(displacement_at(&test, 0, 0, 1, 2), compliance(x, z), 1e-9);
    test_run_close(&test);
  }
}

/* E_1 = E_2, fibres at 45 degrees: the wave along x is purely longitudinal, c^2 = C'_11/rho, C'_11 = (C_11 + C_12)/2 + G_12. A bar held at one end, lateral motion held: f = c/(4 l), less what
   the mesh of n elements with lumped masses takes. */
static void plane_wave(void **state)
{
  const double E = 10, nu = 0.3, G = 9, n = 40, l = 2, C11 = E / (1 - nu * nu), c = sqrt((C11 + nu * C11) / 2 + G);
  const double expected = 2 * n * c / l * sin(PETSC_PI / (4 * n));

  (void)state;
  for (int space = 0; space < 2; space++) {
    NsModelModes modes;
    char         text[2000];
    (void)snprintf(text, sizeof(text),
      "bodies:\n  bar: {type: solid, mass: lumped, %s material: {density: 1, orthotropic: {young: [10, 10, 7], poisson: [0.3, 0, 0], shear: [9, 1, 2], axis_1: [1, 1, 0]}}}\n"
      "supports: {held: {at: bar.all, fix: %s}, wall: {at: bar.left, fix: x}}\nscheme: {type: moreau_jean, step: 1 us}\ntime: {end: 1 us}\n",
      space ? "mesh: {box: {from: [0, 0, 0], to: [2, 0.05, 0.05], cells: [40, 1, 1]}},"
            : "state: plane_stress, mesh: {box: {from: [0, 0, 0], to: [2, 0.05, 0], cells: [40, 1, 0]}},",
      space ? "[y, z]" : "y");
    TestRun test = test_run_open(text, NULL);
    CHECK(NsFeModes(test.run->model, 1, &modes));
    assert_near(modes.omega[0], expected, 1e-9 * expected);
    CHECK(NsModelModesDestroy(&modes));
    test_run_close(&test);
  }
}

/* Equal constants in all directions are the isotropic matrix, whatever the axes. */
static void isotropic_case(void **state)
{
  const double E[3] = {200, 200, 200}, nu[3] = {0.3, 0.3, 0.3}, G[3] = {200 / 2.6, 200 / 2.6, 200 / 2.6};
  PetscReal    turned[3][3] = {{2. / 3, -2. / 3, 1. / 3}, {2. / 3, 1. / 3, -2. / 3}, {1. / 3, 2. / 3, 2. / 3}},
            straight[3][3]  = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};

  (void)state;
  for (int s = NS_SOLID_SPACE; s <= NS_SOLID_AXISYMMETRIC; s++) {
    NsSolidMaterial a, b;
    NsSolidIsotropic((NsSolidState)s, 200, 0.3, &a);
    assert_true(NsSolidOrthotropic((NsSolidState)s, E, nu, G, s == NS_SOLID_SPACE ? turned : straight, &b));
    for (int i = 0; i < 36; i++) assert_near(b.C[i], a.C[i], 1e-12 * 200);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(tension_in_the_plane),
  cmocka_unit_test(tension_in_space),
  cmocka_unit_test(plane_wave),
  cmocka_unit_test(isotropic_case),
};

TEST_MAIN(tests)
