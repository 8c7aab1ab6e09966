/*
  The first contact of the bouncing bar of Doyen, Ern and Piperno with 15 modes and each `fade`: rms error of the force in the middle of the contact over its mean, 400 N, and of the height of the
  lower end over 5 m, as an independent implementation gave them (leapfrog, steps of 0.125 ms). The table of docs/theory (schemes_elastic) is printed by postprocess/bouncing_bar.py.

  D. Doyen, A. Ern, S. Piperno, SIAM J. Sci. Comput. 33 (2011).
*/
#include "support.h"
#include <math.h>
#include <stdio.h>
#include "percuss/contact.h"

#define BAR \
  "bodies:\n  bar:\n    type: bar\n    mesh: {line: {from: [0, 5, 0], to: [0, 15, 0], elements: 400}}\n    material: {density: 1 kg/m^3, young: 900 Pa}\n" \
  "    section: {rectangle: {width: 1 m, height: 1 m}}\ngravity: [0, -10 m/s^2, 0]\n" \
  "contacts: {ground: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\ntime: {end: 5.333 s}\n"

/* Height of the lower end in the first period, 16 L/c. */
static double height_at(double t)
{
  const double x = t - 5. / 3, wave = fmod(3 * x, 2);

  if (t < 1) return 5 - 5 * t * t;
  if (t < 5. / 3) return 0;
  if (t < 11. / 3) return 5 - 5 * (x - 1) * (x - 1) + 10. / 9 * (wave * wave - 2 * wave);
  return t < 13. / 3 ? 0 : 10 * (t - 13. / 3) - 5 * (t - 13. / 3) * (t - 13. / 3);
}

static void each_fade_is_good_for_something(void **state)
{
  static const struct {
    const char *fade;
    double      force, motion;
  } expected[] = {{"2", 0.0205, 0.0186}, {"balanced", 0.0241, 0.0093}, {"2.7", 0.0586, 0.006}, {"off", 0.4285, 0.0079}};

  (void)state;
  for (size_t k = 0; k < sizeof(expected) / sizeof(*expected); k++) {
    char   text[2000];
    double force = 0, motion = 0;
    int    forces = 0, steps = 0;
    (void)snprintf(text, sizeof(text), BAR "scheme: {type: modal, modes: 15, fade: %s, step: 0.25 ms}\n", expected[k].fade);
    TestRun test = test_run_open(text, NULL);
    NsRun  *run  = test.run;
    while (test_runs(run)) {
      (void)test_step(run);
      const double t = run->state.t;
      motion += pow((5 + NsVecRead(run->state.q)[0] - height_at(t)) / 5, 2);
      steps++;
      if (t < 1 + 0.1 * 2 / 3 || t > 1 + 0.9 * 2 / 3) continue;
      force += pow((NsContactReports(run->contact)[0].force[0] - 300 - 300 * (t - 1)) / 400, 2);
      forces++;
    }
    force  = sqrt(force / forces);
    motion = sqrt(motion / steps);
    if (getenv("PERCUSS_PRINT")) print_message("fade %s: force %.4f, motion %.4f\n", expected[k].fade, force, motion);
    assert_near(force / expected[k].force, 1, 0.15);
    assert_near(motion, expected[k].motion, 0.003);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_fade_is_good_for_something)};

TEST_MAIN(tests)
