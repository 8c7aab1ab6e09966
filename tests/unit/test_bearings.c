/*
  Bearings whose coefficients follow from formulas, magnetic bearings and added mass, against closed forms: a stiff rotor of 50 kg that moves across its axis alone.
*/
#include <complex.h>
#include "fe/forces/coefficients/coefficients.h"
#include "fe/forces/laws/law.h"
#include "fe/forces/reynolds.h"
#include "fe/model/fe.h"
#include "support.h"

typedef double complex Complex;

#define MASS 50

/* The shaft alone has 6.126105674500097 kg. */
#define ROTOR(spin, bearings) \
  "gravity: [0, 0, 0]\n" \
  "bodies:\n" \
  "  shaft:\n" \
  "    type: rotor\n" \
  "    mesh: {line: {from: [0, 0, -50 mm], to: [0, 0, 50 mm], elements: 2}}\n" \
  "    material: {density: 7800, young: 210 GPa, poisson: 0.3}\n" \
  "    section: {circle: {radius: 50 mm}}\n" \
  "    spin: " spin "\n" \
  "    initial: {displacement: [0.1 mm, 0, 0]}\n" \
  "discs:\n" \
  "  mass: {at: shaft@0.5, mass: 43.873894325499903 kg}\n" \
  "supports:\n" \
  "  tilt: {at: [shaft.left, shaft.right], fix: [rx, ry]}\n" \
  "bearings:\n" bearings "scheme: {type: half_explicit, step: 2 us}\n" \
  "time: {end: 50 ms}\n"

#define SEAL \
  "  a: {between: [ground, shaft@0.5], annular_seal: {diameter: 160 mm, length: 40 mm, clearance: 0.25 mm, pressure_drop: 2 MPa, density: 1000 kg/m^3, viscosity: 1 cP}}\n"
#define ROTATING \
  "  a: {between: [ground, shaft@0.5], rotating_damping: {damping: 400 N s/m}}\n" \
  "  b: {between: [ground, shaft@0.5], stiffness: 2 MN/m, damping: 300 N s/m}\n"
#define MAGNET "  a: {between: [ground, shaft@0.5], magnetic: {bias_force: 200 N, gap: 0.5 mm, stiffness: 4 MN/m, damping: 2 kN s/m, limit: 0.75}}\n"

/* Displacement over axes 2 and 3 at the first bearing, r2 + i r3. */
static Complex position(const TestRun *test, Vec q)
{
  const NsFe        *fe = test->run->model->data;
  const PetscScalar *x  = NsVecRead(q);
  PetscInt           unknown[NS_FORCE_UNKNOWNS];
  PetscReal          row[NS_FORCE_UNKNOWNS][6], r[2] = {0, 0};
  const PetscInt     n = NsFeForceRows(fe, &fe->force[0], unknown, row);

  for (PetscInt i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++)
      r[k] -= row[i][k] * x[NsLayoutIndex(test->run->model->layout, unknown[i])]; /* the ground is the second point; axes 2, 3: x, y */
  }
  return r[0] + I * r[1];
}

/* m z'' + (C - i c) z' + (K - i k) z = 0 from z = 0.1 mm at rest. */
static Complex exact_whirl(PetscReal m, const PetscReal value[8], PetscReal t)
{
  const Complex b = (value[4] - I * value[5]) / (2 * m), root = csqrt(b * b - (value[0] - I * value[1]) / m), one = -b + root, two = -b - root;

  return 1e-4 * (one * cexp(two * t) - two * cexp(one * t)) / (one - two);
}

static void whirls_exactly(const char *config, const char *spin, PetscReal added, const PetscReal value[8])
{
  const char *const schemes[] = {"half_explicit", "moreau_midpoint", "moreau_jean", "ggl_unified", "generalised_alpha", "generalised_alpha_velocity",
    "implicit_split", "schatzman_paoli", "variational", "half_explicit_adaptive", "event_driven_hem5"};

  for (size_t s = 0; s < 2 * sizeof(schemes) / sizeof(*schemes); s++) {
    char              type[80], speed[80];
    const char *const set[] = {type, speed, NULL};
    (void)snprintf(type, sizeof(type), "scheme.type=%s", schemes[s / 2]);
    (void)snprintf(speed, sizeof(speed), s % 2 ? "bodies.shaft.spin={table: [[0, %s], [1 s, %s]]}" : "bodies.shaft.spin=%s", spin, spin);
    TestRun test = test_run_open(config, set);
    while (test_runs(test.run)) (void)test_step(test.run);
    const Complex z = position(&test, test.run->state.q), exact = exact_whirl(MASS + added, value, test.run->state.t);
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    const PetscReal gain = test.run->ledger.numerical, size = value[0] * 1e-8;
    test_run_close(&test);
    if (cabs(z - exact) > 2e-4 * 1e-4 || PetscAbsReal(gain) > 1e-3 * size)
      fail_msg("%s, %s: ends at (%.6g, %.6g) m, exact (%.6g, %.6g) m, numerical energy error %g J", schemes[s / 2], speed, creal(z), cimag(z),
        creal(exact), cimag(exact), gain);
  }
}

/* Unstable: w_n = 200 rad/s, and the whirl starts above w_n (1 + 300/400) = 350 rad/s. */
static void rotating_damping_drives_whirl(void **state)
{
  const PetscReal below[] = {2e6, 400 * 349., -400 * 349., 2e6, 700, 0, 0, 700}, above[] = {2e6, 400 * 351., -400 * 351., 2e6, 700, 0, 0, 700};

  (void)state;
  whirls_exactly(ROTOR("0", ROTATING), "349 rad/s", 0, below);
  whirls_exactly(ROTOR("0", ROTATING), "351 rad/s", 0, above);
  assert_true(cabs(exact_whirl(MASS, below, 100)) < cabs(exact_whirl(MASS, below, 50)));
  assert_true(cabs(exact_whirl(MASS, above, 100)) > cabs(exact_whirl(MASS, above, 50)));
}

/* A disc in the middle of a pinned shaft without mass, of the stiffness k = 48 E I/L^3: internal damping scales all of its stiffness by 1 + beta (d/dt - i Omega). */
static void internal_damping_drives_whirl(void **state)
{
  const PetscReal   k = 48 * 210e9 * PETSC_PI * 1.6e-7 / 4, beta = 400 / k, onset = PetscSqrtReal(k / MASS) * (1 + 300. / 400);
  const char *const schemes[] = {"moreau_jean", "generalised_alpha", "ggl_unified"};

  (void)state;
  for (int i = 0; i < 12; i++) {
    const PetscReal spin     = (i % 4 < 2 ? 0.99 : 1.01) * onset,
                    value[8] = {k, spin * beta * k, -spin * beta * k, k, 300 + beta * k, 0, 0, 300 + beta * k};
    char              speed[120], type[80], damping[80];
    const char *const set[] = {speed, type, damping, NULL};
    (void)snprintf(type, sizeof(type), "scheme.type=%s", schemes[i / 4]);
    (void)snprintf(damping, sizeof(damping), "bodies.shaft.damping={rotating: %.17g s}", beta);
    (void)snprintf(speed, sizeof(speed),
      i % 2 ? "bodies.shaft.spin={table: [[0, %.15g rad/s], [1 s, %.15g rad/s]]}" : "bodies.shaft.spin={constant: %.15g rad/s}", spin, spin);
    TestRun test = test_run_open("bodies:\n"
                                 "  shaft:\n"
                                 "    type: rotor\n"
                                 "    mesh: {line: {from: [0, 0, 0], to: [0, 0, 1], elements: 4}}\n"
                                 "    material: {density: 1e-3, young: 210 GPa, poisson: 0.3}\n"
                                 "    section: {circle: {radius: 20 mm}}\n"
                                 "    theory: euler_bernoulli\n"
                                 "    spin: 0\n"
                                 "discs:\n"
                                 "  mass: {at: shaft@0.5, mass: 50 kg}\n"
                                 "loads:\n"
                                 "  push: {at: shaft@0.5, force: [1 N, 0, 0]}\n"
                                 "supports:\n"
                                 "  pins: {at: [shaft.left, shaft.right], fix: [x, y]}\n"
                                 "bearings:\n"
                                 "  a: {between: [shaft@0.5, ground], damping: 300 N s/m}\n"
                                 "scheme: {type: moreau_jean, step: 5 us}\n"
                                 "time: {end: 20 ms}\n",
      set);
    while (test_runs(test.run)) (void)test_step(test.run);
    /* from rest under 1 N: m z'' + b z' + s z = 1 */
    const Complex   b = value[4] / (2 * MASS), s = value[0] - I * value[1], root = csqrt(b * b - s / MASS), one = -b + root, two = -b - root;
    const PetscReal t     = test.run->state.t;
    const Complex   exact = (1 + (two * cexp(one * t) - one * cexp(two * t)) / (one - two)) / s, z = position(&test, test.run->state.q);
    test_run_close(&test);
    if (cabs(z - exact) > 1e-3 * cabs(exact))
      fail_msg("%s, %s: ends at (%.6g, %.6g) m, exact (%.6g, %.6g) m", schemes[i / 4], speed, creal(z), cimag(z), creal(exact), cimag(exact));
  }
}

/* Mean pressure over rho V^2 and the relative change of the clearance. */
static Complex pressure_terms(Complex s, PetscReal a, PetscReal B, PetscReal sigma, PetscReal m0)
{
  const int     steps = 2000;
  const Complex w = (sigma * (1 - m0) + (sigma * B / 2 + 1) * s + s * s / 2) / (a + sigma * B + s); /* continuity and momentum over the whole seal */
  Complex       after = 0, sum = 0;

  for (int i = steps - 1; i >= 0; i--) { /* p1(z) by the trapezoidal rule from the exit, and its mean */
    const Complex at[2]  = {w - s * i / steps, w - s * (i + 1) / steps};
    const Complex before = after + (sigma * (B * (at[0] + at[1]) / 2 - (1 - m0)) + s * (at[0] + at[1]) / 2 - s) / steps;
    sum += (before + after) / 2 / steps;
    after = before;
  }
  return -sum;
}

/* Stiffness, damping and mass in turning axes are the Taylor coefficients of the pressure that opposes a motion e^(s t/T), here integrated numerically along the seal. */
static void seal_has_the_coefficients_of_its_flow(void **state)
{
  TestRun         test = test_run_open(ROTOR("{constant: 3000 rpm}", SEAL), NULL);
  const NsFe     *fe   = test.run->model->data;
  const PetscReal spin = 100 * PETSC_PI, R = 0.08, L = 0.04, c = 0.25e-3, dp = 2e6, rho = 1000, mu = 1e-3, a = 1.1, m0 = -0.25, w = spin / 2,
                  h = 1e-3;
  PetscReal low = 0.1, high = 100, V = 0, sigma = 0, u2 = 0, K[36], C[36];

  (void)state;
  for (int i = 0; i < 200; i++) {
    V     = (low + high) / 2;
    u2    = PetscSqr(R * spin / (2 * V));
    sigma = 0.079 * PetscPowReal(2 * V * c * rho / mu, m0) * PetscPowReal(1 + u2, 0.375) * L / c;
    if (rho * V * V / 2 * (a + 2 * sigma) > dp)
      high = V;
    else
      low = V;
  }
  const PetscReal B = 1 + (1 + m0) / (1 + u2), size = PETSC_PI * R * L * rho * V * V / c, T = L / V;
  const Complex   zero = pressure_terms(0, a, B, sigma, m0), plus = pressure_terms(I * h, a, B, sigma, m0),
                minus = pressure_terms(-I * h, a, B, sigma, m0);
  const PetscReal K0 = size * creal(zero), D0 = size * T * cimag(plus - minus) / (2 * h),
                  m = -size * T * T * creal(plus + minus - 2 * zero) / (2 * h * h);
  fe->force[0].type->tangents(&fe->force[0], &spin, K, C);
  assert_near(K[0], K0 - m * w * w, 1e-5 * K0);
  assert_near(K[7], K[0], 1e-12 * K0);
  assert_near(K[1], D0 * w, 1e-5 * K0);
  assert_near(K[6], -K[1], 1e-12 * K0);
  assert_near(C[0], D0, 1e-5 * D0);
  assert_near(C[1], 2 * m * w, 1e-5 * D0);
  assert_near(fe->inertia[0].mass, m, 1e-4 * m);
  test_run_close(&test);
}

/* H. F. Black's coefficients, without the dependence of friction on the Reynolds number and without spin. */
static void seal_has_the_published_coefficients(void **state)
{
  const char *const set[] = {
    "bearings.a.annular_seal.exponent=0", "bearings.a.annular_seal.friction=0.004", "bearings.a.annular_seal.entrance_loss=0", NULL};
  TestRun         test = test_run_open(ROTOR("{constant: 0 rpm}", SEAL), set);
  const NsFe     *fe   = test.run->model->data;
  const PetscReal s = 0.004 * 0.04 / 0.25e-3, V = PetscSqrtReal(2 * 2e6 / (1000 * (1 + 2 * s))), T = 0.04 / V, size = PETSC_PI * 0.08 * 2e6 / 0.004;
  const PetscReal one = 1 + 2 * s, still = 0;
  PetscReal       K[36], C[36];

  (void)state;
  fe->force[0].type->tangents(&fe->force[0], &still, K, C);
  assert_near(K[0], size * s * s / (one * one), 1e-10 * K[0]);
  assert_near(C[0], size * T * (s + 7 * s * s / 3 + 10 * s * s * s / 3 + 4 * s * s * s * s / 3) / (one * one * one), 1e-10 * C[0]);
  const PetscReal mass = size * T * T * (-s / 3 + s * s + 2 * s * s * s + 4 * s * s * s * s / 3) / PetscPowRealInt(one, 4);
  assert_near(fe->inertia[0].mass, mass, 1e-10 * mass);
  test_run_close(&test);
}

static void seal_whirls_exactly(void **state)
{
  TestRun         test = test_run_open(ROTOR("{constant: 3000 rpm}", SEAL), NULL);
  const NsFe     *fe   = test.run->model->data;
  const PetscReal spin = 100 * PETSC_PI, added = fe->inertia[0].mass;
  PetscReal       K[36], C[36];

  (void)state;
  fe->force[0].type->tangents(&fe->force[0], &spin, K, C);
  test_run_close(&test);
  assert_true(added > 0.1);
  whirls_exactly(ROTOR("0", SEAL), "3000 rpm", added, (const PetscReal[8]){K[0], K[1], K[6], K[7], C[0], C[1], C[6], C[7]});
}

/* Fluid has inertia, but no weight, and moves across the shaft alone. */
static void added_mass_slows_and_weighs_nothing(void **state)
{
  const PetscReal   value[8] = {2e6, 0, 0, 2e6, 0, 0, 0, 0};
  const char *const heavy[]  = {"gravity=[10 m/s^2, 0, 0]", "bodies.shaft.initial={}", "start=static", NULL};

  (void)state;
  whirls_exactly(ROTOR("0", "  a: {between: [shaft@0.5, ground], added_mass: 30 kg, stiffness: 2 MN/m}\n"), "3000 rpm", 30, value);
  TestRun test = test_run_open(ROTOR("0", "  a: {between: [ground, shaft@0.5], added_mass: 30 kg, stiffness: 2 MN/m}\n"), heavy);
  assert_near(creal(position(&test, test.run->state.q)), MASS * 10 / 2e6, 1e-8);
  assert_near(test.run->model->mass_total, MASS, 1e-9);
  test_run_close(&test);
}

/* Stiffness at the centre, pull of saturated magnets, equilibrium under a weight that constant currents carry. */
static void magnets_pull_as_the_closed_form(void **state)
{
  const char *const carried[] = {
    "gravity=[10 m/s^2, 0, 0]", "bodies.shaft.initial={}", "start=static", "bearings.a.magnetic.static_force=[-500 N, 0]", NULL};
  TestRun              test      = test_run_open(ROTOR("0", MAGNET), NULL);
  const NsForceLawUse *use       = NsFeForceLaw(&((const NsFe *)test.run->model->data)->force[0]);
  const PetscReal      centre[2] = {0, 0}, off[2] = {0.3e-3, -0.1e-3}, still[2] = {0, 0};
  PetscReal            K[4], C[4], spring[2], damper[2];

  (void)state;
  use->law->slopes(use->data, &(NsForceMotion){.r = centre, .v = still}, K, C);
  assert_near(K[0], 4e6 - 4 * 200 / 0.5e-3, 1e-3);
  assert_near(K[3], K[0], 1e-9);
  assert_near(C[0], 2e3, 1e-9);
  assert_near(K[1], 0, 0);
  use->law->force(use->data, &(NsForceMotion){.r = off, .v = still}, spring, damper);
  assert_near(spring[0], 200 * (PetscSqr(0.25 / 0.4) - PetscSqr(1.75 / 1.6)), 1e-10); /* 1.5 of the bias current was asked for */
  assert_near(spring[1], 200 * (PetscSqr(1.5 / 1.2) - PetscSqr(0.5 / 0.8)), 1e-10);
  test_run_close(&test);
  test = test_run_open(ROTOR("0", MAGNET), carried);
  assert_near(creal(position(&test, test.run->state.q)), 0, 1e-9);
  test_run_close(&test);
}

/* Small vibrations about the centre. */
static void magnets_hold_in_every_scheme(void **state)
{
  const PetscReal value[8] = {4e6 - 1.6e6, 0, 0, 4e6 - 1.6e6, 2e3, 0, 0, 2e3};
  (void)state;
  whirls_exactly(
    ROTOR(
      "0", "  a: {between: [ground, shaft@0.5], magnetic: {bias_force: 200 kN, gap: 500 mm, stiffness: 4 MN/m, damping: 2 kN s/m, travel: 1 mm}}\n"),
    "3000 rpm", 0, value);
}

/* ---- films of finite length ---------------------------------------------------------------------------------------------------------------------- */

/* W = mu R L^3/c^3 (w e c/2) f, S = mu N L D/W (R/c)^2 with L = D */
static PetscReal sommerfeld(PetscReal e, PetscReal along, PetscReal across)
{
  return 1 / (2 * PETSC_PI * e * PetscSqrtReal(along * along + across * across));
}

/* A. A. Raimondi, J. Boyd, ASLE Trans. 1 (1958), L/D = 1; and finite differences of another program. A journal at rest moves in effect across its eccentricity, with half the speed. */
static void film_of_finite_length_carries_as_published(void **state)
{
  static NsReynoldsTable table;
  const PetscReal        e[] = {0.1, 0.2, 0.4, 0.6, 0.8, 0.9}, S[] = {1.33, 0.631, 0.264, 0.121, 0.0446, 0.0188};
  const PetscReal        fine[] = {1.330, 0.6319, 0.2604, 0.1210, 0.04456, 0.01882}, attitude[] = {79.41, 73.85, 62.57, 50.53, 36.23, 26.47};

  (void)state;
  NsReynoldsTableFill(&table, 1, PETSC_TRUE);
  for (size_t i = 0; i < sizeof(e) / sizeof(*e); i++) {
    Complex   along, across;
    PetscReal solved[2];
    NsReynoldsSolve(1, e[i], PETSC_PI / 2, solved);
    NsReynoldsTableAt(&table, 0, e[i], &along, &across);
    const PetscReal found = sommerfeld(e[i], creal(along), creal(across));
    assert_near(found, S[i], 0.015 * S[i]);
    assert_near(found, fine[i], 0.004 * fine[i]);
    assert_near(PetscAtan2Real(creal(along), creal(across)) * 180 / PETSC_PI, attitude[i], 0.1);
    assert_near(creal(along), solved[0], 2e-4 * solved[0]);
    assert_near(creal(across), solved[1], i ? 2e-4 * solved[1] : 1e-2 * solved[1]); /* near the centre the film has less of a preferred side */
    NsReynoldsTableAt(&table, 0, -e[i], &along, &across);                           /* turning backwards */
    assert_near(sommerfeld(e[i], creal(along), creal(across)), found, 1e-12);
    assert_true(creal(across) < 0);
  }
}

/* Of a short journal the pressure around does not matter: the closed form, for motions in all directions. */
static void film_of_a_ring_is_short(void **state)
{
  static NsReynoldsTable table;

  (void)state;
  for (int damper = 0; damper < 2; damper++) {
    NsReynoldsTableFill(&table, 0.05, !damper);
    for (int k = 0; k < 40; k++) {
      const PetscReal e = 0.1 + 0.08 * (k % 10), angle = 2 * PETSC_PI * k / 40;
      const Complex   u = e * PetscCosReal(angle), w = e * PetscSinReal(angle);
      Complex         finite[2], closed[2];
      NsReynoldsTableAt(&table, u, w, &finite[0], &finite[1]);
      NsShortFilm(u, w, &closed[0], &closed[1]);
      const PetscReal size = PetscSqrtReal(PetscSqr(creal(closed[0])) + PetscSqr(creal(closed[1])));
      for (int c = 0; c < 2; c++) assert_near(creal(finite[c]), creal(closed[c]), 0.015 * size);
    }
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(film_of_finite_length_carries_as_published),
  cmocka_unit_test(film_of_a_ring_is_short),
  cmocka_unit_test(rotating_damping_drives_whirl),
  cmocka_unit_test(internal_damping_drives_whirl),
  cmocka_unit_test(seal_has_the_coefficients_of_its_flow),
  cmocka_unit_test(seal_has_the_published_coefficients),
  cmocka_unit_test(seal_whirls_exactly),
  cmocka_unit_test(added_mass_slows_and_weighs_nothing),
  cmocka_unit_test(magnets_pull_as_the_closed_form),
  cmocka_unit_test(magnets_hold_in_every_scheme),
};
TEST_MAIN(tests)
