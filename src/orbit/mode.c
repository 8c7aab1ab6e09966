/*
  The equations of motion of one mode: which contacts are closed, stick or slide.

  Contacts with mass: held rows c (normal velocities; slip velocities where a contact sticks) and columns b of forces (normal, normal -+ mu tangential where it slides, tangential where it sticks), with
      0 = c' A x + G lambda,   G = c' b   ->   lambda = -G^-1 c' A0 x,   A = A0 + b lambda
  G is solved by least squares, so contacts that depend on each other share their force.
  Contacts without mass: g = gap'x + R lambda = 0   ->   lambda = -R^-1 gap'x.
*/
#include <string.h>
#include <petscvec.h>
#include <petscblaslapack.h>
#include "orbit.h"

const char *const NsOrbitKindNames[NS_ORBIT_KINDS] = {"closes", "opens", "slips", "stops"};

PetscErrorCode NsOrbitReact(PetscInt rows, PetscInt columns, PetscReal *G, PetscReal *B)
{
  const PetscBLASInt n = (PetscBLASInt)rows, r = (PetscBLASInt)columns;
  PetscBLASInt       rank, info, size = (PetscBLASInt)(5 * rows + columns + 16);
  PetscReal         *s, *work, limit  = 1e-12;

  PetscFunctionBegin;
  if (!rows) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(rows, &s, size, &work));
  LAPACKgelss_(&n, &n, &r, G, &n, B, &n, s, &limit, &rank, work, &size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "reactions of held contacts (gelss: %d)", (int)info);
  for (PetscInt i = 0; i < rows * columns; i++) B[i] = -B[i];
  PetscCall(PetscFree2(s, work));
  PetscFunctionReturn(0);
}

static PetscReal *zeros(NsOrbitSystem *system, PetscInt count)
{
  return NsArenaAlloc(system->arena, sizeof(PetscReal) * (size_t)PetscMax(count, 1));
}

/* The rows that a mode holds: constraint c and force column b of each. */
typedef struct {
  PetscInt          count;
  PetscInt         *contact;
  PetscBool        *tangent;
  const PetscReal **c;
  PetscReal       **b;
} Held;

static void list_held(NsOrbitSystem *system, const unsigned char *state, Held *held)
{
  const size_t most = (size_t)(2 * system->contacts + 1);

  held->count   = 0;
  held->contact = NsArenaAlloc(system->arena, sizeof(PetscInt) * most);
  held->tangent = NsArenaAlloc(system->arena, sizeof(PetscBool) * most);
  held->c       = NsArenaAlloc(system->arena, sizeof(*held->c) * most);
  held->b       = NsArenaAlloc(system->arena, sizeof(*held->b) * most);
  for (PetscInt i = 0; i < system->contacts; i++) {
    const NsOrbitContact *contact = &system->contact[i];
    const PetscReal       slide   = state[i] == NS_ORBIT_SLIDES_UP ? 1 : state[i] == NS_ORBIT_SLIDES_DOWN ? -1 : 0;
    if (state[i] == NS_ORBIT_OPEN) continue;
    for (int d = 0; d < (state[i] == NS_ORBIT_STICKS ? 2 : 1); d++) {
      const PetscInt k = held->count++;
      held->contact[k] = i;
      held->tangent[k] = d == 1;
      held->c[k]       = d ? contact->slip : contact->rate;
      held->b[k]       = zeros(system, system->m);
      for (PetscInt j = 0; j < system->m; j++)
        held->b[k][j] = d ? contact->along[j] : contact->normal[j] - slide * contact->law.friction * contact->along[j];
    }
  }
}

/* lambda[k] as a row over x, of all held rows. */
static PetscErrorCode find_forces(NsOrbitSystem *system, const Held *held, PetscReal *lambda)
{
  const PetscInt m = system->m, k = held->count;
  PetscReal     *G, *B;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)(k * k), &G, (size_t)(k * m), &B));
  for (PetscInt a = 0; a < k; a++) {
    for (PetscInt b = 0; b < k; b++)
      G[b * k + a] =
        system->compliance ? system->compliance[held->contact[b] * system->contacts + held->contact[a]] : NsOrbitDot(m, held->c[a], held->b[b]);
    for (PetscInt j = 0; j < m; j++)
      B[j * k + a] = system->compliance ? system->contact[held->contact[a]].gap[j] : NsOrbitDot(m, held->c[a], system->A + j * m);
  }
  PetscCall(NsOrbitReact(k, m, G, B));
  for (PetscInt a = 0; a < k; a++) {
    for (PetscInt j = 0; j < m; j++) lambda[a * m + j] = B[j * k + a];
  }
  PetscCall(PetscFree2(G, B));
  PetscFunctionReturn(0);
}

/* x -= b G^-1 c'x on velocities, and the same with the gaps on positions, where the contacts have mass. */
static PetscErrorCode find_settle(NsOrbitSystem *system, const Held *held, NsOrbitMode *mode)
{
  const PetscInt m = system->m, k = held->count, n = system->states / 2;
  PetscReal     *G, *B;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m; i++) mode->settle[i * m + i] = 1;
  if (system->compliance || !k) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2((size_t)(k * k), &G, (size_t)(k * m), &B));
  for (int positions = 0; positions < 2; positions++) {
    PetscInt count = 0;
    for (PetscInt a = 0; a < k; a++) {
      if (positions && held->tangent[a]) continue;
      count++;
    }
    for (PetscInt a = 0, row = 0; a < k; a++) {
      if (positions && held->tangent[a]) continue;
      const NsOrbitContact *one = &system->contact[held->contact[a]];
      for (PetscInt b = 0, column = 0; b < k; b++) {
        if (positions && held->tangent[b]) continue;
        const NsOrbitContact *other = &system->contact[held->contact[b]];
        G[column++ * count + row]   = NsOrbitDot(m, held->c[a], held->tangent[b] ? other->along : other->normal);
      }
      for (PetscInt j = 0; j < m; j++) B[j * count + row] = positions ? one->gap[j] : held->c[a][j];
      row++;
    }
    PetscCall(NsOrbitReact(count, m, G, B));
    for (PetscInt a = 0, row = 0; a < k; a++) {
      if (positions && held->tangent[a]) continue;
      const NsOrbitContact *contact = &system->contact[held->contact[a]];
      const PetscReal      *push    = (held->tangent[a] ? contact->along : contact->normal) + n;
      for (PetscInt j = 0; j < m; j++) {
        for (PetscInt i = 0; i < n; i++) mode->settle[j * m + (positions ? 0 : n) + i] += push[i] * B[j * count + row];
      }
      row++;
    }
  }
  PetscCall(PetscFree2(G, B));
  PetscFunctionReturn(0);
}

static NsOrbitEvent *add_event(NsOrbitSystem *system, NsOrbitMode *mode, NsOrbitKind kind, PetscInt contact)
{
  NsOrbitEvent *event = &mode->event[mode->events++];

  event->kind    = kind;
  event->contact = contact;
  event->row     = zeros(system, system->m);
  event->rate    = zeros(system, system->m);
  return event;
}

static void fill_events(NsOrbitSystem *system, NsOrbitMode *mode)
{
  const PetscInt m = system->m;

  for (PetscInt i = 0; i < system->contacts; i++) {
    const NsOrbitContact *contact = &system->contact[i];
    const PetscReal      *normal = mode->force + i * m, *grip = mode->grip + i * m;
    PetscReal            *row = add_event(system, mode, mode->state[i] == NS_ORBIT_OPEN ? NS_ORBIT_CLOSES : NS_ORBIT_OPENS, i)->row;
    for (PetscInt j = 0; j < m; j++) row[j] = mode->state[i] == NS_ORBIT_OPEN ? contact->gap[j] : normal[j];
    if (mode->state[i] == NS_ORBIT_OPEN && system->compliance) {
      for (PetscInt k = 0; k < system->contacts; k++) {
        for (PetscInt j = 0; j < m; j++) row[j] += system->compliance[k * system->contacts + i] * mode->force[k * m + j];
      }
    }
    if (mode->state[i] == NS_ORBIT_STICKS) {
      for (int sense = -1; sense <= 1; sense += 2) {
        row = add_event(system, mode, NS_ORBIT_SLIPS, i)->row;
        for (PetscInt j = 0; j < m; j++) row[j] = contact->law.friction * normal[j] + sense * grip[j];
      }
    } else if (mode->state[i] >= NS_ORBIT_SLIDES_UP) {
      row = add_event(system, mode, NS_ORBIT_STOPS, i)->row;
      for (PetscInt j = 0; j < m; j++) row[j] = mode->state[i] == NS_ORBIT_SLIDES_UP ? contact->slip[j] : -contact->slip[j];
    }
  }
  for (PetscInt e = 0; e < mode->events; e++) {
    for (PetscInt j = 0; j < m; j++) mode->event[e].rate[j] = NsOrbitDot(m, mode->event[e].row, mode->A + j * m);
  }
}

static PetscErrorCode make_mode(NsOrbitSystem *system, const unsigned char *state, NsOrbitMode *mode)
{
  const PetscInt m = system->m;
  PetscReal     *lambda;
  Held           held;

  PetscFunctionBegin;
  list_held(system, state, &held);
  mode->state = NsArenaAlloc(system->arena, (size_t)system->contacts + 1);
  memcpy(mode->state, state, (size_t)system->contacts);
  mode->A      = zeros(system, m * m);
  mode->scale  = zeros(system, m);
  mode->settle = zeros(system, m * m);
  mode->force  = zeros(system, m * system->contacts);
  mode->grip   = zeros(system, m * system->contacts);
  mode->event  = NsArenaAlloc(system->arena, sizeof(*mode->event) * (size_t)(4 * system->contacts + 1));
  PetscCall(PetscArraycpy(mode->A, system->A, m * m));
  lambda = zeros(system, m * held.count);
  PetscCall(find_forces(system, &held, lambda));
  for (PetscInt k = 0; k < held.count; k++) {
    const PetscInt  i     = held.contact[k];
    const PetscReal slide = state[i] == NS_ORBIT_SLIDES_UP ? 1 : state[i] == NS_ORBIT_SLIDES_DOWN ? -1 : 0;
    PetscReal      *to    = (held.tangent[k] ? mode->grip : mode->force) + i * m;
    for (PetscInt j = 0; j < m; j++) {
      to[j] = lambda[k * m + j];
      if (slide != 0) mode->grip[i * m + j] = -slide * system->contact[i].law.friction * to[j];
      for (PetscInt r = 0; r < m; r++) mode->A[j * m + r] += held.b[k][r] * lambda[k * m + j];
    }
  }
  PetscCall(find_settle(system, &held, mode));
  fill_events(system, mode);
  NsOrbitBalance(m, mode);
  PetscFunctionReturn(0);
}

PetscErrorCode NsOrbitFindMode(NsOrbitSystem *system, const unsigned char *state, NsOrbitMode **mode)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < system->modes; k++) {
    *mode = system->mode[k];
    if (!memcmp((*mode)->state, state, (size_t)system->contacts)) PetscFunctionReturn(0);
  }
  if (system->modes == system->room) {
    NsOrbitMode **more = NsArenaAlloc(system->arena, sizeof(*more) * (size_t)(2 * system->room));
    memcpy(more, system->mode, sizeof(*more) * (size_t)system->modes);
    system->mode = more;
    system->room *= 2;
  }
  *mode                         = NsArenaAlloc(system->arena, sizeof(**mode));
  system->mode[system->modes++] = *mode;
  PetscCall(make_mode(system, state, *mode));
  PetscFunctionReturn(0);
}
