/* The configs with many contacts as they are shipped: what their headers say to expect. */
#include "support.h"
#include <math.h>

static TestRun open_config(const char *name, const char *const *set)
{
  static char text[65536];

  test_read_config(name, text, sizeof(text));
  return test_run_open(text, set);
}

/* Sums over all contacts of the last step. */
static void sum_reactions(const NsRun *run, PetscReal impulse[2], PetscInt *closed)
{
  const NsContactReport *report = NsContactReports(run->contact);

  impulse[0] = impulse[1] = 0;
  *closed                 = 0;
  for (PetscInt i = 0; i < run->model->candidates; i++) {
    impulse[0] += report[i].impulse[0];
    impulse[1] += hypot(report[i].impulse[1], report[i].impulse[2]);
    *closed += report[i].impulse[0] > 0;
  }
}

/* A fifth of the elements and steps twice as long: the figures are those of a rigid body, and do not depend on them. */
static void beam_drop(void **state)
{
  const char *const set[] = {"bodies.beam.mesh.line.elements=160", "scheme.step=0.2 ms", NULL};
  TestRun           test  = open_config("beam_drop.yaml", set);
  NsRun            *run   = test.run;
  const PetscReal   mass = 7800 * 0.02 * 0.01, g = 9.81, first = sqrt(2 * 5e-3 / g), h = run->step;
  PetscReal         hit = 0, impulse[2], end, all = 0;
  PetscInt          closed, hits = 0;

  (void)state;
  while (test_runs(run)) {
    end = run->state.t + h;
    (void)test_step(run);
    sum_reactions(run, impulse, &closed);
    all += impulse[0];
    if (closed && !hits++) {
      hit = end;
      assert_int_equal(closed, 161);
      assert_near(impulse[0], 1.5 * mass * g * end, 1.5 * mass * g * h);
    }
  }
  assert_near(hit, first, 2 * h);
  assert_near(all, mass * g * run->state.t, 1e-3 * mass * g * run->state.t);
  assert_near(run->ledger.impact, mass * g * 5e-3, 1e-3 * mass * g * 5e-3);
  test_run_close(&test);
}

/* A quarter of the cells in each direction: per node the same. */
static void lattice_slide(void **state)
{
  const char *const set[]      = {"bodies.plate.mesh.lattice.cells=[20, 1, 20]", "bodies.plate.mesh.lattice.to=[1, 51e-3, 1]", "time.end=1 ms", NULL};
  TestRun           test       = open_config("lattice_slide.yaml", set);
  NsRun            *run        = test.run;
  PetscReal         impulse[2] = {0, 0}, t = 0;
  PetscInt          closed = 0;

  (void)state;
  while (test_runs(run) && !closed) {
    t = run->state.t;
    (void)test_step(run);
    sum_reactions(run, impulse, &closed);
  }
  const NsContactReport *report = NsContactReports(run->contact);
  const PetscReal        v      = 1 + 9.81 * run->state.t;
  assert_near(t, 0.995e-3, 2e-6);
  assert_int_equal(closed, 441);
  assert_near(impulse[1], 0.3 * impulse[0], 1e-9 * impulse[0]);
  assert_near(run->ledger.impact, impulse[0] * v / 2, 1e-4 * run->ledger.impact);
  assert_near(run->ledger.friction, impulse[1] * (0.5 + 0.5 - 0.3 * v) / 2, 1e-4 * run->ledger.friction);
  for (PetscInt i = 0; i < closed; i++) {
    assert_int_equal(report[i].state, NS_SLIP);
    assert_near(hypot(report[i].velocity_after[1], report[i].velocity_after[2]), 0.5 - 0.3 * v, 1e-4);
  }
  test_run_close(&test);
}

/* The ground gives the momentum that gravity and the ball do not: impulses within the wall are equal and opposite. No energy is gained in the impact. */
static void wall_of_boxes(void **state)
{
  const PetscReal brick = 2000 * 0.2 * 0.1 * 0.1, ball = 7800 * 4 * PETSC_PI / 3 * pow(0.15, 3), mass = 144 * brick + ball;
  PetscReal       impulse[2] = {0, 0}, momentum[2] = {0, 0};

  (void)state;
  TestRun        test  = open_config("wall_of_boxes.yaml", NULL);
  NsRun         *run   = test.run;
  const NsModel *model = run->model;
  assert_near(model->mass_total, mass, 1e-9);
  assert_int_equal(model->unknowns, 3 * 145);
  for (int step = 1; step <= 12; step++) {
    (void)test_step(run);
    const NsContactReport *report = NsContactReports(run->contact);
    for (PetscInt i = 0; i < model->candidates; i++) {
      for (int d = 0; d < 2 && !model->candidate[i].slot; d++) impulse[d] += report[i].impulse[d];
    }
  }
  const PetscReal *v = NsVecRead(run->state.v);
  for (int b = 0; b < 145; b++) {
    momentum[0] += (b < 144 ? brick : ball) * v[3 * b + 1];
    momentum[1] += (b < 144 ? brick : ball) * v[3 * b];
  }
  CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
  assert_true(run->ledger.impact > 100);
  assert_near(run->ledger.numerical, 0, 1e-6);
  assert_near(momentum[0], impulse[0] - mass * 9.81 * run->state.t, 1e-8 * ball * 10);
  assert_near(momentum[1], ball * 10 - impulse[1], 1e-8 * ball * 10); /* the tangent of the ground is -x */
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(wall_of_boxes),
  cmocka_unit_test(beam_drop),
  cmocka_unit_test(lattice_slide),
};
TEST_MAIN(tests)
