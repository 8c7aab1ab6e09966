/* The contact problem of a step: restitution, laws, and its parts: by elimination, by the inverse that is kept, or by its islands. */
#include "coupling.h"
#include "elimination.h"
#include "lasting.h"
#include "sharing.h"
#include "laws/law.h"

/* Stores the answer of `stop`: the processes agree on it when they exchange impulses. */
static PetscBool ask_whether_to_stop(void *data)
{
  NsContact *contact = data;

  contact->stopped = contact->stopped || (contact->stop && contact->stop(contact->stop_data));
  return contact->stopped;
}

void NsContactStopBy(NsContact *contact, PetscBool (*stop)(void *), void *data)
{
  contact->stop      = stop;
  contact->stop_data = data;
  if (!contact->sharing) NsLocalChainStopBy(contact->chain, ask_whether_to_stop, contact);
}

void NsContactSolveBy(NsContact *contact, int choice, PetscReal tolerance)
{
  NsLocalChainSolveBy(contact->chain, choice, tolerance);
}

typedef enum { FULL, SMOOTH, HELD } Law; /* with friction; without; all rows are equations */

static PetscErrorCode solve_island(NsContact *contact, Law law, PetscReal *P, PetscBool *solved)
{
  NsLocalResult result;

  PetscFunctionBegin;
  if (law == HELD)
    PetscCall(NsLocalChainFit(contact->chain, &contact->problem, P, &result));
  else
    PetscCall(NsLocalChainSolve(contact->chain, &contact->problem, P, &result));
  contact->residual = PetscMax(contact->residual, result.residual);
  *solved           = result.converged;
  PetscFunctionReturn(0);
}

/* The problem of one island out of those of all rows, its numbers put together in contact->c and Pc. */
static PetscErrorCode solve_part(
  NsContact *contact, const NsRows *rows, PetscInt island, Law law, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  const NsIslands *islands = &contact->islands;
  NsLocalProblem  *problem = &contact->problem;
  const PetscInt  *member = islands->member + islands->start[island], members = islands->start[island + 1] - islands->start[island];

  PetscFunctionBegin;
  problem->contacts = members;
  problem->start    = contact->start;
  problem->rows     = 0;
  problem->b        = contact->c;
  for (PetscInt m = 0; m < members; m++) {
    contact->start[m] = problem->rows;
    for (PetscInt k = rows->start[member[m]]; k < rows->start[member[m] + 1]; k++, problem->rows++) {
      contact->c[problem->rows]  = b[k];
      contact->Pc[problem->rows] = P[k];
    }
  }
  contact->start[members] = problem->rows;
  PetscCall(solve_island(contact, law, contact->Pc, solved));
  for (PetscInt m = 0, at = 0; m < members; m++) {
    for (PetscInt k = rows->start[member[m]]; k < rows->start[member[m] + 1]; k++) P[k] = contact->Pc[at++];
  }
  PetscFunctionReturn(0);
}

/* Laws of the contacts of an island. */
static void set_laws(NsContact *contact, const NsRows *rows, PetscInt island, Law law)
{
  const NsIslands *islands = &contact->islands;

  contact->problem.limit = NULL;
  for (PetscInt m = islands->start[island], at = 0; m < islands->start[island + 1]; m++, at++) {
    const PetscInt     i           = rows->contact[islands->member[m]];
    const NsCandidate *candidate   = &contact->model->candidate[i];
    contact->problem.friction[at]  = law == FULL ? NsContactFriction(contact, i) : 0;
    contact->problem.bilateral[at] = law == HELD ? PETSC_TRUE : candidate->bilateral;
    if (contact->laws.anisotropic) contact->laws.across[at] = candidate->law.across;
    if (!contact->laws.joints || law == HELD) continue;
    contact->laws.discs[at] = law == FULL ? contact->laws.limit[islands->member[m]] : NsCandidateResists(candidate) ? 0 : -1;
    if (law == FULL ? candidate->carriers > 0 : NsCandidateResists(candidate)) contact->problem.limit = contact->laws.discs;
  }
}

static void note_island(NsContact *contact, const NsRows *rows, PetscInt island)
{
  const NsIslands *islands = &contact->islands;
  PetscInt64      *most = islands->sparse[island] ? &contact->figures.most_sparse : &contact->figures.most_dense, n = 0;

  for (PetscInt m = islands->start[island]; m < islands->start[island + 1]; m++)
    n += rows->start[islands->member[m] + 1] - rows->start[islands->member[m]];
  *most = PetscMax(*most, n);
}

/* Islands from `first` to last - 1, until one is not solved. */
static PetscErrorCode solve_islands(
  NsContact *contact, const NsRows *rows, const PetscReal *b, Law law, PetscInt first, PetscInt last, PetscReal *P, PetscBool *solved)
{
  const NsIslands *islands = &contact->islands;
  NsLocalProblem  *problem = &contact->problem;

  PetscFunctionBegin;
  *solved           = PETSC_TRUE;
  contact->residual = 0;
  problem->across   = law == FULL ? contact->laws.across : NULL;
  for (PetscInt s = first; s < last && *solved; s++) {
    contact->island = s;
    problem->G      = islands->sparse[s] ? NULL : contact->G + islands->block[s];
    problem->sparse = islands->sparse[s] ? &contact->sparse.problem : NULL;
    if (islands->sparse[s]) PetscCall(NsCouplingProblem(contact, s));
    set_laws(contact, rows, s, law);
    note_island(contact, rows, s);
    if (islands->count > 1) {
      PetscCall(solve_part(contact, rows, s, law, b, P, solved));
      continue;
    }
    problem->contacts = rows->contacts;
    problem->rows     = rows->rows;
    problem->start    = rows->start;
    problem->b        = b;
    PetscCall(solve_island(contact, law, P, solved));
  }
  PetscFunctionReturn(0);
}

/* Joints alone. False: by their islands. */
static PetscBool eliminate(NsContact *contact, const PetscReal *b, PetscReal *P)
{
  PetscInt       most;
  const PetscInt islands = NsEliminationIslands(contact->elimination, &most);

  if (!NsEliminationSolve(contact->elimination, contact->sparse.factor, b, P, &contact->residual)) return PETSC_FALSE;
  contact->figures.most_islands = PetscMax(contact->figures.most_islands, islands);
  contact->figures.most_sparse  = PetscMax(contact->figures.most_sparse, most);
  NsLocalChainCount(contact->chain, islands, 1, most);
  return PETSC_TRUE;
}

/* The local problems of these rows from their b, with the blocks of the last NsContactDelassus; P is the start, and the solution. */
static PetscErrorCode solve(NsContact *contact, const NsRows *rows, const PetscReal *b, Law law, PetscReal *P, PetscBool *solved)
{
  PetscInt  first, last;
  PetscBool all; /* this process solves all islands */

  PetscFunctionBegin;
  *solved           = PETSC_FALSE;
  contact->residual = 0;
  if (contact->eliminated) *solved = eliminate(contact, b, P);
  if (contact->lasts && law == FULL && !contact->stopped)
    PetscCall(NsLastingSolve(contact->lasting, contact, rows, contact->sparse.factor, b, P, solved));
  if (*solved) PetscFunctionReturn(0);
  PetscCall(NsContactBlocks(contact));
  all                           = contact->overflow == 0;
  contact->figures.most_islands = PetscMax(contact->figures.most_islands, contact->islands.count);
  all                           = all && !contact->stopped; /* then the step has failed, and nothing after that may be accepted */
  if (all && NsSharingBegin(contact, rows, P, &first, &last)) {
    NsLocalChainStopBy(contact->chain, ask_whether_to_stop, contact);
    PetscCall(solve_islands(contact, rows, b, law, first, last, P, solved));
    NsLocalChainStopBy(contact->chain, NULL, NULL);
    PetscCall(NsSharingEnd(contact, rows, first, last, P, solved, &all));
  }
  if (all) PetscCall(solve_islands(contact, rows, b, law, 0, contact->islands.count, P, solved));
  /* An interrupted solver may leave another initial guess for the next one, and a solution that differs from a run without the signal. */
  *solved = *solved && !contact->stopped;
  if (!*solved) PetscCall(PetscArrayzero(P, rows->rows));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactLocalOnce(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  return solve(contact, rows, b, FULL, P, solved);
}

PetscErrorCode NsContactLocal(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscBool *solved)
{
  return contact->laws.joints ? NsLawsJoints(contact, rows, b, P, solved) : NsContactLocalOnce(contact, rows, b, P, solved);
}

static void keep_guess(NsContact *contact, const NsRows *rows, const PetscReal *P)
{
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) contact->guess[3 * rows->contact[i] + k - rows->start[i]] = P[k];
  }
}

PetscErrorCode NsContactSolve(NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *before, const PetscBool *restitute,
  PetscReal *P, PetscBool *solved)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    const NsCandidate *candidate = &contact->model->candidate[rows->contact[i]];
    const PetscBool    bounce    = before && !candidate->bilateral && (!restitute || restitute[i]);
    for (PetscInt k = rows->start[i], d = 0; k < rows->start[i + 1]; k++, d++) {
      const PetscReal e = !bounce ? 0 : d == 0 ? NsLawRestitution(&candidate->law, PetscAbsReal(before[k])) : candidate->law.restitution_tangential;
      contact->b[k]     = u_free[k] + (bounce ? e * before[k] : 0);
      P[k]              = contact->guess[3 * rows->contact[i] + d];
    }
  }
  if (contact->laws.two_phase && NsLawsHavePhases(contact, rows, before, restitute))
    PetscCall(NsLawsTwoPhases(contact, rows, u_free, before, restitute, P, solved));
  else if (contact->laws.sliding)
    PetscCall(NsLawsSolve(contact, rows, contact->b, before, before && before == u_free, P, solved));
  else
    PetscCall(NsContactLocal(contact, rows, contact->b, P, solved));
  if (*solved) keep_guess(contact, rows, P);
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactSolveAt(
  NsContact *contact, const NsRows *rows, const PetscReal *u_free, const PetscReal *speed, PetscReal *P, PetscBool *solved)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->contacts; i++) {
    for (PetscInt k = rows->start[i]; k < rows->start[i + 1]; k++) P[k] = contact->guess[3 * rows->contact[i] + k - rows->start[i]];
  }
  if (contact->laws.sliding)
    PetscCall(NsLawsSolveAt(contact, rows, u_free, speed, P, solved));
  else
    PetscCall(NsContactLocal(contact, rows, u_free, P, solved));
  if (*solved) keep_guess(contact, rows, P);
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactSolveGaps(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *Psi, PetscBool *solved)
{
  PetscFunctionBegin;
  PetscCall(solve(contact, rows, b, SMOOTH, Psi, solved));
  PetscFunctionReturn(0);
}

PetscErrorCode NsContactFit(NsContact *contact, const NsRows *rows, const PetscReal *b, PetscReal *P, PetscReal *left)
{
  PetscBool solved;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(P, rows->rows));
  PetscCall(solve(contact, rows, b, HELD, P, &solved));
  *left = solved ? 0 : PETSC_INFINITY;
  if (!solved) PetscFunctionReturn(0);
  PetscCall(NsContactReact(contact, rows, P, contact->b));
  for (PetscInt k = 0; k < rows->rows; k++) *left = PetscMax(*left, PetscAbsReal(b[k] + contact->b[k]));
  PetscFunctionReturn(0);
}
