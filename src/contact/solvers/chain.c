/*
  Solvers one after the other, until one solves. Newton solves nearly everything from the last solution; the order of the others (list.h) was found by trying on random
  states of a slider-crank with friction (tests/robustness/test_local_random.c prints which stage solves what):

      a formula                                                           one contact without friction; counts as Newton's
      Newton from the last solution
      Newton from zero
      k sweeps of Gauss-Seidel from the last solution, then Newton        k = 5, 20, 80, 320, 1280
      Lemke                                                               contacts without friction: has the last word there
      enumeration                                                         up to five contacts with friction in the plane: has the last word there
      pivoting                                                            joints with friction
      proximal Newton
      continuation from the best that is known                            again after the next two, where they end beside a solution
      interior point
      central path
      Newton from random starts with random r                             others

  Large problems (NsLocalIsSmall) go another way, for n^3 operations would be too many:

      pivoting                                                            joints, where they are more than contacts
      60 sweeps of Gauss-Seidel from the last solution                    dense ones, and where each row acts mostly on itself: elastic bodies
      proximal Newton from the last solution                              if there is one
      interior point, three paths
      continuation from the best that is known                            from a residual of NS_NEAR or less
      central path through its turning points, then continuation          both a second time, with more iterations
      k sweeps of Gauss-Seidel and proximal Newton in turns, from where that ended, and continuation

  Where all fail, the best of what they have come to is accepted up to 100 times the tolerance, and counted (`loose`).

  A problem without a solution costs all of it: 0.1 ms for one contact with friction, 1 ms for five, 10 ms for eight, 0.1 s for fifty.
*/
#include "linear.h"

#define NS_NEWTON_STEPS  25 /* of all problems that Newton solves, 1 in 1000 takes more: by then it mostly goes round in a cycle */
#define NS_MOST_RESTARTS 200
#define NS_RESTART_WORK  1e8    /* multiplications, about 0.1 s: more than 30 rows get fewer restarts, but three */
#define NS_SWEEPS        60     /* of Gauss-Seidel, where it is tried first */
#define NS_MANY_SWEEPS   20000  /* where it is the only solver */
#define NS_WARM_STEPS    12     /* of Newton's, from the last solution */
#define NS_CHANGES       3000   /* of states, in continuation: at most, and */
#define NS_CHANGED_ROWS  600000 /* over the rows, so many */
#define NS_FEW_CHANGES   100    /* from farther away */
#define NS_NEAR          1e-8   /* residual from where continuation is worth it */
#define NS_MOST_CHANGES  10000  /* the last time */
#define NS_ONE_PATH      2000   /* iterations along the central path, the first time, */
#define NS_SMALL_PATH    500    /* iterations along the central path of small problems */
#define NS_PATH          100    /* of the interior point's, on each of its paths */
#define NS_DOMINANT      1.9    /* sum of |G| in a row over its diagonal: sweeps converge; 2 in a chain of balls, where they crawl */
#define NS_LOOSE         100    /* times the tolerance */
#define NS_SAME          1e-9   /* of the largest velocity: rounding of a solution */
#define NS_SEED          0x9e3779b97f4a7c15ULL

const char *const NsLocalStageNames[] = {"newton", "newton_from_zero",
#define NS_LOCAL_NEWTON(Name)
#define NS_LOCAL_SOLVER(Name, word) #word,
#include "list.h"
#undef NS_LOCAL_SOLVER
#undef NS_LOCAL_NEWTON
  "restarts", NULL};

const char *const NsLocalChoices[] = {"auto", "newton",
#define NS_LOCAL_NEWTON(Name)
#define NS_LOCAL_SOLVER(Name, word) #word,
#include "list.h"
#undef NS_LOCAL_SOLVER
#undef NS_LOCAL_NEWTON
  NULL};

enum {
  BEFORE_SOLVERS = NS_STAGE_ZERO,
#define NS_LOCAL_NEWTON(Name)
#define NS_LOCAL_SOLVER(Name, word) STAGE_##Name,
#include "list.h"
#undef NS_LOCAL_SOLVER
#undef NS_LOCAL_NEWTON
  RESTARTS,
  STAGES
};
enum { NEWTON, PROXIMAL = STAGE_ProximalNewton - 1 }; /* positions in NsLocalSolverTypes; stage s > NS_STAGE_ZERO is that of solver s - 1 */
_Static_assert((int)STAGES <= (int)NS_MOST_STAGES, "NS_MOST_STAGES (percuss/local.h) is too small for the solvers of list.h");

static PetscErrorCode make_room(NsLocalChain *chain, PetscInt rows)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(chain->first, chain->sweeping, chain->best));
  PetscCall(PetscMalloc3(rows, &chain->first, rows, &chain->sweeping, rows, &chain->best));
  chain->max_rows = rows;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalChainCreate(PetscInt max_contacts, PetscInt max_rows, NsLocalChain **result)
{
  NsLocalChain *chain;

  PetscFunctionBegin;
  PetscCall(PetscNew(&chain));
  for (int i = 0; NsLocalSolverTypes[i]; i++) {
    PetscCall(
      NsLocalSolverCreate(NsLocalSolverTypes[i], PetscMin(max_contacts, NS_LOCAL_SMALL), PetscMin(max_rows, NS_LOCAL_SMALL), &chain->solver[i]));
  }
  NsLocalSolver *lender = chain->solver[PROXIMAL];
  for (int i = 0; NsLocalSolverTypes[i]; i++) chain->solver[i]->lender = i == PROXIMAL ? NULL : lender;
  PetscCall(NsLocalLinearCreate(lender->max_contacts, lender->max_rows, &lender->linear));
  chain->solver[NEWTON]->max_iterations = NS_NEWTON_STEPS;
  PetscCall(make_room(chain, PetscMin(max_rows, NS_LOCAL_SMALL)));
  *result = chain;
  PetscFunctionReturn(0);
}

PetscErrorCode NsLocalChainDestroy(NsLocalChain **result)
{
  NsLocalChain *chain = *result;

  PetscFunctionBegin;
  if (!chain) PetscFunctionReturn(0);
  for (int i = 0; NsLocalSolverTypes[i]; i++) PetscCall(NsLocalSolverDestroy(&chain->solver[i]));
  PetscCall(PetscFree3(chain->first, chain->sweeping, chain->best));
  PetscCall(PetscFree(chain));
  *result = NULL;
  PetscFunctionReturn(0);
}

void NsLocalChainStopBy(NsLocalChain *chain, PetscBool (*stop)(void *), void *data)
{
  for (int i = 0; NsLocalSolverTypes[i]; i++) {
    chain->solver[i]->stop      = stop;
    chain->solver[i]->stop_data = data;
  }
}

void NsLocalChainSolveBy(NsLocalChain *chain, int choice, PetscReal tolerance)
{
  chain->choice = choice;
  for (int i = 0; NsLocalSolverTypes[i] && tolerance > 0; i++) chain->solver[i]->tolerance = tolerance;
}

PetscBool NsLocalChainTakesBands(const NsLocalChain *chain)
{
  const NsLocalBand   band   = {0};
  const NsLocalSparse sparse = {.band = &band};

  return !chain->choice || NsLocalCan(chain->solver[chain->choice - 1], &(NsLocalProblem){.rows = NS_LOCAL_SMALL + 1, .sparse = &sparse});
}

/* Keeps the best residual and its P, and counts Newton's iterations over the attempts of one call; all of them as those of the stage. */
static void add_attempt(
  NsLocalChain *chain, PetscInt rows, const PetscReal *P, NsLocalResult *total, const NsLocalResult *attempt, PetscInt iterations)
{
  const PetscBool better = attempt->converged || attempt->residual < total->residual;

  chain->statistics.worked[chain->stage] += attempt->iterations;
  total->converged = attempt->converged;
  total->iterations += iterations;
  total->dependent = total->dependent || attempt->dependent;
  if (better) total->residual = attempt->residual;
  for (PetscInt k = 0; k < rows && better && !attempt->converged; k++) chain->best[k] = P[k];
}

/* One contact without friction, which is most problems: P = max(0, -b/G), at joints -b/G. False: it is another problem, or not finite. */
static PetscBool solve_alone(const NsLocalProblem *problem, PetscReal *P)
{
  if (problem->rows != 1 || !(problem->G[0] > 0) || problem->G[0] > PETSC_MAX_REAL) return PETSC_FALSE;
  const PetscReal p = -problem->b[0] / problem->G[0];
  if (!(PetscAbsReal(p) <= PETSC_MAX_REAL)) return PETSC_FALSE;
  P[0] = p > 0 || problem->bilateral[0] ? p : 0;
  return PETSC_TRUE;
}

static void begin_stage(NsLocalChain *chain, PetscInt stage)
{
  chain->stage = stage;
  chain->statistics.tried[stage]++;
}

static PetscErrorCode newton(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  NsLocalResult attempt;

  PetscFunctionBegin;
  PetscCall(NsLocalSolve(chain->solver[NsLocalIsSmall(problem) ? NEWTON : PROXIMAL], problem, P, &attempt));
  add_attempt(chain, problem->rows, P, result, &attempt, attempt.iterations);
  PetscFunctionReturn(0);
}

/* A solver that needs no Newton after it, from the start of the call; continuation from the best P that is known. */
static PetscErrorCode exact(NsLocalChain *chain, NsLocalSolver *solver, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  const PetscBool follows = solver == chain->solver[STAGE_Continuation - 1];
  NsLocalResult   attempt;

  PetscFunctionBegin;
  if (solver == chain->solver[STAGE_CentralPath - 1]) solver->max_iterations = NS_SMALL_PATH;
  if (follows) solver->max_iterations = result->residual <= NS_NEAR ? NS_CHANGES : NS_FEW_CHANGES;
  PetscCall(PetscArraycpy(P, follows && result->residual < PETSC_INFINITY ? chain->best : chain->first, problem->rows));
  PetscCall(NsLocalSolve(solver, problem, P, &attempt));
  add_attempt(chain, problem->rows, P, result, &attempt, 0);
  PetscFunctionReturn(0);
}

static PetscErrorCode from_zero(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscBool done = PETSC_TRUE; /* already, by the first attempt */

  PetscFunctionBegin;
  for (PetscInt k = 0; k < problem->rows; k++) done = done && chain->first[k] == 0;
  if (done) PetscFunctionReturn(0);
  PetscCall(PetscArrayzero(P, problem->rows));
  PetscCall(newton(chain, problem, P, result));
  PetscFunctionReturn(0);
}

/* Each time goes on with the iterations of the time before: 5, 20, 80, ... of them in all. */
static PetscErrorCode approximate(NsLocalChain *chain, NsLocalSolver *solver, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscInt done = 0;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(chain->sweeping, chain->first, problem->rows));
  for (PetscInt k = 5; k <= 1280 && !result->converged && !NsLocalStops(solver); k *= 4) {
    NsLocalResult attempt;
    solver->max_iterations = k - done;
    PetscCall(NsLocalSolve(solver, problem, chain->sweeping, &attempt));
    add_attempt(chain, problem->rows, chain->sweeping, result, &attempt, 0);
    done = k;
    PetscCall(PetscArraycpy(P, chain->sweeping, problem->rows));
    if (!result->converged) PetscCall(newton(chain, problem, P, result));
  }
  PetscFunctionReturn(0);
}

/* Uniform in (0, 1); Knuth's linear congruential generator, its upper bits. */
static PetscReal draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((PetscReal)(*seed >> 12) + 0.5) / (PetscReal)(1ULL << 52);
}

/* Impulses up to twice that which would stop the fastest row, pushing or pulling. */
static void random_start(const NsLocalProblem *p, uint64_t *seed, PetscReal *P)
{
  PetscReal fastest = 0;

  for (PetscInt k = 0; k < p->rows; k++) fastest = PetscMax(fastest, PetscAbsReal(p->b[k]));
  for (PetscInt k = 0; k < p->rows; k++) {
    const PetscReal d = p->G[k * p->rows + k], x = 2 * draw(seed) - 1;
    P[k] = d > 0 ? 2 * x * fastest / d : 0;
  }
}

static PetscErrorCode by_restarts(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  const PetscReal n = (PetscReal)problem->rows, iteration = n * n * (n / 3 + 4);
  PetscReal       work = 0;
  uint64_t        seed = NS_SEED;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < NS_MOST_RESTARTS && (work < NS_RESTART_WORK || i < 3) && !result->converged; i++) {
    const PetscInt before    = result->iterations;
    chain->solver[NEWTON]->r = PetscPowReal(10, 2 * draw(&seed) - 1);
    random_start(problem, &seed, P);
    PetscCall(newton(chain, problem, P, result));
    work += iteration * (PetscReal)(result->iterations - before);
  }
  chain->solver[NEWTON]->r = 1;
  PetscFunctionReturn(0);
}

static PetscErrorCode run_stage(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscFunctionBegin;
  if (chain->stage == NS_STAGE_NEWTON) {
    PetscCall(newton(chain, problem, P, result));
  } else if (chain->stage == NS_STAGE_ZERO) {
    PetscCall(from_zero(chain, problem, P, result));
  } else if (chain->stage == RESTARTS) {
    PetscCall(by_restarts(chain, problem, P, result));
  } else {
    NsLocalSolver *solver = chain->solver[chain->stage - 1];
    PetscCall(solver->type->approximate ? approximate(chain, solver, problem, P, result) : exact(chain, solver, problem, P, result));
  }
  PetscFunctionReturn(0);
}

static PetscBool is_finite(const NsLocalProblem *p)
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < p->rows; k++) sum += p->b[k];
  for (PetscInt64 k = 0; k < (PetscInt64)p->rows * p->rows && p->G; k++) sum += p->G[k];
  for (PetscInt k = 0; p->sparse && k < p->sparse->U.place[p->contacts]; k++) sum += p->sparse->U.value[k];
  for (PetscInt k = 0; p->sparse && k < p->sparse->Y.place[p->contacts]; k++) sum += p->sparse->Y.value[k];
  return !PetscIsInfOrNanReal(sum);
}

/* Whether the present stage is that of a method for problems of this kind which finds their solutions if there are any. */
static PetscBool has_decided(const NsLocalChain *chain, const NsLocalProblem *problem)
{
  const NsLocalSolver *solver = chain->stage > NS_STAGE_ZERO && chain->stage < RESTARTS ? chain->solver[chain->stage - 1] : NULL;

  if (chain->stage == STAGE_Pivoting) return PETSC_FALSE; /* it finds no solution for dependent contacts */
  return solver && !solver->type->approximate && solver->type->can && NsLocalCan(solver, problem);
}

/* Whether there is a start. */
static PetscBool is_warm(const NsLocalProblem *problem, const PetscReal *P)
{
  for (PetscInt k = 0; k < problem->rows; k++) {
    if (P[k] != 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* One solver, from `start`, with at most so many iterations; its stage is that of the chain. */
static PetscErrorCode alone(
  NsLocalChain *chain, int stage, PetscInt iterations, const NsLocalProblem *problem, const PetscReal *start, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver *solver = chain->solver[stage == NS_STAGE_NEWTON ? NEWTON : stage - 1];
  NsLocalResult  attempt;
  const PetscInt most = solver->max_iterations;

  PetscFunctionBegin;
  if (result->converged || !NsLocalCan(solver, problem) || NsLocalStops(solver)) PetscFunctionReturn(0);
  if (start != P) PetscCall(PetscArraycpy(P, start, problem->rows));
  begin_stage(chain, stage);
  solver->max_iterations = iterations;
  PetscCall(NsLocalSolve(solver, problem, P, &attempt));
  solver->max_iterations = most;
  add_attempt(chain, problem->rows, P, result, &attempt, solver->type->approximate ? 0 : attempt.iterations);
  PetscFunctionReturn(0);
}

/* Whether sums of |U| |Y| over the rows are less than NS_DOMINANT times G_kk: two passes over the numbers, a fifth of a sweep. */
static PetscBool is_dominant(const NsLocalProblem *p)
{
  const NsLocalBlocks *U = &p->sparse->U, *Y = &p->sparse->Y;
  PetscReal           *v = p->sparse->v;

  for (PetscInt u = 0; u < p->sparse->unknowns; u++) v[u] = 0;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   width = Y->first[c + 1] - Y->first[c], *at = Y->at + Y->first[c];
    const PetscReal *value = Y->value + Y->place[c];
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++, value += width) {
      for (PetscInt j = 0; j < width; j++) v[at[j]] += PetscAbsReal(value[j]);
    }
  }
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt   m = p->start[c + 1] - p->start[c], width = U->first[c + 1] - U->first[c], *at = U->at + U->first[c];
    const PetscReal *value = U->value + U->place[c];
    PetscReal        block[9];
    NsLocalOwnBlock(p, c, block);
    for (PetscInt i = 0; i < m; i++, value += width) {
      PetscReal sum = 0;
      for (PetscInt j = 0; j < width; j++) sum += PetscAbsReal(value[j]) * v[at[j]];
      if (!(sum <= NS_DOMINANT * block[i * m + i])) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/*
  No solver has come to the tolerance: the best P of all attempts, if its residual is at most NS_LOOSE times that. Contacts whose states are undetermined but for velocities of 1e-10 of the others'
  have Newton's method go round in a cycle next to the solution.
*/
static PetscErrorCode accept_nearly(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  const int       stage  = NsLocalIsSmall(problem) ? NS_STAGE_NEWTON : STAGE_ProximalNewton;
  NsLocalSolver  *solver = chain->solver[NsLocalIsSmall(problem) ? NEWTON : PROXIMAL];
  const PetscReal strict = solver->tolerance;

  PetscFunctionBegin;
  if (result->residual > NS_LOOSE * strict) PetscFunctionReturn(0);
  solver->tolerance = NS_LOOSE * strict;
  PetscCall(alone(chain, stage, 0, problem, chain->best, P, result)); /* no iteration: it checks, and puts P exactly within the law */
  solver->tolerance = strict;
  if (result->converged) chain->statistics.loose++;
  PetscFunctionReturn(0);
}

/* From the best that is known. */
static PetscErrorCode continuation(NsLocalChain *chain, PetscInt iterations, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscFunctionBegin;
  if (result->residual <= NS_NEAR) PetscCall(alone(chain, STAGE_Continuation, iterations, problem, chain->best, P, result));
  PetscFunctionReturn(0);
}

/* Large problems: see above. */
static PetscErrorCode solve_large(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscFunctionBegin;
  PetscCall(alone(chain, STAGE_Pivoting, chain->solver[STAGE_Pivoting - 1]->max_iterations, problem, chain->first, P, result));
  if (result->converged) PetscFunctionReturn(0);
  if (!problem->sparse || (!problem->sparse->band && is_dominant(problem))) {
    NsLocalSolver *sweeps = chain->solver[STAGE_GaussSeidel - 1];
    sweeps->impatient     = PETSC_TRUE;
    PetscCall(alone(chain, STAGE_GaussSeidel, NS_SWEEPS, problem, chain->first, P, result));
    sweeps->impatient = PETSC_FALSE;
  }
  if (is_warm(problem, chain->first)) PetscCall(alone(chain, STAGE_ProximalNewton, NS_WARM_STEPS, problem, chain->first, P, result));
  chain->solver[STAGE_InteriorPoint - 1]->impatient = PETSC_TRUE;
  PetscCall(alone(chain, STAGE_InteriorPoint, NS_PATH, problem, chain->first, P, result));
  chain->solver[STAGE_InteriorPoint - 1]->impatient = PETSC_FALSE;
  PetscCall(continuation(chain, PetscMin(NS_CHANGES, NS_CHANGED_ROWS / problem->rows), problem, P, result));
  PetscCall(alone(chain, STAGE_CentralPath, NS_ONE_PATH, problem, chain->first, P, result));
  PetscCall(continuation(chain, NS_MOST_CHANGES, problem, P, result));
  PetscCall(alone(chain, STAGE_CentralPath, chain->solver[STAGE_CentralPath - 1]->max_iterations, problem, chain->first, P, result));
  if (result->converged || !NsLocalCan(chain->solver[STAGE_GaussSeidel - 1], problem)) PetscFunctionReturn(0);
  PetscCall(PetscArraycpy(chain->first, P, problem->rows)); /* the best that is known */
  begin_stage(chain, STAGE_GaussSeidel);
  PetscCall(approximate(chain, chain->solver[STAGE_GaussSeidel - 1], problem, P, result));
  PetscCall(continuation(chain, NS_CHANGES, problem, P, result));
  PetscFunctionReturn(0);
}

/* Small problems: stage after stage. */
static PetscErrorCode solve_small(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscFunctionBegin;
  for (PetscInt stage = NS_STAGE_NEWTON; stage < STAGES; stage++) {
    begin_stage(chain, stage);
    PetscCall(run_stage(chain, problem, P, result));
    if (result->converged || has_decided(chain, problem)) break;
    if (stage == NS_STAGE_NEWTON && !is_finite(problem)) break; /* no solver can help */
    if (stage != STAGE_InteriorPoint && stage != STAGE_CentralPath) continue;
    PetscCall(continuation(chain, NS_CHANGES, problem, P, result));
    if (result->converged) break;
    chain->stage = stage;
  }
  PetscFunctionReturn(0);
}

/* The solver that was chosen, alone. */
static PetscErrorCode solve_as_chosen(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  const int      stage        = chain->choice == 1 ? NS_STAGE_NEWTON : chain->choice;
  const PetscInt most[STAGES] = {[STAGE_GaussSeidel] = NS_MANY_SWEEPS, [STAGE_ProximalNewton] = NS_PATH, [STAGE_InteriorPoint] = 2 * NS_PATH};

  PetscFunctionBegin;
  PetscCall(alone(chain, stage, most[stage] ? most[stage] : chain->solver[chain->choice - 1]->max_iterations, problem, chain->first, P, result));
  PetscFunctionReturn(0);
}

/* Of the impulses with the velocities of P the smallest, where the contacts depend on each other; P stays where they are not found. */
static PetscErrorCode take_smallest(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P)
{
  PetscReal    *smallest = chain->sweeping, size = 0, apart = 0;
  NsLocalResult attempt;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(smallest, P, problem->rows));
  PetscCall(NsLocalSolve(chain->solver[PROXIMAL], problem, smallest, &attempt));
  for (PetscInt k = 0; k < problem->rows; k++) {
    PetscReal w = 0;
    for (PetscInt j = 0; j < problem->rows; j++) w += problem->G[k * problem->rows + j] * (smallest[j] - P[j]);
    apart = PetscMax(apart, PetscAbsReal(w));
    size  = PetscMax(size, PetscAbsReal(problem->b[k]));
  }
  if (attempt.converged && apart <= NS_SAME * size) PetscCall(PetscArraycpy(P, smallest, problem->rows));
  PetscFunctionReturn(0);
}

void NsLocalChainCount(NsLocalChain *chain, PetscInt problems, PetscInt iterations, PetscInt contacts)
{
  NsLocalStatistics *statistics = &chain->statistics;

  chain->stage = NS_STAGE_NEWTON;
  statistics->calls += problems;
  statistics->tried[NS_STAGE_NEWTON] += problems;
  statistics->solved[NS_STAGE_NEWTON] += problems;
  statistics->worked[NS_STAGE_NEWTON] += problems * iterations;
  statistics->iterations += problems * iterations;
  statistics->most_iterations = PetscMax(statistics->most_iterations, iterations);
  statistics->most_contacts   = PetscMax(statistics->most_contacts, contacts);
}

PetscErrorCode NsLocalChainSolve(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  NsLocalStatistics *statistics = &chain->statistics;

  PetscFunctionBegin;
  if (solve_alone(problem, P)) {
    *result = (NsLocalResult){PETSC_TRUE, 0, 0, PETSC_FALSE};
    NsLocalChainCount(chain, 1, 0, 1);
    PetscFunctionReturn(0);
  }
  if (problem->rows > chain->max_rows) PetscCall(make_room(chain, problem->rows + problem->rows / 4));
  *result = (NsLocalResult){PETSC_FALSE, 0, PETSC_INFINITY, PETSC_FALSE};
  for (PetscInt k = 0; k < problem->rows; k++) chain->first[k] = P[k];
  if (chain->choice)
    PetscCall(solve_as_chosen(chain, problem, P, result));
  else
    PetscCall(NsLocalIsSmall(problem) ? solve_small(chain, problem, P, result) : solve_large(chain, problem, P, result));
  if (!result->converged) PetscCall(accept_nearly(chain, problem, P, result));
  if (result->converged && result->dependent && NsLocalIsSmall(problem) && !chain->choice) PetscCall(take_smallest(chain, problem, P));
  statistics->calls++;
  statistics->most_contacts = PetscMax(statistics->most_contacts, problem->contacts);
  statistics->iterations += result->iterations;
  statistics->most_iterations = PetscMax(statistics->most_iterations, result->iterations);
  if (result->converged) {
    statistics->solved[chain->stage]++;
  } else {
    chain->stage = STAGES;
    statistics->failures++;
    PetscCall(PetscArrayzero(P, problem->rows));
  }
  PetscFunctionReturn(0);
}

/* One step of Newton's method, and one for its rounding. */
PetscErrorCode NsLocalChainFit(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result)
{
  PetscFunctionBegin;
  if (!NsLocalIsSmall(problem)) {
    PetscCall(NsLocalSolve(chain->solver[STAGE_Pivoting - 1], problem, P, result));
    PetscFunctionReturn(0);
  }
  chain->solver[NEWTON]->max_iterations = 2;
  PetscCall(NsLocalSolve(chain->solver[NEWTON], problem, P, result));
  chain->solver[NEWTON]->max_iterations = NS_NEWTON_STEPS;
  result->converged                     = result->residual <= PETSC_MAX_REAL;
  PetscFunctionReturn(0);
}
