/*
  Nonlinear springs and bearings against closed forms and published coefficients.
*/
#include "fe/forces/laws/law.h"
#include "fe/model/fe.h"
#include "support.h"

/* ---- the oil film alone: two rotors that no other force holds ----------------------------------------------------------------------------------------- */

#define FILM(word, diameter, length, clearance, viscosity, spin) \
  "bodies:\n" \
  "  shaft:\n" \
  "    type: rotor\n" \
  "    mesh: {line: {from: [0, 0, 0], to: [0, 0, 0.1 m], elements: 1}}\n" \
  "    material: {density: 7800, young: 210 GPa}\n" \
  "    section: {circle: {radius: 10 mm}}\n" \
  "    spin: " spin "\n" \
  "bearings:\n" \
  "  force: {between: [ground, shaft.left], " word ": {diameter: " diameter ", length: " length ", clearance: " clearance ", viscosity: " viscosity \
  "}}\n" \
  "scheme: {type: moreau_jean, step: 1 ns}\n" \
  "time: {end: 1 ns}\n"

static const NsForceLawUse *law_of(const TestRun *test)
{
  const NsFe *fe = test->run->model->data;

  return NsFeForceLaw(&fe->force[0]);
}

/* Displacement in equilibrium with the load W along -axis 3. */
static void find_equilibrium(
  const NsForceLawUse *use, PetscReal spin, PetscReal W, PetscReal clearance, PetscReal r[2], PetscReal K[4], PetscReal C[4])
{
  const PetscReal     still[2] = {0, 0};
  const NsForceMotion at       = {.r = r, .v = still, .spin = spin};

  r[0] = 0;
  r[1] = -0.1 * clearance;
  for (int i = 0; i < 60; i++) {
    PetscReal spring[2], damper[2], step[2], share = 1;
    use->law->force(use->data, &at, spring, damper);
    use->law->slopes(use->data, &at, K, C);
    const PetscReal F[2] = {spring[0], spring[1] - W}, det = K[0] * K[3] - K[1] * K[2];
    step[0] = (K[3] * F[0] - K[1] * F[1]) / det;
    step[1] = (K[0] * F[1] - K[2] * F[0]) / det;
    while (PetscSqr(r[0] + share * step[0]) + PetscSqr(r[1] + share * step[1]) > PetscSqr(0.95 * clearance)) share /= 2;
    for (int k = 0; k < 2; k++) r[k] += share * step[k];
  }
}

/* S (L/D)^2 and tan phi of the short bearing, Friswell et al., Dynamics of rotating machines (2010), 5.5. */
static void film_carries_as_the_closed_form(void **state)
{
  TestRun              test = test_run_open(FILM("film", "100 mm", "30 mm", "0.1 mm", "0.1 Pa s", "{constant: 1500 rpm}"), NULL);
  const NsForceLawUse *use  = law_of(&test);
  const PetscReal      c = 1e-4, spin = 50 * PETSC_PI, still[2] = {0, 0};
  const PetscReal      e[] = {0.2, 0.4, 0.6, 0.8, 0.95};

  (void)state;
  for (size_t i = 0; i < sizeof(e) / sizeof(*e); i++) {
    const PetscReal r[2] = {e[i] * c, 0}, root = PetscSqrtReal(1 - e[i] * e[i]);
    PetscReal       spring[2], damper[2];
    use->law->force(use->data, &(NsForceMotion){.r = r, .v = still, .spin = spin}, spring, damper);
    const PetscReal F     = PetscSqrtReal(PetscSqr(spring[0]) + PetscSqr(spring[1])),
                    scale = 0.1 * spin / (2 * PETSC_PI) * 0.1 * 0.03 * PetscSqr(0.05 / c) * 0.09;
    const PetscReal S     = PetscSqr(root * root) / (PETSC_PI * e[i] * PetscSqrtReal(PetscSqr(PETSC_PI * root) + 16 * e[i] * e[i]));
    assert_near(scale / F, S, 1e-12 * S);
    assert_near(PetscAbsReal(spring[1] / spring[0]), PETSC_PI * root / (4 * e[i]), 1e-11);
    assert_near(damper[0], 0, 0);
  }
  test_run_close(&test);
}

/* Example 5.5.1 there. */
static void film_has_the_published_coefficients(void **state)
{
  TestRun         test = test_run_open(FILM("film", "100 mm", "30 mm", "0.1 mm", "0.1 Pa s", "{constant: 1500 rpm}"), NULL);
  const PetscReal k[] = {12.80796e6, 16.393593e6, -25.060393e6, 8.815303e6}, d[] = {232.897e3, -81.924e3, -81.924e3, 294.912e3};
  PetscReal       r[2], K[4], C[4];

  (void)state;
  find_equilibrium(law_of(&test), 50 * PETSC_PI, 525, 1e-4, r, K, C);
  assert_near(PetscSqrtReal(r[0] * r[0] + r[1] * r[1]) / 1e-4, 0.266298, 1e-6);
  assert_near(PetscAtan2Real(r[0], -r[1]) * 180 / PETSC_PI, 70.62, 5e-3);
  for (int i = 0; i < 4; i++) {
    assert_near(K[i], k[i], 1);
    assert_near(C[i], d[i], 0.5);
  }
  test_run_close(&test);
}

/* Circular orbits of a squeeze-film damper. */
static void damper_has_the_closed_form(void **state)
{
  TestRun         test = test_run_open(FILM("squeeze_film", "5.1 in", "0.9 in", "0.003 in", "0.0279679 Pa s", "{constant: 1000 rpm}"), NULL);
  const PetscReal c = 0.003 * 0.0254, whirl = 18600 * PETSC_PI / 30, r[2] = {0.5 * c, 0}, v[2] = {0, 0.5 * c * whirl};
  PetscReal       spring[2], damper[2];

  (void)state;
  law_of(&test)->law->force(law_of(&test)->data, &(NsForceMotion){.r = r, .v = v, .spin = 500}, spring, damper);
  assert_near(-(spring[1] + damper[1]) / v[1], 118283.8, 0.2);
  assert_near(-(spring[0] + damper[0]) / r[0], 1.69362e8, 2e3);
  assert_near(spring[0], 0, 0); /* its ring does not turn */
  test_run_close(&test);
}

/* ISO/TS 16281: 7 balls, 1000 N, without play; by bisection of the displacement towards a ball. */
static void ball_bearing_gives_as_published(void **state)
{
  TestRun              test = test_run_open("bodies:\n"
                                                         "  shaft:\n"
                                                         "    type: rotor\n"
                                                         "    mesh: {line: {from: [0, 0, 0], to: [0, 0, 0.1 m], elements: 1}}\n"
                                                         "    material: {density: 7800, young: 210 GPa}\n"
                                                         "    section: {circle: {radius: 10 mm}}\n"
                                                         "    spin: 0\n"
                                                         "bearings:\n"
                                                         "  force: {between: [ground, shaft.left], rolling: {elements: 7, stiffness: 1.0542275e10, travel: 50 um}}\n"
                                                         "scheme: {type: moreau_jean, step: 1 ns}\n"
                                                         "time: {end: 1 ns}\n",
                 NULL);
  const NsForceLawUse *use  = law_of(&test);
  PetscReal            low = 0, high = 1e-4;

  (void)state;
  for (int i = 0; i < 60; i++) {
    const PetscReal r[2] = {(low + high) / 2, 0}, v[2] = {0, 0};
    PetscReal       spring[2], damper[2];
    use->law->force(use->data, &(NsForceMotion){.r = r, .v = v}, spring, damper);
    *(-spring[0] < 1000 ? &low : &high) = r[0];
  }
  assert_near(low, 15.117e-6, 1e-9);
  test_run_close(&test);
}

/* ---- in motion ------------------------------------------------------------------------------------------------------------------------------------------ */

/* A mass of 1 kg at -1 m/s along z onto a spring. */
#define COLLISION(law) \
  "bodies:\n" \
  "  ball: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3], initial: {velocity: [0, 0, -1 m/s]}}\n" \
  "supports:\n" \
  "  guide: {at: ball.center, fix: [x, y, rx, ry, rz]}\n" \
  "springs:\n" \
  "  spring: {between: [ground, ball.center], direction: [0, 0, 1], law: " law "}\n"

static void end_of(const char *config, const char *const *set, PetscReal *q, PetscReal *v, PetscReal *gain)
{
  TestRun test = test_run_open(config, set);

  while (test_runs(test.run)) (void)test_step(test.run);
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  *q    = NsVecRead(test.run->state.q)[0];
  *v    = NsVecRead(test.run->state.v)[0];
  *gain = test.run->ledger.numerical;
  test_run_close(&test);
}

/* Half a period of the spring, pi/1000 s, behind a gap of 1 mm: order 2 of explicit and implicit schemes, and nothing lost. */
static void every_kind_of_scheme_rebounds_from_a_spring(void **state)
{
  const char *const schemes[] = {"half_explicit", "moreau_midpoint", "moreau_jean", "ggl_unified", "generalised_alpha", "generalised_alpha_velocity",
    "implicit_split", "schatzman_paoli", "variational", "half_explicit_adaptive", "event_driven_hem5"};
  const PetscReal   exact     = -1e-3 + (0.02 - 1e-3 - PETSC_PI / 1000);

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    char              type[80];
    const char *const set[] = {type, NULL};
    PetscReal         q, v, gain;
    (void)snprintf(type, sizeof(type), "scheme.type=%s", schemes[s]);
    end_of(COLLISION("{one_sided: {gap: 1 mm, stiffness: 1 MN/m}}") "scheme: {type: half_explicit, step: 10 us}\n"
                                                                    "time: {end: 20 ms}\n",
      set, &q, &v, &gain);
    if (PetscAbsReal(q - exact) > 3e-7 || PetscAbsReal(v - 1) > 2e-5 || PetscAbsReal(gain) > 2e-5)
      fail_msg("%s: ends at %.9g m (exact %.9g m) with %.9g m/s and %g J", schemes[s], q, exact, v, gain);
  }
}

/* An implicit step many times as long as explicit ones may be: Newton's method meets the kink within the step. */
static void long_implicit_steps_find_the_spring(void **state)
{
  const char *const set[][2] = {{"scheme.step=0.3 ms", NULL}, {"scheme.step=1 ms", NULL}, {"scheme.step=2 ms", NULL}};

  (void)state;
  for (int i = 0; i < 3; i++) {
    PetscReal q, v, gain;
    end_of(COLLISION("{one_sided: {gap: 1 mm, stiffness: 100 MN/m}}") "scheme: {type: moreau_jean, step: 1 ms, theta: 1}\n"
                                                                      "time: {end: 20 ms}\n",
      set[i], &q, &v, &gain);
    assert_true(v >= 0 && v <= 1 + 1e-9 && q > -1.2e-3);
    assert_true(gain <= 1e-12); /* theta = 1 loses */
  }
}

static void hertz_rebounds_with_the_restitution_asked_for(void **state)
{
  const char *const restitution[] = {"0.1", "0.5", "0.9", "1"};

  (void)state;
  for (int i = 0; i < 4; i++) {
    char              set_e[120];
    const char *const set[] = {set_e, NULL};
    PetscReal         q, v, gain;
    (void)snprintf(set_e, sizeof(set_e), "springs.spring.law.hertz.dissipation_for.restitution=%s", restitution[i]);
    end_of(
      COLLISION(
        "{hertz: {stiffness: 1e9, travel: 0.1 mm, dissipation_for: {restitution: 0.5, velocity: 1 m/s}}}") "scheme: {type: half_explicit, step: 0.1 us}\n"
                                                                                                           "time: {end: 2 ms}\n",
      set, &q, &v, &gain);
    assert_near(v, atof(restitution[i]), 1e-6);
    assert_near(gain, 0, 1e-6);
  }
}

/* Period of m x'' + k3 x^3 = 0 from x0 at rest: 7.4162987092054875 sqrt(m/k3)/x0. */
static void cubic_spring_has_the_exact_period(void **state)
{
  const PetscReal period = 7.4162987092054875 / PetscSqrtReal(1e9) / 1e-2;
  char            end[80];
  PetscReal       q, v, gain;

  (void)state;
  (void)snprintf(end, sizeof(end), "time.end=%.17g s", period);
  const char *const set[] = {"bodies.ball.initial={displacement: [0, 0, 10 mm]}", end, NULL};
  end_of(COLLISION("{cubic: {coefficient: 1 N/mm^3, travel: 10 mm}}") "scheme: {type: event_driven_hem5, step: 1 ms}\n"
                                                                      "time: {end: 1 ms}\n",
    set, &q, &v, &gain);
  assert_near(q, 1e-2, 1e-9);
  assert_near(gain, 0, 1e-9);
}

/* m v' = -c v^2 from v0: v = v0/(1 + c v0 t/m). */
static void quadratic_damper_slows_as_the_closed_form(void **state)
{
  PetscReal q, v, gain;

  (void)state;
  end_of(COLLISION("{power_damping: {coefficient: 30, rate: 1 m/s}}") "scheme: {type: moreau_jean, step: 0.1 ms}\n"
                                                                      "time: {end: 100 ms}\n",
    NULL, &q, &v, &gain);
  assert_near(v, -1. / 4, 1e-6);
  assert_near(gain, 0, 1e-12);
}

/* A table that is a straight line is a linear spring. */
static void straight_table_is_a_linear_spring(void **state)
{
  PetscReal q[2], v[2], gain[2];

  (void)state;
  end_of(COLLISION("{table: [[-1 mm, -20 N], [0, 0], [3 mm, 60 N]]}") "scheme: {type: half_explicit, step: 10 us}\n"
                                                                      "time: {end: 20 ms}\n",
    NULL, &q[0], &v[0], &gain[0]);
  end_of("bodies:\n"
         "  ball: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3], initial: {velocity: [0, 0, -1 m/s]}}\n"
         "supports:\n"
         "  guide: {at: ball.center, fix: [x, y, rx, ry, rz]}\n"
         "springs:\n"
         "  spring: {between: [ground, ball.center], direction: [0, 0, 1], stiffness: 20 kN/m}\n"
         "scheme: {type: half_explicit, step: 10 us}\n"
         "time: {end: 20 ms}\n",
    NULL, &q[1], &v[1], &gain[1]);
  assert_near(q[0], q[1], 1e-12);
  assert_near(v[0], v[1], 1e-10);
}

/* The critical time step is that of the steepest slope: 2/omega of the closed spring. */
static void critical_step_counts_the_closed_spring(void **state)
{
  TestRun test = test_run_open(COLLISION("{one_sided: {gap: 1 mm, stiffness: 1 MN/m}}") "scheme: {type: half_explicit, step: 10 us}\n"
                                                                                        "time: {end: 20 ms}\n",
    NULL);
  NsBound omega, rate;

  (void)state;
  CHECK(test.run->model->analysis.frequency_bound(test.run->model, 0, &omega, &rate));
  assert_near(omega.value, 1000, 1e-6);
  test_run_close(&test);
}

/* Rigid rotor of 50 kg a bearing: the equilibrium loses its stability at 803.085 rad/s. Time stepping from 1 um beside it: decays at 0.99, grows at 1.01 of it. */
static PetscReal whirl(const char *spin)
{
  char              spin_word[80];
  const char *const set[] = {spin_word, NULL};
  PetscReal         early = 0, late = 0;

  (void)snprintf(spin_word, sizeof(spin_word), "bodies.shaft.spin={constant: %s}", spin);
  TestRun test =
    test_run_open("gravity: [0, -9.81 m/s^2, 0]\n"
                  "bodies:\n"
                  "  shaft:\n"
                  "    type: rotor\n"
                  "    mesh: {line: {from: [0, 0, -10 mm], to: [0, 0, 10 mm], elements: 2}}\n"
                  "    material: {density: 1e-3, young: 2e14, poisson: 0.3}\n"
                  "    section: {circle: {radius: 50 mm}}\n"
                  "    spin: {constant: 1 rad/s}\n"
                  "    initial: {displacement: [1 um, 0, 0]}\n"
                  "discs:\n"
                  "  mass: {at: shaft@0.5, mass: 50 kg, polar_inertia: 1e-3, diametral_inertia: 0.1}\n"
                  "supports:\n"
                  "  tilt: {at: shaft.left, fix: [rx, ry]}\n"
                  "bearings:\n"
                  "  film: {between: [ground, shaft@0.5], film: {diameter: 100 mm, length: 25 mm, clearance: 0.1 mm, viscosity: 20 cP}}\n"
                  "start: static\n"
                  "scheme: {type: moreau_jean, step: 50 us}\n"
                  "time: {end: 1 s}\n",
      set);
  const PetscReal *q  = NsVecRead(test.run->state.q);
  const PetscReal  x0 = q[0] - 1e-6; /* the left node moves as the middle does */
  while (test_runs(test.run)) {
    (void)test_step(test.run);
    const PetscReal off = PetscAbsReal(NsVecRead(test.run->state.q)[0] - x0), t = test.run->state.t;
    if (t > 0.2 && t < 0.3) early = PetscMax(early, off);
    if (t > 0.9) late = PetscMax(late, off);
  }
  test_run_close(&test);
  return late / early;
}

static void oil_whirl_sets_in_at_the_threshold(void **state)
{
  (void)state;
  assert_true(whirl("795.05 rad/s") < 0.7);
  assert_true(whirl("811.12 rad/s") > 1.5);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(film_carries_as_the_closed_form),
  cmocka_unit_test(film_has_the_published_coefficients),
  cmocka_unit_test(damper_has_the_closed_form),
  cmocka_unit_test(ball_bearing_gives_as_published),
  cmocka_unit_test(every_kind_of_scheme_rebounds_from_a_spring),
  cmocka_unit_test(long_implicit_steps_find_the_spring),
  cmocka_unit_test(hertz_rebounds_with_the_restitution_asked_for),
  cmocka_unit_test(cubic_spring_has_the_exact_period),
  cmocka_unit_test(quadratic_damper_slows_as_the_closed_form),
  cmocka_unit_test(straight_table_is_a_linear_spring),
  cmocka_unit_test(critical_step_counts_the_closed_spring),
  cmocka_unit_test(oil_whirl_sets_in_at_the_threshold),
};
TEST_MAIN(tests)
