/*
  The rotor of two steel discs of Friswell, Penny, Garvey, Lees, Dynamics of rotating machines (2010), as tabulated in the tests of ROSS: frequencies
  at rest and at 4000 rpm, response to an unbalance, static deflection. The matrices are the program's, what is done with them is not.
*/
#include "dense.h"

#define ROTOR(spin) \
  "gravity: [0, 0, -9.8065]\n" \
  "bodies:\n" \
  "  shaft:\n" \
  "    type: rotor\n" \
  "    mesh: {line: {from: [0, 0, 0], to: [1.5, 0, 0], elements: 6}, nodes: {first: 0.5, second: 1.0}}\n" \
  "    material: {density: 7810, young: 211e9, shear_modulus: 81.2e9}\n" \
  "    section: {circle: {radius: 25 mm}}\n" \
  "    spin: " spin "\n" \
  "discs:\n" \
  "  first: {at: shaft.first, shape: {outer_radius: 140 mm, inner_radius: 25 mm, thickness: 70 mm, density: 7810}}\n" \
  "  second: {at: shaft.second, shape: {outer_radius: 175 mm, inner_radius: 25 mm, thickness: 70 mm, density: 7810}}\n" \
  "bearings:\n" \
  "  left: {between: [shaft.left, ground], stiffness: 1e6}\n" \
  "  right: {between: [shaft.right, ground], stiffness: 1e6}\n" \
  "scheme: {type: half_explicit, step: 1 us}\n" \
  "time: {end: 1 us}\n"

static const char *const softer[] = {"bearings.left.stiffness=[0.8e6, 1e6]", "bearings.right.stiffness=[0.8e6, 1e6]", NULL};

static void check_whirl(const char *config, const char *const *set, PetscInt count, const PetscReal *expected)
{
  TestRun     test  = test_run_open(config, set);
  const Dense d     = dense_matrices(&test);
  PetscReal  *omega = dense_new(&test, 2 * d.n);

  assert_true(dense_whirl(&test, &d, 1, omega) >= count);
  for (PetscInt i = 0; i < count; i++) assert_near(omega[i], expected[i], 0.0101); /* the digits printed, some of them cut off, not rounded */
  test_run_close(&test);
}

static void frequencies_at_rest(void **state)
{
  static const PetscReal both[] = {86.66, 86.66, 274.31, 274.31, 716.78, 716.78};

  (void)state;
  check_whirl(ROTOR("0"), NULL, 6, both);
}

/* With the twist free the shaft turns as a whole at frequency 0, and its first torsional mode is there beside those of bending. */
static void torsion_with_free_spin(void **state)
{
  static const PetscReal all[] = {86.66, 86.66, 274.31, 274.31, 650.41, 716.78, 716.78};

  (void)state;
  check_whirl(ROTOR("{free: 0}"), NULL, 7, all);
}

static void frequencies_at_speed(void **state)
{
  static const PetscReal equal[] = {85.39, 87.80, 251.78, 294.71, 600.18}, unequal[] = {82.33, 86.86, 239.64, 287.25, 583.49};

  (void)state;
  check_whirl(ROTOR("4000 rpm"), NULL, 5, equal);
  check_whirl(ROTOR("4000 rpm"), softer, 5, unequal);
  check_whirl(ROTOR("-4000 rpm"), softer, 5, unequal);
}

static const PetscReal speeds[] = {150, 300, 450};
/* m, at the left end, across the softer direction */
static const PetscReal amplitudes[] = {1.14259057e-6, 1.88932819e-4, 4.50376020e-5};

/* The unbalance gives f(t) = f(0) cos + f(quarter of a turn) sin. */
static void response_to_unbalance(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    char              spin[64];
    const char *const set[] = {
      softer[0], softer[1], "unbalances={mark: {at: shaft.first, mass_eccentricity: 1e-3}}", "gravity=[0, 0, 0]", spin, NULL};
    snprintf(spin, sizeof(spin), "bodies.shaft.spin=%g rad/s", speeds[k]);
    TestRun     test   = test_run_open(ROTOR("0"), set);
    const Dense d      = dense_matrices(&test);
    PetscReal  *cosine = dense_new(&test, d.n), *sine = dense_new(&test, d.n);
    force_at(&test, 0, NULL, NULL, cosine);
    force_at(&test, PETSC_PI / 2 / speeds[k], NULL, NULL, sine);
    dense_response(&test, &d, speeds[k], cosine, sine);
    assert_relative(hypot(probe_of(&test, "shaft.left", "uz", cosine, sine), probe_of(&test, "shaft.left", "uz", sine, sine)), amplitudes[k], 5e-7);
    test_run_close(&test);
  }
}

/* The same in time, from rest, with a little damping so that the start dies away: the amplitude over the last turns. */
static void response_to_unbalance_in_time(void **state)
{
  const char *const set[]  = {softer[0], softer[1], "unbalances={mark: {at: shaft.first, mass_eccentricity: 1e-3}}", "gravity=[0, 0, 0]",
     "bodies.shaft.spin=300 rad/s", "bearings.left.damping=300", "bearings.right.damping=300", "scheme={type: moreau_jean, theta: 0.5, step: 0.1 ms}",
     "time.end=5", NULL};
  TestRun           test   = test_run_open(ROTOR("0"), set);
  const Dense       d      = dense_matrices(&test);
  PetscReal        *cosine = dense_new(&test, d.n), *sine = dense_new(&test, d.n), largest = 0;

  (void)state;
  force_at(&test, 0, NULL, NULL, cosine);
  force_at(&test, PETSC_PI / 2 / 300, NULL, NULL, sine);
  dense_response(&test, &d, 300, cosine, sine);
  const PetscReal expected = hypot(probe_of(&test, "shaft.left", "uz", cosine, sine), probe_of(&test, "shaft.left", "uz", sine, sine));
  assert_relative(expected, amplitudes[1], 0.2); /* damping has changed little of it */
  for (PetscInt64 i = 0; i < test.run->steps; i++) {
    test_step(test.run);
    if (test.run->state.t > 4.9) largest = PetscMax(largest, PetscAbsReal(probe_now(&test, "shaft.left", "uz")));
  }
  assert_relative(largest, expected, 1e-2);
  test_run_close(&test);
}

/* K q - f at a node of the shaft without supports, from the solution with them. */
static PetscReal reaction(const TestRun *held, const TestRun *loose, PetscInt node, PetscInt along)
{
  const Dense        d = dense_matrices(loose);
  PetscReal         *f = dense_new(loose, d.n), *q = dense_new(loose, d.n), sum = 0;
  const PetscScalar *value;

  CHECK(VecGetArrayRead(held->run->state.q, &value));
  for (PetscInt i = 0; i < fe_of(held)->nodes; i++) {
    for (PetscInt a = 0; a < 4; a++) {
      const PetscInt from = NsFeNodeUnknowns(fe_of(held), i)[a];
      if (from >= 0) q[NsFeNodeUnknowns(fe_of(loose), i)[a]] = value[from];
    }
  }
  CHECK(VecRestoreArrayRead(held->run->state.q, &value));
  force_at(loose, 0, NULL, NULL, f);
  const PetscInt row = NsFeNodeUnknowns(fe_of(loose), node)[along];
  for (PetscInt j = 0; j < d.n; j++) sum += d.K[row * d.n + j] * q[j];
  return sum - f[row];
}

/* The ends held. */
static void static_deflection_and_reactions(void **state)
{
  static const char *const set[]   = {"bearings={}", "supports={ends: {at: [shaft.left, shaft.right], fix: [y, z]}}", "start=static", NULL};
  static const char *const loose[] = {"bearings={}", NULL};
  TestRun                  test = test_run_open(ROTOR("0"), set), other = test_run_open(ROTOR("0"), loose);

  (void)state;
  assert_relative(probe_now(&test, "shaft@0.5", "uz"), -9.181142e-4, 1e-6);
  assert_relative(reaction(&test, &other, 0, 1), 494.2745, 1e-6);
  assert_relative(reaction(&test, &other, 6, 1), 556.1716, 1e-6);
  assert_relative(PetscAbsReal(probe_now(&test, "shaft@0", "shear_3")), 494.2745, 1e-6);
  test_run_close(&other);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(frequencies_at_rest),
  cmocka_unit_test(torsion_with_free_spin),
  cmocka_unit_test(frequencies_at_speed),
  cmocka_unit_test(response_to_unbalance),
  cmocka_unit_test(response_to_unbalance_in_time),
  cmocka_unit_test(static_deflection_and_reactions),
};
TEST_MAIN(tests)
