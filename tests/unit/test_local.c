/* The local contact problem: closed forms, complementarity of random problems against enumeration, singular ones, scale. */
#include "support.h"

#define MAX_ROWS 12

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

/* Solves with every registered solver, from zero; the last result is kept. */
static NsLocalResult solve(const Problem *p, PetscReal *P)
{
  NsLocalResult result = {PETSC_FALSE, 0, 0};

  for (PetscInt s = 0; NsLocalSolverTypes[s]; s++) {
    NsLocalSolver *solver;
    CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], MAX_ROWS, MAX_ROWS, &solver));
    for (PetscInt i = 0; i < p->problem.rows; i++) P[i] = 0;
    CHECK(NsLocalSolve(solver, &p->problem, P, &result));
    CHECK(NsLocalSolverDestroy(&solver));
  }
  return result;
}

/* Repeatable numbers in (-1, 1). */
static PetscReal draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (PetscReal)(*seed >> 11) / (PetscReal)(1ULL << 52) - 1;
}

static void one_contact(void **state)
{
  Problem   p;
  PetscReal P[MAX_ROWS];

  (void)state;
  prepare(&p, 1, 1);
  p.G[0] = 4;
  p.b[0] = -2;
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 0.5, 0);
  p.b[0] = 3; /* leaves */
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 0, 0);
  p.b[0] = 0; /* touches: no impulse */
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 0, 0);
  p.bilateral[0] = PETSC_TRUE;
  p.b[0]         = 2;
  assert_true(solve(&p, P).converged);
  assert_near(P[0], -0.5, 1e-15);
}

/* A mass point: it sticks within the cone, slides on its rim. */
static void friction_in_the_plane(void **state)
{
  Problem   p;
  PetscReal P[MAX_ROWS];

  (void)state;
  prepare(&p, 1, 2);
  p.G[0] = p.G[3] = 1;
  p.friction[0]   = 0.5;
  p.b[0]          = -2;
  p.b[1]          = 0.9;
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 2, 1e-14);
  assert_near(P[1], -0.9, 1e-14);
  p.b[1] = 3;
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 2, 1e-14);
  assert_near(P[1], -1, 1e-14);
  p.b[0] = 1; /* open: nothing rubs */
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 0, 0);
  assert_near(P[1], 0, 0);
}

static void friction_in_space(void **state)
{
  Problem   p;
  PetscReal P[MAX_ROWS];

  (void)state;
  prepare(&p, 1, 3);
  p.G[0] = p.G[4] = p.G[8] = 2;
  p.friction[0]            = 0.1;
  p.b[0]                   = -4;
  p.b[1]                   = 3;
  p.b[2]                   = -4;
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 2, 1e-13);
  assert_near(P[1], -0.2 * 0.6, 1e-13); /* against the slip, on the disc */
  assert_near(P[2], 0.2 * 0.8, 1e-13);
  p.friction[0] = 5;
  assert_true(solve(&p, P).converged);
  assert_near(P[1], -1.5, 1e-13);
  assert_near(P[2], 2, 1e-13);
}

/* A painter's block: normal and tangential are coupled, and the derivative by P_N matters. */
static void coupled_slip(void **state)
{
  Problem         p;
  PetscReal       P[MAX_ROWS];
  const PetscReal mu = 0.8;

  (void)state;
  prepare(&p, 1, 2);
  p.G[0]        = 3;
  p.G[1]        = 1;
  p.G[2]        = 1;
  p.G[3]        = 2;
  p.friction[0] = mu;
  p.b[0]        = -1;
  p.b[1]        = 4;
  assert_true(solve(&p, P).converged);
  assert_near(P[0], 1 / (3 - mu), 1e-14); /* P_T = -mu P_N in 3 P_N + P_T = 1 */
  assert_near(P[1], -mu / (3 - mu), 1e-14);
}

/* Frictionless: w = b + G P >= 0, P >= 0, w P = 0 by trying all sets of active contacts; G positive definite has exactly one. */
static void random_problems_agree_with_enumeration(void **state)
{
  uint64_t seed   = 20240229;
  PetscInt failed = 0;

  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    Problem        p;
    PetscReal      P[MAX_ROWS], A[MAX_ROWS * MAX_ROWS];
    const PetscInt n = 1 + trial % 6;
    prepare(&p, n, 1);
    for (PetscInt i = 0; i < n * n; i++) A[i] = draw(&seed);
    for (PetscInt i = 0; i < n; i++) {
      p.b[i] = draw(&seed);
      for (PetscInt j = 0; j < n; j++) {
        p.G[i * n + j] = i == j ? 0.05 : 0;
        for (PetscInt k = 0; k < n; k++) p.G[i * n + j] += A[i * n + k] * A[j * n + k];
      }
    }
    if (!solve(&p, P).converged) {
      failed++;
      continue;
    }
    for (PetscInt i = 0; i < n; i++) {
      PetscReal w = p.b[i];
      for (PetscInt j = 0; j < n; j++) w += p.G[i * n + j] * P[j];
      if (!(P[i] >= 0 && w >= -1e-10 && PetscAbsReal(w * P[i]) < 1e-9)) fail_msg("trial %d: P = %g, w = %g", trial, P[i], w);
    }
  }
  assert_true(failed <= 10); /* 0.5 %: reported as failures, never as answers */
}

/* The same contact twice: G is singular, the sum of the impulses is what counts. */
static void dependent_contacts(void **state)
{
  Problem   p;
  PetscReal P[MAX_ROWS];

  (void)state;
  prepare(&p, 3, 1);
  for (int i = 0; i < 9; i++) p.G[i] = 2;
  for (int i = 0; i < 3; i++) p.b[i] = -3;
  assert_true(solve(&p, P).converged);
  assert_near(P[0] + P[1] + P[2], 1.5, 1e-13);
  for (int i = 0; i < 3; i++) assert_true(P[i] >= 0);
}

/* A problem in micrograms is the same problem: nothing is accepted because its impulses are small. */
static void scale_does_not_matter(void **state)
{
  (void)state;
  for (int e = -20; e <= 20; e += 5) {
    Problem         p;
    PetscReal       P[MAX_ROWS];
    const PetscReal scale = pow(10, e);
    prepare(&p, 1, 2);
    p.G[0]        = 3 * scale;
    p.G[1]        = 1 * scale;
    p.G[2]        = 1 * scale;
    p.G[3]        = 2 * scale;
    p.friction[0] = 0.8;
    p.b[0]        = -1;
    p.b[1]        = 4;
    assert_true(solve(&p, P).converged);
    assert_near(P[0] * scale, 1 / 2.2, 1e-13);
  }
}

/* What cannot be solved is not "solved": no normal impulse can help here (G = 0, b < 0), nor when a number is none. */
static void no_answer_where_there_is_none(void **state)
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
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test(one_contact),
  cmocka_unit_test(friction_in_the_plane),
  cmocka_unit_test(friction_in_space),
  cmocka_unit_test(coupled_slip),
  cmocka_unit_test(random_problems_agree_with_enumeration),
  cmocka_unit_test(dependent_contacts),
  cmocka_unit_test(scale_does_not_matter),
  cmocka_unit_test(no_answer_where_there_is_none),
};
TEST_MAIN(tests)
