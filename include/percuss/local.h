/*
  The local contact problem, on plain small arrays:

      w = b + G P     (b: free relative velocity, plus the shift s = e u^- of an impact; 0 for forces)     and for every contact

      normal     0 <= w_N  _|_  P_N >= 0
      friction   -w_T in the normal cone of the disc |P_T| <= mu P_N (planar: the interval; anisotropic: an ellipse) at P_T
      bilateral  w = 0; with a limit: w_N = 0, and -w_T in the normal cone of the disc |P_T| <= limit at P_T (friction in joints, where others carry the load)
      resistance not bilateral, with a limit: P_N = 0 whatever w_N is, and the same disc (moments against rotations, where another contact carries the load)

  G need not be symmetric and may be singular (dependent contacts): P is then one of many, w is what counts. With friction there may be several solutions w (wedged contacts), or
  none (Painleve): see the chain below.

  Use an NsLocalChain, which tries solvers until one succeeds. A single NsLocalSolver may fail, and reports it.
*/
#pragma once
#include <petscsys.h>

/* Each contact c has a dense block, value[place[c] ...], of size [rows of c, width], row-major. Its columns belong to the unknowns at[first[c]] .. at[first[c + 1] - 1], ascending; width is their number. */
typedef struct {
  PetscInt  *first, *place; /* [contacts + 1] */
  PetscInt  *at;
  PetscReal *value;
} NsLocalBlocks;

/* A symmetric, positive definite matrix with a narrow band, its factors and the numbers of its inverse within the band: src/contact/solvers/band.h says how they are stored. */
typedef struct {
  PetscInt         n, half; /* half: most |i - j| of an entry, and of two unknowns of a contact */
  const PetscReal *A, *factor, *inverse;
} NsLocalBand;

/*
  G = U Y: contacts act on each other by unknowns v of what they touch,  w_c = b_c + U_c v,  v = sum_c Y_c P_c.  Between rigid or lumped bodies both are a few numbers a contact,
  where G has a block for each pair of contacts of a body.
  Or G = U A^-1 Y: elastic bodies whose matrix has a narrow band (beams), on which all contacts act on each other.
*/
typedef struct {
  PetscInt           unknowns;
  NsLocalBlocks      U, Y; /* Y: the columns of a contact as rows of its block */
  PetscReal         *v;    /* [unknowns] scratch; with `band`, its zeros before and after it, too */
  const NsLocalBand *band; /* A; NULL: G = U Y */
} NsLocalSparse;

typedef struct {
  PetscInt         contacts, rows;
  const PetscInt  *start;     /* [contacts + 1]; a contact's rows: normal, then up to two tangents */
  const PetscReal *G;         /* [rows, rows] row-major, 1/kg; NULL: `sparse` has it */
  const PetscReal *b;         /* [rows] u_free + shift, m/s */
  PetscReal       *friction;  /* [contacts] mu; anisotropic: along tangent 1 */
  PetscBool       *bilateral; /* [contacts] */
  /* for large problems */
  const NsLocalSparse *sparse; /* NULL: G is dense */
  const PetscReal     *scale;  /* [rows] for solvers: the unit form is scale_k G_kj scale_j; NULL: G itself */
  const PetscReal
    *limit; /* [contacts] N s (for rotations N m s), limits of joints and resistances, see above; negative: no limit; NULL: no contact has one */
  const PetscReal *across; /* [contacts] anisotropic friction: mu along tangent 2 over that along tangent 1, 0: the same; NULL: all 0 */
} NsLocalProblem;

#define NS_LOCAL_SMALL 96 /* most rows of problems for methods with n^3 operations and for copies of G */

/* Whether G is dense and small, and its unit form a matrix of its own. */
static inline PetscBool NsLocalIsSmall(const NsLocalProblem *problem)
{
  return problem->G && problem->rows <= NS_LOCAL_SMALL;
}

typedef struct {
  PetscBool converged;
  PetscInt  iterations; /* the solver's own: Newton steps, sweeps, pivots, states */
  PetscReal residual;   /* NsLocalResidual at the end, before P is set exactly onto the law (open contacts to 0, slip onto the cone) */
  PetscBool dependent;  /* contacts turned out to depend on each other: P is one of many */
} NsLocalResult;

/*
  The residual every solver is judged by: the largest row of |p - proj(p - w / sqrt(d))|, over the largest of |b| / sqrt(d) and |p|, all in sqrt(J).
  Here p = sqrt(d) P, and d_k = G_kk, rounded to a power of four; of two tangents the larger one counts, the largest of all where G_kk vanishes. With anisotropic
  friction sqrt(d) of tangent 2 is that of tangent 1 over `across`, which makes a disc of the ellipse and keeps the work P . w.
    It is relative. With an absolute tolerance, any P would "solve" a contact of tiny mass; with P in place of p, any P would solve a light contact
  next to a heavy one. |p| is limited to 1e6 times the largest |b| / sqrt(d): the impulses of jammed contacts are not bounded, and
  relative to very large ones every velocity would be small. The residual is NaN if any value is NaN.
*/
PetscReal NsLocalResidual(const NsLocalProblem *problem, const PetscReal *P);

/* ---- one solver ------------------------------------------------------------------------------------------------------------------------------ */

typedef struct NsLocalSolver NsLocalSolver;

/*
  To add a solver: its file in src/contact/solvers, and a line in list.h there, at its place in the order of trying.
  `solve` is handed the problem in unit form: P in units of 1/sqrt(d), w of sqrt(d) (d: see NsLocalResidual). There the diagonal of G is between
  1/2 and 2 (or less, where it vanishes), all rows have the same scale, and the projections need no parameter r. It starts at P, and returns its last iterate in P, the w of this P
  in solver->w, and iterations and residual in the result. For small problems (NsLocalIsSmall) the unit G is stored as a matrix;
  for others it is accessible only through NsLocalVelocities, NsLocalOwnBlock and the linear systems of solvers/linear.h.
*/
typedef struct {
  const char *name, *about;
  PetscBool
            approximate; /* the method only approaches a solution, and the chain completes it by Newton's method; false: if the method covers a problem and finds no solution, there is none */
  PetscBool limits;      /* the method covers contacts with a limit */
  PetscBool (*can)(const NsLocalProblem *);  /* whether the method covers the problem; NULL: it covers all problems (with `limits`) */
  PetscErrorCode (*create)(NsLocalSolver *); /* workspace for max_rows, max_contacts; may set max_iterations, if it is 0 */
  PetscErrorCode (*solve)(NsLocalSolver *, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *);
  PetscErrorCode (*destroy)(NsLocalSolver *);
} NsLocalSolverType;

struct NsLocalSolver {
  const NsLocalSolverType *type;
  PetscInt                 max_contacts, max_rows;
  PetscInt                 max_small;      /* rows of the largest problem that is small */
  PetscReal                tolerance;      /* of NsLocalResidual: 1e-12 */
  PetscInt                 max_iterations; /* see NsLocalResult */
  PetscBool                impatient; /* it ends as soon as its convergence is too slow for max_iterations, or others do better from where it is */
  PetscReal                r;         /* Newton's parameter in P - r w: 1; another one leads it through other states to the same solutions */
  void                    *data;
  PetscBool (*stop)(void *); /* called between iterations of long solves, with stop_data; true: end without a solution; NULL: not called */
  void *stop_data;
  /* private */
  struct NsLocalLinear *linear; /* see NsLocalSolverLinear */
  NsLocalSolver        *lender; /* the solver that owns `linear`; NULL: this one */
  NsLocalProblem        unit;
  NsLocalSparse         sparse;                   /* of `unit` */
  PetscReal            *U, *Y;                    /* its numbers */
  PetscInt              most_U, most_Y;           /* room for them */
  PetscReal            *G, *b, *friction, *limit; /* of `unit`; G: up to NS_LOCAL_SMALL rows */
  PetscReal            *root, *inverse;           /* [max_rows] sqrt(d), 1/sqrt(d): powers of two */
  PetscReal            *P, *w;                    /* [max_rows] in unit form */
};

extern const NsLocalSolverType *const NsLocalSolverTypes[]; /* NULL-terminated, from src/contact/solvers/list.h; Newton first */

PetscErrorCode NsLocalSolverCreate(const NsLocalSolverType *type, PetscInt max_contacts, PetscInt max_rows, NsLocalSolver **solver);
PetscErrorCode NsLocalSolverDestroy(NsLocalSolver **solver);
/* P holds the start on entry; on return the solution, exactly within the law, or the last iterate. Allocates only for a problem larger than all before. For a problem that the
   solver does not cover the result is not converged, without iterations, and P is unchanged. */
PetscErrorCode NsLocalSolve(NsLocalSolver *solver, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result);

/* Whether the solver covers the problem. */
static inline PetscBool NsLocalCan(const NsLocalSolver *solver, const NsLocalProblem *problem)
{
  if (problem->limit && !solver->type->limits) return PETSC_FALSE;
  return solver->type->can ? solver->type->can(problem) : PETSC_TRUE;
}

/* For solvers, on the unit form: w = b + G P, and the residual there; the block [m, m] of G of a contact of m rows. */
void      NsLocalVelocities(const NsLocalProblem *unit, const PetscReal *P, PetscReal *w);
PetscReal NsLocalUnitResidual(const NsLocalProblem *unit, const PetscReal *P, const PetscReal *w);
void      NsLocalOwnBlock(const NsLocalProblem *unit, PetscInt contact, PetscReal *block);
/* Maps the solution in unit form (unit, w), which fulfils the law up to rounding, to P[rows] that fulfils the law of the problem p exactly. inverse: 1 / sqrt(d). */
void NsLocalTidy(const NsLocalProblem *p, const PetscReal *inverse, const PetscReal *unit, const PetscReal *w, PetscReal *P);
/* v += factor value, at the unknowns of a block; contiguous unknowns take a loop that the compiler can vectorise. */
static inline void NsLocalScatter(PetscInt width, const PetscInt *at, const PetscReal *value, PetscReal factor, PetscReal *v)
{
  if (width > 0 && at[width - 1] - at[0] == width - 1) {
    PetscReal *restrict to         = v + at[0];
    const PetscReal *restrict from = value;
    for (PetscInt j = 0; j < width; j++) to[j] += from[j] * factor;
    return;
  }
  for (PetscInt j = 0; j < width; j++) v[at[j]] += value[j] * factor;
}
/* The solver's linear systems (solvers/linear.h), prepared for the problem. They are made at the first call; a chain has one for all of its solvers (`lender`). */
PetscErrorCode NsLocalSolverLinear(NsLocalSolver *solver, const NsLocalProblem *unit, struct NsLocalLinear **linear);
/* Whether `stop` asks to end the solve. */
static inline PetscBool NsLocalStops(const NsLocalSolver *solver)
{
  return solver->stop ? solver->stop(solver->stop_data) : PETSC_FALSE;
}

/* (small problems) Row k of J dP = -F for a row whose velocity vanishes, F_k = w_k, and for one whose impulse does, F_k = P_k. J[rows, rows] row-major. */
static inline void NsLocalVelocityRow(const NsLocalProblem *unit, PetscInt k, const PetscReal *w, PetscReal *F, PetscReal *J)
{
  for (PetscInt j = 0; j < unit->rows; j++) J[k * unit->rows + j] = unit->G[k * unit->rows + j];
  F[k] = w[k];
}

static inline void NsLocalImpulseRow(const NsLocalProblem *unit, PetscInt k, const PetscReal *P, PetscReal *F, PetscReal *J)
{
  for (PetscInt j = 0; j < unit->rows; j++) J[k * unit->rows + j] = 0;
  J[k * unit->rows + k] = 1;
  F[k]                  = P[k];
}

/* Radius of the friction disc of a joint or a resistance; negative: it has none. */
static inline PetscReal NsLocalLimit(const NsLocalProblem *problem, PetscInt c)
{
  return problem->limit ? problem->limit[c] : -1;
}

/* Whether the contact has no friction force, whatever its tangential rows are. */
static inline PetscBool NsLocalIsSmooth(const NsLocalProblem *problem, PetscInt c)
{
  return problem->friction[c] == 0 || problem->start[c + 1] - problem->start[c] == 1;
}

/* ---- the chain of solvers -------------------------------------------------------------------------------------------------------------------- */

/*
  Stages of the chain, in the order of trying:
    "newton"            from P as given, the last solution
    "newton_from_zero"
    each other solver of the list, by its name; an approximate one with 5, 20, 80, 320 and 1280 iterations, and Newton from where each of them ends
    "restarts"          Newton from random starts, with random r: for problems that no solver but approximate ones covers
*/
enum { NS_STAGE_NEWTON, NS_STAGE_ZERO, NS_MOST_STAGES = 12 };

extern const char *const NsLocalStageNames[]; /* NULL-terminated */

extern const char *const NsLocalChoices[]; /* "auto", "newton", the other solvers; NULL-terminated: the key contact_solver */

typedef struct {
  PetscInt64 calls, failures;
  PetscInt64 iterations, most_iterations; /* Newton's, of all stages; most: in one call */
  PetscInt64 loose;                       /* solved to 100 times the tolerance only */
  PetscInt64 most_contacts;               /* in one call */
  PetscInt64 solved[NS_MOST_STAGES];      /* calls that each stage solved, */
  PetscInt64 tried[NS_MOST_STAGES];       /* that came to it, */
  PetscInt64 worked[NS_MOST_STAGES];      /* and iterations of its solver, including those of Newton's method that completes an approximate solver */
} NsLocalStatistics;

typedef struct NsLocalChain NsLocalChain;
struct NsLocalChain {
  NsLocalStatistics statistics; /* may be zeroed at any time */
  PetscInt          stage;      /* that solved the last problem; equal to the number of stages if none did */
  /* private */
  PetscInt       max_rows;
  int            choice;                  /* position in NsLocalChoices */
  NsLocalSolver *solver[NS_MOST_STAGES];  /* as NsLocalSolverTypes */
  PetscReal     *first, *sweeping, *best; /* [max_rows] start of the call, iterate of Gauss-Seidel, the best that is not a solution */
};

PetscErrorCode NsLocalChainCreate(PetscInt max_contacts, PetscInt max_rows, NsLocalChain **chain);
PetscErrorCode NsLocalChainDestroy(NsLocalChain **chain);
/* `stop` is called between iterations of long solves; when it returns true they end, not converged. NULL: not called. */
void NsLocalChainStopBy(NsLocalChain *chain, PetscBool (*stop)(void *), void *data);
/* Whether the solver that was chosen, if one was, covers problems with a band. */
PetscBool NsLocalChainTakesBands(const NsLocalChain *chain);
/*
  choice: 0, or the position of a word in NsLocalChoices: only that solver is tried, from the last solution, and a problem that it does not cover is not solved. Problems of a single row
  are always solved by a formula. tolerance: of all solvers; 0: unchanged.
*/
void NsLocalChainSolveBy(NsLocalChain *chain, int choice, PetscReal tolerance);
/*
  P: the last solution (or 0) on entry, the solution on return; 0 where there is none. Allocates nothing. The same data give the same answer,
  whatever was solved before: the random starts are drawn from a fixed seed in each call.

  result: converged false is not a PETSc error: the problem has no solution, or none was found (tests/robustness counts how
  often). The residual is then the best one seen; iterations are Newton's, of all stages.

  If many P give the same w (dependent contacts), P is the smallest one, measured in sqrt(J), that the law allows, provided that proximal Newton finds it: so indeterminate forces do not jump from
  step to step.

  Which of several solutions (wedged contacts): the one with the contact states of the last solution, if it still exists; else the one to which Newton or Gauss-Seidel
  converge from there. This is not always the nearest (from a random start in half of the cases). Enumeration takes the nearest.
*/
PetscErrorCode NsLocalChainSolve(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result);
/* Solves a problem of equations only (all bilateral), by least squares where G is singular. result->converged: P is finite. */
PetscErrorCode NsLocalChainFit(NsLocalChain *chain, const NsLocalProblem *problem, PetscReal *P, NsLocalResult *result);
/* Adds `problems` solved problems to the statistics, as of Newton's method with `iterations` each; contacts: of the largest. For methods that solve problems instead of the chain. */
void NsLocalChainCount(NsLocalChain *chain, PetscInt problems, PetscInt iterations, PetscInt contacts);
