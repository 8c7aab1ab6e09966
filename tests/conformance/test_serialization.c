/*
  What a run remembers is all it needs: a run that gets the memory of another between two steps goes on with the same bits, over every scheme and option, and every kind of model that it moves. Memory
  that is cut short, or of another kind, is told.
*/
#include "store.h"
#include "run/checkpoint.h"
#include "promises.h"

#define FRAME \
  "mesh: {line: {from: [0, 20 um, 0], to: [0.4, 20 um, 0], elements: 40}}\n    material: {density: 2700, young: 70 GPa}\n    section: {area: 2 cm^2}\n"

typedef struct {
  const char *name, *text;
  PetscReal   step;  /* s */
  PetscInt    steps; /* in all */
} Case;

/* Contact begins within the first steps; some candidates sleep where there are many. */
static const Case cases[] = {
  {"truss with friction",
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  frame:\n    type: truss\n    dimension: 2\n    " FRAME "    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n"
    "    initial: {velocity: [0.5, -0.3, 0]}\n"
    "loads: {push: {at: frame.left, force: [0, -20, 0], time: {table: [[0, 0], [1 ms, 1]]}}}\n"
    "contacts:\n  floor: {between: [frame.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: 0.1, friction: 0.3}\n",
    1e-6, 300},
  {"truss without friction",
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  frame:\n    type: truss\n    dimension: 2\n    " FRAME "    mass: lumped\n    initial: {velocity: [0.5, -0.3, 0]}\n"
    "contacts:\n  floor: {between: [frame.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0.02]}}], restitution: 0.1}\n",
    1e-6, 300},
  {"bar between walls",
    "bodies:\n"
    "  bar:\n    type: bar\n    mesh: {line: {from: [10 um, 0, 0], to: [1.00001, 0, 0], elements: 20}}\n    material: {density: 7800, young: 210 GPa}\n"
    "    section: {area: 1 cm^2}\n    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n    initial: {velocity: [-0.3, 0, 0]}\n"
    "loads: {push: {at: bar.left, force: [-20, 0, 0], time: {harmonic: {frequency: 300 Hz}}}}\n"
    "contacts:\n  wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}\n"
    "  end: {between: [bar.right, {plane: {point: [1.00002, 0, 0], normal: [-1, 0, 0]}}]}\n",
    1e-6, 300},
  {"lattice without mass at its contacts",
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  frame:\n    type: truss\n    dimension: 2\n    mass: redistributed\n"
    "    mesh: {lattice: {from: [0, 20 um, 0], to: [0.4, 0.20002, 0], cells: [33, 5, 0], braces: faces}}\n"
    "    material: {density: 2700, young: 70 GPa}\n    section: {area: 2 cm^2}\n    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n"
    "    initial: {velocity: [0.5, -0.3, 0]}\n"
    "contacts:\n  floor: {between: [frame.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0.05]}}], friction: 0.3}\n",
    1e-6, 300},
  {"rotor that spins freely in its bearing",
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  shaft:\n    type: rotor\n    mesh: {line: {from: [0, 0, 0], to: [0.3, 0, 0], elements: 6}}\n    material: {density: 7850, young: 210 GPa}\n"
    "    section: {circle: {radius: 8 mm}}\n    spin: {free: 3000 rpm}\n    initial: {velocity: [0, -0.5 m/s, 0.2 m/s]}\n"
    "discs: {wheel: {at: shaft@0.5, mass: 3 kg, polar_inertia: 0.01, diametral_inertia: 0.006}}\n"
    "bearings: {left: {between: [shaft.left, ground], stiffness: 5 MN/m, damping: 200 N s/m}, right: {between: [shaft.right, ground], stiffness: 5 MN/m}}\n"
    "unbalances: {mark: {at: shaft@0.5, mass_eccentricity: 1e-3 kg m}}\n"
    "contacts:\n  stop:\n    between: [{node: shaft@0.5, radius: 20 mm}, {cylinder: {center: [150 mm, 0, 0], axis: [1, 0, 0], radius: 20.05 mm, side: inside}}]\n"
    "    friction: 0.1\n    restitution: 0.2\n",
    1e-6, 400},
  {"slider-crank", "gravity: [0, -9.81, 0]\nbodies: {crank: {type: slider_crank, contact: {restitution: 0.4, friction: 0.01}}}\n", 1e-5, 4000},
  {"slider-crank with joints alone", "gravity: [0, -9.81, 0]\nbodies: {crank: {type: slider_crank_bilateral}}\n", 1e-4, 300},
  {"ball that bounces", "gravity: [0, 0, -9.81]\nbodies: {ball: {type: bouncing_ball, contact: {restitution: 0.7}}}\n", 1e-3, 2000},
  {"solid that falls aslant",
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  block:\n    type: solid\n    mass: lumped\n    mesh: {box: {from: [0, 20 um, 0], to: [0.4, 0.20002, 0.1], cells: [4, 2, 1]}}\n"
    "    material: {density: 2700, young: 70 GPa, poisson: 0.3}\n    damping: {rayleigh: {mass: 3 1/s, stiffness: 10 ns}}\n"
    "    initial: {velocity: [0.5, -0.3, 0]}\n"
    "contacts:\n  floor: {between: [block.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0.05]}}], friction: 0.3}\n",
    1e-6, 300},
};

#define NS_CASES (sizeof(cases) / sizeof(cases[0]))

/* run NULL: the scheme does not move this model. */
static TestRun open_case(const Case *c, const Promise *p)
{
  char         scheme[160], text[4096];
  const char  *set[2] = {p->option};
  NsRunOptions options;
  TestRun      test = {NsArenaCreate(), NULL, NULL};

  snprintf(scheme, sizeof(scheme), "scheme: {type: %s, step: %.17g}\ntime: {end: 10 s}\n", p->scheme, c->step);
  snprintf(text, sizeof(text), "%s%s", c->text, scheme);
  memset(&options, 0, sizeof(options));
  options.config_path = "case";
  options.config_text = text;
  options.set         = set;
  options.sets        = *p->option ? 1 : 0;
  test.diag           = NsDiagCreate(test.arena);
  CHECK(NsRunCreate(&options, test.arena, test.diag, &test.run));
  if (NsDiagErrors(test.diag)) {
    test_run_close(&test);
    test.run = NULL;
    return test;
  }
  CHECK(NsRunStart(test.run));
  return test;
}

/* So many steps, or up to one that fails; how many. */
static PetscInt64 advance(NsRun *run, PetscInt64 steps)
{
  NsStepOutcome outcome = {.done = PETSC_TRUE};
  PetscInt64    done    = 0;

  for (; done < steps; done++) {
    CHECK(NsRunStep(run, &outcome));
    if (!outcome.done) break;
  }
  return done;
}

static void same_bytes(const NsRun *a, const NsRun *b, Vec x, Vec y)
{
  const PetscScalar *u, *w;

  (void)a, (void)b;
  CHECK(VecGetArrayRead(x, &u));
  CHECK(VecGetArrayRead(y, &w));
  assert_memory_equal(u, w, sizeof(*u) * (size_t)a->model->layout->local);
  CHECK(VecRestoreArrayRead(y, &w));
  CHECK(VecRestoreArrayRead(x, &u));
}

static void same(NsRun *a, NsRun *b)
{
  CHECK(NsSchemeComplete(a->scheme, &a->state));
  CHECK(NsSchemeComplete(b->scheme, &b->state));
  CHECK(NsContactComplete(a->contact, &a->state));
  CHECK(NsContactComplete(b->contact, &b->state));
  same_bytes(a, b, a->state.q, b->state.q);
  same_bytes(a, b, a->state.v, b->state.v);
  assert_memory_equal(&a->state.t, &b->state.t, sizeof(a->state.t));
  assert_memory_equal(&a->ledger, &b->ledger, sizeof(a->ledger));
  assert_memory_equal(NsContactReports(a->contact), NsContactReports(b->contact),
    sizeof(*NsContactReports(a->contact)) * (size_t)NsContactModel(a->contact)->candidates);
  assert_memory_equal(NsContactStatistics(a->contact), NsContactStatistics(b->contact), sizeof(NsLocalStatistics));
}

static void serialize(NsRun *run, Store *store)
{
  NsArchive archive = {.reading = PETSC_FALSE, .move = put, .context = store};

  CHECK(NsRunSerialize(run, &archive));
}

/* Goes on after `steps` steps in a fresh run, and in one that has been elsewhere. */
static void goes_on(const Case *c, const Promise *p, PetscInt64 steps, PetscInt64 astray)
{
  TestRun   one = open_case(c, p), other = open_case(c, p);
  Store     store   = {NULL};
  NsArchive archive = {.reading = PETSC_TRUE, .move = get, .context = &store};

  (void)advance(one.run, steps);
  serialize(one.run, &store);
  (void)advance(other.run, astray);
  CHECK(NsRunSerialize(other.run, &archive));
  assert_string_equal(archive.problem, "");
  assert_true(store.at == store.used);
  assert_true(advance(one.run, c->steps - steps) == advance(other.run, c->steps - steps));
  same(one.run, other.run);
  free(store.byte);
  test_run_close(&one);
  test_run_close(&other);
}

static void a_run_goes_on_with_the_memory_of_another(void **state)
{
  int schemes[NS_CASES] = {0};

  (void)state;
  EACH_PROMISE(p)
  {
    int moved = 0;
    for (size_t i = 0; i < NS_CASES; i++) {
      TestRun test = open_case(&cases[i], p);
      if (!test.run) continue;
      test_run_close(&test);
      const PetscInt64 steps[] = {0, 1, 7, cases[i].steps / 5, cases[i].steps / 3, cases[i].steps / 2};
      for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) goes_on(&cases[i], p, steps[k], k % 2 ? 0 : steps[k] / 2 + 3);
      moved++;
      schemes[i]++;
    }
    print_message("  %s %s: %d models\n", p->scheme, p->option, moved);
    assert_true(moved > 0);
  }
  for (size_t i = 0; i < NS_CASES; i++) {
    print_message("  %s: %d schemes\n", cases[i].name, schemes[i]);
    assert_true(schemes[i] > 0);
  }
}

static int find_solver(const char *name)
{
  int i = 0;

  while (strcmp(NsLocalChoices[i], name) != 0) i++;
  return i;
}

/* Requests a stop at the k-th call. */
typedef struct {
  PetscInt  left;
  PetscBool said;
} Interruption;

static PetscBool interrupts(void *data)
{
  Interruption *interruption = data;

  interruption->said = interruption->said || --interruption->left < 0;
  return interruption->said;
}

/*
  Steps from `first` up to `last`, each interrupted at its first question, then at its second, and so on until it is done before it is asked: the state afterwards is that of a run without questions.
  How many times.
*/
static int interrupt(const Case *c, const Promise *p, int solver, PetscReal tolerance, PetscInt64 first, PetscInt64 last)
{
  TestRun      whole = open_case(c, p), parts = open_case(c, p);
  Interruption by     = {.left = 0};
  PetscInt64   steps  = first;
  int          failed = 0;

  NsContactSolveBy(whole.run->contact, solver, tolerance);
  NsContactSolveBy(parts.run->contact, solver, tolerance);
  (void)advance(parts.run, first);
  NsContactStopBy(parts.run->contact, interrupts, &by);
  for (int tried = 0; steps < last && tried < 1000; tried++) {
    NsStepOutcome  outcome = {.done = PETSC_TRUE};
    const PetscInt left    = by.left;
    by.said                = PETSC_FALSE;
    CHECK(NsRunStep(parts.run, &outcome));
    assert_int_equal(outcome.done, !by.said);
    by.left = outcome.done ? 0 : left + 1;
    steps += outcome.done;
    failed += !outcome.done;
  }
  assert_true(advance(whole.run, steps) == steps);
  same(whole.run, parts.run);
  test_run_close(&parts);
  test_run_close(&whole);
  return failed;
}

/* A signal is heard between iterations of a contact problem: the step is not done, and when it is done later it is the same as if nothing had been heard. */
static void an_interrupted_step_leaves_no_trace(void **state)
{
  const int sweeps      = find_solver("gauss_seidel");
  int       interrupted = 0;

  (void)state;
  EACH_PROMISE(p)
  {
    const Case *c    = &cases[p->mass ? 3 : 0]; /* both have friction, and contact begins after 67 steps */
    TestRun     test = open_case(c, p);
    if (!test.run) continue;
    test_run_close(&test);
    const int count = interrupt(c, p, sweeps, 1e-4, 0, 90);
    print_message("  %s %s: interrupted %d times\n", p->scheme, p->option, count);
    interrupted += count > 0;
  }
  assert_true(interrupted > 40);
}

/* The forces on a block at rest are undetermined: solvers work in turn, some interrupted, others too short to ask. */
static void a_later_solver_does_not_save_an_interrupted_step(void **state)
{
  static const Case block = {"block at rest",
    "gravity: [0, -9.81 m/s^2, 0]\n"
    "bodies:\n  block:\n    type: rocking_block\n    width: 0.1 m\n    height: 0.4 m\n    contact: {restitution: 0, friction: 0.8}\n"
    "    initial: {x: 0.5 mm, y: 0.2001, theta: -0.002 rad}\n",
    1e-4, 0};

  (void)state;
  assert_true(interrupt(&block, &promises[0], 0, 0, 3000, 4000) > 100);
}

static void history_of_another_model_is_reported(void **state)
{
  const Promise *p     = &promises[0];
  TestRun        crank = open_case(&cases[5], p), ball = open_case(&cases[7], p);
  Store          store = {NULL};
  size_t         whole;

  (void)state;
  serialize(crank.run, &store);
  whole             = store.used;
  NsArchive archive = {.reading = PETSC_TRUE, .move = get, .context = &store};
  CHECK(NsRunSerialize(ball.run, &archive));
  assert_string_equal(archive.problem, "has 24 bytes of 'q' instead of 8");
  for (size_t size = 0; size < whole; size += 1 + whole / 97) { /* cut short anywhere */
    store.used       = size;
    store.at         = 0;
    NsArchive broken = {.reading = PETSC_TRUE, .move = get, .context = &store};
    CHECK(NsRunSerialize(crank.run, &broken));
    assert_string_equal(broken.problem, "ends too early");
  }
  store.used          = whole;
  store.at            = 0;
  store.byte[0]       = 0x7f; /* the length of a name */
  NsArchive long_name = {.reading = PETSC_TRUE, .move = get, .context = &store};
  CHECK(NsRunSerialize(crank.run, &long_name));
  assert_non_null(strstr(long_name.problem, "has no name where '"));
  free(store.byte);
  test_run_close(&crank);
  test_run_close(&ball);
}

/* Rows of two contacts, whose lists of where each begins do not rise. */
static void contradictory_rows_are_reported(void **state)
{
  NsModel        model     = {.candidates = 3, .touches = 5};
  PetscInt       contact[] = {0, 2}, start[] = {0, 1, 3}, first[] = {0, 1, 3, 4}, touch[] = {0, 1, 2, 4};
  PetscReal      value[] = {1, 2, 3, 4}, drive[] = {0, 0, 0};
  const PetscInt wrong[][3] = {{0, 1, 3}, {1, 1, 3}, {0, 3, 2}, {0, 1, 2}};

  (void)state;
  for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
    NsRows    rows    = {.contacts = 2, .rows = 3, .row_capacity = 3, .entry_capacity = 4};
    Store     store   = {NULL};
    NsArchive writing = {.reading = PETSC_FALSE, .move = put, .context = &store}, reading = {.reading = PETSC_TRUE, .move = get, .context = &store};
    rows.contact = contact;
    rows.start   = start;
    rows.first   = first;
    rows.touch   = touch;
    rows.value   = value;
    rows.drive   = drive;
    memcpy(start, wrong[k], sizeof(start));
    NsRowsSerialize(&writing, "W", &model, &rows);
    NsRowsSerialize(&reading, "W", &model, &rows);
    assert_string_equal(reading.problem, k ? "contains an invalid value of 'W'" : "");
    assert_int_equal(rows.rows, k ? 0 : 3);
    free(store.byte);
  }
}

static const struct CMUnitTest tests[] = {
  promise_test(a_run_goes_on_with_the_memory_of_another),
  promise_test(an_interrupted_step_leaves_no_trace),
  cmocka_unit_test(a_later_solver_does_not_save_an_interrupted_step),
  cmocka_unit_test(history_of_another_model_is_reported),
  cmocka_unit_test(contradictory_rows_are_reported),
};
TEST_MAIN(tests)
