/* Contacts in numbers: sparse compliance and islands against dense matrices, runs with the broad phase against runs without, and room that runs out. */
#include <math.h>
#include "random_numbers.h"
#include "support.h"
#include "contact/broad_phase.h"
#include "contact/compliance.h"

/* A chain of bars, flat above a plane or tilted; every node is a candidate. */
static const char chain[] = "bodies:\n"
                            "  chain:\n"
                            "    type: truss\n"
                            "    dimension: 2\n"
                            "    mesh: {line: {from: [0, 1 mm, 0], to: [1 m, 1 mm, 0], elements: 60}}\n"
                            "    material: {density: 7800 kg/m^3, young: 210 GPa}\n"
                            "    section: {area: 3e-4 m^2}\n"
                            "    mass: lumped\n"
                            "    initial: {velocity: [0.3 m/s, -1 m/s, 0]}\n"
                            "gravity: [0, -9.81 m/s^2, 0]\n"
                            "contacts:\n"
                            "  floor: {between: [chain.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}], restitution: 0.5, friction: 0.2}\n"
                            "scheme: {type: half_explicit, step: 1 us}\n"
                            "time: {end: 1 ms}\n";

/* Rows of some candidates, by chance. */
static PetscInt choose(NsContact *contact, PetscReal share, PetscInt *list)
{
  PetscInt count = 0;

  for (PetscInt i = 0; i < contact->candidates; i++) {
    if (draw() < 2 * share - 1) list[count++] = i;
  }
  return count;
}

/* D = W_u' A^-1 W_P, from a solve for each row. */
static void solve_dense(NsModel *model, PetscInt slot, const NsRows *wu, const NsRows *wp, PetscReal *D)
{
  Vec b, x;

  CHECK(NsVecsCreate(model, &b, &x, NULL));
  for (PetscInt k = 0; k < wp->rows; k++) {
    CHECK(VecZeroEntries(b));
    CHECK(NsModelTouchAdd(model, wp->first[k + 1] - wp->first[k], wp->touch + wp->first[k], wp->value + wp->first[k], b));
    CHECK(NsModelSolve(model, slot, b, x));
    CHECK(NsModelTouch(model, x, wu->touched));
    for (PetscInt r = 0; r < wu->rows; r++) {
      D[r * wp->rows + k] = 0;
      for (PetscInt j = wu->first[r]; j < wu->first[r + 1]; j++) D[r * wp->rows + k] += wu->value[j] * wu->touched[wu->touch[j]];
    }
  }
  CHECK(NsVecsDestroy(&b, &x, NULL));
}

/* Of an island that is kept as a product, column after column. */
static void compare_product(NsContact *contact, PetscInt island, const NsRows *rows, const PetscReal *D)
{
  const NsIslands *islands = &contact->islands;
  const PetscInt   n       = rows->rows;
  PetscReal       *P = calloc((size_t)n, sizeof(*P)), *u = calloc((size_t)n, sizeof(*u));

  for (PetscInt c = 0; c < n; c++) {
    P[c] = 1;
    CHECK(NsContactReact(contact, rows, P, u));
    P[c] = 0;
    for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++) {
      for (PetscInt r = rows->start[islands->member[m]]; r < rows->start[islands->member[m] + 1]; r++)
        assert_near(u[r], D[r * n + c], 1e-14 * PetscSqrtReal(D[r * n + r] * D[c * n + c]));
    }
  }
  free(P);
  free(u);
}

/* G in blocks is D, and what is in no block is rounding of D. Returns how many islands there are. */
static PetscInt compare(NsContact *contact, const NsRows *rows, const PetscReal *D)
{
  const NsIslands *islands = &contact->islands;
  const PetscInt   n       = rows->rows;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt j = 0; j < rows->contacts; j++) {
      for (PetscInt r = rows->start[i]; r < rows->start[i + 1] && islands->of[i] != islands->of[j]; r++) {
        for (PetscInt c = rows->start[j]; c < rows->start[j + 1]; c++)
          assert_true(PetscAbsReal(D[r * n + c]) <= 1e-16 * PetscSqrtReal(D[r * n + r] * D[c * n + c]));
      }
    }
  }
  for (PetscInt s = 0; s < islands->count; s++) {
    const PetscReal *G = contact->G + islands->block[s];
    if (islands->sparse[s]) compare_product(contact, s, rows, D);
    for (PetscInt a = islands->start[s]; a < islands->start[s + 1] && !islands->sparse[s]; a++) {
      for (PetscInt r = rows->start[islands->member[a]]; r < rows->start[islands->member[a] + 1]; r++) {
        for (PetscInt b = islands->start[s]; b < islands->start[s + 1]; b++) {
          for (PetscInt c = rows->start[islands->member[b]]; c < rows->start[islands->member[b] + 1]; c++, G++)
            assert_near(*G, D[r * n + c], 1e-14 * PetscSqrtReal(D[r * n + r] * D[c * n + c]));
        }
      }
    }
    assert_ptr_equal(G, contact->G + islands->block[s + 1]);
  }
  return islands->count;
}

/* v + A^-1 W P by columns is that by a solve. */
static void compare_effect(NsModel *model, NsCompliance *compliance, PetscInt slot, const NsRows *rows)
{
  PetscReal P[256], largest, off;
  Vec       v, b, x;

  assert_true(rows->rows <= 256);
  for (PetscInt k = 0; k < rows->rows; k++) P[k] = k % 3 ? draw() : 0;
  CHECK(NsVecsCreate(model, &v, &b, &x, NULL));
  CHECK(NsComplianceApply(compliance, rows, P, 0.7, v));
  CHECK(NsRowsApply(model, rows, P, 0.7, b));
  CHECK(NsModelSolve(model, slot, b, x));
  CHECK(VecNorm(x, NORM_INFINITY, &largest));
  CHECK(VecAXPY(x, -1, v));
  CHECK(VecNorm(x, NORM_INFINITY, &off));
  assert_true(largest > 0 && off <= 1e-14 * largest);
  CHECK(NsVecsDestroy(&v, &b, &x, NULL));
}

/* Consistent, lumped and implicit operators; with columns kept, without those of v, and with none at all. */
static void columns_and_islands(void **state)
{
  static const char *const mass[] = {"bodies.chain.mass=consistent", "bodies.chain.mass=lumped"};
  static const PetscInt    most[] = {1000000, 25000, 50};

  (void)state;
  seed = 1;
  for (int m = 0; m < 2; m++) {
    const char *const set[]   = {mass[m], "bodies.chain.mesh.line.elements=150", NULL};
    TestRun           test    = test_run_open(chain, set);
    NsModel          *model   = test.run->model;
    NsContact        *contact = test.run->contact;
    const NsState    *x       = &test.run->state;
    NsRows            rows;
    PetscReal        *D;
    assert_int_equal(model->diagonal_mass, m == 1);
    CHECK(NsRowsCreate(model, &rows));
    CHECK(PetscMalloc1((size_t)contact->rows * (size_t)contact->rows, &D));
    for (int kind = 0; kind < 3; kind++) { /* the last is as diagonal as the mass, which has to be found out */
      const NsOperator op   = kind == 0 ? (NsOperator){1, 0, 0} : kind == 1 ? (NsOperator){1, 1e-5, 1e-10} : (NsOperator){1, 1e-5, 0};
      const PetscInt   slot = kind > 0;
      for (int limit = 0; limit < 3; limit++) {
        NsCompliance *compliance;
        CHECK(NsComplianceCreate(model, slot, &compliance));
        NsComplianceLimit(compliance, most[limit]);
        CHECK(NsComplianceUpdate(compliance, 0, x->q, x->v, op));
        for (int trial = 0; trial < 4; trial++) {
          PetscInt list[151], count = trial == 3 ? 2 : choose(contact, 0.1 + 0.2 * trial, list);
          if (trial == 3) list[0] = 5, list[1] = 140;
          CHECK(NsModelRows(model, 0, x->q, count, list, &rows));
          CHECK(NsContactDelassus(contact, compliance, &rows, &rows));
          solve_dense(model, slot, &rows, &rows, D);
          const PetscInt islands = compare(contact, &rows, D);
          if (m == 1 && kind != 1) assert_int_equal(islands, count);                        /* each node alone, by one number */
          if (m == 0 && kind != 1 && trial == 3 && limit < 2) assert_int_equal(islands, 2); /* too far apart */
          if (limit == 2 && !(m == 1 && kind != 1)) assert_int_equal(islands, 1);           /* columns are not kept: one island */
          if (rows.rows <= 256) compare_effect(model, compliance, slot, &rows);
        }
        CHECK(NsComplianceDestroy(&compliance));
      }
    }
    CHECK(PetscFree(D));
    CHECK(NsRowsDestroy(&rows));
    test_run_close(&test);
  }
}

/* A beam, straight or tilted; every node is a candidate. */
static const char beam[] = "bodies:\n"
                           "  beam:\n"
                           "    type: beam\n"
                           "    mesh: {line: {from: [0, 1 mm, 0], to: [1 m, 1 mm, 0], elements: 150}}\n"
                           "    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}\n"
                           "    section: {rectangle: {width: 20 mm, height: 10 mm}}\n"
                           "contacts:\n"
                           "  floor: {between: [beam.all, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}\n"
                           "scheme: {type: moreau_jean, step: 10 us}\n"
                           "time: {end: 1 ms}\n";

/* Local problems G = U A^-1 Y of these contacts against the same ones with a dense G, from zero: what the contacts do is the same. A sum with a second operator has no band. */
static void compare_band(TestRun *test, NsCompliance *compliance, const NsRows *rows)
{
  NsContact *contact = test->run->contact;
  PetscReal *b = calloc((size_t)(6 * rows->rows), sizeof(*b)), *u[2] = {b + rows->rows, b + 2 * rows->rows}, *P = b + 3 * rows->rows, most = 0;

  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) b[k] = draw() - (k == rows->start[i] ? 0.3 : 0);
  }
  CHECK(NsContactDelassus(contact, compliance, rows, rows));
  assert_int_equal(contact->islands.count, 1);
  for (int dense = 0; dense < 2; dense++) {
    PetscBool solved;
    if (dense) CHECK(NsContactDelassusAdd(contact, 0, compliance, rows, rows));
    assert_int_equal(contact->islands.band[0] == NULL, dense);
    memset(contact->guess, 0, sizeof(*contact->guess) * (size_t)(3 * contact->candidates));
    CHECK(NsContactSolve(contact, rows, b, NULL, NULL, P, &solved));
    assert_true(solved);
    CHECK(NsContactReact(contact, rows, P, u[dense]));
  }
  for (PetscInt k = 0; k < rows->rows; k++) most = PetscMax(most, PetscAbsReal(u[1][k]));
  for (PetscInt k = 0; k < rows->rows; k++) assert_near(u[0][k], u[1][k], 1e-8 * most);
  free(b);
}

/* With and without friction, whose rows couple bending and stretching, straight along an axis and tilted, where all six unknowns of a node are coupled; all contacts and some. */
static void beams_have_a_band(void **state)
{
  static const char *const direction[] = {"bodies.beam.mesh.line.to=[1 m, 1 mm, 0]", "bodies.beam.mesh.line.to=[1 m, 101 mm, 0.3 m]"};
  static const char *const friction[]  = {"contacts.floor.friction=0", "contacts.floor.friction=0.3"};
  static const PetscInt    half[2][2]  = {{3, 11}, {8, 11}};

  (void)state;
  seed = 3;
  for (int f = 0; f < 2; f++) {
    for (int d = 0; d < 2; d++) {
      const char *const set[] = {direction[d], friction[f], NULL};
      TestRun           test  = test_run_open(beam, set);
      const NsState    *x     = &test.run->state;
      NsCompliance     *compliance;
      NsRows            rows;
      CHECK(NsRowsCreate(test.run->model, &rows));
      CHECK(NsComplianceCreate(test.run->model, 1, &compliance));
      CHECK(NsComplianceUpdate(compliance, 0, x->q, x->v, (NsOperator){1, 0, 2.5e-11}));
      for (int some = 0; some < 2; some++) {
        PetscInt list[151], count = choose(test.run->contact, some ? 0.8 : 1, list);
        CHECK(NsModelRows(test.run->model, 0, x->q, count, list, &rows));
        compare_band(&test, compliance, &rows);
        CHECK(NsContactDelassus(test.run->contact, compliance, &rows, &rows));
        print_message("  %d contacts, %d rows: half band width %d\n", (int)count, (int)rows.rows, (int)test.run->contact->islands.band[0]->half);
        assert_int_equal(test.run->contact->islands.band[0]->half, half[f][d]);
      }
      CHECK(NsComplianceDestroy(&compliance));
      CHECK(NsRowsDestroy(&rows));
      test_run_close(&test);
    }
  }
}

/* The identity as a metric, flags that spread within islands, and what impulses reach. */
static void spreading(void **state)
{
  static const char *const set[]  = {"bodies.chain.mass=consistent", "bodies.chain.mesh.line.elements=200", NULL};
  static const PetscInt    list[] = {3, 4, 20, 100, 101, 199}, other[] = {5, 60, 110, 198};
  TestRun                  test    = test_run_open(chain, set);
  NsModel                 *model   = test.run->model;
  NsContact               *contact = test.run->contact;
  const NsState           *x       = &test.run->state;
  NsCompliance            *mass;
  NsRows                   rows, others;
  PetscBool                flag[6] = {PETSC_FALSE, PETSC_TRUE}, reached[4];

  (void)state;
  CHECK(NsRowsCreate(model, &rows));
  CHECK(NsRowsCreate(model, &others));
  CHECK(NsComplianceCreate(model, 0, &mass));
  CHECK(NsComplianceUpdate(mass, 0, x->q, x->v, (NsOperator){1, 0, 0}));
  CHECK(NsModelRows(model, 0, x->q, 6, list, &rows));
  CHECK(NsModelRows(model, 0, x->q, 4, other, &others));
  CHECK(NsContactDelassus(contact, NULL, &rows, &rows));
  assert_int_equal(contact->islands.count, 6);
  for (PetscInt s = 0; s < 6; s++) {
    const PetscReal *G = contact->G + contact->islands.block[s];
    assert_near(G[0], 1, 1e-15);
    assert_true(G[1] == 0 && G[2] == 0);
    assert_near(G[3], 1, 1e-15);
  }
  CHECK(NsContactDelassus(contact, mass, &rows, &rows));
  assert_int_equal(contact->islands.count, 3); /* 3, 4, 20; 100, 101; 199 */
  NsContactReached(contact, mass, &rows, flag, &others, reached);
  assert_true(reached[0] && !reached[1] && !reached[2] && !reached[3]);
  NsContactSpread(contact, flag);
  assert_true(flag[0] && flag[1] && flag[2] && !flag[3] && !flag[4] && !flag[5]);
  flag[5] = PETSC_TRUE;
  NsContactReached(contact, mass, &rows, flag, &others, reached);
  assert_true(reached[0] && !reached[1] && !reached[2] && reached[3]);
  CHECK(NsComplianceDestroy(&mass));
  CHECK(NsRowsDestroy(&rows));
  CHECK(NsRowsDestroy(&others));
  test_run_close(&test);
}

/* Hundreds of nodes that fall flat: each moves as a node alone does, and each is a local problem of its own. */
static void a_chain_that_falls_flat(void **state)
{
  static const char *const many[] = {"bodies.chain.mesh.line.elements=400", "scheme.step=20 us", NULL},
                           *few[] = {"bodies.chain.mesh.line.elements=1", "scheme.step=20 us", NULL};
  TestRun  long_one = test_run_open(chain, many), short_one = test_run_open(chain, few);
  PetscInt most = 0;

  (void)state;
  for (int step = 0; step < 1000; step++) {
    const PetscScalar *q, *v, *q2, *v2;
    test_step(long_one.run);
    test_step(short_one.run);
    if (long_one.run->contact->report[7].state != NS_OPEN) most = PetscMax(most, long_one.run->contact->islands.count);
    CHECK(VecGetArrayRead(long_one.run->state.q, &q));
    CHECK(VecGetArrayRead(long_one.run->state.v, &v));
    CHECK(VecGetArrayRead(short_one.run->state.q, &q2));
    CHECK(VecGetArrayRead(short_one.run->state.v, &v2));
    for (PetscInt i = 0; i < long_one.run->model->unknowns; i++) {
      assert_near(q[i], q2[i % 2], 1e-12);
      assert_near(v[i], v2[i % 2], 1e-11);
    }
    CHECK(VecRestoreArrayRead(long_one.run->state.q, &q));
    CHECK(VecRestoreArrayRead(long_one.run->state.v, &v));
    CHECK(VecRestoreArrayRead(short_one.run->state.q, &q2));
    CHECK(VecRestoreArrayRead(short_one.run->state.v, &v2));
  }
  assert_int_equal(most, 401);
  test_run_close(&long_one);
  test_run_close(&short_one);
}

/* Every number of state, reports and ledger is the same to the last bit, with the broad phase and without; and it skips most candidates. */
static void same_with_and_without_broad_phase(void **state)
{
  static const char *const schemes[] = {"scheme={type: half_explicit, step: 2 us}", "scheme={type: half_explicit, step: 2 us, decide: at_prediction}",
    "scheme={type: half_explicit_two_step, step: 2 us}", "scheme={type: explicit_velocity, step: 2 us}", "scheme={type: moreau_midpoint, step: 2 us}",
    "scheme={type: moreau_jean, step: 2 us}", "scheme={type: projection_naive, step: 2 us}", "scheme={type: projection_combined, step: 2 us}",
    "scheme={type: ggl_decoupled, step: 2 us}", "scheme={type: ggl_unified, step: 2 us}", "scheme={type: schatzman_paoli, step: 2 us}",
    "scheme={type: half_explicit_acceleration, step: 2 us}", "scheme={type: schatzman_paoli, step: 2 us}",
    "scheme={type: ggl_decoupled, step: 2 us}"}; /* these two in a bore of 1 km */

  (void)state;
  for (size_t s = 0; s < sizeof(schemes) / sizeof(*schemes); s++) {
    const PetscBool   smooth = strstr(schemes[s], "schatzman") || strstr(schemes[s], "acceleration");
    const char *const floor  = s < sizeof(schemes) / sizeof(*schemes) - 2 ? "plane: {point: [0, 0, 0], normal: [0, 1, 0]}"
                                                                          : "sphere: {center: [0.5 m, 1000 m, 0], radius: 1000 m, side: inside}";
    char              between[128];
    const char *const set[] = {schemes[s], between, smooth ? "contacts.floor.friction=0" : "contacts.floor.friction=0.2",
      "bodies.chain.mesh.line.to=[1 m, 11 mm, 0]", "bodies.chain.initial.velocity=[0.3 m/s, -5 m/s, 0]", "gravity=[0, -1000, 0]",
      "contacts.floor.restitution=0", NULL};
    snprintf(between, sizeof(between), "contacts.floor.between=[chain.all, {%s}]", floor);
    TestRun      test[2] = {test_run_open(chain, set), test_run_open(chain, set)};
    NsContact   *with = test[0].run->contact, *without = test[1].run->contact;
    PetscInt64   looked = 0, closed = 0;
    const size_t size      = sizeof(*without->report) * (size_t)without->candidates;
    without->broad.enabled = PETSC_FALSE;
    NsContactActivateAll(without);
    for (int step = 0; step < 1000; step++) {
      PetscBool same;
      test_step(test[0].run);
      test_step(test[1].run);
      CHECK(NsContactComplete(with, &test[0].run->state));
      CHECK(NsContactComplete(without, &test[1].run->state));
      if (memcmp(with->report, without->report, size)) fail_msg("%s: reports of step %d differ", schemes[s], step);
      CHECK(VecEqual(test[0].run->state.q, test[1].run->state.q, &same));
      assert_true(same);
      CHECK(VecEqual(test[0].run->state.v, test[1].run->state.v, &same));
      assert_true(same);
      assert_memory_equal(&test[0].run->ledger, &test[1].run->ledger, sizeof(NsLedger));
      assert_true(test[0].run->state.t == test[1].run->state.t);
      for (PetscInt i = 0; i < without->candidates; i++) closed += without->report[i].state != NS_OPEN || without->report[i].impulse[0] > 0;
      looked += with->actives;
    }
    print_message("  %s: %.1f of %d active, %.1f closed\n", schemes[s] + 7, (double)looked / 1000, (int)without->candidates, (double)closed / 1000);
    assert_true(closed > 60 && looked < 1000 * (PetscInt64)without->candidates * 2 / 3);
    for (int k = 0; k < 2; k++) test_run_close(&test[k]);
  }
}

/* A body that carries a sphere closely past 1600 nodes. */
static const char passing[] =
  "bodies:\n"
  "  dust:\n"
  "    type: balls\n"
  "    mesh: {lattice: {from: [0, 0, 0], to: [1 m, 1 m, 0], cells: [39, 39, 0]}}\n"
  "    radius: 1 mm\n"
  "    density: 1000 kg/m^3\n"
  "  hammer: {type: rigid, at: [0, 0.5 m, 21.2 mm], mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3], initial: {velocity: [10 m/s, 0, 0]}}\n"
  "contacts:\n"
  "  hit: {between: [{node: dust.all, radius: 1 mm}, {sphere: {on: hammer.center, radius: 20 mm, side: outside}}]}\n"
  "scheme: {type: half_explicit, step: 50 us}\n"
  "time: {end: 100 ms}\n";

/* What a step looks at are the pairs that are near, and now and then the others: a few of a hundred. */
static void distant_nodes_are_not_looked_at(void **state)
{
  TestRun    test    = test_run_open(passing, NULL);
  NsContact *contact = test.run->contact;

  (void)state;
  for (int step = 0; step < 2000; step++) test_step(test.run);
  const double looks = (double)contact->figures.gaps / 2000 / contact->candidates;
  print_message("  %.3f of %d candidates are looked at in a step\n", looks, (int)contact->candidates);
  assert_true(looks < 0.05);
  test_run_close(&test);
}

/* Planes, cylinders, spheres, balls, arms that turn, nodes of two bodies. */
static const char mixture[] =
  "bodies:\n"
  "  a:\n"
  "    type: truss\n"
  "    mesh: {line: {from: [-0.5 m, 0, 0.1 m], to: [0.5 m, 0.2 m, 0], elements: 20}}\n"
  "    material: {density: 7800 kg/m^3, young: 210 GPa}\n"
  "    section: {area: 3e-4 m^2}\n"
  "  b:\n"
  "    type: beam\n"
  "    mesh: {line: {from: [-0.5 m, 0.4 m, 0], to: [0.5 m, 0.4 m, 0], elements: 10}}\n"
  "    material: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}\n"
  "    section: {circle: {radius: 10 mm}}\n"
  "contacts:\n"
  "  floor: {between: [a.all, {plane: {point: [0, -0.1 m, 0], normal: [0.1, 1, 0.2]}}], friction: 0.1}\n"
  "  pipe: {between: [a.all, {cylinder: {center: [0, 0, 0], axis: [1, 0, 0], radius: 0.5 m, side: inside}}]}\n"
  "  ball: {between: [a.all, {sphere: {on: b.right, offset: [-0.4 m, 0.5 m, 0], radius: 0.3 m, side: outside}}], gap_tolerance: 1 mm}\n"
  "  arm: {between: [{node: b.all, offset: [0, -0.2 m, 0.1 m], radius: 20 mm}, {plane: {point: [0, -0.3 m, 0], normal: [0, 1, 0]}}]}\n"
  "scheme: {type: half_explicit, step: 1 us}\n"
  "time: {end: 1 ms}\n";

/* Whatever the motion, jumps and all, closed candidates are active. */
static void closed_candidates_are_active(void **state)
{
  TestRun    test    = test_run_open(mixture, NULL);
  NsModel   *model   = test.run->model;
  NsContact *contact = test.run->contact;
  NsState   *x       = &test.run->state;
  PetscReal *all = malloc(sizeof(*all) * (size_t)model->candidates), *u = malloc(sizeof(*u) * (size_t)contact->rows);
  PetscInt64 inactive = 0, closed = 0, activated = 0;
  Vec        q;

  (void)state;
  seed = 3;
  CHECK(NsVecsCreate(model, &q, NULL));
  assert_true(contact->broad.enabled);
  for (int step = 0; step < 3000; step++) {
    const PetscReal size = step % 97 == 0 ? 0.2 : 0.002, ahead = step % 3 ? 0 : 0.01;
    CHECK(NsContactBeginStep(contact));
    const PetscInt before = contact->actives;
    for (int look = 0; look < 3; look++) { /* at a prediction, at another one, at the end */
      PetscScalar *aq, *av;
      CHECK(VecCopy(x->q, q));
      CHECK(VecGetArray(look < 2 ? q : x->q, &aq));
      CHECK(VecGetArray(x->v, &av));
      for (PetscInt i = 0; i < model->unknowns; i++) {
        aq[i] = 0.999 * aq[i] + size * draw();
        av[i] = draw();
      }
      CHECK(VecRestoreArray(look < 2 ? q : x->q, &aq));
      CHECK(VecRestoreArray(x->v, &av));
      const NsState now = {0, look < 2 ? q : x->q, x->v};
      PetscInt      count, found = 0;
      CHECK(NsModelGap(model, 0, now.q, all));
      CHECK(NsModelRows(model, 0, now.q, model->candidates, contact->every, &contact->all));
      CHECK(NsRowsVelocity(model, &contact->all, now.v, u));
      if (look == 1)
        CHECK(NsContactForecast(contact, &now, ahead, &count));
      else
        CHECK(NsContactGaps(contact, 0, now.q));
      if (look == 1) {
        for (PetscInt i = 0; i < model->candidates; i++) {
          if (all[i] + ahead * u[contact->first[i]] > contact->tolerance[i]) continue;
          assert_true(found < count);
          assert_int_equal(contact->selected[found++], i);
        }
        assert_int_equal(found, count);
        continue;
      }
      PetscInt listed = NsContactListClosed(contact);
      for (PetscInt i = 0; i < model->candidates; i++) {
        if (all[i] > contact->tolerance[i]) continue;
        assert_true(found < listed);
        assert_int_equal(contact->selected[found++], i);
        closed++;
      }
      assert_int_equal(found, listed);
    }
    activated += contact->actives - before;
    inactive += model->candidates - contact->actives;
    CHECK(NsContactEndStep(contact, x));
    for (PetscInt k = 1; k < contact->actives; k++) assert_true(contact->active[k] > contact->active[k - 1]);
    CHECK(NsContactComplete(contact, x));
    for (PetscInt i = 0; i < model->candidates; i++) {
      assert_true(contact->report[i].gap == all[i]);
      assert_near(contact->report[i].gap_rate, u[contact->first[i]], 1e-14);
      assert_int_equal(contact->report[i].state == NS_OPEN, all[i] > contact->tolerance[i]);
    }
  }
  print_message("  %d candidates, a step: %.1f inactive, %.2f activated, %.2f closed\n", (int)model->candidates, (double)inactive / 3000,
    (double)activated / 3000, (double)closed / 6000);
  assert_true(inactive > 3000 && activated > 100 && closed > 3000);
  free(all);
  free(u);
  CHECK(NsVecsDestroy(&q, NULL));
  test_run_close(&test);
}

/* Reach and stretch bound what a gap does over any way. */
static void gaps_keep_their_bounds(void **state)
{
  TestRun    test  = test_run_open(mixture, NULL);
  NsModel   *model = test.run->model;
  PetscReal *g[2], *touch[2], largest = 0;
  Vec        q[2];

  (void)state;
  seed = 5;
  for (int k = 0; k < 2; k++) {
    g[k]     = malloc(sizeof(PetscReal) * (size_t)model->candidates);
    touch[k] = malloc(sizeof(PetscReal) * (size_t)model->touches);
    CHECK(NsVecsCreate(model, &q[k], NULL));
  }
  for (int trial = 0; trial < 3000; trial++) {
    const PetscReal size  = PetscPowReal(10, 2 * draw() - 2);
    PetscReal       moved = 0;
    for (int k = 0; k < 2; k++) {
      PetscScalar *a;
      CHECK(VecGetArray(q[k], &a));
      for (PetscInt i = 0; i < model->unknowns; i++) a[i] = k ? a[i] : 0.1 * draw();
      CHECK(VecRestoreArray(q[k], &a));
      if (k) {
        CHECK(VecCopy(q[0], q[1]));
        CHECK(VecGetArray(q[1], &a));
        for (PetscInt i = 0; i < model->unknowns; i++) a[i] += size * (trial % 2 ? draw() : draw() > 0 ? 1 : -1);
        CHECK(VecRestoreArray(q[1], &a));
      }
      CHECK(NsModelGap(model, 0, q[k], g[k]));
      CHECK(NsModelTouch(model, q[k], touch[k]));
    }
    for (PetscInt j = 0; j < model->touches; j++) moved = PetscMax(moved, model->stretch[j] * PetscAbsReal(touch[1][j] - touch[0][j]));
    for (PetscInt i = 0; i < model->candidates; i++) {
      const PetscReal share = PetscAbsReal(g[1][i] - g[0][i]) / (model->reach[i] * moved);
      assert_true(share <= 1 + 1e-9);
      largest = PetscMax(largest, share);
    }
  }
  print_message("  closest to its bound: %.2f\n", largest);
  assert_true(largest > 0.5); /* a bound of some use */
  for (int k = 0; k < 2; k++) {
    free(g[k]);
    free(touch[k]);
    CHECK(NsVecsDestroy(&q[k], NULL));
  }
  test_run_close(&test);
}

/* More rows in one island than there is room for: the step stops with their number, and the state is as it was. */
static void island_too_large_for_memory(void **state)
{
  static const char *const set[] = {
    "bodies.chain.mass=consistent", "bodies.chain.mesh.line.elements=40", "scheme.step=1 us", "bodies.chain.initial.velocity=[0, -500 m/s, 0]", NULL};
  TestRun       test = test_run_open(chain, set);
  NsStepOutcome outcome;
  PetscReal     t = 0;

  (void)state;
  test.run->contact->most_room = 81 * 81;
  for (int step = 0; step < 10; step++) {
    t = test.run->state.t;
    CHECK(NsSchemeStep(test.run->scheme, &test.run->state, test.run->step, &outcome));
    if (!outcome.done) break;
  }
  assert_false(outcome.done);
  assert_true(test.run->state.t == t);
  if (!strstr(outcome.reason, "82 contact rows (of 82 for the ")) fail_msg("%s", outcome.reason);
  test_run_close(&test);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(columns_and_islands),
  cmocka_unit_test(beams_have_a_band),
  cmocka_unit_test(spreading),
  cmocka_unit_test(a_chain_that_falls_flat),
  cmocka_unit_test(same_with_and_without_broad_phase),
  cmocka_unit_test(distant_nodes_are_not_looked_at),
  cmocka_unit_test(closed_candidates_are_active),
  cmocka_unit_test(gaps_keep_their_bounds),
  cmocka_unit_test(island_too_large_for_memory),
};
TEST_MAIN(tests)
