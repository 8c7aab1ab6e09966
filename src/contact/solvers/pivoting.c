/*
  Joints, with friction under given loads or without, and fewer contacts without friction: elimination along the bodies, with pivoting of states.

  In unit form every row is in one of a few states:

      equation   w = 0            all joints; contacts that are closed (P >= 0); tangents that stick (|P| <= limit)
      given      P = 0            contacts that are open (w >= 0)
                 P = +-limit      tangents of joints that slip (+-w <= 0)

  For given states that is one linear system, G P = -b with the rows of given impulses replaced by those of the identity. All rows whose sign is wrong change their states at once, as long as there are
  fewer of them each time, with NS_BOLD exceptions. If the states cycle, as in long chains whose joints begin to slip together, an interior-point method finds them: with bounds
  lo <= P <= hi and distances y, z >= 0 of the velocity w = y - z,

      y (P - lo) = z (hi - P) = mu l,     (G + diag(y/(P - lo) + z/(hi - P))) dP = -w + mu l/(P - lo) - mu l/(hi - P)

  with l = (hi - lo)/2, or the size of impulses where hi is infinite, so that small limits are resolved like large ones. mu falls to rounding; P is a solution then. References: J. J. Judice, F. M. Pires: Basic-set algorithm for a generalized linear complementarity problem, J. Optim. Theory
  Appl. 74, 1992; S. J. Wright: Primal-Dual Interior-Point Methods, 1997, chapter 5.

  G = U Y is sparse where the bodies form trees or long loops: contacts are ordered by reverse Cuthill-McKee along the bodies, and G is eliminated within its envelope (skyline), without pivots, with one step
  of iterative refinement. The order is kept while the pattern stays. Cost for a chain of n hinges: linear in n, for each change of states. Dependent rows have pivots that vanish: they are left to
  other solvers.
*/
#include "percuss/local.h"

#define NS_BOLD    6
#define NS_PATH    80    /* steps of the interior point */
#define NS_FALL    0.1   /* of mu in each */
#define NS_LAST_MU 1e-22 /* of the largest velocity: long chains lose many digits */
#define NS_TINY    1e-15 /* times the largest velocity: smaller limits are rounding */
#define NS_PIVOT   1e-11 /* of a diagonal that is about 1 */
#define NS_CROWDED 64    /* mean number of neighbours above which `fits` is false */

typedef struct {
  PetscInt   contacts, unknowns, rows, entries; /* of the pattern */
  PetscInt  *start, *first, *at;                /* its copy: rows of contacts; U and Y one after the other */
  PetscInt  *neighbour, *next;                  /* [next[contacts]] contacts that act on each other; [contacts + 1] */
  PetscInt  *order, *place;                     /* [contacts] eliminated k-th; [rows] of a row in the matrix */
  PetscInt  *from;                              /* [rows + 1] where a row of the envelope begins; it ends with the column before the diagonal */
  PetscReal *lower, *upper, *diagonal;          /* [from[rows]] rows of L, columns of U; [rows] */
  PetscReal *x, *z;                             /* [rows]; [3 unknowns] */
  PetscReal *low, *high;                        /* [rows] y and z of the interior point */
  int       *state;                             /* [rows] 0 equation; 1, -1: given */
  PetscInt   room_contacts, room_rows, room_at, room_neighbours, room_envelope, room_z;
  PetscBool  fits; /* not too many neighbours */
} NsLocalSolver_Pivoting;

static PetscErrorCode NsLocalSolverCreate_Pivoting(NsLocalSolver *solver)
{
  NsLocalSolver_Pivoting *self;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  solver->data = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_Pivoting(NsLocalSolver *solver)
{
  NsLocalSolver_Pivoting *self = solver->data;

  PetscFunctionBegin;
  PetscCall(PetscFree4(self->start, self->first, self->next, self->order));
  PetscCall(PetscFree7(self->place, self->from, self->diagonal, self->x, self->state, self->low, self->high));
  PetscCall(PetscFree(self->at));
  PetscCall(PetscFree(self->neighbour));
  PetscCall(PetscFree2(self->lower, self->upper));
  PetscCall(PetscFree(self->z));
  PetscCall(PetscFree(self));
  PetscFunctionReturn(0);
}

/* ---- pattern -------------------------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_room(NsLocalSolver_Pivoting *self, PetscInt contacts, PetscInt rows, PetscInt unknowns, PetscInt at)
{
  PetscFunctionBegin;
  if (contacts > self->room_contacts) {
    const PetscInt n = self->room_contacts = contacts + contacts / 4;
    PetscCall(PetscFree4(self->start, self->first, self->next, self->order));
    PetscCall(PetscMalloc4((n + 1), &self->start, (2 * n + 2), &self->first, (n + 1), &self->next, n, &self->order));
  }
  if (rows > self->room_rows) {
    const PetscInt n = self->room_rows = rows + rows / 4;
    PetscCall(PetscFree7(self->place, self->from, self->diagonal, self->x, self->state, self->low, self->high));
    PetscCall(PetscMalloc7(n, &self->place, (n + 1), &self->from, n, &self->diagonal, n, &self->x, n, &self->state, n, &self->low, n, &self->high));
  }
  if (at > self->room_at) {
    PetscCall(PetscFree(self->at));
    self->room_at = at + at / 4;
    PetscCall(PetscMalloc1(self->room_at, &self->at));
  }
  if (3 * unknowns > self->room_z) {
    PetscCall(PetscFree(self->z));
    self->room_z = 4 * unknowns;
    PetscCall(PetscCalloc1(self->room_z, &self->z));
  }
  PetscFunctionReturn(0);
}

/* Whether the pattern is that of the last problem; else it is copied. A dense G has no pattern but its size. */
static PetscErrorCode compare_pattern(NsLocalSolver_Pivoting *self, const NsLocalProblem *p, PetscBool *same)
{
  const PetscInt n = p->contacts, unknowns = p->sparse ? p->sparse->unknowns : 0;
  const PetscInt u = p->sparse ? p->sparse->U.first[n] : 0, y = p->sparse ? p->sparse->Y.first[n] : 0;

  PetscFunctionBegin;
  *same = self->contacts == n && self->rows == p->rows && self->unknowns == unknowns && self->entries == u + y;
  if (*same) PetscCall(PetscArraycmp(self->start, p->start, n + 1, same));
  if (*same && p->sparse) PetscCall(PetscArraycmp(self->first, p->sparse->U.first, n + 1, same));
  if (*same && p->sparse) PetscCall(PetscArraycmp(self->first + n + 1, p->sparse->Y.first, n + 1, same));
  if (*same && p->sparse) PetscCall(PetscArraycmp(self->at, p->sparse->U.at, u, same));
  if (*same && p->sparse) PetscCall(PetscArraycmp(self->at + u, p->sparse->Y.at, y, same));
  if (*same) PetscFunctionReturn(0);
  PetscCall(make_room(self, n, p->rows, unknowns, u + y));
  self->contacts = n;
  self->rows     = p->rows;
  self->unknowns = unknowns;
  self->entries  = u + y;
  PetscCall(PetscArraycpy(self->start, p->start, n + 1));
  if (!p->sparse) PetscFunctionReturn(0);
  PetscCall(PetscArraycpy(self->first, p->sparse->U.first, n + 1));
  PetscCall(PetscArraycpy(self->first + n + 1, p->sparse->Y.first, n + 1));
  PetscCall(PetscArraycpy(self->at, p->sparse->U.at, u));
  PetscCall(PetscArraycpy(self->at + u, p->sparse->Y.at, y));
  PetscFunctionReturn(0);
}

/* Contacts that share an unknown, each with itself. */
static PetscErrorCode find_neighbours(NsLocalSolver_Pivoting *self, const NsLocalProblem *p)
{
  const NsLocalBlocks *both[2] = {&p->sparse->U, &p->sparse->Y};
  const PetscInt       n = p->contacts, unknowns = p->sparse->unknowns;
  PetscInt            *begin, *of, *seen, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3((unknowns + 2), &begin, self->entries, &of, n, &seen));
  for (int b = 0; b < 2; b++) {
    for (PetscInt k = 0; k < both[b]->first[n]; k++) begin[both[b]->at[k] + 2]++;
  }
  for (PetscInt u = 0; u < unknowns; u++) begin[u + 2] += begin[u + 1];
  for (PetscInt c = 0; c < n; c++) {
    for (int b = 0; b < 2; b++) {
      for (PetscInt k = both[b]->first[c]; k < both[b]->first[c + 1]; k++) of[begin[both[b]->at[k] + 1]++] = c;
    }
  }
  self->fits = PETSC_TRUE;
  for (PetscInt c = 0; c < n && self->fits; c++) {
    self->next[c] = count;
    for (int b = 0; b < 2 && self->fits; b++) {
      for (PetscInt k = both[b]->first[c]; k < both[b]->first[c + 1]; k++) {
        for (PetscInt i = begin[both[b]->at[k]]; i < begin[both[b]->at[k] + 1]; i++) {
          if (seen[of[i]] == c + 1) continue;
          seen[of[i]] = c + 1;
          if (count == self->room_neighbours) {
            self->room_neighbours = 2 * count + 16 * n;
            PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)self->room_neighbours, &self->neighbour));
          }
          self->neighbour[count++] = of[i];
        }
      }
      self->fits = count <= NS_CROWDED * n;
    }
  }
  self->next[n] = count;
  PetscCall(PetscFree3(begin, of, seen));
  PetscFunctionReturn(0);
}

/* Lists the contacts connected to `root` by their distance from it, as order[from ..]; returns the end of the list. level[contacts]: that distance, -1: not listed yet. */
static PetscInt spread(const NsLocalSolver_Pivoting *self, PetscInt root, PetscInt from, PetscInt *level)
{
  PetscInt end = from;

  self->order[end++] = root;
  level[root]        = 0;
  for (PetscInt k = from; k < end; k++) {
    const PetscInt c = self->order[k];
    for (PetscInt i = self->next[c]; i < self->next[c + 1]; i++) {
      const PetscInt other = self->neighbour[i];
      if (level[other] >= 0) continue;
      level[other]       = level[c] + 1;
      self->order[end++] = other;
    }
  }
  return end;
}

/* Cuthill and McKee's order, from one of the farthest contacts; its reverse fills no more. */
static PetscErrorCode order_contacts(NsLocalSolver_Pivoting *self, PetscInt contacts)
{
  PetscInt *level, end = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(contacts, &level));
  for (PetscInt c = 0; c < contacts; c++) level[c] = -1;
  for (PetscInt c = 0; c < contacts; c++) {
    if (level[c] >= 0) continue;
    const PetscInt from = end;
    end                 = spread(self, c, from, level);
    for (int again = 0; again < 2; again++) {
      const PetscInt far = self->order[end - 1];
      for (PetscInt k = from; k < end; k++) level[self->order[k]] = -1;
      end = spread(self, far, from, level);
    }
  }
  for (PetscInt k = 0; k < contacts / 2; k++) {
    const PetscInt c              = self->order[k];
    self->order[k]                = self->order[contacts - 1 - k];
    self->order[contacts - 1 - k] = c;
  }
  PetscCall(PetscFree(level));
  PetscFunctionReturn(0);
}

/* Places of the rows, and the envelope. */
static PetscErrorCode lay_out(NsLocalSolver_Pivoting *self, const NsLocalProblem *p)
{
  PetscInt row = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < p->contacts; k++) {
    const PetscInt c = p->sparse ? self->order[k] : k;
    for (PetscInt r = p->start[c]; r < p->start[c + 1]; r++) self->place[r] = row++;
  }
  self->from[0] = row = 0;
  for (PetscInt k = 0; k < p->contacts; k++) {
    const PetscInt c   = p->sparse ? self->order[k] : k;
    PetscInt       low = p->sparse ? row : 0;
    for (PetscInt i = self->next[c]; p->sparse && i < self->next[c + 1]; i++) low = PetscMin(low, self->place[p->start[self->neighbour[i]]]);
    for (PetscInt r = p->start[c]; r < p->start[c + 1]; r++, row++) self->from[row + 1] = self->from[row] + row - low;
  }
  if (self->from[row] > self->room_envelope) {
    self->room_envelope = self->from[row] + self->from[row] / 4;
    PetscCall(PetscFree2(self->lower, self->upper));
    PetscCall(PetscMalloc2(self->room_envelope, &self->lower, self->room_envelope, &self->upper));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(NsLocalSolver_Pivoting *self, const NsLocalProblem *p)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(compare_pattern(self, p, &same));
  if (same) PetscFunctionReturn(0);
  self->fits = PETSC_TRUE;
  if (p->sparse) PetscCall(find_neighbours(self, p));
  if (self->fits && p->sparse) PetscCall(order_contacts(self, p->contacts));
  if (self->fits) PetscCall(lay_out(self, p));
  PetscFunctionReturn(0);
}

/* ---- the linear system ---------------------------------------------------------------------------------------------------------------------------- */

static void put(NsLocalSolver_Pivoting *self, PetscInt row, PetscInt column, PetscReal value)
{
  const PetscInt i = self->place[row], j = self->place[column];

  if (self->state[row]) value = row == column;
  if (i == j)
    self->diagonal[i] = value;
  else if (j < i)
    self->lower[self->from[i + 1] - i + j] = value;
  else
    self->upper[self->from[j + 1] - j + i] = value;
}

/* G with the rows of given impulses replaced. */
static void assemble(NsLocalSolver_Pivoting *self, const NsLocalProblem *p)
{
  const PetscInt n = p->rows;

  for (PetscInt k = 0; k < self->from[n]; k++) self->lower[k] = self->upper[k] = 0;
  for (PetscInt k = 0; k < n && !p->sparse; k++) {
    for (PetscInt j = 0; j < n; j++) put(self, k, j, p->G[k * n + j]);
  }
  for (PetscInt c = 0; c < p->contacts && p->sparse; c++) { /* columns of contact c */
    const NsLocalBlocks *U = &p->sparse->U, *Y = &p->sparse->Y;
    const PetscInt       m = p->start[c + 1] - p->start[c], width = Y->first[c + 1] - Y->first[c], *at = Y->at + Y->first[c];
    const PetscReal     *value = Y->value + Y->place[c];
    for (PetscInt d = 0; d < m; d++) {
      for (PetscInt j = 0; j < width; j++) self->z[3 * at[j] + d] = value[d * width + j];
    }
    for (PetscInt i = self->next[c]; i < self->next[c + 1]; i++) {
      const PetscInt   other = self->neighbour[i], wide = U->first[other + 1] - U->first[other], *to = U->at + U->first[other];
      const PetscReal *u = U->value + U->place[other];
      for (PetscInt r = p->start[other]; r < p->start[other + 1]; r++, u += wide) {
        for (PetscInt d = 0; d < m; d++) {
          PetscReal sum = 0;
          for (PetscInt j = 0; j < wide; j++) sum += u[j] * self->z[3 * to[j] + d];
          put(self, r, p->start[c] + d, sum);
        }
      }
    }
    for (PetscInt j = 0; j < width; j++) self->z[3 * at[j]] = self->z[3 * at[j] + 1] = self->z[3 * at[j] + 2] = 0;
  }
}

static inline PetscReal dot(PetscInt n, const PetscReal *a, const PetscReal *b)
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* L U within the envelope, L with ones on its diagonal. False: a pivot vanishes. */
static PetscBool factor(NsLocalSolver_Pivoting *self)
{
  for (PetscInt i = 0; i < self->rows; i++) {
    const PetscInt first = i - (self->from[i + 1] - self->from[i]);
    PetscReal     *L = self->lower + self->from[i] - first, *U = self->upper + self->from[i] - first; /* by column */
    for (PetscInt j = first; j < i; j++) {
      const PetscInt   other = j - (self->from[j + 1] - self->from[j]), k = PetscMax(first, other);
      const PetscReal *Lj = self->lower + self->from[j] - other, *Uj = self->upper + self->from[j] - other;
      U[j] -= dot(j - k, Lj + k, U + k);
      L[j] = (L[j] - dot(j - k, L + k, Uj + k)) / self->diagonal[j];
    }
    self->diagonal[i] -= dot(i - first, L + first, U + first);
    if (!(PetscAbsReal(self->diagonal[i]) > NS_PIVOT)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* x, by place. */
static void solve(const NsLocalSolver_Pivoting *self, PetscReal *x)
{
  for (PetscInt i = 0; i < self->rows; i++) {
    const PetscInt n = self->from[i + 1] - self->from[i];
    x[i] -= dot(n, self->lower + self->from[i], x + i - n);
  }
  for (PetscInt i = self->rows - 1; i >= 0; i--) {
    const PetscInt   n = self->from[i + 1] - self->from[i];
    const PetscReal *U = self->upper + self->from[i];
    x[i] /= self->diagonal[i];
    for (PetscInt k = 0; k < n; k++) x[i - n + k] -= U[k] * x[i];
  }
}

/* ---- states --------------------------------------------------------------------------------------------------------------------------------------- */

/* The next state of row `d` of contact c from its state, P and w; a state whose signs are right is kept. */
static int state_of(const NsLocalProblem *p, PetscInt c, PetscInt d, int state, PetscReal P, PetscReal w)
{
  const PetscReal limit = NsLocalLimit(p, c);

  if (p->bilateral[c] && (d == 0 || limit < 0)) return 0;
  if (!p->bilateral[c]) return state ? w >= 0 : P < 0;
  if (state) return state * w <= 0 ? state : 0;
  return P > limit ? 1 : P < -limit ? -1 : 0;
}

static PetscReal given(const NsLocalProblem *p, PetscInt c, int state)
{
  return p->bilateral[c] ? state * NsLocalLimit(p, c) : 0;
}

static void first_states(NsLocalSolver_Pivoting *self, const NsLocalProblem *p, const PetscReal *P, const PetscReal *w)
{
  for (PetscInt c = 0; c < p->contacts; c++) {
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++) self->state[k] = state_of(p, c, k - p->start[c], 0, P[k] - w[k], 0);
  }
}

/* Changes states that are wrong; how many there were. */
static PetscInt change_states(NsLocalSolver_Pivoting *self, const NsLocalProblem *p, const PetscReal *P, const PetscReal *w)
{
  PetscInt wrong = 0;

  for (PetscInt c = 0; c < p->contacts; c++) {
    for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++) {
      const int state = state_of(p, c, k - p->start[c], self->state[k], P[k], w[k]);
      wrong += state != self->state[k];
      self->state[k] = state;
    }
  }
  return wrong;
}

/* P of the states, and w. False: a pivot vanishes. */
static PetscBool evaluate(NsLocalSolver_Pivoting *self, const NsLocalProblem *p, PetscReal *P, PetscReal *w)
{
  assemble(self, p);
  if (!factor(self)) return PETSC_FALSE;
  for (int refine = 0; refine < 2; refine++) {
    for (PetscInt c = 0; c < p->contacts; c++) {
      for (PetscInt k = p->start[c]; k < p->start[c + 1]; k++) {
        const PetscReal value   = refine ? w[k] : p->b[k];
        self->x[self->place[k]] = self->state[k] ? refine ? 0 : given(p, c, self->state[k]) : -value;
      }
    }
    solve(self, self->x);
    for (PetscInt k = 0; k < p->rows; k++) P[k] = (refine ? P[k] : 0) + self->x[self->place[k]];
    NsLocalVelocities(p, P, w);
  }
  return PETSC_TRUE;
}

/* ---- interior point ------------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  PetscReal lo, hi, l;
} Bounds;

/* Bounds of row d of a contact, with the size of velocities and impulses; false: it has none, or its limit is rounding. */
static PetscBool bounds(const NsLocalProblem *p, PetscInt c, PetscInt d, PetscReal size, Bounds *of)
{
  const PetscReal limit = NsLocalLimit(p, c);

  *of = p->bilateral[c] ? (Bounds){-limit, limit, limit} : (Bounds){0, PETSC_MAX_REAL, size};
  return !p->bilateral[c] || (d > 0 && limit > NS_TINY * size);
}

/* For each row k of contact c that has bounds. */
#define FOR_BOUNDED(p, c, k, size, of) \
  for (PetscInt c = 0; c < (p)->contacts; c++) \
    for (PetscInt k = (p)->start[c]; k < (p)->start[c + 1]; k++) \
      if (bounds(p, c, k - (p)->start[c], size, &(of)))

/* Distances of P from its bounds, more than rounding. */
static inline PetscReal above(const Bounds *of, PetscReal P)
{
  return PetscMax(P - of->lo, 1e-17 * of->l);
}

static inline PetscReal below(const Bounds *of, PetscReal P)
{
  return PetscMax(of->hi - P, 1e-17 * of->l);
}

/* Newton's step for y and z of a row, where P changes by d. */
static void dual_step(
  const NsLocalSolver_Pivoting *self, PetscInt k, const Bounds *of, PetscReal mu, PetscReal P, PetscReal d, PetscReal *y, PetscReal *z)
{
  *y = (mu * of->l - self->low[k] * d) / above(of, P) - self->low[k];
  *z = of->hi < PETSC_MAX_REAL ? (mu * of->l + self->high[k] * d) / below(of, P) - self->high[k] : 0;
}

/* One step towards mu. False: a pivot vanishes. */
static PetscBool step_inside(NsLocalSolver_Pivoting *self, const NsLocalProblem *p, PetscReal size, PetscReal mu, PetscReal *P, PetscReal *w)
{
  PetscReal whole = 1, y, z;
  Bounds    of;

  assemble(self, p);
  for (PetscInt k = 0; k < p->rows; k++) self->x[self->place[k]] = self->state[k] ? 0 : -w[k];
  FOR_BOUNDED(p, c, k, size, of)
  {
    const PetscInt at = self->place[k];
    self->diagonal[at] += self->low[k] / above(&of, P[k]);
    self->x[at] += mu * of.l / above(&of, P[k]);
    if (of.hi == PETSC_MAX_REAL) continue;
    self->diagonal[at] += self->high[k] / below(&of, P[k]);
    self->x[at] -= mu * of.l / below(&of, P[k]);
  }
  if (!factor(self)) return PETSC_FALSE;
  solve(self, self->x);
  FOR_BOUNDED(p, c, k, size, of)
  {
    const PetscReal d = self->x[self->place[k]];
    dual_step(self, k, &of, mu, P[k], d, &y, &z);
    if (d < 0) whole = PetscMin(whole, 0.99 * above(&of, P[k]) / -d);
    if (d > 0 && of.hi < PETSC_MAX_REAL) whole = PetscMin(whole, 0.99 * below(&of, P[k]) / d);
    if (y < 0) whole = PetscMin(whole, 0.99 * self->low[k] / -y);
    if (z < 0) whole = PetscMin(whole, 0.99 * self->high[k] / -z);
  }
  FOR_BOUNDED(p, c, k, size, of)
  {
    dual_step(self, k, &of, mu, P[k], self->x[self->place[k]], &y, &z);
    self->low[k] += whole * y;
    self->high[k] += whole * z;
  }
  for (PetscInt k = 0; k < p->rows; k++) P[k] += whole * self->x[self->place[k]];
  NsLocalVelocities(p, P, w);
  return PETSC_TRUE;
}

/* P and w by the interior point. False: a pivot vanishes. */
static PetscBool follow_path(
  NsLocalSolver_Pivoting *self, const NsLocalProblem *p, PetscReal tolerance, PetscReal *P, PetscReal *w, NsLocalResult *result)
{
  PetscReal size  = 0, mu;
  PetscInt  count = 0;
  Bounds    of;

  for (PetscInt k = 0; k < p->rows; k++) {
    size           = PetscMax(size, PetscAbsReal(p->b[k]));
    P[k]           = 0;
    self->state[k] = 0;
  }
  for (PetscInt c = 0; c < p->contacts; c++) { /* given, where the limit is rounding */
    for (PetscInt k = p->start[c] + 1; k < p->start[c + 1] && NsLocalLimit(p, c) >= 0; k++) self->state[k] = 1;
  }
  FOR_BOUNDED(p, c, k, size, of)
  {
    self->state[k] = 0;
    P[k]           = of.hi < PETSC_MAX_REAL ? 0 : size;
    self->low[k] = self->high[k] = size;
    count++;
  }
  NsLocalVelocities(p, P, w);
  mu = size;
  for (int i = 0; i < NS_PATH && mu > NS_LAST_MU * size; i++, result->iterations++) {
    PetscReal sum = 0;
    if (!step_inside(self, p, size, NS_FALL * mu, P, w)) return PETSC_FALSE;
    FOR_BOUNDED(p, c, k, size, of)
    sum += self->low[k] * above(&of, P[k]) / of.l + (of.hi < PETSC_MAX_REAL ? self->high[k] * below(&of, P[k]) / of.l : 0);
    mu               = count ? sum / (PetscReal)(2 * count) : 0;
    result->residual = NsLocalUnitResidual(p, P, w);
    if (result->residual <= tolerance) break;
  }
  return PETSC_TRUE;
}

static PetscErrorCode NsLocalSolve_Pivoting(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_Pivoting *self = solver->data;
  PetscInt                best = PETSC_MAX_INT;

  PetscFunctionBegin;
  PetscCall(prepare(self, unit));
  if (!self->fits) PetscFunctionReturn(0);
  NsLocalVelocities(unit, P, solver->w);
  first_states(self, unit, P, solver->w);
  for (PetscInt bold = NS_BOLD; bold > 0;) {
    if (!evaluate(self, unit, P, solver->w)) PetscFunctionReturn(0);
    result->iterations++;
    result->residual = NsLocalUnitResidual(unit, P, solver->w);
    if (result->residual <= solver->tolerance || !(result->residual <= PETSC_MAX_REAL)) PetscFunctionReturn(0);
    const PetscInt wrong = change_states(self, unit, P, solver->w);
    if (!wrong) PetscFunctionReturn(0);
    bold = wrong < best ? NS_BOLD : bold - 1;
    best = PetscMin(best, wrong);
    if (NsLocalStops(solver)) PetscFunctionReturn(0);
  }
  if (!follow_path(self, unit, solver->tolerance, P, solver->w, result)) result->residual = PETSC_INFINITY;
  PetscFunctionReturn(0);
}

static PetscBool can_solve(const NsLocalProblem *p)
{
  PetscInt joints = 0;

  if (p->sparse ? p->sparse->band != NULL : !NsLocalIsSmall(p)) return PETSC_FALSE;
  for (PetscInt c = 0; c < p->contacts; c++) {
    const PetscInt m = p->start[c + 1] - p->start[c];
    if (!p->bilateral[c] ? m > 1 || NsLocalLimit(p, c) >= 0 : m > 2 && NsLocalLimit(p, c) >= 0) return PETSC_FALSE;
    joints += p->bilateral[c] != 0;
  }
  return 2 * joints > p->contacts; /* others do better for contacts */
}

const NsLocalSolverType NsLocalSolverType_Pivoting = {
  .name = "pivoting",
  .about =
    "elimination along chains of bodies, with states by pivoting or an interior point: joints, with friction or without, and fewer contacts without friction",
  .limits  = PETSC_TRUE,
  .can     = can_solve,
  .create  = NsLocalSolverCreate_Pivoting,
  .solve   = NsLocalSolve_Pivoting,
  .destroy = NsLocalSolverDestroy_Pivoting,
};
