/*
  What limits the step of explicit schemes: the highest eigenvalues of (K, M), omega^2, and of (C, M), the damping rate.

  Bound: the matrices are sums over elements, so no eigenvalue is above the largest of one element alone (Irons and Treharne). Springs and dashpots
  have no mass of their own: each is given to an element at its node; one between two nodes as two of twice the size to ground,
  since (a - b)^2 <= 2 a^2 + 2 b^2. A point mass stays with the first element of its node. Rigorous, and exact for a uniform bar.

  Exact: SLEPc's Krylov-Schur on the pencils.
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

PetscErrorCode NsFeFrequencyBound(NsModel *model, PetscReal *omega, PetscReal *damping_rate, char *where, size_t size)
{
  NsFe    *fe = model->data;
  Lent    *lent;
  PetscInt worst = 0;

  PetscFunctionBegin;
  *omega = *damping_rate = 0;
  PetscCall(lend_attachments(fe, &lent));
  for (PetscInt i = 0; i < fe->elements; i++) {
    const NsFeElement *e    = &fe->element[i];
    const NsFeBody    *body = &fe->body[e->body];
    PetscReal          own, rate;
    if (lent && (lent[e->node[0]].element == i || lent[e->node[1]].element == i)) {
      PetscCall(element_with_attachments(fe, i, lent, &own, &rate));
      own = PetscSqrtReal(own);
    } else {
      own  = body->element->frequency(e, body->lumped);
      rate = body->damping_mass + body->damping_stiffness * own * own;
    }
    *damping_rate = PetscMax(*damping_rate, rate);
    if (own > *omega * (1 + 1e-9)) { /* of equal ones the first */
      *omega = own;
      worst  = i;
    }
  }
  const PetscReal *a = fe->x + 3 * fe->element[worst].node[0], *b = fe->x + 3 * fe->element[worst].node[1];
  (void)snprintf(
    where, size, "element of '%s' from (%g, %g, %g) to (%g, %g, %g) m", fe->body[fe->element[worst].body].name, a[0], a[1], a[2], b[0], b[1], b[2]);
  PetscCall(PetscFree(lent));
  PetscFunctionReturn(0);
}

/* Largest eigenvalue of (X, M). */
static PetscErrorCode solve_pencil(Mat X, Mat M, PetscReal *largest)
{
  EPS      eps;
  ST       st;
  KSP      ksp;
  PC       pc;
  PetscInt found;

  PetscFunctionBegin;
  PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
  PetscCall(EPSSetOptionsPrefix(eps, "highest_"));
  PetscCall(EPSSetOperators(eps, X, M));
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetDimensions(eps, 1, PETSC_DEFAULT, PETSC_DEFAULT));
  /* Eigenvalues crowd at the upper end: their values converge long before their vectors, and six digits of a step limit are plenty. */
  PetscCall(EPSSetTolerances(eps, 1e-6, 2000));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
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
  PetscReal bound_rate, value;
  char      where[8];

  PetscFunctionBegin;
  PetscCall(NsFeFrequencyBound(model, omega, &bound_rate, where, sizeof(where))); /* stays where the eigensolver does not converge */
  *damping_rate = bound_rate;
  PetscCall(NsFreeDynamicsMatrices(fe->free, &M, &C, &K));
  PetscCall(solve_pencil(K, M, &value));
  if (value > 0) *omega = PetscSqrtReal(value);
  if (!C) PetscFunctionReturn(0);
  PetscCall(solve_pencil(C, M, &value));
  if (value > 0) *damping_rate = value;
  PetscFunctionReturn(0);
}
