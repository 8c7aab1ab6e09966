/*
  What limits the step of explicit schemes: the highest eigenvalues of (K, M), omega^2, and of (C, M), the damping rate.

  Bound: the matrices are sums over elements, so no eigenvalue is above the largest of one element alone (Irons and Treharne). Springs and dashpots
  have no mass of their own: each is given to an element at its node; one between two nodes as two of twice the size to ground,
  since (a - b)^2 <= 2 a^2 + 2 b^2. A point mass stays with the first element of its node. Rigorous, and exact for a uniform bar.

  Exact: SLEPc's Krylov-Schur, shift-and-invert just above the bound. Eigenvalues crowd at the upper end of a fine mesh; without the shift a bar of
  5000 elements takes 6 s, with it a few iterations.
*/
#include <slepceps.h>
#include <petscblaslapack.h>
#include <stdio.h>
#include "fe.h"

#define NS_ELEMENT_SIZE (NS_ELEMENT_UNKNOWNS * NS_ELEMENT_UNKNOWNS)

/* Largest eigenvalue of (X, M), n x n, both overwritten. */
static PetscErrorCode largest_eigenvalue(PetscInt n, PetscReal *X, PetscReal *M, PetscReal *largest)
{
  PetscBLASInt type = 1, size, work_size = 64 * NS_ELEMENT_UNKNOWNS, info;
  PetscReal    values[NS_ELEMENT_UNKNOWNS], work[64 * NS_ELEMENT_UNKNOWNS];

  PetscFunctionBegin;
  *largest = 0;
  if (n == 0) PetscFunctionReturn(0);
  PetscCall(PetscBLASIntCast(n, &size));
  LAPACKsygv_(&type, "N", "U", &size, X, &size, M, &size, values, work, &work_size, &info);
  PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "dsygv returned %d for an element", (int)info);
  *largest = PetscMax(values[n - 1], 0);
  PetscFunctionReturn(0);
}

/* What attachments lend to a node, in the node's unknowns, and which element carries it. */
typedef struct {
  PetscInt  element;
  PetscReal stiffness[NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS], damping[NS_NODE_UNKNOWNS * NS_NODE_UNKNOWNS];
  PetscReal mass;
} Lent;

static void lend_spring(const NsFe *fe, const NsFeSpring *spring, PetscInt node, Lent *lent)
{
  const NsFeBody *body                  = &fe->body[fe->node_body[node]];
  const PetscReal factor                = spring->node[1] < 0 ? 1 : 2;
  PetscReal       row[NS_NODE_UNKNOWNS] = {0};

  for (PetscInt a = 0; a < body->node_unknowns; a++) {
    for (int k = 0; k < 3; k++) row[a] += spring->direction[k] * body->direction[a][k];
  }
  for (int i = 0; i < NS_NODE_UNKNOWNS; i++) {
    for (int j = 0; j < NS_NODE_UNKNOWNS; j++) {
      lent->stiffness[i * NS_NODE_UNKNOWNS + j] += factor * spring->stiffness * row[i] * row[j];
      lent->damping[i * NS_NODE_UNKNOWNS + j] += factor * spring->damping * row[i] * row[j];
    }
  }
}

static PetscErrorCode lend_attachments(const NsFe *fe, Lent **result)
{
  Lent *lent;

  PetscFunctionBegin;
  *result = NULL;
  if (fe->springs + fe->masses == 0) PetscFunctionReturn(0);
  PetscCall(PetscCalloc1(fe->nodes, &lent));
  for (PetscInt i = 0; i < fe->nodes; i++) lent[i].element = -1;
  for (PetscInt s = 0; s < fe->springs; s++) {
    for (PetscInt p = 0; p < 2 && fe->spring[s].node[p] >= 0; p++) {
      lend_spring(fe, &fe->spring[s], fe->spring[s].node[p], &lent[fe->spring[s].node[p]]);
      lent[fe->spring[s].node[p]].element = -2; /* wants one */
    }
  }
  for (PetscInt m = 0; m < fe->masses; m++) {
    lent[fe->mass[m].node].mass += fe->mass[m].mass;
    lent[fe->mass[m].node].element = -2;
  }
  for (PetscInt i = 0; i < fe->elements; i++) {
    for (int k = 0; k < 2; k++) {
      if (lent[fe->element[i].node[k]].element == -2) lent[fe->element[i].node[k]].element = i;
    }
  }
  *result = lent;
  PetscFunctionReturn(0);
}

/* Rows and columns of unknowns that are not supported; in place, since a target is never behind its source. */
static PetscInt drop_supported(PetscInt n, const PetscInt *unknown, PetscReal *X)
{
  PetscInt kept[NS_ELEMENT_UNKNOWNS], free = 0;

  for (PetscInt i = 0; i < n; i++) {
    if (unknown[i] >= 0) kept[free++] = i;
  }
  for (PetscInt i = 0; i < free; i++) {
    for (PetscInt j = 0; j < free; j++) X[i * free + j] = X[kept[i] * n + kept[j]];
  }
  return free;
}

/* The eigenvalues of one element with what it carries for its nodes. */
static PetscErrorCode element_with_attachments(const NsFe *fe, PetscInt index, const Lent *lent, PetscReal *stiffness, PetscReal *damping)
{
  const NsFeElement *e    = &fe->element[index];
  const NsFeBody    *body = &fe->body[e->body];
  const PetscInt     d    = body->node_unknowns;
  PetscReal          M[2][NS_ELEMENT_SIZE], K[NS_ELEMENT_SIZE], C[NS_ELEMENT_SIZE];
  PetscInt           unknown[NS_ELEMENT_UNKNOWNS], free;

  PetscFunctionBegin;
  const PetscInt n = NsFeElementUnknowns(fe, e, unknown);
  body->element->mass(e, d, body->lumped, M[0]);
  body->element->stiffness(e, d, K);
  for (PetscInt i = 0; i < n * n; i++) C[i] = body->damping_mass * M[0][i] + body->damping_stiffness * K[i];
  for (PetscInt k = 0; k < 2; k++) {
    const Lent *own = &lent[e->node[k]];
    if (own->element != index) continue;
    for (PetscInt a = 0; a < d; a++) {
      M[0][(k * d + a) * n + k * d + a] += own->mass;
      for (PetscInt b = 0; b < d; b++) {
        K[(k * d + a) * n + k * d + b] += own->stiffness[NS_NODE_UNKNOWNS * a + b];
        C[(k * d + a) * n + k * d + b] += own->damping[NS_NODE_UNKNOWNS * a + b];
      }
    }
  }
  free = drop_supported(n, unknown, M[0]);
  drop_supported(n, unknown, K);
  drop_supported(n, unknown, C);
  PetscCall(PetscArraycpy(M[1], M[0], free * free));
  PetscCall(largest_eigenvalue(free, K, M[0], stiffness));
  PetscCall(largest_eigenvalue(free, C, M[1], damping));
  PetscFunctionReturn(0);
}

/* "element of 'bar' from ... to ..., with the spring 'mount'": what sets a bound. */
static void name_element(const NsFe *fe, PetscInt index, PetscBool attached, char *text, size_t size)
{
  const NsFeElement *e = &fe->element[index];
  const PetscReal   *a = fe->x + 3 * e->node[0], *b = fe->x + 3 * e->node[1];
  const char        *spring = NULL;

  for (PetscInt s = 0; attached && s < fe->springs && !spring; s++) {
    for (int k = 0; k < 4; k++) {
      if (fe->spring[s].node[k / 2] == e->node[k % 2]) spring = fe->spring[s].name;
    }
  }
  (void)snprintf(text, size, "%s%s%selement of '%s' from (%g, %g, %g) to (%g, %g, %g) m", spring ? "spring '" : "", spring ? spring : "",
    spring ? "' at the " : "", fe->body[e->body].name, a[0], a[1], a[2], b[0], b[1], b[2]);
}

PetscErrorCode NsFeFrequencyBound(NsModel *model, NsBound *omega, NsBound *damping_rate)
{
  NsFe     *fe = model->data;
  Lent     *lent;
  PetscInt  stiffest = 0, most_damped = 0;
  PetscBool attached[2] = {PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBegin;
  omega->value = damping_rate->value = 0;
  PetscCall(lend_attachments(fe, &lent));
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e     = &fe->element[i];
    const NsFeBody    *body  = &fe->body[e->body];
    const PetscReal    alone = body->element->frequency(e, body->lumped), alone_rate = body->damping_mass + body->damping_stiffness * alone * alone;
    PetscReal          own = alone, rate = alone_rate;
    if (lent && (lent[e->node[0]].element == i || lent[e->node[1]].element == i)) {
      PetscCall(element_with_attachments(fe, i, lent, &own, &rate));
      own = PetscSqrtReal(own);
    }
    if (own > omega->value * (1 + 1e-9)) { /* of equal ones the first */
      omega->value = own;
      stiffest     = i;
      attached[0]  = own > alone * (1 + 1e-3) ? PETSC_TRUE : PETSC_FALSE;
    }
    if (rate > damping_rate->value * (1 + 1e-9)) {
      damping_rate->value = rate;
      most_damped         = i;
      attached[1]         = rate > alone_rate * (1 + 1e-3) ? PETSC_TRUE : PETSC_FALSE;
    }
  }
  name_element(fe, stiffest, attached[0], omega->where, sizeof(omega->where));
  name_element(fe, most_damped, attached[1], damping_rate->where, sizeof(damping_rate->where));
  PetscCall(PetscFree(lent));
  PetscFunctionReturn(0);
}

/* Largest eigenvalue of (X, M), which is at most `bound`; 0 when the solver finds none. */
static PetscErrorCode solve_pencil(Mat X, Mat M, PetscReal bound, PetscReal *largest)
{
  EPS      eps;
  ST       st;
  PetscInt found;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOptionsPrefix(eps, "highest_"));
  PetscCall(EPSSetOperators(eps, X, M));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetDimensions(eps, 1, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, 1e-8, 500));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetType(st, STSINVERT));
  PetscCall(EPSSetTarget(eps, bound * (1 + 1e-6))); /* not on it: a uniform mesh meets its bound, and X - bound M would be singular */
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  *largest = 0;
  if (found > 0) PetscCall(EPSGetEigenvalue(eps, 0, largest, NULL));
  PetscCall(EPSDestroy(&eps));
  PetscFunctionReturn(0);
}

PetscErrorCode NsFeHighestMode(NsModel *model, PetscReal *omega, PetscReal *damping_rate)
{
  NsFe     *fe = model->data;
  Mat       M, C, K;
  NsBound   frequency, rate; /* stay where the eigensolver does not converge */
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(NsFeFrequencyBound(model, &frequency, &rate));
  *omega        = frequency.value;
  *damping_rate = rate.value;
  PetscCall(NsFreeDynamicsMatrices(fe->free, &M, &C, &K));
  PetscCall(solve_pencil(K, M, PetscSqr(frequency.value), &value));
  if (value > 0) *omega = PetscSqrtReal(value);
  if (!C) PetscFunctionReturn(0);
  PetscCall(solve_pencil(C, M, rate.value, &value));
  if (value > 0) *damping_rate = value;
  PetscFunctionReturn(0);
}
