/*
  Solids that hit rigid planes: the bar of hexahedra that is a bar; a bar with Poisson's ratio 0 against Saint-Venant's; Hertz's impact of a ball.
*/
#include "support.h"
#include <stdio.h>
#include "fe/model/fe.h"

#define LENGTH 0.2
#define AREA   1e-4
#define SPEED  0.1

/* Force of all contacts of the run, N. */
static double force_of(const TestRun *test)
{
  const NsContact *contact = test->run->contact;
  double           force   = 0;

  for (PetscInt i = 0; i < test->run->model->candidates; i++) force += NsContactReports(contact)[i].force[0];
  return force;
}

static TestRun open_bar(const char *body, const char *more)
{
  char text[3000];

  (void)snprintf(text, sizeof(text),
    "bodies:\n  bar: {%s, mass: redistributed, initial: {velocity: [-0.1 m/s, 0, 0]}}\n%s"
    "contacts:\n  wall: {between: [bar.left, {plane: {point: [-1 um, 0, 0], normal: [1, 0, 0]}}]}\n"
    "scheme: {type: massless_contact, step: 0.4 us}\ntime: {end: 100 us}\noutput: {contacts: {every: 1}}\n",
    body, more);
  return test_run_open(text, NULL);
}

/* Held across its axis, a bar of hexahedra is a bar with the modulus lambda + 2 mu, step by step. */
static void held_bar_is_a_bar(void **state)
{
  TestRun bar = open_bar(
    "type: bar, mesh: {line: {from: [0, 0, 0], to: [0.2 m, 0, 0], elements: 40}}, material: {density: 7800, young: 282692307692.3077}, section: {area: 1e-4 m^2}",
    "");
  TestRun solid = open_bar(
    "type: solid, mesh: {box: {from: [0, 0, 0], to: [0.2 m, 10 mm, 10 mm], cells: [40, 2, 2]}}, material: {density: 7800, young: 210 GPa, poisson: 0.3}",
    "supports: {guide: {at: bar.all, fix: [y, z]}}\n");
  double most = 0, impulse = 0, off = 0;

  (void)state;
  for (int step = 0; step < 250; step++) {
    (void)test_step(bar.run);
    (void)test_step(solid.run);
    const double a = force_of(&bar), b = force_of(&solid);
    most = PetscMax(most, a);
    off  = PetscMax(off, fabs(a - b));
    impulse += 4e-7 * b;
  }
  assert_true(most > 400);
  assert_near(off / most, 0, 1e-9);
  assert_near(impulse, 0.03095400207, 1e-6 * 0.031);
  test_run_close(&bar);
  test_run_close(&solid);
}

/* Force of a bar of nu = 0 against Saint-Venant's E A v/c0 = 404.722 N for 2 L/c0 = 77.0899 us; its mean and noise over the middle 80 % of the contact. */
static void bar_hits_a_wall(void **state)
{
  const double tau = 404.722, period = 77.0899e-6;
  TestRun      test = open_bar(
         "type: solid, mesh: {box: {from: [0, 0, 0], to: [0.2 m, 10 mm, 10 mm], cells: [40, 2, 2]}}, material: {density: 7800, young: 210 GPa, poisson: 0}",
         "");
  double force[250], mean = 0, square = 0, closed = 0, first = -1, last = 0;
  int    count = 0;

  (void)state;
  for (int step = 0; step < 250; step++) {
    (void)test_step(test.run);
    force[step] = force_of(&test);
    if (force[step] > 0) {
      first = first < 0 ? 4e-7 * (step + 1) : first;
      last  = 4e-7 * (step + 1);
    }
  }
  closed = last - first;
  assert_near(closed / period, 1.0118, 0.015);
  for (int step = 0; step < 250; step++) {
    const double t = 4e-7 * (step + 1);
    if (t < first + 0.1 * closed || t > last - 0.1 * closed) continue;
    mean += force[step];
    square += force[step] * force[step];
    count++;
  }
  mean /= count;
  assert_near(mean / tau, 0.99937, 0.003);
  assert_near(sqrt(PetscMax(0, square / count - mean * mean)) / mean, 0, 0.005);
  NsEnergy energy;
  CHECK(NsModelEnergy(test.run->model, test.run->state.t, test.run->state.q, test.run->state.v, &energy));
  assert_near((energy.kinetic + energy.elastic) / (0.5 * 7800 * LENGTH * AREA * SPEED * SPEED), 1, 1e-3);
  test_run_close(&test);
}

/* configs/ball_on_wall.yaml: Hertz's time of contact 2.943 delta/v = 45.48 us and largest force 5286 N; a ball is a little stiffer than a half space (a/R = 0.056). */
static void ball_hits_a_wall(void **state)
{
  NsRunOptions options = {.config_path = PERCUSS_SOURCE_DIR "/configs/ball_on_wall.yaml"};
  TestRun      test    = {NsArenaCreate(), NULL, NULL};
  double       most = 0, first = -1, last = 0;

  (void)state;
  test.diag = NsDiagCreate(test.arena);
  CHECK(NsRunCreate(&options, test.arena, test.diag, &test.run));
  assert_int_equal(NsDiagErrors(test.diag), 0);
  CHECK(NsRunStart(test.run));
  const double step = NsRunTimeStep(test.run);
  while (test_runs(test.run)) {
    (void)test_step(test.run);
    const double force = force_of(&test);
    most               = PetscMax(most, force);
    if (force > 0) {
      first = first < 0 ? test.run->state.t : first;
      last  = test.run->state.t;
    }
  }
  assert_near((last - first + step) / 45.478e-6, 0.981, 0.006);
  assert_near(most / 5286.1, 1.0265, 0.006);
  test_run_close(&test);
}

/* The ball pressed by the force of that impact: Hertz's radius of contact, a^3 = 3 F R (1 - nu^2)/(4 E), lies between the last closed and the first open node. */
static void ball_is_pressed_on_a_wall(void **state)
{
  const double force = 5286.1, a = cbrt(3 * force * 0.01 * (1 - 0.09) / (4 * 210e9));
  char         text[2000];
  double       last = 0, first = 1, total = 0;

  (void)state;
  (void)snprintf(text, sizeof(text),
    "bodies:\n  ball: {type: solid, state: axisymmetric, formulation: b_bar, mass: redistributed, mesh: {file: " PERCUSS_SOURCE_DIR
    "/meshes/ball.msh, scale: 1 mm}, material: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
    "supports: {axis: {at: ball.axis, fix: x}}\nloads: {press: {at: ball.top, force: [0, -%g, 0]}}\n"
    "contacts: {wall: {between: [ball.contact, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n"
    "start: static\nscheme: {type: massless_contact, step: 7.5 ns}\ntime: {end: 75 ns}\n",
    force);
  TestRun     test = test_run_open(text, NULL);
  const NsFe *fe   = test.run->model->data;
  for (int step = 0; step < 5; step++) (void)test_step(test.run);
  for (PetscInt i = 0; i < test.run->model->candidates; i++) {
    const double r = fe->pair[i].point[0]->x[0], own = NsContactReports(test.run->contact)[i].force[0];
    total += own;
    if (own > 0)
      last = PetscMax(last, r);
    else
      first = PetscMin(first, r);
  }
  assert_near(total, force, 1e-6 * force);
  assert_true(last < 1.02 * a && first > 0.98 * a);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(ball_is_pressed_on_a_wall),
  cmocka_unit_test(held_bar_is_a_bar),
  cmocka_unit_test(bar_hits_a_wall),
  cmocka_unit_test(ball_hits_a_wall),
};
TEST_MAIN(tests)
