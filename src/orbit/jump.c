/*
  Events: the impact, if there is one, and which contacts are held after it.

  Impact of all closed contacts: x+ = x + b P with 0 <= u_N+ + e u_N-  _|_  P_N >= 0 and Coulomb friction, a local problem. What each contact did (separates, hits, grips, rubs) is stored; with it
  the impact is a matrix:  c (x + b P) = -e c x   ->   J = I - b G^-1 (1 + e) c.

  Held after it: contacts at rest that are pressed, 0 <= u_N' _|_ lambda_N >= 0 with friction against the slip or within the cone, the same kind of problem with accelerations. The contact of the event
  itself is decided by the event: what opens is open, what slips slides against its friction.

  An impact that would leave with less than velocity_tolerance has e = 0: accumulations of impacts end.
*/
#include <math.h>
#include <string.h>
#include "orbit.h"

static PetscReal sign_of(PetscReal x)
{
  return x < 0 ? -1 : 1;
}

/* A local problem that is being put together: rows c, columns b. */
typedef struct {
  PetscInt          contacts, rows;
  PetscInt         *start, *contact;
  const PetscReal **c;
  PetscReal        *b; /* [rows][m] */
  PetscReal        *G, *rhs, *P, *friction;
  PetscBool        *bilateral;
} Local;

static PetscErrorCode create_local(const NsOrbitSystem *system, Local *local)
{
  const PetscInt most = system->contacts + 1, rows = 2 * most;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5((size_t)(most + 1), &local->start, most, &local->contact, rows, &local->c, (size_t)(rows * system->m), &local->b,
    (size_t)(rows * rows), &local->G));
  PetscCall(PetscCalloc4(rows, &local->rhs, rows, &local->P, most, &local->friction, most, &local->bilateral));
  local->contacts = local->rows = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_local(Local *local)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(local->start, local->contact, local->c, local->b, local->G));
  PetscCall(PetscFree4(local->rhs, local->P, local->friction, local->bilateral));
  PetscFunctionReturn(0);
}

/* A contact with friction (two rows), or that slides (slide = 1, -1), or without friction (0). */
static void add(const NsOrbitSystem *system, Local *local, PetscInt i, PetscBool friction, PetscReal slide)
{
  const NsOrbitContact *contact = &system->contact[i];
  const PetscInt        m       = system->m;
  PetscReal            *b       = local->b + local->rows * m;

  local->contact[local->contacts]  = i;
  local->friction[local->contacts] = friction ? contact->law.friction : 0;
  local->c[local->rows++]          = contact->rate;
  for (PetscInt j = 0; j < m; j++) b[j] = contact->normal[j] - slide * contact->law.friction * contact->along[j];
  if (friction) {
    local->c[local->rows++] = contact->slip;
    for (PetscInt j = 0; j < m; j++) b[m + j] = contact->along[j];
  }
  local->start[++local->contacts] = local->rows;
}

static PetscErrorCode solve(NsOrbitSystem *system, Local *local, const char *what, const char **why)
{
  NsLocalProblem problem = {.contacts = local->contacts,
    .rows                             = local->rows,
    .start                            = local->start,
    .G                                = local->G,
    .b                                = local->rhs,
    .friction                         = local->friction,
    .bilateral                        = local->bilateral};
  NsLocalResult  result;

  PetscFunctionBegin;
  if (!local->rows) PetscFunctionReturn(0);
  for (PetscInt a = 0; a < local->rows; a++) {
    for (PetscInt b = 0; b < local->rows; b++) local->G[a * local->rows + b] = NsOrbitDot(system->m, local->c[a], local->b + b * system->m);
  }
  PetscCall(NsLocalChainSolve(system->chain, &problem, local->P, &result));
  if (!result.converged) *why = what;
  PetscFunctionReturn(0);
}

/* ---- impact --------------------------------------------------------------------------------------------------------------------------------------------------- */

/* Contacts that are closed at x; whether one of them approaches. */
static PetscBool find_closed(const NsOrbitSystem *system, const PetscReal *x, const NsOrbitStep *step, PetscBool *closed)
{
  PetscBool hits = PETSC_FALSE;

  for (PetscInt i = 0; i < system->contacts; i++) {
    const NsOrbitContact *contact = &system->contact[i];
    const PetscBool       event = step->kind == NS_ORBIT_CLOSES && step->contact == i, held = step->before[i] != NS_ORBIT_OPEN;
    closed[i] = event || held || NsOrbitDot(system->m, contact->gap, x) <= system->gap_tolerance;
    hits      = hits || event || (closed[i] && !held && NsOrbitDot(system->m, contact->rate, x) < -system->velocity_tolerance);
  }
  return hits;
}

static NsOrbitImpact impact_of(const NsOrbitContact *contact, PetscInt rows, const PetscReal *P)
{
  if (!(P[0] > 0)) return NS_ORBIT_SEPARATES;
  if (rows < 2) return NS_ORBIT_HITS;
  if (PetscAbsReal(P[1]) < contact->law.friction * P[0] * (1 - 1e-9)) return NS_ORBIT_GRIPS;
  return P[1] < 0 ? NS_ORBIT_RUBS_UP : NS_ORBIT_RUBS_DOWN;
}

static PetscErrorCode hit(NsOrbitSystem *system, PetscReal *x, const PetscBool *closed, NsOrbitStep *step, const char **why)
{
  const PetscInt m = system->m;
  Local          local;

  PetscFunctionBegin;
  PetscCall(create_local(system, &local));
  step->jumps = PETSC_TRUE;
  for (PetscInt i = 0; i < system->contacts; i++) {
    step->impact[i]   = NS_ORBIT_SEPARATES;
    step->restores[i] = PETSC_FALSE;
    if (closed[i]) add(system, &local, i, system->contact[i].tangent, 0);
  }
  for (PetscInt k = 0; k < local.contacts; k++) {
    const PetscInt        i       = local.contact[k];
    const NsOrbitContact *contact = &system->contact[i];
    const PetscReal       u       = NsOrbitDot(m, contact->rate, x);
    step->restores[i]             = contact->law.restitution * PetscAbsReal(u) > system->velocity_tolerance;
    local.rhs[local.start[k]]     = (1 + (step->restores[i] ? contact->law.restitution : 0)) * u;
    if (contact->tangent)
      local.rhs[local.start[k] + 1] = (1 + (step->restores[i] ? contact->law.restitution_tangential : 0)) * NsOrbitDot(m, contact->slip, x);
  }
  PetscCall(solve(system, &local, "an impact has no solution", why));
  for (PetscInt k = 0; k < local.contacts; k++)
    step->impact[local.contact[k]] =
      (unsigned char)impact_of(&system->contact[local.contact[k]], local.start[k + 1] - local.start[k], local.P + local.start[k]);
  for (PetscInt row = 0; row < local.rows; row++) {
    for (PetscInt j = 0; j < system->states; j++) x[j] += local.P[row] * local.b[row * m + j];
  }
  PetscCall(destroy_local(&local));
  PetscFunctionReturn(0);
}

/* ---- what stays closed ------------------------------------------------------------------------------------------------------------------------------------------ */

/* The slip of a contact at rest: 1, -1; 0: it may stick. */
static PetscReal slide_of(const NsOrbitSystem *system, const NsOrbitMode *before, const PetscReal *x, const NsOrbitStep *step, PetscInt i)
{
  const PetscReal u = NsOrbitDot(system->m, system->contact[i].slip, x);

  if (!system->contact[i].tangent) return 0;
  if (step->contact == i && step->kind == NS_ORBIT_STOPS) return 0;
  if (step->contact == i && step->kind == NS_ORBIT_SLIPS) return -sign_of(NsOrbitDot(system->m, before->grip + i * system->m, x));
  if (step->before[i] == NS_ORBIT_STICKS && !step->jumps) return 0;
  if (step->before[i] >= NS_ORBIT_SLIDES_UP && !step->jumps && PetscAbsReal(u) <= system->velocity_tolerance)
    return step->before[i] == NS_ORBIT_SLIDES_UP ? 1 : -1;
  return PetscAbsReal(u) > system->velocity_tolerance ? sign_of(u) : 0;
}

static PetscErrorCode hold(NsOrbitSystem *system, PetscReal *x, const PetscBool *closed, NsOrbitStep *step, const char **why)
{
  const PetscInt m = system->m;
  PetscReal     *slide, *rate;
  NsOrbitMode   *before;
  Local          local;

  PetscFunctionBegin;
  PetscCall(create_local(system, &local));
  PetscCall(PetscMalloc2((size_t)(system->contacts + 1), &slide, m, &rate));
  PetscCall(NsOrbitFindMode(system, step->before, &before));
  NsOrbitMult(m, system->A, x, rate);
  for (PetscInt i = 0; i < system->contacts; i++) {
    const PetscReal u     = NsOrbitDot(m, system->contact[i].rate, x);
    const PetscBool rests = closed[i] && ((step->before[i] != NS_ORBIT_OPEN && !step->jumps) || PetscAbsReal(u) <= system->velocity_tolerance);
    step->after[i]        = NS_ORBIT_OPEN;
    if (!rests || (step->kind == NS_ORBIT_OPENS && step->contact == i)) continue;
    slide[local.contacts] = slide_of(system, before, x, step, i);
    add(system, &local, i, system->contact[i].tangent && slide[local.contacts] == 0, slide[local.contacts]);
  }
  for (PetscInt row = 0; row < local.rows; row++) local.rhs[row] = NsOrbitDot(m, local.c[row], rate);
  PetscCall(solve(system, &local, "the forces of lasting contacts have no solution", why));
  for (PetscInt k = 0; k < local.contacts; k++) {
    const PetscInt   i = local.contact[k], rows = local.start[k + 1] - local.start[k];
    const PetscReal *P = local.P + local.start[k];
    if (!(P[0] > 0)) continue;
    step->after[i] = !system->contact[i].tangent ? NS_ORBIT_CLOSED
                     : slide[k] > 0              ? NS_ORBIT_SLIDES_UP
                     : slide[k] < 0              ? NS_ORBIT_SLIDES_DOWN
                                                 : NS_ORBIT_STICKS;
    if (rows == 2 && PetscAbsReal(P[1]) >= system->contact[i].law.friction * P[0] * (1 - 1e-9))
      step->after[i] = P[1] < 0 ? NS_ORBIT_SLIDES_UP : NS_ORBIT_SLIDES_DOWN;
  }
  PetscCall(PetscFree2(slide, rate));
  PetscCall(destroy_local(&local));
  PetscFunctionReturn(0);
}

/* Contacts without mass: those with a reaction, 0 <= g + R lambda _|_ lambda >= 0; at an event the one it is about changes. */
static PetscErrorCode press(NsOrbitSystem *system, const PetscReal *x, NsOrbitStep *step, const char **why)
{
  const PetscInt count = system->contacts;
  Local          local;

  PetscFunctionBegin;
  memcpy(step->after, step->before, (size_t)count);
  if (step->kind != NS_ORBIT_KINDS) {
    step->after[step->contact] = step->kind == NS_ORBIT_CLOSES ? NS_ORBIT_CLOSED : NS_ORBIT_OPEN;
    PetscFunctionReturn(0);
  }
  PetscCall(create_local(system, &local));
  NsLocalProblem problem = {.contacts = count,
    .rows                             = count,
    .start                            = local.start,
    .G                                = system->compliance,
    .b                                = local.rhs,
    .friction                         = local.friction,
    .bilateral                        = local.bilateral};
  NsLocalResult  result;
  for (PetscInt i = 0; i < count; i++) {
    local.start[i + 1] = i + 1;
    local.rhs[i]       = NsOrbitDot(system->m, system->contact[i].gap, x);
  }
  PetscCall(NsLocalChainSolve(system->chain, &problem, local.P, &result));
  if (!result.converged) *why = "the contact forces have no solution";
  for (PetscInt i = 0; i < count; i++) step->after[i] = local.P[i] > 0 ? NS_ORBIT_CLOSED : NS_ORBIT_OPEN;
  PetscCall(destroy_local(&local));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitResolve(NsOrbitSystem *system, PetscReal *x, NsOrbitStep *step, const char **why)
{
  PetscBool *closed;

  PetscFunctionBegin;
  *why        = NULL;
  step->jumps = PETSC_FALSE;
  if (!system->contacts) PetscFunctionReturn(0);
  if (system->compliance) {
    PetscCall(press(system, x, step, why));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscCalloc1(system->contacts, &closed));
  if (find_closed(system, x, step, closed)) PetscCall(hit(system, x, closed, step, why));
  if (!*why) PetscCall(hold(system, x, closed, step, why));
  PetscCall(PetscFree(closed));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitJump(NsOrbitSystem *system, const NsOrbitStep *step, PetscReal *J)
{
  const PetscInt    m = system->m, most = 2 * system->contacts + 1;
  PetscReal        *G, *B, *b, *factor;
  const PetscReal **c;
  PetscInt          rows = 0;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(J, m * m));
  for (PetscInt i = 0; i < m; i++) J[i * m + i] = 1;
  if (!step->jumps) PetscFunctionReturn(0);
  PetscCall(PetscMalloc5((size_t)(most * most), &G, (size_t)(most * m), &B, (size_t)(most * m), &b, most, &factor, most, &c));
  for (PetscInt i = 0; i < system->contacts; i++) {
    const NsOrbitContact *contact = &system->contact[i];
    const PetscReal       slide   = step->impact[i] == NS_ORBIT_RUBS_UP ? 1 : step->impact[i] == NS_ORBIT_RUBS_DOWN ? -1 : 0;
    if (step->impact[i] == NS_ORBIT_SEPARATES) continue;
    for (int d = 0; d < (step->impact[i] == NS_ORBIT_GRIPS ? 2 : 1); d++) {
      factor[rows] = 1 + (!step->restores[i] ? 0 : d ? contact->law.restitution_tangential : contact->law.restitution);
      c[rows]      = d ? contact->slip : contact->rate;
      for (PetscInt j = 0; j < m; j++)
        b[rows * m + j] = d ? contact->along[j] : contact->normal[j] - slide * contact->law.friction * contact->along[j];
      rows++;
    }
  }
  for (PetscInt a = 0; a < rows; a++) {
    for (PetscInt k = 0; k < rows; k++) G[k * rows + a] = NsOrbitDot(m, c[a], b + k * m);
    for (PetscInt j = 0; j < m; j++) B[j * rows + a] = factor[a] * c[a][j];
  }
  PetscCall(NsOrbitReact(rows, m, G, B));
  for (PetscInt k = 0; k < rows; k++) {
    for (PetscInt j = 0; j < m; j++) {
      for (PetscInt i = 0; i < system->states; i++) J[j * m + i] += b[k * m + i] * B[j * rows + k];
    }
  }
  PetscCall(PetscFree5(G, B, b, factor, c));
  PetscFunctionReturn(0);
}
