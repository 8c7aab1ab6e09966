/*
  One suite over every registered scheme on finite elements: order in free flight, step limit, penetration, energy at impacts, friction. What each has to keep
  stands in promises.h.
*/
#include "promises.h"

/* A clamped bar pulled by a smooth force, 1 - cos: nothing but time discretisation is to be seen. */
static const char *const pulled_bar = "bodies:\n"
                                      "  bar:\n"
                                      "    type: bar\n"
                                      "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 8}}\n"
                                      "    material: {density: 8000, young: 200 GPa}\n"
                                      "    section: {area: 1 cm^2}\n"
                                      "supports: {clamp: {at: bar.left}}\n"
                                      "loads:\n"
                                      "  mean: {at: bar.right, force: [500, 0, 0]}\n"
                                      "  wave: {at: bar.right, force: [500, 0, 0], time: {harmonic: {frequency: 5000 rad/s, phase: -90 deg}}}\n"
                                      "scheme: {type: half_explicit, step: 1 us}\n"
                                      "time: {end: 1 ms}\n";

/* Two slow modes that a load sets off at once: from rest, without a force at first, a scheme that is late or early by half a step would pass for one of second order. */
static const char *const plucked_bar = "bodies:\n"
                                       "  bar:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 2}}\n"
                                       "    material: {density: 8000, young: 200 GPa}\n"
                                       "    section: {area: 1 cm^2}\n"
                                       "supports: {clamp: {at: bar.left}}\n"
                                       "loads:\n"
                                       "  mean: {at: bar.right, force: [500, 0, 0]}\n"
                                       "  wave: {at: bar.right, force: [500, 0, 0], time: {harmonic: {frequency: 5000 rad/s}}}\n"
                                       "scheme: {type: half_explicit, step: 1 us}\n"
                                       "time: {end: 1 ms}\n";

/* A bar that hits a wall. */
static const char *const hitting_bar = "bodies:\n"
                                       "  bar:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [10.5 um, 0, 0], to: [1.0000105, 0, 0], elements: 20}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {area: 3 cm^2}\n"
                                       "    initial: {velocity: [-0.1, 0, 0]}\n"
                                       "contacts:\n"
                                       "  wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}], restitution: 0}\n"
                                       "scheme: {type: half_explicit, step: 1 us}\n"
                                       "time: {end: 1 ms}\n";

/* Everything that does work: springs, dashpots, Rayleigh damping, gravity, loads, restitution, friction in the plane. */
static const char *const busy_truss =
  "gravity: [0, -9.81, 0]\n"
  "bodies:\n"
  "  frame:\n"
  "    type: truss\n"
  "    dimension: 2\n"
  "    mesh: {line: {from: [0, 1 mm, 0], to: [0.4, 0.3, 0], elements: 4}}\n"
  "    material: {density: 2700, young: 7 GPa}\n"
  "    section: {area: 2 cm^2}\n"
  "    damping: {rayleigh: {mass: 3 1/s, stiffness: 1 us}}\n"
  "    initial: {velocity: [0.5, -1, 0]}\n"
  "masses: {tip: {at: frame.right, mass: 0.1}}\n"
  "springs:\n"
  "  hold: {between: [frame.right, ground], stiffness: 2000, damping: 5, direction: [0, 1, 0]}\n"
  "loads: {push: {at: frame.left, force: [0, -20, 0], time: {pulse: {duration: 5 ms}}}}\n"
  "contacts:\n"
  "  floor: {between: [frame.left, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: 0.4, friction: 0.3}\n"
  "scheme: {type: half_explicit, step: 10 us}\n"
  "time: {end: 20 ms}\n";

/* A block: one element lying on a floor, both ends in contact, pushed along. */
static const char *const sliding_block = "gravity: [0, -10, 0]\n"
                                         "bodies:\n"
                                         "  block:\n"
                                         "    type: truss\n"
                                         "    dimension: 2\n"
                                         "    mesh: {line: {from: [0, 0, 0], to: [0.1, 0, 0], elements: 1}}\n"
                                         "    material: {density: 1000, young: 1 GPa}\n"
                                         "    section: {area: 10 cm^2}\n"
                                         "    initial: {velocity: [1, 0, 0]}\n"
                                         "contacts:\n"
                                         "  floor: {between: [block.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], friction: 0.2}\n"
                                         "scheme: {type: half_explicit, step: 20 us}\n"
                                         "time: {end: 0.6}\n";

static void every_scheme_promises_something(void **state)
{
  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    PetscBool found       = PETSC_FALSE;
    EACH_PROMISE(p) found = found || promise_type(p) == *type;
    if (!found) fail_msg("scheme '%s' has no line in tests/conformance/promises.h", (*type)->variant.name);
  }
  EACH_PROMISE(p) assert_non_null(promise_type(p));
}

/* Whether docs/theory has the scheme's equations where its sheet says. */
static PetscBool theory_has_section(const NsSchemeType *type)
{
  char      path[512], line[512], heading[128];
  FILE     *page;
  PetscBool found = PETSC_FALSE;

  snprintf(path, sizeof(path), "%s/docs/theory/%s.md", PERCUSS_SOURCE_DIR, type->sheet.theory);
  snprintf(heading, sizeof(heading), "### `%s`", type->variant.name);
  page = fopen(path, "r");
  if (!page) fail_msg("no page %s", path);
  while (!found && fgets(line, sizeof(line), page)) found = !strncmp(line, heading, strlen(heading));
  fclose(page);
  return found;
}

/* What `explain` prints of each: what it does, energy, critical time step, reference, and where its equations are. */
static void every_scheme_has_its_page(void **state)
{
  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    const NsSchemeSheet *sheet   = &(*type)->sheet;
    const char *const    parts[] = {
         (*type)->variant.about, sheet->level, sheet->energy, sheet->cited, sheet->step_limit, sheet->theory, sheet->reference};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
      if (!parts[i] || !*parts[i]) fail_msg("the page of '%s' is not complete", (*type)->variant.name);
    }
    if (!theory_has_section(*type)) fail_msg("docs/theory/%s.md has no section of '%s'", sheet->theory, (*type)->variant.name);
  }
}

/* The order of `explain schemes` is the one promised, and tested, without options: the first line of each scheme. */
static void every_scheme_states_its_order(void **state)
{
  (void)state;
  for (const NsSchemeType *const *type = NsSchemeTypes; *type; type++) {
    const Promise *p = promises;
    while (p < promises + NS_PROMISES && (promise_type(p) != *type || *p->option)) p++;
    if (p == promises + NS_PROMISES) fail_msg("scheme '%s' promises nothing without options", (*type)->variant.name);
    if ((*type)->sheet.order != p->order)
      fail_msg("scheme '%s' has order %d on its sheet and promises %d", p->scheme, (*type)->sheet.order, p->order);
  }
}

/* Position at the end of the plucked bar's run; of schemes of high order, whose errors there are soon rounding, of the pulled bar's. */
static void end_position(const Promise *promise, PetscReal step, const char *extra, PetscReal q[8])
{
  TestRun            test = promise_open(promise->order > 2 ? pulled_bar : plucked_bar, promise, step, extra);
  const PetscScalar *value;

  while (test_runs(test.run)) test_step(test.run);
  CHECK(VecGetArrayRead(test.run->state.q, &value));
  for (PetscInt i = 0; i < 8; i++) q[i] = i < test.run->model->unknowns ? value[i] : 0;
  CHECK(VecRestoreArrayRead(test.run->state.q, &value));
  test_run_close(&test);
}

static PetscReal observed_order(const Promise *promise, const char *extra)
{
  PetscReal q[3][8], coarse = 0, fine = 0;

  /* of an exact flight nothing but the load over time has an error */
  const PetscReal step = promise_gives(promise) ? 2e-5 : promise->order > 2 ? 1e-6 : promise->order == 2 ? 0.5e-6 : 0.2e-6;
  for (int k = 0; k < 3; k++) end_position(promise, step / (1 << k), extra, q[k]);
  for (int i = 0; i < 8; i++) {
    coarse += PetscSqr(q[0][i] - q[1][i]);
    fine += PetscSqr(q[1][i] - q[2][i]);
  }
  return PetscLog2Real(PetscSqrtReal(coarse / fine));
}

static void free_flight_has_its_order(void **state)
{
  (void)state;
  EACH_PROMISE(p)
  {
    if (!p->bodies || promise_adapts(p)) continue;
    const PetscReal order = observed_order(p, "");
    print_message("  %s %s: %.3f\n", p->scheme, p->option, order);
    if (!(PetscAbsReal(order - p->order) <= 0.1)) fail_msg("free flight has the order %.3f, and %d is promised", order, p->order);
  }
}

/* With dampers the trapezoidal and the implicit schemes stay second order. */
static void damped_flight_of_second_order(void **state)
{
  static const char *const names[] = {"half_explicit", "half_explicit_two_step", "half_explicit_acceleration", "massless_contact",
    "explicit_velocity", "moreau_jean", "ggl_unified", "variational"};

  (void)state;
  EACH_PROMISE(p)
  {
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      if (p->order == 2 && !strcmp(p->scheme, names[i]))
        assert_near(observed_order(p, "bodies.bar.damping={rayleigh: {mass: 200 1/s, stiffness: 0.2 us}}"), 2, 0.1);
    }
  }
}

/* Growth of the velocity over many steps of free vibration at `factor` times the limit. */
static PetscBool grows(const Promise *promise, const char *extra, PetscReal factor)
{
  TestRun   test = promise_open(pulled_bar, promise, 1e-6, extra);
  PetscReal limit, norm;
  PetscBool result;

  CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
  limit = test.run->stability.step_limit;
  test_run_close(&test);
  assert_true(limit < PETSC_MAX_REAL);
  test = promise_open(pulled_bar, promise, factor * limit, extra);
  for (int i = 0; i < 4000; i++) test_step(test.run);
  CHECK(VecNorm(test.run->state.v, NORM_2, &norm));
  result = norm < 1e3 ? PETSC_FALSE : PETSC_TRUE; /* a stable one moves at 0.1 m/s */
  test_run_close(&test);
  return result;
}

static void step_limit_is_where_it_says(void **state)
{
  const char *const damped = "bodies.bar.damping={rayleigh: {mass: 0, stiffness: 2 us}}";

  (void)state;
  EACH_PROMISE(p)
  {
    if (!p->bodies || p->stability != LIMITED || *p->option) continue; /* options do not touch free flight */
    promise_print(p);
    assert_false(grows(p, "", 0.99));
    assert_true(grows(p, "", 1.01));
    assert_false(grows(p, damped, 0.99));
    assert_true(grows(p, damped, 1.01));
  }
}

/* Whatever the longest step is. */
static void bounded_schemes_keep_below_their_limit(void **state)
{
  const char *const damped = "bodies.bar.damping={rayleigh: {mass: 0, stiffness: 2 us}}";

  (void)state;
  EACH_PROMISE(p)
  {
    if (p->stability != BOUNDED) continue;
    promise_print(p);
    for (int k = 0; k < 2; k++) {
      const char *const extra = k ? damped : "";
      TestRun           test  = promise_open(pulled_bar, p, 1e-3, extra);
      const PetscReal   limit = test.run->scheme->step_limit;
      assert_true(limit > 1e-6 && limit < 1e-4);
      test_run_close(&test);
      assert_false(grows(p, extra, 100));
    }
  }
}

static void implicit_schemes_have_no_limit(void **state)
{
  const Promise explicit_theta = {"moreau_jean", "scheme.theta=0.4"};

  (void)state;
  EACH_PROMISE(p)
  {
    if (p->stability != UNLIMITED) continue;
    TestRun test = promise_open(pulled_bar, p, 1e-3, "");
    CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
    assert_true(test.run->stability.step_limit == PETSC_MAX_REAL);
    test_run_close(&test);
  }
  TestRun test = promise_open(pulled_bar, &explicit_theta, 1e-6, "");
  CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
  assert_true(test.run->stability.step_limit < 1e-4);
  test_run_close(&test);
}

/* Explicit Euler: no step without damping; a limit for some damping holds for less of it, so that there is none with damping, either. */
static void unstable_schemes_say_so(void **state)
{
  (void)state;
  EACH_PROMISE(p)
  {
    if (p->stability != NEVER_STABLE) continue;
    TestRun test = promise_open(pulled_bar, p, 1e-6, "");
    CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
    assert_true(test.run->stability.step_limit == 0);
    test_run_close(&test);
  }
}

/* A mode may have the highest frequency without the highest damping: a limit for some damping holds for less of it. */
static void step_limit_never_grows_with_damping(void **state)
{
  (void)state;
  EACH_PROMISE(p)
  {
    if (!p->bodies) continue;
    TestRun   test = promise_open(pulled_bar, p, 1e-6, "");
    PetscReal last = PETSC_MAX_REAL;
    for (int i = 0; i <= 40; i++) {
      const PetscReal limit = NsSchemeStepLimit(test.run->scheme->type, test.run->scheme->settings, 1, 0.05 * i);
      assert_true(limit <= last * (1 + 1e-3)); /* sampled over damping ratios */
      last = limit;
    }
    test_run_close(&test);
  }
}

/* A slow mode of a fast rotor, whose amplitude one step multiplies by a power of gyroscopic rate over frequency: the limit is finite, and what is said to grow does. */
static void growth_limit_of_slow_modes_of_fast_rotors(void **state)
{
  const NsStabilityMode mode = {.omega = 0.05, .gyroscopic_rate = 15000};

  (void)state;
  EACH_PROMISE(p)
  {
    if (!p->bodies) continue;
    TestRun             test     = promise_open(pulled_bar, p, 1e-6, "");
    const NsSchemeType *type     = test.run->scheme->type;
    const void         *settings = test.run->scheme->settings;
    const PetscReal     limit    = NsSchemeGrowthLimit(type, settings, &mode, 20);
    assert_true(limit > 0);
    if (limit < PETSC_MAX_REAL) {
      assert_false(NsSchemeGrows(type, settings, &mode, 20, 0.9 * limit));
      assert_true(NsSchemeGrows(type, settings, &mode, 20, 1.1 * limit));
    }
    test_run_close(&test);
  }
}

/* Undamped: 2/omega_max, whatever the explicit scheme; omega_max of the bound is exact for a uniform bar. */
static void step_limit_of_explicit_schemes(void **state)
{
  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->bodies || (p->stability != LIMITED && p->stability != BOUNDED)) continue;
    TestRun test = promise_open(hitting_bar, p, 1e-6, "");
    CHECK(NsRunCheckStep(test.run, PETSC_FALSE));
    const PetscReal limit = 0.05 / (PetscSqrtReal(3) * PetscSqrtReal(210e9 / 7800));
    assert_false(test.run->stability.exact);
    assert_near(test.run->stability.step_limit, limit, 1e-6 * limit);
    CHECK(NsRunCheckStep(test.run, PETSC_TRUE));
    assert_true(test.run->stability.exact);
    assert_near(test.run->stability.step_limit, limit, 1e-5 * limit);
    test_run_close(&test);
  }
}

/* The documented bound of each scheme, over steps of incommensurable length; 0: rounding, against the way of a step. */
static void penetration_stays_below_its_bound(void **state)
{
  (void)state;
  EACH_PROMISE(p)
  {
    if (!p->bodies || p->penetration < 0) continue;
    promise_print(p);
    for (int k = 0; k < 7; k++) {
      const PetscReal step = 1e-6 * (1 + 0.137 * k);
      TestRun         test = promise_open(hitting_bar, p, step, "");
      for (PetscInt64 i = 0; test_runs(test.run); i++) {
        test_step(test.run);
        assert_true(-NsContactReports(test.run->contact)[0].gap <= PetscMax(p->penetration, 1e-6) * step * 0.1 * (1 + 1e-9));
      }
      test_run_close(&test);
    }
  }
}

/*
  Forces and impulses apart: each impact alone takes energy. The percussion schemes apply Newton's law in lasting contact too, u1 = -e u0 also for u0 > 0, which
  gives back a little of what it took a step before (0 < e < 1): their sum must be a loss. Schatzman-Paoli's law on positions
  errs by O(dt) at each of a hundred impacts (e = 1), either way.
*/
static void impacts_never_add_energy(void **state)
{
  static const char *const restitutions[] = {"contacts.wall.restitution=0", "contacts.wall.restitution=0.5", "contacts.wall.restitution=1"};

  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->bodies) continue;
    promise_print(p);
    for (int e = 0; e < (promise_gives(p) ? 1 : 3); e++) {
      TestRun   test = promise_open(hitting_bar, p, 0.5e-6, restitutions[e]);
      NsLedger *l    = &test.run->ledger;
      for (PetscInt64 i = 0; test_runs(test.run); i++) {
        const PetscReal before = l->impact;
        test_step(test.run);
        if (!strncmp(p->scheme, "half_explicit", 13)) assert_true(l->impact >= before - 1e-15 * l->initial); /* e = 1: rounding */
      }
      CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
      assert_true(l->impact >= -PetscMax(p->gain, 1e-15) * l->initial);
      if (l->now.kinetic + l->now.elastic > l->initial * 1.03)
        fail_msg("the energy grew by %g of itself", (l->now.kinetic + l->now.elastic) / l->initial - 1);
      test_run_close(&test);
    }
  }
}

/* Implicit midpoint rule: every joule is accounted for, whatever does work; where positions are not projected. */
static void midpoint_ledger_closes_to_rounding(void **state)
{
  static const Promise midpoint[] = {{"moreau_jean", ""}, {"ggl_unified", "scheme.project=none"}};

  (void)state;
  for (int k = 0; k < 2; k++) {
    TestRun   test = promise_open(busy_truss, &midpoint[k], 1e-5, "");
    NsLedger *l    = &test.run->ledger;
    promise_print(&midpoint[k]);
    for (PetscInt64 i = 0; test_runs(test.run); i++) {
      test_step(test.run);
      CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
    }
    assert_true(l->impact > 1e-3 && l->friction > 1e-4 && l->damping > 1e-4 && PetscAbsReal(l->load) > 1e-4); /* each took part */
    assert_true(l->numerical_max < 1e-12 * l->initial);
    test_run_close(&test);
    test = promise_open(hitting_bar, &midpoint[k], 1e-7, "");
    l    = &test.run->ledger;
    for (PetscInt64 i = 0; test_runs(test.run); i++) {
      test_step(test.run);
      if (i % 50 == 0) CHECK(NsLedgerClose(l, test.run->model, &test.run->state));
    }
    assert_true(l->numerical_max < 1e-12 * l->initial);
    test_run_close(&test);
  }
}

/* The others: what is left over is small and falls with the step. */
static void ledger_of_every_scheme_converges(void **state)
{
  (void)state;
  EACH_WITH_MASS(p)
  {
    PetscReal error[2];
    if (!p->bodies || !p->friction || p->rest < 0 || strstr(p->option, "always"))
      continue; /* always: forces swallow impacts, and that is the scheme's */
    for (int k = 0; k < 2; k++) {
      TestRun test = promise_open(busy_truss, p, k ? 1e-6 : 4e-6, "");
      while (test_runs(test.run)) test_step(test.run);
      CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
      error[k] = PetscAbsReal(test.run->ledger.numerical) / test.run->ledger.initial;
      test_run_close(&test);
    }
    print_message("  %s %s: %g, %g\n", p->scheme, p->option, error[0], error[1]);
    assert_true(error[0] < (promise_meets(p) ? 1e-4 : p->order == 1 ? 0.02 : 1e-3));
    if (promise_adapts(p)) continue;                                                 /* its steps do not follow `step` */
    if (strcmp(p->scheme, "ggl_decoupled") && strcmp(p->scheme, "projection_naive")) /* projecting positions does work of its own, as these two say */
      assert_true(error[1] < 0.55 * error[0] || error[0] < 1e-12);
  }
}

/* v0 = 1 m/s, mu = 0.2, g = 10: stops after 0.5 s and 0.25 m, then stays; the floor carries m g. */
static void block_slides_to_rest(void **state)
{
  (void)state;
  EACH_WITH_MASS(p)
  {
    PetscReal          speed;
    NsProbe            probe;
    PetscBool          found;
    char               why[256];
    const PetscScalar *q;
    if (!p->bodies || !p->friction || p->rest < 0) continue;
    promise_print(p);
    TestRun test = promise_open(sliding_block, p, 20e-6, "");
    while (test_runs(test.run)) test_step(test.run);
    CHECK(test.run->model->view.probe(test.run->model, "block.left", &probe, &found, why, sizeof(why)));
    assert_true(found);
    CHECK(VecGetArrayRead(test.run->state.q, &q));
    assert_near(q[probe.column[0].unknown[0]], 0.25, 1e-4);
    CHECK(VecRestoreArrayRead(test.run->state.q, &q));
    CHECK(VecNorm(test.run->state.v, NORM_INFINITY, &speed));
    assert_true(speed < 1e-12);
    assert_near(test.run->ledger.friction, 0.5 * 0.1 * 1, 1e-4);
    assert_int_equal(NsContactReports(test.run->contact)[0].state, NS_STICK);
    test_run_close(&test);
  }
}

/* A bar that touches and still approaches at the start has its impact at once: the loss is booked as such, and contact lasts as long as ever. */
static void start_in_contact_is_an_impact(void **state)
{
  (void)state;
  EACH_WITH_MASS(p)
  {
    if (!p->bodies || p->penetration < 0 || promise_gives(p) || strstr(p->option, "always") || strstr(p->option, "theta")) continue;
    TestRun   test = promise_open(hitting_bar, p, 1e-7, "bodies.bar.initial.displacement=[-10.5 um, 0, 0]");
    PetscReal last = 0;
    promise_print(p);
    while (test.run->state.t < 450e-6) {
      test_step(test.run);
      const NsContactReport *report = &NsContactReports(test.run->contact)[0];
      if (report->force[0] > 0 || report->impulse[0] > 0) last = test.run->state.t;
      assert_true(-report->gap <= 0.1 * 1e-7 * PetscMax(1, p->penetration) * (1 + 1e-9));
    }
    CHECK(NsLedgerClose(&test.run->ledger, test.run->model, &test.run->state));
    assert_near(test.run->ledger.impact / test.run->ledger.initial, PetscSqrtReal(3) / (6 * 20), 2e-3 * PetscSqrtReal(3) / (6 * 20));
    assert_near(test.run->ledger.numerical / test.run->ledger.initial, 0, 1e-4);
    assert_near(last, 2 / PetscSqrtReal(210e9 / 7800), 0.03 * last);
    test_run_close(&test);
  }
}

/* A point mass at the end of a string that is nothing but its node, released at 60 degrees from the bottom of a bore. */
static const char *const in_hollow =
  "gravity: [0, -9.81, 0]\n"
  "bodies:\n"
  "  string:\n"
  "    type: truss\n"
  "    dimension: 2\n"
  "    mesh: {line: {from: [0, 0, 0], to: [0.8660254037844386, -0.5, 0], elements: 1}}\n"
  "    material: {density: 1e-12, young: 1e-9}\n"
  "    section: {area: 1}\n"
  "supports: {clamp: {at: string.left}}\n"
  "masses: {bob: {at: string.right, mass: 1 kg}}\n"
  "contacts: {hollow: {between: [string.right, {cylinder: {center: [0, 0, 0], axis: [0, 0, 1], radius: 1, side: inside}}]}}\n"
  "scheme: {type: half_explicit, step: 1 ms}\n"
  "time: {end: 0.8}\n";

/* Largest |gap| over the run, and where it ends. */
static PetscReal run_in_hollow(const Promise *promise, PetscReal step, const char *extra, PetscReal end[2])
{
  TestRun            test = promise_open(in_hollow, promise, step, extra);
  PetscReal          off  = 0;
  const PetscScalar *q;

  for (PetscInt64 i = 0; test_runs(test.run); i++) {
    test_step(test.run);
    CHECK(NsContactGaps(test.run->contact, test.run->state.t, test.run->state.q));
    off = PetscMax(off, PetscAbsReal(NsContactLastGaps(test.run->contact)[0]));
  }
  CHECK(VecGetArrayRead(test.run->state.q, &q));
  for (int k = 0; k < 2; k++) end[k] = q[k];
  CHECK(VecRestoreArrayRead(test.run->state.q, &q));
  test_run_close(&test);
  return off;
}

/*
  Where the normal turns, all schemes go the same way up to O(dt), with friction too. Those on velocity level leave the surface by a drift of first
  order or less, Moreau's by v^2 dt/2 a unit of time at a radius of 1 m and v up to 3 m/s; those that project do not.
*/
static void curved_contacts_converge(void **state)
{
  const Promise *reference = promises;
  TestRun        test      = test_run_open(in_hollow, NULL);
  PetscReal      end[2], fine[2], exact[2], rubbed[2], bounced[2];

  (void)state;
  run_in_hollow(reference, 1e-4, "", exact);
  run_in_hollow(reference, 1e-4, "contacts.hollow.friction=0.3", rubbed);
  EACH_WITH_MASS(p)
  {
    const NsSchemeType *type = promise_type(p);
    if (!p->bodies || promise_gives(p) || (type->refuses && type->refuses(test.run->model, NULL))) continue;
    promise_print(p);
    const PetscReal coarse_drift = run_in_hollow(p, 1e-3, "", end), drift = run_in_hollow(p, 5e-4, "", fine);
    if (p->penetration == 0) assert_near(drift, 0, 1e-14);
    if (!strcmp(p->scheme, "schatzman_paoli")) { /* what the start leaves of a gap fades with e, for the law is on the sum of gaps */
      run_in_hollow(p, 1e-3, "contacts.hollow.restitution=0.5", bounced);
      assert_near(hypot(0.8660254037844386 + bounced[0], bounced[1] - 0.5), 1, 1e-14);
    }
    assert_true(coarse_drift < 20 * 1e-3 && drift < PetscMax(0.55 * coarse_drift, promise_adapts(p) ? 1e-6 : 1e-14));
    const PetscReal coarse_off = hypot(end[0] - exact[0], end[1] - exact[1]), fine_off = hypot(fine[0] - exact[0], fine[1] - exact[1]);
    if (promise_meets(p))
      assert_true(coarse_off < 1e-4 && fine_off < 2.5e-5); /* what the reference with steps of 1e-4 s leaves is less */
    else
      assert_true(coarse_off < 20 * 1e-3 && fine_off < 0.6 * coarse_off);
    if (!p->friction) continue;
    run_in_hollow(p, 5e-4, "contacts.hollow.friction=0.3", fine);
    assert_near(hypot(fine[0] - rubbed[0], fine[1] - rubbed[1]), 0, 20 * 5e-4);
  }
  test_run_close(&test);
}

static int moves;

static PetscErrorCode counted_move(NsModel *model, Vec q0, PetscReal h, Vec v, Vec q1)
{
  PetscFunctionBegin;
  (void)model;
  moves++;
  PetscCall(q1 == q0 ? VecAXPY(q1, h, v) : NsVecAddScaled(q1, h, v, q0));
  PetscFunctionReturn(0);
}

static PetscErrorCode counted_rate(NsModel *model, Vec q, Vec v, Vec qdot)
{
  PetscFunctionBegin;
  (void)model;
  (void)q;
  moves++;
  PetscCall(VecCopy(v, qdot));
  PetscFunctionReturn(0);
}

/* Where a model has a `move` of its own, positions are no vectors: a scheme changes them by it and by `rate` alone, and goes the same way but for rounding, or refuses. The flight of the
   half-explicit family is the model's. */
static void positions_are_moved_by_the_model(void **state)
{
  (void)state;
  EACH_WITH_MASS(p)
  {
    NsScheme     *scheme;
    NsStepOutcome outcome;
    PetscReal     apart, size;
    if (!p->bodies) continue;
    TestRun test = promise_open(hitting_bar, p, 1e-6, ""), same = promise_open(hitting_bar, p, 1e-6, "");
    test.run->model->dynamics.move   = counted_move;
    test.run->model->dynamics.flight = same.run->model->dynamics.flight = NsModelFlightInSteps; /* the fused one does not move */
    test.run->model->dynamics.rate                                      = counted_rate;
    CHECK(NsSchemeCreate(&test.run->config.scheme, test.run->model, test.run->contact, &test.run->ledger, &scheme));
    if (!*scheme->refusal) {
      moves = 0;
      CHECK(NsSchemeStart(scheme, &test.run->state));
      CHECK(NsSchemeStart(same.run->scheme, &same.run->state));
      for (int i = 0; i < 300; i++) {
        CHECK(NsSchemeStep(scheme, &test.run->state, test.run->step, &outcome));
        CHECK(NsSchemeStep(same.run->scheme, &same.run->state, same.run->step, &outcome));
      }
      CHECK(VecNorm(same.run->state.q, NORM_INFINITY, &size));
      CHECK(VecAXPY(test.run->state.q, -1, same.run->state.q));
      CHECK(VecNorm(test.run->state.q, NORM_INFINITY, &apart));
      print_message("  %s %s: %d moves in 300 steps\n", p->scheme, p->option, moves);
      assert_true(apart <= 1e-12 * size && moves >= 300);
    }
    CHECK(NsSchemeDestroy(&scheme));
    test_run_close(&test);
    test_run_close(&same);
  }
}

static const struct CMUnitTest tests[] = {
  promise_test(every_scheme_promises_something),
  cmocka_unit_test(every_scheme_has_its_page),
  cmocka_unit_test(every_scheme_states_its_order),
  promise_test(start_in_contact_is_an_impact),
  promise_test(free_flight_has_its_order),
  promise_test(damped_flight_of_second_order),
  promise_test(step_limit_is_where_it_says),
  promise_test(bounded_schemes_keep_below_their_limit),
  promise_test(implicit_schemes_have_no_limit),
  promise_test(unstable_schemes_say_so),
  promise_test(step_limit_never_grows_with_damping),
  promise_test(growth_limit_of_slow_modes_of_fast_rotors),
  promise_test(step_limit_of_explicit_schemes),
  promise_test(penetration_stays_below_its_bound),
  promise_test(impacts_never_add_energy),
  cmocka_unit_test(midpoint_ledger_closes_to_rounding),
  promise_test(ledger_of_every_scheme_converges),
  promise_test(block_slides_to_rest),
  promise_test(curved_contacts_converge),
  promise_test(positions_are_moved_by_the_model),
};
TEST_MAIN(tests)
