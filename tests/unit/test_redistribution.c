/*
  Mass redistribution (src/fe/model/redistribution.c) and the static problem of nodes without mass (src/fe/model/massless.c): mass, centre and inertia of bodies against those of their lumped masses,
  back ends against each other, solutions and frequency bounds against dense matrices.
*/
#include "dense.h"

#define MATERIAL "    material: {density: 7800, young: 210 GPa, poisson: 0.3}\n"
#define METAL    "    material: {density: 7800, young: 210 GPa}\n"
#define SCHEME   "scheme: {type: massless_contact, step: 10 ns}\ntime: {end: 1 us}\n"

/* Nothing is held, so that all masses are in M. */
static const struct {
  const char *name, *text;
} models[] = {
  {"bar", "bodies:\n  a:\n    type: bar\n    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 50}}\n" METAL
          "    section: {area: 1 cm^2}\n    mass: redistributed\n"
          "contacts: {wall: {between: [a.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}}\n" SCHEME},
  {"graded, tapered, oblique bar with other material and a point mass, both ends touched",
    "bodies:\n  a:\n    type: bar\n    mesh: {line: {from: [0.1, 0.2, 0.3], to: [1.1, 0.7, 1.3], elements: 17, grading: 4}}\n" METAL
    "    section: {circle: {radius: 10 mm}}\n    section_end: {circle: {radius: 6 mm}}\n"
    "    parts: [{range: [0.184805065, 0.614991768], material: {density: 2700, young: 70 GPa}}]\n    mass: redistributed\n"
    "masses: {lump: {at: a.left, mass: 50 g}}\n"
    "contacts:\n  w: {between: [a.left, {plane: {point: [0.1, 0.2, 0.3], normal: [1, 0, 0]}}]}\n"
    "  v: {between: [a.right, {plane: {point: [1.1, 0.7, 1.3], normal: [-1, 0, 0]}}]}\n" SCHEME},
  {"beam in space, touched at its tip, a node and a place within an element",
    "bodies:\n  a:\n    type: beam\n    mesh: {line: {from: [0.1, -0.2, 0.3], to: [0.7, 0.4, 0.5], elements: 20}}\n" MATERIAL
    "    section: {rectangle: {width: 20 mm, height: 5 mm}}\n    mass: redistributed\n"
    "contacts:\n  w: {between: [a.right, {plane: {point: [0.7, 0.4, 0.5], normal: [0, -1, 0]}}], friction: 0.2}\n"
    "  v: {between: [a@0.4, {sphere: {center: [0, 0, 0], radius: 3, side: inside}}]}\n"
    "  u: {between: [a@0.2171, {plane: {point: [0, 0, -1], normal: [0, 0, 1]}}]}\n" SCHEME},
  {"lattice in space on a plane", "bodies:\n  a:\n    type: truss\n"
                                  "    mesh: {lattice: {from: [0, 0, 0], to: [0.4, 0.5, 0.4], cells: [4, 8, 4], braces: faces}}\n" METAL
                                  "    section: {circle: {radius: 2 mm}}\n    mass: redistributed\n"
                                  "contacts: {ground: {between: [a.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}}\n" SCHEME},
  {"planar frame with loads of mass where it is touched, two layers deep",
    "bodies:\n  a:\n    type: beam\n    dimension: 2\n"
    "    mesh: {lattice: {from: [0, 0, 0], to: [0.5, 0.8, 0], cells: [5, 9, 0]}}\n" MATERIAL
    "    section: {rectangle: {width: 20 mm, height: 5 mm}}\n    mass: redistributed\n"
    "masses: {foot: {at: a.left_bottom, mass: 30 g}}\n"
    "contacts:\n  ground: {between: [a.bottom, {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]}\n"
    "  side: {between: [a.left_top, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]}\n" SCHEME},
  {"shaft with a journal disc of half its weight in a ring",
    "bodies:\n  a:\n    type: rotor\n    mesh: {line: {from: [0, 0, 0], to: [600 mm, 0, 0], elements: 24}, nodes: {journal: 200 mm}}\n"
    "    material: {density: 7850, young: 210 GPa, poisson: 0.3}\n    section: {circle: {radius: 12.5 mm}}\n    mass: redistributed\n    spin: 3000 rpm\n"
    "discs: {j: {at: a.journal, mass: 1 kg, polar_inertia: 1e-3, diametral_inertia: 6e-4}}\n"
    "contacts: {rub: {between: [{node: a.journal, radius: 20 mm}, {cylinder: {center: [0.2, 0, 0], axis: [1, 0, 0], radius: 20.1 mm, side: inside}}], friction: 0.1}}\n" SCHEME},
};
#define MODELS ((int)(sizeof(models) / sizeof(models[0])))

static TestRun open_lumped(const char *text)
{
  static const char *const set[] = {"bodies.a.mass=lumped", "scheme.type=half_explicit", NULL};

  return test_run_open(text, set);
}

/* The moments 1, x, y, z, xx ... of the masses along the unknowns with this number within their nodes, about the first node; size[10]: of their absolute values. */
static void moments(const NsFe *fe, const Dense *d, PetscInt number, PetscReal moment[10], PetscReal size[10])
{
  for (int k = 0; k < 10; k++) moment[k] = size[k] = 0;
  for (PetscInt i = 0; i < fe->nodes; i++) {
    const PetscInt  unknown = NsFeNodeUnknowns(fe, i)[number];
    const PetscReal m       = d->M[unknown * (d->n + 1)];
    const PetscReal r[3]    = {fe->x[3 * i] - fe->x[0], fe->x[3 * i + 1] - fe->x[1], fe->x[3 * i + 2] - fe->x[2]};
    const PetscReal phi[10] = {1, r[0], r[1], r[2], r[0] * r[0], r[1] * r[1], r[2] * r[2], r[0] * r[1], r[1] * r[2], r[2] * r[0]};
    for (int k = 0; k < 10; k++) {
      moment[k] += m * phi[k];
      size[k] += m * PetscAbsReal(phi[k]);
    }
  }
}

static PetscBool is_listed(const NsModel *model, PetscInt unknown)
{
  const NsFe *fe = model->data;

  for (PetscInt i = 0; i < fe->massless; i++) {
    if (fe->massless_unknown[i] == unknown) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static void mass_centre_and_inertia_stay(void **state)
{
  (void)state;
  for (int m = 0; m < MODELS; m++) {
    TestRun     test = test_run_open(models[m].text, NULL), lumped = open_lumped(models[m].text);
    const Dense d = dense_matrices(&test), old = dense_matrices(&lumped);
    const NsFe *fe    = fe_of(&test);
    PetscReal   worst = 0, least = PETSC_MAX_REAL;
    assert_true(fe->massless > 0 && fe->massless == test.run->model->massless);
    assert_near(test.run->model->mass_total, lumped.run->model->mass_total, 1e-14 * lumped.run->model->mass_total);
    for (PetscInt a = 0; a < fe->body[0].node_unknowns; a++) {
      PetscReal before[10], after[10], size[10], unused[10];
      moments(fe, &d, a, after, unused);
      moments(fe_of(&lumped), &old, a, before, size);
      for (int k = 0; k < 10; k++) {
        if (size[k] > 0) worst = PetscMax(worst, PetscAbsReal(after[k] - before[k]) / size[k]);
      }
    }
    for (PetscInt i = 0; i < d.n; i++) {
      const PetscReal mass = d.M[i * (d.n + 1)];
      assert_true(is_listed(test.run->model, i) ? mass == 0 : mass > 0);
      if (mass > 0) least = PetscMin(least, mass / old.M[i * (d.n + 1)]);
    }
    print_message(
      "  %s: moments off by %.1e, least mass %.3f of the lumped one, %d unknowns without\n", models[m].name, worst, least, (int)fe->massless);
    assert_true(worst < 1e-14);
    assert_true(least > 0.25);
    test_run_close(&test);
    test_run_close(&lumped);
  }
}

/* Gravity pulls at masses where they are now: what falls freely feels no force within. */
static void falling_bodies_do_not_strain(void **state)
{
  (void)state;
  for (int m = 0; m < MODELS; m++) {
    static const char *const set[] = {"gravity=[1, 2, 3]", NULL};
    TestRun                  test  = test_run_open(models[m].text, set);
    const NsFe              *fe    = fe_of(&test);
    const PetscScalar       *a;
    Vec                      accel;
    CHECK(VecDuplicate(test.run->state.q, &accel));
    CHECK(NsModelAccel(test.run->model, 0, test.run->state.q, test.run->state.v, accel));
    CHECK(VecGetArrayRead(accel, &a));
    for (PetscInt i = 0; i < fe->nodes; i++) {
      const NsFeBody *body = &fe->body[0];
      for (PetscInt k = 0; k < body->node_unknowns; k++) {
        const PetscInt   unknown  = NsFeNodeUnknowns(fe, i)[k];
        const PetscReal *n        = body->direction[k];
        const PetscReal  expected = body->turns[k] || is_listed(test.run->model, unknown) ? 0 : n[0] + 2 * n[1] + 3 * n[2];
        assert_near(a[NsLayoutIndex(test.run->model->layout, unknown)], expected, 1e-12);
      }
    }
    CHECK(VecRestoreArrayRead(accel, &a));
    CHECK(VecDestroy(&accel));
    test_run_close(&test);
  }
}

/* A = c C + k K among them alone; what is kept between calls changes with the operator, and not the mass matrix's slot. */
static void statics_against_dense_matrices(void **state)
{
  static const char *const damped[] = {"bodies.a.damping={rayleigh: {mass: 3 1/s, stiffness: 5 us}}", NULL};
  const NsOperator         ops[]    = {{0, 0, 1}, {0, 1e4, 1}, {0, 2e5, 0.5}};

  (void)state;
  for (int m = 0; m < MODELS; m++) {
    TestRun            test  = test_run_open(models[m].text, damped);
    NsModel           *model = test.run->model;
    const Dense        d     = dense_matrices(&test);
    const NsFe        *fe    = fe_of(&test);
    const PetscInt     n     = fe->massless;
    PetscReal         *A = dense_new(&test, n * n), *x = dense_new(&test, n), error = 0, size = 0;
    Vec                b, y, v;
    const PetscScalar *ab, *ay, *av;
    CHECK(NsVecsCreate(model, &b, &y, &v, NULL));
    for (PetscInt i = 0; i < d.n; i++) CHECK(VecSetValue(b, i, PetscSinReal(1 + 3.0 * i), INSERT_VALUES));
    for (PetscInt i = 0; i < d.n; i++) CHECK(VecSetValue(v, i, PetscCosReal(2 + 5.0 * i), INSERT_VALUES));
    CHECK(VecGetArrayRead(b, &ab));
    CHECK(VecGetArrayRead(v, &av));
    for (int o = 0; o < 3; o++) {
      CHECK(NsModelFactor(model, 1, 0, b, b, ops[o]));
      CHECK(NsModelSolve(model, 1, b, y));
      for (PetscInt r = 0; r < n; r++) {
        x[r] = ab[fe->massless_unknown[r]];
        for (PetscInt c = 0; c < n; c++) {
          const PetscInt at = fe->massless_unknown[r] * d.n + fe->massless_unknown[c];
          A[r * n + c]      = ops[o].damping * (d.C[at] + d.G[at]) + ops[o].stiffness * d.K[at];
        }
      }
      dense_solve(&test, n, A, 1, x);
      CHECK(VecGetArrayRead(y, &ay));
      for (PetscInt r = 0; r < n; r++) assert_near(ay[fe->massless_unknown[r]], x[r], 1e-9 * PetscAbsReal(x[r]) + 1e-16);
      for (PetscInt i = 0; i < d.n; i++) assert_true(is_listed(model, i) || ay[i] == 0);
      CHECK(VecRestoreArrayRead(y, &ay));
    }
    CHECK(VecCopy(b, y)); /* settled: the forces at (q, v) vanish where A is K, whatever was before */
    CHECK(NsModelFactor(model, 1, 0, b, b, ops[0]));
    CHECK(NsModelSettle(model, 1, 0, y, v));
    CHECK(VecGetArrayRead(y, &ay));
    for (PetscInt i = 0; i < d.n; i++) {
      PetscReal sum = 0;
      if (!is_listed(model, i)) {
        assert_true(ay[i] == ab[i]);
        continue;
      }
      for (PetscInt j = 0; j < d.n; j++) {
        sum -= d.K[i * d.n + j] * ay[j] + (d.C[i * d.n + j] + d.G[i * d.n + j]) * av[j];
        size = PetscMax(size, PetscAbsReal(d.K[i * d.n + j]));
      }
      error = PetscMax(error, PetscAbsReal(sum));
    }
    assert_true(error < 1e-12 * size);
    CHECK(VecRestoreArrayRead(y, &ay));
    CHECK(VecRestoreArrayRead(v, &av));
    CHECK(VecRestoreArrayRead(b, &ab));
    CHECK(NsVecsDestroy(&b, &y, &v, NULL));
    test_run_close(&test);
  }
}

/* Bounds and eigensolver: the highest frequency with nodes without mass held, which is above that with them free. */
static void frequencies_are_bounded(void **state)
{
  (void)state;
  for (int m = 0; m < MODELS; m++) {
    TestRun        test  = test_run_open(models[m].text, NULL);
    NsModel       *model = test.run->model;
    const Dense    d     = dense_matrices(&test);
    const NsFe    *fe    = fe_of(&test);
    const PetscInt n = fe->massless, h = d.n - n;
    Dense          held = {.n = h, .M = dense_new(&test, h * h), .K = dense_new(&test, h * h)}, free = held;
    PetscReal     *omega = dense_new(&test, h), *inner = dense_new(&test, n * n), *side = dense_new(&test, n * h), highest, rate;
    PetscInt      *mass = NsArenaAlloc(test.arena, sizeof(*mass) * (size_t)h), at = 0;
    NsBound        bound, damping;
    if (model->analysis.gyroscopic_modes && fe->body[0].is_rotor) { /* gyroscopic terms raise the bound beyond (K, M) */
      test_run_close(&test);
      continue;
    }
    for (PetscInt i = 0; i < d.n; i++) {
      if (!is_listed(model, i)) mass[at++] = i;
    }
    for (PetscInt i = 0; i < h; i++) {
      for (PetscInt j = 0; j < h; j++) {
        held.M[i * h + j] = d.M[mass[i] * d.n + mass[j]];
        held.K[i * h + j] = d.K[mass[i] * d.n + mass[j]];
      }
    }
    dense_frequencies(&test, &held, omega);
    const PetscReal exact = omega[h - 1];
    CHECK(model->analysis.frequency_bound(model, 0, &bound, &damping));
    CHECK(model->analysis.highest_mode(model, 0, &highest, &rate));
    for (PetscInt r = 0; r < n; r++) {
      for (PetscInt c = 0; c < n; c++) inner[r * n + c] = d.K[fe->massless_unknown[r] * d.n + fe->massless_unknown[c]];
      for (PetscInt j = 0; j < h; j++) side[r * h + j] = d.K[fe->massless_unknown[r] * d.n + mass[j]];
    }
    dense_solve(&test, n, inner, h, side);
    free.K = dense_new(&test, h * h);
    for (PetscInt i = 0; i < h; i++) {
      for (PetscInt j = 0; j < h; j++) {
        free.K[i * h + j] = held.K[i * h + j];
        for (PetscInt r = 0; r < n; r++) free.K[i * h + j] -= d.K[mass[i] * d.n + fe->massless_unknown[r]] * side[r * h + j];
      }
    }
    dense_frequencies(&test, &free, omega);
    print_message("  %s: bound %.6g, solver %.6g, held %.6g, free %.6g rad/s\n", models[m].name, bound.value, highest, exact, omega[h - 1]);
    assert_near(highest, exact, 1e-6 * exact);
    assert_true(bound.value >= exact * (1 - 1e-9) && bound.value < 2.5 * exact); /* of lattices they are loose in any case */
    assert_true(omega[h - 1] <= exact * (1 + 1e-9));
    test_run_close(&test);
  }
}

/* One that is lumped and one that is consistent, so that M is no diagonal: the same motion by all back ends that can. */
static const char *const two =
  "gravity: [0, -10, 0]\n"
  "bodies:\n"
  "  a:\n"
  "    type: beam\n"
  "    dimension: 2\n"
  "    mesh: {line: {from: [0, 0.05 mm, 0], to: [0.5, 0.05 mm, 0], elements: 20}, nodes: {middle: 0.25}}\n" MATERIAL
  "    section: {rectangle: {width: 20 mm, height: 5 mm}}\n"
  "    mass: redistributed\n"
  "    damping: {rayleigh: {mass: 3 1/s, stiffness: 0.1 us}}\n"
  "    initial: {velocity: [0.3, -1, 0]}\n"
  "  b:\n"
  "    type: beam\n"
  "    dimension: 2\n"
  "    mesh: {line: {from: [0.25, -0.3, 0], to: [0.25, 0, 0], elements: 10}}\n" MATERIAL "    section: {rectangle: {width: 20 mm, height: 5 mm}}\n"
  "    mass: consistent\n"
  "supports: {clamp: {at: b.left}}\n"
  "contacts:\n"
  "  tips: {between: [a.middle, b.right], normal: [0, -1, 0], friction: 0.3}\n"
  "scheme: {type: massless_contact, step: 0.1 us}\n"
  "time: {end: 0.5 ms}\n";

static void back_ends_agree(void **state)
{
  static const char *const mass[] = {"bodies.b.mass=consistent", "bodies.b.mass=lumped"};
  static const char *const ends[] = {"free_dynamics=petsc", "free_dynamics=banded", "free_dynamics=lumped"};

  (void)state;
  for (int m = 0; m < 2; m++) {
    PetscReal *first = NULL, size = 0;
    for (int e = 0; e < (m ? 3 : 2); e++) {
      const char *const  set[]  = {mass[m], ends[e], NULL};
      TestRun            test   = test_run_open(two, set);
      const PetscInt     n      = test.run->model->unknowns;
      PetscInt           closed = 0;
      const PetscScalar *q;
      PetscReal          off = 0;
      while (test_runs(test.run)) {
        assert_false(test_step(test.run).impulsive);
        closed += NsContactReports(test.run->contact)[0].force[0] > 0 ? 1 : 0;
      }
      assert_true(closed > 500);
      if (e == 0) first = calloc((size_t)n, sizeof(*first));
      assert_non_null(first);
      CHECK(VecGetArrayRead(test.run->state.q, &q));
      for (PetscInt i = 0; i < n; i++) {
        const PetscReal value = q[NsLayoutIndex(test.run->model->layout, i)];
        if (e == 0) first[i] = value;
        size = PetscMax(size, PetscAbsReal(value));
        off  = PetscMax(off, PetscAbsReal(value - first[i]));
      }
      CHECK(VecRestoreArrayRead(test.run->state.q, &q));
      print_message("  %s, %s: closed in %d steps, off by %.1e\n", mass[m], test.run->model->solver, (int)closed, off / size);
      assert_true(off < 1e-9 * size);
      test_run_close(&test);
    }
    free(first);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(mass_centre_and_inertia_stay),
  cmocka_unit_test(falling_bodies_do_not_strain),
  cmocka_unit_test(statics_against_dense_matrices),
  cmocka_unit_test(frequencies_are_bounded),
  cmocka_unit_test(back_ends_agree),
};
TEST_MAIN(tests)
