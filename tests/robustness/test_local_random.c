/*
  The chain of local solvers on ten thousand random problems that have a solution.

  Solvable are, by construction: those around a solution that was there first (b = w* - G P*, "planted"), and impacts without friction. Of impacts
  with friction, those are for which the enumeration of all states, written here a second time and with other means, finds a solution.

  Accepted answers are checked against the law itself (not against the solvers' residual), and, for up to five contacts in the plane, must have the
  velocities of one of the enumerated solutions. Printed: who solved what, and what it cost.
*/
#include "random_numbers.h"
#include "support.h"

#define MAX_CONTACTS 12
#define MAX_ROWS     36
#define MAX_FREEDOMS 40
#define MAX_FOUND    64
#define CLOSE        1e-9 /* of the velocities that add up in a row */

typedef struct {
  NsLocalProblem problem;
  PetscInt       start[MAX_CONTACTS + 1];
  PetscReal      G[MAX_ROWS * MAX_ROWS], b[MAX_ROWS], friction[MAX_CONTACTS];
  PetscBool      bilateral[MAX_CONTACTS];
  PetscInt       freedoms;
  PetscReal      W[MAX_ROWS][MAX_FREEDOMS], compliance[MAX_FREEDOMS][MAX_FREEDOMS]; /* rows W', and M^-1 */
} Problem;

/* 0 .. n - 1 */
static PetscInt pick(PetscInt n)
{
  const PetscInt i = (PetscInt)((draw() + 1) / 2 * (PetscReal)n);

  return PetscMin(n - 1, i);
}

static void prepare(Problem *p, PetscInt contacts, PetscInt directions, PetscInt freedoms)
{
  memset(p, 0, sizeof(*p));
  for (PetscInt c = 0; c <= contacts; c++) p->start[c] = c * directions;
  p->problem  = (NsLocalProblem){contacts, contacts * directions, p->start, p->G, p->b, p->friction, p->bilateral};
  p->freedoms = freedoms;
}

/* Random directions; compliance diagonal over `decades` plus a symmetric rest. */
static void random_mechanics(Problem *p, PetscReal decades)
{
  for (PetscInt i = 0; i < p->freedoms; i++) {
    for (PetscInt j = 0; j < i; j++) p->compliance[i][j] = p->compliance[j][i] = 0;
    p->compliance[i][i] = pow(10, decades * draw());
  }
  for (PetscInt k = 0; k < p->problem.rows; k++) {
    for (PetscInt i = 0; i < p->freedoms; i++) p->W[k][i] = draw();
  }
}

static void set_delassus(Problem *p)
{
  const PetscInt n = p->problem.rows;

  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt l = 0; l < n; l++) {
      p->G[k * n + l] = 0;
      for (PetscInt i = 0; i < p->freedoms; i++) {
        for (PetscInt j = 0; j < p->freedoms; j++) p->G[k * n + l] += p->W[k][i] * p->compliance[i][j] * p->W[l][j];
      }
    }
  }
}

/* Some contact once more: its rows are those of another. */
static void duplicate_contacts(Problem *p, PetscInt times)
{
  for (PetscInt i = 0; i < times && p->problem.contacts > 1; i++) {
    const PetscInt from = pick(p->problem.contacts), to = pick(p->problem.contacts), directions = p->start[1];
    for (PetscInt k = 0; k < directions; k++) memcpy(p->W[to * directions + k], p->W[from * directions + k], sizeof(p->W[0]));
  }
}

static void random_friction(Problem *p)
{
  static const PetscReal mu[] = {0, 0.01, 0.3, 0.8};

  for (PetscInt c = 0; c < p->problem.contacts; c++) p->friction[c] = mu[pick(4)];
}

/* b from velocities before an impact with restitution e; joints too, as if they had been obeyed: with another b they need not be compatible. */
static void set_impact(Problem *p, PetscReal e)
{
  PetscReal v[MAX_FREEDOMS];

  for (PetscInt i = 0; i < p->freedoms; i++) v[i] = draw();
  for (PetscInt c = 0; c < p->problem.contacts; c++) {
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++) {
      p->b[k] = 0;
      for (PetscInt i = 0; i < p->freedoms; i++) p->b[k] += (k == p->start[c] || p->bilateral[c] ? 1 + e : 1) * p->W[k][i] * v[i];
    }
  }
}

/* b = w* - G P* for P* and w* that obey the law: each contact open, sticking or slipping. */
static void plant(Problem *p)
{
  const PetscInt n = p->problem.rows;
  PetscReal      P[MAX_ROWS], w[MAX_ROWS];

  for (PetscInt c = 0; c < p->problem.contacts; c++) {
    const PetscInt  k = p->start[c], tangents = p->start[c + 1] - k - 1, state = pick(3); /* open, stick, slip */
    const PetscReal mass  = 1 / p->G[k * n + k];
    PetscReal       angle = PETSC_PI * draw(), d[2] = {1, 0};
    for (PetscInt i = k; i <= k + tangents; i++) P[i] = w[i] = 0;
    if (p->bilateral[c]) {
      for (PetscInt i = k; i <= k + tangents; i++) P[i] = mass * draw();
      continue;
    }
    if (tangents == 1) d[0] = angle > 0 ? 1 : -1;
    if (tangents == 2) {
      d[0] = cos(angle);
      d[1] = sin(angle);
    }
    if (state > 0)
      P[k] = mass * (1 + draw());
    else
      w[k] = 1 + draw();
    const PetscReal length = p->friction[c] * P[k] * (state == 1 ? (1 + draw()) / 2 : 1), speed = state == 1 && p->friction[c] > 0 ? 0 : 1 + draw();
    for (PetscInt i = 0; i < tangents; i++) {
      P[k + 1 + i] = length * d[i];
      w[k + 1 + i] = -speed * d[i];
    }
  }
  for (PetscInt k = 0; k < n; k++) {
    p->b[k] = w[k];
    for (PetscInt j = 0; j < n; j++) p->b[k] -= p->G[k * n + j] * P[j];
  }
}

/* ---- classes of problems --------------------------------------------------------------------------------------------------------------------- */

static void planted_regular(Problem *p)
{
  const PetscInt contacts = 1 + pick(MAX_CONTACTS);

  prepare(p, contacts, 2, 2 * contacts + pick(5));
  random_mechanics(p, 0.5);
  set_delassus(p);
  random_friction(p);
  plant(p);
}

static void planted_dependent(Problem *p)
{
  const PetscInt contacts = 1 + pick(MAX_CONTACTS);

  prepare(p, contacts, 2, 1 + pick(contacts + 1));
  random_mechanics(p, 0.5);
  duplicate_contacts(p, pick(3));
  set_delassus(p);
  random_friction(p);
  plant(p);
}

static void planted_spatial(Problem *p)
{
  const PetscInt contacts = 1 + pick(6), freedoms = 3 * contacts - 4 + pick(8);

  prepare(p, contacts, 3, PetscMax(3, freedoms));
  random_mechanics(p, 0.5);
  set_delassus(p);
  random_friction(p);
  plant(p);
}

static void planted_joints(Problem *p)
{
  const PetscInt contacts = 2 + pick(MAX_CONTACTS - 1);

  prepare(p, contacts, 2, contacts + 1 + pick(contacts));
  random_mechanics(p, 0.5);
  set_delassus(p);
  random_friction(p);
  for (PetscInt c = 0; c < contacts; c += 2 + pick(3)) p->bilateral[c] = PETSC_TRUE;
  plant(p);
}

static void planted_masses(Problem *p)
{
  const PetscInt contacts = 1 + pick(6);

  prepare(p, contacts, 2, 2 * contacts);
  random_mechanics(p, 3);
  for (PetscInt k = 0; k < p->problem.rows; k++) { /* every contact on bodies of its own, touched a little by the others */
    for (PetscInt i = 0; i < p->freedoms; i++) p->W[k][i] *= i / 2 == k / 2 ? 1 : 1e-2 * sqrt(p->compliance[k][k] / p->compliance[i][i]);
  }
  set_delassus(p);
  random_friction(p);
  plant(p);
}

static void impact_smooth(Problem *p)
{
  const PetscInt contacts = 1 + pick(MAX_CONTACTS), directions = 1 + pick(2);

  prepare(p, contacts, directions, 1 + pick(contacts + 4));
  random_mechanics(p, 0.5);
  duplicate_contacts(p, pick(3));
  set_delassus(p);
  for (PetscInt c = 0; c < contacts; c++) p->bilateral[c] = pick(6) == 0;
  set_impact(p, (1 + draw()) / 2);
}

static void impact_friction(Problem *p)
{
  const PetscInt contacts = 1 + pick(5);

  prepare(p, contacts, 2, 1 + pick(2 * contacts + 2));
  random_mechanics(p, 0.5);
  set_delassus(p);
  random_friction(p);
  set_impact(p, (1 + draw()) / 2);
}

/* [A] Sec. 2.1, (23), (33), (34), Table 1: the slider in its notch, any angles and speeds, one to four of its corners closed. */
static void slider_crank(Problem *p)
{
  const PetscReal l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6;
  const PetscReal th1 = PETSC_PI * draw(), th2 = PETSC_PI * draw(), th3 = 0.3 * draw(), mu[] = {0.01, 0.3, 0.8};
  const PetscReal M11 = J1 + l1 * l1 * (m1 / 4 + m2 + m3), M12 = l1 * l2 * cos(th1 - th2) * (m2 / 2 + m3), M22 = J2 + l2 * l2 * (m2 / 4 + m3);
  const PetscReal det = M11 * M22 - M12 * M12, friction = mu[pick(3)];
  const PetscInt  corners  = 1 + pick(15);
  PetscInt        contacts = 0;

  for (PetscInt corner = 0; corner < 4; corner++) contacts += corners >> corner & 1;
  prepare(p, contacts, 2, 3);
  p->compliance[0][0] = M22 / det;
  p->compliance[1][1] = M11 / det;
  p->compliance[0][1] = p->compliance[1][0] = -M12 / det;
  p->compliance[2][2]                       = 1 / J3;
  contacts                                  = 0;
  for (PetscInt corner = 0; corner < 4; corner++) {
    const PetscReal up = corner < 2 ? -1 : 1, end = corner == 0 || corner == 3 ? 1 : -1, side = corner == 0 || corner == 2 ? 1 : -1;
    PetscReal(*W)[MAX_FREEDOMS] = &p->W[2 * contacts];
    if (!(corners >> corner & 1)) continue;
    W[0][0]                 = up * l1 * cos(th1);
    W[0][1]                 = up * l2 * cos(th2);
    W[0][2]                 = end * a * cos(th3) + b * sin(th3);
    W[1][0]                 = -l1 * sin(th1);
    W[1][1]                 = -l2 * sin(th2);
    W[1][2]                 = side * a * sin(th3) + up * b * cos(th3);
    p->friction[contacts++] = friction;
  }
  set_delassus(p);
  for (PetscInt i = 0; i < 3; i++) p->W[MAX_ROWS - 1][i] = 0;
  set_impact(p, 0.4);
}

/* ---- the law ---------------------------------------------------------------------------------------------------------------------------------- */

/* w = b + G P, and what rounding (or an accepted residual) may do to it. */
static void velocities(const Problem *p, const PetscReal *P, PetscReal *w, PetscReal *blur)
{
  const PetscInt n       = p->problem.rows;
  PetscReal      fastest = 0;

  for (PetscInt k = 0; k < n; k++) fastest = PetscMax(fastest, PetscAbsReal(p->b[k]));
  for (PetscInt k = 0; k < n; k++) {
    w[k]    = p->b[k];
    blur[k] = fastest;
    for (PetscInt j = 0; j < n; j++) {
      w[k] += p->G[k * n + j] * P[j];
      blur[k] += PetscAbsReal(p->G[k * n + j] * P[j]);
    }
    blur[k] *= CLOSE;
  }
}

/* NULL, or what the solution violates. `exact`: not even by rounding where the solver promises that (signs and cones). */
static const char *violation(const Problem *p, const PetscReal *P, PetscBool exact)
{
  PetscReal w[MAX_ROWS], blur[MAX_ROWS];

  velocities(p, P, w, blur);
  for (PetscInt c = 0; c < p->problem.contacts; c++) {
    const PetscInt  k = p->start[c], tangents = p->start[c + 1] - k - 1;
    const PetscReal less = exact ? 0 : blur[k] / p->G[k * p->problem.rows + k];
    PetscReal       t[2] = {0, 0}, v[2] = {0, 0}, turned = 0;
    if (p->bilateral[c]) {
      for (PetscInt i = k; i <= k + tangents; i++) {
        if (!(PetscAbsReal(w[i]) <= blur[i])) return "a joint moves";
      }
      continue;
    }
    if (!(P[k] >= -less)) return "a contact pulls";
    if (!(w[k] >= -blur[k])) return "a contact is penetrated";
    if (P[k] > less && !(w[k] <= blur[k])) return "a contact pushes and opens";
    for (PetscInt i = 0; i < tangents; i++) {
      t[i] = P[k + 1 + i];
      v[i] = w[k + 1 + i];
    }
    const PetscReal radius = p->friction[c] * PetscMax(P[k], 0), length = hypot(t[0], t[1]), speed = hypot(v[0], v[1]);
    const PetscReal slow = tangents ? PetscMax(blur[k + 1], blur[k + tangents]) : 0;
    if (!(length <= radius * (1 + 1e-14) + less)) return "friction beyond its cone";
    if (p->friction[c] == 0 || P[k] <= less || speed <= slow) continue;
    if (length < radius * (1 - 1e-8) - less) return "slips within the cone";
    for (int i = 0; i < 2; i++) turned = PetscMax(turned, PetscAbsReal(v[i] + speed * t[i] / length));
    if (!(turned <= slow + 1e-8 * speed)) return "slips, but not against its friction";
  }
  return NULL;
}

typedef enum { REGULAR, SINGULAR, CONTRADICTORY } Linear;

/* Gauss-Jordan with full pivoting; free unknowns are 0. Another method than the solver's, on purpose. */
static Linear solve_linear(PetscInt n, PetscReal *A, PetscReal *x)
{
  PetscInt  order[MAX_ROWS], rank = 0;
  PetscReal first = 0, largest = 0, left = 0, y[MAX_ROWS];

  for (PetscInt j = 0; j < n; j++) order[j] = j;
  for (PetscInt j = 0; j < n; j++) largest = PetscMax(largest, PetscAbsReal(x[j]));
  for (; rank < n; rank++) {
    PetscInt row = rank, column = rank;
    for (PetscInt i = rank; i < n; i++) {
      for (PetscInt j = rank; j < n; j++) {
        if (PetscAbsReal(A[i * n + j]) > PetscAbsReal(A[row * n + column])) {
          row    = i;
          column = j;
        }
      }
    }
    if (rank == 0) first = PetscAbsReal(A[row * n + column]);
    if (!(PetscAbsReal(A[row * n + column]) > 1e-11 * first)) break;
    for (PetscInt j = 0; j < n; j++) {
      const PetscReal t = A[row * n + j];
      A[row * n + j]    = A[rank * n + j];
      A[rank * n + j]   = t;
    }
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal t = A[i * n + column];
      A[i * n + column] = A[i * n + rank];
      A[i * n + rank]   = t;
    }
    const PetscReal t = x[row];
    const PetscInt  o = order[column];
    x[row]            = x[rank];
    x[rank]           = t;
    order[column]     = order[rank];
    order[rank]       = o;
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal factor = A[i * n + rank] / A[rank * n + rank];
      if (i == rank || factor == 0) continue;
      for (PetscInt j = rank; j < n; j++) A[i * n + j] -= factor * A[rank * n + j];
      x[i] -= factor * x[rank];
    }
  }
  for (PetscInt i = 0; i < n; i++) y[order[i]] = i < rank ? x[i] / A[i * n + i] : 0;
  for (PetscInt i = rank; i < n; i++) left = PetscMax(left, PetscAbsReal(x[i]));
  for (PetscInt i = 0; i < n; i++) x[i] = y[i];
  return rank == n ? REGULAR : left <= 1e-8 * largest ? SINGULAR : CONTRADICTORY;
}

typedef struct {
  PetscInt  solutions;
  PetscReal w[MAX_FOUND][MAX_ROWS];
  PetscBool all; /* no state has more than one P: these may have many w */
} Found;

/* All solutions of planar contacts: each state's equations for (P, w) reduced to P, solved, and held against the law. Different w are listed. */
static void enumerate(const Problem *p, Found *found)
{
  const PetscInt n = p->problem.rows, contacts = p->problem.contacts;
  PetscInt       states = 1;

  found->solutions = 0;
  found->all       = PETSC_TRUE;
  for (PetscInt c = 0; c < contacts; c++) states *= 4;
  for (PetscInt s = 0; s < states; s++) {
    PetscReal A[MAX_ROWS * MAX_ROWS] = {0}, P[MAX_ROWS], w[MAX_ROWS], blur[MAX_ROWS];
    PetscBool sensible = PETSC_TRUE, known = PETSC_FALSE;
    for (PetscInt c = 0; c < contacts; c++) {
      const PetscInt state = s >> (2 * c) & 3, k = p->start[c], end = p->start[c + 1];
      for (PetscInt i = k; i < end; i++) { /* 0 open, 1 stick, 2 and 3 slip; without friction 0 and 3, and a joint is always stuck */
        const PetscReal size  = p->G[i * n + i];
        const PetscBool moves = !p->bilateral[c] && !(i == k ? state > 0 : state == 1);
        P[i]                  = moves ? 0 : -p->b[i] / size;
        for (PetscInt j = 0; j < n; j++) A[i * n + j] = moves ? 0 : p->G[i * n + j] / size;
        if (moves) A[i * n + i] = 1;
        if (i > k && state > 1 && moves) A[i * n + k] = (state == 2 ? 1 : -1) * p->friction[c];
      }
      if (p->bilateral[c] && state != 1) sensible = PETSC_FALSE;
      if (!p->bilateral[c] && (p->friction[c] == 0 || end == k + 1) && (state == 1 || state == 2)) sensible = PETSC_FALSE;
    }
    if (!sensible) continue;
    const Linear linear = solve_linear(n, A, P);
    if (linear == SINGULAR) found->all = PETSC_FALSE;
    if (linear == CONTRADICTORY || violation(p, P, PETSC_FALSE)) continue;
    velocities(p, P, w, blur);
    for (PetscInt f = 0; f < found->solutions && !known; f++) {
      known = PETSC_TRUE;
      for (PetscInt k = 0; k < n; k++) known = known && PetscAbsReal(w[k] - found->w[f][k]) <= 100 * blur[k];
    }
    if (!known && found->solutions < MAX_FOUND) memcpy(found->w[found->solutions++], w, sizeof(w));
  }
}

static PetscBool is_listed(const Problem *p, const Found *found, const PetscReal *P)
{
  PetscReal w[MAX_ROWS], blur[MAX_ROWS];
  PetscBool listed = PETSC_FALSE;

  velocities(p, P, w, blur);
  for (PetscInt f = 0; f < found->solutions && !listed; f++) {
    listed = PETSC_TRUE;
    for (PetscInt k = 0; k < p->problem.rows; k++) listed = listed && PetscAbsReal(w[k] - found->w[f][k]) <= 1000 * blur[k];
  }
  return listed;
}

/* ---- the table -------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  void (*make)(Problem *);
  PetscInt  problems;
  PetscBool solvable; /* by construction */
} Class;

static const Class classes[] = {
  {"planted, regular", planted_regular, 2000, PETSC_TRUE},
  {"planted, dependent", planted_dependent, 2000, PETSC_TRUE},
  {"planted, in space", planted_spatial, 1000, PETSC_TRUE},
  {"planted, with joints", planted_joints, 1000, PETSC_TRUE},
  {"planted, gram and ton", planted_masses, 1000, PETSC_TRUE},
  {"impact without friction", impact_smooth, 1000, PETSC_TRUE},
  {"impact with friction", impact_friction, 1500, PETSC_FALSE},
  {"slider-crank", slider_crank, 2500, PETSC_FALSE},
};

#define MAX_SOLVERS 10

typedef struct {
  PetscInt   solvable, unsolvable, several, compared, failures, unexpected;
  PetscInt64 solved[NS_MOST_STAGES], iterations, most_iterations;
} Figures;

typedef struct {
  NsLocalChain  *chain;
  NsLocalSolver *solver[MAX_SOLVERS]; /* NULL-terminated: each alone */
  PetscInt       covered[MAX_SOLVERS], solved[MAX_SOLVERS];
} Solvers;

static void try_alone(Solvers *solvers, const Class *class, const Problem *p, const PetscReal *start)
{
  for (PetscInt s = 0; solvers->solver[s]; s++) {
    PetscReal     P[MAX_ROWS];
    NsLocalResult result;
    if (!NsLocalCan(solvers->solver[s], &p->problem)) continue;
    memcpy(P, start, sizeof(P));
    CHECK(NsLocalSolve(solvers->solver[s], &p->problem, P, &result));
    solvers->covered[s]++;
    if (result.converged) solvers->solved[s]++;
    const char *what = result.converged ? violation(p, P, PETSC_TRUE) : NULL;
    if (what) fail_msg("%s: %s (%s, residual %g)", class->name, what, solvers->solver[s]->type->name, result.residual);
  }
}

/* The same twice: nothing depends on what was solved before. */
static NsLocalResult solve_twice(NsLocalChain *chain, const Problem *p, PetscReal *P)
{
  PetscReal     again[MAX_ROWS];
  NsLocalResult first, second;

  memcpy(again, P, sizeof(again));
  CHECK(NsLocalChainSolve(chain, &p->problem, P, &first));
  CHECK(NsLocalChainSolve(chain, &p->problem, again, &second));
  assert_memory_equal(P, again, (size_t)p->problem.rows * sizeof(*P));
  assert_int_equal(first.iterations, second.iterations);
  return first;
}

static PetscBool is_enumerable(const Problem *p)
{
  return p->problem.contacts <= 5 && p->start[1] <= 2;
}

static void try_one(Solvers *solvers, const Class *class, PetscInt number, Figures *figures)
{
  static Problem p;
  static Found   found;
  PetscReal      P[MAX_ROWS] = {0}, start[MAX_ROWS], fastest = 0;
  NsLocalChain  *chain = solvers->chain;

  class->make(&p);
  for (PetscInt k = 0; k < p.problem.rows; k++) fastest = PetscMax(fastest, PetscAbsReal(p.b[k]));
  for (PetscInt k = 0; k < p.problem.rows && number % 2; k++) P[k] = fastest * draw() / p.G[k * p.problem.rows + k];
  memcpy(start, P, sizeof(P));
  found.solutions = 0;
  if (is_enumerable(&p)) enumerate(&p, &found);
  const NsLocalResult result = solve_twice(chain, &p, P);
  if (class->solvable || found.solutions > 0) {
    try_alone(solvers, class, &p, start);
    figures->solvable++;
    if (found.solutions > 1) figures->several++;
    if (!result.converged) figures->failures++;
  } else {
    figures->unsolvable++;
    if (result.converged)
      figures->unexpected++; /* by the law it is a solution, as is checked below: dependent contacts have hidden it from the enumeration */
  }
  if (!result.converged) {
    for (PetscInt k = 0; k < p.problem.rows; k++) assert_true(P[k] == 0);
    assert_true(result.residual > 1e-12);
    return;
  }
  figures->solved[chain->stage]++;
  figures->iterations += result.iterations;
  figures->most_iterations = PetscMax(figures->most_iterations, result.iterations);
  const char *what         = violation(&p, P, PETSC_TRUE);
  if (what)
    fail_msg("%s, problem %d: %s (solved by %s, residual %g)", class->name, (int)number, what, NsLocalStageNames[chain->stage], result.residual);
  if (!found.solutions || !found.all) return;
  figures->compared++;
  if (!is_listed(&p, &found, P))
    fail_msg(
      "%s, problem %d: none of all %d solutions (solved by %s)", class->name, (int)number, (int)found.solutions, NsLocalStageNames[chain->stage]);
}

static void print_figures(const Class *class, const Figures *f)
{
  PetscInt64 solved = 0;

  print_message("%-24s %8d %6d %10d %7d %8d", class->name, (int)f->solvable, (int)f->failures, (int)f->unsolvable, (int)f->several, (int)f->compared);
  for (int s = 0; NsLocalStageNames[s]; s++) {
    print_message(" %*d", (int)strlen(NsLocalStageNames[s]), (int)f->solved[s]);
    solved += f->solved[s];
  }
  print_message(" %6.1f %5d\n", (double)f->iterations / (double)PetscMax(1, solved), (int)f->most_iterations);
}

static void random_problems(void **state)
{
  Solvers  solvers  = {0};
  PetscInt solvable = 0, failures = 0, compared = 0;

  (void)state;
  seed = 20240229;
  CHECK(NsLocalChainCreate(MAX_CONTACTS, MAX_ROWS, &solvers.chain));
  for (PetscInt s = 0; NsLocalSolverTypes[s]; s++) {
    assert_true(s < MAX_SOLVERS - 1);
    CHECK(NsLocalSolverCreate(NsLocalSolverTypes[s], MAX_CONTACTS, MAX_ROWS, &solvers.solver[s]));
    if (!strcmp(NsLocalSolverTypes[s]->name, "gauss_seidel")) solvers.solver[s]->max_iterations = 1000;
  }
  print_message("several: more than one solution; compared: with the list of all solutions; then who solved; Newton's iterations, mean and most\n");
  print_message("%-24s solvable failed unsolvable several compared", "");
  for (int s = 0; NsLocalStageNames[s]; s++) print_message(" %s", NsLocalStageNames[s]);
  print_message("   mean  most\n");
  for (size_t c = 0; c < sizeof(classes) / sizeof(*classes); c++) {
    Figures f = {0};
    for (PetscInt i = 0; i < classes[c].problems; i++) try_one(&solvers, &classes[c], i, &f);
    print_figures(&classes[c], &f);
    solvable += f.solvable;
    failures += f.failures;
    compared += f.compared;
    assert_true(f.unexpected <= 2);
  }
  print_message("%d failures of %d: %.3f %%\nalone, from the same start:\n", (int)failures, (int)solvable, 100.0 * failures / solvable);
  for (PetscInt s = 0; solvers.solver[s]; s++) {
    const NsLocalSolverType *type = solvers.solver[s]->type;
    print_message("  %-18s solves %5d of %5d\n", type->name, (int)solvers.solved[s], (int)solvers.covered[s]);
    if (!strcmp(type->name, "lemke") || !strcmp(type->name, "enumerate"))
      assert_true(solvers.covered[s] - solvers.solved[s] <= 2); /* but for rounding */
    CHECK(NsLocalSolverDestroy(&solvers.solver[s]));
  }
  CHECK(NsLocalChainDestroy(&solvers.chain));
  assert_true(solvable >= 10000 && compared >= 5000);
  assert_true(failures <= solvable / 200);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems)};
TEST_MAIN(tests)
