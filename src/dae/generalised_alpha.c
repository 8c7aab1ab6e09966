/*
  Generalised-alpha method of order 2 for the index-3 form: gaps of held contacts do not change, to rounding.

  [E] 2.1. M. Arnold, O. Bruels: Convergence of the generalized-alpha scheme for constrained mechanical systems, Multibody Syst. Dyn. 18 (2007). With accelerations A and their
  auxiliary a,

      (1 - am) a1 + am a0 = (1 - af) A1 + af A0                                                        (6)
      q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v = v0 + h ((1 - gamma) a0 + gamma a1)       (7), where the paper omits an a by mistake
      M(q1) A1 = F(q1, v) + W_P(q1) lambda,   g(q1) = g at the restart                                 (9)
      v1 = v + M(q1)^-1 W_P(q1) P,   W_u(q1)' v1 + drive = 0                                           not in [E]; unless dae->free_rates
      am = (2 rho - 1)/(rho + 1),   af = rho/(rho + 1),   gamma = 1/2 + af - am,   beta = (gamma + 1/2)^2/4   (8)

  Gaps stay as they are at the restart: to close one of 1e-10 m within a step of 1e-6 s would be a kick of 1e-4 m/s. Sticking contacts have no position constraint: their tangents are held on
  velocity level, W_T' v + drive = 0.

  The projection of velocities is for steps that change. Without it a step has to undo the rate that the one before left in a gap, however short it is: lengths of 1, 2, 1, 2 ...
  have 40 times the error of equal ones, and 1, 3, 1, 3 ... diverge (block on a corner). And the auxiliary a0 belongs to the time t0 + (am - af) h of the step before: its
  distance from A0 is scaled with h, or the order is 1.3. With both it is 2 for any lengths.
  A step without one before it, after a restart or where it is more than 5 times the one before, takes A0 from the index-1 system and a0 = A0 + (am - af)(A1 - A0), which makes
  it Newmark's with gamma = 1/2, beta = (1 + (am - af)^2)/4.

  Newton's method (10), whose right side is minus the residual, with the tangents of F at the predicted end, but not those of M A1 and W_P lambda: each iteration reduces the error by a factor of
  the size h^2 A/length, so that three to six come to rounding.

  Error ([E] (11)): the distance to Newmark's method with gamma = 1, beta = 9/16, which has order 1, from the same accelerations A0, A1, so that it costs no iteration of its
  own. It goes with h^2, as the global error does: that follows the tolerance.
*/
#include "dae.h"
#include "hermite.h"

#define NS_MOST_ITERATIONS 30
#define NS_MOST_GROWTH     5.5 /* of a step: a little more than that of step control */

typedef struct {
  PetscReal am, af, beta, gamma;
  PetscReal ahead; /* first steps: a = A + ahead (A1 - A0) */
} Parameters;

typedef struct {
  NsCompliance *tangent;         /* slot 1 */
  Vec           A0, A1, a0, a1;  /* accelerations and auxiliary ones at the ends */
  Vec           a, r, dq;        /* a0 for this step's length; scratch */
  PetscReal    *gap, *gap_start; /* [candidates] of the last look, and at the restart */
  PetscReal     last;            /* length of the step that a0 comes from; 0: a0 = A0 is by the index-1 system */
} NsDae_GeneralisedAlpha;

static PetscErrorCode declare(NsDae *dae, NsWorkspace *work)
{
  NsDae_GeneralisedAlpha *self = dae->data;

  PetscFunctionBegin;
  PetscCall(NsWorkCompliance(work, 1, &self->tangent));
  PetscCall(NsWorkVecs(work, &self->A1, &self->a1, &self->a, &self->r, &self->dq, NULL));
  PetscCall(NsWorkReals(work, work->candidates, &self->gap, NULL));
  PetscCall(NsHistoryVec(work, "A0", &self->A0));
  PetscCall(NsHistoryVec(work, "a0", &self->a0));
  PetscCall(NsHistoryReals(work, "gap_start", work->candidates, &self->gap_start));
  PetscCall(NsHistoryNumbers(work, "last_length", 1, &self->last));
  PetscFunctionReturn(0);
}

/* A0 and a0 without a step before; they stay where there are no forces. */
static PetscErrorCode start_anew(NsDae *dae, const NsState *from, PetscBool *done)
{
  NsDae_GeneralisedAlpha *self = dae->data;

  PetscFunctionBegin;
  PetscCall(NsDaeForces(dae, from->t, from->q, from->v, self->a, done));
  if (!*done) PetscFunctionReturn(0);
  PetscCall(VecCopy(self->a, self->A0));
  PetscCall(VecCopy(self->a, self->a0));
  self->last = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode restart(NsDae *dae, const NsState *from, PetscBool *done)
{
  NsDae_GeneralisedAlpha *self = dae->data;

  PetscFunctionBegin;
  if (dae->held.count) PetscCall(NsModelGap(dae->model, from->t, from->q, self->gap_start));
  PetscCall(start_anew(dae, from, done));
  PetscFunctionReturn(0);
}

static Parameters parameters(PetscReal rho, PetscBool first)
{
  const PetscReal am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 + af - am;

  return first ? (Parameters){0, 0, (1 + PetscSqr(am - af)) / 4, 0.5, am - af} : (Parameters){am, af, PetscSqr(gamma + 0.5) / 4, gamma, 0};
}

/* a1 of (6) for A1. */
static PetscErrorCode auxiliary(NsDae_GeneralisedAlpha *self, const Parameters *p)
{
  const PetscReal mean[3] = {(1 - p->af) / (1 - p->am), p->af / (1 - p->am), -p->am / (1 - p->am)};
  Vec             A[3]    = {self->A1, self->A0, self->a};

  PetscFunctionBegin;
  PetscCall(NsDaeCombine(NULL, 1, 3, mean, A, self->a1));
  PetscFunctionReturn(0);
}

/* q1 and v1 of (7) for A1 = A0. */
static PetscErrorCode predict(NsDae *dae, const NsState *from, PetscReal h, const Parameters *p)
{
  NsDae_GeneralisedAlpha *self        = dae->data;
  const PetscReal         position[3] = {1 / h, 0.5 - p->beta, p->beta}, velocity[2] = {1 - p->gamma, p->gamma};
  Vec                     a[3] = {from->v, self->a, self->a1};

  PetscFunctionBegin;
  PetscCall(VecCopy(self->A0, self->A1));
  PetscCall(auxiliary(self, p));
  PetscCall(NsDaeCombine(from->q, h * h, 3, position, a, dae->q1));
  PetscCall(NsDaeCombine(from->v, h, 2, velocity, a + 1, dae->v1));
  PetscFunctionReturn(0);
}

/* dae->rate: the residual of the equations, in terms of positions and less the drive: gaps, and velocities of what sticks over gamma' (that of (10)). */
static PetscErrorCode evaluate(NsDae *dae, PetscReal t, PetscReal gamma)
{
  NsDae_GeneralisedAlpha *self  = dae->data;
  NsModel                *model = dae->model;
  const NsRows           *wu    = &dae->wu;

  PetscFunctionBegin;
  PetscCall(NsDaeRows(dae, t, dae->q1, dae->v1, &dae->wu, &dae->wp));
  PetscCall(NsModelGap(model, t, dae->q1, self->gap));
  PetscCall(NsRowsVelocity(model, wu, dae->v1, dae->rate));
  for (PetscInt i = 0; i < wu->contacts; i++) {
    const PetscInt first = wu->start[i], candidate = wu->contact[i];
    for (PetscInt k = first; k < wu->start[i + 1]; k++)
      dae->rate[k] = (k == first ? self->gap[candidate] - self->gap_start[candidate] : dae->rate[k] / gamma) - wu->drive[k];
  }
  PetscFunctionReturn(0);
}

/* One iteration of Newton's method: dq, which is added. */
static PetscErrorCode correct(NsDae *dae, PetscReal t, PetscReal beta, PetscReal gamma, PetscBool *done)
{
  NsDae_GeneralisedAlpha *self  = dae->data;
  NsModel                *model = dae->model;

  PetscFunctionBegin;
  PetscCall(NsModelForce(model, t, dae->q1, dae->v1, self->a1));
  PetscCall(NsModelMult(model, t, dae->q1, self->A1, self->r));
  PetscCall(VecAYPX(self->r, -1, self->a1));
  PetscCall(NsModelSolve(model, 1, self->r, self->dq));
  dae->work.forces++;
  dae->work.solves++;
  if (dae->held.count) {
    PetscCall(evaluate(dae, t, gamma));
    PetscCall(NsDaeSolve(dae, self->tangent, &dae->wu, &dae->wp, self->dq, dae->rate, 1e-9 * model->length_scale /* whose gaps round */, done));
  }
  PetscCall(VecAXPY(dae->q1, 1, self->dq));
  PetscCall(VecAXPY(dae->v1, gamma, self->dq));
  PetscCall(VecAXPY(self->A1, beta, self->dq));
  PetscFunctionReturn(0);
}

/* Iterates until positions converge to rounding: changes below 1e-15 of their size (or of the motion by forces in the step), or no longer decreasing and below 1e-9. */
static PetscErrorCode iterate(NsDae *dae, const NsState *from, PetscReal h, const Parameters *p, PetscBool *done)
{
  const NsModel          *model = dae->model;
  const PetscReal         beta = (1 - p->am) / (h * h * p->beta * (1 - p->af)), gamma = p->gamma / (h * p->beta), t = from->t + h;
  PetscReal               change = PETSC_INFINITY, last, size;
  NsDae_GeneralisedAlpha *self   = dae->data;

  PetscFunctionBegin;
  PetscCall(NsComplianceUpdate(self->tangent, t, dae->q1, dae->v1, (NsOperator){beta, gamma, 1}));
  dae->work.tangents++;
  for (int i = 0; i < NS_MOST_ITERATIONS && *done; i++) {
    last = change;
    PetscCall(correct(dae, t, beta, gamma, done));
    PetscCall(NsModelLargest(model, self->dq, &change));
    PetscCall(NsModelLargest(model, dae->q1, &size));
    size = PetscMax(size, h * h * dae->free_size); /* at rest at q = 0 */
    if (change <= 1e-15 * size || (change <= 1e-9 * size && change >= last)) PetscFunctionReturn(0);
  }
  if (*done)
    PetscCall(PetscSNPrintf(dae->reason, sizeof(dae->reason), "Newton's method does not converge in %d iterations (last change %.1e, step %.1e s)",
      NS_MOST_ITERATIONS, change, h));
  *done = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* The distance of the end to Newmark's. */
static PetscErrorCode estimate(NsDae *dae, const NsState *from, PetscReal h)
{
  static const PetscReal  velocity[2] = {0, -1};
  NsDae_GeneralisedAlpha *self        = dae->data;
  const PetscReal         position[3] = {-1 / h, -(0.5 - 9.0 / 16), -9.0 / 16};
  Vec                     A[3]        = {from->v, self->A0, self->A1};

  PetscFunctionBegin;
  PetscCall(NsDaeCombine(dae->q1, h * h, 3, position, A, dae->eq));
  PetscCall(VecAXPY(dae->eq, -1, from->q));
  PetscCall(NsDaeCombine(dae->v1, h, 2, velocity, A + 1, dae->ev));
  PetscCall(VecAXPY(dae->ev, -1, from->v));
  PetscFunctionReturn(0);
}

/* v1 += M^-1 W_P P, so that nothing held moves. */
static PetscErrorCode project(NsDae *dae, PetscReal t, PetscBool *done)
{
  PetscFunctionBegin;
  if (!dae->held.count) PetscFunctionReturn(0);
  PetscCall(NsDaeRows(dae, t, dae->q1, dae->v1, &dae->wu, &dae->wp));
  PetscCall(NsComplianceUpdate(dae->mass, t, dae->q1, dae->v1, (NsOperator){1, 0, 0}));
  PetscCall(NsDaeSolve(dae, dae->mass, &dae->wu, &dae->wp, dae->v1, NULL, 0, done));
  PetscFunctionReturn(0);
}

static PetscErrorCode step(NsDae *dae, const NsState *from, PetscReal h, PetscBool *done)
{
  NsDae_GeneralisedAlpha *self = dae->data;

  PetscFunctionBegin;
  if (self->last > 0 && h > NS_MOST_GROWTH * self->last) PetscCall(start_anew(dae, from, done));
  if (!*done) PetscFunctionReturn(0);
  const Parameters p = parameters(dae->rho, !(self->last > 0));
  PetscCall(VecWAXPY(self->a, -1, self->A0, self->a0));
  PetscCall(VecAYPX(self->a, self->last > 0 ? h / self->last : 0, self->A0));
  PetscCall(predict(dae, from, h, &p));
  PetscCall(iterate(dae, from, h, &p, done));
  if (!*done) PetscFunctionReturn(0);
  PetscCall(auxiliary(self, &p));
  PetscCall(VecAXPBYPCZ(self->a1, p.ahead, -p.ahead, 1, self->A1, self->A0));
  if (!dae->free_rates) PetscCall(project(dae, from->t + h, done));
  PetscCall(estimate(dae, from, h));
  PetscFunctionReturn(0);
}

static PetscErrorCode accept(NsDae *dae)
{
  NsDae_GeneralisedAlpha *self = dae->data;

  PetscFunctionBegin;
  NsVecSwap(&self->A0, &self->A1);
  NsVecSwap(&self->a0, &self->a1);
  self->last = dae->h;
  PetscFunctionReturn(0);
}

static PetscErrorCode interpolate(NsDae *dae, const NsState *from, PetscReal s, Vec q, Vec v)
{
  NsDae_GeneralisedAlpha *self  = dae->data;
  const NsHermiteEnd      first = {from->t, from->q, from->v, self->A0}, last = {from->t + dae->h, dae->q1, dae->v1, self->A1};

  PetscFunctionBegin;
  PetscCall(NsHermite(&first, &last, s, q, v));
  PetscFunctionReturn(0);
}

const NsDaeMethod NsDaeMethod_GeneralisedAlpha = {
  .name         = "generalised_alpha",
  .order        = 2,
  .by_positions = PETSC_TRUE,
  .factors      = PETSC_TRUE,
  .size         = sizeof(NsDae_GeneralisedAlpha),
  .declare      = declare,
  .restart      = restart,
  .step         = step,
  .accept       = accept,
  .interpolate  = interpolate,
};
