/*
  Links: two beams that a rigid link joins are one beam; a ball joint with an arm between two free bodies in closed form; a hinge turns freely about its axis; a link that breaks.
*/
#include <math.h>
#include "support.h"
#include "percuss/scheme.h"

static const char *const schemes[] = {"half_explicit, step: 1 us", "moreau_jean, step: 1 us", "generalised_alpha, step: 1 us",
  "moreau_midpoint, step: 1 us", "event_driven_hem5, step: 10 us"};

static void near(PetscReal value, PetscReal wanted, PetscReal tolerance)
{
  if (!(PetscAbsReal(value - wanted) <= tolerance)) fail_msg("%.12g, not %.12g within %g", value, wanted, tolerance);
}

static void to_the_end(TestRun *test)
{
  NsStepOutcome outcome;

  assert_int_equal(NsRunStart(test->run), 0);
  while (!NsRunIsAtEnd(test->run)) {
    assert_int_equal(NsRunStep(test->run, &outcome), 0);
    if (!outcome.done) fail_msg("%s", outcome.reason);
  }
  assert_int_equal(NsSchemeComplete(NsRunScheme(test->run), NsRunState(test->run)), 0);
  assert_int_equal(NsLedgerClose(NsRunLedger(test->run), NsRunModel(test->run), NsRunState(test->run)), 0);
}

#define BEAM "type: beam, mass: lumped, material: {density: 7850 kg/m^3, young: 210 GPa}, section: {rectangle: {width: 20 mm, height: 5 mm}}"

static void two_linked_beams_are_one(void **state)
{
  static const char *const bodies[] = {
    "bodies: {beam: {" BEAM ", mesh: {line: {from: [0, 0, 0], to: [0.4 m, 0, 0], elements: 4}}}}\n"
    "supports: {clamp: {at: beam.left}}\nloads: {pull: {at: beam.right, force: [100 N, 20 N, 30 N], moment: [1 N m, 2 N m, 3 N m]}}\n",
    "bodies:\n  a: {" BEAM ", mesh: {line: {from: [0, 0, 0], to: [0.2 m, 0, 0], elements: 2}}}\n"
    "  b: {" BEAM ", mesh: {line: {from: [0.2 m, 0, 0], to: [0.4 m, 0, 0], elements: 2}}}\n"
    "supports: {clamp: {at: a.left}}\nlinks: {weld: {between: [a.right, b.left]}}\n"
    "loads: {pull: {at: b.right, force: [100 N, 20 N, 30 N], moment: [1 N m, 2 N m, 3 N m]}}\n"};

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    PetscReal tip[2][6], size = 0;
    print_message("  %s\n", schemes[s]);
    for (int k = 0; k < 2; k++) {
      char text[2048];
      snprintf(text, sizeof(text), "%sscheme: {type: %s}\ntime: {end: 1 ms}\n", bodies[k], schemes[s]);
      TestRun test = test_run_open(text, NULL);
      to_the_end(&test);
      const PetscInt n = NsRunModel(test.run)->unknowns;
      assert_int_equal(n, k ? 30 : 24);
      for (int i = 0; i < 6; i++) tip[k][i] = NsVecRead(NsRunState(test.run)->q)[n - 6 + i];
      assert_true(PetscAbsReal(NsRunLedger(test.run)->numerical) < 1e-2 * NsRunLedger(test.run)->external);
      test_run_close(&test);
    }
    for (int i = 0; i < 6; i++) size = PetscMax(size, PetscAbsReal(tip[0][i]));
    for (int i = 0; i < 6; i++) near(tip[1][i], tip[0][i], 1e-5 * size);
  }
}

/* F on a body of mass m and inertia J in y, whose arm of length r reaches a point mass M by a ball joint: at the start a = F/m' with 1/m' = (1/m) - ..., by momentum and angular momentum. */
static void an_arm_takes_a_mass_along(void **state)
{
  static const char *const text = "bodies:\n"
                                  "  a: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 0.5, 1]}\n"
                                  "  b: {type: rigid, at: [1 m, 0, 0], mass: 3 kg, inertia: [1, 1, 1]}\n"
                                  "links: {joint: {between: [a.center, b.center], fix: [displacements]%s}}\n"
                                  "loads: {push: {at: b.center, force: [0, 0, 6 N]}}\n"
                                  "scheme: {type: %s}\ntime: {end: 1 ms}\n";
  /* N: force of a on b along z. 3 a_b = 6 + N, 2 a_a = -N, J w' = N r about y by the arm (0.5 w'_y = r N), a_b = a_a - r w'_y */
  const PetscReal N = -6.0 / 3 / (1.0 / 3 + 1.0 / 2 + 1 / 0.5), b = (6 + N) / 3, a = -N / 2;

  (void)state;
  for (int breaks = 0; breaks < 2; breaks++) {
    for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
      char all[1024];
      print_message("  %s\n", schemes[s]);
      snprintf(all, sizeof(all), text, breaks ? ", until: 0.4 ms" : "", schemes[s]);
      TestRun         test   = test_run_open(all, NULL);
      const PetscReal linked = breaks ? 0.4e-3 : 1e-3, loose = 1e-3 - linked;
      to_the_end(&test);
      const PetscReal *v = NsVecRead(NsRunState(test.run)->v);
      assert_int_equal(NsRunModel(test.run)->unknowns, 12);
      near(v[2], a * linked, 1e-5 * 1e-3);
      near(v[6 + 2], b * linked + 2 * loose, 1e-4 * 1e-3);
      near(v[4], N / 0.5 * linked, 1e-4 * 1e-3);
      near(v[6 + 4], 0, 1e-12);
      test_run_close(&test);
    }
  }
}

/* About y it is free, about z it is not. */
static void a_hinge_turns_about_its_axis(void **state)
{
  static const char *const text = "bodies:\n"
                                  "  a: {type: rigid, at: [0, 0, 0], mass: 2 kg, inertia: [1, 1, 1]}\n"
                                  "  b: {type: rigid, at: [0, 0, 0], mass: 3 kg, inertia: [1, 1, 3]}\n"
                                  "links: {hinge: {between: [a.center, b.center], fix: [displacements, rx, rz]}}\n"
                                  "loads: {twist: {at: b.center, moment: [0, 2 N m, 8 N m]}}\n"
                                  "scheme: {type: %s}\ntime: {end: 1 ms}\n";

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    char all[1024];
    snprintf(all, sizeof(all), text, schemes[s]);
    TestRun test = test_run_open(all, NULL);
    to_the_end(&test);
    const PetscReal *v = NsVecRead(NsRunState(test.run)->v);
    near(v[4], 0, 1e-12);
    near(v[6 + 4], 2e-3, 1e-9);
    near(v[5], 2e-3, 1e-8);
    near(v[6 + 5], 2e-3, 1e-8);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(two_linked_beams_are_one), cmocka_unit_test(an_arm_takes_a_mass_along), cmocka_unit_test(a_hinge_turns_about_its_axis)};
TEST_MAIN(tests)
