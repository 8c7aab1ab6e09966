/*
  Two solids that touch: bars whose faces do not match against Saint-Venant and an independent implementation, a block that slides on a flexible base against the rigid block.
*/
#include "support.h"
#include <stdio.h>
#include "fe/model/fe.h"

#define STEEL "material: {density: 7800 kg/m^3, young: 210 GPa, poisson: %g}"

static double force_of(const TestRun *test, int direction)
{
  const NsContact *contact = test->run->contact;
  double           force   = 0;

  for (PetscInt i = 0; i < test->run->model->candidates; i++)
    force += NsContactReports(contact)[i].force[direction] + NsContactReports(contact)[i].impulse[direction] / NsRunTimeStep(test->run);
  return force;
}

/* Momentum of a body along an axis, over its mass; and the mean of the squares across it. */
static double velocity_of(const TestRun *test, int number, int axis)
{
  const NsFe     *fe   = test->run->model->data;
  const NsFeBody *body = &fe->body[number];
  double          sum = 0, mass = 0;
  Vec             p;

  CHECK(VecDuplicate(test->run->state.v, &p));
  CHECK(NsModelMult(test->run->model, 0, test->run->state.q, test->run->state.v, p));
  for (PetscInt i = body->first_node; i < body->first_node + body->mesh->nodes; i++) {
    const PetscInt unknown = NsFeNodeUnknowns(fe, i)[axis];
    if (unknown >= 0) sum += NsVecRead(p)[NsLayoutIndex(test->run->model->layout, unknown)];
  }
  for (PetscInt e = 0; e < body->mesh->elements; e++) mass += body->element->total_mass(body, &fe->element[body->first_element + e]);
  CHECK(VecDestroy(&p));
  return sum / mass;
}

/* ---- two bars ----------------------------------------------------------------------------------------------------------------------------------- */

/* Bar of 0.1 m at 0.1 m/s against one of 0.2 m at rest: force E A v/(2 c0) for 2 L/c0, then velocities 0 and v/2. */
static void check_bars(const char *mass, const char *scheme, double step, double mean_wanted, const double v[2])
{
  const double length = 0.1, c0 = sqrt(210e9 / 7800), tau = 210e9 * 4e-4 * 0.1 / (2 * c0);
  char         text[3000];
  double       sum = 0, end = 0;

  (void)snprintf(text, sizeof(text),
    "bodies:\n"
    "  one: {type: solid, state: plane_stress, thickness: 20 mm, " STEEL
    ", mesh: {box: {from: [-100.001 mm, 0, 0], to: [-1 um, 20 mm, 0], cells: [20, 3, 0]}}, mass: %s, initial: {velocity: [0.1 m/s, 0, 0]}}\n"
    "  two: {type: solid, state: plane_stress, thickness: 20 mm, " STEEL
    ", mesh: {box: {from: [0, 0, 0], to: [0.2 m, 20 mm, 0], cells: [40, 4, 0]}}, mass: %s}\n"
    "contacts: {joint: {between: [{surface: two.left}, {surface: one.right}]}}\n"
    "scheme: {type: %s, step: %.17g}\ntime: {end: 100 us}\n",
    0., mass, 0., mass, scheme, step);
  TestRun      test = test_run_open(text, NULL);
  const double from = 1e-5 + 0.2 * length / c0, to = 1e-5 + 1.8 * length / c0;
  double       count = 0;
  while (test_runs(test.run)) {
    (void)test_step(test.run);
    end = test.run->state.t;
    if (end < from || end > to) continue;
    sum += force_of(&test, 0) / tau;
    count++;
  }
  const double v1 = velocity_of(&test, 0, 0) / 0.1, v2 = velocity_of(&test, 1, 0) / 0.1;
  print_message("  %s: mean force %.6g of theory, v1 %.6g, v2 %.6g of v\n", scheme, sum / count, v1, v2);
  assert_near(sum / count, mean_wanted, 0.006);
  assert_near(v1, v[0], 0.004);
  assert_near(v2, v[1], 0.004);
  assert_near(velocity_of(&test, 0, 1), 0, 1e-11);
  test_run_close(&test);
}

static void bars_whose_faces_do_not_match(void **state)
{
  (void)state;
  check_bars("redistributed", "massless_contact", 3.840182493e-7, 0.9948, (const double[]){-0.01633, 0.50817});
  check_bars("lumped", "half_explicit", 3.854496447e-7, 1.0001, (const double[]){-0.00826, 0.50413});
}

/* ---- sliding block ------------------------------------------------------------------------------------------------------------------------------- */

/* A block 50 x 30 mm at 0.2 m/s, pressed by 1 MPa, mu = 0.3: rigid, it stops after 156 us and 15.6 um. */
static void block_slides_on_a_flexible_base(void **state)
{
  TestRun test;
  double  path = 0;
  char    text[2000];

  (void)state;
  (void)snprintf(text, sizeof(text),
    "bodies:\n"
    "  base: {type: solid, state: plane_strain, " STEEL
    ", mesh: {box: {from: [-0.1, -0.02, 0], to: [0.1, 0, 0], cells: [40, 4, 0]}}, mass: redistributed}\n"
    "  block: {type: solid, state: plane_strain, " STEEL
    ", mesh: {box: {from: [-0.025, 0, 0], to: [0.025, 0.03, 0], cells: [12, 6, 0]}}, mass: redistributed, initial: {velocity: [0.2 m/s, 0, 0]}}\n"
    "supports: {foot: {at: base.bottom}}\nloads: {press: {on: block.top, pressure: 1 MPa}}\n"
    "contacts: {joint: {between: [{surface: block.bottom}, {surface: base.top}], friction: 0.3}}\n"
    "start: static\nscheme: {type: massless_contact, step: 0.4 us}\ntime: {end: 250 us}\n",
    0.3, 0.3);
  test = test_run_open(text, NULL);
  assert_near(force_of(&test, 0), 0, 1e5); /* not reported before the first step */
  while (test_runs(test.run)) {
    const double before = velocity_of(&test, 1, 0), t = test.run->state.t;
    (void)test_step(test.run);
    path += (before + velocity_of(&test, 1, 0)) / 2 * (test.run->state.t - t);
  }
  print_message("  path %.6g m of 1.56e-5\n", path);
  assert_near(path / 1.56e-5, 1, 0.005);
  assert_near(test.run->ledger.friction / 0.234, 1, 0.01);
  test_run_close(&test);
}

/* The same block on a rigid plane, by two schemes. */
static void block_slides_on_a_rigid_plane(void **state)
{
  static const struct {
    const char *scheme, *mass;
    double      path, work;
  } wanted[] = {{"massless_contact, step: 0.4 us", "redistributed", 1.56662746e-05, 0.2326922867},
    {"half_explicit, step: 0.4 us", "lumped", 1.553483991e-05, 0.2312017187}};

  (void)state;
  for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
    char   text[2000];
    double path = 0;
    (void)snprintf(text, sizeof(text),
      "bodies:\n"
      "  block: {type: solid, state: plane_strain, " STEEL
      ", mesh: {box: {from: [-0.025, 0, 0], to: [0.025, 0.03, 0], cells: [12, 6, 0]}}, mass: %s, initial: {velocity: [0.2 m/s, 0, 0]}}\n"
      "loads: {press: {on: block.top, pressure: 1 MPa}}\n"
      "contacts: {floor: {between: [block.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.3}}\n"
      "start: static\nscheme: {type: %s}\ntime: {end: 250 us}\n",
      0.3, wanted[i].mass, wanted[i].scheme);
    TestRun test = test_run_open(text, NULL);
    while (test_runs(test.run)) {
      const double before = velocity_of(&test, 0, 0), t = test.run->state.t;
      (void)test_step(test.run);
      path += (before + velocity_of(&test, 0, 0)) / 2 * (test.run->state.t - t);
    }
    print_message("  %s: path %.6g m, work of friction %.6g J\n", wanted[i].scheme, path, test.run->ledger.friction);
    assert_near(path / wanted[i].path, 1, 0.006);
    assert_near(test.run->ledger.friction / wanted[i].work, 1, 0.01);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(bars_whose_faces_do_not_match),
  cmocka_unit_test(block_slides_on_a_flexible_base),
  cmocka_unit_test(block_slides_on_a_rigid_plane),
};
TEST_MAIN(tests)
