/*
  Rotor in a safety bearing (configs/rotor_in_safety_bearing.yaml), against an independent implementation and the figures of the paper.

  [A] T. Schindler, S. Rezaei, J. Kursawe, V. Acary: Half-explicit timestepping schemes on velocity level based on time-discontinuous
  Galerkin methods, 7.2, Table 6, Figs. 23-25.

  rotor_reference.csv holds 9 digits of the independent implementation: the state after the first step, and after the first step at or beyond each
  tenth of a millisecond to 20 ms. By then there have been 14 impacts, which amplify rounding, and the digits are still the same.
*/
#include <stdio.h>
#include "output/settings.h"
#include "support.h"
#include "scheme/trapezoidal.h"

#define DATA     PERCUSS_SOURCE_DIR "/tests/published/rotor_reference.csv"
#define CONFIG   PERCUSS_SOURCE_DIR "/configs/rotor_in_safety_bearing.yaml"
#define ROWS     201
#define COLUMNS  13
#define MOST_SET 8

enum { TIME, Y, Z, GAP, NORMAL, TANGENTIAL, SPIN, Y_DISC, Z_DISC, Y_HOUSING, Z_HOUSING, IMPULSIVE, SLIP };

/* The example with other settings: NULL-terminated `KEY=VALUE`. */
static TestRun open_rotor(const char *const *changes)
{
  const char *set[MOST_SET + 2] = {
    "output.orbits.stations={journal: {at: shaft.left, offset: [9.5 mm, 0, 0], relative_to: housing.center}, wheel: shaft.wheel, "
    "flywheel: shaft@180 mm}"};
  char         text[16384];
  FILE        *file = fopen(CONFIG, "r");
  const size_t size = file ? fread(text, 1, sizeof(text), file) : 0;

  assert_true(file && size < sizeof(text));
  fclose(file);
  text[size] = 0;
  for (int i = 0; changes && changes[i]; i++) set[1 + i] = changes[i];
  return test_run_open(text, set);
}

/* Where a run is looked at. */
typedef struct {
  NsStation journal, wheel, flywheel;
  NsProbe   housing;
} Places;

static Places find_places(const NsRun *run)
{
  const NsStationSettings *station = NsOrbitStations(run->config.output)->items;
  Places                   places;
  PetscBool                found[4];
  char                     why[256];

  assert_int_equal(NsOrbitStations(run->config.output)->count, 3);
  CHECK(run->model->view.station(run->model, &station[0], &places.journal, &found[0], why, sizeof(why)));
  CHECK(run->model->view.station(run->model, &station[1], &places.wheel, &found[1], why, sizeof(why)));
  CHECK(run->model->view.station(run->model, &station[2], &places.flywheel, &found[2], why, sizeof(why)));
  CHECK(run->model->view.probe(run->model, "housing.center", &places.housing, &found[3], why, sizeof(why)));
  assert_true(found[0] && found[1] && found[2] && found[3]);
  return places;
}

static PetscReal column(const NsProbe *probe, const char *name, const PetscScalar *q, const PetscScalar *v)
{
  for (PetscInt c = 0; c < probe->columns; c++) {
    if (!strcmp(probe->column[c].suffix, name)) return NsProbeColumnSum(&probe->column[c], 0, q, v);
  }
  fail_msg("no column %s", name);
  return 0;
}

/* A row like those of the reference; its forces are means over the step. */
static void make_row(const NsRun *run, const Places *places, const NsStepOutcome *outcome, PetscReal row[COLUMNS])
{
  static const PetscReal sign[2] = {1, -1}; /* the tangent of the reference goes the other way round */
  const NsContactReport *report  = NsContactReports(run->contact);
  const NsTrapezoidal   *scheme  = run->scheme->data;
  const PetscScalar     *q, *v;

  CHECK(VecGetArrayRead(run->state.q, &q));
  CHECK(VecGetArrayRead(run->state.v, &v));
  row[TIME] = run->state.t;
  for (int k = 0; k < 2; k++) {
    row[Y + k]      = NsProbeColumnSum(&places->journal.lateral[k], 0, q, v);
    row[Y_DISC + k] = NsProbeColumnSum(&places->wheel.lateral[k], 0, q, v);
    row[NORMAL + k] = 0;
    if (scheme->w0.rows) row[NORMAL + k] += sign[k] * scheme->P0[k] / (2 * run->step);
    if (scheme->w1.rows) row[NORMAL + k] += sign[k] * scheme->P1[k] / run->step;
  }
  row[GAP]       = report->gap;
  row[SPIN]      = NsProbeColumnSum(&places->wheel.angle_rate, 0, q, v);
  row[Y_HOUSING] = column(&places->housing, "uy", q, v);
  row[Z_HOUSING] = column(&places->housing, "uz", q, v);
  row[IMPULSIVE] = outcome->impulsive;
  row[SLIP]      = sign[1] * report->velocity_after[1];
  CHECK(VecRestoreArrayRead(run->state.q, &q));
  CHECK(VecRestoreArrayRead(run->state.v, &v));
}

static void read_reference(PetscReal row[ROWS][COLUMNS])
{
  FILE *file = fopen(DATA, "r");
  char  line[512];
  int   rows = 0;

  assert_true(file && fgets(line, sizeof(line), file));
  for (; fgets(line, sizeof(line), file); rows++) {
    char *at = line;
    assert_true(rows < ROWS);
    for (int c = 0; c < COLUMNS; c++, at++) row[rows][c] = strtod(at, &at);
  }
  fclose(file);
  assert_int_equal(rows, ROWS);
}

/* Half a unit of the last digit that is printed of the largest value in each column, and a little for rounding: s, m, N, rad/s, m/s. */
static const PetscReal digits[COLUMNS] = {1e-12, 6e-14, 6e-14, 6e-14, 6e-7, 6e-9, 6e-7, 6e-13, 6e-13, 6e-14, 6e-13, 0, 6e-9};

static void every_row_of_the_reference(void **state)
{
  static PetscReal reference[ROWS][COLUMNS];
  TestRun          test           = open_rotor((const char *[]){"time.end=20 ms", NULL});
  const Places     places         = find_places(test.run);
  PetscReal        worst[COLUMNS] = {0}, row[COLUMNS];

  (void)state;
  read_reference(reference);
  for (int i = 0; i < ROWS; i++) {
    NsStepOutcome outcome;
    do outcome = test_step(test.run);
    while (test.run->state.t < reference[i][TIME] - 1e-9);
    make_row(test.run, &places, &outcome, row);
    for (int c = 0; c < COLUMNS; c++) {
      const PetscReal off = PetscAbsReal(row[c] - reference[i][c]);
      if (!(off <= digits[c])) fail_msg("row %d, column %d: %.12g, not %.12g", i + 1, c + 1, row[c], reference[i][c]);
      worst[c] = PetscMax(worst[c], off);
    }
  }
  for (int c = 0; c < COLUMNS; c++) print_message("  column %d: off by %.2e\n", c + 1, worst[c]);
  test_run_close(&test);
}

/* Of the paper's example, the journal within the clearance in um; an independent implementation with small steps. */
static const PetscReal journal_at[4][2] = {{11.747, 2.764}, {49.470, 0.403}, {26.349, -9.060}, {-15.501, -37.470}}; /* at 1, 2, 3, 4 ms */

static void journal_before_the_first_contact(void **state)
{
  static const struct {
    const char *step;
    PetscReal   within; /* um: the error of the step, and the digits */
  } runs[] = {{"scheme.step=5 us", 0.15}, {"scheme.step=0.5 us", 0.002}};

  (void)state;
  for (size_t r = 0; r < sizeof(runs) / sizeof(runs[0]); r++) {
    TestRun      test   = open_rotor((const char *[]){runs[r].step, "time.end=4 ms", NULL});
    const Places places = find_places(test.run);
    for (int i = 0; i < 4; i++) {
      const PetscScalar *q;
      while (test.run->state.t < 1e-3 * (i + 1) - 1e-9) (void)test_step(test.run);
      CHECK(VecGetArrayRead(test.run->state.q, &q));
      for (int k = 0; k < 2; k++) assert_near(1e6 * NsProbeColumnSum(&places.journal.lateral[k], 0, q, NULL), journal_at[i][k], runs[r].within);
      CHECK(VecRestoreArrayRead(test.run->state.q, &q));
    }
    test_run_close(&test);
  }
}

/* Event-driven schemes: to the last digit, and the first contact at its time. Without friction, which is one of space here. */
static void event_driven_to_the_first_contact(void **state)
{
  static const char *const schemes[] = {"scheme={type: event_driven_hem5, step: 1 ms}", "scheme={type: event_driven_rkf45, step: 1 ms}"};

  (void)state;
  for (int s = 0; s < 2; s++) {
    for (int i = 1; i <= 5; i++) {
      char               until[32];
      const PetscScalar *q;
      PetscReal          first = 0;
      snprintf(until, sizeof(until), "time.end=%d ms", i);
      TestRun      test   = open_rotor((const char *[]){schemes[s], until, "contacts.rub.friction=0", NULL});
      const Places places = find_places(test.run);
      while (test_runs(test.run)) {
        const NsStepOutcome outcome = test_step(test.run);
        if (outcome.impulsive && first == 0) first = test.run->state.t;
      }
      CHECK(VecGetArrayRead(test.run->state.q, &q));
      for (int k = 0; k < 2 && i <= 4; k++) assert_near(1e6 * NsProbeColumnSum(&places.journal.lateral[k], 0, q, NULL), journal_at[i - 1][k], 6e-4);
      CHECK(VecRestoreArrayRead(test.run->state.q, &q));
      if (i == 5) print_message("  %s: %.9f ms\n", schemes[s], 1e3 * first);
      assert_true(i <= 4 ? first == 0 : PetscAbsReal(first - 4.882628e-3) < 1e-8);
      test_run_close(&test);
    }
  }
}

/* What a whole run shows. */
typedef struct {
  PetscReal  first_contact, first_angle; /* s, degrees from e2 towards e3 */
  PetscReal  spin_at_50_ms, spin_at_end; /* rad/s, at 236 mm */
  PetscReal  flywheel_at_50_ms;          /* rad/s, at 180 mm */
  PetscReal  whirl, spin;                /* rad/s, means over the last fifth of the time */
  PetscReal  contact_share;              /* of the time */
  PetscReal  penetration;                /* m */
  PetscReal  numerical;                  /* J: most that the ledger leaves to the scheme */
  PetscInt64 steps, short_steps, impulsive_steps;
} Figures;

static Figures run_rotor(const char *const *changes)
{
  TestRun         test   = open_rotor(changes);
  NsRun          *run    = test.run;
  const Places    places = find_places(run);
  const PetscReal end = run->config.time->end, late = 0.8 * end;
  PetscReal       before[2] = {0}, late_start = 0, spun = 0;
  Figures         f = {.spin_at_50_ms = NAN};

  while (run->state.t < end - 1e-6 * run->step) {
    const PetscReal        t0      = run->state.t;
    const NsStepOutcome    outcome = test_step(run);
    const PetscReal        t = run->state.t, dt = t - t0;
    const NsContactReport *report = NsContactReports(run->contact);
    const PetscScalar     *q, *v;
    PetscReal              now[2], spin, flywheel;
    CHECK(VecGetArrayRead(run->state.q, &q));
    CHECK(VecGetArrayRead(run->state.v, &v));
    for (int k = 0; k < 2; k++) now[k] = NsProbeColumnSum(&places.journal.lateral[k], 0, q, v);
    spin     = NsProbeColumnSum(&places.wheel.angle_rate, 0, q, v);
    flywheel = NsProbeColumnSum(&places.flywheel.angle_rate, 0, q, v);
    CHECK(VecRestoreArrayRead(run->state.q, &q));
    CHECK(VecRestoreArrayRead(run->state.v, &v));
    f.steps++;
    f.short_steps += dt < run->step / 2;
    f.impulsive_steps += outcome.impulsive ? 1 : 0;
    f.contact_share += report->state == NS_OPEN ? 0 : dt / end;
    f.penetration = PetscMax(f.penetration, -report->gap);
    f.spin_at_end = spin;
    if (f.first_contact == 0 && report->state != NS_OPEN) {
      f.first_contact = t;
      f.first_angle   = PetscAtan2Real(now[1], now[0]) * 180 / PETSC_PI;
    }
    if (PetscIsNanReal(f.spin_at_50_ms) && t >= 0.05 - 1e-9) {
      f.spin_at_50_ms     = spin;
      f.flywheel_at_50_ms = flywheel;
    }
    if (t0 >= late) { /* less than half a turn a step: the angle from state to state */
      f.whirl += PetscAtan2Real(before[0] * now[1] - before[1] * now[0], before[0] * now[0] + before[1] * now[1]);
      spun += dt * spin;
    } else {
      late_start = t;
    }
    before[0] = now[0];
    before[1] = now[1];
    if (f.steps % 100 == 0) CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
  }
  CHECK(NsLedgerClose(&run->ledger, run->model, &run->state));
  f.whirl /= run->state.t - late_start;
  f.spin      = spun / (run->state.t - late_start);
  f.numerical = run->ledger.numerical_max;
  test_run_close(&test);
  print_message("  first contact %.4f ms at %.2f deg; spin %.3f at 50 ms, %.3f at the end; whirl %.3f, spin %.3f in the last fifth\n"
                "  short steps %.3f %%, impulsive %.3f %%; ",
    1e3 * f.first_contact, f.first_angle, f.spin_at_50_ms, f.spin_at_end, f.whirl, f.spin, 100.0 * (double)f.short_steps / (double)f.steps,
    100.0 * (double)f.impulsive_steps / (double)f.steps);
  print_message("in contact %.2f %% of the time, penetration %.3g m, numerical energy %.2e J\n", 100 * f.contact_share, f.penetration, f.numerical);
  return f;
}

/* [A]: 1.3 % of the steps are impulsive, which counts short ones; contact during 80 % of the time; the moment that turns makes it whirl forward. */
static void half_a_second(void **state)
{
  const Figures f = run_rotor(NULL);

  (void)state;
  assert_near(f.first_contact, 4.8825e-3, 1e-9);
  assert_near(f.first_angle, -130.98, 0.01);
  /* 0.379 from the limit of short steps (below): the drive ends then, and the spin falls by 0.39 rad/s in a microsecond */
  assert_near(f.spin_at_50_ms, 479.556, 0.005);
  assert_near(f.flywheel_at_50_ms, 478.59, 0.1); /* the twist swings */
  assert_near(f.spin_at_end, 298.53, 0.05);
  assert_near(100.0 * (double)f.short_steps / (double)f.steps, 1.2, 0.15);
  assert_near(100.0 * (double)f.impulsive_steps / (double)f.steps, 0.23, 0.05);
  assert_near(100 * f.contact_share, 80, 2);
  assert_true(f.penetration > 0 && f.penetration < 1e-7);
  assert_near(f.whirl / f.spin, 1, 0.05);
  assert_true(f.numerical < 0.01); /* of 1208 J */
}

/*
  The spin when the drive ends, in the limit of short steps, from pairs of constant steps by h^1. That a load acts with its mean makes it regular: 5, 2.5, 1 and 0.5 us give 479.177 by any pair. Steps that
  take the load at their ends depend on the rounding of the instant at which it ends: 479.181, 479.318, 479.234 for 5, 2.5, 1 us.
*/
static void spin_in_the_limit(void **state)
{
  static const char *const step[] = {
    "scheme={type: half_explicit, step: 5 us}", "scheme={type: half_explicit, step: 2.5 us}", "scheme={type: half_explicit, step: 1 us}"};
  PetscReal spin[3];

  (void)state;
  for (int i = 0; i < 3; i++) spin[i] = run_rotor((const char *[]){step[i], "time.end=50 ms", NULL}).spin_at_50_ms;
  assert_near(2 * spin[1] - spin[0], 479.177, 0.002);
  assert_near((2.5 * spin[2] - spin[1]) / 1.5, 479.177, 0.002);
}

/* A moment fixed in space bends the shaft one way: no whirl. */
static void moment_fixed_in_space(void **state)
{
  const Figures f = run_rotor((const char *[]){"loads.failure.rotating=false", NULL});

  (void)state;
  assert_true(PetscAbsReal(f.whirl) < 1);
  assert_near(f.spin, 314.85, 0.1);
  assert_near(f.spin_at_end, 298.628, 0.002);
  assert_true(f.penetration < 1e-7);
}

/* The same of constant steps: the impulse of the drive is exact, and with it the spin that is left half a second later, whatever the step. */
static void impulse_of_the_drive(void **state)
{
  const Figures coarse = run_rotor((const char *[]){"scheme={type: half_explicit, step: 5 us}", "loads.failure.rotating=false", NULL}),
                fine   = run_rotor((const char *[]){"scheme={type: half_explicit, step: 2.5 us}", "loads.failure.rotating=false", NULL});

  (void)state;
  assert_near(fine.spin_at_end, coarse.spin_at_end, 1e-5);
  assert_near(fine.spin_at_end, 298.62919, 1e-4);
}

/* Friction slows the shaft by 0.24 rad/s in half a second. */
static void without_friction(void **state)
{
  const Figures f = run_rotor((const char *[]){"contacts.rub.friction=0", NULL});

  (void)state;
  assert_near(f.spin_at_end, 298.776, 0.01);
  assert_near(f.whirl / f.spin, 1, 0.05);
}

/* Every step as long as the others: the first contact is found a step later, the rest hardly differs. */
static void one_step_size(void **state)
{
  const Figures f = run_rotor((const char *[]){"scheme={type: half_explicit, step: 5 us}", NULL});

  (void)state;
  assert_near(f.first_contact, 4.885e-3, 1e-9);
  assert_near(f.first_angle, -131.01, 0.01);
  assert_near(f.spin_at_end, 298.53, 0.05);
  assert_int_equal(f.short_steps, 0);
  assert_near(f.penetration, 5.35e-7, 1e-7); /* 14 times that of short steps at impacts */
}

/* Twice as many elements, and an implicit scheme above the step limit of explicit ones: when and where they touch first does not depend on them. */
static void finer_mesh(void **state)
{
  static const char *const schemes[] = {
    "scheme={type: half_explicit_two_step, step: 2.5 us, decide: once}", "scheme={type: ggl_unified, step: 5 us}"};

  (void)state;
  for (int i = 0; i < 2; i++) {
    const Figures f = run_rotor((const char *[]){"bodies.shaft.mesh.line.elements=10", schemes[i], "time.end=50 ms", NULL});
    assert_near(f.first_contact, 4.875e-3, 10e-6);
    assert_near(f.first_angle, -131.2, 0.4);
    assert_near(f.flywheel_at_50_ms, 478.5, 0.2);
  }
}

/* At five times the explicit limit an impact turns the normal so far that each iteration leaves up to two thirds of the previous change: sixty reduce it to 1e-10, which is
   sufficient, but not to rounding. */
static void slow_convergence(void **state)
{
  static const char *const rub =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  shaft:\n"
    "    type: rotor\n"
    "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
    "    material: {density: 7850, young: 210 GPa, poisson: 0.3}\n"
    "    section: {circle: {radius: 15 mm}}\n"
    "    spin: 3000 rpm\n"
    "discs: {disc: {at: shaft.right, shape: {outer_radius: 100 mm, thickness: 20 mm, density: 7850}}}\n"
    "unbalances: {disc: {at: shaft.right, mass_eccentricity: 1e-3}}\n"
    "bearings:\n"
    "  left: {between: [shaft.left, ground], stiffness: 2 MN/m, damping: 300, rotational_stiffness: 1e4}\n"
    "  right: {between: [shaft.right, ground], stiffness: 1 MN/m, damping: 100}\n"
    "contacts:\n"
    "  catch:\n"
    "    between: [{node: shaft.right, radius: 15 mm}, {cylinder: {center: [1, 0, 0], axis: [1, 0, 0], radius: 15.05 mm, side: inside}}]\n"
    "    friction: 0.1\n"
    "    restitution: 0.5\n"
    "scheme: {type: generalised_alpha, step: 0.964785 ms}\n"
    "time: {end: 50 ms}\n";
  static const char *const schemes[] = {"scheme.type=generalised_alpha", "scheme.type=generalised_alpha_velocity", "scheme.type=implicit_split"};

  (void)state;
  for (int i = 0; i < 3; i++) {
    TestRun test = test_run_open(rub, (const char *[]){schemes[i], NULL});
    while (test_runs(test.run)) test_step(test.run);
    test_run_close(&test);
  }
}

/* A step that is far too long says so, and a short one can be done after it. */
static void iterations_that_diverge(void **state)
{
  static const char *const rub =
    "bodies:\n"
    "  shaft:\n"
    "    type: rotor\n"
    "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
    "    material: {density: 7850, young: 210 GPa, poisson: 0.3}\n"
    "    section: {circle: {radius: 15 mm}}\n"
    "    damping: {rayleigh: {mass: 5 1/s, stiffness: 1 us}}\n"
    "    spin: {free: 2000 rpm}\n"
    "discs: {disc: {at: shaft.right, shape: {outer_radius: 100 mm, thickness: 20 mm, density: 7850}}}\n"
    "unbalances: {disc: {at: shaft.right, mass_eccentricity: 1e-3}}\n"
    "bearings:\n"
    "  left: {between: [shaft.left, ground], stiffness: 2 MN/m, damping: 300, rotational_stiffness: 1e4}\n"
    "  right: {between: [shaft.right, ground], stiffness: 1 MN/m, damping: 100}\n"
    "loads: {brake: {at: shaft.left, moment: [-20, 0, 0]}}\n"
    "contacts:\n"
    "  catch:\n"
    "    between: [{node: shaft.right, radius: 15 mm}, {cylinder: {center: [1, 0, 0], axis: [1, 0, 0], radius: 15.05 mm, side: inside}}]\n"
    "    restitution: 0.5\n"
    "scheme: {type: generalised_alpha_velocity, step: 2.5 ms}\n"
    "time: {end: 50 ms}\n";
  TestRun       test    = test_run_open(rub, NULL);
  NsStepOutcome outcome = {.done = PETSC_TRUE};

  (void)state;
  for (int i = 0; i < 20 && outcome.done; i++) CHECK(NsSchemeStep(test.run->scheme, &test.run->state, test.run->step, &outcome));
  assert_false(outcome.done);
  assert_string_equal(outcome.reason, "Newton's method diverges; a shorter step may help");
  CHECK(NsSchemeStep(test.run->scheme, &test.run->state, 1e-5, &outcome));
  assert_true(outcome.done);
  CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
  assert_true(test.run->ledger.numerical < PETSC_INFINITY);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(every_row_of_the_reference),
  cmocka_unit_test(journal_before_the_first_contact),
  cmocka_unit_test(event_driven_to_the_first_contact),
  cmocka_unit_test(half_a_second),
  cmocka_unit_test(spin_in_the_limit),
  cmocka_unit_test(moment_fixed_in_space),
  cmocka_unit_test(impulse_of_the_drive),
  cmocka_unit_test(without_friction),
  cmocka_unit_test(one_step_size),
  cmocka_unit_test(finer_mesh),
  cmocka_unit_test(slow_convergence),
  cmocka_unit_test(iterations_that_diverge),
};
TEST_MAIN(tests)
