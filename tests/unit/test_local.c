/* The local contact problem: closed forms for every solver, its chain, what several or no solutions come to, singular problems, scale. */
#include "support.h"
#include "contact/solvers/small_linear.h"

#define MAX_ROWS 24

#include "count_calls.h"

typedef struct {
  NsLocalProblem problem;
  PetscInt       start[MAX_ROWS + 1];
  PetscReal      G[MAX_ROWS * MAX_ROWS], b[MAX_ROWS], friction[MAX_ROWS];
  PetscBool      bilateral[MAX_ROWS];
} Problem;

/* `contacts` contacts of `directions` rows each. */
static void prepare(Problem *p, PetscInt contacts, PetscInt directions)
{
  memset(p, 0, sizeof(*p));
  for (PetscInt i = 0; i <= contacts; i++) p->start[i] = i * directions;
  p->problem = (NsLocalProblem){contacts, contacts * directions, p->start, p->G, p->b, p->friction, p->bilateral};
}

/* A contact with friction in the plane. */
static Problem planar(PetscReal nn, PetscReal nt, PetscReal tn, PetscReal tt, PetscReal bn, PetscReal bt, PetscReal mu)
{
  Problem p;

  prepare(&p, 1, 2);
  p.G[0]        = nn;
  p.G[1]        = nt;
  p.G[2]        = tn;
  p.G[3]        = tt;
  p.b[0]        = bn;
  p.b[1]        = bt;
  p.friction[0] = mu;
  return p;
}

/* The pointers of a copied problem are its own again. */
static const NsLocalProblem *of(Problem *p)
{
  p->problem.start     = p->start;
  p->problem.G         = p->G;
  p->problem.b         = p->b;
  p->problem.friction  = p->friction;
  p->problem.bilateral = p->bilateral;
  return &p->problem;
}

static NsLocalSolver *solver_named(const char *name)
{
  NsLocalSolver *solver = NULL;

  for (PetscInt s = 0; NsLocalSolverTypes[s]; s++) {
    if (!strcmp(NsLocalSolverTypes[s]->name, name)) CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], MAX_ROWS, MAX_ROWS, &solver));
  }
  assert_non_null(solver);
  return solver;
}

/* Solved by the chain, from zero. */
static NsLocalResult solve(Problem *p, PetscReal *P)
{
  NsLocalChain *chain;
  NsLocalResult result;

  CHECK(NsLocalChainCreate(MAX_ROWS, MAX_ROWS, &chain));
  for (PetscInt i = 0; i < p->problem.rows; i++) P[i] = 0;
  CHECK(NsLocalChainSolve(chain, of(p), P, &result));
  assert_true(result.converged == (NsLocalStageNames[chain->stage] != NULL));
  CHECK(NsLocalChainDestroy(&chain));
  return result;
}

/* The chain, and every solver alone that covers the problem, come to P = expected from zero. */
static void every_solver_finds(Problem *p, const PetscReal *expected, PetscInt solvers)
{
  PetscReal      P[MAX_ROWS], size = 0;
  NsLocalSolver *solver;
  NsLocalResult  result;

  for (PetscInt i = 0; i < p->problem.rows; i++) size = PetscMax(size, PetscAbsReal(expected[i]));
  assert_true(solve(p, P).converged);
  for (PetscInt i = 0; i < p->problem.rows; i++) assert_near(P[i], expected[i], 1e-14 * size);
  assert_true(NsLocalResidual(of(p), P) <= 1e-14);
  for (PetscInt s = 0; NsLocalSolverTypes[s]; s++) {
    CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], MAX_ROWS, MAX_ROWS, &solver));
    if (NsLocalCan(solver, of(p))) {
      for (PetscInt i = 0; i < p->problem.rows; i++) P[i] = 0;
      CHECK(NsLocalSolve(solver, of(p), P, &result));
      if (!result.converged) fail_msg("%s: residual %g", NsLocalSolverTypes[s]->name, result.residual);
      for (PetscInt i = 0; i < p->problem.rows; i++) assert_near(P[i], expected[i], 1e-11 * size);
      assert_true(NsLocalResidual(of(p), P) <= 2e-12);
      solvers--;
    }
    CHECK(NsLocalSolverDestroy(&solver));
    assert_null(solver);
  }
  assert_int_equal(solvers, 0);
}

/* Repeatable numbers in (-1, 1). */
static PetscReal draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (PetscReal)(*seed >> 11) / (PetscReal)(1ULL << 52) - 1;
}

static void one_contact(void **state)
{
  Problem p;

  (void)state;
  prepare(&p, 1, 1);
  p.G[0] = 4;
  p.b[0] = -2;
  every_solver_finds(&p, (PetscReal[]){0.5}, 8);
  p.b[0] = 3; /* leaves */
  every_solver_finds(&p, (PetscReal[]){0}, 8);
  p.b[0] = 0; /* touches: no impulse */
  every_solver_finds(&p, (PetscReal[]){0}, 8);
  p.bilateral[0] = PETSC_TRUE;
  p.b[0]         = 2;
  every_solver_finds(&p, (PetscReal[]){-0.5}, 9);
}

/* A mass point: it sticks within the cone, slides on its rim. */
static void friction_in_the_plane(void **state)
{
  Problem p = planar(1, 0, 0, 1, -2, 0.9, 0.5);

  (void)state;
  every_solver_finds(&p, (PetscReal[]){2, -0.9}, 7);
  p.b[1] = 3;
  every_solver_finds(&p, (PetscReal[]){2, -1}, 7);
  p.b[1] = -3;
  every_solver_finds(&p, (PetscReal[]){2, 1}, 7);
  p.b[0] = 1; /* open: nothing rubs */
  every_solver_finds(&p, (PetscReal[]){0, 0}, 7);
  p.b[0]        = -2;
  p.friction[0] = 0; /* rows for friction, but none: Lemke too */
  every_solver_finds(&p, (PetscReal[]){2, 0}, 8);
}

static void friction_in_space(void **state)
{
  Problem p;

  (void)state;
  prepare(&p, 1, 3);
  p.G[0] = p.G[4] = p.G[8] = 2;
  p.friction[0]            = 0.1;
  p.b[0]                   = -4;
  p.b[1]                   = 3;
  p.b[2]                   = -4;
  every_solver_finds(&p, (PetscReal[]){2, -0.2 * 0.6, 0.2 * 0.8}, 6); /* against the slip, on the disc */
  p.friction[0] = 5;
  every_solver_finds(&p, (PetscReal[]){2, -1.5, 2}, 6);
  p.bilateral[0] = PETSC_TRUE; /* a joint has no cone */
  p.friction[0]  = 0;
  p.b[0]         = 4;
  every_solver_finds(&p, (PetscReal[]){-2, -1.5, 2}, 9);
}

/* A painter's block: normal and tangential are coupled, and the derivative by P_N matters. */
static void coupled_slip(void **state)
{
  Problem p = planar(3, 1, 1, 2, -1, 4, 0.8);

  (void)state;
  every_solver_finds(&p, (PetscReal[]){1 / 2.2, -0.8 / 2.2}, 7); /* P_T = -mu P_N in 3 P_N + P_T = 1 */
}

/* A contact beside a joint: the joint's impulse follows. */
static void a_joint_and_a_contact(void **state)
{
  Problem p;

  (void)state;
  prepare(&p, 2, 1);
  p.G[0]         = 2;
  p.G[1]         = 1;
  p.G[2]         = 1;
  p.G[3]         = 2;
  p.bilateral[0] = PETSC_TRUE;
  p.b[0]         = 1;
  p.b[1]         = -1;
  every_solver_finds(&p, (PetscReal[]){-1, 1}, 8);
  p.b[0] = -4; /* the joint's impulse 2 opens the contact: w = -1 + 2 */
  every_solver_finds(&p, (PetscReal[]){2, 0}, 8);
}

static void chain_of_balls(Problem *p, PetscReal *expected)
{
  prepare(p, 3, 1);
  for (int i = 0; i < 9; i++) p->G[i] = i % 4 == 0 ? 2 : i == 2 || i == 6 ? 0 : -1;
  p->b[0] = -1; /* the first ball hits three that rest: P = G^-1 (1, 0, 0) */
  for (int i = 0; i < 3; i++) expected[i] = (3 - i) / 4.0;
}

/* Balls in a row: all contacts push. */
static void several_contacts(void **state)
{
  Problem   p;
  PetscReal expected[3];

  (void)state;
  chain_of_balls(&p, expected);
  every_solver_finds(&p, expected, 8);
}

/* A problem in micrograms, or in years, is the same problem: nothing is accepted because its numbers are small, by no solver. */
static void scale_does_not_matter(void **state)
{
  (void)state;
  for (int e = -20; e <= 20; e += 5) {
    for (int f = -20; f <= 20; f += 10) {
      const PetscReal scale = pow(10, e), speed = pow(10, f), size = speed / scale / 2.2;
      Problem         p = planar(3 * scale, scale, scale, 2 * scale, -speed, 4 * speed, 0.8);
      every_solver_finds(&p, (PetscReal[]){size, -0.8 * size}, 7);
    }
  }
}

/* A gram beside a ton: the gram's impulse is 1e-6 of the ton's, and no less wanted. */
static void light_beside_heavy(void **state)
{
  Problem p;

  (void)state;
  prepare(&p, 2, 1);
  p.G[0] = 1e-3;
  p.G[3] = 1e3;
  p.b[0] = p.b[1] = -1;
  every_solver_finds(&p, (PetscReal[]){1e3, 1e-3}, 8);
  assert_true(NsLocalResidual(of(&p), (PetscReal[]){1e3, 1e-3 * (1 + 1e-8)}) > 1e-12);
}

/* ---- no, several, and dependent solutions ----------------------------------------------------------------------------------------------------- */

/* Unit mass on a guide at 45 degrees to the wall it hits, u = (v, v)/sqrt(2): normal and tangential velocity are one. */
static Problem guided_mass(PetscReal before, PetscReal e, PetscReal mu)
{
  const PetscReal u = before * PETSC_SQRT2 / 2;

  return planar(0.5, 0.5, 0.5, 0.5, (1 + e) * u, u, mu);
}

/* It must leave with e and therefore slides, P_T = -mu P_N: (1 - mu)/2 P_N = (1 + e)/sqrt(8). From mu = 1 on no impulse does that. */
static void guided_mass_separates_or_has_no_solution(void **state)
{
  Problem       p = guided_mass(-0.5, 0.2, 0.3);
  PetscReal     P[MAX_ROWS];
  NsLocalResult result;

  (void)state;
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 1.2 * PETSC_SQRT2 / 4 / 0.35, 1e-14); /* 1.212 */
  assert_near(P[1], -0.3 * P[0], 0);
  for (int i = 0; i < 2; i++) {
    p      = guided_mass(-0.5, 0.2, i ? 1.2 : 1);
    result = solve(&p, P);
    assert_false(result.converged);
    assert_true(result.iterations < 500);
    assert_true(result.residual > 1e-7 && result.residual < 10);
    assert_true(P[0] == 0 && P[1] == 0);
  }
  p = guided_mass(-0.5, 0, 1.2); /* without restitution it sticks, P_N + P_T = 1/sqrt(2), and many P do that */
  assert_true(solve(&p, P).converged);
  assert_near(P[0] + P[1], PETSC_SQRT2 / 2, 1e-14);
}

/*
  Friction strong enough to press: open, (0, 0); slip, P_T = -2 P_N in 1 + P_N + P_T = 0; stick, G P = -b. The chain keeps each of them while the data
  change a little, as from step to step; enumeration finds the nearest from anywhere.
*/
static void the_nearest_of_several(void **state)
{
  static const PetscReal solutions[3][2] = {{0, 0}, {1, -2}, {3, -4}}, later[3][2] = {{0, 0}, {1.01, -2.02}, {2.96, -3.97}};
  Problem                p         = planar(1, 1, 1, 2, 1, 5, 2);
  NsLocalSolver         *enumerate = solver_named("enumerate");
  NsLocalChain          *chain;
  NsLocalResult          result;

  (void)state;
  CHECK(NsLocalChainCreate(1, 2, &chain));
  for (int s = 0; s < 3; s++) {
    PetscReal P[2] = {solutions[s][0], solutions[s][1]};
    CHECK(NsLocalChainSolve(chain, of(&p), P, &result));
    assert_true(result.converged && result.iterations == 0 && chain->stage == NS_STAGE_NEWTON);
    assert_true(P[0] == solutions[s][0] && P[1] == solutions[s][1]);
    p.b[0] = 1.01;
    p.b[1] = 4.98;
    CHECK(NsLocalChainSolve(chain, of(&p), P, &result));
    assert_true(result.converged && result.iterations <= 1 && chain->stage == NS_STAGE_NEWTON);
    for (int i = 0; i < 2; i++) assert_near(P[i], later[s][i], 1e-14);
    p.b[0] = 1;
    p.b[1] = 5;
    for (int turn = 0; turn < 8; turn++) {
      P[0] = solutions[s][0] + 0.1 * cos(turn * PETSC_PI / 4);
      P[1] = solutions[s][1] + 0.1 * sin(turn * PETSC_PI / 4);
      CHECK(NsLocalSolve(enumerate, of(&p), P, &result));
      assert_true(result.converged);
      for (int i = 0; i < 2; i++) assert_near(P[i], solutions[s][i], 1e-14);
    }
  }
  CHECK(NsLocalChainDestroy(&chain));
  CHECK(NsLocalSolverDestroy(&enumerate));
}

/* The same contact three times: G is singular, the sum of the impulses is what counts; and the difference stays what it was at the start. */
static void dependent_contacts(void **state)
{
  (void)state;
  for (PetscInt s = 0; NsLocalSolverTypes[s]; s++) {
    Problem        p;
    PetscReal      P[3] = {0.6, 0.5, 0.1};
    NsLocalSolver *solver;
    NsLocalResult  result;
    prepare(&p, 3, 1);
    for (int i = 0; i < 9; i++) p.G[i] = 2;
    for (int i = 0; i < 3; i++) p.b[i] = -3;
    CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], 3, 3, &solver));
    if (!NsLocalCan(solver, of(&p))) {
      CHECK(NsLocalSolverDestroy(&solver));
      continue;
    }
    CHECK(NsLocalSolve(solver, of(&p), P, &result));
    assert_true(result.converged);
    assert_near(P[0] + P[1] + P[2], 1.5, 1e-13);
    for (int i = 0; i < 3; i++) assert_true(P[i] >= 0);
    if (!strcmp(solver->type->name, "semismooth_newton") || !strcmp(solver->type->name, "enumerate")) {
      assert_near(P[0] - P[1], 0.1, 1e-14);
      assert_near(P[1] - P[2], 0.4, 1e-14);
    }
    CHECK(NsLocalSolverDestroy(&solver));
  }
}

/* A problem without solution does not converge: G = 0 and b < 0, or NaN. */
static void unsolvable_problems_do_not_converge(void **state)
{
  Problem   p;
  PetscReal P[MAX_ROWS];

  (void)state;
  prepare(&p, 1, 1);
  p.b[0] = -1;
  assert_false(solve(&p, P).converged);
  p.G[0] = 1;
  p.b[0] = NAN;
  assert_false(solve(&p, P).converged);
  assert_true(P[0] == 0);
  assert_true(PetscIsNanReal(NsLocalResidual(of(&p), P)));
  p.b[0] = -1;
  p.G[0] = INFINITY;
  assert_false(solve(&p, P).converged);
  for (PetscInt s = 0; NsLocalSolverTypes[s]; s++) {
    NsLocalSolver *solver;
    NsLocalResult  result;
    p.G[0] = 1;
    p.b[0] = NAN;
    P[0]   = 0;
    CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], 1, 1, &solver));
    CHECK(NsLocalSolve(solver, of(&p), P, &result));
    assert_false(result.converged);
    p.b[0] = -1;
    p.G[0] = 0;
    P[0]   = 0;
    CHECK(NsLocalSolve(solver, of(&p), P, &result));
    assert_false(result.converged);
    CHECK(NsLocalSolverDestroy(&solver));
  }
}

/* Two contacts against each other, pressed together with all might: G P = 0, and however large P, the walls still close in. */
static void jammed(void **state)
{
  Problem   p;
  PetscReal P[MAX_ROWS];

  (void)state;
  prepare(&p, 2, 1);
  p.G[0] = p.G[3] = 1;
  p.G[1] = p.G[2] = -1;
  p.b[0] = p.b[1] = -1;
  assert_false(solve(&p, P).converged);
  assert_true(NsLocalResidual(of(&p), (PetscReal[]){1e15, 1e15}) >= 1e-6);
  p.b[1] = 1; /* one wall moves away as fast */
  assert_true(solve(&p, P).converged);
  assert_near(P[0] - P[1], 1, 1e-14);
}

/* ---- solvers against each other --------------------------------------------------------------------------------------------------------------- */

/* An impact with e = 1/2. */
static void random_problem(Problem *p, PetscInt contacts, PetscInt freedoms, PetscInt directions, PetscReal mu, uint64_t *seed)
{
  PetscReal      W[MAX_ROWS][MAX_ROWS], v[MAX_ROWS];
  const PetscInt n = contacts * directions;

  prepare(p, contacts, directions);
  for (PetscInt i = 0; i < freedoms; i++) {
    v[i] = draw(seed);
    for (PetscInt k = 0; k < n; k++) W[k][i] = draw(seed);
  }
  for (PetscInt c = 0; c < contacts; c++) p->friction[c] = mu;
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt i = 0; i < freedoms; i++) {
      p->b[k] += (k % directions ? 1 : 1.5) * W[k][i] * v[i];
      for (PetscInt l = 0; l < n; l++) p->G[k * n + l] += W[k][i] * W[l][i];
    }
  }
}

/* Frictionless: 0 <= w _|_ P >= 0 has one w. Lemke and the enumeration never fail, dependent contacts included, and all agree. */
static void smooth_problems_have_one_answer(void **state)
{
  uint64_t       seed      = 20240229;
  NsLocalSolver *lemke     = solver_named("lemke");
  NsLocalSolver *enumerate = solver_named("enumerate");

  (void)state;
  for (int trial = 0; trial < 1000; trial++) {
    const PetscInt n = 1 + trial % 8, freedoms = 1 + trial / 8 % 9;
    Problem        p;
    PetscReal      P[3][MAX_ROWS] = {{0}}, w[3];
    NsLocalResult  result;
    random_problem(&p, n, freedoms, 1, 0, &seed);
    if (trial % 5 == 4) p.bilateral[n / 2] = PETSC_TRUE;
    assert_true(solve(&p, P[0]).converged);
    CHECK(NsLocalSolve(lemke, of(&p), P[1], &result));
    assert_true(result.converged);
    CHECK(NsLocalSolve(enumerate, of(&p), P[2], &result));
    assert_true(result.converged);
    for (PetscInt i = 0; i < n; i++) {
      for (int s = 0; s < 3; s++) {
        w[s] = p.b[i];
        for (PetscInt j = 0; j < n; j++) w[s] += p.G[i * n + j] * P[s][j];
        if (p.bilateral[i])
          assert_near(w[s], 0, 1e-10);
        else if (!(P[s][i] >= 0 && w[s] >= -1e-10 && PetscAbsReal(w[s] * P[s][i]) < 1e-9))
          fail_msg("trial %d: P = %g, w = %g", trial, P[s][i], w[s]);
        assert_near(w[s], w[0], 1e-9);
      }
    }
  }
  CHECK(NsLocalSolverDestroy(&lemke));
  CHECK(NsLocalSolverDestroy(&enumerate));
}

static void what_solvers_refuse(void **state)
{
  NsLocalSolver *lemke = solver_named("lemke"), *enumerate = solver_named("enumerate");
  uint64_t       seed = 1;
  Problem        p;
  PetscReal      P[MAX_ROWS] = {0.25, 0.125};
  NsLocalResult  result;

  (void)state;
  random_problem(&p, 1, 2, 2, 0.5, &seed);
  assert_false(NsLocalCan(lemke, of(&p))); /* friction */
  CHECK(NsLocalSolve(lemke, of(&p), P, &result));
  assert_true(!result.converged && result.iterations == 0 && P[0] == 0.25 && P[1] == 0.125);
  p.bilateral[0] = PETSC_TRUE;
  assert_true(NsLocalCan(lemke, of(&p)));
  random_problem(&p, 5, 10, 2, 0.5, &seed);
  assert_true(NsLocalCan(enumerate, of(&p)));
  random_problem(&p, 6, 12, 2, 0.5, &seed); /* 4^6 states */
  assert_false(NsLocalCan(enumerate, of(&p)));
  p.bilateral[3] = PETSC_TRUE;
  assert_true(NsLocalCan(enumerate, of(&p)));
  random_problem(&p, 10, 12, 2, 0, &seed); /* 2^10 */
  assert_true(NsLocalCan(enumerate, of(&p)));
  random_problem(&p, 11, 12, 2, 0, &seed);
  assert_false(NsLocalCan(enumerate, of(&p)));
  random_problem(&p, 1, 3, 3, 0.5, &seed); /* slip in space */
  assert_false(NsLocalCan(enumerate, of(&p)));
  p.friction[0] = 0;
  assert_true(NsLocalCan(enumerate, of(&p)));
  CHECK(NsLocalSolverDestroy(&lemke));
  CHECK(NsLocalSolverDestroy(&enumerate));
}

/* ---- the chain -------------------------------------------------------------------------------------------------------------------------------- */

static PetscInt stage_named(const char *name)
{
  PetscInt stage = 0;

  while (NsLocalStageNames[stage] && strcmp(NsLocalStageNames[stage], name)) stage++;
  return stage;
}

/* A stage solves only what those before it did not; the statistics say so; the same data give the same answer, whatever came between. */
static void the_chain_goes_in_order(void **state)
{
  uint64_t       seed   = 7;
  NsLocalSolver *newton = solver_named("semismooth_newton");
  NsLocalChain  *chain, *fresh;
  PetscInt64     solved = 0, iterations = 0, most = 0;

  (void)state;
  newton->max_iterations = 25;
  CHECK(NsLocalChainCreate(MAX_ROWS / 2, MAX_ROWS, &chain));
  for (int trial = 0; trial < 400; trial++) {
    const PetscInt n = 1 + trial % 10, freedoms = 1 + trial / 10 % 8;
    Problem        p;
    PetscReal      P[MAX_ROWS], other[MAX_ROWS];
    NsLocalResult  result, once;
    random_problem(&p, n, freedoms, 2, 0.8, &seed);
    for (PetscInt i = 0; i < 2 * n; i++) P[i] = trial % 2 ? draw(&seed) : 0;
    memcpy(other, P, sizeof(P));
    CHECK(NsLocalSolve(newton, of(&p), other, &once));
    CHECK(NsLocalChainCreate(MAX_ROWS / 2, MAX_ROWS, &fresh));
    memcpy(other, P, sizeof(P));
    CHECK(NsLocalChainSolve(chain, of(&p), P, &result));
    assert_true(once.converged == (chain->stage == NS_STAGE_NEWTON));
    assert_false(chain->stage == stage_named("lemke"));              /* friction */
    assert_false(chain->stage == stage_named("restarts") && n <= 5); /* enumerated */
    assert_false(chain->stage == stage_named("enumerate") && n > 5);
    assert_false(chain->stage == NS_STAGE_ZERO && trial % 2 == 0);
    CHECK(NsLocalChainSolve(fresh, of(&p), other, &once));
    assert_memory_equal(P, other, (size_t)(2 * n) * sizeof(*P));
    assert_int_equal(once.iterations, result.iterations);
    iterations += result.iterations;
    most = PetscMax(most, result.iterations);
    if (!result.converged) assert_true(P[0] == 0 && once.residual > 1e-12);
    CHECK(NsLocalChainDestroy(&fresh));
  }
  for (int s = 0; NsLocalStageNames[s]; s++) {
    print_message("  %-18s %5d\n", NsLocalStageNames[s], (int)chain->statistics.solved[s]);
    if (s != stage_named("lemke") && s != stage_named("pivoting") && s != stage_named("central_path"))
      assert_true(chain->statistics.solved[s] > 0); /* its problems: robustness_many_contacts */
    solved += chain->statistics.solved[s];
  }
  print_message("  failures           %5d\n", (int)chain->statistics.failures);
  assert_int_equal(chain->statistics.calls, 400);
  assert_int_equal(solved + chain->statistics.failures, 400);
  assert_int_equal(chain->statistics.iterations, iterations);
  assert_int_equal(chain->statistics.most_iterations, most);
  CHECK(NsLocalChainDestroy(&chain));
  assert_null(chain);
  CHECK(NsLocalSolverDestroy(&newton));
}

/*
  Contacts whose rolling is resisted under given loads: of each resistance P_N = 0 whatever its velocity is, P_T is within the limit, and w_T against it on the limit; contacts obey their own law beside them. Newton's methods
  come to one answer; others refuse the problem.
*/
static void contacts_with_resistances(void **state)
{
  uint64_t       seed      = 11;
  NsLocalSolver *solver[2] = {solver_named("semismooth_newton"), solver_named("proximal_newton")};
  PetscInt       slips = 0, sticks = 0, solved = 0;

  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    const PetscInt n = 2 + 2 * (trial % 3), directions = 2 + trial % 2;
    Problem        p;
    PetscReal      limit[MAX_ROWS], P[2][MAX_ROWS], w[MAX_ROWS];
    NsLocalResult  result[2];
    random_problem(&p, n, directions * n + 2, directions, 0.3, &seed);
    NsLocalProblem problem = *of(&p);
    problem.limit          = limit;
    for (PetscInt c = 0; c < n; c++) {
      p.bilateral[c] = PETSC_FALSE;
      limit[c]       = c % 2 == 0 ? -1 : trial % 7 == 0 ? 0 : pow(10, 2 * draw(&seed) - 1);
    }
    for (int i = 0; NsLocalSolverTypes[i]; i++) {
      NsLocalSolver *other;
      CHECK(NsLocalSolverCreate(NsLocalSolverTypes[i], MAX_ROWS, MAX_ROWS, &other));
      assert_true(NsLocalCan(other, &problem) ==
                  (!strcmp(NsLocalSolverTypes[i]->name, "semismooth_newton") || !strcmp(NsLocalSolverTypes[i]->name, "proximal_newton")));
      CHECK(NsLocalSolverDestroy(&other));
    }
    for (int s = 0; s < 2; s++) {
      for (PetscInt k = 0; k < problem.rows; k++) P[s][k] = 0;
      CHECK(NsLocalSolve(solver[s], &problem, P[s], &result[s]));
    }
    if (!result[0].converged || !result[1].converged) continue; /* Newton's method may go round in a cycle */
    solved++;
    for (PetscInt k = 0; k < problem.rows; k++) {
      assert_near(P[0][k], P[1][k], 1e-6);
      w[k] = p.b[k];
      for (PetscInt j = 0; j < problem.rows; j++) w[k] += p.G[k * problem.rows + j] * P[0][j];
    }
    for (PetscInt c = 0; c < n; c++) {
      const PetscInt  k     = directions * c;
      const PetscReal T     = PetscSqrtReal(PetscSqr(P[0][k + 1]) + (directions == 3 ? PetscSqr(P[0][k + 2]) : 0)),
                      u     = PetscSqrtReal(PetscSqr(w[k + 1]) + (directions == 3 ? PetscSqr(w[k + 2]) : 0)),
                      along = P[0][k + 1] * w[k + 1] + (directions == 3 ? P[0][k + 2] * w[k + 2] : 0);
      const PetscReal most  = limit[c] < 0 ? p.friction[c] * P[0][k] : limit[c];
      if (limit[c] < 0)
        assert_true(P[0][k] >= 0 && w[k] >= -1e-9 && P[0][k] * w[k] < 1e-8);
      else
        assert_near(P[0][k], 0, 0);
      assert_true(T <= most * (1 + 1e-12));
      assert_near(along, -most * u, 1e-8 * (1 + most * u)); /* greatest dissipation */
      *(u > 1e-9 ? &slips : &sticks) += limit[c] > 0;
    }
  }
  assert_true(solved > 270 && slips > 50 && sticks > 50);
  for (int s = 0; s < 2; s++) CHECK(NsLocalSolverDestroy(&solver[s]));
}

/* Joints with friction under given loads: P_T within its limit, w_T against it on the limit. All solvers that cover them come to one answer, with limits that are small and large. */
static void joints_with_limits(void **state)
{
  uint64_t       seed      = 5;
  NsLocalSolver *solver[3] = {solver_named("semismooth_newton"), solver_named("pivoting"), solver_named("proximal_newton")};
  PetscInt       slips = 0, sticks = 0;

  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    const PetscInt n = 1 + trial % 5, directions = 2 + trial % 7 / 6;
    Problem        p;
    PetscReal      limit[MAX_ROWS], P[3][MAX_ROWS], w[MAX_ROWS];
    NsLocalResult  result;
    random_problem(&p, n, directions * n + 2, directions, 0, &seed);
    for (PetscInt c = 0; c < n; c++) {
      p.bilateral[c] = PETSC_TRUE;
      limit[c]       = c % 3 == 2 ? -1 : pow(10, 2 * draw(&seed) - 1);
    }
    if (trial % 7 == 0) limit[0] = 0;
    for (int s = 0; s < 3; s++) {
      NsLocalProblem problem = *of(&p);
      problem.limit          = limit;
      for (PetscInt k = 0; k < problem.rows; k++) P[s][k] = 0;
      if (!NsLocalCan(solver[s], &problem)) {
        assert_true(s == 1 && directions == 3); /* of discs pivoting knows intervals */
        memcpy(P[1], P[0], sizeof(P[1]));
        continue;
      }
      CHECK(NsLocalSolve(solver[s], &problem, P[s], &result));
      if (s == 1) assert_true(result.converged);
      if (!result.converged) continue; /* Newton's method may go round in a cycle */
      assert_true(NsLocalResidual(&problem, P[s]) <= 1e-11);
      for (PetscInt k = 0; k < problem.rows && s == 2 && directions == 2; k++) assert_near(P[2][k], P[1][k], 1e-6);
    }
    for (PetscInt k = 0; k < p.problem.rows; k++) {
      w[k] = p.b[k];
      for (PetscInt j = 0; j < p.problem.rows; j++) w[k] += p.G[k * p.problem.rows + j] * P[1][j];
    }
    for (PetscInt c = 0; c < n && directions == 2; c++) {
      assert_near(w[2 * c], 0, 1e-9);
      if (limit[c] < 0) continue;
      assert_true(PetscAbsReal(P[1][2 * c + 1]) <= limit[c]);
      if (PetscAbsReal(w[2 * c + 1]) > 1e-9) assert_near(P[1][2 * c + 1], w[2 * c + 1] > 0 ? -limit[c] : limit[c], 1e-12);
      if (PetscAbsReal(w[2 * c + 1]) > 1e-9)
        slips++;
      else
        sticks++;
    }
  }
  assert_true(slips > 100 && sticks > 100);
  for (int s = 0; s < 3; s++) CHECK(NsLocalSolverDestroy(&solver[s]));
}

/* One solver alone: it solves what it covers, as the chain does, and nothing else is tried; what it does not cover is not solved. A larger tolerance ends sweeps sooner. */
static void one_solver_is_chosen(void **state)
{
  uint64_t seed = 11;

  (void)state;
  for (int choice = 1; NsLocalChoices[choice]; choice++) {
    const PetscInt stage   = stage_named(NsLocalChoices[choice]);
    PetscInt       covered = 0, solved = 0;
    NsLocalChain  *chain;
    CHECK(NsLocalChainCreate(MAX_ROWS / 2, MAX_ROWS, &chain));
    NsLocalChainSolveBy(chain, choice, 0);
    for (int trial = 0; trial < 100; trial++) {
      const PetscInt n = 2 + trial % 6, width = 1 + trial % 2;
      Problem        p;
      PetscReal      P[MAX_ROWS], other[MAX_ROWS];
      NsLocalResult  result;
      random_problem(&p, n, width * n, width, width == 2 ? 0.2 : 0, &seed);
      const PetscBool can   = NsLocalCan(chain->solver[choice - 1], of(&p));
      const PetscBool known = solve(&p, other).converged;
      for (PetscInt i = 0; i < p.problem.rows; i++) P[i] = 0;
      CHECK(NsLocalChainSolve(chain, of(&p), P, &result));
      covered += can ? 1 : 0;
      solved += result.converged ? 1 : 0;
      assert_true(can || (!result.converged && result.residual == PETSC_INFINITY));
      assert_true(known || !result.converged || NsLocalResidual(of(&p), P) <= 1e-11);
      if (result.converged) assert_true(NsLocalResidual(of(&p), P) <= 1e-11);
    }
    print_message("  %-18s solves %d of %d\n", NsLocalChoices[choice], (int)solved, (int)covered);
    assert_true(stage == stage_named("pivoting") ? covered == 0 : covered >= 40 && solved >= covered * 9 / 10); /* there are no joints */
    assert_int_equal(chain->statistics.tried[stage], covered);
    assert_int_equal(chain->statistics.solved[stage], solved);
    for (PetscInt s = 0; NsLocalStageNames[s]; s++) assert_true(s == stage || (chain->statistics.tried[s] == 0 && chain->statistics.worked[s] == 0));
    CHECK(NsLocalChainDestroy(&chain));
  }
}

static void tolerance_is_chosen(void **state)
{
  uint64_t      seed  = 5;
  PetscInt64    fewer = 0;
  Problem       p;
  PetscReal     P[MAX_ROWS];
  NsLocalChain *chain;
  NsLocalResult result;

  (void)state;
  random_problem(&p, 6, 12, 1, 0, &seed);
  for (int loose = 0; loose < 2; loose++) {
    CHECK(NsLocalChainCreate(MAX_ROWS, MAX_ROWS, &chain));
    NsLocalChainSolveBy(chain, (int)stage_named("gauss_seidel"), loose ? 1e-4 : 1e-12);
    for (PetscInt i = 0; i < p.problem.rows; i++) P[i] = 0;
    CHECK(NsLocalChainSolve(chain, of(&p), P, &result));
    assert_true(result.converged && result.residual <= (loose ? 1e-4 : 1e-12));
    assert_true(!loose || chain->statistics.worked[chain->stage] < fewer);
    fewer = chain->statistics.worked[chain->stage];
    CHECK(NsLocalChainDestroy(&chain));
  }
}

/* An initial guess with NaN or Inf does not prevent the solution. */
static void initial_guess_that_is_not_finite(void **state)
{
  Problem       p    = planar(3, 1, 1, 2, -1, 4, 0.8);
  PetscReal     P[2] = {NAN, INFINITY};
  NsLocalChain *chain;
  NsLocalResult result;

  (void)state;
  CHECK(NsLocalChainCreate(1, 2, &chain));
  CHECK(NsLocalChainSolve(chain, of(&p), P, &result));
  assert_true(result.converged && chain->stage == NS_STAGE_ZERO);
  assert_near(P[0], 1 / 2.2, 1e-14);
  CHECK(NsLocalChainDestroy(&chain));
}

/* No contact at all is solved by nothing. */
static void nothing_to_solve(void **state)
{
  Problem       p;
  NsLocalChain *chain;
  NsLocalResult result;

  (void)state;
  prepare(&p, 0, 1);
  CHECK(NsLocalChainCreate(0, 0, &chain));
  CHECK(NsLocalChainSolve(chain, of(&p), NULL, &result));
  assert_true(result.converged && result.iterations == 0 && result.residual == 0);
  CHECK(NsLocalChainDestroy(&chain));
}

static void nothing_allocates(void **state)
{
  (void)state;
#if !NS_COUNT_CALLS
  skip();
#else
  uint64_t      seed = 3;
  NsLocalChain *chain;
  CHECK(NsLocalChainCreate(MAX_ROWS / 2, MAX_ROWS, &chain));
  assert_true(calls > 10); /* the count works */
  const long before = calls;
  for (int trial = 0; trial < 300; trial++) {
    Problem       p;
    PetscReal     P[MAX_ROWS] = {0};
    NsLocalResult result;
    random_problem(&p, 1 + trial % 8, 1 + trial % 7, 1 + trial % 3, trial % 2 ? 0.8 : 0, &seed);
    if (trial % 3 == 0) p.b[0] = -10; /* hardly solvable: all stages */
    CHECK(NsLocalChainSolve(chain, of(&p), P, &result));
  }
  assert_int_equal(calls, before);
  assert_true(chain->statistics.failures > 10 && chain->statistics.solved[NS_STAGE_NEWTON] > 10);
  CHECK(NsLocalChainDestroy(&chain));
#endif
}

/* ---- the linear solver ------------------------------------------------------------------------------------------------------------------------ */

/* A = U V' of any rank: A x = b in the sense of least squares, A' (A x - b) = 0, and x in the range of A', so that there is no smaller one. */
static void small_linear_systems(void **state)
{
  NsSmallLinear linear;
  uint64_t      seed = 5;

  (void)state;
  CHECK(NsSmallLinearCreate(8, &linear));
  for (int trial = 0; trial < 1000; trial++) {
    const PetscInt n = 1 + trial % 8, rank = 1 + (trial / 8) % n;
    PetscReal      U[8][8], V[8][8], A[64], b[8], x[8], r[8];
    for (PetscInt i = 0; i < n; i++) {
      b[i] = draw(&seed);
      for (PetscInt k = 0; k < rank; k++) {
        U[i][k] = draw(&seed) + (i == k ? 3 : 0);
        V[i][k] = draw(&seed) + (i == k ? 3 : 0);
      }
    }
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j < n; j++) {
        A[i * n + j] = 0;
        for (PetscInt k = 0; k < rank; k++) A[i * n + j] += U[i][k] * V[j][k];
      }
    }
    assert_int_equal(NsSmallLinearSolve(&linear, n, A, b, x), rank);
    for (PetscInt i = 0; i < n; i++) {
      r[i] = -b[i];
      for (PetscInt j = 0; j < n; j++) r[i] += A[i * n + j] * x[j];
      if (rank == n) assert_near(r[i], 0, 1e-12);
    }
    for (PetscInt j = 0; j < n; j++) {
      PetscReal sum = 0;
      for (PetscInt i = 0; i < n; i++) sum += A[i * n + j] * r[i];
      assert_near(sum, 0, 1e-11);
    }
    /* x = V y: the least squares of that leave nothing */
    for (PetscInt i = 0; i < rank; i++) {
      for (PetscInt j = 0; j < rank; j++) {
        A[i * rank + j] = 0;
        for (PetscInt k = 0; k < n; k++) A[i * rank + j] += V[k][i] * V[k][j];
      }
      b[i] = 0;
      for (PetscInt k = 0; k < n; k++) b[i] += V[k][i] * x[k];
    }
    assert_int_equal(NsSmallLinearSolve(&linear, rank, A, b, b), rank);
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt k = 0; k < rank; k++) x[i] -= V[i][k] * b[k];
      assert_near(x[i], 0, 1e-12);
    }
  }
  CHECK(NsSmallLinearDestroy(&linear));
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(one_contact),
  cmocka_unit_test(friction_in_the_plane),
  cmocka_unit_test(friction_in_space),
  cmocka_unit_test(coupled_slip),
  cmocka_unit_test(a_joint_and_a_contact),
  cmocka_unit_test(several_contacts),
  cmocka_unit_test(scale_does_not_matter),
  cmocka_unit_test(light_beside_heavy),
  cmocka_unit_test(guided_mass_separates_or_has_no_solution),
  cmocka_unit_test(the_nearest_of_several),
  cmocka_unit_test(dependent_contacts),
  cmocka_unit_test(unsolvable_problems_do_not_converge),
  cmocka_unit_test(jammed),
  cmocka_unit_test(smooth_problems_have_one_answer),
  cmocka_unit_test(what_solvers_refuse),
  cmocka_unit_test(the_chain_goes_in_order),
  cmocka_unit_test(joints_with_limits),
  cmocka_unit_test(contacts_with_resistances),
  cmocka_unit_test(one_solver_is_chosen),
  cmocka_unit_test(tolerance_is_chosen),
  cmocka_unit_test(initial_guess_that_is_not_finite),
  cmocka_unit_test(nothing_to_solve),
  cmocka_unit_test(nothing_allocates),
  cmocka_unit_test(small_linear_systems),
};
TEST_MAIN(tests)
