/*
  A sharp upper bound of the highest frequency of solids with a diagonal mass matrix, from products with K alone: Lanczos with a random start.

  The largest Ritz value theta of k steps on A = M^-1/2 K M^-1/2, from a start of normally distributed numbers, is below lambda_max. J. Kuczynski and H. Wozniakowski show for every
  symmetric positive semidefinite A of n rows, however close its eigenvalues are, that

      P(theta < (1 - eps) lambda_max) <= 1.648 sqrt(n) exp(-sqrt(eps) (2 k - 1)),

  the probability being that of the start, which does not depend on the model. k is chosen so that it is below 1e-12 with eps = 0.02. theta/(1 - eps) is then an upper bound of lambda_max, and
  omega_max at most 1 % below it. A million DOF take 126 products, each as long as an explicit step. The bound of the elements alone (bounds.c) is proven without any probability,
  but 1.3 times the frequency of cubes, and up to 2.4 times that of tetrahedra: the smaller one counts.

  The start comes from a fixed sequence over the natural numbers of the DOF, and sums are exact: the same bits on any number of processes. Rounding does not raise theta: Ritz values of
  Lanczos without reorthogonalisation stay within the spectrum but for rounding (C. C. Paige, J. Inst. Math. Appl. 18 (1976), 341-349).

  J. Kuczynski, H. Wozniakowski, Estimating the largest eigenvalue by the power and Lanczos algorithms with a random start, SIAM J. Matrix Anal. Appl. 13 (1992), 1094-1122, theorem 4.2.
*/
#include "bounds.h"
#include "core/noise.h"
#include "fe/backend/backend.h"
#include <petscblaslapack.h>

#define NS_BELOW  0.02  /* eps */
#define NS_UNSAFE 1e-12 /* probability */
#define NS_FEW    3000  /* DOF: so few have their eigenvalues computed in a moment */
#define NS_STEPS  200   /* more than are needed for any number of DOF */

typedef struct {
  NsBackEnd *back_end;
  PetscInt   active;   /* DOF of the part, of all processes */
  PetscReal *root;     /* [local] M^-1/2; 0: of another part, without mass, or a ghost */
  PetscReal *q, *rest; /* [local] M^-1/2 x; zero velocities */
} Product;

PetscBool NsFeHighestIsQuick(const NsModel *model)
{
  const NsFe *fe    = model->data;
  PetscBool   solid = PETSC_FALSE;

  if (fe->unknowns < NS_FEW || !fe->back_end->type->by_elements || fe->forces.varyings || fe->circulates) return PETSC_FALSE;
  for (PetscInt b = 0; b < fe->bodies; b++) {
    if (fe->body[b].is_rotor) return PETSC_FALSE;
    solid = solid || fe->body[b].solid;
  }
  return solid;
}

/* (all) */
static PetscErrorCode dot(const NsLayout *layout, const PetscReal *x, const PetscReal *y, PetscReal *sum)
{
  NsExactSum exact = {{0}};

  PetscFunctionBegin;
  NsExactSumAddProducts(&exact, layout->local, x, y); /* ghosts are 0 */
  PetscCall(NsExactSumReduce(&exact, layout->comm));
  *sum = NsExactSumValue(&exact);
  PetscFunctionReturn(0);
}

/* root[]: M^-1/2 of the DOF of a part that this process owns. */
static PetscErrorCode find_roots(NsFe *fe, PetscInt part, Product *self)
{
  const NsLayout *layout = fe->back_end->layout;
  PetscReal      *one, *mass, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(layout->local, &one, layout->local, &mass));
  for (PetscInt i = 0; i < layout->local; i++) one[i] = 1;
  PetscCall(PetscArrayzero(mass, layout->local));
  PetscCall(fe->back_end->type->mult(fe->back_end, one, mass));
  for (PetscInt b = 0; b < fe->bodies; b++) {
    const NsFeBody *body = &fe->body[b];
    for (PetscInt i = body->first_dof; body->part == part && i < body->first_dof + body->mesh->nodes * body->node_unknowns; i++) {
      const PetscInt index = fe->unknown[i] < 0 ? -1 : NsLayoutIndex(layout, fe->unknown[i]);
      if (index < 0 || !NsLayoutOwns(layout, index) || mass[index] <= 0) continue;
      self->root[index] = 1 / PetscSqrtReal(mass[index]);
      count++;
    }
  }
  PetscCall(PetscFree2(one, mass));
  PetscCall(NsLayoutSum(layout, 1, &count));
  self->active = (PetscInt)count;
  PetscFunctionReturn(0);
}

/* y = A x */
static PetscErrorCode multiply(Product *self, const PetscReal *x, PetscReal *y)
{
  const PetscInt local = self->back_end->layout->local;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < local; i++) self->q[i] = self->root[i] * x[i];
  PetscCall(PetscArrayzero(y, local));
  PetscCall(PetscArrayzero(self->rest, local));
  PetscCall(self->back_end->type->force(self->back_end, self->q, self->rest, y)); /* -K q */
  for (PetscInt i = 0; i < local; i++) y[i] *= -self->root[i];
  PetscFunctionReturn(0);
}

/* Largest eigenvalue of the tridiagonal matrix of k steps. */
static PetscErrorCode largest_ritz(PetscInt k, const PetscReal *alpha, const PetscReal *beta, PetscReal *theta)
{
  PetscReal    d[NS_STEPS], e[NS_STEPS], work[2 * NS_STEPS];
  PetscBLASInt n = (PetscBLASInt)k, one = 1, info;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < k; i++) {
    d[i] = alpha[i];
    e[i] = beta[i];
  }
  LAPACKsteqr_("N", &n, d, e, NULL, &one, work, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dsteqr returned %d", (int)info);
  *theta = d[k - 1];
  PetscFunctionReturn(0);
}

/* x[3][local]: three vectors that take turns. */
static PetscErrorCode iterate(Product *self, PetscReal *x[3], PetscReal *theta)
{
  const NsLayout *layout = self->back_end->layout;
  const PetscReal needed = PetscLogReal(1.648 * PetscSqrtReal((PetscReal)self->active) / NS_UNSAFE) / PetscSqrtReal(NS_BELOW);
  const PetscInt  steps  = PetscMin(PetscMin(NS_STEPS, (PetscInt)PetscCeilReal((needed + 1) / 2)), self->active);
  PetscReal       alpha[NS_STEPS], beta[NS_STEPS] = {0}, norm;
  PetscInt        k = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < layout->local; i++) x[0][i] = self->root[i] > 0 ? NsNoiseNormal((uint64_t)NsLayoutNatural(layout, i)) : 0;
  PetscCall(dot(layout, x[0], x[0], &norm));
  for (PetscInt i = 0; i < layout->local; i++) x[0][i] /= PetscSqrtReal(norm);
  for (PetscReal size = 0; k < steps;) {
    PetscReal *last = x[(k + 2) % 3], *now = x[k % 3], *next = x[(k + 1) % 3];
    PetscCall(multiply(self, now, next));
    for (PetscInt i = 0; i < layout->local && k > 0; i++) next[i] -= beta[k - 1] * last[i];
    PetscCall(dot(layout, now, next, &alpha[k]));
    for (PetscInt i = 0; i < layout->local; i++) next[i] -= alpha[k] * now[i];
    PetscCall(dot(layout, next, next, &norm));
    beta[k] = PetscSqrtReal(norm);
    size    = PetscMax(size, PetscMax(PetscAbsReal(alpha[k]), beta[k]));
    if (beta[k++] <= 1e-13 * size) break; /* an invariant subspace: theta is an eigenvalue */
    for (PetscInt i = 0; i < layout->local; i++) next[i] /= beta[k - 1];
  }
  PetscCall(largest_ritz(k, alpha, beta, theta));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeHighestByLanczos(NsFe *fe, PetscInt part, PetscReal *omega)
{
  const PetscInt local = fe->back_end->layout->local;
  Product        self  = {.back_end = fe->back_end};
  PetscReal     *x[3], theta;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(local, &self.root, local, &self.q, local, &self.rest));
  PetscCall(PetscCalloc3(local, &x[0], local, &x[1], local, &x[2]));
  PetscCall(find_roots(fe, part, &self));
  if (self.active > 0) {
    PetscCall(iterate(&self, x, &theta));
    *omega = PetscMin(*omega, PetscSqrtReal(PetscMax(theta, 0) / (1 - NS_BELOW)));
  }
  PetscCall(PetscFree3(x[0], x[1], x[2]));
  PetscCall(PetscFree3(self.root, self.q, self.rest));
  PetscFunctionReturn(0);
}
