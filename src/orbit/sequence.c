/*
  The equations of an orbit with a fixed sequence, and its multipliers: see orbit.h. Derivatives by the start and end of a segment at t_(i-1), t_i:  Phi dx + A x (dt_i - dt_(i-1)), because
  exp(A t) and A commute.
*/
#include <math.h>
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "orbit.h"

static unsigned char *copy_bytes(NsArena *arena, const unsigned char *from, PetscInt count)
{
  unsigned char *to = NsArenaAlloc(arena, (size_t)count + 1);

  memcpy(to, from, (size_t)count);
  return to;
}

static NsOrbitStep copy_step(const NsOrbitSystem *system, const NsOrbitStep *step, NsArena *arena)
{
  NsOrbitStep copy = *step;

  copy.before   = copy_bytes(arena, step->before, system->contacts);
  copy.after    = copy_bytes(arena, step->after, system->contacts);
  copy.impact   = copy_bytes(arena, step->impact, system->contacts);
  copy.restores = NsArenaAlloc(arena, sizeof(PetscBool) * (size_t)(system->contacts + 1));
  memcpy(copy.restores, step->restores, sizeof(PetscBool) * (size_t)system->contacts);
  return copy;
}

NsOrbit *NsOrbitCopy(const NsOrbitSystem *system, const NsOrbit *orbit, NsArena *arena)
{
  NsOrbit *copy = NsArenaAlloc(arena, sizeof(*copy));

  *copy       = *orbit;
  copy->step  = NsArenaAlloc(arena, sizeof(*copy->step) * (size_t)(orbit->count + 1));
  copy->theta = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)(orbit->count + 1));
  copy->x0    = NsArenaAlloc(arena, sizeof(PetscReal) * (size_t)system->states);
  copy->first = copy_bytes(arena, orbit->first, system->contacts);
  memcpy(copy->x0, orbit->x0, sizeof(PetscReal) * (size_t)system->states);
  memcpy(copy->theta, orbit->theta, sizeof(PetscReal) * (size_t)orbit->count);
  for (PetscInt i = 0; i < orbit->count; i++) copy->step[i] = copy_step(system, &orbit->step[i], arena);
  return copy;
}

PetscBool NsOrbitSameSequence(const NsOrbitSystem *system, const NsOrbit *a, const NsOrbit *b)
{
  const size_t contacts = (size_t)system->contacts;

  if (a->count != b->count || memcmp(a->first, b->first, contacts)) return PETSC_FALSE;
  for (PetscInt i = 0; i < a->count; i++) {
    const NsOrbitStep *s = &a->step[i], *t = &b->step[i];
    if (s->kind != t->kind || s->contact != t->contact || s->jumps != t->jumps || memcmp(s->after, t->after, contacts)) return PETSC_FALSE;
    if (s->jumps && memcmp(s->impact, t->impact, contacts)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscReal NsOrbitBegins(const NsOrbitSystem *system, const NsOrbit *orbit)
{
  return orbit->phase * system->period;
}

static void multiply(PetscInt m, PetscInt columns, const PetscReal *A, const PetscReal *B, PetscReal *C)
{
  const PetscBLASInt rows = (PetscBLASInt)m, width = (PetscBLASInt)columns;
  const PetscReal    one = 1, zero = 0;

  BLASgemm_("N", "N", &rows, &width, &rows, &one, A, &rows, B, &rows, &zero, C, &rows);
}

/* The state x[m] at the end of a segment, and D[m, columns], its derivatives by (x0, theta, T). */
typedef struct {
  PetscInt   m, columns;
  PetscReal *x, *D, *f, *Phi, *scaled, *next; /* next[m, columns] */
} Chain;

static PetscErrorCode apply(Chain *chain, const PetscReal *matrix)
{
  PetscFunctionBegin;
  multiply(chain->m, chain->columns, matrix, chain->D, chain->next);
  PetscCall(PetscArraycpy(chain->D, chain->next, chain->m * chain->columns));
  NsOrbitMult(chain->m, matrix, chain->x, chain->next);
  PetscCall(PetscArraycpy(chain->x, chain->next, chain->m));
  PetscFunctionReturn(0);
}

/* A segment of the part `share` of T; its ends depend on columns `from` and `to` (below 0: fixed). */
static PetscErrorCode fly(Chain *chain, const NsOrbitMode *mode, PetscReal share, PetscReal T, PetscInt from, PetscInt to)
{
  const PetscInt m = chain->m, last = chain->columns - 1;

  PetscFunctionBegin;
  PetscCall(NsOrbitExponential(m, mode, share * T, chain->scaled, chain->Phi));
  PetscCall(apply(chain, chain->Phi));
  NsOrbitMult(m, mode->A, chain->x, chain->f);
  for (PetscInt i = 0; i < m; i++) {
    if (to >= 0) chain->D[to * m + i] += chain->f[i] * T;
    if (from >= 0) chain->D[from * m + i] -= chain->f[i] * T;
    chain->D[last * m + i] += chain->f[i] * share;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode residual_of(NsOrbitSystem *system, const NsOrbit *orbit, Chain *chain, PetscReal *r, PetscReal *J)
{
  const PetscInt m = system->m, n = system->states, rows = n + orbit->count;
  PetscReal     *jump = chain->scaled, past = 0;
  NsOrbitMode   *mode;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(chain->D, m * chain->columns));
  for (PetscInt i = 0; i < n; i++) chain->D[i * m + i] = 1;
  PetscCall(PetscArraycpy(chain->x, orbit->x0, n));
  NsOrbitClock(system, NsOrbitBegins(system, orbit), chain->x);
  PetscCall(NsOrbitFindMode(system, orbit->first, &mode));
  PetscCall(apply(chain, mode->settle));
  for (PetscInt k = 0; k < orbit->count; k++) {
    const NsOrbitStep  *step  = &orbit->step[k];
    const NsOrbitEvent *event = NULL;
    PetscCall(fly(chain, mode, orbit->theta[k] - past, orbit->T, k ? n + k - 1 : -1, n + k));
    past = orbit->theta[k];
    for (PetscInt e = 0; e < mode->events; e++) {
      if (mode->event[e].kind != step->kind || mode->event[e].contact != step->contact) continue;
      /* of the two ends of the cone, that which is reached */
      if (!event || NsOrbitDot(m, mode->event[e].row, chain->x) < NsOrbitDot(m, event->row, chain->x)) event = &mode->event[e];
    }
    PetscCheck(event, PETSC_COMM_SELF, PETSC_ERR_PLIB, "an event of the sequence does not belong to its mode");
    r[n + k] = NsOrbitDot(m, event->row, chain->x);
    for (PetscInt j = 0; j < chain->columns; j++) J[j * rows + n + k] = NsOrbitDot(m, event->row, chain->D + j * m);
    if (step->jumps) {
      PetscCall(NsOrbitJump(system, step, jump));
      PetscCall(apply(chain, jump));
    }
    PetscCall(NsOrbitFindMode(system, step->after, &mode));
  }
  PetscCall(fly(chain, mode, 1 - past, orbit->T, orbit->count ? n + orbit->count - 1 : -1, -1));
  for (PetscInt i = 0; i < n; i++) {
    r[i] = chain->x[i] - orbit->x0[i];
    for (PetscInt j = 0; j < chain->columns; j++) J[j * rows + i] = chain->D[j * m + i] - (i == j);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitResidual(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *r, PetscReal *J)
{
  const PetscInt m     = system->m;
  Chain          chain = {.m = m, .columns = system->states + orbit->count + 1};

  PetscFunctionBegin;
  if (system->circle) {
    PetscCall(NsOrbitCircleResidual(system, orbit, r, J));
    PetscFunctionReturn(0);
  }
  if (system->run) {
    PetscCall(NsOrbitSimulatedResidual(system, orbit, r, J));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc6(m, &chain.x, (size_t)(m * chain.columns), &chain.D, m, &chain.f, (size_t)(m * m), &chain.Phi, (size_t)(m * m), &chain.scaled,
    (size_t)(m * chain.columns), &chain.next));
  PetscCall(residual_of(system, orbit, &chain, r, J));
  PetscCall(PetscFree6(chain.x, chain.D, chain.f, chain.Phi, chain.scaled, chain.next));
  PetscFunctionReturn(0);
}

PetscInt NsOrbitUnknowns(const NsOrbitSystem *system, const NsOrbit *orbit)
{
  return system->states + orbit->count + (system->period > 0 ? 0 : 1);
}

PetscErrorCode NsOrbitField(NsOrbitSystem *system, const NsOrbit *orbit, PetscReal *f)
{
  const PetscInt n = system->states, m = system->m;
  PetscReal     *x, *at;
  NsOrbitMode   *mode;

  PetscFunctionBegin;
  if (system->circle) {
    NsOrbitCircleField(system, orbit, f);
    PetscFunctionReturn(0);
  }
  if (system->run) {
    PetscCall(NsOrbitSimulatedField(system, orbit, f));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc2(m, &x, m, &at));
  PetscCall(PetscArraycpy(x, orbit->x0, n));
  NsOrbitClock(system, NsOrbitBegins(system, orbit), x);
  PetscCall(NsOrbitFindMode(system, orbit->first, &mode));
  NsOrbitMult(m, mode->A, x, at);
  PetscCall(PetscArraycpy(f, at, n));
  PetscCall(PetscFree2(x, at));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitMonodromy(const NsOrbitSystem *system, const NsOrbit *orbit, const PetscReal *J, PetscReal *M)
{
  const PetscInt     n = system->states, k = orbit->count, rows = n + k;
  const PetscBLASInt size = (PetscBLASInt)k, width = (PetscBLASInt)n;
  PetscReal         *E, *X;
  PetscBLASInt      *pivot, info;

  PetscFunctionBegin;
  if (system->circle) {
    PetscCall(NsOrbitCircleMonodromy(system, M));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscMalloc3((size_t)(k * k), &E, (size_t)(k * n), &X, k, &pivot));
  for (PetscInt j = 0; j < k; j++) PetscCall(PetscArraycpy(E + j * k, J + (n + j) * rows + n, k));
  for (PetscInt j = 0; j < n; j++) PetscCall(PetscArraycpy(X + j * k, J + j * rows + n, k));
  if (k) LAPACKgesv_(&size, &width, E, &size, pivot, X, &size, &info);
  for (PetscInt j = 0; j < n; j++) {
    for (PetscInt i = 0; i < n; i++) {
      PetscReal sum = J[j * rows + i] + (i == j);
      for (PetscInt e = 0; e < k; e++) sum -= J[(n + e) * rows + i] * X[j * k + e];
      M[j * n + i] = sum;
    }
  }
  if (system->gradient) NsOrbitRemoveEnergy(system, M);
  PetscCall(PetscFree3(E, X, pivot));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitMultipliers(PetscInt n, PetscReal *M, PetscReal *re, PetscReal *im)
{
  const PetscBLASInt size = (PetscBLASInt)n, one = 1, room = (PetscBLASInt)(16 * n + 16);
  PetscReal         *work;
  PetscBLASInt       info;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n * n; i++) {
    if (PetscIsInfOrNanReal(M[i])) M[i] = 0;
  }
  PetscCall(PetscMalloc1(room, &work));
  LAPACKgeev_("N", "N", &size, M, &size, re, im, NULL, &one, NULL, &one, work, &room, &info);
  PetscCall(PetscFree(work));
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "multipliers (geev: %d)", (int)info);
  NsOrbitSortMultipliers(n, re, im);
  PetscFunctionReturn(0);
}

void NsOrbitSortMultipliers(PetscInt n, PetscReal *re, PetscReal *im)
{
  for (PetscInt i = 1; i < n; i++) { /* pairs are neighbours, and stay */
    for (PetscInt j = i; j > 0; j--) {
      const PetscReal a = hypot(re[j - 1], im[j - 1]), b = hypot(re[j], im[j]);
      if (!(b > a * (1 + 1e-10) || (b > a * (1 - 1e-10) && im[j] > im[j - 1] && PetscAbsReal(re[j] - re[j - 1]) <= 1e-10 * b))) break;
      const PetscReal r = re[j], s = im[j];
      re[j] = re[j - 1], im[j] = im[j - 1];
      re[j - 1] = r, im[j - 1] = s;
    }
  }
}

PetscErrorCode NsOrbitDeterminant(PetscInt n, const PetscReal *M, PetscReal s, PetscReal *determinant)
{
  const PetscBLASInt size = (PetscBLASInt)n;
  PetscReal         *A;
  PetscBLASInt      *pivot, info;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)(n * n), &A, n, &pivot));
  for (PetscInt i = 0; i < n * n; i++) A[i] = M[i] - (i % (n + 1) ? 0 : s);
  LAPACKgetrf_(&size, &size, A, &size, pivot, &info);
  *determinant = 1;
  for (PetscInt i = 0; i < n; i++) *determinant *= A[i * (n + 1)] * (pivot[i] == i + 1 ? 1 : -1);
  PetscCall(PetscFree2(A, pivot));
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitMoveStart(NsOrbitSystem *system, NsOrbit *orbit, NsArena *arena)
{
  const PetscInt m = system->m, k = orbit->count;
  PetscReal     *x, *x1, *Phi, *scaled, longest = 0, past = 0, to;
  PetscInt       at = 0;
  NsOrbitMode   *mode;

  PetscFunctionBegin;
  if (!k) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < k; i++) { /* segment i ends with event i; the first goes on from the last */
    const PetscReal length = i ? orbit->theta[i] - orbit->theta[i - 1] : orbit->theta[0] + 1 - orbit->theta[k - 1];
    if (length <= longest * (1 + 1e-6)) continue;
    longest = length;
    at      = i;
  }
  to = orbit->theta[at] - longest / 2;
  if (to < 0) {
    to += 1;
    at = k;
  }
  NsOrbit *moved = NsOrbitCopy(system, orbit, arena);
  PetscCall(PetscMalloc4(m, &x, m, &x1, (size_t)(m * m), &Phi, (size_t)(m * m), &scaled));
  PetscCall(PetscArraycpy(x, orbit->x0, system->states));
  NsOrbitClock(system, NsOrbitBegins(system, orbit), x);
  PetscCall(NsOrbitFindMode(system, orbit->first, &mode));
  for (PetscInt i = 0; i <= at; i++) {
    const PetscReal end = i < at ? orbit->theta[i] : to;
    PetscCall(NsOrbitExponential(m, mode, (end - past) * orbit->T, scaled, Phi));
    NsOrbitMult(m, Phi, x, x1);
    past = end;
    if (i < at) {
      PetscCall(NsOrbitJump(system, &orbit->step[i], Phi));
      NsOrbitMult(m, Phi, x1, x);
      PetscCall(NsOrbitFindMode(system, orbit->step[i].after, &mode));
    }
  }
  PetscCall(PetscArraycpy(moved->x0, x1, system->states));
  memcpy(moved->first, mode->state, (size_t)system->contacts);
  for (PetscInt i = 0; i < k; i++) {
    const PetscInt from = (at + i) % k;
    moved->step[i]      = orbit->step[from];
    moved->theta[i]     = orbit->theta[from] - to + (at + i >= k ? 1 : 0);
  }
  moved->phase = fmod(orbit->phase + to * orbit->times, orbit->times);
  *orbit       = *moved;
  PetscCall(PetscFree4(x, x1, Phi, scaled));
  PetscFunctionReturn(0);
}
