/*
  St. Venant's impact of a short bar on a long one, same material and section: with c0 = sqrt(E/rho),
  contact lasts 2 L_short/c0 under E S v0/(2 c0); afterwards the short bar is at rest, and the long one has its momentum.

  And the stepped bar: the wave that returns from the step, reflected by (Z2 - Z1)/(Z2 + Z1), raises the reaction.
*/
#include "elastic_bar.h"

static const char *const two_bars = "bodies:\n"
                                    "  short:\n"
                                    "    type: bar\n"
                                    "    mesh: {line: {from: [-0.50001, 0, 0], to: [-10.0005 um, 0, 0], elements: 100}}\n"
                                    "    material: {density: 7800, young: 210 GPa}\n"
                                    "    section: {area: 3 cm^2}\n"
                                    "    mass: lumped\n"
                                    "    initial: {velocity: [0.1, 0, 0]}\n"
                                    "  long:\n"
                                    "    type: bar\n"
                                    "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 200}}\n"
                                    "    material: {density: 7800, young: 210 GPa}\n"
                                    "    section: {area: 3 cm^2}\n"
                                    "    mass: lumped\n"
                                    "contacts:\n"
                                    "  joint: {between: [short.right, long.left]}\n"
                                    "scheme: {type: half_explicit, step: 0.2 us}\n"
                                    "time: {end: 330 us}\n";

typedef struct {
  PetscReal begin, end;  /* s: first and last step with a reaction */
  PetscReal force;       /* N: mean reaction in the middle of the contact */
  PetscReal velocity[2]; /* m/s: of both contact nodes in the middle of the contact */
  PetscReal mean[2];     /* m/s: of both centres of mass at the end */
  PetscReal at_rest;     /* m/s: root mean square velocity of the short bar at the end */
} Figures;

static Figures run_bars(PetscInt per_metre)
{
  char               count[2][64], step[64];
  const char *const  set[]  = {count[0], count[1], step, NULL};
  const PetscReal    T      = 2 * 0.5 / c0();
  Figures            f      = {0};
  PetscInt           middle = 0, n[2];
  const PetscScalar *v;

  snprintf(count[0], sizeof(count[0]), "bodies.short.mesh.line.elements=%d", (int)per_metre / 2);
  snprintf(count[1], sizeof(count[1]), "bodies.long.mesh.line.elements=%d", (int)per_metre);
  snprintf(step, sizeof(step), "scheme.step=%g", 0.5 / per_metre / c0());
  TestRun test = test_run_open(two_bars, set);
  n[0]         = per_metre / 2 + 1;
  n[1]         = per_metre + 1;
  for (PetscInt64 i = 0; i < test.run->steps; i++) {
    test_step(test.run);
    const PetscReal t = test.run->state.t, force = NsContactReports(test.run->contact)[0].force[0];
    if (force > 0) {
      if (f.begin == 0) f.begin = t;
      f.end = t;
    }
    if (f.begin > 0 && t > f.begin + 0.3 * T && t < f.begin + 0.7 * T) {
      CHECK(VecGetArrayRead(test.run->state.v, &v));
      f.force += force;
      f.velocity[0] += v[n[0] - 1];
      f.velocity[1] += v[n[0]];
      middle++;
      CHECK(VecRestoreArrayRead(test.run->state.v, &v));
    }
  }
  f.force /= middle;
  f.velocity[0] /= middle;
  f.velocity[1] /= middle;
  CHECK(VecGetArrayRead(test.run->state.v, &v));
  for (PetscInt b = 0, at = 0; b < 2; at += n[b], b++) { /* trapezoidal weights are the lumped masses */
    for (PetscInt i = 0; i < n[b]; i++) {
      const PetscReal weight = (i == 0 || i == n[b] - 1 ? 0.5 : 1.0) / (n[b] - 1);
      f.mean[b] += weight * v[at + i];
      if (b == 0) f.at_rest += weight * v[at + i] * v[at + i];
    }
  }
  f.at_rest = PetscSqrtReal(f.at_rest);
  CHECK(VecRestoreArrayRead(test.run->state.v, &v));
  test_run_close(&test);
  return f;
}

static void short_bar_stops(void **state)
{
  const PetscReal T = 2 * 0.5 / c0();
  const Figures   f = run_bars(200), g = run_bars(800);

  (void)state;
  assert_near(f.velocity[0], 0.05, 0.05 * 1e-3);
  assert_near(f.velocity[1], f.velocity[0], 1e-15);
  assert_near(f.force, E * 3e-4 * V0 / (2 * c0()), 1e-3 * f.force);
  assert_near(f.mean[0], 0, 0.1 * 4e-3);
  assert_near(f.mean[1], 0.05, 0.1 * 2e-3);
  assert_near(f.mean[0] * 0.5 + f.mean[1], 0.05, 1e-10); /* momentum; the short bar is 0.5 nm short of 0.5 m */
  assert_true(g.at_rest < f.at_rest);
  assert_true(g.at_rest < 0.1 * 0.1);
  /* the contact's end, to first order in the element length: the last reaction comes within a few transits of an element */
  assert_near((f.end - f.begin) / T, 1, 12 * (1.0 / 200) / 1.0);
  assert_near((g.end - g.begin) / T, 1, 12 * (1.0 / 800) / 1.0);
}

static const char *const stepped_bar = "bodies:\n"
                                       "  bar:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [50.005 um, 0, 0], to: [1.000050005, 0, 0], elements: 400}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {circle: {radius: 10 mm}}\n"
                                       "    parts: [{range: [0.5, 1], section: {circle: {radius: 20 mm}}}]\n"
                                       "    mass: lumped\n"
                                       "    initial: {velocity: [-0.1, 0, 0]}\n"
                                       "contacts:\n"
                                       "  wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}\n"
                                       "scheme: {type: half_explicit, step: 0.25 us}\n"
                                       "time: {end: 880 us}\n";

static void stepped_bar_pushes_on(void **state)
{
  const PetscReal tau = E * S * V0 / c0(), T = 2 * 0.5 / c0();
  PetscReal       sum[2]   = {0, 0};
  PetscInt        count[2] = {0, 0};

  (void)state;
  TestRun test = test_run_open(stepped_bar, NULL);
  for (PetscInt64 i = 0; i < test.run->steps; i++) {
    test_step(test.run);
    const PetscReal since = (test.run->state.t - 500.05e-6) / T;
    const int       k     = since > 0.2 && since < 0.8 ? 0 : since > 1.2 && since < 1.8 ? 1 : -1;
    if (k < 0) continue;
    sum[k] += NsContactReports(test.run->contact)[0].force[0];
    count[k]++;
  }
  test_run_close(&test);
  assert_near(sum[0] / count[0], tau, 2e-3 * tau);
  assert_near(sum[1] / count[1], tau * (1 + 2 * 0.6), 5e-3 * tau); /* Z2/Z1 = 4: reflected by 3/5, doubled at the wall */
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(short_bar_stops), cmocka_unit_test(stepped_bar_pushes_on)};
TEST_MAIN(tests)
