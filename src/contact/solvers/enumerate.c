/*
  All states of all contacts, one after the other: each is a linear system for P in unit form,

      open                  P_N = 0, P_T = 0
      closed, mu = 0        w_N = 0, P_T = 0
      stick                 w_N = 0, w_T = 0
      slip                  w_N = 0, P_T = mu P_N   (w_T <= 0)   or   P_T = -mu P_N   (w_T >= 0)
      bilateral             w = 0

  and a solution if NsLocalResidual says so. Where several are solutions, the nearest is taken: that of the smallest |w - w_start|, w_start = b + G P
  at the start (in unit form: kinetic energy), and of equal velocities that of the smallest |P - P_start|.

  Dependent contacts: of the P of one state the nearest to the start is tried. If that one breaks the law although others of that state would not,
  these end at corners where some contact is about to open or to slip, which are solutions of other states; so none is lost but in degenerate cases.

  Limits: friction in the plane (in space slip has a direction, and its state is no linear system: refused); up to NS_MOST_STATES states, that is five
  contacts with friction, ten without. Cost: a linear solve for each state; 1024 of them, of ten rows, in half a millisecond.
*/
#include "percuss/local.h"
#include "small_linear.h"

#define NS_MOST_STATES 1024
#define NS_NEARLY      1e-5

typedef struct {
  PetscInt     *state;     /* [contacts] 0 .. choices - 1 */
  PetscReal    *w, *first; /* [rows] of a state, and at the start */
  PetscReal    *F, *J;     /* [rows], [rows, rows]: of the start in a state, F = J (start - P) */
  PetscReal    *P, *best;  /* [rows] of a state; the nearest solution */
  NsSmallLinear linear;
} NsLocalSolver_Enumerate;

static PetscErrorCode NsLocalSolverCreate_Enumerate(NsLocalSolver *solver)
{
  NsLocalSolver_Enumerate *self;
  const PetscInt           n = solver->max_small;

  PetscFunctionBegin;
  PetscCall(PetscNew(&self));
  PetscCall(
    PetscMalloc7(solver->max_contacts, &self->state, n, &self->w, n, &self->first, n, &self->F, (n * n), &self->J, n, &self->P, n, &self->best));
  PetscCall(NsSmallLinearCreate(n, &self->linear));
  solver->data = self;
  PetscFunctionReturn(0);
}

static PetscErrorCode NsLocalSolverDestroy_Enumerate(NsLocalSolver *solver)
{
  NsLocalSolver_Enumerate *self = solver->data;

  PetscFunctionBegin;
  PetscCall(NsSmallLinearDestroy(&self->linear));
  PetscCall(PetscFree7(self->state, self->w, self->first, self->F, self->J, self->P, self->best));
  PetscCall(PetscFree(solver->data));
  PetscFunctionReturn(0);
}

typedef enum { STATE_CLOSED, STATE_OPEN, STATE_FORWARD, STATE_BACKWARD } State; /* CLOSED: or stick, or bilateral */

static PetscInt choices(const NsLocalProblem *p, PetscInt c)
{
  return p->bilateral[c] ? 1 : NsLocalIsSmooth(p, c) ? 2 : 4;
}

static PetscBool can_enumerate(const NsLocalProblem *p)
{
  PetscInt states = 1;

  if (!NsLocalIsSmall(p)) return PETSC_FALSE;
  for (PetscInt c = 0; c < p->contacts && states <= NS_MOST_STATES; c++) {
    if (!p->bilateral[c] && !NsLocalIsSmooth(p, c) && p->start[c + 1] - p->start[c] > 2) return PETSC_FALSE;
    states *= choices(p, c);
  }
  return states <= NS_MOST_STATES;
}

/* The contact's rows of the system for its state, J dP = -F, at P with w. */
static void set_rows(NsLocalSolver_Enumerate *self, const NsLocalProblem *p, PetscInt c, const PetscReal *P, const PetscReal *w)
{
  const PetscInt k = p->start[c], end = p->start[c + 1];

  if (self->state[c] == STATE_OPEN)
    NsLocalImpulseRow(p, k, P, self->F, self->J);
  else
    NsLocalVelocityRow(p, k, w, self->F, self->J);
  for (PetscInt i = k + 1; i < end; i++) {
    if (self->state[c] == STATE_CLOSED && (p->bilateral[c] || p->friction[c] > 0))
      NsLocalVelocityRow(p, i, w, self->F, self->J);
    else
      NsLocalImpulseRow(p, i, P, self->F, self->J);
  }
  if (self->state[c] == STATE_FORWARD || self->state[c] == STATE_BACKWARD) {
    const PetscReal mu             = self->state[c] == STATE_FORWARD ? p->friction[c] : -p->friction[c];
    self->J[(k + 1) * p->rows + k] = -mu;
    self->F[k + 1] -= mu * P[k];
  }
}

/* P of the state, from `from`, to which F belongs; its residual. */
static PetscReal solve_state(NsLocalSolver_Enumerate *self, const NsLocalProblem *p, const PetscReal *from)
{
  NsSmallLinearSolve(&self->linear, p->rows, self->J, self->F, self->F);
  for (PetscInt k = 0; k < p->rows; k++) self->P[k] = from[k] - self->F[k];
  NsLocalVelocities(p, self->P, self->w);
  return NsLocalUnitResidual(p, self->P, self->w);
}

/* Squares of |w - w_start| and |P - P_start|. */
static void distances(const NsLocalSolver_Enumerate *self, PetscInt rows, const PetscReal *start, PetscReal distance[2])
{
  distance[0] = distance[1] = 0;
  for (PetscInt k = 0; k < rows; k++) {
    distance[0] += PetscSqr(self->w[k] - self->first[k]);
    distance[1] += PetscSqr(self->P[k] - start[k]);
  }
}

static PetscBool is_nearer(const PetscReal a[2], const PetscReal b[2])
{
  const PetscReal rounding = 1e-9 * PetscMin(a[0], b[0]);

  if (PetscAbsReal(a[0] - b[0]) <= rounding) return a[1] < b[1];
  return a[0] < b[0];
}

static PetscErrorCode NsLocalSolve_Enumerate(NsLocalSolver *solver, const NsLocalProblem *unit, PetscReal *P, NsLocalResult *result)
{
  NsLocalSolver_Enumerate *self    = solver->data;
  PetscReal                near[2] = {PETSC_INFINITY, PETSC_INFINITY};
  PetscInt                 c       = 0;

  PetscFunctionBegin;
  NsLocalVelocities(unit, P, self->first);
  for (PetscInt i = 0; i < unit->contacts; i++) self->state[i] = STATE_CLOSED;
  do {
    PetscReal residual, distance[2];
    result->iterations++;
    for (PetscInt i = 0; i < unit->contacts; i++) set_rows(self, unit, i, P, self->first);
    residual = solve_state(self, unit, P);
    if (residual > solver->tolerance && residual < NS_NEARLY) { /* a solution, but for the rounding of an ill-conditioned system? */
      for (PetscInt i = 0; i < unit->contacts; i++) set_rows(self, unit, i, self->P, self->w);
      residual = solve_state(self, unit, self->P);
    }
    distances(self, unit->rows, P, distance);
    if (residual <= solver->tolerance && is_nearer(distance, near)) {
      near[0] = distance[0];
      near[1] = distance[1];
      for (PetscInt k = 0; k < unit->rows; k++) self->best[k] = self->P[k];
      result->residual = residual;
    } else if (!(result->residual <= solver->tolerance)) {
      result->residual = PetscMin(result->residual, residual);
    }
    /* The next state: counts in digits of as many values as a contact has choices. */
    for (c = 0; c < unit->contacts; c++) {
      const PetscBool carry = self->state[c] == choices(unit, c) - 1;
      self->state[c]        = carry ? STATE_CLOSED : self->state[c] + 1;
      if (!carry) break;
    }
  } while (c < unit->contacts);
  if (result->residual <= solver->tolerance) PetscCall(PetscArraycpy(P, self->best, unit->rows));
  NsLocalVelocities(unit, P, solver->w);
  PetscFunctionReturn(0);
}

const NsLocalSolverType NsLocalSolverType_Enumerate = {
  .name    = "enumerate",
  .about   = "all states of up to five contacts with friction in the plane (ten without friction); takes the solution nearest the start",
  .can     = can_enumerate,
  .create  = NsLocalSolverCreate_Enumerate,
  .solve   = NsLocalSolve_Enumerate,
  .destroy = NsLocalSolverDestroy_Enumerate,
};
