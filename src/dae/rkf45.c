/*
  Runge-Kutta-Fehlberg method of order 4 with an estimate by order 5, on the index-1 form: held contacts have zero acceleration, so their velocities and positions drift.

  [E] 2.3. E. Fehlberg: Low-order classical Runge-Kutta formulas with stepsize control, NASA TR R-315 (1969), Table III. The solution of order 4 goes on:

      Q_i = q0 + h sum_{j<i} a_ij V_j,   V_i = v0 + h sum_{j<i} a_ij A_j,   A_i from the index-1 system at (t0 + c_i h, Q_i, V_i)
      q1 = q0 + h sum b_i V_i,   v1 = v0 + h sum b_i A_i,   error = h sum (b_i - b^_i) (V_i, A_i) = O(h^5)

  A step costs six systems, five where the one before was looked into: then the acceleration at its end is known.
*/
#include "dae.h"
#include "hermite.h"
#include "rkf45_tableau.h"

#define STAGES NS_RKF45_STAGES

typedef struct {
  Vec       V[STAGES], A[STAGES]; /* of the stages; the first is the start's */
  Vec       U[STAGES + 1];        /* Q' of the stages and of the end: V where these are the same */
  Vec       q, a1;                /* Q_i; acceleration at the end */
  Vec       second[2], spare;     /* q'' at both ends: where q' is not v, else those of a */
  PetscBool starts, ends;         /* A[0] is that of the start; a1 that of the end */
} NsDae_Rkf45;

static PetscErrorCode declare(NsDae *dae, NsWorkspace *work)
{
  NsDae_Rkf45 *self = dae->data;

  PetscFunctionBegin;
  for (int i = 1; i < STAGES; i++) PetscCall(NsWorkVecs(work, &self->V[i], &self->A[i], NULL));
  PetscCall(NsWorkVecs(work, &self->q, &self->a1, NULL));
  PetscCall(NsHistoryFlag(work, "starts", &self->starts));
  NsHistoryWhen(work, &self->starts);
  PetscCall(NsHistoryVec(work, "V0", &self->V[0]));
  PetscCall(NsHistoryVec(work, "A0", &self->A[0]));
  NsHistoryWhen(work, NULL);
  Vec velocity[STAGES + 1];
  for (int i = 0; i < STAGES; i++) velocity[i] = self->V[i];
  velocity[STAGES] = dae->v1;
  PetscCall(NsDaeRatesDeclare(dae, work, STAGES + 1, velocity, self->U));
  if (work->model->dynamics.rate) PetscCall(NsWorkVecs(work, &self->second[0], &self->second[1], &self->spare, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode restart(NsDae *dae, const NsState *from, PetscBool *done)
{
  NsDae_Rkf45 *self = dae->data;

  PetscFunctionBegin;
  (void)from;
  (void)done;
  self->starts = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* A[0], unless it is known. */
static PetscErrorCode begin(NsDae *dae, const NsState *from, PetscBool *done)
{
  NsDae_Rkf45 *self = dae->data;

  PetscFunctionBegin;
  self->ends = PETSC_FALSE;
  if (self->starts) PetscFunctionReturn(0);
  PetscCall(VecCopy(from->v, self->V[0]));
  PetscCall(NsDaeForces(dae, from->t, from->q, from->v, self->A[0], done));
  self->starts = *done;
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsDae *dae, const NsState *from, PetscReal h, PetscBool *done)
{
  NsDae_Rkf45 *self = dae->data;
  PetscReal    error[STAGES];

  PetscFunctionBegin;
  PetscCall(begin(dae, from, done));
  if (*done) PetscCall(NsDaeRate(dae, from->q, from->v, self->U[0]));
  for (int i = 1; i < STAGES && *done; i++) {
    PetscCall(NsDaeCombine(from->q, h, i, ns_rkf45_a[i], self->U, self->q));
    PetscCall(NsDaeCombine(from->v, h, i, ns_rkf45_a[i], self->A, self->V[i]));
    PetscCall(NsDaeRate(dae, self->q, self->V[i], self->U[i]));
    PetscCall(NsDaeForces(dae, from->t + ns_rkf45_c[i] * h, self->q, self->V[i], self->A[i], done));
  }
  if (!*done) PetscFunctionReturn(0);
  PetscCall(NsDaeCombine(from->q, h, STAGES, ns_rkf45_b, self->U, dae->q1));
  PetscCall(NsModelTidy(dae->model, dae->q1));
  PetscCall(NsDaeCombine(from->v, h, STAGES, ns_rkf45_b, self->A, dae->v1));
  for (int i = 0; i < STAGES; i++) error[i] = ns_rkf45_b[i] - ns_rkf45_b5[i];
  PetscCall(NsDaeCombine(NULL, h, STAGES, error, self->U, dae->eq));
  PetscCall(NsDaeCombine(NULL, h, STAGES, error, self->A, dae->ev));
  PetscFunctionReturn(0);
}

static PetscErrorCode accept(NsDae *dae)
{
  NsDae_Rkf45 *self = dae->data;

  PetscFunctionBegin;
  if (self->ends) {
    PetscCall(VecCopy(self->a1, self->A[0]));
    PetscCall(VecCopy(dae->v1, self->V[0]));
  }
  self->starts = self->ends;
  PetscFunctionReturn(0);
}

/* q'' = rate(q, a) + rate(q', v) - rate(0, v): rates are linear in v, and in q beside what does not depend on it. */
static PetscErrorCode second_rate(NsDae *dae, Vec q, Vec rate, Vec v, Vec a, Vec result)
{
  NsDae_Rkf45 *self = dae->data;

  PetscFunctionBegin;
  PetscCall(NsModelRate(dae->model, rate, v, result));
  PetscCall(VecZeroEntries(self->q));
  PetscCall(NsModelRate(dae->model, self->q, v, self->spare));
  PetscCall(VecAXPY(result, -1, self->spare));
  PetscCall(NsModelRate(dae->model, q, a, self->spare));
  PetscCall(VecAXPY(result, 1, self->spare));
  PetscFunctionReturn(0);
}

static PetscErrorCode interpolate(NsDae *dae, const NsState *from, PetscReal s, Vec q, Vec v)
{
  NsDae_Rkf45       *self  = dae->data;
  const NsHermiteEnd first = {from->t, from->q, from->v, self->A[0]}, last = {from->t + dae->h, dae->q1, dae->v1, self->a1};

  PetscFunctionBegin;
  if (!self->ends) {
    PetscCall(NsDaeForces(dae, last.t, last.q, last.v, last.a, &self->ends));
    PetscCall(NsDaeRate(dae, dae->q1, dae->v1, self->U[STAGES]));
    if (self->spare) {
      PetscCall(second_rate(dae, from->q, self->U[0], from->v, self->A[0], self->second[0]));
      PetscCall(second_rate(dae, dae->q1, self->U[STAGES], dae->v1, self->a1, self->second[1]));
    }
  }
  PetscCall(NsHermite(&first, &last, s, q, v));
  if (self->spare) {
    const NsHermiteEnd begin_q = {from->t, from->q, self->U[0], self->second[0]}, end_q = {last.t, dae->q1, self->U[STAGES], self->second[1]};
    PetscCall(NsHermite(&begin_q, &end_q, s, q, self->spare));
    PetscCall(NsModelTidy(dae->model, q));
  }
  PetscFunctionReturn(0);
}

const NsDaeMethod NsDaeMethod_Rkf45 = {
  .name        = "rkf45",
  .order       = 5, /* of the estimate; the 4 of [E] goes with its tolerance for each second, (12) */
  .size        = sizeof(NsDae_Rkf45),
  .declare     = declare,
  .restart     = restart,
  .step        = step,
  .accept      = accept,
  .interpolate = interpolate,
};
