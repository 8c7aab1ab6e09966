/*
  Every registered contact pair against what it promises (src/contact/pair.h), from the example of its key and the examples and words of its surface's keys: rows are the gradients of
  gaps, tangents are unit vectors across the normal, rates the differences of rows, all of it finite where the normal is not defined, `bound` is never exceeded, the gap stays within
  `clearance`, and a run is the same to the last bit with the broad phase and without.
*/
#include "random_numbers.h"
#include "support.h"
#include "contact/contact_data.h"
#include "pair_point.h"

#define UNKNOWNS 12 /* of a point */
#define TOUCHES  (2 * UNKNOWNS)
#define ROWS     3
#define TRIALS   300

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

/* What a failure is about. */
static const char *about;

typedef struct {
  NsPair      pair;
  NsPoint     point[2]; /* of the pair, which sees them by tie() */
  NsPairPoint tied[2];
  NsPairFrame frame;
  PetscReal   size; /* m: of the surface, or 1 */
  PetscReal   q[TOUCHES], v[TOUCHES];
} Trial;

static void tie(Trial *trial)
{
  for (int p = 0; p < 2; p++) {
    trial->tied[p]       = pair_point(&trial->point[p]);
    trial->pair.point[p] = &trial->tied[p];
  }
  trial->pair.frame = &trial->frame;
}

static const NsTable *partner_table(void)
{
  return NsTable_Contact.keys[0].table;
}

/* The key of a surface; NULL: a pair without surface. */
static const NsKey *key_of(const NsPairType *type)
{
  for (const NsKey *key = partner_table()->keys; key->name; key++) {
    if (key->kind == NS_KEY_TABLE && !strcmp(key->name, type->name)) return key;
  }
  return NULL;
}

/* Takes out the keys of which one excludes `name`, but for that. */
static void take_out_others(NsNode *surface, const char *one_of, const char *name)
{
  if (!one_of || !strstr(one_of, name)) return;
  for (NsNode **at = &surface->first; *at;) {
    if (strstr(one_of, (*at)->key) && strcmp((*at)->key, name)) {
      *at = (*at)->next;
      surface->count--;
    } else
      at = &(*at)->next;
  }
}

/* The example of a surface with one more key, or another word of a choice, on one line. NULL: there are no more variants; "": this one is against the rules of its keys. */
static const char *variant_of(const NsKey *key, int variant, NsArena *arena)
{
  const char  *text  = NsArenaPrint(arena, "{%s: %s}", key->name, key->example);
  NsDiag      *diag  = NsDiagCreate(arena);
  NsNode      *node  = NsTreeReadText("example", text, strlen(text), arena, diag);
  const NsKey *more  = key->table->keys;
  const char  *value = NULL;

  if (!node || NsDiagErrors(diag)) fail_msg("surface '%s': its example is no YAML: %s", key->name, text);
  for (; more->name && variant > 0; more += !value) {
    int words = 0;
    while (more->kind == NS_KEY_CHOICE && more->choices[words]) words++;
    if (more->kind == NS_KEY_CHOICE) {
      value = variant <= words ? more->choices[variant - 1] : NULL;
      variant -= words;
    } else if (!NsTreeChild(node->first, more->name)) {
      value = variant == 1 ? more->example : NULL;
      variant--;
    }
  }
  if (variant > 0) return NULL;
  NsPartnerSettings partner;
  if (value) {
    take_out_others(node->first, key->table->one_of, more->name);
    assert_true(NsTreeSet(node, NsArenaPrint(arena, "%s.%s=%s", key->name, more->name, value), arena, diag));
    if (!NsKeysRead(partner_table(), node, &partner, arena, diag)) return "";
  }
  char  *line = NULL;
  size_t size;
  FILE  *file = open_memstream(&line, &size);
  NsTreeWriteLine(node, file);
  fclose(file);
  text = NsArenaCopy(arena, line, size);
  free(line);
  return text;
}

static void set_surface(Trial *trial, const NsKey *key, const char *text, NsArena *arena)
{
  NsPair           *pair = &trial->pair;
  NsDiag           *diag = NsDiagCreate(arena);
  const NsNode     *node = NsTreeReadText("example", text, strlen(text), arena, diag);
  NsPartnerSettings partner;

  if (!node || !NsKeysRead(partner_table(), node, &partner, arena, diag)) fail_msg("surface '%s': its example cannot be read: %s", key->name, text);
  const NsSurfaceSettings *surface = partner.surface[NsPartnerSurface(&partner)];
  pair->data                       = NsArenaAlloc(arena, pair->type->size);
  if (surface->on) set_point(&trial->point[1], UNKNOWNS, trial->point[1].x, 1e-3);
  if (!pair->type->create(pair, &(NsPairSetup){surface, 0.2, diag}, &trial->point[1])) fail_msg("%s: no pair comes of its example", key->name);
}

/* surface: of a variant. */
static void make_trial(Trial *trial, const NsPairType *type, const char *surface, NsArena *arena)
{
  NsPair *pair = &trial->pair;

  memset(trial, 0, sizeof(*trial));
  pair->type = type;
  tie(trial);
  if (type->create) {
    set_surface(trial, key_of(type), surface, arena);
  } else {
    set_point(&trial->point[1], UNKNOWNS, trial->point[1].x, 1);
    for (int k = 0; k < 3; k++) pair->frame->normal[k] = draw();
    assert_true(NsUnit3(pair->frame->normal));
  }
  trial->size = pair->radius[1] > 0 ? pair->radius[1] : 1;
  set_point(&trial->point[0], 0, trial->point[1].x, trial->size);
  tie(trial);
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
  if (rows.rows != 1 + trial->pair.frame->tangents) fail_msg("%s: %d rows", trial->pair.type->name, (int)rows.rows);
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
  if (!(PetscAbsReal(got - expected) <= tolerance))
    fail_msg("pair '%s', %s: %s is %.9g, expected %.9g", trial->pair.type->name, about, what, got, expected);
}

static void check_finite(const Trial *trial, const char *what, PetscReal value)
{
  if (!isfinite(value)) fail_msg("pair '%s', %s: %s is %g", trial->pair.type->name, about, what, value);
}

/* The next variant of a pair's surface, which is what a failure is about; NULL: there are no more. */
static const char *next_variant(const NsPairType *type, int *variant, NsArena *arena)
{
  if (!type->create) return about = (*variant)++ ? NULL : "no surface";
  do about = variant_of(key_of(type), (*variant)++, arena);
  while (about && !*about);
  return about;
}

/* Calls check for TRIALS random states of every variant of every pair. */
static void for_every_pair(void (*check)(Trial *))
{
  seed = 1;
  for (int i = 0; NsPairTypes[i]; i++) {
    NsArena *texts = NsArenaCreate();
    for (int v = 0; next_variant(NsPairTypes[i], &v, texts);) {
      for (int k = 0; k < TRIALS; k++) {
        NsArena *arena = NsArenaCreate();
        Trial    trial;
        make_trial(&trial, NsPairTypes[i], about, arena);
        check(&trial);
        NsArenaDestroy(&arena);
      }
    }
    NsArenaDestroy(&texts);
  }
}

/* Nothing that is needed is missing: the other tests would only crash. */
static void types_are_whole(void **state)
{
  (void)state;
  for (int i = 0; NsPairTypes[i]; i++) {
    const NsPairType *type = NsPairTypes[i];
    if (!type->name || !type->about) fail_msg("pair number %d of src/contact/pairs/list.h has no name, or no `about`", i);
    if (!type->prepare || !type->gap || !type->rows || !type->bound || !type->clearance)
      fail_msg("pair '%s' lacks prepare, gap, rows, bound or clearance", type->name);
    if (type->create && !type->size) fail_msg("pair '%s' has `create` and no `size` of its data", type->name);
    if (type->create && !key_of(type)) fail_msg("pair '%s' is not named as its key in src/contact/pairs/list.h", type->name);
    if (type->create && !type->side) fail_msg("pair '%s' has no `side`, which tells users where the body has to be", type->name);
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

/* The ball's radius and the offset are part of the gap. */
static void check_radius(Trial *trial)
{
  NsPair         *pair = &trial->pair;
  const PetscReal gap = pair->type->gap(pair, trial->q, NULL), more = 0.1 * trial->size;

  pair->offset += more;
  check_near(trial, "the change of the gap by an offset", pair->type->gap(pair, trial->q, NULL) - gap, more, 1e-12 * trial->size);
  pair->offset -= more;
  if (!pair->type->create) return;
  pair->radius[0] += more;
  check_near(trial, "the change of the gap by a larger ball", pair->type->gap(pair, trial->q, NULL) - gap, -more, 1e-12 * trial->size);
  pair->radius[0] -= more;
}

static void rows_are_gradients_of_gaps(void **state)
{
  (void)state;
  for_every_pair(check_normal);
  for_every_pair(check_radius);
}

/* Unit vectors across the normal and each other; the opposite for the second partner; friction on a ball acts at -r n from its centre. */
static void check_tangents(Trial *trial)
{
  const NsPair *pair = &trial->pair;
  PetscReal     W[ROWS][TOUCHES], u[ROWS], n[3], arm[3], moment[3];

  rows_of(trial, 0, trial->q, W, u);
  pair->type->gap(pair, trial->q, n);
  for (int k = 0; k < 3; k++) arm[k] = -pair->radius[0] * n[k];
  for (int r = 1; r <= pair->frame->tangents; r++) {
    const PetscReal *t = W[r]; /* of the three unknowns that move the first point along x, y, z */
    check_near(trial, "the length of a tangent", NsDot3(t, t), 1, 1e-12);
    check_near(trial, "a tangent along the normal", NsDot3(t, n), 0, 1e-12);
    if (r == 2) check_near(trial, "the second tangent along the first", NsDot3(W[1], t), 0, 1e-12);
    for (int k = 0; k < 3 && pair->point[1]->unknowns; k++)
      check_near(trial, "the row of a tangent, for the second partner,", t[UNKNOWNS + k], -t[k], 1e-12);
    NsCross3(arm, t, moment);
    for (int a = 3; a < UNKNOWNS; a++) {
      const PetscReal expected = NsDot3(t, pair->point[0]->move[a]) + NsDot3(moment, pair->point[0]->turn[a]);
      check_near(trial, "the row of a tangent, for a rotation of the first partner,", t[a], expected, 1e-12);
    }
  }
  if (!pair->type->flat) return;
  PetscReal other[ROWS][TOUCHES];
  for (int i = 0; i < TOUCHES; i++) trial->q[i] += trial->size * draw();
  rows_of(trial, 0, trial->q, other, u);
  for (int r = 0; r <= pair->frame->tangents; r++) {
    for (int k = 0; k < TOUCHES; k++) check_near(trial, "a row of a flat pair at another position", other[r][k], W[r][k], 0);
  }
}

static void tangents_are_across_the_normal(void **state)
{
  (void)state;
  for_every_pair(check_tangents);
}

/* Where the points coincide, and beside that along x, y or z: a centre, an axis, an apex, where a normal may not be defined. */
static void check_singular(Trial *trial)
{
  NsPair   *pair = &trial->pair;
  PetscReal W[ROWS][TOUCHES], u[ROWS], n[3], d[ROWS] = {0, 0, 0}, apart[2][3];
  const int axis = (int)(4 * (draw() + 1) / 2);

  for (int p = 0; p < 2; p++) NsPointDisplacement(pair->point[p], trial->q, apart[p]);
  for (int k = 0; k < 3; k++) {
    trial->point[0].x[k] = apart[1][k] + trial->point[1].x[k] - apart[0][k];
    if (k == axis) trial->point[0].x[k] += trial->size * draw();
  }
  tie(trial);
  const PetscReal gap = pair->type->gap(pair, trial->q, n);
  check_near(trial, "the length of the normal, where the points coincide or lie along an axis,", NsDot3(n, n), 1, 1e-12);
  check_finite(trial, "the gap, where the points coincide or lie along an axis,", gap);
  pair->type->prepare(pair, trial->q, 0.2);
  rows_of(trial, 0, trial->q, W, u);
  if (pair->type->rate) pair->type->rate(pair, 0, trial->q, trial->v, d);
  for (int r = 0; r <= pair->frame->tangents; r++) {
    check_finite(trial, "the rate of a row, where the points coincide or lie along an axis,", d[r]);
    for (int k = 0; k < TOUCHES; k++) check_finite(trial, "a row, where the points coincide or lie along an axis,", W[r][k]);
  }
}

static void values_are_finite_without_a_normal(void **state)
{
  (void)state;
  for_every_pair(check_singular);
}

/* d/dt (W' v + drive) along q + t v. */
static void check_rate(Trial *trial)
{
  const NsPair   *pair = &trial->pair;
  const PetscReal h    = 2e-6; /* near an axis the truncation error of 1e-5 shows */
  PetscReal       W[ROWS][TOUCHES], before[ROWS], after[ROWS], q[TOUCHES], d[ROWS] = {0, 0, 0};

  for (int i = 0; i < TOUCHES; i++) q[i] = trial->q[i] - h * trial->v[i];
  rows_of(trial, 1 - h, q, W, before);
  for (int i = 0; i < TOUCHES; i++) q[i] = trial->q[i] + h * trial->v[i];
  rows_of(trial, 1 + h, q, W, after);
  if (pair->type->rate) pair->type->rate(pair, 1, trial->q, trial->v, d);
  for (int r = 0; r <= pair->frame->tangents; r++) {
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
  PetscReal       bound = 0, q[TOUCHES];

  memcpy(q, trial->q, sizeof(q));
  if (!(clearance > 0)) fail_msg("pair '%s', %s: its clearance is %g m", pair->type->name, about, clearance);
  if (from > clearance + pair->offset + 1e-12 * trial->size)
    fail_msg("pair '%s', %s: a gap of %g m is above the clearance of %g m", pair->type->name, about, from - pair->offset, clearance);
  for (int p = 0; p < 2; p++) {
    for (PetscInt a = 0; a < pair->point[p]->unknowns; a++) {
      const PetscReal step  = size * trial->size * draw();
      const PetscReal alone = pair->type->bound(pair, pair->point[p]->move[a]) * PetscAbsReal(step), last = pair->type->gap(pair, trial->q, NULL);
      trial->q[pair->point[p]->touch[a]] += step;
      const PetscReal now = PetscAbsReal(pair->type->gap(pair, trial->q, NULL) - last);
      if (now > alone * (1 + 1e-9) + 1e-12 * trial->size)
        fail_msg("pair '%s', %s: its gap changes by %g m along one unknown, and by no more than %g m according to `bound`", pair->type->name, about,
          now, alone);
      bound += alone;
    }
  }
  const PetscReal change = PetscAbsReal(pair->type->gap(pair, trial->q, NULL) - from);
  if (change > bound * (1 + 1e-9) + 1e-12 * trial->size)
    fail_msg("pair '%s', %s: its gap changes by %g m, and by no more than %g m according to `bound`", pair->type->name, about, change, bound);
  const PetscReal travel = NsPairTravel(pair, (const PetscReal[2]){0, 0}, q, trial->q);
  if (change > travel * (1 + 1e-9) + 1e-12 * trial->size)
    fail_msg("pair '%s', %s: its gap changes by %g m while the partners move %g m past each other", pair->type->name, about, change, travel);
}

/* Inside of a convex surface the gap is concave in the position of the point, outside convex. */
static void check_side(Trial *trial)
{
  const NsPair   *pair = &trial->pair;
  const PetscReal s    = strstr(about, "side: inside") ? 1 : strstr(about, "side: outside") ? -1 : 0;
  PetscReal       g[3], step[3];

  for (int k = 0; k < 3; k++) step[k] = trial->size * draw();
  for (int i = 0; i < 3; i++) {
    g[i] = pair->type->gap(pair, trial->q, NULL);
    for (int k = 0; k < 3; k++) trial->q[k] += step[k];
  }
  if (s * (g[1] - (g[0] + g[2]) / 2) < -1e-12 * trial->size)
    fail_msg("pair '%s', %s: its gap is that of the other side: inside of a convex surface it is concave, outside convex", pair->type->name, about);
}

static void sides_are_not_swapped(void **state)
{
  (void)state;
  for_every_pair(check_side);
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
                            "contacts: {touch: {between: [{node: chain.all, radius: %.17g}, %s], friction: 0.2}}\n"
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
static const char *random_chain(const NsPairType *type, const char *surface, NsArena *arena)
{
  Trial     trial;
  PetscReal from[3], to[3], v[3];

  make_trial(&trial, type, surface, arena);
  const PetscReal  size = trial.size, step = 0.2 * (0.5 * size / ELEMENTS) / 31.6; /* 31.6 m/s: waves in the chain */
  const PetscReal *x = trial.point[1].x;
  for (int k = 0; k < 3; k++) {
    const PetscReal origin = trial.point[1].unknowns ? 0 : x[k];
    from[k]                = origin + 1.5 * size * draw();
    to[k]                  = from[k] + size * (0.5 * draw() + (k == 0 ? 0.6 : 0));
    v[k]                   = size / (500 * step) * draw();
  }
  return NsArenaPrint(arena, chain, from[0], from[1], from[2], to[0], to[1], to[2], v[0], v[1], v[2], 0.02 * size, surface, step);
}

/* The same run twice, without a broad phase in one of them; how often candidates were closed, and how often one was skipped. */
static void run_both(const NsPairType *type, const char *text, PetscInt64 *closed, PetscInt64 *skipped)
{
  TestRun test[2];

  *closed = *skipped = 0;
  if (!open_run(text, &test[0])) return;
  assert_true(open_run(text, &test[1]));
  NsContact *with = test[0].run->contact, *without = test[1].run->contact;
  if (strstr(text, "motion: ")) { /* gaps change without their unknowns */
    assert_false(with->broad.enabled);
    *closed = *skipped = 1;
    for (int k = 0; k < 2; k++) test_run_close(&test[k]);
    return;
  }
  if (!with->broad.enabled) fail_msg("pair '%s', %s: no broad phase", type->name, about);
  without->broad.enabled = PETSC_FALSE;
  for (int step = 0; step < STEPS; step++) {
    PetscBool same;
    for (int k = 0; k < 2; k++) {
      test_step(test[k].run);
      CHECK(NsContactComplete(test[k].run->contact, &test[k].run->state));
    }
    CHECK(VecEqual(test[0].run->state.q, test[1].run->state.q, &same));
    if (!same || memcmp(with->report, without->report, sizeof(*with->report) * (size_t)with->candidates))
      fail_msg("pair '%s', %s: step %d differs with the broad phase and without", type->name, about, step + 1);
    for (PetscInt i = 0; i < with->candidates; i++) *closed += with->report[i].state != NS_OPEN;
    *skipped += with->candidates - with->actives;
  }
  for (int k = 0; k < 2; k++) test_run_close(&test[k]);
}

/* So many runs in which candidates are closed, and others skipped. */
static void check_broad_phase(const NsPairType *type, const char *surface, PetscInt64 wanted)
{
  PetscInt64 closed = 0, skipped = 0, runs = 0;

  for (int k = 0; k < 2000 && runs < wanted; k++) {
    NsArena   *arena = NsArenaCreate();
    PetscInt64 now[2];
    run_both(type, random_chain(type, surface, arena), &now[0], &now[1]);
    NsArenaDestroy(&arena);
    closed += now[0];
    skipped += now[1];
    runs += now[0] > 0 && now[1] > 0;
  }
  print_message("  %s: %lld closed, %lld skipped\n", surface, (long long)closed, (long long)skipped);
  if (runs < wanted) fail_msg("pair '%s', %s: too few runs that touch the surface", type->name, surface);
}

static void broad_phase_changes_nothing(void **state)
{
  (void)state;
  seed = 2;
  for (int i = 0; NsSurfaceTypes[i]; i++) {
    NsArena *texts = NsArenaCreate();
    for (int v = 0; next_variant(NsSurfaceTypes[i], &v, texts);) check_broad_phase(NsSurfaceTypes[i], about, v == 1 ? 3 : 1);
    NsArenaDestroy(&texts);
  }
}

/* ---- balls: slots for near pairs, or all pairs listed ---------------------------------------------------------------------------------------------- */

/* A shower of balls on a heap of others; springs so soft that they only keep the model one. %%s: near_pairs, then the scheme. */
static const char shower[] =
  "gravity: [0, 0, -9.81]\n"
  "bodies:\n"
  "  above:\n"
  "    type: truss\n"
  "    dimension: 3\n"
  "    mesh: {lattice: {from: [1 mm, 2 mm, 40 mm], to: [31 mm, 32 mm, 60 mm], cells: [3, 3, 2]}}\n"
  "    material: {density: 2000, young: 20 kPa}\n"
  "    section: {area: 1 mm^2}\n"
  "    mass: lumped\n"
  "    initial: {velocity: [0.3, 0.1, -1.5]}\n"
  "  below:\n"
  "    type: truss\n"
  "    dimension: 3\n"
  "    mesh: {lattice: {from: [0, 0, 0], to: [40 mm, 40 mm, 20 mm], cells: [4, 4, 2]}}\n"
  "    material: {density: 2000, young: 0.2 MPa}\n"
  "    section: {area: 1 mm^2}\n"
  "    mass: lumped\n"
  "supports: {ground: {at: below.bottom}}\n"
  "contacts:\n"
  "  fall: {between: [{node: above.all, radius: 4 mm}, {node: below.all, radius: 3 mm}], friction: 0.3, near_pairs: %s}\n"
  "  within: {between: [{node: above.all, radius: 4 mm}, {node: above.all, radius: 4 mm}], restitution: 0.2, near_pairs: %s}\n"
  "limits: {rotation: 100 rad, stretch: 100}\n"
  "scheme: {%s}\n"
  "time: {end: 1}\n";

/* The candidate of another run for the same balls, or -1. */
static PetscInt find_pair(const NsContact *in, const NsCandidate *of)
{
  for (PetscInt k = 0; k < in->actives; k++) {
    const NsCandidate *candidate = &in->model->candidate[in->active[k]];
    if (!strcmp(candidate->name, of->name) && candidate->number[0] == of->number[0] && candidate->number[1] == of->number[1]) return in->active[k];
  }
  return -1;
}

/* Reports of what is closed agree, whatever its number; how many there are. */
static PetscInt compare_reports(NsContact *a, NsContact *b)
{
  PetscInt closed = 0;

  for (PetscInt k = 0; k < a->actives; k++) {
    const PetscInt i = a->active[k];
    if (a->report[i].state == NS_OPEN) continue;
    const PetscInt j = find_pair(b, &a->model->candidate[i]);
    if (j < 0 || memcmp(&a->report[i], &b->report[j], sizeof(*a->report)) != 0) fail_msg("the report of a pair of balls differs");
    closed++;
  }
  return closed;
}

static void slots_change_nothing(void **state)
{
  static const char *const schemes[] = {
    "type: half_explicit, step: 40 us", "type: moreau_jean, theta: 0.5, step: 100 us", "type: half_explicit_adaptive, step: 40 us"};

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    PetscInt64 closed = 0;
    PetscInt   most   = 0;
    TestRun    test[2];
    for (int k = 0; k < 2; k++) {
      char        text[4096];
      const char *near = k ? "1000000" : "400";
      (void)snprintf(text, sizeof(text), shower, near, near, schemes[s]);
      assert_true(open_run(text, &test[k]));
    }
    assert_int_equal(test[0].run->model->slots, 800);
    assert_int_equal(test[1].run->model->slots, 0);
    for (int step = 0; step < 1500; step++) {
      PetscBool same;
      for (int k = 0; k < 2; k++) test_step(test[k].run);
      CHECK(VecEqual(test[0].run->state.q, test[1].run->state.q, &same));
      if (!same) fail_msg("%s: step %d differs with slots and with all pairs", schemes[s], step + 1);
      const PetscInt now = compare_reports(test[0].run->contact, test[1].run->contact);
      assert_int_equal(now, compare_reports(test[1].run->contact, test[0].run->contact));
      closed += now;
      most = PetscMax(most, test[0].run->model->slots - test[0].run->model->slots_free);
    }
    print_message("  %s: %lld closed, at most %d of %d slots\n", schemes[s], (long long)closed, (int)most, (int)test[0].run->model->slots);
    assert_true(closed > 100 && most < 400);
    for (int k = 0; k < 2; k++) test_run_close(&test[k]);
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
  cmocka_unit_test(types_are_whole),
  cmocka_unit_test(rows_are_gradients_of_gaps),
  cmocka_unit_test(tangents_are_across_the_normal),
  cmocka_unit_test(values_are_finite_without_a_normal),
  cmocka_unit_test(rates_are_differences_of_rows),
  cmocka_unit_test(bounds_hold),
  cmocka_unit_test(sides_are_not_swapped),
  cmocka_unit_test(broad_phase_changes_nothing),
  cmocka_unit_test(slots_change_nothing),
  cmocka_unit_test(reported_gaps_are_those_of_the_state),
};
TEST_MAIN(tests)
