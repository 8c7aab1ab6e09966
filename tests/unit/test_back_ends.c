/* Back ends: how one is chosen, the same results to rounding; positions of models; banded storage. */
#include "support.h"
#include "core/petsc_message.h"
#include "fe/backend/band.h"

/* A bar, a frame of beams and a rotor with its housing, joined by a spring; damping, gyroscopic terms, a support, contact. */
static const char *const all_kinds =
  "gravity: [0, 0, -9.81]\n"
  "bodies:\n"
  "  bar:\n"
  "    type: bar\n"
  "    mesh: {line: {from: [2, 0, 0], to: [3, 0, 0], elements: 7, grading: 2}}\n"
  "    material: {density: 7800, young: 210 GPa}\n"
  "    section: {circle: {radius: 10 mm}}\n"
  "    damping: {rayleigh: {mass: 3 1/s, stiffness: 20 ns}}\n"
  "  shaft:\n"
  "    type: rotor\n"
  "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 6}}\n"
  "    material: {density: 7800, young: 210 GPa}\n"
  "    section: {circle: {radius: 10 mm}}\n"
  "    spin: 3000 rpm\n"
  "  housing: {type: rigid, at: [0, 0, 0], mass: 2, inertia: [0.01, 0.01, 0.01]}\n"
  "discs: {wheel: {at: shaft@0.4, mass: 3, polar_inertia: 0.02, diametral_inertia: 0.01}}\n"
  "unbalances: {mark: {at: shaft@0.4, mass_eccentricity: 1e-4 kg m}}\n"
  "bearings:\n"
  "  left: {between: [shaft.left, housing.center], stiffness: [1e6, 2e5, -1e5, 2e6], damping: 50}\n"
  "  right: {between: [shaft.right, ground], stiffness: 1e6, damping: [10, 20]}\n"
  "  mount: {between: [housing.center, ground], stiffness: 1e7, rotational_stiffness: 1e4}\n"
  "springs: {far: {between: [bar.left, housing.center], stiffness: 1e5, damping: 3}}\n"
  "supports: {clamp: {at: bar.right, fix: x}}\n"
  "contacts: {stop: {between: [{node: shaft@0.7, radius: 10 mm}, {plane: {point: [0, 0, -10.01 mm], normal: [0, 0, 1]}}], friction: 0.2}}\n"
  "scheme: {type: half_explicit, step: 2 us}\n"
  "time: {end: 1}\n";

static PetscReal difference(const char *const *first, const char *const *second, int steps)
{
  TestRun   a = test_run_open(all_kinds, first), b = test_run_open(all_kinds, second);
  PetscReal size, error;

  for (int i = 0; i < steps; i++) {
    (void)test_step(a.run);
    (void)test_step(b.run);
  }
  CHECK(VecNorm(a.run->state.v, NORM_INFINITY, &size));
  CHECK(VecAXPY(b.run->state.v, -1, a.run->state.v));
  CHECK(VecNorm(b.run->state.v, NORM_INFINITY, &error));
  test_run_close(&a);
  test_run_close(&b);
  assert_true(size > 1e-3);
  return error / size;
}

static void back_ends_agree(void **state)
{
  const char *const banded[] = {"free_dynamics=banded", NULL}, *const petsc[] = {"free_dynamics=petsc", NULL};
  const char *const implicit_banded[] = {"free_dynamics=banded", "scheme={type: moreau_jean, step: 20 us}", NULL};
  const char *const implicit_petsc[]  = {"free_dynamics=petsc", "scheme={type: moreau_jean, step: 20 us}", NULL};

  (void)state;
  assert_near(difference(banded, petsc, 2000), 0, 1e-10);
  assert_near(difference(implicit_banded, implicit_petsc, 500), 0, 1e-10); /* A is unsymmetric: gyroscopic, and a bearing that circulates */
}

/* Two stepped bars with a mass, dashpots and a spring between distant points, and a planar beam: long enough for lanes. Contacts at both ends of the bars. */
static const char *const long_chains = "gravity: [1, -9.81, 0]\n"
                                       "bodies:\n"
                                       "  thin:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 97}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {circle: {radius: 10 mm}}\n"
                                       "    parts: [{range: [0.298969072, 0.505154639], section: {circle: {radius: 15 mm}}}]\n"
                                       "    damping: {rayleigh: {mass: 3 1/s, stiffness: 20 ns}}\n"
                                       "    initial: {velocity: [-1, 0, 0]}\n"
                                       "  graded:\n"
                                       "    type: bar\n"
                                       "    mesh: {line: {from: [2, 0, 0], to: [3, 0, 0], elements: 150, grading: 2}}\n"
                                       "    material: {density: 7800, young: 210 GPa}\n"
                                       "    section: {circle: {radius: 10 mm}}\n"
                                       "masses: {lump: {at: thin.right, mass: 0.2}}\n"
                                       "springs: {far: {between: [thin.left, graded.left], stiffness: 1e6, damping: 30}}\n"
                                       "supports: {end: {at: graded.right}}\n"
                                       "contacts:\n"
                                       "  wall: {between: [thin.left, {plane: {point: [-1 um, 0, 0], normal: [1, 0, 0]}}], restitution: 0.5}\n"
                                       "  gap: {between: [graded.left, {plane: {point: [1.999999, 0, 0], normal: [1, 0, 0]}}]}\n"
                                       "scheme: {type: half_explicit, step: 50 ns}\n"
                                       "time: {end: 1}\n";

static const char *const long_beam = "bodies:\n"
                                     "  beam:\n"
                                     "    type: beam\n"
                                     "    dimension: 2\n"
                                     "    mesh: {line: {from: [0, 0, 0], to: [3, 0, 0], elements: 150}}\n"
                                     "    material: {density: 7800, young: 210 GPa, poisson: 0.3}\n"
                                     "    section: {rectangle: {width: 20 mm, height: 20 mm}}\n"
                                     "    damping: {rayleigh: {mass: 3 1/s}}\n"
                                     "supports: {clamp: {at: beam.left}}\n"
                                     "loads: {blow: {at: beam.right, force: [0, -200, 0]}}\n"
                                     "contacts: {stop: {between: [beam.right, {plane: {point: [0, -1 um, 0], normal: [0, 1, 0]}}], friction: 0.2}}\n"
                                     "scheme: {type: half_explicit, step: 0.2 us}\n"
                                     "time: {end: 1}\n";

/* Largest difference of velocities, relative to them; layouts may differ. */
static PetscReal apart(const char *config, const char *const *first, const char *const *second, const char *kind, int steps)
{
  TestRun         a = test_run_open(config, first), b = test_run_open(config, second);
  const NsLayout *la = a.run->model->layout, *lb = b.run->model->layout;
  PetscReal       size = 0, error = 0;
  PetscInt        impulsive = 0;

  assert_string_equal(a.run->model->solver, kind);
  for (int i = 0; i < steps; i++) {
    if (test_step(a.run).impulsive) impulsive++;
    (void)test_step(b.run);
  }
  assert_true(impulsive > 0);
  const PetscReal *va = NsVecRead(a.run->state.v), *vb = NsVecRead(b.run->state.v);
  for (PetscInt i = 0; i < a.run->model->unknowns; i++) {
    size  = PetscMax(size, PetscAbsReal(va[NsLayoutIndex(la, i)]));
    error = PetscMax(error, PetscAbsReal(va[NsLayoutIndex(la, i)] - vb[NsLayoutIndex(lb, i)]));
  }
  test_run_close(&a);
  test_run_close(&b);
  return error / size;
}

static void long_chains_agree(void **state)
{
  const char *const petsc[] = {"free_dynamics=petsc", NULL}, *const any[] = {"free_dynamics=auto", NULL};
  const char *const lumped[]       = {"bodies.thin.mass=lumped", "bodies.graded.mass=lumped", NULL};
  const char *const lumped_petsc[] = {"bodies.thin.mass=lumped", "bodies.graded.mass=lumped", "free_dynamics=petsc", NULL};
  const char *const lumped_band[]  = {"bodies.thin.mass=lumped", "bodies.graded.mass=lumped", "free_dynamics=banded", NULL};
  const char *const implicit[] = {"scheme={type: moreau_jean, step: 1 us}", NULL}, *const implicit_petsc[] = {
                                                                                     "scheme={type: moreau_jean, step: 1 us}", petsc[0], NULL};
  TestRun test = test_run_open(long_chains, any);

  (void)state;
  assert_false(NsLayoutIsNatural(test.run->model->layout)); /* lanes */
  test_run_close(&test);
  assert_near(apart(long_chains, any, petsc, "banded", 2000), 0, 1e-10);
  assert_near(apart(long_chains, lumped, lumped_petsc, "lumped", 2000), 0, 1e-10);
  assert_near(apart(long_chains, lumped, lumped_band, "lumped", 2000), 0, 1e-10);
  assert_near(apart(long_chains, implicit, implicit_petsc, "banded", 200), 0, 1e-9);
  assert_near(apart(long_beam, any, petsc, "banded", 2000), 0, 1e-9);
}

static void expect_back_end(const char *const *set, const char *name)
{
  TestRun test = test_run_open(long_chains, set);

  assert_string_equal(test.run->model->solver, name);
  test_run_close(&test);
}

/* Each back end states which models it suits; the key and PETSc's options override it. */
static void back_end_is_chosen_by_structure(void **state)
{
  static const char *const lumped[]          = {"bodies.thin.mass=lumped", "bodies.graded.mass=lumped", NULL};
  static const char *const lumped_implicit[] = {
    "bodies.thin.mass=lumped", "bodies.graded.mass=lumped", "scheme={type: moreau_jean, step: 1 us}", NULL};
  static const char *const forced[] = {"bodies.thin.mass=lumped", "bodies.graded.mass=lumped", "free_dynamics=lumped", NULL};

  (void)state;
  expect_back_end(NULL, "banded");
  expect_back_end(lumped, "lumped");
  expect_back_end(lumped_implicit, "banded");
  CHECK(PetscOptionsSetValue(NULL, "-ksp_type", "cg"));
  expect_back_end(lumped, "petsc");
  expect_back_end(forced, "lumped");
  CHECK(PetscOptionsClearValue(NULL, "-ksp_type"));
}

static PetscErrorCode move_twice_as_far(NsModel *model, Vec q0, PetscReal h, Vec v, Vec q1)
{
  (void)model;
  return VecWAXPY(q1, 2 * h, v, q0);
}

/* q0 + h v, in place too, unless the model has its own operation. */
static void positions_move(void **state)
{
  TestRun   test  = test_run_open(all_kinds, NULL);
  NsModel  *model = test.run->model;
  const Vec v     = test.run->state.v;
  Vec       q, start;

  (void)state;
  CHECK(NsVecsCreate(model, &start, &q, NULL));
  CHECK(VecSet(start, 3));
  CHECK(VecCopy(start, q));
  CHECK(NsModelMove(model, q, 0.5, v, q));
  for (PetscInt i = 0; i < model->unknowns; i++) assert_near(NsVecRead(q)[i], 3 + 0.5 * NsVecRead(v)[i], 1e-15);
  CHECK(NsModelMove(model, start, -0.25, v, q));
  for (PetscInt i = 0; i < model->unknowns; i++) assert_near(NsVecRead(q)[i], 3 - 0.25 * NsVecRead(v)[i], 1e-15);
  model->dynamics.move = move_twice_as_far;
  CHECK(NsModelMove(model, start, 0.25, v, q));
  for (PetscInt i = 0; i < model->unknowns; i++) assert_near(NsVecRead(q)[i], 3 + 0.5 * NsVecRead(v)[i], 1e-15);
  model->dynamics.move = NULL;
  CHECK(NsVecsDestroy(&start, &q, NULL));
  test_run_close(&test);
}

/* Models without an operation that they need. */
static void missing_operations_are_named(void **state)
{
  TestRun test                        = test_run_open(all_kinds, NULL);
  NsModel without                     = *test.run->model;
  char    message[PETSC_MAX_PATH_LEN] = "";

  (void)state;
  CHECK(NsModelCheck(&without));
  without.dynamics.settle = NULL; /* all unknowns have mass */
  CHECK(NsModelCheck(&without));
  without.contact.rows = NULL;
  CHECK(PetscPushErrorHandler(NsKeepMessage, message));
  assert_int_equal(NsModelCheck(&without), PETSC_ERR_PLIB);
  CHECK(PetscPopErrorHandler());
  assert_non_null(strstr(message, "lacks the operation contact.rows"));
  test_run_close(&test);
}

/* Rows of different length, an isolated unknown, fill-in below a gap. */
static void factor_solves(void **state)
{
  enum { N = 7 };
  static const PetscReal value[N][N] = {
    {4, 1, 0, 0, 0.5, 0, 0},
    {1, 5, 0, 0, 0, 0, 0},
    {0, 0, 3, 1, 0, 0, 0},
    {0, 0, 1, 6, 2, 0, 0},
    {0.5, 0, 0, 2, 7, 0, 0.25},
    {0, 0, 0, 0, 0, 2, 0},
    {0, 0, 0, 0, 0.25, 0, 3},
  };
  NsSparse     A = {.rows = N};
  NsProfile    profile;
  NsBandFactor factor = {NULL};
  PetscReal   *band, b[N], x[N], y[N];

  (void)state;
  CHECK(PetscCalloc1(N + 1, &A.start));
  CHECK(PetscMalloc1(N * N, &A.column));
  CHECK(PetscMalloc1(N * N, &A.value));
  for (int i = 0; i < N; i++) {
    A.start[i + 1] = A.start[i];
    for (int j = 0; j < N; j++) {
      if (value[i][j] == 0) continue;
      A.column[A.start[i + 1]]  = j;
      A.value[A.start[i + 1]++] = value[i][j];
    }
    b[i] = 1 + i * i;
  }
  CHECK(NsProfileCreate(1, (const NsSparse *[]){&A}, &profile));
  CHECK(NsProfileTake(&profile, &A, &band));
  CHECK(NsBandFactorCreate(&profile, &factor));
  assert_true(NsBandFactorize(&factor, band));
  NsBandSolve(&factor, b, x);
  NsBandMult(&profile, band, x, y);
  for (int i = 0; i < N; i++) assert_near(y[i], b[i], 1e-13 * 50);
  assert_near(NsBandProduct(&profile, band, 0, N, b, x), 1 + 4 + 25 + 100 + 17 * 17 + 26 * 26 + 37 * 37, 1e-10);
  for (PetscInt i = 0; i < profile.entries; i++) band[i] = -band[i];
  assert_false(NsBandFactorize(&factor, band)); /* not positive definite */
  CHECK(PetscFree(band));
  CHECK(NsBandFactorDestroy(&factor));
  CHECK(NsProfileDestroy(&profile));
  CHECK(NsSparseDestroy(&A));
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(back_ends_agree),
  cmocka_unit_test(long_chains_agree),
  cmocka_unit_test(back_end_is_chosen_by_structure),
  cmocka_unit_test(positions_move),
  cmocka_unit_test(missing_operations_are_named),
  cmocka_unit_test(factor_solves),
};

TEST_MAIN(tests)
