/*
  HEM5: half-explicit Runge-Kutta method of order 5 for the index-2 form. Held contacts have zero velocity at every stage and on the dense output; their positions drift a little.

  [E] 2.2. V. Brasey: HEM5 user's guide, Universite de Geneve (1994). V. Brasey, E. Hairer: Half-explicit Runge-Kutta methods for differential-algebraic systems of index 2,
  SIAM J. Numer. Anal. 30 (1993). Stages i = 1..8, the end is stage 9 (a_9j = b_j):

      Q_i = q0 + h sum_{j<i} a_ij V_j,   V_i = v0 + h sum_{j<i} a_ij A_j
      M(Q_i) A_i = F(Q_i, V_i) + W_P(Q_i) lambda_i   with   W_u(Q_{i+1})' V_{i+1} + drive = 0

  Each force is found by the velocity of the stage after it, as an impulse h a_{i+1,i} lambda_i on what V_{i+1} is without it.

  Error ([E] (16), (17)), for positions and for velocities apart, |.| the largest component, y = q or v, y' = V or A:

      e1 = y1 - Y_8 = O(h^4),   e2 = y1 - y0 - h (5/2 Y'_7 - 3/2 Y'_8) = O(h^3),   error = e1 |e1|/(|e1| + 0.01 |e2|) = O(h^5)

  Dense output, of order 4: stage 10 at t0 + h/20 from stages 6, 7, 9; then q(s) and v(s) from stages 4..8, 10, the force of stage 10 such that nothing held moves at q(s).
  It costs two systems once a step and one for each look.
*/
#include "dae.h"
#include "hem5_tableau.h"

#define STAGES NS_HEM5_STAGES

typedef struct {
  Vec       V[STAGES], A[STAGES]; /* of the stages */
  Vec       U[STAGES + 2];        /* Q' of the stages, of the end and of stage 10: V where these are the same */
  Vec       q[2], v;              /* Q_i and Q_{i+1} in turns, Q_8 in q[1] after a step; scratch */
  NsRows    first, at[2];         /* W_P of the start, and of two stages: at[0] is the end's after a step */
  PetscBool starts, ends;         /* `first` is that of the start; stage 10 is known */
  Vec       q10, V10, A10;        /* A10 without force */
  NsRows    w10;                  /* W_P */
} NsDae_Hem5;

static PetscErrorCode declare(NsDae *dae, NsWorkspace *work)
{
  NsDae_Hem5 *self = dae->data;

  PetscFunctionBegin;
  for (int i = 0; i < STAGES; i++) PetscCall(NsWorkVecs(work, &self->V[i], &self->A[i], NULL));
  PetscCall(NsWorkVecs(work, &self->q[0], &self->q[1], &self->v, &self->q10, &self->V10, &self->A10, NULL));
  Vec velocity[STAGES + 2];
  for (int i = 0; i < STAGES; i++) velocity[i] = self->V[i];
  velocity[STAGES]     = dae->v1;
  velocity[STAGES + 1] = self->V10;
  PetscCall(NsDaeRatesDeclare(dae, work, STAGES + 2, velocity, self->U));
  PetscCall(NsWorkRows(work, &self->at[0], &self->at[1], &self->w10, NULL));
  PetscCall(NsHistoryFlag(work, "starts", &self->starts));
  NsHistoryWhen(work, &self->starts);
  PetscCall(NsHistoryRows(work, "first", &self->first));
  NsHistoryWhen(work, NULL);
  PetscFunctionReturn(0);
}

static PetscErrorCode restart(NsDae *dae, const NsState *from, PetscBool *done)
{
  NsDae_Hem5 *self = dae->data;

  PetscFunctionBegin;
  (void)from;
  (void)done;
  self->starts = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* v0 + h sum_{j<count} a_j A[j] */
typedef struct {
  Vec              v0;
  PetscReal        h;
  PetscInt         count;
  const PetscReal *a;
  Vec             *A;
} Sum;

/* v, the sum, of the next stage, with a force along wp in A[count - 1], which comes without it from the stage `at`, such that nothing held moves at what dae->wu is of. */
static PetscErrorCode force_stage(NsDae *dae, const NsState *at, const NsRows *wp, const Sum *sum, Vec v, PetscBool *done)
{
  const PetscInt last = sum->count - 1;

  PetscFunctionBegin;
  PetscCall(NsDaeCombine(sum->v0, sum->h, sum->count, sum->a, sum->A, v));
  if (!dae->held.count) PetscFunctionReturn(0);
  PetscCall(NsComplianceUpdate(dae->mass, at->t, at->q, at->v, (NsOperator){1, 0, 0}));
  PetscCall(NsDaeSolve(dae, dae->mass, &dae->wu, wp, v, NULL, 0, done));
  if (*done) PetscCall(NsComplianceApply(dae->mass, wp, dae->lambda, 1 / (sum->h * sum->a[last]), sum->A[last]));
  PetscFunctionReturn(0);
}

/* Position and velocity of stage i + 1 (counted from 0: STAGES is the end) from those of stage i, whose acceleration it finds. */
static PetscErrorCode next_stage(NsDae *dae, const NsState *from, PetscReal h, int i, PetscBool *done)
{
  NsDae_Hem5     *self = dae->data;
  const PetscBool last = i == STAGES - 1;
  const double   *a    = ns_hem5_a[i + 1];
  const NsRows   *wp   = i == 0 ? &self->first : &self->at[i % 2];
  const NsState   at   = {from->t + ns_hem5_c[i] * h, i == 0 ? from->q : self->q[i % 2], self->V[i]};
  const Vec       q = last ? dae->q1 : self->q[(i + 1) % 2], v = last ? dae->v1 : self->V[i + 1];

  PetscFunctionBegin;
  PetscCall(NsDaeFreeAcceleration(dae, at.t, at.q, at.v, self->A[i]));
  PetscCall(NsDaeRate(dae, at.q, self->V[i], self->U[i]));
  PetscCall(NsDaeCombine(from->q, h, i + 1, a, self->U, q));
  if (last) PetscCall(NsModelTidy(dae->model, q));
  PetscCall(NsDaeRows(dae, from->t + ns_hem5_c[i + 1] * h, q, NULL, &dae->wu, &self->at[(i + 1) % 2]));
  PetscCall(force_stage(dae, &at, wp, &(Sum){from->v, h, i + 1, a, self->A}, v, done));
  PetscCall(NsDaeSlide(dae, v, &self->at[(i + 1) % 2]));
  PetscFunctionReturn(0);
}

/* error = e1 |e1|/(|e1| + 0.01 |e2|) from y1 - Y_8 and y1 - y0 - h (5/2 Y'_7 - 3/2 Y'_8). */
static PetscErrorCode estimate(NsDae *dae, PetscReal h, Vec y0, Vec y1, Vec Y8, Vec *derivative, Vec error)
{
  static const PetscReal weight[2] = {-5. / 2, 3. / 2};
  const Vec              spare     = ((NsDae_Hem5 *)dae->data)->v;
  PetscReal              e1, e2;

  PetscFunctionBegin;
  PetscCall(NsDaeCombine(y1, h, 2, weight, derivative, spare));
  PetscCall(VecAXPY(spare, -1, y0));
  PetscCall(VecWAXPY(error, -1, Y8, y1));
  PetscCall(NsModelLargest(dae->model, error, &e1));
  PetscCall(NsModelLargest(dae->model, spare, &e2));
  if (e1 != 0) PetscCall(VecScale(error, e1 / (e1 + 0.01 * e2)));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsDae *dae, const NsState *from, PetscReal h, PetscBool *done)
{
  NsDae_Hem5 *self = dae->data;

  PetscFunctionBegin;
  self->ends = PETSC_FALSE;
  if (!self->starts) PetscCall(NsDaeRows(dae, from->t, from->q, from->v, &dae->wu, &self->first));
  self->starts = PETSC_TRUE;
  PetscCall(VecCopy(from->v, self->V[0]));
  for (int i = 0; i < STAGES && *done; i++) PetscCall(next_stage(dae, from, h, i, done));
  if (!*done) PetscFunctionReturn(0);
  PetscCall(estimate(dae, h, from->q, dae->q1, self->q[1], self->U + 6, dae->eq));
  PetscCall(estimate(dae, h, from->v, dae->v1, self->V[7], self->A + 6, dae->ev));
  PetscFunctionReturn(0);
}

static PetscErrorCode accept(NsDae *dae)
{
  NsDae_Hem5  *self = dae->data;
  const NsRows end  = self->at[0];

  PetscFunctionBegin;
  self->at[0] = self->first;
  self->first = end;
  PetscFunctionReturn(0);
}

/* Stage 10, without its force. */
static PetscErrorCode add_stage(NsDae *dae, const NsState *from, PetscBool *done)
{
  NsDae_Hem5     *self = dae->data;
  const PetscReal h = dae->h, t1 = from->t + h, t10 = from->t + ns_hem5_c10 * h;
  const Vec       end  = dae->model->dynamics.rate ? self->U[STAGES] : dae->v1; /* which changes places with the velocity of the state */
  Vec             U[3] = {self->U[5], self->U[6], end}, A[3] = {self->A[5], self->A[6], self->A10 /* for now that of the end */};

  PetscFunctionBegin;
  PetscCall(NsDaeRate(dae, dae->q1, dae->v1, end));
  PetscCall(NsDaeCombine(from->q, h, 3, ns_hem5_a10, U, self->q10));
  PetscCall(NsDaeFreeAcceleration(dae, t1, dae->q1, dae->v1, A[2]));
  PetscCall(NsDaeRows(dae, t10, self->q10, NULL, &dae->wu, &self->w10));
  PetscCall(force_stage(dae, &(NsState){t1, dae->q1, dae->v1}, &self->at[0], &(Sum){from->v, h, 3, ns_hem5_a10, A}, self->V10, done));
  PetscCall(NsDaeSlide(dae, self->V10, &self->w10));
  PetscCall(NsDaeRate(dae, self->q10, self->V10, self->U[STAGES + 1]));
  PetscCall(NsDaeFreeAcceleration(dae, t10, self->q10, self->V10, self->A10));
  PetscFunctionReturn(0);
}

/* v += M^-1 W_P P of stage 10, so that nothing held moves at (t, q): b_10(s), which vanishes at s = 0.4, is not divided by. */
static PetscErrorCode stop(NsDae *dae, PetscReal t, Vec q, Vec v)
{
  NsDae_Hem5 *self = dae->data;
  PetscBool   done;

  PetscFunctionBegin;
  PetscCall(NsDaeRows(dae, t, q, v, &dae->wu, &dae->wp));
  PetscCall(NsComplianceUpdate(dae->mass, t, self->q10, self->V10, (NsOperator){1, 0, 0}));
  PetscCall(NsDaeSolve(dae, dae->mass, &dae->wu, &self->w10, v, NULL, 0, &done));
  PetscFunctionReturn(0);
}

static PetscErrorCode interpolate(NsDae *dae, const NsState *from, PetscReal s, Vec q, Vec v)
{
  NsDae_Hem5 *self             = dae->data;
  Vec         U[NS_HEM5_DENSE] = {self->U[3], self->U[4], self->U[5], self->U[6], self->U[7], self->U[STAGES + 1]};
  Vec         A[NS_HEM5_DENSE] = {self->A[3], self->A[4], self->A[5], self->A[6], self->A[7], self->A10};
  PetscReal   b[NS_HEM5_DENSE];

  PetscFunctionBegin;
  if (!self->ends) {
    self->ends = PETSC_TRUE;
    PetscCall(add_stage(dae, from, &self->ends));
  }
  for (int i = 0; i < NS_HEM5_DENSE; i++) {
    b[i] = 0;
    for (int k = 3; k >= 0; k--) b[i] = s * (b[i] + ns_hem5_dense[k][i]);
  }
  PetscCall(NsDaeCombine(from->q, dae->h, NS_HEM5_DENSE, b, U, q));
  PetscCall(NsModelTidy(dae->model, q));
  PetscCall(NsDaeCombine(from->v, dae->h, NS_HEM5_DENSE, b, A, v));
  if (dae->held.count) PetscCall(stop(dae, from->t + s * dae->h, q, v));
  PetscFunctionReturn(0);
}

const NsDaeMethod NsDaeMethod_Hem5 = {
  .name        = "hem5",
  .order       = 5,
  .size        = sizeof(NsDae_Hem5),
  .declare     = declare,
  .restart     = restart,
  .step        = step,
  .accept      = accept,
  .interpolate = interpolate,
};
