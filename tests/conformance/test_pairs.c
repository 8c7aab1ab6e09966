/*
  Every registered contact pair against what it promises (src/contact/pair.h), from the example of its key alone: rows are the gradients of gaps, rates the differences of rows,
  `bound` is never exceeded, the gap stays within `clearance`, and a run is the same to the last bit with the broad phase and without.
*/
#include "support.h"
#include "contact/contact_data.h"
#include "contact/pair.h"

#define UNKNOWNS 12 /* of a point */
#define TOUCHES  (2 * UNKNOWNS)
#define ROWS     3
#define TRIALS   300

static uint64_t seed;

/* Uniform in (-1, 1). */
static PetscReal draw(void)
{
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (PetscReal)(seed >> 11) / (PetscReal)(1ULL << 52) - 1;
}

/* A point near x that moves along x, y, z by its first three unknowns, and by the others moves and turns anyhow. */
static void set_point(NsPoint *point, PetscInt first, const PetscReal x[3], PetscReal size)
{
  point->unknowns = UNKNOWNS;
  for (int k = 0; k < 3; k++) point->x[k] = x[k] + size * draw();
  for (PetscInt a = 0; a < UNKNOWNS; a++) {
    point->touch[a] = first + a;
    for (int k = 0; k < 3; k++) {
      point->move[a][k] = a < 3 ? a == k : draw();
      point->turn[a][k] = a < 3 ? 0 : draw() / size;
    }
  }
}

typedef struct {
  NsPair    pair;
  PetscReal size; /* m: of the surface, or 1 */
  PetscReal q[TOUCHES], v[TOUCHES];
} Trial;

static const NsTable *partner_table(void)
{
  return NsTable_Contact.keys[0].table;
}

/* The key of a surface; NULL: the pair has none. */
static const NsKey *key_of(const NsPairType *type)
{
  for (const NsKey *key = partner_table()->keys; key->name; key++) {
    if (key->kind == NS_KEY_TABLE && !strcmp(key->name, type->name)) return key;
  }
  return NULL;
}

static void set_surface(Trial *trial, const NsKey *key, NsArena *arena)
{
  NsPair           *pair = &trial->pair;
  const char       *text = NsArenaPrint(arena, "{%s: %s}", key->name, key->example);
  NsDiag           *diag = NsDiagCreate(arena);
  const NsNode     *node = NsTreeReadText("example", text, strlen(text), arena, diag);
  NsPartnerSettings partner;

  if (!node || !NsKeysRead(partner_table(), node, &partner, arena, diag)) fail_msg("%s: its example cannot be read: %s", key->name, text);
  const NsSurfaceSettings *surface = partner.surface[NsPartnerSurface(&partner)];
  pair->data                       = NsArenaAlloc(arena, pair->type->size);
  if (surface->on) set_point(&pair->point[1], UNKNOWNS, pair->point[1].x, 1e-3);
  if (!pair->type->create(pair, &(NsPairSetup){surface, 0.2, diag})) fail_msg("%s: no pair comes of its example", key->name);
}

static void make_trial(Trial *trial, const NsPairType *type, NsArena *arena)
{
  NsPair *pair = &trial->pair;

  memset(trial, 0, sizeof(*trial));
  pair->type = type;
  if (type->create) {
    set_surface(trial, key_of(type), arena);
  } else {
    set_point(&pair->point[1], UNKNOWNS, pair->point[1].x, 1);
    for (int k = 0; k < 3; k++) pair->normal[k] = draw();
    assert_true(NsUnit3(pair->normal));
  }
  trial->size = pair->radius[1] > 0 ? pair->radius[1] : 1;
  set_point(&pair->point[0], 0, pair->point[1].x, trial->size);
  if (type->create) pair->radius[0] = 0.3 * trial->size;
  pair->offset = 0.1 * trial->size * draw();
  for (int i = 0; i < TOUCHES; i++) {
    trial->q[i] = 0.3 * trial->size * draw();
    trial->v[i] = trial->size * draw();
  }
  type->prepare(pair, trial->q, 0.2);
  for (int i = 0; i < TOUCHES; i++) trial->q[i] += 0.3 * trial->size * draw(); /* away from the start */
}

static void rows_of(const Trial *trial, PetscReal t, const PetscReal *q, PetscReal W[ROWS][TOUCHES], PetscReal u[ROWS])
{
  PetscInt  first[ROWS + 1] = {0}, touch[ROWS * TOUCHES];
  PetscReal value[ROWS * TOUCHES], drive[ROWS];
  NsRows    rows = {.first = first, .touch = touch, .value = value, .drive = drive, .row_capacity = ROWS, .entry_capacity = ROWS * TOUCHES};

  CHECK(trial->pair.type->rows(&trial->pair, t, q, &rows));
  if (rows.rows != 1 + trial->pair.tangents) fail_msg("%s: %d rows", trial->pair.type->name, (int)rows.rows);
  memset(W, 0, sizeof(PetscReal) * ROWS * TOUCHES);
  for (PetscInt r = 0; r < rows.rows; r++) {
    u[r] = drive[r];
    for (PetscInt j = first[r]; j < first[r + 1]; j++) {
      W[r][touch[j]] += value[j];
      u[r] += value[j] * trial->v[touch[j]];
    }
  }
}

static void check_near(const Trial *trial, const char *what, PetscReal got, PetscReal expected, PetscReal tolerance)
{
  if (!(PetscAbsReal(got - expected) <= tolerance)) fail_msg("pair '%s': %s is %.9g, expected %.9g", trial->pair.type->name, what, got, expected);
}

/* Calls check for TRIALS random states of every pair. */
static void for_every_pair(void (*check)(Trial *))
{
  seed = 1;
  for (int i = 0; NsPairTypes[i]; i++) {
    for (int k = 0; k < TRIALS; k++) {
      NsArena *arena = NsArenaCreate();
      Trial    trial;
      make_trial(&trial, NsPairTypes[i], arena);
      check(&trial);
      NsArenaDestroy(&arena);
    }
  }
}

static void check_normal(Trial *trial)
{
  const NsPair *pair = &trial->pair;
  PetscReal     W[ROWS][TOUCHES], u[ROWS], n[3], h = 1e-6 * trial->size;

  rows_of(trial, 0, trial->q, W, u);
  pair->type->gap(pair, trial->q, n);
  check_near(trial, "the length of the normal", NsDot3(n, n), 1, 1e-12);
  for (int k = 0; k < 3; k++) check_near(trial, "the row of the normal, for the first partner", W[0][k], n[k], 1e-12);
  for (int k = 0; k < TOUCHES; k++) {
    const PetscReal q    = trial->q[k];
    trial->q[k]          = q + h;
    const PetscReal up   = pair->type->gap(pair, trial->q, NULL);
    trial->q[k]          = q - h;
    const PetscReal down = pair->type->gap(pair, trial->q, NULL);
    trial->q[k]          = q;
    check_near(trial, "the row of the normal, against differences of gaps,", W[0][k], (up - down) / (2 * h), 1e-6);
  }
}

static void rows_are_gradients_of_gaps(void **state)
{
  (void)state;
  for_every_pair(check_normal);
}

/* d/dt (W' v + drive) along q + t v. */
static void check_rate(Trial *trial)
{
  const NsPair   *pair = &trial->pair;
  const PetscReal h    = 1e-5;
  PetscReal       W[ROWS][TOUCHES], before[ROWS], after[ROWS], q[TOUCHES], d[ROWS] = {0, 0, 0};

  for (int i = 0; i < TOUCHES; i++) q[i] = trial->q[i] - h * trial->v[i];
  rows_of(trial, 1 - h, q, W, before);
  for (int i = 0; i < TOUCHES; i++) q[i] = trial->q[i] + h * trial->v[i];
  rows_of(trial, 1 + h, q, W, after);
  if (pair->type->rate) pair->type->rate(pair, 1, trial->q, trial->v, d);
  for (int r = 0; r <= pair->tangents; r++) {
    const PetscReal difference = (after[r] - before[r]) / (2 * h);
    check_near(trial, "the rate of a row", d[r], difference, 1e-5 * (trial->size + PetscAbsReal(difference)));
  }
}

static void rates_are_differences_of_rows(void **state)
{
  (void)state;
  for_every_pair(check_rate);
}

static void check_promises(Trial *trial)
{
  const NsPair   *pair      = &trial->pair;
  const PetscReal clearance = pair->type->clearance(pair), from = pair->type->gap(pair, trial->q, NULL), size = PetscPowReal(10, 2 * draw() - 1);
  PetscReal       bound = 0;

  if (!(clearance > 0)) fail_msg("pair '%s': its clearance is %g m", pair->type->name, clearance);
  if (from > clearance + pair->offset + 1e-12 * trial->size)
    fail_msg("pair '%s': a gap of %g m is above the clearance of %g m", pair->type->name, from - pair->offset, clearance);
  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p].unknowns; a++) {
      const PetscReal step = size * trial->size * draw();
      trial->q[pair->point[p].touch[a]] += step;
      bound += pair->type->bound(pair, pair->point[p].move[a]) * PetscAbsReal(step);
    }
  }
  const PetscReal change = PetscAbsReal(pair->type->gap(pair, trial->q, NULL) - from);
  if (change > bound * (1 + 1e-9) + 1e-12 * trial->size)
    fail_msg("pair '%s': its gap changes by %g m, and by no more than %g m according to `bound`", pair->type->name, change, bound);
}

static void bounds_hold(void **state)
{
  (void)state;
  for_every_pair(check_promises);
}

/* ---- runs -------------------------------------------------------------------------------------------------------------------------------------- */

#define ELEMENTS 40
#define STEPS    1500

/* A soft chain of balls against the surface of a pair. */
static const char chain[] = "bodies:\n"
                            "  chain:\n"
                            "    type: truss\n"
                            "    dimension: 3\n"
                            "    mesh: {line: {from: [%.17g, %.17g, %.17g], to: [%.17g, %.17g, %.17g], elements: 40}}\n"
                            "    material: {density: 1000, young: 1 MPa}\n"
                            "    section: {area: 1 mm^2}\n"
                            "    mass: lumped\n"
                            "    initial: {velocity: [%.17g, %.17g, %.17g]}\n"
                            "  housing: {type: rigid, at: [0, 0, 0], mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3]}\n"
                            "contacts: {touch: {between: [{node: chain.all, radius: %.17g}, {%s: %s}], friction: 0.2}}\n"
                            "scheme: {type: half_explicit, step: %.17g}\n"
                            "time: {end: 10}\n";

/* False: the chain would start within the surface. */
static PetscBool open_run(const char *text, TestRun *test)
{
  NsRunOptions options = {.config_path = "chain.yaml", .config_text = text};

  *test      = (TestRun){NsArenaCreate(), NULL, NULL};
  test->diag = NsDiagCreate(test->arena);
  CHECK(NsRunCreate(&options, test->arena, test->diag, &test->run));
  if (NsDiagErrors(test->diag)) {
    test_run_close(test);
    return PETSC_FALSE;
  }
  CHECK(NsLedgerOpen(&test->run->ledger, test->run->model, &test->run->state));
  CHECK(NsContactBeginStep(test->run->contact));
  CHECK(NsContactEndStep(test->run->contact, &test->run->state));
  CHECK(NsSchemeStart(test->run->scheme, &test->run->state));
  return PETSC_TRUE;
}

/* The chain at a random place, with a random velocity. */
static const char *random_chain(const NsPairType *type, NsArena *arena)
{
  const NsKey *key = key_of(type);
  Trial        trial;
  PetscReal    from[3], to[3], v[3];

  make_trial(&trial, type, arena);
  const PetscReal  size = trial.size, step = 0.2 * (0.5 * size / ELEMENTS) / 31.6; /* 31.6 m/s: waves in the chain */
  const PetscReal *x = trial.pair.point[1].x;
  for (int k = 0; k < 3; k++) {
    const PetscReal origin = trial.pair.point[1].unknowns ? 0 : x[k];
    from[k]                = origin + 1.5 * size * draw();
    to[k]                  = from[k] + size * (0.5 * draw() + (k == 0 ? 0.6 : 0));
    v[k]                   = size / (500 * step) * draw();
  }
  return NsArenaPrint(arena, chain, from[0], from[1], from[2], to[0], to[1], to[2], v[0], v[1], v[2], 0.02 * size, key->name, key->example, step);
}

/* The same run twice, without a broad phase in one of them; how often candidates were closed, and how often one was skipped. */
static void run_both(const NsPairType *type, const char *text, PetscInt64 *closed, PetscInt64 *skipped)
{
  TestRun test[2];

  *closed = *skipped = 0;
  if (!open_run(text, &test[0])) return;
  assert_true(open_run(text, &test[1]));
  NsContact *with = test[0].run->contact, *without = test[1].run->contact;
  if (!with->broad.enabled) fail_msg("pair '%s': no broad phase", type->name);
  without->broad.enabled = PETSC_FALSE;
  for (int step = 0; step < STEPS; step++) {
    PetscBool same;
    for (int k = 0; k < 2; k++) {
      test_step(test[k].run);
      CHECK(NsContactComplete(test[k].run->contact, &test[k].run->state));
    }
    CHECK(VecEqual(test[0].run->state.q, test[1].run->state.q, &same));
    if (!same || memcmp(with->report, without->report, sizeof(*with->report) * (size_t)with->candidates))
      fail_msg("pair '%s': step %d differs with the broad phase and without", type->name, step + 1);
    for (PetscInt i = 0; i < with->candidates; i++) *closed += with->report[i].state != NS_OPEN;
    *skipped += with->candidates - with->actives;
  }
  for (int k = 0; k < 2; k++) test_run_close(&test[k]);
}

static void broad_phase_changes_nothing(void **state)
{
  (void)state;
  seed = 2;
  for (int i = 0; NsSurfaceTypes[i]; i++) {
    PetscInt64 closed = 0, skipped = 0, runs = 0;
    for (int k = 0; k < 2000 && runs < 3; k++) {
      NsArena   *arena = NsArenaCreate();
      PetscInt64 now[2];
      run_both(NsSurfaceTypes[i], random_chain(NsSurfaceTypes[i], arena), &now[0], &now[1]);
      NsArenaDestroy(&arena);
      closed += now[0];
      skipped += now[1];
      runs += now[0] > 0 && now[1] > 0;
    }
    print_message("  %s: %lld closed, %lld skipped\n", NsSurfaceTypes[i]->name, (long long)closed, (long long)skipped);
    if (runs < 3) fail_msg("pair '%s': too few runs that touch the surface", NsSurfaceTypes[i]->name);
  }
}

/* ---- who keeps gaps (NsContactKeepGaps) -------------------------------------------------------------------------------------------------------- */

static void reported_gaps_are_those_of_the_state(void **state)
{
  static const char *const schemes[] = {"half_explicit", "half_explicit_adaptive", "half_explicit_acceleration"};
  static const char        bar[]     = "bodies:\n"
                                       "  bar:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [20 um, 0, 0], to: [100020 um, 0, 0], elements: 10}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {area: 1 cm^2}\n"
                                       "    initial: {velocity: [-1 m/s, 0, 0]}\n"
                                       "contacts: {wall: {between: [bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n"
                                       "scheme: {type: %s, step: 0.1 us}\n"
                                       "time: {end: 1}\n";

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    char     text[1024];
    TestRun  test;
    PetscInt closed = 0;
    snprintf(text, sizeof(text), bar, schemes[s]);
    assert_true(open_run(text, &test));
    for (int step = 0; step < 500; step++) {
      PetscReal g;
      test_step(test.run);
      CHECK(NsModelGap(test.run->model, test.run->state.t, test.run->state.q, &g));
      if (g != NsContactReports(test.run->contact)[0].gap) fail_msg("%s: the reported gap of step %d is of another position", schemes[s], step + 1);
      closed += NsContactReports(test.run->contact)[0].state != NS_OPEN;
    }
    assert_true(closed > 10);
    test_run_close(&test);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(rows_are_gradients_of_gaps),
  cmocka_unit_test(rates_are_differences_of_rows),
  cmocka_unit_test(bounds_hold),
  cmocka_unit_test(broad_phase_changes_nothing),
  cmocka_unit_test(reported_gaps_are_those_of_the_state),
};
TEST_MAIN(tests)
