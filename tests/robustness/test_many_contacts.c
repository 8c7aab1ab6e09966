/*
  Problems of many contacts (contact_problems.h): the chain solves all of them, alone the interior point nearly all; the impulses depend continuously on the data, and not on the start, though
  they are not unique.

  By hand: `robustness_many_contacts 20` takes 20 seeds of each; tests/bench/contact.py the large ones.
*/
#include "contact_problems.h"
#include "support.h"

static int seeds = 2;

static const struct {
  const char *kind;
  PetscInt    rows, columns;
} kinds[] = {{"wall", 3, 4}, {"wall", 6, 8}, {"wall", 10, 5}, {"planar", 6, 8}, {"planar", 12, 12}, {"tower", 20, 1}, {"joints", 3, 4},
  {"joints", 6, 8}, {"block", 6, 0}};

static const PetscReal mus[] = {0, 0.1, 0.3, 0.6, 1};

/* P within the law, by its own words. */
static void check_law(const NsLocalProblem *p, const PetscReal *P)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt k = p->start[c], m = p->start[c + 1] - k;
    if (p->bilateral[c]) continue;
    const PetscReal tangential = m == 1 ? 0 : m == 2 ? fabs(P[k + 1]) : hypot(P[k + 1], P[k + 2]);
    assert_true(P[k] >= 0 && tangential <= p->friction[c] * P[k] * (1 + 1e-14));
  }
  assert_true(NsLocalResidual(p, P) <= 1e-11);
}

static void all_are_solved(void **state)
{
  NsLocalChain *chain;
  PetscInt      problems = 0, alone = 0;

  (void)state;
  CHECK(NsLocalChainCreate(1, 1, &chain));
  NsLocalSolver *interior = NULL;
  for (int s = 0; NsLocalSolverTypes[s]; s++) {
    if (!strcmp(NsLocalSolverTypes[s]->name, "interior_point")) CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], 1, 1, &interior));
  }
  for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
    for (int m = 0; m < 5; m++) {
      for (int seed = 0; seed < seeds; seed++) {
        ContactCase   it;
        NsLocalResult result;
        PetscReal    *P;
        CHECK(contact_case(kinds[k].kind, kinds[k].rows, kinds[k].columns, mus[m], seed, &it));
        CHECK(PetscCalloc1(it.problem.rows, &P));
        CHECK(NsLocalChainSolve(chain, &it.problem, P, &result));
        if (!result.converged)
          fail_msg(
            "%s %d x %d, mu = %g, seed %d: residual %g", kinds[k].kind, (int)kinds[k].rows, (int)kinds[k].columns, mus[m], seed, result.residual);
        check_law(&it.problem, P);
        CHECK(PetscArrayzero(P, it.problem.rows));
        CHECK(NsLocalSolve(interior, &it.problem, P, &result));
        problems++;
        alone += result.converged ? 1 : 0;
        CHECK(PetscFree(P));
        CHECK(contact_case_destroy(&it));
      }
    }
  }
  print_message("%d problems; the interior point alone solves %d\n", (int)problems, (int)alone);
  assert_true(alone >= problems * 9 / 10);
  CHECK(NsLocalSolverDestroy(&interior));
  CHECK(NsLocalChainDestroy(&chain));
}

/*
  Walls with joints and much friction, at which the interior point, Gauss-Seidel and Newton end beside the solution: the path turns. The chain solves them, by the central path; this alone needs no
  start, and solves what the others do.
*/
static void paths_that_turn(void **state)
{
  static const struct {
    const char *kind;
    PetscInt    rows, columns;
    PetscReal   mu;
    PetscInt    seed;
  } problems[] = {{"joints", 6, 8, 1, 9}, {"joints", 12, 12, 0.6, 0}, {"wall", 3, 4, 1, 0}, {"planar", 6, 8, 0.6, 0}, {"tower", 20, 1, 0.3, 0},
    {"wall", 3, 4, 0, 0}, {"block", 4, 0, 0.3, 0}};
  NsLocalChain  *chain;
  NsLocalSolver *path = NULL;

  (void)state;
  CHECK(NsLocalChainCreate(1, 1, &chain));
  for (int s = 0; NsLocalSolverTypes[s]; s++) {
    if (!strcmp(NsLocalSolverTypes[s]->name, "central_path")) CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], 1, 1, &path));
  }
  for (size_t k = 0; k < sizeof(problems) / sizeof(*problems); k++) {
    ContactCase   it;
    NsLocalResult result;
    PetscReal    *P;
    CHECK(contact_case(problems[k].kind, problems[k].rows, problems[k].columns, problems[k].mu, problems[k].seed, &it));
    CHECK(PetscCalloc1(it.problem.rows, &P));
    if (k < 2) {
      CHECK(NsLocalChainSolve(chain, &it.problem, P, &result));
      if (!result.converged) fail_msg("the chain does not solve problem %d: residual %g", (int)k, result.residual);
      check_law(&it.problem, P);
      assert_string_equal(NsLocalStageNames[chain->stage], "central_path");
      CHECK(PetscArrayzero(P, it.problem.rows));
    }
    CHECK(NsLocalSolve(path, &it.problem, P, &result));
    if (!result.converged) fail_msg("the central path does not solve problem %d: residual %g", (int)k, result.residual);
    check_law(&it.problem, P);
    CHECK(PetscFree(P));
    CHECK(contact_case_destroy(&it));
  }
  CHECK(NsLocalSolverDestroy(&path));
  CHECK(NsLocalChainDestroy(&chain));
}

static PetscReal distance(PetscInt n, const PetscReal *P, const PetscReal *Q)
{
  PetscReal most = 0;

  for (PetscInt k = 0; k < n; k++) most = PetscMax(most, fabs(P[k] - Q[k]));
  return most;
}

/* Step after step of a wall of boxes: 996 rows, and 288 unknowns of motion. */
static void impulses_are_continuous(void **state)
{
  NsLocalChain *chain;
  ContactCase   it;
  NsLocalResult result;
  PetscReal    *P, *Q, largest = 0, jump = 0;

  (void)state;
  CHECK(NsLocalChainCreate(1, 1, &chain));
  CHECK(contact_case("wall", 6, 8, 0.6, 1, &it));
  const PetscInt n = it.problem.rows;
  CHECK(PetscCalloc2(n, &P, n, &Q));
  CHECK(NsLocalChainSolve(chain, &it.problem, P, &result));
  for (PetscInt k = 0; k < n; k++) largest = PetscMax(largest, fabs(P[k]));
  for (int step = 0; step < 20; step++) {
    contact_perturb(&it, 1e-7);
    CHECK(PetscArraycpy(Q, P, n));
    CHECK(NsLocalChainSolve(chain, &it.problem, P, &result));
    assert_true(result.converged);
    if (step > 0) jump = PetscMax(jump, distance(n, P, Q));
  }
  print_message("at most %g of the largest impulse from step to step; %d iterations\n", jump / largest, (int)chain->statistics.iterations);
  assert_true(jump <= 1e-3 * largest);
  CHECK(PetscFree2(P, Q));
  CHECK(contact_case_destroy(&it));
  CHECK(NsLocalChainDestroy(&chain));
}

/* A slab on four feet, pushed along by less than friction holds: nothing moves, and of the forces that hold it the smallest are taken, whatever was before. */
static void sticking_feet_share_the_load(void **state)
{
  static const PetscReal foot[4][2] = {{0.5, 0.3}, {0.5, -0.3}, {-0.5, 0.3}, {-0.5, -0.3}}, inverse[6] = {0.1, 0.1, 0.1, 2.5, 1.25, 2.5};
  PetscReal              H[12][6], G[144], b[12], P[12] = {0}, last[12], friction[4] = {0.3, 0.3, 0.3, 0.3};
  PetscBool              bilateral[4] = {PETSC_FALSE};
  const PetscInt         start[5]     = {0, 3, 6, 9, 12};
  NsLocalProblem         problem      = {.contacts = 4, .rows = 12, .start = start, .G = G, .b = b, .friction = friction, .bilateral = bilateral};
  NsLocalChain          *chain;
  NsLocalResult          result;

  (void)state;
  for (int c = 0; c < 4; c++) {
    const PetscReal x = foot[c][0], y = foot[c][1], z = -0.05;
    const PetscReal rows[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
    memcpy(H[3 * c], rows, sizeof(rows));
  }
  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 12; j++) {
      G[12 * i + j] = 0;
      for (int k = 0; k < 6; k++) G[12 * i + j] += H[i][k] * inverse[k] * H[j][k];
    }
  }
  CHECK(NsLocalChainCreate(4, 12, &chain));
  for (int step = 0; step < 200; step++) {
    const PetscReal v[6] = {2e-3 + 1e-4 * sin(0.1 * step), 1e-4 * sin(0.1 * step), -9.81e-3, 0, 0, 0};
    memcpy(last, P, sizeof(P));
    for (int i = 0; i < 12 && step == 100; i++) P[i] *= contact_uniform();
    for (int i = 0; i < 12; i++) {
      b[i] = 0;
      for (int k = 0; k < 6; k++) b[i] += H[i][k] * v[k];
    }
    CHECK(NsLocalChainSolve(chain, &problem, P, &result));
    assert_true(result.converged);
    for (int c = 0; c < 4; c++) { /* m v by four */
      assert_near(P[3 * c + 1], -10 * v[0] / 4, 1e-8);
      assert_near(P[3 * c + 2], -10 * v[1] / 4, 1e-8);
    }
    for (int i = 0; i < 12 && step > 0; i++) assert_true(fabs(P[i] - last[i]) <= 1e-4);
  }
  CHECK(NsLocalChainDestroy(&chain));
}

/* Contacts that depend on each other, in velocities that are compatible but for a tiny rest, as restitution leaves in piles: nearly all to the tolerance all the same. */
static void nearly_compatible_velocities(void **state)
{
  static const PetscReal rests[] = {1e-12, 1e-11, 1e-10, 1e-8};
  NsLocalChain          *chain;
  PetscInt               problems = 0;

  (void)state;
  CHECK(NsLocalChainCreate(1, 1, &chain));
  for (int i = 0; i < 4 * 4 * 10; i++) {
    const PetscReal rest = rests[i % 4], mu = mus[1 + i / 4 % 4];
    ContactCase     it;
    NsLocalResult   result;
    PetscReal      *P, largest = 0;
    CHECK(contact_case(i / 16 % 2 ? "tower" : "wall", i / 16 % 2 ? 6 : 2, i / 16 % 2 ? 1 : 2 + i / 32, mu, i, &it));
    CHECK(PetscCalloc1(it.problem.rows, &P));
    for (PetscInt k = 0; k < it.problem.rows; k++) largest = PetscMax(largest, fabs(it.b[k]));
    for (PetscInt c = 0; c < it.problem.contacts; c++) it.b[it.start[c]] += rest * largest * contact_normal();
    CHECK(NsLocalChainSolve(chain, &it.problem, P, &result));
    if (!result.converged) fail_msg("problem %d: residual %g", i, result.residual);
    check_law(&it.problem, P);
    problems++;
    CHECK(PetscFree(P));
    CHECK(contact_case_destroy(&it));
  }
  for (int s = 0; NsLocalStageNames[s]; s++) print_message("  %-18s %5d\n", NsLocalStageNames[s], (int)chain->statistics.solved[s]);
  print_message("%d problems, %d of them loosely\n", (int)problems, (int)chain->statistics.loose);
  assert_true(40 * chain->statistics.loose <= problems);
  CHECK(NsLocalChainDestroy(&chain));
}

/* A large dense G with a skew part, as gyroscopic terms make it: sweeps and the chain solve the problem itself, not that of the transpose. */
static void matrices_need_not_be_symmetric(void **state)
{
  NsLocalChain  *chain;
  ContactCase    it;
  NsLocalResult  result;
  NsLocalSolver *sweeps = NULL;
  PetscReal     *P;

  (void)state;
  CHECK(NsLocalChainCreate(1, 1, &chain));
  for (int s = 0; NsLocalSolverTypes[s]; s++) {
    if (!strcmp(NsLocalSolverTypes[s]->name, "gauss_seidel")) CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], 1, 1, &sweeps));
  }
  CHECK(contact_case("block", 6, 0, 0.3, 0, &it));
  const PetscInt n = it.problem.rows;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < i; j++) {
      const PetscReal skew = 0.01 * sqrt(it.G[i * n + i] * it.G[j * n + j]) * sin((PetscReal)(i * n + j));
      it.G[i * n + j] += skew;
      it.G[j * n + i] -= skew;
    }
  }
  CHECK(PetscCalloc1(n, &P));
  CHECK(NsLocalSolve(sweeps, &it.problem, P, &result));
  assert_true(result.converged);
  check_law(&it.problem, P);
  CHECK(PetscArrayzero(P, n));
  CHECK(NsLocalChainSolve(chain, &it.problem, P, &result));
  assert_true(result.converged);
  check_law(&it.problem, P);
  CHECK(PetscFree(P));
  CHECK(contact_case_destroy(&it));
  CHECK(NsLocalSolverDestroy(&sweeps));
  CHECK(NsLocalChainDestroy(&chain));
}

int main(int argc, char **argv)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_solved), cmocka_unit_test(paths_that_turn),
    cmocka_unit_test(impulses_are_continuous), cmocka_unit_test(sticking_feet_share_the_load), cmocka_unit_test(nearly_compatible_velocities),
    cmocka_unit_test(matrices_need_not_be_symmetric)};
  int                            failed;

  if (argc > 1) seeds = atoi(argv[1]);
  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (SlepcFinalize()) return 1;
  return failed;
}
